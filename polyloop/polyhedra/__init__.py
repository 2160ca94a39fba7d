"""Exact cones over the integers: constraints, generators, hulls. Nothing here knows a Scop."""
