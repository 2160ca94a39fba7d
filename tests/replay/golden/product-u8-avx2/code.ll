target triple = "x86_64-unknown-linux-gnu"

define void @"product__u8"(ptr noalias nocapture noundef readonly align 1 %"a.A", ptr noalias nocapture noundef readonly align 1 %"a.B", ptr noalias nocapture noundef align 1 %"a.C") #0 {
entry:
  %x.8 = trunc i64 6 to i32
  %x.9 = insertelement <8 x i32> poison, i32 %x.8, i64 0
  %x.10 = shufflevector <8 x i32> %x.9, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.11 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.10
  br label %loop.1
loop.1:
  %i.3 = phi i64 [ 0, %entry ], [ %t.12, %loop.1 ]
  %x.4 = mul nsw i64 %i.3, 70
  %x.5 = getelementptr i8, ptr %"a.C", i64 %x.4
  store <32 x i8> splat (i8 0), ptr %x.5, align 1
  %x.6 = getelementptr i8, ptr %x.5, i64 32
  store <32 x i8> splat (i8 0), ptr %x.6, align 1
  %x.7 = getelementptr i8, ptr %x.5, i64 64
  call void @llvm.masked.store.v8i8.p0(<8 x i8> splat (i8 0), ptr align 1 %x.7, <8 x i1> %x.11)
  %t.12 = add nsw i64 %i.3, 1
  %t.13 = icmp slt i64 %t.12, 50
  br i1 %t.13, label %loop.1, label %done.2, !llvm.loop !3
done.2:
  br label %loop.14
loop.14:
  %i.16 = phi i64 [ 0, %done.2 ], [ %t.88, %done.29 ]
  %x.17 = mul nsw i64 %i.16, 70
  %x.18 = getelementptr i8, ptr %"a.C", i64 %x.17
  %t.19 = load <16 x i8>, ptr %x.18, align 1
  %x.20 = getelementptr i8, ptr %x.18, i64 16
  %t.21 = load <16 x i8>, ptr %x.20, align 1
  %x.22 = getelementptr i8, ptr %x.18, i64 32
  %t.23 = load <16 x i8>, ptr %x.22, align 1
  %x.24 = getelementptr i8, ptr %x.18, i64 48
  %t.25 = load <16 x i8>, ptr %x.24, align 1
  %x.26 = getelementptr i8, ptr %x.18, i64 64
  %t.27 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr align 1 %x.26, <8 x i1> %x.11, <8 x i8> zeroinitializer)
  %x.37 = mul nsw i64 %i.16, 30
  %x.38 = getelementptr i8, ptr %"a.A", i64 %x.37
  br label %loop.28
loop.28:
  %i.30 = phi i64 [ 0, %loop.14 ], [ %t.81, %loop.28 ]
  %carried.31 = phi <16 x i8> [ %t.19, %loop.14 ], [ %c.50, %loop.28 ]
  %carried.32 = phi <16 x i8> [ %t.21, %loop.14 ], [ %c.57, %loop.28 ]
  %carried.33 = phi <16 x i8> [ %t.23, %loop.14 ], [ %c.64, %loop.28 ]
  %carried.34 = phi <16 x i8> [ %t.25, %loop.14 ], [ %c.71, %loop.28 ]
  %carried.35 = phi <8 x i8> [ %t.27, %loop.14 ], [ %c.80, %loop.28 ]
  %c.36 = zext <16 x i8> %carried.31 to <16 x i16>
  %x.39 = getelementptr i8, ptr %x.38, i64 %i.30
  %t.40 = load i8, ptr %x.39, align 1, !invariant.load !0
  %c.41 = zext i8 %t.40 to i16
  %x.42 = mul nsw i64 %i.30, 70
  %x.43 = getelementptr i8, ptr %"a.B", i64 %x.42
  %t.44 = load <16 x i8>, ptr %x.43, align 1, !invariant.load !0
  %c.45 = zext <16 x i8> %t.44 to <16 x i16>
  %x.46 = insertelement <16 x i16> poison, i16 %c.41, i64 0
  %x.47 = shufflevector <16 x i16> %x.46, <16 x i16> poison, <16 x i32> zeroinitializer
  %t.48 = mul <16 x i16> %x.47, %c.45
  %t.49 = add <16 x i16> %c.36, %t.48
  %c.50 = trunc <16 x i16> %t.49 to <16 x i8>
  %c.51 = zext <16 x i8> %carried.32 to <16 x i16>
  %x.52 = getelementptr i8, ptr %x.43, i64 16
  %t.53 = load <16 x i8>, ptr %x.52, align 1, !invariant.load !0
  %c.54 = zext <16 x i8> %t.53 to <16 x i16>
  %t.55 = mul <16 x i16> %x.47, %c.54
  %t.56 = add <16 x i16> %c.51, %t.55
  %c.57 = trunc <16 x i16> %t.56 to <16 x i8>
  %c.58 = zext <16 x i8> %carried.33 to <16 x i16>
  %x.59 = getelementptr i8, ptr %x.43, i64 32
  %t.60 = load <16 x i8>, ptr %x.59, align 1, !invariant.load !0
  %c.61 = zext <16 x i8> %t.60 to <16 x i16>
  %t.62 = mul <16 x i16> %x.47, %c.61
  %t.63 = add <16 x i16> %c.58, %t.62
  %c.64 = trunc <16 x i16> %t.63 to <16 x i8>
  %c.65 = zext <16 x i8> %carried.34 to <16 x i16>
  %x.66 = getelementptr i8, ptr %x.43, i64 48
  %t.67 = load <16 x i8>, ptr %x.66, align 1, !invariant.load !0
  %c.68 = zext <16 x i8> %t.67 to <16 x i16>
  %t.69 = mul <16 x i16> %x.47, %c.68
  %t.70 = add <16 x i16> %c.65, %t.69
  %c.71 = trunc <16 x i16> %t.70 to <16 x i8>
  %c.72 = zext <8 x i8> %carried.35 to <8 x i16>
  %x.73 = getelementptr i8, ptr %x.43, i64 64
  %t.74 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr align 1 %x.73, <8 x i1> %x.11, <8 x i8> zeroinitializer)
  %c.75 = zext <8 x i8> %t.74 to <8 x i16>
  %x.76 = insertelement <8 x i16> poison, i16 %c.41, i64 0
  %x.77 = shufflevector <8 x i16> %x.76, <8 x i16> poison, <8 x i32> zeroinitializer
  %t.78 = mul <8 x i16> %x.77, %c.75
  %t.79 = add <8 x i16> %c.72, %t.78
  %c.80 = trunc <8 x i16> %t.79 to <8 x i8>
  %t.81 = add nsw i64 %i.30, 1
  %t.82 = icmp slt i64 %t.81, 30
  br i1 %t.82, label %loop.28, label %done.29, !llvm.loop !4
done.29:
  %t.83 = phi <16 x i8> [ %c.50, %loop.28 ]
  %t.84 = phi <16 x i8> [ %c.57, %loop.28 ]
  %t.85 = phi <16 x i8> [ %c.64, %loop.28 ]
  %t.86 = phi <16 x i8> [ %c.71, %loop.28 ]
  %t.87 = phi <8 x i8> [ %c.80, %loop.28 ]
  store <16 x i8> %t.83, ptr %x.18, align 1
  store <16 x i8> %t.84, ptr %x.20, align 1
  store <16 x i8> %t.85, ptr %x.22, align 1
  store <16 x i8> %t.86, ptr %x.24, align 1
  call void @llvm.masked.store.v8i8.p0(<8 x i8> %t.87, ptr align 1 %x.26, <8 x i1> %x.11)
  %t.88 = add nsw i64 %i.16, 1
  %t.89 = icmp slt i64 %t.88, 50
  br i1 %t.89, label %loop.14, label %done.15, !llvm.loop !5
done.15:
  ret void
}

define void @"product__u8.call"(ptr %slots) #0 {
  %s0 = getelementptr i64, ptr %slots, i64 0
  %v0 = load ptr, ptr %s0, align 8
  %s1 = getelementptr i64, ptr %slots, i64 1
  %v1 = load ptr, ptr %s1, align 8
  %s2 = getelementptr i64, ptr %slots, i64 2
  %v2 = load ptr, ptr %s2, align 8
  call void @"product__u8"(ptr %v0, ptr %v1, ptr %v2)
  ret void
}

attributes #0 = { nounwind mustprogress "target-cpu"="x86-64-v3" "target-features"="" "prefer-vector-width"="256" }
!0 = !{}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = distinct !{!3, !1, !2}
!4 = distinct !{!4, !1, !2}
!5 = distinct !{!5, !1, !2}
