target triple = "x86_64-unknown-linux-gnu"

define void @"product__packed"(ptr noalias nocapture noundef readonly align 4 %"a.A", ptr noalias nocapture noundef readonly align 4 %"a.B", ptr noalias nocapture noundef align 4 %"a.C") #0 {
entry:
  %kept.720 = alloca i32
  %kept.365 = alloca i32
  %t.1 = mul i64 11200, 4
  %t.2 = add i64 %t.1, 127
  %t.3 = and i64 %t.2, -64
  %local.4 = call noalias ptr @aligned_alloc(i64 64, i64 %t.3)
  br label %loop.5
loop.5:
  %i.7 = phi i64 [ 0, %entry ], [ %t.990, %done.9 ]
  %x.11 = mul nsw i64 %i.7, 16
  %x.12 = getelementptr float, ptr %"a.C", i64 %x.11
  %x.44 = mul nsw i64 %i.7, -1
  %x.45 = icmp sge i64 %x.44, -67
  %x.87 = getelementptr float, ptr %"a.B", i64 %x.11
  %x.358 = mul nsw i64 %i.7, -16
  %x.359 = add nsw i64 %x.358, 1100
  %x.360 = call i64 @llvm.smin.i64(i64 12, i64 %x.359)
  %x.361 = add nsw i64 %x.360, -8
  %x.362 = call i64 @llvm.smax.i64(i64 0, i64 %x.361)
  %x.363 = call i64 @llvm.smin.i64(i64 8, i64 %x.362)
  %x.364 = trunc i64 %x.363 to i32
  store i32 %x.364, ptr %kept.365
  %x.439 = add nsw i64 %x.11, 16
  %x.440 = call i64 @llvm.smin.i64(i64 1100, i64 %x.439)
  %x.441 = add nsw i64 %x.358, %x.440
  %x.442 = icmp sge i64 %x.441, 16
  %x.716 = add nsw i64 %x.441, -8
  %x.717 = call i64 @llvm.smax.i64(i64 0, i64 %x.716)
  %x.718 = call i64 @llvm.smin.i64(i64 8, i64 %x.717)
  %x.719 = trunc i64 %x.718 to i32
  store i32 %x.719, ptr %kept.720
  br label %loop.8
loop.8:
  %i.10 = phi i64 [ 0, %loop.5 ], [ %t.988, %done.43 ]
  %x.13 = mul nsw i64 %i.10, 6600
  %x.14 = getelementptr float, ptr %x.12, i64 %x.13
  %x.15 = getelementptr float, ptr %x.14, i64 6600
  call void @llvm.prefetch.p0(ptr %x.15, i32 0, i32 3, i32 1)
  %x.16 = getelementptr float, ptr %x.14, i64 7700
  call void @llvm.prefetch.p0(ptr %x.16, i32 0, i32 3, i32 1)
  %x.17 = getelementptr float, ptr %x.14, i64 8800
  call void @llvm.prefetch.p0(ptr %x.17, i32 0, i32 3, i32 1)
  %x.18 = getelementptr float, ptr %x.14, i64 9900
  call void @llvm.prefetch.p0(ptr %x.18, i32 0, i32 3, i32 1)
  %x.19 = getelementptr float, ptr %x.14, i64 11000
  call void @llvm.prefetch.p0(ptr %x.19, i32 0, i32 3, i32 1)
  %x.20 = getelementptr float, ptr %x.14, i64 12100
  call void @llvm.prefetch.p0(ptr %x.20, i32 0, i32 3, i32 1)
  %x.21 = getelementptr float, ptr %"a.C", i64 %x.13
  %x.22 = getelementptr float, ptr %x.21, i64 7688
  call void @llvm.prefetch.p0(ptr %x.22, i32 0, i32 3, i32 1)
  %x.23 = getelementptr float, ptr %x.21, i64 8788
  call void @llvm.prefetch.p0(ptr %x.23, i32 0, i32 3, i32 1)
  %x.24 = getelementptr float, ptr %x.21, i64 9888
  call void @llvm.prefetch.p0(ptr %x.24, i32 0, i32 3, i32 1)
  %x.25 = getelementptr float, ptr %x.21, i64 10988
  call void @llvm.prefetch.p0(ptr %x.25, i32 0, i32 3, i32 1)
  %x.26 = getelementptr float, ptr %x.21, i64 12088
  call void @llvm.prefetch.p0(ptr %x.26, i32 0, i32 3, i32 1)
  %x.27 = getelementptr float, ptr %x.21, i64 13188
  call void @llvm.prefetch.p0(ptr %x.27, i32 0, i32 3, i32 1)
  %x.28 = getelementptr float, ptr %x.14, i64 6615
  call void @llvm.prefetch.p0(ptr %x.28, i32 0, i32 3, i32 1)
  %x.29 = getelementptr float, ptr %x.14, i64 7715
  call void @llvm.prefetch.p0(ptr %x.29, i32 0, i32 3, i32 1)
  %x.30 = getelementptr float, ptr %x.14, i64 8815
  call void @llvm.prefetch.p0(ptr %x.30, i32 0, i32 3, i32 1)
  %x.31 = getelementptr float, ptr %x.14, i64 9915
  call void @llvm.prefetch.p0(ptr %x.31, i32 0, i32 3, i32 1)
  %x.32 = getelementptr float, ptr %x.14, i64 11015
  call void @llvm.prefetch.p0(ptr %x.32, i32 0, i32 3, i32 1)
  %x.33 = getelementptr float, ptr %x.14, i64 12115
  call void @llvm.prefetch.p0(ptr %x.33, i32 0, i32 3, i32 1)
  %x.34 = getelementptr float, ptr %x.21, i64 7699
  call void @llvm.prefetch.p0(ptr %x.34, i32 0, i32 3, i32 1)
  %x.35 = getelementptr float, ptr %x.21, i64 8799
  call void @llvm.prefetch.p0(ptr %x.35, i32 0, i32 3, i32 1)
  %x.36 = getelementptr float, ptr %x.21, i64 9899
  call void @llvm.prefetch.p0(ptr %x.36, i32 0, i32 3, i32 1)
  %x.37 = getelementptr float, ptr %x.21, i64 10999
  call void @llvm.prefetch.p0(ptr %x.37, i32 0, i32 3, i32 1)
  %x.38 = getelementptr float, ptr %x.21, i64 12099
  call void @llvm.prefetch.p0(ptr %x.38, i32 0, i32 3, i32 1)
  %x.39 = getelementptr float, ptr %x.21, i64 13199
  call void @llvm.prefetch.p0(ptr %x.39, i32 0, i32 3, i32 1)
  %x.40 = icmp eq i64 %i.10, 0
  %x.50 = getelementptr float, ptr %x.14, i64 8
  %x.52 = getelementptr float, ptr %x.14, i64 1100
  %x.54 = getelementptr float, ptr %x.14, i64 1108
  %x.56 = getelementptr float, ptr %x.14, i64 2200
  %x.58 = getelementptr float, ptr %x.14, i64 2208
  %x.60 = getelementptr float, ptr %x.14, i64 3300
  %x.62 = getelementptr float, ptr %x.14, i64 3308
  %x.64 = getelementptr float, ptr %x.14, i64 4400
  %x.66 = getelementptr float, ptr %x.14, i64 4408
  %x.68 = getelementptr float, ptr %x.14, i64 5500
  %x.70 = getelementptr float, ptr %x.14, i64 5508
  %x.96 = mul nsw i64 %i.10, 4200
  %x.97 = getelementptr float, ptr %"a.A", i64 %x.96
  %x.313 = getelementptr float, ptr %x.21, i64 1088
  %x.315 = getelementptr float, ptr %x.21, i64 1096
  %x.317 = getelementptr float, ptr %x.21, i64 2188
  %x.319 = getelementptr float, ptr %x.21, i64 2196
  %x.321 = getelementptr float, ptr %x.21, i64 3288
  %x.323 = getelementptr float, ptr %x.21, i64 3296
  %x.325 = getelementptr float, ptr %x.21, i64 4388
  %x.327 = getelementptr float, ptr %x.21, i64 4396
  %x.329 = getelementptr float, ptr %x.21, i64 5488
  %x.331 = getelementptr float, ptr %x.21, i64 5496
  %x.333 = getelementptr float, ptr %x.21, i64 6588
  %x.335 = getelementptr float, ptr %x.21, i64 6596
  %x.474 = add nsw i64 %i.10, -1
  %x.475 = call i64 @llvm.smax.i64(i64 0, i64 %x.474)
  %x.476 = call i64 @llvm.smin.i64(i64 7, i64 %x.475)
  %x.477 = mul nsw i64 %x.476, 96800
  %x.478 = getelementptr float, ptr %x.87, i64 %x.477
  br i1 %x.40, label %then.41, label %else.42
then.41:
  br i1 %x.45, label %then.46, label %else.47
then.46:
  %t.49 = load <8 x float>, ptr %x.14, align 4
  %t.51 = load <8 x float>, ptr %x.50, align 4
  %t.53 = load <8 x float>, ptr %x.52, align 4
  %t.55 = load <8 x float>, ptr %x.54, align 4
  %t.57 = load <8 x float>, ptr %x.56, align 4
  %t.59 = load <8 x float>, ptr %x.58, align 4
  %t.61 = load <8 x float>, ptr %x.60, align 4
  %t.63 = load <8 x float>, ptr %x.62, align 4
  %t.65 = load <8 x float>, ptr %x.64, align 4
  %t.67 = load <8 x float>, ptr %x.66, align 4
  %t.69 = load <8 x float>, ptr %x.68, align 4
  %t.71 = load <8 x float>, ptr %x.70, align 4
  br label %loop.72
loop.72:
  %i.74 = phi i64 [ 0, %then.46 ], [ %t.299, %loop.72 ]
  %carried.75 = phi <8 x float> [ %t.49, %then.46 ], [ %t.267, %loop.72 ]
  %carried.76 = phi <8 x float> [ %t.51, %then.46 ], [ %t.268, %loop.72 ]
  %carried.77 = phi <8 x float> [ %t.53, %then.46 ], [ %t.273, %loop.72 ]
  %carried.78 = phi <8 x float> [ %t.55, %then.46 ], [ %t.274, %loop.72 ]
  %carried.79 = phi <8 x float> [ %t.57, %then.46 ], [ %t.279, %loop.72 ]
  %carried.80 = phi <8 x float> [ %t.59, %then.46 ], [ %t.280, %loop.72 ]
  %carried.81 = phi <8 x float> [ %t.61, %then.46 ], [ %t.285, %loop.72 ]
  %carried.82 = phi <8 x float> [ %t.63, %then.46 ], [ %t.286, %loop.72 ]
  %carried.83 = phi <8 x float> [ %t.65, %then.46 ], [ %t.291, %loop.72 ]
  %carried.84 = phi <8 x float> [ %t.67, %then.46 ], [ %t.292, %loop.72 ]
  %carried.85 = phi <8 x float> [ %t.69, %then.46 ], [ %t.297, %loop.72 ]
  %carried.86 = phi <8 x float> [ %t.71, %then.46 ], [ %t.298, %loop.72 ]
  %x.88 = mul nsw i64 %i.74, 1100
  %x.89 = getelementptr float, ptr %x.87, i64 %x.88
  %t.90 = load <8 x float>, ptr %x.89, align 4, !invariant.load !0
  %x.91 = mul nsw i64 %i.74, 16
  %x.92 = getelementptr float, ptr %local.4, i64 %x.91
  store <8 x float> %t.90, ptr %x.92, align 4
  %x.93 = getelementptr float, ptr %x.89, i64 8
  %t.94 = load <8 x float>, ptr %x.93, align 4, !invariant.load !0
  %x.95 = getelementptr float, ptr %x.92, i64 8
  store <8 x float> %t.94, ptr %x.95, align 4
  %x.98 = getelementptr float, ptr %x.97, i64 %i.74
  %t.99 = load float, ptr %x.98, align 4, !invariant.load !0
  %x.100 = insertelement <8 x float> poison, float %t.99, i64 0
  %x.101 = shufflevector <8 x float> %x.100, <8 x float> poison, <8 x i32> zeroinitializer
  %t.102 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.101, <8 x float> %t.90, <8 x float> %carried.75)
  %t.103 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.101, <8 x float> %t.94, <8 x float> %carried.76)
  %x.104 = getelementptr float, ptr %x.98, i64 700
  %t.105 = load float, ptr %x.104, align 4, !invariant.load !0
  %x.106 = insertelement <8 x float> poison, float %t.105, i64 0
  %x.107 = shufflevector <8 x float> %x.106, <8 x float> poison, <8 x i32> zeroinitializer
  %t.108 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.107, <8 x float> %t.90, <8 x float> %carried.77)
  %t.109 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.107, <8 x float> %t.94, <8 x float> %carried.78)
  %x.110 = getelementptr float, ptr %x.98, i64 1400
  %t.111 = load float, ptr %x.110, align 4, !invariant.load !0
  %x.112 = insertelement <8 x float> poison, float %t.111, i64 0
  %x.113 = shufflevector <8 x float> %x.112, <8 x float> poison, <8 x i32> zeroinitializer
  %t.114 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.113, <8 x float> %t.90, <8 x float> %carried.79)
  %t.115 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.113, <8 x float> %t.94, <8 x float> %carried.80)
  %x.116 = getelementptr float, ptr %x.98, i64 2100
  %t.117 = load float, ptr %x.116, align 4, !invariant.load !0
  %x.118 = insertelement <8 x float> poison, float %t.117, i64 0
  %x.119 = shufflevector <8 x float> %x.118, <8 x float> poison, <8 x i32> zeroinitializer
  %t.120 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.119, <8 x float> %t.90, <8 x float> %carried.81)
  %t.121 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.119, <8 x float> %t.94, <8 x float> %carried.82)
  %x.122 = getelementptr float, ptr %x.98, i64 2800
  %t.123 = load float, ptr %x.122, align 4, !invariant.load !0
  %x.124 = insertelement <8 x float> poison, float %t.123, i64 0
  %x.125 = shufflevector <8 x float> %x.124, <8 x float> poison, <8 x i32> zeroinitializer
  %t.126 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.125, <8 x float> %t.90, <8 x float> %carried.83)
  %t.127 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.125, <8 x float> %t.94, <8 x float> %carried.84)
  %x.128 = getelementptr float, ptr %x.98, i64 3500
  %t.129 = load float, ptr %x.128, align 4, !invariant.load !0
  %x.130 = insertelement <8 x float> poison, float %t.129, i64 0
  %x.131 = shufflevector <8 x float> %x.130, <8 x float> poison, <8 x i32> zeroinitializer
  %t.132 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.131, <8 x float> %t.90, <8 x float> %carried.85)
  %t.133 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.131, <8 x float> %t.94, <8 x float> %carried.86)
  %t.134 = call { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } asm sideeffect "", "=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,0,1,2,3,4,5,6,7,8,9,10,11"(<8 x float> %t.102, <8 x float> %t.103, <8 x float> %t.108, <8 x float> %t.109, <8 x float> %t.114, <8 x float> %t.115, <8 x float> %t.120, <8 x float> %t.121, <8 x float> %t.126, <8 x float> %t.127, <8 x float> %t.132, <8 x float> %t.133)
  %t.135 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.134, 0
  %t.136 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.134, 1
  %t.137 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.134, 2
  %t.138 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.134, 3
  %t.139 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.134, 4
  %t.140 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.134, 5
  %t.141 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.134, 6
  %t.142 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.134, 7
  %t.143 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.134, 8
  %t.144 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.134, 9
  %t.145 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.134, 10
  %t.146 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.134, 11
  %x.147 = getelementptr float, ptr %x.89, i64 1100
  %t.148 = load <8 x float>, ptr %x.147, align 4, !invariant.load !0
  %x.149 = getelementptr float, ptr %x.92, i64 16
  store <8 x float> %t.148, ptr %x.149, align 4
  %x.150 = getelementptr float, ptr %x.89, i64 1108
  %t.151 = load <8 x float>, ptr %x.150, align 4, !invariant.load !0
  %x.152 = getelementptr float, ptr %x.92, i64 24
  store <8 x float> %t.151, ptr %x.152, align 4
  %x.153 = getelementptr float, ptr %x.98, i64 1
  %t.154 = load float, ptr %x.153, align 4, !invariant.load !0
  %x.155 = insertelement <8 x float> poison, float %t.154, i64 0
  %x.156 = shufflevector <8 x float> %x.155, <8 x float> poison, <8 x i32> zeroinitializer
  %t.157 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.156, <8 x float> %t.148, <8 x float> %t.135)
  %t.158 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.156, <8 x float> %t.151, <8 x float> %t.136)
  %x.159 = getelementptr float, ptr %x.98, i64 701
  %t.160 = load float, ptr %x.159, align 4, !invariant.load !0
  %x.161 = insertelement <8 x float> poison, float %t.160, i64 0
  %x.162 = shufflevector <8 x float> %x.161, <8 x float> poison, <8 x i32> zeroinitializer
  %t.163 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.162, <8 x float> %t.148, <8 x float> %t.137)
  %t.164 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.162, <8 x float> %t.151, <8 x float> %t.138)
  %x.165 = getelementptr float, ptr %x.98, i64 1401
  %t.166 = load float, ptr %x.165, align 4, !invariant.load !0
  %x.167 = insertelement <8 x float> poison, float %t.166, i64 0
  %x.168 = shufflevector <8 x float> %x.167, <8 x float> poison, <8 x i32> zeroinitializer
  %t.169 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.168, <8 x float> %t.148, <8 x float> %t.139)
  %t.170 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.168, <8 x float> %t.151, <8 x float> %t.140)
  %x.171 = getelementptr float, ptr %x.98, i64 2101
  %t.172 = load float, ptr %x.171, align 4, !invariant.load !0
  %x.173 = insertelement <8 x float> poison, float %t.172, i64 0
  %x.174 = shufflevector <8 x float> %x.173, <8 x float> poison, <8 x i32> zeroinitializer
  %t.175 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.174, <8 x float> %t.148, <8 x float> %t.141)
  %t.176 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.174, <8 x float> %t.151, <8 x float> %t.142)
  %x.177 = getelementptr float, ptr %x.98, i64 2801
  %t.178 = load float, ptr %x.177, align 4, !invariant.load !0
  %x.179 = insertelement <8 x float> poison, float %t.178, i64 0
  %x.180 = shufflevector <8 x float> %x.179, <8 x float> poison, <8 x i32> zeroinitializer
  %t.181 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.180, <8 x float> %t.148, <8 x float> %t.143)
  %t.182 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.180, <8 x float> %t.151, <8 x float> %t.144)
  %x.183 = getelementptr float, ptr %x.98, i64 3501
  %t.184 = load float, ptr %x.183, align 4, !invariant.load !0
  %x.185 = insertelement <8 x float> poison, float %t.184, i64 0
  %x.186 = shufflevector <8 x float> %x.185, <8 x float> poison, <8 x i32> zeroinitializer
  %t.187 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.186, <8 x float> %t.148, <8 x float> %t.145)
  %t.188 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.186, <8 x float> %t.151, <8 x float> %t.146)
  %t.189 = call { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } asm sideeffect "", "=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,0,1,2,3,4,5,6,7,8,9,10,11"(<8 x float> %t.157, <8 x float> %t.158, <8 x float> %t.163, <8 x float> %t.164, <8 x float> %t.169, <8 x float> %t.170, <8 x float> %t.175, <8 x float> %t.176, <8 x float> %t.181, <8 x float> %t.182, <8 x float> %t.187, <8 x float> %t.188)
  %t.190 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.189, 0
  %t.191 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.189, 1
  %t.192 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.189, 2
  %t.193 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.189, 3
  %t.194 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.189, 4
  %t.195 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.189, 5
  %t.196 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.189, 6
  %t.197 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.189, 7
  %t.198 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.189, 8
  %t.199 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.189, 9
  %t.200 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.189, 10
  %t.201 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.189, 11
  %x.202 = getelementptr float, ptr %x.89, i64 2200
  %t.203 = load <8 x float>, ptr %x.202, align 4, !invariant.load !0
  %x.204 = getelementptr float, ptr %x.92, i64 32
  store <8 x float> %t.203, ptr %x.204, align 4
  %x.205 = getelementptr float, ptr %x.89, i64 2208
  %t.206 = load <8 x float>, ptr %x.205, align 4, !invariant.load !0
  %x.207 = getelementptr float, ptr %x.92, i64 40
  store <8 x float> %t.206, ptr %x.207, align 4
  %x.208 = getelementptr float, ptr %x.98, i64 2
  %t.209 = load float, ptr %x.208, align 4, !invariant.load !0
  %x.210 = insertelement <8 x float> poison, float %t.209, i64 0
  %x.211 = shufflevector <8 x float> %x.210, <8 x float> poison, <8 x i32> zeroinitializer
  %t.212 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.211, <8 x float> %t.203, <8 x float> %t.190)
  %t.213 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.211, <8 x float> %t.206, <8 x float> %t.191)
  %x.214 = getelementptr float, ptr %x.98, i64 702
  %t.215 = load float, ptr %x.214, align 4, !invariant.load !0
  %x.216 = insertelement <8 x float> poison, float %t.215, i64 0
  %x.217 = shufflevector <8 x float> %x.216, <8 x float> poison, <8 x i32> zeroinitializer
  %t.218 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.217, <8 x float> %t.203, <8 x float> %t.192)
  %t.219 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.217, <8 x float> %t.206, <8 x float> %t.193)
  %x.220 = getelementptr float, ptr %x.98, i64 1402
  %t.221 = load float, ptr %x.220, align 4, !invariant.load !0
  %x.222 = insertelement <8 x float> poison, float %t.221, i64 0
  %x.223 = shufflevector <8 x float> %x.222, <8 x float> poison, <8 x i32> zeroinitializer
  %t.224 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.223, <8 x float> %t.203, <8 x float> %t.194)
  %t.225 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.223, <8 x float> %t.206, <8 x float> %t.195)
  %x.226 = getelementptr float, ptr %x.98, i64 2102
  %t.227 = load float, ptr %x.226, align 4, !invariant.load !0
  %x.228 = insertelement <8 x float> poison, float %t.227, i64 0
  %x.229 = shufflevector <8 x float> %x.228, <8 x float> poison, <8 x i32> zeroinitializer
  %t.230 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.229, <8 x float> %t.203, <8 x float> %t.196)
  %t.231 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.229, <8 x float> %t.206, <8 x float> %t.197)
  %x.232 = getelementptr float, ptr %x.98, i64 2802
  %t.233 = load float, ptr %x.232, align 4, !invariant.load !0
  %x.234 = insertelement <8 x float> poison, float %t.233, i64 0
  %x.235 = shufflevector <8 x float> %x.234, <8 x float> poison, <8 x i32> zeroinitializer
  %t.236 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.235, <8 x float> %t.203, <8 x float> %t.198)
  %t.237 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.235, <8 x float> %t.206, <8 x float> %t.199)
  %x.238 = getelementptr float, ptr %x.98, i64 3502
  %t.239 = load float, ptr %x.238, align 4, !invariant.load !0
  %x.240 = insertelement <8 x float> poison, float %t.239, i64 0
  %x.241 = shufflevector <8 x float> %x.240, <8 x float> poison, <8 x i32> zeroinitializer
  %t.242 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.241, <8 x float> %t.203, <8 x float> %t.200)
  %t.243 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.241, <8 x float> %t.206, <8 x float> %t.201)
  %t.244 = call { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } asm sideeffect "", "=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,0,1,2,3,4,5,6,7,8,9,10,11"(<8 x float> %t.212, <8 x float> %t.213, <8 x float> %t.218, <8 x float> %t.219, <8 x float> %t.224, <8 x float> %t.225, <8 x float> %t.230, <8 x float> %t.231, <8 x float> %t.236, <8 x float> %t.237, <8 x float> %t.242, <8 x float> %t.243)
  %t.245 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.244, 0
  %t.246 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.244, 1
  %t.247 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.244, 2
  %t.248 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.244, 3
  %t.249 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.244, 4
  %t.250 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.244, 5
  %t.251 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.244, 6
  %t.252 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.244, 7
  %t.253 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.244, 8
  %t.254 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.244, 9
  %t.255 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.244, 10
  %t.256 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.244, 11
  %x.257 = getelementptr float, ptr %x.89, i64 3300
  %t.258 = load <8 x float>, ptr %x.257, align 4, !invariant.load !0
  %x.259 = getelementptr float, ptr %x.92, i64 48
  store <8 x float> %t.258, ptr %x.259, align 4
  %x.260 = getelementptr float, ptr %x.89, i64 3308
  %t.261 = load <8 x float>, ptr %x.260, align 4, !invariant.load !0
  %x.262 = getelementptr float, ptr %x.92, i64 56
  store <8 x float> %t.261, ptr %x.262, align 4
  %x.263 = getelementptr float, ptr %x.98, i64 3
  %t.264 = load float, ptr %x.263, align 4, !invariant.load !0
  %x.265 = insertelement <8 x float> poison, float %t.264, i64 0
  %x.266 = shufflevector <8 x float> %x.265, <8 x float> poison, <8 x i32> zeroinitializer
  %t.267 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.266, <8 x float> %t.258, <8 x float> %t.245)
  %t.268 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.266, <8 x float> %t.261, <8 x float> %t.246)
  %x.269 = getelementptr float, ptr %x.98, i64 703
  %t.270 = load float, ptr %x.269, align 4, !invariant.load !0
  %x.271 = insertelement <8 x float> poison, float %t.270, i64 0
  %x.272 = shufflevector <8 x float> %x.271, <8 x float> poison, <8 x i32> zeroinitializer
  %t.273 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.272, <8 x float> %t.258, <8 x float> %t.247)
  %t.274 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.272, <8 x float> %t.261, <8 x float> %t.248)
  %x.275 = getelementptr float, ptr %x.98, i64 1403
  %t.276 = load float, ptr %x.275, align 4, !invariant.load !0
  %x.277 = insertelement <8 x float> poison, float %t.276, i64 0
  %x.278 = shufflevector <8 x float> %x.277, <8 x float> poison, <8 x i32> zeroinitializer
  %t.279 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.278, <8 x float> %t.258, <8 x float> %t.249)
  %t.280 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.278, <8 x float> %t.261, <8 x float> %t.250)
  %x.281 = getelementptr float, ptr %x.98, i64 2103
  %t.282 = load float, ptr %x.281, align 4, !invariant.load !0
  %x.283 = insertelement <8 x float> poison, float %t.282, i64 0
  %x.284 = shufflevector <8 x float> %x.283, <8 x float> poison, <8 x i32> zeroinitializer
  %t.285 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.284, <8 x float> %t.258, <8 x float> %t.251)
  %t.286 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.284, <8 x float> %t.261, <8 x float> %t.252)
  %x.287 = getelementptr float, ptr %x.98, i64 2803
  %t.288 = load float, ptr %x.287, align 4, !invariant.load !0
  %x.289 = insertelement <8 x float> poison, float %t.288, i64 0
  %x.290 = shufflevector <8 x float> %x.289, <8 x float> poison, <8 x i32> zeroinitializer
  %t.291 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.290, <8 x float> %t.258, <8 x float> %t.253)
  %t.292 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.290, <8 x float> %t.261, <8 x float> %t.254)
  %x.293 = getelementptr float, ptr %x.98, i64 3503
  %t.294 = load float, ptr %x.293, align 4, !invariant.load !0
  %x.295 = insertelement <8 x float> poison, float %t.294, i64 0
  %x.296 = shufflevector <8 x float> %x.295, <8 x float> poison, <8 x i32> zeroinitializer
  %t.297 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.296, <8 x float> %t.258, <8 x float> %t.255)
  %t.298 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.296, <8 x float> %t.261, <8 x float> %t.256)
  %t.299 = add nsw i64 %i.74, 4
  %t.300 = icmp slt i64 %t.299, 700
  br i1 %t.300, label %loop.72, label %done.73, !llvm.loop !4
done.73:
  %t.301 = phi <8 x float> [ %t.267, %loop.72 ]
  %t.302 = phi <8 x float> [ %t.268, %loop.72 ]
  %t.303 = phi <8 x float> [ %t.273, %loop.72 ]
  %t.304 = phi <8 x float> [ %t.274, %loop.72 ]
  %t.305 = phi <8 x float> [ %t.279, %loop.72 ]
  %t.306 = phi <8 x float> [ %t.280, %loop.72 ]
  %t.307 = phi <8 x float> [ %t.285, %loop.72 ]
  %t.308 = phi <8 x float> [ %t.286, %loop.72 ]
  %t.309 = phi <8 x float> [ %t.291, %loop.72 ]
  %t.310 = phi <8 x float> [ %t.292, %loop.72 ]
  %t.311 = phi <8 x float> [ %t.297, %loop.72 ]
  %t.312 = phi <8 x float> [ %t.298, %loop.72 ]
  store <8 x float> %t.301, ptr %x.14, align 4
  store <8 x float> %t.302, ptr %x.50, align 4
  store <8 x float> %t.303, ptr %x.52, align 4
  store <8 x float> %t.304, ptr %x.54, align 4
  store <8 x float> %t.305, ptr %x.56, align 4
  store <8 x float> %t.306, ptr %x.58, align 4
  store <8 x float> %t.307, ptr %x.60, align 4
  store <8 x float> %t.308, ptr %x.62, align 4
  store <8 x float> %t.309, ptr %x.64, align 4
  store <8 x float> %t.310, ptr %x.66, align 4
  store <8 x float> %t.311, ptr %x.68, align 4
  store <8 x float> %t.312, ptr %x.70, align 4
  br label %done.48
else.47:
  %t.314 = load <8 x float>, ptr %x.313, align 4
  %t.316 = load <4 x float>, ptr %x.315, align 4
  %t.318 = load <8 x float>, ptr %x.317, align 4
  %t.320 = load <4 x float>, ptr %x.319, align 4
  %t.322 = load <8 x float>, ptr %x.321, align 4
  %t.324 = load <4 x float>, ptr %x.323, align 4
  %t.326 = load <8 x float>, ptr %x.325, align 4
  %t.328 = load <4 x float>, ptr %x.327, align 4
  %t.330 = load <8 x float>, ptr %x.329, align 4
  %t.332 = load <4 x float>, ptr %x.331, align 4
  %t.334 = load <8 x float>, ptr %x.333, align 4
  %t.336 = load <4 x float>, ptr %x.335, align 4
  %x.366 = load volatile i32, ptr %kept.365
  %x.367 = insertelement <8 x i32> poison, i32 %x.366, i64 0
  %x.368 = shufflevector <8 x i32> %x.367, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.369 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.368
  br label %loop.337
loop.337:
  %i.339 = phi i64 [ 0, %else.47 ], [ %t.425, %loop.337 ]
  %carried.340 = phi <8 x float> [ %t.314, %else.47 ], [ %t.379, %loop.337 ]
  %carried.341 = phi <4 x float> [ %t.316, %else.47 ], [ %t.384, %loop.337 ]
  %carried.342 = phi <8 x float> [ %t.318, %else.47 ], [ %t.389, %loop.337 ]
  %carried.343 = phi <4 x float> [ %t.320, %else.47 ], [ %t.392, %loop.337 ]
  %carried.344 = phi <8 x float> [ %t.322, %else.47 ], [ %t.397, %loop.337 ]
  %carried.345 = phi <4 x float> [ %t.324, %else.47 ], [ %t.400, %loop.337 ]
  %carried.346 = phi <8 x float> [ %t.326, %else.47 ], [ %t.405, %loop.337 ]
  %carried.347 = phi <4 x float> [ %t.328, %else.47 ], [ %t.408, %loop.337 ]
  %carried.348 = phi <8 x float> [ %t.330, %else.47 ], [ %t.413, %loop.337 ]
  %carried.349 = phi <4 x float> [ %t.332, %else.47 ], [ %t.416, %loop.337 ]
  %carried.350 = phi <8 x float> [ %t.334, %else.47 ], [ %t.421, %loop.337 ]
  %carried.351 = phi <4 x float> [ %t.336, %else.47 ], [ %t.424, %loop.337 ]
  %x.352 = mul nsw i64 %i.339, 1100
  %x.353 = getelementptr float, ptr %x.87, i64 %x.352
  %t.354 = load <8 x float>, ptr %x.353, align 4, !invariant.load !0
  %x.355 = mul nsw i64 %i.339, 16
  %x.356 = getelementptr float, ptr %local.4, i64 %x.355
  store <8 x float> %t.354, ptr %x.356, align 4
  %x.357 = getelementptr float, ptr %x.353, i64 8
  %t.370 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.357, <8 x i1> %x.369, <8 x float> zeroinitializer)
  %x.371 = getelementptr float, ptr %x.356, i64 8
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.370, ptr align 4 %x.371, <8 x i1> %x.369)
  %x.372 = getelementptr float, ptr %x.97, i64 %i.339
  %t.373 = load float, ptr %x.372, align 4, !invariant.load !0
  %x.374 = getelementptr float, ptr %"a.B", i64 %x.352
  %x.375 = getelementptr float, ptr %x.374, i64 1088
  %t.376 = load <8 x float>, ptr %x.375, align 4, !invariant.load !0
  %x.377 = insertelement <8 x float> poison, float %t.373, i64 0
  %x.378 = shufflevector <8 x float> %x.377, <8 x float> poison, <8 x i32> zeroinitializer
  %t.379 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.378, <8 x float> %t.376, <8 x float> %carried.340)
  %x.380 = getelementptr float, ptr %x.374, i64 1096
  %t.381 = load <4 x float>, ptr %x.380, align 4, !invariant.load !0
  %x.382 = insertelement <4 x float> poison, float %t.373, i64 0
  %x.383 = shufflevector <4 x float> %x.382, <4 x float> poison, <4 x i32> zeroinitializer
  %t.384 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.383, <4 x float> %t.381, <4 x float> %carried.341)
  %x.385 = getelementptr float, ptr %x.372, i64 700
  %t.386 = load float, ptr %x.385, align 4, !invariant.load !0
  %x.387 = insertelement <8 x float> poison, float %t.386, i64 0
  %x.388 = shufflevector <8 x float> %x.387, <8 x float> poison, <8 x i32> zeroinitializer
  %t.389 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.388, <8 x float> %t.376, <8 x float> %carried.342)
  %x.390 = insertelement <4 x float> poison, float %t.386, i64 0
  %x.391 = shufflevector <4 x float> %x.390, <4 x float> poison, <4 x i32> zeroinitializer
  %t.392 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.391, <4 x float> %t.381, <4 x float> %carried.343)
  %x.393 = getelementptr float, ptr %x.372, i64 1400
  %t.394 = load float, ptr %x.393, align 4, !invariant.load !0
  %x.395 = insertelement <8 x float> poison, float %t.394, i64 0
  %x.396 = shufflevector <8 x float> %x.395, <8 x float> poison, <8 x i32> zeroinitializer
  %t.397 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.396, <8 x float> %t.376, <8 x float> %carried.344)
  %x.398 = insertelement <4 x float> poison, float %t.394, i64 0
  %x.399 = shufflevector <4 x float> %x.398, <4 x float> poison, <4 x i32> zeroinitializer
  %t.400 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.399, <4 x float> %t.381, <4 x float> %carried.345)
  %x.401 = getelementptr float, ptr %x.372, i64 2100
  %t.402 = load float, ptr %x.401, align 4, !invariant.load !0
  %x.403 = insertelement <8 x float> poison, float %t.402, i64 0
  %x.404 = shufflevector <8 x float> %x.403, <8 x float> poison, <8 x i32> zeroinitializer
  %t.405 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.404, <8 x float> %t.376, <8 x float> %carried.346)
  %x.406 = insertelement <4 x float> poison, float %t.402, i64 0
  %x.407 = shufflevector <4 x float> %x.406, <4 x float> poison, <4 x i32> zeroinitializer
  %t.408 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.407, <4 x float> %t.381, <4 x float> %carried.347)
  %x.409 = getelementptr float, ptr %x.372, i64 2800
  %t.410 = load float, ptr %x.409, align 4, !invariant.load !0
  %x.411 = insertelement <8 x float> poison, float %t.410, i64 0
  %x.412 = shufflevector <8 x float> %x.411, <8 x float> poison, <8 x i32> zeroinitializer
  %t.413 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.412, <8 x float> %t.376, <8 x float> %carried.348)
  %x.414 = insertelement <4 x float> poison, float %t.410, i64 0
  %x.415 = shufflevector <4 x float> %x.414, <4 x float> poison, <4 x i32> zeroinitializer
  %t.416 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.415, <4 x float> %t.381, <4 x float> %carried.349)
  %x.417 = getelementptr float, ptr %x.372, i64 3500
  %t.418 = load float, ptr %x.417, align 4, !invariant.load !0
  %x.419 = insertelement <8 x float> poison, float %t.418, i64 0
  %x.420 = shufflevector <8 x float> %x.419, <8 x float> poison, <8 x i32> zeroinitializer
  %t.421 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.420, <8 x float> %t.376, <8 x float> %carried.350)
  %x.422 = insertelement <4 x float> poison, float %t.418, i64 0
  %x.423 = shufflevector <4 x float> %x.422, <4 x float> poison, <4 x i32> zeroinitializer
  %t.424 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.423, <4 x float> %t.381, <4 x float> %carried.351)
  %t.425 = add nsw i64 %i.339, 1
  %t.426 = icmp slt i64 %t.425, 700
  br i1 %t.426, label %loop.337, label %done.338, !llvm.loop !5
done.338:
  %t.427 = phi <8 x float> [ %t.379, %loop.337 ]
  %t.428 = phi <4 x float> [ %t.384, %loop.337 ]
  %t.429 = phi <8 x float> [ %t.389, %loop.337 ]
  %t.430 = phi <4 x float> [ %t.392, %loop.337 ]
  %t.431 = phi <8 x float> [ %t.397, %loop.337 ]
  %t.432 = phi <4 x float> [ %t.400, %loop.337 ]
  %t.433 = phi <8 x float> [ %t.405, %loop.337 ]
  %t.434 = phi <4 x float> [ %t.408, %loop.337 ]
  %t.435 = phi <8 x float> [ %t.413, %loop.337 ]
  %t.436 = phi <4 x float> [ %t.416, %loop.337 ]
  %t.437 = phi <8 x float> [ %t.421, %loop.337 ]
  %t.438 = phi <4 x float> [ %t.424, %loop.337 ]
  store <8 x float> %t.427, ptr %x.313, align 4
  store <4 x float> %t.428, ptr %x.315, align 4
  store <8 x float> %t.429, ptr %x.317, align 4
  store <4 x float> %t.430, ptr %x.319, align 4
  store <8 x float> %t.431, ptr %x.321, align 4
  store <4 x float> %t.432, ptr %x.323, align 4
  store <8 x float> %t.433, ptr %x.325, align 4
  store <4 x float> %t.434, ptr %x.327, align 4
  store <8 x float> %t.435, ptr %x.329, align 4
  store <4 x float> %t.436, ptr %x.331, align 4
  store <8 x float> %t.437, ptr %x.333, align 4
  store <4 x float> %t.438, ptr %x.335, align 4
  br label %done.48
done.48:
  br label %done.43
else.42:
  br i1 %x.442, label %then.443, label %else.444
then.443:
  %t.446 = load <8 x float>, ptr %x.14, align 4
  %t.447 = load <8 x float>, ptr %x.50, align 4
  %t.448 = load <8 x float>, ptr %x.52, align 4
  %t.449 = load <8 x float>, ptr %x.54, align 4
  %t.450 = load <8 x float>, ptr %x.56, align 4
  %t.451 = load <8 x float>, ptr %x.58, align 4
  %t.452 = load <8 x float>, ptr %x.60, align 4
  %t.453 = load <8 x float>, ptr %x.62, align 4
  %t.454 = load <8 x float>, ptr %x.64, align 4
  %t.455 = load <8 x float>, ptr %x.66, align 4
  %t.456 = load <8 x float>, ptr %x.68, align 4
  %t.457 = load <8 x float>, ptr %x.70, align 4
  br label %loop.458
loop.458:
  %i.460 = phi i64 [ 0, %then.443 ], [ %t.701, %loop.458 ]
  %carried.461 = phi <8 x float> [ %t.446, %then.443 ], [ %t.667, %loop.458 ]
  %carried.462 = phi <8 x float> [ %t.447, %then.443 ], [ %t.670, %loop.458 ]
  %carried.463 = phi <8 x float> [ %t.448, %then.443 ], [ %t.675, %loop.458 ]
  %carried.464 = phi <8 x float> [ %t.449, %then.443 ], [ %t.676, %loop.458 ]
  %carried.465 = phi <8 x float> [ %t.450, %then.443 ], [ %t.681, %loop.458 ]
  %carried.466 = phi <8 x float> [ %t.451, %then.443 ], [ %t.682, %loop.458 ]
  %carried.467 = phi <8 x float> [ %t.452, %then.443 ], [ %t.687, %loop.458 ]
  %carried.468 = phi <8 x float> [ %t.453, %then.443 ], [ %t.688, %loop.458 ]
  %carried.469 = phi <8 x float> [ %t.454, %then.443 ], [ %t.693, %loop.458 ]
  %carried.470 = phi <8 x float> [ %t.455, %then.443 ], [ %t.694, %loop.458 ]
  %carried.471 = phi <8 x float> [ %t.456, %then.443 ], [ %t.699, %loop.458 ]
  %carried.472 = phi <8 x float> [ %t.457, %then.443 ], [ %t.700, %loop.458 ]
  %x.473 = ashr i64 %i.460, 3
  %x.479 = mul nsw i64 %x.473, 1100
  %x.480 = getelementptr float, ptr %x.478, i64 %x.479
  %x.481 = getelementptr float, ptr %x.480, i64 16
  call void @llvm.prefetch.p0(ptr %x.481, i32 0, i32 3, i32 1)
  %x.482 = getelementptr float, ptr %x.480, i64 31
  call void @llvm.prefetch.p0(ptr %x.482, i32 0, i32 3, i32 1)
  %x.483 = getelementptr float, ptr %x.97, i64 %i.460
  %t.484 = load float, ptr %x.483, align 4, !invariant.load !0
  %x.485 = mul nsw i64 %i.460, 16
  %x.486 = getelementptr float, ptr %local.4, i64 %x.485
  %t.487 = load <8 x float>, ptr %x.486, align 4
  %x.488 = insertelement <8 x float> poison, float %t.484, i64 0
  %x.489 = shufflevector <8 x float> %x.488, <8 x float> poison, <8 x i32> zeroinitializer
  %t.490 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.489, <8 x float> %t.487, <8 x float> %carried.461)
  %x.491 = getelementptr float, ptr %x.486, i64 8
  %t.492 = load <8 x float>, ptr %x.491, align 4
  %t.493 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.489, <8 x float> %t.492, <8 x float> %carried.462)
  %x.494 = getelementptr float, ptr %x.483, i64 700
  %t.495 = load float, ptr %x.494, align 4, !invariant.load !0
  %x.496 = insertelement <8 x float> poison, float %t.495, i64 0
  %x.497 = shufflevector <8 x float> %x.496, <8 x float> poison, <8 x i32> zeroinitializer
  %t.498 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.497, <8 x float> %t.487, <8 x float> %carried.463)
  %t.499 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.497, <8 x float> %t.492, <8 x float> %carried.464)
  %x.500 = getelementptr float, ptr %x.483, i64 1400
  %t.501 = load float, ptr %x.500, align 4, !invariant.load !0
  %x.502 = insertelement <8 x float> poison, float %t.501, i64 0
  %x.503 = shufflevector <8 x float> %x.502, <8 x float> poison, <8 x i32> zeroinitializer
  %t.504 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.503, <8 x float> %t.487, <8 x float> %carried.465)
  %t.505 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.503, <8 x float> %t.492, <8 x float> %carried.466)
  %x.506 = getelementptr float, ptr %x.483, i64 2100
  %t.507 = load float, ptr %x.506, align 4, !invariant.load !0
  %x.508 = insertelement <8 x float> poison, float %t.507, i64 0
  %x.509 = shufflevector <8 x float> %x.508, <8 x float> poison, <8 x i32> zeroinitializer
  %t.510 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.509, <8 x float> %t.487, <8 x float> %carried.467)
  %t.511 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.509, <8 x float> %t.492, <8 x float> %carried.468)
  %x.512 = getelementptr float, ptr %x.483, i64 2800
  %t.513 = load float, ptr %x.512, align 4, !invariant.load !0
  %x.514 = insertelement <8 x float> poison, float %t.513, i64 0
  %x.515 = shufflevector <8 x float> %x.514, <8 x float> poison, <8 x i32> zeroinitializer
  %t.516 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.515, <8 x float> %t.487, <8 x float> %carried.469)
  %t.517 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.515, <8 x float> %t.492, <8 x float> %carried.470)
  %x.518 = getelementptr float, ptr %x.483, i64 3500
  %t.519 = load float, ptr %x.518, align 4, !invariant.load !0
  %x.520 = insertelement <8 x float> poison, float %t.519, i64 0
  %x.521 = shufflevector <8 x float> %x.520, <8 x float> poison, <8 x i32> zeroinitializer
  %t.522 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.521, <8 x float> %t.487, <8 x float> %carried.471)
  %t.523 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.521, <8 x float> %t.492, <8 x float> %carried.472)
  %t.524 = call { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } asm sideeffect "", "=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,0,1,2,3,4,5,6,7,8,9,10,11"(<8 x float> %t.490, <8 x float> %t.493, <8 x float> %t.498, <8 x float> %t.499, <8 x float> %t.504, <8 x float> %t.505, <8 x float> %t.510, <8 x float> %t.511, <8 x float> %t.516, <8 x float> %t.517, <8 x float> %t.522, <8 x float> %t.523)
  %t.525 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.524, 0
  %t.526 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.524, 1
  %t.527 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.524, 2
  %t.528 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.524, 3
  %t.529 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.524, 4
  %t.530 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.524, 5
  %t.531 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.524, 6
  %t.532 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.524, 7
  %t.533 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.524, 8
  %t.534 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.524, 9
  %t.535 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.524, 10
  %t.536 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.524, 11
  %x.537 = add nsw i64 %i.460, 1
  %x.538 = ashr i64 %x.537, 3
  %x.539 = mul nsw i64 %x.538, 1100
  %x.540 = getelementptr float, ptr %x.478, i64 %x.539
  %x.541 = getelementptr float, ptr %x.540, i64 16
  call void @llvm.prefetch.p0(ptr %x.541, i32 0, i32 3, i32 1)
  %x.542 = getelementptr float, ptr %x.540, i64 31
  call void @llvm.prefetch.p0(ptr %x.542, i32 0, i32 3, i32 1)
  %x.543 = getelementptr float, ptr %x.483, i64 1
  %t.544 = load float, ptr %x.543, align 4, !invariant.load !0
  %x.545 = getelementptr float, ptr %x.486, i64 16
  %t.546 = load <8 x float>, ptr %x.545, align 4
  %x.547 = insertelement <8 x float> poison, float %t.544, i64 0
  %x.548 = shufflevector <8 x float> %x.547, <8 x float> poison, <8 x i32> zeroinitializer
  %t.549 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.548, <8 x float> %t.546, <8 x float> %t.525)
  %x.550 = getelementptr float, ptr %x.486, i64 24
  %t.551 = load <8 x float>, ptr %x.550, align 4
  %t.552 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.548, <8 x float> %t.551, <8 x float> %t.526)
  %x.553 = getelementptr float, ptr %x.483, i64 701
  %t.554 = load float, ptr %x.553, align 4, !invariant.load !0
  %x.555 = insertelement <8 x float> poison, float %t.554, i64 0
  %x.556 = shufflevector <8 x float> %x.555, <8 x float> poison, <8 x i32> zeroinitializer
  %t.557 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.556, <8 x float> %t.546, <8 x float> %t.527)
  %t.558 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.556, <8 x float> %t.551, <8 x float> %t.528)
  %x.559 = getelementptr float, ptr %x.483, i64 1401
  %t.560 = load float, ptr %x.559, align 4, !invariant.load !0
  %x.561 = insertelement <8 x float> poison, float %t.560, i64 0
  %x.562 = shufflevector <8 x float> %x.561, <8 x float> poison, <8 x i32> zeroinitializer
  %t.563 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.562, <8 x float> %t.546, <8 x float> %t.529)
  %t.564 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.562, <8 x float> %t.551, <8 x float> %t.530)
  %x.565 = getelementptr float, ptr %x.483, i64 2101
  %t.566 = load float, ptr %x.565, align 4, !invariant.load !0
  %x.567 = insertelement <8 x float> poison, float %t.566, i64 0
  %x.568 = shufflevector <8 x float> %x.567, <8 x float> poison, <8 x i32> zeroinitializer
  %t.569 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.568, <8 x float> %t.546, <8 x float> %t.531)
  %t.570 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.568, <8 x float> %t.551, <8 x float> %t.532)
  %x.571 = getelementptr float, ptr %x.483, i64 2801
  %t.572 = load float, ptr %x.571, align 4, !invariant.load !0
  %x.573 = insertelement <8 x float> poison, float %t.572, i64 0
  %x.574 = shufflevector <8 x float> %x.573, <8 x float> poison, <8 x i32> zeroinitializer
  %t.575 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.574, <8 x float> %t.546, <8 x float> %t.533)
  %t.576 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.574, <8 x float> %t.551, <8 x float> %t.534)
  %x.577 = getelementptr float, ptr %x.483, i64 3501
  %t.578 = load float, ptr %x.577, align 4, !invariant.load !0
  %x.579 = insertelement <8 x float> poison, float %t.578, i64 0
  %x.580 = shufflevector <8 x float> %x.579, <8 x float> poison, <8 x i32> zeroinitializer
  %t.581 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.580, <8 x float> %t.546, <8 x float> %t.535)
  %t.582 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.580, <8 x float> %t.551, <8 x float> %t.536)
  %t.583 = call { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } asm sideeffect "", "=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,0,1,2,3,4,5,6,7,8,9,10,11"(<8 x float> %t.549, <8 x float> %t.552, <8 x float> %t.557, <8 x float> %t.558, <8 x float> %t.563, <8 x float> %t.564, <8 x float> %t.569, <8 x float> %t.570, <8 x float> %t.575, <8 x float> %t.576, <8 x float> %t.581, <8 x float> %t.582)
  %t.584 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.583, 0
  %t.585 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.583, 1
  %t.586 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.583, 2
  %t.587 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.583, 3
  %t.588 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.583, 4
  %t.589 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.583, 5
  %t.590 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.583, 6
  %t.591 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.583, 7
  %t.592 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.583, 8
  %t.593 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.583, 9
  %t.594 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.583, 10
  %t.595 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.583, 11
  %x.596 = add nsw i64 %i.460, 2
  %x.597 = ashr i64 %x.596, 3
  %x.598 = mul nsw i64 %x.597, 1100
  %x.599 = getelementptr float, ptr %x.478, i64 %x.598
  %x.600 = getelementptr float, ptr %x.599, i64 16
  call void @llvm.prefetch.p0(ptr %x.600, i32 0, i32 3, i32 1)
  %x.601 = getelementptr float, ptr %x.599, i64 31
  call void @llvm.prefetch.p0(ptr %x.601, i32 0, i32 3, i32 1)
  %x.602 = getelementptr float, ptr %x.483, i64 2
  %t.603 = load float, ptr %x.602, align 4, !invariant.load !0
  %x.604 = getelementptr float, ptr %x.486, i64 32
  %t.605 = load <8 x float>, ptr %x.604, align 4
  %x.606 = insertelement <8 x float> poison, float %t.603, i64 0
  %x.607 = shufflevector <8 x float> %x.606, <8 x float> poison, <8 x i32> zeroinitializer
  %t.608 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.607, <8 x float> %t.605, <8 x float> %t.584)
  %x.609 = getelementptr float, ptr %x.486, i64 40
  %t.610 = load <8 x float>, ptr %x.609, align 4
  %t.611 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.607, <8 x float> %t.610, <8 x float> %t.585)
  %x.612 = getelementptr float, ptr %x.483, i64 702
  %t.613 = load float, ptr %x.612, align 4, !invariant.load !0
  %x.614 = insertelement <8 x float> poison, float %t.613, i64 0
  %x.615 = shufflevector <8 x float> %x.614, <8 x float> poison, <8 x i32> zeroinitializer
  %t.616 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.615, <8 x float> %t.605, <8 x float> %t.586)
  %t.617 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.615, <8 x float> %t.610, <8 x float> %t.587)
  %x.618 = getelementptr float, ptr %x.483, i64 1402
  %t.619 = load float, ptr %x.618, align 4, !invariant.load !0
  %x.620 = insertelement <8 x float> poison, float %t.619, i64 0
  %x.621 = shufflevector <8 x float> %x.620, <8 x float> poison, <8 x i32> zeroinitializer
  %t.622 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.621, <8 x float> %t.605, <8 x float> %t.588)
  %t.623 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.621, <8 x float> %t.610, <8 x float> %t.589)
  %x.624 = getelementptr float, ptr %x.483, i64 2102
  %t.625 = load float, ptr %x.624, align 4, !invariant.load !0
  %x.626 = insertelement <8 x float> poison, float %t.625, i64 0
  %x.627 = shufflevector <8 x float> %x.626, <8 x float> poison, <8 x i32> zeroinitializer
  %t.628 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.627, <8 x float> %t.605, <8 x float> %t.590)
  %t.629 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.627, <8 x float> %t.610, <8 x float> %t.591)
  %x.630 = getelementptr float, ptr %x.483, i64 2802
  %t.631 = load float, ptr %x.630, align 4, !invariant.load !0
  %x.632 = insertelement <8 x float> poison, float %t.631, i64 0
  %x.633 = shufflevector <8 x float> %x.632, <8 x float> poison, <8 x i32> zeroinitializer
  %t.634 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.633, <8 x float> %t.605, <8 x float> %t.592)
  %t.635 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.633, <8 x float> %t.610, <8 x float> %t.593)
  %x.636 = getelementptr float, ptr %x.483, i64 3502
  %t.637 = load float, ptr %x.636, align 4, !invariant.load !0
  %x.638 = insertelement <8 x float> poison, float %t.637, i64 0
  %x.639 = shufflevector <8 x float> %x.638, <8 x float> poison, <8 x i32> zeroinitializer
  %t.640 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.639, <8 x float> %t.605, <8 x float> %t.594)
  %t.641 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.639, <8 x float> %t.610, <8 x float> %t.595)
  %t.642 = call { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } asm sideeffect "", "=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,0,1,2,3,4,5,6,7,8,9,10,11"(<8 x float> %t.608, <8 x float> %t.611, <8 x float> %t.616, <8 x float> %t.617, <8 x float> %t.622, <8 x float> %t.623, <8 x float> %t.628, <8 x float> %t.629, <8 x float> %t.634, <8 x float> %t.635, <8 x float> %t.640, <8 x float> %t.641)
  %t.643 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.642, 0
  %t.644 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.642, 1
  %t.645 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.642, 2
  %t.646 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.642, 3
  %t.647 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.642, 4
  %t.648 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.642, 5
  %t.649 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.642, 6
  %t.650 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.642, 7
  %t.651 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.642, 8
  %t.652 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.642, 9
  %t.653 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.642, 10
  %t.654 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.642, 11
  %x.655 = add nsw i64 %i.460, 3
  %x.656 = ashr i64 %x.655, 3
  %x.657 = mul nsw i64 %x.656, 1100
  %x.658 = getelementptr float, ptr %x.478, i64 %x.657
  %x.659 = getelementptr float, ptr %x.658, i64 16
  call void @llvm.prefetch.p0(ptr %x.659, i32 0, i32 3, i32 1)
  %x.660 = getelementptr float, ptr %x.658, i64 31
  call void @llvm.prefetch.p0(ptr %x.660, i32 0, i32 3, i32 1)
  %x.661 = getelementptr float, ptr %x.483, i64 3
  %t.662 = load float, ptr %x.661, align 4, !invariant.load !0
  %x.663 = getelementptr float, ptr %x.486, i64 48
  %t.664 = load <8 x float>, ptr %x.663, align 4
  %x.665 = insertelement <8 x float> poison, float %t.662, i64 0
  %x.666 = shufflevector <8 x float> %x.665, <8 x float> poison, <8 x i32> zeroinitializer
  %t.667 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.666, <8 x float> %t.664, <8 x float> %t.643)
  %x.668 = getelementptr float, ptr %x.486, i64 56
  %t.669 = load <8 x float>, ptr %x.668, align 4
  %t.670 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.666, <8 x float> %t.669, <8 x float> %t.644)
  %x.671 = getelementptr float, ptr %x.483, i64 703
  %t.672 = load float, ptr %x.671, align 4, !invariant.load !0
  %x.673 = insertelement <8 x float> poison, float %t.672, i64 0
  %x.674 = shufflevector <8 x float> %x.673, <8 x float> poison, <8 x i32> zeroinitializer
  %t.675 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.674, <8 x float> %t.664, <8 x float> %t.645)
  %t.676 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.674, <8 x float> %t.669, <8 x float> %t.646)
  %x.677 = getelementptr float, ptr %x.483, i64 1403
  %t.678 = load float, ptr %x.677, align 4, !invariant.load !0
  %x.679 = insertelement <8 x float> poison, float %t.678, i64 0
  %x.680 = shufflevector <8 x float> %x.679, <8 x float> poison, <8 x i32> zeroinitializer
  %t.681 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.680, <8 x float> %t.664, <8 x float> %t.647)
  %t.682 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.680, <8 x float> %t.669, <8 x float> %t.648)
  %x.683 = getelementptr float, ptr %x.483, i64 2103
  %t.684 = load float, ptr %x.683, align 4, !invariant.load !0
  %x.685 = insertelement <8 x float> poison, float %t.684, i64 0
  %x.686 = shufflevector <8 x float> %x.685, <8 x float> poison, <8 x i32> zeroinitializer
  %t.687 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.686, <8 x float> %t.664, <8 x float> %t.649)
  %t.688 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.686, <8 x float> %t.669, <8 x float> %t.650)
  %x.689 = getelementptr float, ptr %x.483, i64 2803
  %t.690 = load float, ptr %x.689, align 4, !invariant.load !0
  %x.691 = insertelement <8 x float> poison, float %t.690, i64 0
  %x.692 = shufflevector <8 x float> %x.691, <8 x float> poison, <8 x i32> zeroinitializer
  %t.693 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.692, <8 x float> %t.664, <8 x float> %t.651)
  %t.694 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.692, <8 x float> %t.669, <8 x float> %t.652)
  %x.695 = getelementptr float, ptr %x.483, i64 3503
  %t.696 = load float, ptr %x.695, align 4, !invariant.load !0
  %x.697 = insertelement <8 x float> poison, float %t.696, i64 0
  %x.698 = shufflevector <8 x float> %x.697, <8 x float> poison, <8 x i32> zeroinitializer
  %t.699 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.698, <8 x float> %t.664, <8 x float> %t.653)
  %t.700 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.698, <8 x float> %t.669, <8 x float> %t.654)
  %t.701 = add nsw i64 %i.460, 4
  %t.702 = icmp slt i64 %t.701, 700
  br i1 %t.702, label %loop.458, label %done.459, !llvm.loop !6
done.459:
  %t.703 = phi <8 x float> [ %t.667, %loop.458 ]
  %t.704 = phi <8 x float> [ %t.670, %loop.458 ]
  %t.705 = phi <8 x float> [ %t.675, %loop.458 ]
  %t.706 = phi <8 x float> [ %t.676, %loop.458 ]
  %t.707 = phi <8 x float> [ %t.681, %loop.458 ]
  %t.708 = phi <8 x float> [ %t.682, %loop.458 ]
  %t.709 = phi <8 x float> [ %t.687, %loop.458 ]
  %t.710 = phi <8 x float> [ %t.688, %loop.458 ]
  %t.711 = phi <8 x float> [ %t.693, %loop.458 ]
  %t.712 = phi <8 x float> [ %t.694, %loop.458 ]
  %t.713 = phi <8 x float> [ %t.699, %loop.458 ]
  %t.714 = phi <8 x float> [ %t.700, %loop.458 ]
  store <8 x float> %t.703, ptr %x.14, align 4
  store <8 x float> %t.704, ptr %x.50, align 4
  store <8 x float> %t.705, ptr %x.52, align 4
  store <8 x float> %t.706, ptr %x.54, align 4
  store <8 x float> %t.707, ptr %x.56, align 4
  store <8 x float> %t.708, ptr %x.58, align 4
  store <8 x float> %t.709, ptr %x.60, align 4
  store <8 x float> %t.710, ptr %x.62, align 4
  store <8 x float> %t.711, ptr %x.64, align 4
  store <8 x float> %t.712, ptr %x.66, align 4
  store <8 x float> %t.713, ptr %x.68, align 4
  store <8 x float> %t.714, ptr %x.70, align 4
  br label %done.445
else.444:
  %t.715 = load <8 x float>, ptr %x.14, align 4
  %x.721 = load volatile i32, ptr %kept.720
  %x.722 = insertelement <8 x i32> poison, i32 %x.721, i64 0
  %x.723 = shufflevector <8 x i32> %x.722, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.724 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.723
  %t.725 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.50, <8 x i1> %x.724, <8 x float> zeroinitializer)
  %t.726 = load <8 x float>, ptr %x.52, align 4
  %t.727 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.54, <8 x i1> %x.724, <8 x float> zeroinitializer)
  %t.728 = load <8 x float>, ptr %x.56, align 4
  %t.729 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.58, <8 x i1> %x.724, <8 x float> zeroinitializer)
  %t.730 = load <8 x float>, ptr %x.60, align 4
  %t.731 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.62, <8 x i1> %x.724, <8 x float> zeroinitializer)
  %t.732 = load <8 x float>, ptr %x.64, align 4
  %t.733 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.66, <8 x i1> %x.724, <8 x float> zeroinitializer)
  %t.734 = load <8 x float>, ptr %x.68, align 4
  %t.735 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.70, <8 x i1> %x.724, <8 x float> zeroinitializer)
  br label %loop.736
loop.736:
  %i.738 = phi i64 [ 0, %else.444 ], [ %t.974, %loop.736 ]
  %carried.739 = phi <8 x float> [ %t.715, %else.444 ], [ %t.940, %loop.736 ]
  %carried.740 = phi <8 x float> [ %t.725, %else.444 ], [ %t.943, %loop.736 ]
  %carried.741 = phi <8 x float> [ %t.726, %else.444 ], [ %t.948, %loop.736 ]
  %carried.742 = phi <8 x float> [ %t.727, %else.444 ], [ %t.949, %loop.736 ]
  %carried.743 = phi <8 x float> [ %t.728, %else.444 ], [ %t.954, %loop.736 ]
  %carried.744 = phi <8 x float> [ %t.729, %else.444 ], [ %t.955, %loop.736 ]
  %carried.745 = phi <8 x float> [ %t.730, %else.444 ], [ %t.960, %loop.736 ]
  %carried.746 = phi <8 x float> [ %t.731, %else.444 ], [ %t.961, %loop.736 ]
  %carried.747 = phi <8 x float> [ %t.732, %else.444 ], [ %t.966, %loop.736 ]
  %carried.748 = phi <8 x float> [ %t.733, %else.444 ], [ %t.967, %loop.736 ]
  %carried.749 = phi <8 x float> [ %t.734, %else.444 ], [ %t.972, %loop.736 ]
  %carried.750 = phi <8 x float> [ %t.735, %else.444 ], [ %t.973, %loop.736 ]
  %x.751 = ashr i64 %i.738, 3
  %x.752 = mul nsw i64 %x.751, 1100
  %x.753 = getelementptr float, ptr %x.478, i64 %x.752
  %x.754 = getelementptr float, ptr %x.753, i64 16
  call void @llvm.prefetch.p0(ptr %x.754, i32 0, i32 3, i32 1)
  %x.755 = getelementptr float, ptr %x.753, i64 31
  call void @llvm.prefetch.p0(ptr %x.755, i32 0, i32 3, i32 1)
  %x.756 = getelementptr float, ptr %x.97, i64 %i.738
  %t.757 = load float, ptr %x.756, align 4, !invariant.load !0
  %x.758 = mul nsw i64 %i.738, 16
  %x.759 = getelementptr float, ptr %local.4, i64 %x.758
  %t.760 = load <8 x float>, ptr %x.759, align 4
  %x.761 = insertelement <8 x float> poison, float %t.757, i64 0
  %x.762 = shufflevector <8 x float> %x.761, <8 x float> poison, <8 x i32> zeroinitializer
  %t.763 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.762, <8 x float> %t.760, <8 x float> %carried.739)
  %x.764 = getelementptr float, ptr %x.759, i64 8
  %t.765 = load <8 x float>, ptr %x.764, align 4
  %t.766 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.762, <8 x float> %t.765, <8 x float> %carried.740)
  %x.767 = getelementptr float, ptr %x.756, i64 700
  %t.768 = load float, ptr %x.767, align 4, !invariant.load !0
  %x.769 = insertelement <8 x float> poison, float %t.768, i64 0
  %x.770 = shufflevector <8 x float> %x.769, <8 x float> poison, <8 x i32> zeroinitializer
  %t.771 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.770, <8 x float> %t.760, <8 x float> %carried.741)
  %t.772 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.770, <8 x float> %t.765, <8 x float> %carried.742)
  %x.773 = getelementptr float, ptr %x.756, i64 1400
  %t.774 = load float, ptr %x.773, align 4, !invariant.load !0
  %x.775 = insertelement <8 x float> poison, float %t.774, i64 0
  %x.776 = shufflevector <8 x float> %x.775, <8 x float> poison, <8 x i32> zeroinitializer
  %t.777 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.776, <8 x float> %t.760, <8 x float> %carried.743)
  %t.778 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.776, <8 x float> %t.765, <8 x float> %carried.744)
  %x.779 = getelementptr float, ptr %x.756, i64 2100
  %t.780 = load float, ptr %x.779, align 4, !invariant.load !0
  %x.781 = insertelement <8 x float> poison, float %t.780, i64 0
  %x.782 = shufflevector <8 x float> %x.781, <8 x float> poison, <8 x i32> zeroinitializer
  %t.783 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.782, <8 x float> %t.760, <8 x float> %carried.745)
  %t.784 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.782, <8 x float> %t.765, <8 x float> %carried.746)
  %x.785 = getelementptr float, ptr %x.756, i64 2800
  %t.786 = load float, ptr %x.785, align 4, !invariant.load !0
  %x.787 = insertelement <8 x float> poison, float %t.786, i64 0
  %x.788 = shufflevector <8 x float> %x.787, <8 x float> poison, <8 x i32> zeroinitializer
  %t.789 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.788, <8 x float> %t.760, <8 x float> %carried.747)
  %t.790 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.788, <8 x float> %t.765, <8 x float> %carried.748)
  %x.791 = getelementptr float, ptr %x.756, i64 3500
  %t.792 = load float, ptr %x.791, align 4, !invariant.load !0
  %x.793 = insertelement <8 x float> poison, float %t.792, i64 0
  %x.794 = shufflevector <8 x float> %x.793, <8 x float> poison, <8 x i32> zeroinitializer
  %t.795 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.794, <8 x float> %t.760, <8 x float> %carried.749)
  %t.796 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.794, <8 x float> %t.765, <8 x float> %carried.750)
  %t.797 = call { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } asm sideeffect "", "=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,0,1,2,3,4,5,6,7,8,9,10,11"(<8 x float> %t.763, <8 x float> %t.766, <8 x float> %t.771, <8 x float> %t.772, <8 x float> %t.777, <8 x float> %t.778, <8 x float> %t.783, <8 x float> %t.784, <8 x float> %t.789, <8 x float> %t.790, <8 x float> %t.795, <8 x float> %t.796)
  %t.798 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.797, 0
  %t.799 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.797, 1
  %t.800 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.797, 2
  %t.801 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.797, 3
  %t.802 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.797, 4
  %t.803 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.797, 5
  %t.804 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.797, 6
  %t.805 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.797, 7
  %t.806 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.797, 8
  %t.807 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.797, 9
  %t.808 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.797, 10
  %t.809 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.797, 11
  %x.810 = add nsw i64 %i.738, 1
  %x.811 = ashr i64 %x.810, 3
  %x.812 = mul nsw i64 %x.811, 1100
  %x.813 = getelementptr float, ptr %x.478, i64 %x.812
  %x.814 = getelementptr float, ptr %x.813, i64 16
  call void @llvm.prefetch.p0(ptr %x.814, i32 0, i32 3, i32 1)
  %x.815 = getelementptr float, ptr %x.813, i64 31
  call void @llvm.prefetch.p0(ptr %x.815, i32 0, i32 3, i32 1)
  %x.816 = getelementptr float, ptr %x.756, i64 1
  %t.817 = load float, ptr %x.816, align 4, !invariant.load !0
  %x.818 = getelementptr float, ptr %x.759, i64 16
  %t.819 = load <8 x float>, ptr %x.818, align 4
  %x.820 = insertelement <8 x float> poison, float %t.817, i64 0
  %x.821 = shufflevector <8 x float> %x.820, <8 x float> poison, <8 x i32> zeroinitializer
  %t.822 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.821, <8 x float> %t.819, <8 x float> %t.798)
  %x.823 = getelementptr float, ptr %x.759, i64 24
  %t.824 = load <8 x float>, ptr %x.823, align 4
  %t.825 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.821, <8 x float> %t.824, <8 x float> %t.799)
  %x.826 = getelementptr float, ptr %x.756, i64 701
  %t.827 = load float, ptr %x.826, align 4, !invariant.load !0
  %x.828 = insertelement <8 x float> poison, float %t.827, i64 0
  %x.829 = shufflevector <8 x float> %x.828, <8 x float> poison, <8 x i32> zeroinitializer
  %t.830 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.829, <8 x float> %t.819, <8 x float> %t.800)
  %t.831 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.829, <8 x float> %t.824, <8 x float> %t.801)
  %x.832 = getelementptr float, ptr %x.756, i64 1401
  %t.833 = load float, ptr %x.832, align 4, !invariant.load !0
  %x.834 = insertelement <8 x float> poison, float %t.833, i64 0
  %x.835 = shufflevector <8 x float> %x.834, <8 x float> poison, <8 x i32> zeroinitializer
  %t.836 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.835, <8 x float> %t.819, <8 x float> %t.802)
  %t.837 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.835, <8 x float> %t.824, <8 x float> %t.803)
  %x.838 = getelementptr float, ptr %x.756, i64 2101
  %t.839 = load float, ptr %x.838, align 4, !invariant.load !0
  %x.840 = insertelement <8 x float> poison, float %t.839, i64 0
  %x.841 = shufflevector <8 x float> %x.840, <8 x float> poison, <8 x i32> zeroinitializer
  %t.842 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.841, <8 x float> %t.819, <8 x float> %t.804)
  %t.843 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.841, <8 x float> %t.824, <8 x float> %t.805)
  %x.844 = getelementptr float, ptr %x.756, i64 2801
  %t.845 = load float, ptr %x.844, align 4, !invariant.load !0
  %x.846 = insertelement <8 x float> poison, float %t.845, i64 0
  %x.847 = shufflevector <8 x float> %x.846, <8 x float> poison, <8 x i32> zeroinitializer
  %t.848 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.847, <8 x float> %t.819, <8 x float> %t.806)
  %t.849 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.847, <8 x float> %t.824, <8 x float> %t.807)
  %x.850 = getelementptr float, ptr %x.756, i64 3501
  %t.851 = load float, ptr %x.850, align 4, !invariant.load !0
  %x.852 = insertelement <8 x float> poison, float %t.851, i64 0
  %x.853 = shufflevector <8 x float> %x.852, <8 x float> poison, <8 x i32> zeroinitializer
  %t.854 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.853, <8 x float> %t.819, <8 x float> %t.808)
  %t.855 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.853, <8 x float> %t.824, <8 x float> %t.809)
  %t.856 = call { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } asm sideeffect "", "=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,0,1,2,3,4,5,6,7,8,9,10,11"(<8 x float> %t.822, <8 x float> %t.825, <8 x float> %t.830, <8 x float> %t.831, <8 x float> %t.836, <8 x float> %t.837, <8 x float> %t.842, <8 x float> %t.843, <8 x float> %t.848, <8 x float> %t.849, <8 x float> %t.854, <8 x float> %t.855)
  %t.857 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.856, 0
  %t.858 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.856, 1
  %t.859 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.856, 2
  %t.860 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.856, 3
  %t.861 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.856, 4
  %t.862 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.856, 5
  %t.863 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.856, 6
  %t.864 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.856, 7
  %t.865 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.856, 8
  %t.866 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.856, 9
  %t.867 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.856, 10
  %t.868 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.856, 11
  %x.869 = add nsw i64 %i.738, 2
  %x.870 = ashr i64 %x.869, 3
  %x.871 = mul nsw i64 %x.870, 1100
  %x.872 = getelementptr float, ptr %x.478, i64 %x.871
  %x.873 = getelementptr float, ptr %x.872, i64 16
  call void @llvm.prefetch.p0(ptr %x.873, i32 0, i32 3, i32 1)
  %x.874 = getelementptr float, ptr %x.872, i64 31
  call void @llvm.prefetch.p0(ptr %x.874, i32 0, i32 3, i32 1)
  %x.875 = getelementptr float, ptr %x.756, i64 2
  %t.876 = load float, ptr %x.875, align 4, !invariant.load !0
  %x.877 = getelementptr float, ptr %x.759, i64 32
  %t.878 = load <8 x float>, ptr %x.877, align 4
  %x.879 = insertelement <8 x float> poison, float %t.876, i64 0
  %x.880 = shufflevector <8 x float> %x.879, <8 x float> poison, <8 x i32> zeroinitializer
  %t.881 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.880, <8 x float> %t.878, <8 x float> %t.857)
  %x.882 = getelementptr float, ptr %x.759, i64 40
  %t.883 = load <8 x float>, ptr %x.882, align 4
  %t.884 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.880, <8 x float> %t.883, <8 x float> %t.858)
  %x.885 = getelementptr float, ptr %x.756, i64 702
  %t.886 = load float, ptr %x.885, align 4, !invariant.load !0
  %x.887 = insertelement <8 x float> poison, float %t.886, i64 0
  %x.888 = shufflevector <8 x float> %x.887, <8 x float> poison, <8 x i32> zeroinitializer
  %t.889 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.888, <8 x float> %t.878, <8 x float> %t.859)
  %t.890 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.888, <8 x float> %t.883, <8 x float> %t.860)
  %x.891 = getelementptr float, ptr %x.756, i64 1402
  %t.892 = load float, ptr %x.891, align 4, !invariant.load !0
  %x.893 = insertelement <8 x float> poison, float %t.892, i64 0
  %x.894 = shufflevector <8 x float> %x.893, <8 x float> poison, <8 x i32> zeroinitializer
  %t.895 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.894, <8 x float> %t.878, <8 x float> %t.861)
  %t.896 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.894, <8 x float> %t.883, <8 x float> %t.862)
  %x.897 = getelementptr float, ptr %x.756, i64 2102
  %t.898 = load float, ptr %x.897, align 4, !invariant.load !0
  %x.899 = insertelement <8 x float> poison, float %t.898, i64 0
  %x.900 = shufflevector <8 x float> %x.899, <8 x float> poison, <8 x i32> zeroinitializer
  %t.901 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.900, <8 x float> %t.878, <8 x float> %t.863)
  %t.902 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.900, <8 x float> %t.883, <8 x float> %t.864)
  %x.903 = getelementptr float, ptr %x.756, i64 2802
  %t.904 = load float, ptr %x.903, align 4, !invariant.load !0
  %x.905 = insertelement <8 x float> poison, float %t.904, i64 0
  %x.906 = shufflevector <8 x float> %x.905, <8 x float> poison, <8 x i32> zeroinitializer
  %t.907 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.906, <8 x float> %t.878, <8 x float> %t.865)
  %t.908 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.906, <8 x float> %t.883, <8 x float> %t.866)
  %x.909 = getelementptr float, ptr %x.756, i64 3502
  %t.910 = load float, ptr %x.909, align 4, !invariant.load !0
  %x.911 = insertelement <8 x float> poison, float %t.910, i64 0
  %x.912 = shufflevector <8 x float> %x.911, <8 x float> poison, <8 x i32> zeroinitializer
  %t.913 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.912, <8 x float> %t.878, <8 x float> %t.867)
  %t.914 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.912, <8 x float> %t.883, <8 x float> %t.868)
  %t.915 = call { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } asm sideeffect "", "=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,=v,0,1,2,3,4,5,6,7,8,9,10,11"(<8 x float> %t.881, <8 x float> %t.884, <8 x float> %t.889, <8 x float> %t.890, <8 x float> %t.895, <8 x float> %t.896, <8 x float> %t.901, <8 x float> %t.902, <8 x float> %t.907, <8 x float> %t.908, <8 x float> %t.913, <8 x float> %t.914)
  %t.916 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.915, 0
  %t.917 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.915, 1
  %t.918 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.915, 2
  %t.919 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.915, 3
  %t.920 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.915, 4
  %t.921 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.915, 5
  %t.922 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.915, 6
  %t.923 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.915, 7
  %t.924 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.915, 8
  %t.925 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.915, 9
  %t.926 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.915, 10
  %t.927 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t.915, 11
  %x.928 = add nsw i64 %i.738, 3
  %x.929 = ashr i64 %x.928, 3
  %x.930 = mul nsw i64 %x.929, 1100
  %x.931 = getelementptr float, ptr %x.478, i64 %x.930
  %x.932 = getelementptr float, ptr %x.931, i64 16
  call void @llvm.prefetch.p0(ptr %x.932, i32 0, i32 3, i32 1)
  %x.933 = getelementptr float, ptr %x.931, i64 31
  call void @llvm.prefetch.p0(ptr %x.933, i32 0, i32 3, i32 1)
  %x.934 = getelementptr float, ptr %x.756, i64 3
  %t.935 = load float, ptr %x.934, align 4, !invariant.load !0
  %x.936 = getelementptr float, ptr %x.759, i64 48
  %t.937 = load <8 x float>, ptr %x.936, align 4
  %x.938 = insertelement <8 x float> poison, float %t.935, i64 0
  %x.939 = shufflevector <8 x float> %x.938, <8 x float> poison, <8 x i32> zeroinitializer
  %t.940 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.939, <8 x float> %t.937, <8 x float> %t.916)
  %x.941 = getelementptr float, ptr %x.759, i64 56
  %t.942 = load <8 x float>, ptr %x.941, align 4
  %t.943 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.939, <8 x float> %t.942, <8 x float> %t.917)
  %x.944 = getelementptr float, ptr %x.756, i64 703
  %t.945 = load float, ptr %x.944, align 4, !invariant.load !0
  %x.946 = insertelement <8 x float> poison, float %t.945, i64 0
  %x.947 = shufflevector <8 x float> %x.946, <8 x float> poison, <8 x i32> zeroinitializer
  %t.948 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.947, <8 x float> %t.937, <8 x float> %t.918)
  %t.949 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.947, <8 x float> %t.942, <8 x float> %t.919)
  %x.950 = getelementptr float, ptr %x.756, i64 1403
  %t.951 = load float, ptr %x.950, align 4, !invariant.load !0
  %x.952 = insertelement <8 x float> poison, float %t.951, i64 0
  %x.953 = shufflevector <8 x float> %x.952, <8 x float> poison, <8 x i32> zeroinitializer
  %t.954 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.953, <8 x float> %t.937, <8 x float> %t.920)
  %t.955 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.953, <8 x float> %t.942, <8 x float> %t.921)
  %x.956 = getelementptr float, ptr %x.756, i64 2103
  %t.957 = load float, ptr %x.956, align 4, !invariant.load !0
  %x.958 = insertelement <8 x float> poison, float %t.957, i64 0
  %x.959 = shufflevector <8 x float> %x.958, <8 x float> poison, <8 x i32> zeroinitializer
  %t.960 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.959, <8 x float> %t.937, <8 x float> %t.922)
  %t.961 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.959, <8 x float> %t.942, <8 x float> %t.923)
  %x.962 = getelementptr float, ptr %x.756, i64 2803
  %t.963 = load float, ptr %x.962, align 4, !invariant.load !0
  %x.964 = insertelement <8 x float> poison, float %t.963, i64 0
  %x.965 = shufflevector <8 x float> %x.964, <8 x float> poison, <8 x i32> zeroinitializer
  %t.966 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.965, <8 x float> %t.937, <8 x float> %t.924)
  %t.967 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.965, <8 x float> %t.942, <8 x float> %t.925)
  %x.968 = getelementptr float, ptr %x.756, i64 3503
  %t.969 = load float, ptr %x.968, align 4, !invariant.load !0
  %x.970 = insertelement <8 x float> poison, float %t.969, i64 0
  %x.971 = shufflevector <8 x float> %x.970, <8 x float> poison, <8 x i32> zeroinitializer
  %t.972 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.971, <8 x float> %t.937, <8 x float> %t.926)
  %t.973 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.971, <8 x float> %t.942, <8 x float> %t.927)
  %t.974 = add nsw i64 %i.738, 4
  %t.975 = icmp slt i64 %t.974, 700
  br i1 %t.975, label %loop.736, label %done.737, !llvm.loop !7
done.737:
  %t.976 = phi <8 x float> [ %t.940, %loop.736 ]
  %t.977 = phi <8 x float> [ %t.943, %loop.736 ]
  %t.978 = phi <8 x float> [ %t.948, %loop.736 ]
  %t.979 = phi <8 x float> [ %t.949, %loop.736 ]
  %t.980 = phi <8 x float> [ %t.954, %loop.736 ]
  %t.981 = phi <8 x float> [ %t.955, %loop.736 ]
  %t.982 = phi <8 x float> [ %t.960, %loop.736 ]
  %t.983 = phi <8 x float> [ %t.961, %loop.736 ]
  %t.984 = phi <8 x float> [ %t.966, %loop.736 ]
  %t.985 = phi <8 x float> [ %t.967, %loop.736 ]
  %t.986 = phi <8 x float> [ %t.972, %loop.736 ]
  %t.987 = phi <8 x float> [ %t.973, %loop.736 ]
  store <8 x float> %t.976, ptr %x.14, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.977, ptr align 4 %x.50, <8 x i1> %x.724)
  store <8 x float> %t.978, ptr %x.52, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.979, ptr align 4 %x.54, <8 x i1> %x.724)
  store <8 x float> %t.980, ptr %x.56, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.981, ptr align 4 %x.58, <8 x i1> %x.724)
  store <8 x float> %t.982, ptr %x.60, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.983, ptr align 4 %x.62, <8 x i1> %x.724)
  store <8 x float> %t.984, ptr %x.64, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.985, ptr align 4 %x.66, <8 x i1> %x.724)
  store <8 x float> %t.986, ptr %x.68, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.987, ptr align 4 %x.70, <8 x i1> %x.724)
  br label %done.445
done.445:
  br label %done.43
done.43:
  %t.988 = add nsw i64 %i.10, 1
  %t.989 = icmp slt i64 %t.988, 20
  br i1 %t.989, label %loop.8, label %done.9, !llvm.loop !8
done.9:
  %t.990 = add nsw i64 %i.7, 1
  %t.991 = icmp slt i64 %t.990, 69
  br i1 %t.991, label %loop.5, label %done.6, !llvm.loop !9
done.6:
  call void @free(ptr %local.4)
  ret void
}

define void @"product__packed.call"(ptr %slots) #0 {
  %s0 = getelementptr i64, ptr %slots, i64 0
  %v0 = load ptr, ptr %s0, align 8
  %s1 = getelementptr i64, ptr %slots, i64 1
  %v1 = load ptr, ptr %s1, align 8
  %s2 = getelementptr i64, ptr %slots, i64 2
  %v2 = load ptr, ptr %s2, align 8
  call void @"product__packed"(ptr %v0, ptr %v1, ptr %v2)
  ret void
}

declare noalias ptr @aligned_alloc(i64, i64) nounwind
declare void @free(ptr) nounwind
attributes #0 = { nounwind mustprogress "target-cpu"="x86-64-v3" "target-features"="" "prefer-vector-width"="256" }
!0 = !{}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = !{!"llvm.loop.align", i32 64}
!4 = distinct !{!4, !1, !2, !3}
!5 = distinct !{!5, !1, !2, !3}
!6 = distinct !{!6, !1, !2, !3}
!7 = distinct !{!7, !1, !2, !3}
!8 = distinct !{!8, !1, !2}
!9 = distinct !{!9, !1, !2}
