"""Running the command line inside the test's process, in an empty folder and with a cache of its own."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

import polyloop.cli.optimize
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.backend.run.kernel import compile_program
from polyloop.cli.main import main
from polyloop.lowering.to_nest import lower
from polyloop.measure.evaluator import EvaluationError
from polyloop.measure.result import Candidate, Check, Fate, Measurement, Result
from polyloop.schedules.legality import Proof, prove
from polyloop.schedules.tree import original_tree
from polyloop.scop.dependence import memory_dependences
from polyloop.scop.model import Scop
from polyloop.transforms import Vectorize


@dataclass(frozen=True)
class Ran:
    """Exit status, standard output and standard error of one command."""

    status: int
    out: str
    err: str


Run = Callable[..., Ran]

SCALE = """\
/* scale */
void scale(int n, double a[n][n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = 2.0 * a[i][j];
#pragma endscop
}
"""


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POLYLOOP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("POLYLOOP_NO_CACHE", "1")  # what a test has replaced is not known to what is kept
    monkeypatch.delenv("POLYLOOP_THREADS", raising=False)
    monkeypatch.setenv("CC", "none")  # our own code generator decides, unless a test says otherwise


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def command(*arguments: str, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        status = main(arguments)
        captured = capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    return command


@pytest.fixture
def scale(tmp_path: Path) -> Path:
    """A small file with one scop, scale.c in the current folder."""
    path = tmp_path / "scale.c"
    path.write_text(SCALE)
    return path


def vectorized(scop: Scop, *, sizes: Mapping[str, int] | None, **options: object) -> Result:
    """What `polyloop.optimize` returns, with a fixed schedule and fixed figures: the last loop that may be is made a
    vector loop, in half the time. A scop that has none keeps its loops; one called `odd` fails."""
    if scop.name == "odd":
        raise EvaluationError("it is odd")
    found, order = memory_dependences(scop), original_tree(scop)
    legal = [t for t in Vectorize.candidates(order) if t.check(order, found) is None]
    tree = legal[-1].apply(order) if legal else None
    proof = prove(scop, tree or order, found)
    assert isinstance(proof, Proof)
    nest = lower(scop, tree or order)
    program = plan(nest, host_target()) if tree else scalar_program(nest)
    before, after = Measurement(2e-3, 2e-3, 0.0, 5), Measurement(1e-3, 1e-3, 0.0, 5)
    return Result(
        scop=scop,
        best=Candidate("vectorized" if tree else "original loops", scop, tree, ("vectorized",) if tree else ()),
        program=program,
        compiled=partial(compile_program, program),
        baseline=before,
        timing=after if tree else before,
        measurements=(
            replace(before, name="original loops"),
            replace(after, name="vectorized"),
            Measurement.failed("slow", Fate.TIMED_OUT, "tiled"),
        ),
        proof=proof,
        check=Check(64, 0, 0.0),
        sizes={name: (sizes or {}).get(name, 8) for name in scop.parameters},
        sizes_from=_origin(scop, sizes),
        reproducible=bool(options.get("reproducible")),
    )


def _origin(scop: Scop, sizes: Mapping[str, int] | None) -> str:
    chosen = "chosen for a run of about 50 ms"
    missing = [name for name in scop.parameters if name not in (sizes or {})]
    return f"given; {', '.join(missing)}: {chosen}" if sizes and missing else "given" if sizes else chosen


@pytest.fixture
def fixed_optimizer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Optimizes at once and always with the same outcome."""
    monkeypatch.setattr(polyloop.cli.optimize, "optimize", vectorized)
