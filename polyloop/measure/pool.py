"""A pool of measuring workers on the machines of a Ray cluster: one job at a time on each core that Ray has to give.

Every worker is a process of its own, which says what machine it runs on. One that dies, with its job or with its whole
node, is replaced by another wherever there is room, and the job is done again there.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pkgutil import resolve_name
from socket import create_connection
from typing import Any, NamedTuple

from polyloop.backend.machine.machine import Machine
from polyloop.errors import PolyloopError

TRIES = 3
"""Workers that a job may cost."""

_PATIENCE = 10.0
"""Seconds in which a cluster's head has to answer."""


class PoolError(PolyloopError):
    """A pool that cannot be had, or a job that its workers die of; the message says why."""


class Done(NamedTuple):
    """What became of a job.

    Attributes:
        number: of all jobs.
        machine: where it was done; machines of one name whose figures differ have different names.
    """

    number: int
    result: Any
    machine: Machine


class _Worker:
    """What runs on a core of the cluster."""

    def __init__(self, measured: bool) -> None:
        from polyloop.backend.machine.host import host_target
        from polyloop.backend.run.measured_machine import use_measured_machine

        self.machine = use_measured_machine() if measured else host_target().machine

    def call(self, place: str, job: object) -> tuple[Any, str]:
        return resolve_name(place)(job), self.machine.to_json()


def _reached(address: str) -> None:
    """Ray itself goes on asking for minutes where nobody answers.

    Raises:
        OSError, OverflowError: if nobody listens at HOST:PORT.
    """
    host, colon, port = address.rpartition(":")
    if colon and "/" not in host and port.isdigit():
        create_connection((host, int(port)), timeout=_PATIENCE).close()


class Pool:
    """Workers of a cluster; a context manager, which leaves the cluster.

    Args:
        address: of the cluster, as `ray.init` takes it: "auto", "HOST:PORT", or "local" for a new one of this machine.
        measured: workers go by the measured figures of their cores, else by what is known of such processors.
    Raises:
        PoolError: without Ray, where no cluster answers, and for one without a core.
    """

    def __init__(self, address: str, measured: bool = True) -> None:
        try:
            import ray
        except ImportError as error:
            raise PoolError("--ray takes Ray: pip install 'polyloop[ray]'") from error
        self._ray: Any = ray
        try:
            _reached(address)
            self._ray.init(address=address, log_to_driver=False, ignore_reinit_error=True)
        except (OSError, RuntimeError, ValueError, OverflowError) as error:
            raise PoolError(f"--ray {address}: there is no cluster: {error}") from error
        self.count = int(self._ray.cluster_resources().get("CPU", 0))
        if not self.count:
            raise PoolError(f"--ray {address}: the cluster has no core to measure on")
        self._measured = measured

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self._ray.shutdown()

    def run(self, place: str, jobs: Sequence[object]) -> Iterator[Done]:
        """Call "module:function" with each job; results as they come.

        Raises:
            PoolError: for a job whose worker dies again and again.
            Exception: what a job raises.
        """
        waiting, tried = deque(range(len(jobs))), [0] * len(jobs)
        busy: dict[Any, tuple[Any, int]] = {}
        idle = [self._started() for _ in range(min(self.count, len(jobs)))]
        try:
            while waiting or busy:
                while waiting and idle:
                    worker, number = idle.pop(), waiting.popleft()
                    busy[worker.call.remote(place, jobs[number])] = worker, number
                (done, *_), _ = self._ray.wait(list(busy))
                worker, number = busy.pop(done)
                try:
                    result, text = self._ray.get(done)
                except self._ray.exceptions.RayActorError as error:
                    tried[number] += 1
                    if tried[number] >= TRIES:
                        raise PoolError(f"job {number}: {TRIES} workers died of it: {error}") from error
                    waiting.append(number)
                    idle.append(self._started())
                    continue
                idle.append(worker)
                yield Done(number, result, _told_apart(Machine.from_json(text, place)))
        finally:
            for worker in (*idle, *(worker for worker, _ in busy.values())):
                self._ray.kill(worker)

    def _started(self) -> Any:
        return self._ray.remote(num_cpus=1)(_Worker).remote(self._measured)


def _told_apart(machine: Machine) -> Machine:
    figures = json.dumps(json.loads(machine.to_json()), sort_keys=True)
    return replace(machine, name=f"{machine.name} {sha256(figures.encode()).hexdigest()[:6]}")
