target triple = "x86_64-unknown-linux-gnu"

define void @"sum__any_order"(ptr noalias nocapture noundef readonly align 4 %"a.A", ptr noalias nocapture noundef align 4 %"a.s") #0 {
entry:
  %x.13 = trunc i64 19 to i32
  %x.14 = insertelement <32 x i32> poison, i32 %x.13, i64 0
  %x.15 = shufflevector <32 x i32> %x.14, <32 x i32> poison, <32 x i32> zeroinitializer
  %x.16 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %x.15
  %x.19 = add <32 x i64> splat (i64 0), <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15, i64 16, i64 17, i64 18, i64 19, i64 20, i64 21, i64 22, i64 23, i64 24, i64 25, i64 26, i64 27, i64 28, i64 29, i64 30, i64 31>
  br label %loop.1
loop.1:
  %i.3 = phi i64 [ 0, %entry ], [ %t.23, %loop.1 ]
  %carried.4 = phi <32 x float> [ splat (float 0x0000000000000000), %entry ], [ %t.22, %loop.1 ]
  %x.5 = mul nsw i64 %i.3, 83
  %x.6 = getelementptr float, ptr %"a.A", i64 %x.5
  %t.7 = load <32 x float>, ptr %x.6, align 4, !invariant.load !0
  %t.8 = fadd <32 x float> %carried.4, %t.7
  %x.9 = getelementptr float, ptr %x.6, i64 32
  %t.10 = load <32 x float>, ptr %x.9, align 4, !invariant.load !0
  %t.11 = fadd <32 x float> %t.8, %t.10
  %x.12 = getelementptr float, ptr %x.6, i64 64
  %t.17 = call <32 x float> @llvm.masked.load.v32f32.p0(ptr align 4 %x.12, <32 x i1> %x.16, <32 x float> zeroinitializer)
  %t.18 = fadd <32 x float> %t.11, %t.17
  %t.20 = icmp slt <32 x i64> %x.19, splat (i64 19)
  %t.21 = zext <32 x i1> %t.20 to <32 x i32>
  %t.22 = select <32 x i1> %t.20, <32 x float> %t.18, <32 x float> %t.11
  %t.23 = add nsw i64 %i.3, 1
  %t.24 = icmp slt i64 %t.23, 45
  br i1 %t.24, label %loop.1, label %done.2, !llvm.loop !4
done.2:
  %t.25 = phi <32 x float> [ %t.22, %loop.1 ]
  %t.26 = shufflevector <32 x float> %t.25, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %t.27 = shufflevector <32 x float> %t.25, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %t.28 = fadd <16 x float> %t.26, %t.27
  %t.29 = shufflevector <16 x float> %t.28, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %t.30 = shufflevector <16 x float> %t.28, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %t.31 = fadd <8 x float> %t.29, %t.30
  %t.32 = shufflevector <8 x float> %t.31, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t.33 = shufflevector <8 x float> %t.31, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %t.34 = fadd <4 x float> %t.32, %t.33
  %t.35 = shufflevector <4 x float> %t.34, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %t.36 = shufflevector <4 x float> %t.34, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %t.37 = fadd <2 x float> %t.35, %t.36
  %t.38 = shufflevector <2 x float> %t.37, <2 x float> poison, <1 x i32> <i32 0>
  %t.39 = shufflevector <2 x float> %t.37, <2 x float> poison, <1 x i32> <i32 1>
  %t.40 = extractelement <1 x float> %t.38, i64 0
  %t.41 = extractelement <1 x float> %t.39, i64 0
  %t.42 = fadd float %t.40, %t.41
  %t.43 = fadd float 0x0000000000000000, %t.42
  store float %t.43, ptr %"a.s", align 4
  ret void
}

define void @"sum__any_order.call"(ptr %slots) #0 {
  %s0 = getelementptr i64, ptr %slots, i64 0
  %v0 = load ptr, ptr %s0, align 8
  %s1 = getelementptr i64, ptr %slots, i64 1
  %v1 = load ptr, ptr %s1, align 8
  call void @"sum__any_order"(ptr %v0, ptr %v1)
  ret void
}

attributes #0 = { nounwind mustprogress "target-cpu"="x86-64-v3" "target-features"="" "prefer-vector-width"="256" }
!0 = !{}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = !{!"llvm.loop.align", i32 64}
!4 = distinct !{!4, !1, !2, !3}
