"""``polyloop dataset``: measured schedules of random programs as Parquet files, and trees that learn from them."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections import Counter
from collections.abc import Collection
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from polyloop.errors import counted
from polyloop.terminal.errors import DONE, UsageError
from polyloop.terminal.learning import needs_torch
from polyloop.terminal.option_types import count, natural, option
from polyloop.terminal.output import Progress, announce_measuring, destination


def add_dataset_options(parser: ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="task", metavar="TASK", required=True, parser_class=type(parser))
    making = commands.add_parser("make", help="measure schedules of random programs, or go on with it")
    option(making, "output FILE", "the file, FILE.parts while it is made")
    option(making, "--count N", "programs (default 200)", type=count, default=200)
    option(making, "--schedules N", "of each program (default 24)", type=count, default=24)
    option(making, "--seed N", "of what is drawn (default 0)", type=natural, default=0)
    option(
        making,
        "--evaluator",
        "measure them (default), or ask the analytic model of this machine",
        choices=("worker", "model"),
        default="worker",
    )
    option(making, "--looks N", "measure each N times, the least counts", type=count, default=1)
    option(making, "--families NAME[,...]", "of the programs (default: all)", type=_families, default=())
    option(making, "--shard K/N", "make the K-th of N shares only, from 0", default="0/1")
    option(making, "--ray ADDRESS", "measure on every core of a Ray cluster (auto, HOST:PORT or local), not here")
    merging = commands.add_parser("merge", help="the union of files")
    merging.add_argument("output", metavar="FILE")
    merging.add_argument("inputs", metavar="FILE", nargs="+")
    telling = commands.add_parser("info", help="what a file has")
    telling.add_argument("inputs", metavar="FILE", nargs="+")
    training = commands.add_parser("train", help="train a model on files: the weights that searches and benches load")
    training.add_argument("output", metavar="FILE.safetensors")
    training.add_argument("inputs", metavar="FILE", nargs="+")
    option(
        training,
        "--model",
        "gradient-boosted trees (default), or a recurrent network over loops, which takes torch",
        choices=("trees", "treegru"),
        default="trees",
    )
    option(training, "--members N", "of an ensemble of trees (default 2)", type=count, default=2)
    option(training, "--seed N", "of what is drawn (default 0)", type=natural, default=0)


def run(arguments: Namespace) -> int:
    """Do what the command line asks for.

    Raises:
        UsageError: for a file that cannot be written, and shares that there are not.
        DatasetError, TrainingError: where a file or a library is missing.
    """
    if arguments.task != "info" and destination(arguments.task, arguments.output, None).path is None:
        raise UsageError(f"dataset {arguments.task} writes a file: give its name instead of -")
    match arguments.task:
        case "make":
            _make(arguments)
        case "merge":
            from polyloop.models.dataset import merge  # a command's options do not pay for what it does

            rows = merge(Path(arguments.output), [Path(each) for each in arguments.inputs])
            print(f"{arguments.output}: {rows} schedules")
        case "info":
            for each in arguments.inputs:
                _info(Path(each))
        case _:
            _train(arguments)
    return DONE


def _make(arguments: Namespace) -> None:
    from polyloop.backend.run.measured_machine import use_measured_machine
    from polyloop.measure.pool import Pool
    from polyloop.models.dataset import Recipe, make

    if arguments.evaluator == "worker" and not arguments.ray:
        use_measured_machine(announce_measuring)
    shard = _shard(arguments.shard)
    recipe = Recipe(
        arguments.count,
        arguments.seed,
        arguments.schedules,
        arguments.evaluator,
        arguments.looks,
        shard,
        arguments.families,
    )
    with ExitStack() as stack:
        pool = stack.enter_context(Pool(arguments.ray, arguments.evaluator == "worker")) if arguments.ray else None
        line = stack.enter_context(Progress("dataset"))
        rows = make(Path(arguments.output), recipe, line.update, pool)
    print(f"{arguments.output}: {rows} schedules")


def _families(text: str) -> tuple[str, ...]:
    from polyloop.models.programs import FAMILIES  # a command's options do not pay for what it does

    if unknown := set(given := text.split(",")) - set(FAMILIES):
        raise ArgumentTypeError(f"there is no family {min(unknown)!r}; there are {', '.join(FAMILIES)}")
    return tuple(dict.fromkeys(given))


def _shard(given: str) -> tuple[int, int]:
    first, _, second = given.partition("/")
    if not (first.isdigit() and second.isdigit() and int(first) < int(second)):
        raise UsageError(f"--shard: {given!r} is not of the form K/N with K below N, as 0/4")
    return int(first), int(second)


def _schedules(number: int, programs: Collection[object]) -> str:
    return f"{counted(number, 'schedule')} of {counted(len(programs), 'program')}"


def _info(path: Path) -> None:
    from polyloop.models.dataset import read

    found = read(path)
    groups = found.by_program()
    ran = [row for rows in groups.values() for row in rows]
    print(f"{path}: {_schedules(len(found), {row.program for row in found.rows})}")
    for name, rows in Counter(row.family for row in found.rows).items():
        print(f"  {name}: {_schedules(rows, {r.program for r in found.rows if r.family == name})}")
    for name in found.machines:
        print(f"  on {name}: {sum(row.machine == name for row in found.rows)}")
    print(f"  made by versions: {', '.join(sorted({row.version for row in found.rows}))}")
    print(f"  {len(found) - len(ran)} do not run", end="")
    print(f"; noise {median(row.noise for row in ran):.1%} in the median" if ran else "")


def _train(arguments: Namespace) -> None:
    from polyloop.models.dataset import Dataset, read
    from polyloop.models.learned import examples_of, facts_of, fit

    files = [read(Path(each)) for each in arguments.inputs]
    rows = tuple(row for file in files for row in file.rows)
    dataset = Dataset(rows, {name: machine for file in files for name, machine in file.machines.items()})
    if arguments.model == "trees":
        weights = fit(dataset, arguments.members, seed=arguments.seed)
        weights.save(Path(arguments.output))
        made, facts = f"{len(weights.forests)} forests", weights.facts
    else:
        needs_torch("a TreeGRU")
        import torch

        from polyloop.gnn import cost_model

        torch.set_num_threads(1)  # a chain is too small for more to gain anything
        examples = examples_of(dataset)
        network = cost_model.fit(examples, facts_of(dataset, examples, arguments.seed), seed=arguments.seed)
        network.save(Path(arguments.output))
        made, facts = "a TreeGRU", network.facts
    print(f"{arguments.output}: {made}, of {_schedules(facts['schedules'], facts['programs'])}")
