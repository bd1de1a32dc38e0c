"""Tab-separated sentence pairs with their links: source, target, Sure links, Possible links.

The column of Possible links is optional, and may repeat the Sure ones. Links are in Pharaoh
notation, ``0-0 1-2``. A header is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import BinaryIO

import pyarrow as pa

from alignframe.errors import InputError, in_file
from alignframe.formats.links import pharaoh
from alignframe.formats.links.moses import Row, base_hint, batched, links_of
from alignframe.formats.rows import LinkFormat, Reading, with_gaps
from alignframe.read.lines import TextFile

_EXPECTED = "source, target, Sure links and Possible links"


def read(file: TextFile, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Read a file; batches have the words as columns src and tgt in addition to the links."""
    return batched(partial(_rows, file, reading), reading)


def _rows(file: TextFile, reading: Reading, waiting: list[Row]) -> Iterator[Row]:
    with in_file(None) as place:
        for place.line, cells in _lines(file):
            names = [cell.decode("latin-1") for cell in cells]
            if place.line == 1 and is_heading(names):
                if names[2].strip().lower().startswith("poss"):
                    raise InputError(f"the columns {', '.join(names)}", expected=_EXPECTED)
                reading.first_line = 2
                continue
            hint = partial(base_hint, reading, waiting, b" ".join(cells[2:]).split())
            yield _row(cells, reading, hint)


def write(batches: Iterable[pa.RecordBatch], out: BinaryIO, base: int = 0) -> None:
    """Write one line per sentence; missing sids have no words."""
    for batch, missing in with_gaps(batches):
        lines = pharaoh.rendered(batch, base)[0].decode().split("\n")
        sides = zip(batch.column("src").to_pylist(), batch.column("tgt").to_pylist(), strict=True)
        for (src, tgt), line, empty in zip(sides, lines, missing.tolist(), strict=False):
            out.write(b"\t\t\t\n" * empty)
            links = line.split()
            cells = [" ".join(words) for words in (src, tgt)]
            cells.append(" ".join(link for link in links if "p" not in link))
            cells.append(" ".join(link.replace("p", "-") for link in links if "p" in link))
            out.write(("\t".join(cells) + "\n").encode())


def is_heading(cells: list[str]) -> bool:
    """Whether the cells of a first line are a header."""
    names = [cell.strip().lower() for cell in cells]
    return (
        len(names) in (3, 4)
        and names[0].startswith(("src", "source"))
        and names[2].startswith(("sure", "poss", "link", "align"))
    )


def _lines(file: TextFile) -> Iterator[tuple[int, list[bytes]]]:
    for data, first in file.texts():
        for number, line in enumerate(data.removesuffix(b"\n").split(b"\n"), first):
            yield number, line.split(b"\t")


def _row(
    cells: list[bytes],
    reading: Reading,
    hint: Callable[[], str],
) -> Row:
    if len(cells) not in (3, 4):
        raise InputError(f"{len(cells)} tab-separated columns", expected=_EXPECTED)
    words = [[word.decode() for word in cell.split()] for cell in cells]
    src, tgt = words[:2]
    columns = [links_of(column, reading, (len(src), len(tgt)), hint) for column in words[2:]]
    sure = {link[:2] for link in columns[0]}
    # Sure links are also Possible, so a file may list them in both columns.
    only = [(*k[:2], 0, k[3]) for k in columns[1] if k[:2] not in sure] if columns[1:] else []
    return src, tgt, columns[0] + only


def begins(line: str) -> bool:
    """Whether a line is a header, or a pair with words and links."""
    cells = line.split("\t")
    if len(cells) not in (3, 4) or "|||" in line:
        return False
    return is_heading(cells) or (
        not pharaoh.are_weighed(line) and all(map(pharaoh.are_weighed, cells[2:]))
    )


FORMAT = LinkFormat(
    read,
    begins,
    write,
    has_base=True,
    has_labels=True,
    has_words=True,
    has_probabilities=True,
)
