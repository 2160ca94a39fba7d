target triple = "aarch64-unknown-linux-gnu"

define void @"layer"(ptr noalias nocapture noundef readonly align 4 %"a.X", ptr noalias nocapture noundef readonly align 4 %"a.W", ptr noalias nocapture noundef readonly align 4 %"a.b", ptr noalias nocapture noundef align 4 %"a.H") #0 {
entry:
  br label %loop.1
loop.1:
  %i.3 = phi i64 [ 0, %entry ], [ %t.346, %done.5 ]
  %x.38 = mul nsw i64 %i.3, 8
  %x.39 = getelementptr float, ptr %"a.W", i64 %x.38
  %x.242 = getelementptr float, ptr %"a.b", i64 %x.38
  %x.247 = getelementptr float, ptr %"a.H", i64 %x.38
  %x.250 = getelementptr float, ptr %x.242, i64 4
  br label %loop.4
loop.4:
  %i.6 = phi i64 [ 0, %loop.1 ], [ %t.344, %done.8 ]
  %x.34 = mul nsw i64 %i.6, 384
  %x.35 = getelementptr float, ptr %"a.X", i64 %x.34
  br label %loop.7
loop.7:
  %i.9 = phi i64 [ 0, %loop.4 ], [ %t.216, %loop.7 ]
  %carried.10 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.146, %loop.7 ]
  %carried.11 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.149, %loop.7 ]
  %carried.12 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.154, %loop.7 ]
  %carried.13 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.155, %loop.7 ]
  %carried.14 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.160, %loop.7 ]
  %carried.15 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.161, %loop.7 ]
  %carried.16 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.166, %loop.7 ]
  %carried.17 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.167, %loop.7 ]
  %carried.18 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.172, %loop.7 ]
  %carried.19 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.173, %loop.7 ]
  %carried.20 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.178, %loop.7 ]
  %carried.21 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.179, %loop.7 ]
  %carried.22 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.184, %loop.7 ]
  %carried.23 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.185, %loop.7 ]
  %carried.24 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.190, %loop.7 ]
  %carried.25 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.191, %loop.7 ]
  %carried.26 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.196, %loop.7 ]
  %carried.27 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.197, %loop.7 ]
  %carried.28 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.202, %loop.7 ]
  %carried.29 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.203, %loop.7 ]
  %carried.30 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.208, %loop.7 ]
  %carried.31 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.209, %loop.7 ]
  %carried.32 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.214, %loop.7 ]
  %carried.33 = phi <4 x float> [ splat (float 0x0000000000000000), %loop.4 ], [ %t.215, %loop.7 ]
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
  %t.115 = call { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } asm sideeffect "", "=w,=w,=w,=w,=w,=w,=w,=w,=w,=w,=w,=w,=w,=w,=w,=w,=w,=w,=w,=w,=w,=w,=w,=w,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23"(<4 x float> %t.45, <4 x float> %t.48, <4 x float> %t.53, <4 x float> %t.54, <4 x float> %t.59, <4 x float> %t.60, <4 x float> %t.65, <4 x float> %t.66, <4 x float> %t.71, <4 x float> %t.72, <4 x float> %t.77, <4 x float> %t.78, <4 x float> %t.83, <4 x float> %t.84, <4 x float> %t.89, <4 x float> %t.90, <4 x float> %t.95, <4 x float> %t.96, <4 x float> %t.101, <4 x float> %t.102, <4 x float> %t.107, <4 x float> %t.108, <4 x float> %t.113, <4 x float> %t.114)
  %t.116 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 0
  %t.117 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 1
  %t.118 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 2
  %t.119 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 3
  %t.120 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 4
  %t.121 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 5
  %t.122 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 6
  %t.123 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 7
  %t.124 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 8
  %t.125 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 9
  %t.126 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 10
  %t.127 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 11
  %t.128 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 12
  %t.129 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 13
  %t.130 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 14
  %t.131 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 15
  %t.132 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 16
  %t.133 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 17
  %t.134 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 18
  %t.135 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 19
  %t.136 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 20
  %t.137 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 21
  %t.138 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 22
  %t.139 = extractvalue { <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float>, <4 x float> } %t.115, 23
  %x.140 = getelementptr float, ptr %x.36, i64 1
  %t.141 = load float, ptr %x.140, align 4, !invariant.load !0
  %x.142 = getelementptr float, ptr %x.41, i64 40
  %t.143 = load <4 x float>, ptr %x.142, align 4, !invariant.load !0
  %x.144 = insertelement <4 x float> poison, float %t.141, i64 0
  %x.145 = shufflevector <4 x float> %x.144, <4 x float> poison, <4 x i32> zeroinitializer
  %t.146 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.145, <4 x float> %t.143, <4 x float> %t.116)
  %x.147 = getelementptr float, ptr %x.41, i64 44
  %t.148 = load <4 x float>, ptr %x.147, align 4, !invariant.load !0
  %t.149 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.145, <4 x float> %t.148, <4 x float> %t.117)
  %x.150 = getelementptr float, ptr %x.36, i64 33
  %t.151 = load float, ptr %x.150, align 4, !invariant.load !0
  %x.152 = insertelement <4 x float> poison, float %t.151, i64 0
  %x.153 = shufflevector <4 x float> %x.152, <4 x float> poison, <4 x i32> zeroinitializer
  %t.154 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.153, <4 x float> %t.143, <4 x float> %t.118)
  %t.155 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.153, <4 x float> %t.148, <4 x float> %t.119)
  %x.156 = getelementptr float, ptr %x.36, i64 65
  %t.157 = load float, ptr %x.156, align 4, !invariant.load !0
  %x.158 = insertelement <4 x float> poison, float %t.157, i64 0
  %x.159 = shufflevector <4 x float> %x.158, <4 x float> poison, <4 x i32> zeroinitializer
  %t.160 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.159, <4 x float> %t.143, <4 x float> %t.120)
  %t.161 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.159, <4 x float> %t.148, <4 x float> %t.121)
  %x.162 = getelementptr float, ptr %x.36, i64 97
  %t.163 = load float, ptr %x.162, align 4, !invariant.load !0
  %x.164 = insertelement <4 x float> poison, float %t.163, i64 0
  %x.165 = shufflevector <4 x float> %x.164, <4 x float> poison, <4 x i32> zeroinitializer
  %t.166 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.165, <4 x float> %t.143, <4 x float> %t.122)
  %t.167 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.165, <4 x float> %t.148, <4 x float> %t.123)
  %x.168 = getelementptr float, ptr %x.36, i64 129
  %t.169 = load float, ptr %x.168, align 4, !invariant.load !0
  %x.170 = insertelement <4 x float> poison, float %t.169, i64 0
  %x.171 = shufflevector <4 x float> %x.170, <4 x float> poison, <4 x i32> zeroinitializer
  %t.172 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.171, <4 x float> %t.143, <4 x float> %t.124)
  %t.173 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.171, <4 x float> %t.148, <4 x float> %t.125)
  %x.174 = getelementptr float, ptr %x.36, i64 161
  %t.175 = load float, ptr %x.174, align 4, !invariant.load !0
  %x.176 = insertelement <4 x float> poison, float %t.175, i64 0
  %x.177 = shufflevector <4 x float> %x.176, <4 x float> poison, <4 x i32> zeroinitializer
  %t.178 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.177, <4 x float> %t.143, <4 x float> %t.126)
  %t.179 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.177, <4 x float> %t.148, <4 x float> %t.127)
  %x.180 = getelementptr float, ptr %x.36, i64 193
  %t.181 = load float, ptr %x.180, align 4, !invariant.load !0
  %x.182 = insertelement <4 x float> poison, float %t.181, i64 0
  %x.183 = shufflevector <4 x float> %x.182, <4 x float> poison, <4 x i32> zeroinitializer
  %t.184 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.183, <4 x float> %t.143, <4 x float> %t.128)
  %t.185 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.183, <4 x float> %t.148, <4 x float> %t.129)
  %x.186 = getelementptr float, ptr %x.36, i64 225
  %t.187 = load float, ptr %x.186, align 4, !invariant.load !0
  %x.188 = insertelement <4 x float> poison, float %t.187, i64 0
  %x.189 = shufflevector <4 x float> %x.188, <4 x float> poison, <4 x i32> zeroinitializer
  %t.190 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.189, <4 x float> %t.143, <4 x float> %t.130)
  %t.191 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.189, <4 x float> %t.148, <4 x float> %t.131)
  %x.192 = getelementptr float, ptr %x.36, i64 257
  %t.193 = load float, ptr %x.192, align 4, !invariant.load !0
  %x.194 = insertelement <4 x float> poison, float %t.193, i64 0
  %x.195 = shufflevector <4 x float> %x.194, <4 x float> poison, <4 x i32> zeroinitializer
  %t.196 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.195, <4 x float> %t.143, <4 x float> %t.132)
  %t.197 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.195, <4 x float> %t.148, <4 x float> %t.133)
  %x.198 = getelementptr float, ptr %x.36, i64 289
  %t.199 = load float, ptr %x.198, align 4, !invariant.load !0
  %x.200 = insertelement <4 x float> poison, float %t.199, i64 0
  %x.201 = shufflevector <4 x float> %x.200, <4 x float> poison, <4 x i32> zeroinitializer
  %t.202 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.201, <4 x float> %t.143, <4 x float> %t.134)
  %t.203 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.201, <4 x float> %t.148, <4 x float> %t.135)
  %x.204 = getelementptr float, ptr %x.36, i64 321
  %t.205 = load float, ptr %x.204, align 4, !invariant.load !0
  %x.206 = insertelement <4 x float> poison, float %t.205, i64 0
  %x.207 = shufflevector <4 x float> %x.206, <4 x float> poison, <4 x i32> zeroinitializer
  %t.208 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.207, <4 x float> %t.143, <4 x float> %t.136)
  %t.209 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.207, <4 x float> %t.148, <4 x float> %t.137)
  %x.210 = getelementptr float, ptr %x.36, i64 353
  %t.211 = load float, ptr %x.210, align 4, !invariant.load !0
  %x.212 = insertelement <4 x float> poison, float %t.211, i64 0
  %x.213 = shufflevector <4 x float> %x.212, <4 x float> poison, <4 x i32> zeroinitializer
  %t.214 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.213, <4 x float> %t.143, <4 x float> %t.138)
  %t.215 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x.213, <4 x float> %t.148, <4 x float> %t.139)
  %t.216 = add nsw i64 %i.9, 2
  %t.217 = icmp slt i64 %t.216, 32
  br i1 %t.217, label %loop.7, label %done.8, !llvm.loop !4
done.8:
  %t.218 = phi <4 x float> [ %t.146, %loop.7 ]
  %t.219 = phi <4 x float> [ %t.149, %loop.7 ]
  %t.220 = phi <4 x float> [ %t.154, %loop.7 ]
  %t.221 = phi <4 x float> [ %t.155, %loop.7 ]
  %t.222 = phi <4 x float> [ %t.160, %loop.7 ]
  %t.223 = phi <4 x float> [ %t.161, %loop.7 ]
  %t.224 = phi <4 x float> [ %t.166, %loop.7 ]
  %t.225 = phi <4 x float> [ %t.167, %loop.7 ]
  %t.226 = phi <4 x float> [ %t.172, %loop.7 ]
  %t.227 = phi <4 x float> [ %t.173, %loop.7 ]
  %t.228 = phi <4 x float> [ %t.178, %loop.7 ]
  %t.229 = phi <4 x float> [ %t.179, %loop.7 ]
  %t.230 = phi <4 x float> [ %t.184, %loop.7 ]
  %t.231 = phi <4 x float> [ %t.185, %loop.7 ]
  %t.232 = phi <4 x float> [ %t.190, %loop.7 ]
  %t.233 = phi <4 x float> [ %t.191, %loop.7 ]
  %t.234 = phi <4 x float> [ %t.196, %loop.7 ]
  %t.235 = phi <4 x float> [ %t.197, %loop.7 ]
  %t.236 = phi <4 x float> [ %t.202, %loop.7 ]
  %t.237 = phi <4 x float> [ %t.203, %loop.7 ]
  %t.238 = phi <4 x float> [ %t.208, %loop.7 ]
  %t.239 = phi <4 x float> [ %t.209, %loop.7 ]
  %t.240 = phi <4 x float> [ %t.214, %loop.7 ]
  %t.241 = phi <4 x float> [ %t.215, %loop.7 ]
  %t.243 = load <4 x float>, ptr %x.242, align 4, !invariant.load !0
  %t.244 = fadd <4 x float> %t.218, %t.243
  %t.245 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.244
  %t.246 = select <4 x i1> %t.245, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.244
  %x.248 = mul nsw i64 %i.6, 480
  %x.249 = getelementptr float, ptr %x.247, i64 %x.248
  store <4 x float> %t.246, ptr %x.249, align 4
  %t.251 = load <4 x float>, ptr %x.250, align 4, !invariant.load !0
  %t.252 = fadd <4 x float> %t.219, %t.251
  %t.253 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.252
  %t.254 = select <4 x i1> %t.253, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.252
  %x.255 = getelementptr float, ptr %x.249, i64 4
  store <4 x float> %t.254, ptr %x.255, align 4
  %t.256 = fadd <4 x float> %t.220, %t.243
  %t.257 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.256
  %t.258 = select <4 x i1> %t.257, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.256
  %x.259 = getelementptr float, ptr %x.249, i64 40
  store <4 x float> %t.258, ptr %x.259, align 4
  %t.260 = fadd <4 x float> %t.221, %t.251
  %t.261 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.260
  %t.262 = select <4 x i1> %t.261, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.260
  %x.263 = getelementptr float, ptr %x.249, i64 44
  store <4 x float> %t.262, ptr %x.263, align 4
  %t.264 = fadd <4 x float> %t.222, %t.243
  %t.265 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.264
  %t.266 = select <4 x i1> %t.265, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.264
  %x.267 = getelementptr float, ptr %x.249, i64 80
  store <4 x float> %t.266, ptr %x.267, align 4
  %t.268 = fadd <4 x float> %t.223, %t.251
  %t.269 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.268
  %t.270 = select <4 x i1> %t.269, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.268
  %x.271 = getelementptr float, ptr %x.249, i64 84
  store <4 x float> %t.270, ptr %x.271, align 4
  %t.272 = fadd <4 x float> %t.224, %t.243
  %t.273 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.272
  %t.274 = select <4 x i1> %t.273, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.272
  %x.275 = getelementptr float, ptr %x.249, i64 120
  store <4 x float> %t.274, ptr %x.275, align 4
  %t.276 = fadd <4 x float> %t.225, %t.251
  %t.277 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.276
  %t.278 = select <4 x i1> %t.277, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.276
  %x.279 = getelementptr float, ptr %x.249, i64 124
  store <4 x float> %t.278, ptr %x.279, align 4
  %t.280 = fadd <4 x float> %t.226, %t.243
  %t.281 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.280
  %t.282 = select <4 x i1> %t.281, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.280
  %x.283 = getelementptr float, ptr %x.249, i64 160
  store <4 x float> %t.282, ptr %x.283, align 4
  %t.284 = fadd <4 x float> %t.227, %t.251
  %t.285 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.284
  %t.286 = select <4 x i1> %t.285, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.284
  %x.287 = getelementptr float, ptr %x.249, i64 164
  store <4 x float> %t.286, ptr %x.287, align 4
  %t.288 = fadd <4 x float> %t.228, %t.243
  %t.289 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.288
  %t.290 = select <4 x i1> %t.289, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.288
  %x.291 = getelementptr float, ptr %x.249, i64 200
  store <4 x float> %t.290, ptr %x.291, align 4
  %t.292 = fadd <4 x float> %t.229, %t.251
  %t.293 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.292
  %t.294 = select <4 x i1> %t.293, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.292
  %x.295 = getelementptr float, ptr %x.249, i64 204
  store <4 x float> %t.294, ptr %x.295, align 4
  %t.296 = fadd <4 x float> %t.230, %t.243
  %t.297 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.296
  %t.298 = select <4 x i1> %t.297, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.296
  %x.299 = getelementptr float, ptr %x.249, i64 240
  store <4 x float> %t.298, ptr %x.299, align 4
  %t.300 = fadd <4 x float> %t.231, %t.251
  %t.301 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.300
  %t.302 = select <4 x i1> %t.301, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.300
  %x.303 = getelementptr float, ptr %x.249, i64 244
  store <4 x float> %t.302, ptr %x.303, align 4
  %t.304 = fadd <4 x float> %t.232, %t.243
  %t.305 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.304
  %t.306 = select <4 x i1> %t.305, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.304
  %x.307 = getelementptr float, ptr %x.249, i64 280
  store <4 x float> %t.306, ptr %x.307, align 4
  %t.308 = fadd <4 x float> %t.233, %t.251
  %t.309 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.308
  %t.310 = select <4 x i1> %t.309, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.308
  %x.311 = getelementptr float, ptr %x.249, i64 284
  store <4 x float> %t.310, ptr %x.311, align 4
  %t.312 = fadd <4 x float> %t.234, %t.243
  %t.313 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.312
  %t.314 = select <4 x i1> %t.313, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.312
  %x.315 = getelementptr float, ptr %x.249, i64 320
  store <4 x float> %t.314, ptr %x.315, align 4
  %t.316 = fadd <4 x float> %t.235, %t.251
  %t.317 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.316
  %t.318 = select <4 x i1> %t.317, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.316
  %x.319 = getelementptr float, ptr %x.249, i64 324
  store <4 x float> %t.318, ptr %x.319, align 4
  %t.320 = fadd <4 x float> %t.236, %t.243
  %t.321 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.320
  %t.322 = select <4 x i1> %t.321, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.320
  %x.323 = getelementptr float, ptr %x.249, i64 360
  store <4 x float> %t.322, ptr %x.323, align 4
  %t.324 = fadd <4 x float> %t.237, %t.251
  %t.325 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.324
  %t.326 = select <4 x i1> %t.325, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.324
  %x.327 = getelementptr float, ptr %x.249, i64 364
  store <4 x float> %t.326, ptr %x.327, align 4
  %t.328 = fadd <4 x float> %t.238, %t.243
  %t.329 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.328
  %t.330 = select <4 x i1> %t.329, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.328
  %x.331 = getelementptr float, ptr %x.249, i64 400
  store <4 x float> %t.330, ptr %x.331, align 4
  %t.332 = fadd <4 x float> %t.239, %t.251
  %t.333 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.332
  %t.334 = select <4 x i1> %t.333, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.332
  %x.335 = getelementptr float, ptr %x.249, i64 404
  store <4 x float> %t.334, ptr %x.335, align 4
  %t.336 = fadd <4 x float> %t.240, %t.243
  %t.337 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.336
  %t.338 = select <4 x i1> %t.337, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.336
  %x.339 = getelementptr float, ptr %x.249, i64 440
  store <4 x float> %t.338, ptr %x.339, align 4
  %t.340 = fadd <4 x float> %t.241, %t.251
  %t.341 = fcmp ogt <4 x float> splat (float 0x0000000000000000), %t.340
  %t.342 = select <4 x i1> %t.341, <4 x float> splat (float 0x0000000000000000), <4 x float> %t.340
  %x.343 = getelementptr float, ptr %x.249, i64 444
  store <4 x float> %t.342, ptr %x.343, align 4
  %t.344 = add nsw i64 %i.6, 1
  %t.345 = icmp slt i64 %t.344, 2
  br i1 %t.345, label %loop.4, label %done.5, !llvm.loop !5
done.5:
  %t.346 = add nsw i64 %i.3, 1
  %t.347 = icmp slt i64 %t.346, 5
  br i1 %t.347, label %loop.1, label %done.2, !llvm.loop !6
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
