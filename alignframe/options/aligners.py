"""Options of word aligners."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeAlias

from alignframe.core.choices import WORD_ALIGNERS
from alignframe.errors import InputError, check_known, whole_number
from alignframe.options import Limited, limited

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Classes: TypeAlias = int | npt.NDArray[np.integer[Any]]

DTYPES = ("float32", "float64")

MAX_LENGTH = 200
"""Sentence pairs with more words on a side are not aligned."""

# Numbers of sentence pairs: sweeps depend on the text from ``_FEW`` to ``_ENOUGH``, and from
# ``_MANY`` to ``_MOST``.
_FEW, _ENOUGH, _MANY, _MOST = 200, 30_000, 200_000, 1_000_000


class Maximised(Limited):
    """Base of options of models that are trained by expectation maximisation."""

    def steps(self, _: int) -> int:
        """Return the number of iterations."""
        return sum(getattr(self, name) for name in names_of(self) if name.endswith("iterations"))


@dataclass(frozen=True)
class Ibm1(Maximised):
    """Options of IBM Model 1.

    Parameters
    ----------
    iterations
        Number of iterations.
    concentration
        Above 0, the concentration of a symmetric Dirichlet prior over the translations of each
        word: a small one (0.01) leaves rare words fewer translations (Riley & Gildea 2012). At 0,
        only the likelihood is maximised.
    spelling
        The pseudo-count of a pair of equal words in each M-step, as in ``Bayes``: 3 greatly
        improves the links of small texts. 0 turns it off.
    dtype
        The table's type: float32 or float64.
    """

    iterations: int = limited(5, low=0)
    concentration: float = limited(0.0, low=0)
    spelling: float = limited(0.0, low=0)
    dtype: str = limited("float32", choices=DTYPES)

    @property
    def together(self) -> bool:
        """Whether both directions are trained jointly."""
        return False


@dataclass(frozen=True)
class Hmm(Maximised):
    """Options of the hidden Markov model, which is trained after Model 1.

    Parameters
    ----------
    iterations
        Iterations of the HMM.
    ibm1_iterations
        Iterations of Model 1 before it. A prior model replaces Model 1; one of this kind also gives
        the initial jumps.
    smoothing
        The weight of the uniform distribution in that of jumps (Och & Ney 2003, section 3.5).
    p0
        The probability that a target word is linked to NULL.
    max_jump
        Wider jumps have the weight of one of this width, and so do first and last positions farther
        from the ends of the sentence.
    classes
        Jump probabilities depend on the class of the source word. The number of classes to make
        (see ``alignframe.aligners.hmm``), or the class, from 0, of each source word in the
        order of the vocabulary.
    concentration, dtype
        See ``Ibm1``.
    spelling
        The pseudo-count of a pair of equal words in each M-step, as in ``Bayes``. At 0, training a
        single direction maximises the likelihood alone, which never decreases.
    together
        Train both directions jointly, by default: translations are estimated from the geometric
        mean of both posteriors of a link. Without effect if only one direction is trained.
    """

    iterations: int = limited(5, low=0)
    ibm1_iterations: int = limited(5, low=0)
    smoothing: float = limited(0.2, above=0, below=1)
    p0: float = limited(0.3, above=0, below=1)
    max_jump: int = limited(20, low=1)
    classes: Classes = 1
    concentration: float = limited(0.0, low=0)
    spelling: float = limited(10.0, low=0)
    together: bool = True
    dtype: str = limited("float32", choices=DTYPES)

    def before(self, iterations: int) -> Ibm1:
        """Return the options of Model 1, whose prior already has the counts of spelling."""
        return Ibm1(iterations, self.concentration, dtype=self.dtype)


@dataclass(frozen=True)
class Ibm4(Maximised):
    """Options of IBM Model 4, which is trained after Model 1, the hidden Markov model and Model 3.

    Log-likelihoods of Models 3 and 4 are summed over the best alignments found and their
    neighbours.

    Parameters
    ----------
    iterations
        Iterations of Model 4.
    model3_iterations, hmm_iterations, ibm1_iterations
        Iterations of the models before it, each of which starts from the one before.
    classes
        The number of word classes on each side (see ``alignframe.aligners.hmm``).
    p0
        The probability that a target word is not followed by one from NULL; by default it is
        estimated.
    smoothing
        The weight of the uniform distribution in those of distances.
    place_smoothing
        The same for the positions of Model 3.
    fertility_weight
        Pseudo-counts for each source word, in proportion to the fertilities of words of its length.
    hmm_p0
        The probability that a target word is linked to NULL in the hidden Markov model.
    concentration, spelling, dtype
        See ``Hmm``.
    together
        If both directions are trained, train their hidden Markov models jointly, by default.
    """

    iterations: int = limited(3, low=0)
    model3_iterations: int = limited(3, low=0)
    hmm_iterations: int = limited(5, low=0)
    ibm1_iterations: int = limited(5, low=0)
    classes: int = limited(50, low=1)
    p0: float | None = limited(0.95, above=0, below=1)
    smoothing: float = limited(0.5, above=0, below=1)
    place_smoothing: float = limited(0.02, above=0, below=1)
    fertility_weight: float = limited(64.0, above=0)
    hmm_p0: float = limited(0.3, above=0, below=1)
    concentration: float = limited(0.0, low=0)
    spelling: float = limited(10.0, low=0)
    together: bool = True
    dtype: str = limited("float32", choices=DTYPES)

    @property
    def before(self) -> Hmm:
        """The options of the hidden Markov model, whose prior already has those of spelling."""
        return Hmm(
            self.hmm_iterations,
            self.ibm1_iterations,
            p0=self.hmm_p0,
            concentration=self.concentration,
            spelling=0.0,
            dtype=self.dtype,
        )


@dataclass(frozen=True)
class Bayes(Limited):
    """Options of the Bayesian aligner, which is trained by Gibbs sampling.

    Progress is reported after each sweep with the sampler and stage (``words``, ``jumps``,
    ``fertilities``), the sweep's number, and the log-probability of the sample; from several
    threads, in any order.

    Parameters
    ----------
    samplers
        Number of samplers, each with its own start; by default it depends on the size of the text
        (see ``effort``).
    sweeps
        Number of sweeps over the text in each of the three stages, such as ``[5, 3, 10]``; by
        default it depends on the size of the text. Probabilities are averaged over the second half
        of the last stage.
    concentration
        The pseudo-count of every pair of co-occurring words.
    null
        The probability that a target word has no source word.
    spelling
        The pseudo-count of a pair of equal words. Other pairs get less, down to none if half of
        their letters differ.
    stems
        The weight of links shared by forms of a word: a pair's pseudo-count is this many times the
        share of the target word's stem in the links of the source word's stem, excluding the pair's
        own links, and updated before each sweep. A stem is a word's first letters.
    checkpoints
        A folder where each finished sampler saves its counts. Training again on the same text, with
        the same options, reuses them, with the same result. The files can be deleted afterwards.
    agreement
        A link in the other direction makes it this many times as probable: if both directions are
        trained, from the second stage on, and if both align other text. With 1, the directions are
        independent.
    memory_limit
        The memory of the process, for example ``4GB``. If training needs more, the probable
        positions of each word are kept in temporary files, as those of large texts always are; then
        fewer samplers run at once. The result is the same. If a single sampler needs more, training
        is refused. Other processes, if they train, have their own memory.
    """

    samplers: int | None = limited(None, low=1)
    sweeps: tuple[int, int, int] | None = None
    concentration: float = limited(0.001, low=1e-6, high=1e6)
    null: float = limited(0.2, above=0, below=1)
    spelling: float = limited(1.0, low=0, high=1e6)
    stems: float = limited(1.0, low=0, high=1e6)
    checkpoints: str | None = None
    agreement: float = limited(3.0, low=1, high=1e6)
    memory_limit: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sweeps is None:
            return
        if not isinstance(self.sweeps, (tuple, list)) or len(self.sweeps) != 3:
            raise InputError(
                f"`sweeps` is {self.sweeps!r}", expected="three whole numbers, such as [5, 3, 10]"
            )
        for number, least in zip(self.sweeps, (0, 0, 1), strict=True):
            whole_number(number, least, "sweeps")

    @property
    def together(self) -> bool:
        """Whether both directions are trained jointly."""
        return self.agreement != 1

    def effort(self, sentences: int) -> tuple[int, tuple[int, int, int]]:
        """Return the number of samplers, and of sweeps in each of the three stages."""
        # On small texts, samplers vary more and converge later. From 30,000 sentence pairs on there
        # are 4 samplers of 5, 3 and 10 sweeps; on fewer, their product grows with the root of the
        # factor. Above 200,000, sweeps fall with the root of the size, and samplers with its sixth,
        # up to a million: with fewer, 5 million pairs would be aligned worse than a million.
        lacking = max(_ENOUGH / max(sentences, _FEW), 1.0)
        plenty = min(_MANY / min(max(sentences, 1), _MOST), 1.0)
        times = lacking ** (1 / 3) * plenty**0.5
        words, jumps, fertilities = (max(round(number * times), 1) for number in (5, 3, 10))
        samplers = max(round(4 * (lacking * plenty) ** (1 / 6)), 1)
        return self.samplers or samplers, self.sweeps or (words, jumps, fertilities)

    def steps(self, sentences: int) -> int:
        """Return the number of sweeps over a text, of all samplers."""
        samplers, sweeps = self.effort(sentences)
        return samplers * sum(sweeps)


Options: TypeAlias = Ibm1 | Hmm | Ibm4 | Bayes
OPTIONS: dict[str, type[Options]] = dict(zip(WORD_ALIGNERS, (Ibm1, Hmm, Ibm4, Bayes), strict=True))
"""The options of each model."""


def names_of(options: Any) -> list[str]:
    """Return the names of the options of a class."""
    return [option.name for option in fields(options)]


def options_of(model: str, given: Mapping[str, Any], others: Iterable[str] = ()) -> Options:
    """Return the options of a model; the error for an unknown one also lists the ``others``."""
    check_known("model", model, OPTIONS)
    known = names_of(OPTIONS[model])
    for name in given:
        if name not in known:
            raise _unknown_option(name, model, list(others))
    return OPTIONS[model](**given)


def _unknown_option(name: str, model: str, others: list[str]) -> InputError:
    """Return the error for an option that a model does not have; others may have it."""
    from difflib import get_close_matches

    listed, also = names_of(OPTIONS[model]), ""
    if others:
        # In the shell, options are written with hyphens.
        listed = [option.replace("_", "-") for option in listed]
        also = f"; or of the other options {', '.join(others)}"
    of_others = {option: None for kind in OPTIONS.values() for option in names_of(kind)}
    todo = ""
    for near in get_close_matches(name, [*of_others, *others], 1):
        owners = [model_name for model_name, kind in OPTIONS.items() if near in names_of(kind)]
        shown = near.replace("_", "-") if others else near
        own = model in owners or near in others
        todo = (
            f"did you mean {shown!r}?" if own else f"{shown!r} is an option of {', '.join(owners)}"
        )
    return InputError(
        f"unknown {model} option {name!r}", expected=f"one of {', '.join(listed)}{also}", todo=todo
    )
