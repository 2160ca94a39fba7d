"""Training: one of the learners, in some environments, until a limit; written down so that it can be resumed.

A run is a folder: `settings.json` (all that decides it), `curve.jsonl` (a line for every report), `checkpoint-N.*` (the
newest, after N steps of environments), and `policy.*`, which `polyloop.gnn.agent.Agent` loads.

Episodes begin anew at every checkpoint, with seeds that depend on the number of steps. So a PPO or A2C run that is
killed and resumed goes on to the bit as if it had not been (a DQN's replay memory is not kept, and the actors of Ape-X
and IMPALA are not deterministic). An interrupt or SIGTERM loses nothing: the iteration is brought to its end, and a
checkpoint written, before it takes effect.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from polyloop.errors import PolyloopError
from polyloop.gnn import checkpoints, schedule_imitation
from polyloop.gnn.a2c import A2C, A2CSettings
from polyloop.gnn.dagger import Dagger, DaggerSettings
from polyloop.gnn.data_parallel import DataParallel, PartnerSettings
from polyloop.gnn.dqn import DQN, ApeX, ApeXSettings, DQNSettings
from polyloop.gnn.encoders import EncoderSettings
from polyloop.gnn.environments import Environments, EnvironmentSettings
from polyloop.gnn.expert import Expert, ExpertSettings
from polyloop.gnn.held_out import HeldOut, validation
from polyloop.gnn.imitation import ImitationSettings, demonstrations, imitate
from polyloop.gnn.interrupts import held_signals
from polyloop.gnn.learner import Learner, Report
from polyloop.gnn.networks import HEADS, Network, NetworkSettings, heads_of
from polyloop.gnn.policies import ALGORITHMS, Algorithm
from polyloop.gnn.ppo import PPO, PPOSettings
from polyloop.gnn.rollouts import OnPolicy
from polyloop.gnn.vtrace import Impala, ImpalaSettings
from polyloop.measure.programs import ModelledPrograms
from polyloop.registration import CURSOR, CURSORS, SCHEDULE
from polyloop.support.collector import settled
from polyloop.support.files import write_atomically

_LEARNERS: Mapping[str, tuple[Any, Any]] = {
    "ppo": (PPO, PPOSettings),
    "a2c": (A2C, A2CSettings),
    "dqn": (DQN, DQNSettings),
    "apex": (ApeX, ApeXSettings),
    "impala": (Impala, ImpalaSettings),
    "expert": (Expert, ExpertSettings),
    "dagger": (Dagger, DaggerSettings),
}
"""Learners and their settings. Those with `actors` are given the environments' settings, the others environments."""


SHAPED = ("kind", "width", "layers")
"""Settings of encoders that say what weights there are."""

DISCOUNT = 0.98
"""Of learners where the value of what was cut off counts, unless their settings say another. With 1, a value could be
anything: nothing would ever be lost by putting off what it stands for."""


class TrainingError(PolyloopError):
    """Settings that no learner has, or a folder that is not a run; the message says which."""


@dataclass(frozen=True)
class TrainingSettings:
    """All that decides a run, but for how long it goes on.

    Attributes:
        learner: settings of the algorithm that differ from its own defaults, by name.
        rate_end: the learning rate falls to this share of itself, linearly, over `steps` of environments; without steps
            over the seconds that the run is given, so that two such runs are no longer the same to the bit.
        steps: of environments in a whole run; None leaves the end to the clock.
        checkpoint: steps between checkpoints.
        imitation: how a policy copies a search before it learns by itself; None for not at all.
        begin: a trained policy whose weights the run starts with, as `polyloop.gnn.checkpoints.load` takes it; actions
            that it does not know start afresh.
        held_out: cases that the policy's likeliest walks are tried on at every checkpoint, of Cursor-v1; `policy.*` is
            then the best that was met, not the newest. 0 for none.
        device: that the network computes on, as torch names it.
        workers: processes that learn as one (`polyloop.gnn.data_parallel`); they share the environments evenly.
    """

    environment: EnvironmentSettings
    algorithm: Algorithm = "ppo"
    encoder: EncoderSettings = field(default_factory=EncoderSettings)
    learner: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    rate_end: float = 1.0
    steps: int | None = None
    checkpoint: int = 10_000
    imitation: ImitationSettings | None = None
    begin: str | None = None
    held_out: int = 0
    device: str = "cpu"
    workers: int = 1

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> TrainingSettings:
        """Undo `to_json`.

        Raises:
            TrainingError: if it is something else.
        """
        try:
            environment = EnvironmentSettings(**document["environment"])
            environment = replace(environment, problems=tuple(environment.problems))
            encoder = EncoderSettings(**document["encoder"])
            encoder = replace(encoder, inputs=tuple(encoder.inputs))
            given = document.get("imitation")
            imitation = None if given is None else ImitationSettings(**given)
            changed = {"environment": environment, "encoder": encoder, "imitation": imitation}
            return cls(**{**document, **changed})
        except (KeyError, TypeError) as error:
            raise TrainingError(f"these are no training settings: {error}") from error


@dataclass(frozen=True)
class Progress:
    """What a run has come to.

    Attributes:
        steps, episodes: of environments, since the beginning of the run.
        seconds: spent, over all resumptions.
        mean_return: of the last 100 episodes; NaN before the first.
        held_out: what the policy gains on cases that no episode draws, as a share of the peak, where it was looked at.
        baselines: what `polyloop.gnn.held_out.BESIDE` gain there.
    """

    steps: int
    episodes: int
    seconds: float
    mean_return: float
    figures: Mapping[str, float]
    held_out: float | None = None
    baselines: Mapping[str, float] = field(default_factory=dict)


def train(
    settings: TrainingSettings,
    folder: Path,
    *,
    seconds: float = float("inf"),
    resume: bool = False,
    progress: Callable[[Progress], None] | None = None,
    board: TensorBoard | None = None,
    said: Callable[[str], None] | None = None,
) -> Progress:
    """Train until the steps of the settings or the seconds are used up, whichever comes first.

    Args:
        folder: of the run; made if need be.
        seconds: of this call; a resumed run gets as many again.
        resume: go on from the newest checkpoint; the settings must be the run's.
        progress: is told about every iteration, as the board is.
        said: is told in words what happens before the first.
    Returns:
        What it has come to; the policy lies in the folder.
    Raises:
        TrainingError: if the folder holds a run and is not to be resumed, or holds another than is to be resumed.
        KeyboardInterrupt: after an interrupt, once the iteration is over and written down; at once after a second.
    """
    torch.set_num_threads(1)
    _open_folder(settings, folder, resume)
    learner = _learner(settings)
    run = _Run(settings, folder, learner)
    try:
        if resume:
            run.restore()
        if settings.begin is not None and run.steps == 0:
            _begin_with(settings, learner, Path(settings.begin))
        if settings.imitation is not None and run.steps == 0:
            _imitate(settings, learner, settings.imitation, said)
            run.begin()
        listeners = [listener for listener in (progress, board) if listener is not None]
        with settled():
            return run.go_on(seconds, listeners)
    finally:
        learner.close()


def read_settings(folder: Path) -> TrainingSettings:
    """The settings of a run.

    Raises:
        TrainingError: if the folder holds none.
    """
    try:
        return TrainingSettings.from_json(json.loads((folder / "settings.json").read_text()))
    except (OSError, ValueError, TrainingError) as error:
        raise TrainingError(f"{folder} holds no training run: {error}") from error


def _is_of_a_run(folder: Path) -> bool:
    """Whether the settings in a folder are those of a run."""
    try:
        read_settings(folder)
    except TrainingError:
        return False
    return True


class TensorBoard:
    """Writes the curves of a run into its folder, in TensorBoard's format.

    Raises:
        TrainingError: if tensorboard is not installed.
    """

    def __init__(self, folder: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise TrainingError("this needs tensorboard; pip install 'polyloop[gnn]'") from error
        self._writer = SummaryWriter(str(folder / "tensorboard"))

    def __call__(self, now: Progress) -> None:
        figures = {"return": now.mean_return, **now.figures}
        if now.held_out is not None:
            figures |= {"held_out": now.held_out} | {f"held_out/{name}": gain for name, gain in now.baselines.items()}
        for name, value in figures.items():
            self._writer.add_scalar(name, value, now.steps)


class _Run:
    """A run in progress."""

    def __init__(self, settings: TrainingSettings, folder: Path, learner: Learner) -> None:
        self.settings, self.folder, self.learner = settings, folder, learner
        self.steps = self.episodes = 0
        self.spent = 0.0
        self.recent: deque[float] = deque(maxlen=100)
        self.held_out = _held_out(settings)
        self.best: float | None = None
        self.gain: float | None = None

    def begin(self) -> None:
        """Write down what the network has been given before the first step."""
        self.write()
        self._begin_episodes()

    def restore(self) -> None:
        """Go back to the newest checkpoint; without one, the run begins.

        Raises:
            TrainingError: if there are some, and none can be read: what was learnt is not thrown away unasked.
        """
        path = newest_checkpoint(self.folder)
        if path is None:
            # What was cut off while it was written has no description yet.
            if damaged := [path for path in _checkpoints(self.folder) if path.with_suffix(".json").exists()]:
                raise TrainingError(
                    f"{damaged[-1]}: this checkpoint is damaged, and there is no other: put back a copy, or remove it "
                    "to begin the run anew"
                )
            return
        tensors, numbers = checkpoints.load(path)
        self.learner.load(tensors, numbers["learner"])
        self.steps, self.episodes, self.spent = numbers["steps"], numbers["episodes"], numbers["seconds"]
        self.recent.extend(numbers["recent"])
        self.best = numbers.get("best")
        self._begin_episodes()
        _cut(self.folder / "curve.jsonl", self.steps)

    def go_on(self, seconds: float, listeners: Sequence[Callable[[Progress], None]]) -> Progress:
        began, before, next_checkpoint = time.monotonic(), self.spent, self._next_checkpoint()
        now = self._progress({})
        limit = self.settings.steps if self.settings.steps is not None else float("inf")
        with held_signals() as held, (self.folder / "curve.jsonl").open("a", buffering=1) as curve:
            while self.steps < limit and time.monotonic() - began < seconds and not held:
                share = self._share(before + time.monotonic() - began, before + seconds)
                self.learner.anneal(share, self.settings.rate_end)
                try:
                    report = self.learner.iterate()
                except (KeyboardInterrupt, EOFError, OSError, PolyloopError):
                    if not held:
                        raise
                    break  # from a terminal, an interrupt goes to the processes of environments and actors, too
                self._count(report)
                self.spent = before + time.monotonic() - began
                due = self.steps >= next_checkpoint
                if due:
                    self._look()
                now = self._progress(report.figures)
                curve.write(json.dumps(_finite(asdict(now))) + "\n")
                for listener in listeners:
                    listener(now)
                if due:
                    self.write()
                    self.gain = None
                    self._begin_episodes()
                    next_checkpoint = self._next_checkpoint()
            if not held:
                self._look()
            self.write()
        beside = now.baselines if self.held_out is None else self.held_out.baselines
        return replace(now, held_out=self.best, baselines=beside)

    def _look(self) -> None:
        """Try the policy on the cases that are held out."""
        self.gain = None if self.held_out is None else self.held_out.gain(self.learner.network)

    def write(self) -> None:
        """A checkpoint and the policy; older checkpoints go."""
        older = [path for path in _checkpoints(self.folder) if path.name != f"checkpoint-{self.steps}"]
        numbers = {
            "steps": self.steps,
            "episodes": self.episodes,
            "seconds": self.spent,
            "recent": list(self.recent),
            "best": self._best(),
            "learner": self.learner.numbers(),
        }
        checkpoints.save(self.folder / f"checkpoint-{self.steps}", self.learner.tensors(), numbers)
        for path in older:
            checkpoints.remove(path)
        if self.best is not None and (self.gain is None or self.gain <= self.best):
            return  # the policy's files are of a better one, or (where an interrupt left no time to look) of one known
        self.best = self._best()
        description = {
            "network": asdict(self.learner.network.settings),
            "training": self.settings.to_json(),
            "temperature": self.learner.temperature,
            "steps": self.steps,
            "seconds": round(self.spent, 1),
            "mean_return": self._progress({}).mean_return if self.recent else None,
        }
        if self.held_out is not None and self.gain is not None:
            description |= {"held_out": self.gain, "baselines": self.held_out.baselines}
        checkpoints.save(self.folder / "policy", dict(self.learner.network.state_dict()), description)

    def _best(self) -> float | None:
        """What the best policy so far gains where it was looked at."""
        return max((gain for gain in (self.best, self.gain) if gain is not None), default=None)

    def _begin_episodes(self) -> None:
        seeds = np.random.SeedSequence([self.settings.seed, self.steps]).generate_state(1)
        self.learner.begin_episodes(int(seeds[0]))

    def _next_checkpoint(self) -> int:
        return (self.steps // self.settings.checkpoint + 1) * self.settings.checkpoint

    def _share(self, spent: float, seconds: float) -> float:
        """How much of the run is over: by its steps, else by its seconds."""
        steps = self.settings.steps
        return min(spent / seconds if steps is None else self.steps / steps, 1.0)

    def _count(self, report: Report) -> None:
        self.steps += report.steps
        self.episodes += len(report.returns)
        self.recent.extend(report.returns)

    def _progress(self, figures: Mapping[str, float]) -> Progress:
        mean = float(np.mean(self.recent)) if self.recent else float("nan")
        beside = self.held_out.baselines if self.held_out is not None and self.gain is not None else {}
        return Progress(self.steps, self.episodes, self.spent, mean, figures, self.gain, beside)


def _held_out(settings: TrainingSettings) -> HeldOut | None:
    """Raises:
    TrainingError: if there is nothing to hold out.
    """
    if not settings.held_out:
        return None
    drawn = next((problem for problem in settings.environment.problems if "split" in problem), None)
    if drawn is None:
        raise TrainingError("held_out: only problems of a split have others like them; see polyloop.shipped.families")
    return validation(drawn["split"], drawn.get("seed", 0), settings.held_out, settings.environment)


def newest_checkpoint(folder: Path) -> Path | None:
    """The newest checkpoint of a run that is whole, without its suffix."""
    for path in sorted(_checkpoints(folder), key=lambda path: -int(path.name.split("-")[1])):
        try:
            checkpoints.load(path)
        except checkpoints.CheckpointError:
            continue  # cut off while it was written: the one before is still there
        return path
    return None


def _checkpoints(folder: Path) -> list[Path]:
    return [path.with_suffix("") for path in folder.glob("checkpoint-*.safetensors")]


def _learner(settings: TrainingSettings) -> Learner:
    kind, kinds_settings = _LEARNERS[settings.algorithm]
    _check_learner(settings.algorithm, kinds_settings, settings.learner)
    chosen = kinds_settings(**_with_end(settings))
    # Actors make environments of their own: here one shows what it is like, and none is stepped.
    alone = hasattr(chosen, "actors")
    shared = _share(settings, kind)
    shown = replace(settings.environment, count=1, processes=False) if alone else shared
    environments = Environments(shown)
    try:
        torch.manual_seed(settings.seed)
        network = Network(network_settings(settings, environments)).to(_device(settings.device))
        if not alone:
            stepping: Learner = kind(network, environments, chosen, settings.seed)
            if settings.workers > 1:
                partner = PartnerSettings(kind, network.settings, shared, chosen)
                return DataParallel(cast(OnPolicy, stepping), partner, settings.workers, settings.seed)
            return stepping
    except BaseException:
        environments.close()
        raise
    environments.close()
    acting: Learner = kind(network, settings.environment, chosen, settings.seed)
    return acting


def _share(settings: TrainingSettings, kind: Any) -> EnvironmentSettings:
    """The environments of each process that learns.

    Raises:
        TrainingError: if they cannot be shared evenly, or the algorithm does not learn in several processes.
    """
    workers, count = settings.workers, settings.environment.count
    if workers > 1 and not issubclass(kind, OnPolicy):
        raise TrainingError(f"workers={workers}: {settings.algorithm} learns in one process")
    if count % workers:
        raise TrainingError(f"workers={workers}: {count} environments cannot be shared evenly")
    return replace(settings.environment, count=count // workers)


def _device(name: str) -> torch.device:
    """Raises:
    TrainingError: for a device that torch does not have here.
    """
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, ValueError) as error:
        raise TrainingError(f"device={name!r}: {str(error).splitlines()[0]}") from error
    return device


def _with_end(settings: TrainingSettings) -> dict[str, Any]:
    """The learner's settings; where values behind a limit of steps count, nothing else lets them come to an end."""
    return ({"discount": DISCOUNT} if settings.environment.bootstraps else {}) | dict(settings.learner)


_SHARES = ("discount", "smoothing", "epsilon", "epsilon_end", "curious", "astray", "written")


def _check_learner(algorithm: str, kind: Any, given: Mapping[str, Any]) -> None:
    """Raises:
    TrainingError: for a setting that the algorithm does not have, or a value that it cannot have.
    """
    defaults = {entry.name: entry.default for entry in fields(kind)}
    if unknown := sorted(set(given) - set(defaults)):
        raise TrainingError(f"{algorithm} has no setting {', '.join(unknown)}; there are {', '.join(defaults)}")
    for name, value in given.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if isinstance(defaults[name], int):
            fits, words = isinstance(value, int) and number and value >= 1, "a whole number from 1 on"
        elif name in _SHARES:
            fits, words = number and 0 <= value <= 1, "a number from 0 to 1"
        else:
            fits, words = number and 0 <= value < float("inf"), "a number from 0 on"
        if not fits:
            raise TrainingError(f"{algorithm}: {name}={value!r} has to be {words}")


def _begin_with(settings: TrainingSettings, learner: Learner, path: Path) -> None:
    """Take over a policy's weights; where episodes of the cursor have other actions now, of those that both know."""
    tensors, description = checkpoints.load(path / "policy" if path.is_dir() else path)
    fresh = learner.network.state_dict()
    try:
        if settings.environment.id in CURSORS:
            before = TrainingSettings.from_json(description["training"]).environment.cursor_actions.names
            after = settings.environment.cursor_actions.names
            known = [(after.index(name), before.index(name)) for name in after if name in before]
            for name in (f"heads.{HEADS[settings.environment.id]}.2.{part}" for part in ("weight", "bias")):
                taken = fresh[name].clone()
                for new, old in known:
                    taken[new] = tensors[name][old]
                tensors[name] = taken
        learner.network.load_state_dict(tensors)
    except (RuntimeError, KeyError, IndexError) as error:
        theirs = description.get("network", {}).get("encoder", {})
        ours = asdict(settings.encoder)
        pairs = [(name, theirs.get(name), ours[name]) for name in SHAPED]
        differs = [f"{name}={before!r}, not {now!r}" for name, before, now in pairs if before != now]
        why = "; ".join(differs) or str(error).splitlines()[0]
        raise TrainingError(f"{path} holds a network of another form than this run's: {why}") from error
    learner.began_anew()


def _imitate(
    settings: TrainingSettings, learner: Learner, imitation: ImitationSettings, said: Callable[[str], None] | None
) -> None:
    environment = settings.environment
    if environment.id == SCHEDULE and imitation.traces is not None:
        kernels = [str(problem["kernel"]) for problem in environment.problems]
        examples = schedule_imitation.demonstrations(environment, Path(imitation.traces), kernels, said)
    elif environment.id == CURSOR and imitation.traces is None and environment.problems:
        examples = demonstrations(environment, ModelledPrograms(), imitation, settings.seed, said)
    else:
        raise TrainingError(f"imitation is for {CURSOR} with sets of workloads, and for {SCHEDULE} with traces")
    share = imitate(learner.network, examples, imitation.epochs, seed=settings.seed)
    learner.began_anew()
    if said is not None:
        said(f"{len(examples)} examples, {100 * share:.1f}% of them learnt")


def network_settings(settings: TrainingSettings, environments: Environments) -> NetworkSettings:
    """The network that fits the environments: its heads, and the size of its input for a vector encoder."""
    encoder = settings.encoder
    if encoder.kind in ("vector", "rows", "attention"):
        encoder = replace(encoder, inputs=environments.inputs)
    encoder = replace(encoder, context=environments.context)
    return NetworkSettings(encoder, heads_of(settings.environment.id, environments.actions))


def _open_folder(settings: TrainingSettings, folder: Path, resume: bool) -> None:
    if settings.algorithm not in ALGORITHMS:
        raise TrainingError(f"algorithm {settings.algorithm!r}: there are {', '.join(ALGORITHMS)}")
    file = folder / "settings.json"
    text = json.dumps(settings.to_json(), indent=2) + "\n"
    if resume:
        if json.loads(text) != json.loads(json.dumps(read_settings(folder).to_json())):
            raise TrainingError(f"{folder} holds a run with other settings; see {file}")
        return
    # What has not come to a report or a checkpoint has said what was wrong with it, and may be begun anew.
    if file.exists() and ((folder / "curve.jsonl").exists() or newest_checkpoint(folder) is not None):
        raise TrainingError(f"{folder} holds a training run already: resume it, or choose another folder")
    for name in ("settings.json", "curve.jsonl", "policy.json", "policy.safetensors"):
        if (folder / name).exists() and not (name == file.name and _is_of_a_run(folder)):
            raise TrainingError(f"{folder / name} is no training run's, and would be lost: choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(file, text)
    except OSError as error:
        raise TrainingError(f"{folder} cannot be made the folder of a run: {error.strerror}") from error


def _cut(curve: Path, steps: int) -> None:
    """Drop what a run had reported behind its last checkpoint: it is done again."""
    if not curve.exists():
        return
    lines = [line for line in curve.read_text().splitlines() if _steps(line) <= steps]
    write_atomically(curve, "".join(line + "\n" for line in lines))


def _steps(line: str) -> float:
    try:
        return float(json.loads(line)["steps"])
    except (ValueError, KeyError):
        return float("inf")  # the run was ended in the middle of a line


def _finite(document: dict[str, Any]) -> dict[str, Any]:
    mean = document["mean_return"]
    return document | {"mean_return": None if mean != mean else mean}
