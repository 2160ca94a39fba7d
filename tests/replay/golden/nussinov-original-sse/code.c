/* RNA folding: table[i][j] is the largest number of nested base pairs within seq[i..j], where
   bases that add up to 3 pair, unless they are neighbours. */
/* Made by polyloop for the loops of nussinov. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  /* #pragma scop */
#include <stdint.h>
#ifdef __clang__
/* A function that stays one, whose loops gcc does not distribute: it would lose the last of conditional accesses. */
#define polyloop_kernel static __attribute__((noinline))
#else
#define polyloop_kernel static __attribute__((noipa, optimize("no-tree-loop-distribution")))
#endif

/* Whether the bytes a[a_begin .. a_end) and b[b_begin .. b_end) have none in common. */
static inline int polyloop_disjoint(const void *a, long a_begin, long a_end, const void *b, long b_begin, long b_end)
{
    const long apart = (long)((uintptr_t)b - (uintptr_t)a);
    return a_begin >= a_end || b_begin >= b_end || a_end - b_begin <= apart || b_end - a_begin <= -apart;
}

polyloop_kernel void polyloop_nussinov_0(long n, int *__restrict table, const signed char *__restrict seq)
{
    for (long i = -n + 2; i < 1; i++) {
        for (long j = -i + 1; j < n; j++) {
            const int table_value = (table + (-i) * n)[j];
            const int table_value_2 = (table + (-i) * n)[j - 1];
            (table + (-i) * n)[j] = table_value > table_value_2 ? table_value : table_value_2;
            const int table_value_3 = (table + (-i) * n)[j];
            const int table_value_4 = (table + (-i + 1) * n)[j];
            (table + (-i) * n)[j] = table_value_3 > table_value_4 ? table_value_3 : table_value_4;
            if (i + j >= 2) {
                const int table_value_5 = (table + (-i) * n)[j];
                const int sum = (table + (-i + 1) * n)[j - 1] + ((((int)seq[-i] + (int)seq[j]) == 3) ? 1 : 0);
                (table + (-i) * n)[j] = table_value_5 > sum ? table_value_5 : sum;
            } else {
                const int table_value_5 = (table + (-i) * n)[-i + 1];
                const int table_value_6 = (table + (-i + 1) * n)[-i];
                (table + (-i) * n)[-i + 1] = table_value_5 > table_value_6 ? table_value_5 : table_value_6;
            }
            for (long k = -i + 1; k < j; k++) {
                const int table_value_5 = (table + (-i) * n)[j];
                const int sum = (table + (-i) * n)[k] + (table + (k + 1) * n)[j];
                (table + (-i) * n)[j] = table_value_5 > sum ? table_value_5 : sum;
            }
        }
    }
}

#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#define max(a, b) ((a) > (b) ? (a) : (b))
#define pairs(a, b) ((a) + (b) == 3 ? 1 : 0)

void nussinov(int n, signed char seq[n], int table[n][n])
{
#pragma scop
    if ((long)n >= 1 && polyloop_disjoint(&table[0][0], 0, 4 * (long)n * (long)n, seq, 0, 1 * (long)n)) {
        polyloop_nussinov_0(n, &table[0][0], (const signed char *)seq);
    } else {
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) {
            table[i][j] = max(table[i][j], table[i][j - 1]);
            table[i][j] = max(table[i][j], table[i + 1][j]);
            if (i < j - 1)
                table[i][j] = max(table[i][j], table[i + 1][j - 1] + pairs(seq[i], seq[j]));
            else
                table[i][j] = max(table[i][j], table[i + 1][j - 1]);
            for (int k = i + 1; k < j; k++)
                table[i][j] = max(table[i][j], table[i][k] + table[k + 1][j]);
        }
    }
#pragma endscop
#pragma GCC diagnostic pop
}
