"""Links found by a saved model."""

from __future__ import annotations

from collections.abc import Iterator
from os import fspath
from typing import Unpack

import pyarrow as pa

from alignframe.core.keys import check_distinct, sentence_column
from alignframe.core.symmetrization import DEFAULT
from alignframe.errors import InputError, in_file
from alignframe.lake.companions import NO_LINKS
from alignframe.lake.job import Job, Settings
from alignframe.lake.marks import marks_of
from alignframe.lake.plan import How, JobOptions
from alignframe.lake.units import Unit
from alignframe.lake.work import Run, run
from alignframe.sources.pairs import sentence_pairs
from alignframe.typing import BelowOne, FilePath


def align(
    text: FilePath,
    model_from: FilePath,
    out: FilePath,
    *,
    symmetrize: str = DEFAULT,
    threshold: BelowOne | None = None,
    system: str | None = None,
    **how: Unpack[JobOptions],
) -> Run:
    """Align the words of a lake of text with a saved model.

    Parameters
    ----------
    text
        A place with text: sid, src and tgt.
    model_from
        The folder of a forward and a reverse model, as written by ``alignframe align
        --save-model``.
    out, how
        See ``alignframe.lake.score``.
    symmetrize, threshold, system
        See ``alignframe.aligners.align``.

    Returns
    -------
    Run
        See ``alignframe.lake.score``; its output is a place with links.

    Examples
    --------
    >>> from alignframe import aligners, formats, lake
    >>> text = formats.read_bitext("datasets/en-fr/text.en", "datasets/en-fr/text.fr")
    >>> formats.write(text, "text.parquet")
    >>> for name in ("forward", "reverse"):
    ...     aligners.fit(text, model="ibm1", reverse=name == "reverse").save(f"model/{name}")
    >>> lake.align("text.parquet", "model", "links").units["rows"].to_list()
    [72]
    """
    from alignframe.aligners import directions
    from alignframe.aligners.model import check_threshold

    job_settings = How.of(align, how)
    directions.check_method(symmetrize)
    threshold = check_threshold(threshold)
    # A model that lacks a direction is refused before any unit is read.
    directions.direction_homes(model_from, directions.directions_of(symmetrize))
    settings = {
        "model": fspath(model_from),
        "symmetrize": symmetrize,
        "threshold": threshold,
        "system": system,
        # Another model at the same path makes all units stale; the signature names only the path.
        "made_with": marks_of([fspath(model_from)]),
    }
    return run(JOB, {"text": text}, out, settings, job_settings)


def _rows(unit: Unit, settings: Settings) -> Iterator[pa.Table]:
    """Yield the links found by a saved model."""
    from alignframe.aligners.bidirectional import align_with
    from alignframe.aligners.function import saved_models

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
    # A partition without rows has no batch, but its file needs columns.
    if batch is None:
        yield NO_LINKS


JOB = Job("align", "links", ("text",), _rows)
