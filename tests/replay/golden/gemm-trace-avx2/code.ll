target triple = "x86_64-unknown-linux-gnu"

define internal void @"gemm.parallel.0"(ptr %shared) #0 {
entry:
  %kept.168 = alloca i32
  %t.1 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared, i64 0, i32 0
  %t.2 = load i64, ptr %t.1
  %t.3 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared, i64 0, i32 1
  %t.4 = load i64, ptr %t.3
  %t.5 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared, i64 0, i32 2
  %t.6 = load i64, ptr %t.5
  %t.7 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared, i64 0, i32 3
  %t.8 = load i64, ptr %t.7
  %t.9 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared, i64 0, i32 4
  %t.10 = load i64, ptr %t.9
  %t.11 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared, i64 0, i32 5
  %t.12 = load ptr, ptr %t.11
  %t.13 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared, i64 0, i32 6
  %t.14 = load ptr, ptr %t.13
  %t.15 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared, i64 0, i32 7
  %t.16 = load ptr, ptr %t.15
  %t.17 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared, i64 0, i32 8
  %t.18 = load ptr, ptr %t.17
  %t.19 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared, i64 0, i32 9
  %t.20 = load ptr, ptr %t.19
  %local.21 = alloca [16 x double], align 64
  %x.22 = mul nsw i64 %t.2, -1
  %x.23 = add nsw i64 %x.22, %t.4
  %x.24 = call i64 @llvm.smax.i64(i64 %x.23, i64 0)
  %t.25 = call i32 @omp_get_num_threads()
  %t.26 = sext i32 %t.25 to i64
  %t.27 = call i32 @omp_get_thread_num()
  %t.28 = sext i32 %t.27 to i64
  %t.29 = add nsw i64 %t.28, 1
  %t.30 = mul nsw i64 %x.24, %t.28
  %t.31 = sdiv i64 %t.30, %t.26
  %t.32 = mul nsw i64 %t.31, 1
  %t.33 = add nsw i64 %t.2, %t.32
  %t.34 = mul nsw i64 %x.24, %t.29
  %t.35 = sdiv i64 %t.34, %t.26
  %t.36 = mul nsw i64 %t.35, 1
  %t.37 = add nsw i64 %t.2, %t.36
  %x.40 = icmp slt i64 %t.33, %t.37
  %x.43 = add nsw i64 %t.8, 3
  %x.44 = ashr i64 %x.43, 2
  %x.47 = icmp slt i64 0, %x.44
  %x.67 = icmp slt i64 0, %t.8
  %x.69 = icmp sge i64 %t.10, 16
  %x.76 = add nsw i64 %t.10, -15
  %x.79 = icmp slt i64 0, %x.76
  %x.90 = mul nsw i64 %t.8, 1
  %x.92 = mul nsw i64 %t.8, 2
  %x.94 = mul nsw i64 %t.8, 3
  %x.96 = mul nsw i64 %t.8, 4
  %x.98 = mul nsw i64 %t.8, 5
  %x.100 = mul nsw i64 %t.8, 6
  %x.102 = mul nsw i64 %t.8, 7
  %x.104 = mul nsw i64 %t.8, 8
  %x.106 = mul nsw i64 %t.8, 9
  %x.108 = mul nsw i64 %t.8, 10
  %x.110 = mul nsw i64 %t.8, 11
  %x.112 = mul nsw i64 %t.8, 12
  %x.114 = mul nsw i64 %t.8, 13
  %x.116 = mul nsw i64 %t.8, 14
  %x.118 = mul nsw i64 %t.8, 15
  %x.156 = ashr i64 %t.10, 4
  %x.157 = mul nsw i64 %x.156, 16
  %x.158 = mul nsw i64 %x.157, -1
  %x.159 = add nsw i64 %x.158, %t.10
  %x.160 = icmp sge i64 %x.159, 1
  %x.165 = getelementptr double, ptr %t.12, i64 %x.157
  %x.167 = trunc i64 %x.159 to i32
  store i32 %x.167, ptr %kept.168
  %x.177 = mul nsw i64 %x.157, %t.8
  %x.178 = getelementptr double, ptr %t.14, i64 %x.177
  %x.180 = insertelement <16 x i64> poison, i64 %t.8, i64 0
  %x.181 = shufflevector <16 x i64> %x.180, <16 x i64> poison, <16 x i32> zeroinitializer
  %x.182 = mul nsw <16 x i64> %x.181, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %x.187 = add <16 x i64> splat (i64 0), <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %x.188 = insertelement <16 x i64> poison, i64 %x.159, i64 0
  %x.189 = shufflevector <16 x i64> %x.188, <16 x i64> poison, <16 x i32> zeroinitializer
  br i1 %x.40, label %loop.38, label %done.39
loop.38:
  %i.41 = phi i64 [ %t.33, %entry ], [ %t.213, %done.66 ]
  %t.42 = load double, ptr %t.20, align 8, !invariant.load !0
  %x.56 = mul nsw i64 %i.41, %t.8
  %x.57 = getelementptr double, ptr %t.16, i64 %x.56
  br i1 %x.47, label %loop.45, label %done.46
loop.45:
  %i.48 = phi i64 [ 0, %loop.38 ], [ %t.63, %done.53 ]
  %x.49 = mul nsw i64 %i.48, 4
  %x.50 = add nsw i64 %x.49, 4
  %x.51 = call i64 @llvm.smin.i64(i64 %t.8, i64 %x.50)
  %x.54 = icmp slt i64 %x.49, %x.51
  br i1 %x.54, label %loop.52, label %done.53
loop.52:
  %i.55 = phi i64 [ %x.49, %loop.45 ], [ %t.61, %loop.52 ]
  %x.58 = getelementptr double, ptr %x.57, i64 %i.55
  %t.59 = load double, ptr %x.58, align 8
  %t.60 = fmul double %t.59, %t.42
  store double %t.60, ptr %x.58, align 8
  %t.61 = add nsw i64 %i.55, 1
  %t.62 = icmp slt i64 %t.61, %x.51
  br i1 %t.62, label %loop.52, label %done.53, !llvm.loop !4
done.53:
  %t.63 = add nsw i64 %i.48, 1
  %t.64 = icmp slt i64 %t.63, %x.44
  br i1 %t.64, label %loop.45, label %done.46, !llvm.loop !5
done.46:
  %x.82 = mul nsw i64 %i.41, %t.10
  %x.83 = getelementptr double, ptr %t.12, i64 %x.82
  %x.166 = getelementptr double, ptr %x.165, i64 %x.82
  br i1 %x.67, label %loop.65, label %done.66
loop.65:
  %i.68 = phi i64 [ 0, %done.46 ], [ %t.211, %done.163 ]
  store <16 x double> splat (double 0x0000000000000000), ptr %local.21, align 8
  %x.88 = getelementptr double, ptr %t.14, i64 %i.68
  br i1 %x.69, label %then.70, label %done.72
then.70:
  %t.73 = load double, ptr %t.18, align 8, !invariant.load !0
  %x.74 = insertelement <16 x double> poison, double %t.73, i64 0
  %x.75 = shufflevector <16 x double> %x.74, <16 x double> poison, <16 x i32> zeroinitializer
  br i1 %x.79, label %loop.77, label %done.78
loop.77:
  %i.80 = phi i64 [ 0, %then.70 ], [ %t.153, %loop.77 ]
  %carried.81 = phi <16 x double> [ splat (double 0x0000000000000000), %then.70 ], [ %t.152, %loop.77 ]
  %x.84 = getelementptr double, ptr %x.83, i64 %i.80
  %t.85 = load <16 x double>, ptr %x.84, align 8, !invariant.load !0
  %t.86 = fmul <16 x double> %x.75, %t.85
  %x.87 = mul nsw i64 %i.80, %t.8
  %x.89 = getelementptr double, ptr %x.88, i64 %x.87
  %x.91 = getelementptr double, ptr %x.89, i64 %x.90
  %x.93 = getelementptr double, ptr %x.89, i64 %x.92
  %x.95 = getelementptr double, ptr %x.89, i64 %x.94
  %x.97 = getelementptr double, ptr %x.89, i64 %x.96
  %x.99 = getelementptr double, ptr %x.89, i64 %x.98
  %x.101 = getelementptr double, ptr %x.89, i64 %x.100
  %x.103 = getelementptr double, ptr %x.89, i64 %x.102
  %x.105 = getelementptr double, ptr %x.89, i64 %x.104
  %x.107 = getelementptr double, ptr %x.89, i64 %x.106
  %x.109 = getelementptr double, ptr %x.89, i64 %x.108
  %x.111 = getelementptr double, ptr %x.89, i64 %x.110
  %x.113 = getelementptr double, ptr %x.89, i64 %x.112
  %x.115 = getelementptr double, ptr %x.89, i64 %x.114
  %x.117 = getelementptr double, ptr %x.89, i64 %x.116
  %x.119 = getelementptr double, ptr %x.89, i64 %x.118
  %t.120 = load double, ptr %x.89, align 8, !invariant.load !0
  %t.121 = insertelement <16 x double> poison, double %t.120, i64 0
  %t.122 = load double, ptr %x.91, align 8, !invariant.load !0
  %t.123 = insertelement <16 x double> %t.121, double %t.122, i64 1
  %t.124 = load double, ptr %x.93, align 8, !invariant.load !0
  %t.125 = insertelement <16 x double> %t.123, double %t.124, i64 2
  %t.126 = load double, ptr %x.95, align 8, !invariant.load !0
  %t.127 = insertelement <16 x double> %t.125, double %t.126, i64 3
  %t.128 = load double, ptr %x.97, align 8, !invariant.load !0
  %t.129 = insertelement <16 x double> %t.127, double %t.128, i64 4
  %t.130 = load double, ptr %x.99, align 8, !invariant.load !0
  %t.131 = insertelement <16 x double> %t.129, double %t.130, i64 5
  %t.132 = load double, ptr %x.101, align 8, !invariant.load !0
  %t.133 = insertelement <16 x double> %t.131, double %t.132, i64 6
  %t.134 = load double, ptr %x.103, align 8, !invariant.load !0
  %t.135 = insertelement <16 x double> %t.133, double %t.134, i64 7
  %t.136 = load double, ptr %x.105, align 8, !invariant.load !0
  %t.137 = insertelement <16 x double> %t.135, double %t.136, i64 8
  %t.138 = load double, ptr %x.107, align 8, !invariant.load !0
  %t.139 = insertelement <16 x double> %t.137, double %t.138, i64 9
  %t.140 = load double, ptr %x.109, align 8, !invariant.load !0
  %t.141 = insertelement <16 x double> %t.139, double %t.140, i64 10
  %t.142 = load double, ptr %x.111, align 8, !invariant.load !0
  %t.143 = insertelement <16 x double> %t.141, double %t.142, i64 11
  %t.144 = load double, ptr %x.113, align 8, !invariant.load !0
  %t.145 = insertelement <16 x double> %t.143, double %t.144, i64 12
  %t.146 = load double, ptr %x.115, align 8, !invariant.load !0
  %t.147 = insertelement <16 x double> %t.145, double %t.146, i64 13
  %t.148 = load double, ptr %x.117, align 8, !invariant.load !0
  %t.149 = insertelement <16 x double> %t.147, double %t.148, i64 14
  %t.150 = load double, ptr %x.119, align 8, !invariant.load !0
  %t.151 = insertelement <16 x double> %t.149, double %t.150, i64 15
  %t.152 = call <16 x double> @llvm.fma.v16f64(<16 x double> %t.86, <16 x double> %t.151, <16 x double> %carried.81)
  %t.153 = add nsw i64 %i.80, 16
  %t.154 = icmp slt i64 %t.153, %x.76
  br i1 %t.154, label %loop.77, label %done.78, !llvm.loop !6
done.78:
  %t.155 = phi <16 x double> [ splat (double 0x0000000000000000), %then.70 ], [ %t.152, %loop.77 ]
  store <16 x double> %t.155, ptr %local.21, align 8
  br label %done.72
done.72:
  %x.179 = getelementptr double, ptr %x.178, i64 %i.68
  %x.183 = getelementptr double, ptr %x.179, <16 x i64> %x.182
  br i1 %x.160, label %then.161, label %done.163
then.161:
  %t.164 = load double, ptr %t.18, align 8, !invariant.load !0
  %x.169 = load volatile i32, ptr %kept.168
  %x.170 = insertelement <16 x i32> poison, i32 %x.169, i64 0
  %x.171 = shufflevector <16 x i32> %x.170, <16 x i32> poison, <16 x i32> zeroinitializer
  %x.172 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %x.171
  %t.173 = call <16 x double> @llvm.masked.load.v16f64.p0(ptr align 8 %x.166, <16 x i1> %x.172, <16 x double> zeroinitializer)
  %x.174 = insertelement <16 x double> poison, double %t.164, i64 0
  %x.175 = shufflevector <16 x double> %x.174, <16 x double> poison, <16 x i32> zeroinitializer
  %t.176 = fmul <16 x double> %x.175, %t.173
  %t.184 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> align 8 %x.183, <16 x i1> %x.172, <16 x double> zeroinitializer)
  %t.185 = load <16 x double>, ptr %local.21, align 8
  %t.186 = call <16 x double> @llvm.fma.v16f64(<16 x double> %t.176, <16 x double> %t.184, <16 x double> %t.185)
  %t.190 = icmp slt <16 x i64> %x.187, %x.189
  %t.191 = zext <16 x i1> %t.190 to <16 x i32>
  %t.192 = select <16 x i1> %t.190, <16 x double> %t.186, <16 x double> %t.185
  store <16 x double> %t.192, ptr %local.21, align 8
  br label %done.163
done.163:
  %t.193 = load <16 x double>, ptr %local.21, align 8
  %t.194 = shufflevector <16 x double> %t.193, <16 x double> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %t.195 = shufflevector <16 x double> %t.193, <16 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %t.196 = fadd <8 x double> %t.194, %t.195
  %t.197 = shufflevector <8 x double> %t.196, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t.198 = shufflevector <8 x double> %t.196, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %t.199 = fadd <4 x double> %t.197, %t.198
  %t.200 = shufflevector <4 x double> %t.199, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %t.201 = shufflevector <4 x double> %t.199, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %t.202 = fadd <2 x double> %t.200, %t.201
  %t.203 = shufflevector <2 x double> %t.202, <2 x double> poison, <1 x i32> <i32 0>
  %t.204 = shufflevector <2 x double> %t.202, <2 x double> poison, <1 x i32> <i32 1>
  %t.205 = extractelement <1 x double> %t.203, i64 0
  %t.206 = extractelement <1 x double> %t.204, i64 0
  %t.207 = fadd double %t.205, %t.206
  %x.208 = getelementptr double, ptr %x.57, i64 %i.68
  %t.209 = load double, ptr %x.208, align 8
  %t.210 = fadd double %t.209, %t.207
  store double %t.210, ptr %x.208, align 8
  %t.211 = add nsw i64 %i.68, 1
  %t.212 = icmp slt i64 %t.211, %t.8
  br i1 %t.212, label %loop.65, label %done.66, !llvm.loop !7
done.66:
  %t.213 = add nsw i64 %i.41, 1
  %t.214 = icmp slt i64 %t.213, %t.37
  br i1 %t.214, label %loop.38, label %done.39, !llvm.loop !8
done.39:
  ret void
}

define void @"gemm"(i64 %"p.ni", i64 %"p.nj", i64 %"p.nk", ptr noalias nocapture noundef readonly align 8 %"a.beta", ptr noalias nocapture noundef align 8 %"a.C", ptr noalias nocapture noundef readonly align 8 %"a.alpha", ptr noalias nocapture noundef readonly align 8 %"a.A", ptr noalias nocapture noundef readonly align 8 %"a.B") #0 {
entry:
  %shared.1 = alloca { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, align 64
  %t.2 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared.1, i64 0, i32 0
  store i64 0, ptr %t.2
  %t.3 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared.1, i64 0, i32 1
  store i64 %"p.ni", ptr %t.3
  %t.4 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared.1, i64 0, i32 2
  store i64 %"p.ni", ptr %t.4
  %t.5 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared.1, i64 0, i32 3
  store i64 %"p.nj", ptr %t.5
  %t.6 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared.1, i64 0, i32 4
  store i64 %"p.nk", ptr %t.6
  %t.7 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared.1, i64 0, i32 5
  store ptr %"a.A", ptr %t.7
  %t.8 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared.1, i64 0, i32 6
  store ptr %"a.B", ptr %t.8
  %t.9 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared.1, i64 0, i32 7
  store ptr %"a.C", ptr %t.9
  %t.10 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared.1, i64 0, i32 8
  store ptr %"a.alpha", ptr %t.10
  %t.11 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, ptr }, ptr %shared.1, i64 0, i32 9
  store ptr %"a.beta", ptr %t.11
  call void @GOMP_parallel(ptr @"gemm.parallel.0", ptr %shared.1, i32 4, i32 0)
  ret void
}

define void @"gemm.call"(ptr %slots) #0 {
  %s0 = getelementptr i64, ptr %slots, i64 0
  %v0 = load i64, ptr %s0, align 8
  %s1 = getelementptr i64, ptr %slots, i64 1
  %v1 = load i64, ptr %s1, align 8
  %s2 = getelementptr i64, ptr %slots, i64 2
  %v2 = load i64, ptr %s2, align 8
  %s3 = getelementptr i64, ptr %slots, i64 3
  %v3 = load ptr, ptr %s3, align 8
  %s4 = getelementptr i64, ptr %slots, i64 4
  %v4 = load ptr, ptr %s4, align 8
  %s5 = getelementptr i64, ptr %slots, i64 5
  %v5 = load ptr, ptr %s5, align 8
  %s6 = getelementptr i64, ptr %slots, i64 6
  %v6 = load ptr, ptr %s6, align 8
  %s7 = getelementptr i64, ptr %slots, i64 7
  %v7 = load ptr, ptr %s7, align 8
  call void @"gemm"(i64 %v0, i64 %v1, i64 %v2, ptr %v3, ptr %v4, ptr %v5, ptr %v6, ptr %v7)
  ret void
}

declare i32 @omp_get_num_threads()
declare i32 @omp_get_thread_num()
declare void @GOMP_parallel(ptr, ptr, i32, i32)
attributes #0 = { nounwind mustprogress "target-cpu"="x86-64-v3" "target-features"="" "prefer-vector-width"="256" }
!0 = !{}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = !{!"llvm.loop.align", i32 64}
!4 = distinct !{!4, !1, !2, !3}
!5 = distinct !{!5, !1, !2}
!6 = distinct !{!6, !1, !2, !3}
!7 = distinct !{!7, !1, !2}
!8 = distinct !{!8, !1, !2}
