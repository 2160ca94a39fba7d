"""Precompute and Hoist: what loops compute again and again is computed before them, and nothing else changes."""

from __future__ import annotations

import pytest

from polyloop.backend.ir.expressions import Call, walk
from polyloop.frontend import read_c
from polyloop.scop.model import Scop
from polyloop.shaping.variants import prepared, variants
from polyloop.transforms import Hoist, IllegalScopTransformError, Precompute, replay_steps
from tests.frontend.emission import Libraries, drivers, emitted_and_original, needs_gcc, sizes_that_fall_back

TYPES = "#include <math.h>"
# The loops of what is computed before; then parameters, region and driver.
BODIES = {
    "window": ((["i"],), "int n, double *a",
               "for (int c = 0; c < n; c++) for (int i = 0; i < n; i++) a[c * n + i] *= 0.5 - 0.5 * cos(6.25 * i / n);",
               "window(n, x);"),
    "weights": ((["v", "u"], [], ["v", "u"]), "int n, int r, double s, double *restrict a, const double *restrict b",
                "for (int i = r; i < n - r; i++) for (int j = r; j < n - r; j++) { double sum = 0, all = 0;"
                " for (int v = -r; v <= r; v++) for (int u = -r; u <= r; u++) { double g = exp(-(v * v + u * u) / s);"
                " sum += g * b[(i + v) * n + j + u]; all += g; } a[i * n + j] = sum / all; }",
                "weights(n, 2, 2.0 + n, x, y);"),
    "chain": ((["i"], ["i"], ["i"]), "int n, int at, double *a",
              "for (int h = 0; h < n; h++) for (int i = 0; i < n; i += 2) { double f = at / pow(10.0, (double)i / n);"
              " double c = cos(f), s = sin(f), p = a[h * n + i], q = a[h * n + i + 1];"
              " a[h * n + i] = p * c - q * s; a[h * n + i + 1] = p * s + q * c; }",
              "chain(n / 2 * 2, 3, x);"),
    "products": ((["u", "k"], ["v", "k"]), "int n, double *restrict a, const double *restrict b",
                 "for (int u = 0; u < n; u++) for (int v = 0; v < n; v++) { double sum = 0; for (int k = 0; k < n; k++)"
                 " sum += b[k] * cos(0.5 * (2 * k + 1) * u / n) * cos(0.25 * k * v); a[u * n + v] = sum; }",
                 "products(n, x, y);"),
    "triangle": ((["j"],), "int n, double *a",
                 "for (int i = 0; i < n; i++) for (int j = i; j < n - 2; j++) a[i * n + j] += sqrt(j + 1.5);",
                 "triangle(n, x);"),
    "table": ((["j"],), "int n, double *restrict a, const double *restrict b",
              "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i * n + j] /= 1.0 + 1.0 / (b[j] + 0.5);",
              "table(n, x, y);"),
    "before": ((["j"],), "int n, double *restrict a, double *restrict b",
               "for (int j = 0; j < n; j++) b[j] += 0.5;"
               "\n for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i * n + j] *= log(b[j]);",
               "before(n, x, y);"),
    "neither": (([],), "int n, double s, double *a",
                "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i * n + j] += exp(-s);",
                "neither(n, 0.5 + n, x);"),
    "maybe": ((["j"],), "int n, double *a",
              "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (a[i * n + j] > 16) a[i * n + j] -= sin(j);",
              "maybe(n, x);"),
    "norms": ((["i"], ["i", "k"], ["j"], ["j", "k"]), "int n, double *restrict o, const double *restrict a",
              "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { double s = 0, p = 0, q = 0;"
              " for (int k = 0; k < n; k++) { s += a[i * n + k] * a[j * n + k]; p += a[i * n + k]; q += a[j * n + k]; }"
              " o[i * n + j] = s - p * q; }",
              "norms(n, x, y);"),
    "energy": (([], ["v", "u"]), "int n, int m, double *restrict o, const double *restrict a, const double *restrict b",
               "for (int i = 0; i < n - m; i++) for (int j = 0; j < n - m; j++) { double s = 0, e = 0;"
               " for (int v = 0; v < m; v++) for (int u = 0; u < m; u++) { s += a[(i + v) * n + j + u] * b[v * m + u];"
               " e += b[v * m + u] * b[v * m + u]; } o[i * n + j] = s - e; }",
               "energy(n, 3, x, y, y + 100);"),
    "deviations": ((["i"], ["i", "k"], ["i"], ["i"], ["i", "k"]), "int n, double *restrict o, const double *restrict a",
                   "for (int h = 0; h < n; h++) for (int i = 0; i < n; i++) { double m = 0, v = 0;"
                   " for (int k = 0; k < n; k++) m += a[i * n + k];\n m /= n;"
                   " for (int k = 0; k < n; k++) v += (a[i * n + k] - m) * (a[i * n + k] - m);\n o[h * n + i] += v; }",
                   "deviations(n, x, y);"),
    "apart": ((["j"],), "int n, int step, double *restrict a, const double *restrict b",
              "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { double w = b[j * step];"
              " a[i * n + j] = w - a[i * n + j] * w; }",
              "apart(n, 9, x, y);"),
    "below": ((["j"], ["j", "k"]), "int n, double *restrict o, const double *restrict a",
              "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) { double s = 0;"
              " for (int k = 0; k <= j; k++) s += a[j * n + k];\n o[i * n + j] -= s; }",
              "below(n, x, y);"),
}  # fmt: skip
FUNCTIONS = {name: (signature, region, driver) for name, (_, signature, region, driver) in BODIES.items()}


@pytest.fixture(scope="module")
def scops() -> dict[str, Scop]:
    return {scop.name: scop for scop in read_c("before.c", text=drivers(TYPES, FUNCTIONS))}


@pytest.fixture(scope="module")
def libraries(scops: dict[str, Scop], tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    changed = {name: prepared(scop).scop for name, scop in scops.items()}
    return emitted_and_original(drivers(TYPES, FUNCTIONS), changed, tmp_path_factory.mktemp("before"))


@pytest.mark.parametrize("name", BODIES)
def test_what_is_computed_before(name: str, scops: dict[str, Scop]) -> None:
    variant = prepared(scops[name])
    old = {statement.name for statement in scops[name].statements}
    new = [s for s in variant.scop.statements if s.name not in old]
    assert [s.iterators for s in new] == [tuple(loops) for loops in BODIES[name][0]]
    left = [s for s in variant.scop.statements if s.name in old and s.depth > 1]
    assert not any(isinstance(node, Call) for s in left for node in walk(s.value))
    assert replay_steps(scops[name], variant.steps)[0] == variant.scop


@needs_gcc
@pytest.mark.parametrize("name", BODIES)
def test_emitted_code_does_what_the_original_does(name: str, libraries: Libraries) -> None:
    assert sizes_that_fall_back(libraries, name, (0, 1, 2, 7, 18)) <= {0, 1}


def test_the_other_variants_are_of_the_shorter_scop_too(scops: dict[str, Scop]) -> None:
    found = [variant.words for variant in variants(scops["chain"])]
    assert found[1] == "parts of S0, parts of S1, parts of S2 computed before"
    assert any(words.startswith(f"{found[1]}; ") for words in found)


def one(region: str, parameters: str = "int n, int m, double *restrict a, double *restrict b, int *restrict c") -> Scop:
    (scop,) = read_c("f.c", text=f"{TYPES}\nvoid f({parameters})\n{{\n#pragma scop\n{region}\n#pragma endscop\n}}\n")
    return scop


LOOPS = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) "


@pytest.mark.parametrize(
    ("region", "number", "reason"),
    [
        ("a[i * n + j] += exp(1.0 / (i + j + 1));", 2, "it depends on all loops"),
        ("a[i * n + j] += sqrt(a[j]);", 2, "what it reads is written"),
        ("a[i * n + j] += sqrt(b[c[j]]);", 2, "found by data"),
        ("a[i * n + j] += (j + 1) / 2.0 * 3.0;", 2, "an addition may absorb the product"),
        ("a[i * n + j] += j * 3.0;", 2, "it is soon computed again"),
        ("if (a[i * n + j] > 0) a[i * n + j] = sqrt(b[j]);", 4, "a condition guards it"),
        ("if (a[i * n + j] > 0) c[i * n + j] = 9 % m;", 4, "a condition guards it"),
        ("if (i > n) a[i * n + j] += sqrt(j);", 2, "the loops never run"),
        ("a[i * n + j] += j;", 99, "there is no such part"),
    ],
)
def test_refusals_say_why(region: str, number: int, reason: str) -> None:
    with pytest.raises(IllegalScopTransformError, match=reason):
        Precompute("S0", number).apply(one(LOOPS + region))


@pytest.mark.parametrize(
    ("region", "reason"),
    [
        ("double s = 0; for (int k = 0; k < n; k++) s += b[i + j + k];\n a[i * n + j] = s;", "it depends on all loops"),
        ("double s = 0; for (int k = 0; k < n; k++) s += a[k];\n a[i * n + j] = s;", "what it reads is written"),
        ("double s = 0; for (int k = 0; k < n; k++) s += b[c[k]];\n a[i * n + j] = s;", "found by data"),
        (
            "double s = 0; for (int k = i; k < n; k++) s += b[k];\n a[i * n + j] = s;",
            "depend on more loops",
        ),
        ("double s = 0; s += b[j];\n for (int k = 0; k < n; k++) a[i * n + k] += s;", "no loops of its own"),
        ("double t = 0;", "there is no such scalar of its own"),
        ("double s = 0; for (int k = 0; k < n; k++) { s += b[k]; a[i * n + k] += s; }", "before it has its last value"),
        (
            "double s = 0; for (int k = 0; k < n; k++) s += b[k];\n a[i * n] += s;"
            " for (int k = 0; k < n; k++) s += b[k];\n a[i * n + j] += s;",
            "before it has its last value",
        ),
    ],
)
def test_sums_that_stay_say_why(region: str, reason: str) -> None:
    with pytest.raises(IllegalScopTransformError, match=reason):
        Hoist("s").apply(one(f"{LOOPS}{{ {region} a[i * n] += 1; }}"))


def test_what_another_iteration_leaves_stays() -> None:
    inside = "for (int k = 0; k < n; k++) s += b[k];\n a[i * n + j] = s;"
    with pytest.raises(IllegalScopTransformError, match="it may have a value of another iteration"):
        Hoist("s").apply(one(f"double s; {LOOPS}{{ if (j == 0) s = 0; {inside} }}"))
    with pytest.raises(IllegalScopTransformError, match="no loop has all that uses it"):
        Hoist("s").apply(one(f"double s = 0; {LOOPS}{{ {inside} }}"))


def test_only_what_takes_long_in_the_deepest_loops_is_offered() -> None:
    assert list(Precompute.candidates(one(LOOPS + "a[i * n + j] += j * 3.0 + b[j];"))) == []
    assert list(Precompute.candidates(one("for (int i = 0; i < n; i++) a[i] += sqrt(i);"))) == []


def test_what_lies_apart_is_offered() -> None:
    # Not where shuffles do, nor for sums, whose rows are packed together.
    for subscript, offered in (("j * m", True), ("9 * j", True), ("8 * j", False), ("j", False), ("i * m + j", False)):
        assert bool([*Precompute.candidates(one(f"{LOOPS}a[i * n + j] = 2 * b[{subscript}];"))]) == offered, subscript
    rows = one(f"{LOOPS}a[i * n + j] = b[j * n];")
    assert [*Precompute.candidates(rows)] == [Precompute("S0", 0)]
    assert [*Precompute.candidates(one(f"{LOOPS}a[i * n + j] += b[j * n];"))] == []
