"""The data of a static control part, as both front ends make it; `polyloop.scop.model.Scop` adds its dependences.

A Scop is a list of statements in textual order. A statement has a domain (an isl set named after the statement, over
its iterators), one written access, an expression with its read accesses, and its original schedule as a 2d+1 vector
(Feautrier, "Some efficient solutions to the affine scheduling problem, part II", 1992): constants for textual order
alternate with iterators, negated where the loop runs down.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self, TypeVar

import islpy as isl

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import TRUE, Affine, Compare, Condition, affine
from polyloop.backend.ir.expressions import reads, text
from polyloop.backend.ir.loop_nest import ENDLESS, Compute
from polyloop.backend.ir.polynomials import Polynomial
from polyloop.backend.ir.ranges import are_never_negative_zero, value_bounds
from polyloop.errors import PolyloopError, printable
from polyloop.scop.affine_isl import NotAffineError, affine_to_text, condition_to_text

_FAR = 1 << 24
"""Limits of indices from data that lie beyond say nothing."""

_Named = TypeVar("_Named", "Array", "Statement")


class UnknownNameError(PolyloopError):
    """A Scop has nothing of a name; says what it has."""


def _named(kind: str, name: str, among: Sequence[_Named]) -> _Named:
    for each in among:
        if each.name == name:
            return each
    raise UnknownNameError(f"there is no {kind} {name!r}; there are {', '.join(each.name for each in among)}")


@dataclass(frozen=True)
class SourceLocation:
    """A place in a file: line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Declaration:
    """A variable that is declared outside of a region whose text names it.

    Attributes:
        text: without storage class and value.
        parameter: the same as a parameter of a function that has the same memory: what is an array of its own, and no
            pointer, is ``restrict``.
        value: of a local constant; else "".
        place: "parameter", "local" or "global", or "called": a global that functions name which the region calls.
    """

    name: str
    text: str
    parameter: str
    value: str
    place: str


@dataclass(frozen=True)
class RowTable:
    """Pointers to the rows of an array, which are equally far apart.

    Attributes:
        text: C's expression of the table.
        boxes: the first and the last row that is used, as C, of each level where pointers lead to tables of pointers;
            where that is no box, of several that make up all of them.
        strides: the parameters that say how far rows lie apart, one of each level.
        array: the Scop's.
        size: bytes of an element.
    """

    text: str
    boxes: tuple[tuple[tuple[str, str], ...], ...]
    strides: tuple[str, ...]
    array: str
    size: int


@dataclass(frozen=True)
class Memory:
    """A parameter or an array that C does not call by one name, or whose value stores might change.

    Attributes:
        name: the Scop's.
        text: C's expression: of a parameter its value, of an array where it is.
        read: under which condition on the parameters before it C certainly reads that.
        cells: what emitted C reads there before the loops: lvalues, and the arrays that none of these may overlap.
        object: what the array lies in; arrays of one object do not overlap.
        tests: C conditions on the layout of structures.
        late: its text needs the values of other parameters.
        polynomial: of a parameter that is computed from other variables: products of names, and their coefficients.
        divisor: the variable that the polynomial is divided by, rounded towards zero; "": by none.
        multiple: so many times that variable, or so much where there is none.
        table: of a parameter that is the distance of rows behind pointers: these.
    """

    name: str
    text: str
    read: Condition = TRUE
    cells: tuple[tuple[str, tuple[str, ...]], ...] = ()
    object: str = ""
    tests: tuple[str, ...] = ()
    late: bool = False
    polynomial: Polynomial = ()
    divisor: str = ""
    multiple: int = 1
    table: RowTable | None = None

    @property
    def is_quotient(self) -> bool:
        """Whether several values of what it is computed from give the same one."""
        return bool(self.divisor) or self.multiple > 1


@dataclass(frozen=True)
class Team:
    """How directives of OpenMP have a region's loops run in threads.

    Attributes:
        directives: their words and lines in the file, in its order.
        shared: the region is one loop that the threads of a team around it share out (``omp for``): each of them comes
            here.
        clauses: what a directive of our own says besides ("schedule(dynamic)").
        threads: how many are asked for; 0: it is not said.
        condition: of C, under which there are threads at all; "": always.
        reductions: clauses that leave the order of a sum open ("reduction(+: s)").
        others: how many of the region's outermost loops have no threads.
    """

    directives: tuple[tuple[str, int], ...]
    shared: bool = False
    clauses: str = ""
    threads: int = 0
    condition: str = ""
    reductions: tuple[str, ...] = ()
    others: int = 0


@dataclass(frozen=True)
class WrittenOut:
    """Where the body of a macro stands for its use, or a file's text for the directive that includes it.

    Attributes:
        begin, end: offsets of that.
        text: what stands there in the file.
        path: of the file that is included.
    """

    begin: int
    end: int
    text: str
    path: str = ""


def lines_added(text: str, expanded: Sequence[WrittenOut], offset: int) -> int:
    """How many lines more than the file a text has before an offset; inside of a macro's body those from its use on."""
    return sum(
        text.count("\n", each.begin, min(offset, each.end)) - (each.text.count("\n") if offset >= each.end else 0)
        for each in expanded
        if each.begin < offset
    )


@dataclass(frozen=True)
class Turns:
    """A counter of a loop around a region, each iteration of which runs the region.

    Attributes:
        counter: the parameter.
        first, end: the values from which, and before which, it runs through all, in terms of variables.
    """

    counter: str
    first: Affine
    end: Affine


@dataclass(frozen=True)
class SourceRegion:
    """Where a Scop stands in its C file, as offsets into the text.

    Attributes:
        function: name of the C function around it.
        function_start: offset of the beginning of the line on which the function's definition starts (helpers go here).
        begin, end: the text between ``#pragma scop`` and ``#pragma endscop``: from behind the first pragma's line to
            the start of the second's; without pragmas, that of the statements alone.
        addresses: for every array, the C expression of the address of its first element ("&A[0][0]", "a", "&alpha").
        parameter_order: the C function's parameter names in order (those that the Scop does not use too).
        parameter_types: the C types of the Scop's parameters, where they are known.
        macros: what the file, its headers and the command line define as macros, anywhere.
        poisoned: the names that ``#pragma GCC poison`` forbids behind it.
        definition: offset of the first token of the function's definition itself, behind pragmas and attributes of GNU
            C (one more attribute may stand there); None: `function_start`.
        marked: pragmas stand around it.
        alone: it is the one statement behind a header (``if (...)``), without braces.
        around: the loops around it, outermost first, by their counters; "" where one has none.
        counters: those that are declared outside of it, and other variables there of which nothing is left behind it.
        memory: of parameters and arrays that are no plain variables.
        declarations: of the variables that the text names, each behind those that its own declaration names.
        above: the lines of pragmas before ``#pragma scop`` that are about the loop behind it: they go where it goes.
        team: what directives of OpenMP say of its loops.
        behind: C statements that the region's own text does, and the Scop does not: they run behind what is made of it.
        kept: numbers that these ask for: names, and what they are worth where the region begins, as C: the region may
            change what that is made of.
        own: declarations of variables that what is made of it stores to, and the region's own text does not know.
        given: what variables are worth where it begins, as C, where that went into the Scop.
        outside: the functions that it calls and of which nothing is known: it can be looked at, but not be run.
        expanded: where the text has macros' bodies and the file their uses.
        supposed: the parameters that it was read for one value of alone, which the assumptions ask for.
        known: the parameters whose values statements before it tell, in terms of others, in the order of computation.
        computed: the same of products and quotients, which no set of the set library has: for sizes to measure at.
        tests: what else has to hold, as C, of types that were read by their names.
        declared: the functions of math.h that something before its function declares at the file's level.
        labels: those directly behind it that its text jumps to.
        called: the definitions of functions that its text calls, and these call, and that stand behind its function.
        apart: pairs of arrays of which ``restrict`` says that they do not overlap.
        usual: what parameters, and variables that these are computed from, are worth where the file itself runs the
            region, as far as its constants tell: sizes to measure at, nothing more.
        constants: those of the Scop's parameters, and of integers that it reads, that are constants wherever the file
            runs the region, and which ones: compilers make versions of functions for what calls pass.
        seen_through: the compiler has told some of these, which it knows as it puts the function in its calls' place.
        unaliased: parameters of the function for which a call passes an array of the caller's own: where compilers
            replace that call by the function, they know that nothing else points there.
        once: the program runs the region once, as far as the file tells.
        runs, calls: an estimate of how often one call of its function runs the region, and of how often the program
            calls that.
        fewest: of how often the program runs it, where loops of which nobody knows the ends are short.
        turns: the parameters that are counters of loops around the region.
        types: the definitions of types and enumerators that the function around has before it.
    """

    path: str
    text: str = field(repr=False)
    function: str
    function_start: int
    begin: int
    end: int
    addresses: tuple[tuple[str, str], ...] = ()
    parameter_order: tuple[str, ...] = ()
    parameter_types: tuple[tuple[str, e.ScalarType], ...] = ()
    macros: frozenset[str] = field(default=frozenset(), repr=False)
    poisoned: frozenset[str] = field(default=frozenset(), repr=False)
    definition: int | None = None
    marked: bool = True
    alone: bool = False
    around: tuple[str, ...] = ()
    counters: tuple[str, ...] = ()
    memory: tuple[Memory, ...] = ()
    declarations: tuple[Declaration, ...] = field(default=(), repr=False)
    above: tuple[int, int] | None = None
    team: Team | None = None
    behind: tuple[str, ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    own: tuple[str, ...] = ()
    given: tuple[tuple[str, str], ...] = ()
    outside: tuple[str, ...] = ()
    expanded: tuple[WrittenOut, ...] = field(default=(), repr=False)
    supposed: tuple[tuple[str, int], ...] = ()
    known: tuple[tuple[str, Polynomial], ...] = ()
    computed: tuple[Memory, ...] = ()
    tests: tuple[str, ...] = ()
    declared: frozenset[str] = field(default=frozenset(), repr=False)
    labels: tuple[str, ...] = ()
    called: tuple[str, ...] = field(default=(), repr=False)
    apart: tuple[tuple[str, str], ...] = ()
    usual: tuple[tuple[str, int], ...] = ()
    constants: tuple[tuple[str, frozenset[int]], ...] = ()
    seen_through: bool = False
    unaliased: tuple[str, ...] = ()
    once: bool = False
    runs: float = 1.0
    calls: float = 1.0
    fewest: float = 1.0
    types: tuple[str, ...] = field(default=(), repr=False)
    turns: tuple[Turns, ...] = ()

    @property
    def line(self) -> int:
        """The file's line that it begins on."""
        return self.text.count("\n", 0, self.begin) + 1 - lines_added(self.text, self.expanded, self.begin)

    @property
    def loops(self) -> str:
        """The original text, with the pragmas of its first loop."""
        above = self.text[slice(*self.above)] if self.above is not None else ""
        return above + self.text[self.begin : self.end]

    def address(self, array: str) -> str:
        return next(expression for name, expression in self.addresses if name == array)

    def value(self, parameter: str) -> str:
        """C's expression of a parameter's value."""
        return next((memory.text for memory in self.memory if memory.name == parameter), parameter)


@dataclass(frozen=True)
class Array:
    """An array of a Scop, scalars (0-d) included.

    Attributes:
        shape: extents, outermost first, affine in the parameters; None where unknown (only the first may be).
        may_alias: comes in through a pointer (a C parameter), so that it might overlap another array; without it the
            array is an object of its own.
        local: declared inside the scop; its contents are dead after it.
        first_column: the smallest last subscript; negative where rows have a border in front of them: distinct
            subscripts still name distinct elements, as columns end as much earlier. Its first extent is not known.
        strides: how many elements lie between neighbours along each subscript, where extents do not say so; none is
            known then. Of ``x[i * step + k]`` they are step and 1, and with k beyond step, it is an element of the next
            row, too. Nothing writes the array.
        values: what a table of constants holds, in the order of memory; None where that is not known. Generated code
            computes with these numbers, whatever it is given.
    """

    name: str
    type: e.ScalarType
    shape: tuple[Affine | None, ...] = ()
    may_alias: bool = False
    local: bool = False
    first_column: Affine = field(default_factory=Affine)
    strides: tuple[Polynomial, ...] | None = None
    values: tuple[e.Literal, ...] | None = None

    @property
    def memory(self) -> tuple[Affine | None, ...]:
        """The extents of its data: with strides these are one row, and its first elements may lie in front."""
        return self.shape if self.strides is None else (None,)


@dataclass(frozen=True)
class Statement:
    """``target = value`` for every point of the domain.

    Attributes:
        iterators: names of the surrounding loops' counters, outermost first; the columns of everything below.
        domain: isl set ``name[iterators]``, parameters included.
        target, value: subscripts are affine in iterators and parameters, but for what they take from data.
        schedule: original 2d+1 schedule, length 2*len(iterators)+1, over iterators.
        reduction: the operator if the statement is ``target = target op e`` (op associative and commutative in exact
            arithmetic: "+", "*", "min", "max", "&", "|", "^") and e does not have the target's access in it (other
            elements of its array it may read); else None. ``-=`` counts as "+".
        conditional: the value is ``condition ? new : target``, and where the condition does not hold, the target is
            neither read nor written (see `polyloop.backend.ir.loop_nest.Compute`). That it reads the target makes its
            write one that may not happen, to all that looks at accesses: nothing before it is overwritten for good.
    """

    name: str
    iterators: tuple[str, ...]
    domain: isl.Set
    target: e.Access
    value: e.Expression
    schedule: tuple[Affine, ...]
    reduction: str | None = None
    location: SourceLocation | None = None
    conditional: bool = False

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Statement) and self._identity == other._identity)

    def __hash__(self) -> int:
        return hash(self._identity)

    @cached_property
    def _identity(self) -> tuple[object, ...]:
        """What is compared: of isl's objects their texts, for two of theirs are equal only if isl is asked."""
        return (
            *(self.name, self.iterators, str(self.domain), self.target),
            *(self.value, self.schedule, self.reduction, self.location, self.conditional),
        )

    @property
    def depth(self) -> int:
        """Loops around it."""
        return len(self.iterators)

    def with_integers(self, transform: Callable[[Affine], Affine]) -> Statement:
        """The same with its subscripts, and the integers in its value, transformed."""
        return replace(self, target=e.map_access(self.target, transform), value=e.map_affine(self.value, transform))

    def computed(self, at: Mapping[str, Affine]) -> Compute:
        """What an instance does, as a nest has it: `at` are the values of its iterators."""
        compute = Compute(self.name, self.target, self.value, self.conditional)
        return compute.with_integers(lambda value: value.substitute(at))

    @property
    def point(self) -> str:
        """An instance as isl's texts have it: ``S[i, j]``."""
        return f"{self.name}[{', '.join(self.iterators)}]"

    @property
    def opaque(self) -> str | None:
        """What of it no schedule takes apart, as text: the loop between bounds from data that it carries as a whole, or
        the call of a function of which nothing is known."""
        return next((text(node) for node in e.walk(self.value) if isinstance(node, e.Fold | e.OutsideCall)), None)

    @property
    def may_keep(self) -> bool:
        """Whether the value is ``condition ? new : target``, as that of a conditional statement is."""
        return isinstance(self.value, e.Select) and self.value.otherwise == e.Read(self.target, self.value.type)

    @cached_property
    def reads(self) -> tuple[e.Access, ...]:
        """Read accesses in source order, those of the target's subscripts last, repetitions dropped."""
        return tuple(dict.fromkeys(node.access for node in (*reads(self.value), *e.reads_of_subscripts(self.target))))

    @cached_property
    def operands(self) -> tuple[e.Access, ...]:
        """As `reads`, but for what only its conditions ask for."""
        values, found = [self.value, *(datum.value for datum in self.target.data)], dict[e.Access, None]()
        while values:
            value = values.pop()
            if isinstance(value, e.Read):
                found[value.access] = None
            values += (value.then, value.otherwise) if isinstance(value, e.Select) else e.children(value)
        return tuple(found)

    @property
    def accesses(self) -> tuple[e.Access, ...]:
        """The target, then the reads."""
        return (self.target, *self.reads)

    @property
    def certain(self) -> frozenset[e.Access]:
        """What it accesses at every point of its domain, whatever the data are."""
        certain = e.certain_accesses(self.value, self.conditional)
        return certain if self.conditional else certain | {self.target}

    @property
    def kills(self) -> bool:
        """Whether it surely writes what its access map says, so that nothing of what was there before is left."""
        return not self.target.data


def _stays_zero(statement: Statement) -> bool:
    """``going = ends ? 0 : going``"""
    match statement.value:
        case e.Select(_, e.Literal(value=0), e.Read(access), _):
            return access == statement.target and not access.subscripts
    return False


@dataclass(frozen=True)
class Program:
    """What a static control part says: its arrays, statements, domains and accesses.

    Two are equal if all but their sources is, isl's sets by their texts.

    Attributes:
        parameters: names of the integer parameters, in order of first appearance.
        context: isl set over the parameters of what is known to hold (extents of declared arrays are positive).
        assumptions: isl set over the parameters under which the model equals the C code (subscripts stay inside the
            extents that delinearisation found, ...). Emitted code tests it at run time.
        likely: isl set over the parameters that the loops are meant for, as far as they show it (rows that do not
            overlap): sizes that nobody gives are chosen among these, and nothing else depends on it.
        wraps: signed integers wrap around where they overflow; else nobody computes what does.
    """

    name: str
    parameters: tuple[str, ...]
    context: isl.Set
    arrays: tuple[Array, ...]
    statements: tuple[Statement, ...]
    assumptions: isl.Set
    source: SourceRegion | None = field(default=None, compare=False)
    likely: isl.Set = field(default_factory=lambda: isl.Set("{ : }"), compare=False)
    wraps: bool = False

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Program) and self._identity == other._identity)

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, object]:
        """Without the hash: texts have another one in every process."""
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}

    @cached_property
    def _identity(self) -> tuple[object, ...]:
        texts = str(self.context), str(self.assumptions)
        return self.name, self.parameters, self.arrays, self.statements, texts, self.wraps

    @cached_property
    def _hash(self) -> int:
        return hash(self._identity)

    def __str__(self) -> str:
        statements = ", ".join(s.point for s in self.statements)
        return f"{self.name}({', '.join(self.parameters)}): {statements}"

    @property
    def text(self) -> str:
        """All that the Scop says, its name and where it was written left out: the same for the same program in every
        process."""
        arrays = (_array_text(array) for array in self.arrays)
        statements = (
            f"{s.domain} {s.target} {s.value} {s.schedule} {s.reduction}{' conditional' * s.conditional}"
            for s in self.statements
        )
        head = f"{self.parameters} {self.context} {self.assumptions}{' wraps' * self.wraps}"
        return "\n".join((head, *arrays, *statements))

    def array(self, name: str) -> Array:
        """The array of a name.

        Raises:
            UnknownNameError: if there is none.
        """
        return _named("array", name, self.arrays)

    def writers(self, array: str) -> tuple[Statement, ...]:
        """The statements that write an array."""
        return tuple(s for s in self.statements if s.target.array == array)

    def users(self, array: str) -> tuple[Statement, ...]:
        """The statements that write or read an array."""
        return tuple(s for s in self.statements if any(a.array == array for a in s.accesses))

    @property
    def written(self) -> frozenset[str]:
        """Names of the arrays that statements write."""
        return frozenset(s.target.array for s in self.statements)

    @cached_property
    def without_negative_zeros(self) -> frozenset[str]:
        """Names of the Scop's own arrays that hold no -0.0."""
        own = {a.name for a in self.arrays if a.local}
        return are_never_negative_zero((s.target.array, s.value) for s in self.statements if s.target.array in own)

    @property
    def results(self) -> tuple[str, ...]:
        """Those of them that there are outside of the Scop, in the order of its arrays."""
        written = self.written
        return tuple(a.name for a in self.arrays if a.name in written and not a.local)

    def touched_by_some(self, array: str) -> Statement | None:
        """A conditional statement that touches the array, elements of which nothing else might touch."""
        return next((s for s in self.users(array) if s.conditional), None)

    @cached_property
    def is_endless(self) -> bool:
        """Whether it has loops that only data end (`polyloop.frontend.unlimited`)."""
        return any(str(ENDLESS - 1) in str(s.domain) for s in self.statements)

    @cached_property
    def ends_by_floats(self) -> bool:
        """Whether floating-point data decide how long some of its loops run: what is left of such a loop's condition is
        an integer that stays zero once it is (`polyloop.frontend.searches`)."""
        values = [s.value for s in self.statements]
        compared = any(n.left.type.is_float for v in values for n in e.walk(v) if isinstance(n, e.Comparison))
        return compared and (self.is_endless or any(map(_stays_zero, self.statements)))

    def statement(self, name: str) -> Statement:
        """The statement of a name: its label in C, else S and its number.

        Raises:
            UnknownNameError: if there is none.
        """
        return _named("statement", name, self.statements)

    def without_aliasing(self) -> Self:
        """The same Scop on the caller's word that no two of its arrays overlap: nothing will test it."""
        return replace(self, arrays=tuple(replace(array, may_alias=False) for array in self.arrays))

    @cached_property
    def known(self) -> isl.Set:
        """What holds of the parameters: the context, and what is assumed."""
        return (self.context & self.assumptions).coalesce()

    def points(self, statement: Statement) -> isl.Set:
        """The statement's domain where that holds."""
        return statement.domain.intersect_params(self.known)

    @cached_property
    def domain(self) -> isl.UnionSet:
        """The union of all statements' points."""
        union = isl.UnionSet.empty(self.known.get_space())
        for statement in self.statements:
            union = union.union(self.points(statement))
        return union.coalesce()

    @cached_property
    def reads_map(self) -> isl.UnionMap:
        """All read accesses, S[i] -> A[f(i)], restricted to the domains."""
        return self._union((s, a) for s in self.statements for a in s.reads)

    @cached_property
    def writes_map(self) -> isl.UnionMap:
        """All write accesses, S[i] -> A[f(i)], restricted to the domains."""
        return self._union((s, s.target) for s in self.statements)

    def access_map(self, statement: Statement, access: e.Access) -> isl.Map:
        """S[i] -> A[f(i)] on the statement's domain; where data say which element it is, to all that it may be."""
        image = self._any_element(statement, access) if access.data else self._element(statement, access)
        return self.map_to(statement, image).intersect_domain(self.points(statement))

    def _element(self, statement: Statement, access: e.Access) -> str:
        """The one that affine subscripts say; of choices within choices isl takes conditions only."""
        stem = self._stem("place", statement)
        places, conditions = [], []
        for number, subscript in enumerate(access.subscripts):
            try:
                places.append(affine_to_text(subscript))
            except NotAffineError:
                places.append(f"{stem}{number}")
                conditions.append(condition_to_text(Compare(affine(places[-1]) - subscript, "==")))
        return f"{access.array}[{', '.join(places)}]" + (f" : {' and '.join(conditions)}" if conditions else "")

    def _stem(self, stem: str, statement: Statement) -> str:
        """What no name of a parameter or of an iterator begins with."""
        while any(name.startswith(stem) for name in (*self.parameters, *statement.iterators)):
            stem += "_"
        return stem

    def _any_element(self, statement: Statement, access: e.Access) -> str:
        """What comes from data is any number that it may be by its type and operators, and stays inside extents."""
        stem = self._stem("data", statement)
        names = [f"{stem}{k}" for k in range(len(access.data))]
        plain = e.affine_access(access, [affine(name) for name in names])
        conditions: list[str] = []
        for name, datum in zip(names, access.data, strict=True):
            low, high = value_bounds(datum.value)
            conditions += [f"{low} <= {name}"] * (low > -_FAR) + [f"{name} <= {high}"] * (high < _FAR)
        places = [f"{stem}_{k}" for k in range(len(access.subscripts))]
        for place, subscript, was, extent in zip(
            places, plain.subscripts, access.subscripts, self.array(access.array).shape, strict=True
        ):
            conditions.append(condition_to_text(Compare(affine(place) - subscript, "==")))
            if subscript != was and extent is not None:
                conditions.append(f"0 <= {place} < {affine_to_text(extent)}")
        return f"{access.array}[{', '.join(places)}] : exists {', '.join(names)} : {' and '.join(conditions)}"

    def map_to(self, statement: Statement, image: str) -> isl.Map:
        """From all integer points of a statement's space, its domain or not, to what a text says."""
        return isl.Map(f"[{', '.join(self.parameters)}] -> {{ {statement.point} -> {image} }}")

    def _union(self, accesses: Iterable[tuple[Statement, e.Access]]) -> isl.UnionMap:
        result = isl.UnionMap.empty(self.domain.get_space())
        for statement, access in accesses:
            result = result.union(self.access_map(statement, access))
        return result


# --- The text that it comes from --------------------------------------------------------------------------------------
# What the front ends say to people, at a place in the text; and plain views of the function around a scop, for
# questions that its model does not answer.


@dataclass(frozen=True)
class Diagnostic:
    """One message.

    Attributes:
        severity: "error" (the file is wrong) or "remark" (a region is left as it is).
        code: short stable name of the kind of message, for tests and tools ("data-dependent-condition").
        location: where, in the original file.
        message: what and why.
        line: the source line's text, without its end.
        length: columns to underline, from the caret on.
    """

    severity: str
    code: str
    location: SourceLocation
    message: str
    line: str
    length: int = 1

    def render(self) -> str:
        """``file:line:col: severity: message``, the source line, and a caret below the column."""
        start = self.location.column - 1
        before, below = printable(self.line[:start]), printable(self.line[start : start + self.length])
        # Tabs stay tabs, so that the caret stands right whatever their width.
        padding = "".join("\t" if c == "\t" else " " for c in before)
        mark = "^" + "~" * (max(self.length, len(below)) - 1)
        words = printable(f"{self.location}: {self.severity}: {self.message}")
        return f"{words} [{self.code}]\n  {printable(self.line)}\n  {padding}{mark}"


def without_comments(text: str) -> str:
    """C text with a blank for every comment."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)


_DIRECTIVE = re.compile(
    r"/\*.*?\*/|//[^\n]*|^[ \t]*\#[ \t]*(?:define|undef|if|ifdef|ifndef|elif|else|endif)\b(?:[^\\\n]|\\\r?\n|\\)*\n?",
    re.MULTILINE | re.DOTALL,
)


def directives(text: str) -> str:
    """Of a text the conditions and the definitions of macros alone."""
    found = (match.group() for match in _DIRECTIVE.finditer(text))
    return "".join(each if each.endswith("\n") else f"{each}\n" for each in found if each.lstrip().startswith("#"))


def function_text(source: SourceRegion) -> str:
    """The function from its first line to the first brace that stands alone at the start of a line behind the scop."""
    return without_comments(source.text[source.function_start : source.end]) + text_behind(source)


def _array_text(array: Array) -> str:
    """Of arrays without a border, rows that overlap, or known numbers, what schedules that were saved before there were
    any say."""
    text = str(array).replace(", values=None)", ")").replace(", strides=None)", ")")
    return text.replace(f", first_column={Affine()!r})", ")")


def text_behind(source: SourceRegion) -> str:
    """The function's text behind the scop."""
    return re.split(r"^\}", without_comments(source.text[source.end :]), maxsplit=1, flags=re.MULTILINE)[0]
