/* Conditions on data. */
#include <float.h>

/* either(x, y, n) */
void either(double *x, const double *y, int n)
{
    for (int i = 0; i < n; i++) {
        if (y[i] > x[i]) {
            x[i] = y[i];
        } else {
            x[i] = -y[i];
        }
    }
}

/* different(x, y, n) */
void different(double *x, double *y, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] > y[i]) {
            y[i] = x[i] * 2;
            x[i] = 0;
        } else
            y[i + 1] = 1;
}

/* ladder(x, y, k, n) */
void ladder(double *x, const double *y, const int *mask, int n)
{
    for (int i = 0; i < n; i++)
        if (mask[i] > 1) {
            if (y[i] > 4)
                x[i] = y[i];
            else if (y[i] > 2)
                x[i] = 1;
            x[i] += 3;
        }
}

/* argmax(f, n, l) */
void argmax(const float *x, int n, int *where)
{
    float best = x[0];
    int at = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > best) {
            best = x[i];
            at = i;
        }
    *where = at;
}

/* least(x, y, n) */
void least(const double *x, double *y, int n)
{
    for (int i = 0; i < n; i++) {
        double smallest = DBL_MAX;
        for (int j = 0; j < n; j++)
            if (x[i * n + j] < smallest)
                smallest = x[i * n + j];
        y[i] = smallest;
    }
}

/* *z = some(x, k, n) */
double some(const double *x, const int *mask, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        if (!mask[i])
            continue;
        sum += x[i];
    }
    return sum;
}

/* pixels(b, n) */
void pixels(unsigned char *p, int n)
{
    for (int i = 0; i < n; i++) {
        int v = p[i] * 3 - 100;
        if (v < 0) v = 0;
        if (v > 255) v = 255;
        p[i] = v;
    }
}

/* border(x, y, n) */
void border(double *x, const double *y, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i == 0 || j == 0 || i == n - 1 || j == n - 1)
                x[i * n + j] = 0;
            else
                x[i * n + j] = y[(i - 1) * n + j] + y[(i + 1) * n + j];
        }
}
