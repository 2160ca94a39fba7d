from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from polyloop.gnn.environments import Seen
from polyloop.gnn.rollouts import Rollout, advantages_of
from polyloop.gnn.vtrace import v_trace

_STEPS, _WIDTH = 6, 3


def _rollout(seed: int) -> Rollout:
    torch.manual_seed(seed)
    shape = _STEPS, _WIDTH
    nothing = torch.zeros(shape)
    seen = Seen([], nothing.bool().numpy(), nothing.numpy(), nothing.bool().numpy())
    ended = torch.rand(shape) < 0.3
    return Rollout([], nothing, nothing, nothing, torch.randn(shape), torch.randn(shape), ended, seen, ())


def _returns(rollout: Rollout, following: torch.Tensor, discount: float) -> torch.Tensor:
    """Discounted sums of rewards to the episode's end, or to the value behind the rollout."""
    result, later = torch.zeros_like(rollout.values), following
    for k in reversed(range(_STEPS)):
        later = rollout.rewards[k] + discount * later * (~rollout.ended[k])
        result[k] = later
    return result


@given(st.integers(0, 10_000), st.sampled_from([1.0, 0.9]))
def test_without_smoothing_away_advantages_are_returns_minus_values(seed: int, discount: float) -> None:
    rollout, following = _rollout(seed), torch.randn(_WIDTH)
    got = advantages_of(rollout, following, discount, 1.0)
    torch.testing.assert_close(got, _returns(rollout, following, discount) - rollout.values, rtol=1e-4, atol=1e-5)


@given(st.integers(0, 10_000))
def test_all_smoothed_away_advantages_are_one_step_errors(seed: int) -> None:
    rollout, following = _rollout(seed), torch.randn(_WIDTH)
    later = torch.cat([rollout.values[1:], following[None]]) * ~rollout.ended
    expected = rollout.rewards + 0.9 * later - rollout.values
    torch.testing.assert_close(advantages_of(rollout, following, 0.9, 0.0), expected)


@given(st.integers(0, 10_000))
def test_v_trace_of_the_policy_that_acted_is_the_return(seed: int) -> None:
    rollout, following = _rollout(seed), torch.randn(_WIDTH)
    ratios = torch.ones(_STEPS, _WIDTH)
    targets, advantages = v_trace(rollout, rollout.values, following, ratios, 0.9, 1.0)
    expected = _returns(rollout, following, 0.9)
    torch.testing.assert_close(targets, expected, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(advantages, expected - rollout.values, rtol=1e-4, atol=1e-5)


def test_v_trace_does_not_learn_from_what_the_policy_would_never_do() -> None:
    rollout = _rollout(1)
    ratios = torch.zeros(_STEPS, _WIDTH)
    targets, advantages = v_trace(rollout, rollout.values, torch.randn(_WIDTH), ratios, 0.9, 1.0)
    torch.testing.assert_close(targets, rollout.values)
    assert not advantages.any()
