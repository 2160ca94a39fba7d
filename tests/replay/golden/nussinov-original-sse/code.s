not printable: x86_64-unknown-linux-gnu with vectors of 128 bits
