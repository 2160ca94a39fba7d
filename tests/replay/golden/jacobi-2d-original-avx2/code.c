/* Mean of a point and its four neighbours in the plane, from A to B and then from B to A. The
   boundary stays. */
/* Made by polyloop for the loops of jacobi_2d. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  /* #pragma scop */
#include <stdint.h>
#ifdef __clang__
/* A function that stays one, whose loops gcc does not distribute: it would lose the last of conditional accesses. */
#define polyloop_kernel static __attribute__((noinline))
#else
#define polyloop_kernel static __attribute__((noipa, optimize("no-tree-loop-distribution")))
#endif

/* Whether the bytes a[a_begin .. a_end) and b[b_begin .. b_end) have none in common. */
static inline int polyloop_disjoint(const void *a, long a_begin, long a_end, const void *b, long b_begin, long b_end)
{
    const long apart = (long)((uintptr_t)b - (uintptr_t)a);
    return a_begin >= a_end || b_begin >= b_end || a_end - b_begin <= apart || b_end - a_begin <= -apart;
}

polyloop_kernel void polyloop_jacobi_2d_0(long tsteps, long n, double *__restrict A, double *__restrict B)
{
    for (long t = 0; t < tsteps; t++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                (B + i * n)[j] = 0.2 * (((((A + i * n)[j] + (A + i * n)[j - 1]) + (A + i * n)[j + 1]) + (A + (i + 1)
                    * n)[j]) + (A + (i - 1) * n)[j]);
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                (A + i * n)[j] = 0.2 * (((((B + i * n)[j] + (B + i * n)[j - 1]) + (B + i * n)[j + 1]) + (B + (i + 1)
                    * n)[j]) + (B + (i - 1) * n)[j]);
    }
}

#pragma GCC diagnostic ignored "-Wunknown-pragmas"

void jacobi_2d(int tsteps, int n, double A[n][n], double B[n][n])
{
#pragma scop
    if ((long)n >= 1 && polyloop_disjoint(&A[0][0], 0, 8 * (long)n * (long)n, &B[0][0], 0, 8 * (long)n * (long)n)) {
        polyloop_jacobi_2d_0(tsteps, n, &A[0][0], &B[0][0]);
    } else {
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]);
    }
    }
#pragma endscop
#pragma GCC diagnostic pop
}
