.text
.p2align 5
.globl "transposed.call"
.type "transposed.call",@function
"transposed.call":
".Ltransposed.call":
pushq %rbx
pushq %rbp
pushq %r12
pushq %r13
pushq %r14
pushq %r15
subq $40, %rsp
movq 0(%rdi), %rax
movq %rax, 0(%rsp)
movq 8(%rdi), %rax
movq %rax, 8(%rsp)
movq $83, 16(%rsp)
movq 0(%rsp), %rax
movq %rax, 24(%rsp)
movq 8(%rsp), %rax
movq %rax, 32(%rsp)
.p2align 5
".Ltransposed.1":
movq 24(%rsp), %rcx
movq 32(%rsp), %rdx
addq $14608, %rcx
movq $-14608, %r15
.p2align 5
".Ltransposed.2":
vmovss 0(%rcx,%r15), %xmm0
vmovss %xmm0, 0(%rdx)
vmovss 332(%rcx,%r15), %xmm1
vmovss %xmm1, 4(%rdx)
vmovss 664(%rcx,%r15), %xmm2
vmovss %xmm2, 8(%rdx)
vmovss 996(%rcx,%r15), %xmm3
vmovss %xmm3, 12(%rdx)
addq $16, %rdx
addq $1328, %r15
jnz ".Ltransposed.2"
vmovss 0(%rcx), %xmm4
vmovss %xmm4, 0(%rdx)
addq $332, %rcx
addq $4, %rdx
addq $4, 24(%rsp)
addq $180, 32(%rsp)
decq 16(%rsp)
jnz ".Ltransposed.1"
vzeroupper
addq $40, %rsp
popq %r15
popq %r14
popq %r13
popq %r12
popq %rbp
popq %rbx
retq
.size "transposed.call", .-"transposed.call"
.globl "transposed"
.type "transposed",@function
"transposed":
subq $24, %rsp
movq %rdi, 0(%rsp)
movq %rsi, 8(%rsp)
movq %rsp, %rdi
call ".Ltransposed.call"
addq $24, %rsp
retq
.size "transposed", .-"transposed"
.section ".note.GNU-stack","",@progbits
