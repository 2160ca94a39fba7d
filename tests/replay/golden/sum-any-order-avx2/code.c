#include <stdint.h>
typedef float polyloop_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float polyloop_f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float polyloop_f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef float polyloop_f32x32 __attribute__((vector_size(128), aligned(4), may_alias));
typedef int polyloop_i32x32 __attribute__((vector_size(128), aligned(4), may_alias));
typedef long polyloop_i64x32 __attribute__((vector_size(256), aligned(8), may_alias));
/* The address of an element of which nothing is touched where it lies outside of its array. */
#define polyloop_at(type, array, offset) ((type *)((uintptr_t)(array) + (uintptr_t)(offset)))
#define polyloop_inline static inline __attribute__((always_inline, unused))
#define polyloop_rolled _Pragma("GCC unroll 1") /* a loop whose body uses the registers as it is */
#if defined __clang__ || __GNUC__ >= 12
/* Lanes of two vectors, counted through both; as many as each of them has. */
#define polyloop_shuffle(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define polyloop_shuffle(a, b, ...) __extension__({ const int lanes_[] = {__VA_ARGS__}; unsigned k_; \
    __typeof__((a) == (b)) order_; polyloop_unrolled for (k_ = 0; k_ < sizeof lanes_ / sizeof(int); k_++) \
        { order_[k_] = (__typeof__(order_[0]))lanes_[k_]; } __builtin_shuffle(a, b, order_); })
#endif
/* A function whose loops are not distributed over several. gcc from 8 on (seen in 12.2 at -O3) does so behind a test
   whether the loops touch the same memory, which leaves out the last element of accesses under a condition. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define polyloop_undistributed __attribute__((optimize("no-tree-loop-distribution")))
#else
#define polyloop_undistributed
#endif
#define polyloop_unrolled _Pragma("GCC unroll 64") /* rows and columns of a tile, which stay in registers so */

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

/* The first n elements at p, zeros behind them. */
#define polyloop_load_f32x32(p, n) __extension__({ polyloop_f32x32 v_ = {0}; const long n_ = n; \
    if (n_ >= 32) \
        v_ = *(const polyloop_f32x32 *)(p); else polyloop_load_part_f32x32(v_, p, n_); v_; })

#define polyloop_load_part_f32x32(v, p, n) do { int k_; for (k_ = 0; k_ < n; k_++) v[k_] = (p)[k_]; } while (0)
#define polyloop_store_part_f32x32(p, v, n) do { int k_; for (k_ = 0; k_ < n; k_++) (p)[k_] = v[k_]; } while (0)

polyloop_inline float polyloop_sum_f32x32(const polyloop_f32x32 *v)
{
    const polyloop_f32x16 s16 = polyloop_reshuffle(*v, *v, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
        15) + polyloop_reshuffle(*v, *v, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    const polyloop_f32x8 s8 = polyloop_reshuffle(s16, s16, 0, 1, 2, 3, 4, 5, 6, 7) + polyloop_reshuffle(s16, s16,
        8, 9, 10, 11, 12, 13, 14, 15);
    const polyloop_f32x4 s4 = polyloop_reshuffle(s8, s8, 0, 1, 2, 3) + polyloop_reshuffle(s8, s8, 4, 5, 6, 7);
    const polyloop_f32x4 s2 = s4 + polyloop_shuffle(s4, s4, 2, 3, 0, 1);
    const polyloop_f32x4 s1 = s2 + polyloop_shuffle(s2, s2, 1, 0, 3, 2);
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
