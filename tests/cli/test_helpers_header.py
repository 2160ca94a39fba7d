"""``polyloop optimize --helpers``, and the first line of what ``optimize`` writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from polyloop.cli.arguments import release
from polyloop.cli.emission import heading, shown_command
from tests.helpers.commands import Run


@pytest.mark.usefixtures("fixed_optimizer")
def test_the_first_line_is_the_same_in_every_folder(run: Run, scale: Path) -> None:
    texts = []
    for name, output in ((str(scale), "a.c"), (str(scale), str(scale.with_name("b.c")))):
        assert run("optimize", name, "--sizes", "n=40", "-o", output).status == 0
        texts.append(Path(output).read_text())
    assert texts[0] == texts[1]
    first = texts[0].partition("\n")[0]
    line = rf"/\* Made by polyloop {re.escape(release())}: polyloop optimize scale\.c --sizes n=40; for \w+; "
    assert re.fullmatch(line + r"edit scale\.c, not what is made of it\. \*/", first)


def test_a_heading_names_no_folders_and_no_outputs() -> None:
    words = ("optimize", "/home/me/a.c", "--cc", "gcc -O2 -I/opt/include", "-o", "/tmp/out.c", "-oout.c", "--json=x")
    line = heading(shown_command(words), ["avx2", "sse"], "/home/me/a.c", in_place=False)
    made = f"Made by polyloop {release()}: polyloop optimize a.c --cc 'gcc -O2 -Iinclude'; for avx2, sse; "
    assert line == made + "edit a.c, not what is made of it."
    assert heading((), [], "a.c", in_place=True).endswith(
        "; edit the loops beside the new ones, not what is made of them."
    )


@pytest.mark.usefixtures("fixed_optimizer")
def test_helpers_stand_beside_the_output(run: Run, scale: Path, tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    ran = run("optimize", "scale.c", "-o", "made/scale.c", "--helpers", "polyloop.h")
    assert (ran.status, ran.out.splitlines()[-2:]) == (0, ["wrote made/scale.c", "wrote made/polyloop.h"])
    assert '#include "polyloop.h"\n' in (tmp_path / "made" / "scale.c").read_text()
    assert "#define polyloop_kernel static" in (tmp_path / "made" / "polyloop.h").read_text()


@pytest.mark.usefixtures("fixed_optimizer")
def test_a_header_of_somebody_else_is_not_overwritten(run: Run, scale: Path) -> None:
    scale.with_name("mine.h").write_text("#define ANSWER 42\n")
    ran = run("optimize", "scale.c", "-o", "out.c", "--helpers", "mine.h")
    assert (ran.status, scale.with_name("out.c").exists()) == (1, False)
    assert "polyloop has not made it" in ran.err
    assert scale.with_name("mine.h").read_text() == "#define ANSWER 42\n"


@pytest.mark.parametrize(("options", "message"), [(("-",), "standard output"), (("h.h", "--emit", "llvm"), "add c to")])
def test_a_header_needs_a_c_file(run: Run, scale: Path, options: tuple[str, ...], message: str) -> None:
    ran = run("optimize", "scale.c", "-o", "out.c", "--helpers", *options)
    assert (ran.status, message in ran.err) == (2, True)
