"""``alignframe convert``: alignment data from one format to another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from alignframe.cli.command import Input, flag
from alignframe.cli.convert_kind import kind_of
from alignframe.cli.progress import ticking
from alignframe.cli.show import Pieces, done
from alignframe.cli.sources import BASE, ENCODING, columns, drop_outside, read_text
from alignframe.core.choices import BASES, ORDERS, PARQUET
from alignframe.core.suffixes import (
    BEAD_FORMATS,
    BEADS,
    LINK_FORMATS,
    LINKS,
    PAIRS,
    PHRASES,
    TABLE,
    Formats,
    bare_suffix,
)
from alignframe.errors import InputError, number_of, unknown_name
from alignframe.typing import Arguments, FromZero, Rare, Row, Share

if TYPE_CHECKING:
    import pyarrow as pa

_OR_TEXT = (
    f"of links or {', '.join(name for name in BEAD_FORMATS if name not in LINK_FORMATS)} of beads "
    "(--from), or give both sides of a text: SRC TGT OUT"
)
_FORMATS = tuple(dict.fromkeys((*LINK_FORMATS, *BEAD_FORMATS)))


class Conversion(Input):
    """What to convert, and how it is read and written."""

    source: list[str] = flag(
        "Links, beads, a phrase table, text with lines 'source ||| target' or in two columns of a "
        "table; or the two sides of a text. '-' is standard input. A folder, a quoted glob or "
        "@FILE with a list joins files of beads, each of one document, into Parquet.",
        panel=None,
        flags="IN",
    )
    target: str = flag("A file; '-' is standard output.", panel=None, flags="OUT")
    from_format: str | None = flag(
        "Format of IN; detected by default.",
        None,
        flags="--from",
        choices=_FORMATS,
        needs="source",
    )
    base: int | None = flag(
        f"Number of the first word of links: {BASE}; or of the first sentence of beads: 0 by "
        "default, or 1 in ids if none is 0.",
        None,
        choices=BASES,
    )
    order: str | None = flag("Which side links name first.", None, choices=ORDERS)
    first_sentence: FromZero | None = flag(
        "Number of the first sentence of links (naacl, numbered).", None
    )
    min_probability: Share | None = flag("Drop links below this probability.", None)
    drop_outside: Rare[bool | None] = drop_outside(default=None)
    probabilities: str | None = flag(
        "File with the probabilities of the links of a Pharaoh file, a line per sentence in the "
        "order of the links, as awesome-align's --output_prob_file.",
        None,
        metavar="FILE",
    )
    plain: bool | None = flag(
        "Write links without their probabilities: 0-0 instead of 0-0:0.97.",
        None,
        panel="Output",
    )
    src: str | None = flag(
        "Source sentences of links or beads, which are checked against them: one per line, XML "
        "with ids, or for links lines 'source ||| target'. If IN is TMX or a table of text, a new "
        "file for them.",
        None,
        metavar="FILE",
    )
    tgt: str | None = flag("Target sentences, as --src.", None, metavar="FILE")
    languages: str | None = flag(
        "Languages to read from TMX or to name in it, such as en,fr; by default the suffixes of "
        "the two texts if they look like languages, or else those of the TMX.",
        None,
        metavar="SRC,TGT",
    )
    columns: str | None = columns()
    encoding: str = flag(ENCODING, "utf-8")
    system: str | None = flag(
        "Name of the system of links to write to Parquet, or to choose from it.",
        None,
        panel="Analysis",
    )
    to_format: str | None = flag(
        f"Format of OUT; by default from its suffix: {LINKS.by_suffix}; "
        f"of beads {BEADS.by_suffix}.",
        None,
        panel="Output",
        flags="--to",
        needs="target",
        choices=_FORMATS,
    )
    to_base: int | None = flag(
        "Number of the first word of links in OUT; 0 by default.",
        None,
        panel="Output",
        choices=BASES,
    )
    doc: str | None = flag(
        "Name of the document of beads; 'document' by default.",
        None,
        metavar="NAME",
        panel="Output",
    )


_LINKS = (
    *("base", "order", "first_sentence", "min_probability", "drop_outside", "probabilities"),
    *("src", "tgt", "system", "to_base", "plain"),
)
_KINDS: dict[str, tuple[Formats, tuple[str, ...]]] = {
    "links": (LINKS, _LINKS),
    "beads": (BEADS, ("base", "src", "tgt", "languages", "doc")),
    "a phrase table": (PHRASES, ()),
    "a text": (TABLE, ("columns",)),
    "the beads of a text": (BEADS, ("languages", "doc")),
    "pairs": (PAIRS, ("languages", "doc")),
    "sentences": (PAIRS, ()),
    "a table of text": (BEADS, ("languages", "doc", "columns", "src", "tgt")),
}
"""What is converted: the formats that it is written in, and the options that it has."""
_OF_ALL = ("source", "target", "from_format", "to_format", "encoding")


def convert(given: Conversion) -> Pieces:
    """Convert links, beads, a phrase table or a text."""
    from alignframe.cli.convert_beads import convert_beads

    kind = kind_of(given)
    formats, own = _KINDS[kind]
    known = formats.suffixes if kind != "a phrase table" else ()
    if given.to_format and given.to_format not in known:
        expected = f"one of {', '.join(known)}" if known else "the suffix of OUT instead"
        raise InputError(f"--to {given.to_format} for {kind}", expected=expected)
    if not (kind == "pairs" and given.target.endswith("/")):
        formats.chosen(given.target, given.to_format, strict=True)
    for name in (option.name for option in fields(given)):
        if name not in (*_OF_ALL, *own) and getattr(given, name) is not None:
            of = [other for other, (_, names) in _KINDS.items() if name in names]
            only = f"only for {' or '.join(of)}" if name != "languages" else "only with tmx"
            raise InputError(f"`{name}` for {kind}", expected=f"`{name}` {only}")
    own_of = {"a phrase table": _phrases, "a text": _text, "pairs": _pairs}
    write = (own_of | {"links": _links, "sentences": _sentences}).get(
        kind, partial(convert_beads, is_text=kind.endswith("text"))
    )
    yield from done(*write(given), given.target)


def _links(given: Conversion) -> tuple[Row, str]:
    from alignframe import formats
    from alignframe.formats.links import link_format
    from alignframe.formats.writing import check_format

    (source,) = given.source
    kind = given.from_format or formats.detect(source, given.encoding, _OR_TEXT)
    goal = check_format(given.target, given.to_format)
    formats.refuse_base(kind, given.base)
    if given.to_base and not link_format(goal).has_base:
        raise InputError(f"--to-base with {goal}, which always counts from the same number")
    if given.system and kind != "table" and "parquet" not in (kind, goal):
        raise InputError(f"--system with {goal}", expected="Parquet, which names systems")
    bitext = read_text(given.src, given.tgt, given.encoding)
    reading = formats.Reading(
        given.base,
        given.order or ORDERS[0],
        given.first_sentence,
        given.min_probability,
        given.encoding,
        bool(given.drop_outside),
        given.probabilities,
    )
    batches = formats.scan(source, given.from_format, reading, bitext=bitext)
    if kind == "parquet" or (kind == "table" and given.system):
        batches = _one_system(batches, given.system, source, goal)
    # Filled while the batches pass, as a stream is read only once.
    total = {"sentences": 0, "links": 0}
    counted = _counting(batches, total)
    shown = ticking(counted, f"Converting {source}", lambda batch: batch.num_rows)
    if bitext is not None and link_format(goal).has_words:
        shown = formats.add_words(shown, bitext)
    name = given.system or formats.system_name(source)
    written = {"base": given.to_base or 0, "system": name, "probabilities": not given.plain}
    formats.write(shown, given.target, goal, **written)
    said = f"{number_of(total['sentences'], 'sentence')}, {number_of(total['links'], 'link')}"
    note = "" if given.target == "-" else f"{said} written to {given.target} as {goal}"
    return {"from": kind, "to": goal, **total}, note


def _counting(batches: Iterator[pa.RecordBatch], total: dict[str, int]) -> Iterator[pa.RecordBatch]:
    import pyarrow.compute as pc

    for batch in batches:
        total["sentences"] += batch.num_rows
        total["links"] += pc.sum(pc.list_value_length(batch.column("links"))).as_py() or 0
        yield batch


def _one_system(
    batches: Iterator[pa.RecordBatch], wanted: str | None, path: str, goal: str
) -> Iterator[pa.RecordBatch]:
    """Select a system by name, or name the only one if it has no name.

    Text formats do not store names of systems, so they hold one system.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from alignframe.links.inputs import links_source

    source = links_source(path)
    systems = source.systems()
    if wanted is None and len(systems) > 1 and goal != "parquet":
        raise InputError(
            f"the file holds the systems {', '.join(sorted(systems))}",
            path=path,
            todo="choose one with --system",
        )
    is_named = "system" in source.schema.names
    if wanted is not None and is_named and wanted not in systems:
        raise unknown_name("--system", wanted, sorted(systems), path=path)
    for batch in batches:
        if wanted is not None and is_named:
            batch = batch.filter(pc.equal(batch.column("system").cast(pa.string()), wanted))
        elif wanted is not None:
            names = pa.array([wanted] * batch.num_rows, pa.string())
            batch = batch.set_column(0, "system", names.dictionary_encode())
        yield batch


def _phrases(given: Conversion) -> tuple[Row, str]:
    from alignframe.cli.mt import save_phrases
    from alignframe.mt import phrase_table

    target = Path(given.target)
    others = {end for ends in LINKS.suffixes.values() for end in ends}
    # A suffix of links is a mistake: a phrase table would be written under it.
    if bare_suffix(target) in others.difference(PARQUET, (".moses", ".txt")):
        raise InputError(
            f"a phrase table for {given.target}",
            expected=".parquet, or Moses's text table, such as phrase-table.gz",
            todo="for the links of its pairs, give --from moses",
        )
    return save_phrases(phrase_table(given.source[0]), target)


def _pairs(given: Conversion) -> tuple[Row, str]:
    from alignframe.cli.convert_beads import language_pair, suffix_languages, unknown_languages
    from alignframe.formats.bead_table import DOCUMENT
    from alignframe.formats.files import is_several
    from alignframe.formats.memories import memory_root
    from alignframe.formats.pairs_table import read_pairs, write_pairs
    from alignframe.formats.tmx_units import languages_of

    (source,), to_folder = given.source, given.target.endswith("/")
    goal = "tmx" if to_folder else PAIRS.chosen(given.target, given.to_format)
    kind = "tmx" if is_several(source) or memory_root(source) == "tmx" else "table"
    pair = language_pair(given.languages, kind, goal)
    if given.doc and kind != "tmx":
        raise InputError("`doc` for a table, which names documents in its column doc")
    named = {"doc": given.doc or DOCUMENT, "encoding": given.encoding}
    table = read_pairs(source, pair if kind == "tmx" else None, **named)
    if goal == "tmx":
        pair = pair or languages_of(table) or suffix_languages(source, None, known=False)
        pair = pair or unknown_languages()
    number = write_pairs(table, given.target, pair, format=None if to_folder else goal)
    said = f"{number_of(number, 'pair')} written to {given.target}"
    return {"to": goal, "pairs": number, "columns": len(table.column_names)}, said


def _sentences(given: Conversion) -> tuple[Row, str]:
    from alignframe.core.output import write_table
    from alignframe.formats.sentences import text_table

    table = text_table(given.source[0], given.encoding)
    write_table(table, given.target)
    said = f"{number_of(table.num_rows, 'sentence')} written to {given.target}, as sid and text"
    return {"sentences": table.num_rows}, said


def _text(given: Conversion) -> tuple[Row, str]:
    import pyarrow as pa

    from alignframe.core.output import write_table
    from alignframe.core.tokens import SIDES
    from alignframe.formats.parallel import read_parallel
    from alignframe.sources.pairs import sentence_pairs

    goal = TABLE.chosen(given.target, given.to_format)
    reading: Arguments = {"encoding": given.encoding, "columns": given.columns}
    if goal == "parquet":  # with words as lists
        src, tgt = (*given.source, None)[:2]
        table = sentence_pairs(src, tgt, **reading).table()
    else:
        _, *sides = read_parallel(*given.source, **reading)
        table = pa.table(dict(zip(SIDES, sides, strict=True)))
    write_table(table, given.target, goal)
    said = f"{number_of(table.num_rows, 'sentence pair')} written to {given.target}"
    return {"to": goal, "sentences": table.num_rows}, said
