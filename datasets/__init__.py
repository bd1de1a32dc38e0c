"""Data that the project wrote itself, and the programs that make more of it."""
