"""The sentences that an alignment leaves out, as a table of its page."""

from __future__ import annotations

import polars as pl

from alignframe.beads.document import Document
from alignframe.pages.page import Table

_SKIPS = 60
"""Number of skipped regions shown."""

BETWEEN = " ¦ "
"""The separator of two sentences of a bead, or of a region."""

_TEXT = 400


def skipped(full: pl.DataFrame, texts: dict[str, Document]) -> list[Table]:
    """Return the runs of sentences that are aligned to nothing, the longest first."""
    runs: list[tuple[str, str, int, int]] = []
    beads = full.partition_by("doc", as_dict=True)
    for side, label in (("src", "source"), ("tgt", "target")):
        for doc, text in texts.items():
            # Sentences before the first bead, between two beads, and after the last one.
            ends = beads.get((doc,), full.head(0)).select(f"{side}_start", f"{side}_end").rows()
            last = 0
            for start, end in [*sorted(ends), (len(getattr(text, side)),) * 2]:
                if start > last:
                    runs.append((label, doc, last, start))
                last = max(last, end)
    if not runs:
        return []
    runs.sort(key=lambda run: run[2] - run[3])
    rows = []
    for label, doc, start, end in runs[:_SKIPS]:
        own = texts[doc].src if label == "source" else texts[doc].tgt
        place = f"{numbers(start, end)}\n{doc}" if len(texts) > 1 else numbers(start, end)
        said = BETWEEN.join(own.texts.slice(start, end - start).to_pylist())
        rows.append([place, label, _cut(said), f"{end - start:,}"])
    more = f", the {_SKIPS} longest of {len(runs):,}" if len(runs) > _SKIPS else ""
    return [
        Table(
            ["Sentences", "Side", "Text", "Number"],
            rows,
            title=f"Sentences aligned to nothing{more}",
            texts=3,
            wide=True,
        )
    ]


def numbers(start: int, end: int) -> str:
    """Return the numbers of the sentences of one side of a bead, as text."""
    if end <= start:
        return "–"
    return f"{start:,}" if end == start + 1 else f"{start:,}–{end - 1:,}"


def _cut(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _TEXT else f"{plain[:_TEXT]}…"
