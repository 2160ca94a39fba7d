"""Wrong usage: found before any work, said in one line, exit status 2, nothing written."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from polyloop.cli.arguments import parse
from polyloop.cli.bench import SUITES
from polyloop.search.registry import SEARCHES
from polyloop.shipped.workloads import workload_sets
from tests.helpers.commands import SCALE, Run

WRONG = [
    (("optimize",), "the following arguments are required: INPUT; see polyloop optimize --help"),
    (("optimize", "scale.c", "--fast"), "unrecognized arguments: --fast; see polyloop optimize --help"),
    (
        ("optimize", "scale.c", "--serach=isl"),
        "unrecognized arguments: --serach=isl; did you mean --search?; see polyloop optimize --help",
    ),
    (("explore",), "the following arguments are required: INPUT; see polyloop explore --help"),
    (
        ("bench", "matmul", "--plots", "d"),
        "unrecognized arguments: --plots d; --plots is an option of bench polygym, searches, trials, agents; "
        "see polyloop bench matmul --help",
    ),
    (
        ("bench", "polybench", "--heuristics=uniform"),
        "unrecognized arguments: --heuristics=uniform; --heuristics is an option of bench polygym; "
        "see polyloop bench polybench --help",
    ),
    (("bench", "searches", "--set", "kernels", "--plots", "d"), "--plots: --set kernels does without"),
    (
        ("bench", "trials", "--set", "kernels"),
        f"--set: 'kernels' is no set; there are looptune-test, looptune-test-25, {', '.join(workload_sets())}",
    ),
    (
        ("bench", "searches", "--set", "nothing"),
        f"--set: 'nothing' is no set; there are looptune-test, looptune-test-25, kernels, {', '.join(workload_sets())}",
    ),
    (("bench", "searches", "--dataset", "mini"), "--dataset: this is for --set kernels"),
    (
        ("optimize", "scale.c", "--search", "magic"),
        f"argument --search: invalid choice: 'magic' (choose from {', '.join(map(repr, SEARCHES))}); "
        "see polyloop optimize --help",
    ),
    (
        ("optimize", "scale.c", "--space", "time"),
        "argument --space: invalid choice: 'time' (choose from 'schedule', 'cursor'); see polyloop optimize --help",
    ),
    (
        ("optimize", "scale.c", "--emit=c,cuda"),
        "argument --emit: cannot emit 'cuda'; there are c, llvm, asm, obj, schedule, isl, jscop, graph; "
        "see polyloop optimize --help",
    ),
    (("show", "scale.c", "--svg", "-", "--graph", "-"), "--svg and --graph both write to standard output"),
    (("optimize", "scale.c", "--emit=c,llvm"), "--emit: c, llvm do not all fit on standard output; give -o FILE"),
    (("optimize", "scale.c", "--emit=obj"), "--emit: an object file comes with a header; give -o FILE"),
    (
        ("optimize", "scale.c", "--sizes", "n"),
        "argument --sizes: 'n' is not NAME=NUMBER, as in N=1000; see polyloop optimize --help",
    ),
    (
        ("optimize", "scale.c", "--sizes", "n=1e3"),
        "argument --sizes: 'n=1e3' is not NAME=NUMBER, as in N=1000; see polyloop optimize --help",
    ),
    (("optimize", "scale.c", "--sizes", "m=8"), "--sizes: scale.c has no parameter m; the parameters are n"),
    (("optimize", "scale.c", "--sizes", "n=0"), "--sizes: n=0: outside what scale is written for: n > 0"),
    (
        ("optimize", "scale.c", "--budget", "0"),
        "argument --budget: '0' is not a time, as in 10s, 500ms or 2min; see polyloop optimize --help",
    ),
    (
        ("optimize", "scale.c", "--budget", "nan"),
        "argument --budget: 'nan' is not a time, as in 10s, 500ms or 2min; see polyloop optimize --help",
    ),
    (
        ("optimize", "scale.c", "--threads", "1.5"),
        "argument --threads: '1.5' is not a positive whole number; see polyloop optimize --help",
    ),
    (
        ("bench", "agents", "--plots", "scale.c"),
        "--plots: scale.c is a file, or cannot be made a folder; give another",
    ),
    (
        ("bench", "searches", "--plots", "scale.c/below"),
        "--plots: scale.c/below is a file, or cannot be made a folder; give another",
    ),
    (("bench", "fuzz", "--only", "5", "--count", "5"), "--only 5: the episodes of --count 5 are 0 to 4"),
    (
        ("optimize", "scale.c", "--target", "mmx"),
        "argument --target: no instruction set is called 'mmx'; there are avx512, avx2, sse, neon; "
        "see polyloop optimize --help",
    ),
    (
        ("optimize", "scale.c", "--targets", "avx2,sse", "--target", "sse"),
        "argument --target: not allowed with argument --targets; see polyloop optimize --help",
    ),
    (
        ("optimize", "scale.c", "-o", "x.o", "--emit", "obj", "--targets", "avx2,neon"),
        "--targets: obj is for one architecture, and neon is of another; give --target",
    ),
    (
        ("optimize", "scale.c", "-o", "x", "--emit", "c,schedule", "--targets", "avx2,sse"),
        "--targets: schedule is of one schedule, and every version has its own; give --target",
    ),
    (("optimize", "scale.c", "-o", "scale.c"), "-o: scale.c is the input; --in-place overwrites it"),
    (("optimize", "scale.c", "-o", "./scale.c"), "-o: ./scale.c is the input; --in-place overwrites it"),
    (("optimize", "scale.c", "--json", "scale.c"), "--json: scale.c is the input; --in-place overwrites it"),
    (("optimize", "scale.c", "-o", "no/out.c"), "-o: there is no folder no; make it first"),
    (("optimize", "scale.c", "-o", "."), "-o: . is a folder; give a file's name"),
    (("optimize", "scale.c", "-o", "-", "--json", "-"), "-o and --json both write to standard output"),
    (("optimize", "scale.c", "-o", "x", "--json", "x"), "-o and --json both write to x"),
    (("optimize", "scale.c", "-o", "x", "--depfile", "x"), "-o and --depfile both write to x"),
    (("optimize", "scale.c", "-o", "x.c", "--helpers", "./x.c"), "-o and --helpers both write to x.c"),
    (
        ("optimize", "scale.c", "-o", "x.c", "--helpers", "h", "--depfile", "h"),
        "--helpers and --depfile both write to h",
    ),
    (
        ("optimize", "scale.c", "-o", "x", "--depfile", "scale.c"),
        "--depfile: scale.c is the input; --in-place overwrites it",
    ),
    (
        ("optimize", "scale.c", "-o", "x", "--helpers", "scale.c"),
        "--helpers: scale.c is the input; --in-place overwrites it",
    ),
    (
        ("optimize", "scale.c", "--in-place", "-o", "x.c"),
        "--in-place overwrites the input file, but -o names another place",
    ),
    *(
        (
            ("optimize", "scale.c", "--reproducible", f"--fp-contract={mode}"),
            f"--reproducible contradicts --fp-contract={mode}: not every processor fuses multiply-adds; "
            "leave one of them out",
        )
        for mode in ("on", "fast")
    ),
    (
        ("optimize", "scale.c", "--reassociate", "--reproducible"),
        "--reproducible contradicts --reassociate: sums in an order of the machine's have its bits; "
        "leave one of them out",
    ),
    (("optimize", "-", "--in-place"), "--in-place overwrites the input file, but standard input has no place"),
    (
        ("optimize", "scale.c", "--in-place", "--emit=llvm"),
        "--in-place writes the C file; add c to --emit, or give -o FILE",
    ),
    (
        ("optimize", "gemm", "--dataset", "huge"),
        "--dataset: gemm has no dataset HUGE; there are MINI, SMALL, MEDIUM, LARGE, EXTRALARGE",
    ),
    (
        ("optimize", "scale.c", "--dataset", "huge"),
        "--dataset: nothing in scale.c asks for HUGE_DATASET; --sizes gives values, and -D defines a macro",
    ),
    (
        ("show", "scale.c", "--dataset", "a b"),
        "argument --dataset: 'a b' is not the name of a dataset, as in LARGE; see polyloop show --help",
    ),
    (("show", "scale.c", "--svg", "scale.c"), "--svg: scale.c is the input; --in-place overwrites it"),
    (
        ("explain", "scale.c", "swop(path=())"),
        "there is no transform 'swop'; there are expand, split_webs, index_set_split, relayout, in_place, "
        "lane_search, read_first, substitute, unfold, reroll, closed_form, addend, strip, precompute, hoist, "
        "realign, keep, normalise, lookup, peel, tile, split, merge, swap, skew, reverse, fuse, distribute, "
        "join_bands, split_band, vectorize, unroll, register_tile, parallelize, pack, prefetch; "
        "polyloop explain without transforms lists all that a file has",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_wrong_usage(run: Run, scale: Path, arguments: tuple[str, ...], message: str) -> None:
    ran = run(*arguments)
    assert (ran.err, ran.out, ran.status) == (f"polyloop: error: {message}\n", "", 2)
    assert scale.read_text() == SCALE
    assert [path.name for path in scale.parent.iterdir()] == ["scale.c"]


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [(("optimise", "scale.c"), "optimize"), (("bench", "matmull"), "matmul"), (("optimize", "x", "--emit"), None)],
)
def test_what_was_probably_meant(run: Run, arguments: tuple[str, ...], meant: str | None) -> None:
    ran = run(*arguments)
    assert ran.status == 2
    assert ("did you mean" in ran.err) == (meant is not None)
    assert meant is None or f"did you mean {meant}?" in ran.err


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_takes_the_options_that_it_reads_and_no_others(name: str) -> None:
    """By the text of its module, and of what it shares."""
    shared = {"searches": ("searches_kernels",), "stencils": ("polybench",)}
    modules = [SUITES[name].module, *(f"polyloop.bench.{other}" for other in shared.get(name, ()))]
    text = "".join(Path(str(find_spec(module).origin)).read_text() for module in modules)  # type: ignore[union-attr]
    given = set(re.findall(r'^ +given = .*"([a-z_]+)": False', text, re.MULTILINE))  # to what it shares
    read = set(re.findall(r"\barguments\.([a-z_]+)", text)) - given | {"json"}
    taken = set(vars(parse(["bench", name]))) - {"suite", "command", "module", "debug", "version", "words"}
    assert taken == read


def test_a_target_that_this_machine_lacks_is_said_once(run: Run, scale: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOP_TARGET", "abacus")
    ran = run("optimize", "scale.c", "-o", "out.c")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("polyloop: error: POLYLOOP_TARGET is 'abacus', but code for this machine is of native")
    assert [path.name for path in scale.parent.iterdir()] == ["scale.c"]


def test_sizes_at_which_nothing_happens(run: Run, tmp_path: Path) -> None:
    (tmp_path / "late.c").write_text(
        "void late(int n, double a[100])\n{\n#pragma scop\n"
        "  for (int i = 10; i < n; i++)\n    a[i] = 0;\n#pragma endscop\n}\n"
    )
    ran = run("optimize", "late.c", "--sizes", "n=10")
    message = "--sizes: with n=10 no statement of late is executed, so there is nothing to measure"
    assert (ran.status, ran.out, ran.err) == (2, "", f"polyloop: error: {message}\n")


def test_links_to_the_input_are_the_input(run: Run, scale: Path) -> None:
    (scale.parent / "link.c").symlink_to(scale)
    (scale.parent / "hard.c").hardlink_to(scale)
    assert run("optimize", "scale.c", "-o", "link.c").status == 2
    assert run("optimize", "link.c", "-o", "hard.c").status == 2
    assert scale.read_text() == SCALE


def test_kernels_that_ship_with_polyloop_stay_as_they_are(run: Run) -> None:
    ran = run("optimize", "gemm", "--in-place")
    assert ran.status == 2
    assert ran.err.endswith("ships with polyloop and stays as it is; give -o FILE\n")


def test_bad_environment_variables_are_named(run: Run, scale: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOP_THREADS", "many")
    ran = run("optimize", str(scale))
    assert ran.status == 1
    assert "POLYLOOP_THREADS is 'many'" in ran.err


def test_a_search_that_does_not_walk_a_space(run: Run, scale: Path) -> None:
    ran = run("optimize", "scale.c", "--search", "isl", "--space", "cursor")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("polyloop: error: --search: the search isl does not walk the space 'cursor'; ")
