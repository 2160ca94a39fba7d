.text
.p2align 5
.globl "product__packed.call"
.type "product__packed.call",@function
"product__packed.call":
".Lproduct__packed.call":
pushq %rbx
pushq %rbp
pushq %r12
pushq %r13
pushq %r14
pushq %r15
subq $88, %rsp
movq 0(%rdi), %rax
movq %rax, 0(%rsp)
movq 8(%rdi), %rax
movq %rax, 8(%rsp)
movq 16(%rdi), %rax
movq %rax, 16(%rsp)
movq $0, %rax
movq %rax, 24(%rsp)
movq $138, 32(%rsp)
movq 16(%rsp), %rax
movq %rax, 40(%rsp)
movq 8(%rsp), %rax
movq %rax, 48(%rsp)
.p2align 5
".Lproduct__packed.1":
movq $136, %rax
imulq $-1, 24(%rsp), %rsi
addq %rsi, %rax
testq %rax, %rax
jl ".Lproduct__packed.2"
movq $10, 56(%rsp)
movq 40(%rsp), %rax
movq %rax, 64(%rsp)
movq 0(%rsp), %rax
movq %rax, 72(%rsp)
.p2align 5
".Lproduct__packed.4":
movq 64(%rsp), %rcx
prefetcht0 52800(%rcx)
prefetcht0 57200(%rcx)
prefetcht0 61600(%rcx)
prefetcht0 66000(%rcx)
prefetcht0 70400(%rcx)
prefetcht0 74800(%rcx)
prefetcht0 79200(%rcx)
prefetcht0 83600(%rcx)
prefetcht0 88000(%rcx)
prefetcht0 92400(%rcx)
prefetcht0 96800(%rcx)
prefetcht0 101200(%rcx)
prefetcht0 52828(%rcx)
prefetcht0 57228(%rcx)
prefetcht0 61628(%rcx)
prefetcht0 66028(%rcx)
prefetcht0 70428(%rcx)
prefetcht0 74828(%rcx)
prefetcht0 79228(%rcx)
prefetcht0 83628(%rcx)
prefetcht0 88028(%rcx)
prefetcht0 92428(%rcx)
prefetcht0 96828(%rcx)
prefetcht0 101228(%rcx)
vmovups 0(%rcx), %ymm0
vmovups 4400(%rcx), %ymm1
vmovups 8800(%rcx), %ymm2
vmovups 13200(%rcx), %ymm3
vmovups 17600(%rcx), %ymm4
vmovups 22000(%rcx), %ymm5
vmovups 26400(%rcx), %ymm6
vmovups 30800(%rcx), %ymm7
vmovups 35200(%rcx), %ymm8
vmovups 39600(%rcx), %ymm9
vmovups 44000(%rcx), %ymm10
vmovups 48400(%rcx), %ymm11
movq 72(%rsp), %rcx
movq 48(%rsp), %rdx
addq $3080000, %rdx
movq $-3080000, %r15
.p2align 5
".Lproduct__packed.5":
vmovups 0(%rdx,%r15), %ymm12
vbroadcastss 0(%rcx), %ymm13
vfmadd231ps %ymm13, %ymm12, %ymm0
vbroadcastss 2800(%rcx), %ymm14
vfmadd231ps %ymm14, %ymm12, %ymm1
vbroadcastss 5600(%rcx), %ymm15
vfmadd231ps %ymm15, %ymm12, %ymm2
vbroadcastss 8400(%rcx), %ymm13
vfmadd231ps %ymm13, %ymm12, %ymm3
vbroadcastss 11200(%rcx), %ymm14
vfmadd231ps %ymm14, %ymm12, %ymm4
vbroadcastss 14000(%rcx), %ymm15
vfmadd231ps %ymm15, %ymm12, %ymm5
vbroadcastss 16800(%rcx), %ymm13
vfmadd231ps %ymm13, %ymm12, %ymm6
vbroadcastss 19600(%rcx), %ymm14
vfmadd231ps %ymm14, %ymm12, %ymm7
vbroadcastss 22400(%rcx), %ymm15
vfmadd231ps %ymm15, %ymm12, %ymm8
vbroadcastss 25200(%rcx), %ymm13
vfmadd231ps %ymm13, %ymm12, %ymm9
vbroadcastss 28000(%rcx), %ymm14
vfmadd231ps %ymm14, %ymm12, %ymm10
vbroadcastss 30800(%rcx), %ymm15
vfmadd231ps %ymm15, %ymm12, %ymm11
addq $4, %rcx
addq $4400, %r15
jnz ".Lproduct__packed.5"
movq 64(%rsp), %rcx
vmovups %ymm0, 0(%rcx)
vmovups %ymm1, 4400(%rcx)
vmovups %ymm2, 8800(%rcx)
vmovups %ymm3, 13200(%rcx)
vmovups %ymm4, 17600(%rcx)
vmovups %ymm5, 22000(%rcx)
vmovups %ymm6, 26400(%rcx)
vmovups %ymm7, 30800(%rcx)
vmovups %ymm8, 35200(%rcx)
vmovups %ymm9, 39600(%rcx)
vmovups %ymm10, 44000(%rcx)
vmovups %ymm11, 48400(%rcx)
addq $52800, 64(%rsp)
addq $33600, 72(%rsp)
decq 56(%rsp)
jnz ".Lproduct__packed.4"
jmp ".Lproduct__packed.3"
".Lproduct__packed.2":
movq $10, 56(%rsp)
movq 16(%rsp), %rax
movq %rax, 80(%rsp)
movq 0(%rsp), %rax
movq %rax, 72(%rsp)
.p2align 5
".Lproduct__packed.6":
movq 80(%rsp), %rcx
prefetcht0 57184(%rcx)
prefetcht0 61584(%rcx)
prefetcht0 65984(%rcx)
prefetcht0 70384(%rcx)
prefetcht0 74784(%rcx)
prefetcht0 79184(%rcx)
prefetcht0 83584(%rcx)
prefetcht0 87984(%rcx)
prefetcht0 92384(%rcx)
prefetcht0 96784(%rcx)
prefetcht0 101184(%rcx)
prefetcht0 105584(%rcx)
prefetcht0 57196(%rcx)
prefetcht0 61596(%rcx)
prefetcht0 65996(%rcx)
prefetcht0 70396(%rcx)
prefetcht0 74796(%rcx)
prefetcht0 79196(%rcx)
prefetcht0 83596(%rcx)
prefetcht0 87996(%rcx)
prefetcht0 92396(%rcx)
prefetcht0 96796(%rcx)
prefetcht0 101196(%rcx)
prefetcht0 105596(%rcx)
vmovups 4384(%rcx), %xmm13
vmovups 8784(%rcx), %xmm14
vmovups 13184(%rcx), %xmm15
vmovups 17584(%rcx), %xmm12
vmovups 21984(%rcx), %xmm0
vmovups 26384(%rcx), %xmm1
vmovups 30784(%rcx), %xmm2
vmovups 35184(%rcx), %xmm3
vmovups 39584(%rcx), %xmm4
vmovups 43984(%rcx), %xmm5
vmovups 48384(%rcx), %xmm6
vmovups 52784(%rcx), %xmm7
movq 72(%rsp), %rcx
movq 8(%rsp), %rdx
addq $3080000, %rdx
movq $-3080000, %r15
.p2align 5
".Lproduct__packed.7":
vmovups 4384(%rdx,%r15), %xmm8
vbroadcastss 0(%rcx), %xmm9
vfmadd231ps %xmm9, %xmm8, %xmm13
vbroadcastss 2800(%rcx), %xmm10
vfmadd231ps %xmm10, %xmm8, %xmm14
vbroadcastss 5600(%rcx), %xmm11
vfmadd231ps %xmm11, %xmm8, %xmm15
vbroadcastss 8400(%rcx), %xmm9
vfmadd231ps %xmm9, %xmm8, %xmm12
vbroadcastss 11200(%rcx), %xmm10
vfmadd231ps %xmm10, %xmm8, %xmm0
vbroadcastss 14000(%rcx), %xmm11
vfmadd231ps %xmm11, %xmm8, %xmm1
vbroadcastss 16800(%rcx), %xmm9
vfmadd231ps %xmm9, %xmm8, %xmm2
vbroadcastss 19600(%rcx), %xmm10
vfmadd231ps %xmm10, %xmm8, %xmm3
vbroadcastss 22400(%rcx), %xmm11
vfmadd231ps %xmm11, %xmm8, %xmm4
vbroadcastss 25200(%rcx), %xmm9
vfmadd231ps %xmm9, %xmm8, %xmm5
vbroadcastss 28000(%rcx), %xmm10
vfmadd231ps %xmm10, %xmm8, %xmm6
vbroadcastss 30800(%rcx), %xmm11
vfmadd231ps %xmm11, %xmm8, %xmm7
addq $4, %rcx
addq $4400, %r15
jnz ".Lproduct__packed.7"
movq 80(%rsp), %rcx
vmovups %xmm13, 4384(%rcx)
vmovups %xmm14, 8784(%rcx)
vmovups %xmm15, 13184(%rcx)
vmovups %xmm12, 17584(%rcx)
vmovups %xmm0, 21984(%rcx)
vmovups %xmm1, 26384(%rcx)
vmovups %xmm2, 30784(%rcx)
vmovups %xmm3, 35184(%rcx)
vmovups %xmm4, 39584(%rcx)
vmovups %xmm5, 43984(%rcx)
vmovups %xmm6, 48384(%rcx)
vmovups %xmm7, 52784(%rcx)
addq $52800, 80(%rsp)
addq $33600, 72(%rsp)
decq 56(%rsp)
jnz ".Lproduct__packed.6"
".Lproduct__packed.3":
addq $32, 40(%rsp)
addq $32, 48(%rsp)
addq $1, 24(%rsp)
decq 32(%rsp)
jnz ".Lproduct__packed.1"
vzeroupper
addq $88, %rsp
popq %r15
popq %r14
popq %r13
popq %r12
popq %rbp
popq %rbx
retq
.size "product__packed.call", .-"product__packed.call"
.globl "product__packed"
.type "product__packed",@function
"product__packed":
subq $24, %rsp
movq %rdi, 0(%rsp)
movq %rsi, 8(%rsp)
movq %rdx, 16(%rsp)
movq %rsp, %rdi
call ".Lproduct__packed.call"
addq $24, %rsp
retq
.size "product__packed", .-"product__packed"
.section ".note.GNU-stack","",@progbits
