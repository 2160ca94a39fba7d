"""Small programs at every stage, as people read them (golden/): one row of the replay is one folder.

``pytest --update-golden`` writes the files anew; read the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.golden import Golden
from tests.replay.table import texts

GOLDEN = Path(__file__).with_name("golden")
FILES = {
    "scop": "scop.txt",
    "dependences": "dependences.txt",
    "tree": "tree.txt",
    "nest": "nest.txt",
    "program": "program.txt",
    "llvm": "code.ll",
    "c": "code.c",
    "asm": "code.s",
}
ROWS = (
    "gemm/trace:avx2",  # tiled, parallel, unrolled; parameters
    "jacobi-2d/original:avx2",  # left to the compiler's vectoriser
    "jacobi-1d/isl:avx512",  # vectors of a loop whose length nobody knows
    "nussinov/original:sse",  # conditions, integers of one byte
    "syrk/trace:avx512",  # a triangle, and a copy in another layout
    "doitgen/isl:neon",  # an array of its own
    "product, packed:avx2",  # panels, prefetches, assembly
    "product, u8:avx2",
    "convolution:avx512",
    "layer:neon",  # a product and what follows it in one tile
    "softmax:sse",  # reductions, functions
    "sum, any order:avx2",  # along the vector
    "transposed:avx512",
    "padded stencil:avx512",  # guards and masks
)


@pytest.mark.parametrize("row", ROWS)
def test_the_texts(row: str, golden: Golden) -> None:
    program, target = row.split(":")
    found = texts(row)[row]
    folder = GOLDEN / f"{program.replace('/', '-').replace(', ', '-').replace(' ', '-')}-{target}"
    for stage, text in found.items():
        golden.check(folder / FILES[stage], text)
    assert {path.name for path in folder.iterdir()} == {FILES[stage] for stage in found}


def test_every_folder_is_of_a_row() -> None:
    assert len(list(GOLDEN.iterdir())) == len(ROWS)
