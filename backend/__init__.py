"""The SIMD backend: a loop nest in, running code or C source out.

Loop nests with affine bounds are planned (vector loops, register tiles, packing), become a vector program,
and are printed as LLVM IR, as C with GNU vector extensions, or as assembly. A plain Python interpreter of
loop nests is the oracle for all of them. Nothing here knows isl, Gymnasium, or any part of polyloop outside
this folder.
"""
