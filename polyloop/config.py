"""The environment variables that polyloop reads, all of them.

``POLYLOOP_CACHE``
    Directory for compiled objects and measurements. Default: ``$XDG_CACHE_HOME/polyloop`` or
    ``~/.cache/polyloop``.
``POLYLOOP_TARGET``
    Instruction set of generated code: ``avx512``, ``avx2``, ``sse`` or ``neon``, as far as the processor has it.
    Default: ``native``, the widest one.
``POLYLOOP_MACHINE``
    Whose figures choices go by: the name of a machine in ``data/machines``, a file that ``polyloop machine --json``
    wrote, or ``shipped`` for the nearest of the former. Default: ``polyloop optimize``, ``tune`` and ``bench`` measure
    this machine on first use; everything else takes ``shipped``.
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

from polyloop.backend.config import cache_directory, chosen_target, verifies
from polyloop.errors import PolyloopError

__all__ = ["cache_directory", "chosen_target", "default_threads", "use_color", "verifies"]


def default_threads() -> int:
    """The number of threads that ``POLYLOOP_THREADS`` asks for, 1 where it is unset or empty.

    Raises:
        PolyloopError: if the value is not a positive integer.
    """
    text = os.environ.get("POLYLOOP_THREADS", "").strip() or "1"
    if not (text.isascii() and text.isdigit() and int(text) >= 1):
        raise PolyloopError(
            f"the environment variable POLYLOOP_THREADS is {text!r}, which is not a number of threads; "
            "set it to a positive integer, or unset it for one thread"
        )
    return int(text)


def use_color() -> bool:
    """Whether output to a terminal may be coloured."""
    return not os.environ.get("NO_COLOR")
