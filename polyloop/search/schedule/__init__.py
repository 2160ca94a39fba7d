"""Searches of the space of all legal schedules."""
