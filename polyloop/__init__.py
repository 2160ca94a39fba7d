"""polyloop: a C file in, a proven and faster C file out.

This module is the door. Its names are loaded when they are first used, so that ``import polyloop``, worker
processes and ``polyloop --help`` do not pay for isl, LLVM or learning libraries that they do not use. The environments
are registered by their names, as soon as Gymnasium is loaded.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # type checkers take it as true, and typing itself takes a while to import

__all__ = ["Result", "__version__", "compile", "einsum", "optimize", "read_c", "tensor"]

# Public name -> "module:attribute". A name that stands here also stands in __all__ and in the imports for
# type checkers below; tests/test_door.py compares the three.
_LAZY = {
    "Result": "polyloop.measure.result:Result",
    "compile": "polyloop.api:compile_scop",
    "einsum": "polyloop.tensors:einsum",
    "optimize": "polyloop.api:optimize",
    "read_c": "polyloop.frontend:read_c",
    "tensor": "polyloop.tensors:tensor",
}

if TYPE_CHECKING:
    from polyloop.api import compile_scop as compile  # noqa: A004 (as in `re`: polyloop.compile)
    from polyloop.api import optimize
    from polyloop.frontend import read_c
    from polyloop.measure.result import Result
    from polyloop.tensors import einsum, tensor

    __version__: str
else:
    # Hidden from type checkers, which would otherwise take every misspelt name for a lazy one.
    def __getattr__(name: str) -> object:
        if name == "__version__":
            value = import_module("importlib.metadata").version("polyloop")
        elif name in _LAZY:
            module, _, attribute = _LAZY[name].partition(":")
            value = getattr(import_module(module), attribute)
        else:
            raise AttributeError(f"module 'polyloop' has no attribute {name!r}")
        # From now on an ordinary attribute: this function is not asked for it again.
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


# Modules that have moved are found under their old names, too.
import_module("polyloop.support.moved").install()

# The environments' names, for `gymnasium.make`; Gymnasium itself is not imported.
import_module("polyloop.registration").register_when_loaded()
