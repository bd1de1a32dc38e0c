"""Scoring beads against gold: additive counts per document, and ratios of their sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import polars as pl

from alignframe.beads.measure import beads_measure, of_documents
from alignframe.beads.sources import (
    beads_of,
    beads_source,
    hypotheses,
    lengths_of,
    warn_of_differences,
)
from alignframe.core.choices import AVERAGES, ONE_SIDED
from alignframe.errors import (
    InputError,
    check_flags,
    check_known,
    number_of,
    warn,
)
from alignframe.options import checked
from alignframe.sources.keys import Growing, growing
from alignframe.sources.source import Source
from alignframe.stats.scores import FORMER, Scores, former
from alignframe.stats.task import Counted, Task
from alignframe.typing import (
    Confidence,
    ForInput,
    IntoBeads,
    IntoFrame,
    IntoSentences,
    Rare,
    Resamples,
    Seed,
    Several,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@checked
def score(
    hyp: Several[IntoBeads],
    gold: IntoBeads,
    *,
    on: ForInput[Sequence[str] | str] = (),
    by: Sequence[str] | str = (),
    average: Rare[str] = "micro",
    bootstrap: Resamples | None = None,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    one_sided: str = "precision",
    lengths: IntoFrame | tuple[IntoSentences, IntoSentences] | None = None,
    gold_as_written: Rare[bool] = False,
) -> Scores:
    """Score beads of systems against gold.

    Parameters
    ----------
    hyp
        Beads of the systems: a frame, a path, a mapping from system names to these, or a list.
    gold
        Gold beads: a frame or a path. If gold and a hypothesis hold one document each and one of
        the two is a file, they count as the same document, whatever their names.
    on
        Columns that identify a document on both sides, such as domain and doc; by default doc.
    by
        ``doc``, ``type``, both or columns in ``on``, for a row per value; by default one row for
        all documents.
        Scores by type count beads with an empty side as a type of their own.
    average
        ``micro``: ratios of sums over all documents; ``macro``: means over the documents for which
        a figure is defined, and for F over those of recall, 0 where the system has nothing
        (``<figure>_docs`` is the number of these documents).
    bootstrap
        Number of resamples of documents for intervals and tests; by default none for scores, 10,000
        for comparisons and 1,000 for pages.
    confidence, seed
        The confidence level of intervals, and the random seed.
    one_sided
        Where beads with an empty side count. ``precision``: as in published figures, among the
        hypothesis' beads, and correct if identical to gold's, but not among gold's; ``count``:
        among both; ``ignore``: among neither.
    lengths
        The numbers of sentences of all documents: a frame with doc, n_src and n_tgt, or the two
        texts of a single document. By default, a document ends with the last bead in either table.
    gold_as_written
        Whether gold may have a sentence in two beads, with a ``DataWarning``, as published gold
        may by mistake. Each of its beads counts as it stands; a pair of sentences in two counts
        once. Beads of files, also of hypotheses, that skip a sentence are then not extended over
        it.

    Returns
    -------
    Scores
        Its ``scores`` have a row per system (and document, type): system, the counts,
        strict_precision, strict_recall, strict_f, lax_precision, lax_recall, lax_f, pair_precision,
        pair_recall, alignment_rate (not by type), each with ``_low`` and ``_high`` when resampled,
        and signature. A strict match is an identical bead, a lax one overlaps on both sides.
        Precision is null if the system has nothing, recall if gold has nothing; F is null if either
        is. The alignment rate is the share of sentences in beads with both sides, averaged over the
        sides that have sentences.

        Its ``counts`` have a row per system and document (and type): system, doc, n_hyp, n_gold
        (beads), n_hyp_strict, n_gold_strict (those identical to a bead of the other table),
        n_hyp_lax, n_gold_lax (those that overlap one on both sides), n_hyp_pairs, n_gold_pairs,
        n_both_pairs (pairs of sentences), n_src_aligned, n_tgt_aligned (sentences in the system's
        beads with both sides), n_src and n_tgt (sentences), and signature. By type, n_both_pairs
        counts pairs in the system's beads of the type, and n_src and n_tgt are missing.
        ``compare(baseline)`` tests differences from a system, ``worst(n)`` lists documents with the
        lowest strict precision, and ``page()`` is a page with charts.

    Raises
    ------
    InputError
        If a table is not a table of beads, or has a sentence in two beads (but see
        ``gold_as_written``); if there is a single document to resample, or scores are by document.
        What the tables hold is read when a part is asked for.

    Notes
    -----
    Pairs and alignment rate: Zaidan & Chowdhary 2013, section 4.3; a bead counts as all pairs of
    its sentences. A ``DataWarning`` counts crossing gold beads: they are scored, though a monotone
    aligner cannot find all of them. A document present only in gold or only in a hypothesis has
    zeros for the other, with a ``DataWarning``.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import beads
    >>> names = ["src_start", "src_end", "tgt_start", "tgt_end"]
    >>> gold = pl.DataFrame([(0, 1, 0, 1), (1, 3, 1, 2)], schema=names, orient="row")
    >>> hyp = pl.DataFrame([(0, 1, 0, 1), (1, 2, 1, 2), (2, 3, 2, 2)], schema=names, orient="row")
    >>> found = beads.score(hyp, gold)
    >>> found.counts.select("n_hyp", "n_gold", "n_hyp_strict", "n_hyp_lax").row(0)
    (3, 2, 1, 2)
    >>> round(found.scores["strict_precision"][0], 2), found.scores["strict_recall"][0]
    (0.33, 0.5)
    """
    given = {**locals(), "keys": growing(on)}
    del given["on"]
    return Scores.of(BEADS, (hyp, gold), given)


def crossings(beads: IntoBeads) -> int:
    """Return how many beads cross one earlier in the source: their target starts before its end.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import beads
    >>> turned = {"src_start": [0, 1], "src_end": [1, 2], "tgt_start": [1, 0], "tgt_end": [2, 1]}
    >>> beads.crossings(pl.DataFrame(turned))
    1
    """
    # It imports DuckDB, which aligners do not need.
    from alignframe.engines.session import limited, unchecked

    with limited(["beads"]) as connection, unchecked(connection, "bead_rows", "bead_faults"):
        connection.register("given", beads_of(beads_source(beads)).to_arrow())
        rows = connection.execute("select sum(crossing) from bead_crossings('given')").fetchall()
    return int(rows[0][0] or 0)


def _count(
    hyp: IntoBeads | Several[IntoBeads],
    gold: IntoBeads,
    *,
    by: Sequence[str],
    unit: str,  # noqa: ARG001 - rows are those of documents
    one_sided: str = "precision",
    lengths: IntoFrame | None = None,
    gold_as_written: bool = False,
    average: str = "micro",
    keys: Growing | None = None,
) -> Counted:
    """Count the beads of every document (and type)."""
    check_flags(gold_as_written=gold_as_written)
    golden = beads_source(gold, "gold", gold_as_written, gaps=gold_as_written, keys=keys)
    own = [] if keys is None else keys.names
    for name in by:
        check_known("column in `by`", name, dict.fromkeys((*_GROUPS, *own)))
    check_known("`average`", average, AVERAGES)
    of_types = "type" in by
    if of_types and one_sided == "ignore":
        raise InputError("`one_sided` with scores by type", expected="one of them")
    with _loaded(hyp, golden, lengths, one_sided, gold_as_written, keys) as given:
        frame = given.by_type() if of_types else given.by_document(one_sided)
        systems = given.systems
    if not by and not frame.height:  # neither the systems nor gold have any bead
        nothing = pl.DataFrame({"system": pl.Series(systems, dtype=pl.String)})
        frame = nothing.join(frame, on="system", how="left").fill_null(0)
    if keys is not None and {*by} & {*own} - {"doc"}:
        frame = frame.hstack(keys.columns_of(frame["doc"]).select(pl.exclude("doc")))
    measure = beads_measure(
        one_sided,
        lengths=lengths is not None,
        of_types=of_types,
        gold_as_written=gold_as_written,
    )
    shown = [name for name in frame.columns if name not in ("system", *_GROUPS, *own)]
    if average == "macro":
        measure, frame = of_documents(measure, frame)
        shown += [name for name in measure.counts if name.endswith("_docs")]
    return Counted(frame, measure, shown={name: name for name in shown})


class _Loaded:
    """A connection with the tables hyp, gold and lengths, and how to count."""

    def __init__(
        self, connection: DuckDBPyConnection, systems: Sequence[str], as_written: bool
    ) -> None:
        self.connection = connection
        self.systems = list(systems)
        self._options = {"systems": self.systems, "as_written": as_written}

    def frame(self, sql: str, given: dict[str, object]) -> pl.DataFrame:
        """Return the result of a query."""
        from alignframe.engines.session import few_rows

        return few_rows(self.connection, sql, given)

    def by_type(self) -> pl.DataFrame:
        """Return one row per system, document and type."""
        sql = (
            "select * from bead_type_counts("
            "'hyp', 'gold', systems := $systems, gold_as_written := $as_written)"
        )
        return self.frame(sql, self._options).sort("system", "doc", "type")

    def by_document(self, one_sided: str) -> pl.DataFrame:
        """Return one row per system and document."""
        sql = (
            "select * from bead_counts("
            "'hyp', 'gold', one_sided := $one_sided, lengths := 'lengths', systems := $systems, "
            "gold_as_written := $as_written)"
        )
        return self.frame(sql, self._options | {"one_sided": one_sided}).sort("system", "doc")


@contextmanager
def _loaded(
    hyp: IntoBeads | Several[IntoBeads],
    gold: Source,
    lengths: IntoFrame | None,
    one_sided: str,
    as_written: bool,
    keys: Growing | None,
) -> Iterator[_Loaded]:
    """Load checked tables into a connection; warn of documents missing on one side."""
    check_known("`one_sided`", one_sided, ONE_SIDED)
    golden = beads_of(gold)
    names = ", ".join(golden["system"].unique().sort())
    if golden["system"].n_unique() > 1:
        raise InputError(f"gold holds the systems {names}", expected="one")
    beads_of_systems = hypotheses(hyp, gold, golden, as_written, keys)
    both = pl.concat([golden, *beads_of_systems.values()], how="diagonal")
    parts = pl.DataFrame(schema={"part_of": pl.String})
    tables = {
        "hyp": pl.concat([parts, *beads_of_systems.values()], how="diagonal"),
        "gold": pl.concat([parts, golden], how="diagonal"),
        "lengths": lengths_of(lengths, both, keys),
    }
    # It imports DuckDB, which aligners do not need.
    from alignframe.engines.session import limited, unchecked

    with (
        limited(["beads", "beads_scores"]) as connection,
        unchecked(connection, "bead_rows", "bead_faults"),
    ):
        for name, frame in tables.items():
            connection.register(name, frame.to_arrow())
        given = _Loaded(connection, list(beads_of_systems), as_written)
        warn_of_differences(tables["hyp"], golden, given.systems)
        if not as_written:  # beads that share a sentence would count as crossing
            _warn_of_crossings(connection, golden)
        yield given


def _warn_of_crossings(connection: DuckDBPyConnection, gold: pl.DataFrame) -> None:
    """Warn of beads of gold out of order."""
    sql = "select sum(crossing), count(*) from bead_crossings('gold') where crossing > 0"
    crossing, docs = connection.execute(sql).fetchall()[0]
    if crossing:
        where = f" in {number_of(docs, 'document')}" if gold["doc"].n_unique() > 1 else ""
        text = f"gold: {crossing:,} of {number_of(gold.height, 'bead')}{where} cross a bead with an"
        warn(f"{text} earlier source")


_GROUPS = ("doc", "type")

BEADS = Task(_count, unit="doc", drawn="doc")
"""How beads are counted."""

counts, scores, compare = (former(score, *names) for names in FORMER[:3])
