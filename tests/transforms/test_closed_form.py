"""ClosedForm: numbers that loops count up are computed at once where no sum is rounded, else they are left alone."""

from __future__ import annotations

import numpy as np
import pytest

from polyloop.api import compile_scop
from polyloop.frontend import read_source
from polyloop.scop.model import Scop
from polyloop.transforms.closed_form import ClosedForm
from polyloop.transforms.scop_transform import IllegalScopTransformError


def read(body: str, type_: str = "float") -> Scop:
    parameters = f"int n, {type_} a[200], {type_} b[200], {type_} c[20][20], {type_} d[1]"
    text = f"void f({parameters})\n{{\n{type_} s;\n#pragma scop\n{body}\n#pragma endscop\nd[0] = s;\n}}\n"
    file = read_source("f.c", text=text)
    assert len(file.scops) == 1, file.diagnostics
    return file.scops[0]


def results(scop: Scop) -> dict[str, bytes]:
    random = np.random.default_rng(3)
    arrays = {
        array.name: random.uniform(-1, 1, [e.constant for e in array.shape if e is not None]).astype(
            np.float32 if array.type.bits == 32 else np.float64
        )
        for array in scop.arrays
    }
    compile_scop(scop, contract="off")(**arrays)
    return {name: values.tobytes() for name, values in arrays.items()}


@pytest.mark.parametrize("type_", ["float", "double"])
@pytest.mark.parametrize(
    "body",
    [
        "s = 0; for (int i = 0; i < 200; i++) { s += 2; a[i] = s * b[i]; }",
        "s = -3.5; for (int i = 5; i < 99; i++) { a[i] = s; s = s + 0.25; b[i] = s * a[i]; }",
        "s = 7; for (int i = 0; i <= 70; i++) { a[i] = b[i] / s; s -= 0.125f; } b[3] = s;",
        "s = 1; for (int i = 0; i < 20; i++) { s += 1; for (int j = 0; j <= i; j++) c[i][j] = s * b[j]; a[i] = s; }",
        "for (int i = 0; i < 20; i++) { s = 4; for (int j = 2; j < i; j++) { c[i][j] = s; s += 3; } a[i] = s; }",
    ],
)
def test_every_iteration_has_the_number_that_it_had(body: str, type_: str) -> None:
    scop = read(body, type_)
    assert list(ClosedForm.candidates(scop)) == [ClosedForm("s")]
    changed = ClosedForm("s").apply(scop)
    assert len(changed.statements) == len(scop.statements) - 1
    assert sum(any(a.array == "s" for a in s.reads) for s in changed.statements) <= 1  # behind the loop
    assert results(changed) == results(scop)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("s = 0; for (int i = 0; i < 200; i++) { s += 0.1; a[i] = s; }", "its sums are rounded"),
        ("s = 16777200; for (int i = 0; i < 200; i++) { s += 1; a[i] = s; }", "its sums are rounded"),
        ("s = -0.0; for (int i = 0; i < 200; i++) { a[i] = s; s += 1; }", "it is no number that sums keep"),
        ("s = 0; for (int i = 0; i < n; i++) { s += 1; a[i] = s; }", "nobody knows how far it goes"),
        ("s = b[0]; for (int i = 0; i < 200; i++) { s += 1; a[i] = s; }", "does not set it to a number"),
        ("for (int i = 0; i < 200; i++) { s += 1; a[i] = s; }", "it is not set once"),
        ("s = 0; for (int i = 0; i < 200; i++) { s += 1; a[i] = s; } s = 2;", "it is not set once"),
        ("s = 0; a[3] = s; for (int i = 0; i < 200; i++) { s += 1; b[i] = s; }", "asks for it before the loop"),
        ("s = 0; for (int i = 0; i < 200; i += 2) { s += 1; a[i] = s; }", "does not run up one by one"),
    ],
)
def test_others_are_refused(body: str, reason: str) -> None:
    scop = read(body)
    if "n;" in body:  # an array says how far
        scop = read(body.replace("a[i]", "d[0]"))
    with pytest.raises(IllegalScopTransformError, match=reason):
        ClosedForm("s").apply(scop)
