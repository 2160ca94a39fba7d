"""Random C functions as people write them: in bounds and free of undefined behaviour by construction.

`random_functions` has what polyhedral tools read, in all combinations. Here are the forms of other code: conditions on
data, integers and pointers that run along, members of structures, subscripts that are data, calls, loop headers of all
kinds. The loops stand in a function of their own, which takes its arrays and sizes in one of several ways; another one,
which has the parameters that all random functions have, prepares what it takes and calls it.

In bounds: sizes lie between 0 and `random_functions.LARGEST`, rows are `ROW` elements apart, index arrays have contents
of their own (`RandomArray`), and every array has room for what any form reaches.
Defined: integers are read through ``& 1023`` where they are computed with; the calls' arguments have no side effects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from polyloop.bench.random_functions import LARGEST, Maker, RandomArray, RandomFunction, T

ROW = 16
"""Elements from one row to the next: more than the largest size and what is added to a subscript."""

_ROOM = 2 * ROW * (ROW + 2)
_VALUES = ("float", "double", "double", "int", "short", "unsigned char")
_INDICES = ("int", "int", "unsigned char", "short", "unsigned")
_COUNTERS = ("int", "int", "int", "long", "unsigned long")


def random_program(rng: np.random.Generator, name: str) -> RandomFunction:
    """The same function for the same state of the generator."""
    return _Maker(rng, name).function()


@dataclass
class _Maker(Maker):
    lines: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    names: int = 0

    def function(self) -> RandomFunction:
        self.style = self._one_of(("plain", "plain", "plain", "struct", "struct", "cells"))
        self.type = self._one_of(_VALUES)
        self.other = self._one_of((self.type, self.type, "double"))
        self.index = self._one_of(_INDICES)
        self.counter = self._one_of(_COUNTERS)
        forms: tuple[Callable[[], None], ...] = (
            *(self._linear, self._rows, self._running, self._bumped, self._conditional, self._conditional),
            *(self._gathered, self._scattered, self._called, self._reduced, self._headers, self._jumps),
            *(self._segments, self._records, self._product, self._sweeps, self._sweeps),
            *(self._commas, self._windows, self._tables, self._searched, self._offsets, self._picked, self._bits),
            *(self._chosen, self._moved, self._nested, self._nested),
        )
        for _ in range(self._one_of((1, 1, 2))):
            self._one_of(forms)()
        contents = {"P": "p", "R": "r"}  # below ROW, and the ends of rows
        arrays = [RandomArray(a, t, [_ROOM], False, False, contents.get(a, "")) for a, t in self._types().items()]
        return RandomFunction(self.name, self._text(), ("int", "int"), "double", tuple(arrays), f"{self.name}_loops")

    def _types(self) -> dict[str, str]:
        return {"A": self.type, "B": self.type, "C": self.other, "P": self.index, "R": self.index}

    # --- the text -----------------------------------------------------------------------------------------------------

    def _text(self) -> str:
        name, types = self.name, self._types()
        restrict = "restrict " if self._chance(0.3) else ""
        pointers = {a: f"{'const ' if a in 'PR' else ''}{t} *{restrict}{a}" for a, t in types.items()}
        lines = list(self.functions)
        parameters = ", ".join(pointers.values())
        match self.style:
            case "struct":
                members = [*(f"{text};" for text in pointers.values()), "int nx;", f"{self.type} scale;", "short ny;"]
                lines += [f"struct {name}_s {{", *(f"    {m}" for m in self._shuffled(members)), "};"]
                const = "const " if self._chance(0.5) else ""
                head, call = f"{const}struct {name}_s *s", "&s"
            case "cells":
                head, call = (
                    f"const int *size, const int *count, double alpha, {parameters}",
                    "sizes, &sizes[1], alpha, ",
                )
                call += ", ".join(types)
            case _:
                head, call = f"int n, int m, double alpha, {parameters}", "n, m, alpha, " + ", ".join(types)
        lines += [f"static void {name}_loops({head})", "{", *(f"    {line}" for line in self.before)]
        lines += ["#pragma scop", *self.lines, "#pragma endscop", "}"]
        given = ", ".join(f"{t} *{a}" for a, t in types.items())
        lines += [f"void {name}(int n, int m, double alpha, {given})", "{"]
        if self.style == "struct":
            members = [f".{a} = {a}" for a in types] + [".nx = n", ".ny = (short)m", f".scale = ({self.type})alpha"]
            lines.append(f"    struct {name}_s s = {{{', '.join(members)}}};")
        if self.style == "cells":
            lines.append("    int sizes[2] = {n, m};")
        return "\n".join([*lines, f"    {name}_loops({call});", "}"]) + "\n"

    def _shuffled(self, options: Sequence[T]) -> list[T]:
        return [options[k] for k in self.rng.permutation(len(options))]

    def _fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def _add(self, depth: int, *lines: str) -> None:
        self.lines += ["    " * depth + line for line in lines]

    # --- names as the style has them ----------------------------------------------------------------------------------

    @property
    def n(self) -> str:
        return {"struct": "s->nx", "cells": "size[0]"}.get(self.style, "n")

    @property
    def m(self) -> str:
        return {"struct": "s->ny", "cells": "*count"}.get(self.style, "m")

    @property
    def alpha(self) -> str:
        return "s->scale" if self.style == "struct" else f"({self.type})alpha"

    def _array(self, name: str) -> str:
        return f"s->{name}" if self.style == "struct" else name

    def _sources(self, subscript: str) -> tuple[str, ...]:
        """Elements that a value may be made of."""
        shifted = f"{subscript} + {self._integer(1, 2)}"
        near = tuple(f"{self._array(a)}[{at}]" for a in ("A", "B") for at in (subscript, shifted))
        return (*near, f"{self._array('C')}[{subscript}]")

    def _value(self, sources: Sequence[str], depth: int = 2) -> str:
        """Of the arrays' type, or one that becomes it without undefined behaviour."""
        if depth == 0:
            source = self._one_of(sources)
            if self.type in ("float", "double"):
                scalars = (self.alpha,) if "[" in "".join(sources) else ()  # functions that are called have none
                return source if self._chance(0.8) else self._one_of(("0.5", "2", "-0.75f", *scalars))
            return f"((int){source} & 1023)" if "[" not in source or "C" not in source else self._one_of(("3", "7"))
        left, right = self._value(sources, depth - 1), self._value(sources, depth - 1)
        operators = ("+", "-", "*", "+") if self.type in ("float", "double") else ("+", "-", "^", "&")
        return f"({left} {self._one_of(operators)} {right})"

    def _test(self, sources: Sequence[str]) -> str:
        first = self._one_of(sources)
        simple = f"{first} {self._one_of(('<', '>', '>=', '!='))} {self._one_of((*sources, '0', '1'))}"
        match self._integer(0, 4):
            case 0:
                return f"{simple} && {self._one_of(sources)} > 0"
            case 1:
                return f"{simple} || !({self._one_of(sources)} < 1)"
            case _:
                return simple

    def _store(self, subscript: str, sources: Sequence[str]) -> str:
        target = self._one_of(("A", "B"))
        operator = self._one_of(("=", "=", "+=", "-=")) if self.type in ("float", "double") else "="
        return f"{self._array(target)}[{subscript}] {operator} {self._value(sources)};"

    # --- forms --------------------------------------------------------------------------------------------------------

    def _linear(self) -> None:
        """An integer that is computed from counters."""
        k, c = self._fresh("k"), self.counter
        inside = self._chance(0.6)
        if not inside:
            self.before.append(f"{c} {k};")
        self._add(1, f"for ({c} j = 0; j < {self.m}; j++)", f"    for ({c} i = 0; i < {self.n}; i++) {{")
        shape = self._one_of((f"j * {ROW} + i", f"i + {ROW} * j", f"i * {ROW} + j"))
        self._add(3, f"{'const ' if inside and self._chance(0.5) else ''}{c if inside else ''} {k} = {shape};".strip())
        sources = self._sources(k)
        self._add(3, self._store(k, sources))
        if self._chance(0.3):
            self._add(3, self._store(f"{k} + 1", sources))
        self._add(2, "}")

    def _rows(self) -> None:
        """Pointers to rows."""
        r, q = self._fresh("r"), self._fresh("q")
        self._add(1, f"for (int j = 0; j < {self.m}; j++) {{")
        self._add(2, f"{self.type} *{r} = {self._array('A')} + j * {ROW};")
        self._add(2, f"const {self.type} *{q} = &{self._array('B')}[j * {ROW} + {self._integer(0, 2)}];")
        self._add(2, f"for (int i = 0; i < {self.n}; i++)")
        target = self._one_of((f"{r}[i]", f"*({r} + i)"))
        self._add(3, f"{target} = {self._value((f'{q}[i]', f'{q}[i + 1]', f'{r}[i]', f'*({q} + i)'))};")
        self._add(1, "}")

    def _sweeps(self) -> None:
        """Stencils over a line or a plane, in one array or from one to the other and back."""
        plane, there = self._chance(0.7), self._one_of(("AA", "AB", "BA"))
        place = f"(i + 1) * {ROW} + j + 1" if plane else "j + 1"
        offsets = [ROW * di + dj for di in ((-1, 0, 1) if plane else (0,)) for dj in (-1, 0, 1)]
        self._add(1, f"for (int t = 0; t < {self._one_of((self.m, '3', '5'))}; t++) {{")
        for source, target in dict.fromkeys(((there[0], there[1]), (there[1], there[0]))):
            near = [f"{self._array(source)}[{place} + {self._one_of(offsets)}]" for _ in range(4)]
            loops = [
                f"for (int {c} = 0; {c} < {self._one_of((self.n, self.m))}; {c}++)" for c in ("ij" if plane else "j")
            ]
            self._add(2, *loops)
            self._add(3, f"{self._array(target)}[{place}] = {self._value([k.replace('+ -', '- ') for k in near])};")
        self._add(1, "}")

    def _running(self) -> None:
        """An integer that is counted up."""
        k = self._fresh("k")
        step = self._one_of((f"{k}++;", f"++{k};", f"{k} += 2;", f"{k} = {k} + 1;"))
        self._add(1, f"int {k} = {self._integer(0, 3)};")
        if self._chance(0.5):
            self._add(1, f"for (int j = 0; j < {self.m}; j++)")
            self._add(2, f"for (int i = 0; i < {self._one_of((self.n, 'j', 'j + 1'))}; i++) {{")
            self._add(3, self._store(k, self._sources(k)), step)
            self._add(2, "}")
        else:
            self._add(1, f"for (int i = 0; i < {self.n}; i++) {{")
            self._add(2, self._store(k, (*self._sources("i"), *self._sources(k))), step)
            self._add(1, "}")
        if self._chance(0.3):
            self._add(1, f"{self._array('C')}[{k}] = 1;")

    def _bumped(self) -> None:
        """Pointers that move along."""
        d, q = self._fresh("d"), self._fresh("q")
        self._add(1, f"{self.type} *{d} = {self._array('A')};", f"const {self.type} *{q} = {self._array('B')} + 1;")
        self._add(1, f"for (int i = 0; i < {self.n}; i++)")
        if self._chance(0.5):
            self._add(2, f"*{d}++ = *{q}++;")
        else:
            self.lines[-1] += " {"
            self._add(2, f"*{d} = {self._value((f'*{q}', f'{q}[1]', f'*{d}'))};", f"{d}++;", f"{q} += 1;")
            self._add(1, "}")

    def _conditional(self) -> None:
        """Statements behind conditions on data."""
        deep = self._chance(0.4)
        at = f"j * {ROW} + i" if deep else "i"
        if deep:
            self._add(1, f"for (int j = 0; j < {self.m}; j++)")
        self._add(1, f"for ({self.counter} i = 0; i < {self.n}; i++) {{")
        sources = self._sources(at)
        match self._integer(0, 4):
            case 0:
                self._add(2, f"if ({self._test(sources)})", f"    {self._store(at, sources)}")
            case 1:
                self._add(2, f"if ({self._test(sources)}) {{", f"    {self._store(at, sources)}")
                self._add(2, f"    {self._store(f'{at} + 1', sources)}", "}")
            case 2:
                self._add(2, f"if ({self._test(sources)})", f"    {self._store(at, sources)}")
                self._add(2, "else", f"    {self._store(at, sources)}")
            case 3:
                self._add(2, f"if ({self._test(sources)}) {{", f"    {self._store(at, sources)}")
                self._add(2, f"}} else if ({self._test(sources)}) {{", f"    {self._store(at, sources)}", "}")
            case _:
                self._add(2, f"if ({self._test(sources)})", "    continue;", self._store(at, sources))
        self._add(1, "}")

    def _nested(self) -> None:
        """Conditions in one another, of data, of counters and of what they count, whose sides assign to places that
        they share, in any order."""
        count, read = self._fresh("c"), [self._fresh("v") for _ in range(3)]
        self._add(1, f"int {count} = 0;")
        self._add(1, f"for ({self.counter} i = 0; i < {self.n}; i++) {{")
        for name, source in zip(read, self._shuffled(self._sources("i")[:4]), strict=False):
            self._add(2, f"{self.type} {name} = {source};")
        self._add(2, *self._block(count, read, 3))
        self._add(1, "}", f"{self._array('A')}[0] += {count};")

    def _block(self, count: str, read: Sequence[str], depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self._integer(1, 3)):
            if not depth or self._chance(0.5):
                lines.append(self._step(count, read))
                continue
            inside, other = (["    " + line for line in self._block(count, read, depth - 1)] for _ in range(2))
            lines += [f"if ({self._asked(count, read)}) {{", *inside]
            if self._chance(0.6):
                again = f" if ({self._asked(count, read)})" if self._chance(0.25) else ""
                lines += [f"}} else{again} {{", *other]
            lines.append("}")
        return [*lines, "continue;"] if depth < 3 and self._chance(0.08) else lines

    def _step(self, count: str, read: Sequence[str]) -> str:
        """An assignment."""
        first, second, *_ = self._shuffled([f"{self._array(a)}[{at}]" for a in ("A", "B") for at in ("i", "i + 1")])
        a, b, c = self._shuffled(read)
        chosen = self._one_of((f"{a} < {b} ? {b} : {c}", f"{a} > 0 && {b} > {c} ? {a} : {b}"))
        value = self._one_of((a, a, self._value(read, 1), chosen, second))
        steps = (f"{count}++;", f"{count} = {self._integer(0, 2)};", f"{a} = {b};", f"{first} = {second} = {a};")
        return self._one_of(steps) if self._chance(0.35) else f"{first} = {value};"

    def _asked(self, count: str, read: Sequence[str]) -> str:
        least, (a, b, c) = self._integer(0, 5), self._shuffled(read)
        of_data = (f"{a} > {b}", f"{a} < {b} && {c} > 0", self._test(read), f"++{count} > {least}")
        return self._one_of((*of_data, f"i > {least}", f"i == {least}", "i % 3 == 1", f"{a} > 0 && i != {least}"))

    def _gathered(self) -> None:
        """Subscripts that are data."""
        own, at = f"{self._array('A')}[i]", f"{self._array('P')}[i]"
        k, least = self._fresh("k"), self._integer(0, 6)
        form = self._integer(0, 4)
        named = at if form == 0 else k
        sources = (f"{self._array('B')}[{named}]", f"{self._array('C')}[{named} + 1]")
        self._add(1, f"for (int i = 0; i < {self.n}; i++) {{")
        if form:
            self._add(2, f"int {k} = {at};")
        # Bounds that are checked, and others.
        match form:
            case 2:
                self._add(2, f"{k} -= {least};", f"if ({k} >= 0 && ({self._test((own,))}))")
            case 3:
                self._add(2, f"if ({k} <= {least} || {k} > {least + 4}) {{", f"    {own} = 1;", "    continue;", "}")
        self._add(3 if form == 2 else 2, self._store("i", sources))
        self._add(1, "}")

    def _scattered(self) -> None:
        """Stores whose place is data, in order."""
        at = f"{self._array('P')}[{self._one_of(('i', 'i + 1', f'{LARGEST} - i'))}]"
        self._add(1, f"for (int i = 0; i < {self.n}; i++)")
        c, b = self._array("C"), self._array("B")
        if self.other in ("float", "double"):
            self._add(2, self._one_of((f"{c}[{at}] += {b}[i];", f"{c}[{at}] = {b}[i];", f"{c}[{at}] += 1;")))
        else:
            self._add(2, self._one_of((f"{c}[{at}] = {b}[i];", f"{c}[{at}] ^= {b}[i];")))

    def _called(self) -> None:
        """Calls of functions in sight."""
        f, t = f"{self.name}_{self._fresh('f')}", self.type
        sources = self._sources("i")[:-1]  # of the type that the functions take
        x, y = self._one_of(sources), self._one_of(sources)
        a = self._array("A")
        match self._integer(0, 3):
            case 0:
                self.functions.append(f"static {t} {f}({t} x, {t} y) {{ return {self._value(('x', 'y'))}; }}")
                call = f"{a}[i] = {f}({x}, {y});"
            case 1:
                body = f"{t} t = {self._value(('x', 'y'))}; t = t > y ? y : t; return t;"
                self.functions.append(f"static inline {t} {f}({t} x, {t} y) {{ {body} }}")
                call = f"{a}[i] = {f}({x}, {y}) {self._one_of(('+', '-'))} 1;"
            case 2:
                self.functions.append(f"static void {f}({t} *d, {t} x) {{ d[1] = {self._value(('x', '*d'))}; }}")
                call = f"{f}(&{a}[i], {x});"
            case _:
                body = f"for (int q = 0; q < n; q++) d[q] = {self._value(('x', '*(d + q)'))};"
                self.functions.append(f"static void {f}({t} *d, int n, {t} x) {{ {body} }}")
                call = f"{f}({a} + i * {ROW}, {self.n}, {x});"
        self._add(1, f"for (int i = 0; i < {self.m}; i++)", f"    {call}")

    def _reduced(self) -> None:
        """A value of many elements, and where it was found."""
        t, at = self._fresh("t"), self._fresh("at")
        sources = self._sources("i")
        self.before.append(f"{self.type} {t} = 0;")
        self._add(1, f"{t} = {self._array('A')}[0];")
        match self._integer(0, 2):
            case 0:
                self._add(1, f"for (int i = 0; i < {self.n}; i++)")
                self._add(2, f"if ({self._test(sources)})", f"    {t} = {self._value((t, *sources))};")
            case 1:
                self._add(1, f"for (int i = 0; i < {self.n}; i++)")
                self._add(2, f"if ({self._array('B')}[i] > {t})", f"    {t} = {self._array('B')}[i];")
            case _:
                self.before.append(f"int {at} = 0;")
                self._add(1, f"for (int i = 0; i < {self.n}; i++)")
                self._add(2, f"if ({self._array('B')}[i] > {t}) {{", f"    {t} = {self._array('B')}[i];")
                self._add(2, f"    {at} = i;", "}")
                self._add(1, f"{self._array('A')}[1] = {at};")
        self._add(1, f"{self._array('C')}[2] = {t};")

    def _headers(self) -> None:
        """Headers of loops, as they come."""
        i, k = self._fresh("i"), self._fresh("k")
        n = self.n
        self.before += [f"int {i};", f"int {k};"]
        at = i
        match self._integer(0, 8):
            case 7:
                head = [f"for ({i} = {k} = {self._integer(0, 2)}; {i} < {n}; {i}++, {k}++) {{"]
                at = self._one_of((i, k))
            case 8:
                head = [f"{i} = 0;", f"{k} = {n} - 1;", f"while ({i} < {k}) {{", f"    {k}--;"]
                at = self._one_of((i, k))
            case 0:
                head = [f"for ({i} = {n}; {i}-- > 0;) {{"]
            case 1:
                head = [f"for ({i} = 0, {k} = {n} - 1; {i} < {k}; {i}++, {k}--) {{"]
                at = self._one_of((i, k))
            case 2:
                head = [f"{i} = 1;", f"for (; {i} < {n}; {i} += 2) {{"]
            case 3:
                head = [f"for ({i} = 0; {i} != {n}; ++{i}) {{"]
            case 4:
                head = [f"{i} = 0;", f"while ({i} < {n}) {{"]
            case 5:
                head = [f"for ({i} = {n} - 1; {i} >= 0; {i}--) {{"]
            case _:
                head = [f"for ({i} = 0; {i} <= {n}; {i} = {i} + 1) {{"]
        sources = (f"{self._array('B')}[{i}]", f"{self._array('C')}[{i} + 1]", f"{self._array('A')}[{i}]")
        self._add(1, *head)
        self._add(2, self._store(at, sources), *([f"{i}++;"] if "while" in "".join(head) else []))
        self._add(1, "}")

    def _jumps(self) -> None:
        """Affine conditions that leave a loop or an iteration."""
        at = f"j * {ROW} + i"
        self._add(1, f"for (int j = 0; j < {self.m}; j++)", f"    for (int i = 0; i < {self.n}; i++) {{")
        what = self._one_of(
            ("if (i > j) break;", "if (i == j) continue;", "if (i + j > 9) break;", "if (j < 3) continue;")
        )
        self._add(3, what, self._store(at, self._sources(at)))
        self._add(2, "}")

    def _segments(self) -> None:
        """Rows whose ends are data, as of sparse matrices."""
        k, r = self._fresh("k"), self._array("R")
        self._add(1, f"for (int i = 0; i < {self.n}; i++) {{")
        self._add(2, f"for (int {k} = {r}[i]; {k} < {r}[i + 1]; {k}++)")
        place = f"{self._array('P')}[{k}]"
        sources = (f"{self._array('B')}[{k}]", f"{self._array('B')}[{place}]")
        if self.type in ("float", "double"):
            self._add(3, f"{self._array('A')}[i] += {self._value(sources)};")
        else:
            self._add(3, f"{self._array('A')}[i] = {self._value(sources)};")
        self._add(1, "}")

    def _records(self) -> None:
        """An array of structures."""
        p, record, count = self._fresh("p"), f"{self.name}_{self._fresh('r')}", self._integer(2, 4)
        members = [f"{self.type} {'xyzw'[k]};" for k in range(count)]
        self.functions.append(f"struct {record} {{ {' '.join(members)} }};")
        self.before.append(f"struct {record} *{p} = (struct {record} *){self._array('A')};")
        first, second = (f"{p}[i].{'xyzw'[self._integer(0, count - 1)]}" for _ in range(2))
        self._add(1, f"for (int i = 0; i < {self.n}; i++)")
        self._add(2, f"{first} = {self._value((second, first, self._array('B') + '[i]'))};")

    def _product(self) -> None:
        """One loop over two sizes."""
        k = self._fresh("k")
        self._add(1, f"for (int {k} = 0; {k} < {self.n} * {self.m}; {k}++)", f"    {self._store(k, self._sources(k))}")

    def _commas(self) -> None:
        """Values that are computed on the way, as f2c writes them, and macros that say what they do not use."""
        t, d = self.type, self._fresh("d")
        self.before.append(f"{t} {d};")
        sources = self._sources("i")
        first, second = self._one_of(sources[:-1]), self._one_of(sources)
        a = self._array("A")
        self._add(1, f"for (int i = 0; i < {self.n}; i++)")
        match self._integer(0, 3):
            case 0:
                self._add(2, f"{a}[i] = ({d} = {first}, {self._value((d, d, second))});")
            case 1:
                self._add(
                    2, f"if (({d} = {first}, {d} > 1 || {d} < 0)) {{", f"    {self._store('i', (d, *sources))}", "}"
                )
            case 2:
                self._add(2, f"{a}[i] = ((void)({self.m}), (void)0, {self._value(sources)});")
            case _:
                self._add(2, f"do {{ {d} = {first}; {a}[i] = {self._value((d, second))}; }} while ((void)0, 0);")

    def _windows(self) -> None:
        """Windows a parameter apart of an array, which overlap or lie apart."""
        hop, count = self._fresh("hop"), self._integer(1, 5)
        self.before.append(f"const int {hop} = {self.m} & 7;")
        at = self._one_of((f"i * {hop} + k", f"{hop} * i + (k + 1)", f"i * {hop} - k + {count}"))
        self._add(1, f"for (int i = 0; i < {self.n}; i++)", f"    for (int k = 0; k < {count}; k++)")
        a, b = self._array("A"), f"{self._array('B')}[{at}]"
        target = self._one_of(("i", f"i * {count} + k", f"k * {ROW} + i"))
        self._add(3, f"{a}[{target}] = {self._value((b, f'{a}[{target}]'))};")

    def _tables(self) -> None:
        """Rows that a table of pointers leads to, by number."""
        rows, t, n = self._fresh("rows"), self.type, self.n
        a, b = self._array("A"), self._array("B")
        self.before.append(f"{t} *{rows}[2] = {{{a} + {self._integer(0, 3)}, {b} + {self._integer(0, 3)}}};")
        name = rows
        if self._chance(0.5):
            name = f"{rows}_p"
            self.before.append(f"{t} *const *{name} = {rows};")
        sources = (f"{name}[0][i]", f"(*{name})[i + 1]", f"{name}[1][i]")
        self._add(
            1, f"for (int i = 0; i < {n}; i++) {{", f"    {name}[{self._integer(0, 1)}][i] = {self._value(sources)};"
        )
        self._add(1, "}")

    def _constants(self, numbers: Sequence[int]) -> str:
        """A table of these, in front of the region."""
        table = self._fresh("table")
        kind = self._one_of(("static const int", "const signed char", "int", "static const unsigned", "const long"))
        self.before.append(f"{kind} {table}[{len(numbers)}] = {{{', '.join(map(str, numbers))}}};")
        return table

    def _offsets(self) -> None:
        """Tables of constants that say which neighbours are meant."""
        count = self._integer(2, 6)
        across, down = (self._constants([self._integer(0, 2) for _ in range(count)]) for _ in range(2))
        a, b = self._array("A"), self._array("B")
        self._add(1, f"for (int i = 0; i < {self.n}; i++)", f"    for (int k = 0; k < {count}; k++) {{")
        if self._chance(0.4):
            self._add(3, f"if ({across}[k] > {down}[k])", "    continue;")
        near = (f"{b}[(i + {down}[k]) * {ROW} + k]", f"{b}[i + {across}[k]]", f"{a}[i + {across}[{count - 1} - k]]")
        target = self._one_of(("i", f"i + {across}[k]", f"i * {count} + k"))
        self._add(3, f"{a}[{target}] = {self._value((*near, f'{a}[{target}]'))};")
        self._add(2, "}")

    def _picked(self) -> None:
        """What data pick from a table of constants, of few straight pieces or of many."""
        pieces = [(self._integer(0, 40), self._integer(-3, 3)) for _ in range(self._integer(1, 8))]
        length = -(-16 // len(pieces))
        numbers = [first + slope * k for first, slope in pieces for k in range(length)]
        table = self._constants(numbers[:16])
        at = self._one_of((f"{self._array('P')}[i]", f"{self._array('P')}[i] & 7", f"({self._array('P')}[i] + i) & 15"))
        self._add(1, f"for (int i = 0; i < {self.n}; i++)")
        self._add(2, f"{self._array('A')}[2 * i] = {table}[{at}] & 1023;")

    def _bits(self) -> None:
        """Bits, and sums, of narrow numbers."""
        bits, type_ = self._fresh("bits"), self._one_of(("unsigned char", "unsigned short", "short"))
        self._add(1, f"for (int i = 0; i < {self.n}; i++) {{", f"    {type_} {bits} = {self._integer(0, 1)};")
        self._add(2, "for (int k = 0; k < 8; k++)")
        at = f"{self._array('P')}[i + k]"
        if self._chance(0.6):
            self._add(3, f"if ({at} > {self._integer(2, 12)})", f"    {bits} {self._one_of(('|=', '^='))} 1 << k;")
        else:
            self._add(3, f"{bits} {self._one_of(('+=', '^=', '|='))} {at};")
        self._add(2, f"{self._array('A')}[i] = {bits} & 1023;", "}")

    def _chosen(self) -> None:
        """Choices between calls in the middle of expressions, of functions with constants that are static."""
        f, t, x = f"{self.name}_{self._fresh('f')}", self.type, f"{self._array('B')}[i]"
        kind = self._one_of(("static const int", "static int", "static const short"))
        numbers = ", ".join(str(self._integer(-3, 9)) for _ in range(4))
        sum_ = "((int)s + ((int)x[q] & 1023) * table[(q + k) & 3]) & 127"
        each = "s += x[q] * table[(q + k) & 3];" if t in ("float", "double") else f"s = ({t})({sum_});"
        body = f"{kind} table[4] = {{{numbers}}}; {t} s = 1; for (int q = 0; q < 3; q++) {each} return s;"
        self.functions.append(f"static {t} {f}(const {t} *x, int k) {{ {body} }}")
        other = self._one_of((x, "2u", "i", "-1", *(("0.5f",) if t in ("float", "double") else ())))
        choice = f"({self._test(self._sources('i'))} ? {f}(&{x}, i) : {other})"
        value = self._one_of((choice, f"3 - {choice}", f"(short)({choice} * 0 + i)", f"{choice} + {x}"))
        operator = self._one_of(("=", "=", "+=")) if t in ("float", "double") else "="
        self._add(1, f"for (int i = 0; i < {self.n}; i++)", f"    {self._array('A')}[i] {operator} {value};")

    def _moved(self) -> None:
        """Blocks of memory that are set, and moved inside of arrays."""
        w, t, a, b = self._fresh("w"), self.type, self._array("A"), self._array("B")
        self.functions.append("#include <string.h>")
        size = self._one_of((f"sizeof({t})", f"sizeof *{w}"))
        first, second, count = self._integer(0, 4), self._integer(0, 4), self._integer(1, 4)
        self._add(1, f"for (int i = 0; i < {self.n}; i++) {{", f"    {t} {w}[8];", "    for (int k = 0; k < 8; k++)")
        self._add(3, f"{w}[k] = {self._value((f'{b}[i + k]', f'{a}[i]'))};")
        if self._chance(0.5):
            self._add(2, f"memset({w} + {self._integer(0, 4)}, 0, {self._integer(1, 4)} * {size});")
        self._add(2, f"memmove({w} + {first}, &{w}[{second}], {size} * {count});")
        if self._chance(0.4):
            self._add(2, f"memmove(&{a}[i * {ROW} + {first}], {a} + i * {ROW} + {second}, {count} * sizeof({t}));")
        self._add(2, f"{a}[i] = {self._value([f'{w}[{k}]' for k in range(8)])};", "}")

    def _searched(self) -> None:
        """Loops that data end, and what they leave; others jump about, so that the order of the text says little."""
        i = self._fresh("i")
        self.before.append(f"int {i};")
        at = f"{self._array('B')}[{i}]"
        test = f"fabs((double){at}) > 2" if self._chance(0.5) else f"{at} > {self._array('C')}[{i} + 1]"
        self._add(1, f"for ({i} = 0; {i} < {self.n}; {i}++) {{", f"    if ({test})", "        break;")
        sources = (at, f"{self._array('A')}[{i} + 1]")
        self._add(2, f"{self._array('A')}[{i}] = {self._value(sources)};", f"{at} = {self._value(sources)};")
        self._add(1, "}")
        if self._chance(0.5):
            self._add(1, f"{self._array('C')}[2] = {i};")
