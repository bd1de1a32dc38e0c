"""Analysing text: tokens, tags of parts of speech, lemmas, content words and synonyms."""
