/* Headers of loops. */

/* two_counters(x, y, n) */
void two_counters(double *x, const double *y, int n)
{
    int i, j;
    for (i = 0, j = n - 1; i < n; i++, j--)
        x[i] = y[j];
}

/* strided(x, y, n, 2) */
void strided(double *x, const double *y, int n, int s)
{
    for (int i = 0; i < n; i += s)
        x[i] += y[i];
}

/* set_before(x, n) */
void set_before(double *x, int n)
{
    int i = 1;
    for (; i < n; i++)
        x[i] *= 2;
}

/* backwards(x, y, n) */
void backwards(double *x, const double *y, int n)
{
    for (int i = n; i-- > 0;)
        x[i] = y[i] + 1;
}

/* *l = used_after(x, n) */
int used_after(double *x, int n)
{
    int i;
    for (i = 0; i < n; i++)
        x[i] = x[i] * 0.5;
    return i;
}

/* while_(x, n) */
void while_(double *x, int n)
{
    int i = 0;
    while (i < n) {
        x[i] = i;
        i++;
    }
}

/* do_while(x, n) */
void do_while(double *x, int n)
{
    int i = 0;
    do {
        x[i] = x[i + 1];
        ++i;
    } while (i < n);
}

/* doubled(x, n) */
void doubled(double *x, int n)
{
    for (int len = 1; len < n; len *= 2)
        for (int i = 0; i + len < n; i++)
            x[i] += x[i + len];
}
