"""States of the cursor as graphs: loops of both nests, the statement in either, arrays, strides."""

from __future__ import annotations

import pytest

import polyloop
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.process import NestCursor
from polyloop.cursor.tree_problem import TreeProblem
from polyloop.cursor.tree_process import TreeCursor
from polyloop.graphs.features import FACTORS, NODE_COLUMNS, EdgeType, NodeType
from tests.helpers.walking import play


def process_of(text: str = "C[m, n] += A[m, k] * B[k, n]", **sizes: int) -> NestCursor:
    problem = Contraction.of(polyloop.tensor(text, sizes or {"m": 32, "k": 16, "n": 24}))
    assert problem is not None
    return NestCursor(problem)


def test_the_original_nest() -> None:
    process = process_of()
    graph = process.graph(process.initial())
    kinds = [NodeType(int(kind)) for kind in graph.node_types]
    assert kinds.count(NodeType.LOOP) == 4  # m, k, n and the write-back's n
    assert kinds.count(NodeType.DATA) == 3
    assert kinds.count(NodeType.COMPUTE) == 2
    edges = [EdgeType(int(kind)) for kind in graph.edge_types]
    # m -> k -> n -> S0, and m -> n -> S0 of the write-back.
    assert edges.count(EdgeType.NEST) == 5


def test_what_tiles_leave_over_is_seen() -> None:
    process = process_of(m=144, k=300, n=80)
    graph = process.graph(process.initial())
    left = [NODE_COLUMNS[f"left_{factor}"] for factor in FACTORS]
    for row, size in enumerate((144, 300, 80)):
        assert graph.node_features[row, left].tolist() == pytest.approx([size % f / f for f in FACTORS])
        assert graph.node_features[row, NODE_COLUMNS["count"]] == min(size, 256) / 256


WALKS = [("swap_down",), ("split_4", "down", "swap_down"), ("down", "down", "split_8", "swap_up")]


@pytest.mark.parametrize("walk", WALKS)
def test_every_loop_is_a_node_and_the_cursor_moves(walk: tuple[str, ...]) -> None:
    process = process_of()
    state = play(process, *walk)
    graph = process.graph(state)
    assert sum(int(kind) == NodeType.LOOP for kind in graph.node_types) == len(state.program.rows)
    moved = process.graph(state._replace(cursor=(state.cursor + 1) % len(state.program.rows)))
    different = (graph.node_features != moved.node_features).any(axis=1)
    assert different.sum() == 2


def test_a_tree_and_a_nest_of_one_program_agree() -> None:
    process = process_of("y[i] += A[i, j] * x[j]", i=12, j=10)
    nest = process.graph(process.initial())
    tree_process = TreeCursor(TreeProblem(process.problem.scop, (), True))
    tree = tree_process.graph(tree_process.initial())
    # All loops of the write-back nest are shared, so that it has nothing of its own to show.
    assert nest.labels == tree.labels
    assert nest.size == tree.size
