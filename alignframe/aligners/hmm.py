"""The hidden Markov model of word alignment (Vogel et al. 1996)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from alignframe.aligners.classes import word_classes
from alignframe.aligners.ibm1 import check_options, maximize, with_spelling
from alignframe.aligners.ibm1 import train as train_ibm1
from alignframe.aligners.prior import Prior, Task
from alignframe.aligners.text import Text
from alignframe.aligners.training_pairs import MOST_TOGETHER, Paired, Part, places
from alignframe.aligners.translations import Translations, Vocabularies
from alignframe.arrays import F64, I32, Floats
from alignframe.errors import InputError
from alignframe.executors import mapped
from alignframe.kernels import hmm_links
from alignframe.kernels.hmm import Chain
from alignframe.kernels.hmm_counts import Counts, count_agreed, expect, update
from alignframe.kernels.links import Weighted, chosen, likely
from alignframe.kernels.ragged import frozen
from alignframe.kernels.translations import add_at
from alignframe.typing import TrainingProgress


@dataclass(frozen=True)
class Parameters:
    """Translation and jump probabilities."""

    translations: Translations
    chain: Chain

    def decode(self, paired: Paired, threshold: float | None = None) -> Iterator[Weighted]:
        """Yield the links of each part; see ``Model.align``."""
        call = partial(
            _decode, table=self.translations.of(paired), chain=self.chain, threshold=threshold
        )
        for _, links in paired.each(call):
            yield links

    def tables(self, vocabularies: Vocabularies) -> dict[str, pa.Table]:
        """Return the tables to save; see ``from_tables``."""
        chain = self.chain
        groups, widths = chain.jumps.shape
        reach = (widths - 1) // 2
        jumps = {
            "class": np.repeat(np.arange(groups), widths),
            "width": np.tile(np.arange(-reach, reach + 1), groups),
            "weight": chain.jumps.ravel(),
        }
        ends = {
            "place": np.arange(chain.first.size),
            "first": chain.first,
            "last": chain.last,
        }
        return {
            "translations": self.translations.table(vocabularies),
            "jumps": pa.table(jumps),
            "ends": pa.table(ends),
            "classes": pa.table({"class": chain.classes}),
            "chain": pa.table({"smoothing": [chain.smoothing], "p0": [chain.p0]}),
        }

    @classmethod
    def from_tables(cls, tables: Mapping[str, pa.Table], vocabularies: Vocabularies) -> Parameters:
        """Restore from what ``tables`` returned.

        Raises
        ------
        InputError
            If they are inconsistent.
        """
        translations = Translations.from_table(tables["translations"], vocabularies)
        found = {
            (table, column): tables[table].column(column).to_numpy()
            for table, columns in _COLUMNS.items()
            for column in columns
            if column in tables[table].column_names
        }
        numbers = all(column.dtype.kind in "iuf" for column in found.values())
        if len(found) != sum(map(len, _COLUMNS.values())) or not numbers:
            raise InputError("tables of a hidden Markov model that lack a column of numbers")
        classes, weights = found["classes", "class"], found["jumps", "weight"]
        groups = int(found["jumps", "class"].max(initial=-1)) + 1
        fits = (
            groups > 0
            and weights.size % groups == 0
            and weights.size // groups % 2 == 1
            and classes.size == len(vocabularies[0]) + 1
            and 0 <= classes.min() <= classes.max() < groups
            and found["chain", "p0"].size == 1
            and found["ends", "first"].size > 0
            and all((np.isfinite(column) & (column >= 0)).all() for column in found.values())
        )
        if not fits:
            raise InputError("tables of a hidden Markov model that do not fit together")
        chain = Chain(
            frozen(classes.astype(np.int32)),
            frozen(weights.reshape(groups, -1)),
            frozen(found["ends", "first"]),
            frozen(found["ends", "last"]),
            float(found["chain", "smoothing"][0]),
            float(found["chain", "p0"][0]),
        )
        return cls(translations, chain)


_COLUMNS = {
    "jumps": ("class", "weight"),
    "ends": ("first", "last"),
    "classes": ("class",),
    "chain": ("smoothing", "p0"),
}


def _decode(part: Part, table: Floats, chain: Chain, threshold: float | None) -> Weighted:
    pairing = part.pairing
    if threshold is None:
        return chosen(pairing.tgt_at, *hmm_links.best(pairing, table[part.own], chain))
    found = hmm_links.posteriors(pairing, table[part.own], chain)
    return likely(pairing.src_at, pairing.at, found, threshold)


def train(
    paired: Paired,
    *,
    seed: int = 1,
    progress: TrainingProgress | None = None,
    prior: Prior | None = None,
    iterations: int = 5,
    ibm1_iterations: int = 5,
    smoothing: float = 0.2,
    p0: float = 0.3,
    max_jump: int = 20,
    classes: int | npt.NDArray[np.integer[Any]] = 1,
    concentration: float = 0.0,
    spelling: float = 10.0,
    together: bool = True,
    dtype: str = "float32",
) -> Parameters:
    """Train Model 1, then this model, by expectation maximisation.

    Parameters
    ----------
    paired, seed, progress, prior, concentration, dtype
        See ``alignframe.aligners.ibm1.train``. A prior model replaces Model 1; one of this kind
        also gives the initial jumps.
    spelling
        The pseudo-count of a pair of equal words in each M-step, as in ``bayes``. At 0, training a
        single direction maximises the likelihood alone, which never decreases.
    together
        Train both directions jointly: translations are estimated from the geometric mean of both
        posteriors of a link. Without effect if only one direction is trained.
    iterations, ibm1_iterations
        Iterations of this model, and of Model 1 before it.
    smoothing
        The weight of the uniform distribution in that of jumps (Och & Ney 2003, section 3.5).
    p0
        The probability that a target word is linked to NULL.
    max_jump
        Wider jumps have the weight of one of this width, and so do first and last positions farther
        from the ends of the sentence.
    classes
        Jump probabilities depend on the class of the source word. The number of classes to make
        (see ``alignframe.aligners.classes``), or the class, from 0, of each source word in the
        order of the vocabulary.

    Raises
    ------
    InputError
        If an option is out of range.
    """
    (found,) = train_together(
        [Task(paired, prior, progress)],
        seed=seed,
        iterations=iterations,
        ibm1_iterations=ibm1_iterations,
        smoothing=smoothing,
        p0=p0,
        max_jump=max_jump,
        classes=classes,
        concentration=concentration,
        spelling=spelling,
        together=together,
        dtype=dtype,
    )
    return found


def train_together(
    tasks: Sequence[Task],
    *,
    seed: int,
    iterations: int,
    ibm1_iterations: int,
    smoothing: float,
    p0: float,
    max_jump: int,
    classes: int | npt.NDArray[np.integer[Any]],
    concentration: float,
    spelling: float,
    together: bool,
    dtype: str,
) -> list[Parameters]:
    """Train both directions of a text so that they agree, or only one; see ``train``.

    Liang, Taskar & Klein 2006 (section 3) use the product of both posteriors in the E-step. The
    geometric mean gives the more certain direction more weight, and was better on all texts tried.
    """
    check_options(
        iterations=iterations,
        smoothing=smoothing,
        p0=p0,
        max_jump=max_jump,
        concentration=concentration,
        together=together,
    )
    texts = [one.paired for one in tasks]
    priors = [with_spelling(one.prior or Prior(), one.paired, spelling) for one in tasks]
    translations = [
        train_ibm1(
            one.paired,
            seed=seed,
            progress=one.progress,
            prior=prior,
            iterations=ibm1_iterations if prior.model is None else 0,
            concentration=concentration,
            spelling=0.0,  # the prior already has them
            dtype=dtype,
        ).translations
        for one, prior in zip(tasks, priors, strict=True)
    ]
    tables = [one.values for one in translations]
    chains = [
        _start(paired, prior, max_jump, classes, seed)._replace(smoothing=smoothing, p0=p0)
        for paired, prior in zip(texts, priors, strict=True)
    ]
    for iteration in range(1, iterations + 1):
        found = _counts(texts, tables, chains)
        for k, (counts, chain) in enumerate(zip(found, chains, strict=True)):
            maximize(texts[k], counts.cells, priors[k], concentration, tables[k])
            chains[k] = chain._replace(
                jumps=update(chain.jumps, counts.jumps),
                first=update(chain.first, counts.first),
                last=update(chain.last, counts.last),
            )
            progress = tasks[k].progress
            if progress is not None:
                progress("hmm", iteration, counts.log_likelihood)
    return [
        Parameters(replace(one, values=table), chain)
        for one, table, chain in zip(translations, tables, chains, strict=True)
    ]


def apart(text: Text, options: Mapping[str, Any]) -> bool:
    """Return whether each direction of a text is trained separately.

    That is so if the pairs of positions of both would take gigabytes.
    """
    return not options["together"] or int(places(text)[-1]) > MOST_TOGETHER


def _counts(texts: list[Paired], tables: list[Floats], chains: list[Chain]) -> list[Counts]:
    """Sum the expected counts of the parts, in order, in each direction."""
    cells: list[F64] = [np.zeros(paired.n_cells) for paired in texts]
    found: list[list[Any]] = [[] for _ in texts]
    parts = list(zip(*(paired.parts for paired in texts), strict=True))
    call = partial(_expect, tables=tables, chains=chains)
    for some, counted in zip(parts, mapped(call, parts, texts[0].executor), strict=True):
        for k, (part, counts) in enumerate(zip(some, counted, strict=True)):
            add_at(cells[k], part.own, counts.cells)
            found[k].append(counts[1:])
    return [
        Counts(own, *(sum(column) for column in zip(*rest, strict=True)))
        for own, rest in zip(cells, found, strict=True)
    ]


def _expect(parts: tuple[Part, ...], tables: list[Floats], chains: list[Chain]) -> list[Counts]:
    alone = len(parts) == 1
    counts, links = zip(
        *(
            expect(part.pairing, table[part.own], chain, apart=alone)
            for part, table, chain in zip(parts, tables, chains, strict=True)
        ),
        strict=True,
    )
    if not alone:
        for k, part in enumerate(parts):
            count_agreed(part.pairing, links[k], links[1 - k], counts[k].cells)
    return list(counts)


def _start(paired: Paired, prior: Prior, max_jump: int, classes: Any, seed: int) -> Chain:
    """Return the initial chain: uniform, or the prior model's."""
    old = getattr(prior.model and prior.model.parameters, "chain", None)
    if isinstance(old, Chain) and prior.src is not None and np.array_equal(classes, 1):
        groups = np.where(prior.src < 0, 0, old.classes[prior.src]).astype(np.int32)
        reach = (old.jumps.shape[1] - 1) // 2
        widths = np.clip(np.arange(-max_jump, max_jump + 1), -reach, reach) + reach
        ends = np.minimum(np.arange(max_jump + 1), old.first.size - 1)
        first, last = frozen(old.first[ends]), frozen(old.last[ends])
        return Chain(frozen(groups), frozen(old.jumps[:, widths]), first, last, 0.0, 0.0)
    groups = _classes(classes, paired, seed)
    jumps = np.full((int(groups.max()) + 1, 2 * max_jump + 1), 1.0 / (2 * max_jump + 1))
    ends = np.full(max_jump + 1, 1.0 / (max_jump + 1))
    return Chain(frozen(groups), frozen(jumps), frozen(ends), frozen(ends), 0.0, 0.0)


def _classes(classes: Any, paired: Paired, seed: int) -> I32:
    """Return the class of each source word; that of the unknown word defaults to 0."""
    side = paired.text.src
    found = np.asarray(classes)
    if found.ndim == 0 and found.dtype.kind in "iu" and found >= 1:
        if found == 1:
            return np.zeros(side.n_words, np.int32)
        return word_classes(side, int(found), seed=seed)
    sizes = (side.n_words - 1, side.n_words)
    if found.ndim != 1 or found.size not in sizes or found.dtype.kind not in "iu":
        raise InputError(
            f"classes of the shape {found.shape} and the type {found.dtype}",
            expected=f"their number, or {sizes[0]:,} whole numbers, one per source word",
        )
    if found.min(initial=0) < 0 or found.max(initial=0) >= side.n_words:
        raise InputError(
            f"classes from {found.min():,} to {found.max():,}",
            expected="numbers from 0, fewer than there are words",
        )
    return np.append(found, 0)[: side.n_words].astype(np.int32)
