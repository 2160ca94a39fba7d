/* Mean of a point and its eight neighbours in the plane, in place, row after row. The boundary stays. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

void seidel_2d(int tsteps, int n, double A[n][n])
{
#pragma scop
    for (int t = 0; t < tsteps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1]
                           + A[i][j - 1] + A[i][j] + A[i][j + 1]
                           + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
#pragma endscop
}
