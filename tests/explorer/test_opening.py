"""What can be explored, by its name, and what is said of the rest."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import gymnasium
import pytest

import polyloop.envs
from polyloop.cursor.actions import FLAGS, NEST_FLAGS
from polyloop.cursor.process import NestCursor
from polyloop.cursor.tree_process import TreeCursor
from polyloop.envs.cursor import CursorEnv
from polyloop.explorer.opening import Subject
from tests.helpers.commands import Run

needs_textual = pytest.mark.skipif(find_spec("textual") is None, reason="needs the extra tui")

polyloop.envs.register()
Open = Callable[..., Subject]


def test_a_workload(opened: Open) -> None:
    subject = opened("MM-64")
    assert isinstance(subject.process, NestCursor)
    assert (subject.title, subject.sizes, subject.stem) == ("operators/MM-64", "m=64 k=64 n=64", "MM-64")
    assert subject.process.names[-4:] == NEST_FLAGS
    assert subject.source is None


def test_an_expression_with_sizes(opened: Open) -> None:
    subject = opened("C[m,n] += A[m,k]*B[k,n]", "m=8", "n=9", "--sizes", "k=10")
    assert subject.process.problem.flops == 2 * 8 * 9 * 10
    assert subject.sizes == "m=8 n=9 k=10"


def test_an_einsum_has_its_loops_in_the_order_of_the_sizes(opened: Open) -> None:
    subject = opened("mk,kn->mn", "k=10", "--evaluator", "model", "n=9", "m=8")
    assert [line.split()[0] for line in subject.process.initial().text.splitlines()][:3] == ["k", "n", "m"]


def test_a_program_of_several_statements_is_a_tree_with_all_actions(opened: Open) -> None:
    subject = opened("C[m, n] = relu(sum(k) (A[m, k] * B[k, n]) + b[n])", "m=8", "n=8", "k=8")
    assert isinstance(subject.process, TreeCursor)
    assert subject.process.names[-6:] == FLAGS


def test_a_shipped_kernel_has_the_environments_sizes(opened: Open) -> None:
    assert opened("gemm").sizes == "ni=200 nj=220 nk=240"
    assert opened("gemm", "--dataset", "MINI").sizes == "ni=20 nj=25 nk=30"
    assert opened("gemm", "ni=5", "nj=6", "nk=7").sizes == "ni=5 nj=6 nk=7"
    assert opened("matvec", "--sizes", "m=20,n=30").process.problem.flops == 2 * 20 * 30


def test_a_c_file(opened: Open, scale: Path) -> None:
    subject = opened("scale.c", "n=40")
    assert subject.source is not None
    assert (subject.title, subject.sizes) == ("scale", "n=40")
    assert subject.arguments is not None
    assert subject.arguments["kernel"] == str(scale.resolve())
    assert opened("scale.c", "-D", "X=1").arguments is None


def test_looptunes_actions(opened: Open) -> None:
    assert len(opened("MM-64", "--compat", "looptune").process.names) == 7


@pytest.mark.parametrize(
    "arguments",
    [
        ("MM-64",),
        ("MM-64", "--compat", "looptune"),
        ("C[m,n] += A[m,k]*B[k,n]", "m=8", "n=9", "k=10"),
        ("mk,kn->mn", "k=10", "n=9", "m=8"),
        ("gemm", "--dataset", "MINI"),
        ("scale.c", "n=40", "--reassociate"),
    ],
)
def test_the_environments_arguments_make_the_same_process(
    opened: Open, scale: Path, arguments: tuple[str, ...]
) -> None:
    subject = opened(*arguments)
    assert subject.arguments is not None
    env = gymnasium.make("polyloop/Cursor-v0", evaluator="model", length=3, **subject.arguments).unwrapped
    assert isinstance(env, CursorEnv)
    assert env.process.names == subject.process.names
    assert env.process.initial() == subject.process.initial()
    assert env.process.problem.flops == subject.process.problem.flops


WRONG = [
    (("-",), "explore reads keys from the terminal, so that the program has to come from a file", 2),
    (("MM-64", "m=3"), "MM-64 is a workload and has its own sizes, so m= has no place", 2),
    (("MM-64", "-I", "."), "-I goes with C files, and MM-64 is a workload", 2),
    (("MM-64", "three"), "'three' is not a dimension's size, as in m=256", 2),
    (("A[i] = B[i]",), "'A[i] = B[i]' needs a size for every dimension: add m=256 and so on behind it", 2),
    (("gemm", "--compat", "looptune"), "--compat looptune takes tensor programs only, as LoopTune does", 2),
    (("gemm", "x=3"), "--sizes: gemm.c has no parameter x; the parameters are ni, nj, nk", 2),
    (("MM-64",), "explore is for a terminal; polyloop optimize and polyloop explain work without one", 2),
]


@needs_textual
@pytest.mark.parametrize(("arguments", "message", "status"), WRONG, ids=[" ".join(w[0]) for w in WRONG])
def test_wrong_usage(run: Run, arguments: tuple[str, ...], message: str, status: int) -> None:
    ran = run("explore", *arguments)
    expected = f"polyloop: error: {message}\n"
    # Shipped kernels are named by their paths.
    said = "polyloop: error: --sizes: gemm.c" + ran.err.partition("gemm.c")[2] if "gemm.c" in ran.err else ran.err
    assert (said, ran.out, ran.status) == (expected, "", status)


@needs_textual
def test_a_name_of_nothing(run: Run) -> None:
    ran = run("explore", "gem")
    assert ran.status == 1
    assert ran.err.startswith("polyloop: error: there is no file gem; no kernel is called 'gem'; did you mean")
    assert "no workload is called 'gem'" in ran.err
    assert ran.err.count("\n") == 1


@needs_textual
def test_a_file_of_several_regions(run: Run, scale: Path) -> None:
    scale.write_text(scale.read_text() + scale.read_text().replace("void scale", "void scale_again"))
    ran = run("explore", "scale.c")
    message = "scale.c has 2 regions, and explore takes one; choose with --function from scale, scale_again"
    assert ran.err == f"polyloop: error: {message}\n"
    assert run("explore", "scale.c", "--function", "scale").err.startswith("polyloop: error: explore is for a terminal")


def test_without_textual(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyloop.cli.explore.find_spec", lambda name: None)
    ran = run("explore", "MM-64")
    assert (ran.err, ran.status) == (
        "polyloop: error: polyloop explore needs textual; pip install 'polyloop[tui]'\n",
        1,
    )
