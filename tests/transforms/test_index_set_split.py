"""Index-set splitting: where statements are cut, that nothing else changes, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyloop.backend.ir.affine import Affine, Choose, affine
from polyloop.backend.ir.expressions import Access
from polyloop.frontend import read_c, read_source
from polyloop.schedules.isl_scheduler import distributed
from polyloop.schedules.legality import Proof, Proofs, prove
from polyloop.schedules.tree import original_tree
from polyloop.scop.data import instances as count_instances
from polyloop.scop.dependence import memory_dependences
from polyloop.scop.model import Scop
from polyloop.shaping.variants import least, unfolded, variants
from polyloop.shipped.kernels import kernel, kernel_names
from polyloop.transforms.index_set_split import IndexSetSplit, Unfold, frees_lanes
from polyloop.transforms.scop_transform import IllegalScopTransformError
from tests.helpers.checking import violated
from tests.helpers.enumeration import instances, parameter_values, run
from tests.helpers.random_transforms import scops
from tests.helpers.small_scops import assign, loop, parse_affine, scop

PARTS = ("_below", "_on", "_above")


def paths() -> Scop:
    body = loop("j", "0", "n", assign("S", "A[i][j]", "A[i][j]", "A[i][k]", "A[k][j]"))
    return scop("n", loop("k", "0", "n", loop("i", "0", "n", body)))


def whole(name: str) -> str:
    """The statement of which a part is cut."""
    return next((name.removesuffix(part) for part in PARTS if name.endswith(part)), name)


def order(source: Scop, n: int) -> list[tuple[str, tuple[int, ...]]]:
    return [(x.statement, x.point) for x in instances(source, {"n": n})]


def test_planes_come_from_the_subscripts_the_lanes_first() -> None:
    found = list(IndexSetSplit.candidates(paths()))
    assert [str(split.plane) for split in found] == ["j - k", "i - k"]
    assert [frees_lanes(paths(), split) for split in found] == [True, False]


def test_the_parts_keep_the_order() -> None:
    new = IndexSetSplit("S", parse_affine("j - k")).apply(paths())
    assert [s.name for s in new.statements] == ["S_below", "S_on", "S_above"]
    assert [(whole(name), point) for name, point in order(new, 4)] == order(paths(), 4)
    assert {point[2] - point[0] for name, point in order(new, 4) if name == "S_on"} == {0}
    assert run(new, {"n": 4}) == run(paths(), {"n": 4})


def test_conditions_are_cut_like_what_they_guard() -> None:
    """Shortest paths with the next node of each: the condition reads what the guarded statement writes."""
    guarded = "{ d[i][j] = d[i][k] + d[k][j]; next[i][j] = next[i][k]; }"
    body = f"if (d[i][k] + d[k][j] < d[i][j]) {guarded}"
    loops = "".join(f"for (int {name} = 0; {name} < 6; {name}++) " for name in "kij")
    (before,) = read_source("f.c", text=f"void f(int d[6][6], int next[6][6])\n{{\n{loops}{body}\n}}", auto=True).scops
    condition, *_ = before.statements
    assert not condition.target.subscripts
    first = [split for split in IndexSetSplit.candidates(before) if str(split.plane) == "j - k"]
    assert [split.statement for split in first] == [s.name for s in before.statements]
    assert all(frees_lanes(before, split) for split in first)
    variant = next(v for v in variants(before) if v.steps and isinstance(v.steps[0], IndexSetSplit))
    assert len(variant.scop.statements) >= 3 * len(before.statements)
    assert [(name.split("_")[0], point) for name, point in order(variant.scop, 6)] == order(before, 6)


def test_the_parts_can_be_distributed_and_run_in_lanes() -> None:
    before = paths()
    assert distributed(before, original_tree(before), memory_dependences(before)) == original_tree(before)
    new = IndexSetSplit("S", parse_affine("j - k")).apply(before)
    dependences = memory_dependences(new)
    tree = distributed(new, original_tree(new), dependences)
    assert isinstance(prove(new, tree, dependences), Proof)
    assert len({path for path, band in tree.bands() if len(band.statements) == 1}) >= 3


def test_what_stands_behind_in_the_same_loop_moves_on() -> None:
    body = (assign("S", "A[i]", "A[k]"), assign("T", "B[i]", "A[i]"), loop("j", "0", "n", assign("U", "C[j]", "B[i]")))
    source = scop("n", loop("k", "0", "n", loop("i", "0", "n", *body)))
    (split,) = (s for s in [IndexSetSplit("S", parse_affine("i - k"))])
    new = split.apply(source)
    assert [s.name for s in new.statements] == ["S_below", "S_on", "S_above", "T", "U"]
    assert [(whole(name), point) for name, point in order(new, 3)] == order(source, 3)
    assert run(new, {"n": 3}) == run(source, {"n": 3})


@pytest.mark.parametrize(
    ("statement", "plane", "reason"),
    [
        ("S", "i + 1", "cannot split S at i + 1 = 0 in small: all of it lies on one side"),
        ("S", "q", "cannot split S at q = 0 in small: q is no iterator of it and no parameter"),
        ("X", "i", "cannot split X at i = 0 in small: there is no statement X"),
    ],
)
def test_refusals(statement: str, plane: str, reason: str) -> None:
    with pytest.raises(IllegalScopTransformError) as caught:
        IndexSetSplit(statement, parse_affine(plane)).apply(paths())
    assert str(caught.value) == reason


def test_planes_beside_the_domain_are_not_proposed() -> None:
    """j - k and i - k again, but k stays below both."""
    body = loop("j", "k + 1", "n", assign("S", "A[i][j]", "A[i][j]", "A[i][k]", "A[k][j]"))
    assert list(IndexSetSplit.candidates(scop("n", loop("k", "0", "n", loop("i", "k + 1", "n", body))))) == []


def test_the_published_kernels_that_ask_for_it() -> None:
    asked = set()
    for name in kernel_names():
        (source,) = read_c(kernel(name).path)
        if any(True for _ in IndexSetSplit.candidates(source)):
            asked.add(name)
    assert asked == {"floyd-warshall"}


@settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))
@given(scops(3), st.integers(-2, 2), st.integers(-2, 2), st.integers(-3, 3))
def test_any_plane_leaves_the_order_as_it_is(source: Scop, first: int, second: int, constant: int) -> None:
    for statement in source.statements:
        plane: Affine = affine(constant)
        for factor, iterator in zip((first, second), statement.iterators, strict=False):
            plane = plane + affine(iterator) * factor
        try:
            new = IndexSetSplit(statement.name, plane).apply(source)
        except IllegalScopTransformError:
            continue
        assert violated(new, original_tree(new), memory_dependences(new)) is None
        for values in parameter_values(source):
            ran = [(whole(x.statement), x.point) for x in instances(new, values)]
            assert ran == [(x.statement, x.point) for x in instances(source, values)]


def test_what_wraps_around_is_plain_behind_the_planes() -> None:
    """Subscripts that run behind the counter, and begin at the other end: choices within choices."""
    body = "one = 39; two = 38; for (int i = 0; i < 40; i++) { a[i] = b[i] + b[one] + b[two]; two = one; one = i; }"
    text = f"void f(int one, int two, double a[40], double b[40])\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n"
    (before,) = read_source("f.c", text=text).scops
    (statement,) = (s for s in before.statements if s.target.array == "a")
    assert [str(access) for access in statement.reads][-1].count("?") == 2
    assert str(before.access_map(statement, statement.reads[-1])).count("38") == 1
    (_, variant) = [v for v in variants(before) if not v.steps or isinstance(v.steps[0], IndexSetSplit)]
    new = variant.scop
    (inside,) = (s for s in new.statements if s.name.endswith("_above_above"))
    assert [str(access) for access in inside.reads] == ["b[i]", "b[i - 1]", "b[i - 2]"]
    assert run(new, {}) == run(before, {})


# --- Unfold -----------------------------------------------------------------------------------------------------------


def window(inner: str, rest: str = "") -> Scop:
    text = f"""void f(int n, double a[n + 4], double b[n + 4], double s)
{{
#pragma scop
    for (int i = 1; i < n; i++) {{
        b[i] = a[i] + s;
        {inner}
            b[i] = b[i] + a[i + k];
        {rest}
    }}
#pragma endscop
}}
"""
    (found,) = read_source("f.c", text=text).scops
    return found


@pytest.mark.parametrize("header", ["int k = -1; k < 2; k++", "int k = 1; k >= -1; k--", "int k = -1; k < 4; k += 2"])
@pytest.mark.parametrize("rest", ["", "for (int l = 0; l < n; l++) a[l] = a[l] + b[i];"])
def test_short_loops_are_written_out_in_their_order(header: str, rest: str) -> None:
    before = window(f"for ({header})", rest)
    (step,) = Unfold.candidates(before)
    after = step.apply(before)
    assert {s.depth for s in after.statements if s.target.array == "b"} == {1}
    assert len(after.statements) == len(before.statements) + 2
    for n in (1, 2, 5):
        assert run(after, {"n": n}) == run(before, {"n": n})


def test_only_the_innermost_loops_of_few_iterations_are() -> None:
    for header in ("int k = 0; k < n; k++", "int k = 0; k < 17; k++", "int k = 0; k < 1; k++"):
        assert list(Unfold.candidates(window(f"for ({header})"))) == []
    with pytest.raises(IllegalScopTransformError, match="no constant, small number of iterations"):
        Unfold("S1", 1).apply(window("for (int k = 0; k < n; k++)"))
    with pytest.raises(IllegalScopTransformError, match="there are loops inside of it"):
        Unfold("S0", 0).apply(window("for (int k = 0; k < 2; k++)"))


def test_stencils_with_loops_over_their_points_become_one_statement() -> None:
    text = """void f(int h, int w, unsigned char in[h][w], unsigned char out[h][w])
{
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            int s = 0;
            for (int a = -1; a <= 1; a++)
                for (int b = -1; b <= 1; b++)
                    if (a || b)
                        s += in[y + a][x + b];
            out[y][x] = s / 8;
        }
}
"""
    (before,) = read_source("f.c", text=text, auto=True).scops
    (variant,) = unfolded(before)
    (statement,) = variant.scop.statements
    assert len(statement.reads) == 8
    assert statement.iterators == ("y", "x")


@pytest.mark.parametrize("around", ["(x + dx + w) % w", "(w + w + x + dx) % w"])
def test_neighbours_on_a_torus_are_chosen_at_its_seam_alone(around: str) -> None:
    text = f"""void f(int h, int w, int now[h][w], int next[h][w])
{{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {{
            int n = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    n += now[(y + dy + h) % h][{around}];
            next[y][x] = n;
        }}
}}
"""
    (before,) = read_source("f.c", text=text, auto=True).scops
    uncut, *cut = unfolded(before)
    assert len(cut) == 2
    for variant in (uncut, *cut):
        for sizes in ({"h": 1, "w": 1}, {"h": 2, "w": 3}, {"h": 5, "w": 4}):
            assert run(variant.scop, sizes) == run(before, sizes), variant.words
    plain = [s for s in cut[-1].scop.statements if not any(_chosen(read) for read in s.reads)]
    assert max(count_instances(s, {"h": 20, "w": 30}) for s in plain) == 18 * 28


@pytest.mark.parametrize(
    "border",
    [
        "xx < 0 ? -xx : xx >= n ? 2 * n - 2 - xx : xx",
        "xx < 0 ? 0 : xx > n - 1 ? n - 1 : xx",
        "(xx < 0 ? 0 : xx) > n - 1 ? n - 1 : (xx < 0 ? 0 : xx)",
    ],
)
def test_sums_over_windows_are_plain_between_the_borders(border: str) -> None:
    """A sum in a scalar has a contiguous direction once it is expanded; then its statement is cut."""
    text = f"""void f(int n, int r, double in[n], double out[n], const double weights[2 * r + 1])
{{
    for (int x = 0; x < n; x++) {{
        double sum = 0;
        for (int k = -r; k <= r; k++) {{
            int xx = x + k;
            sum += in[{border}] + weights[k + r];
        }}
        out[x] = sum;
    }}
}}
"""
    (before,) = read_source("f.c", text=text, auto=True).scops
    cut = [v for v in variants(before) if any(isinstance(step, IndexSetSplit) for step in v.steps)]
    assert any("expanded" in variant.words for variant in cut)
    for variant in cut:
        plain = [s for s in variant.scop.statements if "in[k + x]" in map(str, s.reads)]
        assert sum(count_instances(s, {"n": 40, "r": 2}) for s in plain) >= 36 * 5
        for sizes in ({"n": 5, "r": 0}, {"n": 6, "r": 2}, {"n": 9, "r": 4}):
            assert run(variant.scop, sizes) == run(before, sizes), variant.words


def _chosen(access: Access) -> bool:
    return any(isinstance(atom, Choose) for subscript in access.subscripts for atom, _ in subscript.terms)


def test_loops_over_points_of_three_dimensions_become_one_statement_each() -> None:
    """27 points of each of two buffers that take turns: not 81 statements before one of them is left."""
    text = """void f(int n, int steps, const double *w, double *restrict in, double *restrict out)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++) {
                    double s = 0;
                    for (int a = -1; a <= 1; a++)
                        for (int b = -1; b <= 1; b++)
                            for (int c = -1; c <= 1; c++)
                                s += w[(a + 1) * 9 + (b + 1) * 3 + c + 1] * in[((i + a) * n + j + b) * n + k + c];
                    out[(i * n + j) * n + k] = s;
                }
        double *free = in;
        in = out;
        out = free;
    }
}
"""
    (before,) = read_source("f.c", text=text, auto=True).scops
    (variant,) = unfolded(before)
    assert [s.target.array for s in variant.scop.statements] == ["out", "in", "out"]
    assert {len(s.reads) for s in variant.scop.statements} == {2 * 27}
    assert least([*variants(before), variant]) is variant
    # Every conflict: isl would look for the last ones among them for longer than it schedules.
    proofs = Proofs()
    assert proofs.flow(variant.scop) is proofs.dependences(variant.scop)
