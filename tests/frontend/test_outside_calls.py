"""Calls of functions of which nothing is known: what they are ordered against, and that nobody runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloop import compile as compile_scop
from polyloop import optimize, read_c
from polyloop.backend.errors import BackendError, InterpreterError
from polyloop.backend.ir.expressions import OutsideCall, walk
from polyloop.cli.main import main
from polyloop.errors import PolyloopError
from polyloop.frontend import CSourceError, read_source
from polyloop.scop.dependence import memory_dependences
from polyloop.scop.model import Scop

HEAD = "double f(double);\nvoid g(int, double *);\ndouble pure(double) __attribute__((pure));\nint global, seen[9];\n"


def scop_of(body: str, declared: str = "", signature: str = "int n, double *a, const double *b") -> Scop:
    text = f"{HEAD}void k({signature})\n{{\n  int i;\n{declared}\n#pragma scop\n{body}\n#pragma endscop\n}}\n"
    (scop,) = read_c("x.c", text=text, opaque_calls=True)
    return scop


def loop(body: str) -> str:
    return f"  for (i = 0; i < n; i++) {{\n{body}\n  }}"


def order(scop: Scop) -> set[tuple[int, int, str]]:
    """Pairs of lines of which some instances are in order, and because of which array."""
    at = {s.name: s.location.line for s in scop.statements if s.location is not None}
    lines = {name: line - min(at.values()) + 1 for name, line in at.items()}
    return {(lines[d.source], lines[d.target], name) for d in memory_dependences(scop) for name in d.arrays}


def test_calls_stay_in_order_with_each_other() -> None:
    scop = scop_of(loop("    g(i, 0);\n    t[i] = f(1.0);"), declared="  double t[50];")
    assert {(1, 1, "calls"), (1, 2, "calls"), (2, 1, "calls"), (2, 2, "calls")} <= order(scop)
    assert scop.source is not None
    assert scop.source.outside == ("g", "f")


def test_what_others_can_reach_is_ordered_against_calls_and_what_they_cannot_is_not() -> None:
    declared = "  double own[50], given[50], x, shown;\n  static double kept;\n  g(0, &shown);"
    lines = [
        *("a[i] = 1;", "global = i;", "given[i] = 1;", "shown = i;", "kept = i;", "own[i] = b[i];", "x = i;"),
        "g(i, given);",
    ]
    scop = scop_of(loop("\n".join(f"    {line}" for line in lines)), declared)
    set_here = {s.target.array for s in scop.statements if s.opaque is None}
    assert set_here == {"a", "global", "given", "kept", "own", "shown", "x"}
    (call,) = {s.location.line for s in scop.statements if s.location is not None and s.target.array == "calls"}
    of_call = {s.name for s in scop.statements if s.location is not None and s.location.line == call}
    met = {name for d in memory_dependences(scop) if {d.source, d.target} & of_call for name in d.arrays}
    assert met == {"a", "b", "global", "given", "kept", "shown", "calls"}


def test_a_call_may_leave_what_was_there() -> None:
    scop = scop_of("  a[0] = 1;\n  g(0, a);\n  a[1] = a[0];")
    writes = [s for s in scop.statements if s.target.array == "a"]
    assert [s.conditional for s in writes] == [False, True, False]
    assert not writes[1].kills
    found = {(d.source, d.target) for d in memory_dependences(scop) if "a" in d.arrays}
    assert (writes[0].name, writes[2].name) in found


def test_pure_functions_read_and_change_nothing() -> None:
    scop = scop_of(loop("    a[i] = pure(b[i]);"))
    (only,) = scop.statements
    assert {access.array for access in only.reads} == {"a", "b", "calls"}
    assert only.opaque is not None
    assert only.opaque.startswith("pure(calls, b[i], ")


def test_a_condition_asks_once_whatever_stands_beside_the_call() -> None:
    scop = scop_of(loop("    if (i > 3 && f(b[i]) > 0 && i < 7)\n      a[i] = a[i] + b[i];"))
    asking = [s for s in scop.statements if s.target.array == "if_1"]
    assert [str(s.domain) for s in asking] == ["[n] -> { S0[i] : 0 <= i < n }"]
    assert sum(isinstance(x, OutsideCall) for s in scop.statements if s.target.array == "a" for x in walk(s.value)) == 1


def test_what_a_break_leaves_out_is_behind_a_condition() -> None:
    scop = scop_of(loop("    if (f(b[i]) > 0)\n      break;\n    a[i] = 0;"))
    assert {s.name for s in scop.statements if s.target.array == "a"} == {
        s.name for s in scop.statements if s.target.array == "a" and s.conditional
    }


REFUSED = {
    "a bound that a call may change": ("  for (i = 0; i < global; i++)\n    g(i, a);", "a call may change global"),
    "one whose address is known": ("  for (i = 0; i < m; i++)\n    g(i, a);", "a call may change m"),
    "a call that returns twice": ("  for (i = 0; i < n; i++)\n    setjmp(a);", "setjmp changes what stands around"),
    "an argument with effects": ("  for (i = 0; i < n; i++)\n    g(global++, a);", "an argument has side effects"),
    "a bound that is a call": ("  for (i = 0; i < f(1); i++)\n    a[i] = 0;", "the value of a call (f) is not affine"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    body, reason = REFUSED[case]
    with pytest.raises(CSourceError, match=reason.replace("(", r"\(").replace(")", r"\)")):
        scop_of(body, declared="  int m = 9, *at = &m;\n  g(*at, a);")


def test_without_asking_for_them_they_are_refused_as_ever() -> None:
    text = f"{HEAD}void k(int n, double *a)\n{{\n#pragma scop\n  for (int i = 0; i < n; i++)\n    a[i] = f(a[i]);\n"
    file = read_source("x.c", text=text + "#pragma endscop\n}\n")
    assert [d.code for d in file.diagnostics] == ["call"]
    file = read_source("x.c", text=text.replace("#pragma scop\n", "") + "}\n", auto=True, opaque_calls=True)
    assert [d.code for d in file.diagnostics] == ["call"]
    assert not file.scops


def test_nobody_runs_them() -> None:
    scop = scop_of(loop("    a[i] = f(b[i]);"))
    for run in (optimize, compile_scop):
        with pytest.raises(PolyloopError, match="k calls f, of which nothing is known"):
            run(scop)
    from polyloop.backend.ir.interpreter import Environment, evaluate
    from polyloop.backend.run.nest_kernel import compile_nest
    from polyloop.lowering.to_nest import lower
    from polyloop.schedules.tree import original_tree

    (call, *_) = (x for s in scop.statements for x in walk(s.value) if isinstance(x, OutsideCall))
    with pytest.raises(InterpreterError, match="nothing is known of the function f"):
        evaluate(call, Environment({}, {}))
    with pytest.raises(BackendError, match="nothing is known of the function f"):
        compile_nest(lower(scop, original_tree(scop)))


def test_show_and_explain_look_at_them(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    path.write_text(
        "double f(double);\nvoid k(int n, double *a)\n{\n#pragma scop\n"
        "  for (int i = 0; i < n; i++)\n    a[i] = f(a[i]);\n#pragma endscop\n}\n"
    )
    assert main(["show", str(path)]) == 0
    assert "S1: calls = f(calls, a[data(calls)])" in capsys.readouterr().out
    assert main(["explain", str(path)]) == 0
    assert "k: " in capsys.readouterr().out
