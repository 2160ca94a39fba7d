"""Searches of the cursor's space: one transformation of the loops after the other."""
