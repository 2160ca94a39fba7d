"""Limits of steps: part of the task, or what only cuts an episode off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from polyloop.gnn.encoders import EncoderSettings
from polyloop.gnn.environments import Environments, EnvironmentSettings
from polyloop.gnn.experience import Explorer
from polyloop.gnn.networks import Network, NetworkSettings
from polyloop.gnn.rollouts import advantages_of, bootstrap, collect
from polyloop.gnn.samples import collate
from polyloop.registration import CURSOR
from tests.helpers.corridor import CORRIDOR, LIMIT

CURSORS = EnvironmentSettings(CURSOR, {"evaluator": "model", "length": 4}, count=2, bootstrap=True)


def _network(environments: Environments) -> Network:
    torch.manual_seed(0)
    encoder = EncoderSettings("vector", width=8, layers=1, inputs=environments.inputs)
    network = Network(NetworkSettings(encoder, (("cursor", environments.actions),)))
    torch.nn.init.normal_(network.value[2].bias, 3.0)  # type: ignore[index]
    return network.eval()


@pytest.mark.parametrize("processes", [False, True])
def test_what_was_seen_when_the_time_was_up(processes: bool) -> None:
    environments = Environments(EnvironmentSettings(CORRIDOR, count=2, bootstrap=True, processes=processes))
    try:
        seen = environments.reset(0)
        for step in range(LIMIT):
            assert not seen.cut
            before, taken = seen, [int(np.flatnonzero(mask[:2])[0]) for mask in seen.masks]
            seen = environments.step(taken)
            assert bool(seen.cut) == (step == LIMIT - 1)
        assert seen.ended.all()
        assert sorted(seen.cut) == [0, 1]
        for k, (sample, mask) in seen.cut.items():
            place = int(before.samples[k]["vector"][:6].argmax()) + (1 if taken[k] else -1)
            assert int(sample["vector"][:6].argmax()) == place
            assert mask[0] == (place > 0)
    finally:
        environments.close()


@pytest.mark.parametrize("bootstraps", [False, True])
def test_the_value_behind_the_limit_counts_where_it_only_cuts_off(bootstraps: bool) -> None:
    environments = Environments(replace(CURSORS, bootstrap=bootstraps))
    twins = Environments(CURSORS)
    network, generator = _network(environments), torch.Generator().manual_seed(1)
    rollout = collect(network, environments, environments.reset(0), 6, generator, 0.5)
    seen, expected = twins.reset(0), torch.zeros(6, 2)
    for step, actions in enumerate(rollout.actions.tolist()):
        seen = twins.step(actions)
        expected[step] = torch.from_numpy(seen.rewards)
        if bootstraps and seen.cut:
            samples, masks = zip(*seen.cut.values(), strict=True)
            assert all(mask.any() for mask in masks)
            with torch.no_grad():
                expected[step] += 0.5 * network(collate(samples), torch.from_numpy(np.stack(masks)))[1]
    assert rollout.ended.sum() == 2
    torch.testing.assert_close(rollout.rewards, expected)
    # Whatever the rewards hold, nothing of the next episode does.
    advantages = advantages_of(rollout, bootstrap(network, rollout), 0.5, 1.0)
    torch.testing.assert_close(advantages[3], expected[3] - rollout.values[3])


@pytest.mark.parametrize("bootstraps", [False, True])
def test_values_of_actions_go_on_behind_what_only_cuts_off(bootstraps: bool) -> None:
    environments = Environments(replace(CURSORS, bootstrap=bootstraps))
    explorer = Explorer(environments, [1.0, 1.0], horizon=3, discount=0.5, seed=0)
    transitions = explorer.gather(_network(environments), 4).transitions
    assert len(transitions) == 8
    discounts = sorted(transition.discount for transition in transitions)
    cut = [0.125, 0.125, 0.25, 0.5] if bootstraps else [0.0, 0.0, 0.0, 0.125]
    assert discounts == sorted(2 * cut)
    if bootstraps:
        assert all(transition.following_mask.any() for transition in transitions)
