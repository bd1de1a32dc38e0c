"""Taggers projected through a bitext: known words, and endings of unknown ones."""

from __future__ import annotations

import functools
import hashlib
from os import PathLike

import polars as pl

from alignframe.errors import InputError, in_file, warn
from alignframe.language.analysed import Analysed
from alignframe.language.coverage import ENOUGH, known_words
from alignframe.language.remedies import TAGS, require_file
from alignframe.language.synonyms import Synonyms
from alignframe.read.tables import read_table
from alignframe.stores.store import file_mark

LEARNT = "learnt"
"""The prefix of the names of learnt taggers."""

_COLUMNS = ("word", "tag", "lemma", "n", "translations")
_WROTE = "a file written by alignframe tesla tags"
_ENDING = 5

LEAST_KNOWN, FEW_KNOWN = 0.2, 0.4
"""Tags that know a smaller share of running words are refused; below the second, warn.

Tags of 72 sentence pairs know 47% to 98% of stories and news in their language, those of 10,068
pairs 84% to 92%; in other languages they know 2% to 30%."""

UNKNOWN = "SYM"
"""The tag of an unknown word without letters."""


class LearntTagger:
    """Tags and lemmas by word, from ``tesla tags``; an unknown word is its own lemma."""

    tag_set = "penn"
    has_lemmas = True

    def __init__(self, frame: pl.DataFrame, path: str) -> None:
        self.name = name_of(frame)
        self._path = path
        self._numbers = {word: number for number, word in enumerate(frame["word"])}
        self._counts = frame["n"].cast(pl.Int64).to_numpy()
        rows = frame.select("word", "tag", "lemma").iter_rows()
        self._known: dict[str, tuple[str, str]] = {word: (tag, lemma) for word, tag, lemma in rows}
        self._endings = _endings(frame)
        groups = frame.select("lemma", "translations").unique("lemma").explode("translations")
        groups = groups.drop_nulls("translations")
        numbers = groups["translations"].rank("dense").cast(pl.Int64).to_numpy()
        self.synonyms = Synonyms.from_groups(groups["lemma"], numbers, LEARNT, sized=True)

    def check(self, sentences: Analysed, what: str) -> None:
        """Raise an InputError, or warn, if sentences are not in the language of the tags."""
        share, asked, missing = known_words(sentences, self._numbers, self._counts, lower=True)
        # Of a short text, the share says less.
        if share >= (FEW_KNOWN if asked >= ENOUGH else LEAST_KNOWN):
            return
        said = f"the tags know {share:.0%} of the {asked:,} words of {what}"
        said += f"; they lack {', '.join(missing)}"
        if share < LEAST_KNOWN and asked >= ENOUGH:
            raise InputError(
                said,
                path=self._path,
                expected=f"{LEAST_KNOWN:.0%} or more of tags of that language",
                todo=f"learn them: {TAGS} -o TAGS.parquet",
            )
        text = f"{self._path}: {said}; they may be of another language, or of too little text"
        warn(text)

    def tag_word(self, word: str, opens: bool) -> str:  # noqa: ARG002 - as of a WordTagger
        """Return the tag of a word."""
        form = word.lower()
        if form in self._known:
            return self._known[form][0]
        if not any(map(str.isalnum, form)):
            return UNKNOWN
        # The tag most frequent, by links, among words with the longest known ending.
        for size in range(min(_ENDING, len(form)), -1, -1):
            tag = self._endings.get(form[len(form) - size :])
            if tag:
                return tag
        return "NN"

    def lemma_of(self, word: str) -> str:
        """Return the lemma of a word."""
        form = word.lower()
        return self._known.get(form, ("", form))[1]


def name_of(frame: pl.DataFrame) -> str:
    """Return the name of tags in signatures, which depends on everything that affects tagging."""
    text = frame.select("word", "tag", "lemma", "n").write_csv()
    return f"{LEARNT}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _endings(frame: pl.DataFrame) -> dict[str, str]:
    """Return the most frequent tag of every ending of words that contain letters."""
    words = frame.filter(pl.col("word").str.contains(r"\p{L}"))
    parts = [
        words.select("tag", "n", ending=pl.col("word").str.tail(size))
        for size in range(_ENDING + 1)
    ]
    return dict(most_frequent(pl.concat(parts), "ending", "tag").iter_rows())


def most_frequent(counts: pl.DataFrame, key: str, of: str) -> pl.DataFrame:
    """Return the ``of`` with the largest sum of ``n`` for each ``key``, ties to the first."""
    summed = counts.group_by(key, of).agg(pl.col("n").sum())
    return summed.sort("n", of, descending=[True, False]).group_by(key).agg(pl.col(of).first())


def read_learnt(path: str | PathLike[str]) -> LearntTagger:
    """Return the tagger in a file of ``tesla tags``, read once per process."""
    require_file(path, TAGS)
    return _of_file(str(path), file_mark(path))


@functools.lru_cache(maxsize=4)
def _of_file(path: str, _: str) -> LearntTagger:
    with in_file(path):
        frame = read_table(path, "a table of learnt tags")
        missing = [name for name in _COLUMNS if name not in frame.columns]
        if missing:
            raise InputError(f"no column {missing[0]!r}", expected=_WROTE)
        if not frame.height:
            raise InputError("no words", expected=_WROTE)
        _check(frame)
    return LearntTagger(frame, path)


def _check(frame: pl.DataFrame) -> None:
    """Refuse a table that was changed so that it is not a valid tagger."""
    kinds = {**dict.fromkeys(_COLUMNS[:3], pl.String), "translations": pl.List(pl.String)}
    for name in _COLUMNS:
        kind = frame.schema[name]
        if not (kind.is_integer() if name == "n" else kind == kinds[name]):
            raise InputError(f"the column {name} of type {kind}", expected=_WROTE)
        if frame[name].null_count():
            raise InputError(f"a word without its {name}", expected=_WROTE)
    if frame["n"].min() < 1:  # type: ignore[operator]
        raise InputError("a word with no links", expected=_WROTE)
    twice = frame.filter(pl.col("word").is_duplicated())
    if twice.height:
        raise InputError(f"the word {twice['word'][0]!r} twice", expected=_WROTE)
