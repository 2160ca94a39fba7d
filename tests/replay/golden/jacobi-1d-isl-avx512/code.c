/* Mean of three neighbours on a line, from A to B and then from B to A. The ends stay. */
/* Made by polyloop for the loops of jacobi_1d. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  /* #pragma scop */
#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <stdint.h>
typedef double polyloop_f64x8 __attribute__((vector_size(64), aligned(8), may_alias));
#ifdef __clang__
/* A function that stays one, whose loops gcc does not distribute: it would lose the last of conditional accesses. */
#define polyloop_kernel static __attribute__((noinline))
/* Where a loop starts. clang must not see that it moves with the loop around: it would keep a pointer per array. */
#define polyloop_start(first) \
    __extension__({ long first_ = first; if (!__builtin_constant_p(first)) __asm__("" : "+r"(first_)); first_; })
#else
#define polyloop_kernel static __attribute__((noipa, optimize("no-tree-loop-distribution")))
#define polyloop_start(first) (first)
#endif
#define polyloop_inline static inline __attribute__((always_inline, unused))
static inline long polyloop_max(long a, long b) { return a > b ? a : b; }
static inline long polyloop_min(long a, long b) { return a < b ? a : b; }
#define polyloop_rolled _Pragma("GCC unroll 1") /* a loop whose body uses the registers as it is */
#if defined __clang__ || __GNUC__ >= 12
/* Lanes of two vectors, counted through both; as many as each of them has. */
#define polyloop_shuffle(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define polyloop_shuffle(a, b, ...) __extension__({ const int lanes_[] = {__VA_ARGS__}; unsigned k_; \
    __typeof__((a) == (b)) order_; polyloop_unrolled for (k_ = 0; k_ < sizeof lanes_ / sizeof(int); k_++) \
        { order_[k_] = (__typeof__(order_[0]))lanes_[k_]; } __builtin_shuffle(a, b, order_); })
#endif
#define polyloop_unrolled _Pragma("GCC unroll 64") /* rows and columns of a tile, which stay in registers so */
/* Keeps a loaded vector in its register: gcc would load it again wherever it is used. */
#if defined __AVX512F__ && !defined __clang__
#define polyloop_keep_f64x8(vector) __asm__("" : "+v"(vector))
#else
#define polyloop_keep_f64x8(vector) ((void)0)
#endif

/* Whether the bytes a[a_begin .. a_end) and b[b_begin .. b_end) have none in common. */
static inline int polyloop_disjoint(const void *a, long a_begin, long a_end, const void *b, long b_begin, long b_end)
{
    const long apart = (long)((uintptr_t)b - (uintptr_t)a);
    return a_begin >= a_end || b_begin >= b_end || a_end - b_begin <= apart || b_end - a_begin <= -apart;
}

/* The first n elements at p, zeros behind them. */
#define polyloop_load_f64x8(p, n) __extension__({ polyloop_f64x8 v_ = {0}; const long n_ = n; \
    if (__builtin_constant_p(n_) && n_ >= 8) \
        v_ = *(const polyloop_f64x8 *)(p); else polyloop_load_part_f64x8(v_, p, n_); v_; })

#if defined __AVX512VL__ && defined __BMI2__
#define polyloop_first_f64x8(n) (__mmask8)_bzhi_u32(0xff, (unsigned)(n))
#define polyloop_load_part_f64x8(v, p, n) v = (polyloop_f64x8)_mm512_maskz_loadu_pd(polyloop_first_f64x8(n), p)
#define polyloop_store_part_f64x8(p, v, n) _mm512_mask_storeu_pd(p, polyloop_first_f64x8(n), (__m512d)v)
#else
#define polyloop_load_part_f64x8(v, p, n) do { int k_; if (n >= 8) v = *(const polyloop_f64x8 *)(p); else for (k_ = 0; k_ < n; k_++) v[k_] = (p)[k_]; } while (0)
#define polyloop_store_part_f64x8(p, v, n) do { int k_; for (k_ = 0; k_ < n; k_++) (p)[k_] = v[k_]; } while (0)
#endif

/* The first n lanes of v to p; nothing behind them is touched. */
#define polyloop_store_f64x8(p, v, n) do { const polyloop_f64x8 w_ = v; const long m_ = n; \
    if (m_ >= 8) *(polyloop_f64x8 *)(p) = w_; else polyloop_store_part_f64x8(p, w_, m_); } while (0)

polyloop_inline void polyloop_jacobi_1d_0_part1(long bound, long index, double *__restrict source,
    double *__restrict target)
{
    if (bound >= 1)
        polyloop_store_f64x8(&target[index + 1], 0.33333 * ((polyloop_load_f64x8(&source[index],
            bound) + polyloop_load_f64x8(&source[index + 1], bound)) + polyloop_load_f64x8(&source[index + 2],
            bound)), bound);
}

polyloop_inline void polyloop_jacobi_1d_0_part2(long bound, long index, long i_line0, long least, long index2,
    double *__restrict source, double *__restrict target)
{
    if (bound >= 8) {
        polyloop_f64x8 source_value = *(const polyloop_f64x8 *)&source[index]; polyloop_keep_f64x8(source_value);
        polyloop_f64x8 carried = polyloop_shuffle(source_value, source_value, 1, 2, 3, 4, 5, 6, 7, 0);
        polyloop_rolled for (long i = polyloop_start(i_line0); i < least - 7; i += 8) {
            polyloop_f64x8 source_value_2 = *(const polyloop_f64x8 *)&source[i + index2];
            polyloop_keep_f64x8(source_value_2);
            const polyloop_f64x8 value = polyloop_shuffle(carried, source_value_2, 7, 8, 9, 10, 11, 12, 13, 14);
            *(polyloop_f64x8 *)&target[i + index2] = 0.33333 * ((value + source_value_2)
                + *(const polyloop_f64x8 *)&source[i + index2 + 1]);
            carried = source_value_2;
        }
    }
}

polyloop_kernel void polyloop_jacobi_1d_0(long tsteps, long n, double *__restrict A, double *__restrict B)
{
    for (long tt = 0; tt < ((tsteps + 63) >> 6); tt++)
        for (long it = tt; it < polyloop_min(((n + 16 * tsteps + 1014) >> 10), tt + ((n + 1014) >> 10) + 1); it++)
            for (long t = polyloop_max(64 * it + ((-n + 9) >> 4), 64 * tt); t < polyloop_min(64 * tt + 64,
                tsteps); t++) {
                const long most2 = polyloop_max(1024 * it, 16 * t + 1), most = polyloop_max(1024 * it, 16 * t + 9);
                const long least2 = polyloop_min(1024 * it + 1024, n + 16 * t + 7);
                const long least = polyloop_min(1024 * it + 1024, n + 16 * t - 1);
                const long i_line0 = polyloop_min(1024 * it + 1024, polyloop_min(8 * ((most2 + 7) >> 3),
                    n + 16 * t - 1));
                polyloop_jacobi_1d_0_part1(i_line0 - most2, most2 - 16 * t - 1, A, B);
                polyloop_jacobi_1d_0_part2(least - i_line0, i_line0 - 16 * t - 1, i_line0, least, -16 * t, A, B);
                const long i_rest0 = i_line0 + 8 * ((least - i_line0) >> 3);
                polyloop_jacobi_1d_0_part1(least - i_rest0, i_rest0 - 16 * t - 1, A, B);
                const long i_line1 = polyloop_min(1024 * it + 1024, polyloop_min(8 * ((most + 7) >> 3),
                    n + 16 * t + 7));
                polyloop_jacobi_1d_0_part1(i_line1 - most, most - 16 * t - 9, B, A);
                polyloop_jacobi_1d_0_part2(least2 - i_line1, i_line1 - 16 * t - 9, i_line1, least2, -16 * t - 8, B,
                    A);
                const long i_rest1 = i_line1 + 8 * ((least2 - i_line1) >> 3);
                polyloop_jacobi_1d_0_part1(least2 - i_rest1, i_rest1 - 16 * t - 9, B, A);
            }
}

#pragma GCC diagnostic ignored "-Wunknown-pragmas"

void jacobi_1d(int tsteps, int n, double A[n], double B[n])
{
#pragma scop
    if (polyloop_disjoint(A, 0, 8 * (long)n, B, 0, 8 * (long)n)) {
        polyloop_jacobi_1d_0(tsteps, n, A, B);
    } else {
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
        for (int i = 1; i < n - 1; i++)
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
    }
    }
#pragma endscop
#pragma GCC diagnostic pop
}
