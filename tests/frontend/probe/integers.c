/* Integers that are computed on the way. */

/* flat(x, y, n, n + 1) */
void flat(double *a, const double *b, int n, int m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int idx = i * m + j;
            a[idx] = b[idx] * 2;
        }
}

/* running(x, y, n) */
void running(double *a, const double *b, int n)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[k] = b[k] + j;
            k++;
        }
}

/* by_two(x, y, n) */
void by_two(double *a, const double *b, int n)
{
    int j = -1;
    for (int i = 0; i < n; i++) {
        j += 2;
        a[j] = b[i];
    }
}

/* dgemv_(&n, &n, x, y, z) */
int dgemv_(int *m, int *n, double *a, double *x, double *y)
{
    int a_dim1, a_offset, i__, j, i__1, i__2;
    a_dim1 = *m;
    a_offset = 1 + a_dim1;
    a -= a_offset;
    --x;
    --y;
    i__1 = *n;
    for (j = 1; j <= i__1; ++j) {
        i__2 = *m;
        for (i__ = 1; i__ <= i__2; ++i__) {
            y[i__] += x[j] * a[i__ + j * a_dim1];
        }
    }
    return 0;
}

/* around(x, y, n) */
void around(double *a, const double *b, int n)
{
    int before = n - 1;
    for (int i = 0; i < n; i++) {
        a[i] = (b[i] + b[before]) / 2;
        before = i;
    }
}

/* periodic(x, y, n) */
void periodic(double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[(i + 1) % n] - b[i == 0 ? n - 1 : i - 1];
}

/* clamped(x, y, n) */
void clamped(double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++) {
        int left = i - 2;
        if (left < 0)
            left = 0;
        a[i] = b[left];
    }
}

/* halves(x, y, n) */
void halves(double *a, const double *b, int n)
{
    int half = n / 2;
    for (int i = 0; i < half; i++)
        a[i] = b[2 * i] + b[2 * i + 1] + b[i >> 1];
}

/* *l = counted(x, y, n) */
int counted(double *a, const double *b, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (b[i] > 8)
            a[count++] = b[i];
    return count;
}
