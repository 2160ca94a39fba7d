"""`polyloop bench fuzz --suite contractions`: the generator and its reference, a small share of the episodes, and
kernels that misbehave on purpose."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyloop.api import compile_scop
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import F64
from polyloop.backend.ir.loop_nest import ArraySpec, Storage
from polyloop.backend.ir.vector_program import Address, Constant, For, Let, Load, Store, ValueType, VectorProgram
from polyloop.backend.run.kernel import compile_program
from polyloop.backend.run.worker import Worker, WorkerError
from polyloop.bench import fuzz_contractions
from polyloop.bench.fuzz_contractions import episode
from polyloop.bench.fuzz_outcome import Outcome
from polyloop.bench.random_contractions import _AFTER, Contraction, random_contraction
from polyloop.cli.main import main

DRAWN = [random_contraction(np.random.default_rng([7, number])) for number in range(150)]


pytestmark = pytest.mark.usefixtures("own_cache")


def test_draws_cover_what_they_are_for() -> None:
    forms = Counter(c.form for c in DRAWN)
    assert forms.keys() == {"store", "accumulate", "max=", "min=", *_AFTER}
    assert {len(c.sizes) for c in DRAWN} == {1, 2, 3, 4, 5}
    assert {c.dtype for c in DRAWN} == {"float32", "float64"}
    assert all(math.prod(size for _, size in c.sizes) <= 200_000 for c in DRAWN)
    assert any(c.output != "".join(sorted(c.output)) for c in DRAWN)
    assert any("".join(d for d, _ in c.sizes) != "".join(sorted(d for d, _ in c.sizes)) for c in DRAWN)
    assert random_contraction(np.random.default_rng([7, 3])) == DRAWN[3]


def by_hand(contraction: Contraction, arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Element by element, as the definition says."""
    extents = dict(contraction.sizes)
    result = np.zeros(tuple(extents[d] for d in contraction.output))
    for at in np.ndindex(*result.shape):
        point = dict(zip(contraction.output, at, strict=True))
        values = []
        for inner in np.ndindex(*(extents[d] for d in contraction.reduced)):
            whole = point | dict(zip(contraction.reduced, inner, strict=True))
            a, b = (
                float(arrays[name][tuple(whole[d] for d in dims)])
                for name, dims in zip("AB", contraction.operands, strict=True)
            )
            values.append(a + b if contraction.form in ("max=", "min=") else a * b)
        before = float(arrays["O"][at])
        match contraction.form:
            case "max=":
                result[at] = max(before, *values)
            case "min=":
                result[at] = min(before, *values)
            case "accumulate":
                result[at] = before + sum(values)
            case "store":
                result[at] = sum(values)
            case form:
                inside = np.array(sum(values) + float(arrays["bias"][at[-1]]))
                result[at] = _AFTER[form][1](inside)
    return result


@pytest.mark.parametrize("form", ["store", "accumulate", "max=", "min=", *_AFTER])
def test_the_reference_is_the_definition(form: str) -> None:
    drawn = [c for c in DRAWN if c.form == form and math.prod(size for _, size in c.sizes) <= 5000]
    assert drawn
    for contraction in drawn[:4]:
        arrays = contraction.arrays(np.random.default_rng(1))
        expected, bound = contraction.expected(arrays)
        assert np.allclose(expected, by_hand(contraction, arrays), rtol=1e-12, atol=1e-12)
        assert (bound < 0.1).all()  # less than most terms: none may be missing


@pytest.mark.parametrize("number", range(12))
def test_a_share_of_the_episodes(number: int) -> None:
    outcome = episode({"seed": 3, "number": number, "kernel": "", "run": True})
    assert outcome.errors == []
    assert outcome.compared == 1


def test_a_wrong_result_is_found() -> None:
    contraction = next(c for c in DRAWN if c.form == "accumulate")
    kernel = compile_scop(contraction.scop())
    outcome = Outcome("it")
    fuzz_contractions._compare(replace(contraction, form="store"), kernel, np.random.default_rng(0), outcome)
    assert (outcome.compared, outcome.different) == (1, 1)
    assert "elements differ from numpy" in outcome.errors[0]


def test_the_whole_command(tmp_path: Path) -> None:
    file = tmp_path / "f.json"
    assert main(["bench", "fuzz", "--suite", "contractions", "--count", "5", "--json", str(file)]) == 0
    found = json.loads(file.read_text())
    assert found["summary"]["episodes"] == 5
    assert found["summary"]["verified"] == {"compared": 5, "different": 0}


# --- kernels that misbehave -------------------------------------------------------------------------------------------

ONE = ValueType(F64)
I = affine("i")  # noqa: E741 (as in the programs below)


def crash() -> None:
    """Store far beyond an array."""
    value = Let("v", Constant(1.0, ONE))
    body = (value, Store(Address("x", (affine(1 << 50),), (0,)), value.value))
    compile_program(VectorProgram("crash", (), (ArraySpec("x", F64, (None,)),), body))(np.zeros(1))


def hang() -> None:
    """Count to 2^62, storing all the time."""
    value = Let("v", Constant(1.0, ONE))
    body = (value, For("i", affine(0), affine(1 << 62), 1, (Store(Address("x", (affine(0),), (0,)), value.value),)))
    compile_program(VectorProgram("hang", (), (ArraySpec("x", F64, (None,)),), body))(np.zeros(1))


def eat_memory() -> None:
    """Write a buffer of 64 GB."""
    count = affine(1 << 33)
    value = Let("v", Constant(1.0, ONE))
    fill = For("i", affine(0), count, 1, (Store(Address("big", (I,), (0,)), value.value),))
    last = Let("w", Load(Address("big", (count - 1,), (0,)), ONE))
    body = (value, fill, last, Store(Address("x", (affine(0),), (0,)), last.value))
    arrays = (ArraySpec("big", F64, (count,), Storage.LOCAL), ArraySpec("x", F64, (None,)))
    compile_program(VectorProgram("eat", (), arrays, body))(np.zeros(1))


@pytest.mark.parametrize(
    ("job", "kinds"), [("crash", {"crash"}), ("hang", {"timeout"}), ("eat_memory", {"crash", "memory"})]
)
def test_a_kernel_takes_nobody_down(job: str, kinds: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modules = tmp_path / "modules"  # nothing is imported from the current folder
    modules.mkdir()
    (modules / "misbehaving_kernels.py").write_text(Path(__file__).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.syspath_prepend(str(modules))
    with Worker(memory_bytes=2 << 30) as worker:
        with pytest.raises(WorkerError) as caught:
            worker.call(f"misbehaving_kernels:{job}", timeout=3.0 if job == "hang" else 60.0)
        assert caught.value.kind in kinds
        assert worker.call("math:sqrt", (4.0,), timeout=30) == 2.0
