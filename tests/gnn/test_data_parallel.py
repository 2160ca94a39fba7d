"""Processes that learn as one."""

from __future__ import annotations

import multiprocessing
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from typing import Any, cast

import numpy as np
import pytest
import torch
from torch import Tensor

from polyloop.gnn import data_parallel
from polyloop.gnn.data_parallel import DataParallel, PartnerError, PartnerSettings
from polyloop.gnn.encoders import EncoderSettings
from polyloop.gnn.environments import Environments, EnvironmentSettings
from polyloop.gnn.networks import Network
from polyloop.gnn.ppo import PPO, PPOSettings
from polyloop.gnn.training import TrainingError, TrainingSettings, network_settings, train
from tests.helpers.corridor import CORRIDOR, PROBLEMS

_HALF = EnvironmentSettings(CORRIDOR, {"observation": "vector"}, PROBLEMS, count=2)
_SETTINGS = TrainingSettings(replace(_HALF, count=4), "ppo", EncoderSettings("vector", width=16, layers=1))


class _Thread(Thread):
    """In the place of a process."""

    def terminate(self) -> None:
        pass


def _pair(monkeypatch: pytest.MonkeyPatch) -> tuple[DataParallel, list[PPO]]:
    """Two that learn as one, in this process; and the second of them, once it has begun."""
    seconds: list[PPO] = []

    def second(*given: Any) -> PPO:
        seconds.append(PPO(*given))
        return seconds[0]

    def started(partner: PartnerSettings) -> tuple[Connection, _Thread]:
        here, there = multiprocessing.Pipe()

        def live() -> None:
            try:
                data_parallel._answered(partner, there)
            except EOFError:
                there.close()

        thread = _Thread(target=live, daemon=True)
        thread.start()
        return here, thread

    monkeypatch.setattr(data_parallel, "_started", started)
    environments = Environments(_HALF)
    network = Network(network_settings(_SETTINGS, environments))
    settings = PPOSettings(steps=8)
    own = PPO(network, environments, settings, 0)
    return DataParallel(own, PartnerSettings(second, network.settings, _HALF, settings), 2, 0), seconds


def test_both_have_the_same_weights_and_learn_from_all_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, seconds = _pair(monkeypatch)
    before = [part.clone() for part in pair.network.state_dict().values()]
    pair.anneal(0.5, 0.1)
    assert [pair.iterate().steps for _ in range(3)] == [2 * 2 * 8] * 3
    own, other = pair.network.state_dict(), seconds[0].network.state_dict()
    assert all(torch.equal(own[name], other[name]) for name in own)
    assert not all(torch.equal(part, own[name]) for part, name in zip(before, own, strict=True))
    # They have not done the same things.
    assert any(
        (one["vector"] != two["vector"]).any()
        for one, two in zip(pair.own.seen.samples, seconds[0].seen.samples, strict=True)
    )
    assert seconds[0].optimizer.param_groups[0]["lr"] == pair.optimizer.param_groups[0]["lr"] < 1e-3
    pair.close()


def test_what_is_learnt_is_the_mean_of_what_both_would_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, _ = _pair(monkeypatch)
    here, there = multiprocessing.Pipe()
    pair._partners[:] = [here]
    parameters = list(pair.network.parameters())
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    there.send(np.full(sum(parameter.numel() for parameter in parameters), 3.0, np.float32))
    assert pair.own.averaged is not None
    pair.own.averaged(parameters)
    assert all(torch.equal(cast(Tensor, parameter.grad), torch.full_like(parameter, 2.0)) for parameter in parameters)
    (told,) = there.recv()
    assert set(told) == {2.0}
    pair.close()


def test_a_partner_that_ends_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, _ = _pair(monkeypatch)
    pair.iterate()
    pair._partners[0].close()
    with pytest.raises(PartnerError, match="has ended"):
        pair.iterate()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"workers": 3}, "4 environments cannot be shared evenly"),
        ({"workers": 2, "algorithm": "dqn"}, "dqn learns in one process"),
    ],
)
def test_what_cannot_be_shared(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=message):
        train(replace(_SETTINGS, steps=10, **change), tmp_path)
