"""Reading and writing phrase tables: Parquet, any frame, and Moses' text format."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath

import polars as pl
import pyarrow as pa

from alignframe.core.arrow import is_words
from alignframe.core.choices import JSON_LINES, PARQUET
from alignframe.core.output import replacing, write_table
from alignframe.core.schemas import PHRASE_TABLE
from alignframe.core.suffixes import PHRASES
from alignframe.errors import InputError, in_file, number_of, warn
from alignframe.read.lines import TextFile
from alignframe.read.opening import table_suffix
from alignframe.read.parquet import is_parquet
from alignframe.sources.source import is_path
from alignframe.sources.words import table_of
from alignframe.typing import FilePath, IntoFrame

BAR = "|||"
NEEDED = ("src", "tgt", "n_both", "n_src", "n_tgt", "lex_src", "lex_tgt")
"""The columns that every phrase table has; links and orientations may be missing."""

ORIENTATIONS = tuple(name for name in PHRASE_TABLE.names if name not in (*NEEDED, "links"))
"""The counts of orientations."""

# Tools write probabilities to at least four digits.
_ALIKE = 1e-3

_TABLES = (*PARQUET, *JSON_LINES)
_FIELDS = "src ||| tgt ||| p(f|e) lex(f|e) p(e|f) lex(e|f) ||| links ||| n(e) n(f) n(e,f)"


def phrase_table(given: IntoFrame) -> pl.DataFrame:
    """Return a phrase table.

    Parameters
    ----------
    given
        Phrase table: Parquet, or Moses's text table with counts, optionally compressed (in Python,
        also any frame with the columns ``NEEDED``).

    Raises
    ------
    InputError
        If columns are missing, figures are impossible, or a line is damaged.

    Examples
    --------
    >>> from alignframe import mt
    >>> table = mt.train(["0-0 1-1"], [("das Haus", "the house")])
    >>> rows = mt.write_phrase_table(table, "phrases.gz")
    >>> rows, mt.phrase_table("phrases.gz").select("src", "tgt").row(0)
    (3, (['Haus'], ['house']))
    """
    if is_path(given) and not is_parquet(given) and table_suffix(given) not in _TABLES:
        with in_file(given):
            return pl.DataFrame(pl.from_arrow(_read_moses(given)))
    table = table_of(given, "the phrase table", NEEDED)
    with in_file(given):
        for side in ("src", "tgt"):
            if not is_words(table.schema.field(side).type):
                raise InputError(
                    f"a column {side} of type {table.schema.field(side).type}",
                    expected="a list of words per phrase",
                )
        frame = pl.DataFrame(pl.from_arrow(table))
        _check(frame)
    return frame


def _check(frame: pl.DataFrame) -> None:
    for name in NEEDED[2:]:
        kind = frame.schema[name]
        if not kind.is_numeric():
            raise InputError(f"a column {name} of type {kind}", expected="numbers")
        figures = frame[name].cast(pl.Float64).fill_null(0)
        bad = (figures <= 0) | ~figures.is_finite()
        if bad.any():
            row = int(bad.arg_max() or 0)
            raise InputError(
                f"{name} is {frame[name][row]} in row {row} of the phrase table",
                expected="a number above 0",
            )
    both = pl.col("n_both")
    wrong = frame.filter((both > pl.col("n_src")) | (both > pl.col("n_tgt")))
    if wrong.height:
        pair = wrong.row(0, named=True)
        raise InputError(
            f"the pair {' '.join(pair['src'])!r}, {' '.join(pair['tgt'])!r} was counted "
            f"{pair['n_both']} times, its sides {pair['n_src']} and {pair['n_tgt']} times",
            expected="a pair at most as often as either side",
        )
    for side in ("previous", "next"):
        names = [name for name in ORIENTATIONS if name.endswith(side) and name in frame.columns]
        if names:
            below = pl.min_horizontal(names).fill_null(-1) < 0
            above = pl.sum_horizontal(names) > both
            if frame.select((below | above).any()).item():
                raise InputError(
                    f"counts of orientations to the {side} phrase that are below 0 or above n_both",
                    expected="the counts of mt train",
                )
    empty = (pl.col("src").list.len() == 0) | (pl.col("tgt").list.len() == 0)
    if frame.select(empty.any()).item():
        raise InputError("a phrase without words", expected="at least one word")
    twice = frame.select("src", "tgt").is_duplicated()
    if twice.any():
        src, tgt = frame.filter(twice).select("src", "tgt").row(0)
        raise InputError(
            f"the pair {' '.join(src)!r}, {' '.join(tgt)!r} twice", expected="each once"
        )
    if "links" in frame.columns:
        ends = (
            (pl.col("links").list.eval(pl.element().struct.field(name)), side)
            for name, side in (("i", "src"), ("j", "tgt"))
        )
        outside = pl.any_horizontal(
            (end.list.max() >= pl.col(side).list.len()).fill_null(False)
            | end.list.eval(pl.element().is_null()).list.any().fill_null(False)
            for end, side in ends
        )
        wrong = frame.filter(outside)
        if wrong.height:
            pair = wrong.row(0, named=True)
            raise InputError(
                f"a link outside the pair {' '.join(pair['src'])!r}, {' '.join(pair['tgt'])!r}",
                expected="links i-j of its words, counted from 0",
            )


def write_phrase_table(table: IntoFrame, path: str | PathLike[str]) -> int:
    """Write a phrase table as Parquet or in Moses' text format; return the number of rows.

    Names that end with .parquet, .pq or .parq are Parquet; all others are Moses' format, compressed
    if the name ends with .gz, and sorted by bytes, as Moses' tools expect. Suffixes of other tables
    are refused.

    Examples
    --------
    >>> from alignframe import mt
    >>> table = mt.train(["0-0 1-1"], [("das Haus", "the house")])
    >>> mt.write_phrase_table(table, "phrase-table.gz")
    3
    """
    frame = phrase_table(table)
    if PHRASES.chosen(path) == "parquet":
        names = [name for name in PHRASE_TABLE.names if name in frame.columns]
        schema = pa.schema([PHRASE_TABLE.field(name) for name in names])
        write_table(frame.to_arrow().select(names).cast(schema), path)
        return frame.height
    with replacing(path) as out:
        # Moses' tools expect lines in the order of their bytes.
        out.writelines(sorted(line.encode() for line in _moses_lines(frame)))
    return frame.height


def _moses_lines(frame: pl.DataFrame) -> Iterator[str]:
    if "links" in frame.columns:
        links = pl.col("links").list.eval(
            pl.format("{}-{}", pl.element().struct.field("i"), pl.element().struct.field("j"))
        )
        shown = frame.select(links.list.join(" ")).to_series().to_list()
    else:
        shown = [""] * frame.height
    columns = [frame[side].list.join(" ").to_list() for side in ("src", "tgt")]
    numbers = [frame[name].to_list() for name in NEEDED[2:]]
    for src, tgt, own, both, n_src, n_tgt, lex_src, lex_tgt in zip(
        *columns, shown, *numbers, strict=True
    ):
        figures = f"{both / n_tgt:.6g} {lex_src:.6g} {both / n_src:.6g} {lex_tgt:.6g}"
        yield f"{src} {BAR} {tgt} {BAR} {figures} {BAR} {own} {BAR} {n_tgt} {n_src} {both}\n"


def _read_moses(path: FilePath) -> pa.Table:
    """Read Moses' text format, keeping the counts in the fifth field and lexical weights."""
    batches = [_piece(piece, first) for piece, first in TextFile(path, form="NFC").texts()]
    if not batches:
        raise InputError("the file is empty", expected=_FIELDS)
    frame = pl.concat(batches)
    _check(frame)
    figures = frame.select(
        *NEEDED[:2], given="p_src", counted=pl.col("n_both") / pl.col("n_tgt")
    ).vstack(frame.select(*NEEDED[:2], given="p_tgt", counted=pl.col("n_both") / pl.col("n_src")))
    # The counts are the table; probabilities that differ were smoothed by another tool.
    other = (pl.col("given") - pl.col("counted")).abs() > _ALIKE * pl.col("counted")
    odd = figures.filter(other)
    if odd.height:
        pair = odd.row(0, named=True)
        pairs = odd.select(pl.struct("src", "tgt").n_unique()).item()
        warn(
            f"{fspath(path)}: {pairs:,} of {number_of(frame.height, 'pair')} have other "
            f"probabilities than their counts give, such as {pair['given']:g} of "
            f"{' '.join(pair['src'])!r} and {' '.join(pair['tgt'])!r}, where counts give "
            f"{pair['counted']:g}; the counts are used, so scores smoothed otherwise are lost"
        )
    return frame.drop("p_src", "p_tgt").to_arrow()


def _piece(piece: bytes, first: int) -> pl.DataFrame:
    text = piece.decode().replace("\r\n", "\n").removesuffix("\n")
    lines = pl.Series("line", text.split("\n"))
    cells = lines.str.split(BAR)

    def refuse(bad: pl.Series, fault: str) -> None:
        if bad.any():
            row = int(bad.arg_max() or 0)
            raise InputError(f"{fault}: {lines[row][:60]!r}", line=first + row, expected=_FIELDS)

    refuse(cells.list.len() < 3, "not a line of Moses' phrase table")
    # Counts may be written as decimals; from 2^53, these are not exact.
    counts = _numbers(cells.list.get(4, null_on_oob=True).fill_null(""), pl.Float64)
    refuse(
        (counts.list.len() < 3)
        | counts.list.eval((pl.element().abs() >= 1 << 53).fill_null(True)).list.any(),
        "no counts of both sides and of the pair",
    )
    scores = _numbers(cells.list.get(2), pl.Float64)
    refuse(
        (scores.list.len() < 4) | scores.list.eval(pl.element().is_null()).list.any(),
        "fewer than four scores",
    )
    sides = [_words(cells.list.get(k)) for k in (0, 1)]
    return pl.DataFrame(
        {
            "src": sides[0],
            "tgt": sides[1],
            "links": _links(cells.list.get(3, null_on_oob=True).fill_null("")),
            "n_both": counts.list.get(2).round().cast(pl.Int64),
            "n_src": counts.list.get(1).round().cast(pl.Int64),
            "n_tgt": counts.list.get(0).round().cast(pl.Int64),
            "p_src": scores.list.get(0),
            "p_tgt": scores.list.get(2),
            "lex_src": scores.list.get(1),
            "lex_tgt": scores.list.get(3),
        }
    )


def _words(cells: pl.Series) -> pl.Series:
    return (
        cells.str.strip_chars(" \t")
        .str.split(" ")
        .list.eval(pl.element().filter(pl.element() != ""))
    )


def _numbers(cells: pl.Series, kind: pl.DataType | type[pl.DataType]) -> pl.Series:
    return _words(cells).list.eval(pl.element().cast(kind, strict=False))


def _links(cells: pl.Series) -> pl.Series:
    ends = [
        pl.element().str.split("-").list.get(k, null_on_oob=True).cast(pl.UInt16, strict=False)
        for k in (0, 1)
    ]
    pairs = pl.struct(ends[0].alias("i"), ends[1].alias("j"))
    return _words(cells).list.eval(pairs)
