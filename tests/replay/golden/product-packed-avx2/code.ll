target triple = "x86_64-unknown-linux-gnu"

define void @"product__packed"(ptr noalias nocapture noundef readonly align 4 %"a.A", ptr noalias nocapture noundef readonly align 4 %"a.B", ptr noalias nocapture noundef align 4 %"a.C") #0 {
entry:
  %kept.43 = alloca i32
  %t.1 = mul i64 11200, 4
  %t.2 = add i64 %t.1, 127
  %t.3 = and i64 %t.2, -64
  %local.4 = call noalias ptr @aligned_alloc(i64 64, i64 %t.3)
  br label %loop.5
loop.5:
  %i.7 = phi i64 [ 0, %entry ], [ %t.301, %done.56 ]
  %x.8 = mul nsw i64 %i.7, -16
  %x.9 = add nsw i64 %x.8, 1100
  %x.10 = call i64 @llvm.smin.i64(i64 16, i64 %x.9)
  %x.11 = icmp sge i64 %x.10, 16
  %x.18 = mul nsw i64 %i.7, 16
  %x.19 = getelementptr float, ptr %"a.B", i64 %x.18
  %x.39 = add nsw i64 %x.10, -8
  %x.40 = call i64 @llvm.smax.i64(i64 0, i64 %x.39)
  %x.41 = call i64 @llvm.smin.i64(i64 8, i64 %x.40)
  %x.42 = trunc i64 %x.41 to i32
  store i32 %x.42, ptr %kept.43
  br i1 %x.11, label %then.12, label %else.13
then.12:
  br label %loop.15
loop.15:
  %i.17 = phi i64 [ 0, %then.12 ], [ %t.28, %loop.15 ]
  %x.20 = mul nsw i64 %i.17, 1100
  %x.21 = getelementptr float, ptr %x.19, i64 %x.20
  %t.22 = load <8 x float>, ptr %x.21, align 4, !invariant.load !0
  %x.23 = mul nsw i64 %i.17, 16
  %x.24 = getelementptr float, ptr %local.4, i64 %x.23
  store <8 x float> %t.22, ptr %x.24, align 4
  %x.25 = getelementptr float, ptr %x.21, i64 8
  %t.26 = load <8 x float>, ptr %x.25, align 4, !invariant.load !0
  %x.27 = getelementptr float, ptr %x.24, i64 8
  store <8 x float> %t.26, ptr %x.27, align 4
  %t.28 = add nsw i64 %i.17, 1
  %t.29 = icmp slt i64 %t.28, 700
  br i1 %t.29, label %loop.15, label %done.16, !llvm.loop !3
done.16:
  br label %done.14
else.13:
  %x.44 = load volatile i32, ptr %kept.43
  %x.45 = insertelement <8 x i32> poison, i32 %x.44, i64 0
  %x.46 = shufflevector <8 x i32> %x.45, <8 x i32> poison, <8 x i32> zeroinitializer
  %x.47 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %x.46
  br label %loop.30
loop.30:
  %i.32 = phi i64 [ 0, %else.13 ], [ %t.50, %loop.30 ]
  %x.33 = mul nsw i64 %i.32, 1100
  %x.34 = getelementptr float, ptr %x.19, i64 %x.33
  %t.35 = load <8 x float>, ptr %x.34, align 4, !invariant.load !0
  %x.36 = mul nsw i64 %i.32, 16
  %x.37 = getelementptr float, ptr %local.4, i64 %x.36
  store <8 x float> %t.35, ptr %x.37, align 4
  %x.38 = getelementptr float, ptr %x.34, i64 8
  %t.48 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %x.38, <8 x i1> %x.47, <8 x float> zeroinitializer)
  %x.49 = getelementptr float, ptr %x.37, i64 8
  call void @llvm.masked.store.v8f32.p0(<8 x float> %t.48, ptr align 4 %x.49, <8 x i1> %x.47)
  %t.50 = add nsw i64 %i.32, 1
  %t.51 = icmp slt i64 %t.50, 700
  br i1 %t.51, label %loop.30, label %done.31, !llvm.loop !4
done.31:
  br label %done.14
done.14:
  %x.52 = mul nsw i64 %i.7, -1
  %x.53 = icmp sge i64 %x.52, -67
  %x.60 = getelementptr float, ptr %"a.C", i64 %x.18
  %x.232 = getelementptr float, ptr %local.4, i64 %x.8
  br i1 %x.53, label %then.54, label %else.55
then.54:
  br label %loop.57
loop.57:
  %i.59 = phi i64 [ 0, %then.54 ], [ %t.170, %done.99 ]
  %x.61 = mul nsw i64 %i.59, 6600
  %x.62 = getelementptr float, ptr %x.60, i64 %x.61
  %x.63 = getelementptr float, ptr %x.62, i64 6600
  call void @llvm.prefetch.p0(ptr %x.63, i32 0, i32 3, i32 1)
  %x.64 = getelementptr float, ptr %x.62, i64 7700
  call void @llvm.prefetch.p0(ptr %x.64, i32 0, i32 3, i32 1)
  %x.65 = getelementptr float, ptr %x.62, i64 8800
  call void @llvm.prefetch.p0(ptr %x.65, i32 0, i32 3, i32 1)
  %x.66 = getelementptr float, ptr %x.62, i64 9900
  call void @llvm.prefetch.p0(ptr %x.66, i32 0, i32 3, i32 1)
  %x.67 = getelementptr float, ptr %x.62, i64 11000
  call void @llvm.prefetch.p0(ptr %x.67, i32 0, i32 3, i32 1)
  %x.68 = getelementptr float, ptr %x.62, i64 12100
  call void @llvm.prefetch.p0(ptr %x.68, i32 0, i32 3, i32 1)
  %x.69 = getelementptr float, ptr %x.62, i64 6615
  call void @llvm.prefetch.p0(ptr %x.69, i32 0, i32 3, i32 1)
  %x.70 = getelementptr float, ptr %x.62, i64 7715
  call void @llvm.prefetch.p0(ptr %x.70, i32 0, i32 3, i32 1)
  %x.71 = getelementptr float, ptr %x.62, i64 8815
  call void @llvm.prefetch.p0(ptr %x.71, i32 0, i32 3, i32 1)
  %x.72 = getelementptr float, ptr %x.62, i64 9915
  call void @llvm.prefetch.p0(ptr %x.72, i32 0, i32 3, i32 1)
  %x.73 = getelementptr float, ptr %x.62, i64 11015
  call void @llvm.prefetch.p0(ptr %x.73, i32 0, i32 3, i32 1)
  %x.74 = getelementptr float, ptr %x.62, i64 12115
  call void @llvm.prefetch.p0(ptr %x.74, i32 0, i32 3, i32 1)
  %t.75 = load <8 x float>, ptr %x.62, align 4
  %x.76 = getelementptr float, ptr %x.62, i64 8
  %t.77 = load <8 x float>, ptr %x.76, align 4
  %x.78 = getelementptr float, ptr %x.62, i64 1100
  %t.79 = load <8 x float>, ptr %x.78, align 4
  %x.80 = getelementptr float, ptr %x.62, i64 1108
  %t.81 = load <8 x float>, ptr %x.80, align 4
  %x.82 = getelementptr float, ptr %x.62, i64 2200
  %t.83 = load <8 x float>, ptr %x.82, align 4
  %x.84 = getelementptr float, ptr %x.62, i64 2208
  %t.85 = load <8 x float>, ptr %x.84, align 4
  %x.86 = getelementptr float, ptr %x.62, i64 3300
  %t.87 = load <8 x float>, ptr %x.86, align 4
  %x.88 = getelementptr float, ptr %x.62, i64 3308
  %t.89 = load <8 x float>, ptr %x.88, align 4
  %x.90 = getelementptr float, ptr %x.62, i64 4400
  %t.91 = load <8 x float>, ptr %x.90, align 4
  %x.92 = getelementptr float, ptr %x.62, i64 4408
  %t.93 = load <8 x float>, ptr %x.92, align 4
  %x.94 = getelementptr float, ptr %x.62, i64 5500
  %t.95 = load <8 x float>, ptr %x.94, align 4
  %x.96 = getelementptr float, ptr %x.62, i64 5508
  %t.97 = load <8 x float>, ptr %x.96, align 4
  %x.113 = mul nsw i64 %i.59, 4200
  %x.114 = getelementptr float, ptr %"a.A", i64 %x.113
  br label %loop.98
loop.98:
  %i.100 = phi i64 [ 0, %loop.57 ], [ %t.156, %loop.98 ]
  %carried.101 = phi <8 x float> [ %t.75, %loop.57 ], [ %t.122, %loop.98 ]
  %carried.102 = phi <8 x float> [ %t.77, %loop.57 ], [ %t.125, %loop.98 ]
  %carried.103 = phi <8 x float> [ %t.79, %loop.57 ], [ %t.130, %loop.98 ]
  %carried.104 = phi <8 x float> [ %t.81, %loop.57 ], [ %t.131, %loop.98 ]
  %carried.105 = phi <8 x float> [ %t.83, %loop.57 ], [ %t.136, %loop.98 ]
  %carried.106 = phi <8 x float> [ %t.85, %loop.57 ], [ %t.137, %loop.98 ]
  %carried.107 = phi <8 x float> [ %t.87, %loop.57 ], [ %t.142, %loop.98 ]
  %carried.108 = phi <8 x float> [ %t.89, %loop.57 ], [ %t.143, %loop.98 ]
  %carried.109 = phi <8 x float> [ %t.91, %loop.57 ], [ %t.148, %loop.98 ]
  %carried.110 = phi <8 x float> [ %t.93, %loop.57 ], [ %t.149, %loop.98 ]
  %carried.111 = phi <8 x float> [ %t.95, %loop.57 ], [ %t.154, %loop.98 ]
  %carried.112 = phi <8 x float> [ %t.97, %loop.57 ], [ %t.155, %loop.98 ]
  %x.115 = getelementptr float, ptr %x.114, i64 %i.100
  %t.116 = load float, ptr %x.115, align 4, !invariant.load !0
  %x.117 = mul nsw i64 %i.100, 16
  %x.118 = getelementptr float, ptr %local.4, i64 %x.117
  %t.119 = load <8 x float>, ptr %x.118, align 4
  %x.120 = insertelement <8 x float> poison, float %t.116, i64 0
  %x.121 = shufflevector <8 x float> %x.120, <8 x float> poison, <8 x i32> zeroinitializer
  %t.122 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.121, <8 x float> %t.119, <8 x float> %carried.101)
  %x.123 = getelementptr float, ptr %x.118, i64 8
  %t.124 = load <8 x float>, ptr %x.123, align 4
  %t.125 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.121, <8 x float> %t.124, <8 x float> %carried.102)
  %x.126 = getelementptr float, ptr %x.115, i64 700
  %t.127 = load float, ptr %x.126, align 4, !invariant.load !0
  %x.128 = insertelement <8 x float> poison, float %t.127, i64 0
  %x.129 = shufflevector <8 x float> %x.128, <8 x float> poison, <8 x i32> zeroinitializer
  %t.130 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.129, <8 x float> %t.119, <8 x float> %carried.103)
  %t.131 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.129, <8 x float> %t.124, <8 x float> %carried.104)
  %x.132 = getelementptr float, ptr %x.115, i64 1400
  %t.133 = load float, ptr %x.132, align 4, !invariant.load !0
  %x.134 = insertelement <8 x float> poison, float %t.133, i64 0
  %x.135 = shufflevector <8 x float> %x.134, <8 x float> poison, <8 x i32> zeroinitializer
  %t.136 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.135, <8 x float> %t.119, <8 x float> %carried.105)
  %t.137 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.135, <8 x float> %t.124, <8 x float> %carried.106)
  %x.138 = getelementptr float, ptr %x.115, i64 2100
  %t.139 = load float, ptr %x.138, align 4, !invariant.load !0
  %x.140 = insertelement <8 x float> poison, float %t.139, i64 0
  %x.141 = shufflevector <8 x float> %x.140, <8 x float> poison, <8 x i32> zeroinitializer
  %t.142 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.141, <8 x float> %t.119, <8 x float> %carried.107)
  %t.143 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.141, <8 x float> %t.124, <8 x float> %carried.108)
  %x.144 = getelementptr float, ptr %x.115, i64 2800
  %t.145 = load float, ptr %x.144, align 4, !invariant.load !0
  %x.146 = insertelement <8 x float> poison, float %t.145, i64 0
  %x.147 = shufflevector <8 x float> %x.146, <8 x float> poison, <8 x i32> zeroinitializer
  %t.148 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.147, <8 x float> %t.119, <8 x float> %carried.109)
  %t.149 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.147, <8 x float> %t.124, <8 x float> %carried.110)
  %x.150 = getelementptr float, ptr %x.115, i64 3500
  %t.151 = load float, ptr %x.150, align 4, !invariant.load !0
  %x.152 = insertelement <8 x float> poison, float %t.151, i64 0
  %x.153 = shufflevector <8 x float> %x.152, <8 x float> poison, <8 x i32> zeroinitializer
  %t.154 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.153, <8 x float> %t.119, <8 x float> %carried.111)
  %t.155 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.153, <8 x float> %t.124, <8 x float> %carried.112)
  %t.156 = add nsw i64 %i.100, 1
  %t.157 = icmp slt i64 %t.156, 700
  br i1 %t.157, label %loop.98, label %done.99, !llvm.loop !5
done.99:
  %t.158 = phi <8 x float> [ %t.122, %loop.98 ]
  %t.159 = phi <8 x float> [ %t.125, %loop.98 ]
  %t.160 = phi <8 x float> [ %t.130, %loop.98 ]
  %t.161 = phi <8 x float> [ %t.131, %loop.98 ]
  %t.162 = phi <8 x float> [ %t.136, %loop.98 ]
  %t.163 = phi <8 x float> [ %t.137, %loop.98 ]
  %t.164 = phi <8 x float> [ %t.142, %loop.98 ]
  %t.165 = phi <8 x float> [ %t.143, %loop.98 ]
  %t.166 = phi <8 x float> [ %t.148, %loop.98 ]
  %t.167 = phi <8 x float> [ %t.149, %loop.98 ]
  %t.168 = phi <8 x float> [ %t.154, %loop.98 ]
  %t.169 = phi <8 x float> [ %t.155, %loop.98 ]
  store <8 x float> %t.158, ptr %x.62, align 4
  store <8 x float> %t.159, ptr %x.76, align 4
  store <8 x float> %t.160, ptr %x.78, align 4
  store <8 x float> %t.161, ptr %x.80, align 4
  store <8 x float> %t.162, ptr %x.82, align 4
  store <8 x float> %t.163, ptr %x.84, align 4
  store <8 x float> %t.164, ptr %x.86, align 4
  store <8 x float> %t.165, ptr %x.88, align 4
  store <8 x float> %t.166, ptr %x.90, align 4
  store <8 x float> %t.167, ptr %x.92, align 4
  store <8 x float> %t.168, ptr %x.94, align 4
  store <8 x float> %t.169, ptr %x.96, align 4
  %t.170 = add nsw i64 %i.59, 1
  %t.171 = icmp slt i64 %t.170, 20
  br i1 %t.171, label %loop.57, label %done.58, !llvm.loop !6
done.58:
  br label %done.56
else.55:
  br label %loop.172
loop.172:
  %i.174 = phi i64 [ 0, %else.55 ], [ %t.299, %done.214 ]
  %x.175 = mul nsw i64 %i.174, 6600
  %x.176 = getelementptr float, ptr %"a.C", i64 %x.175
  %x.177 = getelementptr float, ptr %x.176, i64 7688
  call void @llvm.prefetch.p0(ptr %x.177, i32 0, i32 3, i32 1)
  %x.178 = getelementptr float, ptr %x.176, i64 8788
  call void @llvm.prefetch.p0(ptr %x.178, i32 0, i32 3, i32 1)
  %x.179 = getelementptr float, ptr %x.176, i64 9888
  call void @llvm.prefetch.p0(ptr %x.179, i32 0, i32 3, i32 1)
  %x.180 = getelementptr float, ptr %x.176, i64 10988
  call void @llvm.prefetch.p0(ptr %x.180, i32 0, i32 3, i32 1)
  %x.181 = getelementptr float, ptr %x.176, i64 12088
  call void @llvm.prefetch.p0(ptr %x.181, i32 0, i32 3, i32 1)
  %x.182 = getelementptr float, ptr %x.176, i64 13188
  call void @llvm.prefetch.p0(ptr %x.182, i32 0, i32 3, i32 1)
  %x.183 = getelementptr float, ptr %x.176, i64 7699
  call void @llvm.prefetch.p0(ptr %x.183, i32 0, i32 3, i32 1)
  %x.184 = getelementptr float, ptr %x.176, i64 8799
  call void @llvm.prefetch.p0(ptr %x.184, i32 0, i32 3, i32 1)
  %x.185 = getelementptr float, ptr %x.176, i64 9899
  call void @llvm.prefetch.p0(ptr %x.185, i32 0, i32 3, i32 1)
  %x.186 = getelementptr float, ptr %x.176, i64 10999
  call void @llvm.prefetch.p0(ptr %x.186, i32 0, i32 3, i32 1)
  %x.187 = getelementptr float, ptr %x.176, i64 12099
  call void @llvm.prefetch.p0(ptr %x.187, i32 0, i32 3, i32 1)
  %x.188 = getelementptr float, ptr %x.176, i64 13199
  call void @llvm.prefetch.p0(ptr %x.188, i32 0, i32 3, i32 1)
  %x.189 = getelementptr float, ptr %x.176, i64 1088
  %t.190 = load <8 x float>, ptr %x.189, align 4
  %x.191 = getelementptr float, ptr %x.176, i64 1096
  %t.192 = load <4 x float>, ptr %x.191, align 4
  %x.193 = getelementptr float, ptr %x.176, i64 2188
  %t.194 = load <8 x float>, ptr %x.193, align 4
  %x.195 = getelementptr float, ptr %x.176, i64 2196
  %t.196 = load <4 x float>, ptr %x.195, align 4
  %x.197 = getelementptr float, ptr %x.176, i64 3288
  %t.198 = load <8 x float>, ptr %x.197, align 4
  %x.199 = getelementptr float, ptr %x.176, i64 3296
  %t.200 = load <4 x float>, ptr %x.199, align 4
  %x.201 = getelementptr float, ptr %x.176, i64 4388
  %t.202 = load <8 x float>, ptr %x.201, align 4
  %x.203 = getelementptr float, ptr %x.176, i64 4396
  %t.204 = load <4 x float>, ptr %x.203, align 4
  %x.205 = getelementptr float, ptr %x.176, i64 5488
  %t.206 = load <8 x float>, ptr %x.205, align 4
  %x.207 = getelementptr float, ptr %x.176, i64 5496
  %t.208 = load <4 x float>, ptr %x.207, align 4
  %x.209 = getelementptr float, ptr %x.176, i64 6588
  %t.210 = load <8 x float>, ptr %x.209, align 4
  %x.211 = getelementptr float, ptr %x.176, i64 6596
  %t.212 = load <4 x float>, ptr %x.211, align 4
  %x.228 = mul nsw i64 %i.174, 4200
  %x.229 = getelementptr float, ptr %"a.A", i64 %x.228
  br label %loop.213
loop.213:
  %i.215 = phi i64 [ 0, %loop.172 ], [ %t.285, %loop.213 ]
  %carried.216 = phi <8 x float> [ %t.190, %loop.172 ], [ %t.239, %loop.213 ]
  %carried.217 = phi <4 x float> [ %t.192, %loop.172 ], [ %t.244, %loop.213 ]
  %carried.218 = phi <8 x float> [ %t.194, %loop.172 ], [ %t.249, %loop.213 ]
  %carried.219 = phi <4 x float> [ %t.196, %loop.172 ], [ %t.252, %loop.213 ]
  %carried.220 = phi <8 x float> [ %t.198, %loop.172 ], [ %t.257, %loop.213 ]
  %carried.221 = phi <4 x float> [ %t.200, %loop.172 ], [ %t.260, %loop.213 ]
  %carried.222 = phi <8 x float> [ %t.202, %loop.172 ], [ %t.265, %loop.213 ]
  %carried.223 = phi <4 x float> [ %t.204, %loop.172 ], [ %t.268, %loop.213 ]
  %carried.224 = phi <8 x float> [ %t.206, %loop.172 ], [ %t.273, %loop.213 ]
  %carried.225 = phi <4 x float> [ %t.208, %loop.172 ], [ %t.276, %loop.213 ]
  %carried.226 = phi <8 x float> [ %t.210, %loop.172 ], [ %t.281, %loop.213 ]
  %carried.227 = phi <4 x float> [ %t.212, %loop.172 ], [ %t.284, %loop.213 ]
  %x.230 = getelementptr float, ptr %x.229, i64 %i.215
  %t.231 = load float, ptr %x.230, align 4, !invariant.load !0
  %x.233 = mul nsw i64 %i.215, 16
  %x.234 = getelementptr float, ptr %x.232, i64 %x.233
  %x.235 = getelementptr float, ptr %x.234, i64 1088
  %t.236 = load <8 x float>, ptr %x.235, align 4
  %x.237 = insertelement <8 x float> poison, float %t.231, i64 0
  %x.238 = shufflevector <8 x float> %x.237, <8 x float> poison, <8 x i32> zeroinitializer
  %t.239 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.238, <8 x float> %t.236, <8 x float> %carried.216)
  %x.240 = getelementptr float, ptr %x.234, i64 1096
  %t.241 = load <4 x float>, ptr %x.240, align 4
  %x.242 = insertelement <4 x float> poison, float %t.231, i64 0
  %x.243 = shufflevector <4 x float> %x.242, <4 x float> poison, <4 x i32> zeroinitializer
  %t.244 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.243, <4 x float> %t.241, <4 x float> %carried.217)
  %x.245 = getelementptr float, ptr %x.230, i64 700
  %t.246 = load float, ptr %x.245, align 4, !invariant.load !0
  %x.247 = insertelement <8 x float> poison, float %t.246, i64 0
  %x.248 = shufflevector <8 x float> %x.247, <8 x float> poison, <8 x i32> zeroinitializer
  %t.249 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.248, <8 x float> %t.236, <8 x float> %carried.218)
  %x.250 = insertelement <4 x float> poison, float %t.246, i64 0
  %x.251 = shufflevector <4 x float> %x.250, <4 x float> poison, <4 x i32> zeroinitializer
  %t.252 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.251, <4 x float> %t.241, <4 x float> %carried.219)
  %x.253 = getelementptr float, ptr %x.230, i64 1400
  %t.254 = load float, ptr %x.253, align 4, !invariant.load !0
  %x.255 = insertelement <8 x float> poison, float %t.254, i64 0
  %x.256 = shufflevector <8 x float> %x.255, <8 x float> poison, <8 x i32> zeroinitializer
  %t.257 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.256, <8 x float> %t.236, <8 x float> %carried.220)
  %x.258 = insertelement <4 x float> poison, float %t.254, i64 0
  %x.259 = shufflevector <4 x float> %x.258, <4 x float> poison, <4 x i32> zeroinitializer
  %t.260 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.259, <4 x float> %t.241, <4 x float> %carried.221)
  %x.261 = getelementptr float, ptr %x.230, i64 2100
  %t.262 = load float, ptr %x.261, align 4, !invariant.load !0
  %x.263 = insertelement <8 x float> poison, float %t.262, i64 0
  %x.264 = shufflevector <8 x float> %x.263, <8 x float> poison, <8 x i32> zeroinitializer
  %t.265 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.264, <8 x float> %t.236, <8 x float> %carried.222)
  %x.266 = insertelement <4 x float> poison, float %t.262, i64 0
  %x.267 = shufflevector <4 x float> %x.266, <4 x float> poison, <4 x i32> zeroinitializer
  %t.268 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.267, <4 x float> %t.241, <4 x float> %carried.223)
  %x.269 = getelementptr float, ptr %x.230, i64 2800
  %t.270 = load float, ptr %x.269, align 4, !invariant.load !0
  %x.271 = insertelement <8 x float> poison, float %t.270, i64 0
  %x.272 = shufflevector <8 x float> %x.271, <8 x float> poison, <8 x i32> zeroinitializer
  %t.273 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.272, <8 x float> %t.236, <8 x float> %carried.224)
  %x.274 = insertelement <4 x float> poison, float %t.270, i64 0
  %x.275 = shufflevector <4 x float> %x.274, <4 x float> poison, <4 x i32> zeroinitializer
  %t.276 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.275, <4 x float> %t.241, <4 x float> %carried.225)
  %x.277 = getelementptr float, ptr %x.230, i64 3500
  %t.278 = load float, ptr %x.277, align 4, !invariant.load !0
  %x.279 = insertelement <8 x float> poison, float %t.278, i64 0
  %x.280 = shufflevector <8 x float> %x.279, <8 x float> poison, <8 x i32> zeroinitializer
  %t.281 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.280, <8 x float> %t.236, <8 x float> %carried.226)
  %x.282 = insertelement <4 x float> poison, float %t.278, i64 0
  %x.283 = shufflevector <4 x float> %x.282, <4 x float> poison, <4 x i32> zeroinitializer
  %t.284 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.283, <4 x float> %t.241, <4 x float> %carried.227)
  %t.285 = add nsw i64 %i.215, 1
  %t.286 = icmp slt i64 %t.285, 700
  br i1 %t.286, label %loop.213, label %done.214, !llvm.loop !7
done.214:
  %t.287 = phi <8 x float> [ %t.239, %loop.213 ]
  %t.288 = phi <4 x float> [ %t.244, %loop.213 ]
  %t.289 = phi <8 x float> [ %t.249, %loop.213 ]
  %t.290 = phi <4 x float> [ %t.252, %loop.213 ]
  %t.291 = phi <8 x float> [ %t.257, %loop.213 ]
  %t.292 = phi <4 x float> [ %t.260, %loop.213 ]
  %t.293 = phi <8 x float> [ %t.265, %loop.213 ]
  %t.294 = phi <4 x float> [ %t.268, %loop.213 ]
  %t.295 = phi <8 x float> [ %t.273, %loop.213 ]
  %t.296 = phi <4 x float> [ %t.276, %loop.213 ]
  %t.297 = phi <8 x float> [ %t.281, %loop.213 ]
  %t.298 = phi <4 x float> [ %t.284, %loop.213 ]
  store <8 x float> %t.287, ptr %x.189, align 4
  store <4 x float> %t.288, ptr %x.191, align 4
  store <8 x float> %t.289, ptr %x.193, align 4
  store <4 x float> %t.290, ptr %x.195, align 4
  store <8 x float> %t.291, ptr %x.197, align 4
  store <4 x float> %t.292, ptr %x.199, align 4
  store <8 x float> %t.293, ptr %x.201, align 4
  store <4 x float> %t.294, ptr %x.203, align 4
  store <8 x float> %t.295, ptr %x.205, align 4
  store <4 x float> %t.296, ptr %x.207, align 4
  store <8 x float> %t.297, ptr %x.209, align 4
  store <4 x float> %t.298, ptr %x.211, align 4
  %t.299 = add nsw i64 %i.174, 1
  %t.300 = icmp slt i64 %t.299, 20
  br i1 %t.300, label %loop.172, label %done.173, !llvm.loop !8
done.173:
  br label %done.56
done.56:
  %t.301 = add nsw i64 %i.7, 1
  %t.302 = icmp slt i64 %t.301, 69
  br i1 %t.302, label %loop.5, label %done.6, !llvm.loop !9
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
!9 = distinct !{!9, !1, !2}
