#include <stdint.h>
typedef float polyloop_f32x2 __attribute__((vector_size(8), aligned(4), may_alias));
typedef float polyloop_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));

/* Keeps a sum in a register of its own: clang would gather the sums of several rows into one vector, element by
   element, and run at half the speed. */
#if defined(__clang__) && defined(__x86_64__)
#define polyloop_apart(sum) __asm__("" : "+x"(sum))
#elif defined(__clang__) && defined(__aarch64__)
#define polyloop_apart(sum) __asm__("" : "+w"(sum))
#else
#define polyloop_apart(sum) ((void)0)
#endif

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

polyloop_undistributed void softmax(const float (*restrict X)[50], float (*restrict P)[50])
{
    float max_1[12] = {0};
    float max_2[12] = {0};
    float sum[12] = {0};
    *(polyloop_f32x4 *)&max_1[0] = (polyloop_f32x4){(-__builtin_inff()), (-__builtin_inff()), (-__builtin_inff()),
        (-__builtin_inff())};
    *(polyloop_f32x4 *)&max_1[4] = (polyloop_f32x4){(-__builtin_inff()), (-__builtin_inff()), (-__builtin_inff()),
        (-__builtin_inff())};
    *(polyloop_f32x4 *)&max_1[8] = (polyloop_f32x4){(-__builtin_inff()), (-__builtin_inff()), (-__builtin_inff()),
        (-__builtin_inff())};
    float v125 = max_1[0];
    float v127 = max_1[1];
    float v129 = max_1[2];
    float v131 = max_1[3];
    float v133 = max_1[4];
    float v135 = max_1[5];
    float v137 = max_1[6];
    float v139 = max_1[7];
    float v141 = max_1[8];
    float v143 = max_1[9];
    float v145 = max_1[10];
    float v147 = max_1[11];
#pragma GCC unroll 1
    for (long j = 0; j < 50; j++) {
        const float v6 = X[0][j];
        v125 = v6 > v125 ? v6 : v125;
        const float v9 = X[1][j];
        v127 = v9 > v127 ? v9 : v127;
        const float v12 = X[2][j];
        v129 = v12 > v129 ? v12 : v129;
        const float v15 = X[3][j];
        v131 = v15 > v131 ? v15 : v131;
        const float v18 = X[4][j];
        v133 = v18 > v133 ? v18 : v133;
        const float v21 = X[5][j];
        v135 = v21 > v135 ? v21 : v135;
        const float v24 = X[6][j];
        v137 = v24 > v137 ? v24 : v137;
        const float v27 = X[7][j];
        v139 = v27 > v139 ? v27 : v139;
        const float v30 = X[8][j];
        v141 = v30 > v141 ? v30 : v141;
        const float v33 = X[9][j];
        v143 = v33 > v143 ? v33 : v143;
        const float v36 = X[10][j];
        v145 = v36 > v145 ? v36 : v145;
        const float v39 = X[11][j];
        v147 = v39 > v147 ? v39 : v147;
        polyloop_apart(v125);
        polyloop_apart(v127);
        polyloop_apart(v129);
        polyloop_apart(v131);
        polyloop_apart(v133);
        polyloop_apart(v135);
        polyloop_apart(v137);
        polyloop_apart(v139);
        polyloop_apart(v141);
        polyloop_apart(v143);
        polyloop_apart(v145);
        polyloop_apart(v147);
    }
    max_1[0] = v125;
    max_1[1] = v127;
    max_1[2] = v129;
    max_1[3] = v131;
    max_1[4] = v133;
    max_1[5] = v135;
    max_1[6] = v137;
    max_1[7] = v139;
    max_1[8] = v141;
    max_1[9] = v143;
    max_1[10] = v145;
    max_1[11] = v147;
    *(polyloop_f32x4 *)&max_2[0] = (polyloop_f32x4){(-__builtin_inff()), (-__builtin_inff()), (-__builtin_inff()),
        (-__builtin_inff())};
    *(polyloop_f32x4 *)&max_2[4] = (polyloop_f32x4){(-__builtin_inff()), (-__builtin_inff()), (-__builtin_inff()),
        (-__builtin_inff())};
    *(polyloop_f32x4 *)&max_2[8] = (polyloop_f32x4){(-__builtin_inff()), (-__builtin_inff()), (-__builtin_inff()),
        (-__builtin_inff())};
    float v161 = max_2[0];
    float v163 = max_2[1];
    float v165 = max_2[2];
    float v167 = max_2[3];
    float v169 = max_2[4];
    float v171 = max_2[5];
    float v173 = max_2[6];
    float v175 = max_2[7];
    float v177 = max_2[8];
    float v179 = max_2[9];
    float v181 = max_2[10];
    float v183 = max_2[11];
#pragma GCC unroll 1
    for (long l = 0; l < 50; l++) {
        const float v48 = X[0][l];
        v161 = v48 > v161 ? v48 : v161;
        const float v51 = X[1][l];
        v163 = v51 > v163 ? v51 : v163;
        const float v54 = X[2][l];
        v165 = v54 > v165 ? v54 : v165;
        const float v57 = X[3][l];
        v167 = v57 > v167 ? v57 : v167;
        const float v60 = X[4][l];
        v169 = v60 > v169 ? v60 : v169;
        const float v63 = X[5][l];
        v171 = v63 > v171 ? v63 : v171;
        const float v66 = X[6][l];
        v173 = v66 > v173 ? v66 : v173;
        const float v69 = X[7][l];
        v175 = v69 > v175 ? v69 : v175;
        const float v72 = X[8][l];
        v177 = v72 > v177 ? v72 : v177;
        const float v75 = X[9][l];
        v179 = v75 > v179 ? v75 : v179;
        const float v78 = X[10][l];
        v181 = v78 > v181 ? v78 : v181;
        const float v81 = X[11][l];
        v183 = v81 > v183 ? v81 : v183;
        polyloop_apart(v161);
        polyloop_apart(v163);
        polyloop_apart(v165);
        polyloop_apart(v167);
        polyloop_apart(v169);
        polyloop_apart(v171);
        polyloop_apart(v173);
        polyloop_apart(v175);
        polyloop_apart(v177);
        polyloop_apart(v179);
        polyloop_apart(v181);
        polyloop_apart(v183);
    }
    max_2[0] = v161;
    max_2[1] = v163;
    max_2[2] = v165;
    max_2[3] = v167;
    max_2[4] = v169;
    max_2[5] = v171;
    max_2[6] = v173;
    max_2[7] = v175;
    max_2[8] = v177;
    max_2[9] = v179;
    max_2[10] = v181;
    max_2[11] = v183;
    const polyloop_f32x4 v92 = *(const polyloop_f32x4 *)&max_2[0];
    const polyloop_f32x4 v98 = *(const polyloop_f32x4 *)&max_2[4];
    const polyloop_f32x4 v104 = *(const polyloop_f32x4 *)&max_2[8];
    polyloop_f32x4 v197 = {0};
    polyloop_f32x4 v199 = {0};
    polyloop_f32x4 v201 = {0};
#pragma GCC unroll 1
    for (long j = 0; j < 50; j++) {
        const polyloop_f32x4 v91 = {X[0][j], X[1][j], X[2][j], X[3][j]};
        const polyloop_f32x4 v93 = v91 - v92;
        const polyloop_f32x4 v94 = {expf(v93[0]), expf(v93[1]), expf(v93[2]), expf(v93[3])};
        v197 = v197 + v94;
        const polyloop_f32x4 v97 = {X[4][j], X[5][j], X[6][j], X[7][j]};
        const polyloop_f32x4 v99 = v97 - v98;
        const polyloop_f32x4 v100 = {expf(v99[0]), expf(v99[1]), expf(v99[2]), expf(v99[3])};
        v199 = v199 + v100;
        const polyloop_f32x4 v103 = {X[8][j], X[9][j], X[10][j], X[11][j]};
        const polyloop_f32x4 v105 = v103 - v104;
        const polyloop_f32x4 v106 = {expf(v105[0]), expf(v105[1]), expf(v105[2]), expf(v105[3])};
        v201 = v201 + v106;
    }
    *(polyloop_f32x4 *)&sum[0] = v197;
    *(polyloop_f32x4 *)&sum[4] = v199;
    *(polyloop_f32x4 *)&sum[8] = v201;
    for (long m = 0; m < 12; m++) {
        const float v109 = max_1[m];
        const float v113 = sum[m];
#pragma GCC unroll 1
        for (long n = 0; n < 47; n += 4) {
            const polyloop_f32x4 v108 = *(const polyloop_f32x4 *)&X[m][n];
            const polyloop_f32x4 v111 = v108 - v109;
            const polyloop_f32x4 v112 = {expf(v111[0]), expf(v111[1]), expf(v111[2]), expf(v111[3])};
            const polyloop_f32x4 v115 = v112 / v113;
            *(polyloop_f32x4 *)&P[m][n] = v115;
        }
        const long n_rest0 = 48;
        if (n_rest0 <= 49) {
            polyloop_f32x4 v116;
            polyloop_load_f32x4(&v116, polyloop_at(const float, X, 4 * (m * 50 + n_rest0)), -n_rest0 + 50);
            const polyloop_f32x4 v119 = v116 - v109;
            const polyloop_f32x4 v120 = {expf(v119[0]), expf(v119[1]), expf(v119[2]), expf(v119[3])};
            const polyloop_f32x4 v123 = v120 / v113;
            polyloop_store_f32x4(polyloop_at(float, P, 4 * (m * 50 + n_rest0)), &v123, -n_rest0 + 50);
        }
    }
}
