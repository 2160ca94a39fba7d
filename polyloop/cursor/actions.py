"""The cursor's actions: their names and ids, in both modes.

0 up, 1 down, 2 swap_up, 3 swap_down, then split_f for every factor f; native: merge, then what flags add; last stop,
where episodes can be ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from polyloop.errors import PolyloopError

Compat: TypeAlias = Literal["native", "looptune"]

NEST_FLAGS = ("vectorize", "unroll", "register_tile", "parallelize")
"""Further actions of the native mode, each on if it is asked for."""

TREE_FLAGS = ("pack", "prefetch")
"""The same, on schedule trees only: rectangular nests know no copies."""

FLAGS = (*NEST_FLAGS, *TREE_FLAGS)

PREFETCH_DISTANCE = 4
"""Iterations ahead that the action prefetch asks for."""

SPLITS: dict[Compat, tuple[int, ...]] = {"native": (4, 8, 16, 32, 64), "looptune": (4, 8, 16)}
"""Factors of the splits, unless others are asked for."""

STOP = "stop"
"""Ends the episode where it stands, where there is such an action."""

REGISTER_TILE = 4
"""Iterations of a loop that the action register_tile sinks below the nest."""


class CursorArgumentError(PolyloopError):
    """An argument of a cursor that does not fit; the message says which and what would."""


@dataclass(frozen=True)
class Actions:
    """Which actions there are, and the limits that go with them.

    Attributes:
        compat: "looptune" for what LoopTune's published code allows; "native" for what is possible here.
        splits: factors, increasing.
        flags: of `FLAGS`, in their order.
        rows: no action may make a nest of more loops.
        stop: an action ends the episode.
    """

    compat: Compat = "native"
    splits: tuple[int, ...] = SPLITS["native"]
    flags: tuple[str, ...] = ()
    rows: int = 24
    stop: bool = False

    @staticmethod
    def of(
        compat: str,
        flags: Sequence[str] = (),
        rows: int | None = None,
        splits: Sequence[int] | None = None,
        stop: bool = False,
    ) -> Actions:
        """The actions of a mode.

        Args:
            rows: how many loops a nest may have; by default 24, 10 for LoopTune.
            splits: factors, in any order; by default those of `SPLITS`.
            stop: see `Actions`.
        Raises:
            CursorArgumentError: for an unknown mode or flag, for flags or splits where they cannot be chosen.
        """
        if rows is not None and rows < 1:
            raise CursorArgumentError(f"rows={rows}: a nest has one loop at least")
        if splits is not None and (not splits or any(type(f) is not int or f < 2 for f in splits)):
            raise CursorArgumentError(
                f"splits={splits!r}: factors are whole numbers from 2 on, and there is one at least"
            )
        unknown = [flag for flag in flags if flag not in FLAGS]
        if unknown:
            raise CursorArgumentError(f"there is no action {unknown[0]!r}; there are {', '.join(FLAGS)}")
        match compat:
            case "native":
                factors = SPLITS["native"] if splits is None else tuple(sorted(set(splits)))
                return Actions("native", factors, tuple(flag for flag in FLAGS if flag in flags), rows or 24, stop)
            case "looptune" if not flags and splits is None:
                return Actions("looptune", SPLITS["looptune"], (), rows or 10, stop)
            case "looptune":
                other = flags[0] if flags else f"splits={splits}"
                raise CursorArgumentError(f"compat='looptune' has LoopTune's seven actions only, not {other}")
            case _:
                raise CursorArgumentError(f"compat={compat!r}: there are 'native' and 'looptune'")

    @staticmethod
    def of_arguments(given: Mapping[str, Any], stop: bool = False) -> Actions:
        """Those of an environment made with these arguments.

        Args:
            stop: it is one whose episodes can be ended (Cursor-v1).
        """
        compat = given.get("compat", "native")
        return Actions.of(compat, given.get("flags", ()), given.get("rows"), given.get("splits"), stop)

    @property
    def is_looptune(self) -> bool:
        return self.compat == "looptune"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of all actions, by id."""
        splits = tuple(f"split_{factor}" for factor in self.splits)
        merge = () if self.is_looptune else ("merge",)
        return ("up", "down", "swap_up", "swap_down", *splits, *merge, *self.flags, *((STOP,) if self.stop else ()))

    @cached_property
    def factors(self) -> dict[str, int]:
        """Factors of the splits, by name."""
        return {f"split_{factor}": factor for factor in self.splits}
