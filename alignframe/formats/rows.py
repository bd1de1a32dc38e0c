"""Options and batches, shared by all readers of links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import F64, I64, U8, U16, Bools, Links, frozen, make_links
from alignframe.core.arrow import links_array, to_links
from alignframe.core.choices import BASES, ORDERS
from alignframe.core.keys import sentence_column
from alignframe.errors import SHARE, InputError, check_flags, number_of, warn
from alignframe.kernels.ragged import Tidied, first_outside, swap_sides, tidy
from alignframe.read.lines import TextFile
from alignframe.read.nested import PROBABILITIES, is_odd, no_probability, with_only

END_OF_SENTENCE = "one past the last word on both sides: the end of sentence"
"""What errors say of such a link, as Marian writes it."""
BASE_HINT = "give `base=1`"
"""Advice if positions count from 1."""
ORDER_HINT = (
    "check that the text belongs to the links, and which side they name first (if the target, "
    "`order='tgt-src'`)"
)
"""Advice on links outside their sentence pair."""
DROP_HINT = "leave such links out with `drop_outside`"
"""Advice on links of the end of sentence."""
# Links of which one at least has a position 0 if they count from 0.
_ENOUGH = 20
# Python reads no number of more than 4,300 digits.
LINK = re.compile(r"(\d{1,4000})(?:([p?])|-)(\d{1,4000})(?(2)|(?:-?([SPsp]))?)", re.ASCII)
"""A link as text: ``0-1``, Possible as ``0p1`` or ``0?1``, labelled as ``0-1S`` or ``0-1-P``."""


@dataclass
class Reading:
    """How to read a file of links, and counts of repairs.

    Parameters
    ----------
    base
        Number of a sentence's first word, where the format does not define it (Pharaoh): 0 or 1.
    order
        The order of positions in a link: ``src-tgt`` or ``tgt-src``.
    first_sentence
        Number of the first sentence, where the format does not define it (NAACL, numbered): 0 or 1.
    min_probability
        Drop links with a lower probability, from 0 to 1.
    encoding
        Encoding of words, in formats with words.
    drop_outside
        Leave out links outside their sentence pair, which needs its words; by default an error.
    probabilities
        A file with the probabilities of the links of a Pharaoh file: as many on each line, in the
        same order, as awesome-align's ``--output_prob_file``.

    Examples
    --------
    >>> from alignframe import formats
    >>> reading = formats.Reading(order="tgt-src")
    >>> batch = next(formats.scan("datasets/en-fr/gold.talp", reading=reading))
    >>> batch["links"][1][1].as_py()
    {'i': 0, 'j': 1, 'sure': False}
    """

    base: int | None = None
    order: str = "src-tgt"
    first_sentence: int | None = None
    min_probability: float | None = None
    encoding: str = "utf-8"
    drop_outside: bool = False
    probabilities: str | PathLike[str] | None = None
    duplicates: int = field(default=0, init=False)
    conflicts: int = field(default=0, init=False)
    links: int = field(default=0, init=False)
    zeros: bool = field(default=False, init=False)
    """Whether any link had a position 0: a hint that positions count from 0."""
    guessed: dict[str, str] = field(default_factory=dict, init=False)
    """What was taken where nobody said it, by option."""
    outside: int = field(default=0, init=False)
    """The number of links outside their sentence pair, which are dropped."""
    unlinked: int = field(default=0, init=False)
    """The number of links of unaligned words, which are dropped."""
    weighed: bool | None = field(default=None, init=False)
    """Whether links have probabilities, which the first batch decides; None before it."""
    scored_twice: bool = field(default=False, init=False)
    """Whether any link had two scores, of which the first is its probability."""
    first_line: int = field(default=1, init=False)
    """The line of the first sentence, in a format of one line per sentence."""

    def __post_init__(self) -> None:
        if self.base is not None:
            check_base(self.base)
        if self.order not in ORDERS:
            raise InputError(f"`order` is {self.order!r}", expected=" or ".join(ORDERS))
        if self.min_probability is not None:
            SHARE.checked(self.min_probability, "`min_probability`")
        check_flags(drop_outside=self.drop_outside)

    def count(self, kept: Tidied) -> None:
        """Add the repairs in a batch."""
        self.duplicates += kept.duplicates
        self.conflicts += kept.conflicts
        self.links += kept.i.size
        self.zeros = self.zeros or bool((kept.i == 0).any()) or bool((kept.j == 0).any())

    def weigh(
        self, weights: F64 | None, offsets: I64, lines: Sequence[int] | int = 1
    ) -> F64 | None:
        """Return the probability of each link of a batch, NaN for none; None if no link has one.

        ``lines`` are the numbers of its lines, or that of the first.
        """
        given = None if weights is None or np.isnan(weights).all() else weights
        if given is not None:
            odd, first = is_odd(given), int(np.argmin(np.isnan(given)))
            at = int(np.argmax(odd)) if odd.any() else first
            row = int(np.searchsorted(offsets, at, "right")) - 1
            line = lines + row if isinstance(lines, int) else lines[row]
            if odd.any():
                raise no_probability(given[at], line)
            if self.weighed is False:
                raise InputError(
                    "a link with a probability, after others without",
                    line=line,
                    expected="a probability for every link, or for none",
                )
        if self.weighed is None:
            self.weighed = given is not None
        if not self.weighed:
            return None
        return np.full(int(offsets[-1]), np.nan) if given is None else given

    def warn(self, path: str) -> None:
        """Warn of all repairs."""
        if self.unlinked:
            warn(
                f"{path}: left out {number_of(self.unlinked, 'link')} with a position 0 (an "
                "unaligned word)"
            )
        if self.outside:
            warn(f"{path}: {left_outside(self.outside)}")
        if self.scored_twice:
            warn(
                f"{path}: links have two scores each: the first, of translation, is kept as the "
                "probability, and the second is left out"
            )
        if self.duplicates:
            warn(
                f"{path}: {number_of(self.duplicates, 'link')} repeated within a sentence; each "
                "was kept once"
            )
        if self.conflicts:
            warn(
                f"{path}: {number_of(self.conflicts, 'link')} marked both Sure and Possible; "
                "each was kept as Sure"
            )

    def warn_of_base(self, path: str, todo: str) -> None:
        """Warn if positions seem to count from 1, and no base was given."""
        if self.base is None and self.links >= _ENOUGH and not self.zeros:
            said = f"{path}: no link has a position 0, so positions may count from 1; if so, {todo}"
            warn(said, path)


def check_base(base: int) -> None:
    """Refuse an invalid number of the first word."""
    if base not in BASES:
        raise InputError(f"`base` is {base}", expected="0 or 1")


def rows(
    sid: I64,
    offsets: I64,
    i: U16,
    j: U16,
    sure: U8,
    reading: Reading,
    weights: F64 | None = None,
) -> pa.RecordBatch:
    """Return parsed links as a batch: sid, links<i, j, sure>, and probabilities, if any."""
    links = make_links(offsets, i, j, sure)
    column = _in_order(links, reading)
    columns = {"sid": pa.array(sid, pa.int64()), "links": column}
    if weights is not None:
        given = pa.array(weights, from_pandas=True)  # NaN is null
        columns[PROBABILITIES] = _in_same_order(links, given, column, reading)
    return pa.record_batch(list(columns.values()), names=list(columns))


def check_range(
    links: pa.ListArray,
    sid: I64,
    src_length: I64,
    tgt_length: I64,
) -> tuple[int, str, tuple[int, int]] | None:
    """Return the first link outside its sentence pair, with the sentence and a description."""
    return outside_range(to_links(links), sid, src_length, tgt_length)


def are_inside(links: pa.ListArray, src_length: I64, tgt_length: I64) -> Bools:
    """Whether each link is inside its sentence pair; lengths below 0 are unknown."""
    flat = links.flatten()
    sizes = pc.list_value_length(links).to_numpy(zero_copy_only=False)
    sides = zip(("i", "j"), (src_length, tgt_length), strict=True)
    inside: list[Bools] = []
    for name, lengths in sides:
        length = np.repeat(lengths, sizes)
        inside.append((length < 0) | (flat.field(name).to_numpy() < length))
    return inside[0] & inside[1]


def inside_only(
    batch: pa.RecordBatch, src_length: I64, tgt_length: I64
) -> tuple[pa.RecordBatch, int]:
    """Return a batch without the links outside their sentence pair, and how many they are."""
    inside = are_inside(batch.column("links"), src_length, tgt_length)
    outside = int((~inside).sum())
    return with_only(batch, inside) if outside else batch, outside


def left_outside(links: int) -> str:
    """Return the warning about links that were left out."""
    return (
        f"left out {number_of(links, 'link')} outside their sentence pair, such as of the end of "
        "sentence"
    )


def outside_range(
    plain: Links,
    sid: I64,
    src_length: I64,
    tgt_length: I64,
    past: int = 0,
) -> tuple[int, str, tuple[int, int]] | None:
    """Do the same for links as numpy arrays, which may go ``past`` the last word."""
    lengths = frozen(src_length + past), frozen(tgt_length + past)
    row, link = first_outside(plain.starts, plain.ends, plain.i, plain.j, *lengths)
    if row < 0:
        return None
    i, j = int(plain.i[link]), int(plain.j[link])
    text = (
        f"the link {i}-{j} (counted from 0) lies outside its sentence "
        f"pair of {src_length[row]} source and {tgt_length[row]} target words"
    )
    if (i, j) == (src_length[row], tgt_length[row]):
        text += f", {END_OF_SENTENCE}"
    return int(sid[row]), text, (i, j)


def tidied(batch: pa.RecordBatch, reading: Reading) -> pa.RecordBatch:
    """Return a batch with its links sorted, unique, and in source-target order."""
    links = to_links(batch.column("links"))
    column = _in_order(links, reading)
    if PROBABILITIES in batch.schema.names:
        at = batch.schema.get_field_index(PROBABILITIES)
        values = _in_same_order(links, batch.column(at).flatten(), column, reading)
        batch = batch.set_column(at, PROBABILITIES, values)
    return batch.set_column(batch.schema.get_field_index("links"), "links", column)


def _in_same_order(
    links: Links, values: pa.Array, tidied_links: pa.ListArray, reading: Reading
) -> pa.ListArray:
    """Return the value of each link for links that were sorted and freed of repeats."""
    sizes = links.sizes()
    flat = np.concatenate([np.zeros(0, np.int64), *map(np.arange, links.starts, links.ends)])
    row = np.repeat(np.arange(sizes.size), sizes)
    ends = [positions[flat.astype(np.int64)] for positions in (links.i, links.j)]
    ends = ends if reading.order == "src-tgt" else ends[::-1]
    order = np.lexsort((ends[1], ends[0], row))
    keys = np.stack([row, *ends])[:, order]
    # Of repeated links the first counts, as for the links themselves.
    first = np.append([True], (np.diff(keys) != 0).any(axis=0))[: order.size]
    return pa.ListArray.from_arrays(tidied_links.offsets, values.take(pa.array(order[first])))


def _in_order(links: Links, reading: Reading) -> pa.ListArray:
    if reading.order == "tgt-src":
        links = make_links(*swap_sides(*links))
    kept = tidy(links)
    reading.count(kept)
    return links_array(kept.offsets, kept.i, kept.j, kept.sure)


# Number of empty lines beyond which a gap in the numbers is a mistake.
_LARGEST_GAP = 100_000_000


def with_gaps(
    batches: Iterable[pa.RecordBatch],
) -> Iterator[tuple[pa.RecordBatch, I64]]:
    """Yield batches with the number of empty lines before each sentence."""
    line = 0
    for batch in batches:
        sid = sentence_column(batch)
        yield batch, _gaps(sid, line)
        line = int(sid[-1]) + 1 if sid.size else line


def _gaps(sid: I64, line: int) -> I64:
    missing = np.diff(sid, prepend=line - 1) - 1
    if (missing < 0).any():
        at = int(np.argmax(missing < 0))
        raise InputError(
            f"sentence {sid[at]} follows sentence {sid[at - 1] if at else line - 1}",
            expected="sentences in ascending order, each once",
            todo="sort the table by sid, and choose one system",
        )
    if (missing > _LARGEST_GAP).any():
        at = int(np.argmax(missing > _LARGEST_GAP))
        raise InputError(
            f"{number_of(missing[at], 'sentence')} left out before sentence {sid[at]}",
            expected="sentence numbers without huge gaps: each becomes an empty line",
            todo="write naacl or parquet, which hold sentence numbers",
        )
    return missing


def are_links(text: str) -> bool:
    """Whether a text consists of zero or more links."""
    return all(LINK.fullmatch(word) for word in text.split())


@dataclass(frozen=True)
class LinkFormat:
    """A format of links: how its files are recognised, read and written, and what they hold."""

    # Yields the batches of a file.
    read: Callable[[TextFile, Reading], Iterator[pa.RecordBatch]]
    # Whether a line, the first that is not blank, looks like it.
    begins: Callable[[str], bool] | None = None
    # Writes batches to a binary file; with `has_base` it takes the number of the first word.
    write: Callable[..., None] | None = None
    # Finds the line of a sentence, or of one of its links (i, j), where sentences have ids.
    line_of: Callable[..., int | None] | None = None
    has_base: bool = False  # positions may count from 0 or from 1
    has_labels: bool = False
    has_words: bool = False
    has_probabilities: bool = False
    # Sentences have numbers, so that some may be left out. If not, each is one line.
    has_ids: bool = False
    has_empty: bool = True  # it can hold sentences without links

    def line(
        self,
        file: TextFile,
        sid: int,
        reading: Reading,
        link: tuple[int, int] | None = None,
    ) -> int | None:
        """Return the line of a sentence, or of one of its links, if known."""
        if self.line_of is not None:
            return self.line_of(file, sid, reading, link)
        return None if self.has_ids else sid + reading.first_line
