"""The files that ``--json`` writes: {"suite", "machine", "settings", "rows", "summary"}, for every command."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from math import exp, log

from polyloop.backend.machine.host import host_target
from polyloop.backend.run.measured_machine import processor_name
from polyloop.measure.result import Judgement, Measurement, Result
from polyloop.scop.program import Diagnostic
from polyloop.terminal.report import Outcome, not_covered, words


def document(
    suite: str,
    settings: Mapping[str, object],
    rows: Sequence[Mapping[str, object]],
    summary: Mapping[str, object],
    facts: Mapping[str, object] | None = None,
) -> str:
    """The text of a file; numbers that JSON does not have (NaN, infinities) are refused.

    Args:
        facts: what else is to be said of the machine.
    Raises:
        ValueError: for such a number.
    """
    here = {**machine(), **(facts or {})}
    content = {"suite": suite, "machine": here, "settings": settings, "rows": rows, "summary": summary}
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def machine() -> dict[str, object]:
    """Where the figures were measured."""
    target = host_target()
    return {
        "cpu": target.cpu,
        "model": processor_name() or platform.machine(),
        "instruction_set": target.machine.instructions,
        "figures_of": target.machine.name,
        "triple": target.triple,
        "cores": os.cpu_count(),
        "vector_bits": target.vector_bits,
        "cache_bytes": [cache.size for cache in target.machine.caches],
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def outcome_row(outcome: Outcome) -> dict[str, object]:
    """A scop that was worked on."""
    place: dict[str, object] = {"scop": outcome.scop.name, **({"target": outcome.target} if outcome.target else {})}
    if outcome.scop.source is not None:
        source = outcome.scop.source
        place |= {"file": source.path, "line": source.line, "function": source.function}
    if outcome.result is None:
        return place | {"status": "left", "reason": outcome.reason}
    return place | {"status": "optimized" if outcome.is_changed else "original"} | _result(outcome.result)


def diagnostic_row(diagnostic: Diagnostic) -> dict[str, object]:
    """A region that the front end left alone, or an error in the file."""
    return {
        "file": diagnostic.location.file,
        "line": diagnostic.location.line,
        "column": diagnostic.location.column,
        "status": "left" if diagnostic.severity == "remark" else diagnostic.severity,
        "code": diagnostic.code,
        "reason": diagnostic.message,
    }


def summary(outcomes: Sequence[Outcome], diagnostics: Sequence[Diagnostic]) -> dict[str, object]:
    """Counts, and the geometric mean of the speedups (scops that keep their loops count as 1)."""
    results = [outcome.result for outcome in outcomes if outcome.result is not None]
    changed = sum(outcome.is_changed for outcome in outcomes)
    return {
        "scops": len(outcomes),
        "optimized": changed,
        "original": len(results) - changed,
        "left": len(outcomes) - len(results) + sum(d.severity == "remark" for d in diagnostics),
        "speedup": geometric_mean(result.speedup for result in results if result.measured),
        "verified": {
            "compared": sum(result.check.compared for result in results),
            "different": sum(result.check.different for result in results),
        },
    }


def geometric_mean(values: Iterable[float]) -> float | None:
    """None for no values."""
    logarithms = [log(value) for value in values]
    return exp(sum(logarithms) / len(logarithms)) if logarithms else None


def _judgement(judged: Judgement | None) -> dict[str, object] | None:
    if judged is None:
        return None
    check = judged.check
    return {
        "command": judged.compiler,
        "version": judged.version,
        "candidate": judged.candidate,
        "before": judged.before.figures,
        "after": judged.after.figures,
        "ratio": {"value": judged.ratio, "low": judged.low, "high": judged.high},
        "wins": judged.wins,
        "above": judged.above or None,
        "around": judged.around,
        "smooth": judged.smooth,
        "check": asdict(check) | {"passed": check.passed},
        "others": _measurements(judged.others),
    }


def _measurements(found: Iterable[Measurement]) -> list[dict[str, object]]:
    return [{"name": m.name, "time": m.figures, "error": m.error, "kind": m.kind} for m in found]


def _result(result: Result) -> dict[str, object]:
    check = result.check
    return {
        "sizes": dict(result.sizes),
        "sizes_from": result.sizes_from,
        "before": result.baseline.figures,
        "after": result.timing.figures,
        "speedup": result.speedup if result.measured else None,
        "best": result.best.name,
        "steps": list(result.best.steps),
        "changes": [str(change) for change in result.best.changes],
        "words": words(result.scop, result.best, result.in_registers),
        "schedule": None if result.best.tree is None else str(result.best.tree),
        "proof": asdict(result.proof),
        "assumed": list(result.assumed),
        "compiler": _judgement(result.judged),
        "unjudged": result.unjudged or None,
        "reproducible": {"not_covered": not_covered(result.scop)} if result.reproducible else None,
        "check": asdict(check) | {"passed": check.passed},
        "candidates": _measurements(result.measurements),
    }
