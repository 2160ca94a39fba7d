"""What evaluators have in common, of schedules and of the cursor's programs, measured and modelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pkgutil import resolve_name
from typing import Any, Protocol, Self, TypeVar, cast

from polyloop.backend.plugins import Table
from polyloop.errors import PolyloopError


def evaluators(group: str, measuring: str, model: str) -> Table[Callable[[], Any]]:
    """By name, what makes an evaluator: "worker" measures in a process of its own, "inprocess" in this one, "model" is
    deterministic and runs nothing; then those of installed packages.

    A class is loaded when an evaluator is made: a model needs neither LLVM nor what measures.

    Args:
        group: of the entry points.
        measuring, model: "module:class" of what measures, and of what does not.
    """
    own: dict[str, Callable[[], Any]] = {
        "worker": lambda: resolve_name(measuring)(),
        "inprocess": lambda: resolve_name(measuring)(in_process=True),
        "model": lambda: resolve_name(model)(),
    }
    wrong = "it is nothing that can be called for an evaluator"
    return Table(group, own, lambda name, value: None if callable(value) else wrong)


def evaluator_of(table: Table[Callable[[], Any]], name: str, kind: type) -> Any:
    """A new evaluator of a name.

    Args:
        kind: the protocol that it has to follow.
    Raises:
        PolyloopError: for another name, or if what a package makes is no evaluator.
    """
    if name not in table:
        raise PolyloopError(f"there is no evaluator {name!r}; there are {', '.join(table)}")
    evaluator = table[name]()
    if not isinstance(evaluator, kind):
        raise PolyloopError(f"the evaluator {name!r} is a {type(evaluator).__name__}, which is no {kind.__name__}")
    return evaluator


P = TypeVar("P", contravariant=True)
X = TypeVar("X", contravariant=True)
R = TypeVar("R", covariant=True)


class Evaluates(Protocol[P, X, R]):
    """Anything that says how good programs are. One object may serve many environments, one call at a time."""

    def evaluate(self, problem: P, program: X, /) -> R:
        """What a program is worth; what goes wrong with it is in the answer, never raised."""

    def close(self) -> None:
        """Give processes and files back; a later call may start new ones."""


class EvaluatorBase:
    """Of dataclasses that evaluate; a context manager, which closes them.

    Pickles hold what an evaluator was made with. What it has found out, known by the identity of objects in this
    process, its processes and its files stay behind.
    """

    def close(self) -> None:
        """See `Evaluates`; a model has nothing to give back."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        public = [entry.name for entry in fields(cast(Any, self)) if not entry.name.startswith("_")]
        return partial(type(self), **{name: getattr(self, name) for name in public}), ()
