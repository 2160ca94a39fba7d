"""The cursor on schedule trees: preorder, distribution and sharing, refusals with dependences, legal walks."""

from __future__ import annotations

import random

import numpy as np
import pytest

import polyloop
from polyloop.cursor.actions import FLAGS, Actions
from polyloop.cursor.base import Move
from polyloop.cursor.tree_model import tree_chains
from polyloop.cursor.tree_problem import TreeProblem, joined, singled
from polyloop.cursor.tree_process import TreeCursor, TreeState
from polyloop.frontend import read_c
from polyloop.lowering.to_nest import lower
from polyloop.mdp import IllegalActionError
from polyloop.measure import measured_programs
from polyloop.measure.database import Database
from polyloop.measure.evaluator import Evaluator
from polyloop.measure.jobs import Job
from polyloop.measure.measured_programs import MeasuredPrograms
from polyloop.measure.programs import ModelledPrograms
from polyloop.measure.result import Measurement
from polyloop.schedules.legality import Proof, prove
from polyloop.schedules.tree import Branch, Member, ScheduleTree, Sequence
from polyloop.shipped.kernels import kernel, kernel_names
from polyloop.transforms import Split, replay
from polyloop.transforms.tiling import Merge
from tests.helpers.walking import play


def cursor(name: str, dataset: str = "SMALL", flags: tuple[str, ...] = (), reassociate: bool = False) -> TreeCursor:
    (scop,) = read_c(kernel(name).path)
    values = kernel(name).resolve(dataset)
    sizes = tuple((parameter, values[parameter]) for parameter in scop.parameters)
    return TreeCursor(TreeProblem(scop, sizes, reassociate), Actions.of("native", flags))


def test_up_and_down_walk_the_tree_in_preorder() -> None:
    process = cursor("gemm")
    state = process.initial()
    seen = [str(state)]
    while process.actions(state)[1]:
        state = process.step(state, 1)
        seen.append(str(state))
    assert [text.index(">") for text in seen] == sorted(text.index(">") for text in seen)
    assert seen[-1].splitlines() == ["  [S0: i, S1: i]", "    [S0: j]", "    [S1: k]", ">     [S1: j]"]


def test_a_swap_distributes_and_its_undoing_shares_again() -> None:
    process = cursor("matvec")
    start = process.initial()
    assert start.text == "[S: i, T: i]\n  [T: j]"
    apart = play(process, "swap_down")
    assert str(apart).splitlines() == ["  [S: i]", "  [T: j]", ">   [T: i]"]
    assert play(process, "swap_down", "swap_up") == start


def test_the_trace_of_a_move_replays() -> None:
    process = cursor("2mm", flags=FLAGS)
    generator = random.Random(4)
    state = process.initial()
    for _ in range(12):
        legal = [k for k, bit in enumerate(process.actions(state)) if bit]
        action = generator.choice(legal)
        move = process.moves(state)[action]
        after = process.step(state, action)
        assert move.program == after.program
        if not move.trace:
            assert after.program == state.program
        state = after


def test_masks_make_no_program_that_a_single_transform_leads_to(monkeypatch: pytest.MonkeyPatch) -> None:
    process = cursor("2mm", flags=FLAGS)
    state, made, rewritten = process.initial(), list[Split](), Split.rewritten

    def counted(self: Split, tree: ScheduleTree) -> ScheduleTree:
        made.append(self)
        return rewritten(self, tree)

    monkeypatch.setattr(Split, "rewritten", counted)
    legal = [k for k, bit in enumerate(process.actions(state)) if bit and process.names[k].startswith("split_")]
    assert len(legal) > 1
    before = len(made)
    assert before <= 1  # a register tile is several transforms, each of which is checked behind the others
    assert process.step(state, legal[0]) == process.step(state, legal[0])
    assert len(made) == before + 1
    alone = process.move(state, legal[0])
    assert isinstance(alone, Move)
    assert alone.program == process.step(state, legal[0]).program


def test_a_split_and_its_merge() -> None:
    process = cursor("gemm")
    state = play(process, "split_16")
    assert [row.size for row in process.rows(state.program)[:2]] == [3, 16]
    assert process.rows(state.program)[0].tail == 60 - 3 * 16
    assert play(process, "split_16", "merge") == process.initial()


def test_blocks_that_do_not_divide_one_another_leave_no_element_out() -> None:
    """Else the model would take a program for faster that counts elements of a block in nothing."""
    process = TreeCursor(cursor("gemm").problem, Actions(splits=(24, 16, 6)))
    state = play(process, "split_24", "down", "split_16", "down", "split_6")
    assert [row.size for row in process.rows(state.program)[:4]] == [2, 2, 3, 6]
    model = ModelledPrograms()
    seconds = [model.evaluate(process.problem, each.program).minimum for each in (process.initial(), state)]
    assert seconds[1] >= seconds[0]


def test_loops_of_one_variable_are_not_exchanged() -> None:
    process = cursor("gemm")
    reason = process.obstacle(play(process, "split_4"), process.names.index("swap_down"))
    assert reason == "both loops are of it"


def test_a_reduction_carries_a_dependence_unless_sums_may_be_reordered() -> None:
    strict, free = cursor("matvec", flags=("vectorize",)), cursor("matvec", flags=("vectorize",), reassociate=True)
    vectorize = strict.names.index("vectorize")
    reason = strict.obstacle(play(strict, "down"), vectorize)
    assert reason is not None
    assert "is carried by a vector loop" in reason
    assert free.obstacle(play(free, "down"), vectorize) is None


def test_an_illegal_step_raises_with_its_reason() -> None:
    process = cursor("trisolv")
    with pytest.raises(IllegalActionError, match="cannot"):
        process.step(process.initial(), process.names.index("swap_down"))


@pytest.mark.parametrize("name", kernel_names())
def test_random_walks_stay_legal(name: str) -> None:
    process = cursor(name, "MINI", FLAGS)
    generator = random.Random(name)
    state = process.initial()
    for _ in range(10):
        state = process.step(state, generator.choice([k for k, bit in enumerate(process.actions(state)) if bit]))
    verdict = prove(process.problem.scop, state.program, process.problem.dependences)
    assert isinstance(verdict, Proof), f"{verdict}\n{state}"
    lower(process.problem.scop, joined(state.program))
    assert ModelledPrograms().evaluate(process.problem, state.program).minimum > 0


def test_observations_of_a_tree() -> None:
    process = cursor("gemm")  # 60 x 70 x 80
    matrix = process.features(play(process, "down"), 24)
    assert matrix.shape == (24, 20)
    assert matrix[:5, :4].tolist() == [[0, 60, 0, 1], [1, 70, 0, 1], [0, 80, 0, 1], [0, 70, 0, 1], [0, 0, 0, 0]]
    histograms = [{b: float(share) for b, share in enumerate(row[4:]) if share} for row in matrix[:4]]
    # i moves C of either statement by 70 and A by 80; j moves C and B by 1; k moves A by 1 and B by 70.
    assert histograms == [{7: 1}, {0: 1}, {0: 0.5, 7: 0.5}, {0: 1}]


def test_a_program_of_several_statements() -> None:
    text = "H[m, n] = relu(sum(k) (A[m, k] * B[k, n]) + b[n])"
    process = TreeCursor(TreeProblem(polyloop.tensor(text, m=12, k=10, n=16), (), True))
    state = process.initial()
    for name in ("down", "down", "swap_down", "swap_up"):
        action = process.names.index(name)
        if process.actions(state)[action]:
            state = process.step(state, action)
    assert isinstance(prove(process.problem.scop, state.program, process.problem.dependences, True), Proof)


def test_measured_trees_compute_what_the_original_does() -> None:
    process = cursor("gemm", "MINI", FLAGS)
    state = play(process, "split_8", "down", "down", "down", "swap_up", "up")
    with MeasuredPrograms(in_process=True, database=Database(None)) as evaluator:
        for tree in (process.initial().program, state.program):
            record = evaluator.evaluate(process.problem, tree)
            assert record.error is None
            assert 0 < record.minimum <= record.median


def test_trees_that_were_forgotten_are_measured_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    process = cursor("gemm", "MINI")
    runs = []

    def run(self: Evaluator, job: Job, seconds: float) -> tuple[Measurement, ...]:
        runs.append(job)
        return (Measurement(1e-3, 1e-3),)

    monkeypatch.setattr(Evaluator, "_run", run)
    with MeasuredPrograms(in_process=True, database=Database(None)) as evaluator:
        for _ in range(2):
            evaluator.evaluate(process.problem, process.initial().program)
        assert len(runs) == 2  # the original loops, and the tree
        evaluator.forget()
        evaluator.evaluate(process.problem, process.initial().program)
        assert len(runs) == 3


def test_programs_that_are_left_have_no_process_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    close = Evaluator.close

    def closing(self: Evaluator) -> None:
        closed.append(self.scop.name)
        close(self)

    monkeypatch.setattr(Evaluator, "close", closing)
    monkeypatch.setattr(measured_programs, "PROBLEMS", 1)
    with MeasuredPrograms(in_process=True, database=Database(None)) as evaluator:
        for name in ("gemm", "atax"):
            process = cursor(name, "MINI")
            evaluator.evaluate(process.problem, process.initial().program)
        assert closed == ["gemm"]
    assert closed == ["gemm", "atax"]


def test_merge_is_a_transform_like_the_others() -> None:
    process = cursor("gemm")
    split = play(process, "split_8").program
    assert [transform.path for transform in Merge.candidates(split)] == [()]
    assert replay(split, (Merge((), 0),)) == process.initial().program
    assert Merge((), 0).check(process.initial().program, ()) is not None
    assert np.isfinite(ModelledPrograms().evaluate(process.problem, split).minimum)


def test_copies_and_prefetches() -> None:
    process = cursor("gemm", "MINI", ("pack", "prefetch"))
    below = process.step(process.step(process.initial(), 1), 1)
    for name, words in (("pack", "packings"), ("prefetch", "prefetches")):
        action = process.names.index(name)
        state = process.step(below, action)
        member = process.rows(state.program)[state.cursor].member
        assert len(getattr(member, words)) == 1
        evaluator = MeasuredPrograms(in_process=True, database=Database(None))
        assert evaluator.evaluate(process.problem, state.program).error is None
        evaluator.close()
    nowhere = cursor("durbin", "MINI", ("pack",))
    assert "reads nothing" in str(nowhere.obstacle(nowhere.initial(), nowhere.names.index("pack")))


def test_sequences_inside_of_sequences_are_one() -> None:
    """As isl's scheduler leaves them, where the cursor would find neither a loop around nor one inside."""
    process = cursor("gemver", dataset="MINI")
    branches = tuple(process.problem.start.root.branches)  # type: ignore[union-attr]
    nested = Sequence(
        (Branch(tuple(n for b in branches[:2] for n in b.statements), Sequence(branches[:2])), *branches[2:])
    )
    tree = ScheduleTree(process.problem.start.statements, nested)
    assert singled(tree) == process.problem.start
    state = TreeState(singled(tree))
    while True:
        assert len(process.actions(state)) == len(process.names)
        if not process.actions(state)[1]:
            break
        state = process.step(state, 1)
    assert state.cursor == len(process.rows(state.program)) - 1


@pytest.mark.parametrize("name", ["2mm", "atax", "syrk"])
def test_the_model_sees_each_statement_in_the_loops_that_rows_have_of_it(name: str) -> None:
    process, generator = cursor(name), random.Random(2)
    for _ in range(4):
        state = process.initial()
        for _ in range(8):
            legal = [k for k, bit in enumerate(process.actions(state)) if bit]
            state = process.step(state, generator.choice(legal))
        tree, found = state.program, []
        for statement in process.problem.scop.statements:
            alone = frozenset((statement.name,))
            around: tuple[Member, ...] = ()
            for _, band in tree.bands():
                if statement.name in band.statements:
                    around += tuple(member.restricted(alone) for member in band.members)
            extents = [process.problem.extent(member, around[:k]) for k, member in enumerate(around)]
            found.append([(max(size, 1), tail) for size, tail in extents])
        chains = [[(loop.size, loop.tail) for loop in loops] for _, _, loops, _ in tree_chains(process.problem, tree)]
        assert sorted(chains) == sorted(found)
