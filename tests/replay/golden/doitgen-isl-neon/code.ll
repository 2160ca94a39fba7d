target triple = "aarch64-unknown-linux-gnu"

define void @"doitgen"(i64 %"p.nr", i64 %"p.nq", i64 %"p.np", ptr noalias nocapture noundef align 8 %"a.sum", ptr noalias nocapture noundef align 8 %"a.A", ptr noalias nocapture noundef readonly align 8 %"a.C4") #0 {
entry:
  %kept.26 = alloca i32
  %x.3 = icmp slt i64 0, %"p.nr"
  %x.7 = icmp slt i64 0, %"p.nq"
  %x.9 = add nsw i64 %"p.np", -1
  %x.12 = icmp slt i64 0, %x.9
  %x.17 = ashr i64 %"p.np", 1
  %x.18 = mul nsw i64 %x.17, 2
  %x.19 = sub nsw i64 %"p.np", %x.18
  %x.20 = icmp sge i64 %x.19, 1
  %x.24 = getelementptr double, ptr %"a.sum", i64 %x.18
  %x.25 = trunc i64 %x.19 to i32
  store i32 %x.25, ptr %kept.26
  %x.33 = icmp slt i64 0, %"p.np"
  %x.35 = mul nsw i64 %"p.np", %"p.nq"
  %x.59 = getelementptr double, ptr %"a.C4", i64 %x.18
  %x.86 = getelementptr double, ptr %"a.A", i64 %x.18
  br i1 %x.3, label %loop.1, label %done.2
loop.1:
  %i.4 = phi i64 [ 0, %entry ], [ %t.91, %done.6 ]
  %x.36 = mul nsw i64 %i.4, %x.35
  %x.38 = getelementptr double, ptr %"a.A", i64 %x.36
  %x.87 = getelementptr double, ptr %x.86, i64 %x.36
  br i1 %x.7, label %loop.5, label %done.6
loop.5:
  %i.8 = phi i64 [ 0, %loop.1 ], [ %t.89, %done.80 ]
  br i1 %x.12, label %loop.10, label %done.11
loop.10:
  %i.13 = phi i64 [ 0, %loop.5 ], [ %t.15, %loop.10 ]
  %x.14 = getelementptr double, ptr %"a.sum", i64 %i.13
  store <2 x double> splat (double 0x0000000000000000), ptr %x.14, align 8
  %t.15 = add nsw i64 %i.13, 2
  %t.16 = icmp slt i64 %t.15, %x.9
  br i1 %t.16, label %loop.10, label %done.11, !llvm.loop !3
done.11:
  br i1 %x.20, label %then.21, label %done.23
then.21:
  %x.27 = load volatile i32, ptr %kept.26
  %x.28 = insertelement <2 x i32> poison, i32 %x.27, i64 0
  %x.29 = shufflevector <2 x i32> %x.28, <2 x i32> poison, <2 x i32> zeroinitializer
  %x.30 = icmp slt <2 x i32> <i32 0, i32 1>, %x.29
  call void @llvm.masked.store.v2f64.p0(<2 x double> splat (double 0x0000000000000000), ptr align 8 %x.24, <2 x i1> %x.30)
  br label %done.23
done.23:
  %x.37 = mul nsw i64 %i.8, %"p.np"
  %x.39 = getelementptr double, ptr %x.38, i64 %x.37
  br i1 %x.33, label %loop.31, label %done.32
loop.31:
  %i.34 = phi i64 [ 0, %done.23 ], [ %t.68, %done.58 ]
  %x.40 = getelementptr double, ptr %x.39, i64 %i.34
  %t.41 = load double, ptr %x.40, align 8
  %x.42 = insertelement <2 x double> poison, double %t.41, i64 0
  %x.43 = shufflevector <2 x double> %x.42, <2 x double> poison, <2 x i32> zeroinitializer
  %x.47 = mul nsw i64 %i.34, %"p.np"
  %x.48 = getelementptr double, ptr %"a.C4", i64 %x.47
  br i1 %x.12, label %loop.44, label %done.45
loop.44:
  %i.46 = phi i64 [ 0, %loop.31 ], [ %t.54, %loop.44 ]
  %x.49 = getelementptr double, ptr %x.48, i64 %i.46
  %t.50 = load <2 x double>, ptr %x.49, align 8, !invariant.load !0
  %x.51 = getelementptr double, ptr %"a.sum", i64 %i.46
  %t.52 = load <2 x double>, ptr %x.51, align 8
  %t.53 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.43, <2 x double> %t.50, <2 x double> %t.52)
  store <2 x double> %t.53, ptr %x.51, align 8
  %t.54 = add nsw i64 %i.46, 2
  %t.55 = icmp slt i64 %t.54, %x.9
  br i1 %t.55, label %loop.44, label %done.45, !llvm.loop !4
done.45:
  %x.60 = getelementptr double, ptr %x.59, i64 %x.47
  br i1 %x.20, label %then.56, label %done.58
then.56:
  %x.61 = load volatile i32, ptr %kept.26
  %x.62 = insertelement <2 x i32> poison, i32 %x.61, i64 0
  %x.63 = shufflevector <2 x i32> %x.62, <2 x i32> poison, <2 x i32> zeroinitializer
  %x.64 = icmp slt <2 x i32> <i32 0, i32 1>, %x.63
  %t.65 = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %x.60, <2 x i1> %x.64, <2 x double> zeroinitializer)
  %t.66 = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %x.24, <2 x i1> %x.64, <2 x double> zeroinitializer)
  %t.67 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.43, <2 x double> %t.65, <2 x double> %t.66)
  call void @llvm.masked.store.v2f64.p0(<2 x double> %t.67, ptr align 8 %x.24, <2 x i1> %x.64)
  br label %done.58
done.58:
  %t.68 = add nsw i64 %i.34, 1
  %t.69 = icmp slt i64 %t.68, %"p.np"
  br i1 %t.69, label %loop.31, label %done.32, !llvm.loop !5
done.32:
  br i1 %x.12, label %loop.70, label %done.71
loop.70:
  %i.72 = phi i64 [ 0, %done.32 ], [ %t.76, %loop.70 ]
  %x.73 = getelementptr double, ptr %"a.sum", i64 %i.72
  %t.74 = load <2 x double>, ptr %x.73, align 8
  %x.75 = getelementptr double, ptr %x.39, i64 %i.72
  store <2 x double> %t.74, ptr %x.75, align 8
  %t.76 = add nsw i64 %i.72, 2
  %t.77 = icmp slt i64 %t.76, %x.9
  br i1 %t.77, label %loop.70, label %done.71, !llvm.loop !6
done.71:
  %x.88 = getelementptr double, ptr %x.87, i64 %x.37
  br i1 %x.20, label %then.78, label %done.80
then.78:
  %x.81 = load volatile i32, ptr %kept.26
  %x.82 = insertelement <2 x i32> poison, i32 %x.81, i64 0
  %x.83 = shufflevector <2 x i32> %x.82, <2 x i32> poison, <2 x i32> zeroinitializer
  %x.84 = icmp slt <2 x i32> <i32 0, i32 1>, %x.83
  %t.85 = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %x.24, <2 x i1> %x.84, <2 x double> zeroinitializer)
  call void @llvm.masked.store.v2f64.p0(<2 x double> %t.85, ptr align 8 %x.88, <2 x i1> %x.84)
  br label %done.80
done.80:
  %t.89 = add nsw i64 %i.8, 1
  %t.90 = icmp slt i64 %t.89, %"p.nq"
  br i1 %t.90, label %loop.5, label %done.6, !llvm.loop !7
done.6:
  %t.91 = add nsw i64 %i.4, 1
  %t.92 = icmp slt i64 %t.91, %"p.nr"
  br i1 %t.92, label %loop.1, label %done.2, !llvm.loop !8
done.2:
  ret void
}

define void @"doitgen.call"(ptr %slots) #0 {
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
  call void @"doitgen"(i64 %v0, i64 %v1, i64 %v2, ptr %v3, ptr %v4, ptr %v5)
  ret void
}

attributes #0 = { nounwind mustprogress "target-cpu"="cortex-a76" "target-features"="" "prefer-vector-width"="128" }
!0 = !{}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = distinct !{!3, !1, !2}
!4 = distinct !{!4, !1, !2}
!5 = distinct !{!5, !1, !2}
!6 = distinct !{!6, !1, !2}
!7 = distinct !{!7, !1, !2}
!8 = distinct !{!8, !1, !2}
