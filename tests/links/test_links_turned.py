"""Links read amiss: sides swapped, words or sentences counted from elsewhere, other ids."""

import re
import warnings

import polars as pl
import pytest
from helpers.cli import json_of, run
from helpers.sql import connected

from alignframe import links, mt, tesla
from alignframe.engines.tables import make_views
from alignframe.errors import DataWarning, InputError
from alignframe.formats import read, write


@pytest.fixture
def turned(bundled, tmp_path):
    """Return a system's links with the target word first."""
    table = read(bundled / "forward.talp", order="tgt-src")
    path = tmp_path / "turned.talp"
    links_of = table["links"].to_pylist()
    path.write_text("".join(" ".join(f"{k['i']}-{k['j']}" for k in row) + "\n" for row in links_of))
    return path


def test_a_swapped_hypothesis_is_named_in_a_warning(bundled, turned):
    with pytest.warns(
        DataWarning, match=r"rev and gold .*read rev with `order='tgt-src'`$"
    ) as caught:
        links.score({"rev": turned, "fwd": bundled / "forward.talp"}, bundled / "gold.talp").scores
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
    with pytest.warns(DataWarning, match="links of turned .*the other `order`$") as caught:
        mt.train(turned, text)
    as_given, other = (int(share) for share in re.findall(r"(\d+)%", str(caught[-1].message)))
    assert 4 * as_given < other
    with pytest.warns(DataWarning, match="links of turned .*the other `order`$"):
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
        links.score(tmp_path / "both.parquet", bundled / "gold.talp").scores


def shifted(frame, by):
    """Return links with other numbers of sentences, without the first one, so that sizes differ."""
    return frame.filter(pl.col("sid") > 0).with_columns(pl.col("sid") + by)


def from_one(frame):
    end = pl.element().struct
    moved = pl.struct(*(end.field(side) + 1 for side in ("i", "j")), end.field("sure"))
    return frame.with_columns(pl.col("links").list.eval(moved))


AMISS = {
    "sentences from 1": (lambda frame: shifted(frame, 1), "subtract 1 from the sid of x"),
    "sentences from -7": (lambda frame: shifted(frame, -7), "add 7 to the sid of x"),
    "sentences from 301": (
        lambda frame: frame.with_columns(sid=pl.col("sid") + (pl.col("sid") > 300)),
        "in the sentences [34].* subtract 1 from the sid of x",
    ),
    "words from 1": (from_one, "if the words of x count from 1.* subtract 1 from its i and j"),
}


@pytest.mark.parametrize("road", ["python", "tables", "files"])
@pytest.mark.parametrize("name", AMISS)
def test_tables_counted_from_elsewhere_are_told(bundled, name, road, tmp_path):
    change, said = AMISS[name]
    hyp, gold = (pl.DataFrame(read(bundled / f"{one}.talp")) for one in ("eager", "gold"))
    if name == "sentences from 301":
        hyp, gold = (
            pl.concat(one.with_columns(pl.col("sid") + 72 * k) for k in range(9))
            for one in (hyp, gold)
        )
    made = change(hyp.drop("system"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if road == "python":
            links.score({"x": made}, gold).scores
        else:
            tables, query = {"x": made}, ""
            if road == "tables":
                tables["gold"] = gold.drop("system")
            else:
                gold.write_parquet(tmp_path / "gold.parquet")
                query = f"from link_scores('x', '{tmp_path / 'gold.parquet'}')"
            with connected() as con:
                make_views(con, tables, query)
    assert re.search(said, "\n".join(str(one.message) for one in caught))


def test_words_of_gold_that_count_from_1_are_told(bundled):
    gold = from_one(pl.DataFrame(read(bundled / "gold.talp")))
    with pytest.warns(DataWarning, match="if the words of gold count from 1.*`base=1`$"):
        links.score(bundled / "eager.talp", gold).scores


def test_gold_given_as_the_system_is_told(bundled):
    with pytest.warns(DataWarning, match=r"gold.talp has Possible links, and gold has none; were"):
        links.score(bundled / "gold.talp", bundled / "eager.talp").scores


def test_ids_that_are_words_join_sentences(bundled, tmp_path):
    paths = {}
    for name, step in (("eager", -1), ("gold", 1)):
        lines = (bundled / f"{name}.talp").read_text().splitlines()
        rows = [f"s{k}\t{line}\n" for k, line in enumerate(lines)]
        paths[name] = tmp_path / f"{name}.ids"
        paths[name].write_text("".join(rows[::step]))
    wanted = links.score({"x": bundled / "eager.talp"}, bundled / "gold.talp").scores
    assert links.score({"x": paths["eager"]}, paths["gold"]).scores.equals(wanted)
    write(read(paths["eager"]), tmp_path / "eager.parquet")
    assert links.score({"x": tmp_path / "eager.parquet"}, paths["gold"]).scores.equals(wanted)
    write(read(paths["eager"]), tmp_path / "again.numbered")
    assert (tmp_path / "again.numbered").read_text().startswith("s71\t")
    union = links.symmetrize(paths["eager"], paths["gold"], "intersection")
    assert union["links"].list.len().sum() > 1000
    with pytest.warns(
        DataWarning, match=r"sentences of eager\.ids|eager\.ids are taken in the order"
    ):
        links.score(paths["eager"], bundled / "gold.talp").scores
    (tmp_path / "other.ids").write_text("a\t0-0\n")
    with pytest.raises(InputError, match=r"no id of .*other\.ids, such as 'a', is an id of .*'s0'"):
        links.score(tmp_path / "other.ids", paths["gold"]).scores


def test_files_of_a_folder_or_a_glob_are_systems(bundled, tmp_path):
    for name in ("eager", "cautious"):
        (tmp_path / f"{name}.talp").write_bytes((bundled / f"{name}.talp").read_bytes())
    args = ["links", "score", "--json", "--gold", bundled / "gold.talp", "--hyp"]
    for given, names in (
        (tmp_path, ["cautious", "eager"]),
        (tmp_path / "*.talp", ["cautious", "eager"]),
        (f"x={tmp_path}", ["x/cautious", "x/eager"]),
    ):
        rows = json_of(run(*args, given)[0])
        assert [row["system"] for row in rows] == names
    assert sorted(links.score(tmp_path, bundled / "gold.talp").scores["system"]) == [
        "cautious",
        "eager",
    ]


def test_an_option_of_one_value_is_given_once(bundled):
    gold = bundled / "gold.talp"
    args = ["links", "score", "--hyp", gold, "--gold", gold, f"--gold={gold}"]
    assert "--gold is given 2 times; it takes one value" in run(*args, code=2)[1]


def test_converting_keeps_probabilities_where_the_format_has_them(tmp_path):
    frame = pl.DataFrame({"sid": [0], "links": [[{"i": 1, "j": 0}, {"i": 0, "j": 1}]]})
    frame = frame.with_columns(probabilities=pl.Series([[0.25, 0.5]]))
    frame.write_parquet(tmp_path / "s.parquet")
    run("convert", "s.parquet", "s.naacl", folder=tmp_path)
    assert (tmp_path / "s.naacl").read_text() == "1 1 2 S 0.5\n1 2 1 S 0.25\n"
    run("convert", "s.parquet", "t.naacl", "--set", "order=tgt-src", folder=tmp_path)
    assert (tmp_path / "t.naacl").read_text() == "1 1 2 S 0.25\n1 2 1 S 0.5\n"
    for flags, wanted in (([], "0-1:0.5 1-0:0.25\n"), (["--plain"], "0-1 1-0\n")):
        _, said = run("convert", "s.parquet", "s.talp", *flags, folder=tmp_path)
        assert (tmp_path / "s.talp").read_text() == wanted
        assert said == "1 sentence, 2 links written to s.talp as pharaoh\n"
    (tmp_path / "text").write_text("a b\n")
    sides = ("--src", "text", "--tgt", "text")
    _, said = run("convert", "s.parquet", "s.giza", *sides, folder=tmp_path)
    assert "the probabilities of 2 links are left out, which giza cannot hold" in said
    run("convert", "s.parquet", "s.moses", *sides, folder=tmp_path)
    assert (tmp_path / "s.moses").read_text() == "a b ||| a b ||| 0-1:0.5 1-0:0.25\n"


def test_the_order_of_one_hypothesis(bundled, turned):
    args = ["links", "score", "--json", "--gold", bundled / "gold.talp"]
    fwd, rev = f"fwd={bundled / 'forward.talp'}", f"rev={turned}"
    out, said = run(*args, "--hyp", fwd, "--hyp", rev, "--set", "hyp-order=rev=tgt-src")
    assert said == ""
    rows = pl.DataFrame(json_of(out))
    assert rows["aer"].n_unique() == 1
    again, _ = run(*args, "--hyp", rev, "--set", "hyp-order=tgt-src")
    assert pl.DataFrame(json_of(again))["aer"][0] == rows["aer"][0]


def test_the_hint_names_the_other_order(bundled):
    hyp = read(bundled / "forward.talp", order="tgt-src", system="fwd")
    with pytest.warns(DataWarning, match=r"read fwd with `order='src-tgt'` \(the"):
        links.score(hyp, bundled / "gold.talp").scores


def test_the_command_leaves_out_improbable_links_of_parquet(bundled, tmp_path):
    gold = pl.DataFrame(read(bundled / "gold.talp"))
    half = pl.col("links").list.eval((pl.element().struct["i"] % 2).cast(pl.Float32))
    gold.with_columns(probabilities=half).write_parquet(tmp_path / "x.parquet")
    args = ["--gold", bundled / "gold.talp", "--hyp", f"x={tmp_path / 'x.parquet'}"]
    out, _ = run(
        "links", "score", "--json", "--set", "strict=yes", *args, "--set", "min-probability=0.5"
    )
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
    options = ["--set", "hyp-base=one=1", "--set", "hyp-base=0", "--set", "hyp-format=two=naacl"]
    out, said = run(*args, *options)
    assert pl.DataFrame(json_of(out))["aer"].n_unique() == 1
    assert said == ""


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--set", "hyp-order=other=tgt-src"], "expected x"),
        (["--set", "hyp-order=tgt-src", "--set", "hyp-order=src-tgt"], "given before"),
        (["--set", "hyp-base=x=one"], "'one' in --hyp-base"),
        (["--set", "hyp-order=x=src"], "--hyp-order is 'src'; expected src-tgt"),
        (["--set", "hyp-format=x=talp"], "unknown format 'talp'"),
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
    out, said = run(*args, "--hyp", tmp_path / "rev.parquet", "--set", "hyp-order=tgt-src")
    wanted, _ = run(*args, "--hyp", bundled / "forward.talp")
    assert pl.DataFrame(json_of(out))["aer"][0] == pl.DataFrame(json_of(wanted))["aer"][0]
    assert said == ""
    _, said = run(*args, "--hyp", tmp_path / "rev.parquet", "--set", "hyp-base=1", code=2)
    assert "-base for the format parquet; expected positions from 0" in said


def test_an_unknown_format_is_named_with_the_command_s_own_option(bundled, tmp_path):
    (tmp_path / "odd").write_text("a b c d\n")
    gold = bundled / "gold.talp"
    for words, option in (
        (["links", "score", "--gold", gold, "--hyp", tmp_path / "odd"], "(--hyp-format)"),
        (["links", "score", "--hyp", gold, "--gold", tmp_path / "odd"], "(--gold-format)"),
        (["convert", tmp_path / "odd", "-"], "(--from), or give both sides of a text: SRC TGT OUT"),
    ):
        _, said = run(*words, code=2)
        assert option in said


@pytest.mark.parametrize("pair", ["enfr", "roen"])
@pytest.mark.parametrize("program", ["giza", "fastalign"])
def test_published_reverse_files(corpora, pair, program):
    home = corpora / "hansards-outputs" / "lilt" / program
    gold = read(corpora / "gold-roen-jaen-zhen" / f"{pair}.gold", base=1)
    with pytest.warns(DataWarning, match="rev and gold"):
        links.score({"rev": home / f"test.{pair}.reverse.talp"}, gold).scores
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        links.score({"fwd": home / f"test.{pair}.talp"}, gold).scores
