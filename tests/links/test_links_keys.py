"""Sentences that several columns identify: scores, results and errors by their keys."""

import polars as pl
import pytest
from helpers.cli import json_of, run
from helpers.sql import connected

from alignframe import lake, links, phrases, scan_links
from alignframe.errors import DataWarning, InputError
from alignframe.sources.pairs import sentence_pairs

HOME = "datasets/en-fr"
KEY = ["domain", "sid"]
SYSTEMS = ("cautious", "eager")
WHOLE = {name: f"{HOME}/{name}.talp" for name in SYSTEMS}
GOLD = f"{HOME}/gold.talp"
MEASURED = ("precision", "recall", "aer")


def parted(frame):
    """Return sentences of two domains, each of which numbers them from 0."""
    name = pl.when(pl.col("sid") < 36).then(pl.lit("debates")).otherwise(pl.lit("letters"))
    return frame.with_columns(name.alias("domain"), pl.col("sid") % 36)


@pytest.fixture(scope="module")
def hyp():
    return {name: parted(scan_links(path).collect()) for name, path in WHOLE.items()}


@pytest.fixture(scope="module")
def gold():
    return parted(scan_links(GOLD).collect())


@pytest.fixture(scope="module")
def text():
    return parted(pl.DataFrame(sentence_pairs((f"{HOME}/text.en", f"{HOME}/text.fr")).table()))


@pytest.fixture(scope="module")
def found(hyp, gold):
    return links.score(hyp, gold, on=KEY)


def test_scores_are_those_of_one_numbering(found):
    """Counts, scores, tests and the worst sentences equal those of sentences numbered once."""
    whole = links.score(WHOLE, GOLD)
    assert found.scores.equals(whole.scores)
    assert found.compare("eager").equals(whole.compare("eager"))
    for mine, other in ((found.counts, whole.counts), (found.worst(5), whole.worst(5))):
        assert mine.columns[:3] == ["system", *KEY]
        assert mine.equals(parted(other).select(mine.columns))


def test_groups(found, hyp, gold):
    """A column of the key groups sentences, all of them are single sentences."""
    by_domain = links.score(hyp, gold, on=KEY, by="domain").scores
    assert by_domain["sentences"].to_list() == [36] * 4
    single = links.score(hyp, gold, on=KEY, by=KEY).scores
    assert single.columns[:3] == ["system", *KEY]
    assert single.select(*KEY, "aer").equals(
        links.score(hyp, gold, on=KEY, by="sid").scores.select(*KEY, "aer")
    )
    assert single["links"].to_list() == found.counts["n_hyp"].to_list()


def test_as_in_sql_and_lakes(hyp, gold, tmp_path):
    """The figures are those of `key :=` in SQL and of a job over folders by domain."""
    every = pl.concat(
        [frame.with_columns(system=pl.lit(name)) for name, frame in hyp.items()], how="diagonal"
    )
    every.write_parquet(pl.PartitionBy(tmp_path / "hyp", key=["system", "domain"]))
    gold.write_parquet(pl.PartitionBy(tmp_path / "gold", key=["domain"]))
    places = [str(tmp_path / name) for name in ("hyp", "gold")]
    mine = links.score(*places, on=KEY, by="domain")
    with connected() as con:
        con.register("h", every.to_arrow())
        con.register("g", gold.to_arrow())
        sql = con.sql("from link_scores('h', 'g', key := ['domain', 'sid'], by := 'domain')").pl()
    names = ["system", "domain", *MEASURED]
    assert mine.scores.select(names).equals(sql.select(names).sort("system", "domain"))
    lake.score(*places, str(tmp_path / "counts"), on=["domain"])
    counted = lake.scores(str(tmp_path / "counts"), by=["domain"]).sort("system", "domain")
    assert mine.scores.select(names).equals(counted.select(names))


@pytest.mark.parametrize("way", ["long", "lazy", "parquet", "line", "shuffled"])
def test_sources(way, found, hyp, gold, tmp_path):
    """Every kind of table of links may have keys, also without a column sid."""

    def made(frame, name):
        if way == "long":
            rows = frame.explode("links").unnest("links")
            return rows.sample(fraction=1, shuffle=True, seed=1)
        if way == "parquet":
            frame.write_parquet(tmp_path / f"{name}.parquet", row_group_size=10)
            return tmp_path / f"{name}.parquet"
        if way == "shuffled":
            return frame.sample(fraction=1, shuffle=True, seed=2)
        return frame.lazy() if way == "lazy" else frame.rename({"sid": "line"})

    given = {name: made(frame, name) for name, frame in hyp.items()}
    on = ["domain", "line"] if way == "line" else KEY
    mine = links.score(given, made(gold, "gold"), on=on)
    assert mine.scores.equals(found.scores)
    assert mine.counts.rows() == found.counts.rows()


def test_texts(hyp, gold, text):
    """A text is joined by the key, too: lengths, words of the worst, and phrases."""
    whole = sentence_pairs((f"{HOME}/text.en", f"{HOME}/text.fr")).table()
    mine, other = (
        links.score(h, g, bitext=t, **on)
        for h, g, t, on in ((hyp, gold, text.reverse(), {"on": KEY}), (WHOLE, GOLD, whole, {}))
    )
    assert mine.worst(2)["missing"].equals(other.worst(2)["missing"])
    pages = mine.page().sentences
    assert {row["unit"] for row in pages.rows} == {
        f"domain={domain}/sid={sid}" for domain in ("debates", "letters") for sid in range(36)
    }
    mine, other = (
        phrases.score(h, g, t, dictionaries=["align-dic1", "text-dic2"], **on)
        for h, g, t, on in ((hyp, gold, text, {"on": KEY}), (WHOLE, GOLD, whole, {}))
    )
    assert mine.scores.equals(other.scores)
    assert mine.counts.equals(parted(other.counts).select(mine.counts.columns))
    assert mine.worst(1).select(KEY).rows() == parted(other.worst(1)).select(KEY).rows()
    single = phrases.score(hyp, gold, text, on=KEY, by=KEY).scores
    assert single.columns[:3] == ["system", *KEY]


def test_numbers_match_texts(found, hyp, gold):
    """A key may be a number on one side and a text on the other, as that of a folder is."""
    code = pl.col("domain").replace_strict({"debates": 1, "letters": 2})
    given = {name: frame.with_columns(code.cast(pl.String)) for name, frame in hyp.items()}
    mine = links.score(given, gold.with_columns(code), on=KEY)
    assert mine.scores.equals(found.scores)


def first(frame, **columns):
    """Return a frame with other values in its first row."""
    one = pl.int_range(pl.len()) == 0
    return frame.with_columns(
        pl.when(one).then(value).otherwise(pl.col(name)).alias(name)
        for name, value in columns.items()
    )


BAD = {
    "gold lacks it": (
        lambda h, g: (h, g.drop("domain")),
        "gold has the columns system, sid, links",
    ),
    "system lacks it": (
        lambda h, g: (h.drop("domain"), g),
        "system a has.*expected the column dom",
    ),
    "twice": (lambda h, g: (pl.concat([h, h[3:4]]), g), "gives sentence domain=debates/sid=3 more"),
    "gold twice": (lambda h, g: (h, pl.concat([g, g[40:41]])), "gold gives.*letters/sid=4 more"),
    "null": (lambda h, g: (h, first(g, domain=None)), "gold: null domain in 1 row"),
    "null sid": (lambda h, g: (first(h, sid=None), g), "null sid in 1 row"),
    "none in common": (
        lambda h, g: (h, g.with_columns(pl.col("domain").str.to_uppercase())),
        "no key of the system a, such as domain=debates/sid=0, is.* gold, such as domain=DEBATES",
    ),
    "numbers": (lambda h, g: (h, g.with_columns(domain=1.5)), "a key domain of type double"),
    "too large": (
        lambda h, g: (h, g.with_columns(pl.col("sid").cast(pl.UInt64) + 2**63)),
        "gold: the sid '9223372036854775808'; expected whole numbers without .* below 2",
    ),
    "null links": (
        lambda h, g: (first(h, links=None), g),
        "first of sentence domain=debates/sid=0",
    ),
    "from 1": (
        lambda h, g: (h.with_columns(pl.col("sid") + 1), g),
        "sentences domain=debates/sid=1 to domain=letters/sid=36.*subtract 1 from its sid",
    ),
    "subset": (lambda h, g: (h, links.subset(g.head(10))), "`on` with a subset"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_keys(name, hyp, gold):
    """Errors name the side and the key's values."""
    change, said = BAD[name]
    system, golden = change(hyp["eager"], gold)
    with pytest.raises(InputError, match=said):
        _ = links.score({"a": system}, golden, on=KEY).scores


def test_bad_texts(hyp, gold, text):
    """A text lacks a column or a sentence, or has other words."""
    for given, said in (
        (text.drop("domain"), "the text has the columns"),
        (text.head(40), "no sentence domain=letters/sid=4, which gold has"),
        (
            text.with_columns(src=pl.col("src").list.head(1)),
            "sentence domain=debates/sid=0 of gold",
        ),
    ):
        with pytest.raises(InputError, match=said):
            _ = links.score(hyp, gold, on=KEY, bitext=given).scores


def test_a_key_is_offered(hyp, gold):
    """Without it, repeated numbers name the option."""
    with pytest.raises(InputError, match="name them with `on`"):
        _ = links.score(hyp, gold).scores


def test_some_missing(hyp, gold):
    """Sentences on one side only are counted as by sid."""
    other = hyp["eager"][:1].with_columns(pl.col("sid") + 99)
    with pytest.warns(DataWarning) as said:
        _ = links.score({"a": pl.concat([hyp["eager"][1:], other])}, gold, on=KEY).scores
    texts = "; ".join(str(one.message) for one in said)
    assert "no row for 1 of 72 gold" in texts
    assert "1 sentence that gold does not have" in texts


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_text_tables(suffix, found, hyp, gold, tmp_path):
    """Tables in text files have their other columns, in Python and in the shell."""
    for name, frame in {**hyp, "gold": gold}.items():
        rows = frame.explode("links").unnest("links").unique(["domain", "sid", "i", "j"])
        rows = rows.drop("system").sort(*KEY, "i", "j")
        write = rows.write_csv if suffix == "csv" else rows.write_ndjson
        write(tmp_path / f"{name}.{suffix}")
    paths = {name: tmp_path / f"{name}.{suffix}" for name in (*SYSTEMS, "gold")}
    golden = paths.pop("gold")
    mine = links.score(paths, golden, on=KEY).scores
    assert mine.drop("signature").equals(found.scores.drop("signature"))
    named = [word for name in SYSTEMS for word in ("--hyp", f"{name}={paths[name]}")]
    printed, _ = run(
        "links", "score", *named, "--gold", str(golden), "--on", "domain,sid", "--json"
    )
    assert [row["aer"] for row in json_of(printed)] == pytest.approx(mine["aer"].to_list())
    with pytest.raises(InputError, match=r"has the columns .*; expected the column domain"):
        links.score(WHOLE, GOLD, on=KEY)
