"""The explorer driven by keys, with figures of the model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

import polyloop.envs
from polyloop.backend.config import use_color
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.cursor.base import Program
from polyloop.envs.replay import load, replay
from polyloop.explorer.app import Explorer
from polyloop.explorer.inspection import Inspection
from polyloop.explorer.keys import COMMANDS
from polyloop.explorer.meter import MeterError, ModelMeter
from polyloop.explorer.opening import Subject
from polyloop.explorer.screens import Page, Prompt
from polyloop.measure.programs import ModelledPrograms, gflops
from polyloop.measure.result import Measurement
from tests.helpers.walking import trace_names

polyloop.envs.register()
Open = Callable[..., Subject]
Drive = Callable[[Pilot[None], Explorer], Awaitable[None]]
WIDE = (120, 48)


def explore(
    subject: Subject, drive: Drive, size: tuple[int, int] = WIDE, meter: ModelMeter | None = None, plain: bool = False
) -> Explorer:
    """Run the explorer until `drive` is done with it, or it has quit."""
    app = Explorer(subject, meter or ModelMeter(subject.process.problem), "model", pause=0.01, plain=plain)

    async def session() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await drive(pilot, app)

    asyncio.run(asyncio.wait_for(session(), 60))
    return app


async def settled(pilot: Pilot[None], app: Explorer) -> None:
    """Until nothing is asked any more."""
    while app.session.pending() is not None or app.asking:
        await pilot.pause(0.01)
    await pilot.pause()


def shown(app: Explorer, panel: str) -> str:
    """A panel's text."""
    return str(app.screen_stack[0].query_one(f"#{panel}", Static).content)


def screen_text(app: Explorer) -> str:
    """Everything on the terminal."""
    return "\n".join("".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips())


def test_keys_change_loops_and_figures_follow(product: Subject) -> None:
    async def drive(pilot: Pilot[None], app: Explorer) -> None:
        assert shown(app, "loops").splitlines()[0].split() == ["›", "m", "32"]
        await settled(pilot, app)
        await pilot.press("1", "down", "J")
        await settled(pilot, app)
        assert trace_names(app.session) == ("split_4", "down", "swap_down")
        lines = shown(app, "loops").splitlines()
        assert [line.split()[:2] for line in lines[:3]] == [["m", "8"], ["n", "16"], ["›", "m"]]
        problem, program = product.process.problem, app.session.state.program
        speed = gflops(problem, ModelledPrograms().evaluate(problem, program))
        peak = ModelledPrograms().peak(problem)
        assert f"{speed:.2f} GFLOPS   {100 * speed / peak:.1f}% of peak" in shown(app, "speed")
        assert f"{speed:7.2f}" in shown(app, "history").splitlines()[-1]
        assert "of the model" in shown(app, "data")

    explore(product, drive)


def test_every_action_is_on_a_key(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = opened("gemm", "--dataset", "MINI")
    asked: list[int] = []
    monkeypatch.setattr(Explorer, "action_act", lambda app, number: asked.append(number))

    async def drive(pilot: Pilot[None], app: Explorer) -> None:
        await pilot.press(*(one for key in app.action_keys for one in key.keys))

    app = explore(subject, drive)
    assert asked == [number for number, key in enumerate(app.action_keys) for _ in key.keys]
    assert set(asked) == set(range(len(subject.process.names)))
    keys = [one for key in (*app.action_keys, *COMMANDS.values()) for one in key.keys]
    assert len(keys) == len(set(keys))


def test_a_masked_action_is_explained(product: Subject) -> None:
    async def drive(pilot: Pilot[None], app: Explorer) -> None:
        await pilot.press("up")
        assert shown(app, "status") == "up is masked: the cursor is on the first loop"
        await pilot.press("5")
        assert shown(app, "status") == "split_64 is masked: 32 iterations cannot be split by 64: it takes more than 64"
        assert "no loop stands directly outside" in shown(app, "actions")
        assert app.session.trace() == ()
        await pilot.press("w")
        assert isinstance(app.screen, Page)
        text = str(app.screen.query_one("#page-text", Static).content)
        assert "merge\n  no loop of m stands directly inside to merge with" in text
        await pilot.press("escape")
        assert not isinstance(app.screen, Page)

    explore(product, drive)


def test_a_dependence_is_named(opened: Open) -> None:
    async def drive(pilot: Pilot[None], app: Explorer) -> None:
        await pilot.press("v")
        assert shown(app, "status").startswith("vectorize is masked: cannot vectorize t in jacobi_1d: dependence ")

    explore(opened("jacobi-1d", "--dataset", "MINI"), drive)


def test_undo_and_redo(product: Subject) -> None:
    async def drive(pilot: Pilot[None], app: Explorer) -> None:
        await pilot.press("u")
        assert shown(app, "status") == "nothing to undo"
        await pilot.press("1", "down", "J")
        changed = shown(app, "loops")
        steps = len(app.session.path()) - 1
        for _ in range(steps):
            await pilot.press("u")
            assert shown(app, "status") == "undone"
        assert app.session.state == app.session.start.state
        for _ in range(steps):
            await pilot.press("r")
        await pilot.press("r")
        assert shown(app, "status") == "nothing to redo"
        assert shown(app, "loops") == changed
        await pilot.press("0")
        assert app.session.state == app.session.start.state
        await settled(pilot, app)
        await pilot.press("b")
        assert app.session.best is not None
        assert app.session.state.program == app.session.best.program
        assert "›*" in shown(app, "history")

    explore(product, drive)


def test_actions_by_name_and_number(product: Subject) -> None:
    async def drive(pilot: Pilot[None], app: Explorer) -> None:
        for text in ("split_8", "1", "nonsense", "77"):
            await pilot.press("colon")
            assert isinstance(app.screen, Prompt)
            await pilot.press(*text, "enter")
            await pilot.pause()
        assert trace_names(app.session) == ("split_8", "down")
        assert shown(app, "status").startswith("there is no action 77; there are up, down, swap_up")
        await pilot.press("colon", "1", "escape")
        assert trace_names(app.session) == ("split_8", "down")

    explore(product, drive)


def test_what_is_saved_plays_again(product: Subject) -> None:
    async def drive(pilot: Pilot[None], app: Explorer) -> None:
        await pilot.press("1", "down")
        await settled(pilot, app)
        await pilot.press("s")
        assert app.screen.query_one(Input).value == "kernel"
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert shown(app, "status") == "wrote kernel.c and kernel.episode.jsonl"
        await pilot.press("s")
        await pilot.press(*"kernel", "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert shown(app, "status") == "kernel.episode.jsonl is there already; choose another name"

    explore(product, drive)
    (found,) = load(Path("kernel.episode.jsonl"))
    assert replay(found).compared
    assert "void tensor(" in Path("kernel.c").read_text()


def test_what_was_not_changed_is_saved_as_c_alone(product: Subject) -> None:
    async def drive(pilot: Pilot[None], app: Explorer) -> None:
        await pilot.press("s", *"same", "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert shown(app, "status") == "wrote same.c; nothing was changed, so that there is no episode"

    explore(product, drive)
    assert [path.name for path in Path().glob("same*")] == ["same.c"]


def test_help_names_every_key(product: Subject) -> None:
    async def drive(pilot: Pilot[None], app: Explorer) -> None:
        await pilot.press("question_mark")
        assert isinstance(app.screen, Page)
        text = str(app.screen.query_one("#page-text", Static).content)
        for name in (*product.process.names, "undo", "redo", "best", "save", "leave"):
            assert f"{name} " in text
        await pilot.press("q")
        assert not isinstance(app.screen, Page)
        assert app.is_running

    explore(product, drive)


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c"])
def test_quit(product: Subject, key: str) -> None:
    async def drive(pilot: Pilot[None], app: Explorer) -> None:
        await pilot.press(key)
        await pilot.pause()
        assert not app.is_running

    assert explore(product, drive).return_code == 0


@dataclass
class Held(ModelMeter):
    """Measures when it is let go."""

    go: threading.Event = field(default_factory=threading.Event)
    measured: list[Program] = field(default_factory=list)

    def measure(self, program: Program) -> Measurement:
        self.go.wait(30)
        self.measured.append(program)
        return super().measure(program)

    def close(self) -> None:
        self.go.set()


def test_keys_work_while_something_is_measured(product: Subject) -> None:
    meter = Held(product.process.problem)

    async def drive(pilot: Pilot[None], app: Explorer) -> None:
        await pilot.pause(0.05)
        assert "measuring..." in shown(app, "speed")
        await pilot.press("1", "down", "J", "u")
        assert trace_names(app.session) == ("split_4", "down")
        assert "measuring..." in shown(app, "speed")
        meter.go.set()
        await settled(pilot, app)
        assert "GFLOPS" in shown(app, "speed")
        # What was under way first, then the present program, then the rest of the way.
        start, split, swapped = app.session.path()
        assert meter.measured == [start.program, split.program, swapped.program]

    explore(product, drive, meter=meter)


def test_quitting_does_not_wait_for_a_measurement(product: Subject) -> None:
    async def drive(pilot: Pilot[None], app: Explorer) -> None:
        await pilot.pause(0.05)
        await pilot.press("q")

    meter = Held(product.process.problem)
    explore(product, drive, meter=meter)
    assert meter.go.is_set()


@dataclass
class Broken(ModelMeter):
    """Nothing works."""

    def measure(self, program: Program) -> Measurement:
        return Measurement.failed("the kernel crashed (SIGSEGV)")

    def peak(self) -> float:
        raise MeterError("no peak")

    def planned(self, program: Program) -> VectorProgram:
        raise MeterError("too deep")


def test_failures_are_shown_and_the_explorer_goes_on(product: Subject) -> None:
    async def drive(pilot: Pilot[None], app: Explorer) -> None:
        await settled(pilot, app)
        assert "failed: the kernel crashed (SIGSEGV)" in shown(app, "speed")
        assert "failed" in shown(app, "history")
        await pilot.press("b")
        assert shown(app, "status") == "nothing is measured yet"
        await pilot.press("s", "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert shown(app, "status") == "too deep"
        await pilot.press("1")
        assert trace_names(app.session) == ("split_4",)

    explore(product, drive, meter=Broken(product.process.problem))
    assert list(Path().glob("kernel*")) == []


@dataclass
class Uninspectable(ModelMeter):
    """Speeds, and nothing else."""

    def inspect(self, program: Program) -> Inspection | None:
        raise MeterError("it takes more memory than there is")


def test_a_failed_inspection_leaves_the_speed(product: Subject) -> None:
    async def drive(pilot: Pilot[None], app: Explorer) -> None:
        await settled(pilot, app)
        assert "GFLOPS" in shown(app, "speed")
        assert "it takes more memory than there is" in shown(app, "speed")

    explore(product, drive, meter=Uninspectable(product.process.problem))


@pytest.mark.parametrize("size", [(20, 6), (40, 12), (50, 16), (80, 24), (100, 30), (160, 60)])
def test_any_terminal_will_do(opened: Open, size: tuple[int, int]) -> None:
    async def drive(pilot: Pilot[None], app: Explorer) -> None:
        await settled(pilot, app)
        for _ in range(6):
            await pilot.press("down")
        await pilot.press("1")
        await settled(pilot, app)
        lines = screen_text(app).splitlines()
        assert len(lines) == size[1]
        assert any("›" in line for line in lines)
        if size >= (80, 24):
            assert all(word in "\n".join(lines) for word in ("GFLOPS", "history", "actions", "swap_up", "q quit"))

    explore(opened("heat-3d", "--dataset", "MINI"), drive, size)


@pytest.mark.parametrize("value", ["1", None])
def test_no_color_is_honoured(product: Subject, monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    if value is None:
        monkeypatch.delenv("NO_COLOR", raising=False)
    else:
        monkeypatch.setenv("NO_COLOR", value)
    colours: set[str] = set()

    async def drive(pilot: Pilot[None], app: Explorer) -> None:
        await settled(pilot, app)
        main = app.screen.query_one("#right")
        for strip in main.render_lines(main.size.region):
            for style in (segment.style for segment in strip if segment.style is not None):
                found = (style.color, style.bgcolor)
                colours.update(colour.name for colour in found if colour is not None and not colour.is_default)

    explore(product, drive, plain=not use_color())
    assert bool(colours) is (value is None)
