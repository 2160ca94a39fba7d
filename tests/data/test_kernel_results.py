"""Every shipped kernel, compiled and run at a small odd size, against its mathematics in numpy or plain Python."""

from __future__ import annotations

import copy
import ctypes
import math
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyloop.shipped.kernels import KernelInfo, inputs, kernel, kernel_names

FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", "-ffp-contract=off", "-shared", "-fPIC"]
COMPILERS = [c for c in ("gcc", "clang-22", "clang") if shutil.which(c)][:2]
CTYPES = {"int": ctypes.c_int, "double": ctypes.c_double, "float": ctypes.c_float}

Arrays = Mapping[str, Any]
REFERENCES: dict[str, Callable[[Arrays], dict[str, Any]]] = {}


@pytest.fixture(scope="module", params=COMPILERS)
def libraries(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Compiles one kernel, once per compiler, and loads it. Any warning is an error."""
    folder: Path = tmp_path_factory.mktemp("kernels")
    loaded: dict[str, ctypes.CDLL] = {}

    def load(info: KernelInfo) -> ctypes.CDLL:
        if info.name not in loaded:
            library = folder / f"{info.name}.so"
            command = [request.param, *FLAGS, str(info.path), "-o", str(library), "-lm"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            assert (done.returncode, done.stderr) == (0, "")
            loaded[info.name] = ctypes.CDLL(str(library))
        return loaded[info.name]

    return load


def run(library: ctypes.CDLL, info: KernelInfo, values: Arrays) -> None:
    """Call the kernel; its arrays change in place."""
    arguments = [
        values[a.name].ctypes.data_as(ctypes.c_void_p) if a.shape else CTYPES[a.ctype](values[a.name])
        for a in info.arguments
    ]
    getattr(library, info.function)(*arguments)


def small_sizes(info: KernelInfo) -> dict[str, int]:
    """Extents that are odd, differ from one another, and fall so that gramschmidt has full column rank."""
    return dict(zip(info.parameters, (13, 11, 9, 7, 5), strict=False))


def reference(name: str) -> Callable[..., Any]:
    """Register the formulation of a kernel: from the initial values to what some of its arrays must hold."""

    def register(function: Callable[[Arrays], dict[str, Any]]) -> Callable[[Arrays], dict[str, Any]]:
        REFERENCES[name] = function
        return function

    return register


@pytest.mark.parametrize("name", kernel_names())
def test_result_is_the_mathematics(name: str, libraries: Callable[[KernelInfo], ctypes.CDLL]) -> None:
    info = kernel(name)
    start = inputs(name, small_sizes(info), seed=1)
    values = copy.deepcopy(start)
    run(libraries(info), info, values)
    expected = REFERENCES[name](start)
    assert set(info.outputs) <= set(expected)
    tolerance = 1e-4 if name == "deriche" else 1e-10
    for array, content in expected.items():
        np.testing.assert_allclose(values[array], content, rtol=tolerance, atol=tolerance, err_msg=array)


@pytest.mark.parametrize("name", kernel_names())
def test_values_stay_tame(name: str, libraries: Callable[[KernelInfo], ctypes.CDLL]) -> None:
    """At MINI nothing overflows, underflows or collapses into one value."""
    info = kernel(name)
    values: dict[str, Any] = dict(inputs(name, "MINI"))
    before = {array: values[array].copy() for array in info.outputs}
    run(libraries(info), info, values)
    for argument in info.arguments:
        if argument.shape and argument.dtype.kind == "f":
            array = values[argument.name]
            assert np.isfinite(array).all(), argument.name
            assert not ((array != 0) & (np.abs(array) < np.finfo(array.dtype).tiny)).any(), argument.name
    for output in info.outputs:
        assert len(np.unique(values[output])) > 4
        assert not np.array_equal(values[output], before[output])


# --- Products ------------------------------------------------------------------------------------------------


@reference("matvec")
def _(a: Arrays) -> dict[str, Any]:
    return {"y": a["A"] @ a["x"]}


@reference("gemm")
def _(a: Arrays) -> dict[str, Any]:
    return {"C": a["alpha"] * a["A"] @ a["B"] + a["beta"] * a["C"]}


@reference("2mm")
def _(a: Arrays) -> dict[str, Any]:
    product = a["alpha"] * a["A"] @ a["B"]
    return {"tmp": product, "D": product @ a["C"] + a["beta"] * a["D"]}


@reference("3mm")
def _(a: Arrays) -> dict[str, Any]:
    return {"G": a["A"] @ a["B"] @ a["C"] @ a["D"]}


@reference("atax")
def _(a: Arrays) -> dict[str, Any]:
    return {"y": a["A"].T @ (a["A"] @ a["x"]), "tmp": a["A"] @ a["x"]}


@reference("bicg")
def _(a: Arrays) -> dict[str, Any]:
    return {"s": a["A"].T @ a["r"], "q": a["A"] @ a["p"]}


@reference("mvt")
def _(a: Arrays) -> dict[str, Any]:
    return {"x1": a["x1"] + a["A"] @ a["y1"], "x2": a["x2"] + a["A"].T @ a["y2"]}


@reference("doitgen")
def _(a: Arrays) -> dict[str, Any]:
    return {"A": np.einsum("rqs,sp->rqp", a["A"], a["C4"])}


@reference("gemver")
def _(a: Arrays) -> dict[str, Any]:
    updated = a["A"] + np.outer(a["u1"], a["v1"]) + np.outer(a["u2"], a["v2"])
    x = a["x"] + a["beta"] * updated.T @ a["y"] + a["z"]
    return {"A": updated, "x": x, "w": a["w"] + a["alpha"] * updated @ x}


@reference("gesummv")
def _(a: Arrays) -> dict[str, Any]:
    return {"y": a["alpha"] * a["A"] @ a["x"] + a["beta"] * a["B"] @ a["x"]}


@reference("symm")
def _(a: Arrays) -> dict[str, Any]:
    symmetric = np.tril(a["A"]) + np.tril(a["A"], -1).T
    return {"C": a["alpha"] * symmetric @ a["B"] + a["beta"] * a["C"]}


def lower_update(a: Arrays, update: Any) -> dict[str, Any]:
    """C with its lower triangle replaced by alpha * update + beta * C."""
    return {"C": np.triu(a["C"], 1) + np.tril(a["alpha"] * update + a["beta"] * a["C"])}


@reference("syrk")
def _(a: Arrays) -> dict[str, Any]:
    return lower_update(a, a["A"] @ a["A"].T)


@reference("syr2k")
def _(a: Arrays) -> dict[str, Any]:
    return lower_update(a, a["A"] @ a["B"].T + a["B"] @ a["A"].T)


@reference("trmm")
def _(a: Arrays) -> dict[str, Any]:
    unit_lower = np.tril(a["A"], -1) + np.eye(a["m"])
    return {"B": a["alpha"] * unit_lower.T @ a["B"]}


# --- Factorisations and solvers ------------------------------------------------------------------------------


@reference("trisolv")
def _(a: Arrays) -> dict[str, Any]:
    return {"x": np.linalg.solve(np.tril(a["L"]), a["b"])}


@reference("cholesky")
def _(a: Arrays) -> dict[str, Any]:
    return {"A": np.linalg.cholesky(a["A"]) + np.triu(a["A"], 1)}


@reference("lu")
def _(a: Arrays) -> dict[str, Any]:
    """By Schur complements, one pivot after the other (the kernel goes row by row)."""
    factors = a["A"].copy()
    for k in range(a["n"] - 1):
        factors[k + 1 :, k] /= factors[k, k]
        factors[k + 1 :, k + 1 :] -= np.outer(factors[k + 1 :, k], factors[k, k + 1 :])
    lower, upper = np.tril(factors, -1) + np.eye(a["n"]), np.triu(factors)
    np.testing.assert_allclose(lower @ upper, a["A"], rtol=1e-12)
    return {"A": factors}


@reference("ludcmp")
def _(a: Arrays) -> dict[str, Any]:
    return {"x": np.linalg.solve(a["A"], a["b"])}


@reference("durbin")
def _(a: Arrays) -> dict[str, Any]:
    first_row = np.concatenate(([1.0], a["r"][:-1]))
    rows, columns = np.indices((a["n"], a["n"]))
    return {"y": np.linalg.solve(first_row[abs(rows - columns)], -a["r"])}


@reference("gramschmidt")
def _(a: Arrays) -> dict[str, Any]:
    q, r = np.linalg.qr(a["A"])
    signs = np.sign(np.diag(r))  # Householder's QR leaves the signs of R's diagonal open; here they are positive.
    untouched = np.tril(a["R"], -1)
    return {"Q": q * signs, "R": signs[:, None] * r + untouched}


# --- Statistics ----------------------------------------------------------------------------------------------


@reference("correlation")
def _(a: Arrays) -> dict[str, Any]:
    deviation = a["data"].std(axis=0)
    assert (deviation > 0.1).all()
    return {"corr": np.corrcoef(a["data"], rowvar=False), "mean": a["data"].mean(axis=0), "stddev": deviation}


@reference("covariance")
def _(a: Arrays) -> dict[str, Any]:
    return {"cov": np.cov(a["data"], rowvar=False), "mean": a["data"].mean(axis=0)}


# --- Images, graphs, sequences -------------------------------------------------------------------------------


def recursive_filter(rows: Any, alpha: float) -> Any:
    """Both of Deriche's passes along the last axis, summed; in double precision.

    y[t] = a_now x[t] + a_last x[t-1] + b1 y[t-1] + b2 y[t-2] forwards, and backwards the same without the
    current sample: a_next x[t+1] + a_after x[t+2] + b1 y[t+1] + b2 y[t+2].
    """
    decay = math.exp(-alpha)
    k = (1 - decay) ** 2 / (1 + 2 * alpha * decay - math.exp(2 * alpha))
    b1, b2 = 2.0**-alpha, -(decay**2)

    def one_pass(samples: Any, coefficients: tuple[float, float, float]) -> Any:
        padded = np.pad(samples, ((0, 0), (2, 0)))
        y = np.zeros_like(padded)
        for t in range(2, padded.shape[1]):
            drive = sum(c * padded[:, t - lag] for lag, c in enumerate(coefficients))
            y[:, t] = drive + b1 * y[:, t - 1] + b2 * y[:, t - 2]
        return y[:, 2:]

    forward = one_pass(rows, (k, k * decay * (alpha - 1), 0.0))
    backward = one_pass(rows[:, ::-1], (0.0, k * decay * (alpha + 1), -k * decay**2))[:, ::-1]
    return forward + backward


@reference("deriche")
def _(a: Arrays) -> dict[str, Any]:
    along_rows = recursive_filter(a["imgIn"].astype(np.float64), a["alpha"])
    return {"imgOut": recursive_filter(along_rows.T, a["alpha"]).T}


@reference("floyd-warshall")
def _(a: Arrays) -> dict[str, Any]:
    """Bellman's relaxation to a fixed point: paths of at least one edge, of any length."""
    longest = a["path"].astype(np.int64)
    while True:
        relaxed = np.minimum(longest, (longest[:, :, None] + longest[None, :, :]).min(axis=1))
        if np.array_equal(relaxed, longest):
            return {"path": longest}
        longest = relaxed


@reference("nussinov")
def _(a: Arrays) -> dict[str, Any]:
    """Top down with a memory: the first base stays alone, or pairs with any later one but its neighbour."""
    bases = [int(base) for base in a["seq"]]
    memory: dict[tuple[int, int], int] = {}

    def best(i: int, j: int) -> int:
        if i >= j:
            return 0
        if (i, j) not in memory:
            pairings = [
                1 + best(i + 1, k - 1) + best(k + 1, j) for k in range(i + 2, j + 1) if bases[i] + bases[k] == 3
            ]
            memory[i, j] = max([best(i + 1, j), *pairings])
        return memory[i, j]

    n = a["n"]
    return {"table": [[best(i, j) for j in range(n)] for i in range(n)]}


# --- Stencils ------------------------------------------------------------------------------------------------


@reference("adi")
def _(a: Arrays) -> dict[str, Any]:
    """Each half step as dense linear systems: (1 - r1 D) v = (1 + r2 D) u, with 1 on the boundary."""
    n, steps, u = a["n"], a["tsteps"], a["u"].copy()
    inner = slice(1, n - 1)
    second_difference = np.eye(n, k=1) - 2 * np.eye(n) + np.eye(n, k=-1)
    r_columns, r_rows = 2.0 * n * n / steps / 2, 1.0 * n * n / steps / 2

    def implicit(r: float, right: Any) -> Any:
        """Solve along the first axis with boundary values 1."""
        system = np.eye(n) - r * second_difference
        edge = np.zeros((n - 2, 1))
        edge[[0, -1]] = r
        return np.linalg.solve(system[inner, inner], right + edge)

    def explicit(r: float, field: Any) -> Any:
        """Second differences along the second axis, on the inner points."""
        return ((np.eye(n) + r * second_difference) @ field.T).T[inner, inner]

    for _step in range(steps):
        v = np.ones((n, n))
        v[:, [0, -1]] = np.nan  # Never read: the sweep along rows needs v on inner columns alone.
        v[inner, inner] = implicit(r_columns, explicit(r_rows, u))
        # The rows' sweep is the columns' one, transposed.
        inner_rows = implicit(r_rows, explicit(r_columns, v.T))
        u[inner, 0] = u[inner, -1] = 1.0
        u[inner, inner] = inner_rows.T
    return {"u": u}


@reference("fdtd-2d")
def _(a: Arrays) -> dict[str, Any]:
    ex, ey, hz = a["ex"].copy(), a["ey"].copy(), a["hz"].copy()
    for source in a["source"]:
        ey[0] = source
        ey[1:] -= 0.5 * np.diff(hz, axis=0)
        ex[:, 1:] -= 0.5 * np.diff(hz, axis=1)
        hz[:-1, :-1] -= 0.7 * (np.diff(ex, axis=1)[:-1] + np.diff(ey, axis=0)[:, :-1])
    return {"ex": ex, "ey": ey, "hz": hz}


def ping_pong(a: Arrays, update: Callable[[Any], Any]) -> dict[str, Any]:
    """From A to B and back at each step, on the inner points; the boundaries keep their own values."""
    fields = {"A": a["A"].copy(), "B": a["B"].copy()}
    inner = (slice(1, -1),) * fields["A"].ndim
    for _step in range(a["tsteps"]):
        fields["B"][inner] = update(fields["A"])
        fields["A"][inner] = update(fields["B"])
    return fields


@reference("heat-3d")
def _(a: Arrays) -> dict[str, Any]:
    def update(f: Any) -> Any:
        c = f[1:-1, 1:-1, 1:-1]
        second = (
            np.diff(f, 2, axis=0)[:, 1:-1, 1:-1]
            + np.diff(f, 2, axis=1)[1:-1, :, 1:-1]
            + np.diff(f, 2, axis=2)[1:-1, 1:-1, :]
        )
        return c + 0.125 * second

    return ping_pong(a, update)


@reference("jacobi-1d")
def _(a: Arrays) -> dict[str, Any]:
    return ping_pong(a, lambda f: 0.33333 * np.convolve(f, np.ones(3), "valid"))


@reference("jacobi-2d")
def _(a: Arrays) -> dict[str, Any]:
    return ping_pong(a, lambda f: 0.2 * (f[1:-1, 1:-1] + f[:-2, 1:-1] + f[2:, 1:-1] + f[1:-1, :-2] + f[1:-1, 2:]))


@reference("seidel-2d")
def _(a: Arrays) -> dict[str, Any]:
    field = a["A"].copy()
    n = a["n"]
    for _step, i, j in np.ndindex(a["tsteps"], n - 2, n - 2):
        field[i + 1, j + 1] = field[i : i + 3, j : j + 3].mean()
    return {"A": field}
