"""Running one computation in every form there is, on the same data: interpreter, JIT, and C through a compiler."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyloop.backend.c.arrays import functions_called
from polyloop.backend.c.helpers import Helper
from polyloop.backend.c.printer import AS_C, prelude, print_c
from polyloop.backend.ir.affine import affine, evaluate_condition
from polyloop.backend.ir.expressions import Access, dtype_of
from polyloop.backend.ir.interpreter import Array, interpret
from polyloop.backend.ir.loop_nest import Block, Compute, Guard, Loop, LoopNest, Node
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target
from polyloop.backend.run.kernel import compile_program
from polyloop.measure.jobs import compare
from polyloop.scop.data import shape_of
from polyloop.scop.model import Array as Declared
from polyloop.scop.model import Scop
from polyloop.support.compilers import SHARED

Arrays = dict[str, Array]

FLAGS = ("-std=gnu99", "-O1", "-march=native", *SHARED, "-w")


def random_data(scop: Scop, sizes: Mapping[str, int], seed: int) -> Arrays:
    """Every array of the Scop that is not local: floats of both signs, zeros of both among them, integers of -5..5."""
    rng = np.random.default_rng(seed)
    made: Arrays = {}
    for array in scop.arrays:
        if array.local:
            continue
        shape, type_ = shape_of(scop, array, sizes), dtype_of(array.type)
        values = rng.uniform(-2, 2, shape) if array.type.is_float else rng.integers(-5, 6, shape)
        if array.type.is_float:
            values = np.where(rng.random(shape) < 0.1, np.copysign(0.0, values), values)
        made[array.name] = np.asarray(values).astype(type_)
    return made


def copied(arrays: Arrays) -> Arrays:
    return {name: array.copy() for name, array in arrays.items()}


def assert_same(expected: Arrays, actual: Arrays, what: str) -> None:
    """Equal bits in every array; NaN equals NaN."""
    assert expected.keys() == actual.keys()
    for name in sorted(expected):
        check = compare({name: expected[name]}, actual, 0.0)
        assert check.different == 0, f"{what}: {check.different} of {check.compared} elements of {name} differ"


def interpreted(
    nest: LoopNest, sizes: Mapping[str, int], arrays: Arrays, contract: bool, target: Target | None = None
) -> Arrays:
    """Through the interpreter; contracted as code for a target is that can, by default for this machine."""
    result = copied(arrays)
    interpret(nest, sizes, result, contract=contract and (target or host_target()).has_fma)
    return result


def compiled(
    program: VectorProgram, sizes: Mapping[str, int], arrays: Arrays, contract: bool, threads: int = 1
) -> Arrays:
    """Through the JIT."""
    result = copied(arrays)
    kernel = compile_program(program, contract=contract, threads=threads)
    kernel(**{spec.name: result[spec.name] for spec in kernel.signature.arguments}, **sizes)
    return result


# --- C ----------------------------------------------------------------------------------------------------------------


def require(compiler: str) -> None:
    """Skip the test where there is no such compiler."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")


def load_c(
    text: str, folder: Path, compiler: str = "gcc", contract: str = "off", flags: tuple[str, ...] = FLAGS
) -> ctypes.CDLL:
    """Compile C text to a shared library and load it.

    Raises:
        AssertionError: with the compiler's words, if it refuses or warns.
    """
    number = len(list(folder.glob("unit*.c")))
    source, library = folder / f"unit{number}.c", folder / f"unit{number}.so"
    source.write_text(text, encoding="utf-8")
    command = [compiler, *flags, f"-ffp-contract={contract}", str(source), "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    assert not done.stderr, f"{' '.join(command)}\n{done.stderr}"
    return ctypes.CDLL(str(library))


def call_c(library: ctypes.CDLL, scop: Scop, name: str, sizes: Mapping[str, int], arrays: Arrays) -> Arrays:
    """Call a function as `tests.helpers.programs.to_c` prints it: int parameters, arrays, scalars in the file."""
    result = copied(arrays)
    places = {a.name: _in_file(library, a.name, result[a.name]) for a in scop.arrays if not a.shape and not a.local}
    for scalar, place in places.items():
        place[...] = result[scalar]
    pointers = [ctypes.c_void_p(result[a.name].ctypes.data) for a in scop.arrays if a.shape and not a.local]
    getattr(library, name)(*(ctypes.c_int(sizes[p]) for p in scop.parameters), *pointers)
    for scalar, place in places.items():
        result[scalar] = place.copy()
    return result


def _in_file(library: ctypes.CDLL, name: str, like: Array) -> Array:
    buffer = (ctypes.c_char * like.itemsize).in_dll(library, name)
    place: Array = np.ndarray((), like.dtype, memoryview(buffer))
    return place


def call_program(
    library: ctypes.CDLL, program: VectorProgram, name: str, sizes: Mapping[str, int], arrays: Arrays
) -> Arrays:
    """Call a function as `polyloop.backend.c.printer.c_source` prints it."""
    result = copied(arrays)
    pointers = [ctypes.c_void_p(result[a.name].ctypes.data) for a in program.arrays if a.name in result]
    getattr(library, name)(*(ctypes.c_long(sizes[p]) for p in program.parameters), *pointers)
    return result


def c_of(programs: Mapping[str, VectorProgram]) -> str:
    """One C file of several programs, by the names of their functions: compilers read its headers once."""
    functions = [print_c(program, name, qualifiers="polyloop_undistributed ") for name, program in programs.items()]
    helpers = frozenset({Helper("undistributed")}).union(*(function.helpers for function in functions))
    if any(functions_called(program.body) for program in programs.values()):
        helpers |= {Helper("include", detail="math.h")}
    return "\n".join([prelude(helpers), *(f"{AS_C}{function.text}" for function in functions)])


# --- the order of execution -------------------------------------------------------------------------------------------


def traced(scop: Scop) -> Scop:
    """The Scop with its instances for targets: lowered and walked, a nest says which ones it executes."""
    traces = tuple(Declared(f"trace_{s.name}", s.value.type, (affine(1),) * s.depth) for s in scop.statements)
    statements = tuple(
        replace(s, target=Access(trace.name, tuple(map(affine, s.iterators))))
        for s, trace in zip(scop.statements, traces, strict=True)
    )
    return replace(scop, statements=statements, arrays=(*scop.arrays, *traces))


def walk_nest(node: Node, values: dict[str, int]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """(statement, subscripts of its target) in order of execution."""
    match node:
        case Loop(variable, lower, upper, step, body, _):
            assert variable not in values, f"{variable} is the name of two nested loops"
            for value in range(lower.evaluate(values), upper.evaluate(values), step):
                yield from walk_nest(body, {**values, variable: value})
        case Block(children):
            for child in children:
                yield from walk_nest(child, values)
        case Guard(condition, body, orelse):
            yield from walk_nest(body if evaluate_condition(condition, values) else orelse, values)
        case Compute(statement, target, _):
            yield statement, tuple(s.evaluate(values) for s in target.subscripts)
