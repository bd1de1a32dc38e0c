"""Names of systems, texts and documents from file names."""

from __future__ import annotations

import re
from os import PathLike, fspath
from pathlib import Path

from alignframe.formats.bead_table import DOCUMENT
from alignframe.read.opening import is_unnamed
from alignframe.tables import UNNAMED

_SUFFIXES = re.compile(
    r"\.(gz|bz2|zst|lz4|txt|csv|tsv|jsonl|ndjson|parquet|pq|"
    r"talp|pharaoh|align|wa|naacl|nonullalign|a3|final|moses|"
    r"beads|vecalign|ladder|ces|xces|alignment|xml|tmx|conllu?)$",
    re.IGNORECASE,
)
_LANGUAGES = frozenset(
    "aa ab af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de "
    "dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz "
    "ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li "
    "ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os "
    "pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te "
    "tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu".split()
)
"""The two-letter codes of ISO 639-1."""


def bare_name(path: str | PathLike[str]) -> str:
    """Return a file's name without folders and suffixes of formats and compression."""
    name = Path(fspath(path)).name
    while len(shorter := _SUFFIXES.sub("", name)) < len(name) and shorter:
        name = shorter
    return name


def document_name(path: str | PathLike[str]) -> str:
    """Return a document's name from its file."""
    return DOCUMENT if is_unnamed(path) else bare_name(path) or DOCUMENT


def system_name(path: str | PathLike[str]) -> str:
    """Return a system's name from its file; ``hypothesis`` if the file has no name."""
    return UNNAMED if is_unnamed(path) else bare_name(path)


def translator_name(path: str | PathLike[str]) -> str:
    """Return a system's name from its file of translations, without the language suffix."""
    name = system_name(path)
    stem, _, last = name.rpartition(".")
    return stem if stem and re.split("[-_]", last)[0].lower() in _LANGUAGES else name


def text_name(path: str | PathLike[str]) -> str:
    """Return a document's name from a file of one of its sides or of its beads."""
    name = translator_name(path)
    stem, _, last = name.rpartition(".")
    pair = last[:2].lower(), last[2:].lower()
    return stem if stem and len(last) == 4 and _LANGUAGES.issuperset(pair) else name
