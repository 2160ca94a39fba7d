target triple = "aarch64-unknown-linux-gnu"

define void @"layer"(ptr noalias nocapture noundef readonly align 4 %"a.X", ptr noalias nocapture noundef readonly align 4 %"a.W", ptr noalias nocapture noundef readonly align 4 %"a.b", ptr noalias nocapture noundef align 4 %"a.H") #0 {
entry:
  br label %loop.1
loop.1:
  %i.3 = phi i64 [ 0, %entry ], [ %t.321, %done.5 ]
  %x.38 = mul nsw i64 %i.3, 8
  %x.39 = getelementptr float, ptr %"a.W", i64 %x.38
  %x.217 = getelementptr float, ptr %"a.b", i64 %x.38
  %x.222 = getelementptr float, ptr %"a.H", i64 %x.38
  %x.225 = getelementptr float, ptr %x.217, i64 4
  br label %loop.4
loop.4:
  %i.6 = phi i64 [ 0, %loop.1 ], [ %t.319, %done.8 ]
  %x.34 = mul nsw i64 %i.6, 384
  %x.35 = getelementptr float, ptr %"a.X", i64 %x.34
  br label %loop.7
loop.7:
  %i.9 = phi i64 [ 0, %loop.4 ], [ %t.191, %loop.7 ]
  %carried.10 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.121, %loop.7 ]
  %carried.11 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.124, %loop.7 ]
  %carried.12 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.129, %loop.7 ]
  %carried.13 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.130, %loop.7 ]
  %carried.14 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.135, %loop.7 ]
  %carried.15 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.136, %loop.7 ]
  %carried.16 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.141, %loop.7 ]
  %carried.17 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.142, %loop.7 ]
  %carried.18 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.147, %loop.7 ]
  %carried.19 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.148, %loop.7 ]
  %carried.20 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.153, %loop.7 ]
  %carried.21 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.154, %loop.7 ]
  %carried.22 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.159, %loop.7 ]
  %carried.23 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.160, %loop.7 ]
  %carried.24 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.165, %loop.7 ]
  %carried.25 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.166, %loop.7 ]
  %carried.26 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.171, %loop.7 ]
  %carried.27 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.172, %loop.7 ]
  %carried.28 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.177, %loop.7 ]
  %carried.29 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.178, %loop.7 ]
  %carried.30 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.183, %loop.7 ]
  %carried.31 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.184, %loop.7 ]
  %carried.32 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.189, %loop.7 ]
  %carried.33 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.190, %loop.7 ]
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
  call void asm sideeffect "", ""()
  %x.115 = getelementptr float, ptr %x.36, i64 1
  %t.116 = load float, ptr %x.115, align 4, !invariant.load !0
  %x.117 = getelementptr float, ptr %x.41, i64 40
  %t.118 = load <4 x float>, ptr %x.117, align 4, !invariant.load !0
  %x.119 = insertelement <4 x float> poison, float %t.116, i64 0
  %x.120 = shufflevector <4 x float> %x.119, <4 x float> poison, <4 x i32> zeroinitializer
  %t.121 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.120, <4 x float> %t.118, <4 x float> %t.45)
  %x.122 = getelementptr float, ptr %x.41, i64 44
  %t.123 = load <4 x float>, ptr %x.122, align 4, !invariant.load !0
  %t.124 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.120, <4 x float> %t.123, <4 x float> %t.48)
  %x.125 = getelementptr float, ptr %x.36, i64 33
  %t.126 = load float, ptr %x.125, align 4, !invariant.load !0
  %x.127 = insertelement <4 x float> poison, float %t.126, i64 0
  %x.128 = shufflevector <4 x float> %x.127, <4 x float> poison, <4 x i32> zeroinitializer
  %t.129 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.128, <4 x float> %t.118, <4 x float> %t.53)
  %t.130 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.128, <4 x float> %t.123, <4 x float> %t.54)
  %x.131 = getelementptr float, ptr %x.36, i64 65
  %t.132 = load float, ptr %x.131, align 4, !invariant.load !0
  %x.133 = insertelement <4 x float> poison, float %t.132, i64 0
  %x.134 = shufflevector <4 x float> %x.133, <4 x float> poison, <4 x i32> zeroinitializer
  %t.135 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.134, <4 x float> %t.118, <4 x float> %t.59)
  %t.136 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.134, <4 x float> %t.123, <4 x float> %t.60)
  %x.137 = getelementptr float, ptr %x.36, i64 97
  %t.138 = load float, ptr %x.137, align 4, !invariant.load !0
  %x.139 = insertelement <4 x float> poison, float %t.138, i64 0
  %x.140 = shufflevector <4 x float> %x.139, <4 x float> poison, <4 x i32> zeroinitializer
  %t.141 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.140, <4 x float> %t.118, <4 x float> %t.65)
  %t.142 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.140, <4 x float> %t.123, <4 x float> %t.66)
  %x.143 = getelementptr float, ptr %x.36, i64 129
  %t.144 = load float, ptr %x.143, align 4, !invariant.load !0
  %x.145 = insertelement <4 x float> poison, float %t.144, i64 0
  %x.146 = shufflevector <4 x float> %x.145, <4 x float> poison, <4 x i32> zeroinitializer
  %t.147 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.146, <4 x float> %t.118, <4 x float> %t.71)
  %t.148 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.146, <4 x float> %t.123, <4 x float> %t.72)
  %x.149 = getelementptr float, ptr %x.36, i64 161
  %t.150 = load float, ptr %x.149, align 4, !invariant.load !0
  %x.151 = insertelement <4 x float> poison, float %t.150, i64 0
  %x.152 = shufflevector <4 x float> %x.151, <4 x float> poison, <4 x i32> zeroinitializer
  %t.153 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.152, <4 x float> %t.118, <4 x float> %t.77)
  %t.154 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.152, <4 x float> %t.123, <4 x float> %t.78)
  %x.155 = getelementptr float, ptr %x.36, i64 193
  %t.156 = load float, ptr %x.155, align 4, !invariant.load !0
  %x.157 = insertelement <4 x float> poison, float %t.156, i64 0
  %x.158 = shufflevector <4 x float> %x.157, <4 x float> poison, <4 x i32> zeroinitializer
  %t.159 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.158, <4 x float> %t.118, <4 x float> %t.83)
  %t.160 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.158, <4 x float> %t.123, <4 x float> %t.84)
  %x.161 = getelementptr float, ptr %x.36, i64 225
  %t.162 = load float, ptr %x.161, align 4, !invariant.load !0
  %x.163 = insertelement <4 x float> poison, float %t.162, i64 0
  %x.164 = shufflevector <4 x float> %x.163, <4 x float> poison, <4 x i32> zeroinitializer
  %t.165 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.164, <4 x float> %t.118, <4 x float> %t.89)
  %t.166 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.164, <4 x float> %t.123, <4 x float> %t.90)
  %x.167 = getelementptr float, ptr %x.36, i64 257
  %t.168 = load float, ptr %x.167, align 4, !invariant.load !0
  %x.169 = insertelement <4 x float> poison, float %t.168, i64 0
  %x.170 = shufflevector <4 x float> %x.169, <4 x float> poison, <4 x i32> zeroinitializer
  %t.171 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.170, <4 x float> %t.118, <4 x float> %t.95)
  %t.172 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.170, <4 x float> %t.123, <4 x float> %t.96)
  %x.173 = getelementptr float, ptr %x.36, i64 289
  %t.174 = load float, ptr %x.173, align 4, !invariant.load !0
  %x.175 = insertelement <4 x float> poison, float %t.174, i64 0
  %x.176 = shufflevector <4 x float> %x.175, <4 x float> poison, <4 x i32> zeroinitializer
  %t.177 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.176, <4 x float> %t.118, <4 x float> %t.101)
  %t.178 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.176, <4 x float> %t.123, <4 x float> %t.102)
  %x.179 = getelementptr float, ptr %x.36, i64 321
  %t.180 = load float, ptr %x.179, align 4, !invariant.load !0
  %x.181 = insertelement <4 x float> poison, float %t.180, i64 0
  %x.182 = shufflevector <4 x float> %x.181, <4 x float> poison, <4 x i32> zeroinitializer
  %t.183 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.182, <4 x float> %t.118, <4 x float> %t.107)
  %t.184 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.182, <4 x float> %t.123, <4 x float> %t.108)
  %x.185 = getelementptr float, ptr %x.36, i64 353
  %t.186 = load float, ptr %x.185, align 4, !invariant.load !0
  %x.187 = insertelement <4 x float> poison, float %t.186, i64 0
  %x.188 = shufflevector <4 x float> %x.187, <4 x float> poison, <4 x i32> zeroinitializer
  %t.189 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.188, <4 x float> %t.118, <4 x float> %t.113)
  %t.190 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.188, <4 x float> %t.123, <4 x float> %t.114)
  %t.191 = add nsw i64 %i.9, 2
  %t.192 = icmp slt i64 %t.191, 32
  br i1 %t.192, label %loop.7, label %done.8, !llvm.loop !4
done.8:
  %t.193 = phi <4 x float> [ %t.121, %loop.7 ]
  %t.194 = phi <4 x float> [ %t.124, %loop.7 ]
  %t.195 = phi <4 x float> [ %t.129, %loop.7 ]
  %t.196 = phi <4 x float> [ %t.130, %loop.7 ]
  %t.197 = phi <4 x float> [ %t.135, %loop.7 ]
  %t.198 = phi <4 x float> [ %t.136, %loop.7 ]
  %t.199 = phi <4 x float> [ %t.141, %loop.7 ]
  %t.200 = phi <4 x float> [ %t.142, %loop.7 ]
  %t.201 = phi <4 x float> [ %t.147, %loop.7 ]
  %t.202 = phi <4 x float> [ %t.148, %loop.7 ]
  %t.203 = phi <4 x float> [ %t.153, %loop.7 ]
  %t.204 = phi <4 x float> [ %t.154, %loop.7 ]
  %t.205 = phi <4 x float> [ %t.159, %loop.7 ]
  %t.206 = phi <4 x float> [ %t.160, %loop.7 ]
  %t.207 = phi <4 x float> [ %t.165, %loop.7 ]
  %t.208 = phi <4 x float> [ %t.166, %loop.7 ]
  %t.209 = phi <4 x float> [ %t.171, %loop.7 ]
  %t.210 = phi <4 x float> [ %t.172, %loop.7 ]
  %t.211 = phi <4 x float> [ %t.177, %loop.7 ]
  %t.212 = phi <4 x float> [ %t.178, %loop.7 ]
  %t.213 = phi <4 x float> [ %t.183, %loop.7 ]
  %t.214 = phi <4 x float> [ %t.184, %loop.7 ]
  %t.215 = phi <4 x float> [ %t.189, %loop.7 ]
  %t.216 = phi <4 x float> [ %t.190, %loop.7 ]
  %t.218 = load <4 x float>, ptr %x.217, align 4, !invariant.load !0
  %t.219 = fadd <4 x float> %t.193, %t.218
  %t.220 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.219
  %t.221 = select <4 x i1> %t.220, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.219
  %x.223 = mul nsw i64 %i.6, 480
  %x.224 = getelementptr float, ptr %x.222, i64 %x.223
  store <4 x float> %t.221, ptr %x.224, align 4
  %t.226 = load <4 x float>, ptr %x.225, align 4, !invariant.load !0
  %t.227 = fadd <4 x float> %t.194, %t.226
  %t.228 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.227
  %t.229 = select <4 x i1> %t.228, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.227
  %x.230 = getelementptr float, ptr %x.224, i64 4
  store <4 x float> %t.229, ptr %x.230, align 4
  %t.231 = fadd <4 x float> %t.195, %t.218
  %t.232 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.231
  %t.233 = select <4 x i1> %t.232, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.231
  %x.234 = getelementptr float, ptr %x.224, i64 40
  store <4 x float> %t.233, ptr %x.234, align 4
  %t.235 = fadd <4 x float> %t.196, %t.226
  %t.236 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.235
  %t.237 = select <4 x i1> %t.236, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.235
  %x.238 = getelementptr float, ptr %x.224, i64 44
  store <4 x float> %t.237, ptr %x.238, align 4
  %t.239 = fadd <4 x float> %t.197, %t.218
  %t.240 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.239
  %t.241 = select <4 x i1> %t.240, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.239
  %x.242 = getelementptr float, ptr %x.224, i64 80
  store <4 x float> %t.241, ptr %x.242, align 4
  %t.243 = fadd <4 x float> %t.198, %t.226
  %t.244 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.243
  %t.245 = select <4 x i1> %t.244, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.243
  %x.246 = getelementptr float, ptr %x.224, i64 84
  store <4 x float> %t.245, ptr %x.246, align 4
  %t.247 = fadd <4 x float> %t.199, %t.218
  %t.248 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.247
  %t.249 = select <4 x i1> %t.248, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.247
  %x.250 = getelementptr float, ptr %x.224, i64 120
  store <4 x float> %t.249, ptr %x.250, align 4
  %t.251 = fadd <4 x float> %t.200, %t.226
  %t.252 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.251
  %t.253 = select <4 x i1> %t.252, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.251
  %x.254 = getelementptr float, ptr %x.224, i64 124
  store <4 x float> %t.253, ptr %x.254, align 4
  %t.255 = fadd <4 x float> %t.201, %t.218
  %t.256 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.255
  %t.257 = select <4 x i1> %t.256, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.255
  %x.258 = getelementptr float, ptr %x.224, i64 160
  store <4 x float> %t.257, ptr %x.258, align 4
  %t.259 = fadd <4 x float> %t.202, %t.226
  %t.260 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.259
  %t.261 = select <4 x i1> %t.260, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.259
  %x.262 = getelementptr float, ptr %x.224, i64 164
  store <4 x float> %t.261, ptr %x.262, align 4
  %t.263 = fadd <4 x float> %t.203, %t.218
  %t.264 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.263
  %t.265 = select <4 x i1> %t.264, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.263
  %x.266 = getelementptr float, ptr %x.224, i64 200
  store <4 x float> %t.265, ptr %x.266, align 4
  %t.267 = fadd <4 x float> %t.204, %t.226
  %t.268 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.267
  %t.269 = select <4 x i1> %t.268, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.267
  %x.270 = getelementptr float, ptr %x.224, i64 204
  store <4 x float> %t.269, ptr %x.270, align 4
  %t.271 = fadd <4 x float> %t.205, %t.218
  %t.272 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.271
  %t.273 = select <4 x i1> %t.272, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.271
  %x.274 = getelementptr float, ptr %x.224, i64 240
  store <4 x float> %t.273, ptr %x.274, align 4
  %t.275 = fadd <4 x float> %t.206, %t.226
  %t.276 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.275
  %t.277 = select <4 x i1> %t.276, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.275
  %x.278 = getelementptr float, ptr %x.224, i64 244
  store <4 x float> %t.277, ptr %x.278, align 4
  %t.279 = fadd <4 x float> %t.207, %t.218
  %t.280 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.279
  %t.281 = select <4 x i1> %t.280, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.279
  %x.282 = getelementptr float, ptr %x.224, i64 280
  store <4 x float> %t.281, ptr %x.282, align 4
  %t.283 = fadd <4 x float> %t.208, %t.226
  %t.284 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.283
  %t.285 = select <4 x i1> %t.284, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.283
  %x.286 = getelementptr float, ptr %x.224, i64 284
  store <4 x float> %t.285, ptr %x.286, align 4
  %t.287 = fadd <4 x float> %t.209, %t.218
  %t.288 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.287
  %t.289 = select <4 x i1> %t.288, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.287
  %x.290 = getelementptr float, ptr %x.224, i64 320
  store <4 x float> %t.289, ptr %x.290, align 4
  %t.291 = fadd <4 x float> %t.210, %t.226
  %t.292 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.291
  %t.293 = select <4 x i1> %t.292, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.291
  %x.294 = getelementptr float, ptr %x.224, i64 324
  store <4 x float> %t.293, ptr %x.294, align 4
  %t.295 = fadd <4 x float> %t.211, %t.218
  %t.296 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.295
  %t.297 = select <4 x i1> %t.296, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.295
  %x.298 = getelementptr float, ptr %x.224, i64 360
  store <4 x float> %t.297, ptr %x.298, align 4
  %t.299 = fadd <4 x float> %t.212, %t.226
  %t.300 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.299
  %t.301 = select <4 x i1> %t.300, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.299
  %x.302 = getelementptr float, ptr %x.224, i64 364
  store <4 x float> %t.301, ptr %x.302, align 4
  %t.303 = fadd <4 x float> %t.213, %t.218
  %t.304 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.303
  %t.305 = select <4 x i1> %t.304, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.303
  %x.306 = getelementptr float, ptr %x.224, i64 400
  store <4 x float> %t.305, ptr %x.306, align 4
  %t.307 = fadd <4 x float> %t.214, %t.226
  %t.308 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.307
  %t.309 = select <4 x i1> %t.308, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.307
  %x.310 = getelementptr float, ptr %x.224, i64 404
  store <4 x float> %t.309, ptr %x.310, align 4
  %t.311 = fadd <4 x float> %t.215, %t.218
  %t.312 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.311
  %t.313 = select <4 x i1> %t.312, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.311
  %x.314 = getelementptr float, ptr %x.224, i64 440
  store <4 x float> %t.313, ptr %x.314, align 4
  %t.315 = fadd <4 x float> %t.216, %t.226
  %t.316 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.315
  %t.317 = select <4 x i1> %t.316, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.315
  %x.318 = getelementptr float, ptr %x.224, i64 444
  store <4 x float> %t.317, ptr %x.318, align 4
  %t.319 = add nsw i64 %i.6, 1
  %t.320 = icmp slt i64 %t.319, 2
  br i1 %t.320, label %loop.4, label %done.5, !llvm.loop !5
done.5:
  %t.321 = add nsw i64 %i.3, 1
  %t.322 = icmp slt i64 %t.321, 5
  br i1 %t.322, label %loop.1, label %done.2, !llvm.loop !6
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
!3 = !{!"llvm.loop.align", i32 64}
!4 = distinct !{!4, !1, !2, !3}
!5 = distinct !{!5, !1, !2}
!6 = distinct !{!6, !1, !2}
