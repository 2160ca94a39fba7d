"""Steps from a Scop as read to a schedule: changes of the Scop, then transforms of its tree; text and replay."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import takewhile
from typing import TypeAlias

from polyloop.backend.plugins import Table
from polyloop.errors import PolyloopError
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.dependence import memory_dependences
from polyloop.scop.model import Scop
from polyloop.transforms import catalogue
from polyloop.transforms.base import Transform
from polyloop.transforms.closed_form import ClosedForm
from polyloop.transforms.codec import read_call, read_lines, read_object
from polyloop.transforms.expand import Expand, SplitWebs
from polyloop.transforms.index_set_split import IndexSetSplit, Strip, Unfold
from polyloop.transforms.keep import Keep
from polyloop.transforms.lane_search import LaneSearch
from polyloop.transforms.lookup import Lookup
from polyloop.transforms.normalise import Normalise
from polyloop.transforms.peel import Peel
from polyloop.transforms.precompute import Hoist, Precompute
from polyloop.transforms.read_first import Addend, ReadFirst, Substitute
from polyloop.transforms.realign import Realign
from polyloop.transforms.relayout import InPlace, Relayout
from polyloop.transforms.reroll import Reroll
from polyloop.transforms.scop_transform import ScopTransform

Step: TypeAlias = "ScopTransform | Transform"
Steps: TypeAlias = "tuple[Step, ...]"
"""What was done to a Scop and then to its original order, first to last."""

_SCOP_TRANSFORMS: dict[str, type[ScopTransform]] = {
    cls.name(): cls
    for cls in (
        *(Expand, SplitWebs, IndexSetSplit, Relayout, InPlace, LaneSearch, ReadFirst, Substitute, Unfold),
        *(Reroll, ClosedForm, Addend, Strip, Precompute, Hoist, Realign, Keep, Normalise, Lookup, Peel),
    )
}
SCOP_TRANSFORMS: Table[type[ScopTransform]] = Table(
    "polyloop.scop_transforms", _SCOP_TRANSFORMS, partial(catalogue.class_problem, ScopTransform)
)
"""By name: ours, then those of installed packages."""

_STEPS: Mapping[str, type[ScopTransform] | type[Transform]] = ChainMap(catalogue.TRANSFORMS, SCOP_TRANSFORMS)  # type: ignore[arg-type]


class StepOrderError(PolyloopError):
    """A change of the Scop behind a transform of its tree, which was made for another Scop."""


def scop_candidates(scop: Scop) -> Iterator[ScopTransform]:
    """Every change of a Scop that may be worth it, in the order of the table; whether it is legal is not looked at."""
    for cls in SCOP_TRANSFORMS.values():
        yield from cls.candidates(scop)


def parse_step(text: str) -> Step:
    """The transform, of a Scop or of a tree, that prints as `text`.

    Raises:
        TransformSyntaxError: for anything else.
    """
    return read_call(text, _STEPS)


def parse_steps(text: str) -> Steps:
    """One step a line; empty lines and lines that start with # are left out."""
    return read_lines(text, _STEPS)


def step_from_json(value: Mapping[str, object]) -> Step:
    """What a transform's `to_json` made.

    Raises:
        TransformSyntaxError: for anything else.
    """
    return read_object(value, _STEPS)


def replay_steps(scop: Scop, steps: Iterable[Step]) -> tuple[Scop, ScheduleTree]:
    """The Scop and its tree after all steps. Changes of the Scop are proven, the tree's legality is not looked at.

    Raises:
        IllegalScopTransformError: if the Scop's change cannot be proven.
        IllegalTransformError: where the form of a tree rules a transform out.
        StepOrderError: for a change of the Scop behind a transform of its tree.
    """
    scop, trace = _on_scop(scop, tuple(steps))
    return scop, catalogue.replay(original_tree(scop), trace)


def perform_steps(scop: Scop, steps: Iterable[Step], reassociate: bool = False) -> tuple[Scop, ScheduleTree]:
    """As `replay_steps`, every transform of the tree checked against the dependences of the Scop as it is then.

    Raises:
        IllegalScopTransformError, IllegalTransformError: at the first that is refused.
        StepOrderError: for a change of the Scop behind a transform of its tree.
    """
    scop, trace = _on_scop(scop, tuple(steps))
    tree = catalogue.perform(original_tree(scop), trace, memory_dependences(scop), scop.name, reassociate)
    return scop, tree


def _on_scop(scop: Scop, steps: Steps) -> tuple[Scop, tuple[Transform, ...]]:
    changes = list(takewhile(lambda step: isinstance(step, ScopTransform), steps))
    trace = steps[len(changes) :]
    for step in trace:
        if isinstance(step, ScopTransform):
            raise StepOrderError(f"{step} makes a new scop; put it before the transforms of its loops")
    for change in changes:
        assert isinstance(change, ScopTransform)
        scop = change.apply(scop)
    return scop, tuple(step for step in trace if isinstance(step, Transform))
