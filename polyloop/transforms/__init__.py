"""Transforms of schedule trees and of Scops: frozen values that say where they apply, check legality, and rewrite.

One such value is the action of a decision process, its line in a log, its key in a cache and its replay. A
transform that would violate a dependence is refused, and the refusal names that dependence. Those of Scops change
storage and statements, proven by unchanged flow of values; they come first (see `polyloop.transforms.steps`).

A module is loaded when one of its names is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polyloop.transforms.base import IllegalTransformError, Refusal, Transform
    from polyloop.transforms.catalogue import (
        TRANSFORMS,
        Trace,
        candidates,
        parse,
        parse_trace,
        perform,
        replay,
        trace_text,
    )
    from polyloop.transforms.closed_form import ClosedForm
    from polyloop.transforms.codec import TransformSyntaxError
    from polyloop.transforms.expand import Expand, SplitWebs, expansions
    from polyloop.transforms.index_set_split import IndexSetSplit, Strip, Unfold
    from polyloop.transforms.keep import Keep
    from polyloop.transforms.kinds import Parallelize, Vectorize
    from polyloop.transforms.lane_search import LaneSearch
    from polyloop.transforms.normalise import Normalise
    from polyloop.transforms.order import Reverse, Skew, Swap
    from polyloop.transforms.packing import Pack, Prefetch
    from polyloop.transforms.precompute import Hoist, Precompute
    from polyloop.transforms.read_first import Addend, ReadFirst, Substitute
    from polyloop.transforms.realign import Realign
    from polyloop.transforms.relayout import InPlace, Relayout
    from polyloop.transforms.reroll import Reroll
    from polyloop.transforms.scop_transform import IllegalScopTransformError, ScopRefusal, ScopTransform
    from polyloop.transforms.steps import (
        SCOP_TRANSFORMS,
        Step,
        StepOrderError,
        Steps,
        parse_step,
        parse_steps,
        perform_steps,
        replay_steps,
        scop_candidates,
        step_from_json,
    )
    from polyloop.transforms.structure import Distribute, Fuse, JoinBands, SplitBand
    from polyloop.transforms.tiling import Merge, RegisterTile, Split, Tile, Unroll

__all__ = [
    "SCOP_TRANSFORMS",
    "TRANSFORMS",
    "Addend",
    "ClosedForm",
    "Distribute",
    "Expand",
    "Fuse",
    "Hoist",
    "IllegalScopTransformError",
    "IllegalTransformError",
    "InPlace",
    "IndexSetSplit",
    "JoinBands",
    "Keep",
    "LaneSearch",
    "Merge",
    "Normalise",
    "Pack",
    "Parallelize",
    "Precompute",
    "Prefetch",
    "ReadFirst",
    "Realign",
    "Refusal",
    "RegisterTile",
    "Relayout",
    "Reroll",
    "Reverse",
    "ScopRefusal",
    "ScopTransform",
    "Skew",
    "Split",
    "SplitBand",
    "SplitWebs",
    "Step",
    "StepOrderError",
    "Steps",
    "Strip",
    "Substitute",
    "Swap",
    "Tile",
    "Trace",
    "Transform",
    "TransformSyntaxError",
    "Unfold",
    "Unroll",
    "Vectorize",
    "candidates",
    "expansions",
    "parse",
    "parse_step",
    "parse_steps",
    "parse_trace",
    "perform",
    "perform_steps",
    "replay",
    "replay_steps",
    "scop_candidates",
    "step_from_json",
    "trace_text",
]

_HOMES = {
    "base": "IllegalTransformError Refusal Transform",
    "catalogue": "TRANSFORMS Trace candidates parse parse_trace perform replay trace_text",
    "closed_form": "ClosedForm",
    "codec": "TransformSyntaxError",
    "expand": "Expand SplitWebs expansions",
    "index_set_split": "IndexSetSplit Strip Unfold",
    "keep": "Keep",
    "kinds": "Parallelize Vectorize",
    "lane_search": "LaneSearch",
    "normalise": "Normalise",
    "order": "Reverse Skew Swap",
    "packing": "Pack Prefetch",
    "precompute": "Hoist Precompute",
    "read_first": "Addend ReadFirst Substitute",
    "realign": "Realign",
    "relayout": "InPlace Relayout",
    "reroll": "Reroll",
    "scop_transform": "IllegalScopTransformError ScopRefusal ScopTransform",
    "steps": """
        SCOP_TRANSFORMS Step StepOrderError Steps parse_step parse_steps perform_steps replay_steps scop_candidates
        step_from_json
    """,
    "structure": "Distribute Fuse JoinBands SplitBand",
    "tiling": "Merge RegisterTile Split Tile Unroll",
}
"""Module -> its names here, which are those of `__all__`."""

_MODULES = {name: module for module, names in _HOMES.items() for name in names.split()}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
