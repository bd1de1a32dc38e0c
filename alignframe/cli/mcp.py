"""``alignframe mcp``: a server of the Model Context Protocol, through which agents read tables."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from importlib.metadata import version
from inspect import getdoc
from typing import TYPE_CHECKING, Any

from alignframe.cli.json_text import json_pieces
from alignframe.cli.progress import spinner
from alignframe.cli.show import in_shell
from alignframe.cli.sql import Served
from alignframe.core.lazy import __version__
from alignframe.core.schemas import SPANS
from alignframe.core.signatures import whole_signature
from alignframe.engines.locked import MOST_ROWS, Locked, locked
from alignframe.errors import AlignframeError, InputError, MissingExtraError, check_known
from alignframe.read.columns import plain_field
from alignframe.read.nested import has_links
from alignframe.stores.store import digest

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

_ABOUT = f"""\
Word and sentence alignments, translations and their scores, as tables. Begin with
describe_tables. An answer is JSON: at most {MOST_ROWS:,} rows in tables.rows of the row_count there
are, warnings about the data, and a signature, which names every choice that affects the scores:
quote it with them, and compare only scores with the same one."""

_AREAS = {"links": "links", "beads": "beads", "translations": "mt"}
"""The area that scores each kind of table."""


Answer = tuple[list[dict[str, Any]], int]
"""The first rows of a table, and the number of all."""


def serve(given: Served) -> None:
    """Answer the questions of an agent until it closes standard input."""
    if not given.places:
        raise InputError("no table given", expected="one or more `tables`")
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.types import ToolAnnotations
    except ImportError:
        raise MissingExtraError("mcp>=2", "mcp", "alignframe mcp") from None
    turn = threading.Lock()  # there is one connection, and one list of warnings
    with locked(given.places, seconds=given.time_limit, **given.settings) as opened:
        server = MCPServer(
            "alignframe", instructions=_ABOUT, version=__version__, log_level="ERROR"
        )
        tools = Tools(opened, given.places)
        for name in ("describe_tables", "score", "compare", "worst_sentences", "sql"):
            tool = getattr(tools, name)
            server.add_tool(
                _answering(tool, turn, ToolError),
                description=getdoc(tool),
                annotations=ToolAnnotations(read_only_hint=True),
                structured_output=False,
            )
        spinner().stop()
        server.run()


@dataclass(frozen=True)
class Tools:
    """What agents can ask; their docstrings are what agents read."""

    opened: Locked
    places: Mapping[str, str]

    def describe_tables(self) -> Answer:
        """List the tables: what each holds, and the types of its columns."""
        rows: list[dict[str, Any]] = [
            {
                "table": name,
                "holds": _kind(held.schema),
                "columns": {one.name: str(one.type) for one in map(plain_field, held.schema)},
            }
            for name, held in self.opened.held.items()
        ]
        return rows, len(rows)

    def score(
        self,
        hyp: list[str],
        gold: str,
        on: Sequence[str] = (),
        by: Sequence[str] = (),
        bootstrap: int = 0,
    ) -> Answer:
        """Score systems against gold links or beads, or a reference translation.

        hyp has the names of tables. A system is named as its table, or TABLE/SYSTEM if this has
        several. on has the columns that identify a sentence, by default sid; by has columns to
        group by, sid for single sentences. With bootstrap, a number of resamples such as 1000, each
        figure has its 95% interval.
        """
        return _first(self._scores(hyp, gold, on=on, by=by, bootstrap=bootstrap).scores)

    def compare(self, hyp: list[str], gold: str, baseline: str, on: Sequence[str] = ()) -> Answer:
        """Test whether systems differ from a baseline, one of them, by the paired bootstrap."""
        return _first(self._scores(hyp, gold, on=on).compare(baseline))

    def worst_sentences(
        self, hyp: list[str], gold: str, n: int = 10, on: Sequence[str] = ()
    ) -> Answer:
        """List the n worst sentences of each system, or documents of beads, and their counts."""
        return _first(self._scores(hyp, gold, on=on).worst(n))

    def sql(self, statement: str) -> Answer:
        """Run one query of DuckDB's SQL, which only reads, over the named tables.

        The macros of this package can be called, with names of tables as texts, such as: select *
        from link_scores('hyp', 'gold', key := ['domain', 'sid'], by := ['domain']). The table
        alignframe_macros, with the columns macro, about and answers, lists them all.
        """
        return self.opened.ask(statement)

    def _scores(self, hyp: list[str], gold: str, **options: object) -> Any:
        """Return the result of ``score`` of the area of the tables."""
        for name in (*hyp, gold):
            check_known("table", name, self.places)
        kinds = {_kind(self.opened.held[name].schema) for name in (*hyp, gold)}
        if kinds - _AREAS.keys() or len(kinds) > 1:
            raise InputError(
                f"tables of {' and '.join(sorted(kinds))}",
                expected=f"one kind in all, of {', '.join(_AREAS)}",
            )
        area = import_module(f"alignframe.{_AREAS[kinds.pop()]}")
        given = {name: value for name, value in options.items() if value}
        return area.score({name: self.places[name] for name in hyp}, self.places[gold], **given)


def _kind(schema: pa.Schema) -> str:
    """Return what a table holds."""
    if has_links(schema):
        return "links"
    if {*SPANS} <= {*schema.names}:
        return "beads"
    return "translations" if "text" in schema.names else "other rows"


def _first(frame: pl.DataFrame) -> Answer:
    return frame.head(MOST_ROWS).to_dicts(), frame.height


def _answering(
    tool: Callable[..., Answer], turn: threading.Lock, failure: type[Exception]
) -> Callable[..., str]:
    """Return a tool that answers in JSON, and fails as the protocol has it."""

    @wraps(tool)
    def answer(**words: Any) -> str:
        with turn, warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            try:
                rows, number = tool(**words)
            except AlignframeError as error:
                raise failure(in_shell(str(error))) from None
        also = {"row_count": number, "warnings": [in_shell(str(one.message)) for one in heard]}
        mark = None
        if not (rows and "signature" in rows[0]):  # else of scores, which have their own
            asked = f"statement:{digest(words.values())[:8]}" if "statement" in words else ""
            mark = whole_signature(f"sql:duckdb-{version('duckdb')}", asked)
        return "".join(json_pieces({"rows": rows}, mark, also))

    return answer
