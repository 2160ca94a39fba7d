"""Transforms of schedule trees: frozen values that say where they apply, check legality, and rewrite a tree.

One such value is the action of a decision process, its line in a log, its key in a cache and its replay. A
transform that would violate a dependence is refused, and the refusal names that dependence.
"""

from polyloop.transforms.base import IllegalTransformError, Refusal, Transform, TransformSyntaxError
from polyloop.transforms.catalogue import (
    TRANSFORMS,
    Trace,
    candidates,
    from_json,
    parse,
    parse_trace,
    perform,
    replay,
    to_json,
    trace_text,
)
from polyloop.transforms.expand import Expand, ExpansionRefusal, IllegalExpansionError, expansions
from polyloop.transforms.kinds import Parallelize, Vectorize
from polyloop.transforms.order import Reverse, Skew, Swap
from polyloop.transforms.packing import Pack, Prefetch, packs, prefetches
from polyloop.transforms.structure import Distribute, Fuse, JoinBands, SplitBand
from polyloop.transforms.tiling import RegisterTile, Split, Tile, Unroll

__all__ = [
    "TRANSFORMS",
    "Distribute",
    "Expand",
    "ExpansionRefusal",
    "Fuse",
    "IllegalExpansionError",
    "IllegalTransformError",
    "JoinBands",
    "Pack",
    "Parallelize",
    "Prefetch",
    "Refusal",
    "RegisterTile",
    "Reverse",
    "Skew",
    "Split",
    "SplitBand",
    "Swap",
    "Tile",
    "Trace",
    "Transform",
    "TransformSyntaxError",
    "Unroll",
    "Vectorize",
    "candidates",
    "expansions",
    "from_json",
    "packs",
    "parse",
    "parse_trace",
    "perform",
    "prefetches",
    "replay",
    "to_json",
    "trace_text",
]
