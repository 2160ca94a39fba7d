"""Actor processes: they step environments with a copy of the network that is renewed now and then, and send experience.

An actor sends a piece and waits for the answer: newer weights, or nothing new. So an actor is never ahead by more than
one piece, and a slow learner slows its actors down instead of drowning. An actor that dies is replaced by another with
a fresh seed; what it had sent is kept.

References:
    Horgan et al., "Distributed Prioritized Experience Replay", ICLR 2018 (Ape-X).
    Espeholt et al., "IMPALA", ICML 2018.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, Protocol, TypeVar

import safetensors.torch
import torch

from polyloop.backend.run.worker import without_current_folder
from polyloop.errors import PolyloopError
from polyloop.gnn.environments import Environments, EnvironmentSettings
from polyloop.gnn.networks import Network, NetworkSettings
from polyloop.support.collector import settled

Piece_co = TypeVar("Piece_co", covariant=True)
Piece = TypeVar("Piece")

DEATHS = 5
"""Actors that may die in a row, with nothing heard of any in between, before training gives up."""


class Acting(Protocol[Piece_co]):
    """What an actor does between two messages."""

    def __call__(self, network: Network) -> Piece_co:
        """Gather a piece of experience."""


@dataclass(frozen=True)
class ActorSettings(Generic[Piece]):
    """Attributes:
    acting: makes what an actor does, from its environments, its number of all actors, and its seed. Picklable.
    """

    network: NetworkSettings
    environments: EnvironmentSettings
    acting: Callable[[Environments, int, int, int], Acting[Piece]]
    count: int
    seed: int


class ActorError(PolyloopError):
    """Actors die as fast as they are started; the message has the last one's error, if it could tell."""


class Actors(Generic[Piece]):
    """Starts actors and hears from them. Close it, or use it as a context."""

    def __init__(self, settings: ActorSettings[Piece]) -> None:
        self._settings = settings
        self._context = multiprocessing.get_context("spawn")
        self._actors: dict[Connection, tuple[BaseProcess, int]] = {}
        self._version, self._weights = 0, b""
        self._deaths = self.replaced = 0
        self._error = ""

    def publish(self, network: Network) -> None:
        """Give the actors these weights, from their next message on; the first call starts the actors."""
        self._version += 1
        self._weights = safetensors.torch.save({k: v.contiguous() for k, v in network.state_dict().items()})
        if self._version == 1:
            for number in range(self._settings.count):
                self._start(number)

    def pieces(self, timeout: float = 600.0) -> Iterator[Piece]:
        """What has been sent since; waits until there is something.

        Raises:
            ActorError: when actors die again and again, or nothing comes for `timeout` seconds.
        """
        ready = wait(list(self._actors), timeout)
        if not ready:
            raise ActorError(f"no actor has sent anything for {timeout:.0f} s")
        for connection in ready:
            assert isinstance(connection, Connection)
            try:
                message = connection.recv()
            except (EOFError, OSError):
                self._replace(connection)
                continue
            if isinstance(message, str):
                self._error = message
                continue
            self._deaths = 0
            self._answer(connection)
            yield message

    def processes(self) -> list[int]:
        """The actors' process ids."""
        return [process.pid or 0 for process, _ in self._actors.values()]

    def close(self) -> None:
        for connection, (process, _) in self._actors.items():
            connection.close()
            process.terminate()
        for process, _ in self._actors.values():
            process.join(5)
        self._actors.clear()

    def _start(self, number: int) -> None:
        here, there = self._context.Pipe()
        # A replaced actor must not repeat the episodes of the one that died.
        settings = replace(self._settings, seed=self._settings.seed + 7919 * (number + 1) + 104_729 * self.replaced)
        process = self._context.Process(
            target=_actor, args=(settings, number, there), daemon=not settings.environments.processes
        )
        with without_current_folder():
            process.start()
        there.close()
        self._actors[here] = process, number
        self._answer(here)

    def _answer(self, connection: Connection) -> None:
        with suppress(OSError):  # it has just died: the next wait will find out
            connection.send(self._weights)

    def _replace(self, connection: Connection) -> None:
        process, number = self._actors.pop(connection)
        connection.close()
        process.join(5)
        self._deaths += 1
        self.replaced += 1
        if self._deaths > DEATHS:
            self.close()
            raise ActorError(f"actors die as soon as they start{': ' + self._error if self._error else ''}")
        self._start(number)


def _actor(settings: ActorSettings[Piece], number: int, connection: Connection) -> None:
    """The life of an actor."""
    torch.set_num_threads(1)
    try:
        network = Network(settings.network)
        acting = settings.acting(Environments(settings.environments), number, settings.count, settings.seed)
        with settled():
            while True:
                network.load_state_dict(safetensors.torch.load(connection.recv()))
                connection.send(acting(network))
    except (EOFError, BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        return  # the learner is gone, or the user has had enough
    except PolyloopError as error:
        connection.send(str(error))
