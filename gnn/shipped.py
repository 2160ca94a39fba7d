"""The trained policies that ship with polyloop, as searches.

They were trained by ``polyloop train``; the command and the curve stand in the JSON file beside the weights.
"""

from __future__ import annotations

from functools import cache

from polyloop.backend.machine.host import host_target
from polyloop.cursor.base import AnyCursor, AnyState
from polyloop.cursor.model import nest_model
from polyloop.cursor.process import NestCursor
from polyloop.gnn.agent import Agent
from polyloop.gnn.observers import CursorObserver
from polyloop.gnn.policies import Kind, shipped_path
from polyloop.gnn.policy_search import Policy, PolicyRollouts, Value
from polyloop.measure.programs import ModelledPrograms
from polyloop.models.learned import tree_model
from polyloop.search.cursor.objective import cursor_objective
from polyloop.search.run import Method

SURE = 1.1
"""So many times as fast as the original loops, by the learned model, has to be what takes their place. It errs by a
fifth; of 118 programs on one core, with AVX-512 and as an AVX2 machine, three were slower then."""


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


def answer(process: AnyCursor, walked: AnyState) -> AnyState:
    """What a policy's walk comes to, where nothing is measured: its end, the nest that needs no search, or the loops as
    they were written.

    A walk goes where the analytic model says that it is fast, and so also where that is wrong. The learned model of
    this machine, which knows what programs take, has the last word.
    """
    speed, first, other = _learned(process), process.initial(), process.default(host_target())
    best = max((walked, *(() if other is None else (other,))), key=speed)
    return best if speed(best) > SURE * speed(first) else first


def valued(process: AnyCursor) -> Value:
    """GFLOPS of a process's states by the analytic model of this machine."""
    return cursor_objective(process, ModelledPrograms(host_target().machine)).value


def modelled(process: AnyCursor) -> Value | None:
    """The same of a nest's states; None for trees, whose model knows little of what statements share."""
    return valued(process) if isinstance(process, NestCursor) else None


def _learned(process: AnyCursor) -> Value:
    """How often a second a state's program runs by the learned model of this machine."""
    model = tree_model(nest_model(host_target().machine))
    return lambda state: 1.0 / float(model.of_programs(process.problem, [state.program])[0])
