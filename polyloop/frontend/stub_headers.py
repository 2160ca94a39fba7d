"""Our stand-ins for system headers: what programs need to be parsed, nothing of what a compiler needs to run them."""

from __future__ import annotations

import re

from polyloop.arithmetic import SIGNATURES

_SIZE = "typedef unsigned long size_t;\n#define NULL ((void *)0)\n"

_STDDEF = (
    _SIZE
    + "typedef long ptrdiff_t; typedef int wchar_t;\n#define offsetof(type, member) ((size_t)&((type *)0)->member)\n"
)

_STDINT = """
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef signed char int_least8_t; typedef short int_least16_t; typedef int int_least32_t; typedef long int_least64_t;
typedef unsigned char uint_least8_t; typedef unsigned short uint_least16_t; typedef unsigned int uint_least32_t;
typedef unsigned long uint_least64_t;
typedef signed char int_fast8_t; typedef long int_fast16_t; typedef long int_fast32_t; typedef long int_fast64_t;
typedef unsigned char uint_fast8_t; typedef unsigned long uint_fast16_t; typedef unsigned long uint_fast32_t;
typedef unsigned long uint_fast64_t;
typedef long intptr_t; typedef unsigned long uintptr_t; typedef long intmax_t; typedef unsigned long uintmax_t;
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647-1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807L-1)
#define INT64_MAX 9223372036854775807L
#define UINT64_MAX 18446744073709551615UL
#define SIZE_MAX 18446744073709551615UL
#define INT8_C(x) x
#define UINT8_C(x) x
#define INT16_C(x) x
#define UINT16_C(x) x
#define INT64_C(x) x ## L
#define UINT64_C(x) x ## UL
#define INTMAX_C(x) x ## L
#define UINTMAX_C(x) x ## UL
#define INT32_C(x) x
#define UINT32_C(x) x ## U
"""

_LIMITS = """
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647-1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L-1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL-1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
"""

_FLOAT = """
#define FLT_EPSILON 1.19209290e-7F
#define FLT_MAX 3.40282347e+38F
#define FLT_MIN 1.17549435e-38F
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define FLT_DIG 6
#define DBL_DIG 15
#define FLT_RADIX 2
"""

_OF_NUMBERS = "isnan isinf isfinite signbit isgreater isgreaterequal isless islessequal islessgreater isunordered"
_MATH = """
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define HUGE_VAL 1e500
#define HUGE_VALF 1e500f
#define INFINITY 1e500f
#define NAN __builtin_nanf("")
#define isnan(x) ((x) != (x))
#define isinf(x) (((x) == INFINITY) - ((x) == -INFINITY))
#define isfinite(x) ((x) - (x) == 0)
#define signbit(x) (copysign(1.0, (x)) < 0)
#define isgreater(x, y) ((x) > (y))
#define isgreaterequal(x, y) ((x) >= (y))
#define isless(x, y) ((x) < (y))
#define islessequal(x, y) ((x) <= (y))
#define islessgreater(x, y) ((x) < (y) || (x) > (y))
#define isunordered(x, y) ((x) != (x) || (y) != (y))
typedef double double_t; typedef float float_t;
""" + "".join(f"#define __builtin_{name} {name}\n" for name in (*SIGNATURES, *_OF_NUMBERS.split()))

# Which function a name calls there hangs on its argument's type.
_TGMATH = _MATH + "".join(
    f"#define {name}(...) {name}_of_tgmath_h(__VA_ARGS__)\n" for name in SIGNATURES if f"{name}f" in SIGNATURES
)

_COMPLEX = (
    "#define complex _Complex\n#define _Complex_I ((float _Complex){.__real__ = 0.0f, .__imag__ = 1.0f})\n"
    "#define I _Complex_I\n"
    + "".join(
        f"#define CMPLX{suffix}(x, y) (({type_} _Complex){{.__real__ = ({type_})(x), .__imag__ = ({type_})(y)}})\n"
        for suffix, type_ in (("", "double"), ("F", "float"))
    )
)

_STDIO = (
    _SIZE
    + """
typedef struct _polyloop_file FILE;
typedef long fpos_t; typedef long off_t; typedef long ssize_t;
extern FILE *stdin; extern FILE *stdout; extern FILE *stderr;
#define stdin stdin
#define stdout stdout
#define stderr stderr
#define EOF (-1)
#define BUFSIZ 8192
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define FILENAME_MAX 4096
int printf(const char *, ...); int fprintf(FILE *, const char *, ...); int scanf(const char *, ...);
"""
)

_TYPES = (
    _SIZE
    + """
typedef long ssize_t; typedef long off_t; typedef int pid_t; typedef unsigned uid_t; typedef unsigned gid_t;
typedef unsigned mode_t; typedef long time_t; typedef unsigned u_int; typedef unsigned char u_char;
typedef unsigned long u_long; typedef unsigned short u_short; typedef unsigned int uint; typedef unsigned long ulong;
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef unsigned char u_int8_t; typedef unsigned short u_int16_t; typedef unsigned int u_int32_t;
typedef unsigned long u_int64_t;
"""
)

_STDLIB = (
    _TYPES
    + """
typedef int wchar_t;
typedef struct { int quot; int rem; } div_t; typedef struct { long quot; long rem; } ldiv_t;
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
int rand(void); void srand(unsigned); void exit(int); int atoi(const char *); double atof(const char *);
"""
)

_TIME = (
    _SIZE
    + """
typedef long time_t; typedef long clock_t; typedef int clockid_t; typedef long suseconds_t;
struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
struct timezone { int tz_minuteswest; int tz_dsttime; };
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; };
#define CLOCKS_PER_SEC 1000000L
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
"""
)

# Nothing is known of what these do to a list, so that all of them are calls.
_STDARG = """
typedef void *va_list;
#define va_arg(list, type) (*(type *)va_arg(list))
"""

_ASSERT = """
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
void assert(int);
#endif
#define static_assert(...) struct _polyloop_static_assert
"""

_PRINTED = "".join(
    f'#define PRI{conversion}{width} "{length}{conversion}"\n'
    for conversion in "diouxX"
    for width, length in (("8", ""), ("16", ""), ("32", ""), ("64", "l"), ("MAX", "l"), ("PTR", "l"))
)

_ATOMIC_NUMBERS = {"bool": "_Bool", "char": "char", "schar": "signed char", "uchar": "unsigned char"}
_ATOMIC_NUMBERS |= {name: name for name in ("short", "int", "long", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t")}
_ATOMIC_NUMBERS |= {"ushort": "unsigned short", "uint": "unsigned int", "ulong": "unsigned long"}
_ATOMIC_NUMBERS |= {"llong": "long long", "ullong": "unsigned long long"}
_ATOMIC = f"{_STDDEF}{_STDINT}typedef struct {{ _Atomic _Bool _x; }} atomic_flag; typedef enum {{\n" + (
    "memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel,\n"
    "memory_order_seq_cst } memory_order;\n"
    + "".join(f"typedef _Atomic {type_} atomic_{name};\n" for name, type_ in _ATOMIC_NUMBERS.items())
)

HEADERS = {
    "stddef.h": _STDDEF,
    "stdint.h": _STDINT,
    "inttypes.h": _STDINT + _PRINTED,
    "limits.h": _LIMITS,
    "float.h": _FLOAT,
    "values.h": _FLOAT + _LIMITS,
    "math.h": _MATH,
    "tgmath.h": _TGMATH,
    "stdio.h": _STDIO,
    "stdlib.h": _STDLIB,
    "malloc.h": _STDLIB,
    "string.h": _SIZE,
    "strings.h": _SIZE,
    "memory.h": _SIZE,
    "time.h": _TIME,
    "sys/time.h": _TIME,
    "sys/resource.h": _TIME + "struct rusage { struct timeval ru_utime, ru_stime; long ru_maxrss; };\n"
    "#define RUSAGE_SELF 0\n",
    "sys/types.h": _TYPES,
    "sys/stat.h": _TYPES,
    "unistd.h": _TYPES,
    "stdarg.h": _STDARG,
    "stdbool.h": "#define bool _Bool\n#define true 1\n#define false 0\n",
    "assert.h": _ASSERT,
    "complex.h": _COMPLEX,
    "errno.h": "extern int errno;\n",
    "ctype.h": "",
    "signal.h": "typedef int sig_atomic_t;\n",
    "setjmp.h": "typedef struct { long _x[25]; } jmp_buf[1], sigjmp_buf[1];\n",
    "locale.h": "",
    "omp.h": "typedef struct { int _x; } omp_lock_t;\nint omp_get_thread_num(void); double omp_get_wtime(void);\n",
    "pthread.h": "typedef unsigned long pthread_t; typedef struct { int _x; } pthread_mutex_t;\n",
    "fcntl.h": "",
    "stdatomic.h": _ATOMIC,
    "stdalign.h": "#define alignas _Alignas\n#define alignof _Alignof\n",
    "stdnoreturn.h": "#define noreturn\n",
    # The compiler's own. Their types are none that is known.
    **dict.fromkeys((f"{letter}mmintrin.h" for letter in ("", *"aenpstwx")), ""),
    **dict.fromkeys(("immintrin.h", "x86intrin.h", "cpuid.h", "arm_neon.h", "arm_sve.h", "altivec.h"), ""),
}

KNOWN_TYPES = {
    name: type_
    for type_, name in re.findall(r"typedef (\w[\w ]*) (\w+_t);", f"{_STDDEF} {_STDINT} typedef long ssize_t;")
    if name != "wchar_t"
}
"""What names mean that C and POSIX reserve, in whatever header they are declared."""

_WORDS = {
    "bool": "_Bool",
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "uint": "unsigned int",
    "ulong": "unsigned long",
}
_OF_WIDTH = {8: "char", 16: "short", 32: "int", 64: "long"}


def named_type(name: str) -> str | None:
    """The type of which a name says what it is, ``spx_int16_t``, ``u8``, ``f32``, ``uint``; None for other names."""
    if name in _WORDS:
        return _WORDS[name]
    match = re.fullmatch(r"(?:\w+_)?(?:[a-tv-z]?(u?)int|([uis])|(f)|(float))(8|16|32|64)(?:_t)?", name)
    if match is None:
        return None
    unsigned, letter, *floating, bits = match.groups()
    if any(floating):
        return {"32": "float", "64": "double"}.get(bits)
    sign = "unsigned" if unsigned or letter == "u" else "signed"
    return f"{sign} {_OF_WIDTH[int(bits)]}"


def tests_of_type(name: str) -> tuple[str, ...]:
    """What has to hold, as C, where a type is what its name says: what a compiler can answer whatever the type is, a
    structure included, of which a conversion would not compile."""
    type_ = named_type(name)
    if type_ is None:
        return ()
    size, same = f"sizeof({name}) == sizeof({type_})", f"__builtin_types_compatible_p({name}, {type_})"
    other, more = _ALIKE.get(type_, ("", ""))
    return size, f"({same} || (__builtin_types_compatible_p({name}, {other}){more}))" if other else same


_ALIKE = {
    "signed char": ("char", " && (char)-1 < 0"),
    "unsigned char": ("char", " && (char)-1 > 0"),
    "signed long": ("long long", ""),
    "unsigned long": ("unsigned long long", ""),
}
"""Types that may be the same numbers under another name, and when they are."""
