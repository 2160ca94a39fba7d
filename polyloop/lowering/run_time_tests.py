"""What emitted C asks at run time before it takes the fast path.

The model of a Scop holds under assumptions: on the parameters (its context, delinearised subscripts inside their
extents), on sizes (nothing overflows, rows are as long as they were) and on memory (arrays that come in through
pointers do not overlap, unless neither is written). Each becomes a C condition over the variables of the user's
function; what always holds becomes none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import islpy as isl

from polyloop.backend.c.helpers import Helper
from polyloop.backend.c.text import AffinePrinter, integer
from polyloop.backend.ir.affine import TRUE, Affine, And, Condition, affine, at_least, conjuncts, maximum, minimum
from polyloop.backend.ir.expressions import Access, ScalarType
from polyloop.backend.ir.loop_nest import Storage
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.errors import PolyloopError
from polyloop.scop.affine_isl import FEW_PIECES, bound_of, condition_of, condition_to_text, is_bounded, parameters_of
from polyloop.scop.model import Array, Scop, SourceRegion, Statement
from polyloop.scop.program import function_text, without_comments
from polyloop.support.compilers import ALL_ALIAS

if TYPE_CHECKING:
    from polyloop.lowering.reach import Reach


_SEVERAL = 4
"""So many pairs of arrays are shorter as a list of what they are made of."""


@dataclass(frozen=True)
class Bytes:
    """The bytes that accesses to an array touch, relative to its first element: C texts of begin and end."""

    address: str
    begin: str
    end: str

    @property
    def text(self) -> str:
        return f"{self.address}, {self.begin}, {self.end}"


class UnboundedAccessError(PolyloopError):
    """No expression of the parameters bounds the memory that an array's accesses touch."""


def run_time_tests(scop: Scop, program: VectorProgram, source: SourceRegion) -> tuple[list[str], set[Helper]]:
    """Conditions that must all hold, each an operand of &&, and the helpers that they call.

    Raises:
        UnboundedAccessError: if an overlap test is needed for an array whose accesses have no affine bounds.
    """
    helpers: set[Helper] = set()
    scans = _Scans(scop, source, helpers)
    printer = scans.printer
    narrow = {name for name, type_ in source.parameter_types if type_.bits < 32 or str(type_) == "i32"}
    tests = list(source.tests)
    reads = {memory.name: [_operand(printer, part) for part in conjuncts(memory.read)] for memory in source.memory}
    late = {memory.name for memory in source.memory if memory.late}
    tables = [memory.table for memory in source.memory if memory.table is not None]
    helpers |= {Helper("stride" if len(table.strides) == 1 else "strides") for table in tables}
    for parameter in sorted(scop.parameters, key=lambda name: name in late):
        # Memory is read only where the C code does so.
        tests += reads.pop(parameter, [])
        if parameter not in narrow:
            helpers.add(Helper("fits"))
            tests.append(f"polyloop_fits((long){source.value(parameter)})")
    for more in reads.values():
        tests += more
    tests += _of_null(scop, source)
    tests += [test for memory in source.memory for test in memory.tests]
    scanning: list[str] = []
    passed = _passed(scop, program)
    for cell, bytes_ in _memory_overwritten(scop, passed, source, scans):
        helpers.add(Helper("disjoint"))
        test = _disjoint(cell, bytes_)
        (scanning if scans.in_text(test) else tests).append(test)
    tests += _row_sizes(scop, program, source) + _element_sizes(scop, program, source)
    tests += [_operand(printer, condition) for condition in _conditions(scop, program, source)]
    apart = list(_memory_of_pairs(scop, passed, source, scans))
    tests += disjoint_tests(apart, helpers)
    looking = [test for test in dict.fromkeys(tests + scans.tests) if scans.in_text(test)]
    free = [test for test in dict.fromkeys(tests + scans.tests) if test not in looking]
    # What the loops read is known where all that needs no look holds, and nothing is stored over what bounds them.
    scanning = list(dict.fromkeys(scanning))
    return [*free, *_asked_once(scanning), *_asked_once([test for test in looking if test not in scanning])], helpers


def _of_null(scop: Scop, source: SourceRegion) -> list[str]:
    """That there are structures, where C does not surely access some member: compilers take the address of one as proof
    of that, for all that stands behind."""
    left: dict[str, isl.Set] = {}  # by pointer, where it accesses none
    for memory in source.memory:
        pointer = memory.object.removesuffix("[]")
        if pointer in (memory.object, memory.text) or pointer.endswith("[]"):  # no structure: a row of an array of rows
            continue
        without = left.get(pointer, scop.known)
        for statement in scop.statements:
            if any(access.array == memory.name for access in statement.certain):
                without -= statement.domain.params()
        surely = memory.name in scop.parameters and memory.read == TRUE  # where the loops begin
        left[pointer] = isl.Set.empty(without.get_space()) if surely else without
    return [f"{pointer} != 0" for pointer, without in left.items() if not without.is_empty()]


def can_be_tested(scop: Scop) -> bool:
    """Whether the memory is bounded that accesses touch which must not overlap others, so that it can be asked whether
    they do. Only what subscripts from data lead to may have no bounds.

    A region where it is not has no place in an emitted file, unless its arrays are said not to overlap.
    """
    source = scop.source
    accesses = (access for statement in scop.statements for access in statement.accesses)
    if source is None or not any(access.data for access in accesses):
        return True
    arrays, scans = [array for array in scop.arrays if not array.local], _Scans(scop, source, set())
    try:
        for _ in _memory_overwritten(scop, arrays, source, scans):
            pass
        for _ in _memory_of_pairs(scop, arrays, source, scans):
            pass
    except UnboundedAccessError:
        return False
    return True


def _memory_overwritten(
    scop: Scop, passed: list[Array], source: SourceRegion, scans: _Scans
) -> Iterator[tuple[Bytes, Bytes]]:
    """What is read before the loops, each with the memory of an array whose stores must not change it; see
    `run_time_tests`."""
    for address, size, array in _overwritten(passed, source):
        try:
            touched = scans.accessed(array)
        except UnboundedAccessError:
            if array.may_alias:
                raise
        else:
            yield Bytes(address, "0", size), touched


def _memory_of_pairs(
    scop: Scop, passed: list[Array], source: SourceRegion, scans: _Scans
) -> Iterator[tuple[Bytes, Bytes]]:
    """The memory of arrays that might overlap and must not; see `run_time_tests`."""
    for first, second in _pairs(scop, passed, source):
        try:
            a, b = scans.accessed(first), scans.accessed(second)
        except UnboundedAccessError:
            if _are_one_type(first.type, second.type) or ALL_ALIAS in source.macros:
                raise
            continue  # C lets them not overlap
        yield a, b


_CALL = re.compile(r"polyloop_(?:extreme\w*|\w+_end|max|min)\(")
"""Helpers whose calls tests have in common: what looks at data, and what becomes of it."""


def _asked_once(tests: Sequence[str]) -> list[str]:
    """Tests that look at data as one, in which the calls that come back have names; as they are where none does."""
    text, named = " && ".join(tests), list[str]()
    while True:
        counts = Counter(_call_at(text, match) for match in _CALL.finditer(text))
        again = [call for call, count in counts.items() if count > 1]
        if not again:
            break
        inner, name = min(again, key=len), f"polyloop_end_{len(named) + 1}"
        text = text.replace(inner, name)
        type_ = "polyloop_ends" if inner.startswith("polyloop_extreme") else "long"
        named.append(f"const {type_} {name} = {inner};")
    return ["\n        ".join(("__extension__({", *named, f"{text}; }})"))] if named else list(tests)


def _call_at(text: str, match: re.Match[str]) -> str:
    """The call that begins there, up to its last parenthesis."""
    depth, end = 1, match.end()
    while depth:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return text[match.start() : end]


def _disjoint(first: Bytes, second: Bytes) -> str:
    """A call of the helper "disjoint"."""
    return f"polyloop_disjoint({first.text}, {second.text})"


def disjoint_tests(pairs: Iterable[tuple[Bytes, Bytes]], helpers: set[Helper]) -> list[str]:
    """That the ranges of no pair overlap: a test for each pair, or for the first of several ranges against all."""
    left, tests = list(dict.fromkeys(pairs)), list[str]()
    while len(left) >= _SEVERAL:
        first, others = _star(left)
        if len(first) * (len(first) - 1) // 2 + len(first) * len(others) < _SEVERAL:
            break
        ranges = ", ".join(f"{{{each.text}}}" for each in (*first, *others))
        tests.append(f"polyloop_none_overlap({len(first)}, {ranges})")
        helpers.add(Helper("none_overlap"))
        left = [pair for pair in left if not set(first) & set(pair)]
    if left:
        helpers.add(Helper("disjoint"))
    return [*tests, *(_disjoint(*pair) for pair in left)]


def _star(pairs: Sequence[tuple[Bytes, Bytes]]) -> tuple[list[Bytes], list[Bytes]]:
    """Ranges of which each has to be disjoint from all others, and those others."""
    near: dict[Bytes, set[Bytes]] = {}
    for a, b in pairs:
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    center = max(near, key=lambda each: len(near[each]))
    around = {center, *near[center]}
    # Each of them is disjoint from all of these, and from nothing else.
    first = [each for each in near if {each, *near[each]} == around]
    return first, [each for each in near if each in around and each not in first]


def _overwritten(passed: list[Array], source: SourceRegion) -> list[tuple[str, str, Array]]:
    """Address and size of what is read before the loops, each with an array whose stores must not change it."""
    arrays = {a.name: a for a in passed if not is_out_of_reach(a, source)}
    return [
        # Of a parameter that is declared as an array, gcc warns that it is a pointer.
        (f"&{cell}", f"(long)sizeof({f'__typeof__({cell})' if cell.isidentifier() else cell})", arrays[name])
        for memory in source.memory
        for cell, written in memory.cells
        for name in written
        if name in arrays
    ]


def _passed(scop: Scop, program: VectorProgram) -> list[Array]:
    """The arrays that the function is called with."""
    passed = {spec.name for spec in program.arrays if spec.storage is Storage.ARGUMENT}
    return [a for a in scop.arrays if a.name in passed and not a.local]


def accessed_bytes(
    scop: Scop, array: Array, address: str, printer: AffinePrinter, scans: _Scans | None = None
) -> Bytes:
    """The whole array where its shape is known, else the rows between the smallest and the largest first subscript; of
    an array with strides, what lies between the smallest of all subscripts and the largest ones."""
    size = array.type.bytes
    extents = [extent for extent in array.shape if extent is not None]
    if len(extents) == len(array.shape):
        return Bytes(address, "0", _product(size, extents, printer))
    ranges = [_touched(scop, array, place, scans) for place in range(1 if array.strides is None else len(array.shape))]
    found = [each for each in ranges if each is not None]
    if len(found) < len(ranges):
        raise UnboundedAccessError(
            f"cannot bound the part of {array.name} that is accessed, so cannot test whether it overlaps other arrays; "
            "declare its extents, qualify the pointer with restrict, or optimize with --assume-noalias"
        )
    if array.strides is not None:
        low, high = (
            _sum(
                _product(size * factor, [each[end], *map(affine, names)], printer)
                for each, stride in zip(found, array.strides, strict=True)
                for names, factor in stride
            )
            for end in (0, 1)
        )
        return Bytes(address, low, f"{high} + {size}")
    ((lowest, highest),) = found
    begin, end = (_product(size, [bound, *extents], printer) for bound in (lowest, highest + 1))
    if array.first_column != Affine():
        border = _product(size, [array.first_column], printer)
        begin, end = f"{begin} + {border}", f"{end} + {border}"
    return Bytes(address, begin, end)


def _row_sizes(scop: Scop, program: VectorProgram, source: SourceRegion) -> list[str]:
    """Whether rows of constant length still have it: it may come from a macro that the next compilation defines anew.

    The compiler folds these tests.
    """
    tests: list[str] = []
    for array in _passed(scop, program):
        if len(array.shape) < 2:
            continue
        size = array.type.bytes
        name = re.fullmatch(r"&(.+?)(?:\[0\])+", source.address(array.name))
        if name and all(extent is not None and extent.is_constant for extent in array.shape[1:]):
            for extent in array.shape[1:]:
                size *= extent.constant if extent is not None else 1
            tests.append(f"sizeof({name.group(1)}[0]) == {size}")
    return tests


_BUILT_IN = r"\b(?:char|short|int|long|float|double|signed|unsigned|u?int(?:8|16|32|64)_t|size_t)\b"


def _element_sizes(scop: Scop, program: VectorProgram, source: SourceRegion) -> list[str]:
    """Whether elements have the size that was read, where the file's own text does not say their type: one with another
    name may hang on macros of a compiler, a platform or a build. The compiler folds these tests, too."""
    function, tests = function_text(source), list[str]()
    for array in _passed(scop, program):
        address = source.address(array.name)
        if not array.shape or address.startswith("(void *)"):
            continue
        name = re.match(r"&?(\w+)(?:\[0\])*$", address)
        of_function = name is not None and name[1] in source.parameter_order
        text, between = (function, "[^;{}=(),]*") if of_function else (source.text[: source.end], "[^;{}=()]*")
        if name is None or not re.search(rf"{_BUILT_IN}{between}\b{name[1]}\b", text):
            element = address[1:] if address.startswith("&") else f"*{address}"
            tests.append(f"sizeof({element}) == {array.type.bytes}")
    return tests


def _conditions(scop: Scop, program: VectorProgram, source: SourceRegion) -> list[Condition]:
    """Context and assumptions, and what does not follow from them: of the program's context, and that rows, which are
    types in C, have elements. What types of parameters say goes without a test."""
    known = scop.known.coalesce()
    space = ", ".join(scop.parameters)
    passed = [spec for spec in program.arrays if spec.storage is Storage.ARGUMENT]
    rows = [extent for spec in passed for extent in spec.shape[1:] if extent is not None and not extent.is_constant]
    needed = And((program.context, *(at_least(extent, 1) for extent in rows)))
    wanted = isl.Set(f"[{space}] -> {{ : {condition_to_text(needed)} }}")
    unsigned = {name: type_.bits for name, type_ in source.parameter_types if type_.kind == "uint" and type_.bits < 64}
    ranges = (f"0 <= {name} < {1 << bits}" for name, bits in unsigned.items() if name in scop.parameters)
    universe = isl.Set(f"[{space}] -> {{ : {' and '.join(ranges)} }}")
    tests = (known.gist(universe), (known & wanted).gist(known & universe).coalesce())
    fitting = isl.Set(
        f"[{space}] -> {{ : {' and '.join(f'-{1 << 31} <= {name} < {1 << 31}' for name in scop.parameters)} }}"
    )
    conditions: list[Condition] = []
    for test in tests:
        if re.search(r"\d{17}", str(test)):  # of a type's range: C may have no such number, and who fits is inside
            test = test.gist(fitting).coalesce()
        if not universe.is_subset(test):
            conditions += conjuncts(condition_of(test, universe))
    return list(dict.fromkeys(conditions))


def _operand(printer: AffinePrinter, condition: Condition) -> str:
    text = printer.condition(condition)
    return f"({text})" if "||" in text else text


def _pairs(scop: Scop, passed: list[Array], source: SourceRegion) -> list[tuple[Array, Array]]:
    """Pairs of arrays that might overlap and must not: one comes through a pointer, one is written."""
    arrays = [a for a in passed if not is_out_of_reach(a, source)]
    written = scop.written
    objects = {memory.name: memory.object for memory in source.memory if memory.object}
    return [
        (first, second)
        for k, first in enumerate(arrays)
        for second in arrays[k + 1 :]
        if (first.may_alias or second.may_alias) and (first.name in written or second.name in written)
        if first.name not in objects or objects[first.name] != objects.get(second.name)
        if (first.name, second.name) not in source.apart
    ]


def _are_one_type(first: ScalarType, second: ScalarType) -> bool:
    """May numbers of these types lie in the same place, as far as C says?"""
    return 8 in (first.bits, second.bits) or (first.bits, first.is_float) == (second.bits, second.is_float)


def is_out_of_reach(array: Array, source: SourceRegion) -> bool:
    """A scalar variable of the function, or a member of one, whose address nobody takes: no pointer leads to it."""
    named = re.fullmatch(r"&(?:__(?:real|imag)__ )?(\w+)(?:\.\w+)*", source.address(array.name))
    if array.may_alias or array.shape or named is None:
        return False
    name = named[1]
    function = function_text(source)
    if re.search(rf"\bregister\b[^;{{}}()]*\b{name}\b", function):
        return True  # it has no address
    if re.search(rf"(?<!&)(?:&&)*&(?!&)\s*{name}\b", function):
        return False
    declaration = rf"(?:^|[;{{}}])\s*(?!return\b|goto\b|else\b)(?:[A-Za-z_]\w*\s+)+[^;{{}}=]*\b{name}\b"
    return name in source.parameter_order or re.search(declaration, function.partition("{")[2]) is not None


def has_value(source: SourceRegion, name: str) -> bool:
    """Whether a variable of the function is seen to be set before the region."""
    above = without_comments(source.text[source.function_start : source.begin])
    return name in source.parameter_order or re.search(rf"(?<![.>\w])\b{name}\s*=[^=]", above) is not None


def _product(size: int, factors: list[Affine], printer: AffinePrinter) -> str:
    """The product as C text, constants multiplied."""
    symbolic: list[str] = []
    for factor in factors:
        if factor.is_constant:
            size *= factor.constant
        else:
            symbolic.append(printer.operand(factor))
    if not size or not symbolic:
        return integer(size)
    return " * ".join([integer(size), *symbolic])


def _sum(terms: Iterable[str]) -> str:
    return " + ".join(term for term in terms if term != "0") or "0"


def _touched(scop: Scop, array: Array, place: int, scans: _Scans | None) -> tuple[Affine, Affine] | None:
    """Smallest and largest subscript of all accesses in one dimension; the values are arbitrary where there is no
    access. Only of the first dimension may subscripts come from data."""
    touched: isl.Set | None = None
    context = scop.known.coalesce()
    # Apart by what is looked for in data: of all together every end would be compared with every other one, looked for
    # anew each time.
    parts: dict[frozenset[str], isl.Set] = {}

    def add(rows: isl.Set) -> None:
        names = frozenset(parameters_of(rows)) - {*scop.parameters}
        parts[names] = parts[names] | rows if names in parts else rows

    for statement in scop.statements:
        for access in statement.accesses:
            if access.array != array.name:
                continue
            if Access(array.name, access.subscripts[:1]).data:
                rows = None if scans is None else scans.rows(statement, access)
                if rows is None:
                    return None
                context = context & rows.params()
                add(rows)
                continue
            elements = scop.access_map(statement, access).range()
            touched = elements if touched is None else touched | elements
    if touched is not None:
        plain = touched.project_out(isl.dim_type.set, place + 1, len(array.shape) - 1 - place)
        add(plain.project_out(isl.dim_type.set, 0, place).coalesce().reset_tuple_id())
    every = (each for rows in parts.values() for each in _apart(rows, context))
    found = [rows for rows in every if not rows.intersect_params(context).is_empty()]
    if not found:
        return affine(0), affine(-1)
    if not all(map(is_bounded, found)):
        return None
    lows, highs = ([bound_of(rows, end, context) for rows in found] for end in (isl.Set.dim_min, isl.Set.dim_max))
    return minimum(*lows), maximum(*highs)


def _apart(rows: isl.Set, context: isl.Set) -> list[isl.Set]:
    """Where they are many, by the parameters that they name."""
    pieces = [isl.Set.from_basic_set(piece) for piece in rows.gist_params(context).get_basic_sets()]
    if len(pieces) <= FEW_PIECES:
        return [rows]
    groups: dict[frozenset[str], isl.Set] = {}
    for piece in pieces:
        names = frozenset(parameters_of(piece))
        groups[names] = groups[names] | piece if names in groups else piece
    return list(groups.values())


# --- Subscripts from data ---------------------------------------------------------------------------------------------


class _Scans:
    """Names of what C computes, or looks for in data, before the loops, and what has to hold besides (`tests`)."""

    def __init__(self, scop: Scop, source: SourceRegion, helpers: set[Helper]) -> None:
        self._scop, self._source, self._helpers = scop, source, helpers
        self._texts: dict[str, str] = {}
        self._accessed: dict[str, Bytes | UnboundedAccessError] = {}
        self.tests: list[str] = []
        self.printer = AffinePrinter(self.spelled, lambda kind: helpers.add(Helper(kind)))

    def spelled(self, name: str) -> str:
        """C's text of a parameter, or of what a scan finds."""
        return self._texts.get(name) or f"(long){self._source.value(name)}"

    def accessed(self, array: Array) -> Bytes:
        """The memory of an array that is accessed; asked for in each pair that it is in.

        Raises:
            UnboundedAccessError: where nothing bounds it.
        """
        if array.name not in self._accessed:
            try:
                found = accessed_bytes(self._scop, array, self._source.address(array.name), self.printer, self)
                self._accessed[array.name] = found
            except UnboundedAccessError as error:
                self._accessed[array.name] = error
        known = self._accessed[array.name]
        if isinstance(known, UnboundedAccessError):
            raise known
        return known

    @cached_property
    def _reach(self) -> Reach:
        from polyloop.lowering.reach import Reach  # of regions with such subscripts

        address = self._source.address
        return Reach(self._scop, address, self.printer, self._texts, self.tests, self._helpers)

    def in_text(self, test: str) -> bool:
        """Whether a test looks at data."""
        return bool(self._texts) and self._reach.looks_at_data(test)

    def rows(self, statement: Statement, access: Access) -> isl.Set | None:
        """The values of an access's first subscript; None where nothing limits them."""
        rows: isl.Set | None = self._reach.rows(statement, access)
        return rows
