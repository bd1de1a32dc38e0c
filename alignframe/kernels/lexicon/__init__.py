"""Kernels of co-occurrence, cognates and filters of lexicons."""
