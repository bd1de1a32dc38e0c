"""TESLA through Arrow, DuckDB and polars."""

import polars as pl
import pyarrow as pa
import pytest
from helpers.sql import check_engines, connected
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import tesla_bags as slow

from alignframe.engines import polars as expressions
from alignframe.errors import InputError
from alignframe.functions import analyse_text, ngram_match, tesla_counts, tesla_m
from alignframe.language import analyse

sides = st.none() | slow.sentences(5)
rows_of = st.lists(
    st.tuples(sides, sides, st.integers(1, 4), st.sampled_from(["ms", "pos", "lem"])),
    min_size=1,
    max_size=4,
)


@settings(max_examples=6)
@given(rows_of, st.sampled_from([0.0, 0.5, 0.8]))
def test_functions_equal_the_reference(rows, alpha):
    hyps, refs, orders, kinds = zip(*rows, strict=True)
    hyp, ref = slow.column(hyps), slow.column(refs)
    matches = ngram_match(hyp, ref, pa.array(orders), pa.array(kinds), "none").to_pylist()
    scores = tesla_m(hyp, ref, "none", alpha).to_pylist()
    counts = tesla_counts(hyp, ref, "none").to_pylist()
    for k, (one, other, n, kind) in enumerate(rows):
        if one is None or other is None:
            assert [matches[k], scores[k], counts[k]] == [None] * 3
            continue
        wanted = slow.matched(one, other, n, kind, set())
        assert [*matches[k].values()] == pytest.approx([*wanted], abs=1e-12)
        score = slow.tesla_m(one, other, set(), alpha) if other else None
        assert scores[k] == pytest.approx(score, abs=1e-12)
        for size in (1, 2, 3):
            for similarity in ("ms", "pos", "lem"):
                s, x, y = slow.matched(one, other, size, similarity, set())
                found = [counts[k][f"{name}_{size}"] for name in (similarity, "hyp", "ref")]
                assert found == pytest.approx([s, x, y], abs=1e-12)


@settings(max_examples=4)
@given(rows_of)
def test_engines_agree(rows):
    hyps, refs, orders, kinds = zip(*rows, strict=True)
    table = pa.table(
        {
            "row": range(len(rows)),
            "hyp": slow.column(hyps),
            "ref": slow.column(refs),
            "size": pa.array(orders, pa.int32()),
            "kind": pa.array(kinds),
            "weight": pa.array([0.8, 0.3] * len(rows))[: len(rows)],
        }
    )
    hyp, ref, size, kind, weight = (column.combine_chunks() for column in table.columns[1:])
    none = {"synonyms": "none"}
    wanted = {
        "ngram_match(hyp, ref, synonyms := 'none')": ngram_match(hyp, ref, **none),
        "ngram_match(hyp, ref, size, kind, 'none')": ngram_match(hyp, ref, size, kind, **none),
        "tesla_counts(hyp, ref, 'none')": tesla_counts(hyp, ref, **none),
        "tesla_m(hyp, ref, 'none')": tesla_m(hyp, ref, **none),
        "tesla_m(hyp, ref, 'none', weight)": tesla_m(hyp, ref, recall_weight=weight, **none),
    }
    made = [
        expressions.ngram_match("hyp", "ref", **none),
        expressions.ngram_match("hyp", "ref", pl.col("size"), pl.col("kind"), "none"),
        expressions.tesla_counts("hyp", "ref", "none"),
        expressions.tesla_m("hyp", "ref", "none"),
        expressions.tesla_m("hyp", "ref", "none", pl.col("weight")),
    ]
    check_engines(table, wanted, made)


def test_text_is_analysed_in_every_engine():
    texts = pa.array(["The cats sat.", None, "", "It isn't so."])
    whole = analyse_text(texts)
    assert whole.to_pylist()[1] is None
    filled = analyse(["The cats sat.", "", "", "It isn't so."]).to_list()
    assert whole.to_pylist() == [filled[0], None, filled[2], filled[3]]
    ways = pa.array(["penn", "penn", None, "spaces"])
    mixed = analyse_text(texts, tokens=ways).to_pylist()
    assert mixed[:3] == whole.to_pylist()[:3]
    assert [token["word"] for token in mixed[3]] == ["It", "isn't", "so."]
    with connected(given_texts=pa.table({"text": texts, "row": range(4)})) as con:
        found = con.execute("select analyse_text(text) from given_texts order by row").fetchall()
        assert [value for (value,) in found] == whole.to_pylist()
        large = con.execute(
            "select tesla_m(analyse_text('A big cat'), analyse_text('The large cats'))"
        ).fetchall()
        strange = con.execute(
            "select tesla_m(analyse_text('A big cat'), analyse_text('The odd cats'), 'none')"
        ).fetchall()
        assert large > strange
    frame = pl.DataFrame({"text": texts})
    found = frame.select(expressions.analyse_text("text"))["text"].to_list()
    assert found == whole.to_pylist()


def test_other_languages_are_analysed_without_synonyms():
    with connected() as con:
        ((tokens,),) = con.execute("select analyse_text('der Hund', 'de')").fetchall()
    assert [(one["tag"], one["lemma"], one["content"]) for one in tokens] == [
        ("ART", "der", False),
        ("NN", "hund", True),
    ]
    frame = pl.DataFrame({"text": ["der Hund"]})
    assert frame.select(expressions.analyse_text("text", "de"))["text"].to_list() == [tokens]
    assert analyse(["der Hund"], language="de").to_list() == [tokens]


def test_synonyms_from_a_file(tmp_path):
    groups = tmp_path / "groups.tsv"
    groups.write_text("a\tb\n")
    hyp, ref = slow.column([[("a", "N", True)]]), slow.column([[("b", "V", True)]])
    assert ngram_match(hyp, ref, synonyms=str(groups)).to_pylist()[0]["matched"] == 0.5
    assert ngram_match(hyp, ref, synonyms="none").to_pylist()[0]["matched"] == 0.0
    two = [pa.concat_arrays([side, side]) for side in (hyp, ref)]
    found = ngram_match(*two, synonyms=pa.array([str(groups), "none"]))
    assert [row["matched"] for row in found.to_pylist()] == [0.5, 0.0]
    groups.write_text("b\tc\td\n")  # a changed file is read again
    assert ngram_match(hyp, ref, synonyms=str(groups)).to_pylist()[0]["matched"] == 0.0


def test_no_rows():
    none = slow.column([])
    assert ngram_match(none, none, synonyms="none").to_pylist() == []
    assert tesla_m(none, none, "none").to_pylist() == []


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda h: ngram_match(h, h, 0, synonyms="none"), "n-grams of 0 words; expected 1 to 6"),
        (lambda h: ngram_match(h, h, 7, synonyms="none"), "n-grams of 7 words; expected 1 to 6"),
        (
            lambda h: ngram_match(h, h, 1, "max", "none"),
            "unknown `similarity` 'max'; expected one of ms",
        ),
        (
            lambda h: tesla_m(h, h, "none", 1.5),
            "`recall_weight` is 1.5; expected a number from 0 to 1",
        ),
        (lambda h: tesla_m(h, h.slice(1), "none"), "columns of one length"),
        (lambda h: tesla_m(h, h, "no/such/file"), "no/such/file: no such file"),
        (lambda h: tesla_m(pa.array(["a", "b"]), h, "none"), "expected analysed sentences"),
    ],
)
def test_bad_input_is_refused(call, said):
    with pytest.raises(InputError, match=said):
        call(slow.column([[("a", "N", True)]] * 2))
