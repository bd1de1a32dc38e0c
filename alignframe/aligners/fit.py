"""Training word alignment models on a bitext."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from inspect import signature
from threading import Lock
from typing import Any

from alignframe.aligners.model import Model, warn_of_unaligned, warn_of_unknown
from alignframe.aligners.prior import Task, read_prior, usual_options
from alignframe.aligners.storage import kind_module
from alignframe.aligners.text import MAX_LENGTH, Text, read_text
from alignframe.aligners.training_pairs import PARTS, Paired, pair, places
from alignframe.errors import InputError, number_of, plain, unknown, warn, whole_number
from alignframe.executors import pool_of
from alignframe.read.pairs import sentence_pairs
from alignframe.typing import (
    IntoBitext,
    IntoSentences,
    IntoWordModel,
    Threads,
    TrainingProgress,
    WordModel,
)


def fit(
    src: IntoSentences | IntoBitext,
    tgt: IntoSentences | None = None,
    *,
    model: str = "bayes",
    reverse: bool = False,
    seed: int = 1,
    max_length: int = MAX_LENGTH,
    prior: IntoWordModel | tuple[WordModel, WordModel] | None = None,
    strength: float = 1.0,
    threads: Threads = None,
    progress: TrainingProgress | None = None,
    **options: Any,
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
    seed
        Random seed.
    max_length
        Sentence pairs with more words on a side are left out.
    prior
        A model of the same direction, from which training continues: new words start uniform, and
        words absent from the bitext are forgotten. Or a lexicon, a frame or a Parquet file with src
        and tgt, and optionally p or llr: its pairs that co-occur in a sentence pair get
        pseudo-counts.
    strength
        The pseudo-counts of each word in a lexicon, shared by its translations in proportion to p
        or llr, or evenly.
    threads
        Number of threads, or an executor (of processes, or of a cluster), to train in parallel; one
        by default. The result is the same.
    progress
        Called after each iteration with the stage, its number and the previous log-likelihood.
        Stages of the reverse direction end in ``-reverse``.
    **options
        Options of the model; see ``train`` of its module.

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
    executor = pool_of(threads)
    known_options(model, options)
    ((found, _),) = fit_text(
        readable(sentence_pairs(src, tgt), max_length),
        model,
        reverse=(reverse,),
        seed=seed,
        max_length=max_length,
        prior=(prior, prior),
        strength=strength,
        executor=executor,
        progress=progress,
        options=options,
    )
    return found


def fit_text(
    text: Text,
    model: str,
    *,
    reverse: Sequence[bool],
    seed: int,
    max_length: int,
    prior: Sequence[Any],
    strength: float,
    executor: Executor | None,
    progress: TrainingProgress | None,
    options: Mapping[str, Any],
) -> list[tuple[Model, Paired]]:
    """Train one direction, or both together; return their word pairs too, for decoding.

    ``prior`` has one entry per direction.
    """
    seed = whole_number(seed, 0, f"the seed {seed!r}", (1 << 53) - 1)
    options = {name: plain(value) for name, value in options.items()}
    strength, max_length = plain(strength), plain(max_length)
    kind = kind_module(model)
    held = kind.held(options, int(places(text)[-1])) if hasattr(kind, "held") else None
    one_by_one = Lock()  # samplers in threads report progress themselves
    tasks: list[Task] = []
    said: list[list[tuple[str, int, float]]] = []
    for turned in reverse:
        sides = text.turned() if turned else text
        paired = pair(sides, executor, getattr(kind, "PARTS", PARTS), held)
        said.append([])
        report = partial(_tell, one_by_one, said[-1], progress, "-reverse" if turned else "")
        tasks.append(Task(paired, read_prior(prior[turned], paired, turned, strength), report))
    _warn_of_prior(tasks[0], turned=reverse[0])
    if len(tasks) > 1:
        learnt = kind.train_together(tasks, seed=seed, **every_option(model, options))
    else:
        (one,) = tasks
        learnt = [
            kind.train(one.paired, seed=seed, progress=one.progress, prior=one.prior, **options)
        ]
    words = (text.src.vocabulary, text.tgt.vocabulary)
    found = []
    for turned, (paired, *_), parameters, steps in zip(reverse, tasks, learnt, said, strict=True):
        history = [
            {"stage": stage, "iteration": iteration, "log_likelihood": log_likelihood}
            for stage, iteration, log_likelihood in getattr(parameters, "history", None) or steps
        ]
        told_options = {"seed": seed, **options}
        made = Model(model, words, turned, parameters, told_options, max_length, history)
        found.append((made, paired))
    return found


def _warn_of_prior(task: Task, *, turned: bool) -> None:
    """Warn if a prior knows little of the text: nearly always one of other languages."""
    prior, text = task.prior, task.paired.text
    if prior is not None and prior.counts is not None and not prior.counts.any():
        warn(
            "no sentence pair of the text has a word pair of the lexicon; is it a lexicon of these "
            "languages, in this order, and of words in the same form (case, tokens)?"
        )
    if prior is None or prior.src is None or prior.tgt is None:
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


def readable(bitext: Any, max_length: int) -> Text:
    """Read a training bitext; raise an InputError if none of it can be aligned."""
    text = read_text(bitext, max_length=max_length)
    if not text.sentences:
        raise InputError(
            f"a bitext of {number_of(text.sid.size, 'row')}, {text.empty:,} of them with an empty "
            f"side and {text.too_long:,} with more than {max_length:,} words on a side",
            expected="a sentence pair that can be aligned",
        )
    warn_of_unaligned(text, max_length)
    return text


def known_options(model: str, options: Mapping[str, Any]) -> None:
    """Raise an InputError for an option that a model does not have."""
    every_option(model, options)


def every_option(model: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options of a model, with defaults for those not given."""
    train = kind_module(model).train
    options = {name: plain(value) for name, value in options.items()}
    usual = usual_options(train)
    for name in options:
        if name not in usual:
            raise unknown(f"{model} option", name, list(usual))
        _check_kind(name, options[name], train)
    return usual | options


def _check_kind(name: str, value: Any, train: Callable[..., Any]) -> None:
    """Refuse true and false where a number is expected, and the reverse: Python takes both."""
    kind = str(signature(train).parameters[name].annotation)
    values = value if isinstance(value, (list, tuple)) else [value]
    if kind == "bool" and not isinstance(value, bool):
        raise InputError(f"{name} {value!r}", expected="true or false")
    if kind.startswith(("int", "float", "tuple")) and any(isinstance(one, bool) for one in values):
        raise InputError(f"{name} {value!r}", expected="numbers, not true or false")
