"""The hidden Markov model of word alignment (Vogel et al. 1996)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa

from alignframe.aligners import ibm1
from alignframe.aligners.ibm1 import maximize, with_spelling
from alignframe.aligners.prior import Task
from alignframe.aligners.text import TextSide
from alignframe.aligners.training_pairs import Paired, Part
from alignframe.aligners.translations import Translations, Vocabularies
from alignframe.core.arrays import F64, I32, Floats, frozen
from alignframe.core.parallel import parallel_map
from alignframe.errors import InputError
from alignframe.kernels.aligners import hmm_links
from alignframe.kernels.aligners.hmm import Chain
from alignframe.kernels.aligners.hmm_counts import Counts, count_agreed, expect, update
from alignframe.kernels.aligners.translation_tables import add_at
from alignframe.kernels.aligners.weighted_links import Weighted, chosen, likely
from alignframe.kernels.aligners.word_classes import class_counts, count_bigrams, sweep
from alignframe.options.aligners import Hmm

_USUAL = Hmm()


@dataclass(frozen=True)
class Parameters:
    """Translation and jump probabilities."""

    translations: Translations
    chain: Chain

    def decode(self, paired: Paired, threshold: float | None = None) -> Iterator[Weighted]:
        """Yield the links of each part; see ``Model.align``."""
        call = partial(_decode, self.translations.values_of(paired), self.chain, threshold)
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
        """Restore from what ``tables`` returned; raise an InputError if it is inconsistent."""
        translations = Translations.from_table(tables["translations"], vocabularies)
        columns_found = {
            (table, column): tables[table].column(column).to_numpy()
            for table, columns in _COLUMNS.items()
            for column in columns
            if column in tables[table].column_names
        }
        numbers = all(column.dtype.kind in "iuf" for column in columns_found.values())
        if len(columns_found) != sum(map(len, _COLUMNS.values())) or not numbers:
            raise InputError("tables of a hidden Markov model that lack a column of numbers")
        classes, weights = columns_found["classes", "class"], columns_found["jumps", "weight"]
        groups = int(columns_found["jumps", "class"].max(initial=-1)) + 1
        fits = (
            groups > 0
            and weights.size % groups == 0
            and weights.size // groups % 2 == 1
            and classes.size == len(vocabularies[0]) + 1
            and 0 <= classes.min() <= classes.max() < groups
            and columns_found["chain", "p0"].size == 1
            and columns_found["ends", "first"].size > 0
            and all(
                (np.isfinite(column) & (column >= 0)).all() for column in columns_found.values()
            )
        )
        if not fits:
            raise InputError("tables of a hidden Markov model that do not fit together")
        chain = Chain(
            frozen(classes.astype(np.int32)),
            frozen(weights.reshape(groups, -1)),
            frozen(columns_found["ends", "first"]),
            frozen(columns_found["ends", "last"]),
            float(columns_found["chain", "smoothing"][0]),
            float(columns_found["chain", "p0"][0]),
        )
        return cls(translations, chain)


_COLUMNS = {
    "jumps": ("class", "weight"),
    "ends": ("first", "last"),
    "classes": ("class",),
    "chain": ("smoothing", "p0"),
}


def _decode(table: Floats, chain: Chain, threshold: float | None, part: Part) -> Weighted:
    pairing = part.pairing
    if threshold is None:
        return chosen(pairing.tgt_at, *hmm_links.best(pairing, table[part.own], chain))
    posteriors_found = hmm_links.posteriors(pairing, table[part.own], chain)
    return likely(pairing.src_at, pairing.at, posteriors_found, threshold)


def train(tasks: Sequence[Task], options: Hmm = _USUAL, seed: int = 1) -> list[Parameters]:
    """Train both directions of a text so that they agree, or only one."""
    tasks = with_spelling(tasks, options.spelling)
    # Liang, Taskar & Klein 2006 (section 3) use the product of both posteriors in the E-step. The
    # geometric mean gives the more certain direction more weight, and was better on all texts
    # tried.
    translations = [
        # A prior model's table stands for the iterations of Model 1.
        ibm1.train([own], options.before(0 if own.prior.model else options.ibm1_iterations))[
            0
        ].translations
        for own in tasks
    ]
    tables = [translation.values for translation in translations]
    chains = [_start(own, options, seed) for own in tasks]
    for iteration in range(1, options.iterations + 1):
        counted = _counts([own.paired for own in tasks], tables, chains)
        for k, (task, counts, chain) in enumerate(zip(tasks, counted, chains, strict=True)):
            maximize(task, counts.cells, options.concentration, tables[k])
            chains[k] = chain._replace(
                jumps=update(chain.jumps, counts.jumps),
                first=update(chain.first, counts.first),
                last=update(chain.last, counts.last),
            )
            task.tell("hmm", iteration, counts.log_likelihood)
    return [
        Parameters(replace(translation, values=table), chain)
        for translation, table, chain in zip(translations, tables, chains, strict=True)
    ]


def _counts(texts: list[Paired], tables: list[Floats], chains: list[Chain]) -> list[Counts]:
    """Sum the expected counts of the parts, in order, in each direction."""
    cells: list[F64] = [np.zeros(paired.n_cells) for paired in texts]
    sums: list[list[object]] = [[] for _ in texts]
    parts = list(zip(*(paired.parts for paired in texts), strict=True))
    call = partial(_expect, tables, chains)
    for some, counted in zip(parts, parallel_map(call, parts, texts[0].executor), strict=True):
        # Sums in the order of the parts are the same for any number of threads.
        for k, (part, counts) in enumerate(zip(some, counted, strict=True)):
            add_at(cells[k], part.own, counts.cells)
            sums[k].append(counts[1:])
    return [
        Counts(own, *(sum(column) for column in zip(*rest, strict=True)))
        for own, rest in zip(cells, sums, strict=True)
    ]


def _expect(tables: list[Floats], chains: list[Chain], parts: tuple[Part, ...]) -> list[Counts]:
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


def _start(task: Task, options: Hmm, seed: int) -> Chain:
    """Return the initial chain: uniform, or the prior model's."""
    prior, reach = task.prior, options.max_jump
    first = last = np.full(reach + 1, 1.0 / (reach + 1))
    old = getattr(prior.model and prior.model.parameters, "chain", None)
    # A prior's classes hold unless others are asked for.
    if isinstance(old, Chain) and prior.src is not None and np.array_equal(options.classes, 1):
        groups = np.where(prior.src < 0, 0, old.classes[prior.src]).astype(np.int32)
        middle = (old.jumps.shape[1] - 1) // 2
        # A wider reach than the prior's repeats its widest jumps.
        jumps = old.jumps[:, np.clip(np.arange(-reach, reach + 1), -middle, middle) + middle]
        places = np.minimum(np.arange(reach + 1), old.first.size - 1)
        first, last = old.first[places], old.last[places]
    else:
        groups = _classes(options.classes, task.paired, seed)
        jumps = np.full((int(groups.max()) + 1, 2 * reach + 1), 1.0 / (2 * reach + 1))
    return Chain(
        frozen(groups),
        frozen(jumps),
        frozen(first),
        frozen(last),
        options.smoothing,
        options.p0,
    )


def _classes(classes: object, paired: Paired, seed: int) -> I32:
    """Return the class of each source word; that of the unknown word defaults to 0."""
    side = paired.text.src
    given = np.asarray(classes)
    if given.ndim == 0 and given.dtype.kind in "iu" and given >= 1:
        if given == 1:
            return np.zeros(side.n_words, np.int32)
        return word_classes(side, int(given), seed=seed)
    sizes = (side.n_words - 1, side.n_words)
    if given.ndim != 1 or given.size not in sizes or given.dtype.kind not in "iu":
        raise InputError(
            f"classes of the shape {given.shape} and the type {given.dtype}",
            expected=f"their number, or {sizes[0]:,} whole numbers, one per source word",
        )
    if given.min(initial=0) < 0 or given.max(initial=0) >= side.n_words:
        raise InputError(
            f"classes from {given.min():,} to {given.max():,}",
            expected="numbers from 0, fewer than there are words",
        )
    return np.append(given, 0)[: side.n_words].astype(np.int32)


SWEEPS = 15
"""The maximum number of sweeps over the words."""
# Stop after a sweep that moves less than one word in this many.
_FEW = 1000


def word_classes(side: TextSide, n: int = 50, *, sweeps: int = SWEEPS, seed: int = 1) -> I32:
    """Put words with similar neighbours in one class, 0 to n - 1, the unknown word last."""
    if n < 1:
        raise InputError(f"{n} word classes", expected="1 or more")
    # The exchange algorithm on the likelihood of class bigrams (Kneser & Ney 1993; Och 1999, An
    # efficient method for determining bilingual word classes): words are dealt to the classes by
    # frequency; then each, the most frequent first, moves to the class that maximises the
    # likelihood, until hardly any moves.
    n_words = len(side.vocabulary)
    known = np.minimum(side.words, n_words)
    times = np.bincount(known, minlength=n_words)[:n_words]
    # Words of equal frequency are in random order.
    shuffled = np.random.default_rng(seed).permutation(n_words)
    order = shuffled[np.argsort(-times[shuffled], kind="stable")]
    classes = np.empty(n_words + 2, np.int32)
    classes[order] = np.arange(n_words) % n
    classes[n_words:] = 0, n
    if times.sum() == side.words.size:
        # The unknown word does not occur in the text, so it is not moved.
        seen = order[times[order] > 0]
    else:
        seen = np.concatenate([order[times[order] > 0], [n_words]])
    bigrams = count_bigrams(side.at, side.words, n_words + 1)
    counts = class_counts(bigrams, classes, n)
    sizes = counts.sum(axis=1)
    for _ in range(sweeps):
        moved, _ = sweep(bigrams, frozen(seen), classes, counts, sizes)
        if moved * _FEW < seen.size:
            break
    if seen.size < n_words + 1:
        # An unknown word is likeliest to be of the class with the most words that occur once.
        rare = np.bincount(classes[:n_words][times == 1], minlength=n)
        classes[n_words] = rare.argmax()
    return frozen(classes[: n_words + 1])
