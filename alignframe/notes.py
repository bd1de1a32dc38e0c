"""What looks wrong about two tables that are compared, told by scoring the beginning of both.

SQL macros score any tables, and say nothing of those that fit in another reading. So the notes are
the warnings and the error that the function ``score`` of the area gives for the same rows.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from alignframe.core.arrow import is_text, is_words
from alignframe.core.schemas import NOTES, SPANS
from alignframe.core.tokens import SIDES, composed
from alignframe.errors import DataWarning, InputError, few_of
from alignframe.read.nested import has_links


class Note(NamedTuple):
    """Something that looks wrong."""

    what: str
    place: str  # a table, or both
    expected: str = ""
    todo: str = ""


def table_notes(hyp: pa.Array, gold: pa.Array, names: pa.Array, key: pa.Array) -> pa.Array:
    """Return the notes on pairs of tables, given as JSON of their rows, their names and the key."""
    given = zip(*(column.to_pylist() for column in (hyp, gold, names, key)), strict=True)
    made = [
        [note._asdict() for note in notes(_table(mine), _table(other), called, on or ())]
        for mine, other, called, on in given
    ]
    return pa.array(made, NOTES)


def _table(rows: str | None) -> pa.Table:
    """Return rows from JSON, without columns that only the query has, which are null."""
    try:
        listed = json.loads(rows or "[]") or []
        if not all(isinstance(row, dict) for row in listed):
            raise ValueError("no rows")
    except (TypeError, ValueError):
        raise InputError(
            f"rows of a table as {rows!r:.60}", expected="JSON: a list of objects"
        ) from None
    names = dict.fromkeys(name for row in listed for name in row)
    columns = {name: [row.get(name) for row in listed] for name in names}
    kept = {
        name: values
        for name, values in columns.items()
        if name not in ("sid", "doc", "src") or any(value is not None for value in values)
    }
    return pa.table(kept)


def notes(
    hyp: pa.Table, gold: pa.Table, names: Sequence[str], on: Sequence[str] = ()
) -> list[Note]:
    """Return what looks wrong about two tables, which are called ``names``."""
    kinds = _kind(hyp.schema), _kind(gold.schema)
    both = " and ".join(names)
    for name, table in zip(names, (hyp, gold), strict=True):
        if not table.num_rows:
            return [Note("no rows", name, "at least one")]
    check = _CHECKS.get(kinds)
    if check is None:
        found = " and ".join(
            f"{name} {'is of ' + kind if kind else 'has the columns ' + few_of(table.schema.names)}"
            for name, kind, table in zip(names, kinds, (hyp, gold), strict=True)
        )
        wanted = "; ".join(f"{mine} and {other}" for mine, other in _CHECKS)
        return [Note(found, both, f"tables of one of these kinds: {wanted}")]
    made: list[Note] = []
    # What messages call the tables, and the options that macros have by other names.
    called = {"a table": names[0], "gold": names[1], "None": both}

    def note(what: str, place: object, expected: str = "", todo: str = "") -> None:
        said, wanted, change = map(_of_macros, (what, expected, todo))
        made.append(Note(said, called.get(str(place), str(place)), wanted, change))

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", DataWarning)
        try:
            made += check(hyp, gold, names, {"on": list(on)} if on else {}) or ()
        except InputError as error:
            what, *rest = error.parts
            note(what, error.path, *rest)
    for warning in (one.message for one in said if isinstance(one.message, DataWarning)):
        what, _, todo = str(warning).partition("; if so, ")
        note(what, warning.source, todo=todo)
    return made


def _of_macros(text: str) -> str:
    """Return a message with the option of macros, and a value as SQL has it."""
    return text.replace("such as domain,sid", "such as ['domain', 'sid']").replace("`on`", "`key`")


def _kind(schema: pa.Schema) -> str:
    """Return what a table holds, by its columns; empty if that is unknown."""
    columns = {*schema.names}
    wanted: dict[str, bool] = {
        "beads": {*SPANS} <= columns,
        "links": has_links(schema) or {"sid", "links"} <= columns,
        "rankings": {"rank", "system"} <= columns or {"better", "worse"} <= columns,
        "texts": "text" in columns,
        "sentence pairs": {"sid", *SIDES} <= columns,
        "lexicons": {*SIDES} <= columns and bool({"rank", "p"} & columns),
        "scores": {"system", "sid"} <= columns,
    }
    return next((kind for kind, holds in wanted.items() if holds), "")


Check = Callable[[pa.Table, pa.Table, Sequence[str], Any], Any]


def _links(hyp: pa.Table, gold: pa.Table, names: Sequence[str], on: Any) -> None:
    from alignframe import links

    _ = links.score({names[0]: hyp}, gold, **on).scores


def _beads(hyp: pa.Table, gold: pa.Table, names: Sequence[str], on: Any) -> None:
    from alignframe import beads

    _ = beads.score({names[0]: hyp}, gold, **on).scores


def _texts(hyp: pa.Table, gold: pa.Table, names: Sequence[str], on: Any) -> None:
    from alignframe import mt

    _ = mt.score({names[0]: hyp}, gold, **on)


def _rankings(hyp: pa.Table, gold: pa.Table, names: Sequence[str], on: Any) -> None:
    from alignframe import tesla

    del names, on
    scores, rankings = (hyp, gold) if _kind(gold.schema) == "rankings" else (gold, hyp)
    tesla.meta(rankings, scores, bootstrap=0)


def _lexicons(hyp: pa.Table, gold: pa.Table, names: Sequence[str], on: Any) -> Iterator[Note]:
    from alignframe.lexicon.sources import read_lexicon

    del on
    tables = dict(zip(names, (hyp, gold), strict=True))
    for name, table in tables.items():
        if _kind(table.schema) == "lexicons":
            read_lexicon(table, name)
    yield from _forms(tables)


def _forms(tables: dict[str, pa.Table]) -> Iterator[Note]:
    """Yield a note on words in other Unicode forms: SQL takes equal letters for different ones."""
    odd = [
        name
        for name, table in tables.items()
        for side in SIDES
        if (is_text(kind := table.schema.field(side).type) or is_words(kind))
        and composed(words := table[side].combine_chunks()) is not words
    ]
    if odd:
        yield Note(
            f"words of {' and '.join(dict.fromkeys(odd))} are not in the Unicode form NFC",
            odd[0],
            "NFC in both, as equal letters of other forms are different words in SQL",
            "write nfc_normalize(src) and nfc_normalize(tgt)",
        )


_CHECKS: dict[tuple[str, str], Check] = {
    ("links", "links"): _links,
    ("beads", "beads"): _beads,
    ("texts", "texts"): _texts,
    ("scores", "rankings"): _rankings,
    ("rankings", "scores"): _rankings,
    ("lexicons", "lexicons"): _lexicons,
    ("lexicons", "sentence pairs"): _lexicons,
}
