"""Wrong tensor programs: the kind of message, the text that it underlines, and its wording (golden/tensor_errors.txt).

``pytest --update-golden`` writes the golden file anew; read the difference.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from polyloop.errors import PolyloopError
from polyloop.tensors import TensorError, einsum, tensor
from tests.helpers.golden import Golden

GOLDEN = Path(__file__).with_name("golden") / "tensor_errors.txt"

MNK = {"m": 4, "n": 5, "k": 3}
M = {"m": 4}
# Text, sizes and other arguments, code, underlined text.
CASES: list[tuple[str, dict[str, Any], str, str]] = [
    ("C[m,n] += A[m,k]*B[k,n]", {"m": 4, "n": 5}, "missing-size", "k"),
    ("C[m,n] += A[m,k]*B[k,n]", {**MNK, "q": 2}, "unknown-dimension", "C[m,n] += A[m,k]*B[k,n]"),
    ("C[m] = sum(k) A[m]", {"m": 4, "k": 2}, "unknown-dimension", "k"),
    ("C[m,n] += A[m,k]*B[k,n]\nD[m] = C[m]", MNK, "rank", "C[m]"),
    ("C[m] = A[m]; C[k] = A[k]", {"m": 3, "k": 4}, "rank", "k"),
    ("C[m,n] += A[m,k]", MNK, "output-dimension", "n"),
    ("C[m,m] = A[m]", M, "output-dimension", "m"),
    ("C[m+1] = A[m]", M, "output-dimension", "m+1"),
    ("C[m] = concat(A[i], B[i,j])", {"i": 4, "j": 3}, "output-dimension", "B[i,j]"),
    ("C[m,n] = concat(A[i], B[j])", {"i": 4, "j": 3, "n": 2}, "output-dimension", "C[m,n]"),
    ("C[m,n] = A[m,k]*B[k,n] + b[n]", MNK, "ambiguous", "b[n]"),
    ("C[m,n] = relu(A[m,k]*B[k,n])", MNK, "ambiguous", "relu(A[m,k]*B[k,n])"),
    ("C[m] = T[m]\nT[m] = A[m]", M, "undefined", "T"),
    ("C[m] = C[m]", M, "undefined", "C"),
    ("C[m] = A[m]*alpha", M, "undefined", "alpha"),
    ("Q: [m]; C[m] = A[m]", M, "undefined", "Q"),
    ("C[m] = A[m]", {**M, "outputs": ["D"]}, "undefined", "C[m] = A[m]"),
    ("A: [m,m]; A[i,j] = A[j,i]", M, "self-read", "A[j,i]"),
    ("C[m] += C[m]*A[m]", M, "self-read", "C[m]"),
    ("C[m] = A[m-1]", M, "out-of-range", "m-1"),
    ("I: [8]\nC[m] = I[2*m + 2]", M, "out-of-range", "2*m + 2"),
    ("I: [n]\nC[m] = I[m + size(n)]", {"m": None, "n": None}, "out-of-range", "m + size(n)"),
    ("C[a] = concat(A[i], B[j])", {"i": 4, "j": 3, "a": 8}, "out-of-range", "a"),
    ("C[m] = pad(A[m-1], 0)", M, "missing-size", "A[m-1]"),
    ("C[i] = sum(j) (A[j] * A[2*i])", {"i": None, "j": "J"}, "missing-size", "j"),
    ("C[m] = A[B[m]]", M, "not-affine", "B[m]"),
    ("C[m] = A[m*m]", M, "not-affine", "m*m"),
    ("C[m] = A[m/2]", M, "not-affine", "m/2"),
    ("C[m] = A[m]*0.5", {**M, "dtype": "i32"}, "type", "A[m]*0.5"),
    ("C[m] = sigmoid(A[m])", {**M, "dtype": "i32"}, "type", "sigmoid(A[m])"),
    ("A: u8; C: u8; C[m] = A[m]; D[m] = max(A[m], 300)*0 - 1; C[m] = 400", M, "type", "400"),
    ("C[m] = foo(A[m])", M, "type", "foo(A[m])"),
    ("C[m] = clamp(A[m])", M, "type", "clamp(A[m])"),
    ("A: [m]; C[m] = pad(A[m-1], A[m])", M, "type", "A[m]"),
    ("A: [m]; C[m] = pad(A[m-1] + 1, 0)", M, "type", "pad(A[m-1] + 1, 0)"),
    ("C[a] = 2*concat(A[i], B[j])", {"i": 4, "j": 3}, "type", "concat(A[i], B[j])"),
    ("C[m] = A[m] % 2", M, "type", "A[m] % 2"),
    ("C[m] = 1/0", M, "type", "1/0"),
    ("C[m] = " + "relu(" * 20 + "A[m]" + ")" * 20, M, "type", "relu(" * 9 + "A[m]" + ")" * 9),
    ("C[m] = A[m]", {**M, "dtype": "f16"}, "dtype", "C"),
    ("A: bf16[m]; C[m] = A[m]", M, "dtype", "bf16"),
    ("C[m] = A[m]", {"m": 0}, "size", "m"),
    ("C[m] = A[m]", {"m": 2.5}, "size", "m"),
    ("C[m] = A[m]", {"m": True}, "size", "m"),
    ("C[m] = A[m]", {"m": "a b"}, "size", "m"),
    ("A: [0]; C[m] = A[m]", M, "size", "0"),
    ("C[int] = A[int]", {"int": 3}, "name", "int"),
    ("for[m] = A[m]", M, "name", "for"),
    ("m[m] = A[m]", M, "name", "m"),
    ("A: f32; A: [3]; A: [4]; C[m] = A[m]", M, "name", "A"),
    ("C[m] = A[m]", {**M, "name": "a b"}, "name", "C[m] = A[m]"),
    ("C[m = A[m]", M, "syntax", "="),
    ("C[m] A[m]", M, "syntax", "A"),
    ("C[m] = A[m] $", M, "syntax", "$"),
    ("C[m] = A[m] B[m]", M, "syntax", "B"),
    ("C[m] = 2 *  # nothing\nD[m] = 1", M, "syntax", "\n"),
    ("C[m] = A[m, ]", M, "syntax", "]"),
    ("C[m] = sum(k) -A[m,k]", {"m": 4, "k": 2}, "syntax", "-"),
    ("C[m] = sum(2*k) A[m,k]", {"m": 4, "k": 2}, "syntax", "2*k"),
    ("A: [m]", M, "syntax", "A: [m]"),
    ("C[m] = " + "(" * 40 + "1" + ")" * 40, M, "syntax", "("),
    ("C[m] = 1" + "+1" * 200, M, "syntax", "+"),
]
EINSUMS: list[tuple[str, dict[str, int], str, str]] = [
    ("mk,kn->mq", {"m": 3, "k": 4, "n": 5, "q": 2}, "output-dimension", "q"),
    ("mk,kn->mn", {"m": 3, "n": 5}, "missing-size", "k"),
    ("...m->m", {}, "syntax", "."),
    ("mn->mm", {"m": 3, "n": 2}, "output-dimension", "m"),
    ("ij->i", {"i": 3, "j": 4, "q": 2}, "unknown-dimension", "ij->i"),
    ("ij->i", {"i": 1 << 63, "j": 4}, "size", "i"),
]


def error_of(text: str, arguments: dict[str, Any]) -> TensorError:
    with pytest.raises(TensorError) as caught:
        tensor(text, **arguments)
    return caught.value


def einsum_error_of(spec: str, sizes: dict[str, int]) -> TensorError:
    with pytest.raises(TensorError) as caught:
        einsum(spec, sizes)
    return caught.value


def underlined(error: TensorError) -> str:
    diagnostic = error.diagnostic
    start = diagnostic.location.column - 1
    return diagnostic.line[start : start + diagnostic.length] or "\n"


@pytest.mark.parametrize(("text", "arguments", "code", "marked"), CASES)
def test_what_is_wrong_is_underlined(text: str, arguments: dict[str, Any], code: str, marked: str) -> None:
    error = error_of(text, arguments)
    assert (error.code, underlined(error)) == (code, marked)


@pytest.mark.parametrize(("spec", "sizes", "code", "marked"), EINSUMS)
def test_what_is_wrong_with_an_einsum(spec: str, sizes: dict[str, int], code: str, marked: str) -> None:
    error = einsum_error_of(spec, sizes)
    assert (error.code, underlined(error)) == (code, marked)


@pytest.mark.parametrize("text", [None, 3, ["C[m] = A[m]"]])
def test_an_expression_is_text(text: Any) -> None:
    for read in (tensor, einsum):
        with pytest.raises(PolyloopError, match="an expression is text"):
            read(text, m=3)


def test_the_wording(golden: Golden) -> None:
    parts = [f"{error_of(text, arguments)}\n" for text, arguments, _, _ in CASES if len(text) < 60]
    parts += [f"{einsum_error_of(spec, sizes)}\n" for spec, sizes, _, _ in EINSUMS]
    golden.check(GOLDEN, "\n".join(parts))


def test_the_place_in_a_text_of_several_lines() -> None:
    error = error_of("I: [8]\nT[m] = I[m]\n  C[m] = T[m + 1]  # one too far", M)
    assert str(error).splitlines()[0].startswith("<tensor>:3:12: error: this subscript of T runs from 1 to 4")
    assert str(error).splitlines()[1:] == ["    C[m] = T[m + 1]  # one too far", "             ^~~~~"]
