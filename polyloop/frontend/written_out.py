"""Uses of macros and included files written out, so that loops in them have a text of their own, for others to replace.

    #define SCALE(T) void scale_##T(T *x, int n) \\
    { for (int i = 0; i < n; i++) x[i] *= 2; }       ->    void scale_float(float *x, int n)
    SCALE(float)                                           { for (int i = 0; i < n; i++) x[i] *= 2; }

    #define BASE float
    #include "scale_source.c"                        ->    what stands in that file

Macros with loops alone: what else a body uses stays as it is written, for the next preprocessor to expand as it would
have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from pathlib import Path

from polyloop.frontend.source import (
    LINE,
    Expander,
    Inclusion,
    Macro,
    PreprocessingError,
    SourceFile,
    Token,
    Use,
    quoted,
    tokenize,
)
from polyloop.scop.model import Scop
from polyloop.scop.program import WrittenOut

_OF_PLACES = ("__LINE__", "__COUNTER__")
_NAMED = ("__FILE__", "__LINE__", "assert")
"""What names the place that it stands in, or does so in compilers' headers."""


def written_out(source: SourceFile, uses: Iterable[Use | Inclusion], macros: Mapping[str, Macro]) -> SourceFile:
    """The file with the bodies of macros for these uses, and the texts of files for the directives that include these,
    as far as that says the same; itself where none does.

    Args:
        macros: those that are defined at its end.
    """
    loops, named = _with_loops(macros), _naming_places(macros)
    parts: list[str] = []
    made: list[WrittenOut] = []
    at = length = 0
    for use in sorted(uses, key=lambda use: use.begin):
        text = None
        if use.begin >= at:
            text = _text(source, use, loops) if isinstance(use, Use) else _included(source, use, loops, named)
        if text is None:
            continue
        parts += [source.text[at : use.begin], text]
        begin = length + use.begin - at
        length, at = begin + len(text), use.end
        path = "" if isinstance(use, Use) else use.file.path
        made.append(WrittenOut(begin, length, source.text[use.begin : use.end], path))
    return SourceFile(source.path, "".join([*parts, source.text[at:]]), expanded=tuple(made)) if made else source


def place_in(longer: SourceFile, offset: int) -> int:
    """Where what stood at an offset of the file stands when uses are written out."""
    added = 0
    for each in longer.expanded:
        if offset + added < each.begin + len(each.text):
            break
        added += each.end - each.begin - len(each.text)
    return offset + added


def moved(scop: Scop, longer: SourceFile) -> Scop:
    """A Scop of a function without such uses, as it is read of the file with these written out."""
    source = scop.source
    assert source is not None

    def place(offset: int) -> int:
        return place_in(longer, offset)

    source = replace(
        source,
        text=longer.text,
        expanded=longer.expanded,
        function_start=place(source.function_start),
        begin=place(source.begin),
        end=place(source.end),
        definition=None if source.definition is None else place(source.definition),
        above=None if source.above is None else (place(source.above[0]), place(source.above[1])),
    )
    return replace(scop, source=source)


def _with_loops(macros: Mapping[str, Macro]) -> dict[str, Macro]:
    """The macros that have loops in their bodies, or use such, and may be written out."""
    found: dict[str, Macro] = {}
    left = dict(macros)
    while True:
        more = {name: macro for name, macro in left.items() if _has_loop(macro, found.keys())}
        if not more:
            return {name: macro for name, macro in found.items() if _says_the_same(macro)}
        found |= more
        left = {name: macro for name, macro in left.items() if name not in more}


def _has_loop(macro: Macro, known: Set[str]) -> bool:
    texts = [token.text for token in macro.body]
    loops = (at for at, text in enumerate(texts) if text == "for" or (text == "while" and texts[at - 1 : at] != ["}"]))
    return next(loops, None) is not None or not known.isdisjoint(texts)


def _says_the_same(macro: Macro) -> bool:
    """Does a macro stand for the same wherever it is used?"""
    if not macro.body or any(token.text in (macro.name, *_OF_PLACES) for token in macro.body):
        return False
    defined_in = macro.body[0].file
    return not defined_in.stub and len(_definitions(defined_in, macro)) == 1


def _text(source: SourceFile, use: Use, loops: Mapping[str, Macro]) -> str | None:
    """What a use stands for; None where that depends on where it stands, or on which definition was active."""
    macro = use.macro
    if not _says_the_same(macro):
        return None
    expander = Expander()
    expander.macros = {name: other for name, other in loops.items() if name != macro.name}
    try:
        tokens = expander.expand(expander.substituted(macro, use.given, use.name))
    except PreprocessingError:
        return None
    line = source.text[source.text.rfind("\n", 0, use.begin) + 1 :]
    return _laid_out(tokens, line[: len(line) - len(line.lstrip(" \t"))])


def _naming_places(macros: Mapping[str, Macro]) -> set[str]:
    """Names of macros that name the place that they are used in."""
    found, more = set[str](), set(_NAMED)
    while more:
        found |= more
        left = (macro for name, macro in macros.items() if name not in found)
        more = {macro.name for macro in left if any(token.text in found for token in macro.body)}
    return found


def _included(source: SourceFile, inclusion: Inclusion, loops: Mapping[str, Macro], named: Set[str]) -> str | None:
    """What a directive stands for, macros with loops written out on the lines of their uses, between line directives
    where macros name the place that they are used in; None where it depends itself on where it stands."""
    file = inclusion.file
    depends = r"\b__(FILE|LINE|INCLUDE_LEVEL|BASE_FILE)__\b|^[ \t]*#[ \t]*(pragma[ \t]+once|line|include_next)\b"
    elsewhere = Path(file.path).parent != Path(source.path).parent
    if elsewhere:
        depends += r"|^[ \t]*#[ \t]*include[ \t]*[^< \t]"
    if file.stub or re.search(depends, file.text, re.MULTILINE):
        return None
    text = file.text
    for use in reversed(inclusion.uses):
        body = _text(file, use, loops) if _has_loop(use.macro, loops.keys()) else None
        if body is not None:
            lines = text.count("\n", use.begin, use.end)
            body = re.sub(r"\n[ \t]*", " ", body) + "\n" * lines
            text = f"{text[: use.begin]}{body}{text[use.end :]}"
    text = text.rstrip("\r\n")
    if named.isdisjoint(re.findall(r"\w+", file.text)):
        return text
    line = source.text.count("\n", 0, inclusion.end) + 2
    return f"{LINE} 1 {quoted(file.path)}\n{text}\n{LINE} {line} {quoted(source.path)}"


def _definitions(file: SourceFile, macro: Macro) -> set[str]:
    """The texts that the macro is defined as: the same ones once, however often they stand there."""
    found = re.findall(rf"^[ \t]*#[ \t]*define[ \t]+{re.escape(macro.name)}\b((?:\\\n|.)*)", file.text, re.MULTILINE)
    return {" ".join(text.split()) for text in found}


def _laid_out(tokens: list[Token], indent: str) -> str:
    """The tokens in lines, a statement in each."""
    text, depth, brackets = "", 0, 0
    for position, token in enumerate(tokens):
        before = tokens[position - 1] if position else None
        brackets += (token.text in "([") - (token.text in ")]") if token.kind == "op" else 0
        depth -= token.text == "}"
        if before is not None and not brackets and _ends_line(before, token):
            text += f"\n{indent}{'    ' * depth}"
        elif before is not None and (token.space or not _may_touch(before, token)):
            text += " "
        text += token.text
        depth += token.text == "{"
    return text


def _ends_line(before: Token, token: Token) -> bool:
    if before.text == "}":
        return token.text not in (";", ",", ")", "while", "else")
    return before.text in (";", "{") and before.kind == "op"


def _may_touch(before: Token, token: Token) -> bool:
    """Do both stay the tokens that they are without a space between?"""
    joined = tokenize(SourceFile("", before.text + token.text))[:-1]
    return [t.text for t in joined] == [before.text, token.text]
