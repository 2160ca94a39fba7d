"""Several processes learn as one, so that none waits while another steps environments: each has a share of the
environments, learns from what it has done there, and takes its steps along the mean of all gradients.

All have the same weights at any time, to the bit, and nobody learns from what an older network has done. What follows
depends on the seed and the number of processes alone.

References:
    Wijmans et al., "DD-PPO: Learning Near-Perfect PointGoal Navigators from 2.5 Billion Frames", ICLR 2020; there what
    the slowest have not finished is left out, which does not replay.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

import safetensors.torch
import torch
from torch import Tensor, nn

from polyloop.backend.run.worker import without_current_folder
from polyloop.errors import PolyloopError
from polyloop.gnn.environments import Environments, EnvironmentSettings
from polyloop.gnn.learner import Learner, Report
from polyloop.gnn.networks import Network, NetworkSettings
from polyloop.gnn.rollouts import OnPolicy
from polyloop.support.collector import settled


class PartnerError(PolyloopError):
    """A process that learns with this one has ended."""


@dataclass(frozen=True)
class PartnerSettings:
    """What a process makes its learner of.

    Attributes:
        kind: of `OnPolicy`, made of a network, environments, `settings` and a seed.
    """

    kind: Any
    network: NetworkSettings
    environments: EnvironmentSettings
    settings: Any


class DataParallel(Learner):
    """A learner of this process and its partners.

    Args:
        own: what learns here, in its share of the environments.
        count: processes in all, this one included.
    """

    def __init__(self, own: OnPolicy, partner: PartnerSettings, count: int, seed: int) -> None:
        self.own, self.network, self.generator, self.optimizer = own, own.network, own.generator, own.optimizer
        self.first_rate, self.progress = own.first_rate, 0.0
        self._share = partner.environments.count
        started = [_started(partner) for _ in range(count - 1)]
        self._partners = [connection for connection, _ in started]
        self._processes = [process for _, process in started]
        own.averaged = self._mean
        self.begin_episodes(seed)

    def iterate(self) -> Report:
        """See `Learner`; figures are of this process's share."""
        for partner in self._partners:
            self._tell(partner, self.progress, self.optimizer.param_groups[0]["lr"])
        report = self.own.iterate()
        others = [self._heard(partner) for partner in self._partners]
        returns = tuple(value for _, values in others for value in values)
        return replace(report, steps=report.steps + sum(n for n, _ in others), returns=(*report.returns, *returns))

    def begin_episodes(self, seed: int) -> None:
        """Partners take over this process's weights, too, and draw anew: a run that goes on from a checkpoint is the
        same to the bit."""
        weights = safetensors.torch.save({name: part.contiguous().cpu() for name, part in self.own.tensors().items()})
        for number, partner in enumerate(self._partners, 1):
            self._tell(partner, weights, seed + number * self._share)
        self.own.begin_episodes(seed)

    def began_anew(self) -> None:
        self.own.began_anew()

    def anneal(self, progress: float, rate_end: float) -> None:
        self.progress = progress
        self.own.anneal(progress, rate_end)

    @property
    def temperature(self) -> float:
        return self.own.temperature

    def tensors(self) -> dict[str, Tensor]:
        return self.own.tensors()

    def numbers(self) -> dict[str, Any]:
        return self.own.numbers()

    def load(self, tensors: Mapping[str, Tensor], numbers: Mapping[str, Any]) -> None:
        self.own.load(tensors, numbers)

    def close(self) -> None:
        self.own.close()
        for partner in self._partners:
            partner.close()
        for process in self._processes:
            process.join(5)
            process.terminate()

    def _mean(self, parameters: Sequence[nn.Parameter]) -> None:
        """The gradients of all processes, averaged, in each of them."""
        total = _flat(parameters)
        for partner in self._partners:
            total += torch.from_numpy(self._heard(partner))
        total /= len(self._partners) + 1
        for partner in self._partners:
            self._tell(partner, total.numpy())
        _spread(total, parameters)

    def _tell(self, partner: Connection, *message: Any) -> None:
        try:
            partner.send(message)
        except OSError as error:
            raise PartnerError("a process that learns with this one has ended") from error

    def _heard(self, partner: Connection) -> Any:
        try:
            message = partner.recv()
        except (EOFError, OSError) as error:
            raise PartnerError("a process that learns with this one has ended") from error
        if isinstance(message, str):
            raise PartnerError(message)
        return message


def _started(partner: PartnerSettings) -> tuple[Connection, BaseProcess]:
    """A partner, and what it is told and tells through."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_learn_with, args=(partner, there), daemon=True)
    with without_current_folder():
        process.start()
    there.close()
    return here, process


def _flat(parameters: Sequence[nn.Parameter]) -> Tensor:
    """All gradients one behind the other, in main memory."""
    return torch.cat([p.grad.detach().flatten().cpu() for p in parameters if p.grad is not None])


def _spread(gradients: Tensor, parameters: Sequence[nn.Parameter]) -> None:
    """Undo `_flat`."""
    having = [p for p in parameters if p.grad is not None]
    for parameter, part in zip(having, gradients.split([p.numel() for p in having]), strict=True):
        parameter.grad = part.view_as(parameter).to(parameter.device)


def _learn_with(settings: PartnerSettings, connection: Connection) -> None:
    """The life of a partner: it is told (weights, seed), or (progress, rate) for an iteration."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # from a terminal it comes here, too: the first process says when
    torch.set_num_threads(1)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError), settled():
        try:
            _answered(settings, connection)
        except PolyloopError as error:
            connection.send(str(error))


def _answered(settings: PartnerSettings, connection: Connection) -> None:
    network = Network(settings.network)
    learner: OnPolicy | None = None

    def averaged(parameters: Sequence[nn.Parameter]) -> None:
        connection.send(_flat(parameters).numpy())
        (mean,) = connection.recv()
        _spread(torch.from_numpy(mean), parameters)

    while True:
        first, second = connection.recv()
        if isinstance(first, bytes):
            if learner is None:
                learner = settings.kind(network, Environments(settings.environments), settings.settings, second)
                learner.averaged = averaged
            learner.load(safetensors.torch.load(first), {})
            learner.generator.manual_seed(second)
            learner.begin_episodes(second)
            continue
        assert learner is not None
        learner.progress = first
        for group in learner.optimizer.param_groups:
            group["lr"] = second
        report = learner.iterate()
        connection.send((report.steps, report.returns))
