"""``alignframe links``: score, counts, compare, symmetrize; others have their own modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alignframe.cli.cells import with_interval
from alignframe.cli.given import (
    Given,
    bands_of,
    names_of,
    numbers,
)
from alignframe.cli.progress import ticking
from alignframe.cli.show import (
    check_table_path,
    deliver,
    print_json,
    print_note,
    print_table,
    save_table,
)

if TYPE_CHECKING:
    from pathlib import Path


def score(
    *,
    files: Given,
    alpha: str,
    by: str,
    bands: str | None,
    bootstrap: int,
    confidence: float,
    seed: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Score systems against gold: precision, recall, AER and F at every alpha."""
    check_table_path(output)
    alphas = numbers(alpha, "--alpha")
    from alignframe import links
    from alignframe.measures import check_alpha

    for _, value in alphas:
        check_alpha(value)
    with files.read() as given:
        frame = links.scores(
            **given,
            **bands_of(bands),
            alpha=[value for _, value in alphas],
            by=names_of(by),
            bootstrap=bootstrap,
            confidence=confidence,
            seed=seed,
        )
    if output:
        save_table(frame, output)
    rows = [_score_row(row, alphas) for row in frame.to_dicts()]
    if as_json:
        print_json(rows)
        return
    title, shown = "Alignment scores", [_flat(row) for row in rows]
    sizes = {row["sentences"] for row in shown}
    if len(sizes) == 1:  # said once, above the table
        title = f"Alignment scores, {sizes.pop():,} sentences"
        shown = [{name: row[name] for name in row if name != "sentences"} for row in shown]
    print_table(shown, title=title, caption=rows[0]["signature"] if rows else "")


def _score_row(row: dict[str, Any], alphas: list[tuple[str, float]]) -> dict[str, Any]:
    """Gather the columns f_0.1, f_0.5, ... (and their intervals) as objects keyed by alpha."""
    from alignframe.measures import alpha_name

    columns = {text: alpha_name(value) for text, value in alphas}
    inside = {f"{name}{end}" for name in columns.values() for end in ("", "_low", "_high")}
    out = {name: value for name, value in row.items() if name not in inside}
    mark = out.pop("signature")
    out["f"] = {text: row[name] for text, name in columns.items()}
    for end in ("low", "high"):
        if any(f"{name}_{end}" in row for name in columns.values()):
            out[f"f_{end}"] = {text: row[f"{name}_{end}"] for text, name in columns.items()}
    return {**out, "signature": mark}


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for the terminal: a column an F, an interval beside its figure."""
    lows, highs = row.get("f_low"), row.get("f_high")
    out: dict[str, Any] = {}
    for name, value in row.items():
        if name == "f":
            for text, figure in value.items():
                span = (lows[text], highs[text]) if lows and highs else None
                out[f"F({text})"] = with_interval(figure, span)
        elif name != "signature" and not name.endswith(("_low", "_high")):
            span = (row[f"{name}_low"], row[f"{name}_high"]) if f"{name}_low" in row else None
            out[name] = with_interval(value, span)
    return out


def counts(
    *,
    files: Given,
    by: str,
    bands: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Count each sentence's links: the additive table that every score is made of."""
    check_table_path(output)
    from alignframe import links

    with files.read() as given:
        frame = links.counts(**given, **bands_of(bands), by=names_of(by))
    deliver(frame, output, as_json, title="Link counts")


def compare(
    *,
    files: Given,
    baseline: str,
    alpha: str,
    bootstrap: int,
    confidence: float,
    seed: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Test whether systems differ from a baseline, by the paired bootstrap over sentences."""
    check_table_path(output)
    alphas = numbers(alpha, "--alpha")
    from alignframe import links

    with files.read() as given:
        frame = links.compare(
            **given,
            baseline=baseline,
            alpha=[value for _, value in alphas],
            bootstrap=bootstrap,
            confidence=confidence,
            seed=seed,
        )
    if output:
        save_table(frame, output)
    if as_json:
        print_json(frame.to_dicts())
        return
    mark = frame["signature"][0]
    rows = frame.drop("signature", "baseline", "baseline_value").to_dicts()
    print_table(rows, title=f"Differences from {baseline}", caption=mark)


def symmetrize(
    *,
    forward: str,
    reverse: str,
    output: str,
    method: str,
    reverse_is: str,
    format: str | None,
    to: str | None,
    base: int | None,
    system: str | None,
    as_json: bool,
) -> None:
    """Join the alignments of two directions into one."""
    from alignframe import formats, links
    from alignframe.arrow import to_reader

    sides: list[Any] = []
    for path in (forward, reverse):
        kind = format or formats.detect(path, "--from")
        sides.append(path if kind == "parquet" else formats.read(path, kind, base=base))
    frame = links.symmetrize(sides[0], sides[1], method, reverse_is=reverse_is, system=system)
    formats.write(
        ticking(to_reader(frame), "Writing", lambda batch: batch.num_rows),
        output,
        to or formats.format_of(output),
        base=base or 0,
    )
    total = int(frame["links"].list.len().sum())
    if as_json:
        print_json({"method": method, "sentences": frame.height, "links": total, "output": output})
    elif output != "-":
        print_note(f"{method}: {frame.height:,} sentences, {total:,} links written to {output}")
