"""The tensor front end: programs over named dimensions, and einsum, lower to Scops.

parse -> dimensions (sizes, affine subscripts) -> shapes (types, extents, checks) -> lower. Every node knows its place
in the text, so that whatever is wrong is shown there.
"""

from __future__ import annotations

from polyloop.tensors.errors import TensorError
from polyloop.tensors.program import einsum, tensor

__all__ = ["TensorError", "einsum", "tensor"]
