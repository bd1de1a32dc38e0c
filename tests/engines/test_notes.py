"""Notes of SQL on tables that are compared: what Python warns of, and what it refuses."""

import re
import unicodedata

import numpy as np
import polars as pl
import pytest

import alignframe as af
from alignframe import links, mt, tesla
from alignframe.errors import DataWarning

HOME = "datasets/en-fr"
SPANS = ["src_start", "src_end", "tgt_start", "tgt_end"]


@pytest.fixture(scope="module")
def con():
    with af.connect() as connection:
        yield connection


def noted(con, hyp, gold, options=""):
    """Return the notes, each as what, place, expected and todo."""
    con.register("h", hyp.to_arrow())
    con.register("g", gold.to_arrow())
    return con.sql(f"from alignframe_notes('h', 'g'{options})").fetchall()


def table(name):
    return af.scan_links(f"{HOME}/{name}.talp").collect().drop("system")


GOLD, HYP = table("gold"), table("eager")
FROM_1 = pl.col("links").list.eval(
    pl.struct(pl.element().struct.field("i") + 1, pl.element().struct.field("j") + 1)
)
BEADS = pl.DataFrame(
    {"doc": "007"}
    | {
        name: [times * k + end for k in range(30)]
        for name, times, end in zip(SPANS, (1, 1, 2, 2), (0, 1, 0, 1), strict=True)
    }
)
TEXT = pl.DataFrame({"sid": range(4), "text": ["café là", "été", "le chat noir", "déjà"]})
LEXICON = pl.DataFrame({"src": ["a", "b"], "tgt": ["été", "chat"], "rank": [1, 1]})


def decomposed(frame, name):
    return frame.with_columns(
        pl.Series(name, [unicodedata.normalize("NFD", text) for text in frame[name]])
    )


def ranked():
    """Return scores of segments, and rankings that agree with them."""
    scores = np.random.default_rng(0).normal(size=(3, 150))
    named = list(enumerate("xyz"))
    segments = [(s, i, float(scores[k, i])) for k, s in named for i in range(150)]
    ranks = [
        (i, i, s, int((scores[:, i] > scores[k, i]).sum()) + 1)
        for i in range(150)
        for k, s in named
    ]
    return (
        pl.DataFrame(segments, ["system", "sid", "score"], orient="row"),
        pl.DataFrame(ranks, ["ranking", "sid", "system", "rank"], orient="row"),
    )


SEGMENTS, RANKINGS = ranked()


def without(frame, name, value):
    return frame.with_columns(
        pl.when(pl.col("sid") == 3).then(value).otherwise(pl.col(name)).alias(name)
    )


@pytest.mark.parametrize(
    ("hyp", "gold"),
    [
        (HYP, GOLD),
        (HYP.explode("links").unnest("links"), GOLD),
        (BEADS, BEADS),
        (TEXT, TEXT),
        (LEXICON, LEXICON),
        (SEGMENTS, RANKINGS),
        (RANKINGS, SEGMENTS),
    ],
)
def test_nothing_wrong(con, hyp, gold):
    assert noted(con, hyp, gold) == []


def test_only_the_first_rows_are_compared(con):
    """Sentences and documents are compared as a whole, though only those of the first rows."""
    hyp, gold = (
        pl.concat([frame.with_columns(pl.col("sid") + 72 * k) for k in range(3)])
        for frame in (HYP, GOLD)
    )
    for mine, other in (
        (hyp, gold),
        (hyp[:100], gold),
        (hyp, gold.explode("links").unnest("links")),
    ):
        assert noted(con, mine, other, ", most := 40") == []
    beads = pl.concat([BEADS.with_columns(doc=pl.lit(str(k))) for k in range(3)])
    assert noted(con, beads, beads[::-1], ", most := 40") == []


WRONG = {
    "from 1": (HYP.with_columns(FROM_1), GOLD, "if the words of h count from 1", "subtract 1 from"),
    "exchanged": (GOLD, HYP, "were gold and system swapped?", ""),
    "missing": (HYP[2:], GOLD, "h has no row for 2 of 72 gold sentences", ""),
    "shifted": (
        HYP.with_columns(pl.col("sid") + 1),
        GOLD,
        "1,070 with other numbers",
        "subtract 1",
    ),
    "null links": (
        without(HYP, "links", None),
        GOLD,
        "null links.*of sentence 3",
        "where links is",
    ),
    "beads from 1": (BEADS.with_columns(pl.col(SPANS) + 1), BEADS, "are counted from 1", "base=1"),
    "beads swapped": (
        BEADS.rename(dict(zip(SPANS, [*SPANS[2:], *SPANS[:2]], strict=True))),
        BEADS,
        "are source and target exchanged",
        "",
    ),
    "no document": (
        BEADS.with_columns(doc=pl.lit("7")),
        BEADS,
        "no beads of 1 document .'007'",
        "",
    ),
    "texts": (decomposed(TEXT, "text"), TEXT, "different Unicode forms", ""),
    "lexicons": (decomposed(LEXICON, "tgt"), LEXICON, "words of h are not in", "nfc_normalize"),
    "lexicons of other words": (
        decomposed(LEXICON.rename({"src": "tgt", "tgt": "src"}), "src"),
        LEXICON.rename({"src": "tgt", "tgt": "src"}),
        "words of h are not in",
        "nfc_normalize",
    ),
    "ranks": (LEXICON.with_columns(rank=0), LEXICON, "'h' gives 'été'.*the rank 0", ""),
    "rankings shifted": (
        SEGMENTS.with_columns(pl.col("sid") + 1),
        RANKINGS,
        "1.0000 of the preferences if the sids of scores are lowered by 1",
        "",
    ),
    "NaN": (without(SEGMENTS, "score", float("nan")), RANKINGS, "missing scores: 3 of 450", ""),
    "null": (without(SEGMENTS, "score", None), RANKINGS, "missing scores: 3 of 450", ""),
    "ranks from 0": (SEGMENTS, RANKINGS.with_columns(pl.col("rank") - 1), "the rank 0", ""),
    "repeated": (pl.concat([HYP, HYP[:1]]), GOLD, "h gives sentence 0 more than once", ""),
    "kinds": (HYP, BEADS, "h is of links and g is of beads", ""),
    "unknown": (HYP.select("sid"), GOLD, "h has the columns sid and g is of links", ""),
    "empty": (HYP[:0], GOLD, "no rows", ""),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_looks_wrong(name, con):
    hyp, gold, what, todo = WRONG[name]
    notes = noted(con, hyp, gold)
    found = [note for note in notes if re.search(what, note[0])]
    assert found, notes
    assert todo in found[0][3]
    assert found[0][1] in ("h", "g", "h and g")


def test_keys(con):
    """A key of several columns is that of the macros."""
    hyp, gold = (
        frame.with_columns(domain=pl.col("sid") // 36, sid=pl.col("sid") % 36)
        for frame in (HYP, GOLD)
    )
    assert noted(con, hyp, gold, ", key := ['domain', 'sid']") == []
    turned = hyp.select("links", "domain", "sid")  # gold has sid first
    for mine in (turned, turned[::-1], turned.explode("links").unnest("links")):
        assert noted(con, mine, gold, ", key := ['domain', 'sid'], most := 9") == []
    ((what, place, _, todo),) = noted(con, hyp, gold)
    assert (what, place) == ("gold gives sentence 0 more than once", "g")
    assert todo.endswith("name them with `key`, such as ['domain', 'sid']")


def test_words_are_those_of_python(con):
    """A note is the warning that Python gives."""
    system = HYP.with_columns(FROM_1)
    with pytest.warns(DataWarning) as said:
        _ = links.score({"h": system}, GOLD).scores
    ((what, _, _, todo),) = noted(con, system, GOLD)
    assert str(said[0].message) == f"{what}; if so, {todo}"
    with pytest.warns(DataWarning) as said:
        mt.score({"h": decomposed(TEXT, "text")}, TEXT)
    assert noted(con, decomposed(TEXT, "text"), TEXT)[0][0] == str(said[0].message)
    with pytest.warns(DataWarning) as said:
        tesla.meta(RANKINGS, without(SEGMENTS, "score", None), bootstrap=0)
    notes = noted(con, without(SEGMENTS, "score", None), RANKINGS)
    assert [note[0] for note in notes] == [str(one.message) for one in said]


def test_files_and_missing_tables(con, tmp_path):
    HYP.write_parquet(tmp_path / "h.parquet")
    con.register("g", GOLD.to_arrow())
    assert con.sql(f"from alignframe_notes('{tmp_path}/h.parquet', 'g')").fetchall() == []
    with pytest.raises(Exception, match="no_such"):
        con.sql("from alignframe_notes('no_such', 'g')").fetchall()


@pytest.mark.parametrize("rows", ["[", "3", "[1]", "x"])
def test_rows_that_are_no_json(con, rows):
    with pytest.raises(Exception, match="expected JSON: a list of objects"):
        con.sql(f"select table_notes('{rows}', '[]', ['h', 'g'], [])").fetchall()
