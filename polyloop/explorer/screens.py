"""Pages that come up in front of the explorer: text to read, and one line to fill in."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static


class Page(ModalScreen[None]):
    """Text to read; most keys close it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q,enter,space,question_mark,h,f1,w,d", "dismiss", "back"),
        ("up,k", "scroll(-1)", ""),
        ("down,j", "scroll(1)", ""),
    ]

    def __init__(self, title: str, text: Text) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        with Vertical(classes="page") as box:
            box.border_title = self._title
            box.border_subtitle = "esc: back"
            with VerticalScroll(can_focus=False):
                yield Static(self._text, id="page-text")

    def action_scroll(self, lines: int) -> None:
        """Move the text, where it does not fit."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)


class Prompt(ModalScreen[str | None]):
    """One line; None if it was given up."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "give_up", "back")]

    def __init__(self, title: str, value: str = "", suggestions: tuple[str, ...] = ()) -> None:
        super().__init__()
        self._title, self._value, self._suggestions = title, value, suggestions

    def compose(self) -> ComposeResult:
        with Vertical(classes="prompt") as box:
            box.border_title = self._title
            box.border_subtitle = "enter: do it   esc: back"
            suggester = SuggestFromList(self._suggestions) if self._suggestions else None
            yield Input(self._value, suggester=suggester, compact=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """The line is whole."""
        self.dismiss(event.value.strip())

    def action_give_up(self) -> None:
        """Back, with nothing."""
        self.dismiss(None)
