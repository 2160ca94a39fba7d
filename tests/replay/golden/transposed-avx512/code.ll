target triple = "x86_64-unknown-linux-gnu"

define void @"transposed"(ptr noalias nocapture noundef readonly align 4 %"a.A", ptr noalias nocapture noundef align 4 %"a.T") #0 {
entry:
  br label %loop.1
loop.1:
  %i.3 = phi i64 [ 0, %entry ], [ %t.16, %done.5 ]
  %x.7 = getelementptr float, ptr %"a.A", i64 %i.3
  %x.11 = mul nsw i64 %i.3, 45
  %x.12 = getelementptr float, ptr %"a.T", i64 %x.11
  br label %loop.4
loop.4:
  %i.6 = phi i64 [ 0, %loop.1 ], [ %t.14, %loop.4 ]
  %x.8 = mul nsw i64 %i.6, 83
  %x.9 = getelementptr float, ptr %x.7, i64 %x.8
  %t.10 = load float, ptr %x.9, align 4, !invariant.load !0
  %x.13 = getelementptr float, ptr %x.12, i64 %i.6
  store float %t.10, ptr %x.13, align 4
  %t.14 = add nsw i64 %i.6, 1
  %t.15 = icmp slt i64 %t.14, 45
  br i1 %t.15, label %loop.4, label %done.5, !llvm.loop !3
done.5:
  %t.16 = add nsw i64 %i.3, 1
  %t.17 = icmp slt i64 %t.16, 83
  br i1 %t.17, label %loop.1, label %done.2, !llvm.loop !4
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
!3 = distinct !{!3, !1, !2}
!4 = distinct !{!4, !1, !2}
