"""The environment variables that polyloop reads, all of them.

``POLYLOOP_CACHE``
    Directory for compiled objects and measurements. Default: ``$XDG_CACHE_HOME/polyloop`` or
    ``~/.cache/polyloop``, without a home ``$TMPDIR/polyloop-UID``.
``POLYLOOP_TARGET``
    Instruction set of generated code: ``avx512``, ``avx2``, ``sse`` or ``neon``, as far as the processor has it.
    Default: ``native``, the widest one.
``POLYLOOP_MACHINE``
    Whose figures choices go by: the name of a machine in ``data/machines``, a file that ``polyloop machine --json``
    wrote, or ``shipped`` for the nearest of the former. Default: ``polyloop optimize``, ``tune`` and ``bench`` measure
    this machine on first use; everything else takes ``shipped``.
``POLYLOOP_RECORDS``
    The file that keeps what searches have measured, so that ``optimize``, ``tune`` and ``compile`` try first what is
    known to be fast here; ``off`` for none. Default: ``records.sqlite`` in the directory above.
``POLYLOOP_THREADS``
    Threads that generated code runs with where no ``--threads`` is given. Default: 1.
``POLYLOOP_VERIFY``
    Any value but ``0`` has every schedule tree, loop nest and vector program verified between the passes that make it,
    as ``--debug`` has and polyloop's own tests have. Default: nothing is verified, which costs nothing.
``NO_COLOR``
    Any non-empty value turns colours on the terminal off (no-color.org).

They are read when they are asked for, not on import, so that tests and embedding programs can set them at any
time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from polyloop.backend.errors import SettingError

SHIPPED_MACHINE = "shipped"
"""As ``POLYLOOP_MACHINE``: the nearest shipped description, and nothing is measured."""


def cache_directory() -> Path:
    """Where compiled objects and measurements are kept between runs; it may not exist yet.

    ``POLYLOOP_CACHE`` where it is set, else ``$XDG_CACHE_HOME/polyloop``, else ``~/.cache/polyloop``. As the
    XDG base directory specification asks, empty values count as unset and a relative ``XDG_CACHE_HOME`` is
    ignored. Users whom the system does not know, as containers have them, and who have no ``HOME`` either, have a
    folder of their own among temporary files.
    """
    if chosen := os.environ.get("POLYLOOP_CACHE"):
        return Path(os.path.expanduser(chosen)).absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    base = base if os.path.isabs(base) else os.path.expanduser("~/.cache")
    if os.path.isabs(base):
        return Path(base, "polyloop")
    return Path(os.environ.get("TMPDIR") or "/tmp", f"polyloop-{os.getuid()}").absolute()


def records_file() -> Path | None:
    """The file of ``POLYLOOP_RECORDS``; None where nothing is to be remembered."""
    chosen = os.environ.get("POLYLOOP_RECORDS", "").strip()
    if chosen == "off":
        return None
    return Path(os.path.expanduser(chosen)).absolute() if chosen else cache_directory() / "records.sqlite"


def chosen_target() -> str:
    """Which instruction set generated code uses: ``POLYLOOP_TARGET``, a name of
    `backend.machine.target.INSTRUCTION_SETS`; or "native", the widest one of this machine."""
    return os.environ.get("POLYLOOP_TARGET", "").strip().lower() or "native"


def chosen_machine() -> str | None:
    """Whose figures choices go by: ``POLYLOOP_MACHINE``, the name of a shipped description or a file with one; None for
    the nearest to this machine."""
    return None if (name := _machine()) in ("", SHIPPED_MACHINE) else name


def has_chosen_machine() -> bool:
    """Whether anybody has said whose figures count."""
    return bool(_machine())


def _machine() -> str:
    return os.environ.get("POLYLOOP_MACHINE", "").strip()


@contextmanager
def restored(*variables: str) -> Iterator[None]:
    """What becomes of these environment variables inside ends with it."""
    before = {name: os.environ.get(name) for name in variables}
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def verifies() -> bool:
    """Whether trees, nests and programs are verified between passes (``POLYLOOP_VERIFY``)."""
    return os.environ.get("POLYLOOP_VERIFY", "") not in ("", "0")


def default_threads() -> int:
    """The number of threads that ``POLYLOOP_THREADS`` asks for, 1 where it is unset or empty.

    Raises:
        SettingError: if the value is not a positive integer.
    """
    text = os.environ.get("POLYLOOP_THREADS", "").strip() or "1"
    if not (text.isascii() and text.isdigit() and int(text) >= 1):
        raise SettingError(
            f"the environment variable POLYLOOP_THREADS is {text!r}, which is not a number of threads; "
            "set it to a positive integer, or unset it for one thread"
        )
    return int(text)


def use_color() -> bool:
    """Whether output to a terminal may be coloured."""
    return not os.environ.get("NO_COLOR")
