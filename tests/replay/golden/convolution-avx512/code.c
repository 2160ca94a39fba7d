typedef float polyloop_f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float polyloop_f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
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

#ifdef __cplusplus
extern "C"
#endif
polyloop_undistributed void convolution(const float (*__restrict I_1)[13][5], const float (*__restrict W)[3][5][40],
    float (*__restrict O)[11][40])
{
    for (long y = 0; y < 9; y++) {
        for (long xt = 0; xt < 2; xt++) {
            if (polyloop_min(11, 6 * xt + 6) >= 6 * xt + 6) {
                polyloop_f32x8 O_sum = *(const polyloop_f32x8 *)&O[y][6 * xt][32];
                polyloop_f32x8 O_sum_2 = *(const polyloop_f32x8 *)&O[y][6 * xt + 1][32];
                polyloop_f32x8 O_sum_3 = *(const polyloop_f32x8 *)&O[y][6 * xt + 2][32];
                polyloop_f32x8 O_sum_4 = *(const polyloop_f32x8 *)&O[y][6 * xt + 3][32];
                polyloop_f32x8 O_sum_5 = *(const polyloop_f32x8 *)&O[y][6 * xt + 4][32];
                polyloop_f32x8 O_sum_6 = *(const polyloop_f32x8 *)&O[y][6 * xt + 5][32];
                polyloop_f32x16 O_tile[6][2];
                polyloop_unrolled for (int r = 0; r < 6; r++)
                    polyloop_unrolled for (int c2 = 0; c2 < 2; c2++)
                        O_tile[r][c2] = *(const polyloop_f32x16 *)&O[y][r + 6 * xt][16 * c2];
                for (long i = 0; i < 3; i++)
                    for (long j = 0; j < 3; j++)
                        polyloop_rolled for (long c = 0; c < 5; c++) {
                            polyloop_f32x8 W_value = *(const polyloop_f32x8 *)&W[i][j][c][32];
                            polyloop_keep_f32x8(W_value);
                            O_sum = I_1[i + y][j + 6 * xt][c] * W_value + O_sum;
                            O_sum_2 = I_1[i + y][j + 6 * xt + 1][c] * W_value + O_sum_2;
                            O_sum_3 = I_1[i + y][j + 6 * xt + 2][c] * W_value + O_sum_3;
                            O_sum_4 = I_1[i + y][j + 6 * xt + 3][c] * W_value + O_sum_4;
                            O_sum_5 = I_1[i + y][j + 6 * xt + 4][c] * W_value + O_sum_5;
                            O_sum_6 = I_1[i + y][j + 6 * xt + 5][c] * W_value + O_sum_6;
                            polyloop_f32x16 W_part[2];
                            polyloop_unrolled for (int r = 0; r < 2; r++) {
                                W_part[r] = *(const polyloop_f32x16 *)&W[i][j][c][16 * r];
                                polyloop_keep_f32x16(W_part[r]);
                            }
                            polyloop_unrolled for (int r = 0; r < 6; r++)
                                polyloop_unrolled for (int c2 = 0; c2 < 2; c2++)
                                    O_tile[r][c2] = I_1[i + y][j + r + 6 * xt][c] * W_part[c2] + O_tile[r][c2];
                        }
                *(polyloop_f32x8 *)&O[y][6 * xt][32] = O_sum;
                *(polyloop_f32x8 *)&O[y][6 * xt + 1][32] = O_sum_2;
                *(polyloop_f32x8 *)&O[y][6 * xt + 2][32] = O_sum_3;
                *(polyloop_f32x8 *)&O[y][6 * xt + 3][32] = O_sum_4;
                *(polyloop_f32x8 *)&O[y][6 * xt + 4][32] = O_sum_5;
                polyloop_unrolled for (int r = 0; r < 6; r++)
                    polyloop_unrolled for (int c2 = 0; c2 < 2; c2++)
                        *(polyloop_f32x16 *)&O[y][r + 6 * xt][16 * c2] = O_tile[r][c2];
                *(polyloop_f32x8 *)&O[y][6 * xt + 5][32] = O_sum_6;
            } else {
                polyloop_f32x8 O_sum = *(const polyloop_f32x8 *)&O[y][6 * xt][32];
                polyloop_f32x8 O_sum_2 = *(const polyloop_f32x8 *)&O[y][6 * xt + 1][32];
                polyloop_f32x8 O_sum_3 = *(const polyloop_f32x8 *)&O[y][6 * xt + 2][32];
                polyloop_f32x8 O_sum_4 = *(const polyloop_f32x8 *)&O[y][6 * xt + 3][32];
                polyloop_f32x8 O_sum_5 = *(const polyloop_f32x8 *)&O[y][6 * xt + 4][32];
                polyloop_f32x16 O_tile2[5][2];
                polyloop_unrolled for (int r = 0; r < 5; r++)
                    polyloop_unrolled for (int c2 = 0; c2 < 2; c2++)
                        O_tile2[r][c2] = *(const polyloop_f32x16 *)&O[y][r + 6 * xt][16 * c2];
                for (long i = 0; i < 3; i++)
                    for (long j = 0; j < 3; j++)
                        polyloop_rolled for (long c = 0; c < 5; c++) {
                            polyloop_f32x8 W_value = *(const polyloop_f32x8 *)&W[i][j][c][32];
                            polyloop_keep_f32x8(W_value);
                            O_sum = I_1[i + y][j + 6 * xt][c] * W_value + O_sum;
                            O_sum_2 = I_1[i + y][j + 6 * xt + 1][c] * W_value + O_sum_2;
                            O_sum_3 = I_1[i + y][j + 6 * xt + 2][c] * W_value + O_sum_3;
                            O_sum_4 = I_1[i + y][j + 6 * xt + 3][c] * W_value + O_sum_4;
                            O_sum_5 = I_1[i + y][j + 6 * xt + 4][c] * W_value + O_sum_5;
                            polyloop_f32x16 W_part2[2];
                            polyloop_unrolled for (int r = 0; r < 2; r++) {
                                W_part2[r] = *(const polyloop_f32x16 *)&W[i][j][c][16 * r];
                                polyloop_keep_f32x16(W_part2[r]);
                            }
                            polyloop_unrolled for (int r = 0; r < 5; r++)
                                polyloop_unrolled for (int c2 = 0; c2 < 2; c2++)
                                    O_tile2[r][c2] = I_1[i + y][j + r + 6 * xt][c] * W_part2[c2] + O_tile2[r][c2];
                        }
                *(polyloop_f32x8 *)&O[y][6 * xt][32] = O_sum;
                *(polyloop_f32x8 *)&O[y][6 * xt + 1][32] = O_sum_2;
                *(polyloop_f32x8 *)&O[y][6 * xt + 2][32] = O_sum_3;
                *(polyloop_f32x8 *)&O[y][6 * xt + 3][32] = O_sum_4;
                polyloop_unrolled for (int r = 0; r < 5; r++)
                    polyloop_unrolled for (int c2 = 0; c2 < 2; c2++)
                        *(polyloop_f32x16 *)&O[y][r + 6 * xt][16 * c2] = O_tile2[r][c2];
                *(polyloop_f32x8 *)&O[y][6 * xt + 4][32] = O_sum_5;
            }
        }
    }
}
