"""Kernels of decoding and n-gram overlap."""
