"""Carrying links from one splitting of a text to another, as from words to subwords."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import wraps
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import F64, I64, Bools, Links
from alignframe.core.arrow import links_array, to_links
from alignframe.core.choices import SPLITTINGS
from alignframe.core.keys import sentence_column
from alignframe.core.schemas import ALIGNMENTS, SYSTEM
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError, check_known, number_of, warn
from alignframe.formats.raw import raw_sides, words_hint
from alignframe.formats.rows import inside_only, left_outside
from alignframe.functions.splittings import (
    SAME_TEXT,
    Carried,
    Side,
    as_characters,
    carried,
    fitting,
    shared,
)
from alignframe.kernels.ragged import tidy
from alignframe.links.beside import TextBeside
from alignframe.links.inputs import links_source
from alignframe.links.miscounted import longer_than_linked, longer_than_reached
from alignframe.links.text import refuse_outside, system_of
from alignframe.options import checked
from alignframe.read.nested import PROBABILITIES, also_kept, without_improbable
from alignframe.sources.source import Source
from alignframe.typing import ForInput, ForOutput, IntoBitext, IntoLinks, Rare

# The number of sentences whose tokens are compared at a time.
_ROWS = 20_000
# The number of sentences that another splitting must fit.
_TRIED = 1000
_SKIP_HINT = "leave links of such sentences out with `skip_differing`"


@checked
def retokenize(
    links: IntoLinks,
    text: IntoBitext,
    new: IntoBitext | tuple[object, object] | None = None,
    *,
    splitting: ForInput[str] = "auto",
    new_splitting: ForInput[str] = "auto",
    drop_outside: Rare[bool] = False,
    skip_differing: Rare[bool] = False,
    with_words: ForOutput[bool] = False,
    encoding: ForInput[str] = "utf-8",
) -> pl.DataFrame:
    """Carry links to another splitting of their text, such as from words to subwords, or back.

    A link becomes one of all tokens that share a character with its own.

    Parameters
    ----------
    links
        Links of one or more systems: a frame or a path.
    text
        The tokens that links count: a frame with sid, src and tgt, its path, or both sides. Texts
        in it may have spans of tokens, src_spans and tgt_spans: lists of {start, end}, or pairs.
    new
        Those that they shall count, of the same text; in a tuple of both sides, None for a side
        that stays as it is.
    splitting
        How the text is split: auto (by the marks that each sentence has), spaces (without marks),
        sentencepiece (▁ before words), subword-nmt (@@ after parts of words), wordpieces (## before
        them) or characters (all but white space). Two names with a comma are for SRC,TGT.
    new_splitting
        How the new text is split, in the same way. Without a new text, characters are those of the
        old one.
    drop_outside
        Leave out links one past the last token, such as of the end of sentence; by default they
        lead there in the new text, too, or to its </s>. Without it, links further outside are an
        error.
    skip_differing
        Leave sentences whose texts differ without links; by default an error.
    with_words
        Also give the new tokens.
    encoding
        Encoding of text files.

    Returns
    -------
    polars.DataFrame
        The columns system, sid and links, one row per sentence; probabilities if the links have
        them, and with ``with_words`` src and tgt. Of two labels Sure wins, of two probabilities the
        larger one.

    Raises
    ------
    InputError
        If the texts of a sentence differ in more than splitting, case, accents and the Unicode form
        NFKC, a text lacks a sentence, or a link lies outside.

    Examples
    --------
    >>> from alignframe import links
    >>> words, pieces = (["the mill", "le moulin"], ["▁the ▁mi ll", "▁le ▁mou lin"])
    >>> text, new = ([side] for side in words), ([side] for side in pieces)
    >>> links.retokenize(["0-0 1-1"], tuple(text), tuple(new))["links"].list.len().to_list()
    [5]
    """
    made = retokenized(
        links,
        text,
        new,
        splitting=splitting,
        new_splitting=new_splitting,
        drop_outside=drop_outside,
        skip_differing=skip_differing,
        with_words=with_words,
        encoding=encoding,
    )
    batches = list(made.batches())
    table = pa.Table.from_batches(batches) if batches else ALIGNMENTS.empty_table()
    return pl.DataFrame(pl.from_arrow(table)).with_columns(pl.col("system").cast(pl.String))


@wraps(retokenize)
def retokenized(
    links: IntoLinks,
    text: IntoBitext,
    new: IntoBitext | tuple[object, object] | None = None,
    *,
    splitting: str = "auto",
    new_splitting: str = "auto",
    drop_outside: bool = False,
    skip_differing: bool = False,
    with_words: bool = False,
    encoding: str = "utf-8",
) -> Carrying:
    """Return what yields the result of ``retokenize``, some sentences at a time."""
    source = links_source(links)
    hows = _names("splitting", splitting), _names("new_splitting", new_splitting)
    texts = _Texts(text, new, hows, encoding)
    return Carrying(source, texts, drop_outside, skip_differing, with_words)


def _names(option: str, given: str) -> list[str]:
    """Return the splitting of each side."""
    names = str(given).split(",")
    for name in names:
        check_known(f"`{option}`", name, SPLITTINGS)
    if len(names) > 2:
        raise InputError(f"`{option}` is {given!r}", expected="one name, or two for SRC,TGT")
    return [names[0], names[-1]]


class Carrying:
    """Carries the links of batches, and counts what is left out."""

    def __init__(
        self, source: Source, texts: _Texts, drop: bool, skip: bool, with_words: bool
    ) -> None:
        self.source, self.texts = source, texts
        self.drop, self.skip, self.with_words = drop, skip, with_words
        self.outside = self.past = self.lost = self.skipped = 0
        self.hint: str | None = None  # advice on the old text, once it was read
        self.first = 0

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the links of the new splitting; then warn of what is left out."""
        source, texts = self.source, self.texts
        keep = [name for name in also_kept(source.schema) if name == PROBABILITIES]
        for wide in source.batches(keep, labels=True):
            for start in range(0, wide.num_rows, _ROWS):
                batch = wide.slice(start, _ROWS)
                sides = texts.sides(sentence_column(batch), source.title)
                if self.hint is None:
                    self.hint = texts.hint
                    texts.warn_of_words(to_links(batch.column("links")), source.title, sides)
                made = self._carry(batch, sides)
                for name, side in zip(SIDES, sides, strict=True) if self.with_words else ():
                    made = made.append_column(name, side.new)
                yield made
        texts.check_ends()
        self._warn()

    def _carry(self, batch: pa.RecordBatch, sides: list[Side]) -> pa.RecordBatch:
        """Return a batch with the links of the new splitting."""
        sid = sentence_column(batch)
        if PROBABILITIES in batch.schema.names:
            batch = without_improbable(batch, None)  # as many as links
        old = [np.diff(side.at) for side in sides]
        if self.drop:
            batch, outside = inside_only(batch, *old)
            self.outside += outside
        links = to_links(batch.column("links"))
        name = system_of(batch) if self.source.name == "a table" else self.source.name
        refuse_outside(links, sid, old, name, droppable=True, past=1, hint=self.hint or "")
        differing = self._differing(sid, sides)
        found = carried(links, *sides)
        self.lost += int(found.lost[~differing].sum())
        new = [np.diff(side.new_at) for side in sides]
        self.past += _past(links, found, old, new)
        kept = tidy(found.links)
        labels = "sure" in {field.name for field in batch.schema.field("links").type.value_type}
        columns = {
            "system": batch.column("system").cast(SYSTEM),
            "sid": pa.array(sid),
            "links": links_array(kept.offsets, kept.i, kept.j, kept.sure if labels else None),
        }
        if PROBABILITIES in batch.schema.names:
            shares = batch.column(PROBABILITIES).flatten()
            own = shares.take(pa.array(found.origins - links.starts[0]))
            chosen = own.take(pa.array(_likeliest(found.links, own.to_numpy(zero_copy_only=False))))
            offsets = pa.array(kept.offsets, pa.int32())
            columns[PROBABILITIES] = pa.ListArray.from_arrays(offsets, chosen)
        made = pa.record_batch(columns)
        if self.drop:
            made, outside = inside_only(made, *new)
            self.outside += outside
        return made

    def _differing(self, sid: I64, sides: list[Side]) -> Bools:
        """Return the sentences whose texts differ, which are refused unless skipped."""
        differing = sides[0].differing() | sides[1].differing()
        if differing.any():
            at = int(differing.argmax())
            if not self.skip:
                k = next(k for k, side in enumerate(sides) if side.differing()[at])
                path, line = self.texts.new.place(SIDES[k], int(sid[at]))
                raise InputError(
                    f"sentence {sid[at]} (counted from 0): {sides[k].difference(at, SIDES[k])}",
                    expected=SAME_TEXT,
                    todo=self.texts.wrong_splitting(k, sides[k]) or _SKIP_HINT,
                    path=path,
                    line=line,
                )
            self.first = self.first if self.skipped else int(sid[at])
            self.skipped += int(differing.sum())
        return differing

    def _warn(self) -> None:
        """Warn of all that was left out, and of links of the end of sentence."""
        name, past = self.source.title, 0 if self.source.note("nulls") else self.past
        skipped = number_of(self.skipped, "sentence")
        said = {
            left_outside(self.outside): self.outside,
            f"{number_of(past, 'link')} one past the last token of a side, as of the end of "
            "sentence, carried to that of the new text (`drop_outside` leaves them out)": past,
            f"left out {number_of(self.lost, 'link')} of tokens without a character in the new "
            "text, such as <s>": self.lost,
            f"{skipped} whose texts differ left without links, the first is {self.first} (counted "
            "from 0)": self.skipped,
        }
        for text in (text for text, number in said.items() if number):
            warn(f"{name}: {text}")


def _past(links: Links, found: Carried, old: Sequence[I64], new: Sequence[I64]) -> int:
    """Return how many links are past the last token, of the old text or of the new one."""
    past = _are_past(links, old)
    start = int(links.starts[0]) if links.rows else 0
    past[found.origins[_are_past(found.links, new)] - start] = True
    return int(past.sum())


def _are_past(links: Links, lengths: Sequence[I64]) -> Bools:
    """Whether each link is past the last token of a side."""
    rows = np.repeat(np.arange(links.rows), links.sizes())
    own = slice(int(links.starts[0]), int(links.ends[-1])) if links.rows else slice(0)
    past: Bools = (links.i[own] >= lengths[0][rows]) | (links.j[own] >= lengths[1][rows])
    return past


def _likeliest(links: Links, shares: F64) -> I64:
    """Return the most probable of equal links, in the order of sorted ones."""
    rows = np.repeat(np.arange(links.rows), links.sizes())
    order: I64 = np.lexsort((-shares, links.j, links.i, rows))
    keys = np.stack([rows, links.i, links.j])[:, order]
    first = np.append(True, (np.diff(keys) != 0).any(axis=0))[: order.size]
    likeliest: I64 = order[first]
    return likeliest


class _Texts:
    """The old and the new tokens of sentences."""

    def __init__(
        self, text: Any, new: Any, hows: tuple[list[str], list[str]], encoding: str
    ) -> None:
        self.hows = hows
        given = [True, True] if new is not None else [False, False]
        if isinstance(new, tuple) and any(side is None for side in new):
            given = [side is not None for side in new]
            if not isinstance(text, tuple):
                raise InputError(
                    "one side of a new text beside both sides of the old one in one table",
                    expected="both sides of the new one, or the old one as two sides",
                )
            new = tuple(own if own is not None else old for own, old in zip(new, text, strict=True))
        if not any(given) and "characters" not in hows[1]:
            raise InputError("no new text", expected="`new`, or `new_splitting='characters'`")
        self.given = given
        self.hint: str | None = None
        self.units: dict[str, pa.Array] = {}  # of sides of which links count characters
        self.old = TextBeside(text, "the text", encoding)
        self.new = TextBeside(new, "the new text", encoding) if any(given) else self.old
        self.are_lists = isinstance(text, tuple) and isinstance(new, tuple)

    def sides(self, sid: I64, name: str) -> list[Side]:
        """Return what both splittings share, on both sides of sentences."""
        old = self.old.take(sid, name)
        new = old if self.new is self.old else self.new.take(sid, name)
        if self.hint is None:
            self._begin(old, new)
        made = []
        for own, other, given, how, new_how in zip(old, new, self.given, *self.hows, strict=True):
            if how == "characters":
                own = as_characters(own, "spaces")
            if new_how == "characters":
                other = as_characters(other, "spaces") if given else as_characters(own, how)
            elif not given:
                other, new_how = own, how
            made.append(shared(own, other, how, new_how))
        return made

    def _begin(self, old: Sequence[pa.Array], new: Sequence[pa.Array]) -> None:
        """Keep advice on the old text, and warn of a new one that nobody split."""
        chosen = [dict(zip(SIDES, hows, strict=True)) for hows in self.hows]
        as_words = [{side for side in SIDES if own[side] != "characters"} for own in chosen]
        raw = [side for side in raw_sides(old) if side in as_words[0]]
        self.hint = words_hint(raw, self.old.source.frame)
        self.units = {side: old[k] for k, side in enumerate(SIDES) if side not in as_words[0]}
        given = {side for side, one in zip(SIDES, self.given, strict=True) if one}
        raw = [side for side in raw_sides(new) if side in as_words[1] & given]
        if raw:
            hint = words_hint(raw, self.new.source.frame)
            warn(f"the new text: {hint}; or `new_splitting='characters'`")

    def warn_of_words(self, links: Links, name: str, sides: list[Side]) -> None:
        """Warn of links that look as if they counted words, not characters or subwords."""
        for side, one in zip(SIDES, sides, strict=True):
            number = 0 if side in self.units else longer_than_reached(links, side, *one.sizes())
            if number:
                warn(
                    f"{name}: no link of {side} is beyond the tokens of the new text, though "
                    f"{number_of(number, 'sentence')} have far more in the old one; the links seem "
                    "to count the new tokens already: give the text whose tokens they count"
                )
        for side, units in self.units.items():
            number = longer_than_linked(links, units, side)
            if number:
                warn(
                    f"{name}: no link of {side} is beyond the words of its sentence, though "
                    f"{number_of(number, 'sentence')} have far more characters; links of "
                    f"words are other links: {words_hint([side], self.old.source.frame)}"
                )

    def wrong_splitting(self, k: int, side: Side) -> str:
        """Return the advice to name another splitting of a side, if its texts are then the same."""
        own = self.hows[0][k], self.hows[1][k]
        found = fitting(side.old[:_TRIED], side.new[:_TRIED], *own)
        if found is None:
            return ""
        at = int(found[1] != own[1])
        option, text = (("splitting", "text"), ("new_splitting", "new text"))[at]
        fits = "the marks of each sentence fit" if found[at] == "auto" else f"{found[at]} fits"
        return (
            f"{SIDES[k]} of the {text} is not split as {own[at]}, but {fits}: correct `{option}`, "
            "or leave it out"
        )

    def check_ends(self) -> None:
        """Refuse texts of lines, if one has more of them."""
        if self.new is not self.old and self.are_lists:
            sizes = self.old.size(), self.new.size()
            if sizes[0] != sizes[1]:
                raise InputError(
                    f"the text has {number_of(sizes[0], 'sentence')}, the new text {sizes[1]:,}",
                    expected="the same sentences in both",
                )
