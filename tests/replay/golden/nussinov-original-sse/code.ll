target triple = "x86_64-unknown-linux-gnu"

define void @"nussinov"(i64 %"p.n", ptr noalias nocapture noundef align 4 %"a.table", ptr noalias nocapture noundef readonly align 1 %"a.seq") #0 {
entry:
  %x.1 = mul nsw i64 %"p.n", -1
  %x.2 = add nsw i64 %x.1, 2
  %x.5 = icmp slt i64 %x.2, 1
  br i1 %x.5, label %loop.3, label %done.4
loop.3:
  %i.6 = phi i64 [ %x.2, %entry ], [ %t.81, %done.10 ]
  %x.7 = mul nsw i64 %i.6, -1
  %x.8 = add nsw i64 %x.7, 1
  %x.11 = icmp slt i64 %x.8, %"p.n"
  %x.13 = mul nsw i64 %i.6, %"p.n"
  %x.14 = mul nsw i64 %x.13, -1
  %x.24 = sub nsw i64 %"p.n", %x.13
  %x.39 = getelementptr inbounds i8, ptr %"a.seq", i64 %x.7
  %x.52 = sub nsw i64 %x.14, %i.6
  %x.53 = add nsw i64 %x.52, 1
  %x.54 = getelementptr inbounds i32, ptr %"a.table", i64 %x.53
  %x.56 = sub nsw i64 %x.24, %i.6
  %x.57 = getelementptr inbounds i32, ptr %"a.table", i64 %x.56
  br i1 %x.11, label %loop.9, label %done.10
loop.9:
  %i.12 = phi i64 [ %x.8, %loop.3 ], [ %t.79, %done.62 ]
  %x.15 = add nsw i64 %x.14, %i.12
  %x.16 = getelementptr inbounds i32, ptr %"a.table", i64 %x.15
  %t.17 = load i32, ptr %x.16, align 4
  %x.18 = add nsw i64 %x.15, -1
  %x.19 = getelementptr inbounds i32, ptr %"a.table", i64 %x.18
  %t.20 = load i32, ptr %x.19, align 4
  %t.21 = icmp sgt i32 %t.17, %t.20
  %t.22 = select i1 %t.21, i32 %t.17, i32 %t.20
  store i32 %t.22, ptr %x.16, align 4
  %t.23 = load i32, ptr %x.16, align 4
  %x.25 = add nsw i64 %x.24, %i.12
  %x.26 = getelementptr inbounds i32, ptr %"a.table", i64 %x.25
  %t.27 = load i32, ptr %x.26, align 4
  %t.28 = icmp sgt i32 %t.23, %t.27
  %t.29 = select i1 %t.28, i32 %t.23, i32 %t.27
  store i32 %t.29, ptr %x.16, align 4
  %x.30 = add nsw i64 %i.6, %i.12
  %x.31 = icmp sge i64 %x.30, 2
  %x.36 = add nsw i64 %x.25, -1
  %x.37 = getelementptr inbounds i32, ptr %"a.table", i64 %x.36
  %x.42 = getelementptr inbounds i8, ptr %"a.seq", i64 %i.12
  br i1 %x.31, label %then.32, label %else.33
then.32:
  %t.35 = load i32, ptr %x.16, align 4
  %t.38 = load i32, ptr %x.37, align 4
  %t.40 = load i8, ptr %x.39, align 1, !invariant.load !0
  %c.41 = sext i8 %t.40 to i32
  %t.43 = load i8, ptr %x.42, align 1, !invariant.load !0
  %c.44 = sext i8 %t.43 to i32
  %t.45 = add nsw i32 %c.41, %c.44
  %t.46 = icmp eq i32 %t.45, 3
  %t.47 = zext i1 %t.46 to i32
  %t.48 = select i1 %t.46, i32 1, i32 0
  %t.49 = add nsw i32 %t.38, %t.48
  %t.50 = icmp sgt i32 %t.35, %t.49
  %t.51 = select i1 %t.50, i32 %t.35, i32 %t.49
  store i32 %t.51, ptr %x.16, align 4
  br label %done.34
else.33:
  %t.55 = load i32, ptr %x.54, align 4
  %t.58 = load i32, ptr %x.57, align 4
  %t.59 = icmp sgt i32 %t.55, %t.58
  %t.60 = select i1 %t.59, i32 %t.55, i32 %t.58
  store i32 %t.60, ptr %x.54, align 4
  br label %done.34
done.34:
  %x.63 = icmp slt i64 %x.8, %i.12
  %x.70 = add nsw i64 %"p.n", %i.12
  br i1 %x.63, label %loop.61, label %done.62
loop.61:
  %i.64 = phi i64 [ %x.8, %done.34 ], [ %t.77, %loop.61 ]
  %t.65 = load i32, ptr %x.16, align 4
  %x.66 = add nsw i64 %x.14, %i.64
  %x.67 = getelementptr inbounds i32, ptr %"a.table", i64 %x.66
  %t.68 = load i32, ptr %x.67, align 4
  %x.69 = mul nsw i64 %i.64, %"p.n"
  %x.71 = add nsw i64 %x.70, %x.69
  %x.72 = getelementptr inbounds i32, ptr %"a.table", i64 %x.71
  %t.73 = load i32, ptr %x.72, align 4
  %t.74 = add nsw i32 %t.68, %t.73
  %t.75 = icmp sgt i32 %t.65, %t.74
  %t.76 = select i1 %t.75, i32 %t.65, i32 %t.74
  store i32 %t.76, ptr %x.16, align 4
  %t.77 = add nsw i64 %i.64, 1
  %t.78 = icmp slt i64 %t.77, %i.12
  br i1 %t.78, label %loop.61, label %done.62
done.62:
  %t.79 = add nsw i64 %i.12, 1
  %t.80 = icmp slt i64 %t.79, %"p.n"
  br i1 %t.80, label %loop.9, label %done.10
done.10:
  %t.81 = add nsw i64 %i.6, 1
  %t.82 = icmp slt i64 %t.81, 1
  br i1 %t.82, label %loop.3, label %done.4
done.4:
  ret void
}

define void @"nussinov.call"(ptr %slots) #0 {
  %s0 = getelementptr i64, ptr %slots, i64 0
  %v0 = load i64, ptr %s0, align 8
  %s1 = getelementptr i64, ptr %slots, i64 1
  %v1 = load ptr, ptr %s1, align 8
  %s2 = getelementptr i64, ptr %slots, i64 2
  %v2 = load ptr, ptr %s2, align 8
  call void @"nussinov"(i64 %v0, ptr %v1, ptr %v2)
  ret void
}

attributes #0 = { nounwind mustprogress "target-cpu"="x86-64-v2" "target-features"="" }
!0 = !{}
