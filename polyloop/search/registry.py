"""The searches by name: one table for the command line, for Python and for messages. Nothing large is imported here.

A search is a function ``(evaluator, seconds, space) -> Candidate``: it may ask the evaluator for about that many
seconds, walks the space of that name, and returns a candidate that the evaluator has measured. To add one, give it a
line in `SEARCHES`; a search that needs more than the core names the extra that brings it. Installed packages add theirs
through entry points of the group ``polyloop.searches``, each a `SearchEntry`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import TYPE_CHECKING, TypeAlias, cast

from polyloop.backend.plugins import Table
from polyloop.errors import PolyloopError

if TYPE_CHECKING:
    from polyloop.measure.evaluator import Evaluator
    from polyloop.measure.result import Candidate

Search: TypeAlias = "Callable[[Evaluator, float, str], Candidate]"

SPACES = {
    "schedule": "schedules of a whole scop",
    "cursor": "one loop transformation after the other, at a cursor that moves over the loops",
}
"""What ``--space`` takes: what a search walks."""


@dataclass(frozen=True)
class SearchEntry:
    """One line of the table.

    Attributes:
        function: "module:name" of the search, loaded when it is asked for.
        summary: what it does, in a few words.
        spaces: the spaces that it can walk, its default first.
        extra: the extra of polyloop that brings what it needs, "" for none.
        needs: modules that have to be there.
    """

    function: str
    summary: str
    spaces: tuple[str, ...] = ("schedule",)
    extra: str = ""
    needs: tuple[str, ...] = ()


BOTH = ("schedule", "cursor")

_SEARCHES: dict[str, SearchEntry] = {
    "isl": SearchEntry("polyloop.search.isl_search:search", "isl's schedules, each nest in its most promising shapes"),
    "random": SearchEntry("polyloop.search.schedule.searches:random", "legal schedules drawn at random", BOTH),
    "greedy": SearchEntry(
        "polyloop.search.schedule.searches:greedy", "the best next choice of a schedule, one by one", BOTH
    ),
    "beam": SearchEntry(
        "polyloop.search.schedule.searches:beam", "the best few beginnings of schedules, step by step", BOTH
    ),
    "mcts": SearchEntry("polyloop.search.schedule.searches:mcts", "Monte-Carlo tree search over schedules", BOTH),
    "anneal": SearchEntry("polyloop.search.schedule.searches:anneal", "simulated annealing of schedules", BOTH),
    "genetic": SearchEntry("polyloop.search.schedule.searches:genetic", "a genetic algorithm on schedules", BOTH),
    "model": SearchEntry(
        "polyloop.search.schedule.searches:model",
        "what a learned cost model proposes: chains of annealing, of which the machine measures the best",
        ("cursor", "schedule"),
        extra="cost",
        needs=("lightgbm",),
    ),
    "policy": SearchEntry(
        "polyloop.gnn.proposals:search",
        "what a trained graph agent proposes",
        extra="gnn",
        needs=("torch", "torch_geometric", "safetensors"),
    ),
}


def _problem(name: str, value: object) -> str | None:
    if not isinstance(value, SearchEntry):
        return "it is no polyloop.search.registry.SearchEntry"
    if not value.spaces or not set(value.spaces) <= set(SPACES):
        return f"its spaces are {value.spaces!r}; spaces are {', '.join(SPACES)}"
    return None


SEARCHES = Table("polyloop.searches", _SEARCHES, _problem)
"""What ``--search`` takes."""


class UnknownSearchError(PolyloopError):
    """A search or a space that does not exist, does not go together, or needs what is not installed."""


def find_search(name: str, space: str | None = None) -> tuple[Search, str]:
    """The search of this name, and the space that it walks.

    Args:
        space: name of a space; the search's default if it is None.
    Raises:
        UnknownSearchError: if there is none; says what there is.
    """
    chosen = checked_space(name, space)
    try:
        return cast(Search, resolve_name(SEARCHES[name].function)), chosen
    except Exception as error:  # whatever a package's module does when it is imported
        where, kind = SEARCHES[name].function, type(error).__name__
        raise UnknownSearchError(f"the search {name} is {where}, which cannot be loaded: {kind}: {error}") from error


def checked_space(name: str, space: str | None) -> str:
    """The space that a search will walk; loads nothing.

    Raises:
        UnknownSearchError: as for `find_search`.
    """
    if name not in SEARCHES:
        raise UnknownSearchError(f"there is no search {name!r}; there are: {', '.join(SEARCHES)}")
    entry = SEARCHES[name]
    if space is not None and space not in entry.spaces:
        able = [other for other, candidate in SEARCHES.items() if space in candidate.spaces]
        instead = f"searches that can: {', '.join(able)}" if able else "no search of this version can"
        raise UnknownSearchError(f"the search {name} does not walk the space {space!r}; {instead}")
    missing = [module for module in entry.needs if find_spec(module) is None]
    if missing:
        install = f"; pip install 'polyloop[{entry.extra}]'" if entry.extra else ""
        raise UnknownSearchError(f"the search {name} needs {', '.join(missing)}, not installed here{install}")
    return space or entry.spaces[0]


CURSOR_SEARCH = "scripted"
CURSOR_SEARCHES = (
    "scripted",
    "random",
    "greedy1",
    "greedy2",
    "beam-dfs2",
    "beam-dfs4",
    "beam-bfs2",
    "beam-bfs4",
    "mcts",
    "anneal",
    "genetic",
    "model",
    "policy",
)
"""The searches of a nest of known sizes, which `polyloop tune` walks through with a cursor."""
