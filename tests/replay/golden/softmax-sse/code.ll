target triple = "x86_64-unknown-linux-gnu"

define void @"softmax"(ptr noalias nocapture noundef readonly align 4 %"a.X", ptr noalias nocapture noundef align 4 %"a.P") #0 {
entry:
  %kept.343 = alloca i32
  %local.1 = alloca [12 x float], align 64
  %local.2 = alloca [12 x float], align 64
  %local.3 = alloca [12 x float], align 64
  store <4 x float> splat (float 0xFFF0000000000000), ptr %local.1, align 4
  %x.4 = getelementptr float, ptr %local.1, i64 4
  store <4 x float> splat (float 0xFFF0000000000000), ptr %x.4, align 4
  %x.5 = getelementptr float, ptr %local.1, i64 8
  store <4 x float> splat (float 0xFFF0000000000000), ptr %x.5, align 4
  %t.6 = load float, ptr %local.1, align 4
  %x.7 = getelementptr float, ptr %local.1, i64 1
  %t.8 = load float, ptr %x.7, align 4
  %x.9 = getelementptr float, ptr %local.1, i64 2
  %t.10 = load float, ptr %x.9, align 4
  %x.11 = getelementptr float, ptr %local.1, i64 3
  %t.12 = load float, ptr %x.11, align 4
  %t.13 = load float, ptr %x.4, align 4
  %x.14 = getelementptr float, ptr %local.1, i64 5
  %t.15 = load float, ptr %x.14, align 4
  %x.16 = getelementptr float, ptr %local.1, i64 6
  %t.17 = load float, ptr %x.16, align 4
  %x.18 = getelementptr float, ptr %local.1, i64 7
  %t.19 = load float, ptr %x.18, align 4
  %t.20 = load float, ptr %x.5, align 4
  %x.21 = getelementptr float, ptr %local.1, i64 9
  %t.22 = load float, ptr %x.21, align 4
  %x.23 = getelementptr float, ptr %local.1, i64 10
  %t.24 = load float, ptr %x.23, align 4
  %x.25 = getelementptr float, ptr %local.1, i64 11
  %t.26 = load float, ptr %x.25, align 4
  br label %loop.27
loop.27:
  %i.29 = phi i64 [ 0, %entry ], [ %t.90, %loop.27 ]
  %carried.30 = phi float [ %t.6, %entry ], [ %t.45, %loop.27 ]
  %carried.31 = phi float [ %t.8, %entry ], [ %t.49, %loop.27 ]
  %carried.32 = phi float [ %t.10, %entry ], [ %t.53, %loop.27 ]
  %carried.33 = phi float [ %t.12, %entry ], [ %t.57, %loop.27 ]
  %carried.34 = phi float [ %t.13, %entry ], [ %t.61, %loop.27 ]
  %carried.35 = phi float [ %t.15, %entry ], [ %t.65, %loop.27 ]
  %carried.36 = phi float [ %t.17, %entry ], [ %t.69, %loop.27 ]
  %carried.37 = phi float [ %t.19, %entry ], [ %t.73, %loop.27 ]
  %carried.38 = phi float [ %t.20, %entry ], [ %t.77, %loop.27 ]
  %carried.39 = phi float [ %t.22, %entry ], [ %t.81, %loop.27 ]
  %carried.40 = phi float [ %t.24, %entry ], [ %t.85, %loop.27 ]
  %carried.41 = phi float [ %t.26, %entry ], [ %t.89, %loop.27 ]
  %x.42 = getelementptr float, ptr %"a.X", i64 %i.29
  %t.43 = load float, ptr %x.42, align 4, !invariant.load !0
  %t.44 = fcmp ogt float %t.43, %carried.30
  %t.45 = select i1 %t.44, float %t.43, float %carried.30
  %x.46 = getelementptr float, ptr %x.42, i64 50
  %t.47 = load float, ptr %x.46, align 4, !invariant.load !0
  %t.48 = fcmp ogt float %t.47, %carried.31
  %t.49 = select i1 %t.48, float %t.47, float %carried.31
  %x.50 = getelementptr float, ptr %x.42, i64 100
  %t.51 = load float, ptr %x.50, align 4, !invariant.load !0
  %t.52 = fcmp ogt float %t.51, %carried.32
  %t.53 = select i1 %t.52, float %t.51, float %carried.32
  %x.54 = getelementptr float, ptr %x.42, i64 150
  %t.55 = load float, ptr %x.54, align 4, !invariant.load !0
  %t.56 = fcmp ogt float %t.55, %carried.33
  %t.57 = select i1 %t.56, float %t.55, float %carried.33
  %x.58 = getelementptr float, ptr %x.42, i64 200
  %t.59 = load float, ptr %x.58, align 4, !invariant.load !0
  %t.60 = fcmp ogt float %t.59, %carried.34
  %t.61 = select i1 %t.60, float %t.59, float %carried.34
  %x.62 = getelementptr float, ptr %x.42, i64 250
  %t.63 = load float, ptr %x.62, align 4, !invariant.load !0
  %t.64 = fcmp ogt float %t.63, %carried.35
  %t.65 = select i1 %t.64, float %t.63, float %carried.35
  %x.66 = getelementptr float, ptr %x.42, i64 300
  %t.67 = load float, ptr %x.66, align 4, !invariant.load !0
  %t.68 = fcmp ogt float %t.67, %carried.36
  %t.69 = select i1 %t.68, float %t.67, float %carried.36
  %x.70 = getelementptr float, ptr %x.42, i64 350
  %t.71 = load float, ptr %x.70, align 4, !invariant.load !0
  %t.72 = fcmp ogt float %t.71, %carried.37
  %t.73 = select i1 %t.72, float %t.71, float %carried.37
  %x.74 = getelementptr float, ptr %x.42, i64 400
  %t.75 = load float, ptr %x.74, align 4, !invariant.load !0
  %t.76 = fcmp ogt float %t.75, %carried.38
  %t.77 = select i1 %t.76, float %t.75, float %carried.38
  %x.78 = getelementptr float, ptr %x.42, i64 450
  %t.79 = load float, ptr %x.78, align 4, !invariant.load !0
  %t.80 = fcmp ogt float %t.79, %carried.39
  %t.81 = select i1 %t.80, float %t.79, float %carried.39
  %x.82 = getelementptr float, ptr %x.42, i64 500
  %t.83 = load float, ptr %x.82, align 4, !invariant.load !0
  %t.84 = fcmp ogt float %t.83, %carried.40
  %t.85 = select i1 %t.84, float %t.83, float %carried.40
  %x.86 = getelementptr float, ptr %x.42, i64 550
  %t.87 = load float, ptr %x.86, align 4, !invariant.load !0
  %t.88 = fcmp ogt float %t.87, %carried.41
  %t.89 = select i1 %t.88, float %t.87, float %carried.41
  %t.90 = add nsw i64 %i.29, 1
  %t.91 = icmp slt i64 %t.90, 50
  br i1 %t.91, label %loop.27, label %done.28, !llvm.loop !4
done.28:
  %t.92 = phi float [ %t.45, %loop.27 ]
  %t.93 = phi float [ %t.49, %loop.27 ]
  %t.94 = phi float [ %t.53, %loop.27 ]
  %t.95 = phi float [ %t.57, %loop.27 ]
  %t.96 = phi float [ %t.61, %loop.27 ]
  %t.97 = phi float [ %t.65, %loop.27 ]
  %t.98 = phi float [ %t.69, %loop.27 ]
  %t.99 = phi float [ %t.73, %loop.27 ]
  %t.100 = phi float [ %t.77, %loop.27 ]
  %t.101 = phi float [ %t.81, %loop.27 ]
  %t.102 = phi float [ %t.85, %loop.27 ]
  %t.103 = phi float [ %t.89, %loop.27 ]
  store float %t.92, ptr %local.1, align 4
  store float %t.93, ptr %x.7, align 4
  store float %t.94, ptr %x.9, align 4
  store float %t.95, ptr %x.11, align 4
  store float %t.96, ptr %x.4, align 4
  store float %t.97, ptr %x.14, align 4
  store float %t.98, ptr %x.16, align 4
  store float %t.99, ptr %x.18, align 4
  store float %t.100, ptr %x.5, align 4
  store float %t.101, ptr %x.21, align 4
  store float %t.102, ptr %x.23, align 4
  store float %t.103, ptr %x.25, align 4
  store <4 x float> splat (float 0xFFF0000000000000), ptr %local.2, align 4
  %x.104 = getelementptr float, ptr %local.2, i64 4
  store <4 x float> splat (float 0xFFF0000000000000), ptr %x.104, align 4
  %x.105 = getelementptr float, ptr %local.2, i64 8
  store <4 x float> splat (float 0xFFF0000000000000), ptr %x.105, align 4
  %t.106 = load float, ptr %local.2, align 4
  %x.107 = getelementptr float, ptr %local.2, i64 1
  %t.108 = load float, ptr %x.107, align 4
  %x.109 = getelementptr float, ptr %local.2, i64 2
  %t.110 = load float, ptr %x.109, align 4
  %x.111 = getelementptr float, ptr %local.2, i64 3
  %t.112 = load float, ptr %x.111, align 4
  %t.113 = load float, ptr %x.104, align 4
  %x.114 = getelementptr float, ptr %local.2, i64 5
  %t.115 = load float, ptr %x.114, align 4
  %x.116 = getelementptr float, ptr %local.2, i64 6
  %t.117 = load float, ptr %x.116, align 4
  %x.118 = getelementptr float, ptr %local.2, i64 7
  %t.119 = load float, ptr %x.118, align 4
  %t.120 = load float, ptr %x.105, align 4
  %x.121 = getelementptr float, ptr %local.2, i64 9
  %t.122 = load float, ptr %x.121, align 4
  %x.123 = getelementptr float, ptr %local.2, i64 10
  %t.124 = load float, ptr %x.123, align 4
  %x.125 = getelementptr float, ptr %local.2, i64 11
  %t.126 = load float, ptr %x.125, align 4
  br label %loop.127
loop.127:
  %i.129 = phi i64 [ 0, %done.28 ], [ %t.190, %loop.127 ]
  %carried.130 = phi float [ %t.106, %done.28 ], [ %t.145, %loop.127 ]
  %carried.131 = phi float [ %t.108, %done.28 ], [ %t.149, %loop.127 ]
  %carried.132 = phi float [ %t.110, %done.28 ], [ %t.153, %loop.127 ]
  %carried.133 = phi float [ %t.112, %done.28 ], [ %t.157, %loop.127 ]
  %carried.134 = phi float [ %t.113, %done.28 ], [ %t.161, %loop.127 ]
  %carried.135 = phi float [ %t.115, %done.28 ], [ %t.165, %loop.127 ]
  %carried.136 = phi float [ %t.117, %done.28 ], [ %t.169, %loop.127 ]
  %carried.137 = phi float [ %t.119, %done.28 ], [ %t.173, %loop.127 ]
  %carried.138 = phi float [ %t.120, %done.28 ], [ %t.177, %loop.127 ]
  %carried.139 = phi float [ %t.122, %done.28 ], [ %t.181, %loop.127 ]
  %carried.140 = phi float [ %t.124, %done.28 ], [ %t.185, %loop.127 ]
  %carried.141 = phi float [ %t.126, %done.28 ], [ %t.189, %loop.127 ]
  %x.142 = getelementptr float, ptr %"a.X", i64 %i.129
  %t.143 = load float, ptr %x.142, align 4, !invariant.load !0
  %t.144 = fcmp ogt float %t.143, %carried.130
  %t.145 = select i1 %t.144, float %t.143, float %carried.130
  %x.146 = getelementptr float, ptr %x.142, i64 50
  %t.147 = load float, ptr %x.146, align 4, !invariant.load !0
  %t.148 = fcmp ogt float %t.147, %carried.131
  %t.149 = select i1 %t.148, float %t.147, float %carried.131
  %x.150 = getelementptr float, ptr %x.142, i64 100
  %t.151 = load float, ptr %x.150, align 4, !invariant.load !0
  %t.152 = fcmp ogt float %t.151, %carried.132
  %t.153 = select i1 %t.152, float %t.151, float %carried.132
  %x.154 = getelementptr float, ptr %x.142, i64 150
  %t.155 = load float, ptr %x.154, align 4, !invariant.load !0
  %t.156 = fcmp ogt float %t.155, %carried.133
  %t.157 = select i1 %t.156, float %t.155, float %carried.133
  %x.158 = getelementptr float, ptr %x.142, i64 200
  %t.159 = load float, ptr %x.158, align 4, !invariant.load !0
  %t.160 = fcmp ogt float %t.159, %carried.134
  %t.161 = select i1 %t.160, float %t.159, float %carried.134
  %x.162 = getelementptr float, ptr %x.142, i64 250
  %t.163 = load float, ptr %x.162, align 4, !invariant.load !0
  %t.164 = fcmp ogt float %t.163, %carried.135
  %t.165 = select i1 %t.164, float %t.163, float %carried.135
  %x.166 = getelementptr float, ptr %x.142, i64 300
  %t.167 = load float, ptr %x.166, align 4, !invariant.load !0
  %t.168 = fcmp ogt float %t.167, %carried.136
  %t.169 = select i1 %t.168, float %t.167, float %carried.136
  %x.170 = getelementptr float, ptr %x.142, i64 350
  %t.171 = load float, ptr %x.170, align 4, !invariant.load !0
  %t.172 = fcmp ogt float %t.171, %carried.137
  %t.173 = select i1 %t.172, float %t.171, float %carried.137
  %x.174 = getelementptr float, ptr %x.142, i64 400
  %t.175 = load float, ptr %x.174, align 4, !invariant.load !0
  %t.176 = fcmp ogt float %t.175, %carried.138
  %t.177 = select i1 %t.176, float %t.175, float %carried.138
  %x.178 = getelementptr float, ptr %x.142, i64 450
  %t.179 = load float, ptr %x.178, align 4, !invariant.load !0
  %t.180 = fcmp ogt float %t.179, %carried.139
  %t.181 = select i1 %t.180, float %t.179, float %carried.139
  %x.182 = getelementptr float, ptr %x.142, i64 500
  %t.183 = load float, ptr %x.182, align 4, !invariant.load !0
  %t.184 = fcmp ogt float %t.183, %carried.140
  %t.185 = select i1 %t.184, float %t.183, float %carried.140
  %x.186 = getelementptr float, ptr %x.142, i64 550
  %t.187 = load float, ptr %x.186, align 4, !invariant.load !0
  %t.188 = fcmp ogt float %t.187, %carried.141
  %t.189 = select i1 %t.188, float %t.187, float %carried.141
  %t.190 = add nsw i64 %i.129, 1
  %t.191 = icmp slt i64 %t.190, 50
  br i1 %t.191, label %loop.127, label %done.128, !llvm.loop !5
done.128:
  %t.192 = phi float [ %t.145, %loop.127 ]
  %t.193 = phi float [ %t.149, %loop.127 ]
  %t.194 = phi float [ %t.153, %loop.127 ]
  %t.195 = phi float [ %t.157, %loop.127 ]
  %t.196 = phi float [ %t.161, %loop.127 ]
  %t.197 = phi float [ %t.165, %loop.127 ]
  %t.198 = phi float [ %t.169, %loop.127 ]
  %t.199 = phi float [ %t.173, %loop.127 ]
  %t.200 = phi float [ %t.177, %loop.127 ]
  %t.201 = phi float [ %t.181, %loop.127 ]
  %t.202 = phi float [ %t.185, %loop.127 ]
  %t.203 = phi float [ %t.189, %loop.127 ]
  store float %t.192, ptr %local.2, align 4
  store float %t.193, ptr %x.107, align 4
  store float %t.194, ptr %x.109, align 4
  store float %t.195, ptr %x.111, align 4
  store float %t.196, ptr %x.104, align 4
  store float %t.197, ptr %x.114, align 4
  store float %t.198, ptr %x.116, align 4
  store float %t.199, ptr %x.118, align 4
  store float %t.200, ptr %x.105, align 4
  store float %t.201, ptr %x.121, align 4
  store float %t.202, ptr %x.123, align 4
  store float %t.203, ptr %x.125, align 4
  %t.204 = load <4 x float>, ptr %local.2, align 4
  %t.205 = load <4 x float>, ptr %x.104, align 4
  %t.206 = load <4 x float>, ptr %x.105, align 4
  br label %loop.207
loop.207:
  %i.209 = phi i64 [ 0, %done.128 ], [ %t.291, %loop.207 ]
  %carried.210 = phi <4 x float> [ splat (float 0x0000000000000000), %done.128 ], [ %t.238, %loop.207 ]
  %carried.211 = phi <4 x float> [ splat (float 0x0000000000000000), %done.128 ], [ %t.264, %loop.207 ]
  %carried.212 = phi <4 x float> [ splat (float 0x0000000000000000), %done.128 ], [ %t.290, %loop.207 ]
  %x.213 = getelementptr float, ptr %"a.X", i64 %i.209
  %x.214 = getelementptr float, ptr %x.213, i64 50
  %x.215 = getelementptr float, ptr %x.213, i64 100
  %x.216 = getelementptr float, ptr %x.213, i64 150
  %t.217 = load float, ptr %x.213, align 4, !invariant.load !0
  %t.218 = insertelement <4 x float> poison, float %t.217, i64 0
  %t.219 = load float, ptr %x.214, align 4, !invariant.load !0
  %t.220 = insertelement <4 x float> %t.218, float %t.219, i64 1
  %t.221 = load float, ptr %x.215, align 4, !invariant.load !0
  %t.222 = insertelement <4 x float> %t.220, float %t.221, i64 2
  %t.223 = load float, ptr %x.216, align 4, !invariant.load !0
  %t.224 = insertelement <4 x float> %t.222, float %t.223, i64 3
  %t.225 = fsub <4 x float> %t.224, %t.204
  %t.226 = extractelement <4 x float> %t.225, i64 0
  %t.227 = call float @expf(float %t.226) nobuiltin
  %t.228 = insertelement <4 x float> poison, float %t.227, i64 0
  %t.229 = extractelement <4 x float> %t.225, i64 1
  %t.230 = call float @expf(float %t.229) nobuiltin
  %t.231 = insertelement <4 x float> %t.228, float %t.230, i64 1
  %t.232 = extractelement <4 x float> %t.225, i64 2
  %t.233 = call float @expf(float %t.232) nobuiltin
  %t.234 = insertelement <4 x float> %t.231, float %t.233, i64 2
  %t.235 = extractelement <4 x float> %t.225, i64 3
  %t.236 = call float @expf(float %t.235) nobuiltin
  %t.237 = insertelement <4 x float> %t.234, float %t.236, i64 3
  %t.238 = fadd <4 x float> %carried.210, %t.237
  %x.239 = getelementptr float, ptr %x.213, i64 200
  %x.240 = getelementptr float, ptr %x.239, i64 50
  %x.241 = getelementptr float, ptr %x.239, i64 100
  %x.242 = getelementptr float, ptr %x.239, i64 150
  %t.243 = load float, ptr %x.239, align 4, !invariant.load !0
  %t.244 = insertelement <4 x float> poison, float %t.243, i64 0
  %t.245 = load float, ptr %x.240, align 4, !invariant.load !0
  %t.246 = insertelement <4 x float> %t.244, float %t.245, i64 1
  %t.247 = load float, ptr %x.241, align 4, !invariant.load !0
  %t.248 = insertelement <4 x float> %t.246, float %t.247, i64 2
  %t.249 = load float, ptr %x.242, align 4, !invariant.load !0
  %t.250 = insertelement <4 x float> %t.248, float %t.249, i64 3
  %t.251 = fsub <4 x float> %t.250, %t.205
  %t.252 = extractelement <4 x float> %t.251, i64 0
  %t.253 = call float @expf(float %t.252) nobuiltin
  %t.254 = insertelement <4 x float> poison, float %t.253, i64 0
  %t.255 = extractelement <4 x float> %t.251, i64 1
  %t.256 = call float @expf(float %t.255) nobuiltin
  %t.257 = insertelement <4 x float> %t.254, float %t.256, i64 1
  %t.258 = extractelement <4 x float> %t.251, i64 2
  %t.259 = call float @expf(float %t.258) nobuiltin
  %t.260 = insertelement <4 x float> %t.257, float %t.259, i64 2
  %t.261 = extractelement <4 x float> %t.251, i64 3
  %t.262 = call float @expf(float %t.261) nobuiltin
  %t.263 = insertelement <4 x float> %t.260, float %t.262, i64 3
  %t.264 = fadd <4 x float> %carried.211, %t.263
  %x.265 = getelementptr float, ptr %x.213, i64 400
  %x.266 = getelementptr float, ptr %x.265, i64 50
  %x.267 = getelementptr float, ptr %x.265, i64 100
  %x.268 = getelementptr float, ptr %x.265, i64 150
  %t.269 = load float, ptr %x.265, align 4, !invariant.load !0
  %t.270 = insertelement <4 x float> poison, float %t.269, i64 0
  %t.271 = load float, ptr %x.266, align 4, !invariant.load !0
  %t.272 = insertelement <4 x float> %t.270, float %t.271, i64 1
  %t.273 = load float, ptr %x.267, align 4, !invariant.load !0
  %t.274 = insertelement <4 x float> %t.272, float %t.273, i64 2
  %t.275 = load float, ptr %x.268, align 4, !invariant.load !0
  %t.276 = insertelement <4 x float> %t.274, float %t.275, i64 3
  %t.277 = fsub <4 x float> %t.276, %t.206
  %t.278 = extractelement <4 x float> %t.277, i64 0
  %t.279 = call float @expf(float %t.278) nobuiltin
  %t.280 = insertelement <4 x float> poison, float %t.279, i64 0
  %t.281 = extractelement <4 x float> %t.277, i64 1
  %t.282 = call float @expf(float %t.281) nobuiltin
  %t.283 = insertelement <4 x float> %t.280, float %t.282, i64 1
  %t.284 = extractelement <4 x float> %t.277, i64 2
  %t.285 = call float @expf(float %t.284) nobuiltin
  %t.286 = insertelement <4 x float> %t.283, float %t.285, i64 2
  %t.287 = extractelement <4 x float> %t.277, i64 3
  %t.288 = call float @expf(float %t.287) nobuiltin
  %t.289 = insertelement <4 x float> %t.286, float %t.288, i64 3
  %t.290 = fadd <4 x float> %carried.212, %t.289
  %t.291 = add nsw i64 %i.209, 1
  %t.292 = icmp slt i64 %t.291, 50
  br i1 %t.292, label %loop.207, label %done.208, !llvm.loop !6
done.208:
  %t.293 = phi <4 x float> [ %t.238, %loop.207 ]
  %t.294 = phi <4 x float> [ %t.264, %loop.207 ]
  %t.295 = phi <4 x float> [ %t.290, %loop.207 ]
  store <4 x float> %t.293, ptr %local.3, align 4
  %x.296 = getelementptr float, ptr %local.3, i64 4
  store <4 x float> %t.294, ptr %x.296, align 4
  %x.297 = getelementptr float, ptr %local.3, i64 8
  store <4 x float> %t.295, ptr %x.297, align 4
  %x.334 = mul nsw i64 48, -1
  %x.335 = icmp sge i64 %x.334, -49
  %x.339 = getelementptr float, ptr %"a.X", i64 48
  %x.341 = add nsw i64 %x.334, 50
  %x.342 = trunc i64 %x.341 to i32
  store i32 %x.342, ptr %kept.343
  %x.363 = getelementptr float, ptr %"a.P", i64 48
  br label %loop.298
loop.298:
  %i.300 = phi i64 [ 0, %done.208 ], [ %t.365, %done.338 ]
  %x.301 = getelementptr float, ptr %local.1, i64 %i.300
  %t.302 = load float, ptr %x.301, align 4
  %x.303 = insertelement <4 x float> poison, float %t.302, i64 0
  %x.304 = shufflevector <4 x float> %x.303, <4 x float> poison, <4 x i32> zeroinitializer
  %x.305 = getelementptr float, ptr %local.3, i64 %i.300
  %t.306 = load float, ptr %x.305, align 4
  %x.307 = insertelement <4 x float> poison, float %t.306, i64 0
  %x.308 = shufflevector <4 x float> %x.307, <4 x float> poison, <4 x i32> zeroinitializer
  %x.312 = mul nsw i64 %i.300, 50
  %x.313 = getelementptr float, ptr %"a.X", i64 %x.312
  %x.330 = getelementptr float, ptr %"a.P", i64 %x.312
  br label %loop.309
loop.309:
  %i.311 = phi i64 [ 0, %loop.298 ], [ %t.332, %loop.309 ]
  %x.314 = getelementptr float, ptr %x.313, i64 %i.311
  %t.315 = load <4 x float>, ptr %x.314, align 4, !invariant.load !0
  %t.316 = fsub <4 x float> %t.315, %x.304
  %t.317 = extractelement <4 x float> %t.316, i64 0
  %t.318 = call float @expf(float %t.317) nobuiltin
  %t.319 = insertelement <4 x float> poison, float %t.318, i64 0
  %t.320 = extractelement <4 x float> %t.316, i64 1
  %t.321 = call float @expf(float %t.320) nobuiltin
  %t.322 = insertelement <4 x float> %t.319, float %t.321, i64 1
  %t.323 = extractelement <4 x float> %t.316, i64 2
  %t.324 = call float @expf(float %t.323) nobuiltin
  %t.325 = insertelement <4 x float> %t.322, float %t.324, i64 2
  %t.326 = extractelement <4 x float> %t.316, i64 3
  %t.327 = call float @expf(float %t.326) nobuiltin
  %t.328 = insertelement <4 x float> %t.325, float %t.327, i64 3
  %t.329 = fdiv <4 x float> %t.328, %x.308
  %x.331 = getelementptr float, ptr %x.330, i64 %i.311
  store <4 x float> %t.329, ptr %x.331, align 4
  %t.332 = add nsw i64 %i.311, 4
  %t.333 = icmp slt i64 %t.332, 47
  br i1 %t.333, label %loop.309, label %done.310, !llvm.loop !7
done.310:
  %x.340 = getelementptr float, ptr %x.339, i64 %x.312
  %x.364 = getelementptr float, ptr %x.363, i64 %x.312
  br i1 %x.335, label %then.336, label %done.338
then.336:
  %x.344 = load volatile i32, ptr %kept.343
  %x.345 = insertelement <4 x i32> poison, i32 %x.344, i64 0
  %x.346 = shufflevector <4 x i32> %x.345, <4 x i32> poison, <4 x i32> zeroinitializer
  %x.347 = icmp slt <4 x i32> <i32 0, i32 1, i32 2, i32 3>, %x.346
  %t.348 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %x.340, <4 x i1> %x.347, <4 x float> zeroinitializer)
  %t.349 = fsub <4 x float> %t.348, %x.304
  %t.350 = extractelement <4 x float> %t.349, i64 0
  %t.351 = call float @expf(float %t.350) nobuiltin
  %t.352 = insertelement <4 x float> poison, float %t.351, i64 0
  %t.353 = extractelement <4 x float> %t.349, i64 1
  %t.354 = call float @expf(float %t.353) nobuiltin
  %t.355 = insertelement <4 x float> %t.352, float %t.354, i64 1
  %t.356 = extractelement <4 x float> %t.349, i64 2
  %t.357 = call float @expf(float %t.356) nobuiltin
  %t.358 = insertelement <4 x float> %t.355, float %t.357, i64 2
  %t.359 = extractelement <4 x float> %t.349, i64 3
  %t.360 = call float @expf(float %t.359) nobuiltin
  %t.361 = insertelement <4 x float> %t.358, float %t.360, i64 3
  %t.362 = fdiv <4 x float> %t.361, %x.308
  call void @llvm.masked.store.v4f32.p0(<4 x float> %t.362, ptr align 4 %x.364, <4 x i1> %x.347)
  br label %done.338
done.338:
  %t.365 = add nsw i64 %i.300, 1
  %t.366 = icmp slt i64 %t.365, 12
  br i1 %t.366, label %loop.298, label %done.299, !llvm.loop !8
done.299:
  ret void
}

define void @"softmax.call"(ptr %slots) #0 {
  %s0 = getelementptr i64, ptr %slots, i64 0
  %v0 = load ptr, ptr %s0, align 8
  %s1 = getelementptr i64, ptr %slots, i64 1
  %v1 = load ptr, ptr %s1, align 8
  call void @"softmax"(ptr %v0, ptr %v1)
  ret void
}

declare float @expf(float) nounwind
attributes #0 = { nounwind mustprogress "target-cpu"="x86-64-v2" "target-features"="" "prefer-vector-width"="128" }
!0 = !{}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = !{!"llvm.loop.align", i32 64}
!4 = distinct !{!4, !1, !2, !3}
!5 = distinct !{!5, !1, !2, !3}
!6 = distinct !{!6, !1, !2, !3}
!7 = distinct !{!7, !1, !2, !3}
!8 = distinct !{!8, !1, !2}
