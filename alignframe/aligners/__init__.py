"""Making word alignments."""
