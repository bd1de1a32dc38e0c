"""Scoring analysed translations against analysed references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
import polars as pl

from alignframe.core.arrays import F64, I64
from alignframe.core.choices import SEVERAL_REFERENCES, TESLA_FEATURES
from alignframe.errors import InputError, check_known, number_of, unknown_name, warn
from alignframe.functions.bags import check_sizes
from alignframe.language.analysed import Analysed, Vocabulary
from alignframe.language.analysis import AnalysisOptions
from alignframe.language.choices import OPTIONS
from alignframe.language.files import analysed, check_language, reading_of
from alignframe.language.remedies import make_pivot_table
from alignframe.sources.keys import Growing
from alignframe.sources.source import Source
from alignframe.sources.texts import about_of, references_of
from alignframe.tesla.bags import BagFeatures
from alignframe.tesla.feature_names import SURFACE, SURFACE_SETS
from alignframe.tesla.features import Features
from alignframe.tesla.metrics import Metric, mean_of
from alignframe.tesla.signatures import signature_of, warn_of_model
from alignframe.typing import ForOutput, FromOne, Rare, Share

if TYPE_CHECKING:
    from alignframe.language import Analysis
    from alignframe.tesla.model import Model


_NAMED = 5


class ScorerOptions(AnalysisOptions, total=False):
    """The parameters of ``scorer_of``, as keywords."""

    features: str | None
    pivots: Mapping[str, Any] | None
    language_models: Mapping[str, Any] | None
    model: Model | str | PathLike[str] | None
    references_combined: str
    recall_weight: float
    empty_order: str
    function_weight: float
    threads: int


SCORER = tuple(name for name in ScorerOptions.__annotations__ if name not in OPTIONS)
"""The options of ``Scorer``."""


class Scores(NamedTuple):
    """Scores of shape (rows,), and their features; NaN where undefined."""

    score: F64
    features: dict[str, F64]


class Scorer:
    """A metric with the resources of its features.

    Parameters
    ----------
    analysis
        The analysis of text; see ``analyse``.
    metric
        ``m``, ``b`` or ``f``, see ``metrics.Metric``.
    features
        ``paper``: lemmas and tags (and pivots and language models); ``wide``: also characters,
        words, order and length; ``other``: also characters, words and order, with more weight on
        recall. By default, those of the model.
    pivots, language_models
        Pivot tables and language models, or their files, by name; each adds features.
    model
        Trained model for TESLA-F (in Python, or its file). By default one that comes with the
        package: ``wide``; ``words``, without a tagger; or ``other``, for languages other than
        English.
    references_combined
        Score against several references. ``mean``: the mean of the scores; ``max``: the highest.
    recall_weight, empty_order, function_weight
        See ``tesla.BagFeatures``.
    threads
        Number of threads for matching.

    Warns
    -----
    DataWarning
        If the model was trained on features made with other options.

    Examples
    --------
    >>> from alignframe.tesla import Analysis, Scorer
    >>> Scorer(Analysis.of(tagger="none")).names[:4]
    ('ms_1', 'ms_2', 'ms_3', 'pos_1')
    """

    def __init__(
        self,
        analysis: Analysis,
        metric: str = "m",
        *,
        features: Rare[str | None] = None,
        pivots: Mapping[str, object] | None = None,
        language_models: Mapping[str, object] | None = None,
        model: Model | str | PathLike[str] | None = None,
        references_combined: Rare[str] = "mean",
        recall_weight: Rare[Share] = 0.8,
        empty_order: Rare[str] = "zero",
        function_weight: Rare[Share] = 0.1,
        threads: ForOutput[FromOne] = 1,
    ) -> None:
        check_known("`references_combined`", references_combined, SEVERAL_REFERENCES)
        if features is not None and features not in TESLA_FEATURES:
            raise unknown_name("`features`", features, TESLA_FEATURES)
        if metric == "f" and empty_order != "zero":
            raise InputError(
                f"`empty_order={empty_order!r}` with the metric f",
                expected="zero: a model needs every feature",
            )
        if metric == "b" and not pivots:
            raise InputError(
                "the metric b needs a table of a pivot language",
                todo=f"make one: {make_pivot_table(analysis.language)}, and add it to `pivots`",
            )
        self.analysis = analysis
        self.combined = references_combined
        if metric == "f" and model is None:
            model = default_model(analysis)
        self.model = model_of(model, metric)
        bags = BagFeatures(
            analysis.synonyms,
            recall_weight,
            empty_order,
            function_weight=function_weight,
            threads=threads,
        )
        self._groups: list[Features] = [
            bags,
            *_surface_features(surface_set(features, self.model)),
            *_pivot_features(pivots or {}, recall_weight, empty_order, function_weight),
            *_language_model_features(language_models or {}),
        ]
        self.names = tuple(name for group in self._groups for name in group.names)
        self.metric = Metric(metric, self.names, self.model)
        if self.model is not None:
            warn_of_model(self.model, self._made())

    def signature(self, references: int) -> str:
        """Return every choice that affects the scores, as ``key:value`` parts joined by bars."""
        refs = f"refs:{references}" + (f",{self.combined}" if references > 1 else "")
        return signature_of(self.metric, [*self._made(), refs])

    def _made(self) -> list[str]:
        """Return the signature parts of the features."""
        parts = self.analysis.signature.split("|")
        parts += [part for part in self._groups[0].signature.split("|") if part not in parts]
        shared = set(parts)  # parts shared with other features are given once
        for group in self._groups[1:]:
            parts += [part for part in group.signature.split("|") if part not in shared]
        return parts

    def score(self, hyp: Analysed, references: Sequence[Analysed]) -> Scores:
        """Score each sentence of ``hyp`` against the same row of each reference.

        All share a vocabulary. An empty translation scores 0; empty references are ignored, and the
        score is NaN if there is no other.
        """
        one_of = [self._against(hyp, ref) for ref in references]
        return _best(one_of) if self.combined == "max" else self._means(one_of)

    def _against(self, hyp: Analysed, ref: Analysed) -> Scores:
        matrices = [group.of(hyp, ref) for group in self._groups]
        columns = (np.ascontiguousarray(column) for matrix in matrices for column in matrix.T)
        features = dict(zip(self.names, columns, strict=True))
        score = self.metric.of(features)
        absent = ref.lengths() == 0
        for values in (score, *features.values()):
            values[absent] = np.nan
        return Scores(score, features)

    def _means(self, by_reference: Sequence[Scores]) -> Scores:
        """Return the means of defined values over references."""
        if len(by_reference) == 1:
            return by_reference[0]
        names = by_reference[0].features
        features = {
            name: mean_of([scores.features[name] for scores in by_reference]) for name in names
        }
        if self.metric.model is not None:  # scores are clipped after the mean
            return Scores(self.metric.of(features), features)
        return Scores(mean_of([scores.score for scores in by_reference]), features)


def _best(by_reference: Sequence[Scores]) -> Scores:
    """Return the best score of each row, and its features."""
    best = by_reference[0]
    for other in by_reference[1:]:
        # A score above none is better too; comparisons with NaN are false.
        better = (other.score > best.score) | (np.isnan(best.score) & ~np.isnan(other.score))
        features = {
            name: np.where(better, other.features[name], values)
            for name, values in best.features.items()
        }
        best = Scores(np.where(better, other.score, best.score), features)
    return best


def surface_set(features: str | None, model: Model | None) -> str | None:
    """Return the set of surface features, if any, by name or from a model."""
    if features in SURFACE_SETS:
        return features
    if model is None or not any(map(SURFACE.fullmatch, model.names)):
        return None
    sets = (name for name in SURFACE_SETS if f"set:{name}," in model.signature)
    return next(sets, "wide")


def _surface_features(kind: str | None) -> list[Features]:
    if kind is None:
        return []
    from alignframe.tesla.surface import SurfaceFeatures

    return [SurfaceFeatures(kind)]


def _pivot_features(
    pivots: Mapping[str, Any], recall_weight: float, empty_order: str, function_weight: float
) -> list[Features]:
    if not pivots:
        return []
    from alignframe.tesla.pivots import PivotFeatures

    return [
        PivotFeatures(
            given,
            name,
            recall_weight,
            function_weight,
            empty_order,
        )
        for name, given in pivots.items()
    ]


def _language_model_features(models: Mapping[str, Any]) -> list[Features]:
    if not models:
        return []
    from alignframe.tesla.language_model import LanguageModelFeatures

    return [LanguageModelFeatures(given, name) for name, given in models.items()]


def analysis_for(
    metric: str, model: object = None, *, kept: bool = False, **options: Unpack[AnalysisOptions]
) -> Analysis:
    """Return the analysis for a metric, perhaps that ``kept`` of an earlier call with its words."""
    from alignframe.language.analysis import Analysis
    from alignframe.language.kept_analyses import kept_analysis

    if metric == "f" and model is None and options.get("language", "en") != "en":
        # The shipped model of other languages needs no tags.
        options["tagger"] = options.get("tagger") or "none"
    return kept_analysis(**options) if kept else Analysis.of(**options)


def scorer_of(
    metric: str, analysis: Analysis | None = None, *, kept: bool = False, **options: Any
) -> Scorer:
    """Return a scorer; ``kept`` allows reusing the analysis of an earlier call.

    Parameters
    ----------
    **options
        See ``Scorer``, ``language.Analysis.of``.
    """
    own = {name: options.pop(name) for name in OPTIONS if name in options}
    how = analysis or analysis_for(metric, options.get("model"), kept=kept, **own)
    return Scorer(how, metric, **options)


def default_model(analysis: Analysis) -> str:
    """Return the shipped model that fits an analysis best."""
    if analysis.language != "en":
        return "other"
    return "words" if analysis.content.name == "none" else "wide"


def model_of(given: Model | str | PathLike[str] | None, metric: str) -> Model | None:
    """Return a given model, one from a file, or a shipped one; raise an InputError if none fits."""
    from alignframe.tesla.model import SHIPPED, Model, shipped

    if given is not None and metric != "f":
        raise InputError(
            f"a model with the metric {metric!r}",
            todo="choose `metric='f'`, or leave the model out",
        )
    if given is None or isinstance(given, Model):
        return given
    name = fspath(given)
    return shipped(name) if name in SHIPPED else Model.load(given)


def analysed_texts(source: Source, analysis: Analysis, vocabulary: Vocabulary) -> Analysed:
    """Return the analysed sentences of a source, which must be short enough to be matched."""
    sentences = analysed(source, analysis, vocabulary)
    check_sizes(sentences, source.name)
    return sentences


def read_references(
    ref: object,
    analysis: Analysis,
    vocabulary: Vocabulary,
    encoding: str,
    keys: Growing | None = None,
) -> tuple[list[Source], list[Analysed], pl.DataFrame]:
    """Return references, also analysed, and a table of sentences: sid, n_ref and own columns."""
    sources = references_of(ref, keys=keys, **reading_of(analysis, encoding))
    references = [analysed_texts(given_source, analysis, vocabulary) for given_source in sources]
    for source, sentences in zip(sources, references, strict=True):
        check_language(source, sentences, analysis)
    # n_ref is the number of tokens of the first reference.
    about = about_of(sources[0]).with_columns(n_ref=references[0].lengths())
    return sources, references, about.select("sid", "n_ref", pl.exclude("sid", "n_ref"))


def warn_of_empty(
    sources: Sequence[Source], references: Sequence[Analysed], kept: I64 | None = None
) -> None:
    """Warn of empty sentences of references, only among those in ``kept`` if given."""
    said = (
        "such a line has no score"
        if len(references) == 1
        else "such a line is scored against the other references only"
    )
    for source, ref in zip(sources, references, strict=True):
        empty = np.flatnonzero(ref.lengths() == 0)
        if kept is not None:
            empty = empty[np.isin(empty, kept)]
        if not empty.size:
            continue
        lines = ", ".join(f"{line + 1:,}" for line in empty[:_NAMED].tolist())
        more = ", ..." if empty.size > _NAMED else ""
        warn(
            f"{source.name}: {number_of(empty.size, 'empty line')} of the reference "
            f"(line {lines}{more}); {said}"
        )
