"""Searches for good schedules.

Each walks a decision process and is given the evaluator that judges what it finds.
"""
