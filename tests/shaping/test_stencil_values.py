"""Random stencils of one to three dimensions, in one array or two, in all shapes of time tiles: the same bits.

Sizes and numbers of steps are odd, below a tile's or just above it, and small enough that some rows or all are missing.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import numpy as np
import pytest

from polyloop.backend.ir.loop_nest import Loop, LoopKind, walk
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.backend.run.kernel import Kernel, compile_program
from polyloop.frontend import read_c
from polyloop.lowering import to_nest
from polyloop.lowering.to_nest import lower
from polyloop.schedules.isl_scheduler import isl_schedule
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.shaped import ShapedTree, all_parallel, legal_shapes, parallelized
from tests.helpers.running import Arrays, assert_same, copied, random_data

SIZES = {
    1: ((5, 33), (40, 9), (1, 2), (0, 7)),
    2: ((3, 17), (37, 5), (33, 43), (2, 270), (1, 2)),
    3: ((3, 11), (34, 5), (9, 23), (1, 2)),
}
"""(steps, elements along each dimension) by the number of dimensions."""

SHAPES = 6

OPERATIONS = 2_000_000
"""Of isl for tiles along their diagonals, at most. Tiles one after the other take it up to 300,000; diagonals of which
it does not know what they are sums of took twenty seconds, in which nothing was searched."""


def stencil(seed: int, dimensions: int) -> str:
    """Sweeps with random neighbours and weights; between one and three statements."""
    rng = np.random.default_rng(seed)
    type_ = ("double", "float")[seed % 2]
    names = "ijk"[:dimensions]
    extents = "[n]" * dimensions
    arrays = ("A", "B", "C")[: 1 + int(rng.integers(3))]

    def element(array: str, moved: bool) -> str:
        steps = rng.integers(-1, 2, dimensions) if moved else np.zeros(dimensions, int)
        return array + "".join(f"[{name}{step:+d}]" for name, step in zip(names, steps, strict=True))

    def sweep(target: str, source: str) -> list[str]:
        terms = [f"{0.25 * int(rng.integers(1, 4))}f * {element(source, True)}" for _ in range(int(rng.integers(2, 6)))]
        if rng.random() < 0.5:
            terms.append(element(target, False))
        loops = [f"for (int {name} = 1; {name} < n - 1; {name}++)" for name in names]
        return [*loops, f"{element(target, False)} = {' + '.join(terms)};"]

    pairs = zip(arrays[1:] + arrays[:1], arrays, strict=True)
    body = [line for target, source in pairs for line in sweep(target, source)]
    parameters = ", ".join(f"{type_} {array}{extents}" for array in arrays)
    lines = [f"void sweeps(int t, int n, {parameters})", "{", "#pragma scop", "for (int s = 0; s < t; s++) {", *body]
    return "\n".join([*lines, "}", "#pragma endscop", "}"])


def turns(seed: int, dimensions: int) -> str:
    """Sweeps from one array of several into the next."""
    rng = np.random.default_rng(seed)
    names, count = "ijk"[:dimensions], 2 + seed % 2

    def element(turn: str, moved: bool) -> str:
        steps = rng.integers(-1, 2, dimensions) if moved else np.zeros(dimensions, int)
        return f"A[{turn}]" + "".join(f"[{name}{step:+d}]" for name, step in zip(names, steps, strict=True))

    terms = [f"{0.25 * int(rng.integers(1, 4))} * {element(f's % {count}', True)}" for _ in range(4)]
    loops = [f"for (int {name} = 1; {name} < n - 1; {name}++)" for name in names]
    body = [*loops, f"{element(f'(s + 1) % {count}', False)} = {' + '.join(terms)};"]
    lines = [f"void sweeps(int t, int n, double A[{count}]{'[n]' * dimensions})", "{", "#pragma scop"]
    return "\n".join([*lines, "for (int s = 0; s < t; s++)", *body, "#pragma endscop", "}"])


def to_and_fro(seed: int, dimensions: int) -> str:
    """Means of an element and its neighbours, from one array into the other and back; extents are numbers."""
    del seed
    assert dimensions == 2
    loops = "for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)"
    sweep = "{1}[i][j] = 0.2 * ({0}[i][j] + {0}[i][j-1] + {0}[i][1+j] + {0}[1+i][j] + {0}[i-1][j]);"
    lines = ["void sweeps(int t, int n, double A[300][300], double B[300][300])", "{", "#pragma scop"]
    lines += ["for (int s = 0; s < t; s++) {", loops, sweep.format("A", "B"), loops, sweep.format("B", "A"), "}"]
    return "\n".join([*lines, "#pragma endscop", "}"])


def time_tiles(proofs: Proofs, scop: Scop) -> list[tuple[str, ShapedTree]]:
    tree = isl_schedule(scop, proofs.flow(scop))
    base = ShapedTree("isl", scop, tree)
    found = []
    for nest in base.nests():
        shapes = legal_shapes(proofs, host_target(), base, nest)
        wanted = (entry for entry in shapes if "steps of" in entry[0] or "skewed" in entry[0])
        found += [(name, base.with_shape(nest, name, shape)) for name, shape in islice(wanted, SHAPES)]
    return found


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("program", [stencil, turns])
def test_time_tiles_compute_the_same(program: Callable[[int, int], str], seed: int, dimensions: int) -> None:
    (scop,) = read_c("sweeps.c", text=program(10 * seed + dimensions, dimensions))
    proofs = Proofs()
    original = compile_program(scalar_program(lower(scop, original_tree(scop))), contract=True)
    data = []
    for steps, extent in SIZES[dimensions]:
        sizes = {"t": steps, "n": extent}
        arrays = random_data(scop, sizes, seed)
        data.append((sizes, arrays, _run(original, sizes, arrays)))
    tiles = time_tiles(proofs, scop)
    assert dimensions == 1 or tiles
    # Some of the shapes, others each time: compiling is what takes the time.
    for name, base in tiles[seed::5]:
        tree = base.shaped(proofs.dependences(scop))
        assert proofs.is_legal(scop, tree)
        kernel = compile_program(plan(lower(scop, tree), host_target(), contract=True), contract=True)
        for sizes, arrays, expected in data:
            assert_same(expected, _run(kernel, sizes, arrays), f"{name} at {sizes}")


@pytest.mark.parametrize(("program", "dimensions"), [(stencil, 2), (stencil, 3), (turns, 2), (to_and_fro, 2)])
def test_wavefronts_compute_the_same(
    program: Callable[[int, int], str], dimensions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tiles over time depend on each other; those of one diagonal run in parallel."""
    (scop,) = read_c("sweeps.c", text=program(dimensions, dimensions))
    proofs = Proofs()
    # Planes that follow one another have no diagonals; tiles of rows do.
    name, base = next(entry for entry in time_tiles(proofs, scop) if "rows at once" in entry[0])
    tree = parallelized(proofs, scop, base.shaped(proofs.dependences(scop)), 3)
    monkeypatch.setattr(to_nest, "OPERATION_CAP", OPERATIONS)
    nest = lower(scop, tree)
    around = [node for node in walk(nest.body) if isinstance(node, Loop)][:3]
    assert [loop.kind for loop in around] == [LoopKind.SEQUENTIAL, LoopKind.SEQUENTIAL, LoopKind.PARALLEL]
    assert around[1].variable in around[2].upper.variables()  # diagonal by diagonal
    kernel = compile_program(plan(nest, host_target(), contract=True), contract=True, threads=2)
    original = compile_program(scalar_program(lower(scop, original_tree(scop))), contract=True)
    for steps, extent in (*SIZES[dimensions], (70, 15)):
        sizes = {"t": steps, "n": extent}
        arrays = random_data(scop, sizes, steps)
        assert_same(_run(original, sizes, arrays), _run(kernel, sizes, arrays), f"{name} at {sizes}")


def test_whole_register_tiles_stay_whole_in_wavefronts() -> None:
    (scop,) = read_c("sweeps.c", text=stencil(2, 2))
    proofs = Proofs()

    def has_whole_tiles(tree: ScheduleTree) -> bool:
        loops = (node for node in walk(lower(scop, tree).body) if isinstance(node, Loop))
        return any(loop.kind is LoopKind.UNROLLED and (loop.upper - loop.lower).is_constant for loop in loops)

    trees = (base.shaped(proofs.dependences(scop)) for _, base in time_tiles(proofs, scop))
    tree = next(filter(has_whole_tiles, trees))
    diagonals = parallelized(proofs, scop, tree, 2)
    assert all_parallel(diagonals)
    assert has_whole_tiles(diagonals)


def _run(kernel: Kernel, sizes: dict[str, int], arrays: Arrays) -> Arrays:
    result = copied(arrays)
    kernel(**result, **sizes)
    return result
