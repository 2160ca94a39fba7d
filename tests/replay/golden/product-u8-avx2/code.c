#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <stdint.h>
typedef unsigned char polyloop_u8x2 __attribute__((vector_size(2), aligned(1), may_alias));
typedef unsigned char polyloop_u8x4 __attribute__((vector_size(4), aligned(1), may_alias));
typedef int polyloop_i32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef unsigned short polyloop_u16x8 __attribute__((vector_size(16), aligned(2), may_alias));
typedef unsigned char polyloop_u8x8 __attribute__((vector_size(8), aligned(1), may_alias));
typedef unsigned char polyloop_u8x32 __attribute__((vector_size(32), aligned(1), may_alias));

/* The address of an element of which nothing is touched where it lies outside of its array. */
#define polyloop_at(type, array, offset) ((type *)((uintptr_t)(array) + (uintptr_t)(offset)))

/* A function whose loops are not distributed over several. gcc from 8 on (seen in 12.2 at -O3) does so behind a test
   whether the loops touch the same memory, which leaves out the last element of accesses under a condition. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define polyloop_undistributed __attribute__((optimize("no-tree-loop-distribution")))
#else
#define polyloop_undistributed
#endif

static inline __attribute__((always_inline, unused))
void polyloop_load_u8x2(polyloop_u8x2 *v, const unsigned char *p, long active)
{
    *v = (polyloop_u8x2){active > 0 ? p[0] : 0, active > 1 ? p[1] : 0};
}

static inline __attribute__((always_inline, unused))
void polyloop_store_u8x2(unsigned char *p, const polyloop_u8x2 *v, long active)
{
    if (active > 0)
        p[0] = (*v)[0];
    if (active > 1)
        p[1] = (*v)[1];
}

/* The first `active` elements at p, zeros behind them. */
static inline __attribute__((always_inline, unused))
void polyloop_load_u8x4(polyloop_u8x4 *v, const unsigned char *p, long active)
{
    polyloop_u8x2 low, high = {0};
    if (active >= 4) {
        *v = *(const polyloop_u8x4 *)p;
        return;
    }
    if (active >= 2) {
        low = *(const polyloop_u8x2 *)p;
        polyloop_load_u8x2(&high, p + 2, active - 2);
    } else {
        polyloop_load_u8x2(&low, p, active);
    }
    *v = (polyloop_u8x4){low[0], low[1], high[0], high[1]};
}

/* The first `active` lanes to p; nothing behind them is touched. */
static inline __attribute__((always_inline, unused))
void polyloop_store_u8x4(unsigned char *p, const polyloop_u8x4 *v, long active)
{
    const polyloop_u8x2 low = {(*v)[0], (*v)[1]};
    const polyloop_u8x2 high = {(*v)[2], (*v)[3]};
    if (active >= 4) {
        *(polyloop_u8x4 *)p = *v;
    } else if (active >= 2) {
        *(polyloop_u8x2 *)p = low;
        polyloop_store_u8x2(p + 2, &high, active - 2);
    } else {
        polyloop_store_u8x2(p, &low, active);
    }
}

#if !defined __clang__ && defined __AVX2__
#define polyloop_from_words_i32x8(vector) ((polyloop_i32x8)_mm256_cvtepu16_epi32((__m128i)(vector)))
#else
#define polyloop_from_words_i32x8(vector) __builtin_convertvector(vector, polyloop_i32x8)
#endif

/* The first `active` elements at p, zeros behind them. */
static inline __attribute__((always_inline, unused))
void polyloop_load_u8x8(polyloop_u8x8 *v, const unsigned char *p, long active)
{
    polyloop_u8x4 low, high = {0};
    if (active >= 8) {
        *v = *(const polyloop_u8x8 *)p;
        return;
    }
    if (active >= 4) {
        low = *(const polyloop_u8x4 *)p;
        polyloop_load_u8x4(&high, p + 4, active - 4);
    } else {
        polyloop_load_u8x4(&low, p, active);
    }
    *v = (polyloop_u8x8){low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
}

/* The first `active` lanes to p; nothing behind them is touched. */
static inline __attribute__((always_inline, unused))
void polyloop_store_u8x8(unsigned char *p, const polyloop_u8x8 *v, long active)
{
    const polyloop_u8x4 low = {(*v)[0], (*v)[1], (*v)[2], (*v)[3]};
    const polyloop_u8x4 high = {(*v)[4], (*v)[5], (*v)[6], (*v)[7]};
    if (active >= 8) {
        *(polyloop_u8x8 *)p = *v;
    } else if (active >= 4) {
        *(polyloop_u8x4 *)p = low;
        polyloop_store_u8x4(p + 4, &high, active - 4);
    } else {
        polyloop_store_u8x4(p, &low, active);
    }
}

polyloop_undistributed void product__u8(const unsigned char (*restrict A)[30],
    const unsigned char (*restrict B)[70], unsigned char (*restrict C)[70])
{
#pragma GCC unroll 1
    for (long m = 0; m < 50; m++) {
        *(polyloop_u8x32 *)&C[m][0] = (polyloop_u8x32){(unsigned char)0, (unsigned char)0, (unsigned char)0,
            (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0,
            (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0,
            (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0,
            (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0,
            (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0,
            (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0};
        *(polyloop_u8x32 *)&C[m][32] = (polyloop_u8x32){(unsigned char)0, (unsigned char)0, (unsigned char)0,
            (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0,
            (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0,
            (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0,
            (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0,
            (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0,
            (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0};
        polyloop_store_u8x8(polyloop_at(unsigned char, C, 1 * (m * 70 + 64)),
            &(polyloop_u8x8[]){(polyloop_u8x8){(unsigned char)0, (unsigned char)0, (unsigned char)0,
            (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0, (unsigned char)0}}[0], 6);
    }
    for (long m = 0; m < 50; m++) {
        for (long k = 0; k < 30; k++) {
            const int v9 = (int)A[m][k];
#pragma GCC unroll 1
            for (long n = 0; n < 63; n += 8) {
                const polyloop_u8x8 v6 = *(const polyloop_u8x8 *)&C[m][n];
                const polyloop_i32x8 v7 = polyloop_from_words_i32x8(__builtin_convertvector(v6, polyloop_u16x8));
                const polyloop_u8x8 v10 = *(const polyloop_u8x8 *)&B[k][n];
                const polyloop_i32x8 v11 = polyloop_from_words_i32x8(__builtin_convertvector(v10, polyloop_u16x8));
                const polyloop_i32x8 v13 = v9 * v11;
                const polyloop_i32x8 v14 = v7 + v13;
                const polyloop_u8x8 v15 = __builtin_convertvector(__builtin_convertvector(v14, polyloop_u16x8),
                    polyloop_u8x8);
                *(polyloop_u8x8 *)&C[m][n] = v15;
            }
            const long n_rest0 = 64;
            if (n_rest0 <= 69) {
                polyloop_u8x8 v16;
                polyloop_load_u8x8(&v16, polyloop_at(unsigned char, C, 1 * (m * 70 + n_rest0)), -n_rest0 + 70);
                const polyloop_i32x8 v17 = polyloop_from_words_i32x8(__builtin_convertvector(v16, polyloop_u16x8));
                polyloop_u8x8 v20;
                polyloop_load_u8x8(&v20, polyloop_at(const unsigned char, B, 1 * (k * 70 + n_rest0)), -n_rest0 + 70);
                const polyloop_i32x8 v21 = polyloop_from_words_i32x8(__builtin_convertvector(v20, polyloop_u16x8));
                const polyloop_i32x8 v23 = v9 * v21;
                const polyloop_i32x8 v24 = v17 + v23;
                const polyloop_u8x8 v25 = __builtin_convertvector(__builtin_convertvector(v24, polyloop_u16x8),
                    polyloop_u8x8);
                polyloop_store_u8x8(polyloop_at(unsigned char, C, 1 * (m * 70 + n_rest0)), &v25, -n_rest0 + 70);
            }
        }
    }
}
