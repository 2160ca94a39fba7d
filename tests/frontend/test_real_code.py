"""data/real: functions as engineers write them, without pragmas. All are found and read; what is emitted does the same.

Each file is compiled by gcc as it stands and as polyloop emits it: in its own order, and with lanes along outer loops.
All are called with the same memory.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan
from polyloop.frontend import read_source
from polyloop.lowering.region_alone import region_alone
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.measure.judge import FLAGS
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.outer_lanes import outer_lanes
from polyloop.support.compilers import build_each, user_compiler

REAL = Path(__file__).parents[2] / "data" / "real"
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

# function -> (file, sizes, driver's body: n, and x, which has room for all of it)
DRIVERS = {
    "sobel": ("sobel", (0, 1, 2, 3, 40), "uint8_t *p = (uint8_t *)x; sobel(p, p + 60 * 64, n, n + 1, n + 3);"),
    "blur": ("blur", (0, 1, 2, 3, 40), "Image i = {n, n + 1, (float *)x}, t = {n, n + 1, (float *)x + 4000}, "
                                       "o = {n, n + 1, (float *)x + 8000}; blur(&i, &t, &o);"),
    "update_h": ("fdtd", (0, 1, 2, 33), "Grid g = {n, n + 1, x, x + 2000, x + 4000, x + 6000, x + 8000, x + 10000, "
                                        "x + 12000, 0, 0}; update_h(&g);"),
    "update_e": ("fdtd", (1, 2, 3, 33), "Grid g = {n, n + 1, x, 0, 0, x + 6000, 0, 0, x + 8000, x + 10000, x + 12000}; "
                                        "update_e(&g);"),
    "body_forces": ("nbody", (0, 1, 2, 37), "body_forces((Body *)x, 0.01f, n);"),
    "bodies_forces": ("nbody", (0, 1, 2, 37), "float *f = (float *)x; Bodies b = {f, f + 40, f + 80, f + 120, f + 160, "
                                              "f + 200}; bodies_forces(&b, 0.01f, n);"),
    "collide": ("lbm", (0, 1, 2, 30), "for (int k = 0; k < 16000; k++) x[k] = 0.1 + x[k] * x[k]; "
                                      "collide(x, n, n + 1, 1.2);"),
    "stream": ("lbm", (0, 1, 2, 3, 28), "stream(x, x + 8000, n, n + 1);"),
    "spmv": ("spmv", (0, 1, 2, 40), "int start[101], column[1600]; for (int k = 0; k < 1600; k++) "
                                    "column[k] = k * 7 % 40; "
                                    "for (int k = 0; k <= n; k++) start[k] = k * k % 41 + 38 * k; "
                                    "spmv(n, start, column, x, x + 8000, x + 10000);"),
    "histogram": ("histogram", (0, 1, 2, 70), "histogram((uint8_t *)x, n, n + 1, n + 3, (uint32_t *)(x + 8000));"),
    "bilateral": ("bilateral", (0, 1, 6, 7, 8, 40), "float *f = (float *)x; "
                                                    "bilateral(f, f + 8000, n, n + 1, 1.5f, 0.3f);"),
    "sad_window": ("sad", (0, 1, 2, 40), "uint8_t *p = (uint8_t *)x; "
                                         "sad_window(p, 17, p + 400, n + 60, n, n + 1, (uint32_t *)(x + 8000));"),
    "smith_waterman": ("smith_waterman", (0, 1, 2, 60), "char *p = (char *)x; for (int k = 0; k < 200; k++) p[k] &= 3; "
                       "x[9000] = smith_waterman(p, n, p + 100, n + 1, (int *)x + 1000);"),
    "black_scholes": ("black_scholes", (0, 1, 2, 100), "float *f = (float *)x; black_scholes(f, f + 100, f + 200, "
                                                       "f + 300, f + 400, 0.02f, 0.3f, n);"),
    "price_options": ("binomial", (0, 1, 20), "Option o[20]; for (int k = 0; k < 20; k++) o[k] = (Option){100, 90 + k, "
                                             "0.03, 0.2 + 0.01 * k, 1}; price_options(o, x, n, 0); "
                                             "price_options(o, x + 20, n, 1);"),
}  # fmt: skip
FILES = sorted({file for file, _, _ in DRIVERS.values()})


def test_the_folder_has_what_is_tested() -> None:
    assert [path.stem for path in sorted(REAL.glob("*"))] == FILES


@pytest.mark.parametrize("file", FILES)
def test_all_are_found(file: str) -> None:
    """Every function is one region, but for what is inlined; nothing stays."""
    found = read_source(REAL / f"{file}.c", auto=True)
    assert found.diagnostics == ()
    assert [scop.name for scop in found.scops] == [name for name, (where, _, _) in DRIVERS.items() if where == file]


@needs_gcc
def test_each_can_be_timed_alone(tmp_path: Path) -> None:
    """Else its author's compiler would not be asked."""
    sources = {}
    for file in FILES:
        for scop in read_source(REAL / f"{file}.c", auto=True).scops:
            sources[tmp_path / f"{scop.name}.so"] = tmp_path / f"{scop.name}.c"
            sources[tmp_path / f"{scop.name}.so"].write_text(region_alone(scop).source.text)
    assert build_each(user_compiler("gcc -O1"), sources, FLAGS) == dict.fromkeys(sources)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[ctypes.CDLL]]:
    """Every file as it is, and as it is emitted in two schedules."""
    folder = tmp_path_factory.mktemp("real")
    loaded: dict[str, list[ctypes.CDLL]] = {}
    for file in FILES:
        found = read_source(REAL / f"{file}.c", auto=True)
        schedules = [list(map(_as_it_is, found.scops)), list(map(_in_lanes, found.scops))]
        drivers = "".join(
            f"void drive_{name}(int n, double *x)\n{{ {body} }}\n"
            for name, (where, _, body) in DRIVERS.items()
            if where == file
        )
        emitted = [emit_c_file(found.text, planned, uncontracted=True) for planned in schedules]
        for number, text in enumerate(dict.fromkeys((found.text, *emitted))):
            name = f"{file}_{number}"
            (folder / f"{name}.c").write_text(text + drivers)
            flags = ["-std=c99", "-Wall", "-Werror", "-O1", "-march=native", "-ffp-contract=off", "-shared", "-fPIC"]
            command = ["gcc", *flags, f"{name}.c", "-o", f"{name}.so", "-lm"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, done.stderr
            loaded.setdefault(file, []).append(ctypes.CDLL(str(folder / f"{name}.so")))
    return loaded


def _as_it_is(scop: Scop) -> Replacement:
    return Replacement(scop, plan(lower(scop, original_tree(scop)), host_target(), contract=False))


def _in_lanes(scop: Scop) -> Replacement:
    """With lanes along outer loops, where there are such."""
    found = outer_lanes(Proofs(), scop)
    if found is None:
        return _as_it_is(scop)
    return Replacement(scop, plan(lower(found.scop, found.tree), host_target(), contract=False))


@needs_gcc
@pytest.mark.parametrize("name", DRIVERS)
def test_emitted_code_does_what_the_original_does(name: str, libraries: dict[str, list[ctypes.CDLL]]) -> None:
    file, sizes, _ = DRIVERS[name]
    for n in sizes:
        results = []
        for library in libraries[file]:
            rng = np.random.default_rng(n)
            x = rng.uniform(0.5, 2, 16000)
            if name in ("body_forces", "bodies_forces", "blur", "bilateral"):
                x.view("f4")[:] = rng.uniform(-2, 2, 32000)
            if name == "black_scholes":
                x.view("f4")[:] = rng.uniform(0.5, 2, 32000)
            getattr(library, f"drive_{name}")(n, ctypes.c_void_p(x.ctypes.data))
            results.append(x)
        for result in results[1:]:
            np.testing.assert_array_equal(results[0].view("u1"), result.view("u1"), err_msg=f"n = {n}")
