"""What the explorer writes: the episode, which plays again, and the program as C."""

from __future__ import annotations

from pathlib import Path

from polyloop.backend.c.printer import c_source
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.envs.replay import Episode, version_here
from polyloop.explorer.opening import Subject
from polyloop.explorer.session import Session
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.terminal.errors import OutputError

EPISODE, C = ".episode.jsonl", ".c"
"""Endings of the files."""


def places(stem: str) -> tuple[Path, Path]:
    """(the episode's file, the C file) of a name.

    Raises:
        OutputError: if there is such a file already, or no such folder: nothing is overwritten.
    """
    if not stem.strip() or Path(stem).name in ("", ".", ".."):
        raise OutputError("a name is needed")
    found = Path(f"{stem.strip()}{EPISODE}"), Path(f"{stem.strip()}{C}")
    for path in found:
        if not path.parent.is_dir():
            raise OutputError(f"there is no folder {path.parent}; make it first")
        if path.exists():
            raise OutputError(f"{path} is there already; choose another name")
    return found


def free_stem(stem: str) -> str:
    """The name, with a number behind it where files of that name are there already."""
    names = (stem if number == 1 else f"{stem}-{number}" for number in range(1, 10_000))
    return next(name for name in names if not Path(f"{name}{EPISODE}").exists() and not Path(f"{name}{C}").exists())


def episode(subject: Subject, session: Session, evaluator: str, peak: float) -> Episode | None:
    """The way to the present program as an episode of Cursor-v0; None if nothing was done, or the environment cannot
    be told how to read the file."""
    trace = session.trace()
    if not trace or subject.arguments is None:
        return None
    start, now = (session.gflops(program) or 0.0 for program in (session.start.program, session.state.program))
    arguments = {**subject.arguments, "evaluator": evaluator, "length": len(trace)}
    state = [session.state.text, session.state.cursor]  # as JSON gives ``info["state"]`` back
    reward = (now - start) / peak if peak else 0.0
    return Episode("polyloop/Cursor-v0", arguments, {}, None, trace, reward, state, version_here())


def c_text(subject: Subject, session: Session, program: VectorProgram) -> bytes:
    """The program as C: the input file with the region replaced, or a file with the one function."""
    if subject.source is not None:
        text = emit_c_file(subject.source.file.text, [Replacement(subject.scop, program)])
        return subject.source.encode(text)
    lines = [subject.title, f"sizes: {subject.sizes}", *str(session.state.text).splitlines()]
    comment = "\n".join(f" * {line}" for line in lines if line).replace("*/", "* /")
    return f"/*\n{comment}\n */\n{c_source(program)}".encode()
