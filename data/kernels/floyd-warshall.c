/* Lengths of the shortest paths between all pairs of nodes of a graph, in place. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#define min(a, b) ((a) < (b) ? (a) : (b))

void floyd_warshall(int n, int path[n][n])
{
#pragma scop
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                path[i][j] = min(path[i][j], path[i][k] + path[k][j]);
#pragma endscop
}
