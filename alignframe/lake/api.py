"""Jobs as functions, each of which updates its output from its inputs, unit by unit."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath, walk
from pathlib import Path
from typing import Any, Unpack

from alignframe.choices import (
    EMPTY_ORDERS,
    ONE_SIDED,
    ORDERS,
    PHRASE_KINDS,
    TRANSLATION_METRICS,
)
from alignframe.errors import (
    InputError,
    check_keywords,
    check_known,
    in_bounds,
    plain,
)
from alignframe.lake.counting import BEADS, SCORE, TESLA
from alignframe.lake.making import ALIGN, PHRASES, SYMMETRIZE
from alignframe.lake.plan import How, JobOptions
from alignframe.lake.work import Run, run
from alignframe.read.parquet import ParquetFiles
from alignframe.stores.parquet import file_mark
from alignframe.symmetrization import DEFAULT, check_method
from alignframe.typing import FilePath

_OF_TESLA = [
    *("features", "pivots", "language_models", "model", "references_combined", "recall_weight"),
    *("empty_order", "function_weight"),
]
"""The options of ``tesla.score`` that change counts."""


def open(place: str | PathLike[str]) -> ParquetFiles:  # noqa: A001 - called as lake.open
    """Open a place with a table.

    Parameters
    ----------
    place
        A Parquet file, a glob, a folder (hive-partitioned or a Delta table),
        ``iceberg:CATALOG.namespace.table``, or one of these in an object store, ``s3://...``.

    Returns
    -------
    ParquetFiles
        With ``version``, ``schema``, ``units()`` (the partitions), ``files(keys)`` and
        ``reader(keys, columns)``, a stream of Arrow batches.

    Raises
    ------
    InputError
        If there is nothing.
    MissingExtraError
        If the library of Delta or Iceberg is not installed.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> formats.write(formats.read("datasets/en-fr/eager.talp"), "links.parquet")
    >>> place = lake.open("links.parquet")
    >>> place.schema.names, place.reader().read_all().num_rows
    (['system', 'sid', 'links'], 72)
    """
    return ParquetFiles(place)


def score(
    hyp: FilePath,
    gold: FilePath,
    out: FilePath,
    *,
    possible_as_sure: bool = False,
    strict: bool = False,
    **how: Unpack[JobOptions],
) -> Run:
    """Count the links of a lake against gold, partition by partition, skipping finished ones.

    Parameters
    ----------
    hyp
        A place with links, partitioned by ``system`` and optionally other keys.
    gold
        Gold links: a place, or a file of any format. If it has keys of ``hyp``, as partitions or as
        columns, each partition is counted against its own gold.
    out
        Where to write: a folder, ``iceberg:CATALOG.namespace.table`` or ``s3://...``.
    possible_as_sure, strict
        See ``alignframe.links.counts``.
    how
        The fields of ``lake.How``: on, format, commit_every, threads, prune, dry_run, check,
        progress, engine.

    Returns
    -------
    Run
        What was done with each unit. ``lake.scores`` computes scores from the counts.

    Raises
    ------
    InputError
        If an input or the output cannot be used at all. Errors of single partitions are in the
        result; the others are finished.

    Notes
    -----
    A gold sentence that a system lacks counts as empty, even if the system lacks a whole partition.
    The sum over all units equals the counts of ``links.scores``.

    Examples
    --------
    >>> from pathlib import Path
    >>> from alignframe import formats, lake
    >>> Path("hyp/system=eager").mkdir(parents=True)
    >>> formats.write(formats.read("datasets/en-fr/eager.talp"), "hyp/system=eager/links.parquet")
    >>> run = lake.score("hyp", "datasets/en-fr/gold.talp", "counts")
    >>> run.units.select("unit", "status", "rows").rows()
    [('system=eager', 'done', 72)]
    """
    check_keywords(score, how, JobOptions.__annotations__)
    settings = {"possible_as_sure": possible_as_sure, "strict": strict}
    return run(SCORE, {"hyp": hyp, "gold": gold}, out, settings, How(**how))


def beads(
    hyp: FilePath,
    gold: FilePath,
    out: FilePath,
    *,
    one_sided: str = "precision",
    **how: Unpack[JobOptions],
) -> Run:
    """Count the beads of a lake against gold, document by document.

    Parameters
    ----------
    hyp, gold
        Places with beads (see ``score`` and ``alignframe.beads.counts``). A partition is held in
        memory.
    out, how
        See ``score``.
    one_sided
        See ``alignframe.beads.counts``.

    Returns
    -------
    Run
        See ``score``.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> formats.write(formats.read_beads("datasets/mill/mill.beads"), "beads.parquet")
    >>> run = lake.beads("beads.parquet", "beads.parquet", "counts")
    >>> lake.scores("counts")["strict_f"].to_list()
    [1.0]
    """
    check_keywords(beads, how, JobOptions.__annotations__)
    check_known("`one_sided`", one_sided, ONE_SIDED)
    return run(BEADS, {"hyp": hyp, "gold": gold}, out, {"one_sided": one_sided}, How(**how))


def tesla(
    hyp: FilePath,
    ref: FilePath,
    out: FilePath,
    *,
    metric: str = "tesla-m",
    options: Mapping[str, Any] | None = None,
    analysis: Mapping[str, Any] | None = None,
    **how: Unpack[JobOptions],
) -> Run:
    """Count what TESLA, BLEU or chrF need; ``lake.scores`` turns counts into scores.

    Parameters
    ----------
    hyp
        A place with translations: sid and text (or, for TESLA, tokens).
    ref
        A place with one reference per sentence.
    out, how
        See ``score``.
    metric
        ``tesla-m``, ``tesla-b``, ``tesla-f``: as in ``tesla score``; ``bleu``, ``chrf``: as in ``mt
        score``.
    options
        Options of ``alignframe.tesla.score`` (pivots, language_models, model and so on) or of
        ``alignframe.mt.scores``.
    analysis
        For TESLA, options of ``language.Analysis.of``, such as language and tagger.

    Returns
    -------
    Run
        See ``score``.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import lake
    >>> pl.DataFrame({"sid": [0], "text": ["the cat sat"]}).write_parquet("text.parquet")
    >>> run = lake.tesla("text.parquet", "text.parquet", "counts", metric="chrf")
    >>> lake.scores("counts")["chrf"].to_list()
    [100.0]
    """
    check_keywords(tesla, how, JobOptions.__annotations__)
    check_known("metric", metric, TRANSLATION_METRICS)
    from alignframe.mt.measures import MetricOptions, Options

    known = _OF_TESLA if metric.startswith("tesla-") else [*MetricOptions.__annotations__]
    for name in options or ():
        if name not in known:
            raise InputError(
                f"`{name}` with `metric={metric!r}`",
                expected=f"one of {', '.join(f'`{one}`' for one in known)}",
            )
    given = {name: _plain(value) for name, value in (options or {}).items()}
    if known == _OF_TESLA:
        check_known("empty_order", given.get("empty_order", "zero"), EMPTY_ORDERS)
    elif analysis:
        raise InputError(f"a text analysis with {metric}", expected="it only with TESLA")
    else:
        Options(**given)
    about = {name: _plain(value) for name, value in (analysis or {}).items()}
    settings = {
        "metric": metric,
        "options": given,
        "analysis": about,
        "made_with": _marks([given, about]),
    }
    return run(TESLA, {"hyp": hyp, "ref": ref}, out, settings, How(**how))


def symmetrize(
    forward: FilePath,
    reverse: FilePath,
    out: FilePath,
    *,
    method: str = DEFAULT,
    reverse_is: str = "src-tgt",
    system: str | None = None,
    **how: Unpack[JobOptions],
) -> Run:
    """Symmetrize the links of two directions, partition by partition.

    Parameters
    ----------
    forward
        A place with links in which each target word picks a source word. Partitions are paired with
        those of ``reverse`` by the keys that both have, even ``system``, unless ``on`` names
        others.
    reverse
        A place with links in which each source word picks a target word.
    out, how
        See ``score``.
    method, reverse_is, system
        See ``alignframe.links.symmetrize``.

    Returns
    -------
    Run
        See ``score``; its output is a place with links.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> for side in ("forward", "reverse"):
    ...     formats.write(formats.read(f"datasets/en-fr/{side}.talp"), f"{side}.parquet")
    >>> places = "forward.parquet", "reverse.parquet", "links"
    >>> run = lake.symmetrize(*places, reverse_is="tgt-src")
    >>> run.units["rows"].to_list()
    [72]
    """
    check_keywords(symmetrize, how, JobOptions.__annotations__)
    check_method(method)
    check_known("order", reverse_is, ORDERS)
    settings = {"method": method, "reverse_is": reverse_is, "system": system}
    return run(SYMMETRIZE, {"forward": forward, "reverse": reverse}, out, settings, How(**how))


def align(
    text: FilePath,
    model_from: FilePath,
    out: FilePath,
    *,
    symmetrize: str = DEFAULT,
    threshold: float | None = None,
    system: str | None = None,
    **how: Unpack[JobOptions],
) -> Run:
    """Align the words of texts in a lake with a saved model, partition by partition.

    Parameters
    ----------
    text
        A place with text: sid, src and tgt.
    model_from
        The folder of a forward and a reverse model, as written by ``alignframe align
        --save-model``.
    out, how
        See ``score``.
    symmetrize, threshold, system
        See ``alignframe.aligners.align``.

    Returns
    -------
    Run
        See ``score``; its output is a place with links.

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
    check_keywords(align, how, JobOptions.__annotations__)
    from alignframe.aligners import directions
    from alignframe.aligners.model import check_threshold

    directions.check_method(symmetrize)
    threshold = check_threshold(threshold)
    directions.direction_homes(model_from, directions.directions_of(symmetrize))
    settings = {
        "model": fspath(model_from),
        "symmetrize": symmetrize,
        "threshold": threshold,
        "system": system,
        "made_with": _marks([fspath(model_from)]),
    }
    return run(ALIGN, {"text": text}, out, settings, How(**how))


def phrases(
    links: FilePath,
    out: FilePath,
    *,
    text: FilePath | None = None,
    kind: str = "minimal",
    max_length: int | None = None,
    with_words: bool = False,
    **how: Unpack[JobOptions],
) -> Run:
    """List the phrase pairs of links in a lake, partition by partition.

    Parameters
    ----------
    links
        A place with links.
    text
        A place with their text: sid, src and tgt.
    out, how
        See ``score``.
    kind, max_length, with_words
        See ``alignframe.phrases.extract``.

    Returns
    -------
    Run
        See ``score``; its output is a place with phrases.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> formats.write(formats.read("datasets/en-fr/eager.talp"), "links.parquet")
    >>> run = lake.phrases("links.parquet", "phrases", max_length=3)
    >>> run.units["status"].to_list()
    ['done']
    """
    check_keywords(phrases, how, JobOptions.__annotations__)
    check_known("`kind`", kind, PHRASE_KINDS)
    if max_length is not None:
        max_length = in_bounds("max_length", max_length)
    if with_words and text is None:
        raise InputError("`with_words` needs `text`")
    settings = {"kind": kind, "max_length": max_length, "with_words": with_words}
    inputs = {"links": links} | ({} if text is None else {"text": text})
    return run(PHRASES, inputs, out, settings, How(**how))


def _plain(value: Any) -> Any:
    """Return an option as JSON can store it."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    return fspath(value) if isinstance(value, PathLike) else plain(value)


def _marks(given: Any) -> list[str]:
    """Return identifiers of the contents of files that options name."""
    if isinstance(given, str):
        path = Path(given)
        if path.is_dir():
            found = [Path(here, name) for here, _, names in walk(path) for name in names]
            return [file_mark(str(one)) for one in sorted(found)]
        return [file_mark(given)] if path.is_file() else []
    inner = given.values() if isinstance(given, Mapping) else given
    return (
        [one for part in inner for one in _marks(part)]
        if isinstance(given, (Mapping, list))
        else []
    )
