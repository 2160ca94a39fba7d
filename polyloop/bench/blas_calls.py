"""What somebody with a BLAS library at hand writes in place of the shipped kernels of linear algebra: C that calls it.

Every function takes the arguments of the kernel of its name. Arrays are in C order. CBLAS is told so. LAPACK is not: it
takes them for their transposes, of which a lower triangle is the upper one, so that nothing is copied or transposed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass

from polyloop.bench.blas import numpys_openblas, openblas_on


@dataclass(frozen=True)
class Call:
    """The call, or the calls, that do what a kernel does.

    Attributes:
        body: C; ``F(name)`` is the library's function of CBLAS, ``L(name)`` that of LAPACK, I its integers.
        functions: the names, for people.
    """

    body: str
    functions: str


_C, _N, _T, _UPPER, _LOWER, _UNIT, _PLAIN, _LEFT = "101", "111", "112", "121", "122", "132", "131", "141"


def _gemv(rows: str, columns: str, alpha: str, matrix: str, x: str, beta: str, y: str, *, transposed: bool) -> str:
    sizes = f"{rows}, {columns}, {alpha}, {matrix}, {columns}, {x}, 1, {beta}, {y}, 1"
    return f"F(dgemv)({_C}, {_T if transposed else _N}, {sizes});"


def _lapack(name: str, more: str) -> str:
    return f"I order = n, info; L({name})({more});"


CALLS: Mapping[str, Call] = {
    "gemm": Call(f"F(dgemm)({_C}, {_N}, {_N}, ni, nj, nk, alpha, A, nk, B, nj, beta, C, nj);", "dgemm"),
    "syrk": Call(f"F(dsyrk)({_C}, {_LOWER}, {_N}, n, m, alpha, A, m, beta, C, n);", "dsyrk"),
    "syr2k": Call(f"F(dsyr2k)({_C}, {_LOWER}, {_N}, n, m, alpha, A, m, B, m, beta, C, n);", "dsyr2k"),
    "symm": Call(f"F(dsymm)({_C}, {_LEFT}, {_LOWER}, m, n, alpha, A, m, B, n, beta, C, n);", "dsymm"),
    "trmm": Call(f"F(dtrmm)({_C}, {_LEFT}, {_LOWER}, {_T}, {_UNIT}, m, n, alpha, A, m, B, n);", "dtrmm"),
    "cholesky": Call(_lapack("dpotrf", '"U", &order, A, &order, &info, 1'), "dpotrf"),
    "lu": Call(
        "static I pivots[1 << 16]; " + _lapack("dgetrf", "&order, &order, A, &order, pivots, &info"),
        "dgetrf, which looks for pivots, too",
    ),
    "trisolv": Call(
        f"F(dcopy)(n, b, 1, x, 1); F(dtrsv)({_C}, {_LOWER}, {_N}, {_PLAIN}, n, L, n, x, 1);", "dcopy and dtrsv"
    ),
    "atax": Call(
        _gemv("m", "n", "1.0", "A", "x", "0.0", "tmp", transposed=False)
        + _gemv("m", "n", "1.0", "A", "tmp", "0.0", "y", transposed=True),
        "dgemv twice",
    ),
    "bicg": Call(
        _gemv("n", "m", "1.0", "A", "r", "0.0", "s", transposed=True)
        + _gemv("n", "m", "1.0", "A", "p", "0.0", "q", transposed=False),
        "dgemv twice",
    ),
    "mvt": Call(
        _gemv("n", "n", "1.0", "A", "y1", "1.0", "x1", transposed=False)
        + _gemv("n", "n", "1.0", "A", "y2", "1.0", "x2", transposed=True),
        "dgemv twice",
    ),
    "gesummv": Call(
        _gemv("n", "n", "alpha", "A", "x", "0.0", "y", transposed=False)
        + _gemv("n", "n", "beta", "B", "x", "1.0", "y", transposed=False),
        "dgemv twice",
    ),
    "gemver": Call(
        f"F(dger)({_C}, n, n, 1.0, u1, 1, v1, 1, A, n); F(dger)({_C}, n, n, 1.0, u2, 1, v2, 1, A, n);"
        + _gemv("n", "n", "beta", "A", "y", "1.0", "x", transposed=True)
        + "F(daxpy)(n, 1.0, z, 1, x, 1);"
        + _gemv("n", "n", "alpha", "A", "x", "1.0", "w", transposed=False),
        "dger twice, dgemv twice, daxpy",
    ),
}
"""By kernel."""

LEVELS: Mapping[str, tuple[str, ...]] = {
    "level 3": ("gemm", "syrk", "syr2k", "symm", "trmm"),
    "factors and solves": ("cholesky", "lu", "trisolv"),
    "level 2": ("atax", "bicg", "mvt", "gesummv", "gemver"),
}
"""All kernels, as BLAS sorts them."""

_PROTOTYPES = """
void F(dgemm)(int, int, int, I, I, I, double, const double *, I, const double *, I, double, double *, I);
void F(dsyrk)(int, int, int, I, I, double, const double *, I, double, double *, I);
void F(dsyr2k)(int, int, int, I, I, double, const double *, I, const double *, I, double, double *, I);
void F(dsymm)(int, int, int, I, I, double, const double *, I, const double *, I, double, double *, I);
void F(dtrmm)(int, int, int, int, int, I, I, double, const double *, I, double *, I);
void F(dtrsv)(int, int, int, int, I, const double *, I, double *, I);
void F(dgemv)(int, int, I, I, double, const double *, I, const double *, I, double, double *, I);
void F(dger)(int, I, I, double, const double *, I, const double *, I, double *, I);
void F(dcopy)(I, const double *, I, double *, I);
void F(daxpy)(I, double, const double *, I, double *, I);
void L(dpotrf)(const char *, const I *, double *, const I *, I *, unsigned long);
void L(dgetrf)(const I *, const I *, double *, const I *, I *, I *);
"""


def c_text(kernel: str, function: str, parameters: str) -> str:
    """A C file with the calls in place of a kernel, for the OpenBLAS that is there.

    Args:
        function: the kernel's C function.
        parameters: its parameters as C declares them, arrays as pointers.
    Raises:
        MissingContestantError: where there is no OpenBLAS.
    """
    _, prefix, suffix = numpys_openblas()
    names = f"#define F(name) {prefix}cblas_##name##{suffix}\n#define L(name) {prefix}##name##_{suffix}\n"
    integer = f"typedef {'long long' if suffix else 'int'} I;"
    return f"{integer}\n{names}{_PROTOTYPES}\nvoid {function}({parameters})\n{{\n    {CALLS[kernel].body}\n}}\n"


def open_to_all() -> None:
    """Make the library's functions known to what is loaded from now on, and let it run on one thread.

    Raises:
        MissingContestantError: where there is no OpenBLAS.
    """
    library, _, _ = openblas_on(1)
    ctypes.CDLL(library._name, mode=ctypes.RTLD_GLOBAL)
