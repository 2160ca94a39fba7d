/* Symmetric rank-m update of the lower triangle: C <- alpha A A^T + beta C. */
/* Made by polyloop for the loops of syrk. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  /* #pragma scop */
#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <stdint.h>
#include <stdlib.h>
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
/* A loop over vectors, of which the last one may have fewer lanes than `step`: compilers make two loops of it. */
#define polyloop_strips(i, lanes, begin, end, step) \
    _Pragma("GCC unroll 2") for (int rest_ = 0; rest_ < 2; rest_++) \
        _Pragma("GCC unroll 1") for (long i = rest_ ? (end) - ((end) - (begin)) % step : polyloop_start(begin), \
            lanes = rest_ ? (end) - i : step, last_ = (end) - (rest_ ? 1 : step); i <= last_; \
            i = rest_ ? (end) : i + step)

/* Whether the bytes a[a_begin .. a_end) and b[b_begin .. b_end) have none in common. */
static inline int polyloop_disjoint(const void *a, long a_begin, long a_end, const void *b, long b_begin, long b_end)
{
    const long apart = (long)((uintptr_t)b - (uintptr_t)a);
    return a_begin >= a_end || b_begin >= b_end || a_end - b_begin <= apart || b_end - a_begin <= -apart;
}

/* Memory for a call; none beyond 4 gigabytes, as the original loops need none. */
static inline char *polyloop_take(size_t size) { return size > 4294967295u ? NULL : (char *)malloc(size); }

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

polyloop_kernel int polyloop_syrk_0(long n, long m, const double beta, double *__restrict C, const double alpha,
    const double *__restrict A)
{
    const size_t A_t_size = ((size_t)polyloop_max(m, 0) * (size_t)polyloop_max(n, 0) * 8 + 127) / 64 * 64;
    char *const memory = polyloop_take(A_t_size + 64);
    if (!memory)
        return 0;
    double *__restrict A_t = (double *)(memory + (64 - (uintptr_t)memory % 64));
    for (long c0 = 0; c0 < n; c0++) {
#ifdef _OPENMP
#pragma omp parallel for
#endif
        for (long c1 = 0; c1 < m; c1++)
            (A_t + c1 * n)[c0] = (A + c0 * m)[c1];
    }
    for (long it = 0; it < ((n + 7) >> 3); it++)
        for (long i = 8 * it; i < polyloop_min(8 * it + 8, n); i++) {
            polyloop_strips(j, lanes, 0, i + 1, 8)
                polyloop_store_f64x8(&(C + i * n)[j], polyloop_load_f64x8(&(C + i * n)[j], lanes) * beta, lanes);
            for (long k = -m + 1; k < 1; k++) {
                const double product = alpha * (A + i * m)[-k];
                polyloop_rolled for (long j = 0; j < i + 1; j++)
                    (C + i * n)[j] = product * (A_t + (-k) * n)[j] + (C + i * n)[j];
            }
        }
    free(memory);
    return 1;
}

#pragma GCC diagnostic ignored "-Wunknown-pragmas"

void syrk(int n, int m, double alpha, double beta, double C[n][n], double A[n][m])
{
#pragma scop
    if (!((long)n >= 1 && (long)m >= 1
        && polyloop_disjoint(&C[0][0], 0, 8 * (long)n * (long)n, &A[0][0], 0, 8 * (long)n * (long)m)
        && polyloop_syrk_0(n, m, beta, &C[0][0], alpha, &A[0][0]))) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            C[i][j] *= beta;
        for (int k = 0; k < m; k++)
            for (int j = 0; j <= i; j++)
                C[i][j] += alpha * A[i][k] * A[j][k];
    }
    }
#pragma endscop
#pragma GCC diagnostic pop
}
