"""A leaderboard of policies on the held-out part of a split: nothing is taken at its word.

An entry is what one policy does with one seed: for every case its actions, by name, and what they come to. Whoever
reads an entry plays all actions again: each has to be legal, and the program and its gain have to be those of the
entry. The gain is the model's, the same everywhere; the seconds are of the machine on which the entry was made.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isclose
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

from polyloop.backend.machine.machine import machine_named
from polyloop.cursor.actions import Actions
from polyloop.envs.cursor_problems import open_case
from polyloop.errors import PolyloopError
from polyloop.search.cursor.baselines import CursorPolicy, Ended, Task
from polyloop.shipped.families import Case, held_out_cases
from polyloop.support.files import write_atomically

FORMAT = 1
LENGTH = 32
"""Steps of an episode, stopping aside."""

SPLITS = (4, 6, 8, 12, 16, 24, 32, 48, 64)
"""Factors of the splits: policies may know fewer."""

FLAGS = ("vectorize", "register_tile")
"""Further actions, of which the same holds."""

_ROUNDING = 1e-9
"""Mathematical functions differ so much from machine to machine."""


class LeaderboardError(PolyloopError):
    """An entry that is none, or that does not come to what it says; the message says where."""


@dataclass(frozen=True)
class Played:
    """What a policy has done with a case.

    Attributes:
        actions: by name.
        state: the loops at the end, as text.
        gain: over the original loops, as a share of the peak.
    """

    case: str
    actions: tuple[str, ...]
    state: str
    gain: float


@dataclass(frozen=True)
class Entry:
    """A policy with one seed.

    Attributes:
        limit: so many cases of the split, those that come first by hash; None for all.
        seconds: that the policy took, on the machine where the entry was made.
    """

    policy: str
    split: str
    split_seed: int
    limit: int | None
    seed: int
    seconds: float
    rows: tuple[Played, ...]

    @property
    def gain(self) -> float:
        """In the mean over all cases."""
        return mean(row.gain for row in self.rows)

    @property
    def place(self) -> tuple[str, int, int | None]:
        """What is compared: entries of one place are."""
        return self.split, self.split_seed, self.limit

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Entry:
        """Undo `dataclasses.asdict`.

        Raises:
            LeaderboardError: if it is something else.
        """
        try:
            rows = tuple(
                Played(str(r["case"]), tuple(map(str, r["actions"])), str(r["state"]), float(r["gain"]))
                for r in document["rows"]
            )
            words = str(document["policy"]), str(document["split"]), int(document["split_seed"])
            limit = None if document["limit"] is None else int(document["limit"])
            if not rows:
                raise ValueError("it has no rows")
            return cls(*words, limit, int(document["seed"]), float(document["seconds"]), rows)
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            raise LeaderboardError(f"this is no entry of a leaderboard: {error}") from error


def task_of(case: Case) -> Task:
    """A case's process and model."""
    return Task.of(open_case(case, Actions.of("native", FLAGS, splits=SPLITS), LENGTH), machine_named(case.machine))


def run(name: str, policy: CursorPolicy, place: tuple[str, int, int | None], seed: int) -> Entry:
    """What a policy makes of the cases of a split.

    Raises:
        LeaderboardError: for a policy that says of a state no actions that lead there.
    """
    rows, seconds = [], 0.0
    for case in held_out_cases(*place):
        task = task_of(case)
        began = time.perf_counter()
        ended = policy(task, seed)
        seconds += time.perf_counter() - began
        rows.append(played(case, task, ended))
    return Entry(name, *place, seed, round(seconds, 3), tuple(rows))


def played(case: Case, task: Task, ended: Ended) -> Played:
    """A row of an entry."""
    if ended.actions is None:
        raise LeaderboardError(f"{case.name}: no actions are known that lead to this program, so it cannot be replayed")
    names = tuple(task.process.names[action] for action in ended.actions)
    return Played(case.name, names, ended.state.text, task.gain(ended.state))


def verify(entry: Entry) -> None:
    """Play an entry again.

    Raises:
        LeaderboardError: if it is not of the cases of its split, if an action is not legal, or if it comes to something
            else.
    """
    expected = held_out_cases(*entry.place)
    if [case.name for case in expected] != [row.case for row in entry.rows]:
        raise LeaderboardError(f"{entry.policy}: its rows are not the cases of the split {entry.split}")
    for case, row in zip(expected, entry.rows, strict=True):
        task = task_of(case)
        process, where = task.process, f"{entry.policy}, seed {entry.seed}: {case.name}"
        state = process.initial()
        for number, name in enumerate(row.actions, start=1):
            action = process.names.index(name) if name in process.names else -1
            if (obstacle := process.obstacle(state, action)) is not None:
                raise LeaderboardError(f"{where}: action {number}, {name}, is not legal: {obstacle}")
            state = process.step(state, action)
        if state.text != row.state:
            raise LeaderboardError(f"{where}: its actions come to another program than it says")
        if not isclose(task.gain(state), row.gain, rel_tol=_ROUNDING, abs_tol=_ROUNDING):
            raise LeaderboardError(f"{where}: it gains {task.gain(state):.6f}, not {row.gain:.6f}")


def load(path: Path) -> tuple[Entry, ...]:
    """The entries of a file, played again; none of a file that is not there.

    Raises:
        LeaderboardError: if it cannot be read, or an entry does not come to what it says.
    """
    if not path.exists():
        return ()
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        found = tuple(Entry.from_json(entry) for entry in document["entries"])
    except OSError as error:
        raise LeaderboardError(f"{path}: no leaderboard can be read here: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        why = f"it has no {error}" if isinstance(error, KeyError) else error
        raise LeaderboardError(f"{path}: no leaderboard can be read here: {why}") from error
    if document.get("format") != FORMAT:
        raise LeaderboardError(f"{path}: format {document.get('format')!r}; this version reads {FORMAT}")
    for entry in found:
        verify(entry)
    return found


def save(path: Path, entries: Sequence[Entry]) -> None:
    """Write entries; of those of one policy, seed and place the last counts."""
    newest = {(entry.policy, entry.place, entry.seed): entry for entry in entries}
    document = {"format": FORMAT, "entries": [asdict(entry) for entry in newest.values()]}
    write_atomically(path, json.dumps(document, indent=1) + "\n")


@dataclass(frozen=True)
class Standing:
    """A line of the table: a policy over its seeds.

    Attributes:
        spread: standard deviation of the gain over the seeds.
        seconds: in the mean.
    """

    policy: str
    place: tuple[str, int, int | None]
    cases: int
    seeds: int
    gain: float
    spread: float
    seconds: float


def standings(entries: Sequence[Entry]) -> tuple[Standing, ...]:
    """The best first, place by place."""
    groups: dict[tuple[Any, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.place, entry.policy), []).append(entry)
    found = []
    for (place, policy), own in groups.items():
        gains = [entry.gain for entry in own]
        seconds = mean(entry.seconds for entry in own)
        found.append(Standing(policy, place, len(own[0].rows), len(own), mean(gains), pstdev(gains), seconds))
    return tuple(sorted(found, key=lambda each: (str(each.place), -each.gain)))
