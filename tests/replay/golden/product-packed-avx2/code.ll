target triple = "x86_64-unknown-linux-gnu"

define void @"product__packed"(ptr noalias nocapture noundef readonly align 4 %"a.A", ptr noalias nocapture noundef readonly align 4 %"a.B", ptr noalias nocapture noundef align 4 %"a.C") #0 {
entry:
  br label %loop.1
loop.1:
  %i.3 = phi i64 [ 0, %entry ], [ %t.310, %done.8 ]
  %x.4 = mul nsw i64 %i.3, -1
  %x.5 = icmp sge i64 %x.4, -136
  %x.12 = mul nsw i64 %i.3, 8
  %x.13 = getelementptr float, ptr %"a.C", i64 %x.12
  %x.82 = getelementptr float, ptr %"a.B", i64 %x.12
  br i1 %x.5, label %then.6, label %else.7
then.6:
  br label %loop.9
loop.9:
  %i.11 = phi i64 [ 0, %then.6 ], [ %t.158, %done.64 ]
  %x.14 = mul nsw i64 %i.11, 13200
  %x.15 = getelementptr float, ptr %x.13, i64 %x.14
  %x.16 = getelementptr float, ptr %x.15, i64 13200
  call void @llvm.prefetch.p0(ptr %x.16, i32 0, i32 3, i32 1)
  %x.17 = getelementptr float, ptr %x.15, i64 14300
  call void @llvm.prefetch.p0(ptr %x.17, i32 0, i32 3, i32 1)
  %x.18 = getelementptr float, ptr %x.15, i64 15400
  call void @llvm.prefetch.p0(ptr %x.18, i32 0, i32 3, i32 1)
  %x.19 = getelementptr float, ptr %x.15, i64 16500
  call void @llvm.prefetch.p0(ptr %x.19, i32 0, i32 3, i32 1)
  %x.20 = getelementptr float, ptr %x.15, i64 17600
  call void @llvm.prefetch.p0(ptr %x.20, i32 0, i32 3, i32 1)
  %x.21 = getelementptr float, ptr %x.15, i64 18700
  call void @llvm.prefetch.p0(ptr %x.21, i32 0, i32 3, i32 1)
  %x.22 = getelementptr float, ptr %x.15, i64 19800
  call void @llvm.prefetch.p0(ptr %x.22, i32 0, i32 3, i32 1)
  %x.23 = getelementptr float, ptr %x.15, i64 20900
  call void @llvm.prefetch.p0(ptr %x.23, i32 0, i32 3, i32 1)
  %x.24 = getelementptr float, ptr %x.15, i64 22000
  call void @llvm.prefetch.p0(ptr %x.24, i32 0, i32 3, i32 1)
  %x.25 = getelementptr float, ptr %x.15, i64 23100
  call void @llvm.prefetch.p0(ptr %x.25, i32 0, i32 3, i32 1)
  %x.26 = getelementptr float, ptr %x.15, i64 24200
  call void @llvm.prefetch.p0(ptr %x.26, i32 0, i32 3, i32 1)
  %x.27 = getelementptr float, ptr %x.15, i64 25300
  call void @llvm.prefetch.p0(ptr %x.27, i32 0, i32 3, i32 1)
  %x.28 = getelementptr float, ptr %x.15, i64 13207
  call void @llvm.prefetch.p0(ptr %x.28, i32 0, i32 3, i32 1)
  %x.29 = getelementptr float, ptr %x.15, i64 14307
  call void @llvm.prefetch.p0(ptr %x.29, i32 0, i32 3, i32 1)
  %x.30 = getelementptr float, ptr %x.15, i64 15407
  call void @llvm.prefetch.p0(ptr %x.30, i32 0, i32 3, i32 1)
  %x.31 = getelementptr float, ptr %x.15, i64 16507
  call void @llvm.prefetch.p0(ptr %x.31, i32 0, i32 3, i32 1)
  %x.32 = getelementptr float, ptr %x.15, i64 17607
  call void @llvm.prefetch.p0(ptr %x.32, i32 0, i32 3, i32 1)
  %x.33 = getelementptr float, ptr %x.15, i64 18707
  call void @llvm.prefetch.p0(ptr %x.33, i32 0, i32 3, i32 1)
  %x.34 = getelementptr float, ptr %x.15, i64 19807
  call void @llvm.prefetch.p0(ptr %x.34, i32 0, i32 3, i32 1)
  %x.35 = getelementptr float, ptr %x.15, i64 20907
  call void @llvm.prefetch.p0(ptr %x.35, i32 0, i32 3, i32 1)
  %x.36 = getelementptr float, ptr %x.15, i64 22007
  call void @llvm.prefetch.p0(ptr %x.36, i32 0, i32 3, i32 1)
  %x.37 = getelementptr float, ptr %x.15, i64 23107
  call void @llvm.prefetch.p0(ptr %x.37, i32 0, i32 3, i32 1)
  %x.38 = getelementptr float, ptr %x.15, i64 24207
  call void @llvm.prefetch.p0(ptr %x.38, i32 0, i32 3, i32 1)
  %x.39 = getelementptr float, ptr %x.15, i64 25307
  call void @llvm.prefetch.p0(ptr %x.39, i32 0, i32 3, i32 1)
  %t.40 = load <8 x float>, ptr %x.15, align 4
  %x.41 = getelementptr float, ptr %x.15, i64 1100
  %t.42 = load <8 x float>, ptr %x.41, align 4
  %x.43 = getelementptr float, ptr %x.15, i64 2200
  %t.44 = load <8 x float>, ptr %x.43, align 4
  %x.45 = getelementptr float, ptr %x.15, i64 3300
  %t.46 = load <8 x float>, ptr %x.45, align 4
  %x.47 = getelementptr float, ptr %x.15, i64 4400
  %t.48 = load <8 x float>, ptr %x.47, align 4
  %x.49 = getelementptr float, ptr %x.15, i64 5500
  %t.50 = load <8 x float>, ptr %x.49, align 4
  %x.51 = getelementptr float, ptr %x.15, i64 6600
  %t.52 = load <8 x float>, ptr %x.51, align 4
  %x.53 = getelementptr float, ptr %x.15, i64 7700
  %t.54 = load <8 x float>, ptr %x.53, align 4
  %x.55 = getelementptr float, ptr %x.15, i64 8800
  %t.56 = load <8 x float>, ptr %x.55, align 4
  %x.57 = getelementptr float, ptr %x.15, i64 9900
  %t.58 = load <8 x float>, ptr %x.57, align 4
  %x.59 = getelementptr float, ptr %x.15, i64 11000
  %t.60 = load <8 x float>, ptr %x.59, align 4
  %x.61 = getelementptr float, ptr %x.15, i64 12100
  %t.62 = load <8 x float>, ptr %x.61, align 4
  %x.78 = mul nsw i64 %i.11, 8400
  %x.79 = getelementptr float, ptr %"a.A", i64 %x.78
  br label %loop.63
loop.63:
  %i.65 = phi i64 [ 0, %loop.9 ], [ %t.144, %loop.63 ]
  %carried.66 = phi <8 x float> [ %t.40, %loop.9 ], [ %t.88, %loop.63 ]
  %carried.67 = phi <8 x float> [ %t.42, %loop.9 ], [ %t.93, %loop.63 ]
  %carried.68 = phi <8 x float> [ %t.44, %loop.9 ], [ %t.98, %loop.63 ]
  %carried.69 = phi <8 x float> [ %t.46, %loop.9 ], [ %t.103, %loop.63 ]
  %carried.70 = phi <8 x float> [ %t.48, %loop.9 ], [ %t.108, %loop.63 ]
  %carried.71 = phi <8 x float> [ %t.50, %loop.9 ], [ %t.113, %loop.63 ]
  %carried.72 = phi <8 x float> [ %t.52, %loop.9 ], [ %t.118, %loop.63 ]
  %carried.73 = phi <8 x float> [ %t.54, %loop.9 ], [ %t.123, %loop.63 ]
  %carried.74 = phi <8 x float> [ %t.56, %loop.9 ], [ %t.128, %loop.63 ]
  %carried.75 = phi <8 x float> [ %t.58, %loop.9 ], [ %t.133, %loop.63 ]
  %carried.76 = phi <8 x float> [ %t.60, %loop.9 ], [ %t.138, %loop.63 ]
  %carried.77 = phi <8 x float> [ %t.62, %loop.9 ], [ %t.143, %loop.63 ]
  %x.80 = getelementptr float, ptr %x.79, i64 %i.65
  %t.81 = load float, ptr %x.80, align 4, !invariant.load !0
  %x.83 = mul nsw i64 %i.65, 1100
  %x.84 = getelementptr float, ptr %x.82, i64 %x.83
  %t.85 = load <8 x float>, ptr %x.84, align 4, !invariant.load !0
  %x.86 = insertelement <8 x float> poison, float %t.81, i64 0
  %x.87 = shufflevector <8 x float> %x.86, <8 x float> poison, <8 x i32> zeroinitializer
  %t.88 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.87, <8 x float> %t.85, <8 x float> %carried.66)
  %x.89 = getelementptr float, ptr %x.80, i64 700
  %t.90 = load float, ptr %x.89, align 4, !invariant.load !0
  %x.91 = insertelement <8 x float> poison, float %t.90, i64 0
  %x.92 = shufflevector <8 x float> %x.91, <8 x float> poison, <8 x i32> zeroinitializer
  %t.93 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.92, <8 x float> %t.85, <8 x float> %carried.67)
  %x.94 = getelementptr float, ptr %x.80, i64 1400
  %t.95 = load float, ptr %x.94, align 4, !invariant.load !0
  %x.96 = insertelement <8 x float> poison, float %t.95, i64 0
  %x.97 = shufflevector <8 x float> %x.96, <8 x float> poison, <8 x i32> zeroinitializer
  %t.98 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.97, <8 x float> %t.85, <8 x float> %carried.68)
  %x.99 = getelementptr float, ptr %x.80, i64 2100
  %t.100 = load float, ptr %x.99, align 4, !invariant.load !0
  %x.101 = insertelement <8 x float> poison, float %t.100, i64 0
  %x.102 = shufflevector <8 x float> %x.101, <8 x float> poison, <8 x i32> zeroinitializer
  %t.103 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.102, <8 x float> %t.85, <8 x float> %carried.69)
  %x.104 = getelementptr float, ptr %x.80, i64 2800
  %t.105 = load float, ptr %x.104, align 4, !invariant.load !0
  %x.106 = insertelement <8 x float> poison, float %t.105, i64 0
  %x.107 = shufflevector <8 x float> %x.106, <8 x float> poison, <8 x i32> zeroinitializer
  %t.108 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.107, <8 x float> %t.85, <8 x float> %carried.70)
  %x.109 = getelementptr float, ptr %x.80, i64 3500
  %t.110 = load float, ptr %x.109, align 4, !invariant.load !0
  %x.111 = insertelement <8 x float> poison, float %t.110, i64 0
  %x.112 = shufflevector <8 x float> %x.111, <8 x float> poison, <8 x i32> zeroinitializer
  %t.113 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.112, <8 x float> %t.85, <8 x float> %carried.71)
  %x.114 = getelementptr float, ptr %x.80, i64 4200
  %t.115 = load float, ptr %x.114, align 4, !invariant.load !0
  %x.116 = insertelement <8 x float> poison, float %t.115, i64 0
  %x.117 = shufflevector <8 x float> %x.116, <8 x float> poison, <8 x i32> zeroinitializer
  %t.118 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.117, <8 x float> %t.85, <8 x float> %carried.72)
  %x.119 = getelementptr float, ptr %x.80, i64 4900
  %t.120 = load float, ptr %x.119, align 4, !invariant.load !0
  %x.121 = insertelement <8 x float> poison, float %t.120, i64 0
  %x.122 = shufflevector <8 x float> %x.121, <8 x float> poison, <8 x i32> zeroinitializer
  %t.123 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.122, <8 x float> %t.85, <8 x float> %carried.73)
  %x.124 = getelementptr float, ptr %x.80, i64 5600
  %t.125 = load float, ptr %x.124, align 4, !invariant.load !0
  %x.126 = insertelement <8 x float> poison, float %t.125, i64 0
  %x.127 = shufflevector <8 x float> %x.126, <8 x float> poison, <8 x i32> zeroinitializer
  %t.128 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.127, <8 x float> %t.85, <8 x float> %carried.74)
  %x.129 = getelementptr float, ptr %x.80, i64 6300
  %t.130 = load float, ptr %x.129, align 4, !invariant.load !0
  %x.131 = insertelement <8 x float> poison, float %t.130, i64 0
  %x.132 = shufflevector <8 x float> %x.131, <8 x float> poison, <8 x i32> zeroinitializer
  %t.133 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.132, <8 x float> %t.85, <8 x float> %carried.75)
  %x.134 = getelementptr float, ptr %x.80, i64 7000
  %t.135 = load float, ptr %x.134, align 4, !invariant.load !0
  %x.136 = insertelement <8 x float> poison, float %t.135, i64 0
  %x.137 = shufflevector <8 x float> %x.136, <8 x float> poison, <8 x i32> zeroinitializer
  %t.138 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.137, <8 x float> %t.85, <8 x float> %carried.76)
  %x.139 = getelementptr float, ptr %x.80, i64 7700
  %t.140 = load float, ptr %x.139, align 4, !invariant.load !0
  %x.141 = insertelement <8 x float> poison, float %t.140, i64 0
  %x.142 = shufflevector <8 x float> %x.141, <8 x float> poison, <8 x i32> zeroinitializer
  %t.143 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.142, <8 x float> %t.85, <8 x float> %carried.77)
  %t.144 = add nsw i64 %i.65, 1
  %t.145 = icmp slt i64 %t.144, 700
  br i1 %t.145, label %loop.63, label %done.64, !llvm.loop !3
done.64:
  %t.146 = phi <8 x float> [ %t.88, %loop.63 ]
  %t.147 = phi <8 x float> [ %t.93, %loop.63 ]
  %t.148 = phi <8 x float> [ %t.98, %loop.63 ]
  %t.149 = phi <8 x float> [ %t.103, %loop.63 ]
  %t.150 = phi <8 x float> [ %t.108, %loop.63 ]
  %t.151 = phi <8 x float> [ %t.113, %loop.63 ]
  %t.152 = phi <8 x float> [ %t.118, %loop.63 ]
  %t.153 = phi <8 x float> [ %t.123, %loop.63 ]
  %t.154 = phi <8 x float> [ %t.128, %loop.63 ]
  %t.155 = phi <8 x float> [ %t.133, %loop.63 ]
  %t.156 = phi <8 x float> [ %t.138, %loop.63 ]
  %t.157 = phi <8 x float> [ %t.143, %loop.63 ]
  store <8 x float> %t.146, ptr %x.15, align 4
  store <8 x float> %t.147, ptr %x.41, align 4
  store <8 x float> %t.148, ptr %x.43, align 4
  store <8 x float> %t.149, ptr %x.45, align 4
  store <8 x float> %t.150, ptr %x.47, align 4
  store <8 x float> %t.151, ptr %x.49, align 4
  store <8 x float> %t.152, ptr %x.51, align 4
  store <8 x float> %t.153, ptr %x.53, align 4
  store <8 x float> %t.154, ptr %x.55, align 4
  store <8 x float> %t.155, ptr %x.57, align 4
  store <8 x float> %t.156, ptr %x.59, align 4
  store <8 x float> %t.157, ptr %x.61, align 4
  %t.158 = add nsw i64 %i.11, 1
  %t.159 = icmp slt i64 %t.158, 10
  br i1 %t.159, label %loop.9, label %done.10, !llvm.loop !4
done.10:
  br label %done.8
else.7:
  br label %loop.160
loop.160:
  %i.162 = phi i64 [ 0, %else.7 ], [ %t.308, %done.214 ]
  %x.163 = mul nsw i64 %i.162, 13200
  %x.164 = getelementptr float, ptr %"a.C", i64 %x.163
  %x.165 = getelementptr float, ptr %x.164, i64 14296
  call void @llvm.prefetch.p0(ptr %x.165, i32 0, i32 3, i32 1)
  %x.166 = getelementptr float, ptr %x.164, i64 15396
  call void @llvm.prefetch.p0(ptr %x.166, i32 0, i32 3, i32 1)
  %x.167 = getelementptr float, ptr %x.164, i64 16496
  call void @llvm.prefetch.p0(ptr %x.167, i32 0, i32 3, i32 1)
  %x.168 = getelementptr float, ptr %x.164, i64 17596
  call void @llvm.prefetch.p0(ptr %x.168, i32 0, i32 3, i32 1)
  %x.169 = getelementptr float, ptr %x.164, i64 18696
  call void @llvm.prefetch.p0(ptr %x.169, i32 0, i32 3, i32 1)
  %x.170 = getelementptr float, ptr %x.164, i64 19796
  call void @llvm.prefetch.p0(ptr %x.170, i32 0, i32 3, i32 1)
  %x.171 = getelementptr float, ptr %x.164, i64 20896
  call void @llvm.prefetch.p0(ptr %x.171, i32 0, i32 3, i32 1)
  %x.172 = getelementptr float, ptr %x.164, i64 21996
  call void @llvm.prefetch.p0(ptr %x.172, i32 0, i32 3, i32 1)
  %x.173 = getelementptr float, ptr %x.164, i64 23096
  call void @llvm.prefetch.p0(ptr %x.173, i32 0, i32 3, i32 1)
  %x.174 = getelementptr float, ptr %x.164, i64 24196
  call void @llvm.prefetch.p0(ptr %x.174, i32 0, i32 3, i32 1)
  %x.175 = getelementptr float, ptr %x.164, i64 25296
  call void @llvm.prefetch.p0(ptr %x.175, i32 0, i32 3, i32 1)
  %x.176 = getelementptr float, ptr %x.164, i64 26396
  call void @llvm.prefetch.p0(ptr %x.176, i32 0, i32 3, i32 1)
  %x.177 = getelementptr float, ptr %x.164, i64 14299
  call void @llvm.prefetch.p0(ptr %x.177, i32 0, i32 3, i32 1)
  %x.178 = getelementptr float, ptr %x.164, i64 15399
  call void @llvm.prefetch.p0(ptr %x.178, i32 0, i32 3, i32 1)
  %x.179 = getelementptr float, ptr %x.164, i64 16499
  call void @llvm.prefetch.p0(ptr %x.179, i32 0, i32 3, i32 1)
  %x.180 = getelementptr float, ptr %x.164, i64 17599
  call void @llvm.prefetch.p0(ptr %x.180, i32 0, i32 3, i32 1)
  %x.181 = getelementptr float, ptr %x.164, i64 18699
  call void @llvm.prefetch.p0(ptr %x.181, i32 0, i32 3, i32 1)
  %x.182 = getelementptr float, ptr %x.164, i64 19799
  call void @llvm.prefetch.p0(ptr %x.182, i32 0, i32 3, i32 1)
  %x.183 = getelementptr float, ptr %x.164, i64 20899
  call void @llvm.prefetch.p0(ptr %x.183, i32 0, i32 3, i32 1)
  %x.184 = getelementptr float, ptr %x.164, i64 21999
  call void @llvm.prefetch.p0(ptr %x.184, i32 0, i32 3, i32 1)
  %x.185 = getelementptr float, ptr %x.164, i64 23099
  call void @llvm.prefetch.p0(ptr %x.185, i32 0, i32 3, i32 1)
  %x.186 = getelementptr float, ptr %x.164, i64 24199
  call void @llvm.prefetch.p0(ptr %x.186, i32 0, i32 3, i32 1)
  %x.187 = getelementptr float, ptr %x.164, i64 25299
  call void @llvm.prefetch.p0(ptr %x.187, i32 0, i32 3, i32 1)
  %x.188 = getelementptr float, ptr %x.164, i64 26399
  call void @llvm.prefetch.p0(ptr %x.188, i32 0, i32 3, i32 1)
  %x.189 = getelementptr float, ptr %x.164, i64 1096
  %t.190 = load <4 x float>, ptr %x.189, align 4
  %x.191 = getelementptr float, ptr %x.164, i64 2196
  %t.192 = load <4 x float>, ptr %x.191, align 4
  %x.193 = getelementptr float, ptr %x.164, i64 3296
  %t.194 = load <4 x float>, ptr %x.193, align 4
  %x.195 = getelementptr float, ptr %x.164, i64 4396
  %t.196 = load <4 x float>, ptr %x.195, align 4
  %x.197 = getelementptr float, ptr %x.164, i64 5496
  %t.198 = load <4 x float>, ptr %x.197, align 4
  %x.199 = getelementptr float, ptr %x.164, i64 6596
  %t.200 = load <4 x float>, ptr %x.199, align 4
  %x.201 = getelementptr float, ptr %x.164, i64 7696
  %t.202 = load <4 x float>, ptr %x.201, align 4
  %x.203 = getelementptr float, ptr %x.164, i64 8796
  %t.204 = load <4 x float>, ptr %x.203, align 4
  %x.205 = getelementptr float, ptr %x.164, i64 9896
  %t.206 = load <4 x float>, ptr %x.205, align 4
  %x.207 = getelementptr float, ptr %x.164, i64 10996
  %t.208 = load <4 x float>, ptr %x.207, align 4
  %x.209 = getelementptr float, ptr %x.164, i64 12096
  %t.210 = load <4 x float>, ptr %x.209, align 4
  %x.211 = getelementptr float, ptr %x.164, i64 13196
  %t.212 = load <4 x float>, ptr %x.211, align 4
  %x.228 = mul nsw i64 %i.162, 8400
  %x.229 = getelementptr float, ptr %"a.A", i64 %x.228
  br label %loop.213
loop.213:
  %i.215 = phi i64 [ 0, %loop.160 ], [ %t.294, %loop.213 ]
  %carried.216 = phi <4 x float> [ %t.190, %loop.160 ], [ %t.238, %loop.213 ]
  %carried.217 = phi <4 x float> [ %t.192, %loop.160 ], [ %t.243, %loop.213 ]
  %carried.218 = phi <4 x float> [ %t.194, %loop.160 ], [ %t.248, %loop.213 ]
  %carried.219 = phi <4 x float> [ %t.196, %loop.160 ], [ %t.253, %loop.213 ]
  %carried.220 = phi <4 x float> [ %t.198, %loop.160 ], [ %t.258, %loop.213 ]
  %carried.221 = phi <4 x float> [ %t.200, %loop.160 ], [ %t.263, %loop.213 ]
  %carried.222 = phi <4 x float> [ %t.202, %loop.160 ], [ %t.268, %loop.213 ]
  %carried.223 = phi <4 x float> [ %t.204, %loop.160 ], [ %t.273, %loop.213 ]
  %carried.224 = phi <4 x float> [ %t.206, %loop.160 ], [ %t.278, %loop.213 ]
  %carried.225 = phi <4 x float> [ %t.208, %loop.160 ], [ %t.283, %loop.213 ]
  %carried.226 = phi <4 x float> [ %t.210, %loop.160 ], [ %t.288, %loop.213 ]
  %carried.227 = phi <4 x float> [ %t.212, %loop.160 ], [ %t.293, %loop.213 ]
  %x.230 = getelementptr float, ptr %x.229, i64 %i.215
  %t.231 = load float, ptr %x.230, align 4, !invariant.load !0
  %x.232 = mul nsw i64 %i.215, 1100
  %x.233 = getelementptr float, ptr %"a.B", i64 %x.232
  %x.234 = getelementptr float, ptr %x.233, i64 1096
  %t.235 = load <4 x float>, ptr %x.234, align 4, !invariant.load !0
  %x.236 = insertelement <4 x float> poison, float %t.231, i64 0
  %x.237 = shufflevector <4 x float> %x.236, <4 x float> poison, <4 x i32> zeroinitializer
  %t.238 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.237, <4 x float> %t.235, <4 x float> %carried.216)
  %x.239 = getelementptr float, ptr %x.230, i64 700
  %t.240 = load float, ptr %x.239, align 4, !invariant.load !0
  %x.241 = insertelement <4 x float> poison, float %t.240, i64 0
  %x.242 = shufflevector <4 x float> %x.241, <4 x float> poison, <4 x i32> zeroinitializer
  %t.243 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.242, <4 x float> %t.235, <4 x float> %carried.217)
  %x.244 = getelementptr float, ptr %x.230, i64 1400
  %t.245 = load float, ptr %x.244, align 4, !invariant.load !0
  %x.246 = insertelement <4 x float> poison, float %t.245, i64 0
  %x.247 = shufflevector <4 x float> %x.246, <4 x float> poison, <4 x i32> zeroinitializer
  %t.248 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.247, <4 x float> %t.235, <4 x float> %carried.218)
  %x.249 = getelementptr float, ptr %x.230, i64 2100
  %t.250 = load float, ptr %x.249, align 4, !invariant.load !0
  %x.251 = insertelement <4 x float> poison, float %t.250, i64 0
  %x.252 = shufflevector <4 x float> %x.251, <4 x float> poison, <4 x i32> zeroinitializer
  %t.253 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.252, <4 x float> %t.235, <4 x float> %carried.219)
  %x.254 = getelementptr float, ptr %x.230, i64 2800
  %t.255 = load float, ptr %x.254, align 4, !invariant.load !0
  %x.256 = insertelement <4 x float> poison, float %t.255, i64 0
  %x.257 = shufflevector <4 x float> %x.256, <4 x float> poison, <4 x i32> zeroinitializer
  %t.258 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.257, <4 x float> %t.235, <4 x float> %carried.220)
  %x.259 = getelementptr float, ptr %x.230, i64 3500
  %t.260 = load float, ptr %x.259, align 4, !invariant.load !0
  %x.261 = insertelement <4 x float> poison, float %t.260, i64 0
  %x.262 = shufflevector <4 x float> %x.261, <4 x float> poison, <4 x i32> zeroinitializer
  %t.263 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.262, <4 x float> %t.235, <4 x float> %carried.221)
  %x.264 = getelementptr float, ptr %x.230, i64 4200
  %t.265 = load float, ptr %x.264, align 4, !invariant.load !0
  %x.266 = insertelement <4 x float> poison, float %t.265, i64 0
  %x.267 = shufflevector <4 x float> %x.266, <4 x float> poison, <4 x i32> zeroinitializer
  %t.268 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.267, <4 x float> %t.235, <4 x float> %carried.222)
  %x.269 = getelementptr float, ptr %x.230, i64 4900
  %t.270 = load float, ptr %x.269, align 4, !invariant.load !0
  %x.271 = insertelement <4 x float> poison, float %t.270, i64 0
  %x.272 = shufflevector <4 x float> %x.271, <4 x float> poison, <4 x i32> zeroinitializer
  %t.273 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.272, <4 x float> %t.235, <4 x float> %carried.223)
  %x.274 = getelementptr float, ptr %x.230, i64 5600
  %t.275 = load float, ptr %x.274, align 4, !invariant.load !0
  %x.276 = insertelement <4 x float> poison, float %t.275, i64 0
  %x.277 = shufflevector <4 x float> %x.276, <4 x float> poison, <4 x i32> zeroinitializer
  %t.278 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.277, <4 x float> %t.235, <4 x float> %carried.224)
  %x.279 = getelementptr float, ptr %x.230, i64 6300
  %t.280 = load float, ptr %x.279, align 4, !invariant.load !0
  %x.281 = insertelement <4 x float> poison, float %t.280, i64 0
  %x.282 = shufflevector <4 x float> %x.281, <4 x float> poison, <4 x i32> zeroinitializer
  %t.283 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.282, <4 x float> %t.235, <4 x float> %carried.225)
  %x.284 = getelementptr float, ptr %x.230, i64 7000
  %t.285 = load float, ptr %x.284, align 4, !invariant.load !0
  %x.286 = insertelement <4 x float> poison, float %t.285, i64 0
  %x.287 = shufflevector <4 x float> %x.286, <4 x float> poison, <4 x i32> zeroinitializer
  %t.288 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.287, <4 x float> %t.235, <4 x float> %carried.226)
  %x.289 = getelementptr float, ptr %x.230, i64 7700
  %t.290 = load float, ptr %x.289, align 4, !invariant.load !0
  %x.291 = insertelement <4 x float> poison, float %t.290, i64 0
  %x.292 = shufflevector <4 x float> %x.291, <4 x float> poison, <4 x i32> zeroinitializer
  %t.293 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.292, <4 x float> %t.235, <4 x float> %carried.227)
  %t.294 = add nsw i64 %i.215, 1
  %t.295 = icmp slt i64 %t.294, 700
  br i1 %t.295, label %loop.213, label %done.214, !llvm.loop !5
done.214:
  %t.296 = phi <4 x float> [ %t.238, %loop.213 ]
  %t.297 = phi <4 x float> [ %t.243, %loop.213 ]
  %t.298 = phi <4 x float> [ %t.248, %loop.213 ]
  %t.299 = phi <4 x float> [ %t.253, %loop.213 ]
  %t.300 = phi <4 x float> [ %t.258, %loop.213 ]
  %t.301 = phi <4 x float> [ %t.263, %loop.213 ]
  %t.302 = phi <4 x float> [ %t.268, %loop.213 ]
  %t.303 = phi <4 x float> [ %t.273, %loop.213 ]
  %t.304 = phi <4 x float> [ %t.278, %loop.213 ]
  %t.305 = phi <4 x float> [ %t.283, %loop.213 ]
  %t.306 = phi <4 x float> [ %t.288, %loop.213 ]
  %t.307 = phi <4 x float> [ %t.293, %loop.213 ]
  store <4 x float> %t.296, ptr %x.189, align 4
  store <4 x float> %t.297, ptr %x.191, align 4
  store <4 x float> %t.298, ptr %x.193, align 4
  store <4 x float> %t.299, ptr %x.195, align 4
  store <4 x float> %t.300, ptr %x.197, align 4
  store <4 x float> %t.301, ptr %x.199, align 4
  store <4 x float> %t.302, ptr %x.201, align 4
  store <4 x float> %t.303, ptr %x.203, align 4
  store <4 x float> %t.304, ptr %x.205, align 4
  store <4 x float> %t.305, ptr %x.207, align 4
  store <4 x float> %t.306, ptr %x.209, align 4
  store <4 x float> %t.307, ptr %x.211, align 4
  %t.308 = add nsw i64 %i.162, 1
  %t.309 = icmp slt i64 %t.308, 10
  br i1 %t.309, label %loop.160, label %done.161, !llvm.loop !6
done.161:
  br label %done.8
done.8:
  %t.310 = add nsw i64 %i.3, 1
  %t.311 = icmp slt i64 %t.310, 138
  br i1 %t.311, label %loop.1, label %done.2, !llvm.loop !7
done.2:
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

attributes #0 = { nounwind mustprogress "target-cpu"="x86-64-v3" "target-features"="" "prefer-vector-width"="256" }
!0 = !{}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = distinct !{!3, !1, !2}
!4 = distinct !{!4, !1, !2}
!5 = distinct !{!5, !1, !2}
!6 = distinct !{!6, !1, !2}
!7 = distinct !{!7, !1, !2}
