"""The word translations of mre+: a given model, or Model 1 of parallel sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from alignframe.beads.document import parallel, split
from alignframe.beads.translations import Known, known
from alignframe.errors import InputError, check_known
from alignframe.options.beads import METHODS
from alignframe.typing import FromZero, IntoSentences, Rare

if TYPE_CHECKING:
    from alignframe.aligners import Model


def checked_model(methods: Sequence[str], model: object) -> Known | None:
    """Return the word translations of a model, read once for many documents."""
    if isinstance(methods, str) or not methods:
        raise InputError(
            f"`methods` is {methods!r}", expected=f"one or more of {', '.join(METHODS)}"
        )
    for method in methods:
        check_known("`method`", method, METHODS)
    if model is None:
        if "mre+" in methods:
            raise InputError(
                "no model for mre+",
                expected="`model`: a saved model or a lexicon, not learnt from this text",
                todo="make a model with: alignframe beads align SRC TGT --save-model FOLDER",
            )
        return None
    if "mre+" not in methods:
        raise InputError(f"`model` with {', '.join(methods)}", expected="the method mre+")
    return known(model)


def word_model(
    src: IntoSentences,
    tgt: IntoSentences,
    *,
    words: Rare[str] = "letters",
    iterations: Rare[FromZero] = 5,
) -> Model:
    """Train Model 1 on parallel sentences, for mre+.

    Parameters
    ----------
    src, tgt
        Parallel sentences.
    words
        See ``alignframe.beads.Options``.
    iterations
        Iterations of Model 1.
    """
    from alignframe.aligners import fit  # slow to import, and only needed for mre+

    text = {"src": split(src, words), "tgt": split(tgt, words)}
    return fit(text, model="ibm1", iterations=iterations)


def learn_words(src: IntoSentences, tgt: IntoSentences, *, words: str) -> Known:
    """Return the word translations of Model 1, trained on parallel sentences."""
    return known(word_model(src, tgt, words=words))


def given_text(src: IntoSentences, tgt: IntoSentences) -> tuple[pa.Array, pa.Array]:
    """Return both sides of a parallel text; raise an InputError if empty or of unequal length."""
    sides = parallel(src, tgt)
    if not len(sides[0]):
        raise InputError("a text without sentences", expected="at least one")
    return sides
