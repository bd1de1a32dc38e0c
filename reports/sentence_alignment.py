"""Compare the sentence aligners on manually aligned texts and on noisy documents.

``python reports/sentence_alignment.py [CORPORA [METHODS]]`` writes documents.csv, pieces.csv and
tables.md to ``reports/sentence_alignment/``; see ``study.py``. METHODS are comma-separated, by
default len,gale-church,mre,lex. The tables in docs/beads.md are from tables.md.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from study import Run

from alignframe import beads, formats
from alignframe.beads.joined import smallest_beads
from alignframe.core.schemas import SPANS

METHODS = ("len", "gale-church", "mre", "lex")
MEASURES, FIGURES = ("strict", "lax", "pair"), ("precision", "recall", "f")
SIZES = (20, 40, 80)
"""Numbers of source sentences of short pieces."""
PER_SIZE = 10
"""Number of pieces of each size, evenly spaced in a text."""
JOINED = 0.15
"""The share of the sentences of each side that are joined to the one before, for larger beads."""
LONGEST = 4
"""Maximum number of sentences joined."""
LEFT_OUT = 0.04
"""The share of sentences left out on each side, so that one in twelve has no partner."""


class Part(NamedTuple):
    """Both sides of a document, and its beads."""

    src: pl.Series
    tgt: pl.Series
    gold: pl.DataFrame


class Text(NamedTuple):
    """Documents of one kind; ``held_out`` if no defaults were chosen on them."""

    name: str
    held_out: bool
    parts: list[Part]


def documents(corpora: Path) -> Iterator[Text]:
    """Yield the documents to compare methods on, first those that defaults were chosen on."""
    yearbooks, bible = _yearbooks(corpora), _bible(corpora)
    first, second = _cut(bible, 0, 2400), _cut(bible, 2400, 5000)
    yield Text("yearbooks, de-fr, 468 sentences", False, [yearbooks])
    yield Text("Bible, en-zh, sentences 1 to 2,400", False, [first])
    yield Text("6 pieces of it, 40 sentences each", False, _pieces(first, 40, 6))
    yield Text("4 pieces of the yearbooks, 40 sentences each", False, _pieces(yearbooks, 40, 4))
    news = _lines(corpora, "newstest", "2009", "cs", "en")
    yield Text("news 2009, cs-en, larger beads", False, [larger(news)])
    joined = larger(_lines(corpora, "newstest", "2010", "de", "es"))
    yield Text("news 2010, de-es, larger beads", False, [joined])
    yield Text("4 pieces of it, 40 sentences each", False, _pieces(joined, 40, 4))
    health = _lines(corpora, "tico19", "en-zh", "en", "zh")
    yield Text("health, en-zh, left out .1", False, [_noisy(health, "delete", 0.1)])
    yield Text("health, en-zh, joined .1", False, [_noisy(health, "combine", 0.1)])
    arabic = _lines(corpora, "tico19", "en-ar", "en", "ar")
    yield Text("health, en-ar, left out .2", False, [_noisy(arabic, "delete", 0.2)])
    yield Text("Bible, en-zh, sentences 2,401 to 5,000", True, [second])
    yield Text("6 pieces of this half, 40 sentences each", True, _pieces(second, 40, 6))
    news = _lines(corpora, "newstest", "2012", "fr", "cs")
    yield Text("news 2012, fr-cs, larger beads", True, [larger(news)])
    yield Text("news 2012, fr-cs, left out .1", True, [_noisy(news, "delete", 0.1)])
    news = _lines(corpora, "newstest", "2011", "en", "es")
    yield Text("news 2011, en-es, larger beads", True, [larger(news)])
    yield Text("news 2011, en-es, joined .1", True, [_noisy(news, "combine", 0.1)])
    yield Text("health, en-ar, larger beads", True, [larger(arabic)])


def pieces(corpora: Path) -> Iterator[Text]:
    """Yield short pieces of 20, 40 and 80 sentences by kind of text."""
    bible = _bible(corpora)
    yield Text("yearbooks, de-fr", False, _short(_yearbooks(corpora)))
    yield Text("Bible, first half", False, _short(_cut(bible, 0, 2400)))
    yield Text("Bible, second half", True, _short(_cut(bible, 2400, 5000)))
    for held_out, name, place in (
        (False, "news 2009, cs-en", ("newstest", "2009", "cs", "en")),
        (False, "news 2010, de-es", ("newstest", "2010", "de", "es")),
        (False, "health, en-zh", ("tico19", "en-zh", "en", "zh")),
        (True, "news 2008, es-de", ("newstest", "2008", "es", "de")),
        (True, "news 2011, en-es", ("newstest", "2011", "en", "es")),
        (True, "news 2012, fr-cs", ("newstest", "2012", "fr", "cs")),
        (True, "health, en-ar", ("tico19", "en-ar", "en", "ar")),
    ):
        lines = _lines(corpora, *place)
        yield Text(f"{name}, clean", held_out, _short(_noisy(lines, "clean")))
        yield Text(f"{name}, larger beads", held_out, _short(larger(lines)))
        yield Text(f"{name}, left out .1", held_out, _short(_noisy(lines, "delete", 0.1)))


def larger(lines: tuple[pl.Series, pl.Series], seed: int = 1) -> Part:
    """Return line-parallel text with sentences left out, and runs of up to 4 sentences joined.

    Both sides are drawn independently, which yields beads of several sentences on both sides.
    """
    draw = np.random.default_rng(seed)
    places, sides = [], []
    for side in lines:
        left = np.flatnonzero(draw.random(len(side)) >= LEFT_OUT)
        # Runs do not span a sentence that is left out, or they would contain its partner.
        joined = (draw.random(left.size) < JOINED) & (np.diff(left, prepend=-2) == 1)
        size, starts = 0, []
        for own in joined.tolist():
            size = size + 1 if own and 0 < size < LONGEST else 1
            starts.append(size == 1)
        place = np.full(len(side), -1)
        place[left] = np.cumsum(starts) - 1
        frame = pl.DataFrame({"text": side.gather(left), "place": place[left]})
        texts = frame.group_by("place", maintain_order=True).agg(pl.col("text").str.join(" "))
        places.append(place)
        sides.append(texts["text"])
    both = (places[0] >= 0) & (places[1] >= 0)
    gold = smallest_beads(len(sides[0]), len(sides[1]), places[0][both], places[1][both])
    return Part(sides[0], sides[1], pl.DataFrame(pl.from_arrow(gold)))


def _noisy(lines: tuple[pl.Series, pl.Series], scenario: str, rate: float = 0.0) -> Part:
    found = beads.noise(scenario, *lines, src_rate=rate, tgt_rate=rate)
    return Part(found.src, found.tgt, found.gold)


def _lines(corpora: Path, folder: str, part: str, *sides: str) -> tuple[pl.Series, pl.Series]:
    name = f"newstest{part}" if folder == "newstest" else "tico19-test"
    src, tgt = (_sentences(corpora / folder / part / f"{name}.{side}") for side in sides)
    return src, tgt


def _sentences(path: Path) -> pl.Series:
    return pl.Series(formats.read_sentences(path))


def _gold(src: Path, tgt: Path, gold: Path) -> Part:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # beads with gaps, and two that cross
        found = pl.DataFrame(pl.from_arrow(formats.read_beads(gold)))
    return Part(_sentences(src), _sentences(tgt), found)


def _yearbooks(corpora: Path) -> Part:
    folder = corpora / "textberg"
    return _gold(folder / "dev.de", folder / "dev.fr", folder / "dev.defr")


def _bible(corpora: Path) -> Part:
    folder = corpora / "beads-gold/bible-enzh"
    return _gold(folder / "en", folder / "zh", folder / "gold.beads")


def _short(text: Part) -> list[Part]:
    return [piece for size in SIZES for piece in _pieces(text, size, PER_SIZE)]


def _pieces(text: Part, size: int, number: int) -> list[Part]:
    """Return up to ``number`` pieces of about ``size`` source sentences, evenly spaced."""
    number = min(number, len(text.src) // size)
    starts = np.linspace(0, len(text.src) - size, number).astype(int).tolist()
    return [_cut(text, start, start + size) for start in starts]


def _cut(text: Part, start: int, stop: int) -> Part:
    """Return the beads between two source sentences, with the text that they cover.

    Crossing beads are kept together.
    """
    gold = text.gold.sort("src_start", "tgt_start")
    rows = gold.filter(pl.col("src_start") >= start, pl.col("src_end") <= stop)
    low = rows.select(pl.col("src_start", "tgt_start").min()).row(0)
    high = rows.select(pl.col("src_end", "tgt_end").max()).row(0)
    rows = rows.with_columns(
        pl.col("src_start", "src_end") - low[0], pl.col("tgt_start", "tgt_end") - low[1]
    )
    src, tgt = text.src[low[0] : high[0]], text.tgt[low[1] : high[1]]
    return Part(src, tgt, rows)


def scored(text: Text, methods: Sequence[str], by: Sequence[str] = ()) -> pl.DataFrame:
    """Return the scores of methods' beads over all parts of a text or, by doc, of each."""
    docs = [f"{number:03}" for number in range(len(text.parts))]

    def together(found: Iterable[Any]) -> pl.DataFrame:
        return pl.concat(
            pl.DataFrame(one).select(pl.lit(doc).alias("doc"), pl.col(SPANS).cast(pl.Int64))
            for doc, one in zip(docs, found, strict=True)
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # short pieces without any certain pair
        hyp = {
            name: together(beads.align(part.src, part.tgt, name) for part in text.parts)
            for name in methods
        }
        found = beads.score(hyp, together(part.gold for part in text.parts), by=by).scores
    p, r = pl.col("pair_precision"), pl.col("pair_recall")
    figures = pl.col("^(strict|lax|pair)_(precision|recall|f)$").fill_null(0.0)
    order = pl.DataFrame({"doc": docs}).join(pl.DataFrame({"system": methods}), how="cross")
    order = order.select(*by, "system").unique(maintain_order=True)
    return (
        order.join(found, on=order.columns, maintain_order="left")
        .with_columns(figures)
        .with_columns(pair_f=(2 * p * r / (p + r)).fill_nan(0.0))
        .rename({"system": "method"})
        .drop("alignment_rate", "signature")
    )


def scores(
    run: Run, texts: Iterable[Text], methods: Sequence[str], by: Sequence[str] = ()
) -> pl.DataFrame:
    """Return the scores of texts, with their names."""
    found = []
    for text in texts:
        named = pl.lit(text.name).alias("text"), pl.lit(text.held_out).alias("held_out")
        rows = run.rows(scored, {", ".join([text.name, *by]): (text, methods, by)}, methods=methods)
        found += [one.select(*named, pl.all()) for one in rows.values()]
    return pl.concat(found)


def compared(frame: pl.DataFrame) -> pl.DataFrame:
    """Return, by kind of text, mean strict F of len and lex, and how often lex does worse."""
    keys = ("held_out", "text")
    wide = frame.pivot("method", index=(*keys, "doc"), values="strict_f")
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
    for (text,), rows in found.group_by("text", maintain_order=True):
        best = rows["strict_f"].max()
        cells = [
            f"**{_round(value)}**" if value == best else _round(value) for value in rows["strict_f"]
        ]
        yield f"| {text} | " + " | ".join(cells) + " |"
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
        name = row["text"] if row["method"] == methods[0] else ""
        cells = [" ".join(_round(row[f"{kind}_{of}"]) for of in FIGURES) for kind in MEASURES]
        yield f"| {name} | `{row['method']}` | " + " | ".join(cells) + " |"


def _round(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def main() -> None:
    """Score all documents and pieces, and write the tables."""
    run = Run.of("sentence_alignment", ("newstest", "tico19", "textberg", "beads-gold"))
    methods = run.names(METHODS)
    found = scores(run, documents(run.corpora), methods)
    short = scores(run, pieces(run.corpora), ("len", "lex"), ["doc"])
    found.write_csv(run.out / "documents.csv")
    short.write_csv(run.out / "pieces.csv")
    (run.out / "tables.md").write_text("\n".join(tables(found, short)) + "\n")


if __name__ == "__main__":
    main()
