"""``alignframe phrases``: extract, dictionary, and what study prints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.choices import PARQUET
from alignframe.cli.show import deliver, print_json, print_note, print_table, save_tables
from alignframe.cli.sources import read_links, read_text, split_name
from alignframe.errors import InputError, number_of

if TYPE_CHECKING:
    from alignframe.phrases import Study


def extract(
    *,
    links: str,
    kind: str,
    max_length: int | None,
    src: str | None,
    tgt: str | None,
    with_words: bool,
    encoding: str,
    links_format: str | None,
    base: int | None,
    order: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """List the phrase pairs of every sentence as 0-based, half-open spans."""
    bitext = read_text(src, tgt, encoding)
    source = _source(links, links_format, bitext, encoding, base=base, order=order)
    given: dict[str, Any] = {"max_length": max_length, "bitext": bitext, "with_words": with_words}
    if output and output.suffix.lower() in PARQUET and not as_json:
        rows = _write_parquet(source, kind, output, given)
        print_note(f"{number_of(rows, 'row')} written to {output}")
        return
    from alignframe import phrases

    frame = phrases.extract(source, kind, **given)
    deliver(frame, output, as_json, name="phrases", title=f"Phrase pairs ({kind})")


def _write_parquet(links: Any, kind: str, path: Path, given: dict[str, Any]) -> int:
    """Write phrases as they are extracted, and return their number."""
    from alignframe.cli.progress import ticking
    from alignframe.output import table_writer
    from alignframe.phrases.extract import phrase_batches, schema_of

    rows = 0
    batches = phrase_batches(links, kind, **given)
    with table_writer(path, schema=schema_of(given["with_words"])) as write:
        for batch in ticking(batches, "Extracting", lambda batch: batch.num_rows, "phrases"):
            write(batch)
            rows += batch.num_rows
    return rows


def dictionary(
    *,
    links: str,
    src: str | None,
    tgt: str | None,
    name: str,
    max_length: int | None,
    encoding: str,
    links_format: str | None,
    base: int | None,
    order: str,
    memory_limit: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Build the phrase dictionary of a system: pairs of phrases, most frequent first."""
    bitext = text_of(src, tgt, encoding)
    source = _source(links, links_format, bitext, encoding, base=base, order=order)
    from alignframe import phrases

    frame = phrases.dictionary(
        source, bitext, name, max_length=max_length, memory_limit=memory_limit
    )
    deliver(frame, output, as_json, name="entries", title=f"Phrase dictionary {name}", limit=40)


def show_study(found: Study, words: Mapping[str, Any]) -> None:
    """Show a study as in Carl & Fissaha 2003: sizes, scores, lengths, easy and hard entries."""
    tables = found.tables()
    if words["output"]:
        save_tables(found, words["output"], "scores")
    if words["as_json"]:
        print_json(tables, found.signature)
        return
    print_table(tables["sizes"].drop("kind").to_dicts(), title="Links and dictionary entries")
    for figure, title in (("precision", "Precision"), ("recall", "Recall"), ("f", "F-measure")):
        by_measure = tables["scores"].pivot("measure", index="system", values=figure)
        print_table(by_measure.to_dicts(), title=title)
    if found.by_sentence is not None:
        print_table(found.by_sentence.to_dicts(), title="Sentences, means over systems")
    print_table(tables["correlations"].to_dicts(), title="Correlation of F over systems")
    print_table(
        tables["classes"].to_dicts(),
        title="Entries that all systems find, that none finds, or that all invent",
        caption=found.signature,
    )


def _source(spec: str, format: str | None, bitext: Any, encoding: str, **options: Any) -> Any:
    """Return the links of --links, by name if it gives one or has several files."""
    from alignframe.read.source import systems_by_file

    name, place = split_name(spec)
    files = systems_by_file(place, name)
    if name is None and len(files) == 1:
        return read_links(files[0][1], format, bitext, encoding, **options)
    return {
        own: read_links(path, format, bitext, encoding, system=own, **options)
        for own, path in files
    }


def text_of(src: str | None, tgt: str | None, encoding: str) -> Any:
    """Return the text of --src and --tgt, which is required."""
    return _need_text(read_text(src, tgt, encoding))


def _need_text(bitext: Any) -> Any:
    if bitext is None:
        raise InputError(
            "no text given", expected="--src and --tgt, because dictionaries consist of words"
        )
    return bitext
