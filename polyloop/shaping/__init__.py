"""Which tiles, lanes and copies the loops of a schedule get."""
