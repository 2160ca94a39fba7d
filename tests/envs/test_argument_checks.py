"""Arguments of a wrong kind are named: by the checks themselves, and by every environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, runtime_checkable

import gymnasium
import numpy as np
import pytest

from polyloop.envs.argument_checks import check_arguments, check_least, check_value
from polyloop.envs.problems import EnvironmentArgumentError
from polyloop.errors import PolyloopError

Colour = Literal["red", "blue"]


@runtime_checkable
class Judge(Protocol):
    def judge(self) -> int: ...


class Fair:
    def judge(self) -> int:
        return 1


@pytest.mark.parametrize(
    ("kind", "good", "bad", "words"),
    [
        (int, [3, -1, np.int64(4)], [2.5, "3", True, None, np.float32(1)], "a whole number"),
        (float, [3, 2.5, np.float32(1)], ["3", True, None], "a number"),
        (bool, [True, False], [1, "True", None], "True or False"),
        (str, ["", "a"], [1, b"a", None], "text"),
        (int | None, [3, None], ["3", 2.5], "a whole number or None"),
        (Sequence[int], [[], (1, 2), [np.int32(3)]], [3, "12", [1, "2"], {1: 2}, None], "a list of whole numbers"),
        (Sequence[str | int] | None, [None, ["a", 1]], ["ab", [1.5]], "a list of text or whole numbers or None"),
        (Mapping[str, int], [{}, {"n": 3}], [{"n": "3"}, {3: 3}, ["n"], None], "a mapping of text to whole numbers"),
        (Mapping[str, Any], [{"n": None}], [{3: 3}, 5], "a mapping of text to anything"),
        (Judge, [Fair()], [3, None], "an object like Judge"),
        (Any, [None, 3], [], ""),
    ],
)
def test_values_fit_annotations(kind: Any, good: list[object], bad: list[object], words: str) -> None:
    for value in good:
        check_value("x", value, kind)
    for value in bad:
        with pytest.raises(EnvironmentArgumentError) as refused:
            check_value("x", value, kind)
        assert str(refused.value) == f"x={value!r}: it has to be {words}"


@pytest.mark.parametrize("value", ["green", 3, None, ["red"]])
def test_choices_are_named(value: object) -> None:
    check_value("colour", "red", Colour)
    with pytest.raises(EnvironmentArgumentError) as refused:
        check_value("colour", value, Colour)
    assert str(refused.value) == f"colour={value!r}: there are 'red', 'blue'"


def test_a_function_says_what_it_takes() -> None:
    def paint(colour: Colour, layers: int = 1, *, thin: bool = False, note=None, **others: str) -> None:  # type: ignore[no-untyped-def]
        """Never called."""

    check_arguments(paint, {"colour": "blue", "layers": 2, "note": 3, "unknown": object()})
    with pytest.raises(EnvironmentArgumentError, match=r"^layers='two': it has to be a whole number$"):
        check_arguments(paint, {"colour": "blue", "layers": "two"})


def test_numbers_have_a_least() -> None:
    check_least(1, rows=1, layers=5)
    with pytest.raises(EnvironmentArgumentError, match=r"^layers=0: it has to be 1 at least$"):
        check_least(1, rows=1, layers=0)


OF_ALL: list[dict[str, Any]] = [
    {"kernel": 3},
    {"sizes": 5},
    {"sizes": {"ni": 4.5, "nj": 4, "nk": 4}},
    {"evaluator": 5},
    {"observation": 3},
    {"reward": ["speedup"]},
    {"graph_size": 5},
]
OF_SCHEDULES: list[dict[str, Any]] = [
    *OF_ALL,
    {"max_dimensions": 0},
    {"max_dimensions": "ten"},
    {"dependence_order": "S0->S1"},
    {"context": 5},
    {"context": "[n] -> { : n > 3 }"},
    {"context": "[ni] -> { [i] : i > 3 }"},
    {"granularity": "nest"},
    {"complete": "yes"},
    {"parameter_coefficients": 1},
    {"post_processing": "full"},
]
OF_CURSORS: list[dict[str, Any]] = [
    *OF_ALL,
    {"length": 0},
    {"length": 2.5},
    {"splits": 7},
    {"splits": "48"},
    {"flags": "vectorize"},
    {"rows": 2.5},
    {"compat": 3},
    {"workload": 5},
    {"workload": {"einsum": "mk,kn->mn", "sizes": {"m": "a", "k": 4, "n": 4}}},
    {"logarithmic": "no"},
    {"reassociate": "no"},
]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *((name, arguments) for name in ("Construct", "Explore", "Schedule") for arguments in OF_SCHEDULES),
        ("Construct", {"max_empty": -1}),
        ("Explore", {"max_coefficient": 0}),
        ("Explore", {"construction": 3}),
        ("Schedule", {"max_empty": 1.5}),
        *(("Cursor", arguments) for arguments in OF_CURSORS),
    ],
)
def test_every_environment_names_what_does_not_fit(name: str, arguments: dict[str, Any]) -> None:
    given = {"evaluator": "model"} | arguments
    if name == "Cursor" and "sizes" in arguments:
        given["kernel"] = "gemm"
    culprit = "sizes" if isinstance(arguments.get("workload"), dict) else next(iter(arguments))
    with pytest.raises(PolyloopError, match=f"^{culprit}="):
        gymnasium.make(f"polyloop/{name}-v0", **given)


@pytest.mark.parametrize("name", ["Construct-v0", "Schedule-v0", "Schedule-v1"])
def test_too_few_dimensions_are_named(name: str) -> None:
    with pytest.raises(PolyloopError, match="schedules need 2 dimensions, more than 1"):
        gymnasium.make(f"polyloop/{name}", kernel="3mm", evaluator="model", max_dimensions=1)


@pytest.mark.parametrize(
    ("name", "options", "culprit"),
    [
        ("Schedule", {"kernel": 5}, "kernel=5"),
        ("Cursor", {"workload": 5}, "workload=5"),
        ("Cursor", {"kernel": 5}, "kernel=5"),
        ("Cursor", {"kernel": "gemm", "sizes": {"ni": "x"}}, "sizes="),
        ("Schedule", "gemm", "options='gemm'"),
        ("Cursor", "gemm", "options='gemm'"),
        ("Cursor", {"workload": {"einsum": "->", "sizes": {}}}, "workload='->' has no loops"),
    ],
)
def test_options_of_a_reset_are_checked(name: str, options: Any, culprit: str) -> None:
    environment = gymnasium.make(f"polyloop/{name}-v0", evaluator="model")
    with pytest.raises(PolyloopError, match=f"^{culprit}"):
        environment.reset(options=options)
