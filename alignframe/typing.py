"""Types of parameters, and what checks and help read from them: bounds, rarity and panel.

A frame is any object that exports Arrow data: a polars DataFrame or LazyFrame, a pandas DataFrame,
a pyarrow table, reader or dataset, or a DuckDB relation. Wherever a table is accepted, so is a dict
of columns, a list of dicts, or a path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Executor
from os import PathLike
from typing import Annotated, Any, Protocol, TextIO, TypeAlias, TypeVar

from alignframe.errors import (
    BELOW_1,
    FROM_0,
    FROM_1,
    INSIDE,
    NOT_NEGATIVE,
    POSITIVE,
    SHARE,
    Bounds,
)

_T = TypeVar("_T")

Rare: TypeAlias = Annotated[_T, "rare"]
"""An option that few runs set: help leaves it out."""

ForInput: TypeAlias = Annotated[_T, "Input"]
ForOutput: TypeAlias = Annotated[_T, "Output"]
"""Options shown in these panels of help; others are in Analysis."""

FromZero: TypeAlias = Annotated[int, FROM_0]
FromOne: TypeAlias = Annotated[int, FROM_1]
FromTwo: TypeAlias = Annotated[int, Bounds(2, whole=True)]
FromTen: TypeAlias = Annotated[int, Bounds(10, whole=True)]
NotNegative: TypeAlias = Annotated[float, NOT_NEGATIVE]
Positive: TypeAlias = Annotated[float, POSITIVE]
Share: TypeAlias = Annotated[float, SHARE]
BelowOne: TypeAlias = Annotated[float, BELOW_1]
Inside: TypeAlias = Annotated[float, INSIDE]
"""Numbers within bounds; ``BelowOne`` may be 0, ``Inside`` is between 0 and 1."""

Resamples: TypeAlias = Annotated[int, FROM_0, "Intervals"]
Confidence: TypeAlias = Annotated[float, INSIDE, "rare", "Intervals"]
Seed: TypeAlias = Annotated[int, FROM_0, "rare", "Intervals"]
"""How intervals are made: numbers of resamples, their level, and the seed of random numbers."""


class ArrowStream(Protocol):
    """A frame or a column that exports Arrow data: of polars, pandas, pyarrow and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule of Arrow's C stream interface."""


class ArrowArray(Protocol):
    """A batch or an array of pyarrow and others."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object:
        """Return capsules of Arrow's C data interface."""


class NumpyArray(Protocol):
    """An array of numpy, or what becomes one."""

    def __array__(self, *args: Any, **options: Any) -> Any:
        """Return the array."""


class LazyTable(Protocol):
    """A polars LazyFrame, run when it is read."""

    def collect_batches(self, *args: Any, **options: Any) -> Any:
        """Return the frame's batches."""


class Relation(Protocol):
    """A DuckDB relation, run when it is read."""

    def to_arrow_reader(self, *args: Any, **options: Any) -> Any:
        """Return a reader of the relation's rows."""


class Dataset(Protocol):
    """A dataset of pyarrow."""

    def scanner(self, *args: Any, **options: Any) -> Any:
        """Return a scanner of the dataset."""


class Resolved(Protocol):
    """An input that was resolved before: an ``alignframe.sources.source.Source``."""

    def systems(self) -> list[str]:
        """Return the names of its systems."""


class HasSids(Protocol):
    """A subset of sentences selected before."""

    @property
    def sids(self) -> NumpyArray:
        """The numbers of its sentences."""


Progress: TypeAlias = Callable[[int, int], object]
"""A progress callback, called with the amount done and the total."""

Threads: TypeAlias = int | Executor | None
"""A number of threads, or an executor of threads, processes or a cluster that runs the parts."""

TrainingProgress: TypeAlias = Callable[[str, int, float], object]
"""Called after each iteration with the stage, its number and the previous log-likelihood."""

FilePath: TypeAlias = str | PathLike[str]
"""The name of a file; for Parquet also a glob or a folder."""

Column: TypeAlias = ArrowStream | ArrowArray | NumpyArray
"""A column: a series of polars or pandas, an array of pyarrow or numpy."""

Frame: TypeAlias = ArrowStream | ArrowArray | LazyTable | Relation | Dataset | Resolved
"""A table of any library."""

Columns: TypeAlias = Mapping[str, Sequence[Any] | Column]
"""A table as a dict of columns."""

Row: TypeAlias = dict[str, Any]
"""A row of a table, or an object of JSON: values by name."""

Arguments: TypeAlias = dict[str, Any]
"""Arguments of a call by name."""

IntoFrame: TypeAlias = Frame | Columns | Sequence[Mapping[str, object]] | FilePath
"""A table: a frame, a dict of columns, a list of dicts, or a path."""

Sentence: TypeAlias = str | Sequence[str]
"""A sentence: a text, or a list of words."""

IntoSentences: TypeAlias = FilePath | TextIO | Column | Sequence[Sentence]
"""Sentences: a path or an open file of one per line, a column, or a list."""

IntoDocuments: TypeAlias = IntoSentences | IntoFrame | Mapping[str, IntoSentences]
"""Sentences of one document or of several: by name, or a table with doc and text."""

IntoBitext: TypeAlias = (
    IntoFrame | tuple[IntoSentences, IntoSentences] | Sequence[tuple[Sentence, Sentence]]
)
"""Sentence pairs: a table with src and tgt, two sides, or a list of pairs."""

Link: TypeAlias = tuple[int, int] | tuple[int, int, bool]
"""A link (i, j), or (i, j, sure)."""

IntoLinks: TypeAlias = (
    IntoFrame | TextIO | Column | Sequence[str] | Sequence[Sequence[Link] | AbstractSet[Link]]
)
"""Links: a table or a file of them, texts such as ``0-0 1-2``, or lists of pairs."""

Bead: TypeAlias = tuple[int, int, int, int] | tuple[Sequence[int], Sequence[int]]
"""A bead (src_start, src_end, tgt_start, tgt_end), or the numbers of its sentences on each side."""

IntoBeads: TypeAlias = IntoFrame | Sequence[Bead]
"""Beads: a table or a file of them, or a list."""

IntoLexicon: TypeAlias = IntoFrame
"""A lexicon: a table with src, tgt and rank, or its path."""

IntoScores: TypeAlias = IntoFrame | Mapping[str, float]
"""Scores of systems: a table with system and score, or a mapping from systems to scores."""

IntoSids: TypeAlias = IntoFrame | Sequence[int] | NumpyArray | HasSids
"""Numbers of sentences: a list, an array, a table with a column sid, or a file."""


class WordModel(Protocol):
    """A model of ``alignframe.aligners``."""

    @property
    def kind(self) -> str:
        """The kind of model, such as ``hmm``."""

    @property
    def reverse(self) -> bool:
        """Whether each source word picks its target word."""


_Source = TypeVar("_Source")
Several: TypeAlias = _Source | Mapping[str, _Source] | Sequence[_Source]
"""One source, several by name, or a list of several."""

IntoGold: TypeAlias = IntoLinks | HasSids
"""Gold links, or a subset of them."""

IntoHypotheses: TypeAlias = Several[IntoLinks]
"""Links of one system or of several."""

IntoTexts: TypeAlias = IntoSentences | IntoFrame
"""Translations: sentences, or a table of them."""

IntoSystems: TypeAlias = Several[IntoTexts]
"""Translations of one system or of several, or several references."""

IntoWords: TypeAlias = IntoFrame | Sequence[tuple[str, str]]
"""Pairs of words: a table with src and tgt, a list of them, or a file."""

IntoWordModel: TypeAlias = WordModel | IntoLexicon
"""Prior knowledge of translations: a model, its folder, or a lexicon."""

IntoVectors: TypeAlias = str | PathLike[str] | NumpyArray | Sequence[Sequence[float]]
"""A vector per sentence: an array, its rows, or a path of .npy or Parquet."""

IntoTokens: TypeAlias = Column | Sequence[Mapping[str, object]] | Sequence[object]
"""Analysed tokens of a sentence, see ``alignframe.core.schemas.TOKEN``."""

Tagging: TypeAlias = Callable[[list[list[str]]], Sequence[Sequence[str]]]
"""A tagger: a function from the words of sentences to their tags."""
