"""Graphs in tests are small: on one thread they take a fraction of the time, above all where other work is done."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)
