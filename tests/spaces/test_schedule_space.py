"""What a dimension can carry, where known schedules lie, and that whatever is sampled is legal."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Literal

import islpy as isl
import numpy as np
import pytest

from polyloop.polyhedra import generator_store
from polyloop.polyhedra.generators import Generators
from polyloop.schedules.isl_scheduler import isl_schedule
from polyloop.schedules.legality import Proof, prove
from polyloop.schedules.rows import Schedule, decode
from polyloop.schedules.tree import original_tree
from polyloop.scop.dependence import Dependence
from polyloop.spaces.construction import Construction
from polyloop.spaces.dependences import DependenceOrderError, Pieces, hard_parts
from polyloop.spaces.exploration import Exploration
from polyloop.spaces.farkas import System
from polyloop.spaces.space import ScheduleSpace, ScheduleSpaceError
from polyloop.spaces.walks import random_construction, random_exploration
from tests.helpers.polyhedra import Constraints, as_isl, constraints_of, contains
from tests.helpers.small_scops import assign, gemm, loop, scop, symm
from tests.spaces.kernel_scops import KERNELS, kernel_scop
from tests.spaces.matvec import matvec_space

NAMES = sorted(path.stem for path in KERNELS.glob("*.c"))
ROOT = Path(__file__).resolve().parents[2]
Granularity = Literal["statement", "block"]


pytestmark = pytest.mark.usefixtures("own_cache")


def sample(space: ScheduleSpace, rng: np.random.Generator) -> Schedule:
    """A random schedule of the space."""
    process = Exploration(space, random_construction(Construction(space), rng).carried)
    return process.schedule(random_exploration(process, rng, 0.15))


def is_feasible(space: ScheduleSpace, uncarried: int, selected: int) -> bool:
    """By isl's emptiness test on the whole system, which is a cone's translate: rational points suffice."""
    dimension = space.layout.dimension
    whole = isl.BasicSet.universe(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, dimension))
    local = isl.LocalSpace.from_space(whole.get_space())

    def add(row: tuple[int, ...], constant: int, equality: bool) -> None:
        nonlocal whole
        make = isl.Constraint.equality_alloc if equality else isl.Constraint.inequality_alloc
        constraint = make(local).set_constant_val(isl.Val(constant))
        for column, value in enumerate(row):
            if value:
                constraint = constraint.set_coefficient_val(isl.dim_type.set, column, isl.Val(value))
        whole = whole.add_constraint(constraint)

    for k, system in enumerate(space.systems):
        if uncarried >> k & 1:
            for row in system.equalities:
                add(row, 0, True)
            for row in system.inequalities:
                add(row[1:], -row[0] if selected >> k & 1 else 0, False)
    return not whole.is_empty()


@pytest.mark.parametrize("name", ["gemm", "lu", "symm", "durbin", "jacobi-2d", "trisolv", "doitgen", "nussinov"])
def test_masks_agree_with_isl(name: str) -> None:
    space = ScheduleSpace.of(kernel_scop(name))
    rng = np.random.default_rng(7)
    for _ in range(4):
        uncarried = sum(1 << k for k in range(len(space.dependences)) if rng.random() < 0.7)
        possible = space.carriable(uncarried)
        assert is_feasible(space, uncarried, possible)
        for k in range(len(space.dependences)):
            if uncarried >> k & 1:
                assert is_feasible(space, uncarried, 1 << k) == bool(possible >> k & 1)


@pytest.mark.parametrize("name", ["ludcmp", "symm", "durbin", "gramschmidt", "correlation"])
def test_completions_within_a_cap_are_those_of_the_greedy_one(name: str) -> None:
    """The shortcuts never change the answer, whatever was asked before."""
    asked, fresh = ScheduleSpace.of(kernel_scop(name)), ScheduleSpace.of(kernel_scop(name))
    rng = np.random.default_rng(5)
    answers = set()
    for _ in range(60):
        share = rng.random()
        uncarried = sum(1 << k for k in range(len(asked.dependences)) if rng.random() < share)
        dimensions = int(rng.integers(len(asked.greedy()) + 1))
        answers.add(asked.completes_within(uncarried, dimensions))
        assert asked.completes_within(uncarried, dimensions) == (len(fresh.greedy(uncarried)) <= dimensions)
    assert answers == {True, False}


def test_hard_parts_are_cycles_and_pairs_of_them() -> None:
    def between(source: str, target: str) -> Dependence:
        relation = isl.Map(f"{{ {source}[] -> {target}[] }}")
        return Dependence(source, target, (), (), str(relation), relation, frozenset({"RAW"}), ("A",))

    dependences = [between(*pair) for pair in ("SS", "ST", "TU", "UT", "UV", "VW")]
    assert list(hard_parts(dependences, 0b111111)) == [0b1, 0b1100, 0b100000, 0b11100, 0b1111]
    assert list(hard_parts(dependences, 0b110110)) == [0b100000, 0b10000, 0b100, 0b10]


@pytest.mark.parametrize("name", ["gemm", "lu", "symm", "trisolv", "jacobi-1d", "seidel-2d"])
def test_polyhedra_hold_exactly_what_their_constraints_say(name: str) -> None:
    """Vertices and directions, turned back into constraints, are the system."""
    space = ScheduleSpace.of(kernel_scop(name))
    left = space.all
    for selected in space.greedy():
        dimension = space.dimension(left, selected)
        assert not dimension.anchored
        assert not dimension.capped
        equalities, rows = set(), set()
        for k, system in enumerate(space.systems):
            if left >> k & 1:
                equalities |= {(0, *row) for row in system.equalities}
                strong = bool(selected >> k & 1)
                rows |= {(-row[0] if strong else 0, *row[1:]) for row in system.inequalities}
        given = Constraints(space.layout.dimension, tuple(sorted(equalities)), tuple(sorted(rows)))
        assert as_isl(constraints_of(dimension.generators)).is_equal(as_isl(given))
        left &= ~selected


@pytest.mark.parametrize("name", NAMES)
def test_known_schedules_lie_inside(name: str) -> None:
    source = kernel_scop(name)
    space = ScheduleSpace.of(source, parameter_coefficients=True, pieces="distance")
    assert space.contains(Schedule.of_tree(source, original_tree(source)))
    tree = isl_schedule(source, source.dependences("value"))
    assert space.contains(Schedule.of_tree(source, tree))
    greedy = space.greedy()
    carried = [next(e for e, s in enumerate(greedy, 1) if s >> k & 1) for k in range(len(space.dependences))]
    zeros = [decode(d.generators, _first_vertex(d.terms, len(d.generators.vertices))) for d in space.construct(carried)]
    feautrier = space.schedule(zeros)
    located = space.locate(feautrier)
    assert located is not None
    assert max(located, default=0) == len(greedy)


def _first_vertex(terms: int, vertices: int) -> list[int]:
    return [int(k == 0 and vertices > 1) for k in range(terms)]


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_samples_are_legal(name: str, exact: bool) -> None:
    """Of either granularity every kernel has one kind of space."""
    granularity: Granularity = "statement" if exact is (NAMES.index(name) % 2 == 0) else "block"
    source = kernel_scop(name)
    memory = source.dependences()
    space = ScheduleSpace.of(source, granularity=granularity, exact=exact)
    rng = np.random.default_rng(NAMES.index(name))
    for _ in range(2):
        schedule = sample(space, rng)
        assert space.contains(schedule)
        assert isinstance(prove(source, schedule.to_tree(source, memory), memory), Proof), str(schedule)


def test_anchors_are_points_of_the_polyhedron() -> None:
    source = kernel_scop("durbin")
    space, anchored = ScheduleSpace.of(source), ScheduleSpace.of(source, exact=False)
    left = space.all
    for selected in space.greedy():
        exact, one = space.dimension(left, selected).generators, anchored.dimension(left, selected)
        assert one.anchored
        assert one.generators.directions == exact.directions
        (point,) = one.generators.vertices
        assert contains(constraints_of(exact), point)
        left &= ~selected


def test_caps_bring_anchors_and_short_rays() -> None:
    source = kernel_scop("durbin")
    space = ScheduleSpace.of(source, max_rays=8, max_vertices=2)
    dimension = space.dimension(space.all, space.greedy()[0])
    assert dimension.anchored
    assert dimension.capped
    assert len(dimension.generators.rays) <= 8
    full = constraints_of(ScheduleSpace.of(source).dimension(space.all, space.greedy()[0]).generators)
    for vertex in dimension.generators.vertices:
        for ray in dimension.generators.directions:
            assert contains(full, [v + r for v, r in zip(vertex, ray, strict=True)])


def test_a_relation_that_no_row_carries_is_split_by_loop() -> None:
    """A scalar that every iteration writes: the next iteration is (i, j+1), or (i+1, 0) behind the last j."""
    source = scop("n", loop("i", "0", "n", loop("j", "0", "n", assign("S", "s", "s", "A[i][j]"))))
    whole = ScheduleSpace.of(source, pieces="relation")
    assert len(whole.dependences) == 2
    assert len(whole.greedy()) == 2
    assert whole.contains(Schedule.of_tree(source, original_tree(source)))


def test_whole_relations_unite_basic_maps() -> None:
    source = kernel_scop("jacobi-2d")
    every: tuple[Pieces, ...] = ("relation", "basic", "distance")
    counts = [len(ScheduleSpace.of(source, pieces=pieces).dependences) for pieces in every]
    assert counts == sorted(counts)
    assert counts[0] < counts[2]
    pairs = [(d.source, d.target) for d in ScheduleSpace.of(source, pieces="relation").dependences]
    assert len(set(pairs)) == len(pairs)


def test_orders_of_dependences() -> None:
    space = ScheduleSpace.of(gemm())
    assert [(d.source, d.target) for d in space.dependences] == [("S", "T"), ("T", "T")]
    for order in (("T->T", "S->T"), ("T -> T", 0), (1, 0)):
        other = ScheduleSpace.of(gemm(), order=order)
        assert [(d.source, d.target) for d in other.dependences] == [("T", "T"), ("S", "T")]
    with pytest.raises(DependenceOrderError, match="S->T, T->T"):
        ScheduleSpace.of(gemm(), order=("T->T",))


def test_constructions_that_do_not_fit() -> None:
    space = matvec_space()
    with pytest.raises(ScheduleSpaceError, match="each of 2 dependences is carried by a dimension, from 1"):
        space.construct((1,))
    with pytest.raises(ScheduleSpaceError, match="each of 2 dependences is carried by a dimension, from 1"):
        space.construct((1, 0))


def test_what_cannot_be_carried_together_is_refused() -> None:
    space = ScheduleSpace.of(symm())
    impossible = space.all & ~space.carriable(space.all)
    assert impossible
    assert space.dimension(space.all, impossible).generators.is_empty
    with pytest.raises(ScheduleSpaceError, match="dimension 1 cannot carry"):
        space.construct((1,) * len(space.dependences))


def test_without_dependences_there_is_one_free_dimension() -> None:
    space = ScheduleSpace.of(scop("n", loop("i", "0", "n", assign("S", "A[i]", "B[i]"))))
    assert space.dependences == ()
    (dimension,) = space.construct(())
    assert dimension.generators.lines == ((1, 0), (0, 1))
    assert dimension.terms == 4
    assert space.contains(sample(space, np.random.default_rng(0)))


def test_illegal_schedules_lie_outside() -> None:
    source = gemm()
    space = ScheduleSpace.of(source)
    schedule = Schedule.of_tree(source, original_tree(source))
    reverse = Schedule(
        schedule.statements,
        schedule.iterators,
        schedule.parameters,
        tuple(tuple(tuple(-c for c in row) for row in rows) for rows in schedule.rows),
    )
    assert space.contains(schedule)
    assert not space.contains(reverse)


def test_spaces_pickle() -> None:
    space = ScheduleSpace.of(kernel_scop("lu"))
    other = pickle.loads(pickle.dumps(space))
    assert other.systems == space.systems
    assert sample(other, np.random.default_rng(1)) == sample(space, np.random.default_rng(1))


def test_generators_are_kept_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = kernel_scop("durbin")
    first = ScheduleSpace.of(source)
    made = [first.dimension(first.all, s) for s in (0, first.greedy()[0])]
    files = sorted((tmp_path / "cache" / "generators").glob("*/*.json"))
    assert len(files) == 2
    monkeypatch.setattr("polyloop.spaces.space.cone_generators", None)  # whoever calls it fails
    again = ScheduleSpace.of(source)
    assert [again.dimension(first.all, s) for s in (0, first.greedy()[0])] == made
    assert generator_store.load("0" * 64) is None


def test_a_full_folder_gives_up_its_oldest_file(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "generators" / "ab"
    keys = [f"ab{k:062x}" for k in range(20)]
    for k, key in enumerate(keys):
        generator_store.save(key, Generators(1, ((k,),), (), ()), True)
        os.utime(folder / f"{key}.json", (k, k))
    assert {file.stem for file in folder.iterdir()} == set(keys[4:])
    assert generator_store.load(keys[4]) == (Generators(1, ((4,),), (), ()), True)


def test_a_damaged_file_counts_as_absent(tmp_path: Path) -> None:
    source = kernel_scop("durbin")
    first = ScheduleSpace.of(source)
    made = first.dimension(first.all, 0)
    (file,) = (tmp_path / "cache" / "generators").glob("*/*.json")
    file.write_text(file.read_text()[:-40])
    assert ScheduleSpace.of(source).dimension(first.all, 0) == made
    assert json.loads(file.read_text())["complete"] is True


PROGRAM = """
import sys
import islpy as isl
if sys.argv[2] == "history":  # objects of other Scops first, and kept
    kept = [isl.Set(f"[n, p{k}] -> {{ S{k}[i, j] : 0 <= i < n + {k} and j < p{k} }}") for k in range(200)]
    kept += [isl.Map(f"{{ S[i] -> T[i, {k}] }}").intersect_domain(isl.Set("{ S[i] : i > 4 }")) for k in range(50)]
from pathlib import Path
import numpy as np
from polyloop.spaces.construction import Construction
from polyloop.spaces.exploration import Exploration
from polyloop.frontend import read_c
from polyloop.spaces.space import ScheduleSpace
from polyloop.spaces.walks import random_construction, random_exploration
for name in ("symm", "lu", "fdtd-2d", "durbin"):
    (source,) = read_c(Path(sys.argv[1]) / f"{name}.c")
    space = ScheduleSpace.of(source)
    rng = np.random.default_rng(3)
    print([d.text for d in space.dependences])
    print(space.dimension(space.all, space.greedy()[0]).generators)
    for _ in range(2):
        explore = Exploration(space, random_construction(Construction(space), rng).carried)
        state = random_exploration(explore, rng, 0.15)
        print(explore.construction, explore.terms, state.coefficients, explore.schedule(state))
"""


def test_the_same_in_every_process(tmp_path: Path) -> None:
    outputs = set()
    for seed, history in (("0", "none"), ("1", "none"), ("77", "history")):
        environment = os.environ | {
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": str(ROOT),
            "POLYLOOP_CACHE": str(tmp_path / seed),
        }
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(KERNELS), history],
            capture_output=True, text=True, env=environment, timeout=300,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        outputs.add(run.stdout)
    assert len(outputs) == 1


def test_a_system_knows_what_is_never_strong() -> None:
    assert System(1, (), ((1, 0),)).positive.tolist() == [[0]]
