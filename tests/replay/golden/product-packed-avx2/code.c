#include <stdint.h>
#include <stdlib.h>
typedef float polyloop_f32x2 __attribute__((vector_size(8), aligned(4), may_alias));
typedef float polyloop_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float polyloop_f32x8 __attribute__((vector_size(32), aligned(4), may_alias));

/* Asks the caches for an element that may lie outside of its array, where no pointer may point. */
#define polyloop_ahead(array, offset) __builtin_prefetch((const void *)((uintptr_t)(array) + (uintptr_t)(offset)))

/* The address of an element of which nothing is touched where it lies outside of its array. */
#define polyloop_at(type, array, offset) ((type *)((uintptr_t)(array) + (uintptr_t)(offset)))

/* Where the processor loads and stores the first lanes of a vector by one instruction. */
#if defined __AVX512VL__ && defined __BMI2__
#include <immintrin.h>
#define polyloop_masks
#ifdef __AVX512BW__
#define polyloop_narrow_masks
#endif
#endif

static inline long polyloop_max(long a, long b)
{
    return a > b ? a : b;
}

static inline long polyloop_min(long a, long b)
{
    return a < b ? a : b;
}

/* Memory for a call. Up to four blocks of 16 megabytes at most are kept for the next call, of any thread: fresh pages
   cost more than a small kernel. A block's first bytes hold its size. */
static char *polyloop_kept[4];

static inline void polyloop_give(char *block)
{
    for (int i = 0; i < 4 && *(const size_t *)(const void *)block <= 16777216; i++) {
        char *none = NULL;
        if (__atomic_compare_exchange_n(&polyloop_kept[i], &none, block, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            return;
        }
    }
    free(block);
}

static inline char *polyloop_take(size_t size)
{
    for (int i = 0; i < 4; i++) {
        char *const block = __atomic_exchange_n(&polyloop_kept[i], NULL, __ATOMIC_ACQ_REL);
        if (block && *(const size_t *)(const void *)block >= size) {
            return block;
        }
        if (block) {
            polyloop_give(block);
        }
    }
    char *const block = malloc(size);
    if (block) {
        *(size_t *)(void *)block = size;
    }
    return block;
}

__attribute__((destructor)) static void polyloop_release(void)
{
    for (int i = 0; i < 4; i++) {
        free(__atomic_exchange_n(&polyloop_kept[i], NULL, __ATOMIC_ACQ_REL));
    }
}

/* A function whose loops are not distributed over several. gcc from 8 on (seen in 12.2 at -O3) does so behind a test
   whether the loops touch the same memory, which leaves out the last element of accesses under a condition. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define polyloop_undistributed __attribute__((optimize("no-tree-loop-distribution")))
#else
#define polyloop_undistributed
#endif

static inline __attribute__((always_inline, unused))
void polyloop_load_f32x2(polyloop_f32x2 *v, const float *p, long active)
{
    *v = (polyloop_f32x2){active > 0 ? p[0] : 0, active > 1 ? p[1] : 0};
}

static inline __attribute__((always_inline, unused))
void polyloop_store_f32x2(float *p, const polyloop_f32x2 *v, long active)
{
    if (active > 0)
        p[0] = (*v)[0];
    if (active > 1)
        p[1] = (*v)[1];
}

/* Keeps a loaded vector in its register: gcc would load it again wherever it is used. */
#if defined __SSE2__ && !defined __clang__
#define polyloop_keep_f32x4(vector) __asm__("" : "+v"(vector))
#else
#define polyloop_keep_f32x4(vector) ((void)0)
#endif

/* The first `active` elements at p, zeros behind them. */
static inline __attribute__((always_inline, unused))
void polyloop_load_f32x4(polyloop_f32x4 *v, const float *p, long active)
{
#ifdef polyloop_masks
    *v = (polyloop_f32x4)_mm_maskz_loadu_ps((__mmask8)_bzhi_u32(0xf, (unsigned)active), p);
#else
    polyloop_f32x2 low, high = {0};
    if (active >= 4) {
        *v = *(const polyloop_f32x4 *)p;
        return;
    }
    if (active >= 2) {
        low = *(const polyloop_f32x2 *)p;
        polyloop_load_f32x2(&high, p + 2, active - 2);
    } else {
        polyloop_load_f32x2(&low, p, active);
    }
    *v = (polyloop_f32x4){low[0], low[1], high[0], high[1]};
#endif
}

/* The first `active` lanes to p; nothing behind them is touched. */
static inline __attribute__((always_inline, unused))
void polyloop_store_f32x4(float *p, const polyloop_f32x4 *v, long active)
{
#ifdef polyloop_masks
    _mm_mask_storeu_ps(p, (__mmask8)_bzhi_u32(0xf, (unsigned)active), (__m128)*v);
#else
    const polyloop_f32x2 low = {(*v)[0], (*v)[1]};
    const polyloop_f32x2 high = {(*v)[2], (*v)[3]};
    if (active >= 4) {
        *(polyloop_f32x4 *)p = *v;
    } else if (active >= 2) {
        *(polyloop_f32x2 *)p = low;
        polyloop_store_f32x2(p + 2, &high, active - 2);
    } else {
        polyloop_store_f32x2(p, &low, active);
    }
#endif
}

/* Keeps a loaded vector in its register: gcc would load it again wherever it is used. */
#if defined __AVX__ && !defined __clang__
#define polyloop_keep_f32x8(vector) __asm__("" : "+v"(vector))
#else
#define polyloop_keep_f32x8(vector) ((void)0)
#endif

/* The first `active` elements at p, zeros behind them. */
static inline __attribute__((always_inline, unused))
void polyloop_load_f32x8(polyloop_f32x8 *v, const float *p, long active)
{
#ifdef polyloop_masks
    *v = (polyloop_f32x8)_mm256_maskz_loadu_ps((__mmask8)_bzhi_u32(0xff, (unsigned)active), p);
#else
    polyloop_f32x4 low, high = {0};
    if (active >= 8) {
        *v = *(const polyloop_f32x8 *)p;
        return;
    }
    if (active >= 4) {
        low = *(const polyloop_f32x4 *)p;
        polyloop_load_f32x4(&high, p + 4, active - 4);
    } else {
        polyloop_load_f32x4(&low, p, active);
    }
    *v = (polyloop_f32x8){low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
#endif
}

/* The first `active` lanes to p; nothing behind them is touched. */
static inline __attribute__((always_inline, unused))
void polyloop_store_f32x8(float *p, const polyloop_f32x8 *v, long active)
{
#ifdef polyloop_masks
    _mm256_mask_storeu_ps(p, (__mmask8)_bzhi_u32(0xff, (unsigned)active), (__m256)*v);
#else
    const polyloop_f32x4 low = {(*v)[0], (*v)[1], (*v)[2], (*v)[3]};
    const polyloop_f32x4 high = {(*v)[4], (*v)[5], (*v)[6], (*v)[7]};
    if (active >= 8) {
        *(polyloop_f32x8 *)p = *v;
    } else if (active >= 4) {
        *(polyloop_f32x4 *)p = low;
        polyloop_store_f32x4(p + 4, &high, active - 4);
    } else {
        polyloop_store_f32x4(p, &low, active);
    }
#endif
}

polyloop_undistributed int product__packed(const float (*restrict A)[700], const float (*restrict B)[1100],
    float (*restrict C)[1100])
{
    const size_t B_pack_size = (sizeof(float) * (size_t)polyloop_max(700, 0) * (size_t)polyloop_max(16, 0) + 127) / 64 * 64;
    char *const B_pack_block = polyloop_take(B_pack_size + 64);
    if (!B_pack_block) {
        return 0;
    }
    float (*restrict B_pack)[16] = (float (*)[16])(B_pack_block + (64 - (uintptr_t)B_pack_block % 64));
    for (long nt = 0; nt < 69; nt++) {
#pragma GCC unroll 1
        for (long c = 0; c < 700; c++) {
            const polyloop_f32x8 v0 = *(const polyloop_f32x8 *)&B[c][16 * nt];
            *(polyloop_f32x8 *)&B_pack[c][0] = v0;
            polyloop_f32x8 v1;
            polyloop_load_f32x8(&v1, polyloop_at(const float, B, 4 * (c * 1100 + 16 * nt + 8)),
                polyloop_min(-16 * nt + 1100, 16) - 8);
            polyloop_store_f32x8(polyloop_at(float, B_pack, 4 * (c * 16 + 8)), &v1, polyloop_min(-16 * nt + 1100,
                16) - 8);
        }
        if (nt <= 67) {
            for (long mt = 0; mt < 20; mt++) {
                polyloop_ahead(C, 4 * ((6 * mt + 6) * 1100 + 16 * nt));
                polyloop_ahead(C, 4 * ((6 * mt + 7) * 1100 + 16 * nt));
                polyloop_ahead(C, 4 * ((6 * mt + 8) * 1100 + 16 * nt));
                polyloop_ahead(C, 4 * ((6 * mt + 9) * 1100 + 16 * nt));
                polyloop_ahead(C, 4 * ((6 * mt + 10) * 1100 + 16 * nt));
                polyloop_ahead(C, 4 * ((6 * mt + 11) * 1100 + 16 * nt));
                polyloop_ahead(C, 4 * ((6 * mt + 6) * 1100 + 16 * nt + 15));
                polyloop_ahead(C, 4 * ((6 * mt + 7) * 1100 + 16 * nt + 15));
                polyloop_ahead(C, 4 * ((6 * mt + 8) * 1100 + 16 * nt + 15));
                polyloop_ahead(C, 4 * ((6 * mt + 9) * 1100 + 16 * nt + 15));
                polyloop_ahead(C, 4 * ((6 * mt + 10) * 1100 + 16 * nt + 15));
                polyloop_ahead(C, 4 * ((6 * mt + 11) * 1100 + 16 * nt + 15));
                polyloop_f32x8 v123 = *(const polyloop_f32x8 *)&C[6 * mt][16 * nt];
                polyloop_f32x8 v125 = *(const polyloop_f32x8 *)&C[6 * mt][16 * nt + 8];
                polyloop_f32x8 v127 = *(const polyloop_f32x8 *)&C[6 * mt + 1][16 * nt];
                polyloop_f32x8 v129 = *(const polyloop_f32x8 *)&C[6 * mt + 1][16 * nt + 8];
                polyloop_f32x8 v131 = *(const polyloop_f32x8 *)&C[6 * mt + 2][16 * nt];
                polyloop_f32x8 v133 = *(const polyloop_f32x8 *)&C[6 * mt + 2][16 * nt + 8];
                polyloop_f32x8 v135 = *(const polyloop_f32x8 *)&C[6 * mt + 3][16 * nt];
                polyloop_f32x8 v137 = *(const polyloop_f32x8 *)&C[6 * mt + 3][16 * nt + 8];
                polyloop_f32x8 v139 = *(const polyloop_f32x8 *)&C[6 * mt + 4][16 * nt];
                polyloop_f32x8 v141 = *(const polyloop_f32x8 *)&C[6 * mt + 4][16 * nt + 8];
                polyloop_f32x8 v143 = *(const polyloop_f32x8 *)&C[6 * mt + 5][16 * nt];
                polyloop_f32x8 v145 = *(const polyloop_f32x8 *)&C[6 * mt + 5][16 * nt + 8];
#pragma GCC unroll 1
                for (long k = 0; k < 700; k++) {
                    const float v2 = A[6 * mt][k];
                    polyloop_f32x8 v3 = *(const polyloop_f32x8 *)&B_pack[k][0];
                    polyloop_keep_f32x8(v3);
                    v123 = v2 * v3 + v123;
                    polyloop_f32x8 v8 = *(const polyloop_f32x8 *)&B_pack[k][8];
                    polyloop_keep_f32x8(v8);
                    v125 = v2 * v8 + v125;
                    const float v12 = A[6 * mt + 1][k];
                    v127 = v12 * v3 + v127;
                    v129 = v12 * v8 + v129;
                    const float v22 = A[6 * mt + 2][k];
                    v131 = v22 * v3 + v131;
                    v133 = v22 * v8 + v133;
                    const float v32 = A[6 * mt + 3][k];
                    v135 = v32 * v3 + v135;
                    v137 = v32 * v8 + v137;
                    const float v42 = A[6 * mt + 4][k];
                    v139 = v42 * v3 + v139;
                    v141 = v42 * v8 + v141;
                    const float v52 = A[6 * mt + 5][k];
                    v143 = v52 * v3 + v143;
                    v145 = v52 * v8 + v145;
                }
                *(polyloop_f32x8 *)&C[6 * mt][16 * nt] = v123;
                *(polyloop_f32x8 *)&C[6 * mt][16 * nt + 8] = v125;
                *(polyloop_f32x8 *)&C[6 * mt + 1][16 * nt] = v127;
                *(polyloop_f32x8 *)&C[6 * mt + 1][16 * nt + 8] = v129;
                *(polyloop_f32x8 *)&C[6 * mt + 2][16 * nt] = v131;
                *(polyloop_f32x8 *)&C[6 * mt + 2][16 * nt + 8] = v133;
                *(polyloop_f32x8 *)&C[6 * mt + 3][16 * nt] = v135;
                *(polyloop_f32x8 *)&C[6 * mt + 3][16 * nt + 8] = v137;
                *(polyloop_f32x8 *)&C[6 * mt + 4][16 * nt] = v139;
                *(polyloop_f32x8 *)&C[6 * mt + 4][16 * nt + 8] = v141;
                *(polyloop_f32x8 *)&C[6 * mt + 5][16 * nt] = v143;
                *(polyloop_f32x8 *)&C[6 * mt + 5][16 * nt + 8] = v145;
            }
        } else {
            for (long mt = 0; mt < 20; mt++) {
                polyloop_ahead(C, 4 * ((6 * mt + 6) * 1100 + 1088));
                polyloop_ahead(C, 4 * ((6 * mt + 7) * 1100 + 1088));
                polyloop_ahead(C, 4 * ((6 * mt + 8) * 1100 + 1088));
                polyloop_ahead(C, 4 * ((6 * mt + 9) * 1100 + 1088));
                polyloop_ahead(C, 4 * ((6 * mt + 10) * 1100 + 1088));
                polyloop_ahead(C, 4 * ((6 * mt + 11) * 1100 + 1088));
                polyloop_ahead(C, 4 * ((6 * mt + 6) * 1100 + 1099));
                polyloop_ahead(C, 4 * ((6 * mt + 7) * 1100 + 1099));
                polyloop_ahead(C, 4 * ((6 * mt + 8) * 1100 + 1099));
                polyloop_ahead(C, 4 * ((6 * mt + 9) * 1100 + 1099));
                polyloop_ahead(C, 4 * ((6 * mt + 10) * 1100 + 1099));
                polyloop_ahead(C, 4 * ((6 * mt + 11) * 1100 + 1099));
                polyloop_f32x8 v159 = *(const polyloop_f32x8 *)&C[6 * mt][1088];
                polyloop_f32x4 v161 = *(const polyloop_f32x4 *)&C[6 * mt][1096];
                polyloop_f32x8 v163 = *(const polyloop_f32x8 *)&C[6 * mt + 1][1088];
                polyloop_f32x4 v165 = *(const polyloop_f32x4 *)&C[6 * mt + 1][1096];
                polyloop_f32x8 v167 = *(const polyloop_f32x8 *)&C[6 * mt + 2][1088];
                polyloop_f32x4 v169 = *(const polyloop_f32x4 *)&C[6 * mt + 2][1096];
                polyloop_f32x8 v171 = *(const polyloop_f32x8 *)&C[6 * mt + 3][1088];
                polyloop_f32x4 v173 = *(const polyloop_f32x4 *)&C[6 * mt + 3][1096];
                polyloop_f32x8 v175 = *(const polyloop_f32x8 *)&C[6 * mt + 4][1088];
                polyloop_f32x4 v177 = *(const polyloop_f32x4 *)&C[6 * mt + 4][1096];
                polyloop_f32x8 v179 = *(const polyloop_f32x8 *)&C[6 * mt + 5][1088];
                polyloop_f32x4 v181 = *(const polyloop_f32x4 *)&C[6 * mt + 5][1096];
#pragma GCC unroll 1
                for (long k = 0; k < 700; k++) {
                    const float v62 = A[6 * mt][k];
                    polyloop_f32x8 v63 = *(const polyloop_f32x8 *)&B_pack[k][-16 * nt + 1088];
                    polyloop_keep_f32x8(v63);
                    v159 = v62 * v63 + v159;
                    polyloop_f32x4 v68 = *(const polyloop_f32x4 *)&B_pack[k][-16 * nt + 1096];
                    polyloop_keep_f32x4(v68);
                    v161 = v62 * v68 + v161;
                    const float v72 = A[6 * mt + 1][k];
                    v163 = v72 * v63 + v163;
                    v165 = v72 * v68 + v165;
                    const float v82 = A[6 * mt + 2][k];
                    v167 = v82 * v63 + v167;
                    v169 = v82 * v68 + v169;
                    const float v92 = A[6 * mt + 3][k];
                    v171 = v92 * v63 + v171;
                    v173 = v92 * v68 + v173;
                    const float v102 = A[6 * mt + 4][k];
                    v175 = v102 * v63 + v175;
                    v177 = v102 * v68 + v177;
                    const float v112 = A[6 * mt + 5][k];
                    v179 = v112 * v63 + v179;
                    v181 = v112 * v68 + v181;
                }
                *(polyloop_f32x8 *)&C[6 * mt][1088] = v159;
                *(polyloop_f32x4 *)&C[6 * mt][1096] = v161;
                *(polyloop_f32x8 *)&C[6 * mt + 1][1088] = v163;
                *(polyloop_f32x4 *)&C[6 * mt + 1][1096] = v165;
                *(polyloop_f32x8 *)&C[6 * mt + 2][1088] = v167;
                *(polyloop_f32x4 *)&C[6 * mt + 2][1096] = v169;
                *(polyloop_f32x8 *)&C[6 * mt + 3][1088] = v171;
                *(polyloop_f32x4 *)&C[6 * mt + 3][1096] = v173;
                *(polyloop_f32x8 *)&C[6 * mt + 4][1088] = v175;
                *(polyloop_f32x4 *)&C[6 * mt + 4][1096] = v177;
                *(polyloop_f32x8 *)&C[6 * mt + 5][1088] = v179;
                *(polyloop_f32x4 *)&C[6 * mt + 5][1096] = v181;
            }
        }
    }
    polyloop_give(B_pack_block);
    return 1;
}
