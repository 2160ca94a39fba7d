target triple = "x86_64-unknown-linux-gnu"

define void @"jacobi_1d"(i64 %"p.tsteps", i64 %"p.n", ptr noalias nocapture noundef align 8 %"a.A", ptr noalias nocapture noundef align 8 %"a.B") #0 {
entry:
  %kept.98 = alloca i32
  %x.3 = icmp slt i64 0, %"p.tsteps"
  %x.5 = icmp sge i64 %"p.n", 10
  %x.35 = add nsw i64 %"p.n", -2
  %x.36 = call i64 @llvm.smax.i64(i64 0, i64 %x.35)
  %x.37 = ashr i64 %x.36, 3
  %x.38 = mul nsw i64 %x.37, 8
  br i1 %x.3, label %loop.1, label %done.2
loop.1:
  %i.4 = phi i64 [ 0, %entry ], [ %t.112, %done.93 ]
  %x.11 = mul nsw i64 %i.4, 2
  %x.12 = add nsw i64 %x.11, 1
  %x.13 = add nsw i64 %"p.n", %x.11
  %x.14 = add nsw i64 %x.13, -8
  %x.17 = icmp slt i64 %x.12, %x.14
  %x.20 = mul nsw i64 %i.4, -2
  %x.21 = getelementptr double, ptr %"a.A", i64 %x.20
  %x.30 = getelementptr double, ptr %"a.B", i64 %x.20
  br i1 %x.5, label %then.6, label %done.8
then.6:
  %t.9 = load <8 x double>, ptr %"a.A", align 8
  %t.10 = shufflevector <8 x double> %t.9, <8 x double> %t.9, <8 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 1>
  br i1 %x.17, label %loop.15, label %done.16
loop.15:
  %i.18 = phi i64 [ %x.12, %then.6 ], [ %t.32, %loop.15 ]
  %carried.19 = phi <8 x double> [ %t.10, %then.6 ], [ %t.24, %loop.15 ]
  %x.22 = getelementptr double, ptr %x.21, i64 %i.18
  %x.23 = getelementptr double, ptr %x.22, i64 1
  %t.24 = load <8 x double>, ptr %x.23, align 8
  %t.25 = shufflevector <8 x double> %carried.19, <8 x double> %t.24, <8 x i32> <i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13>
  %t.26 = shufflevector <8 x double> %carried.19, <8 x double> %t.24, <8 x i32> <i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14>
  %t.27 = fadd <8 x double> %t.25, %t.26
  %t.28 = fadd <8 x double> %t.27, %t.24
  %t.29 = fmul <8 x double> splat (double 0x3FD555475A31A4BE), %t.28
  %x.31 = getelementptr double, ptr %x.30, i64 %i.18
  store <8 x double> %t.29, ptr %x.31, align 8
  %t.32 = add nsw i64 %i.18, 8
  %t.33 = icmp slt i64 %t.32, %x.14
  br i1 %t.33, label %loop.15, label %done.16, !llvm.loop !3
done.16:
  %t.34 = phi <8 x double> [ %t.10, %then.6 ], [ %t.24, %loop.15 ]
  br label %done.8
done.8:
  %x.39 = add nsw i64 %x.38, %x.11
  %x.40 = add nsw i64 %x.39, 1
  %x.41 = sub nsw i64 %"p.n", %x.40
  %x.42 = add nsw i64 %x.41, %x.11
  %x.43 = icmp sge i64 %x.42, 2
  %x.47 = sub nsw i64 %x.40, %x.11
  %x.48 = getelementptr double, ptr %"a.A", i64 %x.47
  %x.49 = getelementptr double, ptr %x.48, i64 -1
  %x.50 = add nsw i64 %x.42, -1
  %x.51 = trunc i64 %x.50 to i32
  %x.52 = insertelement <8 x i32> poison, i32 %x.51, i64 0
  %x.53 = shufflevector <8 x i32> %x.52, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.54 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.53
  %x.58 = getelementptr double, ptr %x.48, i64 1
  %x.62 = getelementptr double, ptr %"a.B", i64 %x.47
  br i1 %x.43, label %then.44, label %done.46
then.44:
  %t.55 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.49, <8 x i1> %x.54, <8 x double> zeroinitializer)
  %t.56 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.48, <8 x i1> %x.54, <8 x double> zeroinitializer)
  %t.57 = fadd <8 x double> %t.55, %t.56
  %t.59 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.58, <8 x i1> %x.54, <8 x double> zeroinitializer)
  %t.60 = fadd <8 x double> %t.57, %t.59
  %t.61 = fmul <8 x double> splat (double 0x3FD555475A31A4BE), %t.60
  call void @llvm.masked.store.v8f64.p0(<8 x double> %t.61, ptr align 8 %x.62, <8 x i1> %x.54)
  br label %done.46
done.46:
  %x.68 = add nsw i64 %x.11, 2
  %x.69 = add nsw i64 %x.13, -7
  %x.72 = icmp slt i64 %x.68, %x.69
  br i1 %x.5, label %then.63, label %done.65
then.63:
  %t.66 = load <8 x double>, ptr %"a.B", align 8
  %t.67 = shufflevector <8 x double> %t.66, <8 x double> %t.66, <8 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 1>
  br i1 %x.72, label %loop.70, label %done.71
loop.70:
  %i.73 = phi i64 [ %x.68, %then.63 ], [ %t.84, %loop.70 ]
  %carried.74 = phi <8 x double> [ %t.67, %then.63 ], [ %t.76, %loop.70 ]
  %x.75 = getelementptr double, ptr %x.30, i64 %i.73
  %t.76 = load <8 x double>, ptr %x.75, align 8
  %t.77 = shufflevector <8 x double> %carried.74, <8 x double> %t.76, <8 x i32> <i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13>
  %t.78 = shufflevector <8 x double> %carried.74, <8 x double> %t.76, <8 x i32> <i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14>
  %t.79 = fadd <8 x double> %t.77, %t.78
  %t.80 = fadd <8 x double> %t.79, %t.76
  %t.81 = fmul <8 x double> splat (double 0x3FD555475A31A4BE), %t.80
  %x.82 = getelementptr double, ptr %x.21, i64 %i.73
  %x.83 = getelementptr double, ptr %x.82, i64 -1
  store <8 x double> %t.81, ptr %x.83, align 8
  %t.84 = add nsw i64 %i.73, 8
  %t.85 = icmp slt i64 %t.84, %x.69
  br i1 %t.85, label %loop.70, label %done.71, !llvm.loop !4
done.71:
  %t.86 = phi <8 x double> [ %t.67, %then.63 ], [ %t.76, %loop.70 ]
  br label %done.65
done.65:
  %x.87 = add nsw i64 %x.39, 2
  %x.88 = sub nsw i64 %"p.n", %x.87
  %x.89 = add nsw i64 %x.88, %x.11
  %x.90 = icmp sge i64 %x.89, 1
  %x.94 = sub nsw i64 %x.87, %x.11
  %x.95 = getelementptr double, ptr %"a.B", i64 %x.94
  %x.96 = getelementptr double, ptr %x.95, i64 -2
  %x.97 = trunc i64 %x.89 to i32
  store i32 %x.97, ptr %kept.98
  %x.104 = getelementptr double, ptr %x.95, i64 -1
  %x.110 = getelementptr double, ptr %"a.A", i64 %x.94
  %x.111 = getelementptr double, ptr %x.110, i64 -1
  br i1 %x.90, label %then.91, label %done.93
then.91:
  %x.99 = load volatile i32, ptr %kept.98
  %x.100 = insertelement <8 x i32> poison, i32 %x.99, i64 0
  %x.101 = shufflevector <8 x i32> %x.100, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.102 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.101
  %t.103 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.96, <8 x i1> %x.102, <8 x double> zeroinitializer)
  %t.105 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.104, <8 x i1> %x.102, <8 x double> zeroinitializer)
  %t.106 = fadd <8 x double> %t.103, %t.105
  %t.107 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.95, <8 x i1> %x.102, <8 x double> zeroinitializer)
  %t.108 = fadd <8 x double> %t.106, %t.107
  %t.109 = fmul <8 x double> splat (double 0x3FD555475A31A4BE), %t.108
  call void @llvm.masked.store.v8f64.p0(<8 x double> %t.109, ptr align 8 %x.111, <8 x i1> %x.102)
  br label %done.93
done.93:
  %t.112 = add nsw i64 %i.4, 1
  %t.113 = icmp slt i64 %t.112, %"p.tsteps"
  br i1 %t.113, label %loop.1, label %done.2, !llvm.loop !5
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
