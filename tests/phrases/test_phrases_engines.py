"""Phrase pairs through Arrow, DuckDB and polars, and as a table."""

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.sql import check_engines, connected
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import phrases as slow

from alignframe import formats, phrases
from alignframe.engines import polars as expressions
from alignframe.errors import InputError
from alignframe.functions import add_null_links, count_null_links, extract_phrases

KINDS = list(phrases.KINDS)
lengths = st.none() | st.integers(1, 9)


@settings(max_examples=20)
@given(
    st.lists(st.tuples(slow.sentences(), st.sampled_from(KINDS), lengths), min_size=1, max_size=6)
)
def test_rows_do_not_depend_on_each_other(given_rows):
    given_sentences, kinds, longest = zip(*given_rows, strict=True)
    rows, src, tgt = zip(*given_sentences, strict=True)
    numbers = [slow.numbers(values) for values in (longest, src, tgt)]
    whole = slow.spans(extract_phrases(slow.column(rows), pa.array(kinds), *numbers))
    for k, kind in enumerate(kinds):
        mine = [values.slice(k, 1) for values in numbers]
        assert slow.spans(extract_phrases(slow.column(rows).slice(k, 1), kind, *mine)) == [whole[k]]
        assert whole[k] == slow.phrases(rows[k], kind, longest[k], src[k], tgt[k])


@settings(max_examples=3)
@given(
    st.lists(st.tuples(slow.sentences(), st.sampled_from(KINDS), lengths), min_size=1, max_size=6)
)
def test_engines_agree(given_rows):
    given_sentences, kinds, longest = zip(*given_rows, strict=True)
    rows, src, tgt = zip(*given_sentences, strict=True)
    table = pa.table(
        {
            "row": range(len(rows)),
            "links": slow.column(rows),
            "kind": pa.array(kinds),
            "longest": slow.numbers(longest),
            "m": slow.numbers(src),
            "n": slow.numbers(tgt),
        }
    )
    arrow = extract_phrases(*(table[name].combine_chunks() for name in table.column_names[1:]))
    nulls = count_null_links(*(table[name].combine_chunks() for name in ("links", "m", "n")))
    calls = {
        "extract_phrases(links)": extract_phrases(slow.column(rows)),
        "extract_phrases(links, 'exhaustive')": extract_phrases(slow.column(rows), "exhaustive"),
        "extract_phrases(links, 'moses', 3, m, n)": extract_phrases(
            slow.column(rows), "moses", 3, slow.numbers(src), slow.numbers(tgt)
        ),
        "extract_phrases(links, kind, longest, m, n)": arrow,
        "extract_phrases(links, src_length := m, kind := 'moses')": extract_phrases(
            slow.column(rows), "moses", None, slow.numbers(src)
        ),
        "count_null_links(links)": count_null_links(slow.column(rows)),
        "count_null_links(links, m, n)": nulls,
        "add_null_links(links, m, n)": add_null_links(
            *(table[name].combine_chunks() for name in ("links", "m", "n"))
        ),
    }
    extract, count = expressions.extract_phrases, expressions.count_null_links
    made = [
        extract("links"),
        extract("links", "exhaustive"),
        extract("links", "moses", 3, "m", pl.col("n")),
        extract("links", pl.col("kind"), pl.col("longest"), "m", "n"),
        extract("links", kind="moses", src_length="m"),
        count("links"),
        count("links", "m", "n"),
        expressions.add_null_links("links", "m", "n"),
    ]
    check_engines(table, calls, made)


def test_extract_gives_one_row_per_phrase(bundled):
    text = formats.read_bitext(bundled / "text.en", bundled / "text.fr")
    rows = slow.sets_of(bundled / "eager.talp")
    words = slow.text_of(bundled / "text.en", bundled / "text.fr")
    for kind in ("minimal", "exhaustive"):
        found = phrases.extract({"e": bundled / "eager.talp"}, kind, bitext=text)
        wanted = [("e", sid, *p) for sid in rows for p in slow.phrases(rows[sid], kind)]
        assert found.rows() == wanted
        assert found.columns == ["system", "sid", *slow.SPANS]
    loose = phrases.extract(bundled / "eager.talp", "moses", max_length=4, bitext=text)
    sizes = {k: (len(src), len(tgt)) for k, (src, tgt) in words.items()}
    short = [k for k, both in sizes.items() if sum(both) < 20]
    wanted = [(k, *p) for k in short for p in slow.moses(rows[k], 4, *sizes[k])]
    assert loose.filter(pl.col("sid").is_in(short)).drop("system").rows() == wanted
    assert len(short) > 9
    assert loose["system"].unique().to_list() == ["eager"]
    assert phrases.extract(bundled / "eager.talp", "moses", max_length=4).height < loose.height


ENTRY = ["system", "sid", "src_key", "tgt_key", "n", "place"]
CTE = ["words", "checked", "found", "linked", "placed", "entries", "given", "wanted", "shared"]


@pytest.mark.parametrize("name", CTE)
def test_tables_may_have_any_name(name):
    """Even those used inside the macros."""
    rows = {0: {(0, 0)}, 1: {(0, 0), (1, 1)}}
    text = slow.bitext({0: (["a"], ["x"]), 1: (["b", "c"], ["y", "z"])})
    wanted = [("hypothesis", src, tgt, 1) for src, tgt in ("ax", "by", "cz")]
    with connected() as con:
        con.register(name, text)
        con.register("hyp", slow.nested(rows))
        assert con.execute(f"select * from text_dic1('hyp', '{name}')").fetchall() == wanted
        assert con.execute(f"select links from link_sizes('hyp', '{name}')").fetchall() == [(3,)]
        con.unregister(name)
        con.register(name, slow.nested(rows))
        con.register("bitext", text)
        assert con.execute(f"select * from text_dic1('{name}', 'bitext')").fetchall() == wanted
        found = con.execute(f"select system, src, tgt, n from align_dic1('{name}', 'bitext')")
        assert found.fetchall() == wanted
        assert con.execute(f"select links from link_sizes('{name}', 'bitext')").fetchall() == [(3,)]
        con.unregister(name)
        con.execute("create table mine as select * from phrase_entries('hyp', 'bitext')")
        columns = con.sql("select * from entry_words('mine', 'bitext')").columns
        assert columns[: len(ENTRY) + 4] == [*ENTRY, "src", "tgt", "src_words", "tgt_words"]
        con.execute(f"create table {name} as select * from mine limit 2")
        scores = con.execute(f"select entries, recall from dictionary_scores('mine', '{name}')")
        assert scores.fetchall() == [(3, 1.0)]
        scores = con.execute(f"select entries, recall from dictionary_scores('{name}', 'mine')")
        assert scores.fetchall() == [(2, 2 / 3)]
        classes = con.execute(f"select entries from entry_classes('mine', '{name}', 'bitext')")
        assert classes.fetchall() == [(2,), (0,), (1,)]
        classes = con.execute(f"select entries from entry_classes('{name}', 'mine', 'bitext')")
        assert classes.fetchall() == [(2,), (1,), (0,)]


def test_words_of_text_in_any_layout(tmp_path):
    kinds = (pa.list_(pa.string()), pa.large_list(pa.large_string()), pa.list_(pa.string_view()))
    sides = {7: (["né", "b", ""], ["x y", "ž"]), -3: (["d"], ["e", "f"]), 2: (["g"], ["h"])}
    links = pa.table({"sid": [-3, 2, 7, 7], "i": [0, 0, 0, 2], "j": [1, 0, 1, 0]})
    wanted = [(-3, "d", "f"), (2, "g", "h"), (7, "", "x y"), (7, "né", "ž"), (7, "né b ", "x y ž")]
    for kind in kinds:
        columns = {"sid": pa.array([0, *sides]), "extra": pa.nulls(4)}
        for at, side in enumerate(("src", "tgt")):
            columns[side] = pa.array([["z"], *(pair[at] for pair in sides.values())], kind)
        text = pa.table(columns).slice(1)  # unsorted rows, and buffers with an offset
        found = phrases.extract(links, "exhaustive", bitext=text, with_words=True)
        assert sorted(found.select("sid", "src", "tgt").rows()) == sorted(wanted)
    pq.write_table(pa.table(columns).slice(1), tmp_path / "text.parquet")
    again = phrases.extract(links, "exhaustive", bitext=tmp_path / "text.parquet", with_words=True)
    assert again.equals(found)
    stream = pa.table(columns).slice(1).to_reader()  # can be read only once
    assert phrases.extract(links, "exhaustive", bitext=stream, with_words=True).equals(found)
    with pytest.raises(InputError, match="no text"):
        phrases.extract(links, with_words=True)
