"""Random changes of tensor programs: each is refused, or computes what the oracle computes."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import polyloop
from polyloop.scop.data import SizeError, checked_sizes, shape_of
from polyloop.tensors import TensorError, tensor
from tests.helpers.tensor_oracle import evaluate

PROGRAMS = (
    "C[m, n] += A[m, k] * B[k, n]",
    "C[m] = max(k) A[m, k] * 2 + sum(k) B[m]*k",
    "A: [m]; C[n] = pad(A[n - 1], 0) + sum(k) pad(A[2*n - k], 3)",
    "T[j, n] = concat(A[m, n], B[n]*k, C[n, i])",
    "C[m] = relu(sum(k) (A[m, k]*B[k]) + s[])",
    "B[m] = A[m, 0] + m; C[m] = B[size(m) - 1 - m]; D[n] = sum(m) (B[m]*C[m]*A[m, n])",
    "C[m, n] = A[m + k] * W[k] * A[n + 2*k]; E[n] = C[m, n]; E[n] = relu(E[n]) + min(m) C[m, n]",
    "O[m] max= pad(C[m + k - 1], 0.5) * W[k]; C: [m]; O: [m]",
    "P[m, n] = X[m, n] / (1 + sum(n) (A[m, n]*A[m, n])); Q[n] += P[m, n] * P[m, n]",
    "O[2*m + k] += A[m] * B[k]; C[n] = O[n // 2] + O[n % 2]",
    "A: [m, n]; C[m, n] = pad(A[m + 1, n - 1], 2); D[k, m] = pad(A[m, k], 7); A[m, n] = A[m, n] * pad(A[m - 1, n], 1)",
)
TOKENS = [
    *(
        "A",
        "B",
        "C",
        "m",
        "n",
        "k",
        "i",
        "j",
        "0",
        "1",
        "2",
        "0.5",
        "[",
        "]",
        "(",
        ")",
        ",",
        ";",
        "+",
        "-",
        "*",
        "//",
        "%",
    ),
    *("+=", "*=", "max=", "max(", "relu(", "tanh(", "pad(", "size(n)", "sum(k)"),
]
DIMENSIONS = "mnkij"


def changed(text: str, rng: random.Random) -> str:
    tokens = re.findall(r"\w+\(|\w+|//|[+*]=|\S", text)
    for _ in range(rng.randint(0, 3)):
        at = rng.randrange(len(tokens))
        match rng.random():
            case share if share < 0.6:
                tokens[at] = rng.choice(TOKENS)
            case share if share < 0.8:
                tokens.insert(at, rng.choice(TOKENS))
            case _:
                del tokens[at]
    return " ".join(tokens)


def random_case(rng: random.Random) -> tuple[str, dict[str, int], dict[str, int | None]]:
    """A text, the sizes, and the sizes with some left symbolic."""
    text = changed(rng.choice(PROGRAMS), rng)
    found = [d for d in DIMENSIONS if re.search(rf"\b{d}\b", text) and not (d == "j" and "concat" in text)]
    rng.shuffle(found)
    sizes = {d: rng.choice([1, 2, 3, 4]) for d in found}
    return text, sizes, {d: None if rng.random() < 0.25 else size for d, size in sizes.items()}


def compared(text: str, sizes: dict[str, int], given: dict[str, int | None], seed: int) -> bool:
    """Whether the program was accepted; then it has been compared."""
    try:
        scop = tensor(text, given, dtype="f64")
        parameters = checked_sizes(scop, {p: sizes[p] for p in scop.parameters})
    except (TensorError, SizeError):
        return False
    if {i.rstrip("_") for s in scop.statements for i in s.iterators} - {*sizes, "p0", "p1"}:
        return False  # a tensor's name became a dimension, of which the oracle has no size
    rng = np.random.default_rng(seed)
    data = {a.name: rng.uniform(-1, 1, shape_of(scop, a, parameters)) for a in scop.arrays if not a.local}
    results = {name: array.copy() for name, array in data.items()}
    polyloop.compile(scop)(**results, **parameters)
    with np.errstate(all="ignore"):
        expected = evaluate(text, sizes, data)
    for name, found in results.items():
        assert np.allclose(found, expected[name], rtol=1e-9, atol=1e-9, equal_nan=True), (text, sizes, given, name)
    return True


@pytest.mark.parametrize("program", range(len(PROGRAMS)))
def test_unchanged_programs(program: int) -> None:
    found = [d for d in DIMENSIONS if re.search(rf"\b{d}\b", PROGRAMS[program])]
    sizes = {d: k for k, d in enumerate(reversed(found), 2) if not (d == "j" and "concat" in PROGRAMS[program])}
    assert compared(PROGRAMS[program], sizes, dict(sizes), program)


def test_random_programs() -> None:
    rng = random.Random(5)
    accepted = sum(compared(*random_case(rng), seed=k) for k in range(240))
    assert accepted > 30
