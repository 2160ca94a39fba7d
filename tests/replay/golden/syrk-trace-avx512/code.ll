target triple = "x86_64-unknown-linux-gnu"

define internal void @"syrk.parallel.0"(ptr %shared) #0 {
entry:
  %t.1 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr }, ptr %shared, i64 0, i32 0
  %t.2 = load i64, ptr %t.1
  %t.3 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr }, ptr %shared, i64 0, i32 1
  %t.4 = load i64, ptr %t.3
  %t.5 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr }, ptr %shared, i64 0, i32 2
  %t.6 = load i64, ptr %t.5
  %t.7 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr }, ptr %shared, i64 0, i32 3
  %t.8 = load i64, ptr %t.7
  %t.9 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr }, ptr %shared, i64 0, i32 4
  %t.10 = load i64, ptr %t.9
  %t.11 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr }, ptr %shared, i64 0, i32 5
  %t.12 = load ptr, ptr %t.11
  %t.13 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr }, ptr %shared, i64 0, i32 6
  %t.14 = load ptr, ptr %t.13
  %x.15 = mul nsw i64 %t.2, -1
  %x.16 = add nsw i64 %x.15, %t.4
  %x.17 = call i64 @llvm.smax.i64(i64 %x.16, i64 0)
  %t.18 = call i32 @omp_get_num_threads()
  %t.19 = sext i32 %t.18 to i64
  %t.20 = call i32 @omp_get_thread_num()
  %t.21 = sext i32 %t.20 to i64
  %t.22 = add nsw i64 %t.21, 1
  %t.23 = mul nsw i64 %x.17, %t.21
  %t.24 = sdiv i64 %t.23, %t.19
  %t.25 = mul nsw i64 %t.24, 1
  %t.26 = add nsw i64 %t.2, %t.25
  %t.27 = mul nsw i64 %x.17, %t.22
  %t.28 = sdiv i64 %t.27, %t.19
  %t.29 = mul nsw i64 %t.28, 1
  %t.30 = add nsw i64 %t.2, %t.29
  %x.33 = icmp slt i64 %t.26, %t.30
  %x.35 = mul nsw i64 %t.6, %t.8
  %x.36 = getelementptr double, ptr %t.12, i64 %x.35
  %x.40 = getelementptr double, ptr %t.14, i64 %t.6
  br i1 %x.33, label %loop.31, label %done.32
loop.31:
  %i.34 = phi i64 [ %t.26, %entry ], [ %t.42, %loop.31 ]
  %x.37 = getelementptr double, ptr %x.36, i64 %i.34
  %t.38 = load double, ptr %x.37, align 8, !invariant.load !0
  %x.39 = mul nsw i64 %i.34, %t.10
  %x.41 = getelementptr double, ptr %x.40, i64 %x.39
  store double %t.38, ptr %x.41, align 8
  %t.42 = add nsw i64 %i.34, 1
  %t.43 = icmp slt i64 %t.42, %t.30
  br i1 %t.43, label %loop.31, label %done.32, !llvm.loop !4
done.32:
  ret void
}

define void @"syrk"(i64 %"p.n", i64 %"p.m", ptr noalias nocapture noundef readonly align 8 %"a.beta", ptr noalias nocapture noundef align 8 %"a.C", ptr noalias nocapture noundef readonly align 8 %"a.alpha", ptr noalias nocapture noundef readonly align 8 %"a.A") #0 {
entry:
  %shared.10 = alloca { i64, i64, i64, i64, i64, ptr, ptr }, align 64
  %x.1 = mul nsw i64 %"p.m", %"p.n"
  %t.2 = mul i64 %x.1, 8
  %t.3 = add i64 %t.2, 127
  %t.4 = and i64 %t.3, -64
  %local.5 = call noalias ptr @aligned_alloc(i64 64, i64 %t.4)
  %x.8 = icmp slt i64 0, %"p.n"
  br i1 %x.8, label %loop.6, label %done.7
loop.6:
  %i.9 = phi i64 [ 0, %entry ], [ %t.18, %loop.6 ]
  %t.11 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr }, ptr %shared.10, i64 0, i32 0
  store i64 0, ptr %t.11
  %t.12 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr }, ptr %shared.10, i64 0, i32 1
  store i64 %"p.m", ptr %t.12
  %t.13 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr }, ptr %shared.10, i64 0, i32 2
  store i64 %i.9, ptr %t.13
  %t.14 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr }, ptr %shared.10, i64 0, i32 3
  store i64 %"p.m", ptr %t.14
  %t.15 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr }, ptr %shared.10, i64 0, i32 4
  store i64 %"p.n", ptr %t.15
  %t.16 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr }, ptr %shared.10, i64 0, i32 5
  store ptr %"a.A", ptr %t.16
  %t.17 = getelementptr { i64, i64, i64, i64, i64, ptr, ptr }, ptr %shared.10, i64 0, i32 6
  store ptr %local.5, ptr %t.17
  call void @GOMP_parallel(ptr @"syrk.parallel.0", ptr %shared.10, i32 4, i32 0)
  %t.18 = add nsw i64 %i.9, 1
  %t.19 = icmp slt i64 %t.18, %"p.n"
  br i1 %t.19, label %loop.6, label %done.7, !llvm.loop !5
done.7:
  %t.20 = load double, ptr %"a.beta", align 8, !invariant.load !0
  %x.21 = insertelement <8 x double> poison, double %t.20, i64 0
  %x.22 = shufflevector <8 x double> %x.21, <8 x double> poison, <8 x i32> zeroinitializer
  %t.23 = load double, ptr %"a.alpha", align 8, !invariant.load !0
  %x.24 = add nsw i64 %"p.n", 7
  %x.25 = ashr i64 %x.24, 3
  %x.28 = icmp slt i64 0, %x.25
  %x.66 = mul nsw i64 %"p.m", -1
  %x.67 = add nsw i64 %x.66, 1
  %x.70 = icmp slt i64 %x.67, 1
  br i1 %x.28, label %loop.26, label %done.27
loop.26:
  %i.29 = phi i64 [ 0, %done.7 ], [ %t.96, %done.34 ]
  %x.30 = mul nsw i64 %i.29, 8
  %x.31 = add nsw i64 %x.30, 8
  %x.32 = call i64 @llvm.smin.i64(i64 %"p.n", i64 %x.31)
  %x.35 = icmp slt i64 %x.30, %x.32
  br i1 %x.35, label %loop.33, label %done.34
loop.33:
  %i.36 = phi i64 [ %x.30, %loop.26 ], [ %t.94, %done.69 ]
  %x.37 = add nsw i64 %i.36, -6
  %x.40 = icmp slt i64 0, %x.37
  %x.42 = mul nsw i64 %i.36, %"p.n"
  %x.43 = getelementptr double, ptr %"a.C", i64 %x.42
  br i1 %x.40, label %loop.38, label %done.39
loop.38:
  %i.41 = phi i64 [ 0, %loop.33 ], [ %t.47, %loop.38 ]
  %x.44 = getelementptr double, ptr %x.43, i64 %i.41
  %t.45 = load <8 x double>, ptr %x.44, align 8
  %t.46 = fmul <8 x double> %t.45, %x.22
  store <8 x double> %t.46, ptr %x.44, align 8
  %t.47 = add nsw i64 %i.41, 8
  %t.48 = icmp slt i64 %t.47, %x.37
  br i1 %t.48, label %loop.38, label %done.39, !llvm.loop !6
done.39:
  %x.49 = add nsw i64 %i.36, 1
  %x.50 = ashr i64 %x.49, 3
  %x.51 = mul nsw i64 %x.50, 8
  %x.52 = sub nsw i64 %i.36, %x.51
  %x.53 = icmp sge i64 %x.52, 0
  %x.57 = add nsw i64 %x.42, %x.51
  %x.58 = getelementptr double, ptr %"a.C", i64 %x.57
  %x.59 = add nsw i64 %x.52, 1
  %x.60 = trunc i64 %x.59 to i32
  %x.61 = insertelement <8 x i32> poison, i32 %x.60, i64 0
  %x.62 = shufflevector <8 x i32> %x.61, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.63 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.62
  br i1 %x.53, label %then.54, label %done.56
then.54:
  %t.64 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %x.58, <8 x i1> %x.63, <8 x double> zeroinitializer)
  %t.65 = fmul <8 x double> %t.64, %x.22
  call void @llvm.masked.store.v8f64.p0(<8 x double> %t.65, ptr align 8 %x.58, <8 x i1> %x.63)
  br label %done.56
done.56:
  %x.72 = mul nsw i64 %i.36, %"p.m"
  %x.73 = getelementptr double, ptr %"a.A", i64 %x.72
  %x.80 = icmp slt i64 0, %x.49
  br i1 %x.70, label %loop.68, label %done.69
loop.68:
  %i.71 = phi i64 [ %x.67, %done.56 ], [ %t.92, %done.79 ]
  %x.74 = mul nsw i64 %i.71, -1
  %x.75 = getelementptr double, ptr %x.73, i64 %x.74
  %t.76 = load double, ptr %x.75, align 8, !invariant.load !0
  %t.77 = fmul double %t.23, %t.76
  %x.82 = mul nsw i64 %i.71, %"p.n"
  %x.83 = mul nsw i64 %x.82, -1
  %x.84 = getelementptr double, ptr %local.5, i64 %x.83
  br i1 %x.80, label %loop.78, label %done.79
loop.78:
  %i.81 = phi i64 [ 0, %loop.68 ], [ %t.90, %loop.78 ]
  %x.85 = getelementptr double, ptr %x.84, i64 %i.81
  %t.86 = load double, ptr %x.85, align 8
  %x.87 = getelementptr double, ptr %x.43, i64 %i.81
  %t.88 = load double, ptr %x.87, align 8
  %t.89 = call double @llvm.fma.f64(double %t.77, double %t.86, double %t.88)
  store double %t.89, ptr %x.87, align 8
  %t.90 = add nsw i64 %i.81, 1
  %t.91 = icmp slt i64 %t.90, %x.49
  br i1 %t.91, label %loop.78, label %done.79, !llvm.loop !7
done.79:
  %t.92 = add nsw i64 %i.71, 1
  %t.93 = icmp slt i64 %t.92, 1
  br i1 %t.93, label %loop.68, label %done.69, !llvm.loop !8
done.69:
  %t.94 = add nsw i64 %i.36, 1
  %t.95 = icmp slt i64 %t.94, %x.32
  br i1 %t.95, label %loop.33, label %done.34, !llvm.loop !9
done.34:
  %t.96 = add nsw i64 %i.29, 1
  %t.97 = icmp slt i64 %t.96, %x.25
  br i1 %t.97, label %loop.26, label %done.27, !llvm.loop !10
done.27:
  call void @free(ptr %local.5)
  ret void
}

define void @"syrk.call"(ptr %slots) #0 {
  %s0 = getelementptr i64, ptr %slots, i64 0
  %v0 = load i64, ptr %s0, align 8
  %s1 = getelementptr i64, ptr %slots, i64 1
  %v1 = load i64, ptr %s1, align 8
  %s2 = getelementptr i64, ptr %slots, i64 2
  %v2 = load ptr, ptr %s2, align 8
  %s3 = getelementptr i64, ptr %slots, i64 3
  %v3 = load ptr, ptr %s3, align 8
  %s4 = getelementptr i64, ptr %slots, i64 4
  %v4 = load ptr, ptr %s4, align 8
  %s5 = getelementptr i64, ptr %slots, i64 5
  %v5 = load ptr, ptr %s5, align 8
  call void @"syrk"(i64 %v0, i64 %v1, ptr %v2, ptr %v3, ptr %v4, ptr %v5)
  ret void
}

declare i32 @omp_get_num_threads()
declare i32 @omp_get_thread_num()
declare noalias ptr @aligned_alloc(i64, i64) nounwind
declare void @GOMP_parallel(ptr, ptr, i32, i32)
declare void @free(ptr) nounwind
attributes #0 = { nounwind mustprogress "target-cpu"="x86-64-v4" "target-features"="" "prefer-vector-width"="512" }
!0 = !{}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = !{!"llvm.loop.align", i32 64}
!4 = distinct !{!4, !1, !2, !3}
!5 = distinct !{!5, !1, !2}
!6 = distinct !{!6, !1, !2, !3}
!7 = distinct !{!7, !1, !2, !3}
!8 = distinct !{!8, !1, !2}
!9 = distinct !{!9, !1, !2}
!10 = distinct !{!10, !1, !2}
