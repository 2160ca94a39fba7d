"""What OpenMP's directives say of a region's loops, and which of that is kept.

The model is that of the loops as they run without OpenMP: for a program that may run in threads that is one of the
results that OpenMP allows. What it allows beside, or has otherwise, is looked at here: copies that each thread has of a
variable, which must then not be read behind the loop; what becomes clauses of our own directive; and directives that
are about more than one loop, which are refused.

References:
    OpenMP Application Programming Interface, version 5.2, chapters 4 (directives), 5 (data), 11 (loops).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from pycparser import c_ast

from polyloop.frontend.own_variables import is_automatic, with_own_variables
from polyloop.frontend.regions import Found, exposed_read, line_end, pragma_words
from polyloop.frontend.scopes import (
    FunctionNames,
    Refusal,
    base_name,
    declared_names,
    loop_counter,
    region_names,
    stored_into,
    walk_nodes,
)
from polyloop.scop.model import Scop
from polyloop.scop.program import Team, without_comments

CODE = "openmp"

_HINT = " (where it is built without OpenMP, -fno-openmp in --cc says so)"

_HINTS = frozenset(("simd", "safelen", "simdlen", "aligned", "linear", "nontemporal", "order"))
_KEPT = frozenset(
    (*_HINTS, "shared", "default", "lastprivate", "nowait", "collapse", "private", "firstprivate", "reduction")
)
"""Clauses that the loops as they run without OpenMP satisfy, permissions, and those that `_private` looks at."""
_SCHEDULES = frozenset(("static", "dynamic", "guided", "auto", "runtime"))
_KINDS = frozenset(("parallel for", "parallel for simd", "for", "for simd", "simd"))


@dataclass(frozen=True, eq=False)
class Directive:
    """A directive before a loop.

    Attributes:
        kind: "parallel for", "for", "simd", ...
        clauses: names with what stands in their parentheses.
        loop: the loop.
        line: of the file.
    """

    words: str
    kind: str
    clauses: tuple[tuple[str, str], ...]
    loop: c_ast.For
    line: int

    def listed(self, clause: str) -> tuple[str, ...]:
        """The names in all clauses of a kind."""
        inside = (text.rpartition(":")[2] for name, text in self.clauses if name == clause)
        return tuple(word.strip() for text in inside for word in text.split(",") if word.strip())


def team_of(
    found: Found,
    text: str,
    directives: Sequence[tuple[int, str]],
    offset: Callable[[c_ast.Node], int],
    threadprivate: frozenset[str],
) -> tuple[Team | None, frozenset[str]]:
    """What a region's directives say of its loops, and the variables of which every thread has its own.

    Args:
        text: of the file.
        directives: the preprocessor's, see `Preprocessed`.
        offset: where a node begins in the text.
        threadprivate: variables of which every thread has one for good.
    Raises:
        Refusal: at a directive or a clause that is not kept.
    """
    for node in (n for item in found.items for n in walk_nodes(item)):
        if isinstance(node, c_ast.Pragma) and re.match(r'"(omp (?!simd)|acc)', str(getattr(node.string, "value", ""))):
            raise Refusal(CODE, "write _Pragma as #pragma in a line of its own, to have it read", node)
    said = list(_directives(found, text, directives, offset))
    own = {directive: _private(directive, said, found) for directive in said}
    every = [directive for directive in said if directive.kind != "simd"]
    if not every:
        return None, frozenset()
    first, others = every[0], every[1:]
    shared = next((d for d in every if not d.kind.startswith("parallel")), None)
    if shared is not None and (others or found.items != (shared.loop,)):
        message = f"#pragma {shared.words} says that a team of threads shares this loop: it is a region of its own"
        raise Refusal(CODE, message + _HINT, shared.loop)
    for directive in others:
        if _carried(directive) != _carried(first):
            message = f"#pragma {directive.words} has other clauses than #pragma {first.words}; make them one"
            raise Refusal(CODE, message, directive.loop)
    used = {n.name for item in found.items for n in walk_nodes(item) if isinstance(n, c_ast.ID)}
    if lasting := sorted(used & threadprivate):
        message = f"#pragma {first.words} says that threads run it, and each has its own {lasting[0]} (threadprivate)"
        raise Refusal(CODE, message, first.loop)
    private = frozenset[str]().union(*(own[directive] for directive in every))
    clauses, threads, condition = _carried(first)
    if condition and (changed := sorted(set(re.findall(r"[A-Za-z_]\w*", condition)) & _changed(found.items))):
        message = f"if({condition}) of #pragma {first.words} depends on {changed[0]}, which the region changes"
        raise Refusal(CODE, message, first.loop)
    reductions = tuple(f"{name}({inside})" for d in every for name, inside in d.clauses if name == "reduction")
    loops = [item for item in found.items if any(isinstance(n, c_ast.For) for n in walk_nodes(item))]
    teamed = [any(d.loop is n for d in every for n in walk_nodes(item)) for item in loops]
    if not found.marked and (False in teamed):
        message = "of the loops in this row some run in threads and some do not: they are regions of their own"
        raise Refusal(CODE, message, loops[teamed.index(not teamed[0])])
    return (
        Team(
            tuple((d.words, d.line) for d in every),
            shared is not None,
            clauses,
            threads,
            condition,
            tuple(dict.fromkeys(reductions)),
            teamed.count(False),
        ),
        private,
    )


def _directives(
    found: Found, text: str, directives: Sequence[tuple[int, str]], offset: Callable[[c_ast.Node], int]
) -> Iterator[Directive]:
    begin = found.begin if found.above is None else found.above[0]
    nodes = [(offset(node), item, node) for item in found.items for node in walk_nodes(item)]
    for at, word in directives:
        words = pragma_words(text, at) if word == "pragma" and begin <= at < found.end else ""
        if not re.match(r"(omp|acc)\b", words):
            continue
        item, node = next(((i, n) for o, i, n in nodes if o > at), (found.items[-1], None))
        kind, clauses = _parsed(words)
        if kind not in _KINDS:
            raise Refusal(CODE, f"#pragma {words} says more than that a loop runs in threads; it stays{_HINT}", item)
        if not isinstance(node, c_ast.For) or not _is_before(text, at, offset(node)):
            raise Refusal(CODE, f"#pragma {words} does not stand before a for loop of the region", item)
        yield Directive(words, kind, clauses, node, text.count("\n", 0, at) + 1)


def _is_before(text: str, at: int, loop: int) -> bool:
    """Only other pragmas and comments stand between a pragma and its loop."""
    between = re.sub(r"^[ \t]*#.*$", "", without_comments(text[line_end(text, at) : loop]), flags=re.MULTILINE)
    return not between.strip()


def _parsed(words: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The kind of a directive, and its clauses."""
    rest, kind = words.split(None, 1)[1] if " " in words else "", []
    while match := re.match(r"(parallel|for|simd)\b(?!\s*\()\s*,?\s*", rest):
        kind.append(match.group(1))
        rest = rest[match.end() :]
    clauses: list[tuple[str, str]] = []
    while match := re.match(r"\s*,?\s*(\w+)\s*(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?", rest):
        clauses.append((match.group(1), (match.group(2) or "")[1:-1].strip()))
        rest = rest[match.end() :]
    if not kind or rest.strip():
        return words, ()
    return " ".join(kind), tuple(clauses)


def _carried(directive: Directive) -> tuple[str, int, str]:
    """The clauses of our own directive, the number of threads, and the condition under which there are any.

    Raises:
        Refusal: for a clause that is not kept.
    """
    ours, threads, condition = [], 0, ""

    def refuse(why: str) -> Refusal:
        return Refusal(CODE, f"#pragma {directive.words} is not kept: {why}", directive.loop)

    for name, inside in directive.clauses:
        match name:
            case "schedule":
                kind, _, chunk = (part.strip() for part in inside.partition(","))
                if kind not in _SCHEDULES:
                    raise refuse(f"schedule({inside}) is not known")
                # A chunk is counted in the user's iterations; ours may be tiles. One by one is one by one.
                one = ", 1" if chunk == "1" else ""
                ours += [f"schedule({kind}{one})"] if kind != "static" or one else []
            case "num_threads":
                if not inside.isdecimal() or not 0 < int(inside) < 1 << 20:
                    raise refuse(f"num_threads({inside}) is no number; set OMP_NUM_THREADS, or write a number")
                threads = int(inside)
            case "if":
                condition = inside.removeprefix("parallel").lstrip(" :") if ":" in inside else inside
                if not _is_plain(condition):
                    raise refuse(f"if({inside}) is more than a comparison of variables; put it into one before")
            case "proc_bind":
                ours.append(f"proc_bind({inside})")
            case "default" if inside not in ("shared", "none"):
                raise refuse(f"default({inside}) means copies; name the variables in clauses of their own")
            case _ if name not in _KEPT:
                raise refuse(f"the clause {name} means nothing here; leave it out")
    if (many := sorted(name for name, count in Counter(n for n, _ in directive.clauses).items() if count > 1)) and (
        set(many) & {"schedule", "num_threads", "if", "proc_bind"}
    ):
        raise refuse(f"{many[0]} stands there more than once")
    return " ".join(ours), threads, condition


def _is_plain(expression: str) -> bool:
    """Only variables, numbers and operators without side effects, nothing that is read through a pointer."""
    expression = re.sub(r"&&|\|\|", ",", expression.replace(",", ";"))
    assigns = re.search(r"(?<![<>=!])=(?!=)|\+\+|--|<<=|>>=", expression)
    reads = re.search(r"(?:^|[-+*/%<>=&|!(,])\s*[*&]|[\[\]?:;'\"]|->|\w\s*\(|\.\s*[A-Za-z_]", expression)
    return bool(re.fullmatch(r"[\w\s<>=!&|+\-*/%(),.]+", expression)) and not assigns and not reads


# --- Variables of which every thread has its own ----------------------------------------------------------------------


def _private(directive: Directive, every: Sequence[Directive], found: Found) -> frozenset[str]:
    """Those of a directive's clauses that its loop changes.

    Raises:
        Refusal: where the program without OpenMP has another value behind the loop, or in it.
    """
    names = region_names((directive.loop,)).outer
    counters = {loop_counter(n) for n in walk_nodes(directive.loop) if isinstance(n, c_ast.For)}
    for name in directive.listed("firstprivate"):
        if name in names.written | _stored(directive.loop):
            message = f"firstprivate({name}) of #pragma {directive.words}: the loop changes it, each thread its own;"
            raise Refusal(CODE, f"{message} copy it to a variable that is declared in the loop", directive.loop)
    changed = {n for n in directive.listed("private") if n in names.written | _stored(directive.loop)}
    uses = [n for item in found.items for n in walk_nodes(item) if isinstance(n, c_ast.ID)]
    for name in sorted(changed - counters):
        read = exposed_read(name, found) if is_automatic(name, found) else None
        inside = {id(n) for d in every if name in d.listed("private") for n in walk_nodes(d.loop)}
        read = next((n for n in uses if n.name == name and id(n) not in inside), read)
        if not is_automatic(name, found) or read is not None:
            message = f"private({name}) of #pragma {directive.words} keeps its old value, which may be read later;"
            raise Refusal(CODE, f"{message} declare it in the loop, or say lastprivate({name})", read or directive.loop)
    return frozenset(changed - counters)


def _stored(node: c_ast.Node) -> set[str]:
    """The arrays and scalars that a statement may store to, by name."""
    return {name for n in walk_nodes(node) if (name := base_name(stored_into(n))) is not None}


def _changed(items: Sequence[c_ast.Node]) -> set[str]:
    names = declared_names(items)
    counters = {loop_counter(n) for item in items for n in walk_nodes(item) if isinstance(n, c_ast.For)}
    return names | {name for name in counters if name} | set[str]().union(*map(_stored, items))


def with_own(scop: Scop, team: Team, private: frozenset[str], found: Found, names: FunctionNames) -> Scop:
    """The Scop with variables of its own in the place of those that each thread has: they are no memory that threads
    share. What is shared among a team's threads has no others."""
    own = with_own_variables(scop, found, names, private, team.shared)
    assert own.source is not None
    return replace(own, source=replace(own.source, team=team))
