"""Runs functions as gcc compiles them and as polyloop emits them, and compares what they leave in memory."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.model import Scop
from polyloop.transforms.base import with_kind

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

Libraries: TypeAlias = "tuple[ctypes.CDLL, ctypes.CDLL]"
"""Of the file as it is, and as it is emitted."""


def drivers(types: str, bodies: Mapping[str, tuple[str, str, str]]) -> str:
    """A C file with a function for each body (parameters, region, driver), and with drivers that call them on plain
    memory: n, x and y (2*n*n + 8*n + 8 doubles each), k (100 integers). A body without pragmas is a region."""
    parts = ["int fell_back;", types]
    for name, (signature, region, driver) in bodies.items():
        body = region if "#pragma" in region else f"#pragma scop\n  {region}\n#pragma endscop"
        parts.append(f"void {name}({signature})\n{{\n{body}\n}}\n")
        parts.append(f"void drive_{name}(int n, double *x, double *y, int *k)\n")
        parts.append(f"{{ (void)n, (void)x, (void)y, (void)k; {driver} }}\n")
    return "\n".join(parts)


def called(bodies: Mapping[str, tuple[str, str, str]]) -> str:
    """The same of functions that may return something (head, body, call), whose drivers keep that in y[n]; without
    pragmas."""
    parts = ["int fell_back;"]
    for name, (head, body, call) in bodies.items():
        parts.append(f"{head}\n{{ {body} }}\nvoid drive_{name}(int n, double *x, double *y, int *k)")
        parts.append(f"{{ (void)n, (void)x, (void)y, (void)k; y[n] = {call}; }}")
    return "\n".join(parts)


def in_lanes(scop: Scop) -> ScheduleTree:
    """The loops as they are, those innermost ones in lanes that may be."""
    tree, proofs = original_tree(scop), Proofs()
    for path, band in tree.bands():
        if not any(len(other) > len(path) and other[: len(path)] == path for other, _ in tree.bands()):
            lanes = with_kind(tree, path, len(band.members) - 1, LoopKind.VECTOR)
            tree = lanes if proofs.is_legal(scop, lanes) else tree
    return tree


def emitted_and_original(text: str, scops: Mapping[str, Scop], folder: Path) -> Libraries:
    """Both compiled without a warning; in the emitted file, original loops say that they run."""
    target = host_target()
    replacements = [Replacement(scop, plan(lower(scop, original_tree(scop)), target)) for scop in scops.values()]
    emitted = emit_c_file(text, replacements)
    emitted = re.sub(r"(  \} else \{|  if \(!\(.*\)\) \{)\n(?=  \w)", r"\1 fell_back = 1;\n", emitted)
    return compiled(folder / "original.c", text), compiled(folder / "emitted.c", emitted)


def compiled(path: Path, text: str) -> ctypes.CDLL:
    path.write_text(text)
    flags = ["-O2", "-march=native", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-ffp-contract=off"]
    command = ["gcc", *flags, "-shared", "-fPIC", str(path), "-o", str(path.with_suffix(".so")), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(path.with_suffix(".so")))


def sizes_that_fall_back(libraries: Libraries, name: str, sizes: Iterable[int]) -> set[int]:
    """The sizes at which the original loops run, after both files have left the same in memory at all sizes."""
    slow = set()
    for n in sizes:
        results = []
        for library in libraries:
            rng = np.random.default_rng(n)
            # Powers of two: fused or not, products of few of them are exact.
            x, y = np.exp2(np.floor(rng.uniform(2, 8, (2, 2 * n * n + 8 * n + 8))))
            k = rng.integers(0, 9, 100, dtype=np.int32)
            fell_back = ctypes.c_int.in_dll(library, "fell_back")
            fell_back.value = 0
            getattr(library, f"drive_{name}")(n, *(ctypes.c_void_p(v.ctypes.data) for v in (x, y, k)))
            results.append((x, y, k))
        slow |= {n} if fell_back.value else set()
        for theirs, ours in zip(*results, strict=True):
            np.testing.assert_array_equal(theirs, ours, err_msg=f"n = {n}")
    return slow
