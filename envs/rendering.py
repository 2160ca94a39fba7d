"""Episodes as text."""

from __future__ import annotations

from collections.abc import Sequence

from polyloop.evaluators import Score
from polyloop.schedule import Schedule


def ansi(
    kernel: str,
    state: str,
    action: int | None,
    names: Sequence[str],
    mask: Sequence[bool],
    schedule: Schedule | None,
    score: Score | None,
) -> str:
    """The kernel, the last action, the state, what is legal next and, at the end, the schedule and its speedup."""
    lines = [f"{kernel}: {state}"]
    if action is not None:
        lines.append(f"after: {names[action] if 0 <= action < len(names) else action}")
    if any(mask):
        lines.append(f"legal: {', '.join(name for name, legal in zip(names, mask, strict=True) if legal)}")
    if schedule is not None:
        lines.append(str(schedule))
    if score is not None:
        lines.append(f"speedup: {score.speedup:.3f}" + (f" ({score.error})" if score.error else ""))
    return "\n".join(lines)
