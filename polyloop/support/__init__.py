"""Helpers that know no loop: files, memories of recent results, libraries that may be missing, a cap on isl."""
