"""Aligning the sentences of a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.beads.by_vectors import by_vectors
from alignframe.beads.document import Document, document
from alignframe.beads.documents import Joined, grouped, read_sides
from alignframe.beads.lattice import PLAUSIBLE, Lattice, by_lengths, lattice_of
from alignframe.beads.lengths import LengthModel, length_model
from alignframe.beads.lex import realigned
from alignframe.beads.picking import Beads, table_of
from alignframe.beads.translations import Pairs, Translations, known
from alignframe.beads.vectors import vectors_of
from alignframe.core.arrays import I64
from alignframe.errors import InputError, check_known, number_of, warn
from alignframe.formats.bead_table import DOCUMENT
from alignframe.kernels.beads import choice as bead_choice
from alignframe.kernels.beads import paths as bead_paths
from alignframe.kernels.beads import scores as bead_scores
from alignframe.kernels.ragged import frozen
from alignframe.options.beads import ANY_SIZE, Options
from alignframe.typing import IntoDocuments, IntoSentences, IntoVectors, IntoWordModel

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
    src_overlaps: IntoSentences | None = None,
    tgt_overlaps: IntoSentences | None = None,
    doc: str | None = None,
    encoding: str = "utf-8",
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
    texts = [
        document(sentences, others[name], words=words, name=name)
        for name, sentences in sides.items()
    ]
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
    bead_scores.carry(*band, *first.band, first.steps.scores, PLAUSIBLE, steps.scores)
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
    src, tgt, kind, _ = bead_choice.likely(
        *lattice.band, lattice.steps.sizes, lattice.steps.scores, np.log(SURE)
    )
    single = kind == bead_paths.FIRST_KIND
    return frozen(src[single]), frozen(tgt[single])
