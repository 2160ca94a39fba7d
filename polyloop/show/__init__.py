"""Scops for people: as text and as pictures."""
