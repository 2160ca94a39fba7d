"""A core's figures, measured by short loops of our own: what operations cost, and lines from each cache.

Every figure comes from a loop in which it is the only limit: a chain of dependent operations for a latency, many
independent ones for a throughput, a walk through random lines for the latency of a cache, lines in order for its
bandwidth. Seconds become cycles by a chain of integer additions. All loops are run in turn, round after round, each in
many bursts of some microseconds; the fastest burst of a loop is one that nothing disturbed. A figure on which the two
best rounds do not agree lowers the confidence.

What a loop computes must not be optimised away, nor merged with its neighbours: every result passes through an empty
piece of assembly, which code generation cannot look into.

References: Fog, "Instruction tables", and McVoy and Staelin, "lmbench" (USENIX 1996), for the kinds of loops.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import floor
from time import perf_counter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.machine.machine import Cache, Machine, Operation, bucketed
from polyloop.backend.machine.target import Target
from polyloop.backend.run import jit
from polyloop.backend.run.kernel import Bound
from polyloop.backend.run.timing import time_call

Lines: TypeAlias = tuple[str, ...]

ROUNDS = 4
AGREEMENT = 0.03
"""Of two rounds: less than what makes a bucket of another of a figure."""

_BURSTS, _BURST_SECONDS, _LOOP_SECONDS = 40, 25e-6, 0.02
_SECONDS = 2.5
"""After this no new round begins."""

_ITERATIONS, _CHAIN, _ACCESSES = 1024, 8, 16
"""Of a loop, so many that what a core does ahead of the next call (hundreds of instructions) does not count; dependent
operations, and loads or stores, in its body."""

_MEMORY_BYTES, _MOST_BYTES = 256 << 20, 8 << 20
_PAGE, _APART = 4096, 4 * 4096
"""Of pages that are looked up: some cores keep four neighbours in one entry, where they happen to lie in a row."""


def measure_machine(target: Target, processor: str) -> Machine:
    """Measure this core with the instruction set of a target, which must run here.

    Args:
        processor: what the description is called.
    Returns:
        Figures in buckets (`bucketed`), with the confidence in them.
    """
    burst, latest = _Bursts(target), perf_counter() + _SECONDS
    rounds: list[dict[str, float]] = []
    while len(rounds) < 2 or (len(rounds) < ROUNDS and perf_counter() < latest):
        rounds.append(burst.round())
    found, agreed = {}, 0
    for name in rounds[0]:
        best, second, *_ = sorted(each[name] for each in rounds)
        found[name] = best
        agreed += second <= best * (1 + AGREEMENT)
    measured = replace(_described(target, processor, found), confidence=round(agreed / len(found), 2))
    return undisturbed(measured, target.machine)


def undisturbed(measured: Machine, shipped: Machine) -> Machine:
    """Where no whole number of arithmetic operations starts in a cycle, as many as a shipped description of the same
    core says: a neighbour on its other thread takes units away for longer than measuring lasts, in all rounds alike
    (1.5 fused multiply-adds a cycle on Zen 3, which starts 2). Whole numbers are believed: some cores of one kind have
    fewer units than others."""
    if measured.processors[:1] != shipped.processors[:1]:
        return measured

    def most(mine: Operation, known: Operation) -> Operation:
        return mine if mine.per_cycle % 1 == 0 else replace(mine, per_cycle=max(mine.per_cycle, known.per_cycle))

    return replace(
        measured,
        multiply_add=most(measured.multiply_add, shipped.multiply_add),
        add=most(measured.add, shipped.add),
        multiply=most(measured.multiply, shipped.multiply),
    )


def _described(target: Target, processor: str, seconds: dict[str, float]) -> Machine:
    """The description from seconds for one operation, step or line of every loop."""
    hertz = 1 / seconds["clock"]

    def cycles(name: str) -> float:
        return seconds[name] * hertz

    def operation(name: str) -> Operation:
        return Operation(_latency(cycles(f"{name} latency")), _rate(cycles(name)))

    # A shuffle alone would be merged with the next one, and an addition stands between them.
    shuffle = max(1.0, cycles("shuffle latency") - cycles("add latency"))
    level = [_latency(cycles(f"walk {k}")) for k in range(4)]
    line = [bucketed(cycles(f"lines {k}")) for k in range(4)]
    nearest = target.machine
    caches = [replace(cache, latency=level[k], line_cycles=line[k]) for k, cache in enumerate(nearest.caches)]
    return replace(
        nearest,
        name=processor,
        processors=(target.cpu,),
        source="measured",
        gigahertz=bucketed(hertz / 1e9),
        page_cycles=max(0.0, bucketed(cycles("pages") - cycles("walk 1"))),
        multiply_add=operation("multiply_add"),
        add=operation("add"),
        multiply=operation("multiply"),
        divide=operation("divide"),
        square_root=operation("square_root"),
        load=Operation(level[0], _rate(cycles("load"))),
        store=Operation(1.0, _rate(cycles("store"))),
        shuffle=Operation(_latency(shuffle), _rate(cycles("shuffle"))),
        gather=Operation(_latency(cycles("gather latency")), _rate(cycles("gather"))),
        caches=(caches[0], caches[1], caches[2]),
        memory=Cache(0, 0, level[3], line[3]),
    )


def _latency(cycles: float) -> float:
    """Whole cycles for what a core does by itself, halves where two of its units take turns that do not take equally
    long (additions of 512 bits on Emerald Rapids: 3.4 to 3.6), buckets for what comes from far away."""
    if cycles >= 24:
        return bucketed(cycles)
    whole = round(cycles)
    return float(max(1, whole)) if abs(cycles - whole) < 0.3 else max(1.0, floor(cycles) + 0.5)


def _rate(cycles: float) -> float:
    """Operations a cycle: whole ones, or one and two by turns, where a core starts so many; what is missing is the
    clock's, which goes down while all units are busy."""
    return round(2 / cycles) / 2 if cycles < 1.4 else bucketed(1 / cycles)


@dataclass(frozen=True)
class _Loop:
    """A loop, how many operations, steps or lines one call of it is, and what runs before every burst, not timed."""

    bound: Bound
    count: int
    before: Bound | None = None


class _Bursts:
    """All loops, compiled; `round` measures each once."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._lanes = target.vector_bits // 64
        self._vector = f"<{self._lanes} x double>"
        self._owned: list[object] = []
        self._loops = dict(self._all())

    def round(self) -> dict[str, float]:
        """Seconds of one operation, step or line of every loop, in its fastest burst."""
        return {name: self._seconds(loop) for name, loop in self._loops.items()}

    def _seconds(self, loop: _Loop) -> float:
        taken = time_call(
            loop.bound, reset=loop.before, samples=_BURSTS, batch_seconds=_BURST_SECONDS, budget_seconds=_LOOP_SECONDS
        )
        return taken.best / loop.count

    # --- the loops ----------------------------------------------------------------------------------------------------

    def _all(self) -> Iterator[tuple[str, _Loop]]:
        yield "clock", self._clock()
        for name, text in self._operations().items():
            yield f"{name} latency", self._arithmetic(text, chains=1, length=_CHAIN)
            if name != "shuffle":
                yield name, self._arithmetic(text, chains=self._target.chains, length=1)
        yield "shuffle", self._loads(self._shuffle("{y}", "{x}"))
        yield "gather latency", self._gathers(dependent=True)
        yield "gather", self._gathers(dependent=False)
        yield "load", self._loads("")
        yield "store", self._stores()
        sizes = self._footprints()
        walked = (*sizes[:2], min(sizes[2], self._target.machine.l2.size) // 2, sizes[3])
        for k, size in enumerate(sizes):
            memory = self._memory(size)
            lines, walk = self._lines(memory, size), self._walk(memory, walked[k], self._target.machine.line)
            if k == 2:  # Others drive lines out of a shared cache within a millisecond: bring them there just before.
                walk = replace(walk, before=lines.bound)
            yield f"walk {k}", walk
            yield f"lines {k}", lines
        near = self._target.machine.l2.size // 4
        size = near // self._target.machine.line * _APART
        yield "pages", self._walk(self._memory(size), size, _APART)

    def _operations(self) -> dict[str, Lines]:
        """IR that makes {y} of {x}, for every operation; {t} is a name to use between."""
        vector = self._vector
        add = f"{{y}} = fadd {vector} {{x}}, %c0"
        fused = f"{{y}} = call {vector} @llvm.fmuladd.{self._suffix}({vector} {{x}}, {vector} %c0, {vector} %c1)"
        return {
            "multiply_add": (fused,),
            "add": (add,),
            "multiply": (f"{{y}} = fmul {vector} {{x}}, %c1",),
            "divide": (f"{{y}} = fdiv {vector} %c0, {{x}}",),
            "square_root": (f"{{y}} = call {vector} @llvm.sqrt.{self._suffix}({vector} {{x}})",),
            "shuffle": (self._shuffle("{t}", "{x}"), add.replace("{x}", "{t}")),
        }

    @property
    def _suffix(self) -> str:
        return f"v{self._lanes}f64"

    def _shuffle(self, result: str, value: str) -> str:
        """All lanes move by one."""
        order = ", ".join(f"i32 {(k + 1) % self._lanes}" for k in range(self._lanes))
        mask = f"<{self._lanes} x i32> <{order}>"
        return f"{result} = shufflevector {self._vector} {value}, {self._vector} poison, {mask}"

    def _clock(self) -> _Loop:
        """A chain of additions and exclusive ors, one cycle each on every core, while vectors multiply and add."""
        steps, chains = 16, 2
        carried = [("i64", "n", "%i0"), *((self._vector, f"x{k}", "%c1") for k in range(chains))]
        body, last = [], "%n"
        for k in range(steps // 2):
            body += [f"%a{k} = add i64 {last}, %i0", f"%b{k} = xor i64 %a{k}, %i1"]
            body.append(f'%e{k} = call i64 asm "", "=r,0"(i64 %b{k})')
            last = f"%e{k}"
        (fused,) = self._operations()["multiply_add"]
        body += [fused.format(x=f"%x{k}", y=f"%y{k}") for k in range(chains)]
        after = [last, *(f"%y{k}" for k in range(chains))]
        return self._loop(carried, body, after, _ITERATIONS, _ITERATIONS * steps)

    def _arithmetic(self, text: Lines, chains: int, length: int) -> _Loop:
        """Chains of an operation beside one another, of this length in one iteration."""
        carried = [(self._vector, f"x{k}", "%c1") for k in range(chains)]
        body, after = [], []
        for k in range(chains):
            last = f"%x{k}"
            for n in range(length):
                body += [line.format(x=last, y=f"%r{k}.{n}", t=f"%t{k}.{n}") for line in text]
                body.append(self._opaque(f"%y{k}.{n}", f"%r{k}.{n}"))
                last = f"%y{k}.{n}"
            after.append(last)
        return self._loop(carried, body, after, _ITERATIONS, _ITERATIONS * chains * length)

    def _loads(self, then: str) -> _Loop:
        """Loads, and what is done to every vector."""
        body = []
        for k in range(_ACCESSES):
            body += [self._at(k), f"%l{k} = load volatile {self._vector}, ptr %p{k}, align 64"]
            body.append(then.format(x=f"%l{k}", y=f"%v{k}"))
            value = f"%v{k}" if then else f"%l{k}"
            body.append(f'call void asm sideeffect "", "{self._register}"({self._vector} {value})')
        return self._loop([], body, [], _ITERATIONS, _ITERATIONS * _ACCESSES)

    def _stores(self) -> _Loop:
        body = []
        for k in range(_ACCESSES):
            body += [self._at(k), f"store volatile {self._vector} %c0, ptr %p{k}, align 64"]
        return self._loop([], body, [], _ITERATIONS, _ITERATIONS * _ACCESSES)

    def _gathers(self, dependent: bool) -> _Loop:
        """Every other number; of the next gather the addresses need the result, or not."""
        lanes, count = self._lanes, 4
        offsets = ", ".join(f"i64 {2 * k}" for k in range(lanes))
        true = ", ".join(["i1 true"] * lanes)
        body, last = [], "%n"
        for k in range(count):
            base = last if dependent else "%n"
            body += [
                f"%q{k} = getelementptr double, ptr %memory, i64 {base}",
                f"%a{k} = getelementptr double, ptr %q{k}, <{lanes} x i64> <{offsets}>",
                f"%g{k} = call {self._vector} @llvm.masked.gather.{self._suffix}.v{lanes}p0("
                f"<{lanes} x ptr> align 8 %a{k}, <{lanes} x i1> <{true}>, {self._vector} zeroinitializer)",
                f'call void asm sideeffect "", "{self._register}"({self._vector} %g{k})',
            ]
            if dependent:
                body += [f"%h{k} = extractelement {self._vector} %g{k}, i32 0", f"%j{k} = fptosi double %h{k} to i64"]
                body += [f"%m{k} = and i64 %j{k}, 1"]
                last = f"%m{k}"
        return self._loop([("i64", "n", "0")], body, [last], _ITERATIONS, _ITERATIONS * count)

    def _walk(self, memory: NDArray[np.uint8], size: int, stride: int) -> _Loop:
        """From line to line in a random cycle through all of them; every address is in the line before."""
        lines = max(16, size // stride)
        order = np.random.default_rng(0).permutation(lines)
        # A line on each page would fall into few sets of the caches: each is another line of its page.
        shift = (order * 64) % stride if stride > 64 else np.zeros_like(order)
        places = memory.ctypes.data + order * stride + shift
        numbers = memory.view(np.int64)
        numbers[(places - memory.ctypes.data) // 8] = np.roll(places, -1)
        body = [f"%q{k + 1} = load ptr, ptr %q{k}" for k in range(16)]
        steps, first = min(4096, max(1024, lines)), int(places[0])
        # The walk goes on where the last call of it has stopped.
        body = [line.replace("%q0,", "%q,").replace("ptr %q0", "ptr %q") for line in body]
        carried, then = [("ptr", "q", "%start")], ("store ptr %q16, ptr %where",)
        return self._loop(carried, body, ["%q16"], steps // 16, steps, memory=memory, start=first, then=then)

    def _lines(self, memory: NDArray[np.uint8], size: int) -> _Loop:
        """All lines in order, every vector of them."""
        line, bytes_ = self._target.machine.line, self._target.vector_bits // 8
        vectors = line // bytes_ if bytes_ < line else 1
        body, count = [], 4
        for k in range(count * vectors):
            body.append(f"%p{k} = getelementptr i8, ptr %at, i64 {k * bytes_}")
            body.append(f"%l{k} = load volatile {self._vector}, ptr %p{k}, align {bytes_}")
        body.append(f"%next = getelementptr i8, ptr %at, i64 {count * line}")
        # Of what is too large for a burst a part, the next one in the next burst.
        steps, start = min(size, _MOST_BYTES) // (count * line), memory.ctypes.data
        then = [f"%last = inttoptr i64 {start + size - steps * count * line} to ptr"]
        then += ["%past = icmp ugt ptr %next, %last", "%to = select i1 %past, ptr %memory, ptr %next"]
        then += ["store ptr %to, ptr %where"]
        carried = [("ptr", "at", "%start")]
        return self._loop(carried, body, ["%next"], steps, steps * count, memory=memory, start=start, then=then)

    def _footprints(self) -> tuple[int, ...]:
        """Bytes that lie well within a cache and well beyond the one before, and in memory."""
        machine = self._target.machine
        l1, l2, l3 = (cache.size for cache in machine.caches)
        far = min(max(2 * l3, 16 * l2), _MEMORY_BYTES, _free_memory() // 8)
        sizes = (l1 // 2, min(l2 // 2, 8 * l1), min(l3 // 2, 4 * l2), max(far, 8 * l2))
        return tuple(size // 4096 * 4096 for size in sizes)

    def _memory(self, size: int) -> NDArray[np.uint8]:
        """Pages of the usual size: with large ones every walk would be one through few pages."""
        pages = mmap.mmap(-1, size + _PAGE)
        with suppress(AttributeError, OSError):
            pages.madvise(mmap.MADV_NOHUGEPAGE)
        memory = np.frombuffer(pages, np.uint8)
        memory[::_PAGE] = 0
        return memory

    # --- text ---------------------------------------------------------------------------------------------------------

    def _at(self, k: int) -> str:
        return f"%p{k} = getelementptr {self._vector}, ptr %memory, i64 {k}"

    @property
    def _register(self) -> str:
        if not self._target.triple.startswith("x86_64"):
            return "w"
        return "v" if self._target.masks else "x"

    def _opaque(self, result: str, value: str) -> str:
        return f'{result} = call {self._vector} asm "", "={self._register},0"({self._vector} {value})'

    def _loop(
        self,
        carried: list[tuple[str, str, str]],
        body: list[str],
        after: list[str],
        iterations: int,
        count: int,
        memory: NDArray[np.uint8] | None = None,
        start: int = 0,
        then: Sequence[str] = (),
    ) -> _Loop:
        """`body`, `iterations` times; it makes values `after` of the (type, name, first value) `carried`. What stands
        in `then` says where the next call has to start."""
        text = self._burst(carried, body, after, iterations, then)
        loaded = jit.load(jit.object_code(text, self._target, optimize=False), ("polyloop.burst",))
        data = memory if memory is not None else self._memory(4 * _PAGE)
        slots = (ctypes.c_int64 * 2)(data.ctypes.data, start)
        bound = Bound(loaded.addresses["polyloop.burst"], slots, {}, {"memory": data}, 1, loaded)
        return _Loop(bound, count)

    def _burst(
        self,
        carried: list[tuple[str, str, str]],
        body: list[str],
        after: list[str],
        iterations: int,
        then: Sequence[str],
    ) -> str:
        """A function with such a loop, as LLVM IR."""
        entry = ["%memory = load ptr, ptr %slots", "%where = getelementptr i64, ptr %slots, i64 1"]
        entry += ["%start = load ptr, ptr %where"]
        # Through memory, so that nothing is known about them: 1.5, 1.0, and two numbers.
        for k, number in enumerate(("1.5", "1.0")):
            entry.append(f'%s{k} = call double asm "", "={self._register},0"(double {number})')
            entry.append(f"%v{k}.1 = insertelement {self._vector} poison, double %s{k}, i32 0")
            zeros = f"<{self._lanes} x i32> zeroinitializer"
            entry.append(f"%c{k} = shufflevector {self._vector} %v{k}.1, {self._vector} poison, {zeros}")
            entry.append(f'%i{k} = call i64 asm "", "=r,0"(i64 {k + 3})')
        phis = [
            f"%{name} = phi {kind} [ {first}, %entry ], [ {last}, %loop ]"
            for (kind, name, first), last in zip(carried, after, strict=True)
        ]
        uses = []
        for (kind, _, _), last in zip(carried, after, strict=True):
            where = self._register if kind == self._vector else "r"
            uses.append(f'call void asm sideeffect "", "{where}"({kind} {last})')
        uses += then
        return "\n".join(
            [
                f'target triple = "{self._target.triple}"',
                f'define void @polyloop.burst(ptr %slots) "prefer-vector-width"="{self._target.vector_bits}" {{',
                "entry:",
                *entry,
                "br label %loop",
                "loop:",
                "%i = phi i64 [ 0, %entry ], [ %more, %loop ]",
                *phis,
                *body,
                "%more = add i64 %i, 1",
                f"%again = icmp slt i64 %more, {iterations}",
                "br i1 %again, label %loop, label %done",
                "done:",
                *uses,
                "ret void",
                "}",
                f"declare {self._vector} @llvm.fmuladd.{self._suffix}({self._vector}, {self._vector}, {self._vector})",
                f"declare {self._vector} @llvm.sqrt.{self._suffix}({self._vector})",
                f"declare {self._vector} @llvm.masked.gather.{self._suffix}.v{self._lanes}p0("
                f"<{self._lanes} x ptr>, <{self._lanes} x i1>, {self._vector})",
                "",
            ]
        )


def _free_memory() -> int:
    """Bytes that this machine has to spare; a gigabyte where it does not say."""
    with suppress(OSError, ValueError):
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return 1 << 30
