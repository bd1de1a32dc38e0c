"""N-best lists: our own, Moses' and Z-MERT's, and Moses' feature files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike

import numpy as np
import polars as pl

from alignframe.errors import InputError, in_file, number_of
from alignframe.functions.mt import BLEU_ORDER, bleu_names
from alignframe.mt.weights import FEATURES
from alignframe.read.lines import TextFile
from alignframe.read.opening import peek
from alignframe.sources.source import is_path
from alignframe.sources.words import frame_of
from alignframe.typing import FilePath, IntoFrame

_MOSES = "sid ||| text ||| name= values ... ||| score"
_ZMERT = "sid ||| text ||| values"
_OURS = ("sid", "rank", "text", "score", "unknown_words", "signature")


def read_n_best(given: IntoFrame) -> tuple[pl.DataFrame, list[str]]:
    """Read an n-best list with the columns sid and text, and features.

    Parameters
    ----------
    given
        A table with sid, text and features, as from ``translate``; or a file: Parquet, Moses (``sid
        ||| text ||| name= values ... ||| score``) or Z-MERT (``sid ||| text ||| values``),
        optionally compressed.

    Raises
    ------
    InputError
        With file and line, if a line is damaged, or a value is not a finite number.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import mt
    >>> given = {"sid": [0, 0], "text": ["the house", "a house"], "lm": [-4.1, -5.2]}
    >>> table, features = mt.read_n_best(pl.DataFrame(given))
    >>> features
    ['lm']
    """
    with in_file(given):
        if is_path(given) and peek(given, 4) != b"PAR1":
            frame, names = _read(given)
        else:
            frame = frame_of(given, "the n-best list", ["sid", "text"])
            names = [
                name
                for name, kind in frame.schema.items()
                if name in FEATURES or (name not in _OURS and kind.is_numeric())
            ]
            frame = frame.select(
                pl.col("sid").cast(pl.Int64),
                pl.col("text").cast(pl.String),
                *(pl.col(name).cast(pl.Float64) for name in names),
            )
        if not frame.height or not names:
            raise InputError("no candidates with features", expected=_MOSES)
        for name in names:
            bad = ~frame[name].is_finite().fill_null(False)
            if bad.any():
                row = int(bad.arg_max() or 0)
                raise InputError(
                    f"the feature {name} of candidate {row} (counted from 0) is {frame[name][row]}",
                    expected="a finite number",
                )
    return frame, names


def _read(path: FilePath) -> tuple[pl.DataFrame, list[str]]:
    sids: list[int] = []
    texts: list[str] = []
    values: list[list[float]] = []
    names: list[str] = []
    with in_file(path) as place:
        for place.line, sid, cells in _lines(path):
            if len(cells) < 2:
                raise InputError(
                    number_of(len(cells) + 1, "field"),
                    expected=f"{_MOSES}, or {_ZMERT}",
                )
            mine, numbers = _values(cells[1])
            if not mine:
                raise InputError("a candidate without features", expected=_MOSES)
            names = names or mine
            if mine != names:
                raise InputError(f"the features {', '.join(mine)}", expected=", ".join(names))
            sids.append(sid)
            texts.append(" ".join(cells[0].split()))
            values.append(numbers)
    columns = np.array(values).reshape(len(sids), len(names)).T
    frame = {"sid": sids, "text": texts, **dict(zip(names, columns, strict=True))}
    return pl.DataFrame(frame, schema_overrides={"sid": pl.Int64, "text": pl.String}), names


def _lines(path: FilePath) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the line number, the sentence number, and the other fields."""
    for line, text in TextFile(path).lines():
        if not text:
            continue
        first, *cells = text.split("|||")
        if not re.fullmatch(r"[ \t]*[0-9]{1,18}[ \t]*", first):
            raise InputError(
                f"{first[:40]!r} as a sentence number",
                line=line,
                expected=f"{_MOSES}, or {_ZMERT}",
            )
        yield line, int(first), cells


def _values(text: str) -> tuple[list[str], list[float]]:
    """Return features by name, numbered if a name has several values."""
    groups: list[tuple[str, list[float]]] = []
    for word in text.split():
        if len(word) > 1 and word.endswith(("=", ":")):  # Moses wrote "lm:" before it wrote "lm="
            groups.append((word[:-1], []))
            continue
        try:
            value = float(word)
        except ValueError:
            raise InputError(f"{word!r} is not a number", expected=_MOSES) from None
        if not groups:
            groups.append(("feature", []))
        groups[-1][1].append(value)
    names, values = [], []
    for name, own in groups:
        names += [name] if len(own) == 1 else [f"{name}_{k}" for k in range(len(own))]
        values += own
    return names, values


def read_feature_files(
    features: str | PathLike[str], scores: str | PathLike[str]
) -> tuple[pl.DataFrame, list[str]]:
    """Read candidates with BLEU counts from Moses' text files FEATSTAT and SCORESTAT."""
    sids, rows, names = _statistics(features, "FEATURES_TXT_BEGIN_0")
    other, counts, _ = _statistics(scores, "SCORES_TXT_BEGIN_0")
    if sids != other:
        raise InputError(
            f"{len(sids):,} candidates of features and {len(other):,} of scores",
            path=scores,
            expected="the same candidates in both files",
        )
    table = np.array(counts)
    if table.shape[1:] != (2 * BLEU_ORDER + 1,):
        raise InputError(
            f"{table.shape[-1]} counts per candidate",
            path=scores,
            expected=f"{2 * BLEU_ORDER + 1}, of BLEU",
        )
    held = {"bleu_hyp": table[:, 1], "bleu_ref": table[:, -1]}
    for n in range(1, BLEU_ORDER + 1):
        # SCORESTAT has match and total of each order in turn, then the reference's length.
        held[f"bleu_match_{n}"] = table[:, 2 * n - 2]
        held[f"bleu_total_{n}"] = table[:, 2 * n - 1]
    columns = {"sid": np.array(sids), **dict(zip(names, np.array(rows).T, strict=True))}
    return pl.DataFrame({**columns, **{name: held[name] for name in bleu_names()}}), names


def _statistics(path: FilePath, head: str) -> tuple[list[int], list[list[float]], list[str]]:
    with in_file(path):
        sids: list[int] = []
        rows: list[list[float]] = []
        names: list[str] = []
        sid, wide = -1, 0
        for line, text in TextFile(path).lines():
            words = text.split()
            if not words or words[0].endswith(("_END_0",)):
                continue
            if words[0] == head and len(words) > 4 and words[1].isdigit() and words[3].isdigit():
                sid, wide = int(words[1]), int(words[3])
                names = words[4:]
                continue
            try:
                values = [float(word) for word in words]
            except ValueError:
                values = []
            if sid < 0 or len(values) != wide or not np.isfinite(values).all():
                raise InputError(
                    f"the line {text[:60]!r}",
                    line=line,
                    expected=f"{wide} numbers" if wide else f"{head} sid candidates numbers names",
                )
            sids.append(sid)
            rows.append(values)
        if not rows:
            raise InputError("no candidates", expected=head)
    return sids, rows, names
