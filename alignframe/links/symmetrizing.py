"""Symmetrizing the alignments of two directions."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe import functions
from alignframe.core.arrow import as_array, to_links
from alignframe.core.choices import ORDERS
from alignframe.core.symmetrization import DEFAULT, check_method
from alignframe.errors import InputError, number_of, warn
from alignframe.formats.rows import Reading, tidied
from alignframe.kernels.links.counts import count_gold
from alignframe.kernels.ragged import tidy
from alignframe.links.inputs import by_sentence, links_source
from alignframe.links.probabilities import keys, mean_of
from alignframe.read.nested import PROBABILITIES, is_weighed
from alignframe.sources.ids import joined_by_id
from alignframe.sources.misread import FEW, SAMPLE, shared_links, warn_if_misread
from alignframe.sources.source import Source
from alignframe.typing import ForInput, IntoLinks


def symmetrize(
    forward: IntoLinks,
    reverse: IntoLinks,
    method: str = DEFAULT,
    *,
    reverse_is: ForInput[str] = "src-tgt",
    system: str | None = None,
) -> pl.DataFrame:
    """Combine a forward and a reverse alignment, sentence by sentence.

    Parameters
    ----------
    forward, reverse
        Links of one system each: frames or paths. In the forward direction, each target word picks
        its source word; in the reverse direction, each source word picks its target word. The order
        matters for methods that end in ``-final`` or ``-and``.
    method
        How to combine them. ``intersection``, ``union``, ``refined``: as in Och & Ney (2003);
        ``union-closure``, ``refined-closure``: where every connected component is fully linked
        (Fraser & Marcu 2007); ``grow``, ``grow-diag``, ``grow-final``, ``grow-diag-final``,
        ``grow-diag-final-and``: as in Moses' symal; ``atools-grow-diag``,
        ``atools-grow-diag-final``, ``atools-grow-diag-final-and``: as in fast_align's atools;
        ``lilt-grow-diag``, ``lilt-grow-diag-final``: as in Lilt's scripts, where both words of an
        added link must be unaligned. ``docs/symmetrization.md`` gives their rules.
    reverse_is
        ``src-tgt``: links of the reverse direction have the source word first; ``tgt-src``: the
        target word.
    system
        The name of the result; by default the method's name.

    Returns
    -------
    polars.DataFrame
        The columns system, sid and links, one row per sentence; and probabilities if both sides
        have them: the means of both, where a direction without the link counts as 0. Links that
        neither has, which closures add, have none.

    Raises
    ------
    InputError
        If the method is unknown, a side has several systems, or the sides differ in their
        sentences.

    Examples
    --------
    >>> from alignframe import links
    >>> forward, reverse = ["0-0 1-1 1-2"], ["0-0 1-1 2-1"]
    >>> links.symmetrize(forward, reverse, "intersection")["links"].to_list()
    [[{'i': 0, 'j': 0}, {'i': 1, 'j': 1}]]
    """
    check_method(method)
    first = links_source(forward)
    first_table, second_table = (
        _only(first, "forward"),
        _only(joined_by_id(links_source(reverse), first), "reverse"),
    )
    if reverse_is not in ORDERS:
        raise InputError(f"`reverse_is` is {reverse_is!r}", expected=" or ".join(ORDERS))
    if first_table["sid"].combine_chunks() != second_table["sid"].combine_chunks():
        only = set(first_table["sid"].to_pylist()) ^ set(second_table["sid"].to_pylist())
        raise InputError(
            f"forward has {number_of(first_table.num_rows, 'sentence')}, reverse "
            f"{second_table.num_rows:,}"
            + (f"; only one of them has sentence {min(only)}" if only else ""),
            expected="the same sentences in both directions",
        )
    given = backward = second_table["links"].combine_chunks()
    if reverse_is == "tgt-src":
        backward = functions.invert_links(backward)
    _check_order(first_table["links"].combine_chunks(), backward)
    # The reverse file may be the forward one given again, whichever order was said of it.
    if any(
        _same_links(first_table["links"].combine_chunks(), other) for other in (given, backward)
    ):
        warn("both directions have the same links; was the same file given twice?")
    joined = functions.symmetrize(first_table["links"].combine_chunks(), backward, method)
    table = pa.table(
        {
            "system": pa.array([system or method] * first_table.num_rows, pa.string()),
            "sid": first_table["sid"],
            "links": joined,
            **_means(joined, first_table, second_table, reverse_is),
        }
    )
    return pl.DataFrame(pl.from_arrow(table))


def _means(
    joined: pa.Array, forward: pa.Table, reverse: pa.Table, order: str
) -> dict[str, pa.Array]:
    """Return the column of the mean probabilities of both directions, if both have some."""
    names = ("forward", "reverse")
    weighed = [PROBABILITIES in table.column_names for table in (forward, reverse)]
    if not all(weighed):
        if any(weighed):
            own, other = names if weighed[0] else names[::-1]
            warn(
                f"the probabilities of the {own} links are left out, as the {other} links have none"
            )
        return {}
    orders = ("src-tgt", order)
    sides = [
        pa.Table.from_batches(
            [
                tidied(batch, Reading(order=way))
                for batch in table.select(["sid", "links", PROBABILITIES])
                .combine_chunks()
                .to_batches()
            ]
        )
        for table, way in zip((forward, reverse), orders, strict=True)
    ]
    wanted = keys(joined)
    mean = mean_of(wanted, *sides)
    # Links that neither direction has, as closures add them, have no probability.
    given = np.isin(wanted, np.concatenate([keys(side.column("links")) for side in sides]))
    mean = pa.array(mean, mask=~given | np.isnan(mean))
    return {PROBABILITIES: pa.ListArray.from_arrays(as_array(joined).offsets, mean)}


def _check_order(forward: pa.Array, reverse: pa.Array) -> None:
    """Warn if the directions agree far better once one of them is reversed."""
    every = np.arange(len(forward))
    shared = shared_links(to_links(reverse), count_gold(to_links(forward[:SAMPLE])), every, every)
    todo = "use `reverse_is='tgt-src'`"
    warn_if_misread(shared, ("reverse", "forward"), "the directions", todo)


def _same_links(first: pa.Array, second: pa.Array) -> bool:
    """Whether two columns have the same links, too many for chance."""
    mine, others = tidy(to_links(first)), tidy(to_links(second))
    return mine.i.size > FEW and all(
        np.array_equal(getattr(mine, name), getattr(others, name)) for name in ("offsets", "i", "j")
    )


def _only(given: Source, side: str) -> pa.Table:
    """Return the links of a single-system source, by sid."""
    table = _table(given)
    if not table.num_rows:
        raise InputError(f"the {side} alignment has no rows", path=given.name)
    systems = table["system"].unify_dictionaries().combine_chunks().unique().to_pylist()
    if len(systems) > 1:
        raise InputError(
            f"the {side} alignment holds the systems {', '.join(systems)}",
            path=given.name,
            expected="one",
        )
    # Long rows of one sentence may be in several batches.
    if _repeats(table) and given.is_long:
        table = _table(by_sentence(given))
    if _repeats(table):
        raise InputError(
            f"the {side} alignment gives a sentence more than once",
            path=given.name,
            expected="one row per sentence",
        )
    return table.drop_columns(["system"]).sort_by("sid")


def _table(given: Source) -> pa.Table:
    keep = [PROBABILITIES] * is_weighed(given.schema)
    columns = ["system", "sid", "links", *keep]
    batches = [batch.select(columns) for batch in given.batches(keep=keep)]
    return pa.Table.from_batches(batches) if batches else pa.table({"sid": []})


def _repeats(table: pa.Table) -> bool:
    return bool(len(table["sid"].unique()) < table.num_rows)
