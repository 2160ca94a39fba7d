"""What ``polyloop cc`` does for files that it does not know, and where something was found: see `polyloop.cli.cc`.

The original is compiled first, so that what the compiler prints, its exit status, and the files of dependencies that it
writes are its own. Whatever goes wrong afterwards leaves that output as it is, and is logged.
"""

from __future__ import annotations

import fcntl
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from difflib import SequenceMatcher
from functools import cache

from polyloop.cli.cc_call import Call, Work, read
from polyloop.cli.cc_evidence import TICK, Evidence, UnknownEvidenceError, evidence
from polyloop.cli.cc_objects import packed, say
from polyloop.terminal.errors import INTERRUPTED

_BEYOND = 60.0
"""Seconds that a search may take beyond twice its budget: starting, compiling, measuring the machine once."""

_MOST_LOG = 1 << 20
_MOST_OBJECT, _MOST_KEPT = 16 << 20, 1 << 30
"""Bytes of one object that is kept, and of all together."""

_LOOPS = re.compile(rb"\b(?:for|while|do)\b")
_ODD = re.compile(rb"__BASE_FILE__|__INCLUDE_LEVEL__|#\s*include_next|#\s*pragma\s+once")
"""What a file says of itself that would not hold for a copy of it elsewhere."""


def compiled(call: Call, work: Work, path: str = "") -> int:
    """The call, and its output made once more where something was found.

    Args:
        path: where what it makes is kept for the next such call, "" for nowhere.
    Returns:
        The exit status.
    """
    time.sleep(TICK)  # what is older than now, by the clock of files, was there before the compiler began
    began = time.time()
    try:
        status, *said = _run(call, path)
    except KeyboardInterrupt:
        return INTERRUPTED
    if status:
        return status if status > 0 else 128 - status
    known = cache(lambda source: evidence(call, work, source, began))
    try:
        found = {position: _found(call, work, call.arguments[position], known) for position in work.sources}
        texts = {position: text for position, text in found.items() if text}
        if (not texts or _make(call, work, texts, known)) and path and None not in found.values():
            _keep_object(known(call.arguments[work.sources[0]]), work, path, said, began)
    except KeyboardInterrupt:
        _log(call, "interrupted")
        return INTERRUPTED
    except UnknownEvidenceError as error:
        _log(call, f"{work.output}: nothing is kept: {error}")
    except Exception as error:  # nothing that happens here may break a build
        _log(call, f"{work.output}: left as it is: {type(error).__name__}: {error}")
    _log(call, f"{work.output}: {time.time() - began:.1f} s")
    return 0


def _run(call: Call, path: str) -> tuple[int, bytes, bytes]:
    """Call the compiler: its status, and what it has said on both streams, if that is to be kept."""
    command = [*call.command, *call.arguments]
    if path:
        colors = ["-fdiagnostics-color=always"] if _is_colored(call) else []
        run = subprocess.run([*call.command, *colors, *call.arguments], capture_output=True, check=False)
        if not (run.returncode and colors):  # an old compiler has no colours
            say(run.stdout, run.stderr)
            return run.returncode, run.stdout, run.stderr
    return subprocess.call(command), b"", b""


def _is_colored(call: Call) -> bool:
    """Whether a compiler that writes to our standard error would use colours."""
    words = [*call.command, *call.arguments]
    chosen = any("diagnostics-color" in word or "color-diagnostics" in word for word in words)
    plain = os.environ.get("TERM", "dumb") == "dumb" or os.environ.get("GCC_COLORS") == "" or "NO_COLOR" in os.environ
    return os.isatty(2) and not chosen and not plain


# --- making an output -------------------------------------------------------------------------------------------------


def _make(call: Call, work: Work, texts: dict[int, bytes], known: Callable[[str], Evidence]) -> bool:
    """Compile with other files in the places of some, and put the output into the place of the original's; whether the
    compiler takes them."""
    folder, name = os.path.split(os.path.abspath(work.output))
    with tempfile.TemporaryDirectory(prefix="polyloop-cc-") as place:
        made = os.path.join(folder, f".polyloop-{os.getpid()}-{name}")
        words = list(call.arguments)
        maps = []
        for position, text in texts.items():
            original = call.arguments[position]
            own = os.path.join(place, str(position))
            os.mkdir(own)
            words[position] = os.path.join(own, os.path.basename(original))
            with open(words[position], "wb") as file:
                file.write(text)
            maps.append(f"-ffile-prefix-map={words[position]}={original}")
        words = _for_output(words, made)
        beside = os.path.dirname(call.arguments[work.sources[0]]) or "."
        command = [*call.command, "-w", "-iquote", beside, *maps, *words]
        try:
            run = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
            if run.returncode:
                said = run.stderr.decode(errors="replace").strip()
                _log(call, f"{work.output}: left as it is: the compiler does not take it:\n{said[:2000]}")
                for position in texts:  # and would not take it the next time
                    source = call.arguments[position]
                    known(source).keep(call.path(call.key(work, source, read(source) or b"")), b"")
                return False
            os.replace(made, work.output)
        finally:
            with suppress(OSError):
                os.unlink(made)
    names = ", ".join(call.arguments[position] for position in texts)
    _log(call, f"{work.output}: made of {names} with faster loops")
    return True


def _for_output(words: list[str], made: str) -> list[str]:
    """The arguments for another output; no files of dependencies, which are there already."""
    result = []
    rest = iter(words)
    for word in rest:
        if word in ("-MF", "-MT", "-MQ", "-o"):
            next(rest, None)
        elif not word.startswith(("-M", "-o")):
            result.append(word)
    return [*result, "-o", made]


# --- keeping an object ------------------------------------------------------------------------------------------------


def _keep_object(known: Evidence, work: Work, path: str, said: list[bytes], began: float) -> None:
    """Keep what a call has made for the next one, or that it is not to be kept."""
    made, rules = read(work.output) or b"", b""
    is_whole = known.is_whole and 0 < len(made) <= _MOST_OBJECT
    if work.rules:
        is_whole = is_whole and os.path.isfile(work.rules) and os.stat(work.rules).st_mtime >= began - TICK
        rules = read(work.rules) or b""
    known.keep(path, packed(said, rules, made) if is_whole else b"")
    _remove_oldest(os.path.dirname(path))


def _remove_oldest(folder: str) -> None:
    """Keep one of the folders of objects below its share of what may be kept: those not used for longest go first."""
    files = []
    for entry in os.scandir(folder):
        with suppress(OSError):  # gone meanwhile
            files.append((entry.stat().st_mtime, entry.stat().st_size, entry.path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= _MOST_KEPT // 16:
            break
        with suppress(OSError):
            os.unlink(path)
        total -= size


# --- finding ----------------------------------------------------------------------------------------------------------


def _found(call: Call, work: Work, source: str, known: Callable[[str], Evidence]) -> bytes | None:
    """The C that takes the file's place; b"" for none, None if that is not known. Searched once, by one process at a
    time."""
    content = read(source) or b""
    key = call.key(work, source, content)
    if not call.fresh and (text := call.entry(key)) is not None:
        return text
    with _alone(call):
        if not call.fresh and (text := call.entry(key)) is not None:
            return text  # another process has found it meanwhile
        searches = _LOOPS.search(content) and not _ODD.search(content)
        if searches and call.seconds() <= 0:
            _log(call, f"{source}: not searched: the budget is 0")
            return None
        seen = known(source)
        text, why = b"", "it would not mean the same elsewhere" if _ODD.search(content) else "it has no loops"
        if searches:
            text, why = _searched(call, work, source, content)
        _log(call, f"{source}: {'faster loops' if text else why}")
        seen.keep(call.path(key), text)
        return text


@contextmanager
def _alone(call: Call) -> Iterator[None]:
    """One search at a time: others would disturb what it measures."""
    os.makedirs(call.folder, 0o700, exist_ok=True)
    with open(os.path.join(call.folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _has_openmp(call: Call, work: Work) -> bool:
    """Whether OpenMP's directives mean something to the compiler."""
    command = [*call.command, *work.key, "-dM", "-E", "-x", "c", os.devnull]
    run = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    return run.returncode != 0 or b" _OPENMP " in run.stdout


def _searched(call: Call, work: Work, source: str, content: bytes) -> tuple[bytes, str]:
    """The optimized file, in lines that say where they come from; or b"" and why there is none."""
    from polyloop.terminal.option_types import PerRegion  # of those who search

    with tempfile.TemporaryDirectory(prefix="polyloop-cc-") as place:
        output = os.path.join(place, "out.c")
        threads = [] if _has_openmp(call, work) else ["-fno-openmp"]
        compiler = shlex.join([*call.command, *work.key, *threads])
        options = ["--auto", "--cc", compiler, "--budget", call.budget, "-o", output]
        command = [sys.executable, "-m", "polyloop", "optimize", source, *options]
        environment = {**os.environ, "CC": shlex.join(call.command)}
        try:
            run = subprocess.run(
                command,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                env=environment,
                timeout=2 * max(call.seconds(), PerRegion.MOST) + _BEYOND,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return b"", "the search took too long"
        said = (run.stdout + run.stderr).decode(errors="replace")
        if call.log:
            _log(call, f"{source}:\n{said}")
        text = read(output)
    if run.returncode == INTERRUPTED:
        raise KeyboardInterrupt
    if run.returncode or text is None:
        return b"", f"nothing was read (exit status {run.returncode})"
    if text == content:
        return b"", "nothing faster was found"
    return with_places(content, text, source), ""


def with_places(original: bytes, changed: bytes, name: str) -> bytes:
    """The changed text with a line directive wherever lines of the original go on, so that messages and debuggers
    show the file that the user knows."""
    before, after = (text.split(b"\n") for text in (original, changed))
    quoted = name.replace("\\", "\\\\").replace('"', '\\"').encode("utf-8", "surrogateescape")
    result: list[bytes] = []
    place = 0
    for line, here, size in SequenceMatcher(None, before, after).get_matching_blocks():
        if place < here and not (result and result[-1].rstrip(b"\r").endswith(b"\\")):
            result.append(b'#line 1 "<polyloop>"')
        result += after[place:here]
        if not (result and result[-1].rstrip(b"\r").endswith(b"\\")):
            result.append(b'#line %d "%s"' % (line + 1, quoted))
        result += after[here : here + size]
        place = here + size
    return b"\n".join(result)


# --- the log ----------------------------------------------------------------------------------------------------------


def _log(call: Call, text: str) -> None:
    """One record; a log that has grown large begins anew, and one that cannot be written is none."""
    if not call.log:
        return
    with suppress(OSError):
        os.makedirs(os.path.dirname(os.path.abspath(call.log)), 0o700, exist_ok=True)
        if os.path.exists(call.log) and os.path.getsize(call.log) > _MOST_LOG:
            os.replace(call.log, f"{call.log}.old")
        record = f"{time.strftime('%Y-%m-%d %H:%M:%S')} [{os.getpid()}] {text.rstrip()}\n"
        with open(call.log, "ab") as file:
            file.write(record.encode("utf-8", "surrogateescape"))
