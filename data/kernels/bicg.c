/* The two products at the heart of the biconjugate gradient method: s = A^T r and q = A p. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

void bicg(int m, int n, double A[n][m], double s[m], double q[n], double p[m], double r[n])
{
#pragma scop
    for (int j = 0; j < m; j++)
        s[j] = 0.0;

    for (int i = 0; i < n; i++) {
        q[i] = 0.0;
        for (int j = 0; j < m; j++) {
            s[j] += r[i] * A[i][j];
            q[i] += A[i][j] * p[j];
        }
    }
#pragma endscop
}
