"""VectorProgram -> LLVM IR text."""
