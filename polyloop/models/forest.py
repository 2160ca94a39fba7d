"""Gradient-boosted trees as flat arrays, evaluated with numpy alone: whoever predicts loads no library that trains.

Every tree is a whole binary tree of one depth: node k has its children at 2k + 1 and 2k + 2, and a node that its
library made a leaf early leads to that leaf on both sides. So a row walks down by arithmetic, all trees at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloop.errors import PolyloopError
from polyloop.support.files import write_atomically

Rows = NDArray[np.float32]
Scores = NDArray[np.float64]

_AT_ONCE = 1 << 15
"""Rows times trees that are walked at once: their places stay in a cache."""


class WeightsError(PolyloopError):
    """A file that has no weights of this version."""


@dataclass(frozen=True, eq=False)
class Forest:
    """A sum of trees.

    Attributes:
        feature: of every inner node, the column that is compared; shape (trees, 2^depth - 1).
        threshold: a row goes left where its figure is not larger; same shape.
        value: of every leaf, shape (trees, 2^depth).
        bias: what every score has besides.
    """

    feature: NDArray[np.int16]
    threshold: Rows
    value: Rows
    bias: float = 0.0

    @property
    def depth(self) -> int:
        return int(self.value.shape[1]).bit_length() - 1

    @cached_property
    def _levels(self) -> list[tuple[NDArray[np.intp], Rows]]:
        """Features and thresholds of the nodes of each level, those of the first tree first: what stands at place k has
        its children at 2k and 2k + 1 of the next level, and the leaves are the last."""
        bounds = [((1 << level) - 1, (2 << level) - 1) for level in range(self.depth)]
        levels = [(self.feature[:, first:end].ravel(), self.threshold[:, first:end].ravel()) for first, end in bounds]
        return [(feature.astype(np.intp), threshold) for feature, threshold in levels]

    def scores(self, rows: Rows) -> Scores:
        """One for each row."""
        trees = len(self.feature)
        result = np.full(len(rows), self.bias)
        if not trees or not len(rows):
            return result
        value, step = self.value.ravel(), max(1, _AT_ONCE // trees)
        for first in range(0, len(rows), step):
            some = rows[first : first + step]
            columns, count = np.ascontiguousarray(some.T).ravel(), len(some)
            own = np.arange(count)
            place = np.repeat(np.arange(trees), count).reshape(trees, count)
            for feature, threshold in self._levels:
                # All places are there: clipping tests nothing, where raising tests them all.
                at = feature.take(place, mode="clip")
                at *= count
                at += own
                right = columns.take(at, mode="clip") > threshold.take(place, mode="clip")
                place += place
                place += right
            result[first : first + count] += value.take(place, mode="clip").sum(0, dtype=np.float64)
        return result


@dataclass(frozen=True, eq=False)
class Weights:
    """What a file has: forests of one meaning each, and what is to be known of them.

    Attributes:
        forests: by name; those of an ensemble are numbered: "seconds0", "seconds1", ...
        facts: version of the features, and how they were trained; JSON.
    """

    forests: Mapping[str, Forest]
    facts: Mapping[str, Any]

    def ensemble(self, name: str) -> tuple[Forest, ...]:
        """The forests whose name is this and a number."""
        return tuple(f for key, f in sorted(self.forests.items()) if key.rstrip("0123456789") == name)

    def save(self, path: Path) -> None:
        arrays: dict[str, Any] = {}
        for name, forest in self.forests.items():
            arrays[f"{name}/feature"], arrays[f"{name}/threshold"] = forest.feature, forest.threshold
            arrays[f"{name}/value"], arrays[f"{name}/bias"] = forest.value, np.array([forest.bias])
        from safetensors.numpy import save  # of the extra

        facts = json.dumps(dict(self.facts), sort_keys=True)
        write_atomically(path, save(arrays, {"facts": facts}))

    @staticmethod
    def load(path: Path, version: int) -> Weights:
        """
        Args:
            version: of the features that there are.
        Raises:
            WeightsError: for another file, and for weights of other features.
        """
        try:
            from safetensors import SafetensorError, safe_open  # of the extra
        except ImportError as error:
            raise WeightsError(f"{path}: weights are read by safetensors; pip install 'polyloop[cost]'") from error
        try:
            with safe_open(path, "np") as archive:
                arrays = {name: archive.get_tensor(name) for name in archive.keys()}  # noqa: SIM118
                facts = json.loads((archive.metadata() or {})["facts"])
            names = dict.fromkeys(name.partition("/")[0] for name in arrays)
            forests = {name: _forest(arrays, name) for name in names}
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            raise WeightsError(f"{path}: these are no weights of trees: {error}") from error
        if facts.get("features") != version:
            found = facts.get("features")
            raise WeightsError(
                f"{path}: these weights are of features of version {found}, here is {version}; train anew"
            )
        return Weights(forests, facts)


def _forest(arrays: Mapping[str, Any], name: str) -> Forest:
    bias = float(arrays[f"{name}/bias"][0])
    return Forest(arrays[f"{name}/feature"], arrays[f"{name}/threshold"], arrays[f"{name}/value"], bias)


def forest_of(trees: Sequence[Mapping[str, Any]], depth: int, bias: float = 0.0) -> Forest:
    """Of trees as lightgbm dumps them (``Booster.dump_model()["tree_info"]``), none deeper than `depth`.

    Thresholds become the largest 32-bit number that is no larger, so that no row of such numbers goes another way.
    """
    inner = (1 << depth) - 1
    feature = np.zeros((len(trees), inner), np.int16)
    threshold = np.full((len(trees), inner), np.inf, np.float32)
    value = np.zeros((len(trees), inner + 1), np.float32)
    for number, tree in enumerate(trees):
        ahead = [(0, tree["tree_structure"])]
        while ahead:
            place, node = ahead.pop()
            if "split_index" in node:
                feature[number, place], limit = node["split_feature"], np.float32(node["threshold"])
                below = np.nextafter(limit, np.float32(-np.inf))
                threshold[number, place] = below if float(limit) > node["threshold"] else limit
                ahead += [(2 * place + 1, node["left_child"]), (2 * place + 2, node["right_child"])]
            else:
                first = last = place
                while first < inner:
                    first, last = 2 * first + 1, 2 * last + 2
                value[number, first - inner : last - inner + 1] = node["leaf_value"]
    return Forest(feature, threshold, value, bias)
