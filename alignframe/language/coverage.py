"""The share of a text known to a table of words, to check that their languages match."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I64, Bools
from alignframe.language.analysed import Analysed

ENOUGH = 50
"""The minimum number of words for checking the language of a table."""

# A word this frequent is known only if it is at most this many times rarer in the table: tables
# contain some words of other languages.
_FREQUENT = 5
_RARER = 50


def known_words(
    sentences: Analysed, numbers: Mapping[str, int], counts: I64, lower: bool
) -> tuple[float, int, list[str]]:
    """Return the share of running words known to a table, their number, and five unknown ones."""
    texts, here = sentences.vocabulary.words.known, _running(sentences)
    forms = pc.utf8_lower(texts) if lower else texts
    forms, here = _by_form(forms, here)
    asked = int(here.sum())
    places = np.array([numbers.get(form, -1) for form in forms], np.int64)
    shares = np.where(places < 0, 0.0, np.append(counts, 0)[places] / max(1, counts.sum()))
    rare = here < _FREQUENT
    known = (places >= 0) & (rare | (shares * _RARER >= here / max(1, asked)))
    missing = np.argsort(np.where(known, 0, -here), kind="stable")[:5]
    odd = [forms[k] for k in missing if here[k] and not known[k]]
    return (float(here[known].sum() / asked) if asked else 1.0), asked, odd


def share_in_script(sentences: Analysed, script: str) -> tuple[float, int]:
    """Return the share of running words whose letters are all of a script, and their number."""
    here = _running(sentences)
    others = _matching(sentences.vocabulary.words.known, rf"[^\P{{L}}\p{{{script}}}]")
    asked = int(here.sum())
    return (float(here[~others].sum() / asked) if asked else 1.0), asked


def _running(sentences: Analysed) -> I64:
    """Return how often sentences have each word of their vocabulary; 0 if it has no letter."""
    texts = sentences.vocabulary.words.known
    size = sentences.words.size + 1
    # How many sentences hold each token: a running sum of those that begin and end.
    times = np.bincount(sentences.starts, minlength=size)
    times -= np.bincount(sentences.ends, minlength=size)
    running = np.bincount(sentences.words, np.cumsum(times)[:-1], len(texts)).astype(np.int64)
    return np.where(_matching(texts, r"\p{L}"), running, 0)


def _matching(texts: pa.Array, pattern: str) -> Bools:
    found: Bools = pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False)
    return found


def _by_form(forms: pa.Array, counts: I64) -> tuple[list[str], I64]:
    """Return the distinct forms, and the sums of their counts."""
    encoded = forms.dictionary_encode()
    sums = np.bincount(encoded.indices.to_numpy(), weights=counts, minlength=0)
    return encoded.dictionary.to_pylist(), sums.astype(np.int64)
