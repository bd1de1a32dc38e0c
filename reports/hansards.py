"""The 447 Hansards sentences of the 2003 shared task, and systems' alignments of them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from alignframe import connect, formats
from alignframe.errors import DataWarning

NEEDED = ("hansards-wpt03", "hansards-outputs")
APART: Mapping[str, dict[str, Any]] = {
    "hmm": {"spelling": 0, "together": False},
    "ibm4": {"spelling": 0, "together": False},
    "bayes": {"spelling": 0, "stems": 0, "agreement": 1, "samplers": 4, "sweeps": (5, 3, 10)},
}
"""Options with which a model learns each direction alone, from occurrences alone."""
HEURISTICS = ("intersection", "grow-diagonal", "grow-diagonal-final", "union")


def text(folder: Path) -> pa.Table:
    """Return the words of the test set."""
    plain = folder / "hansards-wpt03" / "plain"
    return formats.read_bitext(plain / "test.en-fr.en", plain / "test.en-fr.fr")


def bitext(folder: Path) -> pa.Table:
    """Return the words of a text that begins with the test set and ends with Europarl."""
    home = folder / "europarl-enfr"
    return formats.read_bitext(home / "d200k.en.gz", home / "d200k.fr.gz")


def gold(folder: Path) -> pa.Table:
    """Return the gold links."""
    return formats.read(folder / "hansards-wpt03" / "wpt03" / "test" / "test.wa.nonullalign")


def systems(folder: Path, words: pa.Table) -> tuple[dict[str, pa.Table], dict[str, str]]:
    """Return systems' links by name, and the group of each.

    A group is a symmetrization, or the model of a one-directional system. Links outside the text
    (1 in 250 in the outputs of one group of students) are dropped, and a printed line counts them.
    """
    found: dict[str, pa.Table] = {}
    groups: dict[str, str] = {}
    outputs = folder / "hansards-outputs"
    for tool, short in (("giza", "mgiza"), ("fastalign", "fast_align")):
        for part in ("", "reverse", *HEURISTICS):
            path = outputs / "lilt" / tool / f"test.enfr{'.' if part else ''}{part}.talp"
            name = f"{short} {part or 'forward'}"
            found[name] = formats.read(path, order="tgt-src" if part == "reverse" else "src-tgt")
            groups[name] = part if part in HEURISTICS else "one direction"
    for path in sorted((outputs / "uva").rglob("*.naacl")):
        name = f"{path.parent.name} {path.stem}"
        with warnings.catch_warnings():  # one group's files have probabilities; all links are used
            warnings.simplefilter("ignore", DataWarning)
            found[name] = formats.read(path)
        groups[name] = "IBM 1" if path.stem.startswith("ibm1") else "IBM 2"
    inside = {name: _inside(table, words) for name, table in found.items()}
    dropped = sum(_links(found[name]) - _links(inside[name]) for name in found)
    if dropped:
        total = sum(map(_links, found.values()))
        print(f"{dropped} of {total:,} links lie outside the text and were dropped")
    return inside, groups


def _links(table: pa.Table) -> int:
    return len(table["links"].combine_chunks().flatten())


def _inside(table: pa.Table, words: pa.Table) -> pa.Table:
    """Return the links that lie inside the sentence pairs."""
    with connect() as con:
        con.register("links", table)
        con.register("words", words)
        return con.sql(
            """
            select
              sid,
              list_filter(links, lambda link: link.i < len(src) and link.j < len(tgt)) as links
            from links join words using (sid) order by sid
            """
        ).to_arrow_table()
