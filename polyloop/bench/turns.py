"""Regions of C files and what `optimize --cc` finds for them under several compilers, all in turn in one round.

Under each compiler a search of its own decides, so what one writes need not be what another does. In the end the
region and the results, each as its own compiler builds it, run in turn on the same data: the figures of one round
compare, across compilers, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import cast

from rich.console import Console

from polyloop.api import optimize
from polyloop.backend.machine.host import host_target
from polyloop.backend.run.timing import Duel, Ratio
from polyloop.bench.report import print_table
from polyloop.bench.rows import Check, Row
from polyloop.bench.toolchain import optimizing_flags
from polyloop.errors import PolyloopError
from polyloop.lowering.region_alone import Built, region_alone
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.measure.evaluator import Evaluator, Options
from polyloop.measure.judge import FLAGS
from polyloop.measure.result import Result
from polyloop.scop.model import Scop
from polyloop.support.compilers import BuildError, Compiler, build_each, find_executable, user_compiler
from polyloop.terminal.errors import UsageError

OURS = "ours"
BEST = "best"
"""The contestant that is the faster of the compilers' builds of the region; its ratio is to the faster of ours."""

ROUND_SECONDS = 0.8
"""For one round of all of them."""

_KEPT = Ratio(1.0, 1.0, 1.0)


def ours(compiler: str) -> str:
    """What the result for a compiler, as it builds it, is called."""
    return f"{OURS} ({compiler})"


@dataclass(frozen=True)
class Compilers:
    """Those that are there, by the names they were asked for, and why others are not."""

    found: Mapping[str, Compiler]
    missing: Mapping[str, str]

    @classmethod
    def named(cls, names: Sequence[str]) -> Compilers:
        """Of commands such as gcc, each with -O3 -march=native (`optimizing_flags`).

        Raises:
            UsageError: if there is none of them.
        """
        found: dict[str, Compiler] = {}
        missing: dict[str, str] = {}
        for name in names:
            try:
                found[name] = user_compiler(f"{find_executable(name) or name} {' '.join(optimizing_flags())}")
            except BuildError as error:
                missing[name] = str(error)
        if not found:
            raise UsageError(f"--against: {'; '.join(missing.values())}")
        return cls(found, missing)


def judged_results(
    scop: Scop,
    compilers: Compilers,
    sizes: Mapping[str, int] | None = None,
    budget: float | None = None,
    threads: int = 1,
    reassociate: bool = False,
) -> dict[str, Result]:
    """What is found under every compiler.

    Raises:
        PolyloopError: if one could not be asked, or nothing can be measured.
    """
    results: dict[str, Result] = {}
    for name, compiler in compilers.found.items():
        result = optimize(
            scop, sizes=sizes, budget=budget, overrun=inf, threads=threads, reassociate=reassociate, cc=compiler
        )
        if result.judged is None:
            raise PolyloopError(result.unjudged)
        results[name] = result
    return results


def checks_of(results: Mapping[str, Result]) -> list[Check]:
    """The comparisons that the compilers' decisions rest on."""
    found = {name: result.judged.check for name, result in results.items() if result.judged is not None}
    return [
        Check(ours(name), c.compared, c.passed, name, c.different, None, c.largest, c.tolerance)
        for name, c in found.items()
    ]


def print_by_compiler(
    console: Console,
    rows: Sequence[Row],
    compilers: Compilers,
    titles: Sequence[str],
    cells: Callable[[Row, str], list[str]],
) -> None:
    """A table with the same columns for every compiler; they are empty where a row's file stays as it is.

    Args:
        titles: of the columns, with {} for the compiler's name.
        cells: a row's under one of them.
    """

    def under(row: Row, name: str) -> list[str]:
        return cells(row, name) if name in row.ratios else ["-"] * len(titles)

    header = ["function", *(title.format(name) for name in compilers.found for title in titles)]
    print_table(
        console, header, [[r.row, *(text for name in compilers.found for text in under(r, name))] for r in rows]
    )


def row_in_turn(name: str, scop: Scop, results: Mapping[str, Result], compilers: Compilers) -> Row:
    """The row of a region whose builds meet in one round. What was left as it is has the region's own figures.

    Raises:
        PolyloopError: if something cannot be built.
        WorkerError: if it does not run.
    """
    duel = _in_turn(scop, results, compilers)
    kept = {compiler: result.is_original for compiler, result in results.items()}
    stands_for = {ours(c): c if kept[c] else ours(c) for c in results}
    seconds = {each: duel.timing(each).median for each in duel.rounds}
    seconds |= {mine: seconds[other] for mine, other in stands_for.items()}
    ratios = {c: _KEPT if kept[c] else duel.ratio(c, ours(c)) for c in results}
    before = min(results, key=lambda compiler: seconds[compiler])
    after = min((stands_for[ours(c)] for c in results), key=lambda each: seconds[each])
    ratios[BEST] = _KEPT if before == after else duel.ratio(before, after)
    rival = min(results, key=lambda compiler: ratios[compiler].high)
    facts = {
        "sizes": dict(next(iter(results.values())).sizes),
        "schedules": {c: "" if kept[c] else result.best.name for c, result in results.items()},
        "text": {c: text_ratio(scop, result) for c, result in results.items() if not kept[c]},
    }
    return Row(name, seconds, ratios, rival, checks_of(results), compilers.missing, facts=facts)


def text_ratio(scop: Scop, result: Result) -> float:
    """Lines that a file with the region alone has more with what was found, for each of the region's; without empty
    ones."""
    alone = region_alone(scop)
    emitted = emit_c_file(alone.source.text, [Replacement(alone.scop, result.program)])
    before, after, region = (
        sum(bool(line.strip()) for line in text.splitlines())
        for text in (alone.source.text, emitted, alone.source.loops)
    )
    return round((after - before) / max(region, 1), 2)


def _in_turn(scop: Scop, results: Mapping[str, Result], compilers: Compilers) -> Duel:
    alone, any_result = region_alone(scop), next(iter(results.values()))
    beside = str(Path(alone.source.path).resolve().parent)
    with Evaluator(any_result.scop, dict(any_result.sizes), host_target(), Options()) as evaluator:
        built: dict[str, Built] = {}
        for compiler, result in results.items():
            texts = {compiler: alone.source.text}
            if not result.is_original:
                texts[ours(compiler)] = emit_c_file(alone.source.text, [Replacement(alone.scop, result.program)])
            places = {each: evaluator.folder / f"turn_{len(built) + number}" for number, each in enumerate(texts)}
            for each, place in places.items():
                place.with_suffix(".c").write_text(texts[each], encoding="utf-8", newline="")
                built[each] = alone.built(place.with_suffix(".so"))
            sources = {place.with_suffix(".so"): place.with_suffix(".c") for place in places.values()}
            for error in build_each(compilers.found[compiler], sources, (*FLAGS, "-iquote", beside)).values():
                if error is not None:
                    raise error
        longest = 100 * sum(result.baseline.median for result in results.values()) + ROUND_SECONDS
        called = "polyloop.measure.compiled:run_turns"
        rounds = evaluator.call(called, evaluator.setting, built, ROUND_SECONDS, seconds=longest)
    return Duel(cast("dict[str, tuple[float, ...]]", rounds))
