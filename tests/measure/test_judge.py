"""The user's compiler as the judge. What it says is made up here, so that nothing hangs on how long something takes."""

from __future__ import annotations

import shutil
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest

import polyloop
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.loop_nest import Storage
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan
from polyloop.backend.run.worker import WorkerError
from polyloop.frontend import read_source
from polyloop.lowering.region_alone import AloneError, Built, RegionAlone, region_alone
from polyloop.lowering.to_c_file import Replacement
from polyloop.lowering.to_nest import lower
from polyloop.measure import judge
from polyloop.measure.evaluator import EvaluationError, Evaluator
from polyloop.measure.jobs import Setting
from polyloop.measure.judge import Begun, Verdict, judged
from polyloop.measure.result import Candidate, Check, Fate, Judgement, Measurement
from polyloop.schedules.tree import original_tree
from polyloop.scop.data import fills
from polyloop.scop.model import Scop
from polyloop.scop.program import Turns
from polyloop.support.compilers import Build, BuildError, Compiler, SlowBuildError, build_each, user_compiler
from polyloop.transforms import Vectorize

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

FILE = """\
#include "scale.h"
void f(int n, double a[n][n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = SCALE * a[i][j] + 1.0;
#pragma endscop
}
"""

SAME, CLOSE = Check(25, 0, 0.0), Check(25, 9, 1e-12, 1e-9)
Figures = tuple[float, float, float]


@pytest.fixture
def scop(tmp_path: Path) -> Scop:
    (tmp_path / "scale.h").write_text("#define SCALE 3.0\n")
    (found,) = read_source(tmp_path / "f.c", text=FILE).scops
    return found


@pytest.fixture
def evaluator(scop: Scop) -> Iterator[Evaluator]:
    """With the original loops, and two candidates that our own code generator likes better."""
    with Evaluator(scop, {"n": 5}, host_target(), in_process=True) as made:
        made.evaluate(made.original)
        for name in ("rows", "columns"):
            made.evaluate(candidate(scop, name))
        for name, seconds in (("original loops", 4.0), ("rows", 1.0), ("columns", 2.0)):
            made.measured[name] = Measurement(seconds, seconds, 0.0, 5, name=name, check=SAME)
        yield made


def candidate(scop: Scop, name: str) -> Candidate:
    order = original_tree(scop)
    inner = list(Vectorize.candidates(order))[-1]
    return Candidate(name, scop, inner.apply(order) if name == "rows" else order, (name,))


class Clock:
    """In the place of what runs compiled regions: trials and last rounds take what is said here."""

    def __init__(
        self,
        trials: Mapping[str, float | Check | WorkerError],
        ratio: Figures = (2.0, 1.9, 2.1),
        last: tuple[float, float] = (6.0, 3.0),
    ) -> None:
        self.trials, self.ratio, self.last = trials, ratio, last
        self.seen: list[tuple[str, str]] = []

    def __call__(self, made: judge._Judge, function: str, _: object, tried: Candidate, *more: object) -> object:
        self.seen.append((function, tried.name))
        said = self.trials[tried.name]
        if isinstance(said, WorkerError):
            raise said
        check = said if isinstance(said, Check) else SAME
        if function == "run_check":
            return check
        seconds = said if isinstance(said, float) else 1.0
        if function == "run_trial":
            return check, Measurement.of([seconds])
        before, after = (Measurement.of([seconds] * 9) for seconds in self.last)
        return before, after, self.ratio


Judged = Callable[..., Verdict]


@pytest.fixture
def verdict(evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch) -> Judged:
    def run(clock: Clock, command: str = "gcc -O1", seconds: float = 1e9) -> Verdict:
        monkeypatch.setattr(judge._Judge, "_call", lambda *arguments: clock(*arguments))
        best, other = (evaluator.candidates[name] for name in ("rows", "columns"))
        return judged(evaluator, user_compiler(command), best, [other], seconds=seconds)

    return run


def test_the_fastest_under_the_compiler_wins(verdict: Judged) -> None:
    clock = Clock({"original loops": 9.0, "rows": 5.0, "columns": 4.0})
    found = verdict(clock)
    assert found.best.name == "columns"
    assert found.judged is not None
    assert (found.judged.before.median, found.judged.after.median) == (6.0, 3.0)
    assert (found.judged.ratio, found.judged.low, found.judged.high) == (2.0, 1.9, 2.1)
    assert [(each.name, each.median) for each in found.judged.others] == [("rows", 5.0)]
    assert clock.seen[-1] == ("run_duel", "columns")
    assert found.judged.compiler == "gcc -O1"


@pytest.mark.parametrize(("seconds", "winner"), [(9.0, "columns"), (1.5, "original loops")])
def test_loops_that_our_own_code_generator_likes_better_than_the_compiler_does(
    evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch, seconds: float, winner: str
) -> None:
    """What is no slower than they are under the compiler is asked about."""
    evaluator.measured["original loops"] = replace(evaluator.measured["original loops"], median=0.1)
    evaluator.measured["rows"] = replace(evaluator.measured["rows"], median=20.0)
    clock = Clock({"original loops": seconds, "rows": 0.5, "columns": 0.6})
    monkeypatch.setattr(judge._Judge, "_call", lambda *arguments: clock(*arguments))
    found = judged(evaluator, user_compiler("gcc -O1"), evaluator.original, seconds=1e9)
    assert found.best.name == winner
    assert not any(name == "rows" for _, name in clock.seen)


@pytest.mark.parametrize(("seconds", "order"), [(1.0, ["rows", "columns"]), (9.0, ["columns", "rows"])])
def test_plain_loops_come_later_where_only_our_own_code_generator_makes_such_fast(
    evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch, seconds: float, order: list[str]
) -> None:
    plain = replace(evaluator.candidates["rows"], explicit=False)
    evaluator.candidates["rows"] = plain
    evaluator.measured["original loops"] = replace(evaluator.measured["original loops"], median=1.0)
    clock = Clock({"original loops": seconds, "rows": 0.9, "columns": 0.5})
    monkeypatch.setattr(judge._Judge, "_call", lambda *arguments: clock(*arguments))
    found = judged(evaluator, user_compiler("gcc -O1"), plain, seconds=1e9)
    assert found.best.name == "columns"
    assert [name for function, name in clock.seen if function == "run_trial"][1:] == order


@pytest.mark.parametrize(("seconds", "winner"), [(4.0, "columns"), (3.9, "rows")])
def test_of_candidates_of_one_speed_the_shorter_text_wins(verdict: Judged, seconds: float, winner: str) -> None:
    """Those in vectors take more lines, and come first."""
    assert verdict(Clock({"original loops": 9.0, "rows": seconds, "columns": 4.0})).best.name == winner


@pytest.mark.parametrize("ratio", [(0.85, 0.8, 0.9), (1.05, 0.98, 1.2), (1.0, 1.0, 1.0)])
def test_what_is_not_certainly_faster_is_left_as_it_is(verdict: Judged, ratio: Figures) -> None:
    found = verdict(Clock({"original loops": 9.0, "rows": 5.0, "columns": 4.0}, ratio))
    assert found.best.name == "original loops"
    assert found.judged is not None
    assert (found.judged.candidate, found.judged.ratio, found.judged.wins) == ("columns", ratio[0], False)


@pytest.mark.parametrize(
    ("second", "winner", "rounds"),
    [
        ((2.0, 1.9, 2.1), "columns", ["columns"] * 2),
        ((2.0, 0.5, 2.1), "original loops", ["columns", "columns", "rows"]),
    ],
)
def test_a_last_round_that_says_nothing_is_run_once_more(
    verdict: Judged, second: Figures, winner: str, rounds: list[str]
) -> None:
    class Disturbed(Clock):
        def __call__(self, made: judge._Judge, function: str, *more: Any) -> object:
            if len([1 for called, _ in self.seen if called == "run_duel"]) == 1:
                self.ratio = second
            return super().__call__(made, function, *more)

    clock = Disturbed({"original loops": 9.0, "rows": 5.0, "columns": 4.0}, (2.0, 0.4, 2.1))
    found = verdict(clock)
    assert found.best.name == winner
    assert [name for called, name in clock.seen if called == "run_duel"] == rounds
    assert found.judged is not None
    assert (found.judged.ratio, found.judged.low, found.judged.high) == second


def test_where_the_fastest_loses_after_all_the_next_has_its_turn(verdict: Judged) -> None:
    """A trial at another moment said too much of it."""

    class Disturbed(Clock):
        def __call__(self, made: judge._Judge, function: str, *more: Any) -> object:
            self.ratio = (0.9, 0.8, 0.95) if more[1].name == "columns" else (1.5, 1.4, 1.6)
            return super().__call__(made, function, *more)

    found = verdict(Disturbed({"original loops": 9.0, "rows": 5.0, "columns": 4.0}))
    assert found.best.name == "rows"
    assert found.judged is not None
    assert [(each.name, each.median) for each in found.judged.others] == [("columns", 4.0)]


def tried_at(
    evaluator: Evaluator, best: str, loses: Callable[[Mapping[str, int]], bool], monkeypatch: pytest.MonkeyPatch
) -> tuple[Verdict, list[dict[str, int]]]:
    """What is said of a winner that loses at some smaller sizes, and the sizes at which it was tried."""
    clock, sizes = Clock({"original loops": 9.0, "rows": 5.0, "columns": 4.0}), list[dict[str, int]]()

    def called(made: judge._Judge, function: str, setting: Setting, *more: Any) -> object:
        if function != "run_duel" or setting.sizes == made.evaluator.setting.sizes:
            return clock(made, function, setting, *more)
        sizes.append(dict(setting.sizes))
        assert all(set(fill.shape) <= set(sizes[-1].values()) for fill in setting.fills)
        before = Measurement.of([6.0] * 9)
        return before, before, (0.5, 0.4, 0.6) if loses(sizes[-1]) else (2.0, 1.9, 2.1)

    monkeypatch.setattr(judge._Judge, "_call", called)
    winner = evaluator.candidates[best]
    return judged(evaluator, user_compiler("gcc -O1"), winner, seconds=1e9, several=True), sizes


def above(text: str, size: int, large: Mapping[str, int], *more: Any) -> tuple[str, list[tuple[int, ...]]]:
    """Where a candidate for other loops is not slower, and the sizes at which it was tried."""
    (scop,) = read_source("f.c", text=text.replace('#include "scale.h"', "")).scops
    with Evaluator(scop, dict.fromkeys(large, size), host_target(), in_process=True) as evaluator:
        for made in (evaluator.original, candidate(scop, "rows")):
            evaluator.evaluate(made)
        evaluator.sizes = large
        found, sizes = tried_at(evaluator, "rows", *more)
    assert found.judged is not None
    return found.judged.above, [tuple(each.values()) for each in sizes]


@pytest.mark.parametrize(
    ("loses", "least"),
    [
        (lambda n: False, ""),
        (lambda n: n < 19, "n >= 20"),
        (lambda n: n == 8, "n >= 9"),
        (lambda n: n < 4, "n >= 4"),  # vectors that are not full say nothing of larger ones
        (lambda n: n > 64, ""),
        (lambda n: True, "n >= 100"),
    ],
)
def test_small_sizes_where_the_winner_is_slower_are_left_to_the_original_loops(
    evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch, loses: Callable[[int], bool], least: str
) -> None:
    """By doubling, until two in a row with full vectors are not lost; then by halving. Large ones it has won."""
    assert evaluator.setting.sizes == (("n", 5),)
    evaluator.sizes = {"n": 100}
    found, tried = tried_at(evaluator, "columns", lambda sizes: loses(sizes["n"]), monkeypatch)
    assert found.judged is not None
    assert (found.best.name, found.judged.above) == ("columns", least)
    sizes = [each["n"] for each in tried]
    assert sizes[:4] == [2, 4, 8, 16]
    assert max(sizes) <= 100
    untold = judged(evaluator, user_compiler("gcc -O1"), evaluator.candidates["columns"], seconds=1e9)
    assert untold.judged is not None
    assert untold.judged.above == ""


@pytest.mark.parametrize("ended", ["_short_duel", "_on_smooth_data"])
def test_what_a_last_round_has_decided_is_known_whatever_ends_behind_it(
    evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch, ended: str
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    evaluator.sizes = {"n": 100}
    monkeypatch.setattr(
        judge._Judge, "_call", lambda *given: Clock({"original loops": 9.0, "rows": 5.0, "columns": 4.0})(*given)
    )
    monkeypatch.setattr(judge._Judge, ended, interrupted)
    compiler, best = user_compiler("gcc -O1"), evaluator.candidates["rows"]
    with Begun(evaluator, compiler) as begun:
        with pytest.raises(KeyboardInterrupt):
            judged(evaluator, compiler, best, seconds=1.0, begun=begun, several=True)
        assert begun.decided is not None
        assert begun.decided.judged is not None
        assert (begun.decided.best.name, begun.decided.judged.above) == ("columns", "n >= 16")


def test_what_the_file_tells_decides_though_there_is_no_time_to_build_the_winner_with_it(
    verdict: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    met: list[tuple[str, str]] = []

    def slow(compiler: Compiler, sources: Mapping[Path, Path], *more: Any) -> dict[Path, BuildError | None]:
        late = [output for output in list(sources)[1:] if "_known" in output.name]
        built = build_each(compiler, {o: s for o, s in sources.items() if o not in late}, *more)
        return built | dict.fromkeys(late, SlowBuildError("it took too long"))

    def run(_: judge._Judge, function: str, setting: Setting, one: Built, other: Built, *more: Any) -> object:
        met.append((Path(one.path).stem, Path(other.path).stem))
        return Measurement.of([2.0] * 9), Measurement.of([3.0] * 9), (2 / 3, 0.6, 0.7)

    monkeypatch.setattr("polyloop.measure.judge.build_each", slow)
    monkeypatch.setattr(judge._Judge, "_run", run)
    monkeypatch.setattr(RegionAlone, "as_inlined", lambda self, text, sizes: f"{text}\n")
    found = verdict(Clock({"original loops": 9.0, "rows": 5.0, "columns": 4.0}))
    ((one, other),) = met
    assert one.endswith("_known")
    assert not other.endswith("_known")
    assert found.best.name == "original loops"


def test_the_new_code_of_functions_that_loops_call_stands_beside_both(tmp_path: Path) -> None:
    text = """static void twice(int n, double *a)
    {
      for (int i = 0; i < n; i++) a[i] = 2 * a[i];
    }
    void f(int n, double *a, int steps)
    {
      for (int t = 0; t < steps; t++) {
        twice(n, a);
        for (int i = 1; i < n; i++) a[i] += a[i - 1];
      }
    }"""
    inner, outer = read_source(tmp_path / "f.c", text=text, auto=True).scops
    order = original_tree(inner)
    new = Replacement(inner, plan(lower(inner, list(Vectorize.candidates(order))[-1].apply(order)), host_target()))
    sizes = dict.fromkeys(outer.parameters, 40)
    with Evaluator(outer, sizes, host_target(), in_process=True) as evaluator:
        for each in (evaluator.original, candidate(outer, "columns")):
            evaluator.evaluate(each)
        with Begun(evaluator, user_compiler("gcc -O1"), among=(new,)) as begun:
            original = begun.output.with_suffix(".c").read_text()
            other = begun.text(evaluator, evaluator.candidates["columns"])
    assert "polyloop_twice_0(" in original
    assert "polyloop_f_0(" not in original
    assert "polyloop_twice_0(" in other
    assert "polyloop_f_0(" in other


def test_rows_that_are_too_short_are_left_to_the_original_loops_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = (
        FILE.replace("n, double a[n][n]", "m, int n, double a[m][n]").replace("< n", "< m", 1).replace("SCALE", "3.0")
    )

    def loses(sizes: Mapping[str, int]) -> bool:
        return sizes["n"] < 21 or max(sizes.values()) < 30

    least, tried = above(text, 5, {"m": 100, "n": 80}, loses, monkeypatch)
    assert least == "(m >= 30 or n >= 30) and n >= 22"
    assert {(8, 8), (8, 80), (100, 8)} <= set(tried)


def test_of_loops_between_two_parameters_it_counts_how_far_these_are_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """``k = row[i]; k < row[i + 1]`` of rows that lie far behind, and are short."""
    text = FILE.replace("n, double a[n][n]", "m, int first, int n, double a[m][n]").replace("SCALE", "3.0")
    text = text.replace("i = 0; i < n", "i = 0; i < m").replace("j = 0", "j = first + 1")
    least, _ = above(text, 5, {"m": 100, "first": 3, "n": 80}, lambda sizes: sizes["n"] < 21, monkeypatch)
    assert least == "n >= first + 19"


def test_many_short_things_are_left_to_the_original_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points of few coordinates, say: slow where all sizes but one are small, whatever each is by itself."""
    text = FILE.replace("n, double a[n][n]", "m, int n, int k, double a[m][n][k]").replace("< n", "< m", 1)
    text = text.replace(
        "      a[i][j] = SCALE * a[i][j] + 1.0;", "      for (int l = 0; l < k; l++)\n  a[i][j][l] *= 3.0;"
    )

    def loses(sizes: Mapping[str, int]) -> bool:
        return max(sizes["n"], sizes["k"]) < 6

    least, _ = above(text, 3, {"m": 50, "n": 50, "k": 50}, loses, monkeypatch)
    assert least == "(n >= 6 or k >= 6)"


@pytest.mark.parametrize(("slow", "wins"), [(3.0, True), (6.0, True), (7.0, False)])
def test_what_wins_in_one_iteration_of_a_loop_around_may_lose_in_all(
    scop: Scop, slow: float, wins: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of them is small, and takes a second as it stands."""
    assert scop.source is not None
    turns = (Turns("n", affine(0), affine(160)),)
    scop = replace(scop, source=replace(scop.source, turns=turns))
    clock, tried = Clock({"original loops": 9.0, "rows": 5.0, "columns": 4.0}), list[int]()

    def called(made: judge._Judge, function: str, setting: Setting, *more: Any) -> object:
        if function != "run_duel" or setting.sizes == made.evaluator.setting.sizes:
            return clock(made, function, setting, *more)
        tried.append(dict(setting.sizes)["n"])
        small = tried[-1] < 80
        before, after = (Measurement.of([seconds]) for seconds in ((1.0, slow) if small else (12.0, 6.0)))
        return before, after, (2.0, 1.9, 2.1)

    monkeypatch.setattr(judge._Judge, "_call", called)
    with Evaluator(scop, {"n": 100}, host_target(), in_process=True) as evaluator:
        for each in (evaluator.original, candidate(scop, "rows")):
            evaluator.evaluate(each)
        found = judged(evaluator, user_compiler("gcc -O1"), evaluator.candidates["rows"], seconds=1e9)
    assert found.judged is not None
    assert tried == [10, 30, 50, 70, 90, 110, 130, 150]
    assert found.judged.around == pytest.approx((1 + 12) / (slow + 6))
    assert (found.best.name == "rows", found.judged.wins) == (wins, wins)


@pytest.mark.parametrize(
    ("passed", "ratio", "winner"), [(5, 0.9, "original loops"), (5, 1.9, "rows"), (6, 0.9, "rows")]
)
def test_where_all_calls_pass_a_constant_the_compiler_knows_it(
    scop: Scop, passed: int, ratio: float, winner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scop.source is not None
    scop = replace(scop, source=replace(scop.source, constants=(("n", frozenset([passed])),)))
    clock, texts = Clock({"original loops": 9e-6, "rows": 5e-6}, last=(6e-6, 3e-6)), list[str]()

    def run(made: judge._Judge, function: str, setting: Setting, original: Built, other: Built, *_: object) -> object:
        assert function == "run_duel"
        texts.extend(Path(each.path).with_suffix(".c").read_text() for each in (original, other))
        assert all(Path(each.path).exists() for each in (original, other))
        return Measurement.of([6e-6] * 9), Measurement.of([6e-6 / ratio] * 9), (ratio, ratio - 0.01, ratio + 0.01)

    monkeypatch.setattr(judge._Judge, "_call", lambda *arguments: clock(*arguments))
    monkeypatch.setattr(judge._Judge, "_run", run)
    with Evaluator(scop, {"n": 5}, host_target(), in_process=True) as evaluator:
        for each in (evaluator.original, candidate(scop, "rows")):
            evaluator.evaluate(each)
        found = judged(evaluator, user_compiler("gcc -O1"), evaluator.candidates["rows"], seconds=1e9)
    assert found.best.name == winner
    assert len(texts) == (2 if passed == 5 else 0)
    assert all("polyloop_alone(5, " in text and "static void polyloop_alone" in text for text in texts)


@pytest.mark.parametrize(
    ("asks", "ratio", "winner"), [(True, 0.9, "rows"), (True, 0.4, "original loops"), (False, 0, "rows")]
)
def test_what_data_that_vary_slowly_take_counts_as_much(
    asks: bool, ratio: float, winner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Branches are predicted then: twice as fast on other data is not enough where it is less than half as fast."""
    text = FILE.replace("SCALE * a[i][j]", "(a[i][j] > 0.5 ? SCALE : a[i][j])") if asks else FILE
    (scop,) = read_source("f.c", text=text.replace('#include "scale.h"', "").replace("SCALE", "3.0")).scops
    clock, smooth = Clock({"original loops": 9.0, "rows": 5.0}), list[bool]()

    def called(made: judge._Judge, function: str, setting: Setting, *more: Any) -> object:
        smooth.extend({each.smooth for each in setting.fills})
        if not smooth[-1]:
            return clock(made, function, setting, *more)
        return Measurement.of([6.0] * 9), Measurement.of([6.0 / ratio] * 9), (ratio, ratio, ratio)

    monkeypatch.setattr(judge._Judge, "_call", called)
    with Evaluator(scop, {"n": 5}, host_target(), in_process=True) as evaluator:
        for each in (evaluator.original, candidate(scop, "rows")):
            evaluator.evaluate(each)
        found = judged(evaluator, user_compiler("gcc -O1"), evaluator.candidates["rows"], seconds=1e9)
    assert found.judged is not None
    assert (found.best.name, found.judged.smooth) == (winner, ratio if asks else None)
    assert smooth.count(True) == int(asks)


def test_where_texts_take_all_the_time_one_is_built(
    evaluator: Evaluator, verdict: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge, "BUILDING", 0.0)
    evaluator.until = time.monotonic() + 1e6
    found = verdict(Clock({"original loops": 9.0, "rows": 5.0, "columns": 4.0}))
    assert found.best.name == "rows"
    assert found.judged is not None
    assert [(each.name, each.kind) for each in found.judged.others] == [("columns", Fate.TIMED_OUT)]


def test_smooth_data_lead_subscripts_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of floats that are subscripts zeros might be in front of the array."""
    text = """void f(int n, double *restrict a, const double *restrict at, const double *restrict b) {
#pragma scop
      for (int i = 0; i < n; i++) a[i] += %s;
#pragma endscop
    }"""
    found = dict[str, list[tuple[float, float] | None]]()
    for name, value in (("plain", "b[i] > 0.5 ? at[i] : 1"), ("indirect", "b[i] > 0.5 ? b[(int)(4 * at[i])] : 1")):
        (scop,) = read_source("f.c", text=text % value).scops
        clock, ranges = Clock({"original loops": 9.0, "rows": 5.0}), list[tuple[float, float] | None]()

        def called(
            made: judge._Judge, function: str, setting: Setting, *more: Any, clock: Clock = clock, ranges: Any = ranges
        ) -> object:
            ranges.extend(each.range for each in setting.fills if each.smooth and each.name == "at")
            return clock(made, function, setting, *more)

        monkeypatch.setattr(judge._Judge, "_call", called)
        with Evaluator(scop, {"n": 50}, host_target(), in_process=True) as evaluator:
            for each in (evaluator.original, candidate(scop, "rows")):
                evaluator.evaluate(each)
            judged(evaluator, user_compiler("gcc -O1"), evaluator.candidates["rows"], seconds=1e9)
        found[name] = ranges
    assert found == {"plain": [None], "indirect": [(0.1, 1.0)]}


def test_sizes_that_there_is_no_time_for_have_full_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "SMALL", 0.0)
    text = FILE.replace("n, double a[n][n]", "m, int n, double a[m][n]").replace("< n", "< m", 1)
    least, tried = above(text.replace("SCALE", "3.0"), 5, {"m": 100, "n": 80}, lambda sizes: False, monkeypatch)
    assert least == "m >= 16 and n >= 16"
    assert all(m == n for m, n in tried)


def test_a_gain_that_is_worth_no_reading_is_none(verdict: Judged) -> None:
    clock = Clock({"original loops": 9.0, "rows": 5.0, "columns": 4.0}, ratio=(1.02, 1.01, 1.03))
    assert verdict(clock).best.name == "original loops"


@pytest.mark.parametrize(("saved", "winner"), [(2e-9, "original loops"), (20e-9, "columns")])
def test_what_saves_less_than_a_stall_is_left(verdict: Judged, saved: float, winner: str) -> None:
    trials = {"original loops": 9.0, "rows": 5.0, "columns": 4.0}
    clock = Clock(trials, ratio=(1.4, 1.3, 1.5), last=(5e-9 + saved, 5e-9))
    assert verdict(clock).best.name == winner


@pytest.mark.parametrize(("seconds", "winner"), [(4.2, "columns"), (4.9, "rows")])
def test_arrays_of_its_own_that_are_as_long_as_loops_have_to_pay(
    evaluator: Evaluator, verdict: Judged, seconds: float, winner: str
) -> None:
    rows = evaluator.candidates["rows"]
    (array,) = rows.scop.arrays
    program = evaluator.program(rows)
    kept = replace(program.arrays[0], name="new", storage=Storage.LOCAL)
    evaluator.programs["rows"] = replace(program, arrays=(*program.arrays, kept))
    for shape, best in ((array.shape, winner), ((affine(512),), "rows")):
        scop = replace(rows.scop, arrays=(array, replace(array, name="new", shape=shape, local=True)))
        evaluator.candidates["rows"] = replace(rows, scop=scop)
        clock = Clock({"original loops": 9.0, "rows": 4.0, "columns": seconds})
        assert verdict(clock).best.name == best
    evaluator.candidates["rows"] = replace(rows, scop=replace(rows.scop, arrays=(array, replace(array, name="new"))))
    for ratio, best in (((1.2, 1.1, 1.3), "original loops"), ((1.3, 1.1, 1.4), "rows")):
        clock = Clock({"original loops": 9.0, "rows": 4.0, "columns": 8.0}, ratio)
        assert verdict(clock).best.name == best


def test_what_computes_something_else_or_crashes_is_out(verdict: Judged) -> None:
    wrong = Check(25, 3, 0.5)
    found = verdict(Clock({"original loops": 9.0, "rows": wrong, "columns": 4.0}), "gcc -O1 -std=c99")
    assert found.best.name == "columns"
    assert found.judged is not None
    (out,) = found.judged.others
    assert (out.kind, out.error) == (
        Fate.WRONG_RESULTS,
        "as gcc -O1 -std=c99 builds it, 3 of 25 elements differ, by 5.0e-01 at most",
    )
    crash = WorkerError("crash", "it crashed")
    found = verdict(Clock({"original loops": 9.0, "rows": crash, "columns": wrong}), "gcc -O1 -std=c99")
    assert found.judged is not None
    assert (found.best.name, found.judged.candidate) == ("original loops", "original loops")
    assert [each.kind for each in found.judged.others] == [Fate.CRASHED, Fate.WRONG_RESULTS]


@pytest.mark.parametrize(("flags", "says"), [("-O1", True), ("-O1 -std=c99", False), ("-O1 -ffast-math", False)])
def test_results_that_only_fused_roundings_tell_apart(evaluator: Evaluator, flags: str, says: bool) -> None:
    """As where nearly equal numbers are subtracted: without fusing, which the compiler's flags ask for, bits decide."""
    compiler, rows = user_compiler(f"gcc {flags}"), evaluator.candidates["rows"]
    apart = Check(25, 3, 0.5, 1e-9)
    with judge.Begun(evaluator, compiler) as begun:
        assert not isinstance(begun.alone, AloneError)
        asked = judge._Judge(evaluator, compiler, begun.alone, begun)
        asked._build([rows])
        found = asked._without_fusing(evaluator.setting, rows, apart)
        assert found == (Check(25, 0, 0.0, rounding=0.5) if says else apart)
        wrong = Path(asked.built["rows"].path).with_name("wrong.so")
        text = wrong.with_name("region_0.c").read_text()
        assert "3.0" in text or "SCALE" in text
        wrong.with_suffix(".c").write_text(text.replace("3.0", "4.0").replace("SCALE", "4.0"))
        asked.built["rows"] = replace(asked.built["rows"], path=str(wrong))
        assert asked._without_fusing(evaluator.setting, rows, apart) == apart


def test_nothing_is_built_while_something_runs_alone(evaluator: Evaluator) -> None:
    """A compiler on a core of threads that wait for each other would make all of them slow."""
    compiler = user_compiler("gcc -O1")
    with judge.Begun(evaluator, compiler) as begun:
        begun.found(evaluator, evaluator.candidates["rows"])
        builds = [begun.build, begun.ahead["rows"].build]
        told: list[tuple[Build | None, str]] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Build, "pause", lambda build: told.append((build, "pause")))
            patch.setattr(Build, "resume", lambda build: told.append((build, "resume")))
            evaluator.alone = begun.paused
            evaluator.evaluate(replace(evaluator.candidates["columns"], name="later"))
        assert told == [(build, word) for word in ("pause", "resume") for build in builds]


PATHS = """\
void f(int n, int d[n][n])
{
#pragma scop
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];
#pragma endscop
}
"""


@pytest.mark.parametrize(("flags", "says"), [("", False), (" -fwrapv", True)])
def test_data_on_which_integers_overflow_say_nothing(tmp_path: Path, flags: str, says: bool) -> None:
    """Where distances are negative, they double with each k: what a compiler makes of that is its own affair."""
    (found,) = read_source(tmp_path / "paths.c", text=PATHS).scops
    with Evaluator(found, {"n": 80}, host_target()) as made:
        made.evaluate(made.original)
        compiler = user_compiler(f"gcc -O1{flags}")
        with judge.Begun(made, compiler) as begun:
            assert not isinstance(begun.alone, AloneError)
            asked = judge._Judge(made, compiler, begun.alone, begun)
            setting = made.setting
            assert not asked._overflows(setting)
            signed = replace(setting, fills=fills(found, made.sizes, 1, "signed", "signed"), stash="")
            assert asked._overflows(signed) is not says


def test_without_time_the_first_one_is_tried_all_the_same(verdict: Judged) -> None:
    found = verdict(Clock({"original loops": 9.0, "rows": 5.0, "columns": 4.0}), seconds=0.0)
    assert found.best.name == "rows"
    assert found.judged is not None
    assert [(each.name, each.kind) for each in found.judged.others] == [("columns", Fate.TIMED_OUT)]


def test_original_loops_that_do_not_run_leave_the_decision_where_it_was(verdict: Judged) -> None:
    found = verdict(Clock({"original loops": WorkerError("crash", "no such symbol")}))
    assert (found.best.name, found.judged) == ("rows", None)
    assert found.reason == "gcc -O1: the original loops by themselves: no such symbol"


@pytest.mark.parametrize(
    ("flags", "tolerance"),
    [
        ("-O1", 1e-9),
        ("-O1 -std=c99", 0.0),
        ("-O1 -ffp-contract=off", 0.0),
        ("-O1 -ffp-contract=on", 0.0),
        ("-O1 -std=c99 -ffast-math", 1e-9),
    ],
)
def test_bits_are_asked_for_where_the_compiler_keeps_them(evaluator: Evaluator, flags: str, tolerance: float) -> None:
    compiler = user_compiler(f"gcc {flags}")
    with judge.Begun(evaluator, compiler) as begun:
        made = judge._Judge(evaluator, compiler, region_alone(evaluator.scop), begun)
    assert made.tolerance == tolerance


# --- time ------------------------------------------------------------------------------------------------------------


def test_nothing_is_tried_when_the_time_is_up(evaluator: Evaluator) -> None:
    evaluator.until = 0.0
    late = candidate(evaluator.scop, "late")
    assert evaluator.evaluate(late) == float("inf")
    assert evaluator.measured["late"].kind is Fate.TIMED_OUT
    assert (evaluator.left, evaluator.settled(late).name) == (0.0, "original loops")
    best = evaluator.candidates["rows"]
    found = judged(evaluator, user_compiler("gcc -O1"), best, seconds=1.0)
    # What no compiler has been asked about is not written.
    assert (found.best.name, found.judged) == ("original loops", None)
    assert found.reason == "there was no time left to ask gcc -O1"


@pytest.mark.parametrize("seconds", [30.0, inf])
def test_no_verdict_of_what_could_not_be_built_in_time(
    evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """Whether anything is faster nobody knows then; not so, where a compiler does not end whatever time it has."""
    evaluator.until = time.monotonic() + seconds
    best = evaluator.candidates["rows"]
    monkeypatch.setattr(judge, "build_each", lambda _, sources, *__: dict.fromkeys(sources, SlowBuildError("slow")))
    found = judged(evaluator, user_compiler("gcc -O1"), best, seconds=1.0)
    assert (found.best.name, found.judged is None) == ("original loops", seconds == 30.0)
    assert found.reason == ("there was no time left to ask gcc -O1" if seconds == 30.0 else "")


def test_a_search_without_enough_time_says_so(scop: Scop) -> None:
    with pytest.raises(EvaluationError, match="running the original loops of f takes longer than there is time"):
        polyloop.optimize(scop, budget=0.0, overrun=0.0, cc="gcc -O1")


def test_the_last_candidates_are_left_out_for_the_last_round(evaluator: Evaluator, verdict: Judged) -> None:
    evaluator.until = time.monotonic() + 30.0
    found = verdict(Clock({"original loops": 9.0, "rows": 5.0, "columns": 4.0}))
    assert (found.best.name, found.judged is not None) == ("rows", True)
    assert found.judged is not None
    assert [(each.name, each.kind) for each in found.judged.others] == [("columns", Fate.TIMED_OUT)]


def test_the_compiler_begins_with_what_a_search_finds(evaluator: Evaluator, tmp_path: Path) -> None:
    """One after the other, and only what is much faster than what it has; nothing is built twice."""
    log = tmp_path / "log"
    mycc = script(tmp_path, f'echo "$@" >> {log}\nexec gcc "$@"')
    compiler = user_compiler(f"{mycc} -O1")
    rows, columns = (evaluator.candidates[name] for name in ("rows", "columns"))
    with judge.Begun(evaluator, compiler) as begun:
        evaluator.measured["columns"] = evaluator.measured["original loops"]
        begun.found(evaluator, columns)
        assert not begun.ahead
        begun.found(evaluator, rows)
        begun.found(evaluator, rows)
        evaluator.measured["columns"] = evaluator.measured["rows"]
        begun.ahead["rows"].build.result(60.0)
        begun.found(evaluator, columns)
        assert list(begun.ahead) == ["rows"]
        found = judged(evaluator, compiler, rows, [columns], seconds=0.1, begun=begun)
    assert found.judged is not None
    built = [line.rpartition("/")[2].split()[0] for line in log.read_text().splitlines() if "-shared" in line]
    assert sorted(built) == ["ahead_0.so", "original.so", "region_1.so"]


def test_what_a_survey_finds_outlives_it(evaluator: Evaluator) -> None:
    """The compiler is still at work on it when an evaluator at smaller sizes removes its files."""
    rows = evaluator.candidates["rows"]
    with judge.Begun(evaluator, user_compiler("gcc -O1")) as begun:
        with evaluator.at(evaluator.sizes) as survey:
            survey.measured |= evaluator.measured
            begun.found(survey, rows)
        begun.ahead["rows"].build.result(60.0)
        assert begun.ahead["rows"].output.exists()


def test_what_was_built_during_the_search_is_asked_about_where_time_is_short(
    evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge, "build_each", lambda _, sources, *__: dict.fromkeys(sources, SlowBuildError("slow")))
    clock = Clock({"original loops": 9.0, "rows": 5.0})
    monkeypatch.setattr(judge._Judge, "_call", lambda *arguments: clock(*arguments))
    rows, columns = (evaluator.candidates[name] for name in ("rows", "columns"))
    evaluator.until = time.monotonic() + 600.0
    with judge.Begun(evaluator, user_compiler("gcc -O1")) as begun:
        begun.found(evaluator, rows)
        found = judged(evaluator, user_compiler("gcc -O1"), columns, seconds=1e-3, begun=begun)
    assert (found.best.name, found.judged is not None) == ("rows", True)
    assert found.judged is not None
    assert [each.name for each in found.judged.others] == ["columns"]


# --- what is called ---------------------------------------------------------------------------------------------------


def script(folder: Path, body: str) -> Path:
    path = folder / "mycc"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_what_is_compiled_and_with_which_command(evaluator: Evaluator, tmp_path: Path) -> None:
    """All for real but the compiler's name: the region and both candidates are built, and run."""
    log = tmp_path / "log"
    mycc = script(tmp_path, f'echo "$@" >> {log}\nexec gcc "$@"')
    compiler = user_compiler(f"{mycc} -O1 -std=c99", ["-DMORE=1"])
    best, other = (evaluator.candidates[name] for name in ("rows", "columns"))
    found = judged(evaluator, compiler, best, [other], seconds=0.1)
    assert found.reason == ""
    assert found.judged is not None
    assert found.judged.check.different == 0
    assert found.judged.compiler == f"{mycc} -O1 -std=c99"
    lines = [line for line in log.read_text().splitlines() if "-shared" in line]
    flags = f"-O1 -std=c99 -DMORE=1 {' '.join(judge.FLAGS)} -iquote {tmp_path}"
    folder = evaluator.folder / "compiler"
    assert sorted(lines) == [
        f"{flags} {folder}/{name}.c -o {folder}/{name}.so -lm" for name in ("original", "region_0", "region_1")
    ]
    assert "polyloop_f_0(" not in (folder / "original.c").read_text()
    assert all("polyloop_f_0(" in (folder / f"region_{k}.c").read_text() for k in (0, 1))


def test_the_compilers_code_gets_pointers_with_data_in_front_of_them(tmp_path: Path) -> None:
    text = """void f(int n, int k, float *restrict x)
    {
      for (int i = 0; i < n; i++)
        x[i - k] += 2.0f * x[i - k];
    }"""
    (scop,) = read_source(tmp_path / "f.c", text=text, auto=True).scops
    with Evaluator(scop, {"n": 300, "k": 9}, host_target()) as evaluator:
        for each in (evaluator.original, candidate(scop, "rows")):
            evaluator.evaluate(each)
        compiler = user_compiler("gcc -O1 -ffp-contract=off")
        found = judged(evaluator, compiler, evaluator.candidates["rows"], seconds=0.1)
    assert found.judged is not None
    tried = [found.judged.check, *(each.check for each in found.judged.others)]
    assert [(check.compared, check.different) for check in tried if check.compared] == [(300, 0)]


def test_a_compiler_that_refuses_the_file_decides_nothing(evaluator: Evaluator, tmp_path: Path) -> None:
    refuses = 'case "$*" in *-shared*) echo "f.c:1: error: I do not like it" >&2; exit 1;; esac\nexec gcc "$@"'
    compiler = user_compiler(f"{script(tmp_path, refuses)} -O1")
    best, other = (evaluator.candidates[name] for name in ("rows", "columns"))
    found = judged(evaluator, compiler, best, [other], seconds=0.1)
    assert (found.best.name, found.judged) == ("rows", None)
    assert found.reason.endswith("failed on original.c:\nf.c:1: error: I do not like it")


def test_optimize_says_what_the_compiler_says(scop: Scop, monkeypatch: pytest.MonkeyPatch) -> None:
    def say(_: Evaluator, compiler: Compiler, best: Candidate, *__: object, **___: object) -> Verdict:
        figures = (Measurement.of([4.0] * 7), Measurement.of([5.0] * 7), 0.8, 0.7, 0.9)
        return Verdict(polyloop_original(scop), Judgement(str(compiler), "1.0", "rows", *figures, SAME))

    monkeypatch.setattr(judge, "judged", say)
    result = polyloop.optimize(scop, sizes={"n": 5}, budget=0.1, cc="gcc -O1")
    assert result.is_original
    assert (result.baseline.median, result.timing.median, result.speedup) == (4.0, 4.0, 1.0)
    assert repr(result).startswith("<Result f: the original loops;")


def polyloop_original(scop: Scop) -> Candidate:
    with Evaluator(scop, {"n": 5}, host_target(), in_process=True) as made:
        return made.original


@pytest.mark.parametrize(("plain", "asked"), [(True, "0"), (False, None)])
def test_data_lie_on_the_pages_of_a_c_program(
    scop: Scop, plain: bool, asked: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """numpy asks for large pages, which malloc's memory does not get."""
    monkeypatch.delenv("NUMPY_MADVISE_HUGEPAGE", raising=False)
    with Evaluator(scop, {"n": 5}, host_target(), plain_pages=plain) as made:
        assert made._worker.call("os:getenv", ("NUMPY_MADVISE_HUGEPAGE",), timeout=60) == asked


@pytest.mark.parametrize(
    ("parameter", "own", "saved"), [("double *a", "", 15e-9), ("double *b", "Row a; a[0] = *b;", 55e-9)]
)
def test_arrays_of_the_functions_own_have_to_gain_more(
    parameter: str, own: str, saved: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    loops = "for (int i = 0; i < 8; i++)\n    a[i] = 3.0 * a[i] + 1.0;"
    text = f"typedef double Row[8];\nvoid f({parameter})\n{{\n  {own}\n#pragma scop\n  {loops}\n#pragma endscop\n}}\n"
    (scop,) = read_source("f.c", text=text).scops
    last = 1e-7, 1e-7 - saved
    for clock, wins in ((last, True), ((1e-7, 1e-7 - saved + 8e-9), False)):
        with Evaluator(scop, {}, host_target(), in_process=True) as evaluator:
            for made in (evaluator.original, candidate(scop, "rows")):
                evaluator.evaluate(made)
            said = Clock({"original loops": 1e-7, "rows": 5e-8}, last=clock)
            monkeypatch.setattr(judge._Judge, "_call", lambda *given, said=said: said(*given))
            found = judged(evaluator, user_compiler("gcc -O1"), evaluator.candidates["rows"], seconds=1e9)
        assert found.judged is not None
        assert found.judged.wins is wins
