"""C compilers: which are there, how the user calls theirs, what its flags mean, and building with it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path

from polyloop.backend.c.text import BEFORE_C99
from polyloop.errors import PolyloopError
from polyloop.support.files import WorkFolder

OPTIMIZE = ("-O3", "-march=native")
SHARED = ("-fPIC", "-shared", "-Wl,-Bsymbolic")  # its own functions, whatever others of their names are loaded
NO_CONTRACTION = "-ffp-contract=off"
COMPILE_SECONDS = 120.0
_PROBE_SECONDS = 20.0


class BuildError(PolyloopError):
    """A compiler refused a file, or took too long over it; the message has the first lines that it printed."""


class SlowBuildError(BuildError):
    """A compiler took longer than it was given."""


@dataclass(frozen=True)
class Compiler:
    """A compiler and the flags that it is always called with.

    Attributes:
        name: what reports call it.
        command: the executable and flags.
        version: the first line of ``--version``.
        more: flags that depend on the file (``-I``, ``-D``), which reports leave out.
        macros: what it predefines, as ``-D`` has it ("NAME=value", "NAME": 1); empty where nobody asked.
    """

    name: str
    command: tuple[str, ...]
    version: str
    more: tuple[str, ...] = ()
    macros: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return shlex.join([self.name, *self.command[1:]])

    @property
    def whole(self) -> tuple[str, ...]:
        """Executable and all flags."""
        return (*self.command, *self.more)

    @property
    def refuses_warnings(self) -> bool:
        """Whether its flags make errors of some warnings."""
        return any(flag.startswith("-Werror") or flag == "-pedantic-errors" for flag in self.whole)

    @cached_property
    def macro_names(self) -> frozenset[str]:
        """Names of the macros that it predefines."""
        return frozenset(re.split(r"\W", macro, maxsplit=1)[0] for macro in self.macros)

    @cached_property
    def contraction(self) -> str:
        """How it contracts multiplications and additions: "off", "on" (within an expression) or "fast" (across
        statements). gcc's "on" is its "off", and a standard (``-std=c99``) turns gcc's contraction off."""
        is_clang = "__clang__" in self.macro_names
        default = "on" if is_clang else "off" if "__STRICT_ANSI__" in self.macro_names else "fast"
        if self.reassociates:
            default = "fast"
        given = [flag.partition("=")[2] for flag in self.whole if flag.startswith("-ffp-contract=")]
        chosen = given[-1] if given else default
        if chosen == "fast-honor-pragmas":
            return "fast"
        return "off" if chosen == "on" and not is_clang else chosen

    @property
    def reassociates(self) -> bool:
        """Whether it may reorder sums."""
        return "__FAST_MATH__" in self.macro_names or any(flag in self.whole for flag in _REASSOCIATING)

    @property
    def has_openmp(self) -> bool:
        """Whether parallel loops run in threads."""
        said = [flag for flag in self.whole if flag in (OPENMP, "-fno-openmp")]
        return said[-1:] == [OPENMP]

    @property
    def instructions(self) -> str | None:
        """The widest instruction set of ours (`polyloop.backend.machine.target.INSTRUCTION_SETS`) that its flags let it
        use; None for an architecture that is none of ours."""
        if "__aarch64__" in self.macro_names:
            return "neon"
        if "__x86_64__" not in self.macro_names:
            return None
        wide = {"__AVX512F__", "__AVX512VL__", "__AVX512DQ__", "__AVX512BW__"}
        return "avx512" if wide <= self.macro_names else "avx2" if "__AVX2__" in self.macro_names else "sse"


_REASSOCIATING = ("-Ofast", "-ffast-math", "-funsafe-math-optimizations", "-fassociative-math")


# --- the user's compiler ----------------------------------------------------------------------------------------------


def default_command() -> str:
    """What is used where nobody says: the environment's ``CC`` ("none": no compiler), else cc; with -O3 -march=native,
    unless a level is among its flags."""
    given = os.environ.get("CC", "").strip() or "cc"
    if re.match(r"(\S*/)?polyloop\s+cc\b", given):  # the real one behind our driver; in a build CC is that
        given = os.environ.get("POLYLOOP_CC", "").strip() or "cc"
    return given if given == "none" or re.search(r"\s-O", given) else f"{given} {' '.join(OPTIMIZE)}"


def user_compiler(command: str, more: Sequence[str] = ()) -> Compiler:
    """The compiler of a command line such as ``gcc -O3 -march=native``.

    Args:
        more: flags of the file.
    Raises:
        BuildError: if there is no such compiler, or it does not take the flags; the message says what it said.
    """
    words = _words(command)
    if not words:
        raise BuildError("no compiler is named")
    path = shutil.which(words[0])
    if path is None:
        raise BuildError(f"there is no compiler {words[0]}")
    version = _printed([path, "--version"]).split("\n", 1)[0]
    listing = _printed([path, *_without_files(words[1:]), "-dM", "-E", "-x", "c", os.devnull])
    lines = re.findall(r"^#define (\w+(?:\([^)]*\))?) ?(.*)$", listing, re.MULTILINE)
    macros = frozenset(f"{name}={value}" for name, value in lines)
    return Compiler(words[0], (path, *words[1:]), version, tuple(more), macros)


def _without_files(words: Sequence[str]) -> Iterator[str]:
    """Flags but for those that include files, whose macros are no compiler's."""
    rest = iter(words)
    for word in rest:
        if word in ("-include", "-imacros"):
            next(rest, None)
        elif not word.startswith(("-include", "-imacros")):
            yield word


def _words(command: str) -> list[str]:
    """
    Raises:
        BuildError: for quotes that are not closed.
    """
    try:
        return shlex.split(command)
    except ValueError as error:
        raise BuildError(f"{command!r} is no command: {error}") from error


def _printed(command: Sequence[str]) -> str:
    """
    Raises:
        BuildError: if the command fails.
    """
    try:
        run = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"{command[0]} does not work: {error}") from None
    if run.returncode:
        said = next((line for line in run.stderr.splitlines() if line.strip()), f"exit status {run.returncode}")
        raise BuildError(f"{command[0]} does not work: {said}")
    return run.stdout


OPENMP = "-fopenmp"
"""Lets parallel loops run in threads."""

ALL_ALIAS = "__polyloop_all_types_alias__"
ALL_WRAP = "__polyloop_signed_integers_wrap__"
NO_OPENMP = "__polyloop_no_openmp__"
LIMITED_RANGE = "__polyloop_limited_range__"
"""Macros for the reader that compilers have no own ones for: -fno-strict-aliasing, -fwrapv, -fno-openmp,
-fcx-limited-range (and BEFORE_C99)."""

UNSIGNED_CHAR = "__CHAR_UNSIGNED__"
"""The compilers' own macro where ``char`` has no sign, as on ARM and with -funsigned-char."""


def reading_options(command: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """What a command line says about reading a file: (defines, undefines, folders of includes, included files).

    Raises:
        BuildError: for what is none.
    """
    words = _words(command)
    found: dict[str, list[str]] = {"-D": [], "-U": [], "-I": [], "-include": []}
    for flag, value in options_of(words):
        found[flag if flag in found else "-I"].append(value)
    for macro, word, *others in _SAID:
        said = [each for each in words if each == word or each in others]
        found["-D"] += [macro] if said[-1:] == [word] else []
    defines, undefines, folders, includes = (tuple(values) for values in found.values())
    return defines, undefines, folders, includes


_SAID = (
    (ALL_ALIAS, "-fno-strict-aliasing", "-fstrict-aliasing"),
    (ALL_WRAP, "-fwrapv", "-fno-wrapv", "-ftrapv"),
    (NO_OPENMP, "-fno-openmp", OPENMP),
    (LIMITED_RANGE, "-fcx-limited-range", "-fno-cx-limited-range"),
    (LIMITED_RANGE, "-fcx-fortran-rules", "-fno-cx-fortran-rules"),
    (UNSIGNED_CHAR, "-funsigned-char", "-fsigned-char"),
)
"""Macros, the flags that they stand for, and those that say otherwise: the last one on the command line counts."""

_WITH_VALUE = ("-include", "-isystem", "-iquote", "-idirafter", "-D", "-U", "-I")
_VERSIONS = {"99": "199901L", "9x": "199901L", "11": "201112L", "1x": "201112L", "17": "201710L", "18": "201710L"}
_VERSIONS |= {"2x": "202000L", "23": "202311L", "2y": "202400L"}
"""The year of -std (iso9899:1999 ends in that of c99, too) -> ``__STDC_VERSION__``; those before 1999 have none."""


def options_of(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options of a command line that change what a file says, with their values, which stand behind them or are the
    next word; in place of -std the macros that it defines, and those that it leaves out."""
    rest = iter(words[1:])
    for word in rest:
        if word.startswith(("-std=", "--std=")) or word == "-ansi":
            yield from _standard(word.partition("=")[2] or "c89")
            continue
        flag = next((f for f in _WITH_VALUE if word.startswith(f)), None)
        if flag is None or (flag == "-I" and word == "-I-"):
            continue
        value = word.removeprefix(flag) or next(rest, "")
        if value:
            yield flag, value


def _standard(name: str) -> Iterator[tuple[str, str]]:
    version = _VERSIONS.get(name[-2:])
    yield "-D", BEFORE_C99 if version is None else f"__STDC_VERSION__={version}"
    if not name.startswith("gnu"):
        yield "-D", "__STRICT_ANSI__"
    if version is None:
        yield "-U", "__STDC_VERSION__"


def find_executable(family: str) -> str | None:
    """The compiler of this name on PATH, else the newest with a version in its name (``clang-22``)."""
    if path := shutil.which(family):
        return path
    versions = {
        int(match[1])
        for folder in os.get_exec_path()
        for entry in (os.listdir(folder) if os.path.isdir(folder) else ())
        if (match := re.fullmatch(rf"{family}-(\d+)", entry))
    }
    found = (shutil.which(f"{family}-{version}") for version in sorted(versions, reverse=True))
    return next((path for path in found if path), None)


# --- building ---------------------------------------------------------------------------------------------------------


def build(
    compiler: Compiler,
    sources: Sequence[Path],
    output: Path,
    flags: Sequence[str] = (),
    seconds: float = COMPILE_SECONDS,
) -> str:
    """Compile and link; returns what the compiler printed (its warnings).

    Raises:
        BuildError: if it fails or runs longer than `seconds`.
    """
    with Build(compiler, sources, output, flags) as started:
        return started.result(seconds)


def probe(compiler: Compiler) -> None:
    """See that it builds a program.

    Raises:
        BuildError: if it does not, with what it printed first.
    """
    with WorkFolder() as folder:
        source = Path(folder, "probe.c")
        source.write_text("int main(void) { return 0; }\n", encoding="utf-8")
        try:
            build(compiler, [source], source.with_suffix(""))
        except BuildError as error:
            headline, *lines = str(error).splitlines()
            raise BuildError(
                f"{shlex.join(compiler.command)} does not work: {lines[0] if lines else headline}"
            ) from None


_END_WITH_US = 'read -r _; kill -s KILL -- "-$1"'
"""For the shell: nothing is ever written to it, so the line that it waits for ends with this process."""


class Build:
    """A compiler at work. Use as a context manager: leaving it ends what still runs, and so does the end of this
    process, however that comes about."""

    def __init__(self, compiler: Compiler, sources: Sequence[Path], output: Path, flags: Sequence[str] = ()) -> None:
        command = [*compiler.whole, *flags, *map(str, sources), "-o", str(output), "-lm"]
        self._names = compiler.name, sources[0].name
        self._run = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            env=os.environ | {"TMPDIR": str(output.parent)},  # whoever is killed leaves files there
        )
        # In a group of its own, so that it works while the compiler is paused.
        self._watch = subprocess.Popen(
            ["/bin/sh", "-c", _END_WITH_US, "sh", str(self._run.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def __enter__(self) -> Build:
        return self

    def __exit__(self, *exc: object) -> None:
        self._watch.kill()
        self._signal(signal.SIGKILL)
        with self._run, self._watch:
            pass

    @property
    def runs(self) -> bool:
        """Whether it has not ended yet."""
        return self._run.poll() is None

    def pause(self) -> None:
        """Let it stand still, until `resume`."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        # A compiler is several processes.
        if self._run.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._run.pid, number)

    def result(self, seconds: float) -> str:
        """Wait for it; returns what the compiler printed (its warnings).

        Raises:
            BuildError: if it fails or runs longer than `seconds` from now.
        """
        compiler, source = self._names
        try:
            _, said = self._run.communicate(timeout=max(0.0, seconds))
        except subprocess.TimeoutExpired:
            raise SlowBuildError(f"{compiler} took more than {max(0.0, seconds):.3g} s over {source}") from None
        if self._run.returncode:
            # The linker's own words do not say "error", and the compiler's behind them not what is missing.
            telling = ("error", ": cannot find ", "undefined reference")
            lines = [line for line in said.splitlines() if any(map(line.__contains__, telling))]
            lines = lines or said.splitlines() or [f"exit status {self._run.returncode}"]
            raise BuildError("\n".join([f"{compiler} failed on {source}:", *lines[:4]]))
        return said


def refusal(compiler: Compiler, text: str, folder: Path) -> str:
    """Why a compiler does not take a file, in its first words; "" if it does.

    Args:
        text: of the file, which stands in `folder`.
    """
    # Silence would make errors of warnings silent, too.
    silent = () if compiler.refuses_warnings else ("-w",)
    command = [*compiler.whole, "-fsyntax-only", *silent, "-iquote", str(folder), "-x", "c", "-"]
    try:
        run = subprocess.run(
            command, input=text, capture_output=True, text=True, errors="replace", timeout=COMPILE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"it took more than {COMPILE_SECONDS:g} s"
    lines = [line.partition("error: ")[2] for line in run.stderr.splitlines() if "error: " in line]
    return "" if not run.returncode else (lines or [f"exit status {run.returncode}"])[0]


def build_each(
    compiler: Compiler,
    sources: Mapping[Path, Path],
    flags: Sequence[str] = (),
    seconds: float = COMPILE_SECONDS,
    together: float = inf,
) -> dict[Path, BuildError | None]:
    """Build several files on all cores: output -> why there is none, or None.

    Args:
        sources: output -> the file that it is made of.
        seconds: for each.
        together: for all but the first, which nothing else is given up for.
    """
    first, ends = next(iter(sources), None), time.monotonic() + together

    def one(output: Path) -> BuildError | None:
        try:
            limit = seconds if output == first else min(seconds, ends - time.monotonic())
            build(compiler, [sources[output]], output, flags, limit)
        except BuildError as error:
            return error
        return None

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return dict(zip(sources, pool.map(one, sources), strict=True))
