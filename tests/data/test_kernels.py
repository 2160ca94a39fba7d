"""The table of kernels and the inputs made from it."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from polyloop.errors import PolyloopError
from polyloop.shipped.kernels import KernelSizeError, UnknownKernelError, inputs, kernel, kernel_names

DATASETS = ("MINI", "SMALL", "MEDIUM", "LARGE", "EXTRALARGE")
# Published so: EXTRALARGE has fewer rows than LARGE.
SHRINKING_AT_THE_END = {"atax", "bicg"}


def test_all_31_are_here() -> None:
    assert " ".join(sorted(kernel_names())) == (
        "2mm 3mm adi atax bicg cholesky correlation covariance deriche doitgen durbin fdtd-2d floyd-warshall "
        "gemm gemver gesummv gramschmidt heat-3d jacobi-1d jacobi-2d lu ludcmp matvec mvt nussinov seidel-2d "
        "symm syr2k syrk trisolv trmm"
    )


def test_every_c_file_is_in_the_table() -> None:
    folder = kernel("gemm").path.parent
    assert {path.stem for path in folder.glob("*.c")} == set(kernel_names())


@pytest.mark.parametrize("name", kernel_names())
def test_table_is_complete(name: str) -> None:
    info = kernel(name)
    assert tuple(info.sizes) == DATASETS
    for sizes in info.sizes.values():
        assert set(sizes) == set(info.parameters)
    array_names = {a.name for a in info.arguments if a.shape}
    assert set(info.outputs) <= array_names
    assert info.outputs
    # Every scalar has a value, and no value is given to a name that the function does not have.
    scalars = {a.name for a in info.arguments if not a.shape} - set(info.parameters)
    assert scalars <= set(info.values) <= scalars | array_names
    for argument in info.arguments:
        assert set(argument.shape) <= set(info.parameters)


@pytest.mark.parametrize("name", kernel_names())
def test_sizes_grow(name: str) -> None:
    info = kernel(name)
    growing = DATASETS[:-1] if name in SHRINKING_AT_THE_END else DATASETS
    for smaller, larger in pairwise(growing):
        assert all(info.sizes[smaller][p] <= info.sizes[larger][p] for p in info.parameters)
        assert info.flops(smaller) < info.flops(larger)


@pytest.mark.parametrize("name", kernel_names())
def test_arguments_stand_in_the_order_sizes_scalars_arrays(name: str) -> None:
    kinds = [0 if a.name in kernel(name).parameters else 2 if a.shape else 1 for a in kernel(name).arguments]
    assert kinds == sorted(kinds)


@pytest.mark.parametrize("name", kernel_names())
def test_inputs_fit_the_signature(name: str) -> None:
    info = kernel(name)
    values = inputs(name, "mini")
    assert list(values) == [a.name for a in info.arguments]
    for argument in info.arguments:
        value = values[argument.name]
        if argument.shape:
            assert isinstance(value, np.ndarray)
            assert value.shape == tuple(info.sizes["MINI"][p] for p in argument.shape)
            assert value.dtype == argument.dtype
            assert value.flags.c_contiguous
            assert value.flags.writeable
        else:
            assert type(value) is (int if argument.name in info.parameters else float)


@pytest.mark.parametrize("name", kernel_names())
def test_inputs_are_reproducible_and_distinct(name: str) -> None:
    info, first, again, other = kernel(name), inputs(name, "MINI", 3), inputs(name, "MINI", 3), inputs(name, "MINI", 4)
    drawn = []
    for argument in info.arguments:
        if not argument.shape or info.values.get(argument.name) == "zeros":
            continue
        assert np.array_equal(first[argument.name], again[argument.name])
        assert not np.array_equal(first[argument.name], other[argument.name])
        if argument.dtype == np.float64 and info.values.get(argument.name) != "positive-definite":
            assert np.all(np.asarray(first[argument.name]) > 1e-4)
            drawn.append(np.ravel(first[argument.name]))
    if drawn:
        together = np.concatenate(drawn)
        assert len(np.unique(together)) == len(together)


def test_gemm_in_full() -> None:
    info = kernel("gemm")
    assert info.function == "gemm"
    assert info.parameters == ("ni", "nj", "nk")
    assert info.sizes["LARGE"] == {"ni": 1000, "nj": 1100, "nk": 1200}
    assert info.outputs == ("C",)
    assert info.flops({"ni": 2, "nj": 3, "nk": 5}) == 2 * 3 * (1 + 3 * 5)
    assert list(inputs("gemm", {"nk": 5, "ni": 2, "nj": 3})) == ["ni", "nj", "nk", "alpha", "beta", "C", "A", "B"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("gem", "no kernel is called 'gem'; did you mean gemm or gemver or gesummv?"),
        ("heat3d", "no kernel is called 'heat3d'; did you mean heat-3d?"),
    ],
)
def test_unknown_name_suggests_near_ones(wrong: str, message: str) -> None:
    with pytest.raises(UnknownKernelError) as error:
        kernel(wrong)
    assert str(error.value) == message
    assert isinstance(error.value, PolyloopError)


def test_hopeless_name_lists_all() -> None:
    with pytest.raises(UnknownKernelError, match=r"'zzzz'; there are matvec, gemm, .*, seidel-2d$"):
        kernel("zzzz")


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ("HUGE", "gemm has no dataset 'HUGE'; there are MINI, SMALL, MEDIUM, LARGE, EXTRALARGE"),
        ({"ni": 4, "nj": 4}, "gemm takes the sizes ni, nj, nk; missing: nk"),
        ({"ni": 4, "nj": 4, "nk": 4, "n": 4}, "gemm takes the sizes ni, nj, nk; unknown: n"),
        ({"ni": 4, "nj": 0, "nk": 4}, "gemm: the size nj is 0; it must be at least 1"),
    ],
)
def test_sizes_that_do_not_fit(sizes: dict[str, int] | str, message: str) -> None:
    with pytest.raises(KernelSizeError) as error:
        inputs("gemm", sizes)
    assert str(error.value) == message


def test_import_is_light() -> None:
    large = "('islpy', 'llvmlite', 'gymnasium')"
    code = f"import sys, polyloop.shipped.kernels; print([m for m in {large} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"
