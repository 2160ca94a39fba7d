target triple = "x86_64-unknown-linux-gnu"

define void @"convolution"(ptr noalias nocapture noundef readonly align 4 %"a.I", ptr noalias nocapture noundef readonly align 4 %"a.W", ptr noalias nocapture noundef align 4 %"a.O") #0 {
entry:
  br label %loop.1
loop.1:
  %i.3 = phi i64 [ 0, %entry ], [ %t.433, %done.5 ]
  %x.16 = mul nsw i64 %i.3, 440
  %x.17 = getelementptr float, ptr %"a.O", i64 %x.16
  %x.118 = mul nsw i64 %i.3, 65
  %x.119 = getelementptr float, ptr %"a.I", i64 %x.118
  br label %loop.4
loop.4:
  %i.6 = phi i64 [ 0, %loop.1 ], [ %t.431, %done.15 ]
  %x.7 = mul nsw i64 %i.6, 6
  %x.8 = add nsw i64 %x.7, 6
  %x.9 = call i64 @llvm.smin.i64(i64 11, i64 %x.8)
  %x.10 = mul nsw i64 %i.6, -6
  %x.11 = add nsw i64 %x.10, %x.9
  %x.12 = icmp sge i64 %x.11, 6
  %x.18 = mul nsw i64 %i.6, 240
  %x.19 = getelementptr float, ptr %x.17, i64 %x.18
  %x.21 = getelementptr float, ptr %x.19, i64 16
  %x.23 = getelementptr float, ptr %x.19, i64 32
  %x.25 = getelementptr float, ptr %x.19, i64 40
  %x.27 = getelementptr float, ptr %x.19, i64 56
  %x.29 = getelementptr float, ptr %x.19, i64 72
  %x.31 = getelementptr float, ptr %x.19, i64 80
  %x.33 = getelementptr float, ptr %x.19, i64 96
  %x.35 = getelementptr float, ptr %x.19, i64 112
  %x.37 = getelementptr float, ptr %x.19, i64 120
  %x.39 = getelementptr float, ptr %x.19, i64 136
  %x.41 = getelementptr float, ptr %x.19, i64 152
  %x.43 = getelementptr float, ptr %x.19, i64 160
  %x.45 = getelementptr float, ptr %x.19, i64 176
  %x.47 = getelementptr float, ptr %x.19, i64 192
  %x.49 = getelementptr float, ptr %x.19, i64 200
  %x.51 = getelementptr float, ptr %x.19, i64 216
  %x.53 = getelementptr float, ptr %x.19, i64 232
  %x.120 = mul nsw i64 %i.6, 30
  %x.121 = getelementptr float, ptr %x.119, i64 %x.120
  br i1 %x.12, label %then.13, label %else.14
then.13:
  %t.20 = load <16 x float>, ptr %x.19, align 4
  %t.22 = load <16 x float>, ptr %x.21, align 4
  %t.24 = load <8 x float>, ptr %x.23, align 4
  %t.26 = load <16 x float>, ptr %x.25, align 4
  %t.28 = load <16 x float>, ptr %x.27, align 4
  %t.30 = load <8 x float>, ptr %x.29, align 4
  %t.32 = load <16 x float>, ptr %x.31, align 4
  %t.34 = load <16 x float>, ptr %x.33, align 4
  %t.36 = load <8 x float>, ptr %x.35, align 4
  %t.38 = load <16 x float>, ptr %x.37, align 4
  %t.40 = load <16 x float>, ptr %x.39, align 4
  %t.42 = load <8 x float>, ptr %x.41, align 4
  %t.44 = load <16 x float>, ptr %x.43, align 4
  %t.46 = load <16 x float>, ptr %x.45, align 4
  %t.48 = load <8 x float>, ptr %x.47, align 4
  %t.50 = load <16 x float>, ptr %x.49, align 4
  %t.52 = load <16 x float>, ptr %x.51, align 4
  %t.54 = load <8 x float>, ptr %x.53, align 4
  br label %loop.55
loop.55:
  %i.57 = phi i64 [ 0, %then.13 ], [ %t.231, %done.77 ]
  %carried.58 = phi <16 x float> [ %t.20, %then.13 ], [ %t.213, %done.77 ]
  %carried.59 = phi <16 x float> [ %t.22, %then.13 ], [ %t.214, %done.77 ]
  %carried.60 = phi <8 x float> [ %t.24, %then.13 ], [ %t.215, %done.77 ]
  %carried.61 = phi <16 x float> [ %t.26, %then.13 ], [ %t.216, %done.77 ]
  %carried.62 = phi <16 x float> [ %t.28, %then.13 ], [ %t.217, %done.77 ]
  %carried.63 = phi <8 x float> [ %t.30, %then.13 ], [ %t.218, %done.77 ]
  %carried.64 = phi <16 x float> [ %t.32, %then.13 ], [ %t.219, %done.77 ]
  %carried.65 = phi <16 x float> [ %t.34, %then.13 ], [ %t.220, %done.77 ]
  %carried.66 = phi <8 x float> [ %t.36, %then.13 ], [ %t.221, %done.77 ]
  %carried.67 = phi <16 x float> [ %t.38, %then.13 ], [ %t.222, %done.77 ]
  %carried.68 = phi <16 x float> [ %t.40, %then.13 ], [ %t.223, %done.77 ]
  %carried.69 = phi <8 x float> [ %t.42, %then.13 ], [ %t.224, %done.77 ]
  %carried.70 = phi <16 x float> [ %t.44, %then.13 ], [ %t.225, %done.77 ]
  %carried.71 = phi <16 x float> [ %t.46, %then.13 ], [ %t.226, %done.77 ]
  %carried.72 = phi <8 x float> [ %t.48, %then.13 ], [ %t.227, %done.77 ]
  %carried.73 = phi <16 x float> [ %t.50, %then.13 ], [ %t.228, %done.77 ]
  %carried.74 = phi <16 x float> [ %t.52, %then.13 ], [ %t.229, %done.77 ]
  %carried.75 = phi <8 x float> [ %t.54, %then.13 ], [ %t.230, %done.77 ]
  %x.122 = mul nsw i64 %i.57, 65
  %x.123 = getelementptr float, ptr %x.121, i64 %x.122
  %x.128 = mul nsw i64 %i.57, 600
  %x.129 = getelementptr float, ptr %"a.W", i64 %x.128
  br label %loop.76
loop.76:
  %i.78 = phi i64 [ 0, %loop.55 ], [ %t.211, %done.98 ]
  %carried.79 = phi <16 x float> [ %carried.58, %loop.55 ], [ %t.193, %done.98 ]
  %carried.80 = phi <16 x float> [ %carried.59, %loop.55 ], [ %t.194, %done.98 ]
  %carried.81 = phi <8 x float> [ %carried.60, %loop.55 ], [ %t.195, %done.98 ]
  %carried.82 = phi <16 x float> [ %carried.61, %loop.55 ], [ %t.196, %done.98 ]
  %carried.83 = phi <16 x float> [ %carried.62, %loop.55 ], [ %t.197, %done.98 ]
  %carried.84 = phi <8 x float> [ %carried.63, %loop.55 ], [ %t.198, %done.98 ]
  %carried.85 = phi <16 x float> [ %carried.64, %loop.55 ], [ %t.199, %done.98 ]
  %carried.86 = phi <16 x float> [ %carried.65, %loop.55 ], [ %t.200, %done.98 ]
  %carried.87 = phi <8 x float> [ %carried.66, %loop.55 ], [ %t.201, %done.98 ]
  %carried.88 = phi <16 x float> [ %carried.67, %loop.55 ], [ %t.202, %done.98 ]
  %carried.89 = phi <16 x float> [ %carried.68, %loop.55 ], [ %t.203, %done.98 ]
  %carried.90 = phi <8 x float> [ %carried.69, %loop.55 ], [ %t.204, %done.98 ]
  %carried.91 = phi <16 x float> [ %carried.70, %loop.55 ], [ %t.205, %done.98 ]
  %carried.92 = phi <16 x float> [ %carried.71, %loop.55 ], [ %t.206, %done.98 ]
  %carried.93 = phi <8 x float> [ %carried.72, %loop.55 ], [ %t.207, %done.98 ]
  %carried.94 = phi <16 x float> [ %carried.73, %loop.55 ], [ %t.208, %done.98 ]
  %carried.95 = phi <16 x float> [ %carried.74, %loop.55 ], [ %t.209, %done.98 ]
  %carried.96 = phi <8 x float> [ %carried.75, %loop.55 ], [ %t.210, %done.98 ]
  %x.124 = mul nsw i64 %i.78, 5
  %x.125 = getelementptr float, ptr %x.123, i64 %x.124
  %x.130 = mul nsw i64 %i.78, 200
  %x.131 = getelementptr float, ptr %x.129, i64 %x.130
  br label %loop.97
loop.97:
  %i.99 = phi i64 [ 0, %loop.76 ], [ %t.191, %loop.97 ]
  %carried.100 = phi <16 x float> [ %carried.79, %loop.76 ], [ %t.137, %loop.97 ]
  %carried.101 = phi <16 x float> [ %carried.80, %loop.76 ], [ %t.140, %loop.97 ]
  %carried.102 = phi <8 x float> [ %carried.81, %loop.76 ], [ %t.145, %loop.97 ]
  %carried.103 = phi <16 x float> [ %carried.82, %loop.76 ], [ %t.150, %loop.97 ]
  %carried.104 = phi <16 x float> [ %carried.83, %loop.76 ], [ %t.151, %loop.97 ]
  %carried.105 = phi <8 x float> [ %carried.84, %loop.76 ], [ %t.154, %loop.97 ]
  %carried.106 = phi <16 x float> [ %carried.85, %loop.76 ], [ %t.159, %loop.97 ]
  %carried.107 = phi <16 x float> [ %carried.86, %loop.76 ], [ %t.160, %loop.97 ]
  %carried.108 = phi <8 x float> [ %carried.87, %loop.76 ], [ %t.163, %loop.97 ]
  %carried.109 = phi <16 x float> [ %carried.88, %loop.76 ], [ %t.168, %loop.97 ]
  %carried.110 = phi <16 x float> [ %carried.89, %loop.76 ], [ %t.169, %loop.97 ]
  %carried.111 = phi <8 x float> [ %carried.90, %loop.76 ], [ %t.172, %loop.97 ]
  %carried.112 = phi <16 x float> [ %carried.91, %loop.76 ], [ %t.177, %loop.97 ]
  %carried.113 = phi <16 x float> [ %carried.92, %loop.76 ], [ %t.178, %loop.97 ]
  %carried.114 = phi <8 x float> [ %carried.93, %loop.76 ], [ %t.181, %loop.97 ]
  %carried.115 = phi <16 x float> [ %carried.94, %loop.76 ], [ %t.186, %loop.97 ]
  %carried.116 = phi <16 x float> [ %carried.95, %loop.76 ], [ %t.187, %loop.97 ]
  %carried.117 = phi <8 x float> [ %carried.96, %loop.76 ], [ %t.190, %loop.97 ]
  %x.126 = getelementptr float, ptr %x.125, i64 %i.99
  %t.127 = load float, ptr %x.126, align 4, !invariant.load !0
  %x.132 = mul nsw i64 %i.99, 40
  %x.133 = getelementptr float, ptr %x.131, i64 %x.132
  %t.134 = load <16 x float>, ptr %x.133, align 4, !invariant.load !0
  %x.135 = insertelement <16 x float> poison, float %t.127, i64 0
  %x.136 = shufflevector <16 x float> %x.135, <16 x float> poison, <16 x i32> zeroinitializer
  %t.137 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.136, <16 x float> %t.134, <16 x float> %carried.100)
  %x.138 = getelementptr float, ptr %x.133, i64 16
  %t.139 = load <16 x float>, ptr %x.138, align 4, !invariant.load !0
  %t.140 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.136, <16 x float> %t.139, <16 x float> %carried.101)
  %x.141 = getelementptr float, ptr %x.133, i64 32
  %t.142 = load <8 x float>, ptr %x.141, align 4, !invariant.load !0
  %x.143 = insertelement <8 x float> poison, float %t.127, i64 0
  %x.144 = shufflevector <8 x float> %x.143, <8 x float> poison, <8 x i32> zeroinitializer
  %t.145 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.144, <8 x float> %t.142, <8 x float> %carried.102)
  %x.146 = getelementptr float, ptr %x.126, i64 5
  %t.147 = load float, ptr %x.146, align 4, !invariant.load !0
  %x.148 = insertelement <16 x float> poison, float %t.147, i64 0
  %x.149 = shufflevector <16 x float> %x.148, <16 x float> poison, <16 x i32> zeroinitializer
  %t.150 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.149, <16 x float> %t.134, <16 x float> %carried.103)
  %t.151 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.149, <16 x float> %t.139, <16 x float> %carried.104)
  %x.152 = insertelement <8 x float> poison, float %t.147, i64 0
  %x.153 = shufflevector <8 x float> %x.152, <8 x float> poison, <8 x i32> zeroinitializer
  %t.154 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.153, <8 x float> %t.142, <8 x float> %carried.105)
  %x.155 = getelementptr float, ptr %x.126, i64 10
  %t.156 = load float, ptr %x.155, align 4, !invariant.load !0
  %x.157 = insertelement <16 x float> poison, float %t.156, i64 0
  %x.158 = shufflevector <16 x float> %x.157, <16 x float> poison, <16 x i32> zeroinitializer
  %t.159 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.158, <16 x float> %t.134, <16 x float> %carried.106)
  %t.160 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.158, <16 x float> %t.139, <16 x float> %carried.107)
  %x.161 = insertelement <8 x float> poison, float %t.156, i64 0
  %x.162 = shufflevector <8 x float> %x.161, <8 x float> poison, <8 x i32> zeroinitializer
  %t.163 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.162, <8 x float> %t.142, <8 x float> %carried.108)
  %x.164 = getelementptr float, ptr %x.126, i64 15
  %t.165 = load float, ptr %x.164, align 4, !invariant.load !0
  %x.166 = insertelement <16 x float> poison, float %t.165, i64 0
  %x.167 = shufflevector <16 x float> %x.166, <16 x float> poison, <16 x i32> zeroinitializer
  %t.168 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.167, <16 x float> %t.134, <16 x float> %carried.109)
  %t.169 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.167, <16 x float> %t.139, <16 x float> %carried.110)
  %x.170 = insertelement <8 x float> poison, float %t.165, i64 0
  %x.171 = shufflevector <8 x float> %x.170, <8 x float> poison, <8 x i32> zeroinitializer
  %t.172 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.171, <8 x float> %t.142, <8 x float> %carried.111)
  %x.173 = getelementptr float, ptr %x.126, i64 20
  %t.174 = load float, ptr %x.173, align 4, !invariant.load !0
  %x.175 = insertelement <16 x float> poison, float %t.174, i64 0
  %x.176 = shufflevector <16 x float> %x.175, <16 x float> poison, <16 x i32> zeroinitializer
  %t.177 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.176, <16 x float> %t.134, <16 x float> %carried.112)
  %t.178 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.176, <16 x float> %t.139, <16 x float> %carried.113)
  %x.179 = insertelement <8 x float> poison, float %t.174, i64 0
  %x.180 = shufflevector <8 x float> %x.179, <8 x float> poison, <8 x i32> zeroinitializer
  %t.181 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.180, <8 x float> %t.142, <8 x float> %carried.114)
  %x.182 = getelementptr float, ptr %x.126, i64 25
  %t.183 = load float, ptr %x.182, align 4, !invariant.load !0
  %x.184 = insertelement <16 x float> poison, float %t.183, i64 0
  %x.185 = shufflevector <16 x float> %x.184, <16 x float> poison, <16 x i32> zeroinitializer
  %t.186 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.185, <16 x float> %t.134, <16 x float> %carried.115)
  %t.187 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.185, <16 x float> %t.139, <16 x float> %carried.116)
  %x.188 = insertelement <8 x float> poison, float %t.183, i64 0
  %x.189 = shufflevector <8 x float> %x.188, <8 x float> poison, <8 x i32> zeroinitializer
  %t.190 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.189, <8 x float> %t.142, <8 x float> %carried.117)
  %t.191 = add nsw i64 %i.99, 1
  %t.192 = icmp slt i64 %t.191, 5
  br i1 %t.192, label %loop.97, label %done.98, !llvm.loop !4
done.98:
  %t.193 = phi <16 x float> [ %t.137, %loop.97 ]
  %t.194 = phi <16 x float> [ %t.140, %loop.97 ]
  %t.195 = phi <8 x float> [ %t.145, %loop.97 ]
  %t.196 = phi <16 x float> [ %t.150, %loop.97 ]
  %t.197 = phi <16 x float> [ %t.151, %loop.97 ]
  %t.198 = phi <8 x float> [ %t.154, %loop.97 ]
  %t.199 = phi <16 x float> [ %t.159, %loop.97 ]
  %t.200 = phi <16 x float> [ %t.160, %loop.97 ]
  %t.201 = phi <8 x float> [ %t.163, %loop.97 ]
  %t.202 = phi <16 x float> [ %t.168, %loop.97 ]
  %t.203 = phi <16 x float> [ %t.169, %loop.97 ]
  %t.204 = phi <8 x float> [ %t.172, %loop.97 ]
  %t.205 = phi <16 x float> [ %t.177, %loop.97 ]
  %t.206 = phi <16 x float> [ %t.178, %loop.97 ]
  %t.207 = phi <8 x float> [ %t.181, %loop.97 ]
  %t.208 = phi <16 x float> [ %t.186, %loop.97 ]
  %t.209 = phi <16 x float> [ %t.187, %loop.97 ]
  %t.210 = phi <8 x float> [ %t.190, %loop.97 ]
  %t.211 = add nsw i64 %i.78, 1
  %t.212 = icmp slt i64 %t.211, 3
  br i1 %t.212, label %loop.76, label %done.77, !llvm.loop !5
done.77:
  %t.213 = phi <16 x float> [ %t.193, %done.98 ]
  %t.214 = phi <16 x float> [ %t.194, %done.98 ]
  %t.215 = phi <8 x float> [ %t.195, %done.98 ]
  %t.216 = phi <16 x float> [ %t.196, %done.98 ]
  %t.217 = phi <16 x float> [ %t.197, %done.98 ]
  %t.218 = phi <8 x float> [ %t.198, %done.98 ]
  %t.219 = phi <16 x float> [ %t.199, %done.98 ]
  %t.220 = phi <16 x float> [ %t.200, %done.98 ]
  %t.221 = phi <8 x float> [ %t.201, %done.98 ]
  %t.222 = phi <16 x float> [ %t.202, %done.98 ]
  %t.223 = phi <16 x float> [ %t.203, %done.98 ]
  %t.224 = phi <8 x float> [ %t.204, %done.98 ]
  %t.225 = phi <16 x float> [ %t.205, %done.98 ]
  %t.226 = phi <16 x float> [ %t.206, %done.98 ]
  %t.227 = phi <8 x float> [ %t.207, %done.98 ]
  %t.228 = phi <16 x float> [ %t.208, %done.98 ]
  %t.229 = phi <16 x float> [ %t.209, %done.98 ]
  %t.230 = phi <8 x float> [ %t.210, %done.98 ]
  %t.231 = add nsw i64 %i.57, 1
  %t.232 = icmp slt i64 %t.231, 3
  br i1 %t.232, label %loop.55, label %done.56, !llvm.loop !6
done.56:
  %t.233 = phi <16 x float> [ %t.213, %done.77 ]
  %t.234 = phi <16 x float> [ %t.214, %done.77 ]
  %t.235 = phi <8 x float> [ %t.215, %done.77 ]
  %t.236 = phi <16 x float> [ %t.216, %done.77 ]
  %t.237 = phi <16 x float> [ %t.217, %done.77 ]
  %t.238 = phi <8 x float> [ %t.218, %done.77 ]
  %t.239 = phi <16 x float> [ %t.219, %done.77 ]
  %t.240 = phi <16 x float> [ %t.220, %done.77 ]
  %t.241 = phi <8 x float> [ %t.221, %done.77 ]
  %t.242 = phi <16 x float> [ %t.222, %done.77 ]
  %t.243 = phi <16 x float> [ %t.223, %done.77 ]
  %t.244 = phi <8 x float> [ %t.224, %done.77 ]
  %t.245 = phi <16 x float> [ %t.225, %done.77 ]
  %t.246 = phi <16 x float> [ %t.226, %done.77 ]
  %t.247 = phi <8 x float> [ %t.227, %done.77 ]
  %t.248 = phi <16 x float> [ %t.228, %done.77 ]
  %t.249 = phi <16 x float> [ %t.229, %done.77 ]
  %t.250 = phi <8 x float> [ %t.230, %done.77 ]
  store <16 x float> %t.233, ptr %x.19, align 4
  store <16 x float> %t.234, ptr %x.21, align 4
  store <8 x float> %t.235, ptr %x.23, align 4
  store <16 x float> %t.236, ptr %x.25, align 4
  store <16 x float> %t.237, ptr %x.27, align 4
  store <8 x float> %t.238, ptr %x.29, align 4
  store <16 x float> %t.239, ptr %x.31, align 4
  store <16 x float> %t.240, ptr %x.33, align 4
  store <8 x float> %t.241, ptr %x.35, align 4
  store <16 x float> %t.242, ptr %x.37, align 4
  store <16 x float> %t.243, ptr %x.39, align 4
  store <8 x float> %t.244, ptr %x.41, align 4
  store <16 x float> %t.245, ptr %x.43, align 4
  store <16 x float> %t.246, ptr %x.45, align 4
  store <8 x float> %t.247, ptr %x.47, align 4
  store <16 x float> %t.248, ptr %x.49, align 4
  store <16 x float> %t.249, ptr %x.51, align 4
  store <8 x float> %t.250, ptr %x.53, align 4
  br label %done.15
else.14:
  %t.251 = load <16 x float>, ptr %x.19, align 4
  %t.252 = load <16 x float>, ptr %x.21, align 4
  %t.253 = load <8 x float>, ptr %x.23, align 4
  %t.254 = load <16 x float>, ptr %x.25, align 4
  %t.255 = load <16 x float>, ptr %x.27, align 4
  %t.256 = load <8 x float>, ptr %x.29, align 4
  %t.257 = load <16 x float>, ptr %x.31, align 4
  %t.258 = load <16 x float>, ptr %x.33, align 4
  %t.259 = load <8 x float>, ptr %x.35, align 4
  %t.260 = load <16 x float>, ptr %x.37, align 4
  %t.261 = load <16 x float>, ptr %x.39, align 4
  %t.262 = load <8 x float>, ptr %x.41, align 4
  %t.263 = load <16 x float>, ptr %x.43, align 4
  %t.264 = load <16 x float>, ptr %x.45, align 4
  %t.265 = load <8 x float>, ptr %x.47, align 4
  br label %loop.266
loop.266:
  %i.268 = phi i64 [ 0, %else.14 ], [ %t.414, %done.285 ]
  %carried.269 = phi <16 x float> [ %t.251, %else.14 ], [ %t.399, %done.285 ]
  %carried.270 = phi <16 x float> [ %t.252, %else.14 ], [ %t.400, %done.285 ]
  %carried.271 = phi <8 x float> [ %t.253, %else.14 ], [ %t.401, %done.285 ]
  %carried.272 = phi <16 x float> [ %t.254, %else.14 ], [ %t.402, %done.285 ]
  %carried.273 = phi <16 x float> [ %t.255, %else.14 ], [ %t.403, %done.285 ]
  %carried.274 = phi <8 x float> [ %t.256, %else.14 ], [ %t.404, %done.285 ]
  %carried.275 = phi <16 x float> [ %t.257, %else.14 ], [ %t.405, %done.285 ]
  %carried.276 = phi <16 x float> [ %t.258, %else.14 ], [ %t.406, %done.285 ]
  %carried.277 = phi <8 x float> [ %t.259, %else.14 ], [ %t.407, %done.285 ]
  %carried.278 = phi <16 x float> [ %t.260, %else.14 ], [ %t.408, %done.285 ]
  %carried.279 = phi <16 x float> [ %t.261, %else.14 ], [ %t.409, %done.285 ]
  %carried.280 = phi <8 x float> [ %t.262, %else.14 ], [ %t.410, %done.285 ]
  %carried.281 = phi <16 x float> [ %t.263, %else.14 ], [ %t.411, %done.285 ]
  %carried.282 = phi <16 x float> [ %t.264, %else.14 ], [ %t.412, %done.285 ]
  %carried.283 = phi <8 x float> [ %t.265, %else.14 ], [ %t.413, %done.285 ]
  %x.320 = mul nsw i64 %i.268, 65
  %x.321 = getelementptr float, ptr %x.121, i64 %x.320
  %x.326 = mul nsw i64 %i.268, 600
  %x.327 = getelementptr float, ptr %"a.W", i64 %x.326
  br label %loop.284
loop.284:
  %i.286 = phi i64 [ 0, %loop.266 ], [ %t.397, %done.303 ]
  %carried.287 = phi <16 x float> [ %carried.269, %loop.266 ], [ %t.382, %done.303 ]
  %carried.288 = phi <16 x float> [ %carried.270, %loop.266 ], [ %t.383, %done.303 ]
  %carried.289 = phi <8 x float> [ %carried.271, %loop.266 ], [ %t.384, %done.303 ]
  %carried.290 = phi <16 x float> [ %carried.272, %loop.266 ], [ %t.385, %done.303 ]
  %carried.291 = phi <16 x float> [ %carried.273, %loop.266 ], [ %t.386, %done.303 ]
  %carried.292 = phi <8 x float> [ %carried.274, %loop.266 ], [ %t.387, %done.303 ]
  %carried.293 = phi <16 x float> [ %carried.275, %loop.266 ], [ %t.388, %done.303 ]
  %carried.294 = phi <16 x float> [ %carried.276, %loop.266 ], [ %t.389, %done.303 ]
  %carried.295 = phi <8 x float> [ %carried.277, %loop.266 ], [ %t.390, %done.303 ]
  %carried.296 = phi <16 x float> [ %carried.278, %loop.266 ], [ %t.391, %done.303 ]
  %carried.297 = phi <16 x float> [ %carried.279, %loop.266 ], [ %t.392, %done.303 ]
  %carried.298 = phi <8 x float> [ %carried.280, %loop.266 ], [ %t.393, %done.303 ]
  %carried.299 = phi <16 x float> [ %carried.281, %loop.266 ], [ %t.394, %done.303 ]
  %carried.300 = phi <16 x float> [ %carried.282, %loop.266 ], [ %t.395, %done.303 ]
  %carried.301 = phi <8 x float> [ %carried.283, %loop.266 ], [ %t.396, %done.303 ]
  %x.322 = mul nsw i64 %i.286, 5
  %x.323 = getelementptr float, ptr %x.321, i64 %x.322
  %x.328 = mul nsw i64 %i.286, 200
  %x.329 = getelementptr float, ptr %x.327, i64 %x.328
  br label %loop.302
loop.302:
  %i.304 = phi i64 [ 0, %loop.284 ], [ %t.380, %loop.302 ]
  %carried.305 = phi <16 x float> [ %carried.287, %loop.284 ], [ %t.335, %loop.302 ]
  %carried.306 = phi <16 x float> [ %carried.288, %loop.284 ], [ %t.338, %loop.302 ]
  %carried.307 = phi <8 x float> [ %carried.289, %loop.284 ], [ %t.343, %loop.302 ]
  %carried.308 = phi <16 x float> [ %carried.290, %loop.284 ], [ %t.348, %loop.302 ]
  %carried.309 = phi <16 x float> [ %carried.291, %loop.284 ], [ %t.349, %loop.302 ]
  %carried.310 = phi <8 x float> [ %carried.292, %loop.284 ], [ %t.352, %loop.302 ]
  %carried.311 = phi <16 x float> [ %carried.293, %loop.284 ], [ %t.357, %loop.302 ]
  %carried.312 = phi <16 x float> [ %carried.294, %loop.284 ], [ %t.358, %loop.302 ]
  %carried.313 = phi <8 x float> [ %carried.295, %loop.284 ], [ %t.361, %loop.302 ]
  %carried.314 = phi <16 x float> [ %carried.296, %loop.284 ], [ %t.366, %loop.302 ]
  %carried.315 = phi <16 x float> [ %carried.297, %loop.284 ], [ %t.367, %loop.302 ]
  %carried.316 = phi <8 x float> [ %carried.298, %loop.284 ], [ %t.370, %loop.302 ]
  %carried.317 = phi <16 x float> [ %carried.299, %loop.284 ], [ %t.375, %loop.302 ]
  %carried.318 = phi <16 x float> [ %carried.300, %loop.284 ], [ %t.376, %loop.302 ]
  %carried.319 = phi <8 x float> [ %carried.301, %loop.284 ], [ %t.379, %loop.302 ]
  %x.324 = getelementptr float, ptr %x.323, i64 %i.304
  %t.325 = load float, ptr %x.324, align 4, !invariant.load !0
  %x.330 = mul nsw i64 %i.304, 40
  %x.331 = getelementptr float, ptr %x.329, i64 %x.330
  %t.332 = load <16 x float>, ptr %x.331, align 4, !invariant.load !0
  %x.333 = insertelement <16 x float> poison, float %t.325, i64 0
  %x.334 = shufflevector <16 x float> %x.333, <16 x float> poison, <16 x i32> zeroinitializer
  %t.335 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.334, <16 x float> %t.332, <16 x float> %carried.305)
  %x.336 = getelementptr float, ptr %x.331, i64 16
  %t.337 = load <16 x float>, ptr %x.336, align 4, !invariant.load !0
  %t.338 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.334, <16 x float> %t.337, <16 x float> %carried.306)
  %x.339 = getelementptr float, ptr %x.331, i64 32
  %t.340 = load <8 x float>, ptr %x.339, align 4, !invariant.load !0
  %x.341 = insertelement <8 x float> poison, float %t.325, i64 0
  %x.342 = shufflevector <8 x float> %x.341, <8 x float> poison, <8 x i32> zeroinitializer
  %t.343 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.342, <8 x float> %t.340, <8 x float> %carried.307)
  %x.344 = getelementptr float, ptr %x.324, i64 5
  %t.345 = load float, ptr %x.344, align 4, !invariant.load !0
  %x.346 = insertelement <16 x float> poison, float %t.345, i64 0
  %x.347 = shufflevector <16 x float> %x.346, <16 x float> poison, <16 x i32> zeroinitializer
  %t.348 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.347, <16 x float> %t.332, <16 x float> %carried.308)
  %t.349 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.347, <16 x float> %t.337, <16 x float> %carried.309)
  %x.350 = insertelement <8 x float> poison, float %t.345, i64 0
  %x.351 = shufflevector <8 x float> %x.350, <8 x float> poison, <8 x i32> zeroinitializer
  %t.352 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.351, <8 x float> %t.340, <8 x float> %carried.310)
  %x.353 = getelementptr float, ptr %x.324, i64 10
  %t.354 = load float, ptr %x.353, align 4, !invariant.load !0
  %x.355 = insertelement <16 x float> poison, float %t.354, i64 0
  %x.356 = shufflevector <16 x float> %x.355, <16 x float> poison, <16 x i32> zeroinitializer
  %t.357 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.356, <16 x float> %t.332, <16 x float> %carried.311)
  %t.358 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.356, <16 x float> %t.337, <16 x float> %carried.312)
  %x.359 = insertelement <8 x float> poison, float %t.354, i64 0
  %x.360 = shufflevector <8 x float> %x.359, <8 x float> poison, <8 x i32> zeroinitializer
  %t.361 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.360, <8 x float> %t.340, <8 x float> %carried.313)
  %x.362 = getelementptr float, ptr %x.324, i64 15
  %t.363 = load float, ptr %x.362, align 4, !invariant.load !0
  %x.364 = insertelement <16 x float> poison, float %t.363, i64 0
  %x.365 = shufflevector <16 x float> %x.364, <16 x float> poison, <16 x i32> zeroinitializer
  %t.366 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.365, <16 x float> %t.332, <16 x float> %carried.314)
  %t.367 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.365, <16 x float> %t.337, <16 x float> %carried.315)
  %x.368 = insertelement <8 x float> poison, float %t.363, i64 0
  %x.369 = shufflevector <8 x float> %x.368, <8 x float> poison, <8 x i32> zeroinitializer
  %t.370 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.369, <8 x float> %t.340, <8 x float> %carried.316)
  %x.371 = getelementptr float, ptr %x.324, i64 20
  %t.372 = load float, ptr %x.371, align 4, !invariant.load !0
  %x.373 = insertelement <16 x float> poison, float %t.372, i64 0
  %x.374 = shufflevector <16 x float> %x.373, <16 x float> poison, <16 x i32> zeroinitializer
  %t.375 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.374, <16 x float> %t.332, <16 x float> %carried.317)
  %t.376 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x.374, <16 x float> %t.337, <16 x float> %carried.318)
  %x.377 = insertelement <8 x float> poison, float %t.372, i64 0
  %x.378 = shufflevector <8 x float> %x.377, <8 x float> poison, <8 x i32> zeroinitializer
  %t.379 = call <8 x float> @llvm.fma.v8f32(<8 x float> %x.378, <8 x float> %t.340, <8 x float> %carried.319)
  %t.380 = add nsw i64 %i.304, 1
  %t.381 = icmp slt i64 %t.380, 5
  br i1 %t.381, label %loop.302, label %done.303, !llvm.loop !7
done.303:
  %t.382 = phi <16 x float> [ %t.335, %loop.302 ]
  %t.383 = phi <16 x float> [ %t.338, %loop.302 ]
  %t.384 = phi <8 x float> [ %t.343, %loop.302 ]
  %t.385 = phi <16 x float> [ %t.348, %loop.302 ]
  %t.386 = phi <16 x float> [ %t.349, %loop.302 ]
  %t.387 = phi <8 x float> [ %t.352, %loop.302 ]
  %t.388 = phi <16 x float> [ %t.357, %loop.302 ]
  %t.389 = phi <16 x float> [ %t.358, %loop.302 ]
  %t.390 = phi <8 x float> [ %t.361, %loop.302 ]
  %t.391 = phi <16 x float> [ %t.366, %loop.302 ]
  %t.392 = phi <16 x float> [ %t.367, %loop.302 ]
  %t.393 = phi <8 x float> [ %t.370, %loop.302 ]
  %t.394 = phi <16 x float> [ %t.375, %loop.302 ]
  %t.395 = phi <16 x float> [ %t.376, %loop.302 ]
  %t.396 = phi <8 x float> [ %t.379, %loop.302 ]
  %t.397 = add nsw i64 %i.286, 1
  %t.398 = icmp slt i64 %t.397, 3
  br i1 %t.398, label %loop.284, label %done.285, !llvm.loop !8
done.285:
  %t.399 = phi <16 x float> [ %t.382, %done.303 ]
  %t.400 = phi <16 x float> [ %t.383, %done.303 ]
  %t.401 = phi <8 x float> [ %t.384, %done.303 ]
  %t.402 = phi <16 x float> [ %t.385, %done.303 ]
  %t.403 = phi <16 x float> [ %t.386, %done.303 ]
  %t.404 = phi <8 x float> [ %t.387, %done.303 ]
  %t.405 = phi <16 x float> [ %t.388, %done.303 ]
  %t.406 = phi <16 x float> [ %t.389, %done.303 ]
  %t.407 = phi <8 x float> [ %t.390, %done.303 ]
  %t.408 = phi <16 x float> [ %t.391, %done.303 ]
  %t.409 = phi <16 x float> [ %t.392, %done.303 ]
  %t.410 = phi <8 x float> [ %t.393, %done.303 ]
  %t.411 = phi <16 x float> [ %t.394, %done.303 ]
  %t.412 = phi <16 x float> [ %t.395, %done.303 ]
  %t.413 = phi <8 x float> [ %t.396, %done.303 ]
  %t.414 = add nsw i64 %i.268, 1
  %t.415 = icmp slt i64 %t.414, 3
  br i1 %t.415, label %loop.266, label %done.267, !llvm.loop !9
done.267:
  %t.416 = phi <16 x float> [ %t.399, %done.285 ]
  %t.417 = phi <16 x float> [ %t.400, %done.285 ]
  %t.418 = phi <8 x float> [ %t.401, %done.285 ]
  %t.419 = phi <16 x float> [ %t.402, %done.285 ]
  %t.420 = phi <16 x float> [ %t.403, %done.285 ]
  %t.421 = phi <8 x float> [ %t.404, %done.285 ]
  %t.422 = phi <16 x float> [ %t.405, %done.285 ]
  %t.423 = phi <16 x float> [ %t.406, %done.285 ]
  %t.424 = phi <8 x float> [ %t.407, %done.285 ]
  %t.425 = phi <16 x float> [ %t.408, %done.285 ]
  %t.426 = phi <16 x float> [ %t.409, %done.285 ]
  %t.427 = phi <8 x float> [ %t.410, %done.285 ]
  %t.428 = phi <16 x float> [ %t.411, %done.285 ]
  %t.429 = phi <16 x float> [ %t.412, %done.285 ]
  %t.430 = phi <8 x float> [ %t.413, %done.285 ]
  store <16 x float> %t.416, ptr %x.19, align 4
  store <16 x float> %t.417, ptr %x.21, align 4
  store <8 x float> %t.418, ptr %x.23, align 4
  store <16 x float> %t.419, ptr %x.25, align 4
  store <16 x float> %t.420, ptr %x.27, align 4
  store <8 x float> %t.421, ptr %x.29, align 4
  store <16 x float> %t.422, ptr %x.31, align 4
  store <16 x float> %t.423, ptr %x.33, align 4
  store <8 x float> %t.424, ptr %x.35, align 4
  store <16 x float> %t.425, ptr %x.37, align 4
  store <16 x float> %t.426, ptr %x.39, align 4
  store <8 x float> %t.427, ptr %x.41, align 4
  store <16 x float> %t.428, ptr %x.43, align 4
  store <16 x float> %t.429, ptr %x.45, align 4
  store <8 x float> %t.430, ptr %x.47, align 4
  br label %done.15
done.15:
  %t.431 = add nsw i64 %i.6, 1
  %t.432 = icmp slt i64 %t.431, 2
  br i1 %t.432, label %loop.4, label %done.5, !llvm.loop !10
done.5:
  %t.433 = add nsw i64 %i.3, 1
  %t.434 = icmp slt i64 %t.433, 9
  br i1 %t.434, label %loop.1, label %done.2, !llvm.loop !11
done.2:
  ret void
}

define void @"convolution.call"(ptr %slots) #0 {
  %s0 = getelementptr i64, ptr %slots, i64 0
  %v0 = load ptr, ptr %s0, align 8
  %s1 = getelementptr i64, ptr %slots, i64 1
  %v1 = load ptr, ptr %s1, align 8
  %s2 = getelementptr i64, ptr %slots, i64 2
  %v2 = load ptr, ptr %s2, align 8
  call void @"convolution"(ptr %v0, ptr %v1, ptr %v2)
  ret void
}

attributes #0 = { nounwind mustprogress "target-cpu"="x86-64-v4" "target-features"="" "prefer-vector-width"="512" }
!0 = !{}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = !{!"llvm.loop.align", i32 64}
!4 = distinct !{!4, !1, !2, !3}
!5 = distinct !{!5, !1, !2}
!6 = distinct !{!6, !1, !2}
!7 = distinct !{!7, !1, !2, !3}
!8 = distinct !{!8, !1, !2}
!9 = distinct !{!9, !1, !2}
!10 = distinct !{!10, !1, !2}
!11 = distinct !{!11, !1, !2}
