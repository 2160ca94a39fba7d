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
#define polyloop_rolled _Pragma("GCC unroll 1") /* a loop whose body uses the registers as it is */
/* A loop over vectors, of which the last one may have fewer lanes than `step`: compilers make two loops of it. */
#define polyloop_strips(i, lanes, begin, end, step) \
    _Pragma("GCC unroll 2") for (int rest_ = 0; rest_ < 2; rest_++) \
        _Pragma("GCC unroll 1") for (long i = rest_ ? (end) - ((end) - (begin)) % step : polyloop_start(begin), \
            lanes = rest_ ? (end) - i : step, last_ = (end) - (rest_ ? 1 : step); i <= last_; \
            i = rest_ ? (end) : i + step)
#define polyloop_unrolled _Pragma("GCC unroll 64") /* rows and columns of a tile, which stay in registers so */

/* Whether the bytes a[a_begin .. a_end) and b[b_begin .. b_end) have none in common. */
static inline int polyloop_disjoint(const void *a, long a_begin, long a_end, const void *b, long b_begin, long b_end)
{
    const long apart = (long)((uintptr_t)b - (uintptr_t)a);
    return a_begin >= a_end || b_begin >= b_end || a_end - b_begin <= apart || b_end - a_begin <= -apart;
}

/* The first n elements at p, zeros behind them. */
#define polyloop_load_f64x2(p, n) __extension__({ polyloop_f64x2 v_ = {0}; const long n_ = n; \
    if (__builtin_constant_p(n_) && n_ >= 2) \
        v_ = *(const polyloop_f64x2 *)(p); else polyloop_load_part_f64x2(v_, p, n_); v_; })

#if defined __AVX__
#define polyloop_first_f64x2(n) (__m128i)((polyloop_i64x2){0, 1} < (n))
#define polyloop_load_part_f64x2(v, p, n) v = (polyloop_f64x2)_mm_maskload_pd(p, polyloop_first_f64x2(n))
#define polyloop_store_part_f64x2(p, v, n) do { \
    const polyloop_f64x2 r_ = v; const long n_ = n; const int c_ = n_ > 0 ? (int)n_ : 0; \
    char *q_ = (char *)(p); __m128i h_ = (__m128i)r_; \
    if (c_ & 1) { __builtin_memcpy(q_, &h_, 8); } (void)q_; } while (0)
#else
#define polyloop_load_part_f64x2(v, p, n) do { int k_; if (n >= 2) v = *(const polyloop_f64x2 *)(p); else for (k_ = 0; k_ < n; k_++) v[k_] = (p)[k_]; } while (0)
#define polyloop_store_part_f64x2(p, v, n) do { int k_; for (k_ = 0; k_ < n; k_++) (p)[k_] = v[k_]; } while (0)
#endif

/* The first n lanes of v to p; nothing behind them is touched. */
#define polyloop_store_f64x2(p, v, n) do { const polyloop_f64x2 w_ = v; const long m_ = n; \
    if (m_ >= 2) *(polyloop_f64x2 *)(p) = w_; else polyloop_store_part_f64x2(p, w_, m_); } while (0)

polyloop_kernel void polyloop_doitgen_0(long nr, long nq, long np, double *__restrict sum, double *__restrict A,
    const double *__restrict C4)
{
    const long st_end = (np >> 3), blocks = ((np + 7) >> 3);
    for (long r = 0; r < nr; r++)
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
            if (8 * st_end < np)
                polyloop_strips(p, lanes3, 0, np, 2) {
                    polyloop_f64x2 sum_sum = polyloop_load_f64x2(&sum[p], lanes3);
                    polyloop_rolled for (long s = polyloop_start(8 * blocks - 8); s < polyloop_min(8 * blocks,
                        np); s++)
                        sum_sum = (A + (r * nq + q) * np)[s] * polyloop_load_f64x2(&(C4 + s * np)[p],
                            lanes3) + sum_sum;
                    polyloop_store_f64x2(&sum[p], sum_sum, lanes3);
                }
            polyloop_strips(p, lanes4, 0, np, 2)
                polyloop_store_f64x2(&(A + (r * nq + q) * np)[p], polyloop_load_f64x2(&sum[p], lanes4), lanes4);
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
