"""Data written for the project, and the programs that generate more of it."""
