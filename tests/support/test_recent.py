"""Bounded memory: what was not asked for the longest goes first."""

from __future__ import annotations

import pickle

from polyloop.support.recent import Recent


def test_the_weight_is_bounded() -> None:
    memory: Recent[str, str] = Recent(6, len)
    for key, value in (("a", "aa"), ("b", "bb"), ("c", "cc")):
        assert memory.keep(key, value) == value
    assert memory.get("a") == "aa"  # now b is the oldest
    memory.keep("d", "d")
    assert [memory.get(key) for key in "abcd"] == ["aa", None, "cc", "d"]


def test_the_newest_stays_whatever_it_weighs() -> None:
    memory: Recent[int, str] = Recent(3, len)
    memory.keep(1, "abc")
    memory.keep(2, "abcdefgh")
    assert (memory.get(1), memory.get(2), len(memory)) == (None, "abcdefgh", 1)
    memory.keep(3, "a")
    assert (memory.get(2), memory.get(3)) == (None, "a")


def test_it_pickles() -> None:
    memory: Recent[int, str] = Recent(3, len)
    memory.keep(1, "abc")
    assert pickle.loads(pickle.dumps(memory)) == memory
