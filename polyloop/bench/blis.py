"""BLIS as a contestant: of PyPI's package `blis`, which has the library inside an extension module, or of the system.

References: Van Zee and van de Geijn, "BLIS: A Framework for Rapidly Instantiating BLAS Functionality", TOMS 2015.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

from polyloop.backend.run.kernel import Bound
from polyloop.bench.blas import MissingContestantError, Product, bound, define_thunk

BLIS = "blis"

VARIABLE = "BLIS_ARCH_TYPE"
"""The name of the kernels that BLIS takes ("skx"); since 0.9 it reads this itself, for older ones we do."""


_POINTERS = "fn A B C one context"


def blis(product: Product, threads: int) -> Bound:
    """bli_?gemm_ex of BLIS, bli_?gemv_ex where B is a vector.

    Raises:
        MissingContestantError: where there is no BLIS, or where it has no threads or not the kernels asked for.
    """
    library = _library()
    if threads > 1 and not library.bli_info_get_enable_threading():
        raise MissingContestantError("this build of BLIS runs on one thread only")
    library.bli_thread_set_num_threads(ctypes.c_int64(threads))
    (ta, tb), vector = product.transposed, product.n == 1
    scalar = ctypes.c_float if product.letter == "s" else ctypes.c_double
    one = scalar(1.0)
    function = getattr(library, f"bli_{product.letter}{'gemv' if vector else 'gemm'}_ex")
    pointers = (product.a.ctypes.data, product.b.ctypes.data, product.c.ctypes.data, ctypes.addressof(one))
    # A transposed operand is one of other strides.
    a = (1, product.m) if ta else (product.k, 1)
    b = (1, product.k) if tb else (product.n, 1)
    sizes = (product.m, product.k) if vector else (product.m, product.n, product.k)
    strides = a if vector else (*a, *b, product.n)
    words = (ctypes.cast(function, ctypes.c_void_p).value or 0, *pointers, _context(library) or 0, *sizes, *strides)
    text = (_gemv_text if vector else _gemm_text)(f"i{_text_of(library.bli_info_get_int_type_size_str)}")
    return bound(text, words, product.arrays, threads, (library, one))


def kernels() -> str:
    """The name of the kernels that it takes.

    Raises:
        MissingContestantError: where there is no BLIS.
    """
    return os.environ.get(VARIABLE) or _chosen(_library())


@cache
def find_blis() -> str | None:
    """The library: a path, or a name that the system's loader finds."""
    spec = find_spec(BLIS)
    if spec is not None and spec.origin:
        found = sorted(Path(spec.origin).parent.glob("cy*.so"))
        if found:
            return str(found[0])
    return ctypes.util.find_library(BLIS)


@cache
def _library() -> ctypes.CDLL:
    path = find_blis()
    if path is None:
        raise MissingContestantError("BLIS is not installed (pip install blis)")
    library = ctypes.CDLL(path)
    if not hasattr(library, "bli_sgemm_ex"):
        raise MissingContestantError(f"{Path(path).name} has no function bli_sgemm_ex")
    library.bli_init()
    return library


def blis_version() -> str | None:
    """What BLIS says of itself; None where there is none."""
    try:
        return _text_of(_library().bli_info_get_version_str)
    except MissingContestantError:
        return None


def _context(library: ctypes.CDLL) -> int | None:
    """What makes a call take the kernels that `VARIABLE` names; None where BLIS takes them by itself."""
    name = os.environ.get(VARIABLE, "")
    if name in ("", _chosen(library)):
        return None
    number = _number(library, name)
    lookup = next((f for f in ("bli_gks_lookup_nat_cntx", "bli_gks_lookup_id") if hasattr(library, f)), None)
    # The lookup itself would read a table that has nothing at this number.
    if number is None or lookup is None or not hasattr(library, f"bli_cntx_init_{name}"):
        raise MissingContestantError(f"this build of BLIS has no kernels called {name}")
    function = getattr(library, lookup)
    function.restype = ctypes.c_void_p
    context: int | None = function(number)
    return context


def _number(library: ctypes.CDLL, name: str) -> int | None:
    """BLIS's number of an architecture. Its table of names ends with "generic"."""
    for number in count():
        if (found := _architecture(library, number)) == name:
            return number
        if found == "generic":
            break
    return None


def _architecture(library: ctypes.CDLL, number: int) -> str:
    library.bli_arch_string.restype = ctypes.c_char_p
    return str(library.bli_arch_string(number).decode())


def _chosen(library: ctypes.CDLL) -> str:
    return _architecture(library, library.bli_arch_query_id())


def _text_of(function: Any) -> str:
    function.restype = ctypes.c_char_p
    return str(function().decode())


def _gemm_text(integer: str) -> str:
    """``fn(0, 0, m, n, k, one, A, rsa, csa, B, rsb, csb, one, C, ldc, 1, context, NULL)``; 0: not transposed."""
    words = "m n k rsa csa rsb csb ldc"
    m, n, k, rsa, csa, rsb, csb, ldc = (f"{integer} %{word}" for word in words.split())
    operands = f"ptr %A, {rsa}, {csa}, ptr %B, {rsb}, {csb}, ptr %one, ptr %C, {ldc}, {integer} 1"
    call = f"call void %fn(i32 0, i32 0, {m}, {n}, {k}, ptr %one, {operands}, ptr %context, ptr null)"
    return define_thunk([("ptr", _POINTERS), (integer, words)], call)


def _gemv_text(integer: str) -> str:
    """``fn(0, 0, rows, columns, one, A, rsa, csa, B, 1, one, C, 1, context, NULL)``."""
    words = "rows columns rsa csa"
    rows, columns, rsa, csa = (f"{integer} %{word}" for word in words.split())
    operands = f"ptr %A, {rsa}, {csa}, ptr %B, {integer} 1, ptr %one, ptr %C, {integer} 1"
    call = f"call void %fn(i32 0, i32 0, {rows}, {columns}, ptr %one, {operands}, ptr %context, ptr null)"
    return define_thunk([("ptr", _POINTERS), (integer, words)], call)
