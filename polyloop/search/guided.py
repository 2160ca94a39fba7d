"""A search that a learned cost model guides: it proposes, the machine measures, the model learns.

Many chains of simulated annealing walk a space with the model's score as their energy, and are drawn anew by it before
every step; the best of their states are kept from round to round. What they walk through, nests under a cursor or whole
schedules, is for `Moves` to say. Of what they meet, a batch is chosen that promises much and has many different loops,
a few random ones beside it, and measured. Then f = f_global + f_local: the shipped trees, and trees that learn here
what those do not know. A round's steps grow, so that a short budget measures soon and a long one walks far.

References:
    Chen et al., "Learning to Optimize Tensor Programs", NeurIPS 2018, algorithm 1 and section 3: 128 chains there, each
    by itself. Del Moral, Doucet and Jasra, "Sequential Monte Carlo samplers", 2006, for chains that are drawn anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from math import log2
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from polyloop.models.features import Figures, Table
from polyloop.models.forest import Forest, Scores, WeightsError
from polyloop.models.learned import mean, shipped_weights
from polyloop.models.training import Examples, Settings, train
from polyloop.search.run import Place, Run

LOCAL = Settings(trees=60, depth=5, leaves=12, rate=0.15, least=3, share=0.7)
"""Of the trees that learn what is measured here: few rows, many times."""
FAILED = 3.0
"""What does not run counts as so many times twice as slow as the slowest."""
ISLAND = 8
"""Chains that are drawn anew among each other, about."""
SHORT = 2
"""Rounds at first that are shorter, and measure less: there is something to show soon."""
KEPT = 1 << 15
"""Chains of loops whose figures are remembered at most: with the programs 70 MB of nests, 230 MB of trees."""
HOT, COLD = 1.0, 0.05
"""Temperatures at the beginning and the end of a round, in log2 of seconds."""


class Moves(Protocol):
    """What a guided search walks through: things that can be hashed, that a model sees and that have values."""

    def beginning(self, run: Run[Any]) -> Sequence[Any]:
        """What is measured first, and what chains start from."""

    def drawn(self, run: Run[Any]) -> Any:
        """A random one."""

    def neighbour(self, thing: Any, run: Run[Any]) -> Any:
        """One that differs a little; the same where that is hard to find."""

    def figures(self, thing: Any) -> Figures:
        """What models see of it."""

    def parts(self, thing: Any) -> frozenset[Any]:
        """What it is made of: batches are to have many different ones."""

    def place(self, thing: Any, number: int, run: Run[Any]) -> Place[Any]:
        """Where it stands; `number` counts what has been asked for."""


@dataclass(frozen=True)
class Guided:
    """The search.

    Attributes:
        chains, steps: how many, and the most steps of a round; `first`: of the first round, from which on they double
            in the `SHORT` short ones.
        batch: programs that are measured in a round; `random`: the share of them that is drawn at random.
        pool: so many times a batch are the best that the batch is chosen of; `diversity`: what a loop that no other of
            the batch has is worth, in log2 of seconds.
        transfer: the shipped trees are asked; else all is learnt here.
    """

    moves: Moves = field(compare=False, repr=False)
    chains: int = 48
    steps: int = 500
    first: int = 3
    batch: int = 8
    random: float = 0.1
    pool: int = 16
    diversity: float = 0.05
    transfer: bool = True
    name: str = "model"

    def explore(self, run: Run[Any]) -> None:
        """See `polyloop.search.run.Method`."""
        Explorer(self, run).explore()


@dataclass
class Explorer:
    """What a run of the search remembers."""

    method: Guided
    run: Run[Any]
    rows: dict[Any, Figures] = field(default_factory=dict)
    kept: int = 0
    scores: dict[Any, float] = field(default_factory=dict)
    values: dict[Any, float] = field(default_factory=dict)
    local: Forest | None = None
    centre: float = 0.0
    numbers: Any = field(default_factory=count)

    def __post_init__(self) -> None:
        self.moves, self.random = self.method.moves, self.run.random
        self.shared = _shared() if self.method.transfer else ()

    def explore(self) -> None:
        for thing in self.moves.beginning(self.run):
            self.measure(thing)
        chains: list[Any] = []
        for number in count():
            steps = self.method.first * 2 ** min(number, SHORT) + number // 2 + int(1.15**number) - 1
            batch = max(1, self.method.batch >> max(0, SHORT - number))
            chains, met = self.annealed(self.started(chains), min(self.method.steps, steps))
            chosen = self.chosen(met, batch)
            more = max(batch - len(chosen), round(self.method.random * batch))
            before = len(self.values)
            for program in (*chosen, *(self.moves.drawn(self.run) for _ in range(more))):
                self.measure(program)
            if len(self.values) == before:
                drawn = dict.fromkeys(self.moves.drawn(self.run) for _ in range(4 * self.method.chains))
                if not (new := [program for program in drawn if program not in self.values]):
                    return  # a small space, all of it measured
                for program in new[: self.method.batch]:
                    self.measure(program)
            self.learn()

    # --- walking ------------------------------------------------------------------------------------------------------

    def started(self, chains: Sequence[Any]) -> list[Any]:
        """What chains of a round start from: where different ones of the last have ended, the fastest that are known,
        and random ones, half of all at least."""
        fastest = sorted(self.values, key=self.values.__getitem__, reverse=True)
        known = list(dict.fromkeys((*fastest[: self.method.chains // 4], *chains)))[: self.method.chains // 2]
        return known + [self.moves.drawn(self.run) for _ in range(self.method.chains - len(known))]

    def annealed(self, chains: list[Any], steps: int) -> tuple[list[Any], list[Any]]:
        """Where the chains stand after some steps, and all that was met and is not measured.

        Before every step the chains are drawn anew, each as often as its energy is likely at the step's temperature:
        those that stand badly go on from where others stand.
        """
        energies = self.predicted(chains)
        met = dict.fromkeys(chains)
        for step in range(steps):
            self.run.check_time()
            temperature = HOT * (COLD / HOT) ** (step / max(1, steps - 1))
            at = self.resampled(energies / temperature)
            chains, energies = [chains[k] for k in at], energies[at]
            proposals = [self.moves.neighbour(program, self.run) for program in chains]
            proposed = self.predicted(proposals)
            taken = self.random.random(len(chains)) < np.exp(np.minimum(0.0, (energies - proposed) / temperature))
            chains = [new if take else old for new, old, take in zip(proposals, chains, taken, strict=True)]
            energies = np.where(taken, proposed, energies)
            met.update(dict.fromkeys(proposals))
        return chains, [program for program in met if program not in self.values]

    def resampled(self, energies: Scores) -> NDArray[np.int64]:
        """As many positions as there are, each about as often as it is likely (systematic resampling), among those of
        its island: what is far better than all others is not all that is left."""
        found = []
        for island in np.array_split(np.arange(len(energies)), max(1, len(energies) // ISLAND)):
            ends = np.cumsum(np.exp(energies[island].min() - energies[island]))
            drawn = (np.arange(len(island)) + self.random.random()) / len(island) * ends[-1]
            found.append(island[np.minimum(np.searchsorted(ends, drawn), len(island) - 1)])
        return np.concatenate(found)

    # --- the model ----------------------------------------------------------------------------------------------------

    def figures(self, program: Any) -> Figures:
        """Features and the analytic model's seconds, remembered."""
        known = self.rows.get(program)
        if known is None:
            known = self.moves.figures(program)
            self.kept += len(known.rows)
            if self.kept > KEPT:
                self.rows.clear()
                self.kept = len(known.rows)
            self.rows[program] = known
        return known

    def predicted(self, programs: Sequence[Any]) -> Scores:
        """What is to be small, in log2 of seconds; remembered until the model learns."""
        missing = list(dict.fromkeys(p for p in programs if p not in self.scores))
        if missing:
            self.scores.update(zip(missing, self.wanted(missing).tolist(), strict=True))
        return np.array([self.scores[program] for program in programs])

    def wanted(self, programs: Sequence[Any]) -> Scores:
        table = self.table(programs)
        return table.logs if self.local is None else table.times(self.local.scores(table.rows)).logs

    def table(self, programs: Sequence[Any]) -> Table:
        """What is known before anything is learnt here: figures, and seconds as the shipped trees correct them."""
        table = Table.of([self.figures(p) for p in programs])
        return table.times(mean(self.shared, table))

    def learn(self) -> None:
        """Fit the local trees to all that is measured."""
        programs = list(self.values)
        costs = np.array([self.cost(value) for value in self.values.values()])
        table = self.table(programs)
        self.centre = float(np.median(costs - table.logs))
        self.scores.clear()
        if len(programs) < 6:
            return
        examples = Examples(table, np.exp2(costs - self.centre), np.zeros(len(programs), np.int64))
        self.local = train(examples, "seconds", LOCAL)

    def cost(self, value: float) -> float:
        """log2 of seconds but for a constant, of a value that is the larger, the faster."""
        known = [v for v in self.values.values() if v > 0]
        if value > 0 or not known:
            return -log2(value) if value > 0 else 0.0
        return FAILED - log2(min(known))

    # --- measuring ----------------------------------------------------------------------------------------------------

    def measure(self, program: Any) -> None:
        """Ask for a program's value; once, as all that follows knows it."""
        if program in self.values:
            return
        self.values[program] = self.run.value(self.moves.place(program, next(self.numbers), self.run))

    def chosen(self, met: Sequence[Any], size: int) -> list[Any]:
        """A batch of what was met: greedily the most of -score + diversity * (loops that no other one has). Of those
        that the model cannot tell apart, one.

        The sum is submodular, so that the greedy choice is worth 1 - 1/e of the best at least.
        """
        batch = size - round(self.method.random * size)
        scores = self.predicted(met) if met else np.zeros(0)
        known = np.isin(scores, self.predicted(list(self.values)))
        _, first = np.unique(scores, return_index=True)  # by score
        best = first[~known[first]][: self.method.pool * batch]
        left = {int(k): self.moves.parts(met[int(k)]) for k in best}
        found: list[Any] = []
        covered: set[Any] = set()
        while left and len(found) < batch:
            at = max(left, key=lambda k: (-scores[k] + self.method.diversity * len(left[k] - covered), -k))
            covered |= left.pop(at)
            found.append(met[at])
        return found


def _shared() -> tuple[Forest, ...]:
    """The shipped trees of seconds; none where none are shipped."""
    try:
        return shipped_weights().ensemble("seconds")
    except WeightsError:
        return ()
