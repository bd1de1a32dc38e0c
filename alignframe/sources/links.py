"""Links as a shape of input: files of any format, tables, lists and columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
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
    schema_of,
    to_reader,
)
from alignframe.core.schemas import MAX_POSITION
from alignframe.errors import InputError, in_file
from alignframe.formats.links import pharaoh
from alignframe.formats.rows import Reading, rows
from alignframe.read.nested import PROBABILITIES, columns_needed, is_long, nest
from alignframe.sources.source import Shape, Source, as_listed, column_of, is_columns, wrong_type

_FORMS = (
    "a table of links, the path of a file of links, a list of texts such as '0-0 1-2', or a list "
    "of lists of pairs such as [(0, 0), (1, 2)]"
)
_LINK = "(i, j), or (i, j, sure) with True or False"
_SHARES = (
    "give probabilities in a file of links with sid, i, j and probability, or in the fifth column "
    "of NAACL, which `min_probability` of links.read chooses by"
)
_CALLED = "the list of links"
_NESTED = (list, tuple, set, frozenset, np.ndarray)
_NO_NUMBERS = (str, *_NESTED)


def is_link_source(given: object) -> bool:
    """Whether something is one source of links, as opposed to several in a mapping or list."""
    if isinstance(given, Mapping):
        return is_columns(given) and any(
            name in given and not _lists_links(given[name]) for name in ("sid", "i")
        )
    if isinstance(given, (list, tuple)):
        texts = any(isinstance(item, str) and _is_text(item) for item in given)
        return texts or _are_links(given) or not all(map(_may_be_source, given)) or _splits(given)
    return True


def by_method(given: object) -> object:
    """Return a list of a dict per sentence, of links by method, as the links of each method."""
    if not isinstance(given, (list, tuple)) or not all(isinstance(s, Mapping) for s in given):
        return given
    methods = given[0].keys() if given else ()
    if not methods or any(
        links_by.keys() != methods or not all(map(_is_sentence, links_by.values()))
        for links_by in given
    ):
        return given
    return {method: [links_by[method] for links_by in given] for method in methods}


def _may_be_source(given: object) -> bool:
    """Whether an item of a list may be a source, or several; if not, it is part of a faulty one."""
    if isinstance(given, (list, tuple)):
        return _are_links(given) or all(map(_may_be_source, given))
    is_part = isinstance(given, (Real, set, frozenset)) or getattr(given, "ndim", 1) > 1
    return given is not None and (is_frame(given) or not is_part)


def _splits(given: Sequence[Any]) -> bool:
    """Whether there are several lists of texts: links one by one, or systems without names."""
    if len(given) < 2 or not all(isinstance(item, (list, tuple)) for item in given):
        return False
    texts = chain.from_iterable(given)
    return isinstance(next(texts, None), str) and all(isinstance(text, str) for text in texts)


def _lists_links(column: Any) -> bool:
    """Whether a column has the links of a sentence in each row, and not numbers."""
    array = column_of(column)
    if array is not None and not is_text(array.type):
        return is_list(array.type)
    listed = column if array is None else array.to_pylist()
    return len(listed) > 0 and _are_links(listed)


def _is_text(text: str) -> bool:
    """Whether a text begins with a link, and so is not a path."""
    return bool(text.strip()) and pharaoh.are_weighed(text.split()[0])


def _are_links(given: Sequence[Any]) -> bool:
    """Whether a list has sentences or rows of a table of links."""
    if all(isinstance(item, str) for item in given):
        return any(map(_is_text, given)) or (bool(given) and not any(map(str.strip, given)))
    if all(isinstance(item, Mapping) for item in given):
        return bool(given) and any(isinstance(given[0].get(key), Real) for key in ("sid", "i"))
    return all(_is_sentence(item) for item in given)


def _is_sentence(given: object) -> bool:
    """Whether something is a set, a list or an array of pairs of positions."""
    if isinstance(given, np.ndarray):
        is_table = given.ndim == 2 and given.shape[1] in (2, 3) and given.dtype.kind not in "SU"
        return not given.size or is_table
    return isinstance(given, (list, tuple, set, frozenset)) and all(map(_is_link, given))


def _is_link(given: object) -> bool:
    """Whether something is a pair or a triple, and not of texts."""
    return (
        (isinstance(given, (list, tuple)) or (isinstance(given, np.ndarray) and given.ndim == 1))
        and len(given) in (2, 3)
        and not any(isinstance(position, _NO_NUMBERS) for position in given)
    )


def link_frame(given: object) -> Any:
    """Return links other than paths as a re-readable frame or a table in memory."""
    given = as_listed(given)
    column = column_of(given)
    if column is not None:
        if _are_texts(column):
            return _parsed(column.to_pylist())
        return _numbered(links_of(column))
    if isinstance(given, np.ndarray):
        given = list(given)
    if isinstance(given, (list, tuple)) and given and not isinstance(given[0], Mapping):
        if not _are_links(given):
            raise _fault(given)
        return _parsed(given) if isinstance(given[0], str) else _numbered(_paired(given))
    if not is_frame(given):
        raise wrong_type(given, "links", _FORMS)
    methods = by_method(given)
    if isinstance(methods, Mapping) and methods and all(map(_lists_links, methods.values())):
        raise InputError(
            f"links by {', '.join(map(str, methods))} given as those of one system",
            expected="the links of one of them",
        )
    lazy = hasattr(given, "to_arrow_reader") or hasattr(given, "collect_batches")
    if lazy and _to_parse(schema_of(given)) < 0:
        return given
    table = to_reader(given, "links").read_all()
    at = _to_parse(table.schema)
    if at >= 0:
        given_links = as_array(table.column(at))
        texts = _parsed(given_links.to_pylist()) if _are_texts(given_links) else None
        parsed = links_of(given_links) if texts is None else texts["links"]
        table = table.set_column(at, "links", parsed)
        if texts is not None and {*texts.column_names} > {"sid", "links"}:
            table = table.append_column(PROBABILITIES, texts[PROBABILITIES])
    return table


def _are_texts(column: pa.Array) -> bool:
    """Whether a column has a text for each sentence."""
    return is_text(column.type) and not pa.types.is_null(column.type) and not column.null_count


def _to_parse(schema: pa.Schema) -> int:
    """Return the place of a column of links in another form, such as text; -1 without one."""
    at: int = schema.get_field_index("links")
    return -1 if at < 0 or is_links(schema.field(at).type) else at


def _fault(given: Sequence[Any]) -> InputError:
    """Return the error for a list that is no list of links."""
    if any(item is None for item in given):
        refuse_missing(pa.array([None if item is None else 0 for item in given]), _CALLED)
    if all(map(_is_link, given)):
        return InputError(
            f"the links of one sentence, beginning with {_shown(given[0])}, given as those of all",
            expected="a list with a list of pairs for each sentence, such as [[(0, 0), (1, 2)]]",
        )
    if _splits(given):
        one = _shown(next(filter(None, given), given[0]))
        return InputError(
            f"lists of texts, such as {one}, given as links",
            expected="a text for each sentence, such as '0-0 1-2'",
            todo="join the links of each sentence with spaces; give several systems by name, in a "
            "dict",
        )
    for sentence, links in enumerate(given):
        odd = [k for k in links if not _is_link(k)] if isinstance(links, _NESTED) else []
        if odd:
            found = f"sentence {sentence:,} (counted from 0) has the link {_shown(odd[0])}"
            return InputError(found, expected=_LINK)
    return wrong_type(given, "links", _FORMS)


def _shown(thing: object) -> str:
    """Return the beginning of something, with the numbers of numpy as plain ones."""
    plain = thing.tolist() if isinstance(thing, np.ndarray) else thing
    if isinstance(plain, (list, tuple)):
        plain = type(plain)(n.item() if isinstance(n, np.generic) else n for n in plain)
    return f"{plain!r}"[:60]


def _numbered(links: pa.Array) -> pa.Table:
    return pa.table({"sid": np.arange(len(links)), "links": links})


def links_of(column: pa.Array) -> pa.Array:
    """Return links from a column of links, Pharaoh strings or lists of pairs."""
    kind = column.type
    if not is_links(kind):
        refuse_missing(column, _CALLED)
    if is_text(kind):
        return _parsed(column.cast(pa.string()).to_pylist())["links"].combine_chunks()
    inner = kind.value_type if is_list(kind) else kind
    if hasattr(inner, "value_type") and is_list(kind):
        numbers = inner.value_type
        if pa.types.is_integer(numbers) or pa.types.is_floating(numbers):
            return _paired(column.to_pylist())
    if is_list(kind) and pa.types.is_null(inner):  # no sentence has a link
        return _paired([()] * len(column))
    return column


def _parsed(texts: Sequence[str]) -> pa.Table:
    """Return the table of texts such as ``0-0 1p2`` or ``0-0:0.9``, one per sentence."""
    reading = Reading()
    with in_file(_CALLED):
        parts = list(pharaoh.read_texts(texts, reading))
    _warn(reading)
    return pa.Table.from_batches(parts)


def _warn(reading: Reading) -> None:
    """Warn of what was repaired, and of positions that seem to count from 1."""
    reading.warn(_CALLED)
    reading.warn_of_base(_CALLED, "subtract 1 from every position")


def _paired(sentences: Sequence[Collection[Sequence[int]] | np.ndarray]) -> pa.Array:
    """Return the links of lists of pairs (i, j), or of triples (i, j, sure)."""
    plain = (links.tolist() if isinstance(links, np.ndarray) else links for links in sentences)
    pairs = [tuple(link) for links in plain for link in links]
    sizes = [0, *map(len, sentences)]
    # Without a link, numpy would make an array of floats.
    places = [np.array([link[k] for link in pairs] or np.zeros(0, np.int64)) for k in (0, 1)]
    if any(
        positions.dtype.kind not in "iu"
        or (positions.size and not 0 <= positions.min() <= positions.max() <= MAX_POSITION)
        for positions in places
    ):
        bad = next(link for link in pairs if not all(map(_is_position, link[:2])))
        raise InputError(
            f"the link {_shown(bad)}",
            expected=f"whole numbers from 0 to {MAX_POSITION:,}, as (i, j)",
            todo=_SHARES if len(bad) > 2 and not _is_label(bad[2]) else "",
        )
    for link in pairs:
        if len(link) > 2 and not _is_label(link[2]):
            is_share = isinstance(link[2], (float, np.floating))
            todo = _SHARES if is_share else ""
            raise InputError(f"the link {_shown(link)}", expected=_LINK, todo=todo)
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


def _is_position(number: object) -> bool:
    whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
    return whole and 0 <= number <= MAX_POSITION  # type: ignore[operator]


def _is_label(given: object) -> bool:
    """Whether something is true or false, or 1 or 0; a probability would count as true."""
    return isinstance(given, (bool, np.bool_, int, np.integer)) and int(given) in (0, 1)


def _layout(
    batches: Iterator[pa.RecordBatch], source: Source, keep: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    reading = Reading()
    with in_file(source.name):
        for batch in nest(batches, source.schema, source.system, keep):
            columns = ["system", "sid", "links", *keep]
            yield pharaoh.from_texts(batch, reading).select(columns)
    reading.warn(source.name)


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
