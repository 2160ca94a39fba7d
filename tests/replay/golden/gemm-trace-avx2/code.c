/* Matrix product with accumulation: C <- alpha A B + beta C. */
/* Made by polyloop for the loops of gemm. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  /* #pragma scop */
#include <stdint.h>

/* Whether the bytes a[a_begin .. a_end) and b[b_begin .. b_end) have none in common. */
static inline int polyloop_disjoint(const void *a, long a_begin, long a_end, const void *b, long b_begin, long b_end)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return a_begin >= a_end || b_begin >= b_end || x + (uintptr_t)a_end <= y + (uintptr_t)b_begin
        || y + (uintptr_t)b_end <= x + (uintptr_t)a_begin;
}

/* Division rounded towards minus infinity, b > 0. */
static inline long polyloop_floord(long a, long b) { return a / b - (a % b < 0); }

/* A function that stays one, whose loops gcc does not distribute: it would lose the last of conditional accesses. */
#if !defined __GNUC__ || defined __clang__ || __GNUC__ < 8
#define polyloop_kernel static __attribute__((noinline))
#else
#define polyloop_kernel static __attribute__((noipa, optimize("no-tree-loop-distribution")))
#endif

static inline long polyloop_min(long a, long b) { return a < b ? a : b; }

/* A loop whose body uses the registers as it is. */
#define polyloop_rolled _Pragma("GCC unroll 1")

polyloop_kernel void polyloop_gemm_0(long ni, long nj, long nk, const double beta, double *__restrict C,
    const double alpha, const double *__restrict A, const double *__restrict B)
{
#ifdef _OPENMP
#pragma omp parallel for
#endif
    for (long i = 0; i < ni; i++) {
        for (long jt = 0; jt < polyloop_floord(nj + 3, 4); jt++)
            polyloop_rolled for (long j = 4 * jt; j < polyloop_min(4 * jt + 4, nj); j++)
                (C + i * nj)[j] = (C + i * nj)[j] * beta;
        for (long j = 0; j < nj; j++) {
            double C_sum = (C + i * nj)[j];
            polyloop_rolled for (long k = 0; k < nk; k++) {
                const double product = alpha * (A + i * nk)[k];
                C_sum = product * (B + k * nj)[j] + C_sum;
            }
            (C + i * nj)[j] = C_sum;
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
