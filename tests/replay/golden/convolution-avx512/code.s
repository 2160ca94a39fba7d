.text
.p2align 5
.globl "convolution.call"
.type "convolution.call",@function
"convolution.call":
".Lconvolution.call":
pushq %rbx
pushq %rbp
pushq %r12
pushq %r13
pushq %r14
pushq %r15
subq $136, %rsp
movq 0(%rdi), %rax
movq %rax, 0(%rsp)
movq 8(%rdi), %rax
movq %rax, 8(%rsp)
movq 16(%rdi), %rax
movq %rax, 16(%rsp)
movq $9, 24(%rsp)
movq 16(%rsp), %rax
movq %rax, 32(%rsp)
movq 0(%rsp), %rax
movq %rax, 40(%rsp)
.p2align 5
".Lconvolution.1":
movq $0, %rax
movq %rax, 48(%rsp)
movq $2, 56(%rsp)
movq 32(%rsp), %rax
movq %rax, 64(%rsp)
movq 40(%rsp), %rax
movq %rax, 72(%rsp)
.p2align 5
".Lconvolution.2":
movq $-6, %rax
imulq $-6, 48(%rsp), %rsi
addq %rsi, %rax
movq $11, %rcx
movq $6, %rdx
imulq $6, 48(%rsp), %rsi
addq %rsi, %rdx
cmpq %rdx, %rcx
cmovgq %rdx, %rcx
imulq $1, %rcx, %rsi
addq %rsi, %rax
testq %rax, %rax
jl ".Lconvolution.3"
movq 64(%rsp), %rcx
vmovups 0(%rcx), %zmm0
vmovups 64(%rcx), %zmm1
vmovups 128(%rcx), %ymm2
vmovups 160(%rcx), %zmm3
vmovups 224(%rcx), %zmm4
vmovups 288(%rcx), %ymm5
vmovups 320(%rcx), %zmm6
vmovups 384(%rcx), %zmm7
vmovups 448(%rcx), %ymm8
vmovups 480(%rcx), %zmm9
vmovups 544(%rcx), %zmm10
vmovups 608(%rcx), %ymm11
vmovups 640(%rcx), %zmm12
vmovups 704(%rcx), %zmm13
vmovups 768(%rcx), %ymm14
vmovups 800(%rcx), %zmm15
vmovups 864(%rcx), %zmm16
vmovups 928(%rcx), %ymm17
movq $3, 80(%rsp)
movq 72(%rsp), %rax
movq %rax, 88(%rsp)
movq 8(%rsp), %rax
movq %rax, 96(%rsp)
.p2align 5
".Lconvolution.5":
movq $3, 104(%rsp)
movq 88(%rsp), %rax
movq %rax, 112(%rsp)
movq 96(%rsp), %rax
movq %rax, 120(%rsp)
.p2align 5
".Lconvolution.6":
movq 112(%rsp), %rcx
movq 120(%rsp), %rdx
addq $800, %rdx
movq $-800, %r15
.p2align 5
".Lconvolution.7":
vmovups 0(%rdx,%r15), %zmm18
vbroadcastss 0(%rcx), %zmm19
vfmadd231ps %zmm19, %zmm18, %zmm0
vmovups 64(%rdx,%r15), %zmm20
vfmadd231ps %zmm19, %zmm20, %zmm1
vmovups 128(%rdx,%r15), %ymm21
vbroadcastss 0(%rcx), %ymm22
vfmadd231ps %ymm22, %ymm21, %ymm2
vbroadcastss 20(%rcx), %zmm23
vfmadd231ps %zmm23, %zmm18, %zmm3
vfmadd231ps %zmm23, %zmm20, %zmm4
vbroadcastss 20(%rcx), %ymm24
vfmadd231ps %ymm24, %ymm21, %ymm5
vbroadcastss 40(%rcx), %zmm25
vfmadd231ps %zmm25, %zmm18, %zmm6
vfmadd231ps %zmm25, %zmm20, %zmm7
vbroadcastss 40(%rcx), %ymm26
vfmadd231ps %ymm26, %ymm21, %ymm8
vbroadcastss 60(%rcx), %zmm27
vfmadd231ps %zmm27, %zmm18, %zmm9
vfmadd231ps %zmm27, %zmm20, %zmm10
vbroadcastss 60(%rcx), %ymm28
vfmadd231ps %ymm28, %ymm21, %ymm11
vbroadcastss 80(%rcx), %zmm29
vfmadd231ps %zmm29, %zmm18, %zmm12
vfmadd231ps %zmm29, %zmm20, %zmm13
vbroadcastss 80(%rcx), %ymm30
vfmadd231ps %ymm30, %ymm21, %ymm14
vbroadcastss 100(%rcx), %zmm31
vfmadd231ps %zmm31, %zmm18, %zmm15
vfmadd231ps %zmm31, %zmm20, %zmm16
vbroadcastss 100(%rcx), %ymm19
vfmadd231ps %ymm19, %ymm21, %ymm17
addq $4, %rcx
addq $160, %r15
jnz ".Lconvolution.7"
addq $20, 112(%rsp)
addq $800, 120(%rsp)
decq 104(%rsp)
jnz ".Lconvolution.6"
addq $260, 88(%rsp)
addq $2400, 96(%rsp)
decq 80(%rsp)
jnz ".Lconvolution.5"
movq 64(%rsp), %rcx
vmovups %zmm0, 0(%rcx)
vmovups %zmm1, 64(%rcx)
vmovups %ymm2, 128(%rcx)
vmovups %zmm3, 160(%rcx)
vmovups %zmm4, 224(%rcx)
vmovups %ymm5, 288(%rcx)
vmovups %zmm6, 320(%rcx)
vmovups %zmm7, 384(%rcx)
vmovups %ymm8, 448(%rcx)
vmovups %zmm9, 480(%rcx)
vmovups %zmm10, 544(%rcx)
vmovups %ymm11, 608(%rcx)
vmovups %zmm12, 640(%rcx)
vmovups %zmm13, 704(%rcx)
vmovups %ymm14, 768(%rcx)
vmovups %zmm15, 800(%rcx)
vmovups %zmm16, 864(%rcx)
vmovups %ymm17, 928(%rcx)
jmp ".Lconvolution.4"
".Lconvolution.3":
movq 64(%rsp), %rcx
vmovups 0(%rcx), %zmm22
vmovups 64(%rcx), %zmm23
vmovups 128(%rcx), %ymm24
vmovups 160(%rcx), %zmm25
vmovups 224(%rcx), %zmm26
vmovups 288(%rcx), %ymm27
vmovups 320(%rcx), %zmm28
vmovups 384(%rcx), %zmm29
vmovups 448(%rcx), %ymm30
vmovups 480(%rcx), %zmm18
vmovups 544(%rcx), %zmm31
vmovups 608(%rcx), %ymm20
vmovups 640(%rcx), %zmm19
vmovups 704(%rcx), %zmm21
vmovups 768(%rcx), %ymm0
movq $3, 80(%rsp)
movq 72(%rsp), %rax
movq %rax, 88(%rsp)
movq 8(%rsp), %rax
movq %rax, 96(%rsp)
.p2align 5
".Lconvolution.8":
movq $3, 104(%rsp)
movq 88(%rsp), %rax
movq %rax, 112(%rsp)
movq 96(%rsp), %rax
movq %rax, 120(%rsp)
.p2align 5
".Lconvolution.9":
movq 112(%rsp), %rcx
movq 120(%rsp), %rdx
addq $800, %rdx
movq $-800, %r15
.p2align 5
".Lconvolution.10":
vmovups 0(%rdx,%r15), %zmm1
vbroadcastss 0(%rcx), %zmm2
vfmadd231ps %zmm2, %zmm1, %zmm22
vmovups 64(%rdx,%r15), %zmm3
vfmadd231ps %zmm2, %zmm3, %zmm23
vmovups 128(%rdx,%r15), %ymm4
vbroadcastss 0(%rcx), %ymm5
vfmadd231ps %ymm5, %ymm4, %ymm24
vbroadcastss 20(%rcx), %zmm6
vfmadd231ps %zmm6, %zmm1, %zmm25
vfmadd231ps %zmm6, %zmm3, %zmm26
vbroadcastss 20(%rcx), %ymm7
vfmadd231ps %ymm7, %ymm4, %ymm27
vbroadcastss 40(%rcx), %zmm8
vfmadd231ps %zmm8, %zmm1, %zmm28
vfmadd231ps %zmm8, %zmm3, %zmm29
vbroadcastss 40(%rcx), %ymm9
vfmadd231ps %ymm9, %ymm4, %ymm30
vbroadcastss 60(%rcx), %zmm10
vfmadd231ps %zmm10, %zmm1, %zmm18
vfmadd231ps %zmm10, %zmm3, %zmm31
vbroadcastss 60(%rcx), %ymm11
vfmadd231ps %ymm11, %ymm4, %ymm20
vbroadcastss 80(%rcx), %zmm12
vfmadd231ps %zmm12, %zmm1, %zmm19
vfmadd231ps %zmm12, %zmm3, %zmm21
vbroadcastss 80(%rcx), %ymm13
vfmadd231ps %ymm13, %ymm4, %ymm0
addq $4, %rcx
addq $160, %r15
jnz ".Lconvolution.10"
addq $20, 112(%rsp)
addq $800, 120(%rsp)
decq 104(%rsp)
jnz ".Lconvolution.9"
addq $260, 88(%rsp)
addq $2400, 96(%rsp)
decq 80(%rsp)
jnz ".Lconvolution.8"
movq 64(%rsp), %rcx
vmovups %zmm22, 0(%rcx)
vmovups %zmm23, 64(%rcx)
vmovups %ymm24, 128(%rcx)
vmovups %zmm25, 160(%rcx)
vmovups %zmm26, 224(%rcx)
vmovups %ymm27, 288(%rcx)
vmovups %zmm28, 320(%rcx)
vmovups %zmm29, 384(%rcx)
vmovups %ymm30, 448(%rcx)
vmovups %zmm18, 480(%rcx)
vmovups %zmm31, 544(%rcx)
vmovups %ymm20, 608(%rcx)
vmovups %zmm19, 640(%rcx)
vmovups %zmm21, 704(%rcx)
vmovups %ymm0, 768(%rcx)
".Lconvolution.4":
addq $960, 64(%rsp)
addq $120, 72(%rsp)
addq $1, 48(%rsp)
decq 56(%rsp)
jnz ".Lconvolution.2"
addq $1760, 32(%rsp)
addq $260, 40(%rsp)
decq 24(%rsp)
jnz ".Lconvolution.1"
vzeroupper
addq $136, %rsp
popq %r15
popq %r14
popq %r13
popq %r12
popq %rbp
popq %rbx
retq
.size "convolution.call", .-"convolution.call"
.globl "convolution"
.type "convolution",@function
"convolution":
subq $24, %rsp
movq %rdi, 0(%rsp)
movq %rsi, 8(%rsp)
movq %rdx, 16(%rsp)
movq %rsp, %rdi
call ".Lconvolution.call"
addq $24, %rsp
retq
.size "convolution", .-"convolution"
.section ".note.GNU-stack","",@progbits
