"""The options of ``polyloop train`` and ``polyloop evaluate``. As all options, they load nothing large."""

from __future__ import annotations

import argparse

from polyloop.gnn.policies import ALGORITHMS
from polyloop.registration import CURSOR, SCHEDULE
from polyloop.terminal.learning import ENCODERS, SHIPPED
from polyloop.terminal.option_types import count, minutes, natural, option, seconds, share


def add_train_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``polyloop train``."""
    _add_what_is_learnt(parser.add_argument_group("what is learnt"))
    _add_how(parser.add_argument_group("how"))
    end = parser.add_argument_group("when it ends")
    option(end, "--minutes X", "of this call (default: until --steps)", type=minutes)
    option(end, "--steps N", "of environments", type=natural)
    where = parser.add_argument_group("where it is kept")
    option(where, "-o --output DIR", "the run's folder (default: runs/ALGO-SEED)")
    option(where, "--resume DIR", "go on with a run, whose settings stay")
    option(where, "--tensorboard", "write TensorBoard's files there, too")


def _add_what_is_learnt(what: argparse._ArgumentGroup) -> None:
    option(what, "--env ID", f"default {CURSOR}", default=CURSOR)
    option(
        what,
        "--set NAME[,...]",
        "sets of workloads to train on, without those held out for tests (default: LoopTune's products)",
    )
    option(what, "--hold-out NAME[,...]", "sets of workloads that are not trained on either")
    option(
        what,
        "--split NAME[,...]",
        "of Cursor-v1: problems of many families on six machines, but for those that the split holds out: "
        "family, family-0..3, machine, machine-NAME; a name that stands twice is drawn as often "
        "(default: family --each 100 --drawn 2000 --machine random)",
    )
    option(what, "--each N", "problems of each family in a --split (default 4)", type=count)
    option(what, "--drawn N", "N programs of no family, in layouts of every kind", type=count)
    option(
        what,
        "--machine NAME",
        "of Cursor-v1: all problems for this machine; random: another one, drawn, in every episode",
    )
    option(what, "--kernels NAME[,...]", "kernels to train on, or all")
    option(what, "--fold N", "without the five kernels of fold N, 0 to 5", type=natural)
    what.add_argument("--evaluator", default="model", help="model (default), worker or inprocess")
    option(what, "--reward NAME", "the environment's reward (default: its own)")
    option(what, "--argument NAME=VALUE", "of the environment; VALUE is JSON", action="append", default=[])


def _add_how(how: argparse._ArgumentGroup) -> None:
    option(how, "--algo", "default ppo", choices=ALGORITHMS, default="ppo")
    option(
        how, "--encoder", "of graphs, or vector, or rows (default transformer, of schedules gatv2)", choices=ENCODERS
    )
    option(how, "--width N", "of the embeddings (default 64)", type=count, default=64)
    option(how, "--layers N", "default 3", type=count, default=3)
    option(how, "--no-edges", "cut the graph's edges, for an ablation")
    option(how, "--setting NAME=VALUE", "of the algorithm: rate=0.001, steps=40", action="append", default=[])
    option(
        how,
        "--imitate N",
        "copy what a search finds on N of the workloads by the model, before learning by trial",
        type=count,
    )
    option(
        how,
        "--layouts",
        "with --imitate: copy good nests, written down at once for ten times as many workloads; nothing searches",
    )
    option(
        how,
        "--traces FILE",
        "of Schedule-v0: copy the best walks that polyloop bench polygym --resume FILE has measured",
    )
    option(how, "--begin DIR", "start with the weights of another run of the same encoder")
    option(how, "--rate-end X", "the rate falls to X of itself by the end (0.1)", type=share, default=0.1)
    option(
        how,
        "--bootstrap",
        "an episode's limit of steps only cuts it off: values behind it count (default: but in Cursor-v0, and where "
        "returns are of the best)",
        action=argparse.BooleanOptionalAction,
    )
    option(
        how,
        "--validate N",
        "of Cursor-v1: try the policy on N other problems at every checkpoint, and keep the best (default 32)",
        type=natural,
        default=32,
    )
    option(
        how,
        "--checkpoint N",
        "steps between checkpoints (default 10000); a line says what the run has come to, unless a terminal shows it",
        type=count,
        default=10_000,
    )
    option(how, "--device NAME", "that the network computes on (default cpu)", default="cpu")
    option(
        how,
        "--restarts X",
        "the share of episodes that begin where an earlier one has been (default 0)",
        type=share,
        default=0.0,
    )
    option(how, "--row N", "episodes of a problem before the next is drawn (default 4)", type=count, default=4)
    option(how, "--environments N", "stepped together (default 16)", type=count, default=16)
    option(how, "--processes", "a process for each environment")
    option(
        how,
        "--workers N",
        "of ppo and a2c: processes that learn as one, each in its share of the environments (default: one a core, if "
        "each gets eight environments)",
        type=count,
    )
    option(how, "--seed N", "default 0", type=natural, default=0)


def add_evaluate_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``polyloop evaluate``."""
    option(parser, "--policy DIR", "a run's folder, or shipped (default)", default=SHIPPED)
    option(
        parser,
        "--set NAME",
        "looptune-test (default: the products held out), another set of workloads, or names of workloads",
        default="looptune-test",
    )
    option(
        parser,
        "--split NAME",
        "instead of --set: the held-out problems of many families on six machines, by their models: family, "
        "family-0..3, machine, machine-NAME; --against then names baselines (untuned, constant, random-50, greedy, "
        "beam-4, beam-16, teacher)",
    )
    option(parser, "--env ID", f"what the policy was trained in; of the shipped ones {CURSOR} (default) or {SCHEDULE}")
    option(parser, "--kernels NAME[,...]", "kernels to schedule (default: those held out), or all")
    option(parser, "--fold N", "the five kernels of fold N, 0 to 5", type=natural)
    option(
        parser,
        "--walks N",
        "how wide a search is that a cursor's policy leads: twice as many states are looked at in each round; "
        "the model corrects what was met, and chooses (default 8, with --split 1); 0: where the likeliest walk ends",
        type=natural,
    )
    option(parser, "--proposals N", "schedules for a kernel (default 10)", type=count, default=10)
    option(
        parser,
        "--post-processing",
        "what all schedules get, isl's too: tiles and vectors (shapes, default) or nothing",
        choices=("none", "shapes"),
        default="shapes",
    )
    option(
        parser,
        "--pool N",
        "walks of a schedule policy that the cost model orders; 1 (default) proposes the likeliest first",
        type=count,
        default=1,
    )
    option(parser, "--limit N", "take N problems, chosen by --seed", type=count)
    option(parser, "--seed N", "default 0", type=natural, default=0)
    option(
        parser,
        "--against NAME[,...]",
        "searches beside a cursor's policy: policy-rollouts and policy-mcts, which it guides, greedy1, ...; "
        "'' for none (default beam-dfs4,scripted,policy-rollouts)",
    )
    option(parser, "--compared N", "problems that the searches run on, too (default 25)", type=natural, default=25)
    option(parser, "--budget TIME", "of each search (default 1s)", type=seconds, default=1.0)
    option(parser, "--json FILE", "write all rows and the summary; - for standard output")
