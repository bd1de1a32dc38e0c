"""``alignframe lexicon merge`` and ``changes``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alignframe.choices import JSON_LINES, PARQUET
from alignframe.cli.cells import with_intervals
from alignframe.cli.drawn import Drawn
from alignframe.cli.lexicon import show_lexicon
from alignframe.cli.lexicon_study import named
from alignframe.cli.show import deliver, print_json, print_note, print_table
from alignframe.cli.sources import read_text
from alignframe.errors import number_of

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl


def merge(
    *,
    lexicon: str,
    mrbd: str,
    first: str,
    n_best: int | None,
    test_src: str | None,
    test_tgt: str | None,
    k: int | None,
    drawn: Drawn,
    encoding: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Merge an induced lexicon with a dictionary, and evaluate all three (BIBLE)."""
    from alignframe.formats import write
    from alignframe.lexicon import as_lexicon, evaluate
    from alignframe.lexicon import merge as join

    text = read_text(test_src, test_tgt, encoding, "test-")
    found = join(lexicon, mrbd, first=first, n_best=n_best)
    judged: dict[str, Any] = {"induced": lexicon, "dictionary": as_lexicon(mrbd), "merged": found}
    scores = None if text is None else evaluate(judged, text, k, **drawn.words)
    if output:
        write(found, output)
        frame = found.frame
        numbers = dict(frame["origin"].value_counts().iter_rows())
        each = ", ".join(f"{numbers.get(name, 0):,} {name}" for name in ("both", "induced"))
        print_note(
            f"{number_of(frame.height, 'translation')} written to {output}: of {each}, "
            f"{numbers.get('dictionary', 0):,} from the dictionary alone"
        )
    if scores is None:
        show_lexicon(found, output, as_json)
        return
    if as_json:
        print_json({"scores": scores})
        return
    caption = f"{scores['signature'][0]}\n{found.signature}"
    print_table(with_intervals(scores.drop("signature")), title="BIBLE", caption=caption)


def changes(
    *,
    lexicons: list[str],
    test_src: str | None,
    test_tgt: str | None,
    limit: int,
    encoding: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """List words whose best translation differs from that in the first lexicon."""
    import polars as pl

    from alignframe import lexicon
    from alignframe.lexicon.changes import changes_signature

    given = named(lexicons)
    frame = lexicon.changes(given, read_text(test_src, test_tgt, encoding, "test-"))
    lists = [name for name in frame.columns if name.endswith("_list")]
    flat = frame.with_columns(pl.col(lists).list.join(" "))
    if output:
        kept = output.suffix.lower() in (*PARQUET, *JSON_LINES)
        deliver(frame if kept else flat, output, False, name="changes")
    if as_json:
        print_json({"changes": frame}, changes_signature(given))
    elif not output:
        _show(flat, limit)


def _show(frame: pl.DataFrame, limit: int) -> None:
    """Print a table per lexicon: how its words changed, and the first of them."""
    for (name, baseline), rows in frame.group_by("lexicon", "baseline", maintain_order=True):
        title = (
            f"{name}: {number_of(rows.height, 'word')} with another best translation than "
            f"in {baseline}"
        )
        print_table(
            rows.drop("lexicon", "baseline").to_dicts(),
            title=title,
            caption=_verdict(rows) if "pairs" in rows.columns else "",
            limit=limit,
        )
    if frame.is_empty():
        print_note("no word has another best translation")


def _verdict(rows: pl.DataFrame) -> str:
    """Report how many words found their translation more or less often."""
    import polars as pl

    gain = rows.select(pl.col("after_hits") - pl.col("before_hits")).to_series()
    seen = int((rows["pairs"] > 0).sum())
    return (
        f"of the {seen:,} in the test text, {(gain > 0).sum():,} have their translation in more "
        f"sentences there, {(gain < 0).sum():,} in fewer"
    )
