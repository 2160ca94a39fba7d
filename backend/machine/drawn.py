"""Machines drawn at random, to train what has to do on cores that nobody has described.

Widths, registers, ports and caches are drawn one by one from what cores of the last ten years have. A machine's name
says its seed, so that a reward names the machine that it is of.
"""

from __future__ import annotations

import re
from random import Random

from polyloop.backend.machine.machine import Cache, Machine, Operation, machine_named

_FORMS = (
    ("sse", 128, 16, False),
    ("neon", 128, 32, False),
    ("avx2", 256, 16, False),
    ("avx512", 256, 32, True),
    ("avx512", 512, 32, True),
)
"""Instruction set, width and number of vector registers, masks."""

_KILO = 1 << 10
_DRAWN = "drawn-"


def machine_called(name: str) -> Machine:
    """As `machine_named`, and by its name a machine that was drawn: what an episode says, brings it back.

    Raises:
        TargetError: if there is none.
    """
    drawn = re.fullmatch(rf"{_DRAWN}([0-9]+)", name)
    return machine_named(name) if drawn is None else drawn_machine(int(drawn[1]))


def drawn_machine(seed: int) -> Machine:
    """The machine of a seed; the same everywhere."""
    random = Random(seed)
    instructions, bits, registers, masks = random.choice(_FORMS)
    has_fma = instructions != "sse"
    multiply_add = Operation(random.choice((4.0, 5.0)) + 3.0 * (not has_fma), random.choice((1.0, 2.0)))
    l1 = Cache(random.choice((32, 48, 64)) * _KILO, random.choice((4, 8)), 5.0, 64 / (bits / 8) / 2)
    l2 = Cache(random.choice((256, 512, 1024, 2048)) * _KILO, random.choice((8, 16)), 14.0, random.uniform(1.5, 4.0))
    l3 = Cache(random.choice((2, 8, 32, 128)) * _KILO * _KILO, 16, 50.0, random.uniform(3.5, 9.0))
    return Machine(
        name=f"{_DRAWN}{seed}",
        processors=(),
        instructions=instructions,
        source="drawn",
        vector_bits=bits,
        vector_registers=registers,
        masks=masks,
        has_fma=has_fma,
        gigahertz=3.0,
        line=64,
        page_cycles=20.0,
        multiply_add=multiply_add,
        add=Operation(3.0, 2.0),
        multiply=Operation(4.0, 2.0),
        divide=Operation(13.0, 0.2),
        square_root=Operation(20.0, 0.11),
        load=Operation(random.choice((5.0, 7.0)), random.choice((1.0, 2.0, 3.0))),
        store=Operation(1.0, random.choice((1.0, 2.0))),
        shuffle=Operation(4.0, 1.0),
        gather=Operation(20.0, 0.125),
        caches=(l1, l2, l3),
        memory=Cache(0, 0, 320.0, random.uniform(9.0, 18.0)),
    )
