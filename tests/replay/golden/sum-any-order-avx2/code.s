not printable: an operation IndexValue
