"""The machine that a benchmark ran on."""

from __future__ import annotations

import os
import platform
import re
from typing import Any

from polyloop.bench.toolchain import Compiler, processor


def describe_machine(compilers: dict[str, Compiler], peak_gflops: float | None = None) -> dict[str, Any]:
    """The "machine" of a benchmark's JSON file."""
    model = re.search(r"^model name\s*:\s*(.+)$", processor(), re.MULTILINE)
    return {
        "cpu": model[1] if model else platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "compilers": {name: compiler.version for name, compiler in compilers.items()},
        "peak_gflops": peak_gflops,
    }
