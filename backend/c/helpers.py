"""The helpers that printed C calls: vector types, integer functions, prefix loads and stores, lane operations.

Each is a `Helper`; a file gets those that it uses, and what those use. `c_vectors` has those on vectors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from polyloop.backend.c.text import scalar_name, vector_name
from polyloop.backend.c.vectors import (
    function,
    has_avx_masks,
    has_masks,
    named_type,
    typedef,
)
from polyloop.backend.ir.expressions import PRODUCTS, ScalarType
from polyloop.backend.ir.vector_program import ValueType
from polyloop.backend.machine.target import X86

if TYPE_CHECKING:
    from polyloop.backend.machine.versions import Version


@dataclass(frozen=True)
class Helper:
    """One definition.

    Attributes:
        kind: "type", "pointee" (an integer in memory that may be of another C type of its size), "include", "for" (what
            functions of a version begin with), "apart", "in_order", "ahead", "at", "inline", "undistributed",
            "uncontracted", "strips", "rolled", "scalar", "lane", "shuffle", "reshuffle", "kernel" (macros), "extreme"
            and its kin (of numbers in memory), "ends" (what these return), a scalar function ("floord", "min", "max",
            "start", "threads", "thread", "fits", "disjoint", "none_overlap", "product_end", "quotient_end",
            "remainder_end", "stride", "strides", "narrow", "version", "take"), or one on vectors ("load", "store",
            "parts" (what these use), "keep", "reverse", "gather", "scatter", "load_where", "store_where", "compact",
            "spread", "splat", "behind3" (lanes from there on), "turn8" (so many rows), "count", "dots", "distances",
            "lesser", "greater", "sum", "product", "least", "greatest", "sqrt", ...), or "view" (a scalar's bits as a
            number of its type).
        type: where there is one for each vector type.
        detail: an include's file.
        version: of one on vectors, and of "for": for which of several instruction sets, of which the processor chooses.
        versions: of "version": those that there are, see `version_choice`.
    """

    kind: str
    type: ValueType | None = None
    detail: str = ""
    version: Version | None = None
    versions: tuple[Version, ...] = ()

    @property
    def name(self) -> str:
        """The C identifier that it defines."""
        if self.kind == "type" and self.type is not None:
            return vector_name(self.type)
        suffix = f"_{self.type}" if self.type is not None else ""
        suffix += f"_{self.version.suffix}" if self.version is not None else ""
        return f"polyloop_{self.detail or self.kind}{suffix}"


def complex_product(name: str) -> str:
    """What computes a part of a product of complex numbers (`polyloop.backend.ir.expressions.PRODUCTS`)."""
    type_, part = "float" if name.endswith("f") else "double", "__real__" if PRODUCTS[name] else "__imag__"
    return f"""\
/* The {"real" if PRODUCTS[name] else "imaginary"} part of (a + bi)(c + di), which infinities make something else of. */
static __attribute__((noinline, cold)) {type_} {name}({type_} a, {type_} b, {type_} c, {type_} d)
{{
    {type_} _Complex x, y;
    __real__ x = a;
    __imag__ x = b;
    __real__ y = c;
    __imag__ y = d;
    return {part} (x * y);
}}
"""


_SCALAR_HELPERS = {
    "kernel": """\
#ifdef __clang__
/* A function that stays one, whose loops gcc does not distribute: it would lose the last of conditional accesses. */
#define polyloop_kernel static __attribute__((noinline))
#else
#define polyloop_kernel static __attribute__((noipa, optimize("no-tree-loop-distribution")))
#endif
""",
    "undistributed": """\
/* A function whose loops are not distributed over several. gcc from 8 on (seen in 12.2 at -O3) does so behind a test
   whether the loops touch the same memory, which leaves out the last element of accesses under a condition. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define polyloop_undistributed __attribute__((optimize("no-tree-loop-distribution")))
#else
#define polyloop_undistributed
#endif
""",
    "outlined": """\
/* A function of whose loops only calls are left stays one: in the place of its own calls its tests, and its loops as
   they were, would take the registers of the loops around. */
#define polyloop_outlined __attribute__((noinline))
""",
    "uncontracted": """\
/* A function whose results are the same bits on every processor: no product is fused with a sum, which gcc does by
   default, across statements, where there are instructions for it. gcc before 12 forgets -fno-strict-aliasing in
   functions with such an attribute. From 12 on, and before 15, its vectorizers fuse all the same where a difference of
   products stands beside a sum, as in those of complex numbers. (clang's -ffp-contract=fast fuses whatever a file
   says.) */
#if defined __FAST_MATH__ || defined __ASSOCIATIVE_MATH__ || defined __RECIPROCAL_MATH__
#error "made with polyloop --reproducible: compile this file without -ffast-math, -Ofast and parts of it"
#elif defined __FLT_EVAL_METHOD__ && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)
#error "made with polyloop --reproducible: compile this file for arithmetic without excess precision (-mfpmath=sse)"
#endif
#if !defined(__GNUC__) || defined(__clang__)
#define polyloop_uncontracted
#elif __GNUC__ < 12
#define polyloop_uncontracted __attribute__((optimize("fp-contract=off", "no-strict-aliasing")))
#elif __GNUC__ < 15
#define polyloop_uncontracted \\
    __attribute__((optimize("fp-contract=off", "no-tree-slp-vectorize", "no-tree-loop-vectorize")))
#else
#define polyloop_uncontracted __attribute__((optimize("fp-contract=off")))
#endif
""",
    **{name.removeprefix("polyloop_"): complex_product(name) for name in PRODUCTS},
    "narrow": """\
/* Rounds to float for good. gcc before 14 drops the conversions of (double)(float)x where it has put several into one
   vector: it compares the vectors' numbers of lanes instead of the lanes' precision. */
static inline float polyloop_narrow(double value)
{
    float narrow = (float)value;
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
#ifdef __SSE2__
    __asm__("" : "+x"(narrow));
#else
    __asm__("" : "+g"(narrow));
#endif
#endif
    return narrow;
}
""",
    "apart": """\
/* Keeps a sum in a register of its own: clang would gather those of several rows into a vector, one by one. */
#if defined __clang__ && defined __x86_64__
#define polyloop_apart(sum) __asm__("" : "+x"(sum))
#elif defined __clang__ && defined __aarch64__
#define polyloop_apart(sum) __asm__("" : "+w"(sum))
#else
#define polyloop_apart(sum) ((void)0)
#endif
""",
    "in_order": """\
/* A sum to which one iteration adds several numbers, not in the order that they have in memory. gcc (seen in 11 and 12)
   makes a vector of them, and adds its numbers in the order of memory. */
#if defined(__GNUC__) && !defined(__clang__) && defined __SSE2__
#define polyloop_in_order(sum) __asm__("" : "+x"(sum))
#elif defined(__GNUC__) && !defined(__clang__) && defined __aarch64__
#define polyloop_in_order(sum) __asm__("" : "+w"(sum))
#else
#define polyloop_in_order(sum) ((void)0)
#endif
""",
    "settled": """\
/* The last value of one of several integer sums of a loop. gcc 12 loses terms of sums side by side that it makes a
   vector of, where a conversion to unsigned is what reads them behind the loop. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define polyloop_settled(sum) __asm__("" : "+r"(sum))
#else
#define polyloop_settled(sum) ((void)0)
#endif
""",
    "start": """\
#ifdef __clang__
/* Where a loop starts. clang must not see that it moves with the loop around: it would keep a pointer per array. */
#define polyloop_start(first) \\
    __extension__({ long first_ = first; if (!__builtin_constant_p(first)) __asm__("" : "+r"(first_)); first_; })
#else
#define polyloop_start(first) (first)
#endif
""",
    "ahead": """\
/* Asks the caches for an element that may lie outside of its array, where no pointer may point. */
#define polyloop_ahead(array, offset) __builtin_prefetch((const void *)((uintptr_t)(array) + (uintptr_t)(offset)))
""",
    "at": """\
/* The address of an element of which nothing is touched where it lies outside of its array. */
#define polyloop_at(type, array, offset) ((type *)((uintptr_t)(array) + (uintptr_t)(offset)))
""",
    "inline": """\
#define polyloop_inline static inline __attribute__((always_inline, unused))
""",
    "shuffle": """\
#if defined __clang__ || __GNUC__ >= 12
/* Lanes of two vectors, counted through both; as many as each of them has. */
#define polyloop_shuffle(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define polyloop_shuffle(a, b, ...) __extension__({ const int lanes_[] = {__VA_ARGS__}; unsigned k_; \\
    __typeof__((a) == (b)) order_; polyloop_unrolled for (k_ = 0; k_ < sizeof lanes_ / sizeof(int); k_++) \\
        { order_[k_] = (__typeof__(order_[0]))lanes_[k_]; } __builtin_shuffle(a, b, order_); })
#endif
""",
    "reshuffle": """\
#if defined __clang__ || __GNUC__ >= 12
/* The same of more or fewer lanes, for which gcc had no function before. */
#define polyloop_reshuffle(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define polyloop_reshuffle(a, b, ...) __extension__({ \\
    const __typeof__(a) from_[2] = {a, b}; const int order_[] = {__VA_ARGS__}; \\
    __typeof__((a)[0]) to_ __attribute__((vector_size(sizeof order_ / sizeof(int) * sizeof((a)[0])))); \\
    unsigned k_; polyloop_unrolled for (k_ = 0; k_ < sizeof order_ / sizeof(int); k_++) \\
        to_[k_] = ((const __typeof__((a)[0]) *)from_)[order_[k_]]; \\
    to_; })
#endif
""",
    "floord": """\
static inline long polyloop_floord(long a, long b) { return a / b - (a % b < 0); } /* rounded down, b > 0 */
""",
    "strips": """\
/* A loop over vectors, of which the last one may have fewer lanes than `step`: compilers make two loops of it. */
#define polyloop_strips(i, lanes, begin, end, step) \\
    _Pragma("GCC unroll 2") for (int rest_ = 0; rest_ < 2; rest_++) \\
        _Pragma("GCC unroll 1") for (long i = rest_ ? (end) - ((end) - (begin)) % step : polyloop_start(begin), \\
            lanes = rest_ ? (end) - i : step, last_ = (end) - (rest_ ? 1 : step); i <= last_; \\
            i = rest_ ? (end) : i + step)
""",
    "strips_again": """\
/* A loop over vectors, of which the last one begins where it is whole, or with the loop if it has fewer than `step`. */
#define polyloop_strips_again(i, lanes, begin, end, step) \\
    _Pragma("GCC unroll 2") for (int rest_ = 0; rest_ < 2; rest_++) \\
        _Pragma("GCC unroll 1") for (long i = !rest_ ? polyloop_start(begin) \\
                : (end) - (begin) < step ? (begin) : (end) - step, lanes = rest_ ? (end) - i : step, \\
            last_ = !rest_ ? (end) - step : ((end) - (begin)) % step ? (end) - 1 : i - 1; i <= last_; \\
            i = rest_ ? (end) : i + step)
""",
    "rolled": """\
#define polyloop_rolled _Pragma("GCC unroll 1") /* a loop whose body uses the registers as it is */
""",
    "scalar": """\
#ifdef __clang__ /* a loop whose lanes would lie far apart, which clang would gather and scatter */
#define polyloop_scalar _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define polyloop_scalar _Pragma("GCC unroll 1")
#endif
""",
    "lane": """\
#if defined __clang__ && defined __AVX512F__ /* lanes that it is not to gather: they are loaded one by one */
#define polyloop_lane(x) __extension__({ __typeof__(x) x_ = x; __asm__("" : "+v"(x_)); x_; })
#else
#define polyloop_lane(x) (x)
#endif
""",
    "unrolled": """\
#define polyloop_unrolled _Pragma("GCC unroll 64") /* rows and columns of a tile, which stay in registers so */
""",
    "min": """\
static inline long polyloop_min(long a, long b) { return a < b ? a : b; }
""",
    "max": """\
static inline long polyloop_max(long a, long b) { return a > b ? a : b; }
""",
    "threads": """\
static inline int polyloop_threads(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}
""",
    "thread": """\
static inline int polyloop_thread(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}
""",
    "take": """\
/* Memory for a call; none beyond 4 gigabytes, as the original loops need none. */
static inline char *polyloop_take(size_t size) { return size > 4294967295u ? NULL : (char *)malloc(size); }
""",
    "fits": """\
/* Whether sums and products of such sizes stay inside a long. */
static inline int polyloop_fits(long size) { return -2147483647L <= size && size <= 2147483647L; }
""",
    "ends": """\
/* The smallest and the largest of some numbers. */
typedef struct { long least, most; } polyloop_ends;
""",
    "stride": """\
/* How many elements of a size lie between one row and the next, if it is as many from the first to the last; else 0. */
static inline long polyloop_stride(const void *rows, long first, long last, long size)
{
    const char *const pointers = (const char *)rows;
    uintptr_t distance = 0;
    for (long r = first; r < last; r++) {
        uintptr_t row, next;
        __builtin_memcpy(&row, pointers + r * (long)sizeof row, sizeof row);
        __builtin_memcpy(&next, pointers + (r + 1) * (long)sizeof row, sizeof row);
        if (r > first && next - row != distance)
            return 0;
        distance = next - row;
    }
    return distance % (uintptr_t)size ? 0 : (long)(distance / (uintptr_t)size);
}
""",
    "strides": """\
/* Whether rows lie as far apart as they should, or else how far, with `set`, from the first to the last of each level
   of a table of pointers, of tables of them with several levels; and where the first one lies. */
static inline int polyloop_rows(const void *rows, long levels, const long *ends, int set, uintptr_t *start,
    uintptr_t *apart)
{
    uintptr_t last = 0;
    for (long r = ends[0]; r <= ends[1]; r++) {
        uintptr_t row;
        __builtin_memcpy(&row, (const char *)rows + r * (long)sizeof row, sizeof row);
        if (!row || (levels > 1 && !polyloop_rows((const void *)row, levels - 1, ends + 2, set, &row, apart + 1)))
            return 0;
        if (r == ends[0])
            *start = row;
        else if (set)
            apart[0] = row - last;
        else if (row - last != apart[0])
            return 0;
        last = row;
    }
    return 1;
}

/* How many elements of a size lie between the rows of the last level, how many rows of the next between those of
   another; 0 if these are no numbers, or not the same everywhere. What follows are the first and the last row of each
   level, of one box of rows after the other. */
static inline __attribute__((pure)) long polyloop_strides(const void *rows, long size, long level, long levels,
    long boxes, ...)
{
    long ends[2 * 8 * 8] = { 0 };
    va_list arguments;
    va_start(arguments, boxes);
    for (long k = 0; k < 2 * levels * boxes; k++)
        ends[k] = va_arg(arguments, long);
    va_end(arguments);
    uintptr_t apart[8] = { 0 }, rows_of[8] = { 0 }, first = 0, start = 0;
    int several[8] = { 0 };
    for (int set = 1; set >= 0; set--)
        for (long b = 0; b < boxes; b++) {
            const long *const box = ends + b * 2 * levels;
            int empty = 0;
            for (long k = 0; k < levels; k++)
                empty |= box[2 * k] > box[2 * k + 1];
            if (empty && b > 0)
                continue;
            if (empty || !polyloop_rows(rows, levels, box, set, &start, apart))
                return 0;
            for (long k = 0; k < levels; k++) {
                several[k] |= box[2 * k] < box[2 * k + 1] || box[2 * k] != ends[2 * k];
                rows_of[k] = rows_of[k] > (uintptr_t)box[2 * k + 1] ? rows_of[k] : (uintptr_t)box[2 * k + 1] + 1;
                start -= (uintptr_t)(box[2 * k] - ends[2 * k]) * apart[k];
            }
            first = b == 0 ? start : first;
            if (!set && start != first)
                return 0;
        }
    for (long k = levels - 2; k >= 0; k--)
        apart[k] = several[k] ? apart[k] : rows_of[k + 1] * apart[k + 1]; /* as far as it takes, where there is one */
    const uintptr_t unit = level + 1 < levels ? apart[level + 1] : (uintptr_t)size;
    return !unit || apart[level] % unit ? 0 : (long)(apart[level] / unit);
}
""",
    "disjoint": """\
/* Whether the bytes a[a_begin .. a_end) and b[b_begin .. b_end) have none in common. */
static inline int polyloop_disjoint(const void *a, long a_begin, long a_end, const void *b, long b_begin, long b_end)
{
    const long apart = (long)((uintptr_t)b - (uintptr_t)a);
    return a_begin >= a_end || b_begin >= b_end || a_end - b_begin <= apart || b_end - a_begin <= -apart;
}
""",
    "none_overlap": """\
/* Whether the first `written` of these ranges of bytes, {memory, begin, end} each, share none with the others. */
typedef struct { const void *memory; long begin, end; } polyloop_range;
static inline int polyloop_none_of(const polyloop_range *a, long written, long count)
{
    int common = 0;
    for (; written > 0; written--, count--, a++)
        for (long k = 1; k < count; k++) {
            const long apart = (long)((uintptr_t)a[k].memory - (uintptr_t)a->memory), end = a[k].end;
            common |= a->begin < a->end && a[k].begin < end && a->end - a[k].begin > apart && end - a->begin > -apart;
        }
    return !common;
}
#define polyloop_none_overlap(written, ...) __extension__({ const polyloop_range ranges_[] = {__VA_ARGS__}; \\
    polyloop_none_of(ranges_, written, (long)(sizeof ranges_ / sizeof *ranges_)); })
""",
    "product_end": """\
/* The smallest, or the largest, product of a number between two ends and one between two others; what is further away
   than any memory counts as that far. */
static inline long polyloop_product_end(long a_least, long a_most, long b_least, long b_most, int largest)
{
    const double far = 281474976710656.0; /* doubles are exact up to there */
    const double ends[4] = {
        (double)a_least * (double)b_least, (double)a_least * (double)b_most,
        (double)a_most * (double)b_least, (double)a_most * (double)b_most,
    };
    double end = ends[0];
    for (int k = 1; k < 4; k++)
        end = largest ? (ends[k] > end ? ends[k] : end) : (ends[k] < end ? ends[k] : end);
    return (long)(end > far ? far : end < -far ? -far : end);
}
""",
    "quotient_end": """\
/* The smallest, or the largest, quotient, rounded towards 0, of a number between two ends by one between two others.
   There is no end where these are not positive, or what is divided is further away than half of all memory. */
static inline long polyloop_quotient_end(long a_least, long a_most, long b_least, long b_most, int largest)
{
    const long far = 281474976710656L;
    if (b_least <= 0 || a_least <= -far / 2 || a_most >= far / 2)
        return largest ? far : -far;
    return largest ? a_most / (a_most < 0 ? b_most : b_least) : a_least / (a_least < 0 ? b_least : b_most);
}
""",
    "remainder_end": """\
/* The smallest, or the largest, remainder of a number between two ends by one between two others; no end as above. */
static inline long polyloop_remainder_end(long a_least, long a_most, long b_least, long b_most, int largest)
{
    const long far = 281474976710656L, most = b_most - 1;
    if (b_least <= 0 || a_least <= -far / 2 || a_most >= far / 2)
        return largest ? far : -far;
    if (largest)
        return a_most < 0 ? 0 : a_most < most ? a_most : most;
    return a_least >= 0 ? 0 : a_least > -most ? a_least : -most;
}
""",
}


_EXTREME = """\
/* The ends of so many elements{where}; 0 of none. */
static inline polyloop_ends {name}(const void *elements, long count{step})
{{
    const {pointee} *const p = (const {pointee} *)elements;
    {number} least = 0, most = 0;
    if (count > 0)
        least = most = ({number})p[0];
    for (long k = 1; k < count; k++) {{
        least = ({number})p[{place}] < least ? ({number})p[{place}] : least;
        most = ({number})p[{place}] > most ? ({number})p[{place}] : most;
    }}
{far}    const polyloop_ends ends = {{{least}, {most}}};
    return ends;
}}
"""

_EXTREME_OF_FLOATS = """\
/* Integers below and above all of so many numbers{where}; far away where one is none, or lies there; 0 of none. As
   integers, and with the others turned where the sign is set, bits are in the numbers' order: compilers have lanes. */
static inline polyloop_ends {name}(const void *elements, long count{step})
{{
    const {bits} *const p = (const {bits} *)elements;
    const long far = 281474976710656L; /* further away than any memory */
    const {integer} others = ({integer})(~({unsigned})0 >> 1);
    {integer} least = others, most = -others;
    for (long k = 0; k < count; k++) {{
        const {integer} x = p[{place}], y = x ^ ((x >> {sign}) & others);
        least = y < least ? y : least;
        most = y > most ? y : most;
    }}
    {number} low, high;
    least ^= (least >> {sign}) & others;
    most ^= (most >> {sign}) & others;
    __builtin_memcpy(&low, &least, sizeof low);
    __builtin_memcpy(&high, &most, sizeof high);
    polyloop_ends ends = {{-far, far}};
    if (low > -281474976710656 && high < 281474976710656) {{
        ends.least = (long)low - (({number})(long)low > low);
        ends.most = (long)high + (({number})(long)high < high);
    }}
    if (count <= 0)
        ends.least = ends.most = 0;
    return ends;
}}
"""

_FAR = """\
    const long far = 281474976710656L; /* further away than any memory */
    least = least < -far ? -far : least > far ? far : least;
    most = most < -far ? -far : most > far ? far : most;
"""

_BETWEEN = """\
/* The ends of the elements from `first` behind each lower one of so many bounds to `last` behind the upper one; 0 of
   none. */
static inline polyloop_ends {name}(
    const void *elements, const void *lower, const void *upper, long count, long first, long last)
{{
    const {pointee} *const p = (const {pointee} *)elements;
    const {bound} *const begin = (const {bound} *)lower, *const end = (const {bound} *)upper;
    long least = 0, most = 0, found = 0;
    for (long r = 0; r < count; r++)
        for (long k = (long)begin[r] + first; k < (long)end[r] + last; k++) {{
            least = !found || (long)p[k] < least ? (long)p[k] : least;
            most = !found || (long)p[k] > most ? (long)p[k] : most;
            found = 1;
        }}
{far}    const polyloop_ends ends = {{least, most}};
    return ends;
}}
"""

_EXTREMES = ("extreme", "extreme_apart", "extreme_between")


def _extreme(helper: Helper, type_: ValueType) -> str:
    """A function that looks for the ends of numbers in memory, both at once."""
    pointee, apart = Helper("pointee", type_).name, helper.kind == "extreme_apart"
    wide = type_.element.bits == 64
    far = _FAR if wide else ""
    if helper.kind == "extreme_between":
        bound = f"polyloop_pointee_{helper.detail.rpartition('_')[2]}"
        return _BETWEEN.format(name=helper.name, pointee=pointee, bound=bound, far=far)
    step, place, where = (", long step", "k * step", " that are so far apart") if apart else ("", "k", "")
    if type_.element.is_float:
        integer, unsigned = (ScalarType(kind, type_.element.bits) for kind in ("int", "uint"))
        return _EXTREME_OF_FLOATS.format(
            name=helper.name, bits=Helper("pointee", ValueType(integer)).name, integer=scalar_name(integer),
            unsigned=scalar_name(unsigned), number=scalar_name(type_.element), sign=type_.element.bits - 1,
            step=step, place=place, where=where,
        )  # fmt: skip
    # In its own type there are more of them in a vector.
    number = "long" if wide else scalar_name(type_.element)
    least, most = (end if wide else f"(long){end}" for end in ("least", "most"))
    return _EXTREME.format(
        name=helper.name, pointee=pointee, step=step, place=place, where=where, number=number,
        far=far, least=least, most=most,
    )  # fmt: skip


def definitions(helpers: Iterable[Helper]) -> list[tuple[str, str]]:
    """Name and C text of every helper asked for and of those they use, in an order that C accepts."""
    found: dict[Helper, str] = {}

    def visit(helper: Helper) -> None:
        if helper in found:
            return
        for needed in _needs(helper):
            visit(needed)
        found[helper] = _text(helper)

    for helper in sorted(helpers, key=_rank):
        visit(helper)
    return [(helper.name, found[helper]) for helper in sorted(found, key=_rank)]


def in_versions(helpers: Iterable[Helper], version: Version) -> frozenset[Helper]:
    """The helpers with those on vectors for one of several instruction sets, and what its functions begin with."""
    return frozenset((Helper("for", version=version), *(_in_version(helper, version) for helper in helpers)))


def _in_version(helper: Helper, version: Version) -> Helper:
    on_vectors = helper.type is not None and helper.kind not in ("type", "pointee", *_EXTREMES)
    return replace(helper, version=version) if on_vectors else helper


def _rank(helper: Helper) -> tuple[int, str, int, str]:
    stages = {"include": 0, "for": 2, "kernel": 3, "start": 3, "least": 6, "greatest": 6}
    stages |= dict.fromkeys(("type", "pointee", "ends"), 1)
    stage = stages.get(helper.kind, 4 if _is_short(helper) else 5)
    version = f"{helper.version.architecture} {helper.version.name}" if helper.version else ""
    return stage, version, helper.type.lanes if helper.type else 0, helper.name


_SHORT = frozenset(
    {
        *("ahead", "apart", "at", "fits", "floord", "in_order", "inline", "kernel", "keep", "lane", "max", "min"),
        *("rolled", "scalar", "shuffle", "splat", "start", "strips", "strips_again", "undistributed", "unrolled"),
    }
)
"""Kinds of macros, and of functions on one line, that stand together: each has a comment, or says all by its text."""


def _is_short(helper: Helper) -> bool:
    return helper.version is None and (helper.kind in _SHORT or helper.kind.startswith("behind"))


def _needs(helper: Helper) -> list[Helper]:
    """What it mentions; in a version, what it mentions where it has none."""
    if helper.version is None or helper.type is None:
        return _mentioned(helper)
    needed = [_in_version(other, helper.version) for other in _mentioned(replace(helper, version=None))]
    if helper.kind in ("parts", "load_where", "store_where", "compact", "spread", "count"):
        avx = helper.version.defines("__AVX__") and has_avx_masks(helper.type)
        if not avx and not has_masks(helper.version, helper.type):
            needed = [other for other in needed if other.kind != "include"]
    return needed


_HEADERS = {"stdint.h": "uintptr_t", "stdarg.h": "va_list", "immintrin.h": r"_mm|\b__m\d"}
"""By words of theirs."""

_OF_TYPES = re.compile(r"(pointee_|load_part_|store_part_|lesser_|greater_|)([fiu]\d+(?:x\d+)?)")


def _mentioned(helper: Helper) -> list[Helper]:
    """The headers and helpers whose words stand in its text, and its type's."""
    text = _text(helper)
    found = {Helper("include", detail=name) for name, word in _HEADERS.items() if re.search(word, text)}
    for word in re.findall(r"\bpolyloop_(\w+)", text):
        if match := _OF_TYPES.fullmatch(word):
            kind = {"": "type", "load_part_": "parts", "store_part_": "parts"}.get(match[1], match[1][:-1])
            found.add(Helper(kind, named_type(match[2])))
        elif word in _SCALAR_HELPERS:
            found.add(Helper(word))
    if helper.type is not None and helper.kind not in ("pointee", "view", *_EXTREMES):
        found.add(Helper("type", helper.type))
        if helper.kind in ("parts", "gather", "splat") or helper.kind.startswith("behind"):
            found.add(Helper("inline"))  # as in all files that have vectors, though these are macros
    return [other for other in found if other != helper]


def _text(helper: Helper) -> str:
    type_ = helper.type
    if helper.detail == "omp.h":
        return "#ifdef _OPENMP\n#include <omp.h>\n#endif\n"
    if helper.detail == "immintrin.h":
        return f"#ifdef __{X86}__\n#include <immintrin.h>\n#endif\n"
    if helper.kind == "include":
        return f"#include <{helper.detail}>\n"
    if helper.kind == "version":
        return "\n" + version_choice(helper.versions)
    if helper.kind == "for" and helper.version is not None:
        return guarded("\n" + version_macro(helper.name, helper.version), helper.version)
    between = "" if _is_short(helper) else "\n"
    if type_ is None:
        return between + _SCALAR_HELPERS[helper.kind]
    if helper.kind == "type":
        return typedef(type_)
    if helper.kind in _EXTREMES:
        return "\n" + _extreme(helper, type_)
    if helper.kind == "pointee":
        return f"typedef {scalar_name(type_.element)} {helper.name} __attribute__((may_alias));\n"
    if helper.version is None:
        return between + function(helper.name, helper.kind, type_)
    name = replace(helper, version=None).name
    return guarded("\n" + function(name, helper.kind, type_, helper.version), helper.version)


# --- Versions ---------------------------------------------------------------------------------------------------------
# C functions in several versions, one for each instruction set, of which the processor chooses one.
#
# Each version and its helpers carry the attribute ``target``, so that one compilation without ``-march`` makes all of
# them; those of another architecture are left out by the preprocessor. What the processor can run is asked for once.


def guarded(text: str, version: Version) -> str:
    """Text that only compilers for the version's architecture see."""
    return f"\n#ifdef {version.macro}{text}#endif /* {version.macro} */\n"


_BY_COMPILER = r"#ifdef __clang__\n((?:(?!#e).*\n)*)#else\n((?:(?!#e).*\n)*)#endif\n"


def merged(text: str) -> str:
    """The same with one guard around neighbours that have equal ones."""
    count = 1
    while count:
        text, count = re.subn(_BY_COMPILER * 2, r"#ifdef __clang__\n\1\3#else\n\2\4#endif\n", text)
    return re.sub(r"#endif /\* (__\w+__) \*/\n\n#ifdef \1\n", "\n", text)


def version_macro(name: str, version: Version) -> str:
    """The definition of what functions of a version begin with."""
    attribute = f'__attribute__((__target__("{",".join(version.features)}")))' if version.features else ""
    return f"#define {name} {attribute}".rstrip() + "\n"


def version_choice(versions: Sequence[Version]) -> str:
    """The variable that says which version the processor runs, by its place among them, from 1 on."""
    lines = []
    for number, (architecture, group) in enumerate(groupby(versions, key=lambda version: version.architecture)):
        lines.append(f"#{'elif' if number else 'if'} defined __{architecture}__")
        own = list(group)
        if any(version.features for version in own):
            lines.append("    __builtin_cpu_init();")
        lines.append(f"    polyloop_version = {_tests(own, versions)};")
    asked = "\n".join(lines)
    names = ", ".join(f"{place} {version.name}" for place, version in enumerate(versions, 1))
    return f"""\
/* Which version of the loops this processor runs: {names}; 0 none.
   It is asked once, before main, so that no function has to. */
static int polyloop_version;

__attribute__((constructor)) static void polyloop_choose(void)
{{
{asked}
#endif
}}
"""


def _tests(own: Sequence[Version], versions: Sequence[Version]) -> str:
    text = ["0"]
    for version in reversed(own):
        place = str(versions.index(version) + 1)
        asked = [f'__builtin_cpu_supports("{feature}")' for feature in version.features]
        text = ["\n            && ".join(asked), f" ? {place}\n        : ", *text] if asked else [place]
    return "".join(text)
