"""The teacher that can be asked in any state: its ways lead to what it promises, and back from mistakes."""

from __future__ import annotations

import pytest

from polyloop.backend.machine.machine import machine_named
from polyloop.cursor.actions import Actions
from polyloop.cursor.base import AnyState
from polyloop.envs.cursor_problems import open_case
from polyloop.search.cursor.baselines import Task, played_teacher
from polyloop.search.cursor.guide import Guide
from polyloop.shipped.families import Case, problems

ACTIONS = Actions.of("native", stop=True)


def guide(family: str, machine: str = "zen3", number: int = 0, written: bool = True) -> Guide:
    case = Case(problems([family], number + 1)[number], machine)
    return Guide(Task.of(open_case(case, ACTIONS, 18), machine_named(machine)), written)


def followed(given: Guide, state: AnyState) -> list[AnyState]:
    """The states that its advice leads through."""
    states = [state]
    while (advice := given.advice(states[-1])) is not None:
        states.append(given.task.process.step(states[-1], advice.action))
    return states


@pytest.mark.parametrize("family", ["products-tn", "transposing", "depthwise", "conv-nhwc"])
def test_its_way_leads_to_what_it_promises_and_stops_there(family: str) -> None:
    given = guide(family)
    task = given.task
    first = given.advice(task.process.initial())
    assert first is not None
    states = followed(given, task.process.initial())
    assert states[-1].stopped
    assert task.worth(states[-1]) == pytest.approx(first.worth, rel=0.02)
    assert task.worth(states[-1]) >= 0.98 * task.worth(played_teacher(task).state)
    assert task.worth(states[-1]) > task.worth(states[0])


def test_a_wrong_tile_is_merged_and_the_way_found_all_the_same() -> None:
    given = guide("products-nt")
    process, task = given.task.process, given.task
    best = task.worth(followed(given, process.initial())[-1])
    wrong = process.initial()
    for name in ("split_4", "split_8", "down"):
        wrong = process.step(wrong, process.names.index(name))
    states = followed(given, wrong)
    actions = [given.advice(state) for state in states[:-1]]
    assert "merge" in [process.names[advice.action] for advice in actions if advice is not None]
    assert task.worth(states[-1]) > 0.9 * best


def test_a_cursor_among_the_write_back_loops_comes_back() -> None:
    given = guide("products-nn")
    process = given.task.process
    state = process.initial()
    while process.obstacle(state, process.names.index("down")) is None:
        state = process.step(state, process.names.index("down"))
    assert state.cursor >= len(state.program.compute)
    advice = given.advice(state)
    assert advice is not None
    assert process.names[advice.action] == "up"


def test_nothing_is_done_where_nothing_is_gained() -> None:
    given = guide("products-nn")
    end = followed(given, given.task.process.initial())[-1]
    good = end._replace(steps=3, stopped=False)
    advice = given.advice(good)
    assert advice is not None
    assert given.task.process.names[advice.action] == "stop"
    assert given.advice(end) is None


def test_what_others_report_is_gone_to_where_it_is_better_than_what_a_beam_finds() -> None:
    given, better = guide("products-tn", written=False), guide("products-tn")
    process, task = given.task.process, given.task
    known = task.worth(followed(given, process.initial())[-1])
    reported = followed(better, process.initial())[-1]
    assert task.worth(reported) > 1.01 * known
    given.met(reported)
    assert task.worth(followed(given, process.initial())[-1]) == pytest.approx(task.worth(reported), rel=0.02)
    given.met(process.initial())
    assert task.worth(followed(given, process.initial())[-1]) == pytest.approx(task.worth(reported), rel=0.02)


def test_other_programs_have_the_way_of_a_beam() -> None:
    given = guide("kernels", "zen5", 2)
    process, task = given.task.process, given.task
    states = followed(given, process.initial())
    assert task.worth(states[-1]) > task.worth(states[0])
    astray = process.step(process.initial(), process.names.index("down"))
    known = given.advice(astray)
    assert known is None or astray in states
