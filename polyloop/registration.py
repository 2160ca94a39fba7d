"""The environments' names in Gymnasium's registry, without importing Gymnasium.

Gymnasium has no plugins: whoever brings environments registers them when imported. But importing Gymnasium only for
that would make every worker process and ``polyloop --help`` pay for it. So `polyloop` has the names registered at once
if Gymnasium is loaded already, else right after somebody loads it.
"""

from __future__ import annotations

import importlib.util
import warnings
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType

CONSTRUCT, CURSOR = "polyloop/Construct-v0", "polyloop/Cursor-v0"
EXPLORE, SCHEDULE = "polyloop/Explore-v0", "polyloop/Schedule-v0"
CURSOR_1, SCHEDULE_1 = "polyloop/Cursor-v1", "polyloop/Schedule-v1"
CURSORS, SCHEDULES = (CURSOR, CURSOR_1), (SCHEDULE, SCHEDULE_1)
"""All versions of a process, the oldest first."""

ENVIRONMENTS = {
    CONSTRUCT: "polyloop.envs.construct:ConstructEnv",
    CURSOR: "polyloop.envs.cursor:CursorEnv",
    EXPLORE: "polyloop.envs.explore:ExploreEnv",
    SCHEDULE: "polyloop.envs.schedule:ScheduleEnv",
    CURSOR_1: "polyloop.envs.cursor_v1:CursorEnvV1",
    SCHEDULE_1: "polyloop.envs.schedule_v1:ScheduleEnvV1",
}
"""Id -> "module:class"; the modules are imported when an environment is made."""


def register() -> None:
    """Put the environments into Gymnasium's registry; those that are there already stay. Imports Gymnasium."""
    registration = import_module("gymnasium.envs.registration")
    # Gymnasium takes every version but the last for out of date. Ours are what papers compare with, and stay.
    warnings.filterwarnings("ignore", r".*polyloop/\w+-v0 is out of date", DeprecationWarning)
    for name, entry_point in ENVIRONMENTS.items():
        if name not in registration.registry:
            registration.register(id=name, entry_point=entry_point)


_asking = False


def find_spec(name: str) -> ModuleSpec | None:
    """How Gymnasium is imported: as it is without us, and then the environments are registered; None for any other."""
    global _asking
    if name != "gymnasium" or _asking:
        return None
    _asking = True
    try:
        spec = importlib.util.find_spec(name)  # as the other finders see it
    finally:
        _asking = False
    if spec is not None and spec.loader is not None:
        spec.loader = _RegisteringLoader(spec.loader)  # type: ignore[assignment]  # has its methods, not its base
    return spec


class _RegisteringLoader:
    """Loads Gymnasium as its own loader does, and registers the environments behind that."""

    def __init__(self, inner: Loader) -> None:
        self._inner = inner

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._inner.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._inner
        if module.__spec__ is not None:
            module.__spec__.loader = self._inner
        self._inner.exec_module(module)
        register()
