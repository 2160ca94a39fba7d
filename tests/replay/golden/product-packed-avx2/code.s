not printable: an array of its own
