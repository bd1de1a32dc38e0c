"""The study of Melamed 1995 on English-French captions and manuals.

``python reports/melamed.py [CORPORA] [--figures]`` writes ``reports/melamed/``: for each text a
page, the table of means as Parquet and, if asked, the figures as PNG. The data are read from the
folder that ALIGNFRAME_CORPORA names, or that is given as an argument; ``docs/studies.md`` lists
the files. Tags of parts of speech need ``pip install textblob textblob-fr``.
"""

from __future__ import annotations

import gzip
import html
import os
import re
import sys
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa

from alignframe import formats, lexicon
from alignframe.cli.show import ProgressExecutor, print_table
from alignframe.lexicon import Alignment, Cognate, PartOfSpeech, Prefix, Study, WordList
from alignframe.lexicon.induce import counted
from alignframe.lexicon.corpus import Reading
from alignframe.lexicon.study import SIZES, training_sets
from alignframe.report.lexicon import study_page

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "reports" / "melamed"
SHORT = 15
"""The paper's sentences have at most so many words."""
LONG = 60
HELD_OUT = 10
"""One document in so many is for testing."""
CUTOFFS = (0.4, 0.45, 0.5, 0.55, 0.58, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
SCANNED = (500, 5_000)
MULTI30K_TESTS = ("test_2016_flickr", "test_2017_flickr", "test_2017_mscoco")
PAPERS_BEST = "mrbd+cognate+alignment"

WORD = re.compile(r"\b(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)'|\w+(?:[-'.]\w+)*|[^\w\s]")
"""An elided French word, a word, or another sign."""

PENN = {
    **dict.fromkeys(("NN",), "NOUN"),
    **dict.fromkeys(("VB", "MD"), "VERB"),
    **dict.fromkeys(("JJ",), "ADJ"),
    **dict.fromkeys(("RB", "WR"), "ADV"),
    **dict.fromkeys(("DT", "PD", "WD", "PR", "WP", "EX"), "DET"),
    **dict.fromkeys(("IN", "TO", "RP", "PO"), "ADP"),
    **dict.fromkeys(("CC",), "CCONJ"),
    **dict.fromkeys(("CD",), "NUM"),
}
"""The Universal tag of a Penn tag, by its first two letters."""


class Text(NamedTuple):
    """A training and a test text, with the columns src and tgt (and src_tags, tgt_tags)."""

    train: pl.DataFrame
    test: pl.DataFrame


def corpora() -> Path:
    """Return the folder of the corpora, or stop with a message."""
    given = [word for word in sys.argv[1:] if not word.startswith("--")]
    named = given[0] if given else os.environ.get("ALIGNFRAME_CORPORA")
    folder = Path(named) if named else ROOT.parent / "shared" / "corpora"
    for needed in ("multi30k", "debian-docs", "muse-dict", "zmert"):
        if not (folder / needed).is_dir():
            sys.exit(f"{folder / needed} is missing; give the folder of the corpora as an argument")
    return folder


def multi30k(folder: Path) -> Text:
    """Return the captions, which are tokenised and in lower case."""

    def read(name: str) -> pl.DataFrame:
        paths = [folder / "multi30k" / f"{name}.lc.norm.tok.{end}" for end in ("en", "fr")]
        sides = [html.unescape(path.read_text("utf-8")).splitlines() for path in paths]
        rows = [[line.split() for line in pair] for pair in zip(*sides, strict=True)]
        return pl.DataFrame(rows, ["src", "tgt"], orient="row")

    test = pl.concat(read(name) for name in MULTI30K_TESTS)
    return Text(_without(read("train"), test), test)


def debian_docs(folder: Path) -> Text:
    """Return the paragraphs of the manuals; every tenth document is for testing."""
    path = folder / "debian-docs" / "en-fr.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    names = sorted({row[0] for row in rows})
    held_out = set(names[::HELD_OUT])
    parts = {
        wanted: pl.DataFrame(
            [[_words(one) for one in row[2:4]] for row in rows if (row[0] in held_out) == wanted],
            ["src", "tgt"],
            orient="row",
        )
        for wanted in (True, False)
    }
    train, test = (
        _up_to(parts[wanted], LONG).unique(maintain_order=True) for wanted in (False, True)
    )
    return Text(_without(train, test), test)


def _words(text: str) -> list[str]:
    return WORD.findall(text.lower().replace("\u2019", "'"))


def _up_to(text: pl.DataFrame, longest: int) -> pl.DataFrame:
    """Return the pairs with 1 to so many words on either side."""
    return text.filter(pl.col(side).list.len().is_between(1, longest) for side in ("src", "tgt"))


def _without(train: pl.DataFrame, test: pl.DataFrame) -> pl.DataFrame:
    """Return the training pairs neither side of which is a side of a test pair."""
    for side in ("src", "tgt"):
        train = train.join(test.select(side), on=side, how="anti", maintain_order="left")
    return train


def tagger() -> Any:
    """Return a function that gives two lists of words their tags, or None without the packages.

    textblob gives each word the tag that its lexicon names, a guess by its ending in English, and
    NN to words it does not know. The tagger of textblob-fr fails on today's Python, but textblob
    can read its lexicon.
    """
    try:
        import textblob_fr
        from textblob.en import Lexicon, parser
    except ImportError:
        return None
    path = Path(textblob_fr.__file__).parent / "fr-lexicon.txt"
    french = {"lexicon": Lexicon(path=str(path), language="fr"), "language": "fr"}

    def universal(word: str, more: dict[str, Any]) -> str:
        tag = parser.find_tags([word], **more)[0][1]
        return PENN.get(tag[:2], "X" if tag[0].isalpha() else "PUNCT")

    def tagged(text: pl.DataFrame) -> pl.DataFrame:
        for side, more in (("src", {}), ("tgt", french)):
            known = {word: universal(word, more) for word in text[side].explode().unique()}
            tags = pl.col(side).list.eval(pl.element().replace_strict(known))
            text = text.with_columns(tags.alias(f"{side}_tags"))
        return text

    return tagged


def cascades(mrbd: WordList, tags: bool) -> dict[str, list[Any]]:
    """Return the cascades of filters by name."""
    one = {"cognate": Cognate(0.58), "mrbd": mrbd, "alignment": Alignment(), "pos": PartOfSpeech()}
    names = ["cognate", "mrbd", "mrbd+cognate", "mrbd+alignment", "cognate+alignment", PAPERS_BEST]
    if tags:
        names += ["pos", "pos+cognate", "pos+mrbd", "pos+mrbd+cognate", f"pos+{PAPERS_BEST}"]
    made = {name: [one[part] for part in name.split("+")] for name in names}
    return {"none": [], "prefix": [Prefix(4)], **made}


def shares(train: pl.DataFrame, mrbd: WordList) -> dict[str, float]:
    """Return the share of source tokens that the oracles pair with a word of their sentence."""
    reading = Reading(train.select("src", "tgt"))
    corpus = reading.corpus(list(reading.batches()))
    pairs = counted(corpus, [], "types", None)
    listings = [oracle.known(pairs) for oracle in (Cognate(0.58), mrbd)]
    found = {"cognates": 0, "the MRBD": 0, "together": 0}
    src, tgt = corpus.src, corpus.tgt
    targets = [
        [set(one.targets[low:high]) for low, high in zip(one.starts, one.starts[1:], strict=False)]
        for one in listings
    ]
    for at in range(corpus.pairs):
        other = set(tgt.words[tgt.at[at] : tgt.at[at + 1]])
        for word in src.words[src.at[at] : src.at[at + 1]]:
            hits = [not one[word].isdisjoint(other) for one in targets]
            for name, hit in zip(found, (*hits, any(hits)), strict=True):
                found[name] += hit
    return {name: hits / src.at[-1] for name, hits in found.items()}
