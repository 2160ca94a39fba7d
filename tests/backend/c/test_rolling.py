"""Register tiles as loops: the same values, and what is left as it is."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from polyloop.backend.c.arrays import without_dead
from polyloop.backend.c.named_integers import named_integers
from polyloop.backend.c.printer import print_c
from polyloop.backend.c.rolling import _active, _Grid, _UnlikeError, rolled
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine, choose, equal, minimum
from polyloop.backend.ir.expressions import F32, F64, I32, Expression
from polyloop.backend.ir.loop_nest import ArraySpec, Block, LoopNest
from polyloop.backend.ir.vector_program import Bind, ValueType
from polyloop.backend.ir.verify_program import verify
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.backend.planning.facts import Facts, map_bodies_with
from polyloop.lowering.to_nest import lower
from tests.backend.planning.nests import UNROLLED, VECTOR, binary, check, compute, gemm, i, it, j, k, loop, m, n, read
from tests.backend.planning.programs import flat, loops, operations, stores
from tests.backend.planning.test_blocks import rows, scans
from tests.helpers.vector_programs import at, program, run
from tests.replay import table
from tests.replay.programs import KernelProgram


def stencil(array: str, neighbours: tuple[int, ...] = (-1, 0, 1)) -> LoopNest:
    """Rows of sums of rows of `array` in A; in place, each row reads what the row before it wrote."""
    value: Expression = read(array, i + neighbours[0], j)
    for other in neighbours[1:]:
        value = binary("+", value, read(array, i + other, j))
    nest = loop("j", 0, m, loop("i", 4 * it + 1, 4 * it + 5, compute("S", read("A", i, j), value), UNROLLED), VECTOR)
    arrays = tuple(ArraySpec(name, F64, (n + 2, m)) for name in ("A", "B"))
    return LoopNest("stencil", ("n", "m"), arrays, loop("it", 0, n // 4, nest))


@pytest.mark.parametrize("shape", [(4, 16), (6, 24)])
@pytest.mark.parametrize("sizes", [(13, 29, 5), (1, 1, 1), (9, 33, 7)])
def test_products_are_the_same_values(shape: tuple[int, int], sizes: tuple[int, int, int]) -> None:
    nest = gemm(*shape)
    program = named_integers(rolled(plan(nest, host_target())).program)
    check(nest, dict(zip(("n", "m", "p"), sizes, strict=True)), program)


def ended(body: tuple[v.Statement, ...], names: Iterator[int]) -> tuple[v.Statement, ...]:
    """With a value at the end of every loop that carries any, for it to go on; it always does."""
    found: list[v.Statement] = []
    for statement in body:
        inner = map_bodies_with(statement, Facts(), lambda body, _: ended(body, names))
        if isinstance(inner, v.For) and inner.carried:
            count, zero, goes = (v.Value(f"end{next(names)}", ValueType(I32)) for _ in range(3))
            more = (
                v.Let(count.name, v.IndexValue(affine(inner.variable) + 1, 0, count.type)),
                v.Let(zero.name, v.Constant(0, zero.type)),
                v.Let(goes.name, v.Test("!=", count, zero, goes.type)),
            )
            inner = replace(inner, body=(*inner.body, *more), going=goes)
        found.append(inner)
    return tuple(found)


def test_what_ends_a_loop_stays_beside_its_tile() -> None:
    nest = gemm(4, 16)
    program = plan(nest, host_target())
    tile = rolled(replace(program, body=ended(program.body, itertools.count()))).program
    assert all(loop.going is not None for loop in loops(tile, "k"))
    verify(tile)
    check(nest, {"n": 9, "m": 33, "p": 7}, tile)


@pytest.mark.parametrize("array", ["A", "B"])
def test_stencils_are_the_same_values(array: str) -> None:
    nest = stencil(array)
    check(nest, {"n": 9, "m": 21}, rolled(plan(nest, host_target())).program)


def test_rows_that_read_what_other_rows_wrote_stay_apart() -> None:
    target = shown_target("avx2")
    assert [f.unroll for f in loops(rolled(plan(stencil("B", (-1,)), target)).program, "r")] == [4, 4]
    assert loops(rolled(plan(stencil("A"), target)).program, "r") == []


def test_rows_that_share_loads_stay_apart() -> None:
    """As a loop each of four rows would load three, of which there are six: compilers do not see it."""
    assert loops(rolled(plan(stencil("B"), shown_target("avx2"))).program, "r") == []


def test_a_tile_is_an_array_of_values() -> None:
    tile = rolled(plan(gemm(4, 16), shown_target("avx512")))
    type_ = ValueType(F64, 8)
    assert tile.registers == {"C_tile": type_, "B_part": type_, "C_tile2": type_, "B_part2": type_}
    assert tile.shared == {"B_part", "B_part2"}
    assert tile.program.array("C_tile").shape == (affine(4), affine(2), affine(8))
    assert [len(f.carried) for f in loops(tile.program, "k")] == [0, 0]
    assert len(stores(tile.program.body, "C")) == 2


def test_integers_that_stand_there_twice_have_a_name() -> None:
    limit = minimum(n, m + 3)
    copy = compute("S", read("A", i, j), read("B", i, j))
    nest = LoopNest(
        "copy",
        ("n", "m"),
        (ArraySpec("A", F64, (n, n)), ArraySpec("B", F64, (n, n))),
        loop("i", 0, limit, loop("j", 0, limit, copy)),
    )
    program = named_integers(plan(nest, host_target()))
    (bound,) = (s for s in flat(program.body) if isinstance(s, Bind))
    assert (bound.variable, str(bound.value)) == ("i_end", str(limit))
    assert [str(f.upper) for name in ("i", "j") for f in loops(program, name)] == ["i_end", "i_end"]
    check(nest, {"n": 7, "m": 2}, program)


def test_the_text_of_a_tile() -> None:
    text = print_c(plan(gemm(4, 16), shown_target("avx512"))).text
    assert "                    C_tile[r][c] = (A + (full ? 4 * it + r : polyloop_min(4 * it + r,\n" in text
    assert "                        n - 1)) * p)[k] * B_part[c] + C_tile[r][c];\n" in text


@pytest.mark.parametrize(
    ("nest", "lanes", "blocks"),
    [(rows(32, 8), 32, 4), (rows(16, 8, F32), 128, 2), (scans(), 32, 2), (scans(-1, in_place=True), 32, 2)],
    ids=["rows", "floats", "scans", "scans in place"],
)
def test_blocks_are_turned_from_one_array_to_another(nest: LoopNest, lanes: int, blocks: int) -> None:
    """Each block is one value of all its lanes; of the shuffles of two vectors none is left."""
    tile = rolled(plan(nest, shown_target("avx512"))).program
    shuffles = operations(without_dead(tile.body), v.Shuffle)
    assert [shuffle.type.lanes for shuffle in shuffles] == [lanes] * blocks
    for sizes in ({"n": 37, "m": 21}, {"n": 16, "m": 8}, {"n": 3, "m": 1}):
        check(nest, sizes, named_integers(rolled(plan(nest, host_target())).program))


def test_kinds_of_values_that_need_each_other_are_one_tile() -> None:
    """z += y;  y += A[k], of floats and doubles."""
    first = compute("S", z := read("z", j, type_=F32), binary("+", z, e.Cast(read("y", j), F32)))
    second = compute("T", read("y", j), binary("+", read("y", j), read("A", k, j)))
    nest = loop("k", 0, n, loop("j", 0, 32, Block((first, second)), VECTOR))
    arrays = (
        ArraySpec("y", F64, (affine(32),)),
        ArraySpec("z", F32, (affine(32),)),
        ArraySpec("A", F64, (n, affine(32))),
    )
    both = LoopNest("both", ("n",), arrays, nest)
    tile = rolled(plan(both, shown_target("avx512")))
    assert [len(f.carried) for f in loops(tile.program, "k")] == [0]
    assert {name: type_.lanes for name, type_ in tile.registers.items()} == {"y_tile": 8, "z_tile": 8}
    check(both, {"n": 5}, rolled(plan(both, host_target())).program)


def test_what_some_elements_do_not_say_follows_from_the_others() -> None:
    grid = _Grid(2, 3, ("r", "c"))
    row, column = affine("r"), affine("c")
    counts: Sequence[Affine | None] = [affine("n") - 8 * k for k in range(3)] * 2
    assert _active(grid, counts, 8) == affine("n") - 8 * column
    first_column = [None, *counts[1:3], None, *counts[4:]]
    assert _active(grid, first_column, 8) == choose(equal(column, 0), 8, affine("n") - 8 * column)
    first = [None, *counts[1:]]
    assert _active(grid, first, 8) == choose(equal(row + column, 0), 8, affine("n") - 8 * column)
    first_row = [None, None, None, *counts[3:]]
    assert _active(grid, first_row, 8) == choose(equal(row, 0), 8, affine("n") - 8 * column)
    for unlike in ([*counts[:5], None], [counts[0], counts[0], *counts[2:]]):
        with pytest.raises(_UnlikeError):
            _active(grid, unlike, 8)


def test_masks_of_the_first_columns_are_known_to_be_full() -> None:
    scheduled = KernelProgram("covariance", "isl").scheduled(shown_target("avx512"))
    text = print_c(plan(lower(scheduled.scop, scheduled.tree), shown_target("avx512")), "f").text
    assert "== 0 ? 8 : " in text


def nested(extra: bool = False) -> v.VectorProgram:
    """Four sums over two loops, of which the outer one only passes them on; `extra`: or stores one of them as well."""
    type_ = ValueType(F64, 4)
    names = [f"{stem}{r}" for r in range(4) for stem in ("outer", "inner")]
    values = {name: v.Value(name, type_) for name in names}
    inner, last, outer = [], [], []
    for r in range(4):
        load, total = v.Value(f"load{r}", type_), v.Value(f"total{r}", type_)
        last += [
            v.Let(load.name, v.Load(at("B", affine("y") + affine("x") + r, 0), type_)),
            v.Let(total.name, v.Arithmetic("+", (values[f"inner{r}"], load), type_)),
        ]
        inner.append(v.Carried(f"inner{r}", type_, values[f"outer{r}"], total, f"result{r}"))
        start = v.Value(f"start{r}", type_)
        outer.append(v.Carried(f"outer{r}", type_, start, v.Value(f"result{r}", type_), f"end{r}"))
    loop = v.For("x", affine(0), affine(3), 1, tuple(last), tuple(inner))
    also = (v.Store(at("B", 0, 0), v.Value("result0", type_)),) if extra else ()
    around = v.For("y", affine(0), affine("N"), 1, (loop, *also), tuple(outer))
    before = [v.Let(f"start{r}", v.Load(at("A", r, 0), type_)) for r in range(4)]
    after = [v.Store(at("A", r, 0), v.Value(f"end{r}", type_)) for r in range(4)]
    arrays = (ArraySpec("A", F64, (affine(4), affine(4))), ArraySpec("B", F64, (affine(12), affine(4))))
    return program(arrays, *before, around, *after)


def test_what_several_loops_carry_is_one_tile() -> None:
    original = nested()
    tile = rolled(original)
    assert tile.registers == {"A_tile": ValueType(F64, 4)}
    assert [f.carried for name in ("x", "y") for f in loops(tile.program, name)] == [(), ()]
    assert len(loops(tile.program, "r")) == 3
    verify(tile.program)
    results = []
    for each in (original, tile.program):
        arrays = {"A": np.arange(16.0).reshape(4, 4), "B": np.arange(48.0).reshape(12, 4) / 3}
        run(each, N=5, **arrays)
        results.append(arrays["A"])
    assert np.array_equal(results[0], results[1])
    assert not np.array_equal(results[0], np.arange(16.0).reshape(4, 4))


def test_what_a_loop_does_more_than_pass_on_stays() -> None:
    tile = rolled(nested(extra=True))
    assert [len(f.carried) for name in ("x", "y") for f in loops(tile.program, name)] == [4, 4]


def chain(steps: int, last: str = "fma") -> v.VectorProgram:
    """y[j] += the sum of x[r] A[r][j], step by step; what is multiplied with is loaded in front of the loop."""
    one, all_ = ValueType(F64), ValueType(F64, 4)
    lets: list[v.Statement] = []
    body: list[v.Statement] = [v.Let("s0", v.Load(at("y", "j"), all_))]
    for r in range(steps):
        lets += [v.Let(f"x{r}", v.Load(at("x", r, stride=0), one))]
        lets += [v.Let(f"b{r}", v.Broadcast(v.Value(f"x{r}", one), all_))]
        body.append(v.Let(f"a{r}", v.Load(at("A", r, "j"), all_)))
        factors = (v.Value(f"b{r}", all_), v.Value(f"a{r}", all_), v.Value(f"s{r}", all_))
        operator = last if r == steps // 2 else "fma"
        body.append(v.Let(f"s{r + 1}", v.Arithmetic(operator, factors if operator == "fma" else factors[1:], all_)))
    body.append(v.Store(at("y", "j"), v.Value(f"s{steps}", all_)))
    shapes = {"A": (affine(steps), affine("N")), "x": (affine(steps),), "y": (affine("N"),)}
    arrays = tuple(ArraySpec(name, F64, shape, read_only=name != "y") for name, shape in shapes.items())
    return program(arrays, *lets, v.For("j", affine(0), affine("N") - 3, 4, tuple(body)))


def test_steps_with_one_value_after_the_other_are_a_loop() -> None:
    written = chain(8)
    text = print_c(written).text
    assert text.count("y_sum = x_values[r] * *(const polyloop_f64x4 *)&(A + r * N)[j] + y_sum;") == 1
    assert text.count("x_values[r] = (polyloop_f64x4){x[r], x[r], x[r], x[r]};") == 1
    made = rolled(written).program
    verify(made)
    a, x = np.random.default_rng(1).uniform(-1, 1, (8, 8)), np.arange(8.0)
    results = []
    for each in (written, made):
        y = np.ones(8)
        run(each, N=8, A=a, x=x, y=y)
        results.append(y.tobytes())
    assert results[0] == results[1]


def test_steps_of_several_kinds_stay() -> None:
    assert "y_sum" not in print_c(chain(6, last="+")).text


@pytest.mark.parametrize("shared", [False, True])
def test_functions_are_called_once(shared: bool) -> None:
    """y[j] += the sum of exp(A[r][j]); z[j] that of the same numbers, or nothing."""
    all_ = ValueType(F64, 4)
    body: list[v.Statement] = [v.Let(f"{sum_}0", v.Load(at(sum_, "j"), all_)) for sum_ in "yz"]
    for r in range(8):
        body.append(v.Let(f"a{r}", v.Load(at("A", r, "j"), all_)))
        body.append(v.Let(f"x{r}", v.Apply("exp", (v.Value(f"a{r}", all_),), all_)))
        for sum_ in "yz" if shared else "y":
            operands = v.Value(f"{sum_}{r}", all_), v.Value(f"x{r}", all_)
            body.append(v.Let(f"{sum_}{r + 1}", v.Arithmetic("+", operands, all_)))
    body += [v.Store(at(sum_, "j"), v.Value(f"{sum_}{8 if shared or sum_ == 'y' else 0}", all_)) for sum_ in "yz"]
    shapes = {"A": (affine(8), affine("N")), "y": (affine("N"),), "z": (affine("N"),)}
    arrays = tuple(ArraySpec(name, F64, shape, read_only=name == "A") for name, shape in shapes.items())
    made = rolled(program(arrays, v.For("j", affine(0), affine("N") - 3, 4, tuple(body)))).program
    assert len(operations(without_dead(made.body), v.Apply)) == (8 if shared else 1)


@pytest.mark.parametrize("name", ["layernorm", "attention"])
@pytest.mark.parametrize("target", ["avx2", "avx512"])
def test_what_stands_in_other_loops_is_not_computed_twice(name: str, target: str) -> None:
    """Chains whose last values are elements of one statement."""
    ((text,),) = (stages.values() for stages in table.texts(f"{name}:{target}:c").values())
    for function in re.split(r"^\}", text, flags=re.MULTILINE):
        for carried in set(re.findall(r"\bcarried\w*", function)):
            lines = [line.strip() for line in function.splitlines() if re.search(rf"\b{carried}\b", line)]
            assert any(not re.match(rf"(polyloop_\w+ )?{carried} =", line) for line in lines), carried
