target triple = "aarch64-unknown-linux-gnu"

define void @"layer"(ptr noalias nocapture noundef readonly align 4 %"a.X", ptr noalias nocapture noundef readonly align 4 %"a.W", ptr noalias nocapture noundef readonly align 4 %"a.b", ptr noalias nocapture noundef align 4 %"a.H") #0 {
entry:
  br label %loop.1
loop.1:
  %i.3 = phi i64 [ 0, %entry ], [ %t.245, %done.5 ]
  %x.38 = mul nsw i64 %i.3, 8
  %x.39 = getelementptr float, ptr %"a.W", i64 %x.38
  %x.141 = getelementptr float, ptr %"a.b", i64 %x.38
  %x.146 = getelementptr float, ptr %"a.H", i64 %x.38
  %x.149 = getelementptr float, ptr %x.141, i64 4
  br label %loop.4
loop.4:
  %i.6 = phi i64 [ 0, %loop.1 ], [ %t.243, %done.8 ]
  %x.34 = mul nsw i64 %i.6, 384
  %x.35 = getelementptr float, ptr %"a.X", i64 %x.34
  br label %loop.7
loop.7:
  %i.9 = phi i64 [ 0, %loop.4 ], [ %t.115, %loop.7 ]
  %carried.10 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.45, %loop.7 ]
  %carried.11 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.48, %loop.7 ]
  %carried.12 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.53, %loop.7 ]
  %carried.13 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.54, %loop.7 ]
  %carried.14 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.59, %loop.7 ]
  %carried.15 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.60, %loop.7 ]
  %carried.16 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.65, %loop.7 ]
  %carried.17 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.66, %loop.7 ]
  %carried.18 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.71, %loop.7 ]
  %carried.19 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.72, %loop.7 ]
  %carried.20 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.77, %loop.7 ]
  %carried.21 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.78, %loop.7 ]
  %carried.22 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.83, %loop.7 ]
  %carried.23 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.84, %loop.7 ]
  %carried.24 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.89, %loop.7 ]
  %carried.25 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.90, %loop.7 ]
  %carried.26 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.95, %loop.7 ]
  %carried.27 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.96, %loop.7 ]
  %carried.28 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.101, %loop.7 ]
  %carried.29 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.102, %loop.7 ]
  %carried.30 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.107, %loop.7 ]
  %carried.31 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.108, %loop.7 ]
  %carried.32 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.113, %loop.7 ]
  %carried.33 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.114, %loop.7 ]
  %x.36 = getelementptr float, ptr %x.35, i64 %i.9
  %t.37 = load float, ptr %x.36, align 4, !invariant.load !0
  %x.40 = mul nsw i64 %i.9, 40
  %x.41 = getelementptr float, ptr %x.39, i64 %x.40
  %t.42 = load <4 x float>, ptr %x.41, align 4, !invariant.load !0
  %x.43 = insertelement <4 x float> poison, float %t.37, i64 0
  %x.44 = shufflevector <4 x float> %x.43, <4 x float> poison, <4 x i32> zeroinitializer
  %t.45 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.44, <4 x float> %t.42, <4 x float> %carried.10)
  %x.46 = getelementptr float, ptr %x.41, i64 4
  %t.47 = load <4 x float>, ptr %x.46, align 4, !invariant.load !0
  %t.48 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.44, <4 x float> %t.47, <4 x float> %carried.11)
  %x.49 = getelementptr float, ptr %x.36, i64 32
  %t.50 = load float, ptr %x.49, align 4, !invariant.load !0
  %x.51 = insertelement <4 x float> poison, float %t.50, i64 0
  %x.52 = shufflevector <4 x float> %x.51, <4 x float> poison, <4 x i32> zeroinitializer
  %t.53 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.52, <4 x float> %t.42, <4 x float> %carried.12)
  %t.54 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.52, <4 x float> %t.47, <4 x float> %carried.13)
  %x.55 = getelementptr float, ptr %x.36, i64 64
  %t.56 = load float, ptr %x.55, align 4, !invariant.load !0
  %x.57 = insertelement <4 x float> poison, float %t.56, i64 0
  %x.58 = shufflevector <4 x float> %x.57, <4 x float> poison, <4 x i32> zeroinitializer
  %t.59 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.58, <4 x float> %t.42, <4 x float> %carried.14)
  %t.60 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.58, <4 x float> %t.47, <4 x float> %carried.15)
  %x.61 = getelementptr float, ptr %x.36, i64 96
  %t.62 = load float, ptr %x.61, align 4, !invariant.load !0
  %x.63 = insertelement <4 x float> poison, float %t.62, i64 0
  %x.64 = shufflevector <4 x float> %x.63, <4 x float> poison, <4 x i32> zeroinitializer
  %t.65 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.64, <4 x float> %t.42, <4 x float> %carried.16)
  %t.66 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.64, <4 x float> %t.47, <4 x float> %carried.17)
  %x.67 = getelementptr float, ptr %x.36, i64 128
  %t.68 = load float, ptr %x.67, align 4, !invariant.load !0
  %x.69 = insertelement <4 x float> poison, float %t.68, i64 0
  %x.70 = shufflevector <4 x float> %x.69, <4 x float> poison, <4 x i32> zeroinitializer
  %t.71 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.70, <4 x float> %t.42, <4 x float> %carried.18)
  %t.72 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.70, <4 x float> %t.47, <4 x float> %carried.19)
  %x.73 = getelementptr float, ptr %x.36, i64 160
  %t.74 = load float, ptr %x.73, align 4, !invariant.load !0
  %x.75 = insertelement <4 x float> poison, float %t.74, i64 0
  %x.76 = shufflevector <4 x float> %x.75, <4 x float> poison, <4 x i32> zeroinitializer
  %t.77 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.76, <4 x float> %t.42, <4 x float> %carried.20)
  %t.78 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.76, <4 x float> %t.47, <4 x float> %carried.21)
  %x.79 = getelementptr float, ptr %x.36, i64 192
  %t.80 = load float, ptr %x.79, align 4, !invariant.load !0
  %x.81 = insertelement <4 x float> poison, float %t.80, i64 0
  %x.82 = shufflevector <4 x float> %x.81, <4 x float> poison, <4 x i32> zeroinitializer
  %t.83 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.82, <4 x float> %t.42, <4 x float> %carried.22)
  %t.84 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.82, <4 x float> %t.47, <4 x float> %carried.23)
  %x.85 = getelementptr float, ptr %x.36, i64 224
  %t.86 = load float, ptr %x.85, align 4, !invariant.load !0
  %x.87 = insertelement <4 x float> poison, float %t.86, i64 0
  %x.88 = shufflevector <4 x float> %x.87, <4 x float> poison, <4 x i32> zeroinitializer
  %t.89 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.88, <4 x float> %t.42, <4 x float> %carried.24)
  %t.90 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.88, <4 x float> %t.47, <4 x float> %carried.25)
  %x.91 = getelementptr float, ptr %x.36, i64 256
  %t.92 = load float, ptr %x.91, align 4, !invariant.load !0
  %x.93 = insertelement <4 x float> poison, float %t.92, i64 0
  %x.94 = shufflevector <4 x float> %x.93, <4 x float> poison, <4 x i32> zeroinitializer
  %t.95 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.94, <4 x float> %t.42, <4 x float> %carried.26)
  %t.96 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.94, <4 x float> %t.47, <4 x float> %carried.27)
  %x.97 = getelementptr float, ptr %x.36, i64 288
  %t.98 = load float, ptr %x.97, align 4, !invariant.load !0
  %x.99 = insertelement <4 x float> poison, float %t.98, i64 0
  %x.100 = shufflevector <4 x float> %x.99, <4 x float> poison, <4 x i32> zeroinitializer
  %t.101 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.100, <4 x float> %t.42, <4 x float> %carried.28)
  %t.102 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.100, <4 x float> %t.47, <4 x float> %carried.29)
  %x.103 = getelementptr float, ptr %x.36, i64 320
  %t.104 = load float, ptr %x.103, align 4, !invariant.load !0
  %x.105 = insertelement <4 x float> poison, float %t.104, i64 0
  %x.106 = shufflevector <4 x float> %x.105, <4 x float> poison, <4 x i32> zeroinitializer
  %t.107 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.106, <4 x float> %t.42, <4 x float> %carried.30)
  %t.108 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.106, <4 x float> %t.47, <4 x float> %carried.31)
  %x.109 = getelementptr float, ptr %x.36, i64 352
  %t.110 = load float, ptr %x.109, align 4, !invariant.load !0
  %x.111 = insertelement <4 x float> poison, float %t.110, i64 0
  %x.112 = shufflevector <4 x float> %x.111, <4 x float> poison, <4 x i32> zeroinitializer
  %t.113 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.112, <4 x float> %t.42, <4 x float> %carried.32)
  %t.114 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.112, <4 x float> %t.47, <4 x float> %carried.33)
  %t.115 = add nsw i64 %i.9, 1
  %t.116 = icmp slt i64 %t.115, 32
  br i1 %t.116, label %loop.7, label %done.8, !llvm.loop !3
done.8:
  %t.117 = phi <4 x float> [ %t.45, %loop.7 ]
  %t.118 = phi <4 x float> [ %t.48, %loop.7 ]
  %t.119 = phi <4 x float> [ %t.53, %loop.7 ]
  %t.120 = phi <4 x float> [ %t.54, %loop.7 ]
  %t.121 = phi <4 x float> [ %t.59, %loop.7 ]
  %t.122 = phi <4 x float> [ %t.60, %loop.7 ]
  %t.123 = phi <4 x float> [ %t.65, %loop.7 ]
  %t.124 = phi <4 x float> [ %t.66, %loop.7 ]
  %t.125 = phi <4 x float> [ %t.71, %loop.7 ]
  %t.126 = phi <4 x float> [ %t.72, %loop.7 ]
  %t.127 = phi <4 x float> [ %t.77, %loop.7 ]
  %t.128 = phi <4 x float> [ %t.78, %loop.7 ]
  %t.129 = phi <4 x float> [ %t.83, %loop.7 ]
  %t.130 = phi <4 x float> [ %t.84, %loop.7 ]
  %t.131 = phi <4 x float> [ %t.89, %loop.7 ]
  %t.132 = phi <4 x float> [ %t.90, %loop.7 ]
  %t.133 = phi <4 x float> [ %t.95, %loop.7 ]
  %t.134 = phi <4 x float> [ %t.96, %loop.7 ]
  %t.135 = phi <4 x float> [ %t.101, %loop.7 ]
  %t.136 = phi <4 x float> [ %t.102, %loop.7 ]
  %t.137 = phi <4 x float> [ %t.107, %loop.7 ]
  %t.138 = phi <4 x float> [ %t.108, %loop.7 ]
  %t.139 = phi <4 x float> [ %t.113, %loop.7 ]
  %t.140 = phi <4 x float> [ %t.114, %loop.7 ]
  %t.142 = load <4 x float>, ptr %x.141, align 4, !invariant.load !0
  %t.143 = fadd <4 x float> %t.117, %t.142
  %t.144 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.143
  %t.145 = select <4 x i1> %t.144, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.143
  %x.147 = mul nsw i64 %i.6, 480
  %x.148 = getelementptr float, ptr %x.146, i64 %x.147
  store <4 x float> %t.145, ptr %x.148, align 4
  %t.150 = load <4 x float>, ptr %x.149, align 4, !invariant.load !0
  %t.151 = fadd <4 x float> %t.118, %t.150
  %t.152 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.151
  %t.153 = select <4 x i1> %t.152, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.151
  %x.154 = getelementptr float, ptr %x.148, i64 4
  store <4 x float> %t.153, ptr %x.154, align 4
  %t.155 = fadd <4 x float> %t.119, %t.142
  %t.156 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.155
  %t.157 = select <4 x i1> %t.156, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.155
  %x.158 = getelementptr float, ptr %x.148, i64 40
  store <4 x float> %t.157, ptr %x.158, align 4
  %t.159 = fadd <4 x float> %t.120, %t.150
  %t.160 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.159
  %t.161 = select <4 x i1> %t.160, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.159
  %x.162 = getelementptr float, ptr %x.148, i64 44
  store <4 x float> %t.161, ptr %x.162, align 4
  %t.163 = fadd <4 x float> %t.121, %t.142
  %t.164 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.163
  %t.165 = select <4 x i1> %t.164, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.163
  %x.166 = getelementptr float, ptr %x.148, i64 80
  store <4 x float> %t.165, ptr %x.166, align 4
  %t.167 = fadd <4 x float> %t.122, %t.150
  %t.168 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.167
  %t.169 = select <4 x i1> %t.168, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.167
  %x.170 = getelementptr float, ptr %x.148, i64 84
  store <4 x float> %t.169, ptr %x.170, align 4
  %t.171 = fadd <4 x float> %t.123, %t.142
  %t.172 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.171
  %t.173 = select <4 x i1> %t.172, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.171
  %x.174 = getelementptr float, ptr %x.148, i64 120
  store <4 x float> %t.173, ptr %x.174, align 4
  %t.175 = fadd <4 x float> %t.124, %t.150
  %t.176 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.175
  %t.177 = select <4 x i1> %t.176, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.175
  %x.178 = getelementptr float, ptr %x.148, i64 124
  store <4 x float> %t.177, ptr %x.178, align 4
  %t.179 = fadd <4 x float> %t.125, %t.142
  %t.180 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.179
  %t.181 = select <4 x i1> %t.180, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.179
  %x.182 = getelementptr float, ptr %x.148, i64 160
  store <4 x float> %t.181, ptr %x.182, align 4
  %t.183 = fadd <4 x float> %t.126, %t.150
  %t.184 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.183
  %t.185 = select <4 x i1> %t.184, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.183
  %x.186 = getelementptr float, ptr %x.148, i64 164
  store <4 x float> %t.185, ptr %x.186, align 4
  %t.187 = fadd <4 x float> %t.127, %t.142
  %t.188 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.187
  %t.189 = select <4 x i1> %t.188, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.187
  %x.190 = getelementptr float, ptr %x.148, i64 200
  store <4 x float> %t.189, ptr %x.190, align 4
  %t.191 = fadd <4 x float> %t.128, %t.150
  %t.192 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.191
  %t.193 = select <4 x i1> %t.192, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.191
  %x.194 = getelementptr float, ptr %x.148, i64 204
  store <4 x float> %t.193, ptr %x.194, align 4
  %t.195 = fadd <4 x float> %t.129, %t.142
  %t.196 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.195
  %t.197 = select <4 x i1> %t.196, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.195
  %x.198 = getelementptr float, ptr %x.148, i64 240
  store <4 x float> %t.197, ptr %x.198, align 4
  %t.199 = fadd <4 x float> %t.130, %t.150
  %t.200 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.199
  %t.201 = select <4 x i1> %t.200, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.199
  %x.202 = getelementptr float, ptr %x.148, i64 244
  store <4 x float> %t.201, ptr %x.202, align 4
  %t.203 = fadd <4 x float> %t.131, %t.142
  %t.204 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.203
  %t.205 = select <4 x i1> %t.204, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.203
  %x.206 = getelementptr float, ptr %x.148, i64 280
  store <4 x float> %t.205, ptr %x.206, align 4
  %t.207 = fadd <4 x float> %t.132, %t.150
  %t.208 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.207
  %t.209 = select <4 x i1> %t.208, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.207
  %x.210 = getelementptr float, ptr %x.148, i64 284
  store <4 x float> %t.209, ptr %x.210, align 4
  %t.211 = fadd <4 x float> %t.133, %t.142
  %t.212 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.211
  %t.213 = select <4 x i1> %t.212, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.211
  %x.214 = getelementptr float, ptr %x.148, i64 320
  store <4 x float> %t.213, ptr %x.214, align 4
  %t.215 = fadd <4 x float> %t.134, %t.150
  %t.216 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.215
  %t.217 = select <4 x i1> %t.216, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.215
  %x.218 = getelementptr float, ptr %x.148, i64 324
  store <4 x float> %t.217, ptr %x.218, align 4
  %t.219 = fadd <4 x float> %t.135, %t.142
  %t.220 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.219
  %t.221 = select <4 x i1> %t.220, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.219
  %x.222 = getelementptr float, ptr %x.148, i64 360
  store <4 x float> %t.221, ptr %x.222, align 4
  %t.223 = fadd <4 x float> %t.136, %t.150
  %t.224 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.223
  %t.225 = select <4 x i1> %t.224, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.223
  %x.226 = getelementptr float, ptr %x.148, i64 364
  store <4 x float> %t.225, ptr %x.226, align 4
  %t.227 = fadd <4 x float> %t.137, %t.142
  %t.228 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.227
  %t.229 = select <4 x i1> %t.228, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.227
  %x.230 = getelementptr float, ptr %x.148, i64 400
  store <4 x float> %t.229, ptr %x.230, align 4
  %t.231 = fadd <4 x float> %t.138, %t.150
  %t.232 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.231
  %t.233 = select <4 x i1> %t.232, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.231
  %x.234 = getelementptr float, ptr %x.148, i64 404
  store <4 x float> %t.233, ptr %x.234, align 4
  %t.235 = fadd <4 x float> %t.139, %t.142
  %t.236 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.235
  %t.237 = select <4 x i1> %t.236, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.235
  %x.238 = getelementptr float, ptr %x.148, i64 440
  store <4 x float> %t.237, ptr %x.238, align 4
  %t.239 = fadd <4 x float> %t.140, %t.150
  %t.240 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.239
  %t.241 = select <4 x i1> %t.240, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.239
  %x.242 = getelementptr float, ptr %x.148, i64 444
  store <4 x float> %t.241, ptr %x.242, align 4
  %t.243 = add nsw i64 %i.6, 1
  %t.244 = icmp slt i64 %t.243, 2
  br i1 %t.244, label %loop.4, label %done.5, !llvm.loop !4
done.5:
  %t.245 = add nsw i64 %i.3, 1
  %t.246 = icmp slt i64 %t.245, 5
  br i1 %t.246, label %loop.1, label %done.2, !llvm.loop !5
done.2:
  ret void
}

define void @"layer.call"(ptr %slots) #0 {
  %s0 = getelementptr i64, ptr %slots, i64 0
  %v0 = load ptr, ptr %s0, align 8
  %s1 = getelementptr i64, ptr %slots, i64 1
  %v1 = load ptr, ptr %s1, align 8
  %s2 = getelementptr i64, ptr %slots, i64 2
  %v2 = load ptr, ptr %s2, align 8
  %s3 = getelementptr i64, ptr %slots, i64 3
  %v3 = load ptr, ptr %s3, align 8
  call void @"layer"(ptr %v0, ptr %v1, ptr %v2, ptr %v3)
  ret void
}

attributes #0 = { nounwind mustprogress "target-cpu"="cortex-a76" "target-features"="" "prefer-vector-width"="128" }
!0 = !{}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = distinct !{!3, !1, !2}
!4 = distinct !{!4, !1, !2}
!5 = distinct !{!5, !1, !2}
