target triple = "x86_64-unknown-linux-gnu"

define void @"jacobi_1d"(i64 %"p.tsteps", i64 %"p.n", ptr noalias nocapture noundef align 8 %"a.A", ptr noalias nocapture noundef align 8 %"a.B") #0 {
entry:
  %kept.201 = alloca i32
  %kept.141 = alloca i32
  %kept.111 = alloca i32
  %x.1 = add nsw i64 %"p.tsteps", 63
  %x.2 = ashr i64 %x.1, 6
  %x.5 = icmp slt i64 0, %x.2
  %x.7 = mul nsw i64 %"p.tsteps", 16
  %x.8 = add nsw i64 %"p.n", %x.7
  %x.9 = add nsw i64 %x.8, 1014
  %x.10 = ashr i64 %x.9, 10
  %x.11 = add nsw i64 %"p.n", 1014
  %x.12 = ashr i64 %x.11, 10
  %x.20 = mul nsw i64 %"p.n", -1
  %x.21 = add nsw i64 %x.20, 9
  %x.22 = ashr i64 %x.21, 4
  br i1 %x.5, label %loop.3, label %done.4
loop.3:
  %i.6 = phi i64 [ 0, %entry ], [ %t.220, %done.17 ]
  %x.13 = add nsw i64 %x.12, %i.6
  %x.14 = add nsw i64 %x.13, 1
  %x.15 = call i64 @llvm.smin.i64(i64 %x.10, i64 %x.14)
  %x.18 = icmp slt i64 %i.6, %x.15
  %x.25 = mul nsw i64 %i.6, 64
  %x.27 = add nsw i64 %x.25, 64
  %x.28 = call i64 @llvm.smin.i64(i64 %"p.tsteps", i64 %x.27)
  br i1 %x.18, label %loop.16, label %done.17
loop.16:
  %i.19 = phi i64 [ %i.6, %loop.3 ], [ %t.218, %done.30 ]
  %x.23 = mul nsw i64 %i.19, 64
  %x.24 = add nsw i64 %x.22, %x.23
  %x.26 = call i64 @llvm.smax.i64(i64 %x.25, i64 %x.24)
  %x.31 = icmp slt i64 %x.26, %x.28
  %x.33 = mul nsw i64 %i.19, 1024
  %x.34 = add nsw i64 %x.33, 1024
  br i1 %x.31, label %loop.29, label %done.30
loop.29:
  %i.32 = phi i64 [ %x.26, %loop.16 ], [ %t.216, %done.196 ]
  %x.35 = mul nsw i64 %i.32, 16
  %x.36 = add nsw i64 %x.35, 1
  %x.37 = call i64 @llvm.smax.i64(i64 %x.33, i64 %x.36)
  %x.38 = add nsw i64 %x.37, 7
  %x.39 = ashr i64 %x.38, 3
  %x.40 = mul nsw i64 %x.39, 8
  %x.41 = add nsw i64 %"p.n", %x.35
  %x.42 = add nsw i64 %x.41, -1
  %x.43 = call i64 @llvm.smin.i64(i64 %x.34, i64 %x.40)
  %x.44 = call i64 @llvm.smin.i64(i64 %x.43, i64 %x.42)
  %x.45 = sub nsw i64 %x.44, %x.37
  %x.46 = icmp sge i64 %x.45, 1
  %x.50 = mul nsw i64 %i.32, -16
  %x.51 = add nsw i64 %x.50, %x.37
  %x.52 = getelementptr double, ptr %"a.A", i64 %x.51
  %x.53 = getelementptr double, ptr %x.52, i64 -1
  %x.54 = trunc i64 %x.45 to i32
  %x.55 = insertelement <8 x i32> poison, i32 %x.54, i64 0
  %x.56 = shufflevector <8 x i32> %x.55, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.57 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.56
  %x.61 = getelementptr double, ptr %x.52, i64 1
  %x.65 = getelementptr double, ptr %"a.B", i64 %x.51
  br i1 %x.46, label %then.47, label %done.49
then.47:
  %t.58 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.53, <8 x i1> %x.57, <8 x double> zeroinitializer)
  %t.59 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.52, <8 x i1> %x.57, <8 x double> zeroinitializer)
  %t.60 = fadd <8 x double> %t.58, %t.59
  %t.62 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.61, <8 x i1> %x.57, <8 x double> zeroinitializer)
  %t.63 = fadd <8 x double> %t.60, %t.62
  %t.64 = fmul <8 x double> splat (double 0x3FD555475A31A4BE), %t.63
  call void @llvm.masked.store.v8f64.p0(<8 x double> %t.64, ptr align 8 %x.65, <8 x i1> %x.57)
  br label %done.49
done.49:
  %x.66 = call i64 @llvm.smin.i64(i64 %x.34, i64 %x.42)
  %x.67 = mul nsw i64 %x.44, -1
  %x.68 = add nsw i64 %x.67, %x.66
  %x.69 = icmp sge i64 %x.68, 8
  %x.73 = sub nsw i64 %x.44, %x.35
  %x.74 = getelementptr double, ptr %"a.A", i64 %x.73
  %x.75 = getelementptr double, ptr %x.74, i64 -1
  %x.78 = add nsw i64 %x.66, -7
  %x.81 = icmp slt i64 %x.44, %x.78
  %x.84 = getelementptr double, ptr %"a.A", i64 %x.50
  %x.93 = getelementptr double, ptr %"a.B", i64 %x.50
  br i1 %x.69, label %then.70, label %done.72
then.70:
  %t.76 = load <8 x double>, ptr %x.75, align 8
  %t.77 = shufflevector <8 x double> %t.76, <8 x double> %t.76, <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 0>
  br i1 %x.81, label %loop.79, label %done.80
loop.79:
  %i.82 = phi i64 [ %x.44, %then.70 ], [ %t.95, %loop.79 ]
  %carried.83 = phi <8 x double> [ %t.77, %then.70 ], [ %t.86, %loop.79 ]
  %x.85 = getelementptr double, ptr %x.84, i64 %i.82
  %t.86 = load <8 x double>, ptr %x.85, align 8
  %t.87 = shufflevector <8 x double> %carried.83, <8 x double> %t.86, <8 x i32> <i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14>
  %t.88 = fadd <8 x double> %t.87, %t.86
  %x.89 = getelementptr double, ptr %x.85, i64 1
  %t.90 = load <8 x double>, ptr %x.89, align 8
  %t.91 = fadd <8 x double> %t.88, %t.90
  %t.92 = fmul <8 x double> splat (double 0x3FD555475A31A4BE), %t.91
  %x.94 = getelementptr double, ptr %x.93, i64 %i.82
  store <8 x double> %t.92, ptr %x.94, align 8
  %t.95 = add nsw i64 %i.82, 8
  %t.96 = icmp slt i64 %t.95, %x.78
  br i1 %t.96, label %loop.79, label %done.80, !llvm.loop !4
done.80:
  %t.97 = phi <8 x double> [ %t.77, %then.70 ], [ %t.86, %loop.79 ]
  br label %done.72
done.72:
  %x.98 = ashr i64 %x.68, 3
  %x.99 = mul nsw i64 %x.98, 8
  %x.100 = add nsw i64 %x.44, %x.99
  %x.101 = mul nsw i64 %x.100, -1
  %x.102 = add nsw i64 %x.101, %x.66
  %x.103 = icmp sge i64 %x.102, 1
  %x.107 = sub nsw i64 %x.100, %x.35
  %x.108 = getelementptr double, ptr %"a.A", i64 %x.107
  %x.109 = getelementptr double, ptr %x.108, i64 -1
  %x.110 = trunc i64 %x.102 to i32
  store i32 %x.110, ptr %kept.111
  %x.119 = getelementptr double, ptr %x.108, i64 1
  %x.123 = getelementptr double, ptr %"a.B", i64 %x.107
  br i1 %x.103, label %then.104, label %done.106
then.104:
  %x.112 = load volatile i32, ptr %kept.111
  %x.113 = insertelement <8 x i32> poison, i32 %x.112, i64 0
  %x.114 = shufflevector <8 x i32> %x.113, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.115 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.114
  %t.116 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.109, <8 x i1> %x.115, <8 x double> zeroinitializer)
  %t.117 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.108, <8 x i1> %x.115, <8 x double> zeroinitializer)
  %t.118 = fadd <8 x double> %t.116, %t.117
  %t.120 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.119, <8 x i1> %x.115, <8 x double> zeroinitializer)
  %t.121 = fadd <8 x double> %t.118, %t.120
  %t.122 = fmul <8 x double> splat (double 0x3FD555475A31A4BE), %t.121
  call void @llvm.masked.store.v8f64.p0(<8 x double> %t.122, ptr align 8 %x.123, <8 x i1> %x.115)
  br label %done.106
done.106:
  %x.124 = add nsw i64 %x.35, 9
  %x.125 = call i64 @llvm.smax.i64(i64 %x.33, i64 %x.124)
  %x.126 = add nsw i64 %x.125, 7
  %x.127 = ashr i64 %x.126, 3
  %x.128 = mul nsw i64 %x.127, 8
  %x.129 = add nsw i64 %x.41, 7
  %x.130 = call i64 @llvm.smin.i64(i64 %x.34, i64 %x.128)
  %x.131 = call i64 @llvm.smin.i64(i64 %x.130, i64 %x.129)
  %x.132 = sub nsw i64 %x.131, %x.125
  %x.133 = icmp sge i64 %x.132, 1
  %x.137 = add nsw i64 %x.50, %x.125
  %x.138 = getelementptr double, ptr %"a.B", i64 %x.137
  %x.139 = getelementptr double, ptr %x.138, i64 -9
  %x.140 = trunc i64 %x.132 to i32
  store i32 %x.140, ptr %kept.141
  %x.147 = getelementptr double, ptr %x.138, i64 -8
  %x.150 = getelementptr double, ptr %x.138, i64 -7
  %x.154 = getelementptr double, ptr %"a.A", i64 %x.137
  %x.155 = getelementptr double, ptr %x.154, i64 -8
  br i1 %x.133, label %then.134, label %done.136
then.134:
  %x.142 = load volatile i32, ptr %kept.141
  %x.143 = insertelement <8 x i32> poison, i32 %x.142, i64 0
  %x.144 = shufflevector <8 x i32> %x.143, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.145 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.144
  %t.146 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.139, <8 x i1> %x.145, <8 x double> zeroinitializer)
  %t.148 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.147, <8 x i1> %x.145, <8 x double> zeroinitializer)
  %t.149 = fadd <8 x double> %t.146, %t.148
  %t.151 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.150, <8 x i1> %x.145, <8 x double> zeroinitializer)
  %t.152 = fadd <8 x double> %t.149, %t.151
  %t.153 = fmul <8 x double> splat (double 0x3FD555475A31A4BE), %t.152
  call void @llvm.masked.store.v8f64.p0(<8 x double> %t.153, ptr align 8 %x.155, <8 x i1> %x.145)
  br label %done.136
done.136:
  %x.156 = call i64 @llvm.smin.i64(i64 %x.34, i64 %x.129)
  %x.157 = mul nsw i64 %x.131, -1
  %x.158 = add nsw i64 %x.157, %x.156
  %x.159 = icmp sge i64 %x.158, 8
  %x.163 = sub nsw i64 %x.131, %x.35
  %x.164 = getelementptr double, ptr %"a.B", i64 %x.163
  %x.165 = getelementptr double, ptr %x.164, i64 -9
  %x.168 = add nsw i64 %x.156, -7
  %x.171 = icmp slt i64 %x.131, %x.168
  br i1 %x.159, label %then.160, label %done.162
then.160:
  %t.166 = load <8 x double>, ptr %x.165, align 8
  %t.167 = shufflevector <8 x double> %t.166, <8 x double> %t.166, <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 0>
  br i1 %x.171, label %loop.169, label %done.170
loop.169:
  %i.172 = phi i64 [ %x.131, %then.160 ], [ %t.185, %loop.169 ]
  %carried.173 = phi <8 x double> [ %t.167, %then.160 ], [ %t.176, %loop.169 ]
  %x.174 = getelementptr double, ptr %x.93, i64 %i.172
  %x.175 = getelementptr double, ptr %x.174, i64 -8
  %t.176 = load <8 x double>, ptr %x.175, align 8
  %t.177 = shufflevector <8 x double> %carried.173, <8 x double> %t.176, <8 x i32> <i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14>
  %t.178 = fadd <8 x double> %t.177, %t.176
  %x.179 = getelementptr double, ptr %x.174, i64 -7
  %t.180 = load <8 x double>, ptr %x.179, align 8
  %t.181 = fadd <8 x double> %t.178, %t.180
  %t.182 = fmul <8 x double> splat (double 0x3FD555475A31A4BE), %t.181
  %x.183 = getelementptr double, ptr %x.84, i64 %i.172
  %x.184 = getelementptr double, ptr %x.183, i64 -8
  store <8 x double> %t.182, ptr %x.184, align 8
  %t.185 = add nsw i64 %i.172, 8
  %t.186 = icmp slt i64 %t.185, %x.168
  br i1 %t.186, label %loop.169, label %done.170, !llvm.loop !5
done.170:
  %t.187 = phi <8 x double> [ %t.167, %then.160 ], [ %t.176, %loop.169 ]
  br label %done.162
done.162:
  %x.188 = ashr i64 %x.158, 3
  %x.189 = mul nsw i64 %x.188, 8
  %x.190 = add nsw i64 %x.131, %x.189
  %x.191 = mul nsw i64 %x.190, -1
  %x.192 = add nsw i64 %x.191, %x.156
  %x.193 = icmp sge i64 %x.192, 1
  %x.197 = sub nsw i64 %x.190, %x.35
  %x.198 = getelementptr double, ptr %"a.B", i64 %x.197
  %x.199 = getelementptr double, ptr %x.198, i64 -9
  %x.200 = trunc i64 %x.192 to i32
  store i32 %x.200, ptr %kept.201
  %x.207 = getelementptr double, ptr %x.198, i64 -8
  %x.210 = getelementptr double, ptr %x.198, i64 -7
  %x.214 = getelementptr double, ptr %"a.A", i64 %x.197
  %x.215 = getelementptr double, ptr %x.214, i64 -8
  br i1 %x.193, label %then.194, label %done.196
then.194:
  %x.202 = load volatile i32, ptr %kept.201
  %x.203 = insertelement <8 x i32> poison, i32 %x.202, i64 0
  %x.204 = shufflevector <8 x i32> %x.203, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.205 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.204
  %t.206 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.199, <8 x i1> %x.205, <8 x double> zeroinitializer)
  %t.208 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.207, <8 x i1> %x.205, <8 x double> zeroinitializer)
  %t.209 = fadd <8 x double> %t.206, %t.208
  %t.211 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.210, <8 x i1> %x.205, <8 x double> zeroinitializer)
  %t.212 = fadd <8 x double> %t.209, %t.211
  %t.213 = fmul <8 x double> splat (double 0x3FD555475A31A4BE), %t.212
  call void @llvm.masked.store.v8f64.p0(<8 x double> %t.213, ptr align 8 %x.215, <8 x i1> %x.205)
  br label %done.196
done.196:
  %t.216 = add nsw i64 %i.32, 1
  %t.217 = icmp slt i64 %t.216, %x.28
  br i1 %t.217, label %loop.29, label %done.30, !llvm.loop !6
done.30:
  %t.218 = add nsw i64 %i.19, 1
  %t.219 = icmp slt i64 %t.218, %x.15
  br i1 %t.219, label %loop.16, label %done.17, !llvm.loop !7
done.17:
  %t.220 = add nsw i64 %i.6, 1
  %t.221 = icmp slt i64 %t.220, %x.2
  br i1 %t.221, label %loop.3, label %done.4, !llvm.loop !8
done.4:
  ret void
}

define void @"jacobi_1d.call"(ptr %slots) #0 {
  %s0 = getelementptr i64, ptr %slots, i64 0
  %v0 = load i64, ptr %s0, align 8
  %s1 = getelementptr i64, ptr %slots, i64 1
  %v1 = load i64, ptr %s1, align 8
  %s2 = getelementptr i64, ptr %slots, i64 2
  %v2 = load ptr, ptr %s2, align 8
  %s3 = getelementptr i64, ptr %slots, i64 3
  %v3 = load ptr, ptr %s3, align 8
  call void @"jacobi_1d"(i64 %v0, i64 %v1, ptr %v2, ptr %v3)
  ret void
}

attributes #0 = { nounwind mustprogress "target-cpu"="x86-64-v4" "target-features"="" "prefer-vector-width"="512" }
!0 = !{}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = !{!"llvm.loop.align", i32 64}
!4 = distinct !{!4, !1, !2, !3}
!5 = distinct !{!5, !1, !2, !3}
!6 = distinct !{!6, !1, !2}
!7 = distinct !{!7, !1, !2}
!8 = distinct !{!8, !1, !2}
