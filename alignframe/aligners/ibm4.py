"""IBM Model 4: fertilities, and positions of cepts by word classes (Brown et al. 1993).

The training schedule is that of GIZA++ (Och & Ney 2003, section 6): Model 1, the hidden Markov
model, Model 3, Model 4, each initialised by the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from alignframe.aligners import fertility, hmm
from alignframe.aligners.fertility import FLOOR, Distortion
from alignframe.aligners.hmm import word_classes
from alignframe.aligners.ibm1 import maximize, with_spelling
from alignframe.aligners.prior import Task
from alignframe.aligners.training_pairs import Paired, Part
from alignframe.aligners.translations import Translations, Vocabularies
from alignframe.core.arrays import F64, I32, I64, Floats, frozen
from alignframe.errors import InputError
from alignframe.kernels.aligners import hmm_links, ibm4
from alignframe.kernels.aligners.cepts import MAX_JUMP
from alignframe.kernels.aligners.fertility import MAX_FERTILITY, Blocks, log_places, make_blocks
from alignframe.kernels.aligners.hmm import Chain
from alignframe.kernels.aligners.ibm4 import Counts
from alignframe.kernels.aligners.sentence_pair import Logs
from alignframe.kernels.aligners.translation_tables import add_at
from alignframe.kernels.aligners.weighted_links import Weighted, chosen, likely
from alignframe.options.aligners import Ibm4

_USUAL = Ibm4()


@dataclass(frozen=True)
class Parameters:
    """Parameters of Model 4, and the jumps that give its initial alignments."""

    translations: Translations
    chain: Chain
    distortion: Distortion

    def decode(self, paired: Paired, threshold: float | None = None) -> Iterator[Weighted]:
        """Yield the links of each part; see ``Model.align``."""
        # Hill climbing starts from the Viterbi path of the hidden Markov model.
        table, logs = self.translations.values_of(paired), self.distortion.logs()
        call = partial(_decode, table, self.chain, logs, threshold)
        for _, links in paired.each(call):
            yield links

    def tables(self, vocabularies: Vocabularies) -> dict[str, pa.Table]:
        """Return the tables to save."""
        jumps = hmm.Parameters(self.translations, self.chain).tables(vocabularies)
        return {**jumps, **to_tables(self.distortion, vocabularies)}

    @classmethod
    def from_tables(cls, tables: Mapping[str, pa.Table], vocabularies: Vocabularies) -> Parameters:
        """Restore from what ``tables`` returned."""
        jumps = hmm.Parameters.from_tables(tables, vocabularies)
        return cls(jumps.translations, jumps.chain, from_tables(tables, vocabularies))


def _decode(
    table: Floats, chain: Chain, logs: Logs, threshold: float | None, part: Part
) -> Weighted:
    pairing, own = part.pairing, table[part.own]
    choice, _ = hmm_links.best(pairing, own, chain)
    if threshold is None:
        return chosen(pairing.tgt_at, *ibm4.best(pairing, own, logs, choice))
    probabilities = ibm4.posteriors(pairing, own, logs, choice)
    return likely(pairing.src_at, pairing.at, probabilities, threshold)


def train(tasks: Sequence[Task], options: Ibm4 = _USUAL, seed: int = 1) -> list[Parameters]:
    """Train Model 1, the hidden Markov model, Model 3 and Model 4 in one or both directions."""
    tasks = with_spelling(tasks, options.spelling)
    before = hmm.train(tasks, options.before, seed)
    return [
        _train(task, chained, options, seed) for task, chained in zip(tasks, before, strict=True)
    ]


def _train(task: Task, before: hmm.Parameters, options: Ibm4, seed: int) -> Parameters:
    paired = task.paired
    text = paired.text
    classes = options.classes
    src_classes = word_classes(text.src, classes, seed=seed)
    tgt_classes = word_classes(text.tgt, classes, seed=seed)
    table = before.translations.values
    blocks = make_blocks(text.src.at, text.tgt.at)
    letters = fertility.word_letters(text.src.vocabulary)
    shape = (classes + 1, classes)

    def distortion(counts: Counts) -> Distortion:
        # Model 3 has no distances to count.
        placed = counts.heads.size > 0
        smoothing = options.smoothing
        return Distortion(
            fertility.fertilities(counts.fertilities, letters, options.fertility_weight),
            src_classes,
            tgt_classes,
            fertility.distances(counts.heads, smoothing) if placed else parameters.heads,
            fertility.further_distances(counts.mores, smoothing) if placed else parameters.mores,
            fertility.null_share(counts.nulls, options.p0),
        )

    step = _Step(blocks, src_classes, tgt_classes, shape)
    choices, counts, _ = step.start(paired, table, before.chain)
    parameters = distortion(counts)
    of_model_3 = options.model3_iterations
    for iteration in range(1, of_model_3 + options.iterations + 1):
        third = iteration <= of_model_3
        if third:
            places = log_places(blocks, counts.places, options.place_smoothing)
            logs = parameters.logs_of_model_3(places)
        else:
            logs = parameters.logs()
        # Positions are counted if an iteration of Model 3 follows, distances otherwise.
        choices, counts, log_likelihood = step.expect(
            paired, table, logs, choices, iteration < of_model_3
        )
        fertility.drop_small(counts.cells)
        maximize(task, counts.cells, options.concentration, table)
        parameters = distortion(counts)
        number = iteration if third else iteration - of_model_3
        task.tell("ibm3" if third else "ibm4", number, log_likelihood)
    return Parameters(before.translations, before.chain, parameters)


Expected = tuple[list[I32], Counts, float]
"""Alignments of each part, counts, and the log-likelihood."""


@dataclass(frozen=True)
class _Step:
    """The E-step over the parts of a text; sent to other processes, so it holds no text."""

    blocks: Blocks
    src_classes: I32
    tgt_classes: I32
    shape: tuple[int, int]

    def start(self, paired: Paired, table: Floats, chain: Chain) -> Expected:
        """Return the alignments of the hidden Markov model, and their counts."""
        return self.gather(paired, partial(self._start, table, chain))

    def expect(
        self, paired: Paired, table: Floats, logs: Logs, choices: list[I32], places: bool
    ) -> Expected:
        """Return the alignments after hill climbing, and the expected counts around them."""
        begins = {part.first: choice for part, choice in zip(paired.parts, choices, strict=True)}
        return self.gather(paired, partial(self._expect, table, logs, begins, places))

    def gather(self, paired: Paired, call: Callable[[Part], tuple[I32, Counts, float]]) -> Expected:
        """Sum the results of the parts, in order."""
        choices: list[I32] = []
        total: Counts | None = None
        cells = np.zeros(paired.n_cells)
        log_likelihood = 0.0
        for part, (choice, counts, logarithm) in paired.each(call):
            choices.append(choice)
            log_likelihood += logarithm
            # The first alignments have no counts of translations.
            if counts.cells.size:
                add_at(cells, part.own, counts.cells)
            if total is None:
                total = counts._replace(cells=cells)
            else:
                for whole, some in zip(total[1:], counts[1:], strict=True):
                    whole += some
        if total is None:
            total = self.no_counts(0, places=True, distances=True)
        return choices, total, log_likelihood

    def no_counts(self, n_cells: int, *, places: bool, distances: bool) -> Counts:
        """Return counts of 0."""
        return fertility.no_counts(
            n_cells,
            self.src_classes.size,
            self.blocks.size if places else 0,
            self.shape if distances else None,
        )

    def places_of(self, part: Part) -> I64:
        """Return where the positions of each sentence of a part begin."""
        return frozen(self.blocks.of[part.first : part.first + part.pairing.sentences])

    def _start(self, table: Floats, chain: Chain, part: Part) -> tuple[I32, Counts, float]:
        choice, _ = hmm_links.best(part.pairing, table[part.own], chain)
        counts = self.no_counts(0, places=True, distances=True)
        ibm4.count_alignments(
            part.pairing,
            frozen(choice),
            # The last class is that of the start of a sentence.
            frozen(np.append(self.src_classes, np.int32(self.shape[0] - 1))),
            self.tgt_classes,
            self.places_of(part),
            counts,
        )
        return frozen(choice), counts, 0.0

    def _expect(
        self, table: Floats, logs: Logs, begins: dict[int, I32], places: bool, part: Part
    ) -> tuple[I32, Counts, float]:
        counts = self.no_counts(part.own.size, places=places, distances=not places)
        choice, log_likelihood = ibm4.expect(
            part.pairing, table[part.own], logs, self.places_of(part), begins[part.first], counts
        )
        return frozen(choice), counts, log_likelihood


# Saving the parameters of Model 4, except translations, as tables.

_COLUMNS = {
    "fertilities": "p",
    "src_classes": "class",
    "tgt_classes": "class",
    "heads": "p",
    "mores": "p",
    "nulls": "p0",
}


def to_tables(distortion: Distortion, vocabularies: Vocabularies) -> dict[str, pa.Table]:
    """Return the tables of a model's distortion; a null word is the unknown word."""
    n_src = distortion.src_classes.size
    of_src, of_tgt, widths = distortion.heads.shape
    classes = np.arange(of_src, dtype=np.int32), np.arange(of_tgt, dtype=np.int32)
    jumps = np.arange(-MAX_JUMP, MAX_JUMP + 1, dtype=np.int32)
    fertilities = np.arange(MAX_FERTILITY + 1, dtype=np.int32)
    words = np.repeat(np.arange(n_src, dtype=np.int32), fertilities.size)
    return {
        "fertilities": pa.table(
            {
                "src": _words(vocabularies[0], words),
                "fertility": np.tile(fertilities, n_src),
                "p": distortion.fertilities.ravel(),
            }
        ),
        "src_classes": _class_table(vocabularies[0], distortion.src_classes),
        "tgt_classes": _class_table(vocabularies[1], distortion.tgt_classes),
        # The last src_class is the sentence start; jumps are in positions, clipped to 100.
        "heads": pa.table(
            {
                "src_class": np.repeat(classes[0], of_tgt * widths),
                "tgt_class": np.tile(np.repeat(classes[1], widths), of_src),
                "jump": np.tile(jumps, of_src * of_tgt),
                "p": distortion.heads.ravel(),
            }
        ),
        "mores": pa.table(
            {
                "tgt_class": np.repeat(classes[1], MAX_JUMP),
                "jump": np.tile(np.arange(1, MAX_JUMP + 1, dtype=np.int32), of_tgt),
                "p": distortion.mores[:, 1:].ravel(),
            }
        ),
        "nulls": pa.table({"p0": [distortion.p0]}),
    }


def _words(vocabulary: pa.Array, numbers: I32) -> pa.DictionaryArray:
    indices = pa.array(numbers, mask=numbers >= len(vocabulary))
    return pa.DictionaryArray.from_arrays(indices, vocabulary)


def _class_table(vocabulary: pa.Array, classes: I32) -> pa.Table:
    words = _words(vocabulary, np.arange(classes.size, dtype=np.int32))
    return pa.table({"word": words, "class": classes})


def from_tables(tables: Mapping[str, pa.Table], vocabularies: Vocabularies) -> Distortion:
    """Restore from what ``to_tables`` returned, with rows in that order."""
    values_of = {}
    for name, column in _COLUMNS.items():
        table = tables[name]
        numbers = column in table.column_names and table.column(column).null_count == 0
        kind = table.schema.field(column).type if numbers else pa.null()
        if not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
            raise InputError(f"a table {name} without numbers {column}")
        values_of[name] = table.column(column).to_numpy()
    n_src, n_tgt = (len(words) + 1 for words in vocabularies)
    of_tgt = values_of["mores"].size // MAX_JUMP
    of_src = values_of["heads"].size // max(of_tgt * (2 * MAX_JUMP + 1), 1)
    sizes = {
        "fertilities": n_src * (MAX_FERTILITY + 1),
        "src_classes": n_src,
        "tgt_classes": n_tgt,
        "heads": of_src * of_tgt * (2 * MAX_JUMP + 1),
        "mores": of_tgt * MAX_JUMP,
        "nulls": 1,
    }
    fits = all(values_of[name].size == size for name, size in sizes.items()) and all(
        ((values >= 0.0) & (values <= 1.0)).all()
        for name, values in values_of.items()
        if not name.endswith("classes")
    )
    for name, most in (("src_classes", of_src - 1), ("tgt_classes", of_tgt)):
        fits = fits and ((values_of[name] >= 0) & (values_of[name] < most)).all()
    if not fits:
        raise InputError("tables of a Model 4 that do not fit together")
    mores = np.zeros((of_tgt, MAX_JUMP + 1))
    mores[:, 1:] = _probabilities(values_of["mores"]).reshape(of_tgt, -1)
    return Distortion(
        _probabilities(values_of["fertilities"]).reshape(n_src, -1),
        frozen(values_of["src_classes"].astype(np.int32)),
        frozen(values_of["tgt_classes"].astype(np.int32)),
        _probabilities(values_of["heads"]).reshape(of_src, of_tgt, -1),
        mores,
        float(values_of["nulls"][0]),
    )


def _probabilities(values: F64) -> F64:
    least: F64 = np.maximum(values, FLOOR).astype(np.float64)
    return least
