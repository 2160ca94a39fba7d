void transposed(const float (*restrict A)[83], float (*restrict T)[45])
{
    for (long n = 0; n < 83; n++) {
#pragma GCC unroll 1
        for (long m = 0; m < 45; m++) {
            T[n][m] = A[m][n];
        }
    }
}
