"""What the panels say, as plain text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from polyloop.explorer import views
from polyloop.explorer.inspection import Allocation, Inspection, Sample
from polyloop.explorer.opening import Subject
from polyloop.explorer.session import Session
from polyloop.measure.result import Check, Measurement

Act = Callable[..., Session]
Open = Callable[..., Subject]

FOUND = Inspection(
    compile_seconds=0.0123,
    moved=12288,
    spills=3,
    allocations=(Allocation("A", (32, 24), 3072, False), Allocation("packed", (8, 1024), 32768, True)),
    check=Check(512, 0, 0.0),
    samples=(Sample("C", (1.5, 2.25), (1.5, 2.25)),),
)


def test_the_loops_of_a_product(product: Subject, act: Act) -> None:
    session = act(Session(product.process), "split_4", "down", "swap_down", "unroll")
    assert views.loops_text(session).plain.splitlines() == [
        "  m             8",
        "    n          16",
        "›     m         4  unrolled",
        "        k      24",
        "          C[m][n] += A[m][k] * B[k][n]",
        "        store C[m][n]",
    ]
    assert views.cursor_line(session) == 2


def test_the_write_back_nest_of_a_product(opened: Open) -> None:
    session = Session(opened("MM-64").process)
    assert [line.split() for line in views.loops_text(session).plain.splitlines()[3:]] == [
        ["C[m][n]", "+=", "A[m][k]", "*", "B[k][n]"],
        ["n", "64", "write-back"],
        ["store", "C[m][n]"],
    ]


def test_the_loops_of_a_kernel(opened: Open, act: Act) -> None:
    session = act(Session(opened("gemm", "--dataset", "MINI").process), "down", "split_8", "down")
    lines = views.loops_text(session).plain.splitlines()
    assert [" ".join(line.split()) for line in lines] == [
        "i 20",
        "jt 3 + 1",
        "› j 8",
        "S0: C[i][j] *= beta",
        "k 30",
        "j 25",
        "S1: C[i][j] += (alpha * A[i][k]) * B[k][j]",
    ]


def test_copies_stand_beside_their_loop(opened: Open, act: Act) -> None:
    session = act(Session(opened("gemm", "--dataset", "MINI").process), "down", "down", "pack", "prefetch")
    assert "pack A[i][k], prefetch" in views.loops_text(session).plain


def test_loops_that_looptune_does_not_see_have_no_row(opened: Open, act: Act) -> None:
    session = act(Session(opened("MM-64", "--compat", "looptune").process), "swap_down")
    rows = [line.row for line in views.lines(session) if line.count]
    assert rows == [0, 1, 2, None, None]


def test_actions_with_reasons_or_side_by_side(product: Subject) -> None:
    session = Session(product.process)
    keys = tuple("abcdefghijklmn")
    tall = views.actions_text(session, keys, 60, 20).plain.splitlines()
    assert len(tall) == 14
    assert tall[0] == "a  0 up            -  the cursor is on the first loop"
    assert tall[3].rstrip() == "d  3 swap_down"
    short = views.actions_text(session, keys, 60, 5).plain.splitlines()
    assert len(short) == 7
    assert [name in short[0] for name in ("up", "split_32")] == [True, True]
    assert len(views.actions_text(session, keys, 10, 5).plain.splitlines()) == 14


def test_a_refusal_without_the_transforms_text() -> None:
    assert views.reason("cannot apply merge(path=(), member=0) in gemm: no loop: none") == "no loop: none"
    assert views.reason("cannot swap i in gemm: dependence") == "cannot swap i in gemm: dependence"


def test_speed(product: Subject, act: Act) -> None:
    session = act(Session(product.process), "split_4")
    program = session.state.program
    assert views.speed_text(session, None, True, 10).plain.splitlines()[0] == "measuring..."
    assert views.speed_text(session, None, False, 10).plain.splitlines()[0] == "not measured"
    session.measured(session.start.program, Measurement(4e-6, 4e-6, 0.0, 5))
    session.measured(program, Measurement(2e-6, 2.5e-6, 0.25, 5))
    session.inspected(program, FOUND)
    assert views.speed_text(session, 24.576, False, 10).plain.splitlines() == [
        "12.29 GFLOPS   50.0% of peak",
        "━━━━━─────",
        "2 us a run ± 25.0%",
        "2.00 x the start",
        "24.6 kflop   2.0 flop/byte",
        "compiled in 12.3 ms   3 spills",
        "= 512 results bit-equal",
    ]
    session.measured(program, Measurement.failed("it takes more memory than there is"))
    assert views.speed_text(session, 1.0, False, 10).plain.splitlines()[0] == (
        "failed: it takes more memory than there is"
    )


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (Check(512, 0, 0.0), "= 512 results bit-equal"),
        (Check(512, 9, 3e-7, 1e-4), "= 512 results equal up to 3.0e-07"),
        (Check(512, 9, 3e-3, 1e-4), "≠ 9 of 512 results differ"),
    ],
)
def test_results_are_compared(product: Subject, check: Check, said: str) -> None:
    session = Session(product.process)
    session.measured(session.state.program, Measurement(1e-6, 1e-6, 0.0, 5))
    session.inspected(session.state.program, replace(FOUND, check=check))
    assert views.speed_text(session, None, False, 10).plain.splitlines()[-1] == said


def test_data(product: Subject) -> None:
    session = Session(product.process)
    assert views.data_text(session).plain == "..."
    session.inspected(session.state.program, FOUND)
    assert views.data_text(session).plain.splitlines() == [
        "C is  1.5 2.25",
        "C was 1.5 2.25",
        "packed[8][1024]  32 KB  own",
        "A[32][24]  3 KB",
    ]


def test_history(product: Subject, act: Act) -> None:
    session = act(Session(product.process), "split_4", "down", "swap_down")
    session.measured(session.start.program, Measurement(4e-6, 4e-6, 0.0, 5))
    session.measured(session.path()[1].program, Measurement(2e-6, 2e-6, 0.0, 5))
    session.measured(session.path()[2].program, Measurement.failed("crashed"))
    session.undo()
    assert views.history_text(session).plain.splitlines() == [
        "   start           6.14",
        "›* split_4 m      12.29",
        "   swap_down m   failed",
    ]
    session.undo()
    act(session, "split_8")
    assert views.history_text(session).plain.splitlines() == [
        "   start         6.14",
        "›  split_8 m        -",
        " * the best stands on another way: 12.29",
    ]
