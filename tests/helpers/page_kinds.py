"""A page of every kind of result, made of the project's own data or of a few lines."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import polars as pl
from helpers.formats import quietly
from helpers.study import recorded_study

from alignframe import aligners, beads, formats, lexicon, links, mt, phrases, tesla
from alignframe.aligners.bidirectional import read_directions
from alignframe.beads.filter_page import filter_page
from alignframe.beads.page import beads_page
from alignframe.beads.pairs_page import pairs_page
from alignframe.mt.study_page import mt_study_page
from alignframe.report import page_of, tesla_page
from datasets.tiny_aligner import align

HOME = Path(__file__).resolve().parents[2] / "datasets"
EN_FR, ISLAND, MILL = HOME / "en-fr", HOME / "island", HOME / "mill"
NAMES = ("cautious", "eager", "forward")
HYPS = {name: EN_FR / f"{name}.talp" for name in NAMES}
GOLD = EN_FR / "gold.talp"
TEXTS = {name: ISLAND / f"{name}.en" for name in ("literal", "careful", "fluent", "garbled")}
BLEU = {"cautious": 24.0, "eager": 27.0, "forward": 28.0, "gold": 26.0}


@cache
def en_fr():
    """Return the project's text."""
    return formats.read_bitext(EN_FR / "text.en", EN_FR / "text.fr")


@cache
def phrase_study():
    """Return a study of phrase dictionaries."""
    return phrases.study(HYPS, GOLD, en_fr())


@cache
def cascades():
    """Return a study of lexicons."""
    rows = {"src": [["un", "mot"], ["le", "mot"]] * 6, "tgt": [["a", "mot"], ["the", "word"]] * 6}
    text = pl.DataFrame(rows)
    return lexicon.study(text, text.head(3), ["none", "cognate"], sizes=[2, 4], sets=3, n_best=2)


@cache
def scored():
    """Return translation scores of three systems."""
    how = tesla.Analysis.of(tagger="none", synonyms="none")
    return tesla.score(TEXTS, ISLAND / "ref.en", analysis=how, bootstrap=100)


@cache
def judged():
    """Return the agreement of three metrics with human rankings."""
    every = mt.score(TEXTS, ISLAND / "ref.en").segments.join(
        scored().segments.select(pl.col("system").cast(pl.String), "sid", tesla="score"),
        on=["system", "sid"],
    )
    metrics = ["bleu", "chrf", "tesla"]
    ranked = ISLAND / "rankings.csv"  # in which a translation has no rank
    return quietly(tesla.meta, ranked, every, metrics=metrics, bootstrap=100)


def varied(folder):
    """Return a study of alignments of varying quality, and BLEU of them."""
    gold, text = formats.read(GOLD).slice(0, 24), en_fr()
    methods = ["intersection", "refined", "union-closure"]
    links.QualityStudy(
        text.slice(24), text.slice(0, 24), gold, align, fractions=[4, 2], symmetrize=methods
    ).run(folder)
    found = links.read_study(folder)
    shaken = pl.Series([0.3 * ((7 * k) % 5) for k in range(found.scores.height)])
    return found, found.scores.select("system", score=10 * pl.col("f_0.3") + shaken)


@cache
def lines():
    """Return the lines of a text, kept or not."""
    pairs = [*zip(*(read(EN_FR / f"text.{one}") for one in ("en", "fr")), strict=True)]
    sides = [list(side) for side in zip(*pairs, *pairs[:9], strict=True)]
    texts = pl.DataFrame({"src": sides[0], "tgt": sides[1]})
    return pl.concat([beads.filter(*sides, method="len").lines, texts], how="horizontal")


def read(path):
    """Return the lines of a file."""
    return path.read_text("utf-8").splitlines()


KINDS = (
    *(
        "links",
        "phrases",
        "correlated",
        "varied",
        "correlated varied",
        "lexicon",
        "aligned",
        "aligned alone",
    ),
    *("mt", "mt study", "tesla", "metrics", "noise", "beads", "beads alone", "lines"),
    "links filtered",
)


def pages(folder):
    """Return a page of every kind by name, with what its lead says of frames that have no table."""
    study, bleu = varied(folder / "varied")
    src, tgt = (read(MILL / f"mill.{one}") for one in ("en", "fr"))
    english, french = (read(EN_FR / f"text.{one}") for one in ("en", "fr"))
    noise = beads.study(
        english, french, scenarios=["clean", "delete:0.1", "randomize"], methods=["len"]
    )
    models = [
        aligners.fit(en_fr(), model="ibm1", iterations=2, reverse=one) for one in (False, True)
    ]
    by_links = links.score(HYPS, GOLD, bootstrap=50, alpha=[0.1, 0.5]).evaluated()
    four = links.correlate(links.score(HYPS | {"gold": GOLD}, GOLD).counts, BLEU, bootstrap=20)
    by_text = mt.score(TEXTS, ISLAND / "ref.en", bootstrap=50).evaluated()
    texts = cascades().texts
    types = texts.filter(text="test")["types"]
    gain = cascades().wilcoxon.filter(size=4, k=1)
    trained, tested = (texts.filter(text=one)["pairs"] for one in ("train", "test"))
    found = beads.align(src, tgt, method="len")
    aligned = aligners.evaluate(read_directions(models, en_fr()), en_fr(), gold=GOLD)
    vary = {"pairs": [study.pairs], "gold": [study.counts["sid"].n_unique()]}
    made = (
        (
            page_of(by_links),
            by_links.comparisons.filter(measure="aer").with_columns(of=pl.lit("links")),
        ),
        (
            page_of(phrase_study()),
            phrase_study()
            .ranked.comparisons.filter(measure="f")
            .with_columns(of=pl.lit("phrases")),
        ),
        (page_of(four), {"gold": [four.counts["sid"].n_unique()]}),
        (page_of(study), vary),
        (page_of(links.correlate(study, bleu, bootstrap=20)), vary),
        (
            page_of(cascades(), upper_bound=0.6),
            {"pairs": trained, "test": tested, "types": types, "gain": gain},
        ),
        (
            page_of(aligned),
            aligned.quality.comparisons.filter(measure="aer").with_columns(
                of=pl.lit("links"), pairs=pl.lit(len(english))
            ),
        ),
        (page_of(replace(aligned, quality=None, gold=None)), {"pairs": [len(english)]}),
        (
            page_of(by_text),
            by_text.comparisons.filter(measure="bleu").with_columns(of=pl.lit("mt")),
        ),
        (mt_study_page(recorded_study(), bootstrap=0, alpha=[0.1, 0.5, 0.9]), {"gold": [1]}),
        (
            tesla_page(scored(), meta=judged()),
            scored().evaluated().comparisons.with_columns(of=pl.lit("")),
        ),
        (page_of(judged()), judged_tests()),
        (beads_page(noise), {}),
        (pairs_page(found, src, tgt, gold=MILL / "mill.beads"), {}),
        (pairs_page(found, src, tgt, top=5), {}),
        (filter_page(lines(), top=2), {"lines": lines()}),
        (
            page_of(links.filter(aligned.joined(posterior=True), precision=0.6)),
            {"links": sorted(aligned.joined(posterior=True)["probabilities"].explode())},
        ),
    )
    return dict(zip(KINDS, made, strict=True))


def judged_tests():
    """Return the tests of metrics against the most consistent one, from its side."""
    tests = judged().comparisons.filter(figure="consistency")
    best = judged().scores.sort("consistency", descending=True)["metric"][0]
    same = ("metric", "other", "difference", "difference_low", "difference_high", "p_corrected")
    turned = tests.select(
        metric="other",
        other="metric",
        difference=-pl.col("difference"),
        difference_low=-pl.col("difference_high"),
        difference_high=-pl.col("difference_low"),
        p_corrected="p_corrected",
    )
    both = pl.concat([tests.select(same), turned]).filter(other=best)
    return both.rename({"metric": "system", "other": "baseline"}).with_columns(of=pl.lit(""))
