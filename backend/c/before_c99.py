"""Generated C for compilers of C as it was before 1999 (``-std=gnu89``, ``-ansi``).

Of what generated text uses, those compilers lack declarations in the heads of loops, and in strict modes ``inline``.
"""

from __future__ import annotations

import re

from polyloop.backend.c.text import closing

_HEAD = re.compile(r"((?:polyloop_\w+ )*for \()(int|long) (\w+)(?= = )")
_THREADS = re.compile(r"^#ifdef _OPENMP\n#pragma (?:[^\n]*\\\n)*[^\n]*\n#endif\n[ \t]*\Z", re.MULTILINE)
_NESTED = re.compile(r"(?:polyloop_\w+ )*(?:for|while|if|switch) (?=\()")


def before_c99(text: str) -> str:
    """The text with each loop in a block that begins with the declaration of its counter."""
    text = re.sub(r"\binline\b", "__inline__", text)
    for head in reversed(list(_HEAD.finditer(text))):  # from the back: ends of loops around others are behind them
        end = _statement_end(text, head.start())
        # Directives of threads stay directly in front of their loop.
        directives = _THREADS.match(text, max(0, text.rfind("#ifdef", 0, head.start())), head.start())
        begin = directives.start() if directives else head.start()
        declared = f"{{ {head[2]} {head[3]};" + (" " if directives is None else "\n")
        loop = f"{text[begin : head.start()]}{head[1]}{head[3]}{text[head.end() : end]}"
        text = f"{text[:begin]}{declared}{loop} }}{text[end:]}"
    return text


def _statement_end(text: str, at: int) -> int:
    """Behind the statement that begins at or behind `at`."""
    at = re.compile(r"(?:\s|/\*.*?\*/|#[^\n]*\n)*", re.DOTALL).match(text, at).end()  # type: ignore[union-attr]
    if text[at] == "{":
        return closing(text, at) + 1
    if nested := _NESTED.match(text, at):
        end = _statement_end(text, closing(text, nested.end()) + 1)
        otherwise = re.compile(r"\s*else\b").match(text, end)
        return _statement_end(text, otherwise.end()) if otherwise else end
    while text[at] != ";":
        at = closing(text, at) + 1 if text[at] in "([{" else at + 1
    return at + 1
