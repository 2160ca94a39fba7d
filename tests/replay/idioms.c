/* Loops of the kinds that single passes of planning are for, of which kernels have few: one in a function. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int compacted(int n, const float *x, float *y)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 0)
            y[k++] = x[i];
    return k;
}

void complex_products(int n, const float *a, const float *b, float *c)
{
    for (int i = 0; i < n; i++) {
        c[2 * i] = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
        c[2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
    }
}

void grey(int n, const uint8_t *rgb, uint8_t *out)
{
    for (int i = 0; i < n; i++)
        out[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}

void premultiplied(int n, float *rgba)
{
    for (int i = 0; i < n; i++) {
        rgba[4 * i] *= rgba[4 * i + 3];
        rgba[4 * i + 1] *= rgba[4 * i + 3];
        rgba[4 * i + 2] *= rgba[4 * i + 3];
    }
}

void lifted(int n, double *x)
{
    for (int i = 1; i < n; i++)
        x[2 * i] -= 0.5 * (x[2 * i - 1] + x[2 * i + 1]);
}

void lengths_of_some(int n, const int *k, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = sqrtf(x[2 * k[i]] * x[2 * k[i]] + x[2 * k[i] + 1] * x[2 * k[i] + 1]);
}

void divided(int n, int d, const int *x, int *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] / d + x[i] % d;
}

int dot(int n, const int16_t *a, const int16_t *b)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

int distance(int n, const uint8_t *a, const uint8_t *b)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += abs(a[i] - b[i]);
    return sum;
}

void running_sums(int n, const int *x, int *y)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        y[i] = sum;
    }
}

int first_place(int n, const int *x, int key)
{
    for (int i = 0; i < n; i++)
        if (x[i] == key)
            return i;
    return -1;
}

int largest_place(int n, const float *x)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[best])
            best = i;
    return best;
}

void escapes(int n, const float *re, const float *im, int *count)
{
    for (int i = 0; i < n; i++) {
        float x = 0, y = 0;
        int k = 0;
        while (k < 50 && x * x + y * y < 4) {
            float t = x * x - y * y + re[i];
            y = 2 * x * y + im[i];
            x = t;
            k++;
        }
        count[i] = k;
    }
}

void sweeps(int steps, int n, double a[n])
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
}

void roots_of_some(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        if (x[i] > 0)
            y[i] = sqrtf(x[i]);
}

void rows_of_some(int n, int m, const int *c, const double *x, double y[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (c[i])
                y[i][j] += x[j];
}

void bits(int n, const uint32_t *x, int *y)
{
    for (int i = 0; i < n; i++)
        y[i] = __builtin_popcount(x[i] << (i & 7));
}

void averages(int n, const uint8_t *a, const uint8_t *b, uint8_t *c)
{
    for (int i = 0; i < n; i++)
        c[i] = (a[i] + b[i] + 1) >> 1;
}

void clamped(int h, int w, const float in[h][w], float out[h][w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[y][x] = in[y][x > 0 ? x - 1 : 0] + in[y][x < w - 1 ? x + 1 : w - 1];
}

void transposed(int n, int m, const float a[n][m], float b[m][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[j][i] = a[i][j];
}

void interpolated(int n, const float *at, const float *x, float *y)
{
    for (int i = 0; i < n; i++) {
        int k = (int)at[i];
        float part = at[i] - k;
        y[i] = (1 - part) * x[k] + part * x[k + 1];
    }
}

void by_groups(int n, const float *x, const float *scale, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * scale[i / 8];
}

void larger(int n, const double *x, const double *y, double *z)
{
    for (int i = 0; i < n; i++)
        z[i] = fmax(x[i], y[i]) - fmin(x[i], 1);
}

void bins(int n, const int *cell, const double *x, double *sums)
{
    for (int i = 0; i < n; i++)
        sums[cell[i]] += x[i];
}
