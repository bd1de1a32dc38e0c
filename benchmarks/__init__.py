"""Benchmarks of speed and memory, which run other tools side by side."""
