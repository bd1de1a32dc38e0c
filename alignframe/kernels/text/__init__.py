"""Kernels of words, characters and n-grams of text."""
