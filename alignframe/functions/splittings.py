"""Links between the tokens of one splitting of a text as links between those of another."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I32, I64, U8, Bools, Links, frozen, make_links
from alignframe.core.arrow import as_array, links_array, to_links
from alignframe.core.choices import SPLITTINGS
from alignframe.core.schemas import MAX_POSITION, TOKENS
from alignframe.core.tokens import SIDES, composed, list_lengths, words_of
from alignframe.errors import InputError
from alignframe.formats.rows import outside_range
from alignframe.functions.row import missing_rows, same_length
from alignframe.functions.sequences import respelt
from alignframe.kernels.links.retokenize import (
    ACCENT,
    BEGIN,
    CONTINUED,
    END,
    INSIDE,
    PIECE,
    SAME,
    SPECIAL,
    UNKNOWN,
    UNSEEN,
    carry_links,
    shared_tokens,
    splittings_of,
)
from alignframe.kernels.ragged import tidy

_PIECE = "\u2581"
_SPECIAL = {
    **dict.fromkeys(("<unk>", "[UNK]", "<UNK>"), UNKNOWN),
    **dict.fromkeys(("<s>", "[CLS]", "<cls>", "<bos>"), BEGIN | SPECIAL),
    **dict.fromkeys(("</s>", "[SEP]", "<sep>", "<eos>"), END | SPECIAL),
    **dict.fromkeys(("<pad>", "[PAD]"), SPECIAL),
}
_BYTE = r"^<0x[0-9A-Fa-f]{2}>$"
# No character, so that it can part others.
_BETWEEN = "\uffff"
_IGNORED = 1
_BITS = {"Mn": ACCENT, **dict.fromkeys(("Zs", "Zl", "Zp", "Cc", "Cf"), UNSEEN)}


def retokenize(
    links: pa.Array, src: pa.Array, tgt: pa.Array, new_src: pa.Array, new_tgt: pa.Array
) -> pa.Array:
    """Carry links of one splitting of a sentence pair to another.

    A link becomes one of all tokens that share a character with its own. The marks of
    sentencepiece, subword-nmt and wordpieces are recognised in each sentence.

    Parameters
    ----------
    links
        list<struct<i, j>>, perhaps with sure.
    src, tgt
        The tokens that links count, as lists.
    new_src, new_tgt
        Those that they shall count.

    Returns
    -------
    pyarrow.ListArray
        list<struct<i, j, sure>>, sorted; of two labels Sure wins. Null where any argument is.

    Raises
    ------
    InputError
        If the texts of a sentence differ, or a link lies outside of it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> words, tgt, pieces = (pa.array([[*text.split()]]) for text in ("a mill", "x", "▁a ▁mi ll"))
    >>> links = functions.parse_links(pa.array(["1-0"]))
    >>> made = functions.retokenize(links, words, tgt, pieces, tgt)
    >>> functions.format_links(made).to_pylist()
    ['1-0 2-0']
    """
    columns = [as_array(column) for column in (links, src, tgt, new_src, new_tgt)]
    same_length(*columns)
    missing = missing_rows(*columns)
    rows = np.arange(len(columns[0]))
    if missing is not None:
        kept = pc.invert(missing)
        rows = np.flatnonzero(kept.to_numpy(zero_copy_only=False))
        columns = [column.filter(kept) for column in columns]
    links, src, tgt, new_src, new_tgt = columns
    given = to_links(links)
    outside = outside_range(given, rows, list_lengths(src), list_lengths(tgt), past=1)
    if outside:
        raise InputError(f"row {outside[0]}: {outside[1]}")
    sides = [shared(old, new) for old, new in ((src, new_src), (tgt, new_tgt))]
    for name, side in zip(SIDES, sides, strict=True):
        at = side.first_differing()
        if at is not None:
            raise InputError(f"row {rows[at]}: {side.difference(at, name)}", expected=SAME_TEXT)
    tidied = tidy(carried(given, *sides).links)
    made = links_array(tidied.offsets, tidied.i, tidied.j, tidied.sure)
    if missing is None:
        return made
    places = np.full(len(missing), -1)
    places[rows] = np.arange(rows.size)
    return made.take(pa.array(places, mask=places < 0))


SAME_TEXT = "the same text, split otherwise"


class Side(NamedTuple):
    """Which tokens of a new splitting share characters with those of an old one."""

    old: pa.Array
    new: pa.Array
    at: I64
    new_at: I64
    low: I32
    high: I32
    filled: U8
    differs: I32

    def differing(self) -> Bools:
        """Whether the texts of each sentence differ."""
        found: Bools = self.differs[:, 0] >= 0
        return found

    def sizes(self) -> tuple[I64, I64]:
        """Return how many old and new tokens each sentence has, up to the last with characters."""
        rows = np.repeat(np.arange(len(self.old)), np.diff(self.at))
        # A place for the end of sentence follows its tokens.
        at = np.arange(rows.size) + rows
        found = np.zeros(len(self.old), np.int64)
        seen = np.flatnonzero(self.high[at] > self.low[at])
        np.maximum.at(found, rows[seen], seen - self.at[rows[seen]] + 1)
        return found, np.diff(self.new_at)

    def first_differing(self) -> int | None:
        """Return the first sentence whose texts differ, if any."""
        found = self.differing()
        return int(found.argmax()) if found.any() else None

    def difference(self, row: int, name: str) -> str:
        """Say where the texts of a sentence differ."""
        place, *tokens = self.differs[row].tolist()
        old, new = (
            " ".join(column[row].as_py()[max(token - 3, 0) : token + 4])
            for column, token in zip((self.old, self.new), tokens, strict=True)
        )
        return (
            f"both texts of {name} differ at character {place + 1} (without spaces): "
            f"{old[:60]!r}, and {new[:60]!r} in the new one"
        )


def shared(old: pa.Array, new: pa.Array, how: str = "auto", new_how: str = "auto") -> Side:
    """Return which tokens of two columns of lists share characters, row by row."""
    flat = [words_of(column).cast(pa.string()) for column in (old, new)]
    if any(words.null_count for words in flat):
        raise InputError("a missing word", expected="every word of a sentence")
    bounds = _bounds(old), _bounds(new)
    codes, spelt, points, roles = _encoded(flat, bounds)
    if any(np.diff(at).max(initial=0) > MAX_POSITION for at in bounds):
        most = max(int(np.diff(at).max()) for at in bounds)
        raise InputError(f"a sentence of {most:,} tokens", expected=f"{MAX_POSITION:,} or fewer")
    hows = [frozen(np.full(len(old), _number(name), np.int64)) for name in (how, new_how)]
    low, high, filled, differs = shared_tokens(
        (bounds[0], codes[0]), (bounds[1], codes[1]), spelt, points, roles, *hows
    )
    return Side(old, new, *bounds, frozen(low), frozen(high), frozen(filled), differs)


def fitting(old: pa.Array, new: pa.Array, how: str, new_how: str) -> tuple[str, str] | None:
    """Return the splittings by which the texts of all rows are the same, if one more fits."""
    names = [name for name in SPLITTINGS if name != "characters"]
    pairs = [*((how, name) for name in names), *((name, new_how) for name in names)]
    return next((pair for pair in pairs if not shared(old, new, *pair).differing().any()), None)


def _number(name: str) -> int:
    # Characters are tokens without marks.
    return SPLITTINGS.index("spaces" if name == "characters" else name)


def _bounds(column: pa.Array) -> I64:
    return frozen(np.append(0, np.cumsum(list_lengths(column))).astype(np.int64))


class Carried(NamedTuple):
    """Links of a new splitting, unsorted, the link that each is from, and how many have none."""

    links: Links
    origins: I64
    lost: I64


def carried(links: Links, src: Side, tgt: Side) -> Carried:
    """Carry the links of sentences; none may be beyond the place after the last token."""
    sides = [(side.at, side.low, side.high, side.new_at, side.filled) for side in (src, tgt)]
    *made, origins, lost = carry_links(*links, *sides)
    return Carried(make_links(*made), origins, lost)


def as_characters(column: pa.Array, how: str = "auto") -> pa.Array:
    """Return sentences as lists of their characters, without spaces and marks of a splitting."""
    words = [composed(words_of(column).cast(pa.string()))]
    at = [_bounds(column)]
    if how == "auto":
        (codes,), _, _, roles = _encoded(words, at)
        kinds = splittings_of(at[0], codes, roles)
    else:
        kinds = np.full(len(column), _number(how))
    plain = pa.ListArray.from_arrays(pa.array(at[0], pa.int32()), words[0])
    return respelt(plain, np.repeat(kinds - 1, np.diff(at[0])), _pieces).cast(TOKENS)


def _pieces(words: list[str], kinds: list[int]) -> list[list[str]]:
    return [
        [] if kind and word in _SPECIAL else [c for c in _bare(word, kind + 1) if not c.isspace()]
        for word, kind in zip(words, kinds, strict=True)
    ]


def _bare(word: str, how: int) -> str:
    """Return a token without the marks of a splitting."""
    mark = SPLITTINGS[how]
    if mark == "sentencepiece":
        return word.replace(_PIECE, "")
    if mark == "subword-nmt" and len(word) > 2:
        return word.removesuffix("@@")
    return word.removeprefix("##") if mark == "wordpieces" and len(word) > 2 else word


def _encoded(columns: Sequence[pa.Array], bounds: Sequence[I64]) -> tuple[list[I32], I64, I32, U8]:
    """Return the numbers of each column's words, and the points and roles of each number."""
    encoded = pa.concat_arrays(columns).dictionary_encode()
    known = encoded.dictionary
    codes = np.array(encoded.indices.to_numpy(), np.int32)
    is_byte = pc.match_substring_regex(known, _BYTE).to_numpy(zero_copy_only=False)
    letters: list[str] = []
    if is_byte.any():
        starts = np.concatenate(
            [at[:-1] + sum(map(len, columns[:k])) for k, at in enumerate(bounds)]
        )
        letters = _join_bytes(codes, known, is_byte, {*starts.tolist()})
    spelt, points = _folded(pa.concat_arrays([known, pa.array(letters, pa.string())]))
    roles = np.zeros(spelt.size - 1, np.uint8)
    roles[: len(known)] = _roles(known)
    if letters:
        roles[-1] = SAME
    ends = np.cumsum([len(column) for column in columns])[:-1]
    return [frozen(part) for part in np.split(codes, ends)], spelt, points, frozen(roles)


def _join_bytes(codes: I32, known: pa.Array, is_byte: Bools, starts: set[int]) -> list[str]:
    """Give bytes such as ``<0xE2>`` the numbers of the letters that they make; return these.

    A byte within a letter has the last number, which means the letter of the token before.
    """
    letters: dict[str, int] = {}
    within = []
    values = {at: int(known[at].as_py()[3:5], 16) for at in np.flatnonzero(is_byte).tolist()}
    places = np.flatnonzero(is_byte[codes]).tolist()
    block: list[int] = []
    run = bytearray()
    for place, number in zip([*places, -1], [*codes[places].tolist(), -1], strict=True):
        if block and (place != block[-1] + 1 or place in starts):
            first = 0
            for letter in run.decode("utf-8", "replace"):
                size = 1 if letter == "\ufffd" else len(letter.encode())
                codes[block[first]] = letters.setdefault(letter, len(known) + len(letters))
                within += block[first + 1 : first + size]
                first += size
            within += block[first:]
            block, run = [], bytearray()
        block.append(place)
        run.append(values.get(number, 0))
    codes[within] = len(known) + len(letters)
    return [*letters, ""]


def _folded(spellings: pa.Array) -> tuple[I64, I32]:
    """Return the characters of spellings, without case, in the Unicode form NFKD.

    White space and marks of sentencepiece are left out.
    """
    plain = pc.replace_substring(spellings.cast(pa.large_string()), _BETWEEN, "")
    joined = pa.ListArray.from_arrays([0, len(plain)], plain)
    between = pa.scalar(_BETWEEN, plain.type)
    text = pc.binary_join(joined, between)[0].as_py() + _BETWEEN if len(plain) else ""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
    text = unicodedata.normalize("NFKD", text.casefold())
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.int32)
    bits = _bits(points)[points]
    ends = np.flatnonzero(points == ord(_BETWEEN))
    kept = bits != _IGNORED
    spelt = np.append(0, np.cumsum(kept)[ends]).astype(np.int64)
    return frozen(spelt), frozen((points | bits)[kept])


def _bits(points: I32) -> I32:
    """Return a table with the bits of each code point that occurs."""
    table = np.zeros(0x110000, np.int32)
    table[points] = 1
    for point in np.flatnonzero(table).tolist():
        category = unicodedata.category(chr(point))
        table[point] = _BITS.get(category, 0)
    table[[ord(" "), ord(_PIECE), ord(_BETWEEN)]] = _IGNORED
    return table


def _roles(known: pa.Array) -> U8:
    """Return the roles of spellings; see ``kernels.links.retokenize``."""
    roles = np.zeros(len(known), np.uint8)
    longer = pc.greater(pc.utf8_length(known), 2)
    for bit, found in (
        (PIECE, pc.or_(pc.starts_with(known, _PIECE), pc.ends_with(known, _PIECE))),
        (CONTINUED, pc.and_(pc.ends_with(known, "@@"), longer)),
        (INSIDE, pc.and_(pc.starts_with(known, "##"), longer)),
    ):
        roles[found.to_numpy(zero_copy_only=False)] |= bit
    which = pc.index_in(known, value_set=pa.array(_SPECIAL))
    found = which.is_valid().to_numpy(zero_copy_only=False)
    bits = np.array([*_SPECIAL.values()], np.uint8)
    roles[found] |= bits[which.drop_null().to_numpy()]
    return roles
