#include <stdint.h>
typedef float polyloop_f32x32 __attribute__((vector_size(128), aligned(4), may_alias));
typedef int polyloop_i32x32 __attribute__((vector_size(128), aligned(4), may_alias));
typedef long polyloop_i64x32 __attribute__((vector_size(256), aligned(8), may_alias));
/* The address of an element of which nothing is touched where it lies outside of its array. */
#define polyloop_at(type, array, offset) ((type *)((uintptr_t)(array) + (uintptr_t)(offset)))
#define polyloop_inline static inline __attribute__((always_inline, unused))
#define polyloop_rolled _Pragma("GCC unroll 1") /* a loop whose body uses the registers as it is */
/* A function whose loops are not distributed over several. gcc from 8 on (seen in 12.2 at -O3) does so behind a test
   whether the loops touch the same memory, which leaves out the last element of accesses under a condition. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define polyloop_undistributed __attribute__((optimize("no-tree-loop-distribution")))
#else
#define polyloop_undistributed
#endif
#define polyloop_unrolled _Pragma("GCC unroll 64") /* rows and columns of a tile, which stay in registers so */

/* The first n elements at p, zeros behind them. */
#define polyloop_load_f32x32(p, n) __extension__({ polyloop_f32x32 v_ = {0}; const long n_ = n; \
    if (n_ >= 32) \
        v_ = *(const polyloop_f32x32 *)(p); else polyloop_load_part_f32x32(v_, p, n_); v_; })

#define polyloop_load_part_f32x32(v, p, n) do { int k_; for (k_ = 0; k_ < n; k_++) v[k_] = (p)[k_]; } while (0)
#define polyloop_store_part_f32x32(p, v, n) do { int k_; for (k_ = 0; k_ < n; k_++) (p)[k_] = v[k_]; } while (0)

polyloop_inline float polyloop_sum_f32x32(const polyloop_f32x32 *v)
{
    float s16[16], s8[8], s4[4], s2[2], s1[1];
    polyloop_unrolled for (int k = 0; k < 16; k++) s16[k] = (float)((*v)[k] + (*v)[k + 16]);
    polyloop_unrolled for (int k = 0; k < 8; k++) s8[k] = (float)(s16[k] + s16[k + 8]);
    polyloop_unrolled for (int k = 0; k < 4; k++) s4[k] = (float)(s8[k] + s8[k + 4]);
    polyloop_unrolled for (int k = 0; k < 2; k++) s2[k] = (float)(s4[k] + s4[k + 2]);
    polyloop_unrolled for (int k = 0; k < 1; k++) s1[k] = (float)(s2[k] + s2[k + 1]);
    return s1[0];
}

#ifdef __cplusplus
extern "C"
#endif
polyloop_undistributed void sum__any_order(const float (*__restrict A)[83], float *__restrict s)
{
    polyloop_f32x32 carried = {0};
    polyloop_rolled for (long m = 0; m < 45; m++) {
        const polyloop_f32x32 sum = (carried + *(const polyloop_f32x32 *)&A[m][0])
            + *(const polyloop_f32x32 *)&A[m][32];
        const polyloop_f32x32 sum_2 = sum + polyloop_load_f32x32(polyloop_at(const float, A, 4 * (m * 83 + 64)), 19);
        const polyloop_i64x32 value = 0 + (polyloop_i64x32){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
            16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
        const long value_2 = 19;
        const polyloop_i64x32 value_3 = (polyloop_i64x32)(value < value_2);
        carried = (polyloop_f32x32)(((polyloop_i32x32)sum_2 & __builtin_convertvector(value_3,
            polyloop_i32x32)) | ((polyloop_i32x32)sum & ~__builtin_convertvector(value_3, polyloop_i32x32)));
    }
    const float value = polyloop_sum_f32x32(&carried);
    *s = 0.0f + value;
}
