"""`polyloop leaderboard run|add|show`: policies on held-out problems, every row of which is played again."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from polyloop.gnn.policies import shipped_path
from polyloop.registration import CURSORS
from polyloop.search.cursor.baselines import BASELINES, Ended, Task
from polyloop.terminal.errors import UsageError
from polyloop.terminal.learning import SHIPPED, needs_torch
from polyloop.terminal.option_types import count, natural, option
from polyloop.terminal.output import Progress, destination

if TYPE_CHECKING:
    from polyloop.bench.leaderboard import Standing
    from polyloop.search.cursor.baselines import CursorPolicy

POLICIES = "untuned,constant,greedy,beam-4,random-50,played-teacher"
"""What runs if nobody says."""


def add_leaderboard_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``polyloop leaderboard``."""
    option(
        parser,
        "action run|add|show",
        "run: play policies, and add what they come to; add: add the entries of other files; show: the table",
        choices=("run", "add", "show"),
    )
    option(parser, "files FILE", "with add: files that leaderboard run has written", nargs="*")
    option(parser, "-o --output FILE", "the leaderboard (default leaderboard.json)", default="leaderboard.json")
    option(
        parser,
        "--policy NAME[,...]",
        f"baselines ({', '.join(BASELINES)}), folders of training runs, or shipped (default {POLICIES})",
        default=POLICIES,
    )
    option(parser, "--split NAME", "whose held-out cases (default family)", default="family")
    option(parser, "--split-seed N", "of its problems (default 0)", type=natural, default=0)
    option(parser, "--seeds N", "of every policy (default 1)", type=count, default=1)
    option(parser, "--limit N", "take N cases, which come first by hash", type=count)


def run(arguments: argparse.Namespace) -> int:
    """Do as the command line says; returns the exit status.

    Raises:
        UsageError: for options that do not go together.
        PolyloopError: if an entry does not come to what it says.
    """
    from polyloop.bench import leaderboard

    if bool(arguments.files) != (arguments.action == "add"):
        raise UsageError("files go with: leaderboard add FILE ...")
    path = Path(arguments.output)
    if arguments.action != "show" and destination("-o", arguments.output, None).path is None:
        raise UsageError("a leaderboard is a file: give its name instead of -")
    if arguments.action == "show" and not path.exists():
        raise UsageError(f"there is no leaderboard {path}; leaderboard run writes one")
    entries = list(leaderboard.load(path))
    if arguments.action == "add":
        for file in arguments.files:
            if not Path(file).exists():
                raise UsageError(f"there is no file {file}")
            entries += leaderboard.load(Path(file))
    if arguments.action == "run":
        place = arguments.split, arguments.split_seed, arguments.limit
        with Progress("leaderboard") as line:
            names = [name for name in arguments.policy.split(",") if name]
            if not names:
                raise UsageError("--policy names nobody who is to play")
            for name, policy in [(name, _policy(name)) for name in names]:  # so that a wrong name is found at once
                for seed in range(arguments.seeds):
                    line.update(f"{name}, seed {seed}")
                    entries.append(leaderboard.run(name, policy, place, seed))
                    leaderboard.verify(entries[-1])
                    leaderboard.save(path, entries)  # so that an interrupted run leaves what it has
    if arguments.action != "show":
        leaderboard.save(path, entries)
        entries = list(leaderboard.load(path))
    print("\n".join(_table(leaderboard.standings(entries))))
    return 0


def _policy(name: str) -> CursorPolicy:
    if name in BASELINES:
        return BASELINES[name]
    if name != SHIPPED and not any(Path(f"{name}{suffix}").exists() for suffix in ("", ".json")):
        raise UsageError(
            f"--policy {name}: there are the baselines {', '.join(BASELINES)}, {SHIPPED}, and folders of training runs"
        )
    needs_torch("playing a trained policy")
    from polyloop.gnn.agent import Agent  # loads torch, which takes seconds: other commands do not pay for it
    from polyloop.gnn.held_out import walk

    agent = Agent.load(shipped_path("cursor") if name == SHIPPED else Path(name))
    if agent.environment.id not in CURSORS:
        raise UsageError(
            f"--policy {name} was trained in {agent.environment.id}; there are policies of the cursor only"
        )

    def played(task: Task, seed: int) -> Ended:
        return walk(agent.network, agent.environment, task)

    return played


def _table(rows: Sequence[Standing]) -> list[str]:
    lines = [f"{'policy':<24}{'gain':>8}{'spread':>8}{'seeds':>7}{'cases':>7}{'seconds':>10}  split"]
    for row in rows:
        name, seed, _ = row.place
        figures = f"{100 * row.gain:>8.2f}{100 * row.spread:>8.2f}{row.seeds:>7}{row.cases:>7}{row.seconds:>10.2f}"
        lines.append(f"{row.policy:<24}{figures}  {name}, seed {seed}")
    return [
        *lines,
        "gain: % of the peak over the original loops, by the models of the machines; every row was replayed",
    ]
