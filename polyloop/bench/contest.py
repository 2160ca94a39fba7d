"""One row of a library benchmark: contestants that compute the same thing, checked and timed in turn.

Contestants that can be called from compiled code are, in one loop for all; libraries of Python are called from Python,
and compared with our kernel called from Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.run.kernel import Bound
from polyloop.backend.run.peak import peak_kernels, peak_operations
from polyloop.backend.run.timing import Duel, Ratio, compare
from polyloop.bench.blas import MissingContestantError
from polyloop.bench.library_settings import kernels_of, loading
from polyloop.bench.rows import REPRODUCIBLE, Check, Row
from polyloop.scop.data import aligned

OURS, OURS_PYTHON, PEAK = "ours", "ours (python)", "peak"
BEST = "best"
"""In ratios: the fastest contestant of the row, whichever it is."""

_BATCH_SECONDS = 200e-6
_ROUNDS = 21


@dataclass(frozen=True)
class Job:
    """One row of a library benchmark: of what, and against whom it is measured.

    Attributes:
        subject: as its suite names it.
        settings: by contestant; see `library_settings`.
    """

    subject: Any
    dtype: str
    against: tuple[str, ...]
    threads: int
    rounds: int | None
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Contest:
    """Contestants by name, the results of all of them, and what is missing.

    Attributes:
        compiled: called from compiled code; "ours" is one of them.
        python: called from Python; "ours (python)" is one of them.
        idle: of some of these the same call with hardly any work, to take the cost of calling away.
        kernels: which kernels libraries take, as they say themselves ("SkylakeX"), by contestant.
        checks: outcome of every comparison of a result with the reference.
        missing: contestants that cannot take part, with reasons.
    """

    flops: int
    dtype: str
    threads: int = 1
    compiled: dict[str, Bound] = field(default_factory=dict)
    python: dict[str, Callable[[], object]] = field(default_factory=dict)
    idle: dict[str, Callable[[], object]] = field(default_factory=dict)
    kernels: dict[str, str] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def entering(self, name: str, settings: Mapping[str, str]) -> Iterator[None]:
        """Load a contestant, call it once and add it, in the environment that its setting asks for. If it cannot take
        part, it is missing.

        Args:
            settings: by the name of each contestant that may be told; see `library_settings`.
        """
        try:
            with loading(name, settings.get(name)):
                yield
                kernels = kernels_of(name, narrow=name in settings)
        except MissingContestantError as error:
            for known in (self.compiled, self.python, self.idle):
                for each in [e for e in known if e.partition(",")[0] == name]:
                    del known[each]
            self.missing[name] = str(error)
            return
        if kernels:
            self.kernels[name] = kernels

    def check(self, name: str, result: NDArray[Any], expected: NDArray[Any], tolerance: NDArray[Any] | float) -> None:
        """Compare a result with the reference; the largest error is given in units of the tolerance."""
        with np.errstate(invalid="ignore"):
            errors = np.abs(result.astype(np.float64) - expected)
            share = float(np.max(np.nan_to_num(errors / tolerance, nan=np.inf))) if errors.size else 0.0
        self.checks.append(Check(name, errors.size, share <= 1, error=share))

    def measure(self, row: str, rounds: int | None, compile_seconds: float) -> Row:
        """Time all contestants in turn: the row of this name.

        Args:
            rounds: or None for the default.
            compile_seconds: what our kernel took to compile.
        """
        width, burst = max(peak_kernels(self.dtype).items())
        idle = {f"{name}, idle": call for name, call in self.idle.items()}
        contestants: dict[str, Any] = {PEAK: burst, **self.compiled, **self.python, **idle}
        duel = compare(contestants, rounds=max(6, rounds or _ROUNDS), batch_seconds=_BATCH_SECONDS)
        seconds = {name: duel.timing(name).median for name in contestants}
        burst_flops = peak_operations(width, self.dtype) * self.threads
        peak = burst_flops * 1e-9 / seconds.pop(PEAK)
        calling = {name: seconds.pop(f"{name}, idle") for name in self.idle}
        rates = {name: self.flops * 1e-9 / value for name, value in seconds.items()}
        ratios = self._ratios(duel)
        rivals = [name for name in ratios if name != REPRODUCIBLE]
        rival = min(rivals, key=lambda name: ratios[name].value, default=None)
        if rival is not None:
            ratios[BEST] = ratios[rival]
        facts = {
            "compile_seconds": compile_seconds,
            "compiled": [*self.compiled],
            "kernels": self.kernels,
            "flops": self.flops,
            "gflops": rates,
            "peak_gflops": peak,
            # Of neighbours in time, so that a slow spell of the machine slows both.
            "peak_fraction": duel.ratio(PEAK, OURS).value * self.flops / burst_flops,
            "calling_seconds": calling,
            "without_calling": {n: max(0.0, seconds[n] - cost) / seconds[OURS] for n, cost in calling.items()},
        }
        return Row(row, seconds, ratios, rival, self.checks, self.missing, facts=facts)

    def _ratios(self, duel: Duel) -> dict[str, Ratio]:
        """Of every rival's time to ours, called the same way."""
        pairs = [(name, OURS) for name in self.compiled if name != OURS]
        pairs += [(name, OURS_PYTHON) for name in self.python if name != OURS_PYTHON]
        return {name: duel.ratio(name, ours) for name, ours in pairs}


def filled(shape: tuple[int, ...], dtype: str, seed: int) -> NDArray[Any]:
    """Numbers between -0.5 and 0.5, in memory that begins at a cache line."""
    values = np.random.default_rng(seed).random(shape) - 0.5
    return aligned(values.astype(dtype))


def at_best(row: Row, other: Row) -> Row:
    """The first row, with contestants as the second has them where they are faster there, in comparison with ours."""
    better = [n for n, ratio in other.ratios.items() if n not in row.ratios or ratio.value < row.ratios[n].value]
    ratios = {**row.ratios, **{name: other.ratios[name] for name in better}}
    facts = dict(row.facts)
    for key in ("gflops", "kernels", "settings", "calling_seconds", "without_calling"):
        theirs = other.facts.get(key, {})
        kept = {name: value for name, value in facts.get(key, {}).items() if name not in better}
        facts[key] = kept | {name: theirs[name] for name in better if name in theirs}
    return replace(
        row,
        seconds={**row.seconds, **{name: other.seconds[name] for name in better if name in other.seconds}},
        ratios=ratios,
        rival=other.rival if BEST in better else row.rival,
        checks=(*row.checks, *other.checks),
        missing={name: reason for name, reason in row.missing.items() if name not in ratios},
        facts=facts,
    )
