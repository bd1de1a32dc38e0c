"""Phrase pairs of links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

import pyarrow as pa

from alignframe.core.choices import PHRASE_KINDS
from alignframe.errors import InputError, check_known
from alignframe.lake.job import Job, Settings
from alignframe.lake.plan import How, JobOptions
from alignframe.lake.units import Unit
from alignframe.lake.work import Run, run
from alignframe.options import checked
from alignframe.phrases.extract import phrase_batches, schema_of
from alignframe.typing import FilePath, ForOutput, FromOne, Rare


@checked
def phrases(
    links: FilePath,
    out: FilePath,
    *,
    text: FilePath | None = None,
    kind: str = "minimal",
    max_length: FromOne | None = None,
    with_words: ForOutput[bool] = False,
    drop_outside: Rare[bool] = False,
    **how: Unpack[JobOptions],
) -> Run:
    """List the phrase pairs of a lake of links.

    Parameters
    ----------
    links
        A place with links.
    text
        A place with their text: sid, src and tgt.
    out, how
        See ``alignframe.lake.score``.
    kind, max_length, with_words, drop_outside
        See ``alignframe.phrases.extract``.

    Returns
    -------
    Run
        See ``alignframe.lake.score``; its output is a place with phrases.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> formats.write(formats.read("datasets/en-fr/eager.talp"), "links.parquet")
    >>> run = lake.phrases("links.parquet", "phrases", max_length=3)
    >>> run.units["status"].to_list()
    ['done']
    """
    check_known("`kind`", kind, PHRASE_KINDS)
    if with_words and text is None:
        raise InputError("`with_words` needs `text`")
    settings = {"kind": kind, "max_length": max_length, "with_words": with_words}
    if drop_outside:
        if text is None:
            raise InputError("`drop_outside` needs `text`")
        settings["outside"] = "dropped"
    inputs = {"links": links} | ({} if text is None else {"text": text})
    return run(JOB, inputs, out, settings, How.of(phrases, how))


def _rows(unit: Unit, settings: Settings) -> Iterator[pa.Table]:
    """Yield the phrase pairs of every sentence."""
    given = unit.inputs["links"]
    # First, so that the file of a partition without phrases has columns.
    yield schema_of(settings["with_words"]).empty_table()
    for batch in phrase_batches(
        given,
        settings["kind"],
        max_length=settings["max_length"],
        bitext=unit.inputs.get("text"),
        with_words=settings["with_words"],
        drop_outside="outside" in settings,
    ):
        yield pa.Table.from_batches([batch])


JOB = Job("phrases", "phrases", ("links", "text"), _rows)
