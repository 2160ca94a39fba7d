target triple = "aarch64-unknown-linux-gnu"

define void @"doitgen"(i64 %"p.nr", i64 %"p.nq", i64 %"p.np", ptr noalias nocapture noundef align 8 %"a.sum", ptr noalias nocapture noundef align 8 %"a.A", ptr noalias nocapture noundef readonly align 8 %"a.C4") #0 {
entry:
  %kept.26 = alloca i32
  %x.3 = icmp slt i64 0, %"p.nr"
  %x.7 = icmp slt i64 0, %"p.nq"
  %x.9 = add nsw i64 %"p.np", -1
  %x.12 = icmp slt i64 0, %x.9
  %x.17 = ashr i64 %"p.np", 1
  %x.18 = mul nsw i64 %x.17, 2
  %x.19 = sub nsw i64 %"p.np", %x.18
  %x.20 = icmp sge i64 %x.19, 1
  %x.24 = getelementptr double, ptr %"a.sum", i64 %x.18
  %x.25 = trunc i64 %x.19 to i32
  store i32 %x.25, ptr %kept.26
  %x.31 = ashr i64 %"p.np", 3
  %x.34 = icmp slt i64 0, %x.31
  %x.36 = mul nsw i64 %"p.np", %"p.nq"
  %x.85 = getelementptr double, ptr %"a.C4", i64 %"p.np"
  %x.90 = mul nsw i64 %"p.np", 2
  %x.91 = getelementptr double, ptr %"a.C4", i64 %x.90
  %x.96 = mul nsw i64 %"p.np", 3
  %x.97 = getelementptr double, ptr %"a.C4", i64 %x.96
  %x.102 = mul nsw i64 %"p.np", 4
  %x.103 = getelementptr double, ptr %"a.C4", i64 %x.102
  %x.108 = mul nsw i64 %"p.np", 5
  %x.109 = getelementptr double, ptr %"a.C4", i64 %x.108
  %x.114 = mul nsw i64 %"p.np", 6
  %x.115 = getelementptr double, ptr %"a.C4", i64 %x.114
  %x.120 = mul nsw i64 %"p.np", 7
  %x.121 = getelementptr double, ptr %"a.C4", i64 %x.120
  %x.131 = getelementptr double, ptr %"a.C4", i64 %x.18
  %x.140 = add nsw i64 %"p.np", %x.18
  %x.141 = getelementptr double, ptr %"a.C4", i64 %x.140
  %x.145 = add nsw i64 %x.90, %x.18
  %x.146 = getelementptr double, ptr %"a.C4", i64 %x.145
  %x.150 = add nsw i64 %x.96, %x.18
  %x.151 = getelementptr double, ptr %"a.C4", i64 %x.150
  %x.155 = add nsw i64 %x.102, %x.18
  %x.156 = getelementptr double, ptr %"a.C4", i64 %x.155
  %x.160 = add nsw i64 %x.108, %x.18
  %x.161 = getelementptr double, ptr %"a.C4", i64 %x.160
  %x.165 = add nsw i64 %x.114, %x.18
  %x.166 = getelementptr double, ptr %"a.C4", i64 %x.165
  %x.170 = add nsw i64 %x.120, %x.18
  %x.171 = getelementptr double, ptr %"a.C4", i64 %x.170
  %x.177 = mul nsw i64 %x.31, 8
  %x.178 = sub nsw i64 %"p.np", %x.177
  %x.179 = icmp sge i64 %x.178, 1
  %x.188 = add nsw i64 %"p.np", 7
  %x.189 = ashr i64 %x.188, 3
  %x.190 = mul nsw i64 %x.189, 8
  %x.191 = add nsw i64 %x.190, -8
  %x.192 = call i64 @llvm.smin.i64(i64 %x.190, i64 %"p.np")
  %x.195 = icmp slt i64 %x.191, %x.192
  %x.251 = getelementptr double, ptr %"a.A", i64 %x.18
  br i1 %x.3, label %loop.1, label %done.2
loop.1:
  %i.4 = phi i64 [ 0, %entry ], [ %t.256, %done.6 ]
  %x.37 = mul nsw i64 %i.4, %x.36
  %x.39 = getelementptr double, ptr %"a.A", i64 %x.37
  %x.252 = getelementptr double, ptr %x.251, i64 %x.37
  br i1 %x.7, label %loop.5, label %done.6
loop.5:
  %i.8 = phi i64 [ 0, %loop.1 ], [ %t.254, %done.245 ]
  br i1 %x.12, label %loop.10, label %done.11
loop.10:
  %i.13 = phi i64 [ 0, %loop.5 ], [ %t.15, %loop.10 ]
  %x.14 = getelementptr double, ptr %"a.sum", i64 %i.13
  store <2 x double> splat (double 0x0000000000000000), ptr %x.14, align 8
  %t.15 = add nsw i64 %i.13, 2
  %t.16 = icmp slt i64 %t.15, %x.9
  br i1 %t.16, label %loop.10, label %done.11, !llvm.loop !4
done.11:
  br i1 %x.20, label %then.21, label %done.23
then.21:
  %x.27 = load volatile i32, ptr %kept.26
  %x.28 = insertelement <2 x i32> poison, i32 %x.27, i64 0
  %x.29 = shufflevector <2 x i32> %x.28, <2 x i32> poison, <2 x i32> zeroinitializer
  %x.30 = icmp slt <2 x i32> <i32 0, i32 1>, %x.29
  call void @llvm.masked.store.v2f64.p0(<2 x double> splat (double 0x0000000000000000), ptr align 8 %x.24, <2 x i1> %x.30)
  br label %done.23
done.23:
  %x.38 = mul nsw i64 %i.8, %"p.np"
  %x.40 = getelementptr double, ptr %x.39, i64 %x.38
  br i1 %x.34, label %loop.32, label %done.33
loop.32:
  %i.35 = phi i64 [ 0, %done.23 ], [ %t.175, %done.130 ]
  %x.41 = mul nsw i64 %i.35, 8
  %x.42 = getelementptr double, ptr %x.40, i64 %x.41
  %t.43 = load double, ptr %x.42, align 8
  %x.44 = insertelement <2 x double> poison, double %t.43, i64 0
  %x.45 = shufflevector <2 x double> %x.44, <2 x double> poison, <2 x i32> zeroinitializer
  %x.46 = getelementptr double, ptr %x.42, i64 1
  %t.47 = load double, ptr %x.46, align 8
  %x.48 = insertelement <2 x double> poison, double %t.47, i64 0
  %x.49 = shufflevector <2 x double> %x.48, <2 x double> poison, <2 x i32> zeroinitializer
  %x.50 = getelementptr double, ptr %x.42, i64 2
  %t.51 = load double, ptr %x.50, align 8
  %x.52 = insertelement <2 x double> poison, double %t.51, i64 0
  %x.53 = shufflevector <2 x double> %x.52, <2 x double> poison, <2 x i32> zeroinitializer
  %x.54 = getelementptr double, ptr %x.42, i64 3
  %t.55 = load double, ptr %x.54, align 8
  %x.56 = insertelement <2 x double> poison, double %t.55, i64 0
  %x.57 = shufflevector <2 x double> %x.56, <2 x double> poison, <2 x i32> zeroinitializer
  %x.58 = getelementptr double, ptr %x.42, i64 4
  %t.59 = load double, ptr %x.58, align 8
  %x.60 = insertelement <2 x double> poison, double %t.59, i64 0
  %x.61 = shufflevector <2 x double> %x.60, <2 x double> poison, <2 x i32> zeroinitializer
  %x.62 = getelementptr double, ptr %x.42, i64 5
  %t.63 = load double, ptr %x.62, align 8
  %x.64 = insertelement <2 x double> poison, double %t.63, i64 0
  %x.65 = shufflevector <2 x double> %x.64, <2 x double> poison, <2 x i32> zeroinitializer
  %x.66 = getelementptr double, ptr %x.42, i64 6
  %t.67 = load double, ptr %x.66, align 8
  %x.68 = insertelement <2 x double> poison, double %t.67, i64 0
  %x.69 = shufflevector <2 x double> %x.68, <2 x double> poison, <2 x i32> zeroinitializer
  %x.70 = getelementptr double, ptr %x.42, i64 7
  %t.71 = load double, ptr %x.70, align 8
  %x.72 = insertelement <2 x double> poison, double %t.71, i64 0
  %x.73 = shufflevector <2 x double> %x.72, <2 x double> poison, <2 x i32> zeroinitializer
  %x.77 = mul nsw i64 %i.35, %"p.np"
  %x.78 = mul nsw i64 %x.77, 8
  %x.79 = getelementptr double, ptr %"a.C4", i64 %x.78
  %x.86 = getelementptr double, ptr %x.85, i64 %x.78
  %x.92 = getelementptr double, ptr %x.91, i64 %x.78
  %x.98 = getelementptr double, ptr %x.97, i64 %x.78
  %x.104 = getelementptr double, ptr %x.103, i64 %x.78
  %x.110 = getelementptr double, ptr %x.109, i64 %x.78
  %x.116 = getelementptr double, ptr %x.115, i64 %x.78
  %x.122 = getelementptr double, ptr %x.121, i64 %x.78
  br i1 %x.12, label %loop.74, label %done.75
loop.74:
  %i.76 = phi i64 [ 0, %loop.32 ], [ %t.126, %loop.74 ]
  %x.80 = getelementptr double, ptr %x.79, i64 %i.76
  %t.81 = load <2 x double>, ptr %x.80, align 8, !invariant.load !0
  %x.82 = getelementptr double, ptr %"a.sum", i64 %i.76
  %t.83 = load <2 x double>, ptr %x.82, align 8
  %t.84 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.45, <2 x double> %t.81, <2 x double> %t.83)
  %x.87 = getelementptr double, ptr %x.86, i64 %i.76
  %t.88 = load <2 x double>, ptr %x.87, align 8, !invariant.load !0
  %t.89 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.49, <2 x double> %t.88, <2 x double> %t.84)
  %x.93 = getelementptr double, ptr %x.92, i64 %i.76
  %t.94 = load <2 x double>, ptr %x.93, align 8, !invariant.load !0
  %t.95 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.53, <2 x double> %t.94, <2 x double> %t.89)
  %x.99 = getelementptr double, ptr %x.98, i64 %i.76
  %t.100 = load <2 x double>, ptr %x.99, align 8, !invariant.load !0
  %t.101 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.57, <2 x double> %t.100, <2 x double> %t.95)
  %x.105 = getelementptr double, ptr %x.104, i64 %i.76
  %t.106 = load <2 x double>, ptr %x.105, align 8, !invariant.load !0
  %t.107 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.61, <2 x double> %t.106, <2 x double> %t.101)
  %x.111 = getelementptr double, ptr %x.110, i64 %i.76
  %t.112 = load <2 x double>, ptr %x.111, align 8, !invariant.load !0
  %t.113 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.65, <2 x double> %t.112, <2 x double> %t.107)
  %x.117 = getelementptr double, ptr %x.116, i64 %i.76
  %t.118 = load <2 x double>, ptr %x.117, align 8, !invariant.load !0
  %t.119 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.69, <2 x double> %t.118, <2 x double> %t.113)
  %x.123 = getelementptr double, ptr %x.122, i64 %i.76
  %t.124 = load <2 x double>, ptr %x.123, align 8, !invariant.load !0
  %t.125 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.73, <2 x double> %t.124, <2 x double> %t.119)
  store <2 x double> %t.125, ptr %x.82, align 8
  %t.126 = add nsw i64 %i.76, 2
  %t.127 = icmp slt i64 %t.126, %x.9
  br i1 %t.127, label %loop.74, label %done.75, !llvm.loop !5
done.75:
  %x.132 = getelementptr double, ptr %x.131, i64 %x.78
  %x.142 = getelementptr double, ptr %x.141, i64 %x.78
  %x.147 = getelementptr double, ptr %x.146, i64 %x.78
  %x.152 = getelementptr double, ptr %x.151, i64 %x.78
  %x.157 = getelementptr double, ptr %x.156, i64 %x.78
  %x.162 = getelementptr double, ptr %x.161, i64 %x.78
  %x.167 = getelementptr double, ptr %x.166, i64 %x.78
  %x.172 = getelementptr double, ptr %x.171, i64 %x.78
  br i1 %x.20, label %then.128, label %done.130
then.128:
  %x.133 = load volatile i32, ptr %kept.26
  %x.134 = insertelement <2 x i32> poison, i32 %x.133, i64 0
  %x.135 = shufflevector <2 x i32> %x.134, <2 x i32> poison, <2 x i32> zeroinitializer
  %x.136 = icmp slt <2 x i32> <i32 0, i32 1>, %x.135
  %t.137 = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %x.132, <2 x i1> %x.136, <2 x double> zeroinitializer)
  %t.138 = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %x.24, <2 x i1> %x.136, <2 x double> zeroinitializer)
  %t.139 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.45, <2 x double> %t.137, <2 x double> %t.138)
  %t.143 = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %x.142, <2 x i1> %x.136, <2 x double> zeroinitializer)
  %t.144 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.49, <2 x double> %t.143, <2 x double> %t.139)
  %t.148 = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %x.147, <2 x i1> %x.136, <2 x double> zeroinitializer)
  %t.149 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.53, <2 x double> %t.148, <2 x double> %t.144)
  %t.153 = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %x.152, <2 x i1> %x.136, <2 x double> zeroinitializer)
  %t.154 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.57, <2 x double> %t.153, <2 x double> %t.149)
  %t.158 = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %x.157, <2 x i1> %x.136, <2 x double> zeroinitializer)
  %t.159 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.61, <2 x double> %t.158, <2 x double> %t.154)
  %t.163 = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %x.162, <2 x i1> %x.136, <2 x double> zeroinitializer)
  %t.164 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.65, <2 x double> %t.163, <2 x double> %t.159)
  %t.168 = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %x.167, <2 x i1> %x.136, <2 x double> zeroinitializer)
  %t.169 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.69, <2 x double> %t.168, <2 x double> %t.164)
  %t.173 = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %x.172, <2 x i1> %x.136, <2 x double> zeroinitializer)
  %t.174 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.73, <2 x double> %t.173, <2 x double> %t.169)
  call void @llvm.masked.store.v2f64.p0(<2 x double> %t.174, ptr align 8 %x.24, <2 x i1> %x.136)
  br label %done.130
done.130:
  %t.175 = add nsw i64 %i.35, 1
  %t.176 = icmp slt i64 %t.175, %x.31
  br i1 %t.176, label %loop.32, label %done.33, !llvm.loop !6
done.33:
  br i1 %x.179, label %then.180, label %done.182
then.180:
  br i1 %x.12, label %loop.183, label %done.184
loop.183:
  %i.185 = phi i64 [ 0, %then.180 ], [ %t.210, %done.194 ]
  %x.186 = getelementptr double, ptr %"a.sum", i64 %i.185
  %t.187 = load <2 x double>, ptr %x.186, align 8
  %x.201 = getelementptr double, ptr %"a.C4", i64 %i.185
  br i1 %x.195, label %loop.193, label %done.194
loop.193:
  %i.196 = phi i64 [ %x.191, %loop.183 ], [ %t.207, %loop.193 ]
  %carried.197 = phi <2 x double> [ %t.187, %loop.183 ], [ %t.206, %loop.193 ]
  %x.198 = getelementptr double, ptr %x.40, i64 %i.196
  %t.199 = load double, ptr %x.198, align 8
  %x.200 = mul nsw i64 %i.196, %"p.np"
  %x.202 = getelementptr double, ptr %x.201, i64 %x.200
  %t.203 = load <2 x double>, ptr %x.202, align 8, !invariant.load !0
  %x.204 = insertelement <2 x double> poison, double %t.199, i64 0
  %x.205 = shufflevector <2 x double> %x.204, <2 x double> poison, <2 x i32> zeroinitializer
  %t.206 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.205, <2 x double> %t.203, <2 x double> %carried.197)
  %t.207 = add nsw i64 %i.196, 1
  %t.208 = icmp slt i64 %t.207, %x.192
  br i1 %t.208, label %loop.193, label %done.194, !llvm.loop !7
done.194:
  %t.209 = phi <2 x double> [ %t.187, %loop.183 ], [ %t.206, %loop.193 ]
  store <2 x double> %t.209, ptr %x.186, align 8
  %t.210 = add nsw i64 %i.185, 2
  %t.211 = icmp slt i64 %t.210, %x.9
  br i1 %t.211, label %loop.183, label %done.184, !llvm.loop !8
done.184:
  br i1 %x.20, label %then.212, label %done.214
then.212:
  %x.215 = load volatile i32, ptr %kept.26
  %x.216 = insertelement <2 x i32> poison, i32 %x.215, i64 0
  %x.217 = shufflevector <2 x i32> %x.216, <2 x i32> poison, <2 x i32> zeroinitializer
  %x.218 = icmp slt <2 x i32> <i32 0, i32 1>, %x.217
  %t.219 = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %x.24, <2 x i1> %x.218, <2 x double> zeroinitializer)
  br i1 %x.195, label %loop.220, label %done.221
loop.220:
  %i.222 = phi i64 [ %x.191, %then.212 ], [ %t.232, %loop.220 ]
  %carried.223 = phi <2 x double> [ %t.219, %then.212 ], [ %t.231, %loop.220 ]
  %x.224 = getelementptr double, ptr %x.40, i64 %i.222
  %t.225 = load double, ptr %x.224, align 8
  %x.226 = mul nsw i64 %i.222, %"p.np"
  %x.227 = getelementptr double, ptr %x.131, i64 %x.226
  %t.228 = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %x.227, <2 x i1> %x.218, <2 x double> zeroinitializer)
  %x.229 = insertelement <2 x double> poison, double %t.225, i64 0
  %x.230 = shufflevector <2 x double> %x.229, <2 x double> poison, <2 x i32> zeroinitializer
  %t.231 = call <2 x double> @llvm.fma.v2f64(<2 x double> %x.230, <2 x double> %t.228, <2 x double> %carried.223)
  %t.232 = add nsw i64 %i.222, 1
  %t.233 = icmp slt i64 %t.232, %x.192
  br i1 %t.233, label %loop.220, label %done.221, !llvm.loop !9
done.221:
  %t.234 = phi <2 x double> [ %t.219, %then.212 ], [ %t.231, %loop.220 ]
  call void @llvm.masked.store.v2f64.p0(<2 x double> %t.234, ptr align 8 %x.24, <2 x i1> %x.218)
  br label %done.214
done.214:
  br label %done.182
done.182:
  br i1 %x.12, label %loop.235, label %done.236
loop.235:
  %i.237 = phi i64 [ 0, %done.182 ], [ %t.241, %loop.235 ]
  %x.238 = getelementptr double, ptr %"a.sum", i64 %i.237
  %t.239 = load <2 x double>, ptr %x.238, align 8
  %x.240 = getelementptr double, ptr %x.40, i64 %i.237
  store <2 x double> %t.239, ptr %x.240, align 8
  %t.241 = add nsw i64 %i.237, 2
  %t.242 = icmp slt i64 %t.241, %x.9
  br i1 %t.242, label %loop.235, label %done.236, !llvm.loop !10
done.236:
  %x.253 = getelementptr double, ptr %x.252, i64 %x.38
  br i1 %x.20, label %then.243, label %done.245
then.243:
  %x.246 = load volatile i32, ptr %kept.26
  %x.247 = insertelement <2 x i32> poison, i32 %x.246, i64 0
  %x.248 = shufflevector <2 x i32> %x.247, <2 x i32> poison, <2 x i32> zeroinitializer
  %x.249 = icmp slt <2 x i32> <i32 0, i32 1>, %x.248
  %t.250 = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %x.24, <2 x i1> %x.249, <2 x double> zeroinitializer)
  call void @llvm.masked.store.v2f64.p0(<2 x double> %t.250, ptr align 8 %x.253, <2 x i1> %x.249)
  br label %done.245
done.245:
  %t.254 = add nsw i64 %i.8, 1
  %t.255 = icmp slt i64 %t.254, %"p.nq"
  br i1 %t.255, label %loop.5, label %done.6, !llvm.loop !11
done.6:
  %t.256 = add nsw i64 %i.4, 1
  %t.257 = icmp slt i64 %t.256, %"p.nr"
  br i1 %t.257, label %loop.1, label %done.2, !llvm.loop !12
done.2:
  ret void
}

define void @"doitgen.call"(ptr %slots) #0 {
  %s0 = getelementptr i64, ptr %slots, i64 0
  %v0 = load i64, ptr %s0, align 8
  %s1 = getelementptr i64, ptr %slots, i64 1
  %v1 = load i64, ptr %s1, align 8
  %s2 = getelementptr i64, ptr %slots, i64 2
  %v2 = load i64, ptr %s2, align 8
  %s3 = getelementptr i64, ptr %slots, i64 3
  %v3 = load ptr, ptr %s3, align 8
  %s4 = getelementptr i64, ptr %slots, i64 4
  %v4 = load ptr, ptr %s4, align 8
  %s5 = getelementptr i64, ptr %slots, i64 5
  %v5 = load ptr, ptr %s5, align 8
  call void @"doitgen"(i64 %v0, i64 %v1, i64 %v2, ptr %v3, ptr %v4, ptr %v5)
  ret void
}

attributes #0 = { nounwind mustprogress "target-cpu"="cortex-a76" "target-features"="" "prefer-vector-width"="128" }
!0 = !{}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = !{!"llvm.loop.align", i32 64}
!4 = distinct !{!4, !1, !2, !3}
!5 = distinct !{!5, !1, !2, !3}
!6 = distinct !{!6, !1, !2}
!7 = distinct !{!7, !1, !2, !3}
!8 = distinct !{!8, !1, !2}
!9 = distinct !{!9, !1, !2, !3}
!10 = distinct !{!10, !1, !2, !3}
!11 = distinct !{!11, !1, !2}
!12 = distinct !{!12, !1, !2}
