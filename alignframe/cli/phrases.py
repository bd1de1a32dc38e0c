"""``alignframe phrases``: extract, dictionary, and what study prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from alignframe.cli.command import Input, Shell, Words, flag
from alignframe.cli.progress import ticking
from alignframe.cli.show import (
    Pieces,
    Rows,
    print_note,
    table_pieces,
)
from alignframe.cli.sources import (
    ENCODING,
    SRC,
    TGT,
    drop_outside,
    links_base,
    links_format,
    links_order,
    read_links,
    split_name,
    text_of,
)
from alignframe.core.choices import PARQUET
from alignframe.errors import number_of
from alignframe.typing import Arguments, Rare

if TYPE_CHECKING:
    import pyarrow as pa

    from alignframe.phrases import Study


class Systems(Input):
    """Links of a system or of several, and their text."""

    provides = ("links", "bitext")
    stands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **Input.stands,
        "dictionaries": ("name",),
    }

    links: str = flag(
        "Links of a system in any format, or a Parquet file, glob or folder.",
        metavar="[NAME=]FILE",
    )
    src: str | None = flag(SRC, None, metavar="FILE")
    tgt: str | None = flag(TGT, None, metavar="FILE")
    encoding: str = flag(ENCODING, "utf-8")
    links_format: Rare[str | None] = links_format()
    base: int | None = links_base()
    order: str = links_order()
    drop_outside: Rare[bool] = drop_outside()

    def arguments(self, shell: Shell) -> Arguments:
        """Return the links, by name if one is given or if there are several files, and text."""
        from alignframe.sources.source import systems_by_file

        bitext = text_of(self.src, self.tgt, self.encoding, needed="bitext" in shell.needed)
        reading: Any = {
            "base": self.base,
            "order": self.order,
            "drop_outside": self.drop_outside,
        }
        name, place = split_name(self.links)
        files = systems_by_file(place, name)
        several = name is not None or len(files) > 1
        links = {}
        for own, path in files:
            reading["system"] = own if several else None
            links[own] = read_links(path, self.links_format, bitext, self.encoding, **reading)
        return {"links": links if several else links[files[0][0]], "bitext": bitext}


def show_phrases(batches: Iterator[pa.RecordBatch], words: Words) -> Pieces:
    """Show phrases, or write them to Parquet as they are extracted."""
    import polars as pl
    import pyarrow as pa

    from alignframe.core.output import table_writer
    from alignframe.phrases.extract import schema_of

    path, schema = words["output"], schema_of(words["with_words"])
    if path and path.suffix.lower() in PARQUET and not words["as_json"]:
        rows = 0
        with table_writer(path, schema=schema) as write:
            for batch in ticking(batches, "Extracting", lambda batch: batch.num_rows, "phrases"):
                write(batch)
                rows += batch.num_rows
        print_note(f"{number_of(rows, 'row')} written to {path}")
        return
    frame = pl.DataFrame(pa.Table.from_batches(batches, schema))
    yield from table_pieces(frame, words, name="phrases", title=f"Phrase pairs ({words['kind']})")


def show_study(study: Study, _: Words) -> Pieces:
    """Show a study as in Carl & Fissaha 2003: sizes, scores, lengths, easy and hard entries."""
    tables = study.tables()
    yield study
    yield Rows(tables["sizes"].drop("kind"), "Links and dictionary entries")
    for figure, title in (("precision", "Precision"), ("recall", "Recall"), ("f", "F-measure")):
        yield Rows(tables["scores"].pivot("measure", index="system", values=figure), title)
    if study.by_sentence is not None:
        yield Rows(study.by_sentence, "Sentences, means over systems")
    yield Rows(tables["correlations"], "Correlation of F over systems")
    title = "Entries that all systems find, that none finds, or that all invent"
    yield Rows(tables["classes"], title, study.signature)
