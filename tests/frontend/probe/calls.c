/* Calls inside of loops. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))

static inline double square(double v) { return v * v; }

static float relu(float v)
{
    if (v < 0)
        return 0;
    return v;
}

static void axpy(double *y, const double *x, double a, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void split(double v, double *whole, double *rest)
{
    *whole = floor(v);
    *rest = v - *whole;
}

static int at(int row, int column, int width) { return row * width + column; }

void report(double value);

/* helper(x, y, n) */
void helper(const double *x, double *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = square(x[i]);
}

/* early_return(f, n) */
void early_return(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = relu(x[i] - 4);
}

/* rows(x, y, n) */
void rows(double *y, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        axpy(y + i * n, x, x[i], n);
}

/* dots(x, y, z, n) */
void dots(double *c, const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            c[i * n + j] = dot(a + i * n, b + j * n, n);
}

/* results(x, y, z, n) */
void results(const double *x, double *whole, double *rest, int n)
{
    for (int i = 0; i < n; i++)
        split(x[i], &whole[i], &rest[i]);
}

/* place(x, n) */
void place(double *x, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 1; j < n; j++)
            x[at(i, j, n)] += x[at(i, j - 1, n)];
}

/* library(x, y, n) */
void library(const double *x, double *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = sqrt(fabs(x[i])) + MAX(x[i], floor(y[i]));
}

/* logged(x, y, n) */
void logged(double *x, const double *y, int n)
{
    for (int t = 0; t < 3; t++) {
        for (int i = 1; i < n - 1; i++)
            x[i] = (y[i - 1] + y[i + 1]) / 2;
        if (t == 4)
            printf("step %d: %f\n", t, x[0]);
    }
}

/* printed(x, n) */
void printed(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] < -1000)
            printf("%d %f\n", i, x[i]);
}

/* allocated(x, y, n) */
void allocated(double *x, const double *y, int n)
{
    double *t = malloc((n + 1) * sizeof *t);
    for (int i = 0; i < n; i++)
        t[i] = y[i] * y[i];
    for (int i = 0; i < n; i++)
        x[i] = t[n - 1 - i];
    free(t);
}

/* told(x, n) */
void told(double *x, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            x[i] += j;
        report(x[i]);
    }
}

/* cleared(x, y, n) */
void cleared(double *c, const double *a, int n)
{
    memset(c, 0, n * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            c[j] += a[i * n + j];
}

/* copied(x, y, n) */
void copied(double *x, double *old, int n)
{
    for (int t = 0; t < 3; t++) {
        memcpy(old, x, (n + 2) * sizeof(double));
        for (int i = 1; i < n + 1; i++)
            x[i] = 0.25 * old[i - 1] + 0.5 * old[i] + 0.25 * old[i + 1];
    }
}
