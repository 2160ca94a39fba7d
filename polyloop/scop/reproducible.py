"""What results depend on even where every sum has one order and every operation is rounded by itself.

IEEE 754 leaves no choice for + - * / and sqrt, nor for conversions: with one order of operations they give the same
bits on every processor and under every compiler. The functions of libm are rounded as its authors like, and compilers
may put their own in their places.
"""

from __future__ import annotations

from polyloop.arithmetic.math_functions import EXACT
from polyloop.backend.ir.expressions import Call, walk
from polyloop.scop.model import Scop

_NEVER = ("payloads of NaN", "C under clang -ffp-contract=fast")


def free_functions(scop: Scop) -> tuple[str, ...]:
    """Functions that the Scop calls and whose results are not given by their arguments alone, in the order of calls."""
    called = (node.function for s in scop.statements for node in walk(s.value) if isinstance(node, Call))
    return tuple(dict.fromkeys(name for name in called if name not in EXACT))


def not_covered(scop: Scop) -> list[str]:
    """What may still differ from one machine to another."""
    return [*_NEVER, *(f"{name}()" for name in free_functions(scop))]


def reproducible_words(scop: Scop) -> str:
    """What is promised, and what it does not hold for."""
    promise = "the same bits on every processor and under every compiler"
    return f"{promise}; not covered: {', '.join(not_covered(scop))}"
