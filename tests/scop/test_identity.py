"""When two Scops are one: as keys of caches they stand for all that they mean."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import islpy as isl
import pytest

from polyloop.backend.ir.affine import Affine
from polyloop.backend.machine.host import host_target
from polyloop.cursor.tree_problem import TreeProblem
from polyloop.frontend import read_c
from polyloop.measure.evaluator import Evaluator
from polyloop.measure.measured_schedules import Measuring
from polyloop.measure.schedules import CostModel, Problem
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.scop.program import UnknownNameError
from polyloop.search.cursor.candidates import _Walk
from polyloop.shaping.variants import variants
from polyloop.shipped.kernels import kernel, kernel_names

TEXT = """void f(int n, double A[n][n], double B[n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      B[j] = B[j] + A[i][j];
#pragma endscop
}
"""


def _scop(text: str = TEXT) -> Scop:
    (scop,) = read_c("f.c", text=text)
    return scop


def _shorter(scop: Scop) -> Scop:
    """With fewer instances, and all else the same."""
    (statement,) = scop.statements
    part = isl.Set(f"[n] -> {{ {statement.name}[i, j] : i <= 3 }}")
    return replace(scop, statements=(replace(statement, domain=statement.domain & part),))


DIFFERENT: dict[str, Callable[[Scop], Scop]] = {
    "domain": _shorter,
    "context": lambda scop: replace(scop, context=scop.context & isl.Set("[n] -> { : n >= 9 }")),
    "assumptions": lambda scop: replace(scop, assumptions=scop.assumptions & isl.Set("[n] -> { : n >= 9 }")),
    "name": lambda scop: replace(scop, name="g"),
    "arrays": lambda scop: scop.without_aliasing(),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_scops_that_differ_are_not_equal(what: str) -> None:
    scop = _scop()
    other = DIFFERENT[what](scop)
    assert other != scop
    assert len({scop, other}) == 2
    assert scop != str(scop)


def test_names_that_a_scop_does_not_have_are_named() -> None:
    scop = _scop()
    assert (scop.array("B").name, scop.statement("S0").name) == ("B", "S0")
    with pytest.raises(UnknownNameError, match="there is no array 'C'; there are B, A"):
        scop.array("C")
    with pytest.raises(UnknownNameError, match="there is no statement 'T'; there are S0"):
        scop.statement("T")


def test_scops_that_are_read_twice_are_one() -> None:
    assert len({_scop(), _scop(), replace(_scop(), source=None)}) == 1


@pytest.mark.parametrize("name", kernel_names())
def test_scops_of_kernels_survive_pickling(name: str) -> None:
    (scop,) = read_c(kernel(name).path)
    assert hash(scop) == hash(read_c(kernel(name).path)[0])
    again = pickle.loads(pickle.dumps(scop))
    assert again == scop
    assert {again: 1}[scop] == 1


def test_a_hash_stays_in_its_process() -> None:
    """Texts are hashed in another way elsewhere: a Scop that was hashed here is still a key there."""
    scop = _scop()
    assert hash(scop) == hash(_scop())
    code = "import pickle, sys; s = pickle.load(sys.stdin.buffer); from dataclasses import replace; "
    code += "sys.exit(hash(s) != hash(replace(s)))"
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(scop), env=environment, check=False)
    assert done.returncode == 0


def test_variants_with_other_domains_are_others() -> None:
    scop = _scop()
    assert scop.statements != _shorter(scop).statements
    found = list(variants(scop))
    assert len({variant.scop for variant in found}) == len(found)


def test_evaluators_take_equal_scops_for_one() -> None:
    first, second = _scop(), _scop()
    with Evaluator(first, {"n": 8}, host_target(), in_process=True) as evaluator:
        assert evaluator.proofs.dependences(first) is evaluator.proofs.dependences(second)
        assert evaluator.proofs.prove(first, original_tree(first)) is evaluator.proofs.prove(
            second, original_tree(second)
        )
        assert evaluator.proofs.dependences(_shorter(first)) != evaluator.proofs.dependences(first)
    measuring = Measuring(in_process=True)
    problems = [Problem(scop, (("n", 8),)) for scop in (first, second, _shorter(first))]
    one, same, other = map(measuring.evaluator, problems)
    measuring.close()
    assert one is same is not other


def test_the_cost_of_a_shorter_program_is_its_own() -> None:
    model, scop = CostModel(), _scop()
    whole, part = (Problem(s, (("n", 40),)) for s in (scop, _shorter(scop)))
    assert model.seconds(whole, whole.original) == pytest.approx(10 * model.seconds(part, part.original))


def test_problems_of_equal_scops_are_one() -> None:
    first, second = (TreeProblem(_scop(), (("n", 8),)) for _ in range(2))
    first.range_of(*_row(first))
    assert first == second
    assert len({first, second, TreeProblem(_shorter(_scop()), (("n", 8),))}) == 2


def _row(problem: TreeProblem) -> tuple[str, Affine]:
    (statement,) = problem.scop.statements
    return statement.name, statement.schedule[1]


def test_candidates_of_a_walk_have_the_same_names_in_every_run() -> None:
    names = set()
    for scop in (_scop(), _scop()):
        with Evaluator(scop, {"n": 8}, host_target(), in_process=True) as evaluator:
            walk = _Walk(evaluator, Measuring.around(evaluator), "greedy", scop, None)
            names.add(walk._candidate(original_tree(scop)).name)
    assert len(names) == 1
