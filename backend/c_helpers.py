"""The helpers that printed C calls: vector types, integer functions, prefix loads and stores, lane operations.

Each is a `Helper`; a file gets those that it uses, and what those use. Vectors go through pointers, not as arguments or
results, so that no compiler warns about the calling convention of vectors that are wider than the target's; all
functions are inlined. A prefix access (only the first `active` lanes) goes down a ladder of narrower vectors: it never
touches memory beyond the last active lane.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from polyloop.backend.c_text import scalar_name
from polyloop.backend.expressions import ScalarType
from polyloop.backend.vector_program import ValueType


@dataclass(frozen=True)
class Helper:
    """One definition.

    Attributes:
        kind: "type", "pointee" (an integer in memory that may be of another C type of its size), "include", "apart" and
            "kernel" (macros), an integer function ("floord", "min", "max", "threads", "thread", "fits", "disjoint"), or
            one on vectors ("load", "store", "reverse", "gather", "scatter", "sum", "product", "least", "greatest",
            "sqrt", ...).
        type: where there is one for each vector type.
        detail: an include's file.
    """

    kind: str
    type: ValueType | None = None
    detail: str = ""

    @property
    def name(self) -> str:
        """The C identifier that it defines."""
        if self.kind == "type" and self.type is not None:
            return vector_name(self.type)
        suffix = f"_{self.type}" if self.type is not None else ""
        return f"polyloop_{self.detail or self.kind}{suffix}"


_INLINE = "static inline __attribute__((always_inline))\n"

_INTEGER_HELPERS = {
    "kernel": """\
/* A function that stays a function. gcc 12 forgets which array a loop with falling subscripts writes, then takes the
   function for one without effects and drops its calls: it must not draw conclusions about it. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define polyloop_kernel static __attribute__((noipa))
#else
#define polyloop_kernel static __attribute__((noinline))
#endif
""",
    "apart": """\
/* Keeps a sum in a register of its own: clang would gather the sums of several rows into one vector, element by
   element, and run at half the speed. */
#if defined(__clang__) && defined(__x86_64__)
#define polyloop_apart(sum) __asm__("" : "+x"(sum))
#elif defined(__clang__) && defined(__aarch64__)
#define polyloop_apart(sum) __asm__("" : "+w"(sum))
#else
#define polyloop_apart(sum) ((void)0)
#endif
""",
    "floord": """\
/* Division rounded towards minus infinity, b > 0. */
static inline long polyloop_floord(long a, long b)
{
    return a / b - (a % b < 0);
}
""",
    "min": """\
static inline long polyloop_min(long a, long b)
{
    return a < b ? a : b;
}
""",
    "max": """\
static inline long polyloop_max(long a, long b)
{
    return a > b ? a : b;
}
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
    "fits": """\
/* Whether sums and products of such sizes stay inside a long. */
static inline int polyloop_fits(long size)
{
    return -2147483647L <= size && size <= 2147483647L;
}
""",
    "disjoint": """\
/* Whether the bytes a[a_begin .. a_end) and b[b_begin .. b_end) have none in common. */
static inline int polyloop_disjoint(
    const void *a, long a_begin, long a_end, const void *b, long b_begin, long b_end)
{
    const uintptr_t first = (uintptr_t)a, second = (uintptr_t)b;
    return a_begin >= a_end || b_begin >= b_end || first + (uintptr_t)a_end <= second + (uintptr_t)b_begin
        || second + (uintptr_t)b_end <= first + (uintptr_t)a_begin;
}
""",
}


def vector_name(type_: ValueType) -> str:
    """The C name of a scalar or vector type: `double`, `polyloop_f64x8`."""
    return scalar_name(type_.element) if type_.lanes == 1 else f"polyloop_{type_}"


def integer_lanes(type_: ValueType) -> ValueType:
    """The signed integer vector of the same shape: what a comparison yields, 0 or -1 in every lane."""
    return ValueType(ScalarType("int", type_.element.bits), type_.lanes)


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


def _rank(helper: Helper) -> tuple[int, int, str]:
    stage = {"include": 0, "type": 1, "pointee": 1}.get(helper.kind, 2)
    return stage, helper.type.lanes if helper.type else 0, helper.name


def _half(type_: ValueType) -> ValueType:
    return ValueType(type_.element, type_.lanes // 2)


def _needs(helper: Helper) -> list[Helper]:
    type_ = helper.type
    if helper.kind == "disjoint":
        return [Helper("include", detail="stdint.h")]
    if type_ is None or helper.kind in ("type", "pointee"):
        return []
    needed = [Helper("type", type_)]
    if helper.kind in ("load", "store") and type_.lanes > 2 and type_.lanes % 2 == 0:
        needed += [Helper("type", _half(type_)), Helper(helper.kind, _half(type_))]
    if helper.kind == "fabs":
        needed.append(Helper("type", integer_lanes(type_)))
    return needed


def _text(helper: Helper) -> str:
    type_ = helper.type
    if helper.detail == "omp.h":
        return "#ifdef _OPENMP\n#include <omp.h>\n#endif\n"
    if helper.kind == "include":
        return f"#include <{helper.detail}>\n"
    if type_ is None:
        return "\n" + _INTEGER_HELPERS[helper.kind]
    if helper.kind == "type":
        return _type(type_)
    if helper.kind == "pointee":
        return f"typedef {scalar_name(type_.element)} {helper.name} __attribute__((may_alias));\n"
    return "\n" + _vector_function(helper, type_)


def _vector_function(helper: Helper, type_: ValueType) -> str:
    match helper.kind:
        case "load":
            return _prefix_load(type_)
        case "store":
            return _prefix_store(type_)
        case "reverse":
            return _reverse(type_)
        case "gather" | "scatter":
            return _strided(helper.name, helper.kind == "gather", type_)
        case "sum" | "product" | "least" | "greatest" | "every_bit" | "any_bit" | "odd_bits":
            return _fold(helper.name, helper.kind, type_)
        case _:
            return _lanewise(helper.name, helper.kind, type_)


def _type(type_: ValueType) -> str:
    size, align = type_.element.bytes * type_.lanes, type_.element.bytes
    attributes = f"__attribute__((vector_size({size}), aligned({align}), may_alias))"
    return f"typedef {scalar_name(type_.element)} {vector_name(type_)} {attributes};\n"


def lanes_of(name: str, count: int, start: int = 0) -> str:
    return ", ".join(f"{name}[{lane}]" for lane in range(start, start + count))


def _prefix_load(type_: ValueType) -> str:
    vector, element = vector_name(type_), scalar_name(type_.element)
    head = f"{_INLINE}void polyloop_load_{type_}({vector} *v, const {element} *p, long active)\n{{\n"
    if type_.lanes % 2 or type_.lanes == 2:
        values = ", ".join(f"active > {lane} ? p[{lane}] : 0" for lane in range(type_.lanes))
        return f"{head}    *v = ({vector}){{{values}}};\n}}\n"
    half, name = type_.lanes // 2, vector_name(_half(type_))
    return f"""\
/* The first `active` elements at p, zeros behind them. */
{head}    {name} low, high = {{0}};
    if (active >= {type_.lanes}) {{
        *v = *(const {vector} *)p;
        return;
    }}
    if (active >= {half}) {{
        low = *(const {name} *)p;
        polyloop_load_{_half(type_)}(&high, p + {half}, active - {half});
    }} else {{
        polyloop_load_{_half(type_)}(&low, p, active);
    }}
    *v = ({vector}){{{lanes_of("low", half)}, {lanes_of("high", half)}}};
}}
"""


def _prefix_store(type_: ValueType) -> str:
    vector, element = vector_name(type_), scalar_name(type_.element)
    head = f"{_INLINE}void polyloop_store_{type_}({element} *p, const {vector} *v, long active)\n{{\n"
    if type_.lanes % 2 or type_.lanes == 2:
        lines = "".join(f"    if (active > {k})\n        p[{k}] = (*v)[{k}];\n" for k in range(type_.lanes))
        return f"{head}{lines}}}\n"
    half, name = type_.lanes // 2, vector_name(_half(type_))
    return f"""\
/* The first `active` lanes to p; nothing behind them is touched. */
{head}    const {name} low = {{{lanes_of("(*v)", half)}}};
    const {name} high = {{{lanes_of("(*v)", half, half)}}};
    if (active >= {type_.lanes}) {{
        *({vector} *)p = *v;
    }} else if (active >= {half}) {{
        *({name} *)p = low;
        polyloop_store_{_half(type_)}(p + {half}, &high, active - {half});
    }} else {{
        polyloop_store_{_half(type_)}(p, &low, active);
    }}
}}
"""


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
"""


def _strided(name: str, gather: bool, type_: ValueType) -> str:
    vector, element = vector_name(type_), scalar_name(type_.element)
    if gather:
        arguments = f"{vector} *v, const {element} *p, long stride, long active"
        values = ", ".join(f"active > {k} ? p[{k} * stride] : 0" for k in range(type_.lanes))
        body = f"    *v = ({vector}){{{values}}};\n"
    else:
        arguments = f"{element} *p, long stride, const {vector} *v, long active"
        body = "".join(f"    if (active > {k})\n        p[{k} * stride] = (*v)[{k}];\n" for k in range(type_.lanes))
    return f"{_INLINE}void {name}({arguments})\n{{\n{body}}}\n"


def _fold(name: str, kind: str, type_: ValueType) -> str:
    """Halves onto each other until one is left."""
    vector, element = vector_name(type_), scalar_name(type_.element)

    def combine(a: str, b: str) -> str:
        match kind:
            case "sum":
                return f"{a} + {b}"
            case "product":
                return f"{a} * {b}"
            case "least":
                return f"{a} < {b} ? {a} : {b}"
            case "every_bit":
                return f"{a} & {b}"
            case "any_bit":
                return f"{a} | {b}"
            case "odd_bits":
                return f"{a} ^ {b}"
            case _:
                return f"{a} > {b} ? {a} : {b}"

    lines: list[str] = []
    names = [f"(*v)[{lane}]" for lane in range(type_.lanes)]
    while len(names) > 1:
        half = (len(names) + 1) // 2
        new = [f"s{half}_{k}" if k + half < len(names) else names[k] for k in range(half)]
        for k in range(len(names) - half):
            lines.append(f"    const {element} {new[k]} = ({element})({combine(names[k], names[k + half])});\n")
        names = new
    return f"{_INLINE}{element} {name}(const {vector} *v)\n{{\n{''.join(lines)}    return {names[0]};\n}}\n"


def _lanewise(name: str, function: str, type_: ValueType) -> str:
    """sqrt, fabs, floor, ceil and trunc: the compiler's vector operator where it has one, else lane by lane."""
    vector = vector_name(type_)
    builtin = f"__builtin_{function}" + ("f" if type_.element.bits == 32 else "")
    if function == "fabs":
        integers = integer_lanes(type_)
        mask = (1 << (type_.element.bits - 1)) - 1
        body = f"    *r = ({vector})(({vector_name(integers)})*v & {mask}{'L' if type_.element.bits == 64 else ''});\n"
    else:
        elementwise = "__builtin_elementwise_" + function
        lanes = ", ".join(f"{builtin}((*v)[{lane}])" for lane in range(type_.lanes))
        body = f"""\
#if defined __clang_major__ && __clang_major__ >= 16
    *r = {elementwise}(*v);
#else
    *r = ({vector}){{{lanes}}};
#endif
"""
    return f"{_INLINE}void {name}({vector} *r, const {vector} *v)\n{{\n{body}}}\n"
