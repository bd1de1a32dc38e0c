"""Links that would give wrong scores are refused on every road with the same reason."""

import re

import polars as pl
import pytest
from helpers import lake as lakes
from helpers.cli import run
from helpers.sql import connected

import alignframe as af
from alignframe.engines.session import asking
from alignframe.errors import InputError, QueryError

LINKS = [[{"i": 0, "j": 0}], [{"i": 1, "j": 1}], [{"i": 2, "j": 2}]]
HYP = pl.DataFrame({"sid": [0, 1, 2], "links": LINKS})
LONG = pl.DataFrame({"sid": [0, 1, 2], "i": [0, 1, 2], "j": [0, 1, 2]})
NULL = HYP.with_columns(links=pl.Series([LINKS[0], None, LINKS[2]]))
"""The links of a system, and gold, which are equal."""

NO_LINKS = r"null links.* of sentence 1; expected .*an empty list if .* where links is not null"


def labelled(*sure):
    return pl.Series([[{"i": k, "j": k, "sure": label}] for k, label in enumerate(sure)])


REFUSED = {
    "null links": (NULL, HYP, NO_LINKS),
    "null gold": (HYP, NULL, NO_LINKS),
    "null links of a sentence that gold lacks": (NULL, HYP.filter(pl.col("sid") != 1), NO_LINKS),
    "a row of a left join": (
        LONG.with_columns(pl.col("i", "j").replace(1, None)),
        HYP,
        "null i.* of sentence 1; expected i and j of every link.* where i is not null",
    ),
    "no target": (LONG.with_columns(pl.col("j").replace(1, None)), HYP, "null j.* of sentence 1"),
    "sids from 1": (
        HYP.with_columns(pl.col("sid") + 1),
        HYP,
        "has the sentences 1 to 3, gold 0 to 2; expected the same numbers; subtract 1 from",
    ),
    "gold from 1": (
        HYP,
        HYP.with_columns(pl.col("sid") + 1),
        "0 to 2, gold 1 to 3; .*add 1 to its sid",
    ),
    "other sids": (
        HYP.with_columns(pl.col("sid") * 10 + 5),
        HYP,
        "has none of the sentences of gold; expected the same sid in both",
    ),
    "fractional sids": (HYP.with_columns(pl.col("sid") + 0.4), HYP, "sid.* double.*whole number"),
    "fractional positions": (LONG.with_columns(pl.col("i") + 0.6), HYP, " double.*whole numbers"),
    "fractions in lists": (
        HYP,
        HYP.with_columns(links=pl.Series([[{"i": 0.6, "j": 0.0}]] * 3)),
        " double.*whole numbers",
    ),
    "text as positions": (LONG.cast({"j": pl.String}), HYP, "(string|varchar).*whole numbers"),
    "labels of 2": (HYP, LONG.with_columns(sure=pl.Series([1, 2, 0])), "sure:? 2.*true or false"),
    "labels of 2 in lists": (
        HYP,
        HYP.with_columns(links=labelled(1, 2, 0)),
        "sure:? 2.*true or false",
    ),
    "labels of text": (
        HYP,
        LONG.with_columns(sure=pl.Series(["yes", "no", "yes"])),
        "sure.* (string|varchar).*true or false",
    ),
    "labels beside the lists": (
        HYP,
        HYP.with_columns(sure=pl.Series([[True], [False], [True]])),
        r"sure.*(list|boolean\[\]).*each link",
    ),
    "labels of text beside the lists": (
        HYP,
        HYP.with_columns(sure=pl.Series(["S", "P", "S"])),
        "sure.* (string|varchar).*each link",
    ),
}

FINE = {
    "labels of 0 and 1": (HYP, LONG.with_columns(sure=pl.Series([1, 0, None]))),
    "labels of 0 and 1 in lists": (HYP, HYP.with_columns(links=labelled(1, None, 0))),
    "no labels": (LONG, HYP.with_columns(links=labelled(None, None, None))),
    "a column sure of the sentence": (HYP, HYP.with_columns(sure=pl.Series([True, False, None]))),
    "other columns of lists": (
        HYP.with_columns(links=pl.Series([[{"i": 0, "j": 0, "p": 0.5, "word": "a"}], [], []])),
        HYP,
    ),
    "a later start of fewer sentences": (HYP.slice(1), HYP),
    "more sentences": (pl.concat([HYP, HYP.with_columns(pl.col("sid") + 3)]), HYP),
}


def python(hyp, gold, _):
    return af.links.score(hyp, gold).scores.select("links", "precision", "recall", "aer").rows()


ASKED = "select links, precision, recall, aer from link_scores('hyp', 'gold')"


def sql(hyp, gold, _):
    with connected(hyp=hyp, gold=gold) as con, asking(ASKED):
        return con.execute(ASKED).fetchall()


def shell(hyp, gold, folder):
    hyp.write_parquet(folder / "hyp.parquet")
    gold.write_parquet(folder / "gold.parquet")
    words = ("links", "score", "--hyp", "hyp.parquet", "--gold", "gold.parquet")
    raise InputError(run(*words, folder=folder, code=2)[1])


def shell_sql(hyp, gold, folder):
    hyp.write_parquet(folder / "hyp.parquet")
    gold.write_parquet(folder / "gold.parquet")
    tables = [f"--table={name}={name}.parquet" for name in ("hyp", "gold")]
    raise InputError(run("sql", *tables, ASKED, folder=folder, code=2)[1])


def lake(hyp, gold, folder):
    """A unit with the fault fails by name, and the other is finished."""
    for system, links, other in (("bad", hyp, gold), ("good", HYP, HYP)):
        lakes.write(links.to_arrow(), folder / "hyp", domain=system)
        lakes.write(other.to_arrow(), folder / "gold", domain=system)
    done = af.lake.score(folder / "hyp", folder / "gold", folder / "out").units
    assert dict(done.select("unit", "status").rows())["domain=good"] == "done"
    raise InputError(done.filter(unit="domain=bad")["error"][0])


def said_of(error):
    return " ".join(str(error).partition("The query was:")[0].split())


@pytest.mark.parametrize("fault", REFUSED)
@pytest.mark.parametrize("road", [python, sql], ids=lambda road: road.__name__)
def test_refused(road, fault):
    hyp, gold, said = REFUSED[fault]
    with pytest.raises((InputError, QueryError)) as caught:
        road(hyp, gold, None)
    assert re.search(said, said_of(caught.value))


@pytest.mark.parametrize("fault", ["null links", "null gold", "sids from 1", "other sids"])
@pytest.mark.parametrize("road", [shell, shell_sql, lake], ids=lambda road: road.__name__)
def test_refused_from_files(road, fault, tmp_path):
    hyp, gold, said = REFUSED[fault]
    with pytest.raises(InputError) as caught:
        road(hyp, gold, tmp_path)
    assert re.search(said, said_of(caught.value))


@pytest.mark.filterwarnings("ignore::alignframe.errors.DataWarning")
@pytest.mark.parametrize("case", FINE)
def test_the_same_scores(case):
    hyp, gold = FINE[case]
    assert python(hyp, gold, None) == sql(hyp, gold, None)


@pytest.mark.parametrize(
    "call",
    [
        lambda: af.links.symmetrize(NULL, HYP, method="union"),
        lambda: af.links.score(pl.Series([[[0, 0]], None]), ["0-0", "0-0"]).scores,
        lambda: af.links.score({"sid": [0, 1], "links": ["0-0", None]}, ["0-0", "0-0"]).scores,
        lambda: af.phrases.extract(NULL),
        lambda: af.formats.write(NULL, "null.talp"),
    ],
)
def test_null_links_are_refused_by_every_function(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"sentence 1\b"):
        call()


MACROS = [
    "link_rows('null')",
    "long_links('null')",
    "link_counts('hyp', 'null')",
    "link_sizes('null', 'text')",
    "phrase_pairs('null', 'text')",
    "worst_sentences('null', 'hyp')",
    "system_agreement('null')",
    "link_differences('hyp', 'null')",
    "missing_links('null', 'hyp', 'text')",
    "confident_links('unlinked')",
    "link_calibration('aligned', 'null')",
    "sentence_confidence('unlinked', 'text')",
]


@pytest.fixture(scope="module")
def connection():
    text = pl.DataFrame({"sid": [0, 1, 2], "src": [["a"] * 3] * 3, "tgt": [["b"] * 3] * 3})
    named = HYP.with_columns(system=pl.lit("a"), probabilities=pl.Series([[0.5]] * 3))
    unlinked = named.with_columns(NULL["links"])
    tables = {"hyp": HYP, "null": NULL, "text": text, "aligned": named, "unlinked": unlinked}
    with connected(**tables) as con:
        yield con


@pytest.mark.parametrize("asked", MACROS)
def test_null_links_are_refused_by_every_macro(connection, asked):
    with pytest.raises(QueryError, match="null links of sentence 1; expected"), asking(asked):
        connection.execute(f"from {asked}").fetchall()


def test_one_domain_that_is_numbered_from_another_start_is_refused():
    gold = pl.concat([HYP.with_columns(domain=pl.lit(name)) for name in ("news", "web")])
    shifted = gold.with_columns(pl.col("sid") + (pl.col("domain") == "web").cast(int))
    asked = "from link_scores('hyp', 'gold', key := ['domain', 'sid'])"
    said = "sentences 1 to 3, gold 0 to 2 of web; expected the same numbers; subtract 1"
    with connected(hyp=gold, shifted=shifted, gold=gold) as con:
        assert con.execute(f"select aer {asked}").fetchall() == [(0,)]
        asked = asked.replace("hyp", "shifted")
        with pytest.raises(QueryError, match=said), asking(asked):
            con.execute(asked).fetchall()
