#include <stdint.h>
typedef float polyloop_f32x32 __attribute__((vector_size(128), aligned(4), may_alias));
typedef int polyloop_i32x32 __attribute__((vector_size(128), aligned(4), may_alias));
typedef long polyloop_i64x32 __attribute__((vector_size(256), aligned(8), may_alias));

/* The address of an element of which nothing is touched where it lies outside of its array. */
#define polyloop_at(type, array, offset) ((type *)((uintptr_t)(array) + (uintptr_t)(offset)))

#define polyloop_inline static inline __attribute__((always_inline, unused))

/* A loop whose body uses the registers as it is. */
#define polyloop_rolled _Pragma("GCC unroll 1")

/* A function whose loops are not distributed over several. gcc from 8 on (seen in 12.2 at -O3) does so behind a test
   whether the loops touch the same memory, which leaves out the last element of accesses under a condition. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define polyloop_undistributed __attribute__((optimize("no-tree-loop-distribution")))
#else
#define polyloop_undistributed
#endif

/* The first `active` elements at p, zeros behind them. */
polyloop_inline void polyloop_load_f32x32(polyloop_f32x32 *v, const float *p, long active)
{
    if (active >= 32) *v = *(const polyloop_f32x32 *)p;
    else for (int k = 0; k < 32; k++) (*v)[k] = k < active ? p[k] : 0;
}

polyloop_inline float polyloop_sum_f32x32(const polyloop_f32x32 *v)
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

#ifdef __cplusplus
extern "C"
#endif
polyloop_undistributed void sum__any_order(const float (*__restrict A)[83], float *__restrict s)
{
    float s_sum = 0.0f;
    polyloop_rolled for (long m = 0; m < 45; m++) {
        const polyloop_f32x32 sum = (0.0f + *(const polyloop_f32x32 *)&A[m][0]) + *(const polyloop_f32x32 *)&A[m][32];
        polyloop_f32x32 A_value;
        polyloop_load_f32x32(&A_value, polyloop_at(const float, A, 4 * (m * 83 + 64)), 19);
        const polyloop_f32x32 sum_2 = sum + A_value;
        const polyloop_i64x32 value = 0 + (polyloop_i64x32){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
            16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
        const long value_2 = 19;
        const polyloop_i64x32 value_3 = (polyloop_i64x32)(value < value_2);
        const polyloop_f32x32 value_4 = (polyloop_f32x32)(((polyloop_i32x32)sum_2 & __builtin_convertvector(value_3,
            polyloop_i32x32)) | ((polyloop_i32x32)sum & ~__builtin_convertvector(value_3, polyloop_i32x32)));
        const float value_5 = polyloop_sum_f32x32(&value_4);
        s_sum = s_sum + value_5;
    }
    *s = s_sum;
}
