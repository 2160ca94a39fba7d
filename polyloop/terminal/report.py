"""What an optimization did, for people: one block of lines for each scop, with nothing in it that was not measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from polyloop.measure.measurement import Check, Measurement
from polyloop.measure.result import Result
from polyloop.schedules.legality import Proof
from polyloop.scop.model import Scop
from polyloop.terminal.words import words

_INDENT, _COLUMN = "  ", 16
_LONG = 80


@dataclass(frozen=True)
class Outcome:
    """What became of one scop: a result, or the reason why it was left as it is.

    Attributes:
        interrupted: there would have been more time.
    """

    scop: Scop
    result: Result | None
    reason: str = ""
    interrupted: bool = False

    @property
    def is_changed(self) -> bool:
        return self.result is not None and not self.result.is_original

    @property
    def place(self) -> str:
        """``file:line`` of the text behind ``#pragma scop``, without one the scop's name alone."""
        source = self.scop.source
        return f"{source.path}:{source.text.count(chr(10), 0, source.begin) + 1}" if source else "polyloop"

    def remark(self) -> str:
        """One line for a scop without a result, as the front end says it for regions that it cannot take."""
        return f"{self.place}: remark: {self.scop.name} is left as it is: {self.reason}"


def block(outcome: Outcome, verbose: bool = False) -> str:
    """The report of one scop; with `verbose` every candidate that was tried."""
    result = outcome.result
    if result is None:
        return outcome.remark()
    lines = [f"{outcome.place}: {outcome.scop.name}: {_headline(result)}"]
    lines += [f"{_INDENT}{topic:<{_COLUMN}}{_folded(text)}" for topic, text in _rows(result)]
    if verbose:
        lines.append(f"{_INDENT}measured")
        lines += [f"{_INDENT * 2}{_fate(measured)}" for measured in result.measurements]
    return "\n".join(lines)


def _folded(text: str) -> str:
    """What is long gets a line for each part, so that one sees which statement is meant."""
    return text if len(text) <= _LONG else text.replace("; ", ";\n" + " " * (len(_INDENT) + _COLUMN))


def _headline(result: Result) -> str:
    tried = len(result.measurements)
    if result.is_original and tried == 1:
        return "nothing but the original loops could be tried; left as they are"
    if result.is_original:
        return f"the original loops are the fastest of {tried} that were tried; left as they are"
    return f"{result.speedup:.2f} times as fast as before, the best of {tried} that were tried"


def _rows(result: Result) -> Iterator[tuple[str, str]]:
    told = words(result.scop, result.best)
    if not result.is_original and "vector loop" not in told:
        told["vector loop"] = "none" if result.best.explicit else "left to the compiler"
    yield from told.items()
    yield "time", _times(result)
    yield "proof", _proof(result.proof)
    yield "check", check_text(result.check)
    yield from (("assumed", text) for text in result.assumed)
    sizes = ", ".join(f"{name}={value}" for name, value in result.sizes.items())
    yield "sizes", f"{sizes} ({result.sizes_from})" if sizes else result.sizes_from


def _proof(proof: Proof) -> str:
    if proof.dependences == 0:
        kept = "no dependences to keep"
    else:
        kept = f"{proof.dependences} dependence{'s' if proof.dependences > 1 else ''} checked, all kept"
    return "; ".join((kept, *proof.freedom))


def _times(result: Result) -> str:
    if result.is_original:
        return f"{seconds_text(result.baseline.median)} ({_runs(result.baseline)})"
    before, after = seconds_text(result.baseline.median), seconds_text(result.timing.median)
    return f"{before} before, {after} after ({_runs(result.timing)})"


def _runs(timing: Measurement) -> str:
    return f"median of {timing.runs} runs" if timing.runs > 1 else "one run"


def check_text(check: Check) -> str:
    """How the results compare with the original's."""
    compared = f"{check.compared} element{'s' if check.compared != 1 else ''} compared"
    if check.rounding is not None:
        fused = f"the roundings differ from those of fused multiply-adds by {check.rounding:.1e} at most"
        return f"{check_text(replace(check, rounding=None))}, with the original loops rounded the same way; {fused}"
    if check.different == 0:
        return f"{compared}, all bit-equal"
    within = "within" if check.passed else "beyond"
    return (
        f"{compared}, {check.different} differ, by {check.largest:.1e} at most: "
        f"{within} the tolerance of {check.tolerance:.1e}"
    )


def _fate(measured: Measurement) -> str:
    return f"{measured.name}: {seconds_text(measured.median) if measured.ran else measured.error}"


def seconds_text(seconds: float) -> str:
    """Three significant digits in a unit that suits them."""
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
