"""C's numbers, for both front ends: types, conversions, literals, mathematical functions, reductions."""
