"""What an optimization did, for people: one block of lines for each scop, with nothing in it that was not measured."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace

import islpy as isl

from polyloop.arithmetic import EXACT
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import Call, walk
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.errors import counted
from polyloop.measure.result import Candidate, Check, Fate, Judgement, Measurement, Result
from polyloop.schedules.legality import Proof
from polyloop.schedules.tree import Member, ScheduleTree, chained_members, restrict
from polyloop.scop.affine_isl import condition_text
from polyloop.scop.model import Array, Scop
from polyloop.scop.program import Team
from polyloop.support.compilers import NO_CONTRACTION

_NEVER = ("payloads of NaN", "C under clang -ffp-contract=fast")
_INDENT, _COLUMN = "  ", 16
_LONG = 80
_REASON = 240


@dataclass(frozen=True)
class Outcome:
    """What became of one scop: a result, or the reason why it was left as it is.

    Attributes:
        interrupted: there would have been more time.
        settled: nothing else would become of it.
        target: the instruction set that was asked for, "" for this machine's.
    """

    scop: Scop
    result: Result | None
    reason: str = ""
    interrupted: bool = False
    target: str = ""
    settled: bool = False

    @property
    def is_changed(self) -> bool:
        return self.result is not None and not self.result.is_original

    @property
    def place(self) -> str:
        """``file:line`` of the text behind ``#pragma scop``, without one the scop's name alone."""
        source = self.scop.source
        return f"{source.path}:{source.line}" if source else "polyloop"

    def remark(self) -> str:
        """One line for a scop without a result, as the front end says it for regions that it cannot take."""
        return f"{self.place}: remark: {self.name} is left as it is: {self.reason}"

    @property
    def name(self) -> str:
        """The scop's, and what it was optimized for."""
        return f"{self.scop.name} for {self.target}" if self.target else self.scop.name


def block(outcome: Outcome, verbose: bool = False) -> str:
    """The report of one scop; with `verbose` every candidate that was tried."""
    result = outcome.result
    if result is None:
        return outcome.remark()
    lines = [f"{outcome.place}: {outcome.name}: {_headline(result)}"]
    lines += [f"{_INDENT}{topic:<{_COLUMN}}{_folded(text)}" for topic, text in _rows(result)]
    if verbose:
        lines.append(f"{_INDENT}measured")
        lines += [f"{_INDENT * 2}{_fate(measured)}" for measured in result.measurements]
    return "\n".join(lines)


def _folded(text: str) -> str:
    """What is long gets a line for each part, so that one sees which statement is meant."""
    return text if len(text) <= _LONG else text.replace("; ", ";\n" + " " * (len(_INDENT) + _COLUMN))


def _headline(result: Result) -> str:
    tried = len(result.measurements)
    if not result.measured:
        return "not measured, as this machine does not run it; in the schedule that a search starts from"
    if result.is_original and tried == 1:
        return "nothing but the original loops could be tried; left as they are"
    if result.is_original:
        return f"the original loops are the fastest of {tried} that were tried; left as they are"
    return f"{_speedup(result)}, the best of {tried} that were tried"


def _speedup(result: Result) -> str:
    judged = result.judged
    if judged is None:
        return f"{result.speedup:.2f} times as fast as before"
    under = f"under {judged.compiler}"
    return f"{judged.ratio:.2f} times as fast as before ({judged.low:.2f} to {judged.high:.2f}) {under}"


def _compiler(result: Result) -> str:
    """What the user's compiler says; "" where it was not to be asked."""
    judged = result.judged
    if judged is None:
        return f"not asked: {result.unjudged}; the figures are our own code generator's" if result.unjudged else ""
    asked = f"{judged.compiler} ({judged.version})"
    if not result.is_original:
        return f"{asked}: {check_text(judged.check)}{_left_out(judged)}"
    if judged.candidate == result.best.name:
        wrong = sorted(judged.others, key=lambda each: each.kind is not Fate.WRONG_RESULTS)
        reason = f" ({' '.join(str(wrong[0].error).split())[:_REASON]})" if wrong else ""
        return f"{asked}: nothing else could be built and run{reason}"
    ratio = f"{judged.ratio:.2f} times as fast ({judged.low:.2f} to {judged.high:.2f})"
    return f"{asked}: the best of the others is {ratio}{_too_little(judged)}{_left_out(judged)}"


def _too_little(judged: Judgement) -> str:
    """Why a candidate that is faster is not written."""
    if judged.low <= 1:
        return ""
    if judged.ratio < judged.least:
        reason = "as it takes memory in each call" if judged.least > judged.GAIN else "to be worth reading"
        return f"; {reason} it would have to be {judged.least:.2f}"
    if judged.around is not None and judged.around < judged.least:
        return f"; with all sizes that the file runs it with together {judged.around:.2f}"
    if judged.smooth is not None and judged.on_both_data < judged.least:
        return f"; on data that vary slowly {judged.smooth:.2f}"
    return "; what it saves in a run is no more than code around it may cost"


def _left_out(judged: Judgement) -> str:
    """What the compiler did not take, and of what it makes other numbers; mostly as it fuses the two forms' operations
    differently."""
    causes = (Fate.WRONG_RESULTS, Fate.NO_CODE)
    lost = [each for kind in causes for each in judged.others if each.kind is kind]
    if not lost:
        return ""
    several = f"{len(lost)} candidates, one of them: " if len(lost) > 1 else ""
    hint = f"; with {NO_CONTRACTION} in --cc all forms have the same bits"
    freely = lost[0].kind is Fate.WRONG_RESULTS and NO_CONTRACTION not in judged.compiler
    return f"; left out: {several}{' '.join(str(lost[0].error).split())[:_REASON]}{hint if freely else ''}"


def _rows(result: Result) -> Iterator[tuple[str, str]]:
    told = words(result.scop, result.best, result.in_registers)
    if not result.is_original and "vector loop" not in told:
        told["vector loop"] = "none" if result.best.explicit else "left to the compiler"
    yield from told.items()
    if result.scop.source is not None:
        compiler = result.judged.compiler if result.judged is not None else ""
        parallel = "parallel loop" in told
        yield from openmp_words(result.scop.source.team, result.is_original, parallel, compiler).items()
        if not result.is_original:
            yield from supposed_words(result.scop.source.supposed).items()
        if between := _between(result.scop):
            yield "tested", f"{between}; elsewhere the original loops run"
    if not result.is_original and result.judged is not None and result.judged.around is not None:
        yield "own sizes", f"{result.judged.around:.2f} times as fast, all that the file runs it with together"
    if not result.is_original and result.judged is not None and result.judged.smooth is not None:
        yield "smooth data", f"{result.judged.smooth:.2f} times as fast where data vary slowly from element to element"
    if result.above:
        yield "small sizes", f"the original loops, but where {result.above}"
    yield "time", _times(result)
    yield "proof", _proof(result.proof)
    if compiler := _compiler(result):
        yield "compiler", compiler
    yield "check", check_text(result.check) + ("" if result.measured else "; in this machine's instructions alone")
    if result.reproducible:
        yield "reproducible", reproducible_words(result.scop)
    yield from (("assumed", text) for text in result.assumed)
    sizes = ", ".join(f"{name}={value}" for name, value in result.sizes.items())
    yield "sizes", f"{sizes} ({result.sizes_from})" if sizes else result.sizes_from


def _between(scop: Scop) -> str:
    """What the model takes parameters to be to each other, as rows to be at least as long as what is read of them: of
    that, only a test in the emitted C says whether it is so."""
    needed = scop.assumptions.gist(scop.context).coalesce()
    parameters = range(needed.dim(isl.dim_type.param))
    constraints = (c for part in needed.get_basic_sets() for c in part.get_constraints())
    related = any(sum(c.involves_dims(isl.dim_type.param, k, 1) for k in parameters) > 1 for c in constraints)
    return condition_text(needed) if related else ""


def openmp_words(team: Team | None, is_original: bool, is_parallel: bool, compiler: str) -> dict[str, str]:
    """Topic -> what became of directives of OpenMP, and of loops that have none.

    Args:
        is_parallel: there are parallel loops now.
        compiler: the user's, with its flags, where it has measured; else "".
    """
    if team is None:
        return (
            {"openmp": "proposed: the loops have no #pragma omp, and the parallel ones get one"} if is_parallel else {}
        )
    said = "; ".join(f"#pragma {words} (line {line})" for words, line in team.directives)
    told = {"openmp": f"{said}: {'stays' if is_original else 'the parallel loops have its threads'}"}
    if team.reductions and not is_original:
        kept = "the order stays as it is written (--reassociate gives it up, too)"
        told["reductions"] = f"{', '.join(team.reductions)} leaves the order open; {kept}"
    if "-fopenmp" not in compiler:
        told["threads"] = "the original loops were timed in one (with -fopenmp in --cc they run in theirs)"
    return told


def supposed_words(supposed: tuple[tuple[str, int], ...]) -> dict[str, str]:
    """Topic -> the values of parameters that the loops are written for alone."""
    if not supposed:
        return {}
    values = " and ".join(f"{name} = {value}" for name, value in supposed)
    other = ",".join(f"{name}={value + 1}" for name, value in supposed)
    return {"written for": f"{values}: else the original loops run; --sizes {other} writes them for other values"}


def _proof(proof: Proof) -> str:
    if proof.dependences == 0:
        kept = "no dependences to keep"
    else:
        kept = f"{counted(proof.dependences, 'dependence')} checked, all kept"
    return "; ".join((kept, *proof.freedom))


def _times(result: Result) -> str:
    if not result.measured:
        return f"unknown: {result.timing.error}"
    if result.is_original:
        return f"{seconds_text(result.baseline.median)} ({_runs(result.baseline)})"
    before, after = seconds_text(result.baseline.median), seconds_text(result.timing.median)
    return f"{before} before, {after} after ({_runs(result.timing)})"


def _runs(timing: Measurement) -> str:
    return f"median of {timing.runs} runs" if timing.runs > 1 else "one run"


def check_text(check: Check) -> str:
    """How the results compare with the original's."""
    compared = f"{counted(check.compared, 'element')} compared"
    if check.rounding is not None:
        fused = f"the roundings differ from those of fused multiply-adds by {check.rounding:.1e} at most"
        return f"{check_text(replace(check, rounding=None))}, with the original loops rounded the same way; {fused}"
    if check.different == 0:
        return f"{compared}, all bit-equal"
    within = "within" if check.passed else "beyond"
    return (
        f"{compared}, {check.different} differ, by {check.largest:.1e} at most: "
        f"{within} the tolerance of {check.tolerance:.1e}"
    )


def _fate(measured: Measurement) -> str:
    return f"{measured.name}: {seconds_text(measured.median) if measured.ran else measured.error}"


def seconds_text(seconds: float) -> str:
    """Three significant digits in a unit that suits them."""
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


# --- What a schedule does, in words: read off its tree, so that the report says what runs -----------------------------


_IN_REGISTERS = (LoopKind.UNROLLED, LoopKind.VECTOR)


@dataclass(frozen=True)
class _Loop:
    """One loop around a statement: floor(row / divisor); `size`: how many of its iterations a tile has, if tiled."""

    row: Affine
    divisor: int
    kind: LoopKind
    size: int | None

    @property
    def is_tile(self) -> bool:
        return self.divisor > 1


def words(original: Scop, candidate: Candidate, in_registers: Collection[str] = ()) -> dict[str, str]:
    """Topic -> what was done: order, tiles, register tile, vector loop, parallel loop, multiply-adds, expanded arrays.

    Topics with nothing to say are left out.

    Args:
        in_registers: arrays of the candidate that need no memory.
    """
    if candidate.tree is None:
        return {}
    loops = dict(_loops(candidate.tree))
    topics: dict[str, Callable[[tuple[_Loop, ...]], str]] = {
        "order": _order,
        "tiles": _tiles,
        "register tile": _register_tile,
        "vector loop": lambda around: _of_kind(around, LoopKind.VECTOR),
        "parallel loop": lambda around: _of_kind(around, LoopKind.PARALLEL),
    }
    told = {topic: _by_statement(loops, describe) for topic, describe in topics.items()}
    told["multiply-adds"] = _roundings(candidate)
    told["expanded arrays"] = ", ".join(_expanded(original, candidate.scop, in_registers))
    return {topic: text for topic, text in told.items() if text}


def _by_statement(loops: Mapping[str, tuple[_Loop, ...]], describe: Callable[[tuple[_Loop, ...]], str]) -> str:
    """Statements of which the same is to be said are named together; all of them are not named at all."""
    groups: dict[str, list[str]] = {}
    for statement, around in loops.items():
        groups.setdefault(describe(around), []).append(statement)
    said = [(text, names) for text, names in groups.items() if text]
    if len(said) == 1 and len(said[0][1]) == len(loops):
        return said[0][0]
    return "; ".join(f"{', '.join(names)}: {text}" for text, names in said)


def _loops(tree: ScheduleTree) -> Iterator[tuple[str, tuple[_Loop, ...]]]:
    """(statement, the loops around it, outermost first); a constant row is no loop."""
    for statement in tree.statements:
        around = chained_members(restrict(tree.root, frozenset((statement,))))
        members = [m for m in around if not m.row(statement).is_constant]
        yield statement, tuple(_loop(members, k, statement) for k in range(len(members)))


def _loop(members: list[Member], position: int, statement: str) -> _Loop:
    member = members[position]
    row = member.row(statement)
    above = [m.divisor for m in members[:position] if m.row(statement) == row and m.divisor > member.divisor]
    return _Loop(row, member.divisor, member.kind, above[-1] // member.divisor if above else None)


def _order(around: tuple[_Loop, ...]) -> str:
    """Point loops by their rows, tile loops with "tile" before them."""
    return ", ".join(f"tile {loop.row}" if loop.is_tile else str(loop.row) for loop in around)


def _tiles(around: tuple[_Loop, ...]) -> str:
    """Sizes of the tiles that are no register tiles, from the largest level to the smallest."""
    sizes: dict[str, list[int]] = {}
    registers = {(loop.row, loop.size) for loop in _in_registers(around)}
    for loop in around:
        if loop.is_tile and (loop.row, loop.divisor) not in registers:
            sizes.setdefault(str(loop.row), []).append(loop.divisor)
    return ", ".join(f"{row} by {' and '.join(map(str, divisors))}" for row, divisors in sizes.items())


def _register_tile(around: tuple[_Loop, ...]) -> str:
    if not (tile := _in_registers(around)):
        return ""
    return f"{' x '.join(str(loop.size) for loop in tile)} ({', '.join(str(loop.row) for loop in tile)})"


def _in_registers(around: tuple[_Loop, ...]) -> tuple[_Loop, ...]:
    """The loops of a register tile. Without an unrolled one there is none: a vector loop alone runs over any tile."""
    tile = tuple(loop for loop in around if loop.kind in _IN_REGISTERS and loop.size is not None)
    return tile if any(loop.kind is LoopKind.UNROLLED for loop in tile) else ()


def _of_kind(around: tuple[_Loop, ...], kind: LoopKind) -> str:
    found = [loop for loop in around if loop.kind is kind]
    return ", ".join(f"tile {loop.row}" if loop.is_tile else str(loop.row) for loop in found)


def _roundings(candidate: Candidate) -> str:
    apart = [s.name for s in candidate.scop.statements if s.name in candidate.apart]
    return f"rounded twice in {', '.join(apart)}" if apart else ""


def _expanded(original: Scop, scop: Scop, in_registers: Collection[str]) -> Iterator[str]:
    """Arrays of the scop that the original does not have in this shape."""
    before = {array.name: array for array in original.arrays}
    for array in scop.arrays:
        old = before.get(array.name)
        if old is None:
            yield f"{_shape(array)} (new{', in registers' if array.name in in_registers else ''})"
        elif old.shape != array.shape:
            yield f"{_shape(old)} as {_shape(array)}"


def _shape(array: Array) -> str:
    return array.name + "".join(f"[{'' if extent is None else extent}]" for extent in array.shape)


# --- reproducible results ---------------------------------------------------------------------------------------------
#
# IEEE 754 leaves no choice for + - * / and sqrt, nor for conversions: with one order of operations they give the same
# bits on every processor and under every compiler. The functions of libm are rounded as its authors like, and compilers
# may put their own in their places.


def free_functions(scop: Scop) -> tuple[str, ...]:
    """Functions that the Scop calls and whose results are not given by their arguments alone, in the order of calls."""
    called = (node.function for s in scop.statements for node in walk(s.value) if isinstance(node, Call))
    return tuple(dict.fromkeys(name for name in called if name not in EXACT))


def not_covered(scop: Scop) -> list[str]:
    """What may still differ from one machine to another."""
    return [*_NEVER, *(f"{name}()" for name in free_functions(scop))]


def reproducible_words(scop: Scop) -> str:
    """What is promised, and what it does not hold for."""
    promise = "the same bits on every processor and under every compiler"
    return f"{promise}; not covered: {', '.join(not_covered(scop))}"
