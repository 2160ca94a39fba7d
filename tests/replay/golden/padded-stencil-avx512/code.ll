target triple = "x86_64-unknown-linux-gnu"

define void @"padded_stencil"(ptr noalias nocapture noundef readonly align 4 %"a.I", ptr noalias nocapture noundef align 4 %"a.S") #0 {
entry:
  %local.1 = alloca [1230 x float], align 64
  %local.2 = alloca [1230 x float], align 64
  %x.10 = trunc i64 9 to i32
  %x.11 = insertelement <16 x i32> poison, i32 %x.10, i64 0
  %x.12 = shufflevector <16 x i32> %x.11, <16 x i32> poison, <16 x i32> zeroinitializer
  %x.13 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %x.12
  br label %loop.3
loop.3:
  %i.5 = phi i64 [ 0, %entry ], [ %t.14, %loop.3 ]
  %x.6 = mul nsw i64 %i.5, 41
  %x.7 = getelementptr float, ptr %local.1, i64 %x.6
  store <16 x float> splat (float 0x0000000000000000), ptr %x.7, align 4
  %x.8 = getelementptr float, ptr %x.7, i64 16
  store <16 x float> splat (float 0x0000000000000000), ptr %x.8, align 4
  %x.9 = getelementptr float, ptr %x.7, i64 32
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr align 4 %x.9, <16 x i1> %x.13)
  %t.14 = add nsw i64 %i.5, 1
  %t.15 = icmp slt i64 %t.14, 30
  br i1 %t.15, label %loop.3, label %done.4, !llvm.loop !3
done.4:
  br label %loop.16
loop.16:
  %i.18 = phi i64 [ 1, %done.4 ], [ %t.30, %loop.16 ]
  %x.19 = mul nsw i64 %i.18, 41
  %x.20 = getelementptr float, ptr %"a.I", i64 %x.19
  %x.21 = getelementptr float, ptr %x.20, i64 -41
  %t.22 = load <16 x float>, ptr %x.21, align 4, !invariant.load !0
  %x.23 = getelementptr float, ptr %local.1, i64 %x.19
  store <16 x float> %t.22, ptr %x.23, align 4
  %x.24 = getelementptr float, ptr %x.20, i64 -25
  %t.25 = load <16 x float>, ptr %x.24, align 4, !invariant.load !0
  %x.26 = getelementptr float, ptr %x.23, i64 16
  store <16 x float> %t.25, ptr %x.26, align 4
  %x.27 = getelementptr float, ptr %x.20, i64 -9
  %t.28 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.27, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.29 = getelementptr float, ptr %x.23, i64 32
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.28, ptr align 4 %x.29, <16 x i1> %x.13)
  %t.30 = add nsw i64 %i.18, 1
  %t.31 = icmp slt i64 %t.30, 30
  br i1 %t.31, label %loop.16, label %done.17, !llvm.loop !4
done.17:
  br label %loop.32
loop.32:
  %i.34 = phi i64 [ 0, %done.17 ], [ %t.39, %loop.32 ]
  %x.35 = mul nsw i64 %i.34, 41
  %x.36 = getelementptr float, ptr %local.2, i64 %x.35
  store <16 x float> splat (float 0x0000000000000000), ptr %x.36, align 4
  %x.37 = getelementptr float, ptr %x.36, i64 16
  store <16 x float> splat (float 0x0000000000000000), ptr %x.37, align 4
  %x.38 = getelementptr float, ptr %x.36, i64 32
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr align 4 %x.38, <16 x i1> %x.13)
  %t.39 = add nsw i64 %i.34, 1
  %t.40 = icmp slt i64 %t.39, 30
  br i1 %t.40, label %loop.32, label %done.33, !llvm.loop !5
done.33:
  br label %loop.41
loop.41:
  %i.43 = phi i64 [ 0, %done.33 ], [ %t.55, %loop.41 ]
  %x.44 = mul nsw i64 %i.43, 41
  %x.45 = getelementptr float, ptr %"a.I", i64 %x.44
  %x.46 = getelementptr float, ptr %x.45, i64 41
  %t.47 = load <16 x float>, ptr %x.46, align 4, !invariant.load !0
  %x.48 = getelementptr float, ptr %local.2, i64 %x.44
  store <16 x float> %t.47, ptr %x.48, align 4
  %x.49 = getelementptr float, ptr %x.45, i64 57
  %t.50 = load <16 x float>, ptr %x.49, align 4, !invariant.load !0
  %x.51 = getelementptr float, ptr %x.48, i64 16
  store <16 x float> %t.50, ptr %x.51, align 4
  %x.52 = getelementptr float, ptr %x.45, i64 73
  %t.53 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.52, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.54 = getelementptr float, ptr %x.48, i64 32
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.53, ptr align 4 %x.54, <16 x i1> %x.13)
  %t.55 = add nsw i64 %i.43, 1
  %t.56 = icmp slt i64 %t.55, 29
  br i1 %t.56, label %loop.41, label %done.42, !llvm.loop !6
done.42:
  br label %loop.57
loop.57:
  %i.59 = phi i64 [ 0, %done.42 ], [ %t.79, %loop.57 ]
  %x.60 = mul nsw i64 %i.59, 41
  %x.61 = getelementptr float, ptr %local.1, i64 %x.60
  %t.62 = load <16 x float>, ptr %x.61, align 4
  %x.63 = getelementptr float, ptr %local.2, i64 %x.60
  %t.64 = load <16 x float>, ptr %x.63, align 4
  %t.65 = fadd <16 x float> %t.62, %t.64
  %x.66 = getelementptr float, ptr %"a.S", i64 %x.60
  store <16 x float> %t.65, ptr %x.66, align 4
  %x.67 = getelementptr float, ptr %x.61, i64 16
  %t.68 = load <16 x float>, ptr %x.67, align 4
  %x.69 = getelementptr float, ptr %x.63, i64 16
  %t.70 = load <16 x float>, ptr %x.69, align 4
  %t.71 = fadd <16 x float> %t.68, %t.70
  %x.72 = getelementptr float, ptr %x.66, i64 16
  store <16 x float> %t.71, ptr %x.72, align 4
  %x.73 = getelementptr float, ptr %x.61, i64 32
  %t.74 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.73, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.75 = getelementptr float, ptr %x.63, i64 32
  %t.76 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.75, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %t.77 = fadd <16 x float> %t.74, %t.76
  %x.78 = getelementptr float, ptr %x.66, i64 32
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.77, ptr align 4 %x.78, <16 x i1> %x.13)
  %t.79 = add nsw i64 %i.59, 1
  %t.80 = icmp slt i64 %t.79, 30
  br i1 %t.80, label %loop.57, label %done.58, !llvm.loop !7
done.58:
  ret void
}

define void @"padded_stencil.call"(ptr %slots) #0 {
  %s0 = getelementptr i64, ptr %slots, i64 0
  %v0 = load ptr, ptr %s0, align 8
  %s1 = getelementptr i64, ptr %slots, i64 1
  %v1 = load ptr, ptr %s1, align 8
  call void @"padded_stencil"(ptr %v0, ptr %v1)
  ret void
}

attributes #0 = { nounwind mustprogress "target-cpu"="x86-64-v4" "target-features"="" "prefer-vector-width"="512" }
!0 = !{}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = distinct !{!3, !1, !2}
!4 = distinct !{!4, !1, !2}
!5 = distinct !{!5, !1, !2}
!6 = distinct !{!6, !1, !2}
!7 = distinct !{!7, !1, !2}
