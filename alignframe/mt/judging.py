"""Word alignments judged by translation (Fraser & Marcu 2007): a system of each, and its scores."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.errors import DataWarning, InputError, unknown
from alignframe.executors import pool_of
from alignframe.formats.writing import replacing
from alignframe.links import counts
from alignframe.mt.decoding import translate
from alignframe.mt.scoring import scores
from alignframe.mt.system import Search, language_model
from alignframe.mt.table import train
from alignframe.mt.texts import references
from alignframe.mt.tuning import tune
from alignframe.mt.weights import IntoWeights, weights_of, write_weights
from alignframe.result import Result
from alignframe.sources import Bitext, word_array
from alignframe.stats import correlate
from alignframe.tables import SIGNATURE
from alignframe.tesla.estimate import Estimate
from alignframe.tesla.language_model import LanguageModel
from alignframe.tokens import list_lengths
from alignframe.typing import FilePath, IntoBitext, IntoGold, IntoLinks, IntoSentences
from alignframe.version import __version__

TUNED = ("once", "each", "none")
"""What weights are tuned on: the first system, each of them, or none."""

ENOUGH = 2_400
"""Sentences of a test set below which neighbouring systems cannot be told apart."""

_FILE = "scores.parquet"


@dataclass(frozen=True, repr=False)
class MtStudy(Result):
    """What alignments are worth for translation.

    Attributes
    ----------
    systems
        One row per alignment: system, bleu and chrf of the test set, pairs (those of the phrase
        table that the texts need), unknown_words, length_ratio (of the words of translations to
        those of the reference), and dev_score, of the development set where it was tuned on.
    correlations
        How well measures of the alignments predict BLEU, see ``stats.correlate``; no rows without
        gold or with fewer than three systems.
    signature
        Every choice.
    """

    systems: pl.DataFrame
    correlations: pl.DataFrame
    signature: str


def study(
    alignments: Mapping[str, IntoLinks],
    bitext: IntoBitext,
    lm: LanguageModel | Estimate | FilePath,
    *,
    test: tuple[IntoSentences, Any],
    dev: tuple[IntoSentences, Any] | None = None,
    gold: IntoGold | None = None,
    weights: IntoWeights = None,
    tuned: str = "once",
    reordering: bool = False,
    pop: int = 100,
    distortion: int = 6,
    options: int = 20,
    rounds: int = 10,
    restarts: int = 20,
    seed: int = 1,
    folder: str | PathLike[str] | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[str, int, float], object] | None = None,
) -> MtStudy:
    """Make a translation system of each alignment of a text, and score its translations.

    Parameters
    ----------
    alignments
        Links of the text by the name of their system.
    bitext
        The training text. Sentences of the development and the test set are left out.
    lm
        A language model of the target side, the same for all systems.
    test, dev
        The source and the reference of each set.
    gold
        Gold links of some sentences of the text, to correlate measures of alignments with BLEU.
    weights
        Weights, to begin with or to take.
    tuned
        One of ``TUNED``; ``none`` needs no development set.
    reordering, rounds, restarts, seed
        See ``tune``.
    pop, distortion, options, threads, executor
        See ``translate``.
    folder
        Keeps scores, weights and translations: a study that was interrupted goes on from there.
    progress
        Called after each system with its name, its number, and its BLEU.

    Raises
    ------
    InputError
        If a choice is not possible, or the folder holds another study; and as ``train``, ``tune``
        and ``translate`` do.

    Warns
    -----
    DataWarning
        If the test set has fewer than ``ENOUGH`` sentences; see ``train`` as well.

    Notes
    -----
    Fraser & Marcu 2007, section 4. BLEU and chrF split words at blanks.
    """
    if tuned not in TUNED:
        raise unknown("way of tuning", tuned, TUNED)
    if tuned != "none" and dev is None:
        raise InputError("no development set", expected="one, or tuned='none'")
    if not alignments:
        raise InputError("no alignments", expected="one at least")
    text: Any = Bitext(bitext).held()
    model = language_model(lm)
    executor = pool_of(threads, executor)
    texts = [word_array(one[0]) for one in (dev, test) if one is not None]
    if len(texts[-1]) < ENOUGH:
        warnings.warn(
            f"the test set has {len(texts[-1]):,} sentences; below {ENOUGH:,}, systems that are "
            "near each other cannot be told apart",
            DataWarning,
            stacklevel=2,
        )
    search = Search(pop, distortion, options)
    search.check()
    chosen = weights_of(weights)
    mark = "|".join(
        [
            f"alignframe:{__version__}|metric:mt-study|tuned:{tuned}|{search.signature}",
            f"reordering:{'yes' if reordering else 'no'}",
            f"rounds:{rounds}|restarts:{restarts}|seed:{seed}",
            f"weights:{','.join(map(str, chosen.values()))}",
            f"lm:{model.signature.replace('|', ',').replace(':', '=')}",
            f"texts:{_digest([*texts, *references(test[1])[1]])}",
        ]
    )
    place = None if folder is None else Path(folder)
    rows = _known(place, mark)
    found: dict[str, float] | None = None
    for number, (name, links) in enumerate(alignments.items()):
        known = next((row for row in rows if row["system"] == name), None)
        first = number == 0
        if known is not None and not (first and tuned == "once"):
            continue
        table = train(links, text, only=texts, leave_out=True)
        dev_score = None
        if dev is not None and (tuned == "each" or (first and tuned == "once")):
            best = tune(
                *(*dev, table, model, weights),
                reordering=reordering,
                **search._asdict(),
                rounds=rounds,
                restarts=restarts,
                seed=seed,
                work=None if place is None else place / "rounds" / name,
                executor=executor,
            )
            dev_score, found = best.score, best.to_weights()
            if place is not None:
                write_weights(found, place / f"{name}.toml", best.signature)
        if known is not None:
            continue
        done = translate(
            *(texts[-1], table, model, found or chosen), **search._asdict(), executor=executor
        )
        rows.append(_row(name, table, done, test[1], dev_score))
        _keep(place, rows, mark)
        if progress is not None:
            progress(name, number, rows[-1]["bleu"])
    systems = pl.DataFrame(
        [row for name in alignments for row in rows if row["system"] == name], schema=_SCHEMA
    )
    return MtStudy(systems, _correlations(alignments, gold, systems), mark)


_SCHEMA = {
    "system": pl.String,
    **dict.fromkeys(("bleu", "chrf"), pl.Float64),
    **dict.fromkeys(("pairs", "unknown_words"), pl.Int64),
    **dict.fromkeys(("length_ratio", "dev_score"), pl.Float64),
}


def _row(
    name: str, table: pl.DataFrame, done: pl.DataFrame, ref: Any, dev_score: float | None
) -> dict[str, Any]:
    """Return what is known of a system."""
    found = scores(done.select("sid", "text"), ref, tokenize="none").row(0, named=True)
    first = references(ref)[1][0]
    words = sum(len((text or "").split()) for text in first.to_pylist())
    return {
        "system": name,
        "bleu": found["bleu"],
        "chrf": found["chrf"],
        "pairs": table.height,
        "unknown_words": int(done["unknown_words"].sum()),
        "length_ratio": float(-done["word_penalty"].sum() / max(words, 1)),
        "dev_score": dev_score,
    }


def _known(place: Path | None, mark: str) -> list[dict[str, Any]]:
    """Return the rows of systems that were done before."""
    if place is None or not (place / _FILE).exists():
        return []
    if pl.read_parquet_metadata(place / _FILE).get(SIGNATURE) != mark:
        raise InputError(
            "scores of another study",
            path=place / _FILE,
            expected="those of the same texts, model and options",
            todo="name another folder, or delete this one",
        )
    return pl.read_parquet(place / _FILE).to_dicts()


def _keep(place: Path | None, rows: list[dict[str, Any]], mark: str) -> None:
    if place is None:
        return
    place.mkdir(parents=True, exist_ok=True)
    with replacing(place / _FILE) as out:
        pl.DataFrame(rows, schema=_SCHEMA).write_parquet(out, metadata={SIGNATURE: mark})


def _correlations(alignments: Mapping[str, Any], gold: Any, systems: pl.DataFrame) -> pl.DataFrame:
    if gold is None or systems.height < 3:
        return pl.DataFrame()
    counted = counts(dict(alignments), gold)
    return correlate(counted, dict(systems.select("system", "bleu").iter_rows()))


def _digest(columns: list[pa.Array]) -> str:
    """Return a few digits that change with any sentence."""
    found = hashlib.blake2b(digest_size=4)
    for column in columns:
        if pa.types.is_string(column.type):
            found.update("\n".join(text or "" for text in column.to_pylist()).encode())
        else:
            found.update(np.ascontiguousarray(list_lengths(column)).data)
            found.update(" ".join(column.flatten().to_pylist()).encode())
    return found.hexdigest()
