"""Sizes for a measurement, corrected by what a run at them takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf

import pytest

from polyloop.backend.errors import CompileError
from polyloop.backend.machine.host import host_target
from polyloop.frontend import read_c, read_source
from polyloop.measure.evaluator import Evaluator
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.data import Fill, SizeError, fill
from polyloop.scop.model import Scop
from polyloop.scop.size_choice import BYTES, GOAL
from polyloop.search.survey import FAR, FAR_GOAL, NEAR, settle_sizes
from polyloop.shaping.outer_lanes import outer_lanes

TEXT = """void f(int n, int m, int steps, double A[n][m])
{
#pragma scop
    for (int t = 0; t < steps; t++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                A[i][j] = A[i][j] * 0.5;
#pragma endscop
}
"""
CHOSEN = "chosen for a run of about 50 ms"


class Timed(Evaluator):
    """An evaluator whose original loops take what a formula says."""

    def __init__(self, scop: Scop, seconds: Callable[[Mapping[str, int]], float]) -> None:
        super().__init__(scop, {}, host_target())
        self.formula = seconds
        self.tried: list[dict[str, int]] = []

    def __enter__(self) -> Timed:
        return self

    def original_seconds(self) -> float:
        self.tried.append(dict(self.sizes))
        return self.formula(self.sizes)


def _scop(text: str = TEXT) -> Scop:
    (scop,) = read_c("f.c", text=text)
    return scop


@pytest.mark.parametrize("nanoseconds", [0.02, 0.3, 1.0, 40.0])
def test_a_run_takes_about_as_long_as_it_is_to(nanoseconds: float) -> None:
    def seconds(sizes: Mapping[str, int]) -> float:
        return nanoseconds * 1e-9 * sizes["n"] * sizes["m"] * sizes["steps"]

    with Timed(_scop(), seconds) as evaluator:
        assert settle_sizes(evaluator, None) == CHOSEN
        assert GOAL / NEAR <= seconds(evaluator.sizes) <= GOAL * NEAR
        assert len(set(evaluator.sizes.values())) == 1
        assert len(evaluator.tried) <= 2


def test_data_has_a_limit_too() -> None:
    with Timed(_scop(), lambda sizes: 1e-6) as evaluator:
        assert settle_sizes(evaluator, {"steps": 1}) == "given; n, m: chosen for 32 MiB of data"
        assert BYTES / 1.3 <= 8 * evaluator.sizes["n"] * evaluator.sizes["m"] <= BYTES
        assert evaluator.sizes["steps"] == 1


def test_the_limit_that_counts_is_named() -> None:
    """The first guess is as large as its instances allow, and no longer run would have more data."""
    with Timed(_scop(), lambda sizes: 1e-3) as evaluator:
        assert settle_sizes(evaluator, {"steps": 4}) == "given; n, m: chosen for 32 MiB of data"


def test_noise_does_not_go_on_for_ever() -> None:
    with Timed(_scop(), lambda sizes: 1.0) as evaluator:
        settle_sizes(evaluator, None)
        assert len(evaluator.tried) == 3


def test_given_sizes_are_not_tried() -> None:
    with Timed(_scop(), lambda sizes: 1.0) as evaluator:
        assert settle_sizes(evaluator, {"m": 7, "n": 5, "steps": 2}) == "given"
        assert (dict(evaluator.sizes), evaluator.tried) == ({"n": 5, "m": 7, "steps": 2}, [])


@pytest.mark.parametrize("slower", [1.0, 4.0, 100.0])
def test_sizes_at_which_the_compiler_can_be_asked(slower: float) -> None:
    """Where it makes the loops very much slower than our own code generator, runs would take all the time."""

    def seconds(sizes: Mapping[str, int]) -> float:
        return 1e-9 * sizes["n"] * sizes["m"] * sizes["steps"]

    with Timed(_scop(), seconds) as evaluator:
        settle_sizes(evaluator, None, lambda: None)
        alone = dict(evaluator.sizes)
        origin = settle_sizes(evaluator, None, lambda: slower * seconds(evaluator.sizes))
        assert origin == (CHOSEN if slower < FAR else "chosen for a run of about 200 ms")
        took = slower * seconds(evaluator.sizes)
        assert (evaluator.sizes == alone) == (slower < FAR)
        assert took < FAR * GOAL
        assert slower < FAR or took > FAR_GOAL * GOAL / 2
        settle_sizes(evaluator, alone, lambda: 100.0)
        assert evaluator.sizes == alone


def test_loops_that_cannot_run_keep_the_first_guess() -> None:
    def seconds(sizes: Mapping[str, int]) -> float:
        raise CompileError("no")

    with Timed(_scop(), seconds) as evaluator:
        assert settle_sizes(evaluator, None) == CHOSEN
        assert len(evaluator.tried) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [({"k": 3}, "no parameter k in f: its parameters are"), ({"m": -3}, "outside what f is written for")],
)
def test_sizes_that_do_not_fit(given: Mapping[str, int], message: str) -> None:
    with Timed(_scop(), lambda sizes: 1.0) as evaluator, pytest.raises(SizeError, match=message):
        settle_sizes(evaluator, given)


def test_a_run_of_the_original_loops() -> None:
    """Sizes may change until something is measured."""
    sizes = {"n": 5, "m": 6, "steps": 2}
    with Evaluator(_scop(), sizes, host_target(), in_process=True) as evaluator:
        assert evaluator.original_seconds() > 0
        evaluator.sizes = {**sizes, "n": 7}
        assert evaluator.setting.fills[0].shape == (7, 6)
        assert evaluator.measurements == ()


NEWTON = """void roots(int n, const float *a, float *r)
{{
    for (int i = 0; i < n; i++) {{
        float x = 1;
        {loop}
        r[i] = x;
    }}
}}
"""
UNTIL = "do x = 0.5f * (x + a[i] / x); while (x * x > 1.001f * a[i]);"
AT_MOST = "for (int k = 0; k < 9; k++) { x = 0.5f * (x + a[i] / x); if (x * x < 1.001f * a[i]) break; }"
BY_INTEGERS = "for (int k = 0; k < 9; k++) { x = 0.5f * (x + a[i] / x); if (i == 7 * k) break; }"


def _newton(loop: str) -> Scop:
    (scop,) = read_source("f.c", text=NEWTON.format(loop=loop), auto=True).scops
    return scop


@pytest.mark.parametrize(("loop", "says"), [(UNTIL, True), (AT_MOST, True), (BY_INTEGERS, False), ("x += 1;", False)])
def test_which_loops_floats_end(loop: str, says: bool) -> None:
    assert _newton(loop).ends_by_floats is says


@pytest.mark.parametrize(("longer", "scale"), [(1.0, 1.0), (1.1, 1.0), (1.3, 2.0**-5), (9.0, 2.0**-5)])
def test_loops_that_floats_end_are_timed_on_what_some_run_longer_on(longer: float, scale: float) -> None:
    def seconds(_: Mapping[str, int]) -> float:
        return GOAL * (1.0 if made.scale > 2.0**-4 else longer if made.scale < 2.0**-4.5 else (1 + longer) / 2)

    made = Timed(_newton(AT_MOST), seconds)
    with made as evaluator:
        assert settle_sizes(evaluator, None).endswith("on which loops run longer") == (scale < 1)
        assert evaluator.scale == scale
        (a,) = (spec for spec in evaluator.fills(evaluator.scop, {"n": 400}) if spec.name == "a")
        assert 0.9 * scale < fill(a).max() < scale


def test_data_on_which_the_original_loops_go_on_are_no_check() -> None:
    """Newton's method finds no root of a negative number."""
    with Evaluator(_newton(UNTIL), {"n": 40}, host_target()) as evaluator:
        evaluator.evaluate(evaluator.original)
        runs = evaluator.check_runs(exact=True)
        assert runs == evaluator.check_runs(exact=True)
        assert not [fill for _, data in runs for fill in data if fill.kind != "ordinary" and fill.name == "a"]


def test_parts_keep_the_arrays_that_only_they_use() -> None:
    """A loop that only data end sees that they do where the lanes' numbers stay in registers."""
    scop = _newton(UNTIL)
    with Evaluator(scop, {"n": 40}, host_target(), in_process=True) as evaluator:
        evaluator.evaluate(evaluator.original)
        lanes = outer_lanes(evaluator.proofs, scop)
        assert lanes is not None
        assert isinstance(lanes.tree, ScheduleTree)
        assert evaluator.part_seconds(lanes.scop, lanes.tree, ()) < inf


def test_parts_without_data_end_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of another form of the loops there may be no numbers for which all subscripts surely are elements."""
    scop = _newton(UNTIL)
    with Evaluator(scop, {"n": 40}, host_target(), in_process=True) as evaluator:
        evaluator.evaluate(evaluator.original)

        def none(scop: Scop, sizes: Mapping[str, int]) -> tuple[Fill, ...]:
            raise SizeError("no data")

        monkeypatch.setattr(evaluator, "fills", none)
        assert evaluator.part_seconds(scop, original_tree(scop), ()) == inf
        assert [fate.error for fate in evaluator.measurements if not fate.ran] == ["no data"]
