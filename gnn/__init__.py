"""Graph neural networks on programs.

The graph of loops, data and computations, encoders that read it, agents that act on it, and their training.
"""
