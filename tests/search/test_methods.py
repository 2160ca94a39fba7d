"""The generic searches on processes whose optimum is known."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from polyloop.errors import PolyloopError
from polyloop.search import run
from polyloop.search.journal import Journal, JournalError, read_lines
from polyloop.search.methods import METHODS, method
from polyloop.search.methods.beam import Beam
from polyloop.search.methods.genetic import Genetic, one_point
from polyloop.search.methods.greedy import Greedy
from polyloop.search.objective import Objective
from polyloop.search.run import Budget, Found, Point, Run, search
from tests.search.toy_processes import TARGET, Asked, Digits, Endless, Hill

NAMES = sorted(METHODS)
STOCHASTIC = ["anneal", "genetic", "mcts", "random"]


@pytest.mark.parametrize("name", STOCHASTIC)
def test_a_search_with_enough_evaluations_finds_the_best_end(name: str) -> None:
    asked = Asked()
    found = search(asked.digits(), method(name), Budget(evaluations=96), seed=1)
    # 3 * 2**5 numbers: all of them fit the budget.
    assert found.best.state == TARGET
    assert found.best.actions == TARGET
    assert found.value == 6.0
    assert len(asked.states) == len(set(asked.states)) == found.evaluations


@pytest.mark.parametrize("name", NAMES)
def test_every_search_finds_the_top_of_a_hill_although_the_end_of_its_way_is_elsewhere(name: str) -> None:
    found = search(Asked().hill(length=9), method(name), Budget(evaluations=60), seed=2)
    assert found.value == 0.0
    assert found.best.state[1] == 3
    assert len(found.best.actions) == found.best.state[0]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("evaluations", [1, 2, 7])
def test_no_search_evaluates_more_than_its_budget(name: str, evaluations: int) -> None:
    asked = Asked()
    found = search(asked.digits(), method(name), Budget(evaluations=evaluations))
    assert found.evaluations == len(asked.states) == evaluations
    assert found.ending == "evaluations"


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_time_budget_allows_one_evaluation(name: str) -> None:
    asked = Asked()
    found = search(asked.digits(), method(name), Budget(seconds=0.0))
    assert (found.evaluations, found.ending, len(asked.states)) == (1, "seconds", 1)


@pytest.mark.parametrize("name", STOCHASTIC)
def test_time_counts_between_values_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "FIRST_SECONDS", 0.0)
    objective = Objective(Endless(), lambda state: 0.0, everywhere=False)
    found = search(objective, method(name), Budget(seconds=0.01))
    assert (found.ending, found.evaluations, found.value) == ("seconds", 0, -inf)


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_decides_everything(name: str) -> None:
    first, second = Asked(), Asked()
    results = [search(a.digits(), method(name), Budget(evaluations=30), seed=5) for a in (first, second)]
    assert first.states == second.states
    assert [_timeless(result) for result in results[:1]] == [_timeless(result) for result in results[1:]]


@pytest.mark.parametrize("name", STOCHASTIC)
def test_another_seed_goes_another_way(name: str) -> None:
    first, second = Asked(), Asked()
    search(first.digits(), method(name), Budget(evaluations=20), seed=1)
    search(second.digits(), method(name), Budget(evaluations=20), seed=2)
    assert first.states != second.states


@pytest.mark.parametrize("name", NAMES)
def test_a_resumed_search_ends_as_one_that_was_never_interrupted(name: str, tmp_path: Path) -> None:
    whole = search(Asked().digits(), method(name), Budget(evaluations=25), seed=3)
    path = tmp_path / "journal.jsonl"
    search(Asked().digits(), method(name), Budget(evaluations=6), seed=3, journal=Journal(path))
    with path.open("a") as file:
        file.write('{"actions": [2, 0')  # an interrupt while writing
    asked = Asked()
    resumed = search(asked.digits(), method(name), Budget(evaluations=25), seed=3, journal=Journal(path))
    assert _timeless(resumed) == _timeless(whole)
    assert len(asked.states) == whole.evaluations - 6
    assert len(read_lines(path)) == 1 + whole.evaluations


def test_time_that_was_spent_stays_spent(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text(
        '{"search": "RandomWalks(name=\'random\')", "seed": 0}\n{"actions": [0, 1], "value": 2.5, "seconds": 60.0}\n'
    )
    objective = replace(Asked().digits(2), weights=lambda state: (1.0, 0.0, 0.0) if not state else (0.0, 1.0, 0.0))
    found = search(objective, method("random"), Budget(seconds=30.0), journal=Journal(path))
    assert found.value == 2.5
    assert found.seconds >= 60.0
    assert found.evaluations == 1


def test_the_journal_of_another_search_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    search(Asked().digits(), method("random"), Budget(evaluations=2), seed=3, journal=Journal(path))
    with pytest.raises(JournalError, match=r"journal\.jsonl:1: .* another search: its seed is 3, not 4; give another"):
        search(Asked().digits(), method("random"), Budget(evaluations=2), seed=4, journal=Journal(path))
    with pytest.raises(JournalError, match=r"journal\.jsonl:1: not how the journal of a search begins"):
        search(Asked().digits(), method("random"), Budget(evaluations=2), seed=3, journal=Journal(path, {"n": 3}))


OWNER = b"""{"search": "RandomWalks(name='random')", "seed": 3, "sizes": [4]}\n"""
GOOD = b'{"actions": [0, 1], "value": 2.5, "seconds": 6.5}\n'


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"no journal", 1),  # without an end of line: not a word of it may be overwritten
        (b"no json\n", 1),
        (b"\x7fELF\x00\xff\n", 1),
        (GOOD, 1),
        (OWNER.replace(b"[4]", b"[5]"), 1),
        (b'{"seed": 3}\n', 1),
        (OWNER + b"\n", 2),
        (OWNER + b"[1]\n", 2),
        (OWNER + b'{"foo": 1}\n' + GOOD, 2),
        (OWNER + GOOD + GOOD.replace(b"seconds", b"time"), 3),
        (OWNER + GOOD.replace(b"[0, 1]", b"7"), 2),
        (OWNER + GOOD.replace(b"[0, 1]", b'["a"]'), 2),
        (OWNER + GOOD.replace(b"[0, 1]", b"[[0]]"), 2),
        (OWNER + GOOD.replace(b"2.5", b'"fast"'), 2),
        (OWNER + GOOD.replace(b"2.5", b"true"), 2),
        (OWNER + GOOD.replace(b"2.5", b"NaN"), 2),
        (OWNER + GOOD.replace(b"2.5", b"1e999"), 2),
        (OWNER + GOOD.replace(b"2.5", b"9" * 5000), 2),
        (OWNER + GOOD.replace(b"2.5", b"9" * 400), 2),
        (OWNER + GOOD.replace(b"6.5", b"null"), 2),
        (OWNER + GOOD.replace(b"6.5", b"-1"), 2),
        (OWNER + GOOD + GOOD.replace(b"6.5", b"6.25"), 3),
        (OWNER + b"[" * 100_000 + b"\n", 2),
        (OWNER + GOOD.replace(b"{", b"\xff{"), 2),
    ],
)
def test_a_damaged_journal_is_refused_and_left_alone(tmp_path: Path, data: bytes, line: int) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(data)
    with pytest.raises(JournalError, match=rf"journal\.jsonl:{line}: .*; give another file, or remove this one"):
        search(Asked().digits(2), method("random"), Budget(), seed=3, journal=Journal(path, {"sizes": (4,)}))
    assert path.read_bytes() == data


@pytest.mark.parametrize("length", [0, 1, 30, len(OWNER) - 1, len(OWNER), len(OWNER) + 20])
def test_a_journal_that_was_cut_off_goes_on(tmp_path: Path, length: int) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes((OWNER + GOOD)[:length])
    found = search(
        Asked().digits(2), method("random"), Budget(evaluations=3), seed=3, journal=Journal(path, {"sizes": (4,)})
    )
    assert found.evaluations == 3
    assert path.read_bytes().startswith(OWNER)
    assert len(read_lines(path)) == 4


def test_a_journal_that_cannot_be_read_or_written_says_so(tmp_path: Path) -> None:
    refused = [
        (tmp_path, "not a regular file"),
        (Path("/dev/full"), "not a regular file"),
        (tmp_path / ("n" * 300), "cannot be read: File name too long"),
        (tmp_path / "nowhere" / "journal", "cannot be written: No such file"),
    ]
    for path, message in refused:
        with pytest.raises(JournalError, match=message):
            search(Asked().digits(2), method("random"), Budget(evaluations=1), journal=Journal(path))


def test_random_walks_keep_to_the_weights() -> None:
    def weights(state: tuple[int, ...]) -> tuple[float, ...]:
        return (0.0, 0.0, 1.0) if len(state) % 2 == 0 else (1.0, 0.0, 0.0)

    asked = Asked()
    found = search(replace(asked.digits(), weights=weights), method("random"), Budget(evaluations=9))
    assert asked.states == [(2, 0, 2, 0, 2, 0)]
    assert found.ending == "exhausted"


def test_greedy_takes_the_first_of_the_best_and_lookahead_sees_over_a_valley() -> None:
    worth = {(): 0.0, (0,): 1.0, (1,): 0.0, (2,): 1.0, (0, 1): 1.0, (0, 2): 1.0, (1, 0): 9.0, (1, 2): 0.0}
    objective = Objective(Digits(2), lambda state: worth.get(state, -1.0), everywhere=True)
    near = search(objective, Greedy(1), Budget())
    assert (near.best.state, near.value, near.ending) == ((0,), 1.0, "finished")
    far = search(objective, Greedy(2), Budget())
    assert (far.best.state, far.value) == ((1, 0), 9.0)


def test_greedy_judges_inner_states_by_the_completion() -> None:
    asked = Asked()
    objective = replace(asked.digits(3), completion=lambda state: _alternating(state, 3))
    found = search(objective, Greedy(1), Budget())
    assert found.ending == "finished"
    assert asked.states[:3] == [(0, 1, 0), (1, 0, 1), (2, 0, 1)]
    assert (found.best.state, found.value) == ((2, 0, 1), 3.0)


def test_a_wider_beam_keeps_what_a_narrow_one_drops() -> None:
    worth = {(0,): 3.0, (1,): 2.0, (2,): 1.0, (1, 2): 4.0, (1, 2, 0): 7.0, (2, 1): 8.0}
    objective = Objective(Digits(3), lambda state: worth.get(state, 0.0), everywhere=True)
    assert search(objective, Beam(1), Budget()).value == 3.0
    assert search(objective, Beam(2), Budget()).value == 7.0
    assert search(objective, Beam(3), Budget()).value == 8.0
    assert search(objective, Beam(2, "depth"), Budget()).value == 7.0


def test_a_depth_first_beam_follows_the_best_child_to_the_end_before_the_next() -> None:
    asked = Asked()
    search(replace(asked.hill(length=3), key=None), Beam(2, "depth"), Budget())
    assert asked.states[:4] == [(0, 0), (1, -1), (1, 0), (1, 1)]
    assert asked.states[4:10] == [(2, 0), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)]


def test_tree_search_ends_when_the_whole_tree_is_known() -> None:
    asked = Asked()
    found = search(asked.digits(4), method("mcts"), Budget())
    assert found.ending == "finished"
    assert len(set(asked.states)) == 24


def test_nothing_that_runs_is_worth_minus_infinity() -> None:
    objective = Objective(Hill(3), lambda state: float("nan"), everywhere=False)
    for name in STOCHASTIC:
        found = search(objective, method(name), Budget(evaluations=5))
        assert found.value == -inf
        assert found.evaluations == 5


def test_the_curve_only_rises_and_progress_tells_every_evaluation() -> None:
    told: list[Point] = []
    found = search(Asked().digits(), method("genetic"), Budget(evaluations=40), progress=told.append)
    assert [point.evaluations for point in told] == list(range(1, 41))
    bests = [point.best for point in found.curve]
    assert bests == sorted(bests)
    assert (found.curve[-1].evaluations, found.curve[-1].best) == (40, found.value)


def test_a_replayed_walk_keeps_legal_actions_and_changes_those_asked_for() -> None:
    run = Run(Asked().digits())
    assert run.play(run.start(), TARGET).end.state == TARGET
    changed = run.play(run.start(), TARGET, (1,)).end.state
    assert changed[0] == 2
    assert changed[1] == 1  # the only other legal digit
    assert changed[2] != 1


def test_one_point_crossing_joins_a_beginning_and_an_end() -> None:
    run = Run(Asked().digits())
    children = {one_point((0,) * 4, (1,) * 4, run.random) for _ in range(200)}
    assert children == {(0,) * k + (1,) * (4 - k) for k in range(5)}


def test_an_unknown_search_is_named() -> None:
    with pytest.raises(PolyloopError, match="unknown search 'best'; there are: random, greedy"):
        method("best")


def test_a_process_that_starts_at_its_end_has_one_value() -> None:
    for name in NAMES:
        found = search(Asked().hill(length=0), method(name), Budget(evaluations=10))
        assert (found.best.state, found.evaluations) == ((0, 0), 1)


def test_elites_stay() -> None:
    found = search(Asked().digits(), Genetic(population=4, elite=1, changes=6.0), Budget(evaluations=60), seed=4)
    assert found.value >= 5.0


def _alternating(state: tuple[int, ...], length: int) -> tuple[int, ...]:
    """The smallest digits that are legal, up to the end."""
    added: list[int] = []
    while len(state) + len(added) < length:
        last = (*state, *added)[-1:]
        added.append(1 if last == (0,) else 0)
    return tuple(added)


def _timeless(found: Found[tuple[int, ...]]) -> tuple[object, ...]:
    return found.best, found.value, found.evaluations, found.ending, tuple((p.evaluations, p.best) for p in found.curve)
