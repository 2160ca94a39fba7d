"""VectorProgram -> x86-64 assembly, for micro-kernels of contractions."""
