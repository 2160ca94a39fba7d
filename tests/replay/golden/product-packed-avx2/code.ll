target triple = "x86_64-unknown-linux-gnu"

define void @"product__packed"(ptr noalias nocapture noundef readonly align 4 %"a.A", ptr noalias nocapture noundef readonly align 4 %"a.B", ptr noalias nocapture noundef align 4 %"a.C") #0 {
entry:
  %kept.24 = alloca i32
  %t.1 = mul i64 11200, 4
  %t.2 = add i64 %t.1, 127
  %t.3 = and i64 %t.2, -64
  %local.4 = call noalias ptr @aligned_alloc(i64 64, i64 %t.3)
  br label %loop.5
loop.5:
  %i.7 = phi i64 [ 0, %entry ], [ %t.282, %done.37 ]
  %x.11 = mul nsw i64 %i.7, 16
  %x.12 = getelementptr float, ptr %"a.B", i64 %x.11
  %x.19 = mul nsw i64 %i.7, -16
  %x.20 = add nsw i64 %x.19, 1100
  %x.21 = call i64 @llvm.smin.i64(i64 16, i64 %x.20)
  %x.22 = add nsw i64 %x.21, -8
  %x.23 = trunc i64 %x.22 to i32
  store i32 %x.23, ptr %kept.24
  %x.25 = load volatile i32, ptr %kept.24
  %x.26 = insertelement <8 x i32> poison, i32 %x.25, i64 0
  %x.27 = shufflevector <8 x i32> %x.26, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.28 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.27
  br label %loop.8
loop.8:
  %i.10 = phi i64 [ 0, %loop.5 ], [ %t.31, %loop.8 ]
  %x.13 = mul nsw i64 %i.10, 1100
  %x.14 = getelementptr float, ptr %x.12, i64 %x.13
  %t.15 = load <8 x float>, ptr %x.14, align 4, !invariant.load !0
  %x.16 = mul nsw i64 %i.10, 16
  %x.17 = getelementptr float, ptr %local.4, i64 %x.16
  store <8 x float> %t.15, ptr %x.17, align 4
  %x.18 = getelementptr float, ptr %x.14, i64 8
  %t.29 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.18, <8 x i1> %x.28, <8 x float> zeroinitializer)
  %x.30 = getelementptr float, ptr %x.17, i64 8
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.29, ptr align 4 %x.30, <8 x i1> %x.28)
  %t.31 = add nsw i64 %i.10, 1
  %t.32 = icmp slt i64 %t.31, 700
  br i1 %t.32, label %loop.8, label %done.9, !llvm.loop !3
done.9:
  %x.33 = mul nsw i64 %i.7, -1
  %x.34 = icmp sge i64 %x.33, -67
  %x.41 = getelementptr float, ptr %"a.C", i64 %x.11
  %x.213 = getelementptr float, ptr %local.4, i64 %x.19
  br i1 %x.34, label %then.35, label %else.36
then.35:
  br label %loop.38
loop.38:
  %i.40 = phi i64 [ 0, %then.35 ], [ %t.151, %done.80 ]
  %x.42 = mul nsw i64 %i.40, 6600
  %x.43 = getelementptr float, ptr %x.41, i64 %x.42
  %x.44 = getelementptr float, ptr %x.43, i64 6600
  call void @llvm.prefetch.p0(ptr %x.44, i32 0, i32 3, i32 1)
  %x.45 = getelementptr float, ptr %x.43, i64 7700
  call void @llvm.prefetch.p0(ptr %x.45, i32 0, i32 3, i32 1)
  %x.46 = getelementptr float, ptr %x.43, i64 8800
  call void @llvm.prefetch.p0(ptr %x.46, i32 0, i32 3, i32 1)
  %x.47 = getelementptr float, ptr %x.43, i64 9900
  call void @llvm.prefetch.p0(ptr %x.47, i32 0, i32 3, i32 1)
  %x.48 = getelementptr float, ptr %x.43, i64 11000
  call void @llvm.prefetch.p0(ptr %x.48, i32 0, i32 3, i32 1)
  %x.49 = getelementptr float, ptr %x.43, i64 12100
  call void @llvm.prefetch.p0(ptr %x.49, i32 0, i32 3, i32 1)
  %x.50 = getelementptr float, ptr %x.43, i64 6615
  call void @llvm.prefetch.p0(ptr %x.50, i32 0, i32 3, i32 1)
  %x.51 = getelementptr float, ptr %x.43, i64 7715
  call void @llvm.prefetch.p0(ptr %x.51, i32 0, i32 3, i32 1)
  %x.52 = getelementptr float, ptr %x.43, i64 8815
  call void @llvm.prefetch.p0(ptr %x.52, i32 0, i32 3, i32 1)
  %x.53 = getelementptr float, ptr %x.43, i64 9915
  call void @llvm.prefetch.p0(ptr %x.53, i32 0, i32 3, i32 1)
  %x.54 = getelementptr float, ptr %x.43, i64 11015
  call void @llvm.prefetch.p0(ptr %x.54, i32 0, i32 3, i32 1)
  %x.55 = getelementptr float, ptr %x.43, i64 12115
  call void @llvm.prefetch.p0(ptr %x.55, i32 0, i32 3, i32 1)
  %t.56 = load <8 x float>, ptr %x.43, align 4
  %x.57 = getelementptr float, ptr %x.43, i64 8
  %t.58 = load <8 x float>, ptr %x.57, align 4
  %x.59 = getelementptr float, ptr %x.43, i64 1100
  %t.60 = load <8 x float>, ptr %x.59, align 4
  %x.61 = getelementptr float, ptr %x.43, i64 1108
  %t.62 = load <8 x float>, ptr %x.61, align 4
  %x.63 = getelementptr float, ptr %x.43, i64 2200
  %t.64 = load <8 x float>, ptr %x.63, align 4
  %x.65 = getelementptr float, ptr %x.43, i64 2208
  %t.66 = load <8 x float>, ptr %x.65, align 4
  %x.67 = getelementptr float, ptr %x.43, i64 3300
  %t.68 = load <8 x float>, ptr %x.67, align 4
  %x.69 = getelementptr float, ptr %x.43, i64 3308
  %t.70 = load <8 x float>, ptr %x.69, align 4
  %x.71 = getelementptr float, ptr %x.43, i64 4400
  %t.72 = load <8 x float>, ptr %x.71, align 4
  %x.73 = getelementptr float, ptr %x.43, i64 4408
  %t.74 = load <8 x float>, ptr %x.73, align 4
  %x.75 = getelementptr float, ptr %x.43, i64 5500
  %t.76 = load <8 x float>, ptr %x.75, align 4
  %x.77 = getelementptr float, ptr %x.43, i64 5508
  %t.78 = load <8 x float>, ptr %x.77, align 4
  %x.94 = mul nsw i64 %i.40, 4200
  %x.95 = getelementptr float, ptr %"a.A", i64 %x.94
  br label %loop.79
loop.79:
  %i.81 = phi i64 [ 0, %loop.38 ], [ %t.137, %loop.79 ]
  %carried.82 = phi <8 x float> [ %t.56, %loop.38 ], [ %t.103, %loop.79 ]
  %carried.83 = phi <8 x float> [ %t.58, %loop.38 ], [ %t.106, %loop.79 ]
  %carried.84 = phi <8 x float> [ %t.60, %loop.38 ], [ %t.111, %loop.79 ]
  %carried.85 = phi <8 x float> [ %t.62, %loop.38 ], [ %t.112, %loop.79 ]
  %carried.86 = phi <8 x float> [ %t.64, %loop.38 ], [ %t.117, %loop.79 ]
  %carried.87 = phi <8 x float> [ %t.66, %loop.38 ], [ %t.118, %loop.79 ]
  %carried.88 = phi <8 x float> [ %t.68, %loop.38 ], [ %t.123, %loop.79 ]
  %carried.89 = phi <8 x float> [ %t.70, %loop.38 ], [ %t.124, %loop.79 ]
  %carried.90 = phi <8 x float> [ %t.72, %loop.38 ], [ %t.129, %loop.79 ]
  %carried.91 = phi <8 x float> [ %t.74, %loop.38 ], [ %t.130, %loop.79 ]
  %carried.92 = phi <8 x float> [ %t.76, %loop.38 ], [ %t.135, %loop.79 ]
  %carried.93 = phi <8 x float> [ %t.78, %loop.38 ], [ %t.136, %loop.79 ]
  %x.96 = getelementptr float, ptr %x.95, i64 %i.81
  %t.97 = load float, ptr %x.96, align 4, !invariant.load !0
  %x.98 = mul nsw i64 %i.81, 16
  %x.99 = getelementptr float, ptr %local.4, i64 %x.98
  %t.100 = load <8 x float>, ptr %x.99, align 4
  %x.101 = insertelement <8 x float> poison, float %t.97, i64 0
  %x.102 = shufflevector <8 x float> %x.101, <8 x float> poison, <8 x i32> zeroinitializer
  %t.103 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.102, <8 x float> %t.100, <8 x float> %carried.82)
  %x.104 = getelementptr float, ptr %x.99, i64 8
  %t.105 = load <8 x float>, ptr %x.104, align 4
  %t.106 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.102, <8 x float> %t.105, <8 x float> %carried.83)
  %x.107 = getelementptr float, ptr %x.96, i64 700
  %t.108 = load float, ptr %x.107, align 4, !invariant.load !0
  %x.109 = insertelement <8 x float> poison, float %t.108, i64 0
  %x.110 = shufflevector <8 x float> %x.109, <8 x float> poison, <8 x i32> zeroinitializer
  %t.111 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.110, <8 x float> %t.100, <8 x float> %carried.84)
  %t.112 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.110, <8 x float> %t.105, <8 x float> %carried.85)
  %x.113 = getelementptr float, ptr %x.96, i64 1400
  %t.114 = load float, ptr %x.113, align 4, !invariant.load !0
  %x.115 = insertelement <8 x float> poison, float %t.114, i64 0
  %x.116 = shufflevector <8 x float> %x.115, <8 x float> poison, <8 x i32> zeroinitializer
  %t.117 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.116, <8 x float> %t.100, <8 x float> %carried.86)
  %t.118 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.116, <8 x float> %t.105, <8 x float> %carried.87)
  %x.119 = getelementptr float, ptr %x.96, i64 2100
  %t.120 = load float, ptr %x.119, align 4, !invariant.load !0
  %x.121 = insertelement <8 x float> poison, float %t.120, i64 0
  %x.122 = shufflevector <8 x float> %x.121, <8 x float> poison, <8 x i32> zeroinitializer
  %t.123 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.122, <8 x float> %t.100, <8 x float> %carried.88)
  %t.124 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.122, <8 x float> %t.105, <8 x float> %carried.89)
  %x.125 = getelementptr float, ptr %x.96, i64 2800
  %t.126 = load float, ptr %x.125, align 4, !invariant.load !0
  %x.127 = insertelement <8 x float> poison, float %t.126, i64 0
  %x.128 = shufflevector <8 x float> %x.127, <8 x float> poison, <8 x i32> zeroinitializer
  %t.129 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.128, <8 x float> %t.100, <8 x float> %carried.90)
  %t.130 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.128, <8 x float> %t.105, <8 x float> %carried.91)
  %x.131 = getelementptr float, ptr %x.96, i64 3500
  %t.132 = load float, ptr %x.131, align 4, !invariant.load !0
  %x.133 = insertelement <8 x float> poison, float %t.132, i64 0
  %x.134 = shufflevector <8 x float> %x.133, <8 x float> poison, <8 x i32> zeroinitializer
  %t.135 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.134, <8 x float> %t.100, <8 x float> %carried.92)
  %t.136 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.134, <8 x float> %t.105, <8 x float> %carried.93)
  %t.137 = add nsw i64 %i.81, 1
  %t.138 = icmp slt i64 %t.137, 700
  br i1 %t.138, label %loop.79, label %done.80, !llvm.loop !4
done.80:
  %t.139 = phi <8 x float> [ %t.103, %loop.79 ]
  %t.140 = phi <8 x float> [ %t.106, %loop.79 ]
  %t.141 = phi <8 x float> [ %t.111, %loop.79 ]
  %t.142 = phi <8 x float> [ %t.112, %loop.79 ]
  %t.143 = phi <8 x float> [ %t.117, %loop.79 ]
  %t.144 = phi <8 x float> [ %t.118, %loop.79 ]
  %t.145 = phi <8 x float> [ %t.123, %loop.79 ]
  %t.146 = phi <8 x float> [ %t.124, %loop.79 ]
  %t.147 = phi <8 x float> [ %t.129, %loop.79 ]
  %t.148 = phi <8 x float> [ %t.130, %loop.79 ]
  %t.149 = phi <8 x float> [ %t.135, %loop.79 ]
  %t.150 = phi <8 x float> [ %t.136, %loop.79 ]
  store <8 x float> %t.139, ptr %x.43, align 4
  store <8 x float> %t.140, ptr %x.57, align 4
  store <8 x float> %t.141, ptr %x.59, align 4
  store <8 x float> %t.142, ptr %x.61, align 4
  store <8 x float> %t.143, ptr %x.63, align 4
  store <8 x float> %t.144, ptr %x.65, align 4
  store <8 x float> %t.145, ptr %x.67, align 4
  store <8 x float> %t.146, ptr %x.69, align 4
  store <8 x float> %t.147, ptr %x.71, align 4
  store <8 x float> %t.148, ptr %x.73, align 4
  store <8 x float> %t.149, ptr %x.75, align 4
  store <8 x float> %t.150, ptr %x.77, align 4
  %t.151 = add nsw i64 %i.40, 1
  %t.152 = icmp slt i64 %t.151, 20
  br i1 %t.152, label %loop.38, label %done.39, !llvm.loop !5
done.39:
  br label %done.37
else.36:
  br label %loop.153
loop.153:
  %i.155 = phi i64 [ 0, %else.36 ], [ %t.280, %done.195 ]
  %x.156 = mul nsw i64 %i.155, 6600
  %x.157 = getelementptr float, ptr %"a.C", i64 %x.156
  %x.158 = getelementptr float, ptr %x.157, i64 7688
  call void @llvm.prefetch.p0(ptr %x.158, i32 0, i32 3, i32 1)
  %x.159 = getelementptr float, ptr %x.157, i64 8788
  call void @llvm.prefetch.p0(ptr %x.159, i32 0, i32 3, i32 1)
  %x.160 = getelementptr float, ptr %x.157, i64 9888
  call void @llvm.prefetch.p0(ptr %x.160, i32 0, i32 3, i32 1)
  %x.161 = getelementptr float, ptr %x.157, i64 10988
  call void @llvm.prefetch.p0(ptr %x.161, i32 0, i32 3, i32 1)
  %x.162 = getelementptr float, ptr %x.157, i64 12088
  call void @llvm.prefetch.p0(ptr %x.162, i32 0, i32 3, i32 1)
  %x.163 = getelementptr float, ptr %x.157, i64 13188
  call void @llvm.prefetch.p0(ptr %x.163, i32 0, i32 3, i32 1)
  %x.164 = getelementptr float, ptr %x.157, i64 7699
  call void @llvm.prefetch.p0(ptr %x.164, i32 0, i32 3, i32 1)
  %x.165 = getelementptr float, ptr %x.157, i64 8799
  call void @llvm.prefetch.p0(ptr %x.165, i32 0, i32 3, i32 1)
  %x.166 = getelementptr float, ptr %x.157, i64 9899
  call void @llvm.prefetch.p0(ptr %x.166, i32 0, i32 3, i32 1)
  %x.167 = getelementptr float, ptr %x.157, i64 10999
  call void @llvm.prefetch.p0(ptr %x.167, i32 0, i32 3, i32 1)
  %x.168 = getelementptr float, ptr %x.157, i64 12099
  call void @llvm.prefetch.p0(ptr %x.168, i32 0, i32 3, i32 1)
  %x.169 = getelementptr float, ptr %x.157, i64 13199
  call void @llvm.prefetch.p0(ptr %x.169, i32 0, i32 3, i32 1)
  %x.170 = getelementptr float, ptr %x.157, i64 1088
  %t.171 = load <8 x float>, ptr %x.170, align 4
  %x.172 = getelementptr float, ptr %x.157, i64 1096
  %t.173 = load <4 x float>, ptr %x.172, align 4
  %x.174 = getelementptr float, ptr %x.157, i64 2188
  %t.175 = load <8 x float>, ptr %x.174, align 4
  %x.176 = getelementptr float, ptr %x.157, i64 2196
  %t.177 = load <4 x float>, ptr %x.176, align 4
  %x.178 = getelementptr float, ptr %x.157, i64 3288
  %t.179 = load <8 x float>, ptr %x.178, align 4
  %x.180 = getelementptr float, ptr %x.157, i64 3296
  %t.181 = load <4 x float>, ptr %x.180, align 4
  %x.182 = getelementptr float, ptr %x.157, i64 4388
  %t.183 = load <8 x float>, ptr %x.182, align 4
  %x.184 = getelementptr float, ptr %x.157, i64 4396
  %t.185 = load <4 x float>, ptr %x.184, align 4
  %x.186 = getelementptr float, ptr %x.157, i64 5488
  %t.187 = load <8 x float>, ptr %x.186, align 4
  %x.188 = getelementptr float, ptr %x.157, i64 5496
  %t.189 = load <4 x float>, ptr %x.188, align 4
  %x.190 = getelementptr float, ptr %x.157, i64 6588
  %t.191 = load <8 x float>, ptr %x.190, align 4
  %x.192 = getelementptr float, ptr %x.157, i64 6596
  %t.193 = load <4 x float>, ptr %x.192, align 4
  %x.209 = mul nsw i64 %i.155, 4200
  %x.210 = getelementptr float, ptr %"a.A", i64 %x.209
  br label %loop.194
loop.194:
  %i.196 = phi i64 [ 0, %loop.153 ], [ %t.266, %loop.194 ]
  %carried.197 = phi <8 x float> [ %t.171, %loop.153 ], [ %t.220, %loop.194 ]
  %carried.198 = phi <4 x float> [ %t.173, %loop.153 ], [ %t.225, %loop.194 ]
  %carried.199 = phi <8 x float> [ %t.175, %loop.153 ], [ %t.230, %loop.194 ]
  %carried.200 = phi <4 x float> [ %t.177, %loop.153 ], [ %t.233, %loop.194 ]
  %carried.201 = phi <8 x float> [ %t.179, %loop.153 ], [ %t.238, %loop.194 ]
  %carried.202 = phi <4 x float> [ %t.181, %loop.153 ], [ %t.241, %loop.194 ]
  %carried.203 = phi <8 x float> [ %t.183, %loop.153 ], [ %t.246, %loop.194 ]
  %carried.204 = phi <4 x float> [ %t.185, %loop.153 ], [ %t.249, %loop.194 ]
  %carried.205 = phi <8 x float> [ %t.187, %loop.153 ], [ %t.254, %loop.194 ]
  %carried.206 = phi <4 x float> [ %t.189, %loop.153 ], [ %t.257, %loop.194 ]
  %carried.207 = phi <8 x float> [ %t.191, %loop.153 ], [ %t.262, %loop.194 ]
  %carried.208 = phi <4 x float> [ %t.193, %loop.153 ], [ %t.265, %loop.194 ]
  %x.211 = getelementptr float, ptr %x.210, i64 %i.196
  %t.212 = load float, ptr %x.211, align 4, !invariant.load !0
  %x.214 = mul nsw i64 %i.196, 16
  %x.215 = getelementptr float, ptr %x.213, i64 %x.214
  %x.216 = getelementptr float, ptr %x.215, i64 1088
  %t.217 = load <8 x float>, ptr %x.216, align 4
  %x.218 = insertelement <8 x float> poison, float %t.212, i64 0
  %x.219 = shufflevector <8 x float> %x.218, <8 x float> poison, <8 x i32> zeroinitializer
  %t.220 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.219, <8 x float> %t.217, <8 x float> %carried.197)
  %x.221 = getelementptr float, ptr %x.215, i64 1096
  %t.222 = load <4 x float>, ptr %x.221, align 4
  %x.223 = insertelement <4 x float> poison, float %t.212, i64 0
  %x.224 = shufflevector <4 x float> %x.223, <4 x float> poison, <4 x i32> zeroinitializer
  %t.225 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.224, <4 x float> %t.222, <4 x float> %carried.198)
  %x.226 = getelementptr float, ptr %x.211, i64 700
  %t.227 = load float, ptr %x.226, align 4, !invariant.load !0
  %x.228 = insertelement <8 x float> poison, float %t.227, i64 0
  %x.229 = shufflevector <8 x float> %x.228, <8 x float> poison, <8 x i32> zeroinitializer
  %t.230 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.229, <8 x float> %t.217, <8 x float> %carried.199)
  %x.231 = insertelement <4 x float> poison, float %t.227, i64 0
  %x.232 = shufflevector <4 x float> %x.231, <4 x float> poison, <4 x i32> zeroinitializer
  %t.233 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.232, <4 x float> %t.222, <4 x float> %carried.200)
  %x.234 = getelementptr float, ptr %x.211, i64 1400
  %t.235 = load float, ptr %x.234, align 4, !invariant.load !0
  %x.236 = insertelement <8 x float> poison, float %t.235, i64 0
  %x.237 = shufflevector <8 x float> %x.236, <8 x float> poison, <8 x i32> zeroinitializer
  %t.238 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.237, <8 x float> %t.217, <8 x float> %carried.201)
  %x.239 = insertelement <4 x float> poison, float %t.235, i64 0
  %x.240 = shufflevector <4 x float> %x.239, <4 x float> poison, <4 x i32> zeroinitializer
  %t.241 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.240, <4 x float> %t.222, <4 x float> %carried.202)
  %x.242 = getelementptr float, ptr %x.211, i64 2100
  %t.243 = load float, ptr %x.242, align 4, !invariant.load !0
  %x.244 = insertelement <8 x float> poison, float %t.243, i64 0
  %x.245 = shufflevector <8 x float> %x.244, <8 x float> poison, <8 x i32> zeroinitializer
  %t.246 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.245, <8 x float> %t.217, <8 x float> %carried.203)
  %x.247 = insertelement <4 x float> poison, float %t.243, i64 0
  %x.248 = shufflevector <4 x float> %x.247, <4 x float> poison, <4 x i32> zeroinitializer
  %t.249 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.248, <4 x float> %t.222, <4 x float> %carried.204)
  %x.250 = getelementptr float, ptr %x.211, i64 2800
  %t.251 = load float, ptr %x.250, align 4, !invariant.load !0
  %x.252 = insertelement <8 x float> poison, float %t.251, i64 0
  %x.253 = shufflevector <8 x float> %x.252, <8 x float> poison, <8 x i32> zeroinitializer
  %t.254 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.253, <8 x float> %t.217, <8 x float> %carried.205)
  %x.255 = insertelement <4 x float> poison, float %t.251, i64 0
  %x.256 = shufflevector <4 x float> %x.255, <4 x float> poison, <4 x i32> zeroinitializer
  %t.257 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.256, <4 x float> %t.222, <4 x float> %carried.206)
  %x.258 = getelementptr float, ptr %x.211, i64 3500
  %t.259 = load float, ptr %x.258, align 4, !invariant.load !0
  %x.260 = insertelement <8 x float> poison, float %t.259, i64 0
  %x.261 = shufflevector <8 x float> %x.260, <8 x float> poison, <8 x i32> zeroinitializer
  %t.262 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.261, <8 x float> %t.217, <8 x float> %carried.207)
  %x.263 = insertelement <4 x float> poison, float %t.259, i64 0
  %x.264 = shufflevector <4 x float> %x.263, <4 x float> poison, <4 x i32> zeroinitializer
  %t.265 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.264, <4 x float> %t.222, <4 x float> %carried.208)
  %t.266 = add nsw i64 %i.196, 1
  %t.267 = icmp slt i64 %t.266, 700
  br i1 %t.267, label %loop.194, label %done.195, !llvm.loop !6
done.195:
  %t.268 = phi <8 x float> [ %t.220, %loop.194 ]
  %t.269 = phi <4 x float> [ %t.225, %loop.194 ]
  %t.270 = phi <8 x float> [ %t.230, %loop.194 ]
  %t.271 = phi <4 x float> [ %t.233, %loop.194 ]
  %t.272 = phi <8 x float> [ %t.238, %loop.194 ]
  %t.273 = phi <4 x float> [ %t.241, %loop.194 ]
  %t.274 = phi <8 x float> [ %t.246, %loop.194 ]
  %t.275 = phi <4 x float> [ %t.249, %loop.194 ]
  %t.276 = phi <8 x float> [ %t.254, %loop.194 ]
  %t.277 = phi <4 x float> [ %t.257, %loop.194 ]
  %t.278 = phi <8 x float> [ %t.262, %loop.194 ]
  %t.279 = phi <4 x float> [ %t.265, %loop.194 ]
  store <8 x float> %t.268, ptr %x.170, align 4
  store <4 x float> %t.269, ptr %x.172, align 4
  store <8 x float> %t.270, ptr %x.174, align 4
  store <4 x float> %t.271, ptr %x.176, align 4
  store <8 x float> %t.272, ptr %x.178, align 4
  store <4 x float> %t.273, ptr %x.180, align 4
  store <8 x float> %t.274, ptr %x.182, align 4
  store <4 x float> %t.275, ptr %x.184, align 4
  store <8 x float> %t.276, ptr %x.186, align 4
  store <4 x float> %t.277, ptr %x.188, align 4
  store <8 x float> %t.278, ptr %x.190, align 4
  store <4 x float> %t.279, ptr %x.192, align 4
  %t.280 = add nsw i64 %i.155, 1
  %t.281 = icmp slt i64 %t.280, 20
  br i1 %t.281, label %loop.153, label %done.154, !llvm.loop !7
done.154:
  br label %done.37
done.37:
  %t.282 = add nsw i64 %i.7, 1
  %t.283 = icmp slt i64 %t.282, 69
  br i1 %t.283, label %loop.5, label %done.6, !llvm.loop !8
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
