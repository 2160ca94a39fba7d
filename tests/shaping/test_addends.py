"""Block by block: sums in order of what is computed before, in lanes, and what scalars keep. The same bits."""

from __future__ import annotations

import numpy as np
import pytest

from polyloop.backend.ir.expressions import F64
from polyloop.backend.ir.loop_nest import Loop, LoopKind, walk
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.backend.run.kernel import compile_program
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.isl_scheduler import distributed
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.outer_lanes import outer_lanes
from polyloop.shaping.shaped import first_shaped
from polyloop.shaping.variants import BLOCK, CHAINED, in_blocks, with_addends, with_own_rows
from polyloop.transforms import Addend, Strip, parse_steps, replay_steps, trace_text
from polyloop.transforms.scop_transform import IllegalScopTransformError
from tests.helpers.enumeration import run
from tests.helpers.running import Arrays, assert_same, copied

SUMS = {
    "path": "for (int i = 1; i < n; i++) s[0] += sqrt((x[i] - x[i - 1]) * (x[i] - x[i - 1]) + y[i]);",
    "pairs": "for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) s[i] += 1.0 / (1.5 + x[i] * y[j]);",
    "less": "for (int i = 0; i < n; i++) { s[i] = y[i]; for (int j = 0; j < i; j++) s[i] -= f[j] / (2 + f[i]); }",
    "three": "for (int i = 0; i < n; i++) s[0] = s[0] - 1 / x[i] - x[i] - sqrt(y[i]) / (1 + x[i]);",
    "two": "for (int i = 0; i < n; i++) { double t = x[i] / (y[i] + 1); s[0] += sqrt(t); s[1] -= sqrt(y[i]) / 3; }",
}


def read(body: str) -> Scop:
    parameters = "int n, double s[n + 2], double x[n], double y[n], float f[n]"
    text = f"#include <math.h>\nvoid sums({parameters})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n"
    (scop,) = read_source("f.c", text=text).scops
    return scop


KEPT = {
    "nearest": """for (int i = 0; i < n; i++) {
        double best = 9, k = 0;
        for (int j = 0; j < 5; j++) {
            double d = (x[i] - y[0] * j) * (x[i] - y[0] * j);
            if (d < best) { best = d; k = j; }
        }
        s[i] = k + best;
    }""",
    "frames": """for (int t = 0; t < 3; t++) {
        double c = x[t % 2] + t;
        for (int i = 0; i < n; i++) {
            double best = 9;
            for (int j = 0; j < 5; j++) {
                double d = (x[i] - c * j) * (x[i] - c * j);
                if (d < best) best = d;
            }
            s[i] = s[i] + best;
        }
    }""",
    "running": "double v = x[0]; for (int i = 0; i < n; i++) { v = v * y[0] + x[i]; s[i] = y[i] / (1 + v * v); }",
    "inner": "for (int t = 0; t < 3; t++) for (int i = 0; i < n; i++)"
    " { double a = 1 / (x[i] + t); s[i] += a; s[i + 2] -= a / (1 + a); }",
}


@pytest.mark.parametrize("name", [*SUMS, *KEPT])
def test_block_by_block_gives_the_same_bits(name: str) -> None:
    scop, target, proofs = read(SUMS.get(name) or KEPT[name]), host_target(), Proofs()
    (variant, *_) = with_addends(scop) if name in SUMS else in_blocks(scop)
    replayed, _ = replay_steps(scop, parse_steps(trace_text(variant.steps)))
    assert replayed.statements == variant.scop.statements
    tree = distributed(variant.scop, original_tree(variant.scop), proofs.dependences(variant.scop))
    shaped = first_shaped(proofs, target, variant.scop, tree)
    assert proofs.is_legal(variant.scop, shaped)
    nest = lower(variant.scop, shaped)
    assert any(isinstance(node, Loop) and node.kind is LoopKind.VECTOR for node in walk(nest.body))
    lanes = compile_program(plan(nest, target))
    plain = compile_program(scalar_program(lower(scop, original_tree(scop))))
    for n in (0, 1, 7, CHAINED, CHAINED + 1, BLOCK, BLOCK + 1, 2 * BLOCK + 37):
        rng = np.random.default_rng(n)
        numbers = {key: rng.uniform(0.5, 2, n + 2 * (key == "s")) for key in "sxy"}
        every: Arrays = {**numbers, "f": rng.uniform(0.5, 2, n).astype(np.float32)}
        data = {array.name: every[array.name] for array in scop.arrays if not array.local}
        expected, found = copied(data), copied(data)
        plain(**expected, n=n)
        lanes(**found, n=n)
        assert_same(expected, found, f"{n} elements")


def test_blocks_are_as_long_as_they_are_said_to_be() -> None:
    (variant,) = with_addends(read(SUMS["pairs"]))
    (new,) = [a for a in variant.scop.arrays if a.shape and a.local]
    assert [str(extent) for extent in new.shape] == [str(CHAINED)]
    scop = read("for (int i = 0; i < n; i++) for (int j = 1; j < i; j++) s[i] = s[i] + x[j];")
    short = Strip("S0", 3).apply(scop)
    around = Strip("S0", 3, 0).apply(scop)
    assert around.statements[0].iterators == ("i_block", "i_in", "j")
    for n in (0, 2, 5, 9):
        assert run(short, {"n": n}) == run(around, {"n": n}) == run(scop, {"n": n})


def test_scalars_of_a_loop_inside_are_expanded_with_those_around_it() -> None:
    variant, _ = in_blocks(read(KEPT["nearest"]))
    new = {a.name: [str(extent) for extent in a.shape] for a in variant.scop.arrays if a.local and a.shape}
    assert new.keys() >= {"best_x", "k_x", "d_x"}
    assert set(map(tuple, new.values())) == {(str(BLOCK),)}
    assert all(len(s.iterators) == s.depth and "i_block" in s.iterators for s in variant.scop.statements)
    assert not list(in_blocks(read("for (int i = 0; i < n; i++) s[i] = x[i];")))


def test_the_loop_whose_scalars_change_inside_of_it_is_in_blocks_first() -> None:
    variants = list(in_blocks(read(KEPT["frames"])))
    blocks = [{it for s in variant.scop.statements for it in s.iterators if "block" in it} for variant in variants]
    assert blocks == [{"i_block"}, {"t_block"}]
    assert all(array.shape == () for array in variants[0].scop.arrays if array.name == "c")


def test_blocks_of_recurrences_are_short() -> None:
    (running,) = in_blocks(read(KEPT["running"]))
    (inner,) = in_blocks(read(KEPT["inner"]))
    for variant, size in ((running, CHAINED), (inner, BLOCK)):
        assert {str(extent) for a in variant.scop.arrays if a.local for extent in a.shape} == {str(size)}


def test_a_sum_around_a_loop_leaves_what_that_computes_to_blocks_of_its_own() -> None:
    body = """for (int t = 0; t < 5; t++) {
        double sum = 0;
        for (int i = 0; i < n; i++) { double d = (x[i] - s[i]) / y[i]; sum += d * d; s[i] = x[i] + d; }
        f[t] = sum;
    }"""
    _, variant = in_blocks(read(body))
    assert {a.name for a in variant.scop.arrays if a.local and a.shape} == {"d_x"}
    tree = distributed(variant.scop, original_tree(variant.scop), Proofs().dependences(variant.scop))
    nest = lower(variant.scop, first_shaped(Proofs(), host_target(), variant.scop, tree))
    assert any(isinstance(node, Loop) and node.kind is LoopKind.VECTOR for node in walk(nest.body))


def test_running_values_that_sums_are_made_of_are_kept_and_expanded_with_them() -> None:
    body = "double v = 0; for (int i = 0; i < n; i++) { v = v + y[0]; s[0] = s[0] - x[i] / (1 + v) - 1 / v; }"
    shorter, longer = with_addends(read(body))
    assert {a.name for a in longer.scop.arrays if a.shape and a.local} >= {"v_kept_x"}
    assert not {a.name for a in shorter.scop.arrays if a.shape and a.local} & {"v_kept_x", "v_x"}
    addends = [s for s in longer.scop.statements if s.name.startswith("S2_addend")]
    assert len(addends) == 2
    assert all(access.array != "v" for s in addends for access in s.reads)


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) s[0] += x[i] * y[i];",  # an addition that fuses a product
        "for (int i = 0; i < n; i++) s[0] += x[i];",
        "for (int i = 1; i < n; i++) s[i] += 1 / (1 + s[i - 1]);",  # no sum of what it does not depend on
    ],
)
def test_what_stays(body: str) -> None:
    assert list(with_addends(read(body))) == []


def test_refusals() -> None:
    fused = read("for (int i = 0; i < n; i++) s[0] += x[i] * y[i];")
    with pytest.raises(IllegalScopTransformError, match="or it fuses a product"):
        Addend("S0").apply(fused)
    nested = read("for (int i = 0; i < n; i++) { s[i] = 0; for (int j = 0; j < n; j++) s[i] += x[j]; }")
    with pytest.raises(IllegalScopTransformError, match="there are blocks of one iteration"):
        Strip("S0", 1).apply(nested)
    for step in (Strip("S9", 8), Strip("S0", 8, 1)):
        with pytest.raises(IllegalScopTransformError, match="there is no such loop"):
            step.apply(nested)


SOLVERS = """
void solve(int systems, int n, const double *a, const double *b, double *d, double *cp)
{
#pragma scop
    for (int s = 0; s < systems; s++) {
        double m;
        cp[0] = a[s * n] / b[s * n];
        for (int i = 1; i < n; i++) {
            m = 1 / (b[s * n + i] - cp[i - 1]);
            cp[i] = a[s * n + i] * m;
            d[s * n + i] = (d[s * n + i] - d[s * n + i - 1]) * m;
        }
        for (int i = n - 2; i >= 0; i--)
            d[s * n + i] -= cp[i] * d[s * n + i + 1];
    }
#pragma endscop
}
"""


def test_rows_that_each_iteration_fills_anew_are_its_own_in_lanes() -> None:
    (scop,) = read_source("solve.c", text=SOLVERS).scops
    proofs, target, block = Proofs(), host_target(), 2 * host_target().lanes(F64)
    (variant,) = with_own_rows(scop, block)
    new = {a.name: [str(extent) for extent in a.shape] for a in variant.scop.arrays if a.local and a.shape}
    assert new == {"cp_x": [str(block), "n"], "m_x": [str(block)]}
    replayed, _ = replay_steps(scop, parse_steps(trace_text(variant.steps)))
    assert replayed.statements == variant.scop.statements
    lanes = outer_lanes(proofs, variant.scop)
    assert lanes is not None
    tree = lanes.shaped(proofs.dependences(lanes.scop))
    assert proofs.is_legal(lanes.scop, tree)
    nest = lower(lanes.scop, tree)
    assert any(isinstance(node, Loop) and node.kind is LoopKind.VECTOR for node in walk(nest.body))
    fast, plain = (
        compile_program(program) for program in (plan(nest, target), scalar_program(lower(scop, original_tree(scop))))
    )
    for systems, n in ((0, 3), (1, 1), (3, 5), (block, 4), (2 * block + 3, 9)):
        rng = np.random.default_rng(systems)
        data = {name: rng.uniform(0.5, 2, (systems, n)) for name in "abd"} | {"cp": rng.uniform(0.5, 2, n)}
        expected, found = copied(data), copied(data)
        plain(**expected, systems=systems, n=n)
        fast(**found, systems=systems, n=n)
        assert_same(expected, found, f"{systems} systems of {n}")


@pytest.mark.parametrize(
    "change",
    [
        ("cp[0] = a[s * n] / b[s * n];", "cp[0] += a[s * n] / b[s * n];"),  # it goes on with what another one left
        ("cp[i - 1]", "cp[i - 2]"),  # in front of the first element
    ],
)
def test_rows_that_iterations_share_stay(change: tuple[str, str]) -> None:
    (scop,) = read_source("solve.c", text=SOLVERS.replace(*change)).scops
    assert list(with_own_rows(scop, 8)) == []
