"""LoopTune's process on any program: a cursor walks the loops and changes them, on nests and on schedule trees."""
