"""A Scop as text for people: statements with domains and accesses, dependences, schedule tree, loop nest.

`polyloop.show.svg` draws the same as SVG.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polyloop.backend.c.text import scalar_name
from polyloop.backend.ir.expressions import text as expression_text
from polyloop.backend.ir.polynomials import text as polynomial_text
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.affine_isl import condition_text
from polyloop.scop.dependence import Dependence, dependences
from polyloop.scop.model import Array, Scop, Statement


def describe(scop: Scop, tree: ScheduleTree | None = None, found: Sequence[Dependence] | None = None) -> str:
    """Everything about a Scop, section by section.

    Args:
        tree: the schedule to show; the original one by default.
        found: the dependences to list; the memory-based ones by default.
    Raises:
        LoweringError: if isl cannot generate the loop nest of the tree.
    """
    shown = original_tree(scop) if tree is None else tree
    listed = dependences(scop) if found is None else found
    sections = [
        ("", heading(scop)),
        ("statements", [line for s in scop.statements for line in statement_lines(scop, s)]),
        (f"dependences ({len(listed)}, memory-based)" if found is None else f"dependences ({len(listed)})",
         [str(d) for d in listed] or ["none: every order of the statements' instances is right"]),
        ("schedule tree", str(shown).splitlines() or ["nothing to order"]),
        ("loop nest", str(lower(scop, shown)).splitlines()),
    ]  # fmt: skip
    return "\n".join(_render(sections))


def _render(sections: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    for title, lines in sections:
        if title:
            yield ""
            yield title
        yield from (f"  {line}" if title else line for line in lines)


def heading(scop: Scop) -> list[str]:
    """Name, place, parameters, arrays, and what is assumed of the parameters."""
    lines = [f"scop {scop.name}" + (f" in {scop.source.path}" if scop.source else "")]
    rows = [
        ("parameters", ", ".join(scop.parameters) or "none"),
        ("arrays", ", ".join(map(array_text, scop.arrays))),
        ("known", condition_text(scop.context)),
        ("assumed", condition_text(scop.assumptions)),
    ]
    return lines + [f"  {name:<12}{value}" for name, value in rows if value not in ("", "always")]


def statement_lines(scop: Scop, statement: Statement) -> Iterator[str]:
    """Name and place, domain, accesses and value of one statement."""
    where = f"  line {statement.location.line}" if statement.location else ""
    yield f"{statement.point}{where}"
    # The whole set: isl writes equalities inside the tuple, so the constraints alone would not say all.
    yield f"  domain    {without_parameters(str(statement.domain.gist_params(scop.context).coalesce()))}"
    marks = [f"{statement.reduction} reduction"] if statement.reduction else []
    marks += ["only where its condition holds"] if statement.conditional else []
    yield f"  writes    {statement.target}" + (f"  ({', '.join(marks)})" if marks else "")
    yield f"  reads     {', '.join(map(str, statement.reads)) or 'nothing'}"
    yield f"  computes  {expression_text(statement.value)}"


def array_text(array: Array) -> str:
    """As in a C declaration; an extent that is not known is left empty. Of an array with strides, these."""
    extents = "".join(f"[{'' if extent is None else str(extent).replace(' ', '')}]" for extent in array.shape)
    strides = "" if array.strides is None else f" (strides {', '.join(map(polynomial_text, array.strides))})"
    return f"{scalar_name(array.type)} {array.name}{extents}{strides}{' (local)' if array.local else ''}"


def without_parameters(text: str) -> str:
    """isl's text of a set or map without the list of parameters before it."""
    return text[text.index("{") :]
