static void gemm_tile(long n, long m, long l, double *__restrict C, const double *__restrict A,
    const double *__restrict B)
{
#ifdef _OPENMP
#pragma omp parallel for
#endif
    for (long i = 0; i < n; i += 2)
        for (long j = 0; j < m; j += 8) {
            polyloop_f64x8 c0 = polyloop_load_f64x8(&(C + i * m)[j], m - j);
            polyloop_f64x8 c1 = polyloop_load_f64x8(&(C + (i + 1) * m)[j], m - j);
            polyloop_rolled for (long k = 0; k < l; k++) {
                const polyloop_f64x8 b = polyloop_load_f64x8(&(B + k * m)[j], m - j);
                c0 = (A + i * l)[k] * b + c0;
                c1 = (A + (i + 1) * l)[k] * b + c1;
            }
            polyloop_store_f64x8(&(C + i * m)[j], c0, m - j);
            polyloop_store_f64x8(&(C + (i + 1) * m)[j], c1, m - j);
        }
}
