#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <stdint.h>
#include <stdlib.h>
typedef float polyloop_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float polyloop_f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int polyloop_i32x8 __attribute__((vector_size(32), aligned(4), may_alias));
/* Asks the caches for an element that may lie outside of its array, where no pointer may point. */
#define polyloop_ahead(array, offset) __builtin_prefetch((const void *)((uintptr_t)(array) + (uintptr_t)(offset)))
/* The address of an element of which nothing is touched where it lies outside of its array. */
#define polyloop_at(type, array, offset) ((type *)((uintptr_t)(array) + (uintptr_t)(offset)))
#define polyloop_inline static inline __attribute__((always_inline, unused))
static inline long polyloop_max(long a, long b) { return a > b ? a : b; }
static inline long polyloop_min(long a, long b) { return a < b ? a : b; }
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
/* Keeps a loaded vector in its register: gcc would load it again wherever it is used. */
#if defined __AVX__ && !defined __clang__
#define polyloop_keep_f32x8(vector) __asm__("" : "+v"(vector))
#else
#define polyloop_keep_f32x8(vector) ((void)0)
#endif

/* The first n elements at p, zeros behind them. */
#define polyloop_load_f32x8(p, n) __extension__({ polyloop_f32x8 v_ = {0}; const long n_ = n; \
    if (__builtin_constant_p(n_) && n_ >= 8) \
        v_ = *(const polyloop_f32x8 *)(p); else polyloop_load_part_f32x8(v_, p, n_); v_; })

#if defined __AVX__
#define polyloop_first_f32x8(n) (__m256i)((polyloop_i32x8){0, 1, 2, 3, 4, 5, 6, 7} < (int)(n))
#define polyloop_load_part_f32x8(v, p, n) v = (polyloop_f32x8)_mm256_maskload_ps(p, polyloop_first_f32x8(n))
#define polyloop_store_part_f32x8(p, v, n) do { \
    const polyloop_f32x8 r_ = v; const long n_ = n; const int c_ = n_ > 0 ? (int)n_ : 0; \
    char *q_ = (char *)(p); __m128i h_ = _mm256_castsi256_si128((__m256i)r_); \
    if (c_ & 4) { __builtin_memcpy(q_, &h_, 16); q_ += 16; h_ = _mm256_extractf128_si256((__m256i)r_, 1); } \
    if (c_ & 2) { __builtin_memcpy(q_, &h_, 8); q_ += 8; h_ = _mm_unpackhi_epi64(h_, h_); } \
    if (c_ & 1) { __builtin_memcpy(q_, &h_, 4); } (void)q_; } while (0)
#else
#define polyloop_load_part_f32x8(v, p, n) do { int k_; if (n >= 8) v = *(const polyloop_f32x8 *)(p); else for (k_ = 0; k_ < n; k_++) v[k_] = (p)[k_]; } while (0)
#define polyloop_store_part_f32x8(p, v, n) do { int k_; for (k_ = 0; k_ < n; k_++) (p)[k_] = v[k_]; } while (0)
#endif

/* The first n lanes of v to p; nothing behind them is touched. */
#define polyloop_store_f32x8(p, v, n) do { const polyloop_f32x8 w_ = v; const long m_ = n; \
    if (m_ >= 8) *(polyloop_f32x8 *)(p) = w_; else polyloop_store_part_f32x8(p, w_, m_); } while (0)

#ifdef __cplusplus
extern "C"
#endif
polyloop_inline polyloop_undistributed void product__packed_part1(long mt, long nt, long least2, long full,
    float (*__restrict C)[1100], const float (*__restrict B)[1100], float (*__restrict B_pack)[16],
    const float (*__restrict A)[700])
{
    polyloop_f32x8 C_tile3[6][2];
    polyloop_unrolled for (int r = 0; r < 6; r++)
        polyloop_unrolled for (int c = 0; c < 2; c++)
            C_tile3[r][c] = polyloop_load_f32x8(polyloop_at(float, C, 4 * ((6 * mt + r) * 1100 + 8 * c + 16 * nt)),
                full ? 8 : (c == 0 ? 8 : polyloop_min(8, polyloop_max(polyloop_min(1100,
                16 * nt + 16) - 16 * nt - 8, 0))));
    polyloop_rolled for (long k = 0; k < 700; k++) {
        const long blocks = (k >> 3);
        polyloop_ahead(B, 4 * ((blocks + 88 * least2) * 1100 + 16 * nt + 16));
        polyloop_ahead(B, 4 * ((blocks + 88 * least2) * 1100 + 16 * nt + 31));
        polyloop_f32x8 B_pack_part[2];
        polyloop_unrolled for (int r = 0; r < 2; r++) {
            B_pack_part[r] = *(const polyloop_f32x8 *)&B_pack[k][8 * r];
            polyloop_keep_f32x8(B_pack_part[r]);
        }
        polyloop_unrolled for (int r = 0; r < 6; r++)
            polyloop_unrolled for (int c = 0; c < 2; c++)
                C_tile3[r][c] = A[6 * mt + r][k] * B_pack_part[c] + C_tile3[r][c];
    }
    polyloop_unrolled for (int r = 0; r < 6; r++)
        polyloop_unrolled for (int c = 0; c < 2; c++)
            polyloop_store_f32x8(polyloop_at(float, C, 4 * ((6 * mt + r) * 1100 + 8 * c + 16 * nt)), C_tile3[r][c],
                full ? 8 : (c == 0 ? 8 : polyloop_min(8, polyloop_max(polyloop_min(1100,
                16 * nt + 16) - 16 * nt - 8, 0))));
}

polyloop_undistributed int product__packed(const float (*__restrict A)[700], const float (*__restrict B)[1100],
    float (*__restrict C)[1100])
{
    char *const memory = (char *)malloc(44928);
    if (!memory)
        return 0;
    float (*__restrict B_pack)[16] = (float (*)[16])(memory + (64 - (uintptr_t)memory % 64));
    for (long nt = 0; nt < 69; nt++) {
        const long least = polyloop_min(8, polyloop_max(0, polyloop_min(-16 * nt + 1100, 12) - 8));
        for (long mt = 0; mt < 20; mt++) {
            const long least2 = polyloop_min(7, polyloop_max(0, mt - 1));
            polyloop_unrolled for (int r = 0; r < 2; r++)
                polyloop_unrolled for (int c = 0; c < 6; c++)
                    polyloop_ahead(C, 4 * ((c + 6 * mt + 6) * 1100 + 16 * nt + 15 * r));
            polyloop_unrolled for (int r = 0; r < 2; r++)
                polyloop_unrolled for (int c = 0; c < 6; c++)
                    polyloop_ahead(C, 4 * ((c + 6 * mt + 6) * 1100 + 11 * r + 1088));
            if (mt == 0) {
                if (nt <= 67) {
                    polyloop_f32x8 C_tile[6][2];
                    polyloop_unrolled for (int r = 0; r < 6; r++)
                        polyloop_unrolled for (int c = 0; c < 2; c++)
                            C_tile[r][c] = *(const polyloop_f32x8 *)&C[6 * mt + r][8 * c + 16 * nt];
                    polyloop_rolled for (long k = 0; k < 700; k++) {
                        *(polyloop_f32x8 *)&B_pack[k][0] = *(const polyloop_f32x8 *)&B[k][16 * nt];
                        *(polyloop_f32x8 *)&B_pack[k][8] = *(const polyloop_f32x8 *)&B[k][16 * nt + 8];
                        polyloop_f32x8 B_part[2];
                        polyloop_unrolled for (int r = 0; r < 2; r++) {
                            B_part[r] = *(const polyloop_f32x8 *)&B[k][16 * nt + 8 * r];
                            polyloop_keep_f32x8(B_part[r]);
                        }
                        polyloop_unrolled for (int r = 0; r < 6; r++)
                            polyloop_unrolled for (int c = 0; c < 2; c++)
                                C_tile[r][c] = A[6 * mt + r][k] * B_part[c] + C_tile[r][c];
                    }
                    polyloop_unrolled for (int r = 0; r < 6; r++)
                        polyloop_unrolled for (int c = 0; c < 2; c++)
                            *(polyloop_f32x8 *)&C[6 * mt + r][8 * c + 16 * nt] = C_tile[r][c];
                } else {
                    polyloop_f32x4 C_sum = *(const polyloop_f32x4 *)&C[6 * mt][1096];
                    polyloop_f32x4 C_sum_2 = *(const polyloop_f32x4 *)&C[6 * mt + 1][1096];
                    polyloop_f32x4 C_sum_3 = *(const polyloop_f32x4 *)&C[6 * mt + 2][1096];
                    polyloop_f32x4 C_sum_4 = *(const polyloop_f32x4 *)&C[6 * mt + 3][1096];
                    polyloop_f32x4 C_sum_5 = *(const polyloop_f32x4 *)&C[6 * mt + 4][1096];
                    polyloop_f32x4 C_sum_6 = *(const polyloop_f32x4 *)&C[6 * mt + 5][1096];
                    polyloop_f32x8 C_tile2[6];
                    polyloop_unrolled for (int r = 0; r < 6; r++)
                        C_tile2[r] = *(const polyloop_f32x8 *)&C[6 * mt + r][1088];
                    polyloop_rolled for (long k = 0; k < 700; k++) {
                        *(polyloop_f32x8 *)&B_pack[k][0] = *(const polyloop_f32x8 *)&B[k][16 * nt];
                        polyloop_store_f32x8(polyloop_at(float, B_pack, 4 * (k * 16 + 8)),
                            polyloop_load_f32x8(polyloop_at(const float, B, 4 * (k * 1100 + 16 * nt + 8)), least),
                            least);
                        const polyloop_f32x8 B_value = *(const polyloop_f32x8 *)&B[k][1088];
                        polyloop_f32x4 B_value_2 = *(const polyloop_f32x4 *)&B[k][1096];
                        polyloop_keep_f32x4(B_value_2);
                        C_sum = A[6 * mt][k] * B_value_2 + C_sum;
                        C_sum_2 = A[6 * mt + 1][k] * B_value_2 + C_sum_2;
                        C_sum_3 = A[6 * mt + 2][k] * B_value_2 + C_sum_3;
                        C_sum_4 = A[6 * mt + 3][k] * B_value_2 + C_sum_4;
                        C_sum_5 = A[6 * mt + 4][k] * B_value_2 + C_sum_5;
                        C_sum_6 = A[6 * mt + 5][k] * B_value_2 + C_sum_6;
                        polyloop_unrolled for (int r = 0; r < 6; r++)
                            C_tile2[r] = A[6 * mt + r][k] * B_value + C_tile2[r];
                    }
                    *(polyloop_f32x4 *)&C[6 * mt][1096] = C_sum;
                    *(polyloop_f32x4 *)&C[6 * mt + 1][1096] = C_sum_2;
                    *(polyloop_f32x4 *)&C[6 * mt + 2][1096] = C_sum_3;
                    *(polyloop_f32x4 *)&C[6 * mt + 3][1096] = C_sum_4;
                    *(polyloop_f32x4 *)&C[6 * mt + 4][1096] = C_sum_5;
                    polyloop_unrolled for (int r = 0; r < 6; r++)
                        *(polyloop_f32x8 *)&C[6 * mt + r][1088] = C_tile2[r];
                    *(polyloop_f32x4 *)&C[6 * mt + 5][1096] = C_sum_6;
                }
            } else if (polyloop_min(1100, 16 * nt + 16) >= 16 * nt + 16)
                product__packed_part1(mt, nt, least2, 1, C, B, B_pack, A);
            else
                product__packed_part1(mt, nt, least2, 0, C, B, B_pack, A);
        }
    }
    free(memory);
    return 1;
}
