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
/* Division rounded towards minus infinity, b > 0. */
static inline long polyloop_floord(long a, long b) { return a / b - (a % b < 0); }
#define polyloop_inline static inline __attribute__((always_inline, unused))
/* A function that stays one, whose loops gcc does not distribute: it would lose the last of conditional accesses. */
#if !defined __GNUC__ || defined __clang__ || __GNUC__ < 8
#define polyloop_kernel static __attribute__((noinline))
#else
#define polyloop_kernel static __attribute__((noipa, optimize("no-tree-loop-distribution")))
#endif
static inline long polyloop_min(long a, long b) { return a < b ? a : b; }
/* A loop whose body uses the registers as it is. */
#define polyloop_rolled _Pragma("GCC unroll 1")
/* Where a loop starts. clang must not see that it moves with the loop around: it would keep a pointer per array. */
#ifdef __clang__
#define polyloop_start(first) __extension__({ long first_ = first; __asm__("" : "+r"(first_)); first_; })
#else
#define polyloop_start(first) (first)
#endif

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

polyloop_inline void polyloop_doitgen_0_part1(long st, long p, long lanes, long np, const double *__restrict C4,
    double *__restrict sum, const double factor, const double factor2, const double factor3, const double factor4,
    const double factor5, const double factor6, const double factor7, const double factor8)
{
    polyloop_store_f64x2(&sum[p], factor8 * polyloop_load_f64x2(&(C4 + (8 * st + 7) * np)[p],
        lanes) + (factor7 * polyloop_load_f64x2(&(C4 + (8 * st + 6) * np)[p],
        lanes) + (factor6 * polyloop_load_f64x2(&(C4 + (8 * st + 5) * np)[p],
        lanes) + (factor5 * polyloop_load_f64x2(&(C4 + (8 * st + 4) * np)[p],
        lanes) + (factor4 * polyloop_load_f64x2(&(C4 + (8 * st + 3) * np)[p],
        lanes) + (factor3 * polyloop_load_f64x2(&(C4 + (8 * st + 2) * np)[p],
        lanes) + (factor2 * polyloop_load_f64x2(&(C4 + (8 * st + 1) * np)[p],
        lanes) + (factor * polyloop_load_f64x2(&(C4 + (8 * st) * np)[p], lanes) + polyloop_load_f64x2(&sum[p],
        lanes)))))))), lanes);
}

polyloop_kernel void polyloop_doitgen_0(long nr, long nq, long np, double *__restrict sum, double *__restrict A,
    const double *__restrict C4)
{
    const long blocks2 = polyloop_floord(np, 2);
    const long st_end = polyloop_floord(np, 8);
    const long blocks = polyloop_floord(np + 7, 8);
    const long s_end = polyloop_min(8 * blocks, np);
    for (long r = 0; r < nr; r++) {
        for (long q = 0; q < nq; q++) {
            polyloop_rolled for (long p = 0; p < np - 1; p += 2)
                *(polyloop_f64x2 *)&sum[p] = (polyloop_f64x2){0};
            const long p_rest0 = 2 * blocks2;
            if (p_rest0 < np)
                polyloop_store_f64x2(&sum[p_rest0], (polyloop_f64x2){0}, np - p_rest0);
            for (long st = 0; st < st_end; st++) {
                const double A_value = (A + (r * nq + q) * np)[8 * st];
                const double A_value_2 = (A + (r * nq + q) * np)[8 * st + 1];
                const double A_value_3 = (A + (r * nq + q) * np)[8 * st + 2];
                const double A_value_4 = (A + (r * nq + q) * np)[8 * st + 3];
                const double A_value_5 = (A + (r * nq + q) * np)[8 * st + 4];
                const double A_value_6 = (A + (r * nq + q) * np)[8 * st + 5];
                const double A_value_7 = (A + (r * nq + q) * np)[8 * st + 6];
                const double A_value_8 = (A + (r * nq + q) * np)[8 * st + 7];
                polyloop_rolled for (long p = 0; p < np - 1; p += 2)
                    polyloop_doitgen_0_part1(st, p, 2, np, C4, sum, A_value, A_value_2, A_value_3, A_value_4,
                        A_value_5, A_value_6, A_value_7, A_value_8);
                const long p_rest1 = 2 * blocks2;
                if (p_rest1 < np)
                    polyloop_doitgen_0_part1(st, p_rest1, np - p_rest1, np, C4, sum, A_value, A_value_2, A_value_3,
                        A_value_4, A_value_5, A_value_6, A_value_7, A_value_8);
            }
            if (8 * st_end < np) {
                for (long p = 0; p < np - 1; p += 2) {
                    polyloop_f64x2 sum_sum = *(const polyloop_f64x2 *)&sum[p];
                    polyloop_rolled for (long s = polyloop_start(8 * blocks - 8); s < s_end; s++)
                        sum_sum = (A + (r * nq + q) * np)[s] * *(const polyloop_f64x2 *)&(C4 + s * np)[p] + sum_sum;
                    *(polyloop_f64x2 *)&sum[p] = sum_sum;
                }
                const long p_rest2 = 2 * blocks2;
                if (p_rest2 < np) {
                    polyloop_f64x2 sum_sum = polyloop_load_f64x2(&sum[p_rest2], np - p_rest2);
                    polyloop_rolled for (long s = polyloop_start(8 * blocks - 8); s < s_end; s++)
                        sum_sum = (A + (r * nq + q) * np)[s] * polyloop_load_f64x2(&(C4 + s * np)[p_rest2],
                            np - p_rest2) + sum_sum;
                    polyloop_store_f64x2(&sum[p_rest2], sum_sum, np - p_rest2);
                }
            }
            polyloop_rolled for (long p = 0; p < np - 1; p += 2)
                *(polyloop_f64x2 *)&(A + (r * nq + q) * np)[p] = *(const polyloop_f64x2 *)&sum[p];
            const long p_rest3 = 2 * blocks2;
            if (p_rest3 < np)
                polyloop_store_f64x2(&(A + (r * nq + q) * np)[p_rest3], polyloop_load_f64x2(&sum[p_rest3],
                    np - p_rest3), np - p_rest3);
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
