"""The functions of math.h that have no side effect but errno, with their types (C17 7.12)."""

from __future__ import annotations

from polyloop.backend.ir.expressions import F32, F64, I32, I64, ScalarType

Signature = tuple[ScalarType, tuple[ScalarType, ...]]

_UNARY = """
    acos asin atan cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 log log10 log1p log2 logb cbrt fabs
    sqrt erf erfc lgamma tgamma ceil floor nearbyint rint round trunc
"""
_BINARY = "atan2 hypot pow fmod remainder copysign nextafter fdim fmax fmin"
_TO_LONG = "lrint lround llrint llround"


def _signatures() -> dict[str, Signature]:
    table: dict[str, Signature] = {}
    for suffix, real in (("", F64), ("f", F32)):
        table |= {name + suffix: (real, (real,)) for name in _UNARY.split()}
        table |= {name + suffix: (real, (real, real)) for name in _BINARY.split()}
        table |= {name + suffix: (I64, (real,)) for name in _TO_LONG.split()}
        table["fma" + suffix] = (real, (real, real, real))
        table["ldexp" + suffix] = (real, (real, I32))
        table["scalbn" + suffix] = (real, (real, I32))
        table["ilogb" + suffix] = (I32, (real,))
    return table


# Name -> (result, parameters).
SIGNATURES = _signatures()
# Integer absolute values become a choice, for which every backend has code.
ABSOLUTE = {"abs": I32, "labs": I64, "llabs": I64}
