"""Sessions: undo and redo over a tree of programs, traces, what is asked next, and the best."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyloop.cli.arguments import parse
from polyloop.cursor.base import Program
from polyloop.explorer.meter import ModelMeter
from polyloop.explorer.opening import Subject, open_subject
from polyloop.explorer.session import Session
from polyloop.measure.result import Measurement
from tests.helpers.walking import trace_names

Act = Callable[..., Session]
SPLIT, ORDER = "split_4", "swap_down"


def measured(session: Session) -> list[str]:
    """Answer every question with the model; the questions."""
    meter = ModelMeter(session.process.problem)
    asked: list[str] = []
    while (question := session.pending()) is not None:
        kind, program = question
        asked.append(kind)
        if kind == "measure":
            session.measured(program, meter.measure(program))
        else:
            session.inspected(program, None)
    return asked


def test_a_session_starts_with_the_original_loops(product: Subject) -> None:
    session = Session(product.process)
    assert session.state == product.process.initial()
    assert (session.undo(), session.redo(), session.trace(), session.best) == (False, False, (), None)


def test_a_masked_action_says_why_and_changes_nothing(product: Subject) -> None:
    session = Session(product.process)
    refusal = session.act(product.process.names.index("up"))
    assert refusal == "the cursor is on the first loop"
    assert session.obstacles()[0] == refusal
    assert session.state == product.process.initial()
    assert session.act(99) == "there is no action 99; there are 14"


def test_undo_goes_back_change_by_change_and_moves_are_no_changes(product: Subject, act: Act) -> None:
    session = act(Session(product.process), SPLIT, "down", "down", ORDER, "up")
    last = session.state.program
    assert session.undo()
    assert session.state.cursor == 2
    assert session.step.path() == [session.start, session.step]
    assert session.undo()
    assert session.state == session.start.state
    assert not session.undo()
    assert session.redo()
    assert session.redo()
    assert not session.redo()
    assert session.state.program == last


def test_moving_the_cursor_after_an_undo_keeps_the_redo(product: Subject, act: Act) -> None:
    session = act(Session(product.process), SPLIT)
    program = session.state.program
    session.undo()
    act(session, "down", "down", "up")
    assert session.redo()
    assert session.state.program == program


def test_another_change_after_an_undo_loses_nothing(product: Subject, act: Act) -> None:
    session = act(Session(product.process), SPLIT)
    first = session.step
    session.undo()
    act(session, "split_8")
    second = session.step
    assert session.start.children == [first, second]
    session.undo()
    assert session.redo()
    assert session.step is second
    session.go_to(first)
    session.undo()
    session.redo()
    assert session.step is first


def test_the_same_change_again_is_the_same_program(product: Subject, act: Act) -> None:
    session = act(Session(product.process), SPLIT)
    first = session.step
    session.undo()
    act(session, SPLIT)
    assert session.step is first
    assert session.start.children == [first]


def test_the_trace_has_the_moves_that_it_needs(product: Subject, act: Act) -> None:
    session = act(Session(product.process), "down", "up", SPLIT, "down", "down", ORDER, "up")
    assert trace_names(session) == (SPLIT, "down", "down", ORDER, "up")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-3, 16), max_size=30), st.sampled_from(["MM-64", "gemm"]))
def test_the_trace_leads_to_the_state_whatever_is_done(keys: list[int], name: str) -> None:
    session = Session(open_subject(parse(["explore", name])).process)
    for key in keys:
        match key:
            case -3:
                session.undo()
            case -2:
                session.redo()
            case -1 if session.best is not None:
                session.go_to(session.best)
            case _:
                session.act(key)
        if key % 5 == 0:
            measured(session)
    state = session.process.initial()
    for action in session.trace():
        state = session.process.step(state, action)
    assert state == session.state
    assert session.step in session.path()


def test_questions_begin_with_the_present_program(product: Subject, act: Act) -> None:
    session = act(Session(product.process), SPLIT, "down", ORDER)
    now, between = session.state.program, session.step.parent
    assert between is not None
    assert session.pending() == ("measure", now)
    session.measured(now, Measurement(1e-3, 1e-3, 0.0, 1))
    assert session.pending() == ("inspect", now)
    session.inspected(now, None)
    assert session.pending() == ("measure", between.program)
    session.measured(between.program, Measurement.failed("no memory"))
    assert session.pending() == ("measure", session.start.program)
    session.measured(session.start.program, Measurement(1e-3, 1e-3, 0.0, 1))
    assert session.pending() is None


def test_what_failed_is_not_inspected_and_is_no_best(product: Subject) -> None:
    session = Session(product.process)
    session.measured(session.state.program, Measurement.failed("crashed"))
    assert session.pending() is None
    assert session.best is None
    assert session.gflops(session.state.program) is None


def test_the_best_is_the_fastest_wherever_it_stands(product: Subject, act: Act) -> None:
    session = act(Session(product.process), SPLIT, "down", ORDER)
    programs: list[Program] = [step.program for step in session.path()]
    for program, seconds in zip(programs, (3e-3, 1e-3, 2e-3), strict=True):
        session.measured(program, Measurement(seconds, seconds, 0.0, 1))
    assert session.best is not None
    assert session.best.program == programs[1]
    flops = product.process.problem.flops
    assert session.gflops(programs[1]) == pytest.approx(flops / 1e-3 * 1e-9)
    session.undo()
    session.undo()
    act(session, "split_8")
    session.go_to(session.best)
    assert trace_names(session) == (SPLIT,)


def test_everything_on_the_way_is_measured(opened: Callable[..., Subject], act: Act) -> None:
    session = act(Session(opened("gemm", "--dataset", "MINI").process), SPLIT, "down", "unroll")
    assert measured(session) == ["measure", "inspect", "measure", "measure"]
    assert all(session.gflops(step.program) for step in session.path())
