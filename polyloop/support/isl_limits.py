"""A cap on the operations that isl may spend, so that a hard set ends in a refusal and never in a hang."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import islpy as isl

from polyloop.errors import PolyloopError

DEFAULT_OPERATIONS = 20_000_000


class OperationLimitError(PolyloopError):
    """isl needed more operations than it was given."""


_SPENT = "maximal number of operations exceeded"


def _is_spent() -> bool:
    """Whether isl does nothing any more. The error by itself need not say so: isl's parser calls it a syntax error."""
    try:
        isl.Set("{ [i] : i > 0 }").complement()
    except isl.Error as error:
        return _SPENT in str(error)
    return False


@contextmanager
def limited(operations: int = DEFAULT_OPERATIONS) -> Iterator[None]:
    """Within the block isl's default context may spend `operations` (a count that bounds time only roughly).

    Blocks nest: an inner one starts counting anew, and the outer limit holds again behind it.

    Raises:
        OperationLimitError: when the cap is hit.
    """
    context = isl.DEFAULT_CONTEXT
    outer = context.get_max_operations()
    context.reset_operations()
    context.set_max_operations(operations)
    try:
        yield
    except (isl.Error, TypeError) as error:  # numbers and texts are None where printing them hits the cap: int(None)
        if _SPENT in str(error) or _is_spent():
            raise OperationLimitError(f"isl needed more than {operations} operations") from error
        raise
    finally:
        context.set_max_operations(outer)
        context.reset_operations()
