"""The suite ``sweeps``: random stencils and triangular nests in forms that the default search tries, as C.

Every function stands in the file several times, each time in another form: one of the search's bases, each of whose
nests has one of its legal shapes, now and then with loops in parallel. The rest is as in the suite ``emitted``.

Random sweeps over grids and random triangular nests, as C functions: what time tiles, panels and lanes along skewed
rows are for.

In bounds: a loop leaves as much room at both ends of the array as the offsets in it reach, and triangles stay within
the square. Values stay finite where the data are: a sweep's new values are weighted means, and triangles start from
matrices with a heavy diagonal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from polyloop.backend.c.printer import print_c
from polyloop.backend.machine.host import host_target
from polyloop.bench.fuzz_emitted import Chosen, Kind, episode_of
from polyloop.bench.fuzz_outcome import Outcome
from polyloop.bench.random_functions import FLOATS, Maker, RandomArray, RandomFunction
from polyloop.errors import PolyloopError
from polyloop.lowering.run_time_tests import run_time_tests
from polyloop.lowering.to_c_file import Replacement
from polyloop.lowering.to_nest import lower
from polyloop.measure.evaluator import Evaluator, InProcess, Options
from polyloop.schedules.tree import ScheduleTree
from polyloop.scop.model import Scop
from polyloop.search.isl_search import all_bases, as_candidate
from polyloop.shaping.shaped import legal_shapes, with_first_shapes

REACH = 2
"""The largest offset of a sweep's reads."""

_SIDES = {1: 331, 2: 107, 3: 39}
"""The largest n by the number of dimensions: some tiles of every size, and a rest."""
_SIDE = 71
"""Of a triangle."""
_WEIGHTS = ("0.5", "0.25", "0.125", "0.2", "0.3", "(1.0 / 3)")


def random_sweep(rng: np.random.Generator, name: str) -> RandomFunction:
    """The same function for the same state of the generator: a sweep, or a triangular nest."""
    return _Sweep(rng, name).function() if rng.random() < 0.7 else _Triangle(rng, name).function()


def _loop(depth: int, iterator: str, lower: str, upper: str, backward: bool) -> str:
    head = f"{iterator} = {lower}; {iterator} < {upper}; {iterator}++"
    if backward:
        head = f"{iterator} = {upper} - 1; {iterator} >= {lower}; {iterator}--"
    return f"{'    ' * depth}for (int {head})"


@dataclass
class _Maker(Maker):
    lines: list[str] = field(default_factory=list)

    def _function(self, arrays: Sequence[RandomArray], calls: tuple[tuple[int, int], ...]) -> RandomFunction:
        """Of the lines so far; before the region the data are brought into a range in which they stay."""
        parameters = ", ".join(f"{a.type} {a.name}{''.join(f'[{e}]' for e in a.extents)}" for a in arrays)
        text = [f"void {self.name}(int n, int m, double alpha, {parameters})", "{", *self._before(), "#pragma scop"]
        text += [*self.lines, "#pragma endscop", "}"]
        return RandomFunction(
            self.name, "\n".join(text) + "\n", ("int", "int"), "double", tuple(arrays), self.name, calls
        )

    def _before(self) -> Sequence[str]:
        return ()


@dataclass
class _Sweep(_Maker):
    """Several time steps over one to three arrays, in place or not, with boundaries and copies between."""

    def function(self) -> RandomFunction:
        self.dims = self._one_of((1, 2, 2, 2, 3))
        side = _SIDES[self.dims]
        type_ = self._one_of(FLOATS)
        self.arrays = "ABC"[: self._one_of((1, 2, 2, 2, 3))]
        if self._chance(0.85):
            self.lines.append("    for (int t = 0; t < m; t++) {")
        self.timed = bool(self.lines)
        if len(self.arrays) > 1 and self._chance(0.6):  # as of methods that take two arrays in turn
            one, other = self._one_of((("A", "B"), ("B", "A")))
            self._grid(one, (other,))
            self._grid(other, (one,))
        else:
            for _ in range(self._one_of((1, 1, 2, 3) if self.dims < 3 else (1, 1, 2))):
                if self._chance(0.25):
                    self._boundary()
                self._grid(self._one_of(self.arrays), self.arrays)
            if self._chance(0.25):
                self._boundary()
        if self.timed:
            self.lines.append("    }")
        # What is not used stays the same: it is compared, too.
        arrays = [RandomArray(name, type_, [side] * self.dims, False, False) for name in self.arrays]
        few = 2 * REACH + 1
        calls = ((0, 0), (few, 3), (few + 4, 9), (side // 2, 35), (side, 1), (side - 1, 13), (side, 34 // self.dims))
        return self._function(arrays, calls)

    def _grid(self, target: str, sources: Sequence[str]) -> None:
        """A nest over the grid of one or two statements. Offsets of one statement often go one way only."""
        iterators = "ijk"[: self.dims]
        reach = self._one_of((1, 1, REACH))
        statements = [self._statement(target, sources, iterators, reach)]
        if self._chance(0.25):
            statements.append(self._statement(self._one_of(self.arrays), sources, iterators, reach))
        depth = 1 + self.timed
        backward = self._chance(0.1)
        for iterator in iterators:
            lower, less = self._integer(reach, REACH), self._integer(reach, REACH)
            self.lines.append(_loop(depth, iterator, str(lower), f"n - {less}", backward and iterator == "i"))
            depth += 1
        if len(statements) > 1:
            self.lines[-1] += " {"
        self.lines += ["    " * depth + text for text in statements]
        if len(statements) > 1:
            self.lines.append("    " * (depth - 1) + "}")

    def _statement(self, target: str, sources: Sequence[str], iterators: str, reach: int) -> str:
        here = "".join(f"[{name}]" for name in iterators)
        reads = [self._read(self._one_of(sources), iterators, reach) for _ in range(self._integer(2, 6))]
        match self._integer(0, 6):
            case 0 | 1:
                value = f"{self._one_of(_WEIGHTS[1:4])} * ({' + '.join(reads[:5])})"
            case 2 | 3:
                value = " + ".join(f"{self._one_of(_WEIGHTS[2:4])} * {read}" for read in reads)
            case 4:
                value = f"({' + '.join(reads[:3])}) / 3"
            case 5:
                value = f"{target}{here} - 0.125 * ({reads[0]} - {reads[1]})"
            case _:
                value = f"0.25 * ({reads[0]} - {reads[1]}) + alpha * (0.5 * {reads[-1]})"
        return f"{target}{here} = {value};"

    def _read(self, array: str, iterators: str, reach: int) -> str:
        """An element beside this one: mostly along one direction."""
        offsets = [0] * self.dims
        for _ in range(self._one_of((0, 1, 1, 1, 2))):
            offsets[self._integer(0, self.dims - 1)] = self._integer(-reach, reach)
        return array + "".join(
            f"[{n}{f' {k:+d}'.replace('+', '+ ').replace('-', '- ') if k else ''}]"
            for n, k in zip(iterators, offsets, strict=True)
        )

    def _boundary(self) -> None:
        """A face of the grid: constants, times or what stands beside it."""
        inner = "jk"[: self.dims - 1]
        depth = 1 + self.timed
        for iterator in inner:
            self.lines.append(_loop(depth, iterator, "0", "n", False))
            depth += 1
        rest = "".join(f"[{name}]" for name in inner)
        array = self._one_of(self.arrays)
        values = ["0", "alpha", f"{array}[{REACH}]{rest}", f"0.5 * {self.arrays[-1]}[1]{rest}"]
        if self.timed:
            values.append("0.03125 * t")
        self.lines.append(f"{'    ' * depth}{array}[{self._one_of((0, 0, 1))}]{rest} = {self._one_of(values)};")

    def _before(self) -> Sequence[str]:
        return ("    if (n < 5)", "        return;")


@dataclass
class _Triangle(_Maker):
    """Nests whose inner loops end at outer ones: sums, updates in place, divisions by the diagonal, scalars."""

    def function(self) -> RandomFunction:
        self.type = self._one_of(FLOATS)
        self.scalar = False
        for _ in range(self._one_of((1, 1, 1, 2))):
            self._nest()
        square, line = [_SIDE, _SIDE], [_SIDE]
        arrays = [RandomArray(a, self.type, square, False, False) for a in "AB"]
        arrays += [RandomArray(a, self.type, line, False, False) for a in "xy"]
        calls = ((0, 0), (1, 1), (2, 3), (7, 5), (_SIDE, 0), (_SIDE - 1, 0), (16, 0), (33, 1), (48, 2))
        return self._function(arrays, calls)

    def _before(self) -> Sequence[str]:
        lines = [f"    for (int k = 0; k < {_SIDE}; k++) {{", f"        for (int l = 0; l < {_SIDE}; l++) {{"]
        lines += ["            A[k][l] *= 0.0078125;", "            B[k][l] *= 0.0625;", "        }"]
        lines += ["        A[k][k] += 4;", "        B[k][k] += 4;", "    }"]
        return [*lines, f"    {self.type} w = 0;"] if self.scalar else lines

    def _nest(self) -> None:
        """An outer loop over rows, with one to three inner ones and statements around them."""
        self.lines.append(_loop(1, "i", "0", "n", self._chance(0.2)) + " {")
        if self._chance(0.2):
            self._plain(2, "i", "i")
        for _ in range(self._one_of((1, 1, 2))):
            match self._integer(0, 3):
                case 0:
                    self._sum(2, "i", "i")
                case _:
                    self._columns()
        if self._chance(0.4):
            self._plain(2, "i", "i")
        self.lines.append("    }")

    def _columns(self) -> None:
        lower, upper = self._range("i")
        self.lines.append(_loop(2, "j", lower, upper, self._chance(0.1)) + " {")
        if self._chance(0.15):
            self._plain(3, "i", "j")
        if self._chance(0.85):
            self._sum(3, "i", "j")
        if self._chance(0.5):
            self._plain(3, "i", "j")
        self.lines.append("        }")

    def _range(self, *around: str) -> tuple[str, str]:
        outer = self._one_of(around)
        below, above = ("0", outer), (f"{outer} + 1", "n")
        return self._one_of((below, below, ("0", f"{outer} + 1"), above, above, (outer, "n"), ("0", "n")))

    def _sum(self, depth: int, row: str, column: str) -> None:
        """A loop of updates of an element; "k" runs within a triangle."""
        lower, upper = self._range(row, column)
        reads = (f"[{row}][k]", f"[k][{column}]", f"[{column}][k]", f"[k][{row}]")
        first, second = (self._one_of("AAB") + self._one_of(reads) for _ in range(2))
        if self._chance(0.25):
            second = self._one_of(("x[k]", "y[k]"))
        targets = [f"A[{row}][{column}]", f"B[{row}][{column}]", f"x[{row}]", f"A[{column}][{row}]"]
        targets += [f"A[{row}][k]", f"A[{column}][k]", f"y[{column}]"]
        target, last = self._one_of(targets[:2] * 2 + targets), ""
        if self._chance(0.2) and "k" not in target:
            self.scalar, last = True, f"{'    ' * depth}{target} = {self._one_of(('w', '0.5 * w', 'sqrt(fabs(w))'))};"
            self.lines.append(f"{'    ' * depth}w = {self._one_of(('0', target))};")
            target = "w"
        self.lines.append(_loop(depth, "k", lower, upper, self._chance(0.1)))
        factor = self._one_of(("", "", "", "0.5 * ", "alpha * "))
        self.lines.append(f"{'    ' * (depth + 1)}{target} {self._one_of('--+')}= {factor}{first} * {second};")
        if last:
            self.lines.append(last)

    def _plain(self, depth: int, row: str, column: str) -> None:
        at = f"A[{row}][{column}]"
        diagonal = f"A[{column}][{column}]"
        options = [f"{at} /= {diagonal};", f"{at} = {at} / {diagonal};", f"B[{row}][{column}] = alpha * {at};"]
        options += [f"x[{row}] = y[{row}];", f"x[{column}] = x[{column}] / {diagonal};", f"{at} *= 0.5;"]
        if row == column:
            options += [f"{at} = sqrt(fabs({at}));"] * 2
        self.lines.append("    " * depth + self._one_of(options))


FORMS = 4
FUNCTIONS = 10

_MOST_BASES, _MOST_SHAPES = 8, 14
_FIRST, _PARALLEL = 0.3, 0.15
"""How often all nests have their first shapes, and loops run in parallel."""
_GENERATION_SECONDS = 10.0
_LONGEST = 150_000
"""Characters of a function."""

T = TypeVar("T")


def episode(job: Mapping[str, Any]) -> Outcome:
    """One episode; see `fuzz_emitted.episode`."""
    kind = Kind(random_sweep, f"{__name__}:scheduled", forms=FORMS, functions=FORMS * FUNCTIONS, seconds=60.0)
    return episode_of(job, Outcome("sweeps"), kind)


class _Bases(Evaluator):
    """Measures nothing, and runs in a worker already: what isl takes too long for ends that."""

    def scheduled(self, function: str, *arguments: object) -> ScheduleTree | None:
        try:
            tree = InProcess().call(function, arguments, timeout=_GENERATION_SECONDS)
        except PolyloopError:
            return None
        assert tree is None or isinstance(tree, ScheduleTree)
        return tree


def scheduled(scop: Scop, rng: np.random.Generator, contract: bool) -> Chosen | str:
    """What is chosen, or why nothing is; for a worker, since nothing bounds the time that isl takes."""
    options = Options(threads=2 if rng.random() < _PARALLEL else 1, contract=contract)
    try:
        with _Bases(scop, dict.fromkeys(scop.parameters, 64), host_target(), options, in_process=True) as evaluator:
            return _chosen(evaluator, rng)
    except PolyloopError as error:
        return type(error).__name__


def _chosen(evaluator: Evaluator, rng: np.random.Generator) -> Chosen | str:
    base = _drawn(all_bases(evaluator), rng, _MOST_BASES, 3)
    assert base is not None
    proofs, target = evaluator.proofs, evaluator.target
    base = with_first_shapes(proofs, target, base)
    for nest in base.nests() if rng.random() > _FIRST else ():
        named = _drawn(legal_shapes(proofs, target, base, nest), rng, _MOST_SHAPES, 2)
        changed = base if named is None else base.with_shape(nest, *named)
        if proofs.is_legal(base.scop, changed.shaped(proofs.dependences(base.scop))):
            base = changed
    candidate = as_candidate(evaluator, base)
    program = evaluator.program(candidate, partial(lower, seconds=_GENERATION_SECONDS))
    if len(print_c(program).text) > _LONGEST:
        return "too long"
    assert evaluator.scop.source is not None
    run_time_tests(evaluator.scop, program, evaluator.scop.source)  # whether there are any
    return Chosen(candidate.name, Replacement(evaluator.scop, program), f"{target.vector_bits} bits", ())


def _drawn(found: Iterator[T], rng: np.random.Generator, most: int, draws: int) -> T | None:
    """One of the first, which are the most promising ones: the earliest of some draws."""
    first = list(islice(found, int(rng.integers(1, most + 1, draws).min())))
    return first[-1] if first else None
