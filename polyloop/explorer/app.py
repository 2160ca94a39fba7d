"""The explorer in the terminal: panels around a session, keys, and a worker that is asked in the background."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.timer import Timer
from textual.widgets import Static

from polyloop.cursor.base import Program
from polyloop.errors import PolyloopError
from polyloop.explorer import views
from polyloop.explorer.inspection import Inspection
from polyloop.explorer.keys import COMMANDS, action_key
from polyloop.explorer.meter import Meter, MeterError
from polyloop.explorer.opening import Subject
from polyloop.explorer.saving import c_text, episode, free_stem, places
from polyloop.explorer.screens import Page, Prompt
from polyloop.explorer.session import Question, Session
from polyloop.explorer.style import CALM, LAYOUT
from polyloop.terminal.output import Destination

PAUSE = 0.2
"""Seconds without a key before a program is measured: those that are only passed by are not."""


class Explorer(App[None]):
    """Walk and change the loops of one program.

    Args:
        meter: says how fast programs are; closed when the explorer ends.
        evaluator: the meter's name, for episodes.
    """

    CSS = LAYOUT
    ENABLE_COMMAND_PALETTE = False
    # Textual would copy text.
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "leave", show=False, priority=True)]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (72, "-medium"), (104, "-wide")]  # noqa: RUF012 (textual's declaration)
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (14, "-short"), (30, "-normal"), (44, "-tall")]  # noqa: RUF012

    def __init__(
        self, subject: Subject, meter: Meter, evaluator: str, *, pause: float = PAUSE, plain: bool = False
    ) -> None:
        # The terminal's own colours can be left out altogether, a theme's become shades of grey.
        super().__init__(ansi_color=True if plain else None)
        self.subject, self.session = subject, Session(subject.process)
        self.peak: float | None = None
        self._meter, self._evaluator, self._pause = meter, evaluator, pause
        self.asking = False
        self._timer: Timer | None = None
        names = self.session.process.names
        self.action_keys = tuple(action_key(name, names) for name in names)

    def compose(self) -> ComposeResult:
        yield Static(self._title(), id="title")
        with Horizontal(id="main"):
            with Vertical(id="left"):
                yield _scroll("loops", "loops")
                yield _panel("actions", "actions")
            with Vertical(id="right"):
                yield _panel("speed", "speed")
                yield _panel("data", "data")
                yield _scroll("history", "history")
        yield Static(id="status")
        yield Static(_hints(), id="keys")

    def on_mount(self) -> None:
        """Keys, colours, and the first measurement."""
        if not self.ansi_color:
            self.register_theme(CALM)
            self.theme = CALM.name
        for number, key in enumerate(self.action_keys):
            self.bind(",".join(key.keys), f"act({number})", show=False)
        for name, key in COMMANDS.items():
            self.bind(",".join(key.keys), name, show=False)
        self._changed("")

    def on_unmount(self) -> None:
        """End the worker, in the middle of a measurement if need be."""
        self._meter.close()

    # --- keys ---------------------------------------------------------------------------------------------------------

    def action_act(self, number: int) -> None:
        """An action of the cursor."""
        name = self.session.process.names[number]
        refusal = self.session.act(number)
        self._changed(name if refusal is None else f"{name} is masked: {views.reason(refusal)}", refusal is not None)

    def action_undo(self) -> None:
        """Back before the last change."""
        done = self.session.undo()
        self._changed("undone" if done else "nothing to undo", not done)

    def action_redo(self) -> None:
        """On again."""
        done = self.session.redo()
        self._changed("redone" if done else "nothing to redo", not done)

    def action_best(self) -> None:
        """To the fastest program."""
        best = self.session.best
        if best is not None:
            self.session.go_to(best)
        self._changed("the fastest so far" if best is not None else "nothing is measured yet", best is None)

    def action_start(self) -> None:
        """To the loops as they are."""
        while self.session.undo():
            pass
        self.session.go_to(self.session.start)
        self._changed("the loops as they are")

    def action_why(self) -> None:
        """Reasons of all masks."""
        self.push_screen(Page("masked here, and why", views.obstacles_text(self.session)))

    def action_data(self) -> None:
        """What the panel has no room for."""
        self.push_screen(Page("data", views.data_text(self.session, whole=True)))

    def action_help(self) -> None:
        """All keys."""
        self.push_screen(Page("keys", self._help()))

    def action_name(self) -> None:
        """An action by name or number."""
        names = self.session.process.names
        self.push_screen(Prompt("action", suggestions=names), self._named)

    def action_save(self) -> None:
        """Write the present program."""
        self.push_screen(Prompt("save as", free_stem(self.subject.stem)), self._save)

    def action_leave(self) -> None:
        """Quit."""
        self._meter.close()
        self.exit()

    def _named(self, text: str | None) -> None:
        names = self.session.process.names
        if not text:
            return
        if text in names:
            self.action_act(names.index(text))
        elif text.isdecimal() and int(text) < len(names):
            self.action_act(int(text))
        else:
            self._changed(f"there is no action {text}; there are {', '.join(names)}", True)

    # --- files --------------------------------------------------------------------------------------------------------

    def _save(self, stem: str | None) -> None:
        if stem is not None:
            self.run_worker(self._write(stem), group="save")

    async def _write(self, stem: str) -> None:
        try:
            to_episode, to_c = places(stem)
            played = episode(self.subject, self.session, self._evaluator, self.peak or 0.0)
            program = self.session.state.program
            text = await asyncio.to_thread(self._c_text, program)
            Destination(to_c).write(text)
            if played is not None:
                Destination(to_episode).write(f"{played.to_json()}\n".encode())
        except PolyloopError as error:
            self._say(str(error), True)
            return
        if played is not None:
            self._say(f"wrote {to_c} and {to_episode}")
        elif self.subject.arguments is None:
            self._say(f"wrote {to_c}; there are no episodes of files that need options to be read")
        else:
            self._say(f"wrote {to_c}; nothing was changed, so that there is no episode")

    def _c_text(self, program: Program) -> bytes:
        return c_text(self.subject, self.session, self._meter.planned(program))

    # --- measuring ----------------------------------------------------------------------------------------------------

    def _changed(self, message: str, warning: bool = False) -> None:
        """Show where the session stands, and ask about it as soon as the keys rest."""
        self._say(message, warning)
        self.show()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(self._pause, self._ask)

    def _ask(self) -> None:
        if self.asking:
            return  # the answer asks on
        question = self.session.pending()
        if question is not None:
            self.asking = True
            self.run_worker(self._answer(*question), group="measure")
        self.show()

    async def _answer(self, question: Question, program: Program) -> None:
        if question == "measure":
            self.session.measured(program, await asyncio.to_thread(self._meter.measure, program))
            if self.peak is None:
                self.peak = await asyncio.to_thread(self._known_peak)
        else:
            self.session.inspected(program, await asyncio.to_thread(self._inspected, program))
        self.asking = False
        self._ask()

    def _known_peak(self) -> float | None:
        try:
            return self._meter.peak()
        except MeterError:
            return None

    def _inspected(self, program: Program) -> Inspection | str | None:
        try:
            return self._meter.inspect(program)
        except MeterError as error:
            return str(error)

    # --- panels -------------------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Bring every panel up to date; masks come last, as dependences may take a moment."""
        if not self.is_running or not self.screen_stack:
            return
        base = self.screen_stack[0]
        panels = {name: base.query_one(f"#{name}", Static) for name in ("loops", "speed", "data", "history")}
        session = self.session
        panels["loops"].update(views.loops_text(session))
        room = panels["speed"].content_size.width or 36
        panels["speed"].update(views.speed_text(session, self.peak, self.asking, room))
        panels["speed"].border_subtitle = "measuring..." if self.asking else ""
        panels["data"].update(views.data_text(session))
        panels["history"].update(views.history_text(session))
        self._keep_in_sight("loops", views.cursor_line(session))
        self._keep_in_sight("history", session.path().index(session.step))
        self.call_after_refresh(self._show_actions)

    def _show_actions(self) -> None:
        if not self.is_running or not self.screen_stack:
            return
        base = self.screen_stack[0]
        panel = base.query_one("#actions", Static)
        width, height = panel.content_size
        keys = tuple(key.shown for key in self.action_keys)
        panel.update(views.actions_text(self.session, keys, width or 76, height if base.has_class("-tall") else 0))

    def _keep_in_sight(self, name: str, line: int) -> None:
        scroll = self.screen_stack[0].query_one(f"#{name}-panel", VerticalScroll)
        scroll.scroll_to(y=max(0, line - scroll.size.height // 2), animate=False)

    def _say(self, message: str, warning: bool = False) -> None:
        style = "#d0b07a" if warning else ""
        self.screen_stack[0].query_one("#status", Static).update(Text(message, style=style, overflow="ellipsis"))

    def _title(self) -> Text:
        text = Text("polyloop explore  ", style="dim", no_wrap=True, overflow="ellipsis")
        text.append(self.subject.title, style="bold not dim").append(f"  {self.subject.sizes}", style="not dim")
        return text

    def _help(self) -> Text:
        text = Text()
        names = self.session.process.names
        rows = [*zip(names, self.action_keys, strict=True), *COMMANDS.items()]
        for name, key in rows:
            shown = " ".join(_readable(k) for k in key.keys)
            text.append(f"{shown:<16}", style=f"bold {views.ACCENT}").append(f"{name:<15}", style="bold")
            text.append(f"{key.meaning}\n")
            if name == names[-1]:
                text.append("\n")
        text.append(
            "\nA masked action changes nothing; the line at the bottom says why. * marks the fastest.", style="dim"
        )
        return text


class Panel(Static):
    """A panel whose text depends on how large it is."""

    def on_resize(self) -> None:
        """What fits is laid out anew."""
        if isinstance(self.app, Explorer):
            self.app.show()


def _panel(name: str, title: str) -> Static:
    panel = Panel(id=name, classes="panel")
    panel.border_title = title
    return panel


def _scroll(name: str, title: str) -> VerticalScroll:
    scroll = VerticalScroll(Static(id=name), id=f"{name}-panel", classes="panel", can_focus=False)
    scroll.border_title = title
    return scroll


def _hints() -> Text:
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append("↑↓ ", style="bold").append("move  ")
    for name in ("undo", "redo", "best", "why", "data", "save", "help"):
        text.append(f"{COMMANDS[name].shown} ", style="bold").append(f"{name}  ")
    text.append(f"{COMMANDS['leave'].shown} ", style="bold").append("quit")
    return text


def _readable(key: str) -> str:
    return {"question_mark": "?", "colon": ":", "up": "↑", "down": "↓"}.get(key, key)
