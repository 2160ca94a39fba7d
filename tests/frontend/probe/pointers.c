/* Pointers that move. */

/* row_pointers(x, y, n, n + 1, 3) */
void row_pointers(double *out, const double *inp, int B, int T, int C)
{
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++) {
            double *o = out + b * T * C + t * C;
            const double *x = inp + b * T * C + t * C;
            for (int c = 0; c < C; c++)
                o[c] = x[c] * 2;
        }
}

/* star(x, y, n) */
void star(double *__restrict a, const double *__restrict__ b, int n)
{
    for (int i = 0; i < n; i++)
        *(a + i) = *(b + i) + 1;
}

/* bumped(x, y, n) */
void bumped(double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        *a++ = *b++ * 3;
}

/* *z = to_the_end(x, n) */
double to_the_end(const double *x, int n)
{
    const double *p = x, *end = x + n;
    double sum = 0;
    while (p < end)
        sum += *p++;
    return sum;
}

/* bias(x, y, n > 3 ? z : 0, n) */
void bias(double *out, const double *x, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = x[i] + (b ? b[i] : 0);
}

/* ping_pong(x, y, n) */
void ping_pong(double *a, double *b, int n)
{
    for (int t = 0; t < 4; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.5 * (a[i - 1] + a[i + 1]);
        double *swap = a;
        a = b;
        b = swap;
    }
}

/* picked(x, y, z, n > 2, n) */
void picked(double *out, const double *a, const double *b, int c, int n)
{
    const double *p = c ? a : b;
    for (int i = 0; i < n; i++)
        out[i] = p[i] * 2;
}

/* picked_inside(x, y, z, n) */
void picked_inside(double *out, const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++) {
        const double *p = i < 3 ? a : b;
        out[i] = p[i] * 2;
    }
}

/* double *r[20]; for (int i = 0; i < 20; i++) r[i] = x + 20 * i; behind(r, y, n) */
void behind(double **a, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] += x[j];
}

/* product((double (*)[20])x, y, n, n + 1) */
void product(double (*a)[20], const double *x, int B, int T)
{
    for (int i = 0; i < B * T; i++)
        a[0][i] = x[i];
}

/* packed(x, y, n) */
void packed(double *ap, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            ap[i * (i + 1) / 2 + j] += x[i] * x[j];
}
