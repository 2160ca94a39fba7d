"""Episodes as text and as images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyloop.measure.schedules import Score
from polyloop.schedules.rows import Schedule
from polyloop.schedules.tree import ScheduleTree
from polyloop.show.svg import draw_tree
from polyloop.support.libraries import optional

Image: TypeAlias = NDArray[np.uint8]

WIDTH, HEIGHT = 800, 600
"""Pixels of an image, whatever it shows: videos are made of frames of one size."""

_MARGIN, _LINE, _CHARACTER = 16, 18, 7.3
_MOST_CHARACTERS, _MOST_LINES, _LINES_ABOVE_TREES = 104, 50, 9
_SMALLEST = 0.6
_DOTS_PER_INCH = 100
_POINTS = 12 * 72 / _DOTS_PER_INCH


def ansi(
    kernel: str,
    state: str,
    action: int | None,
    names: Sequence[str],
    mask: Sequence[bool],
    schedule: Schedule | None,
    score: Score | None,
) -> str:
    """The kernel, the last action, the state, what is legal next and, at the end, the schedule and its speedup."""
    lines = [f"{kernel}: {state}"]
    if action is not None:
        lines.append(f"after: {names[action] if 0 <= action < len(names) else action}")
    if any(mask):
        lines.append(f"legal: {', '.join(name for name, legal in zip(names, mask, strict=True) if legal)}")
    if schedule is not None:
        lines.append(str(schedule))
    if score is not None:
        lines.append(f"speedup: {score.speedup:.3f}" + (f" ({score.error})" if score.error else ""))
    return "\n".join(lines)


def check_images() -> None:
    """Raises:
    MissingLibraryError: if there is nothing to draw images with.
    """
    _matplotlib("figure")


def image(text: str, tree: ScheduleTree | None = None) -> Image:
    """Text above a schedule tree, if there is one; shape (HEIGHT, WIDTH, 3). Lines that begin with ">" are bold.

    What would not fit is drawn smaller, as long as it can be read; of very large trees the end is cut off.

    Raises:
        MissingLibraryError: without matplotlib.
    """
    canvas, y = _Raster(), float(_MARGIN)
    for line in _lines(text, _MOST_LINES if tree is None else _LINES_ABOVE_TREES):
        y += _LINE
        canvas.text(_MARGIN, y, line, bold=line.startswith(">"))
    if tree is not None:
        draw_tree(canvas, tree, _MARGIN, y + _LINE)
    return canvas.pixels()


def _lines(text: str, most: int) -> list[str]:
    """Long lines broken; of very many the first ones."""
    lines = [part for line in text.splitlines() for part in wrap(line, _MOST_CHARACTERS, subsequent_indent="  ")]
    return lines if len(lines) <= most else [*lines[: most - 1], "..."]


@dataclass
class _Raster:
    """A canvas of `polyloop.show.svg` that keeps what is drawn until it is known how large it has become."""

    texts: list[tuple[float, float, str, str, bool]] = field(default_factory=list)
    boxes: list[tuple[float, float, float, float, str]] = field(default_factory=list)
    lines: list[list[tuple[float, float]]] = field(default_factory=list)
    width: float = 0
    height: float = 0

    def text(self, x: float, y: float, content: str, color: str = "#222", bold: bool = False) -> None:
        self.texts.append((x, y, content, color, bold))
        self._grow(x + _CHARACTER * len(content), y + 4)

    def box(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        self.boxes.append((x, y, width, height, fill))
        self._grow(x + width, y + height)

    def line(self, points: list[tuple[float, float]]) -> None:
        self.lines.append(points)

    def pixels(self) -> Image:
        scale = max(_SMALLEST, min(1.0, WIDTH / (self.width + _MARGIN), HEIGHT / (self.height + _MARGIN)))
        size = WIDTH / _DOTS_PER_INCH, HEIGHT / _DOTS_PER_INCH
        figure = _matplotlib("figure").Figure(figsize=size, dpi=_DOTS_PER_INCH, facecolor="white")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.axis("off")
        axes.set_xlim(0, WIDTH / scale)
        axes.set_ylim(HEIGHT / scale, 0)
        rectangle = _matplotlib("patches").Rectangle
        for points in self.lines:
            axes.plot(*zip(*points, strict=True), color="#778", linewidth=0.8 * scale)
        for x, y, width, height, fill in self.boxes:
            axes.add_patch(rectangle((x, y), width, height, facecolor=fill, edgecolor="#778", linewidth=0.8 * scale))
        for x, y, content, color, bold in self.texts:
            weight = "bold" if bold else "normal"
            style = {"family": "monospace", "fontsize": _POINTS * scale, "color": color, "fontweight": weight}
            axes.text(x, y, content, parse_math=False, clip_on=True, **style)
        canvas = _matplotlib("backends.backend_agg").FigureCanvasAgg(figure)
        canvas.draw()
        return np.array(canvas.buffer_rgba(), np.uint8)[..., :3]

    def _grow(self, x: float, y: float) -> None:
        self.width, self.height = max(self.width, x), max(self.height, y)


def _matplotlib(module: str) -> Any:
    return optional(f"matplotlib.{module}", "matplotlib", "viz", "render_mode='rgb_array'")
