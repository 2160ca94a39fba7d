/* Contraction of a tensor's last axis with a matrix, in place:
   A[r,q,p] <- sum over s of A[r,q,s] C4[s,p]. */
/* Made by polyloop for the loops of doitgen. */
#ifdef __GNUC__  /* -Wall would warn of #pragma scop, and of #pragma omp without OpenMP */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif
#include <stdint.h>
typedef double polyloop_f64x2 __attribute__((vector_size(16), aligned(8), may_alias));

/* The address of an element of which nothing is touched where it lies outside of its array. */
#define polyloop_at(type, array, offset) ((type *)((uintptr_t)(array) + (uintptr_t)(offset)))

/* Whether the bytes a[a_begin .. a_end) and b[b_begin .. b_end) have none in common. */
static inline int polyloop_disjoint(
    const void *a, long a_begin, long a_end, const void *b, long b_begin, long b_end)
{
    const uintptr_t first = (uintptr_t)a, second = (uintptr_t)b;
    return a_begin >= a_end || b_begin >= b_end || first + (uintptr_t)a_end <= second + (uintptr_t)b_begin
        || second + (uintptr_t)b_end <= first + (uintptr_t)a_begin;
}

/* Division rounded towards minus infinity, b > 0. */
static inline long polyloop_floord(long a, long b)
{
    return a / b - (a % b < 0);
}

/* A function that stays a function. gcc 12 forgets which array a loop with falling subscripts writes, then takes the
   function for one without effects and drops its calls: it must not draw conclusions about it. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define polyloop_kernel static __attribute__((noipa)) polyloop_undistributed
#else
#define polyloop_kernel static __attribute__((noinline))
#endif

/* A function whose loops are not distributed over several. gcc from 8 on (seen in 12.2 at -O3) does so behind a test
   whether the loops touch the same memory, which leaves out the last element of accesses under a condition. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define polyloop_undistributed __attribute__((optimize("no-tree-loop-distribution")))
#else
#define polyloop_undistributed
#endif

static inline __attribute__((always_inline, unused))
void polyloop_load_f64x2(polyloop_f64x2 *v, const double *p, long active)
{
    *v = (polyloop_f64x2){active > 0 ? p[0] : 0, active > 1 ? p[1] : 0};
}

static inline __attribute__((always_inline, unused))
void polyloop_store_f64x2(double *p, const polyloop_f64x2 *v, long active)
{
    if (active > 0)
        p[0] = (*v)[0];
    if (active > 1)
        p[1] = (*v)[1];
}

polyloop_kernel void polyloop_doitgen_0(long nr, long nq, long np, double *restrict sum,
    double (*restrict A)[nq][np], const double (*restrict C4)[np])
{
    for (long r = 0; r < nr; r++) {
        for (long q = 0; q < nq; q++) {
#pragma GCC unroll 1
            for (long p = 0; p < np - 1; p += 2) {
                *(polyloop_f64x2 *)&sum[p] = (polyloop_f64x2){0};
            }
            const long p_rest0 = 2 * polyloop_floord(np, 2);
            if (p_rest0 < np) {
                polyloop_store_f64x2(polyloop_at(double, sum, 8 * (p_rest0)),
                    &(polyloop_f64x2[]){(polyloop_f64x2){0}}[0], np - p_rest0);
            }
            for (long s = 0; s < np; s++) {
                const double v4 = A[r][q][s];
#pragma GCC unroll 1
                for (long p = 0; p < np - 1; p += 2) {
                    const polyloop_f64x2 v5 = *(const polyloop_f64x2 *)&C4[s][p];
                    const polyloop_f64x2 v6 = *(const polyloop_f64x2 *)&sum[p];
                    const polyloop_f64x2 v8 = v4 * v5 + v6;
                    *(polyloop_f64x2 *)&sum[p] = v8;
                }
                const long p_rest1 = 2 * polyloop_floord(np, 2);
                if (p_rest1 < np) {
                    polyloop_f64x2 v10;
                    polyloop_load_f64x2(&v10, polyloop_at(const double, C4, 8 * (s * np + p_rest1)), np - p_rest1);
                    polyloop_f64x2 v11;
                    polyloop_load_f64x2(&v11, polyloop_at(double, sum, 8 * (p_rest1)), np - p_rest1);
                    const polyloop_f64x2 v13 = v4 * v10 + v11;
                    polyloop_store_f64x2(polyloop_at(double, sum, 8 * (p_rest1)), &v13, np - p_rest1);
                }
            }
#pragma GCC unroll 1
            for (long p = 0; p < np - 1; p += 2) {
                const polyloop_f64x2 v14 = *(const polyloop_f64x2 *)&sum[p];
                *(polyloop_f64x2 *)&A[r][q][p] = v14;
            }
            const long p_rest2 = 2 * polyloop_floord(np, 2);
            if (p_rest2 < np) {
                polyloop_f64x2 v15;
                polyloop_load_f64x2(&v15, polyloop_at(double, sum, 8 * (p_rest2)), np - p_rest2);
                polyloop_store_f64x2(polyloop_at(double, A, 8 * ((r * nq + q) * np + p_rest2)), &v15, np - p_rest2);
            }
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
        polyloop_doitgen_0(nr, nq, np, sum, (void *)&A[0][0][0], (void *)&C4[0][0]);
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
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
}
