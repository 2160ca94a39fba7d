"""What the tensor front end says about a wrong program: what, and a caret under where."""

from __future__ import annotations

from dataclasses import dataclass

from polyloop.errors import PolyloopError
from polyloop.scop.model import SourceLocation
from polyloop.scop.program import Diagnostic
from polyloop.tensors.syntax import Span


class TensorError(PolyloopError):
    """The program or its sizes are wrong; the message is the rendered diagnostic.

    Attributes:
        code: short stable name of the kind of mistake.
    """

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.render())
        self.code = diagnostic.code
        self.diagnostic = diagnostic


@dataclass(frozen=True)
class Source:
    """A program's text and how messages call it."""

    text: str
    name: str = "<tensor>"

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise PolyloopError(f"an expression is text, such as 'C[m, n] += A[m, k] * B[k, n]', not {self.text!r}")

    def location(self, span: Span) -> SourceLocation:
        start = self.text.rfind("\n", 0, span.start) + 1
        return SourceLocation(self.name, self.text.count("\n", 0, start) + 1, span.start - start + 1)

    def error(self, code: str, message: str, span: Span) -> TensorError:
        location = self.location(span)
        line = self.text.split("\n")[location.line - 1]
        length = max(1, min(span.end - span.start, len(line) - location.column + 1))
        return TensorError(Diagnostic("error", code, location, message, line, length))
