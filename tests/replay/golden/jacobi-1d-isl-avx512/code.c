/* Mean of three neighbours on a line, from A to B and then from B to A. The ends stay. */
/* Made by polyloop for the loops of jacobi_1d. */
#ifdef __GNUC__  /* -Wall would warn of #pragma scop, and of #pragma omp without OpenMP */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif
#include <stdint.h>
typedef double polyloop_f64x2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double polyloop_f64x4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double polyloop_f64x8 __attribute__((vector_size(64), aligned(8), may_alias));

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

/* Where the processor loads and stores the first lanes of a vector by one instruction. */
#if defined __AVX512VL__ && defined __BMI2__
#include <immintrin.h>
#define polyloop_masks
#ifdef __AVX512BW__
#define polyloop_narrow_masks
#endif
#endif

static inline long polyloop_max(long a, long b)
{
    return a > b ? a : b;
}

/* Where a loop over vectors starts. clang must not see that it moves with the loop around: it would keep a pointer for
   each array and a counter besides, instead of one counter. */
static inline long polyloop_start(long first)
{
#ifdef __clang__
    __asm__("" : "+r"(first));
#endif
    return first;
}

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

/* The first `active` elements at p, zeros behind them. */
static inline __attribute__((always_inline, unused))
void polyloop_load_f64x4(polyloop_f64x4 *v, const double *p, long active)
{
#ifdef polyloop_masks
    *v = (polyloop_f64x4)_mm256_maskz_loadu_pd((__mmask8)_bzhi_u32(0xf, (unsigned)active), p);
#else
    polyloop_f64x2 low, high = {0};
    if (active >= 4) {
        *v = *(const polyloop_f64x4 *)p;
        return;
    }
    if (active >= 2) {
        low = *(const polyloop_f64x2 *)p;
        polyloop_load_f64x2(&high, p + 2, active - 2);
    } else {
        polyloop_load_f64x2(&low, p, active);
    }
    *v = (polyloop_f64x4){low[0], low[1], high[0], high[1]};
#endif
}

/* The first `active` lanes to p; nothing behind them is touched. */
static inline __attribute__((always_inline, unused))
void polyloop_store_f64x4(double *p, const polyloop_f64x4 *v, long active)
{
#ifdef polyloop_masks
    _mm256_mask_storeu_pd(p, (__mmask8)_bzhi_u32(0xf, (unsigned)active), (__m256d)*v);
#else
    const polyloop_f64x2 low = {(*v)[0], (*v)[1]};
    const polyloop_f64x2 high = {(*v)[2], (*v)[3]};
    if (active >= 4) {
        *(polyloop_f64x4 *)p = *v;
    } else if (active >= 2) {
        *(polyloop_f64x2 *)p = low;
        polyloop_store_f64x2(p + 2, &high, active - 2);
    } else {
        polyloop_store_f64x2(p, &low, active);
    }
#endif
}

/* Keeps a loaded vector in its register: gcc would load it again wherever it is used. */
#if defined __AVX512F__ && !defined __clang__
#define polyloop_keep_f64x8(vector) __asm__("" : "+v"(vector))
#else
#define polyloop_keep_f64x8(vector) ((void)0)
#endif

/* The first `active` elements at p, zeros behind them. */
static inline __attribute__((always_inline, unused))
void polyloop_load_f64x8(polyloop_f64x8 *v, const double *p, long active)
{
#ifdef polyloop_masks
    *v = (polyloop_f64x8)_mm512_maskz_loadu_pd((__mmask8)_bzhi_u32(0xff, (unsigned)active), p);
#else
    polyloop_f64x4 low, high = {0};
    if (active >= 8) {
        *v = *(const polyloop_f64x8 *)p;
        return;
    }
    if (active >= 4) {
        low = *(const polyloop_f64x4 *)p;
        polyloop_load_f64x4(&high, p + 4, active - 4);
    } else {
        polyloop_load_f64x4(&low, p, active);
    }
    *v = (polyloop_f64x8){low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
#endif
}

/* The first `active` lanes to p; nothing behind them is touched. */
static inline __attribute__((always_inline, unused))
void polyloop_store_f64x8(double *p, const polyloop_f64x8 *v, long active)
{
#ifdef polyloop_masks
    _mm512_mask_storeu_pd(p, (__mmask8)_bzhi_u32(0xff, (unsigned)active), (__m512d)*v);
#else
    const polyloop_f64x4 low = {(*v)[0], (*v)[1], (*v)[2], (*v)[3]};
    const polyloop_f64x4 high = {(*v)[4], (*v)[5], (*v)[6], (*v)[7]};
    if (active >= 8) {
        *(polyloop_f64x8 *)p = *v;
    } else if (active >= 4) {
        *(polyloop_f64x4 *)p = low;
        polyloop_store_f64x4(p + 4, &high, active - 4);
    } else {
        polyloop_store_f64x4(p, &low, active);
    }
#endif
}

polyloop_kernel void polyloop_jacobi_1d_0(long tsteps, long n, double *restrict A, double *restrict B)
{
    for (long t = 0; t < tsteps; t++) {
        if (n >= 10) {
            polyloop_f64x8 v33 = *(const polyloop_f64x8 *)&A[0];
            polyloop_keep_f64x8(v33);
            polyloop_f64x8 v32 = __builtin_shufflevector(v33, v33, 0, 0, 0, 0, 0, 0, 0, 1);
#pragma GCC unroll 1
            for (long i = polyloop_start(2 * t + 1); i < n + 2 * t - 8; i += 8) {
                polyloop_f64x8 v4 = *(const polyloop_f64x8 *)&A[i - 2 * t + 1];
                polyloop_keep_f64x8(v4);
                const polyloop_f64x8 v1 = __builtin_shufflevector(v32, v4, 6, 7, 8, 9, 10, 11, 12, 13);
                const polyloop_f64x8 v2 = __builtin_shufflevector(v32, v4, 7, 8, 9, 10, 11, 12, 13, 14);
                const polyloop_f64x8 v3 = v1 + v2;
                const polyloop_f64x8 v5 = v3 + v4;
                const polyloop_f64x8 v7 = 0.33333 * v5;
                *(polyloop_f64x8 *)&B[i - 2 * t] = v7;
                v32 = v4;
            }
        }
        const long i_rest0 = 2 * t + 8 * polyloop_floord(polyloop_max(0, n - 2), 8) + 1;
        if (n + 2 * t >= i_rest0 + 2) {
            polyloop_f64x8 v9;
            polyloop_load_f64x8(&v9, polyloop_at(double, A, 8 * (i_rest0 - 2 * t - 1)), n + 2 * t - i_rest0 - 1);
            polyloop_f64x8 v10;
            polyloop_load_f64x8(&v10, polyloop_at(double, A, 8 * (i_rest0 - 2 * t)), n + 2 * t - i_rest0 - 1);
            const polyloop_f64x8 v11 = v9 + v10;
            polyloop_f64x8 v12;
            polyloop_load_f64x8(&v12, polyloop_at(double, A, 8 * (i_rest0 - 2 * t + 1)), n + 2 * t - i_rest0 - 1);
            const polyloop_f64x8 v13 = v11 + v12;
            const polyloop_f64x8 v15 = 0.33333 * v13;
            polyloop_store_f64x8(polyloop_at(double, B, 8 * (i_rest0 - 2 * t)), &v15, n + 2 * t - i_rest0 - 1);
        }
        if (n >= 10) {
            polyloop_f64x8 v37 = *(const polyloop_f64x8 *)&B[0];
            polyloop_keep_f64x8(v37);
            polyloop_f64x8 v36 = __builtin_shufflevector(v37, v37, 0, 0, 0, 0, 0, 0, 0, 1);
#pragma GCC unroll 1
            for (long i = polyloop_start(2 * t + 2); i < n + 2 * t - 7; i += 8) {
                polyloop_f64x8 v20 = *(const polyloop_f64x8 *)&B[i - 2 * t];
                polyloop_keep_f64x8(v20);
                const polyloop_f64x8 v17 = __builtin_shufflevector(v36, v20, 6, 7, 8, 9, 10, 11, 12, 13);
                const polyloop_f64x8 v18 = __builtin_shufflevector(v36, v20, 7, 8, 9, 10, 11, 12, 13, 14);
                const polyloop_f64x8 v19 = v17 + v18;
                const polyloop_f64x8 v21 = v19 + v20;
                const polyloop_f64x8 v23 = 0.33333 * v21;
                *(polyloop_f64x8 *)&A[i - 2 * t - 1] = v23;
                v36 = v20;
            }
        }
        const long i_rest1 = 2 * t + 8 * polyloop_floord(polyloop_max(0, n - 2), 8) + 2;
        if (i_rest1 < n + 2 * t) {
            polyloop_f64x8 v25;
            polyloop_load_f64x8(&v25, polyloop_at(double, B, 8 * (i_rest1 - 2 * t - 2)), n + 2 * t - i_rest1);
            polyloop_f64x8 v26;
            polyloop_load_f64x8(&v26, polyloop_at(double, B, 8 * (i_rest1 - 2 * t - 1)), n + 2 * t - i_rest1);
            const polyloop_f64x8 v27 = v25 + v26;
            polyloop_f64x8 v28;
            polyloop_load_f64x8(&v28, polyloop_at(double, B, 8 * (i_rest1 - 2 * t)), n + 2 * t - i_rest1);
            const polyloop_f64x8 v29 = v27 + v28;
            const polyloop_f64x8 v31 = 0.33333 * v29;
            polyloop_store_f64x8(polyloop_at(double, A, 8 * (i_rest1 - 2 * t - 1)), &v31, n + 2 * t - i_rest1);
        }
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
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
}
