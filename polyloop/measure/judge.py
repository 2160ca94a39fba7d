"""The user's compiler as the judge: what a search has found is built by it, and so are the loops as they stand.

Our own code generator is fast, so it searches; but what it makes of the original loops is not what the user's compiler
makes of them, in either direction, nor is what it makes of a candidate what that compiler makes of the emitted C. So
the best few candidates and the region of the file are built as the user builds (`polyloop.lowering.region_alone`),
their results are compared, and the fastest meets the region in a last round. Only a candidate that wins it is written.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from math import inf, prod, sqrt
from pathlib import Path
from typing import TypeAlias, cast

from polyloop.backend.errors import BackendError
from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.run.worker import WorkerError
from polyloop.errors import PolyloopError
from polyloop.lowering.region_alone import AloneError, Built, RegionAlone, region_alone
from polyloop.lowering.to_c_file import Replacement, emit_c_file, limited
from polyloop.measure.evaluator import TOLERANCE, WORTH, Evaluator, fate_of
from polyloop.measure.jobs import Setting
from polyloop.measure.result import Candidate, Check, Fate, Judgement, Measurement
from polyloop.scop.data import (
    ORDINARY_FLOATS,
    SizeError,
    checked_sizes,
    is_allowed,
    is_indirect,
    loop_parameters,
    loop_starts,
    shape_variables,
)
from polyloop.scop.model import Scop
from polyloop.scop.own_uses import sizes_around
from polyloop.support.compilers import NO_CONTRACTION, SHARED, Build, BuildError, Compiler, SlowBuildError, build_each

_Interval: TypeAlias = tuple[float, float, float]
_Figures: TypeAlias = tuple[Measurement, Measurement, _Interval]

LEADERS = 4
"""How many candidates are built; those of about the same speed may differ under another compiler."""

SHORT = 1.0
"""Where there are fewer seconds for all rounds, one is built: compilers take as long as the rounds."""

BEHIND = 3.0
"""A candidate that our own code generator makes so many times as slow as the best one is none of them."""

LAST, LEAST = 0.4, 1.5
"""Of the time, for the last round: what is announced is measured there. And at least so many seconds for the others."""

COMPILE_SECONDS = 20.0
"""For one file."""

BUILDING = 0.4
"""Of the time that is left, for building more than the first of them: what is built has to be measured, too."""

HOPING = 0.7
"""Of the time that is left, for building the first of them, where something was built while the search went on."""

FURTHER = 1.5
"""So many times as fast must a candidate be as the last one that the compiler began with during the search."""

LONGER = 2.5
"""So many times as long as for the original loops a compiler takes for a candidate."""

FEWEST, FEWEST_LONG, LONG = 7, 3, 0.2
"""Runs in the last round; and of runs of so many seconds."""

ROUNDS = 3
"""So often at most there is a last round."""

SMALLEST, FULL, AT_EASE, HALVINGS = 2, 16, 2, 3
"""Extents of the smallest size at which a winner is tried, too; it doubles until, of those with vectors that are full,
so many in a row are not lost, and the end of those that are is found in so many steps."""

SMALL_SECONDS, NOT_SLOWER = 0.02, 0.97
"""For each of them; and where all of the interval is below, it is lost."""

SMALL = 2.0
"""So many times as long as the last rounds may it take to find where a winner is not slower."""

SLOWER = 200.0
"""So many runs of the original loops, as the slower of both makes them, may a trial or the last round take."""

WAIT = 0.1
"""Of the time that is left, for the original loops to be built before sizes are chosen."""

_EXPORTS = Path(__file__).parents[1] / "data" / "exports.map"

# Whatever else stands in the file, and may need what is not here, is left out of the shared object.
FLAGS = (
    *("-w", *SHARED, "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"),
    *("-Xlinker", f"--version-script={_EXPORTS}"),
)

FOR_MEMORY, FOR_ANY_MEMORY = 1.1, 1.25
"""What finds memory for itself in each call has to be so much faster than what does not, or needs less; and than the
original loops. The first call waits for the system to clear its pages, or each does, and trials in a row do not show it
(of a run of 0.9 ms with 8 MB of arrays that made one of 3.3 ms)."""

SAME = 1.02
"""Candidates whose shortest runs are so near to each other are of one speed, if what the runs varied says so, too."""

TRAPS = ("-fsanitize=signed-integer-overflow", "-fsanitize-undefined-trap-on-error")
"""With these gcc and clang end a program where a signed integer overflows."""


@dataclass(frozen=True)
class Verdict:
    """What may be written.

    Attributes:
        best: the winner, or the original loops; what our own code generator says where the compiler cannot be asked.
        judged: how they met; None, if they did not.
        reason: why they did not.
    """

    best: Candidate
    judged: Judgement | None
    reason: str = ""


@dataclass(frozen=True)
class Ahead:
    """A candidate that the compiler began with while the search went on, and where its output goes."""

    candidate: Candidate
    output: Path
    build: Build


class Begun:
    """The region by itself, and its original loops with the compiler already, while a search runs: it takes as long as
    a short search. Candidates that a search finds on the way go to the compiler, too, one at a time: where all time is
    used up in the end, there is one to ask about. Use as a context manager.

    Args:
        uncontracted: as `emit_c_file` has it.
        among: what else is replaced in the file: what the loops call is the new code, as far as it stands before them.

    Attributes:
        alone: the region; or why it has no file of its own.
        ahead: by name, the candidates that were begun.
        decided: what is known of the last round, once a candidate has won it; what comes behind may be interrupted.
    """

    decided: Verdict | None = None

    def __init__(
        self, evaluator: Evaluator, compiler: Compiler, uncontracted: bool = False, among: Sequence[Replacement] = ()
    ) -> None:
        self.alone: RegionAlone | AloneError
        self.build: Build | None = None
        self.ahead: dict[str, Ahead] = {}
        self.uncontracted = uncontracted
        # An evaluator at smaller sizes, which finds candidates as well, takes its own folder with it.
        self._compiler, self._gain, self._folder = compiler, 0.0, evaluator.folder
        try:
            self.alone = region_alone(evaluator.scop)
        except AloneError as error:
            self.alone = error
            return
        self._among = _moved(among, evaluator.scop, self.alone)
        text = self.alone.source.text
        try:
            text = emit_c_file(text, self._among, uncontracted=uncontracted) if self._among else text
        except (PolyloopError, BackendError):  # what calls the original loops is no worse a comparison than none
            self._among = ()
        self.output = _written(self._folder, "original", text)
        source = self.output.with_suffix(".c")
        self.build = Build(compiler, [source], self.output, _flags(self.alone))
        self._began = time.time()

    def __enter__(self) -> Begun:
        return self

    def original_seconds(self, evaluator: Evaluator) -> float | None:
        """Seconds of one run of the original loops as they were built, at the evaluator's present sizes; None where
        they cannot be built by themselves, or soon."""
        if self.build is None or isinstance(self.alone, AloneError):
            return None
        built, setting = self.alone.built(self.output), replace(evaluator.setting_now(), stash="")
        with suppress(BuildError, BackendError):
            self.build.result(WAIT * min(evaluator.left, COMPILE_SECONDS))
            return cast(float, evaluator.call("polyloop.measure.compiled:run_once", setting, built, seconds=1.0))
        return None

    def found(self, evaluator: Evaluator, candidate: Candidate) -> None:
        """Begin with a candidate that was measured, if it is so much faster than the last one and the compiler has
        nothing to do."""
        gain = evaluator.seconds(evaluator.original) / evaluator.seconds(candidate)
        if WORTH * gain < 1 or gain < FURTHER * self._gain or isinstance(self.alone, AloneError):
            return
        if any(each.build.runs for each in self.ahead.values()) or candidate.name in self.ahead:
            return
        try:
            text = self.text(evaluator, candidate)
        except (PolyloopError, BackendError):  # said where it is asked for
            return
        output = _written(self._folder, f"ahead_{len(self.ahead)}", text)
        build = Build(self._compiler, [output.with_suffix(".c")], output, _flags(self.alone))
        self.ahead[candidate.name], self._gain = Ahead(candidate, output, build), gain

    def text(self, evaluator: Evaluator, candidate: Candidate) -> str:
        """The region's file with a candidate in its place."""
        assert isinstance(self.alone, RegionAlone)
        here = Replacement(self.alone.scop, evaluator.program(candidate))
        return emit_c_file(self.alone.source.text, [*self._among, here], uncontracted=self.uncontracted)

    @property
    def needed(self) -> float:
        """Seconds that the compiler takes at the least for a candidate, as far as is known."""
        if self.build is None:
            return 0.0
        ended = self.output.stat().st_mtime if self.output.exists() else time.time()
        return LONGER * max(0.0, ended - self._began)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Nothing is built meanwhile."""
        builds = self._builds()
        for build in builds:
            build.pause()
        try:
            yield
        finally:
            for build in builds:
                build.resume()

    def _builds(self) -> list[Build]:
        return [build for build in (self.build, *(each.build for each in self.ahead.values())) if build is not None]

    def __exit__(self, *exc: object) -> None:
        for build in self._builds():
            build.__exit__(*exc)


def _moved(among: Sequence[Replacement], scop: Scop, alone: RegionAlone) -> tuple[Replacement, ...]:
    """Replacements of what stands before a region's function, in the region's own file, which begins with the same."""
    assert scop.source is not None
    found = []
    for each in among:
        source = each.scop.source
        if source is not None and source.text == scop.source.text and source.end <= scop.source.function_start:
            found.append(replace(each, scop=replace(each.scop, source=replace(source, text=alone.source.text))))
    return tuple(found)


def _written(folder: Path, name: str, text: str) -> Path:
    """Write a file for the compiler into an evaluator's folder; returns where its output goes."""
    place = folder / "compiler"
    place.mkdir(exist_ok=True)
    (place / f"{name}.c").write_text(text, encoding="utf-8", newline="")
    return place / f"{name}.so"


def _either(names: Sequence[str], least: int, starts: Mapping[str, tuple[Affine, int]]) -> str:
    """One of the parameters is as large, in the set library's words; or as far from where its loops begin."""
    ends = {name: affine(least) for name in names}
    ends |= {name: starts[name][0] + (least - starts[name][1]) for name in names if name in starts}
    words = " or ".join(f"{name} >= {end}" for name, end in ends.items())
    return f"({words})" if len(names) > 1 else words


def _where(found: Mapping[tuple[str, ...], int], starts: Mapping[str, tuple[Affine, int]]) -> str:
    """One of the parameters of each entry is as large, but for what follows from other entries.

    Args:
        starts: where loops that end at a parameter begin, and the number that this was when the sizes were found.
    """
    needed = [
        (names, least)
        for names, least in found.items()
        if least and not any(set(few) < set(names) and found[few] >= least for few in found)
    ]
    return " and ".join(_either(names, least, starts) for names, least in needed)


def _flags(alone: RegionAlone) -> tuple[str, ...]:
    return (*FLAGS, "-iquote", str(Path(alone.source.path).resolve().parent))


def judged(
    evaluator: Evaluator,
    compiler: Compiler,
    best: Candidate,
    more: Sequence[Candidate] = (),
    *,
    seconds: float,
    begun: Begun | None = None,
    several: bool = False,
) -> Verdict:
    """Let a compiler decide between the original loops and what a search has found.

    Args:
        best: what our own code generator says.
        more: candidates that are built beside the search's leaders, whatever our own code generator says of them.
        seconds: for trying candidates and for the last round, as long as what was built runs at all.
        begun: what has been built of this while the search went on.
        several: nobody has said for which sizes it is: where small ones are slower, the original loops are to run.
    """
    if begun is None:
        with Begun(evaluator, compiler) as begun:
            return judged(evaluator, compiler, best, more, seconds=seconds, begun=begun, several=several)
    if isinstance(begun.alone, AloneError):
        return Verdict(best, None, f"{compiler} cannot be asked: {begun.alone}")
    try:
        return _Judge(evaluator, compiler, begun.alone, begun, several).rounds(best, more, seconds)
    except (BuildError, WorkerError) as error:
        if time.monotonic() >= evaluator.until:
            return Verdict(evaluator.original, None, f"there was no time left to ask {compiler}")
        said = "" if isinstance(error, BuildError) else f"{compiler}: the original loops by themselves: "
        return Verdict(best, None, f"{said}{error}")


def _leaders(
    evaluator: Evaluator, best: Candidate, more: Sequence[Candidate], most: int, once: float
) -> list[Candidate]:
    """
    Args:
        once: seconds of the original loops as the compiler builds them: what is no slower may win, however fast our own
            code generator makes them. Where it makes them faster than that, it makes other plain loops faster, too:
            candidates with vectors come before these.
    """
    better = max(1.0, once / evaluator.seconds(evaluator.original))

    def expected(candidate: Candidate) -> float:
        return evaluator.seconds(candidate) * (1.0 if candidate.explicit else better)

    others = [c for c in evaluator.ranked() if c.name != evaluator.original.name]
    limit = max(BEHIND * evaluator.best_seconds(), once)
    near = [c for c in others if c.name == best.name or expected(c) <= limit]
    first = best.name if best.explicit else ""
    chosen = sorted(near, key=lambda c: (c.name != first, expected(c)))[:most]
    return list({c.name: c for c in (*chosen, *more)}.values())


@dataclass
class _Judge:
    """One Scop's last rounds.

    Attributes:
        out: what became of candidates that were not chosen, by name.
        loose: names of those that call functions for vectors.
        several: the winner is tried at smaller sizes, too.
        once: seconds of one run of the original loops as the compiler builds them, from when it is known.
    """

    evaluator: Evaluator
    compiler: Compiler
    alone: RegionAlone
    begun: Begun
    several: bool = False
    out: dict[str, Measurement] = field(default_factory=dict)
    built: dict[str, Built] = field(default_factory=dict)
    loose: set[str] = field(default_factory=set)
    once: float = LEAST
    _rebuilt: dict[tuple[str, ...], Built | None] = field(default_factory=dict)

    def rounds(self, best: Candidate, more: Sequence[Candidate], seconds: float) -> Verdict:
        """Build, try, and let the fastest meet the original loops; as `judged` has it.

        Raises:
            BuildError: if the compiler does not take the file.
            WorkerError: if the original loops do not run as it builds them.
        """
        original, setting = self.evaluator.original, self.evaluator.setting
        # They went to the compiler before the search: mostly they are there by now.
        assert self.begun.build is not None
        self.begun.build.result(min(COMPILE_SECONDS, self.evaluator.until - time.monotonic()))
        self._take(original, self.begun.output)
        _, before = self._trial(setting, original)
        self.once = before.minimum
        candidates = _leaders(self.evaluator, best, more, 1 if seconds < SHORT else LEADERS, self.once)
        self._build(candidates)
        if not any(candidate.name in self.built for candidate in candidates):
            candidates = [*candidates, *self._built_ahead()]
        # Of functions for vectors our own code generator knows nothing: what calls them comes first.
        candidates = sorted(candidates, key=lambda candidate: candidate.name not in self.loose)
        until = time.monotonic() + (max((1 - LAST) * seconds, LEAST) if seconds else 0.0)
        tried: dict[str, tuple[Candidate, Measurement]] = {}
        took = 0.0
        for candidate in candidates:
            if candidate.name in self.out:
                continue
            started = time.monotonic()
            if tried and (started > until or self.evaluator.left < 2 * took + self._rounds(before, tried.values())):
                self._leave(candidate, Fate.TIMED_OUT, "there was no time left to try it")
            elif (measured := self._tried(setting, candidate)) is not None:
                tried[candidate.name] = candidate, measured
            took = max(took, time.monotonic() - started)
        if not tried and any(left.kind is Fate.TIMED_OUT for left in self.out.values()):
            return Verdict(original, None, f"there was no time left to ask {self.compiler}")
        if not tried:
            return Verdict(original, self._judgement(original, before, before, (1.0, 1.0, 1.0)))
        verdict, best = self._met(setting, before, tried, seconds)
        self.out |= {name: measured for name, (_, measured) in tried.items() if name != best.name}
        verdict = replace(verdict, others=tuple(self.out.values()))
        if self._growing(best):
            verdict = replace(verdict, least=FOR_ANY_MEMORY)
        if verdict.wins:
            verdict = self._as_inlined(setting, best, verdict)
        if not verdict.wins:
            return Verdict(original, verdict)
        # All that comes now may be ended by the time: what was found till then counts.
        limits = self._above(best, SMALL * max(seconds, LEAST)) if self.several else iter(())
        verdict = replace(verdict, above=next(limits, ""))
        self.begun.decided = Verdict(best, verdict)
        verdict = replace(verdict, smooth=self._on_smooth_data(setting, best))
        if not verdict.wins:
            self.begun.decided = None
            return Verdict(original, verdict)
        self.begun.decided = Verdict(best, verdict)
        for above in limits:
            verdict = replace(verdict, above=above)
            self.begun.decided = Verdict(best, verdict)
        verdict = replace(verdict, around=self._around(best, verdict.above))
        return Verdict(best if verdict.wins else original, verdict)

    def _met(
        self, setting: Setting, before: Measurement, tried: Mapping[str, tuple[Candidate, Measurement]], seconds: float
    ) -> tuple[Judgement, Candidate]:
        """The fastest meets the original loops. Neighbours that came and went leave an interval that says nothing: then
        once more. Or they have left a trial that said too much: of those that were faster than the original loops in
        theirs, it is the next one's turn."""
        left, verdicts = dict(tried), list[tuple[Judgement, Candidate]]()
        while left and len(verdicts) < ROUNDS:
            fastest = min(trial.minimum for _, trial in left.values())
            best, trial = self._shortest([each for each in left.values() if each[1].minimum <= FOR_MEMORY * fastest])
            verdict = self._duel(setting, best, before, trial, seconds)
            verdicts.append((verdict, best))
            if verdict.wins or self.evaluator.left < self._rounds(before, left.values()):
                break
            again = any(other.name == best.name for _, other in verdicts[:-1])  # and still nothing is said
            if WORTH * verdict.ratio <= 1 or again:
                del left[best.name]
                left = {name: each for name, each in left.items() if each[1].minimum < WORTH * before.minimum}
        return max(verdicts, key=lambda each: (each[0].wins, each[0].ratio, each[0].low))

    def _shortest(self, near: Sequence[tuple[Candidate, Measurement]]) -> tuple[Candidate, Measurement]:
        """Of those that need the least memory the fastest; of several that trials cannot tell from it, the one with
        the fewest lines to read."""
        least = min(self._growing(candidate) for candidate, _ in near)
        few = [entry for entry in near if self._growing(entry[0]) == least]
        fastest = min((trial for _, trial in few), key=lambda trial: trial.minimum)
        same = [e for e in few if e[1].minimum <= min(fastest.median, SAME * fastest.minimum)]
        return min(same, key=lambda e: (self._lines(e[0]) if len(same) > 1 else 0, e[1].minimum))

    def _lines(self, candidate: Candidate) -> int:
        text = Path(self.built[candidate.name].path).with_suffix(".c").read_text(encoding="utf-8")  # what was built
        return sum(bool(line.strip()) for line in text.splitlines())

    def _growing(self, candidate: Candidate) -> int:
        """Bytes of its own arrays that are as long as loops are, and that are not kept in registers altogether."""
        known = {array.name for array in self.evaluator.scop.arrays}
        there = {array.name for array in self.evaluator.program(candidate).arrays}
        new = [a for a in candidate.scop.arrays if a.name in there - known and a.shape]
        grown = [a for a in new if not all(extent is not None and extent.is_constant for extent in a.shape)]
        sizes = self.evaluator.sizes
        return sum(a.type.bytes * prod(e.evaluate(sizes) for e in a.shape if e is not None) for a in grown)

    def _as_inlined(self, setting: Setting, best: Candidate, verdict: Judgement) -> Judgement:
        """What the last round says where the compiler knows what it does in the file: the sizes that are constants
        there, and arrays of callers that nothing else points to. Loops of ten iterations are written out then (a
        product of 10 x 10 matrices takes 187 ns, and 695 where it is not known)."""
        names, sources = (self.evaluator.original.name, best.name), dict[Path, Path]()
        for name in names:
            output = Path(self.built[name].path)
            text = self.alone.as_inlined(output.with_suffix(".c").read_text(encoding="utf-8"), dict(setting.sizes))
            if not text:
                return verdict
            place = _written(self.evaluator.folder, f"{output.stem}_known", text)
            sources[place] = place.with_suffix(".c")
        # This decides, though the time be over: loops of arrays that nothing else points to were announced 3.4 times as
        # fast, which the compiler had made as fast itself.
        seconds = min(COMPILE_SECONDS, max(BUILDING * self.evaluator.left, LEAST))
        failed = build_each(self.compiler, sources, _flags(self.alone), seconds)
        if failed[next(iter(sources))]:
            return verdict
        one, other = (
            self.built[name] if failed[output] else self.alone.built(output)
            for name, output in zip(names, sources, strict=True)
        )
        try:
            figures = self._run("run_duel", setting, one, other, SMALL_SECONDS, FEWEST)
        except WorkerError:
            return verdict
        before, after, ratio = cast("_Figures", figures)
        known = self._judgement(best, before, replace(after, check=verdict.check), ratio)
        return replace(known, least=verdict.least) if known.ratio < verdict.ratio else verdict

    def _on_smooth_data(self, setting: Setting, best: Candidate) -> float | None:
        """How many times as fast a candidate that wins is on numbers that vary slowly: branches of the original loops
        are predicted then, and skip what lanes compute. None where loops ask nothing of data, and where data end them:
        other data may not."""
        scop = self.evaluator.scop
        if not self.evaluator.asks_of_data or scop.is_endless or scop.ends_by_floats:
            return None
        # Floats that subscripts come from are no smaller than what their limits were found for.
        low, high = ORDINARY_FLOATS
        ordinary = {each.name: (each.scale * low, each.scale * high) for each in setting.fills if each.type.is_float}
        kept = ordinary if is_indirect(scop) else {}
        data = tuple(replace(f, smooth=True, range=f.range or kept.get(f.name)) for f in setting.fills)
        try:
            figures = self._call("run_duel", replace(setting, fills=data, stash=""), best, SMALL_SECONDS, FEWEST)
        except WorkerError:
            return None
        return cast("_Figures", figures)[2][0]

    def _above(self, best: Candidate, seconds: float) -> Iterator[str]:
        """Where a candidate that wins is not slower, either, as far as is known by and by: sizes from the smallest on,
        until it is not; all together, each extent by itself, and all but each, as long as there is time.

        Where it is lost with all of them small, the original loops run only there: one that is large means work. Rows
        of few elements, say, may be too short however many there are.
        """
        until = time.monotonic() + seconds
        scop, sizes = self.evaluator.scop, self.evaluator.sizes
        extents = shape_variables(scop)
        bounds = loop_parameters(scop) if len(sizes) > 1 else []
        shapes = [[name for name in scop.parameters if name in extents] or loop_parameters(scop)]
        shapes += [[name] for name in bounds]
        # Many short things, as points of few coordinates: one extent is large, all others are small.
        shapes += [[other for other in bounds if other != name] for name in bounds]
        starts = {name: (start, start.evaluate(sizes)) for name, start in loop_starts(scop).items()}
        # What is not known yet has vectors that are full: calls of a microsecond are not to wait for its memory.
        found = {names: min(FULL, max(sizes[n] for n in names)) for names in map(tuple, filter(None, shapes))}
        for number, names in enumerate(found):
            yield _where(found, starts)
            if number and time.monotonic() > until:
                return
            found[names] = self._enough(names, best)
        yield _where(found, starts)

    def _enough(self, names: Sequence[str], best: Candidate) -> int:
        """From which size of some parameters on a candidate that wins is not slower; 0: from the smallest."""
        sizes = self.evaluator.sizes

        def loses(least: int) -> bool:
            return self._loses({n: min(value, least) if n in names else value for n, value in sizes.items()}, best)

        lost, least, fine = 0, SMALLEST, 0
        while fine < AT_EASE and least < max((sizes[name] for name in names), default=0):
            lost, fine = (least, 0) if loses(least) else (lost, fine + (least >= FULL))
            least *= 2
        enough = 2 * lost
        for _ in range(HALVINGS):
            if enough <= lost + 1:
                break
            middle = (lost + enough) // 2
            lost, enough = (middle, enough) if loses(middle) else (lost, middle)
        return min(enough, max(sizes[name] for name in names)) if enough else 0

    def _loses(self, sizes: Mapping[str, int], best: Candidate) -> bool:
        """Whether a candidate is surely slower than the original loops at sizes; not, where these are none."""
        figures = self._short_duel(sizes, best)
        return figures is not None and figures[2][2] < NOT_SLOWER

    def _around(self, best: Candidate, above: str) -> float | None:
        """How many times as fast a candidate that wins is at the sizes that the file itself runs it with, together: in
        the iterations of the loop around it, or with what calls pass; None where these are all alike, or not known."""
        scop = self.evaluator.scop
        meant = limited(scop, above)
        times: list[tuple[float, float]] = []
        for sizes in sizes_around(scop, self.evaluator.sizes):
            figures = self._short_duel(sizes, best) if self.evaluator.left > 0 else None
            if figures is not None:
                before, after, _ = figures
                runs = is_allowed(meant.known, sizes)
                times.append((before.median, after.median if runs else max(before.median, after.median)))
        return sum(before for before, _ in times) / sum(after for _, after in times) if times else None

    def _short_duel(self, sizes: Mapping[str, int], best: Candidate) -> _Figures | None:
        """A candidate and the original loops at other sizes; None where these are none."""
        scop = self.evaluator.scop
        try:
            small = checked_sizes(scop, sizes)
            data = self.evaluator.fills(scop, small)
            setting = replace(self.evaluator.setting, fills=data, sizes=tuple(small.items()), stash="")
            fewest = FEWEST if self.once < LONG / FEWEST else FEWEST_LONG
            return cast("_Figures", self._call("run_duel", setting, best, SMALL_SECONDS, fewest))
        except (SizeError, WorkerError):
            return None

    def _duel(
        self, setting: Setting, best: Candidate, before: Measurement, trial: Measurement, seconds: float
    ) -> Judgement:
        """The best candidate and the original loops in turn."""
        fewest = FEWEST_LONG if before.minimum > LONG else FEWEST
        half = self.evaluator.left / 2
        fewest = max(FEWEST_LONG, min(fewest, int(min(half, SLOWER) / (before.minimum + trial.minimum))))
        figures = self._call("run_duel", setting, best, min(LAST * seconds, half), fewest)
        before, after, ratio = cast("_Figures", figures)
        return self._judgement(best, before, replace(after, check=trial.check), ratio)

    def _rounds(self, before: Measurement, tried: Iterable[tuple[Candidate, Measurement]]) -> float:
        """Seconds of the shortest last round, data that is copied included."""
        return 2 * (FEWEST_LONG + 2) * (before.minimum + min(trial.minimum for _, trial in tried))

    @property
    def tolerance(self) -> float:
        """Of results: 0 where the compiler keeps to what the C says."""
        rounds_freely = self.compiler.contraction == "fast" or self.compiler.reassociates
        ours, scop = self.evaluator.setting.tolerance, self.evaluator.scop
        types = [scop.array(s.target.array).type for s in scop.statements] if rounds_freely else []
        return max([ours, *(TOLERANCE[type_.bytes] for type_ in types if type_.is_float)])

    def _build(self, candidates: Sequence[Candidate]) -> None:
        """Fill `built`; what cannot be built is out."""
        sources: dict[Path, Path] = {}
        outputs: dict[Path, Candidate] = {}
        ahead, began, most = self.begun.ahead, time.monotonic(), BUILDING * self.evaluator.left
        for number, candidate in enumerate(candidates):
            if sources and time.monotonic() - began > most:  # the text of some thousand statements takes seconds
                self._leave(candidate, Fate.TIMED_OUT, "there was no time left to build it")
                continue
            try:
                if self.evaluator.program(candidate).loose_math:
                    self.loose.add(candidate.name)
                if candidate.name in ahead:
                    continue
                text = self.begun.text(self.evaluator, candidate)
            except (PolyloopError, BackendError) as error:
                self._leave(candidate, Fate.NO_CODE, str(error))
                continue
            output = _written(self.evaluator.folder, f"region_{number}", text)
            sources[output], outputs[output] = output.with_suffix(".c"), candidate
        left = self.evaluator.until - time.monotonic()
        seconds = min(COMPILE_SECONDS, HOPING * left if ahead else left)
        failed = build_each(self.compiler, sources, _flags(self.alone), seconds, BUILDING * left)
        for output, candidate in outputs.items():
            refusal = failed[output]
            if refusal is None:
                self._take(candidate, output)
            else:
                # Where less time was left than a file may take, it is the time that was missing.
                hurried = isinstance(refusal, SlowBuildError) and BUILDING * left < COMPILE_SECONDS
                self._leave(candidate, Fate.TIMED_OUT if hurried else Fate.NO_CODE, str(refusal))
        for candidate in candidates:
            if candidate.name in ahead:
                self._take_ahead(ahead[candidate.name])

    def _built_ahead(self) -> list[Candidate]:
        """What was built while the search went on, the last first; as far as it runs at the present sizes."""
        found = []
        for each in reversed(self.begun.ahead.values()):
            if each.candidate.name not in self.out and self.evaluator.evaluate(each.candidate) < inf:
                self._take_ahead(each)
                found.append(each.candidate)
        return found

    def _take_ahead(self, ahead: Ahead) -> None:
        left = self.evaluator.until - time.monotonic()
        try:
            ahead.build.result(min(COMPILE_SECONDS, HOPING * left))
        except BuildError as error:
            fate = Fate.TIMED_OUT if isinstance(error, SlowBuildError) else Fate.NO_CODE
            self._leave(ahead.candidate, fate, str(error))
        else:
            self._take(ahead.candidate, ahead.output)

    def _take(self, candidate: Candidate, output: Path) -> None:
        self.built[candidate.name] = self.alone.built(output)

    def _tried(self, setting: Setting, candidate: Candidate) -> Measurement | None:
        """Seconds of a candidate that computes what the original loops do, here and on numbers that nobody ordered."""
        try:
            found, measured = self._trial(setting, candidate)
            check = self._without_fusing(setting, candidate, found)
            checks = [check, *self._checks(setting, candidate)]
        except WorkerError as error:
            self._leave(candidate, fate_of(error), str(error))
            return None
        if (wrong := next((check for check in checks if not check.passed), None)) is None:
            return replace(measured, check=check, name=candidate.name, source=candidate.source)
        count = f"{wrong.different} of {wrong.compared} elements differ, by {wrong.largest:.1e} at most"
        self._leave(candidate, Fate.WRONG_RESULTS, f"as {self.compiler} builds it, {count}")
        return None

    def _trial(self, setting: Setting, candidate: Candidate) -> tuple[Check, Measurement]:
        found = self._call("run_trial", setting, candidate, self.tolerance)
        return cast("tuple[Check, Measurement]", found)

    def _checks(self, setting: Setting, candidate: Candidate) -> Iterator[Check]:
        if not self.evaluator.stands(candidate):
            raise WorkerError("error", str(self.evaluator.measured[candidate.name].error))
        tolerance = sqrt(self.tolerance)
        for sizes, data in self.evaluator.check_runs(exact=not tolerance):
            small = replace(setting, fills=data, sizes=tuple(sizes.items()), stash="")
            check = cast(Check, self._call("run_check", small, candidate, tolerance))
            if check.passed or not self._overflows(small):
                yield self._without_fusing(small, candidate, check)

    def _without_fusing(self, setting: Setting, candidate: Candidate, check: Check) -> Check:
        """Where results differ by more than the tolerance under a compiler that fuses across statements: the comparison
        of both without that, if it finds no difference. The loops are such that roundings grow on these data, as where
        nearly equal numbers are subtracted: other flags would change the original's results as much."""
        if check.passed or self.compiler.contraction != "fast" or self.compiler.reassociates:
            return check
        sources = (self.begun.output, Path(self.built[candidate.name].path))
        plain, other = (self._built_with(source, NO_CONTRACTION) for source in sources)
        if plain is None or other is None:
            return check
        found = cast(Check, self._run("run_check", setting, plain, other, 0.0))
        return replace(found, rounding=check.largest) if found.passed else check

    def _overflows(self, setting: Setting) -> bool:
        """Whether a signed integer of the original loops overflows on these data: what compilers make of that is their
        own affair. Ranges of values do not show it, where numbers grow with each iteration."""
        trapping = self._built_with(self.begun.output, *TRAPS)
        if trapping is None:
            return False
        try:
            self._run("run_check", setting, trapping, trapping, 0.0)
        except WorkerError as error:
            return error.kind == "crash"
        return False

    def _built_with(self, output: Path, *flags: str) -> Built | None:
        """What was built as `output`, with more flags; None if that fails."""
        if (str(output), *flags) not in self._rebuilt:
            other = output.with_name(f"{output.stem}_{len(self._rebuilt)}.so")
            self._rebuilt[str(output), *flags] = None
            build = Build(self.compiler, [output.with_suffix(".c")], other, (*_flags(self.alone), *flags))
            with suppress(BuildError), build:
                build.result(min(COMPILE_SECONDS, HOPING * self.evaluator.left))
                self._rebuilt[str(output), *flags] = self.alone.built(other)
        return self._rebuilt[str(output), *flags]

    def _call(self, function: str, setting: Setting, candidate: Candidate, *more: object) -> object:
        """
        Raises:
            WorkerError: if there is no result.
        """
        return self._run(function, setting, self.built[self.evaluator.original.name], self.built[candidate.name], *more)

    def _run(self, function: str, setting: Setting, original: Built, other: Built, *more: object) -> object:
        seconds = SLOWER * max(self.evaluator.seconds(self.evaluator.original), self.once)
        return self.evaluator.call(
            f"polyloop.measure.compiled:{function}", setting, original, other, *more, seconds=seconds
        )

    def _judgement(self, best: Candidate, before: Measurement, after: Measurement, ratio: _Interval) -> Judgement:
        return Judgement(
            str(self.compiler),
            self.compiler.version,
            best.name,
            before,
            after,
            *ratio,
            check=after.check,
            others=tuple(self.out.values()),
            needed=Judgement.SAVED_OF_OWN if self._uses_own_arrays else Judgement.SAVED,
        )

    @property
    def _uses_own_arrays(self) -> bool:
        named = {array.name for array in self.evaluator.scop.arrays if array.shape and not array.local}
        own = (each for each in self.alone.source.declarations if each.place == "local" and "*" not in each.text)
        return any(each.name in named for each in own)

    def _leave(self, candidate: Candidate, kind: Fate, reason: str) -> None:
        self.out[candidate.name] = Measurement.failed(reason, kind, candidate.name, candidate.source)
