/* Local alignment of two sequences (Smith and Waterman), with a linear penalty for gaps. */

#define MATCH 3
#define MISMATCH (-3)
#define GAP 2

static inline int max(int a, int b)
{
    return a > b ? a : b;
}

int smith_waterman(const char *a, int m, const char *b, int n, int *score)
{
    int best = 0;

    for (int i = 0; i <= m; i++)
        score[i * (n + 1)] = 0;
    for (int j = 0; j <= n; j++)
        score[j] = 0;

    for (int i = 1; i <= m; i++) {
        for (int j = 1; j <= n; j++) {
            int diagonal = score[(i - 1) * (n + 1) + j - 1] + (a[i - 1] == b[j - 1] ? MATCH : MISMATCH);
            int up = score[(i - 1) * (n + 1) + j] - GAP;
            int left = score[i * (n + 1) + j - 1] - GAP;
            int here = max(max(0, diagonal), max(up, left));

            score[i * (n + 1) + j] = here;
            if (here > best)
                best = here;
        }
    }
    return best;
}
