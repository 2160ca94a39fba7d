"""Measuring workers of a Ray cluster: a killed one costs its job another try. Skipped without Ray."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from socket import socket

import pytest

from polyloop.errors import PolyloopError
from polyloop.measure.pool import TRIES, Pool, PoolError
from polyloop.models.dataset import PART, Recipe, make, read

if find_spec("ray") is None:
    pytest.skip("Ray is not installed", allow_module_level=True)

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.long]

HERE = "tests.measure.test_pool"


def mortal(job: tuple[int, str]) -> tuple[int, int]:
    """Twice the number; a job with a file's name kills its worker as long as that has fewer letters than it is to."""
    number, file = job
    if number < 0:
        raise PolyloopError("a negative number")
    if file:
        place, _, deaths = file.partition("*")
        died = Path(place).read_text() if Path(place).exists() else ""
        if len(died) < int(deaths):
            Path(place).write_text(died + "x")
            os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number, os.getpid()


@pytest.mark.parametrize("port", [None, 99_999])
def test_where_nobody_answers_nobody_is_waited_for(port: int | None) -> None:
    with socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound, and not listened at
        address = f"127.0.0.1:{port or unused.getsockname()[1]}"
        with pytest.raises(PoolError, match=f"--ray {address}: there is no cluster"):
            Pool(address)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    import ray

    variables = {"PYTHONPATH": str(Path(__file__).parents[2])}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": variables})
    with Pool("auto", measured=False) as made:
        yield made


def test_a_killed_worker_costs_a_try_and_nothing_else(pool: Pool, tmp_path: Path) -> None:
    assert pool.count == 2
    jobs = [(k, f"{tmp_path}/died*1" if k == 3 else "") for k in range(8)]
    done = list(pool.run(f"{HERE}:mortal", jobs))
    assert sorted(each.number for each in done) == list(range(8))
    assert all(each.result[0] == 2 * each.number for each in done)
    assert (tmp_path / "died").read_text() == "x"
    assert len({each.machine.name for each in done}) == 1
    assert 2 <= len({each.result[1] for each in done}) <= 3  # two workers, and the one in the place of the dead
    with pytest.raises(PoolError, match=f"{TRIES} workers died"):
        list(pool.run(f"{HERE}:mortal", [(1, f"{tmp_path}/again*9")]))
    with pytest.raises(PolyloopError, match="a negative number"):
        list(pool.run(f"{HERE}:mortal", [(-1, "")]))


def test_a_pool_makes_the_data_set_that_one_process_makes(pool: Pool, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    recipe = Recipe(count=2 * PART + 1, seed=4, schedules=5, evaluator="model")
    make(tmp_path / "here.parquet", recipe)
    make(tmp_path / "there.parquet", recipe, pool=pool)
    here, there = (read(tmp_path / name) for name in ("here.parquet", "there.parquet"))
    assert {(r.program, r.schedule, r.seconds) for r in here.rows} == {
        (r.program, r.schedule, r.seconds) for r in there.rows
    }
    (name,) = there.machines
    assert name.startswith(f"{next(iter(here.machines))} ")
    assert {row.machine for row in there.rows} == {name}
