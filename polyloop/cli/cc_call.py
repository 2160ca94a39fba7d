"""One call of a C compiler, as ``polyloop cc`` sees it: what it compiles, and what is kept of that.

Every file of a build pays for this module, which is why it imports next to nothing, and has a few functions of its own
that `polyloop.support` and `polyloop.backend` have, too.
"""

from __future__ import annotations

import os
from _blake2 import blake2b  # hashlib takes longer to load than everything else here

FORMAT = b"polyloop cc 2\n"

VALUED = {
    *("-o", "-I", "-D", "-U", "-L", "-l", "-T", "-u", "-z", "-e", "-A", "-B", "-G", "-V", "-include", "-isystem"),
    *("-iquote", "-idirafter", "-isysroot", "-iprefix", "-iwithprefix", "-MF", "-MT", "-MQ", "-Xlinker", "-Xassembler"),
    *("-Xclang", "-Xpreprocessor", "-imacros", "-x", "-arch", "-target", "-aux-info", "--param", "--sysroot"),
}
"""Options whose value may be the next word."""

_OTHERWISE = (
    *("-E", "-S", "-M", "-MM", "-v", "-###", "-fsyntax-only", "-", "-m32", "-mx32", "-m16", "-emit-llvm", "-nostdinc"),
    *("-ffreestanding", "-coverage", "--coverage", "-ftest-coverage", "-gsplit-dwarf", "-target", "-arch", "-imacros"),
    *("-Xpreprocessor", "-Xclang", "-aux-info"),
)
_OTHERWISE_BEGINNINGS = (
    *("@", "-x", "-Wp,", "-save-temps", "-fprofile", "-fdump", "-dump", "-print", "--print", "--target", "--version"),
    *("--help", "-fplugin", "-specs", "--specs", "-fauto-profile", "-fcs-profile", "-mabi", "-fwasm", "-b"),
)
"""Calls with one of these have nothing to do with objects of C files for this machine, or with more files than one
knows of."""

_OTHER_SOURCES = (".cc", ".cpp", ".cxx", ".c++", ".C", ".S", ".s", ".sx", ".i", ".ii", ".m", ".mm", ".f", ".f90", ".h")
_LEVELS = ("-O", "-O1", "-O2", "-O3", "-Ofast")


class Work:
    """What a call compiles.

    Attributes:
        sources: positions of the C files among the arguments.
        output: the file that is made.
        key: the arguments that change what is made of a file.
        links: it links, too.
        rules: the file of dependencies that it writes for make; "" for none.
    """

    def __init__(self, sources: list[int], output: str, key: list[str], links: bool, rules: str = "") -> None:
        self.sources, self.output, self.key, self.links, self.rules = sources, output, key, links, rules


def work_of(arguments: list[str]) -> Work | None:
    """None for calls that are passed on and nothing else."""
    sources: list[int] = []
    key: list[str] = []
    output = level = rules = ""
    compiles = has_rules = False
    position = 0
    while position < len(arguments):
        word, first = arguments[position], position
        position += 1
        value = None
        if word in _OTHERWISE or word.startswith(_OTHERWISE_BEGINNINGS):
            return None
        if word in VALUED:
            if position == len(arguments):
                return None
            value = arguments[position]
            position += 1
        if word == "-o":
            output = value or ""
        elif word.startswith("-o") and not word.startswith("-openmp"):
            output = word[2:]
        elif word == "-c":
            compiles = True
        elif word.startswith("-MF"):
            rules = value or word[3:]
        elif word in ("-MD", "-MMD"):
            has_rules = True
        elif word.startswith(("-M", "-l", "-L", "-Wl,")):
            continue
        elif word.startswith("-"):
            level = word if word.startswith("-O") else level
            key += arguments[first:position]
        elif word.endswith(".c"):
            sources.append(first)
        elif word.endswith(_OTHER_SOURCES):
            return None
    if not sources or level not in _LEVELS or (compiles and len(sources) > 1):
        return None
    if not compiles and (not output or len({os.path.dirname(arguments[k]) for k in sources}) > 1):
        return None
    output = output or f"{os.path.basename(arguments[sources[0]])[:-2]}.o"
    # What is no plain file (/dev/null of a test for an option) is made once.
    if output == "-" or (os.path.exists(output) and not os.path.isfile(output)):
        return None
    rules = (rules or f"{os.path.splitext(output)[0]}.d") if has_rules else ""
    return Work(sources, output, key, not compiles, rules)


class Call:
    """The real compiler, its arguments, and where results are kept."""

    def __init__(self, command: list[str], arguments: list[str], budget: str, log: str, fresh: bool) -> None:
        self.command, self.arguments = command, arguments
        self.budget, self.log, self.fresh = budget, log, fresh
        self.folder = os.path.join(cache_folder(), "cc")

    def seconds(self) -> float:
        """For the search of a file, or, of a budget with ``/region``, for each of its regions.

        Raises:
            ValueError: if it is no number.
        """
        return float(self.budget.removesuffix("/region").removesuffix("s"))

    def key(self, work: Work, source: str, content: bytes) -> str:
        """A hash of all that decides what is found for a file, but its headers, which are looked at one by one."""
        names = ("POLYLOOP_TARGET", "POLYLOOP_MACHINE", "CPATH", "C_INCLUDE_PATH")
        return digest(
            *(stamp(self.command[0]), package_stamp(), processor(), source, content),
            *(os.environ.get(name, "") for name in names),
            *(*self.command, "", *work.key),
        )

    def path(self, key: str) -> str:
        return os.path.join(self.folder, key[:2], key)

    def entry(self, key: str) -> bytes | None:
        """The C that takes a file's place, b"" if nothing was found for it, None if nothing is known."""
        return kept(self.path(key))


# --- what is kept -----------------------------------------------------------------------------------------------------


def kept(path: str) -> bytes | None:
    """What a file of the cache holds; None if there is none, somebody else may have written it, it is damaged, or what
    it depends on has changed. `polyloop.cli.cc_evidence` has the form."""
    try:
        with open(path, "rb") as file:
            about = os.fstat(file.fileno())
            if about.st_uid != os.geteuid() or about.st_mode & 0o022:
                return None
            data = file.read()
    except OSError:
        return None
    checksum, _, rest = data.removeprefix(FORMAT).partition(b"\n")
    if not data.startswith(FORMAT) or checksum.decode("latin-1") != digest(rest):
        return None
    contents, files, missing, programs, payload = rest.split(SECTION, 4)
    if contents.decode() != contents_of(names(files)) or any(map(os.path.lexists, names(missing))):
        return None
    told = names(programs)
    if any(os.fsencode(stamp(program)) != known for program, known in zip(told[::2], told[1::2], strict=True)):
        return None
    return payload


SECTION = b"\0\0"
"""Between the parts of what is kept; names in a part stand behind one another with one zero between them."""


def names(section: bytes) -> list[bytes]:
    return section.split(b"\0") if section else []


def contents_of(files: list[bytes]) -> str:
    """A hash of the contents of all files, "" if one cannot be read."""
    contents = [read(name) for name in files]
    return "" if None in contents else digest(*(content for content in contents if content is not None))


# --- what others import in other places, without what it costs --------------------------------------------------------


def which(name: str) -> str:
    """The file that a command names; the name itself where there is none."""
    if "/" in name:
        return name
    for folder in os.get_exec_path():
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    return name


def read(path: str | bytes) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def digest(*parts: str | bytes) -> str:
    found = blake2b(digest_size=20)
    for part in parts:
        data = os.fsencode(part) if isinstance(part, str) else part
        found.update(b"%d " % len(data))
        found.update(data)
    return found.hexdigest()


def stamp(path: str | bytes) -> str:
    """What changes when a program does; "" where there is none."""
    name = os.path.realpath(os.fsdecode(path))
    try:
        about = os.stat(name)
    except OSError:
        return ""
    return f"{name} {about.st_size} {about.st_mtime_ns}"


def package_folder() -> str:
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def package_stamp() -> str:
    """What changes when polyloop does."""
    newest = size = 0
    folders = [package_folder()]
    while folders:
        for entry in os.scandir(folders.pop()):
            if entry.name.endswith(".py"):
                about = entry.stat()
                newest, size = max(newest, about.st_mtime_ns), size + about.st_size
            elif "." not in entry.name and entry.name not in ("data", "__pycache__") and entry.is_dir():
                folders.append(entry.path)
    return f"{newest} {size}"


def processor() -> bytes:
    """What the system says of the first core, its clock apart."""
    try:
        with open("/proc/cpuinfo", "rb") as file:
            lines = file.read(8192).partition(b"\n\n")[0].split(b"\n")
    except OSError:
        return os.fsencode(os.uname().machine)
    return b"\n".join(line for line in lines if line.startswith((b"model", b"flags", b"vendor", b"Features", b"CPU ")))


def cache_folder() -> str:
    """As `polyloop.backend.config.cache_directory`."""
    if chosen := os.environ.get("POLYLOOP_CACHE"):
        return os.path.abspath(os.path.expanduser(chosen))
    base = os.environ.get("XDG_CACHE_HOME", "")
    base = base if os.path.isabs(base) else os.path.expanduser("~/.cache")
    if os.path.isabs(base):
        return os.path.join(base, "polyloop")
    return os.path.abspath(os.path.join(os.environ.get("TMPDIR") or "/tmp", f"polyloop-{os.getuid()}"))
