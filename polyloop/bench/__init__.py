"""`polyloop bench`: contestants are built, run interleaved in one process, checked against each other, and reported."""
