/* Bounds and subscripts that come from memory. The comment above a function is a call of it. */
#include <stddef.h>

#define Q 5
static const int cx[Q] = {0, 1, 0, -1, 0}, cy[Q] = {0, 0, 1, 0, -1};
static const double weight[3] = {0.25, 0.5, 0.25};
static int nodes = 7;
static double field[16][16];

/* corners(k, x) */
void corners(const int grid_points[3], double *u)
{
    for (int k = 1; k < grid_points[1] - 1; k++)
        for (int j = 1; j < grid_points[0] - 1; j++)
            u[k * 16 + j] += 1.0;
}

/* daxpy_(&n, &x[99], x, y) */
int daxpy_(int *n, double *da, double *dx, double *dy)
{
    int i, i__1;
    if (*n <= 0)
        return 0;
    i__1 = *n;
    for (i = 0; i < i__1; ++i)
        dy[i] += *da * dx[i];
    return 0;
}

/* stream(x, y, n, n + 1) */
void stream(const double *restrict f, double *restrict g, int nx, int ny)
{
    for (int y = 1; y < ny - 1; y++)
        for (int x = 1; x < nx - 1; x++)
            for (int q = 0; q < Q; q++)
                g[(y * nx + x) * Q + q] = f[((y - cy[q]) * nx + (x - cx[q])) * Q + q];
}

/* smooth(x, y, n) */
void smooth(const double *x, double *y, int n)
{
    for (int i = 1; i < n - 1; i++) {
        y[i] = 0;
        for (int t = 0; t < 3; t++)
            y[i] += weight[t] * x[i + t - 1];
    }
}

/* gather(x, y, k, n) */
void gather(double *a, const double *b, const int *ip, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[ip[i]] * 2;
}

/* scatter(x, y, k, n) */
void scatter(double *a, const double *b, const int *ip, int n)
{
    for (int i = 0; i < n; i++)
        a[ip[i]] = b[i];
}

/* histogram(b, k, n) */
void histogram(const unsigned char *pixels, int *bins, int n)
{
    for (int i = 0; i < n; i++)
        bins[pixels[i]]++;
}

/* csr(n, l, k, x, y, z) */
void csr(int n, const int *rowptr, const int *col, const double *val, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = rowptr[i]; k < rowptr[i + 1]; k++)
            sum += val[k] * x[col[k]];
        y[i] = sum;
    }
}

/* elements(x, y, k, n) */
void elements(double *force, const double *pos, const int *pairs, int n)
{
    for (int e = 0; e < n; e++) {
        int a = pairs[2 * e], b = pairs[2 * e + 1];
        double d = pos[a] - pos[b];
        force[a] += d;
        force[b] -= d;
    }
}

/* until_global(x) */
void until_global(double *x)
{
    for (int i = 0; i < nodes; i++)
        x[i] = x[i] / 2 + field[i][i];
}
