"""The pages for engineers say what is there: rooms, paths, links, make targets, and the decisions' form."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from polyloop.cli.arguments import _ELSEWHERE, parse
from polyloop.terminal.errors import UsageError
from tests.test_floors import ROOMS

ROOT = Path(__file__).resolve().parent.parent
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "CONTRIBUTING.md", ROOT / "README.md"]
TOP = ("polyloop", "backend", "envs", "gnn", "data", "tests", "examples", "docs")


def identity(page: Path) -> str:
    return str(page.relative_to(ROOT))


def paths_named(text: str) -> set[str]:
    """What stands in backticks and begins with a folder of the checkout; ``NAME`` and the like stand for any file."""
    named = re.findall(r"`((?:" + "|".join(TOP) + r")/[\w./*-]*)`", text)
    is_a_name = r"[A-Z]{3}|-v\d$"  # a stand-in, an environment
    return {path for path in named if not re.search(is_a_name, Path(path).name)}


def test_there_are_pages() -> None:
    assert len(DECISIONS) >= 12
    assert {"polyloop/api.py", "backend/c/"} <= paths_named((ROOT / "docs" / "architecture.md").read_text())


@pytest.mark.parametrize("page", PAGES, ids=identity)
def test_paths_exist(page: Path) -> None:
    lost = [path for path in sorted(paths_named(page.read_text())) if not any(ROOT.glob(path.rstrip("/")))]
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=identity)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_rooms_are_those_of_the_floors() -> None:
    section = (ROOT / "docs" / "architecture.md").read_text().partition("\n## Rooms")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"^\| `([\w.]+)` \|", section, re.MULTILINE)) == ROOMS


def test_make_targets_exist() -> None:
    makefiles = (ROOT / "Makefile", *(ROOT / "examples").glob("*/Makefile"))
    targets = {target for file in makefiles for target in re.findall(r"^([\w-]+):", file.read_text(), re.MULTILINE)}
    named = {target for page in PAGES for target in re.findall(r"`make (\w[\w-]*)", page.read_text())}
    assert named
    assert named <= targets


def commands_named(text: str) -> list[str]:
    """What stands in backticks, or on a line of its own, and begins with the program's name; without what follows it in
    a shell."""
    whole = text.replace("\\\n", " ")
    named = re.findall(r"`(?:[A-Z_]+=\S+ )*(polyloop [a-z][^`]+)`", whole)
    named += re.findall(r"^ *(?:\$ )?(?:[A-Z_]+=\S+ )*(polyloop [a-z]\w*(?: .*)?)$", whole, re.MULTILINE)
    return [re.split(r" #| && | \| ", command)[0] for command in named]


def refusal(words: list[str]) -> str:
    """What the command line says against some words, if anything."""
    try:
        parse(words)
    except SystemExit:  # it was asked for help
        return ""
    except UsageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("page", [page for page in PAGES if page not in DECISIONS], ids=identity)
def test_commands_have_the_options_that_are_named(page: Path) -> None:
    for command in commands_named(page.read_text()):
        words = shlex.split(command)[1:]
        if words[0] not in (*_ELSEWHERE, "optimize", "scan", "show", "explain"):
            continue  # `polyloop cc` takes a compiler's; a sentence
        wrong = re.search("unrecognized arguments|argument (SUITE|TASK): invalid choice", refusal(words))
        assert wrong is None, command


def test_commands_are_found() -> None:
    assert len(commands_named((ROOT / "README.md").read_text())) > 20
    assert commands_named("`A=1 polyloop db info`\n    $ polyloop tune \\\n  X | less\n") == [
        *("polyloop db info", "polyloop tune    X"),
    ]


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.name)
def test_decisions_have_one_form(page: Path) -> None:
    text = page.read_text()
    number, title = re.match(r"# (\d{3})\. (.+)\n", text).groups()  # type: ignore[union-attr]
    assert page.name.startswith(f"{number}-")
    assert title
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences"]


def test_decisions_are_numbered_through() -> None:
    assert [int(page.name[:3]) for page in DECISIONS] == list(range(1, len(DECISIONS) + 1))
