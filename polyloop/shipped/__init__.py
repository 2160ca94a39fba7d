"""What ships in data/: kernels and workloads."""
