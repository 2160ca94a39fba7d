"""Values of options: what is a number, and what an error says."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable

import pytest

from polyloop.terminal.option_types import count, minutes, natural, seconds, share


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (count, "1", 1),
        (count, "007", 7),
        (natural, "0", 0),
        (natural, str(2**31), 2**31),
        (seconds, "0.5", 0.5),
        (seconds, "10s", 10.0),
        (seconds, "500ms", 0.5),
        (seconds, "2min", 120.0),
        (seconds, "2 m", 120.0),
        (seconds, "1.5h", 5400.0),
        (minutes, "1e-3", 1e-3),
        (minutes, "90s", 1.5),
        (minutes, "1h", 60.0),
        (share, "0", 0),
        (share, "1", 1),
    ],
)
def test_values(parse: Callable[[str], float], text: str, value: float) -> None:
    assert parse(text) == pytest.approx(value)


@pytest.mark.parametrize(
    ("parse", "words", "wrong"),
    [
        (count, "is not a positive whole number", ("0", "-1", "1.5", "x", "", "٣", "9" * 30)),
        (natural, "is not a whole number from 0 on", ("-1", "1.5", "x", "", "9" * 30)),
        (
            seconds,
            "is not a time, as in 10s, 500ms or 2min",
            ("0", "-1", "x", "nan", "inf", "1e999", "5d", "s"),
        ),
        (minutes, "is not a time, as in 10, 90s or 1h", ("0", "-1", "x", "nan", "inf")),
        (share, "is not a number from 0 to 1", ("-0.1", "1.1", "x", "nan")),
    ],
)
def test_errors(parse: Callable[[str], float], words: str, wrong: tuple[str, ...]) -> None:
    for text in wrong:
        with pytest.raises(ArgumentTypeError, match=f"^{text!r} {words}$"):
            parse(text)
