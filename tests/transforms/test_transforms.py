"""Each transform's rewrite on small trees, the wording of refusals, and the text form."""

from __future__ import annotations

import pytest

from polyloop.schedules.tree import Band, ScheduleTree, original_tree
from polyloop.scop.model import Scop
from polyloop.transforms import (
    TRANSFORMS,
    Distribute,
    Fuse,
    IllegalTransformError,
    JoinBands,
    Merge,
    Pack,
    Parallelize,
    Prefetch,
    RegisterTile,
    Reverse,
    Skew,
    Split,
    SplitBand,
    Swap,
    Tile,
    Transform,
    TransformSyntaxError,
    Unroll,
    Vectorize,
    candidates,
    parse,
    parse_trace,
    perform,
    replay,
    step_from_json,
)
from tests.helpers.small_scops import assign, gemm, loop, scop


def wave() -> Scop:
    body = loop("j", "0", "n", assign("S", "A[i + 1][j]", "A[i][j + 1]"))
    return scop("n", loop("i", "0", "n", body), name="wave")


def two_loops() -> Scop:
    first = loop("i", "0", "n", assign("S", "A[i + 1]", "B[i]"))
    return scop("n", first, loop("j", "0", "n", assign("T", "C[j]", "A[j]", "A[j + 2]")), name="stages")


def product() -> ScheduleTree:
    """The product of gemm as one band of three."""
    tree = replay(original_tree(gemm()), (Distribute(()), JoinBands((1,)), JoinBands((1,))))
    return perform(tree, (), gemm().dependences())


def band(tree: ScheduleTree) -> ScheduleTree:
    return JoinBands(()).apply(tree)


def test_merge_takes_whole_blocks_of_the_loop_inside() -> None:
    tree = band(original_tree(wave()))
    blocks = replay(tree, (Split((), 1, 4), Split((), 2, 2)))  # i; blocks of four, of two, single iterations of j
    merged = Merge((), 1).apply(blocks).at(())
    assert isinstance(merged, Band)
    assert [member.divisor for member in merged.members] == [1, 2, 1]
    for unfit in (replay(blocks, (Swap((), 1, 3),)), replay(tree, (Split((), 1, 3), Split((), 2, 2)))):
        refusal = Merge((), 1).check(unfit, wave().dependences())
        assert refusal is not None
        assert "blocks that are no parts of its own" in str(refusal)


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        (Split((), 1, 4), "band\n  [S: i]\n  [S: floord(j, 4)]\n  [S: j]"),
        (Tile((), (8, 8)), "band\n  [S: floord(i, 8)]\n  [S: floord(j, 8)]\n  band\n    [S: i]\n    [S: j]"),
        (Tile((), (1, 8)), "band\n  [S: floord(j, 8)]\n  band\n    [S: i]\n    [S: j]"),
        (Swap((), 0, 1), "band\n  [S: j]\n  [S: i]"),
        (Skew((), 1, 0, 2), "band\n  [S: i]\n  [S: 2*i + j]"),
        (Reverse((), 1), "band\n  [S: i]\n  [S: -j]"),
        (SplitBand((), 1), "band\n  [S: i]\n  band\n    [S: j]"),
        (Vectorize((), 1), "band\n  [S: i]\n  [S: j] vector"),
        (Parallelize((), 1), "band\n  [S: i]\n  [S: j] parallel"),
        (Unroll((), 1), "band\n  [S: i]\n  [S: j] unrolled"),
        (Unroll((), 1, 4), "band\n  [S: i]\n  [S: floord(j, 4)]\n  [S: j] unrolled"),
        (
            RegisterTile((), (4, 8), vector=0),
            "band\n  [S: floord(i, 4)]\n  [S: floord(j, 8)]\n  band\n    [S: j] unrolled\n    [S: i] vector",
        ),
    ],
)
def test_rewrites_of_a_band(transform: Transform, expected: str) -> None:
    assert str(transform.apply(band(original_tree(wave())))) == expected


def test_swap_reaches_through_bands_and_keeps_their_shape() -> None:
    assert str(Swap((), 0, 1).apply(original_tree(wave()))) == "band\n  [S: j]\n  band\n    [S: i]"


def test_fuse_and_distribute_are_inverse() -> None:
    apart = original_tree(two_loops())
    fused = Fuse((), 0, 2).apply(apart)
    assert str(fused) == "band\n  [S: i, T: j]\n  sequence\n  - S\n  - T"
    assert Distribute(()).apply(fused) == apart


def test_fuse_takes_as_many_members_as_all_have() -> None:
    tree = replay(original_tree(gemm()), (JoinBands((0, 1)), Fuse((0,), 0, 2)))
    assert str(tree) == (
        "band\n  [S: i, T: i]\n  band\n    [S: j, T: k]\n    sequence\n    - S\n    - T\n      band\n        [T: j2]"
    )


def test_distribution_lands_in_the_sequence_around() -> None:
    source = scop(
        "n",
        loop("i", "0", "n", assign("S", "A[i]"), assign("T", "B[i]"), assign("U", "C[i]")),
        assign("V", "s", "A[0]"),
    )
    tree = Distribute((0,), (1,)).apply(original_tree(source))
    assert (
        str(tree)
        == "sequence\n- S\n  band\n    [S: i]\n- T, U\n  band\n    [T: i, U: i]\n    sequence\n    - T\n    - U\n- V"
    )


def test_tiles_nest_by_multiples_of_their_divisor() -> None:
    tree = replay(product(), (Tile((1,), (8, 8, 8)), Tile((1,), (64, 64, 64))))
    divisors = [[m.divisor for m in b.members] for path, b in tree.bands() if path[:1] == (1,)]
    assert divisors == [[64, 64, 64], [8, 8, 8], [1, 1, 1]]
    refusal = Tile((1,), (12, 64, 64)).check(replay(product(), (Tile((1,), (8, 8, 8)),)), (), "gemm")
    assert str(refusal) == (
        "cannot apply tile(path=(1,), sizes=(12, 64, 64)) in gemm: "
        "the size for loop it is 12; it has to be a proper multiple of 8, its divisor"
    )


def test_a_parallel_loop_hands_its_kind_to_its_tiles() -> None:
    tree = perform(product(), (Parallelize((1,), 0), Tile((1,), (32, 32, 32))), gemm().dependences(), "gemm")
    parallel = [m.divisor for _, b in tree.bands() for m in b.members if m.kind.name == "PARALLEL"]
    assert parallel == [32]


def test_a_register_tile_of_gemm() -> None:
    tree = perform(product(), (RegisterTile((1,), (4, 1, 8), vector=2),), gemm().dependences(), "gemm")
    assert str(ScheduleTree(("T",), tree.at((1,)))) == (
        "band permutable\n"
        "  [T: floord(i, 4)] coincident\n"
        "  [T: k]\n"
        "  [T: floord(j2, 8)] coincident\n"
        "  band permutable\n"
        "    [T: i] coincident unrolled\n"
        "    [T: j2] coincident vector"
    )


@pytest.mark.parametrize(
    ("transform", "message"),
    [
        (
            Swap((), 0, 1),
            "cannot interchange i and j in wave: dependence S[i,j] -> S[i+1,j-1] would be reversed (RAW on A)",
        ),
        (
            Tile((), (4, 4)),
            "cannot tile i and j by 4x4 in wave: dependence S[i,j] -> S[i+1,j-1] would be reversed (RAW on A)",
        ),
        (
            RegisterTile((), (4, 1)),
            "cannot register-tile i by 4 in wave: dependence S[i,j] -> S[i+1,j-1] would be reversed (RAW on A)",
        ),
        (
            Vectorize((), 0),
            "cannot vectorize i in wave: dependence S[i,j] -> S[i+1,j-1] is carried by a vector loop (RAW on A)",
        ),
        (
            Parallelize((), 0),
            "cannot parallelize i in wave: dependence S[i,j] -> S[i+1,j-1] is carried by a parallel loop (RAW on A)",
        ),
        (
            Reverse((), 0),
            "cannot reverse i in wave: dependence S[i,j] -> S[i+1,j-1] would be reversed (RAW on A)",
        ),
        (Swap((3,), 0, 1), "cannot apply swap(path=(3,), member=0, with_member=1) in wave: there is no band at (3,)"),
        (Split((), 5, 4), "cannot apply split(path=(), member=5, size=4) in wave: the band at () has no member 5"),
        (
            Split((), 0, 1),
            "cannot apply split(path=(), member=0, size=1) in wave: "
            "the size for loop i is 1; it has to be at least 2",
        ),
        (
            Split((), 0, 1 << 63),
            f"cannot apply split(path=(), member=0, size={1 << 63}) in wave: "
            f"{1 << 63} is more than 2147483647, the largest number that is taken",
        ),
        (Fuse((), 0), "cannot apply fuse(path=(), first=0, count=2) in wave: there is no sequence at ()"),
        (Distribute(()), "cannot apply distribute(path=(), cuts=()) in wave: no sequence stands below the band at ()"),
    ],
)  # fmt: skip
def test_refusals_name_the_culprit(transform: Transform, message: str) -> None:
    refusal = transform.check(band(original_tree(wave())), wave().dependences(), "wave")
    assert str(refusal) == message
    with pytest.raises(IllegalTransformError) as raised:
        transform.perform(band(original_tree(wave())), wave().dependences(), "wave")
    assert raised.value.refusal == refusal


def test_a_fusion_that_reads_too_early_is_refused_with_instances() -> None:
    refusal = Fuse((), 0, 2).check(original_tree(two_loops()), two_loops().dependences(), "stages")
    assert refusal is not None
    assert refusal.dependence is not None
    assert (refusal.dependence.source, refusal.dependence.target) == ("S", "T")
    assert str(refusal).startswith("cannot fuse i and j (around S, T) in stages: dependence S[1] -> T[0]")


def test_skewing_makes_the_wave_permutable() -> None:
    tree = perform(band(original_tree(wave())), (Skew((), 1, 0, 1),), wave().dependences(), "wave")
    assert str(tree) == "band permutable\n  [S: i]\n  [S: i + j] coincident"
    perform(tree, (Tile((), (4, 4)), Swap((), 0, 1)), wave().dependences(), "wave")


def test_vector_loops_do_not_nest() -> None:
    tree = perform(product(), (Vectorize((1,), 2),), gemm().dependences())
    refusal = Vectorize((1,), 0).check(tree, gemm().dependences(), "gemm")
    assert str(refusal) == (
        "cannot apply vectorize(path=(1,), member=0) in gemm: j2 in the same nest is a vector loop already"
    )


def test_refusals_have_the_article_that_the_kind_takes() -> None:
    for kind, words in ((Unroll, "j2 is an unrolled loop already"), (Vectorize, "j2 is a vector loop already")):
        tree = perform(product(), (kind((1,), 2),), gemm().dependences())
        assert str(kind((1,), 2).check(tree, gemm().dependences(), "gemm")).endswith(words)


def test_candidates_apply() -> None:
    found = list(candidates(product()))
    assert {type(c) for c in found} == {*TRANSFORMS.values()} - {Distribute, Merge, Pack, Prefetch}
    assert len(found) == len(set(found))
    for candidate in found:
        candidate.apply(product())


@pytest.mark.parametrize("transform", [*candidates(product()), JoinBands((0, 1)), Fuse((), 0, 3), Distribute((), (1,))])
def test_text_and_json_round_trips(transform: Transform) -> None:
    assert parse(str(transform)) == transform
    assert step_from_json(transform.to_json()) == transform


def test_traces_may_hold_comments() -> None:
    trace = parse_trace("# first\n\ntile(path=(0,), sizes=(32, 32))\n  swap(path=(), member=0, with_member=1)\n")
    assert trace == (Tile((0,), (32, 32)), Swap((), 0, 1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tile", "'tile' is not of the form"),
        ("tile((0,), (2,))", "is not of the form"),
        ("tile(path=(0,), sizes=len('a'))", "is not of the form"),
        ("rotate(path=())", "there is no transform 'rotate'; there are tile, split"),
        ("tile(path=())", "tile: given path; this is not of the form tile(path=(0, ...), sizes=(0, ...))"),
        ("tile(path=(), sizes=(2,), colour=1)", "tile: given path, sizes, colour; this is not of the form"),
        ("tile(path=0, sizes=(2,))", "tile: path is 0"),
        ("tile(path=(), sizes=('a',))", "tile: sizes is"),
        ("split(path=(), member=True, size=2)", "split: member is True"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(TransformSyntaxError) as raised:
        parse(text)
    assert message in str(raised.value)
