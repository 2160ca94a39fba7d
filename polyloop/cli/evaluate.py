"""`polyloop evaluate`: a policy on problems that it was not trained on, beside searches or isl's scheduler."""

from __future__ import annotations

import argparse

from polyloop.cli import evaluate_cursor, evaluate_schedules
from polyloop.registration import CURSOR, SCHEDULE
from polyloop.terminal.errors import UsageError
from polyloop.terminal.learning import needs_torch, policy_path


def run(arguments: argparse.Namespace) -> int:
    """Evaluate as the command line says; returns the exit status.

    Raises:
        UsageError: for unknown names, and options that do not go together.
        PolyloopError: if there is no such policy, or torch is missing.
    """
    asked = _asked(arguments)
    needs_torch("evaluating a policy")
    from polyloop.gnn.agent import Agent  # torch takes seconds to load: other commands do not pay for it

    agent = Agent.load(policy_path(arguments.policy, "schedule" if asked == SCHEDULE else "cursor"))
    trained = agent.environment.id
    if trained not in (CURSOR, SCHEDULE) or asked not in (None, trained):
        wanted = asked or f"{CURSOR} and {SCHEDULE}"
        raise UsageError(f"--policy {arguments.policy} was trained in {trained}; policies of {wanted} are evaluated")
    return evaluate_cursor.run(arguments, agent) if trained == CURSOR else evaluate_schedules.run(arguments, agent)


def _asked(arguments: argparse.Namespace) -> str | None:
    """The environment: as given, else the one that the other options belong to; None if nothing says which."""
    schedules = arguments.kernels is not None or arguments.fold is not None
    asked: str | None = arguments.env or (SCHEDULE if schedules else None)
    if asked not in (None, CURSOR, SCHEDULE):
        raise UsageError(f"--env {asked}: policies of {CURSOR} and {SCHEDULE} are evaluated")
    if asked == CURSOR and schedules:
        raise UsageError(f"--kernels and --fold go with --env {SCHEDULE}")
    if asked == SCHEDULE and arguments.against:
        raise UsageError(f"--against goes with --env {CURSOR}; schedules are compared with isl's")
    return asked
