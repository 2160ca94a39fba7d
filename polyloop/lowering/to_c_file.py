"""The output C file: the input with faster loops in place of each scop, everything else byte for byte as it was.

The text between ``#pragma scop`` and ``#pragma endscop``, or that of the statements where no pragmas mark them, becomes
a test and a call, with the original loops in the other branch; the function that is called stands, with what it needs,
directly before the function around the scop.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

import islpy as isl

from polyloop.arithmetic import SIGNATURES
from polyloop.backend.c.arrays import functions_called, pointer_to
from polyloop.backend.c.helpers import Helper, definitions, merged
from polyloop.backend.c.printer import CFunction, Threads, print_c
from polyloop.backend.c.text import BEFORE_C99, beside_macros, scalar_name, wrap
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import TRUE
from polyloop.backend.ir.loop_nest import ArraySpec, Storage
from polyloop.backend.ir.traversal import arrays_touched, walk
from polyloop.backend.ir.vector_program import Bind, BindValue, For, If, Let, Statement, VectorProgram, When
from polyloop.errors import PolyloopError
from polyloop.lowering.run_time_tests import has_value, is_out_of_reach, run_time_tests
from polyloop.scop.model import Scop, SourceRegion
from polyloop.scop.program import Memory, WrittenOut, directives, text_behind, without_comments

if TYPE_CHECKING:
    from polyloop.backend.machine.versions import Version


class EmitError(PolyloopError):
    """A region's new text cannot be put into its file."""


@dataclass(frozen=True)
class Replacement:
    """A Scop that was read from a file, and the program that computes the same; None: its loops stay.

    Attributes:
        versions: such programs for several instruction sets, of which the processor that runs the file chooses one, in
            the place of `program`; where it has none of these, and where one is None, the original loops run.
    """

    scop: Scop
    program: VectorProgram | None
    versions: tuple[tuple[Version, VectorProgram | None], ...] = ()

    @property
    def programs(self) -> tuple[VectorProgram, ...]:
        """All that may run."""
        every = [program for _, program in self.versions] if self.versions else [self.program]
        return tuple(program for program in every if program is not None)


def limited(scop: Scop, above: str) -> Scop:
    """The Scop under one more assumption on its parameters, as isl writes it; "" for none."""
    if not above:
        return scop
    return replace(scop, assumptions=scop.assumptions & isl.Set(f"[{', '.join(scop.parameters)}] -> {{ : {above} }}"))


@dataclass(frozen=True)
class _Edit:
    """What becomes of one region: the function that it calls, under run-time tests, and what they need; without one
    its loops stay."""

    replacement: Replacement
    source: SourceRegion
    function: CFunction | None
    tests: tuple[str, ...]
    helpers: frozenset[Helper]


def emit_c_file(
    cfile_text: str,
    replacements: Sequence[Replacement],
    *,
    uncontracted: bool = False,
    heading: str = "",
    header: str = "",
    expanded: Sequence[WrittenOut] = (),
) -> str:
    """The C file with each replacement's scop done by its program.

    Args:
        cfile_text: the whole input, line ends unchanged (read with ``newline=""``).
        replacements: for any of the file's scops, in any order; the other scops stay as they are.
        uncontracted: compilers are told not to fuse multiplications and additions in the replacements and in the
            original loops beside them. gcc is told so of the whole functions that these stand in.
        heading: the first line's text, if any loops are replaced.
        header: a file that has the helpers (see `helpers_header`) and is included; "": they stand in the file itself.
        expanded: macros' bodies in the text; where no loops in one are replaced, its use takes its place again.
    Raises:
        EmitError: if a scop was read from another text, or declares at its top what later code uses.
        UnboundedAccessError: see `run_time_tests`.
    """
    defined = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", cfile_text, re.MULTILINE)
    macros = frozenset(defined).union(*(_source(r.scop).macros for r in replacements))
    edits: list[_Edit] = []
    names: set[str] = set()
    for replacement in sorted(replacements, key=lambda r: _source(r.scop).begin):
        edits.append(_edit(cfile_text, replacement, macros, names, uncontracted))
    edits = _outlined(cfile_text, edits)
    blocks = _Blocks(cfile_text, edits, macros, uncontracted, header)
    inserted = [
        (edit.source.begin, edit.source.end, _region(edit, blocks, uncontracted)) for edit in edits
    ] + blocks.inserted()
    inserted += [(*edit.source.above, "") for edit in edits if edit.source.above is not None]
    inserted += [
        (each.begin, each.end, each.text)
        for each in expanded
        if not any(each.begin < edit.source.end and edit.source.begin < each.end for edit in edits)
    ]
    result = cfile_text
    for begin, end, text in sorted(inserted, reverse=True):
        result = result[:begin] + text + result[end:]
    if heading and edits:
        return f"/* {heading.replace('*/', '* /')} */{_line_end(edits[0].source)}{result}"
    return result


def helpers_header(
    replacements: Sequence[Replacement], earlier: str = "", *, name: str = "polyloop.h", uncontracted: bool = False
) -> str:
    """The file of helpers that the C file with these replacements includes, which others may include, too.

    Args:
        earlier: what stands in the file: other files' helpers are kept.
        name: what the message calls it.
    Raises:
        EmitError: if the file is not one of ours.
    """
    if earlier and not earlier.startswith(_HEADER):
        raise EmitError(f"{name}: there is such a file, and polyloop has not made it; give another name")
    edits, names = [], set[str]()
    for each in sorted(replacements, key=lambda r: _source(r.scop).begin):
        edits.append(_edit(_source(each.scop).text, each, frozenset(), names, uncontracted))
    edits = _outlined(_source(replacements[0].scop).text, edits) if replacements else edits
    parts = dict(re.findall(_PART, earlier, re.DOTALL | re.MULTILINE))
    parts |= dict(definitions(frozenset().union(*(edit.helpers for edit in edits))))
    macros = frozenset().union(*(edit.source.macros for edit in edits))
    marked = (f"/* --- {name} */\n{of_its_time(body, macros)}" for name, body in parts.items())
    return merged("".join([_HEADER, *marked, _END]))


def of_its_time(text: str, macros: frozenset[str]) -> str:
    """Generated text as compilers of a file with these macros take it."""
    if BEFORE_C99 not in macros:
        return text
    from polyloop.backend.c.before_c99 import before_c99  # of few files

    return before_c99(text)


_HEADER = """\
/* Made by polyloop: what the loops that it has written call. Any number of files may include it. */
#ifndef POLYLOOP_HELPERS
#define POLYLOOP_HELPERS
"""
_END = "#endif\n"
_PART = r"^/\* --- (\S+) \*/\n(.*?)(?=^/\* --- |#endif\n\Z)"


def _source(scop: Scop) -> SourceRegion:
    if scop.source is None:
        raise EmitError(f"{scop.name} was not read from a C file, so there is no file to put it back into")
    return scop.source


def _edit(text: str, replacement: Replacement, macros: frozenset[str], names: set[str], uncontracted: bool) -> _Edit:
    source = _source(replacement.scop)
    if source.text != text:
        raise EmitError(f"{source.path}: the file has changed since {replacement.scop.name} was read; read it again")
    _check_declarations(source)
    needed = {Helper("uncontracted")} if uncontracted else set()
    if not replacement.programs:
        return _Edit(replacement, source, None, (), frozenset(needed))
    name = _free_name(text, source.function, names)
    threads = _threads(replacement, source)
    function = _function(replacement, name, macros, uncontracted, threads)
    if threads.shared and function.can_fail:
        raise EmitError(f"{_said(source)}: the threads that share it would each need memory of their own")
    tests: dict[str, None] = {}
    needed |= {Helper("kernel")} | function.helpers
    for program in replacement.programs:
        more, helpers = run_time_tests(replacement.scop, program, source)
        tests |= dict.fromkeys(more)
        needed |= helpers
    if source.team is not None and source.team.condition:
        tests[f"({source.team.condition})"] = None
    return _Edit(replacement, source, function, tuple(tests), frozenset(needed))


def _outlined(text: str, edits: Sequence[_Edit]) -> list[_Edit]:
    """The edits, of which those in functions that are to stay functions ask for the attribute that says so.

    Compilers put a static function in the place of its one call, or where it is small. Where all of its loops became
    calls nothing is gained by that, and what else is left of it costs the loops around their registers. A function with
    further loops may need to know what is passed, and so does one of which a compiler knows sizes in its calls' place.
    """
    found = []
    for _, group in itertools.groupby(edits, key=lambda edit: edit.source.function_start):
        here = list(group)
        first = here[0].source
        begin = first.function_start if first.definition is None else first.definition
        declared, _, _ = text[first.function_start : first.begin].partition(first.function)
        words = set(re.findall(r"\w+", declared))
        asked = re.search(rf"inline(__)?\b[^;{{}}]*\b{first.function}\s*\(", text) is not None or words & first.macros
        rest = text[begin : first.begin], *(text[a.source.end : b.source.begin] for a, b in itertools.pairwise(here))
        loops = re.search(r"\b(for|while)\b", without_comments("".join(rest)) + text_behind(here[-1].source))
        called = len(re.findall(rf"\b{first.function}\s*\(", text)) > 1
        seen_through = any(edit.source.seen_through for edit in here)
        alone = "static" in words and not asked and called and not loops and not seen_through
        if alone and all(edit.function is not None for edit in here):
            here[0] = replace(here[0], helpers=here[0].helpers | {Helper("outlined")})
        found += here
    return found


def _said(source: SourceRegion) -> str:
    assert source.team is not None
    words, line = source.team.directives[0]
    return f"{source.path}:{line}: #pragma {words}"


def _threads(replacement: Replacement, source: SourceRegion) -> Threads:
    """How the parallel loops are to run: as directives in the file have the original ones run.

    Raises:
        EmitError: where loops that have threads would have none.
    """
    team = source.team
    if team is None:
        return Threads()
    for program in replacement.programs:
        scratch = frozenset(array.name for array in program.arrays if array.scratch)
        outermost = [
            loop
            for loop in _outermost(program.body)
            if not _has_parallel((loop,)) and not arrays_touched((loop,))[1] <= scratch
        ]
        if len(outermost) > team.others or not _has_parallel(program.body):
            raise EmitError(f"{_said(source)}: its threads would be lost, as this schedule has loops without")
        if team.shared and not _is_one_loop(program.body):
            raise EmitError(f"{_said(source)}: a team shares one loop, and this schedule has more than one")
    if team.shared and any(memory.cells for memory in source.memory):
        raise EmitError(f"{_said(source)}: what its threads read before it may be what one of them writes in it")
    return Threads(team.shared, team.clauses, team.threads)


def _outermost(body: Sequence[Statement]) -> Iterator[For]:
    for statement in body:
        match statement:
            case For():
                yield statement
            case If(_, then, orelse):
                yield from _outermost((*then, *orelse))
            case When(_, inside):
                yield from _outermost(inside)


def _has_parallel(body: Sequence[Statement]) -> bool:
    return any(isinstance(statement, For) and statement.parallel for statement in walk(body))


def _is_one_loop(body: Sequence[Statement]) -> bool:
    """A parallel loop, and nothing around it but what only computes."""
    loops = [statement for statement in body if not isinstance(statement, Let | Bind | BindValue)]
    return len(loops) == 1 and isinstance(loops[0], For) and loops[0].parallel


def _function(
    replacement: Replacement, name: str, macros: frozenset[str], uncontracted: bool, threads: Threads
) -> CFunction:
    """The function that the region calls, behind those that it calls itself."""
    qualifiers = f"polyloop_kernel {_UNCONTRACTED} " if uncontracted else "polyloop_kernel "
    scop, arrays = replacement.scop, replacement.programs[0].arrays
    values = [spec.name for spec in arrays if _is_value(spec, scop, _source(scop))]
    if not replacement.versions:
        return print_c(replacement.programs[0], name, macros, qualifiers, threads, values)
    from polyloop.backend.c.versioned import print_choice, print_version  # of several instruction sets alone

    functions = {
        version: print_version(program, version, name, macros, qualifiers, threads, values)
        for version, program in replacement.versions
        if program is not None
    }
    choice = print_choice(name, tuple(version for version, _ in replacement.versions), functions)
    return replace(choice, text="".join([*(f.text for f in functions.values()), "\n", choice.text]))


def _free_name(text: str, function: str, names: set[str]) -> str:
    """polyloop_FUNCTION_N, used neither in the file nor by an earlier scop."""
    count = 0
    while True:
        name = f"polyloop_{function}_{count}"
        if name not in names and not re.search(rf"\b{name}\b", text):
            names.add(name)
            return name
        count += 1


# --- the region -------------------------------------------------------------------------------------------------------


_UNCONTRACTED = "polyloop_uncontracted"
_OUTLINED = "polyloop_outlined"

_CLANG_UNCONTRACTED = """\
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
"""
"""At the beginning of a block. gcc knows no such pragma; its attribute is of the function."""


def _region(edit: _Edit, blocks: _Blocks, uncontracted: bool) -> str:
    """What takes the place of the original loops."""
    text = _statements(edit, blocks, uncontracted)
    source = edit.source
    if source.alone:
        text = _lines(["{"], source) + text + _lines(["}"], source)
    if source.marked:
        return text
    # The first line's indentation stands before the region already, and what ends the last one behind it.
    return text.removeprefix(_begun(source)).removesuffix(_line_end(source))


def _statements(edit: _Edit, blocks: _Blocks, uncontracted: bool) -> str:
    """The test, the call and the original loops, in lines of their own."""
    source, function = edit.source, edit.function
    tests = [blocks.own_names(test) for test in edit.tests]
    original = source.loops
    if not source.marked:
        original = _begun(source) + original + _line_end(source)
    if uncontracted:
        original = _CLANG_UNCONTRACTED.replace("\n", _line_end(source)) + original
    if function is None or edit.replacement.program is None:
        return _lines(["{"], source) + original + _lines(["}"], source)
    beside = bool(tests) and not function.can_fail
    arguments, copies, after = _arguments(edit.replacement.program, edit.replacement.scop, source, beside)
    before, copies = ([], copies) if beside else (copies, [])
    before = [*source.own, *(f"long {name};" for name, _ in source.kept), *before]
    after = [*after, *source.behind]
    arguments = [blocks.own_names(argument) for argument in arguments]
    named, tests, arguments = _computed_once(edit.replacement.scop, source, tests, arguments)
    before = [*named, *before]
    if source.team is not None and source.team.shared:
        # Threads that have left earlier loops behind them without waiting count on the same iterations here.
        before = ["#ifdef _OPENMP", "#pragma omp barrier", "#endif", *before]
    call = f"{function.name}({', '.join(arguments)})"
    if source.kept:  # where the tests hold, and nothing is stored yet
        call = f"({', '.join([*(f'{name} = {text}' for name, text in source.kept), call])})"
    inner = "    " if before else ""
    if not tests and not function.can_fail:
        # Variables and labels that the original loops alone have used are still there.
        unused = [f"(void){name};" for name in source.counters] + [f"goto {name};" for name in source.labels]
        lines = [*before, f"{call};", *after, *unused]
        text = _lines(lines if not before else ["{", *(f"    {line}" for line in lines), "}"], source)
        # What stands behind the region may use macros that its text defines. Below, the original text stays and defines
        # them; there they must not be defined twice, as they may be undefined in between.
        kept = directives(source.loops)
        return text + kept if re.search(r"^\s*#\s*(define|undef)\b", kept, re.MULTILINE) else text
    condition = " && ".join([*tests, call] if function.can_fail else tests)
    if function.can_fail and not after:
        head = [f"if (!({condition})) {{"]
    elif function.can_fail:
        head = [f"if ({condition}) {{", *(f"    {line}" for line in after), "} else {"]
    else:
        head = [f"if ({condition}) {{", *(f"    {line}" for line in (*copies, f"{call};", *after)), "} else {"]
    if before:
        head = ["{", *(f"    {line}" for line in [*before, *head])]
    foot = [f"{inner}}}", "}"] if before else ["}"]
    return _lines(head, source) + original + _lines(foot, source)


def _computed_once(
    scop: Scop, source: SourceRegion, tests: list[str], arguments: list[str]
) -> tuple[list[str], list[str], list[str]]:
    """Declarations of parameters that are computed from others, and tests and arguments in terms of these instead of
    what would stand there again and again. What reads memory, or divides by what may be 0, stays behind its tests."""
    computed = [m for m in source.memory if m.name in scop.parameters and m.polynomial and _is_total(m)]
    named: dict[str, str] = {}

    def shorter(text: str) -> str:
        return reduce(lambda text, known: text.replace(known, named[known]), named, text)

    for memory in sorted(computed, key=lambda memory: len(memory.text)):
        name, text = f"polyloop_{memory.name}", shorter(memory.text)
        if sum(part.count(text) for part in (*tests, *arguments)) > 1 and not re.search(rf"\b{name}\b", source.text):
            named[text] = name
            tests, arguments = list(map(shorter, tests)), list(map(shorter, arguments))
    return [f"const long {name} = {text};" for text, name in named.items()], tests, arguments


def _is_total(memory: Memory) -> bool:
    """Whether a parameter can be computed whether C does so or not: numbers of steps ask whether these are positive."""
    behind = memory.read != TRUE or bool(memory.cells) or memory.table is not None
    return not behind and "%" not in memory.text and memory.text.count("/") == memory.text.count(" > 0 ? ")


def _lines(lines: list[str], source: SourceRegion) -> str:
    """New lines of the region: indented as its first one, ending as the line above does."""
    indent, end = _indentation(source), _line_end(source)
    single = (indent + each for line in lines for each in line.split("\n"))
    return "".join(f"{part}{end}" for line in single for part in wrap(line))


def _line_end(source: SourceRegion) -> str:
    line = source.text.rfind("\n", 0, source.begin)
    return "\r\n" if line > 0 and source.text[line - 1] == "\r" else "\n"


def _behind_pragma(source: SourceRegion) -> int:
    """Behind the line of ``#pragma endscop``."""
    line = re.compile(r"(?:[^\\\n]|\\\r?\n|\\)*\n?").match(source.text, source.end)
    return line.end() if line else len(source.text)


def _indentation(source: SourceRegion) -> str:
    """That of the region's first line that is neither empty nor a pragma."""
    if not source.marked and not source.text.startswith("#", source.begin):
        return _begun(source)
    for line in source.text[source.begin : source.end].splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            return line[: len(line) - len(line.lstrip())]
    return ""


def _begun(source: SourceRegion) -> str:
    """The indentation of the line that the region begins on."""
    line = source.text[source.text.rfind("\n", 0, source.begin) + 1 :]
    return line[: len(line) - len(line.lstrip())]


def _arguments(
    program: VectorProgram, scop: Scop, source: SourceRegion, beside: bool
) -> tuple[list[str], list[str], list[str]]:
    """The call's arguments, and statements before and after it for scalars that have no address.

    Scalars that are only read are passed as copies: they may be register variables or constants, and a variable
    whose address is not taken stays in its register in the original loops. So are scalars that are written, where
    the original loops stand `beside` the call: with its address given away they would not run in lanes.
    """
    # A size_t becomes a long without a word here alone.
    unsigned = {name for name, type_ in source.parameter_types if type_.kind == "uint" and type_.bits == 64}
    arguments = [f"{'(long)' * (name in unsigned)}{source.value(name)}" for name in program.parameters]
    before: list[str] = []
    after: list[str] = []
    for spec in program.arrays:
        if spec.storage is not Storage.ARGUMENT:
            continue
        address = source.address(spec.name)
        if _is_value(spec, scop, source):
            arguments.append(address[1:])
        elif _is_variable(spec, source) and (
            _is_register(source, address[1:])
            or (beside and is_out_of_reach(scop.array(spec.name), source) and has_value(source, address[1:]))
        ):
            copy = f"polyloop_copy_{spec.name}"
            before.append(f"{scalar_name(spec.type)} {copy} = {address[1:]};")
            after.append(f"{address[1:]} = {copy};")
            arguments.append(f"&{copy}")
        else:
            arguments.append(_pointer(spec, address, surely=not source.tests))
    return arguments, before, after


def _is_variable(spec: ArraySpec, source: SourceRegion) -> bool:
    """Whether an argument is a scalar that has a name."""
    address = source.address(spec.name)
    return not spec.shape and address.startswith("&") and address[1:].isidentifier()


def _is_value(spec: ArraySpec, scop: Scop, source: SourceRegion) -> bool:
    """Whether an argument is passed as the scalar that it is: to variables whose addresses are given away compilers see
    stores in every function that they do not know. A pointer's members are read where the loops certainly read them."""
    if spec.storage is not Storage.ARGUMENT or spec.name in scop.written or spec.shape:
        return False
    if _is_variable(spec, source) or re.fullmatch(
        r"&(\w+(\.\w+)+|__(real|imag)__ \w+(\.\w+)*)", source.address(spec.name)
    ):
        return True
    plain = (
        not source.tests
        and re.fullmatch(r"&(__(real|imag)__ )?\w+(->|\.)[\w.]+", source.address(spec.name)) is not None
    )
    return plain and any(
        e.Access(spec.name) in statement.certain and scop.known.is_subset(statement.domain.params())
        for statement in scop.statements
    )


def _pointer(spec: ArraySpec, address: str, surely: bool) -> str:
    """Pointers to rows, to integers that C may know by another name, and to what has another type, or may have one, are
    cast."""
    own, address = surely and not address.startswith("(void *)"), address.removeprefix("(void *)")
    type_, simple = pointer_to(spec), re.fullmatch(r"&?[\w\[\]]+", address)
    if own and (len(spec.shape) < 2 or (simple and "(" not in type_)) and (spec.type.is_float or spec.type.bits == 32):
        return address
    return f"({type_}){address}" if simple else f"({type_})({address})"


def _is_register(source: SourceRegion, name: str) -> bool:
    declared = source.text[source.function_start : source.end]
    return re.search(rf"\bregister\b[^;{{}}]*\b{re.escape(name)}\b", declared) is not None


def _check_declarations(source: SourceRegion) -> None:
    """Refuse a region whose own declarations are used behind it: in braces they would end with it."""
    if not source.marked:  # declarations are no part of those
        return
    region = without_comments(source.text[source.begin : source.end])
    top: list[str] = []
    depth = 0
    for character in region:
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(character, 0)
        top.append(character if depth == 0 else " ")
    following = text_behind(source)
    for match in re.finditer(r"(?:^|[;}])\s*(?:[A-Za-z_]\w*[\s*]+)+([A-Za-z_]\w*)\s*(?==[^=]|;|,|\[)", "".join(top)):
        if not re.search(r"\b(return|goto|else|case)\b", match.group(0)) and re.search(
            rf"\b{match.group(1)}\b", following
        ):
            line = source.line
            raise EmitError(
                f"{source.path}:{line}: {match.group(1)} is declared inside the scop and used behind it; "
                "declare it before #pragma scop"
            )


def _prototypes(edit: _Edit) -> Iterator[str]:
    """Of functions that the region's function declares inside of it, as f2c writes it, or nothing declares: what is
    made of the region stands in front of it. Those that the file has macros for are called as compilers know them."""
    called = frozenset().union(*(functions_called(program.body) for program in edit.replacement.programs))
    for name in (called & SIGNATURES.keys()) - edit.source.declared - edit.source.macros:
        result, parameters = SIGNATURES[name]
        returned = "long long" if name.startswith("ll") else scalar_name(result)
        yield f"{returned} {name}({', '.join(map(scalar_name, parameters))});"


# --- the blocks before the functions ----------------------------------------------------------------------------------


_QUIET = """#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  /* #pragma scop */
"""
_AS_BEFORE = "#pragma GCC diagnostic pop\n"
_OF_MEMORY = ("_MM_MALLOC_H_INCLUDED", "__MM_MALLOC_H")
"""What says that ``_mm_malloc`` is there, under gcc and under clang."""


class _Blocks:
    """One block for each function: definitions that no block above and no earlier run has made, then the functions.

    Where there are several blocks, the preprocessor might drop an earlier one, if there are conditionals between them:
    then each block has all that it needs, and each definition is guarded.
    """

    def __init__(self, text: str, edits: list[_Edit], macros: frozenset[str], uncontracted: bool, header: str) -> None:
        self._header = header
        self._edits = edits
        self._macros = macros
        self._poisoned = frozenset().union(*(edit.source.poisoned for edit in edits))
        self._uncontracted = uncontracted
        self._starts = sorted({edit.source.function_start for edit in edits})
        between = text[self._starts[0] : self._starts[-1]] if self._starts else ""
        self._guarded = re.search(r"^[ \t]*(#|%:|\?\?=)[ \t]*(if|el|endif)", between, re.MULTILINE) is not None
        made: set[str] = set()
        above = text[: min(self._starts, default=0)].replace("\r\n", "\n")
        words = {*re.findall(r"\bpolyloop_\w+", text), *macros}
        self._definitions: dict[int, list[tuple[str, str]]] = {}
        self._renamed: dict[str, str] = {}
        for start in self._starts:
            needed = definitions(frozenset().union(*(edit.helpers for edit in self._at(start))))
            needed = [(name, beside_macros(body, macros, SIGNATURES)) for name, body in needed]
            self._definitions[start] = [(n, body) for n, body in needed if body not in above and body not in made]
            made |= set() if self._guarded else {body for _, body in needed}
            for name in re.findall(r"\bpolyloop_\w+", "".join(body for _, body in self._definitions[start])):
                if name in words and not any(name in body for _, body in needed if body in above):
                    fresh = (f"{name}_{count}" for count in itertools.count(1))
                    self._renamed.setdefault(name, next(f for f in fresh if f not in words))
        if header and self._renamed:
            raise EmitError(f"{header}: this file calls something else {next(iter(self._renamed))}; keep helpers in it")

    def own_names(self, text: str) -> str:
        """Generated text with other names for helpers whose names the file uses for something else."""
        return re.sub(r"\bpolyloop_\w+", lambda match: self._renamed.get(match.group(), match.group()), text)

    def inserted(self) -> list[tuple[int, int, str]]:
        """Begin, end and text of every block, of what its function's definition begins with, and of what ends behind
        the last region of the function that pragmas mark."""
        blocks = [(start, start, self._block(start)) for start in self._starts]
        for start in self._starts:
            edit = self._at(start)[0]
            attributes = [_UNCONTRACTED] * self._uncontracted + [_OUTLINED] * (Helper("outlined") in edit.helpers)
            place = start if edit.source.definition is None else edit.source.definition
            blocks += [(place, place, f"{self.own_names(attribute)} ") for attribute in attributes]
        for start in self._starts:
            marked = [edit.source for edit in self._at(start) if edit.source.marked]
            if not marked:
                continue
            source = marked[-1]
            begin, text = _behind_pragma(source), _AS_BEFORE.replace("\n", _line_end(source))
            blocks.append((begin, begin, text if source.text[:begin].endswith("\n") else _line_end(source) + text))
        return blocks

    def _included(self, text: str) -> str:
        """An include without the file's macros that its header may have names like: letters, and all that are no
        capitals where it declares functions: ``abs`` of stdlib.h, variables in those of the instructions' header."""
        short = {name for name in self._macros if len(name) == 1}
        if "immintrin" in text or "stdlib" in text:
            short |= {m for m in self._macros if m.isidentifier() and m.islower() and m[0] != "_"}
        names = sorted(short - self._poisoned)
        # The instructions' header includes one that allocates, which files may forbid: both compilers leave it out so.
        left_out = _OF_MEMORY if "immintrin" in text and self._poisoned & {"malloc", "free"} else ()
        before = "".join(f'#pragma push_macro("{name}")\n#undef {name}\n' for name in (*names, *left_out))
        before += "".join(f"#define {name}\n" for name in left_out)
        return before + text + "".join(f'#pragma pop_macro("{name}")\n' for name in (*names, *left_out))

    def _at(self, start: int) -> list[_Edit]:
        return [edit for edit in self._edits if edit.source.function_start == start]

    def _block(self, start: int) -> str:
        here = self._at(start)
        marked = any(edit.source.marked for edit in here)
        parts = [f"/* Made by polyloop for the loops of {here[0].source.function}. */\n", _QUIET if marked else ""]
        parts += [self._included(f'#include "{self._header}"\n')] if self._header else []
        for name, body in self._definitions[start] if not self._header else ():
            guarded = self._guarded and "#include" not in body
            guard = f"HAVE_{self.own_names(name)}"
            text = self._included(self.own_names(body)) if "#include" in body else self.own_names(body)
            parts.append(f"#ifndef {guard}\n#define {guard}\n{text}#endif\n" if guarded else text)
        parts += sorted({f"{prototype}\n" for edit in here for prototype in _prototypes(edit)})
        for edit in here:
            if edit.function is not None:
                parts.append("\n" + self.own_names(beside_macros(edit.function.text, self._macros, SIGNATURES)))
        made = of_its_time(merged("".join([*parts, "\n"])), self._macros)
        for name in {"malloc", "free"} & self._poisoned:
            made = re.sub(rf"\b{name}\(", f"__builtin_{name}(", made)
        return made.replace("\n", _line_end(here[0].source))
