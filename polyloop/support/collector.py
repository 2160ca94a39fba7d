"""Python's garbage collector, where what lives long is much and what is made is more."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def settled() -> Iterator[None]:
    """What is there stays: libraries and tables are not gone through again, each time that a quarter as many objects
    have been made besides, which took a tenth of the time of environments."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
