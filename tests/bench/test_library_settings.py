"""Which kernels libraries take: settings for an instruction set, their environment, the choice of the fastest."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

import pytest

from polyloop.backend.machine.target import INSTRUCTION_SETS, shown_target
from polyloop.backend.run.timing import Ratio
from polyloop.bench import library_settings, library_suite
from polyloop.bench.blas import MissingContestantError
from polyloop.bench.contest import Contest, at_best
from polyloop.bench.library_settings import (
    LIBRARIES,
    Chosen,
    Library,
    held_back,
    kernels_of,
    library_of,
    loading,
    variables,
)
from polyloop.bench.library_suite import LibraryBench
from polyloop.bench.rows import Check, Row

SETTINGS = {"avx512": ("FAKE=wide", "FAKE=same"), "avx2": ("FAKE=broken", "FAKE=half"), "sse": ("FAKE=narrow OTHER=1",)}


def fake(kernels: str | None = None, contestants: tuple[str, ...] = ("fake", "fake two")) -> Library:
    return Library(contestants, SETTINGS, lambda: True, lambda: kernels)


@pytest.fixture
def avx2(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has AVX2 and nothing wider, wherever this runs."""
    on_target(monkeypatch, "native", "avx2")


def on_target(monkeypatch: pytest.MonkeyPatch, chosen: str, widest: str) -> None:
    target = shown_target(widest)
    monkeypatch.setattr(library_settings, "chosen_target", lambda: chosen)
    monkeypatch.setattr(library_settings, "host_target", lambda: target)


@pytest.mark.parametrize(
    ("chosen", "widest", "expected"),
    [
        ("native", "avx512", ("", "FAKE=wide", "FAKE=same", "FAKE=broken", "FAKE=half")),
        ("native", "avx2", ("", "FAKE=broken", "FAKE=half", "FAKE=narrow OTHER=1")),
        ("avx512", "avx512", ("FAKE=wide", "FAKE=same")),
        ("avx2", "avx2", ("FAKE=broken", "FAKE=half")),
        ("sse", "sse", ("FAKE=narrow OTHER=1",)),
    ],
)
def test_candidates_are_of_our_instruction_set(
    chosen: str, widest: str, expected: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_target(monkeypatch, chosen, widest)
    assert fake().candidates() == expected


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.contestants[0])
def test_every_library_has_settings_for_every_set_of_x86(library: Library) -> None:
    assert library.settings.keys() >= {"avx512", "avx2", "sse"}
    assert library.settings.keys() <= INSTRUCTION_SETS.own.keys()
    for settings in library.settings.values():
        assert settings
        assert {tuple(variables(setting)) for setting in settings} == {library.variables}
    for name in library.contestants:
        assert library_of(name) is library


def test_what_the_caller_has_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fake().given == ""
    monkeypatch.setenv("OTHER", "2")
    assert fake().given == "OTHER=2"


def test_the_environment_is_that_of_one_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_settings, "LIBRARIES", (fake(),))
    monkeypatch.setenv("FAKE", "before")
    monkeypatch.delenv("OTHER", raising=False)

    def now() -> tuple[str | None, str | None]:
        return os.environ.get("FAKE"), os.environ.get("OTHER")

    with loading("fake two", "FAKE=narrow OTHER=1"):
        assert now() == ("narrow", "1")
    assert now() == ("before", None)
    with loading("fake", ""):
        assert now() == (None, None)
    for contestant, setting in (("fake", None), ("unknown", "FAKE=half")):
        with loading(contestant, setting):
            assert now() == ("before", None)
    with pytest.raises(ZeroDivisionError), loading("fake", "FAKE=half"):
        raise ZeroDivisionError
    assert now() == ("before", None)


@pytest.mark.usefixtures("avx2")
def test_kernels_that_are_wider_than_our_code(monkeypatch: pytest.MonkeyPatch) -> None:
    known = [fake("Wide", ("w",)), fake("half", ("h",)), fake("other", ("o",)), fake(None, ("n",))]
    monkeypatch.setattr(library_settings, "LIBRARIES", tuple(known))
    assert kernels_of("w") == "Wide"
    with pytest.raises(MissingContestantError, match=r"^w takes avx512 kernels \(Wide\); our code is avx2$"):
        kernels_of("w", narrow=True)
    assert [kernels_of(name, narrow=True) for name in ("h", "o", "n", "unknown")] == ["half", "other", None, None]

    contest = Contest(1, "float32")
    for name in ("w", "h"):
        with contest.entering(name, {"w": "FAKE=half"}):
            contest.python[name] = contest.python[f"{name}, blocked"] = lambda: None
    assert contest.missing == {"w": "w takes avx512 kernels (Wide); our code is avx2"}
    assert list(contest.python) == ["h", "h, blocked"]
    assert contest.kernels == {"h": "half"}


def test_the_fastest_settings_are_chosen() -> None:
    found = Chosen.of(
        {"": {"a": 3.0, "b": 3.0}, "A=1": "it crashed", "A=2": {"a": 1.5, "b": 1.5}, "A=3": {"a": 9.0, "b": 1.4}}
    )
    assert found.settings == ("A=2", "A=3")
    assert found.ratios == pytest.approx({"": 3.0, "A=2": 1.5, "A=3": 12.6**0.5})
    assert found.refused == {"A=1": "it crashed"}
    assert str(found) == "A=2, 2.00 x as fast as it comes; or A=3"
    hardly = Chosen.of({"": {"a": 1.0, "b": 1.0}, "A=2": {"a": 0.96, "b": 1.5}})
    assert hardly.settings == ("",)
    assert str(hardly) == "as it comes"
    nothing = Chosen.of({"A=1": "it crashed", "A=2": "it is too wide"})
    assert (nothing.settings, nothing.ratios) == (("A=1",), {})
    assert str(nothing) == "no setting works; it crashed"
    assert str(Chosen(("A=1",))) == "A=1"


def made(seconds: dict[str, float], missing: dict[str, str], settings: dict[str, str]) -> Row:
    """A row in which the ratio of every contestant is its seconds."""
    ratios = {name: Ratio(value, value, value) for name, value in seconds.items() if name != "ours"}
    rival = min(ratios, key=lambda name: ratios[name].value)
    kernels = {name: f"{name} {value}" for name, value in seconds.items()}
    facts = {"settings": settings, "kernels": kernels, "flops": 1}
    checks = (Check("ours", 1, True),)
    return Row("x", seconds, {**ratios, "best": ratios[rival]}, rival, checks, missing, facts=facts)


def test_a_row_with_every_contestant_at_its_best() -> None:
    first = made({"ours": 1.0, "a": 2.0, "b": 3.0, "c": 4.0}, {"d": "gone", "e": "gone"}, {"a": "A=1", "b": "B=1"})
    other = made({"ours": 1.1, "a": 2.5, "b": 1.5, "d": 5.0}, {"c": "gone"}, {"a": "A=2", "d": "D=2"})
    found = at_best(first, other)
    assert found.seconds == {"ours": 1.0, "a": 2.0, "b": 1.5, "c": 4.0, "d": 5.0}
    values = {name: ratio.value for name, ratio in found.ratios.items()}
    assert values == {"a": 2.0, "b": 1.5, "c": 4.0, "best": 1.5, "d": 5.0}
    assert found.rival == "b"
    assert found.missing == {"e": "gone"}
    assert found.facts["settings"] == {"a": "A=1", "d": "D=2"}
    assert found.facts["kernels"] == {"ours": "ours 1.0", "a": "a 2.0", "b": "b 1.5", "c": "c 4.0", "d": "d 5.0"}
    assert (found.facts["flops"], len(found.checks)) == (1, 2)
    worse = at_best(first, made({"ours": 1.0, "a": 9.0}, {}, {}))
    assert (worse.ratios, worse.rival) == (first.ratios, "a")


# --- a suite ----------------------------------------------------------------------------------------------------------

SUITE = """
import os
from dataclasses import dataclass, field
from polyloop.backend.run.timing import Ratio
from polyloop.bench.rows import Row

@dataclass(frozen=True)
class Job:
    against: tuple
    rounds: int | None = None
    settings: dict = field(default_factory=dict)

SECONDS = {None: 4.0, "wide": 2.0, "half": 1.0, "same": 0.1}

def measure(name, job):
    setting = os.environ.get("FAKE")
    if setting == "broken":
        os.abort()
    if "fake" not in job.against:
        return Row(name)
    seconds = 0.5 if (name, setting) == ("b", "wide") else SECONDS[setting]
    ratio = Ratio(seconds, seconds, seconds)
    facts = {"peak_fraction": 0.5, "compile_seconds": 0.0, "without_calling": {}, "rounds": job.rounds}
    facts |= {"job": dict(job.settings), "kernels": {"fake": "wide" if setting == "same" else str(setting)}}
    return Row(name, {}, {"fake": ratio, "best": ratio}, "fake", facts=facts)
"""


def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LibraryBench:
    (folder := tmp_path / "suite").mkdir()
    (folder / "fake_suite.py").write_text(SUITE)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "fake_suite", raising=False)
    on_target(monkeypatch, "native", "avx512")
    for module in (library_settings, library_suite):
        monkeypatch.setattr(module, "LIBRARIES", (fake(),))
    jobs = {name: import_module("fake_suite").Job(("fake",)) for name in ("a", "b", "c")}
    return LibraryBench(jobs, "fake_suite:measure", {"against": ["fake"]}, "float32")


def run(suite: LibraryBench) -> tuple[list[str | None], list[Row]]:
    try:
        return [step() for _, step in suite.steps()], list(suite.rows())
    finally:
        suite.close()


def test_rows_are_measured_with_the_fastest_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = bench(tmp_path, monkeypatch)
    said, rows = run(suite)
    assert said[0] == "fake: FAKE=half, 4.00 x as fast as it comes; or FAKE=wide"
    assert {row.row: (row.ratios["fake"].value, row.facts["settings"]) for row in rows} == {
        "a": (1.0, {"fake": "FAKE=half"}),
        "b": (0.5, {"fake": "FAKE=wide"}),
        "c": (1.0, {"fake": "FAKE=half"}),
    }
    assert [(row.ratios["best"], row.facts["rounds"]) for row in rows] == [(row.ratios["fake"], None) for row in rows]
    found = suite.summary(rows)["settings"]["fake"]
    assert found["settings"] == ("FAKE=half", "FAKE=wide")
    assert found["ratios"] == pytest.approx({"": 4.0, "FAKE=wide": 2.0 ** (1 / 3), "FAKE=half": 1.0})
    assert found["refused"].keys() == {"FAKE=broken", "FAKE=same"}
    assert found["refused"]["FAKE=same"] == "its kernels are those of FAKE=wide (wide)"
    assert "crashed its worker: SIGABRT" in found["refused"]["FAKE=broken"]
    assert os.environ.get("FAKE") is None


def test_a_setting_of_the_callers_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE", "wide")
    suite = bench(tmp_path, monkeypatch)
    said, rows = run(suite)
    assert len(said) == len(rows) == 3
    assert [(row.ratios["fake"].value, row.facts["job"]) for row in rows] == [(2.0, {}), (0.5, {}), (2.0, {})]
    assert suite.summary(rows)["settings"] == {"fake": {"settings": ("FAKE=wide",), "ratios": {}, "refused": {}}}


@pytest.mark.parametrize(("widest", "value", "said"), [("avx512", "half", True), ("avx512", "wide", False)])
def test_narrow_kernels_that_the_caller_asks_for_are_said(
    widest: str, value: str, said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_settings, "LIBRARIES", (fake(),))
    on_target(monkeypatch, "native", widest)
    assert held_back(("fake", "other")) == []
    monkeypatch.setenv("FAKE", value)
    lines = held_back(("fake", "other"))
    assert len(lines) == said
    assert all("asks for avx2 kernels (FAKE=half), our code is avx512" in line for line in lines)
    assert held_back(("other",)) == []
