"""What Cursor-v0 is made for: a workload, an expression or a C kernel, ready for a cursor."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from polyloop.cursor.actions import TREE_FLAGS, Actions
from polyloop.cursor.base import AnyCursor
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.process import NestCursor
from polyloop.cursor.tree_problem import TreeProblem
from polyloop.cursor.tree_process import TreeCursor
from polyloop.envs.argument_checks import check_value
from polyloop.envs.problems import EnvironmentArgumentError, frozen_sizes, is_path, kernel_scop
from polyloop.scop.model import Scop
from polyloop.shipped.families import Case
from polyloop.shipped.kernels import KernelInfo, kernel, kernel_names
from polyloop.shipped.workloads import is_workload, workload
from polyloop.tensors import einsum, tensor

Sizes: TypeAlias = tuple[tuple[str, int], ...]

_FORMS = (
    "a name in data/ ('CONV-1', 'gemm'), a C file's path, an expression ('C[m, n] += A[m, k] * B[k, n]' with sizes=), "
    "or {'einsum': 'mk,kn->mn', 'sizes': {'m': 256, 'k': 256, 'n': 128}}"
)


def open_cursor(
    given: str | Mapping[str, Any],
    sizes: Mapping[str, int] | str | None,
    *,
    actions: Actions | None = None,
    length: int | None = None,
    reassociate: bool | None = None,
) -> AnyCursor:
    """The cursor's process for a program.

    Args:
        given: a workload's or kernel's name, a path of a C file, an expression, or {"einsum" or "expression": text,
            "sizes": {dimension: size}}, whose loops stand in the order of the sizes.
        sizes: of the dimensions of an expression, or of a kernel's parameters; or a kernel's dataset.
        actions: which there are; native ones without flags by default.
        length: steps of an episode; None for one without an end, as searches take it.
        reassociate: reductions may be reordered; by default in tensor programs, not in C.
    Raises:
        PolyloopError: for anything that does not fit.
    """
    actions = actions or Actions()
    if isinstance(given, Mapping):
        kind, text, own = _unwrapped(given)
        return _opened(kind, text, own, actions, length, reassociate)
    kind = "workload" if is_workload(given) else "kernel" if _is_kernel(given) else "expression"
    if kind == "workload" and sizes is not None:
        raise EnvironmentArgumentError(
            f"workload={given!r} has its own sizes; sizes= goes with an expression or kernel"
        )
    # A file may change: its process is made anew.
    opened = _opened.__wrapped__ if kind == "kernel" and given not in kernel_names() else _opened
    return opened(kind, given, frozen_sizes(sizes), actions, length, reassociate)


def _is_kernel(text: str) -> bool:
    return text in kernel_names() or (is_path(text) and "[" not in text)


def _unwrapped(given: Mapping[str, Any]) -> tuple[str, str, Sizes]:
    keys = set(given)
    for kind in ("einsum", "expression"):
        if keys == {kind, "sizes"} and isinstance(given["sizes"], Mapping):
            check_value("sizes", given["sizes"], Mapping[str, int])
            return kind, str(given[kind]), tuple(given["sizes"].items())
    raise EnvironmentArgumentError(f"workload={dict(given)!r}: it has to be {_FORMS}")


@lru_cache(maxsize=128)
def _opened(
    kind: str, text: str, sizes: Sizes | str | None, actions: Actions, length: int | None, reassociate: bool | None
) -> AnyCursor:
    """Shared by all environments of one program: what a process has worked out stays known, which may be megabytes."""
    if kind == "kernel":
        return _tree_cursor(text, _kernel(text, sizes, bool(reassociate), actions), actions, length)
    free = reassociate if reassociate is not None else True
    scop, problem = _analysed(kind, text, sizes, free)
    if problem is not None and not set(actions.flags) & set(TREE_FLAGS):
        return NestCursor(problem, actions, length)
    if actions.is_looptune:
        raise EnvironmentArgumentError(
            f"workload={text!r}: compat='looptune' takes one contraction of known size, and this is none"
        )
    return _tree_cursor(text, TreeProblem(scop, (), free), actions, length)


def _tree_cursor(text: str, problem: TreeProblem, actions: Actions, length: int | None) -> TreeCursor:
    if not any(statement.depth for statement in problem.scop.statements):
        raise EnvironmentArgumentError(f"workload={text!r} has no loops that a cursor could walk on")
    return TreeCursor(problem, actions, length)


@lru_cache(
    maxsize=1 << 14
)  # more than data/ has, 20 kB each: a set is drawn from in any order, and proofs take longest
def _analysed(kind: str, text: str, sizes: Sizes | str | None, reassociate: bool) -> tuple[Scop, Contraction | None]:
    """A tensor program, and the contraction that it is if it is one."""
    scop = _tensor(kind, text, sizes)
    return scop, Contraction.of(scop, reassociate)


def _tensor(kind: str, text: str, sizes: Sizes | str | None) -> Scop:
    if kind == "workload":
        return workload(text).scop
    if isinstance(sizes, str) or (sizes is None and not text):
        raise EnvironmentArgumentError(f"sizes={sizes!r}: an expression takes a size for every dimension")
    known = dict(sizes or ())
    if kind == "einsum":
        return einsum(text, known, pairs=False)
    if "[" not in text:
        raise EnvironmentArgumentError(f"workload={text!r}: it has to be {_FORMS}")
    return tensor(text, known)


def _kernel(name: str, sizes: Sizes | str | None, reassociate: bool, actions: Actions) -> TreeProblem:
    if actions.is_looptune:
        raise EnvironmentArgumentError(f"kernel={name!r}: compat='looptune' takes tensor workloads only")
    scop, values = kernel_scop(name, sizes)
    return kernel_problem(scop, values, reassociate, kernel(name) if name in kernel_names() else None)


def kernel_problem(scop: Scop, values: Mapping[str, int], reassociate: bool, shipped: KernelInfo | None) -> TreeProblem:
    """A region of C at sizes of its parameters; `shipped` is the kernel that it is, if it is one."""
    operations = None
    if shipped is not None and all(parameter in values for parameter in shipped.parameters):
        # A shipped kernel's formula counts exactly what a box around a triangle only bounds.
        operations = shipped.flops({name: values[name] for name in shipped.parameters})
    return TreeProblem(scop, tuple(values.items()), reassociate, operations)


def open_case(case: Case, actions: Actions, length: int | None = None) -> AnyCursor:
    """The cursor's process for a case's problem; see `open_cursor`."""
    given = case.problem.options
    return open_cursor(given.get("workload") or given["kernel"], given.get("sizes"), actions=actions, length=length)
