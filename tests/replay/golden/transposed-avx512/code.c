#define polyloop_rolled _Pragma("GCC unroll 1") /* a loop whose body uses the registers as it is */
/* A function whose loops are not distributed over several. gcc from 8 on (seen in 12.2 at -O3) does so behind a test
   whether the loops touch the same memory, which leaves out the last element of accesses under a condition. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define polyloop_undistributed __attribute__((optimize("no-tree-loop-distribution")))
#else
#define polyloop_undistributed
#endif

#ifdef __cplusplus
extern "C"
#endif
polyloop_undistributed void transposed(const float (*__restrict A)[83], float (*__restrict T)[45])
{
    for (long n = 0; n < 83; n++)
        polyloop_rolled for (long m = 0; m < 45; m++)
            T[n][m] = A[m][n];
}
