/* RNA folding: table[i][j] is the largest number of nested base pairs within seq[i..j], where
   bases that add up to 3 pair, unless they are neighbours. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#define max(a, b) ((a) > (b) ? (a) : (b))
#define pairs(a, b) ((a) + (b) == 3 ? 1 : 0)

void nussinov(int n, signed char seq[n], int table[n][n])
{
#pragma scop
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
#pragma endscop
}
