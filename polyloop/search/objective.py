"""What a search on a decision process looks for: the process, what a state is worth, and where that is defined.

Two kinds of processes differ in nothing else: in some every state has a value (a cursor on a loop nest: every nest can
run), in others only final states have one (half a schedule cannot run). A search asks `polyloop.search.run.Run` for
values and estimates, and need not know which kind it walks.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from polyloop.mdp import DecisionProcess

State = TypeVar("State", bound=Hashable)


@dataclass(frozen=True)
class Objective(Generic[State]):
    """A process and what its states are worth.

    Attributes:
        process: what is walked.
        value: what a state is worth, the more the better; minus infinity for one that cannot run. It is asked for
            states that have a value only, and once per `key`. It has to be deterministic up to noise, and does not
            raise for what goes wrong with a state.
        everywhere: every state has a value; else only the final ones.
        weights: how likely a random walk takes each action, in any scale; None for all legal ones alike. Weights of
            illegal actions do not count; where no legal one has a positive weight, all are alike.
        completion: the actions that lead from a state to the end that stands for it, where inner states have no value;
            None for an end drawn with `weights`.
        key: what a value depends on, where different states are the same thing (schedules of different coefficients,
            nests under another cursor); None for the state itself.
    """

    process: DecisionProcess[State]
    value: Callable[[State], float]
    everywhere: bool
    weights: Callable[[State], Sequence[float]] | None = None
    completion: Callable[[State], Sequence[int]] | None = None
    key: Callable[[State], Hashable] | None = None

    def has_value(self, state: State) -> bool:
        return self.everywhere or self.process.final(state)
