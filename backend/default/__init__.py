"""Schedules of tensor nests without a search: an analytical model of one core."""
