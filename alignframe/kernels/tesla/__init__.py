"""Kernels of matching of bags and of pivoted n-grams."""
