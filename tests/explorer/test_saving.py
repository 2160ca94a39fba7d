"""Saved episodes play again, and saved C compiles."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import polyloop.envs
from polyloop.envs.replay import Episode, replay
from polyloop.explorer.meter import ModelMeter
from polyloop.explorer.opening import Subject
from polyloop.explorer.saving import c_text, episode, free_stem, places
from polyloop.explorer.session import Session
from polyloop.terminal.errors import OutputError

polyloop.envs.register()
Act = Callable[..., Session]
Open = Callable[..., Subject]


def saved(subject: Subject, session: Session) -> Episode | None:
    """The episode of a session whose ends the model has measured."""
    meter = ModelMeter(subject.process.problem)
    for program in (session.start.program, session.state.program):
        session.measured(program, meter.measure(program))
    return episode(subject, session, "model", meter.peak())


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("MM-64",), ("split_4", "down", "swap_down", "up")),
        (("MM-64", "--compat", "looptune"), ("split_4", "down", "swap_down", "down", "split_16")),
        (("gemm", "--dataset", "MINI"), ("swap_down", "down", "unroll", "up")),
        (("mk,kn->mn", "m=32", "k=16", "n=8"), ("down", "split_4", "down")),
        (("scale.c", "n=40"), ("split_8", "down", "swap_down")),
    ],
)
def test_an_episode_plays_again(
    opened: Open, act: Act, scale: Path, arguments: tuple[str, ...], names: tuple[str, ...]
) -> None:
    subject = opened(*arguments)
    session = act(Session(subject.process), *names)
    found = saved(subject, session)
    assert found is not None
    again = replay(Episode.from_json(found.to_json()))
    assert again.compared
    assert again.info["state"] == (session.state.text, session.state.cursor)


def test_without_a_change_there_is_no_episode(product: Subject) -> None:
    assert saved(product, Session(product.process)) is None


def test_a_file_that_needs_options_has_no_episode(opened: Open, act: Act, scale: Path) -> None:
    subject = opened("scale.c", "n=40", "-D", "X")
    assert saved(subject, act(Session(subject.process), "split_8")) is None


def test_a_c_file_keeps_its_text_around_the_region(opened: Open, act: Act, scale: Path) -> None:
    subject = opened("scale.c", "n=40")
    session = act(Session(subject.process), "down", "vectorize")
    text = c_text(subject, session, ModelMeter(subject.process.problem).planned(session.state.program)).decode()
    assert text.startswith("/* scale */\n")
    assert "#pragma scop" in text
    assert compiles(text)


def test_a_tensor_program_is_a_c_function(product: Subject, act: Act) -> None:
    session = act(Session(product.process), "split_4")
    text = c_text(product, session, ModelMeter(product.process.problem).planned(session.state.program)).decode()
    assert text.startswith("/*\n * C[m, n] += A[m, k] * B[k, n]\n * sizes: m=32 n=16 k=24\n * m 8\n")
    assert "void tensor(" in text
    assert compiles(text)


def compiles(text: str) -> bool:
    compiler = shutil.which("cc") or shutil.which("clang") or pytest.skip("there is no C compiler")
    command = [compiler, "-x", "c", "-fsyntax-only", "-Werror", "-Wno-unknown-pragmas", "-"]
    return subprocess.run(command, input=text.encode(), timeout=60).returncode == 0


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    assert free_stem("gemm") == "gemm"
    Path("gemm.c").write_text("mine")
    assert free_stem("gemm") == "gemm-2"
    with pytest.raises(OutputError, match=r"^gemm\.c is there already; choose another name$"):
        places("gemm")
    with pytest.raises(OutputError, match="there is no folder nowhere; make it first"):
        places("nowhere/gemm")
    with pytest.raises(OutputError, match="a name is needed"):
        places(" ")
    assert places("other") == (Path("other.episode.jsonl"), Path("other.c"))
