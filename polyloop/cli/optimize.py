"""``polyloop optimize``: read, search, prove, measure, report, write. A scop that fails leaves the others alone."""

from __future__ import annotations

import re
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from math import inf
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import islpy as isl

from polyloop.api import BEYOND, contraction, optimize, target_of
from polyloop.backend.config import default_threads, has_chosen_machine, verifies
from polyloop.backend.errors import BackendError
from polyloop.backend.machine.host import host_target, runs_here, targeted
from polyloop.cli.emission import (
    SCHEDULES,
    Code,
    check_emits,
    chosen_versions,
    replacements,
    rounded_apart,
    without_results,
    write_c,
    write_depfile,
    write_scops,
)
from polyloop.errors import PolyloopError
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.measure.result import Result
from polyloop.scop.model import Scop
from polyloop.search.registry import UnknownSearchError, checked_space
from polyloop.support.compilers import (
    OPENMP,
    BuildError,
    Compiler,
    default_command,
    probe,
    refusal,
    user_compiler,
)
from polyloop.terminal.errors import DONE, INTERRUPTED, UsageError
from polyloop.terminal.option_types import PerRegion
from polyloop.terminal.output import EMITS, Destination, Progress, announce_measuring, destination, json_destination
from polyloop.terminal.report import Outcome, block
from polyloop.terminal.sources import (
    Input,
    Sizes,
    chosen_sizes,
    in_one_thread,
    locate,
    print_diagnostics,
    read_as_compiled,
    read_input,
    threads_of,
)

if TYPE_CHECKING:
    from polyloop.backend.machine.versions import Version

_SETTINGS = (
    *("search", "space", "budget", "force", "threads", "reassociate", "contract", "reproducible", "target", "targets"),
    *("assume_noalias", "auto", "dataset", "defines"),
)
"""Arguments that the JSON document has."""

_WHOLE = ("c", "schedule")
"""Kinds of files that are of all regions, those that stay as they are included."""


@dataclass(frozen=True)
class _Places:
    """Where the results and the JSON document go; None: nowhere."""

    output: Destination | None
    json: Destination | None

    @property
    def standard_output_is_taken(self) -> bool:
        return any(place is not None and place.path is None for place in (self.output, self.json))


_LEAST_SHARE = 2.0
"""Seconds that a search gets at least, as long as there are so many: less is spent before anything is tried."""

_WRITING = 0.3
"""Seconds for what comes behind the last search, where the processor has nothing else to do."""

_SLOWEST = 5.0
"""Reading may have waited for more than processors."""

_ASKING = 0.1
"""The part of a budget in which the compiler says what it knows of the file; without one it has so many seconds:"""
_LONGEST_QUESTION = 10.0

_GLANCE = 0.1
"""As many at least, as long as the budget is overrun by no more than it may be."""


@dataclass
class Shares:
    """What each of several searches gets of a budget: by the weights of its loops, of what is left.

    Attributes:
        seconds: for all of them; None: nobody has said, and every search takes what suits it.
        weights: of the searches, in their order.
        clock: in seconds.
        started: when the command was: what the budget may be overrun by includes reading.
        slowness: how much longer than a processor's time things take, beside others.
        each: every search has its part, also where others took longer than theirs, as long as all end in time.
    """

    seconds: float | None
    weights: Sequence[float]
    clock: Callable[[], float] = time.monotonic
    started: float | None = None
    slowness: float = 1.0
    each: bool = False
    _began: float | None = field(default=None, init=False)
    _next: int = field(default=0, init=False)

    def next(self) -> float | None:
        """For the next search; 0 where nothing is left."""
        if self.seconds is None:
            return None
        now = self.clock()
        self._began = now if self._began is None else self._began
        spent = now - self._began
        weights = self.weights[self._next :]
        self._next += 1
        left = self.seconds - spent
        if self.each:
            left = max(left, min(self.left / 2, self.seconds * sum(weights) / sum(self.weights)))
        if left <= 0.0:
            return _GLANCE if spent < self.seconds + BEYOND and self.left > _GLANCE else 0.0
        return min(left, max(left * self._part, _LEAST_SHARE)) if len(weights) > 1 else left

    def overrun(self, share: float) -> float:
        """By how much this search may be overrun: its part of what is left until all has to end. A compiler that takes
        half a minute for what was found in one region is not waited for in the time of all others."""
        return max(0.0, min(self.left, max(self.left * self._part, share + BEYOND)) - share)

    @property
    def _part(self) -> float:
        """Of the search that is next or under way, among those that are left with it."""
        weights = self.weights[max(self._next - 1, 0) :]
        return weights[0] / sum(weights) if weights else 1.0

    @property
    def left(self) -> float:
        """Seconds until all has to end."""
        if self.seconds is None:
            return inf
        began = self.clock() if self._began is None else self._began
        until = (began if self.started is None else self.started) + self.seconds + max(self.seconds, BEYOND)
        return max(0.0, until - self.slowness * _WRITING - self.clock())


def run(arguments: Namespace) -> int:
    """Optimize the scops of a file.

    Raises:
        UsageError: for options that do not go together, before any work.
        PolyloopError: if nothing could be read.
    """
    if arguments.schedule is not None:
        from polyloop.cli.saved import run as apply_saved  # in the place of a search

        return apply_saved(arguments)
    if arguments.check:
        raise UsageError("--check compares what --schedule SAVED gives with the output file; give both")
    try:
        checked_space(arguments.search, arguments.space)
    except UnknownSearchError as error:
        raise UsageError(f"--search: {error}") from error
    compiler = _compiler(arguments)
    arguments.contract = _contraction(arguments, compiler)
    given, arguments.threads = arguments.threads, arguments.threads or default_threads()
    host_target()  # a target that this machine does not have is said once, not as a remark about every scop
    if compiler is not None and not arguments.targets:
        arguments.target = arguments.target or target_of(compiler)
    targets = arguments.targets or (arguments.target,)
    versions = _versions(arguments)
    places = _places(arguments)
    source = read_input(arguments)
    arguments.headers = source.file.headers
    if "obj" in (arguments.emit or ()) and places.output is not None and len(source.file.scops) == 1:
        places.output.header()  # of several, those that stay as they are decide how the files are called
    arguments.each = isinstance(arguments.budget, PerRegion)
    if arguments.each:
        arguments.budget = arguments.budget.of(len(source.file.scops))
    print_diagnostics(source, arguments.function)
    if given == 1:
        source = in_one_thread(source)
    if compiler is not None and any(threads_of(scop, arguments.threads) > 1 for scop in source.file.scops):
        compiler = _in_threads(compiler, bool(arguments.cc))
    if targets == (None,):
        _use_machine()
    stream = sys.stderr if places.standard_output_is_taken else sys.stdout
    outcomes: list[Outcome] = []
    command = _Command(source, arguments, places, compiler)
    for outcome in command.outcomes(targets):
        outcomes.append(outcome)
        if outcome.interrupted and not any(outcome.is_changed for outcome in outcomes):
            raise KeyboardInterrupt
        # A scop that is left alone is a remark, and remarks are no results.
        print(block(outcome, arguments.verbose), file=sys.stderr if outcome.result is None else stream, flush=True)
    interrupted = bool(outcomes) and outcomes[-1].interrupted
    arguments.unfinished = any(o.result.unjudged if o.result is not None else not o.settled for o in outcomes)
    if arguments.depfile is not None:
        write_depfile(arguments, places.output)
    for written in command.write(outcomes, versions):
        print(f"wrote {written.path}", file=stream)
    if places.output is not None and "c" in (arguments.emit or ("c",)):
        _tell_of_includes(source, places.output)
    _tell_of_roundings([outcome.result for outcome in outcomes if outcome.result is not None], arguments, versions)
    if interrupted:
        print("polyloop: interrupted; the best found so far is written", file=sys.stderr)
    return INTERRUPTED if interrupted else DONE


def _in_threads(compiler: Compiler, chosen: bool) -> Compiler:
    """The compiler with OpenMP, without which it leaves parallel loops to one thread.

    Args:
        chosen: somebody has said what its flags are: they stay as they are.
    """
    if compiler.has_openmp:
        return compiler
    words = "parallel loops are timed in one thread: "
    if chosen:
        print(f"polyloop: remark: {words}--cc has no {OPENMP}", file=sys.stderr)
        return compiler
    threaded = replace(compiler, command=(*compiler.command, OPENMP))
    try:
        probe(threaded)
    except BuildError as error:
        print(f"polyloop: remark: {words}{error}", file=sys.stderr)
        return compiler
    return threaded


def _compiler(arguments: Namespace) -> Compiler | None:
    """The user's compiler, where C is written; what its flags say of macros, folders and sums holds for us, too.

    Raises:
        UsageError: for a compiler of --cc that is not there, or does not take its flags.
    """
    writes_c = "c" in (arguments.emit or ("c",))
    command = arguments.cc or (default_command() if writes_c else "none")
    if command == "none":
        return None
    own = [f"-I{folder}" for folder in arguments.include_dirs]
    own += [f"-D{name}" for name in arguments.defines]
    own += [f"-D{arguments.dataset}_DATASET"] if arguments.dataset else []
    own += [f"-U{name}" for name in arguments.undefines]
    own += [word for name in arguments.includes for word in ("-include", name)]
    try:
        compiler = user_compiler(command, own)
        # With another target it is no file for this compiler's processor.
        read_as_compiled(arguments, command, compiler.macros if not (arguments.target or arguments.targets) else None)
    except BuildError as error:
        if arguments.cc:
            raise UsageError(f"--cc: {error}") from error
        print(f"polyloop: remark: {error}: figures are those of our own code generator (--cc)", file=sys.stderr)
        return None
    if compiler.reassociates and arguments.reproducible:
        raise UsageError(f"--reproducible: {compiler} reorders sums as it likes; leave -ffast-math out")
    arguments.reassociate = arguments.reassociate or compiler.reassociates
    return compiler


def _contraction(arguments: Namespace, compiler: Compiler | None) -> str:
    """
    Raises:
        UsageError: for options that contradict --reproducible.
    """
    asked_for = arguments.contract or arguments.reproducible
    if compiler is not None and not asked_for and compiler.contraction == "off":
        return "off"
    try:
        return contraction(arguments.contract, arguments.reassociate, arguments.reproducible)
    except PolyloopError as error:
        other = "--reassociate" if arguments.reassociate else f"--fp-contract={arguments.contract}"
        reason = str(error).partition(": ")[2]
        raise UsageError(f"--reproducible contradicts {other}: {reason}; leave one of them out") from error


def _not_reached(scop: Scop, target: str | None) -> Outcome:
    reason = "interrupted before anything better was found"
    return Outcome(scop, None, reason, interrupted=True, target=target or "")


def _versions(arguments: Namespace) -> tuple[Version, ...]:
    """Those that ``--targets`` asks for; () where it does not occur.

    Raises:
        UsageError: for versions that do not go into what is to be written.
    """
    kinds = arguments.emit or ("c",)
    versions = chosen_versions(arguments.targets, kinds)
    if versions and (several := [kind for kind in kinds if kind == "schedule" or kind in SCHEDULES]):
        raise UsageError(f"--targets: {several[0]} is of one schedule, and every version has its own; give --target")
    return versions


# --- where things go --------------------------------------------------------------------------------------------------


def _places(arguments: Namespace) -> _Places:
    path, info = locate(arguments.input)
    output = _output(arguments)
    if arguments.helpers is not None and ("c" not in (arguments.emit or ("c",)) or not Path(arguments.helpers).name):
        raise UsageError("--helpers names a header for C files; add c to --emit")
    if arguments.helpers == "-":
        raise UsageError("--helpers: a header is no use on standard output; give a file's name")
    if arguments.emit or output is not None:
        check_emits(arguments.emit or ("c",), output)
    json = json_destination(arguments, path)
    places = _Places(output, json)
    if arguments.depfile is not None and (output is None or output.path is None):
        raise UsageError("--depfile says what a file is made of; name it with -o FILE")
    helpers = None if arguments.helpers is None or output is None else _helpers(path, arguments, output)
    depfile = None if arguments.depfile is None else destination("--depfile", arguments.depfile, path)
    named = {"-o": output, "--json": json, "--helpers": helpers, "--depfile": depfile}
    for (one, first), (other, second) in combinations(((k, v) for k, v in named.items() if v is not None), 2):
        if first.path == second.path:
            raise UsageError(f"{one} and {other} both write to {first.path or 'standard output'}")
    if arguments.in_place and info is not None:
        raise UsageError(f"--in-place: {path} ships with polyloop and stays as it is; give -o FILE")
    return places


def _output(arguments: Namespace) -> Destination | None:
    path, _ = locate(arguments.input)
    if arguments.in_place:
        if path is None or arguments.output is not None:
            other = "standard input has no place" if path is None else "-o names another place"
            raise UsageError(f"--in-place overwrites the input file, but {other}")
        if "c" not in (arguments.emit or ("c",)):
            raise UsageError("--in-place writes the C file; add c to --emit, or give -o FILE")
        return destination("--in-place", str(path), path, overwrite=True)
    if arguments.output is not None:
        return destination("-o", arguments.output, path)
    # As compilers that print: the result goes to standard output, unless the document does.
    return None if arguments.json == "-" and not arguments.emit else destination("-o", "-", path)


# --- the work ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Command:
    """What is asked for, once all of it is settled."""

    source: Input
    arguments: Namespace
    places: _Places
    compiler: Compiler | None

    def outcomes(self, targets: Sequence[str | None]) -> Iterator[Outcome]:
        """Every scop for every target, each in its share of the time; behind an interrupt nothing is reached."""
        arguments = self.arguments
        work = self._asked(_work(self.source, arguments))
        started = getattr(arguments, "started", None)
        slowness = 1.0 if started is None else (time.monotonic() - started) / time.process_time()
        slowness = min(max(slowness, 1.0), _SLOWEST)
        weights = [each.weight for each in work if not each.negligible for _ in targets]
        shares = Shares(
            arguments.budget, weights, started=started, slowness=slowness, each=getattr(arguments, "each", False)
        )
        interrupted = False
        measured: dict[int, Result] = {}
        for (place, each), target in product(enumerate(work), targets):
            scop, outcome = each.scop, _not_reached(each.scop, target)
            if each.negligible:
                reason = "it runs once, in less than a millisecond (--function optimizes it)"
                outcome = Outcome(scop, None, reason, interrupted, target or "", settled=True)
            elif not interrupted:
                arguments.share = shares.next()
                arguments.overrun = None if arguments.share is None else shares.overrun(arguments.share)
                if arguments.share == 0.0:
                    outcome = Outcome(scop, None, "there was no time left for it (--budget)", target=target or "")
                else:
                    callees = [measured[k] for k in each.callees if k in measured] if len(targets) == 1 else []
                    changed = [result for result in callees if not result.is_original]
                    outcome = self._targeted(scop, each.sizes, target, replacements(changed))
                    made = outcome.result if callees and outcome.is_changed else None
                    if made is not None and _is_behind(made, callees):
                        reason = "the functions that its loops call are faster, measured by themselves"
                        outcome = replace(outcome, result=None, reason=reason)
            if outcome.result is not None:
                measured[place] = outcome.result
            interrupted = outcome.interrupted
            yield outcome

    def _asked(self, work: list[_Work]) -> list[_Work]:
        """The work, with the sizes that the compiler knows in the file."""
        known = (each.scop.source.usual for each in work if each.scop.source is not None)
        if self.compiler is None or not any(known):
            return work
        from polyloop.measure.compiler_constants import with_compiler_constants  # of files that say sizes

        folder = Path() if self.source.path is None else self.source.path.resolve().parent
        seconds = _LONGEST_QUESTION if (budget := self.arguments.budget) is None else _ASKING * budget
        scops = with_compiler_constants([each.scop for each in work], self.compiler, folder, seconds)
        return [replace(each, scop=scop) for each, scop in zip(work, scops, strict=True)]

    def _targeted(self, scop: Scop, sizes: Sizes, target: str | None, among: Sequence[Replacement]) -> Outcome:
        """By this machine's figures with the instructions that are asked for, where it has them."""
        if target is None or not runs_here(target):
            return self._optimized(scop, sizes, target, among)
        with targeted(target):
            _use_machine()
            return self._optimized(scop, sizes, target, among)

    def _optimized(self, scop: Scop, sizes: Sizes, target: str | None, among: Sequence[Replacement]) -> Outcome:
        """Errors become the reason why the scop is left as it is."""
        arguments = self.arguments
        reached = Outcome(scop, None, target=target or "")
        try:
            with Progress(reached.name) as progress:
                result = optimize(
                    scop,
                    sizes=sizes.given,
                    search=arguments.search,
                    space=arguments.space,
                    budget=arguments.share,
                    overrun=arguments.overrun,
                    threads=threads_of(scop, arguments.threads),
                    reassociate=arguments.reassociate,
                    contract=arguments.contract,
                    reproducible=arguments.reproducible,
                    assume_noalias=arguments.assume_noalias,
                    progress=progress.update,
                    anytime=True,
                    target=target,
                    cc=self.compiler,
                    force=arguments.force,
                    among=among,
                )
            if sizes.origin:
                result = replace(result, sizes_from=sizes.origin + result.sizes_from.removeprefix("given"))
            self._check(result)
        except (PolyloopError, BackendError) as error:
            return replace(reached, reason=str(error))
        except isl.Error as error:
            return replace(reached, reason=f"isl gave up: {str(error).partition(chr(10))[0]}")
        except KeyboardInterrupt:
            return _not_reached(scop, target)
        except Exception as error:  # A defect of ours in one region must not lose what was found for the others.
            if verifies():
                raise
            what = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
            return replace(reached, reason=f"internal error: {what}; please report it with what --debug prints")
        return replace(reached, result=result, interrupted=result.interrupted)

    def _check(self, result: Result) -> None:
        """Refuse a result that must not be, or cannot be, written.

        Raises:
            PolyloopError: if it computed something else than the original, does not fit into the file, or is none that
                the compiler takes.
        """
        if not result.check.passed:
            raise PolyloopError("the fastest schedule's results differ from the original's; please report this")
        if self.places.output is not None and "c" in (self.arguments.emit or ("c",)):
            before, compiler = self.source.file.text, self.compiler
            text = emit_c_file(before, replacements([result]), uncontracted=result.reproducible)
            if compiler is None or result.is_original:
                return
            was_built = result.judged is not None and result.judged.candidate == result.best.name
            if was_built and not compiler.refuses_warnings:
                return
            folder = Path() if self.source.path is None else self.source.path.resolve().parent
            said = refusal(compiler, text, folder)
            if said and not refusal(compiler, before, folder):
                raise PolyloopError(f"{compiler} does not take the new loops: {said}")

    def write(self, outcomes: Sequence[Outcome], versions: tuple[Version, ...]) -> list[Destination]:
        """Write everything; returns the files."""
        arguments, places = self.arguments, self.places
        code = Code(arguments.threads, arguments.contract != "off", arguments.target, versions)
        written = [] if places.output is None else self._emit(outcomes, places.output, code)
        if places.json is not None:
            places.json.write(self._document(outcomes).encode())
            written.append(places.json)
        return [place for place in written if place.path is not None]

    def _emit(self, outcomes: Sequence[Outcome], output: Destination, code: Code) -> list[Destination]:
        """One kind of result alone gets the name that was given, several get endings of their own."""
        written: list[Destination] = []
        source, arguments = self.source, self.arguments
        kinds = arguments.emit or ("c",)
        results = [outcome.result for outcome in outcomes if outcome.result is not None]
        if not results and any(kind not in _WHOLE for kind in kinds):
            kept = ", ".join(kind for kind in kinds if kind not in _WHOLE)
            print(f"polyloop: remark: no scop was optimized, so there is no {kept} to write", file=sys.stderr)
        for kind in kinds:
            if kind == "c":
                to = output if len(kinds) == 1 or arguments.in_place else output.beside(EMITS[kind])
                helpers = _helpers(source.path, arguments, to)
                left = without_results(outcomes) if arguments.reproducible else []
                write_c(source, outcomes, to, code.versions, arguments.words, helpers, left)
                written += [to] if helpers is None or not replacements(results, left=left) else [to, helpers]
            elif kind == "schedule":
                from polyloop.cli.saved import write_schedules  # of this kind alone

                to = output if len(kinds) == 1 else output.beside(EMITS[kind])
                write_schedules(outcomes, arguments, to)
                written.append(to)
            else:
                written += write_scops(kind, results, output, len(kinds) == 1, code)
        return written

    def _document(self, outcomes: Sequence[Outcome]) -> str:
        from polyloop.terminal.document import diagnostic_row, document, outcome_row, summary  # only of --json

        source, arguments = self.source, self.arguments
        settings = {"input": source.name, "cc": None if self.compiler is None else str(self.compiler)}
        settings |= {name: getattr(arguments, name) for name in _SETTINGS}
        rows = [outcome_row(outcome) for outcome in outcomes]
        rows += [diagnostic_row(diagnostic) for diagnostic in source.file.diagnostics]
        return document("optimize", settings, rows, summary(outcomes, source.file.diagnostics))


@dataclass(frozen=True)
class _Work:
    """A scop that is to be optimized.

    Attributes:
        weight: what it gets of a budget, beside others.
        negligible: it is not worth anybody's time, where others are.
        callees: places, in the order of the work, of scops of functions that its loops call, which come before it.
    """

    scop: Scop
    sizes: Sizes
    weight: float = 1.0
    negligible: bool = False
    callees: tuple[int, ...] = ()


def _work(source: Input, arguments: Namespace) -> list[_Work]:
    """The scops with their sizes; where nobody has marked them the costliest first, but behind those that they call."""
    given = chosen_sizes(source, arguments)
    if not arguments.auto and (arguments.budget is None or len(given) < 2):
        return [_Work(scop, sizes) for scop, sizes in given]
    from polyloop.terminal import ranking  # of several, or of loops that were found

    operations = [ranking.expected_operations(scop) for scop, _ in given]
    weights = [ranking.weight(each) for each in operations]
    if not arguments.auto:
        return [_Work(scop, sizes, weight) for (scop, sizes), weight in zip(given, weights, strict=True)]
    negligible = [ranking.is_negligible(scop, each) for (scop, _), each in zip(given, operations, strict=True)]
    if all(negligible) or arguments.function is not None or arguments.force:
        negligible = [False] * len(given)
    callees = ranking.callees([scop for scop, _ in given])
    # Small functions are for the loops that call them: there they are part of these.
    calls = [1.0 if scop.source is None else scop.source.calls for scop, _ in given]
    whole = {k for k, each in enumerate(operations) if each >= calls[k] * _WHOLE_CALL * ranking.MICROSECOND}
    callees = [each & whole for each in callees]
    order: list[int] = []
    entered: set[int] = set()  # functions may call each other

    def enter(k: int) -> None:
        if k not in entered:
            entered.add(k)
            for other in sorted(callees[k], key=lambda other: -operations[other]):
                enter(other)
            order.append(k)

    for k in sorted(range(len(given)), key=lambda k: -operations[k]):
        enter(k)
    return [
        _Work(*given[k], weights[k], negligible[k], tuple(order.index(other) for other in callees[k])) for k in order
    ]


_WHOLE_CALL = 1
"""A function of so many microseconds gains as much by itself as in the loops around its call; these come later, and are
measured with what has been made of it."""


_NEARLY_ALL = 0.8
"""Part of the operations of loops that a function has that they call."""


def _is_behind(result: Result, callees: Sequence[Result]) -> bool:
    """Whether what was made of loops takes longer, an instance, than the function that they nearly consist of, measured
    by itself at the file's sizes. Compilers may know more of that than of the loops alone: that what malloc gives
    overlaps nothing. Where data of the loops have no room in the near caches, they may be what takes the time."""
    from polyloop.scop.data import bytes_of, loop_parameters, work
    from polyloop.terminal.ranking import expected_operations

    def is_of_the_file(each: Result) -> bool:
        usual = dict(each.scop.source.usual) if each.scop.source is not None else {}
        sized = all(usual.get(name) == each.sizes[name] for name in loop_parameters(each.scop))
        return each.judged is not None and sized

    known = [each for each in callees if is_of_the_file(each)]
    near = bytes_of(result.scop, result.sizes) <= host_target().machine.l2.size
    if not known or result.judged is None or not near:
        return False
    main = max(known, key=lambda each: expected_operations(each.scop))
    whole = expected_operations(main.scop) >= _NEARLY_ALL * expected_operations(result.scop)
    alone = main.baseline.minimum / max(work(main.scop, main.sizes), 1.0)
    return whole and result.timing.minimum / max(work(result.scop, result.sizes), 1.0) > alone / _NEARLY_ALL


def _helpers(source: Path | None, arguments: Namespace, to: Destination) -> Destination | None:
    """The header of --helpers: a bare name stands beside the C file, which includes it by that name."""
    if arguments.helpers is None:
        return None
    name = arguments.helpers
    if to.path is not None and Path(name).name == name:
        name = str(to.path.with_name(name))
    return destination("--helpers", name, source)


def _tell_of_includes(source: Input, output: Destination) -> None:
    """The C file includes what stands beside the input; written into another folder it needs to be told where."""
    if source.path is None or output.path is None or output.path.parent.resolve() == source.path.parent.resolve():
        return
    names = re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', source.file.text, re.MULTILINE)
    here, there = output.path.parent, source.path.parent
    if missing := [name for name in names if (there / name).is_file() and not (here / name).is_file()]:
        where = f"stands beside {source.name}; compile with -I {quote(str(there))}"
        print(f"polyloop: remark: {missing[0]} {where}", file=sys.stderr)


def _tell_of_roundings(results: Sequence[Result], arguments: Namespace, versions: tuple[Version, ...]) -> None:
    """Versions do not all compute the same bits where only some processors have a multiply-add."""
    fused = () if arguments.contract == "off" else rounded_apart(results, versions)
    if fused:
        verb = "rounds" if len(fused) == 1 else "round"
        what = f"{' and '.join(fused)} {verb} multiply-adds once, as compilers for them do; plain x86-64 rounds twice"
        print(
            f"polyloop: remark: {what} (the same everywhere: --fp-contract=off, of the compiler, too)", file=sys.stderr
        )


def _use_machine() -> None:
    if not has_chosen_machine():
        from polyloop.backend.run.measured_machine import use_measured_machine

        use_measured_machine(announce_measuring)
