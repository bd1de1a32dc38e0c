"""Several documents: reading them by name, and aligning them as one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from os import PathLike, fspath
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.beads.document import Document, DocumentSide
from alignframe.beads.picking import Beads
from alignframe.core.arrays import I64, Array, frozen
from alignframe.core.arrow import is_frame
from alignframe.core.choices import SEPARATORS, TABLES
from alignframe.errors import InputError, number_of
from alignframe.formats.files import by_name, files_by_name, is_list, is_several
from alignframe.kernels.beads.paths import Band
from alignframe.read.opening import is_stream, peek, table_suffix
from alignframe.sources.source import column_of, is_path, warn_of_one_file
from alignframe.sources.texts import is_text_table, text_array
from alignframe.sources.words import table_with_texts
from alignframe.typing import IntoDocuments

MAX_SENTENCES = 100_000
"""The maximum number of source sentences aligned together, except in a single document."""

_SHOWN = 3


class Documents(dict[str | None, pa.StringArray]):
    """Sentences of one side that are read already; the name None is that of an unnamed document."""


def read_sides(
    src: IntoDocuments, tgt: IntoDocuments, name: str, encoding: str = "utf-8"
) -> tuple[dict[str, pa.StringArray], dict[str, pa.StringArray], bool]:
    """Return the sentences of each document on both sides, and whether the documents are named."""
    warn_of_one_file(src, tgt)
    sides = [_read(given, what, encoding) for given, what in ((src, "source"), (tgt, "target"))]
    if sides[0].keys() == sides[1].keys() == {None}:
        return {name: sides[0][None]}, {name: sides[1][None]}, False
    # Lists of files pair documents by their order, whatever their names.
    if all(is_path(given) and is_list(given) for given in (src, tgt)) and len(sides[0]) == len(
        sides[1]
    ):
        sides[1] = dict(zip(sides[0], sides[1].values(), strict=True))
    for own, other, what in ((*sides, "target"), (*sides[::-1], "source")):
        alone = [str(doc_name or name) for doc_name in own if doc_name not in other]
        if alone:
            shown = ", ".join(map(repr, alone[:_SHOWN])) + (", ..." if len(alone) > _SHOWN else "")
            raise InputError(
                f"{number_of(len(alone), 'document')} without a {what} side: {shown}",
                expected="the same document names on both sides",
                todo="give the two files of a document the same name apart from the language, or "
                "list the files of both sides in the same order (@FILE)",
            )
    src_texts = {str(doc_name): texts for doc_name, texts in sides[0].items()}
    return src_texts, {doc_name: sides[1][doc_name] for doc_name in src_texts}, True


def _read(given: object, what: str, encoding: str) -> dict[str | None, pa.StringArray]:
    """Return the sentences of each document by name; None names an unnamed one."""
    if isinstance(given, Documents):
        return given
    label = f"the {what} sentences"
    if is_path(given):
        if is_several(given):
            files = files_by_name(given)
            return {name: text_array(file, label, encoding) for name, file in files.items()}
        if not _is_table(given):
            return {None: text_array(given, label, encoding)}
        return _of_table(_table(given, what), fspath(given))
    if isinstance(given, Mapping) and not is_text_table(given, "text", "doc", "sid"):
        texts_by_name: dict[str | None, pa.StringArray] = {
            str(name): text_array(texts, label, encoding) for name, texts in given.items()
        }
        if not texts_by_name:
            raise InputError(f"no document among {label}", expected="at least one")
        return texts_by_name
    if isinstance(given, (list, tuple)) and given and isinstance(given[0], PathLike):
        files = by_name(given, label)
        return {name: text_array(file, label, encoding) for name, file in files.items()}
    if is_frame(given) and column_of(given) is None:
        return _of_table(_table(given, what), label)
    return {None: text_array(given, label, encoding)}


def _is_table(path: str | PathLike[str]) -> bool:
    """Whether a path holds a table; a pipe does if its first line names a column text."""
    suffix = table_suffix(path)
    if not is_stream(path):
        return suffix in TABLES or Path(path).is_dir()
    first = peek(path, 1 << 16).lstrip().partition(b"\n")[0].decode("utf-8", "replace")
    mark = SEPARATORS.get(suffix)
    return mark is None or "text" in [cell.strip(' "\r\ufeff') for cell in first.split(mark)]


def _table(given: object, what: str) -> pl.DataFrame:
    """Return a table with text; in a text file, names and sentences of digits are text too."""
    table = table_with_texts(given, f"the table of {what} sentences", ("text",), ("doc",))
    return pl.DataFrame(pl.from_arrow(table))


def _of_table(frame: pl.DataFrame, label: str) -> dict[str | None, pa.StringArray]:
    """Return the sentences of a table with text, and optionally doc and sid, in sid order."""
    if "doc" not in frame.columns:
        return {None: _in_order(frame, "", label)}
    if frame["doc"].null_count():
        raise InputError(f"a missing doc in {label}", expected="a name in every row")
    parts = frame.with_columns(pl.col("doc").cast(pl.String)).partition_by(
        "doc", as_dict=True, maintain_order=True
    )
    return {
        str(key[0]): _in_order(part, f" of the document {key[0]!r}", label)
        for key, part in parts.items()
    }


def _in_order(frame: pl.DataFrame, of: str, label: str) -> pa.StringArray:
    """Return the sentences of a document in sid order, if there is such a column."""
    if "sid" in frame.columns:
        if not frame["sid"].dtype.is_numeric():
            raise InputError(
                f"a column sid of {str(frame['sid'].dtype).lower()}{of} in {label}",
                expected="the numbers 0, 1, 2, ... of sentences in each document",
                todo="without a column sid, the rows are in order",
            )
        frame = frame.sort("sid", maintain_order=True)
        wrong = frame.filter(pl.col("sid") != pl.int_range(pl.len()))
        if wrong.height or frame["sid"].null_count():
            sid_found = wrong["sid"][0] if wrong.height else None
            raise InputError(
                f"the sid {sid_found!r}{of} in {label}",
                expected="0, 1, 2, ... in each document, each once",
            )
    return text_array(frame["text"], f"the column text of {label}")


def grouped(texts: Sequence[Document]) -> Iterator[Sequence[Document]]:
    """Yield documents in groups that are aligned together."""
    group: list[Document] = []
    size = 0
    for text in texts:
        if group and size + len(text.src) > MAX_SENTENCES:
            yield group
            group, size = [], 0
        group.append(text)
        size += len(text.src)
    if group:
        yield group


def _with_gaps(texts: Sequence[pa.StringArray]) -> pa.StringArray:
    """Concatenate sentences, with an empty one between documents."""
    parts = [piece for text in texts for piece in (pa.array([""]), text)]
    return pa.concat_arrays(parts[1:])


@dataclass(frozen=True)
class Joined:
    """Documents joined into one, separated on both sides by an empty sentence."""

    # No bead includes an empty sentence, so none crosses documents.
    texts: Sequence[Document]

    @cached_property
    def text(self) -> Document:
        """The joined document."""
        if len(self.texts) == 1:
            return self.texts[0]
        first = self.texts[0]
        src, tgt = (
            DocumentSide(_with_gaps([side.texts for side in sides]), first.src.words)
            for sides in zip(
                *((document_joined.src, document_joined.tgt) for document_joined in self.texts),
                strict=True,
            )
        )
        return Document(src, tgt, f"{number_of(len(self.texts), 'document')} from {first.name} on")

    @cached_property
    def starts(self) -> tuple[I64, I64]:
        """Where each document begins on either side, and where the next one would."""
        sizes = [
            [len(document_joined.src) + 1 for document_joined in self.texts],
            [len(document_joined.tgt) + 1 for document_joined in self.texts],
        ]
        src, tgt = (frozen(np.concatenate([[0], np.cumsum(side)])) for side in sizes)
        return src, tgt

    def parts(self, src: Array, tgt: Array) -> Iterator[tuple[Array, Array]]:
        """Yield the slice of each document."""
        for k, document_joined in enumerate(self.texts):
            first, other = self.starts[0][k], self.starts[1][k]
            yield (
                src[first : first + len(document_joined.src)],
                tgt[other : other + len(document_joined.tgt)],
            )

    def band(self, bands: Sequence[Band]) -> Band:
        """Join the bands of all documents; a path passes through the end of each."""
        sizes = [np.diff(band.at) for band in bands]
        for size in sizes[:-1]:
            size[-1] += 1  # past the empty sentence between documents
        lo = np.concatenate(
            [band.lo + start for band, start in zip(bands, self.starts[1], strict=False)]
        )
        at = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(sizes))])
        return Band(frozen(lo), frozen(at))

    def split(self, beads: Beads) -> Iterator[Beads]:
        """Yield the beads of each document, numbered from its own first sentence."""
        starts, others = self.starts
        full = (beads.sizes > 0).all(axis=1)
        on_src = full | (beads.sizes[:, 0] > 0)
        # A bead is of the document where its source begins, or its target if it has no source.
        at = np.where(
            on_src,
            np.searchsorted(starts, beads.src, side="right"),
            np.searchsorted(others, beads.tgt, side="right"),
        )
        last = np.where(
            on_src, beads.src == starts[at] - 1, beads.tgt == others[at] - 1
        )  # the empty sentence between documents
        at[last] = 0
        order = np.argsort(at, kind="stable")
        bounds = np.searchsorted(at[order], np.arange(1, len(self.texts) + 2))
        for k, (low, high) in enumerate(pairwise(bounds)):
            kept = order[low:high]
            yield Beads(
                beads.src[kept] - starts[k],
                beads.tgt[kept] - others[k],
                beads.sizes[kept],
                beads.score[kept],
            )
