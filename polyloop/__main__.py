"""`python -m polyloop` is the command `polyloop`."""

from __future__ import annotations

import sys
import time

_BEGAN = time.monotonic() - time.process_time()
"""When this process did: loading what follows is part of what a command takes, and takes long beside others."""


def main() -> int:
    """The command line; the compiler driver, which builds call for every file, without what all else needs."""
    if sys.argv[1:2] == ["cc"]:
        from polyloop.cli.cc import main as compile_

        return compile_(sys.argv[2:])
    from polyloop.cli.main import main as command

    return command(began=_BEGAN)


if __name__ == "__main__":
    sys.exit(main())
