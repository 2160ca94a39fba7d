#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <stdint.h>
typedef float polyloop_f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
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
#define polyloop_load_f32x16(p, n) __extension__({ polyloop_f32x16 v_ = {0}; const long n_ = n; \
    if (__builtin_constant_p(n_) && n_ >= 16) \
        v_ = *(const polyloop_f32x16 *)(p); else polyloop_load_part_f32x16(v_, p, n_); v_; })

#if defined __AVX512VL__ && defined __BMI2__
#define polyloop_first_f32x16(n) (__mmask16)_bzhi_u32(0xffff, (unsigned)(n))
#define polyloop_load_part_f32x16(v, p, n) v = (polyloop_f32x16)_mm512_maskz_loadu_ps(polyloop_first_f32x16(n), p)
#define polyloop_store_part_f32x16(p, v, n) _mm512_mask_storeu_ps(p, polyloop_first_f32x16(n), (__m512)v)
#else
#define polyloop_load_part_f32x16(v, p, n) do { int k_; if (n >= 16) v = *(const polyloop_f32x16 *)(p); else for (k_ = 0; k_ < n; k_++) v[k_] = (p)[k_]; } while (0)
#define polyloop_store_part_f32x16(p, v, n) do { int k_; for (k_ = 0; k_ < n; k_++) (p)[k_] = v[k_]; } while (0)
#endif

/* The first n lanes of v to p; nothing behind them is touched. */
#define polyloop_store_f32x16(p, v, n) do { const polyloop_f32x16 w_ = v; const long m_ = n; \
    if (m_ >= 16) *(polyloop_f32x16 *)(p) = w_; else polyloop_store_part_f32x16(p, w_, m_); } while (0)

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
