"""Kernels of phrase extraction and phrase tables."""
