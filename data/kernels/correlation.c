/* Correlation matrix of m variables over n samples (one sample per row of data):
   corr = Z^T Z, where Z is data with each column centred and divided by sqrt(n) times its standard
   deviation. A column that hardly varies keeps its scale. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include <math.h>

void correlation(int m, int n, double samples,
                 double data[n][m], double corr[m][m], double mean[m], double stddev[m])
{
    double eps = 0.1;

#pragma scop
    for (int j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= samples;
    }

    for (int j = 0; j < m; j++) {
        stddev[j] = 0.0;
        for (int i = 0; i < n; i++)
            stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        stddev[j] /= samples;
        stddev[j] = sqrt(stddev[j]);
        stddev[j] = stddev[j] <= eps ? 1.0 : stddev[j];
    }

    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            data[i][j] -= mean[j];
            data[i][j] /= sqrt(samples) * stddev[j];
        }

    for (int i = 0; i < m - 1; i++) {
        corr[i][i] = 1.0;
        for (int j = i + 1; j < m; j++) {
            corr[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                corr[i][j] += data[k][i] * data[k][j];
            corr[j][i] = corr[i][j];
        }
    }
    corr[m - 1][m - 1] = 1.0;
#pragma endscop
}
