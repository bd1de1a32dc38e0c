"""Scoring for tuners such as Z-MERT: one score per line of candidates.

Section 5 of Dahlmeier, Liu & Ng 2011. Everything that has arrived is scored at once: a tuner that
waits for each score gets it without delay, and one that sends many candidates gets scores fast. A
score does not depend on the other candidates.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from alignframe.errors import InputError
from alignframe.language.analysed import Analysed, Vocabulary
from alignframe.read.lines import max_line, whole_lines
from alignframe.tesla.scorer import Scorer, read_references, warn_of_empty
from alignframe.typing import IntoSystems

_NUMBERED = re.compile(r"\s*([0-9]+)\s*\|\|\|")
_MARK = "|||"
_PIECE = 1 << 20
# With more lemmas, the vocabulary is restarted, so that a stream can run for ever.
_MORE_LEMMAS = 1 << 20


class Stream:
    """References against which candidates are scored as they arrive.

    Parameters
    ----------
    references
        As in ``tesla.score``.
    scorer
        The metric and what it needs.
    encoding
        Character encoding of files and candidates.

    Raises
    ------
    InputError
        If a reference cannot be read, or they differ in their numbers of lines.

    Examples
    --------
    >>> from alignframe.tesla import Analysis, Scorer, Stream
    >>> stream = Stream([["a cat sat"]], Scorer(Analysis.of(tagger="none")))
    >>> [round(score, 3) for score in stream.scores(["a cat sat", "0 ||| the cat ||| -3.2"])]
    [1.0, 0.37]
    """

    def __init__(self, references: IntoSystems, scorer: Scorer, encoding: str = "utf-8") -> None:
        self.scorer = scorer
        self.encoding = encoding
        vocabulary = Vocabulary()
        self._refs: list[Analysed]
        sources, self._refs, _ = read_references(references, scorer.analysis, vocabulary, encoding)
        if b"\0" in "\n".encode(encoding):
            raise InputError(
                f"candidates in {encoding}",
                expected="an encoding in which a line feed is one byte, such as UTF-8",
            )
        warn_of_empty(sources, self._refs)
        self._vocabulary = vocabulary
        self._limit = len(vocabulary.lemmas.known) + _MORE_LEMMAS
        self._turn = 0
        self._line = 0
        # Checks whole references, and compiles before the first candidate arrives.
        scorer.score(self._refs[0], self._refs)

    @property
    def sentences(self) -> int:
        """The number of lines of each reference."""
        return self._refs[0].rows

    def scores(self, lines: Sequence[str]) -> list[float]:
        """Score candidates.

        Parameters
        ----------
        lines
            ``N ||| text``, as in n-best lists, is scored against line N of the references, counted
            from 0; fields after the text are ignored. Other lines take the references in turn, and
            start over after the last.

        Returns
        -------
        list of float
            One per line; NaN where the reference is empty.

        Raises
        ------
        InputError
            If there is no reference N, the text before ``|||`` is not a number, or a line cannot be
            analysed or scored; gives the number of the line, counted over all successful calls. A
            failed call has no effect: the next one takes the same references.
        """
        if not lines:
            return []
        texts, rows, turn = [], [], self._turn
        for number, line in enumerate(lines, self._line + 1):
            text, row = self._split(line, number)
            if row is None:
                row, turn = turn, (turn + 1) % self.sentences
            texts.append(text)
            rows.append(row)
        if len(self._vocabulary.lemmas.known) > self._limit:
            self._renew()
        scores = self._scored(texts, rows, self._line + 1)
        # Only now: lines that are refused are not counted.
        self._line += len(lines)
        self._turn = turn
        return scores

    def serve(self, source: BinaryIO, out: BinaryIO) -> None:
        """Answer each line of ``source`` with a line of ``out``, until it ends.

        Scores are written in full precision, and undefined ones as ``nan``. A carriage return
        before a line feed and a byte order mark at the start are dropped.

        Raises
        ------
        InputError
            For a line that cannot be scored, after all earlier lines were answered.
        """
        for lines in _batches(source):
            self._answer(lines, out)

    def _answer(self, lines: list[bytes], out: BinaryIO) -> None:
        """Answer lines up to the first invalid one."""
        try:
            texts = [self._text(line, number) for number, line in enumerate(lines, self._line + 1)]
            answers = self.scores(texts)
        except InputError as error:
            if error.line is not None and error.line > self._line + 1:
                self._answer(lines[: error.line - self._line - 1], out)
            raise
        out.write("".join(f"{score!r}\n" for score in answers).encode())
        out.flush()

    def _scored(self, texts: list[str], rows: list[int], first: int) -> list[float]:
        """Score texts against rows of the references; ``first`` is the line of the first one."""
        places = np.array(rows, np.int64)
        try:
            hyp = self.scorer.analysis.analyse(pa.array(texts, pa.string()), self._vocabulary)
            scored = self.scorer.score(hyp, [ref.take(places) for ref in self._refs])
        except InputError as error:
            if len(texts) == 1:
                raise InputError(str(error), line=first) from None
            # Halving finds the line at fault, and answers those before it.
            half = len(texts) // 2
            before = self._scored(texts[:half], rows[:half], first)
            return before + self._scored(texts[half:], rows[half:], first + half)
        values: list[float] = scored.score.tolist()
        return values

    def _text(self, line: bytes, number: int) -> str:
        try:
            text = line.removesuffix(b"\r").decode(self.encoding)
        except UnicodeDecodeError as error:
            raise InputError(
                f"the byte 0x{line[error.start]:02x} is not {self.encoding} text",
                line=number,
                expected=self.encoding,
            ) from None
        return text.removeprefix("\ufeff") if number == 1 else text

    def _split(self, line: str, number: int) -> tuple[str, int | None]:
        """Return the text of a line, and the number of its reference, if it names one."""
        if _MARK not in line:
            return line, None
        head = _NUMBERED.match(line)
        if head is None:
            raise InputError(
                f"{line.split(_MARK)[0].strip()[:60]!r} before the first |||",
                line=number,
                expected="the number of a reference, counted from 0",
            )
        row = int(head[1])
        if row >= self.sentences:
            raise InputError(
                f"the reference {row} of {self.sentences:,}",
                line=number,
                expected=f"a number from 0 to {self.sentences - 1}",
            )
        return line[head.end() :].split(_MARK, 1)[0], row

    def _renew(self) -> None:
        """Begin a new vocabulary, with the references only."""
        from alignframe.language.analysed import from_arrow, to_arrow

        self._vocabulary = Vocabulary()
        self._refs = [from_arrow(to_arrow(ref), self._vocabulary) for ref in self._refs]


def _batches(source: BinaryIO) -> Iterator[list[bytes]]:
    """Yield the complete lines that have arrived, waiting only if there is none."""
    read = source.read1 if isinstance(source, io.BufferedReader) else source.read
    pieces = iter(partial(read, min(_PIECE, max_line())), b"")
    for data, _ in whole_lines(pieces):
        yield data.removesuffix(b"\n").split(b"\n")
