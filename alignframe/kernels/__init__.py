"""Numba kernels over plain arrays: no Arrow, no polars, no files.

Kernels are serial and release the GIL, so callers may run them in threads, processes or query
engines.
"""
