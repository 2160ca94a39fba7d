"""``polyloop cc``: the user's C compiler, with loops optimized on the way; for builds (``CC="polyloop cc"``).

Every call is passed on as it is. Where it compiles C files with optimization and something faster has been found for
one of them, the output is then made once more, from a copy of the file with those loops in it. What was found, or that
nothing was, is kept by content, and so are objects (`polyloop.cli.cc_objects`): a build where all is known pays for
this module alone, which is why it imports next to nothing and does without `polyloop.support`
(`polyloop.cli.cc_search` has what takes time).

``--cc COMMAND`` or ``POLYLOOP_CC``
    the real compiler (default cc)
``--budget SECONDS`` or ``POLYLOOP_BUDGET``
    for the search of each file that is new (0: nothing is searched, what is known is used; default 5/region: 5 for each
    of its regions, 2 minutes at the most)
``--log FILE`` or ``POLYLOOP_LOG``
    where it says what was done and why not more (default cc.log in the folder of the cache)
``--no-cache`` or ``POLYLOOP_NO_CACHE``
    compile and search again
``--cmake`` (alone)
    print where the CMake module polyloop.cmake lies, which brings the function polyloop_optimize
"""

from __future__ import annotations

import os
import sys

from polyloop.cli.cc_call import Call, cache_folder, kept, package_folder, read, which, work_of
from polyloop.cli.cc_objects import is_given, is_repeatable, object_path

USAGE = f"""\
usage: polyloop cc [--cc COMMAND] [--budget SECONDS] [--log FILE] [--no-cache] ARGUMENTS...

{__doc__}
Passed on as they are: calls without -O1, -O2, -O3 or -Ofast, -E, -S, -M, @FILE, -x, other languages, several files
with -c, profiling and coverage, other architectures. C files of a call that links are optimized if -o names its output.
"""

DEFAULT_BUDGET = "5/region"
WRONG_USAGE, NOT_FOUND = 2, 127


def main(argv: list[str]) -> int:
    """Returns the exit status where the compiler does not take this process's place."""
    try:
        call = _call(argv)
    except ValueError as error:
        sys.stderr.write(f"polyloop cc: error: the compiler is no command: {error} (POLYLOOP_CC, --cc)\n")
        return WRONG_USAGE
    if call is None:
        module = os.path.join(package_folder(), "data", "cmake", "polyloop.cmake")
        sys.stdout.write(USAGE if argv == ["--help"] else f"{module}\n")
        return 0
    if os.path.basename(call.command[0]) == "polyloop" or not os.path.isfile(call.command[0]):
        name = call.command[0] or "none"
        sys.stderr.write(f"polyloop cc: error: there is no compiler {name}; name one with POLYLOOP_CC or --cc\n")
        return NOT_FOUND
    try:
        call.seconds()
    except ValueError:
        sys.stderr.write(f"polyloop cc: error: the budget {call.budget!r} is no number of seconds (POLYLOOP_BUDGET)\n")
        return WRONG_USAGE
    work = work_of(call.arguments)
    entries: list[bytes | None] = []
    path, made = "", None
    for position in work.sources if work is not None else ():
        content = read(call.arguments[position])
        if work is None or content is None:
            work = None  # the compiler says what is wrong with it
            break
        if is_repeatable(call, work):
            path = object_path(call, content)
            made = None if call.fresh else kept(path)
            if made and is_given(made, work, path):
                return 0
        known = None if call.fresh else call.entry(call.key(work, call.arguments[position], content))
        entries.append(known)
    is_known = made is not None or not path
    if work is None or (is_known and not any(known is None or known for known in entries)):
        os.execv(call.command[0], [*call.command, *call.arguments])
    from polyloop.cli.cc_search import compiled

    return compiled(call, work, path)


def _call(argv: list[str]) -> Call | None:
    """Our own options stand before the compiler's; None for --help or --cmake alone.

    Raises:
        ValueError: for a command with quotes that are not closed.
    """
    environment = os.environ.get
    command, budget = environment("POLYLOOP_CC") or "cc", environment("POLYLOOP_BUDGET") or DEFAULT_BUDGET
    log = environment("POLYLOOP_LOG") or os.path.join(cache_folder(), "cc.log")
    fresh = environment("POLYLOOP_NO_CACHE", "") not in ("", "0")
    position = 0
    if argv in (["--help"], ["--cmake"]):
        return None
    while position < len(argv):
        name, equals, value = argv[position].partition("=")
        if name == "--no-cache":
            fresh = True
        elif name in ("--cc", "--budget", "--log"):
            if not equals:
                position += 1
                value = argv[position] if position < len(argv) else ""
            command = value if name == "--cc" else command
            budget = value if name == "--budget" else budget
            log = value if name == "--log" else log
        else:
            break
        position += 1
    words = command.split()
    if any(quote in command for quote in "'\"\\"):
        from shlex import split

        words = split(command)
    return Call([which(words[0]) if words else "", *words[1:]], argv[position:], budget, log, fresh)
