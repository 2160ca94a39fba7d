"""`optimize` and `compile_scop`."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import pytest

from polyloop import api as optimizer
from polyloop.api import IllegalScheduleError, compile_scop, optimize
from polyloop.backend.errors import KernelArgumentError, TargetError
from polyloop.backend.ir.interpreter import Array
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.backend.machine.host import runs_here
from polyloop.errors import PolyloopError
from polyloop.frontend import read_c
from polyloop.measure.evaluator import EvaluationError, Evaluator
from polyloop.measure.result import Candidate, Measurement
from polyloop.schedules.tree import original_tree
from polyloop.scop.data import SizeError, make_data
from polyloop.scop.model import Scop
from polyloop.search import isl_search, survey
from polyloop.search.registry import Search
from polyloop.transforms import Reverse, Vectorize

TEXT = """void scan(int n, double a[n], double b[n])
{
#pragma scop
  for (int i = 1; i < n; i++)
    a[i] = a[i] + 0.5 * a[i - 1];
  for (int i = 0; i < n; i++)
    b[i] = b[i] * 3.0 + a[i];
#pragma endscop
}
"""


def _scan() -> Scop:
    (scop,) = read_c("scan.c", text=TEXT)
    return scop


def _expected(a: Array, b: Array) -> None:
    """Without contraction."""
    for i in range(1, len(a)):
        a[i] = a[i] + 0.5 * a[i - 1]
    b[:] = b * 3.0 + a


@pytest.mark.parametrize("tree", [False, True])
def test_compiled_loops_compute_what_c_says(tree: bool) -> None:
    scop = _scan()
    kernel = compile_scop(scop, original_tree(scop) if tree else None, contract="off")
    data = make_data(scop, {"n": 37})
    want = {name: array.copy() for name, array in data.items()}
    _expected(want["a"], want["b"])
    kernel(**data)
    assert all((data[name] == want[name]).all() for name in data)


@pytest.mark.parametrize("transform", [Reverse((0,), 0), Vectorize((0,), 0)])
def test_an_illegal_schedule_is_not_compiled(transform: Reverse | Vectorize) -> None:
    scop = _scan()
    tree = transform.rewritten(original_tree(scop))
    with pytest.raises(IllegalScheduleError, match=r"S0\[i\] -> S0\[i\+1\]"):
        compile_scop(scop, tree)


def test_a_legal_vector_loop_is_compiled() -> None:
    scop = _scan()
    tree = Vectorize((1,), 0).apply(original_tree(scop))
    assert any(m.kind is LoopKind.VECTOR for _, band in tree.bands() for m in band.members)
    data = make_data(scop, {"n": 37})
    want = {name: array.copy() for name, array in data.items()}
    _expected(want["a"], want["b"])
    compile_scop(scop, tree, contract="off")(**data)
    assert all((data[name] == want[name]).all() for name in data)


def test_optimize_returns_a_proven_checked_kernel() -> None:
    scop = _scan()
    heard: list[str] = []
    result = optimize(scop, sizes={"n": 201}, budget=0.3, contract="off", progress=heard.append)
    assert heard[0].startswith("original loops: ")
    assert "(number 2 of a search of 0.3 s, tried in " in heard[1]
    assert result.check.passed
    assert result.proof.dependences > 0
    assert result.sizes == {"n": 201}
    assert result.sizes_from == "given"
    assert str(result).startswith("<Result scan: ")
    assert str(result.proof) in str(result)
    assert str(scop) == "scan(n): S0[i], S1[i]"
    assert result.measurements[0].name == "original loops"
    data = make_data(scop, {"n": 37})
    want = {name: array.copy() for name, array in data.items()}
    _expected(want["a"], want["b"])
    result.kernel(**data)
    assert all((data[name] == want[name]).all() for name in data)


def test_an_instruction_set_that_is_not_here_is_planned_for_and_not_measured() -> None:
    name = next(name for name in ("neon", "sse") if not runs_here(name))
    result = optimize(_scan(), sizes={"n": 37}, target=name, contract="off")
    assert (result.target, result.measured, result.is_original) == (name, False, False)
    assert repr(result).startswith(f"<Result scan: for {name}, not measured; ")
    assert (result.check.compared, result.check.different) == (74, 0)
    assert not result.timing.ran
    data = make_data(result.scop, {"n": 37})
    want = {array: values.copy() for array, values in data.items()}
    _expected(want["a"], want["b"])
    result.kernel(**data)  # in this machine's instructions
    assert all(np.array_equal(data[array], want[array]) for array in want)
    with pytest.raises(TargetError, match="no instruction set is called 'mmx'; there are "):
        optimize(_scan(), target="mmx")


def test_a_wrong_program_for_another_machine_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its results are compared although it is not measured."""
    name = next(name for name in ("neon", "sse") if not runs_here(name))

    (other,) = read_c("scan.c", text=TEXT.replace("3.0", "5.0"))

    def wrong(evaluator: Evaluator) -> Candidate:
        return Candidate("other", other, original_tree(other))

    monkeypatch.setattr(isl_search, "first_guess", wrong)
    with pytest.raises(EvaluationError, match=f"scan has no schedule for {name}: wrong results: "):
        optimize(_scan(), sizes={"n": 37}, target=name)


def _fixed_figures(monkeypatch: pytest.MonkeyPatch, found: list[float], original: list[float]) -> Search:
    """One candidate, found at once. Each measurement of it, or of the original loops, takes the next of the seconds."""
    scripts = {"found": iter(found), "original loops": iter(original)}

    def record(self: Evaluator, candidate: Candidate, outcome: Measurement) -> None:
        seconds = next(scripts[candidate.name])
        self.measured[candidate.name] = replace(outcome, minimum=seconds, median=seconds, name=candidate.name)

    def search(evaluator: Evaluator, seconds: float, space: str) -> Candidate:
        candidate = Candidate("found", evaluator.scop, original_tree(evaluator.scop))
        evaluator.evaluate(candidate)
        return candidate

    monkeypatch.setattr(Evaluator, "_record", record)
    monkeypatch.setattr(optimizer, "find_search", lambda name, space: (search, "schedule"))
    return search


def test_before_and_after_are_of_one_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine was slow when the original loops were measured first: they are twice as fast in the end."""
    _fixed_figures(monkeypatch, found=[0.1, 0.2], original=[0.8, 0.4])
    result = optimize(_scan(), sizes={"n": 37})
    assert (result.baseline.median, result.timing.median, result.speedup) == (0.4, 0.2, 2.0)
    assert set(result.last_round) == {"original loops", "found"}


@pytest.mark.parametrize("found", [0.42, 0.39])
def test_what_is_not_clearly_faster_in_the_last_round_is_not_the_result(
    found: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fixed_figures(monkeypatch, found=[0.1, found], original=[0.8, 0.4])
    result = optimize(_scan(), sizes={"n": 37})
    assert result.is_original
    assert (result.baseline.median, result.timing.median, result.speedup) == (0.4, 0.4, 1.0)


def test_an_interrupt_ends_the_search_and_keeps_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    find = _fixed_figures(monkeypatch, found=[0.1, 0.2], original=[0.8, 0.4])

    def interrupted(evaluator: Evaluator, seconds: float, space: str) -> Candidate:
        find(evaluator, seconds, space)
        raise KeyboardInterrupt

    monkeypatch.setattr(optimizer, "find_search", lambda name, space: (interrupted, "schedule"))
    result = optimize(_scan(), sizes={"n": 37}, anytime=True)
    assert (result.best.name, result.speedup, result.interrupted) == ("found", 2.0, True)
    _fixed_figures(monkeypatch, found=[0.1, 0.2], original=[0.8, 0.4])
    monkeypatch.setattr(optimizer, "find_search", lambda name, space: (interrupted, "schedule"))
    with pytest.raises(KeyboardInterrupt):
        optimize(_scan(), sizes={"n": 37})


@pytest.mark.parametrize("long_run", [False, True])
def test_what_parts_promise_is_measured_whole_after_an_interrupt(
    long_run: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of a survey at smaller sizes."""

    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(isl_search, "_reshaped", interrupted)
    if long_run:
        monkeypatch.setattr(survey, "LONG", 0.0)
        monkeypatch.setattr(survey, "reduced_sizes", lambda *_: {"n": 100})
    result = optimize(_scan(), sizes={"n": 2000}, anytime=True)
    assert result.interrupted
    whole = [m for m in result.measurements if m.name.startswith("schedule: ")]
    assert [m.name.endswith("(at n=100)") for m in whole] == ([False, True] if long_run else [False])
    assert result.check.passed


def test_wrong_arguments() -> None:
    with pytest.raises(PolyloopError, match="there is no search 'magic'; there are: isl"):
        optimize(_scan(), search="magic")
    with pytest.raises(PolyloopError, match="contract is 'maybe'; it must be one of off, on, fast"):
        optimize(_scan(), contract="maybe")
    for function in (optimize, compile_scop):
        with pytest.raises(PolyloopError, match="this takes one Scop, not list;"):
            function([_scan()])  # type: ignore[arg-type]
    with pytest.raises(SizeError, match="no parameter k"):
        optimize(_scan(), sizes={"k": 3})
    with pytest.raises(SizeError, match="sizes have 64 bits at most"):
        optimize(_scan(), sizes={"n": 1 << 70})


@pytest.mark.parametrize(
    "given",
    [{"threads": 0}, {"threads": "2"}, {"budget": -1}, {"budget": "1s"}, {"budget": math.nan}, {"sizes": "n=4"}],
)
def test_numbers_that_cannot_be_are_named(given: dict[str, Any]) -> None:
    (name,) = given
    with pytest.raises(PolyloopError, match=f"^{name}={given[name]!r}: it has to be"):
        optimize(_scan(), **given)
    if name == "threads":
        with pytest.raises(PolyloopError, match=f"^threads={given[name]!r}"):
            compile_scop(_scan(), **given)


@pytest.mark.parametrize("tree", ["tile", ["tile"], 3, (1,), {}])
def test_what_is_no_schedule_is_named(tree: Any) -> None:
    with pytest.raises(PolyloopError, match=r"^tree=.*: it has to be a ScheduleTree, or a list of transforms"):
        compile_scop(_scan(), tree)


@pytest.mark.parametrize("given", [{"defines": {"N": 100}}, {"defines": "N=100"}, {"include_dirs": "/usr/include"}])
def test_what_is_no_list_is_not_taken_apart(given: dict[str, Any]) -> None:
    with pytest.raises(PolyloopError, match=rf"^{next(iter(given))}=.*it has to be a list"):
        read_c("add.c", text=POINTERS, **given)


POINTERS = """void add(int n, double *y, double *x)
{
#pragma scop
  for (int i = 0; i < n; i++)
    y[i] = y[i] + x[i];
#pragma endscop
}
"""


def test_overlap_is_the_callers_affair_where_he_says_so() -> None:
    (scop,) = read_c("add.c", text=POINTERS)
    memory = np.arange(9.0)
    with pytest.raises(KernelArgumentError, match=r"(x and y|y and x) share memory"):
        compile_scop(scop)(n=8, y=memory[:8], x=memory[1:])
    result = optimize(scop, sizes={"n": 50}, budget=0.2, assume_noalias=True)
    assert result.assumed == ("y and x do not overlap: nothing tests it",)
    assert not any(array.may_alias for array in result.scop.arrays)
    for kernel in (result.kernel, pickle.loads(pickle.dumps(compile_scop(scop, assume_noalias=True)))):
        kernel(n=4, y=memory[:4], x=memory[4:8])  # apart, but nobody looks
        kernel.bind(n=8, y=memory[:8], x=memory[1:])


def test_without_pointers_there_is_nothing_to_assume() -> None:
    text = POINTERS.replace("double *y, double *x", "double *restrict y, double *restrict x")
    (scop,) = read_c("add.c", text=text)
    assert optimize(scop, sizes={"n": 50}, budget=0.2, assume_noalias=True).assumed == ()
