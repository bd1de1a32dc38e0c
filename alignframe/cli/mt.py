"""``alignframe mt``: BLEU and chrF of translations."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from alignframe.cli.cells import with_interval
from alignframe.cli.given import names_of
from alignframe.cli.show import (
    check_table_path,
    deliver,
    print_json,
    print_note,
    print_table,
    save_table,
)
from alignframe.cli.tesla_metric import systems_of


@dataclass(frozen=True)
class Given:
    """Translations and references, and the choices that change BLEU and chrF."""

    ref: list[str]
    hyp: list[str]
    metrics: str
    tokenize: str
    lowercase: bool
    smooth: str
    smooth_value: float | None
    effective_order: bool | None
    char_order: int
    word_order: int
    beta: float
    whitespace: bool
    sids: str | None
    where: str | None
    encoding: str

    def read(self) -> dict[str, Any]:
        """Return the arguments of the functions of ``alignframe.mt``."""
        rest = {field.name: getattr(self, field.name) for field in fields(self)}
        return rest | {
            "hyp": systems_of(self.hyp, self.ref[0]),
            "ref": [Path(path) for path in self.ref],
            "metrics": names_of(self.metrics),
        }


def score(
    *,
    files: Given,
    by: str,
    bootstrap: int,
    confidence: float,
    seed: int,
    segments: Path | None,
    output: Path | None,
    as_json: bool,
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


def counts(*, files: Given, by: str, output: Path | None, as_json: bool) -> None:
    """Count what every sentence adds to BLEU and chrF: the table that every score is made of."""
    check_table_path(output)
    from alignframe import mt

    deliver(
        mt.counts(**files.read(), by=names_of(by)), output, as_json, title="Counts of translations"
    )


def compare(
    *,
    files: Given,
    baseline: str,
    bootstrap: int,
    confidence: float,
    seed: int,
    output: Path | None,
    as_json: bool,
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
