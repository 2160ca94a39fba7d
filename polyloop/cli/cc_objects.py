"""Objects that ``polyloop cc`` has made before: a call that would make the same one gets it without the compiler.

The same object is made, the same said, and the same rules written for make where the command, its arguments, the
compiler's programs, the processor, what the environment says to compilers, the file and all that it includes are the
same, and no file has come where one of those would be looked for first. Calls that depend on more than that, or make
more, are the compiler's each time (`is_repeatable`). Every file of a build pays for this module, as for
`polyloop.cli.cc_call`.
"""

from __future__ import annotations

import os

from polyloop.cli.cc_call import VALUED, Call, Work, digest, package_stamp, processor, stamp

_PLAIN = {
    *("-c", "-o", "-w", "-ansi", "-pedantic", "-pedantic-errors", "-pipe", "-pthread", "-pie", "-no-pie", "-nostdlib"),
    *("-include", "-isysroot", "--sysroot", "--param", "-MD", "-MMD", "-MP", "-Qunused-arguments", "-Wa,--noexecstack"),
}
_PLAIN_BEGINNINGS = (
    *("-O", "-W", "-D", "-U", "-I", "-L", "-l", "-f", "-g", "-m", "-MF", "-MT", "-MQ", "-std=", "-isystem", "-iquote"),
    *("-idirafter", "--param=", "--sysroot="),
)
_ODD_BEGINNINGS = (
    *("-I-", "-Wa,", "-Wp,", "-mllvm", "-gsplit", "-fapinotes", "-fbasic-block", "-fbranch-prob", "-fbuild-"),
    *("-fcallgraph", "-fcompare", "-fcrash", "-fdepfile", "-fdeps", "-fdiagnostics-add", "-fdiagnostics-format"),
    *("-fdiagnostics-set", "-fdirectives", "-fembed", "-fimplicit-module", "-fmem", "-fmodule", "-foffload"),
    *("-fopt-info", "-foptimization", "-fpass-", "-fpch", "-fprebuilt", "-fpreprocessed", "-fproc-stat", "-frecord"),
    *("-frewrite", "-fsave", "-fstack-usage", "-ftime", "-fworking-directory", "-fxray"),
)
"""Options that read or write other files, or say how long something took."""

_CLOCK = ("__DATE__", "__TIME__", "__TIMESTAMP__")
_VARIABLES = {
    *("CPATH", "C_INCLUDE_PATH", "COMPILER_PATH", "PATH", "LANG", "LANGUAGE", "TERM", "NO_COLOR", "SDKROOT"),
    *("SOURCE_DATE_EPOCH", "POLYLOOP_TARGET", "POLYLOOP_MACHINE"),
}
_VARIABLE_BEGINNINGS = ("CCC_", "CLANG_", "CLICOLOR", "GCC_", "LC_")
_WRITING_VARIABLES = {"DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "GCC_COMPARE_DEBUG"}
_WRITING_BEGINNINGS = ("CC_LOG_", "CC_PRINT_")
_IN_PLACE = ("-g", "-flto", "-fsanitize")
"""Options that write the working folder into objects."""


def is_repeatable(call: Call, work: Work) -> bool:
    """Whether what a call makes is known by its arguments and the files that it includes."""
    if work.links or work.rules == "-":
        return False
    if any(name in _WRITING_VARIABLES or name.startswith(_WRITING_BEGINNINGS) for name in os.environ):
        return False
    return _are_plain(call.command[1:], None) and _are_plain(call.arguments, call.arguments[work.sources[0]])


def _are_plain(arguments: list[str], source: str | None) -> bool:
    """Whether options say all that they mean; other words are the source (None: whatever a command is made of)."""
    if any(clock in word for word in arguments for clock in _CLOCK):
        return False
    words = iter(arguments)
    for word in words:
        if word.startswith("-"):
            if word not in _PLAIN and (_is_odd(word) or not word.startswith(_PLAIN_BEGINNINGS)):
                return False
            if word in VALUED:
                next(words, None)
        elif source is not None and word != source:
            return False
    return True


def _is_odd(word: str) -> bool:
    _, equals, value = word.partition("=")
    names_file = word.startswith("-f") and equals and os.path.isfile(value)
    return word.startswith(_ODD_BEGINNINGS) or "coverage" in word or bool(names_file)


def object_path(call: Call, content: bytes) -> str:
    """Where the object of a call is kept, by all that decides what it is but the files that it includes."""
    variables = [
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if name in _VARIABLES or name.startswith(_VARIABLE_BEGINNINGS)
    ]
    words = [*call.command, *call.arguments]
    place = [os.getcwd(), os.environ.get("PWD", "")] if any(word.startswith(_IN_PLACE) for word in words) else []
    known = (stamp(call.command[0]), package_stamp(), processor(), content, str(os.isatty(2)))
    key = digest(*known, *variables, "", *place, "", *words)
    return os.path.join(call.folder, "objects", key[0], key)


def packed(said: list[bytes], rules: bytes, made: bytes) -> bytes:
    """What is kept of an object: with it, what the compiler has said on both streams, and its rules for make."""
    return b"%d %d %d\n" % (*map(len, said), len(rules)) + b"".join(said) + rules + made


def is_given(known: bytes, work: Work, path: str) -> bool:
    """Write what `packed` has put together to where the call wants it, and say what was said; False where that cannot
    be written, for the compiler to say why."""
    sizes, _, rest = known.partition(b"\n")
    parts = []
    for size in map(int, sizes.split()):
        parts.append(rest[:size])
        rest = rest[size:]
    folder, name = os.path.split(os.path.abspath(work.output))
    made = os.path.join(folder, f".polyloop-{os.getpid()}-{name}")
    try:
        with open(made, "xb") as file:
            file.write(rest)
        if work.rules:
            with open(work.rules, "wb") as file:
                file.write(parts[2])
        os.replace(made, work.output)
        os.utime(path)  # the oldest are removed first
    except OSError:
        if os.path.lexists(made):
            os.unlink(made)
        return False
    say(parts[0], parts[1])
    return True


def say(out: bytes, err: bytes) -> None:
    """Pass on what a compiler has said; whoever does not listen any more does not miss it."""
    for stream, text in ((1, out), (2, err)):
        while text:
            try:
                text = text[os.write(stream, text) :]
            except OSError:
                break
