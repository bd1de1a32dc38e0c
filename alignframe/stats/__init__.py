"""Statistics over counts: resampling, intervals and significance."""
