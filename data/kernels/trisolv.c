/* Forward substitution: the x with L x = b, for a lower triangular matrix L. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

void trisolv(int n, double L[n][n], double x[n], double b[n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j];
        x[i] /= L[i][i];
    }
#pragma endscop
}
