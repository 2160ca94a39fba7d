"""`polyloop evaluate`: a policy on problems that it was not trained on, beside searches or isl's scheduler."""

from __future__ import annotations

import argparse

from polyloop.cli import evaluate_cursor, evaluate_schedules, evaluate_split
from polyloop.cli.learning_options import add_evaluate_options
from polyloop.registration import CURSOR, CURSORS, SCHEDULE, SCHEDULES
from polyloop.terminal.errors import UsageError
from polyloop.terminal.learning import needs_torch, policy_path
from polyloop.terminal.option_types import given_options

OF_ALL = {"policy", "env", "limit", "seed", "json"}
OF_SCHEDULES = {"kernels", "fold", "proposals", "post_processing", "pool"}
OF_SPLITS = {"split", "walks", "against"}
OF_SETS = {"set", "walks", "against", "compared", "budget"}
"""Options of what can be evaluated, by their names as attributes."""

WALKS_OF_SPLIT = 1
"""How wide the policy's search is on a split unless somebody says: on chains of statements, that of products
(`polyloop.gnn.evaluation.WALKS`) takes most of a second."""


def run(arguments: argparse.Namespace) -> int:
    """Evaluate as the command line says; returns the exit status.

    Raises:
        UsageError: for unknown names, and options that do not go together.
        PolyloopError: if there is no such policy, or torch is missing.
    """
    asked = _asked(arguments)
    needs_torch("evaluating a policy")
    from polyloop.gnn.agent import Agent  # torch takes seconds to load: other commands do not pay for it
    from polyloop.gnn.evaluation import WALKS

    agent = Agent.load(policy_path(arguments.policy, "schedule" if asked in SCHEDULES else "cursor"))
    trained = agent.environment.id
    if trained not in (*CURSORS, *SCHEDULES) or (asked is not None and (asked in CURSORS) != (trained in CURSORS)):
        wanted = asked or f"{CURSOR} and {SCHEDULE}"
        raise UsageError(f"--policy {arguments.policy} was trained in {trained}; policies of {wanted} are evaluated")
    if trained in SCHEDULES:
        _check(arguments, OF_SCHEDULES, f"the policy was trained in {trained}")
        return evaluate_schedules.run(arguments, agent)
    _check(arguments, OF_SPLITS if arguments.split else OF_SETS, f"the policy was trained in {trained}")
    asked_for: int | None = arguments.walks
    if arguments.split is not None:
        return evaluate_split.run(arguments, agent, WALKS_OF_SPLIT if asked_for is None else asked_for)
    return evaluate_cursor.run(arguments, agent, WALKS if asked_for is None else asked_for)


def _asked(arguments: argparse.Namespace) -> str | None:
    """The environment: as given, else the one that the other options belong to; None if nothing says which.

    Raises:
        UsageError: for options that belong to different ones.
    """
    schedules = arguments.kernels is not None or arguments.fold is not None
    asked: str | None = arguments.env or (SCHEDULE if schedules else CURSOR if arguments.split else None)
    if asked not in (None, *CURSORS, *SCHEDULES):
        raise UsageError(f"--env {asked}: policies of {CURSOR} and {SCHEDULE} are evaluated")
    if asked in SCHEDULES:
        _check(arguments, OF_SCHEDULES, "schedules are evaluated on kernels, beside isl's")
    elif arguments.split:
        _check(arguments, OF_SPLITS, "with --split the models of its machines say what programs are worth")
    elif asked in CURSORS:
        _check(arguments, OF_SETS, f"policies of {asked} are evaluated on workloads, see --set and --split")
    return asked


def _check(arguments: argparse.Namespace, known: set[str], why: str) -> None:
    """
    Raises:
        UsageError: for an option that would do nothing.
    """
    if others := sorted(given_options(arguments, add_evaluate_options) - known - OF_ALL):
        raise UsageError(f"--{others[0].replace('_', '-')} does nothing here: {why}")
