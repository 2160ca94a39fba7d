"""What the commands around agents share: names, whether the libraries are there, and where policies are."""

from __future__ import annotations

import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

from polyloop.errors import PolyloopError
from polyloop.gnn.policies import Kind, shipped_path

ENCODERS = ("gatv2", "gine", "relational", "transformer", "vector", "rows", "attention")
SHIPPED = "shipped"


class MissingExtraError(PolyloopError):
    """A command needs libraries that an extra of polyloop brings; the message says which."""


def needs_torch(what: str) -> None:
    """To be called before torch is imported.

    Raises:
        MissingExtraError: if torch or torch-geometric is not installed.
    """
    missing = [name for name in ("torch", "torch_geometric", "safetensors") if find_spec(name) is None]
    if missing:
        raise MissingExtraError(f"{what} needs {', '.join(missing)}; pip install 'polyloop[gnn]'")
    if not sys.warnoptions:
        # What torch tells those who call it is nothing that a user of the command could do anything about.
        warnings.filterwarnings("ignore", category=FutureWarning, module="torch")


def policy_path(given: str, kind: Kind) -> Path:
    """A run's folder, or the shipped policy of a kind.

    Raises:
        PolyloopError: if there is none.
    """
    return shipped_path(kind) if given == SHIPPED else Path(given)
