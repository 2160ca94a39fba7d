not printable: an operation Convert
