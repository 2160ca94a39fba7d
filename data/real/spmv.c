/* A sparse matrix times a vector: compressed rows. */

void spmv(int rows, const int *restrict row_start, const int *restrict column, const double *restrict value,
          const double *restrict x, double *restrict y)
{
    for (int row = 0; row < rows; row++) {
        double sum = 0.0;
        for (int k = row_start[row]; k < row_start[row + 1]; k++)
            sum += value[k] * x[column[k]];
        y[row] = sum;
    }
}
