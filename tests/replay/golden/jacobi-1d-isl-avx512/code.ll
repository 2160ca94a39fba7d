target triple = "x86_64-unknown-linux-gnu"

define void @"jacobi_1d"(i64 %"p.tsteps", i64 %"p.n", ptr noalias nocapture noundef align 8 %"a.A", ptr noalias nocapture noundef align 8 %"a.B") #0 {
entry:
  %kept.152 = alloca i32
  %kept.98 = alloca i32
  %kept.76 = alloca i32
  %x.3 = icmp slt i64 0, %"p.tsteps"
  %x.21 = getelementptr double, ptr %"a.A", i64 1
  %x.24 = getelementptr double, ptr %"a.A", i64 2
  %x.28 = getelementptr double, ptr %"a.B", i64 1
  %x.106 = getelementptr double, ptr %"a.B", i64 2
  br i1 %x.3, label %loop.1, label %done.2
loop.1:
  %i.4 = phi i64 [ 0, %entry ], [ %t.166, %done.147 ]
  %x.5 = mul nsw i64 %i.4, 2
  %x.6 = add nsw i64 %x.5, 8
  %x.7 = add nsw i64 %"p.n", %x.5
  %x.8 = add nsw i64 %x.7, -1
  %x.9 = call i64 @llvm.smin.i64(i64 %x.6, i64 %x.8)
  %x.10 = sub nsw i64 %x.9, %x.5
  %x.11 = icmp sge i64 %x.10, 2
  %x.15 = add nsw i64 %x.10, -1
  %x.16 = trunc i64 %x.15 to i32
  %x.17 = insertelement <8 x i32> poison, i32 %x.16, i64 0
  %x.18 = shufflevector <8 x i32> %x.17, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.19 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.18
  br i1 %x.11, label %then.12, label %done.14
then.12:
  %t.20 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %"a.A", <8 x i1> %x.19, <8 x double> zeroinitializer)
  %t.22 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.21, <8 x i1> %x.19, <8 x double> zeroinitializer)
  %t.23 = fadd <8 x double> %t.20, %t.22
  %t.25 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.24, <8 x i1> %x.19, <8 x double> zeroinitializer)
  %t.26 = fadd <8 x double> %t.23, %t.25
  %t.27 = fmul <8 x double> splat (double 0x3FD555475A31A4BE), %t.26
  call void @llvm.masked.store.v8f64.p0(<8 x double> %t.27, ptr align 8 %x.28, <8 x i1> %x.19)
  br label %done.14
done.14:
  %x.29 = sub nsw i64 %"p.n", %x.9
  %x.30 = add nsw i64 %x.29, %x.5
  %x.31 = icmp sge i64 %x.30, 9
  %x.35 = getelementptr double, ptr %"a.A", i64 %x.10
  %x.36 = getelementptr double, ptr %x.35, i64 -1
  %x.39 = add nsw i64 %x.7, -8
  %x.42 = icmp slt i64 %x.9, %x.39
  %x.45 = mul nsw i64 %i.4, -2
  %x.46 = getelementptr double, ptr %"a.A", i64 %x.45
  %x.55 = getelementptr double, ptr %"a.B", i64 %x.45
  br i1 %x.31, label %then.32, label %done.34
then.32:
  %t.37 = load <8 x double>, ptr %x.36, align 8
  %t.38 = shufflevector <8 x double> %t.37, <8 x double> %t.37, <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 0>
  br i1 %x.42, label %loop.40, label %done.41
loop.40:
  %i.43 = phi i64 [ %x.9, %then.32 ], [ %t.57, %loop.40 ]
  %carried.44 = phi <8 x double> [ %t.38, %then.32 ], [ %t.48, %loop.40 ]
  %x.47 = getelementptr double, ptr %x.46, i64 %i.43
  %t.48 = load <8 x double>, ptr %x.47, align 8
  %t.49 = shufflevector <8 x double> %carried.44, <8 x double> %t.48, <8 x i32> <i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14>
  %t.50 = fadd <8 x double> %t.49, %t.48
  %x.51 = getelementptr double, ptr %x.47, i64 1
  %t.52 = load <8 x double>, ptr %x.51, align 8
  %t.53 = fadd <8 x double> %t.50, %t.52
  %t.54 = fmul <8 x double> splat (double 0x3FD555475A31A4BE), %t.53
  %x.56 = getelementptr double, ptr %x.55, i64 %i.43
  store <8 x double> %t.54, ptr %x.56, align 8
  %t.57 = add nsw i64 %i.43, 8
  %t.58 = icmp slt i64 %t.57, %x.39
  br i1 %t.58, label %loop.40, label %done.41, !llvm.loop !3
done.41:
  %t.59 = phi <8 x double> [ %t.38, %then.32 ], [ %t.48, %loop.40 ]
  br label %done.34
done.34:
  %x.60 = add nsw i64 %x.30, 7
  %x.61 = ashr i64 %x.60, 3
  %x.62 = mul nsw i64 %x.61, 8
  %x.63 = add nsw i64 %x.9, %x.62
  %x.64 = add nsw i64 %x.63, -8
  %x.65 = sub nsw i64 %"p.n", %x.64
  %x.66 = add nsw i64 %x.65, %x.5
  %x.67 = icmp sge i64 %x.66, 2
  %x.71 = sub nsw i64 %x.64, %x.5
  %x.72 = getelementptr double, ptr %"a.A", i64 %x.71
  %x.73 = getelementptr double, ptr %x.72, i64 -1
  %x.74 = add nsw i64 %x.66, -1
  %x.75 = trunc i64 %x.74 to i32
  store i32 %x.75, ptr %kept.76
  %x.84 = getelementptr double, ptr %x.72, i64 1
  %x.88 = getelementptr double, ptr %"a.B", i64 %x.71
  br i1 %x.67, label %then.68, label %done.70
then.68:
  %x.77 = load volatile i32, ptr %kept.76
  %x.78 = insertelement <8 x i32> poison, i32 %x.77, i64 0
  %x.79 = shufflevector <8 x i32> %x.78, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.80 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.79
  %t.81 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.73, <8 x i1> %x.80, <8 x double> zeroinitializer)
  %t.82 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.72, <8 x i1> %x.80, <8 x double> zeroinitializer)
  %t.83 = fadd <8 x double> %t.81, %t.82
  %t.85 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.84, <8 x i1> %x.80, <8 x double> zeroinitializer)
  %t.86 = fadd <8 x double> %t.83, %t.85
  %t.87 = fmul <8 x double> splat (double 0x3FD555475A31A4BE), %t.86
  call void @llvm.masked.store.v8f64.p0(<8 x double> %t.87, ptr align 8 %x.88, <8 x i1> %x.80)
  br label %done.70
done.70:
  %x.89 = add nsw i64 %x.5, 9
  %x.90 = call i64 @llvm.smin.i64(i64 %x.89, i64 %x.7)
  %x.91 = sub nsw i64 %x.90, %x.5
  %x.92 = icmp sge i64 %x.91, 3
  %x.96 = add nsw i64 %x.91, -2
  %x.97 = trunc i64 %x.96 to i32
  store i32 %x.97, ptr %kept.98
  br i1 %x.92, label %then.93, label %done.95
then.93:
  %x.99 = load volatile i32, ptr %kept.98
  %x.100 = insertelement <8 x i32> poison, i32 %x.99, i64 0
  %x.101 = shufflevector <8 x i32> %x.100, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.102 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.101
  %t.103 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %"a.B", <8 x i1> %x.102, <8 x double> zeroinitializer)
  %t.104 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.28, <8 x i1> %x.102, <8 x double> zeroinitializer)
  %t.105 = fadd <8 x double> %t.103, %t.104
  %t.107 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.106, <8 x i1> %x.102, <8 x double> zeroinitializer)
  %t.108 = fadd <8 x double> %t.105, %t.107
  %t.109 = fmul <8 x double> splat (double 0x3FD555475A31A4BE), %t.108
  call void @llvm.masked.store.v8f64.p0(<8 x double> %t.109, ptr align 8 %x.21, <8 x i1> %x.102)
  br label %done.95
done.95:
  %x.110 = sub nsw i64 %"p.n", %x.90
  %x.111 = add nsw i64 %x.110, %x.5
  %x.112 = icmp sge i64 %x.111, 8
  %x.116 = getelementptr double, ptr %"a.B", i64 %x.91
  %x.117 = getelementptr double, ptr %x.116, i64 -2
  %x.120 = add nsw i64 %x.7, -7
  %x.123 = icmp slt i64 %x.90, %x.120
  br i1 %x.112, label %then.113, label %done.115
then.113:
  %t.118 = load <8 x double>, ptr %x.117, align 8
  %t.119 = shufflevector <8 x double> %t.118, <8 x double> %t.118, <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 0>
  br i1 %x.123, label %loop.121, label %done.122
loop.121:
  %i.124 = phi i64 [ %x.90, %then.113 ], [ %t.136, %loop.121 ]
  %carried.125 = phi <8 x double> [ %t.119, %then.113 ], [ %t.128, %loop.121 ]
  %x.126 = getelementptr double, ptr %x.55, i64 %i.124
  %x.127 = getelementptr double, ptr %x.126, i64 -1
  %t.128 = load <8 x double>, ptr %x.127, align 8
  %t.129 = shufflevector <8 x double> %carried.125, <8 x double> %t.128, <8 x i32> <i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14>
  %t.130 = fadd <8 x double> %t.129, %t.128
  %t.131 = load <8 x double>, ptr %x.126, align 8
  %t.132 = fadd <8 x double> %t.130, %t.131
  %t.133 = fmul <8 x double> splat (double 0x3FD555475A31A4BE), %t.132
  %x.134 = getelementptr double, ptr %x.46, i64 %i.124
  %x.135 = getelementptr double, ptr %x.134, i64 -1
  store <8 x double> %t.133, ptr %x.135, align 8
  %t.136 = add nsw i64 %i.124, 8
  %t.137 = icmp slt i64 %t.136, %x.120
  br i1 %t.137, label %loop.121, label %done.122, !llvm.loop !4
done.122:
  %t.138 = phi <8 x double> [ %t.119, %then.113 ], [ %t.128, %loop.121 ]
  br label %done.115
done.115:
  %x.139 = ashr i64 %x.111, 3
  %x.140 = mul nsw i64 %x.139, 8
  %x.141 = add nsw i64 %x.90, %x.140
  %x.142 = sub nsw i64 %"p.n", %x.141
  %x.143 = add nsw i64 %x.142, %x.5
  %x.144 = icmp sge i64 %x.143, 1
  %x.148 = sub nsw i64 %x.141, %x.5
  %x.149 = getelementptr double, ptr %"a.B", i64 %x.148
  %x.150 = getelementptr double, ptr %x.149, i64 -2
  %x.151 = trunc i64 %x.143 to i32
  store i32 %x.151, ptr %kept.152
  %x.158 = getelementptr double, ptr %x.149, i64 -1
  %x.164 = getelementptr double, ptr %"a.A", i64 %x.148
  %x.165 = getelementptr double, ptr %x.164, i64 -1
  br i1 %x.144, label %then.145, label %done.147
then.145:
  %x.153 = load volatile i32, ptr %kept.152
  %x.154 = insertelement <8 x i32> poison, i32 %x.153, i64 0
  %x.155 = shufflevector <8 x i32> %x.154, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.156 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.155
  %t.157 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.150, <8 x i1> %x.156, <8 x double> zeroinitializer)
  %t.159 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.158, <8 x i1> %x.156, <8 x double> zeroinitializer)
  %t.160 = fadd <8 x double> %t.157, %t.159
  %t.161 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.149, <8 x i1> %x.156, <8 x double> zeroinitializer)
  %t.162 = fadd <8 x double> %t.160, %t.161
  %t.163 = fmul <8 x double> splat (double 0x3FD555475A31A4BE), %t.162
  call void @llvm.masked.store.v8f64.p0(<8 x double> %t.163, ptr align 8 %x.165, <8 x i1> %x.156)
  br label %done.147
done.147:
  %t.166 = add nsw i64 %i.4, 1
  %t.167 = icmp slt i64 %t.166, %"p.tsteps"
  br i1 %t.167, label %loop.1, label %done.2, !llvm.loop !5
done.2:
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
!3 = distinct !{!3, !1, !2}
!4 = distinct !{!4, !1, !2}
!5 = distinct !{!5, !1, !2}
