"""Schedules: trees and rows, the proof that they keep every dependence, their text, and isl's."""
