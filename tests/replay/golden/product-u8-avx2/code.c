#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <stdint.h>
typedef unsigned short polyloop_u16x8 __attribute__((vector_size(16), aligned(2), may_alias));
typedef unsigned char polyloop_u8x8 __attribute__((vector_size(8), aligned(1), may_alias));
typedef unsigned short polyloop_u16x16 __attribute__((vector_size(32), aligned(2), may_alias));
typedef unsigned char polyloop_u8x16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef unsigned char polyloop_u8x32 __attribute__((vector_size(32), aligned(1), may_alias));
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
/* A number in every lane. */
#define polyloop_splat_u16x8(x) (polyloop_u16x8){x, x, x, x, x, x, x, x}
/* A number in every lane. */
#define polyloop_splat_u16x16(x) (polyloop_u16x16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}

#if !defined __clang__ && defined __SSE4_1__
#define polyloop_from_bytes_u16x8(vector) ((polyloop_u16x8)_mm_cvtepu8_epi16(_mm_cvtsi64_si128((long long)(vector))))
#elif !defined __clang__ && defined __SSE2__
#define polyloop_from_bytes_u16x8(vector) ((polyloop_u16x8)__extension__({ __m128i x_ = _mm_cvtsi64_si128((long long)(vector)); x_ = _mm_unpacklo_epi8(x_, _mm_setzero_si128()); x_; }))
#else
#define polyloop_from_bytes_u16x8(vector) __builtin_convertvector(vector, polyloop_u16x8)
#endif

#if !defined __clang__ && defined __SSE2__
#define polyloop_from_words_u8x8(vector) ((polyloop_u8x8)_mm_cvtsi128_si64(__extension__({ __m128i x_ = (__m128i)(vector); x_ = _mm_and_si128(x_, _mm_set1_epi16(255)); x_ = _mm_packus_epi16(x_, x_); x_; })))
#else
#define polyloop_from_words_u8x8(vector) __builtin_convertvector(vector, polyloop_u8x8)
#endif

/* The first n elements at p, zeros behind them. */
#define polyloop_load_u8x8(p, n) __extension__({ polyloop_u8x8 v_ = {0}; const long n_ = n; \
    if (n_ >= 8) \
        v_ = *(const polyloop_u8x8 *)(p); else polyloop_load_part_u8x8(v_, p, n_); v_; })

#define polyloop_load_part_u8x8(v, p, n) do { int k_; for (k_ = 0; k_ < n; k_++) v[k_] = (p)[k_]; } while (0)
#define polyloop_store_part_u8x8(p, v, n) do { int k_; for (k_ = 0; k_ < n; k_++) (p)[k_] = v[k_]; } while (0)

/* The first n lanes of v to p; nothing behind them is touched. */
#define polyloop_store_u8x8(p, v, n) do { const polyloop_u8x8 w_ = v; const long m_ = n; \
    if (m_ >= 8) *(polyloop_u8x8 *)(p) = w_; else polyloop_store_part_u8x8(p, w_, m_); } while (0)

#if !defined __clang__ && defined __AVX2__
#define polyloop_from_bytes_u16x16(vector) ((polyloop_u16x16)_mm256_cvtepu8_epi16((__m128i)(vector)))
#else
#define polyloop_from_bytes_u16x16(vector) __builtin_convertvector(vector, polyloop_u16x16)
#endif

#ifdef __cplusplus
extern "C"
#endif
polyloop_undistributed void product__u8(const unsigned char (*__restrict A)[30],
    const unsigned char (*__restrict B)[70], unsigned char (*__restrict C)[70])
{
    polyloop_rolled for (long m = 0; m < 50; m++) {
        *(polyloop_u8x32 *)&C[m][0] = (polyloop_u8x32){0};
        *(polyloop_u8x32 *)&C[m][32] = (polyloop_u8x32){0};
        polyloop_store_u8x8(polyloop_at(unsigned char, C, 1 * (m * 70 + 64)), (polyloop_u8x8){0}, 6);
    }
    for (long m = 0; m < 50; m++) {
        polyloop_u8x8 C_sum = polyloop_load_u8x8(polyloop_at(unsigned char, C, 1 * (m * 70 + 64)), 6);
        polyloop_u8x16 C_tile[4];
        polyloop_unrolled for (int r = 0; r < 4; r++)
            C_tile[r] = *(const polyloop_u8x16 *)&C[m][16 * r];
        polyloop_rolled for (long k = 0; k < 30; k++) {
            const unsigned short value = (unsigned short)A[m][k];
            const polyloop_u16x8 value_2 = polyloop_from_bytes_u16x8(C_sum);
            const polyloop_u8x8 B_value = polyloop_load_u8x8(polyloop_at(const unsigned char, B, 1 * (k * 70 + 64)),
                6);
            const polyloop_u16x8 value_3 = polyloop_from_bytes_u16x8(B_value);
            const polyloop_u16x8 sum = value_2 + (polyloop_splat_u16x8(value) * value_3);
            C_sum = polyloop_from_words_u8x8(sum);
            polyloop_unrolled for (int r = 0; r < 4; r++) {
                const polyloop_u8x16 C_tile_value = C_tile[r];
                const polyloop_u16x16 value_4 = polyloop_from_bytes_u16x16(C_tile_value);
                const polyloop_u8x16 B_value_2 = *(const polyloop_u8x16 *)&B[k][16 * r];
                const polyloop_u16x16 value_5 = polyloop_from_bytes_u16x16(B_value_2);
                const polyloop_u16x16 sum_2 = value_4 + (polyloop_splat_u16x16(value) * value_5);
                const polyloop_u8x16 value_6 = __builtin_convertvector(sum_2, polyloop_u8x16);
                C_tile[r] = value_6;
            }
        }
        polyloop_unrolled for (int r = 0; r < 4; r++)
            *(polyloop_u8x16 *)&C[m][16 * r] = C_tile[r];
        polyloop_store_u8x8(polyloop_at(unsigned char, C, 1 * (m * 70 + 64)), C_sum, 6);
    }
}
