"""Matrix products (and products with a vector) of BLAS libraries, called from compiled code: MKL, MKL's JIT, OpenBLAS.

Each contestant is a `Bound` as a kernel of ours is, so that all are timed in the same compiled loop: its function is a
few instructions that take the library's arguments from slots. Libraries are used as they are installed; nothing is
built.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.machine.host import host_target
from polyloop.backend.run import jit
from polyloop.backend.run.kernel import Bound
from polyloop.errors import PolyloopError

_ROW_MAJOR, _PLAIN, _TRANSPOSED = 101, 111, 112


class MissingContestantError(PolyloopError):
    """A library that is not installed, or that cannot do what is asked; the message says which and why."""


@dataclass(frozen=True)
class Product:
    """C += op(A) op(B) on arrays in C order: op(A) is m x k, op(B) k x n.

    Attributes:
        transposed: whether A and B are stored transposed: A as k x m, B as n x k.
    """

    m: int
    n: int
    k: int
    transposed: tuple[bool, bool]
    a: NDArray[Any]
    b: NDArray[Any]
    c: NDArray[Any]

    @property
    def letter(self) -> str:
        """ "s" or "d", as the libraries call the types."""
        return "s" if self.a.dtype == np.float32 else "d"

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """By name."""
        return {"A": self.a, "B": self.b, "C": self.c}


def mkl(product: Product, threads: int) -> Bound:
    """cblas_?gemm of MKL, cblas_?gemv where B is a vector.

    Raises:
        MissingContestantError: where there is no MKL.
    """
    return _gemm(_mkl(threads), "", "", product, threads)


def openblas(product: Product, threads: int) -> Bound:
    """cblas_?gemm or cblas_?gemv of the OpenBLAS that numpy brings, or of the system's.

    Raises:
        MissingContestantError: where there is none.
    """
    return _gemm(*openblas_on(threads), product, threads)


def mkl_jit(product: Product, threads: int) -> Bound:
    """A kernel that MKL generates for these sizes. It runs on one thread.

    Raises:
        MissingContestantError: where there is no MKL, or where its JIT hands out its general code instead.
    """
    library, letter = _mkl(threads), product.letter
    scalar = ctypes.c_float if letter == "s" else ctypes.c_double
    create = _function(library, f"mkl_cblas_jit_create_{letter}gemm")
    create.restype = ctypes.c_int
    jitter = ctypes.c_void_p()
    ta, tb = (_TRANSPOSED if flag else _PLAIN for flag in product.transposed)
    sizes = (product.m, product.n, product.k)
    lda, ldb, ldc = _leading(product)
    one = scalar(1.0)
    status = create(ctypes.byref(jitter), _ROW_MAJOR, ta, tb, *sizes, one, lda, ldb, one, ldc)
    if status != 0:  # 1: what it returns is MKL's general code; 2: an error
        raise MissingContestantError("MKL's JIT generates no code for this processor or these sizes")
    get = _function(library, f"mkl_jit_get_{letter}gemm_ptr")
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    slots = (get(jitter), jitter.value or 0, *_pointers(product))
    destroy = _function(library, "mkl_jit_destroy")
    destroy.argtypes = [ctypes.c_void_p]
    text = define_thunk([("ptr", "fn jitter A B C")], "call void %fn(ptr %jitter, ptr %A, ptr %B, ptr %C)")
    return bound(text, slots, product.arrays, 1, _Owner(lambda: destroy(jitter)))


@cache
def find_mkl() -> Path | None:
    """MKL's single dynamic library, of PyPI's package `mkl` or of the system."""
    folders = (Path(sys.prefix) / "lib", Path(os.environ.get("MKLROOT", "/opt/intel/oneapi/mkl/latest")) / "lib")
    found = [path for folder in folders for path in sorted(folder.glob("libmkl_rt.so*"))]
    if found:
        return found[0]
    name = ctypes.util.find_library("mkl_rt")
    return Path(name) if name else None


@cache
def _mkl(threads: int) -> ctypes.CDLL:
    path = find_mkl()
    if path is None:
        raise MissingContestantError("MKL is not installed (pip install mkl)")
    # Read by MKL on its first call; its other layers bring OpenMP runtimes that may not be there.
    os.environ.setdefault("MKL_THREADING_LAYER", "SEQUENTIAL" if threads == 1 else "INTEL")
    library = ctypes.CDLL(str(path))
    library.MKL_Set_Num_Threads(threads)
    return library


def mkl_version() -> str | None:
    """What MKL says of itself: version, and the instructions it takes this processor to have."""
    try:
        library = _mkl(1)
    except MissingContestantError:
        return None
    text = ctypes.create_string_buffer(256)
    library.MKL_Get_Version_String(text, 256)
    return text.value.decode(errors="replace").strip()


_BRANCHES = {8: "SSE4_2", 9: "AVX", 10: "AVX2", 12: "AVX512", 14: "AVX512_E1"}
"""Names of the code paths that mkl_cbwr_get_auto_branch gives numbers (MKL's mkl_types.h)."""


def mkl_kernels() -> str | None:
    """The code path that MKL takes, by the name that MKL_ENABLE_INSTRUCTIONS has for it.

    Raises:
        MissingContestantError: where there is no MKL.
    """
    path = find_mkl()
    if path is None:
        raise MissingContestantError("MKL is not installed (pip install mkl)")
    return _BRANCHES.get(ctypes.CDLL(str(path)).MKL_CBWR_Get_Auto_Branch())


@cache
def numpys_openblas() -> tuple[ctypes.CDLL, str, str]:
    """The library, and what it puts before and behind the functions' names."""
    for path in _openblas_paths():
        try:
            library = ctypes.CDLL(path)
        except OSError:
            continue
        for prefix, suffix in (("scipy_", "64_"), ("scipy_", ""), ("", "64_"), ("", "")):
            if hasattr(library, f"{prefix}cblas_sgemm{suffix}"):
                return library, prefix, suffix
    raise MissingContestantError("OpenBLAS is not installed (numpy of PyPI brings it)")


def openblas_on(threads: int) -> tuple[ctypes.CDLL, str, str]:
    """The same, told to take so many threads, whoever calls it: numpy, too.

    Raises:
        MissingContestantError: where there is none.
    """
    library, prefix, suffix = numpys_openblas()
    _function(library, f"{prefix}openblas_set_num_threads{suffix}")(threads)
    return library, prefix, suffix


def _openblas_paths() -> Iterator[str]:
    beside = Path(np.__file__).parent.with_name("numpy.libs")
    yield from (str(path) for path in sorted(beside.glob("*openblas*.so*")))
    for package in ("scipy_openblas64", "scipy_openblas32"):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin:
            yield from (str(path) for path in sorted((Path(spec.origin).parent / "lib").glob("*.so*")))
    if name := ctypes.util.find_library("openblas"):
        yield name


def _function(library: ctypes.CDLL, name: str) -> Any:
    try:
        return getattr(library, name)
    except AttributeError:
        raise MissingContestantError(f"this {Path(library._name).name} has no function {name}") from None


def _leading(product: Product) -> tuple[int, int, int]:
    ta, tb = product.transposed
    return product.m if ta else product.k, product.k if tb else product.n, product.n


def _pointers(product: Product) -> tuple[int, int, int]:
    return product.a.ctypes.data, product.b.ctypes.data, product.c.ctypes.data


def _gemm(library: ctypes.CDLL, prefix: str, suffix: str, product: Product, threads: int) -> Bound:
    """The library's product of two matrices, or of a matrix and a vector where B is one."""
    ta, tb = (_TRANSPOSED if flag else _PLAIN for flag in product.transposed)
    element = "float" if product.letter == "s" else "double"
    integer = "i64" if suffix == "64_" else "i32"
    vector = product.n == 1
    name = f"{prefix}cblas_{product.letter}{'gemv' if vector else 'gemm'}{suffix}"
    function = ctypes.cast(_function(library, name), ctypes.c_void_p).value or 0
    if vector:
        rows, columns = product.a.shape
        words = (function, *_pointers(product), ta, rows, columns, columns)
        return bound(_gemv_text(element, integer), words, product.arrays, threads, library)
    slots = (function, *_pointers(product), ta, tb, product.m, product.n, product.k, *_leading(product))
    return bound(_gemm_text(element, integer), slots, product.arrays, threads, library)


@dataclass
class _Owner:
    """Frees what a library made for a contestant, when nobody calls it any more."""

    release: Callable[[], object]

    def __del__(self) -> None:
        self.release()


def bound(text: str, slots: tuple[int, ...], arrays: dict[str, NDArray[Any]], threads: int, owner: object) -> Bound:
    """A contestant from the text of a thunk and the words that it reads; `owner` is kept alive."""
    loaded = _thunk(text)
    words = (ctypes.c_int64 * len(slots))(*slots)
    return Bound(loaded.addresses["polyloop.thunk"], words, {}, arrays, threads, (loaded, owner))


@cache
def _thunk(text: str) -> jit.Loaded:
    return jit.load(jit.object_code(text, host_target(), optimize=False), ("polyloop.thunk",))


def _gemm_text(element: str, integer: str) -> str:
    """``fn(ROW_MAJOR, ta, tb, m, n, k, 1, A, lda, B, ldb, 1, C, ldc)``; slots: fn A B C ta tb m n k lda ldb ldc."""
    slots = ("ptr", "fn A B C"), ("i32", "ta tb"), (integer, "m n k lda ldb ldc")
    sizes = ", ".join(f"{integer} %{name}" for name in ("m", "n", "k"))
    one = f"{element} 1.0"
    arguments = (
        f"i32 {_ROW_MAJOR}, i32 %ta, i32 %tb, {sizes}, {one}, ptr %A, {integer} %lda, ptr %B, {integer} %ldb, {one}, "
        f"ptr %C, {integer} %ldc"
    )
    return define_thunk(slots, f"call void %fn({arguments})")


def _gemv_text(element: str, integer: str) -> str:
    """``fn(ROW_MAJOR, ta, rows, columns, 1, A, lda, B, 1, 1, C, 1)`` of the slots fn A B C ta rows columns lda."""
    slots = ("ptr", "fn A B C"), ("i32", "ta"), (integer, "rows columns lda")
    one, step = f"{element} 1.0", f"{integer} 1"
    sizes = f"{integer} %rows, {integer} %columns"
    operands = f"ptr %A, {integer} %lda, ptr %B, {step}, {one}, ptr %C, {step}"
    return define_thunk(slots, f"call void %fn(i32 {_ROW_MAJOR}, i32 %ta, {sizes}, {one}, {operands})")


def define_thunk(slots: Iterable[tuple[str, str]], call: str) -> str:
    """The text of a thunk that makes a call.

    Args:
        slots: types, and the names of the words of each that are loaded, in order.
    """
    words = [(name, kind) for kind, names in slots for name in names.split()]
    lines = []
    for number, (name, kind) in enumerate(words):
        lines.append(f"%{name}.at = getelementptr i64, ptr %slots, i64 {number}")
        lines.append(f"%{name} = load {kind}, ptr %{name}.at")
    return "\n".join(["define void @polyloop.thunk(ptr %slots) {", *lines, call, "ret void", "}", ""])


LIBRARIES: Mapping[str, Callable[[Product, int], Bound]] = {"mkl": mkl, "mkl-jit": mkl_jit, "openblas": openblas}
"""The contestants of this module: what makes one of a product and a number of threads."""
