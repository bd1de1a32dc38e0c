"""Altair charts, one function a figure. Charts hold aggregates, never a row a link of a corpus."""
