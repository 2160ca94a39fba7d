"""What a decision process is: states, actions, and nothing else.

States are frozen, hashable and printable; a process is a pure function of them, so that searches may keep, share and
replay states as they like. Environments wrap these processes.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol, TypeVar

from polyloop.errors import PolyloopError

State = TypeVar("State", bound=Hashable)


class DecisionProcess(Protocol[State]):
    """A finite deterministic process."""

    def initial(self) -> State:
        """The state that every episode starts in."""

    def actions(self, state: State) -> tuple[bool, ...]:
        """For every action whether it is legal; none is in a final state, at least one in any other."""

    def step(self, state: State, action: int) -> State:
        """The state that a legal action leads to.

        Raises:
            IllegalActionError: if the action is not legal there.
        """

    def final(self, state: State) -> bool:
        """Whether the episode ends here."""


class IllegalActionError(PolyloopError):
    """An action that the mask forbids; the message says why."""
