"""VectorProgram -> C99 with GNU vector extensions."""
