"""At which sizes candidates are measured: chosen where nobody gave them, and smaller where one run takes seconds."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from polyloop.backend.errors import BackendError
from polyloop.measure.evaluator import Evaluator
from polyloop.measure.result import Candidate
from polyloop.scop.data import (
    SWEEPS,
    SizeError,
    checked_sizes,
    not_given,
    of_variables,
    shape_variables,
    sizes_as_given,
    work,
)
from polyloop.scop.model import Scop
from polyloop.search.registry import Search

if TYPE_CHECKING:
    from polyloop.scop.size_choice import Aim, SizeChoice

# --- Sizes ------------------------------------------------------------------------------------------------------------
# Sizes for a measurement: what nobody gave is chosen so that one run of the original loops takes about 50 ms.
#
# How long a statement instance takes differs a hundredfold, from vectorised additions to divisions and calls of
# ``pow``; so the sizes are those of a guess first, then corrected by what a run at them takes.


NEAR = 1.4
"""A run that is not more than so many times as long or as short as the goal is near enough: caches and the ladder of
sizes do not allow much better."""

CORRECTIONS = 3
"""Most runs for finding the sizes."""

SMALLEST = 10
"""Floats are divided by two at most so many times, to have loops run that end at once on ordinary ones."""

LONGER = 1.2
"""So many times as long has a run on other data to take for these to be chosen. Our own code for the original loops
goes on to the end of what a counter bounds, at less cost, so that the difference may be small."""

INSTANT = 1e-7
"""Seconds; what takes less is counted as this much."""

PART, FAR, FAR_GOAL = 64, 8, 4
"""The user's compiler is asked about the original loops with so many times less work. Where all of it would take it so
many times as long as it is to, it is to take so many times as long."""

RUNS = 200
"""Of the original loops, or of what is about as long: so many suffice for a search. In a short one runs are shorter,
and there is less data, for it has to be made, copied and compared."""


def settle_sizes(
    evaluator: Evaluator, given: Mapping[str, int] | None, theirs: Callable[[], float | None] = lambda: None
) -> str:
    """Give an evaluator that has measured nothing yet its sizes and data; says where they come from.

    Loops that floats end are timed with small ones, if they run longer on these: iterations that diverge at once
    (Mandelbrot's) say nothing of the loops.

    Args:
        given: values for some or all of the parameters.
        theirs: seconds of one run of the original loops as the user's compiler builds them, at the evaluator's sizes;
            None where nobody knows.
    Raises:
        SizeError: for names that are no parameters, or values that the Scop is not written for.
    """
    scop, given = evaluator.scop, of_variables(evaluator.scop, given or {})
    known = {name: value for name, value in given.items() if name in scop.parameters}
    if not not_given(scop, known):
        evaluator.sizes = sizes_as_given(scop, known, given)
        return ("given" if known else "the constants of the source") + _settle_data(evaluator, theirs)
    from polyloop.scop.size_choice import BYTES, GOAL, Aim, default_sizes  # of sizes that nobody gave

    goal = GOAL if evaluator.budget is None else min(GOAL, evaluator.budget / RUNS)
    aim = Aim(goal, round(BYTES * goal / GOAL))
    choice = default_sizes(scop, known, aim=aim)
    evaluator.sizes = sizes_as_given(scop, choice.values, given)
    data = _settle_data(evaluator, theirs)
    for _ in range(CORRECTIONS if choice.aims else 0):
        try:
            took = max(evaluator.original_seconds(), INSTANT)
        except BackendError:
            break  # the search will say what is wrong with them
        is_short, is_long = took * NEAR < goal, took > NEAR * goal
        corrected = default_sizes(scop, given, work(scop, evaluator.sizes) * goal / took, aim)
        if not (is_short or is_long):
            break
        was, choice = choice, corrected
        if choice.values == was.values:
            break
        evaluator.sizes = checked_sizes(scop, choice.values)
    if choice.aims:
        choice = _not_too_long(evaluator, choice, partial(default_sizes, scop, given), aim, theirs)
    missing = ", ".join(name for name in choice.values if name not in given)
    return (f"given; {missing}: {choice.origin}" if given else choice.origin) + data


def _not_too_long(
    evaluator: Evaluator,
    choice: SizeChoice,
    sizes_of: Callable[[float, Aim], SizeChoice],
    aim: Aim,
    theirs: Callable[[], float | None],
) -> SizeChoice:
    """Smaller sizes where the user's compiler makes the original loops very much slower than our own code generator
    does (branches for what lanes choose, say): else there would be no time to ask it. A part of the work shows it."""
    scop = evaluator.scop
    whole = work(scop, choice.values)
    part = sizes_of(whole / PART, aim)
    evaluator.sizes = checked_sizes(scop, part.values)
    took, done = theirs(), work(scop, part.values)
    if took is not None and took * whole > FAR * aim.seconds * done:
        longer = replace(aim, seconds=FAR_GOAL * aim.seconds)
        choice = sizes_of(longer.seconds / took * done, longer)
    evaluator.sizes = checked_sizes(scop, choice.values)
    return choice


def _settle_data(evaluator: Evaluator, theirs: Callable[[], float | None]) -> str:
    """Where floats end loops, the scale at which a run takes about half of what it takes longer on the smallest ones:
    some of the loops end at once then, and others go on."""
    if not evaluator.scop.ends_by_floats:
        return ""

    def took(exponent: float) -> float:
        evaluator.scale = 2.0**-exponent
        found = theirs()
        return evaluator.original_seconds() if found is None else found

    low, high = 0.0, float(SMALLEST)
    with suppress(BackendError):  # the search will say what is wrong with them
        least, most = took(low), took(high)
        if most > LONGER * least:
            while high - low > 1:
                middle = (low + high) / 2
                low, high = (low, middle) if took(middle) > (least + most) / 2 else (middle, high)
            evaluator.scale = 2.0**-high
            return f"; numbers below {evaluator.scale:.2g}, on which loops run longer"
    evaluator.scale = 1.0
    return ""


# --- The survey -------------------------------------------------------------------------------------------------------
# Searching at smaller sizes where one run takes seconds; the best of it is measured at the sizes asked for.
#
# A search tries dozens of candidates. Where the original loops run for seconds, each would cost as much as the
# budget, so that next to nothing could be tried. Code is parametric, proofs hold for all sizes, and what is fast on a
# tenth of the work is mostly fast on all of it: candidates are surveyed there, and the best few have to prove it at
# full size.


LONG, ENOUGH = 0.5, 4
"""Seconds of one run of the original loops from which on a survey at smaller sizes pays; less, where there is no time
for `ENOUGH` such runs."""

SURVEYED = 0.25
"""Seconds that the original loops are to run there, at most."""

EXTENT = 48
"""Parameters that are no array's extent (numbers of time steps) are reduced first, not below `SWEEPS`; then the others,
as far as `EXTENT`: what is smaller would fit caches that the whole does not fit."""

SHARE = 0.7
"""Of the time, for the survey."""

FINALISTS = 4
"""How many candidates of the survey are measured at full size."""

RESHAPED = 60
"""So many of its runs have to fit into the time that is left for its shapes to be tried at full size."""

LEFT = 0.8
"""Of all time that is left, for a search at most, and for a survey: of what is found then something has to be compiled
whole, and measured at full size."""


def surveyed(evaluator: Evaluator, search: Search, seconds: float, space: str, once: float) -> Candidate:
    """The best candidate that the search finds in about `seconds`, at smaller sizes first if a run takes long.

    Args:
        once: seconds of one run of the original loops.
    """
    # Where neighbours take the processor, the original loops have taken much of the time already.
    seconds = min(seconds, evaluator.left)
    long = min(LONG, seconds / ENOUGH)
    shorter = min(SURVEYED, seconds / (2 * ENOUGH))
    sizes = reduced_sizes(evaluator.scop, evaluator.sizes, shorter / once) if once > long else None
    if sizes is None:
        return _searched(evaluator, search, seconds, space)
    deadline = time.monotonic() + seconds
    with evaluator.at(sizes) as survey:
        survey.until = time.monotonic() + LEFT * evaluator.left
        _searched(survey, search, SHARE * seconds, space)
        evaluator.interrupted = survey.interrupted
        best = [c for c in survey.ranked() if c.name != evaluator.original.name]
        evaluator.remember(survey)
    with _anytime(evaluator):
        for position, candidate in enumerate(_finalists(evaluator, best)):
            if position > 0 and (evaluator.interrupted or time.monotonic() > deadline):
                break
            evaluator.evaluate(candidate, evaluator.best_seconds())
        _reshape_best(evaluator, deadline)
    return evaluator.best_so_far() if evaluator.interrupted else evaluator.decided()


def _finalists(evaluator: Evaluator, best: Sequence[Candidate]) -> list[Candidate]:
    """The best few, before each the same with rows asked for ahead, which costs little where they are near, as they are
    in a survey."""
    from polyloop.search.isl_search import with_rows_ahead  # of searches that shape nests

    pairs = ((with_rows_ahead(evaluator, candidate), candidate) for candidate in best[:FINALISTS])
    found = {each.name: each for pair in pairs for each in pair if each is not None}
    return list(found.values())[:FINALISTS]


def _reshape_best(evaluator: Evaluator, deadline: float) -> None:
    """Try the shapes of the best candidate at full size, where it is so much faster than the original loops that there
    is time: which blocks fit the caches shows only there."""
    base = evaluator.bases.get(evaluator.best_so_far().name)
    if base is None or evaluator.interrupted or deadline - time.monotonic() < RESHAPED * evaluator.best_seconds():
        return
    from polyloop.search.isl_search import evaluate_reshaped  # of searches that shape nests

    with suppress(OverrunError), ended_after(deadline - time.monotonic()):
        evaluate_reshaped(evaluator, base, deadline)


OVERRUN, MORE, FIRST = 1.3, 0.7, 8.0
"""So many times its seconds may a search take, or so many seconds more, whichever is more; and so many seconds more for
the way to its first candidate."""


class OverrunError(KeyboardInterrupt):
    """A search has not ended by itself: it is interrupted, as if by Ctrl-C, and what it has found counts."""


@contextmanager
def ended_after(
    seconds: float, ready: Callable[[], bool] = lambda: True, wait: float = FIRST, again: float = 0.0
) -> Iterator[Callable[[float], None]]:
    """Raise `OverrunError` in what runs longer. Searches look at the clock, but not while a schedule space is set up,
    a tree lowered or a candidate compiled, which may take minutes. It takes the process's alarm clock: where somebody
    else uses that, and in other threads, nothing is ended. Gives a function that puts off the end until so many seconds
    from then on.

    Args:
        ready: whether there is anything yet to end with; until then it goes on, but no more than `wait` seconds.
        again: seconds for what a search still does with what it has, before it is interrupted once more.
    """
    free = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    if not free or seconds == inf:
        yield lambda seconds: None
        return
    running, rung, last = True, False, time.monotonic() + seconds + wait

    def end(*_: object) -> None:
        nonlocal rung
        if running and (ready() or time.monotonic() >= last):
            rung = True
            signal.setitimer(signal.ITIMER_REAL, max(again, _AGAIN), _AGAIN)
            raise OverrunError

    def ring_in(seconds: float) -> None:
        if running:
            signal.setitimer(signal.ITIMER_REAL, max(seconds, _SOON), _AGAIN)

    signal.signal(signal.SIGALRM, end)
    try:
        try:
            ring_in(seconds)
            yield ring_in
        except Exception as error:
            if rung:  # in a function that the set library has called: what that raises is an error of the library's
                raise OverrunError from error
            raise
        finally:
            running = False  # it may ring right in front of this, and raise here
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        # Of an alarm that has rung the system may have chosen another thread to tell, which is yet to run: it would end
        # the process, and is forgotten where alarms are ignored.
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


_AGAIN, _SOON = 0.25, 1e-3
"""Seconds after which the alarm rings again; and those after which it rings where no time is left."""


def _searched(evaluator: Evaluator, search: Search, seconds: float, space: str) -> Candidate:
    """What a search finds, or has found when it is interrupted or does not end."""
    began = time.monotonic()
    try:
        left, rest = LEFT * evaluator.left, (1 - LEFT) * evaluator.left
        seconds = min(seconds, left / OVERRUN)
        limit = min(max(OVERRUN * seconds, seconds + MORE), left)
        in_time = ended_after(limit, lambda: len(evaluator.measured) > 1, min(FIRST, left - limit), min(FIRST, rest))
        with _anytime(evaluator), in_time as ring_in:

            def longer(wanted: float) -> float:
                granted = max(seconds, min(wanted, evaluator.most))
                if granted > seconds:
                    ring_in(began + max(OVERRUN * granted, granted + MORE) - time.monotonic())
                return granted - seconds

            evaluator.longer = longer
            return search(evaluator, seconds, space)
    except OverrunError:
        return evaluator.decided() if time.monotonic() < evaluator.until else evaluator.best_so_far()
    return evaluator.best_so_far()


@contextmanager
def _anytime(evaluator: Evaluator) -> Iterator[None]:
    """Where an interrupt (Ctrl-C) ends a search only, what runs here ends by it, and the best so far is the result."""
    try:
        yield
    except OverrunError:
        raise
    except KeyboardInterrupt:
        if not evaluator.options.anytime:
            raise
        evaluator.interrupted = True
        if evaluator.progress is not None:
            evaluator.progress("interrupted: the best so far and the original loops, in turn")


def reduced_sizes(scop: Scop, sizes: Mapping[str, int], fraction: float) -> dict[str, int] | None:
    """The largest sizes at which the Scop has at most this fraction of its work; None if there are none.

    Statement instances are counted as the boxes around the domains.
    """
    whole = work(scop, sizes)
    smaller = [found for found in _ladder(scop, sizes) if found != dict(sizes)]
    return next((found for found in smaller if 0 < work(scop, found) <= fraction * whole), None)


def _ladder(scop: Scop, sizes: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Smaller and smaller sizes that the Scop is written for."""
    extents = shape_variables(scop)
    sweeps = [name for name in scop.parameters if name not in extents] if extents else []
    current = dict(sizes)
    others = [name for name in scop.parameters if name not in sweeps]
    for names, least in ((sweeps, SWEEPS), (others, EXTENT)):
        reducible = [name for name in names if current[name] > least]
        start = dict(current)
        for step in range(1, 40):
            if not reducible:
                break
            factor = 0.9**step
            current = start | {name: max(least, round(start[name] * factor)) for name in reducible}
            try:
                yield checked_sizes(scop, current)
            except SizeError:
                continue
