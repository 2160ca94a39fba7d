typedef float polyloop_f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float polyloop_f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
static inline long polyloop_min(long a, long b) { return a < b ? a : b; }
/* A loop whose body uses the registers as it is. */
#define polyloop_rolled _Pragma("GCC unroll 1")
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

#ifdef __cplusplus
extern "C"
#endif
polyloop_undistributed void convolution(const float (*__restrict I_1)[13][5], const float (*__restrict W)[3][5][40],
    float (*__restrict O)[11][40])
{
    for (long y = 0; y < 9; y++) {
        for (long xt = 0; xt < 2; xt++) {
            if (polyloop_min(11, 6 * xt + 6) >= 6 * xt + 6) {
                polyloop_f32x16 O_sum = *(const polyloop_f32x16 *)&O[y][6 * xt][0];
                polyloop_f32x16 O_sum_2 = *(const polyloop_f32x16 *)&O[y][6 * xt][16];
                polyloop_f32x8 O_sum_3 = *(const polyloop_f32x8 *)&O[y][6 * xt][32];
                polyloop_f32x16 O_sum_4 = *(const polyloop_f32x16 *)&O[y][6 * xt + 1][0];
                polyloop_f32x16 O_sum_5 = *(const polyloop_f32x16 *)&O[y][6 * xt + 1][16];
                polyloop_f32x8 O_sum_6 = *(const polyloop_f32x8 *)&O[y][6 * xt + 1][32];
                polyloop_f32x16 O_sum_7 = *(const polyloop_f32x16 *)&O[y][6 * xt + 2][0];
                polyloop_f32x16 O_sum_8 = *(const polyloop_f32x16 *)&O[y][6 * xt + 2][16];
                polyloop_f32x8 O_sum_9 = *(const polyloop_f32x8 *)&O[y][6 * xt + 2][32];
                polyloop_f32x16 O_sum_10 = *(const polyloop_f32x16 *)&O[y][6 * xt + 3][0];
                polyloop_f32x16 O_sum_11 = *(const polyloop_f32x16 *)&O[y][6 * xt + 3][16];
                polyloop_f32x8 O_sum_12 = *(const polyloop_f32x8 *)&O[y][6 * xt + 3][32];
                polyloop_f32x16 O_sum_13 = *(const polyloop_f32x16 *)&O[y][6 * xt + 4][0];
                polyloop_f32x16 O_sum_14 = *(const polyloop_f32x16 *)&O[y][6 * xt + 4][16];
                polyloop_f32x8 O_sum_15 = *(const polyloop_f32x8 *)&O[y][6 * xt + 4][32];
                polyloop_f32x16 O_sum_16 = *(const polyloop_f32x16 *)&O[y][6 * xt + 5][0];
                polyloop_f32x16 O_sum_17 = *(const polyloop_f32x16 *)&O[y][6 * xt + 5][16];
                polyloop_f32x8 O_sum_18 = *(const polyloop_f32x8 *)&O[y][6 * xt + 5][32];
                for (long i = 0; i < 3; i++) {
                    for (long j = 0; j < 3; j++) {
                        polyloop_rolled for (long c = 0; c < 5; c++) {
                            const float I_value = I_1[i + y][j + 6 * xt][c];
                            polyloop_f32x16 W_value = *(const polyloop_f32x16 *)&W[i][j][c][0];
                            polyloop_keep_f32x16(W_value);
                            O_sum = I_value * W_value + O_sum;
                            polyloop_f32x16 W_value_2 = *(const polyloop_f32x16 *)&W[i][j][c][16];
                            polyloop_keep_f32x16(W_value_2);
                            O_sum_2 = I_value * W_value_2 + O_sum_2;
                            polyloop_f32x8 W_value_3 = *(const polyloop_f32x8 *)&W[i][j][c][32];
                            polyloop_keep_f32x8(W_value_3);
                            O_sum_3 = I_value * W_value_3 + O_sum_3;
                            const float I_value_2 = I_1[i + y][j + 6 * xt + 1][c];
                            O_sum_4 = I_value_2 * W_value + O_sum_4;
                            O_sum_5 = I_value_2 * W_value_2 + O_sum_5;
                            O_sum_6 = I_value_2 * W_value_3 + O_sum_6;
                            const float I_value_3 = I_1[i + y][j + 6 * xt + 2][c];
                            O_sum_7 = I_value_3 * W_value + O_sum_7;
                            O_sum_8 = I_value_3 * W_value_2 + O_sum_8;
                            O_sum_9 = I_value_3 * W_value_3 + O_sum_9;
                            const float I_value_4 = I_1[i + y][j + 6 * xt + 3][c];
                            O_sum_10 = I_value_4 * W_value + O_sum_10;
                            O_sum_11 = I_value_4 * W_value_2 + O_sum_11;
                            O_sum_12 = I_value_4 * W_value_3 + O_sum_12;
                            const float I_value_5 = I_1[i + y][j + 6 * xt + 4][c];
                            O_sum_13 = I_value_5 * W_value + O_sum_13;
                            O_sum_14 = I_value_5 * W_value_2 + O_sum_14;
                            O_sum_15 = I_value_5 * W_value_3 + O_sum_15;
                            const float I_value_6 = I_1[i + y][j + 6 * xt + 5][c];
                            O_sum_16 = I_value_6 * W_value + O_sum_16;
                            O_sum_17 = I_value_6 * W_value_2 + O_sum_17;
                            O_sum_18 = I_value_6 * W_value_3 + O_sum_18;
                        }
                    }
                }
                *(polyloop_f32x16 *)&O[y][6 * xt][0] = O_sum;
                *(polyloop_f32x16 *)&O[y][6 * xt][16] = O_sum_2;
                *(polyloop_f32x8 *)&O[y][6 * xt][32] = O_sum_3;
                *(polyloop_f32x16 *)&O[y][6 * xt + 1][0] = O_sum_4;
                *(polyloop_f32x16 *)&O[y][6 * xt + 1][16] = O_sum_5;
                *(polyloop_f32x8 *)&O[y][6 * xt + 1][32] = O_sum_6;
                *(polyloop_f32x16 *)&O[y][6 * xt + 2][0] = O_sum_7;
                *(polyloop_f32x16 *)&O[y][6 * xt + 2][16] = O_sum_8;
                *(polyloop_f32x8 *)&O[y][6 * xt + 2][32] = O_sum_9;
                *(polyloop_f32x16 *)&O[y][6 * xt + 3][0] = O_sum_10;
                *(polyloop_f32x16 *)&O[y][6 * xt + 3][16] = O_sum_11;
                *(polyloop_f32x8 *)&O[y][6 * xt + 3][32] = O_sum_12;
                *(polyloop_f32x16 *)&O[y][6 * xt + 4][0] = O_sum_13;
                *(polyloop_f32x16 *)&O[y][6 * xt + 4][16] = O_sum_14;
                *(polyloop_f32x8 *)&O[y][6 * xt + 4][32] = O_sum_15;
                *(polyloop_f32x16 *)&O[y][6 * xt + 5][0] = O_sum_16;
                *(polyloop_f32x16 *)&O[y][6 * xt + 5][16] = O_sum_17;
                *(polyloop_f32x8 *)&O[y][6 * xt + 5][32] = O_sum_18;
            } else {
                polyloop_f32x16 O_sum = *(const polyloop_f32x16 *)&O[y][6 * xt][0];
                polyloop_f32x16 O_sum_2 = *(const polyloop_f32x16 *)&O[y][6 * xt][16];
                polyloop_f32x8 O_sum_3 = *(const polyloop_f32x8 *)&O[y][6 * xt][32];
                polyloop_f32x16 O_sum_4 = *(const polyloop_f32x16 *)&O[y][6 * xt + 1][0];
                polyloop_f32x16 O_sum_5 = *(const polyloop_f32x16 *)&O[y][6 * xt + 1][16];
                polyloop_f32x8 O_sum_6 = *(const polyloop_f32x8 *)&O[y][6 * xt + 1][32];
                polyloop_f32x16 O_sum_7 = *(const polyloop_f32x16 *)&O[y][6 * xt + 2][0];
                polyloop_f32x16 O_sum_8 = *(const polyloop_f32x16 *)&O[y][6 * xt + 2][16];
                polyloop_f32x8 O_sum_9 = *(const polyloop_f32x8 *)&O[y][6 * xt + 2][32];
                polyloop_f32x16 O_sum_10 = *(const polyloop_f32x16 *)&O[y][6 * xt + 3][0];
                polyloop_f32x16 O_sum_11 = *(const polyloop_f32x16 *)&O[y][6 * xt + 3][16];
                polyloop_f32x8 O_sum_12 = *(const polyloop_f32x8 *)&O[y][6 * xt + 3][32];
                polyloop_f32x16 O_sum_13 = *(const polyloop_f32x16 *)&O[y][6 * xt + 4][0];
                polyloop_f32x16 O_sum_14 = *(const polyloop_f32x16 *)&O[y][6 * xt + 4][16];
                polyloop_f32x8 O_sum_15 = *(const polyloop_f32x8 *)&O[y][6 * xt + 4][32];
                for (long i = 0; i < 3; i++) {
                    for (long j = 0; j < 3; j++) {
                        polyloop_rolled for (long c = 0; c < 5; c++) {
                            const float I_value = I_1[i + y][j + 6 * xt][c];
                            polyloop_f32x16 W_value = *(const polyloop_f32x16 *)&W[i][j][c][0];
                            polyloop_keep_f32x16(W_value);
                            O_sum = I_value * W_value + O_sum;
                            polyloop_f32x16 W_value_2 = *(const polyloop_f32x16 *)&W[i][j][c][16];
                            polyloop_keep_f32x16(W_value_2);
                            O_sum_2 = I_value * W_value_2 + O_sum_2;
                            polyloop_f32x8 W_value_3 = *(const polyloop_f32x8 *)&W[i][j][c][32];
                            polyloop_keep_f32x8(W_value_3);
                            O_sum_3 = I_value * W_value_3 + O_sum_3;
                            const float I_value_2 = I_1[i + y][j + 6 * xt + 1][c];
                            O_sum_4 = I_value_2 * W_value + O_sum_4;
                            O_sum_5 = I_value_2 * W_value_2 + O_sum_5;
                            O_sum_6 = I_value_2 * W_value_3 + O_sum_6;
                            const float I_value_3 = I_1[i + y][j + 6 * xt + 2][c];
                            O_sum_7 = I_value_3 * W_value + O_sum_7;
                            O_sum_8 = I_value_3 * W_value_2 + O_sum_8;
                            O_sum_9 = I_value_3 * W_value_3 + O_sum_9;
                            const float I_value_4 = I_1[i + y][j + 6 * xt + 3][c];
                            O_sum_10 = I_value_4 * W_value + O_sum_10;
                            O_sum_11 = I_value_4 * W_value_2 + O_sum_11;
                            O_sum_12 = I_value_4 * W_value_3 + O_sum_12;
                            const float I_value_5 = I_1[i + y][j + 6 * xt + 4][c];
                            O_sum_13 = I_value_5 * W_value + O_sum_13;
                            O_sum_14 = I_value_5 * W_value_2 + O_sum_14;
                            O_sum_15 = I_value_5 * W_value_3 + O_sum_15;
                        }
                    }
                }
                *(polyloop_f32x16 *)&O[y][6 * xt][0] = O_sum;
                *(polyloop_f32x16 *)&O[y][6 * xt][16] = O_sum_2;
                *(polyloop_f32x8 *)&O[y][6 * xt][32] = O_sum_3;
                *(polyloop_f32x16 *)&O[y][6 * xt + 1][0] = O_sum_4;
                *(polyloop_f32x16 *)&O[y][6 * xt + 1][16] = O_sum_5;
                *(polyloop_f32x8 *)&O[y][6 * xt + 1][32] = O_sum_6;
                *(polyloop_f32x16 *)&O[y][6 * xt + 2][0] = O_sum_7;
                *(polyloop_f32x16 *)&O[y][6 * xt + 2][16] = O_sum_8;
                *(polyloop_f32x8 *)&O[y][6 * xt + 2][32] = O_sum_9;
                *(polyloop_f32x16 *)&O[y][6 * xt + 3][0] = O_sum_10;
                *(polyloop_f32x16 *)&O[y][6 * xt + 3][16] = O_sum_11;
                *(polyloop_f32x8 *)&O[y][6 * xt + 3][32] = O_sum_12;
                *(polyloop_f32x16 *)&O[y][6 * xt + 4][0] = O_sum_13;
                *(polyloop_f32x16 *)&O[y][6 * xt + 4][16] = O_sum_14;
                *(polyloop_f32x8 *)&O[y][6 * xt + 4][32] = O_sum_15;
            }
        }
    }
}
