"""What the command line accepts. No large library is imported here, so that ``--help`` and usage errors are instant.

Flags that C compilers have are spelt as theirs: -I, -D, -U, -include, -o, -ffp-contract.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from difflib import get_close_matches
from pkgutil import resolve_name
from typing import Any, NoReturn

from polyloop.search.registry import SEARCHES, SPACES
from polyloop.terminal.errors import UsageError
from polyloop.terminal.option_types import add_target_options, budget, count, instruction_set, option
from polyloop.terminal.output import EMITS

_INPUT_HELP = "a C file, - for standard input, or the name of a kernel that ships with polyloop (gemm, lu, ...)"


class _Parser(argparse.ArgumentParser):
    """Usage errors are raised, so that one place prints all errors and chooses the exit status. No option may be
    abbreviated, and --debug may stand behind every command, where people add it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)
        # It does not overwrite the one before the command, which alone is told of.
        said = argparse.SUPPRESS if " " in self.prog else "verify every pass, and show the traceback of an error"
        self.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=said)

    def error(self, message: str) -> NoReturn:
        choice = re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message)
        if choice is not None:
            message += _did_you_mean(choice[1], [name.strip("' ") for name in choice[2].split(",")])
        raise UsageError(f"{message}; see {self.prog} --help")

    def flags(self) -> list[str]:
        """What this parser takes that begins with a dash."""
        return [flag for action in self._actions for flag in action.option_strings]


def _did_you_mean(word: str, known: Sequence[str]) -> str:
    near = get_close_matches(word, known, n=2, cutoff=0.7)
    return f"; did you mean {' or '.join(near)}?" if near else ""


class _Version(argparse.Action):
    """Looks the version up when it is asked for: reading a distribution's metadata takes a while."""

    def __init__(self, option_strings: Sequence[str], dest: str, **_: object) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and stop")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"polyloop {release()}")
        parser.exit()


def release() -> str:
    """Which polyloop this is."""
    from polyloop.backend.run.kept_files import our_version  # where it is asked for

    return our_version() or "(not installed: run from a folder)"


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The arguments as attributes; `module` names the subcommand's module, `words` are the arguments as they are.

    Raises:
        UsageError: for wrong usage.
        SystemExit: after --help and --version.
    """
    parser = _build_parser(arguments)
    parsed, rest = parser.parse_known_args(arguments)
    # argparse gives all repeatable operands to the first group of them: those behind an option are left over.
    repeated = next((name for name in ("transforms", "dimensions") if name in parsed), None)
    if rest and repeated is not None and not any(text.startswith("-") for text in rest):
        setattr(parsed, repeated, [*getattr(parsed, repeated), *rest])
    elif rest:
        _unrecognized(parser, parsed, rest)
    parsed.words = tuple(arguments)
    return parsed


def _unrecognized(parser: _Parser, parsed: argparse.Namespace, rest: Sequence[str]) -> NoReturn:
    """
    Raises:
        UsageError: says which option was probably meant, or which suites of ``bench`` have it.
    """
    for level in ("command", "suite", "task"):
        if level in parsed:
            parser = _below(parser, getattr(parsed, level))
    unknown = next((text for text in rest if text.startswith("-")), rest[0])
    hint = _did_you_mean(unknown.partition("=")[0], parser.flags())
    if parsed.command == "bench":
        from polyloop.cli.bench import suites_with  # as everything in `_ELSEWHERE`

        if able := suites_with(unknown):
            hint = f"; {unknown.partition('=')[0]} is an option of bench {', '.join(able)}"
    parser.error(f"unrecognized arguments: {' '.join(rest)}{hint}")


def _below(parser: _Parser, name: str) -> _Parser:
    (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    found = commands.choices[name]
    assert isinstance(found, _Parser)
    return found


def _build_parser(words: Sequence[str]) -> _Parser:
    """All commands by name; with their options those that occur among the words, one of which is meant."""
    parser = _Parser(
        prog="polyloop",
        description="Loops in C made faster: the regions between #pragma scop and #pragma endscop are read as a "
        "polyhedral model, rescheduled, proven against every dependence, measured, and written back as C. Measuring "
        "runs the loops of the file, in a process of their own but with your rights: optimize what you would run.",
        epilog="exit status: 0 done, 1 nothing could be read, 2 wrong usage, 130 interrupted",
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    _add_optimize(commands)
    _add_scan(commands)
    _add_show(commands)
    _add_explain(commands)
    commands.add_parser("cc", help="the C compiler, with loops optimized on the way: CC='polyloop cc' make")
    for name, (summary, options) in _ELSEWHERE.items():
        made = _command(commands, name, summary, f"polyloop.cli.{name}")
        if name in words:
            resolve_name(options)(made)
    return parser


_ELSEWHERE = {
    "bench": ("measure polyloop against compilers and libraries", "polyloop.cli.bench:add_suites"),
    "machine": (
        "show what this core is good at, and its roofline; measured on first use",
        "polyloop.cli.machine:add_machine_options",
    ),
    "explore": ("change loops by hand in the terminal, and see what it gains", f"{__name__}:_add_explore"),
    "tune": ("find the best nest for a tensor program", "polyloop.cli.tune_options:add_tune_options"),
    "db": ("show and share what searches have found here", "polyloop.cli.db:add_db_options"),
    "dataset": (
        "measure random programs to learn from, and train trees on them",
        "polyloop.cli.dataset:add_dataset_options",
    ),
    "leaderboard": (
        "policies on held-out problems, every row of which is played again",
        "polyloop.cli.leaderboard:add_leaderboard_options",
    ),
    "train": ("train an agent in one of the environments", "polyloop.cli.learning_options:add_train_options"),
    "evaluate": ("measure a trained policy on unseen problems", "polyloop.cli.learning_options:add_evaluate_options"),
}
"""Commands whose options other modules know -> what they do, and "module:function" that gives a parser its options."""


def _add_optimize(commands: argparse._SubParsersAction[Any]) -> None:
    parser = _command(commands, "optimize", "make the loops of a C file faster", "polyloop.cli.optimize")
    _add_input(parser)
    option(parser, "--auto", "find the loops oneself, with and without #pragma scop; the costliest come first")
    _add_output_options(parser.add_argument_group("output"))
    search = parser.add_argument_group("search")
    _add_search_options(search)
    _add_code_options(search)
    _add_sizes(parser)


def _add_output_options(group: argparse._ArgumentGroup) -> None:
    option(group, "-o --output FILE", "where the result goes (default: standard output)")
    option(group, "--in-place", "overwrite the input file with the result")
    option(
        group,
        "--emit KIND[,KIND...]",
        f"what to write: {', '.join(EMITS)} (default c); several go beside FILE with endings of their own",
        type=_emits,
    )
    option(
        group,
        "--schedule SAVED",
        "apply what --emit schedule wrote, without searching: proven anew, with the same output on every machine",
    )
    option(
        group,
        "--check",
        "with --schedule: write nothing; exit status 1, and the differences, if the file of -o is not up to date",
    )
    option(group, "--depfile FILE", "write, as make reads it, which files the output was made of, as -MF of compilers")
    option(
        group,
        "--no-cache",
        "search again, though the same command on the same file has found something already (POLYLOOP_NO_CACHE)",
    )
    option(
        group,
        "--helpers FILE",
        "a header for what the new loops call, which the C file includes (default: the C file has it); "
        "with the same name for several files it serves them all",
    )
    add_target_options(group, "the schedule that a search starts from")
    option(group, "--json FILE", "write everything that was measured; - for standard output")
    option(group, "-v --verbose", "report every schedule that was measured")


def _add_search_options(group: argparse._ArgumentGroup) -> None:
    names = "; ".join(f"{name}: {entry.summary}" for name, entry in SEARCHES.own.items())
    option(group, "--search NAME", f"one of %(choices)s (default isl). {names}", choices=SEARCHES, default="isl")
    option(group, "--space", "what the search walks (default: what suits it best)", choices=tuple(SPACES))
    option(
        group,
        "--budget TIME",
        "for all searches of the file: 10, 10s, 500ms, 2min; the costliest scops get most of it, and those it "
        "does not suffice for stay as they are; 5/region: so much for each scop, 2 minutes at the most in all "
        "(default: 4 to 20 s for each scop, more on busy cores)",
        type=budget,
    )
    option(
        group,
        "--force",
        "write the fastest that is not the original loops, even where these are faster (to test what uses it)",
    )


def _add_code_options(group: argparse._ArgumentGroup) -> None:
    option(
        group,
        "--cc COMMAND",
        "the C compiler and flags that the result is for ('gcc -O2 -mavx2'): it builds the loops and what may "
        "take their place, and decides; none: our own code generator does "
        "(default: CC or cc, with -O3 -march=native, for C output); what its flags say of macros, folders, instruction "
        "sets and the order of sums holds for the search, too",
    )
    option(
        group,
        "--threads N",
        "threads of parallel loops (default POLYLOOP_THREADS, else 1); --cc is with -fopenmp by default then",
        type=count,
    )
    option(group, "--reassociate", "reductions may be reordered; results are compared to a tolerance")
    option(
        group,
        "--fp-contract -ffp-contract",
        "off: products and sums are rounded one by one; on: fused within an expression, as clang does; fast: as "
        "is faster, statement by statement; the report says by how much that changes results (default: off where the "
        "compiler of --cc fuses nothing, else on)",
        dest="contract",
        choices=("off", "on", "fast"),
    )
    option(
        group,
        "--reproducible",
        "the same bits on every processor, under every compiler and with any number of threads: products and sums "
        "are rounded one by one, in the order of the file",
    )
    option(
        group, "--assume-noalias", "no two arrays overlap: the code does without the test, and is wrong where they do"
    )


def _add_scan(commands: argparse._SubParsersAction[Any]) -> None:
    parser = _command(
        commands,
        "scan",
        "list the loops of files and folders that can be optimized, and why others cannot",
        "polyloop.cli.scan",
    )
    option(parser, "inputs FILE|DIR", "a C file, or a folder with C files", nargs="+")
    group = _add_reading(parser)
    option(
        group,
        "--compile-commands FILE",
        "the build's -I, -D, -U, -include and -std for every file (default: compile_commands.json in a folder "
        "around, or in build/ there)",
    )
    option(
        group,
        "--cc COMMAND",
        "read files as this compiler does with these flags ('clang -O2 -I include'; default: gcc)",
    )
    option(parser, "--json FILE", "write all that was found; - for standard output")


def _add_show(commands: argparse._SubParsersAction[Any]) -> None:
    parser = _command(
        commands, "show", "show domains, accesses, dependences, schedule tree and loop nest", "polyloop.cli.show"
    )
    _add_input(parser)
    option(parser, "--svg FILE", "draw schedule tree and iteration domains; - for standard output")
    option(parser, "--graph FILE", "write the graph of loops, data and computations as JSON; - for standard output")
    option(
        parser,
        "--dependences",
        "all pairs of conflicting accesses, or only last writes and reads (default memory)",
        choices=("memory", "value"),
        default="memory",
    )
    option(
        parser,
        "--transform TRANSFORM",
        "show the schedule after this legal transform; repeatable (polyloop explain lists them)",
        action="append",
        default=[],
    )
    option(parser, "--passes", "show instead what every pass of planning makes of the loop nest")
    option(parser, "--target NAME", "with --passes: plan for this one (default: this machine's)", type=instruction_set)
    option(parser, "--reassociate", "reductions may be reordered")


def _add_explain(commands: argparse._SubParsersAction[Any]) -> None:
    parser = _command(
        commands, "explain", "say which transforms are legal, and why others are refused", "polyloop.cli.explain"
    )
    _add_input(parser)
    option(
        parser, "transforms TRANSFORM", "applied one after the other; none: list the candidates", nargs="*", default=[]
    )
    option(parser, "--transform TRANSFORM", "the same, before the others", action="append", default=[])
    option(parser, "--reassociate", "reductions may be reordered")


def _add_explore(parser: argparse.ArgumentParser) -> None:
    _add_input(parser, "a workload (MM-64, CONV-1, ...), an expression in quotes, a kernel's name or a C file")
    option(parser, "dimensions NAME=N", "sizes of dimensions or parameters: m=256 n=256 k=128", nargs="*", default=[])
    how = parser.add_argument_group("the cursor")
    option(
        how,
        "--evaluator",
        "worker (default): programs are compiled and measured in a process of their own; model: figures of an "
        "analytic model, nothing runs",
        choices=("worker", "model"),
        default="worker",
    )
    option(how, "--compat", "looptune: LoopTune's seven actions only", choices=("native", "looptune"), default="native")
    option(how, "--reassociate", "reductions may be reordered; in tensor programs they always may")
    _add_sizes(parser)


def _command(
    commands: argparse._SubParsersAction[Any], name: str, summary: str, module: str
) -> argparse.ArgumentParser:
    text = summary[0].upper() + summary[1:] + "."
    parser: argparse.ArgumentParser = commands.add_parser(name, help=summary, description=text)
    parser.set_defaults(module=module)
    return parser


def _add_input(parser: argparse.ArgumentParser, what: str = _INPUT_HELP) -> None:
    option(parser, "input INPUT", what)
    option(
        _add_reading(parser),
        "--dataset NAME",
        "MINI, SMALL, MEDIUM, LARGE or EXTRALARGE: sizes of a shipped kernel; else defines NAME_DATASET",
        type=_dataset,
    )


def _add_reading(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("reading C")
    _repeated(group, "-I", "include_dirs", "DIR", "look for included files in DIR, too")
    _repeated(group, "-D", "defines", "NAME[=VALUE]", "define a macro, as 1 without a value")
    _repeated(group, "-U", "undefines", "NAME", "forget a macro")
    _repeated(group, "-include", "includes", "FILE", "read FILE before the input")
    option(group, "--function NAME", "only the scops of this function")
    option(
        group,
        "--allow-calls",
        "take functions that are declared __attribute__((const)) at their word; optimizing runs them",
    )
    return group


def _repeated(group: argparse._ArgumentGroup, flag: str, name: str, metavar: str, text: str) -> None:
    group.add_argument(flag, dest=name, metavar=metavar, action="append", default=[], help=text)


def _add_sizes(parser: argparse.ArgumentParser) -> None:
    option(
        parser,
        "--sizes NAME=N[,...]",
        "values for the measurements (default: --dataset, declared extents, or a run of about 50 ms)",
        type=_sizes,
        action="append",
        default=[],
    )


# --- values -----------------------------------------------------------------------------------------------------------


def _sizes(text: str) -> dict[str, int]:
    sizes = {}
    for part in text.split(","):
        match = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*=\s*(-?[0-9]{1,18})\s*", part)
        if match is None:
            raise argparse.ArgumentTypeError(f"{part!r} is not NAME=NUMBER, as in N=1000")
        sizes[match[1]] = int(match[2])
    return sizes


def _emits(text: str) -> tuple[str, ...]:
    kinds = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    for kind in kinds:
        if kind not in EMITS:
            raise argparse.ArgumentTypeError(f"cannot emit {kind!r}; there are {', '.join(EMITS)}")
    return kinds


def _dataset(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not the name of a dataset, as in LARGE")
    return text.upper().removesuffix("_DATASET")
