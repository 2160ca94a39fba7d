"""Schedules in files: what a search has found for the loops of a C file, to be applied again without searching.

An entry is found by what its loops say, whatever the file is called and wherever in it they stand. What is read is
proven like any other schedule, and planned for the instruction set that it was found for, so that every machine makes
the same code of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

from polyloop.backend.errors import VerificationError
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.errors import PolyloopError
from polyloop.measure.result import Candidate
from polyloop.schedules.tree import Band, Branch, Leaf, Member, Node, Packing, ScheduleTree
from polyloop.schedules.tree import Sequence as InOrder
from polyloop.scop.model import Scop
from polyloop.scop.program import without_comments
from polyloop.transforms.codec import TransformSyntaxError, read_affine
from polyloop.transforms.scop_transform import IllegalScopTransformError, ScopTransform

if TYPE_CHECKING:
    from polyloop.transforms.steps import Step

FORMAT = "polyloop schedules 1"
"""In the file's first field: another form of it gets another number."""

_Made = TypeVar("_Made")


class SavedError(PolyloopError):
    """A file of schedules that cannot be read, or has nothing for the loops that it is applied to."""


@dataclass(frozen=True)
class Settings:
    """How the schedules were found, as far as it changes what they compute, or which loops they are for.

    Attributes:
        command: the command line, as the first line of what is made tells it.
        auto: loops were looked for where no pragmas mark them.
        function: only this function's; None: all.
        threads, reassociate, contract, reproducible, assume_noalias: as `polyloop.api.optimize` has them; of `contract`
            whether multiplications and additions within an expression are fused.
    """

    command: tuple[str, ...] = ()
    auto: bool = False
    function: str | None = None
    threads: int = 1
    reassociate: bool = False
    contract: bool = True
    reproducible: bool = False
    assume_noalias: bool = False


@dataclass(frozen=True)
class Entry:
    """The schedule of one region.

    Attributes:
        name, line: of the region when it was saved, for messages.
        text: hash of the region's text, white space and comments apart.
        meaning: hash of what it says, declarations, macros and headers included.
        target: the instruction set that it is for.
        kept: why the loops stay as they are; "" where they do not.
        explicit, apart: see `Candidate`.
        changes: of the Scop, each as its text.
        tree: as `tree_value` makes it.
        above: see `Judgement.above`.
    """

    name: str
    line: int
    text: str
    meaning: str
    target: str
    kept: str = ""
    explicit: bool = True
    apart: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    tree: object = None
    above: str = ""


@dataclass(frozen=True)
class Saved:
    """A file's content."""

    version: str
    settings: Settings
    entries: tuple[Entry, ...]


def entry_of(scop: Scop, best: Candidate | None, target: str, kept: str = "", assume_noalias: bool = False) -> Entry:
    """What is saved of one region.

    Args:
        scop: as it was read.
        best: what a search has found for it; None where there is nothing.
        kept: why it stays as it is.
    """
    text, meaning = identity(scop)
    line = 0 if scop.source is None else scop.source.line
    entry = Entry(scop.name, line, text, meaning, target, kept)
    if best is None or best.tree is None:
        return replace(entry, kept=kept or "the original loops are the fastest that was found")
    changes = tuple(map(str, best.changes))
    made = _changed(scop.without_aliasing() if assume_noalias else scop, changes)
    if made.text != best.scop.text:
        return replace(entry, kept="what was done to its arrays has no text")
    return replace(
        entry, explicit=best.explicit, apart=tuple(sorted(best.apart)), changes=changes, tree=tree_value(best.tree)
    )


def identity(scop: Scop) -> tuple[str, str]:
    """(hash of the region's text, hash of what it says)."""
    source = scop.source
    text = "" if source is None else without_comments(source.text[source.begin : source.end])
    return _hash(" ".join(re.findall(r"\w+|[^\w\s]", text))), _hash(scop.text)


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:32]


# --- the file ---------------------------------------------------------------------------------------------------------


def to_text(saved: Saved) -> str:
    """JSON with a line for every loop."""
    content = {
        "format": FORMAT,
        "version": saved.version,
        "settings": asdict(saved.settings),
        "regions": [
            {k: v for k, v in asdict(entry).items() if k in _ALWAYS or v != getattr(_PLAIN, k)}
            for entry in saved.entries
        ],
    }
    return json.dumps(content, indent=1) + "\n"


_PLAIN = Entry("", 0, "", "", "")
_ALWAYS = ("name", "line", "text", "meaning", "target")


def from_text(text: str, name: str) -> Saved:
    """What `to_text` wrote.

    Raises:
        SavedError: for anything else; says which file, and how to get one.
    """
    try:
        content = json.loads(text)
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            found = content.get("format", "of something else") if isinstance(content, dict) else "of something else"
            raise ValueError(f"its format is {found}, not {FORMAT!r}")
        entries = tuple(_made(Entry, each) for each in content["regions"])
        return Saved(str(content["version"]), _made(Settings, content["settings"]), entries)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        hint = "polyloop optimize FILE --emit schedule -o SAVED writes one"
        raise SavedError(f"{name} has no schedules that can be read: {_reason(error)}; {hint}") from error


def _reason(error: Exception) -> str:
    return f"there is no {error}" if isinstance(error, KeyError) else str(error).partition("\n")[0]


def _made(kind: Callable[..., _Made], value: Mapping[str, object]) -> _Made:
    """A record of strings, numbers, truths and tuples of strings, each of its default's type."""
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} is no object")
    plain = vars(_PLAIN if kind is Entry else Settings())
    fields = {}
    for key, given in value.items():
        if key not in plain:
            raise ValueError(f"nothing is called {key!r} there")
        wanted: tuple[type, ...] = (str, type(None)) if plain[key] is None else (type(plain[key]),)
        given = tuple(given) if wanted == (tuple,) and isinstance(given, list) else given
        if key != "tree" and type(given) not in wanted:
            raise TypeError(f"{key} is {given!r}")
        fields[key] = given
    return kind(**fields)


# --- finding and reading schedules ------------------------------------------------------------------------------------


def entries_for(scops: Sequence[Scop], saved: Saved, name: str) -> list[Entry]:
    """The entry of every region, in the regions' order; entries of the same content are taken in theirs.

    Raises:
        SavedError: for a region that has none; says whether it is new or what of it has changed.
    """
    left = list(saved.entries)
    found = []
    for scop in scops:
        text, meaning = identity(scop)
        same = [entry for entry in left if entry.meaning == meaning]
        if not same:
            raise SavedError(_missing(scop, text, left, name))
        mine = next((entry for entry in same if entry.name == scop.name), same[0])
        left.remove(mine)
        found.append(mine)
    return found


def _missing(scop: Scop, text: str, left: Iterable[Entry], name: str) -> str:
    source = scop.source
    place = "" if source is None else f"{source.path}:{source.line}: error: "
    same_name = [entry for entry in left if entry.name == scop.name]
    why = f"there is no schedule for {scop.name} in {name}: the loops are new"
    if any(entry.text == text for entry in same_name):
        why = (
            f"{scop.name} does not mean what it did when {name} was written: its text is the same, but its "
            "declarations, macros or headers are not (are -D and -I the same?)"
        )
    elif same_name:
        why = f"the loops of {scop.name} have changed since {name} was written (line {same_name[0].line} then)"
    return f"{place}{why}; search again with --emit schedule, or apply an older {name} to the older source"


def candidate_of(entry: Entry, scop: Scop, name: str) -> Candidate:
    """The schedule of an entry, well-formed, and yet to be proven.

    Args:
        scop: the region, without aliasing where that was assumed.
        name: of the file, for messages.
    Raises:
        SavedError: if it is not one of this Scop.
    """
    where = f"{name}: the schedule of {entry.name}"
    if entry.tree is None:
        return Candidate("original loops", scop, None)
    made = _changed(scop, entry.changes, where)
    from polyloop.schedules.verify import verify  # loaded where a schedule was saved

    try:
        if not isinstance(entry.tree, dict):
            raise TypeError("its tree is no object")
        tree = ScheduleTree(tuple(map(str, entry.tree["statements"])), _node(entry.tree["root"]))
        verify(tree, made)
    except (KeyError, TypeError, ValueError, VerificationError, RecursionError) as error:
        raise SavedError(
            f"{where} cannot be read: {_reason(error)}; write the file anew with --emit schedule"
        ) from error
    changes = tuple(step for step in _parsed(entry.changes) if isinstance(step, ScopTransform))
    steps = (f"the schedule in {name}",)
    return Candidate(
        steps[0], made, tree, steps, explicit=entry.explicit, apart=frozenset(entry.apart), changes=changes
    )


def _parsed(steps: Iterable[str]) -> Iterator[Step]:
    for text in steps:
        from polyloop.transforms.steps import parse_step  # which loads every transform

        yield parse_step(text)


def _changed(scop: Scop, changes: Iterable[str], where: str = "the schedule") -> Scop:
    """
    Raises:
        SavedError: for what is no change of a Scop, or cannot be done to this one.
    """
    for text in changes:
        try:
            (step,) = _parsed((text,))
            if not isinstance(step, ScopTransform):
                raise SavedError(f"{where} changes loops where it is to change arrays: {text}")
            scop = step.apply(scop)
        except (TransformSyntaxError, IllegalScopTransformError) as error:
            raise SavedError(f"{where}: {error}") from error
    return scop


# --- trees ------------------------------------------------------------------------------------------------------------


def tree_value(tree: ScheduleTree) -> dict[str, object]:
    """A tree as JSON has it."""
    return {"statements": list(tree.statements), "root": _value(tree.root)}


def _value(node: Node) -> object:
    """A node; loops leave out what is plain."""
    match node:
        case Band(members, permutable, child):
            loops = [_loop(member) for member in members]
            return {"loops": loops, **({"permutable": True} if permutable else {}), "inside": _value(child)}
        case InOrder(branches):
            return {"in_order": [{"statements": list(b.statements), "inside": _value(b.node)} for b in branches]}
        case Leaf():
            return None


def _loop(member: Member) -> dict[str, object]:
    value: dict[str, object] = {"rows": {name: str(row) for name, row in member.rows}}
    if member.divisor != 1:
        value["divisor"] = member.divisor
    if member.coincident:
        value["coincident"] = True
    if member.kind is not LoopKind.SEQUENTIAL:
        value["kind"] = member.kind.name.lower()
    if member.packings:
        value["packings"] = [asdict(packing) for packing in member.packings]
    if member.prefetches:
        value["prefetches"] = [list(each) for each in member.prefetches]
    return value


def _node(value: object) -> Node:
    """
    Raises:
        KeyError, TypeError, ValueError: for what is no node.
    """
    match value:
        case None:
            return Leaf()
        case {"in_order": [*branches]}:
            return InOrder(tuple(Branch(tuple(map(str, b["statements"])), _node(b["inside"])) for b in branches))
        case {"loops": [*loops], "inside": inside, **more}:
            return Band(tuple(map(_member, loops)), more.get("permutable") is True, _node(inside))
        case _:
            raise ValueError(f"{str(value)[:60]!r} is no node of a schedule")


def _member(value: Mapping[str, object]) -> Member:
    known = {"rows", "divisor", "coincident", "kind", "packings", "prefetches"}
    if not isinstance(value, dict) or not known >= set(value):
        raise ValueError(f"{str(value)[:60]!r} is no loop of a schedule")
    rows = []
    for name, text in value["rows"].items():
        row = read_affine(text)
        if row is None:
            raise ValueError(f"{text!r} is no affine expression")
        rows.append((name, row))
    kind = str(value.get("kind", "sequential")).upper()
    if kind not in LoopKind.__members__:
        raise ValueError(f"there is no kind of loop called {kind.lower()!r}")
    packings = [Packing(**{**each, "order": tuple(each["order"])}) for each in value.get("packings", ())]
    prefetches = [(str(array), int(distance)) for array, distance in value.get("prefetches", ())]
    return Member(
        tuple(rows),
        int(value.get("divisor", 1)),
        value.get("coincident") is True,
        LoopKind[kind],
        tuple(packings),
        tuple(prefetches),
    )
