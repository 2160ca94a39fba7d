"""What ``--reproducible`` promises: the bits of the C original, built without contraction, on every instruction set
that runs here, under every compiler, with any number of threads; on Arm, too, where there are a compiler and qemu.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polyloop
from polyloop.backend.c.printer import c_source
from polyloop.backend.errors import TargetError
from polyloop.backend.ir.expressions import dtype_of
from polyloop.backend.ir.traversal import walk
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target, shown_target
from polyloop.backend.planning import plan
from polyloop.bench.fuzz_builds import works
from polyloop.errors import PolyloopError
from polyloop.frontend import read_source
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.measure.jobs import compare
from polyloop.schedules.isl_scheduler import Fusion, isl_schedule
from polyloop.schedules.legality import Proof, prove
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.default_trace import default_trace
from polyloop.shaping.families import shapes
from polyloop.shaping.nests import nests, reshaped
from polyloop.shipped.kernels import inputs, kernel
from polyloop.transforms import Parallelize, Vectorize, candidates, replay
from tests.helpers import aarch64

Values = dict[str, Any]

PLAIN = ("-O1", "-ffp-contract=off")
NATIVE, FMA = ("-O3", "-march=native"), ("-O2", "-mavx2", "-mfma", "-ffp-contract=fast")
FAMILIES = {"gcc": (NATIVE, FMA), "clang": (NATIVE,), "clang-22": (NATIVE,)}
BUILDS = [(name, flags) for name, all_flags in FAMILIES.items() if shutil.which(name) for flags in all_flags]
"""`polyloop bench fuzz --suite reproducible` has more of them."""
TARGETS = ("sse", "avx2", "avx512")

pytestmark = pytest.mark.skipif(not BUILDS, reason="no C compiler")


@dataclass(frozen=True)
class Function:
    """A function of a C file: its name, the C types of its parameters, and what it is called with, by name."""

    name: str
    types: tuple[str, ...]
    values: Values

    def outcome(self, text: str, folder: Path, compiler: str, flags: tuple[str, ...]) -> Values:
        """All arrays behind a call of the file's function."""
        folder.mkdir(exist_ok=True)
        source, library = folder / "file.c", folder / f"{len(list(folder.iterdir()))}.so"
        source.write_text(text)
        build(compiler, *flags, "-shared", "-fPIC", source, "-o", library)
        made = {n: v.copy() if isinstance(v, np.ndarray) else v for n, v in self.values.items()}
        scalars = {"int": ctypes.c_int, "double": ctypes.c_double, "float": ctypes.c_float}
        given = [
            ctypes.c_void_p(value.ctypes.data) if isinstance(value, np.ndarray) else scalars[type_](value)
            for type_, value in zip(self.types, made.values(), strict=True)
        ]
        getattr(ctypes.CDLL(str(library)), self.name)(*given)
        return arrays_of(made)

    def outcome_on_arm(self, text: str, folder: Path, *flags: str) -> Values:
        """The same in an emulator."""
        folder.mkdir(exist_ok=True)
        arrays = arrays_of(self.values)
        declared, given = [], []
        for name, type_ in zip(self.values, self.types, strict=True):
            declared.append(f"static char {name}[{arrays[name].nbytes}];" if name in arrays else "")
            given.append(name if name in arrays else f"({type_}){self.values[name]!r}")
        moved = [f"done += f{{0}}({name}, 1, sizeof {name}, file);" for name in arrays]
        lines = [
            "#include <stdio.h>",
            f"void {self.name}({', '.join(self.types)});",
            *declared,
            "int main(int count, char **names)\n{",
            'size_t done = 0;\nFILE *file = fopen(names[count - 1], "r+b");',
            *(line.format("read") for line in moved),
            f"{self.name}({', '.join(given)});\nrewind(file);",
            *(line.format("write") for line in moved),
            f"fclose(file);\nreturn done != {2 * sum(a.nbytes for a in arrays.values())};\n}}",
        ]
        sources = (folder / "file.c", folder / "main.c")
        for source, content in zip(sources, (text, "\n".join(lines) + "\n"), strict=True):
            source.write_text(content)
        program, data = folder / "program", folder / "data"
        aarch64.build(sources, program, aarch64.COMPILER, "-w", *flags)
        data.write_bytes(b"".join(array.tobytes() for array in arrays.values()))
        aarch64.execute(program, str(data))
        left = data.read_bytes()
        result, at = {}, 0
        for name, array in arrays.items():
            result[name] = np.frombuffer(left, array.dtype, array.size, at).reshape(array.shape)
            at += array.nbytes
        return result


def build(*command: object) -> None:
    done = subprocess.run([*map(str, command), "-w", "-lm"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def arrays_of(values: Mapping[str, Any]) -> Values:
    return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}


def assert_equal(expected: Values, actual: Mapping[str, Any], what: str) -> None:
    check = compare(expected, dict(actual), 0.0)
    assert check.different == 0, f"{what}: {check.different} of {check.compared} differ, by {check.largest:.1e} at most"


def assert_equal_everywhere(
    function: Function,
    emit: Callable[[Target], str],
    expected: Values,
    folder: Path,
    builds: Sequence[tuple[str, tuple[str, ...]]] = BUILDS,
) -> None:
    """The file under every compiler; compilers for Arm would take minutes over vectors of 64 bytes."""
    text = emit(host_target())
    for compiler, flags in builds:
        if works(compiler, flags):
            assert_equal(expected, function.outcome(text, folder, compiler, flags), f"{compiler} {flags}")
    if shutil.which(aarch64.COMPILER) and shutil.which(aarch64.EMULATOR):
        found = function.outcome_on_arm(emit(shown_target("neon")), folder / "arm", "-O2")
        assert_equal(expected, found, "Arm")


@pytest.fixture(params=TARGETS)
def _target(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOP_TARGET", request.param)
    try:
        host_target()
    except TargetError:
        pytest.skip(f"this machine has no {request.param}")


# --- kernels in C -----------------------------------------------------------------------------------------------------

KERNELS = ("gemm", "symm", "gramschmidt", "jacobi-2d", "ludcmp")
MORE = ("trmm", "seidel-2d", "cholesky", "durbin")
MOST_STATEMENTS = 250
"""Of a program that compilers, and the printer, need few seconds for."""
each_kernel = pytest.mark.parametrize(
    "name", [*KERNELS, *(pytest.param(name, marks=pytest.mark.long) for name in MORE)]
)


def subject(name: str) -> tuple[Function, str]:
    info = kernel(name)
    # gramschmidt takes more rows than columns.
    values = inputs(name, dict(zip(info.parameters, (29, 26, 19, 11, 5), strict=False)))
    types = tuple("void *" if argument.shape else argument.ctype for argument in info.arguments)
    return Function(info.function, types, {a.name: values[a.name] for a in info.arguments}), info.path.read_text()


def schedules(scop: Scop, target: Target) -> Iterator[ScheduleTree]:
    """The source's order, isl's, some shapes of its nests, and what has a vector loop or a parallel one alone."""
    memory = scop.dependences("memory")
    tree = isl_schedule(scop, scop.dependences(), Fusion.MAXIMAL)
    yield original_tree(scop)
    yield tree
    found = [
        shaped
        for nest in nests(tree)
        for _, shape in islice(shapes(scop, nest, target, lambda _: True), 8)
        if isinstance(prove(scop, shaped := reshaped(scop, memory, tree, nest, shape), memory), Proof)
    ]
    yield from found[:: max(1, len(found) // 2)][:2]
    for kind in (Vectorize, Parallelize):
        legal = (t for t in candidates(tree) if isinstance(t, kind) and t.check(tree, memory) is None)
        yield from (transform.apply(tree) for transform in islice(legal, 1))


@pytest.mark.usefixtures("_target")
@each_kernel
def test_kernels_in_memory(tmp_path: Path, name: str) -> None:
    function, text = subject(name)
    expected = function.outcome(text, tmp_path, BUILDS[0][0], PLAIN)
    (scop,) = polyloop.read_c(kernel(name).path)
    for number, tree in enumerate(schedules(scop, host_target())):
        made = polyloop.compile(scop, tree, threads=1 + number % 3, reproducible=True)
        values = {n: v.copy() if isinstance(v, np.ndarray) else v for n, v in function.values.items()}
        sizes = {name: int(values[name]) for name in made.signature.parameters}
        taken: Values = dict(sizes)
        for spec in made.signature.arguments:  # also what the function declares before its region
            extents = [extent.evaluate(sizes) for extent in spec.shape if extent is not None]
            taken[spec.name] = values.get(spec.name, np.zeros(extents, dtype_of(spec.type)))
        made(**taken)
        assert_equal(expected, values, f"{name}: {tree}")


@each_kernel
def test_kernels_in_c(tmp_path: Path, name: str) -> None:
    function, text = subject(name)
    expected = function.outcome(text, tmp_path, BUILDS[0][0], PLAIN)
    (scop,) = read_source("kernel.c", text=text).scops

    def emit(target: Target) -> str:
        if name == "ludcmp":
            return emit_c_file(text, [Replacement(scop, None)], uncontracted=True)
        planned = [plan(lower(scop, tree), target, contract=False) for tree in schedules(scop, target)]
        programs = [program for program in planned if sum(1 for _ in walk(program.body)) < MOST_STATEMENTS]
        return max((emit_c_file(text, [Replacement(scop, p)], uncontracted=True) for p in programs), key=len)

    assert_equal_everywhere(function, emit, expected, tmp_path)


OVERLAPPING = """\
{pragma}
static void before(void);
{static}void chain(int n, double *a, double *b, double *c)
{{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = a[i] * b[i] + c[i];
#pragma endscop
}}
static void before(void) {{ }}
void call(int n, double *a)
{{
    before();
    chain(n, a, a + 1, a + 3);
}}
"""


IGNORED = '#pragma GCC diagnostic ignored "-Wunused"'


COMPLEX = """\
void turn(int n, const double *restrict a, const double *restrict b, double *restrict c)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        c[2 * i] = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
        c[2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
    }
#pragma endscop
}
"""


def test_products_of_complex_numbers(tmp_path: Path) -> None:
    """What gcc 12 fuses whatever it is told, unless its vectorizers stay away."""
    a, b = np.random.default_rng(0).random((2, 300))
    function = Function("turn", ("int", "void *", "void *", "void *"), {"n": 149, "a": a, "b": b, "c": np.zeros(300)})
    expected = function.outcome(COMPLEX, tmp_path, BUILDS[0][0], ("-O1", "-ffp-contract=off", "-fno-tree-vectorize"))
    (scop,) = read_source("file.c", text=COMPLEX).scops
    for made in (plan(lower(scop, original_tree(scop)), host_target(), contract=False), None):
        text = emit_c_file(COMPLEX, [Replacement(scop, made)], uncontracted=True)
        for compiler, flags in BUILDS:
            if works(compiler, flags):
                assert_equal(expected, function.outcome(text, tmp_path, compiler, flags), f"{compiler} {flags}")


@pytest.mark.parametrize(("pragma", "static"), [("", ""), (IGNORED, "static inline ")])
def test_the_original_loops_beside_the_faster_ones(tmp_path: Path, pragma: str, static: str) -> None:
    """Arrays overlap, so that the run-time tests fail."""
    text = OVERLAPPING.format(pragma=pragma, static=static)
    values = {"n": 150, "a": np.random.default_rng(0).random(160)}
    function = Function("call", ("int", "void *"), values)
    expected = function.outcome(text, tmp_path, BUILDS[0][0], PLAIN)
    (scop,) = read_source("file.c", text=text).scops
    program = plan(lower(scop, original_tree(scop)), host_target(), contract=False)
    fast = emit_c_file(text, [Replacement(scop, program)], uncontracted=True)
    assert_equal_everywhere(function, lambda _: fast, expected, tmp_path)
    kept = emit_c_file(text, [Replacement(scop, None)], uncontracted=True)
    assert_equal_everywhere(function, lambda _: kept, expected, tmp_path)
    # Once more: the function has been protected before.
    (again,) = read_source("file.c", text=kept).scops
    twice = emit_c_file(kept, [Replacement(again, program)], uncontracted=True)
    assert_equal_everywhere(function, lambda _: twice, expected, tmp_path)


@pytest.mark.parametrize("flags", [("-O2", "-ffast-math"), ("-Ofast",)])
def test_what_cannot_be_held_is_refused(tmp_path: Path, flags: tuple[str, ...]) -> None:
    text = OVERLAPPING.format(pragma="", static="")
    (scop,) = read_source("file.c", text=text).scops
    (tmp_path / "file.c").write_text(emit_c_file(text, [Replacement(scop, None)], uncontracted=True))
    for compiler in dict(BUILDS):
        command = [compiler, *flags, "-w", "-c", str(tmp_path / "file.c"), "-o", str(tmp_path / "file.o")]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode != 0
        assert "made with polyloop --reproducible" in done.stderr


def test_nothing_is_said_to_compilers_unless_asked() -> None:
    text = OVERLAPPING.format(pragma="", static="")
    (scop,) = read_source("file.c", text=text).scops
    program = plan(lower(scop, original_tree(scop)), host_target(), contract=False)
    assert "uncontracted" not in emit_c_file(text, [Replacement(scop, program)])
    assert "FP_CONTRACT" not in emit_c_file(text, [Replacement(scop, program)])


# --- tensor programs --------------------------------------------------------------------------------------------------

PRODUCTS = {
    "product": (
        "C[m, n] += A[m, k] * B[k, n]",
        {"m": 37, "n": 43, "k": 29},
        "C[m][n] += A[m][k] * B[k][n];",
    ),
    "transposed": (
        "C[m, n] += A[k, m] * B[n, k]",
        {"m": 21, "n": 35, "k": 50},
        "C[m][n] += A[k][m] * B[n][k];",
    ),
    "vector": ("y[m] += A[m, k] * x[k]", {"m": 53, "k": 61}, "y[m] += A[m][k] * x[k];"),
    "convolution": (
        "O[y, o] += I[y + i, c] * W[i, c, o]",
        {"y": 19, "o": 40, "i": 3, "c": 17},
        "O[y][o] += I[y + i][c] * W[i][c][o];",
    ),
}
"""Expression, sizes, and its innermost statement in C; loops stand in the order of the sizes."""


def tensor_subject(name: str, dtype: str) -> tuple[Function, str, Scop]:
    expression, sizes, statement = PRODUCTS[name]
    scop = polyloop.tensor(expression, sizes, dtype=dtype, name="made")
    rng = np.random.default_rng(1)
    shapes_of = {a.name: tuple(e.constant for e in a.shape if e is not None) for a in scop.arrays}
    values = {array: (rng.random(shape) - 0.5).astype(dtype) for array, shape in shapes_of.items()}
    ctype = {"float32": "float", "float64": "double"}[dtype]
    parameters = ", ".join(f"{ctype} {n}{''.join(f'[{e}]' for e in shape)}" for n, shape in shapes_of.items())
    loops = "".join(f"for (int {n} = 0; {n} < {extent}; {n}++)\n" for n, extent in sizes.items())
    text = f"void made({parameters})\n{{\n{loops}{statement}\n}}\n"
    return Function("made", ("void *",) * len(values), values), text, scop


each_product = pytest.mark.parametrize(("name", "dtype"), [(n, t) for n in PRODUCTS for t in ("float32", "float64")])


@pytest.mark.usefixtures("_target")
@each_product
def test_products_in_memory(tmp_path: Path, name: str, dtype: str) -> None:
    function, text, scop = tensor_subject(name, dtype)
    expected = function.outcome(text, tmp_path, BUILDS[0][0], PLAIN)
    for threads in (1, 2, 3):
        values = {n: v.copy() for n, v in function.values.items()}
        polyloop.compile(scop, threads=threads, reproducible=True)(**values)
        assert_equal(expected, values, f"{threads} threads")


@each_product
def test_products_in_c(tmp_path: Path, name: str, dtype: str) -> None:
    """Every product is built in every way, half of them with either type of its numbers."""
    function, text, scop = tensor_subject(name, dtype)
    expected = function.outcome(text, tmp_path, BUILDS[0][0], PLAIN)

    def emit(target: Target) -> str:
        tree = replay(original_tree(scop), default_trace(scop, target, reassociate=False))
        assert isinstance(prove(scop, tree, scop.dependences("memory")), Proof)
        program = plan(lower(scop, tree), target, contract=False)
        assert [spec.name for spec in program.arrays][: len(function.values)] == list(function.values)
        return c_source(program, uncontracted=True)

    half = (list(PRODUCTS).index(name) + (dtype == "float64")) % 2
    assert_equal_everywhere(function, emit, expected, tmp_path, BUILDS[half::2])


def test_contradictions() -> None:
    scop = polyloop.tensor("y[m] += A[m, k] * x[k]", m=4, k=4)
    for wrong in ({"reassociate": True}, {"contract": "on"}, {"contract": "fast"}):
        with pytest.raises(PolyloopError, match="reproducible contradicts"):
            polyloop.compile(scop, reproducible=True, **wrong)
        with pytest.raises(PolyloopError, match="reproducible contradicts"):
            polyloop.optimize(scop, reproducible=True, **wrong)
    assert polyloop.compile(scop, reproducible=True, contract="off") is not None
