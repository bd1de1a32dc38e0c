"""Inducing and judging N-best translation lexicons (Melamed 1995)."""
