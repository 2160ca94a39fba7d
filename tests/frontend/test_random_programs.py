"""Random programs, printed as C and read back: the same Scop's domains, accesses and order, and the same results."""

from __future__ import annotations

import numpy as np
import pytest

from polyloop.backend.ir.expressions import dtype_of
from polyloop.frontend import read_c
from tests.frontend.evaluation import Data, points_of, run_scop
from tests.helpers.programs import C_HEAD, executed, instances, to_c, to_scop
from tests.helpers.random_scops import random_program


@pytest.mark.parametrize("seed", range(40))
def test_read_back(seed: int) -> None:
    program = random_program(seed)
    written = to_scop(program)
    (scop,) = read_c("random.c", text=C_HEAD + to_c(program))
    for size in (3, 5):
        sizes = dict.fromkeys(program.parameters, size)
        known = {s.name: points for s in written.statements if (points := points_of(written, s, sizes))}
        found = {s.name: points for s in scop.statements if (points := points_of(scop, s, sizes))}
        assert {n: sorted(p) for n, p in found.items()} == {n: sorted(p) for n, p in known.items()}
        assert sum(map(len, found.values())) == sum(1 for _ in instances(program, sizes))


@pytest.mark.parametrize("seed", range(15))
def test_results(seed: int) -> None:
    program = random_program(seed)
    (scop,) = read_c("random.c", text=C_HEAD + to_c(program))
    sizes = dict.fromkeys(program.parameters, 5)
    rng = np.random.default_rng(seed)
    data: dict[str, Data] = {}
    for array in program.arrays:
        shape = [e.evaluate(sizes) for e in array.shape if e is not None]
        data[array.name] = rng.uniform(1, 9, shape).astype(dtype_of(array.type))
    expected = executed(program, sizes, {n: a.copy() for n, a in data.items()}, contract=False)
    run_scop(scop, {**sizes, **data})
    for array in program.arrays:
        if not array.local:
            np.testing.assert_array_equal(data[array.name], expected[array.name], err_msg=array.name)
