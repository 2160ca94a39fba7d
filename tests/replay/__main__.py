"""Generate the code of many programs anew and compare its hashes with the committed ones.

    make replay                                         everything; exit status 1 if anything differs
    make replay ARGS="gemm 'product*'"                  only these programs
    make replay ARGS=--update                           the table says from now on what the code says now
    make replay ARGS="--show gemm/isl:avx2:c"           the text of a stage
    make replay ARGS="--show gemm:avx2 --against main"  what has become of the texts since a revision

Code that is only moved leaves every hash as it is; where one differs, the first stage that does says where to look.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

from tests.replay import table
from tests.replay.programs import programs

_ROOT = Path(__file__).parents[2]
_HERE = Path(__file__).parent.relative_to(_ROOT)


def main(arguments: list[str]) -> int:
    """
    Returns:
        The exit status: 0 where nothing differs, 1 where something does, 2 for what cannot be done.
    """
    options = _parser().parse_args(arguments)
    try:
        if options.show and options.against:
            return _print(_changes(options.show, options.against), changed=1)
        if options.show:
            texts = table.texts(options.show)
            return _print(iter([json.dumps(texts)]) if options.json else _headed(texts))
        return _replay(table.matching(options.programs or programs()), options.update)
    except (LookupError, subprocess.CalledProcessError) as error:
        print(f"replay: {error.args[0] if isinstance(error, LookupError) else error.stderr.strip()}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("tests.replay", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("programs", nargs="*", help="names, of kernels or with *; all by default")
    parser.add_argument("--update", action="store_true", help="write the table anew")
    parser.add_argument("--show", metavar="PROGRAM[:TARGET[:STAGE]]", help="print texts instead of comparing hashes")
    parser.add_argument("--against", metavar="REVISION", help="with --show: print what differs from git's revision")
    parser.add_argument("--json", action="store_true", help="with --show: as JSON")
    return parser


def _replay(names: list[str], update: bool) -> int:
    before = table.committed() if table.HASHES.exists() else {}
    if len(names) < len(programs()):
        before = {row: stages for row, stages in before.items() if row.partition(":")[0] in names}
    now: dict[str, table.Row] = {}
    for number, rows in enumerate(table.hashes(names), 1):
        now |= rows
        if sys.stderr.isatty():
            print(
                f"\r{number} of {len(names)} programs", end="\n" * (number == len(names)), file=sys.stderr, flush=True
            )
    differ = table.differences(before, now)
    failed = [f"{row}: {stages[table.ERROR]}" for row, stages in now.items() if table.ERROR in stages]
    print("\n".join([*differ, *failed, f"{len(names)} programs, {len(now)} rows: {len(differ)} differ"]))
    if update and not failed:
        table.write({**table.committed(), **now} if len(names) < len(programs()) else now)
        return 0
    if differ:
        print("what differs:    make replay ARGS='--show PROGRAM:TARGET:STAGE --against REVISION'")
        print("if it is meant:  make replay ARGS=--update, and say why in the commit")
    return int(bool(differ or failed))


def _print(lines: Iterator[str], changed: int = 0) -> int:
    status = 0
    for line in lines:
        print(line)
        status = changed
    return status


def _headed(texts: dict[str, dict[str, str]]) -> Iterator[str]:
    for row, stages in texts.items():
        for stage, text in stages.items():
            yield f"=== {row}:{stage}\n{text}"


def _changes(pattern: str, revision: str) -> Iterator[str]:
    """Unified diffs from the texts at a revision to those of now."""
    now, before = table.texts(pattern), _texts_at(pattern, revision)
    for row in {**before, **now}:
        old, new = before.get(row, {}), now.get(row, {})
        for stage in {**old, **new}:
            label = f"{row}:{stage}"
            lines = (old.get(stage, "").splitlines(), new.get(stage, "").splitlines())
            yield from unified_diff(*lines, f"{revision} {label}", f"now {label}", lineterm="")


def _texts_at(pattern: str, revision: str) -> dict[str, dict[str, str]]:
    """The texts as the tree of a revision makes them, in a folder that is gone afterwards.

    Raises:
        LookupError: if the revision has no replay, or none of these programs.
        CalledProcessError: if git does not know it.
    """
    archive = subprocess.run(["git", "archive", revision], cwd=_ROOT, capture_output=True, check=False)
    if archive.returncode:
        raise LookupError(archive.stderr.decode().strip())
    with tempfile.TemporaryDirectory(prefix="polyloop-replay-") as folder:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            tar.extractall(folder, filter="data")
        if not (Path(folder) / _HERE).exists():
            raise LookupError(f"{revision} is older than {_HERE}")
        command = [sys.executable, "-m", "tests.replay", "--show", pattern, "--json"]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if run.returncode:
            raise LookupError(f"at {revision}: {run.stderr.strip()}")
        texts: dict[str, dict[str, str]] = json.loads(run.stdout)
        return texts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
