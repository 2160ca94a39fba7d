"""Loops that lanes have a form of their own for, in several types: what is written computes what gcc makes of the file.

Steps of two and three, elements between others, loops unrolled by hand, elements one behind the other, sums of rows.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan
from polyloop.frontend import read_source
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.shaped import ShapedTree, with_first_shapes
from polyloop.shaping.variants import straightened

BODIES = """
for (int i = 1; i < n; i += 2) a[i] = a[i - 1] + b[i];
for (int i = 0; i < n / 3; i++) { a[3 * i] = b[3 * i + 2]; a[3 * i + 1] = b[3 * i]; a[3 * i + 2] = b[3 * i + 1]; }
for (int i = 0; i < n / 4; i++) a[i] = b[4 * i] + b[4 * i + 1] + b[4 * i + 2] + b[4 * i + 3];
for (int i = 0; i < n / 2; i++) { T t = b[2 * i]; a[2 * i] = t - b[2 * i + 1]; a[2 * i + 1] = t + b[2 * i + 1]; }
for (int i = 0; i < n / 2; i++) { a[i] = b[2 * i] - c[i]; b[2 * i] = a[i] + c[i]; }
for (int i = 0; i + 2 < n; i += 3) { a[i] = b[i] * 2; a[i + 1] = b[i + 1] * 2; a[i + 2] = b[i + 2] * 2; }
int k = 0; for (int i = 0; i < n; i++) if (b[i] > c[i]) { a[k] = b[i]; k++; } a[n - 1] = k;
int k = -1; for (int i = 0; i < n; i++) if (b[i] > c[i]) { k++; a[i] = c[k]; }
for (int j = 0; j < n / 2; j++) for (int i = 0; i < n / 2; i++) a[i] += b[i + j] * c[j];
for (int i = 0; i < n; i += 3) if (b[i] > c[i]) a[i] = c[i];
int s = 3; for (int i = 0; i < n; i++) { s += b[i]; a[i] = s; } c[0] = s;
int m = 0; for (int i = 0; i < n; i++) { c[i] = m; if (b[i] > m) m = b[i]; a[i] = m; }
for (int i = 1; i < n; i++) a[i] = a[i - 1] + b[i];
for (int i = 0; i < n; i++) { int s = 0; for (int j = 0; j < n; j++) { s += b[j]; a[j] += s; } }
int s = 0, t = 0; for (int i = 0; i < n; i++) { s += b[i] == 3; t += s; } a[0] = s; a[1] = t;
int s = 0; for (int i = 0; i < n; i++) s += b[i] > c[i] ? b[i] - c[i] : c[i] - b[i]; a[0] = s;
int s = 0; for (int i = 0; i < n; i++) if (b[i] > 4) s += b[i] * c[i]; a[0] = s;
""".strip().splitlines()

FUNCTION = """void f{number}(int n, {type_} *restrict a, {type_} *restrict b, {type_} *restrict c)
{{
#pragma scop
{body}
#pragma endscop
}}
"""

TYPES = {"float": np.float32, "double": np.float64, "int": np.int32, "unsigned char": np.uint8}
SIZES = (1, 2, 7, 16, 33, 64, 97, 301)


def written(scop: Scop) -> Replacement:
    """In the first legal shape of every nest, as its loops were before hands unrolled them."""
    straight, proofs = straightened(scop), Proofs()
    tree = ShapedTree("original order", straight.scop, original_tree(straight.scop), straight.steps)
    shaped = with_first_shapes(proofs, host_target(), tree).shaped(proofs.dependences(straight.scop))
    return Replacement(scop, plan(lower(straight.scop, shaped), host_target(), contract=False))


def results(text: str, folder: Path, name: str, *flags: str) -> list[bytes]:
    source, library = folder / f"{name}.c", folder / f"{name}.so"
    source.write_text(text)
    subprocess.run(["gcc", *flags, "-w", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    functions, found = ctypes.CDLL(str(library)), []
    for number in range(len(BODIES)):
        for size in SIZES:
            random = np.random.default_rng(size + number)
            arrays = [random.integers(0, 9, size + 4).astype(TYPES[folder.name]) for _ in range(3)]
            getattr(functions, f"f{number}")(size, *[ctypes.c_void_p(array.ctypes.data) for array in arrays])
            found.append(b"".join(array.tobytes() for array in arrays))
    return found


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("type_", list(TYPES))
def test_what_is_written_computes_the_same(type_: str, tmp_path: Path) -> None:
    folder = tmp_path / type_
    folder.mkdir()
    bodies = (body.replace("T t", f"{type_} t") for body in BODIES)
    text = "".join(FUNCTION.format(number=k, type_=type_, body=body) for k, body in enumerate(bodies))
    file = read_source("f.c", text=text)
    assert len(file.scops) == len(BODIES), file.diagnostics
    after = emit_c_file(text, [written(scop) for scop in file.scops])
    before = results(text, folder, "before", "-O0")
    assert results(after, folder, "after", "-O1", "-march=native", "-ffp-contract=off") == before
