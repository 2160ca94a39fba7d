"""Products of complex numbers whose real part is no number, as LLVM functions of its own for each part.

As the compilers' __muldc3 and __mulsc3, which C has a rule for (C17 G.5.1): where neither part is a number though there
is an infinity among the operands, or among their products, these are multiplied as 1 with their signs, beside 0.
"""

from __future__ import annotations

from polyloop.backend.ir.expressions import PRODUCTS


class _Body:
    """Instructions on numbers of one type."""

    def __init__(self, type_: str) -> None:
        self.type = type_
        self.lines: list[str] = []

    def emit(self, text: str) -> str:
        self.lines.append(f"  %v{len(self.lines)} = {text}")
        return f"%v{len(self.lines) - 1}"

    def arithmetic(self, operator: str, left: str, right: str) -> str:
        return self.emit(f"f{operator} {self.type} {left}, {right}")

    def test(self, operator: str, left: str, right: str) -> str:
        return self.emit(f"fcmp {operator} {self.type} {left}, {right}")

    def pick(self, condition: str, then: str, otherwise: str) -> str:
        return self.emit(f"select i1 {condition}, {self.type} {then}, {self.type} {otherwise}")

    def some(self, *flags: str) -> str:
        found, *others = flags
        for flag in others:
            found = self.emit(f"or i1 {found}, {flag}")
        return found

    def is_infinite(self, value: str) -> str:
        return self.some(self.test("oeq", value, _INFINITY), self.test("oeq", value, _MINUS_INFINITY))

    def limited(self, number: tuple[str, str]) -> tuple[str, str, str]:
        """1 with its sign for what is infinite, and 0 for the other part, if any is; else 0 for what is no number. And
        whether any is infinite. Signs of zeros do not show in products with infinity."""
        each = [self.is_infinite(part) for part in number]
        infinite = self.some(*each)
        parts = []
        for part, alone in zip(number, each, strict=True):
            sign = self.pick(self.test("olt", part, "0.0"), "-1.0", "1.0")
            there = self.pick(alone, sign, "0.0")
            parts.append(self.pick(infinite, there, self.pick(self.test("ord", part, part), part, "0.0")))
        return parts[0], parts[1], infinite

    def parts(self, a: str, b: str, c: str, d: str) -> tuple[list[str], str, str]:
        """The four products, and what they come to."""
        pairs = (a, c), (b, d), (a, d), (b, c)
        products = [self.arithmetic("mul", *pair) for pair in pairs]
        return products, self.arithmetic("sub", *products[:2]), self.arithmetic("add", *products[2:])


_INFINITY, _MINUS_INFINITY = "0x7FF0000000000000", "0xFFF0000000000000"


def product_definition(function: str) -> str:
    """The function of a part (`polyloop.backend.ir.expressions.PRODUCTS`)."""
    body = _Body("float" if function.endswith("f") else "double")
    products, real, imaginary = body.parts("%a", "%b", "%c", "%d")
    a, b, first = body.limited(("%a", "%b"))
    c, d, second = body.limited(("%c", "%d"))
    infinite = body.some(first, second, *map(body.is_infinite, products))
    known = body.some(body.test("ord", real, real), body.test("ord", imaginary, imaginary))
    _, *again = body.parts(a, b, c, d)
    number = 0 if PRODUCTS[function] else 1
    plain = (real, imaginary)[number]
    large = body.arithmetic("mul", again[number], _INFINITY)
    result = body.pick(known, plain, body.pick(infinite, large, plain))
    parameters = ", ".join(f"{body.type} %{name}" for name in "abcd")
    lines = "\n".join([*body.lines, f"  ret {body.type} {result}"])
    return f"define internal {body.type} @{function}({parameters}) noinline cold nounwind {{\n{lines}\n}}\n"
