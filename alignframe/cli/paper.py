"""Tables of papers: a row a system, the best in bold, and stars where systems differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from alignframe.cli.cells import Marked, shown, title_of, with_intervals

if TYPE_CHECKING:
    import polars as pl

    from alignframe.cli.show import Rows


def paper_rows(rows: Rows, found: Any, baseline: str | None) -> Rows:
    """Return the rows of scores with marks of what tests say, and a caption that explains them."""
    from alignframe.cli.show import Rows, signature_of
    from alignframe.core.rounding import digits_for
    from alignframe.stats.conclusions import bold_of, corrected_for

    standings = found.standings(baseline)
    if standings.height < 2:
        return rows
    marks = {row["system"]: row for row in standings.iter_rows(named=True)}
    names = {title_of(name): name for name in standings.columns[1:-3]}
    short = dict(zip(marks, short_names([*marks]), strict=True))
    frame: pl.DataFrame = rows.rows  # type: ignore[assignment]
    made = []
    digits = {name: digits_for(frame[name]) for name in names.values()}
    for row in with_intervals(frame.drop("signature", strict=False), digits):
        mark = marks[row["system"]]
        cells = {
            title: Marked(
                shown(value), names[title] in mark["best"], names[title] in mark["differs"]
            )
            if title in names and value is not None
            else value
            for title, value in row.items()
        }
        made.append(cells | {"system": short[row["system"]]})
    signature = signature_of(standings)
    said = [bold_of(signature, standings.height)]
    if baseline is not None and "paired-" in signature:
        how = filter(None, [short[baseline], corrected_for("", standings.height - 1)])
        said.append(f"*: differs from {', '.join(how)}.")
    return Rows(made, rows.title, "\n".join([*said, signature]), rows.limit)


def short_names(names: Sequence[str]) -> list[str]:
    """Return names without the parts that all have, such as those of a folder or a test set."""
    parts = [re.split(r"(?<=[/.])", name) for name in names]
    first = _alike([own[:-1] for own in parts])
    last = _alike([own[:first:-1] for own in parts])
    short = ["".join(own[first : len(own) - last]).rstrip("/.") for own in parts]
    return short if len(names) > 1 and len({*short}) == len(names) else [*names]


def _alike(parts: Sequence[Sequence[str]]) -> int:
    """Return the number of parts at the beginning that all have."""
    return len([*takewhile(lambda at: len({*at}) == 1, zip(*parts, strict=False))])
