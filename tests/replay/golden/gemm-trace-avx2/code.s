not printable: parameters
