"""All symmetrization methods, on texts of several kinds.

``python reports/symmetrization.py [CORPORA [MODELS [PAIRS]]]`` combines the directions of published
aligners and of the package's own by every method, scores the links against gold, and writes to
``reports/symmetrization/``: ``scores.csv``, and ``tables.md`` with the tables of
``docs/symmetrization.md``. MODELS are, for example, ``hmm,bayes``; PAIRS is the number of Europarl
pairs that models are trained on besides the gold sentences, 20,000 by default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa
from hansards import APART, NEEDED, bitext, gold
from study import Run

from alignframe import formats, links
from alignframe.aligners import KINDS, Training
from alignframe.aligners.bidirectional import (
    DirectionLinks,
    Linking,
    decode_directions,
    fit_directions,
    join,
)
from alignframe.aligners.directions import AGREE

METHODS = ("forward", "reverse", "agree", *links.METHODS)
PAIRS = 20_000
ALPHA = 0.1
F = f"f_{ALPHA}"
GROWING = ("hmm", "bayes")
SIZES = (0, 500, 4_000, 30_000)
OTHERS = ("roen", "zhen", "jaen")
EUROPARL = 2_817
"""The first line of Europarl; those before are Hansards: the gold sentences, and debates."""

ELIDED = {"jusqu'": "jusque", "lorsqu'": "lorsque", "puisqu'": "puisque", "qu'": "que"} | {
    f"{letter}'": f"{letter}e" for letter in "cdjlmnst"
}
"""Elided words of the stories, and their spelling in the other texts."""

Words = list[list[str]]


class Sample(NamedTuple):
    """Sentence pairs and their gold links."""

    src: Words
    tgt: Words
    gold: pa.Array


def hansards(folder: Path) -> Sample:
    """Return the 447 sentences of the Hansards, as spelt in Europarl."""
    return Sample(*europarl(folder, 0, 447), gold(folder)["links"].combine_chunks())


def stories(folder: Path) -> Sample:
    """Return the five stories, English first, as spelt in Europarl."""
    src: Words = []
    tgt: Words = []
    known: list[pa.Array] = []
    for path in sorted((folder / "alibi-enfr").glob("*/ali_w2w_*.txt")):
        french = path.with_name(f"{path.stem.split('_')[2]}_sents.txt")
        (english,) = set(path.parent.glob("*_sents.txt")) - {french}
        src += _words(english)
        tgt += [[ELIDED.get(word, word) for word in words] for words in _words(french)]
        known.append(formats.read(path, order="tgt-src")["links"].combine_chunks())
    return Sample(src, tgt, pa.concat_arrays(known))


def _words(path: Path) -> Words:
    """Return the words of numbered lines, lower-cased."""
    lines = path.read_text("utf-8").lower().replace("’", "'").splitlines()
    return [line.partition("\t")[2].split() for line in lines]


def europarl(folder: Path, start: int, pairs: int) -> tuple[Words, Words]:
    """Return this many sentence pairs, starting at a line."""
    text = bitext(folder).slice(start, pairs)
    return text["src"].to_pylist(), text["tgt"].to_pylist()


def other(folder: Path, pair: str) -> Sample:
    """Return the gold set of another language pair, such as ``roen``."""
    home = folder / "gold-roen-jaen-zhen"
    text = formats.read_bitext(home / f"{pair}.src-tgt")
    known = formats.read(home / f"{pair}.gold", base=1)["links"].combine_chunks()
    return Sample(text["src"].to_pylist(), text["tgt"].to_pylist(), known)


def published(folder: Path, tool: str, pair: str) -> list[DirectionLinks]:
    """Return the links of an aligner in both directions."""
    home = folder / "hansards-outputs" / "lilt" / tool
    forward = formats.read(home / f"test.{pair}.talp")
    reverse = formats.read(home / f"test.{pair}.reverse.talp", order="tgt-src")
    return [DirectionLinks(tool, pl.DataFrame(table), None) for table in (forward, reverse)]


def learnt(
    samples: Sequence[Sample], more: tuple[Words, Words], model: str
) -> list[DirectionLinks]:
    """Align several samples together, followed by more text, in both directions."""
    src = [words for sample in samples for words in sample.src] + more[0]
    tgt = [words for sample in samples for words in sample.tgt] + more[1]
    text = pa.table({"src": src, "tgt": tgt})
    return decode_directions(
        fit_directions(text, Training(model, given=APART.get(model, {}))), Linking(AGREE)
    )


def figures(
    text: str, name: str, sides: Sequence[DirectionLinks], sample: Sample, at: int
) -> pl.DataFrame:
    """Score both directions of a text, combined by every method; a sample begins at a row."""
    found = {"forward": sides[0].links, "reverse": sides[1].links}
    if sides[0].every is not None:
        found["agree"] = join(sides, Linking(AGREE))
    found |= {method: join(sides, Linking(method)) for method in links.METHODS}
    systems = {
        method: frame.slice(at, len(sample.gold)).select(sid=pl.int_range(pl.len()), links="links")
        for method, frame in found.items()
    }
    known = pa.table({"sid": range(len(sample.gold)), "links": sample.gold})
    scores = links.score(systems, known, alpha=[ALPHA]).scores
    return scores.select(
        pl.lit(text).alias("text"),
        pl.lit(name).alias("directions"),
        pl.col("system").alias("method"),
        pl.exclude("system", "signature"),
    )


def of_published(folder: Path, tool: str, name: str, text: str, pair: str) -> pl.DataFrame:
    """Score published alignments."""
    sample = hansards(folder) if text == "Hansards" else other(folder, pair)
    return figures(text, name, published(folder, tool, pair), sample, 0)


def of_model(folder: Path, pairs: int, model: str, pair: str) -> pl.DataFrame:
    """Score one of the package's own models, on both English-French texts or on another pair."""
    if pair != "enfr":
        sample = other(folder, pair)
        sides = learnt([sample], ([], []), model)
        return figures(f"{pair[:2]}-{pair[2:]}", model, sides, sample, 0)
    first, second = hansards(folder), stories(folder)
    sides = learnt([first, second], europarl(folder, len(first.src), pairs), model)
    both = ("Hansards", first, 0), ("stories", second, len(first.src))
    return pl.concat(figures(text, model, sides, sample, at) for text, sample, at in both)


def growth(folder: Path, model: str, size: int) -> pl.DataFrame:
    """Score the stories with a model trained on part of Europarl as well."""
    sample = stories(folder)
    sides = learnt([sample], europarl(folder, EUROPARL, size), model)
    return figures(f"stories, {model}", f"{size:,}", sides, sample, 0)


def distances(scores: pl.DataFrame) -> pl.DataFrame:
    """Return how far each method is behind the best one for the same directions of a text.

    The mean and the maximum are over texts and both measures; 0 is the best everywhere.
    """
    best = {"aer": pl.col("aer").min(), F: pl.col(F).max()}
    long = scores.with_columns(
        (pl.col(name) - one.over("text", "directions")).abs() for name, one in best.items()
    ).unpivot(list(best), index=["text", "directions", "method"], value_name="distance")
    return long.group_by("directions", "method", maintain_order=True).agg(
        mean=pl.col("distance").mean(), greatest=pl.col("distance").max()
    )


def table(title: str, scores: pl.DataFrame, best: Mapping[str, Any]) -> str:
    """Return a Markdown table of every method's figures, one column per name of directions.

    ``best`` says, for each figure, how to find the best one of a column, which is bold.
    """
    columns = scores["directions"].unique(maintain_order=True).to_list()
    lines = [
        f"### {title}",
        "",
        f"| method | {' | '.join(columns)} |",
        f"|{'---|' * (len(columns) + 1)}",
    ]
    rounded = scores.with_columns(pl.col(list(best)).round(3))
    found = {(row["directions"], row["method"]): row for row in rounded.to_dicts()}
    top = {
        (column, name): choose(row[name] for (one, _), row in found.items() if one == column)
        for column in columns
        for name, choose in best.items()
    }
    for method in METHODS:
        cells = []
        for column in columns:
            row = found.get((column, method))
            shown = [f"{row[name]:.3f}".lstrip("0") for name in best] if row else []
            marks = ["**" if row[name] == top[column, name] else "" for name in best] if row else []
            cells.append(
                " ".join(f"{mark}{text}{mark}" for mark, text in zip(marks, shown, strict=True))
            )
        lines.append(f"| `{method}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Run the study."""
    run = Run.of("symmetrization", (*NEEDED, "alibi-enfr", "europarl-enfr", "gold-roen-jaen-zhen"))
    folder = run.corpora
    models, pairs = run.names(KINDS), run.number(PAIRS)
    texts = ("Hansards", "enfr"), ("ro-en", "roen")
    tools = ("giza", "MGIZA"), ("fastalign", "fast_align")
    known = run.rows(
        partial(of_published, folder), [(*tool, *text) for text in texts for tool in tools]
    )
    own = run.rows(
        partial(of_model, folder, pairs), product(models, ("enfr", *OTHERS)), pairs=pairs
    )
    grown = run.rows(
        partial(growth, folder), product((one for one in models if one in GROWING), SIZES)
    )
    scores = pl.concat([*known.values(), *own.values()])
    every = pl.concat([scores, *grown.values()])
    every.write_csv(run.out / "scores.csv")
    tables = [
        table(f"{text}: AER and F({ALPHA})", found, {"aer": min, F: max})
        for (text,), found in every.partition_by("text", as_dict=True).items()
    ]
    least = {"mean": min, "greatest": min}
    tables.append(table("Distance from the best: mean, maximum", distances(scores), least))
    (run.out / "tables.md").write_text("\n\n".join(tables) + "\n", "utf-8")
    print("\n\n".join(tables))


if __name__ == "__main__":
    main()
