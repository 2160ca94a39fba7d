"""Learned cost models: what a program does as numbers, trees that tell its seconds, data to learn from."""
