"""Transforms of schedule trees and of Scops: frozen values that say where they apply, check legality, and rewrite.

One such value is the action of a decision process, its line in a log, its key in a cache and its replay. A
transform that would violate a dependence is refused, and the refusal names that dependence. Those of Scops change
storage and statements, proven by unchanged flow of values; they come first (see `polyloop.transforms.steps`).
"""

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
from polyloop.transforms.codec import TransformSyntaxError
from polyloop.transforms.expand import Expand, IllegalExpansionError, expansions
from polyloop.transforms.in_place import InPlace
from polyloop.transforms.index_set_split import IndexSetSplit
from polyloop.transforms.kinds import Parallelize, Vectorize
from polyloop.transforms.merge import Merge
from polyloop.transforms.order import Reverse, Skew, Swap
from polyloop.transforms.packing import Pack, Prefetch, packs, prefetches
from polyloop.transforms.relayout import Relayout
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
from polyloop.transforms.tiling import RegisterTile, Split, Tile, Unroll
from polyloop.transforms.webs import SplitWebs

__all__ = [
    "SCOP_TRANSFORMS",
    "TRANSFORMS",
    "Distribute",
    "Expand",
    "Fuse",
    "IllegalExpansionError",
    "IllegalScopTransformError",
    "IllegalTransformError",
    "InPlace",
    "IndexSetSplit",
    "JoinBands",
    "Merge",
    "Pack",
    "Parallelize",
    "Prefetch",
    "Refusal",
    "RegisterTile",
    "Relayout",
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
    "Swap",
    "Tile",
    "Trace",
    "Transform",
    "TransformSyntaxError",
    "Unroll",
    "Vectorize",
    "candidates",
    "expansions",
    "packs",
    "parse",
    "parse_step",
    "parse_steps",
    "parse_trace",
    "perform",
    "perform_steps",
    "prefetches",
    "replay",
    "replay_steps",
    "scop_candidates",
    "step_from_json",
    "trace_text",
]
