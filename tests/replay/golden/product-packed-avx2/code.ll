target triple = "x86_64-unknown-linux-gnu"

define void @"product__packed"(ptr noalias nocapture noundef readonly align 4 %"a.A", ptr noalias nocapture noundef readonly align 4 %"a.B", ptr noalias nocapture noundef align 4 %"a.C") #0 {
entry:
  %kept.642 = alloca i32
  %kept.326 = alloca i32
  %t.1 = mul i64 11200, 4
  %t.2 = add i64 %t.1, 127
  %t.3 = and i64 %t.2, -64
  %local.4 = call noalias ptr @aligned_alloc(i64 64, i64 %t.3)
  br label %loop.5
loop.5:
  %i.7 = phi i64 [ 0, %entry ], [ %t.873, %done.9 ]
  %x.11 = mul nsw i64 %i.7, 16
  %x.12 = getelementptr float, ptr %"a.C", i64 %x.11
  %x.44 = mul nsw i64 %i.7, -1
  %x.45 = icmp sge i64 %x.44, -67
  %x.87 = getelementptr float, ptr %"a.B", i64 %x.11
  %x.319 = mul nsw i64 %i.7, -16
  %x.320 = add nsw i64 %x.319, 1100
  %x.321 = call i64 @llvm.smin.i64(i64 12, i64 %x.320)
  %x.322 = add nsw i64 %x.321, -8
  %x.323 = call i64 @llvm.smax.i64(i64 0, i64 %x.322)
  %x.324 = call i64 @llvm.smin.i64(i64 8, i64 %x.323)
  %x.325 = trunc i64 %x.324 to i32
  store i32 %x.325, ptr %kept.326
  %x.400 = add nsw i64 %x.11, 16
  %x.401 = call i64 @llvm.smin.i64(i64 1100, i64 %x.400)
  %x.402 = add nsw i64 %x.319, %x.401
  %x.403 = icmp sge i64 %x.402, 16
  %x.638 = add nsw i64 %x.402, -8
  %x.639 = call i64 @llvm.smax.i64(i64 0, i64 %x.638)
  %x.640 = call i64 @llvm.smin.i64(i64 8, i64 %x.639)
  %x.641 = trunc i64 %x.640 to i32
  store i32 %x.641, ptr %kept.642
  br label %loop.8
loop.8:
  %i.10 = phi i64 [ 0, %loop.5 ], [ %t.871, %done.43 ]
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
  %x.274 = getelementptr float, ptr %x.21, i64 1088
  %x.276 = getelementptr float, ptr %x.21, i64 1096
  %x.278 = getelementptr float, ptr %x.21, i64 2188
  %x.280 = getelementptr float, ptr %x.21, i64 2196
  %x.282 = getelementptr float, ptr %x.21, i64 3288
  %x.284 = getelementptr float, ptr %x.21, i64 3296
  %x.286 = getelementptr float, ptr %x.21, i64 4388
  %x.288 = getelementptr float, ptr %x.21, i64 4396
  %x.290 = getelementptr float, ptr %x.21, i64 5488
  %x.292 = getelementptr float, ptr %x.21, i64 5496
  %x.294 = getelementptr float, ptr %x.21, i64 6588
  %x.296 = getelementptr float, ptr %x.21, i64 6596
  %x.435 = add nsw i64 %i.10, -1
  %x.436 = call i64 @llvm.smax.i64(i64 0, i64 %x.435)
  %x.437 = call i64 @llvm.smin.i64(i64 7, i64 %x.436)
  %x.438 = mul nsw i64 %x.437, 96800
  %x.439 = getelementptr float, ptr %x.87, i64 %x.438
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
  %i.74 = phi i64 [ 0, %then.46 ], [ %t.260, %loop.72 ]
  %carried.75 = phi <8 x float> [ %t.49, %then.46 ], [ %t.228, %loop.72 ]
  %carried.76 = phi <8 x float> [ %t.51, %then.46 ], [ %t.229, %loop.72 ]
  %carried.77 = phi <8 x float> [ %t.53, %then.46 ], [ %t.234, %loop.72 ]
  %carried.78 = phi <8 x float> [ %t.55, %then.46 ], [ %t.235, %loop.72 ]
  %carried.79 = phi <8 x float> [ %t.57, %then.46 ], [ %t.240, %loop.72 ]
  %carried.80 = phi <8 x float> [ %t.59, %then.46 ], [ %t.241, %loop.72 ]
  %carried.81 = phi <8 x float> [ %t.61, %then.46 ], [ %t.246, %loop.72 ]
  %carried.82 = phi <8 x float> [ %t.63, %then.46 ], [ %t.247, %loop.72 ]
  %carried.83 = phi <8 x float> [ %t.65, %then.46 ], [ %t.252, %loop.72 ]
  %carried.84 = phi <8 x float> [ %t.67, %then.46 ], [ %t.253, %loop.72 ]
  %carried.85 = phi <8 x float> [ %t.69, %then.46 ], [ %t.258, %loop.72 ]
  %carried.86 = phi <8 x float> [ %t.71, %then.46 ], [ %t.259, %loop.72 ]
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
  call void asm sideeffect "", ""()
  %x.134 = getelementptr float, ptr %x.89, i64 1100
  %t.135 = load <8 x float>, ptr %x.134, align 4, !invariant.load !0
  %x.136 = getelementptr float, ptr %x.92, i64 16
  store <8 x float> %t.135, ptr %x.136, align 4
  %x.137 = getelementptr float, ptr %x.89, i64 1108
  %t.138 = load <8 x float>, ptr %x.137, align 4, !invariant.load !0
  %x.139 = getelementptr float, ptr %x.92, i64 24
  store <8 x float> %t.138, ptr %x.139, align 4
  %x.140 = getelementptr float, ptr %x.98, i64 1
  %t.141 = load float, ptr %x.140, align 4, !invariant.load !0
  %x.142 = insertelement <8 x float> poison, float %t.141, i64 0
  %x.143 = shufflevector <8 x float> %x.142, <8 x float> poison, <8 x i32> zeroinitializer
  %t.144 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.143, <8 x float> %t.135, <8 x float> %t.102)
  %t.145 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.143, <8 x float> %t.138, <8 x float> %t.103)
  %x.146 = getelementptr float, ptr %x.98, i64 701
  %t.147 = load float, ptr %x.146, align 4, !invariant.load !0
  %x.148 = insertelement <8 x float> poison, float %t.147, i64 0
  %x.149 = shufflevector <8 x float> %x.148, <8 x float> poison, <8 x i32> zeroinitializer
  %t.150 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.149, <8 x float> %t.135, <8 x float> %t.108)
  %t.151 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.149, <8 x float> %t.138, <8 x float> %t.109)
  %x.152 = getelementptr float, ptr %x.98, i64 1401
  %t.153 = load float, ptr %x.152, align 4, !invariant.load !0
  %x.154 = insertelement <8 x float> poison, float %t.153, i64 0
  %x.155 = shufflevector <8 x float> %x.154, <8 x float> poison, <8 x i32> zeroinitializer
  %t.156 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.155, <8 x float> %t.135, <8 x float> %t.114)
  %t.157 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.155, <8 x float> %t.138, <8 x float> %t.115)
  %x.158 = getelementptr float, ptr %x.98, i64 2101
  %t.159 = load float, ptr %x.158, align 4, !invariant.load !0
  %x.160 = insertelement <8 x float> poison, float %t.159, i64 0
  %x.161 = shufflevector <8 x float> %x.160, <8 x float> poison, <8 x i32> zeroinitializer
  %t.162 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.161, <8 x float> %t.135, <8 x float> %t.120)
  %t.163 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.161, <8 x float> %t.138, <8 x float> %t.121)
  %x.164 = getelementptr float, ptr %x.98, i64 2801
  %t.165 = load float, ptr %x.164, align 4, !invariant.load !0
  %x.166 = insertelement <8 x float> poison, float %t.165, i64 0
  %x.167 = shufflevector <8 x float> %x.166, <8 x float> poison, <8 x i32> zeroinitializer
  %t.168 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.167, <8 x float> %t.135, <8 x float> %t.126)
  %t.169 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.167, <8 x float> %t.138, <8 x float> %t.127)
  %x.170 = getelementptr float, ptr %x.98, i64 3501
  %t.171 = load float, ptr %x.170, align 4, !invariant.load !0
  %x.172 = insertelement <8 x float> poison, float %t.171, i64 0
  %x.173 = shufflevector <8 x float> %x.172, <8 x float> poison, <8 x i32> zeroinitializer
  %t.174 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.173, <8 x float> %t.135, <8 x float> %t.132)
  %t.175 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.173, <8 x float> %t.138, <8 x float> %t.133)
  call void asm sideeffect "", ""()
  %x.176 = getelementptr float, ptr %x.89, i64 2200
  %t.177 = load <8 x float>, ptr %x.176, align 4, !invariant.load !0
  %x.178 = getelementptr float, ptr %x.92, i64 32
  store <8 x float> %t.177, ptr %x.178, align 4
  %x.179 = getelementptr float, ptr %x.89, i64 2208
  %t.180 = load <8 x float>, ptr %x.179, align 4, !invariant.load !0
  %x.181 = getelementptr float, ptr %x.92, i64 40
  store <8 x float> %t.180, ptr %x.181, align 4
  %x.182 = getelementptr float, ptr %x.98, i64 2
  %t.183 = load float, ptr %x.182, align 4, !invariant.load !0
  %x.184 = insertelement <8 x float> poison, float %t.183, i64 0
  %x.185 = shufflevector <8 x float> %x.184, <8 x float> poison, <8 x i32> zeroinitializer
  %t.186 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.185, <8 x float> %t.177, <8 x float> %t.144)
  %t.187 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.185, <8 x float> %t.180, <8 x float> %t.145)
  %x.188 = getelementptr float, ptr %x.98, i64 702
  %t.189 = load float, ptr %x.188, align 4, !invariant.load !0
  %x.190 = insertelement <8 x float> poison, float %t.189, i64 0
  %x.191 = shufflevector <8 x float> %x.190, <8 x float> poison, <8 x i32> zeroinitializer
  %t.192 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.191, <8 x float> %t.177, <8 x float> %t.150)
  %t.193 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.191, <8 x float> %t.180, <8 x float> %t.151)
  %x.194 = getelementptr float, ptr %x.98, i64 1402
  %t.195 = load float, ptr %x.194, align 4, !invariant.load !0
  %x.196 = insertelement <8 x float> poison, float %t.195, i64 0
  %x.197 = shufflevector <8 x float> %x.196, <8 x float> poison, <8 x i32> zeroinitializer
  %t.198 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.197, <8 x float> %t.177, <8 x float> %t.156)
  %t.199 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.197, <8 x float> %t.180, <8 x float> %t.157)
  %x.200 = getelementptr float, ptr %x.98, i64 2102
  %t.201 = load float, ptr %x.200, align 4, !invariant.load !0
  %x.202 = insertelement <8 x float> poison, float %t.201, i64 0
  %x.203 = shufflevector <8 x float> %x.202, <8 x float> poison, <8 x i32> zeroinitializer
  %t.204 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.203, <8 x float> %t.177, <8 x float> %t.162)
  %t.205 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.203, <8 x float> %t.180, <8 x float> %t.163)
  %x.206 = getelementptr float, ptr %x.98, i64 2802
  %t.207 = load float, ptr %x.206, align 4, !invariant.load !0
  %x.208 = insertelement <8 x float> poison, float %t.207, i64 0
  %x.209 = shufflevector <8 x float> %x.208, <8 x float> poison, <8 x i32> zeroinitializer
  %t.210 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.209, <8 x float> %t.177, <8 x float> %t.168)
  %t.211 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.209, <8 x float> %t.180, <8 x float> %t.169)
  %x.212 = getelementptr float, ptr %x.98, i64 3502
  %t.213 = load float, ptr %x.212, align 4, !invariant.load !0
  %x.214 = insertelement <8 x float> poison, float %t.213, i64 0
  %x.215 = shufflevector <8 x float> %x.214, <8 x float> poison, <8 x i32> zeroinitializer
  %t.216 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.215, <8 x float> %t.177, <8 x float> %t.174)
  %t.217 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.215, <8 x float> %t.180, <8 x float> %t.175)
  call void asm sideeffect "", ""()
  %x.218 = getelementptr float, ptr %x.89, i64 3300
  %t.219 = load <8 x float>, ptr %x.218, align 4, !invariant.load !0
  %x.220 = getelementptr float, ptr %x.92, i64 48
  store <8 x float> %t.219, ptr %x.220, align 4
  %x.221 = getelementptr float, ptr %x.89, i64 3308
  %t.222 = load <8 x float>, ptr %x.221, align 4, !invariant.load !0
  %x.223 = getelementptr float, ptr %x.92, i64 56
  store <8 x float> %t.222, ptr %x.223, align 4
  %x.224 = getelementptr float, ptr %x.98, i64 3
  %t.225 = load float, ptr %x.224, align 4, !invariant.load !0
  %x.226 = insertelement <8 x float> poison, float %t.225, i64 0
  %x.227 = shufflevector <8 x float> %x.226, <8 x float> poison, <8 x i32> zeroinitializer
  %t.228 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.227, <8 x float> %t.219, <8 x float> %t.186)
  %t.229 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.227, <8 x float> %t.222, <8 x float> %t.187)
  %x.230 = getelementptr float, ptr %x.98, i64 703
  %t.231 = load float, ptr %x.230, align 4, !invariant.load !0
  %x.232 = insertelement <8 x float> poison, float %t.231, i64 0
  %x.233 = shufflevector <8 x float> %x.232, <8 x float> poison, <8 x i32> zeroinitializer
  %t.234 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.233, <8 x float> %t.219, <8 x float> %t.192)
  %t.235 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.233, <8 x float> %t.222, <8 x float> %t.193)
  %x.236 = getelementptr float, ptr %x.98, i64 1403
  %t.237 = load float, ptr %x.236, align 4, !invariant.load !0
  %x.238 = insertelement <8 x float> poison, float %t.237, i64 0
  %x.239 = shufflevector <8 x float> %x.238, <8 x float> poison, <8 x i32> zeroinitializer
  %t.240 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.239, <8 x float> %t.219, <8 x float> %t.198)
  %t.241 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.239, <8 x float> %t.222, <8 x float> %t.199)
  %x.242 = getelementptr float, ptr %x.98, i64 2103
  %t.243 = load float, ptr %x.242, align 4, !invariant.load !0
  %x.244 = insertelement <8 x float> poison, float %t.243, i64 0
  %x.245 = shufflevector <8 x float> %x.244, <8 x float> poison, <8 x i32> zeroinitializer
  %t.246 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.245, <8 x float> %t.219, <8 x float> %t.204)
  %t.247 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.245, <8 x float> %t.222, <8 x float> %t.205)
  %x.248 = getelementptr float, ptr %x.98, i64 2803
  %t.249 = load float, ptr %x.248, align 4, !invariant.load !0
  %x.250 = insertelement <8 x float> poison, float %t.249, i64 0
  %x.251 = shufflevector <8 x float> %x.250, <8 x float> poison, <8 x i32> zeroinitializer
  %t.252 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.251, <8 x float> %t.219, <8 x float> %t.210)
  %t.253 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.251, <8 x float> %t.222, <8 x float> %t.211)
  %x.254 = getelementptr float, ptr %x.98, i64 3503
  %t.255 = load float, ptr %x.254, align 4, !invariant.load !0
  %x.256 = insertelement <8 x float> poison, float %t.255, i64 0
  %x.257 = shufflevector <8 x float> %x.256, <8 x float> poison, <8 x i32> zeroinitializer
  %t.258 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.257, <8 x float> %t.219, <8 x float> %t.216)
  %t.259 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.257, <8 x float> %t.222, <8 x float> %t.217)
  %t.260 = add nsw i64 %i.74, 4
  %t.261 = icmp slt i64 %t.260, 700
  br i1 %t.261, label %loop.72, label %done.73, !llvm.loop !4
done.73:
  %t.262 = phi <8 x float> [ %t.228, %loop.72 ]
  %t.263 = phi <8 x float> [ %t.229, %loop.72 ]
  %t.264 = phi <8 x float> [ %t.234, %loop.72 ]
  %t.265 = phi <8 x float> [ %t.235, %loop.72 ]
  %t.266 = phi <8 x float> [ %t.240, %loop.72 ]
  %t.267 = phi <8 x float> [ %t.241, %loop.72 ]
  %t.268 = phi <8 x float> [ %t.246, %loop.72 ]
  %t.269 = phi <8 x float> [ %t.247, %loop.72 ]
  %t.270 = phi <8 x float> [ %t.252, %loop.72 ]
  %t.271 = phi <8 x float> [ %t.253, %loop.72 ]
  %t.272 = phi <8 x float> [ %t.258, %loop.72 ]
  %t.273 = phi <8 x float> [ %t.259, %loop.72 ]
  store <8 x float> %t.262, ptr %x.14, align 4
  store <8 x float> %t.263, ptr %x.50, align 4
  store <8 x float> %t.264, ptr %x.52, align 4
  store <8 x float> %t.265, ptr %x.54, align 4
  store <8 x float> %t.266, ptr %x.56, align 4
  store <8 x float> %t.267, ptr %x.58, align 4
  store <8 x float> %t.268, ptr %x.60, align 4
  store <8 x float> %t.269, ptr %x.62, align 4
  store <8 x float> %t.270, ptr %x.64, align 4
  store <8 x float> %t.271, ptr %x.66, align 4
  store <8 x float> %t.272, ptr %x.68, align 4
  store <8 x float> %t.273, ptr %x.70, align 4
  br label %done.48
else.47:
  %t.275 = load <8 x float>, ptr %x.274, align 4
  %t.277 = load <4 x float>, ptr %x.276, align 4
  %t.279 = load <8 x float>, ptr %x.278, align 4
  %t.281 = load <4 x float>, ptr %x.280, align 4
  %t.283 = load <8 x float>, ptr %x.282, align 4
  %t.285 = load <4 x float>, ptr %x.284, align 4
  %t.287 = load <8 x float>, ptr %x.286, align 4
  %t.289 = load <4 x float>, ptr %x.288, align 4
  %t.291 = load <8 x float>, ptr %x.290, align 4
  %t.293 = load <4 x float>, ptr %x.292, align 4
  %t.295 = load <8 x float>, ptr %x.294, align 4
  %t.297 = load <4 x float>, ptr %x.296, align 4
  %x.327 = load volatile i32, ptr %kept.326
  %x.328 = insertelement <8 x i32> poison, i32 %x.327, i64 0
  %x.329 = shufflevector <8 x i32> %x.328, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.330 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.329
  br label %loop.298
loop.298:
  %i.300 = phi i64 [ 0, %else.47 ], [ %t.386, %loop.298 ]
  %carried.301 = phi <8 x float> [ %t.275, %else.47 ], [ %t.340, %loop.298 ]
  %carried.302 = phi <4 x float> [ %t.277, %else.47 ], [ %t.345, %loop.298 ]
  %carried.303 = phi <8 x float> [ %t.279, %else.47 ], [ %t.350, %loop.298 ]
  %carried.304 = phi <4 x float> [ %t.281, %else.47 ], [ %t.353, %loop.298 ]
  %carried.305 = phi <8 x float> [ %t.283, %else.47 ], [ %t.358, %loop.298 ]
  %carried.306 = phi <4 x float> [ %t.285, %else.47 ], [ %t.361, %loop.298 ]
  %carried.307 = phi <8 x float> [ %t.287, %else.47 ], [ %t.366, %loop.298 ]
  %carried.308 = phi <4 x float> [ %t.289, %else.47 ], [ %t.369, %loop.298 ]
  %carried.309 = phi <8 x float> [ %t.291, %else.47 ], [ %t.374, %loop.298 ]
  %carried.310 = phi <4 x float> [ %t.293, %else.47 ], [ %t.377, %loop.298 ]
  %carried.311 = phi <8 x float> [ %t.295, %else.47 ], [ %t.382, %loop.298 ]
  %carried.312 = phi <4 x float> [ %t.297, %else.47 ], [ %t.385, %loop.298 ]
  %x.313 = mul nsw i64 %i.300, 1100
  %x.314 = getelementptr float, ptr %x.87, i64 %x.313
  %t.315 = load <8 x float>, ptr %x.314, align 4, !invariant.load !0
  %x.316 = mul nsw i64 %i.300, 16
  %x.317 = getelementptr float, ptr %local.4, i64 %x.316
  store <8 x float> %t.315, ptr %x.317, align 4
  %x.318 = getelementptr float, ptr %x.314, i64 8
  %t.331 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.318, <8 x i1> %x.330, <8 x float> zeroinitializer)
  %x.332 = getelementptr float, ptr %x.317, i64 8
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.331, ptr align 4 %x.332, <8 x i1> %x.330)
  %x.333 = getelementptr float, ptr %x.97, i64 %i.300
  %t.334 = load float, ptr %x.333, align 4, !invariant.load !0
  %x.335 = getelementptr float, ptr %"a.B", i64 %x.313
  %x.336 = getelementptr float, ptr %x.335, i64 1088
  %t.337 = load <8 x float>, ptr %x.336, align 4, !invariant.load !0
  %x.338 = insertelement <8 x float> poison, float %t.334, i64 0
  %x.339 = shufflevector <8 x float> %x.338, <8 x float> poison, <8 x i32> zeroinitializer
  %t.340 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.339, <8 x float> %t.337, <8 x float> %carried.301)
  %x.341 = getelementptr float, ptr %x.335, i64 1096
  %t.342 = load <4 x float>, ptr %x.341, align 4, !invariant.load !0
  %x.343 = insertelement <4 x float> poison, float %t.334, i64 0
  %x.344 = shufflevector <4 x float> %x.343, <4 x float> poison, <4 x i32> zeroinitializer
  %t.345 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.344, <4 x float> %t.342, <4 x float> %carried.302)
  %x.346 = getelementptr float, ptr %x.333, i64 700
  %t.347 = load float, ptr %x.346, align 4, !invariant.load !0
  %x.348 = insertelement <8 x float> poison, float %t.347, i64 0
  %x.349 = shufflevector <8 x float> %x.348, <8 x float> poison, <8 x i32> zeroinitializer
  %t.350 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.349, <8 x float> %t.337, <8 x float> %carried.303)
  %x.351 = insertelement <4 x float> poison, float %t.347, i64 0
  %x.352 = shufflevector <4 x float> %x.351, <4 x float> poison, <4 x i32> zeroinitializer
  %t.353 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.352, <4 x float> %t.342, <4 x float> %carried.304)
  %x.354 = getelementptr float, ptr %x.333, i64 1400
  %t.355 = load float, ptr %x.354, align 4, !invariant.load !0
  %x.356 = insertelement <8 x float> poison, float %t.355, i64 0
  %x.357 = shufflevector <8 x float> %x.356, <8 x float> poison, <8 x i32> zeroinitializer
  %t.358 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.357, <8 x float> %t.337, <8 x float> %carried.305)
  %x.359 = insertelement <4 x float> poison, float %t.355, i64 0
  %x.360 = shufflevector <4 x float> %x.359, <4 x float> poison, <4 x i32> zeroinitializer
  %t.361 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.360, <4 x float> %t.342, <4 x float> %carried.306)
  %x.362 = getelementptr float, ptr %x.333, i64 2100
  %t.363 = load float, ptr %x.362, align 4, !invariant.load !0
  %x.364 = insertelement <8 x float> poison, float %t.363, i64 0
  %x.365 = shufflevector <8 x float> %x.364, <8 x float> poison, <8 x i32> zeroinitializer
  %t.366 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.365, <8 x float> %t.337, <8 x float> %carried.307)
  %x.367 = insertelement <4 x float> poison, float %t.363, i64 0
  %x.368 = shufflevector <4 x float> %x.367, <4 x float> poison, <4 x i32> zeroinitializer
  %t.369 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.368, <4 x float> %t.342, <4 x float> %carried.308)
  %x.370 = getelementptr float, ptr %x.333, i64 2800
  %t.371 = load float, ptr %x.370, align 4, !invariant.load !0
  %x.372 = insertelement <8 x float> poison, float %t.371, i64 0
  %x.373 = shufflevector <8 x float> %x.372, <8 x float> poison, <8 x i32> zeroinitializer
  %t.374 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.373, <8 x float> %t.337, <8 x float> %carried.309)
  %x.375 = insertelement <4 x float> poison, float %t.371, i64 0
  %x.376 = shufflevector <4 x float> %x.375, <4 x float> poison, <4 x i32> zeroinitializer
  %t.377 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.376, <4 x float> %t.342, <4 x float> %carried.310)
  %x.378 = getelementptr float, ptr %x.333, i64 3500
  %t.379 = load float, ptr %x.378, align 4, !invariant.load !0
  %x.380 = insertelement <8 x float> poison, float %t.379, i64 0
  %x.381 = shufflevector <8 x float> %x.380, <8 x float> poison, <8 x i32> zeroinitializer
  %t.382 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.381, <8 x float> %t.337, <8 x float> %carried.311)
  %x.383 = insertelement <4 x float> poison, float %t.379, i64 0
  %x.384 = shufflevector <4 x float> %x.383, <4 x float> poison, <4 x i32> zeroinitializer
  %t.385 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.384, <4 x float> %t.342, <4 x float> %carried.312)
  %t.386 = add nsw i64 %i.300, 1
  %t.387 = icmp slt i64 %t.386, 700
  br i1 %t.387, label %loop.298, label %done.299, !llvm.loop !5
done.299:
  %t.388 = phi <8 x float> [ %t.340, %loop.298 ]
  %t.389 = phi <4 x float> [ %t.345, %loop.298 ]
  %t.390 = phi <8 x float> [ %t.350, %loop.298 ]
  %t.391 = phi <4 x float> [ %t.353, %loop.298 ]
  %t.392 = phi <8 x float> [ %t.358, %loop.298 ]
  %t.393 = phi <4 x float> [ %t.361, %loop.298 ]
  %t.394 = phi <8 x float> [ %t.366, %loop.298 ]
  %t.395 = phi <4 x float> [ %t.369, %loop.298 ]
  %t.396 = phi <8 x float> [ %t.374, %loop.298 ]
  %t.397 = phi <4 x float> [ %t.377, %loop.298 ]
  %t.398 = phi <8 x float> [ %t.382, %loop.298 ]
  %t.399 = phi <4 x float> [ %t.385, %loop.298 ]
  store <8 x float> %t.388, ptr %x.274, align 4
  store <4 x float> %t.389, ptr %x.276, align 4
  store <8 x float> %t.390, ptr %x.278, align 4
  store <4 x float> %t.391, ptr %x.280, align 4
  store <8 x float> %t.392, ptr %x.282, align 4
  store <4 x float> %t.393, ptr %x.284, align 4
  store <8 x float> %t.394, ptr %x.286, align 4
  store <4 x float> %t.395, ptr %x.288, align 4
  store <8 x float> %t.396, ptr %x.290, align 4
  store <4 x float> %t.397, ptr %x.292, align 4
  store <8 x float> %t.398, ptr %x.294, align 4
  store <4 x float> %t.399, ptr %x.296, align 4
  br label %done.48
done.48:
  br label %done.43
else.42:
  br i1 %x.403, label %then.404, label %else.405
then.404:
  %t.407 = load <8 x float>, ptr %x.14, align 4
  %t.408 = load <8 x float>, ptr %x.50, align 4
  %t.409 = load <8 x float>, ptr %x.52, align 4
  %t.410 = load <8 x float>, ptr %x.54, align 4
  %t.411 = load <8 x float>, ptr %x.56, align 4
  %t.412 = load <8 x float>, ptr %x.58, align 4
  %t.413 = load <8 x float>, ptr %x.60, align 4
  %t.414 = load <8 x float>, ptr %x.62, align 4
  %t.415 = load <8 x float>, ptr %x.64, align 4
  %t.416 = load <8 x float>, ptr %x.66, align 4
  %t.417 = load <8 x float>, ptr %x.68, align 4
  %t.418 = load <8 x float>, ptr %x.70, align 4
  br label %loop.419
loop.419:
  %i.421 = phi i64 [ 0, %then.404 ], [ %t.623, %loop.419 ]
  %carried.422 = phi <8 x float> [ %t.407, %then.404 ], [ %t.589, %loop.419 ]
  %carried.423 = phi <8 x float> [ %t.408, %then.404 ], [ %t.592, %loop.419 ]
  %carried.424 = phi <8 x float> [ %t.409, %then.404 ], [ %t.597, %loop.419 ]
  %carried.425 = phi <8 x float> [ %t.410, %then.404 ], [ %t.598, %loop.419 ]
  %carried.426 = phi <8 x float> [ %t.411, %then.404 ], [ %t.603, %loop.419 ]
  %carried.427 = phi <8 x float> [ %t.412, %then.404 ], [ %t.604, %loop.419 ]
  %carried.428 = phi <8 x float> [ %t.413, %then.404 ], [ %t.609, %loop.419 ]
  %carried.429 = phi <8 x float> [ %t.414, %then.404 ], [ %t.610, %loop.419 ]
  %carried.430 = phi <8 x float> [ %t.415, %then.404 ], [ %t.615, %loop.419 ]
  %carried.431 = phi <8 x float> [ %t.416, %then.404 ], [ %t.616, %loop.419 ]
  %carried.432 = phi <8 x float> [ %t.417, %then.404 ], [ %t.621, %loop.419 ]
  %carried.433 = phi <8 x float> [ %t.418, %then.404 ], [ %t.622, %loop.419 ]
  %x.434 = ashr i64 %i.421, 3
  %x.440 = mul nsw i64 %x.434, 1100
  %x.441 = getelementptr float, ptr %x.439, i64 %x.440
  %x.442 = getelementptr float, ptr %x.441, i64 16
  call void @llvm.prefetch.p0(ptr %x.442, i32 0, i32 3, i32 1)
  %x.443 = getelementptr float, ptr %x.441, i64 31
  call void @llvm.prefetch.p0(ptr %x.443, i32 0, i32 3, i32 1)
  %x.444 = getelementptr float, ptr %x.97, i64 %i.421
  %t.445 = load float, ptr %x.444, align 4, !invariant.load !0
  %x.446 = mul nsw i64 %i.421, 16
  %x.447 = getelementptr float, ptr %local.4, i64 %x.446
  %t.448 = load <8 x float>, ptr %x.447, align 4
  %x.449 = insertelement <8 x float> poison, float %t.445, i64 0
  %x.450 = shufflevector <8 x float> %x.449, <8 x float> poison, <8 x i32> zeroinitializer
  %t.451 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.450, <8 x float> %t.448, <8 x float> %carried.422)
  %x.452 = getelementptr float, ptr %x.447, i64 8
  %t.453 = load <8 x float>, ptr %x.452, align 4
  %t.454 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.450, <8 x float> %t.453, <8 x float> %carried.423)
  %x.455 = getelementptr float, ptr %x.444, i64 700
  %t.456 = load float, ptr %x.455, align 4, !invariant.load !0
  %x.457 = insertelement <8 x float> poison, float %t.456, i64 0
  %x.458 = shufflevector <8 x float> %x.457, <8 x float> poison, <8 x i32> zeroinitializer
  %t.459 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.458, <8 x float> %t.448, <8 x float> %carried.424)
  %t.460 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.458, <8 x float> %t.453, <8 x float> %carried.425)
  %x.461 = getelementptr float, ptr %x.444, i64 1400
  %t.462 = load float, ptr %x.461, align 4, !invariant.load !0
  %x.463 = insertelement <8 x float> poison, float %t.462, i64 0
  %x.464 = shufflevector <8 x float> %x.463, <8 x float> poison, <8 x i32> zeroinitializer
  %t.465 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.464, <8 x float> %t.448, <8 x float> %carried.426)
  %t.466 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.464, <8 x float> %t.453, <8 x float> %carried.427)
  %x.467 = getelementptr float, ptr %x.444, i64 2100
  %t.468 = load float, ptr %x.467, align 4, !invariant.load !0
  %x.469 = insertelement <8 x float> poison, float %t.468, i64 0
  %x.470 = shufflevector <8 x float> %x.469, <8 x float> poison, <8 x i32> zeroinitializer
  %t.471 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.470, <8 x float> %t.448, <8 x float> %carried.428)
  %t.472 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.470, <8 x float> %t.453, <8 x float> %carried.429)
  %x.473 = getelementptr float, ptr %x.444, i64 2800
  %t.474 = load float, ptr %x.473, align 4, !invariant.load !0
  %x.475 = insertelement <8 x float> poison, float %t.474, i64 0
  %x.476 = shufflevector <8 x float> %x.475, <8 x float> poison, <8 x i32> zeroinitializer
  %t.477 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.476, <8 x float> %t.448, <8 x float> %carried.430)
  %t.478 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.476, <8 x float> %t.453, <8 x float> %carried.431)
  %x.479 = getelementptr float, ptr %x.444, i64 3500
  %t.480 = load float, ptr %x.479, align 4, !invariant.load !0
  %x.481 = insertelement <8 x float> poison, float %t.480, i64 0
  %x.482 = shufflevector <8 x float> %x.481, <8 x float> poison, <8 x i32> zeroinitializer
  %t.483 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.482, <8 x float> %t.448, <8 x float> %carried.432)
  %t.484 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.482, <8 x float> %t.453, <8 x float> %carried.433)
  call void asm sideeffect "", ""()
  %x.485 = add nsw i64 %i.421, 1
  %x.486 = ashr i64 %x.485, 3
  %x.487 = mul nsw i64 %x.486, 1100
  %x.488 = getelementptr float, ptr %x.439, i64 %x.487
  %x.489 = getelementptr float, ptr %x.488, i64 16
  call void @llvm.prefetch.p0(ptr %x.489, i32 0, i32 3, i32 1)
  %x.490 = getelementptr float, ptr %x.488, i64 31
  call void @llvm.prefetch.p0(ptr %x.490, i32 0, i32 3, i32 1)
  %x.491 = getelementptr float, ptr %x.444, i64 1
  %t.492 = load float, ptr %x.491, align 4, !invariant.load !0
  %x.493 = getelementptr float, ptr %x.447, i64 16
  %t.494 = load <8 x float>, ptr %x.493, align 4
  %x.495 = insertelement <8 x float> poison, float %t.492, i64 0
  %x.496 = shufflevector <8 x float> %x.495, <8 x float> poison, <8 x i32> zeroinitializer
  %t.497 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.496, <8 x float> %t.494, <8 x float> %t.451)
  %x.498 = getelementptr float, ptr %x.447, i64 24
  %t.499 = load <8 x float>, ptr %x.498, align 4
  %t.500 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.496, <8 x float> %t.499, <8 x float> %t.454)
  %x.501 = getelementptr float, ptr %x.444, i64 701
  %t.502 = load float, ptr %x.501, align 4, !invariant.load !0
  %x.503 = insertelement <8 x float> poison, float %t.502, i64 0
  %x.504 = shufflevector <8 x float> %x.503, <8 x float> poison, <8 x i32> zeroinitializer
  %t.505 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.504, <8 x float> %t.494, <8 x float> %t.459)
  %t.506 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.504, <8 x float> %t.499, <8 x float> %t.460)
  %x.507 = getelementptr float, ptr %x.444, i64 1401
  %t.508 = load float, ptr %x.507, align 4, !invariant.load !0
  %x.509 = insertelement <8 x float> poison, float %t.508, i64 0
  %x.510 = shufflevector <8 x float> %x.509, <8 x float> poison, <8 x i32> zeroinitializer
  %t.511 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.510, <8 x float> %t.494, <8 x float> %t.465)
  %t.512 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.510, <8 x float> %t.499, <8 x float> %t.466)
  %x.513 = getelementptr float, ptr %x.444, i64 2101
  %t.514 = load float, ptr %x.513, align 4, !invariant.load !0
  %x.515 = insertelement <8 x float> poison, float %t.514, i64 0
  %x.516 = shufflevector <8 x float> %x.515, <8 x float> poison, <8 x i32> zeroinitializer
  %t.517 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.516, <8 x float> %t.494, <8 x float> %t.471)
  %t.518 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.516, <8 x float> %t.499, <8 x float> %t.472)
  %x.519 = getelementptr float, ptr %x.444, i64 2801
  %t.520 = load float, ptr %x.519, align 4, !invariant.load !0
  %x.521 = insertelement <8 x float> poison, float %t.520, i64 0
  %x.522 = shufflevector <8 x float> %x.521, <8 x float> poison, <8 x i32> zeroinitializer
  %t.523 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.522, <8 x float> %t.494, <8 x float> %t.477)
  %t.524 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.522, <8 x float> %t.499, <8 x float> %t.478)
  %x.525 = getelementptr float, ptr %x.444, i64 3501
  %t.526 = load float, ptr %x.525, align 4, !invariant.load !0
  %x.527 = insertelement <8 x float> poison, float %t.526, i64 0
  %x.528 = shufflevector <8 x float> %x.527, <8 x float> poison, <8 x i32> zeroinitializer
  %t.529 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.528, <8 x float> %t.494, <8 x float> %t.483)
  %t.530 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.528, <8 x float> %t.499, <8 x float> %t.484)
  call void asm sideeffect "", ""()
  %x.531 = add nsw i64 %i.421, 2
  %x.532 = ashr i64 %x.531, 3
  %x.533 = mul nsw i64 %x.532, 1100
  %x.534 = getelementptr float, ptr %x.439, i64 %x.533
  %x.535 = getelementptr float, ptr %x.534, i64 16
  call void @llvm.prefetch.p0(ptr %x.535, i32 0, i32 3, i32 1)
  %x.536 = getelementptr float, ptr %x.534, i64 31
  call void @llvm.prefetch.p0(ptr %x.536, i32 0, i32 3, i32 1)
  %x.537 = getelementptr float, ptr %x.444, i64 2
  %t.538 = load float, ptr %x.537, align 4, !invariant.load !0
  %x.539 = getelementptr float, ptr %x.447, i64 32
  %t.540 = load <8 x float>, ptr %x.539, align 4
  %x.541 = insertelement <8 x float> poison, float %t.538, i64 0
  %x.542 = shufflevector <8 x float> %x.541, <8 x float> poison, <8 x i32> zeroinitializer
  %t.543 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.542, <8 x float> %t.540, <8 x float> %t.497)
  %x.544 = getelementptr float, ptr %x.447, i64 40
  %t.545 = load <8 x float>, ptr %x.544, align 4
  %t.546 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.542, <8 x float> %t.545, <8 x float> %t.500)
  %x.547 = getelementptr float, ptr %x.444, i64 702
  %t.548 = load float, ptr %x.547, align 4, !invariant.load !0
  %x.549 = insertelement <8 x float> poison, float %t.548, i64 0
  %x.550 = shufflevector <8 x float> %x.549, <8 x float> poison, <8 x i32> zeroinitializer
  %t.551 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.550, <8 x float> %t.540, <8 x float> %t.505)
  %t.552 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.550, <8 x float> %t.545, <8 x float> %t.506)
  %x.553 = getelementptr float, ptr %x.444, i64 1402
  %t.554 = load float, ptr %x.553, align 4, !invariant.load !0
  %x.555 = insertelement <8 x float> poison, float %t.554, i64 0
  %x.556 = shufflevector <8 x float> %x.555, <8 x float> poison, <8 x i32> zeroinitializer
  %t.557 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.556, <8 x float> %t.540, <8 x float> %t.511)
  %t.558 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.556, <8 x float> %t.545, <8 x float> %t.512)
  %x.559 = getelementptr float, ptr %x.444, i64 2102
  %t.560 = load float, ptr %x.559, align 4, !invariant.load !0
  %x.561 = insertelement <8 x float> poison, float %t.560, i64 0
  %x.562 = shufflevector <8 x float> %x.561, <8 x float> poison, <8 x i32> zeroinitializer
  %t.563 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.562, <8 x float> %t.540, <8 x float> %t.517)
  %t.564 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.562, <8 x float> %t.545, <8 x float> %t.518)
  %x.565 = getelementptr float, ptr %x.444, i64 2802
  %t.566 = load float, ptr %x.565, align 4, !invariant.load !0
  %x.567 = insertelement <8 x float> poison, float %t.566, i64 0
  %x.568 = shufflevector <8 x float> %x.567, <8 x float> poison, <8 x i32> zeroinitializer
  %t.569 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.568, <8 x float> %t.540, <8 x float> %t.523)
  %t.570 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.568, <8 x float> %t.545, <8 x float> %t.524)
  %x.571 = getelementptr float, ptr %x.444, i64 3502
  %t.572 = load float, ptr %x.571, align 4, !invariant.load !0
  %x.573 = insertelement <8 x float> poison, float %t.572, i64 0
  %x.574 = shufflevector <8 x float> %x.573, <8 x float> poison, <8 x i32> zeroinitializer
  %t.575 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.574, <8 x float> %t.540, <8 x float> %t.529)
  %t.576 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.574, <8 x float> %t.545, <8 x float> %t.530)
  call void asm sideeffect "", ""()
  %x.577 = add nsw i64 %i.421, 3
  %x.578 = ashr i64 %x.577, 3
  %x.579 = mul nsw i64 %x.578, 1100
  %x.580 = getelementptr float, ptr %x.439, i64 %x.579
  %x.581 = getelementptr float, ptr %x.580, i64 16
  call void @llvm.prefetch.p0(ptr %x.581, i32 0, i32 3, i32 1)
  %x.582 = getelementptr float, ptr %x.580, i64 31
  call void @llvm.prefetch.p0(ptr %x.582, i32 0, i32 3, i32 1)
  %x.583 = getelementptr float, ptr %x.444, i64 3
  %t.584 = load float, ptr %x.583, align 4, !invariant.load !0
  %x.585 = getelementptr float, ptr %x.447, i64 48
  %t.586 = load <8 x float>, ptr %x.585, align 4
  %x.587 = insertelement <8 x float> poison, float %t.584, i64 0
  %x.588 = shufflevector <8 x float> %x.587, <8 x float> poison, <8 x i32> zeroinitializer
  %t.589 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.588, <8 x float> %t.586, <8 x float> %t.543)
  %x.590 = getelementptr float, ptr %x.447, i64 56
  %t.591 = load <8 x float>, ptr %x.590, align 4
  %t.592 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.588, <8 x float> %t.591, <8 x float> %t.546)
  %x.593 = getelementptr float, ptr %x.444, i64 703
  %t.594 = load float, ptr %x.593, align 4, !invariant.load !0
  %x.595 = insertelement <8 x float> poison, float %t.594, i64 0
  %x.596 = shufflevector <8 x float> %x.595, <8 x float> poison, <8 x i32> zeroinitializer
  %t.597 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.596, <8 x float> %t.586, <8 x float> %t.551)
  %t.598 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.596, <8 x float> %t.591, <8 x float> %t.552)
  %x.599 = getelementptr float, ptr %x.444, i64 1403
  %t.600 = load float, ptr %x.599, align 4, !invariant.load !0
  %x.601 = insertelement <8 x float> poison, float %t.600, i64 0
  %x.602 = shufflevector <8 x float> %x.601, <8 x float> poison, <8 x i32> zeroinitializer
  %t.603 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.602, <8 x float> %t.586, <8 x float> %t.557)
  %t.604 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.602, <8 x float> %t.591, <8 x float> %t.558)
  %x.605 = getelementptr float, ptr %x.444, i64 2103
  %t.606 = load float, ptr %x.605, align 4, !invariant.load !0
  %x.607 = insertelement <8 x float> poison, float %t.606, i64 0
  %x.608 = shufflevector <8 x float> %x.607, <8 x float> poison, <8 x i32> zeroinitializer
  %t.609 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.608, <8 x float> %t.586, <8 x float> %t.563)
  %t.610 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.608, <8 x float> %t.591, <8 x float> %t.564)
  %x.611 = getelementptr float, ptr %x.444, i64 2803
  %t.612 = load float, ptr %x.611, align 4, !invariant.load !0
  %x.613 = insertelement <8 x float> poison, float %t.612, i64 0
  %x.614 = shufflevector <8 x float> %x.613, <8 x float> poison, <8 x i32> zeroinitializer
  %t.615 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.614, <8 x float> %t.586, <8 x float> %t.569)
  %t.616 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.614, <8 x float> %t.591, <8 x float> %t.570)
  %x.617 = getelementptr float, ptr %x.444, i64 3503
  %t.618 = load float, ptr %x.617, align 4, !invariant.load !0
  %x.619 = insertelement <8 x float> poison, float %t.618, i64 0
  %x.620 = shufflevector <8 x float> %x.619, <8 x float> poison, <8 x i32> zeroinitializer
  %t.621 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.620, <8 x float> %t.586, <8 x float> %t.575)
  %t.622 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.620, <8 x float> %t.591, <8 x float> %t.576)
  %t.623 = add nsw i64 %i.421, 4
  %t.624 = icmp slt i64 %t.623, 700
  br i1 %t.624, label %loop.419, label %done.420, !llvm.loop !6
done.420:
  %t.625 = phi <8 x float> [ %t.589, %loop.419 ]
  %t.626 = phi <8 x float> [ %t.592, %loop.419 ]
  %t.627 = phi <8 x float> [ %t.597, %loop.419 ]
  %t.628 = phi <8 x float> [ %t.598, %loop.419 ]
  %t.629 = phi <8 x float> [ %t.603, %loop.419 ]
  %t.630 = phi <8 x float> [ %t.604, %loop.419 ]
  %t.631 = phi <8 x float> [ %t.609, %loop.419 ]
  %t.632 = phi <8 x float> [ %t.610, %loop.419 ]
  %t.633 = phi <8 x float> [ %t.615, %loop.419 ]
  %t.634 = phi <8 x float> [ %t.616, %loop.419 ]
  %t.635 = phi <8 x float> [ %t.621, %loop.419 ]
  %t.636 = phi <8 x float> [ %t.622, %loop.419 ]
  store <8 x float> %t.625, ptr %x.14, align 4
  store <8 x float> %t.626, ptr %x.50, align 4
  store <8 x float> %t.627, ptr %x.52, align 4
  store <8 x float> %t.628, ptr %x.54, align 4
  store <8 x float> %t.629, ptr %x.56, align 4
  store <8 x float> %t.630, ptr %x.58, align 4
  store <8 x float> %t.631, ptr %x.60, align 4
  store <8 x float> %t.632, ptr %x.62, align 4
  store <8 x float> %t.633, ptr %x.64, align 4
  store <8 x float> %t.634, ptr %x.66, align 4
  store <8 x float> %t.635, ptr %x.68, align 4
  store <8 x float> %t.636, ptr %x.70, align 4
  br label %done.406
else.405:
  %t.637 = load <8 x float>, ptr %x.14, align 4
  %x.643 = load volatile i32, ptr %kept.642
  %x.644 = insertelement <8 x i32> poison, i32 %x.643, i64 0
  %x.645 = shufflevector <8 x i32> %x.644, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.646 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.645
  %t.647 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.50, <8 x i1> %x.646, <8 x float> zeroinitializer)
  %t.648 = load <8 x float>, ptr %x.52, align 4
  %t.649 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.54, <8 x i1> %x.646, <8 x float> zeroinitializer)
  %t.650 = load <8 x float>, ptr %x.56, align 4
  %t.651 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.58, <8 x i1> %x.646, <8 x float> zeroinitializer)
  %t.652 = load <8 x float>, ptr %x.60, align 4
  %t.653 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.62, <8 x i1> %x.646, <8 x float> zeroinitializer)
  %t.654 = load <8 x float>, ptr %x.64, align 4
  %t.655 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.66, <8 x i1> %x.646, <8 x float> zeroinitializer)
  %t.656 = load <8 x float>, ptr %x.68, align 4
  %t.657 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.70, <8 x i1> %x.646, <8 x float> zeroinitializer)
  br label %loop.658
loop.658:
  %i.660 = phi i64 [ 0, %else.405 ], [ %t.857, %loop.658 ]
  %carried.661 = phi <8 x float> [ %t.637, %else.405 ], [ %t.823, %loop.658 ]
  %carried.662 = phi <8 x float> [ %t.647, %else.405 ], [ %t.826, %loop.658 ]
  %carried.663 = phi <8 x float> [ %t.648, %else.405 ], [ %t.831, %loop.658 ]
  %carried.664 = phi <8 x float> [ %t.649, %else.405 ], [ %t.832, %loop.658 ]
  %carried.665 = phi <8 x float> [ %t.650, %else.405 ], [ %t.837, %loop.658 ]
  %carried.666 = phi <8 x float> [ %t.651, %else.405 ], [ %t.838, %loop.658 ]
  %carried.667 = phi <8 x float> [ %t.652, %else.405 ], [ %t.843, %loop.658 ]
  %carried.668 = phi <8 x float> [ %t.653, %else.405 ], [ %t.844, %loop.658 ]
  %carried.669 = phi <8 x float> [ %t.654, %else.405 ], [ %t.849, %loop.658 ]
  %carried.670 = phi <8 x float> [ %t.655, %else.405 ], [ %t.850, %loop.658 ]
  %carried.671 = phi <8 x float> [ %t.656, %else.405 ], [ %t.855, %loop.658 ]
  %carried.672 = phi <8 x float> [ %t.657, %else.405 ], [ %t.856, %loop.658 ]
  %x.673 = ashr i64 %i.660, 3
  %x.674 = mul nsw i64 %x.673, 1100
  %x.675 = getelementptr float, ptr %x.439, i64 %x.674
  %x.676 = getelementptr float, ptr %x.675, i64 16
  call void @llvm.prefetch.p0(ptr %x.676, i32 0, i32 3, i32 1)
  %x.677 = getelementptr float, ptr %x.675, i64 31
  call void @llvm.prefetch.p0(ptr %x.677, i32 0, i32 3, i32 1)
  %x.678 = getelementptr float, ptr %x.97, i64 %i.660
  %t.679 = load float, ptr %x.678, align 4, !invariant.load !0
  %x.680 = mul nsw i64 %i.660, 16
  %x.681 = getelementptr float, ptr %local.4, i64 %x.680
  %t.682 = load <8 x float>, ptr %x.681, align 4
  %x.683 = insertelement <8 x float> poison, float %t.679, i64 0
  %x.684 = shufflevector <8 x float> %x.683, <8 x float> poison, <8 x i32> zeroinitializer
  %t.685 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.684, <8 x float> %t.682, <8 x float> %carried.661)
  %x.686 = getelementptr float, ptr %x.681, i64 8
  %t.687 = load <8 x float>, ptr %x.686, align 4
  %t.688 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.684, <8 x float> %t.687, <8 x float> %carried.662)
  %x.689 = getelementptr float, ptr %x.678, i64 700
  %t.690 = load float, ptr %x.689, align 4, !invariant.load !0
  %x.691 = insertelement <8 x float> poison, float %t.690, i64 0
  %x.692 = shufflevector <8 x float> %x.691, <8 x float> poison, <8 x i32> zeroinitializer
  %t.693 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.692, <8 x float> %t.682, <8 x float> %carried.663)
  %t.694 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.692, <8 x float> %t.687, <8 x float> %carried.664)
  %x.695 = getelementptr float, ptr %x.678, i64 1400
  %t.696 = load float, ptr %x.695, align 4, !invariant.load !0
  %x.697 = insertelement <8 x float> poison, float %t.696, i64 0
  %x.698 = shufflevector <8 x float> %x.697, <8 x float> poison, <8 x i32> zeroinitializer
  %t.699 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.698, <8 x float> %t.682, <8 x float> %carried.665)
  %t.700 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.698, <8 x float> %t.687, <8 x float> %carried.666)
  %x.701 = getelementptr float, ptr %x.678, i64 2100
  %t.702 = load float, ptr %x.701, align 4, !invariant.load !0
  %x.703 = insertelement <8 x float> poison, float %t.702, i64 0
  %x.704 = shufflevector <8 x float> %x.703, <8 x float> poison, <8 x i32> zeroinitializer
  %t.705 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.704, <8 x float> %t.682, <8 x float> %carried.667)
  %t.706 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.704, <8 x float> %t.687, <8 x float> %carried.668)
  %x.707 = getelementptr float, ptr %x.678, i64 2800
  %t.708 = load float, ptr %x.707, align 4, !invariant.load !0
  %x.709 = insertelement <8 x float> poison, float %t.708, i64 0
  %x.710 = shufflevector <8 x float> %x.709, <8 x float> poison, <8 x i32> zeroinitializer
  %t.711 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.710, <8 x float> %t.682, <8 x float> %carried.669)
  %t.712 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.710, <8 x float> %t.687, <8 x float> %carried.670)
  %x.713 = getelementptr float, ptr %x.678, i64 3500
  %t.714 = load float, ptr %x.713, align 4, !invariant.load !0
  %x.715 = insertelement <8 x float> poison, float %t.714, i64 0
  %x.716 = shufflevector <8 x float> %x.715, <8 x float> poison, <8 x i32> zeroinitializer
  %t.717 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.716, <8 x float> %t.682, <8 x float> %carried.671)
  %t.718 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.716, <8 x float> %t.687, <8 x float> %carried.672)
  call void asm sideeffect "", ""()
  %x.719 = add nsw i64 %i.660, 1
  %x.720 = ashr i64 %x.719, 3
  %x.721 = mul nsw i64 %x.720, 1100
  %x.722 = getelementptr float, ptr %x.439, i64 %x.721
  %x.723 = getelementptr float, ptr %x.722, i64 16
  call void @llvm.prefetch.p0(ptr %x.723, i32 0, i32 3, i32 1)
  %x.724 = getelementptr float, ptr %x.722, i64 31
  call void @llvm.prefetch.p0(ptr %x.724, i32 0, i32 3, i32 1)
  %x.725 = getelementptr float, ptr %x.678, i64 1
  %t.726 = load float, ptr %x.725, align 4, !invariant.load !0
  %x.727 = getelementptr float, ptr %x.681, i64 16
  %t.728 = load <8 x float>, ptr %x.727, align 4
  %x.729 = insertelement <8 x float> poison, float %t.726, i64 0
  %x.730 = shufflevector <8 x float> %x.729, <8 x float> poison, <8 x i32> zeroinitializer
  %t.731 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.730, <8 x float> %t.728, <8 x float> %t.685)
  %x.732 = getelementptr float, ptr %x.681, i64 24
  %t.733 = load <8 x float>, ptr %x.732, align 4
  %t.734 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.730, <8 x float> %t.733, <8 x float> %t.688)
  %x.735 = getelementptr float, ptr %x.678, i64 701
  %t.736 = load float, ptr %x.735, align 4, !invariant.load !0
  %x.737 = insertelement <8 x float> poison, float %t.736, i64 0
  %x.738 = shufflevector <8 x float> %x.737, <8 x float> poison, <8 x i32> zeroinitializer
  %t.739 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.738, <8 x float> %t.728, <8 x float> %t.693)
  %t.740 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.738, <8 x float> %t.733, <8 x float> %t.694)
  %x.741 = getelementptr float, ptr %x.678, i64 1401
  %t.742 = load float, ptr %x.741, align 4, !invariant.load !0
  %x.743 = insertelement <8 x float> poison, float %t.742, i64 0
  %x.744 = shufflevector <8 x float> %x.743, <8 x float> poison, <8 x i32> zeroinitializer
  %t.745 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.744, <8 x float> %t.728, <8 x float> %t.699)
  %t.746 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.744, <8 x float> %t.733, <8 x float> %t.700)
  %x.747 = getelementptr float, ptr %x.678, i64 2101
  %t.748 = load float, ptr %x.747, align 4, !invariant.load !0
  %x.749 = insertelement <8 x float> poison, float %t.748, i64 0
  %x.750 = shufflevector <8 x float> %x.749, <8 x float> poison, <8 x i32> zeroinitializer
  %t.751 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.750, <8 x float> %t.728, <8 x float> %t.705)
  %t.752 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.750, <8 x float> %t.733, <8 x float> %t.706)
  %x.753 = getelementptr float, ptr %x.678, i64 2801
  %t.754 = load float, ptr %x.753, align 4, !invariant.load !0
  %x.755 = insertelement <8 x float> poison, float %t.754, i64 0
  %x.756 = shufflevector <8 x float> %x.755, <8 x float> poison, <8 x i32> zeroinitializer
  %t.757 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.756, <8 x float> %t.728, <8 x float> %t.711)
  %t.758 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.756, <8 x float> %t.733, <8 x float> %t.712)
  %x.759 = getelementptr float, ptr %x.678, i64 3501
  %t.760 = load float, ptr %x.759, align 4, !invariant.load !0
  %x.761 = insertelement <8 x float> poison, float %t.760, i64 0
  %x.762 = shufflevector <8 x float> %x.761, <8 x float> poison, <8 x i32> zeroinitializer
  %t.763 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.762, <8 x float> %t.728, <8 x float> %t.717)
  %t.764 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.762, <8 x float> %t.733, <8 x float> %t.718)
  call void asm sideeffect "", ""()
  %x.765 = add nsw i64 %i.660, 2
  %x.766 = ashr i64 %x.765, 3
  %x.767 = mul nsw i64 %x.766, 1100
  %x.768 = getelementptr float, ptr %x.439, i64 %x.767
  %x.769 = getelementptr float, ptr %x.768, i64 16
  call void @llvm.prefetch.p0(ptr %x.769, i32 0, i32 3, i32 1)
  %x.770 = getelementptr float, ptr %x.768, i64 31
  call void @llvm.prefetch.p0(ptr %x.770, i32 0, i32 3, i32 1)
  %x.771 = getelementptr float, ptr %x.678, i64 2
  %t.772 = load float, ptr %x.771, align 4, !invariant.load !0
  %x.773 = getelementptr float, ptr %x.681, i64 32
  %t.774 = load <8 x float>, ptr %x.773, align 4
  %x.775 = insertelement <8 x float> poison, float %t.772, i64 0
  %x.776 = shufflevector <8 x float> %x.775, <8 x float> poison, <8 x i32> zeroinitializer
  %t.777 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.776, <8 x float> %t.774, <8 x float> %t.731)
  %x.778 = getelementptr float, ptr %x.681, i64 40
  %t.779 = load <8 x float>, ptr %x.778, align 4
  %t.780 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.776, <8 x float> %t.779, <8 x float> %t.734)
  %x.781 = getelementptr float, ptr %x.678, i64 702
  %t.782 = load float, ptr %x.781, align 4, !invariant.load !0
  %x.783 = insertelement <8 x float> poison, float %t.782, i64 0
  %x.784 = shufflevector <8 x float> %x.783, <8 x float> poison, <8 x i32> zeroinitializer
  %t.785 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.784, <8 x float> %t.774, <8 x float> %t.739)
  %t.786 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.784, <8 x float> %t.779, <8 x float> %t.740)
  %x.787 = getelementptr float, ptr %x.678, i64 1402
  %t.788 = load float, ptr %x.787, align 4, !invariant.load !0
  %x.789 = insertelement <8 x float> poison, float %t.788, i64 0
  %x.790 = shufflevector <8 x float> %x.789, <8 x float> poison, <8 x i32> zeroinitializer
  %t.791 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.790, <8 x float> %t.774, <8 x float> %t.745)
  %t.792 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.790, <8 x float> %t.779, <8 x float> %t.746)
  %x.793 = getelementptr float, ptr %x.678, i64 2102
  %t.794 = load float, ptr %x.793, align 4, !invariant.load !0
  %x.795 = insertelement <8 x float> poison, float %t.794, i64 0
  %x.796 = shufflevector <8 x float> %x.795, <8 x float> poison, <8 x i32> zeroinitializer
  %t.797 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.796, <8 x float> %t.774, <8 x float> %t.751)
  %t.798 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.796, <8 x float> %t.779, <8 x float> %t.752)
  %x.799 = getelementptr float, ptr %x.678, i64 2802
  %t.800 = load float, ptr %x.799, align 4, !invariant.load !0
  %x.801 = insertelement <8 x float> poison, float %t.800, i64 0
  %x.802 = shufflevector <8 x float> %x.801, <8 x float> poison, <8 x i32> zeroinitializer
  %t.803 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.802, <8 x float> %t.774, <8 x float> %t.757)
  %t.804 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.802, <8 x float> %t.779, <8 x float> %t.758)
  %x.805 = getelementptr float, ptr %x.678, i64 3502
  %t.806 = load float, ptr %x.805, align 4, !invariant.load !0
  %x.807 = insertelement <8 x float> poison, float %t.806, i64 0
  %x.808 = shufflevector <8 x float> %x.807, <8 x float> poison, <8 x i32> zeroinitializer
  %t.809 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.808, <8 x float> %t.774, <8 x float> %t.763)
  %t.810 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.808, <8 x float> %t.779, <8 x float> %t.764)
  call void asm sideeffect "", ""()
  %x.811 = add nsw i64 %i.660, 3
  %x.812 = ashr i64 %x.811, 3
  %x.813 = mul nsw i64 %x.812, 1100
  %x.814 = getelementptr float, ptr %x.439, i64 %x.813
  %x.815 = getelementptr float, ptr %x.814, i64 16
  call void @llvm.prefetch.p0(ptr %x.815, i32 0, i32 3, i32 1)
  %x.816 = getelementptr float, ptr %x.814, i64 31
  call void @llvm.prefetch.p0(ptr %x.816, i32 0, i32 3, i32 1)
  %x.817 = getelementptr float, ptr %x.678, i64 3
  %t.818 = load float, ptr %x.817, align 4, !invariant.load !0
  %x.819 = getelementptr float, ptr %x.681, i64 48
  %t.820 = load <8 x float>, ptr %x.819, align 4
  %x.821 = insertelement <8 x float> poison, float %t.818, i64 0
  %x.822 = shufflevector <8 x float> %x.821, <8 x float> poison, <8 x i32> zeroinitializer
  %t.823 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.822, <8 x float> %t.820, <8 x float> %t.777)
  %x.824 = getelementptr float, ptr %x.681, i64 56
  %t.825 = load <8 x float>, ptr %x.824, align 4
  %t.826 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.822, <8 x float> %t.825, <8 x float> %t.780)
  %x.827 = getelementptr float, ptr %x.678, i64 703
  %t.828 = load float, ptr %x.827, align 4, !invariant.load !0
  %x.829 = insertelement <8 x float> poison, float %t.828, i64 0
  %x.830 = shufflevector <8 x float> %x.829, <8 x float> poison, <8 x i32> zeroinitializer
  %t.831 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.830, <8 x float> %t.820, <8 x float> %t.785)
  %t.832 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.830, <8 x float> %t.825, <8 x float> %t.786)
  %x.833 = getelementptr float, ptr %x.678, i64 1403
  %t.834 = load float, ptr %x.833, align 4, !invariant.load !0
  %x.835 = insertelement <8 x float> poison, float %t.834, i64 0
  %x.836 = shufflevector <8 x float> %x.835, <8 x float> poison, <8 x i32> zeroinitializer
  %t.837 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.836, <8 x float> %t.820, <8 x float> %t.791)
  %t.838 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.836, <8 x float> %t.825, <8 x float> %t.792)
  %x.839 = getelementptr float, ptr %x.678, i64 2103
  %t.840 = load float, ptr %x.839, align 4, !invariant.load !0
  %x.841 = insertelement <8 x float> poison, float %t.840, i64 0
  %x.842 = shufflevector <8 x float> %x.841, <8 x float> poison, <8 x i32> zeroinitializer
  %t.843 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.842, <8 x float> %t.820, <8 x float> %t.797)
  %t.844 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.842, <8 x float> %t.825, <8 x float> %t.798)
  %x.845 = getelementptr float, ptr %x.678, i64 2803
  %t.846 = load float, ptr %x.845, align 4, !invariant.load !0
  %x.847 = insertelement <8 x float> poison, float %t.846, i64 0
  %x.848 = shufflevector <8 x float> %x.847, <8 x float> poison, <8 x i32> zeroinitializer
  %t.849 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.848, <8 x float> %t.820, <8 x float> %t.803)
  %t.850 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.848, <8 x float> %t.825, <8 x float> %t.804)
  %x.851 = getelementptr float, ptr %x.678, i64 3503
  %t.852 = load float, ptr %x.851, align 4, !invariant.load !0
  %x.853 = insertelement <8 x float> poison, float %t.852, i64 0
  %x.854 = shufflevector <8 x float> %x.853, <8 x float> poison, <8 x i32> zeroinitializer
  %t.855 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.854, <8 x float> %t.820, <8 x float> %t.809)
  %t.856 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.854, <8 x float> %t.825, <8 x float> %t.810)
  %t.857 = add nsw i64 %i.660, 4
  %t.858 = icmp slt i64 %t.857, 700
  br i1 %t.858, label %loop.658, label %done.659, !llvm.loop !7
done.659:
  %t.859 = phi <8 x float> [ %t.823, %loop.658 ]
  %t.860 = phi <8 x float> [ %t.826, %loop.658 ]
  %t.861 = phi <8 x float> [ %t.831, %loop.658 ]
  %t.862 = phi <8 x float> [ %t.832, %loop.658 ]
  %t.863 = phi <8 x float> [ %t.837, %loop.658 ]
  %t.864 = phi <8 x float> [ %t.838, %loop.658 ]
  %t.865 = phi <8 x float> [ %t.843, %loop.658 ]
  %t.866 = phi <8 x float> [ %t.844, %loop.658 ]
  %t.867 = phi <8 x float> [ %t.849, %loop.658 ]
  %t.868 = phi <8 x float> [ %t.850, %loop.658 ]
  %t.869 = phi <8 x float> [ %t.855, %loop.658 ]
  %t.870 = phi <8 x float> [ %t.856, %loop.658 ]
  store <8 x float> %t.859, ptr %x.14, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.860, ptr align 4 %x.50, <8 x i1> %x.646)
  store <8 x float> %t.861, ptr %x.52, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.862, ptr align 4 %x.54, <8 x i1> %x.646)
  store <8 x float> %t.863, ptr %x.56, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.864, ptr align 4 %x.58, <8 x i1> %x.646)
  store <8 x float> %t.865, ptr %x.60, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.866, ptr align 4 %x.62, <8 x i1> %x.646)
  store <8 x float> %t.867, ptr %x.64, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.868, ptr align 4 %x.66, <8 x i1> %x.646)
  store <8 x float> %t.869, ptr %x.68, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.870, ptr align 4 %x.70, <8 x i1> %x.646)
  br label %done.406
done.406:
  br label %done.43
done.43:
  %t.871 = add nsw i64 %i.10, 1
  %t.872 = icmp slt i64 %t.871, 20
  br i1 %t.872, label %loop.8, label %done.9, !llvm.loop !8
done.9:
  %t.873 = add nsw i64 %i.7, 1
  %t.874 = icmp slt i64 %t.873, 69
  br i1 %t.874, label %loop.5, label %done.6, !llvm.loop !9
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
