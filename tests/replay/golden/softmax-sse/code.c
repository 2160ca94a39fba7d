#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <math.h>
typedef float polyloop_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef int polyloop_i32x4 __attribute__((vector_size(16), aligned(4), may_alias));
#ifdef __clang__
/* Where a loop starts. clang must not see that it moves with the loop around: it would keep a pointer per array. */
#define polyloop_start(first) \
    __extension__({ long first_ = first; if (!__builtin_constant_p(first)) __asm__("" : "+r"(first_)); first_; })
#else
#define polyloop_start(first) (first)
#endif
/* Keeps a sum in a register of its own: clang would gather those of several rows into a vector, one by one. */
#if defined __clang__ && defined __x86_64__
#define polyloop_apart(sum) __asm__("" : "+x"(sum))
#elif defined __clang__ && defined __aarch64__
#define polyloop_apart(sum) __asm__("" : "+w"(sum))
#else
#define polyloop_apart(sum) ((void)0)
#endif
#define polyloop_inline static inline __attribute__((always_inline, unused))
/* A loop whose body uses the registers as it is. */
#define polyloop_rolled _Pragma("GCC unroll 1")
/* A loop over vectors, of which the last one may have fewer lanes than `step`: compilers make two loops of it. */
#define polyloop_strips(i, lanes, begin, end, step) \
    _Pragma("GCC unroll 2") for (int rest_ = 0; rest_ < 2; rest_++) \
        _Pragma("GCC unroll 1") for (long i = rest_ ? (end) - ((end) - (begin)) % step : polyloop_start(begin), \
            lanes = rest_ ? (end) - i : step, last_ = (end) - (rest_ ? 1 : step); i <= last_; \
            i = rest_ ? (end) : i + step)
/* A function whose loops are not distributed over several. gcc from 8 on (seen in 12.2 at -O3) does so behind a test
   whether the loops touch the same memory, which leaves out the last element of accesses under a condition. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define polyloop_undistributed __attribute__((optimize("no-tree-loop-distribution")))
#else
#define polyloop_undistributed
#endif
/* The loops over rows and columns of a tile: unrolled, what they compute with stays in registers. */
#define polyloop_unrolled _Pragma("GCC unroll 64")

polyloop_inline void polyloop_gather_f32x4(polyloop_f32x4 *v, const float *p, long stride, long active)
{
    *v = (polyloop_f32x4){active > 0 ? p[0 * stride] : 0, active > 1 ? p[1 * stride] : 0, active > 2 ? p[2 * stride] : 0, active > 3 ? p[3 * stride] : 0};
}
#define polyloop_gather_f32x4(p, stride, active) \
    __extension__({ polyloop_f32x4 v_; polyloop_gather_f32x4(&v_, p, stride, active); v_; })

/* The first `active` elements at p, zeros behind them. */
polyloop_inline void polyloop_load_f32x4(polyloop_f32x4 *v, const float *p, long active)
{
    if (__builtin_constant_p(active) && active >= 4) *v = *(const polyloop_f32x4 *)p;
#if defined __AVX512VL__ && defined __BMI2__
    else *v = (polyloop_f32x4)_mm_maskz_loadu_ps((__mmask8)_bzhi_u32(0xf, (unsigned)active), p);
#elif defined __AVX__
    else *v = (polyloop_f32x4)_mm_maskload_ps((const float *)p, (__m128i)((polyloop_i32x4){0, 1, 2,
        3} < (int)active));
#else
    else if (active >= 4) *v = *(const polyloop_f32x4 *)p;
    else for (int k = 0; k < 4; k++) (*v)[k] = k < active ? p[k] : 0;
#endif
}
#define polyloop_load_f32x4(p, active) __extension__({ polyloop_f32x4 v_; polyloop_load_f32x4(&v_, p, active); v_; })

/* The first `active` lanes to p; nothing behind them is touched. */
polyloop_inline void polyloop_store_f32x4(float *p, const polyloop_f32x4 *v, long active)
{
    if (__builtin_constant_p(active) && active >= 4) *(polyloop_f32x4 *)p = *v;
#if defined __AVX512VL__ && defined __BMI2__
    else _mm_mask_storeu_ps(p, (__mmask8)_bzhi_u32(0xf, (unsigned)active), (__m128)*v);
#elif defined __AVX__
    else _mm_maskstore_ps((float *)p, (__m128i)((polyloop_i32x4){0, 1, 2, 3} < (int)active), (__m128)*v);
#else
    else if (active >= 4) *(polyloop_f32x4 *)p = *v;
    else for (int k = 0; k < 4; k++) if (k < active) p[k] = (*v)[k];
#endif
}
#define polyloop_store_f32x4(p, lanes, active) do { const polyloop_f32x4 lanes_ = lanes; polyloop_store_f32x4(p, &lanes_, active); } while (0)

#ifdef __cplusplus
extern "C"
#endif
polyloop_undistributed void softmax(const float (*__restrict X)[50], float (*__restrict P)[50])
{
    float max_1[12] = {0};
    float max_2[12] = {0};
    float sum[12] = {0};
    polyloop_unrolled for (int r = 0; r < 3; r++)
        *(polyloop_f32x4 *)&max_1[4 * r] = (polyloop_f32x4){(-__builtin_inff()), (-__builtin_inff()),
            (-__builtin_inff()), (-__builtin_inff())};
    float max__tile[12];
    polyloop_unrolled for (int r = 0; r < 12; r++)
        max__tile[r] = max_1[r];
    polyloop_rolled for (long j = 0; j < 50; j++) {
        polyloop_unrolled for (int r = 0; r < 12; r++) {
            const float X_value = X[r][j];
            const float max__tile_value = max__tile[r];
            max__tile[r] = X_value > max__tile_value ? X_value : max__tile_value;
            polyloop_apart(max__tile[r]);
        }
    }
    polyloop_unrolled for (int r = 0; r < 12; r++)
        max_1[r] = max__tile[r];
    polyloop_unrolled for (int r = 0; r < 3; r++)
        *(polyloop_f32x4 *)&max_2[4 * r] = (polyloop_f32x4){(-__builtin_inff()), (-__builtin_inff()),
            (-__builtin_inff()), (-__builtin_inff())};
    float max_2_tile[12];
    polyloop_unrolled for (int r = 0; r < 12; r++)
        max_2_tile[r] = max_2[r];
    polyloop_rolled for (long l = 0; l < 50; l++) {
        polyloop_unrolled for (int r = 0; r < 12; r++) {
            const float X_value = X[r][l];
            const float max_2_tile_value = max_2_tile[r];
            max_2_tile[r] = X_value > max_2_tile_value ? X_value : max_2_tile_value;
            polyloop_apart(max_2_tile[r]);
        }
    }
    polyloop_unrolled for (int r = 0; r < 12; r++)
        max_2[r] = max_2_tile[r];
    const polyloop_f32x4 max_2_value = *(const polyloop_f32x4 *)&max_2[0];
    const polyloop_f32x4 max_2_value_2 = *(const polyloop_f32x4 *)&max_2[4];
    const polyloop_f32x4 max_2_value_3 = *(const polyloop_f32x4 *)&max_2[8];
    polyloop_f32x4 sum__sum = {0};
    polyloop_f32x4 sum__sum_2 = {0};
    polyloop_f32x4 sum__sum_3 = {0};
    polyloop_rolled for (long j = 0; j < 50; j++) {
        const polyloop_f32x4 X_value = polyloop_gather_f32x4(&X[0][j], 50, 4);
        const polyloop_f32x4 difference = X_value - max_2_value;
        const polyloop_f32x4 expf_value = {expf(difference[0]), expf(difference[1]), expf(difference[2]),
            expf(difference[3])};
        sum__sum = sum__sum + expf_value;
        const polyloop_f32x4 X_value_2 = polyloop_gather_f32x4(&X[4][j], 50, 4);
        const polyloop_f32x4 difference_2 = X_value_2 - max_2_value_2;
        const polyloop_f32x4 expf_value_2 = {expf(difference_2[0]), expf(difference_2[1]), expf(difference_2[2]),
            expf(difference_2[3])};
        sum__sum_2 = sum__sum_2 + expf_value_2;
        const polyloop_f32x4 X_value_3 = polyloop_gather_f32x4(&X[8][j], 50, 4);
        const polyloop_f32x4 difference_3 = X_value_3 - max_2_value_3;
        const polyloop_f32x4 expf_value_3 = {expf(difference_3[0]), expf(difference_3[1]), expf(difference_3[2]),
            expf(difference_3[3])};
        sum__sum_3 = sum__sum_3 + expf_value_3;
    }
    *(polyloop_f32x4 *)&sum[0] = sum__sum;
    *(polyloop_f32x4 *)&sum[4] = sum__sum_2;
    *(polyloop_f32x4 *)&sum[8] = sum__sum_3;
    for (long m = 0; m < 12; m++) {
        const float max__value = max_1[m];
        const float sum__value = sum[m];
        polyloop_strips(n, lanes, 0, 50, 4) {
            const polyloop_f32x4 difference = polyloop_load_f32x4(&X[m][n], lanes) - max__value;
            const polyloop_f32x4 expf_value = {expf(difference[0]), expf(difference[1]), expf(difference[2]),
                expf(difference[3])};
            polyloop_store_f32x4(&P[m][n], expf_value / sum__value, lanes);
        }
    }
}
