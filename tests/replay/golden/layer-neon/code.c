#ifdef __x86_64__
#include <immintrin.h>
#endif
typedef float polyloop_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef int polyloop_i32x4 __attribute__((vector_size(16), aligned(4), may_alias));
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
/* Keeps a loaded vector in its register: gcc would load it again wherever it is used. */
#if defined __SSE2__ && !defined __clang__
#define polyloop_keep_f32x4(vector) __asm__("" : "+v"(vector))
#else
#define polyloop_keep_f32x4(vector) ((void)0)
#endif

/* The greater one of a and b in every lane. */
polyloop_inline void polyloop_greater_f32x4(polyloop_f32x4 *r, const polyloop_f32x4 *a, const polyloop_f32x4 *b)
{
#if defined __SSE2__
    *r = (polyloop_f32x4)_mm_max_ps((__m128)*a, (__m128)*b);
#else
    for (int k = 0; k < 4; k++)
        (*r)[k] = (*a)[k] > (*b)[k] ? (*a)[k] : (*b)[k];
#endif
}

#ifdef __cplusplus
extern "C"
#endif
polyloop_undistributed void layer(const float (*__restrict X)[32], const float (*__restrict W)[40],
    const float *__restrict b, float (*__restrict H)[40])
{
    for (long nt = 0; nt < 5; nt++)
        for (long mt = 0; mt < 2; mt++) {
            polyloop_f32x4 value_tile[12][2];
            polyloop_unrolled for (int r = 0; r < 12; r++)
                polyloop_unrolled for (int c = 0; c < 2; c++)
                    value_tile[r][c] = (polyloop_f32x4){0};
            polyloop_rolled for (long k = 0; k < 32; k++) {
                polyloop_f32x4 W_part[2];
                polyloop_unrolled for (int r = 0; r < 2; r++) {
                    W_part[r] = *(const polyloop_f32x4 *)&W[k][8 * nt + 4 * r];
                    polyloop_keep_f32x4(W_part[r]);
                }
                polyloop_unrolled for (int r = 0; r < 12; r++)
                    polyloop_unrolled for (int c = 0; c < 2; c++)
                        value_tile[r][c] = X[12 * mt + r][k] * W_part[c] + value_tile[r][c];
            }
            polyloop_f32x4 b_part[2];
            polyloop_unrolled for (int r = 0; r < 2; r++) {
                b_part[r] = *(const polyloop_f32x4 *)&b[8 * nt + 4 * r];
                polyloop_keep_f32x4(b_part[r]);
            }
            polyloop_unrolled for (int r = 0; r < 12; r++)
                polyloop_unrolled for (int c = 0; c < 2; c++) {
                    const polyloop_f32x4 sum = value_tile[r][c] + b_part[c], value = {0};
                    polyloop_f32x4 most; polyloop_greater_f32x4(&most, &value, &sum);
                    *(polyloop_f32x4 *)&H[12 * mt + r][4 * c + 8 * nt] = most;
                }
        }
}
