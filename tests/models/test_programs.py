"""Random programs and schedules: seeded, legal, and texts that read back."""

from __future__ import annotations

import numpy as np
import pytest

from polyloop.backend.machine.machine import machine_named
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.model import nest_model
from polyloop.cursor.tree_problem import TreeProblem, joined
from polyloop.models.programs import (
    FAMILIES,
    LEAST_POINTS,
    MOST_POINTS,
    ProgramTextError,
    problem_of,
    random_program,
    read_program,
)
from polyloop.models.schedules import ScheduleTextError, random_schedules, read_schedule
from polyloop.schedules.legality import Violation, prove


def test_programs_of_all_families_read_back_and_have_the_size_asked_for() -> None:
    met = set()
    for number in range(60):
        made = random_program(np.random.default_rng([7, number]))
        assert made == random_program(np.random.default_rng([7, number]))
        met.add(made.family)
        problem = problem_of(made.text)
        if isinstance(problem, Contraction) and made.family not in ("window", "convolution"):
            assert LEAST_POINTS / 4 <= problem.points <= 4 * MOST_POINTS
    assert met == set(FAMILIES)


@pytest.mark.parametrize("family", list(FAMILIES))
def test_schedules_read_back_and_are_legal(family: str) -> None:
    rng = np.random.default_rng(5)
    problem = problem_of(FAMILIES[family][1](rng))
    target = nest_model(machine_named("zen5")).target
    drawn = random_schedules(problem, rng, 12, target)
    assert len(drawn) >= 6
    assert drawn == random_schedules(problem, _after(family), 12, target)
    for text, program in drawn.items():
        assert read_schedule(problem, text) == program
    if isinstance(problem, TreeProblem):
        dependences = problem.scop.dependences("memory")
        for tree in drawn.values():
            verdict = prove(problem.scop, joined(tree), dependences, problem.reassociate)  # type: ignore[arg-type]
            assert not isinstance(verdict, Violation)


def _after(family: str) -> np.random.Generator:
    rng = np.random.default_rng(5)
    FAMILIES[family][1](rng)
    return rng


def test_texts_that_are_none_are_refused() -> None:
    with pytest.raises(ProgramTextError, match="no program"):
        read_program("int8 m=4: C[m] = A[m]")
    problem = problem_of("float32 m=20 k=8: C[m] += A[m, k]")
    for text in ("m 20, k 8", "m 20, k 8 | m", "m 20, k 7 | m 20", "m 4, k 8, m 4 | m 20", "m 20, k 8 fast | m 20"):
        with pytest.raises(ScheduleTextError):
            read_schedule(problem, text)
    assert read_schedule(problem, "m 4 + 4, k 8, m 4 | m 20") != problem.start
