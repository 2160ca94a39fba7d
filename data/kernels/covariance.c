/* Covariance matrix of m variables over n samples (one sample per row of data):
   cov = Z^T Z / (n - 1), where Z is data with each column centred. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

void covariance(int m, int n, double samples,
                double data[n][m], double cov[m][m], double mean[m])
{
#pragma scop
    for (int j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= samples;
    }

    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i][j] -= mean[j];

    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) {
            cov[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                cov[i][j] += data[k][i] * data[k][j];
            cov[i][j] /= samples - 1.0;
            cov[j][i] = cov[i][j];
        }
#pragma endscop
}
