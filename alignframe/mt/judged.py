"""Results of a study of word alignments by translation, and the folder that stores them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from alignframe.core.output import make_folder, together, write_table
from alignframe.core.schemas import COUNTS, SIGNATURE
from alignframe.errors import InputError, number_of, warn
from alignframe.result import Result
from alignframe.stats import correlate
from alignframe.stats.external import FEWEST
from alignframe.stats.values import ALPHAS
from alignframe.studies.runner import finished

COUNTED = "counts.parquet"
"""A file of the folder of a finished study."""

SUBSET = "subset"
"""The key in the metadata of the counts that names the subset of gold."""

SCHEMA = {
    "system": pl.String,
    "group": pl.String,
    **{f"bleu{end}": pl.Float64 for end in ("", "_low", "_high")},
    **{f"chrf{end}": pl.Float64 for end in ("", "_low", "_high")},
    "tesla": pl.Float64,
    **dict.fromkeys(("pairs", "unknown_words"), pl.Int64),
    **dict.fromkeys(("length_ratio", "dev_score"), pl.Float64),
    "links": pl.String,
}
METRICS = {"bleu": "BLEU", "chrf": "chrF", "tesla": "TESLA"}
"""External scores for comparison with alignment measures, and their display names."""

NO_COUNTS = pl.DataFrame(
    schema={"system": pl.String, "sid": pl.Int64, **dict.fromkeys(COUNTS, pl.Int64)}
)
_MADE = "a folder written by 'mt study -o FOLDER'"


@dataclass(frozen=True, repr=False)
class MtStudy(Result):
    """A study of alignments evaluated by translation.

    Attributes
    ----------
    scores
        One row per alignment: system, group (the symmetrization method, if known), bleu and chrf of
        the test set with intervals over its sentences, tesla (null unless requested), pairs (of the
        phrase table, as needed for the texts), unknown_words, length_ratio (words of translations
        to words of the reference), dev_score (of the development set, if weights were tuned on it),
        and links, a digest of the links.
    correlations
        How well alignment measures predict each of these scores, named in the first column; see
        ``stats.correlate``. Empty without gold or with fewer than three systems.
    counts
        Counts of every gold sentence by system, and by piece in studies of ``links vary``.
    signature
        Every choice.
    subset
        The signature of the subset of gold counted, if any.

    Examples
    --------
    >>> from alignframe import mt, tesla
    >>> text = ["the boat", "a boat", "the bar"], ["le bateau", "un bateau", "le bar"]
    >>> lm = tesla.estimate_language_model("datasets/en-fr/text.fr", 2)
    >>> test = ["a bar"], ["un bar"]
    >>> found = mt.study({"a": ["0-0 1-1"] * 3}, text, lm, test=test, tuned="none", bootstrap=0)
    >>> found.scores.select("system", "bleu", "unknown_words").row(0)
    ('a', 0.0, 0)
    """

    scores: pl.DataFrame
    correlations: pl.DataFrame
    counts: pl.DataFrame
    signature: str
    subset: str = ""

    def write(self, folder: str | PathLike[str]) -> list[Path]:
        """Write every table to a folder, as Parquet with the signature and the subset."""
        paths = [Path(folder, f"{name}.parquet") for name in self.tables()]
        make_folder(Path(folder))
        with together():
            for path, table in zip(paths, self.tables().values(), strict=True):
                noted = table.to_arrow().replace_schema_metadata({SUBSET: self.subset})
                write_table(noted, path, signature=self.signature)
        return paths

    @property
    def metrics(self) -> dict[str, str]:
        """The scores that all systems have, with their display names."""
        # Only the signature tells which TESLA it was.
        kind = self.signature.partition("metric=tesla-")[2][:1]
        spelt = METRICS | ({"tesla": f"TESLA-{kind.upper()}"} if kind else {})
        return {name: word for name, word in spelt.items() if not self.scores[name].null_count()}

    def external(self, metric: str) -> pl.DataFrame:
        """Return a score in the form for ``stats.correlate``."""
        return external_of(self.scores, metric)


def external_of(scores: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Return the columns system, score and, if known for all systems, group."""
    external = scores.select("system", pl.col(metric).alias("score"), "group")
    return external.drop("group") if external["group"].null_count() else external


def correlations_of(
    scores: pl.DataFrame,
    counts: pl.DataFrame,
    *,
    alpha: Sequence[float] = ALPHAS,
    subset: str = "",
    **options: Any,
) -> pl.DataFrame:
    """Return the correlations of measures with every score; see ``MtStudy.correlations``."""
    tables = []
    for metric in METRICS:
        if not counts.height or scores.height < FEWEST or scores[metric].null_count():
            continue
        external = external_of(scores, metric)
        grouped = "group" in external.columns and external["group"].n_unique() > 1
        try:
            table = correlate(
                counts, external, alpha=alpha, by_group=grouped, subset=subset, **options
            )
        except InputError as error:
            warn(f"{METRICS[metric]} is not correlated: {error}")
            continue
        tables.append(table.select(pl.lit(metric).alias("score"), pl.all()))
    return pl.concat(tables) if tables else pl.DataFrame(schema={"score": pl.String})


def read_study(folder: str | PathLike[str]) -> MtStudy:
    """Read a study written by ``study`` or ``alignframe mt study``.

    Raises
    ------
    InputError
        If there is no such folder, the study is unfinished, or a file is not from a study.

    Examples
    --------
    >>> from alignframe import mt, tesla
    >>> text = ["the boat", "a boat", "the bar"], ["le bateau", "un bateau", "le bar"]
    >>> lm = tesla.estimate_language_model("datasets/en-fr/text.fr", 2)
    >>> test = ["a bar"], ["un bar"]
    >>> given = {"test": test, "tuned": "none", "bootstrap": 0}
    >>> found = mt.study({"a": ["0-0 1-1"] * 3}, text, lm, folder="study", **given)
    >>> mt.read_study("study").scores.equals(found.scores)
    True
    """
    home = Path(folder)
    if not home.is_dir():
        raise InputError("no such folder", path=home, expected=_MADE)
    if not (home / COUNTED).is_file():
        if not finished(home):
            raise InputError(f"the folder has no {COUNTED}", path=home, expected=_MADE)
        raise InputError(
            f"the study is not finished: it has scores of {number_of(finished(home), 'system')}",
            path=home,
            todo="run the same 'mt study' again to resume it",
        )
    scores, mark, _ = _read(home / "scores.parquet", SCHEMA)
    counts, _, subset = _read(home / COUNTED, NO_COUNTS.schema)
    correlations, _, _ = _read(home / "correlations.parquet", ["score"])
    return MtStudy(scores, correlations, counts, mark, subset)


def _read(path: Path, names: Iterable[str]) -> tuple[pl.DataFrame, str, str]:
    """Return a table, its signature, and the subset in it."""
    try:
        frame, notes = pl.read_parquet(path), pl.read_parquet_metadata(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"cannot be read as Parquet ({error})", path=path) from None
    lacking = [name for name in names if name not in frame.columns]
    if lacking:
        raise InputError(f"no column {lacking[0]!r}", path=path, expected=_MADE)
    return frame, notes.get(SIGNATURE, ""), notes.get(SUBSET, "")
