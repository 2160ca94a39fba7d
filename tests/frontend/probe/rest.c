/* What is rarer. */
#include <assert.h>
#include <complex.h>

/* registers(x, n) */
void registers(double *x, int n)
{
    register int i;
    for (i = 0; i < n; i++)
        x[i] = -x[i];
}

/* static_local(x, n) */
void static_local(double *x, int n)
{
    static double scale = 2;
    for (int i = 0; i < n; i++)
        x[i] *= scale;
}

/* complex_((double complex *)x, (double complex *)y, n) */
void complex_(double complex *a, const double complex *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = a[i] * b[i];
}

/* half((_Float16 *)l, (_Float16 *)k, n) */
void half(_Float16 *a, const _Float16 *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i];
}

/* extended(x, n) */
void extended(double *x, int n)
{
    for (int i = 0; i < n; i++) {
        long double t = x[i];
        x[i] = t * t;
    }
}

/* even_part(x, n) */
void even_part(double *x, int n)
{
    for (int i = 0; i < (n & ~1); i += 2)
        x[i] = x[i + 1];
}

/* leaves(x, n) */
void leaves(double *x, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (j > i)
                break;
            x[i * n + j] = i;
        }
}

/* passes_over(x, n) */
void passes_over(double *x, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i == j)
                continue;
            x[i * n + j] /= 2;
        }
}

/* asserted(x, n) */
void asserted(double *x, int n)
{
    assert(n < 100);
    for (int i = 0; i < n; i++)
        x[i] += 1;
}

/* expression(x, y, n) */
void expression(double *x, const double *y, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = ({ double v = y[i]; v * v; });
}

/* again(x, n) */
void again(double *x, int n)
{
    int i = 0;
next:
    if (i < n) {
        x[i] += i;
        i++;
        goto next;
    }
}

/* choice(x, k, n) */
void choice(double *x, const int *kind, int n)
{
    for (int i = 0; i < n; i++)
        switch (kind[i]) {
        case 0: x[i] = 1; break;
        case 1:
        case 2: x[i] += 2; break;
        default: x[i] = 0;
        }
}

/* falls(x, k, n) */
void falls(double *x, const int *kind, int n)
{
    for (int i = 0; i < n; i++)
        switch (kind[i]) {
        case 2: x[i] += 2; /* fall through */
        case 1: x[i] *= 3; break;
        default: x[i] = 0;
        }
}

/* *l = first(x, 8, n) */
int first(const double *x, double limit, int n)
{
    int at = n;
    for (int i = 0; i < n; i++)
        if (x[i] > limit) {
            at = i;
            break;
        }
    return at;
}

/* reduced(x, n) */
void reduced(double *x, int n)
{
    double error = 1;
    while (error > 0.01) {
        error = 0;
        for (int i = 0; i < n; i++) {
            x[i] /= 2;
            error += x[i];
        }
    }
}
