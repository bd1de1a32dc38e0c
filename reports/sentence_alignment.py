"""Compare the sentence aligners on manually aligned texts and on noisy documents.

``python reports/sentence_alignment.py [CORPORA [METHODS]]`` writes documents.csv, pieces.csv and
tables.md to ``reports/sentence_alignment/``; see ``study.py``. METHODS are comma-separated, by
default len,gale-church,mre,lex. The tables in docs/beads.md are from tables.md.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl
from sentence_alignment_texts import Part, Text, documents, pieces
from study import Run

from alignframe import beads

METHODS = ("len", "gale-church", "mre", "lex")
MEASURES = ("strict", "lax", "pairs")
COUNTS = (
    *("n_hyp_strict", "n_hyp_lax", "n_hyp"),
    *("n_gold_strict", "n_gold_lax", "n_gold"),
    *("n_both_pairs", "n_hyp_pairs", "n_gold_pairs"),
)


def scored(part: Part, method: str) -> dict[str, int]:
    """Return the counts of a method's beads in a document."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # short pieces without any certain pair
        found = beads.align(part.src, part.tgt, method)
        return beads.scores(found, part.gold).select(COUNTS).row(0, named=True)


def measures(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the counts with precision, recall and F of beads and of sentence pairs."""
    ratios = [
        *(
            ratio
            for kind in ("strict", "lax")
            for ratio in (
                (pl.col(f"n_hyp_{kind}") / pl.col("n_hyp")).alias(f"{kind}_p"),
                (pl.col(f"n_gold_{kind}") / pl.col("n_gold")).alias(f"{kind}_r"),
            )
        ),
        (pl.col("n_both_pairs") / pl.col("n_hyp_pairs")).alias("pairs_p"),
        (pl.col("n_both_pairs") / pl.col("n_gold_pairs")).alias("pairs_r"),
    ]
    frame = frame.with_columns(one.fill_nan(0.0) for one in ratios)
    return frame.with_columns(
        (2.0 * pl.col(f"{kind}_p") * pl.col(f"{kind}_r"))
        .truediv(pl.col(f"{kind}_p") + pl.col(f"{kind}_r"))
        .fill_nan(0.0)
        .alias(f"{kind}_f")
        for kind in MEASURES
    )


def document_scores(run: Run, methods: Sequence[str]) -> pl.DataFrame:
    """Return one row per document and method, with the counts of its pieces added up."""
    keys = ("document", "held_out", "method")

    def rows(text: Text) -> list[dict[str, Any]]:
        names = {"document": text.name, "held_out": text.held_out}
        return [
            {**names, "method": method, **scored(part, method)}
            for part in text.parts
            for method in methods
        ]

    def summed(name: str) -> pl.DataFrame:
        return pl.DataFrame(rows(texts[name])).group_by(keys, maintain_order=True).sum()

    texts = {text.name: text for text in documents(run.corpora)}
    found = run.rows(summed, ((name,) for name in texts), methods=methods)
    return measures(pl.concat(found.values()))


def piece_scores(run: Run, methods: Sequence[str]) -> pl.DataFrame:
    """Return one row per short piece and method."""

    def rows(_: str, name: str) -> pl.DataFrame:
        return pl.DataFrame(
            [
                {
                    "kind": name,
                    "held_out": texts[name].held_out,
                    "piece": number,
                    "sentences": len(part.src),
                    "method": method,
                    **scored(part, method),
                }
                for number, part in enumerate(texts[name].parts)
                for method in methods
            ]
        )

    texts = {text.name: text for text in pieces(run.corpora)}
    found = run.rows(rows, (("pieces", name) for name in texts), methods=methods)
    return measures(pl.concat(found.values()))


def compared(frame: pl.DataFrame) -> pl.DataFrame:
    """Return, by kind of text, mean strict F of len and lex, and how often lex does worse."""
    keys = ("held_out", "kind")
    wide = frame.pivot("method", index=(*keys, "piece"), values="strict_f")
    return wide.group_by(keys, maintain_order=True).agg(
        pl.len().alias("pieces"),
        pl.col("len", "lex").mean(),
        (pl.col("lex") < pl.col("len")).sum().alias("worse"),
    )


def tables(found: pl.DataFrame, short: pl.DataFrame) -> Iterator[str]:
    """Yield the lines of the Markdown tables."""
    methods = found["method"].unique(maintain_order=True).to_list()
    yield "| document | " + " | ".join(f"`{one}`" for one in methods) + " |"
    yield "|---" * (1 + len(methods)) + "|"
    for name, rows in found.group_by("document", maintain_order=True):
        best = rows["strict_f"].max()
        cells = [
            f"**{_round(value)}**" if value == best else _round(value) for value in rows["strict_f"]
        ]
        yield f"| {name[0]} | " + " | ".join(cells) + " |"
    yield ""
    yield "| pieces | `len` | `lex` | worse than `len` |"
    yield "|---|---|---|---|"
    for held_out, rows in compared(short).group_by("held_out", maintain_order=True):
        what = "others" if held_out[0] else "the development texts"
        mean = rows.select(pl.col("len", "lex").mean()).row(0)
        cells = [_round(mean[0]), f"**{_round(mean[1])}**", str(rows["worse"].sum())]
        yield f"| {rows['pieces'].sum()}, from {what} | " + " | ".join(cells) + " |"
    yield ""
    yield "| kind of text | pieces | `len` | `lex` | worse than `len` |"
    yield "|---|---|---|---|---|"
    for _, kind, size, first, second, worse in compared(short).iter_rows():
        yield f"| {kind} | {size} | {_round(first)} | {_round(second)} | {worse} |"
    yield ""
    yield "| document | method | strict P R F | lax P R F | pairs P R F |"
    yield "|---|---|---|---|---|"
    for row in found.iter_rows(named=True):
        name = row["document"] if row["method"] == methods[0] else ""
        cells = [" ".join(_round(row[f"{kind}_{of}"]) for of in "prf") for kind in MEASURES]
        yield f"| {name} | `{row['method']}` | " + " | ".join(cells) + " |"


def _round(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def main() -> None:
    """Score all documents and pieces, and write the tables."""
    run = Run.of("sentence_alignment", ("newstest", "tico19", "textberg", "beads-gold"))
    methods = run.more[0].split(",") if run.more else METHODS
    found, short = document_scores(run, methods), piece_scores(run, ("len", "lex"))
    found.write_csv(run.out / "documents.csv")
    short.write_csv(run.out / "pieces.csv")
    (run.out / "tables.md").write_text("\n".join(tables(found, short)) + "\n")


if __name__ == "__main__":
    main()
