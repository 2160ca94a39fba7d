#include <stdint.h>
typedef float polyloop_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float polyloop_f32x8 __attribute__((vector_size(32), aligned(4), may_alias));

/* Asks the caches for an element that may lie outside of its array, where no pointer may point. */
#define polyloop_ahead(array, offset) __builtin_prefetch((const void *)((uintptr_t)(array) + (uintptr_t)(offset)))

/* A function whose loops are not distributed over several. gcc from 8 on (seen in 12.2 at -O3) does so behind a test
   whether the loops touch the same memory, which leaves out the last element of accesses under a condition. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define polyloop_undistributed __attribute__((optimize("no-tree-loop-distribution")))
#else
#define polyloop_undistributed
#endif

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

polyloop_undistributed void product__packed(const float (*restrict A)[700], const float (*restrict B)[1100],
    float (*restrict C)[1100])
{
    for (long nt = 0; nt < 138; nt++) {
        if (nt <= 136) {
            for (long mt = 0; mt < 10; mt++) {
                polyloop_ahead(C, 4 * ((12 * mt + 12) * 1100 + 8 * nt));
                polyloop_ahead(C, 4 * ((12 * mt + 13) * 1100 + 8 * nt));
                polyloop_ahead(C, 4 * ((12 * mt + 14) * 1100 + 8 * nt));
                polyloop_ahead(C, 4 * ((12 * mt + 15) * 1100 + 8 * nt));
                polyloop_ahead(C, 4 * ((12 * mt + 16) * 1100 + 8 * nt));
                polyloop_ahead(C, 4 * ((12 * mt + 17) * 1100 + 8 * nt));
                polyloop_ahead(C, 4 * ((12 * mt + 18) * 1100 + 8 * nt));
                polyloop_ahead(C, 4 * ((12 * mt + 19) * 1100 + 8 * nt));
                polyloop_ahead(C, 4 * ((12 * mt + 20) * 1100 + 8 * nt));
                polyloop_ahead(C, 4 * ((12 * mt + 21) * 1100 + 8 * nt));
                polyloop_ahead(C, 4 * ((12 * mt + 22) * 1100 + 8 * nt));
                polyloop_ahead(C, 4 * ((12 * mt + 23) * 1100 + 8 * nt));
                polyloop_ahead(C, 4 * ((12 * mt + 12) * 1100 + 8 * nt + 7));
                polyloop_ahead(C, 4 * ((12 * mt + 13) * 1100 + 8 * nt + 7));
                polyloop_ahead(C, 4 * ((12 * mt + 14) * 1100 + 8 * nt + 7));
                polyloop_ahead(C, 4 * ((12 * mt + 15) * 1100 + 8 * nt + 7));
                polyloop_ahead(C, 4 * ((12 * mt + 16) * 1100 + 8 * nt + 7));
                polyloop_ahead(C, 4 * ((12 * mt + 17) * 1100 + 8 * nt + 7));
                polyloop_ahead(C, 4 * ((12 * mt + 18) * 1100 + 8 * nt + 7));
                polyloop_ahead(C, 4 * ((12 * mt + 19) * 1100 + 8 * nt + 7));
                polyloop_ahead(C, 4 * ((12 * mt + 20) * 1100 + 8 * nt + 7));
                polyloop_ahead(C, 4 * ((12 * mt + 21) * 1100 + 8 * nt + 7));
                polyloop_ahead(C, 4 * ((12 * mt + 22) * 1100 + 8 * nt + 7));
                polyloop_ahead(C, 4 * ((12 * mt + 23) * 1100 + 8 * nt + 7));
                polyloop_f32x8 v121 = *(const polyloop_f32x8 *)&C[12 * mt][8 * nt];
                polyloop_f32x8 v123 = *(const polyloop_f32x8 *)&C[12 * mt + 1][8 * nt];
                polyloop_f32x8 v125 = *(const polyloop_f32x8 *)&C[12 * mt + 2][8 * nt];
                polyloop_f32x8 v127 = *(const polyloop_f32x8 *)&C[12 * mt + 3][8 * nt];
                polyloop_f32x8 v129 = *(const polyloop_f32x8 *)&C[12 * mt + 4][8 * nt];
                polyloop_f32x8 v131 = *(const polyloop_f32x8 *)&C[12 * mt + 5][8 * nt];
                polyloop_f32x8 v133 = *(const polyloop_f32x8 *)&C[12 * mt + 6][8 * nt];
                polyloop_f32x8 v135 = *(const polyloop_f32x8 *)&C[12 * mt + 7][8 * nt];
                polyloop_f32x8 v137 = *(const polyloop_f32x8 *)&C[12 * mt + 8][8 * nt];
                polyloop_f32x8 v139 = *(const polyloop_f32x8 *)&C[12 * mt + 9][8 * nt];
                polyloop_f32x8 v141 = *(const polyloop_f32x8 *)&C[12 * mt + 10][8 * nt];
                polyloop_f32x8 v143 = *(const polyloop_f32x8 *)&C[12 * mt + 11][8 * nt];
#pragma GCC unroll 1
                for (long k = 0; k < 700; k++) {
                    const float v0 = A[12 * mt][k];
                    polyloop_f32x8 v1 = *(const polyloop_f32x8 *)&B[k][8 * nt];
                    polyloop_keep_f32x8(v1);
                    v121 = v0 * v1 + v121;
                    const float v5 = A[12 * mt + 1][k];
                    v123 = v5 * v1 + v123;
                    const float v10 = A[12 * mt + 2][k];
                    v125 = v10 * v1 + v125;
                    const float v15 = A[12 * mt + 3][k];
                    v127 = v15 * v1 + v127;
                    const float v20 = A[12 * mt + 4][k];
                    v129 = v20 * v1 + v129;
                    const float v25 = A[12 * mt + 5][k];
                    v131 = v25 * v1 + v131;
                    const float v30 = A[12 * mt + 6][k];
                    v133 = v30 * v1 + v133;
                    const float v35 = A[12 * mt + 7][k];
                    v135 = v35 * v1 + v135;
                    const float v40 = A[12 * mt + 8][k];
                    v137 = v40 * v1 + v137;
                    const float v45 = A[12 * mt + 9][k];
                    v139 = v45 * v1 + v139;
                    const float v50 = A[12 * mt + 10][k];
                    v141 = v50 * v1 + v141;
                    const float v55 = A[12 * mt + 11][k];
                    v143 = v55 * v1 + v143;
                }
                *(polyloop_f32x8 *)&C[12 * mt][8 * nt] = v121;
                *(polyloop_f32x8 *)&C[12 * mt + 1][8 * nt] = v123;
                *(polyloop_f32x8 *)&C[12 * mt + 2][8 * nt] = v125;
                *(polyloop_f32x8 *)&C[12 * mt + 3][8 * nt] = v127;
                *(polyloop_f32x8 *)&C[12 * mt + 4][8 * nt] = v129;
                *(polyloop_f32x8 *)&C[12 * mt + 5][8 * nt] = v131;
                *(polyloop_f32x8 *)&C[12 * mt + 6][8 * nt] = v133;
                *(polyloop_f32x8 *)&C[12 * mt + 7][8 * nt] = v135;
                *(polyloop_f32x8 *)&C[12 * mt + 8][8 * nt] = v137;
                *(polyloop_f32x8 *)&C[12 * mt + 9][8 * nt] = v139;
                *(polyloop_f32x8 *)&C[12 * mt + 10][8 * nt] = v141;
                *(polyloop_f32x8 *)&C[12 * mt + 11][8 * nt] = v143;
            }
        } else {
            for (long mt = 0; mt < 10; mt++) {
                polyloop_ahead(C, 4 * ((12 * mt + 12) * 1100 + 1096));
                polyloop_ahead(C, 4 * ((12 * mt + 13) * 1100 + 1096));
                polyloop_ahead(C, 4 * ((12 * mt + 14) * 1100 + 1096));
                polyloop_ahead(C, 4 * ((12 * mt + 15) * 1100 + 1096));
                polyloop_ahead(C, 4 * ((12 * mt + 16) * 1100 + 1096));
                polyloop_ahead(C, 4 * ((12 * mt + 17) * 1100 + 1096));
                polyloop_ahead(C, 4 * ((12 * mt + 18) * 1100 + 1096));
                polyloop_ahead(C, 4 * ((12 * mt + 19) * 1100 + 1096));
                polyloop_ahead(C, 4 * ((12 * mt + 20) * 1100 + 1096));
                polyloop_ahead(C, 4 * ((12 * mt + 21) * 1100 + 1096));
                polyloop_ahead(C, 4 * ((12 * mt + 22) * 1100 + 1096));
                polyloop_ahead(C, 4 * ((12 * mt + 23) * 1100 + 1096));
                polyloop_ahead(C, 4 * ((12 * mt + 12) * 1100 + 1099));
                polyloop_ahead(C, 4 * ((12 * mt + 13) * 1100 + 1099));
                polyloop_ahead(C, 4 * ((12 * mt + 14) * 1100 + 1099));
                polyloop_ahead(C, 4 * ((12 * mt + 15) * 1100 + 1099));
                polyloop_ahead(C, 4 * ((12 * mt + 16) * 1100 + 1099));
                polyloop_ahead(C, 4 * ((12 * mt + 17) * 1100 + 1099));
                polyloop_ahead(C, 4 * ((12 * mt + 18) * 1100 + 1099));
                polyloop_ahead(C, 4 * ((12 * mt + 19) * 1100 + 1099));
                polyloop_ahead(C, 4 * ((12 * mt + 20) * 1100 + 1099));
                polyloop_ahead(C, 4 * ((12 * mt + 21) * 1100 + 1099));
                polyloop_ahead(C, 4 * ((12 * mt + 22) * 1100 + 1099));
                polyloop_ahead(C, 4 * ((12 * mt + 23) * 1100 + 1099));
                polyloop_f32x4 v157 = *(const polyloop_f32x4 *)&C[12 * mt][1096];
                polyloop_f32x4 v159 = *(const polyloop_f32x4 *)&C[12 * mt + 1][1096];
                polyloop_f32x4 v161 = *(const polyloop_f32x4 *)&C[12 * mt + 2][1096];
                polyloop_f32x4 v163 = *(const polyloop_f32x4 *)&C[12 * mt + 3][1096];
                polyloop_f32x4 v165 = *(const polyloop_f32x4 *)&C[12 * mt + 4][1096];
                polyloop_f32x4 v167 = *(const polyloop_f32x4 *)&C[12 * mt + 5][1096];
                polyloop_f32x4 v169 = *(const polyloop_f32x4 *)&C[12 * mt + 6][1096];
                polyloop_f32x4 v171 = *(const polyloop_f32x4 *)&C[12 * mt + 7][1096];
                polyloop_f32x4 v173 = *(const polyloop_f32x4 *)&C[12 * mt + 8][1096];
                polyloop_f32x4 v175 = *(const polyloop_f32x4 *)&C[12 * mt + 9][1096];
                polyloop_f32x4 v177 = *(const polyloop_f32x4 *)&C[12 * mt + 10][1096];
                polyloop_f32x4 v179 = *(const polyloop_f32x4 *)&C[12 * mt + 11][1096];
#pragma GCC unroll 1
                for (long k = 0; k < 700; k++) {
                    const float v60 = A[12 * mt][k];
                    polyloop_f32x4 v61 = *(const polyloop_f32x4 *)&B[k][1096];
                    polyloop_keep_f32x4(v61);
                    v157 = v60 * v61 + v157;
                    const float v65 = A[12 * mt + 1][k];
                    v159 = v65 * v61 + v159;
                    const float v70 = A[12 * mt + 2][k];
                    v161 = v70 * v61 + v161;
                    const float v75 = A[12 * mt + 3][k];
                    v163 = v75 * v61 + v163;
                    const float v80 = A[12 * mt + 4][k];
                    v165 = v80 * v61 + v165;
                    const float v85 = A[12 * mt + 5][k];
                    v167 = v85 * v61 + v167;
                    const float v90 = A[12 * mt + 6][k];
                    v169 = v90 * v61 + v169;
                    const float v95 = A[12 * mt + 7][k];
                    v171 = v95 * v61 + v171;
                    const float v100 = A[12 * mt + 8][k];
                    v173 = v100 * v61 + v173;
                    const float v105 = A[12 * mt + 9][k];
                    v175 = v105 * v61 + v175;
                    const float v110 = A[12 * mt + 10][k];
                    v177 = v110 * v61 + v177;
                    const float v115 = A[12 * mt + 11][k];
                    v179 = v115 * v61 + v179;
                }
                *(polyloop_f32x4 *)&C[12 * mt][1096] = v157;
                *(polyloop_f32x4 *)&C[12 * mt + 1][1096] = v159;
                *(polyloop_f32x4 *)&C[12 * mt + 2][1096] = v161;
                *(polyloop_f32x4 *)&C[12 * mt + 3][1096] = v163;
                *(polyloop_f32x4 *)&C[12 * mt + 4][1096] = v165;
                *(polyloop_f32x4 *)&C[12 * mt + 5][1096] = v167;
                *(polyloop_f32x4 *)&C[12 * mt + 6][1096] = v169;
                *(polyloop_f32x4 *)&C[12 * mt + 7][1096] = v171;
                *(polyloop_f32x4 *)&C[12 * mt + 8][1096] = v173;
                *(polyloop_f32x4 *)&C[12 * mt + 9][1096] = v175;
                *(polyloop_f32x4 *)&C[12 * mt + 10][1096] = v177;
                *(polyloop_f32x4 *)&C[12 * mt + 11][1096] = v179;
            }
        }
    }
}
