"""What is generated anew for every replay: the shipped kernels under three schedules, functions as they are found where
nothing marks them under those that a search starts from, and tensor programs.

Nothing here looks at the machine, at a clock or at a random number: what comes out may differ only where the code of
polyloop does (or isl's, which the schedules come from).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from math import inf
from pathlib import Path

from polyloop import read_c, tensor
from polyloop.backend.machine.target import INSTRUCTION_SETS, Target, shown_target
from polyloop.bench.real import regions
from polyloop.frontend import read_source
from polyloop.measure.evaluator import Evaluator, InProcess, Options
from polyloop.schedules.isl_scheduler import Fusion, SchedulingError, isl_schedule
from polyloop.schedules.legality import Proof, Proofs, prove
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.dependence import Dependence, memory_dependences, value_dependences
from polyloop.scop.model import Scop
from polyloop.search.isl_search import all_bases, as_candidate
from polyloop.shaping.default_trace import default_trace
from polyloop.shaping.families import shapes
from polyloop.shaping.nests import Shape, nests, reshaped
from polyloop.shaping.shaped import ShapedTree, with_first_shapes
from polyloop.shipped.kernels import kernel, kernel_names
from polyloop.shipped.workloads import Workload, sample, workload_set
from polyloop.transforms import parse_steps, perform_steps, replay

TRACES = Path(__file__).with_name("traces.json")
THREADS = 4


@dataclass(frozen=True)
class Scheduled:
    """A Scop, the tree that orders it, and how a program is made of both.

    Attributes:
        explicit: vectors are chosen by us; else by the compiler.
    """

    scop: Scop
    tree: ScheduleTree
    explicit: bool = True
    reassociate: bool = False
    threads: int = 1


@dataclass(frozen=True)
class KernelProgram:
    """One of the shipped kernels under one of `SCHEDULES`."""

    kernel: str
    schedule: str

    @property
    def name(self) -> str:
        return f"{self.kernel}/{self.schedule}"

    def scop(self) -> Scop:
        return _read(self.kernel)

    def scheduled(self, target: Target) -> Scheduled:
        scop = self.scop()
        match self.schedule:
            case "original":
                return Scheduled(scop, original_tree(scop), explicit=False)
            case "isl":
                return Scheduled(scop, _first_shapes(scop, _isl_tree(self.kernel), target))
            case _:
                return _traced(self.kernel)


SCHEDULES = ("original", "isl", "trace")
"""The loops as written; isl's, each nest in its first legal shape; and a trace that was drawn once (traces.json)."""


@dataclass(frozen=True)
class FunctionProgram:
    """A function of data/real, or one of `IDIOMS`, read as `optimize --auto` does, under several schedules."""

    name: str

    def scop(self) -> Scop:
        return functions()[self.name]

    def scops(self) -> Sequence[Scop]:
        """The function's, and what the schedules' changes make of it."""
        return tuple(dict.fromkeys((self.scop(), *(base.scop for base in _bases(self.name)))))

    def scheduled(self, target: Target) -> Scheduled:
        return Scheduled(self.scop(), original_tree(self.scop()))

    def all_scheduled(self, target: Target) -> Iterator[tuple[str, Scheduled]]:
        """The function in its order, and in each base, or, where there are many, each that has its turn on this
        instruction set, by their names."""
        yield "original order", self.scheduled(target)
        bases = _bases(self.name)
        for number, base in enumerate(bases):
            turn, place = divmod(number, len(INSTRUCTION_SETS))
            own = list(INSTRUCTION_SETS)[(place + turn) % len(INSTRUCTION_SETS)]
            if len(bases) <= MOST_OF_IDIOMS or shown_target(own) == target:
                options = Options(threads=(1, THREADS)[turn % 2])
                with _unmeasured(self.name, target, options) as evaluator:
                    candidate = as_candidate(evaluator, with_first_shapes(evaluator.proofs, target, base))
                assert candidate.tree is not None
                yield candidate.name, Scheduled(candidate.scop, candidate.tree, threads=options.threads)


@dataclass(frozen=True)
class TensorProgram:
    """A tensor program under its default schedule."""

    name: str
    expression: str
    sizes: dict[str, int]
    dtype: str = "f32"
    reassociate: bool = False
    threads: int = 1

    def scop(self) -> Scop:
        identifier = "".join(c if c.isalnum() else "_" for c in self.name)
        return tensor(self.expression, self.sizes, dtype=self.dtype, name=identifier)

    def scheduled(self, target: Target) -> Scheduled:
        scop = self.scop()
        trace = default_trace(scop, target, threads=self.threads, reassociate=self.reassociate)
        tree = replay(original_tree(scop), trace)
        legal = isinstance(prove(scop, tree, memory_dependences(scop), self.reassociate), Proof)
        tree = tree if legal else original_tree(scop)
        return Scheduled(scop, tree, legal and trace != (), self.reassociate, self.threads)


ReplayProgram = KernelProgram | FunctionProgram | TensorProgram


@cache
def programs() -> dict[str, ReplayProgram]:
    """All programs by name, the slowest first."""
    found: list[ReplayProgram] = [FunctionProgram(name) for name in functions()]
    found += [KernelProgram(name, s) for s in reversed(SCHEDULES) for name in kernel_names()]
    found += [_of_workload(workload) for workload in _workloads()]
    found += EXPRESSIONS
    return {program.name: program for program in found}


@cache
def traces() -> dict[str, list[str]]:
    """By kernel, a legal trace that was drawn once; sums may be reordered."""
    found: dict[str, list[str]] = json.loads(TRACES.read_text(encoding="utf-8"))
    return found


# --- kernels ----------------------------------------------------------------------------------------------------------


@cache
def _read(name: str) -> Scop:
    (scop,) = read_c(kernel(name).path)
    return scop


@cache
def _isl_tree(name: str) -> ScheduleTree:
    scop = _read(name)
    memory = memory_dependences(scop)
    exact = any(dependence.is_free(False) for dependence in memory)
    return isl_schedule(scop, memory if exact else value_dependences(scop), Fusion.SEPARATE)


@cache
def _traced(name: str) -> Scheduled:
    steps = parse_steps("\n".join(traces()[name]))
    return Scheduled(*perform_steps(_read(name), steps, reassociate=True), reassociate=True, threads=THREADS)


def _first_shapes(scop: Scop, tree: ScheduleTree, target: Target) -> ScheduleTree:
    """The tree with the first legal shape of every nest, as the default search starts."""
    dependences, current = memory_dependences(scop), tree
    for nest in nests(tree):
        change = partial(reshaped, scop, dependences, current, nest)
        is_legal = partial(_is_legal, scop, dependences, change)
        for _, shape in islice(shapes(scop, nest, target, is_legal), 1):
            current = change(shape)
    return current


def _is_legal(
    scop: Scop, dependences: tuple[Dependence, ...], change: Callable[[Shape], ScheduleTree], shape: Shape
) -> bool:
    return isinstance(prove(scop, change(shape), dependences), Proof)


# --- functions --------------------------------------------------------------------------------------------------------

IDIOMS = Path(__file__).with_name("idioms.c")
MOST_BASES, MOST_OF_IDIOMS = 6, 2
MOST_READS = 64
"""What is left out: a base with more, as a whole window that is written out, takes half a minute to plan."""


@cache
def functions() -> dict[str, Scop]:
    """All that are read, by name."""
    idioms = read_source(IDIOMS, auto=True).scops
    return {f"real/{name}": scop for name, scop in regions().items()} | {f"idioms/{s.name}": s for s in idioms}


class _Unmeasured(Evaluator):
    """Calls isl in this process, for as long as it takes: what is found does not depend on how fast the machine is."""

    def scheduled(self, function: str, *arguments: object) -> ScheduleTree | None:
        try:
            tree = InProcess().call(function, arguments, timeout=inf)
        except SchedulingError:
            return None
        assert tree is None or isinstance(tree, ScheduleTree)
        return tree


@cache
def _proofs(_function: str) -> Proofs:
    """Of the function and its variants, which are the same for all instruction sets."""
    return Proofs()


def _unmeasured(function: str, target: Target, options: Options) -> Evaluator:
    return _Unmeasured(functions()[function], {}, target, options, in_process=True, known=_proofs(function))


@cache
def _bases(function: str) -> Sequence[ShapedTree]:
    """What the default search starts from, with the registers of one instruction set."""
    with _unmeasured(function, shown_target("avx2"), Options()) as evaluator:
        small = (base for base in all_bases(evaluator) if sum(len(s.reads) for s in base.scop.statements) <= MOST_READS)
        return tuple(islice(small, MOST_BASES if function.startswith("real/") else MOST_OF_IDIOMS))


# --- tensor programs --------------------------------------------------------------------------------------------------


def _workloads() -> Iterator[Workload]:
    for name in ("operators", "resnet18", "mlp", "mobilenetv3"):
        yield from workload_set(name).problems
    for name, count in {"mm64_256_16": 4, "convolutions": 4, "pooling": 3, "batched_products": 3}.items():
        yield from sample(name, count)


def _of_workload(workload: Workload) -> TensorProgram:
    return TensorProgram(workload.name, workload.expression, dict(workload.sizes))


_MATMUL = {"m": 50, "k": 30, "n": 70}
_SOFTMAX = "P[m, n] = exp(X[m, n] - max(j) X[m, j]) / sum(j) exp(X[m, j] - max(l) X[m, l])"
_LAYERNORM = """
M[b] = sum(d) X[b, d] / 72
V[b] = sum(d) ((X[b, d] - M[b]) * (X[b, d] - M[b])) / 72
Y[b, d] = (X[b, d] - M[b]) / sqrt(V[b] + 0.00001) * g[d] + h[d]
"""
_ATTENTION = """
S[b, q, k] = sum(d) (Q[b, q, d] * K[b, k, d]) * 0.125
E[b, q, k] = exp(S[b, q, k] - max(j) S[b, q, j])
P[b, q, k] = E[b, q, k] / sum(j) E[b, q, j]
O[b, q, d] = sum(k) P[b, q, k] * V[b, k, d]
"""
_PADDED = "I: [30, 41]; S[i, j] = pad(I[i - 1, j], 0) + pad(I[i + 1, j], 0)"
_POOLING = "P[y, x, c] = max(i, j) I[2*y + i, 2*x + j, c]"
_ACTIVATIONS = "Y[m, n] = sigmoid(X[m, n]) * tanh(X[m, n]) + clamp(X[m, n], 0, 6)"
_CONVOLUTION = "O[y, x, o] += I[y + i, x + j, c] * W[i, j, c, o]"
_CONVOLUTION_SIZES = {"y": 9, "x": 11, "o": 40, "i": 3, "j": 3, "c": 5}

EXPRESSIONS = (
    TensorProgram("product", "C[m, n] += A[m, k] * B[k, n]", _MATMUL),
    TensorProgram("product, threads", "C[m, n] += A[m, k] * B[k, n]", {"m": 300, "k": 40, "n": 500}, threads=THREADS),
    TensorProgram("product, f64", "C[m, n] += A[m, k] * B[k, n]", _MATMUL, "f64"),
    TensorProgram("product, i32", "C[m, n] = A[m, k] * B[k, n]", _MATMUL, "i32"),
    TensorProgram("product, u8", "C[m, n] = A[m, k] * B[k, n]", _MATMUL, "u8"),
    TensorProgram("product, packed", "C[m, n] += A[m, k] * B[k, n]", {"m": 120, "k": 700, "n": 1100}),
    TensorProgram("product, transposed left", "C[m, n] = A[k, m] * B[k, n]", _MATMUL),
    TensorProgram("product, transposed right", "C[m, n] = A[m, k] * B[n, k]", _MATMUL, reassociate=True),
    TensorProgram("product, batched", "C[b, m, n] = A[b, m, k] * B[b, k, n]", {"b": 3, "m": 20, "k": 24, "n": 33}),
    TensorProgram("product by a vector", "y[m] = A[m, k] * x[k]", {"m": 70, "k": 90}),
    TensorProgram("product by a vector, any order", "y[m] = A[m, k] * x[k]", {"m": 70, "k": 90}, reassociate=True),
    TensorProgram("layer", "H[m, n] = relu(sum(k) (X[m, k] * W[k, n]) + b[n])", {"m": 24, "n": 40, "k": 32}),
    TensorProgram("softmax", _SOFTMAX, {"m": 12, "n": 50, "j": 50, "l": 50}),
    TensorProgram("softmax, any order", _SOFTMAX, {"m": 12, "n": 50, "j": 50, "l": 50}, reassociate=True),
    TensorProgram("layernorm", _LAYERNORM, {"b": 12, "d": 72}, reassociate=True),
    TensorProgram("layernorm, f64", _LAYERNORM, {"b": 12, "d": 72}, "f64"),
    TensorProgram("attention", _ATTENTION, {"b": 2, "q": 24, "k": 40, "d": 64, "j": 40}, reassociate=True),
    TensorProgram("transposed", "T[n, m] = A[m, n]", {"m": 45, "n": 83}),
    TensorProgram("transposed, i8", "T[n, m] = A[m, n]", {"m": 45, "n": 83}, "i8"),
    TensorProgram("sum", "s[] = A[m, n]", {"m": 45, "n": 83}),
    TensorProgram("sum, any order", "s[] = A[m, n]", {"m": 45, "n": 83}, reassociate=True),
    TensorProgram("sum, i64", "s[] = A[m, n]", {"m": 45, "n": 83}, "i64"),
    TensorProgram("column sums", "s[n] = A[m, n]", {"m": 45, "n": 83}),
    TensorProgram("maximum", "s[m] max= A[m, n]", {"m": 45, "n": 83}, reassociate=True),
    TensorProgram("pooling", _POOLING, {"y": 8, "x": 8, "c": 20, "i": 3, "j": 3}),
    TensorProgram("convolution", _CONVOLUTION, _CONVOLUTION_SIZES),
    TensorProgram("convolution, f64", _CONVOLUTION, _CONVOLUTION_SIZES, "f64"),
    TensorProgram("padded stencil", _PADDED, {"i": 30, "j": 41}),
    TensorProgram("activations", _ACTIVATIONS, {"m": 9, "n": 37}),
)
"""Small programs in the named-dimension language, of every kind that it has."""
