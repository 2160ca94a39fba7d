"""What the choice of tiles assumes beyond the figures of a `Machine`, in one place.

Where no more is said of a number, it was fitted on one core with 512-bit vectors, 48 kB of first and 1 MB of second
cache (Zen 5), and how is not recorded. "By hand" is what the best kernels written by hand did there.
"""

from __future__ import annotations

# --- A core's arithmetic, for the model of default schedules ----------------------------------------------------------

LATE = 1.1
"""Times the latency of a multiply-add until the next of a chain starts: with eight chains, one in ten starts late."""

WAITING = 96
"""Multiply-adds that wait for those before them while a core goes on: of windows of 5 x 5 in straight-line code, tiles
with 2, 4 and 7 sums take as long as if so many did (Zen 4, AVX2)."""

TILE_CYCLES, WINDOW_CYCLES = 16, 8
"""Entering and leaving the loop of a tile; the straight-line code of a window. Depthwise windows of 5 x 5 took 6 to 7
cycles less than with 16 (Emerald Rapids: 8 x 2 floats with AVX2, 16 x 7 with AVX-512)."""

LOAD_COST, FAR_LOAD_COST = 0.02, 0.05
"""Cycles that a load costs where multiply-adds are the limit; and where lines come from beyond the first cache, which
take turns with loads. Of 0.02, 0.05 and 0.1, as tried on four convolutions and 15 products (Emerald Rapids), the first
takes tiles with too many rows for convolutions with AVX-512, the last ones that are too narrow for products. Panels
that are not copied cost no more from there as long as lines find time between loads: of 40 products of 64 to 256
(Emerald Rapids), those for which this decides went from 95% to 98% of the peak with AVX-512."""

UNHIDDEN_LINES = 0.05
"""Of the cycles of lines from beyond the first cache, what is not hidden behind multiply-adds. On 15 products of 64 to
1024 with and without copies (Emerald Rapids), 0.02 to 0.2 choose tiles alike with AVX2, and 0.2 worse with AVX-512."""

UNHIDDEN_TURNED = 0.7
"""The same where every step needs other lines of what a tile reads along its rows, as of a left operand that is stored
transposed: loads of one line that is on its way are tried again, one after the other. On products of 258 and of 400 x
16 x 400, 0.3 to 2 cycles a line, most of them near one (Emerald Rapids, AVX-512 and AVX2)."""

UNHIDDEN_AGAIN = 0.2
"""Of the cycles of lines that come from behind the second cache again and again, what is not hidden: of rows for every
panel of columns where they are not copied, else of panels for every block of rows. Without copies of rows, squares of
1024 floats take 1.02 of the time, of 1024 doubles 1.03 and of 2048 floats 1.14; with copies in blocks of 30 rows, the
last take 1.07 of the time that they take with blocks of 96 (Zen 4, AVX2)."""

ODD = 0.01
"""What tiles of another size at a border cost, beside their own cycles, as a share of all."""

STRAIGHT_VECTORS = 8
"""The widest tile: planning makes straight-line code of so many vectors."""

WINDOW = 32
"""Steps up to which several reductions together become straight-line code."""

STRAIGHT_STEPS = 320
"""Multiply-adds in straight-line code over a window."""

MASKED_LOADS_BITS = 256
"""Narrower vectors are put together where they are partial: SSE has no masked loads."""

# --- Its loops --------------------------------------------------------------------------------------------------------

STEPS_IN_LINE, ROUNDS = ((4, 2), 128), 4
"""How many steps of an innermost loop of known length stand one behind the other, with at most so many operations
in all, and how often that is done at least. What counts, compares and jumps takes part in what a core starts in a
cycle, of which a neighbour on the same core takes half: beside one, 30 products of 64 to 256 took 0.85 (floats) and
0.89 (doubles) of the time with 4, 0.89 and 0.91 with 2, and alone as long (Zen 3, AVX2). Loops of unknown length, each
with another loop for the rest, gained nothing in the mean of 31 kernels, and some of triangles lost up to a third."""

TILE_SUMS = 6
"""Sums in registers from which on a loop of unknown length is one over a register tile, which runs long: 12 kernels of
products took 0.99 of the time, doitgen 0.78, 2mm 0.89, cholesky 1.09 (Zen 3, AVX2, beside a neighbour)."""

MISTAKEN_BRANCH = 16
"""Cycles that a core loses where a branch goes the other way than it expected: 13 to 20 of those of the last ten years,
from documents."""

# --- Its caches -------------------------------------------------------------------------------------------------------

STREAMED = 1.5
"""How much more a line costs that is asked for ahead, too."""

JUMPING = 1.5
"""How much more a line costs that lies apart from the one before. Of 19 depthwise convolutions with AVX-512 and AVX2
(Emerald Rapids), tiles that go across the channels were 1.05 to 2.3 times as fast with up to 1.5 times the lines, and
slower from twice as many on."""

APART_CYCLES = 1
"""For a row of a panel that lies apart from the row before."""

COLLIDING = 1.05
"""How much longer a tile takes whose rows drive each other out of the first cache."""

MANY_ROWS, MANY = 7, 1.02
"""More rows, beside a panel that comes from the second cache, come late; how much longer such a tile takes."""

FAR_AWAY = 3
"""Second caches: arrays that are larger come from behind it in every use, most of their lines at least."""

LEAST_BLOCK = 64
"""Steps of the shortest block of a reduction whose panel stays in the first cache. Tiles of 6 x 16 floats with 92 steps
are as fast as with 732 (AVX2), of 24 x 16 6% faster, with 183 2% and 9% (Emerald Rapids)."""

PARTS = 8
"""Tiles over one panel that share the work of asking for the next one: each line takes 7 cycles of this from memory, a
row of a tile no less than 4."""

SOME_TILES = (4, 64)
"""Tiles over one panel for which it matters whether it has been asked for before: for 170 to 256 of them, squares of
1024 floats in tiles of 6 x 16 and 4 x 24 took the same time with and without (Zen 4, AVX2); one or two wait for the
panel that comes next (12 x 1024 x 2048: 1.05 of the time without, AVX-512)."""

UNFORESEEN = 0.5
"""Of the cycles of lines from memory in rows that lie apart, what tiles wait for when they first come to a panel, with
the next rows asked for: 7 x 7 x 512 results of 3 x 3 x 512 weights reached 82 to 90% of the peak, and 95% with the
next panel asked for (Zen 4, AVX-512)."""

LONG_REDUCTION = 48
"""Steps from which on the tile that comes next is asked for."""

# --- Copies -----------------------------------------------------------------------------------------------------------

COPY_CYCLES, TURN_CYCLES = 2.0, 0.85
"""For a vector of a copy; and, of a copy in another order, for each shuffle, load and store of a vector and what finds
its place. Copies of 6 x 16 products of 800 to 6176 floats take 0.35 cycles an element, of 16 x 256 x 200 ones 0.55
(Zen 3, AVX2)."""

STEPS = 256
"""Of the reduction in one panel of a kernel's contraction: 24 columns of doubles fill a first cache of 48 kB. By hand,
gemm reached 57 GFLOPS with 256, 44 with 128 and 35 with 400."""

NEAR = 0.75
"""Of the first cache, what panels of both operands of one tile may take that are to stay there from one tile to the
next. 8 x 24 doubles of 128 and 144 steps (48 kB) took 0.95 of the time of 192 and 256 for gemm, 0.94 for symm, of 1000
rows and columns (Emerald Rapids, AVX-512)."""

FEWEST_COLUMNS = 4
"""Panels of columns that rows stay for at least, where they are packed for one tile of rows at a time: else as many as
take half of the second cache. Of 8 columns of doubles, 64 instead of 10 took 0.92 of the time for gemm of 1000 rows and
columns, as rows are copied so much less often (Emerald Rapids, AVX2)."""

ROWS = 12
"""Panels of rows in a block that stays in a near cache while all columns pass by. By hand, blocks of 96 to 120 rows."""

# --- What searches try, the most promising first ----------------------------------------------------------------------

TILES = ((8, 3), (8, 2), (4, 4), (12, 2), (6, 2), (4, 2), (6, 4), (16, 1), (4, 1))
"""(rows, vectors) of kernels' register tiles: for 32 registers and, further down, for 16 or for more streams. By hand,
8x3 carried a dozen kernels."""

FULL_TILES = ((4, 3),)
"""The same where they leave no register: over copies, 4 x 12 doubles took 0.98 of the time of 6 x 8 (Emerald Rapids,
AVX2)."""

BLOCKS = (32, 64, 128, 256)
"""Of the longest reduction."""

JAMMED = (4, 2, 8)
"""Rows at once where nothing stays in registers: they share neighbouring loads."""

KEPT = (8, 4)
"""Vectors of a result with one dimension that stay in registers through its whole sum: as many chains as hide the
latency of two multiply-adds a cycle, four cycles each."""

WAVEFRONTS = (16, 24)
"""Rows at once that each lag behind the one above: in lanes, two or three vectors that hide each other's latency. A
plane of 400 doubles squared took 0.68 of the time of 8 rows one by one with 16 in lanes, and 0.61 with 24 (Zen 4,
AVX-512)."""

SUMMED = 4
"""Rows whose sums share the loads of a vector."""

SUMMED_TILES = ((4, 4), (2, 4))
"""Rows of both operands whose sums share loads, the first for 32 registers, the other for 16. A product of 8-bit
matrices, 256 x 256 x 1024, took 0.64 ms row by row, 0.54 with 4 rows and 0.36 and 0.41 with these (Zen 5, AVX-512)."""

TIMES = {2: (16, 32), 3: (8, 16, 32)}
"""Tile sizes of a stencil's members outside the vector, by their number: some rows of 10 kB fit the second cache. Cubes
of 120 doubles took 0.80 (AVX2) and 0.93 (AVX-512) of the time of `AT_ONCE`, those of 40 0.93 and 1.11 (Zen 4)."""

STEPS_AT_ONCE, STEP_BYTES = 32, 32768
"""Time steps of a tile whose rows move through them together (and its size along members between time and rows), at
most; and for each of them so much of the second cache, which the rows that they reach leave half free. On a core with
48 kB and 2 MB of caches (Emerald Rapids), 16 reached 85 to 95% of 32."""

AT_ONCE = ((4, 12), (4, 24), (8, 24), (4, 0), (8, 0), (2, 0))
"""(rows, parts of the first cache of which each has one) that move together through a tile's time steps, 0 for whole
rows: what they leave behind is still in a near cache. With 48 kB, planes of 1300 doubles squared took 102 ms with 4
whole rows, 39 with 2 kB and 38 with 4 kB of each, 35 with 2 kB of 8; those of 250, which fit the second cache, 3.0 ms
with 4 kB or more and 3.1 with 2 kB. Cubes of 40 doubles took 0.89 of the time of 4 whole rows with 8, those of 120 as
long (Emerald Rapids, AVX-512)."""

LINES = ((64, 4), (32, 12))
"""(time steps, parts of the first cache of which each has one) of sweeps along a line. Of 2 million doubles, 50 steps
took 26 ms with 32 to 256 steps in 8 kB or more, 28 and 29 in 4 kB, 39 in tiles of 32 times 2 kB that did not begin
with whole vectors (Sapphire Rapids, AVX-512)."""

PLANES = ((4, 1), (4, 2))
"""(time steps, planes at once) of whole planes that move through the steps of a tile behind one another. One by one,
cubes of 40 doubles took 0.96 of the time of tiles of `TIMES`, those of 120 0.88 and 1.02 in two rounds; two at once 1.0
to 1.3 (Zen 3, AVX2), but 84 of a sweep over two buffers were fastest so."""

TOGETHER = (4, 2)
"""Rows of all statements of a sweep, a vector of columns at a time. Planes of 1300 doubles squared took 0.66 of the
other form's time with 4 rows, and three fields of 1000 x 1200 0.79 with 2 and 0.91 with 4 (Zen 5, AVX-512)."""

PANELS = (64, 32)
"""Columns of a panel in blocked forms of factorisations and triangular solutions. Wider ones leave more to loops that
are no products, narrower ones load and store what is summed up more often: of 24 to 96, 32 and 64 were the fastest for
matrices of 400 rows, and as fast as 96 for 2000 (Emerald Rapids, AVX-512)."""

STRIPS = (4, 2)
"""Vectors of a strip of columns that several loops in lanes go down one after the other: four have their chains side by
side, two leave twice as many rows to the second cache."""

BLOCK = 32
"""Of all members of a nest that has no better shape; eight of them along the vector."""
