target triple = "x86_64-unknown-linux-gnu"

define void @"product__u8"(ptr noalias nocapture noundef readonly align 1 %"a.A", ptr noalias nocapture noundef readonly align 1 %"a.B", ptr noalias nocapture noundef align 1 %"a.C") #0 {
entry:
  %x.8 = trunc i64 6 to i32
  %x.9 = insertelement <8 x i32> poison, i32 %x.8, i64 0
  %x.10 = shufflevector <8 x i32> %x.9, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.11 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.10
  br label %loop.1
loop.1:
  %i.3 = phi i64 [ 0, %entry ], [ %t.21, %loop.1 ]
  %x.4 = mul nsw i64 %i.3, 70
  %x.5 = getelementptr i8, ptr %"a.C", i64 %x.4
  store <32 x i8> splat (i8 0), ptr %x.5, align 1
  %x.6 = getelementptr i8, ptr %x.5, i64 32
  store <32 x i8> splat (i8 0), ptr %x.6, align 1
  %x.7 = getelementptr i8, ptr %x.5, i64 64
  call void @llvm.masked.store.v8i8.p0(<8 x i8> splat (i8 0), ptr align 1 %x.7, <8 x i1> %x.11)
  call void asm sideeffect "", ""()
  %x.12 = getelementptr i8, ptr %x.5, i64 70
  store <32 x i8> splat (i8 0), ptr %x.12, align 1
  %x.13 = getelementptr i8, ptr %x.5, i64 102
  store <32 x i8> splat (i8 0), ptr %x.13, align 1
  %x.14 = getelementptr i8, ptr %x.5, i64 134
  call void @llvm.masked.store.v8i8.p0(<8 x i8> splat (i8 0), ptr align 1 %x.14, <8 x i1> %x.11)
  call void asm sideeffect "", ""()
  %x.15 = getelementptr i8, ptr %x.5, i64 140
  store <32 x i8> splat (i8 0), ptr %x.15, align 1
  %x.16 = getelementptr i8, ptr %x.5, i64 172
  store <32 x i8> splat (i8 0), ptr %x.16, align 1
  %x.17 = getelementptr i8, ptr %x.5, i64 204
  call void @llvm.masked.store.v8i8.p0(<8 x i8> splat (i8 0), ptr align 1 %x.17, <8 x i1> %x.11)
  call void asm sideeffect "", ""()
  %x.18 = getelementptr i8, ptr %x.5, i64 210
  store <32 x i8> splat (i8 0), ptr %x.18, align 1
  %x.19 = getelementptr i8, ptr %x.5, i64 242
  store <32 x i8> splat (i8 0), ptr %x.19, align 1
  %x.20 = getelementptr i8, ptr %x.5, i64 274
  call void @llvm.masked.store.v8i8.p0(<8 x i8> splat (i8 0), ptr align 1 %x.20, <8 x i1> %x.11)
  %t.21 = add nsw i64 %i.3, 4
  %t.22 = icmp slt i64 %t.21, 48
  br i1 %t.22, label %loop.1, label %done.2, !llvm.loop !4
done.2:
  br label %loop.23
loop.23:
  %i.25 = phi i64 [ 48, %done.2 ], [ %t.30, %loop.23 ]
  %x.26 = mul nsw i64 %i.25, 70
  %x.27 = getelementptr i8, ptr %"a.C", i64 %x.26
  store <32 x i8> splat (i8 0), ptr %x.27, align 1
  %x.28 = getelementptr i8, ptr %x.27, i64 32
  store <32 x i8> splat (i8 0), ptr %x.28, align 1
  %x.29 = getelementptr i8, ptr %x.27, i64 64
  call void @llvm.masked.store.v8i8.p0(<8 x i8> splat (i8 0), ptr align 1 %x.29, <8 x i1> %x.11)
  %t.30 = add nsw i64 %i.25, 1
  %t.31 = icmp slt i64 %t.30, 50
  br i1 %t.31, label %loop.23, label %done.24, !llvm.loop !5
done.24:
  br label %loop.32
loop.32:
  %i.34 = phi i64 [ 0, %done.24 ], [ %t.106, %done.47 ]
  %x.35 = mul nsw i64 %i.34, 70
  %x.36 = getelementptr i8, ptr %"a.C", i64 %x.35
  %t.37 = load <16 x i8>, ptr %x.36, align 1
  %x.38 = getelementptr i8, ptr %x.36, i64 16
  %t.39 = load <16 x i8>, ptr %x.38, align 1
  %x.40 = getelementptr i8, ptr %x.36, i64 32
  %t.41 = load <16 x i8>, ptr %x.40, align 1
  %x.42 = getelementptr i8, ptr %x.36, i64 48
  %t.43 = load <16 x i8>, ptr %x.42, align 1
  %x.44 = getelementptr i8, ptr %x.36, i64 64
  %t.45 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr align 1 %x.44, <8 x i1> %x.11, <8 x i8> zeroinitializer)
  %x.55 = mul nsw i64 %i.34, 30
  %x.56 = getelementptr i8, ptr %"a.A", i64 %x.55
  br label %loop.46
loop.46:
  %i.48 = phi i64 [ 0, %loop.32 ], [ %t.99, %loop.46 ]
  %carried.49 = phi <16 x i8> [ %t.37, %loop.32 ], [ %c.68, %loop.46 ]
  %carried.50 = phi <16 x i8> [ %t.39, %loop.32 ], [ %c.75, %loop.46 ]
  %carried.51 = phi <16 x i8> [ %t.41, %loop.32 ], [ %c.82, %loop.46 ]
  %carried.52 = phi <16 x i8> [ %t.43, %loop.32 ], [ %c.89, %loop.46 ]
  %carried.53 = phi <8 x i8> [ %t.45, %loop.32 ], [ %c.98, %loop.46 ]
  %c.54 = zext <16 x i8> %carried.49 to <16 x i16>
  %x.57 = getelementptr i8, ptr %x.56, i64 %i.48
  %t.58 = load i8, ptr %x.57, align 1, !invariant.load !0
  %c.59 = zext i8 %t.58 to i16
  %x.60 = mul nsw i64 %i.48, 70
  %x.61 = getelementptr i8, ptr %"a.B", i64 %x.60
  %t.62 = load <16 x i8>, ptr %x.61, align 1, !invariant.load !0
  %c.63 = zext <16 x i8> %t.62 to <16 x i16>
  %x.64 = insertelement <16 x i16> poison, i16 %c.59, i64 0
  %x.65 = shufflevector <16 x i16> %x.64, <16 x i16> poison, <16 x i32> zeroinitializer
  %t.66 = mul <16 x i16> %x.65, %c.63
  %t.67 = add <16 x i16> %c.54, %t.66
  %c.68 = trunc <16 x i16> %t.67 to <16 x i8>
  %c.69 = zext <16 x i8> %carried.50 to <16 x i16>
  %x.70 = getelementptr i8, ptr %x.61, i64 16
  %t.71 = load <16 x i8>, ptr %x.70, align 1, !invariant.load !0
  %c.72 = zext <16 x i8> %t.71 to <16 x i16>
  %t.73 = mul <16 x i16> %x.65, %c.72
  %t.74 = add <16 x i16> %c.69, %t.73
  %c.75 = trunc <16 x i16> %t.74 to <16 x i8>
  %c.76 = zext <16 x i8> %carried.51 to <16 x i16>
  %x.77 = getelementptr i8, ptr %x.61, i64 32
  %t.78 = load <16 x i8>, ptr %x.77, align 1, !invariant.load !0
  %c.79 = zext <16 x i8> %t.78 to <16 x i16>
  %t.80 = mul <16 x i16> %x.65, %c.79
  %t.81 = add <16 x i16> %c.76, %t.80
  %c.82 = trunc <16 x i16> %t.81 to <16 x i8>
  %c.83 = zext <16 x i8> %carried.52 to <16 x i16>
  %x.84 = getelementptr i8, ptr %x.61, i64 48
  %t.85 = load <16 x i8>, ptr %x.84, align 1, !invariant.load !0
  %c.86 = zext <16 x i8> %t.85 to <16 x i16>
  %t.87 = mul <16 x i16> %x.65, %c.86
  %t.88 = add <16 x i16> %c.83, %t.87
  %c.89 = trunc <16 x i16> %t.88 to <16 x i8>
  %c.90 = zext <8 x i8> %carried.53 to <8 x i16>
  %x.91 = getelementptr i8, ptr %x.61, i64 64
  %t.92 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr align 1 %x.91, <8 x i1> %x.11, <8 x i8> zeroinitializer)
  %c.93 = zext <8 x i8> %t.92 to <8 x i16>
  %x.94 = insertelement <8 x i16> poison, i16 %c.59, i64 0
  %x.95 = shufflevector <8 x i16> %x.94, <8 x i16> poison, <8 x i32> zeroinitializer
  %t.96 = mul <8 x i16> %x.95, %c.93
  %t.97 = add <8 x i16> %c.90, %t.96
  %c.98 = trunc <8 x i16> %t.97 to <8 x i8>
  %t.99 = add nsw i64 %i.48, 1
  %t.100 = icmp slt i64 %t.99, 30
  br i1 %t.100, label %loop.46, label %done.47, !llvm.loop !6
done.47:
  %t.101 = phi <16 x i8> [ %c.68, %loop.46 ]
  %t.102 = phi <16 x i8> [ %c.75, %loop.46 ]
  %t.103 = phi <16 x i8> [ %c.82, %loop.46 ]
  %t.104 = phi <16 x i8> [ %c.89, %loop.46 ]
  %t.105 = phi <8 x i8> [ %c.98, %loop.46 ]
  store <16 x i8> %t.101, ptr %x.36, align 1
  store <16 x i8> %t.102, ptr %x.38, align 1
  store <16 x i8> %t.103, ptr %x.40, align 1
  store <16 x i8> %t.104, ptr %x.42, align 1
  call void @llvm.masked.store.v8i8.p0(<8 x i8> %t.105, ptr align 1 %x.44, <8 x i1> %x.11)
  %t.106 = add nsw i64 %i.34, 1
  %t.107 = icmp slt i64 %t.106, 50
  br i1 %t.107, label %loop.32, label %done.33, !llvm.loop !7
done.33:
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
!3 = !{!"llvm.loop.align", i32 64}
!4 = distinct !{!4, !1, !2, !3}
!5 = distinct !{!5, !1, !2, !3}
!6 = distinct !{!6, !1, !2, !3}
!7 = distinct !{!7, !1, !2}
