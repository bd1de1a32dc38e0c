"""Links and text in a DuckDB connection with a memory limit, for the SQL of phrases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from alignframe.core import choices
from alignframe.core.arrow import links_array, to_links
from alignframe.core.keys import sentence_column
from alignframe.core.schemas import LINKS, MAX_POSITION
from alignframe.engines.session import few_rows, limited, unchecked
from alignframe.errors import FROM_1, InputError, check_known
from alignframe.kernels.ragged import Tidied, locate, tidy
from alignframe.links.text import Text
from alignframe.phrases.extract import rows_of_systems, sentences_once
from alignframe.sources.pairs import register, sentence_pairs
from alignframe.sources.source import Source
from alignframe.typing import IntoBitext, Threads

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

KIND_OF = {
    "align-dic1": "minimal",
    "text-dic1": "minimal",
    "text-dic2": "exhaustive",
    "text-moses": "moses",
}
"""The kind of phrases in each dictionary; ``align-dic1`` is one dictionary per sentence."""

DICTIONARIES = choices.DICTIONARIES[:3]
"""The dictionaries of Carl & Fissaha 2003."""

Ids = npt.NDArray[np.int64]
Batch = TypeVar("Batch")

_SCHEMA = pa.schema([("system", pa.string()), ("sid", pa.int64()), ("links", LINKS)])


class Workspace:
    """A connection with the text and tables of links."""

    def __init__(self, connection: DuckDBPyConnection, bitext: IntoBitext) -> None:
        self.connection = connection
        given = sentence_pairs(bitext).in_memory()
        self.text = Text(given)
        register(connection, given, "text")

    def load(
        self,
        name: str,
        sources: Sequence[Source],
        executor: Executor | None = None,
        *,
        wanted: Ids | None = None,
        sure_only: bool = False,
        called: str | None = None,
    ) -> dict[str, Ids]:
        """Store links as a table; return the sentences of each system, in ascending order."""
        import duckdb

        read: dict[str, list[Ids]] = {}
        faults: list[InputError] = []

        def batches() -> Iterator[pa.RecordBatch]:
            whole = sentences_once(sources, self.text, executor, labels=sure_only, called=called)
            for batch, _ in _until_fault(whole, faults):
                sid, names = sentence_column(batch), batch.column("system")
                for system, rows in rows_of_systems(names).items():
                    read.setdefault(system, []).append(sid[rows])
                links = _chosen(tidy(to_links(batch.column("links"))), sure_only)
                columns = [names.cast(pa.string()), pa.array(sid), links]
                made = pa.record_batch(columns, schema=_SCHEMA)
                # Only sentences in `wanted`, which ascend.
                if wanted is not None:
                    made = made.filter(pa.array(locate(sid, wanted) >= 0))
                yield made

        # Read once, while the table is made.
        reader = pa.RecordBatchReader.from_batches(_SCHEMA, batches())
        try:
            self.connection.from_arrow(reader).create(name)
        except duckdb.Error:
            if faults:
                raise faults[0] from None
            raise
        return {system: np.sort(np.concatenate(parts)) for system, parts in read.items()}

    def make_entries(
        self,
        name: str,
        links: str,
        dictionary: str,
        max_length: int | None,
        apart: bool = False,
    ) -> None:
        """Store the entries of a dictionary of ``links`` as the table ``name``, maybe ``apart``."""
        given = {
            "links": links,
            "kind": KIND_OF[dictionary],
            "longest": None if max_length is None else words_of(max_length),
            # Apart, entries are those of single sentences, as they always are in align-dic1.
            "apart": apart or dictionary == "align-dic1",
        }
        self.connection.execute(
            "create or replace temp table made as select * from phrase_entries("
            "$links, 'text', kind := $kind, max_length := $longest, by_sentence := $apart)",
            given,
        )
        # A macro cannot name its table by a parameter.
        self.connection.execute(f"alter table made rename to {name}")

    def frame(self, sql: str, given: dict[str, object] | None = None) -> pl.DataFrame:
        """Return the result of a query."""
        return few_rows(self.connection, sql, given)


@contextmanager
def workspace(
    bitext: IntoBitext, memory_limit: str | None = None, threads: Threads = None
) -> Iterator[Workspace]:
    """Open a workspace that spills to a temporary folder; its limits are those of ``limited``."""
    with (
        limited(["phrases"], memory_limit, threads) as connection,
        unchecked(connection, "link_rows", "text_rows", "entry_rows"),
    ):
        yield Workspace(connection, bitext)


def check_dictionaries(names: Sequence[str]) -> list[str]:
    """Return dictionaries in canonical order; raise an InputError for unknown ones."""
    if not names:
        raise InputError("no dictionary", expected=f"one of {', '.join(KIND_OF)}")
    for name in names:
        check_known("`dictionaries`", name, KIND_OF)
    return [name for name in KIND_OF if name in names]


def words_of(max_length: object) -> int:
    """Return the maximum phrase length; raise an InputError unless it is a whole number from 1."""
    words: int = FROM_1.checked(max_length, "`max_length`")
    return min(words, MAX_POSITION + 1)


def _until_fault(batches: Iterator[Batch], faults: list[InputError]) -> Iterator[Batch]:
    """Yield batches; keep any InputError, because DuckDB passes on only its text."""
    try:
        yield from batches
    except InputError as error:
        faults.append(error)
        raise


def _chosen(links: Tidied, sure_only: bool) -> pa.ListArray:
    """Return tidied links without labels: all, or only the Sure ones."""
    if not sure_only:
        return links_array(links.offsets, links.i, links.j)
    sure = links.sure.astype(np.bool_)
    before = np.concatenate([[0], np.cumsum(sure)]).astype(np.int64)
    return links_array(before[links.offsets], links.i[sure], links.j[sure])
