target triple = "x86_64-unknown-linux-gnu"

define void @"jacobi_2d"(i64 %"p.tsteps", i64 %"p.n", ptr noalias nocapture noundef align 8 %"a.A", ptr noalias nocapture noundef align 8 %"a.B") #0 {
entry:
  %x.3 = icmp slt i64 0, %"p.tsteps"
  %x.5 = add nsw i64 %"p.n", -1
  %x.8 = icmp slt i64 1, %x.5
  %x.30 = mul nsw i64 %"p.n", -1
  br i1 %x.3, label %loop.1, label %done.2
loop.1:
  %i.4 = phi i64 [ 0, %entry ], [ %t.76, %done.43 ]
  br i1 %x.8, label %loop.6, label %done.7
loop.6:
  %i.9 = phi i64 [ 1, %loop.1 ], [ %t.40, %done.11 ]
  %x.13 = mul nsw i64 %i.9, %"p.n"
  %x.25 = add nsw i64 %"p.n", %x.13
  %x.31 = add nsw i64 %x.30, %x.13
  br i1 %x.8, label %loop.10, label %done.11
loop.10:
  %i.12 = phi i64 [ 1, %loop.6 ], [ %t.38, %loop.10 ]
  %x.14 = add nsw i64 %x.13, %i.12
  %x.15 = getelementptr inbounds double, ptr %"a.A", i64 %x.14
  %t.16 = load double, ptr %x.15, align 8
  %x.17 = add nsw i64 %x.14, -1
  %x.18 = getelementptr inbounds double, ptr %"a.A", i64 %x.17
  %t.19 = load double, ptr %x.18, align 8
  %t.20 = fadd double %t.16, %t.19
  %x.21 = add nsw i64 %x.14, 1
  %x.22 = getelementptr inbounds double, ptr %"a.A", i64 %x.21
  %t.23 = load double, ptr %x.22, align 8
  %t.24 = fadd double %t.20, %t.23
  %x.26 = add nsw i64 %x.25, %i.12
  %x.27 = getelementptr inbounds double, ptr %"a.A", i64 %x.26
  %t.28 = load double, ptr %x.27, align 8
  %t.29 = fadd double %t.24, %t.28
  %x.32 = add nsw i64 %x.31, %i.12
  %x.33 = getelementptr inbounds double, ptr %"a.A", i64 %x.32
  %t.34 = load double, ptr %x.33, align 8
  %t.35 = fadd double %t.29, %t.34
  %t.36 = fmul double 0x3FC999999999999A, %t.35
  %x.37 = getelementptr inbounds double, ptr %"a.B", i64 %x.14
  store double %t.36, ptr %x.37, align 8
  %t.38 = add nsw i64 %i.12, 1
  %t.39 = icmp slt i64 %t.38, %x.5
  br i1 %t.39, label %loop.10, label %done.11
done.11:
  %t.40 = add nsw i64 %i.9, 1
  %t.41 = icmp slt i64 %t.40, %x.5
  br i1 %t.41, label %loop.6, label %done.7
done.7:
  br i1 %x.8, label %loop.42, label %done.43
loop.42:
  %i.44 = phi i64 [ 1, %done.7 ], [ %t.74, %done.46 ]
  %x.48 = mul nsw i64 %i.44, %"p.n"
  %x.60 = add nsw i64 %"p.n", %x.48
  %x.65 = add nsw i64 %x.30, %x.48
  br i1 %x.8, label %loop.45, label %done.46
loop.45:
  %i.47 = phi i64 [ 1, %loop.42 ], [ %t.72, %loop.45 ]
  %x.49 = add nsw i64 %x.48, %i.47
  %x.50 = getelementptr inbounds double, ptr %"a.B", i64 %x.49
  %t.51 = load double, ptr %x.50, align 8
  %x.52 = add nsw i64 %x.49, -1
  %x.53 = getelementptr inbounds double, ptr %"a.B", i64 %x.52
  %t.54 = load double, ptr %x.53, align 8
  %t.55 = fadd double %t.51, %t.54
  %x.56 = add nsw i64 %x.49, 1
  %x.57 = getelementptr inbounds double, ptr %"a.B", i64 %x.56
  %t.58 = load double, ptr %x.57, align 8
  %t.59 = fadd double %t.55, %t.58
  %x.61 = add nsw i64 %x.60, %i.47
  %x.62 = getelementptr inbounds double, ptr %"a.B", i64 %x.61
  %t.63 = load double, ptr %x.62, align 8
  %t.64 = fadd double %t.59, %t.63
  %x.66 = add nsw i64 %x.65, %i.47
  %x.67 = getelementptr inbounds double, ptr %"a.B", i64 %x.66
  %t.68 = load double, ptr %x.67, align 8
  %t.69 = fadd double %t.64, %t.68
  %t.70 = fmul double 0x3FC999999999999A, %t.69
  %x.71 = getelementptr inbounds double, ptr %"a.A", i64 %x.49
  store double %t.70, ptr %x.71, align 8
  %t.72 = add nsw i64 %i.47, 1
  %t.73 = icmp slt i64 %t.72, %x.5
  br i1 %t.73, label %loop.45, label %done.46
done.46:
  %t.74 = add nsw i64 %i.44, 1
  %t.75 = icmp slt i64 %t.74, %x.5
  br i1 %t.75, label %loop.42, label %done.43
done.43:
  %t.76 = add nsw i64 %i.4, 1
  %t.77 = icmp slt i64 %t.76, %"p.tsteps"
  br i1 %t.77, label %loop.1, label %done.2
done.2:
  ret void
}

define void @"jacobi_2d.call"(ptr %slots) #0 {
  %s0 = getelementptr i64, ptr %slots, i64 0
  %v0 = load i64, ptr %s0, align 8
  %s1 = getelementptr i64, ptr %slots, i64 1
  %v1 = load i64, ptr %s1, align 8
  %s2 = getelementptr i64, ptr %slots, i64 2
  %v2 = load ptr, ptr %s2, align 8
  %s3 = getelementptr i64, ptr %slots, i64 3
  %v3 = load ptr, ptr %s3, align 8
  call void @"jacobi_2d"(i64 %v0, i64 %v1, ptr %v2, ptr %v3)
  ret void
}

attributes #0 = { nounwind mustprogress "target-cpu"="x86-64-v3" "target-features"="" }
!0 = !{}
