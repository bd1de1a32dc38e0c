"""POS-tagged text: ``word|TAG``, or CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from os import PathLike, fspath

import numpy as np
import pyarrow as pa

from alignframe.core.schemas import TOKENS
from alignframe.errors import InputError, check_known, in_file, number_of
from alignframe.formats.text_kinds import is_conllu
from alignframe.kernels.text.words import part_tags, split_words
from alignframe.options import checked
from alignframe.read.lines import BLANKS, SNIFFED, TextFile

TAGGED = pa.schema(
    [
        pa.field("sid", pa.int64(), nullable=False),
        pa.field("words", TOKENS, nullable=False),
        pa.field("tags", TOKENS, nullable=False),
    ]
)
TAGGED_BITEXT = pa.schema(
    [
        TAGGED.field("sid"),
        *(pa.field(name, TOKENS, nullable=False) for name in ("src", "tgt")),
        *(pa.field(name, TOKENS, nullable=False) for name in ("src_tags", "tgt_tags")),
    ]
)

_COLUMNS = {"upos": 3, "xpos": 4}
_ID = re.compile(r"(\d+)([-.]\d+)?", re.ASCII)
# CoNLL-U allows spaces within words, which would divide ours: they become no-break spaces.
_INNER = re.compile(f"[{BLANKS}]+")
_NO_BREAK = "\u00a0"

Columns = tuple[pa.ListArray, ...]


@checked
def read_tagged(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    tags: str = "upos",
    lemmas: bool = False,
    encoding: str = "utf-8",
) -> pa.Table:
    """Read POS-tagged sentences.

    Parameters
    ----------
    path
        A file, optionally compressed.
    format
        ``pipe`` (one sentence per line, words such as ``house|NOUN`` separated by spaces, split at
        the last bar) or ``conllu``; by default detected.
    tags
        The CoNLL-U column to read, ``upos`` or ``xpos``.
    lemmas
        Whether to read CoNLL-U lemmas too.
    encoding
        Encoding of the text.

    Returns
    -------
    pyarrow.Table
        The columns sid, words, tags and optionally lemmas, one row per sentence. CoNLL-U ranges
        (``1-2``) and empty nodes (``1.1``) are left out, and spaces inside words become no-break
        spaces.

    Raises
    ------
    InputError
        With the file, the line, what was found and what was expected.

    Examples
    --------
    >>> from pathlib import Path
    >>> from alignframe import formats
    >>> _ = Path("tagged.txt").write_text("the|DET boat|NOUN")
    >>> formats.read_tagged("tagged.txt")["tags"].to_pylist()
    [['DET', 'NOUN']]
    """
    if tags not in _COLUMNS:
        raise InputError(f"the tags {tags!r}", expected=" or ".join(_COLUMNS))
    name = format or _recognise(path, encoding)
    check_known("format", name, _READERS)
    if lemmas and name != "conllu":
        raise InputError("lemmas of another format", path=path, expected="CoNLL-U")
    read = partial(_read_conllu, lemmas=True) if lemmas else _READERS[name]
    with in_file(path):
        parts = list(read(TextFile(path, encoding, "NFC"), tags))
        if not parts:
            raise InputError("the file has no sentences", expected="words with tags")
    columns = [pa.chunked_array(side, TOKENS) for side in zip(*parts, strict=True)]
    schema = TAGGED.append(pa.field("lemmas", TOKENS, nullable=False)) if lemmas else TAGGED
    return pa.Table.from_arrays([_numbers(len(columns[0])), *columns], schema=schema)


def read_tagged_bitext(
    src: str | PathLike[str],
    tgt: str | PathLike[str],
    format: str | None = None,
    *,
    tags: str = "upos",
    encoding: str = "utf-8",
) -> pa.Table:
    """Read two files of parallel sentences; see ``read_tagged``.

    Returns
    -------
    pyarrow.Table
        The columns sid, src, tgt, src_tags and tgt_tags.

    Raises
    ------
    InputError
        If the files differ in their number of sentences, or one cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from alignframe import formats
    >>> src, tgt = Path("text.en"), Path("text.fr")
    >>> _ = src.write_text("the|DET boat|NOUN"), tgt.write_text("le|DET bateau|NOUN")
    >>> formats.read_tagged_bitext(src, tgt).column_names
    ['sid', 'src', 'tgt', 'src_tags', 'tgt_tags']
    """
    sides = [read_tagged(path, format, tags=tags, encoding=encoding) for path in (src, tgt)]
    sizes = [side.num_rows for side in sides]
    if sizes[0] != sizes[1]:
        raise InputError(
            f"{fspath(src)} has {number_of(sizes[0], 'sentence')}, {fspath(tgt)} has {sizes[1]:,}",
            expected="the same number of sentences on both sides",
        )
    columns = [side[name] for name in ("words", "tags") for side in sides]
    return pa.Table.from_arrays([sides[0]["sid"], *columns], schema=TAGGED_BITEXT)


def _numbers(size: int) -> pa.Array:
    return pa.array(np.arange(size, dtype=np.int64))


def _recognise(path: str | PathLike[str], encoding: str) -> str:
    """Detect the format of tagged text by its name or first non-comment line."""
    if is_conllu(file := TextFile(path, encoding)):
        return "conllu"
    lines = file.head(SNIFFED).decode(errors="replace").split("\n")
    lines = [line for line in lines if line.strip(BLANKS)]
    # A pipe line may begin with "#" too, so comments count only if there is nothing else.
    line = next((line for line in lines if line[0] != "#"), lines[0] if lines else "")
    if "|" in line or not line:
        return "pipe"  # only blank lines: sentences without words
    raise InputError(
        f"the format is not recognised; its first line is {line[:60]!r}",
        path=path,
        expected="word|TAG word|TAG, or the 10 columns of CoNLL-U",
    )


def _read_pipe(file: TextFile, tags: str) -> Iterator[Columns]:  # noqa: ARG001
    for piece, first in file.texts():
        lines, joined, data = split_words(np.frombuffer(piece, np.uint8))
        fault, *parted = part_tags(joined, data)
        if fault >= 0:
            word = data[joined[fault] : joined[fault + 1]].tobytes().decode()
            raise InputError(
                f"{word[:60]!r} is not a word with a tag",
                line=first + int(np.searchsorted(lines, fault, "right")) - 1,
                expected="word|TAG",
            )
        yield _lists(lines, *parted[:2]), _lists(lines, *parted[2:])


def _lists(lines: np.ndarray, offsets: np.ndarray, data: np.ndarray) -> pa.ListArray:
    buffers = pa.py_buffer(offsets), pa.py_buffer(data)
    strings = pa.StringArray.from_buffers(offsets.size - 1, *buffers)
    return pa.ListArray.from_arrays(pa.array(lines), strings, type=TOKENS)


def conllu_forms(file: TextFile) -> pa.StringArray:
    """Return the sentences of CoNLL-U, words of the column FORM between spaces."""
    parts = [words for (words,) in _read_conllu(file, "")]
    if not parts:
        raise InputError("the file has no sentences", path=file.path, expected="words")
    return pa.array(map(" ".join, parts[0].to_pylist()), pa.string())


def _read_conllu(file: TextFile, tags: str, lemmas: bool = False) -> Iterator[Columns]:
    sentences: list[list[tuple[str, ...]]] = []
    words: list[tuple[str, ...]] = []
    inside = False
    with in_file(file.path) as place:
        for place.line, line in file.lines():
            if not line:
                if inside:
                    sentences.append(words)
                    words, inside = [], False
            elif line[0] == "#":
                # A sentence with comments but no words is kept, to stay parallel.
                inside = inside or line.startswith(("# sent_id", "# text"))
            else:
                cells = line.split("\t")
                inside = True
                if _is_word(cells):
                    own: tuple[str, ...] = (word := _form(cells[1]),)
                    if tags:
                        own = (*own, _tag(cells[_COLUMNS[tags]], tags))
                    words.append((*own, _lemma(cells[2], word)) if lemmas else own)
    if inside:
        sentences.append(words)
    if sentences:
        columns = range(1 + bool(tags) + lemmas)
        yield tuple(
            pa.array([[w[k] for w in sentence] for sentence in sentences], TOKENS) for k in columns
        )


def _is_word(cells: list[str]) -> bool:
    """Whether a line is a word, not a range of words or an empty node."""
    if len(cells) != 10:
        raise InputError(
            number_of(len(cells), "column"),
            expected="the 10 columns of CoNLL-U, separated by tabs",
            todo="separate sentences by empty lines",
        )
    number = _ID.fullmatch(cells[0])
    if not number:
        raise InputError(f"the ID {cells[0]!r}", expected="a number such as 1, 1-2 or 1.1")
    return number[2] is None


def _form(cell: str) -> str:
    word = cell.strip(BLANKS)
    if not word:
        raise InputError("an empty word", expected="a word in column 2")
    return _INNER.sub(_NO_BREAK, word)


def _tag(cell: str, tags: str) -> str:
    tag = cell.strip(BLANKS)
    if tag in ("", "_"):
        other = "xpos" if tags == "upos" else "upos"
        raise InputError(
            f"a word whose {tags.upper()} is {cell!r}",
            expected="a tag",
            todo=f"if the file has {other.upper()}, read it with tags={other!r}",
        )
    return tag


def _lemma(cell: str, word: str) -> str:
    lemma = cell.strip(BLANKS)
    if not lemma or (lemma == "_" and word != "_"):
        raise InputError(f"a word whose LEMMA is {cell!r}", expected="a lemma in column 3")
    return _INNER.sub(_NO_BREAK, lemma)


_READERS: dict[str, Callable[[TextFile, str], Iterator[Columns]]] = {
    "pipe": _read_pipe,
    "conllu": _read_conllu,
}
