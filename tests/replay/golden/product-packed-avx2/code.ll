target triple = "x86_64-unknown-linux-gnu"

define void @"product__packed"(ptr noalias nocapture noundef readonly align 4 %"a.A", ptr noalias nocapture noundef readonly align 4 %"a.B", ptr noalias nocapture noundef align 4 %"a.C") #0 {
entry:
  %kept.26 = alloca i32
  %t.1 = mul i64 11200, 4
  %t.2 = add i64 %t.1, 127
  %t.3 = and i64 %t.2, -64
  %local.4 = call noalias ptr @aligned_alloc(i64 64, i64 %t.3)
  br label %loop.5
loop.5:
  %i.7 = phi i64 [ 0, %entry ], [ %t.284, %done.39 ]
  %x.11 = mul nsw i64 %i.7, 16
  %x.12 = getelementptr float, ptr %"a.B", i64 %x.11
  %x.19 = mul nsw i64 %i.7, -16
  %x.20 = add nsw i64 %x.19, 1100
  %x.21 = call i64 @llvm.smin.i64(i64 16, i64 %x.20)
  %x.22 = add nsw i64 %x.21, -8
  %x.23 = call i64 @llvm.smax.i64(i64 0, i64 %x.22)
  %x.24 = call i64 @llvm.smin.i64(i64 8, i64 %x.23)
  %x.25 = trunc i64 %x.24 to i32
  store i32 %x.25, ptr %kept.26
  %x.27 = load volatile i32, ptr %kept.26
  %x.28 = insertelement <8 x i32> poison, i32 %x.27, i64 0
  %x.29 = shufflevector <8 x i32> %x.28, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.30 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.29
  br label %loop.8
loop.8:
  %i.10 = phi i64 [ 0, %loop.5 ], [ %t.33, %loop.8 ]
  %x.13 = mul nsw i64 %i.10, 1100
  %x.14 = getelementptr float, ptr %x.12, i64 %x.13
  %t.15 = load <8 x float>, ptr %x.14, align 4, !invariant.load !0
  %x.16 = mul nsw i64 %i.10, 16
  %x.17 = getelementptr float, ptr %local.4, i64 %x.16
  store <8 x float> %t.15, ptr %x.17, align 4
  %x.18 = getelementptr float, ptr %x.14, i64 8
  %t.31 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.18, <8 x i1> %x.30, <8 x float> zeroinitializer)
  %x.32 = getelementptr float, ptr %x.17, i64 8
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.31, ptr align 4 %x.32, <8 x i1> %x.30)
  %t.33 = add nsw i64 %i.10, 1
  %t.34 = icmp slt i64 %t.33, 700
  br i1 %t.34, label %loop.8, label %done.9, !llvm.loop !3
done.9:
  %x.35 = mul nsw i64 %i.7, -1
  %x.36 = icmp sge i64 %x.35, -67
  %x.43 = getelementptr float, ptr %"a.C", i64 %x.11
  %x.215 = getelementptr float, ptr %local.4, i64 %x.19
  br i1 %x.36, label %then.37, label %else.38
then.37:
  br label %loop.40
loop.40:
  %i.42 = phi i64 [ 0, %then.37 ], [ %t.153, %done.82 ]
  %x.44 = mul nsw i64 %i.42, 6600
  %x.45 = getelementptr float, ptr %x.43, i64 %x.44
  %x.46 = getelementptr float, ptr %x.45, i64 6600
  call void @llvm.prefetch.p0(ptr %x.46, i32 0, i32 3, i32 1)
  %x.47 = getelementptr float, ptr %x.45, i64 7700
  call void @llvm.prefetch.p0(ptr %x.47, i32 0, i32 3, i32 1)
  %x.48 = getelementptr float, ptr %x.45, i64 8800
  call void @llvm.prefetch.p0(ptr %x.48, i32 0, i32 3, i32 1)
  %x.49 = getelementptr float, ptr %x.45, i64 9900
  call void @llvm.prefetch.p0(ptr %x.49, i32 0, i32 3, i32 1)
  %x.50 = getelementptr float, ptr %x.45, i64 11000
  call void @llvm.prefetch.p0(ptr %x.50, i32 0, i32 3, i32 1)
  %x.51 = getelementptr float, ptr %x.45, i64 12100
  call void @llvm.prefetch.p0(ptr %x.51, i32 0, i32 3, i32 1)
  %x.52 = getelementptr float, ptr %x.45, i64 6615
  call void @llvm.prefetch.p0(ptr %x.52, i32 0, i32 3, i32 1)
  %x.53 = getelementptr float, ptr %x.45, i64 7715
  call void @llvm.prefetch.p0(ptr %x.53, i32 0, i32 3, i32 1)
  %x.54 = getelementptr float, ptr %x.45, i64 8815
  call void @llvm.prefetch.p0(ptr %x.54, i32 0, i32 3, i32 1)
  %x.55 = getelementptr float, ptr %x.45, i64 9915
  call void @llvm.prefetch.p0(ptr %x.55, i32 0, i32 3, i32 1)
  %x.56 = getelementptr float, ptr %x.45, i64 11015
  call void @llvm.prefetch.p0(ptr %x.56, i32 0, i32 3, i32 1)
  %x.57 = getelementptr float, ptr %x.45, i64 12115
  call void @llvm.prefetch.p0(ptr %x.57, i32 0, i32 3, i32 1)
  %t.58 = load <8 x float>, ptr %x.45, align 4
  %x.59 = getelementptr float, ptr %x.45, i64 8
  %t.60 = load <8 x float>, ptr %x.59, align 4
  %x.61 = getelementptr float, ptr %x.45, i64 1100
  %t.62 = load <8 x float>, ptr %x.61, align 4
  %x.63 = getelementptr float, ptr %x.45, i64 1108
  %t.64 = load <8 x float>, ptr %x.63, align 4
  %x.65 = getelementptr float, ptr %x.45, i64 2200
  %t.66 = load <8 x float>, ptr %x.65, align 4
  %x.67 = getelementptr float, ptr %x.45, i64 2208
  %t.68 = load <8 x float>, ptr %x.67, align 4
  %x.69 = getelementptr float, ptr %x.45, i64 3300
  %t.70 = load <8 x float>, ptr %x.69, align 4
  %x.71 = getelementptr float, ptr %x.45, i64 3308
  %t.72 = load <8 x float>, ptr %x.71, align 4
  %x.73 = getelementptr float, ptr %x.45, i64 4400
  %t.74 = load <8 x float>, ptr %x.73, align 4
  %x.75 = getelementptr float, ptr %x.45, i64 4408
  %t.76 = load <8 x float>, ptr %x.75, align 4
  %x.77 = getelementptr float, ptr %x.45, i64 5500
  %t.78 = load <8 x float>, ptr %x.77, align 4
  %x.79 = getelementptr float, ptr %x.45, i64 5508
  %t.80 = load <8 x float>, ptr %x.79, align 4
  %x.96 = mul nsw i64 %i.42, 4200
  %x.97 = getelementptr float, ptr %"a.A", i64 %x.96
  br label %loop.81
loop.81:
  %i.83 = phi i64 [ 0, %loop.40 ], [ %t.139, %loop.81 ]
  %carried.84 = phi <8 x float> [ %t.58, %loop.40 ], [ %t.105, %loop.81 ]
  %carried.85 = phi <8 x float> [ %t.60, %loop.40 ], [ %t.108, %loop.81 ]
  %carried.86 = phi <8 x float> [ %t.62, %loop.40 ], [ %t.113, %loop.81 ]
  %carried.87 = phi <8 x float> [ %t.64, %loop.40 ], [ %t.114, %loop.81 ]
  %carried.88 = phi <8 x float> [ %t.66, %loop.40 ], [ %t.119, %loop.81 ]
  %carried.89 = phi <8 x float> [ %t.68, %loop.40 ], [ %t.120, %loop.81 ]
  %carried.90 = phi <8 x float> [ %t.70, %loop.40 ], [ %t.125, %loop.81 ]
  %carried.91 = phi <8 x float> [ %t.72, %loop.40 ], [ %t.126, %loop.81 ]
  %carried.92 = phi <8 x float> [ %t.74, %loop.40 ], [ %t.131, %loop.81 ]
  %carried.93 = phi <8 x float> [ %t.76, %loop.40 ], [ %t.132, %loop.81 ]
  %carried.94 = phi <8 x float> [ %t.78, %loop.40 ], [ %t.137, %loop.81 ]
  %carried.95 = phi <8 x float> [ %t.80, %loop.40 ], [ %t.138, %loop.81 ]
  %x.98 = getelementptr float, ptr %x.97, i64 %i.83
  %t.99 = load float, ptr %x.98, align 4, !invariant.load !0
  %x.100 = mul nsw i64 %i.83, 16
  %x.101 = getelementptr float, ptr %local.4, i64 %x.100
  %t.102 = load <8 x float>, ptr %x.101, align 4
  %x.103 = insertelement <8 x float> poison, float %t.99, i64 0
  %x.104 = shufflevector <8 x float> %x.103, <8 x float> poison, <8 x i32> zeroinitializer
  %t.105 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.104, <8 x float> %t.102, <8 x float> %carried.84)
  %x.106 = getelementptr float, ptr %x.101, i64 8
  %t.107 = load <8 x float>, ptr %x.106, align 4
  %t.108 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.104, <8 x float> %t.107, <8 x float> %carried.85)
  %x.109 = getelementptr float, ptr %x.98, i64 700
  %t.110 = load float, ptr %x.109, align 4, !invariant.load !0
  %x.111 = insertelement <8 x float> poison, float %t.110, i64 0
  %x.112 = shufflevector <8 x float> %x.111, <8 x float> poison, <8 x i32> zeroinitializer
  %t.113 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.112, <8 x float> %t.102, <8 x float> %carried.86)
  %t.114 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.112, <8 x float> %t.107, <8 x float> %carried.87)
  %x.115 = getelementptr float, ptr %x.98, i64 1400
  %t.116 = load float, ptr %x.115, align 4, !invariant.load !0
  %x.117 = insertelement <8 x float> poison, float %t.116, i64 0
  %x.118 = shufflevector <8 x float> %x.117, <8 x float> poison, <8 x i32> zeroinitializer
  %t.119 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.118, <8 x float> %t.102, <8 x float> %carried.88)
  %t.120 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.118, <8 x float> %t.107, <8 x float> %carried.89)
  %x.121 = getelementptr float, ptr %x.98, i64 2100
  %t.122 = load float, ptr %x.121, align 4, !invariant.load !0
  %x.123 = insertelement <8 x float> poison, float %t.122, i64 0
  %x.124 = shufflevector <8 x float> %x.123, <8 x float> poison, <8 x i32> zeroinitializer
  %t.125 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.124, <8 x float> %t.102, <8 x float> %carried.90)
  %t.126 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.124, <8 x float> %t.107, <8 x float> %carried.91)
  %x.127 = getelementptr float, ptr %x.98, i64 2800
  %t.128 = load float, ptr %x.127, align 4, !invariant.load !0
  %x.129 = insertelement <8 x float> poison, float %t.128, i64 0
  %x.130 = shufflevector <8 x float> %x.129, <8 x float> poison, <8 x i32> zeroinitializer
  %t.131 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.130, <8 x float> %t.102, <8 x float> %carried.92)
  %t.132 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.130, <8 x float> %t.107, <8 x float> %carried.93)
  %x.133 = getelementptr float, ptr %x.98, i64 3500
  %t.134 = load float, ptr %x.133, align 4, !invariant.load !0
  %x.135 = insertelement <8 x float> poison, float %t.134, i64 0
  %x.136 = shufflevector <8 x float> %x.135, <8 x float> poison, <8 x i32> zeroinitializer
  %t.137 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.136, <8 x float> %t.102, <8 x float> %carried.94)
  %t.138 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.136, <8 x float> %t.107, <8 x float> %carried.95)
  %t.139 = add nsw i64 %i.83, 1
  %t.140 = icmp slt i64 %t.139, 700
  br i1 %t.140, label %loop.81, label %done.82, !llvm.loop !4
done.82:
  %t.141 = phi <8 x float> [ %t.105, %loop.81 ]
  %t.142 = phi <8 x float> [ %t.108, %loop.81 ]
  %t.143 = phi <8 x float> [ %t.113, %loop.81 ]
  %t.144 = phi <8 x float> [ %t.114, %loop.81 ]
  %t.145 = phi <8 x float> [ %t.119, %loop.81 ]
  %t.146 = phi <8 x float> [ %t.120, %loop.81 ]
  %t.147 = phi <8 x float> [ %t.125, %loop.81 ]
  %t.148 = phi <8 x float> [ %t.126, %loop.81 ]
  %t.149 = phi <8 x float> [ %t.131, %loop.81 ]
  %t.150 = phi <8 x float> [ %t.132, %loop.81 ]
  %t.151 = phi <8 x float> [ %t.137, %loop.81 ]
  %t.152 = phi <8 x float> [ %t.138, %loop.81 ]
  store <8 x float> %t.141, ptr %x.45, align 4
  store <8 x float> %t.142, ptr %x.59, align 4
  store <8 x float> %t.143, ptr %x.61, align 4
  store <8 x float> %t.144, ptr %x.63, align 4
  store <8 x float> %t.145, ptr %x.65, align 4
  store <8 x float> %t.146, ptr %x.67, align 4
  store <8 x float> %t.147, ptr %x.69, align 4
  store <8 x float> %t.148, ptr %x.71, align 4
  store <8 x float> %t.149, ptr %x.73, align 4
  store <8 x float> %t.150, ptr %x.75, align 4
  store <8 x float> %t.151, ptr %x.77, align 4
  store <8 x float> %t.152, ptr %x.79, align 4
  %t.153 = add nsw i64 %i.42, 1
  %t.154 = icmp slt i64 %t.153, 20
  br i1 %t.154, label %loop.40, label %done.41, !llvm.loop !5
done.41:
  br label %done.39
else.38:
  br label %loop.155
loop.155:
  %i.157 = phi i64 [ 0, %else.38 ], [ %t.282, %done.197 ]
  %x.158 = mul nsw i64 %i.157, 6600
  %x.159 = getelementptr float, ptr %"a.C", i64 %x.158
  %x.160 = getelementptr float, ptr %x.159, i64 7688
  call void @llvm.prefetch.p0(ptr %x.160, i32 0, i32 3, i32 1)
  %x.161 = getelementptr float, ptr %x.159, i64 8788
  call void @llvm.prefetch.p0(ptr %x.161, i32 0, i32 3, i32 1)
  %x.162 = getelementptr float, ptr %x.159, i64 9888
  call void @llvm.prefetch.p0(ptr %x.162, i32 0, i32 3, i32 1)
  %x.163 = getelementptr float, ptr %x.159, i64 10988
  call void @llvm.prefetch.p0(ptr %x.163, i32 0, i32 3, i32 1)
  %x.164 = getelementptr float, ptr %x.159, i64 12088
  call void @llvm.prefetch.p0(ptr %x.164, i32 0, i32 3, i32 1)
  %x.165 = getelementptr float, ptr %x.159, i64 13188
  call void @llvm.prefetch.p0(ptr %x.165, i32 0, i32 3, i32 1)
  %x.166 = getelementptr float, ptr %x.159, i64 7699
  call void @llvm.prefetch.p0(ptr %x.166, i32 0, i32 3, i32 1)
  %x.167 = getelementptr float, ptr %x.159, i64 8799
  call void @llvm.prefetch.p0(ptr %x.167, i32 0, i32 3, i32 1)
  %x.168 = getelementptr float, ptr %x.159, i64 9899
  call void @llvm.prefetch.p0(ptr %x.168, i32 0, i32 3, i32 1)
  %x.169 = getelementptr float, ptr %x.159, i64 10999
  call void @llvm.prefetch.p0(ptr %x.169, i32 0, i32 3, i32 1)
  %x.170 = getelementptr float, ptr %x.159, i64 12099
  call void @llvm.prefetch.p0(ptr %x.170, i32 0, i32 3, i32 1)
  %x.171 = getelementptr float, ptr %x.159, i64 13199
  call void @llvm.prefetch.p0(ptr %x.171, i32 0, i32 3, i32 1)
  %x.172 = getelementptr float, ptr %x.159, i64 1088
  %t.173 = load <8 x float>, ptr %x.172, align 4
  %x.174 = getelementptr float, ptr %x.159, i64 1096
  %t.175 = load <4 x float>, ptr %x.174, align 4
  %x.176 = getelementptr float, ptr %x.159, i64 2188
  %t.177 = load <8 x float>, ptr %x.176, align 4
  %x.178 = getelementptr float, ptr %x.159, i64 2196
  %t.179 = load <4 x float>, ptr %x.178, align 4
  %x.180 = getelementptr float, ptr %x.159, i64 3288
  %t.181 = load <8 x float>, ptr %x.180, align 4
  %x.182 = getelementptr float, ptr %x.159, i64 3296
  %t.183 = load <4 x float>, ptr %x.182, align 4
  %x.184 = getelementptr float, ptr %x.159, i64 4388
  %t.185 = load <8 x float>, ptr %x.184, align 4
  %x.186 = getelementptr float, ptr %x.159, i64 4396
  %t.187 = load <4 x float>, ptr %x.186, align 4
  %x.188 = getelementptr float, ptr %x.159, i64 5488
  %t.189 = load <8 x float>, ptr %x.188, align 4
  %x.190 = getelementptr float, ptr %x.159, i64 5496
  %t.191 = load <4 x float>, ptr %x.190, align 4
  %x.192 = getelementptr float, ptr %x.159, i64 6588
  %t.193 = load <8 x float>, ptr %x.192, align 4
  %x.194 = getelementptr float, ptr %x.159, i64 6596
  %t.195 = load <4 x float>, ptr %x.194, align 4
  %x.211 = mul nsw i64 %i.157, 4200
  %x.212 = getelementptr float, ptr %"a.A", i64 %x.211
  br label %loop.196
loop.196:
  %i.198 = phi i64 [ 0, %loop.155 ], [ %t.268, %loop.196 ]
  %carried.199 = phi <8 x float> [ %t.173, %loop.155 ], [ %t.222, %loop.196 ]
  %carried.200 = phi <4 x float> [ %t.175, %loop.155 ], [ %t.227, %loop.196 ]
  %carried.201 = phi <8 x float> [ %t.177, %loop.155 ], [ %t.232, %loop.196 ]
  %carried.202 = phi <4 x float> [ %t.179, %loop.155 ], [ %t.235, %loop.196 ]
  %carried.203 = phi <8 x float> [ %t.181, %loop.155 ], [ %t.240, %loop.196 ]
  %carried.204 = phi <4 x float> [ %t.183, %loop.155 ], [ %t.243, %loop.196 ]
  %carried.205 = phi <8 x float> [ %t.185, %loop.155 ], [ %t.248, %loop.196 ]
  %carried.206 = phi <4 x float> [ %t.187, %loop.155 ], [ %t.251, %loop.196 ]
  %carried.207 = phi <8 x float> [ %t.189, %loop.155 ], [ %t.256, %loop.196 ]
  %carried.208 = phi <4 x float> [ %t.191, %loop.155 ], [ %t.259, %loop.196 ]
  %carried.209 = phi <8 x float> [ %t.193, %loop.155 ], [ %t.264, %loop.196 ]
  %carried.210 = phi <4 x float> [ %t.195, %loop.155 ], [ %t.267, %loop.196 ]
  %x.213 = getelementptr float, ptr %x.212, i64 %i.198
  %t.214 = load float, ptr %x.213, align 4, !invariant.load !0
  %x.216 = mul nsw i64 %i.198, 16
  %x.217 = getelementptr float, ptr %x.215, i64 %x.216
  %x.218 = getelementptr float, ptr %x.217, i64 1088
  %t.219 = load <8 x float>, ptr %x.218, align 4
  %x.220 = insertelement <8 x float> poison, float %t.214, i64 0
  %x.221 = shufflevector <8 x float> %x.220, <8 x float> poison, <8 x i32> zeroinitializer
  %t.222 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.221, <8 x float> %t.219, <8 x float> %carried.199)
  %x.223 = getelementptr float, ptr %x.217, i64 1096
  %t.224 = load <4 x float>, ptr %x.223, align 4
  %x.225 = insertelement <4 x float> poison, float %t.214, i64 0
  %x.226 = shufflevector <4 x float> %x.225, <4 x float> poison, <4 x i32> zeroinitializer
  %t.227 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.226, <4 x float> %t.224, <4 x float> %carried.200)
  %x.228 = getelementptr float, ptr %x.213, i64 700
  %t.229 = load float, ptr %x.228, align 4, !invariant.load !0
  %x.230 = insertelement <8 x float> poison, float %t.229, i64 0
  %x.231 = shufflevector <8 x float> %x.230, <8 x float> poison, <8 x i32> zeroinitializer
  %t.232 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.231, <8 x float> %t.219, <8 x float> %carried.201)
  %x.233 = insertelement <4 x float> poison, float %t.229, i64 0
  %x.234 = shufflevector <4 x float> %x.233, <4 x float> poison, <4 x i32> zeroinitializer
  %t.235 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.234, <4 x float> %t.224, <4 x float> %carried.202)
  %x.236 = getelementptr float, ptr %x.213, i64 1400
  %t.237 = load float, ptr %x.236, align 4, !invariant.load !0
  %x.238 = insertelement <8 x float> poison, float %t.237, i64 0
  %x.239 = shufflevector <8 x float> %x.238, <8 x float> poison, <8 x i32> zeroinitializer
  %t.240 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.239, <8 x float> %t.219, <8 x float> %carried.203)
  %x.241 = insertelement <4 x float> poison, float %t.237, i64 0
  %x.242 = shufflevector <4 x float> %x.241, <4 x float> poison, <4 x i32> zeroinitializer
  %t.243 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.242, <4 x float> %t.224, <4 x float> %carried.204)
  %x.244 = getelementptr float, ptr %x.213, i64 2100
  %t.245 = load float, ptr %x.244, align 4, !invariant.load !0
  %x.246 = insertelement <8 x float> poison, float %t.245, i64 0
  %x.247 = shufflevector <8 x float> %x.246, <8 x float> poison, <8 x i32> zeroinitializer
  %t.248 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.247, <8 x float> %t.219, <8 x float> %carried.205)
  %x.249 = insertelement <4 x float> poison, float %t.245, i64 0
  %x.250 = shufflevector <4 x float> %x.249, <4 x float> poison, <4 x i32> zeroinitializer
  %t.251 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.250, <4 x float> %t.224, <4 x float> %carried.206)
  %x.252 = getelementptr float, ptr %x.213, i64 2800
  %t.253 = load float, ptr %x.252, align 4, !invariant.load !0
  %x.254 = insertelement <8 x float> poison, float %t.253, i64 0
  %x.255 = shufflevector <8 x float> %x.254, <8 x float> poison, <8 x i32> zeroinitializer
  %t.256 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.255, <8 x float> %t.219, <8 x float> %carried.207)
  %x.257 = insertelement <4 x float> poison, float %t.253, i64 0
  %x.258 = shufflevector <4 x float> %x.257, <4 x float> poison, <4 x i32> zeroinitializer
  %t.259 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.258, <4 x float> %t.224, <4 x float> %carried.208)
  %x.260 = getelementptr float, ptr %x.213, i64 3500
  %t.261 = load float, ptr %x.260, align 4, !invariant.load !0
  %x.262 = insertelement <8 x float> poison, float %t.261, i64 0
  %x.263 = shufflevector <8 x float> %x.262, <8 x float> poison, <8 x i32> zeroinitializer
  %t.264 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.263, <8 x float> %t.219, <8 x float> %carried.209)
  %x.265 = insertelement <4 x float> poison, float %t.261, i64 0
  %x.266 = shufflevector <4 x float> %x.265, <4 x float> poison, <4 x i32> zeroinitializer
  %t.267 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.266, <4 x float> %t.224, <4 x float> %carried.210)
  %t.268 = add nsw i64 %i.198, 1
  %t.269 = icmp slt i64 %t.268, 700
  br i1 %t.269, label %loop.196, label %done.197, !llvm.loop !6
done.197:
  %t.270 = phi <8 x float> [ %t.222, %loop.196 ]
  %t.271 = phi <4 x float> [ %t.227, %loop.196 ]
  %t.272 = phi <8 x float> [ %t.232, %loop.196 ]
  %t.273 = phi <4 x float> [ %t.235, %loop.196 ]
  %t.274 = phi <8 x float> [ %t.240, %loop.196 ]
  %t.275 = phi <4 x float> [ %t.243, %loop.196 ]
  %t.276 = phi <8 x float> [ %t.248, %loop.196 ]
  %t.277 = phi <4 x float> [ %t.251, %loop.196 ]
  %t.278 = phi <8 x float> [ %t.256, %loop.196 ]
  %t.279 = phi <4 x float> [ %t.259, %loop.196 ]
  %t.280 = phi <8 x float> [ %t.264, %loop.196 ]
  %t.281 = phi <4 x float> [ %t.267, %loop.196 ]
  store <8 x float> %t.270, ptr %x.172, align 4
  store <4 x float> %t.271, ptr %x.174, align 4
  store <8 x float> %t.272, ptr %x.176, align 4
  store <4 x float> %t.273, ptr %x.178, align 4
  store <8 x float> %t.274, ptr %x.180, align 4
  store <4 x float> %t.275, ptr %x.182, align 4
  store <8 x float> %t.276, ptr %x.184, align 4
  store <4 x float> %t.277, ptr %x.186, align 4
  store <8 x float> %t.278, ptr %x.188, align 4
  store <4 x float> %t.279, ptr %x.190, align 4
  store <8 x float> %t.280, ptr %x.192, align 4
  store <4 x float> %t.281, ptr %x.194, align 4
  %t.282 = add nsw i64 %i.157, 1
  %t.283 = icmp slt i64 %t.282, 20
  br i1 %t.283, label %loop.155, label %done.156, !llvm.loop !7
done.156:
  br label %done.39
done.39:
  %t.284 = add nsw i64 %i.7, 1
  %t.285 = icmp slt i64 %t.284, 69
  br i1 %t.285, label %loop.5, label %done.6, !llvm.loop !8
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
