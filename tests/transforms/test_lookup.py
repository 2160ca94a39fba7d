"""Lookup and Strip: what data choose of a few elements is chosen, and periodic subscripts are affine in blocks."""

from __future__ import annotations

import pytest

from polyloop.backend.ir.affine import FloorDiv
from polyloop.frontend import read_c
from polyloop.scop.model import Scop
from polyloop.shaping.variants import prepared
from polyloop.transforms import IllegalScopTransformError, Lookup, Strip, replay_steps
from tests.frontend.emission import Libraries, drivers, emitted_and_original, needs_gcc, sizes_that_fall_back

TYPES = "static const double halves[3] = {0.5, 1.5, 2.5};\nstatic const int turns[2][2] = {{1, 4}, {2, 8}};"
# The small arrays, the blocks; then parameters, region and driver.
BODIES = {
    "trellis": ((["c"], [32]), "int n, double *restrict m, double *restrict o, const double *restrict x",
                "for (int t = 0; t < n; t++) { double c[2]; c[0] = x[t]; c[1] = 3 - x[t];\n"
                " for (int s = 0; s < 64; s++) { int p = (s << 1) & 63; o[s] = m[p] + c[(int)x[p + (s >> 5)] & 1]; }\n"
                " for (int s = 0; s < 64; s++) m[s] = o[s]; }",
                "if (n > 17) trellis(n, x, x + 100, y);"),
    "constants": ((["halves"], []), "int n, double *restrict a, const double *restrict b",
                  "for (int i = 0; i < n; i++) a[i] += halves[(int)b[i] % 3];",
                  "constants(n, x, y);"),
    "corners": ((["turns"], []), "int n, double *restrict a, const double *restrict b",
                "for (int i = 0; i < n; i++) a[i] += turns[(int)b[i] & 1][(int)b[i] / 2 & 1];",
                "corners(n, x, y);"),
    "ring": (([], [8]), "int n, double *restrict a, const double *restrict b",
             "for (int i = 0; i < n; i++) a[i] += b[i % 8] * b[(3 * i) % 24];",
             "ring(n, x, y);"),
}  # fmt: skip
FUNCTIONS = {name: (signature, region, driver) for name, (_, signature, region, driver) in BODIES.items()}


@pytest.fixture(scope="module")
def scops() -> dict[str, Scop]:
    return {scop.name: scop for scop in read_c("lookup.c", text=drivers(TYPES, FUNCTIONS))}


@pytest.fixture(scope="module")
def libraries(scops: dict[str, Scop], tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    changed = {name: prepared(scop).scop for name, scop in scops.items()}
    return emitted_and_original(drivers(TYPES, FUNCTIONS), changed, tmp_path_factory.mktemp("lookup"))


@pytest.mark.parametrize("name", BODIES)
def test_no_data_choose_and_no_subscript_is_periodic(name: str, scops: dict[str, Scop]) -> None:
    variant = prepared(scops[name])
    small, blocks = BODIES[name][0]
    assert [step.array for step in variant.steps if isinstance(step, Lookup)] == small
    assert [step.size for step in variant.steps if isinstance(step, Strip)] == blocks
    subscripts = [s for statement in variant.scop.statements for a in statement.accesses for s in a.subscripts]
    assert not any(isinstance(atom, FloorDiv) for s in subscripts for atom, _ in s.terms)
    assert not any(a.data for statement in variant.scop.statements for a in statement.accesses if a.array in small)
    assert replay_steps(scops[name], variant.steps)[0] == variant.scop


@needs_gcc
@pytest.mark.parametrize("name", BODIES)
def test_emitted_code_does_what_the_original_does(name: str, libraries: Libraries) -> None:
    assert sizes_that_fall_back(libraries, name, (0, 1, 2, 7, 18)) <= {0, 1}


def one(region: str) -> Scop:
    parameters = "int n, const double w[2], double *restrict a, const int *restrict c"
    (scop,) = read_c("f.c", text=f"{TYPES}\nvoid f({parameters})\n{{\n#pragma scop\n{region}\n#pragma endscop\n}}\n")
    return scop


@pytest.mark.parametrize(
    ("region", "array", "reason"),
    [
        ("for (int i = 0; i < n; i++) a[i] = w[c[i]];", "w", "no array of its own"),
        ("for (int i = 0; i < n; i++) a[i] = halves[0];", "halves", "no data choose its elements"),
        (
            "for (int i = 0; i < n; i++) { double v[2]; v[c[i]] = a[i]; a[i] = v[c[i]]; }",
            "v",
            "may have no value yet in S1",
        ),
        ("for (int i = 0; i < n; i++) { double v[9]; v[c[i]] = a[i]; a[i] = v[c[i]]; }", "v", "of at most 8 elements"),
        ("for (int i = 0; i < n; i++) a[i] = 0;", "v", "there is no array of its own"),
    ],
)
def test_refusals_say_why(region: str, array: str, reason: str) -> None:
    scop = one(region)
    assert Lookup(array) not in [*Lookup.candidates(scop)] or "v[2]" in region
    with pytest.raises(IllegalScopTransformError, match=reason):
        Lookup(array).apply(scop)


def test_periods_that_begin_between_blocks_stay() -> None:
    for subscript, sizes in (("(i + 1) % 8", []), ("i % 8", [8]), ("2 * i % 12", [6]), ("i % 2", []), ("i % n", [])):
        scop = one(f"for (int i = 0; i < n; i++) a[i] += w[0] * c[{subscript}];")
        assert [step.size for step in Strip.candidates(scop)] == sizes, subscript
    assert [*Strip.candidates(one("for (int i = 0; i < 8; i++) a[i] += c[i % 8];"))] == []
