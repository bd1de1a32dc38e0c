"""Features of line pairs, for the classifier and for rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.beads.characters import bytes_of, classes, lower
from alignframe.beads.line_model import LineModel, length_ratios
from alignframe.beads.line_pairs import LinePairs
from alignframe.core.arrays import F64, frozen
from alignframe.core.tokens import SIDES
from alignframe.kernels.beads import line_words
from alignframe.kernels.text import characters

SMOOTHING = 0.1
"""The weight of a word's frequency in its probability."""

CHUNK = 20_000
"""Number of lines processed at a time."""

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

LONG = 4
"""The length in characters of words that are rarely equal by chance."""


def features(model: LineModel, lines: LinePairs) -> pl.DataFrame:
    """Return the columns ``FEATURES`` of line pairs, tokenised like the training lines."""
    if lines.size <= CHUNK:
        return _features(model, lines)
    ends = range(CHUNK, lines.size + CHUNK, CHUNK)
    return pl.concat(
        _features(model, lines.some(np.arange(end - CHUNK, min(end, lines.size)))) for end in ends
    )


def _features(model: LineModel, lines: LinePairs) -> pl.DataFrame:
    texts = src, tgt = lines.texts
    chars = [pc.utf8_length(side).to_numpy().astype(np.int32) for side in texts]
    values: dict[str, npt.NDArray[np.generic]] = {
        "src_chars": chars[0],
        "tgt_chars": chars[1],
        "length_ratio": length_ratios(src, tgt) - model.ratio,
    }
    words = [
        line_words.Words(*map(frozen, line_words.known(side.at, numbers)))
        for side, numbers in zip(lines.sides, model.numbers(lines), strict=True)
    ]
    for given, judged in ((0, 1), (1, 0)):
        name = f"{SIDES[judged]}_given_{SIDES[given]}"
        known = np.diff(words[judged].at).astype(np.float64)
        sums = np.zeros((2, len(src)))
        line_words.explain(words[given], words[judged], model.tables[given], SMOOTHING, *sums)
        values[name] = sums[0] / np.maximum(known, 1)
        values[f"{SIDES[judged]}_explained"] = sums[1] / np.maximum(known, 1)
        values[f"{SIDES[judged]}_known"] = known / np.maximum(np.diff(lines.sides[judged].at), 1)
    values |= _shared(texts)
    for side, own in enumerate(map(pc.utf8_lower, texts)):
        both = model.spellings.likely(own)
        values[f"{SIDES[side]}_spelling"] = both[side]
        values[f"{SIDES[side]}_language"] = both[side] - both[1 - side]
        values[f"{SIDES[side]}_script"] = model.spellings.usual(side, own)
    columns = [pl.Series(name, values[name]) for name in FEATURES]
    whole = [
        column
        if column.dtype.is_integer() or column.dtype == pl.Boolean
        else column.cast(pl.Float32)
        for column in columns
    ]
    return pl.DataFrame(whole)


def _shared(texts: Sequence[pa.Array]) -> dict[str, npt.NDArray[np.generic]]:
    """Return the numbers, names, punctuation and words with the same spelling on both sides."""
    counts = characters.count_shared(
        *bytes_of(texts[0]), *bytes_of(texts[1]), classes(), lower(), LONG
    )
    counted = dict(zip(characters.COUNTED, counts.T, strict=True))
    features_shared: dict[str, npt.NDArray[np.generic]] = {}
    for name in ("numbers", "marks"):
        features_shared[f"{name}_shared"] = counted[name]
        features_shared[f"{name}_unmatched"] = (
            counted[f"src_{name}"] + counted[f"tgt_{name}"] - 2 * counted[name]
        )
    features_shared["names_shared"] = counted["src_names_matched"] + counted["tgt_names_matched"]
    for side in SIDES:
        features_shared[f"{side}_names_unmatched"] = (
            counted[f"{side}_names"] - counted[f"{side}_names_matched"]
        )
    least = np.minimum(counted["src_words"], counted["tgt_words"])
    features_shared["copied"] = counted["words"] / np.maximum(least, 1)
    features_shared["copied_long"] = counted["long_words"] / np.maximum(counted["tgt_words"], 1)
    features_shared["same_end"] = counted["same_end"] > 0
    return features_shared


def design(features_of_lines: pl.DataFrame) -> F64:
    """Return the classifier's inputs from features: one row per line, one column per input."""
    return np.column_stack([values for _, values in _inputs(features_of_lines)])


def inputs() -> list[str]:
    """Return the names of the columns of ``design``."""
    empty = pl.DataFrame(schema=dict.fromkeys(FEATURES, pl.Float32))
    return [name for name, _ in _inputs(empty)]


def _inputs(features: pl.DataFrame) -> Iterator[tuple[str, F64]]:
    """Yield the inputs by name."""
    column = {name: features[name].to_numpy().astype(np.float64) for name in FEATURES}
    size = column["src_chars"] + column["tgt_chars"] + 1.0
    off = np.abs(column["length_ratio"])
    yield "log chars", np.log(size)
    yield "|length_ratio|", off
    # The significance of a deviation grows with a line's length, so deviations enter alone and
    # multiplied by its root; counts are in logarithms.
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
