typedef float polyloop_f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float polyloop_f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

static inline long polyloop_min(long a, long b)
{
    return a < b ? a : b;
}

/* A function whose loops are not distributed over several. gcc from 8 on (seen in 12.2 at -O3) does so behind a test
   whether the loops touch the same memory, which leaves out the last element of accesses under a condition. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define polyloop_undistributed __attribute__((optimize("no-tree-loop-distribution")))
#else
#define polyloop_undistributed
#endif

/* Keeps a loaded vector in its register: gcc would load it again wherever it is used. */
#if defined __AVX__ && !defined __clang__
#define polyloop_keep_f32x8(vector) __asm__("" : "+v"(vector))
#else
#define polyloop_keep_f32x8(vector) ((void)0)
#endif

/* Keeps a loaded vector in its register: gcc would load it again wherever it is used. */
#if defined __AVX512F__ && !defined __clang__
#define polyloop_keep_f32x16(vector) __asm__("" : "+v"(vector))
#else
#define polyloop_keep_f32x16(vector) ((void)0)
#endif

polyloop_undistributed void convolution(const float (*restrict I_1)[13][5], const float (*restrict W)[3][5][40],
    float (*restrict O)[11][40])
{
    for (long y = 0; y < 9; y++) {
        for (long xt = 0; xt < 2; xt++) {
            if (polyloop_min(11, 6 * xt + 6) >= 6 * xt + 6) {
                polyloop_f32x16 v364 = *(const polyloop_f32x16 *)&O[y][6 * xt][0];
                polyloop_f32x16 v366 = *(const polyloop_f32x16 *)&O[y][6 * xt][16];
                polyloop_f32x8 v368 = *(const polyloop_f32x8 *)&O[y][6 * xt][32];
                polyloop_f32x16 v370 = *(const polyloop_f32x16 *)&O[y][6 * xt + 1][0];
                polyloop_f32x16 v372 = *(const polyloop_f32x16 *)&O[y][6 * xt + 1][16];
                polyloop_f32x8 v374 = *(const polyloop_f32x8 *)&O[y][6 * xt + 1][32];
                polyloop_f32x16 v376 = *(const polyloop_f32x16 *)&O[y][6 * xt + 2][0];
                polyloop_f32x16 v378 = *(const polyloop_f32x16 *)&O[y][6 * xt + 2][16];
                polyloop_f32x8 v380 = *(const polyloop_f32x8 *)&O[y][6 * xt + 2][32];
                polyloop_f32x16 v382 = *(const polyloop_f32x16 *)&O[y][6 * xt + 3][0];
                polyloop_f32x16 v384 = *(const polyloop_f32x16 *)&O[y][6 * xt + 3][16];
                polyloop_f32x8 v386 = *(const polyloop_f32x8 *)&O[y][6 * xt + 3][32];
                polyloop_f32x16 v388 = *(const polyloop_f32x16 *)&O[y][6 * xt + 4][0];
                polyloop_f32x16 v390 = *(const polyloop_f32x16 *)&O[y][6 * xt + 4][16];
                polyloop_f32x8 v392 = *(const polyloop_f32x8 *)&O[y][6 * xt + 4][32];
                polyloop_f32x16 v394 = *(const polyloop_f32x16 *)&O[y][6 * xt + 5][0];
                polyloop_f32x16 v396 = *(const polyloop_f32x16 *)&O[y][6 * xt + 5][16];
                polyloop_f32x8 v398 = *(const polyloop_f32x8 *)&O[y][6 * xt + 5][32];
                for (long i = 0; i < 3; i++) {
                    for (long j = 0; j < 3; j++) {
#pragma GCC unroll 1
                        for (long c = 0; c < 5; c++) {
                            const float v0 = I_1[i + y][j + 6 * xt][c];
                            polyloop_f32x16 v1 = *(const polyloop_f32x16 *)&W[i][j][c][0];
                            polyloop_keep_f32x16(v1);
                            v364 = v0 * v1 + v364;
                            polyloop_f32x16 v6 = *(const polyloop_f32x16 *)&W[i][j][c][16];
                            polyloop_keep_f32x16(v6);
                            v366 = v0 * v6 + v366;
                            polyloop_f32x8 v11 = *(const polyloop_f32x8 *)&W[i][j][c][32];
                            polyloop_keep_f32x8(v11);
                            v368 = v0 * v11 + v368;
                            const float v15 = I_1[i + y][j + 6 * xt + 1][c];
                            v370 = v15 * v1 + v370;
                            v372 = v15 * v6 + v372;
                            v374 = v15 * v11 + v374;
                            const float v30 = I_1[i + y][j + 6 * xt + 2][c];
                            v376 = v30 * v1 + v376;
                            v378 = v30 * v6 + v378;
                            v380 = v30 * v11 + v380;
                            const float v45 = I_1[i + y][j + 6 * xt + 3][c];
                            v382 = v45 * v1 + v382;
                            v384 = v45 * v6 + v384;
                            v386 = v45 * v11 + v386;
                            const float v60 = I_1[i + y][j + 6 * xt + 4][c];
                            v388 = v60 * v1 + v388;
                            v390 = v60 * v6 + v390;
                            v392 = v60 * v11 + v392;
                            const float v75 = I_1[i + y][j + 6 * xt + 5][c];
                            v394 = v75 * v1 + v394;
                            v396 = v75 * v6 + v396;
                            v398 = v75 * v11 + v398;
                        }
                    }
                }
                *(polyloop_f32x16 *)&O[y][6 * xt][0] = v364;
                *(polyloop_f32x16 *)&O[y][6 * xt][16] = v366;
                *(polyloop_f32x8 *)&O[y][6 * xt][32] = v368;
                *(polyloop_f32x16 *)&O[y][6 * xt + 1][0] = v370;
                *(polyloop_f32x16 *)&O[y][6 * xt + 1][16] = v372;
                *(polyloop_f32x8 *)&O[y][6 * xt + 1][32] = v374;
                *(polyloop_f32x16 *)&O[y][6 * xt + 2][0] = v376;
                *(polyloop_f32x16 *)&O[y][6 * xt + 2][16] = v378;
                *(polyloop_f32x8 *)&O[y][6 * xt + 2][32] = v380;
                *(polyloop_f32x16 *)&O[y][6 * xt + 3][0] = v382;
                *(polyloop_f32x16 *)&O[y][6 * xt + 3][16] = v384;
                *(polyloop_f32x8 *)&O[y][6 * xt + 3][32] = v386;
                *(polyloop_f32x16 *)&O[y][6 * xt + 4][0] = v388;
                *(polyloop_f32x16 *)&O[y][6 * xt + 4][16] = v390;
                *(polyloop_f32x8 *)&O[y][6 * xt + 4][32] = v392;
                *(polyloop_f32x16 *)&O[y][6 * xt + 5][0] = v394;
                *(polyloop_f32x16 *)&O[y][6 * xt + 5][16] = v396;
                *(polyloop_f32x8 *)&O[y][6 * xt + 5][32] = v398;
            } else {
                polyloop_f32x16 v418 = *(const polyloop_f32x16 *)&O[y][6 * xt][0];
                polyloop_f32x16 v420 = *(const polyloop_f32x16 *)&O[y][6 * xt][16];
                polyloop_f32x8 v422 = *(const polyloop_f32x8 *)&O[y][6 * xt][32];
                polyloop_f32x16 v424 = *(const polyloop_f32x16 *)&O[y][6 * xt + 1][0];
                polyloop_f32x16 v426 = *(const polyloop_f32x16 *)&O[y][6 * xt + 1][16];
                polyloop_f32x8 v428 = *(const polyloop_f32x8 *)&O[y][6 * xt + 1][32];
                polyloop_f32x16 v430 = *(const polyloop_f32x16 *)&O[y][6 * xt + 2][0];
                polyloop_f32x16 v432 = *(const polyloop_f32x16 *)&O[y][6 * xt + 2][16];
                polyloop_f32x8 v434 = *(const polyloop_f32x8 *)&O[y][6 * xt + 2][32];
                polyloop_f32x16 v436 = *(const polyloop_f32x16 *)&O[y][6 * xt + 3][0];
                polyloop_f32x16 v438 = *(const polyloop_f32x16 *)&O[y][6 * xt + 3][16];
                polyloop_f32x8 v440 = *(const polyloop_f32x8 *)&O[y][6 * xt + 3][32];
                polyloop_f32x16 v442 = *(const polyloop_f32x16 *)&O[y][6 * xt + 4][0];
                polyloop_f32x16 v444 = *(const polyloop_f32x16 *)&O[y][6 * xt + 4][16];
                polyloop_f32x8 v446 = *(const polyloop_f32x8 *)&O[y][6 * xt + 4][32];
                for (long i = 0; i < 3; i++) {
                    for (long j = 0; j < 3; j++) {
#pragma GCC unroll 1
                        for (long c = 0; c < 5; c++) {
                            const float v90 = I_1[i + y][j + 6 * xt][c];
                            polyloop_f32x16 v91 = *(const polyloop_f32x16 *)&W[i][j][c][0];
                            polyloop_keep_f32x16(v91);
                            v418 = v90 * v91 + v418;
                            polyloop_f32x16 v96 = *(const polyloop_f32x16 *)&W[i][j][c][16];
                            polyloop_keep_f32x16(v96);
                            v420 = v90 * v96 + v420;
                            polyloop_f32x8 v101 = *(const polyloop_f32x8 *)&W[i][j][c][32];
                            polyloop_keep_f32x8(v101);
                            v422 = v90 * v101 + v422;
                            const float v105 = I_1[i + y][j + 6 * xt + 1][c];
                            v424 = v105 * v91 + v424;
                            v426 = v105 * v96 + v426;
                            v428 = v105 * v101 + v428;
                            const float v120 = I_1[i + y][j + 6 * xt + 2][c];
                            v430 = v120 * v91 + v430;
                            v432 = v120 * v96 + v432;
                            v434 = v120 * v101 + v434;
                            const float v135 = I_1[i + y][j + 6 * xt + 3][c];
                            v436 = v135 * v91 + v436;
                            v438 = v135 * v96 + v438;
                            v440 = v135 * v101 + v440;
                            const float v150 = I_1[i + y][j + 6 * xt + 4][c];
                            v442 = v150 * v91 + v442;
                            v444 = v150 * v96 + v444;
                            v446 = v150 * v101 + v446;
                        }
                    }
                }
                *(polyloop_f32x16 *)&O[y][6 * xt][0] = v418;
                *(polyloop_f32x16 *)&O[y][6 * xt][16] = v420;
                *(polyloop_f32x8 *)&O[y][6 * xt][32] = v422;
                *(polyloop_f32x16 *)&O[y][6 * xt + 1][0] = v424;
                *(polyloop_f32x16 *)&O[y][6 * xt + 1][16] = v426;
                *(polyloop_f32x8 *)&O[y][6 * xt + 1][32] = v428;
                *(polyloop_f32x16 *)&O[y][6 * xt + 2][0] = v430;
                *(polyloop_f32x16 *)&O[y][6 * xt + 2][16] = v432;
                *(polyloop_f32x8 *)&O[y][6 * xt + 2][32] = v434;
                *(polyloop_f32x16 *)&O[y][6 * xt + 3][0] = v436;
                *(polyloop_f32x16 *)&O[y][6 * xt + 3][16] = v438;
                *(polyloop_f32x8 *)&O[y][6 * xt + 3][32] = v440;
                *(polyloop_f32x16 *)&O[y][6 * xt + 4][0] = v442;
                *(polyloop_f32x16 *)&O[y][6 * xt + 4][16] = v444;
                *(polyloop_f32x8 *)&O[y][6 * xt + 4][32] = v446;
            }
        }
    }
}
