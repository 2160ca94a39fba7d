#include <stdint.h>
typedef float polyloop_f32x2 __attribute__((vector_size(8), aligned(4), may_alias));
typedef float polyloop_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float polyloop_f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float polyloop_f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef float polyloop_f32x32 __attribute__((vector_size(128), aligned(4), may_alias));
typedef int polyloop_i32x32 __attribute__((vector_size(128), aligned(4), may_alias));
typedef long polyloop_i64x32 __attribute__((vector_size(256), aligned(8), may_alias));

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

/* The first `active` elements at p, zeros behind them. */
static inline __attribute__((always_inline, unused))
void polyloop_load_f32x32(polyloop_f32x32 *v, const float *p, long active)
{
    polyloop_f32x16 low, high = {0};
    if (active >= 32) {
        *v = *(const polyloop_f32x32 *)p;
        return;
    }
    if (active >= 16) {
        low = *(const polyloop_f32x16 *)p;
        polyloop_load_f32x16(&high, p + 16, active - 16);
    } else {
        polyloop_load_f32x16(&low, p, active);
    }
    *v = (polyloop_f32x32){low[0], low[1], low[2], low[3], low[4], low[5], low[6], low[7], low[8], low[9], low[10], low[11], low[12], low[13], low[14], low[15], high[0], high[1], high[2], high[3], high[4], high[5], high[6], high[7], high[8], high[9], high[10], high[11], high[12], high[13], high[14], high[15]};
}

static inline __attribute__((always_inline, unused))
float polyloop_sum_f32x32(const polyloop_f32x32 *v)
{
    const float s16_0 = (float)((*v)[0] + (*v)[16]);
    const float s16_1 = (float)((*v)[1] + (*v)[17]);
    const float s16_2 = (float)((*v)[2] + (*v)[18]);
    const float s16_3 = (float)((*v)[3] + (*v)[19]);
    const float s16_4 = (float)((*v)[4] + (*v)[20]);
    const float s16_5 = (float)((*v)[5] + (*v)[21]);
    const float s16_6 = (float)((*v)[6] + (*v)[22]);
    const float s16_7 = (float)((*v)[7] + (*v)[23]);
    const float s16_8 = (float)((*v)[8] + (*v)[24]);
    const float s16_9 = (float)((*v)[9] + (*v)[25]);
    const float s16_10 = (float)((*v)[10] + (*v)[26]);
    const float s16_11 = (float)((*v)[11] + (*v)[27]);
    const float s16_12 = (float)((*v)[12] + (*v)[28]);
    const float s16_13 = (float)((*v)[13] + (*v)[29]);
    const float s16_14 = (float)((*v)[14] + (*v)[30]);
    const float s16_15 = (float)((*v)[15] + (*v)[31]);
    const float s8_0 = (float)(s16_0 + s16_8);
    const float s8_1 = (float)(s16_1 + s16_9);
    const float s8_2 = (float)(s16_2 + s16_10);
    const float s8_3 = (float)(s16_3 + s16_11);
    const float s8_4 = (float)(s16_4 + s16_12);
    const float s8_5 = (float)(s16_5 + s16_13);
    const float s8_6 = (float)(s16_6 + s16_14);
    const float s8_7 = (float)(s16_7 + s16_15);
    const float s4_0 = (float)(s8_0 + s8_4);
    const float s4_1 = (float)(s8_1 + s8_5);
    const float s4_2 = (float)(s8_2 + s8_6);
    const float s4_3 = (float)(s8_3 + s8_7);
    const float s2_0 = (float)(s4_0 + s4_2);
    const float s2_1 = (float)(s4_1 + s4_3);
    const float s1_0 = (float)(s2_0 + s2_1);
    return s1_0;
}

polyloop_undistributed void sum__any_order(const float (*restrict A)[83], float *restrict s)
{
    float v22 = 0.0f;
#pragma GCC unroll 1
    for (long m = 0; m < 45; m++) {
        const polyloop_f32x32 v2 = *(const polyloop_f32x32 *)&A[m][0];
        const polyloop_f32x32 v3 = 0.0f + v2;
        const polyloop_f32x32 v5 = *(const polyloop_f32x32 *)&A[m][32];
        const polyloop_f32x32 v6 = v3 + v5;
        polyloop_f32x32 v8;
        polyloop_load_f32x32(&v8, polyloop_at(const float, A, 4 * (m * 83 + 64)), 19);
        const polyloop_f32x32 v9 = v6 + v8;
        const polyloop_i64x32 v10 = 0 + (polyloop_i64x32){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
            17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
        const long v11 = 19;
        const polyloop_i64x32 v13 = (polyloop_i64x32)(v10 < (polyloop_i64x32){v11, v11, v11, v11, v11, v11, v11,
            v11, v11, v11, v11, v11, v11, v11, v11, v11, v11, v11, v11, v11, v11, v11, v11, v11, v11, v11, v11, v11,
            v11, v11, v11, v11});
        const polyloop_f32x32 v15 = (polyloop_f32x32)(((polyloop_i32x32)v9 & __builtin_convertvector(v13,
            polyloop_i32x32)) | ((polyloop_i32x32)v6 & ~__builtin_convertvector(v13, polyloop_i32x32)));
        const float v18 = polyloop_sum_f32x32(&v15);
        v22 = v22 + v18;
    }
    *s = v22;
}
