"""A phrase table and a language model, prepared for the decoder."""

from __future__ import annotations

import os
import tempfile
from concurrent.futures import Executor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import F64, I32, I64, Array, frozen
from alignframe.core.arrow import as_array
from alignframe.core.parallel import parallel_map
from alignframe.core.portable import weighted_sums
from alignframe.core.tokens import Numbering, list_lengths, words_of
from alignframe.errors import InputError
from alignframe.kernels.mt import n_best as derivations
from alignframe.kernels.mt.lattice import Language, Options
from alignframe.kernels.text.ngram_states import least_states, score_phrases
from alignframe.kernels.text.trie import Trie
from alignframe.language.remedies import require_file
from alignframe.mt.phrase_tables import ORIENTATIONS
from alignframe.mt.weights import FEATURES, REORDERING, UNKNOWN, vector
from alignframe.options.mt import Search
from alignframe.sources.source import is_path
from alignframe.tesla.estimate import Estimate, write_arpa
from alignframe.tesla.language_model import ArpaModel, read_language_model
from alignframe.typing import Progress

# ARPA files have logarithms to the base 10, the decoder natural ones.
_LN10 = float(np.log(10))
# The number of sentences that a thread translates at a time.
_CHUNK = 16


class Translations(NamedTuple):
    """Translations: number k is of sentence ``rows[k]``, ``words[starts[k] : starts[k + 1]]``."""

    rows: I64
    scores: F64
    starts: I64
    words: I32
    features: F64  # (translations, features)
    names: list[str]  # those of the features


class System:
    """A phrase table and a language model of the target side, to translate some sentences."""

    def __init__(self, table: pl.DataFrame, lm: object, sentences: pa.Array) -> None:
        self.lm = language_model(lm)
        self._states = frozen(least_states(self.lm.tree))
        src, tgt = Numbering(), Numbering()
        self.sentences = frozen(src.number(words_of(sentences).cast(pa.string())))
        self.starts = frozen(_starts(list_lengths(sentences)))
        table = table.filter(_of_words(table, src))
        columns = [as_array(table[side].to_arrow()) for side in ("src", "tgt")]
        words = [
            side.number(words_of(column).cast(pa.string()))
            for side, column in zip((src, tgt), columns, strict=True)
        ]
        starts = [_starts(list_lengths(column)) for column in columns]
        self.longest = int(np.diff(starts[0]).max(initial=1))
        # Words without a single-word translation are copied.
        single = np.zeros(len(src.known), np.bool_)
        single[words[0][starts[0][:-1][np.diff(starts[0]) == 1]]] = True
        unknown = np.unique(self.sentences[~single[self.sentences]])
        new = np.arange(1, unknown.size + 1)
        words[1] = np.concatenate([words[1], tgt.number(src.known.take(pa.array(unknown)))])
        words[0] = np.concatenate([words[0], unknown]).astype(np.int32)
        starts = [np.concatenate([side, side[-1] + new]) for side in starts]
        self.known = tgt.known
        self._lengths = np.diff(starts[0])
        self._at, self._words = starts[1], words[1]
        self._trie = Trie(1 << 16)
        nodes = self._trie.add(frozen(words[0]), starts[0][:-1], starts[0][1:])
        self._nodes = nodes
        self._reorder = _reorder(table, unknown.size)
        self._features = _features(table, np.diff(starts[1]), unknown.size)
        numbers = self.lm.numbers(tgt.known)
        vocabulary = np.unique(words[1][: starts[1][table.height]])
        self.is_known = self.lm.knows(numbers[vocabulary])
        self._numbers = frozen(numbers[self._words])
        self._alone, self._inside, self._behind = score_phrases(
            self.lm.tree,
            self.lm.order,
            self._states,
            frozen(self._at),
            self._numbers,
            self.lm.least,
        )

    def options(self, weights: dict[str, float], most: int) -> tuple[Options, I64]:
        """Return the ``most`` best translations of each source phrase, and their rows."""
        plain = {name: weights[name] for name in FEATURES}
        score = weighted_sums(self._features, vector(plain))  # as many translations are tied
        reorder = np.zeros(0)
        if len(weights) > len(plain):
            if self._reorder is None:
                raise InputError(
                    "weights for reordering, but a phrase table without counts of orientations",
                    expected="a table written by mt train as Parquet",
                )
            reorder = self._reorder * vector({name: weights[name] for name in REORDERING})
        lm = weights["lm"] * _LN10
        estimate = score + lm * self._alone
        order = np.lexsort((-estimate, self._nodes))
        nodes = self._nodes[order]
        begins = np.flatnonzero(np.concatenate([[True], nodes[1:] != nodes[:-1]]))
        # Ranks within each source phrase, best estimate first.
        ranks = np.arange(nodes.size) - np.repeat(begins, np.diff([*begins, nodes.size]))
        rows = order[ranks < most]
        sizes = np.diff(self._at)[rows]
        at = _starts(sizes)
        words = self._numbers[np.repeat(self._at[rows] - at[:-1], sizes) + np.arange(at[-1])]
        first = _starts(np.bincount(self._nodes[rows], minlength=self._trie.size))
        made = Options(
            *self._trie.nodes(),
            frozen(first),
            frozen(at),
            frozen(words),
            frozen(score[rows] + lm * self._inside[rows]),
            frozen(estimate[rows]),
            frozen(self._behind[rows]),
            frozen(self._lengths[rows].astype(np.int32)),
            frozen(reorder[rows].ravel() if reorder.size else reorder),
        )
        return made, rows

    def translate(
        self,
        weights: dict[str, float],
        search: Search,
        n_best: int = 1,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Translations:
        """Return the ``n_best`` best translations of every sentence, in order."""
        options, rows = self.options(weights, search.options)
        begin, end = self.lm.marks
        lm = weights["lm"] * _LN10
        language = Language(self.lm.order, begin, end, float(self.lm.least), lm)

        def call(first: int) -> tuple[Array, ...]:
            translated: tuple[Array, ...] = derivations.translate(
                self.lm.tree,
                language,
                self._states,
                options,
                self.starts,
                self.sentences,
                first,
                min(first + _CHUNK, count),
                self.longest,
                search.distortion,
                weights["distortion"],
                search.pop,
                n_best,
            )
            return translated

        count = self.starts.size - 1
        parts = []
        for part in parallel_map(call, range(0, count, _CHUNK), executor):
            parts.append(part)
            if progress is not None:
                progress(min(len(parts) * _CHUNK, count), count)
        return self._found(parts, rows, list(weights))

    def _found(
        self, parts: list[tuple[Array, ...]], rows_of_options: I64, every: list[str]
    ) -> Translations:
        """Return translations with their words and features."""
        empty = (np.zeros(0, np.int64), np.zeros(0), np.zeros(1, np.int64))
        parts = [(*empty, np.zeros(0, np.int32), np.zeros(0, np.int32)), *parts]
        rows, scores, _, options, places = (
            np.concatenate([part[k] for part in parts]) for k in range(5)
        )
        phrases = np.concatenate([np.diff(part[2]) for part in parts])
        used = rows_of_options[options]
        sizes = np.diff(self._at)[used]
        at = _starts(sizes)
        where = np.repeat(self._at[used] - at[:-1], sizes) + np.arange(at[-1])
        ends = np.cumsum(phrases)
        starts = at[np.concatenate([[0], ends])]
        features = np.zeros((rows.size, len(FEATURES)))
        translation = np.repeat(np.arange(rows.size), phrases)
        for k in range(len(FEATURES)):
            features[:, k] = np.bincount(
                translation, weights=self._features[used, k], minlength=rows.size
            )
        names = list(FEATURES)
        behind = places + self._lengths[used]
        before = np.concatenate([[0], behind[:-1]])
        before[(ends - phrases)[phrases > 0]] = 0
        jumps = np.bincount(translation, weights=np.abs(places - before), minlength=rows.size)
        # Subtracted, since the negative of 0 would be printed as -0.
        features[:, names.index("distortion")] = 0.0 - jumps
        numbers = frozen(self._numbers[where])
        total = self.lm.log10(starts[:-1], starts[1:], numbers)
        features[:, names.index("lm")] = total * _LN10
        if len(every) > len(names):
            lengths = np.diff(self.starts)[rows]
            values = np.zeros((0, len(REORDERING))) if self._reorder is None else self._reorder
            reordered = _orientations(values[used], places, behind, before, translation, lengths)
            features = np.concatenate([features, reordered], axis=1)
        return Translations(rows, scores, starts, self._words[where], features, every)


def language_model(given: object) -> ArpaModel:
    """Return a language model for word-by-word lookup, from ARPA or an estimated one."""
    if isinstance(given, Estimate):
        with tempfile.TemporaryDirectory(prefix="alignframe-") as folder:
            path = Path(folder) / "lm.arpa"
            write_arpa(given, path)
            given = read_language_model(path)
    if is_path(given):
        require_file(given, "alignframe lm TEXT")
        given = read_language_model(os.fspath(given))
    if not isinstance(given, ArpaModel):
        raise InputError(
            f"a language model of type {type(given).__name__}",
            expected="one in ARPA format, as written by alignframe lm",
        )
    return given


def _of_words(table: pl.DataFrame, known: Numbering) -> pl.Series:
    """Return which phrase pairs have only source words that are known."""
    column = as_array(table["src"].to_arrow())
    is_known = pc.is_in(words_of(column).cast(pa.string()), value_set=known.known)
    ends = _starts(list_lengths(column))
    missing = np.concatenate([[0], np.cumsum(~is_known.to_numpy(zero_copy_only=False))])
    return pl.Series(missing[ends[1:]] == missing[ends[:-1]])


def _starts(lengths: I64) -> I64:
    offsets: I64 = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return offsets


def _orientations(
    values: F64, places: I64, behind: I64, before: I64, translation: I64, lengths: I64
) -> F64:
    """Return the reordering features of translations, from values and places of each phrase."""
    # Per phrase: its values, start, end, the end of the previous phrase, and its translation; per
    # translation: the number of its source words.
    first = np.concatenate([[True], translation[1:] != translation[:-1]])[: places.size]
    began = np.where(first, -1, np.concatenate([[0], places[:-1]])[: places.size])
    # 0 is monotone, 1 swap, 2 other; the last phrase is monotone to the end of the sentence.
    way = np.where(places == before, 0, np.where(behind == began, 1, 2))
    last = np.concatenate([first[1:], [True]])[: places.size]
    at_end = np.where(behind == lengths[translation], 0, 2)
    following = np.where(last, at_end, np.concatenate([way[1:], [0]])[: places.size])
    features = np.zeros((lengths.size, len(REORDERING)))
    for shift, ways in ((0, way), (3, following)):
        mine = values[np.arange(places.size), shift + ways]
        np.add.at(features, (translation, shift + ways), mine)
    return features


def _reorder(table: pl.DataFrame, unknown: int) -> F64 | None:
    """Return the log probability of each orientation, smoothed as in Moses."""
    if not set(ORIENTATIONS) <= set(table.columns):
        return None
    both = table["n_both"].to_numpy()
    columns = []
    for side in ("previous", "next"):
        known = [table[f"n_{way}_{side}"].to_numpy() for way in ("monotone", "swap")]
        # Half a pseudo-count for each of the three orientations.
        columns += [np.log((n + 0.5) / (both + 1.5)) for n in (*known, both - sum(known))]
    logarithms = np.stack(columns, axis=1)
    return np.concatenate([logarithms, np.zeros((unknown, logarithms.shape[1]))])


def _features(table: pl.DataFrame, words: I64, unknown: int) -> F64:
    """Return the position-independent features of each phrase pair; unknown words last."""
    both = table["n_both"].to_numpy()
    columns = {
        "word_penalty": -words.astype(np.float64),
        "phrase_penalty": np.ones(words.size),
        "p_src": np.log(both / table["n_tgt"].to_numpy()),
        "lex_src": np.log(table["lex_src"].to_numpy()),
        "p_tgt": np.log(both / table["n_src"].to_numpy()),
        "lex_tgt": np.log(table["lex_tgt"].to_numpy()),
    }
    features = np.zeros((words.size, len(FEATURES)))
    for k, name in enumerate(FEATURES):
        if name in columns:
            features[: columns[name].size, k] = columns[name]
    if unknown:
        features[-unknown:, list(FEATURES).index("unknown")] = UNKNOWN
    return features
