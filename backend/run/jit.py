"""IR text -> object code -> callable addresses, and what compiled code runs on.

Two ways through LLVM:

- ``auto_vectorize`` programs (scalar loops, the baseline) get the O3 pipeline that clang runs.
- Explicit SIMD programs get no optimizer: loops are already in the shape that code generation wants, and O1 to O3 give
  kernels that are no faster (matrix products, stencils). Only calls of the C library are simplified, as clang does.

Object code is kept on disk under a hash of everything that it depends on.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import hashlib
import itertools
import os
import re
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

import llvmlite
from llvmlite import binding as llvm

from polyloop.backend.errors import CompileError
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.llvm.printer import print_llvm
from polyloop.backend.machine.host import host_target, initialize_llvm, target_machine
from polyloop.backend.machine.target import Target
from polyloop.backend.run.kept_files import keep, read_private

_PIPELINE = "1"  # counts changes of what `_optimized` does
_ELF_MAGIC = b"\x7fELF"
_DECLARED = re.compile(r"^declare .*@(\w+)\(", re.MULTILINE)
_RUNTIME = {"GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads", "aligned_alloc", "free"}
_LIBRARY_NUMBERS = itertools.count()


def emit(
    program: VectorProgram,
    target: Target | None = None,
    kind: str = "obj",
    *,
    threads: int = 1,
    contract: bool = True,
    comments: bool = False,
    entry: str = "",
) -> str | bytes:
    """The program as "llvm" (IR after optimization, text), "asm" (text) or "obj" (ELF object, bytes).

    Args:
        comments: in assembly, say what is a spill and where loops are.
        entry: IR of a function that calls the program's (`polyloop.backend.llvm.entry`).
    """
    target = target or host_target()
    text = print_llvm(program, target, threads=threads, contract=contract) + entry
    return emitted(_optimized(text, target, program.auto_vectorize), target, kind, comments)


def emitted(module: llvm.ModuleRef, target: Target, kind: str, comments: bool = False) -> str | bytes:
    """A module as text or as an object; see `emit`."""
    machine = target_machine(target.triple, target.cpu, target.features)
    match kind:
        case "llvm":
            return str(module)
        case "asm":
            machine.set_asm_verbosity(comments)
            return str(machine.emit_assembly(module))
        case "obj":
            return bytes(machine.emit_object(module))
        case _:
            raise ValueError(f"kind is {kind!r}; it must be 'llvm', 'asm' or 'obj'")


def object_code(
    ir_text: str, target: Target, *, optimize: bool, cache_directory: Path | None = None, assembled: bool = False
) -> bytes:
    """Compile IR text, or take the result of an earlier compilation from the cache.

    Args:
        optimize: run LLVM's O3 pipeline before code generation.
        cache_directory: where object code is kept; None: nowhere.
        assembled: the text is assembly and nothing else (`print_asm.assembly_module`): code generation has nothing to
            do, and the fewer of its passes are set up, the sooner it is done.
    Raises:
        CompileError: if LLVM rejects the text.
    """
    path = None
    if cache_directory is not None:
        path = cache_directory / "objects" / (cache_key(ir_text, target, optimize) + ".o")
        if (cached := read_cached(path)) is not None:
            return cached
    module = _optimized(ir_text, target, optimize)
    machine = target_machine(target.triple, target.cpu, target.features, 0 if assembled else 3)
    code = bytes(machine.emit_object(module))
    if path is not None:
        write_cached(path, code)
    return code


def cache_key(ir_text: str, target: Target, optimize: bool) -> str:
    """A hash of everything that object code depends on."""
    version = ".".join(map(str, llvm.llvm_version_info))
    parts = (
        _PIPELINE,
        llvmlite.__version__,
        version,
        target.triple,
        target.cpu,
        target.features,
        str(optimize),
        ir_text,
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@dataclass(frozen=True)
class Loaded:
    """Functions of linked object code. Their addresses are valid as long as this object lives."""

    addresses: dict[str, int]
    tracker: object


def load(code: bytes, functions: tuple[str, ...]) -> Loaded:
    """Link object code into this process and look its functions up.

    Raises:
        CompileError: if a function that the code calls does not exist in this process.
    """
    builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
    for name, address in threads_runtime().items():
        builder.import_symbol(name, address)
    for function in functions:
        builder.export_symbol(function)
    try:
        tracker = builder.link(_linker(), f"polyloop.{next(_LIBRARY_NUMBERS)}")
    except RuntimeError as error:
        raise CompileError(f"the compiled code cannot be linked: {error}") from error
    return Loaded({name: tracker[name] for name in functions}, tracker)


def check_functions(ir_text: str) -> None:
    """See that every function which the code calls exists in this process.

    Raises:
        CompileError: naming the first that does not.
    """
    process = _process()
    for name in _DECLARED.findall(ir_text):
        if name not in threads_runtime() and not hasattr(process, name):
            raise CompileError(
                f"the kernel calls {name}(), which neither libm nor this process has; "
                "load the library that has it with ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)"
            )


def _optimized(ir_text: str, target: Target, optimize: bool) -> llvm.ModuleRef:
    initialize_llvm()
    try:
        module = llvm.parse_assembly(ir_text)
        module.verify()
    except RuntimeError as error:
        raise CompileError(f"LLVM rejects the generated code: {error}") from error
    calls = set(_DECLARED.findall(ir_text)) - _RUNTIME
    if not (optimize or calls):
        return module
    machine = target_machine(target.triple, target.cpu, target.features)
    # Target analyses need the layout; the text names the triple only.
    module.data_layout = str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    options.loop_interleaving = options.loop_unrolling = True
    builder = llvm.create_pass_builder(machine, options)
    if optimize:
        passes = builder.getModulePassManager()
    else:
        # LLVM replaces some calls by others (pow(x, 2.0) by x * x, pow(2.0, x) by exp2(x)) that round otherwise. Doing
        # so here, too, keeps results equal to those of the scalar loops and of clang.
        passes = llvm.create_new_module_pass_manager()
        passes.add_instruction_combine_pass()
    passes.run(module, builder)
    return module


def read_cached(path: Path) -> bytes | None:
    """Object code of an earlier compilation. An entry (checksum, code) that does not fit its checksum is discarded."""
    content = read_private(path)
    if content is None:
        return None
    checksum, code = content[:32], content[32:]
    if code.startswith(_ELF_MAGIC) and hashlib.sha256(code).digest() == checksum:
        return code
    path.unlink(missing_ok=True)
    return None


def write_cached(path: Path, code: bytes) -> None:
    """Keep object code, behind its checksum."""
    keep(path, hashlib.sha256(code).digest() + code)


@cache
def _linker() -> llvm.LLJIT:
    initialize_llvm()
    _process()
    # LLVM's other linker lays the sections of an object where there is room, which in a large process is further apart
    # than 32-bit offsets reach: it ends the process then.
    return llvm.create_lljit_compiler(use_jit_link=True, suppress_errors=True)


@cache
def _process() -> ctypes.CDLL:
    """The running process, with libm in it (Python may have been linked without), and libmvec where it is there."""
    for library in ("m", "mvec"):
        if name := ctypes.util.find_library(library):
            ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(None)


def has_vector_library() -> bool:
    """Whether the C library has functions for vectors (glibc's libmvec, on x86-64)."""
    return hasattr(_process(), "_ZGVbN2v_exp")


# --- What parallel loops run on: libgomp where it is installed, else a pool of this module ----------------------------
# Code generated for parallel loops calls three functions of the OpenMP runtime; compiled code is linked to whichever
# implementation there is. A region of libgomp costs about a microsecond. The pool's threads are Python's, so that a
# region costs some tens of microseconds; in between compiled code runs without Python's lock. Regions inside of
# regions run on one thread in both.


Region: TypeAlias = "Callable[[int], None]"
"""A compiled ``void (data)``; each thread of a team calls it once."""

_NAMES = ("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads")
_REGION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_PARALLEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint)
_NUMBER = ctypes.CFUNCTYPE(ctypes.c_int)


@cache
def threads_runtime() -> dict[str, int]:
    """Addresses of the functions that parallel loops call."""
    return libgomp() or own_runtime()


@cache
def libgomp() -> dict[str, int]:
    """Those of GNU's runtime; empty where it is missing."""
    name = ctypes.util.find_library("gomp") or "libgomp.so.1"
    try:
        library = ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
        return {f: ctypes.cast(library[f], ctypes.c_void_p).value or 0 for f in _NAMES}
    except (OSError, AttributeError):
        return {}


@cache
def own_runtime() -> dict[str, int]:
    """Those of the pool."""
    pool = _POOL
    functions = (_PARALLEL(pool.run), _NUMBER(pool.number), _NUMBER(pool.count))
    pool.kept.extend(functions)
    return {
        name: ctypes.cast(function, ctypes.c_void_p).value or 0
        for name, function in zip(_NAMES, functions, strict=True)
    }


class Pool:
    """Teams of threads: the caller is number 0. Threads are started when they are first needed, and kept."""

    def __init__(self) -> None:
        self.kept: list[object] = []  # what compiled code may call as long as this process lives
        self._team = threading.local()
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        """A forked process has none of the threads."""
        self._executor: ThreadPoolExecutor | None = None
        self._workers = 0
        self._lock = threading.Lock()

    def number(self) -> int:
        """This thread's number in its team."""
        return int(getattr(self._team, "number", 0))

    def count(self) -> int:
        """How many threads this thread's team has."""
        return int(getattr(self._team, "count", 1))

    def run(self, function: int, data: int, count: int, _flags: int = 0) -> None:
        """Call ``function(data)`` once as each member of a team of `count`, and wait for all."""
        region: Region = _REGION(function)
        if count <= 1 or self.count() > 1:
            self._member(region, data, 0, 1)
            return
        started: list[Future[None]] = []
        left = list(range(1, count))
        while left:
            try:
                started.append(self._submit(count, region, data, left[0]))
            except RuntimeError:  # no more threads: what is left is done here, one after the other
                break
            left.pop(0)
        for number in (0, *left):
            self._member(region, data, number, count)
        for future in started:
            future.result()

    def _submit(self, count: int, region: Region, data: int, number: int) -> Future[None]:
        with self._lock:
            if self._executor is None or self._workers < count - 1:
                # One that is too small ends by itself when its last region does.
                self._workers = count - 1
                self._executor = ThreadPoolExecutor(self._workers, "polyloop")
            return self._executor.submit(self._member, region, data, number, count)

    def _member(self, region: Region, data: int, number: int, count: int) -> None:
        before = self.number(), self.count()
        self._team.number, self._team.count = number, count
        try:
            region(data)
        finally:
            self._team.number, self._team.count = before


_POOL = Pool()
