"""The sentences with the most errors, and the links of single sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import I64, Bools, make_links
from alignframe.core.arrow import to_links
from alignframe.core.figures import MEASURED, aer
from alignframe.core.keys import sentence_column
from alignframe.core.schemas import COUNTS
from alignframe.errors import InputError
from alignframe.kernels.ragged import tidy
from alignframe.links.inputs import gold_source, hypotheses
from alignframe.sources.source import Source

NULL = "NULL"
"""What words without a link are linked to, see ``add_null_links``."""
SentenceLinks = dict[str, I64 | Bools]
"""The links of a sentence: i, j and sure."""
_NONE: SentenceLinks = {"i": np.empty(0, np.int64), "j": np.empty(0, np.int64)}
_Words = Mapping[int, tuple[list[str], list[str]]]


def worst_of(
    counted: pl.DataFrame, hyp: object, gold: object, options: Mapping[str, Any], n: int
) -> pl.DataFrame:
    """Return the sentences with the most errors of each system; see ``LinkScores.worst``."""
    most = judged(counted).group_by("system", maintain_order=True).head(n)
    rows = most.sort("system", maintain_order=True)
    named = {name: options[name] for name in ("possible_as_sure", "drop_outside")}
    explanations = explained(rows, hyp, gold, options["bitext"], **named)
    return explanations.with_columns(pl.lit(counted["signature"][0]).alias("signature"))


def judged(counted: pl.DataFrame) -> pl.DataFrame:
    """Return counts by sentence with errors and AER, most errors first."""
    # Wrong links, which are not even Possible, and missing Sure links.
    errors = pl.col("n_hyp") - pl.col("n_hyp_possible") + pl.col("n_sure") - pl.col("n_hyp_sure")
    rate = pl.Series("aer", aer(*(counted[name].to_numpy() for name in MEASURED)), nan_to_null=True)
    ranked = counted.with_columns(errors=errors).with_columns(rate)
    first = ["system", "sid", "errors", "aer"]
    order = {"errors": True, "aer": True, "sid": False}
    return ranked.select(*first, pl.exclude(first)).sort(
        list(order), descending=list(order.values()), nulls_last=True
    )


def explained(
    rows: pl.DataFrame,
    hyp: object,
    gold: object,
    text: object,
    *,
    possible_as_sure: bool,
    drop_outside: bool,
) -> pl.DataFrame:
    """Add the wrong and missing links of sentences, and their words if there is a text."""
    sids = rows["sid"].unique().to_list()
    words = words_of(text, sids)
    every = links_of(hyp, gold, sids, possible_as_sure, words if drop_outside else {})
    wrong, missing = [], []
    for system, sid in rows.select("system", "sid").iter_rows():
        truth, mine = every["", sid], every.get((system, sid), _NONE)
        pairs = list(zip(truth["i"].tolist(), truth["j"].tolist(), strict=True))
        made = set(zip(mine["i"].tolist(), mine["j"].tolist(), strict=True))
        sure = {pair for pair, known in zip(pairs, truth["sure"], strict=True) if known}
        wrong.append(_named(made - set(pairs), words.get(sid)))
        missing.append(_named(sure - made, words.get(sid)))
    names = ["system", "sid", "errors", "aer", *COUNTS]
    texts = {"wrong": wrong, "missing": missing}
    if text is not None:
        sides = [words.get(sid, ([], [])) for sid in rows["sid"]]
        texts |= {
            name: [" ".join(sentence[at]) for sentence in sides]
            for at, name in enumerate(("src", "tgt"))
        }
    return rows.select(names).hstack(pl.DataFrame(texts, dict.fromkeys(texts, pl.String)))


def words_of(text: Any, sids: Sequence[int]) -> _Words:
    """Return the words of both sides of sentences, by sid; empty without a text."""
    if text is None:
        return {}
    rows = np.flatnonzero(np.isin(text["sid"].to_numpy(), np.asarray(sids, np.int64)))
    return {row["sid"]: (row["src"], row["tgt"]) for row in text.take(rows).to_pylist()}


def _named(pairs: Iterable[tuple[int, int]], words: tuple[list[str], list[str]] | None) -> str:
    """Return links as text, with their words if these are known."""
    if words is None:
        return " ".join(f"{i}-{j}" for i, j in sorted(pairs))
    src, tgt = ([*side, NULL] for side in words)  # the position after the last word is NULL
    return ", ".join(f"{i}-{j} {src[i]} {tgt[j]}" for i, j in sorted(pairs))


def links_of(
    hyp: object, gold: object, chosen: Sequence[int], possible_as_sure: bool, within: _Words
) -> dict[tuple[str, int], SentenceLinks]:
    """Return the links of the chosen sentences by (system, sid); gold's system is empty.

    Links outside the words of ``within`` are left out.
    """
    golden = gold_source(gold)
    links_made = chosen_links(hypotheses(hyp), chosen)
    marked = chosen_links([golden], chosen, labels=True, all_sure=possible_as_sure)
    known = {sid: links for (_, sid), links in marked.items()}
    missing = [sid for sid in chosen if sid not in known]
    if missing:
        raise InputError(f"gold has no sentence {missing[0]}, counted from 0")
    every = links_made | {("", sid): links for sid, links in known.items()}
    nulls = golden.note("nulls") is not None  # null links lead past the last word
    return {
        key: inside(links, within[key[1]], nulls) if key[1] in within else links
        for key, links in every.items()
    }


def inside(
    links: SentenceLinks, words: tuple[Sequence[str], Sequence[str]], nulls: bool = False
) -> SentenceLinks:
    """Return the links of a sentence that lie inside its pair, or lead to ``nulls`` behind it."""
    src, tgt = (len(side) + nulls for side in words)
    kept = (links["i"] < src) & (links["j"] < tgt)
    return {name: values[kept] for name, values in links.items()}


def chosen_links(
    sources: Iterable[Source],
    chosen: Sequence[int],
    *,
    labels: bool = False,
    all_sure: bool = False,
) -> dict[tuple[str, int], SentenceLinks]:
    """Return the links of the chosen sentences by (system, sid); gold links with labels."""
    parts: dict[tuple[str, int], list[SentenceLinks]] = {}
    wanted = np.asarray(chosen, np.int64)
    for source in sources:
        for batch in source.batches(labels=labels):
            sid = sentence_column(batch)
            rows = np.flatnonzero(np.isin(sid, wanted))
            kept = tidy(to_links(batch.column("links")).take(rows))
            sure = kept.sure.astype(np.bool_) | all_sure
            columns: SentenceLinks = {
                "i": kept.i.astype(np.int64),
                "j": kept.j.astype(np.int64),
                "sure": sure,
            }
            names = batch.column("system").take(pa.array(rows)).to_pylist()
            ends = zip(kept.offsets[:-1].tolist(), kept.offsets[1:].tolist(), strict=True)
            for name, number, (start, end) in zip(names, sid[rows].tolist(), ends, strict=True):
                links: SentenceLinks = {
                    column: values[start:end] for column, values in columns.items()
                }
                parts.setdefault((name, number), []).append(links)
    return {key: own[0] if len(own) == 1 else _joined(own) for key, own in parts.items()}


def _joined(parts: Sequence[SentenceLinks]) -> SentenceLinks:
    """Return the links of a sentence that a long table has in parts, sorted, each once."""
    i, j, sure = (np.concatenate([part[name] for part in parts]) for name in ("i", "j", "sure"))
    sides = i.astype(np.uint16), j.astype(np.uint16)
    kept = tidy(make_links(np.array([0, i.size]), *sides, sure.astype(np.uint8)))
    return {
        "i": kept.i.astype(np.int64),
        "j": kept.j.astype(np.int64),
        "sure": kept.sure.astype(np.bool_),
    }
