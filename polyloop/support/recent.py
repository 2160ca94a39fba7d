"""Results worth keeping, as many as fit: what was not asked for the longest goes first."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass
class Recent(Generic[Key, Value]):
    """A dictionary of bounded weight.

    Attributes:
        capacity: of all values together; the newest one stays whatever it weighs.
        weigh: a value's weight.
    """

    capacity: int
    weigh: Callable[[Value], int]
    _values: dict[Key, Value] = field(default_factory=dict)
    _weight: int = 0

    def get(self, key: Key) -> Value | None:
        """The value, which counts as asked for; None where there is none."""
        value = self._values.pop(key, None)
        if value is not None:
            self._values[key] = value  # dictionaries keep the order of insertion
        return value

    def keep(self, key: Key, value: Value) -> Value:
        """Remember a value that was not there; returns it."""
        self._values[key] = value
        self._weight += self.weigh(value)
        while self._weight > self.capacity and len(self._values) > 1:
            self._weight -= self.weigh(self._values.pop(next(iter(self._values))))
        return value

    def __len__(self) -> int:
        return len(self._values)
