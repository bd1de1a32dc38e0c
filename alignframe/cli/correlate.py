"""``alignframe links correlate``: which measure predicts a score from outside, such as BLEU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from alignframe.cli.given import (
    AlphaOption,
    ConfidenceOption,
    Given,
    JsonOption,
    OutOption,
    SeedOption,
    numbers,
    prints_tables,
    takes_links,
)
from alignframe.cli.show import check_table_path, print_json, print_table, save_table

ALPHAS = "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9"
ScoresOption = Annotated[
    str,
    typer.Option(
        "--scores",
        metavar="FILE",
        help="A score a system: .csv, .tsv, .jsonl or .parquet with system, score and maybe group.",
    ),
]
ResamplesOption = Annotated[
    int, typer.Option("--resamples", min=0, help="For intervals; 0 for none.")
]
LowerOption = Annotated[
    bool, typer.Option("--lower-is-better", help="A lower score is the better one, as for TER.")
]

_SHOWN = 28
"""As many rows as the default values of α make."""


@prints_tables
@takes_links
def correlate(
    files: Given,
    scores: ScoresOption,
    alpha: AlphaOption = ALPHAS,
    resamples: ResamplesOption = 1_000,
    confidence: ConfidenceOption = 0.95,
    seed: SeedOption = 1,
    lower_is_better: LowerOption = False,
    output: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Correlate measures of systems with a score from outside, such as BLEU."""
    check_table_path(output)
    alphas = [value for _, value in numbers(alpha, "--alpha")]
    from alignframe import formats, links, stats
    from alignframe.links.inputs import mark_of

    outside = formats.read_outside(scores)
    with files.read() as given:
        counts = links.counts(**given)
    frame = stats.correlate(
        counts,
        outside,
        alpha=alphas,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        lower_is_better=lower_is_better,
        subset=mark_of(given["gold"]),
    )
    if output:
        save_table(frame, output)
    rows = frame.to_dicts()
    if as_json:
        print_json(rows)
        return
    notes = [_answer(rows), "* the best alpha of its annotation"]
    if resamples:
        notes[1] += f"; sentences, systems: {confidence:.0%} intervals of r2"
    if len(rows) > _SHOWN:
        notes.append(f"{_SHOWN} of {len(rows):,} measures; -o FILE writes them all")
    print_table(
        [_shown(row, resamples > 0) for row in _choice(rows)],
        title=f"Correlation with {Path(scores).name}, {rows[0]['systems']:,} systems",
        caption="\n".join([*notes, rows[0]["signature"]]),
    )


def _answer(rows: Sequence[Mapping[str, Any]]) -> str:
    """Say which measure goes with the score best."""
    best = [row for row in rows if row["best"] and row["r2"] is not None]
    if not best:
        return "no measure differs between the systems"
    top = max(best, key=lambda row: row["r2"])
    return f"best: {top['measure']} ({top['annotation']}), r2 = {top['r2']:.4f}"


def _choice(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return at most ``_SHOWN`` rows in their order: 1 - AER, the best, and the strongest."""
    if len(rows) <= _SHOWN:
        return list(rows)
    ranked = sorted(rows, key=lambda r: (r["alpha"] is not None, not r["best"], -(r["r2"] or 0)))
    kept = {id(row) for row in ranked[:_SHOWN]}
    return [row for row in rows if id(row) in kept]


def _shown(row: Mapping[str, Any], resampled: bool) -> dict[str, Any]:
    """Return a row for the terminal, of 80 letters at most."""
    out: dict[str, Any] = {
        "measure": f"{row['measure']} *" if row["best"] else row["measure"],
        "annotation": row["annotation"],
        "pearson": row["pearson"],
        "r2": row["r2"],
    }
    for kind in ("sentences", "systems") if resampled else ():
        ends = row[f"r2_low_{kind}"], row[f"r2_high_{kind}"]
        out[kind] = "" if None in ends else "-".join(map(_short, ends))
    return {**out, "spearman": row["spearman"], "kendall": row["kendall"]}


def _short(end: float) -> str:
    """Return an end of an interval without what can be spared: ``.85``, ``1``."""
    return {"0.00": "0", "1.00": "1"}.get(f"{end:.2f}", f"{end:.2f}".removeprefix("0"))
