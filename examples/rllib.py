"""Train a cursor policy with RLlib, on this machine's cores or on a Ray cluster, and write polyloop's policy files.

    pip install 'polyloop[ray]'
    python examples/rllib.py --algorithm ppo --runners 2 --minutes 5 -o run
    polyloop evaluate --policy run/policy --set looptune-test --limit 25

With `--address auto` it joins a Ray cluster that runs (`ray start --head`, `ray start --address ...`; polyloop is
installed on each machine), and `--runners` may be as many as the cluster has cores. `--measured` takes measured speed
as the reward in place of the model's: kernels are then measured where the env runners are.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import ray

from polyloop.gnn.adapters.rllib import algorithm_config, export_policy
from polyloop.gnn.encoders import EncoderSettings
from polyloop.gnn.environments import EnvironmentSettings


def main() -> None:
    """Read the command line, train, and write the policy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--algorithm", choices=("ppo", "dqn", "impala", "appo"), default="ppo")
    parser.add_argument("--runners", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--address", help="of a Ray cluster; by default one of this machine alone")
    parser.add_argument("--measured", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=Path("run"))
    chosen = parser.parse_args()

    ray.init(address=chosen.address, include_dashboard=False if chosen.address is None else None)
    environment = EnvironmentSettings(
        "polyloop/Cursor-v0",
        {"evaluator": "worker" if chosen.measured else "model", "observation": "graph", "graph_size": [96, 512]},
        problems=({"set": "mm64_256_16"},),
        count=8,
    )
    encoder = EncoderSettings("gine", width=64, layers=2)
    algorithm = algorithm_config(chosen.algorithm, environment, encoder, runners=chosen.runners).build_algo()
    end = time.monotonic() + 60 * chosen.minutes
    while time.monotonic() < end:
        seen = algorithm.train()["env_runners"]
        steps, mean = int(seen.get("num_env_steps_sampled_lifetime", 0)), seen.get("episode_return_mean")
        print(f"{steps:>9} steps, mean return {mean}", flush=True)
    checkpoint = chosen.output / "checkpoint"
    algorithm.save_to_path(checkpoint.absolute())
    algorithm.stop()
    export_policy(checkpoint, chosen.output / "policy")


if __name__ == "__main__":
    main()
