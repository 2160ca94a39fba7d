"""The trained policies that ship with polyloop, as searches.

They were trained by ``polyloop train``; the command and the curve stand in the JSON file beside the weights.
"""

from __future__ import annotations

from functools import cache

from polyloop.backend.machine.host import host_target
from polyloop.cursor.base import AnyCursor
from polyloop.cursor.process import NestCursor, NestState
from polyloop.gnn.agent import Agent
from polyloop.gnn.observers import CursorObserver
from polyloop.gnn.policies import Kind, shipped_path
from polyloop.gnn.policy_search import Policy, PolicyRollouts, Value
from polyloop.measure.programs import ModelledPrograms
from polyloop.search.cursor.objective import cursor_objective
from polyloop.search.cursor.scripted import Scripted
from polyloop.search.run import Method


@cache
def shipped_agent(kind: Kind) -> Agent:
    """A policy that ships with polyloop.

    Raises:
        PolyloopError: if none of that kind does.
    """
    return Agent.load(shipped_path(kind))


def cursor_policy(process: AnyCursor, agent: Agent | None = None) -> Method:
    """The search ``policy`` for a cursor on any program: the likeliest walk comes first, then others drawn from the
    policy, until the budget ends. Of a walk the end is measured, or the nest that the model of this machine takes for
    its best.

    For `polyloop.search.run.search`, with an objective of `polyloop.search.cursor.objective`:

        actions = shipped_agent("cursor").environment.cursor_actions
        process = open_cursor("C[m, n] += A[m, k] * B[k, n]", {"m": 256, "k": 256, "n": 256}, actions=actions)
        found = search(cursor_objective(process, evaluator), cursor_policy(process), Budget(seconds=1.0))

    Args:
        process: with or without an end; without one walks are as long as the episodes that the agent was trained on.
        agent: of Cursor-v0 or Cursor-v1; the one that ships with polyloop by default.
    Raises:
        PolyloopError: if there is no such policy, or the process lacks actions that it knows.
    """
    agent = agent or shipped_agent("cursor")
    policy = Policy(agent, CursorObserver(process, agent.environment))
    return PolicyRollouts(policy, steps=agent.environment.cursor_length, value=modelled(process))


def fallback(process: AnyCursor) -> NestState | None:
    """What takes the place of a policy's nests where the model of this machine says that it is faster: a policy knows
    the machines that it was trained for."""
    return Scripted(process.problem).first() if isinstance(process, NestCursor) else None


def modelled(process: AnyCursor) -> Value | None:
    """GFLOPS of a nest's states by the model of this machine; None for trees, whose model knows little of what
    statements share."""
    if not isinstance(process, NestCursor):
        return None
    return cursor_objective(process, ModelledPrograms(host_target().machine)).value
