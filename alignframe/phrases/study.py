"""The study of Carl & Fissaha 2003, for any set of systems."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import polars as pl

from alignframe.core.choices import RESAMPLES
from alignframe.core.signatures import whole_signature
from alignframe.errors import DataWarning
from alignframe.links.inputs import marks_of, to_score
from alignframe.links.null_links import with_null_links
from alignframe.links.scoring import LINKS
from alignframe.links.text import Text
from alignframe.options import checked
from alignframe.phrases.loaded import Loaded, loaded
from alignframe.phrases.overlap import SENTENCES, by_sentence, overlap
from alignframe.phrases.signatures import by_sentence as is_by_sentence
from alignframe.phrases.signatures import signature
from alignframe.phrases.workspace import DICTIONARIES
from alignframe.result import Result
from alignframe.sources.source import Source, in_memory
from alignframe.stats.evaluation import Evaluation, evaluate
from alignframe.stats.pearson import correlation
from alignframe.stats.ranks import spearman
from alignframe.studies.runner import Runner, packed, unpacked
from alignframe.typing import (
    FilePath,
    ForOutput,
    FromOne,
    FromZero,
    IntoBitext,
    IntoGold,
    IntoHypotheses,
    Rare,
    Threads,
)

CLASSES = ("correct", "missing", "noise")
TEXT_DICTIONARIES = DICTIONARIES[1:]
"""Dictionaries whose entries can be found by all systems or none."""


WORD_MEASURES = {
    "word-sure": overlap("word-sure", "n_hyp_sure", "n_hyp", "n_sure"),
    "word-possible": overlap("word-possible", "n_hyp_possible", "n_hyp", "n_possible"),
}
"""Word links against gold's Sure links, and against all of gold's links."""

_OF_SENTENCES = {
    "phrase": overlap("phrase", "n_both", "n_hyp_entries", "n_gold"),
    "word": WORD_MEASURES["word-possible"],
}

MEASURES = (*WORD_MEASURES, *DICTIONARIES)
_FIGURES = ("precision", "recall", "f")

_LINK_SIZES = """
with every as (
  select '+' || system as system, sid, links from hyp
  union all
  select 'gold', sid, links from gold
)
select
  if(system = 'gold', system, system[2:]) as system,
  if(system = 'gold', 'gold', 'system') as kind,
  links,
  null_links
from link_sizes('every', 'text')
order by kind desc, system
"""
# Sums of the hashes of rows, whose order does not matter.
_SUMS = """
select
  (select sum(hash(hyp) % 4294967296)::bigint from hyp) as links,
  (select sum(hash(gold) % 4294967296)::bigint from gold) as gold,
  (select sum(hash(text) % 4294967296)::bigint from text) as text
"""
_BY_SENTENCE = "select system, sid, n_hyp, n_both from entry_counts('hyp_entries', 'gold_entries')"
_OF_GOLD = "select sid, count(*) as n_gold from gold_entries group by sid"
# The first and last positions of one word are equal: the 16-bit numbers that a place ends with.
_SHARES = """
create or replace temp table shares as
select *, xor(place, place >> 16) & 281470681808895 = 0 as one_word
from entry_shares('hyp_entries', 'gold_entries', n_systems := $systems)
"""
_CHOSEN = """
create or replace temp table chosen as
select
  src_key, tgt_key, place, n, in_gold, found_by, systems, share,
  coalesce(class, 'partly') as class
from shares
where in_gold or class is not null
qualify row_number() over (partition by class, one_word order by n desc, place) <= $top
"""
_NUMBERS = """
select
  class,
  case when in_gold then found_by end as found_by,
  count(*) as entries,
  count(*) filter (one_word) as one_word,
  count(*) filter (not one_word) as multi_word
from shares
where in_gold or class is not null
group by all
"""
_ENTRIES = """
select
  class, src, tgt, src_words, tgt_words, n, in_gold, found_by, systems, share,
  first_sid, first_src, first_tgt
from entry_words('chosen', 'text')
order by class, share desc, n desc, src, tgt
"""


@dataclass(frozen=True, repr=False)
class Study(Result):
    """The tables of a study.

    Attributes
    ----------
    sizes
        system, kind (``gold`` or ``system``), links, null_links, align-dic1, text-dic1, text-dic2:
        the paper's figure 1.
    scores
        system, measure (``word-sure``, ``word-possible`` or a dictionary), precision, recall, f:
        figure 2.
    correlations
        word, dictionary, systems, pearson, spearman: correlations of F over systems; null with
        fewer than 3 systems.
    by_length
        length (mean words of both sides), sentences, and the means over systems and sentences of
        that length: phrase_precision, phrase_recall, phrase_f (of ``align-dic1``), word_precision,
        word_recall, word_f (against all gold links): figure 3.
    classes
        dictionary, class, entries, one_word, multi_word: the entries that are ``correct`` (in gold
        and in all systems), ``missing`` (in gold and in none) and ``noise`` (in all, not in gold).
    found_by
        dictionary, found_by, entries, one_word, multi_word: the number of gold entries by the
        number of systems that find them.
    entries
        dictionary, class (with ``partly`` for entries some systems find), src, tgt, src_words,
        tgt_words, n, in_gold, found_by, systems, share, and the first occurrence (first_sid,
        first_src, first_tgt): the most frequent entries of each class, with one-word and longer
        entries listed separately.
    signature
        Every choice that affects the scores.
    by_sentence
        sid, length, and the figures of ``by_length`` as means over systems; None unless requested.
    links
        The systems, gold and text of the study, whose sentences the page shows; None where they
        are not known.
    ranked
        The scores of ``align-dic1`` with intervals over resampled sentences, and the tests of the
        other systems against the best one, which the page begins with.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import phrases
    >>> text = pl.DataFrame({"sid": [0], "src": [["not", "yet"]], "tgt": [["pas", "encore"]]})
    >>> found = phrases.study({"a": ["0-0"], "b": ["0-0 1-1"]}, ["0-0 1-1"], text)
    >>> found.found_by.filter(dictionary="text-dic1").select("found_by", "entries").rows()
    [(1, 1), (2, 1)]
    """

    sizes: pl.DataFrame
    scores: pl.DataFrame
    correlations: pl.DataFrame
    by_length: pl.DataFrame
    classes: pl.DataFrame
    found_by: pl.DataFrame
    entries: pl.DataFrame
    signature: str
    by_sentence: pl.DataFrame | None = None
    links: tuple[list[Source], Source, IntoBitext] | None = None
    ranked: Evaluation | None = None


@checked
def study(
    hyp: IntoHypotheses,
    gold: IntoGold,
    bitext: IntoBitext,
    *,
    by: Sequence[str] | str = (),
    max_length: FromOne | None = None,
    sure_only: bool = False,
    possible_as_sure: Rare[bool] = False,
    strict: Rare[bool] = False,
    top: ForOutput[FromZero] = 100,
    folder: FilePath | None = None,
    memory_limit: Rare[str | None] = None,
    threads: Threads = None,
) -> Study:
    """Study how phrase dictionaries rate systems, and what is easy or hard to align.

    Parameters
    ----------
    hyp, gold, bitext, max_length, sure_only, strict, memory_limit, threads
        See ``alignframe.phrases.score``.
    by
        ``sid`` adds a table of single sentences, ``by_sentence``.
    possible_as_sure
        Treat every gold link as Sure in the word measures.
    top
        Number of one-word entries listed for each class and dictionary, and of longer ones.
    folder
        Folder for the figures of finished dictionaries, from which an interrupted study resumes.

    Returns
    -------
    Study
        The tables.

    Notes
    -----
    Carl & Fissaha 2003, figures 1 to 3 and the table of section 4. Scores of words count null
    links, as in section 2.1; see ``alignframe.links.add_null_links``.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import phrases
    >>> text = pl.DataFrame({"sid": [0], "src": [["not", "yet"]], "tgt": [["pas", "encore"]]})
    >>> found = phrases.study({"a": ["0-0"], "b": ["0-0 1-1"]}, ["0-0 1-1"], text)
    >>> found.sizes.select("system", "links", "text-dic1").rows()
    [('a', 1, 1), ('b', 2, 2), ('gold', 2, 2)]
    """
    apart = is_by_sentence(by)
    sources, golden = to_score(hyp, gold)
    golden, bitext = golden.in_memory(), in_memory(bitext)
    subset = "|".join(filter(None, (marks_of(sources, golden), "nulls:linked")))
    counted = signature(max_length, sure_only, subset)
    with (
        _silent(),
        loaded(sources, golden, bitext, sure_only, strict, memory_limit, threads) as given,
    ):

        def figures(name: str) -> pl.DataFrame:
            given.entries(name, max_length)
            if name in TEXT_DICTIONARIES:
                own = _shares(given, top)
            else:
                own = {
                    "found": given.place.frame(_BY_SENTENCE),
                    "gold": given.place.frame(_OF_GOLD),
                }
            return packed(scores=given.scores(name), **own)

        mark = whole_signature(f"study:phrases|{counted}|top:{top}", _texts_of(given, folder))
        rows = Runner(folder, mark).rows(figures, {name: name for name in DICTIONARIES})
        scores = []
        sizes = given.place.frame(_LINK_SIZES)
        for name, row in rows.items():
            mine = unpacked(row, "scores")
            scores.append(mine.rename({"dictionary": "measure"}))
            sizes = sizes.join(_dictionary_sizes(mine, name), on=["system", "kind"], how="left")
        of_systems, of_gold = (unpacked(rows[DICTIONARIES[0]], part) for part in ("found", "gold"))
        parts = {
            part: pl.concat(
                unpacked(rows[name], part).select(pl.lit(name).alias("dictionary"), pl.all())
                for name in TEXT_DICTIONARIES
            )
            for part in ("classes", "found_by", "entries")
        }
        lengths = given.place.frame("select sid, (len(src) + len(tgt)) / 2 as length from text")
    sizes_of_text = Text(bitext)
    words = LINKS.counts(
        [with_null_links(source, sizes_of_text) for source in sources],
        with_null_links(golden, sizes_of_text),
        possible_as_sure=possible_as_sure,
        bitext=bitext,
        strict=strict,
        threads=threads,
    )
    scores.append(_word_scores(words))
    sentences = _sentences(words, of_systems, of_gold, lengths)
    whole = pl.concat(part.select("system", "measure", *_FIGURES) for part in scores)
    return Study(
        sizes=sizes,
        scores=whole.sort("system", pl.col("measure").cast(pl.Enum(MEASURES))),
        correlations=_correlations(whole),
        by_length=_means(sentences, "length"),
        by_sentence=_means(sentences, "sid", "length").drop("sentences") if apart else None,
        signature=counted,
        links=(sources, golden, bitext),
        ranked=_ranked(sentences),
        **parts,
    )


@contextmanager
def _silent() -> Iterator[None]:
    """Silence warnings that are given when counting word links."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        yield


def _texts_of(given: Loaded, folder: FilePath | None) -> str:
    """Return what tells the links and the text of a kept study from others."""
    if folder is None:
        return ""
    sums = given.place.frame(_SUMS).row(0, named=True)
    return "|".join(f"{name}:{value:x}" for name, value in sums.items())


def _word_scores(words: pl.DataFrame) -> pl.DataFrame:
    """Return precision, recall and F of word links against Sure links, and against all."""
    return pl.concat(
        measure.table(words, ["system"]).insert_column(1, pl.lit(name).alias("measure"))
        for name, measure in WORD_MEASURES.items()
    )


def _dictionary_sizes(scores: pl.DataFrame, dictionary: str) -> pl.DataFrame:
    """Return the number of entries of every system, and of gold."""
    mine = scores.select("system", pl.lit("system").alias("kind"), "entries")
    gold = scores.head(1).select(
        pl.lit("gold").alias("system"), pl.lit("gold").alias("kind"), entries="gold_entries"
    )
    return pl.concat([mine, gold]).rename({"entries": dictionary})


def _shares(given: Loaded, top: int) -> dict[str, pl.DataFrame]:
    """Return the classes of the entries, how many systems find each, and the most frequent."""
    given.place.connection.execute(_SHARES, {"systems": len(given.systems)})
    given.place.connection.execute(_CHOSEN, {"top": top})
    numbers = given.place.frame(_NUMBERS)
    sums = pl.col("entries", "one_word", "multi_word").sum()
    classes = pl.DataFrame({"class": CLASSES})
    return {
        "classes": classes.join(
            numbers.group_by("class").agg(sums), on="class", how="left"
        ).fill_null(0),
        "found_by": numbers.drop_nulls("found_by").group_by("found_by").agg(sums).sort("found_by"),
        "entries": given.place.frame(_ENTRIES),
    }


def _correlations(scores: pl.DataFrame) -> pl.DataFrame:
    """Correlate the F of words with the F of dictionaries, over systems."""
    rows = []
    f = {name: scores.filter(measure=name).sort("system")["f"] for name in MEASURES}
    for word in WORD_MEASURES:
        for name in DICTIONARIES:
            sides = f[word].to_numpy(), f[name].to_numpy()
            n = len(sides[0])
            both = (correlation(*sides), spearman(*sides)) if n > 2 else (math.nan, math.nan)
            rows.append((word, name, n, *map(float, both)))
    kinds = {"word": pl.String, "dictionary": pl.String, "systems": pl.Int64}
    kinds |= {"pearson": pl.Float64, "spearman": pl.Float64}
    return pl.DataFrame(rows, schema=kinds, orient="row").fill_nan(None)


def _sentences(
    words: pl.DataFrame, of_systems: pl.DataFrame, of_gold: pl.DataFrame, lengths: pl.DataFrame
) -> pl.DataFrame:
    """Return the counts of links and of entries, one row per system and sentence."""
    return (
        words.join(of_systems, on=["system", "sid"], how="left", suffix="_entries")
        .join(of_gold, on="sid", how="left")
        .join(lengths, on="sid")
        .with_columns(pl.col("n_hyp_entries", "n_both", "n_gold").fill_null(0))
    )


def _ranked(sentences: pl.DataFrame) -> Evaluation:
    """Return scores of ``align-dic1`` with intervals, the highest F first, and their tests."""
    names = {"n_hyp": "n_hyp_entries", "n_both": "n_both", "n_gold": "n_gold"}
    counts = by_sentence(sentences.select("system", "sid", **names))
    drawn = RESAMPLES if counts["sid"].n_unique() > 1 else 0
    by_f = replace(SENTENCES, figures=SENTENCES.figures[::-1])
    return evaluate(by_f, counts, bootstrap=drawn)


def _means(sentences: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """Return mean figures of phrases and words, over the rows where they are defined."""
    figures = sentences.select(*dict.fromkeys(("sid", *keys))).with_columns(
        series.alias(f"{what}_{series.name}")
        for what, measure in _OF_SENTENCES.items()
        for series in measure.columns(sentences)
    )
    means = pl.exclude("sid", *keys).mean()
    return figures.group_by(keys).agg(pl.col("sid").n_unique().alias("sentences"), means).sort(keys)
