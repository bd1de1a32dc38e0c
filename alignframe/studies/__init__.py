"""Studies: many settings of one experiment, and what their rows have in common."""
