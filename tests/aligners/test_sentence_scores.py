"""Scores of sentence pairs by the probabilities of their links, and links written with these."""

import polars as pl
import pytest
from helpers.cli import run
from helpers.formats import refusal_of

from alignframe import aligners, connect, formats, links

ENGLISH, FRENCH = "datasets/en-fr/text.en", "datasets/en-fr/text.fr"
MODEL = ("--model", "ibm1")


def text_of():
    return pl.DataFrame(pl.from_arrow(formats.read_bitext(ENGLISH, FRENCH)))


def test_scores_agree_with_plain_python():
    text = text_of()
    found = aligners.align(text, model="ibm1", posterior=True)
    given = zip(
        *(found[name].to_list() for name in ("links", "probabilities")),
        *(text[name].to_list() for name in ("src", "tgt")),
        strict=True,
    )
    scores = aligners.sentence_scores(found, text).drop("system").rows(named=True)
    assert [row["sid"] for row in scores] == text["sid"].to_list()
    for row, (pairs, shares, src, tgt) in zip(scores, given, strict=True):
        best = [0.0] * (len(src) + len(tgt))
        for link, share in zip(pairs, shares, strict=True):
            for place in (link["i"], len(src) + link["j"]):
                best[place] = max(best[place], share)
        assert row["links"] == len(pairs)
        assert row["mean_probability"] == pytest.approx(sum(shares) / len(shares))
        assert row["least_probability"] == min(shares)
        assert row["word_probability"] == pytest.approx(sum(best) / len(best))
        bare = best[: len(src)].count(0), best[len(src) :].count(0)
        # Exactly, so that no table has 0.09999999999999998.
        assert row["src_unaligned"] == bare[0] / len(src)
        assert row["tgt_unaligned"] == bare[1] / len(tgt)


def test_scores_agree_with_sql():
    text = text_of()
    found = aligners.align(text, model="ibm1", posterior=True)
    with connect(tables={"found": found, "text": text}) as con:
        wanted = con.sql("from sentence_confidence('found', 'text')").pl()
    own = aligners.sentence_scores(found, text).select(wanted.columns)
    for name in wanted.columns[2:]:
        assert own[name].to_list() == pytest.approx(wanted[name].to_list()), name
    for name in ("src_unaligned", "tgt_unaligned"):
        assert own[name].to_list() == wanted[name].to_list()


def test_sentences_without_links_or_words_have_scores():
    text = {"src": [["a"], ["b"], []], "tgt": [["c"], ["d"], ["e"]]}
    rows = aligners.sentence_scores(["0-0:.5", "", ""], text).drop("system").rows()
    assert rows == [
        (0, 1, 0.5, 0.5, 0.5, 1, 1, 0.0, 0.0),
        (1, 0, None, None, 0.0, 1, 1, 1.0, 1.0),
        (2, 0, None, None, 0.0, 0, 1, None, 1.0),
    ]
    bare = pl.DataFrame({"sid": [0], "links": [[]], "probabilities": [[]]})
    bare = bare.cast({"links": pl.List(pl.Struct({"i": pl.UInt16, "j": pl.UInt16}))})
    rows = aligners.sentence_scores(bare.cast({"probabilities": pl.List(pl.Float32)}), text).rows()
    assert [row[2] for row in rows] == [0, 0, 0]
    assert "without probabilities" in refusal_of(aligners.sentence_scores, ["0-0", "", ""], text)


@pytest.mark.parametrize("suffix", ["tsv", "parquet"])
def test_the_shell_writes_scores(tmp_path, suffix):
    path = tmp_path / f"scores.{suffix}"
    said = run("align", ENGLISH, FRENCH, *MODEL, "--scores", path, "-o", tmp_path / "x.talp")
    assert f"scores of 72 sentences written to {path}" in said.stderr
    assert ":" not in (tmp_path / "x.talp").read_text()
    read = pl.read_parquet if suffix == "parquet" else pl.read_csv
    frame = read(path) if suffix == "parquet" else read(path, separator="\t")
    assert (frame.height, frame["sid"].to_list()) == (72, [*range(72)])
    run("align", ENGLISH, FRENCH, *MODEL, "--scores", tmp_path / "alone.csv")
    assert pl.read_csv(tmp_path / "alone.csv").height == 72
    assert "--scores FILE" in run("align", ENGLISH, FRENCH, *MODEL, code=2).stderr


@pytest.mark.parametrize("suffix", ["talp", "numbered", "naacl", "csv", "jsonl", "moses", "tsv"])
def test_posteriors_are_written_to_every_format(tmp_path, suffix):
    path, exact = tmp_path / f"x.{suffix}", tmp_path / "x.parquet"
    for one in (path, exact):
        run("align", ENGLISH, FRENCH, *MODEL, "--posterior", "-o", one)
    shares = formats.read(exact)["probabilities"].to_pylist()
    found = formats.read(path)["probabilities"].to_pylist()
    assert found == [[round(share, 4) for share in row] for row in shares]
    kept = links.filter(formats.read(path), probability=0.5)
    assert 0 < kept.systems["kept"].item() < kept.systems["links"].item()


def test_giza_cannot_hold_posteriors(tmp_path):
    given = ("align", ENGLISH, FRENCH, *MODEL, "--posterior", "-o", tmp_path / "x.giza")
    assert "--posterior with the format giza" in run(*given, code=2).stderr
