"""Sentence alignment as a row-wise function: the beads of ``beads.align``, one document per row."""

import warnings

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.sql import check_engines, connected
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe.beads import align
from alignframe.beads.rows import align_lengths, align_sentences
from alignframe.engines import polars as expressions
from alignframe.errors import DataWarning, InputError

pytestmark = pytest.mark.filterwarnings("ignore::alignframe.errors.DataWarning")

WORDS = st.sampled_from(["", "a", "bb dog", "house on a hill", "Schifffahrt", "x y z"])
SIDES = st.none() | st.lists(st.none() | WORDS, max_size=6)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "threshold": st.sampled_from([0.2, 0.5, 0.9]),
        "skip": st.sampled_from([0.05, 0.2]),
        "two_two": st.just(0.03),
        "band": st.sampled_from([1.0, 5.0]),
    },
)
METHODS = st.sampled_from(["mre", "len", "gale-church"])


def beads(src, tgt, method, **options):
    """Return the result of ``align`` in the form of a row-wise function."""
    if src is None or tgt is None:
        return None
    sides = ([sentence or "" for sentence in side] for side in (src, tgt))
    return align(*sides, method, **options).drop("doc").to_dicts()


def column(lists, kind):
    return pa.array(lists, pa.list_(kind))


@settings(max_examples=20)
@given(st.lists(st.tuples(SIDES, SIDES, METHODS, OPTIONS), min_size=1, max_size=4))
def test_each_row_is_a_document(rows):
    src, tgt, methods, options = zip(*rows, strict=True)
    chosen = {
        name: pa.array([one.get(name) for one in options], pa.float64())
        for name in ("threshold", "skip", "two_two", "band")
    }
    texts = column(src, pa.string()), column(tgt, pa.string())
    found = align_sentences(*texts, pa.array(methods), **chosen)
    found.validate(full=True)
    assert found.to_pylist() == [beads(s, t, m, **one) for s, t, m, one in rows]


@settings(max_examples=20)
@given(SIDES, SIDES, st.sampled_from(["len", "gale-church"]), OPTIONS)
def test_lengths_alone(src, tgt, method, options):
    sides = [
        None if side is None else [None if s is None else len(s.replace(" ", "")) for s in side]
        for side in (src, tgt)
    ]
    found = align_lengths(*(column([side], pa.int64()) for side in sides), method, **options)
    assert found.to_pylist() == [beads(src, tgt, method, unit="characters", **options)]


DOCUMENTS = {
    "doc": ["a", "b", "c"],
    "src": [["the dog", "a house", "it is big"], ["one", "two"], None],
    "tgt": [["le chien", "une maison", "elle est grande"], ["un deux"], ["x"]],
}


def test_engines_agree():
    table = pa.table(DOCUMENTS)
    src, tgt = (column(DOCUMENTS[side], pa.string()) for side in ("src", "tgt"))
    of_sides = (
        column([s and [len(t) for t in s] for s in DOCUMENTS[side]], pa.int64())
        for side in ("src", "tgt")
    )
    wanted = {
        "align_sentences(src, tgt)": align_sentences(src, tgt),
        "align_sentences(src, tgt, 'gale-church', merge := 0.1, unit := 'words')": align_sentences(
            src, tgt, "gale-church", merge=0.1, unit="words"
        ),
        "align_sentences(src, tgt, doc := doc, threshold := 0.5)": align_sentences(
            src, tgt, threshold=0.5
        ),
        """align_lengths(
            list_transform(src, lambda s: length(s)), list_transform(tgt, lambda s: length(s)),
            'gale-church', two_two := 0.02
        )""": align_lengths(*of_sides, "gale-church", two_two=0.02),
    }
    lengths = [pl.col(side).list.eval(pl.element().str.len_chars()) for side in ("src", "tgt")]
    made = [
        expressions.align_sentences("src", "tgt"),
        expressions.align_sentences("src", "tgt", "gale-church", merge=0.1, unit="words"),
        expressions.align_sentences("src", "tgt", threshold=0.5, doc=pl.col("doc")),
        expressions.align_lengths(*lengths, "gale-church", two_two=0.02),
    ]
    check_engines(table, wanted, made)


def test_a_lake_of_sentences_becomes_a_table_of_beads(bundled):
    """Grouped and unnested, the beads are a table for all macros of beads."""
    folder = bundled.parent / "mill"
    sides = [(folder / f"mill.{code}").read_text("utf-8").splitlines() for code in ("en", "fr")]
    whole = align(*sides, doc="mill").to_dicts()
    half = align(*(side[:15] for side in sides), doc="half").to_dicts()
    with connected() as con:
        for name, side in zip(("en", "fr"), sides, strict=True):
            con.register("lines", pa.table({"sid": range(len(side)), "text": side}))
            con.execute(
                f"create table {name} as select 'mill' as doc, sid, text from lines "
                "union all select 'half', sid, text from lines where sid < 15"
            )
        con.execute("""
            create table beads as
            with
            src as (select doc, list(text order by sid) as src from en group by doc),
            tgt as (select doc, list(text order by sid) as tgt from fr group by doc)
            select doc, unnest(align_sentences(src, tgt, doc := doc), recursive := true)
            from src join tgt using (doc)
        """)
        found = con.sql("from beads order by doc desc, src_start, tgt_start").to_arrow_table()
        assert found.to_pylist() == whole + half
        types = con.execute("select sum(beads) from bead_types('beads')").fetchall()
    assert types == [(len(whole) + len(half),)]


def test_a_model_trained_elsewhere(tmp_path):
    lexicon = pa.table({"src": ["dog", "house"], "tgt": ["chien", "maison"]})
    pq.write_table(lexicon, tmp_path / "lexicon.parquet")
    sides = [["the dog", "a house"]], [["le chien", "une maison"]]
    wanted = [beads(*(side[0] for side in sides), "mre+", model=lexicon)]
    columns = [column(side, pa.string()) for side in sides]
    assert align_sentences(*columns, "mre+", model=lexicon).to_pylist() == wanted
    path = str(tmp_path / "lexicon.parquet")
    assert align_sentences(*columns, "mre+", model=pa.array([path])).to_pylist() == wanted


ONE = column([["a"]], pa.string())
LENGTH = column([[3]], pa.int64())


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: align_sentences(ONE, ONE, "moore"), "unknown `method` 'moore'"),
        (lambda: align_sentences(ONE, ONE, skip=2.0), "`skip` is 2.0"),
        (lambda: align_sentences(ONE, ONE, "mre+"), "no model"),
        (lambda: align_sentences(LENGTH, LENGTH), "type int64"),
        (lambda: align_sentences(ONE, column([["a"]] * 2, pa.string())), "one length"),
        (lambda: align_lengths(LENGTH, LENGTH, "mre"), "align_sentences"),
        (lambda: align_lengths(LENGTH, column([[-1]], pa.int64()), doc="d"), "d: .* length -1"),
        (lambda: align_lengths(LENGTH, column([[1.5]], pa.float64())), "length 1.5"),
        (lambda: expressions.align_sentences("src", "tgt", treshold=1), "treshold"),
    ],
)
def test_bad_input_is_refused(call, said):
    with pytest.raises(InputError, match=said):
        call()


def test_a_warning_names_the_document():
    many = [f"w{k} a b" for k in range(40)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        align_sentences(column([many], pa.string()), column([["x"]], pa.string()), doc="tale")
    assert [w for w in caught if w.category is DataWarning and str(w.message).startswith("tale: ")]
