"""Dependences of small Scops against enumeration, and of the kernels in data/ against published figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import islpy as isl
import pytest
from hypothesis import HealthCheck, given, settings

from polyloop.frontend import read_c
from polyloop.scop import dependence as analysis
from polyloop.scop.dependence import Dependence, basic_blocks, flow
from polyloop.scop.model import Scop
from polyloop.support.isl_limits import limited
from tests.helpers.enumeration import Instance, conflicts, instances, parameter_values
from tests.helpers.random_transforms import scops
from tests.helpers.small_scops import assign, gemm, loop, scop, symm

KERNELS = Path(__file__).resolve().parents[2] / "data" / "kernels"
RELAXED = settings(deadline=None, suppress_health_check=list(HealthCheck))

# Statements and value-based dependences, at statement and at block granularity, with all parameters at least 4.
# Of deriche's 47 statements five are the outer halves of chained assignments, each with its dependence.
FIGURES = {
    "correlation": (15, 12, 19, 16),
    "covariance": (8, 7, 11, 10),
    "2mm": (4, 4, 5, 5),
    "3mm": (6, 6, 8, 8),
    "atax": (4, 4, 5, 5),
    "bicg": (4, 3, 4, 3),
    "doitgen": (3, 3, 8, 8),
    "mvt": (2, 2, 2, 2),
    "gemm": (2, 2, 2, 2),
    "gemver": (4, 4, 6, 6),
    "gesummv": (5, 3, 6, 3),
    "symm": (4, 3, 12, 11),
    "syr2k": (2, 2, 2, 2),
    "syrk": (2, 2, 2, 2),
    "trmm": (2, 2, 4, 4),
    "cholesky": (4, 4, 8, 8),
    "durbin": (10, 7, 32, 30),
    "gramschmidt": (7, 7, 16, 16),
    "lu": (3, 3, 8, 8),
    "ludcmp": (12, 12, 48, 48),
    "trisolv": (3, 3, 5, 5),
    "deriche": (47, 11, 147, 29),
    "floyd-warshall": (1, 1, 9, 9),
    "nussinov": (5, 4, 15, 12),
    "adi": (27, 9, 90, 40),
    "fdtd-2d": (4, 4, 10, 10),
    "heat-3d": (2, 2, 4, 4),
    "jacobi-1d": (2, 2, 4, 4),
    "jacobi-2d": (2, 2, 4, 4),
    "seidel-2d": (1, 1, 3, 3),
}


def pairs(
    dependences: tuple[Dependence, ...], parameters: dict[str, int]
) -> set[tuple[str, tuple[int, ...], str, tuple[int, ...]]]:
    """All pairs of instances at one assignment of the parameters."""
    found: set[tuple[str, tuple[int, ...], str, tuple[int, ...]]] = set()
    for dependence in dependences:
        relation = dependence.relation
        for name, value in parameters.items():
            index = relation.find_dim_by_name(isl.dim_type.param, name)
            relation = relation.fix_val(isl.dim_type.param, index, isl.Val(value))
        points: list[isl.Point] = []
        relation.project_out(isl.dim_type.param, 0, relation.dim(isl.dim_type.param)).wrap().foreach_point(
            points.append
        )
        middle = len(dependence.source_iterators)
        for point in points:
            count = middle + len(dependence.target_iterators)
            values = tuple(point.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(count))
            found.add((dependence.source, values[:middle], dependence.target, values[middle:]))
    return found


@settings(RELAXED, max_examples=25)
@given(scops(3))
def test_memory_dependences_are_all_conflicting_pairs(source: Scop) -> None:
    for parameters in parameter_values(source):
        expected = {
            (first.statement, first.point, second.statement, second.point)
            for first, second in conflicts(instances(source, parameters))
        }
        assert pairs(source.dependences("memory"), parameters) == expected


@settings(RELAXED, max_examples=25)
@given(scops(3))
def test_value_dependences_are_last_accesses(source: Scop) -> None:
    for parameters in parameter_values(source):
        expected = last_accesses(instances(source, parameters))
        assert pairs(source.dependences("value"), parameters) == expected


def last_accesses(ordered: list[Instance]) -> set[tuple[str, tuple[int, ...], str, tuple[int, ...]]]:
    """Write to read, write to next write, and read to next write, of every element."""
    found = set()
    writer: dict[object, Instance] = {}
    readers: dict[object, list[Instance]] = {}
    for instance in ordered:
        *reads, write = ((touch.array, touch.cell) for touch in instance.touches)
        before = [writer[element] for element in reads if element in writer]
        before += readers.get(write, [])
        before += [writer[write]] if write in writer else []
        found |= {(b.statement, b.point, instance.statement, instance.point) for b in before}
        for element in reads:
            readers.setdefault(element, []).append(instance)
        writer[write] = instance
        readers[write] = []
    return found


def test_kinds_and_arrays_of_gemm() -> None:
    described = [(str(d), d.reduction) for d in gemm().dependences("value")]
    assert described == [
        (
            "[n] -> { S[i, j] -> T[i' = i, k = 0, j2 = j] : 0 <= i < n and 0 <= j < n } (RAW/WAR/WAW on C)",
            False,
        ),
        ("T[i,k,j2] -> T[i,k+1,j2] (RAW/WAR/WAW on C)", True),
    ]


def test_dependences_compare_by_their_text() -> None:
    assert gemm().dependences() == gemm().dependences()
    assert len({*gemm().dependences(), *gemm().dependences()}) == 2
    assert gemm().dependences() != gemm().dependences("value")


def test_dependences_of_one_scop_are_computed_once() -> None:
    source = gemm()
    assert source.dependences() is source.dependences()


def test_a_reduction_is_marked_on_its_own_accumulator_only() -> None:
    marked = {(d.source, d.target, d.arrays) for d in symm().dependences() if d.reduction}
    assert marked == {("U", "U", ("C",)), ("V", "V", ("temp",)), ("W", "U", ("C",))}


def test_distance() -> None:
    wave = scop("n", loop("i", "0", "n", loop("j", "0", "n", assign("S", "A[i + 1][j]", "A[i][j + 1]"))))
    (dependence,) = wave.dependences()
    assert dependence.distance() == (1, -1)
    assert dependence.pair_text() == "S[i,j] -> S[i+1,j-1]"
    assert dependence.cause == "RAW on A"


def test_a_block_reads_only_what_it_has_not_written_itself() -> None:
    source = scop("n", loop("i", "0", "n", assign("S", "t", "A[i]"), assign("T", "b[i]", "t"), assign("U", "t", "t")))
    assert basic_blocks(source) == (("S", "T", "U"),)
    kinds = {(d.source, d.target, d.kinds) for d in source.dependences("value", "block")}
    assert kinds == {("S", "S", frozenset({"WAW"}))}


def test_statements_of_different_domains_are_no_block() -> None:
    source = scop("n", loop("i", "0", "n", assign("S", "t", "A[i]")), loop("j", "0", "n", assign("T", "b[j]", "t")))
    assert basic_blocks(source) == (("S",), ("T",))


def test_flow_names_writers_and_what_comes_from_before() -> None:
    source = scop("n", loop("i", "0", "n", assign("S", "b[i]", "t"), assign("T", "t", "A[i]")))
    reader = source.statement("S")
    sources, before = flow(source, reader, reader.reads[0])
    assert list(sources) == ["T"]
    assert sources["T"].is_equal(isl.Map("[n] -> { T[i] -> S[i + 1] : 0 <= i <= n - 2 }"))
    assert before.is_equal(isl.Set("[n] -> { S[0] : n > 0 }"))


@settings(RELAXED, max_examples=60)
@given(scops())
def test_flow_within_one_iteration_is_that_of_the_whole(source: Scop) -> None:
    """Loops around a certain write in front of a read are left out of the analysis."""
    for statement in source.statements:
        for access in statement.reads:
            sources, before = flow(source, statement, access)
            with patch.object(analysis, "_settling", lambda *_: None):
                whole, missing = flow(source, statement, access)
            assert sources.keys() == whole.keys()
            assert all(sources[name].is_equal(whole[name]) for name in whole)
            assert before.is_equal(missing)


def test_what_comes_from_before_the_loops_does_not_settle() -> None:
    inner = loop("j", "0", "n", assign("S", "s", "s + A[j]"))
    source = scop("n", loop("i", "0", "n", assign("Z", "s", "b[i]"), inner, assign("T", "c[i]", "s")))
    sources, before = flow(source, source.statement("T"), source.statement("T").reads[0])
    assert before.is_empty()
    assert sources["S"].is_equal(isl.Map("[n] -> { S[i, n - 1] -> T[i] : 0 <= i < n }"))
    assert not sources.keys() - {"S"}


def test_a_look_at_all_that_many_statements_write_asks_each_part_of_its_writer() -> None:
    """24 parts of 24 writers: millions of isl's operations where every writer is asked about every part."""
    many = 24
    writes = (assign(f"S{k}", f"a[{many}*i + {k}]", "b[i]") for k in range(many))
    look = loop("i", "0", "n", assign("L", "c[i]", "a[i]"))
    source = scop("n", loop("i", "0", "n", *writes), look, extents=f"{many}*n + 2")
    parts = " or ".join(f"i = {many}*row + {k}" for k in range(many))
    everything = isl.Set(f"[n] -> {{ L[i] : exists (row: 0 <= row < n and ({parts})) }}")
    reader = replace(source.statement("L"), domain=everything)
    source = replace(source, statements=(*source.statements[:-1], reader))
    with limited(2_000_000):
        sources, before = flow(source, reader, reader.reads[0])
    assert before.is_empty()
    for k in range(many):
        assert sources[f"S{k}"].is_equal(isl.Map(f"[n] -> {{ S{k}[i] -> L[{many}*i + {k}] : 0 <= i < n }}"))


def test_elements_of_structures_of_matrices_are_told_apart(tmp_path: Path) -> None:
    """Of 200 statements on 200 elements of one array 120,000 pairs of accesses share the array, and nothing else."""
    body = " ".join(f"a[i][{k // 20}][{k % 20}] += 1;" for k in range(200))
    path = tmp_path / "written_out.c"
    path.write_text(f"""void f(int n, double a[n][10][20])
{{
#pragma scop
    for (int i = 0; i < n; i++) {{ {body} }}
#pragma endscop
}}
""")
    (source,) = read_c(path)
    assert source.dependences("memory") == ()


def test_loops_that_never_run_depend_on_nothing(tmp_path: Path) -> None:
    path = tmp_path / "never.c"
    path.write_text(
        """double last;
void never(int n, double a[n])
{
#pragma scop
    for (int i = n; i < n; i++)
        last = a[i] + last;
#pragma endscop
}
"""
    )
    (source,) = read_c(path)
    assert source.dependences("value") == source.dependences("memory") == ()
    (statement,) = source.statements
    sources, before = flow(source, statement, statement.reads[1])
    assert not sources
    assert before.is_empty()


def test_value_dependences_where_isls_dataflow_analysis_fails(tmp_path: Path) -> None:
    path = tmp_path / "moduli.c"
    path.write_text(
        """void moduli(int n, double total[1])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && i % 11 == 1; j++)
            if ((i + j) % 14 == 4 || (i - j) % 15 == 5)
                total[0] = total[0] * 0.5 + 1.0;
#pragma endscop
}
"""
    )
    (source,) = read_c(path)
    assert {d.kinds for d in source.dependences("value")} == {frozenset({"RAW", "WAR", "WAW"})}
    assert pairs(source.dependences("value"), {"n": 40}) <= pairs(source.dependences("memory"), {"n": 40})


def test_value_dependences_of_many_writes_under_conditions_of_their_own(tmp_path: Path) -> None:
    """Which of 16 writes is the last one: 3^16 cases, of which none is looked at where that takes too long."""
    path = tmp_path / "conditions.c"
    names = [f"m{k}" for k in range(16)]
    terms = "".join(f"    if ({name} != 0) s[0] += {name} * f[{k}];\n" for k, name in enumerate(names))
    path.write_text(
        f"void conditions(int {', int '.join(names)}, double f[16], double s[1])\n"
        f"{{\n#pragma scop\n    s[0] = 0;\n{terms}#pragma endscop\n}}\n"
    )
    (source,) = read_c(path)
    found = source.dependences("value")
    assert {(d.source, d.target) for d in found} == {(d.source, d.target) for d in source.dependences("memory")}
    assert pairs(found, dict.fromkeys(names, 1)) <= pairs(source.dependences("memory"), dict.fromkeys(names, 1))


@pytest.mark.parametrize("kernel", FIGURES)
def test_figures_of_the_kernels(kernel: str) -> None:
    (source,) = read_c(KERNELS / f"{kernel}.c")
    large = " and ".join(f"{p} >= 4" for p in source.parameters)
    context = isl.Set(f"[{', '.join(source.parameters)}] -> {{ : {large} }}")
    source = replace(source, context=source.context & context)
    counted = (
        len(source.statements),
        len(basic_blocks(source)),
        len(source.dependences("value")),
        len(source.dependences("value", "block")),
    )
    assert counted == FIGURES[kernel]
