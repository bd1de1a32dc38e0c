"""Hypotheses whose links name the target word first."""

import re
import warnings

import polars as pl
import pytest
from helpers_cli import json_of, run

from alignframe import links, mt, tesla
from alignframe.errors import DataWarning
from alignframe.formats import read


@pytest.fixture
def turned(bundled, tmp_path):
    """Return a system's links with the target word first."""
    table = read(bundled / "forward.talp", order="tgt-src")
    path = tmp_path / "turned.talp"
    links_of = table["links"].to_pylist()
    path.write_text("".join(" ".join(f"{k['i']}-{k['j']}" for k in row) + "\n" for row in links_of))
    return path


def test_a_swapped_hypothesis_is_named_in_a_warning(bundled, turned):
    with pytest.warns(DataWarning, match=r"rev and gold .*--hyp-order rev=tgt-src") as caught:
        links.scores({"rev": turned, "fwd": bundled / "forward.talp"}, bundled / "gold.talp")
    assert len(caught) == 1


def fits(link, sides):
    return all(int(end) < len(words) for end, words in zip(link.split("-"), sides, strict=True))


def test_words_show_the_order_without_other_links(bundled, turned):
    """Phrase tables have no other links: a word has the same partners again and again."""
    text = bundled / "text.en", bundled / "text.fr"
    sides = [turned.read_text().splitlines(), *(path.read_text().splitlines() for path in text)]
    inside = [
        " ".join(one for one in line.split() if fits(one, (src.split(), tgt.split())))
        for line, src, tgt in zip(*sides, strict=True)
    ]
    turned.write_text("".join(f"{line}\n" for line in inside))
    with pytest.warns(DataWarning, match=r"links of turned .*--order") as caught:
        mt.train(turned, text)
    as_given, other = (int(share) for share in re.findall(r"(\d+)%", str(caught[-1].message)))
    assert 4 * as_given < other
    with pytest.warns(DataWarning, match="links of turned .*--order"):
        tesla.build_pivot_table(text, turned)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("forward", "eager", "gold"):
            mt.train(bundled / f"{name}.talp", text)


@pytest.mark.parametrize("long", [False, True])
def test_swapped_parquet_causes_a_warning(bundled, turned, tmp_path, long):
    frame = pl.concat(
        pl.from_arrow(read(path, system=name)).with_columns(pl.col("system").cast(pl.String))
        for name, path in (("rev", turned), ("fwd", bundled / "forward.talp"))
    )
    frame = frame.explode("links").unnest("links") if long else frame
    frame.write_parquet(tmp_path / "both.parquet")
    with pytest.warns(DataWarning, match="rev and gold"):
        links.scores(tmp_path / "both.parquet", bundled / "gold.talp")


def test_the_order_of_one_hypothesis(bundled, turned):
    args = ["links", "score", "--json", "--gold", bundled / "gold.talp"]
    fwd, rev = f"fwd={bundled / 'forward.talp'}", f"rev={turned}"
    out, said = run(*args, "--hyp", fwd, "--hyp", rev, "--hyp-order", "rev=tgt-src")
    assert said == ""
    rows = pl.DataFrame(json_of(out))
    assert rows["aer"].n_unique() == 1
    again, _ = run(*args, "--hyp", rev, "--hyp-order", "tgt-src")
    assert pl.DataFrame(json_of(again))["aer"][0] == rows["aer"][0]


def test_the_hint_names_the_other_order(bundled):
    hyp = read(bundled / "forward.talp", order="tgt-src", system="fwd")
    with pytest.warns(DataWarning, match="--hyp-order fwd=src-tgt"):
        links.scores(hyp, bundled / "gold.talp")


def test_the_command_leaves_out_improbable_links_of_parquet(bundled, tmp_path):
    gold = pl.DataFrame(read(bundled / "gold.talp"))
    half = pl.col("links").list.eval((pl.element().struct["i"] % 2).cast(pl.Float32))
    gold.with_columns(probabilities=half).write_parquet(tmp_path / "x.parquet")
    args = ["--gold", bundled / "gold.talp", "--hyp", f"x={tmp_path / 'x.parquet'}"]
    out, _ = run("links", "score", "--json", "--strict", *args, "--min-probability", "0.5")
    odd = gold["links"].list.eval(pl.element().struct["i"] % 2).list.sum().sum()
    assert pl.DataFrame(json_of(out)).row(0, named=True) | {"system": "x", "links": odd} == (
        pl.DataFrame(json_of(out)).row(0, named=True)
    )


def test_base_and_format_of_one_hypothesis(bundled, tmp_path):
    table = read(bundled / "forward.talp")
    from alignframe.formats import write

    write(table, tmp_path / "one.talp", base=1)
    write(table, tmp_path / "two.naacl")
    args = ["links", "score", "--json", "--gold", bundled / "gold.talp"]
    for name in ("one.talp", "two.naacl", bundled / "forward.talp"):
        args += ["--hyp", tmp_path / name]
    options = ["--hyp-base", "one=1", "--hyp-base", "0", "--hyp-format", "two=naacl"]
    out, said = run(*args, *options)
    assert pl.DataFrame(json_of(out))["aer"].n_unique() == 1
    assert said == ""


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--hyp-order", "other=tgt-src"], "expected x"),
        (["--hyp-order", "tgt-src", "--hyp-order", "src-tgt"], "given before"),
        (["--hyp-base", "x=one"], "'one' in --hyp-base"),
        (["--hyp-order", "x=src"], "the order 'src'"),
        (["--hyp-format", "x=talp"], "unknown format 'talp'"),
    ],
)
def test_bad_options_of_one_hypothesis(bundled, options, found):
    _, said = run(
        "links",
        "score",
        "--gold",
        bundled / "gold.talp",
        "--hyp",
        f"x={bundled / 'eager.talp'}",
        *options,
        code=2,
    )
    assert found in said


def test_the_order_of_parquet_is_used(bundled, turned, tmp_path):
    pl.from_arrow(read(turned)).write_parquet(tmp_path / "rev.parquet")
    args = ["links", "score", "--json", "--gold", bundled / "gold.talp"]
    out, said = run(*args, "--hyp", tmp_path / "rev.parquet", "--hyp-order", "tgt-src")
    wanted, _ = run(*args, "--hyp", bundled / "forward.talp")
    assert pl.DataFrame(json_of(out))["aer"][0] == pl.DataFrame(json_of(wanted))["aer"][0]
    assert said == ""
    _, said = run(*args, "--hyp", tmp_path / "rev.parquet", "--hyp-base", "1", code=2)
    assert "base given for Parquet" in said


def test_an_unknown_format_is_named_with_the_command_s_own_option(bundled, tmp_path):
    (tmp_path / "odd").write_text("a b c d\n")
    gold = bundled / "gold.talp"
    for words, option in (
        (["links", "score", "--gold", gold, "--hyp", tmp_path / "odd"], "--hyp-format"),
        (["links", "score", "--hyp", gold, "--gold", tmp_path / "odd"], "--gold-format"),
        (["convert", tmp_path / "odd", "-"], "--from"),
    ):
        _, said = run(*words, code=2)
        assert f"with {option}" in said.replace("\n", " ")


@pytest.mark.parametrize("pair", ["enfr", "roen"])
@pytest.mark.parametrize("program", ["giza", "fastalign"])
def test_published_reverse_files(corpora, pair, program):
    home = corpora / "hansards-outputs" / "lilt" / program
    gold = read(corpora / "gold-roen-jaen-zhen" / f"{pair}.gold", base=1)
    with pytest.warns(DataWarning, match="rev and gold"):
        links.scores({"rev": home / f"test.{pair}.reverse.talp"}, gold)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        links.scores({"fwd": home / f"test.{pair}.talp"}, gold)
