"""The tensor workloads that ship with polyloop: matrix products, operators and layers of networks.

Files under ``data/workloads`` say what a set is by rule: expressions in the named-dimension language, and sizes as a
list or a grid. A workload's name is ``"set/problem"``; the problem's name alone will do.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from polyloop.errors import PolyloopError
from polyloop.scop.model import Scop
from polyloop.scop.operations import flops
from polyloop.tensors import tensor

Split: TypeAlias = Literal["train", "test"]
Named = TypeVar("Named", "Workload", str)

PRODUCTS = "mm64_256_16"
"""The set that policies are trained on and searches compared on unless another is named: LoopTune's matrix products."""

_FOLDER = Path(__file__).parents[1] / "data" / "workloads"


class UnknownWorkloadError(PolyloopError):
    """No workload or set of that name ships with polyloop; the message suggests names that are near."""


@dataclass(frozen=True)
class Workload:
    """A tensor program at fixed sizes.

    Attributes:
        name: ``"operators/CONV-1"``.
        expression: its program, in the language of `polyloop.tensor`.
        sizes: of the dimensions, in the order of the loops.
    """

    name: str
    expression: str
    sizes: tuple[tuple[str, int], ...]

    @cached_property
    def scop(self) -> Scop:
        """The Scop; it has no parameters. Arrays are float32."""
        identifier = "".join(c if c.isalnum() else "_" for c in self.name)
        return tensor(self.expression, dict(self.sizes), name=identifier)

    @cached_property
    def flops(self) -> int:
        """Floating-point operations of one run."""
        return flops(self.scop, {})


@dataclass(frozen=True)
class WorkloadSet:
    """All problems of one kind; `test` is what nothing may be trained or tuned on."""

    name: str
    problems: tuple[Workload, ...]
    test: tuple[Workload, ...] = ()

    @cached_property
    def train(self) -> tuple[Workload, ...]:
        held = frozenset(w.name for w in self.test)
        return tuple(w for w in self.problems if w.name not in held)


def workload_sets() -> tuple[str, ...]:
    """The names of all sets."""
    return tuple(_table())


@cache
def workload_set(name: str) -> WorkloadSet:
    """Look a set up.

    Raises:
        UnknownWorkloadError: if there is none of that name.
    """
    table = _table()
    if name not in table:
        raise UnknownWorkloadError(f"no set of workloads is called {name!r}; there are {', '.join(table)}")
    rule = table[name]
    problems = tuple(_grid(name, rule)) if "grid" in rule else tuple(_listed(name, rule))
    held = first(problems, rule["held_out"], rule["seed"]) if "held_out" in rule else ()
    return WorkloadSet(name, problems, held)


def workload(name: str) -> Workload:
    """Look a workload up by ``"set/problem"`` or the problem's name.

    Raises:
        UnknownWorkloadError: if there is none of that name; the message suggests near ones.
    """
    known = _by_name()
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"the sets are {', '.join(workload_sets())}"
    raise UnknownWorkloadError(f"no workload is called {name!r}; {hint}")


def is_workload(name: str) -> bool:
    """Whether `workload` knows the name."""
    return name in _by_name()


def sample(name: str, count: int, seed: int = 0, split: Split | None = None) -> tuple[Workload, ...]:
    """Some workloads of a set, the same ones for the same seed everywhere; all where there are not so many.

    Args:
        split: only from this part of the set.
    """
    whole = workload_set(name)
    among = whole.problems if split is None else whole.test if split == "test" else whole.train
    return first(among, min(count, len(among)), seed)


@cache
def _table() -> Mapping[str, Any]:
    table: dict[str, Any] = {}
    for path in sorted(_FOLDER.glob("*.toml")):
        with path.open("rb") as file:
            table |= tomllib.load(file)
    return table


@cache
def _by_name() -> Mapping[str, Workload]:
    everything = [w for name in workload_sets() for w in workload_set(name).problems]
    return {w.name.partition("/")[2]: w for w in everything} | {w.name: w for w in everything}


def _grid(name: str, rule: Mapping[str, Any]) -> list[Workload]:
    axes = {dim: range(start, stop + 1, step) for dim, (start, stop, step) in rule["grid"].items()}
    points = [tuple(zip(axes, values, strict=True)) for values in product(*axes.values())]
    labels = ["-".join(f"{dim}{size}" for dim, size in point) for point in points]
    return [Workload(f"{name}/{label}", rule["expression"], p) for label, p in zip(labels, points, strict=True)]


def _listed(name: str, rule: Mapping[str, Any]) -> list[Workload]:
    result = []
    for problem in rule["problems"]:
        expression = rule["expressions"][problem["of"]] if "of" in problem else rule["expression"]
        sizes = tuple((key, value) for key, value in problem.items() if key not in ("name", "of"))
        result.append(Workload(f"{name}/{problem['name']}", expression.strip(), sizes))
    return result


def first(problems: Sequence[Named], count: int | None, seed: int) -> tuple[Named, ...]:
    """The `count` problems (or names of them) that come first by hash; generators of random numbers differ between
    versions. Without a count all, as they are."""
    if count is None:
        return tuple(problems)

    def place(problem: Workload | str) -> str:
        name = problem if isinstance(problem, str) else problem.name
        return sha256(f"{seed}:{name}".encode()).hexdigest()

    return tuple(sorted(problems, key=place)[:count])
