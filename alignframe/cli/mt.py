"""``alignframe mt``: BLEU and chrF of translations."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from alignframe.cli.cells import with_interval
from alignframe.cli.given import (
    ConfidenceOption,
    EncodingOption,
    JsonOption,
    OutOption,
    SeedOption,
    SidsOption,
    WhereOption,
    names_of,
    prints_tables,
    with_options,
)
from alignframe.cli.show import (
    check_table_path,
    deliver,
    print_json,
    print_note,
    print_table,
    save_table,
)
from alignframe.cli.tesla_metric import systems_of

app = typer.Typer(help="Score translations by BLEU and chrF.", no_args_is_help=True)

ByOption = Annotated[
    str,
    typer.Option(
        "--by",
        help="Columns of the reference's table to group by, comma-separated; 'sid' for sentences.",
    ),
]


@dataclass(frozen=True)
class Given:
    """Translations and references, and the choices that change BLEU and chrF."""

    ref: Annotated[
        list[str],
        typer.Option(
            "--ref",
            metavar="FILE",
            help="Reference: one sentence per line, or a table with sid and text. Repeatable.",
        ),
    ]
    hyp: Annotated[
        list[str],
        typer.Option(
            "--hyp",
            metavar="[NAME=]FILE",
            help="A system's translations: one sentence per line, or a table. Repeatable.",
        ),
    ]
    metrics: Annotated[
        str, typer.Option("--metrics", help="bleu, chrf or both, comma-separated.")
    ] = "bleu,chrf"
    tokenize: Annotated[
        str,
        typer.Option(
            "--tokenize",
            help="How BLEU finds words: none (at white space), 13a, zh, char, intl, ja-mecab or "
            "ko-mecab.",
        ),
    ] = "13a"
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Ignore case.")] = False
    smooth: Annotated[
        Literal["exp", "floor", "add-k", "none"],
        typer.Option("--smooth", help="Smoothing of BLEU."),
    ] = "exp"
    smooth_value: Annotated[
        float | None,
        typer.Option("--smooth-value", help="Of floor (0.1 by default) and add-k (1 by default)."),
    ] = None
    effective_order: Annotated[
        bool | None,
        typer.Option(
            "--effective-order/--full-order",
            help="Leave out orders of which a translation has no n-grams from BLEU, or count them "
            "as 0; by default only sentences' leave them out.",
        ),
    ] = None
    char_order: Annotated[
        int, typer.Option("--char-order", min=1, help="Longest n-grams of characters in chrF.")
    ] = 6
    word_order: Annotated[
        int, typer.Option("--word-order", min=0, help="Longest n-grams of words; 2 is chrF++.")
    ] = 0
    beta: Annotated[
        float, typer.Option("--beta", help="Weight of recall relative to precision in chrF.")
    ] = 2.0
    whitespace: Annotated[
        bool, typer.Option("--whitespace", help="Count white space as characters in chrF.")
    ] = False
    sids: SidsOption = None
    where: WhereOption = None
    encoding: EncodingOption = "utf-8"

    def read(self) -> dict[str, Any]:
        """Return the arguments of the functions of ``alignframe.mt``."""
        rest = {field.name: getattr(self, field.name) for field in fields(self)}
        return rest | {
            "hyp": systems_of(self.hyp, self.ref[0]),
            "ref": [Path(path) for path in self.ref],
            "metrics": names_of(self.metrics),
        }


takes_translations = with_options(Given, "files")


@app.command()
@prints_tables
@takes_translations
def score(
    files: Given,
    by: ByOption = "",
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", min=0, help="Resamples for intervals; 0 for none.")
    ] = 0,
    confidence: ConfidenceOption = 0.95,
    seed: SeedOption = 1,
    segments: Annotated[
        Path | None,
        typer.Option(
            "--segments",
            metavar="FILE",
            help="Write the scores of every sentence as well, for tesla meta.",
        ),
    ] = None,
    output: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score systems by BLEU and chrF, as sacrebleu does."""
    for path in (output, segments):
        check_table_path(path)
    from alignframe import mt

    given = files.read()
    frame = mt.scores(
        **given, by=names_of(by), bootstrap=bootstrap, confidence=confidence, seed=seed
    )
    if output:
        save_table(frame, output)
    if segments:
        found = mt.segments(**given)
        save_table(found, segments)
        print_note(f"{found.height:,} segments written to {segments}")
    rows = frame.to_dicts()
    if as_json:
        print_json(rows)
        return
    title, shown = "Translation scores", [_with_intervals(row) for row in rows]
    sizes = {row["sentences"] for row in shown}
    if len(sizes) == 1:  # said once, above the table
        title = f"{title}, {sizes.pop():,} sentences"
        for row in shown:
            del row["sentences"]
    print_table(shown, title=title, caption=rows[0]["signature"] if rows else "")


def _with_intervals(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for the terminal: an interval beside its figure."""
    out: dict[str, Any] = {}
    for name, value in row.items():
        if name == "signature" or name.endswith(("_low", "_high")):
            continue
        span = (row[f"{name}_low"], row[f"{name}_high"]) if f"{name}_low" in row else None
        out[name] = with_interval(value, span)
    return out


@app.command()
@prints_tables
@takes_translations
def counts(
    files: Given, by: ByOption = "", output: OutOption = None, as_json: JsonOption = False
) -> None:
    """Count what every sentence adds to BLEU and chrF: the table that every score is made of."""
    check_table_path(output)
    from alignframe import mt

    deliver(
        mt.counts(**files.read(), by=names_of(by)), output, as_json, title="Counts of translations"
    )


@app.command()
@prints_tables
@takes_translations
def compare(
    files: Given,
    baseline: Annotated[str, typer.Option("--baseline", metavar="NAME", help="A system's name.")],
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", min=1, help="Number of resamples.")
    ] = 10_000,
    confidence: ConfidenceOption = 0.95,
    seed: SeedOption = 1,
    output: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Test whether systems differ from a baseline, by the paired bootstrap over sentences."""
    check_table_path(output)
    from alignframe import mt

    frame = mt.compare(
        **files.read(), baseline=baseline, bootstrap=bootstrap, confidence=confidence, seed=seed
    )
    if output:
        save_table(frame, output)
    if as_json:
        print_json(frame.to_dicts())
        return
    rows = frame.drop("signature", "baseline", "baseline_value").to_dicts()
    print_table(rows, title=f"Differences from {baseline}", caption=frame["signature"][0])
