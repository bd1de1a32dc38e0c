"""The texts of ``melamed.py``: captions and manuals, tokenised, with tags if available."""

from __future__ import annotations

import gzip
import html
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

TESTS = ("test_2016_flickr", "test_2017_flickr", "test_2017_mscoco")
HELD_OUT = 10
"""Every so many documents of the manuals, one is for testing."""
LONG = 60
"""Maximum number of words of a sentence in the manuals."""

WORD = re.compile(r"\b(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)'|\w+(?:[-'.]\w+)*|[^\w\s]")
"""An elided French word, a word, or any other character."""

PENN = {
    "ADJ": "JJ",
    "ADP": "IN TO RP PO",
    "ADV": "RB WR",
    "CCONJ": "CC",
    "DET": "DT PD WD PR WP EX",
    "NOUN": "NN",
    "NUM": "CD",
    "VERB": "VB MD",
}
"""The first two letters of the Penn tags that map to each Universal tag."""
UNIVERSAL = {penn: tag for tag, several in PENN.items() for penn in several.split()}


class Text(NamedTuple):
    """A training and a test text, with the columns src and tgt (and src_tags, tgt_tags)."""

    train: pl.DataFrame
    test: pl.DataFrame


def multi30k(folder: Path) -> Text:
    """Return the captions, which are tokenised and lower-cased."""

    def read(name: str) -> pl.DataFrame:
        paths = [folder / f"{name}.lc.norm.tok.{end}" for end in ("en", "fr")]
        sides = [html.unescape(path.read_text("utf-8")).split("\n")[:-1] for path in paths]
        rows = [[line.split() for line in pair] for pair in zip(*sides, strict=True)]
        return pl.DataFrame(rows, ["src", "tgt"], orient="row")

    test = pl.concat(read(name) for name in TESTS)
    return Text(without(read("train"), test), test)


def debian_docs(folder: Path) -> Text:
    """Return the paragraphs of the manuals; every tenth document is for testing."""
    with gzip.open(folder / "en-fr.tsv.gz", "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    held_out = set(sorted({row[0] for row in rows})[::HELD_OUT])
    pairs = [
        (row[0] in held_out, *(WORD.findall(one.lower().replace("\u2019", "'")) for one in row[2:]))
        for row in rows
    ]
    whole = pl.DataFrame(pairs, ["held_out", "src", "tgt"], orient="row")
    whole = up_to(whole, LONG).unique(maintain_order=True)
    test, train = (whole.filter(held_out=part).drop("held_out") for part in (True, False))
    return Text(without(train, test), test)


def up_to(text: pl.DataFrame, longest: int) -> pl.DataFrame:
    """Return the pairs with 1 to ``longest`` words on each side."""
    return text.filter(pl.col(side).list.len().is_between(1, longest) for side in ("src", "tgt"))


def without(train: pl.DataFrame, test: pl.DataFrame) -> pl.DataFrame:
    """Return the training pairs that share no side with a test pair."""
    for side in ("src", "tgt"):
        train = train.join(test.select(side), on=side, how="anti", maintain_order="left")
    return train


def tagger() -> Callable[[pl.DataFrame], pl.DataFrame] | None:
    """Return a function that adds columns of tags, or None if the packages are missing.

    textblob tags words by its lexicon, unknown words as NN or, in English, by their ending. The
    tagger of textblob-fr fails on current Python versions, so only its lexicon is used.
    """
    try:
        import textblob_fr
        from textblob.en import Lexicon, parser
    except ImportError:
        return None
    path = Path(textblob_fr.__file__).parent / "fr-lexicon.txt"
    french = {"lexicon": Lexicon(path=str(path), language="fr"), "language": "fr"}

    def universal(word: str, settings: Mapping[str, Any]) -> str:
        tag = parser.find_tags([word], **settings)[0][1]
        return UNIVERSAL.get(tag[:2], "X" if tag[0].isalpha() else "PUNCT")

    def tagged(text: pl.DataFrame) -> pl.DataFrame:
        for side, settings in (("src", {}), ("tgt", french)):
            tags = {word: universal(word, settings) for word in text[side].explode().unique()}
            column = pl.col(side).list.eval(pl.element().replace_strict(tags))
            text = text.with_columns(column.alias(f"{side}_tags"))
        return text

    return tagged
