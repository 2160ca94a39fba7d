target triple = "x86_64-unknown-linux-gnu"

define void @"transposed"(ptr noalias nocapture noundef readonly align 4 %"a.A", ptr noalias nocapture noundef align 4 %"a.T") #0 {
entry:
  br label %loop.1
loop.1:
  %i.3 = phi i64 [ 0, %entry ], [ %t.34, %done.26 ]
  %x.7 = getelementptr float, ptr %"a.A", i64 %i.3
  %x.11 = mul nsw i64 %i.3, 45
  %x.12 = getelementptr float, ptr %"a.T", i64 %x.11
  br label %loop.4
loop.4:
  %i.6 = phi i64 [ 0, %loop.1 ], [ %t.23, %loop.4 ]
  %x.8 = mul nsw i64 %i.6, 83
  %x.9 = getelementptr float, ptr %x.7, i64 %x.8
  %t.10 = load float, ptr %x.9, align 4, !invariant.load !0
  %x.13 = getelementptr float, ptr %x.12, i64 %i.6
  store float %t.10, ptr %x.13, align 4
  call void asm sideeffect "", ""()
  %x.14 = getelementptr float, ptr %x.9, i64 83
  %t.15 = load float, ptr %x.14, align 4, !invariant.load !0
  %x.16 = getelementptr float, ptr %x.13, i64 1
  store float %t.15, ptr %x.16, align 4
  call void asm sideeffect "", ""()
  %x.17 = getelementptr float, ptr %x.9, i64 166
  %t.18 = load float, ptr %x.17, align 4, !invariant.load !0
  %x.19 = getelementptr float, ptr %x.13, i64 2
  store float %t.18, ptr %x.19, align 4
  call void asm sideeffect "", ""()
  %x.20 = getelementptr float, ptr %x.9, i64 249
  %t.21 = load float, ptr %x.20, align 4, !invariant.load !0
  %x.22 = getelementptr float, ptr %x.13, i64 3
  store float %t.21, ptr %x.22, align 4
  %t.23 = add nsw i64 %i.6, 4
  %t.24 = icmp slt i64 %t.23, 44
  br i1 %t.24, label %loop.4, label %done.5, !llvm.loop !4
done.5:
  br label %loop.25
loop.25:
  %i.27 = phi i64 [ 44, %done.5 ], [ %t.32, %loop.25 ]
  %x.28 = mul nsw i64 %i.27, 83
  %x.29 = getelementptr float, ptr %x.7, i64 %x.28
  %t.30 = load float, ptr %x.29, align 4, !invariant.load !0
  %x.31 = getelementptr float, ptr %x.12, i64 %i.27
  store float %t.30, ptr %x.31, align 4
  %t.32 = add nsw i64 %i.27, 1
  %t.33 = icmp slt i64 %t.32, 45
  br i1 %t.33, label %loop.25, label %done.26, !llvm.loop !5
done.26:
  %t.34 = add nsw i64 %i.3, 1
  %t.35 = icmp slt i64 %t.34, 83
  br i1 %t.35, label %loop.1, label %done.2, !llvm.loop !6
done.2:
  ret void
}

define void @"transposed.call"(ptr %slots) #0 {
  %s0 = getelementptr i64, ptr %slots, i64 0
  %v0 = load ptr, ptr %s0, align 8
  %s1 = getelementptr i64, ptr %slots, i64 1
  %v1 = load ptr, ptr %s1, align 8
  call void @"transposed"(ptr %v0, ptr %v1)
  ret void
}

attributes #0 = { nounwind mustprogress "target-cpu"="x86-64-v4" "target-features"="" "prefer-vector-width"="512" }
!0 = !{}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = !{!"llvm.loop.align", i32 64}
!4 = distinct !{!4, !1, !2, !3}
!5 = distinct !{!5, !1, !2, !3}
!6 = distinct !{!6, !1, !2}
