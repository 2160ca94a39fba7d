"""The teacher that can be asked in any state: its ways lead to what it promises, and back from mistakes."""

from __future__ import annotations

import pytest

from polyloop.backend.machine.machine import machine_named
from polyloop.cursor.actions import Actions
from polyloop.cursor.base import AnyState
from polyloop.cursor.model import nest_model
from polyloop.envs.cursor_problems import open_case
from polyloop.search.cursor.baselines import Task, played_teacher
from polyloop.search.cursor.guide import Edit, Guide, edited
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
    assert states[-1].stopped


@pytest.mark.parametrize("number", [0, 2, 3])
def test_chains_become_as_good_as_the_default_schedule_action_by_action(number: int) -> None:
    case = Case(problems(["chains"], number + 1)[number], "zen5")
    actions = Actions.of("native", ("vectorize", "register_tile"), stop=True)
    task = Task.of(open_case(case, actions, 32), machine_named("zen5"))
    default = task.process.default(nest_model(task.machine).target)
    assert default is not None
    last = followed(Guide(task), task.process.initial())[-1]
    assert task.worth(last) >= 0.9 * task.worth(default) > 2 * task.worth(task.process.initial())


def test_a_beam_of_programs_goes_where_it_says_in_the_steps_that_are_left() -> None:
    task = guide("kernels", "zen5", 2).task
    process = task.process
    start = process.initial()._replace(steps=8)
    best, edits = edited(task, start, 2)
    state = start
    while (edit := edits[state.program]).action is not None:
        assert edit.worth == task.worth(best) > task.worth(start)
        state = process.step(
            state._replace(cursor=edit.row, steps=state.steps + abs(edit.row - state.cursor)), edit.action
        )
    assert (state.program, state.steps) == (best.program, best.steps)
    assert best.steps <= 18
    full = start._replace(steps=18)
    assert edited(task, full, 2) == (full, {full.program: Edit(0, None, task.worth(full))})


def test_the_cursor_is_sent_back_to_where_the_way_goes_on_and_another_way_found_a_few_times() -> None:
    given = guide("kernels", "zen5", 2)
    process = given.task.process
    states = followed(given, process.initial())
    down = process.names.index("down")
    astray = process.step(process.step(process.initial(), down), down)
    assert [s.program for s in followed(given, astray)][-1] == states[-1].program
    met = {s.program for s in states}
    after = [
        process.step(at, a) for at in (process.initial(), astray) for a, ok in enumerate(process.actions(at)) if ok
    ]
    beside = [state for state in after if state.program not in met]
    known = [given.advice(state) for state in beside]
    assert len(beside) > 3
    assert None not in known[:3]
    assert set(known[3:]) == {None}
