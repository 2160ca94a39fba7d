"""Masked PPO of sb3-contrib on a matrix product, with polyloop's graph encoder: pip install 'polyloop[sb3]'"""

import sys

import gymnasium

import polyloop  # noqa: F401 (registers the environments)
from polyloop.gnn.adapters.sb3 import maskable_ppo

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
env = gymnasium.make("polyloop/Cursor-v0", workload="MM-128", evaluator="model", observation="graph")
model = maskable_ppo(env, n_steps=200, batch_size=50, ent_coef=0.02, seed=0).learn(steps)

observation, info = env.reset(seed=0)
print(f"untuned: {info['gflops']:.0f} of {info['peak']:.0f} GFLOPS")
for _ in range(10):
    action, state = model.predict(observation, action_masks=info["action_mask"], deterministic=True)
    observation, reward, _, _, info = env.step(action)
print(info["state"][0], f"\ntuned: {info['gflops']:.0f} GFLOPS")
