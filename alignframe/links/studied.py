"""Reading a study of alignments of varying quality, for comparison with a score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path

import polars as pl

from alignframe.core.figures import MEASURED
from alignframe.core.schemas import COUNTS
from alignframe.errors import InputError, warn
from alignframe.result import SignedResult
from alignframe.stats.external import external_table
from alignframe.stats.link_measure import links_measure
from alignframe.stats.subsets import Chosen, choose
from alignframe.studies.runner import whole_means
from alignframe.typing import IntoScores, IntoSids

ALIGNER = "aligner.txt"
COUNTED = "counts.parquet"
"""Files of the folder of a study; the last one is the counts."""

_MADE = "a folder written by 'links vary -o FOLDER'"
_AGAIN = "run the same 'links vary' again to finish it; finished alignments are kept"

Folder = str | PathLike[str]


@dataclass(frozen=True, repr=False)
class Studied(SignedResult):
    """A study, or several with different aligners.

    Parameters
    ----------
    scores
        One row per run and method, as from ``QualityStudy.run``: means over pieces. Several studies
        have a column model, with systems called ``MODEL.1-16.refined``.
    counts
        Counts of every gold sentence, by system and piece: for ``alignframe.stats``.
    pairs
        The number of sentence pairs in the bitext; the largest of several.
    subset
        The gold sentences counted; None for all.
    alignments
        The file with the links of the whole bitext, by system.

    Examples
    --------
    >>> from datasets.tiny_aligner import align
    >>> from alignframe import links
    >>> text, gold = (["a boat", "a sail"], ["un bateau", "une voile"]), ["0-0 1-1"] * 2
    >>> study = links.QualityStudy(text, text, gold, align, fractions=[], symmetrize=["none"])
    >>> _ = study.run("varied")
    >>> links.read_study("varied").scores.select("system", "recall").rows()
    [('1.none', 0.5)]
    """

    scores: pl.DataFrame
    counts: pl.DataFrame
    pairs: int
    subset: Chosen | None = None
    alignments: Mapping[str, Path] = field(default_factory=dict)

    @property
    def groups(self) -> pl.DataFrame:
        """The symmetrization method of each system: columns system and group."""
        return self.scores.select("system", "group")

    def against(self, external: IntoScores) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the counts of systems with an external score, and the scores with their groups.

        Parameters
        ----------
        external
            See ``alignframe.stats.correlate``. Systems are named as in ``scores``. Groups, if any,
            must correspond to the methods, under any name.

        Returns
        -------
        tuple of polars.DataFrame
            Counts and scores for ``stats.correlate``.

        Raises
        ------
        InputError
            If groups mix methods, or split one.

        Warns
        -----
        DataWarning
            If systems without a score are left out.
        """
        scores = external_table(external)
        known = self.groups.rename({"group": "method"})
        scores = scores.join(known, on="system", how="left", maintain_order="left")
        if "group" not in scores.columns:
            scores = scores.with_columns(group="method")
        _check_groups(scores.drop_nulls("method"))
        lacking = self.groups.join(scores, on="system", how="anti")["system"].to_list()
        if 0 < len(lacking) < self.groups.height:
            warn(
                f"left out {len(lacking):,} of {self.groups.height:,} alignments, without a score: "
                f"{', '.join(lacking)}"
            )
            counts = self.counts.filter(~pl.col("system").is_in(lacking))
        else:
            counts = self.counts  # without any score, stats.correlate says what there is
        return counts, scores.drop("method").with_columns(pl.col("group").fill_null("none"))


def read_study(
    folder: Folder | Mapping[str, Folder], *, sids: IntoSids | None = None, where: str | None = None
) -> Studied:
    """Read a study written by ``QualityStudy.run`` or ``alignframe links vary``.

    Parameters
    ----------
    folder
        A folder, or a mapping from names of models to the folders of their studies.
    sids, where
        Use only some gold sentences: by number (a list, a table with a column sid, or a file), by
        an SQL condition over the columns sid, n_sure and n_possible of the counts, or both.

    Raises
    ------
    InputError
        If a folder was not made by such a study, the study is unfinished, or its gold lacks one of
        ``sids``.
    QueryError
        If DuckDB cannot evaluate the condition.

    Examples
    --------
    >>> from datasets.tiny_aligner import align
    >>> from alignframe import links
    >>> text, gold = (["a boat", "a sail"], ["un bateau", "une voile"]), ["0-0 1-1"] * 2
    >>> study = links.QualityStudy(text, text, gold, align, fractions=[2], symmetrize=["none"])
    >>> _ = study.run("varied")
    >>> links.read_study("varied").scores.select("run", "pieces").rows()
    [('1-2', 2), ('1', 1)]
    """
    known = _of_folders(folder)
    gold = known.counts.select("sid", "n_sure", "n_possible")
    chosen = choose(
        gold["sid"].to_numpy(),
        lambda: gold.unique().to_arrow(),
        sids,
        where,
        what="the study's gold",
    )
    return known if chosen is None else _part(known, chosen)


def _part(known: Studied, chosen: Chosen) -> Studied:
    """Return a study restricted to some gold sentences."""
    counts = known.counts.filter(pl.Series(chosen.holds(known.counts["sid"].to_numpy())))
    keys = [name for name in ("model", "system", "run", "group") if name in known.scores.columns]
    sums = counts.group_by(*keys, "piece", maintain_order=True).agg(pl.col(MEASURED).sum())
    alphas = [float(name[2:]) for name in known.scores.columns if name.startswith("f_")]
    measure = links_measure(alphas)
    # As in `links vary`, a figure is the mean over pieces, not that of all sentences.
    figures = sums.with_columns(measure.columns(sums))
    means = figures.group_by("system", maintain_order=True).agg(whole_means(measure.names))
    rest = known.scores.drop(measure.names)
    scores = rest.join(means, on="system", how="left", maintain_order="left").with_columns(
        pl.col("signature") + f"|{chosen.mark}"
    )
    return replace(known, scores=scores.select(known.scores.columns), counts=counts, subset=chosen)


def _of_folders(folder: Folder | Mapping[str, Folder]) -> Studied:
    """Return the study of a folder, or of several folders combined."""
    if not isinstance(folder, Mapping):
        return _read(Path(fspath(folder)))
    if not folder:
        raise InputError("not the folder of a study", expected=_MADE)
    studies = {name: _read(Path(fspath(path))) for name, path in folder.items()}

    def together(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        return pl.concat(
            [
                frame.select(
                    pl.lit(name).alias("model"),
                    pl.format("{}.{}", pl.lit(name), "system").alias("system"),
                    pl.exclude("system"),
                )
                for name, frame in frames.items()
            ],
            how="diagonal",
        )

    return Studied(
        together({name: study.scores for name, study in studies.items()}),
        together({name: study.counts for name, study in studies.items()}),
        max(study.pairs for study in studies.values()),
        alignments={
            f"{name}.{system}": path
            for name, study in studies.items()
            for system, path in study.alignments.items()
        },
    )


def _read(home: Path) -> Studied:
    if not home.is_dir():
        raise InputError("no such folder", path=home, expected=_MADE)
    if not (home / ALIGNER).is_file():
        raise InputError(f"the folder has no {ALIGNER}", path=home, expected=_MADE)
    keys = ["system", "run", "group"]
    counts = _table(home / COUNTED, [*keys, "piece", "sid", *COUNTS])
    scores = _table(home / "scores.parquet", [*keys, "pieces", "signature"])
    pieces = _table(home / "piece_scores.parquet", [*keys, "piece", "pairs"])
    owned = [set(frame.select(*keys, "piece").unique().iter_rows()) for frame in (counts, pieces)]
    if owned[0] != owned[1] or set(scores["system"]) != set(counts["system"]):
        raise InputError(
            f"{COUNTED} and the scores beside it are from different runs", path=home, todo=_AGAIN
        )
    pairs = pieces.filter(system=scores["system"][0])["pairs"].sum()
    files = {name: home / "alignments" / f"{name}.talp" for name in scores["system"]}
    return Studied(scores, counts, int(pairs), alignments=files)


def _table(path: Path, names: list[str]) -> pl.DataFrame:
    if not path.is_file():
        raise InputError(
            f"the study is not finished: there is no {path.name}", path=path.parent, todo=_AGAIN
        )
    try:
        frame = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"cannot be read as Parquet ({error})", path=path, todo=_AGAIN) from None
    lacking = [name for name in names if name not in frame.columns]
    if lacking or not frame.height:
        problem = f"no column {lacking[0]!r}" if lacking else "no rows"
        raise InputError(problem, path=path, expected=_MADE, todo=_AGAIN)
    return frame


def _check_groups(scores: pl.DataFrame) -> None:
    """Refuse groups that are not the methods under other names."""
    for key, other_key in (("method", "group"), ("group", "method")):
        several = scores.group_by(key).agg(pl.col(other_key).n_unique().alias("number"))
        mixed = several.filter(pl.col("number") > 1)[key].sort()
        if not mixed.len():
            continue
        own = scores.filter(pl.col(key) == mixed[0]).unique(
            other_key, keep="first", maintain_order=True
        )
        first, second = own.select("system", "group").head(2).rows()
        raise InputError(
            f"the scores put {first[0]!r} in the group {first[1]!r} and {second[0]!r} in the group "
            f"{second[1]!r}",
            expected="the method of each alignment as its group, by any name",
            todo="omit the column group, as the study knows its methods",
        )
