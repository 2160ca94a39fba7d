"""`optimize`: from a Scop to the fastest proven kernel found; `compile_scop`: to a kernel without a search."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyloop.backend.config import cache_directory, records_file
from polyloop.backend.machine.host import family, host_target, runs_here, targeted
from polyloop.backend.machine.target import INSTRUCTION_SETS, shown_target
from polyloop.backend.run.kept_files import is_private
from polyloop.errors import PolyloopError
from polyloop.lowering.to_nest import lower
from polyloop.measure.evaluator import EvaluationError, Evaluator, Options
from polyloop.measure.result import Candidate, Fate, Judgement, Measurement, Result
from polyloop.schedules.legality import Proof, Violation, prove
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.dependence import memory_dependences
from polyloop.scop.model import Scop
from polyloop.search.registry import find_search
from polyloop.search.survey import OverrunError, ended_after, settle_sizes, surveyed
from polyloop.support.compilers import Compiler, user_compiler

if TYPE_CHECKING:
    from polyloop.backend.ir.vector_program import VectorProgram
    from polyloop.backend.machine.target import Target
    from polyloop.backend.run.kernel import Kernel
    from polyloop.lowering.to_c_file import Replacement
    from polyloop.measure.judge import Begun
    from polyloop.measure.records import Memory
    from polyloop.search.registry import Search
    from polyloop.transforms import Trace

BEYOND = 2.0
"""Seconds that a search may take beyond a short budget."""

LAST_RUNS, LONG_RUNS, LONG = 10, 6, 0.2
"""So many runs of the original loops are left for the last decision; and of runs of so many seconds."""
LEAST, MOST = 0.3, 0.6
"""Seconds at least that are left for it; but no more than this share of the time."""
CONTRACTIONS = ("off", "on", "fast")


class IllegalScheduleError(PolyloopError):
    """A schedule would violate a dependence; the message names it."""


def optimize(
    scop: Scop,
    *,
    sizes: Mapping[str, int] | None = None,
    search: str = "isl",
    space: str | None = None,
    budget: float | None = None,
    threads: int = 1,
    reassociate: bool = False,
    contract: str | None = None,
    reproducible: bool = False,
    assume_noalias: bool = False,
    progress: Callable[[str], None] | None = None,
    anytime: bool = False,
    target: str | None = None,
    cc: str | Compiler | None = None,
    force: bool = False,
    overrun: float | None = None,
    among: Sequence[Replacement] = (),
) -> Result:
    """Find, prove, check and measure a faster way to execute a Scop.

    Args:
        sizes: values of parameters for the measurements; those that are missing are chosen so that one run of the
            original loops takes about 50 ms, and where `cc` makes them very much slower than our own code generator
            does, some times that. The result is right for all values.
        search: name of a search, one of `polyloop.search.registry.SEARCHES`.
        space: what it walks, one of `polyloop.search.registry.SPACES`; by default what suits it best.
        budget: seconds for all of it, but for reading; see `default_budget`, which is for the search alone, and
            `crowding`, which that is multiplied by.
        overrun: so many seconds more it may take: what is not known then is not used. By default as many again, but
            `BEYOND` at least.
        threads: threads for parallel loops; with a `cc` without OpenMP they are timed in one.
        reassociate: reductions may be reordered; results then differ by rounding.
        contract: "on": a multiplication and an addition within one expression are rounded once, as clang does by
            default; "off": twice; "fast": as is faster, statement by statement, so that results differ by roundings.
            None: "on", or "off" if the result is to be reproducible, or `cc` contracts nothing.
        reproducible: the same bits on every processor, with any number of threads: sums keep their order, and products
            and sums are rounded one by one.
        assume_noalias: no two arrays overlap, on the caller's word: neither the kernel nor emitted C tests it.
        progress: is told about every candidate.
        anytime: an interrupt (Ctrl-C) ends the search, not the call: the best so far is the result, `interrupted`. A
            second one ends the call.
        target: an instruction set, one of `polyloop.backend.machine.target.INSTRUCTION_SETS`; this machine's if it is
            None. Where this machine does not have it nothing is measured: the schedule is the one that the default
            search starts from.
        cc: a C compiler and its flags ("gcc -O3 -march=native"), for a Scop that was read from a file: it builds the
            original loops and the C of the best candidates, and decides between them; what is announced is what it
            makes of them. Where its flags reorder sums (-ffast-math), so does the search; where they mean a smaller
            instruction set than this machine's, that is the target. None: our own code generator decides.
        among: what else is replaced in the Scop's file: with `cc`, what the original loops and the candidates call is
            this new code.
        force: of all that runs and is not the original loops the fastest, even where these are faster; for tests of
            what uses the result.
    Raises:
        TargetError: for an unknown instruction set.
        SizeError: for sizes that do not fit the Scop.
        EvaluationError: if the original loops cannot be run (they crash, or exceed the memory limit), or return from
            their function, so that nothing says what they take.
        BuildError: if there is no such compiler, or it does not take its flags.
        PolyloopError: for an unknown search, space or contraction, for numbers that cannot be, and for settings that
            contradict each other.
    """
    began = time.monotonic()
    _check(threads, sizes, budget)
    find, space = find_search(search, space)
    compiler = user_compiler(cc) if isinstance(cc, str) else cc
    if compiler is not None:
        contract = _contract_of(compiler) if contract is None and not reproducible else contract
        reassociate = reassociate or (compiler.reassociates and not reproducible)
        target = target or target_of(compiler)
    if target is not None:
        shown_target(target)  # whether there is one
    contract = contraction(contract, reassociate, reproducible)
    scop = _one(scop)
    if scop.source is not None and scop.source.own and not force:
        # What is made of them is another function's text, and stops elsewhere: no figure would be of the user's loops.
        raise EvaluationError(f"its loops return from {scop.source.function}, and cannot be timed alone (--force)")
    scop, assumed = _without_aliasing(scop) if assume_noalias else (scop, ())
    timed = threads if compiler is None or compiler.has_openmp else 1
    options = Options(threads, reassociate, contract != "off", contract == "fast", anytime, timed)
    if target is not None and not runs_here(target):
        return replace(_unmeasured(scop, assumed, sizes, options, progress, target), reproducible=reproducible)
    with (
        targeted(target),
        Evaluator(scop, {}, host_target(), options, progress, plain_pages=compiler is not None) as evaluator,
    ):
        evaluator.prepare()
        if budget is not None:
            evaluator.budget = budget
            evaluator.until = began + budget + (max(budget, BEYOND) if overrun is None else overrun)
        with nullcontext() if compiler is None else _begun(evaluator, compiler, reproducible, among) as begun:
            run = _Run(evaluator, compiler, begun, began)
            origin = run.settle(sizes)
            best = run.decide(run.search(find, space, budget), sizes, force)
            found = _result(evaluator, best, origin, assumed, assume_noalias)
            return run.told(replace(found, reproducible=reproducible, target=target or ""))


class _Run:
    """A search on this machine, and the decision about what it finds.

    Attributes:
        compiler, begun: the user's, and what it builds meanwhile; None where our own code generator decides.
        began: when the call did.
        once: seconds that the original loops take.
        seconds, needed: for the search, and what of its time is left for the last decision.
        judged, unjudged: what the compiler decided, or why it did not.
    """

    seconds: float
    needed: float
    once: float
    memory: Memory | None

    def __init__(self, evaluator: Evaluator, compiler: Compiler | None, begun: Begun | None, began: float) -> None:
        self.evaluator, self.compiler, self.begun, self.began = evaluator, compiler, begun, began
        self.judged: Judgement | None = None
        self.unjudged = ""

    def settle(self, sizes: Mapping[str, int] | None) -> str:
        """Choose sizes, and measure the original loops; where the sizes come from.

        Raises:
            EvaluationError: if they cannot be run, or not in time.
        """
        evaluator, original, origin = self.evaluator, self.evaluator.original, ""
        try:
            with ended_after(evaluator.left, wait=0.0):
                begun = self.begun
                theirs = (lambda: None) if begun is None else partial(begun.original_seconds, evaluator)
                origin = settle_sizes(evaluator, sizes, theirs)
                evaluator.evaluate(original)
        except OverrunError:
            evaluator.fail(original, Fate.TIMED_OUT, "there was no time left")
        first, name = evaluator.measured[original.name], evaluator.scop.name
        if not first.ran and not evaluator.left:
            what = f"compiling and running the original loops of {name}"
            raise EvaluationError(f"{what} takes longer than there is time (--budget, --sizes)")
        if not first.ran:
            raise EvaluationError(f"the original loops of {name} cannot be measured: {first.error}")
        self.once = evaluator.seconds(original)
        return origin

    def search(self, find: Search, space: str, budget: float | None) -> Candidate:
        """The best that a search finds, after what earlier ones have left."""
        evaluator = self.evaluator
        usual = default_budget([s.depth for s in evaluator.scop.statements], self.once)
        self.seconds = evaluator.budget = seconds = crowding() * usual if budget is None else budget
        self.memory = _memory(evaluator)
        if self.memory is not None:
            self.memory.try_known(evaluator)
        self.needed = self._last_seconds()
        with _ending_before(evaluator, self.needed):
            most = crowding() * MOST_SECONDS if budget is None else 0.0
            if self.compiler is not None:
                seconds, most = seconds - reserved(seconds), most - reserved(most)
            evaluator.most = most
            return surveyed(evaluator, find, seconds, space, self.once)

    def _last_seconds(self) -> float:
        """Seconds to leave for the last decision."""
        evaluator, once = self.evaluator, self.once
        # Running what a compiler has built takes about as long as all that has run till now.
        spent = time.monotonic() - self.began
        needed = 0.0 if self.begun is None else self.begun.needed + max(spent, LEAST)
        return min(needed + (LAST_RUNS if once < LONG else LONG_RUNS) * once, MOST * evaluator.left)

    def decide(self, best: Candidate, sizes: Mapping[str, int] | None, force: bool) -> Candidate:
        """The candidate that the compiler decides for, else our own code generator; with force none but the original
        loops."""
        evaluator = self.evaluator
        if self.compiler is not None and self.begun is not None:
            several = not set(evaluator.scop.parameters) <= set(sizes or ())
            best = self._judge(self.compiler, self.begun, best, several)
        if self.judged is None:
            best = evaluator.settled(best)
        if force and best.tree is None:
            best = self._forced()
            if self.compiler is not None and self.judged is None:
                self.unjudged = "another candidate was forced"
        if self.memory is not None:
            self.memory.keep(evaluator)
        return best

    def _judge(self, compiler: Compiler, begun: Begun, best: Candidate, several: bool) -> Candidate:
        """The candidate that a compiler decides for."""
        from polyloop.measure.judge import Verdict, judged  # of a compiler that is asked for

        evaluator = self.evaluator
        if evaluator.interrupted:
            self.unjudged = "the search was interrupted"
            return best
        try:
            with ended_after(evaluator.left, wait=0.0):
                more: list[Candidate] = []
                with _ending_before(evaluator, self.needed):
                    if evaluator.left:
                        more = _plain(evaluator)
                seconds = reserved(self.seconds)
                verdict = judged(evaluator, compiler, best, more, seconds=seconds, begun=begun, several=several)
        except KeyboardInterrupt as interrupt:
            late = isinstance(interrupt, OverrunError)
            if not late and not evaluator.options.anytime:
                raise
            evaluator.interrupted = evaluator.interrupted or not late
            reason = f"there was no time left to ask {compiler}" if late else "it was interrupted"
            verdict = begun.decided or Verdict(evaluator.original if late else best, None, reason)
        self.judged, self.unjudged = verdict.judged, verdict.reason
        return verdict.best

    def _forced(self) -> Candidate:
        """The fastest candidate but the original loops; what a compiler has said counts if it was of this one."""
        from polyloop.search.isl_search import first_guess, in_order

        evaluator, original, judged = self.evaluator, self.evaluator.original, self.judged
        if judged is not None and judged.candidate != original.name:
            return evaluator.candidates[judged.candidate]
        evaluator.until = max(evaluator.until, time.monotonic() + BEYOND)  # whatever it takes, there is to be something
        for made in (in_order, first_guess):
            if not any(c.tree is not None for c in evaluator.ranked()):
                evaluator.evaluate(made(evaluator))
        best = next((c for c in evaluator.ranked() if c.tree is not None and evaluator.stands(c)), original)
        self.judged = judged if best is original else None
        return best

    def told(self, result: Result) -> Result:
        """A result with what is known of the last decision; what the user's compiler has built gives its times."""
        evaluator, best, judged = self.evaluator, result.best, self.judged
        result = replace(
            result,
            last_round=evaluator.last_round,
            interrupted=evaluator.interrupted,
            judged=judged,
            unjudged=self.unjudged,
            check=replace(result.check, rounding=evaluator.rounding_difference(best)),
        )
        if judged is None:
            return result
        baseline = replace(judged.before, name=result.baseline.name, source=result.baseline.source)
        won = judged.candidate == best.name
        after = replace(judged.after, name=best.name, source=best.source) if won else baseline
        return replace(result, baseline=baseline, timing=after)


def _result(
    evaluator: Evaluator, best: Candidate, sizes_from: str, assumed: tuple[str, ...], assume_noalias: bool
) -> Result:
    """A candidate that has run: proven, compiled, and with what was measured."""
    scop, options = evaluator.scop, evaluator.options
    proof = evaluator.proofs.prove(best.scop, best.tree or original_tree(best.scop))
    assert isinstance(proof, Proof)
    program, timing = evaluator.program(best), evaluator.measured[best.name]
    return Result(
        scop=scop,
        best=best,
        program=program,
        compiled=partial(
            _compiled,
            program,
            host_target(),
            threads=options.threads,
            contract=options.contract,
            cache=_objects(),
            assume_noalias=assume_noalias,
            order=_call_order(scop),
        ),
        baseline=evaluator.measured.get(evaluator.original.name, timing),
        timing=timing,
        measurements=evaluator.measurements,
        proof=proof,
        check=timing.check,
        sizes=dict(evaluator.sizes),
        sizes_from=sizes_from,
        assumed=assumed,
    )


def _compiled(program: VectorProgram, target: Target, **settings: Any) -> Kernel:
    from polyloop.backend.run.kernel import compile_program  # files are written without it

    return compile_program(program, target=target, **settings)


def _begun(evaluator: Evaluator, compiler: Compiler, uncontracted: bool, among: Sequence[Replacement]) -> Begun:
    """The build of the original loops, and of what is found early; another round than the search's own decides then."""
    from polyloop.measure.judge import Begun  # of a compiler that is asked for

    evaluator.decides = False
    begun = Begun(evaluator, compiler, uncontracted, among)
    evaluator.found = begun.found
    if evaluator.options.running >= len(os.sched_getaffinity(0)):
        # Threads wait for each other: a compiler on one of their cores makes all of them slow.
        evaluator.alone = begun.paused
    return begun


@contextmanager
def _ending_before(evaluator: Evaluator, needed: float) -> Iterator[None]:
    """Leave seconds of an evaluator's time to what follows."""
    until = evaluator.until
    evaluator.until -= needed
    try:
        yield
    finally:
        evaluator.until = until


def _memory(evaluator: Evaluator) -> Memory | None:
    """What earlier searches have left; None where nothing is to be remembered."""
    if records_file() is None:
        return None
    from polyloop.measure.records import Memory  # of whoever remembers

    return Memory.of(evaluator)


def _plain(evaluator: Evaluator) -> list[Candidate]:
    """The loops in their order, which is not much work for a compiler; if they run."""
    from polyloop.search.isl_search import in_order, in_threads

    team = evaluator.scop.source.team if evaluator.scop.source is not None else None
    plain = in_order(evaluator) if team is None else in_threads(evaluator)
    if plain is None or evaluator.evaluate(plain) == inf:
        return []
    return [plain]


def reserved(budget: float) -> float:
    """Seconds of a budget for the rounds of what the user's compiler has built; its own time comes on top."""
    return min(0.3 * budget, 5.0)


def _unmeasured(
    scop: Scop,
    assumed: tuple[str, ...],
    sizes: Mapping[str, int] | None,
    options: Options,
    progress: Callable[[str], None] | None,
    target: str,
) -> Result:
    """For an instruction set that this machine does not have. The program that is planned for it is run here even so,
    in this machine's instructions: what it computes does not depend on them, how long it takes does.

    Raises:
        EvaluationError: if it does not run, or computes something else.
    """
    from polyloop.search.isl_search import first_guess  # searches are loaded when they are asked for

    with Evaluator(scop, {}, shown_target(target), options, progress) as evaluator:
        origin = settle_sizes(evaluator, sizes)
        best = first_guess(evaluator)
        evaluator.evaluate(best)
        outcome = evaluator.measured[best.name]
        if not outcome.ran:
            raise EvaluationError(f"{scop.name} has no schedule for {target}: {outcome.error}")
        unknown = Measurement.failed(f"this machine does not run {target}", name=best.name, source=best.source)
        found = _result(evaluator, best, origin, assumed, bool(assumed))
        return replace(found, baseline=unknown, timing=unknown, measurements=(unknown,), target=target)


def default_budget(depths: Sequence[int], once: float) -> float:
    """Seconds for the search, from four to twenty: 40 runs of the original loops, or for each statement one for every
    loop around it, as deep nests have more shapes, and two at the least."""
    return min(MOST_SECONDS, max(4.0, float(sum(max(2, depth) for depth in depths)), 40 * once))


MOST_SECONDS = 20.0
"""Of a search that nobody has given a budget, on cores of its own; where its first trial takes long, it gets the time
of ten such (`polyloop.search.isl_search.TRIALS`), up to this."""

MOST_CROWDED = 4.0
"""So that nobody waits for more than 80 seconds where 20 were meant."""


def crowding(status: Path = Path("/proc/self/schedstat")) -> float:
    """How many times as long as on cores of its own the process has taken till now, up to `MOST_CROWDED`.

    Linux says for how many nanoseconds it ran, and for how many it waited for a core; 1 where nobody says."""
    try:
        ran, waited, *_ = map(int, status.read_text().split())
    except (OSError, ValueError):
        return 1.0
    return min(1.0 + waited / max(ran, 1), MOST_CROWDED)


def _check(threads: object, sizes: object = None, budget: object = None) -> None:
    """
    Raises:
        PolyloopError: for an argument that is none.
    """
    if type(threads) is not int or threads < 1:
        raise PolyloopError(f"threads={threads!r}: it has to be a whole number from 1 on")
    if sizes is not None and not isinstance(sizes, Mapping):
        raise PolyloopError(f"sizes={sizes!r}: it has to be a mapping, as {{'n': 1000}}")
    if budget is not None and not (isinstance(budget, int | float) and budget >= 0):
        raise PolyloopError(f"budget={budget!r}: it has to be seconds, from 0 on")


def _is_trace(given: object) -> bool:
    from polyloop.transforms import Transform  # of those who give one

    return isinstance(given, Sequence) and all(isinstance(each, Transform) for each in given)


def _one(scop: object) -> Scop:
    """
    Raises:
        PolyloopError: for what is no Scop, such as the list of them that a C file has, and for one that cannot be run.
    """
    if not isinstance(scop, Scop):
        hint = "polyloop.read_c gives a list of the Scops of a C file"
        raise PolyloopError(f"this takes one Scop, not {type(scop).__name__}; {hint}")
    if scop.source is not None and scop.source.outside:
        names = ", ".join(scop.source.outside)
        raise PolyloopError(
            f"{scop.name} calls {names}, of which nothing is known: it can be looked at, but not be run; read the file "
            "without opaque_calls to learn what would help"
        )
    return scop


def _without_aliasing(scop: Scop) -> tuple[Scop, tuple[str, ...]]:
    """The Scop with arrays that never overlap, and in words what that takes on trust."""
    written = scop.written
    pairs = (pair for pair in combinations(scop.arrays, 2) if any(array.may_alias for array in pair))
    trusted = {array.name for pair in pairs if any(a.name in written for a in pair) for array in pair}
    names = [array.name for array in scop.arrays if array.name in trusted]
    assumed = (f"{', '.join(names[:-1])} and {names[-1]} do not overlap: nothing tests it",) if names else ()
    return scop.without_aliasing(), assumed


def contraction(contract: str | None, reassociate: bool, reproducible: bool) -> str:
    """How multiplications and additions are contracted: as was asked for, else as the rest of the settings has it.

    Raises:
        PolyloopError: for an unknown setting, and for what makes results depend on the machine where they must not.
    """
    if contract is not None and contract not in CONTRACTIONS:
        raise PolyloopError(f"contract is {contract!r}; it must be one of {', '.join(CONTRACTIONS)}")
    if reproducible and reassociate:
        raise PolyloopError("reproducible contradicts reassociate: sums in an order of the machine's have its bits")
    if reproducible and contract not in (None, "off"):
        raise PolyloopError(f"reproducible contradicts contract={contract!r}: not every processor fuses multiply-adds")
    return contract or ("off" if reproducible else "on")


def target_of(compiler: Compiler) -> str | None:
    """The instruction set that a compiler's flags mean, where that is less than this machine has, or another one's."""
    own, here = compiler.instructions, host_target()
    if own is None or own == here.machine.instructions:
        return None
    theirs = INSTRUCTION_SETS[own]
    narrower = theirs.vector_bits < here.vector_bits or family(theirs.triple) != family(here.triple)
    return own if narrower else None


def _contract_of(compiler: Compiler) -> str:
    """What a compiler's own contraction means for ours; gcc's, across statements, is none that we have."""
    return "off" if compiler.contraction == "off" else "on"


def compile_scop(
    scop: Scop,
    tree: ScheduleTree | Trace | None = None,
    *,
    threads: int = 1,
    reassociate: bool = False,
    contract: str | None = None,
    reproducible: bool = False,
    assume_noalias: bool = False,
) -> Kernel:
    """A kernel without a search.

    Args:
        tree: the schedule, or the trace that makes it from the original one. Without it, programs of known sizes get
            the best schedule that a search has found for them on this machine (``POLYLOOP_RECORDS``); else tensor
            programs get their default schedule (`polyloop.shaping.default_trace`), and C code keeps its loops.
        threads, reassociate, contract, reproducible, assume_noalias: as for `optimize`.
    Raises:
        IllegalScheduleError: if the schedule would violate a dependence.
        LoweringError: if no code can be generated for it.
        PolyloopError: for what is no schedule, an unknown contraction, no threads, and settings that contradict each
            other.
    """
    _check(threads)
    if not (tree is None or isinstance(tree, ScheduleTree) or _is_trace(tree)):
        raise PolyloopError(
            f"tree={tree!r}: it has to be a ScheduleTree, or a list of transforms (polyloop.transforms)"
        )
    # What `optimize` does without is loaded here.
    from polyloop.backend.planning.squeeze import squeezed
    from polyloop.backend.run.nest_kernel import Planning, compile_nest
    from polyloop.shaping.default_trace import default_trace
    from polyloop.transforms import replay

    fuse, dependences = contraction(contract, reassociate, reproducible) != "off", memory_dependences(_one(scop))
    given = tree is not None
    if tree is None and records_file() is not None and not scop.parameters:
        from polyloop.measure.records import known_tree

        tree = known_tree(scop, threads, reassociate, fuse)
        if tree is not None and isinstance(prove(scop, tree, dependences, reassociate), Violation):
            tree = None
    if tree is None:
        tree = default_trace(scop, host_target(), threads=threads, reassociate=reassociate)
    order = tree if isinstance(tree, ScheduleTree) else replay(original_tree(scop), tree)
    verdict = prove(scop, order, dependences, reassociate)
    if isinstance(verdict, Violation):
        if given:
            raise IllegalScheduleError(str(verdict))
        order, tree = original_tree(scop), ()
    # Compilers see no end of loops that only data end.
    explicit, nest = given or tree != () or scop.is_endless, lower(scop, order)
    return compile_nest(
        squeezed(nest) if explicit else nest,
        Planning(contract=fuse, reassociate=reassociate, explicit=explicit),
        threads=threads,
        cache=_objects(),
        assume_noalias=assume_noalias,
        order=_call_order(scop),
    )


def _call_order(scop: Scop) -> tuple[str, ...]:
    """As the C function takes its parameters; else as the program has them."""
    return scop.source.parameter_order if scop.source is not None else ()


def _objects() -> Path | None:
    """Where compiled code is kept; None, with a warning, where others may have put some."""
    folder = cache_directory() / "objects"
    return folder if is_private(folder / "objects") else None
