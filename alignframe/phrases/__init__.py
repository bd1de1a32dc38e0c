"""Evaluating word alignments through phrase dictionaries (Carl & Fissaha 2003)."""
