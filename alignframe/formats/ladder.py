"""hunalign's numeric ladder: the boundaries between beads, one per line.

A rung ``n m`` means that the first n source sentences correspond to the first m target sentences;
two consecutive rungs enclose a bead. The third column is the confidence of the bead that begins at
the rung (hunalign's README, "File formats"). It is kept if all values are within 0..1; hunalign's
own are unbounded and not probabilities.

The output of hunalign -text, ``source ~~~ source <tab> target <tab> score`` per bead, has the same
beads, and the sentences. It is read if the format is named, as a text with scores looks like it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa

from alignframe.core.tokens import number_in
from alignframe.errors import InputError, in_file
from alignframe.formats.bead_table import (
    BeadFile,
    BeadFormat,
    BeadReading,
    BeadWriting,
    bead_table,
    check_size,
    probabilities,
    read_score,
    warn_of,
)
from alignframe.read.lines import first_text

HUNALIGN_TEXT = re.compile(r"(?!\d+\t\d+\t)[^\t]*\t[^\t]*\t-?[\d.]+(e[-+]?\d+)?")
"""A line of hunalign -text."""
_EXPECTED = "a rung: the number of source and of target sentences before it, and a score"


def _read(reading: BeadReading) -> BeadFile:
    """Read a ladder of two or three columns separated by spaces, or the text of its beads."""
    first = first_text(reading.text).lstrip(b"\r\n").partition(b"\n")[0]
    if HUNALIGN_TEXT.fullmatch(first.decode("utf-8", "replace").rstrip()):
        return _read_text(reading)
    rungs: list[tuple[int, int, float | None]] = []
    with in_file(None) as place:
        for place.line, words in reading.text.words():
            if not words:
                continue
            if len(words) not in (2, 3) or not all(map(_is_number, words[:2])):
                raise InputError(
                    f"{' '.join(words)[:60]!r} is not a rung",
                    expected=_EXPECTED,
                )
            src, tgt = number_in(words[0]), number_in(words[1])
            check_size((src, tgt), 0)
            if rungs and (src < rungs[-1][0] or tgt < rungs[-1][1]):
                raise InputError(
                    f"the rung {src} {tgt} after {rungs[-1][0]} {rungs[-1][1]}",
                    expected="a ladder that never runs backwards",
                )
            score = read_score(words[2]) if len(words) == 3 else None
            rungs.append((src, tgt, score))
    for src, tgt, _ in rungs[:1]:
        warn_of(
            reading.path,
            max(src, tgt),
            "sentence",
            f"before the first rung {src} {tgt}, where a ladder begins with 0 0: beads are "
            "missing; rungs of hunalign -bisent are not a ladder",
        )
    ends = np.array([rung[:2] for rung in rungs], np.int64).reshape(-1, 2)
    spans = np.column_stack([ends[:-1, 0], ends[1:, 0], ends[:-1, 1], ends[1:, 1]])
    # Two equal rungs enclose an empty bead.
    full = (ends[:-1] < ends[1:]).any(axis=1)
    warn_of(reading.path, int((~full).sum()), "bead", "with both sides empty ignored")
    scores = probabilities([rungs[k][2] for k in np.flatnonzero(full)], reading.path)
    return BeadFile(bead_table(reading.doc, spans[full], scores))


def _read_text(reading: BeadReading) -> BeadFile:
    """Read the output of hunalign -text: beads of all sentences, in order."""
    sides: tuple[list[str], list[str]] = ([], [])
    spans: list[list[int]] = []
    scores: list[float | None] = []
    with in_file(None) as place:
        for place.line, line in reading.text.lines():
            cells = line.split("\t")
            if len(cells) != 3:
                if not line.strip():
                    continue
                found = f"{len(cells)} cells with tabs between them"
                raise InputError(found, expected="source, target and score of hunalign -text")
            before = [len(side) for side in sides]
            for side, cell in zip(sides, cells, strict=False):
                side += [part.strip() for part in cell.split("~~~")] if cell.strip() else []
            spans.append([before[0], len(sides[0]), before[1], len(sides[1])])
            scores.append(read_score(cells[2]))
    known = probabilities(scores, reading.path)
    beads = bead_table(reading.doc, np.array(spans, np.int64).reshape(-1, 4), known)
    return BeadFile(beads, (pa.array(sides[0], pa.string()), pa.array(sides[1], pa.string())))


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit()


def _write(beads: BeadWriting, out: BinaryIO) -> int:
    """Write beads as a ladder; sentences in no bead become separate rungs, 1-0 and 0-1."""
    # Without any score there is no third column; a missing one is nan.
    third = any(score is not None for score in beads.scores)
    src = tgt = written = 0
    for a, b, c, d, score in chain(beads):
        last = f"\t{'nan' if score is None else repr(score)}" if third else ""
        out.write(f"{a}\t{c}{last}\n".encode())
        src, tgt, written = b, d, written + 1
    last = "\tnan" if third else ""
    out.write(f"{src}\t{tgt}{last}\n".encode())
    return written


LADDER = BeadFormat(
    "ladder",
    _read,
    _write,
    line=re.compile(r"0\s+0(\s+\S+)?|\d+\s+\d+(\s+(-?\d*\.\d*(e[-+]?\d+)?|nan))?", re.ASCII),
    has_base=False,
    whole=True,
)


def chain(beads: BeadWriting) -> Iterator[tuple[int, int, int, int, float | None]]:
    """Yield consecutive beads that cover both texts, with sentences in no bead one by one."""
    extent = [int(beads.spans[:, column].max(initial=0)) for column in (1, 3)]
    n_src, n_tgt = (
        most if size is None else size for size, most in zip(beads.sizes, extent, strict=True)
    )
    rows = [(*row, score) for row, score in zip(beads.spans.tolist(), beads.scores, strict=True)]
    full = sorted(
        (row for row in rows if row[0] < row[1] and row[2] < row[3]), key=lambda row: row[0]
    )
    # Between two-sided beads, one-sided ones follow their positions on the other side, and source
    # sentences precede where these say nothing.
    srcs = _alone([(a, b, c, c == d, score) for a, b, c, d, score in rows if a < b], n_src)
    tgts = _alone([(c, d, a, a == b, score) for a, b, c, d, score in rows if c < d], n_tgt)
    src_alone, tgt_alone = next(srcs, None), next(tgts, None)
    src = tgt = 0
    # The last, empty bead lets what follows the others come out.
    for a, b, c, d, score in [*full, (n_src, n_src, n_tgt, n_tgt, None)]:
        if c < tgt:
            raise InputError(
                f"beads that cross: the target sentence {c} is the translation of the source "
                f"sentence {a}, and {tgt - 1} of an earlier one",
                expected="beads in one order on both sides",
                todo="write another format, such as vecalign",
            )
        while (src_alone and src_alone.start < a) or (tgt_alone and tgt_alone.start < c):
            if (
                src_alone
                and src_alone.start < a
                and not (tgt_alone and tgt_alone.start < min(c, src_alone.place))
            ):
                yield src_alone.start, src_alone.end, tgt, tgt, src_alone.score
                src, src_alone = src_alone.end, next(srcs, None)
            elif tgt_alone:
                yield src, src, tgt_alone.start, tgt_alone.end, tgt_alone.score
                tgt, tgt_alone = tgt_alone.end, next(tgts, None)
        if a < b:
            yield a, b, c, d, score
            src, tgt = b, d


class _Alone(NamedTuple):
    """Sentences of one side without a translation, and their position on the other side."""

    start: int
    end: int
    place: int
    score: float | None


def _alone(beads: list[tuple[int, int, int, bool, float | None]], size: int) -> Iterator[_Alone]:
    """Yield the one-sided beads, and sentences in no bead one by one, in order."""
    # A sentence in no bead has the position -1, before all of the other side.
    at = 0
    for start, end, place, alone, score in sorted(beads, key=lambda bead: bead[0]):
        for k in range(at, start):
            yield _Alone(k, k + 1, -1, None)
        if alone:
            yield _Alone(start, end, place, score)
        at = end
    for k in range(at, size):
        yield _Alone(k, k + 1, -1, None)
