"""polyloop: a C file in, a proven and faster C file out.

This module is the door. Its names are loaded when they are first used, so that ``import polyloop``, worker
processes and ``polyloop --help`` do not pay for isl, LLVM or learning libraries that they do not use. The environments
are registered by their names, as soon as Gymnasium is loaded.
"""

from __future__ import annotations

import sys
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


class _Finder:
    """A module's ``find_spec`` for some names; the module is loaded when one of them is imported."""

    def __init__(self, module: str, names: str) -> None:
        self._module, self._names = module, names

    def find_spec(self, fullname: str, path: object, target: object = None) -> object:
        return import_module(self._module).find_spec(fullname) if fullname.startswith(self._names) else None


# Modules that have moved are found under their old names, too, where Python's own finders find nothing.
sys.meta_path.append(_Finder("polyloop.support.moved", "polyloop."))  # type: ignore[arg-type]  # has the method

# The environments' names, for `gymnasium.make`; Gymnasium itself is not imported.
if "gymnasium" in sys.modules:
    import_module("polyloop.registration").register()
else:
    sys.meta_path.insert(0, _Finder("polyloop.registration", "gymnasium"))  # type: ignore[arg-type]
