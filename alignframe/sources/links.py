"""Links as a shape of input: files of any format, tables, lists and columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import pyarrow as pa

from alignframe import formats
from alignframe.core.arrays import frozen
from alignframe.core.arrow import (
    as_array,
    is_frame,
    is_links,
    is_list,
    is_text,
    refuse_missing,
    to_reader,
)
from alignframe.core.schemas import MAX_POSITION
from alignframe.errors import InputError, in_file
from alignframe.formats.links import pharaoh
from alignframe.formats.rows import LINK, Reading, rows
from alignframe.read.nested import columns_needed, is_long, nest
from alignframe.sources.source import Shape, Source, as_listed, column_of, is_columns, wrong_type

_FORMS = (
    "a table of links, the path of a file of links, a list of texts such as '0-0 1-2', or a list "
    "of lists of pairs such as [(0, 0), (1, 2)]"
)
_CALLED = "the list of links"


def is_link_source(given: object) -> bool:
    """Whether something is one source of links, as opposed to several in a mapping or list."""
    if isinstance(given, Mapping):
        return is_columns(given) and any(
            name in given and not _lists_links(given[name]) for name in ("sid", "i")
        )
    if isinstance(given, (list, tuple)):
        return _are_links(given) or any(isinstance(item, str) and _is_text(item) for item in given)
    return True


def _lists_links(column: Any) -> bool:
    """Whether a column has the links of a sentence in each row, and not numbers."""
    array = column_of(column)
    if array is not None and not is_text(array.type):
        return is_list(array.type)
    listed = column if array is None else array.to_pylist()
    return len(listed) > 0 and _are_links(listed)


def _is_text(text: str) -> bool:
    """Whether a text begins with a link, and so is not a path."""
    return bool(text.strip()) and LINK.fullmatch(text.split()[0]) is not None


def _are_links(given: Sequence[Any]) -> bool:
    """Whether a list has sentences or rows of a table of links."""
    if all(isinstance(item, str) for item in given):
        return any(map(_is_text, given)) or (bool(given) and not any(map(str.strip, given)))
    if all(isinstance(item, Mapping) for item in given):
        return bool(given) and any(isinstance(given[0].get(key), Real) for key in ("sid", "i"))
    return all(_is_sentence(item) for item in given)


def _is_sentence(given: object) -> bool:
    """Whether something is a set or a list of pairs of positions."""
    if not isinstance(given, (list, tuple, set, frozenset)):
        return False
    return all(
        isinstance(link, (list, tuple))
        and len(link) in (2, 3)
        and not any(isinstance(position, str) for position in link)
        for link in given
    )


def link_frame(given: object) -> Any:
    """Return links other than paths as a re-readable frame or a table in memory."""
    given = as_listed(given)
    column = column_of(given)
    if column is not None:
        return _numbered(links_of(column))
    if isinstance(given, (list, tuple)) and given and not isinstance(given[0], Mapping):
        if not _are_links(given):
            if None in given:
                refuse_missing(pa.array([None if item is None else 0 for item in given]), _CALLED)
            raise wrong_type(given, "links", _FORMS)
        return _numbered(_parsed(given) if isinstance(given[0], str) else _paired(given))
    if not is_frame(given):
        raise wrong_type(given, "links", _FORMS)
    if hasattr(given, "to_arrow_reader") or hasattr(given, "collect_batches"):
        return given
    table = to_reader(given, "links").read_all()
    at = table.schema.get_field_index("links")
    if at >= 0 and not is_links(table.schema.field(at).type):
        table = table.set_column(at, "links", links_of(as_array(table.column(at))))
    return table


def _numbered(links: pa.Array) -> pa.Table:
    return pa.table({"sid": np.arange(len(links)), "links": links})


def links_of(column: pa.Array) -> pa.Array:
    """Return links from a column of links, Pharaoh strings or lists of pairs."""
    kind = column.type
    if not is_links(kind):
        refuse_missing(column, _CALLED)
    if is_text(kind):
        return _parsed(column.cast(pa.string()).to_pylist())
    inner = kind.value_type if is_list(kind) else kind
    if is_list(inner) and pa.types.is_integer(inner.value_type):
        return _paired(column.to_pylist())
    if is_list(kind) and pa.types.is_null(inner):  # no sentence has a link
        return _paired([()] * len(column))
    return column


def _parsed(texts: Sequence[str]) -> pa.Array:
    """Parse the links of texts such as ``0-0 1p2``, one per sentence."""
    reading = Reading()
    with in_file(_CALLED):
        parts = list(pharaoh.read_texts(texts, reading))
    _warn(reading)
    return pa.concat_arrays([batch.column("links") for batch in parts])


def _warn(reading: Reading) -> None:
    """Warn of what was repaired, and of positions that seem to count from 1."""
    reading.warn(_CALLED)
    reading.warn_of_base(_CALLED, "subtract 1 from every position")


def _paired(sentences: Sequence[Collection[Sequence[int]]]) -> pa.Array:
    """Return the links of lists of pairs (i, j), or of triples (i, j, sure)."""
    pairs = [tuple(link) for links in sentences for link in links]
    sizes = [0, *map(len, sentences)]
    # Without a link, numpy would make an array of floats.
    places = [np.array([link[k] for link in pairs] or np.zeros(0, np.int64)) for k in (0, 1)]
    for positions in places:
        if positions.dtype.kind not in "iu" or (
            positions.size and not 0 <= positions.min() <= positions.max() <= MAX_POSITION
        ):
            bad = next(
                link
                for link in pairs
                if not all(
                    isinstance(n, (int, np.integer))
                    and not isinstance(n, bool)
                    and 0 <= n <= MAX_POSITION
                    for n in link[:2]
                )
            )
            raise InputError(
                f"the link {bad}", expected=f"whole numbers from 0 to {MAX_POSITION:,}, as (i, j)"
            )
    sure = np.array([bool(link[2]) if len(link) > 2 else True for link in pairs], np.uint8)
    reading = Reading()
    made = rows(
        np.arange(len(sentences)),
        frozen(np.cumsum(np.array(sizes, np.int64))),
        frozen(places[0].astype(np.uint16)),
        frozen(places[1].astype(np.uint16)),
        frozen(sure),
        reading,
    )
    _warn(reading)
    return made.column("links")


def _layout(
    batches: Iterator[pa.RecordBatch], source: Source, keep: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    with in_file(source.name):
        yield from nest(batches, source.schema, source.system, keep)


LINKS = Shape(
    "links",
    is_link_source,
    formats.read,
    link_frame,
    is_long,
    columns_needed,
    _layout,
    file_is_system=True,
)
