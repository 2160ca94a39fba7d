#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <stdint.h>
typedef float polyloop_f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
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
/* The loops over rows and columns of a tile: unrolled, what they compute with stays in registers. */
#define polyloop_unrolled _Pragma("GCC unroll 64")

/* The first `active` elements at p, zeros behind them. */
polyloop_inline void polyloop_load_f32x16(polyloop_f32x16 *v, const float *p, long active)
{
    if (__builtin_constant_p(active) && active >= 16) *v = *(const polyloop_f32x16 *)p;
#if defined __AVX512VL__ && defined __BMI2__
    else *v = (polyloop_f32x16)_mm512_maskz_loadu_ps((__mmask16)_bzhi_u32(0xffff, (unsigned)active), p);
#else
    else if (active >= 16) *v = *(const polyloop_f32x16 *)p;
    else for (int k = 0; k < 16; k++) (*v)[k] = k < active ? p[k] : 0;
#endif
}
#define polyloop_load_f32x16(p, active) \
    __extension__({ polyloop_f32x16 v_; polyloop_load_f32x16(&v_, p, active); v_; })

/* The first `active` lanes to p; nothing behind them is touched. */
polyloop_inline void polyloop_store_f32x16(float *p, const polyloop_f32x16 *v, long active)
{
    if (__builtin_constant_p(active) && active >= 16) *(polyloop_f32x16 *)p = *v;
#if defined __AVX512VL__ && defined __BMI2__
    else _mm512_mask_storeu_ps(p, (__mmask16)_bzhi_u32(0xffff, (unsigned)active), (__m512)*v);
#else
    else if (active >= 16) *(polyloop_f32x16 *)p = *v;
    else for (int k = 0; k < 16; k++) if (k < active) p[k] = (*v)[k];
#endif
}
#define polyloop_store_f32x16(p, lanes, active) do { const polyloop_f32x16 lanes_ = lanes; polyloop_store_f32x16(p, &lanes_, active); } while (0)

#ifdef __cplusplus
extern "C"
#endif
polyloop_undistributed void padded_stencil(const float (*__restrict I_1)[41], float (*__restrict S)[41])
{
    float I_padded[30][41] __attribute__((aligned(64)));
    float I_padded2[30][41] __attribute__((aligned(64)));
    polyloop_rolled for (long p0 = 0; p0 < 30; p0++)
        polyloop_unrolled for (int r = 0; r < 3; r++)
            polyloop_store_f32x16(polyloop_at(float, I_padded, 4 * (p0 * 41 + 16 * r)), (polyloop_f32x16){0},
                r <= 1 ? 16 : 9);
    polyloop_rolled for (long p0 = 1; p0 < 30; p0++)
        polyloop_unrolled for (int r = 0; r < 3; r++)
            polyloop_store_f32x16(polyloop_at(float, I_padded, 4 * (p0 * 41 + 16 * r)),
                polyloop_load_f32x16(polyloop_at(const float, I_1, 4 * ((p0 - 1) * 41 + 16 * r)), r <= 1 ? 16 : 9),
                r <= 1 ? 16 : 9);
    polyloop_rolled for (long p0 = 0; p0 < 30; p0++)
        polyloop_unrolled for (int r = 0; r < 3; r++)
            polyloop_store_f32x16(polyloop_at(float, I_padded2, 4 * (p0 * 41 + 16 * r)), (polyloop_f32x16){0},
                r <= 1 ? 16 : 9);
    polyloop_rolled for (long p0 = 0; p0 < 29; p0++)
        polyloop_unrolled for (int r = 0; r < 3; r++)
            polyloop_store_f32x16(polyloop_at(float, I_padded2, 4 * (p0 * 41 + 16 * r)),
                polyloop_load_f32x16(polyloop_at(const float, I_1, 4 * ((p0 + 1) * 41 + 16 * r)), r <= 1 ? 16 : 9),
                r <= 1 ? 16 : 9);
    polyloop_rolled for (long i = 0; i < 30; i++)
        polyloop_unrolled for (int r = 0; r < 3; r++)
            polyloop_store_f32x16(polyloop_at(float, S, 4 * (i * 41 + 16 * r)),
                polyloop_load_f32x16(polyloop_at(float, I_padded, 4 * (i * 41 + 16 * r)),
                r <= 1 ? 16 : 9) + polyloop_load_f32x16(polyloop_at(float, I_padded2, 4 * (i * 41 + 16 * r)),
                r <= 1 ? 16 : 9), r <= 1 ? 16 : 9);
}
