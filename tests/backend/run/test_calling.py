"""Kernels called by position, with out=, and again with arrays that look the same: the fast way refuses what the slow
way refuses."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from polyloop.backend.errors import KernelArgumentError
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import F64
from polyloop.backend.ir.loop_nest import ArraySpec
from polyloop.backend.ir.vector_program import (
    Address,
    Arithmetic,
    For,
    Let,
    Load,
    Statement,
    Store,
    ValueType,
    VectorProgram,
)
from polyloop.backend.run import fast_call
from polyloop.backend.run.kernel import Kernel, compile_program

ONE = ValueType(F64)
N, AT = affine("N"), affine("i")


def add(*outputs: str, order: tuple[str, ...] = ()) -> Kernel:
    """outputs[...][i] = a[i] + b[i]."""
    x, y = (Let(name, Load(Address(name, (AT,), (0,)), ONE)) for name in "ab")
    total = Let("total", Arithmetic("+", (x.value, y.value), ONE))
    stores = (Store(Address(name, (AT,), (0,)), total.value) for name in outputs)
    body: tuple[Statement, ...] = (x, y, total, *stores)
    specs = [ArraySpec(name, F64, (N,), read_only=True) for name in "ab"] + [ArraySpec(o, F64, (N,)) for o in outputs]
    program = VectorProgram("add", ("N",), tuple(specs), (For("i", affine(0), N, 1, body),))
    return compile_program(program, order=order)


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return add("c")


def arrays(count: int = 3, size: int = 4) -> list[Any]:
    return [np.arange(size) + 10.0 * k for k in range(count)]


CALLS: list[Callable[[Kernel, Any, Any, Any], None]] = [
    lambda kernel, a, b, c: kernel(a, b, c),
    lambda kernel, a, b, c: kernel(a, b, out=c),
    lambda kernel, a, b, c: kernel(a, b, out=(c,)),
    lambda kernel, a, b, c: kernel(a=a, b=b, c=c),
    lambda kernel, a, b, c: kernel(c=c, b=b, a=a),
    lambda kernel, a, b, c: kernel(a, c=c, b=b),
    lambda kernel, a, b, c: kernel(a, b, c, N=4),
    lambda kernel, a, b, c: kernel(4, a, b, c),
    lambda kernel, a, b, c: kernel(4, a, b, out=c),
    lambda kernel, a, b, c: kernel(a=a, b=b, out=c),
    lambda kernel, a, b, c: kernel.bind(a, b, c)(),
    lambda kernel, a, b, c: kernel.bind(a, b, out=c)(),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_all_forms_of_a_call(kernel: Kernel, number: int) -> None:
    for _ in range(2):
        a, b, c = arrays()
        CALLS[number](kernel, a, b, c)
        assert c.tolist() == [10, 12, 14, 16]
        assert a.tolist() == [0, 1, 2, 3]


def test_several_outputs() -> None:
    kernel = add("c", "d")
    for _ in range(2):
        a, b, c, d = arrays(4)
        kernel(a, b, out=(c, d))
        assert c.tolist() == d.tolist() == [10, 12, 14, 16]
    with pytest.raises(KernelArgumentError, match=r"kernel add writes c, d, so out= takes 2 arrays, not 1$"):
        kernel(a, b, out=c)


def test_an_argument_called_out() -> None:
    kernel = add("out")
    for _ in range(2):
        a, b, c = arrays()
        kernel(a, b, out=c)
        assert c.tolist() == [10, 12, 14, 16]


def test_another_order() -> None:
    kernel = add("c", order=("n", "c", "b", "N", "a"))
    assert kernel.signature.order == ("c", "b", "N", "a")
    for twin in (kernel, pickle.loads(pickle.dumps(kernel))):
        for _ in range(2):
            a, b, c = arrays()
            twin(c, b, a)
            assert c.tolist() == [10, 12, 14, 16]
        a, b, c = arrays()
        twin(c[:2], b[:2], 2, a[:2])
        assert c.tolist() == [10, 12, 22, 23]


def strange(array: Any) -> Any:
    return array.view(type("Strange", (np.ndarray,), {}))


REFUSED: list[tuple[Callable[[Any, Any, Any], tuple[Any, ...]], str]] = [
    (lambda a, b, c: (a, b), "misses its argument 'c'; its arguments are N, a, b, c"),
    (lambda a, b, c: (a, b, c, c), "takes 3 arguments without a name (a, b, c), not 4"),
    (lambda a, b, c: (4.0, a, b, c), "takes an integer for N, not 4.0 (float)"),
    (lambda a, b, c: (None, a, b, c), "takes an integer for N, not NoneType"),
    (lambda a, b, c: (True, a, b, c), "takes an integer for N, not True (bool)"),
    (lambda a, b, c: (4, a, b, c, c), "takes 4 arguments without a name (N, a, b, c), not 5"),
    (lambda a, b, c: (a, b, c.astype("f")), "takes c as an array of float64, not of float32"),
    (lambda a, b, c: (a, b, c.view(">f8")), "takes c as an array of float64, not of >f8"),
    (lambda a, b, c: (a, b, c[:3]), "takes c of shape (N), that is (4) for N = 4; it has (3,)"),
    (lambda a, b, c: (a, b, c.reshape(2, 2)), "takes c with 1 dimensions, not with 2"),
    (lambda a, b, c: (a, b, np.zeros(8)[::2]), "takes c in C order without gaps; copy it there and back"),
    (lambda a, b, c: (a, b, np.zeros(33, "i1")[1:].view("f8")), "takes c aligned to its elements; pass a copy"),
    (lambda a, b, c: (a, b, np.frombuffer(bytes(32))), "writes to c, but the array is read-only"),
    (lambda a, b, c: (a, b, a), "takes arrays that do not overlap; a and c share memory"),
    (lambda a, b, c: (a, b, list(c)), "takes a numpy array of float64 for c, not list"),
    (lambda a, b, c: (a, b, 1.0), "takes a numpy array of float64 for c, not 1.0 (float)"),
    (lambda a, b, c: (a, b, (c,)), "takes one value for c, not a tuple"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_the_slow_way_refuses_the_fast_way_refuses(kernel: Kernel, number: int) -> None:
    change, message = REFUSED[number]
    a, b, c = arrays()
    kernel(a, b, c)
    assert kernel._fast is not None
    with pytest.raises(KernelArgumentError) as caught:
        kernel(*change(a, b, c))
    assert str(caught.value) == f"kernel add {message}"
    assert c.tolist() == [10, 12, 14, 16]


def test_arguments_given_twice(kernel: Kernel) -> None:
    a, b, c = arrays()
    with pytest.raises(KernelArgumentError, match="kernel add is given 'a' twice"):
        kernel(a, b, c, a=a)
    with pytest.raises(KernelArgumentError, match="kernel add is given 'c' twice"):
        kernel(a, b, c=c, out=c)
    with pytest.raises(KernelArgumentError, match=r"takes 2 arguments without a name \(a, b\), not 3"):
        kernel(a, b, c, out=c)


def test_other_arrays_of_the_same_look_and_of_another(kernel: Kernel) -> None:
    for size in (4, 4, 7, 7, 0, 0, 4):
        a, b, c = arrays(size=size)
        kernel(a, b, c)
        assert c.tolist() == [10 + 2 * k for k in range(size)]


def test_arrays_of_another_class(kernel: Kernel) -> None:
    a, b, c = arrays()
    kernel(a, b, c)
    kernel(strange(b), strange(b), strange(c))
    assert c.tolist() == [20, 22, 24, 26]


def test_neighbours_do_not_overlap(kernel: Kernel) -> None:
    whole = np.arange(12.0)
    for _ in range(2):
        kernel(whole[:4], whole[8:], whole[4:8])
        assert whole[4:8].tolist() == [8, 10, 12, 14]
        assert whole[8:].tolist() == [8, 9, 10, 11]
    with pytest.raises(KernelArgumentError, match="b and c share memory"):
        kernel(whole[:4], whole[7:11], whole[4:8])


def test_without_knowledge_of_the_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_call, "_layout_is_known", lambda: False)
    kernel = add("c")
    for _ in range(2):
        a, b, c = arrays()
        kernel(a, b, c)
        assert c.tolist() == [10, 12, 14, 16]
        assert kernel._fast is None


def test_the_layout_is_known_here() -> None:
    assert fast_call._layout_is_known()


def test_overlap_at_the_callers_risk() -> None:
    kernel = compile_program(add("c").program, assume_noalias=True)
    for _ in range(3):
        a, b, _unused = arrays()
        kernel(a, b, a)
        assert a.tolist() == [10, 12, 14, 16]
