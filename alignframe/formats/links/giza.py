"""GIZA++ A3 files: three lines per sentence pair, each word followed by its links.

The first line holds the pair's number, the second the words of one side, the third the words of the
other, each followed by its group ``({ 1 2 })`` of positions (from 1) in the second line; the group
of ``NULL`` is first. The words with groups are the source side, or with the order ``tgt-src`` the
target side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from alignframe.core.arrow import to_links
from alignframe.core.schemas import MAX_POSITION, TOKENS
from alignframe.errors import InputError, in_file
from alignframe.formats.rows import LinkFormat, Reading, rows
from alignframe.read.lines import TextFile
from alignframe.read.opening import is_stream

# Sentence pairs of a batch.
ROWS = 20_000
_NUMBER = re.compile(r"\((\d+)\)", re.ASCII)
_HEADS = re.compile(rb"^# Sentence pair \((\d{1,18})\)", re.MULTILINE)


def read(file: TextFile, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Read a file in the order of its pairs; batches have the words as columns src and tgt."""
    batches = _read(file, reading)
    if not is_stream(file.path) and _ascending(file):
        yield from batches
    else:
        # An unsorted file is sorted in memory.
        yield from pa.Table.from_batches(list(batches)).sort_by("sid").to_batches()


def _ascending(file: TextFile) -> bool:
    last = 0
    for piece, _ in file.chunks():
        for number in map(int, _HEADS.findall(piece.tobytes())):
            if number < last:
                return False
            last = number
    return True


def _read(file: TextFile, reading: Reading) -> Iterator[pa.RecordBatch]:
    waiting: list[tuple[int, list[str], list[str], list[tuple[int, int]]]] = []
    seen: set[int] = set()
    lines = file.words()
    with in_file(None) as place:
        for place.line, head in lines:
            if not head:
                continue
            shown = _NUMBER.search(" ".join(head))
            if head[:3] != ["#", "Sentence", "pair"] or shown is None:
                raise InputError(
                    f"{' '.join(head)[:60]!r} does not start a sentence pair",
                    expected="# Sentence pair (1) source length ...",
                )
            try:
                _, plain = next(lines)
                at, grouped = next(lines)
            except StopIteration:
                raise InputError(
                    "the file ends inside a sentence pair",
                    expected="three lines per sentence pair",
                ) from None
            # More digits would not fit in 64 bits: a pair of no number is refused below.
            pair = int(shown[1]) if len(shown[1]) <= 18 else 0
            if pair == 0 or pair in seen:
                raise InputError(
                    f"the sentence pair {shown[0]}",
                    expected="numbers from 1, each once",
                )
            seen.add(pair)
            place.line = at
            words, links = _groups(grouped, len(plain))
            waiting.append((pair - 1, words, plain, links))
            if len(waiting) == ROWS:
                yield _batch(waiting, reading)
                waiting = []
    if waiting:
        yield _batch(waiting, reading)


def write(batches: Iterable[pa.RecordBatch], out: BinaryIO) -> None:
    """Write the columns sid, src, tgt and links; groups, from 1, follow the source words."""
    for batch in batches:
        links = to_links(batch.column("links"))
        sources, targets = batch.column("src").to_pylist(), batch.column("tgt").to_pylist()
        for r, sid in enumerate(batch.column("sid").to_pylist()):
            span = slice(int(links.starts[r]), int(links.ends[r]))
            groups: list[list[int]] = [[] for _ in sources[r]]
            for i, j in zip(links.i[span].tolist(), links.j[span].tolist(), strict=True):
                groups[i].append(j + 1)
            # GIZA++ gives the words that no other group holds to NULL.
            free = sorted(set(range(1, len(targets[r]) + 1)).difference(*groups))
            text = " ".join(
                f"{word} ({{ {''.join(f'{j} ' for j in group)}}})"
                for word, group in zip(["NULL", *sources[r]], [free, *groups], strict=True)
            )
            out.write(
                f"# Sentence pair ({sid + 1}) source length {len(sources[r])} "
                f"target length {len(targets[r])} alignment score : 1\n"
                f"{' '.join(targets[r])}\n{text}\n".encode()
            )


def _groups(pieces: list[str], length: int) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the words and links of a line with groups, without NULL."""
    words: list[str] = []
    links: list[tuple[int, int]] = []
    last = min(length, MAX_POSITION + 1)
    at = 0
    while at < len(pieces):
        word = pieces[at]
        end = at + 2
        while end < len(pieces) and pieces[end] != "})":
            end += 1
        if at + 1 >= len(pieces) or pieces[at + 1] != "({" or end >= len(pieces):
            raise InputError(
                f"the word {word!r} has no group of positions",
                expected="words such as: house ({ 2 3 })",
            )
        for item in pieces[at + 2 : end]:
            # isdigit alone holds for digits of all scripts, and for superscripts, which int()
            # refuses.
            known = item.isascii() and item.isdigit() and len(item) <= 9
            if not known or not 1 <= int(item) <= last:
                raise InputError(
                    f"the position {item!r} of the word {word!r}",
                    expected=f"positions from 1 to {last}, of the words of the line before",
                )
            if at > 0 or word != "NULL":
                links.append((len(words), int(item) - 1))
        if at > 0 or word != "NULL":
            words.append(word)
        at = end + 1
    if links and links[-1][0] > MAX_POSITION:
        raise InputError(
            f"the word {links[-1][0] + 1:,} has a link",
            expected=f"links of the first {MAX_POSITION + 1:,} words only",
        )
    return words, links


def _batch(
    waiting: list[tuple[int, list[str], list[str], list[tuple[int, int]]]], reading: Reading
) -> pa.RecordBatch:
    sids, words, plains, links = zip(*waiting, strict=True)
    offsets = np.cumsum([0, *map(len, links)])
    flat = np.array([link for row in links for link in row], np.uint16).reshape(-1, 2)
    sure = np.ones(len(flat), np.uint8)
    batch = rows(np.array(sids), offsets, flat[:, 0], flat[:, 1], sure, reading)
    src, tgt = (words, plains) if reading.order == "src-tgt" else (plains, words)
    batch = batch.append_column("src", pa.array(list(src), TOKENS))
    return batch.append_column("tgt", pa.array(list(tgt), TOKENS))


FORMAT = LinkFormat(
    read,
    lambda line: line.startswith("# Sentence pair"),
    write,
    has_words=True,
    has_ids=True,
)
