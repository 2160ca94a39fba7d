"""The options of ``polyloop train`` and ``polyloop evaluate``. As all options, they load nothing large."""

from __future__ import annotations

import argparse

from polyloop.gnn.policies import ALGORITHMS
from polyloop.registration import CURSOR, SCHEDULE
from polyloop.terminal.learning import ENCODERS, SHIPPED
from polyloop.terminal.option_types import count, minutes, natural, seconds, share


def add_train_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``polyloop train``."""
    _add_what_is_learnt(parser.add_argument_group("what is learnt"))
    _add_how(parser.add_argument_group("how"))
    end = parser.add_argument_group("when it ends")
    end.add_argument("--minutes", metavar="X", type=minutes, help="of this call (default: until --steps)")
    end.add_argument("--steps", metavar="N", type=natural, help="of environments")
    where = parser.add_argument_group("where it is kept")
    where.add_argument("-o", "--output", metavar="DIR", help="the run's folder (default: runs/ALGO-SEED)")
    where.add_argument("--resume", metavar="DIR", help="go on with a run, whose settings stay")
    where.add_argument("--tensorboard", action="store_true", help="write TensorBoard's files there, too")


def _add_what_is_learnt(what: argparse._ArgumentGroup) -> None:
    what.add_argument("--env", metavar="ID", default=CURSOR, help=f"default {CURSOR}")
    what.add_argument(
        "--set",
        metavar="NAME[,...]",
        help="sets of workloads to train on, without those held out for tests (default: LoopTune's products)",
    )
    what.add_argument("--hold-out", metavar="NAME[,...]", help="sets of workloads that are not trained on either")
    what.add_argument(
        "--split",
        metavar="NAME[,...]",
        help="of Cursor-v1: problems of many families on six machines, but for those that the split holds out: "
        "family, family-0..3, machine, machine-NAME (default: family); a name that stands twice is drawn as often",
    )
    what.add_argument("--each", metavar="N", type=count, help="problems of each family in a --split (default 4)")
    what.add_argument("--drawn", metavar="N", type=count, help="N programs of no family, in layouts of every kind")
    what.add_argument(
        "--machine",
        metavar="NAME",
        help="of Cursor-v1: all problems for this machine; random: another one, drawn, in every episode",
    )
    what.add_argument("--kernels", metavar="NAME[,...]", help="kernels to train on, or all")
    what.add_argument("--fold", metavar="N", type=natural, help="without the five kernels of fold N, 0 to 5")
    what.add_argument("--evaluator", default="model", help="model (default), worker or inprocess")
    what.add_argument("--reward", metavar="NAME", help="the environment's reward (default: its own)")
    what.add_argument(
        "--argument", metavar="NAME=VALUE", action="append", default=[], help="of the environment; VALUE is JSON"
    )


def _add_how(how: argparse._ArgumentGroup) -> None:
    how.add_argument("--algo", choices=ALGORITHMS, default="ppo", help="default ppo")
    how.add_argument(
        "--encoder", choices=ENCODERS, default="gatv2", help="of graphs, or vector, or rows (default gatv2)"
    )
    how.add_argument("--width", metavar="N", type=count, default=64, help="of the embeddings (default 64)")
    how.add_argument("--layers", metavar="N", type=count, default=3, help="default 3")
    how.add_argument("--no-edges", action="store_true", help="cut the graph's edges, for an ablation")
    how.add_argument(
        "--setting", metavar="NAME=VALUE", action="append", default=[], help="of the algorithm: rate=0.001, steps=40"
    )
    how.add_argument(
        "--imitate",
        metavar="N",
        type=count,
        help="copy what a search finds on N of the workloads by the model, before learning by trial",
    )
    how.add_argument(
        "--layouts",
        action="store_true",
        help="with --imitate: copy good nests, written down at once for ten times as many workloads; nothing searches",
    )
    how.add_argument(
        "--traces",
        metavar="FILE",
        help="of Schedule-v0: copy the best walks that polyloop bench polygym --resume FILE has measured",
    )
    how.add_argument("--begin", metavar="DIR", help="start with the weights of another run of the same encoder")
    how.add_argument(
        "--rate-end", metavar="X", type=share, default=0.1, help="the rate falls to X of itself by the end (0.1)"
    )
    how.add_argument(
        "--bootstrap",
        action=argparse.BooleanOptionalAction,
        help="an episode's limit of steps only cuts it off: values behind it count (default: but in Cursor-v0)",
    )
    how.add_argument(
        "--validate",
        metavar="N",
        type=natural,
        default=32,
        help="with --split: try the policy on N other problems at every checkpoint, and keep the best (default 32)",
    )
    how.add_argument("--device", metavar="NAME", default="cpu", help="that the network computes on (default cpu)")
    how.add_argument(
        "--restarts",
        metavar="X",
        type=share,
        default=0.0,
        help="the share of episodes that begin where an earlier one has been (default 0)",
    )
    how.add_argument("--environments", metavar="N", type=count, default=8, help="stepped together (default 8)")
    how.add_argument("--processes", action="store_true", help="a process for each environment")
    how.add_argument("--seed", metavar="N", type=natural, default=0, help="default 0")


def add_evaluate_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``polyloop evaluate``."""
    parser.add_argument("--policy", metavar="DIR", default=SHIPPED, help="a run's folder, or shipped (default)")
    parser.add_argument(
        "--set",
        metavar="NAME",
        default="looptune-test",
        help="looptune-test (default: the products held out), another set of workloads, or names of workloads",
    )
    parser.add_argument(
        "--split",
        metavar="NAME",
        help="instead of --set: the held-out problems of many families on six machines, by their models: family, "
        "family-0..3, machine, machine-NAME; --against then names baselines (untuned, constant, random-50, greedy, "
        "beam-4, beam-16, teacher)",
    )
    parser.add_argument("--env", metavar="ID", help=f"what the shipped policy is for: {CURSOR} (default) or {SCHEDULE}")
    parser.add_argument("--kernels", metavar="NAME[,...]", help="kernels to schedule (default: those held out), or all")
    parser.add_argument("--fold", metavar="N", type=natural, help="the five kernels of fold N, 0 to 5")
    parser.add_argument(
        "--walks",
        metavar="N",
        type=natural,
        help="how wide a search is that a cursor's policy leads: twice as many states are looked at in each round; "
        "the model corrects what was met, and chooses (default 8, with --split 1); 0: where the likeliest walk ends",
    )
    parser.add_argument("--proposals", metavar="N", type=count, default=10, help="schedules for a kernel (default 10)")
    parser.add_argument(
        "--post-processing",
        choices=("none", "shapes"),
        default="shapes",
        help="what all schedules get, isl's too: tiles and vectors (shapes, default) or nothing",
    )
    parser.add_argument(
        "--pool",
        metavar="N",
        type=count,
        default=1,
        help="walks of a schedule policy that the cost model orders; 1 (default) proposes the likeliest first",
    )
    parser.add_argument("--limit", metavar="N", type=count, help="take N problems, chosen by --seed")
    parser.add_argument("--seed", metavar="N", type=natural, default=0, help="default 0")
    parser.add_argument(
        "--against",
        metavar="NAME[,...]",
        help="searches beside a cursor's policy: policy-rollouts and policy-mcts, which it guides, greedy1, ...; "
        "'' for none (default beam-dfs4,scripted,policy-rollouts)",
    )
    parser.add_argument(
        "--compared", metavar="N", type=natural, default=25, help="problems that the searches run on, too (default 25)"
    )
    parser.add_argument("--budget", metavar="TIME", type=seconds, default=1.0, help="of each search (default 1s)")
    parser.add_argument("--json", metavar="FILE", help="write all rows and the summary; - for standard output")
