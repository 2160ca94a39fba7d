"""What the answers that ``polyloop cc`` keeps depend on, besides what they are found by: the contents of all files that
are included, names that would be looked for before one of those and are not there, and the compiler's programs.

The compiler is asked which files it reads and where it looks for them; the names are those that the files write.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyloop.backend.run.kept_files import keep
from polyloop.cli.cc_call import FORMAT, SECTION, Call, Work, digest, read, stamp, which

TICK = 0.01
"""Seconds that the clock of files may be behind."""

_DIRECTIVE = rb"^[ \t]*#[ \t]*(?:include|include_next|import)\b[ \t]*"
_WRITTEN = re.compile(_DIRECTIVE + rb"([<\"])([^>\"\n]+)[>\"]", re.MULTILINE)
_COMPUTED = re.compile(_DIRECTIVE + rb"[^<\"\s]", re.MULTILINE)
_ASKED = re.compile(rb"\b__has_include(?:_next)?[ \t]*\([ \t]*([<\"])([^>\"\n]+)[>\"]")
_ODD = re.compile(
    rb"\b__(?:DATE|TIME|TIMESTAMP)__\b|\bincbin\b|\"[^\"\n]*\.include\b"  # the clock, files for the assembler
    rb"|#[ \t]*(?:embed|pragma[ \t]+GCC[ \t]+dependency)\b"
    rb"|\b__has_embed\b|\b__has_include(?:_next)?[ \t]*\([ \t]*[^<\"\s]"
)
"""What depends on more than the files that a compiler says it includes, or on names that are not read here."""

_SETTINGS = re.compile(r"^(?:Configuration file: |Reading specs from )(/.*)$", re.MULTILINE)
_NO_FOLDER = re.compile(r'^ignoring nonexistent directory "(.*)"$', re.MULTILINE)
_MOST_SECONDS = 60.0


class UnknownEvidenceError(Exception):
    """The compiler does not say what it reads, or that is no longer what it has read."""


@dataclass(frozen=True)
class Evidence:
    """What has to be as it was for an answer to hold.

    Attributes:
        contents: a hash of those of the files.
        files: the file itself, all that it includes, and the compiler's settings.
        missing: names that are not to be there.
        programs: of the compiler, and after each what changes when it does.
        is_whole: whether what is made depends on nothing else.
    """

    contents: str
    files: tuple[str, ...]
    missing: tuple[str, ...]
    programs: tuple[str, ...]
    is_whole: bool

    def keep(self, path: str, payload: bytes) -> None:
        """Write a file of the cache, as `polyloop.cli.cc_call.kept` reads it."""
        lists = [b"\0".join(map(os.fsencode, names)) for names in (self.files, self.missing, self.programs)]
        rest = SECTION.join([self.contents.encode(), *lists, payload])
        keep(Path(path), FORMAT + digest(rest).encode() + b"\n" + rest)


def evidence(call: Call, work: Work, source: str, since: float) -> Evidence:
    """What answers for one of a call's files depend on.

    Args:
        since: when the compiler began to read, in seconds since the epoch.
    Raises:
        UnknownEvidenceError: if the compiler does not say, or a file has changed meanwhile.
    """
    status, rules, about = _asked(call, [*work.key, "-v", "-M", "-MT", "x", source])
    if status:
        raise UnknownEvidenceError("the compiler does not say what it includes")
    _, _, plan = _asked(call, ["-###", *call.arguments])
    included = list(dict.fromkeys([source, *_prerequisites(rules)]))
    texts = {name: read(name) or b"" for name in (*included, *_SETTINGS.findall(plan))}
    contents = digest(*texts.values())
    for name in texts:  # after they have been read; no user can set this time back
        if not os.path.isfile(name) or os.stat(name).st_ctime >= since - TICK:
            raise UnknownEvidenceError(f"{name} has changed meanwhile")
    searched = _Searched(about)
    programs = [word for name in _programs(plan) for word in (name, stamp(name))]
    is_whole = bool(searched.angled and programs) and not any(map(_ODD.search, texts.values()))
    is_whole = is_whole and not any(os.path.exists(f"{name}{end}") for name in included for end in (".gch", ".pch"))
    missing = dict.fromkeys([*searched.missing, *_missing({name: texts[name] for name in included}, searched)])
    return Evidence(contents, tuple(texts), tuple(missing), tuple(programs), is_whole)


def _asked(call: Call, words: Sequence[str]) -> tuple[int, str, str]:
    """The status, and what the compiler says in English."""
    environment = {**os.environ, "LC_ALL": "C", "LANGUAGE": ""}
    command = [*call.command, *words]
    run = subprocess.run(
        command, capture_output=True, stdin=subprocess.DEVNULL, env=environment, timeout=_MOST_SECONDS, check=False
    )
    return run.returncode, os.fsdecode(run.stdout), os.fsdecode(run.stderr)


def _prerequisites(rules: str) -> Iterator[str]:
    """The files that a rule for make names."""
    text = rules.replace("\\\n", " ").partition(":")[2]
    for name in re.findall(r"(?:\\.|[^\s\\])+", text):
        yield re.sub(r"\\(.)", r"\1", name).replace("$$", "$")


def _programs(plan: str) -> Iterator[str]:
    """What a compiler would start (-###)."""
    for line in plan.splitlines():
        if line.startswith(" ") and not line.startswith(" ("):
            name = which(shlex.split(line)[0])
            if os.path.isfile(name):
                yield name


class _Searched:
    """Where a compiler looks for what is included (-v).

    Attributes:
        quoted, angled: folders, in order; names in quotes are looked for beside who includes them, then in both.
        missing: folders that it would look into if they were there.
    """

    def __init__(self, about: str) -> None:
        self.missing = _NO_FOLDER.findall(about)
        self.quoted: list[str] = []
        self.angled: list[str] = []
        lists = {'#include "..." search starts here:': self.quoted, "#include <...> search starts here:": self.angled}
        current: list[str] | None = None
        for line in about.splitlines():
            if line == "End of search list.":
                current = None
            elif line in lists:
                current = lists[line]
            elif current is not None:
                current.append(line.strip())

    def places(self, includer: str, mark: bytes, written: bytes) -> list[str]:
        """Where a name is looked for."""
        beside = [os.path.dirname(includer), *self.quoted] if mark == b'"' else []
        return [os.path.join(folder, os.fsdecode(written)) for folder in (*beside, *self.angled)]


def _missing(texts: Mapping[str, bytes], searched: _Searched) -> Iterator[str]:
    """Names that would come before those that were found, and names that were asked for and not found."""
    known = {os.path.realpath(name): name for name in texts}
    reached = {next(iter(texts))}  # nobody includes the file itself
    for name, text in texts.items():
        for mark, written in _WRITTEN.findall(text):
            passed, found = _looked_for(searched.places(name, mark, written), known)
            reached |= found
            yield from passed
        for mark, written in _ASKED.findall(text):
            yield from (place for place in searched.places(name, mark, written) if not os.path.lexists(place))
    if any(map(_COMPUTED.search, texts.values())):
        reached = set()
    # What no file writes out, macros, -include and what the compiler includes by itself, may be anything's end.
    folders = dict.fromkeys([".", *map(os.path.dirname, texts), *searched.quoted, *searched.angled])
    for name in texts.keys() - reached:
        ends = {os.path.basename(name), *(os.path.relpath(name, folder or ".") for folder in folders)}
        for end in ends:
            if not end.startswith(".."):
                yield from (place for folder in folders if not os.path.lexists(place := os.path.join(folder, end)))


def _looked_for(places: Iterable[str], known: Mapping[str, str]) -> tuple[list[str], set[str]]:
    """Of places, those that were looked at in vain before the last known file, and the known files."""
    passed: list[str] = []
    before = 0
    found = set()
    for place in places:
        if not os.path.lexists(place):
            passed.append(place)
        elif name := known.get(os.path.realpath(place)):
            found.add(name)
            before = len(passed)
    return passed[:before], found
