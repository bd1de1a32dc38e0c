"""Loading translations and references into parallel columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I64
from alignframe.core.tokens import composed
from alignframe.errors import InputError, number_of, sentence_name, warn
from alignframe.formats.bitext import LOOKED_AT, is_without_spaces, split_texts
from alignframe.mt.tokenize import SPACED
from alignframe.sources.keys import Growing
from alignframe.sources.source import Source
from alignframe.sources.texts import about_of, references_of, systems_of, texts_of
from alignframe.stats.subsets import Chosen, choose
from alignframe.typing import IntoSids, IntoSystems

_NAMED = 5
_KANA = "[\u3040-\u30ff]"
_HAN = "[\u3400-\u9fff]"


@dataclass(frozen=True)
class Texts:
    """Translations and references of the same sentences, in the same order."""

    about: pl.DataFrame  # sid and the other columns of the first reference's table
    systems: dict[str, pa.Array]
    references: list[pa.Array]
    chosen: Chosen | None  # the sentences to score; None for all
    are_composed: bool  # all text is in the Unicode form NFC
    keys: Growing | None = None  # what numbers of sentences stand for, if columns identify them


def load(
    hyp: IntoSystems,
    ref: IntoSystems,
    normalization: str,
    *,
    sids: IntoSids | None = None,
    where: str | None = None,
    encoding: str = "utf-8",
    keys: Growing | None = None,
) -> Texts:
    """Return translations with their references; see ``scores``."""
    sources = references_of(ref, encoding, keys)
    systems = {
        k: texts_of(source) for k, source in systems_of(hyp, sources[0], encoding, keys).items()
    }
    about = about_of(sources[0])
    for name, column in systems.items():
        if column.null_count:
            row = column.is_null().index(True).as_py()
            raise InputError(
                f"the system {name!r} has no text of sentence {sentence_name(about['sid'][row])}",
                expected="a text, which may be empty",
            )
    columns = _referenced(sources)
    # What is in NFC already comes back as the same object.
    theirs = {composed(column) is column for column in columns}
    ours = {name: {composed(column) is column} for name, column in systems.items()}
    if normalization == "none":
        _warn_of_forms(ours, theirs)
    chosen = choose(about["sid"].to_numpy(), about.to_arrow, sids, where, what="the reference")
    if chosen is not None:
        kept = np.flatnonzero(chosen.holds(about["sid"].to_numpy()))
        about = about[kept]
        systems = {name: column.take(pa.array(kept)) for name, column in systems.items()}
        columns = [column.take(pa.array(kept)) for column in columns]
    _warn_of_empty(about["sid"].to_numpy(), columns)
    return Texts(about, systems, columns, chosen, theirs.union(*ours.values()) == {True}, keys)


def references(ref: IntoSystems, encoding: str = "utf-8") -> tuple[I64, list[pa.Array]]:
    """Return sentence numbers and references; see ``scores``."""
    sources = references_of(ref, encoding)
    return sources[0].frame["sid"].to_numpy(), _referenced(sources)


def _referenced(sources: Sequence[Source]) -> list[pa.Array]:
    """Return the texts of references; refuse a sentence without any."""
    columns = [texts_of(source) for source in sources]
    absent = np.logical_and.reduce(
        [column.is_null().to_numpy(zero_copy_only=False) for column in columns]
    )
    if absent.any():
        sids = sources[0].frame["sid"].to_pylist()
        raise InputError(
            f"sentence {sentence_name(sids[int(np.argmax(absent))])} has no reference",
            expected="at least one",
        )
    return columns


def _warn_of_forms(systems: Mapping[str, set[bool]], references: set[bool]) -> None:
    """Warn if systems and references write the same letters in other Unicode forms."""
    for name, own in systems.items():
        if own != references:
            warn(
                f"the system {name!r} and the references are in different Unicode forms (NFC in "
                f"{'the references' if True in references else 'the system'}), so that equal "
                "letters count as different; to compare both in NFC, use `normalization='nfc'` "
                "(normalization='nfc')"
            )


def _warn_of_empty(sids: I64, references: Sequence[pa.Array]) -> None:
    """Count in a ``DataWarning`` sentences without a word in any reference."""
    empty = np.logical_and.reduce(
        [
            pc.fill_null(pc.equal(pc.utf8_trim_whitespace(column), ""), True).to_numpy(
                zero_copy_only=False
            )
            for column in references
        ]
    )
    if empty.any():
        shown = ", ".join(str(sentence_name(sid)) for sid in sids[empty][:_NAMED].tolist())
        shown += ", ..." if empty.sum() > _NAMED else ""
        warn(
            f"{number_of(int(empty.sum()), 'sentence')} with an empty reference (sid {shown}): "
            "their translations count as wrong in BLEU, and are left out of chrF"
        )


def warn_of_tokens(references: Sequence[pa.Array], tokenize: str) -> None:
    """Warn of a reference without spaces, whose words the tokenizer does not part."""
    for column in references if tokenize in SPACED else ():
        texts = column[:LOOKED_AT].drop_null()
        plain = pc.replace_substring(texts.cast(pa.string()), "\n", " ")
        if not is_without_spaces(split_texts(plain, "the reference")):
            continue
        scripts = (
            (_KANA, "`tokenize='ja-mecab'` or `tokenize='char'`"),
            (_HAN, "`tokenize='zh'`"),
            ("", "`tokenize='char'`"),
        )
        todo = next(
            way
            for script, way in scripts
            if 2 * (pc.sum(pc.match_substring_regex(texts, script)).as_py() or 0) > len(texts)
        )
        warn(
            "the reference is written without spaces between words, which "
            f"`tokenize={tokenize!r}` does not part, so that BLEU matches hardly more than whole "
            f"sentences; use {todo}"
        )
        return
