/* Matrix product with accumulation: C <- alpha A B + beta C. */
/* Made by polyloop for the loops of gemm. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  /* #pragma scop */
#include <stdint.h>
typedef double polyloop_f64x2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double polyloop_f64x4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double polyloop_f64x8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef double polyloop_f64x16 __attribute__((vector_size(128), aligned(8), may_alias));
typedef int polyloop_i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef long polyloop_i64x16 __attribute__((vector_size(128), aligned(8), may_alias));
#ifdef __clang__
/* A function that stays one, whose loops gcc does not distribute: it would lose the last of conditional accesses. */
#define polyloop_kernel static __attribute__((noinline))
#else
#define polyloop_kernel static __attribute__((noipa, optimize("no-tree-loop-distribution")))
#endif
#define polyloop_inline static inline __attribute__((always_inline, unused))
#if defined __clang__ && defined __AVX512F__ /* lanes that it is not to gather: they are loaded one by one */
#define polyloop_lane(x) __extension__({ __typeof__(x) x_ = x; __asm__("" : "+v"(x_)); x_; })
#else
#define polyloop_lane(x) (x)
#endif
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

/* Whether the bytes a[a_begin .. a_end) and b[b_begin .. b_end) have none in common. */
static inline int polyloop_disjoint(const void *a, long a_begin, long a_end, const void *b, long b_begin, long b_end)
{
    const long apart = (long)((uintptr_t)b - (uintptr_t)a);
    return a_begin >= a_end || b_begin >= b_end || a_end - b_begin <= apart || b_end - a_begin <= -apart;
}

#if defined __clang__ || __GNUC__ >= 12
/* The same of more or fewer lanes, for which gcc had no function before. */
#define polyloop_reshuffle(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define polyloop_reshuffle(a, b, ...) __extension__({ \
    const __typeof__(a) from_[2] = {a, b}; const int order_[] = {__VA_ARGS__}; \
    __typeof__((a)[0]) to_ __attribute__((vector_size(sizeof order_ / sizeof(int) * sizeof((a)[0])))); \
    unsigned k_; polyloop_unrolled for (k_ = 0; k_ < sizeof order_ / sizeof(int); k_++) \
        to_[k_] = ((const __typeof__((a)[0]) *)from_)[order_[k_]]; \
    to_; })
#endif

/* The first n elements that are so far apart, zeros behind them. */
#define polyloop_gather_f64x16(p, stride, n) __extension__({ const double *p_ = p; const long s_ = stride, n_ = n; \
    (polyloop_f64x16){n_ > 0 ? p_[0] : 0, n_ > 1 ? p_[s_] : 0, polyloop_lane(n_ > 2 ? p_[2 * s_] : 0), \
        n_ > 3 ? p_[3 * s_] : 0, n_ > 4 ? p_[4 * s_] : 0, n_ > 5 ? p_[5 * s_] : 0, \
        polyloop_lane(n_ > 6 ? p_[6 * s_] : 0), n_ > 7 ? p_[7 * s_] : 0, n_ > 8 ? p_[8 * s_] : 0, \
        n_ > 9 ? p_[9 * s_] : 0, polyloop_lane(n_ > 10 ? p_[10 * s_] : 0), n_ > 11 ? p_[11 * s_] : 0, \
        n_ > 12 ? p_[12 * s_] : 0, n_ > 13 ? p_[13 * s_] : 0, polyloop_lane(n_ > 14 ? p_[14 * s_] : 0), \
        n_ > 15 ? p_[15 * s_] : 0}; })

/* The first n elements at p, zeros behind them. */
#define polyloop_load_f64x16(p, n) __extension__({ polyloop_f64x16 v_ = {0}; const long n_ = n; \
    if (n_ >= 16) \
        v_ = *(const polyloop_f64x16 *)(p); else polyloop_load_part_f64x16(v_, p, n_); v_; })

#define polyloop_load_part_f64x16(v, p, n) do { int k_; for (k_ = 0; k_ < n; k_++) v[k_] = (p)[k_]; } while (0)
#define polyloop_store_part_f64x16(p, v, n) do { int k_; for (k_ = 0; k_ < n; k_++) (p)[k_] = v[k_]; } while (0)

polyloop_inline double polyloop_sum_f64x16(const polyloop_f64x16 *v)
{
    const polyloop_f64x8 s8 = polyloop_reshuffle(*v, *v, 0, 1, 2, 3, 4, 5, 6, 7) + polyloop_reshuffle(*v, *v, 8,
        9, 10, 11, 12, 13, 14, 15);
    const polyloop_f64x4 s4 = polyloop_reshuffle(s8, s8, 0, 1, 2, 3) + polyloop_reshuffle(s8, s8, 4, 5, 6, 7);
    const polyloop_f64x2 s2 = polyloop_reshuffle(s4, s4, 0, 1) + polyloop_reshuffle(s4, s4, 2, 3);
    const polyloop_f64x2 s1 = s2 + polyloop_shuffle(s2, s2, 1, 0);
    return s1[0];
}

polyloop_kernel void polyloop_gemm_0(long ni, long nj, long nk, const double beta, double *__restrict C,
    const double alpha, const double *__restrict A, const double *__restrict B)
{
#ifdef _OPENMP
#pragma omp parallel for
#endif
    for (long i = 0; i < ni; i++) {
        double acc0[16] __attribute__((aligned(64)));
        for (long jt = 0; jt < ((nj + 3) >> 2); jt++)
            polyloop_rolled for (long j = 4 * jt; j < polyloop_min(4 * jt + 4, nj); j++)
                (C + i * nj)[j] = (C + i * nj)[j] * beta;
        for (long j = 0; j < nj; j++) {
            *(polyloop_f64x16 *)&acc0[0] = (polyloop_f64x16){0};
            if (nk >= 16) {
                polyloop_f64x16 acc0_sum = {0};
                polyloop_rolled for (long k = 0; k < nk - 15; k += 16) {
                    const polyloop_f64x16 product = alpha * *(const polyloop_f64x16 *)&(A + i * nk)[k];
                    const polyloop_f64x16 B_value = polyloop_gather_f64x16(&(B + k * nj)[j], nj, 16);
                    acc0_sum = product * B_value + acc0_sum;
                }
                *(polyloop_f64x16 *)&acc0[0] = acc0_sum;
            }
            const long k_rest0 = 16 * (nk >> 4);
            if (k_rest0 < nk) {
                const polyloop_f64x16 product = alpha * polyloop_load_f64x16(&(A + i * nk)[k_rest0], nk - k_rest0);
                const polyloop_f64x16 B_value = polyloop_gather_f64x16(&(B + k_rest0 * nj)[j], nj, nk - k_rest0);
                const polyloop_f64x16 acc0_value = *(const polyloop_f64x16 *)&acc0[0];
                const polyloop_f64x16 sum = product * B_value + acc0_value;
                const polyloop_i64x16 value = 0 + (polyloop_i64x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
                    14, 15};
                const long value_2 = nk - k_rest0;
                const polyloop_i64x16 value_3 = (polyloop_i64x16)(value < value_2);
                const polyloop_f64x16 value_4 = (polyloop_f64x16)(((polyloop_i64x16)sum & value_3)
                    | ((polyloop_i64x16)acc0_value & ~value_3));
                *(polyloop_f64x16 *)&acc0[0] = value_4;
            }
            const polyloop_f64x16 acc0_value = *(const polyloop_f64x16 *)&acc0[0];
            const double value = polyloop_sum_f64x16(&acc0_value);
            (C + i * nj)[j] = (C + i * nj)[j] + value;
        }
    }
}

#pragma GCC diagnostic ignored "-Wunknown-pragmas"

void gemm(int ni, int nj, int nk, double alpha, double beta,
          double C[ni][nj], double A[ni][nk], double B[nk][nj])
{
#pragma scop
    if ((long)nj >= 1 && (long)nk >= 1
        && polyloop_disjoint(&C[0][0], 0, 8 * (long)ni * (long)nj, &A[0][0], 0, 8 * (long)ni * (long)nk)
        && polyloop_disjoint(&C[0][0], 0, 8 * (long)ni * (long)nj, &B[0][0], 0, 8 * (long)nk * (long)nj)) {
        polyloop_gemm_0(ni, nj, nk, beta, &C[0][0], alpha, &A[0][0], &B[0][0]);
    } else {
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++)
            C[i][j] *= beta;
        for (int k = 0; k < nk; k++)
            for (int j = 0; j < nj; j++)
                C[i][j] += alpha * A[i][k] * B[k][j];
    }
    }
#pragma endscop
#pragma GCC diagnostic pop
}
