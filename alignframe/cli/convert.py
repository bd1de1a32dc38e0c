"""``alignframe convert``: alignment data from one format to another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from alignframe.cli.command import Input, flag
from alignframe.cli.places import check_one_output
from alignframe.cli.progress import ticking
from alignframe.cli.show import Pieces, done
from alignframe.cli.sources import BASE, ENCODING, columns, drop_outside, read_text
from alignframe.core.choices import BASES, ORDERS, PARQUET, SEPARATORS, TABLES
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
    unpacked_name,
)
from alignframe.errors import InputError, number_of, unknown_name
from alignframe.typing import Arguments, FromZero, Rare, Row, Share

if TYPE_CHECKING:
    import pyarrow as pa

_OR_TEXT = (
    f"of links or {', '.join(name for name in BEAD_FORMATS if name not in LINK_FORMATS)} of beads "
    "(--from), or give both sides of a text: SRC TGT OUT"
)
_SCORE = re.compile(r"\s*[\d.]+(e[-+]?\d+)?\s")
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


def convert(given: Conversion, *, as_json: bool = False) -> Pieces:
    """Convert links, beads, a phrase table or a text."""
    from alignframe.cli.convert_beads import convert_beads

    check_one_output(given.target, as_json)
    kind = _kind(given)
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


def _kind(given: Conversion) -> str:
    """Return what is converted: one of ``_KINDS``."""
    from alignframe.formats.columns import is_table
    from alignframe.read.lines import TextFile

    number, of = len(given.source), given.from_format
    # OUT is easily taken for one of the two texts that a TMX becomes.
    if number == 2 and ".tmx" in map(bare_suffix, given.source):
        first, second = given.source[1], given.target
        raise InputError(
            "a TMX beside another file",
            path=given.source[0],
            expected="one IN",
            todo=f"for its two texts: alignframe convert {given.source[0]} "
            f"{Path(given.source[0]).stem}.beads --src {first} --tgt {second}",
        )
    if number > 2 or (number == 2 and of):
        raise InputError(
            f"--from {of} with two inputs" if number == 2 else f"{number} inputs",
            expected="one, or the two sides of a text",
            todo="" if number == 2 else "put globs in quotes",
        )
    if number == 1 and _makes_pairs(given):
        return "pairs"
    # Formats such as parquet hold either: then the content decides.
    if number == 1 and of in LINK_FORMATS and of not in BEAD_FORMATS:
        return "links"
    if number == 1 and of in BEAD_FORMATS and of not in LINK_FORMATS:
        return "beads"
    kind = "a text" if number == 2 or given.columns else _seen(given)
    if kind != "a text" or given.to_format == "parquet" or bare_suffix(given.target) in TABLES:
        return kind
    if number == 2:
        return "the beads of a text"
    if not given.columns and not is_table(TextFile(given.source[0], given.encoding)):
        raise InputError(
            f"a text with both sides on a line, for {given.target}",
            path=given.source[0],
            expected="Parquet; beads are made from a file of each side",
        )
    return "a table of text"


def _makes_pairs(given: Conversion) -> bool:
    """Whether pairs are written with all that is known of them: to a table, or to TMX."""
    from alignframe.formats.pairs_table import is_pairs

    other = given.src or given.tgt or given.columns or given.base is not None
    if other or given.from_format not in (None, "tmx", "parquet"):
        return False
    if given.target.endswith("/") and given.to_format in (None, "tmx"):
        return is_pairs(given.source[0])
    suffix = bare_suffix(given.target)
    to = given.to_format or next((k for k, ends in PAIRS.suffixes.items() if suffix in ends), "")
    return to in PAIRS.suffixes and is_pairs(given.source[0])


def _seen(given: Conversion) -> str:
    """Return what is in a file, by its columns or its first line; links if it is unlike all."""
    from alignframe.core.schemas import SPANS
    from alignframe.core.tokens import SIDES
    from alignframe.formats.beads import FORMATS, may_be_beads
    from alignframe.formats.files import files_by_name, is_several
    from alignframe.formats.line_ids import are_behind_ids
    from alignframe.formats.links import detect, is_text
    from alignframe.formats.links.pharaoh import are_weighed as are_links
    from alignframe.formats.links.pharaoh import begins
    from alignframe.formats.markup import root_of
    from alignframe.formats.text_kinds import has_sentences, refuse_other_kinds
    from alignframe.read.lines import TextFile, first_text, head_of
    from alignframe.read.parquet import ParquetFiles

    path = given.source[0]
    if path != "-" and is_several(path):
        # The files of a folder are of one kind: the first stands for all.
        path = str(next(iter(files_by_name(path).values())))
    head, first = head_of(path), ""
    file = TextFile(path, given.encoding)
    to_table = bare_suffix(given.target) in TABLES and not given.from_format
    if head is None:
        names = set(ParquetFiles(path).schema.names)
    elif to_table and has_sentences(file):
        return "sentences"
    elif root := root_of(head, path):
        of_beads = {form.root for form in FORMATS.values()}
        return "sentences" if to_table and root not in of_beads else "beads"
    else:
        text = first_text(file).decode("utf-8", "replace")
        first = re.split("[\r\n]", text.lstrip(), maxsplit=1)[0]
        names = set(re.findall(r"\w+", first))
    if names.issuperset(SPANS) or may_be_beads(first):
        return "beads"
    line = first.strip()
    cells = line.split("|||")
    # Moses' phrase tables have scores where its links have none.
    if "n_both" in names or (len(cells) > 2 and _SCORE.match(cells[2])):
        return "a phrase table"
    # Moses' links also have cells, but the links are the third.
    if (len(cells) == 2 and not begins(line)) or (names.issuperset(SIDES) and "links" not in names):
        return "a text"
    if head is not None:
        refuse_other_kinds(file)
    if "\t" in line or bare_suffix(path) in SEPARATORS:
        with suppress(InputError):
            detect(path, given.encoding)
            return "links"
        if not given.from_format and names.isdisjoint(("sid", "i", "j", "links")):
            return "sentences" if to_table and are_behind_ids(file) else "a text"
        return "links"
    if (to_table or bare_suffix(given.target) == ".tmx") and is_text(path):
        if not to_table:
            raise InputError("one side of a text", path=path, todo="give both sides: SRC TGT OUT")
        return "sentences"
    # A file that is unlike all is what it is to become.
    ends = [end for name, ends in BEADS.suffixes.items() if name != "parquet" for end in ends]
    alike = unpacked_name(given.target).endswith(tuple(set(ends) - {".txt"}))
    return "beads" if alike and not any(map(are_links, cells)) else "links"


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
