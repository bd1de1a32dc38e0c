"""Several files as one input (a folder, a glob, a list of paths), and names from file names."""

from __future__ import annotations

import glob
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from os import PathLike, fspath
from pathlib import Path

from alignframe.core.choices import COMPRESSED, PARQUET
from alignframe.core.schemas import UNNAMED
from alignframe.core.suffixes import BEADS, LINKS, TABLE
from alignframe.core.walking import matching
from alignframe.errors import InputError, in_file
from alignframe.formats.bead_table import DOCUMENT
from alignframe.read.lines import TextFile
from alignframe.read.opening import is_unnamed

# Suffixes of files other than links.
LIST = "@"
"""The prefix of a file that lists paths, one per line."""

# The two-letter codes of ISO 639-1.
_LANGUAGES = frozenset(
    "aa ab af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de "
    "dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz "
    "ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li "
    "ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os "
    "pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te "
    "tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu".split()
)
# A language with a region or a script: not ``ug-wmt12``.
_CODE = re.compile("([a-z]{2})([-_]([a-z]{2}|[a-z]{4}))?")


def bare_name(path: str | PathLike[str]) -> str:
    """Return a file's name without folders and suffixes of formats and compression."""
    name = Path(fspath(path)).name
    suffixes = _suffixes()
    while suffix := next((end for end in suffixes if name.lower().endswith(end)), ""):
        if len(name) == len(suffix):
            break
        name = name[: -len(suffix)]
    return name


@cache
def _suffixes() -> tuple[str, ...]:
    ends = [
        end for kind in (TABLE, LINKS, BEADS) for ends in kind.suffixes.values() for end in ends
    ]
    return (*COMPRESSED, ".conll", ".conllu", ".final", *ends)


def is_glob(path: str | PathLike[str]) -> bool:
    """Whether a path is a pattern of names, and not the name of a file."""
    return glob.has_magic(fspath(path)) and not Path(path).exists()


def folder_of(path: str | PathLike[str]) -> Path:
    """Return the folder of a pattern of names, the file of a list of paths, or the path itself."""
    name = fspath(path).removeprefix(LIST)
    return Path(f"{name.partition('*')[0]}_").parent if is_glob(name) else Path(name)


def document_name(path: str | PathLike[str]) -> str:
    """Return a document's name from its file."""
    return DOCUMENT if is_unnamed(path) else bare_name(path) or DOCUMENT


def system_name(path: str | PathLike[str]) -> str:
    """Return a system's name from its file; ``hypothesis`` if the file has no name.

    Examples
    --------
    >>> from alignframe import formats
    >>> formats.system_name("runs/giza.naacl.gz")
    'giza'
    """
    return UNNAMED if is_unnamed(path) else bare_name(folder_of(path))


def translator_name(path: str | PathLike[str]) -> str:
    """Return a system's name from its file of translations, without the language suffix."""
    name = system_name(path)
    stem, _, last = name.rpartition(".")
    return stem if stem and is_language(last) else name


def text_name(path: str | PathLike[str]) -> str:
    """Return a document's name from a file of one of its sides or of its beads."""
    name = translator_name(path)
    stem, _, last = name.rpartition(".")
    # Beads may name the languages of both sides, as in text.enfr.beads.
    pair = last[:2].lower(), last[2:].lower()
    return stem if stem and len(last) == 4 and _LANGUAGES.issuperset(pair) else name


def is_language(code: str) -> bool:
    """Whether a text is a two-letter code of a language, perhaps with a region, as pt_BR."""
    code_matched = _CODE.fullmatch(code.lower())
    return code_matched is not None and code_matched[1] in _LANGUAGES


def distinct_names(
    paths: Sequence[str | PathLike[str]], own: Callable[[str | PathLike[str]], str]
) -> list[str]:
    """Return the names of files, with as many of their folders as tell equal names apart."""
    parts = [(*Path(path).parts[:-1], own(path)) for path in paths]
    kept = [1] * len(parts)
    while True:
        names = ["/".join(path_parts[-size:]) for path_parts, size in zip(parts, kept, strict=True)]
        number = Counter(names)
        short = [
            k
            for k, path_parts in enumerate(parts)
            if number[names[k]] > 1 and kept[k] < len(path_parts)
        ]
        if not short:
            return names
        for k in short:
            kept[k] += 1


def is_several(path: str | PathLike[str]) -> bool:
    """Whether a path means several files: a folder, a glob, or a list such as ``@files.txt``."""
    name = fspath(path)
    if name.startswith(LIST):
        return True
    if Path(name).is_dir():
        # A folder of Parquet files is a single table.
        return not any(file.is_dir() or is_table(file) for file in Path(name).iterdir())
    return is_glob(name) and not is_table(name)


def is_table(path: str | PathLike[str]) -> bool:
    """Whether a path has the Parquet suffix."""
    return Path(path).suffix.lower() in PARQUET


def is_list(path: str | PathLike[str]) -> bool:
    """Whether a path means a file that lists paths."""
    return fspath(path).startswith(LIST)


def files_of(path: str | PathLike[str]) -> list[Path]:
    """Return the files that a path of several stands for; hidden ones only if they are listed."""
    name = fspath(path)
    if is_list(name):
        listed = name.removeprefix(LIST)
        with in_file(listed):
            files = [Path(line.strip()) for _, line in TextFile(listed).lines() if line.strip()]
            if not files:
                raise InputError("the list is empty", expected="one path per line")
        return files
    if is_glob(name):
        files = [Path(name_found) for name_found in matching(name)]
    else:
        files = sorted(Path(name).iterdir())
    return [file for file in files if file.is_file() and file.name[0] != "."]


def files_by_name(path: str | PathLike[str]) -> dict[str, Path]:
    """Return the files that a path stands for, by document name, without suffixes."""
    name = fspath(path)
    files = files_of(name)
    if not files:
        raise InputError("no files", path=name, expected="one file per document")
    return by_name(files, name)


def by_name(files: Iterable[str | PathLike[str]], where: str) -> dict[str, Path]:
    """Return files by document name, with folders if they tell equal names apart."""
    paths = [Path(file) for file in files]
    named: dict[str, Path] = {}
    for own, file in zip(distinct_names(paths, text_name), paths, strict=True):
        if own in named:
            raise InputError(
                f"two files for the document {text_name(file)!r}: {named[own]} and {file}",
                path=where,
                todo="give a glob of one of them, such as 'texts/*.en', or rename one",
            )
        named[own] = file
    return named
