"""What a kernel says of itself: operations and bytes of a nest, registers and spills of the assembly."""

from __future__ import annotations

import pytest

from polyloop.backend.asm.facts import AssemblyFacts, assembly_facts
from polyloop.backend.errors import KernelArgumentError
from polyloop.backend.ir.affine import affine, at_least, minimum
from polyloop.backend.ir.counting import compulsory_bytes, nest_operations
from polyloop.backend.ir.expressions import F32, F64, Access, Binary, Call, Comparison, Literal, Read, Select
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, Guard, Loop, LoopKind, LoopNest, Node, Storage
from polyloop.backend.machine.host import host_target
from polyloop.backend.run.kernel import compile_program
from polyloop.backend.run.nest_kernel import Planning, compile_nest

M, N, K = affine("m"), affine("n"), affine("k")
ZERO = affine(0)


def product(rows: int = 8, columns: int = 64, tile: tuple[int, int] = (8, 64)) -> LoopNest:
    """C[m, n] += A[m, k] B[k, n] for k < N, in register tiles."""
    a, b, c = Access("A", (M, K)), Access("B", (K, N)), Access("C", (M, N))
    update = Binary("+", Read(c, F32), Binary("*", Read(a, F32), Read(b, F32), F32), F32)
    body: Node = Compute("S", c, update)
    body = Loop("n", affine("n0"), affine("n0") + tile[1], 1, body, LoopKind.VECTOR)
    body = Loop("m", affine("m0"), affine("m0") + tile[0], 1, body, LoopKind.UNROLLED)
    body = Loop("k", ZERO, affine("N"), 1, body)
    body = Loop("n0", ZERO, affine(columns), tile[1], body)
    body = Loop("m0", ZERO, affine(rows), tile[0], body)
    arrays = (
        ArraySpec("A", F32, (affine(rows), affine("N")), read_only=True),
        ArraySpec("B", F32, (affine("N"), affine(columns)), read_only=True),
        ArraySpec("C", F32, (affine(rows), affine(columns))),
    )
    return LoopNest("product", ("N",), arrays, body)


def nest(body: Node, *arrays: ArraySpec) -> LoopNest:
    return LoopNest("counted", ("N",), arrays, body)


ONE = Compute("S", Access("x", (M,)), Binary("+", Read(Access("x", (M,)), F64), Literal(1.0, F64), F64))
X = ArraySpec("x", F64, (affine("N"),))

COUNTS: list[tuple[Node, int]] = [
    (ONE, 1),
    (Block((ONE, ONE)), 2),
    (Loop("m", ZERO, affine("N"), 1, ONE), 10),
    (Loop("m", ZERO, affine("N"), 3, ONE), 4),
    (Loop("m", affine("N"), ZERO, 1, ONE), 0),
    (Loop("n", ZERO, affine("N"), 1, Loop("m", ZERO, N, 1, ONE)), 45),
    (Loop("n", ZERO, affine("N"), 4, Loop("m", N, minimum(N + 4, affine("N")), 1, ONE)), 10),
    (Loop("n", ZERO, affine("N"), 1, Guard(at_least(N, 7), ONE, Block((ONE, ONE)))), 3 + 2 * 7),
]


@pytest.mark.parametrize("number", range(len(COUNTS)))
def test_operations(number: int) -> None:
    body, expected = COUNTS[number]
    assert nest_operations(nest(body, X), {"N": 10}) == expected


def test_large_nests_are_counted_at_once() -> None:
    body: Node = Loop("k", ZERO, affine(1 << 30), 1, Loop("n", ZERO, affine(1000), 1, Loop("m", ZERO, N, 1, ONE)))
    assert nest_operations(nest(body, X), {"N": 1}) == (1 << 30) * 999 * 500


def test_what_counts() -> None:
    x = Read(Access("x", (M,)), F64)
    larger = Select(Comparison("<", x, Literal(0.0, F64)), Literal(0.0, F64), x, F64)
    value = Binary("/", Call("sqrt", (larger,), F64), x, F64)
    assert nest_operations(nest(Compute("S", Access("x", (M,)), value), X), {"N": 1}) == 2


def test_bytes() -> None:
    assert compulsory_bytes(product(), {"N": 10}) == 4 * (8 * 10 + 10 * 64 + 2 * 8 * 64)
    local = ArraySpec("x", F64, (affine("N"),), Storage.LOCAL)
    assert compulsory_bytes(nest(ONE, local), {"N": 10}) == 0
    unused = ArraySpec("y", F64, (affine("N"),))
    assert compulsory_bytes(nest(ONE, X, unused), {"N": 10}) == 160
    assert compulsory_bytes(nest(ONE, ArraySpec("x", F64, (None,))), {"N": 10}) is None


def test_a_report() -> None:
    kernel = compile_nest(product(16, 128))
    report = kernel.report(N=100)
    assert report.flops == 2 * 16 * 128 * 100
    assert report.bytes == 4 * (16 * 100 + 100 * 128 + 2 * 16 * 128)
    assert 1 <= report.registers <= host_target().vector_registers
    with pytest.raises(KernelArgumentError, match="kernel product misses its parameter 'N'; its parameters are N"):
        kernel.report()
    with pytest.raises(KernelArgumentError, match="kernel product has no parameter 'M'; its parameters are N"):
        kernel.report(N=1, M=2)


def test_a_vector_program_has_no_counts() -> None:
    report = compile_program(compile_nest(product()).program).report(N=1)
    assert report.flops is None


def test_a_tile_that_fits_does_not_spill() -> None:
    lanes, tall = host_target().lanes(F32), host_target().vector_registers == 32
    fits = compile_nest(product(8, 2 * lanes, (8 if tall else 4, 2 * lanes)))
    assert fits.report(N=64).spills == 0


ASSEMBLY = """
f:                                      # @f
# %bb.0:                                # %entry
	movq	%rdi, -8(%rsp)                  # 8-byte Spill
.LBB0_1:                                # %outer
                                        # =>This Loop Header: Depth=1
                                        #     Child Loop BB0_2 Depth 2
	movq	-8(%rsp), %rdi                  # 8-byte Reload
	vmovups	%zmm3, -64(%rsp)                # 64-byte Spill
.LBB0_2:                                # %inner
                                        #   Parent Loop BB0_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	vmulps	-64(%rsp), %zmm31, %zmm3        # 64-byte Folded Reload
	jne	.LBB0_4
# %bb.3:                                # %more
                                        #   in Loop: Header=BB0_2 Depth=2
	movq	-8(%rsp), %rdi                  # 8-byte Reload
.LBB0_4:                                # %done
	movq	-8(%rsp), %rdi                  # 8-byte Reload
	vaddps	%ymm0, %ymm3, %ymm0             # not zmm9
"""


def test_spills_and_registers_of_assembly() -> None:
    assert assembly_facts(ASSEMBLY) == AssemblyFacts(registers=3, spills=3)


PAIRS = """
f:                                      // @f
// %bb.0:                               // %entry
	stp	x29, x30, [sp, #64]             // 16-byte Folded Spill
.LBB0_1:                                // %outer
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_2 Depth 2
	stp	x8, x9, [sp, #16]               // 16-byte Folded Spill
	stp	q1, q2, [sp, #32]               // 32-byte Folded Spill
.LBB0_2:                                // %inner
                                        //   Parent Loop BB0_1 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	ldp	x8, x9, [sp, #16]               // 16-byte Folded Reload
	fadd	v1.4s, v1.4s, v3.4s
"""


def test_pairs_of_addresses_are_no_vectors() -> None:
    assert assembly_facts(PAIRS).spills == 2


def test_planning_is_what_it_was_compiled_with() -> None:
    assert compile_nest(product(), Planning(explicit=False)).report(N=3).flops == 2 * 8 * 64 * 3
