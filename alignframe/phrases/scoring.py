"""Scores of systems by phrase dictionaries, and their differences, with intervals and tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import polars as pl

from alignframe.core.choices import TEST_RESAMPLES
from alignframe.errors import FROM_1, InputError
from alignframe.links.inputs import marks_of, to_score
from alignframe.options import checked
from alignframe.phrases.loaded import Loaded, loaded
from alignframe.phrases.overlap import units_of
from alignframe.phrases.signatures import by_sentence, signature
from alignframe.phrases.study import Study, study
from alignframe.phrases.workspace import (
    DICTIONARIES,
    KIND_OF,
    check_dictionaries,
)
from alignframe.sources.keyed import text_of
from alignframe.sources.keys import named_by
from alignframe.stats.scores import Scores, former
from alignframe.stats.task import Counted, Task
from alignframe.typing import (
    Confidence,
    ForInput,
    FromOne,
    IntoBitext,
    IntoGold,
    IntoHypotheses,
    Rare,
    Resamples,
    Seed,
    Threads,
)

_OPTIONS = ("dictionaries", "max_length", "sure_only", "strict", "memory_limit", "threads")

OF_SENTENCES = ("align-dic1", "text-dic2")
"""The dictionaries by sentence, without ``text-dic1``, which would equal ``align-dic1``."""


class PhraseScores(Scores):
    """The result of ``score``.

    Examples
    --------
    >>> from alignframe import phrases
    >>> found = phrases.score(["0-0"], ["0-0 1-1"], (["not yet"], ["pas encore"]))
    >>> found.counts.select("dictionary", "n_both", "n_hyp", "n_gold").rows()
    [('align-dic1', 1, 1, 2), ('text-dic1', 1, 1, 2), ('text-dic2', 1, 1, 3)]
    """

    has_standings = False  # a score by each dictionary

    @cached_property
    def scores(self) -> pl.DataFrame:
        """The scores, one row per system and dictionary, or by sentence."""
        apart, drawn = bool(self.groups), self.resampling(0)
        if apart and drawn.resamples:
            raise InputError(
                "`bootstrap` with `by`",
                expected="one of them, as single sentences have no intervals",
            )

        def part(given: Loaded, name: str) -> pl.DataFrame:
            if apart:
                return given.scores_by_sentence(name)
            figures = given.scores(name)
            if not drawn.resamples:
                return figures
            ends = self.task.scores(given, name, drawn=drawn)
            return figures.join(ends.select("system", pl.col("^.*_(low|high)$")), on="system")

        found = self._of_dictionaries(part, drawn.signature, apart)
        order = pl.Enum(list(KIND_OF))
        by_place = ["system", *(["sid"] if apart else [])]
        return self.restored(found.sort(*by_place, pl.col("dictionary").cast(order)))

    @cached_property
    def counts(self) -> pl.DataFrame:
        """The entries of each sentence; those of a whole text count in their first sentence."""

        def part(given: Loaded, name: str) -> pl.DataFrame:
            frame = self.task.counts(given, name)
            said = pl.lit(name).alias("dictionary")
            return frame.select("system", "sid", said, "n_both", "n_hyp", "n_gold")

        found = self._of_dictionaries(part).sort("system", "sid", maintain_order=True)
        return self.restored(found)

    def compare(self, baseline: str) -> pl.DataFrame:
        """Compare every system with a baseline by the paired bootstrap over sentences.

        See ``Scores.compare``; the table begins with the column dictionary.
        """
        self._check_ungrouped("a comparison")
        drawn = self.resampling(TEST_RESAMPLES)

        def part(given: Loaded, name: str) -> pl.DataFrame:
            tests = self.task.compare(given, name, baseline=baseline, drawn=drawn)
            return tests.select(pl.lit(name).alias("dictionary"), pl.all())

        return self._of_dictionaries(part)

    def worst(self, n: int = 10) -> pl.DataFrame:
        """Return the sentences with the lowest F of each system and dictionary.

        Parameters
        ----------
        n
            The number of sentences per system and dictionary.

        Returns
        -------
        polars.DataFrame
            What scores by sentence have, the worst first.
        """
        FROM_1.checked(n, "`n`")
        self._check_ungrouped("the worst")
        each, groups = replace(self, by=["sid"], bootstrap=0).scores, ("system", "dictionary")
        key = ["sid"] if self.keys is None else self.keys.names
        lowest = each.drop_nulls("f").sort("f", *key).group_by(groups, maintain_order=True)
        return lowest.head(n).sort(groups, maintain_order=True)

    def evaluated(self, baseline: str | None = None) -> Study:  # noqa: ARG002 - a study has none
        """Return the study of the same inputs, which has the page."""
        given = {name: self.options[name] for name in _OPTIONS[1:]}
        return study(*self.inputs, **given)

    def _of_dictionaries(
        self,
        part: Callable[[Loaded, str], pl.DataFrame],
        resampled: str = "",
        apart: bool = False,
    ) -> pl.DataFrame:
        """Return what ``part`` makes of each dictionary, with a signature."""
        usual = OF_SENTENCES if apart else DICTIONARIES
        hyp, gold, bitext = self.inputs
        dictionaries, length, *how = (self.options[name] for name in _OPTIONS)
        chosen = check_dictionaries(usual if dictionaries is None else dictionaries)
        parts = []
        with named_by(self.keys), loaded(hyp, gold, bitext, *how) as given:
            for name in chosen:
                given.entries(name, length, apart)
                parts.append(part(given, name))
        found, moses = pl.concat(parts), "text-moses" in chosen
        if "signature" in found.columns:  # of tests; of all, if the labels of some were exchanged
            resampled = str(found["signature"].str.extract("(paired-bootstrap:.*)").max() or "")
        mark = signature(length, how[0], marks_of(hyp, gold), resampled, moses, apart)
        return found.with_columns(pl.lit(mark).alias("signature"))


@checked
def score(
    hyp: IntoHypotheses,
    gold: IntoGold,
    bitext: IntoBitext,
    *,
    on: ForInput[Sequence[str] | str] = (),
    dictionaries: Sequence[str] | None = None,
    by: Sequence[str] | str = (),
    max_length: FromOne | None = None,
    sure_only: bool = False,
    strict: Rare[bool] = False,
    bootstrap: Resamples | None = None,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    memory_limit: Rare[str | None] = None,
    threads: Threads = None,
) -> PhraseScores:
    """Score the phrase dictionaries of systems against gold's.

    Parameters
    ----------
    hyp, gold
        Links: frames, paths, or for ``hyp`` a mapping from system names to these. Sure and Possible
        links count alike, except with ``sure_only``.
    bitext
        A frame with sid, src and tgt (lists of words), or a path of such Parquet.
    on
        Columns that identify a sentence, such as domain and sid, in both links and in the text; by
        default sid.
    dictionaries
        Any of these. ``align-dic1``: one minimal dictionary per sentence; ``text-dic1``: the
        minimal dictionary of the whole text; ``text-dic2``: its exhaustive dictionary;
        ``text-moses``: phrases as in Moses. By default the first three; by sentence ``align-dic1``
        and ``text-dic2``.
    by
        ``sid`` scores every sentence by its own dictionaries.
    max_length
        Maximum phrase length in words, on both sides; by default 7 for ``text-moses`` and unlimited
        for the others.
    sure_only
        Build gold's dictionary from its Sure links only.
    strict
        Fail, rather than warn, if a sentence is missing on one side.
    bootstrap
        Number of resamples of sentences for intervals and tests; by default none for scores and
        10,000 for comparisons. An entry of a whole text is resampled with its first sentence in
        gold or a system.
    confidence, seed
        The confidence level of intervals, and the random seed.
    memory_limit
        DuckDB's memory limit, for example ``1GB``; the rest goes to a temporary folder.
    threads
        Number of threads; all cores by default. In Python, also an executor, which reads pieces of
        Parquet ahead.

    Returns
    -------
    PhraseScores
        Its ``scores`` have a row per system and dictionary: system, dictionary, entries,
        gold_entries, precision, recall, f, each with ``_low`` and ``_high`` when resampled, and
        signature. Figures of ``align-dic1`` are means over sentences: of precision over those where
        the system has entries, of recall and F over those where gold has. Precision is null if a
        system has no entries at all, recall and F if gold has none. By sentence, one row per
        system, sentence and dictionary, with the column sid after system.

        Its ``counts`` have a row per system, sentence and dictionary: system, sid, dictionary,
        n_both, n_hyp, n_gold (entries) and signature. ``compare(baseline)`` tests differences from
        a system, ``worst(n)`` lists the sentences with the lowest F, and ``page()`` is that of
        ``study``.

    Raises
    ------
    InputError
        If a source cannot be read, its links do not fit the text, or intervals are requested by
        sentence. What the sources hold is read when a part is asked for.

    Notes
    -----
    Carl & Fissaha 2003, sections 2.2 and 4; F = 2PR / (P + R).

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import phrases
    >>> text = pl.DataFrame({"sid": [0], "src": [["not", "yet"]], "tgt": [["pas", "encore"]]})
    >>> found = phrases.score(["0-0"], ["0-0 1-1"], text)
    >>> found.scores.select("dictionary", "precision", "recall").rows()
    [('align-dic1', 1.0, 0.5), ('text-dic1', 1.0, 0.5), ('text-dic2', 1.0, 0.3333333333333333)]
    >>> home = "datasets/en-fr"
    >>> hyp = {name: f"{home}/{name}.talp" for name in ("cautious", "eager")}
    >>> text = (f"{home}/text.en", f"{home}/text.fr")
    >>> options = {"dictionaries": ["text-dic1"], "bootstrap": 100}
    >>> tests = phrases.score(hyp, f"{home}/gold.talp", text, **options).compare("eager")
    >>> [(row["measure"], round(row["difference"], 3)) for row in tests.rows(named=True)]
    [('precision', 0.108), ('recall', -0.037), ('f', 0.022)]
    """
    given = {name: value for name, value in locals().items() if name != "bitext"}
    check_dictionaries(dictionaries or DICTIONARIES)
    sources, golden = to_score(hyp, gold, given.pop("on"))
    text = bitext if golden.keys is None else text_of(bitext, golden.keys)
    found = PhraseScores.of(PHRASES, (sources, golden, text), given)
    by_sentence(found.groups)
    return found


def _count(given: Loaded, dictionary: str, *, by: Sequence[str], unit: str) -> Counted:  # noqa: ARG001
    """Count the entries of a dictionary, whose rows are those of sentences."""
    measure, counts = units_of(given, dictionary)
    return Counted(counts, measure)


PHRASES = Task(_count)
"""How the entries of a dictionary are counted."""

scores, compare = (former(score, name, name) for name in ("scores", "compare"))
