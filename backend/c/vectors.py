"""C text of the helpers that work on one vector type: its name and definition, and functions on its lanes.

Functions take vectors through pointers, not as arguments or results, so that no compiler warns about the calling
convention of vectors that are wider than the target's; all functions are inlined. Macros of the same names make
expressions of those that load, and take expressions where they store.

A prefix access (only the first `active` lanes) never touches memory beyond the last active lane. It is one masked
instruction where the processor has those, else it goes lane by lane. Intrinsics are used for masks, and for square
roots and rounding, for which gcc has no operator: nothing else that gcc 12 and clang 22 accept becomes such an
instruction in both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from polyloop.backend.c.text import scalar_name, shuffle, vector_name, wrap
from polyloop.backend.ir.expressions import F64, ScalarType
from polyloop.backend.ir.vector_program import GROUPS, ValueType

if TYPE_CHECKING:
    from polyloop.backend.machine.versions import Version

# The macro that says that vectors of so many bytes have registers.
_INSTRUCTION_SETS = {16: "__SSE2__", 32: "__AVX__", 64: "__AVX512F__"}

_INLINE = "polyloop_inline "


LIBRARY_FUNCTIONS = {"exp": 1, "log": 1, "sin": 1, "cos": 1, "pow": 2}
"""Functions that the C library may have for vectors, and how many arguments they take."""


GROUP_SUMS = {"*": "dots", "-": "distances"}
"""Functions of neighbouring lanes, by the operator."""


FOLDS = {"+": "sum", "*": "product", "min": "least", "max": "greatest"}
FOLDS |= {"&": "every_bit", "|": "any_bit", "^": "odd_bits"}
"""Functions of all lanes of a vector, by what these are folded with."""


def integer_lanes(type_: ValueType) -> ValueType:
    """The signed integer vector of the same shape: what a comparison yields, 0 or -1 in every lane."""
    return ValueType(ScalarType("int", type_.element.bits), type_.lanes)


def fits_register(type_: ValueType) -> bool:
    """Whether some x86 processor has registers of just this size."""
    return _bytes(type_) in _INSTRUCTION_SETS


def named_type(text: str) -> ValueType:
    """The type of which this is the text: ``u8``, ``f32x8``."""
    element, _, lanes = text.partition("x")
    return ValueType(ScalarType({"u": "uint", "i": "int", "f": "float"}[text[0]], int(element[1:])), int(lanes or 1))


def typedef(type_: ValueType) -> str:
    """The definition of a vector type whose objects may lie anywhere and alias anything."""
    attributes = f"__attribute__((vector_size({_bytes(type_)}), aligned({type_.element.bytes}), may_alias))"
    return f"typedef {scalar_name(type_.element)} {vector_name(type_)} {attributes};\n"


_ON_VECTORS = re.compile(r"\bpolyloop_(?:[a-z]+\d*_)+[fiu]\d+x\d+\b")


def in_version(text: str, version: Version) -> str:
    """Text that calls or defines helpers on vectors, with those of a version."""
    return _ON_VECTORS.sub(lambda match: f"{match[0]}_{version.suffix}", text)


def has_masks(version: Version, type_: ValueType) -> bool:
    """Whether the first lanes of such a vector are loaded and stored by one instruction."""
    return fits_register(type_) and all(map(version.defines, _macros("masks", type_)))


def _macros(way: str, type_: ValueType) -> tuple[str, ...]:
    """What is defined where the processor has the instructions."""
    if way in ("avx", "sse2"):
        return (f"__{way.upper()}__",)
    if way == "avx2":
        return ("__AVX2__", "__BMI2__")
    return ("__AVX512VL__", "__BMI2__", *(() if type_.element.bits >= 32 else ("__AVX512BW__",)))


def function(name: str, kind: str, type_: ValueType, version: Version | None = None) -> str:
    """The definition of a helper on vectors of one type.

    Args:
        name: without what its name in a version ends in.
        version: the text is for this one alone; None: for the processor that the file is compiled for.
    """
    text = _function(name, kind, type_, version)
    if version is None:
        return text
    return in_version(text.replace(_INLINE, f"{_INLINE}polyloop_for_{version.suffix} "), version)


def _function(name: str, kind: str, type_: ValueType, version: Version | None) -> str:
    match kind:
        case "load":
            return _prefix_load(type_)
        case "store":
            return _prefix_store(type_)
        case "parts":
            return _parts(type_, version)
        case "keep":
            return _keep(type_, version)
        case "reverse":
            return _reverse(type_)
        case "gather" | "scatter":
            return _strided(name, kind == "gather", type_)
        case "load_where" | "store_where":
            return _where(name, kind == "load_where", type_, version)
        case "compact" | "spread":
            return _compact(name, kind == "spread", type_, version)
        case "count":
            return _count(name, type_, version)
        case "lesser" | "greater":
            return _extremum(name, kind, type_, version)
        case _ if kind in GROUP_SUMS.values():
            return _group_sums(name, kind, type_, version)
        case _ if kind in FOLDS.values():
            return _fold(name, kind, type_)
        case "splat":
            body = f"({vector_name(type_)}){{{', '.join(['x'] * type_.lanes)}}}"
            return _macro(f"{name}(x)", body, "A number in every lane")
        case _ if kind.startswith("behind"):
            first = int(kind.removeprefix("behind"))
            body = shuffle("a, b", range(first, first + type_.lanes), type_.lanes)
            return _macro(f"{name}(a, b)", body, f"The lanes from {first} on of a, and b's behind them")
        case _ if kind.startswith("turn"):
            from polyloop.backend.c.turning import turning  # of those that turn blocks

            return turning(name, type_, int(kind.removeprefix("turn")))
        case _ if kind.startswith("from_"):
            return _conversion(name, kind, type_, version)
        case _ if kind in PRODUCTS_OF_HALVES.values():
            return _product_of_halves(name, kind, type_, version)
        case "popcount":
            return _bit_count(name, type_, version)
        case "view":
            return _view(name, type_)
        case _ if kind in LIBRARY_FUNCTIONS:
            return _from_library(name, kind, type_, version)
        case _:
            return _lanewise(name, kind, type_, version)


def _macro(head: str, body: str, about: str) -> str:
    """A macro, its definition on lines of its own where it is long."""
    lines = wrap(f"#define {head} {body}", 116)
    return f"/* {about}. */\n" + " \\\n".join(lines) + "\n"


def _bytes(type_: ValueType) -> int:
    return type_.element.bytes * type_.lanes


def _prefix_load(type_: ValueType) -> str:
    vector = vector_name(type_)
    # A branch around a load in a tile costs more than its mask; a masked store is slow on some processors.
    whole = f"__builtin_constant_p(n_) && n_ >= {type_.lanes}" if fits_register(type_) else f"n_ >= {type_.lanes}"
    return f"""\
/* The first n elements at p, zeros behind them. */
#define polyloop_load_{type_}(p, n) __extension__({{ {vector} v_ = {{0}}; const long n_ = n; \\
    if ({whole}) \\
        v_ = *(const {vector} *)(p); else polyloop_load_part_{type_}(v_, p, n_); v_; }})
"""


def _prefix_store(type_: ValueType) -> str:
    vector = vector_name(type_)
    # Names of its own: what is stored may be a load, whose names would shadow the same ones.
    return f"""\
/* The first n lanes of v to p; nothing behind them is touched. */
#define polyloop_store_{type_}(p, v, n) do {{ const {vector} w_ = v; const long m_ = n; \\
    if (m_ >= {type_.lanes}) *({vector} *)(p) = w_; else polyloop_store_part_{type_}(p, w_, m_); }} while (0)
"""


def _parts(type_: ValueType, version: Version | None) -> str:
    """Loads and stores of fewer lanes than there are: one instruction where the processor has it, else lane by lane."""
    way = "avx" if has_avx_masks(type_) else "masks"
    vector, some = vector_name(type_), f"polyloop_first_{type_}"
    load, store = f"polyloop_load_part_{type_}", f"polyloop_store_part_{type_}"
    whole = f"if (n >= {type_.lanes}) v = *(const {vector} *)(p); else " if fits_register(type_) else ""
    each = f"""\
#define {load}(v, p, n) do {{ int k_; {whole}for (k_ = 0; k_ < n; k_++) v[k_] = (p)[k_]; }} while (0)
#define {store}(p, v, n) do {{ int k_; for (k_ = 0; k_ < n; k_++) (p)[k_] = v[k_]; }} while (0)
"""
    if not fits_register(type_):
        return each
    if way == "avx":
        begin, kind, cast, register = _avx_masked(type_)
        mask = _first_lanes(type_)
        place = "p" if type_.element.is_float else f"({cast} *)(p)"
        loads = f"v = ({vector}){begin}_maskload_{kind}({place.replace('(', '(const ', 1)}, {some}(n))"
        stores = _in_pieces(type_)
    else:
        register, begin, kind = _register(type_)
        mask = _first_bits(type_)
        loads = f"v = ({vector}){begin}_maskz_loadu_{kind}({some}(n), p)"
        stores = f"{begin}_mask_storeu_{kind}(p, {some}(n), ({register})v)"
    ours = "".join(
        " \\\n".join(wrap(f"#define {line}", 116)) + "\n" if "\n" not in line else f"#define {line}\n"
        for line in (f"{some}(n) {mask}", f"{load}(v, p, n) {loads}", f"{store}(p, v, n) {stores}")
    )
    if version is not None:
        return ours if all(map(version.defines, _macros(way, type_))) else each
    return f"#if {' && '.join(f'defined {macro}' for macro in _macros(way, type_))}\n{ours}#else\n{each}#endif\n"


def _in_pieces(type_: ValueType) -> str:
    """Stores the first n lanes by halves, quarters and eighths, none of which takes a mask."""
    size, element, wide = _bytes(type_) // 2, type_.element.bytes, _bytes(type_) == 32
    lines = [
        "do {",
        f"const {vector_name(type_)} r_ = v; const long n_ = n; const int c_ = n_ > 0 ? (int)n_ : 0;",
        f"char *q_ = (char *)(p); __m128i h_ = {'_mm256_castsi256_si128((__m256i)r_)' if wide else '(__m128i)r_'};",
    ]
    while size >= element:
        upper = "_mm256_extractf128_si256((__m256i)r_, 1)" if size == 16 else "_mm_unpackhi_epi64(h_, h_)"
        move = f" q_ += {size}; h_ = {upper};" if size > element else ""
        lines.append(f"if (c_ & {size // element}) {{ __builtin_memcpy(q_, &h_, {size});{move} }}")
        size //= 2
    lines[-1] += " (void)q_; } while (0)"
    return " \\\n    ".join(lines)


def _as_value(name: str, vector: str, parameters: str) -> str:
    """A macro that stands for the vector which the function of its name writes."""
    head, body = f"#define {name}({parameters})", f"__extension__({{ {vector} v_; {name}(&v_, {parameters}); v_; }})"
    return f"{head} {body}\n" if len(head) + len(body) < 118 else f"{head} \\\n    {body}\n"


def has_avx_masks(type_: ValueType) -> bool:
    """Whether AVX chooses among the lanes of such vectors in memory by their signs."""
    return _bytes(type_) in (16, 32) and type_.element.bits >= 32


def _avx_masked(type_: ValueType) -> tuple[str, str, str, str]:
    """What the intrinsics begin and end with, the elements' type to them, and the register's."""
    kind, cast = ("ps", "float") if type_.element.bits == 32 else ("pd", "double")
    begin, register = ("_mm", "__m128") if _bytes(type_) == 16 else ("_mm256", "__m256")
    return begin, kind, cast, register + ("d" if kind == "pd" else "")


def _first_lanes(type_: ValueType) -> str:
    """A mask of the first n lanes, for AVX."""
    numbers = ", ".join(map(str, range(type_.lanes)))
    count = "(n)" if type_.element.bits == 64 else "(int)(n)"
    return f"({_integers(type_)})(({vector_name(integer_lanes(type_))}){{{numbers}}} < {count})"


def _first_bits(type_: ValueType) -> str:
    """The same for AVX-512."""
    width, end = (64, "ULL") if type_.lanes == 64 else (32, "")
    every = f"{(1 << type_.lanes) - 1:#x}{end}"
    return f"(__mmask{max(type_.lanes, 8)})_bzhi_u{width}({every}, (unsigned)(n))"


def _choice(
    type_: ValueType, version: Version | None, ways: list[tuple[str, str]], each: str, returns: bool = False
) -> str:
    """The first of the instructions that the processor has, else lane by lane; or that behind those, which return."""
    lines = [(way, one if returns else "\n".join(wrap(f"    {one}"))) for way, one in ways]
    if version is not None:
        for way, line in lines:
            if all(map(version.defines, _macros(way, type_))):
                return f"{line}\n{each}" if returns else f"{line}\n"
    if version is not None or not ways:
        return each
    tests = (" && ".join(f"defined {macro}" for macro in _macros(way, type_)) for way, _ in ways)
    text = "#el".join(f"if {test}\n{line}\n" for test, (_, line) in zip(tests, lines, strict=True))
    return f"#{text}#endif\n{each}" if returns else f"#{text}#else\n{each}#endif\n"


def _reverse(type_: ValueType) -> str:
    vector, element = vector_name(type_), scalar_name(type_.element)
    lanes = ", ".join(f"forward[{lane}]" for lane in range(type_.lanes - 1, -1, -1))
    return f"""\
/* Consecutive elements from p on, the last one into the first lane. */
{_INLINE}void polyloop_reverse_{type_}({vector} *v, const {element} *p)
{{
    const {vector} forward = *(const {vector} *)p;
    *v = ({vector}){{{lanes}}};
}}
{_as_value(f"polyloop_reverse_{type_}", vector, "p")}"""


def _keeps_loads(type_: ValueType) -> bool:
    """Whether lanes are loaded one by one where clang would gather them: with one of four that it cannot see through it
    does not."""
    return type_.element.is_float and type_.element.bits >= 32 and type_.lanes * type_.element.bits >= 256


_MOST_WRITTEN_OUT = 64
"""Lanes that are each loaded or stored behind a test of their own, without a loop: of 256 of them gcc compiles a loop
in 10 s, clang in minutes."""


def _strided(name: str, gather: bool, type_: ValueType) -> str:
    vector, element = vector_name(type_), scalar_name(type_.element)
    if gather:
        about = "/* The first n elements that are so far apart, zeros behind them. */\n"
        head = f"#define {name}(p, stride, n) __extension__({{ const {element} *p_ = p; const long s_ = stride, n_ = n;"
        if type_.lanes > _MOST_WRITTEN_OUT:
            return f"""{about}{head} \\
    {element} a_[{type_.lanes}] = {{0}}; int k_; \\
    for (k_ = 0; k_ < {type_.lanes} && k_ < n_; k_++) a_[k_] = p_[k_ * s_]; \\
    *(const {vector} *)a_; }})
"""
        cast = f"({element})" if type_.element.bits < 32 else ""
        places = ("0", "s_", *(f"{k} * s_" for k in range(2, type_.lanes)))
        lanes = [f"n_ > {k} ? p_[{at}] : 0" for k, at in enumerate(places)]
        if cast:
            lanes = [f"{cast}({lane})" for lane in lanes]
        if _keeps_loads(type_):
            lanes[2::4] = [f"polyloop_lane({lane})" for lane in lanes[2::4]]
        values = ", ".join(lanes)
        lines = [*wrap(head, 116), *wrap(f"    ({vector}){{{values}}}; }})", 116)]
        return about + " \\\n".join(lines) + "\n"
    arguments = f"{element} *p, long stride, const {vector} *v, long active"
    unrolled = "" if type_.lanes > _MOST_WRITTEN_OUT else "polyloop_unrolled "
    body = f"    {unrolled}for (int k = 0; k < {type_.lanes}; k++)\n"
    body += "        if (active > k)\n            p[k * stride] = (*v)[k];\n"
    return f"{_INLINE}void {name}({arguments})\n{{\n{body}}}\n"


def _where(name: str, loads: bool, type_: ValueType, version: Version | None) -> str:
    """Lanes that a mask chooses: one instruction where the processor has it, else lane by lane."""
    vector, element, mask = vector_name(type_), scalar_name(type_.element), vector_name(integer_lanes(type_))
    if loads:
        head = f"{_INLINE}void {name}({vector} *v, const {element} *p, long stride, const {mask} *where)\n{{\n"
        start, end = f"    {vector} lanes = {{0}};\n", "    *v = lanes;\n"
        each = f"{start}{_each_lane_on(type_, 'v', 'p', 'lanes[k] = p[k * stride];')}{end}"
    else:
        head = f"{_INLINE}void {name}({element} *p, long stride, const {vector} *v, const {mask} *where)\n{{\n"
        each = _each_lane_on(type_, "p", "v", "p[k * stride] = (*v)[k];")
    ways = []
    if fits_register(type_):
        register, prefix, suffix = _register(type_)
        bits = f"{prefix}_test_epi{type_.element.bits}_mask"
        on = f"{bits}(({_integers(type_)})*where, ({_integers(type_)})*where)"
        one = f"*v = ({vector}){prefix}_maskz_loadu_{suffix}({on}, p);"
        ways.append(("masks", one if loads else f"{prefix}_mask_storeu_{suffix}(p, {on}, ({register})*v);"))
    if has_avx_masks(type_):
        prefix, kind, cast, register = _avx_masked(type_)
        on = f"({_integers(type_)})*where"
        one = f"*v = ({vector}){prefix}_maskload_{kind}((const {cast} *)p, {on});"
        ways.append(("avx", one if loads else f"{prefix}_maskstore_{kind}(({cast} *)p, {on}, ({register})*v);"))
    what = "Those of the elements at p" if loads else "Those of the lanes to p"
    ways = [(way, f"    if (stride == 1) {{\n        {one}\n        return;\n    }}") for way, one in ways]
    chosen = _choice(type_, version, ways, each, returns=True)
    return f"/* {what}, `stride` apart, for which `where` is not 0; no others are touched. */\n{head}{chosen}}}\n"


def _each_lane_on(type_: ValueType, to: str, source: str, move: str) -> str:
    """Moves the lanes that are on, all of whose bits are set in the mask, one after the other: a branch for each lane
    would be mispredicted where data vary. All of them, side by side, are one vector.

    Args:
        to, source: pointers to all of them.
        move: lane ``k``.
    """
    bits, bytes_ = type_.element.bits, _bytes(type_)
    if bytes_ % 8:
        return f"    for (int k = 0; k < {type_.lanes}; k++)\n        if ((*where)[k])\n            {move}\n"
    lowest, count = _lowest(bits), bytes_ // 8
    every = " & ".join(f"words[{k}]" for k in range(count))
    return f"""\
    unsigned long long words[{count}];
    __builtin_memcpy(words, where, sizeof *where);
    if (stride == 1 && ({every} & {lowest}) == {lowest}) {{
        __builtin_memcpy({to}, {source}, sizeof *v);
        return;
    }}
    for (int word = 0; word < {count}; word++) {{
        unsigned long long on = words[word] & {lowest};
        for (; on; on &= on - 1) {{
            const int k = word * {64 // bits} + __builtin_ctzll(on) / {bits};
            {move}
        }}
    }}
"""


def _lowest(bits: int) -> str:
    """The lowest bits of all lanes in a word."""
    return f"0x{sum(1 << bit for bit in range(0, 64, bits)):x}ull"


def _compact(name: str, spreads: bool, type_: ValueType, version: Version | None) -> str:
    """Lanes that a mask chooses, moved to the front or back: one instruction where the processor has it."""
    vector, mask = vector_name(type_), vector_name(integer_lanes(type_))
    here, there = ("k", "next++") if spreads else ("next++", "k")
    each = f"""\
    {vector} lanes = {{0}};
    int next = 0;
    for (int k = 0; k < {type_.lanes}; k++)
        if ((*where)[k])
            lanes[{here}] = (*x)[{there}];
    *v = lanes;
"""
    what = "Lanes from the front, to where" if spreads else "The lanes, in front, for which"
    head = f"{_INLINE}void {name}({vector} *v, const {vector} *x, const {mask} *where)\n{{\n"
    ways = []
    if fits_register(type_) and type_.element.bits >= 32:
        register, prefix, suffix = _register(type_)
        integers, which = _integers(type_), "expand" if spreads else "compress"
        on = f"{prefix}_test_epi{type_.element.bits}_mask(({integers})*where, ({integers})*where)"
        ways.append(("masks", f"*v = ({vector}){prefix}_maskz_{which}_{suffix}({on}, ({register})*x);"))
        ways += _compact_by_shuffle(spreads, type_)
    return f"/* {what} `where` is not 0. */\n{head}{_choice(type_, version, ways, each)}}}\n"


def _compact_by_shuffle(spreads: bool, type_: ValueType) -> list[tuple[str, str]]:
    """In places of 32 bits, which are bytes of a number: those whose lanes count are extracted to its front, or the
    first ones deposited there."""
    if _bytes(type_) > 32 or type_.lanes < 4:
        return []
    wide, float_ = _bytes(type_) == 32, "d" if type_.element.bits == 64 else ""
    prefix, register = ("_mm256", "__m256") if wide else ("_mm", "__m128")
    bits = f"(unsigned long long){prefix}_movemask_p{float_ or 's'}(({register}{float_})*where)"
    first, all_ = ("0x0001000100010001", "0xffff") if float_ else ("0x0101010101010101", "0xff")
    on = f"_pdep_u64({bits}, {first}ull) * {all_}"
    places = f"(long long){'_pdep' if spreads else '_pext'}_u64(0x0706050403020100ull, {on})"
    shuffle_ = (
        f"{prefix}_permutevar8x32_epi32(({register}i)*x, " if wide else f"{prefix}_permutevar_ps(({register})*x, "
    )
    moved = f"{shuffle_}{prefix}_cvtepu8_epi32(_mm_cvtsi64_si128({places})))"
    return [("avx2", f"*v = ({vector_name(type_)}){moved};")]


def _count(name: str, type_: ValueType, version: Version | None) -> str:
    """Of a mask's lanes those that are not 0, all of whose bits are set then."""
    ways = []
    if fits_register(type_):
        _, prefix, _ = _register(type_)
        bits = f"{prefix}_test_epi{type_.element.bits}_mask(({_integers(type_)})*where, ({_integers(type_)})*where)"
        long = "ll" if type_.lanes > 32 else ""
        ways.append(("masks", f"return __builtin_popcount{long}({bits});"))
    if has_avx_masks(type_):
        prefix, suffix, _, register = _avx_masked(type_)
        ways.append(("avx", f"return __builtin_popcount((unsigned){prefix}_movemask_{suffix}(({register})*where));"))
    ways.extend(_count_pieces(type_))
    # The lowest bits of the lanes of all words, beside each other: whether there is any asks for no count then.
    words = (_bytes(type_) + 7) // 8
    lowest = _lowest(type_.element.bits)
    lanes = " | ".join(f"(words[{k}] & {lowest}){f' << {k}' if k else ''}" for k in range(words))
    each = f"    unsigned long long words[{words}] = {{0}};\n    __builtin_memcpy(words, where, sizeof *where);\n"
    each += "\n".join(wrap(f"    return __builtin_popcountll({lanes});")) + "\n"
    head = f"{_INLINE}int {name}(const {vector_name(type_)} *where)\n{{\n"
    return f"/* How many of a mask's lanes are not 0. */\n{head}{_choice(type_, version, ways, each)}}}\n"


def _count_pieces(type_: ValueType) -> list[tuple[str, str]]:
    """The signs of pieces of 16 bytes, which SSE2 collects."""
    if _bytes(type_) % 16:
        return []
    piece = "_mm_loadu_si128((const __m128i *)where + {})"
    signs = {
        8: f"_mm_movemask_epi8({piece})",
        16: f"_mm_movemask_epi8(_mm_packs_epi16({piece}, _mm_setzero_si128()))",
        32: f"_mm_movemask_ps((__m128){piece})",
        64: f"_mm_movemask_pd((__m128d){piece})",
    }[type_.element.bits]
    size, kind = ("ll", "unsigned long long") if type_.lanes > 32 else ("", "unsigned")
    width = 128 // type_.element.bits
    pieces = (f"({kind}){signs.format(k)}{f' << {k * width}' if k else ''}" for k in range(type_.lanes // width))
    return [("sse2", f"return __builtin_popcount{size}({' | '.join(pieces)});")]


def _register(type_: ValueType) -> tuple[str, str, str]:
    """The register's type, and what its intrinsics begin and end with."""
    bits = 8 * _bytes(type_)
    prefix = "_mm" if bits == 128 else f"_mm{bits}"
    if type_.element.is_float:
        register, suffix = (f"__m{bits}", "ps") if type_.element.bits == 32 else (f"__m{bits}d", "pd")
        return register, prefix, suffix
    return _integers(type_), prefix, f"epi{type_.element.bits}"


def _integers(type_: ValueType) -> str:
    return f"__m{8 * _bytes(type_)}i"


PRODUCTS_OF_HALVES = {"int": "product_of_ints", "uint": "product_of_unsigned"}
"""Helpers that multiply integers of 64 bits which ones of 32 bits of such a kind hold."""


def product_of_halves(type_: ValueType, kinds: frozenset[str]) -> str:
    """The helper that multiplies such numbers, one instruction where gcc 12 makes a product of 64 bits of several; ""
    where there is none."""
    if type_.element.bits != 64 or _bytes(type_) not in (16, 32, 64):
        return ""
    return next((name for kind, name in PRODUCTS_OF_HALVES.items() if kind in kinds), "")


def _product_of_halves(name: str, kind: str, type_: ValueType, version: Version | None) -> str:
    register, prefix, _ = _register(type_)
    signed = kind == PRODUCTS_OF_HALVES["int"]
    macro = {16: "__SSE4_1__" if signed else "__SSE2__", 32: "__AVX2__", 64: "__AVX512F__"}[_bytes(type_)]
    body = f"({vector_name(type_)}){prefix}_mul_ep{'i' if signed else 'u'}32(({register})(a), ({register})(b))"
    return _or_plain(f"{name}(a, b)", [((macro,), f"({body})")], "((a) * (b))", version)


_NUMBERS = {
    "u8": "bytes",
    "i8": "chars",
    "u16": "words",
    "i16": "shorts",
    "i32": "ints",
    "u32": "unsigned",
    "i64": "longs",
    "u64": "unsigned_longs",
    "f32": "floats",
}


def conversion_name(source: ScalarType) -> str:
    """The kind of helpers that convert vectors of such elements."""
    return f"from_{_NUMBERS[str(source)]}"


def is_one_conversion(source: ValueType, target: ValueType) -> bool:
    """Whether x86 processors convert such vectors by instructions that gcc 12 does not find: it converts halves, and
    what is smaller than a register lane by lane."""
    ratio = target.element.bits / source.element.bits
    if target.element == F64 and source.element.bits == 32:
        return _bytes(source) >= 16 and _bytes(target) in (32, 64)
    if source.element.is_float or target.element.is_float or ratio == 1 or not (1 / 4 <= ratio <= 4):
        return False
    if source.element.bits == 64:
        return target.element.bits == 32 and _bytes(source) in (16, 32, 64)
    if str(source.element) not in _NUMBERS or (ratio < 1 and target.element.bits > 16):
        return False
    wider, other = (target, source) if ratio > 1 else (source, target)
    return _bytes(other) >= 2 and _bytes(wider) in ((16, 32, 64) if ratio > 1 else (16, 64))


def _source(kind: str, target: ValueType) -> ValueType:
    """What is converted by helpers of a kind."""
    text = next(text for text, word in _NUMBERS.items() if kind == f"from_{word}")
    return named_type(text)._replace(lanes=target.lanes)


def _between(kind: str, target: ValueType) -> list[ValueType]:
    """The types on the way where compilers convert by steps."""
    source = _source(kind, target).element
    if {source.bits, target.element.bits} != {8, 32}:
        return []
    narrow = min(source, target.element, key=lambda type_: type_.bits)
    return [ValueType(ScalarType(narrow.kind, 16), target.lanes)]


def _conversion(name: str, kind: str, type_: ValueType, version: Version | None) -> str:
    """A macro: what it converts is an expression."""
    vector, inner = vector_name(type_), "vector"
    for step in _between(kind, type_):
        inner = f"__builtin_convertvector({inner}, {vector_name(step)})"
    plain = f"__builtin_convertvector({inner}, {vector})"
    return _or_plain(f"{name}(vector)", _conversions(_source(kind, type_), type_), plain, version)


def _or_plain(head: str, ways: Sequence[tuple[tuple[str, ...], str]], plain: str, version: Version | None) -> str:
    """A macro: by the first way whose macros are all there, or in GNU C, which clang makes the best of.

    Args:
        head: its name and parameters.
    """
    text = ""
    for macros, body in ways:
        known = [f"defined {macro}" for macro in macros]
        if version is not None:
            if not all(map(version.defines, macros)):
                continue
            known = []
        test = " && ".join(["!defined __clang__", *known])
        lines = " \\\n".join(wrap(f"#define {head} {body}", 116))
        text += f"#{'el' if text else ''}if {test}\n{lines}\n"
    otherwise = f"#define {head} {plain}\n"
    return f"{text}#else\n{otherwise}#endif\n" if text else otherwise


def _conversions(source: ValueType, target: ValueType) -> list[tuple[tuple[str, ...], str]]:
    """How processors convert ``vector``, the best first: the macros of those that can, and an expression."""
    widens = target.element.bits > source.element.bits
    wide = _bytes(target if widens else source)
    prefix = {16: "_mm", 32: "_mm256", 64: "_mm512"}[wide]
    macros = {16: "__SSE4_1__", 32: "__AVX2__", 64: "__AVX512F__"}[wide]
    if wide == 64 and max(target.element.bits, source.element.bits) == 16:
        macros = "__AVX512BW__"
    sign = "epu" if widens and source.element.kind == "uint" else "epi"
    numbers, becomes = f"{sign}{source.element.bits}", f"epi{target.element.bits}"
    if target.element.is_float:
        numbers, becomes = "ps" if source.element.is_float else numbers, "pd"
        if wide == 32:
            macros = "__AVX512VL__" if source.element.kind == "uint" else "__AVX__"
    # gcc moves what is smaller than a register through integers, which costs nothing from and to memory.
    register = f"(__m{8 * _bytes(source)}{'' if source.element.is_float else 'i'})(vector)"
    match _bytes(source):
        case 8:
            register = "_mm_cvtsi64_si128((long long)(vector))"
        case 4:
            register = "_mm_cvtsi32_si128((int)(vector))"
        case 2:
            register = "_mm_cvtsi32_si128((short)(vector))"

    def result(text: str) -> str:
        match _bytes(target):
            case 8:
                text = f"_mm_cvtsi128_si64({text})"
            case 4:
                text = f"_mm_cvtsi128_si32({text})"
            case 2:
                text = f"(short)_mm_cvtsi128_si32({text})"
        return f"(({vector_name(target)}){text})"

    if source.element.bits == 64:
        return [((macro,), result(text)) for macro, text in _low_halves(register, wide)]
    one = ((macros,), result(f"{prefix}_cvt{numbers}_{becomes}({register})"))
    if wide > 16:
        return [one]
    with_sse2 = (("__SSE2__",), result(_with_sse2(source, target, register)))
    return [one, with_sse2] if widens else [with_sse2]


def _low_halves(register: str, size: int) -> list[tuple[str, str]]:
    """Of integers of 64 bits in so many bytes."""
    if size == 64:
        return [("__AVX512F__", f"_mm512_cvtepi64_epi32({register})")]
    if size == 16:
        return [("__SSE2__", f"_mm_shuffle_epi32({register}, 0x88)")]
    even = "_mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)"
    both = f"_mm256_castsi256_si128(_mm256_permutevar8x32_epi32({register}, {even}))"
    return [("__AVX512VL__", f"_mm256_cvtepi64_epi32({register})"), ("__AVX2__", both)]


def _with_sse2(source: ValueType, target: ValueType, register: str) -> str:
    """Integers' lanes beside copies of themselves or zeros, and shifted; or their low bits packed."""
    bits, becomes = source.element.bits, target.element.bits
    steps = []
    if becomes > bits:
        signed = source.element.kind == "int"
        for width in (width for width in (8, 16, 32) if bits <= width < becomes):
            steps.append(f"x_ = _mm_unpacklo_epi{width}(x_, {'x_' if signed else '_mm_setzero_si128()'});")
        if signed and becomes == 64:
            # SSE2 has no arithmetic shift of 64 bits: signs beside the numbers.
            steps[-1] = f"x_ = _mm_srai_epi32(x_, {32 - bits}); x_ = _mm_unpacklo_epi32(x_, _mm_srai_epi32(x_, 31));"
        elif signed:
            steps.append(f"x_ = _mm_srai_epi{becomes}(x_, {becomes - bits});")
    elif becomes == 8:
        steps.append(f"x_ = _mm_and_si128(x_, _mm_set1_epi{bits}(255));")
        steps += ["x_ = _mm_packs_epi32(x_, x_);"] * (bits == 32) + ["x_ = _mm_packus_epi16(x_, x_);"]
    else:
        steps.append("x_ = _mm_srai_epi32(_mm_slli_epi32(x_, 16), 16); x_ = _mm_packs_epi32(x_, x_);")
    return f"__extension__({{ __m128i x_ = {register}; {' '.join(steps)} x_; }})"


def _fold(name: str, kind: str, type_: ValueType) -> str:
    """Halves onto each other until one is left."""
    vector, element = vector_name(type_), scalar_name(type_.element)
    operator = next(operator for operator, known in FOLDS.items() if known == kind)
    test = {"min": "<", "max": ">"}.get(operator)

    def combine(a: str, b: str) -> str:
        return f"{a} {operator} {b}" if test is None else f"{a} {test} {b} ? {a} : {b}"

    one_register = type_._replace(lanes=min(type_.lanes, 16 // type_.element.bytes))
    has_one = test is None or bool(_extremum_instruction("min", one_register, None))
    if has_one and type_.lanes & (type_.lanes - 1) == 0 and _bytes(type_) >= 16:
        return _fold_of_halves(name, operator, type_)
    lines: list[str] = []
    halves: list[str] = []
    held, count = "(*v)", type_.lanes
    while count > 1:
        half = (count + 1) // 2
        halves.append(f"s{half}[{half}]")
        each = f"s{half}[k] = ({element})({combine(f'{held}[k]', f'{held}[k + {half}]')});"
        lines.append(f"    polyloop_unrolled for (int k = 0; k < {count - half}; k++) {each}\n")
        if count % 2:
            lines.append(f"    s{half}[{half - 1}] = {held}[{half - 1}];\n")
        held, count = f"s{half}", half
    body = f"    {element} {', '.join(halves)};\n{''.join(lines)}    return {held}[0];\n"
    return f"{_INLINE}{element} {name}(const {vector} *v)\n{{\n{body}}}\n"


def _fold_of_halves(name: str, operator: str, type_: ValueType) -> str:
    """By shuffles, as gcc would take all lanes out one by one; what is left fills a register of 128 bits at least."""
    lines, held, half, vector = list[str](), "*v", type_.lanes // 2, vector_name(type_)
    while half:
        count, first = type_.lanes, held
        other: Sequence[int] = [lane ^ half for lane in range(count)]
        if half * type_.element.bytes >= 16:
            type_, other = type_._replace(lanes=half), range(half, count)
            first = shuffle(f"{held}, {held}", range(half), count)
        held_type, second = vector_name(type_), shuffle(f"{held}, {held}", other, count)
        if operator in ("min", "max"):
            kind = "lesser" if operator == "min" else "greater"
            lines += wrap(f"    const {held_type} a{half} = {first}, b{half} = {second};", 116)
            lines.append(f"    {held_type} s{half}; polyloop_{kind}_{type_}(&s{half}, &a{half}, &b{half});")
        else:
            lines += wrap(f"    const {held_type} s{half} = {first} {operator} {second};", 116)
        held, half = f"s{half}", half // 2
    body = "\n".join((*lines, f"    return {held}[0];"))
    return f"{_INLINE}{scalar_name(type_.element)} {name}(const {vector} *v)\n{{\n{body}\n}}\n"


def _keep(type_: ValueType, version: Version | None) -> str:
    instructions = _INSTRUCTION_SETS[_bytes(type_)]
    test = f"defined {instructions} && !defined __clang__"
    if version is not None:
        test = "!defined __clang__" if version.defines(instructions) else "0"
    macro = f"polyloop_keep_{type_}(vector)"
    return f"""\
/* Keeps a loaded vector in its register: gcc would load it again wherever it is used. */
#if {test}
#define {macro} __asm__("" : "+v"(vector))
#else
#define {macro} ((void)0)
#endif
"""


def _extremum(name: str, kind: str, type_: ValueType, version: Version | None) -> str:
    """Of integers clang makes one instruction only of its own function, which for floats orders zeros; gcc makes one of
    single lanes, but not always."""
    vector, builtin, operator = vector_name(type_), *(("min", "<") if kind == "lesser" else ("max", ">"))
    head = f"""\
/* The {kind} one of a and b in every lane. */
{_INLINE}void {name}({vector} *r, const {vector} *a, const {vector} *b)
{{
"""
    each = f"""\
    for (int k = 0; k < {type_.lanes}; k++)
        (*r)[k] = (*a)[k] {operator} (*b)[k] ? (*a)[k] : (*b)[k];
"""
    one = _extremum_instruction(builtin, type_, version)
    if type_.element.is_float:
        return f"{head}#{one}#else\n{each}#endif\n}}\n" if one else f"{head}{each}}}\n"
    return f"""\
{head}#if defined __clang_major__ && __clang_major__ >= 16
    *r = __builtin_elementwise_{builtin}(*a, *b);
{f"#el{one}" if one else ""}#else
{each}#endif
}}
"""


def group_sums(kind: str, type_: ValueType) -> ValueType:
    """What functions of neighbouring lanes make of such vectors."""
    _, result, group = next(GROUPS[operator] for operator, name in GROUP_SUMS.items() if name == kind)
    return ValueType(result, type_.lanes // group)


def _group_sums(name: str, kind: str, type_: ValueType, version: Version | None) -> str:
    """One instruction where the processor has it."""
    vector, result = vector_name(type_), group_sums(kind, type_)
    group, element = type_.lanes // result.lanes, scalar_name(result.element)
    if kind == "dots":
        about, call = "products", "madd_epi16"
        one = f"({element})((*a)[k] * (*b)[k])"
    else:
        about, call = "distances", "sad_epu8"
        one = f"({element})((*a)[k] > (*b)[k] ? (*a)[k] - (*b)[k] : (*b)[k] - (*a)[k])"
    macro = {16: "__SSE2__", 32: "__AVX2__", 64: "__AVX512BW__"}[_bytes(type_)]
    test = f"defined {macro}" if version is None else str(int(version.defines(macro)))
    _, prefix, _ = _register(type_)
    register = _integers(type_)
    return f"""\
/* Sums of the {about} of {group} neighbouring lanes each. */
{_INLINE}void {name}({vector_name(result)} *r, const {vector} *a, const {vector} *b)
{{
#if {test}
    *r = ({vector_name(result)}){prefix}_{call}(({register})*a, ({register})*b);
#else
    {vector_name(result)} sums = {{0}};
    for (int k = 0; k < {type_.lanes}; k++)
        sums[k / {group}] += {one};
    *r = sums;
#endif
}}
"""


def _extremum_instruction(which: str, type_: ValueType, version: Version | None) -> str:
    """One instruction for all lanes, where the processor has it: the test for that, and the statement."""
    element = type_.element
    if not fits_register(type_) or (element.bits > 32 and not element.is_float):
        return ""
    register, prefix, suffix = _register(type_)
    wide = "__AVX512F__" if element.bits == 32 else "__AVX512BW__"
    macro = {16: "__SSE4_1__", 32: "__AVX2__", 64: wide}[_bytes(type_)]
    if element.is_float:
        macro = _INSTRUCTION_SETS[_bytes(type_)]
    elif element.kind == "uint":
        suffix = f"epu{element.bits}"
    test = f"defined {macro}" if version is None else str(int(version.defines(macro)))
    call = f"{prefix}_{which}_{suffix}(({register})*a, ({register})*b)"
    return f"if {test}\n    *r = ({vector_name(type_)}){call};\n"


def _from_library(name: str, function: str, type_: ValueType, version: Version | None) -> str:
    """exp, log, pow, sin and cos by glibc's libmvec, of which -lm makes a part; lane by lane without it."""
    vector, count = vector_name(type_), LIBRARY_FUNCTIONS[function]
    names = ("a", "b")[:count]
    builtin = f"__builtin_{function}" + ("f" if type_.element.bits == 32 else "")
    lanes = ", ".join(f"{builtin}({', '.join(f'(*{x})[{k}]' for x in names)})" for k in range(type_.lanes))
    each = f"    *r = ({vector}){{{lanes}}};\n"
    head = f"{_INLINE}void {name}({vector} *r, {', '.join(f'const {vector} *{x}' for x in names)})\n{{\n"
    if version is not None or not fits_register(type_):
        return f"{head}{each}}}\n"
    register = _register(type_)[0]
    isa, macro = {16: ("b", "__SSE2__"), 32: ("d", "__AVX2__"), 64: ("e", "__AVX512F__")}[_bytes(type_)]
    symbol = f"_ZGV{isa}N{type_.lanes}{'v' * count}_{function}" + ("f" if type_.element.bits == 32 else "")
    test = f"defined __x86_64__ && defined __gnu_linux__ && defined {macro}"
    return f"""\
/* {function} of every lane, by the function for vectors of the C library (link with -lm): exact to 4 units. */
#if {test}
#ifdef __cplusplus
extern "C"
#endif
{register} {symbol}({", ".join([register] * count)});
#endif
{head}#if {test}
    *r = ({vector}){symbol}({", ".join(f"({register})*{x}" for x in names)});
#else
{each}#endif
}}
"""


_ROUNDINGS = {"floor": 9, "ceil": 10, "trunc": 11}
"""The direction of an instruction that rounds; without the exception for what is not exact."""


def _lanewise(name: str, function: str, type_: ValueType, version: Version | None) -> str:
    """sqrt, fabs, floor, ceil and trunc: the compiler's vector operator where it has one, else the instruction, else
    lane by lane."""
    vector = vector_name(type_)
    builtin = f"__builtin_{function}" + ("f" if type_.element.bits == 32 else "")
    if function == "fabs":
        integers = integer_lanes(type_)
        mask = (1 << (type_.element.bits - 1)) - 1
        body = f"    *r = ({vector})(({vector_name(integers)})*v & {mask}{'L' if type_.element.bits == 64 else ''});\n"
    else:
        elementwise = "__builtin_elementwise_" + function
        lanes = ", ".join(f"{builtin}((*v)[{lane}])" for lane in range(type_.lanes))
        wrapped = "\n".join(wrap(f"    *r = ({vector}){{{lanes}}};"))
        body = f"""\
#if defined __clang_major__ && __clang_major__ >= 16
    *r = {elementwise}(*v);
{_instruction(function, type_, version)}#else
{wrapped}
#endif
"""
    return f"{_INLINE}void {name}({vector} *r, const {vector} *v)\n{{\n{body}}}\n"


def _view(name: str, type_: ValueType) -> str:
    """A scalar's bits as those of another type of its size."""
    to = scalar_name(type_.element)
    given = scalar_name(ScalarType("uint" if type_.element.is_float else "float", type_.element.bits))
    return f"""\
static inline {to} {name}({given} x)
{{
    {to} r;
    __builtin_memcpy(&r, &x, sizeof r);
    return r;
}}
"""


def _bit_count(name: str, type_: ValueType, version: Version | None) -> str:
    """One instruction, where the processor has it; else sums of ever wider fields (Warren, "Hacker's Delight", section
    5-1), which clang knows for what it is."""
    vector, bits = vector_name(type_), type_.element.bits
    fives, threes, ones, first = (
        f"0x{byte * (bits // 8)}{'UL' if bits == 64 else 'U'}" for byte in ("55", "33", "0f", "01")
    )
    instruction = ""
    if version is None and fits_register(type_):
        register, prefix, suffix = _register(type_)
        registers = "" if _bytes(type_) == 64 else " && defined __AVX512VL__"
        instruction = f"""\
#if defined __AVX512VPOPCNTDQ__{registers}
    x = ({vector}){prefix}_popcnt_{suffix}(({register})x);
#else
"""
    return f"""\
/* How many bits of every lane are 1. */
{_INLINE}void {name}({vector} *r, const {vector} *v)
{{
    {vector} x = *v;
{instruction}    x -= (x >> 1) & {fives};
    x = (x & {threes}) + ((x >> 2) & {threes});
    x = ((x + (x >> 4)) & {ones}) * {first} >> {bits - 8};
{"#endif" + chr(10) if instruction else ""}    *r = x;
}}
"""


def _instruction(function: str, type_: ValueType, version: Version | None) -> str:
    """One instruction for all lanes, where the processor has it: gcc has no operator for it, and would not find it."""
    if not fits_register(type_):
        return ""
    register, prefix, suffix = _register(type_)
    macro, operand = _INSTRUCTION_SETS[_bytes(type_)], f"({register})*v"
    if function == "sqrt":
        call = f"{prefix}_sqrt_{suffix}({operand})"
    else:
        macro = "__SSE4_1__" if _bytes(type_) == 16 else macro
        rounds = "roundscale" if _bytes(type_) == 64 else "round"
        call = f"{prefix}_{rounds}_{suffix}({operand}, {_ROUNDINGS[function]})"
    test = f"defined {macro}" if version is None else str(int(version.defines(macro)))
    return f"#elif {test}\n    *r = ({vector_name(type_)}){call};\n"
