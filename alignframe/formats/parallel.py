"""Beads and their text: line-parallel text as beads, texts of beads, and beads of another text."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I64, Bools
from alignframe.core.arrow import is_words
from alignframe.core.output import replacing, together
from alignframe.core.schemas import SPANS
from alignframe.errors import InputError, number_of, warn
from alignframe.formats.bead_table import (
    DOCUMENT,
    Spans,
    bead_table,
    one_document,
    warn_of,
)
from alignframe.formats.columns import column_texts, is_table, refuse_columns
from alignframe.formats.line_ids import rows_by_id
from alignframe.formats.sentences import (
    Sentences,
    lines_of,
    listed,
    read_sentences,
)
from alignframe.options import checked
from alignframe.read.lines import TextFile
from alignframe.typing import IntoBeads


def identity_beads(n: int, doc: str = DOCUMENT) -> pa.Table:
    """Return the 1-1 beads of a line-parallel text with n lines.

    Examples
    --------
    >>> from alignframe import formats
    >>> formats.identity_beads(2).select(["src_start", "tgt_start"]).to_pylist()
    [{'src_start': 0, 'tgt_start': 0}, {'src_start': 1, 'tgt_start': 1}]
    """
    if n < 0:
        raise InputError(f"{n} sentences", expected="0 or more")
    at = np.arange(n)
    return bead_table(doc, np.column_stack([at, at + 1, at, at + 1]))


def parallel_beads(src: Sentences, tgt: Sentences, doc: str = DOCUMENT) -> pa.Table:
    """Return the beads of a line-parallel text, which may have blank lines.

    A line that is blank on one side gives a 1-0 or 0-1 bead; one blank on both sides gives none.
    Sentences are numbered by line.

    Raises
    ------
    InputError
        If the sides differ in their number of lines.

    Examples
    --------
    >>> from alignframe import formats
    >>> found = formats.parallel_beads(["One.", ""], ["Un.", "Deux."])
    >>> found.select(["src_start", "src_end", "tgt_start", "tgt_end"]).to_pylist()[1]
    {'src_start': 2, 'src_end': 2, 'tgt_start': 1, 'tgt_end': 2}
    """
    return _beads_of_lines(src, tgt, doc)


def _beads_of_lines(
    src: Sentences, tgt: Sentences, doc: str, rows: tuple[I64, I64] | None = None
) -> pa.Table:
    """Return the same; ``rows`` are the numbers of the lines on both sides."""
    sides = [listed(side) for side in (src, tgt)]
    if len(sides[0]) != len(sides[1]):
        raise InputError(
            f"{len(sides[0]):,} source lines and {len(sides[1]):,} target lines",
            expected="the same number of lines on both sides",
        )
    full = [np.array([not is_blank(text) for text in side], np.int64) for side in sides]
    at = np.arange(len(sides[0]))
    # A blank sentence's span is empty and begins at the other side's end.
    places = (at, at) if rows is None else rows
    starts = [
        place + (1 - own) * other
        for place, own, other in zip(places, full, full[::-1], strict=True)
    ]
    spans = np.column_stack([starts[0], starts[0] + full[0], starts[1], starts[1] + full[1]])
    return bead_table(doc, spans[(full[0] + full[1]) > 0])


@checked
def read_parallel(
    src: str | PathLike[str],
    tgt: str | PathLike[str] | None = None,
    *,
    doc: str = DOCUMENT,
    encoding: str = "utf-8",
    whole: bool = False,
    columns: str | Sequence[str] | None = None,
) -> tuple[pa.Table, pa.StringArray, pa.StringArray]:
    """Read two line-parallel files as beads, source sentences and target sentences.

    Lines that begin with ids are paired by them. Those of one side only are left out, unless sides
    stay ``whole``: then beads count all lines. One file has both sides in two ``columns``; see
    ``read_bitext``.

    Examples
    --------
    >>> from alignframe import formats
    >>> beads, src, tgt = formats.read_parallel("datasets/en-fr/text.en", "datasets/en-fr/text.fr")
    >>> beads.num_rows, len(src), len(tgt)
    (72, 72, 72)
    """
    if tgt is None:
        if not columns and not is_table(TextFile(src, encoding)):
            raise InputError(
                "one side of a text",
                path=src,
                expected="a file of each side, or a table with both, such as .tsv",
            )
        first, second = (
            pa.array(map(" ".join, side.to_pylist()), pa.string()) if is_words(side.type) else side
            for side in column_texts(TextFile(src, encoding), columns)
        )
        return parallel_beads(first, second, doc), first, second
    refuse_columns(columns)
    ids: tuple[list[bytes], list[bytes]] = [], []
    paths = src, tgt
    sides = [read_sentences(path, encoding, ids=own) for path, own in zip(paths, ids, strict=True)]
    rows = rows_by_id(ids, paths)
    all_sides = sides
    if rows is not None:
        sides = [side.take(pa.array(own)) for side, own in zip(sides, rows, strict=True)]
    if len(sides[0]) != len(sides[1]):
        raise InputError(
            f"{fspath(src)} has {number_of(len(sides[0]), 'line')}, {fspath(tgt)} has "
            f"{len(sides[1]):,}",
            expected="the same number of lines on both sides",
        )
    beads = _beads_of_lines(sides[0], sides[1], doc, rows if whole else None)
    first, second = all_sides if whole else sides
    return beads, first, second


def write_parallel(
    beads: IntoBeads,
    src: Sentences,
    tgt: Sentences,
    src_path: str | PathLike[str],
    tgt_path: str | PathLike[str],
) -> int:
    """Write beads as line-parallel text, and return its number of lines.

    The sentences of a bead are joined by spaces. Beads with an empty side are left out, with a
    ``DataWarning``.

    Parameters
    ----------
    beads
        Beads of one document, of any kind of table.
    src, tgt
        Its sentences.
    src_path, tgt_path
        Both files are written, or neither.

    Examples
    --------
    >>> from alignframe import formats
    >>> beads = formats.identity_beads(1)
    >>> formats.write_parallel(beads, ["One."], ["Un."], "text.en", "text.fr")
    1
    """
    texts = listed(src), listed(tgt)
    _, spans, scores = one_document(beads)
    check_text(spans, *texts)
    lines = joined_beads(spans, scores, texts, src_path)
    sides = [lines_of([line[side] for line in lines]) for side in (0, 1)]
    with together():
        for path, side in zip((src_path, tgt_path), sides, strict=True):
            with replacing(path) as out:
                out.write(side)
    return len(lines)


def bead_bitext(beads: IntoBeads, src: Sentences, tgt: Sentences) -> pa.Table:
    """Return the texts of two-sided beads, in source order.

    Parameters
    ----------
    beads
        Beads of one document, of any kind of table.
    src, tgt
        Its sentences.

    Returns
    -------
    pyarrow.Table
        The columns doc, src, tgt (sentences of a bead joined by spaces), score, src_start, src_end,
        tgt_start, tgt_end and type, such as ``2-1``; as from the SQL macro ``bead_bitext``.

    Raises
    ------
    InputError
        If the text lacks a sentence, or there are several documents.

    Examples
    --------
    >>> from alignframe import formats
    >>> src, tgt = (formats.read_sentences(f"datasets/mill/mill.{one}") for one in ("en", "fr"))
    >>> beads = formats.read_beads("datasets/mill/mill.beads")
    >>> formats.bead_bitext(beads, src, tgt).select(["src", "type"]).to_pylist()[0]
    {'src': 'The old mill', 'type': '1-1'}
    """
    texts = listed(src), listed(tgt)
    doc, spans, scores = one_document(beads)
    check_text(spans, *texts)
    full = spans[_two_sided(spans)]
    rows = joined_beads(spans, scores, texts)
    columns = {
        "doc": pa.array([doc] * len(rows), pa.string()),
        "src": pa.array([src for src, _, _ in rows], pa.string()),
        "tgt": pa.array([tgt for _, tgt, _ in rows], pa.string()),
        "score": pa.array([score for _, _, score in rows], pa.float64()),
        **{name: pa.array(full[:, k].astype(np.int32)) for k, name in enumerate(SPANS)},
        "type": pa.array([f"{b - a}-{d - c}" for a, b, c, d in full.tolist()], pa.string()),
    }
    return pa.table(columns)


def joined_beads(
    spans: Spans,
    scores: list[float | None],
    texts: tuple[list[str], list[str]],
    path: str | PathLike[str] | None = None,
) -> list[tuple[str, str, float | None]]:
    """Return both texts and the score of each two-sided bead; others are counted for ``path``."""
    full = _two_sided(spans)
    if path is not None:
        warn_of(path, len(spans) - int(full.sum()), "bead", "with an empty side left out")
    return [
        (_joined(texts[0][a:b]), _joined(texts[1][c:d]), score)
        for (a, b, c, d), score, kept in zip(spans.tolist(), scores, full, strict=True)
        if kept
    ]


def _two_sided(spans: Spans) -> Bools:
    full: Bools = (spans[:, 0] < spans[:, 1]) & (spans[:, 2] < spans[:, 3])
    return full


def _joined(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else " ".join(text for text in texts if not is_blank(text))


def check_text(
    spans: Spans,
    src: Sequence[str] | None,
    tgt: Sequence[str] | None,
    *,
    whole: bool = False,
    filled: bool = False,
) -> None:
    """Refuse beads beyond the end of their text, or that count other sentences than its lines.

    Beads that are ``whole`` must have every sentence; if they are ``filled``, others are added.
    """
    check_inside(spans, *(None if side is None else len(side) for side in (src, tgt)))
    if src is None or tgt is None or not len(spans):
        return
    ends = [int(spans[:, column].max(initial=0)) for column in (1, 3)]
    blank = [np.array([is_blank(text) for text in side], bool) for side in (src, tgt)]
    full = [int((~side).sum()) for side in blank]
    said = (
        f"the text has {len(src):,} and {len(tgt):,} lines, {full[0]:,} and {full[1]:,} of them "
        f"with words; the beads end with its sentences {ends[0]:,} and {ends[1]:,} (from 1)"
    )
    todo = "delete blank lines from both texts if the beads do not count them"
    empty = np.zeros(len(spans), bool)
    for k, side in enumerate(blank):
        # Beads counted without blank lines drift, until one lies on a blank line alone.
        words = np.append(0, np.cumsum(~side))
        empty |= words[spans[:, 2 * k]] == words[spans[:, 2 * k + 1]]
    empty &= (spans[:, 0] < spans[:, 1]) & (spans[:, 2] < spans[:, 3])
    what = ""
    if empty.any():
        a, b, c, d = spans[int(empty.argmax())].tolist()
        what = (
            f"{number_of(int(empty.sum()), 'bead')} with both sides, one of them blank, the first "
            f"{[*range(a, b)]}:{[*range(c, d)]} (from 0)"
        )
    elif whole and not (_covered(spans) and ends == [len(src), len(tgt)]):
        # The format skips nothing, so what is missing was cut off.
        what = "beads that should have every sentence of the text, and do not"
        todo += "; give a complete file (of hunalign, without -bisent), and its own text"
    elif (
        _covered(spans)
        and not filled
        and not all(side[end:].all() for side, end in zip(blank, ends, strict=True))
    ):
        what = "no bead has the last sentences"
    # Beads that end where the text without blank lines would: certainly counted without them.
    if what and (whole or (empty.any() and ends == full)):
        raise InputError(f"{what}: {said}", expected="beads that count all lines", todo=todo)
    if what:
        warn(f"{what}: {said}; {todo}")


def _covered(spans: Spans, first: int = 0) -> bool:
    """Whether the beads have every sentence from the first of both sides to their last."""
    sizes = (spans[:, 1::2] - spans[:, ::2]).sum(axis=0)
    return bool((sizes == spans[:, 1::2].max(axis=0, initial=first) - first).all())


def warn_of_base(table: pa.Table, path: str | PathLike[str]) -> None:
    """Warn of beads of every sentence but the first of both sides: they may count from 1."""
    spans = np.column_stack([table[name].to_numpy() for name in SPANS])
    firsts = [spans[spans[:, k] < spans[:, k + 1], k].min(initial=1) for k in (0, 2)]
    if len(spans) and firsts == [1, 1] and _covered(spans, 1):
        warn_of(
            path,
            len(spans),
            "bead",
            "from sentence 1 of both sides on, and none of sentence 0; if the file counts from 1, "
            "say so with `base=1`",
        )


def is_blank(text: str) -> bool:
    """Whether a sentence is only white space."""
    return not text.strip()


def check_inside(spans: Spans, n_src: int | None, n_tgt: int | None) -> None:
    """Refuse beads beyond the end of a document of known length."""
    for column, size, what in ((1, n_src, "source"), (3, n_tgt, "target")):
        last = int(spans[:, column].max(initial=0))
        # Without the text, its length is unknown.
        if size is not None and last > size:
            raise InputError(
                f"a bead with the {what} sentence {last - 1} (counted from 0)",
                expected=f"one of the {what} side's {size:,}",
                todo="give the sentences that the beads were made from",
            )
