"""A region as a C file of its own: what comes before its function, then one that has nothing but the region in it.

The region's text stays as it is, between the file's own macros, types and static functions, so a compiler makes of it
what it makes of it in the file; what the function does around it need not be known, and does not run. The function's
parameters have the names and the declarations that the region sees, and what an array of its own was is ``restrict``;
scalars that the region changes are stored back behind it.

Other functions take parameters and addresses in an array of slots, as compiled kernels do: parameters by value, then
arrays (scalars, too) by address, then the bytes of each of these.

    void polyloop_prepare(const long long *slots);   puts arrays into structures and tables of rows
    void polyloop_run(const long long *slots);       calls the first one
    void polyloop_finish(const long long *slots);    brings back what it has stored into structures

The first and the last one are there where something is to be done; calls of the second one between them are timed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path

from polyloop.backend.c.text import scalar_name
from polyloop.errors import PolyloopError
from polyloop.lowering.to_c_file import of_its_time
from polyloop.scop.data import computed_parameters
from polyloop.scop.model import Array, Scop, SourceRegion
from polyloop.scop.program import Declaration, Memory, RowTable, directives

PREPARE, ENTRY, FINISH = "polyloop_prepare", "polyloop_run", "polyloop_finish"
THREADS = "polyloop_use_threads"
"""Functions of the file; this one takes the number of threads that OpenMP is to use."""

_EXPORTED = '__attribute__((visibility("default")))'


class AloneError(PolyloopError):
    """A region cannot be compiled without the function around it; the message says why."""


def _unaliased(declaration: Declaration) -> str:
    """A parameter that is the only way to what it points to."""
    name = declaration.name
    if re.search(rf"\b{name}\s*\[", declaration.parameter):
        return re.sub(rf"\b{name}\s*\[", f"{name}[__restrict ", declaration.parameter, count=1)
    return re.sub(rf"\*\s*(?={name}\b)", "*__restrict ", declaration.parameter, count=1)


_NOT_INLINED = "__attribute__((noinline)) void "


@dataclass(frozen=True)
class RegionAlone:
    """A region in a file of its own.

    Attributes:
        scop: as it was read, but that its source is this file.
        slots: names of parameters and arrays in the order of the slots.
        values: how many of them, the first ones, are values.
    """

    scop: Scop
    slots: tuple[str, ...]
    values: int

    @property
    def source(self) -> SourceRegion:
        assert self.scop.source is not None
        return self.scop.source

    def as_inlined(self, text: str, sizes: Mapping[str, int]) -> str:
        """Such a file as compilers see the function where they replace calls by it: with constants for parameters that
        are such in the file itself, and arrays that nothing else points to where calls pass such; "" where there are
        none of either."""
        constants = dict(self.source.constants)
        known = {
            f"polyloop_slots[{place}]": str(sizes[name])
            for place, name in enumerate(self.slots[: self.values])
            if name in sizes and sizes[name] in constants.get(name, ())
        }
        for array in self.scop.arrays:
            if array.name in self.slots and len(values := constants.get(array.name, ())) == 1:
                known[_value(array, self.slots.index(array.name))] = str(*values)
        new = text
        for slot, value in known.items():
            new = new.replace(slot, value)
        for each in self.source.declarations:
            if each.place == "parameter" and each.name in self.source.unaliased:
                new = re.sub(rf"(?<=[(,\s]){re.escape(each.parameter)}(?=[,)])", _unaliased(each), new, count=1)
        return new.replace(f"{_NOT_INLINED}polyloop_alone", "static void polyloop_alone") if new != text else ""

    def built(self, output: Path) -> Built:
        """What a compiler has made of it, or of a candidate's C in its place."""
        return Built(str(output), self.slots, self.values)


@dataclass(frozen=True)
class Built:
    """Such a file as a shared object.

    Attributes:
        slots, values: as `RegionAlone` has them.
    """

    path: str
    slots: tuple[str, ...]
    values: int


def region_alone(scop: Scop) -> RegionAlone:
    """The file of a Scop's region.

    Raises:
        AloneError: if the Scop was not read from a file, or the region uses memory that cannot be made anew.
    """
    source = scop.source
    if source is None:
        raise AloneError(f"{scop.name} was not read from a C file")
    if source.own:
        raise AloneError(f"it returns from {source.function}")
    slots = (*scop.parameters, *(array.name for array in scop.arrays if not array.local))
    signature = _Signature(scop, source, slots)

    start = source.text[: source.function_start]
    if start and not start.endswith("\n"):
        start += "\n"
    start += "".join(source.types)
    start_and_head = start + _head(source, signature)
    behind = "".join((directives(source.text[source.end :]), *(f"{each}\n" for each in source.called)))
    text = f"{start_and_head}{source.loops}{_tail(source, signature)}{behind}"
    begin = len(start_and_head)
    moved = replace(
        source,
        text=text,
        function_start=len(start),
        definition=len(start),
        begin=begin,
        end=begin + len(source.loops),
        above=None,
        parameter_order=tuple(name for name in signature.declared if name in signature.inside),
    )
    return RegionAlone(replace(scop, source=moved), slots, len(scop.parameters))


class _Signature:
    """The parameters of the function that has the region in it.

    Attributes:
        declared: the region's variables by name.
        tables: those of them that are tables of constants, whose numbers the file gives.
        inside: those that are parameters.
        parameters, passed: their declarations, and what the second function passes for them.
        changed: variables that are stored back behind the region.
        given: of these the scalars of the Scop, which may begin with a value that the function around has given them.
        elsewhere: what lies in structures or behind pointers.

    Raises:
        AloneError: if the region uses memory that cannot be made anew.
    """

    def __init__(self, scop: Scop, source: SourceRegion, slots: tuple[str, ...]) -> None:
        self.declared = declared = {each.name: each for each in source.declarations if each.place != "called"}
        called = {each.name: each for each in source.declarations if each.place == "called"}
        elsewhere = _Elsewhere(scop, source, slots, declared, called)
        arrays = [array for array in scop.arrays if not array.local and array.name not in elsewhere.names]
        # The compiler knows tables of constants, as it does in the file.
        tables = {array.name for array in arrays if array.values is not None and _variable(source, array) in declared}
        arrays = [array for array in arrays if array.name not in tables]
        plain = {_variable(source, array): array for array in arrays}
        plain = {name: array for name, array in plain.items() if name in declared}
        places = {name: slots.index(array.name) for name, array in plain.items()}
        places |= {name: slots.index(name) for name in scop.parameters if name in declared}
        self.tables = {_variable(source, array) for array in scop.arrays if array.name in tables}
        self.elsewhere = elsewhere
        variables = {array.name: _variable(source, array) for array in arrays}
        for lost in sorted(set(slots) - {slots[place] for place in places.values()} - elsewhere.names - tables):
            declaration = called.get(variables.get(lost, lost))
            constant = declaration is not None and re.search(r"\bconst\b", declaration.text)
            if constant and re.search(rf"\b{variables.get(lost, lost)}\s*(\[[^\]]*\]\s*)*=[^=]", source.text):
                continue  # both builds have the value that the file gives it
            if declaration is None or constant:
                raise AloneError(f"{lost} is no variable that the region names")
            slot = f"polyloop_slots[{slots.index(lost)}]"
            self._set_global(declaration, slot, lost in scop.written, lost in variables)
        self.inside = frozenset((*places, *elsewhere.roots))
        scalars = {name: array for name, array in plain.items() if not array.shape}
        self.given = [name for name, array in scalars.items() if array.name in scop.written]

        self.parameters: list[str] = []
        self.passed: list[str] = []
        for name, declaration in declared.items():
            if name in elsewhere.roots:
                self._add(self._parameter(declaration), elsewhere.roots[name])
            elif name in places:
                value = elsewhere.values.get(name) or _passed(places[name], name, scop, scalars)
                self._add(self._parameter(declaration), value)
        for name in self.given:
            self._add(f"{_element(scalars[name])} *polyloop_out_{name}", f"(void *)polyloop_slots[{places[name]}]")
        # Else nobody would see what the loops leave in it, and a compiler might leave them out.
        roots = elsewhere.changed_values(scop.written)
        for root in roots:
            self._add(f"__typeof__({root}) *polyloop_out_{root}", f"&{root}")
        self.changed = [*self.given, *roots]

    def _set_global(self, declaration: Declaration, slot: str, is_written: bool, is_array: bool) -> None:
        """A variable of the file's that functions name which the region calls gets its value, or what it points to."""
        name = declaration.name
        if not is_array or ("*" in declaration.text and "[" not in declaration.text):
            self.elsewhere.steps.append((False, f"{name} = {f'(void *){slot}' if is_array else slot};"))
            return
        self.elsewhere.copy(f"&{name}", f"(void *){slot}", f"sizeof {name}", is_written)

    def _parameter(self, declaration: Declaration) -> str:
        """A declaration without a first extent that the function does not know: C takes no notice of it."""

        def extent(found: re.Match[str]) -> str:
            unknown = not (self.declared.keys() - self.inside).isdisjoint(re.findall(r"[A-Za-z_]\w*", found[2]))
            return f"{found[1]}[{'__restrict' if 'restrict' in found[2] else ''}]" if unknown else found[0]

        return re.sub(rf"\b({declaration.name})\s*\[([^\]]*)\]", extent, declaration.parameter, count=1)

    def _add(self, parameter: str, passed: str) -> None:
        self.parameters.append(parameter)
        self.passed.append(passed)


def _head(source: SourceRegion, signature: _Signature) -> str:
    """The function up to its region."""
    until = source.begin if source.above is None else source.above[0]
    given = dict(source.given)
    lines = [
        f"    {'static ' if declaration.name in signature.tables else ''}{_local(declaration, given)}\n"
        for declaration in signature.declared.values()
        if declaration.name not in signature.inside and declaration.place != "global"  # which the file itself has
    ]
    # What the region changes has the value that the function has given it, and that the Scop begins with.
    lines += [f"    {name} = {given[name]};\n" for name in signature.given if name in given]
    line = source.text[source.text.rfind("\n", 0, source.begin) + 1 : source.begin]
    return (
        f"{_NOT_INLINED}polyloop_alone({', '.join(signature.parameters) or 'void'})\n{{\n"
        f"{''.join(lines)}{directives(source.text[source.function_start : until])}"
        f"#pragma scop\n{line if not line.strip() else ''}"
    )


def _tail(source: SourceRegion, signature: _Signature) -> str:
    """The function from its region on, and the one that calls it."""
    labels = "".join(f"{label}:;\n" for label in source.labels)
    stored = "".join(f"    *polyloop_out_{name} = {name};\n" for name in signature.changed)
    call = f"polyloop_alone({', '.join(signature.passed)});"
    run = of_its_time(signature.elsewhere.around(call), source.macros)
    return ("" if source.loops.endswith("\n") else "\n") + f"#pragma endscop\n{labels}{stored}}}\n\n" + run + _THREADS


def _function(name: str, lines: Iterable[str]) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"{_EXPORTED} void {name}(const long long *polyloop_slots)\n{{\n{body}}}\n"


_PHASES = """\
static __inline__ __attribute__((always_inline))
void polyloop_in_phase(const long long *polyloop_slots, int polyloop_phase)
{
"""

_MEMBERS = """\
static void polyloop_copy_members(char *whole, char *view, long bytes, long start, long stride, long first, long size,
                                  int is_back)
{
    for (long place = first - start; place < bytes; place += stride) {
        long from = place < 0 ? 0 : place, end = place + size < bytes ? place + size : bytes;
        if (from >= end)
            continue;
        if (is_back)
            __builtin_memcpy(view + from, whole + start + from, end - from);
        else
            __builtin_memcpy(whole + start + from, view + from, end - from);
    }
}

"""
"""Copies a member of all structures of an array into them, from an array of its type that begins at byte `start` of the
first one; or back."""


_THREADS = f"""
{_EXPORTED} void {THREADS}(int polyloop_count)
{{
    (void)polyloop_count;
#ifdef _OPENMP
    extern void omp_set_num_threads(int);
    omp_set_num_threads(polyloop_count);
#endif
}}
"""


def _variable(source: SourceRegion, array: Array) -> str:
    """C's variable that the array is; "" where there is none, but a pointer to it in memory. The Scop may have another
    name for it (``max``, which is a word of the set library)."""
    found = re.fullmatch(r"&?(\w+)(\[0\])*", source.address(array.name))
    return found[1] if found is not None and array.name.rstrip("_") == found[1].rstrip("_") else ""


class _Elsewhere:
    """Parameters and arrays that are members of structures, or stand behind pointers: what they lie in is made here.

    Attributes:
        names: of the Scop's.
        roots: variables of the region that lead there, and what is passed for them.
        values: scalars of the region whose value before it is a parameter, and what is passed for them.
        held: declarations of what is there from the preparation to the end.
        steps: statements in front of the call, and whether the preparation alone has them; before each call pointers
            and parameters are set again, as the region may have moved them.
        after: statements of the end, the last one first.
    """

    def __init__(
        self,
        scop: Scop,
        source: SourceRegion,
        slots: tuple[str, ...],
        declared: dict[str, Declaration],
        called: Mapping[str, Declaration],
    ) -> None:
        memory = {each.name: each for each in source.memory if each.text != each.name}
        self.names = frozenset(name for name in memory if name in slots)
        self.roots: dict[str, str] = {}
        self.least: set[str] = set()  # variables of which quotients alone are known
        self.values: dict[str, str] = {}
        self.held: list[str] = []
        self.steps: list[tuple[bool, str]] = []
        self.after: list[str] = []
        self._named: set[str] = set()
        self._places: dict[str, dict[str, bool]] = {}
        self._texts = [text for each in memory.values() for text in (each.text, *(cell for cell, _ in each.cells))]
        self._uses_members = False
        self._slots, self._declared, self._source = slots, declared, source
        self._called = frozenset(name for name, each in called.items() if "*" not in each.text)
        self._parameters = frozenset(scop.parameters)
        conditions = {memory[name].text: name for name in scop.parameters if name in memory}
        arrays = {array.name: array for array in scop.arrays if array.name in self.names}
        structures: dict[str, dict[str, int]] = {}
        for name in arrays:
            if source.address(name) == f"(void *){memory[name].text}":
                root, start = _view(memory[name].text)
                structures.setdefault(root, {})[name] = start
        for root, views in structures.items():
            self._structures(root, [(memory[name], start) for name, start in views.items()], scop.written)
        viewed = {name for each in structures.values() for name in each}
        inner = {name: each for name, each in memory.items() if name in self.names and name not in viewed}
        led: set[str] = set()
        for each in [each for each in inner.values() if each.table is not None]:
            assert each.table is not None
            # What leads to a table of a table of tables, ``s->u`` in front of ``s->u[0]``, once for all of them.
            for cell, _ in each.cells:
                if cell != each.table.text and not cell.startswith("*(char") and cell not in led:
                    led.add(cell)
                    self._reach(cell)
                    self._point(cell)
            self._rows(scop, each.table)
            for other in (*each.table.strides, each.table.array):
                del inner[other]
        for name in [name for name, each in inner.items() if name not in arrays and each.text in slots]:
            self.values[inner.pop(name).text] = self._slot(name)
        texts = {each.text for each in memory.values()}
        for name in computed_parameters(scop):
            inner.pop(name, None)  # the region computes it
        solved: set[str] = set()
        # Sizes of the Scop's fit each other, so that what one exact sum says does for quotients of the same variable.
        for name, each in sorted(inner.items(), key=lambda item: item[1].is_quotient):
            unknown = {variable for product, _ in each.polynomial for variable in product} - set(slots)
            if name not in arrays and ((len(unknown) == 1 and unknown <= solved) or self._solved(each)):
                solved |= set() if each.is_quotient else unknown
                del inner[name]
        distances = {n: ends for n, each in inner.items() if (ends := _ends_of_distance(each)) is not None}
        apart = [(inner.pop(name), *ends) for name, ends in distances.items()]
        products = {n: f for n, each in inner.items() if n not in arrays and len(f := _factors(each)) > 1}
        self._products({inner.pop(name).text: (name, factors) for name, factors in products.items()}, texts)
        reached = dict.fromkeys(cell for m in inner.values() for cell in (m.text, *(cell for cell, _ in m.cells)))
        for cell in reached:
            self._root(cell)
        for cell in reached:
            self._reach(cell)
        for cell in dict.fromkeys(cell for each in inner.values() for cell, _ in each.cells if cell not in texts):
            self._point(cell)
        for name, each in inner.items():
            if name in arrays:
                self._array(arrays[name], each.text, conditions.get(f"({each.text} != 0)"), name in scop.written)
            elif each.divisor:
                raise AloneError(f"{each.text} cannot be made anew")
            elif not each.text.endswith(" != 0)"):
                self._set(each.text, self._slot(name))
        for each, first, last in apart:  # where arrays begin is known by now
            self._reach(first)
            self._reach(last)
            self.steps.append((False, _set_pointer(last, f"(void *)(({first}) + {self._slot(each.name)})")))

    def changed_values(self, written: Iterable[str]) -> list[str]:
        """Structures, no pointers to them, of which the region writes a member."""
        found = [
            re.match(r"(?:__(?:real|imag)__ (?=\w)|(?=\w+\.))(\w+)", self._source.address(name).lstrip("&("))
            for name in sorted(written)
            if name in self.names
        ]
        roots = dict.fromkeys(match[1] for match in found if match is not None)
        return [root for root in roots if self.roots.get(root) == root and "*" not in self._declared[root].text]

    def _set(self, cell: str, value: str) -> None:
        """A cell, which may be constant, gets a value."""
        text = (
            f"{{ __typeof__(({cell}) + 0) polyloop_value = {value};"
            f" __builtin_memcpy((void *)&({cell}), &polyloop_value, sizeof({cell})); }}"
        )
        self.steps.append((False, text))

    def copy(self, inside: str, outside: str, size: str, is_written: bool, condition: str = "") -> None:
        """What lies outside gets in before the first call, and back behind the last one where the region writes it."""
        self.steps.append((True, f"{condition}__builtin_memcpy({inside}, {outside}, {size});"))
        if is_written:
            self.after.append(f"{condition}__builtin_memcpy({outside}, {inside}, {size});")

    def _hold(self, declaration: Declaration) -> None:
        """A variable that is there from the preparation to the end; a constant gets its value in the preparation."""
        text = declaration.text.replace("[]", f"[{self._elements(declaration.name)}]")
        target, star, itself = text.rpartition("*")
        self.held.append(f"static {target}{star}{re.sub(_CONST, '', itself)};")

    def _slot(self, name: str) -> str:
        return f"polyloop_slots[{self._slots.index(name)}]"

    def _bytes(self, name: str) -> str:
        """Of an array."""
        return f"polyloop_slots[{len(self._slots) - len(self._parameters) + self._slots.index(name)}]"

    def _products(self, products: Mapping[str, tuple[str, list[str]]], texts: set[str]) -> None:
        """Variables of which the Scop knows products or quotients alone: in each one that no other has gets its value,
        the dividend in a quotient; the others are 1."""
        uses = Counter(factor for _, factors in products.values() for factor in factors)
        made: set[str] = set()
        for text, (name, factors) in products.items():
            alone = [factor for factor in (factors[:1] if " / " in text else factors) if uses[factor] == 1]
            if not alone or not (texts | {*self._slots, *self.roots.keys() - made}).isdisjoint(factors):
                raise AloneError(f"the product or quotient of {' and '.join(factors)} cannot be made anew")
            for factor in factors:
                value = self._slot(name) if factor == alone[0] else "1"
                if factor in made:
                    continue
                made.add(factor)
                if factor in self._declared:
                    self.roots[factor] = value
                else:
                    self._reach(factor)
                    self._set(factor, value)

    def _solved(self, memory: Memory) -> bool:
        """Whether a parameter is computed from one variable that the Scop does not know, and what it knows: that
        variable gets the value that gives it."""
        divisor = [memory.divisor] if memory.divisor else []
        unknown = {name for product, _ in memory.polynomial for name in product} - set(self._slots)
        (name,) = unknown if len(unknown) == 1 else ("",)
        terms = dict(memory.polynomial)
        products = [product for product in terms if name in product]
        sign = terms.pop(products[0]) if len(products) == 1 else 0
        times = [factor for factor in products[0] if factor != name] if sign else []
        steps = divisor == [name] and products == [(name,)]  # the step of a loop: (255 + step) / step
        divisor = [] if steps else divisor
        known = {*divisor, *times, *(factor for product in terms for factor in product)} <= self._parameters
        variable = self._declared.get(name)
        # Sizes are such that a product is one.
        once = sign and len(times) + 1 == len(products[0]) and not (times and divisor)
        cell = memory.cells[0][0] if variable is None and len(memory.cells) == 1 else ""
        again = name in self.least
        if sign not in (1, -1) or not once or not known or not (variable or cell) or (name in self.roots and not again):
            return False
        rest = [" * ".join([f"({factor}L)", *map(self._slot, product)]) for product, factor in terms.items()]
        whole = " * ".join([*map(self._slot, [memory.name, *divisor]), f"{memory.multiple}L"])
        value = " / ".join([f"({sign}) * ({' - '.join([whole, *rest])})", *map(self._slot, times)])
        if steps:
            left, each = " + ".join(rest or ["0L"]), f"({whole} - ({sign}L))"
            value = f"{each} > 0 ? ({left}) / {each} : ({left}) + 1"
        if again and (cell or sign < 0):
            return False
        if cell:
            self._reach(cell)
            self._set(cell, value)
            return True
        # Of several quotients the one that asks for the largest value is right for all.
        self.roots[name] = f"({self.roots[name]}) > ({value}) ? ({self.roots[name]}) : ({value})" if again else value
        self.least |= {name} if memory.is_quotient else set()
        return True

    def _structures(self, root: str, views: Sequence[tuple[Memory, int]], written: Iterable[str]) -> None:
        """An array of structures, of which the Scop has an array for each type of members, from some byte of the first
        structure on: one of the first byte is the array, others have their members copied."""
        name = views[0][0].name
        place, size = f"(void *){self._slot(name)}", self._bytes(name)
        if len(views) > 1 or views[0][1]:
            place = f"polyloop_room_{len(self.held)}"
            ends = [f"{start} + {self._bytes(view.name)}" for view, start in views]
            size = f"({_largest(ends)} + sizeof(({root})[0]))"
            self.held.append(f"static char *{place};")
            self.steps.append((True, f"{place} = __builtin_calloc(1, {size});"))
            self.after.append(f"__builtin_free({place});")
            for view, start in views:
                self._members(place, view, start, view.name in written)
        if root in self._declared:
            self.roots[root] = root
            pointer = re.sub(rf"\b{root}\s*\[[^\]]*\]", f"(*{root})", self._declared[root].text)
            extents = " ".join(re.findall(r"\[([^\]]*)\]", pointer))
            if not self._declared.keys().isdisjoint(re.findall(r"[A-Za-z_]\w*", extents)):
                pointer = f"void *{root}"  # static variables have no types that hang on others
            self.held.append(f"static {pointer};")
            self.steps.append((False, _set_pointer(root, place)))
            return
        self._reach(root)
        self.roots[root] = ""
        # Of an array the data may be a part.
        part = f"((unsigned long)({size}) < sizeof({root}) ? (unsigned long)({size}) : sizeof({root}))"
        self._pointer_or_array(root, place, place, part, any(view.name in written for view, _ in views))

    def _members(self, place: str, view: Memory, start: int, is_written: bool) -> None:
        self._uses_members = True
        for test in view.tests:
            if (found := _MEMBER.fullmatch(test)) is None:
                continue
            arguments = (
                f"{place}, (char *){self._slot(view.name)}, {self._bytes(view.name)}, {start},"
                f" sizeof({found['structure']}), {found['first']}, sizeof({found['member']})"
            )
            self.steps.append((True, f"polyloop_copy_members({arguments}, 0);"))
            if is_written:
                self.after.append(f"polyloop_copy_members({arguments}, 1);")

    def around(self, call: str) -> str:
        """The functions of the file that prepare the call, make it, and end it."""
        steps = [("" if not is_once else "if (!polyloop_phase) ") + text for is_once, text in self.steps]
        if not self.after and not any(is_once for is_once, _ in self.steps):
            return _function(ENTRY, ["(void)polyloop_slots;", *self.held, *steps, call])
        end = ["if (polyloop_phase == 2) {", *(f"    {each}" for each in reversed(self.after)), "    return;", "}"]
        body = [*self.held, *end, *steps, f"if (polyloop_phase) {call}"]
        functions = [
            _function(name, [f"polyloop_in_phase(polyloop_slots, {phase});"])
            for phase, name in enumerate((PREPARE, ENTRY, FINISH))
        ]
        members = _MEMBERS if self._uses_members else ""
        return "".join((members, _PHASES, *(f"    {line}\n" for line in body), "}\n\n", *functions))

    def _root(self, text: str) -> str:
        """The variable that an expression begins with, "" for what the file has itself; which elements it means."""
        words = re.findall(r"(?<![\w.>])[A-Za-z_]\w*", text)
        if len(words) == 1 and words[0] in self._called:
            return ""
        found = [name for name in words if name in self._declared]
        root, *indices = dict.fromkeys(found) if found else ("",)
        if not root or "(char *)" in text:
            raise AloneError(f"{text} cannot be made anew")
        for index in indices:
            place, is_parameter = self._count(index, text)
            self._places.setdefault(text[: text.index(f"[{place}]")], {})[f"({place})"] = is_parameter
        return root

    def _reach(self, text: str) -> None:
        """The variable that an expression begins with: a structure, or a pointer to one."""
        root = self._root(text)
        if root in self.roots and self.roots[root] != root:
            raise AloneError(f"{text} cannot be made anew")
        if not root or root in self.roots or root in self._named:
            return
        declaration, places = self._declared[root].text, any(self._places.get(root, {}).values())
        if root in self._slots and root not in self.names:  # an array, one of whose elements is a parameter as well
            if "[" in declaration or places:
                raise AloneError(f"{text} cannot be made anew")
            self._named.add(root)
            self._hold(self._declared[root])
            self.steps.append((False, _set_pointer(root, f"(void *){self._slot(root)}")))
            return
        if "[" in declaration and places:
            raise AloneError(f"{text} cannot be made anew")
        self.roots[root] = root
        self._hold(self._declared[root])
        # A type may be the name of a pointer's.
        if "[" not in declaration and ("*" in declaration or re.search(rf"\b{root}\s*(?:->|\[)", text)):
            self._point(root)

    def _count(self, index: str, text: str) -> tuple[str, bool]:
        """A variable that says which element is meant, one of the first ones where it says nothing else. The number of
        that element as C, and whether the variable is a parameter of the Scop, which has a value."""
        declaration = self._declared[index]
        place = re.search(rf"\[([\d\s+*-]*\b{index}\b[\d\s+*-]*)\]", text)
        is_parameter = index in self._parameters
        if place is None or re.search(r"[*\[]", declaration.text) or (index in self._slots and not is_parameter):
            raise AloneError(f"{text} cannot be made anew")
        first = _IN_FRONT if re.search(rf"\[\s*{index}\s*-", " ".join(self._texts)) else 0
        value = f"const long {index} = {self._slot(index)};" if is_parameter else f"enum {{ {index} = {first} }};"
        if value not in self.held:
            self.held.append(value)
        if not is_parameter:
            self.roots[index] = str(first)
        return place[1], is_parameter

    def _elements(self, cell: str) -> str:
        """As many as the region means, at least."""
        return " + ".join(["1", *self._places.get(cell, {})])

    def _point(self, cell: str) -> None:
        """A pointer gets something to point to, with as many elements as parameters ask for."""
        room = f"polyloop_room_{len(self.held)}"
        size = f"sizeof *({cell}) * ({self._elements(cell)}) + {_ROOM}"
        if any(self._places.get(cell, {}).values()):
            self.held.append(f"static void *{room};")
            self.steps.append((True, f"{room} = __builtin_calloc(1, {size});"))
            self.after.append(f"__builtin_free({room});")
        else:
            self.held.append(f"static __attribute__((aligned(64))) char {room}[{size}];")
        self.steps.append((False, _set_pointer(cell, room)))

    def _rows(self, scop: Scop, table: RowTable) -> None:
        """A table of pointers to the rows of an array, as far as they are used, and to tables of such pointers."""
        # All boxes in one: rows that nothing uses may be there as well.
        ends = [[pairs[0][0], _largest([last for _, last in pairs])] for pairs in zip(*table.boxes, strict=True)]
        ends = [["0" if len(table.boxes) > 1 else first, last] for first, last in ends]
        known = {f"(long){self._source.value(name)}": f"(long){self._slot(name)}" for name in scop.parameters}
        if known:  # all at once: a slot's text may begin like a parameter's
            longest_first = sorted(known, key=len, reverse=True)
            pattern = re.compile(rf"({'|'.join(map(re.escape, longest_first))})(?!\w)")
            ends = [[pattern.sub(lambda found: known[found[0]], text) for text in pair] for pair in ends]
        self._reach(table.text)
        given = table.text in self._declared and "[" in self._declared[table.text].text
        text, place, rows, loops = table.text, "", "1ul", list[str]()
        for level, ((first, last), stride) in enumerate(zip(ends, table.strides, strict=True)):
            row = f"polyloop_row_{level}"
            if level or not given:
                room, each = f"polyloop_room_{len(self.held)}", f"(unsigned long)({last} + 1)"
                self.held.append(f"static void **{room};")
                self.steps.append((True, f"{room} = __builtin_malloc(sizeof(void *) * {rows} * {each});"))
                self.after.append(f"__builtin_free({room});")
                if level:
                    loops.append(_if_pointer(text, f"{room} + ({_index(level, ends)}) * {each}"))
                else:
                    self.steps.append((False, _if_pointer(text, room)))
            loops.append(f"for (long {row} = {first}; {row} <= {last}; {row}++) {{")
            rows += f" * (unsigned long)({last} + 1)"
            place = f"({place} + {row}) * {self._slot(stride)}" if place else f"{row} * {self._slot(stride)}"
            text += f"[{row}]"
        loops.append(_set_pointer(text, f"(char *){self._slot(table.array)} + {table.size} * {place}"))
        self.steps.append((True, f"{{ {' '.join(loops)} {'}' * len(ends)} }}"))

    def _array(self, array: Array, text: str, condition: str | None, is_written: bool) -> None:
        slot = self._slot(array.name)
        known = not array.shape or array.shape[0] is not None  # of rows that a pointer leads to it is not
        if known and self._source.address(array.name).startswith("&"):  # it lies in the structure itself
            self.copy(f"(void *)&({text})", f"(void *){slot}", f"sizeof({text})", is_written)
            return
        value = f"{self._slot(condition)} ? {slot} : 0" if condition is not None else slot
        value = f"(void *)({value})"
        if not array.shape or not all(extent is not None and extent.is_constant for extent in array.shape):
            self.steps.append((False, _set_pointer(text, value)))
            return
        self._pointer_or_array(text, f"(void *){slot}", value, f"sizeof({text})", is_written)

    def _pointer_or_array(self, text: str, outside: str, value: str, size: str, is_written: bool) -> None:
        """The same words name a variable that is an array and one that is a pointer; the compiler knows which."""
        self.steps.append((False, _if_pointer(text, value)))
        self.copy(f"(void *)&({text})", outside, size, is_written, condition=f"if (!{_is_pointer(text)}) ")


def _view(text: str) -> tuple[str, int]:
    """An array of structures, and the byte where one of its members' arrays begins."""
    found = re.fullmatch(r"\(\(char \*\)(.+) \+ (\d+)\)", text)
    return (found[1], int(found[2])) if found is not None else (text, 0)


def _ends_of_distance(memory: Memory) -> tuple[str, str] | None:
    """The pointers of which a value is the difference, ``(end - start)``, the first one first."""
    found = re.fullmatch(r"\((\S+) - (\S+)\)", memory.text)
    return (found[2], found[1]) if found is not None and not memory.polynomial and not memory.divisor else None


_CONST = r"\bconst\b"
_MEMBER = re.compile(r"\(char \*\)&(?P<member>.+) - \(char \*\)&(?P<structure>.+) == (?P<first>\d+)")


def _is_pointer(text: str) -> str:
    """What compilers know of a variable that is an array or a pointer."""
    return f"__builtin_types_compatible_p(__typeof__({text}), __typeof__(&({text})[0]))"


def _if_pointer(text: str, value: str) -> str:
    return f"if ({_is_pointer(text)}) {_set_pointer(text, value)}"


def _set_pointer(cell: str, value: str) -> str:
    cell = re.sub(r"\(\([^()]*\*\)\((.*)\)\)", r"\1", cell)  # of ``((float *)(s->data))`` what is no cast
    # Its type may be constant, or a structure's.
    return (
        f"{{ void *polyloop_value = {value};"
        f" __builtin_memcpy((void *)&({cell}), &polyloop_value, sizeof polyloop_value); }}"
    )


def _largest(texts: Sequence[str]) -> str:
    """The largest of some numbers of C."""
    return reduce(lambda a, b: f"(({a}) > ({b}) ? ({a}) : ({b}))", dict.fromkeys(texts))


def _index(level: int, ends: Sequence[Sequence[str]]) -> str:
    """The number of a table of pointers among those of its level."""
    number = "polyloop_row_0"
    for outer in range(1, level):
        number = f"({number}) * ({ends[outer][1]} + 1) + polyloop_row_{outer}"
    return number


def _factors(memory: Memory) -> list[str]:
    """Of a product, or a quotient, that is a parameter."""
    text = memory.text
    if re.fullmatch(r"\(\w+ / \w+\)|\(\w+(?: \* \w+)+\)", text):
        return re.findall(r"\w+", text)
    found = re.findall(r"\(unsigned long\)\(([^()]+)\)", text)
    if text == f"(long)({' * '.join(f'(unsigned long)({factor})' for factor in found)})":
        return found
    # ``(((size_t) g->nx) * ((size_t) g->ny))``: of one term, so that what is left without casts are its factors.
    if [len(product) for product, times in memory.polynomial if times == 1] != [text.count("*") + 1]:
        return []
    factors = [factor.strip("() ") for factor in re.sub(r"\([A-Za-z_][\w ]*\) ?(?=[\w(])", "", text).split("*")]
    return factors if all(re.fullmatch(r"\w+(?:(?:->|\.)\w+)*", factor) for factor in factors) else []


_IN_FRONT = 8
"""The element that is meant where elements in front of it are, too."""

_ROOM = 4096
"""Bytes behind what a pointer points to, for more than one of these."""


def _passed(slot: int, name: str, scop: Scop, scalars: dict[str, Array]) -> str:
    if name in scop.parameters:
        return f"polyloop_slots[{slot}]"
    if name in scalars:
        return _value(scalars[name], slot)
    return f"(void *)polyloop_slots[{slot}]"


def _value(scalar: Array, slot: int) -> str:
    return f"*({_element(scalar)} *)polyloop_slots[{slot}]"


def _element(array: Array) -> str:
    return scalar_name(array.type)


def _local(declaration: Declaration, given: Mapping[str, str]) -> str:
    value = given.get(declaration.name) or declaration.value
    return f"{declaration.text} = {value};" if value else f"{declaration.text};"
