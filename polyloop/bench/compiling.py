"""The suite ``compile``: how long a micro-kernel takes from loop nest to a function that can be called.

Rows are register tiles of a matrix product, each timed step by step: planning, printing, LLVM, linking; then the whole
way through IR, through assembly, and with a warm cache. The last figure is a search's: candidates that differ, planned,
compiled, run and timed one after the other, in one second of one core. Times are CPU times of the thread, so that they
are those of a core of its own on a machine that is busy with other things.
"""

from __future__ import annotations

import itertools
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from rich.console import Console

from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import F32, F64, Access, Binary, Read, ScalarType
from polyloop.backend.ir.loop_nest import ArraySpec, Compute, Loop, LoopKind, LoopNest, Node
from polyloop.backend.llvm.printer import print_llvm
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target
from polyloop.backend.planning import plan
from polyloop.backend.run import jit
from polyloop.backend.run.kernel import Kernel, compile_program
from polyloop.backend.run.nest_kernel import Planning, compile_nest
from polyloop.backend.run.timing import compare, time_call
from polyloop.bench.contest import filled
from polyloop.bench.harness import RowBench, Step, Summary
from polyloop.bench.report import number, print_lines, print_table, summarize
from polyloop.bench.rows import Row
from polyloop.support.files import WorkFolder

_SECONDS = 3.0
_SLOWEST = ("ir_ms", "assembly_ms", "cached_ms", "plan_ms")
_REPETITIONS = 15
_TILES = {32: ((6, 4), (8, 3), (12, 2), (8, 2)), 16: ((6, 2), (4, 3), (4, 2))}
"""Rows and vectors of register tiles, by the number of registers."""


@dataclass(frozen=True)
class Product:
    """C += A B in register tiles of `rows` x `columns`; m and n are multiples of these."""

    m: int
    n: int
    k: int
    rows: int
    columns: int
    type: ScalarType

    @property
    def name(self) -> str:
        return f"{self.rows}x{self.columns} {self.type}"

    def nest(self) -> LoopNest:
        """The nest, as the schedule of a register tile leaves it."""
        m, n, k = affine("m"), affine("n"), affine("k")
        a, b, c = Access("A", (m, k)), Access("B", (k, n)), Access("C", (m, n))
        term = Binary("*", Read(a, self.type), Read(b, self.type), self.type)
        body: Node = Compute("S", c, Binary("+", Read(c, self.type), term, self.type))
        body = Loop("n", affine("n0"), affine("n0") + self.columns, 1, body, LoopKind.VECTOR)
        body = Loop("m", affine("m0"), affine("m0") + self.rows, 1, body, LoopKind.UNROLLED)
        body = Loop("k", affine(0), affine(self.k), 1, body)
        body = Loop("n0", affine(0), affine(self.n), self.columns, body)
        body = Loop("m0", affine(0), affine(self.m), self.rows, body)
        shapes = {"A": (self.m, self.k), "B": (self.k, self.n), "C": (self.m, self.n)}
        arrays = (
            ArraySpec(name, self.type, tuple(map(affine, shape)), read_only=name != "C")
            for name, shape in shapes.items()
        )
        return LoopNest("product", (), tuple(arrays), body)

    def arrays(self) -> dict[str, Any]:
        """Operands of all products share memory: a search does not make new ones for every candidate, either."""
        shapes = ((self.m, self.k), (self.k, self.n), (self.m, self.n))
        return {name: _operand(name, self.type, shape) for name, shape in zip("ABC", shapes, strict=True)}


def _operand(name: str, type_: ScalarType, shape: tuple[int, int]) -> NDArray[Any]:
    size = prod(shape)
    return _memory(name, type_, 1 << size.bit_length())[:size].reshape(shape)


@cache
def _memory(name: str, type_: ScalarType, elements: int) -> NDArray[Any]:
    return filled((elements,), f"float{type_.bits}", ord(name))


def bench(arguments: Namespace) -> Compile:
    """The suite as the command line asks for it."""
    products = micro_kernels(host_target())[: arguments.limit]
    return Compile(products, arguments.rounds or _REPETITIONS, arguments.budget or _SECONDS)


class Compile(RowBench):
    """Register tiles, then candidates for `seconds`."""

    def __init__(self, products: Sequence[Product], repetitions: int, seconds: float) -> None:
        super().__init__([product.name for product in products], {"repetitions": repetitions})
        self.products, self.seconds = {product.name: product for product in products}, seconds
        self.rate: float | None = None

    def measure(self, name: str) -> Row:
        return measure(self.products[name], self.settings["repetitions"])

    def steps(self) -> Iterator[Step]:
        yield from super().steps()
        yield "candidates", self._candidates

    def _candidates(self) -> None:
        self.rate = candidates_per_second(self.seconds)

    def in_short(self, row: Row) -> str:
        return f"{row.facts['ir_ms']:.2f} ms through IR, {row.facts['assembly_ms']:.2f} ms through assembly"

    def summary(self, rows: Sequence[Row]) -> Summary:
        facts = [row.facts for row in rows if row.failed is None]
        slowest = {name: max((f[name] for f in facts), default=None) for name in _SLOWEST}
        speed = {"assembly_speed": min((f["assembly_speed"] for f in facts), default=None)}
        spills = {"spills": sum(f["spills"] for f in facts)}
        return summarize(rows) | slowest | speed | spills | {"candidates_per_second": self.rate}

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        ran = [row for row in rows if row.failed is None]
        columns = [name for name in (ran[0].facts if ran else ()) if name.endswith("_ms")]
        columns += ["gflops", "assembly_speed", "registers", "spills"]
        cells = [
            [row.row, *(f"{v:.2f}" if isinstance(v := row.facts[name], float) else str(v) for name in columns)]
            for row in ran
        ]
        print_table(console, ["tile", *(name.replace("_", " ") for name in columns)], cells)
        ir, assembly, cached, planned = (number(summary[name]) for name in _SLOWEST)
        line = f"slowest: {ir} ms through IR, {assembly} ms through assembly, {cached} ms from the cache, {planned} ms "
        rate = f"{number(self.rate, 0)} candidates a second, planned, compiled and timed"
        print_lines(console, [f"{line}to plan; {rate}"])


def micro_kernels(target: Target) -> list[Product]:
    """Register tiles that fill this machine's registers, in both types."""
    # Beside a tile, a row of vectors and what they are multiplied by; and a product, if it waits to be added.
    room = target.vector_registers - 1 - (not target.has_fma)
    return [
        Product(2 * rows, 2 * vectors * target.lanes(type_), 64, rows, vectors * target.lanes(type_), type_)
        for type_ in (F32, F64)
        for rows, vectors in _TILES[target.vector_registers]
        if (rows + 1) * vectors <= room
    ]


def measure(product: Product, repetitions: int) -> Row:
    """The smallest times of all steps, in milliseconds; contestants are our own two ways to code."""
    target, nest, arrays = host_target(), product.nest(), product.arrays()
    program = plan(nest, target)
    text = print_llvm(program, target)
    code = jit.object_code(text, target, optimize=False)
    entry = (f"{program.name}.call",)

    def through(tier: str) -> Kernel:
        kernel = compile_program(program, tier=tier)
        kernel.bind(**arrays)()
        return kernel

    steps: dict[str, Callable[[], object]] = {
        "plan_ms": lambda: plan(nest, target),
        "print_ms": lambda: print_llvm(program, target),
        "llvm_ms": lambda: jit.object_code(text, target, optimize=False),
        "link_ms": lambda: jit.load(code, entry),
        "ir_ms": lambda: through("ir"),
        "assembly_ms": lambda: through("assembly"),
    }
    facts: dict[str, Any] = {name: _milliseconds(step, repetitions) for name, step in steps.items()}
    with WorkFolder() as folder:
        compile_nest(nest, cache=Path(folder))
        facts["cached_ms"] = _milliseconds(lambda: compile_nest(nest, cache=Path(folder)).bind(**arrays)(), repetitions)
    kernel, fast = through("ir"), through("assembly")
    report = kernel.report()
    duel = compare({"ir": kernel.bind(**arrays), "assembly": fast.bind(**arrays)})
    flops = 2 * product.m * product.n * product.k
    facts |= {"registers": report.registers, "spills": report.spills, "code_bytes": len(kernel.object_code)}
    facts |= {"tier": fast.settings.tier, "assembly_speed": duel.ratio("ir", "assembly").value}
    facts["gflops"] = flops * 1e-9 / duel.timing("ir").best
    return Row(product.name, {name: duel.timing(name).median for name in ("ir", "assembly")}, facts=facts)


def candidates_per_second(seconds: float) -> float:
    """How many candidates are planned, compiled and timed (five samples of 20 us) in a second, none of them twice."""
    start, done = time.thread_time(), 0
    for product in _candidates(host_target()):
        kernel = compile_nest(product.nest(), Planning(), tier="assembly")
        time_call(kernel.bind(**product.arrays()), samples=5, batch_seconds=20e-6)
        done += 1
        if time.thread_time() - start > seconds:
            break
    return done / (time.thread_time() - start)


def _candidates(target: Target) -> Iterator[Product]:
    """Register tiles of products of more and more steps."""
    lanes = target.lanes(F32)
    for k in itertools.count(16):
        for rows, vectors in itertools.product((2, 4, 6, 8), (1, 2, 3)):
            if rows * vectors + vectors + 1 < target.vector_registers:
                yield Product(2 * rows, 2 * vectors * lanes, k, rows, vectors * lanes, F32)


def _milliseconds(step: Callable[[], object], repetitions: int) -> float:
    taken = []
    for _ in range(repetitions):
        start = time.thread_time()
        step()
        taken.append(time.thread_time() - start)
    return 1e3 * min(taken)
