"""How word aligners are trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from alignframe.core.choices import WORD_SPLITTINGS
from alignframe.core.parallel import pool_of
from alignframe.errors import check_known, make_plain, plain, whole_number
from alignframe.options.aligners import MAX_LENGTH, Options, names_of, options_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from alignframe.options.aligners import Classes
    from alignframe.typing import IntoWordModel, Threads, TrainingProgress, WordModel

    IntoPrior: TypeAlias = IntoWordModel | tuple[WordModel, WordModel] | None


class FitOptions(TypedDict, total=False):
    """The fields of ``Training``, and the options of all models, as keywords."""

    seed: int
    max_length: int
    prior: IntoPrior
    words: str
    strength: float
    threads: Threads
    progress: TrainingProgress | None
    iterations: int
    ibm1_iterations: int
    hmm_iterations: int
    model3_iterations: int
    concentration: float
    spelling: float
    dtype: str
    together: bool
    smoothing: float
    place_smoothing: float
    p0: float | None
    hmm_p0: float
    max_jump: int
    classes: Classes
    fertility_weight: float
    samplers: int | None
    sweeps: tuple[int, int, int] | None
    null: float
    stems: float
    agreement: float
    checkpoints: str | None
    memory_limit: str | None


@dataclass(frozen=True)
class Training:
    """How a word alignment model is trained.

    Parameters
    ----------
    model
        ``ibm1``, ``hmm``, ``ibm4`` or ``bayes``.
    seed
        Random seed.
    max_length
        Sentence pairs with more words on a side are left out.
    prior
        A model of the same direction, from which training continues: new words start uniform, and
        words absent from the bitext are forgotten. Or a lexicon, a frame or a Parquet file with src
        and tgt, and optionally p or llr: its pairs that co-occur in a sentence pair get
        pseudo-counts. For both directions, a lexicon, or a forward and a reverse model.
    words
        How text is split into words, one of ``WORD_SPLITTINGS``; with a prior model, by default as
        it splits it. Links count what stands between spaces all the same; see ``align``.
    strength
        The pseudo-counts of each word in a lexicon, shared by its translations in proportion to p
        or llr, or evenly.
    threads
        Number of threads, or an executor (of processes, or of a cluster), to train in parallel; one
        by default. The result is the same.
    progress
        Called after each iteration with the stage, its number and the previous log-likelihood.
        Stages of the reverse direction end in ``-reverse``.
    given
        The options given for the model.

    Examples
    --------
    >>> from alignframe import aligners
    >>> aligners.Training("hmm", given={"iterations": 3}).options.p0
    0.3
    """

    model: str = "bayes"
    seed: int = 1
    max_length: int = MAX_LENGTH
    prior: IntoPrior = None
    words: str = "auto"
    strength: float = 1.0
    threads: Threads = None
    progress: TrainingProgress | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    options: Options = field(init=False)

    def __post_init__(self) -> None:
        make_plain(self)
        object.__setattr__(self, "options", options_of(self.model, self.given))
        check_known("`words`", self.words, WORD_SPLITTINGS)
        whole_number(self.seed, 0, "seed", (1 << 53) - 1)
        object.__setattr__(self, "threads", pool_of(self.threads))

    @property
    def executor(self) -> Executor | None:
        """What runs parts of the text in parallel."""
        return pool_of(self.threads)

    @property
    def priors(self) -> tuple[IntoWordModel | None, IntoWordModel | None]:
        """The prior of each direction."""
        return self.prior if isinstance(self.prior, tuple) else (self.prior, self.prior)


def training_of(model: str, given: Mapping[str, Any]) -> Training:
    """Return how a model is trained, by the keywords of ``FitOptions``."""
    own = {name: given[name] for name in _OF_TRAINING if name in given}
    others = {name: plain(value) for name, value in given.items() if name not in own}
    return Training(model, **own, given=others)


_OF_TRAINING = names_of(Training)[1:-2]
