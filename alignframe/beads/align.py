"""Aligning the sentences of a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.beads.document import Document, document
from alignframe.beads.documents import Joined, grouped, read_sides
from alignframe.beads.lattice import PLAUSIBLE, Lattice, by_lengths, lattice_of, sizes_up_to
from alignframe.beads.lengths import LengthModel, length_model
from alignframe.beads.lex import realigned
from alignframe.beads.picking import Beads, table_of
from alignframe.beads.translations import Pairs, Translations, known
from alignframe.beads.vectors import Vectors, vectors_of
from alignframe.core.arrays import F64, I64, frozen
from alignframe.errors import InputError, check_known, number_of, warn
from alignframe.formats.bead_table import DOCUMENT
from alignframe.kernels.beads import choice as bead_choice
from alignframe.kernels.beads import paths as bead_paths
from alignframe.kernels.beads import scores as bead_scores
from alignframe.kernels.beads.paths import Band, Path, Steps, band_around, band_near, best_path
from alignframe.kernels.beads.scores import add_cosines
from alignframe.kernels.small import call
from alignframe.options.beads import ANY_SIZE, Options
from alignframe.typing import (
    ForInput,
    IntoDocuments,
    IntoSentences,
    IntoVectors,
    IntoWordModel,
    Rare,
)

PARTS = 4
"""The number of parts of a document; each is scored with words learnt from the others."""

SURE = 0.99
"""The minimum probability, by lengths, of 1-1 beads from which words are learnt."""


KNOWN = 0.5
"""Warn if a model knows less than this share of a side's running words."""

DOUBTFUL = 0.65
"""Warn if the mean probability of the beads of a document's best path is below this. Measured on
724 documents; see "Probabilities" in docs/beads.md."""

UNSURE = ("gale-church", "vectors")
"""Methods whose scores are no probabilities of beads."""

SHOWN = 3
"""The maximum number of documents named in a warning."""

OPTIONS = tuple(option.name for option in fields(Options))[1:]


def align(
    src: IntoDocuments,
    tgt: IntoDocuments,
    method: str = "lex",
    *,
    model: IntoWordModel | None = None,
    src_vectors: IntoVectors | None = None,
    tgt_vectors: IntoVectors | None = None,
    src_overlaps: Rare[IntoSentences | None] = None,
    tgt_overlaps: Rare[IntoSentences | None] = None,
    doc: str | None = None,
    encoding: ForInput[str] = "utf-8",
    **options: Any,
) -> pl.DataFrame:
    """Align the sentences of two texts, or of several documents.

    Parameters
    ----------
    src, tgt
        Sentences, one per element; those without words stay unaligned. Or several documents: a
        mapping from names to sentences, a table with text, doc and optionally sid (from 0 in each
        document), a folder or a glob of text files, ``@FILE`` with a list of files, or a list of
        paths. Documents are named after their files, without suffixes of formats and languages.
    method
        See ``Options``. ``lex`` learns words from all documents together, in groups of up to
        100,000 source sentences; the others process documents one at a time.
    model
        For mre+: the folder of a model of words, or a lexicon (Parquet with src, tgt and optionally
        p, a probability). In Python, also the model or a frame.
    src_vectors
        An embedding per source sentence, for a single document: an array (sentences x dimensions);
        or a file: .npy, Parquet with one column of lists, or 32-bit numbers without a header (.emb,
        .bin, .raw). For the methods vectors and lex, which uses words and lengths too.
    tgt_vectors
        Embeddings of the target sentences, by the same model.
    src_overlaps
        The texts of the source embeddings, if these are of runs of 1, 2, ... adjacent sentences,
        joined by spaces, in any order, as Vecalign makes them. Longer runs get the sum of their
        sentences' vectors.
    tgt_overlaps
        The texts of the target embeddings.
    doc
        Name of a single document; 'document' by default.
    encoding
        Character encoding of text files.
    **options
        Fields of ``Options``.

    Returns
    -------
    polars.DataFrame
        The columns doc, src_start, src_end, tgt_start, tgt_end and score (the bead's probability),
        in document and text order.

    Raises
    ------
    InputError
        If an option is out of range, an input is not text, or a document lacks a side.

    Examples
    --------
    >>> from alignframe import beads
    >>> src = ["The old mill", "It stands by the river.", "Nobody lives there."]
    >>> tgt = ["Le vieux moulin", "Il est au bord de la rivière et personne n'y habite."]
    >>> found = beads.align(src, tgt, "gale-church")
    >>> found.select("src_start", "src_end", "tgt_start", "tgt_end").rows()
    [(0, 1, 0, 1), (1, 3, 1, 2)]
    """
    for name in options:
        check_known("option", name, OPTIONS)
    chosen = Options(method, **options)
    texts, _ = documents_of(src, tgt, doc, chosen.words, encoding)
    vectors, overlaps = (src_vectors, tgt_vectors), (src_overlaps, tgt_overlaps)
    texts = with_vectors(texts, chosen, vectors, overlaps)
    beads = aligned_together(texts, chosen, model)
    return pl.DataFrame(pl.from_arrow(beads)).with_columns(pl.col("doc").cast(pl.String))


def documents_of(
    src: IntoDocuments, tgt: IntoDocuments, doc: str | None, words: str, encoding: str = "utf-8"
) -> tuple[list[Document], bool]:
    """Return the documents of two sides, and whether they are named; see ``align``."""
    sides, others, named = read_sides(src, tgt, doc or DOCUMENT, encoding)
    if named and doc is not None:
        raise InputError(
            f"`doc` is {doc!r} for {number_of(len(sides), 'document')}",
            expected="none, as they already have names",
        )
    texts = [document(sentences, others[name], words, name) for name, sentences in sides.items()]
    return texts, named


def with_vectors(
    texts: list[Document],
    options: Options,
    vectors: tuple[object, object],
    overlaps: tuple[object, object],
) -> list[Document]:
    """Attach vectors of sentences to documents, if given; see ``align``."""
    if all(given is None for given in vectors):
        if any(given is not None for given in overlaps):
            raise InputError(
                "overlaps without vectors", expected="`src_vectors` and `tgt_vectors` as well"
            )
        return texts
    if options.method not in ANY_SIZE:
        raise InputError(
            f"vectors for {options.method}", expected=f"vectors only with {' or '.join(ANY_SIZE)}"
        )
    if len(texts) != 1:
        raise InputError(
            f"vectors for {number_of(len(texts), 'document')}", expected="a single document"
        )
    (text,) = texts
    return [replace(text, vectors=vectors_of(vectors, overlaps, (text.src.texts, text.tgt.texts)))]


def aligned(text: Document, options: Options, model: object = None) -> pa.Table:
    """Return the beads of a document; see ``align``."""
    return table_of(text, lattice(text, options, model).beads(options.threshold))


def aligned_together(texts: Sequence[Document], options: Options, model: object = None) -> pa.Table:
    """Return the beads of several documents, in document order; see ``align``."""
    parts: dict[str, Beads] = {}
    if options.method != "lex" or model is not None or len(texts) == 1:
        # A model is read once for all documents.
        taught = model if model is None or options.method != "mre+" else known(model)
        for text in texts:
            parts[text.name] = lattice(text, options, taught).beads(options.threshold)
    else:
        # Ordered by name, so that no bead depends on the order in which documents are given.
        for group in grouped(sorted(texts, key=lambda text: text.name)):
            joined = Joined(group)
            beads_of_documents = joined.split(realigned(joined, options).beads(options.threshold))
            parts |= zip((text.name for text in group), beads_of_documents, strict=True)
    if options.threshold is None:
        warn_of_doubt((options.method, *part) for part in parts.items())
    return pa.concat_tables(
        [table_of(text, parts[text.name]) for text in texts]
    ).unify_dictionaries()


def warn_of_doubt(paths: Iterable[tuple[str, str, Beads]]) -> None:
    """Warn of documents, given as (method, name, beads), whose best path is improbable."""
    low, size = [], 0
    for method, name, beads in paths:
        known = beads.score[(beads.sizes > 0).all(axis=1)]
        mean = float(known.mean()) if known.size else 1.0
        if mean < DOUBTFUL and method not in UNSURE:
            low.append(f"{name} {mean:.2f}")
        size += 1
    if low:
        shown = ", ".join(low[:SHOWN]) + (", ..." if len(low) > SHOWN else "")
        warn(
            f"improbable beads in {len(low):,} of {number_of(size, 'document')} (mean probability: "
            f"{shown}): the sides may not be translations of each other, or much may be missing, "
            "merged or in another order; check the beads, or keep only the probable ones "
            "(`threshold`)"
        )


def lattice(text: Document, options: Options, model: object = None) -> Lattice:
    """Return the probability of every bead considered; see ``align``."""
    if options.method == "mre+" and model is None:
        raise InputError(
            "no model for mre+",
            expected="`model`: a saved model or a lexicon",
            todo="make a model with: alignframe beads align SRC TGT --save-model FOLDER; or "
            "use mre, which learns from the document itself",
        )
    if options.method == "vectors" and text.vectors is None:
        raise InputError(
            "no vectors for the method vectors",
            todo="give `src_vectors` and `tgt_vectors`",
        )
    if options.method != "mre+" and model is not None:
        raise InputError(
            f"`model` with the method {options.method}",
            expected="the method mre+",
            todo="add `method='mre+'`",
        )
    if options.method == "gale-church" and options.unit != "characters":
        warn(
            f"lengths of gale-church in {options.unit}: its variance is that of lengths in "
            "characters"
        )
    if options.method == "lex":
        return realigned(text, options)
    if options.method == "vectors":
        return by_vectors(text, options)
    assert options.unit is not None  # noqa: S101  (given by the options themselves)
    src, tgt = (side.lengths(options.unit) for side in (text.src, text.tgt))
    lengths, scored = by_lengths(length_model(src, tgt, options), text.name)
    if options.method in ("mre", "mre+") and len(text.src) and len(text.tgt):
        scored = _by_words(text, lengths, scored, model)
    return scored


def _by_words(text: Document, lengths: LengthModel, first: Lattice, model: object) -> Lattice:
    """Rescore, by words as well, the beads that lengths leave plausible."""
    options = lengths.options
    if options.method == "mre+":
        table = known(model).translations_of(text)
        _warn_of_unknown(text, table)
        tables = iter([(range(len(text.src)), table)])
    else:
        src, tgt = _sure(first)
        if src.size == 0:
            warn(
                f"{text.name}: no sentence pair is certain by length, so no words were learnt; "
                "the beads are based on lengths alone"
            )
            return first
        tables = _held_out(Pairs.of(text, src, tgt), len(text.src))
    band = first.plausible
    steps = lengths.steps(band)
    # Beads keep their scores by lengths, to which those by words are added.
    call(bead_scores.carry, *band, *first.band, first.steps.scores, PLAUSIBLE, steps.scores)
    assert options.smoothing is not None  # noqa: S101  (given by the options themselves)
    for rows, table in tables:
        table.add(text, band, steps, options.smoothing, rows)
    return lattice_of(band, steps)


def _warn_of_unknown(text: Document, table: Translations) -> None:
    """Warn if a model knows few of the words: it may be the wrong model."""
    shares = [float((side >= 0).mean()) if side.size else 1.0 for side in (table.src, table.tgt)]
    if min(shares) < KNOWN:
        warn(
            f"{text.name}: the model knows {shares[0]:.0%} of the source's words and "
            f"{shares[1]:.0%} of the target's; it may be for another language or direction, or "
            "its words may be split differently (`words`)"
        )


def _held_out(pairs: Pairs, n_src: int) -> Iterator[tuple[range, Translations]]:
    """Yield parts of the source side, with translations learnt from the pairs of the others."""
    # A model that was trained on a sentence pair finds it probable even if it is wrong, so wrong
    # pairs would confirm themselves.
    ends = [n_src * part // PARTS for part in range(PARTS + 1)]
    for rows in pairwise(ends):
        yield range(*rows), pairs.learn(range(*rows))


def _sure(lattice: Lattice) -> tuple[I64, I64]:
    """Return the sentences of the 1-1 beads that are certain by lengths."""
    src, tgt, kind, _ = call(
        bead_choice.likely, *lattice.band, lattice.steps.sizes, lattice.steps.scores, np.log(SURE)
    )
    single = kind == bead_paths.FIRST_KIND
    return frozen(src[single]), frozen(tgt[single])


# Alignment by sentence embeddings alone, coarse to fine (Thompson & Koehn 2019, Vecalign).

SKIP = 0.2
"""The cost of a skipped sentence is this quantile of the costs of random pairs."""

SHARPNESS = 8.0
"""The log odds per unit of cost, which turn costs into probabilities."""

LEAST = 0.01
"""The cost of a pair of equal sentences, so that two of them are two beads, not one."""

COARSEST = 200
"""The maximum number of passages of a side for which all paths are considered."""

WIDTH = 12
"""The search width, in sentences, around the path of the coarser passages."""

PASSAGES = frozen(np.array([[1, 1], [1, 2], [2, 1]]))
"""The kinds of beads of passages."""


def by_vectors(text: Document, options: Options) -> Lattice:
    """Return the probability of every bead near the best path."""
    assert text.vectors is not None  # noqa: S101  (align asks for them)
    assert options.largest is not None  # noqa: S101  (given by the options themselves)
    # A bead costs the distance of its sides times the numbers of their sentences. Both sides are
    # halved by merging neighbours; the best path at half resolution restricts that at full
    # resolution, so that time and memory are linear in the number of sentences.
    steps, band = _steps(text.vectors, sizes_up_to(options.largest))
    return lattice_of(band, steps)


def _steps(vectors: Vectors, sizes: I64) -> tuple[Steps, Band]:
    """Return the scores of all steps within the band around the coarser path."""
    n_src, n_tgt = len(vectors.src[0]), len(vectors.tgt[0])
    if max(n_src, n_tgt) <= COARSEST:
        band = band_around(n_src, n_tgt, max(n_src, n_tgt, 1))
    else:
        steps, coarser = _steps(vectors.halved(), PASSAGES)
        band = _around(best_path(coarser, steps), n_src, n_tgt)
    scores = np.zeros((len(sizes), band.cells), np.float32)
    for (m, n), row in zip(sizes.tolist(), scores, strict=True):
        runs = vectors.runs(m, n)
        # The score is this polynomial of the normalised distance, its constant the least cost.
        curve = -SHARPNESS * m * n * np.array([LEAST, 1.0, 0.0])
        add_cosines(band, m, n, runs.arrays, frozen(curve), np.inf, row)
    src, tgt = (np.full(n, -SHARPNESS * _skip(vectors)) for n in (n_src, n_tgt))
    return Steps(sizes, scores, src, tgt), band


def _skip(vectors: Vectors) -> float:
    """Return the cost of a skipped sentence."""
    far: F64 = vectors.runs(1, 1).far(*vectors.sample)
    return float(np.quantile(far, SKIP)) if far.size else 0.0


def _around(path: Path, n_src: int, n_tgt: int) -> Band:
    """Return the band of sentences around a path through pairs of sentences."""
    src = np.append(path.src[::-1], (n_src + 1) // 2).astype(np.int64) * 2
    tgt = np.append(path.tgt[::-1], (n_tgt + 1) // 2).astype(np.int64) * 2
    return band_near(src, tgt, n_src, n_tgt, WIDTH)
