"""Grouping and signatures of scores of phrase dictionaries."""

from __future__ import annotations

from collections.abc import Sequence

from alignframe.core.signatures import whole_signature
from alignframe.errors import InputError
from alignframe.kernels.phrases.extraction import MOSES_LENGTH
from alignframe.stats.measure import keys_of


def by_sentence(by: Sequence[str] | str) -> bool:
    """Return whether to score by sentence; raise an InputError for columns other than sid."""
    others = [name for name in keys_of(by) if name != "sid"]
    if others:
        raise InputError(f"`by` is {', '.join(others)}", expected="sid: one row per sentence")
    return bool(by)


def signature(
    max_length: int | None,
    sure_only: bool,
    subset: str,
    resampled: str = "",
    moses: bool = False,
    apart: bool = False,
) -> str:
    """Return the signature."""
    return whole_signature(
        "metric:phrases",
        "gold:sure" if sure_only else "gold:possible-and-sure",
        f"max-length:{max_length or 'none'}",
        f"moses-length:{MOSES_LENGTH}" if moses and max_length is None else "",
        "by:sid" if apart else "align-dic1:mean-of-sentences",
        "missing:empty",
        subset,
        resampled,
    )
