/* Product with a symmetric matrix, of which only the lower triangle is read:
   C <- alpha A B + beta C. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

void symm(int m, int n, double alpha, double beta,
          double C[m][n], double A[m][m], double B[m][n])
{
    double dot;

#pragma scop
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            dot = 0.0;
            for (int k = 0; k < i; k++) {
                C[k][j] += alpha * B[i][j] * A[i][k];
                dot += B[k][j] * A[i][k];
            }
            C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * dot;
        }
#pragma endscop
}
