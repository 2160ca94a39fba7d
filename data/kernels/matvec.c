/* Matrix-vector product: y = A x. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-label"

void matvec(int m, int n, double A[m][n], double x[n], double y[m])
{
#pragma scop
    for (int i = 0; i < m; i++) {
    S:  y[i] = 0.0;
        for (int j = 0; j < n; j++)
    T:      y[i] += A[i][j] * x[j];
    }
#pragma endscop
}
