"""Reads a C file: finds its regions, reads each, and reports those that it leaves alone."""

from __future__ import annotations

import gc
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import islpy as isl
from pycparser import c_ast

from polyloop.arithmetic import SIGNATURES, Arithmetic, Pointer
from polyloop.backend.c.text import of_functions
from polyloop.backend.config import verifies
from polyloop.backend.ir.expressions import I32
from polyloop.errors import PolyloopError
from polyloop.frontend.extract import build_scop, check_macros
from polyloop.frontend.flow import read_before
from polyloop.frontend.integer_reader import IntegerReader
from polyloop.frontend.integers import Integer
from polyloop.frontend.parse import ParsedFile, ParsedItem, StandardC, parse, placed, standard_c
from polyloop.frontend.preprocess import Options, Preprocessed, preprocess, read_text, without_openmp
from polyloop.frontend.region import Region
from polyloop.frontend.regions import (
    OWN_OUTPUT,
    Found,
    check_live_out,
    declarations,
    exits_of,
    find_regions,
    has_products,
    names_at,
    own_types,
    with_end_labels,
)
from polyloop.frontend.scopes import (
    CSourceError,
    Declarations,
    Refusal,
    RegionNames,
    Scope,
    Symbol,
    changed_names,
    forget_walks,
    function_names,
    loop_counter,
    parameters_of,
    walk_nodes,
)
from polyloop.frontend.source import Inclusion, SourceFile, Token, Use
from polyloop.frontend.statements import StatementReader
from polyloop.frontend.syntax import c_text, variables
from polyloop.frontend.values import may_free
from polyloop.scop.data import variables_of_sizes
from polyloop.scop.model import Scop, SourceLocation, SourceRegion
from polyloop.scop.program import Diagnostic, Memory, WrittenOut, without_comments
from polyloop.support.compilers import ALL_ALIAS, ALL_WRAP, NO_OPENMP
from polyloop.support.isl_limits import OperationLimitError, limited

if TYPE_CHECKING:
    from polyloop.frontend.lent import Lending
    from polyloop.frontend.own_uses import OwnUses
    from polyloop.frontend.run_counts import RunCounts


@dataclass(frozen=True)
class CFile:
    """A C file as it was read.

    Attributes:
        scops: the regions that were taken, in the file's order.
        diagnostics: errors, and a remark for each region that was left alone.
        tested: names of which a directive (#ifdef, #if, ...) asks whether or as what they are defined.
        headers: paths of the files that it includes, those that we have of our own apart.
        expanded: where the text has the bodies of macros, or the texts of included files, that have loops in them.
    """

    path: str
    text: str = field(repr=False)
    scops: tuple[Scop, ...]
    diagnostics: tuple[Diagnostic, ...]
    tested: frozenset[str] = field(default=frozenset(), repr=False)
    headers: tuple[str, ...] = field(default=(), repr=False)
    expanded: tuple[WrittenOut, ...] = field(default=(), repr=False)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity == "error")


def read_source(
    path: str | Path,
    function: str | None = None,
    defines: Sequence[str] = (),
    include_dirs: Sequence[str | Path] = (),
    *,
    undefines: Sequence[str] = (),
    includes: Sequence[str | Path] = (),
    text: str | None = None,
    allow_calls: bool = False,
    opaque_calls: bool = False,
    auto: bool = False,
    elsewhere: Callable[[str, str], Path | None] | None = None,
    sizes: Mapping[str, int] = MappingProxyType({}),
    usable: Callable[[Scop], bool] = lambda scop: True,
) -> CFile:
    """Read every region between ``#pragma scop`` and ``#pragma endscop``; nothing is raised for bad C.

    Args:
        path: the file; with `text`, only its name in messages and the place that includes start from.
        function: only the regions of this function.
        defines, undefines, include_dirs, includes: as a compiler's -D, -U, -I and -include. With the macro that stands
            for -fno-openmp (`polyloop.support.compilers.NO_OPENMP`) the text has no directives of OpenMP.
        text: the source itself, instead of the file's contents.
        allow_calls: functions that a declaration calls const (by ``__attribute__``) may be called, whatever they are;
            pure ones may read what the region writes.
            Optimizing runs them; without it only functions of math.h are run.
        opaque_calls: take regions between pragmas that call functions of which nothing is known, too, as statements
            that may read and write all that those can reach (`polyloop.frontend.outside`). They are there to be
            looked at: nothing of them can be run.
        auto: take loops that no pragmas mark, too, as long as the model can hold them; a remark says of each loop that
            it cannot hold why.
        elsewhere: where a header may be that is in none of the folders, by its name and the including file's path.
        sizes: values of parameters, by name: a region that cannot be read for all values of a stride, as it multiplies
            it with counters, is read for this one (without: for a stride of 1), and says so in its assumptions.
        usable: of `auto`, whether a region has a place in an emitted file
            (`polyloop.lowering.run_time_tests.can_be_tested`); where it has none, those inside of it are taken that do,
            and it is refused.
    Raises:
        CSourceError: if the file cannot be read at all.
        PolyloopError: for text, or a mapping, in the place of a list.
    """
    lists = {"defines": defines, "include_dirs": include_dirs, "undefines": undefines, "includes": includes}
    for name, given in lists.items():
        if isinstance(given, str | Mapping):  # whose letters, or keys, would be taken one by one
            raise PolyloopError(f"{name}={given!r}: it has to be a list, as defines=['N=100', 'SMALL']")
    if text is None:
        try:
            text = read_text(Path(path))
        except OSError as error:
            raise CSourceError(f"cannot read {path}: {error.strerror or error}") from error
    if NO_OPENMP in defines:
        text = without_openmp(text)
    folders, before = tuple(map(str, include_dirs)), tuple(map(str, includes))
    options = Options(tuple(defines), tuple(undefines), folders, before, elsewhere)

    def read(source: SourceFile, before: _FileReader | None = None) -> tuple[CFile, _FileReader] | None:
        preprocessed = preprocess(source, options)
        standard = standard_c(preprocessed.tokens)
        if before is not None and not before.parsed.source.says(standard):
            return None
        parsed = parse(standard) if before is None else placed(before.parsed, standard)
        reader = _FileReader(source, parsed, preprocessed, allow_calls, opaque_calls, sizes, before, usable)
        scops, remarks = reader.read(function, auto)
        ordered = _in_order((*preprocessed.diagnostics, *parsed.diagnostics, *remarks), source.path)
        tested, headers = frozenset(preprocessed.tested), preprocessed.headers
        return CFile(source.path, source.text, tuple(scops), ordered, tested, headers, source.expanded), reader

    with _collector_paused():
        source = SourceFile(str(path), text)
        known = read(source)
        assert known is not None
        file, reader = known
        if not reader.cut:
            return file
        from polyloop.frontend.written_out import written_out  # of few files

        longer = written_out(source, reader.cut, reader.preprocessed.defined)
        again = read(longer, reader) if longer is not source else None
    if again is None:
        return file
    other, _ = again
    if sum(len(scop.statements) for scop in other.scops) > sum(len(scop.statements) for scop in file.scops):
        return replace(other, headers=tuple(dict.fromkeys((*file.headers, *other.headers))))
    return replace(file, diagnostics=other.diagnostics)  # what is in the way there is why the loops stay


def read_c(
    path: str | Path,
    function: str | None = None,
    defines: Sequence[str] = (),
    include_dirs: Sequence[str | Path] = (),
    *,
    undefines: Sequence[str] = (),
    includes: Sequence[str | Path] = (),
    text: str | None = None,
    allow_calls: bool = False,
    opaque_calls: bool = False,
    auto: bool = False,
) -> list[Scop]:
    """The Scops of a C file, in its order; regions that the model cannot hold are left out (see `read_source`).

    Raises:
        CSourceError: if the file cannot be read, or has no ``#pragma scop`` (with `auto`: no loops), or none that could
            be taken; the message shows why, with file, line and column.
    """
    file = read_source(
        path,
        function,
        defines,
        include_dirs,
        undefines=undefines,
        includes=includes,
        text=text,
        allow_calls=allow_calls,
        opaque_calls=opaque_calls,
        auto=auto,
    )
    if not file.scops:
        if file.diagnostics:
            reasons = "\n".join(d.render() for d in file.diagnostics)
            raise CSourceError(reasons if file.errors else f"{path}: error: no region can be taken:\n{reasons}")
        where = f" in the function {function}" if function is not None else ""
        if auto:
            raise CSourceError(f"{path}: there are no loops{where}")
        raise CSourceError(f"{path}: there is no #pragma scop{where}; put it and #pragma endscop around the loops")
    return list(file.scops)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Have Python not look for cycles of objects meanwhile: whenever a quarter more has been made it would go through
    all trees of the file again, which is a third of the time that reading takes. Few are made (see `Refusal.bare`)."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _threadprivate(pragmas: Sequence[Token]) -> frozenset[str]:
    """The variables of which every thread has one for good."""
    found = (re.match(r"omp threadprivate \((.*)\)", token.text) for token in pragmas)
    return frozenset(name.strip() for match in found if match for name in match.group(1).split(","))


def _poisoned(pragmas: Sequence[Token]) -> frozenset[str]:
    """What the file and its headers forbid."""
    words = (token.text.split() for token in pragmas)
    return frozenset(name for first, *rest in words if [first, *rest[:1]] == ["GCC", "poison"] for name in rest[1:])


def _is_own_output(region: str) -> bool:
    """Whether a region calls what polyloop writes before a function (see `polyloop.lowering.to_c_file`)."""
    return re.search(r"\bpolyloop_\w+\s*\(", region) is not None


def _in_order(diagnostics: Sequence[Diagnostic], path: str) -> tuple[Diagnostic, ...]:
    return tuple(sorted(diagnostics, key=lambda d: (d.location.file != path, d.location.line, d.location.column)))


@dataclass(frozen=True)
class _Function:
    """What was read of the functions of a name.

    Attributes:
        alone: there is one.
    """

    scops: tuple[Scop, ...]
    diagnostics: tuple[Diagnostic, ...]
    alone: bool


@dataclass(frozen=True)
class _Uncut:
    """A region that was looked through for loops over all elements of rows, and has none.

    Attributes:
        rewritten: what the rewrites make of it, or why they cannot.
        scope: with the names that they have made.
    """

    found: Found
    rewritten: Found | Refusal
    scope: Scope


_NOTHING: Mapping[str, int] = MappingProxyType({})


class _FileReader:
    def __init__(
        self,
        source: SourceFile,
        parsed: ParsedFile,
        preprocessed: Preprocessed,
        allow_calls: bool,
        opaque_calls: bool,
        sizes: Mapping[str, int],
        before: _FileReader | None,
        usable: Callable[[Scop], bool],
    ) -> None:
        self.source = source
        self.sizes = sizes
        self.before = before
        self.usable = usable
        self.functions: dict[str, _Function] = {}
        self.attempts: dict[tuple[int, ...], Scop | Refusal] = {}
        self.allow_calls = allow_calls
        self.opaque_calls = opaque_calls
        self.parsed = parsed
        self.preprocessed = preprocessed
        pragmas = [t for t in preprocessed.tokens if t.kind == "pragma"]
        definitions = [(item, n) for item in parsed.items for n in item.nodes if isinstance(n, c_ast.FuncDef)]
        self.functions_of_file = {n.decl.name: (item, n) for item, n in definitions}
        self._items = {id(n): item for item, n in definitions}
        # What directives say of a function's statements is said of them where they stand.
        bodies = {n.decl.name: None if self._has_directives(item, pragmas) else n for item, n in definitions}
        self.threadprivate = _threadprivate(pragmas)
        self.poisoned = _poisoned(pragmas)
        wraps = ALL_WRAP in preprocessed.macros
        file = [node for item in parsed.items for node in item.nodes]
        self.declarations = Declarations(
            self.constant,
            parsed.index,
            self.is_opaque,
            parsed.source.packing,
            bodies,
            wraps,
            file,
            self._kept,
        )
        self.globals = Scope(names=dict(_TRUTHS))
        self.variables: dict[str, c_ast.Decl] = {}
        self.pure: set[str] = set()
        self.diagnostics: list[Diagnostic] = []
        self.cut: list[Use | Inclusion] = []
        self._uncut: _Uncut | None = None

    def read(self, only: str | None, auto: bool) -> tuple[list[Scop], list[Diagnostic]]:
        """All Scops, and the diagnostics of what was left alone; with `auto` also of loops that nothing marks."""
        scops: list[Scop] = []
        if self.parsed.source.complex:
            from polyloop.frontend.complex_numbers import Rules, split_complex_numbers  # of files that have some

            scope, rules = Scope(names=dict(_TRUTHS)), Rules.of(self.preprocessed.defined)
            split_complex_numbers(self.declarations.file, self.declarations, scope, rules)
        found, self.diagnostics = find_regions(self.parsed, self.source, self.preprocessed.directives)
        for item in self.parsed.items:
            for node in item.nodes:
                if self.parsed.source.extended:
                    from polyloop.frontend.extensions import settle  # of files that have some

                    settle(node, self.declarations, self.globals)
                self.declarations.declare(node, self.globals, "global", item.item.const and self.allow_calls)
                if item.item.pure and isinstance(node, c_ast.Decl | c_ast.FuncDef):
                    self.pure.add(node.name if isinstance(node, c_ast.Decl) else node.decl.name)
                if isinstance(node, c_ast.Decl) and node.name:
                    self.variables[node.name] = node
                if isinstance(node, c_ast.FuncDef) and only in (None, node.decl.name):
                    known = self._known(node, item)
                    scops += self._read_function(node, found, auto) if known is None else known
        return scops, self.diagnostics

    def _read_function(self, function: c_ast.FuncDef, marked: Sequence[Found], auto: bool) -> Sequence[Scop]:
        first = len(self.diagnostics)
        scops = self._function(function, [region for region in marked if region.function is function], auto)
        forget_walks()
        name, again = function.decl.name, function.decl.name in self.functions
        self.functions[name] = _Function(tuple(scops), tuple(self.diagnostics[first:]), not again)
        return scops

    def _known(self, function: c_ast.FuncDef, item: ParsedItem) -> Sequence[Scop] | None:
        """What was read of a function when no uses of macros were written out, if there are none in it."""
        known = self.before.functions.get(function.decl.name) if self.before is not None else None
        if known is None or not known.alone or any(scop.source is None or scop.source.team for scop in known.scops):
            return None
        first, last = item.item.first, self.parsed.source.tokens[item.item.end - 1]
        if not first.file is last.file is self.source or self._is_written_out(first.offset, last.offset):
            return None
        from polyloop.frontend.written_out import moved  # of few files

        self.diagnostics += [remark for remark in known.diagnostics if remark not in self.diagnostics]
        self.functions[function.decl.name] = known
        return [moved(scop, self.source) for scop in known.scops]

    def _is_written_out(self, begin: int, end: int) -> bool:
        return any(begin < each.end and each.begin <= end for each in self.source.expanded)

    def _function(self, function: c_ast.FuncDef, marked: list[Found], auto: bool) -> list[Scop]:
        """The Scops of one function; regions with pragmas count in their names, too, where they are refused."""
        taken: list[tuple[int, Scop]] = []

        def take(region: Found, scop: Scop, count: int | None = None) -> None:
            count = len(marked) + len(taken) + 1 if count is None else count
            name = function.decl.name + (f"_{count}" if count > 1 else "")
            taken.append((region.begin, scop if scop.name == name else replace(scop, name=name)))

        for count, region in enumerate(marked, 1):
            if (scop := self._region(region)) is not None:
                take(region, scop, count)

        if auto:
            from polyloop.frontend.finding import Finder  # of regions without pragmas

            asked = self._attempt, take, self._refused, self.usable
            finder = Finder(self.parsed, self.source, self.preprocessed, *asked)
            finder.function(function)
            self.cut += finder.cut
        return [scop for _, scop in sorted(taken, key=lambda each: each[0])]

    def _region(self, found: Found) -> Scop | None:
        scop = self._attempt(found)
        if not isinstance(scop, Refusal):
            return scop
        if _is_own_output(self.source.text[found.begin : found.end]):
            scop = Refusal("own-output", OWN_OUTPUT)
        self._refused(found, scop)
        return None

    def _refused(self, found: Found, refusal: Refusal) -> None:
        token = self.parsed.token(refusal.node) if refusal.node is not None else found.opening
        what = "region" if found.marked else "loop"
        message = f"{what} of {found.function.decl.name} left as it is: {refusal}"
        remark = token.file.diagnostic("remark", refusal.code, token.offset, message)
        if remark not in self.diagnostics:
            self.diagnostics.append(remark)

    def _attempt(self, found: Found) -> Scop | Refusal:
        """The region, or why it cannot be read; as it was when no uses of macros were written out, if none is in it."""
        key = found.alone, *map(id, found.items)
        known = self.before.attempts.get(key) if self.before is not None else None  # of one tree with this one
        if known is None or self._is_written_out(found.begin, found.end):
            known = self._read_whole(found)
        elif isinstance(known, Scop):
            source = known.source
            if source is None or source.called or source.team:
                known = self._read_whole(found)
            else:
                from polyloop.frontend.written_out import moved  # of few files

                known = moved(known, self.source)
        self.attempts[key] = known
        return known

    def _read_whole(self, found: Found) -> Scop | Refusal:
        exits = exits_of(found)
        leaving = [node.expr for node in exits if isinstance(node, c_ast.Return) and node.expr is not None]
        if any(isinstance(node, c_ast.Goto) for node in exits):  # to where any variable may be read
            leaving += [c_ast.ID(changed) for changed in sorted(changed_names(found.items))]
        found = replace(found, leaving=tuple(leaving))
        try:
            scop = self._read_region(found)
            assert scop.source is not None
            # Of the region as it stands in the file, whatever it was rewritten to.
            called = self._called(found.items)
            functions = [function for _, function in called]
            needed = declarations(found, self.variables, dict(scop.source.given), functions)
            passed = _passed(scop)
            values = (each.name for each in needed if each.place == "local" and each.name not in passed)
            left = (*scop.source.counters, *self._replaced_counters(found, scop.source), *values)
            counters = tuple(dict.fromkeys(left))
            here = self._items[id(found.function)].item.begin
            behind = tuple(self._text(other) for other, _ in called if other.item.begin > here)
            source = replace(scop.source, declarations=needed, counters=counters, called=behind, types=own_types(found))
            return replace(scop, source=self._with_own_uses(replace(scop, source=source), found))
        except RecursionError:
            return Refusal("too-deep", "its expressions are nested too deeply")
        except Refusal as refusal:
            return refusal.bare()
        except Exception as error:  # A defect of ours in one region must not keep the others of its file from anyone.
            if verifies():
                raise
            what = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
            return Refusal(
                "internal", f"internal error: {what}; please report it with the traceback that --debug prints"
            )

    def _with_own_uses(self, scop: Scop, found: Found) -> SourceRegion:
        """The region with what the file itself uses it for."""
        assert scop.source is not None
        function = found.function.decl.name
        once = not found.around and self._own_uses.runs_once(function)
        source = replace(scop.source, unaliased=self._own_uses.unaliased(function), once=once)
        if found.around or self._own_uses.is_named(function):
            counts, few = self._run_counts
            runs, calls = counts.loops(function, found.around), counts.calls(function)
            fewest = few.loops(function, found.around) * few.calls(function)
            source = replace(source, runs=runs, calls=calls, fewest=fewest)
        if not scop.parameters:
            return source
        from polyloop.frontend.own_uses import turns_of  # of those with sizes

        loops = [loop for loop in found.around if isinstance(loop, c_ast.For)]
        varying = {counter for loop in loops if (counter := loop_counter(loop)) is not None}
        turns = tuple(turns_of(found.around, scop.parameters))
        ends = (end.variables() for each in turns for end in (each.first, each.end))
        texts = {name: scop.source.value(name) for name in sorted(variables_of_sizes(scop).union(*ends))}
        stepped = varying - {each.counter for each in turns}
        middles = {counter: self._own_uses.middle(function, counter) for counter in sorted(stepped)}
        middle = {counter: value for counter, value in middles.items() if value is not None}
        around = texts
        texts = {name: text for name, text in texts.items() if varying.isdisjoint(re.findall(r"\w+", text))}
        usual = self._own_uses.values(function, texts, middle)
        usual |= {name: middle[text] for name, text in around.items() if text in middle}
        scalars = (a.name for a in scop.arrays if not (a.shape or a.local or a.name in scop.written or a.type.is_float))
        texts |= {name: name for name in scalars}
        constants = self._own_uses.constants(function, texts)
        return replace(source, usual=tuple(usual.items()), constants=tuple(constants.items()), turns=turns)

    @cached_property
    def _lending(self) -> Lending:
        from polyloop.frontend.lent import Lending  # of functions that take addresses

        return Lending(self.declarations.bodies, self.declarations.file)

    def _kept(self, node: c_ast.Node | None) -> set[str]:
        return self._lending.taken(node)

    @cached_property
    def _own_uses(self) -> OwnUses:
        from polyloop.frontend.own_uses import OwnUses  # of files with regions

        return OwnUses(node for item in self.parsed.items for node in item.nodes)

    @cached_property
    def _run_counts(self) -> tuple[RunCounts, RunCounts]:
        """With loops of unknown ends as long as they usually are, and short."""
        from polyloop.frontend.run_counts import UNKNOWN_LOOP, RunCounts  # of regions that run more than once

        nodes = [node for item in self.parsed.items for node in item.nodes]
        return RunCounts(nodes, self._own_uses), RunCounts(nodes, self._own_uses, UNKNOWN_LOOP)

    def _has_directives(self, item: ParsedItem, pragmas: Sequence[Token]) -> bool:
        """Whether directives stand between a definition's first token and its last."""
        tokens = self.parsed.source.tokens
        first, last = item.item.first, tokens[item.item.end - 1]
        return any(
            re.match(r"(?!omp simd)(omp|acc)\b", t.text)
            and t.file is first.file
            and first.offset < t.offset < last.offset
            for t in pragmas
        )

    def _read_region(self, found: Found) -> Scop:
        begin = found.begin if found.above is None else found.above[0]
        if not re.search(r"\b(omp|acc)\b", self.source.text[begin : found.end]):
            scop = self._read_loops(found)
            written, arrays = scop.written, {n.name for block in found.before for n in block if _is_array(n)}
            if not any(a.name in written and not a.local and (not a.shape or a.name in arrays) for a in scop.arrays):
                return scop
            from polyloop.frontend.own_variables import with_own_variables  # of those that set variables

            return with_own_variables(scop, found, self.declarations.names_of(found.function))
        from polyloop.frontend.openmp import team_of, with_own  # of regions with directives

        def offset(node: c_ast.Node) -> int:
            return self.parsed.token(node).offset

        directives = self.preprocessed.directives
        team, private = team_of(found, self.source.text, directives, offset, self.threadprivate)
        scop = self._read_loops(found)
        if team is None:
            return scop
        return with_own(scop, team, private, found, self.declarations.names_of(found.function))

    def _read_loops(self, found: Found) -> Scop:
        try:
            return self._read_known(found)
        except Refusal as refusal:
            if refusal.code != "call" or not self.opaque_calls or not found.marked:
                raise
        from polyloop.frontend.rewrites import OF_JUMPS, rewritten  # of regions with calls

        scope = Scope(self._scope_before(found))
        other = rewritten(found, scope, self.declarations, OF_JUMPS)
        read = self._either(other, scope, outside=True)
        if isinstance(read, Refusal):
            raise read
        return read

    def _read_known(self, found: Found) -> Scop:
        """The loops, without calls of functions of which nothing is known."""
        try:
            return self._read_counted(found)
        except Refusal as refusal:
            from polyloop.frontend.unlimited import (  # of loops that cannot be read
                REASONS,
                is_of_use,
                may_have_such,
            )

            tries = refusal.code in REASONS and may_have_such(found.items)
            read = self._read_unlimited(found) if tries else refusal
            if isinstance(read, Refusal) or not is_of_use(read):
                raise
            return read

    def _read_unlimited(self, found: Found) -> Scop | Refusal:
        """The loops, with limits for those that only data end."""
        from polyloop.frontend.rewrites import REWRITES, rewritten
        from polyloop.frontend.unlimited import with_limits

        scope = Scope(self._scope_before(found))
        found = self._without_exits(found, scope)
        try:
            other = rewritten(found, scope, self.declarations, with_limits(REWRITES))
        except Refusal as refusal:
            return refusal.bare()
        return self._tried(other, scope, exact=False)

    def _without_exits(self, found: Found, scope: Scope) -> Found:
        """The region with the labels at its end, and without ``return`` where that is to be had."""
        found = with_end_labels(found)
        if not exits_of(found):
            return found
        from polyloop.frontend.returns import without_returns  # of those that are left

        return without_returns(found, scope, self.declarations)

    def _read_counted(self, found: Found) -> Scop:
        """The loops, if something counts them all."""
        if (flat := self._read_flat(found)) is not None:
            return flat
        scope = self._scope_before(found)
        visible = len(scope.names)
        try:
            return self._scop(found, scope, exact=True)
        except Refusal as refusal:
            if refusal.code in ("too-complex", "undeclared"):
                raise
            uncut = self._uncut if self._uncut is not None and self._uncut.found is found else None
            from polyloop.frontend.rewrites import (  # of regions that cannot be read as they stand
                check_whole,
                rewritten,
            )

            found = self._without_exits(found, scope)
            check_whole(found, scope)
            if refusal.exact_only and (rows := self._read_in_rows(found)) is not None:
                return rows

            # An integer that a rewrite makes affine would else be one that comes from data.
            last = refusal.bare()
            if uncut is not None and len(scope.names) == visible:  # reading it has declared nothing that rewrites see
                if isinstance(uncut.rewritten, Refusal):
                    raise uncut.rewritten from None
                other, scope = uncut.rewritten, uncut.scope
            else:
                scope = Scope(scope)
                other = rewritten(found, scope, self.declarations)
            if other is not found:
                try:
                    return self._scop(other, scope, exact=True)
                except Refusal as again:
                    last = again.bare()
            general = self._tried(other, scope, exact=False) if last.exact_only else last
            if isinstance(general, Refusal) and general.code != "non-affine":
                raise general from None
            supposed = self._read_supposed(found, other, scope, general)
            if isinstance(supposed, Refusal):
                raise supposed from None
            return supposed

    def _read_in_rows(self, found: Found) -> Scop | None:
        """The loops that divide their counters by the length of a row, as loops over rows; None without such."""
        from polyloop.frontend.divided_counters import may_have_some, rows_of_counters  # of regions that divide

        if not may_have_some(found.items):
            return None
        from polyloop.frontend.rewrites import REWRITES, rewritten

        scope = Scope(self._scope_before(found))
        try:
            other = rewritten(found, scope, self.declarations, (rows_of_counters, *REWRITES))
        except Refusal:
            return None
        read = self._either(other, scope)
        return read if isinstance(read, Scop) else None

    def _read_flat(self, found: Found) -> Scop | None:
        """The loops that go through all elements of rows at once, as loops over rows; None without such."""
        if not has_products(found):
            return None
        from polyloop.frontend.derived import name_products
        from polyloop.frontend.flat_counters import FlatCounters  # of regions with products of sizes
        from polyloop.frontend.rewrites import REWRITES, check_whole, rewritten

        scope, flat = Scope(self._scope_before(found)), FlatCounters()
        before = REWRITES.index(name_products)
        original, found = found, with_end_labels(found)
        if exits_of(found):
            return None
        try:
            check_whole(found, scope)
        except Refusal:
            return None
        other: Found | Refusal
        try:
            other = rewritten(found, scope, self.declarations, (*REWRITES[:before], flat, *REWRITES[before:]))
        except Refusal as refusal:
            other = refusal.bare()
        if not flat.needed:
            self._uncut = _Uncut(original, other, scope)
        if not flat.needed or isinstance(other, Refusal):
            return None
        read = self._either(other, scope)
        if isinstance(read, Refusal) or not flat.needed.keys() <= set(read.parameters):
            return None
        needed = isl.Set(f"[{', '.join(read.parameters)}] -> {{ : {flat.condition} }}")
        return replace(read, assumptions=read.assumptions & needed)

    def _read_supposed(self, original: Found, found: Found, scope: Scope, general: Scop | Refusal) -> Scop | Refusal:
        """The loops for given values of what they multiply with counters, for those that all calls in the file pass, or
        for strides of one, where that leaves fewer products to be computed; else as they are read for all values."""
        from polyloop.frontend.supposed import computed_products, strides  # of few regions

        best, supposed = general, dict[str, int]()
        function = found.function
        own = {node.name: node.name for node in parameters_of(function)}
        constants = self._own_uses.constants(function.decl.name, own)
        given = {**{name: value for name, (value, *others) in constants.items() if not others}, **self.sizes}
        names = (
            strides(original, found, scope, given, best) if isinstance(best, Refusal) or computed_products(best) else []
        )
        for stride in names:
            wider = {**supposed, stride: given.get(stride, 1)}
            read = self._either(found, scope, supposed=wider)
            match best, read:
                case Refusal(), Refusal():
                    further = (best.code, str(best)) != (read.code, str(read))
                case Scop(), Scop():
                    further = computed_products(read) < computed_products(best)
                case _:
                    further = isinstance(read, Scop)
            if further:
                best, supposed = read, wider
            if isinstance(best, Scop) and not computed_products(best):
                break
        return best if isinstance(best, Scop) else general

    def _either(
        self, found: Found, scope: Scope, outside: bool = False, supposed: Mapping[str, int] = _NOTHING
    ) -> Scop | Refusal:
        """The loops with affine bounds, conditions and subscripts; with others only where these are in the way."""
        read = self._tried(found, scope, True, outside, supposed)
        exact = isinstance(read, Scop) or not read.exact_only
        return read if exact else self._tried(found, scope, False, outside, supposed)

    def _tried(
        self, found: Found, scope: Scope, exact: bool, outside: bool = False, supposed: Mapping[str, int] = _NOTHING
    ) -> Scop | Refusal:
        try:
            return self._scop(found, scope, exact, outside, supposed)
        except Refusal as refusal:
            return refusal.bare()

    def _scop(
        self,
        found: Found,
        scope: Scope,
        exact: bool,
        outside: bool = False,
        supposed: Mapping[str, int] = _NOTHING,
    ) -> Scop:
        unread: frozenset[str] = frozenset()
        first: Refusal | None = None
        try:
            while True:
                try:
                    with limited(_operations(found)):
                        return self._limited_scop(found, scope, exact, outside, supposed, unread)
                except Refusal as refusal:
                    first = first or refusal.bare()
                    if exact or unread >= set(refusal.unread):
                        raise first from None
                    unread |= set(refusal.unread)
        except OperationLimitError:
            raise Refusal("too-complex", _too_complex(found), found.items[0]) from None

    def _limited_scop(
        self,
        found: Found,
        scope: Scope,
        exact: bool,
        outside: bool,
        supposed: Mapping[str, int],
        unread: frozenset[str],
    ) -> Scop:
        for node in (n for item in found.items for n in walk_nodes(item)):
            word = getattr(node, "name", None)  # of others a node, whose text is that of all below it
            if isinstance(word, str) and "$" in word:
                raise Refusal("name", f"{word} has a $ in its name, which isl's language has no place for", node)
        region = Region(
            scope, self.declarations, found.names, names_at(found, self.declarations), found.opening_index, exact
        )
        macros = self.preprocessed.macros | ({ALL_ALIAS} if found.all_alias else frozenset())
        region.all_alias = ALL_ALIAS in macros
        region.supposed = supposed
        region.unread = unread
        region.row_reads = found.row_reads
        region.read_before = partial(self._read_before, found)
        if outside:
            from polyloop.frontend.outside import Outside

            region.outside = Outside.of(region, found, frozenset(self.pure))
        reader = StatementReader(region, found)
        reader.read(found.items)
        if not reader.statements:
            raise Refusal("empty", "it has no statements")
        check_live_out(region, found)
        source = self._source_region(found, region, macros)
        scop = build_scop(found.function.decl.name, region, reader.statements, source, self.locate)
        assert scop.source is not None
        check_macros(scop.source, self.preprocessed.plain)
        return self._with_known(scop, region, found)

    def _source_region(self, found: Found, region: Region, macros: frozenset[str]) -> SourceRegion:
        """Where the region stands, and what of the file around it the new loops have to fit."""
        item = self._items[id(found.function)]
        return SourceRegion(
            path=self.source.path,
            text=self.source.text,
            function=found.function.decl.name,
            function_start=self._function_start(item),
            begin=found.begin,
            end=found.end,
            parameter_order=tuple(p.name for p in parameters_of(found.function)),
            macros=macros,
            poisoned=self.poisoned,
            definition=self._definition(item),
            marked=found.marked,
            alone=found.alone,
            around=tuple((isinstance(loop, c_ast.For) and loop_counter(loop)) or "" for loop in found.around),
            counters=self._outer_counters(region, found),
            above=found.above,
            behind=tuple(of_functions(text, macros) for text in found.behind),
            kept=found.kept,
            own=found.own,
            labels=found.labels,
            given=tuple((name, c_text(value)) for name, value in found.given),
            expanded=self.source.expanded,
            supposed=tuple((name, value) for name, value in region.supposed.items() if name in region.parameters),
            tests=(*self.parsed.supposed, *self._truth_tests(found)),
            declared=frozenset(name for name in SIGNATURES if self.globals.lookup(name) is not None),
        )

    def _truth_tests(self, found: Found) -> list[str]:
        """What has to hold of words of stdbool.h that a region names, where the file does not define them."""
        assumed = [word for word, symbol in _TRUTHS.items() if self.globals.lookup(word) is symbol]
        used = {node.name for item in found.items for node in variables(item)} if assumed else ()
        return [f"{word} == {_TRUTHS[word].value}" for word in assumed if word in used]

    def _read_before(self, found: Found, name: str) -> bool:
        """Whether the function reads what a parameter points to in any case before it comes to the region."""
        from polyloop.frontend.expression_types import type_of  # of functions that read what pointers lead to

        scope = self._scope_before(found)

        def is_number(node: c_ast.Node) -> bool:
            return isinstance(type_of(node, scope, self.declarations), Arithmetic | Pointer)

        may_end = partial(may_free, scope=scope)
        return read_before(name, found.function, found.first or found.items[0], may_end, is_number)

    def _with_known(self, scop: Scop, region: Region, found: Found) -> Scop:
        """The Scop with what statements before the region say of its parameters."""
        declared = (node.name for block in found.before for node in block if isinstance(node, c_ast.Decl))
        if region.parameters.keys().isdisjoint({*declared, *changed_names(n for block in found.before for n in block)}):
            return scop
        from polyloop.frontend.known_values import computed_values, known_values  # of few regions

        taken = frozenset(region.function.address_taken)
        values = known_values(found, region.parameters, taken)
        if scop.source is None:
            return scop
        own = {n.name for n in walk_nodes(found.function.body) if isinstance(n, c_ast.ID)} - taken
        own = {n for n in own if (symbol := region.scope.lookup(n)) is not None and symbol.automatic}
        texts = {memory.text: memory.name for memory in scop.source.memory if memory.name in scop.parameters}
        texts |= {name: name for name in scop.parameters if name in region.parameters and name not in texts.values()}
        computed = tuple(
            Memory(name, scop.source.value(name), polynomial=polynomial, multiple=by)
            for name, (polynomial, by) in computed_values(found, texts, own).items()
            if name not in values
        )
        source = replace(scop.source, computed=computed, known=tuple(values.items()))
        scop = replace(scop, source=source)
        if not values:
            return scop
        sums = (" + ".join("*".join((str(factor), *names)) for names, factor in terms) for terms in values.values())
        known = " and ".join(f"{name} = {value}" for name, value in zip(values, sums, strict=True))
        context = scop.context & isl.Set(f"[{', '.join(scop.parameters)}] -> {{ : {known} }}")
        return replace(scop, context=context)

    def _outer_counters(self, region: Region, found: Found) -> tuple[str, ...]:
        """Counters that are declared outside, in their order; members of structures are none."""
        loops = (n for item in found.items for n in walk_nodes(item) if isinstance(n, c_ast.For))
        named = dict.fromkeys(c for c in map(loop_counter, loops) if c is not None and c in region.names.outer.counters)
        symbols = {name: region.scope.lookup(name) for name in named}
        return tuple(name for name, symbol in symbols.items() if symbol is None or symbol.place is None)

    def _replaced_counters(self, found: Found, source: SourceRegion) -> Iterator[str]:
        """Counters from outside the region that a rewrite has put others in the place of: without the original loops
        nothing uses them."""
        nodes = [node for item in found.items for node in walk_nodes(item)]
        declared = {node.name for node in nodes if isinstance(node, c_ast.Decl)}
        known = {*source.counters, *(name for name, _ in source.addresses)}
        counters = dict.fromkeys(loop_counter(node) for node in nodes if isinstance(node, c_ast.For))
        scope = self._scope_before(found)
        for name in counters:
            symbol = scope.lookup(name) if name is not None and name not in declared | known else None
            if symbol is not None and symbol.kind in ("local", "parameter"):
                yield symbol.name

    def _scope_before(self, found: Found) -> Scope:
        """All names that are visible at the region's beginning."""
        scope = Scope(self.globals)
        for parameter in parameters_of(found.function):
            self.declarations.declare(parameter, scope, "parameter")
        for block in found.before:
            scope = Scope(scope)
            for node in block:
                declared = node.decls if isinstance(node, c_ast.DeclList) else [node]
                for declaration in declared:
                    if isinstance(declaration, c_ast.Decl | c_ast.Typedef):
                        self.declarations.declare(declaration, scope, "local")
        return scope

    def _called(self, nodes: Sequence[c_ast.Node]) -> list[tuple[ParsedItem, c_ast.FuncDef]]:
        """The file's functions that trees call, and those that these call."""
        found: dict[str, tuple[ParsedItem, c_ast.FuncDef]] = {}
        todo = list(nodes)
        while todo:
            for node in walk_nodes(todo.pop()):
                name = node.name.name if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) else ""
                if name in self.functions_of_file and name not in found:
                    found[name] = self.functions_of_file[name]
                    todo.append(found[name][1].body)
        return list(found.values())

    def _text(self, item: ParsedItem) -> str:
        """Of a function's definition; "" where it does not stand in the file."""
        last = self.parsed.source.tokens[item.item.end - 1]
        here = item.item.first.file is last.file is self.source
        return self.source.text[self._function_start(item) : last.offset + 1] if here else ""

    def _function_start(self, item: ParsedItem) -> int:
        """The beginning of the line of the definition's first token, or the token where other text precedes it."""
        first = item.item.first
        offset = self._begin(item, first) if first.file is self.source else 0
        start = self.source.text.rfind("\n", 0, offset) + 1
        return start if not self.source.text[start:offset].strip() else offset

    def _definition(self, item: ParsedItem) -> int | None:
        tokens = self.parsed.source.tokens[item.item.begin : item.item.end]
        first = next(token for token in tokens if token.kind != "pragma")
        return self._begin(item, first) if first.file is self.source else None

    def _begin(self, item: ParsedItem, first: Token) -> int:
        """The place of a definition's first token, or of the macro's use whose argument it is, ``GLOBAL(int) f(void)``;
        or else of macros' uses before it of which nothing is left, ``PUBLIC int f(void)``."""
        above = self.parsed.source.tokens[item.item.begin - 1] if item.item.begin else None
        begin = above.offset if above is not None and above.file is self.source else -1
        place = first.offset
        for use in reversed(self.preprocessed.uses[: bisect_right(self.preprocessed.uses, place, key=_begin_of)]):
            between = without_comments(self.source.text[use.end : place]).replace("\\\n", "").strip()
            if use.begin <= begin or between:
                break
            place = use.begin
        return place

    def locate(self, node: c_ast.Node) -> SourceLocation:
        return self.parsed.token(node).location

    def constant(self, node: c_ast.Node, scope: Scope) -> int | None:
        """The value of an integer constant expression."""
        region = _NoRegion(scope, self.declarations, RegionNames(), _NO_FUNCTION, 0, exact=True)
        try:
            return IntegerReader(region).integer(node).constant
        except Refusal:
            return None

    def is_opaque(self, index: int) -> bool:
        """Does a type-changing attribute stand in the declaration of the name at this token?"""
        source: StandardC = self.parsed.source
        before = source.tokens[index - 1].text if index else ""
        of_members = source.tokens[index].text == "{" or before in ("struct", "union")
        if not source.opaque:
            return False
        end = source.closing(index) if of_members else index
        while end < len(source.tokens) and source.tokens[end].text not in (";", "{", ")"):
            end += 1
        begin = source.opening(index)
        return any(begin <= position <= end for position in source.opaque)


def _begin_of(use: Use) -> int:
    return use.begin


def _passed(scop: Scop) -> set[str]:
    """The words of what C passes to the loops that take a region's place."""
    source = scop.source
    assert source is not None
    texts = [*(text for entry in source.addresses for text in entry), *(memory.text for memory in source.memory)]
    return set(re.findall(r"\w+", " ".join([*scop.parameters, *texts])))


class _NoRegion(Region):
    """Around constant expressions, in which no variable has a value."""

    def integer_of(self, symbol: Symbol, node: c_ast.Node) -> Integer:
        raise Refusal("non-constant", f"{symbol.written} is no constant", node)


_TRUTHS = {word: Symbol(word, "constant", Arithmetic(I32), value=value) for value, word in enumerate(("false", "true"))}
"""Words of C23, and of a header that may not be there."""

_OPERATIONS, _OF_STATEMENT, _OF_ELEMENT, _ELEMENTS = 400_000, 20_000, 20_000, 100
"""What isl may spend on reading a region once, about a second; more for each statement, several times what it takes in
large bodies of straight-line code, and for each element that is accessed, of so many at most: each has rows and bounds
of its own, and stencils in space have 50 in one statement."""


def _operations(found: Found) -> int:
    nodes = [node for item in found.items for node in walk_nodes(item)]
    statements = sum(isinstance(node, c_ast.Assignment | c_ast.Decl) for node in nodes)
    elements = sum(isinstance(node, c_ast.ArrayRef) for node in nodes)
    return _OPERATIONS + _OF_STATEMENT * statements + _OF_ELEMENT * min(elements, _ELEMENTS)


def _too_complex(found: Found) -> str:
    """What to do about sets that are too much for isl: remainders and quotients are, where there are several."""
    nodes = (node for item in found.items for node in walk_nodes(item))
    divides = any(isinstance(node, c_ast.BinaryOp) and node.op in ("/", "%", "&", ">>") for node in nodes)
    apart = "compute remainders and quotients into arrays before the scop, or " if divides else ""
    return f"its conditions and subscripts make sets that take too long to compute with; {apart}mark the loops inside"


_NO_FUNCTION = function_names(c_ast.FuncDef(None, None, c_ast.Compound([])), lambda node: 0)


def _is_array(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.ArrayDecl)
