"""Self-contained pages: charts and the code that draws them in one file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pyarrow as pa

from alignframe.core.output import file_name, make_folder, replacing, together
from alignframe.errors import InputError, MissingExtraError
from alignframe.pages.paper import INCHES, caption_of, fitted
from alignframe.pages.sentences import LIST, Sentences, inside
from alignframe.pages.shell import MAX_MB, rendered, write_whole
from alignframe.stores.cache import cached
from alignframe.typing import Row

FIGURE_FORMATS = ("png", "svg", "pdf")


@dataclass(frozen=True)
class Figure:
    """A chart with its text; ``name`` is its file name when exported.

    What a caption says of the data is computed from what the chart draws; see ``drawn``. A click
    on a mark lists its sentences: those of the system in the column ``system``, beside that in
    ``baseline``, and of what ``picks`` has columns for: ``other``, another system beside it;
    ``length``, one of the ``bands`` of sentences; ``sid``, a sentence; or a head of their cells.
    The ``signature`` is of what the chart draws, by default that of the page.
    """

    name: str
    chart: Any
    caption: str = ""
    wide: bool = False
    picks: Mapping[str, str] = field(default_factory=dict)
    signature: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of text under headings; ``strong`` lists the best cells of columns as (row, column).

    A cell may have a second line, such as an interval. The first ``texts`` columns are text, the
    others numbers; ``exact`` has these in full, with the ends of intervals, separated by spaces, as
    they are copied. Below the figures, two tables are shown side by side, unless they are ``wide``.
    Neighbours of one title are shown one at a time, that of the ``choice`` of the reader. Rows have
    links to their sentences, as in a ``Figure``; ``picks`` has heads, and ``system`` is that under
    ``System`` by default. What ``other`` names may be a system itself.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    strong: frozenset[tuple[int, int]] = frozenset()
    title: str = ""
    texts: int = 1
    caption: str = ""
    wide: bool = False
    exact: Sequence[Sequence[str]] = ()
    choice: str = ""
    picks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """Everything a report shows: ``table``, figures, the evidence of sentences, and ``tables``.

    The ``lead`` says what was found, in one to three sentences with the figures that decide, and
    ``about`` of what: systems, sentences, definitions; it is printed small below the lead.

    Two figures are shown side by side, unless they are wide. Titles of charts become headings of
    the page, so that they wrap and can be searched; images keep them.
    """

    title: str
    lead: str
    table: Table | None
    figures: Sequence[Figure]
    tables: Sequence[Table] = field(default_factory=tuple)
    notes: Sequence[str] = field(default_factory=tuple)
    signature: str = ""
    sentences: Sentences | None = None
    about: str = ""

    @property
    def by_title(self) -> list[list[Table]]:
        """The tables, those of which the reader chooses one together."""
        alike = groupby(
            enumerate(self.tables), lambda one: (one[1].title, not one[1].choice and one[0])
        )
        return [[table for _, table in own] for _, own in alike]

    def html(self, folder: str = "") -> str:
        """Return the page, scripts included; with a folder, evidence of sentences is linked."""
        converter = _converter()
        specs = {figure.name: _spec(figure.chart) for figure in self.figures}
        # Before specs become JSON: a title is taken out of its spec, to be the heading.
        titles = {name: _take_title(spec) for name, spec in specs.items()}
        return rendered(
            "page.html.jinja",
            self,
            specs=_as_json(specs),
            picks=_as_json({figure.name: dict(figure.picks) for figure in self.figures}),
            titles=titles,
            script=_script(converter),
            blocks=inside(self._blocks(others=not folder)),
            parts=folder,
        )

    def write(self, path: str | PathLike[str], *, max_mb: float = MAX_MB) -> list[Path]:
        """Write the page, with the evidence of its sentences beside it if above ``max_mb``.

        Returns
        -------
        list of Path
            The page, and the folder of the evidence, if any.
        """
        return write_whole(path, self.html, self._blocks(first=False), max_mb)

    def _blocks(self, *, first: bool = True, others: bool = True) -> dict[str, str]:
        """Return the list of sentences, and their evidence."""
        blocks = {} if self.sentences is None else self.sentences.blocks
        return {name: one for name, one in blocks.items() if (first if name == LIST else others)}

    def write_figures(
        self,
        folder: str | PathLike[str],
        format: str = "png",
        scale: float = 2.0,
        columns: int | None = None,
    ) -> list[Path]:
        """Write every chart as an image; return the files.

        With ``columns``, 1 or 2, charts are as wide as these in a paper, and PNG has 300 dots an
        inch. Titles are not in the pictures but, with the captions and the signature, in a text
        beside each.
        """
        if format not in FIGURE_FORMATS:
            raise InputError(f"the figure format {format!r}", expected=" or ".join(FIGURE_FORMATS))
        if columns not in (None, *INCHES):
            raise InputError(f"`columns` is {columns}", expected="1 or 2, or None for a screen")
        converter = _converter()
        target = Path(folder)
        make_folder(target)
        import altair as alt

        # vl-convert knows Vega-Lite by 6.4, not by 6.4.1.
        version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
        given = {"vl_version": version, **({"scale": scale} if format == "png" else {})}
        written = []

        def write(figure: Figure, suffix: str, made: str | bytes) -> None:
            written.append(target / file_name(figure.name, suffix))
            with replacing(written[-1]) as out:
                out.write(made.encode() if isinstance(made, str) else made)

        with together():
            for figure in self.figures:
                spec = _spec(figure.chart)
                if columns is None:
                    draw = getattr(converter, f"vegalite_to_{format}")
                    write(figure, f".{format}", draw(_as_json(spec), **given))
                    continue
                title = _take_title(spec)
                draw = partial(_as_svg, converter, version)
                unit = "pt" if format == "svg" else ""
                svg = fitted(json.loads(_as_json(spec)), columns, draw, unit)
                print_at = {"ppi": 300} if format == "png" else {}
                turned = getattr(converter, f"svg_to_{format}", None)
                write(figure, f".{format}", turned(svg, **print_at) if turned else svg)
                chosen = [one["value"] for one in spec.get("params", []) if "bind" in one]
                said = " ".join([*(f"Of {name}." for name in chosen), figure.caption])
                mark = figure.signature or self.signature
                write(figure, ".txt", caption_of(title, said.strip(), mark))
        return written


def drawn(chart: Any, *columns: str) -> pl.DataFrame:
    """Return what a chart draws in some columns: the distinct rows of its tables that have them."""
    tables = [one.select(columns) for one in _tables(chart) if {*columns} <= {*one.columns}]
    return pl.concat(tables).unique(maintain_order=True)


def _tables(chart: Any) -> Iterator[pl.DataFrame]:
    if isinstance(data := getattr(chart, "data", None), pl.DataFrame):
        yield data
    inner = [getattr(chart, name, None) for name in ("layer", "hconcat", "vconcat", "concat")]
    inner.append([getattr(chart, "spec", None)])  # of panels
    for part in (part for parts in inner if isinstance(parts, list) for part in parts):
        if part is not None:
            yield from _tables(part)


def _spec(chart: Any) -> Row:
    import altair as alt  # not needed for pages without charts

    # Altair limits the number of rows, which grids of many sentences may exceed.
    with alt.data_transformers.enable(max_rows=None):
        spec: Row = chart.to_dict(validate=False)  # already validated when created
    return spec


def _as_svg(converter: ModuleType, version: str, spec: str) -> str:
    return str(converter.vegalite_to_svg(spec, vl_version=version))


def _take_title(spec: Row) -> tuple[str, str]:
    """Remove title and subtitle from a chart, unless they depend on the reader's selection."""
    title = spec.get("title", "")
    parts = title if isinstance(title, dict) else {"text": title}
    text, subtitle = (parts.get(name, "") for name in ("text", "subtitle"))
    if isinstance(text, dict) or isinstance(subtitle, dict):  # an expression
        return "", ""
    spec.pop("title", None)
    return _one_line(text), _one_line(subtitle)


def _one_line(text: str | list[str]) -> str:
    return text if isinstance(text, str) else " ".join(text)


def _as_json(value: object) -> str:
    """Return charts as JSON that is safe inside a script element.

    Line and paragraph separators become spaces, because Vega cannot parse expressions with them.
    """
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", " ").replace("\u2029", " ")


def _converter() -> ModuleType:
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError("vl-convert-python", "report", "a report") from None
    return vl_convert


def _script(converter: ModuleType) -> str:
    """Return the code that draws charts, which takes two seconds to assemble."""

    def make() -> dict[str, pa.Table]:
        return {"script": pa.table({"text": [converter.javascript_bundle()]})}

    schemas = {"script": pa.schema([("text", pa.string())])}
    script = cached(f"vega-{converter.__version__}", schemas, make)
    return str(script["script"]["text"][0])
