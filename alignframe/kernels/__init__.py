"""Numba kernels over plain arrays: no Arrow, no polars, no files.

Kernels are serial and release Python's lock, so a caller may run them on threads, on processes
or in a query engine.
"""
