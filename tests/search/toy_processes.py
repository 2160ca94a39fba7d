"""Small decision processes whose optimum is known."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from math import inf

from polyloop.search.objective import Objective


@dataclass(frozen=True)
class Digits:
    """Choose `length` digits 0..2, never the same twice in a row; the number so far is the state."""

    length: int

    def initial(self) -> tuple[int, ...]:
        return ()

    def actions(self, state: tuple[int, ...]) -> tuple[bool, ...]:
        if self.final(state):
            return (False, False, False)
        return tuple(not state or state[-1] != digit for digit in range(3))

    def step(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        assert self.actions(state)[action]
        return (*state, action)

    def final(self, state: tuple[int, ...]) -> bool:
        return len(state) == self.length


@dataclass(frozen=True)
class Hill:
    """`length` steps to the left, to the right, or none, from 0; the state is (steps taken, position)."""

    length: int

    def initial(self) -> tuple[int, int]:
        return (0, 0)

    def actions(self, state: tuple[int, int]) -> tuple[bool, ...]:
        return (not self.final(state),) * 3

    def step(self, state: tuple[int, int], action: int) -> tuple[int, int]:
        assert not self.final(state)
        return (state[0] + 1, state[1] + action - 1)

    def final(self, state: tuple[int, int]) -> bool:
        return state[0] == self.length


@dataclass
class Endless:
    """A way that leads nowhere; who walks it far enough gets an error."""

    steps: int = 0

    def initial(self) -> int:
        return 0

    def actions(self, state: int) -> tuple[bool, ...]:
        return (True, True)

    def step(self, state: int, action: int) -> int:
        self.steps += 1
        assert self.steps < 100_000, "nobody looks at the clock"
        return state + 1 + action

    def final(self, state: int) -> bool:
        return False


TARGET = (2, 0, 1, 2, 1, 0)


@dataclass
class Asked:
    """Objectives that write down what they are asked for."""

    states: list[Hashable] = field(default_factory=list)

    def digits(self, length: int = 6) -> Objective[tuple[int, ...]]:
        """Final numbers are worth the digits that they share with `TARGET`; those that begin with 00 do not exist, and
        those that begin with 1 cannot run."""

        def value(state: tuple[int, ...]) -> float:
            assert len(state) == length
            self.states.append(state)
            return -inf if state[0] == 1 else float(sum(a == b for a, b in zip(state, TARGET, strict=False)))

        return Objective(Digits(length), value, everywhere=False)

    def hill(self, length: int = 6, top: int = 3) -> Objective[tuple[int, int]]:
        """Every state is worth minus its distance from the top, wherever on the way."""

        def value(state: tuple[int, int]) -> float:
            self.states.append(state)
            return -float(abs(state[1] - top))

        return Objective(Hill(length), value, everywhere=True, key=lambda state: state[1])
