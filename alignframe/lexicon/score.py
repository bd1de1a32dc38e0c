"""Bitext-based lexicon evaluation (BIBLE): scores of lexicons as a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import polars as pl

from alignframe.core.choices import RESAMPLES, TYPES_OR_TOKENS
from alignframe.errors import FROM_1, InputError, check_known, number_of
from alignframe.lexicon.measure import bible, figures_of, parts_of
from alignframe.lexicon.rank_tests import rank_tests
from alignframe.lexicon.rates import (
    Rates,
    bands,
    groups_of,
    hit_frame,
    in_groups,
    is_frequency,
    rates_of,
    rows_of,
)
from alignframe.lexicon.sources import (
    Lexicon,
    are_named,
    depth_of,
    load_lexicon,
    named_lexicons,
    read_lexicon,
    text_loaded,
)
from alignframe.options import checked
from alignframe.result import Result, SignedResult
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.differences import place_of
from alignframe.stats.evaluation import Evaluation
from alignframe.stats.evaluation import evaluate as evaluate_counts
from alignframe.stats.scores import former
from alignframe.typing import (
    Confidence,
    ForOutput,
    FromOne,
    IntoBitext,
    IntoFrame,
    IntoLexicon,
    Rare,
    Resamples,
    Seed,
)

WEIGHTS = TYPES_OR_TOKENS


@dataclass(frozen=True, repr=False)
class LexiconScores(SignedResult):
    """The result of ``score``: scores of lexicons, and on demand what else the text tells.

    A notebook shows the scores. Every part is computed when it is first asked for.

    Examples
    --------
    >>> from alignframe import lexicon
    >>> entries = {"src": ["book", "book"], "tgt": ["das", "Buch"], "rank": [1, 2]}
    >>> found = lexicon.score({"mine": entries}, (["a book"], ["ein Buch"]), k=2)
    >>> found.worst(1).select("lexicon", "src", "pairs", "hits").rows()
    [('mine', 'a', 1, 0)]
    """

    lexicons: Mapping[str, Lexicon]  # one called "" if it has no name
    bitext: IntoBitext
    k: int
    average: str
    by: Any
    drawn: Resampling
    memory_limit: str | None
    threads: int | None

    @cached_property
    def scores(self) -> pl.DataFrame:
        """The scores, one row per lexicon, group of words and depth."""
        by, average = self.by, self.average
        groups = None if by is None or is_frequency(by) else groups_of(by)
        parts = []
        for name, rates in self._rates.items():
            if by is not None:
                grouped = (
                    bands(rates, self.lexicons[name])
                    if groups is None
                    else in_groups(rates, groups)
                )
                figures = pl.concat(
                    figures_of(rows_of(rates, rows), average, self.drawn).select(
                        pl.lit(group, pl.String).alias("group"), pl.all()
                    )
                    for group, rows in grouped.items()
                )
            else:
                figures = figures_of(rates, average, self.drawn)
            parts.append(figures.select(pl.lit(name).alias("lexicon"), pl.all()))
        grouping = "" if by is None else "by:frequency" if is_frequency(by) else "by:group"
        mark = bible(self.k, average).signature(grouping, self.drawn.signature)
        return self._named(pl.concat(parts).with_columns(pl.lit(mark).alias("signature")))

    @cached_property
    def counts(self) -> pl.DataFrame:
        """The hits of every lexicon, source word and depth; see ``hit_rates``."""
        parts = []
        with text_loaded(self.bitext, self.memory_limit, self.threads) as connection:
            for name, lexicon in self.lexicons.items():
                load_lexicon(connection, lexicon)
                frame = hit_frame(connection, _HIT_RATES, self.k, lexicon)
                parts.append(frame.select(pl.lit(name).alias("lexicon"), pl.all()))
        mark = bible(self.k, self.average).signature()
        return self._named(pl.concat(parts).with_columns(pl.lit(mark).alias("signature")))

    def compare(self, baseline: str | None = None) -> pl.DataFrame:
        """Compare lexicons by the Wilcoxon signed-rank test over hit rates of words.

        Parameters
        ----------
        baseline
            The lexicon to compare the others with; by default, every pair is compared.

        Returns
        -------
        polars.DataFrame
            One row per pair of lexicons, in the given order, and depth: lexicon, other, k, types
            (source words of the text that both have), precision and other_precision (over these
            words), difference (the first minus the other), wins, losses and ties (words with a
            higher, lower or equal hit rate in the first), statistic (the smaller rank sum), p_value
            (two-sided; 1 if all words tie) and signature. Figures are null if no word is in both.

        Raises
        ------
        InputError
            If there are fewer than two lexicons, or the baseline is not among them.

        Notes
        -----
        Melamed 1995, section 4.3. Words with equal hit rates are left out of the test (Wilcoxon
        1945). The p-value is exact for up to 50 words without ties among the differences, and for
        up to 13 with ties; otherwise it is from the normal approximation.

        Examples
        --------
        >>> import polars as pl
        >>> from alignframe import lexicon
        >>> good, poor = (
        ...     pl.DataFrame({"src": ["a", "book"], "tgt": tgt, "rank": [1, 1]})
        ...     for tgt in (["ein", "Buch"], ["ein", "das"])
        ... )
        >>> text = pl.DataFrame({"src": [["a", "book"]], "tgt": [["ein", "Buch"]]})
        >>> found = lexicon.score({"good": good, "poor": poor}, text).compare()
        >>> found.select("lexicon", "other", "difference", "wins", "losses", "ties").row(0)
        ('good', 'poor', 0.5, 1, 0, 1)
        """
        if len(self.lexicons) < 2:
            said = number_of(len(self.lexicons), "lexicon")
            raise InputError(said, expected="two or more to compare")
        if self.by is not None:
            raise InputError("`by` with a comparison", expected="one of them")
        if baseline is not None:
            place_of(baseline, [*self.lexicons])
        return rank_tests(self._rates, self.k, baseline)

    def worst(self, n: int = 10) -> pl.DataFrame:
        """Return the words of each lexicon with the most misses at the last depth.

        Parameters
        ----------
        n
            The number of words per lexicon.

        Returns
        -------
        polars.DataFrame
            What ``counts`` has, the word with the most sentence pairs without a hit first.
        """
        FROM_1.checked(n, "`n`")
        missed = pl.col("pairs") - pl.col("hits")
        last = self.counts.filter(pl.col("k") == self.k)
        ordered = last.sort(missed, "src", descending=[True, False])
        if "lexicon" not in last.columns:
            return ordered.head(n)
        found = ordered.group_by("lexicon", maintain_order=True).head(n)
        return found.sort("lexicon", maintain_order=True)

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the table of scores."""
        return {"scores": self.scores}

    def evaluated(self, baseline: str | None = None) -> Evaluation:
        """Return scores with intervals over resampled words, and differences from a lexicon.

        Parameters
        ----------
        baseline
            The lexicon to compare with; by default the one with the highest percent correct.
        """
        measure = bible(self.k, self.average)
        figures = {figure.name: figure for figure in measure.figures}
        named = [
            replace(figures[f"{name}_{k}"], name=f"{name}_of_{k}" if k > 1 else name)
            for k in dict.fromkeys((1, self.k))
            for name in ("percent_correct", "precision")
        ]
        own = replace(measure, figures=(*named, figures["recall"]))
        words = [
            pl.DataFrame(parts_of(rates, self.average), list(own.counts))
            .with_row_index("src")
            .with_columns(system=pl.lit(name or "lexicon"))
            for name, rates in self._rates.items()
        ]
        return evaluate_counts(
            own,
            pl.concat(words),
            baseline=baseline,
            unit="src",
            bootstrap=self.drawn.resamples or RESAMPLES,
            confidence=self.drawn.confidence,
            seed=self.drawn.seed,
        )

    def page(self, **options: Any) -> Any:
        """Return the page of ``evaluated``, or of the scores, if they are by groups of words."""
        baseline = options.pop("baseline", None)
        if self.by is not None:
            return Result.page(self, **options)
        return self.evaluated(baseline).page(**options)

    @cached_property
    def _rates(self) -> dict[str, Rates]:
        """The hits of every lexicon."""
        with text_loaded(self.bitext, self.memory_limit, self.threads) as connection:
            return {
                name: rates_of(connection, lexicon, self.k)
                for name, lexicon in self.lexicons.items()
            }

    def _named(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Leave out the name of a lexicon that has none."""
        return frame.drop("lexicon") if [*self.lexicons] == [""] else frame


@checked
def score(
    lexicon: IntoLexicon | Mapping[str, IntoLexicon],
    bitext: IntoBitext,
    k: FromOne | None = None,
    *,
    average: Rare[str] = "types",
    by: IntoFrame | Mapping[str, str] | None = None,
    bootstrap: Resamples = 0,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    memory_limit: Rare[str | None] = None,
    threads: ForOutput[FromOne | None] = None,
) -> LexiconScores:
    """Score lexicons on a held-out text.

    Parameters
    ----------
    lexicon
        A table with src, tgt and rank, the path of such a Parquet, .csv or .tsv file, or a mapping
        from names to these (one with the keys src and tgt is a dict of columns).
    bitext
        The test text: a frame with src and tgt (lists of words), or the path of such a Parquet
        file. Sentence pairs with an empty side are left out, with a warning.
    k
        Maximum number of translations per word to try; by default 5, or as many as every lexicon
        has.
    average
        ``types``: all source words of the text have equal weight; ``tokens``: all their occurrences
        do.
    by
        How to break down figures: ``frequency`` for bands of n_src in the lexicon; or a table or
        path with src and group, where missing words are in the group ``other``.
    bootstrap
        Number of resamples of source words for intervals; by default none.
    confidence, seed
        The confidence level of the intervals, and the random seed.
    memory_limit
        DuckDB's memory limit, for example ``1GB``; it spills to a temporary folder.
    threads
        Number of threads; all cores by default.

    Returns
    -------
    LexiconScores
        Its ``scores`` have a row per depth from 1 to ``k``: lexicon (if named), group (if ``by`` is
        given), k, precision (over words in the lexicon; null if there are none), recall (the share
        of words in the lexicon), percent_correct (over all words; those not in the lexicon count as
        0), each with ``_low`` and ``_high`` when resampled, types (source words of the text),
        covered_types (those in the lexicon), tokens and covered_tokens (their occurrences; when
        weighted by tokens) and signature.

        Its ``counts`` are the hit rates of words, see ``hit_rates``; ``compare()`` tests
        differences by the Wilcoxon signed-rank test, ``worst(n)`` lists the words with the most
        misses, and ``page()`` is a page of the scores.

    Raises
    ------
    InputError
        If a lexicon cannot be read, or ``k`` is more than it has. The text is read when a part is
        asked for.

    Notes
    -----
    Melamed 1995, section 3: BIBLE. The cumulative hit rate of a word at depth k is the share of
    sentence pairs with the word whose target side has one of its k best translations.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import lexicon
    >>> entries = {"src": ["book", "book"], "tgt": ["das", "Buch"], "rank": [1, 2]}
    >>> text = pl.DataFrame({"src": [["a", "book"]], "tgt": [["ein", "Buch"]]})
    >>> found = lexicon.score(pl.DataFrame(entries), text, k=2)
    >>> found.scores.select("k", "precision", "percent_correct").rows()
    [(1, 0.0, 0.0), (2, 1.0, 0.5)]
    """
    check_known("`average`", average, WEIGHTS)
    lexicons = named_lexicons(lexicon) if are_named(lexicon) else {"": read_lexicon(lexicon)}
    k = depth_of([*lexicons.values()], k)
    drawn = Resampling(bootstrap, confidence, seed, of="types")
    return LexiconScores(lexicons, bitext, k, average, by, drawn, memory_limit, threads)


def hit_rates(
    lexicon: IntoLexicon,
    bitext: IntoBitext,
    k: int | None = None,
    *,
    memory_limit: str | None = None,
    threads: int | None = None,
) -> pl.DataFrame:
    """Return the cumulative hit rates of every source word in a test text.

    Parameters
    ----------
    lexicon, bitext, k, memory_limit, threads
        See ``score``; one lexicon.

    Returns
    -------
    polars.DataFrame
        One row per word and depth, sorted: src, k, known (whether the lexicon has the word), pairs
        (sentence pairs with the word), hits (those whose target side has one of its k best
        translations), hit_rate, tokens (occurrences), token_hits (those in pairs that are hits).

    Raises
    ------
    InputError
        If a source cannot be read, or ``k`` is more than the lexicon has.

    Notes
    -----
    Melamed 1995, section 3.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import lexicon
    >>> entries = {"src": ["book", "book"], "tgt": ["das", "Buch"], "rank": [1, 2]}
    >>> text = pl.DataFrame({"src": [["a", "book"]], "tgt": [["ein", "Buch"]]})
    >>> lexicon.hit_rates(pl.DataFrame(entries), text, k=2).select("src", "k", "hit_rate").rows()
    [('a', 1, 0.0), ('a', 2, 0.0), ('book', 1, 0.0), ('book', 2, 1.0)]
    """
    lexicon_read = read_lexicon(lexicon)
    depth = depth_of([lexicon_read], k)
    with text_loaded(bitext, memory_limit, threads) as connection:
        load_lexicon(connection, lexicon_read)
        return hit_frame(connection, _HIT_RATES, depth, lexicon_read)


_HIT_RATES = "select * from hit_rates('lexicon', 'text', $k)"


evaluate = former(score, "evaluate", "scores")
compare = former(score, "compare", "compare")
