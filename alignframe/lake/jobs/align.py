"""Links found by a saved model, or by one of a sample of the lake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import fspath
from pathlib import Path
from typing import Unpack

import pyarrow as pa

from alignframe.core.keys import check_distinct, sentence_column
from alignframe.core.symmetrization import DEFAULT
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError, in_file, number_of
from alignframe.lake.companions import NO_LINKS
from alignframe.lake.job import Job, Settings
from alignframe.lake.marks import marks_of
from alignframe.lake.plan import How, JobOptions
from alignframe.lake.units import Source, Unit, units_of
from alignframe.lake.work import Run, run
from alignframe.options import checked
from alignframe.sources.pairs import sentence_pairs
from alignframe.stores import open_output
from alignframe.stores.remote import is_remote
from alignframe.typing import BelowOne, FilePath, FromOne


@checked
def align(
    text: FilePath,
    model_from: FilePath | None = None,
    out: FilePath | None = None,
    *,
    train_on: FromOne | None = None,
    symmetrize: str = DEFAULT,
    threshold: BelowOne | None = None,
    system: str | None = None,
    **how: Unpack[JobOptions],
) -> Run:
    """Align the words of a lake of text.

    Parameters
    ----------
    text
        A place with text: sid, src and tgt.
    model_from
        The folder of a forward and a reverse model, as written by ``alignframe align
        --save-model``. In Python, None with ``train_on``.
    train_on
        Train on this many sentence pairs, spread evenly over the lake. The model is kept with the
        output, and aligns what is added later too.
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
    if out is None:
        raise InputError("no `out`", expected="a place for the links")
    directions.check_method(symmetrize)
    threshold = check_threshold(threshold)
    if (model_from is None) == (train_on is None):
        found = "neither" if train_on is None else "both"
        raise InputError(f"{found} of `model_from` and `train_on`", expected="one of them")
    if train_on is not None:
        model_from = _trained_on(
            text, train_on, out, directions.directions_of(symmetrize), job_settings
        )
    # A model that lacks a direction is refused before any unit is read.
    directions.direction_homes(model_from or "", directions.directions_of(symmetrize))
    settings = {
        "model": fspath(model_from or ""),
        "symmetrize": symmetrize,
        "threshold": threshold,
        "system": system,
        **({} if train_on is None else {"train_on": train_on}),
        # Another model at the same path makes all units stale; the signature names only the path.
        "made_with": marks_of([fspath(model_from or "")]),
    }
    return run(JOB, {"text": text}, out, settings, job_settings)


def _trained_on(
    text: FilePath, size: int, out: FilePath, names: Sequence[str], how: How
) -> FilePath:
    """Return the model beside an output that was trained on so many sentence pairs, now if none."""
    from alignframe.aligners.bidirectional import fit_directions
    from alignframe.aligners.sampling import sample
    from alignframe.aligners.streamed import Parts
    from alignframe.options.training import training_of

    output = None if is_remote(fspath(out)) else open_output(out, JOB.table, how.format)
    if output is None or output.folder.filesystem is not None:
        raise InputError(
            "`train_on` with an output in an object store, where no model is kept",
            path=out,
            todo="train with align --train-on --save-model, and name the model by `model_from`",
        )
    output.check()
    place = Source(fspath(text), "text")
    next(units_of([place], how.on, whole=False), None)  # which refuses what is not a lake
    kept = output.folder.full("_alignframe/model")
    if how.dry_run and not Parts(Path(f"{kept}.parts")).are_of(size, names):
        raise InputError(
            f"`dry_run` before a model of {number_of(size, 'sentence pair')} is trained",
            path=output.name,
            todo="run it without",
        )
    output.prepare()
    parts = Parts.beside(kept, size, names)
    if parts.models(names) is None:
        training = training_of("bayes", {"threads": how.threads})
        # Partitions may number their sentences alike.
        some = sample(sentence_pairs(place.files), size)[0].select(SIDES)
        fitted = fit_directions(some, training, names)
        del some  # it can need more memory than training
        parts.keep(one.model for one in fitted)
    return parts.model


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
