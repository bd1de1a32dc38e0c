"""Trained models: aligning text, saving and loading."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.aligners.text import Known, Text, read_text
from alignframe.aligners.training_pairs import Paired, pair
from alignframe.aligners.translations import Vocabularies
from alignframe.aligners.units import Units
from alignframe.core.arrays import F32, I64, U16, Bools
from alignframe.core.arrow import links_array
from alignframe.core.choices import WORD_ALIGNERS
from alignframe.core.output import make_folder, replacing, together, write_table
from alignframe.core.parallel import pool_of
from alignframe.core.schemas import SYSTEM
from alignframe.core.tokens import SIDES
from alignframe.errors import BELOW_1, check_flags, number_of, warn
from alignframe.kernels.aligners.weighted_links import Weighted, put_in_order
from alignframe.language.coverage import ENOUGH
from alignframe.language.words import WHOLE, Splitting
from alignframe.options.aligners import MAX_LENGTH
from alignframe.typing import IntoBitext, Row, Threads

KINDS = WORD_ALIGNERS
"""The kinds of models; each is a module of this package with ``train`` and ``Parameters``."""

VERSION = 1
"""The version of the format of saved models."""

ABOUT = "model.json"
WORDS = ("src_words", "tgt_words")
# The key of a model's digest in the metadata of its tables.
_MARK = "alignframe.model"
# Options that say where and with how much memory a model was trained, not what it is.
_OF_A_RUN = ("checkpoints", "memory_limit")

MOST = 0.5
"""Above this share of unknown words, a model seems to be for another language. The share was at
most 0.48 with models of 500 to 30,000 pairs on other kinds of text, tokenised or not, and at least
0.55 on other languages, swapped sides and upper case. Of samples of 50 words in another language,
96% or more were above it with models of up to 3,000 pairs; technical manuals often are as well."""


class Parameters(Protocol):
    """The parameters of a trained model."""

    def decode(self, paired: Paired, threshold: float | None = None) -> Iterable[Weighted]:
        """Return the links of each part: the best source word per target word, or all above."""

    def tables(self, vocabularies: Vocabularies) -> dict[str, pa.Table]:
        """Return the tables to save."""

    @classmethod
    def from_tables(cls, tables: Mapping[str, pa.Table], vocabularies: Vocabularies) -> Parameters:
        """Restore from what ``tables`` returned."""


@dataclass(frozen=True, repr=False)
class Model:
    """A trained word alignment model.

    Parameters
    ----------
    kind
        One of ``KINDS``.
    vocabularies
        The known words of src and of tgt.
    reverse
        Whether each source word picks its target word; otherwise each target word picks.
    options
        The options given to ``fit``.
    max_length
        Pairs with a longer sentence on either side are not aligned.
    history
        One dict per iteration: stage, iteration (from 1), and log_likelihood before it.
    parameters
        The trained parameters; their vocabularies are swapped if ``reverse``.
    splittings
        How src and tgt are split into words.
    pairs
        The number of sentence pairs trained on, if it is known.
    parts
        Digests of the models whose counts it holds, if it was merged or trained with a prior one.

    Examples
    --------
    >>> from alignframe import aligners
    >>> model = aligners.fit(["the house", "a house"], ["das Haus", "ein Haus"], model="ibm1")
    >>> model.kind, model.reverse, model.max_length
    ('ibm1', False, 200)
    """

    kind: str
    vocabularies: Vocabularies
    reverse: bool
    parameters: Any
    options: Row = field(default_factory=dict)
    max_length: int = MAX_LENGTH
    history: list[Row] = field(default_factory=list)
    splittings: tuple[Splitting, Splitting] = (WHOLE, WHOLE)
    pairs: int | None = None
    parts: tuple[str, ...] = ()

    def __repr__(self) -> str:
        direction = "reverse" if self.reverse else "forward"
        src, tgt = (f"{len(words):,}" for words in self.vocabularies)
        return f"Model({self.kind!r}, {direction}, {src} x {tgt} words)"

    @property
    def name(self) -> str:
        """The default name of the system."""
        return f"{self.kind}-reverse" if self.reverse else self.kind

    @property
    def turned(self) -> Vocabularies:
        """The vocabularies, that of the conditioning side first."""
        return self.vocabularies[::-1] if self.reverse else self.vocabularies

    @cached_property
    def known(self) -> tuple[Known, Known]:
        """The vocabularies, made ready for looking up words."""
        src, tgt = self.vocabularies
        return Known(src), Known(tgt)

    @property
    def splits(self) -> bool:
        """Whether the model splits what stands between spaces."""
        return any(splitting.how != "spaces" for splitting in self.splittings)

    def align(
        self,
        bitext: IntoBitext,
        *,
        posterior: bool = False,
        threshold: float | None = None,
        threads: Threads = None,
        system: str | None = None,
        positions: str = "auto",
    ) -> pl.DataFrame:
        """Align a bitext.

        Parameters
        ----------
        bitext
            A frame with src and tgt (lists of words), or the path of such a Parquet file. The model
            need not know its words.
        posterior
            Add the probability of each link.
        threshold
            Return all links more probable than this, instead of the best for each word.
        threads
            Number of threads, or an executor, to align parts of the text in parallel; one by
            default.
        system
            The name of the result; by default that of the model.
        positions
            What links count; see ``alignframe.aligners.align``.

        Returns
        -------
        polars.DataFrame
            The columns system, sid and links, sorted, one row per row of the bitext; with
            ``posterior`` also probabilities (a list of float32, one per link). Rows with an empty
            side, or a side longer than ``max_length``, have no links.

        Raises
        ------
        InputError
            If the bitext or the threshold is invalid.
        """
        executor = pool_of(threads)
        threshold = check_threshold(threshold)
        check_flags(posterior=posterior)
        text = self.read(bitext)
        warn_of_unaligned(text.empty, text.too_long, self.max_length)
        self.warn_of_unknown(text)
        paired = pair(text.turned() if self.reverse else text, executor)
        found = self.decode(paired, posterior=posterior, threshold=threshold, system=system)
        return Units.of(text, positions).of_links(found)

    def read(self, bitext: IntoBitext) -> Text:
        """Read a bitext for this model; new words are numbered if the model needs that."""
        return read_text(
            bitext,
            known=self.known,
            max_length=self.max_length,
            new_words=getattr(self.parameters, "new_words", False),
            splittings=self.splittings,
        )

    def warn_of_unknown(self, text: Text) -> None:
        """Warn if most words of a side of a text that was read for this model are unknown to it.

        Also warn if a side looks raw, and the model is one of text that was split.
        """
        warn_of_raw("the model", text)
        warn_of_invisible(text)
        sides = zip((text.src, text.tgt), self.vocabularies, strict=True)
        unknown = [side.words >= len(known) for side, known in sides]
        warn_of_unknown("the model", unknown)

    def reads_as(self, other: Model) -> bool:
        """Return whether a text reads the same with this model as with another of its kind."""
        same = zip(self.vocabularies, other.vocabularies, strict=True)
        alike = (self.max_length, self.splittings) == (other.max_length, other.splittings)
        return alike and all(a.equals(b) for a, b in same)

    def decode(
        self,
        paired: Paired,
        *,
        posterior: bool = False,
        threshold: float | None = None,
        system: str | None = None,
    ) -> pl.DataFrame:
        """Align a text read with the model's vocabularies, its sides in the model's order."""
        parts = self.parameters.decode(paired, threshold)
        ordered = map(partial(_in_order, turned=self.reverse, posterior=posterior), parts)
        offsets, i, j, probability = _put_together(paired.text, ordered)
        n = offsets.size - 1
        codes = pa.array(np.zeros(n, np.int32))
        names = pa.array([system or self.name])
        columns = {
            "system": pa.DictionaryArray.from_arrays(codes, names).cast(SYSTEM),
            "sid": pa.array(paired.text.sid),
            "links": links_array(offsets, i, j),
        }
        if posterior:
            columns["probabilities"] = pa.ListArray.from_arrays(
                pa.array(offsets.astype(np.int32)), pa.array(probability)
            )
        return pl.DataFrame(pl.from_arrow(pa.table(columns)))

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the model to a folder: Parquet tables and model.json.

        Translations no more probable than unknown ones are dropped, which does not change the
        links.

        Raises
        ------
        InputError
            If the folder cannot be written to.
        """
        home = Path(folder)
        make_folder(home)
        tables = dict(self.parameters.tables(self.turned))
        about = {
            "version": VERSION,
            "kind": self.kind,
            "reverse": self.reverse,
            "max_length": self.max_length,
            "options": {
                name: _plain(value) for name, value in self.options.items() if name not in _OF_A_RUN
            },
            "history": self.history,
            **({"words": [asdict(one) for one in self.splittings]} if self.splits else {}),
            **({} if self.pairs is None else {"pairs": self.pairs}),
            **({"parts": self.parts} if self.parts else {}),
            "tables": sorted(tables),
        }
        for name, words in zip(WORDS, self.vocabularies, strict=True):
            tables[name] = pa.table({"word": words})
        about["mark"] = _mark(about, tables)
        with together():
            for name, table in tables.items():
                notes = {**(table.schema.metadata or {}), _MARK: about["mark"]}
                write_table(table.replace_schema_metadata(notes), home / f"{name}.parquet")
            with replacing(home / ABOUT) as out:
                out.write((json.dumps(about, indent=1) + "\n").encode())


def _in_order(part: Weighted, *, turned: bool, posterior: bool) -> tuple[I64, U16, U16, F32]:
    """Return the number of links of each sentence of a part, and its links by source word."""
    offsets, i, j, probability = part
    if turned:
        i, j = j, i
    # Links come by target word; tables have them by source word.
    put_in_order(offsets, i, j, probability)
    # A whole text's links are held, so they are small.
    weights = probability if posterior else np.zeros(0, np.float32)
    return np.diff(offsets), i.astype(np.uint16), j.astype(np.uint16), weights


def _put_together(
    text: Text, parts: Iterable[tuple[I64, U16, U16, F32]]
) -> tuple[I64, U16, U16, F32]:
    """Return the links of all rows of a bitext, including unaligned ones."""
    none = (np.zeros(0, np.int64), np.zeros(0, np.uint16), np.zeros(0, np.uint16))
    found = zip((*none, np.zeros(0, np.float32)), *parts, strict=True)
    aligned, i, j, probability = map(np.concatenate, found)
    sizes = np.zeros(text.sid.size, np.int64)
    sizes[text.rows] = aligned
    return np.append(0, np.cumsum(sizes)), i, j, probability


def check_threshold(threshold: float | None) -> float | None:
    """Return a threshold; raise an InputError if it is not a probability."""
    return None if threshold is None else float(BELOW_1.checked(threshold, "`threshold`"))


def warn_of_unknown(what: str, unknown: Sequence[Bools]) -> None:
    """Warn if most words of a side are unknown, by a mask of the words of each side."""
    names = [
        name
        for name, side in zip(SIDES, unknown, strict=True)
        if side.size >= ENOUGH and np.mean(side) > MOST
    ]
    if names:
        warn(
            f"{what} does not know most words of {' and '.join(names)}; is it a model of "
            "these languages, in this order, and of words in the same form (case, tokens)?"
        )


def warn_of_raw(what: str, text: Text) -> None:
    """Warn of sides that look raw, but are read for a model of text that was split into words."""
    if text.raw:
        sides = " and ".join(text.raw)
        warn(
            f"{sides} look{'' if text.raw[1:] else 's'} raw, but {what} was trained on text that "
            "was split into words: its links will be poor; split the text as that one was (see "
            "alignframe words), or train on raw text"
        )


def warn_of_invisible(text: Text) -> None:
    """Warn of words with zero-width spaces and the like, which differ from those without."""
    for name, side, number in zip(SIDES, (text.src, text.tgt), text.invisible, strict=True):
        if number:
            warn(
                f"{name}: {number_of(number, 'word')} of {side.words.size:,} with an invisible "
                "character, such as a zero-width space (U+200B) or a soft hyphen (U+00AD), which "
                "makes another word of each; take them out of the text"
            )


def warn_of_unaligned(empty: int, too_long: int, max_length: int, by: str = "") -> None:
    """Warn if some sentence pairs of a text cannot be aligned, perhaps ``by`` one direction."""
    reasons = (
        (empty, "with an empty side"),
        (too_long, f"with more than {max_length:,} words on a side"),
    )
    counts = [(number, why) for number, why in reasons if number]
    if not counts:
        return
    nouns = [" sentence pair" if counts[0][0] == 1 else " sentence pairs", ""]
    parts = [f"{number:,}{noun} {why}" for (number, why), noun in zip(counts, nouns, strict=False)]
    verb = "is" if empty + too_long == 1 else "are"
    warn(f"{' and '.join(parts)} {verb} given no links{by}")


def _mark(about: dict[str, object], tables: dict[str, pa.Table]) -> str:
    """Return a short digest of a model, which model.json and each of its tables have."""
    digest = sha256(json.dumps(about, default=str).encode())
    for name, table in tables.items():
        digest.update(f"{name} {table.num_rows}".encode())
    for name in WORDS:
        digest.update("\n".join(tables[name]["word"].to_pylist()).encode())
    return digest.hexdigest()[:16]


def _plain(value: object) -> Any:
    """Return an option if JSON can store it, or else its type."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, (str, int, float, bool, type(None))) else f"{type(value)}"
