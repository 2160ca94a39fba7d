/* QR factors by the modified Gram-Schmidt process: A = Q R, with Q^T Q = I and R upper triangular.
   A is left with what each column keeps after the projections on the columns before it. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include <math.h>

void gramschmidt(int m, int n, double A[m][n], double R[n][n], double Q[m][n])
{
    double norm;

#pragma scop
    for (int k = 0; k < n; k++) {
        norm = 0.0;
        for (int i = 0; i < m; i++)
            norm += A[i][k] * A[i][k];
        R[k][k] = sqrt(norm);
        for (int i = 0; i < m; i++)
            Q[i][k] = A[i][k] / R[k][k];
        for (int j = k + 1; j < n; j++) {
            R[k][j] = 0.0;
            for (int i = 0; i < m; i++)
                R[k][j] += Q[i][k] * A[i][j];
            for (int i = 0; i < m; i++)
                A[i][j] -= Q[i][k] * R[k][j];
        }
    }
#pragma endscop
}
