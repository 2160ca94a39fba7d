"""`polyloop bench polygym`: figures from samples, the store, sizes, and a small run."""

from __future__ import annotations

import json
from math import isclose
from pathlib import Path

import pytest
from rich.console import Console

from polyloop.bench.polygym_figures import best_samples, crossing, curve, kernel_row, quantiles, summarize_kernels
from polyloop.bench.polygym_report import drawings, print_tables
from polyloop.bench.polygym_store import Store, StoreError
from polyloop.bench.polygym_worker import SECONDS, between, suitable_sizes
from polyloop.bench.report import write_plots
from polyloop.cli.main import main
from polyloop.measure.result import Fate
from polyloop.models.scores import ranks, spearman
from polyloop.shipped.kernels import kernel

SETTINGS = {"seed": 0, "post_processing": "none", "threads": 1, "dataset": None}


def sample(kernel_name: str, index: int, seconds: float | None, heuristic: str = "h") -> dict[str, object]:
    """Of a kernel whose original loops take 8 s."""
    return {
        "kernel": kernel_name,
        "what": "sample",
        "heuristic": heuristic,
        "index": index,
        "seconds": seconds,
        "speedup": 0.1 if seconds is None else 8 / seconds,
        "model": 1.0 if seconds is None else seconds**2,
        "kind": Fate.ILLEGAL if seconds is None else Fate.RAN,
    }


def filled(path: Path | None = None) -> Store:
    """Two kernels: isl is twice as fast as the original on "a", as fast on "b"."""
    store = Store(path)
    store.open(SETTINGS)
    for name, isl in (("a", 4.0), ("b", 8.0)):
        store.add({"kernel": name, "what": "sizes", "sizes": {"n": 10}})
        store.add({"kernel": name, "what": "round", "seconds": {"original": 8.0, "isl, separate fusion": isl}})
    for index, seconds in enumerate((16.0, 4.0, None, 1.0)):
        store.add(sample("a", index, seconds))
    for index, seconds in enumerate((8.0, 8.0, 4.0)):
        store.add(sample("b", index, seconds))
    return store


def test_figures_of_a_kernel() -> None:
    row = kernel_row(filled(), "a", ("h", "absent")).facts
    assert row["isl"] == {"isl, separate fusion": 2.0}
    assert row["seconds"] == 8.0
    (found,) = row["heuristics"].values()
    assert (found["samples"], found["failed"], found["best"]) == (4, 1, 8.0)
    assert found["best_so_far"] == [0.5, 2.0, 2.0, 8.0]
    assert found["model_rank_correlation"] == 1.0


def test_wrong_results_are_counted_whatever_their_message_says() -> None:
    store = filled()
    store.add(sample("a", 4, None) | {"kind": Fate.WRONG_RESULTS, "error": "another order of the sums"})
    store.add(sample("a", 5, None) | {"kind": Fate.CRASHED, "error": "wrong results of a crash"})
    rows = [kernel_row(store, name, ("h",)) for name in ("a", "b")]
    assert rows[0].facts["heuristics"]["h"]["different"] == 1
    assert summarize_kernels(rows, ("h",), {})["verified"] == {"compared": 7, "different": 1}


def test_means_over_the_kernels_and_the_crossing() -> None:
    store = filled()
    rows = [kernel_row(store, name, ("h",)) for name in ("a", "b")]
    assert curve(rows, "h") == pytest.approx([0.5**0.5, 2.0**0.5, 2.0])
    # isl's mean is the square root of 2: the second sample's mean reaches it.
    assert crossing(rows, "h") == 2
    summary = summarize_kernels(rows, ("h",), {})
    known = summary["all"]["h"]
    assert isclose(known["over_o3"], 4.0)
    assert isclose(known["over_isl"], 4.0 / 2.0**0.5)
    assert (known["kernels"], known["better_than_isl"]) == (2, 2)
    assert summary["distribution"]["h"]["samples"] == 7
    assert summary["speedup"] == pytest.approx({"llvm -O3": 4.0, "isl": 4.0 / 2**0.5, "best isl": 4.0 / 2**0.5})
    assert summary["worst"]["llvm -O3"] == {"ratio": 2.0, "row": "b"}
    assert summary["verified"] == {"compared": 6, "different": 0}


def test_the_best_measured_again_count() -> None:
    store = filled()
    assert best_samples(store, "a", ("h", "absent")) == {"h": 3}
    seconds = {"original": 8.0, "isl, separate fusion": 2.0, "h": 2.0}
    store.add({"kernel": "a", "what": "final", "best": {"h": 3}, "seconds": seconds})
    row = kernel_row(store, "a", ("h",))
    assert row.facts["again"] == {"isl, separate fusion": 4.0, "h": 4.0}
    known = summarize_kernels([row], ("h",), {})["all"]
    assert (known["isl"], known["h"]["over_o3"], known["h"]["over_isl"]) == (4.0, 4.0, 1.0)
    assert known["h"]["interval"] == pytest.approx((1.0, 1.0))
    # No sample counts for more than the best did when it was measured once more: 8.0 before, 4.0 then, as isl's.
    assert curve([row], "h") == [0.5, 2.0, 2.0, 4.0]
    assert crossing([row], "h") == 4


def test_the_tables_name_their_units_and_do_not_lose_columns(capsys: pytest.CaptureFixture[str]) -> None:
    store = filled()
    rows = [kernel_row(store, name, ("h", "a heuristic of many words")) for name in ("a", "b")]
    print_tables(
        Console(width=40), rows, summarize_kernels(rows, ("h",), {}), ("h", "a heuristic of many words"), False
    )
    out = capsys.readouterr().out
    lines = [line.split() for line in out.splitlines()]
    assert ["a", "8000.0", "2.00", "2.00", "8.00", "-", "4.00"] in lines
    assert ["h", "2", "4.00", "2.83", "[2.00,", "4.00]", "2.83", "2", "2"] in lines
    assert ["h", "0.71", "1.41"] in lines, "the means after one and two samples"
    assert ["isl", "1.41", "1.41"] in lines
    assert "stopped: 10 x slower than -O3" in out


def test_only_kernels_that_ran_are_said_to_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    store = filled()
    for names, words in ((("a", "b"), None), (("a", "adi"), "without adi:")):
        store.rounds["adi"], store.sizes["adi"] = store.rounds["b"], store.sizes["b"]
        store.samples["adi", "h"] = store.samples["b", "h"]
        rows = [kernel_row(store, name, ("h",)) for name in names]
        print_tables(Console(width=200), rows, summarize_kernels(rows, ("h",), {}), ("h",), False)
        out = capsys.readouterr().out
        assert ("without" in out, words is None or words in out) == (words is not None, True)


def test_a_store_is_read_again_and_belongs_to_its_settings(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    first = filled(path)
    with path.open("a") as file:
        file.write('{"kernel": "a", "wh')
    second = Store(path)
    second.open(SETTINGS)
    assert (second.samples, second.rounds, second.sizes) == (first.samples, first.rounds, first.sizes)
    second.add(sample("b", 3, 2.0))
    third = Store(path)
    third.open(SETTINGS)
    assert len(third.samples["b", "h"]) == 4
    with pytest.raises(StoreError, match="other settings"):
        Store(path).open(SETTINGS | {"seed": 1})
    old = tmp_path / "old.jsonl"
    old.write_text(json.dumps({"settings": SETTINGS}) + "\n")
    with pytest.raises(StoreError, match="another version"):
        Store(old).open(SETTINGS)


def test_ranks_share_ties_and_spearman_is_their_correlation() -> None:
    assert ranks([3.0, 1.0, 3.0, 2.0]) == [2.5, 0.0, 2.5, 1.0]
    assert spearman([1.0, 2.0, 3.0], [10.0, 20.0, 15.0]) == 0.5
    assert spearman([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]) == -1.0
    assert spearman([1.0, 1.0, 1.0], [3.0, 2.0, 1.0]) is None
    assert spearman([1.0, 2.0], [1.0, 2.0]) is None


def test_quantiles_are_values() -> None:
    assert quantiles([5.0, 1.0, 2.0, 4.0, 3.0]) == {"0.1": 1.0, "0.25": 2.0, "0.5": 3.0, "0.75": 4.0, "0.9": 4.0}


def test_sizes_lie_between_the_datasets_and_suit_the_time() -> None:
    info = kernel("gemm")
    assert between(info, 2.0) == info.resolve("MEDIUM")
    low, high = info.resolve("MEDIUM"), info.resolve("LARGE")
    assert all(low[name] < value < high[name] for name, value in between(info, 2.5).items())
    asked = []

    def seconds(sizes: dict[str, int]) -> float:
        asked.append(sizes)
        return 1e-10 * sizes["ni"] * sizes["nj"] * sizes["nk"]

    found = suitable_sizes(info, seconds)  # type: ignore[arg-type]
    assert SECONDS[0] <= seconds(found) <= SECONDS[1]
    assert len(asked) <= 13


def test_plots_are_drawn_or_it_is_said_why_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = filled()
    rows = [kernel_row(store, name, ("h",)) for name in ("a", "b")]
    summary = summarize_kernels(rows, ("h",), {})
    monkeypatch.setattr("polyloop.bench.report.find_spec", lambda name: None)
    assert write_plots(tmp_path, drawings(rows, summary)) == [
        "no plots: matplotlib is not installed; pip install 'polyloop[viz]'"
    ]
    assert list(tmp_path.iterdir()) == []


def test_the_plots(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    store = filled()
    rows = [kernel_row(store, name, ("h",)) for name in ("a", "b")]
    write_plots(tmp_path / "plots", drawings(rows, summarize_kernels(rows, ("h",), {})))
    files = sorted(path.name for path in (tmp_path / "plots").iterdir())
    assert files == ["distribution.svg", "kernels.svg", "samples.svg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kernels", "gem"], "there is no 'gem'"),
        (["--heuristics", "best"], "there is no heuristic 'best'"),
        (["--samples", "0"], "not a positive whole number"),
    ],
)
def test_wrong_usage_is_explained(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "polygym", *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.long
def test_a_small_run_is_resumed_and_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYLOOP_CACHE", str(tmp_path / "cache"))
    store, figures = tmp_path / "samples.jsonl", tmp_path / "figures.json"
    options = ["bench", "polygym", "--kernels", "mvt", "--dataset", "MINI", "--resume", str(store)]
    options += ["--heuristics", "feautrier,separate permutable", "--json", str(figures)]
    assert main([*options, "--samples", "2"]) == 0
    first = store.read_text()
    assert main([*options, "--samples", "3", "--rank-correlation"]) == 0
    assert store.read_text().startswith(first)
    document = json.loads(figures.read_text())
    (row,) = document["rows"]
    assert (document["suite"], row["kernel"]) == ("polygym", "mvt")
    assert {name: each["samples"] for name, each in row["heuristics"].items()} == {
        "feautrier": 3,
        "separate permutable": 3,
    }
    assert set(row["again"]) >= {"feautrier", "separate permutable", "isl, separate fusion"}
    assert "rank correlation" in capsys.readouterr().out
