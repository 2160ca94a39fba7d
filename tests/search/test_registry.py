"""The table of searches."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import pytest

from polyloop.search.registry import SEARCHES, SPACES, SearchEntry, UnknownSearchError, checked_space, find_search


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_of_the_table_exists(name: str) -> None:
    entry = SEARCHES[name]
    assert entry.spaces
    assert set(entry.spaces) <= set(SPACES)
    assert entry.summary
    if entry.extra:
        return
    search, space = find_search(name)
    module, _, function = entry.function.partition(":")
    assert search is getattr(import_module(module), function)
    assert space == entry.spaces[0]


def test_what_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownSearchError, match="there is no search 'magic'; there are: isl"):
        checked_space("magic", None)
    only = {"isl": SEARCHES["isl"]}
    monkeypatch.setattr("polyloop.search.registry.SEARCHES", only)
    with pytest.raises(UnknownSearchError, match="isl does not walk the space 'cursor'; no search of this version can"):
        checked_space("isl", "cursor")
    only["walk"] = SearchEntry("nowhere:walk", "walks", ("cursor",), "gnn", ("no_such_module",))
    with pytest.raises(UnknownSearchError, match="isl does not walk the space 'cursor'; searches that can: walk"):
        checked_space("isl", "cursor")
    with pytest.raises(UnknownSearchError, match=r"walk needs no_such_module, .*; pip install 'polyloop\[gnn\]'"):
        checked_space("walk", "cursor")
    only["walk"] = replace(only["walk"], needs=())
    assert checked_space("walk", None) == "cursor"


def test_the_policy_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyloop.search.registry.find_spec", lambda name: None)
    with pytest.raises(UnknownSearchError, match=r"needs torch, torch_geometric, safetensors.*polyloop\[gnn\]"):
        checked_space("policy", None)
