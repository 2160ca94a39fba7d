/* Two-dimensional heat equation by alternating directions, implicit: each step solves tridiagonal
   systems along the columns (u -> v), then along the rows (v -> u), by forward elimination into
   p and q and back substitution. The boundary values are 1. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

void adi(int tsteps, int n, double u[n][n], double v[n][n], double p[n][n], double q[n][n])
{
    double dx, dy, dt;
    double b1, b2;
    double mul1, mul2;
    double a, b, c, d, e, f;

#pragma scop
    dx = 1.0 / (double)n;
    dy = 1.0 / (double)n;
    dt = 1.0 / (double)tsteps;
    b1 = 2.0;
    b2 = 1.0;
    mul1 = b1 * dt / (dx * dx);
    mul2 = b2 * dt / (dy * dy);

    a = -mul1 / 2.0;
    b = 1.0 + mul1;
    c = a;
    d = -mul2 / 2.0;
    e = 1.0 + mul2;
    f = d;

    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++) {
            v[0][i] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = v[0][i];
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = -c / (a * p[i][j - 1] + b);
                q[i][j] = (-d * u[j][i - 1] + (1.0 + 2.0 * d) * u[j][i] - f * u[j][i + 1]
                           - a * q[i][j - 1]) / (a * p[i][j - 1] + b);
            }
            v[n - 1][i] = 1.0;
            for (int j = n - 2; j >= 1; j--)
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
        }

        for (int i = 1; i < n - 1; i++) {
            u[i][0] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = u[i][0];
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = -f / (d * p[i][j - 1] + e);
                q[i][j] = (-a * v[i - 1][j] + (1.0 + 2.0 * a) * v[i][j] - c * v[i + 1][j]
                           - d * q[i][j - 1]) / (d * p[i][j - 1] + e);
            }
            u[i][n - 1] = 1.0;
            for (int j = n - 2; j >= 1; j--)
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
        }
    }
#pragma endscop
}
