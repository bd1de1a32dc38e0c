"""What can be said of a line pair in figures: the columns that the classifier and rules look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.arrays import F64, I64, U64, Bools
from alignframe.beads.document import Side
from alignframe.beads.line_model import LineModel, length_ratios
from alignframe.kernels import line_features as kernels
from alignframe.kernels.ragged import frozen
from alignframe.tokens import SIDES

SMOOTHING = 0.1
"""The share of a word's probability that comes from its frequency alone."""

CHUNK = 20_000
"""How many lines are looked at at a time."""

FEATURES = (
    *("src_chars", "tgt_chars", "length_ratio"),
    *("tgt_given_src", "src_given_tgt", "tgt_explained", "src_explained"),
    *("tgt_known", "src_known"),
    *("numbers_shared", "numbers_unmatched"),
    *("names_shared", "src_names_unmatched", "tgt_names_unmatched"),
    *("marks_shared", "marks_unmatched", "same_end"),
    *("copied", "copied_long"),
    *("src_spelling", "tgt_spelling", "src_language", "tgt_language"),
    *("src_script", "tgt_script"),
)
"""The columns of features."""

_NUMBER = r"\p{N}+"
_WORD = r"\p{L}[\p{L}\p{M}]*"
_NAME = r"\p{Lu}[\p{L}\p{M}]{2,}"
_MARK = r"[^\p{L}\p{M}\p{N}_\s]"
_LONG = r"\p{L}[\p{L}\p{M}]{3,}"


def features(model: LineModel, src: pa.Array, tgt: pa.Array, words: str) -> pl.DataFrame:
    """Return the columns ``FEATURES`` of line pairs.

    Parameters
    ----------
    model
        What is known of both sides.
    src, tgt
        Texts, none missing.
    words
        What counts as a word, as when the model was learnt.
    """
    parts = [
        _features(model, src[at : at + CHUNK], tgt[at : at + CHUNK], words)
        for at in range(0, max(len(src), 1), CHUNK)
    ]
    return pl.concat(parts)


def _features(model: LineModel, src: pa.Array, tgt: pa.Array, words: str) -> pl.DataFrame:
    texts = (src, tgt)
    chars = [pc.utf8_length(side).to_numpy().astype(np.int32) for side in texts]
    found: dict[str, npt.NDArray[np.generic]] = {
        "src_chars": chars[0],
        "tgt_chars": chars[1],
        "length_ratio": length_ratios(src, tgt) - model.ratio,
    }
    sides = (Side(src, words), Side(tgt, words))
    numbers = model.numbers(sides)
    for given, judged in ((0, 1), (1, 0)):
        name = f"{SIDES[judged]}_given_{SIDES[given]}"
        known = _sums(sides[judged].at, numbers[judged] >= 0)
        sums = np.zeros((2, len(src)))
        kernels.explain(
            *(sides[given].at, numbers[given], sides[judged].at, numbers[judged]),
            *model.tables[given],
            SMOOTHING,
            sums[0],
            sums[1],
        )
        found[name] = sums[0] / np.maximum(known, 1)
        found[f"{SIDES[judged]}_explained"] = sums[1] / np.maximum(known, 1)
        found[f"{SIDES[judged]}_known"] = known / np.maximum(np.diff(sides[judged].at), 1)
    found |= _alike(texts)
    lower = [pc.utf8_lower(side) for side in texts]
    for side, own in enumerate(lower):
        mine, other = (model.spellings[which].likely(own) for which in (side, 1 - side))
        found[f"{SIDES[side]}_spelling"] = mine
        found[f"{SIDES[side]}_language"] = mine - other
        column = pl.Series("text", pl.from_arrow(own))
        letters, usual = (
            column.str.count_matches(rf"\p{{{name}}}").to_numpy().astype(np.float64)
            for name in ("L", model.spellings[side].script)
        )
        found[f"{SIDES[side]}_script"] = np.where(letters > 0, usual / np.maximum(letters, 1), 1.0)
    columns = [pl.Series(name, found[name]) for name in FEATURES]
    whole = [
        one if one.dtype.is_integer() or one.dtype == pl.Boolean else one.cast(pl.Float32)
        for one in columns
    ]
    return pl.DataFrame(whole)


def _sums(at: I64, marked: Bools) -> F64:
    """Return how many items of each line are marked."""
    totals = np.concatenate([np.zeros(1, np.int64), np.cumsum(marked)])
    found: F64 = (totals[at[1:]] - totals[at[:-1]]).astype(np.float64)
    return found


def _alike(texts: Sequence[pa.Array]) -> dict[str, npt.NDArray[np.generic]]:
    """Return what both sides spell alike: numbers, names, marks and words."""
    columns = [pl.Series("text", pl.from_arrow(side)) for side in texts]
    numbers, names, marks, words, long = (
        [_items(column, pattern) for column in columns]
        for pattern in (_NUMBER, _NAME, _MARK, _WORD, _LONG)
    )
    found: dict[str, npt.NDArray[np.generic]] = {}
    for name, (first, second) in (("numbers", numbers), ("marks", marks)):
        both = kernels.shared(*first, *second)
        found[f"{name}_shared"] = both.astype(np.int32)
        single = np.diff(first[0]) + np.diff(second[0]) - 2 * both
        found[f"{name}_unmatched"] = single.astype(np.int32)
    known = [
        kernels.shared(*mine, *theirs) for mine, theirs in zip(names, words[::-1], strict=True)
    ]
    found["names_shared"] = (known[0] + known[1]).astype(np.int32)
    for side, mine, matched in zip(SIDES, names, known, strict=True):
        found[f"{side}_names_unmatched"] = (np.diff(mine[0]) - matched).astype(np.int32)
    sizes = [np.diff(at) for at, _ in words]
    least = np.maximum(np.minimum(*sizes), 1)
    found["copied"] = kernels.shared(*words[0], *words[1]) / least
    found["copied_long"] = kernels.shared(*long[0], *long[1]) / np.maximum(sizes[1], 1)
    ends = [
        column.str.strip_chars_end().str.extract(rf"({_MARK})$").fill_null("") for column in columns
    ]
    found["same_end"] = (ends[0] == ends[1]).to_numpy()
    return found


def _items(texts: pl.Series, pattern: str) -> tuple[I64, U64]:
    """Return where each text's items start, and a number of each that tells them apart."""
    array = texts.str.extract_all(pattern).to_arrow()
    items = pl.Series("item", array.flatten(), dtype=pl.String).str.to_lowercase()
    return frozen(array.offsets.to_numpy()), frozen(items.hash().to_numpy())


def design(found: pl.DataFrame) -> F64:
    """Return the classifier's view of features: one row per line, a column per input."""
    return np.column_stack([values for _, values in _inputs(found)])


def inputs() -> list[str]:
    """Return the names of the columns of ``design``."""
    empty = pl.DataFrame(schema=dict.fromkeys(FEATURES, pl.Float32))
    return [name for name, _ in _inputs(empty)]


def _inputs(found: pl.DataFrame) -> Iterator[tuple[str, F64]]:
    """Yield what features say, by name.

    Counts enter as logarithms. How much a deviation tells grows with a line's length, so that
    deviations enter by themselves and with it.
    """
    column = {name: found[name].to_numpy().astype(np.float64) for name in FEATURES}
    size = column["src_chars"] + column["tgt_chars"] + 1.0
    off = np.abs(column["length_ratio"])
    yield "log chars", np.log(size)
    yield "|length_ratio|", off
    yield "|length_ratio| x sqrt chars", off * np.sqrt(size)
    for name in FEATURES[3:]:
        count = name.endswith(("_shared", "_unmatched"))
        yield (f"log {name}", np.log1p(column[name])) if count else (name, column[name])
    for side, other in zip(SIDES, SIDES[::-1], strict=True):
        root = np.sqrt(column[f"{side}_chars"])
        yield f"unexplained {side} x sqrt chars", root * (1.0 - column[f"{side}_explained"])
        yield (
            f"{side}_given_{other} x sqrt chars",
            root * column[f"{side}_known"] * column[f"{side}_given_{other}"],
        )
