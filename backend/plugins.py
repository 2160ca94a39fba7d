"""Tables of things by name, which installed packages extend through entry points.

A package adds a line to a table by declaring an entry point in the group of that table; docs/extending.md has an
example of each. Nobody pays for packages that are not there: what is installed is looked at when a name is asked for
that the table itself does not have, or when all names are asked for.

References: the entry points specification, packaging.python.org/specifications/entry-points.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar, cast

from polyloop.backend.errors import BackendError, PolyloopWarning

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class PluginError(BackendError):
    """An installed package offers something under this name that cannot be loaded, or is of another kind."""


class PluginWarning(PolyloopWarning):
    """An installed package offers something that cannot be used; it is left out of a list."""


class Table(MutableMapping[str, T]):
    """What polyloop has of a kind, by name, and after it what installed packages add.

    A name of polyloop's own is never replaced by a package; of two packages that use one name, the first on the path
    counts. What a program adds itself (``table[name] = value``) lasts as long as the program.

    Args:
        group: of the entry points, as "polyloop.searches".
        own: what polyloop has itself.
        problem: what is wrong with a value that a package offers under a name, in words; None if it is of the right
            kind.
    """

    def __init__(self, group: str, own: Mapping[str, T], problem: Callable[[str, object], str | None]) -> None:
        self.group = group
        self.own = dict(own)
        self._problem = problem
        self._loaded: dict[EntryPoint, T] = {}
        self._warned: set[EntryPoint] = set()

    def __getitem__(self, name: str) -> T:
        """The value of this name.

        Raises:
            KeyError: if there is none.
            PluginError: if a package offers it, and it cannot be used.
        """
        if name in self.own:
            return self.own[name]
        return self._load(self._offered()[name])

    def __contains__(self, name: object) -> bool:
        """Whether the name is there; nothing is loaded."""
        return name in self.own or name in self._offered()

    def __iter__(self) -> Iterator[str]:
        """Polyloop's own names, then those of packages, as far as they can be used; a warning for each that cannot."""
        yield from self.own
        for name, entry in self._offered().items():
            if name not in self.own and self._usable(entry):
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __setitem__(self, name: str, value: T) -> None:
        self.own[name] = value

    def __delitem__(self, name: str) -> None:
        del self.own[name]

    def _offered(self) -> dict[str, EntryPoint]:
        return _entry_points(_search_path()).get(self.group, {})

    def _load(self, entry: EntryPoint) -> T:
        if entry not in self._loaded:
            try:
                value = entry.load()
            except Exception as error:  # whatever a module does when it is imported
                raise PluginError(f"{_described(entry)} cannot be loaded: {type(error).__name__}: {error}") from error
            problem = self._problem(entry.name, value)
            if problem is not None:
                raise PluginError(f"{_described(entry)} cannot be used: {problem}")
            self._loaded[entry] = cast(T, value)
        return self._loaded[entry]

    def _usable(self, entry: EntryPoint) -> bool:
        try:
            self._load(entry)
        except PluginError as error:
            if entry not in self._warned:
                self._warned.add(entry)
                warnings.warn(f"{error}; it is left out", PluginWarning, stacklevel=3)
            return False
        return True


def _described(entry: EntryPoint) -> str:
    package = f" of the installed package {entry.dist.name}" if entry.dist else ""
    return f"the entry point {entry.name} = {entry.value} in {entry.group}{package}"


def _search_path() -> tuple[str, ...]:
    """Where installed packages are; not the current folder where Python itself has put it first (``python -m``)."""
    try:
        implicit = not sys.flags.safe_path and os.path.realpath(sys.path[0]) == os.getcwd()
    except OSError:  # the current folder was deleted
        implicit = False
    return tuple(entry for entry in sys.path[implicit:] if entry)


@lru_cache(maxsize=4)
def _entry_points(path: tuple[str, ...]) -> dict[str, dict[str, EntryPoint]]:
    """The entry points that the packages on a path declare for polyloop: group -> name -> entry point."""
    from importlib.metadata import distributions  # takes a tenth of the time of polyloop's own start

    found: dict[str, dict[str, EntryPoint]] = {}
    for distribution in distributions(path=list(path)):
        try:
            declared = distribution.entry_points
        except Exception:  # a damaged file of somebody else's package; it declares nothing for us
            continue
        for entry in declared:
            if entry.group.startswith("polyloop."):
                found.setdefault(entry.group, {}).setdefault(entry.name, entry)
    return found
