"""A Scop as an SVG picture: its schedule tree, and iteration domains with dependence arrows.

The tree is drawn whatever the Scop. Domains are drawn for statements of one or two dimensions, at a small size: every
point is an instance, every arrow a value-based dependence between two instances, across statements as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from math import hypot
from typing import Protocol

import islpy as isl

from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.schedules.tree import Band, Leaf, Member, Node, ScheduleTree, Sequence, original_tree
from polyloop.scop.affine_isl import fix_parameters
from polyloop.scop.dependence import dependences
from polyloop.scop.model import Scop, Statement

SPAN = 8
"""Points that are drawn in each dimension, counted from the smallest; more do not make a picture clearer."""

_STEP, _MARGIN, _LINE, _CHARACTER = 34, 24, 18, 7.3
_COLORS = ("#2f6fb0", "#b0532f", "#3f8f4f", "#8a4fa8", "#a88a2f", "#2f9a9a")
_KINDS = {
    LoopKind.SEQUENTIAL: "#e8eef6",
    LoopKind.PARALLEL: "#d8f0dc",
    LoopKind.VECTOR: "#fbe3d2",
    LoopKind.UNROLLED: "#f5f0cf",
}


class Canvas(Protocol):
    """What trees are drawn on; x grows to the right, y downwards, in pixels."""

    def text(self, x: float, y: float, content: str, color: str = "#222", bold: bool = False) -> None:
        """Monospaced text, 12 pixels high, whose base line starts at (x, y)."""

    def box(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        """A box with its upper left corner at (x, y)."""

    def line(self, points: list[tuple[float, float]]) -> None:
        """Straight lines from point to point."""


@dataclass
class Picture:
    """SVG elements and how much room they take: a `Canvas` that becomes a document."""

    parts: list[str] = field(default_factory=list)
    width: float = 0
    height: float = 0

    def grow(self, x: float, y: float) -> None:
        self.width, self.height = max(self.width, x), max(self.height, y)

    def text(self, x: float, y: float, content: str, color: str = "#222", bold: bool = False) -> None:
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" fill="{color}"{weight}>{escape(content)}</text>')
        self.grow(x + _CHARACTER * len(content), y + 4)

    def box(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" fill="{fill}" stroke="#778"/>'
        )
        self.grow(x + width, y + height)

    def line(self, points: list[tuple[float, float]]) -> None:
        for (x1, y1), (x2, y2) in pairwise(points):
            self.parts.append(f'<path d="M{x1:g} {y1:g} L{x2:g} {y2:g}" stroke="#778" fill="none"/>')

    def dot(self, x: float, y: float, color: str, label: str) -> None:
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{color}"><title>{escape(label)}</title></circle>')
        self.grow(x + 4, y + 4)

    def arrow(self, start: tuple[float, float], end: tuple[float, float], color: str, label: str) -> None:
        """An arrow that bends, the more the longer it is, so that arrows along one row stay apart."""
        (x1, y1), (x2, y2) = start, end
        length = hypot(x2 - x1, y2 - y1) or 1.0
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        bend = 0.16 * length if length > 1.5 * _STEP else 0
        cx, cy = (x1 + x2) / 2 + dy * bend, (y1 + y2) / 2 - dx * bend
        x1, y1, x2, y2 = x1 + 5 * dx, y1 + 5 * dy, x2 - 7 * dx, y2 - 7 * dy
        self.parts.append(
            f'<path d="M{x1:.1f} {y1:.1f} Q{cx:.1f} {cy:.1f} {x2:.1f} {y2:.1f}" stroke="{color}" fill="none" '
            f'stroke-opacity="0.7" marker-end="url(#head)"><title>{escape(label)}</title></path>'
        )

    def render(self) -> str:
        width, height = self.width + _MARGIN, self.height + _MARGIN
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="monospace" font-size="12">'
        )
        marker = (
            '<defs><marker id="head" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="6" markerHeight="6" '
            'orient="auto"><path d="M0 0 L6 3 L0 6 z" fill="#555"/></marker></defs>'
        )
        return "\n".join([head, marker, '<rect width="100%" height="100%" fill="white"/>', *self.parts, "</svg>\n"])


def draw(scop: Scop, tree: ScheduleTree | None = None) -> str:
    """An SVG document of the Scop under `tree` (the original schedule by default)."""
    canvas = Picture()
    canvas.text(_MARGIN, _MARGIN, f"scop {scop.name}: schedule tree", bold=True)
    shown = original_tree(scop) if tree is None else tree
    bottom = draw_tree(canvas, shown, _MARGIN, _MARGIN + 14)
    drawable = [s for s in scop.statements if s.depth in (1, 2)]
    if drawable:
        _draw_domains(canvas, scop, drawable, bottom + 2 * _MARGIN)
    return canvas.render()


# --- the tree ---------------------------------------------------------------------------------------------------------


def draw_tree(canvas: Canvas, tree: ScheduleTree, x: float, y: float) -> float:
    """Draw a schedule tree with its upper left corner at (x, y); returns where it ends."""
    return _draw_node(canvas, tree.root, tree.statements, x, y)


def _draw_node(canvas: Canvas, node: Node, statements: tuple[str, ...], x: float, y: float) -> float:
    """Draw a node and all below it with its upper left corner at (x, y); returns where the next one may start."""
    lines, children = _label(node, statements)
    width = max(len(line) for line, _ in lines) * _CHARACTER + 16
    height = len(lines) * _LINE + 8
    canvas.box(x, y, width, height, lines[-1][1])
    for k, (line, _) in enumerate(lines):
        canvas.text(x + 8, y + 17 + k * _LINE, line)
    bottom = y + height
    for child, names in children:
        top = bottom + 10
        canvas.line([(x + 12, y + height), (x + 12, top + 12), (x + 28, top + 12)])
        bottom = _draw_node(canvas, child, names, x + 28, top)
    return bottom


def _label(node: Node, statements: tuple[str, ...]) -> tuple[list[tuple[str, str]], list[tuple[Node, tuple[str, ...]]]]:
    """The (line, color) pairs in a node's box, and its children with their statements."""
    match node:
        case Band(members, permutable, child):
            head = "permutable band" if permutable and len(members) > 1 else "band"
            return [(head, "#fff"), *map(_member_label, members)], [(child, statements)]
        case Sequence(branches):
            return [("sequence", "#f2f2f2")], [(branch.node, branch.statements) for branch in branches]
        case Leaf():
            return [(", ".join(statements), "#ffffff")], []


def _member_label(member: Member) -> tuple[str, str]:
    values = ", ".join(f"{name}: {value}" for name, value in member.values())
    return f"{member.kind.value}  {values}{'  (coincident)' if member.coincident else ''}", _KINDS[member.kind]


# --- domains and dependences ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Panel:
    """Where a statement's points stand: point (p, q) at (x + q * step, y + p * step)."""

    statement: Statement
    points: frozenset[tuple[int, ...]]
    low: tuple[int, ...]
    x: float
    y: float
    color: str

    def place(self, point: tuple[int, ...]) -> tuple[float, float]:
        *rows, column = (value - low for value, low in zip(point, self.low, strict=True))
        return self.x + column * _STEP, self.y + sum(rows) * _STEP


def small_sizes(scop: Scop) -> dict[str, int]:
    """A small value for every parameter, the same if possible, at which every statement is executed."""
    for value in (6, 5, 7, 8, 10, 12, 16, 4, 3, 2):
        sizes = dict.fromkeys(scop.parameters, value)
        at = fix_parameters(scop.known, sizes)
        if not any(fix_parameters(s.domain, sizes).intersect_params(at.params()).is_empty() for s in scop.statements):
            return sizes
    point = scop.domain.params().sample_point()
    if point.is_void():
        return dict.fromkeys(scop.parameters, 1)
    space, kind = point.get_space(), isl.dim_type.param
    return {
        str(space.get_dim_name(kind, k)): point.get_coordinate_val(kind, k).to_python() for k in range(space.dim(kind))
    }


def _draw_domains(canvas: Picture, scop: Scop, statements: list[Statement], top: float) -> None:
    sizes = small_sizes(scop)
    at = ", ".join(f"{name} = {value}" for name, value in sizes.items())
    clipped = f"the first {SPAN} points of each dimension"
    canvas.text(_MARGIN, top, "iteration domains and value-based dependences", bold=True)
    canvas.text(_MARGIN, top + _LINE, f"at {at}; {clipped}" if at else clipped, color="#666")
    x, panels = _MARGIN + 20.0, {}
    for k, statement in enumerate(statements):
        panel = _panel(scop, statement, sizes, x, top + 4 * _LINE, _COLORS[k % len(_COLORS)])
        if panel.points:
            panels[statement.name] = panel
            x = _draw_panel(canvas, panel) + 2 * _STEP
    for source, target, label in _instance_pairs(scop, panels, sizes):
        color = panels[source[0]].color
        canvas.arrow(panels[source[0]].place(source[1]), panels[target[0]].place(target[1]), color, label)


def _panel(scop: Scop, statement: Statement, sizes: Mapping[str, int], x: float, y: float, color: str) -> _Panel:
    domain = fix_parameters(scop.points(statement), sizes)
    if domain.is_empty():
        return _Panel(statement, frozenset(), (0,) * statement.depth, x, y, color)
    low = tuple(domain.dim_min_val(k).to_python() for k in range(statement.depth))
    for k, smallest in enumerate(low):
        domain = domain.upper_bound_val(isl.dim_type.set, k, isl.Val(smallest + SPAN - 1))
    return _Panel(statement, frozenset(_points(domain)), low, x, y, color)


def _points(domain: isl.Set) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []
    depth = domain.dim(isl.dim_type.set)

    def take(point: isl.Point) -> None:
        found.append(tuple(point.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(depth)))

    domain.project_out_all_params().foreach_point(take)
    return found


def _draw_panel(canvas: Picture, panel: _Panel) -> float:
    """Points and axes; returns the right end."""
    iterators = panel.statement.iterators
    canvas.text(panel.x - 14, panel.y - 30, f"{panel.statement.name}[{', '.join(iterators)}]", panel.color, bold=True)
    canvas.text(panel.x, panel.y - 14, f"{iterators[-1]} →", "#666")
    if len(iterators) == 2:
        canvas.text(panel.x - 24, panel.y + 14, f"{iterators[0]} ↓", "#666")
    for point in sorted(panel.points):
        at = panel.place(point)
        canvas.dot(*at, panel.color, f"{panel.statement.name}[{', '.join(map(str, point))}]")
    return max(panel.place(point)[0] for point in panel.points)


_Instance = tuple[str, tuple[int, ...]]


def _instance_pairs(
    scop: Scop, panels: Mapping[str, _Panel], sizes: Mapping[str, int]
) -> Iterator[tuple[_Instance, _Instance, str]]:
    """Pairs of drawn instances in a value-based dependence, with what to call the arrow."""
    for dependence in dependences(scop, "value"):
        if dependence.source not in panels or dependence.target not in panels:
            continue
        source, target = panels[dependence.source], panels[dependence.target]
        kinds = f"{'/'.join(sorted(dependence.kinds))} on {', '.join(dependence.arrays)}"
        # Clipped before it is counted out: at constant extents the relation may be as large as the program.
        relation = _clip(dependence.relation, isl.dim_type.in_, source)
        pairs = fix_parameters(_clip(relation, isl.dim_type.out, target).wrap().flatten(), sizes)
        for pair in sorted(_points(pairs)):
            first, second = pair[: source.statement.depth], pair[source.statement.depth :]
            if first in source.points and second in target.points:
                yield (dependence.source, first), (dependence.target, second), kinds


def _clip(relation: isl.Map, side: isl.dim_type, panel: _Panel) -> isl.Map:
    for k, smallest in enumerate(panel.low):
        relation = relation.upper_bound_val(side, k, isl.Val(smallest + SPAN - 1))
    return relation
