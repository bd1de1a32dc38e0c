"""The version, which stands in every signature."""

__version__ = "0.1.0"
