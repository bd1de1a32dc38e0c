"""TESLA: evaluation of translations by linear programming (Dahlmeier, Liu & Ng 2011)."""
