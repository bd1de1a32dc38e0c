"""Tuning a translation system, in rounds of translating a development set and line search."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from os import fspath
from os.path import isfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from alignframe.core.arrays import F64
from alignframe.core.output import write_table
from alignframe.core.parallel import pool_of
from alignframe.core.schemas import SIGNATURE
from alignframe.core.signatures import within
from alignframe.errors import InputError, number_of, warn
from alignframe.mt.decoding import frame_of, system_of
from alignframe.mt.minimum_error import found_of
from alignframe.mt.objective import Objective, rows_of
from alignframe.mt.phrase_tables import phrase_table
from alignframe.mt.search import Pool
from alignframe.mt.system import System
from alignframe.mt.weights import FIXED, REORDERING, IntoWeights, vector, weights_of
from alignframe.options.mt import Search, Tuning
from alignframe.result import Result
from alignframe.sources.source import is_path
from alignframe.sources.texts import word_array
from alignframe.tesla.estimate import Estimate
from alignframe.tesla.language_model import LanguageModel
from alignframe.tesla.scorer import Scorer
from alignframe.typing import FilePath, ForInput, IntoFrame, IntoSentences, IntoSystems, Threads


@dataclass(frozen=True, repr=False)
class Tuned(Result):
    """The result of tuning.

    Attributes
    ----------
    weights
        feature and weight: the weights with the best translation of the development set.
    rounds
        round (from 0, with the initial weights), candidates (distinct ones so far), pool_score
        (predicted by line search), score (of the translations with these weights), best_score (the
        highest so far), length_ratio (words of translations to words of the reference; only for
        BLEU), and the weights.
    score
        The best score, from 0 to 100.
    signature
        Every choice.
    """

    weights: pl.DataFrame
    rounds: pl.DataFrame
    score: float
    signature: str

    def to_weights(self) -> dict[str, float]:
        """Return the weights by name, for ``translate``."""
        return dict(self.weights.iter_rows())


def tune(
    src: IntoSentences,
    ref: IntoSystems,
    table: IntoFrame,
    lm: LanguageModel | Estimate | FilePath,
    weights: IntoWeights = None,
    *,
    metric: str | Scorer = "bleu",
    threads: Threads = None,
    progress: Callable[[str, int, float], object] | None = None,
    encoding: ForInput[str] = "utf-8",
    **options: object,
) -> Tuned:
    """Tune the weights of a translation system by minimum error rate training.

    Each round translates the development set, adds the n-best lists to those of earlier rounds, and
    finds the weights that maximise the score of all candidates. The result is the weights whose own
    translations scored best, so it is never worse than the start.

    Parameters
    ----------
    src
        Development set to translate, one sentence per line (in Python, a file, texts or lists of
        words).
    ref
        Its reference, or a list of several; see ``scores``.
    table, lm, weights, threads
        See ``mt.decoding.translate``.
    metric
        Metric to tune for. ``bleu``, ``chrf``: as in ``mt score``; ``tesla-m``, ``tesla-b``,
        ``tesla-f``: as in ``tesla score`` (in Python, also a ``tesla.Scorer``).
    progress
        Called after each round with a name, its number, and the score of its translations.
    encoding
        Character encoding of files of sentences.
    **options
        Fields of ``options.mt.Search``, ``options.mt.Tuning``, ``mt.Options``,
        ``language.Analysis.of`` and ``tesla.Scorer``: the options of the search, of tuning
        (reordering, n_best, rounds, restarts, seed and work), and of BLEU and chrF or of TESLA. By
        default, words are split at spaces (``tokenize="none"``, ``tokens="spaces"``).

    Raises
    ------
    InputError
        If the sides differ in length, or the folder belongs to another tuning; also see
        ``translate``.

    Warns
    -----
    DataWarning
        If no translation scores above 0.

    Notes
    -----
    Och 2003; the pool of candidates over rounds as in Z-MERT (Zaidan 2009).

    Examples
    --------
    >>> from alignframe import mt, tesla
    >>> text = ["the boat", "a boat"], ["le bateau", "un bateau"]
    >>> table = mt.train(["0-0 1-1"] * 2, text)
    >>> lm = tesla.estimate_language_model("datasets/en-fr/text.fr", 2)
    >>> found = mt.tune(*text, table, lm, rounds=1, restarts=1)
    >>> found.weights["feature"].to_list()[:3]
    ['distortion', 'lm', 'word_penalty']
    """
    search, tuning = Search.taken(options), Tuning.taken(options)
    objective = Objective(metric, ref, encoding, **options)
    sentences = word_array(src, "the source", encoding)
    if len(sentences) != objective.sid.size:
        raise InputError(
            f"{number_of(len(sentences), 'sentence')} to translate{_file(src)} and "
            f"{number_of(objective.sid.size, 'reference')}{_file(ref)}",
            expected="the same number of both",
        )
    given = phrase_table(table)
    system = system_of(given, lm, sentences)
    lm_mark = within(system.lm.signature)
    rest = f"{objective.signature}|{search.signature}|nbest:{tuning.n_best}|lm:{lm_mark}"
    mark = f"{rest}|data:{_digest(given, system)}"
    decoder = _Decoder(system, search, tuning, pool_of(threads), mark)
    chosen = weights_of(weights)
    if tuning.reordering:
        # Given weights take precedence over initial ones.
        chosen = {**chosen, **REORDERING, **chosen}
    names = list(chosen)
    pool = _Candidates(objective, names)
    best, best_weights = -np.inf, chosen
    promised: float | None = None
    rows: list[dict[str, object]] = []
    for number in range(tuning.rounds):
        frame = decoder.round(number, chosen)
        new = pool.add(frame)
        first = pool.counts_of(frame.filter(pl.col("rank") == 1))
        score = float(objective.score(first.sum(axis=0)))
        if score > best:
            best, best_weights = score, chosen
        rows.append(
            {
                "round": number,
                "candidates": pool.size,
                "pool_score": promised,
                "score": score,
                "best_score": best,
                "length_ratio": _length_ratio(objective, first),
                **chosen,
            }
        )
        if progress is not None:
            progress("tuning", number, score)
        if not new or number == tuning.rounds - 1:
            break
        seed = tuning.seed + number  # other random starts in every round
        # The search starts from the best weights so far, which need not be the last.
        searched = found_of(
            pool.made(), names, vector(best_weights), tuning.restarts, seed, objective
        )
        promised, before, chosen = searched.score, chosen, searched.to_weights()
        # Weights that have stopped moving will not find new candidates.
        if np.allclose(_unit(chosen), _unit(before), atol=1e-6):
            break
    if best <= 0:
        warn(
            "no translation of the development set scores above 0, so the weights are "
            "unchanged; does the reference belong to these sentences, with the same "
            "tokenisation?"
        )
    kept = pl.DataFrame({"feature": names, "weight": [best_weights[name] for name in names]})
    signature = f"{rest}|{tuning.signature}"
    kinds = dict.fromkeys(("pool_score", "length_ratio"), pl.Float64)  # may be null in every row
    rounds = pl.DataFrame(rows, schema_overrides=kinds, infer_schema_length=None)
    return Tuned(kept, rounds, best, signature)


def _unit(weights: dict[str, float]) -> F64:
    values = np.array([weights[name] for name in weights if name not in FIXED])
    return values / (np.abs(values).sum() or 1.0)


def _length_ratio(objective: Objective, counts: F64) -> float | None:
    if "bleu_hyp" not in objective.names:
        return None
    hyp, ref = (counts[:, objective.names.index(f"bleu_{side}")].sum() for side in ("hyp", "ref"))
    return float(hyp / ref) if ref else None


def _digest(table: pl.DataFrame, system: System) -> str:
    """Return a digest of the table and the sentences."""
    hashed = hashlib.blake2b(digest_size=8)
    for name in ("n_both", "n_src", "n_tgt", "lex_src", "lex_tgt"):
        hashed.update(np.ascontiguousarray(table[name].to_numpy()).data)
    hashed.update(np.ascontiguousarray(system.sentences).data)
    hashed.update(np.ascontiguousarray(system.starts).data)
    return hashed.hexdigest()


def _file(given: Any) -> str:
    """Return the name of a file, or of the first of a list of files, for a message."""
    first = given[0] if isinstance(given, (list, tuple)) and given else given
    named = is_path(first) and (first is given or any(map(isfile, [first])))
    return f" in {fspath(first)}" if named else ""


class _Decoder:
    """Translates for a round, or restores translations from before an interruption."""

    def __init__(
        self,
        system: System,
        search: Search,
        tuning: Tuning,
        executor: Executor | None,
        mark: str,
    ) -> None:
        self._system = system
        self._search = search
        self._n_best = tuning.n_best
        self._executor = executor
        self._work = None if tuning.work is None else Path(tuning.work)
        self._mark = mark

    def round(self, number: int, weights: dict[str, float]) -> pl.DataFrame:
        """Return the best translations with the weights of a round."""
        path = None if self._work is None else self._work / f"round-{number:02d}.parquet"
        mark = f"{self._mark}|weights:{','.join(map(repr, weights.values()))}"
        if path is not None and path.exists():
            if pl.read_parquet_metadata(path).get(SIGNATURE) != mark:
                raise InputError(
                    "a round of another tuning",
                    path=path,
                    expected="rounds with the same texts, table, model and options",
                    todo="use another folder, or delete this one",
                )
            return pl.read_parquet(path)
        translated = self._system.translate(weights, self._search, self._n_best, self._executor)
        frame = frame_of(translated, self._system)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_table(frame, path, signature=mark)
        return frame


class _Candidates:
    """The distinct candidates of all rounds."""

    def __init__(self, objective: Objective, names: list[str]) -> None:
        self._objective = objective
        self._names = names
        self._frames: list[pl.DataFrame] = []
        self._counts = np.zeros((0, len(objective.names)))

    @property
    def size(self) -> int:
        """The number of candidates."""
        return len(self._counts)

    def counts_of(self, frame: pl.DataFrame) -> F64:
        """Return the counts of translations of every sentence."""
        rows = frame["sid"].to_numpy()
        return self._objective.count(rows, frame["text"])

    def add(self, frame: pl.DataFrame) -> int:
        """Add candidates; return the number of new ones."""
        rows_of(self._objective.sid[frame["sid"].to_numpy()], self._objective.sid, "a round")
        known = pl.concat([*self._frames, frame.select("sid", "text", *self._names)])
        # The same text from other phrases has other features, and is another candidate.
        key = [pl.col("sid"), pl.col("text"), *(pl.col(name).round(6) for name in self._names)]
        first = known.select(pl.struct(key).is_first_distinct()).to_series()
        new = known.filter(first).slice(self.size)
        self._frames = [*self._frames, new]
        self._counts = np.concatenate([self._counts, self.counts_of(new)])
        return new.height

    def made(self) -> Pool:
        """Return them in the form for line search."""
        frame = pl.concat(self._frames)
        segments = frame["sid"].to_numpy()
        order = np.argsort(segments, kind="stable")
        features = frame.select(self._names).to_numpy()
        fixed = np.array([name in FIXED for name in self._names])
        return Pool(segments[order], features[order], self._counts[order], self._objective, fixed)
