"""``polyloop tune``: the best nest for a tensor program of known sizes, found by measuring, and its kernel saved."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from polyloop.backend.c.header import emit_header
from polyloop.backend.c.printer import c_source
from polyloop.backend.c.text import c_identifier
from polyloop.backend.c.versioned import c_source_versions
from polyloop.backend.config import default_threads
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.host import host_target, runs_here, targeted
from polyloop.backend.machine.target import Target, shown_target
from polyloop.backend.machine.versions import Version
from polyloop.backend.run.jit import emit
from polyloop.backend.run.kernel import compile_program
from polyloop.backend.run.measured_machine import use_measured_machine
from polyloop.backend.run.nest_kernel import PlannedNest
from polyloop.backend.run.peak import peak_gflops
from polyloop.backend.run.versions import emit_versions
from polyloop.backend.run.worker import Worker
from polyloop.cli.emission import chosen_versions
from polyloop.cursor.actions import FLAGS, Actions
from polyloop.cursor.base import AnyCursor, Problem
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.layouts import default_tree
from polyloop.cursor.process import NestCursor
from polyloop.cursor.tree_problem import TreeProblem
from polyloop.cursor.tree_process import TreeCursor
from polyloop.errors import PolyloopError
from polyloop.measure.database import Database
from polyloop.measure.measured_programs import MeasuredPrograms
from polyloop.measure.nests import Final, Finalist, Settings, burst_operations, last_round
from polyloop.measure.planning import tree_finalist
from polyloop.measure.records import Task, known_candidates, known_records, record
from polyloop.measure.result import Candidate, Measurement
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.search.cursor.searches import (
    STEPS,
    CursorFound,
    Program,
    cursor_method,
    fastest,
    programs,
    proven,
    search_cursor,
)
from polyloop.search.registry import CURSOR_SEARCH
from polyloop.search.run import Budget, Method, Point
from polyloop.shipped.kernels import kernel_names
from polyloop.shipped.workloads import UnknownWorkloadError, is_workload, workload
from polyloop.tensors import einsum, tensor
from polyloop.terminal.document import document
from polyloop.terminal.errors import DONE, INTERRUPTED, UsageError
from polyloop.terminal.learning import needs_torch
from polyloop.terminal.option_types import dimension_sizes
from polyloop.terminal.output import Destination, Progress, announce_measuring, destination, json_destination
from polyloop.terminal.report import not_covered, reproducible_words

ENDINGS = {".o": "obj", ".c": "c", ".ll": "llvm", ".s": "asm"}


@dataclass(frozen=True)
class Tuned:
    """What a call has found; `best` is the name of one of `programs`, and that one is proven."""

    scop: Scop
    found: CursorFound[Any]
    programs: Mapping[str, Program]
    finals: Mapping[str, Final]
    best: str
    flops: int
    burst: int

    def gflops(self, name: str) -> float:
        return self.flops / self.finals[name].median * 1e-9

    def share(self, name: str) -> float:
        """Of the peak, measured beside it."""
        return self.flops / (self.finals[name].bursts * self.burst)


def run(arguments: argparse.Namespace) -> int:
    """Tune as the command line says; returns the exit status.

    Raises:
        UsageError: for options that do not go together.
        PolyloopError: for a program that cannot be read or run.
    """
    place, kind = _output(arguments.output)
    symbol = _symbol(arguments)
    goal = json_destination(arguments)
    if arguments.resume is not None and destination("--resume", arguments.resume, None).path is None:
        raise UsageError("--resume: standard output is no file to go on from; give a file's name")
    versions = _check_targets(arguments, place, kind, goal)
    text, scop = read_program(arguments.program, arguments.dimensions, arguments.dtype)
    if arguments.target is None and not versions:
        use_measured_machine(announce_measuring)
    threads = arguments.threads or default_threads()
    known = _policy_actions() if arguments.search == "policy" else Actions()
    process = open_process(scop, threads, known=known, reproducible=arguments.reproducible)
    name = arguments.search or (CURSOR_SEARCH if isinstance(process, NestCursor) else "greedy1")
    programs: dict[str | None, VectorProgram] = {}
    tier, interrupted = "ir", False
    for target in [version.name for version in versions] or [arguments.target]:
        if target is not None and not runs_here(target):
            programs[target] = _unmeasured(process, target, threads)
            continue
        with targeted(target):
            if target is not None:
                use_measured_machine(announce_measuring)
            tuned = _tuned(scop, process, _method(name, process), arguments, threads)
            heading = text if target is None else f"{text}, for {target}"
            _print(heading, name, tuned, arguments, goal is not None and goal.path is None)
            best = tuned.programs[tuned.best]
            programs[target], tier = _planned(best.finalist), best.finalist.tier
            # After every target, so that an interrupt leaves what there is.
            if goal is not None:
                goal.write(_document(text, name, tuned, arguments, threads).encode())
        if interrupted := tuned.found.interrupted:
            break
    if interrupted:
        left = ", ".join(version.name for version in versions if version.name not in programs)
        rest = f", and there is no version for {left}" if left else ""
        print(f"polyloop: interrupted; this is the best found so far{rest}", file=sys.stderr)
    if place is not None:
        made = {target: replace(program, name=symbol) for target, program in programs.items()}
        _save(
            made, tuple(v for v in versions if v.name in made), place, kind, threads, tier, not arguments.reproducible
        )
    return INTERRUPTED if interrupted else DONE


def _check_targets(
    arguments: argparse.Namespace, place: Destination | None, kind: str, goal: Destination | None
) -> tuple[Version, ...]:
    """The versions that ``--targets`` asks for; () where it does not occur.

    Raises:
        UsageError: for what makes no file, or no document.
    """
    if arguments.targets and place is None:
        raise UsageError("--targets: the versions go into the file that -o FILE saves, and there is none")
    if arguments.targets and (goal is not None or arguments.resume is not None):
        raise UsageError("--targets: --json and --resume are of one search; give --target")
    if goal is not None and arguments.target is not None and not runs_here(arguments.target):
        raise UsageError(f"--json: nothing is measured for {arguments.target}, which this machine does not run")
    return chosen_versions(arguments.targets, (kind,))


def _unmeasured(process: AnyCursor, name: str, threads: int) -> VectorProgram:
    """The default schedule for an instruction set that this machine does not have, planned for it.

    Raises:
        LoweringError: if no code can be generated for it.
    """
    problem, target = process.problem, shown_target(name)
    tree = default_tree(problem, target, threads) or original_tree(problem.scop)
    program = proven(problem, Program(str(tree), tree, tree_finalist(problem, tree)))
    print(f"{name}: not measured, as this machine does not run it; the default schedule")
    print(tree)
    return _planned(program.finalist, target)


# --- What is tuned ----------------------------------------------------------------------------------------------------


def read_program(given: str, dimensions: Sequence[str], dtype: str) -> tuple[str, Scop]:
    """The program in words, and its Scop.

    Raises:
        UsageError: for a name that is none, and for sizes that are missing or no numbers.
        TensorError: for a mistake in the expression.
    """
    sizes = dimension_sizes(dimensions)
    if is_workload(given):
        if sizes:
            raise UsageError(f"{given} has its own sizes; give an expression for others")
        known = workload(given)
        given, sizes, name = known.expression, dict(known.sizes), re.sub(r"\W", "_", known.name)
    else:
        name = "tuned"
    if "->" in given and "[" not in given:
        scop = einsum(given, sizes, dtype=dtype, name=name)
    elif "[" in given:
        scop = tensor(given, sizes, dtype=dtype, name=name)
    else:
        raise UsageError(_nothing_called(given))
    if scop.parameters:
        raise UsageError(f"tuning takes a size for every dimension; {', '.join(scop.parameters)} have none")
    return f"{given}   {' '.join(f'{n}={v}' for n, v in sizes.items())}, {dtype}", scop


def _nothing_called(given: str) -> str:
    if given in kernel_names() or given.endswith(".c"):
        return f"{given} is C; polyloop optimize {given} --space cursor walks its loops"
    try:
        return workload(given).name
    except UnknownWorkloadError as error:
        return f"{error}; or give an expression: 'C[m,n] += A[m,k]*B[k,n]' m=256 n=256 k=128"


def open_process(scop: Scop, threads: int = 1, known: Actions | None = None, reproducible: bool = False) -> AnyCursor:
    """The cursor on a tensor program; with threads it may make loops parallel.

    Args:
        known: actions that there have to be; native ones without flags by default.
        reproducible: reductions keep their order, and multiplications and additions are rounded one by one.
    """
    free = not reproducible
    problem = Contraction.of(scop, reassociate=free, contract=free)
    known = known or Actions()
    flags = {*known.flags, *(("parallelize",) if threads > 1 else ()), *(("vectorize",) if problem is None else ())}
    actions = replace(known, flags=tuple(flag for flag in FLAGS if flag in flags))
    if problem is not None:
        return NestCursor(problem, actions, STEPS)
    return TreeCursor(TreeProblem(scop, (), free, contract=free), actions, STEPS)


def _policy_actions() -> Actions:
    """Those that the shipped policy knows."""
    needs_torch("the search policy")
    from polyloop.gnn.shipped import shipped_agent

    return shipped_agent("cursor").environment.cursor_actions


def _method(name: str, process: AnyCursor) -> Method:
    if name != "policy":
        return cursor_method(name, process)
    from polyloop.gnn.shipped import cursor_policy  # torch takes seconds to load: other searches do not pay for it

    return cursor_policy(process)


# --- Tuning -----------------------------------------------------------------------------------------------------------


def _tuned(scop: Scop, process: AnyCursor, method: Method, arguments: argparse.Namespace, threads: int) -> Tuned:
    problem = process.problem
    # Nothing of earlier calls: what was measured while another program ran is no guide.
    evaluator = MeasuredPrograms(settings=Settings(threads=threads), database=Database(None))
    budget = Budget(arguments.budget, arguments.evaluations or float("inf"))
    journal = None if arguments.resume is None else Path(arguments.resume)
    with Progress("tune") as line:

        def progress(start: str, point: Point) -> None:
            line.update(f"from {start}: {point.evaluations} nests, best {point.best:.1f} GFLOPS")

        try:
            # The worker's start is not the search's.
            evaluator.evaluate(problem, process.initial().program)
            found = search_cursor(
                process,
                evaluator,
                method,
                budget,
                seed=arguments.seed,
                from_default=not arguments.untuned_only,
                progress=progress,
                journal=journal,
                threads=threads,
                anytime=True,
            )
        finally:
            evaluator.close()
        line.update("measuring what was found once more")
        with Worker() as worker:
            found = replace(found, state=fastest(process, (found.state, *found.leaders), found.value, worker, threads))
            competing = programs(process, found, threads) | _known(problem, threads)
            jobs = {name: program.finalist for name, program in competing.items()}
            measured = last_round(worker, jobs, arguments.dtype, threads)
    best = min(measured, key=lambda name: measured[name].median)
    competing[best] = proven(problem, competing[best])
    _remember(problem, competing, measured, threads)
    burst = burst_operations(arguments.dtype) * threads
    return Tuned(scop, found, competing, measured, best, problem.flops, burst)


def _known(problem: Problem, threads: int) -> dict[str, Program]:
    """What an earlier search has found for this program on this machine, if anything."""
    with closing(known_records()) as records:
        for candidate in known_candidates(records, _task(problem, threads), problem.scop, 1):
            if candidate.tree is not None and candidate.scop is problem.scop:
                try:
                    tree = candidate.tree
                    return {"known": proven(problem, Program(str(tree), tree, tree_finalist(problem, tree)))}
                except PolyloopError:
                    return {}
    return {}


def _remember(problem: Problem, competing: Mapping[str, Program], finals: Mapping[str, Final], threads: int) -> None:
    """What was measured in turn, for the next search."""
    task = _task(problem, threads)
    found = [
        record(
            task,
            problem.scop,
            Candidate(name, problem.scop, program.tree),
            Measurement(finals[name].minimum, finals[name].median, finals[name].median / finals[name].minimum - 1.0),
            in_turn=True,
        )
        for name, program in competing.items()
    ]
    with closing(known_records()) as records:
        records.add(found)


def _task(problem: Problem, threads: int) -> Task:
    return Task.of(problem.scop, dict(problem.sizes), host_target(), threads, problem.reassociate, problem.contract)


# --- Output -----------------------------------------------------------------------------------------------------------


def _print(text: str, search: str, tuned: Tuned, arguments: argparse.Namespace, errors: bool) -> None:
    if errors:  # standard output is for the file
        return
    found, best = tuned.found, tuned.best
    print(text)
    print(tuned.programs[best].text)
    print(f"{best}: {tuned.gflops(best):.1f} GFLOPS, {tuned.share(best):.1%} of the core's peak")
    if arguments.reproducible:
        print(f"reproducible: {reproducible_words(tuned.scop)}")
    print()
    for name, final in tuned.finals.items():
        speed = f"{tuned.gflops(name):8.1f} GFLOPS {tuned.share(name):7.1%} of peak"
        print(f"{name:8} {speed} {1e6 * final.median:10.2f} us")
    endings = ", ".join(f"{r.evaluations} from {name} ({r.ending})" for name, r in found.runs.items())
    print(f"search {search}: {found.evaluations} nests in {found.seconds:.1f} s: {endings}")
    if arguments.verbose:
        for point in found.curve:
            print(f"  after {point.evaluations:5} nests, {point.seconds:7.2f} s: {point.best:8.1f} GFLOPS")


def _output(given: str | None) -> tuple[Destination | None, str]:
    if given is None:
        return None, ""
    kind = ENDINGS.get(Path(given).suffix)
    if kind is None:
        raise UsageError(f"-o: {given} should end in {', '.join(ENDINGS)}, which says what to save")
    place = destination("-o", given, None)
    if kind == "obj":
        place.header()
    return place, kind


def _symbol(arguments: argparse.Namespace) -> str:
    """The name of the function that is saved: the file's, unless it is given, so that many may be linked together.

    Raises:
        UsageError: for a name without a file, and for one that C does not take.
    """
    if arguments.name is None:
        return "" if arguments.output is None else c_identifier(Path(arguments.output).stem)
    if arguments.output is None:
        raise UsageError("--name: it names the function in the file that -o FILE saves, and there is none")
    if (name := c_identifier(arguments.name)) != arguments.name:
        raise UsageError(f"--name: {arguments.name!r} is not a name for a C function; {name} would be")
    return name


def _planned(best: Finalist, target: Target | None = None) -> VectorProgram:
    return PlannedNest(best.nest, best.planning, target or host_target()).program


def _save(
    programs: Mapping[str | None, VectorProgram],
    versions: tuple[Version, ...],
    place: Destination,
    kind: str,
    threads: int,
    tier: str,
    contract: bool,
) -> None:
    """Write the one program, or all versions.

    Args:
        programs: by instruction set; None: this machine's.
    """
    (target, program), *_ = programs.items()
    every = {version: programs[version.name] for version in versions}
    made: str | bytes
    if kind == "c":
        apart = not contract
        made = c_source_versions(every, program.name, apart) if versions else c_source(program, uncontracted=apart)
    elif versions:
        made = emit_versions(every, program.name, kind, threads=threads, contract=contract)
    elif target is not None:
        made = emit(program, shown_target(target), kind, threads=threads, contract=contract)
    else:
        kernel = compile_program(program, threads=threads, contract=contract, tier=tier)
        made = kernel.object_code if kind == "obj" else kernel.asm if kind == "asm" else kernel.llvm
    place.write(made.encode() if isinstance(made, str) else made)
    if kind == "obj":
        place.header().write(emit_header(program, threads).encode())


def _document(text: str, search: str, tuned: Tuned, arguments: argparse.Namespace, threads: int) -> str:
    settings = {name: getattr(arguments, name) for name in ("program", "dtype", "budget", "evaluations", "seed")}
    settings |= {"reproducible": arguments.reproducible}
    settings |= {"dimensions": arguments.dimensions, "search": search, "threads": threads}
    rows = [
        {
            "name": name,
            "seconds": asdict(final),
            "gflops": tuned.gflops(name),
            "peak_fraction": tuned.share(name),
            "nest": tuned.programs[name].text,
        }
        for name, final in tuned.finals.items()
    ]
    runs = [
        {"start": name, "evaluations": r.evaluations, "seconds": r.seconds, "ending": r.ending, "gflops": r.value}
        for name, r in tuned.found.runs.items()
    ]
    summary = {
        "program": text,
        "best": tuned.best,
        "gflops": tuned.gflops(tuned.best),
        "peak_fraction": tuned.share(tuned.best),
        "peak_gflops": peak_gflops(arguments.dtype) * threads,
        "nest": tuned.programs[tuned.best].text,
        "reproducible": {"not_covered": not_covered(tuned.scop)} if arguments.reproducible else None,
        "speedup": {n: tuned.finals[n].median / tuned.finals[tuned.best].median for n in tuned.finals},
        "evaluations": tuned.found.evaluations,
        "seconds": tuned.found.seconds,
        "runs": runs,
        "curve": [asdict(point) for point in tuned.found.curve if point.best > float("-inf")],
    }
    return document("tune", settings, rows, summary)
