"""What ``alignframe convert`` is given: links, beads, a phrase table, text or pairs."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from alignframe.core.choices import SEPARATORS, TABLES
from alignframe.core.suffixes import (
    BEAD_FORMATS,
    BEADS,
    LINK_FORMATS,
    PAIRS,
    bare_suffix,
    unpacked_name,
)
from alignframe.errors import InputError

if TYPE_CHECKING:
    from alignframe.cli.convert import Conversion

_SCORE = re.compile(r"\s*[\d.]+(e[-+]?\d+)?\s")


def kind_of(given: Conversion) -> str:
    """Return what is converted: one of the kinds of ``convert``."""
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
