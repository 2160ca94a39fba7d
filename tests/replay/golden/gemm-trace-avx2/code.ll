target triple = "x86_64-unknown-linux-gnu"

define internal void @"gemm.parallel.0"(ptr %shared) #0 {
entry:
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
  %x.21 = mul nsw i64 %t.2, -1
  %x.22 = add nsw i64 %x.21, %t.4
  %x.23 = call i64 @llvm.smax.i64(i64 %x.22, i64 0)
  %t.24 = call i32 @omp_get_num_threads()
  %t.25 = sext i32 %t.24 to i64
  %t.26 = call i32 @omp_get_thread_num()
  %t.27 = sext i32 %t.26 to i64
  %t.28 = add nsw i64 %t.27, 1
  %t.29 = mul nsw i64 %x.23, %t.27
  %t.30 = sdiv i64 %t.29, %t.25
  %t.31 = mul nsw i64 %t.30, 1
  %t.32 = add nsw i64 %t.2, %t.31
  %t.33 = mul nsw i64 %x.23, %t.28
  %t.34 = sdiv i64 %t.33, %t.25
  %t.35 = mul nsw i64 %t.34, 1
  %t.36 = add nsw i64 %t.2, %t.35
  %x.39 = icmp slt i64 %t.32, %t.36
  %x.42 = add nsw i64 %t.8, 3
  %x.43 = ashr i64 %x.42, 2
  %x.46 = icmp slt i64 0, %x.43
  %x.67 = icmp slt i64 0, %t.8
  %x.73 = icmp slt i64 0, %t.10
  br i1 %x.39, label %loop.37, label %done.38
loop.37:
  %i.40 = phi i64 [ %t.32, %entry ], [ %t.91, %done.66 ]
  %t.41 = load double, ptr %t.20, align 8, !invariant.load !0
  %x.55 = mul nsw i64 %i.40, %t.8
  %x.56 = getelementptr double, ptr %t.16, i64 %x.55
  br i1 %x.46, label %loop.44, label %done.45
loop.44:
  %i.47 = phi i64 [ 0, %loop.37 ], [ %t.62, %done.52 ]
  %x.48 = mul nsw i64 %i.47, 4
  %x.49 = add nsw i64 %x.48, 4
  %x.50 = call i64 @llvm.smin.i64(i64 %t.8, i64 %x.49)
  %x.53 = icmp slt i64 %x.48, %x.50
  br i1 %x.53, label %loop.51, label %done.52
loop.51:
  %i.54 = phi i64 [ %x.48, %loop.44 ], [ %t.60, %loop.51 ]
  %x.57 = getelementptr double, ptr %x.56, i64 %i.54
  %t.58 = load double, ptr %x.57, align 8
  %t.59 = fmul double %t.58, %t.41
  store double %t.59, ptr %x.57, align 8
  %t.60 = add nsw i64 %i.54, 1
  %t.61 = icmp slt i64 %t.60, %x.50
  br i1 %t.61, label %loop.51, label %done.52, !llvm.loop !3
done.52:
  %t.62 = add nsw i64 %i.47, 1
  %t.63 = icmp slt i64 %t.62, %x.43
  br i1 %t.63, label %loop.44, label %done.45, !llvm.loop !4
done.45:
  %t.64 = load double, ptr %t.18, align 8, !invariant.load !0
  %x.76 = mul nsw i64 %i.40, %t.10
  %x.77 = getelementptr double, ptr %t.12, i64 %x.76
  br i1 %x.67, label %loop.65, label %done.66
loop.65:
  %i.68 = phi i64 [ 0, %done.45 ], [ %t.89, %done.72 ]
  %x.69 = getelementptr double, ptr %x.56, i64 %i.68
  %t.70 = load double, ptr %x.69, align 8
  %x.82 = getelementptr double, ptr %t.14, i64 %i.68
  br i1 %x.73, label %loop.71, label %done.72
loop.71:
  %i.74 = phi i64 [ 0, %loop.65 ], [ %t.86, %loop.71 ]
  %carried.75 = phi double [ %t.70, %loop.65 ], [ %t.85, %loop.71 ]
  %x.78 = getelementptr double, ptr %x.77, i64 %i.74
  %t.79 = load double, ptr %x.78, align 8, !invariant.load !0
  %t.80 = fmul double %t.64, %t.79
  %x.81 = mul nsw i64 %i.74, %t.8
  %x.83 = getelementptr double, ptr %x.82, i64 %x.81
  %t.84 = load double, ptr %x.83, align 8, !invariant.load !0
  %t.85 = call double @llvm.fma.f64(double %t.80, double %t.84, double %carried.75)
  %t.86 = add nsw i64 %i.74, 1
  %t.87 = icmp slt i64 %t.86, %t.10
  br i1 %t.87, label %loop.71, label %done.72, !llvm.loop !5
done.72:
  %t.88 = phi double [ %t.70, %loop.65 ], [ %t.85, %loop.71 ]
  store double %t.88, ptr %x.69, align 8
  %t.89 = add nsw i64 %i.68, 1
  %t.90 = icmp slt i64 %t.89, %t.8
  br i1 %t.90, label %loop.65, label %done.66, !llvm.loop !6
done.66:
  %t.91 = add nsw i64 %i.40, 1
  %t.92 = icmp slt i64 %t.91, %t.36
  br i1 %t.92, label %loop.37, label %done.38, !llvm.loop !7
done.38:
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
!3 = distinct !{!3, !1, !2}
!4 = distinct !{!4, !1, !2}
!5 = distinct !{!5, !1, !2}
!6 = distinct !{!6, !1, !2}
!7 = distinct !{!7, !1, !2}
