"""The report of word-alignment quality."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from alignframe import links
from alignframe.arrow import sentence_column, to_links, to_table
from alignframe.charts import links as charts
from alignframe.charts.grid import grid
from alignframe.errors import InputError
from alignframe.kernels.ragged import Links, make_links, tidy
from alignframe.links.gold import BANDS
from alignframe.links.inputs import Input, inputs_of
from alignframe.measures import alpha_name
from alignframe.report.page import Figure, Page, Table

_CURVE = [round(step / 20, 2) for step in range(21)]
_SHOWN = 12
_LONGEST = 40

GRID_CAPTION = (
    "Rows are source words, columns target words. Squares are gold links. A dot is a system's link "
    "that gold has, a cross one that gold lacks; a square with neither is a missed link. With two "
    "systems, colors tell the links of one, of the other, and of both."
)

Sentence = dict[str, npt.NDArray[np.int64] | npt.NDArray[np.bool_]]


def links_report(
    hyp: Any,
    gold: Any,
    *,
    bitext: Any = None,
    alpha: Sequence[float] = (0.5,),
    bands: Sequence[int] = BANDS,
    bootstrap: int = 1_000,
    seed: int = 1,
    sentences: Sequence[int] | None = None,
    possible_as_sure: bool = False,
    strict: bool = False,
    title: str = "Word alignment quality",
    executor: Executor | None = None,
) -> Page:
    """Build the report: scores, precision and recall, F against α, error by length, grids.

    Parameters
    ----------
    hyp, gold, bitext, alpha, bands, bootstrap, seed, possible_as_sure, strict, executor
        See ``alignframe.links.scores``. With ``bitext`` the grids show words.
    sentences
        The sid of each sentence whose grid is shown. If left out, the twelve with the highest mean
        error among those of at most 40 words and, as far as they go, at least 4 links.

    Returns
    -------
    Page
        ``write`` makes the HTML file, ``write_figures`` pictures.
    """
    alphas = [float(one) for one in alpha]
    text = None if bitext is None else to_table(bitext)
    shared: dict[str, Any] = {
        "possible_as_sure": possible_as_sure,
        "bitext": text,
        "bands": bands,
        "executor": executor,
    }
    every = list(dict.fromkeys([*alphas, *_CURVE]))
    whole = links.scores(
        hyp, gold, alpha=every, bootstrap=bootstrap, seed=seed, strict=strict, **shared
    )
    by_length = links.scores(
        hyp, gold, alpha=alphas, by=["length"], bootstrap=min(bootstrap, 1_000), seed=seed, **shared
    )
    chosen = list(sentences) if sentences is not None else _worst(hyp, gold, shared)
    kept, systems = _sentences(hyp, gold, chosen, possible_as_sure)
    cells, words = _cells(kept, chosen, text)
    order = whole.sort("aer", "system", nulls_last=True)["system"].to_list()
    kind = "mean words of both sides" if text is not None else "up to the last linked word"
    figures = [
        Figure(
            "precision-recall",
            charts.precision_recall(whole, alphas[0]),
            "Bars are 95% intervals over resampled sentences." if bootstrap else "",
        ),
        Figure(
            "f-by-alpha",
            charts.f_by_alpha(whole, _CURVE),
            "F weights recall more the smaller α is. Fraser & Marcu (2007) found α between 0.1 and "
            "0.4 to predict translation quality best.",
        ),
        Figure(
            "error-by-length",
            charts.error_by_length(by_length, bands, kind, order),
            "Corpus AER of the sentences in each band, best system first."
            + (" Bars are 95% intervals." if bootstrap else ""),
            wide=True,
        ),
    ]
    if cells.height:
        figures.append(
            Figure(
                "grid",
                grid(cells, words, [name for name in order if name in systems]),
                GRID_CAPTION,
                wide=True,
            )
        )
    number = max(whole["sentences"].to_list())
    return Page(
        title=title,
        lead=f"{whole.height} systems on {number:,} gold sentences. Precision counts links that "
        "are Possible in gold, recall counts Sure links; all figures are ratios of corpus sums.",
        table=_table(whole, alphas),
        figures=figures,
        notes=["Definitions: Fraser & Marcu 2007, Computational Linguistics 33(3), equations 1-5."],
        signature=whole["signature"][0],
    )


def _table(scores: pl.DataFrame, alphas: Sequence[float]) -> Table:
    measures = {"Precision": "precision", "Recall": "recall", "AER": "aer"}
    measures |= {f"F (α = {alpha:g})": alpha_name(alpha) for alpha in alphas}
    ordered = scores.sort("aer", "system", nulls_last=True)
    rows = []
    for row in ordered.iter_rows(named=True):
        cells = [row["system"], f"{row['links']:,}"]
        for name in measures.values():
            text = "undefined" if row[name] is None else f"{row[name]:.4f}"
            if row[name] is not None and row.get(f"{name}_low") is not None:
                text += f"\n{row[f'{name}_low']:.3f} - {row[f'{name}_high']:.3f}"
            cells.append(text)
        rows.append(cells)
    strong = set()
    for at, name in enumerate(measures.values()):
        column = ordered[name]
        best = column.min() if name == "aer" else column.max()
        if ordered.height > 1:  # the best of a column stands out where there is a choice
            strong |= {(r, at + 2) for r, v in enumerate(column) if v is not None and v == best}
    return Table(["System", "Links", *measures], rows, frozenset(strong))


def _worst(hyp: Any, gold: Any, shared: Mapping[str, Any]) -> list[int]:
    """Return the sentences with the highest mean AER, of those that fit a page."""
    options = {name: value for name, value in shared.items() if name != "bands"}
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Two bands: what fits a page, and the rest.
        table = links.scores(hyp, gold, by=["length", "sid"], bands=[_LONGEST], **options)
    fitting = table.filter(pl.col("length") == f"1-{_LONGEST}")
    worst = (
        (fitting if fitting.height else table)
        .group_by("sid")
        .agg(error=pl.col("aer").mean(), size=pl.col("links").max())
        .sort(pl.col("size") >= 4, "error", "sid", descending=[True, True, False])
        .head(_SHOWN)
    )
    return sorted(worst["sid"].to_list())


def _sentences(
    hyp: Any, gold: Any, chosen: Sequence[int], possible_as_sure: bool
) -> tuple[dict[tuple[str, int], Sentence], list[str]]:
    """Return the links of the chosen sentences by (system, sid), and all systems.

    Gold's system is empty.
    """
    found: dict[tuple[str, int], list[Links]] = {}
    wanted = np.asarray(chosen, np.int64)
    systems: dict[str, None] = {}
    for source, is_gold in [*((one, False) for one in inputs_of(hyp)), (Input(gold), True)]:
        for batch in source.nested(labels=is_gold):
            sid = sentence_column(batch)
            names = batch.column("system")
            systems |= {} if is_gold else dict.fromkeys(names.dictionary.to_pylist())
            rows = np.flatnonzero(np.isin(sid, wanted))
            if not rows.size:
                continue
            plain = to_links(batch.column("links"))
            for r in rows.tolist():
                key = ("" if is_gold else names[r].as_py(), int(sid[r]))
                found.setdefault(key, []).append(plain.take(np.array([r])))
    missing = [sid for sid in chosen if ("", sid) not in found]
    if missing:
        raise InputError(f"gold has no sentence {missing[0]}, counted from 0")
    kept = {key: _one(parts, possible_as_sure) for key, parts in found.items()}
    return kept, sorted(systems)


def _one(parts: Sequence[Links], all_sure: bool) -> Sentence:
    """Return a sentence's links, sorted and listed once; a long table may hold it in parts."""
    rows = [tidy(part) for part in parts]
    i, j, sure = (
        np.concatenate([getattr(row, name) for row in rows]) for name in ("i", "j", "sure")
    )
    kept = tidy(make_links(np.array([0, i.size]), i, j, np.ones_like(sure) if all_sure else sure))
    return {
        "i": kept.i.astype(np.int64),
        "j": kept.j.astype(np.int64),
        "sure": kept.sure.astype(np.bool_),
    }


def _cells(
    kept: Mapping[tuple[str, int], Sentence], chosen: Sequence[int], text: Any
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows of ``charts.grid``: links, and words."""
    cells: list[dict[str, str]] = []
    words: list[dict[str, str]] = []
    tokens: dict[int, tuple[list[str], list[str]]] = {}
    if text is not None:
        rows = np.flatnonzero(np.isin(text["sid"].to_numpy(), np.asarray(chosen, np.int64)))
        for row in text.take(rows).to_pylist():
            tokens[row["sid"]] = (row["src"], row["tgt"])
    for sid in chosen:
        mine = {system: one for (system, number), one in kept.items() if number == sid}
        sides = tokens.get(sid) or tuple(
            [str(k) for k in range(1 + max(int(one[side].max(initial=0)) for one in mine.values()))]
            for side in ("i", "j")
        )
        sources, targets = ([f"{k:03d} {word}" for k, word in enumerate(side)] for side in sides)
        name = f"{sid}: {' '.join(sides[0])[:70]}" if sid in tokens else f"sentence {sid}"
        for k in range(max(len(sources), len(targets))):
            source, target = sources[min(k, len(sources) - 1)], targets[min(k, len(targets) - 1)]
            words.append({"sentence": name, "source": source, "target": target})
        gold = mine[""]
        labels = {
            (int(i), int(j)): "Sure" if sure else "Possible"
            for i, j, sure in zip(gold["i"], gold["j"], gold["sure"], strict=True)
        }
        for system, one in mine.items():
            for i, j in zip(one["i"].tolist(), one["j"].tolist(), strict=True):
                label = labels.get((i, j))
                kind = label if not system else (f"right, {label}" if label else "wrong")
                if i >= len(sources) or j >= len(targets):
                    raise InputError(
                        f"the link {i}-{j} of sentence {sid} lies outside the given text",
                        todo="check that the text belongs to the links",
                    )
                cells.append(
                    {
                        "sentence": name,
                        "system": system,
                        "kind": str(kind),
                        "source": sources[i],
                        "target": targets[j],
                    }
                )
    schema = dict.fromkeys(("sentence", "system", "kind", "source", "target"), pl.String)
    word_schema = dict.fromkeys(("sentence", "source", "target"), pl.String)
    return pl.DataFrame(cells, schema=schema), pl.DataFrame(words, schema=word_schema)
