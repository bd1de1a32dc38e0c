"""Training word alignment models on a bitext."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from threading import Lock
from typing import Unpack

from alignframe.aligners.model import (
    Model,
    warn_of_invisible,
    warn_of_raw,
    warn_of_unaligned,
    warn_of_unknown,
)
from alignframe.aligners.parts import with_parts_of
from alignframe.aligners.prior import Task, read_prior
from alignframe.aligners.storage import kind_module
from alignframe.aligners.text import Text, read_text
from alignframe.aligners.training_pairs import Paired, pair
from alignframe.core.portable import rounded
from alignframe.errors import InputError, number_of, warn
from alignframe.options import checked
from alignframe.options.training import FitOptions, Training, training_of
from alignframe.sources.pairs import sentence_pairs
from alignframe.typing import IntoBitext, IntoSentences, TrainingProgress

DIGITS = 10
"""Log-likelihoods are kept with these digits: a model's name is of them, among others."""


@checked
def fit(
    src: IntoSentences | IntoBitext,
    tgt: IntoSentences | None = None,
    *,
    model: str = "bayes",
    reverse: bool = False,
    **options: Unpack[FitOptions],
) -> Model:
    """Train a word alignment model on a bitext.

    Parameters
    ----------
    src, tgt
        The sentences of both sides: paths, columns, or lists of texts (which are split at spaces)
        or of words. Or ``src`` alone is a bitext: a table with src and tgt or its path, or a list
        of pairs of sentences.
    model
        ``ibm1``, ``hmm``, ``ibm4`` or ``bayes``.
    reverse
        Each source word picks its target word or NULL; otherwise each target word picks.
    **options
        Fields of ``Training``: seed, max_length, prior, words, strength, threads and progress. And
        the options of the model, which ``help(OPTIONS["hmm"])`` explains.

    Returns
    -------
    Model

    Raises
    ------
    InputError
        If no sentence pair of the bitext can be aligned, or a model or an option is unknown or out
        of range.

    Examples
    --------
    >>> from alignframe import aligners
    >>> src, tgt = ["the house", "the book", "a book"], ["das Haus", "das Buch", "ein Buch"]
    >>> model = aligners.fit(src, tgt, model="ibm1")
    >>> model.kind, [round(one["log_likelihood"], 2) for one in model.history[:2]]
    ('ibm1', [-6.45, -6.03])
    """
    training = training_of(model, options)
    ((model_fitted, _),) = fit_text(
        readable(sentence_pairs(src, tgt), training), training, [reverse]
    )
    return model_fitted


def fit_text(text: Text, training: Training, reverse: Sequence[bool]) -> list[tuple[Model, Paired]]:
    """Train one direction, or both together; return their word pairs too, for decoding."""
    model, options, seed = training.model, training.options, training.seed
    kind = kind_module(model)
    one_by_one = Lock()  # samplers in threads report progress themselves
    tasks: list[Task] = []
    said: list[list[tuple[str, int, float]]] = []
    for turned in reverse:
        sides = text.turned() if turned else text
        paired = pair(sides, training.executor)
        said.append([])
        name = "-reverse" if turned else ""
        report = partial(_tell, one_by_one, said[-1], training.progress, name)
        cells = getattr(kind, "CELLS", True)
        prior = read_prior(training.priors[turned], paired, turned, training.strength, cells=cells)
        tasks.append(Task(paired, prior, report))
    _warn_of_prior(tasks[0], turned=reverse[0])
    learnt = kind.train(tasks, options, seed)
    words = (text.src.vocabulary, text.tgt.vocabulary)
    fitted = []
    for turned, task, parameters, steps in zip(reverse, tasks, learnt, said, strict=True):
        history = [
            {
                "stage": stage,
                "iteration": iteration,
                "log_likelihood": float(rounded(logarithm, DIGITS)),
            }
            for stage, iteration, logarithm in getattr(parameters, "history", None) or steps
        ]
        told = {"seed": seed, **training.given}
        splittings = text.src.splitting, text.tgt.splitting
        sizes = training.max_length, history, splittings, text.sentences
        made = Model(model, words, turned, parameters, told, *sizes)
        fitted.append((with_parts_of(made, task.prior.model), task.paired))
    return fitted


def _warn_of_prior(task: Task, *, turned: bool) -> None:
    """Warn if a prior knows little of the text: nearly always one of other languages."""
    prior, text = task.prior, task.paired.text
    counts = prior.counts if prior.lexicon is None else prior.lexicon.values
    if counts is not None and not counts.any():
        warn(
            "no sentence pair of the text has a word pair of the lexicon; is it a lexicon of these "
            "languages, in this order, and of words in the same form (case, tokens)?"
        )
    if prior.src is None or prior.tgt is None:
        return
    sides = prior.src[text.src.words] < 0, prior.tgt[text.tgt.words] < 0
    warn_of_unknown("the prior model", sides[::-1] if turned else sides)


def _tell(
    one_by_one: Lock,
    said: list[tuple[str, int, float]],
    progress: TrainingProgress | None,
    name: str,
    stage: str,
    iteration: int,
    log_likelihood: float,
) -> None:
    with one_by_one:
        said.append((stage, iteration, float(log_likelihood)))
        if progress is not None:
            progress(f"{stage}{name}", iteration, log_likelihood)


def readable(bitext: IntoBitext, training: Training, path: str | None = None) -> Text:
    """Read a training bitext; raise an InputError, at its path, if none of it can be aligned."""
    max_length = training.max_length
    # Prior models know words as they split them.
    known = [getattr(prior, "splittings", None) for prior in training.priors]
    as_before = (known[0] or known[1]) if training.words == "auto" else None
    text = read_text(bitext, max_length=max_length, words=training.words, splittings=as_before)
    if not text.sentences:
        blank = "".join(f" ({side} has no words)" for side in text.blank[:1])
        raise InputError(
            f"a bitext of {number_of(text.sid.size, 'row')}, {text.empty:,} of them with an empty "
            f"side{blank} and {text.too_long:,} with more than {max_length:,} words on a side",
            expected="a sentence pair that can be aligned",
            path=path,
        )
    warn_of_unaligned(text.empty, text.too_long, max_length)
    warn_of_raw("the prior model", text)
    warn_of_invisible(text)
    return text
