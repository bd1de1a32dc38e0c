"""Writing links, with checks shared by all formats, beads, and any other table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike, fspath
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrow import BATCH_ROWS, is_frame, to_reader, to_tokens
from alignframe.core.keys import sentence_column
from alignframe.core.output import replacing, table_writer, write_table
from alignframe.core.rounding import DIGITS
from alignframe.core.schemas import GOLD, GOLD_LINKS, SYSTEM, notes_of
from alignframe.core.suffixes import LINKS
from alignframe.errors import InputError, check_flags, number_of, warn
from alignframe.formats.beads import write_beads
from alignframe.formats.links import link_format
from alignframe.formats.links.pharaoh import from_texts
from alignframe.formats.rows import LinkFormat, Reading, check_base, check_range
from alignframe.kernels.ragged import locate
from alignframe.read.nested import PROBABILITIES, also_kept, nest
from alignframe.result import Result, TableResult
from alignframe.typing import IntoFrame, IntoLinks

_BEADS = {"src_start", "src_end", "tgt_start", "tgt_end"}


def write(
    table: IntoFrame | IntoLinks | Iterable[pa.RecordBatch] | Result,
    path: str | PathLike[str],
    format: str | None = None,
    **options: Any,
) -> None:
    """Write links, beads or any other table: anything that a function of this package returns.

    Parameters
    ----------
    table
        Links, nested or long, or an iterable of batches; beads; any other frame, whose metadata
        Parquet keeps; or a result with several tables, which go to a folder.
    path
        The file appears whole or not at all. ``-`` is standard output.
    format
        One of ``FORMATS`` for links, of ``BEAD_FORMATS`` for beads; by default from the suffix.
        Other tables are written as .parquet, .csv, .tsv or .jsonl.
    **options
        Those of ``write_links`` or ``write_beads``.

    Raises
    ------
    InputError
        If it is not a table, or the format is unknown or cannot hold it.

    Examples
    --------
    >>> from pathlib import Path
    >>> import polars as pl
    >>> from alignframe import formats
    >>> links = pl.DataFrame({"sid": [0, 0], "i": [0, 1], "j": [0, 2], "sure": [True, False]})
    >>> formats.write(links, "links.naacl")
    >>> print(Path("links.naacl").read_text(), end="")
    1 1 1 S
    1 2 3 P
    """
    if isinstance(table, Result) and not isinstance(table, TableResult):
        table.write(path)
        return
    if isinstance(table, pl.Series):
        table = table.to_frame(table.name or "tokens")
    if not is_frame(table):
        write_links(table, path, format, **options)
        return
    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    reader = to_reader(table)
    names = set(reader.schema.names)
    if names >= _BEADS:
        write_beads(reader.read_all(), path, format, **options)
    elif ("links" in names and not _is_figure(reader.schema)) or {"sid", "i", "j"} <= names:
        write_links(reader, path, format, **options)
    else:
        write_table(reader.read_all(), path, format)


def _is_figure(schema: pa.Schema) -> bool:
    """Whether a column ``links`` holds numbers of links, as in scores."""
    return bool(pa.types.is_integer(schema.field("links").type))


def write_links(
    links: IntoLinks | Iterable[pa.RecordBatch],
    path: str | PathLike[str],
    format: str | None = None,
    *,
    base: int = 0,
    system: str | None = None,
    probabilities: bool = True,
) -> None:
    """Write links: sid and links (and src and tgt, if the format has words).

    Parameters
    ----------
    links
        Any kind of table of links, nested or long, or an iterable of nested record batches.
    path
        The file appears whole or not at all. ``-`` is standard output.
    format
        One of ``FORMATS``; by default from the file's suffix (see ``format_of``).
    base
        Number of a sentence's first word, in pharaoh, numbered, moses and tsv files.
    system
        Name to store in Parquet for links without one.
    probabilities
        Whether to write probabilities, if links have some: ``0-0:0.97``. Those of single precision,
        as aligners compute them, have four decimal places in text.

    Raises
    ------
    InputError
        If the format or base is unknown, the format needs words that are missing, or it cannot hold
        the sentences: only Parquet holds several systems.

    Examples
    --------
    >>> from pathlib import Path
    >>> import polars as pl
    >>> from alignframe import formats
    >>> links = pl.DataFrame({"sid": [0, 0], "i": [0, 1], "j": [0, 2], "sure": [True, False]})
    >>> formats.write_links(links, "links.talp", base=1)
    >>> print(Path("links.talp").read_text(), end="")
    1-1 2p3
    """
    check_flags(probabilities=probabilities)
    kind = check_format(path, format)
    form = link_format(kind)
    check_base(base)
    if base and not form.has_base:
        raise InputError(f"`base={base}` for {kind}, which always counts from the same number")
    notes: dict[bytes, bytes] = {}
    batches = _nested(links, notes)
    if not probabilities:
        batches = map(_bare, batches)
    # Parquet alone holds all: several systems, labels, and gaps.
    if form.write is None:
        _write_parquet(batches, path, system, notes)
        return
    batches = _one_system(map(_short, batches), path)
    if form.has_words:
        batches = _with_words(batches, kind, path)
    # Warnings come once the whole stream has passed.
    batches = _with_losses(batches, form, kind, fspath(path))
    with replacing(path) as out:
        form.write(batches, out, *([base] if form.has_base else []))


def _short(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return computed probabilities, of single precision, in few digits; those of files as given.

    Text that is read has doubles, so that it comes back from Parquet with its own digits.
    """
    at = batch.schema.get_field_index(PROBABILITIES)
    if at < 0:
        return batch
    column = pl.Series(values=pl.from_arrow(batch.column(at)))
    if column.dtype != pl.List(pl.Float32):
        return batch
    short = column.list.eval(pl.element().round(DIGITS)).to_arrow()
    return batch.set_column(at, PROBABILITIES, short)


def _bare(batch: pa.RecordBatch) -> pa.RecordBatch:
    given = PROBABILITIES in batch.schema.names
    return batch.drop_columns([PROBABILITIES]) if given else batch


def check_format(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    words: bool = True,
    todo: str = "give the text as well: `src` and `tgt`",
) -> str:
    """Return the format to write, by default that of the suffix; refuse one without its words."""
    if format is not None:
        link_format(format)  # which is known
    kind = LINKS.chosen(path, format)
    if link_format(kind).has_words and not words:
        raise InputError(
            f"the format {kind} needs words, and there are none",
            path=path,
            todo=todo,
        )
    return kind


def _nested(links: object, notes: dict[bytes, bytes]) -> Iterator[pa.RecordBatch]:
    """Yield nested batches of links; ``notes`` receives the options that a table was read with."""
    if isinstance(links, Iterable) and not is_frame(links) and not isinstance(links, str):
        for batch_given in links:
            if not isinstance(batch_given, pa.RecordBatch):
                raise InputError(
                    f"a {type(links).__name__} of {type(batch_given).__name__} to write",
                    expected="a table, such as links.symmetrize and other functions return",
                )
            yield batch_given
        return
    reader = to_reader(links)
    notes |= notes_of(reader.schema)
    keep = also_kept(reader.schema)
    for batch in nest(reader, reader.schema, keep=keep):
        # A column system is written only if the input has one.
        batch = from_texts(batch, Reading())
        yield batch if "system" in reader.schema.names else batch.drop_columns(["system"])


def _one_system(
    batches: Iterable[pa.RecordBatch], path: str | PathLike[str]
) -> Iterator[pa.RecordBatch]:
    """Yield batches; raise an InputError if they have several systems."""
    known: set[str] = set()
    for batch in batches:
        if "system" in batch.schema.names:
            known |= set(pc.unique(batch.column("system").cast(pa.string())).to_pylist())
            if len(known) > 1:
                raise InputError(
                    f"links of the systems {', '.join(sorted(map(str, known)))}",
                    path=path,
                    expected="one, or a file of Parquet",
                )
        yield batch


def add_words(batches: Iterable[pa.RecordBatch], bitext: pa.Table) -> Iterator[pa.RecordBatch]:
    """Add the columns src and tgt of a bitext to batches.

    Examples
    --------
    >>> from alignframe import formats
    >>> text = formats.read_bitext("datasets/en-fr/text.en", "datasets/en-fr/text.fr")
    >>> batch = next(formats.add_words(formats.scan("datasets/en-fr/gold.talp"), text))
    >>> batch["src"][0].as_py()[:3], batch["tgt"][0].as_py()[:3]
    (['Every', 'evening', ','], ['Chaque', 'soir', ','])
    """
    known = bitext["sid"].to_numpy()
    for batch in batches:
        sid = sentence_column(batch)
        # The text may have other sentences, and another order.
        rows = locate(sid, known)
        if (rows < 0).any():
            raise InputError(
                f"sentence {sid[int((rows < 0).argmax())]} (counted from 0) is not in the text",
                expected="the text of every sentence",
            )
        indices = pa.array(rows)
        columns = {"sid": batch.column("sid"), "links": batch.column("links")}
        for side in ("src", "tgt"):
            columns[side] = bitext[side].combine_chunks().take(indices)
        if PROBABILITIES in batch.schema.names:
            columns[PROBABILITIES] = batch.column(PROBABILITIES)
        yield pa.record_batch(list(columns.values()), names=list(columns))


def _with_words(
    batches: Iterable[pa.RecordBatch], format: str, path: str | PathLike[str]
) -> Iterator[pa.RecordBatch]:
    """Check that the format can hold a batch's words, and that its links are within them."""
    for batch in batches:
        check_format(path, format, words={"src", "tgt"} <= set(batch.schema.names))
        sid = sentence_column(batch)
        sides = [batch.column(side) for side in ("src", "tgt")]
        outside = check_range(batch.column("links"), sid, *map(to_tokens, sides))
        if outside:
            raise InputError(f"sentence {outside[0]}: {outside[1]}")
        for side in sides:
            for number, words in zip(sid.tolist(), side.to_pylist(), strict=True):
                for word in words or ():
                    plain = word.encode()  # bytes split only at ASCII white space
                    if plain.split() != [plain] or (format == "moses" and word == "|||"):
                        raise InputError(
                            f"the word {word!r} of sentence {number} (counted from 0)",
                            path=path,
                            expected=f"words without spaces, as {format} requires",
                            todo="write a format without words, such as pharaoh",
                        )
        yield batch


def _with_losses(
    batches: Iterable[pa.RecordBatch], form: LinkFormat, kind: str, name: str
) -> Iterator[pa.RecordBatch]:
    """Warn of what the format cannot hold: labels, probabilities, gaps, sentences without links."""
    labels = probabilities = gaps = empty = 0
    line, first = 0, -1
    for batch in batches:
        column = batch.column("links")
        links = column.flatten()
        if "sure" in {field.name for field in links.type} and not form.has_labels:
            labels += pc.sum(pc.invert(links.field("sure"))).as_py() or 0
        if PROBABILITIES in batch.schema.names and not form.has_probabilities:
            probabilities += len(links)
        if not form.has_empty:
            empty += pc.sum(pc.equal(pc.list_value_length(column), 0)).as_py() or 0
        if not form.has_ids and batch.num_rows:
            sid = sentence_column(batch)
            # Line k of such formats is sentence k, so each skipped sentence is a line.
            missing = np.diff(sid, prepend=line - 1) - 1
            if first < 0 and missing.any():
                at = int(missing.argmax() if missing.max() > 0 else 0)
                first = int(sid[at] - missing[at])
            gaps += int(missing.clip(0).sum())
            line = int(sid[-1]) + 1
        yield batch
    losses = {
        f"{labels:,} Possible links lost their label, which {kind} cannot hold": labels,
        f"the probabilities of {number_of(probabilities, 'link')} are left out, which {kind} "
        "cannot hold (all other formats can)": probabilities,
        f"{number_of(gaps, 'sentence')} that the links skip, the first {first} (counted from 0), "
        "became empty lines, which are scored as without links (naacl, numbered and parquet can "
        "skip them)": gaps,
        f"{number_of(empty, 'sentence')} without links were left out, which {kind} cannot hold; "
        "as gold they are not scored (numbered and parquet can hold them)": empty,
    }
    for text in (text for text, number in losses.items() if number):
        warn(f"{name}: {text}")


def _write_parquet(
    batches: Iterable[pa.RecordBatch],
    path: str | PathLike[str],
    system: str | None,
    notes: dict[bytes, bytes],
) -> None:
    with table_writer(path, "parquet", schema=GOLD, rows=BATCH_ROWS) as write:
        for batch in batches:
            table = pa.Table.from_batches([batch])
            if "system" not in table.schema.names and system is not None:
                names = pa.array([system] * table.num_rows, pa.string()).cast(SYSTEM)
                table = table.add_column(0, pa.field("system", SYSTEM, nullable=False), names)
            write(table.cast(_strict(table.schema).with_metadata(notes or None)))


def _strict(schema: pa.Schema) -> pa.Schema:
    """Return the schema with non-nullable links, which are read faster."""
    fields = []
    for field in schema:
        if field.name == "links" and "sure" in {inner.name for inner in field.type.value_type}:
            field = pa.field("links", GOLD_LINKS, nullable=False)
        fields.append(field.with_nullable(False) if field.name == "sid" else field)
    return pa.schema(fields)
