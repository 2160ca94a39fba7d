/* Contraction of a tensor's last axis with a matrix, in place:
   A[r,q,p] <- sum over s of A[r,q,s] C4[s,p]. */
/* Made by polyloop for the loops of doitgen. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  /* #pragma scop */
#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <stdint.h>
typedef double polyloop_f64x2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef long polyloop_i64x2 __attribute__((vector_size(16), aligned(8), may_alias));
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
static inline long polyloop_min(long a, long b) { return a < b ? a : b; }
/* A loop whose body uses the registers as it is. */
#define polyloop_rolled _Pragma("GCC unroll 1")
/* A loop over vectors, of which the last one may have fewer lanes than `step`: compilers make two loops of it. */
#define polyloop_strips(i, lanes, begin, end, step) \
    _Pragma("GCC unroll 2") for (int rest_ = 0; rest_ < 2; rest_++) \
        _Pragma("GCC unroll 1") for (long i = rest_ ? (end) - ((end) - (begin)) % step : polyloop_start(begin), \
            lanes = rest_ ? (end) - i : step, last_ = (end) - (rest_ ? 1 : step); i <= last_; \
            i = rest_ ? (end) : i + step)
/* The loops over rows and columns of a tile: unrolled, what they compute with stays in registers. */
#define polyloop_unrolled _Pragma("GCC unroll 64")

/* Whether the bytes a[a_begin .. a_end) and b[b_begin .. b_end) have none in common. */
static inline int polyloop_disjoint(const void *a, long a_begin, long a_end, const void *b, long b_begin, long b_end)
{
    const long apart = (long)((uintptr_t)b - (uintptr_t)a);
    return a_begin >= a_end || b_begin >= b_end || a_end - b_begin <= apart || b_end - a_begin <= -apart;
}

/* The first `active` elements at p, zeros behind them. */
polyloop_inline void polyloop_load_f64x2(polyloop_f64x2 *v, const double *p, long active)
{
    if (__builtin_constant_p(active) && active >= 2) *v = *(const polyloop_f64x2 *)p;
#if defined __AVX512VL__ && defined __BMI2__
    else *v = (polyloop_f64x2)_mm_maskz_loadu_pd((__mmask8)_bzhi_u32(0x3, (unsigned)active), p);
#elif defined __AVX__
    else *v = (polyloop_f64x2)_mm_maskload_pd((const double *)p, (__m128i)((polyloop_i64x2){0, 1} < active));
#else
    else if (active >= 2) *v = *(const polyloop_f64x2 *)p;
    else for (int k = 0; k < 2; k++) (*v)[k] = k < active ? p[k] : 0;
#endif
}
#define polyloop_load_f64x2(p, active) __extension__({ polyloop_f64x2 v_; polyloop_load_f64x2(&v_, p, active); v_; })

/* The first `active` lanes to p; nothing behind them is touched. */
polyloop_inline void polyloop_store_f64x2(double *p, const polyloop_f64x2 *v, long active)
{
    if (__builtin_constant_p(active) && active >= 2) *(polyloop_f64x2 *)p = *v;
#if defined __AVX512VL__ && defined __BMI2__
    else _mm_mask_storeu_pd(p, (__mmask8)_bzhi_u32(0x3, (unsigned)active), (__m128d)*v);
#elif defined __AVX__
    else _mm_maskstore_pd((double *)p, (__m128i)((polyloop_i64x2){0, 1} < active), (__m128d)*v);
#else
    else if (active >= 2) *(polyloop_f64x2 *)p = *v;
    else for (int k = 0; k < 2; k++) if (k < active) p[k] = (*v)[k];
#endif
}
#define polyloop_store_f64x2(p, lanes, active) do { const polyloop_f64x2 lanes_ = lanes; polyloop_store_f64x2(p, &lanes_, active); } while (0)

polyloop_kernel void polyloop_doitgen_0(long nr, long nq, long np, double *__restrict sum, double *__restrict A,
    const double *__restrict C4)
{
    const long st_end = (np >> 3);
    const long blocks = ((np + 7) >> 3);
    for (long r = 0; r < nr; r++) {
        for (long q = 0; q < nq; q++) {
            polyloop_strips(p, lanes, 0, np, 2)
                polyloop_store_f64x2(&sum[p], (polyloop_f64x2){0}, lanes);
            for (long st = 0; st < st_end; st++) {
                polyloop_f64x2 A_values[8];
                polyloop_unrolled for (int r2 = 0; r2 < 8; r2++)
                    A_values[r2] = (polyloop_f64x2){(A + (r * nq + q) * np)[r2 + 8 * st],
                        (A + (r * nq + q) * np)[r2 + 8 * st]};
                polyloop_strips(p, lanes2, 0, np, 2) {
                    polyloop_f64x2 sum_sum = polyloop_load_f64x2(&sum[p], lanes2);
                    polyloop_unrolled for (int r2 = 0; r2 < 8; r2++)
                        sum_sum = A_values[r2] * polyloop_load_f64x2(&(C4 + (r2 + 8 * st) * np)[p], lanes2) + sum_sum;
                    polyloop_store_f64x2(&sum[p], sum_sum, lanes2);
                }
            }
            if (8 * st_end < np) {
                polyloop_strips(p, lanes3, 0, np, 2) {
                    polyloop_f64x2 sum_sum = polyloop_load_f64x2(&sum[p], lanes3);
                    polyloop_rolled for (long s = polyloop_start(8 * blocks - 8); s < polyloop_min(8 * blocks,
                        np); s++)
                        sum_sum = (A + (r * nq + q) * np)[s] * polyloop_load_f64x2(&(C4 + s * np)[p],
                            lanes3) + sum_sum;
                    polyloop_store_f64x2(&sum[p], sum_sum, lanes3);
                }
            }
            polyloop_strips(p, lanes4, 0, np, 2)
                polyloop_store_f64x2(&(A + (r * nq + q) * np)[p], polyloop_load_f64x2(&sum[p], lanes4), lanes4);
        }
    }
}

#pragma GCC diagnostic ignored "-Wunknown-pragmas"

void doitgen(int nr, int nq, int np, double A[nr][nq][np], double C4[np][np], double sum[np])
{
#pragma scop
    if ((long)nq >= 1 && (long)np >= 1
        && polyloop_disjoint(sum, 0, 8 * (long)np, &A[0][0][0], 0, 8 * (long)nr * (long)nq * (long)np)
        && polyloop_disjoint(sum, 0, 8 * (long)np, &C4[0][0], 0, 8 * (long)np * (long)np)
        && polyloop_disjoint(&A[0][0][0], 0, 8 * (long)nr * (long)nq * (long)np, &C4[0][0], 0,
        8 * (long)np * (long)np)) {
        polyloop_doitgen_0(nr, nq, np, sum, &A[0][0][0], &C4[0][0]);
    } else {
    for (int r = 0; r < nr; r++)
        for (int q = 0; q < nq; q++) {
            for (int p = 0; p < np; p++) {
                sum[p] = 0.0;
                for (int s = 0; s < np; s++)
                    sum[p] += A[r][q][s] * C4[s][p];
            }
            for (int p = 0; p < np; p++)
                A[r][q][p] = sum[p];
        }
    }
#pragma endscop
#pragma GCC diagnostic pop
}
