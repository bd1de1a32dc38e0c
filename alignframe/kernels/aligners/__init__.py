"""Kernels of word alignment models."""
