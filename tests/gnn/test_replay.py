from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyloop.gnn.experience import Steps, Transition
from polyloop.gnn.prioritised import Replay

_MASK = np.ones(2, np.bool_)


def _sample(number: int) -> dict[str, np.ndarray]:
    return {"vector": np.array([number], np.float32)}


def _transition(number: int) -> Transition:
    return Transition(_sample(number), _MASK, 0, float(number), _sample(number), _MASK, 1.0)


def test_transitions_are_drawn_in_proportion_to_their_priorities() -> None:
    replay = Replay(4, exponent=1.0)
    for number, priority in enumerate((1.0, 2.0, 3.0, 4.0)):
        replay.add(_transition(number), priority)
    random = np.random.default_rng(0)
    counts = np.zeros(4)
    for _ in range(2000):
        _, places, _ = replay.draw(5, 1.0, random)
        np.add.at(counts, places, 1)
    np.testing.assert_allclose(counts / counts.sum(), [0.1, 0.2, 0.3, 0.4], atol=0.01)


@given(st.integers(1, 9), st.lists(st.floats(0, 10), min_size=1, max_size=30), st.integers(0, 99))
def test_what_is_drawn_is_there_and_its_weight_undoes_the_bias(
    capacity: int, priorities: list[float], seed: int
) -> None:
    replay = Replay(capacity, exponent=0.5)
    for number, priority in enumerate(priorities):
        replay.add(_transition(number), priority)
    kept = list(enumerate(priorities))[-capacity:]
    drawn, places, weights = replay.draw(8, 0.7, np.random.default_rng(seed))
    assert len(replay) == len(kept)
    assert {t.reward for t in drawn} <= {float(number) for number, _ in kept}
    chances = {float(number): (priority + 1e-6) ** 0.5 for number, priority in kept}
    expected = np.array([chances[t.reward] for t in drawn]) ** -0.7
    np.testing.assert_allclose(weights, expected / expected.max(), rtol=1e-4)
    replay.update(places, np.zeros(len(places)))


def test_a_new_priority_counts_from_then_on() -> None:
    replay = Replay(2, exponent=1.0)
    replay.add(_transition(0), 1.0)
    replay.add(_transition(1), 1.0)
    replay.update(np.array([0]), np.array([1e9]))
    drawn, _, _ = replay.draw(20, 1.0, np.random.default_rng(0))
    assert {t.reward for t in drawn} == {0.0}


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=20),
    st.integers(1, 4),
    st.sampled_from([1.0, 0.5]),
)
def test_n_steps_become_one_transition(steps: list[tuple[int, bool]], horizon: int, discount: float) -> None:
    collector, got = Steps(horizon, discount), []
    for number, (reward, ended) in enumerate(steps):
        got += collector.add((_sample(number), _MASK), number, float(reward), (_sample(number + 1), _MASK), ended)
    by_action = {t.action: t for t in got}
    for number in range(len(steps)):
        ends = [k for k in range(number, len(steps)) if steps[k][1]]
        last = min([number + horizon - 1, *ends[:1]])
        if last >= len(steps):
            assert number not in by_action  # its rewards are not all known yet
            continue
        transition = by_action.pop(number)
        rewards = [steps[k][0] * discount ** (k - number) for k in range(number, last + 1)]
        assert transition.reward == pytest.approx(sum(rewards))
        assert transition.discount == (0 if steps[last][1] else discount ** (last - number + 1))
        assert transition.following["vector"][0] == last + 1
    assert not by_action


def test_what_is_new_gets_the_largest_priority_so_far() -> None:
    replay = Replay(8, exponent=1.0)
    for number in range(4):
        replay.add(_transition(number))
    replay.update(np.arange(4), np.array([0.01, 0.02, 0.03, 0.04]))
    replay.add(_transition(4))
    random, counts = np.random.default_rng(0), np.zeros(5)
    for _ in range(2000):
        _, places, _ = replay.draw(5, 1.0, random)
        np.add.at(counts, places, 1)
    np.testing.assert_allclose(counts / counts.sum(), np.array([1, 2, 3, 4, 4]) / 14, atol=0.01)


@pytest.mark.parametrize("horizon", [1, 2, 5])
def test_what_is_cut_off_goes_on_in_its_last_transitions(horizon: int) -> None:
    collector, got = Steps(horizon, 0.5), []
    for number in range(3):
        end = (_sample(number + 1), _MASK)
        got += collector.add((_sample(number), _MASK), number, 1.0, end, number == 2, cut=number == 2)
    for transition in got:
        count = min(horizon, 3 - transition.action)
        assert transition.discount == 0.5**count
        assert transition.following["vector"][0] == transition.action + count
