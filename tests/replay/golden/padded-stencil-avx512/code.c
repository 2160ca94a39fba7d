#include <stdint.h>
typedef float polyloop_f32x2 __attribute__((vector_size(8), aligned(4), may_alias));
typedef float polyloop_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float polyloop_f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float polyloop_f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

/* The address of an element of which nothing is touched where it lies outside of its array. */
#define polyloop_at(type, array, offset) ((type *)((uintptr_t)(array) + (uintptr_t)(offset)))

/* Where the processor loads and stores the first lanes of a vector by one instruction. */
#if defined __AVX512VL__ && defined __BMI2__
#include <immintrin.h>
#define polyloop_masks
#ifdef __AVX512BW__
#define polyloop_narrow_masks
#endif
#endif

/* A function whose loops are not distributed over several. gcc from 8 on (seen in 12.2 at -O3) does so behind a test
   whether the loops touch the same memory, which leaves out the last element of accesses under a condition. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define polyloop_undistributed __attribute__((optimize("no-tree-loop-distribution")))
#else
#define polyloop_undistributed
#endif

static inline __attribute__((always_inline, unused))
void polyloop_load_f32x2(polyloop_f32x2 *v, const float *p, long active)
{
    *v = (polyloop_f32x2){active > 0 ? p[0] : 0, active > 1 ? p[1] : 0};
}

static inline __attribute__((always_inline, unused))
void polyloop_store_f32x2(float *p, const polyloop_f32x2 *v, long active)
{
    if (active > 0)
        p[0] = (*v)[0];
    if (active > 1)
        p[1] = (*v)[1];
}

/* The first `active` elements at p, zeros behind them. */
static inline __attribute__((always_inline, unused))
void polyloop_load_f32x4(polyloop_f32x4 *v, const float *p, long active)
{
#ifdef polyloop_masks
    *v = (polyloop_f32x4)_mm_maskz_loadu_ps((__mmask8)_bzhi_u32(0xf, (unsigned)active), p);
#else
    polyloop_f32x2 low, high = {0};
    if (active >= 4) {
        *v = *(const polyloop_f32x4 *)p;
        return;
    }
    if (active >= 2) {
        low = *(const polyloop_f32x2 *)p;
        polyloop_load_f32x2(&high, p + 2, active - 2);
    } else {
        polyloop_load_f32x2(&low, p, active);
    }
    *v = (polyloop_f32x4){low[0], low[1], high[0], high[1]};
#endif
}

/* The first `active` lanes to p; nothing behind them is touched. */
static inline __attribute__((always_inline, unused))
void polyloop_store_f32x4(float *p, const polyloop_f32x4 *v, long active)
{
#ifdef polyloop_masks
    _mm_mask_storeu_ps(p, (__mmask8)_bzhi_u32(0xf, (unsigned)active), (__m128)*v);
#else
    const polyloop_f32x2 low = {(*v)[0], (*v)[1]};
    const polyloop_f32x2 high = {(*v)[2], (*v)[3]};
    if (active >= 4) {
        *(polyloop_f32x4 *)p = *v;
    } else if (active >= 2) {
        *(polyloop_f32x2 *)p = low;
        polyloop_store_f32x2(p + 2, &high, active - 2);
    } else {
        polyloop_store_f32x2(p, &low, active);
    }
#endif
}

/* The first `active` elements at p, zeros behind them. */
static inline __attribute__((always_inline, unused))
void polyloop_load_f32x8(polyloop_f32x8 *v, const float *p, long active)
{
#ifdef polyloop_masks
    *v = (polyloop_f32x8)_mm256_maskz_loadu_ps((__mmask8)_bzhi_u32(0xff, (unsigned)active), p);
#else
    polyloop_f32x4 low, high = {0};
    if (active >= 8) {
        *v = *(const polyloop_f32x8 *)p;
        return;
    }
    if (active >= 4) {
        low = *(const polyloop_f32x4 *)p;
        polyloop_load_f32x4(&high, p + 4, active - 4);
    } else {
        polyloop_load_f32x4(&low, p, active);
    }
    *v = (polyloop_f32x8){low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
#endif
}

/* The first `active` lanes to p; nothing behind them is touched. */
static inline __attribute__((always_inline, unused))
void polyloop_store_f32x8(float *p, const polyloop_f32x8 *v, long active)
{
#ifdef polyloop_masks
    _mm256_mask_storeu_ps(p, (__mmask8)_bzhi_u32(0xff, (unsigned)active), (__m256)*v);
#else
    const polyloop_f32x4 low = {(*v)[0], (*v)[1], (*v)[2], (*v)[3]};
    const polyloop_f32x4 high = {(*v)[4], (*v)[5], (*v)[6], (*v)[7]};
    if (active >= 8) {
        *(polyloop_f32x8 *)p = *v;
    } else if (active >= 4) {
        *(polyloop_f32x4 *)p = low;
        polyloop_store_f32x4(p + 4, &high, active - 4);
    } else {
        polyloop_store_f32x4(p, &low, active);
    }
#endif
}

/* The first `active` elements at p, zeros behind them. */
static inline __attribute__((always_inline, unused))
void polyloop_load_f32x16(polyloop_f32x16 *v, const float *p, long active)
{
#ifdef polyloop_masks
    *v = (polyloop_f32x16)_mm512_maskz_loadu_ps((__mmask16)_bzhi_u32(0xffff, (unsigned)active), p);
#else
    polyloop_f32x8 low, high = {0};
    if (active >= 16) {
        *v = *(const polyloop_f32x16 *)p;
        return;
    }
    if (active >= 8) {
        low = *(const polyloop_f32x8 *)p;
        polyloop_load_f32x8(&high, p + 8, active - 8);
    } else {
        polyloop_load_f32x8(&low, p, active);
    }
    *v = (polyloop_f32x16){low[0], low[1], low[2], low[3], low[4], low[5], low[6], low[7], high[0], high[1], high[2], high[3], high[4], high[5], high[6], high[7]};
#endif
}

/* The first `active` lanes to p; nothing behind them is touched. */
static inline __attribute__((always_inline, unused))
void polyloop_store_f32x16(float *p, const polyloop_f32x16 *v, long active)
{
#ifdef polyloop_masks
    _mm512_mask_storeu_ps(p, (__mmask16)_bzhi_u32(0xffff, (unsigned)active), (__m512)*v);
#else
    const polyloop_f32x8 low = {(*v)[0], (*v)[1], (*v)[2], (*v)[3], (*v)[4], (*v)[5], (*v)[6], (*v)[7]};
    const polyloop_f32x8 high = {(*v)[8], (*v)[9], (*v)[10], (*v)[11], (*v)[12], (*v)[13], (*v)[14], (*v)[15]};
    if (active >= 16) {
        *(polyloop_f32x16 *)p = *v;
    } else if (active >= 8) {
        *(polyloop_f32x8 *)p = low;
        polyloop_store_f32x8(p + 8, &high, active - 8);
    } else {
        polyloop_store_f32x8(p, &low, active);
    }
#endif
}

polyloop_undistributed void padded_stencil(const float (*restrict I_1)[41], float (*restrict S)[41])
{
    float I_padded[30][41] __attribute__((aligned(64)));
    float I_padded2[30][41] __attribute__((aligned(64)));
#pragma GCC unroll 1
    for (long p0 = 0; p0 < 30; p0++) {
        *(polyloop_f32x16 *)&I_padded[p0][0] = (polyloop_f32x16){0};
        *(polyloop_f32x16 *)&I_padded[p0][16] = (polyloop_f32x16){0};
        polyloop_store_f32x16(polyloop_at(float, I_padded, 4 * (p0 * 41 + 32)),
            &(polyloop_f32x16[]){(polyloop_f32x16){0}}[0], 9);
    }
#pragma GCC unroll 1
    for (long p0 = 1; p0 < 30; p0++) {
        const polyloop_f32x16 v6 = *(const polyloop_f32x16 *)&I_1[p0 - 1][0];
        *(polyloop_f32x16 *)&I_padded[p0][0] = v6;
        const polyloop_f32x16 v7 = *(const polyloop_f32x16 *)&I_1[p0 - 1][16];
        *(polyloop_f32x16 *)&I_padded[p0][16] = v7;
        polyloop_f32x16 v8;
        polyloop_load_f32x16(&v8, polyloop_at(const float, I_1, 4 * ((p0 - 1) * 41 + 32)), 9);
        polyloop_store_f32x16(polyloop_at(float, I_padded, 4 * (p0 * 41 + 32)), &v8, 9);
    }
#pragma GCC unroll 1
    for (long p0 = 0; p0 < 30; p0++) {
        *(polyloop_f32x16 *)&I_padded2[p0][0] = (polyloop_f32x16){0};
        *(polyloop_f32x16 *)&I_padded2[p0][16] = (polyloop_f32x16){0};
        polyloop_store_f32x16(polyloop_at(float, I_padded2, 4 * (p0 * 41 + 32)),
            &(polyloop_f32x16[]){(polyloop_f32x16){0}}[0], 9);
    }
#pragma GCC unroll 1
    for (long p0 = 0; p0 < 29; p0++) {
        const polyloop_f32x16 v15 = *(const polyloop_f32x16 *)&I_1[p0 + 1][0];
        *(polyloop_f32x16 *)&I_padded2[p0][0] = v15;
        const polyloop_f32x16 v16 = *(const polyloop_f32x16 *)&I_1[p0 + 1][16];
        *(polyloop_f32x16 *)&I_padded2[p0][16] = v16;
        polyloop_f32x16 v17;
        polyloop_load_f32x16(&v17, polyloop_at(const float, I_1, 4 * ((p0 + 1) * 41 + 32)), 9);
        polyloop_store_f32x16(polyloop_at(float, I_padded2, 4 * (p0 * 41 + 32)), &v17, 9);
    }
#pragma GCC unroll 1
    for (long i = 0; i < 30; i++) {
        const polyloop_f32x16 v18 = *(const polyloop_f32x16 *)&I_padded[i][0];
        const polyloop_f32x16 v19 = *(const polyloop_f32x16 *)&I_padded2[i][0];
        const polyloop_f32x16 v20 = v18 + v19;
        *(polyloop_f32x16 *)&S[i][0] = v20;
        const polyloop_f32x16 v21 = *(const polyloop_f32x16 *)&I_padded[i][16];
        const polyloop_f32x16 v22 = *(const polyloop_f32x16 *)&I_padded2[i][16];
        const polyloop_f32x16 v23 = v21 + v22;
        *(polyloop_f32x16 *)&S[i][16] = v23;
        polyloop_f32x16 v24;
        polyloop_load_f32x16(&v24, polyloop_at(float, I_padded, 4 * (i * 41 + 32)), 9);
        polyloop_f32x16 v25;
        polyloop_load_f32x16(&v25, polyloop_at(float, I_padded2, 4 * (i * 41 + 32)), 9);
        const polyloop_f32x16 v26 = v24 + v25;
        polyloop_store_f32x16(polyloop_at(float, S, 4 * (i * 41 + 32)), &v26, 9);
    }
}
