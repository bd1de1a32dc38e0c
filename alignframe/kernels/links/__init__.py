"""Kernels of links: counts, symmetrization, the text format."""
