not printable: aarch64-unknown-linux-gnu with vectors of 128 bits
