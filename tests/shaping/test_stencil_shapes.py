"""Shapes of sweeps: tiles over time, rows that share loads, rows that lag behind each other."""

from __future__ import annotations

from polyloop.backend.c.printer import c_source
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.loop_nest import Compute, LoopKind, walk
from polyloop.backend.ir.vector_program_text import program_text
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.frontend import read_c
from polyloop.lowering.to_nest import lower
from polyloop.schedules.isl_scheduler import isl_schedule
from polyloop.schedules.legality import Proof, prove
from polyloop.scop.dependence import memory_dependences, value_dependences
from polyloop.shaping.families import shapes
from polyloop.shaping.nests import Shape, nests, reshaped
from tests.backend.planning.programs import flat, loads, stores

U, V = LoopKind.UNROLLED, LoopKind.VECTOR


def _legal(text: str, target: str = "avx512") -> list[tuple[str, Shape]]:
    (scop,) = read_c("sweep.c", text=text)
    dependences = memory_dependences(scop)
    tree = isl_schedule(scop, value_dependences(scop))
    (nest,) = nests(tree)

    def is_legal(shape: Shape) -> bool:
        return isinstance(prove(scop, reshaped(scop, dependences, tree, nest, shape), dependences), Proof)

    return list(shapes(scop, nest, shown_target(target), is_legal))


PLANE = """void plane(int t, int n, double A[n][n], double B[n][n])
{
#pragma scop
  for (int s = 0; s < t; s++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        B[i][j] = A[i][j] + A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1];
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = B[i][j];
  }
#pragma endscop
}
"""

CUBE = """void cube(int t, int n, double A[n][n][n], double B[n][n][n])
{
#pragma scop
  for (int s = 0; s < t; s++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          B[i][j][k] = A[i][j][k] + A[i - 1][j][k] + A[i][j + 1][k] + A[i][j][k - 1];
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          A[i][j][k] = B[i][j][k];
  }
#pragma endscop
}
"""

IN_PLACE = """void in_place(int t, int n, double A[n][n])
{
#pragma scop
  for (int s = 0; s < t; s++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j];
#pragma endscop
}
"""


TURNS = """void turns(int t, int n, double A[2][n][n])
{
#pragma scop
  for (int s = 0; s < t; s++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[(s + 1) % 2][i][j] = A[s % 2][i][j] + A[s % 2][i - 1][j] + A[s % 2][i][j + 1];
#pragma endscop
}
"""


def test_sweeps_from_one_of_two_arrays_into_the_other_are_tiled_over_time() -> None:
    """Which of them it is does not change along a row."""
    assert _legal(TURNS)[0] == (
        "32 steps of 4 rows at once in 512 columns",
        Shape(((0, 32), (1, 4), (2, 512), (0, 1)), ((2, V), (1, U))),
    )


def test_repeated_sweeps_are_tiled_over_time_first() -> None:
    found = _legal(PLANE)
    assert [name for name, _ in found[:6]] == [
        "32 steps of 4 rows at once in 512 columns, statement by statement",
        "32 steps of 4 rows at once, vector by vector",
        "32 steps of 2 rows at once, vector by vector",
        "32 steps of 4 rows at once, vector by vector, whole vectors apart",
        "32 steps of 4 rows at once in 256 columns, statement by statement",
        "32 steps of 8 rows at once in 256 columns, statement by statement",
    ]
    assert found[0][1] == Shape(((0, 32), (1, 4), (2, 512), (0, 1)), ((2, V), (1, U)), True)


def test_tiles_over_time_fit_the_caches_of_the_machine() -> None:
    """32 and 512 kB here, 48 kB and 1 MB above."""
    assert [name for name, _ in _legal(PLANE, "avx2")[:6]] == [
        "16 steps of 4 rows at once in 256 columns, statement by statement",
        "16 steps of 4 rows at once, vector by vector",
        "16 steps of 2 rows at once, vector by vector",
        "16 steps of 4 rows at once, vector by vector, whole vectors apart",
        "16 steps of 4 rows at once in 128 columns, statement by statement",
        "16 steps of 8 rows at once in 128 columns, statement by statement",
    ]


def test_rows_that_move_through_a_tile_are_all_there_or_not() -> None:
    """One vector loop each, of four rows straight where all are there; isl's code for full tiles is not asked for."""
    (scop,) = read_c("sweep.c", text=PLANE)
    dependences = memory_dependences(scop)
    tree = isl_schedule(scop, value_dependences(scop))
    (nest,) = nests(tree)
    for columns in ((), ((2, 256),)):
        shape = Shape(((0, 32), (1, 4), *columns, (0, 1)), ((2, V), (1, U)), True)
        lowered = lower(scop, reshaped(scop, dependences, tree, nest, shape))
        assert [node.statement for node in walk(lowered.body) if isinstance(node, Compute)] == ["S0", "S1"]
        program = plan(lowered, shown_target("avx512"))
        text = program_text(program)
        # Of four rows at once or any, in whole vectors and the rest of a row.
        assert text.count("store ") == 2 * 2 * (4 + 1)
        # As C, too, rows that are neighbours of others are loaded once: 14 loads, 5 of any row, 2 of the copy's rest.
        assert c_source(program).count("polyloop_load_f64x8(&(") == 14 + 5 + 2


def test_rows_of_planes_are_all_there_or_not_too() -> None:
    """Which planes a sweep has in a tile is asked around its rows."""
    cube = PLANE.replace("double A[n][n], double B[n][n]", "double A[n][n][n], double B[n][n][n]")
    for old, new in (("[i]", "[h][i]"), ("[i - 1]", "[h - 1][i]"), ("[i + 1]", "[h + 1][i]")):
        cube = cube.replace(old, new)
    cube = cube.replace("for (int i", "for (int h = 1; h < n - 1; h++) for (int i")
    (scop,) = read_c("sweep.c", text=cube)
    dependences = memory_dependences(scop)
    tree = isl_schedule(scop, value_dependences(scop))
    (nest,) = nests(tree)
    shape = Shape(((0, 32), (1, 32), (2, 4), (0, 1), (1, 1)), ((3, V), (2, U)), True)
    program = plan(lower(scop, reshaped(scop, dependences, tree, nest, shape)), shown_target("avx512"))
    # Of two statements, four rows at once or any, in whole vectors and the rest of a row.
    counts = [len(stores(loop.body, array)) for loop in flat(program.body) if isinstance(loop, v.For) for array in "AB"]
    assert sorted(count for count in counts if count == 4) == [4, 4]
    assert program_text(program).count("store ") == 2 * 2 * (4 + 1)


def test_what_one_sweep_leaves_for_the_next_stays_in_registers() -> None:
    """In the loop over full tiles: of six rows of one array, four of which the copy then writes a column behind."""
    (scop,) = read_c("sweep.c", text=PLANE)
    dependences = memory_dependences(scop)
    tree = isl_schedule(scop, value_dependences(scop))
    (nest,) = nests(tree)
    shape = dict(_legal(PLANE))["32 steps of 4 rows at once, vector by vector"]
    assert shape == Shape(((0, 32), (1, 4), (0, 1), (2, 8)), ((1, U), (2, V)), True, skews=((2, 0, -2),))
    program = plan(lower(scop, reshaped(scop, dependences, tree, nest, shape)), shown_target("avx512"))
    (main,) = (s for s in flat(program.body) if isinstance(s, v.For) and s.carried)
    # Vectors of whole rows begin at the same columns in all steps: in aligned rows, those of one sweep are aligned.
    (column,) = {store.address.subscripts[-1] for store in stores(main.body, "B")}
    assert column.variables() == {main.variable}
    assert column.coefficient(main.variable) * main.step == 8
    assert len(loads(main.body, "B")) == 1
    assert len(stores(main.body, "A")) == len(stores(main.body, "B")) == 4


def test_sweeps_may_be_whole_vectors_apart() -> None:
    """Then those of all begin where lines do, if rows do."""
    (scop,) = read_c("sweep.c", text=PLANE)
    dependences = memory_dependences(scop)
    tree = isl_schedule(scop, value_dependences(scop))
    (nest,) = nests(tree)
    shape = dict(_legal(PLANE))["32 steps of 4 rows at once, vector by vector, whole vectors apart"]
    assert shape.shifts
    program = plan(lower(scop, reshaped(scop, dependences, tree, nest, shape)), shown_target("avx512"))
    loops = [s for s in flat(program.body) if isinstance(s, v.For)]
    columns = [
        tuple({str(store.address.subscripts[-1]) for store in stores(s.body, array)} for array in "AB") for s in loops
    ]
    assert ({"8*jt - 8"}, {"8*jt"}) in columns


LINE = """void line(int t, int n, double A[n], double B[n])
{
#pragma scop
  for (int s = 0; s < t; s++) {
    for (int i = 1; i < n - 1; i++)
      B[i] = A[i - 1] + A[i] + A[i + 1];
    for (int i = 1; i < n - 1; i++)
      A[i] = B[i];
  }
#pragma endscop
}
"""


def test_sweeps_along_a_line_are_tiled_over_time_by_whole_vectors() -> None:
    """isl skews by two columns a step, one of them between the statements."""
    found = _legal(LINE)
    assert [name for name, _ in found[:2]] == [
        "64 steps in 1024 columns, statement by statement",
        "32 steps in 512 columns, statement by statement",
    ]
    outer, points = ((0, 64), (1, 1024), (0, 1)), ((1, V),)
    assert found[0][1] == Shape(outer, points, True, skews=((1, 0, 2 * 7),), shifts=((1, "S1", 7),))


def test_columns_of_whole_lines_are_entered_where_vectors_begin() -> None:
    """In arrays whose rows have whole vectors, and in no others; element 1 is where lanes of a vector begin."""
    name = "32 steps of 8 rows at once in 256 columns, statement by statement"
    assert not dict(_legal(PLANE))[name].skews
    lines = PLANE.replace("[n][n]", "[n][8 * n]").replace("j < n - 1", "j < 8 * n - 1")
    shape = dict(_legal(lines))[name]
    assert (shape.skews, shape.shifts) == (((2, 0, 2 * 7),), ((2, "S1", 7),))
    (scop,) = read_c("sweep.c", text=lines)
    tree = isl_schedule(scop, value_dependences(scop))
    (nest,) = nests(tree)
    lowered = lower(scop, reshaped(scop, memory_dependences(scop), tree, nest, shape))
    loops = [s for s in flat(plan(lowered, shown_target("avx512")).body) if isinstance(s, v.For)]
    columns = {str(store.address.subscripts[-1]) for s in loops for array in "AB" for store in stores(s.body, array)}
    assert {"j - 16*s", "j - 16*s - 8"} <= columns


def test_rows_share_loads_in_one_vector_loop() -> None:
    found = dict(_legal(PLANE))
    jammed = found["vectors of 4 rows of loop 2 at once, statement by statement"]
    assert jammed == Shape(((0, 1), (1, 4)), ((2, V), (1, U)), True)


def test_rows_that_depend_on_each_other_lag() -> None:
    """A point needs its right neighbour of the row above: one step of lag is one too few."""
    name, shape = _legal(IN_PLACE)[0]
    assert name == "16 skewed rows at once"
    assert shape == Shape(((0, 1), (1, 16), (2, 1)), ((1, U),), skews=((2, 1, 1),))


def test_sweeps_over_cubes_begin_with_tiles_of_whole_rows_and_planes() -> None:
    """Rows that move through time together follow, and tiles of two rows."""
    names = [name.removesuffix(", statement by statement") for name, _ in _legal(CUBE, "avx2")]
    assert names[:7] == [
        "tiles of 8 x 16 x 32 with whole rows",
        "4 steps of planes",
        "4 steps of planes, 2 at once",
        "16 steps of 4 rows at once",
        "16 steps of 8 rows at once",
        "16 steps of 2 rows at once",
        "tiles of 8 x 16 x 32 with whole rows, 2 at once",
    ]
