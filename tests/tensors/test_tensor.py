"""Tensor programs and einsum: what they compute, against numpy, and the Scops that they make."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import polyloop
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import dtype_of
from polyloop.scop.data import SizeError, shape_of
from polyloop.scop.model import Scop
from polyloop.tensors import einsum, tensor

Data = dict[str, NDArray[Any]]


def data_for(scop: Scop, seed: int = 0, **sizes: int) -> Data:
    """Random values, negative ones too, for all arguments."""
    rng = np.random.default_rng(seed)
    data: Data = {}
    for array in scop.arrays:
        if array.local:
            continue
        shape, dtype = shape_of(scop, array, sizes), dtype_of(array.type)
        if array.type.is_float:
            data[array.name] = np.asarray(rng.uniform(-1, 1, shape), dtype)
        else:
            low = 0 if array.type.kind == "uint" else -5
            data[array.name] = np.asarray(rng.integers(low, 9, shape), dtype)
    return data


def run(scop: Scop, seed: int = 0, **sizes: int) -> tuple[Data, Data]:
    """The data before and after a run of the original loops."""
    before = data_for(scop, seed, **sizes)
    after = {name: array.copy() for name, array in before.items()}
    polyloop.compile(scop)(**after, **sizes)
    return before, after


def close(found: NDArray[Any], expected: NDArray[Any]) -> bool:
    if found.dtype.kind != "f":
        return bool((found == expected).all())
    tolerance = 1e-4 if found.dtype == np.float32 else 1e-11
    return np.allclose(found, expected, rtol=tolerance, atol=tolerance)


# --- einsum -----------------------------------------------------------------------------------------------------------


def test_a_matrix_product_looks_like_the_c_front_ends() -> None:
    scop = einsum("mk,kn->mn", m=4, n=5, k=6)
    assert [(a.name, [e.constant for e in a.shape if e], a.local) for a in scop.arrays] == [
        ("A", [4, 6], False),
        ("B", [6, 5], False),
        ("C", [4, 5], False),
    ]
    start, update = scop.statements
    assert (start.name, start.iterators, start.reduction) == ("S0", ("m", "n"), None)
    assert (update.name, update.iterators, update.reduction) == ("S1", ("m", "n", "k"), "+")
    assert update.schedule == tuple(affine(row) for row in (1, "m", 0, "n", 0, "k", 0))
    assert str(update.domain) == "{ S1[m, n, k] : 0 <= m <= 3 and 0 <= n <= 4 and 0 <= k <= 5 }"
    assert [str(a) for a in (update.target, *update.reads)] == ["C[m][n]", "C[m][n]", "A[m][k]", "B[k][n]"]
    assert scop.parameters == ()


def test_loops_stand_in_the_order_of_the_sizes() -> None:
    scop = einsum("mk,kn->mn", k=3, n=5, m=4)
    assert [s.iterators for s in scop.statements] == [("n", "m"), ("k", "n", "m")]


@pytest.mark.parametrize(
    ("spec", "sizes", "made"),
    [
        ("ij,jk,kl->il", {"i": 4, "j": 5, "k": 6, "l": 3}, ["B_C", "D"]),  # 4 * 5 * 3 + 5 * 6 * 3 steps, not 360
        ("abc,cde,eb->ad", {"a": 3, "b": 2, "c": 4, "d": 3, "e": 5}, ["B_C", "D"]),
        ("ab,bc,cd,de->ae", {"a": 2, "b": 9, "c": 8, "d": 9, "e": 3}, ["A_B", "A_B_C", "E"]),
        ("i,j,->ij", {"i": 4, "j": 5}, ["D"]),
        ("ijk,ijk,ijk->i", {"i": 4, "j": 5, "k": 6}, ["D"]),
    ],
)
def test_operands_are_contracted_in_pairs_where_that_saves_work(
    spec: str, sizes: dict[str, int], made: list[str]
) -> None:
    scop = einsum(spec, sizes, dtype="i64")
    assert list(dict.fromkeys(statement.target.array for statement in scop.statements)) == made
    arguments = [array.name for array in scop.arrays if not array.local]
    assert arguments == list("ABCDEFG"[: spec.count(",") + 2])  # as they stand, whichever pair comes first
    before, after = run(scop)
    operands = [before[name] for name in arguments[:-1]]
    assert np.array_equal(after[arguments[-1]], np.einsum(spec, *operands))
    whole = einsum(spec, sizes, dtype="i64", pairs=False)
    assert {statement.target.array for statement in whole.statements} == {arguments[-1]}


def random_einsum(rng: np.random.Generator) -> tuple[str, dict[str, int]]:
    letters = list("ijklm")[: int(rng.integers(1, 6))]
    operands = ["".join(rng.choice(letters, int(rng.integers(0, 4)))) for _ in range(int(rng.integers(1, 4)))]
    used = sorted(set("".join(operands)))
    output = "".join(rng.permutation(used)[: int(rng.integers(0, len(used) + 1))])
    order = rng.permutation(used)
    spec = ",".join(operands) + ("" if rng.random() < 0.2 else "->" + output)
    return spec, {str(letter): int(rng.integers(1, 6)) for letter in order}


@pytest.mark.parametrize("seed", range(40))
def test_random_einsums_agree_with_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    spec, sizes = random_einsum(rng)
    dtype = str(rng.choice(["f32", "f64", "i32", "i64", "u16", "i8"]))
    symbolic = {n: None if rng.random() < 0.3 else s for n, s in sizes.items()}
    scop = einsum(spec, symbolic, dtype=dtype)
    given = {n: sizes[n] for n in scop.parameters}
    before, after = run(scop, seed, **given)
    *operands, result = list(before)
    expected = np.einsum(spec, *(before[name] for name in operands))
    assert after[result].shape == expected.shape
    assert close(after[result], expected)


@pytest.mark.parametrize(
    ("spec", "sizes"),
    [
        ("mk,kn->mn", {"m": 33, "n": 20, "k": 17}),
        ("bij,bjk->bik", {"b": 3, "i": 9, "j": 16, "k": 18}),
        ("ij->j", {"i": 40, "j": 33}),
    ],
)
def test_optimized_einsums_agree_with_numpy(spec: str, sizes: dict[str, int]) -> None:
    scop = einsum(spec, sizes)
    result = polyloop.optimize(scop, budget=0.3, reassociate=True)
    assert result.check.passed
    data = data_for(scop)
    *operands, output = list(data)
    expected = np.einsum(spec, *(data[name] for name in operands))
    result.kernel(**data)
    assert close(data[output], expected)


# --- the language -----------------------------------------------------------------------------------------------------


def test_plus_accumulates_and_equals_initialises() -> None:
    before, after = run(tensor("C[m, n] += A[m, k] * B[k, n]", m=4, n=5, k=6))
    assert close(after["C"], before["C"] + before["A"] @ before["B"])
    before, after = run(tensor("C[m, n] = A[m, k] * B[k, n]", m=4, n=5, k=6))
    assert close(after["C"], before["A"] @ before["B"])


@pytest.mark.parametrize(
    ("operator", "function"), [("sum", np.sum), ("prod", np.prod), ("max", np.max), ("min", np.min)]
)
@pytest.mark.parametrize("dtype", ["f32", "f64", "i32", "u8"])
def test_reductions(operator: str, function: Any, dtype: str) -> None:
    before, after = run(tensor(f"C[m] = {operator}(k, j) A[j, m, k]", dtype=dtype, m=4, k=3, j=2))
    expected = function(before["A"], axis=(0, 2))
    assert close(after["C"], expected.astype(after["C"].dtype))


@pytest.mark.parametrize(
    ("operator", "function"),
    [("+=", np.add), ("*=", np.multiply), ("max=", np.maximum), ("min=", np.minimum)],
)
def test_every_accumulation_is_marked_as_a_reduction(operator: str, function: Any) -> None:
    scop = tensor(f"C[m] {operator} A[m, k]", m=4, k=3)
    (statement,) = scop.statements
    assert statement.reduction == {"+=": "+", "*=": "*", "max=": "max", "min=": "min"}[operator]
    before, after = run(scop)
    assert close(after["C"], function(before["C"], function.reduce(before["A"], axis=1)))


def test_bias_and_relu_need_no_temporary() -> None:
    scop = tensor("C[m, n] = relu(sum(k) (A[m, k] * B[k, n]) + b[n])", m=4, n=5, k=6)
    assert [a.name for a in scop.arrays] == ["A", "B", "b", "C"]
    assert [s.reduction for s in scop.statements] == [None, "+", None]
    before, after = run(scop)
    assert close(after["C"], np.maximum(before["A"] @ before["B"] + before["b"], 0))


def test_functions() -> None:
    text = """
        a = sigmoid(X[i]); T[i] = tanh(X[i]) * 2 - 1
        R[i] = relu(X[i]) + abs(X[i]) / 4
        C[i] = clamp(3*X[i], -1, 1.5)
        E[i] = max(exp(X[i]), min(cos(X[i]), pow(2.0, X[i]) - Y[i]))
        L[i] = log(sqrt(abs(X[i]) + 1)) + erf(0*X[i]) + sin(X[i]) - floor(X[i]) + ceil(-X[i])
    """.replace("a = sigmoid", "S[i] = sigmoid")
    before, after = run(tensor(text, i=37, dtype="f64"))
    x, y = before["X"], before["Y"]
    assert close(after["S"], 1 / (1 + np.exp(-x)))
    assert close(after["T"], np.tanh(x) * 2 - 1)
    assert close(after["R"], np.maximum(x, 0) + np.abs(x) / 4)
    assert close(after["C"], np.clip(3 * x, -1, 1.5))
    assert close(after["E"], np.maximum(np.exp(x), np.minimum(np.cos(x), 2.0**x - y)))
    assert close(after["L"], np.log(np.sqrt(np.abs(x) + 1)) + np.sin(x) - np.floor(x) + np.ceil(-x))


def test_elementwise_broadcasting_scalars_and_indices() -> None:
    text = "alpha: f64\nC[i, j] = alpha * a[i] - b[j] * beta[] + 10*i + j; F[i, j] = 7"
    before, after = run(tensor(text, i=4, j=5, dtype="f64"))
    i, j = np.mgrid[:4, :5]
    expected = before["alpha"] * before["a"][:, None] - before["b"] * before["beta"] + 10 * i + j
    assert close(after["C"], expected)
    assert (after["F"] == 7).all()


def test_softmax_has_inner_reductions_computed_once() -> None:
    scop = tensor("P[i, j] = exp(X[i, j] - max(j) X[i, j]) / sum(j) exp(X[i, j] - max(j) X[i, j])", i=4, j=7)
    assert [(a.name, a.local) for a in scop.arrays] == [("X", False), ("P", False), ("max_", True), ("sum_", True)]
    before, after = run(scop)
    e = np.exp(before["X"] - before["X"].max(axis=1, keepdims=True))
    assert close(after["P"], e / e.sum(axis=1, keepdims=True))


# --- views ------------------------------------------------------------------------------------------------------------


def convolution(image: NDArray[Any], weights: NDArray[Any], stride: int, dilation: int) -> NDArray[Any]:
    """[y, x, d] and [i, j, d, c] -> [y, x, c]."""
    extents = zip(image.shape[:2], weights.shape[:2], strict=True)
    height, width = ((n - dilation * (k - 1) - 1) // stride + 1 for n, k in extents)
    out = np.zeros((height, width, weights.shape[3]), image.dtype)
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            rows = slice(i * dilation, i * dilation + stride * (height - 1) + 1, stride)
            columns = slice(j * dilation, j * dilation + stride * (width - 1) + 1, stride)
            out += image[rows, columns] @ weights[i, j]
    return out


@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (1, 2), (3, 2)])
def test_convolution(stride: int, dilation: int) -> None:
    text = f"O[y, x, c] += I[{stride}*y + {dilation}*i, {stride}*x + {dilation}*j, d] * W[i, j, d, c]"
    scop = tensor(text, y=4, x=5, c=3, d=2, i=3, j=3)
    assert scop.array("I").shape[0] == affine(stride * 3 + dilation * 2 + 1)
    before, after = run(scop)
    assert close(after["O"], before["O"] + convolution(before["I"], before["W"], stride, dilation))


@pytest.mark.parametrize("symbolic", [False, True])
def test_padded_convolution_with_bias_and_relu(symbolic: bool) -> None:
    text = """
        I: [y, x, d]
        O[y, x, c] = relu(sum(i, j, d) (pad(I[y + i - 1, x + j - 1, d], 0) * W[i, j, d, c]) + b[c])
    """
    sizes = {"y": 6, "x": 7}
    scop = tensor(text, **({"y": None, "x": None} if symbolic else sizes), c=4, d=3, i=3, j=3)
    assert [a.name for a in scop.arrays if a.local] == ["I_padded"]
    before, after = run(scop, **(sizes if symbolic else {}))
    padded = np.pad(before["I"], ((1, 1), (1, 1), (0, 0)))
    assert close(after["O"], np.maximum(convolution(padded, before["W"], 1, 1) + before["b"], 0))


def test_max_pooling_with_padding() -> None:
    text = "I: [8, 8, c]; P[y, x, c] = max(i, j) pad(I[2*y + i - 1, 2*x + j - 1, c], -inf)"
    before, after = run(tensor(text, y=4, x=4, c=3, i=3, j=3))
    padded = np.pad(before["I"], ((1, 1), (1, 1), (0, 0)), constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(0, 1))[::2, ::2]
    assert close(after["P"], windows.max(axis=(3, 4)))


def test_average_pooling_and_depthwise() -> None:
    text = "A[y, x, c] = (sum(i, j) I[2*y + i, 2*x + j, c]) / 4\nD[y, x, c] = I[2*y + i, 2*x + j, c] * W[i, j, c]"
    before, after = run(tensor(text, y=3, x=4, c=5, i=2, j=2))
    blocks = before["I"].reshape(3, 2, 4, 2, 5)
    assert close(after["A"], blocks.mean(axis=(1, 3)))
    assert close(after["D"], np.einsum("yixjc,ijc->yxc", blocks, before["W"]))


def test_padding_alone_fills_and_copies() -> None:
    scop = tensor("A: [4, 5]; P[i, j] = pad(A[i - 1, j - 2], 0.5)", i=6, j=9)
    assert [str(s.domain) for s in scop.statements] == [
        "{ S0[i, j] : 0 <= i <= 5 and 0 <= j <= 8 }",
        "{ S1[i, j] : 0 < i <= 4 and 2 <= j <= 6 }",
    ]
    before, after = run(scop)
    assert close(after["P"], np.pad(before["A"], ((1, 1), (2, 2)), constant_values=0.5))


def test_padding_in_place_reads_the_old_values() -> None:
    before, after = run(tensor("A: [5]; A[i] = pad(A[i], 0) + pad(A[i - 1], 3)", i=5))
    assert close(after["A"], before["A"] + np.concatenate([[np.float32(3)], before["A"][:-1]]))


@pytest.mark.parametrize("symbolic", [False, True])
def test_concatenation(symbolic: bool) -> None:
    sizes = {"i": 3, "j": 4}
    scop = tensor(
        "T[a, c] = concat(X[i, c], 2*Y[c, j], Z[c] + 0*k)", **({"i": None, "j": None} if symbolic else sizes), k=2, c=5
    )
    before, after = run(scop, **(sizes if symbolic else {}))
    expected = np.concatenate([before["X"], 2 * before["Y"].T, np.stack([before["Z"]] * 2)])
    assert close(after["T"], expected)


def test_transpose_reverse_diagonal_and_upsampling() -> None:
    text = """
        T[j, i] = A[i, j]; R[i] = B[size(i) - 1 - i]; D[i] = Q[i, i] + Q[0, size(i) - 1]
        U[y] = B[y // 2]; V[y] = B[y % 3]; S[i] = B[2]
    """
    before, after = run(tensor(text, i=5, j=3, y=10))
    assert (after["T"] == before["A"].T).all()
    assert (after["R"] == before["B"][::-1]).all()
    assert close(after["D"], np.diag(before["Q"]) + before["Q"][0, -1])
    assert (after["U"] == np.repeat(before["B"], 2)).all()
    assert (after["V"] == before["B"][np.arange(10) % 3]).all()
    assert (after["S"] == before["B"][2]).all()


def test_accumulation_into_a_view_is_a_transposed_convolution() -> None:
    before, after = run(tensor("O[2*y + i] += I[y] * W[i]", y=4, i=3))
    expected = before["O"].copy()
    for y in range(4):
        expected[2 * y : 2 * y + 3] += before["I"][y] * before["W"]
    assert close(after["O"], expected)


# --- graphs, shapes, types --------------------------------------------------------------------------------------------

MLP = """
    H[b, h] = relu(sum(i) (X[b, i] * W1[i, h]) + b1[h])     # hidden
    Y[b, o] = sum(h) (H[b, h] * W2[h, o]) + b2[o]
    N[b] = max(o) Y[b, o]
"""


@pytest.mark.parametrize("outputs", [None, ["H", "N"]])
def test_a_graph_keeps_its_last_results(outputs: list[str] | None) -> None:
    scop = tensor(MLP, b=3, i=4, h=5, o=2, outputs=outputs)
    assert {a.name for a in scop.arrays if a.local} == ({"H", "Y"} if outputs is None else {"Y"})
    before, after = run(scop)
    hidden = np.maximum(before["X"] @ before["W1"] + before["b1"], 0)
    assert close(after["N"], (hidden @ before["W2"] + before["b2"]).max(axis=1))


def test_an_optimized_graph_agrees() -> None:
    scop = tensor(MLP, b=8, i=9, h=16, o=5, outputs=["Y", "N"])
    result = polyloop.optimize(scop, budget=0.5, reassociate=True)
    data = data_for(scop)
    expected = np.maximum(data["X"] @ data["W1"] + data["b1"], 0) @ data["W2"] + data["b2"]
    result.kernel(**data)
    assert close(data["Y"], expected)
    assert close(data["N"], expected.max(axis=1))


def test_an_optimized_padded_convolution_agrees() -> None:
    text = (
        "I: [y, x, d]; O[y, x, c] = pad(I[y + i - 1, x + j - 1, d], 0) * W[i, j, d, c]; O[y, x, c] = tanh(O[y, x, c])"
    )
    scop = tensor(text, y=8, x=9, c=16, d=4, i=3, j=3)
    result = polyloop.optimize(scop, budget=0.5, reassociate=True)
    data = data_for(scop)
    padded = np.pad(data["I"], ((1, 1), (1, 1), (0, 0)))
    expected = np.tanh(convolution(padded, data["W"], 1, 1))
    result.kernel(**data)
    assert close(data["O"], expected)


def test_symbolic_sizes_are_parameters() -> None:
    scop = tensor("C[m, n] += A[m, k] * B[k, n]", m="N", n=None, k="N")
    assert scop.parameters == ("N", "n")
    assert [s.iterators for s in scop.statements] == [("m", "n_", "k")]
    assert scop.array("A").shape == (affine("N"), affine("N"))
    before, after = run(scop, N=5, n=4)
    assert close(after["C"], before["C"] + before["A"] @ before["B"])


def test_views_of_declared_symbolic_tensors_become_assumptions() -> None:
    scop = tensor("A: [n]; C[i] = A[2*i + 1]", i=None, n=None)
    assert str(scop.assumptions) == "[i, n] -> {  : n >= 2i }"
    with pytest.raises(SizeError, match="outside what tensor is written for"):
        polyloop.optimize(scop, sizes={"i": 5, "n": 9})


def test_symbolic_floor_views() -> None:
    scop = tensor("C[i] = A[i // 2]", i=None)
    assert scop.array("A").shape == ((affine("i") + 1) // 2,)


def test_sizes_follow_from_tensors() -> None:
    scop = tensor("A: f64[3, 4]; T: f64; T[i, j] = A[i, j]; R[a] = sum(b) T[a, b]", dtype="f32")
    assert [(a.name, str(a.type), [str(e) for e in a.shape]) for a in scop.arrays] == [
        ("A", "f64", ["3", "4"]),
        ("T", "f64", ["3", "4"]),
        ("R", "f32", ["3"]),
    ]


def test_a_given_tensor_is_as_large_as_its_largest_view() -> None:
    scop = tensor("C[i] = A[i + 3] + A[2*i]; D[i] = A[i]", i=5)
    assert scop.array("A").shape == (affine(9),)


def test_mixed_types_follow_c() -> None:
    text = "A: i8[m, k]; B: i8[k, n]; C: i32; C[m, n] = A[m, k] * B[k, n]; F: f64; F[m, n] = 0.5 * C[m, n]"
    before, after = run(tensor(text, m=3, k=40, n=4, outputs=["C", "F"]))
    expected = before["A"].astype(np.int32) @ before["B"].astype(np.int32)
    assert (after["C"] == expected).all()
    assert (after["F"] == 0.5 * expected).all()


EXPRESSIONS = ("X[i, j]", "X[j, i]", "v[j]", "v[i]", "s[]", "2.5", "3")


def random_expression(rng: np.random.Generator, depth: int) -> tuple[str, Any]:
    """A text of X, v, s, and the same as a function of numpy arrays."""
    if depth == 0:
        text = str(rng.choice(EXPRESSIONS))
        numpy = {
            "X[i, j]": lambda d: d["X"],
            "X[j, i]": lambda d: d["X"].T,
            "v[j]": lambda d: d["v"],
            "v[i]": lambda d: d["v"][:, None],
            "s[]": lambda d: d["s"],
        }
        return text, numpy.get(text, lambda _: float(text))
    (a, f), (b, g) = random_expression(rng, depth - 1), random_expression(rng, depth - 1)
    match int(rng.integers(0, 8)):
        case 0:
            return f"({a}) * ({b})", lambda d: f(d) * g(d)
        case 1:
            return f"{a} - ({b})", lambda d: f(d) - g(d)
        case 2:
            return f"max({a}, {b})", lambda d: np.maximum(f(d), g(d))
        case 3:
            return f"-({a}) + {b}", lambda d: -f(d) + g(d)
        case 4:
            return f"tanh({a})", lambda d: np.tanh(f(d))
        case 5:
            return f"clamp({a}, -1, {b})", lambda d: np.minimum(np.maximum(f(d), -1), g(d))
        case 6:
            return f"(sum(i) ({a} + 0*X[i, j])) / 8", lambda d: (f(d) * np.ones((6, 6))).sum(axis=0) / 8
        case _:
            return f"max(i, j) ({b} + 0*X[i, j])", lambda d: np.max(g(d) * np.ones((6, 6)))


@pytest.mark.parametrize("seed", range(25))
def test_random_expressions_agree_with_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    text, function = random_expression(rng, 3)
    scop = tensor(f"Z[i, j] = {text} + 0*X[i, j] + 0*v[i] + 0*s[]", i=6, j=6, dtype="f64")
    before, after = run(scop, seed)
    assert close(after["Z"], function(before) * np.ones((6, 6)))
