"""F-measures of bags of pivot-language n-grams (Dahlmeier, Liu & Ng 2011, section 3)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from alignframe.core.arrays import F64, I32, I64, frozen
from alignframe.core.choices import EMPTY_ORDERS
from alignframe.core.signatures import exact
from alignframe.errors import InputError, warn
from alignframe.functions.bags import check_function_weight
from alignframe.kernels.tesla.pivot_bags import f_measures
from alignframe.kernels.tesla.pivot_ngrams import ORDERS, Alternatives
from alignframe.kernels.text.trie import Trie
from alignframe.language.analysed import Analysed, Vocabulary
from alignframe.language.coverage import ENOUGH, known_words
from alignframe.options import Limited, limited
from alignframe.tesla.feature_names import check_pivot_name
from alignframe.tesla.pivot_table import PivotTable, as_pivot_table
from alignframe.tesla.segmentation import Segmenter
from alignframe.typing import Rare, Share

KINDS = {"lem": "lemmas", "pos": "tags"}
"""Ways to compare n-grams, and the annotation of tokens that each uses."""


LEAST_KNOWN = 0.2
"""The minimum share of running words known to a table of the right language. Tables of 72 sentence
pairs know 36% of newspaper text; tables of 200,000 know 91%, and 9% of text in other languages."""

# Number of references remembered as being in the table's language.
_REMEMBERED = 16


@dataclass(frozen=True, eq=False)
class PivotFeatures(Limited):
    """TESLA-B's features of one pivot language: ``fr_lem_1`` ... ``fr_pos_3``.

    Parameters
    ----------
    table
        The pivot table: a ``PivotTable``, a result of ``build_pivot_table``, or a path.
    name
        The name of features and in the signature; by default the table's own.
    recall_weight
        The weight w of recall in F = PR / (w P + (1 - w) R); with 1, F is recall.
    function_weight
        The weight of a function word, in tenths; 1 for no discount.
    empty_order
        ``zero``: F is 0 where a side has no n-grams of an order; ``skip``: it is NaN, unless the
        translation is empty.
    least_known
        Minimum share of known words in references; below it there is an error, or for references of
        fewer than 50 words a warning. 0 accepts all.

    Examples
    --------
    >>> from alignframe import tesla
    >>> how, text = tesla.Analysis.of(tagger="none"), (["the boat"], ["le bateau"])
    >>> table = tesla.build_pivot_table(text, ["0-0 1-1"], min_count=1, analysis=how)
    >>> tesla.PivotFeatures(table).names[:3]
    ('pivot_lem_1', 'pivot_lem_2', 'pivot_lem_3')
    """

    table: PivotTable
    name: str = ""
    recall_weight: Rare[Share] = 0.8
    function_weight: Rare[Share] = 0.1
    empty_order: Rare[str] = limited("zero", choices=EMPTY_ORDERS)
    least_known: float = LEAST_KNOWN
    _kept: dict[str, object] = field(default_factory=dict, init=False, repr=False)
    _checked: deque[I32] = field(
        default_factory=lambda: deque(maxlen=_REMEMBERED), init=False, repr=False
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_function_weight(self.function_weight)
        object.__setattr__(self, "table", as_pivot_table(self.table))
        object.__setattr__(self, "name", self.name or self.table.name)
        check_pivot_name(self.name)

    @property
    def names(self) -> tuple[str, ...]:
        """``fr_lem_1``, ``fr_lem_2``, ``fr_lem_3``, ``fr_pos_1`` ..."""
        return tuple(f"{self.name}_{kind}_{n}" for kind in KINDS for n in range(1, ORDERS + 1))

    @property
    def signature(self) -> str:
        """The choices that affect the scores."""
        _, *made = self.table.signature.split("|")  # the first part is the table's own name
        return "|".join(
            (
                f"pivot:{self.name}",
                *made,
                f"alpha:{exact(self.recall_weight)}",
                f"function:{exact(self.function_weight)}",
                f"empty:{self.empty_order}",
            )
        )

    def of(self, hyp: Analysed, ref: Analysed) -> F64:
        """Return the F-measures of each sentence of ``hyp`` against the same row of ``ref``.

        Raises
        ------
        InputError
            If the references are not in the table's language.
        """
        segmenter = self._segmenter(hyp.vocabulary)
        if not any(words is ref.words for words in self._checked):
            self.check(_all_tokens(ref))  # a few rows are too few for a check
            self._checked.append(ref.words)
        hyp, ref = _without_others(hyp), _without_others(ref)
        columns = [segmenter.columns(side) for side in (hyp, ref)]
        empty = 0.0 if self.empty_order == "zero" else np.nan
        measures = []
        for kind in KINDS.values():
            tokens = [segmenter.tokens(side, kind, self.function_weight) for side in (hyp, ref)]
            measures.append(
                f_measures(
                    self._tables[kind],
                    columns[0],
                    tokens[0],
                    columns[1],
                    tokens[1],
                    len(segmenter.texts(kind)),
                    self.recall_weight,
                    empty,
                )
            )
        features = np.concatenate(measures, axis=1)
        features[hyp.lengths() == 0] = 0.0  # nothing matches an empty sentence
        return features

    def check(self, sentences: Analysed, what: str = "the references") -> None:
        """Raise an InputError if sentences are not in the table's language.

        Words with letters are looked up among the words of the table's phrases; fewer than 50,
        which may be unknown by chance, only give a ``DataWarning``.
        """
        table = self.table
        share, asked, missing = known_words(
            sentences, table.words, table.word_counts(), table.lower
        )
        if share >= self.least_known:
            return
        said = (
            f"the pivot table {self.name!r} knows {share:.0%} of the {asked:,} words of {what}; "
            f"it lacks {', '.join(missing)}"
        )
        if asked < ENOUGH:
            warn(f"{said}; it may be of another language")
        else:
            raise InputError(
                said,
                expected=f"{self.least_known:.0%} or more, from a table with the target language "
                "of the references",
                todo="give a table of that language, built from text tokenised like the references",
            )

    @cached_property
    def _tables(self) -> dict[str, Alternatives]:
        weight = self.function_weight
        return {kind: alternatives(self.table, kind, weight) for kind in KINDS.values()}

    def _segmenter(self, vocabulary: Vocabulary) -> Segmenter:
        """Return the segmenter of a vocabulary, caching the last one."""
        kept = self._kept.get("segmenter")
        if not isinstance(kept, Segmenter) or kept.vocabulary is not vocabulary:
            kept = Segmenter(self.table, vocabulary)
            self._kept["segmenter"] = kept
        return kept


def _all_tokens(sentences: Analysed) -> Analysed:
    """Return all tokens in the arrays of some sentences, as one sentence."""
    ends = np.array([0, sentences.words.size])
    return replace(sentences, starts=ends[:1], ends=ends[1:])


def _without_others(sentences: Analysed) -> Analysed:
    """Return sentences with their arrays cut to the tokens used."""
    if not sentences.rows:
        return sentences
    low, high = int(sentences.starts.min()), int(sentences.ends.max())
    return replace(
        sentences,
        starts=frozen(sentences.starts - low),
        ends=frozen(sentences.ends - low),
        words=sentences.words[low:high],
        lemmas=sentences.lemmas[low:high],
        tags=sentences.tags[low:high],
        content=sentences.content[low:high],
    )


def alternatives(table: PivotTable, kind: str, function_weight: float) -> Alternatives:
    """Return the pivot phrases of a table, compared by ``lemmas`` or ``tags``."""
    pivot = table.pivot
    keys = getattr(pivot, kind)
    # Phrases with the same keys and content words are one, whose probabilities are summed.
    looks = frozen(2 * keys + pivot.content)
    nodes = Trie(looks.size // 2).add(looks, pivot.starts, pivot.ends)
    phrases = np.repeat(np.arange(table.phrases), np.diff(table.offsets))
    first, probability = _merged(phrases << 32 | nodes, table.probability)
    lengths = pivot.lengths()[first]
    ends = np.cumsum(lengths)
    starts = ends - lengths
    tokens = np.repeat(pivot.starts[first] - starts, lengths) + np.arange(ends[-1])
    return Alternatives(
        frozen(np.searchsorted(phrases[first], np.arange(table.phrases + 1))),
        frozen(probability),
        frozen(np.append(starts, ends[-1])),
        frozen(keys[tokens]),
        frozen(np.where(pivot.content[tokens], 1.0, function_weight)),
    )


def _merged(keys: I64, weights: F64) -> tuple[I64, F64]:
    """Return the first position of each key, in that order, and the sum of its weights."""
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    sums = np.bincount(places.ravel(), weights=weights).astype(np.float64)
    order = np.argsort(first)
    return first[order].astype(np.int64), sums[order]
