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
#define polyloop_rolled _Pragma("GCC unroll 1") /* a loop whose body uses the registers as it is */
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
#define polyloop_unrolled _Pragma("GCC unroll 64") /* rows and columns of a tile, which stay in registers so */

/* The first n elements that are so far apart, zeros behind them. */
#define polyloop_gather_f32x4(p, stride, n) __extension__({ const float *p_ = p; const long s_ = stride, n_ = n; \
    (polyloop_f32x4){n_ > 0 ? p_[0] : 0, n_ > 1 ? p_[s_] : 0, n_ > 2 ? p_[2 * s_] : 0, n_ > 3 ? p_[3 * s_] : 0}; })

/* The first n elements at p, zeros behind them. */
#define polyloop_load_f32x4(p, n) __extension__({ polyloop_f32x4 v_ = {0}; const long n_ = n; \
    if (__builtin_constant_p(n_) && n_ >= 4) \
        v_ = *(const polyloop_f32x4 *)(p); else polyloop_load_part_f32x4(v_, p, n_); v_; })

#if defined __AVX__
#define polyloop_first_f32x4(n) (__m128i)((polyloop_i32x4){0, 1, 2, 3} < (int)(n))
#define polyloop_load_part_f32x4(v, p, n) v = (polyloop_f32x4)_mm_maskload_ps(p, polyloop_first_f32x4(n))
#define polyloop_store_part_f32x4(p, v, n) do { \
    const polyloop_f32x4 r_ = v; const long n_ = n; const int c_ = n_ > 0 ? (int)n_ : 0; \
    char *q_ = (char *)(p); __m128i h_ = (__m128i)r_; \
    if (c_ & 2) { __builtin_memcpy(q_, &h_, 8); q_ += 8; h_ = _mm_unpackhi_epi64(h_, h_); } \
    if (c_ & 1) { __builtin_memcpy(q_, &h_, 4); } (void)q_; } while (0)
#else
#define polyloop_load_part_f32x4(v, p, n) do { int k_; if (n >= 4) v = *(const polyloop_f32x4 *)(p); else for (k_ = 0; k_ < n; k_++) v[k_] = (p)[k_]; } while (0)
#define polyloop_store_part_f32x4(p, v, n) do { int k_; for (k_ = 0; k_ < n; k_++) (p)[k_] = v[k_]; } while (0)
#endif

/* The first n lanes of v to p; nothing behind them is touched. */
#define polyloop_store_f32x4(p, v, n) do { const polyloop_f32x4 w_ = v; const long m_ = n; \
    if (m_ >= 4) *(polyloop_f32x4 *)(p) = w_; else polyloop_store_part_f32x4(p, w_, m_); } while (0)

#ifdef __cplusplus
extern "C"
#endif
polyloop_inline polyloop_undistributed void softmax_part1(float *__restrict target, const float (*__restrict X)[50])
{
    polyloop_unrolled for (int r = 0; r < 3; r++)
        *(polyloop_f32x4 *)&target[4 * r] = (polyloop_f32x4){(-__builtin_inff()), (-__builtin_inff()),
            (-__builtin_inff()), (-__builtin_inff())};
    float max__tile[12];
    polyloop_unrolled for (int r = 0; r < 12; r++)
        max__tile[r] = target[r];
    polyloop_rolled for (long j = 0; j < 50; j++)
        polyloop_unrolled for (int r = 0; r < 12; r++) {
            const float X_value = X[r][j], max__tile_value = max__tile[r];
            max__tile[r] = X_value > max__tile_value ? X_value : max__tile_value;
            polyloop_apart(max__tile[r]);
        }
    polyloop_unrolled for (int r = 0; r < 12; r++)
        target[r] = max__tile[r];
}

polyloop_undistributed void softmax(const float (*__restrict X)[50], float (*__restrict P)[50])
{
    float max_1[12] = {0};
    float max_2[12] = {0};
    float sum[12] = {0};
    softmax_part1(max_1, X);
    softmax_part1(max_2, X);
    const polyloop_f32x4 max_2_value = *(const polyloop_f32x4 *)&max_2[0];
    const polyloop_f32x4 max_2_value_2 = *(const polyloop_f32x4 *)&max_2[4];
    const polyloop_f32x4 max_2_value_3 = *(const polyloop_f32x4 *)&max_2[8];
    polyloop_f32x4 sum__sum = {0}, sum__sum_2 = {0}, sum__sum_3 = {0};
    polyloop_rolled for (long j = 0; j < 50; j++) {
        const polyloop_f32x4 X_value = polyloop_gather_f32x4(&X[0][j], 50, 4), difference = X_value - max_2_value;
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
        const float max__value = max_1[m], sum__value = sum[m];
        polyloop_strips(n, lanes, 0, 50, 4) {
            const polyloop_f32x4 difference = polyloop_load_f32x4(&X[m][n], lanes) - max__value;
            const polyloop_f32x4 expf_value = {expf(difference[0]), expf(difference[1]), expf(difference[2]),
                expf(difference[3])};
            polyloop_store_f32x4(&P[m][n], expf_value / sum__value, lanes);
        }
    }
}
