"""Translations whose sentences several columns identify."""

import polars as pl
import pytest

from alignframe import mt, tesla
from alignframe.errors import InputError

KEY = ["domain", "sid"]
REF = ["the cat sat down", "a dog barks", "she reads a book", "we go home"]
SYSTEMS = {
    "a": ["the cat sat", "a dog barks", "she reads books", "we go to home"],
    "b": ["cat sat down", "the dog barked", "she reads a book", "home we go"],
}
PLACES = {"domain": ["x", "x", "y", "y"], "sid": [0, 1, 0, 1]}


def table(texts, **columns):
    return pl.DataFrame({**PLACES, "text": texts, **columns})


HYP = {name: table(texts)[::-1] for name, texts in SYSTEMS.items()}
TOLD = tesla.Analysis.of(tagger="none")
SCORED = {
    "mt": lambda hyp, ref, **how: mt.score(hyp, ref, tokenize="none", **how),
    "tesla": lambda hyp, ref, **how: tesla.score(
        hyp, ref, analysis=TOLD, **{"bootstrap": 50, **how}
    ),
}


@pytest.mark.parametrize("name", SCORED)
def test_scores_are_those_of_one_numbering(name):
    """Scores, counts and segments equal those of lists; the key's columns are back."""
    score = SCORED[name]
    mine, other = score(HYP, table(REF), on=KEY), score(SYSTEMS, REF)
    assert mine.scores.equals(other.scores)
    assert mine.compare("a").equals(other.compare("a"))
    turned = score(HYP, table(REF).reverse(), on=KEY)
    assert turned.compare("a").equals(other.compare("a"))
    for part in ("counts", "segments"):
        own, whole = getattr(mine, part), getattr(other, part)
        assert own.columns[:3] == ["system", *KEY]
        assert own.drop(KEY).equals(whole.drop("sid"))
        assert own.select(KEY).rows() == pl.DataFrame(PLACES).rows() * 2
    assert mine.worst(1).select(KEY).rows() == [
        tuple(values[sid] for values in PLACES.values()) for sid in other.worst(1)["sid"]
    ]
    by_domain = score(HYP, table(REF), on=KEY, by="domain").scores
    halves = [
        score({n: texts[part] for n, texts in SYSTEMS.items()}, REF[part]).scores
        for part in (slice(2), slice(2, 4))
    ]
    figure = "bleu" if name == "mt" else "score"
    assert set(by_domain[figure]) == {value for half in halves for value in half[figure]}
    single = score(HYP, table(REF), on=KEY, by=KEY, bootstrap=0)
    assert set(KEY) <= set(single.scores.columns)
    assert {row["unit"] for row in mine.page().sentences.rows} == {
        f"domain={domain}/sid={sid}" for domain in "xy" for sid in (0, 1)
    }


def test_separated_cells(tmp_path):
    """Whole numbers of a text file are those of a frame; 007 is not 7."""
    table(REF).write_csv(tmp_path / "ref.csv")
    mine = mt.score(HYP, tmp_path / "ref.csv", on=KEY, tokenize="none")
    assert mine.counts.schema["sid"] == pl.Int64
    odd = table(SYSTEMS["a"]).with_columns(sid=pl.Series(["0", "01", "0", "1"]))
    with pytest.raises(InputError, match="the sid '01'; expected whole numbers without"):
        mt.score(odd, table(REF), on=KEY)


BAD = {
    "no columns": (SYSTEMS["a"], {}, r"sentences without columns; expected a table with domain"),
    "lacks it": (
        table(REF).drop("domain"),
        {},
        "the columns sid, text; expected the column domain",
    ),
    "twice": (table([*REF[:3], "x"]).with_columns(sid=0), {}, "sentence domain=x/sid=0 more than"),
    "null": (table(REF).with_columns(domain=None), {}, "null domain in 4 rows"),
    "lacking": (table(REF)[:3], {}, "it lacks|has 3 sentences, the reference 4"),
    "others": (table(REF).with_columns(pl.col("sid") + 7), {}, "no key of .*sid=7, is a key of"),
    "fractions": (table(REF).with_columns(pl.col("sid") + 0.5), {}, "the sid of type double"),
    "dates": (table(REF).with_columns(pl.col("sid").cast(pl.Date)), {}, "the sid of type date32"),
    "subset": (table(REF), {"sids": [0]}, "`on` with `sids`"),
    "condition": (table(REF), {"where": "sid < 1"}, "`on` with `where`"),
}


@pytest.mark.parametrize("area", SCORED)
@pytest.mark.parametrize("name", BAD)
def test_bad_texts(name, area):
    """Errors name the key and its values."""
    hyp, how, said = BAD[name]
    with pytest.raises(InputError, match=said):
        SCORED[area](hyp, table(REF), on=KEY, **how)
