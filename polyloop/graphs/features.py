"""What the nodes and edges of a program graph are, and every one of their features: the one table of them.

One graph serves every environment, so that one encoder reads them all: nodes and edges have a type, and one row of
features each, whose columns are the features below. A column that a type does not have is 0. All values lie in -1..1;
`Scale` says how a quantity becomes one, and `Feature.decoded` turns it back.

The loops, data and computations with their nest, flow and stride edges are those of LoopTune (Grubisic et al., 2023);
dependences, dimensions and generators are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import cache
from math import copysign, log2
from typing import TypeAlias

LOG_RANGE = 32
"""Sizes and strides are shown up to two to the power of this."""

MOST_LOOPS = 8
"""Loops around a statement that vectors over its iterators have room for."""

FACTORS = (4, 8, 16, 32, 48, 64)
"""Loops show what tiles of so many iterations leave over."""

LONG = 256
"""Iterations from which on loops differ by the logarithm of their size only."""

MOST_DEEP, MOST_SIBLINGS, MOST_DIMENSIONS = 32, 64, 16
"""Where depths, places among siblings and dimensions of a schedule reach 1."""


class NodeType(IntEnum):
    """What a node of a program graph stands for."""

    LOOP = 0
    DATA = 1
    COMPUTE = 2
    DEPENDENCE = 3
    DIMENSION = 4
    GENERATOR = 5


class EdgeType(IntEnum):
    """NEST: loop -> loop or computation directly in it. FLOW: data -> computation that reads it, computation -> data
    that it writes. STRIDE: loop -> data that moves with it. ORDER: from what comes first to its next sibling. DEPENDS:
    between computations, from source to target, where the graph has nodes for dependences through these. CARRIES:
    dimension -> dependence. MEMBER: generator -> dimension. COEFFICIENT: generator, or dimension for the row that it
    has so far, -> computation."""

    NEST = 0
    FLOW = 1
    STRIDE = 2
    ORDER = 3
    DEPENDS = 4
    CARRIES = 5
    MEMBER = 6
    COEFFICIENT = 7


class Scale(Enum):
    """FLAG: 0 or 1. SHARE: a ratio, at most 1. LOG: log2(1 + |x|) / LOG_RANGE with the sign of x, at most 1."""

    FLAG = "flag"
    SHARE = "share"
    LOG = "log"


Type: TypeAlias = "NodeType | EdgeType"


@dataclass(frozen=True)
class Feature:
    """A column: its name, how it is scaled, the types that have it (0 for all others), what it says."""

    name: str
    scale: Scale
    types: tuple[Type, ...]
    meaning: str

    def decoded(self, value: float) -> float | int | bool:
        """What people read: the flag, the ratio, or the number whose logarithm it is, to five digits."""
        match self.scale:
            case Scale.FLAG:
                return bool(value)
            case Scale.SHARE:
                return round(float(value), 6)
            case Scale.LOG:
                number = 2 ** (abs(float(value)) * LOG_RANGE) - 1
                return int(copysign(float(f"{number:.5g}"), value))


@cache
def log_scaled(value: int) -> float:
    """`Scale.LOG` of an integer."""
    return copysign(min(log2(1 + abs(value)) / LOG_RANGE, 1.0), value)


_FLAG, _SHARE, _LOG = Scale.FLAG, Scale.SHARE, Scale.LOG
_LOOP, _DATA, _COMPUTE = NodeType.LOOP, NodeType.DATA, NodeType.COMPUTE
_DEPENDENCE, _DIMENSION, _GENERATOR = NodeType.DEPENDENCE, NodeType.DIMENSION, NodeType.GENERATOR

NODE_FEATURES: tuple[Feature, ...] = (
    Feature("current", _FLAG, (_LOOP, _DEPENDENCE, _DIMENSION, _GENERATOR), "the cursor or the next decision is here"),
    Feature("depth", _SHARE, (_LOOP, _COMPUTE), f"loops around it / {MOST_DEEP}"),
    Feature("position", _SHARE, (_LOOP, _COMPUTE), f"its place among its siblings, in their order / {MOST_SIBLINGS}"),
    Feature("size", _LOG, (_LOOP, _DATA, _COMPUTE), "whole iterations; elements; executions"),
    Feature("tail", _LOG, (_LOOP,), "elements left over behind the whole iterations"),
    Feature("step", _LOG, (_LOOP,), "elements in one iteration: 1, or a tile's size"),
    Feature("count", _SHARE, (_LOOP,), f"whole iterations, at most {LONG}, / {LONG}"),
    *(
        Feature(f"left_{factor}", _SHARE, (_LOOP,), f"whole iterations that tiles of {factor} leave over / {factor}")
        for factor in FACTORS
    ),
    Feature("in_compute", _FLAG, (_LOOP, _COMPUTE), "in the compute nest; 0: in a nest that writes a result back"),
    Feature("parallel", _FLAG, (_LOOP,), "its iterations run in threads"),
    Feature("vector", _FLAG, (_LOOP,), "its iterations are SIMD lanes"),
    Feature("unrolled", _FLAG, (_LOOP,), "it is unrolled"),
    Feature("register_tile", _FLAG, (_LOOP,), "it and all loops below it are unrolled or lanes"),
    Feature("coincident", _FLAG, (_LOOP,), "it is known to carry no dependence"),
    Feature("permutable", _FLAG, (_LOOP,), "it may change places with the other loops of its band"),
    Feature("packed", _FLAG, (_LOOP,), "what a read below it touches is copied in front of it"),
    Feature("prefetched", _FLAG, (_LOOP,), "its iterations ask the caches for what later ones touch"),
    Feature("rank", _SHARE, (_DATA,), "subscripts / 8"),
    Feature("bytes", _SHARE, (_DATA,), "bytes of an element / 16"),
    Feature("float", _FLAG, (_DATA,), "its elements are floating-point numbers"),
    Feature("local", _FLAG, (_DATA,), "its contents are dead behind the program"),
    Feature("read", _FLAG, (_DATA,), "some statement reads it"),
    Feature("written", _FLAG, (_DATA,), "some statement writes it"),
    Feature("operations", _LOG, (_COMPUTE,), "arithmetic operations of one execution"),
    Feature("reads", _LOG, (_COMPUTE,), "different reads of one execution"),
    Feature("reduction", _FLAG, (_COMPUTE, _DEPENDENCE), "accumulates; between accumulations of one sum"),
    Feature("same_statement", _FLAG, (_DEPENDENCE,), "source and target are one statement"),
    Feature("raw", _FLAG, (_DEPENDENCE,), "a read behind a write"),
    Feature("war", _FLAG, (_DEPENDENCE,), "a write behind a read"),
    Feature("waw", _FLAG, (_DEPENDENCE,), "a write behind a write"),
    Feature("carried", _FLAG, (_DEPENDENCE,), "a dimension carries it"),
    Feature("carrier", _SHARE, (_DEPENDENCE,), f"which one / {MOST_DIMENSIONS}"),
    Feature("carried_here", _FLAG, (_DEPENDENCE,), "the current dimension carries it"),
    Feature("possible", _FLAG, (_DEPENDENCE,), "nothing carries it and the current dimension could"),
    Feature("next", _FLAG, (_DEPENDENCE,), "going on to the next dependence leads here"),
    Feature("index", _SHARE, (_DIMENSION,), f"which one, from 1 / {MOST_DIMENSIONS}"),
    Feature("carries", _SHARE, (_DIMENSION,), "the share of all dependences that it carries"),
    Feature("terms", _LOG, (_DIMENSION,), "coefficients to choose"),
    Feature("anchored", _FLAG, (_DIMENSION,), "one point stands for too many vertices"),
    Feature("capped", _FLAG, (_DIMENSION,), "the longest rays were left out"),
    Feature("chosen", _SHARE, (_DIMENSION,), "the share of its coefficients that are chosen"),
    Feature("vertex", _FLAG, (_GENERATOR,), "one of several vertices"),
    Feature("ray", _FLAG, (_GENERATOR,), "a ray"),
    Feature("line", _FLAG, (_GENERATOR,), "one sign of a line"),
    Feature("place", _SHARE, (_GENERATOR,), "its place among its dimension's generators / their number"),
    Feature("decided", _FLAG, (_GENERATOR,), "its coefficient is chosen"),
    Feature("coefficient", _SHARE, (_GENERATOR,), "the coefficient / the largest there is"),
    Feature("nonzero", _FLAG, (_GENERATOR,), "it is the current one and must not get 0"),
)  # fmt: skip
"""The columns of node features."""

_FLOW, _STRIDE, _DEPENDS, _COEFFICIENT = EdgeType.FLOW, EdgeType.STRIDE, EdgeType.DEPENDS, EdgeType.COEFFICIENT

EDGE_FEATURES: tuple[Feature, ...] = (
    Feature("stride", _LOG, (_STRIDE,), "elements that the access moves in one iteration of the loop"),
    Feature("times", _LOG, (_STRIDE,), "how often it moves: iterations of the loop and of all around it"),
    Feature("read", _FLAG, (_FLOW, _STRIDE), "of a read"),
    Feature("write", _FLAG, (_FLOW, _STRIDE), "of a write"),
    Feature("raw", _FLAG, (_DEPENDS,), "a read behind a write"),
    Feature("war", _FLAG, (_DEPENDS,), "a write behind a read"),
    Feature("waw", _FLAG, (_DEPENDS,), "a write behind a write"),
    Feature("reduction", _FLAG, (_DEPENDS,), "between accumulations of one sum"),
    Feature("fixed", _FLAG, (_DEPENDS,), "the distance is one constant vector, given by along_0.."),
    *(
        Feature(
            f"along_{k}",
            _LOG,
            (_FLOW, _DEPENDS, _COEFFICIENT),
            f"for the statement's loop {k}: elements that the access moves; distance; coefficient",
        )
        for k in range(MOST_LOOPS)
    ),
    Feature("parameters", _LOG, (_COEFFICIENT,), "the sum of the parameters' coefficients"),
    Feature("constant", _LOG, (_COEFFICIENT,), "the constant"),
)
"""The columns of edge features."""

NODE_COLUMNS = {feature.name: k for k, feature in enumerate(NODE_FEATURES)}
EDGE_COLUMNS = {feature.name: k for k, feature in enumerate(EDGE_FEATURES)}
"""Column of a feature by its name."""

ALONG = EDGE_COLUMNS["along_0"]
"""Column of along_0; the others follow."""
