"""C functions in several versions, one for each instruction set, of which the processor chooses one.

Each version and its helpers carry the attribute ``target``, so that one compilation without ``-march`` makes all of
them; those of another architecture are left out by the preprocessor. What the processor can run is asked for once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from polyloop.backend.machine.versions import Version


def guarded(text: str, version: Version) -> str:
    """Text that only compilers for the version's architecture see."""
    return f"\n#ifdef {version.macro}{text}#endif /* {version.macro} */\n"


def merged(text: str) -> str:
    """The same with one guard around neighbours that have equal ones."""
    return re.sub(r"#endif /\* (__\w+__) \*/\n\n#ifdef \1\n", "\n", text)


def version_macro(name: str, version: Version) -> str:
    """The definition of what functions of a version begin with."""
    attribute = f'__attribute__((__target__("{",".join(version.features)}")))' if version.features else ""
    return f"#define {name} {attribute}".rstrip() + "\n"


def version_choice(versions: Sequence[Version]) -> str:
    """The variable that says which version the processor runs, by its place among them, from 1 on."""
    lines = []
    for number, (architecture, group) in enumerate(groupby(versions, key=lambda version: version.architecture)):
        lines.append(f"#{'elif' if number else 'if'} defined __{architecture}__")
        own = list(group)
        if any(version.features for version in own):
            lines.append("    __builtin_cpu_init();")
        lines.append(f"    polyloop_version = {_tests(own, versions)};")
    asked = "\n".join(lines)
    names = ", ".join(f"{place} {version.name}" for place, version in enumerate(versions, 1))
    return f"""\
/* Which version of the loops this processor runs: {names}; 0 none.
   It is asked once, before main, so that no function has to. */
static int polyloop_version;

__attribute__((constructor)) static void polyloop_choose(void)
{{
{asked}
#endif
}}
"""


def _tests(own: Sequence[Version], versions: Sequence[Version]) -> str:
    text = ["0"]
    for version in reversed(own):
        place = str(versions.index(version) + 1)
        asked = [f'__builtin_cpu_supports("{feature}")' for feature in version.features]
        text = ["\n            && ".join(asked), f" ? {place}\n        : ", *text] if asked else [place]
    return "".join(text)
