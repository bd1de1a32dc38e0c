"""Reading, writing and detecting files of word alignments and sentence alignments.

``read_beads``, ``write_beads`` and ``read_sentences`` are for beads: sentence alignments.
``read`` returns a table with the columns system, sid and links<i, j, sure>; GIZA++ and Moses
files add their words as src and tgt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike, fspath

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I64
from alignframe.core.arrow import as_array, to_tokens
from alignframe.core.choices import ORDERS
from alignframe.core.keys import sentence_column
from alignframe.core.schemas import SYSTEM, with_options
from alignframe.core.suffixes import BEAD_FORMATS, LINKS, unpacked_name
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError, guessed, in_file, number_of, warn
from alignframe.formats.beads import detect_beads, read_beads, write_beads
from alignframe.formats.bitext import read_bitext, read_tokens, scan_bitext
from alignframe.formats.external import read_external
from alignframe.formats.files import system_name
from alignframe.formats.links import FORMATS, detect, format_of, link_format
from alignframe.formats.pairs_table import read_pairs, write_pairs
from alignframe.formats.parallel import (
    bead_bitext,
    identity_beads,
    parallel_beads,
    read_parallel,
    write_parallel,
)
from alignframe.formats.raw import raw_sides, words_hint
from alignframe.formats.rows import (
    BASE_HINT,
    DROP_HINT,
    END_OF_SENTENCE,
    ORDER_HINT,
    LinkFormat,
    Reading,
    check_range,
    inside_only,
)
from alignframe.formats.sentences import read_sentences, write_sentences
from alignframe.formats.tagged import read_tagged, read_tagged_bitext
from alignframe.formats.tmx import read_tmx
from alignframe.formats.tmx_units import read_units, write_units
from alignframe.formats.word_list import read_word_list
from alignframe.formats.writing import add_words, write, write_links
from alignframe.kernels.ragged import locate
from alignframe.read.lines import TextFile
from alignframe.read.nested import no_probabilities


def refuse_base(kind: str, base: int | None) -> None:
    """Refuse a number of the first word for a format that has its own."""
    if base is not None and not link_format(kind).has_base:
        first = 1 if kind in ("naacl", "giza") else 0
        raise InputError(f"`base` for the format {kind}", expected=f"positions from {first}")


_COUNTED = ("naacl", "numbered")


def scan(
    path: str | PathLike[str],
    format: str | None = None,
    reading: Reading | None = None,
    *,
    bitext: pa.Table | None = None,
) -> Iterator[pa.RecordBatch]:
    """Read a file in batches with sid, links<i, j, sure>, and src and tgt if the file has words.

    Parameters
    ----------
    format
        One of ``FORMATS``; by default detected from the first line.
    reading
        Options; afterwards it holds counts of repairs.
    bitext
        A table with sid, src and tgt, with which links outside their sentence pair are refused.

    Examples
    --------
    >>> from alignframe import formats
    >>> sum(batch.num_rows for batch in formats.scan("datasets/en-fr/gold.talp"))
    72
    """
    reading = reading or Reading()
    kind = format or detect(path, reading.encoding)
    form = link_format(kind)
    text = None if bitext is None else _TextBeside(bitext, path, form, reading)
    with in_file(path):
        if reading.min_probability is not None and not form.has_probabilities:
            raise no_probabilities()
        if kind in ("jsonl", "parquet", "table"):
            refuse_base(kind, reading.base)
        if reading.first_sentence is not None and kind not in _COUNTED:
            raise InputError(
                f"`first_sentence` for the format {kind}",
                expected=f"`first_sentence` only for {' or '.join(_COUNTED)}",
            )
        if reading.probabilities is not None and kind != "pharaoh":
            raise InputError(
                f"`probabilities` for the format {kind}",
                expected="`probabilities` only for pharaoh, which may have them in another file",
            )
        if reading.drop_outside and text is None and not form.has_words:
            raise InputError("`drop_outside` needs the text", todo="give `src` and `tgt`")
        for batch in form.read(TextFile(path, reading.encoding), reading):
            yield batch if text is None else text.checked(batch)
    if text is not None:
        text.warn()
    reading.warn(fspath(path))
    if (
        format is None
        and kind != "pharaoh"
        and not unpacked_name(path).endswith(LINKS.suffixes[kind])
    ):
        reading.guessed["format"] = kind
    if reading.guessed:
        guessed(path, **reading.guessed)
    if form.has_base:
        reading.warn_of_base(fspath(path), BASE_HINT)


def read(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    system: str | None = None,
    base: int | None = None,
    order: str = "src-tgt",
    first_sentence: int | None = None,
    min_probability: float | None = None,
    encoding: str = "utf-8",
    drop_outside: bool = False,
    probabilities: str | PathLike[str] | None = None,
    bitext: pa.Table | None = None,
) -> pa.Table:
    """Read a file of alignments into a table.

    Parameters
    ----------
    path
        A file, optionally compressed.
    format
        One of ``FORMATS``; by default detected from the first line.
    system
        The system's name; by default the file's name without suffixes.
    base, order, first_sentence, min_probability, encoding, drop_outside, probabilities
        See ``Reading``. ``min_probability`` and ``drop_outside`` are recorded in the table, for
        signatures of its scores.
    bitext
        A table with sid, src and tgt, with which links outside their sentence pair are refused.

    Returns
    -------
    pyarrow.Table
        The columns system, sid and links<i, j, sure>, one row per sentence; probabilities (a list,
        one per link) if the file has some, and src and tgt if it has words. Links without a label
        are Sure.

    Raises
    ------
    InputError
        With the file, the line, what was found and what was expected.

    Examples
    --------
    >>> from alignframe import formats
    >>> gold = formats.read("datasets/en-fr/gold.talp", system="gold")
    >>> gold.num_rows, gold["links"][1][0].as_py()
    (72, {'i': 0, 'j': 0, 'sure': False})
    """
    reading = Reading(
        base, order, first_sentence, min_probability, encoding, drop_outside, probabilities
    )
    return table_of(path, format, reading, system, bitext)


def table_of(
    path: str | PathLike[str],
    format: str | None,
    reading: Reading,
    system: str | None,
    bitext: pa.Table | None,
) -> pa.Table:
    """Return the table of a file of alignments; see ``read``."""
    batches = list(scan(path, format, reading, bitext=bitext))
    if not batches:
        raise InputError("the file has no sentences", path=path, expected="an alignment")
    table = pa.Table.from_batches(batches)
    if "system" not in table.schema.names or system is not None:
        if "system" in table.schema.names:
            table = table.drop_columns(["system"])
        codes = pa.array([0], pa.int32()).take(pa.array([0] * table.num_rows, pa.int32()))
        names = pa.DictionaryArray.from_arrays(codes, pa.array([system or system_name(path)]))
        table = table.add_column(0, pa.field("system", SYSTEM, nullable=False), names)
    ids = "words" if "id" in table.schema.names else None
    return with_options(
        table,
        order=reading.order,
        min_probability=reading.min_probability,
        drop_outside="dropped" if reading.drop_outside else None,
        ids=ids,
    )


class _TextBeside:
    """Compares a file of links with the text that was given for it."""

    def __init__(
        self, bitext: pa.Table, path: str | PathLike[str], form: LinkFormat, reading: Reading
    ) -> None:
        self.bitext, self.path, self.form, self.reading = bitext, path, form, reading
        self.known = bitext["sid"].to_numpy()
        self.rows = 0
        self.differing = 0
        self.example = ""

    def checked(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Refuse sentences that the text lacks or splits otherwise, and links outside of it.

        Or return the batch without these links, if they are to be left out.
        """
        sid = sentence_column(batch)
        rows_of_text = locate(sid, self.known)
        self.rows += sid.size
        if (rows_of_text < 0).any():
            missing = int(sid[int((rows_of_text < 0).argmax())])
            raise self._error(
                f"sentence {missing} (counted from 0) is beyond the text's "
                f"{self.bitext.num_rows:,} sentence pairs",
                missing,
            )
        rows = pa.array(rows_of_text)
        sides = [self.bitext[side].combine_chunks().take(rows) for side in SIDES]
        if "src" in batch.schema.names:
            self._compare(batch, sid, sides)
        lengths = [to_tokens(side) for side in sides]
        if self.reading.drop_outside:
            batch, outside_links = inside_only(batch, lengths[0], lengths[1])
            self.reading.outside += outside_links
            return batch
        outside = check_range(batch.column("links"), sid, lengths[0], lengths[1])
        if outside:
            sentence, text, link = outside
            from_one = self.form.has_base and self.reading.base is None and not self.reading.zeros
            todo = f"if positions count from 1, {BASE_HINT}" if from_one else ORDER_HINT
            if END_OF_SENTENCE in text or not from_one:
                is_clear = END_OF_SENTENCE in text and not from_one
                todo = DROP_HINT if is_clear else f"{todo}; or {DROP_HINT}"
            if hint := words_hint(raw_sides([as_array(self.bitext[side]) for side in SIDES])):
                todo = f"{hint}; or {todo}"
            raise self._error(f"sentence {sentence}: {text}", sentence, todo, link)
        return batch

    def _compare(self, batch: pa.RecordBatch, sid: I64, sides: Sequence[pa.Array]) -> None:
        """Refuse other numbers of words than the file's own, and count other words."""
        for side, given in zip(SIDES, sides, strict=True):
            own = batch.column(side)
            other = np.flatnonzero(to_tokens(own) != to_tokens(given))
            if other.size:
                at = int(other[0])
                words = [words_of_side[at].as_py() for words_of_side in (own, given)]
                number = int(sid[at])
                raise self._error(
                    f"sentence {number} (counted from 0) has {number_of(len(words[0]), 'word')} "
                    f"in {side} ({' '.join(words[0])[:60]}), but {len(words[1]):,} in the text "
                    f"({' '.join(words[1])[:60]})",
                    number,
                    "give the text that was aligned, without lines that were removed before",
                )
            # Aligners are often given the text in lower case, or in another Unicode form.
            flat = [
                pc.utf8_normalize(pc.utf8_lower(words_of_side.flatten()), "NFC")
                for words_of_side in (own, given)
            ]
            differ = pc.not_equal(*flat)
            count = pc.sum(differ).as_py() or 0
            if count and not self.differing:
                self.example = " and ".join(
                    repr(words_of_side.filter(differ)[0].as_py()) for words_of_side in flat
                )
            self.differing += count

    def _error(
        self, text: str, sid: int, todo: str = "", link: tuple[int, int] | None = None
    ) -> InputError:
        line = self.form.line(TextFile(self.path, self.reading.encoding), sid, self.reading, link)
        return InputError(text, line=line, todo=todo)

    def warn(self) -> None:
        """Warn of words that differ from the text's, and of text left over."""
        if self.differing:
            warn(
                f"{fspath(self.path)}: {number_of(self.differing, 'word differs', 'words differ')} "
                f"from the text's: {self.example}; is it the text that was aligned?"
            )
        left = self.bitext.num_rows - self.rows
        if left > 0 and self.form.has_words:
            warn(
                f"{fspath(self.path)}: {number_of(self.rows, 'sentence')}, but the text has "
                f"{self.bitext.num_rows:,}; is it the text that was aligned?"
            )


__all__ = [
    "BEAD_FORMATS",
    "FORMATS",
    "ORDERS",
    "Reading",
    "add_words",
    "bead_bitext",
    "detect",
    "detect_beads",
    "format_of",
    "identity_beads",
    "parallel_beads",
    "read",
    "read_beads",
    "read_bitext",
    "read_external",
    "read_pairs",
    "read_parallel",
    "read_sentences",
    "read_tagged",
    "read_tagged_bitext",
    "read_tmx",
    "read_tokens",
    "read_units",
    "read_word_list",
    "scan",
    "scan_bitext",
    "system_name",
    "write",
    "write_beads",
    "write_links",
    "write_pairs",
    "write_parallel",
    "write_sentences",
    "write_units",
]


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
