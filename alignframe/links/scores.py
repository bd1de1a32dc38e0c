"""Scores by system and any grouping: ratios of sums of counts, with intervals and signatures."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from alignframe.errors import InputError
from alignframe.links.counts import UNIT, count_stream, key_names
from alignframe.links.gold import BANDS, band_names
from alignframe.links.inputs import Input, inputs_of, marks_of
from alignframe.measures import MEASURED, all_measures, check_alpha, measure_names
from alignframe.stats.bootstrap import interval, paired_p_value, resample_sums
from alignframe.tables import COUNTS
from alignframe.version import __version__


def scores(
    hyp: Any,
    gold: Any,
    *,
    alpha: Sequence[float] = (0.5,),
    by: Sequence[str] = (),
    possible_as_sure: bool = False,
    bitext: Any = None,
    bands: Sequence[int] = BANDS,
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int = 1,
    strict: bool = False,
    executor: Executor | None = None,
) -> pl.DataFrame:
    """Score systems against gold: precision, recall, AER and F at every α.

    Parameters
    ----------
    hyp, gold, possible_as_sure, bitext, bands, strict, executor
        See ``alignframe.links.counts``.
    alpha
        Weights of precision in F, from 0 to 1; below 0.5 recall weighs more.
    by
        Columns to group by besides the system: columns of gold or hypothesis, ``length`` for bands
        of sentence length, ``sid`` for single sentences.
    bootstrap
        Number of resamples for intervals; 0 for none.
    confidence, seed
        Of the intervals.

    Returns
    -------
    polars.DataFrame
        A row a system and group: the columns in ``by``, system, sentences, links (= |A|),
        precision, recall, aer, ``f_0.5`` and so on, with ``_low`` and ``_high`` beside each when
        resampled, and signature. Undefined figures are null: precision where the system has no
        links, recall and F where gold has no Sure links. Figures lie between 0 and 1.

    Raises
    ------
    InputError
        If a source cannot be read, an α lies outside [0, 1], or a column does not exist.

    Notes
    -----
    Fraser & Marcu 2007, equations 1 to 5. A corpus figure is a ratio of corpus sums.

    Examples
    --------
    >>> from alignframe import links
    >>> frame = links.scores({"giza": "giza.talp"}, "gold.naacl", alpha=[0.1])  # doctest: +SKIP
    """
    alphas = _alphas(alpha)
    by = key_names(by)
    keys = [*by, "system"]
    sums = _sums(
        inputs_of(hyp),
        Input(gold),
        keys=keys,
        by_unit=bootstrap > 0,
        possible_as_sure=possible_as_sure,
        bitext=bitext,
        bands=bands,
        strict=strict,
        executor=executor,
    )
    frame = _totals(sums, keys)
    figures = all_measures([frame[name].to_numpy() for name in MEASURED], alphas)
    columns = [pl.Series(name, values, nan_to_null=True) for name, values in figures.items()]
    out = frame.select(*keys, "sentences", pl.col("n_hyp").alias("links")).with_columns(columns)
    drawn = ""
    if bootstrap:
        out = out.join(
            _intervals(sums, keys, alphas, bootstrap, confidence, seed),
            on=keys,
            how="left",
            nulls_equal=True,
        )
        drawn = f"bootstrap:{bootstrap},seed:{seed},confidence:{confidence:g}"
    mark = signature(
        possible_as_sure=possible_as_sure,
        by=by,
        lengths=_length_kind(by, bitext),
        resampling=drawn,
        subset=marks_of(hyp, gold),
    )
    ordered = ["system", *keys[:-1]]
    return _in_order(out.select(*ordered, pl.exclude(ordered)), ordered, bands).with_columns(
        pl.lit(mark).alias("signature")
    )


def compare(
    hyp: Any,
    gold: Any,
    *,
    baseline: str,
    alpha: Sequence[float] = (0.5,),
    bootstrap: int = 10_000,
    confidence: float = 0.95,
    seed: int = 1,
    possible_as_sure: bool = False,
    bitext: Any = None,
    strict: bool = False,
    executor: Executor | None = None,
) -> pl.DataFrame:
    """Compare every system with a baseline by the paired bootstrap over sentences.

    Parameters
    ----------
    hyp, gold, possible_as_sure, bitext, strict, executor
        See ``alignframe.links.counts``.
    baseline
        The name of a system.
    alpha
        Weights of precision in F.
    bootstrap
        Number of resamples.
    confidence, seed
        Of the difference's interval.

    Returns
    -------
    polars.DataFrame
        A row a system and measure: system, baseline, measure, value, baseline_value, difference,
        low and high (the difference's interval), p_value (two-sided) and signature.

    Raises
    ------
    InputError
        If the baseline is not among the systems, or is the only one.
    """
    alphas = _alphas(alpha)
    sums = _sums(
        inputs_of(hyp),
        Input(gold),
        keys=["system"],
        by_unit=True,
        possible_as_sure=possible_as_sure,
        bitext=bitext,
        bands=BANDS,
        strict=strict,
        executor=executor,
    )
    names = sums["system"].unique().sort().to_list()
    if len(names) < 2:
        raise InputError(f"only the system {names[0]!r}", expected="two or more to compare")
    if baseline not in names:
        raise InputError(
            f"no system is called {baseline!r}, as the baseline should be",
            expected=f"one of {', '.join(names)}",
        )
    per_unit = _per_unit(sums, names)
    totals = _measures_of(per_unit.sum(axis=0, keepdims=True), len(names), alphas)
    drawn = _measures_of(resample_sums(per_unit, bootstrap, seed), len(names), alphas)
    base = names.index(baseline)
    rows = []
    for at, name in enumerate(names):
        if at == base:
            continue
        for measure in measure_names(alphas):
            value, other = float(totals[measure][0, at]), float(totals[measure][0, base])
            differences = drawn[measure][:, at] - drawn[measure][:, base]
            low, high = interval(differences, confidence, observed=value - other)
            rows.append(
                {
                    "system": name,
                    "baseline": baseline,
                    "measure": measure,
                    "value": value,
                    "baseline_value": other,
                    "difference": value - other,
                    "low": low,
                    "high": high,
                    "p_value": paired_p_value(differences, value - other),
                }
            )
    mark = signature(
        possible_as_sure=possible_as_sure,
        by=(),
        lengths="",
        resampling=f"paired-bootstrap:{bootstrap},seed:{seed},confidence:{confidence:g}",
        subset=marks_of(hyp, gold),
    )
    return pl.DataFrame(rows).fill_nan(None).with_columns(pl.lit(mark).alias("signature"))


def signature(
    *,
    possible_as_sure: bool,
    by: Sequence[str],
    lengths: str,
    resampling: str,
    subset: str = "",
) -> str:
    """Return the text that names every choice which changes a figure."""
    parts = [
        f"alignframe:{__version__}",
        "metric:links",
        "possible:as-sure" if possible_as_sure else "possible:includes-sure",
        "average:corpus",
        "missing:empty",
        "labels:gold-only",
    ]
    if by:
        parts.append(f"by:{','.join(by)}")
    parts += [part for part in (subset, lengths, resampling) if part]
    return "|".join(parts)


def _length_kind(by: Sequence[str], bitext: Any) -> str:
    if "length" not in by:
        return ""
    return "length:last-linked-word" if bitext is None else "length:mean-of-sides"


def _alphas(alpha: Sequence[float] | float) -> list[float]:
    alphas = [alpha] if isinstance(alpha, (int, float)) else list(alpha)
    for one in alphas:
        check_alpha(one)
    return list(dict.fromkeys(float(one) for one in alphas))


def _sums(
    hypotheses: Sequence[Input],
    gold: Input,
    *,
    keys: Sequence[str],
    by_unit: bool,
    bitext: Any,
    **options: Any,
) -> pl.DataFrame:
    """Return counts summed by the keys, and by unit if asked, with the number of sentences."""
    grouping = [*keys, *([UNIT] if by_unit else [])]
    stream = count_stream(
        hypotheses,
        gold,
        by=[name for name in keys if name not in ("system", "sid")],
        bitext=bitext,
        reduce=partial(add_up, keys=grouping),
        **options,
    )
    whole = add_up(pa.concat_tables(stream, promote_options="permissive"), keys=grouping)
    return pl.DataFrame(pl.from_arrow(whole))


def add_up(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Sum counts by the keys; ``sentences`` is the number of rows, or the sum of such numbers."""
    if "sentences" not in table.column_names:
        ones = pa.array(np.ones(table.num_rows, np.int64))
        table = table.append_column("sentences", ones)
    wanted = [*COUNTS, "sentences"]
    summed = (
        table.unify_dictionaries()
        .combine_chunks()
        .group_by(list(keys), use_threads=False)
        .aggregate([(name, "sum") for name in wanted])
    )
    summed = summed.rename_columns([name.removesuffix("_sum") for name in summed.column_names])
    for at, field in enumerate(summed.schema):
        if pa.types.is_dictionary(field.type):
            summed = summed.set_column(at, field.name, summed[field.name].cast(pa.string()))
    return summed


def _totals(sums: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return sums without units."""
    return sums.group_by(keys, maintain_order=True).agg(pl.col(*COUNTS, "sentences").sum())


def _per_unit(sums: pl.DataFrame, systems: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return counts of shape (units, 4 x systems), systems side by side."""
    units = sums[UNIT].unique()
    grid = pl.DataFrame({UNIT: units}).join(
        pl.DataFrame({"system": pl.Series(systems, dtype=pl.String)}), how="cross"
    )
    full = grid.join(sums, on=[UNIT, "system"], how="left").sort(UNIT, "system")
    counts = full.select(MEASURED).fill_null(0).to_numpy()
    return counts.reshape(units.len(), len(systems) * len(MEASURED))


def _measures_of(
    sums: npt.NDArray[np.float64], systems: int, alphas: Sequence[float]
) -> dict[str, npt.NDArray[np.float64]]:
    """Return measures of shape (rows, systems) of sums made by ``_per_unit``."""
    counts = sums.reshape(sums.shape[0], systems, len(MEASURED))
    return all_measures(list(np.moveaxis(counts, 2, 0)), alphas)


def _intervals(
    sums: pl.DataFrame,
    keys: Sequence[str],
    alphas: Sequence[float],
    resamples: int,
    confidence: float,
    seed: int,
) -> pl.DataFrame:
    """Return, for each row of the totals, the interval of every measure."""
    groups = [name for name in keys if name != "system"]
    parts = sums.partition_by(groups, maintain_order=True) if groups else [sums]
    rows: list[dict[str, Any]] = []
    for part in parts:
        systems = part["system"].unique().sort().to_list()
        per_unit = _per_unit(part, systems)
        totals = _measures_of(per_unit.sum(axis=0, keepdims=True), len(systems), alphas)
        drawn = _measures_of(resample_sums(per_unit, resamples, seed), len(systems), alphas)
        for at, system in enumerate(systems):
            row: dict[str, Any] = {name: part[name][0] for name in groups}
            row["system"] = system
            for measure, values in drawn.items():
                observed = float(totals[measure][0, at])
                low, high = interval(values[:, at], confidence, observed=observed)
                row |= {f"{measure}_low": low, f"{measure}_high": high}
            rows.append(row)
    schema = {name: sums.schema[name] for name in keys}
    return pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None).fill_nan(None)


def _in_order(frame: pl.DataFrame, keys: Sequence[str], bands: Sequence[int]) -> pl.DataFrame:
    """Sort rows by the keys, bands of length by length."""
    if "length" in keys:
        names = pl.Enum(band_names(bands))
        ordered = frame.with_columns(pl.col("length").cast(names)).sort(keys)
        return ordered.with_columns(pl.col("length").cast(pl.String))
    return frame.sort(keys)
