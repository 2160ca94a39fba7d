target triple = "x86_64-unknown-linux-gnu"

define void @"product__packed"(ptr noalias nocapture noundef readonly align 4 %"a.A", ptr noalias nocapture noundef readonly align 4 %"a.B", ptr noalias nocapture noundef align 4 %"a.C") #0 {
entry:
  %kept.378 = alloca i32
  %kept.200 = alloca i32
  %t.1 = mul i64 11200, 4
  %t.2 = add i64 %t.1, 127
  %t.3 = and i64 %t.2, -64
  %local.4 = call noalias ptr @aligned_alloc(i64 64, i64 %t.3)
  br label %loop.5
loop.5:
  %i.7 = phi i64 [ 0, %entry ], [ %t.471, %done.9 ]
  %x.11 = mul nsw i64 %i.7, 16
  %x.12 = getelementptr float, ptr %"a.C", i64 %x.11
  %x.44 = mul nsw i64 %i.7, -1
  %x.45 = icmp sge i64 %x.44, -67
  %x.87 = getelementptr float, ptr %"a.B", i64 %x.11
  %x.193 = mul nsw i64 %i.7, -16
  %x.194 = add nsw i64 %x.193, 1100
  %x.195 = call i64 @llvm.smin.i64(i64 12, i64 %x.194)
  %x.196 = add nsw i64 %x.195, -8
  %x.197 = call i64 @llvm.smax.i64(i64 0, i64 %x.196)
  %x.198 = call i64 @llvm.smin.i64(i64 8, i64 %x.197)
  %x.199 = trunc i64 %x.198 to i32
  store i32 %x.199, ptr %kept.200
  %x.274 = add nsw i64 %x.11, 16
  %x.275 = call i64 @llvm.smin.i64(i64 1100, i64 %x.274)
  %x.276 = add nsw i64 %x.193, %x.275
  %x.277 = icmp sge i64 %x.276, 16
  %x.374 = add nsw i64 %x.276, -8
  %x.375 = call i64 @llvm.smax.i64(i64 0, i64 %x.374)
  %x.376 = call i64 @llvm.smin.i64(i64 8, i64 %x.375)
  %x.377 = trunc i64 %x.376 to i32
  store i32 %x.377, ptr %kept.378
  br label %loop.8
loop.8:
  %i.10 = phi i64 [ 0, %loop.5 ], [ %t.469, %done.43 ]
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
  %x.148 = getelementptr float, ptr %x.21, i64 1088
  %x.150 = getelementptr float, ptr %x.21, i64 1096
  %x.152 = getelementptr float, ptr %x.21, i64 2188
  %x.154 = getelementptr float, ptr %x.21, i64 2196
  %x.156 = getelementptr float, ptr %x.21, i64 3288
  %x.158 = getelementptr float, ptr %x.21, i64 3296
  %x.160 = getelementptr float, ptr %x.21, i64 4388
  %x.162 = getelementptr float, ptr %x.21, i64 4396
  %x.164 = getelementptr float, ptr %x.21, i64 5488
  %x.166 = getelementptr float, ptr %x.21, i64 5496
  %x.168 = getelementptr float, ptr %x.21, i64 6588
  %x.170 = getelementptr float, ptr %x.21, i64 6596
  %x.309 = add nsw i64 %i.10, -1
  %x.310 = call i64 @llvm.smax.i64(i64 0, i64 %x.309)
  %x.311 = call i64 @llvm.smin.i64(i64 7, i64 %x.310)
  %x.312 = mul nsw i64 %x.311, 96800
  %x.313 = getelementptr float, ptr %x.87, i64 %x.312
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
  %i.74 = phi i64 [ 0, %then.46 ], [ %t.134, %loop.72 ]
  %carried.75 = phi <8 x float> [ %t.49, %then.46 ], [ %t.102, %loop.72 ]
  %carried.76 = phi <8 x float> [ %t.51, %then.46 ], [ %t.103, %loop.72 ]
  %carried.77 = phi <8 x float> [ %t.53, %then.46 ], [ %t.108, %loop.72 ]
  %carried.78 = phi <8 x float> [ %t.55, %then.46 ], [ %t.109, %loop.72 ]
  %carried.79 = phi <8 x float> [ %t.57, %then.46 ], [ %t.114, %loop.72 ]
  %carried.80 = phi <8 x float> [ %t.59, %then.46 ], [ %t.115, %loop.72 ]
  %carried.81 = phi <8 x float> [ %t.61, %then.46 ], [ %t.120, %loop.72 ]
  %carried.82 = phi <8 x float> [ %t.63, %then.46 ], [ %t.121, %loop.72 ]
  %carried.83 = phi <8 x float> [ %t.65, %then.46 ], [ %t.126, %loop.72 ]
  %carried.84 = phi <8 x float> [ %t.67, %then.46 ], [ %t.127, %loop.72 ]
  %carried.85 = phi <8 x float> [ %t.69, %then.46 ], [ %t.132, %loop.72 ]
  %carried.86 = phi <8 x float> [ %t.71, %then.46 ], [ %t.133, %loop.72 ]
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
  %t.134 = add nsw i64 %i.74, 1
  %t.135 = icmp slt i64 %t.134, 700
  br i1 %t.135, label %loop.72, label %done.73, !llvm.loop !3
done.73:
  %t.136 = phi <8 x float> [ %t.102, %loop.72 ]
  %t.137 = phi <8 x float> [ %t.103, %loop.72 ]
  %t.138 = phi <8 x float> [ %t.108, %loop.72 ]
  %t.139 = phi <8 x float> [ %t.109, %loop.72 ]
  %t.140 = phi <8 x float> [ %t.114, %loop.72 ]
  %t.141 = phi <8 x float> [ %t.115, %loop.72 ]
  %t.142 = phi <8 x float> [ %t.120, %loop.72 ]
  %t.143 = phi <8 x float> [ %t.121, %loop.72 ]
  %t.144 = phi <8 x float> [ %t.126, %loop.72 ]
  %t.145 = phi <8 x float> [ %t.127, %loop.72 ]
  %t.146 = phi <8 x float> [ %t.132, %loop.72 ]
  %t.147 = phi <8 x float> [ %t.133, %loop.72 ]
  store <8 x float> %t.136, ptr %x.14, align 4
  store <8 x float> %t.137, ptr %x.50, align 4
  store <8 x float> %t.138, ptr %x.52, align 4
  store <8 x float> %t.139, ptr %x.54, align 4
  store <8 x float> %t.140, ptr %x.56, align 4
  store <8 x float> %t.141, ptr %x.58, align 4
  store <8 x float> %t.142, ptr %x.60, align 4
  store <8 x float> %t.143, ptr %x.62, align 4
  store <8 x float> %t.144, ptr %x.64, align 4
  store <8 x float> %t.145, ptr %x.66, align 4
  store <8 x float> %t.146, ptr %x.68, align 4
  store <8 x float> %t.147, ptr %x.70, align 4
  br label %done.48
else.47:
  %t.149 = load <8 x float>, ptr %x.148, align 4
  %t.151 = load <4 x float>, ptr %x.150, align 4
  %t.153 = load <8 x float>, ptr %x.152, align 4
  %t.155 = load <4 x float>, ptr %x.154, align 4
  %t.157 = load <8 x float>, ptr %x.156, align 4
  %t.159 = load <4 x float>, ptr %x.158, align 4
  %t.161 = load <8 x float>, ptr %x.160, align 4
  %t.163 = load <4 x float>, ptr %x.162, align 4
  %t.165 = load <8 x float>, ptr %x.164, align 4
  %t.167 = load <4 x float>, ptr %x.166, align 4
  %t.169 = load <8 x float>, ptr %x.168, align 4
  %t.171 = load <4 x float>, ptr %x.170, align 4
  %x.201 = load volatile i32, ptr %kept.200
  %x.202 = insertelement <8 x i32> poison, i32 %x.201, i64 0
  %x.203 = shufflevector <8 x i32> %x.202, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.204 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.203
  br label %loop.172
loop.172:
  %i.174 = phi i64 [ 0, %else.47 ], [ %t.260, %loop.172 ]
  %carried.175 = phi <8 x float> [ %t.149, %else.47 ], [ %t.214, %loop.172 ]
  %carried.176 = phi <4 x float> [ %t.151, %else.47 ], [ %t.219, %loop.172 ]
  %carried.177 = phi <8 x float> [ %t.153, %else.47 ], [ %t.224, %loop.172 ]
  %carried.178 = phi <4 x float> [ %t.155, %else.47 ], [ %t.227, %loop.172 ]
  %carried.179 = phi <8 x float> [ %t.157, %else.47 ], [ %t.232, %loop.172 ]
  %carried.180 = phi <4 x float> [ %t.159, %else.47 ], [ %t.235, %loop.172 ]
  %carried.181 = phi <8 x float> [ %t.161, %else.47 ], [ %t.240, %loop.172 ]
  %carried.182 = phi <4 x float> [ %t.163, %else.47 ], [ %t.243, %loop.172 ]
  %carried.183 = phi <8 x float> [ %t.165, %else.47 ], [ %t.248, %loop.172 ]
  %carried.184 = phi <4 x float> [ %t.167, %else.47 ], [ %t.251, %loop.172 ]
  %carried.185 = phi <8 x float> [ %t.169, %else.47 ], [ %t.256, %loop.172 ]
  %carried.186 = phi <4 x float> [ %t.171, %else.47 ], [ %t.259, %loop.172 ]
  %x.187 = mul nsw i64 %i.174, 1100
  %x.188 = getelementptr float, ptr %x.87, i64 %x.187
  %t.189 = load <8 x float>, ptr %x.188, align 4, !invariant.load !0
  %x.190 = mul nsw i64 %i.174, 16
  %x.191 = getelementptr float, ptr %local.4, i64 %x.190
  store <8 x float> %t.189, ptr %x.191, align 4
  %x.192 = getelementptr float, ptr %x.188, i64 8
  %t.205 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.192, <8 x i1> %x.204, <8 x float> zeroinitializer)
  %x.206 = getelementptr float, ptr %x.191, i64 8
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.205, ptr align 4 %x.206, <8 x i1> %x.204)
  %x.207 = getelementptr float, ptr %x.97, i64 %i.174
  %t.208 = load float, ptr %x.207, align 4, !invariant.load !0
  %x.209 = getelementptr float, ptr %"a.B", i64 %x.187
  %x.210 = getelementptr float, ptr %x.209, i64 1088
  %t.211 = load <8 x float>, ptr %x.210, align 4, !invariant.load !0
  %x.212 = insertelement <8 x float> poison, float %t.208, i64 0
  %x.213 = shufflevector <8 x float> %x.212, <8 x float> poison, <8 x i32> zeroinitializer
  %t.214 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.213, <8 x float> %t.211, <8 x float> %carried.175)
  %x.215 = getelementptr float, ptr %x.209, i64 1096
  %t.216 = load <4 x float>, ptr %x.215, align 4, !invariant.load !0
  %x.217 = insertelement <4 x float> poison, float %t.208, i64 0
  %x.218 = shufflevector <4 x float> %x.217, <4 x float> poison, <4 x i32> zeroinitializer
  %t.219 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.218, <4 x float> %t.216, <4 x float> %carried.176)
  %x.220 = getelementptr float, ptr %x.207, i64 700
  %t.221 = load float, ptr %x.220, align 4, !invariant.load !0
  %x.222 = insertelement <8 x float> poison, float %t.221, i64 0
  %x.223 = shufflevector <8 x float> %x.222, <8 x float> poison, <8 x i32> zeroinitializer
  %t.224 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.223, <8 x float> %t.211, <8 x float> %carried.177)
  %x.225 = insertelement <4 x float> poison, float %t.221, i64 0
  %x.226 = shufflevector <4 x float> %x.225, <4 x float> poison, <4 x i32> zeroinitializer
  %t.227 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.226, <4 x float> %t.216, <4 x float> %carried.178)
  %x.228 = getelementptr float, ptr %x.207, i64 1400
  %t.229 = load float, ptr %x.228, align 4, !invariant.load !0
  %x.230 = insertelement <8 x float> poison, float %t.229, i64 0
  %x.231 = shufflevector <8 x float> %x.230, <8 x float> poison, <8 x i32> zeroinitializer
  %t.232 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.231, <8 x float> %t.211, <8 x float> %carried.179)
  %x.233 = insertelement <4 x float> poison, float %t.229, i64 0
  %x.234 = shufflevector <4 x float> %x.233, <4 x float> poison, <4 x i32> zeroinitializer
  %t.235 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.234, <4 x float> %t.216, <4 x float> %carried.180)
  %x.236 = getelementptr float, ptr %x.207, i64 2100
  %t.237 = load float, ptr %x.236, align 4, !invariant.load !0
  %x.238 = insertelement <8 x float> poison, float %t.237, i64 0
  %x.239 = shufflevector <8 x float> %x.238, <8 x float> poison, <8 x i32> zeroinitializer
  %t.240 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.239, <8 x float> %t.211, <8 x float> %carried.181)
  %x.241 = insertelement <4 x float> poison, float %t.237, i64 0
  %x.242 = shufflevector <4 x float> %x.241, <4 x float> poison, <4 x i32> zeroinitializer
  %t.243 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.242, <4 x float> %t.216, <4 x float> %carried.182)
  %x.244 = getelementptr float, ptr %x.207, i64 2800
  %t.245 = load float, ptr %x.244, align 4, !invariant.load !0
  %x.246 = insertelement <8 x float> poison, float %t.245, i64 0
  %x.247 = shufflevector <8 x float> %x.246, <8 x float> poison, <8 x i32> zeroinitializer
  %t.248 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.247, <8 x float> %t.211, <8 x float> %carried.183)
  %x.249 = insertelement <4 x float> poison, float %t.245, i64 0
  %x.250 = shufflevector <4 x float> %x.249, <4 x float> poison, <4 x i32> zeroinitializer
  %t.251 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.250, <4 x float> %t.216, <4 x float> %carried.184)
  %x.252 = getelementptr float, ptr %x.207, i64 3500
  %t.253 = load float, ptr %x.252, align 4, !invariant.load !0
  %x.254 = insertelement <8 x float> poison, float %t.253, i64 0
  %x.255 = shufflevector <8 x float> %x.254, <8 x float> poison, <8 x i32> zeroinitializer
  %t.256 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.255, <8 x float> %t.211, <8 x float> %carried.185)
  %x.257 = insertelement <4 x float> poison, float %t.253, i64 0
  %x.258 = shufflevector <4 x float> %x.257, <4 x float> poison, <4 x i32> zeroinitializer
  %t.259 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.258, <4 x float> %t.216, <4 x float> %carried.186)
  %t.260 = add nsw i64 %i.174, 1
  %t.261 = icmp slt i64 %t.260, 700
  br i1 %t.261, label %loop.172, label %done.173, !llvm.loop !4
done.173:
  %t.262 = phi <8 x float> [ %t.214, %loop.172 ]
  %t.263 = phi <4 x float> [ %t.219, %loop.172 ]
  %t.264 = phi <8 x float> [ %t.224, %loop.172 ]
  %t.265 = phi <4 x float> [ %t.227, %loop.172 ]
  %t.266 = phi <8 x float> [ %t.232, %loop.172 ]
  %t.267 = phi <4 x float> [ %t.235, %loop.172 ]
  %t.268 = phi <8 x float> [ %t.240, %loop.172 ]
  %t.269 = phi <4 x float> [ %t.243, %loop.172 ]
  %t.270 = phi <8 x float> [ %t.248, %loop.172 ]
  %t.271 = phi <4 x float> [ %t.251, %loop.172 ]
  %t.272 = phi <8 x float> [ %t.256, %loop.172 ]
  %t.273 = phi <4 x float> [ %t.259, %loop.172 ]
  store <8 x float> %t.262, ptr %x.148, align 4
  store <4 x float> %t.263, ptr %x.150, align 4
  store <8 x float> %t.264, ptr %x.152, align 4
  store <4 x float> %t.265, ptr %x.154, align 4
  store <8 x float> %t.266, ptr %x.156, align 4
  store <4 x float> %t.267, ptr %x.158, align 4
  store <8 x float> %t.268, ptr %x.160, align 4
  store <4 x float> %t.269, ptr %x.162, align 4
  store <8 x float> %t.270, ptr %x.164, align 4
  store <4 x float> %t.271, ptr %x.166, align 4
  store <8 x float> %t.272, ptr %x.168, align 4
  store <4 x float> %t.273, ptr %x.170, align 4
  br label %done.48
done.48:
  br label %done.43
else.42:
  br i1 %x.277, label %then.278, label %else.279
then.278:
  %t.281 = load <8 x float>, ptr %x.14, align 4
  %t.282 = load <8 x float>, ptr %x.50, align 4
  %t.283 = load <8 x float>, ptr %x.52, align 4
  %t.284 = load <8 x float>, ptr %x.54, align 4
  %t.285 = load <8 x float>, ptr %x.56, align 4
  %t.286 = load <8 x float>, ptr %x.58, align 4
  %t.287 = load <8 x float>, ptr %x.60, align 4
  %t.288 = load <8 x float>, ptr %x.62, align 4
  %t.289 = load <8 x float>, ptr %x.64, align 4
  %t.290 = load <8 x float>, ptr %x.66, align 4
  %t.291 = load <8 x float>, ptr %x.68, align 4
  %t.292 = load <8 x float>, ptr %x.70, align 4
  br label %loop.293
loop.293:
  %i.295 = phi i64 [ 0, %then.278 ], [ %t.359, %loop.293 ]
  %carried.296 = phi <8 x float> [ %t.281, %then.278 ], [ %t.325, %loop.293 ]
  %carried.297 = phi <8 x float> [ %t.282, %then.278 ], [ %t.328, %loop.293 ]
  %carried.298 = phi <8 x float> [ %t.283, %then.278 ], [ %t.333, %loop.293 ]
  %carried.299 = phi <8 x float> [ %t.284, %then.278 ], [ %t.334, %loop.293 ]
  %carried.300 = phi <8 x float> [ %t.285, %then.278 ], [ %t.339, %loop.293 ]
  %carried.301 = phi <8 x float> [ %t.286, %then.278 ], [ %t.340, %loop.293 ]
  %carried.302 = phi <8 x float> [ %t.287, %then.278 ], [ %t.345, %loop.293 ]
  %carried.303 = phi <8 x float> [ %t.288, %then.278 ], [ %t.346, %loop.293 ]
  %carried.304 = phi <8 x float> [ %t.289, %then.278 ], [ %t.351, %loop.293 ]
  %carried.305 = phi <8 x float> [ %t.290, %then.278 ], [ %t.352, %loop.293 ]
  %carried.306 = phi <8 x float> [ %t.291, %then.278 ], [ %t.357, %loop.293 ]
  %carried.307 = phi <8 x float> [ %t.292, %then.278 ], [ %t.358, %loop.293 ]
  %x.308 = ashr i64 %i.295, 3
  %x.314 = mul nsw i64 %x.308, 1100
  %x.315 = getelementptr float, ptr %x.313, i64 %x.314
  %x.316 = getelementptr float, ptr %x.315, i64 16
  call void @llvm.prefetch.p0(ptr %x.316, i32 0, i32 3, i32 1)
  %x.317 = getelementptr float, ptr %x.315, i64 31
  call void @llvm.prefetch.p0(ptr %x.317, i32 0, i32 3, i32 1)
  %x.318 = getelementptr float, ptr %x.97, i64 %i.295
  %t.319 = load float, ptr %x.318, align 4, !invariant.load !0
  %x.320 = mul nsw i64 %i.295, 16
  %x.321 = getelementptr float, ptr %local.4, i64 %x.320
  %t.322 = load <8 x float>, ptr %x.321, align 4
  %x.323 = insertelement <8 x float> poison, float %t.319, i64 0
  %x.324 = shufflevector <8 x float> %x.323, <8 x float> poison, <8 x i32> zeroinitializer
  %t.325 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.324, <8 x float> %t.322, <8 x float> %carried.296)
  %x.326 = getelementptr float, ptr %x.321, i64 8
  %t.327 = load <8 x float>, ptr %x.326, align 4
  %t.328 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.324, <8 x float> %t.327, <8 x float> %carried.297)
  %x.329 = getelementptr float, ptr %x.318, i64 700
  %t.330 = load float, ptr %x.329, align 4, !invariant.load !0
  %x.331 = insertelement <8 x float> poison, float %t.330, i64 0
  %x.332 = shufflevector <8 x float> %x.331, <8 x float> poison, <8 x i32> zeroinitializer
  %t.333 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.332, <8 x float> %t.322, <8 x float> %carried.298)
  %t.334 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.332, <8 x float> %t.327, <8 x float> %carried.299)
  %x.335 = getelementptr float, ptr %x.318, i64 1400
  %t.336 = load float, ptr %x.335, align 4, !invariant.load !0
  %x.337 = insertelement <8 x float> poison, float %t.336, i64 0
  %x.338 = shufflevector <8 x float> %x.337, <8 x float> poison, <8 x i32> zeroinitializer
  %t.339 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.338, <8 x float> %t.322, <8 x float> %carried.300)
  %t.340 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.338, <8 x float> %t.327, <8 x float> %carried.301)
  %x.341 = getelementptr float, ptr %x.318, i64 2100
  %t.342 = load float, ptr %x.341, align 4, !invariant.load !0
  %x.343 = insertelement <8 x float> poison, float %t.342, i64 0
  %x.344 = shufflevector <8 x float> %x.343, <8 x float> poison, <8 x i32> zeroinitializer
  %t.345 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.344, <8 x float> %t.322, <8 x float> %carried.302)
  %t.346 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.344, <8 x float> %t.327, <8 x float> %carried.303)
  %x.347 = getelementptr float, ptr %x.318, i64 2800
  %t.348 = load float, ptr %x.347, align 4, !invariant.load !0
  %x.349 = insertelement <8 x float> poison, float %t.348, i64 0
  %x.350 = shufflevector <8 x float> %x.349, <8 x float> poison, <8 x i32> zeroinitializer
  %t.351 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.350, <8 x float> %t.322, <8 x float> %carried.304)
  %t.352 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.350, <8 x float> %t.327, <8 x float> %carried.305)
  %x.353 = getelementptr float, ptr %x.318, i64 3500
  %t.354 = load float, ptr %x.353, align 4, !invariant.load !0
  %x.355 = insertelement <8 x float> poison, float %t.354, i64 0
  %x.356 = shufflevector <8 x float> %x.355, <8 x float> poison, <8 x i32> zeroinitializer
  %t.357 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.356, <8 x float> %t.322, <8 x float> %carried.306)
  %t.358 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.356, <8 x float> %t.327, <8 x float> %carried.307)
  %t.359 = add nsw i64 %i.295, 1
  %t.360 = icmp slt i64 %t.359, 700
  br i1 %t.360, label %loop.293, label %done.294, !llvm.loop !5
done.294:
  %t.361 = phi <8 x float> [ %t.325, %loop.293 ]
  %t.362 = phi <8 x float> [ %t.328, %loop.293 ]
  %t.363 = phi <8 x float> [ %t.333, %loop.293 ]
  %t.364 = phi <8 x float> [ %t.334, %loop.293 ]
  %t.365 = phi <8 x float> [ %t.339, %loop.293 ]
  %t.366 = phi <8 x float> [ %t.340, %loop.293 ]
  %t.367 = phi <8 x float> [ %t.345, %loop.293 ]
  %t.368 = phi <8 x float> [ %t.346, %loop.293 ]
  %t.369 = phi <8 x float> [ %t.351, %loop.293 ]
  %t.370 = phi <8 x float> [ %t.352, %loop.293 ]
  %t.371 = phi <8 x float> [ %t.357, %loop.293 ]
  %t.372 = phi <8 x float> [ %t.358, %loop.293 ]
  store <8 x float> %t.361, ptr %x.14, align 4
  store <8 x float> %t.362, ptr %x.50, align 4
  store <8 x float> %t.363, ptr %x.52, align 4
  store <8 x float> %t.364, ptr %x.54, align 4
  store <8 x float> %t.365, ptr %x.56, align 4
  store <8 x float> %t.366, ptr %x.58, align 4
  store <8 x float> %t.367, ptr %x.60, align 4
  store <8 x float> %t.368, ptr %x.62, align 4
  store <8 x float> %t.369, ptr %x.64, align 4
  store <8 x float> %t.370, ptr %x.66, align 4
  store <8 x float> %t.371, ptr %x.68, align 4
  store <8 x float> %t.372, ptr %x.70, align 4
  br label %done.280
else.279:
  %t.373 = load <8 x float>, ptr %x.14, align 4
  %x.379 = load volatile i32, ptr %kept.378
  %x.380 = insertelement <8 x i32> poison, i32 %x.379, i64 0
  %x.381 = shufflevector <8 x i32> %x.380, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.382 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.381
  %t.383 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.50, <8 x i1> %x.382, <8 x float> zeroinitializer)
  %t.384 = load <8 x float>, ptr %x.52, align 4
  %t.385 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.54, <8 x i1> %x.382, <8 x float> zeroinitializer)
  %t.386 = load <8 x float>, ptr %x.56, align 4
  %t.387 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.58, <8 x i1> %x.382, <8 x float> zeroinitializer)
  %t.388 = load <8 x float>, ptr %x.60, align 4
  %t.389 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.62, <8 x i1> %x.382, <8 x float> zeroinitializer)
  %t.390 = load <8 x float>, ptr %x.64, align 4
  %t.391 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.66, <8 x i1> %x.382, <8 x float> zeroinitializer)
  %t.392 = load <8 x float>, ptr %x.68, align 4
  %t.393 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.70, <8 x i1> %x.382, <8 x float> zeroinitializer)
  br label %loop.394
loop.394:
  %i.396 = phi i64 [ 0, %else.279 ], [ %t.455, %loop.394 ]
  %carried.397 = phi <8 x float> [ %t.373, %else.279 ], [ %t.421, %loop.394 ]
  %carried.398 = phi <8 x float> [ %t.383, %else.279 ], [ %t.424, %loop.394 ]
  %carried.399 = phi <8 x float> [ %t.384, %else.279 ], [ %t.429, %loop.394 ]
  %carried.400 = phi <8 x float> [ %t.385, %else.279 ], [ %t.430, %loop.394 ]
  %carried.401 = phi <8 x float> [ %t.386, %else.279 ], [ %t.435, %loop.394 ]
  %carried.402 = phi <8 x float> [ %t.387, %else.279 ], [ %t.436, %loop.394 ]
  %carried.403 = phi <8 x float> [ %t.388, %else.279 ], [ %t.441, %loop.394 ]
  %carried.404 = phi <8 x float> [ %t.389, %else.279 ], [ %t.442, %loop.394 ]
  %carried.405 = phi <8 x float> [ %t.390, %else.279 ], [ %t.447, %loop.394 ]
  %carried.406 = phi <8 x float> [ %t.391, %else.279 ], [ %t.448, %loop.394 ]
  %carried.407 = phi <8 x float> [ %t.392, %else.279 ], [ %t.453, %loop.394 ]
  %carried.408 = phi <8 x float> [ %t.393, %else.279 ], [ %t.454, %loop.394 ]
  %x.409 = ashr i64 %i.396, 3
  %x.410 = mul nsw i64 %x.409, 1100
  %x.411 = getelementptr float, ptr %x.313, i64 %x.410
  %x.412 = getelementptr float, ptr %x.411, i64 16
  call void @llvm.prefetch.p0(ptr %x.412, i32 0, i32 3, i32 1)
  %x.413 = getelementptr float, ptr %x.411, i64 31
  call void @llvm.prefetch.p0(ptr %x.413, i32 0, i32 3, i32 1)
  %x.414 = getelementptr float, ptr %x.97, i64 %i.396
  %t.415 = load float, ptr %x.414, align 4, !invariant.load !0
  %x.416 = mul nsw i64 %i.396, 16
  %x.417 = getelementptr float, ptr %local.4, i64 %x.416
  %t.418 = load <8 x float>, ptr %x.417, align 4
  %x.419 = insertelement <8 x float> poison, float %t.415, i64 0
  %x.420 = shufflevector <8 x float> %x.419, <8 x float> poison, <8 x i32> zeroinitializer
  %t.421 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.420, <8 x float> %t.418, <8 x float> %carried.397)
  %x.422 = getelementptr float, ptr %x.417, i64 8
  %t.423 = load <8 x float>, ptr %x.422, align 4
  %t.424 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.420, <8 x float> %t.423, <8 x float> %carried.398)
  %x.425 = getelementptr float, ptr %x.414, i64 700
  %t.426 = load float, ptr %x.425, align 4, !invariant.load !0
  %x.427 = insertelement <8 x float> poison, float %t.426, i64 0
  %x.428 = shufflevector <8 x float> %x.427, <8 x float> poison, <8 x i32> zeroinitializer
  %t.429 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.428, <8 x float> %t.418, <8 x float> %carried.399)
  %t.430 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.428, <8 x float> %t.423, <8 x float> %carried.400)
  %x.431 = getelementptr float, ptr %x.414, i64 1400
  %t.432 = load float, ptr %x.431, align 4, !invariant.load !0
  %x.433 = insertelement <8 x float> poison, float %t.432, i64 0
  %x.434 = shufflevector <8 x float> %x.433, <8 x float> poison, <8 x i32> zeroinitializer
  %t.435 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.434, <8 x float> %t.418, <8 x float> %carried.401)
  %t.436 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.434, <8 x float> %t.423, <8 x float> %carried.402)
  %x.437 = getelementptr float, ptr %x.414, i64 2100
  %t.438 = load float, ptr %x.437, align 4, !invariant.load !0
  %x.439 = insertelement <8 x float> poison, float %t.438, i64 0
  %x.440 = shufflevector <8 x float> %x.439, <8 x float> poison, <8 x i32> zeroinitializer
  %t.441 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.440, <8 x float> %t.418, <8 x float> %carried.403)
  %t.442 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.440, <8 x float> %t.423, <8 x float> %carried.404)
  %x.443 = getelementptr float, ptr %x.414, i64 2800
  %t.444 = load float, ptr %x.443, align 4, !invariant.load !0
  %x.445 = insertelement <8 x float> poison, float %t.444, i64 0
  %x.446 = shufflevector <8 x float> %x.445, <8 x float> poison, <8 x i32> zeroinitializer
  %t.447 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.446, <8 x float> %t.418, <8 x float> %carried.405)
  %t.448 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.446, <8 x float> %t.423, <8 x float> %carried.406)
  %x.449 = getelementptr float, ptr %x.414, i64 3500
  %t.450 = load float, ptr %x.449, align 4, !invariant.load !0
  %x.451 = insertelement <8 x float> poison, float %t.450, i64 0
  %x.452 = shufflevector <8 x float> %x.451, <8 x float> poison, <8 x i32> zeroinitializer
  %t.453 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.452, <8 x float> %t.418, <8 x float> %carried.407)
  %t.454 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.452, <8 x float> %t.423, <8 x float> %carried.408)
  %t.455 = add nsw i64 %i.396, 1
  %t.456 = icmp slt i64 %t.455, 700
  br i1 %t.456, label %loop.394, label %done.395, !llvm.loop !6
done.395:
  %t.457 = phi <8 x float> [ %t.421, %loop.394 ]
  %t.458 = phi <8 x float> [ %t.424, %loop.394 ]
  %t.459 = phi <8 x float> [ %t.429, %loop.394 ]
  %t.460 = phi <8 x float> [ %t.430, %loop.394 ]
  %t.461 = phi <8 x float> [ %t.435, %loop.394 ]
  %t.462 = phi <8 x float> [ %t.436, %loop.394 ]
  %t.463 = phi <8 x float> [ %t.441, %loop.394 ]
  %t.464 = phi <8 x float> [ %t.442, %loop.394 ]
  %t.465 = phi <8 x float> [ %t.447, %loop.394 ]
  %t.466 = phi <8 x float> [ %t.448, %loop.394 ]
  %t.467 = phi <8 x float> [ %t.453, %loop.394 ]
  %t.468 = phi <8 x float> [ %t.454, %loop.394 ]
  store <8 x float> %t.457, ptr %x.14, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.458, ptr align 4 %x.50, <8 x i1> %x.382)
  store <8 x float> %t.459, ptr %x.52, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.460, ptr align 4 %x.54, <8 x i1> %x.382)
  store <8 x float> %t.461, ptr %x.56, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.462, ptr align 4 %x.58, <8 x i1> %x.382)
  store <8 x float> %t.463, ptr %x.60, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.464, ptr align 4 %x.62, <8 x i1> %x.382)
  store <8 x float> %t.465, ptr %x.64, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.466, ptr align 4 %x.66, <8 x i1> %x.382)
  store <8 x float> %t.467, ptr %x.68, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.468, ptr align 4 %x.70, <8 x i1> %x.382)
  br label %done.280
done.280:
  br label %done.43
done.43:
  %t.469 = add nsw i64 %i.10, 1
  %t.470 = icmp slt i64 %t.469, 20
  br i1 %t.470, label %loop.8, label %done.9, !llvm.loop !7
done.9:
  %t.471 = add nsw i64 %i.7, 1
  %t.472 = icmp slt i64 %t.471, 69
  br i1 %t.472, label %loop.5, label %done.6, !llvm.loop !8
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
!3 = distinct !{!3, !1, !2}
!4 = distinct !{!4, !1, !2}
!5 = distinct !{!5, !1, !2}
!6 = distinct !{!6, !1, !2}
!7 = distinct !{!7, !1, !2}
!8 = distinct !{!8, !1, !2}
