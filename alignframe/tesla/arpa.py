r"""Reading language models in ARPA's format.

``\data\`` precedes the number of n-grams of each order; ``\1-grams:`` and so on precede the
n-grams: the base-10 logarithm of a probability, the words, and optionally that of a back-off
weight. ``\end\`` ends the file (Doug Paul's format, as described for SRILM in ngram-format(5)).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import F32, I32, I64, U8, frozen
from alignframe.errors import InputError, in_file, number_of, warn
from alignframe.kernels.text import ngram_model as kernel
from alignframe.kernels.text.ngram_model import Tree
from alignframe.read.lines import TextFile, place

BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"
LARGEST_ORDER = 10

_COUNT = re.compile(rb"ngram\s+(\d+)\s*=\s*(\d+)")
_HEAD = re.compile(rb"\\(\d+)-grams:")
_UNKNOWNS = (UNKNOWN, "<UNK>")

_FAULTS = {
    kernel.NO_NUMBER: ("{word!r} is not a number", "log10(probability), words[, log10(back-off)]"),
    kernel.TOO_FEW: ("the line {line!r} is too short", "log10(probability) and {order} words"),
    kernel.TOO_MANY: (
        "{word!r} is one word too many in the line {line!r}",
        "{order} words between numbers",
    ),
    kernel.UNKNOWN_WORD: ("the word {word!r} is not a 1-gram", "every word among the 1-grams"),
    kernel.POSITIVE: ("the log probability {word}", "0 or less"),
}


class Words(NamedTuple):
    """The words of a model: their bytes, a hash table of their numbers, and as text."""

    offsets: I64
    data: U8
    table: I32
    texts: pa.StringArray


class Arpa(NamedTuple):
    """The contents of an ARPA file: words, a tree of n-grams, and the numbers of n-grams."""

    words: Words
    tree: Tree
    counts: tuple[int, ...]
    unknown: int  # the number of ``<unk>``, or -1
    least: float  # without ``<unk>``, the log probability of unknown words


@dataclass
class _Section:
    """The n-grams of one order, in chunks as read."""

    order: int
    line: int
    log_probs: list[F32] = field(default_factory=list)
    back_offs: list[F32] = field(default_factory=list)
    words: list[I32] = field(default_factory=list)
    lines: list[I64] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)
    sizes: list[I64] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(part.size for part in self.log_probs)


def read_arpa(path: str | PathLike[str]) -> Arpa:
    """Read a model in ARPA's format, optionally compressed."""
    reader = _Reader(path)
    for text, first in TextFile(path).chunks():
        reader.read(text, first)
    return reader.finish()


class _Reader:
    """The state between the lines of a file."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = path
        self.promised: dict[int, int] = {}
        self.sections: list[_Section] = []
        self.words = Words(
            np.zeros(1, np.int64), frozen(np.zeros(0, np.uint8)), np.zeros(0, np.int32), []
        )
        self.begun = self.ended = False
        self.last = 0

    def read(self, text: U8, first: int) -> None:
        """Read whole lines; the first has the number ``first``."""
        data = text.tobytes()
        at, line = 0, first
        with in_file(self.path) as file:
            while at < len(data) and not self.ended:
                file.line = line
                if self.sections and data[at : at + 1] != b"\\":
                    at, lines = self._ngrams(text, at, line)
                    line += lines
                    continue
                end = data.find(b"\n", at)
                end = len(data) if end < 0 else end
                self._head(data[at:end].strip(), line)
                at, line = end + 1, line + 1
        self.last = line - 1

    def _head(self, head: bytes, line: int) -> None:
        """Read a line that is not an n-gram."""
        count, section = _COUNT.fullmatch(head), _HEAD.fullmatch(head)
        if not self.begun:
            self.begun = head == b"\\data\\"  # a comment before the data
        elif count and not self.sections:
            order = int(count[1])
            if order != len(self.promised) + 1 or order > LARGEST_ORDER:
                raise InputError(
                    f"the number of {order}-grams",
                    expected=f"that of {len(self.promised) + 1}-grams, up to {LARGEST_ORDER}",
                )
            self.promised[order] = int(count[2])
        elif (
            section
            and int(section[1]) == len(self.sections) + 1
            and int(section[1]) in (self.promised)
        ):
            self._close()
            self.sections.append(_Section(int(section[1]), line + 1))
        elif head == b"\\end\\" and len(self.sections) == len(self.promised) > 0:
            self._close()
            self.ended = True
        elif head:
            after = len(self.sections) + 1
            wanted = f"\\{after}-grams:" if after <= len(self.promised) else "\\end\\"
            raise InputError(
                f"the line {head[:60].decode('utf-8', 'backslashreplace')!r}",
                expected=wanted if self.promised else "lines such as ngram 1=1000",
            )

    def _ngrams(self, text: U8, at: int, line: int) -> tuple[int, int]:
        section = self.sections[-1]
        words = self.words
        end, lines, fault, where, log_probs, back_offs, spans, numbers, own = kernel.parse_lines(
            text, at, section.order, words.table, words.offsets, words.data
        )
        if fault != kernel.FINE:
            _, whole, word = place(text, where, 0)
            fault_found, expected = _FAULTS[fault]
            raise InputError(
                fault_found.format(word=word, line=whole),
                line=line + lines,
                expected=expected.format(order=section.order),
            )
        section.log_probs.append(log_probs)
        section.back_offs.append(back_offs)
        section.lines.append(own + line)
        if section.order == 1:
            starts, ends = spans[::2], spans[1::2]
            sizes = ends - starts
            offsets = np.cumsum(sizes) - sizes
            section.texts.append(text[np.repeat(starts - offsets, sizes) + np.arange(sizes.sum())])
            section.sizes.append(sizes)
        else:
            section.words.append(numbers)
        return end, lines

    def _close(self) -> None:
        """Check that the finished section has the declared number of n-grams."""
        if not self.sections:
            return
        section = self.sections[-1]
        if section.size != self.promised[section.order]:
            raise InputError(
                f"{section.size:,} {section.order}-grams",
                expected=f"the {self.promised[section.order]:,} that the file's header declares",
                todo="the file may be truncated or edited; make it again",
            )
        if section.order == 1:
            self.words = self._numbered(section)

    def _numbered(self, section: _Section) -> Words:
        sizes = np.concatenate([np.zeros(1, np.int64), *section.sizes])
        offsets = np.cumsum(sizes)
        data = frozen(np.concatenate([np.zeros(0, np.uint8), *section.texts]))
        table, twice = kernel.number_words(offsets, data)
        if twice >= 0:
            word = data[offsets[twice] : offsets[twice + 1]].tobytes()
            raise InputError(
                f"the 1-gram {word.decode('utf-8', 'backslashreplace')!r} again",
                path=self.path,
                line=int(np.concatenate(section.lines)[twice]),
                expected="every n-gram once",
            )
        texts = pa.LargeStringArray.from_buffers(
            offsets.size - 1, pa.py_buffer(offsets), pa.py_buffer(data)
        )
        try:
            texts.validate(full=True)
        except pa.ArrowInvalid:
            raise InputError(
                "words that are not UTF-8 text", path=self.path, todo="convert the file to UTF-8"
            ) from None
        return Words(offsets, data, table, texts.cast(pa.string()))

    def finish(self) -> Arpa:
        if not self.ended:
            raise InputError(
                "the file ends before \\end\\" if self.begun else "no line \\data\\",
                path=self.path,
                line=self.last if self.begun else None,
                expected="a language model in ARPA's format",
                todo="the file may be cut off" if self.begun else "",
            )
        known = dict(zip(self.words.texts.to_pylist(), range(len(self.words.texts)), strict=True))
        for mark in (BEGIN, END):
            if mark not in known:
                raise InputError(
                    f"no {mark} among the 1-grams", path=self.path, expected=f"{BEGIN} and {END}"
                )
        tree = self._tree()
        unknown = next((known[name] for name in _UNKNOWNS if name in known), -1)
        least = self._least(known[BEGIN]) if unknown < 0 else 0.0
        counts = tuple(section.size for section in self.sections)
        return Arpa(self.words, tree, counts, unknown, least)

    def _least(self, begin: int) -> float:
        """Return the log probability of the least probable word, used for unknown ones."""
        probs = np.concatenate(self.sections[0].log_probs).copy()
        probs[begin] = 0  # <s> is never predicted; its figure, often -99, is no probability
        least = float(probs.min())
        warn(
            f"{fspath(self.path)}: the model has no <unk>; unknown words get the log10 "
            f"probability {least:g} of its least probable word, and end the context"
        )
        return least

    def _tree(self) -> Tree:
        room = 1 + sum(section.size for section in self.sections)
        while True:
            tree = _empty_tree(room)
            size = 1
            for section in self.sections:
                words: I32 = np.arange(section.size, dtype=np.int32)
                if section.order > 1:
                    words = np.concatenate([words[:0], *section.words])
                figures = np.zeros(0, np.float32)
                log_probs = np.concatenate([figures, *section.log_probs])
                back_offs = np.concatenate([figures, *section.back_offs])
                size, fault = kernel.plant(tree, size, section.order, words, log_probs, back_offs)
                # The tree is full: it also takes missing contexts, whose number is not known.
                if fault == -2:
                    break
                if fault >= 0:
                    self._twice(section, words, fault)
            else:
                break
            room *= 2
        added = kernel.complete(tree, size, len(self.sections))
        if added:
            warn(
                f"{fspath(self.path)}: {number_of(added, 'n-gram prefix', 'n-gram prefixes')} "
                "missing, given the probability of backing off"
            )
        return tree._replace(
            log_probs=tree.log_probs[:size].copy(),
            back_offs=tree.back_offs[:size].copy(),
            suffixes=tree.suffixes[:size].copy(),
            depths=tree.depths[:size].copy(),
        )

    def _twice(self, section: _Section, words: I32, fault: int) -> None:
        mine = words[fault * section.order : (fault + 1) * section.order]
        text = " ".join(self.words.texts[word].as_py() for word in mine.tolist())
        raise InputError(
            f"the {section.order}-gram {text!r} again",
            path=self.path,
            line=int(np.concatenate(section.lines)[fault]),
            expected="every n-gram once",
        )


def _empty_tree(room: int) -> Tree:
    size = 1 << (2 * room).bit_length()  # a hash table that is at most half full
    return Tree(
        np.zeros(size, np.uint64),
        np.zeros(size, np.int32),
        np.zeros(room, np.float32),
        np.zeros(room, np.float32),
        np.zeros(room, np.int32),
        np.zeros(room, np.uint8),
    )
