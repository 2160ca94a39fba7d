"""Lanes that are loaded or stored one by one become one access with a stride."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from polyloop.backend.c.arrays import without_dead
from polyloop.backend.c.strided import with_strides
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import F64
from polyloop.backend.ir.loop_nest import ArraySpec
from polyloop.backend.ir.vector_program import Address, Let, Load, Statement, Store, Value, ValueType
from tests.helpers.vector_programs import at, program, run

ONE, ALL = ValueType(F64), ValueType(F64, 4)
NAMES = ("A", "B")


def packed(places: Sequence[tuple[int, int]]) -> list[Statement]:
    lets: list[Statement] = [Let(f"a{k}", Load(at("A", *place, stride=0), ONE)) for k, place in enumerate(places)]
    return [*lets, Let("x", v.Pack(tuple(Value(f"a{k}", ONE) for k in range(4)), ALL))]


def unpacked(places: Sequence[tuple[int, int]]) -> list[Statement]:
    body: list[Statement] = []
    for lane, place in enumerate(places):
        body.append(Let(f"b{lane}", v.Lane(Value("x", ALL), lane, ONE)))
        body.append(Store(at("B", *place, stride=0), Value(f"b{lane}", ONE)))
    return body


def addresses(body: Sequence[Statement]) -> list[tuple[str, Address]]:
    """Of accesses of vectors."""
    loads = [("load", s.operation) for s in body if isinstance(s, Let) and isinstance(s.operation, Load)]
    found = [(kind, load.address) for kind, load in loads if load.type == ALL]
    return found + [("store", s.address) for s in body if isinstance(s, Store) and s.value.type == ALL]


@pytest.mark.parametrize("apart", [(1, 0), (1, 2), (2, -1), (0, 1)])
def test_the_same_elements_are_moved(apart: tuple[int, int]) -> None:
    places = [(k * apart[0], 5 + k * apart[1]) for k in range(4)]
    body = [*packed(places), *unpacked(places)]
    made = without_dead(with_strides(body))
    begin = (affine(0), affine(5))
    assert addresses(made) == [("load", Address("A", begin, apart)), ("store", Address("B", begin, apart))]
    assert not any(isinstance(s, Let) and isinstance(s.operation, v.Lane) for s in made)
    arrays = tuple(ArraySpec(name, F64, (affine(12), affine(12))) for name in NAMES)
    results = []
    for each in (tuple(body), made):
        values = {name: np.arange(144.0).reshape(12, 12) * (k + 1) for k, name in enumerate(NAMES)}
        run(program(arrays, *each), N=1, **values)
        results.append(values)
    assert all(np.array_equal(results[0][name], results[1][name]) for name in NAMES)
    assert not np.array_equal(results[0]["B"], np.arange(144.0).reshape(12, 12) * 2)


def test_uneven_places_stay() -> None:
    places = [(0, 0), (1, 0), (2, 0), (4, 0)]
    body = (*packed(places), *unpacked(places))
    assert with_strides(body) == body


def test_loads_stay_in_front_of_stores_to_their_array() -> None:
    *loads, pack = packed([(k, 0) for k in range(4)])
    store = Store(at("A", 1, 0), Value("a0", ONE))
    for between in (store, v.For("j", affine(0), affine(3), 1, (store,))):
        body = (*loads, between, pack)
        assert with_strides(body) == body
    inside = v.For("j", affine(0), affine(3), 1, (pack, store))
    assert with_strides((*loads, inside)) == (*loads, inside)


def test_loads_outside_of_a_loop_are_found() -> None:
    *loads, pack = packed([(k, 0) for k in range(4)])
    (*_, made) = with_strides((*loads, v.For("j", affine(0), affine(3), 1, (pack,))))
    assert isinstance(made, v.For)
    assert addresses(made.body) == [("load", Address("A", (affine(0), affine(0)), (1, 0)))]


def test_stores_with_something_between_them_stay() -> None:
    *before, last, store = unpacked([(k, 0) for k in range(4)])
    for between in (Store(at("B", 3, 0), Value("a0", ONE)), Let("y", Load(at("B", 2, 0), ONE))):
        body = (*packed([(k, 0) for k in range(4)]), *before, between, last, store)
        assert addresses(with_strides(body)) == [("load", Address("A", (affine(0), affine(0)), (1, 0)))]


def test_lanes_out_of_order_stay() -> None:
    stores = unpacked([(k, 0) for k in range(4)])
    body = (Let("x", Load(at("A", 0, 0), ALL)), *stores[2:4], *stores[:2], *stores[4:])
    assert with_strides(body) == body


def test_lanes_that_a_loop_carries_stay() -> None:
    places = [(k, 0) for k in range(4)]
    carried = tuple(v.Carried(f"c{k}", ONE, Value("zero", ONE), Value(f"b{k}", ONE), f"r{k}") for k in range(4))
    (loop,) = with_strides([v.For("i", affine(0), affine(2), 1, (*packed(places), *unpacked(places)), carried)])
    assert isinstance(loop, v.For)
    assert {s.name for s in loop.body if isinstance(s, Let) and isinstance(s.operation, v.Lane)} == {
        "b0",
        "b1",
        "b2",
        "b3",
    }
    assert ("store", Address("B", (affine(0), affine(0)), (1, 0))) in addresses(loop.body)
