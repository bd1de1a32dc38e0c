"""Translation alignment as tables."""
