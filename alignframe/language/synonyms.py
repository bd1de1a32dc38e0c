"""Synonyms as a hash set of pairs of lemmas, for kernels."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

import numpy as np
import polars as pl

from alignframe.core.arrays import I32, I64, U64, frozen
from alignframe.errors import InputError
from alignframe.kernels.tesla.bags import fill_pairs
from alignframe.language.wordnet import WordNet, read_wordnet
from alignframe.read.lines import BLANKS, TextFile
from alignframe.stores.store import file_mark

_LOW = np.uint64(0xFFFFFFFF)
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Synonyms:
    """Pairs of lemmas that are synonyms of each other.

    Parameters
    ----------
    lemmas
        The known lemmas, in lower case; a lemma's number is its index here.
    signatures
        A hashed bit for each synonym group of a lemma; lemmas without a common bit are not
        synonyms. Shape (lemmas,).
    table
        Hash set with linear probing, 0 where empty, at most half full; its size is a power of two.
        A pair a < b has the key ``(a << 32 | b) + 1``, in the slot ``(key * 0x9E3779B97F4A7C15 mod
        2**64) >> (64 - log2 size)`` or the next free one.
    pairs
        Number of pairs.
    signature
        The part of a score's signature: ``wordnet-3.0``, a table's name, size and digest, or
        ``none``.

    Examples
    --------
    >>> from alignframe.language import synonyms_of
    >>> synonyms_of("none").signature
    'none'
    """

    lemmas: pl.Series
    signatures: U64
    table: U64
    pairs: int
    signature: str

    @functools.cached_property
    def _numbers(self) -> dict[str, int]:
        return {lemma: number for number, lemma in enumerate(self.lemmas)}

    @functools.cached_property
    def _keys(self) -> U64:
        """The table's keys in ascending order, to look up a few without a kernel."""
        return np.sort(self.table)

    def numbers(self, lemmas: Iterable[str]) -> I32:
        """Return the number of each lemma, -1 if unknown."""
        return np.array([self._numbers.get(lemma, -1) for lemma in lemmas], np.int32)

    @classmethod
    def none(cls) -> Synonyms:
        """Return an empty set."""
        return cls.from_groups([], np.zeros(0, np.int64), "none")

    @classmethod
    def from_wordnet(cls, wordnet: WordNet) -> Synonyms:
        """Return the pairs of lemmas that share a synset, of any part of speech.

        Multiword lemmas (``hot_dog``) are left out, because tokens are single words.
        """
        letters = {"n": 0, "v": 1, "a": 2, "r": 3}
        # Lemmas of several words have underscores; no token is one of them.
        senses = wordnet.senses.filter(~pl.col("lemma").str.contains("_", literal=True))
        numbers = senses["synset"] * len(letters) + senses["pos"].replace_strict(letters)
        return cls.from_groups(senses["lemma"], numbers.to_numpy(), f"wordnet-{wordnet.version}")

    @classmethod
    def from_pairs(
        cls, left: Sequence[str] | pl.Series, right: Sequence[str] | pl.Series, name: str
    ) -> Synonyms:
        """Return given pairs of synonyms, in lower case; ``name`` goes into the signature.

        Raises
        ------
        InputError
            If the sides differ in length, or a lemma is null.
        """
        if None in left or None in right:
            raise InputError("a missing lemma", expected="pairs of synonyms")
        # Lower-cased by Python, like lemmas: others treat final sigma and dotted I differently.
        sides = [[text.lower() for text in side] for side in (left, right)]
        if len(sides[0]) != len(sides[1]):
            raise InputError(
                f"{len(sides[0]):,} lemmas on the left, {len(sides[1]):,} on the right",
                expected="pairs of synonyms",
            )
        groups = np.tile(np.arange(len(sides[0]), dtype=np.int64), 2)
        return cls.from_groups([*sides[0], *sides[1]], groups, name, sized=True)

    @classmethod
    def from_groups(
        cls, members: Sequence[str] | pl.Series, groups: I64, name: str, sized: bool = False
    ) -> Synonyms:
        """Return the pairs of distinct members that share a group.

        Parameters
        ----------
        members, groups
            Lemmas and the number of a group of each, of equal length.
        name
            The name in the signature; ``sized`` adds the number of pairs and, if there are any, a
            digest of them.
        """
        given = pl.Series("lemma", members, pl.String)
        lemmas = given.unique(maintain_order=True)
        known = lemmas.to_frame().with_row_index("number")
        frame = (
            pl.DataFrame({"lemma": given, "group": groups})
            .join(known, on="lemma", maintain_order="left")
            .select(pl.col("number").cast(pl.UInt64).alias("lemma"), "group")
            .unique()
        )
        frame = frame.filter(pl.len().over("group") > 1)
        pairs = frame.join(frame, on="group", suffix="_other")
        pairs = pairs.filter(pl.col("lemma") < pl.col("lemma_other"))
        first, second = (pairs[name].to_numpy() for name in ("lemma", "lemma_other"))
        # Keys are above 0, which marks a free place of the table; that is at most half full.
        keys = np.unique((first << np.uint64(32) | second) + np.uint64(1))
        table = np.zeros(max(2, 1 << (2 * keys.size - 1).bit_length()), np.uint64)
        fill_pairs(keys, table)
        if sized:
            name = f"{name}-{keys.size}{_digest(lemmas, keys)}"
        return cls(
            lemmas,
            frozen(_signatures(frame, len(lemmas))),
            frozen(table),
            keys.size,
            name,
        )


def _digest(lemmas: pl.Series, keys: U64) -> str:
    """Return a dash and a short digest of pairs, independent of their order."""
    if not keys.size:
        return ""
    places = keys - np.uint64(1)
    sides = (places >> np.uint64(32), places & _LOW)
    frame = pl.DataFrame(
        {name: lemmas[at] for name, at in zip(("one", "other"), sides, strict=True)}
    )
    ordered = frame.select(
        low=pl.min_horizontal("one", "other"), high=pl.max_horizontal("one", "other")
    ).sort("low", "high")
    return f"-{hashlib.sha256(ordered.write_csv().encode()).hexdigest()[:8]}"


def _signatures(frame: pl.DataFrame, lemmas: int) -> U64:
    """Return a bit for each group of a lemma."""
    groups = frame["group"].to_numpy().astype(np.uint64)
    # Fibonacci hashing: lemmas without a common bit share no group, which is quick to see.
    bits = np.uint64(1) << ((groups + np.uint64(1)) * _MIX >> np.uint64(58))
    signatures = np.zeros(lemmas, np.uint64)
    np.bitwise_or.at(signatures, frame["lemma"].to_numpy(), bits)
    return signatures


def read_synonyms(path: str | PathLike[str], encoding: str = "utf-8") -> Synonyms:
    """Read synonyms: one group per line, its lemmas separated by tabs.

    All lemmas on a line ``car<TAB>auto<TAB>automobile`` are synonyms of each other; a file with two
    columns lists pairs. Case is ignored, and so are blank lines and those that begin with ``#``.

    Raises
    ------
    InputError
        If the file cannot be read, or a line has fewer than two lemmas; gives file and line.

    Examples
    --------
    >>> from pathlib import Path
    >>> from alignframe import language
    >>> _ = Path("synonyms.tsv").write_text(chr(9).join(["car", "auto", "automobile"]))
    >>> language.read_synonyms("synonyms.tsv").pairs
    3
    """
    members: list[str] = []
    groups: list[int] = []
    for number, line in TextFile(path, encoding).lines():
        if not line.strip(BLANKS) or line[0] == "#":
            continue
        cells = [cell.strip(BLANKS) for cell in line.rstrip("\t").split("\t")]
        if len(cells) < 2 or not all(cells):
            raise InputError(
                f"{line[:60]!r} is not a group of synonyms",
                path=path,
                line=number,
                expected="two or more tab-separated lemmas",
            )
        members += [cell.lower() for cell in cells]
        groups += [number] * len(cells)
    name = Path(fspath(path)).name
    return Synonyms.from_groups(members, np.array(groups, np.int64), name, sized=True)


def synonyms_of(spec: str, wordnet: str | PathLike[str] | None = None) -> Synonyms:
    """Return the synonyms of ``wordnet``, ``none``, or a file, read once per process.

    Parameters
    ----------
    spec
        ``wordnet``, ``none``, or the path of a file for ``read_synonyms``.
    wordnet
        The folder or zip file of WordNet's database, see ``find_wordnet``.

    Raises
    ------
    InputError
        If WordNet or the file is missing or damaged.

    Examples
    --------
    >>> from alignframe import language
    >>> language.synonyms_of("none").pairs
    0
    """
    if spec == "none":
        return Synonyms.none()
    if spec == "wordnet":
        return _of_wordnet(read_wordnet(wordnet))
    if not os.path.exists(spec):  # noqa: PTH110 - also of a name that is too long
        raise InputError(
            "no such file of synonyms",
            path=spec,
            expected="wordnet, none, or a file with one group per line: car<TAB>automobile",
            todo="omit `synonyms` to use WordNet for English, or the synonyms that "
            "alignframe tesla tags learns from a bitext",
        )
    return _of_file(spec, file_mark(spec))


@functools.lru_cache(maxsize=4)
def _of_wordnet(wordnet: WordNet) -> Synonyms:
    return Synonyms.from_wordnet(wordnet)


@functools.lru_cache(maxsize=4)
def _of_file(path: str, _: str) -> Synonyms:
    return read_synonyms(path)
