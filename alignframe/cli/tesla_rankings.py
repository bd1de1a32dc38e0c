"""``alignframe tesla rankings``: summarising human rankings, and their table for SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alignframe.cli.show import print_json, print_note, print_table, save_table

if TYPE_CHECKING:
    from pathlib import Path


def rankings(
    rankings: str, *, pair: str | None = None, output: Path | None = None, as_json: bool = False
) -> None:
    """Count human rankings by language pair, and write those of one, one row per translation.

    The output has the columns ranking, sid (from 0), judge, system and rank, for SQL.

    Parameters
    ----------
    rankings
        See ``tesla.meta.meta``.
    pair
        Language pair of the rankings, such as fr-en or French-English.
    """
    import polars as pl

    from alignframe.tesla.ranking_signatures import signature_of_rankings
    from alignframe.tesla.rankings import load_rankings, rankings_by_pair

    one = pair is not None or output is not None
    found = [load_rankings(rankings, pair)] if one else rankings_by_pair(rankings)
    rows = [{"pair": each.pair, **each.counts} for each in found]
    chosen = pl.DataFrame(pl.from_arrow(found[0].table)) if one else None
    signature = signature_of_rankings(found[0].table) if one else None
    if output and chosen is not None:
        save_table(chosen, output, signature or "")
        print_note(f"{chosen.height:,} ranked translations written to {output}")
    if as_json:
        print_json({"pairs": rows} | ({} if chosen is None else {"rankings": chosen}), signature)
    else:
        print_table(rows)
