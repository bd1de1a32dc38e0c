"""Line-parallel text: one sentence per line, words separated by spaces.

Lines may begin with ids and a tab, ``12 TAB some words``, which are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I32, U8
from alignframe.core.arrow import is_text, refuse_missing
from alignframe.core.schemas import BITEXT, TOKENS
from alignframe.core.tokens import SIDES, composed, visible
from alignframe.errors import InputError, number_of, warn
from alignframe.formats.columns import column_texts, is_table, refuse_columns
from alignframe.formats.files import is_language
from alignframe.formats.line_ids import rows_by_id
from alignframe.formats.sentences import document, sentence_chunks
from alignframe.kernels.small import call
from alignframe.kernels.text.words import split_words
from alignframe.read.lines import TextFile

# The number of lines checked for words.
LOOKED_AT = 1000

_BAR = "|||"
_FORMS = "source ||| target in every line, or source ||| target ||| links"
# A link in any notation, or a score, as phrase tables have them after both sides.
_LINK = r"^((\d+|NULL)[-p?:](\d+|NULL)\S*|[-+]?[\d.]+([eE][-+]?\d+)?)$"
# The number of lines that all have a bar if a file has both sides.
_BOTH = 10
_WORDS = 5000
_ENDS = re.compile(r"[^\W\d_]+[,;:!?،؛؟]")
# Words of Thai, Lao, Burmese and Khmer rarely have twelve letters, those of Chinese and Japanese
# five, but for loans in Katakana.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{12}|"
    "(?=[\u30a0-\u30ff]*[\u3040-\u309f\u3400-\u9fff])[\u3040-\u30ff\u3400-\u9fff]{5}"
)
# The share of such words that text without spaces exceeds: it has .15 to .95, text split into words
# at most .025, names in Chinese news.
_MOSTLY = 0.1
# The share of words like ``homme,`` that text as written exceeds. It has .02 to .2 of them, text
# split into words at most .003.
_TOO_MANY = 0.01


def read_tokens(path: str | PathLike[str], encoding: str = "utf-8") -> list[list[str]]:
    """Return the words of each line, without the WPT marks ``<s snum=1> ... </s>``.

    Examples
    --------
    >>> from alignframe import formats
    >>> formats.read_tokens("datasets/en-fr/text.en")[2][:4]
    ['The', 'council', 'has', 'not']
    """
    rows: list[list[str]] = token_column(TextFile(path, encoding)).to_pylist()
    return rows


def token_column(file: TextFile, ids: list[bytes] | None = None) -> pa.ChunkedArray:
    """Return the words of each line as a column; ``ids`` are filled if lines have some."""
    return pa.chunked_array(list(_token_parts(file, ids)), TOKENS)


def _token_parts(file: TextFile, ids: list[bytes] | None = None) -> Iterator[pa.Array]:
    """Yield the words of each line, in chunks. The file is read once."""
    whole = document(file, ids)
    if whole is not None:
        yield split_texts(whole, str(file.path))
        return
    for data, _ in sentence_chunks(replace(file, form="NFC"), ids):
        yield _split(np.frombuffer(data, np.uint8))


def _split(piece: U8) -> pa.ListArray:
    """Return the words of each line of a chunk."""
    lines, words, text = call(split_words, piece)
    column = pa.StringArray.from_buffers(words.size - 1, pa.py_buffer(words), pa.py_buffer(text))
    return pa.ListArray.from_arrays(pa.array(lines), column, type=TOKENS)


def as_words(sentences: pa.Array, what: str, first: int = 0) -> pa.Array:
    """Return texts, or lists of words, as lists of words in NFC; ``first`` numbers the first."""
    refuse_missing(sentences, what, first)
    if is_text(sentences.type) and not pa.types.is_null(sentences.type):
        sentences = split_texts(sentences, what)
    sentences = composed(sentences)
    if sentences.values.null_count and sentences.flatten().null_count:
        missing = pc.list_parent_indices(sentences).filter(sentences.flatten().is_null())
        number = first + missing[0].as_py()
        raise InputError(
            f"sentence {number:,} (counted from 0) has a missing word in {what}",
            expected="every word",
        )
    return sentences


def split_texts(texts: pa.Array, what: str) -> pa.ListArray:
    """Return the words of texts, split at spaces like lines of files."""
    plain = composed(texts.cast(pa.string()))
    if pc.any(pc.match_substring(plain, "\n")).as_py():
        raise InputError(f"{what} with a line break inside", expected="one line each")
    if not len(plain):
        return pa.array([], TOKENS)
    # As lines of one chunk they go through the kernel that splits files.
    lines = pc.binary_join(pa.ListArray.from_arrays([0, len(plain)], plain), "\n")[0]
    return _split(np.frombuffer(lines.as_buffer().to_pybytes() + b"\n", np.uint8))


def first_words(sentences: pa.Array) -> list[str]:
    """Return the words at the beginning of a text that are looked at."""
    words = sentences[:LOOKED_AT].flatten()[:_WORDS].to_pylist()
    return list(filter(None, map(visible, filter(None, words))))


def glued_words(words: Sequence[str]) -> list[str]:
    """Return words that show that nobody split a text into words; none of text that is split."""
    if unspaced := _unspaced(words):
        return unspaced
    glued = [word for word in words if _ENDS.fullmatch(word)]
    return glued if len(glued) > max(_TOO_MANY * len(words), 2) else []


def is_without_spaces(sentences: pa.Array) -> bool:
    """Whether a side is written without spaces, as Chinese or Thai, and nobody split it."""
    return bool(_unspaced(first_words(sentences)))


def _unspaced(words: Sequence[str]) -> list[str]:
    """Return words that show that a text has no spaces between words; none if they are few."""
    found = [word for word in words if _UNSPACED.search(word)]
    return found if len(found) > _MOSTLY * len(words) else []


def check_split(sentences: pa.Array, what: str) -> None:
    """Warn of text that nobody split into words."""
    words = first_words(sentences)
    if glued := glued_words(words):
        path = Path(what)
        codes = [end[1:] for end in path.suffixes if is_language(end[1:]) and end != ".en"]
        language = f" --language {codes[0]}" if codes else ""
        warn(
            f"{what}: {len(glued):,} of the first {len(words):,} words look as if nobody had split "
            f"the text into words, such as {glued[0][:30]!r}; tokenise it first, for example with: "
            f"alignframe tesla words {what if path.is_file() else 'FILE'}{language} --show words"
        )


@dataclass(frozen=True)
class TextFiles:
    """Files of text as a frame, read whenever it is asked for; see ``read_bitext``."""

    src: str | PathLike[str]
    tgt: str | PathLike[str] | None = None
    encoding: str = "utf-8"
    columns: str | Sequence[str] | None = None

    def to_arrow_reader(self, _: int = 0) -> pa.RecordBatchReader:
        """Return a reader of sid, src and tgt."""
        return scan_bitext(self.src, self.tgt, self.encoding, self.columns)


def read_bitext(
    src: str | PathLike[str],
    tgt: str | PathLike[str] | None = None,
    encoding: str = "utf-8",
    columns: str | Sequence[str] | None = None,
) -> pa.Table:
    """Read two line-parallel files, or one of lines ``source ||| target`` or of a table.

    Parameters
    ----------
    src, tgt
        A file of each side, or one of both.
    encoding
        Character encoding of text.
    columns
        The two columns of a table that hold the sides, such as ``3,4`` (from 1, without a header)
        or ``en,fr`` (of its header); by default src and tgt, or the only two without a header.

    Returns
    -------
    pyarrow.Table
        The columns sid, src and tgt.

    Raises
    ------
    InputError
        If the files differ in their number of lines, or are not text in ``encoding``.

    Examples
    --------
    >>> from alignframe import formats
    >>> text = formats.read_bitext("datasets/en-fr/text.en", "datasets/en-fr/text.fr")
    >>> text.num_rows, text["tgt"][2].as_py()[:5]
    (72, ['Le', 'conseil', "n'", 'a', 'pas'])
    """
    return scan_bitext(src, tgt, encoding, columns).read_all()


def scan_bitext(
    src: str | PathLike[str],
    tgt: str | PathLike[str] | None = None,
    encoding: str = "utf-8",
    columns: str | Sequence[str] | None = None,
) -> pa.RecordBatchReader:
    """Read like ``read_bitext``, but as a stream.

    Examples
    --------
    >>> from alignframe import formats
    >>> reader = formats.scan_bitext("datasets/en-fr/text.en", "datasets/en-fr/text.fr")
    >>> sum(batch.num_rows for batch in reader)
    72
    """
    file = TextFile(src, encoding)
    parts: Iterable[tuple[pa.Array, pa.Array]]
    if tgt is not None:
        refuse_columns(columns)
        parts = _side_by_side(src, tgt, encoding)
    elif columns or is_table(file):
        parts = _columns(file, columns)
    else:
        parts = _joined(file)
    return pa.RecordBatchReader.from_batches(BITEXT, _numbered(parts))


def _numbered(parts: Iterable[tuple[pa.Array, pa.Array]]) -> Iterator[pa.RecordBatch]:
    done = 0
    for src, tgt in parts:
        sid = pa.array(np.arange(done, done + len(src)))
        yield pa.record_batch([sid, src, tgt], schema=BITEXT)
        done += len(src)


def _columns(
    file: TextFile, columns: str | Sequence[str] | None
) -> Iterator[tuple[pa.Array, pa.Array]]:
    """Yield both sides of a table; see ``column_texts``. It is not read before."""
    texts = zip(SIDES, column_texts(file, columns), strict=True)
    src, tgt = (as_words(text, f"{side} of {fspath(file.path)}") for side, text in texts)
    yield src, tgt


def _joined(file: TextFile) -> Iterator[tuple[pa.Array, pa.Array]]:
    """Yield both sides of lines ``source ||| target``, all perhaps with ``||| links``."""
    done = 0
    linked = False  # whether lines have links, as those of Moses; these are left out
    for part in _token_parts(file):
        words, offsets = part.values, part.offsets.to_numpy()
        bars = pc.indices_nonzero(pc.equal(words, _BAR)).to_numpy().astype(np.int32)
        # Two bars after the last word end the lines that have none, or only one.
        bars = np.append(bars, [offsets[-1]] * 3)
        at = np.searchsorted(bars, offsets[:-1])
        more = bars[at + 1] < offsets[1:]
        linked = bool(more[0]) if not done and len(part) else linked
        without = bars[at] >= offsets[1:]
        if (found := without | (more != linked)).any():
            row = int(found.argmax())
            raise _uneven(file, done + row + 1, without=bool(without[row]), more=bool(more[row]))
        ends = bars[at], np.minimum(bars[at + 1], offsets[1:])
        if linked:
            third = bars[at + 1] + 1, np.minimum(bars[at + 2], offsets[1:])
            _check_links(_runs(words, *third), file, done + 1)
        yield _runs(words, offsets[:-1], ends[0]), _runs(words, ends[0] + 1, ends[1])
        done += len(part)


def _uneven(file: TextFile, line: int, *, without: bool, more: bool) -> InputError:
    """Return the error of a line with fewer or more ``|||`` than those before."""
    if without:
        found, todo = "a line without '|||'", "give the target side as a second file"
    else:
        found = "a line with another '|||'" if more else "a line with a single '|||'"
        found += ", unlike those before"
        todo = "if one is a word, give each side as a file"
    form = "source ||| target" if without else _FORMS
    return InputError(found, path=file.path, line=line, expected=form, todo=todo)


def _check_links(fields: pa.ListArray, file: TextFile, line: int) -> None:
    """Refuse what follows the target in lines of three fields, if it is no list of links."""
    odd = pc.invert(pc.match_substring_regex(fields.values, _LINK))
    if not pc.any(odd).as_py():
        return
    at = pc.index(odd, True).as_py()
    row = int(np.searchsorted(fields.offsets.to_numpy(), at, "right")) - 1
    raise InputError(
        f"{fields.values[at].as_py()[:30]!r} after a second '|||' is neither a link nor a score",
        path=file.path,
        line=line + row,
        expected=_FORMS,
        todo="if a '|||' is a word, give each side as a file",
    )


def _runs(words: pa.Array, starts: I32, ends: I32) -> pa.ListArray:
    """Return runs of words as lists."""
    offsets = np.concatenate([[0], np.cumsum(ends - starts)])
    at = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], ends - starts)
    own = words.take(pa.array(at))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), own, type=TOKENS)


def _check_bars(
    parts: Sequence[pa.Array], paths: tuple[str | PathLike[str], str | PathLike[str]]
) -> None:
    """Refuse a file that has both sides, beside another one; in both files a bar is a word."""
    # In a few lines it may be a word, too.
    has = [all(_BAR in words for words in part[:_BOTH].to_pylist()) for part in parts]
    if has == [True, True]:
        warn(
            f"{fspath(paths[0])} and {fspath(paths[1])}: '|||' in every line of both, taken as a "
            "word; if it parts source and target, give one of the files alone"
        )
    elif any(has):
        raise InputError(
            "a line with '|||', which has both sides, beside a file of one side",
            path=paths[has.index(True)],
            line=1,
            todo="give this file alone, or files of one side each",
        )


def _side_by_side(
    src: str | PathLike[str], tgt: str | PathLike[str], encoding: str
) -> Iterator[tuple[pa.Array, pa.Array]]:
    """Yield the lines of both files, and raise an InputError if one has more."""
    ids: tuple[list[bytes], list[bytes]] = [], []
    sides = [
        _token_parts(TextFile(path, encoding), own)
        for path, own in zip((src, tgt), ids, strict=True)
    ]
    held: list[pa.Array | None] = [next(side, None) for side in sides]
    done = 0
    _check_bars([part for part in held if part is not None], (src, tgt))
    if all(ids):  # both sides are held, as any line may be that of any other
        wholes = [
            pa.concat_arrays([*([] if part is None else [part]), *side])
            for part, side in zip(held, sides, strict=True)
        ]
        rows = rows_by_id(ids, (src, tgt))
        held = [
            side if rows is None else side.take(pa.array(rows[k])) for k, side in enumerate(wholes)
        ]
        ids = [], []
    while held[0] is not None and held[1] is not None:
        # Chunks of both files break at different lines: as many lines as both have go on.
        size = min(len(held[0]), len(held[1]))
        yield held[0].slice(0, size), held[1].slice(0, size)
        done += size
        for k, part in enumerate(held):
            if part is not None:
                held[k] = part.slice(size) if len(part) > size else next(sides[k], None)
    # The longer file is read to its end, so that the error can tell both numbers of lines.
    counts = [
        done + (len(part) if part is not None else 0) + sum(map(len, side))
        for part, side in zip(held, sides, strict=True)
    ]
    rows_by_id(ids, (src, tgt))
    if counts[0] != counts[1]:
        raise InputError(
            f"{fspath(src)} has {number_of(counts[0], 'line')}, {fspath(tgt)} has {counts[1]:,}",
            expected="the same number of lines on both sides",
        )
