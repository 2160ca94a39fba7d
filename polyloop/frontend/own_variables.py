"""Variables of a function that nothing reads behind a region, nor before the region has set them: they are its own.

C of all times declares what a loop computes with at the top of the function. Where no value of such a scalar, or of an
array that nothing else names, leaves the region it is as if it were declared inside: schedules and lanes may have as
many of it as they like.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import replace
from math import prod

import islpy as isl
from pycparser import c_ast

from polyloop.backend.ir.expressions import Access
from polyloop.frontend.regions import Found, exposed_read, flat
from polyloop.frontend.scopes import FunctionNames, parameters_of, walk_nodes
from polyloop.scop.affine_isl import affine_to_text
from polyloop.scop.model import Array, Scop
from polyloop.scop.program import Program, Statement

_SMALL = 1 << 15
"""Bytes of an array that kernels have on their stacks and lanes have more of; a larger one stays where it is."""


def with_own_variables(
    scop: Scop, found: Found, names: FunctionNames, private: frozenset[str] = frozenset(), others: bool = True
) -> Scop:
    """The Scop with such variables marked as its own.

    Args:
        names: what the function does with its names.
        private: variables, arrays among them, that are known to be nobody else's and to be read by nobody afterwards.
        others: look for others, too.
    """
    assert scop.source is not None
    addresses = dict(scop.source.addresses)
    written = scop.written
    chosen = set[str]()
    for array in scop.arrays:
        name = array.name
        if array.local or name not in written or name in names.address_taken:
            continue
        if name != re.sub(r"^&|(\[0\])+$", "", addresses[name]) or any(extent is None for extent in array.shape):
            continue
        if array.shape:
            last = others and _is_small(array) and _is_used_here_alone(name, found)
        else:
            last = others and is_automatic(name, found) and exposed_read(name, found) is None
        if name in private or last:
            chosen.add(name)
    chosen -= read_before(scop, chosen) if chosen else set()
    if not chosen:
        return scop
    arrays = tuple(replace(a, local=True, may_alias=False) if a.name in chosen else a for a in scop.arrays)
    kept = tuple(entry for entry in scop.source.addresses if entry[0] not in chosen)
    counters = (*scop.source.counters, *sorted(chosen))
    return replace(scop, arrays=arrays, source=replace(scop.source, addresses=kept, counters=counters))


def _is_small(array: Array) -> bool:
    elements = prod(extent.constant if extent is not None and extent.is_constant else _SMALL for extent in array.shape)
    return array.type.bytes * elements <= _SMALL


def _is_used_here_alone(name: str, found: Found) -> bool:
    """Whether it is an array of the function's own that nothing outside of the region names."""
    inside = {id(n) for item in found.items for n in walk_nodes(item)}
    nodes = [n for n in walk_nodes(found.function) if id(n) not in inside]
    declared = [n for n in nodes if isinstance(n, c_ast.Decl) and n.name == name]
    nodes += [n for value in found.leaving for n in walk_nodes(value)]
    own = len(declared) == 1 and isinstance(declared[0].type, c_ast.ArrayDecl) and is_automatic(name, found)
    return own and not any(isinstance(n, c_ast.ID) and n.name == name for n in nodes)


def is_automatic(name: str, found: Found) -> bool:
    """Whether it is a variable of this call of the function alone."""
    declared = (node for block in found.before for node in flat(block))
    own = [d for d in declared if isinstance(d, c_ast.Decl) and d.name == name]
    if own:
        return not {"static", "extern"} & set(own[-1].storage)
    return any(p.name == name and isinstance(p.type, c_ast.TypeDecl) for p in parameters_of(found.function))


def read_before(scop: Program, arrays: Set[str]) -> set[str]:
    """Those of which an element's value from before the Scop may be read."""
    length = max(len(s.schedule) for s in scop.statements)
    order = isl.UnionMap(f"[{', '.join(scop.parameters)}] -> {{ }}")
    reads, writes = order, order
    killing = [s for s in scop.statements if s.target.array in arrays and s.kills and not s.conditional]
    for s in scop.statements:
        found = [access for access in s.reads if access.array in arrays]
        found = [access for access in found if not any(_sets_first(writer, s, access) for writer in killing)]
        kills = s in killing
        if not found and not kills:
            continue
        rows = [affine_to_text(row) for row in s.schedule] + ["0"] * (length - len(s.schedule))
        order = order.union(scop.map_to(s, f"[{', '.join(rows)}]"))
        for access in found:
            reads = reads.union(scop.access_map(s, access))
        if kills:
            writes = writes.union(scop.access_map(s, s.target))
    if reads.is_empty():
        return set()
    # It takes seconds for straight lines of code, of which nothing comes here.
    flow = isl.UnionAccessInfo.from_sink(reads).set_must_source(writes).set_schedule_map(order).compute_flow()
    left: set[str] = set()
    flow.get_must_no_source().foreach_map(
        lambda each: None if each.is_empty() else left.add(each.get_tuple_name(isl.dim_type.out))
    )
    return left


def _sets_first(writer: Statement, statement: Statement, access: Access) -> bool:
    """Whether an iteration that reads an element has set it before in one of the loops around both statements."""
    depth = len(writer.iterators)
    rows = list(zip(writer.schedule, statement.schedule, strict=False))
    at = next((k for k, (first, second) in enumerate(rows) if first != second), len(rows))
    if access != writer.target or writer.iterators != statement.iterators[:depth] or at == len(rows):
        return False
    if not all(row.is_constant for row in (*rows[at], *writer.schedule[at:])) or access.data:
        return False
    instances = statement.domain.project_out(isl.dim_type.set, depth, len(statement.iterators) - depth)
    before = rows[at][0].constant < rows[at][1].constant
    return before and bool(instances.set_tuple_name(writer.name).is_subset(writer.domain))
