"""Jobs whose rows are not counts: symmetrized links, alignments and phrases of a unit."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pyarrow as pa

from alignframe.arrow import check_distinct, sentence_column
from alignframe.errors import InputError, in_file, number_of
from alignframe.lake.companions import LinksBeside
from alignframe.lake.jobs import Job, Settings
from alignframe.lake.units import Unit
from alignframe.links.inputs import links_source
from alignframe.read.pairs import sentence_pairs
from alignframe.tables import ALIGNMENTS

_NO_LINKS = pl.DataFrame(pl.from_arrow(ALIGNMENTS.empty_table())).to_arrow()
"""The rows of an empty partition: none, with the types of other files."""


def _symmetrize_rows(unit: Unit, settings: Settings) -> Iterator[pa.Table]:
    """Yield the symmetrized links."""
    from alignframe import links

    forward = links_source(unit.inputs["forward"], unit.system)
    reverse = LinksBeside(unit.inputs["reverse"], None)
    done = 0
    sids = []
    for batch in forward.batches():
        sids.append(sentence_column(batch))
        mine = pa.Table.from_batches([batch])
        joined = links.symmetrize(
            mine,
            reverse.of(sids[-1]),
            settings["method"],
            reverse_is=settings["reverse_is"],
            system=settings["system"] or unit.system,
        )
        done += joined.height
        yield joined.to_arrow()
    with in_file(forward.name):
        check_distinct(sids, "forward")
    if done != reverse.size():
        raise InputError(
            f"forward has {number_of(done, 'sentence')}, reverse {reverse.size():,}",
            path=reverse.source.name,
            expected="the same sentences in both directions",
        )
    if not done:
        yield _NO_LINKS


def _align_rows(unit: Unit, settings: Settings) -> Iterator[pa.Table]:
    """Yield the links found by a saved model."""
    from alignframe.aligners.bidirectional import align_with
    from alignframe.aligners.rows import saved_models

    models = saved_models(settings["model"], settings["symmetrize"])
    keys = {name for name, _ in unit.keys}
    text = sentence_pairs(unit.inputs["text"])
    if "sid" not in text.schema.names:
        raise InputError("has no column sid", path=unit.inputs["text"].name)
    known = [name for name in ("sid", "src", "tgt") if name not in keys]
    if "sid" in known:
        sids = (sentence_column(batch) for batch in text.columns_of("sid"))
        with in_file(unit.inputs["text"].name):
            check_distinct(sids, "the text")
    batch = None
    for batch in text.batches():
        yield align_with(
            models,
            batch.select(known),
            symmetrize=settings["symmetrize"],
            threshold=settings["threshold"],
            system=settings["system"],
        ).to_arrow()
    if batch is None:
        yield _NO_LINKS


def _phrases_rows(unit: Unit, settings: Settings) -> Iterator[pa.Table]:
    """Yield the phrase pairs of every sentence."""
    from alignframe.phrases.extract import phrase_batches, schema_of

    given = unit.inputs["links"]
    yield schema_of(settings["with_words"]).empty_table()
    for batch in phrase_batches(
        given,
        settings["kind"],
        max_length=settings["max_length"],
        bitext=unit.inputs.get("text"),
        with_words=settings["with_words"],
    ):
        yield pa.Table.from_batches([batch])


SYMMETRIZE = Job("symmetrize", "links", ("forward", "reverse"), _symmetrize_rows)
ALIGN = Job("align", "links", ("text",), _align_rows)
PHRASES = Job("phrases", "phrases", ("links", "text"), _phrases_rows)
