"""Lines with fields separated by ``|||``: ``source ||| target ||| links``, or a phrase table.

A Moses phrase table has about five fields per line, with the links in the fourth:
``source ||| target ||| scores ||| links ||| counts``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from alignframe.core.schemas import MAX_POSITION, TOKENS
from alignframe.errors import InputError, in_file
from alignframe.formats.links import pharaoh
from alignframe.formats.notations import advice_on, known_as
from alignframe.formats.rows import (
    BASE_HINT,
    DROP_HINT,
    END_OF_SENTENCE,
    LINK,
    LinkFormat,
    Reading,
    rows,
    with_gaps,
)
from alignframe.read.lines import TextFile
from alignframe.read.nested import are_probable

ROWS = 50_000

Row = tuple[list[str], list[str], list[tuple[int, int, int, float]]]


def read(file: TextFile, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Read a file; batches have the words as columns src and tgt in addition to the links."""
    return batched(partial(_rows, file, reading), reading)


def batched(
    parsed: Callable[[list[Row]], Iterator[Row]], reading: Reading
) -> Iterator[pa.RecordBatch]:
    """Yield the sentences that ``parsed`` yields, given those since the last batch, in batches."""
    waiting: list[Row] = []
    done = 0
    for row in parsed(waiting):
        waiting.append(row)
        if len(waiting) == ROWS:
            yield batch_of(waiting, done, reading)
            done += len(waiting)
            waiting.clear()
    if waiting:
        yield batch_of(waiting, done, reading)
    pharaoh.check_weighed(reading)


def _rows(file: TextFile, reading: Reading, waiting: list[Row]) -> Iterator[Row]:
    with in_file(None) as place:
        for place.line, words in file.words():
            fields: list[list[str]] = [[]]
            for word in words:
                if word == "|||":
                    fields.append([])
                else:
                    fields[-1].append(word)
            if len(fields) < 3:
                raise InputError(
                    f"{len(fields)} field(s) separated by '|||'",
                    expected="source ||| target ||| links",
                )
            src, tgt = fields[0], fields[1]
            # Phrase tables have scores before the links.
            given = fields[2 if len(fields) == 3 else 3]
            if len(fields) > 4 and (advice := advice_on(" ".join(words))):
                raise InputError(f"{' '.join(words)[:60]!r} is no phrase pair", todo=advice)
            hint = partial(base_hint, reading, waiting, given)
            yield src, tgt, links_of(given, reading, (len(src), len(tgt)), hint)


def write(batches: Iterable[pa.RecordBatch], out: BinaryIO, base: int = 0) -> None:
    """Write the columns src, tgt and links, one line per sentence; missing sids have no words."""
    for batch, missing in with_gaps(batches):
        data, _ = pharaoh.rendered(batch, base)
        links = data.decode().split("\n")
        sides = zip(batch.column("src").to_pylist(), batch.column("tgt").to_pylist(), strict=True)
        for (src, tgt), shown, empty in zip(sides, links, missing.tolist(), strict=False):
            out.write(b"|||  |||\n" * empty)
            out.write(f"{' '.join(src)} ||| {' '.join(tgt)} ||| {shown}\n".encode())


def links_of(
    words: Iterable[str], reading: Reading, lengths: tuple[int, int], hint: Callable[[], str]
) -> list[tuple[int, int, int, float]]:
    """Return links as two 0-based positions, whether they are Sure, and the probability, or NaN.

    ``hint`` is for errors.
    """
    links = (_link_of(word, reading, lengths, hint) for word in words)
    return [link for link in links if link is not None]


def _link_of(
    word: str, reading: Reading, lengths: tuple[int, int], hint: Callable[[], str]
) -> tuple[int, int, int, float] | None:
    """Return a link; None for one outside its words, if such links are to be left out."""
    base = reading.base or 0
    link, weight = (word, np.nan) if LINK.fullmatch(word) else pharaoh.without_score(word, reading)
    matched = LINK.fullmatch(link)
    if matched is None:
        raise InputError(f"{word!r} is not a link", expected="links such as 0-0 1p2")
    first_position, second_position = int(matched[1]) - base, int(matched[3]) - base
    first, second = lengths if reading.order == "src-tgt" else lengths[::-1]
    if (
        min(first_position, second_position) < 0
        or max(first_position, second_position) > MAX_POSITION
        or first_position >= first
        or second_position >= second
    ):
        if reading.drop_outside and min(first_position, second_position) >= 0:
            reading.outside += 1
            return None
        is_end = (first_position, second_position) == (first, second)
        raise InputError(
            f"the link {word!r} lies outside its line's {lengths[0]} source and "
            f"{lengths[1]} target words" + f", {END_OF_SENTENCE}" * is_end,
            todo=hint() or DROP_HINT * is_end,
        )
    sure = int(matched[2] is None and (matched[4] or "S") in "Ss")
    return first_position, second_position, sure, weight


def base_hint(reading: Reading, before: list[Row], words: Iterable[str | bytes]) -> str:
    """Return advice on a link beyond its words, if no position so far is 0."""
    here = map(LINK.fullmatch, (w if isinstance(w, str) else w.decode("latin-1") for w in words))
    # `before` are the sentences since the last batch, `words` the links of this one.
    known = [link[:2] for _, _, links in before for link in links]
    known += [(int(matched[1]), int(matched[3])) for matched in here if matched]
    if reading.base is not None or reading.zeros or any(0 in link for link in known):
        return ""
    return f"if positions count from 1, {BASE_HINT}"


def batch_of(waiting: list[Row], done: int, reading: Reading) -> pa.RecordBatch:
    """Return sentences with their words as a batch; ``done`` sentences came before."""
    src, tgt, links = zip(*waiting, strict=True)
    offsets = np.cumsum([0, *map(len, links)])
    flat = np.array([link for row in links for link in row], np.float64).reshape(-1, 4)
    weights = reading.weigh(flat[:, 3], offsets, done + reading.first_line)
    if reading.min_probability is not None and weights is not None:
        kept = are_probable(weights, reading.min_probability)
        offsets = np.append(0, np.cumsum(kept))[offsets]
        flat, weights = flat[kept], weights[kept]
    batch = rows(
        np.arange(done, done + len(waiting)),
        offsets,
        flat[:, 0].astype(np.uint16),
        flat[:, 1].astype(np.uint16),
        flat[:, 2].astype(np.uint8),
        reading,
        weights,
    )
    batch = batch.append_column("src", pa.array(list(src), TOKENS))
    return batch.append_column("tgt", pa.array(list(tgt), TOKENS))


FORMAT = LinkFormat(
    read,
    lambda line: "|||" in line and not pharaoh.begins(line) and known_as(line) is None,
    write,
    has_base=True,
    has_labels=True,
    has_words=True,
    has_probabilities=True,
)
