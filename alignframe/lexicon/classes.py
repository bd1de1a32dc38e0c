"""Part-of-speech classes shared by two languages."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I16, frozen
from alignframe.errors import InputError, in_file
from alignframe.read.lines import TextFile
from alignframe.sources.source import is_columns
from alignframe.sources.words import frame_of

_UNIVERSAL = {
    "noun": ("NOUN", "PROPN"),
    "verb": ("VERB", "AUX"),
    "adjective": ("ADJ",),
    "adverb": ("ADV",),
    "determiner-pronoun": ("DET", "PRON"),
    "adposition-particle": ("ADP", "PART"),
    "conjunction": ("CCONJ", "CONJ", "SCONJ"),
    "number": ("NUM",),
    "punctuation": ("PUNCT", "SYM", "."),
    "other": ("INTJ", "X"),
}
UNIVERSAL: Mapping[str, str] = {tag: name for name, tags in _UNIVERSAL.items() for tag in tags}
"""Classes of the Universal tags.

Classes merge what taggers and languages distinguish differently: names and nouns, auxiliaries and
verbs, possessives as determiners or pronouns, particles and prepositions.
"""

Classes = dict[tuple[str, str], str]
"""The class of a side's tag."""

_CLOSED = ("determiner-pronoun", "adposition-particle", "conjunction", "number", "other")
_CONTENT = {**{name: name for name in _UNIVERSAL}, **dict.fromkeys(_CLOSED, "function")}
_OPEN = {**_CONTENT, **dict.fromkeys(("noun", "verb", "adjective", "adverb"), "content")}

SAME_TAG = "same-tag"
TAG_SETS: Mapping[str, Mapping[str, str]] = {
    SAME_TAG: {},
    "universal": UNIVERSAL,
    "content": {tag: _CONTENT[name] for tag, name in UNIVERSAL.items()},
    "open": {tag: _OPEN[name] for tag, name in UNIVERSAL.items()},
}
"""Tag sets by name, from fine to coarse.

``same-tag`` has one class per tag, for any tag set; the others need Universal tags: ``universal``
as above; ``content`` with function words in one class, besides nouns, verbs, adjectives, adverbs
and punctuation; ``open`` with content words, function words and punctuation.
"""


def read_classes(given: object) -> Classes:
    """Return the class of each tag on each side, by default those of ``universal``.

    They are given as a table with tag, class and optionally side, a mapping from tags to classes, a
    file of lines ``tag<TAB>class`` or ``side<TAB>tag<TAB>class``, or one of ``TAG_SETS``.
    """
    if given is None or (isinstance(given, str) and given in TAG_SETS):
        tags = TAG_SETS[given or "universal"]
        return {(side, tag): name for side in ("src", "tgt") for tag, name in tags.items()}
    path = fspath(given) if isinstance(given, (str, PathLike)) else None
    if path is not None and not Path(path).suffix and not Path(path).exists():
        raise InputError(f"the tag set {path!r}", expected=f"{', '.join(TAG_SETS)}, or a file")
    with in_file(path) as place:
        rows = _table_rows(given) if path is None else _file_rows(path)
        classes: Classes = {}
        for place.line, sides, tag, name in rows:
            for side in sides:
                if classes.setdefault((side, tag), name) != name:
                    raise InputError(
                        f"the tag {tag!r} is of the class {name!r} and of {classes[side, tag]!r}",
                        expected="one class per tag",
                    )
    return classes


def _file_rows(path: str) -> list[tuple[int | None, tuple[str, ...], str, str]]:
    rows: list[tuple[int | None, tuple[str, ...], str, str]] = []
    for number, text in TextFile(path).lines():
        if not text.strip() or text.startswith("#"):
            continue
        cells = [cell.strip() for cell in text.split("\t")]
        # A tag without a side has the class on both.
        sides = ("src", "tgt") if len(cells) == 2 else (cells[0],)
        if len(cells) not in (2, 3) or not all(cells) or sides[0] not in ("src", "tgt"):
            raise InputError(
                repr(text.strip()),
                line=number,
                expected="tag<TAB>class, or src or tgt before them",
            )
        rows.append((number, sides, cells[-2], cells[-1]))
    if not rows:
        raise InputError("the file has no classes", expected="lines tag<TAB>class")
    return rows


def _table_rows(given: object) -> list[tuple[int | None, tuple[str, ...], str, str]]:
    if isinstance(given, Mapping) and not is_columns(given, "tag", "class"):
        given = {"tag": list(given), "class": list(given.values())}
    frame = frame_of(given, "the table of classes", ("tag", "class"))
    rows: list[tuple[int | None, tuple[str, ...], str, str]] = []
    for row in frame.iter_rows(named=True):
        side = row.get("side")
        if side not in (None, "src", "tgt"):
            raise InputError(f"the side {side!r} of a tag", expected="src or tgt")
        if row["tag"] is None or row["class"] is None:
            raise InputError(
                f"the tag {row['tag']!r} of the class {row['class']!r}",
                expected="a tag and its class in every row",
            )
        rows.append((None, ("src", "tgt") if side is None else (side,), row["tag"], row["class"]))
    return rows


def classes_of(given: object, src_tags: pa.Array, tgt_tags: pa.Array) -> tuple[I16, I16]:
    """Return the number of each tag's class; for ``given`` see ``read_classes``."""
    classes = read_classes(given)
    if isinstance(given, str) and given == SAME_TAG:
        sides = zip(("src", "tgt"), (src_tags, tgt_tags), strict=True)
        classes = {(side, tag): tag for side, tags in sides for tag in tags.to_pylist() if tag}
    numbers = {name: k for k, name in enumerate(sorted(set(classes.values())))}
    numbers_of_sides = []
    for side, tags in (("src", src_tags), ("tgt", tgt_tags)):
        names = []
        for tag in tags.to_pylist():
            # The tag * stands for all that are not listed.
            name = classes.get((side, tag), classes.get((side, "*")))
            if name is None:
                raise InputError(
                    f"the {side} tag {tag!r} has no class",
                    expected="a class for every tag of the text",
                    todo="add it to the table of classes, or give the tag * a class",
                )
            names.append(numbers[name])
        numbers_of_sides.append(frozen(np.array(names, np.int16)))
    return numbers_of_sides[0], numbers_of_sides[1]
