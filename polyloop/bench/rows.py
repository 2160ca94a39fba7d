"""The rows of a bench: one type for all suites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from math import isfinite
from typing import Any

from polyloop.backend.run.timing import Ratio

REPRODUCIBLE = "reproducible"
"""The contestant that is our own result with ``--reproducible``: its time over ours is what that costs."""


@dataclass(frozen=True)
class Check:
    """A result that was compared.

    Attributes:
        compared, different: elements.
        passed: None where the comparison is for information only: the result is not ours.
        against: whose result it was compared with; None: a reference in double precision.
        error: the largest difference, in units of what is tolerated.
        largest, tolerance: the largest difference, and what is tolerated, where that is one number.
    """

    result: str
    compared: int
    passed: bool | None
    against: str | None = None
    different: int | None = None
    error: float | None = None
    largest: float | None = None
    tolerance: float | None = None


@dataclass(frozen=True)
class Row:
    """What is known of one row.

    Attributes:
        row: its name.
        seconds: by contestant, medians.
        ratios: by contestant, its time over ours, with an interval of 95% confidence.
        rival: the contestant that counts: the fastest of those that do the same as ours; None if there is none.
        missing: contestants that could not take part, with reasons.
        failed: why there is nothing else, or None.
        kind: of a failure: "crash", "timeout", "memory", "error", or "refused" (a reason for people).
        facts: what else the suite says of a row. In the file these stand beside the others, and before them where
            both have a key.
    """

    row: str
    seconds: Mapping[str, float] = field(default_factory=dict)
    ratios: Mapping[str, Ratio] = field(default_factory=dict)
    rival: str | None = None
    checks: Sequence[Check] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    failed: str | None = None
    kind: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def verdicts(self) -> list[Check]:
        """The comparisons that count."""
        return [check for check in self.checks if check.passed is not None]

    @property
    def in_words(self) -> str:
        """Its ratios."""
        return ", ".join(f"{ratio.value:.2f} x {name}" for name, ratio in self.ratios.items())

    def verdict(self, passed: str = "equal") -> str:
        """Whose results were different; else how many were compared, and what they are."""
        wrong = [check.result for check in self.verdicts if not check.passed]
        return f"DIFFERENT: {', '.join(wrong)}" if wrong else f"{len(self.verdicts)} {passed}"

    def as_json(self) -> dict[str, Any]:
        """What the file has of it. Numbers that JSON does not have (NaN, infinities) become null."""
        known = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "facts"}
        if self.failed is None:
            del known["failed"], known["kind"]
            known["ratios"] = {name: asdict(ratio) for name, ratio in self.ratios.items()}
            known["checks"] = [asdict(check) for check in self.checks]
        else:
            known = {name: known[name] for name in ("row", "failed", "kind")}
        return {key: json_values(value) for key, value in {**known, **self.facts}.items()}

    @classmethod
    def of_json(cls, entry: Mapping[str, Any]) -> Row:
        """The inverse of `as_json`, where no fact has the name of an attribute.

        Raises:
            ValueError, TypeError, AttributeError: for what `as_json` has not made.
        """
        if not isinstance(entry.get("row"), str) or any(
            not isinstance(each, int | float | None) for each in entry.get("seconds", {}).values()
        ):
            raise ValueError("it has no name, or seconds that are none")
        known = {f.name: entry[f.name] for f in fields(cls) if f.name in entry}
        known["ratios"] = {name: Ratio(**ratio) for name, ratio in known.get("ratios", {}).items()}
        known["checks"] = tuple(Check(**check) for check in known.get("checks", ()))
        return cls(**known, facts={name: value for name, value in entry.items() if name not in known})


def json_values(value: Any) -> Any:
    """The value with null for numbers that JSON does not have."""
    match value:
        case float():
            return value if isfinite(value) else None
        case Mapping():
            return {key: json_values(each) for key, each in value.items()}
        case list() | tuple():
            return [json_values(each) for each in value]
    return value


def in_one_line(text: object) -> str:
    return str(text).partition("\n")[0]
