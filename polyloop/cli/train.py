"""`polyloop train`: an agent learns in one of the environments."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyloop.cli.learning_options import add_train_options
from polyloop.gnn.policies import ON_POLICY
from polyloop.registration import CURSOR_1, CURSORS, ENVIRONMENTS
from polyloop.shipped.families import split
from polyloop.shipped.kernels import kernel_fold, kernel_names
from polyloop.shipped.workloads import PRODUCTS
from polyloop.terminal.errors import UsageError
from polyloop.terminal.learning import needs_torch
from polyloop.terminal.option_types import given_options
from polyloop.terminal.output import STANDARD_OUTPUT
from polyloop.terminal.output import Progress as StatusLine

if TYPE_CHECKING:
    from polyloop.gnn.imitation import ImitationSettings
    from polyloop.gnn.training import Progress, TrainingSettings

SPLIT_SEED = 0
"""Of the problems of a split that are trained on."""

FEWEST = 8
"""Environments of a process that learns at least: what asking the network costs hardly depends on their number."""

OF_A_CALL = {"resume", "minutes", "tensorboard"}
"""Options that are not settings of a run."""

EVERYTHING: tuple[dict[str, Any], ...] = (
    {"split": "family", "seed": SPLIT_SEED, "each": 100},
    {"drawn": 2000, "seed": SPLIT_SEED},
)
"""What Cursor-v1 is learnt on unless somebody says otherwise: what the split `family` does not hold out, and as often
programs of no family; every episode's machine is drawn."""


def run(arguments: argparse.Namespace) -> int:
    """Train as the command line says; returns the exit status.

    Raises:
        UsageError: for options that do not go together.
        PolyloopError: if the environment, the problems or the run's folder are not there.
    """
    _check(arguments)
    needs_torch("training")
    from polyloop.gnn import training  # torch takes seconds to load: other commands do not pay for it

    if arguments.resume is not None:
        folder = Path(arguments.resume)
        settings = training.read_settings(folder)
    else:
        settings = _settings(arguments)
        folder = Path(arguments.output or f"runs/{arguments.algo}-{arguments.seed}")
    seconds = 60 * arguments.minutes if arguments.minutes is not None else float("inf")
    try:
        with StatusLine(f"{settings.algorithm} on {settings.environment.id}") as line:
            looks = _Looks(settings.checkpoint, None if arguments.resume is not None else 0)

            def show(now: Progress) -> None:
                line.update(_words(now))
                looks(now)

            end = training.train(
                settings,
                folder,
                seconds=seconds,
                resume=arguments.resume is not None,
                progress=show,
                board=training.TensorBoard(folder) if arguments.tensorboard else None,
                said=line.update,
            )
    except KeyboardInterrupt:
        if training.newest_checkpoint(folder) is not None:
            print(f"polyloop: what was learnt is in {folder}; --resume {folder} goes on", file=sys.stderr)
        raise
    print(f"{_words(end)}; the policy is in {folder}")
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Whatever is given has to mean something beside the rest.

    Raises:
        UsageError: for an option that would do nothing.
    """
    given = given_options(arguments, add_train_options)
    if arguments.resume is not None:
        if others := sorted(given - OF_A_CALL):
            raise UsageError(
                f"--{others[0].replace('_', '-')} does not go with --resume: the settings of a run stay, --steps among "
                "them; --minutes and --tensorboard are of this call"
            )
        return
    if arguments.minutes is None and arguments.steps is None:
        raise UsageError("say when to stop: --minutes or --steps")
    if arguments.env not in ENVIRONMENTS:
        raise UsageError(f"--env {arguments.env}: agents are trained in {', '.join(ENVIRONMENTS)}")
    if arguments.output == STANDARD_OUTPUT:
        raise UsageError("-o -: a run is a folder: give its name instead of -")
    cursor, elsewhere = arguments.env in CURSORS, bool(arguments.kernels or arguments.drawn)
    from_split = arguments.split or (arguments.env == CURSOR_1 and not (arguments.set or elsewhere))
    from_sets = cursor and (arguments.set or not (elsewhere or from_split))
    blind = arguments.encoder in ("vector", "rows", "attention")
    for name, does_something, what in (
        ("each", from_split, "goes with --split: it says how many problems there are of each family"),
        ("validate", from_split, "goes with --split, which alone says what nothing is learnt from"),
        ("hold_out", from_sets, "goes with --set: it takes workloads out of sets"),
        ("fold", arguments.kernels is not None or not cursor, "goes with --kernels: it leaves kernels out"),
        ("layouts", arguments.imitate is not None, "goes with --imitate"),
        ("traces", arguments.imitate is None, "and --imitate are two sources of what is copied: give one"),
        ("no_edges", not blind, f"goes with graphs, which --encoder {arguments.encoder} does not see"),
    ):
        if name in given and not does_something:
            raise UsageError(f"--{name.replace('_', '-')} {what}")


class _Looks:
    """A line for every look at a run (the iteration that comes by a checkpoint) where standard output is no terminal,
    so that a log says how it goes; in a terminal the status line does.

    Args:
        every: steps between checkpoints.
        passed: checkpoints that were passed before, where that is known: what a run goes on from is no news.
    """

    def __init__(self, every: int, passed: int | None) -> None:
        self._every, self._passed = every, passed

    def __call__(self, now: Progress) -> None:
        here = now.steps // self._every
        if here > (here if self._passed is None else self._passed) and not sys.stdout.isatty():
            print(_words(now), flush=True)
        self._passed = here


def _settings(arguments: argparse.Namespace) -> TrainingSettings:
    from polyloop.gnn.encoders import EncoderSettings, Kind
    from polyloop.gnn.environments import EnvironmentSettings
    from polyloop.gnn.training import TrainingSettings

    best = {"returns": "best"} if arguments.env == CURSOR_1 else {}
    given = {"evaluator": arguments.evaluator, **best, **_pairs("--argument", arguments.argument)}
    if "observation" in given:
        raise UsageError(f"--argument observation={given['observation']}: --encoder says what is observed")
    kind: Kind = arguments.encoder or ("transformer" if arguments.env in CURSORS else "gatv2")
    if kind != "vector":
        given["observation"] = "rows" if kind in ("rows", "attention") else "graph"
    if arguments.reward is not None:
        given["reward"] = arguments.reward
    problems = tuple(_problems(arguments))
    environment = EnvironmentSettings(
        arguments.env,
        given,
        problems,
        arguments.environments,
        arguments.processes,
        arguments.bootstrap,
        arguments.restarts,
        arguments.row,
    )
    encoder = EncoderSettings(kind, width=arguments.width, layers=arguments.layers, edges=not arguments.no_edges)
    return TrainingSettings(
        environment,
        arguments.algo,
        encoder,
        _pairs("--setting", arguments.setting),
        arguments.seed,
        arguments.rate_end,
        arguments.steps,
        arguments.checkpoint,
        imitation=_imitation(arguments),
        begin=arguments.begin,
        # Only a split says which problems nothing is learnt from.
        held_out=arguments.validate if any("split" in problem for problem in problems) else 0,
        device=arguments.device,
        workers=_workers(arguments),
    )


def _workers(arguments: argparse.Namespace) -> int:
    """How many processes learn, where nobody says so: as many as there are cores, if each gets enough environments."""
    if arguments.workers is not None or arguments.algo not in ON_POLICY or arguments.processes:
        return arguments.workers or 1
    count = arguments.environments
    most = min(len(os.sched_getaffinity(0)), count // FEWEST)
    return next((workers for workers in range(most, 1, -1) if count % workers == 0), 1)


def _imitation(arguments: argparse.Namespace) -> ImitationSettings | None:
    from polyloop.gnn.imitation import ImitationSettings

    if arguments.imitate is not None:
        return ImitationSettings(arguments.imitate, 10 * arguments.imitate, layouts=arguments.layouts)
    return None if arguments.traces is None else ImitationSettings(traces=arguments.traces)


def _problems(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """What episodes are drawn from; by default all there is to train on."""
    from polyloop.gnn.environments import training_problems

    cursor = arguments.env in CURSORS
    if arguments.split is not None and arguments.env != CURSOR_1:
        raise UsageError(f"--split names problems on machines, which {arguments.env} does not take; see {CURSOR_1}")
    if arguments.machine is not None and arguments.env != CURSOR_1:
        raise UsageError(f"--machine: {arguments.env} takes no machine; see {CURSOR_1}")
    if arguments.set is not None and not cursor:
        raise UsageError(f"--set names workloads, which {arguments.env} does not take; see --kernels")
    alone = not (arguments.set or arguments.kernels or arguments.drawn)
    if arguments.env == CURSOR_1 and alone and not arguments.split:
        each = {} if arguments.each is None else {"each": arguments.each}
        family, drawn = ({**entry, "machine": arguments.machine or "random"} for entry in EVERYTHING)
        return [{**family, **each}, drawn]
    chosen = _splits(arguments)
    if arguments.drawn is not None:
        chosen.append({"drawn": arguments.drawn, "seed": SPLIT_SEED})
    names: Sequence[str] = arguments.set.split(",") if arguments.set else []
    if not names and arguments.kernels is None and cursor and not chosen:
        names = [PRODUCTS]
    without = arguments.hold_out.split(",") if arguments.hold_out else []
    for name in names:
        training_problems(name, without)  # so that an unknown name is found before anything starts
        chosen.append({"set": name, "without": without} if without else {"set": name})
    if arguments.kernels is not None or not cursor:
        kernels = kernel_names() if arguments.kernels in (None, "all") else arguments.kernels.split(",")
        held = kernel_fold(arguments.fold) if arguments.fold is not None else ()
        chosen += [{"kernel": name} for name in kernels if name not in held]
    return chosen if arguments.machine is None else [{**entry, "machine": arguments.machine} for entry in chosen]


def _splits(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Problems of families."""
    names = [name for name in (arguments.split or "").split(",") if name]
    for name in names:
        split(name)  # so that an unknown name is found before anything starts
    each = {} if arguments.each is None else {"each": arguments.each}
    return [{"split": name, "seed": SPLIT_SEED, **each} for name in names]


def _pairs(option: str, given: Sequence[str]) -> dict[str, Any]:
    """NAME=VALUE as a dictionary; a value that is no JSON is text."""
    result: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise UsageError(f"{option} {text}: it has to be NAME=VALUE")
        try:
            result[name] = json.loads(value)
        except json.JSONDecodeError:
            result[name] = value
    return result


def _words(now: Progress) -> str:
    figures: Mapping[str, Any] = asdict(now)["figures"]
    shown = "".join(f", {name} {value:.3g}" for name, value in figures.items())
    beside = ", ".join(f"{name} {gain:.4f}" for name, gain in now.baselines.items())
    held_out = "" if now.held_out is None else f", held out {now.held_out:.4f} ({beside})"
    returned = f", return {now.mean_return:.4f}" if now.episodes else ""
    return f"{now.steps} steps, {now.episodes} episodes, {now.seconds:.0f} s{returned}{held_out}{shown}"
