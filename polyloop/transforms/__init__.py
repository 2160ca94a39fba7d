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
    from polyloop.transforms.base import IllegalTransformError as IllegalTransformError
    from polyloop.transforms.base import Refusal as Refusal
    from polyloop.transforms.base import Transform as Transform
    from polyloop.transforms.catalogue import TRANSFORMS as TRANSFORMS
    from polyloop.transforms.catalogue import Trace as Trace
    from polyloop.transforms.catalogue import candidates as candidates
    from polyloop.transforms.catalogue import parse as parse
    from polyloop.transforms.catalogue import parse_trace as parse_trace
    from polyloop.transforms.catalogue import perform as perform
    from polyloop.transforms.catalogue import replay as replay
    from polyloop.transforms.catalogue import trace_text as trace_text
    from polyloop.transforms.closed_form import ClosedForm as ClosedForm
    from polyloop.transforms.codec import TransformSyntaxError as TransformSyntaxError
    from polyloop.transforms.expand import Expand as Expand
    from polyloop.transforms.expand import SplitWebs as SplitWebs
    from polyloop.transforms.expand import expansions as expansions
    from polyloop.transforms.index_set_split import IndexSetSplit as IndexSetSplit
    from polyloop.transforms.index_set_split import Strip as Strip
    from polyloop.transforms.index_set_split import Unfold as Unfold
    from polyloop.transforms.keep import Keep as Keep
    from polyloop.transforms.kinds import Parallelize as Parallelize
    from polyloop.transforms.kinds import Vectorize as Vectorize
    from polyloop.transforms.lane_search import LaneSearch as LaneSearch
    from polyloop.transforms.lookup import Lookup as Lookup
    from polyloop.transforms.normalise import Normalise as Normalise
    from polyloop.transforms.order import Reverse as Reverse
    from polyloop.transforms.order import Skew as Skew
    from polyloop.transforms.order import Swap as Swap
    from polyloop.transforms.packing import Pack as Pack
    from polyloop.transforms.packing import Prefetch as Prefetch
    from polyloop.transforms.peel import Peel as Peel
    from polyloop.transforms.precompute import Hoist as Hoist
    from polyloop.transforms.precompute import Precompute as Precompute
    from polyloop.transforms.read_first import Addend as Addend
    from polyloop.transforms.read_first import ReadFirst as ReadFirst
    from polyloop.transforms.read_first import Substitute as Substitute
    from polyloop.transforms.realign import Realign as Realign
    from polyloop.transforms.relayout import InPlace as InPlace
    from polyloop.transforms.relayout import Relayout as Relayout
    from polyloop.transforms.reroll import Reroll as Reroll
    from polyloop.transforms.scop_transform import IllegalScopTransformError as IllegalScopTransformError
    from polyloop.transforms.scop_transform import ScopRefusal as ScopRefusal
    from polyloop.transforms.scop_transform import ScopTransform as ScopTransform
    from polyloop.transforms.steps import SCOP_TRANSFORMS as SCOP_TRANSFORMS
    from polyloop.transforms.steps import Step as Step
    from polyloop.transforms.steps import StepOrderError as StepOrderError
    from polyloop.transforms.steps import Steps as Steps
    from polyloop.transforms.steps import parse_step as parse_step
    from polyloop.transforms.steps import parse_steps as parse_steps
    from polyloop.transforms.steps import perform_steps as perform_steps
    from polyloop.transforms.steps import replay_steps as replay_steps
    from polyloop.transforms.steps import scop_candidates as scop_candidates
    from polyloop.transforms.steps import step_from_json as step_from_json
    from polyloop.transforms.structure import Distribute as Distribute
    from polyloop.transforms.structure import Fuse as Fuse
    from polyloop.transforms.structure import JoinBands as JoinBands
    from polyloop.transforms.structure import SplitBand as SplitBand
    from polyloop.transforms.tiling import Merge as Merge
    from polyloop.transforms.tiling import RegisterTile as RegisterTile
    from polyloop.transforms.tiling import Split as Split
    from polyloop.transforms.tiling import Tile as Tile
    from polyloop.transforms.tiling import Unroll as Unroll

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
    "lookup": "Lookup",
    "normalise": "Normalise",
    "order": "Reverse Skew Swap",
    "packing": "Pack Prefetch",
    "peel": "Peel",
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
"""Module -> its names here."""

_MODULES = {name: module for module, names in _HOMES.items() for name in names.split()}

if not TYPE_CHECKING:
    __all__ = sorted(_MODULES)

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
