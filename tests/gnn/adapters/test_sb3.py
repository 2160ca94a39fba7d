from __future__ import annotations

import gymnasium
import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from polyloop.gnn.adapters.sb3 import maskable_ppo
from polyloop.registration import register


@pytest.mark.parametrize("observation", ["graph", "vector"])
def test_maskable_ppo_learns_a_little_and_takes_legal_actions_alone(observation: str) -> None:
    register()
    environment = gymnasium.make(
        "polyloop/Cursor-v0", workload="MM-64", evaluator="model", observation=observation, graph_size=[32, 128]
    )
    model = maskable_ppo(environment, n_steps=20, batch_size=10, n_epochs=1, seed=0, device="cpu")
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(40)
    assert any(
        not np.array_equal(a.numpy(), b.detach().numpy())
        for a, b in zip(before, model.policy.parameters(), strict=True)
    )
    seen, info = environment.reset(seed=0)
    for _ in range(10):
        action, _ = model.predict(seen, action_masks=info["action_mask"])
        assert info["action_mask"][int(action)]
        seen, _, _, _, info = environment.step(action)
