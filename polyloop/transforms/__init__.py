"""Transforms of schedule trees: frozen values that say where they apply, check legality, and rewrite a tree.

One such value is the action of a decision process, its line in a log, its key in a cache and its replay. A
transform that would violate a dependence is refused, and the refusal names that dependence.
"""
