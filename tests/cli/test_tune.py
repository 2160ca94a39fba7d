"""`polyloop tune`: programs in every form, what is printed and saved, and messages for what cannot be tuned."""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from polyloop.cli.tune import open_process, read_program
from polyloop.cursor.actions import Actions
from polyloop.search.cursor.searches import cursor_methods
from polyloop.search.registry import CURSOR_SEARCHES
from tests.helpers.commands import Run

PRODUCT = ("C[m,n] += A[m,k]*B[k,n]", "m=24", "n=32", "k=16")


def test_a_product_is_tuned_and_its_object_computes_it(run: Run, tmp_path: Path) -> None:
    ran = run("tune", *PRODUCT, "--evaluations", "4", "--budget", "60s", "-o", "product.o", "--json", "product.json")
    assert ran.status == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0] == "C[m,n] += A[m,k]*B[k,n]   m=24 n=32 k=16, float32"
    assert "of the core's peak" in ran.out
    assert "search scripted: 4 nests" in ran.out
    assert "void product(const float *A, const float *B, float *C);" in (tmp_path / "product.h").read_text()
    shared = tmp_path / "product.so"
    subprocess.run(["cc", "-shared", "-o", shared, "product.o", "-lm"], check=True)
    a, b = np.random.default_rng(0).random((2, 32, 32), np.float32)
    a, b, c = np.ascontiguousarray(a[:24, :16]), np.ascontiguousarray(b[:16]), np.ones((24, 32), np.float32)
    ctypes.CDLL(str(shared)).product(*(ctypes.c_void_p(array.ctypes.data) for array in (a, b, c)))
    np.testing.assert_allclose(c, 1 + a @ b, rtol=1e-5)
    content = json.loads((tmp_path / "product.json").read_text())
    assert content["suite"] == "tune"
    assert {row["name"] for row in content["rows"]} >= {"untuned", "default"}
    assert content["summary"]["evaluations"] == 4
    assert content["summary"]["best"] in {row["name"] for row in content["rows"]}


@pytest.mark.parametrize("ending", ["c", "ll", "s"])
def test_other_files_by_their_ending(run: Run, tmp_path: Path, ending: str) -> None:
    ran = run("tune", "mk,kn->mn", "m=8", "k=8", "n=16", "--evaluations", "2", "-o", f"k.{ending}")
    assert ran.status == 0, ran.err
    assert re.search(r"\bk\b", (tmp_path / f"k.{ending}").read_text())
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [f"k.{ending}"]


def test_objects_are_linked_together(run: Run, tmp_path: Path) -> None:
    options = ("mk,kn->mn", "m=8", "k=8", "n=16", "--evaluations", "1")
    for name in (("-o", "one.o"), ("-o", "2nd-try.o"), ("-o", "class.o"), ("-o", "x.o", "--name", "fourth")):
        ran = run("tune", *options, *name)
        assert ran.status == 0, ran.err
    (tmp_path / "main.c").write_text(
        '#include "one.h"\n#include "2nd-try.h"\n#include "class.h"\n#include "x.h"\n'
        "int main(void)\n{\n  float a[64] = {0}, b[128] = {0}, c[128];\n"
        "  one(a, b, c);\n  f2nd_try(a, b, c);\n  class_(a, b, c);\n  fourth(a, b, c);\n  return 0;\n}\n"
    )
    objects = ("one.o", "2nd-try.o", "class.o", "x.o")
    subprocess.run(["cc", "-Wall", "-Werror", "-o", "main", "main.c", *objects, "-lm"], check=True)
    subprocess.run(["./main"], check=True)


def test_a_run_is_resumed(run: Run, tmp_path: Path) -> None:
    options = ("--search", "random", "--resume", "journal", "--dtype", "float64")
    first = run("tune", *PRODUCT, "--evaluations", "4", *options)
    assert first.status == 0, first.err
    kept = {path.name: path.read_text() for path in tmp_path.glob("journal.*")}
    assert kept.keys() == {"journal.default", "journal.untuned"}
    second = run("tune", *PRODUCT, "--evaluations", "8", *options)
    assert second.status == 0, second.err
    assert all((tmp_path / name).read_text().startswith(text) for name, text in kept.items())
    other = run("tune", *PRODUCT, "--evaluations", "8", "--search", "mcts", "--resume", "journal")
    assert other.status == 1
    assert "is the journal of another search" in other.err
    larger = run("tune", PRODUCT[0], "m=48", "n=32", "k=16", "--evaluations", "8", *options)
    assert larger.status == 1
    assert "journal.default:1: this is the journal of another search: its start is default" in larger.err
    (tmp_path / "journal.untuned").write_bytes(b'{"foo": 1}\n')
    damaged = run("tune", *PRODUCT, "--evaluations", "8", *options)
    assert damaged.status == 1
    assert "journal.untuned:1: not how the journal of a search begins" in damaged.err


@pytest.mark.parametrize("name", ["", ".", "-", "nowhere/journal"])
def test_a_journal_needs_a_file_name(run: Run, name: str) -> None:
    ran = run("tune", *PRODUCT, "--evaluations", "1", "--resume", name)
    assert ran.status == 2
    assert "--resume: " in ran.err


def test_programs_of_several_statements(run: Run) -> None:
    text = "H[b, p] = relu(sum(d) X[b, d] * U[d, p])\nY[b, q] = H[b, p] * V[p, q]"
    ran = run("tune", text, "b=8", "d=8", "p=8", "q=8", "--evaluations", "3", "--untuned-only")
    assert ran.status == 0, ran.err
    assert "search greedy1: 3 nests" in ran.out
    refused = run("tune", text, "b=8", "d=8", "p=8", "q=8", "--search", "scripted")
    assert refused.status == 1
    assert "takes one contraction" in refused.err


def test_workloads_have_their_own_sizes() -> None:
    text, scop = read_program("MM-64", (), "float64")
    assert text.endswith("m=64 k=64 n=64, float64")
    assert scop.name == "operators_MM_64"
    assert {array.type.bits for array in scop.arrays} == {64}


@pytest.mark.parametrize(
    ("program", "sizes", "shapes", "search"),
    [
        (PRODUCT[0], PRODUCT[1:], ((24, 16), (16, 32), (24, 32)), "scripted"),
        (PRODUCT[0], PRODUCT[1:], ((24, 16), (16, 32), (24, 32)), "random"),
        ("C[m] += A[m+i,k]*B[i,k]", ("m=20", "i=3", "k=16"), ((22, 16), (3, 16), (20,)), "greedy1"),
    ],
)
def test_reproducible_kernels_have_the_bits_of_plain_loops(
    run: Run, tmp_path: Path, program: str, sizes: tuple[str, ...], shapes: tuple[tuple[int, ...], ...], search: str
) -> None:
    options = ("--reproducible", "--search", search, "--evaluations", "12", "-o", "k.c", "--json", "k.json")
    ran = run("tune", program, *sizes, *options)
    assert ran.status == 0, ran.err
    assert "reproducible: the same bits on every processor" in ran.out
    content = json.loads((tmp_path / "k.json").read_text())
    assert content["summary"]["reproducible"]["not_covered"][0] == "payloads of NaN"
    made = [np.random.default_rng(k).random(shape, np.float32) - 0.5 for k, shape in enumerate(shapes)]
    pairs = zip("ABC", shapes, strict=True)
    parameters = ", ".join(f"float {name}{''.join(f'[{extent}]' for extent in shape)}" for name, shape in pairs)
    statement = program.replace(",", "][") + ";"
    loops = "".join(f"for (int {n} = 0; {n} < {e}; {n}++) " for n, e in (size.split("=") for size in sizes))
    (tmp_path / "plain.c").write_text(f"void k({parameters}) {{ {loops}{statement} }}\n")
    results = []
    for name, flags in (("plain", ("-O1", "-ffp-contract=off")), ("k", ("-O3", "-march=native"))):
        subprocess.run(["cc", *flags, "-w", "-shared", "-fPIC", f"{name}.c", "-o", f"{name}.so", "-lm"], check=True)
        arrays = [array.copy() for array in made]
        ctypes.CDLL(str(tmp_path / f"{name}.so")).k(*(ctypes.c_void_p(array.ctypes.data) for array in arrays))
        results.append(b"".join(array.tobytes() for array in arrays))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("gemm",), 2, "gemm is C; polyloop optimize gemm --space cursor walks its loops"),
        (("CONF-1",), 2, "did you mean CONV-1"),
        (("MM-64", "m=3"), 2, "MM-64 has its own sizes"),
        (PRODUCT[:3], 1, "the size of k is not known"),
        ((PRODUCT[0], "m=0"), 2, "'m=0' is not a dimension's size, as in m=256"),
        (("C[m", "m=8"), 1, "error: expected"),
        ((*PRODUCT, "-o", "x.exe"), 2, "-o: x.exe should end in .o, .c, .ll, .s"),
        ((*PRODUCT, "--budget", "5d"), 2, "'5d' is not a time, as in 10s, 500ms or 2min"),
        ((*PRODUCT, "--json", "no/such/folder.json"), 2, "there is no folder no/such"),
        ((*PRODUCT, "--name", "f"), 2, "--name: it names the function in the file that -o FILE saves"),
        ((*PRODUCT, "-o", "k.o", "--name", "3x"), 2, "'3x' is not a name for a C function; f3x would be"),
        ((*PRODUCT, "--search", "simplex"), 2, "invalid choice: 'simplex'"),
    ],
)
def test_messages(run: Run, arguments: tuple[str, ...], status: int, message: str) -> None:
    ran = run("tune", *arguments)
    assert ran.status == status
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed")
def test_a_policy_needs_torch(run: Run) -> None:
    ran = run("tune", *PRODUCT, "--search", "policy")
    assert ran.status == 1
    assert "pip install 'polyloop[gnn]'" in ran.err


def test_the_names_of_searches_are_those_there_are() -> None:
    assert set(CURSOR_SEARCHES) - {"policy"} <= set(cursor_methods())


@pytest.mark.parametrize(
    "program", ["C[m, n] += A[m, k] * B[k, n]", "C[m, n] = A[m, n] + B[n, m]\nD[m] = sum(n) C[m, n]"]
)
def test_a_policy_has_all_actions_that_it_knows(program: str) -> None:
    known = Actions.of("native", ("register_tile",), splits=(6, 24), stop=True)
    _, scop = read_program(program, [f"{d}=24" for d in "mnk" if d in program], "f32")
    names = open_process(scop, threads=2, known=known).names
    assert set(known.names) < set(names)
    assert "parallelize" in names
    assert names[-1] == "stop"
