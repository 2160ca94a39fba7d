"""`polyloop evaluate`: a policy on problems that it was not trained on, beside searches or isl's scheduler."""

from __future__ import annotations

import argparse

from polyloop.cli import evaluate_cursor, evaluate_schedules, evaluate_split
from polyloop.cli.learning_options import add_evaluate_options
from polyloop.registration import CONSTRUCT, CURSORS, ENVIRONMENTS, EXPLORE, SCHEDULES
from polyloop.terminal.errors import UsageError
from polyloop.terminal.learning import needs_torch, policy_path
from polyloop.terminal.option_types import given_options

KERNELS = (*SCHEDULES, CONSTRUCT, EXPLORE)
"""Environments whose policies schedule kernels."""

OF_ALL = {"policy", "env", "limit", "seed", "json"}
OF_KERNELS = {"kernels", "fold", "proposals", "post_processing", "pool"}
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

    agent = Agent.load(policy_path(arguments.policy, "schedule" if set(asked) <= set(KERNELS) else "cursor"))
    trained = agent.environment.id
    if trained not in asked:
        wanted = ", ".join(asked)
        raise UsageError(f"--policy {arguments.policy} was trained in {trained}; policies of {wanted} are evaluated")
    if trained in KERNELS:
        _check(arguments, OF_KERNELS, f"the policy was trained in {trained}")
        return evaluate_schedules.run(arguments, agent)
    _check(arguments, OF_SETS if arguments.split is None else OF_SPLITS, f"the policy was trained in {trained}")
    asked_for: int | None = arguments.walks
    if arguments.split is not None:
        return evaluate_split.run(arguments, agent, WALKS_OF_SPLIT if asked_for is None else asked_for)
    return evaluate_cursor.run(arguments, agent, WALKS if asked_for is None else asked_for)


def _asked(arguments: argparse.Namespace) -> tuple[str, ...]:
    """The environments that the policy may be of: all versions of what is given, else those that the other options
    belong to.

    Raises:
        UsageError: for options that belong to different ones.
    """
    given: str | None = arguments.env
    if given not in (None, *ENVIRONMENTS):
        raise UsageError(f"--env {given}: policies of {', '.join(ENVIRONMENTS)} are evaluated")
    if given in KERNELS or (given is None and (arguments.kernels is not None or arguments.fold is not None)):
        _check(arguments, OF_KERNELS, "schedules are evaluated on kernels, beside isl's")
        return KERNELS if given is None else SCHEDULES if given in SCHEDULES else (given,)
    if arguments.split is not None:
        _check(arguments, OF_SPLITS, "with --split the models of its machines say what programs are worth")
        return CURSORS
    if given is None:
        return tuple(ENVIRONMENTS)
    _check(arguments, OF_SETS, f"policies of {given} are evaluated on workloads, see --set and --split")
    return CURSORS


def _check(arguments: argparse.Namespace, known: set[str], why: str) -> None:
    """
    Raises:
        UsageError: for an option that would do nothing.
    """
    if others := sorted(given_options(arguments, add_evaluate_options) - known - OF_ALL):
        raise UsageError(f"--{others[0].replace('_', '-')} does nothing here: {why}")
