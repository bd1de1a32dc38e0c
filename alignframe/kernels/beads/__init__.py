"""Kernels of sentence alignment."""
