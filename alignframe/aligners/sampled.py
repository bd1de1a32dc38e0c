"""Models trained by sampling: counts of links, used to align other text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar

import numpy as np
import pyarrow as pa

from alignframe.aligners.ibm1 import opposite_alike
from alignframe.aligners.kept import Kept
from alignframe.aligners.stems import KnownForms, known_forms
from alignframe.aligners.text import Text, TextSide
from alignframe.aligners.training_pairs import Paired
from alignframe.aligners.translations import Translations, Vocabularies
from alignframe.core.arrays import F32, F64, I32, I64, Array, frozen
from alignframe.core.parallel import parallel_map
from alignframe.errors import InputError
from alignframe.kernels.aligners import slots
from alignframe.kernels.aligners.expected_links import Given, expect
from alignframe.kernels.aligners.expected_rounds import BLOCK
from alignframe.kernels.aligners.gibbs import MAX_FERTILITY, MAX_JUMP, MAX_POSITIONS
from alignframe.kernels.aligners.link_weights import Counted, Words
from alignframe.kernels.aligners.similar_words import Similar
from alignframe.kernels.aligners.slots import Packed
from alignframe.kernels.aligners.weighted_links import Weighted, chosen
from alignframe.options.aligners import Bayes

FERTILITY, JUMP = 0.5, 0.5
"""Pseudo-counts of each fertility of a word, and of each jump."""

# Settings that models saved earlier lack, and what these are taken to have.
_LATER = {"spelling": 0.0, "stems": 0.0, "agreement": Bayes().agreement}

# Position pairs of such text weighted at a time: 4 MB.
_AT_A_TIME = 1 << 20

# The factor of probabilities, because even links certain by the model may be wrong.
_TRUST = 0.97

# The factor of NULL's probability in other text, whose words are less well known.
_NEW_NULL = 2.0


@dataclass(frozen=True)
class Parameters:
    """Counts of links, averaged over several samplers, without pseudo-counts."""

    pairs: Translations  # with counts instead of probabilities
    totals: F64  # sums of the counts of NULL (first) and of each source word
    fertilities: F32
    jumps: F64
    vocabularies: Vocabularies
    null: float
    concentration: float
    spelling: float = 0.0
    stems: float = 0.0
    slots: Kept | None = None  # the probable positions in the training text
    samples: int = 0
    seed: int = 1
    history: Sequence[tuple[str, int, float]] = ()  # the progress of each sampler in turn
    text: Text | None = None
    agreement: float = Bayes().agreement  # how both directions favour each other's links
    new_words: ClassVar[bool] = True  # whose spelling may resemble known ones

    def decode(self, paired: Paired, threshold: float | None = None) -> Iterator[Weighted]:
        """Yield the links of each part; see ``Model.align``."""
        # Links of the training text are those that the samplers drew; links of other text are
        # expectations under the final counts.
        if paired.text is self.text and self.slots is not None:
            places, samples = self.slots, self.samples
        else:
            places, samples = paired.places or expected([self], [paired])[0], 1
        at = paired.text.tgt.at
        for (low, high), some in zip(places.spans, places, strict=True):
            if threshold is None:
                yield chosen(at[low : high + 1], *slots.best(some, samples / _TRUST))
            else:
                yield slots.likely(at[low : high + 1], some, samples / _TRUST, threshold)

    def given(self, text: Text) -> Given:
        """Return a text in its own words, with what is known of these."""
        check_lengths(text)
        (src, rows), (tgt, columns) = (side.of_used_words for side in (text.src, text.tgt))
        return Given(
            src.at,
            src.words,
            tgt.at,
            tgt.words,
            self._counts,
            self._words(rows, columns),
            self._known.forms_of(src, rows, tgt, columns),
            self._similar(text, rows.size),
            np.float32(self.concentration),
            *self._jumps(src),
        )

    def _similar(self, text: Text, n_src: int) -> Similar:
        """Return the pseudo-counts of similarly spelt words."""
        if self.spelling:
            starts, targets, degrees = opposite_alike(text)
            return Similar(starts, targets, frozen(degrees * np.float32(self.spelling)))
        starts, targets = np.zeros(n_src + 1, np.int64), np.zeros(0, np.int32)
        return Similar(frozen(starts), frozen(targets), frozen(np.zeros(0, np.float32)))

    @cached_property
    def _counts(self) -> Counted:
        known = self.pairs.values > 0
        starts = np.append(0, np.cumsum(known))[self.pairs.starts]
        targets, values = self.pairs.targets[known], self.pairs.values[known]
        return Counted(frozen(starts), frozen(targets), frozen(values))

    @cached_property
    def _spread(self) -> F64:
        """The sum of pseudo-counts over the known cells of NULL and each source word."""
        return np.diff(self._counts.starts) * self.concentration

    @cached_property
    def _known(self) -> KnownForms:
        return known_forms(self.vocabularies, self.pairs, self.totals, self.stems)

    def _jumps(self, src: TextSide) -> list[F32]:
        """Return the tables of jumps for the longest sentence of a text."""
        longest = int(np.diff(src.at).max(initial=0))
        known = self._jumps_by_length.get(longest)
        if known is None:
            known = [frozen(np.pad(p, BLOCK)) for p in jump_table(self.jumps, src.at)]
            self._jumps_by_length[longest] = known
        return known

    @cached_property
    def _jumps_by_length(self) -> dict[int, list[F32]]:
        return {}

    @cached_property
    def _by_word(self) -> tuple[F64, F64, F32]:
        """Totals, spreads and growth of each source word, and last of a new one."""
        known = self.totals.size - 2  # the words, without NULL and the unknown one
        totals, spread = np.zeros((2, known + 1))
        totals[:-1] = self.totals[1:-1]
        spread[:-1] = self._spread[1:-1] + self._known.spread[:known]
        fertilities = np.full((known + 1, MAX_FERTILITY + 1), FERTILITY, np.float32)
        fertilities[:-1] += self.fertilities[:known]
        # n(k + 1 | s) / n(k | s), for the k from 0 on.
        return totals, spread, fertilities[:, 1:] / fertilities[:, :-1]

    @cached_property
    def _nulls(self) -> F32:
        """The odds of NULL for each target word, and last for a new one."""
        cells = slice(*self.pairs.starts[:2])  # NULL's
        beside = np.zeros(int(self.pairs.targets.max(initial=0)) + 2)
        beside[self.pairs.targets[cells]] = self.pairs.values[cells]
        # As the sampler has them: share of the word in NULL's row, times p / (1 - p).
        null = (beside + self.concentration) * self.null / (1 - self.null) * _NEW_NULL
        null /= self.totals[0] + max(self._spread[0], self.concentration)
        odds: F32 = null.astype(np.float32)
        return odds

    def _words(self, rows: I32, columns: I32) -> Words:
        """Return the parameters of words by number; new words have the last."""
        totals, spread, growth = self._by_word
        new = totals.size - 1
        numbers = np.full(max(self._nulls.size, int(columns.max(initial=0)) + 1), -1, np.int32)
        numbers[columns] = np.arange(columns.size)
        known = np.minimum(rows, new)
        return Words(
            np.where(rows < new, rows + 1, -1).astype(np.int32),
            totals[known],
            spread[known],
            growth[known],
            numbers,
            self._nulls[np.minimum(columns, self._nulls.size - 1)],
        )

    def tables(self, vocabularies: Vocabularies) -> dict[str, pa.Table]:
        """Return the tables to save; see ``from_tables``."""
        rows = np.repeat(np.arange(self.totals.size), np.diff(self.pairs.starts))
        # Not rounded to float32, so that the counts are restored exactly.
        values = self.pairs.values / np.maximum(self.totals[rows], 1e-9)
        shares = Translations(self.pairs.starts, self.pairs.targets, values)
        words = {"src": pa.concat_arrays([pa.nulls(1, pa.string()), vocabularies[0]])}
        words["count"] = pa.array(self.totals[:-1])
        for k in range(MAX_FERTILITY + 1):
            words[f"fertility_{k}"] = np.append(np.float32(0), self.fertilities[:-1, k])
        jumps = {"width": np.arange(-MAX_JUMP, MAX_JUMP + 1), "count": self.jumps}
        settings = {"null": [self.null], "alpha": [self.concentration], "seed": [self.seed]}
        settings |= {name: [getattr(self, name)] for name in _LATER}
        return {
            "translations": shares.table(vocabularies),
            "words": pa.table(words),
            "jumps": pa.table(jumps),
            "settings": pa.table(settings),
        }

    @classmethod
    def from_tables(cls, tables: Mapping[str, pa.Table], vocabularies: Vocabularies) -> Parameters:
        """Restore from what ``tables`` returned."""
        shares = Translations.from_table(tables["translations"], vocabularies)
        names = ["count", *(f"fertility_{k}" for k in range(MAX_FERTILITY + 1))]
        words = [_numbers(tables, "words", name, len(vocabularies[0]) + 1) for name in names]
        totals = np.append(words[0], 0.0)
        unknown = np.zeros((1, MAX_FERTILITY + 1))
        fertilities = np.concatenate([np.stack(words[1:], axis=1)[1:], unknown])
        rows = np.repeat(np.arange(totals.size), np.diff(shares.starts))
        values = (shares.values * totals[rows]).astype(np.float32)
        null, concentration, seed = (
            float(_numbers(tables, "settings", name, 1)[0]) for name in ("null", "alpha", "seed")
        )
        # Models saved before they were used lack the columns.
        known = tables["settings"].column_names
        spelling, stems, agreement = (
            float(_numbers(tables, "settings", name, 1)[0]) if name in known else usual
            for name, usual in _LATER.items()
        )
        # Checks them.
        Bayes(None, None, concentration, null, spelling, stems, agreement=agreement)
        return cls(
            Translations(shares.starts, shares.targets, frozen(values)),
            totals,
            fertilities.astype(np.float32),
            _numbers(tables, "jumps", "count", 2 * MAX_JUMP + 1),
            vocabularies,
            null,
            concentration,
            spelling,
            stems,
            seed=int(seed),
            agreement=agreement,
        )


def _numbers(tables: Mapping[str, pa.Table], table: str, column: str, size: int) -> F64:
    """Return a column of a saved table, checked."""
    table_found = tables[table]
    if column not in table_found.column_names or table_found.num_rows != size:
        raise InputError(
            f"a table {table} of {table_found.num_rows:,} rows and the columns "
            f"{', '.join(table_found.column_names)}",
            expected=f"{size:,} rows, and a column {column}",
        )
    values = table_found.column(column)
    if not (pa.types.is_floating(values.type) or pa.types.is_integer(values.type)):
        raise InputError(f"{column} of {table} of type {values.type}", expected="numbers")
    numbers: F64 = values.cast(pa.float64()).fill_null(np.nan).to_numpy().copy()
    if not (np.isfinite(numbers) & (numbers >= 0.0)).all():
        raise InputError(f"{column} of {table} below 0, or not finite", expected="0 or more")
    return numbers


def check_lengths(text: Text) -> None:
    """Raise an InputError if a sentence has more words than positions can be numbered."""
    sides = (text.src, text.tgt)
    longest = max(int(np.diff(side.at).max(initial=0)) for side in sides)
    if longest > MAX_POSITIONS:
        raise InputError(
            f"a sentence of {longest:,} words",
            expected=f"at most {MAX_POSITIONS:,}",
            todo="lower `max_length`",
        )


def generator(seed: tuple[int, int]) -> Array:
    """Return a non-zero state of a random number generator."""
    return np.random.SeedSequence(seed).generate_state(1, np.uint64) | np.uint64(1)


def jump_table(jumps: I64 | F64, src_at: I64) -> tuple[F32, F32]:
    """Return the probability of each possible jump, 0 in the middle, and the same reversed."""
    p = (jumps + JUMP) / (jumps + JUMP).sum()
    reach = int(np.diff(src_at).max(initial=0)) + 2
    # Wider jumps than are counted have the probability of the widest.
    widths = np.clip(np.arange(-reach, reach + 1), -MAX_JUMP, MAX_JUMP)
    ahead = p[widths + MAX_JUMP].astype(np.float32)
    return frozen(ahead), frozen(ahead[::-1])


def expected(parameters: Sequence[Parameters], paired: Sequence[Paired]) -> list[Kept]:
    """Return the probable positions of the words of a text outside training, in each direction.

    Two directions favour each other's links. Parts of the same number have the same sentences, or
    in one direction none.
    """
    given = [one.given(two.text) for one, two in zip(parameters, paired, strict=True)]
    spans = [one.spans for one in paired]
    parts = [
        [one.part(*span) for one, span in zip(given, some, strict=True)]
        for some in zip(*spans, strict=True)
    ]
    found = [Kept(one.tgt_at, spans=own) for one, own in zip(given, spans, strict=True)]
    call = partial(_expected_part, more=np.float32(parameters[0].agreement - 1))
    for n, packed in enumerate(parallel_map(call, parts, paired[0].executor)):
        for kept, some in zip(found, packed, strict=True):
            kept.put(n, some)
    return found


def _expected_part(given: Sequence[Given], more: np.float32) -> list[Packed]:
    """Return the probable positions of some sentences, in each direction."""
    places = [slots.make_slots(one.tgt.size) for one in given]
    if more and len(given) > 1 and all(one.tgt.size for one in given):
        expect(*given, more, _AT_A_TIME, *places)
    else:
        for one, seen in zip(given, places, strict=True):
            expect(one, one, np.float32(0), _AT_A_TIME, seen, seen)
    return list(map(slots.pack, places))
