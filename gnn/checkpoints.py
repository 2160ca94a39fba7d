"""Tensors and JSON side by side: `name.safetensors` and `name.json`. No pickles: a file of weights runs no code.

Each file is written whole and then moved into its place, and the description holds the hash of the tensors, so that
what is read back is one checkpoint or an error, never halves of two.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import safetensors.torch
from safetensors import SafetensorError
from torch import Tensor

from polyloop.errors import PolyloopError
from polyloop.support.files import write_atomically

_HASH = "weights_sha256"


class CheckpointError(PolyloopError):
    """A checkpoint that is not there or not whole; the message says which file."""


def save(path: Path, tensors: Mapping[str, Tensor], numbers: Mapping[str, Any]) -> None:
    """Write a checkpoint.

    Args:
        path: without a suffix.
        numbers: what JSON can hold.
    """
    data = safetensors.torch.save({name: value.contiguous().cpu() for name, value in tensors.items()})
    text = json.dumps({**numbers, _HASH: sha256(data).hexdigest()}, indent=2) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(_weights(path), data)
    write_atomically(_description(path), text)


def load(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read a checkpoint.

    Args:
        path: with or without one of the two suffixes.
    Raises:
        CheckpointError: if a file is missing or broken, or the two do not belong together.
    """
    if path.suffix in (".safetensors", ".json"):
        path = path.with_suffix("")
    try:
        data = _weights(path).read_bytes()
        numbers = json.loads(_description(path).read_text())
    except FileNotFoundError as error:
        raise CheckpointError(f"{path}: no checkpoint can be read here: there is no file {error.filename}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path}: no checkpoint can be read here: {error}") from error
    if not isinstance(numbers, dict) or numbers.pop(_HASH, None) != sha256(data).hexdigest():
        raise CheckpointError(f"{_weights(path)} is not what {_description(path).name} describes: one was replaced")
    try:
        return safetensors.torch.load(data), numbers
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{path}: no checkpoint can be read here: {error}") from error


def remove(path: Path) -> None:
    """Remove a checkpoint, or what there is of it."""
    for file in (_weights(path), _description(path)):
        file.unlink(missing_ok=True)


def _weights(path: Path) -> Path:
    return path.with_name(path.name + ".safetensors")


def _description(path: Path) -> Path:
    return path.with_name(path.name + ".json")
