target triple = "x86_64-unknown-linux-gnu"

define void @"product__u8"(ptr noalias nocapture noundef readonly align 1 %"a.A", ptr noalias nocapture noundef readonly align 1 %"a.B", ptr noalias nocapture noundef align 1 %"a.C") #0 {
entry:
  %kept.54 = alloca i32
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
  %x.45 = mul nsw i64 64, -1
  %x.46 = icmp sge i64 %x.45, -69
  %x.50 = getelementptr i8, ptr %"a.C", i64 64
  %x.52 = add nsw i64 %x.45, 70
  %x.53 = trunc i64 %x.52 to i32
  store i32 %x.53, ptr %kept.54
  %x.61 = getelementptr i8, ptr %"a.B", i64 64
  br label %loop.14
loop.14:
  %i.16 = phi i64 [ 0, %done.2 ], [ %t.70, %done.18 ]
  %x.20 = mul nsw i64 %i.16, 30
  %x.21 = getelementptr i8, ptr %"a.A", i64 %x.20
  %x.30 = mul nsw i64 %i.16, 70
  %x.31 = getelementptr i8, ptr %"a.C", i64 %x.30
  %x.51 = getelementptr i8, ptr %x.50, i64 %x.30
  br label %loop.17
loop.17:
  %i.19 = phi i64 [ 0, %loop.14 ], [ %t.68, %done.49 ]
  %x.22 = getelementptr i8, ptr %x.21, i64 %i.19
  %t.23 = load i8, ptr %x.22, align 1, !invariant.load !0
  %c.24 = zext i8 %t.23 to i32
  %x.25 = insertelement <8 x i32> poison, i32 %c.24, i64 0
  %x.26 = shufflevector <8 x i32> %x.25, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.35 = mul nsw i64 %i.19, 70
  %x.36 = getelementptr i8, ptr %"a.B", i64 %x.35
  br label %loop.27
loop.27:
  %i.29 = phi i64 [ 0, %loop.17 ], [ %t.43, %loop.27 ]
  %x.32 = getelementptr i8, ptr %x.31, i64 %i.29
  %t.33 = load <8 x i8>, ptr %x.32, align 1
  %c.34 = zext <8 x i8> %t.33 to <8 x i32>
  %x.37 = getelementptr i8, ptr %x.36, i64 %i.29
  %t.38 = load <8 x i8>, ptr %x.37, align 1, !invariant.load !0
  %c.39 = zext <8 x i8> %t.38 to <8 x i32>
  %t.40 = mul nsw <8 x i32> %x.26, %c.39
  %t.41 = add nsw <8 x i32> %c.34, %t.40
  %c.42 = trunc <8 x i32> %t.41 to <8 x i8>
  store <8 x i8> %c.42, ptr %x.32, align 1
  %t.43 = add nsw i64 %i.29, 8
  %t.44 = icmp slt i64 %t.43, 63
  br i1 %t.44, label %loop.27, label %done.28, !llvm.loop !4
done.28:
  %x.62 = getelementptr i8, ptr %x.61, i64 %x.35
  br i1 %x.46, label %then.47, label %done.49
then.47:
  %x.55 = load volatile i32, ptr %kept.54
  %x.56 = insertelement <8 x i32> poison, i32 %x.55, i64 0
  %x.57 = shufflevector <8 x i32> %x.56, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.58 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.57
  %t.59 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr align 1 %x.51, <8 x i1> %x.58, <8 x i8> zeroinitializer)
  %c.60 = zext <8 x i8> %t.59 to <8 x i32>
  %t.63 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr align 1 %x.62, <8 x i1> %x.58, <8 x i8> zeroinitializer)
  %c.64 = zext <8 x i8> %t.63 to <8 x i32>
  %t.65 = mul nsw <8 x i32> %x.26, %c.64
  %t.66 = add nsw <8 x i32> %c.60, %t.65
  %c.67 = trunc <8 x i32> %t.66 to <8 x i8>
  call void @llvm.masked.store.v8i8.p0(<8 x i8> %c.67, ptr align 1 %x.51, <8 x i1> %x.58)
  br label %done.49
done.49:
  %t.68 = add nsw i64 %i.19, 1
  %t.69 = icmp slt i64 %t.68, 30
  br i1 %t.69, label %loop.17, label %done.18, !llvm.loop !5
done.18:
  %t.70 = add nsw i64 %i.16, 1
  %t.71 = icmp slt i64 %t.70, 50
  br i1 %t.71, label %loop.14, label %done.15, !llvm.loop !6
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
!6 = distinct !{!6, !1, !2}
