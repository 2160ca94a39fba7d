"""TreeGRU, a recurrent network over the loops of a program as its cost model, beside the trees of `polyloop.models`.

Every loop is a vector of its context features, so that what is learnt of loops transfers between programs. Along each
path from the outermost loop to a statement a GRU goes from loop to loop; the embeddings of the loops are scattered into
memory slots by a softmax and summed, and a linear layer reads the slots beside what is known of the statement as a
whole. Its score is by what power of two the statement takes longer than the analytic model says, and a program takes
what its statements take together, as with trees.

References:
    Chen et al., "Learning to Optimize Tensor Programs", NeurIPS 2018, section 4 and appendix. There loops that
    statements share are shared in the tree; here each statement has a path of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from polyloop.errors import PolyloopError
from polyloop.models.features import CONTEXT, DEPTH, NAMES, VERSION, Table
from polyloop.models.forest import Scores
from polyloop.models.training import Examples
from polyloop.support.files import write_atomically

SHIPPED = Path(__file__).parents[1] / "data" / "weights" / "treegru.safetensors"

_FIRST = NAMES.index(f"{CONTEXT[0]}_0")
_LOOPS = slice(_FIRST, _FIRST + DEPTH * len(CONTEXT))
_WHOLE = len(NAMES) - DEPTH * len(CONTEXT)

_WIDEST = 16.0
"""No chain takes 2^16 times as long as the analytic model says, nor as short; of rows unlike all others a network might
say anything."""

_FAR = 4.0
"""Standard deviations beyond which a figure says no more: those of a machine are of few machines."""


class TreeGRU(nn.Module):
    """Scores of chains.

    Args:
        width: of embeddings and of the GRU; the paper has 128.
        slots: of the memory.
    """

    centre: Tensor
    scale: Tensor

    def __init__(self, width: int = 64, slots: int = 8) -> None:
        super().__init__()
        self.register_buffer("centre", torch.zeros(len(NAMES)))
        self.register_buffer("scale", torch.ones(len(NAMES)))
        self.embedding = nn.Linear(len(CONTEXT), width)
        self.recurrence = nn.GRU(width, width, batch_first=True)
        self.addresses = nn.Linear(width, slots)
        self.whole = nn.Linear(_WHOLE, 2 * width)
        self.read = nn.Sequential(nn.Linear(slots * width + 2 * width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, rows: Tensor) -> Tensor:
        """Shape (B,), of rows of figures of shape (B, len(NAMES))."""
        values = ((rows - self.centre) / self.scale).clamp(-_FAR, _FAR)
        there = (rows[:, _LOOPS].reshape(-1, DEPTH, len(CONTEXT))[..., 0] >= 0).flip(1).unsqueeze(2)
        loops = values[:, _LOOPS].reshape(-1, DEPTH, len(CONTEXT)).flip(1)  # outermost first
        states, _ = self.recurrence(self.embedding(loops).relu() * there)
        memory = torch.einsum("bls,blw->bsw", self.addresses(states).softmax(2) * there, states)
        whole = torch.cat([values[:, : _LOOPS.start], values[:, _LOOPS.stop :]], 1)
        return cast(Tensor, self.read(torch.cat([memory.flatten(1), self.whole(whole).relu()], 1)).squeeze(1))


@dataclass(frozen=True)
class Training:
    """Settings of training.

    Attributes:
        epochs: passes over all programs; `programs`: of a step.
        rate: of learning at the beginning; it falls to nothing.
        seconds: what an error of log2 of seconds counts beside a pair in the wrong order.
    """

    width: int = 64
    slots: int = 8
    epochs: int = 16
    programs: int = 12
    rate: float = 2e-3
    seconds: float = 0.5


@dataclass(frozen=True, eq=False)
class TreeGRUModel:
    """A trained network, and what is to be known of it; see `polyloop.models.learned.TreeModel`."""

    network: TreeGRU
    facts: Mapping[str, Any]

    def order(self, table: Table) -> Scores:
        """What puts schedules of one program in order: the smaller, the faster."""
        with torch.inference_mode():
            scores = self.network(torch.from_numpy(table.rows)).numpy().astype(np.float64)
        return np.asarray(table.times(np.clip(scores, -_WIDEST, _WIDEST)).logs)

    def predict(self, table: Table) -> Scores:
        """Seconds of programs by their features."""
        return np.exp2(self.order(table))

    def save(self, path: Path) -> None:
        """Write a file in full or not at all."""
        arrays = {name: value.contiguous() for name, value in self.network.state_dict().items()}
        write_atomically(path, save(arrays, {"facts": json.dumps(dict(self.facts), sort_keys=True)}))

    @staticmethod
    def load(path: Path = SHIPPED) -> TreeGRUModel:
        """
        Raises:
            PolyloopError: for another file, and for weights of other features.
        """
        try:
            with safe_open(path, "pt") as archive:
                arrays = {name: archive.get_tensor(name) for name in archive.keys()}  # noqa: SIM118
                facts = json.loads((archive.metadata() or {})["facts"])
            network = TreeGRU(facts["training"]["width"], facts["training"]["slots"])
            if facts["features"] != VERSION:
                found = f"features of version {facts['features']}, here is {VERSION}"
                raise PolyloopError(f"{path}: these weights are of {found}; train anew")
            network.load_state_dict(arrays)
        except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
            raise PolyloopError(f"{path}: these are no weights of a TreeGRU: {error}") from error
        return TreeGRUModel(network.eval(), facts)


def fit(examples: Examples, facts: Mapping[str, Any], training: Training | None = None, seed: int = 0) -> TreeGRUModel:
    """Train on pairs of one program's schedules in the wrong order, and on errors of seconds.

    Args:
        facts: of the data, which are kept beside the weights.
    """
    settings = training or Training()
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = TreeGRU(settings.width, settings.slots)
    rows = torch.from_numpy(examples.table.rows)
    network.centre.copy_(rows.mean(0))
    spread = rows.std(0)
    network.scale.copy_(spread.where(spread > 1e-3, torch.inf))  # nothing is learnt of what is the same everywhere
    batches = [_batch(examples, group) for group in np.unique(examples.groups)]
    optimizer = torch.optim.AdamW(network.parameters(), settings.rate, weight_decay=1e-2)
    steps = settings.epochs * -(-len(batches) // settings.programs)
    falling = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, max(1, steps))
    for _ in range(settings.epochs):
        for some in _drawn(batches, settings.programs, generator):
            optimizer.zero_grad()
            scores = network(torch.cat([batch.rows for batch in some])).split([len(batch.rows) for batch in some])
            parts = [_loss(batch, own, settings.seconds) for batch, own in zip(some, scores, strict=True)]
            torch.stack(parts).mean().backward()
            nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimizer.step()
            falling.step()
    return TreeGRUModel(network.eval(), {**facts, "features": VERSION, "training": asdict(settings), "seed": seed})


@dataclass(frozen=True, eq=False)
class _Batch:
    """Schedules of one program: figures of chains, log2 of the model's seconds, whose they are; measured ones."""

    rows: Tensor
    modelled: Tensor
    owners: Tensor
    measured: Tensor


def _batch(examples: Examples, group: int) -> _Batch:
    own = examples.some(np.flatnonzero(examples.groups == group))
    modelled, measured = np.log2(own.table.seconds), np.log2(own.seconds)
    return _Batch(
        torch.from_numpy(own.table.rows),
        torch.from_numpy(modelled.astype(np.float32)),
        torch.from_numpy(own.table.owners),
        torch.from_numpy(measured.astype(np.float32)),
    )


def _drawn(batches: list[_Batch], count: int, generator: torch.Generator) -> Iterator[list[_Batch]]:
    order = torch.randperm(len(batches), generator=generator).tolist()
    for start in range(0, len(order), count):
        yield [batches[k] for k in order[start : start + count]]


def _loss(batch: _Batch, scores: Tensor, seconds: float) -> Tensor:
    values = scores + batch.modelled
    said = torch.zeros_like(batch.measured)
    highest = values.max().detach()  # powers of two that neither vanish nor overflow
    said = (said.index_add(0, batch.owners, torch.exp2(values - highest)) + 1e-30).log2() + highest
    error = nn.functional.huber_loss(said, batch.measured)
    sign = (batch.measured[:, None] - batch.measured[None, :]).sign()
    pairs = nn.functional.softplus(-sign * (said[:, None] - said[None, :])) * sign.abs()
    return pairs.sum() / sign.abs().sum().clamp(min=1.0) + seconds * error
