"""Translations and references, as they are given: of systems by name, one reference or several."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from os.path import isfile
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from alignframe.arrow import is_frame
from alignframe.errors import DataWarning, InputError
from alignframe.formats.names import document_name
from alignframe.functions.bags import check_sizes
from alignframe.kernels.ragged import I64
from alignframe.language.analysed import Analysed, Vocabulary
from alignframe.sources import column_of, frame_of, is_columns, is_path
from alignframe.tables import UNNAMED

if TYPE_CHECKING:
    from alignframe.language import Analysis

_NAMED = 5


def systems_of(hyp: Any) -> dict[str, Any]:
    """Return the translations of each system by its name."""
    if isinstance(hyp, Mapping) and not (is_columns(hyp, "text") or is_columns(hyp, "words")):
        found = {str(name): given for name, given in hyp.items()}
    elif are_several(hyp) and all(map(is_path, hyp)):
        found = {document_name(path): path for path in hyp}
        if len(found) < len(hyp):
            raise InputError("two systems of one name", todo="give a dict of names and files")
    else:
        found = {document_name(hyp) if is_path(hyp) else UNNAMED: hyp}
    if not found or (isinstance(hyp, (list, tuple)) and not hyp):
        raise InputError("no translations", expected="those of one system or more")
    return found


def about_sentences(references: Any, called: str, reference: Analysed) -> pl.DataFrame:
    """Return what is known of each sentence, see ``Scored.about``."""
    first = references[0] if are_several(references) else references
    about = pl.DataFrame({"sid": np.arange(reference.rows), "n_ref": reference.lengths()})
    if is_path(first) or column_of(first) is not None or not is_frame(first):
        return about
    frame = frame_of(first, called)
    kept = [name for name, kind in frame.schema.items() if not kind.is_nested()]
    return about.hstack(frame.select(kept).drop("sid", "n_ref", "text", strict=False))


def read_references(
    references: Any, analysis: Analysis, vocabulary: Vocabulary, encoding: str = "utf-8"
) -> list[tuple[str, Analysed]]:
    """Return each reference with the name that messages call it by."""
    several = are_several(references)
    found = []
    for number, given in enumerate(references if several else [references], 1):
        ref = analysed(given, analysis, vocabulary, encoding)
        name = source_name(given, f"reference {number}" if several else "the reference")
        found.append((name, ref))
    if not found:
        raise InputError("no reference", expected="one or more")
    if not found[0][1].rows:
        raise InputError(f"{found[0][0]} has no sentences", expected="one or more")
    check_lengths(found)
    return found


def are_several(references: Any) -> bool:
    """Whether a list holds references; a list of texts is one, unless each names a file."""
    if not isinstance(references, (list, tuple)) or is_frame(references):
        return False
    if all(isinstance(one, str) for one in references):
        return bool(references) and all(map(isfile, references))
    return True


def analysed(given: Any, analysis: Analysis, vocabulary: Vocabulary, encoding: str) -> Analysed:
    """Return the sentences of a file or of anything else that can be analysed."""
    if isinstance(given, (str, PathLike)):
        from alignframe.language.files import analysed_file

        found = analysed_file(given, analysis, vocabulary, encoding)
        check_sizes(found, fspath(given))
        return found
    return analysis.analyse(given, vocabulary)


def source_name(given: Any, name: str) -> str:
    """Return what messages call a source: its path, or the name."""
    return fspath(given) if isinstance(given, (str, PathLike)) else name


def check_lengths(sides: Sequence[tuple[str, Analysed]]) -> None:
    """Refuse sides that differ in their number of sentences."""
    first, one = sides[0]
    for name, other in sides[1:]:
        if other.rows != one.rows:
            raise InputError(
                f"{first} has {one.rows:,} lines, {name} has {other.rows:,}",
                expected="one line per sentence, the same ones in both",
            )


def warn_of_empty(references: Sequence[tuple[str, Analysed]], kept: I64 | None = None) -> None:
    """Count in a ``DataWarning`` empty sentences of references, of those in ``kept`` if given."""
    said = (
        "such a line has no score"
        if len(references) == 1
        else "such a line is scored against the other references alone"
    )
    for name, ref in references:
        empty = np.flatnonzero(ref.lengths() == 0)
        if kept is not None:
            empty = empty[np.isin(empty, kept)]
        if not empty.size:
            continue
        lines = ", ".join(f"{line + 1:,}" for line in empty[:_NAMED].tolist())
        more = ", ..." if empty.size > _NAMED else ""
        warnings.warn(
            f"{name}: {empty.size:,} empty line{'s'[: empty.size > 1]} of the reference "
            f"(line {lines}{more}); {said}",
            DataWarning,
            stacklevel=3,
        )
