target triple = "x86_64-unknown-linux-gnu"

define void @"padded_stencil"(ptr noalias nocapture noundef readonly align 4 %"a.I", ptr noalias nocapture noundef align 4 %"a.S") #0 {
entry:
  %local.1 = alloca [1230 x float], align 64
  %local.2 = alloca [1230 x float], align 64
  %x.10 = trunc i64 9 to i32
  %x.11 = insertelement <16 x i32> poison, i32 %x.10, i64 0
  %x.12 = shufflevector <16 x i32> %x.11, <16 x i32> poison, <16 x i32> zeroinitializer
  %x.13 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %x.12
  br label %loop.3
loop.3:
  %i.5 = phi i64 [ 0, %entry ], [ %t.23, %loop.3 ]
  %x.6 = mul nsw i64 %i.5, 41
  %x.7 = getelementptr float, ptr %local.1, i64 %x.6
  store <16 x float> splat (float 0x0000000000000000), ptr %x.7, align 4
  %x.8 = getelementptr float, ptr %x.7, i64 16
  store <16 x float> splat (float 0x0000000000000000), ptr %x.8, align 4
  %x.9 = getelementptr float, ptr %x.7, i64 32
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr align 4 %x.9, <16 x i1> %x.13)
  call void asm sideeffect "", ""()
  %x.14 = getelementptr float, ptr %x.7, i64 41
  store <16 x float> splat (float 0x0000000000000000), ptr %x.14, align 4
  %x.15 = getelementptr float, ptr %x.7, i64 57
  store <16 x float> splat (float 0x0000000000000000), ptr %x.15, align 4
  %x.16 = getelementptr float, ptr %x.7, i64 73
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr align 4 %x.16, <16 x i1> %x.13)
  call void asm sideeffect "", ""()
  %x.17 = getelementptr float, ptr %x.7, i64 82
  store <16 x float> splat (float 0x0000000000000000), ptr %x.17, align 4
  %x.18 = getelementptr float, ptr %x.7, i64 98
  store <16 x float> splat (float 0x0000000000000000), ptr %x.18, align 4
  %x.19 = getelementptr float, ptr %x.7, i64 114
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr align 4 %x.19, <16 x i1> %x.13)
  call void asm sideeffect "", ""()
  %x.20 = getelementptr float, ptr %x.7, i64 123
  store <16 x float> splat (float 0x0000000000000000), ptr %x.20, align 4
  %x.21 = getelementptr float, ptr %x.7, i64 139
  store <16 x float> splat (float 0x0000000000000000), ptr %x.21, align 4
  %x.22 = getelementptr float, ptr %x.7, i64 155
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr align 4 %x.22, <16 x i1> %x.13)
  %t.23 = add nsw i64 %i.5, 4
  %t.24 = icmp slt i64 %t.23, 28
  br i1 %t.24, label %loop.3, label %done.4, !llvm.loop !4
done.4:
  br label %loop.25
loop.25:
  %i.27 = phi i64 [ 28, %done.4 ], [ %t.32, %loop.25 ]
  %x.28 = mul nsw i64 %i.27, 41
  %x.29 = getelementptr float, ptr %local.1, i64 %x.28
  store <16 x float> splat (float 0x0000000000000000), ptr %x.29, align 4
  %x.30 = getelementptr float, ptr %x.29, i64 16
  store <16 x float> splat (float 0x0000000000000000), ptr %x.30, align 4
  %x.31 = getelementptr float, ptr %x.29, i64 32
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr align 4 %x.31, <16 x i1> %x.13)
  %t.32 = add nsw i64 %i.27, 1
  %t.33 = icmp slt i64 %t.32, 30
  br i1 %t.33, label %loop.25, label %done.26, !llvm.loop !5
done.26:
  br label %loop.34
loop.34:
  %i.36 = phi i64 [ 1, %done.26 ], [ %t.74, %loop.34 ]
  %x.37 = mul nsw i64 %i.36, 41
  %x.38 = getelementptr float, ptr %"a.I", i64 %x.37
  %x.39 = getelementptr float, ptr %x.38, i64 -41
  %t.40 = load <16 x float>, ptr %x.39, align 4, !invariant.load !0
  %x.41 = getelementptr float, ptr %local.1, i64 %x.37
  store <16 x float> %t.40, ptr %x.41, align 4
  %x.42 = getelementptr float, ptr %x.38, i64 -25
  %t.43 = load <16 x float>, ptr %x.42, align 4, !invariant.load !0
  %x.44 = getelementptr float, ptr %x.41, i64 16
  store <16 x float> %t.43, ptr %x.44, align 4
  %x.45 = getelementptr float, ptr %x.38, i64 -9
  %t.46 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.45, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.47 = getelementptr float, ptr %x.41, i64 32
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.46, ptr align 4 %x.47, <16 x i1> %x.13)
  call void asm sideeffect "", ""()
  %t.48 = load <16 x float>, ptr %x.38, align 4, !invariant.load !0
  %x.49 = getelementptr float, ptr %x.41, i64 41
  store <16 x float> %t.48, ptr %x.49, align 4
  %x.50 = getelementptr float, ptr %x.38, i64 16
  %t.51 = load <16 x float>, ptr %x.50, align 4, !invariant.load !0
  %x.52 = getelementptr float, ptr %x.41, i64 57
  store <16 x float> %t.51, ptr %x.52, align 4
  %x.53 = getelementptr float, ptr %x.38, i64 32
  %t.54 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.53, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.55 = getelementptr float, ptr %x.41, i64 73
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.54, ptr align 4 %x.55, <16 x i1> %x.13)
  call void asm sideeffect "", ""()
  %x.56 = getelementptr float, ptr %x.38, i64 41
  %t.57 = load <16 x float>, ptr %x.56, align 4, !invariant.load !0
  %x.58 = getelementptr float, ptr %x.41, i64 82
  store <16 x float> %t.57, ptr %x.58, align 4
  %x.59 = getelementptr float, ptr %x.38, i64 57
  %t.60 = load <16 x float>, ptr %x.59, align 4, !invariant.load !0
  %x.61 = getelementptr float, ptr %x.41, i64 98
  store <16 x float> %t.60, ptr %x.61, align 4
  %x.62 = getelementptr float, ptr %x.38, i64 73
  %t.63 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.62, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.64 = getelementptr float, ptr %x.41, i64 114
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.63, ptr align 4 %x.64, <16 x i1> %x.13)
  call void asm sideeffect "", ""()
  %x.65 = getelementptr float, ptr %x.38, i64 82
  %t.66 = load <16 x float>, ptr %x.65, align 4, !invariant.load !0
  %x.67 = getelementptr float, ptr %x.41, i64 123
  store <16 x float> %t.66, ptr %x.67, align 4
  %x.68 = getelementptr float, ptr %x.38, i64 98
  %t.69 = load <16 x float>, ptr %x.68, align 4, !invariant.load !0
  %x.70 = getelementptr float, ptr %x.41, i64 139
  store <16 x float> %t.69, ptr %x.70, align 4
  %x.71 = getelementptr float, ptr %x.38, i64 114
  %t.72 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.71, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.73 = getelementptr float, ptr %x.41, i64 155
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.72, ptr align 4 %x.73, <16 x i1> %x.13)
  %t.74 = add nsw i64 %i.36, 4
  %t.75 = icmp slt i64 %t.74, 29
  br i1 %t.75, label %loop.34, label %done.35, !llvm.loop !6
done.35:
  br label %loop.76
loop.76:
  %i.78 = phi i64 [ 29, %done.35 ], [ %t.90, %loop.76 ]
  %x.79 = mul nsw i64 %i.78, 41
  %x.80 = getelementptr float, ptr %"a.I", i64 %x.79
  %x.81 = getelementptr float, ptr %x.80, i64 -41
  %t.82 = load <16 x float>, ptr %x.81, align 4, !invariant.load !0
  %x.83 = getelementptr float, ptr %local.1, i64 %x.79
  store <16 x float> %t.82, ptr %x.83, align 4
  %x.84 = getelementptr float, ptr %x.80, i64 -25
  %t.85 = load <16 x float>, ptr %x.84, align 4, !invariant.load !0
  %x.86 = getelementptr float, ptr %x.83, i64 16
  store <16 x float> %t.85, ptr %x.86, align 4
  %x.87 = getelementptr float, ptr %x.80, i64 -9
  %t.88 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.87, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.89 = getelementptr float, ptr %x.83, i64 32
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.88, ptr align 4 %x.89, <16 x i1> %x.13)
  %t.90 = add nsw i64 %i.78, 1
  %t.91 = icmp slt i64 %t.90, 30
  br i1 %t.91, label %loop.76, label %done.77, !llvm.loop !7
done.77:
  br label %loop.92
loop.92:
  %i.94 = phi i64 [ 0, %done.77 ], [ %t.108, %loop.92 ]
  %x.95 = mul nsw i64 %i.94, 41
  %x.96 = getelementptr float, ptr %local.2, i64 %x.95
  store <16 x float> splat (float 0x0000000000000000), ptr %x.96, align 4
  %x.97 = getelementptr float, ptr %x.96, i64 16
  store <16 x float> splat (float 0x0000000000000000), ptr %x.97, align 4
  %x.98 = getelementptr float, ptr %x.96, i64 32
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr align 4 %x.98, <16 x i1> %x.13)
  call void asm sideeffect "", ""()
  %x.99 = getelementptr float, ptr %x.96, i64 41
  store <16 x float> splat (float 0x0000000000000000), ptr %x.99, align 4
  %x.100 = getelementptr float, ptr %x.96, i64 57
  store <16 x float> splat (float 0x0000000000000000), ptr %x.100, align 4
  %x.101 = getelementptr float, ptr %x.96, i64 73
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr align 4 %x.101, <16 x i1> %x.13)
  call void asm sideeffect "", ""()
  %x.102 = getelementptr float, ptr %x.96, i64 82
  store <16 x float> splat (float 0x0000000000000000), ptr %x.102, align 4
  %x.103 = getelementptr float, ptr %x.96, i64 98
  store <16 x float> splat (float 0x0000000000000000), ptr %x.103, align 4
  %x.104 = getelementptr float, ptr %x.96, i64 114
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr align 4 %x.104, <16 x i1> %x.13)
  call void asm sideeffect "", ""()
  %x.105 = getelementptr float, ptr %x.96, i64 123
  store <16 x float> splat (float 0x0000000000000000), ptr %x.105, align 4
  %x.106 = getelementptr float, ptr %x.96, i64 139
  store <16 x float> splat (float 0x0000000000000000), ptr %x.106, align 4
  %x.107 = getelementptr float, ptr %x.96, i64 155
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr align 4 %x.107, <16 x i1> %x.13)
  %t.108 = add nsw i64 %i.94, 4
  %t.109 = icmp slt i64 %t.108, 28
  br i1 %t.109, label %loop.92, label %done.93, !llvm.loop !8
done.93:
  br label %loop.110
loop.110:
  %i.112 = phi i64 [ 28, %done.93 ], [ %t.117, %loop.110 ]
  %x.113 = mul nsw i64 %i.112, 41
  %x.114 = getelementptr float, ptr %local.2, i64 %x.113
  store <16 x float> splat (float 0x0000000000000000), ptr %x.114, align 4
  %x.115 = getelementptr float, ptr %x.114, i64 16
  store <16 x float> splat (float 0x0000000000000000), ptr %x.115, align 4
  %x.116 = getelementptr float, ptr %x.114, i64 32
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr align 4 %x.116, <16 x i1> %x.13)
  %t.117 = add nsw i64 %i.112, 1
  %t.118 = icmp slt i64 %t.117, 30
  br i1 %t.118, label %loop.110, label %done.111, !llvm.loop !9
done.111:
  br label %loop.119
loop.119:
  %i.121 = phi i64 [ 0, %done.111 ], [ %t.160, %loop.119 ]
  %x.122 = mul nsw i64 %i.121, 41
  %x.123 = getelementptr float, ptr %"a.I", i64 %x.122
  %x.124 = getelementptr float, ptr %x.123, i64 41
  %t.125 = load <16 x float>, ptr %x.124, align 4, !invariant.load !0
  %x.126 = getelementptr float, ptr %local.2, i64 %x.122
  store <16 x float> %t.125, ptr %x.126, align 4
  %x.127 = getelementptr float, ptr %x.123, i64 57
  %t.128 = load <16 x float>, ptr %x.127, align 4, !invariant.load !0
  %x.129 = getelementptr float, ptr %x.126, i64 16
  store <16 x float> %t.128, ptr %x.129, align 4
  %x.130 = getelementptr float, ptr %x.123, i64 73
  %t.131 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.130, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.132 = getelementptr float, ptr %x.126, i64 32
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.131, ptr align 4 %x.132, <16 x i1> %x.13)
  call void asm sideeffect "", ""()
  %x.133 = getelementptr float, ptr %x.123, i64 82
  %t.134 = load <16 x float>, ptr %x.133, align 4, !invariant.load !0
  %x.135 = getelementptr float, ptr %x.126, i64 41
  store <16 x float> %t.134, ptr %x.135, align 4
  %x.136 = getelementptr float, ptr %x.123, i64 98
  %t.137 = load <16 x float>, ptr %x.136, align 4, !invariant.load !0
  %x.138 = getelementptr float, ptr %x.126, i64 57
  store <16 x float> %t.137, ptr %x.138, align 4
  %x.139 = getelementptr float, ptr %x.123, i64 114
  %t.140 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.139, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.141 = getelementptr float, ptr %x.126, i64 73
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.140, ptr align 4 %x.141, <16 x i1> %x.13)
  call void asm sideeffect "", ""()
  %x.142 = getelementptr float, ptr %x.123, i64 123
  %t.143 = load <16 x float>, ptr %x.142, align 4, !invariant.load !0
  %x.144 = getelementptr float, ptr %x.126, i64 82
  store <16 x float> %t.143, ptr %x.144, align 4
  %x.145 = getelementptr float, ptr %x.123, i64 139
  %t.146 = load <16 x float>, ptr %x.145, align 4, !invariant.load !0
  %x.147 = getelementptr float, ptr %x.126, i64 98
  store <16 x float> %t.146, ptr %x.147, align 4
  %x.148 = getelementptr float, ptr %x.123, i64 155
  %t.149 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.148, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.150 = getelementptr float, ptr %x.126, i64 114
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.149, ptr align 4 %x.150, <16 x i1> %x.13)
  call void asm sideeffect "", ""()
  %x.151 = getelementptr float, ptr %x.123, i64 164
  %t.152 = load <16 x float>, ptr %x.151, align 4, !invariant.load !0
  %x.153 = getelementptr float, ptr %x.126, i64 123
  store <16 x float> %t.152, ptr %x.153, align 4
  %x.154 = getelementptr float, ptr %x.123, i64 180
  %t.155 = load <16 x float>, ptr %x.154, align 4, !invariant.load !0
  %x.156 = getelementptr float, ptr %x.126, i64 139
  store <16 x float> %t.155, ptr %x.156, align 4
  %x.157 = getelementptr float, ptr %x.123, i64 196
  %t.158 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.157, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.159 = getelementptr float, ptr %x.126, i64 155
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.158, ptr align 4 %x.159, <16 x i1> %x.13)
  %t.160 = add nsw i64 %i.121, 4
  %t.161 = icmp slt i64 %t.160, 28
  br i1 %t.161, label %loop.119, label %done.120, !llvm.loop !10
done.120:
  br label %loop.162
loop.162:
  %i.164 = phi i64 [ 28, %done.120 ], [ %t.176, %loop.162 ]
  %x.165 = mul nsw i64 %i.164, 41
  %x.166 = getelementptr float, ptr %"a.I", i64 %x.165
  %x.167 = getelementptr float, ptr %x.166, i64 41
  %t.168 = load <16 x float>, ptr %x.167, align 4, !invariant.load !0
  %x.169 = getelementptr float, ptr %local.2, i64 %x.165
  store <16 x float> %t.168, ptr %x.169, align 4
  %x.170 = getelementptr float, ptr %x.166, i64 57
  %t.171 = load <16 x float>, ptr %x.170, align 4, !invariant.load !0
  %x.172 = getelementptr float, ptr %x.169, i64 16
  store <16 x float> %t.171, ptr %x.172, align 4
  %x.173 = getelementptr float, ptr %x.166, i64 73
  %t.174 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.173, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.175 = getelementptr float, ptr %x.169, i64 32
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.174, ptr align 4 %x.175, <16 x i1> %x.13)
  %t.176 = add nsw i64 %i.164, 1
  %t.177 = icmp slt i64 %t.176, 29
  br i1 %t.177, label %loop.162, label %done.163, !llvm.loop !11
done.163:
  br label %loop.178
loop.178:
  %i.180 = phi i64 [ 0, %done.163 ], [ %t.254, %loop.178 ]
  %x.181 = mul nsw i64 %i.180, 41
  %x.182 = getelementptr float, ptr %local.1, i64 %x.181
  %t.183 = load <16 x float>, ptr %x.182, align 4
  %x.184 = getelementptr float, ptr %local.2, i64 %x.181
  %t.185 = load <16 x float>, ptr %x.184, align 4
  %t.186 = fadd <16 x float> %t.183, %t.185
  %x.187 = getelementptr float, ptr %"a.S", i64 %x.181
  store <16 x float> %t.186, ptr %x.187, align 4
  %x.188 = getelementptr float, ptr %x.182, i64 16
  %t.189 = load <16 x float>, ptr %x.188, align 4
  %x.190 = getelementptr float, ptr %x.184, i64 16
  %t.191 = load <16 x float>, ptr %x.190, align 4
  %t.192 = fadd <16 x float> %t.189, %t.191
  %x.193 = getelementptr float, ptr %x.187, i64 16
  store <16 x float> %t.192, ptr %x.193, align 4
  %x.194 = getelementptr float, ptr %x.182, i64 32
  %t.195 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.194, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.196 = getelementptr float, ptr %x.184, i64 32
  %t.197 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.196, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %t.198 = fadd <16 x float> %t.195, %t.197
  %x.199 = getelementptr float, ptr %x.187, i64 32
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.198, ptr align 4 %x.199, <16 x i1> %x.13)
  call void asm sideeffect "", ""()
  %x.200 = getelementptr float, ptr %x.182, i64 41
  %t.201 = load <16 x float>, ptr %x.200, align 4
  %x.202 = getelementptr float, ptr %x.184, i64 41
  %t.203 = load <16 x float>, ptr %x.202, align 4
  %t.204 = fadd <16 x float> %t.201, %t.203
  %x.205 = getelementptr float, ptr %x.187, i64 41
  store <16 x float> %t.204, ptr %x.205, align 4
  %x.206 = getelementptr float, ptr %x.182, i64 57
  %t.207 = load <16 x float>, ptr %x.206, align 4
  %x.208 = getelementptr float, ptr %x.184, i64 57
  %t.209 = load <16 x float>, ptr %x.208, align 4
  %t.210 = fadd <16 x float> %t.207, %t.209
  %x.211 = getelementptr float, ptr %x.187, i64 57
  store <16 x float> %t.210, ptr %x.211, align 4
  %x.212 = getelementptr float, ptr %x.182, i64 73
  %t.213 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.212, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.214 = getelementptr float, ptr %x.184, i64 73
  %t.215 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.214, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %t.216 = fadd <16 x float> %t.213, %t.215
  %x.217 = getelementptr float, ptr %x.187, i64 73
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.216, ptr align 4 %x.217, <16 x i1> %x.13)
  call void asm sideeffect "", ""()
  %x.218 = getelementptr float, ptr %x.182, i64 82
  %t.219 = load <16 x float>, ptr %x.218, align 4
  %x.220 = getelementptr float, ptr %x.184, i64 82
  %t.221 = load <16 x float>, ptr %x.220, align 4
  %t.222 = fadd <16 x float> %t.219, %t.221
  %x.223 = getelementptr float, ptr %x.187, i64 82
  store <16 x float> %t.222, ptr %x.223, align 4
  %x.224 = getelementptr float, ptr %x.182, i64 98
  %t.225 = load <16 x float>, ptr %x.224, align 4
  %x.226 = getelementptr float, ptr %x.184, i64 98
  %t.227 = load <16 x float>, ptr %x.226, align 4
  %t.228 = fadd <16 x float> %t.225, %t.227
  %x.229 = getelementptr float, ptr %x.187, i64 98
  store <16 x float> %t.228, ptr %x.229, align 4
  %x.230 = getelementptr float, ptr %x.182, i64 114
  %t.231 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.230, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.232 = getelementptr float, ptr %x.184, i64 114
  %t.233 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.232, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %t.234 = fadd <16 x float> %t.231, %t.233
  %x.235 = getelementptr float, ptr %x.187, i64 114
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.234, ptr align 4 %x.235, <16 x i1> %x.13)
  call void asm sideeffect "", ""()
  %x.236 = getelementptr float, ptr %x.182, i64 123
  %t.237 = load <16 x float>, ptr %x.236, align 4
  %x.238 = getelementptr float, ptr %x.184, i64 123
  %t.239 = load <16 x float>, ptr %x.238, align 4
  %t.240 = fadd <16 x float> %t.237, %t.239
  %x.241 = getelementptr float, ptr %x.187, i64 123
  store <16 x float> %t.240, ptr %x.241, align 4
  %x.242 = getelementptr float, ptr %x.182, i64 139
  %t.243 = load <16 x float>, ptr %x.242, align 4
  %x.244 = getelementptr float, ptr %x.184, i64 139
  %t.245 = load <16 x float>, ptr %x.244, align 4
  %t.246 = fadd <16 x float> %t.243, %t.245
  %x.247 = getelementptr float, ptr %x.187, i64 139
  store <16 x float> %t.246, ptr %x.247, align 4
  %x.248 = getelementptr float, ptr %x.182, i64 155
  %t.249 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.248, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.250 = getelementptr float, ptr %x.184, i64 155
  %t.251 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.250, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %t.252 = fadd <16 x float> %t.249, %t.251
  %x.253 = getelementptr float, ptr %x.187, i64 155
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.252, ptr align 4 %x.253, <16 x i1> %x.13)
  %t.254 = add nsw i64 %i.180, 4
  %t.255 = icmp slt i64 %t.254, 28
  br i1 %t.255, label %loop.178, label %done.179, !llvm.loop !12
done.179:
  br label %loop.256
loop.256:
  %i.258 = phi i64 [ 28, %done.179 ], [ %t.278, %loop.256 ]
  %x.259 = mul nsw i64 %i.258, 41
  %x.260 = getelementptr float, ptr %local.1, i64 %x.259
  %t.261 = load <16 x float>, ptr %x.260, align 4
  %x.262 = getelementptr float, ptr %local.2, i64 %x.259
  %t.263 = load <16 x float>, ptr %x.262, align 4
  %t.264 = fadd <16 x float> %t.261, %t.263
  %x.265 = getelementptr float, ptr %"a.S", i64 %x.259
  store <16 x float> %t.264, ptr %x.265, align 4
  %x.266 = getelementptr float, ptr %x.260, i64 16
  %t.267 = load <16 x float>, ptr %x.266, align 4
  %x.268 = getelementptr float, ptr %x.262, i64 16
  %t.269 = load <16 x float>, ptr %x.268, align 4
  %t.270 = fadd <16 x float> %t.267, %t.269
  %x.271 = getelementptr float, ptr %x.265, i64 16
  store <16 x float> %t.270, ptr %x.271, align 4
  %x.272 = getelementptr float, ptr %x.260, i64 32
  %t.273 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.272, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %x.274 = getelementptr float, ptr %x.262, i64 32
  %t.275 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %x.274, <16 x i1> %x.13, <16 x float> zeroinitializer)
  %t.276 = fadd <16 x float> %t.273, %t.275
  %x.277 = getelementptr float, ptr %x.265, i64 32
  call void @llvm.masked.store.v16f32.p0(<16 x float> %t.276, ptr align 4 %x.277, <16 x i1> %x.13)
  %t.278 = add nsw i64 %i.258, 1
  %t.279 = icmp slt i64 %t.278, 30
  br i1 %t.279, label %loop.256, label %done.257, !llvm.loop !13
done.257:
  ret void
}

define void @"padded_stencil.call"(ptr %slots) #0 {
  %s0 = getelementptr i64, ptr %slots, i64 0
  %v0 = load ptr, ptr %s0, align 8
  %s1 = getelementptr i64, ptr %slots, i64 1
  %v1 = load ptr, ptr %s1, align 8
  call void @"padded_stencil"(ptr %v0, ptr %v1)
  ret void
}

attributes #0 = { nounwind mustprogress "target-cpu"="x86-64-v4" "target-features"="" "prefer-vector-width"="512" }
!0 = !{}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = !{!"llvm.loop.align", i32 64}
!4 = distinct !{!4, !1, !2, !3}
!5 = distinct !{!5, !1, !2, !3}
!6 = distinct !{!6, !1, !2, !3}
!7 = distinct !{!7, !1, !2, !3}
!8 = distinct !{!8, !1, !2, !3}
!9 = distinct !{!9, !1, !2, !3}
!10 = distinct !{!10, !1, !2, !3}
!11 = distinct !{!11, !1, !2, !3}
!12 = distinct !{!12, !1, !2, !3}
!13 = distinct !{!13, !1, !2, !3}
