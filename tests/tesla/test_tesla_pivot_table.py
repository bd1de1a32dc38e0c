"""Pivot tables: counting, pruning, tags, files, and the command that builds them."""

import json
import warnings
from collections import Counter, defaultdict

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.cli import json_of, run
from helpers.pivots import TOKENS, arrow_table, token
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import tesla_pivots as slow

from alignframe.core.arrow import to_table
from alignframe.core.schemas import ALIGNMENTS, ANALYSED, BITEXT
from alignframe.errors import DataWarning, InputError
from alignframe.language.analysed import from_arrow
from alignframe.tesla.pivot_build import build_pivot_table
from alignframe.tesla.pivot_table import (
    METADATA,
    PivotTable,
    about_pivot_table,
    read_pivot_table,
    write_pivot_table,
)


class ByTable:
    """Return an analysis that looks words up: upper-case ones are nouns, others function words."""

    signature = "capitals:yes|lemmas:none"

    def analyse(self, sentences, vocabulary):
        rows = [
            [token(w.lower(), "N" if w.isupper() else "F", w.isupper(), word=w) for w in words]
            for words in sentences.to_pylist()
        ]
        return from_arrow(pa.array(rows, ANALYSED), vocabulary)


def bitext(pairs):
    rows = [{"sid": k, "src": src, "tgt": tgt} for k, (src, tgt) in enumerate(pairs)]
    return pa.Table.from_pylist(rows, schema=BITEXT)


def links_of(lists, system="x"):
    rows = [
        {"system": system, "sid": k, "links": [{"i": i, "j": j} for i, j in links]}
        for k, links in enumerate(lists)
    ]
    return pa.Table.from_pylist(rows, schema=ALIGNMENTS)


def build(pairs, lists, **options):
    given = {"analysis": ByTable(), "min_count": 1, "min_probability": 0.0, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return to_table(build_pivot_table(bitext(pairs), links_of(lists), **given))


def words_in(table):
    """Return the rows of a table, with phrases as words."""
    for row in table.to_pylist():
        pivot = tuple(one["word"] for one in row["pivot_phrase"])
        yield tuple(row["tgt_phrase"]), pivot, row["n_both"], row["n_tgt"], row["probability"]


@st.composite
def aligned(draw):
    """Draw a sentence pair and its links, at least one."""
    src = draw(st.lists(st.sampled_from(["a", "B", "b"]), min_size=1, max_size=4))
    tgt = draw(st.lists(st.sampled_from(["x", "Y", "y"]), min_size=1, max_size=4))
    link = st.tuples(st.integers(0, len(src) - 1), st.integers(0, len(tgt) - 1))
    return src, tgt, sorted(draw(st.sets(link, min_size=1, max_size=5)))


@given(
    st.lists(aligned(), min_size=1, max_size=4),
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
    st.integers(1, 2),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([1, 2, 10]),
    st.booleans(),
)
@settings(max_examples=10)
def test_counts_equal_those_of_all_spans(drawn, longest, least, share, most, renormalise):
    wanted = Counter()
    for src, tgt, links in drawn:
        lower = [word.lower() for word in src], [word.lower() for word in tgt]
        wanted += slow.phrase_counts(*lower, links, longest)
    n_tgt = Counter()
    for (phrase, _), n in wanted.items():
        n_tgt[phrase] += n
    kept = defaultdict(list)
    for (phrase, pivot), n in wanted.items():
        if n >= least and n / n_tgt[phrase] >= share:
            kept[phrase].append((n, pivot))
    options = {
        "max_length": longest[0],
        "max_pivot_length": longest[1],
        "min_count": least,
        "min_probability": share,
    }
    options |= {"top_k": most, "renormalise": renormalise}
    arguments = [(src, tgt) for src, tgt, _ in drawn], [links for *_, links in drawn]
    if not kept:
        with pytest.raises(InputError, match="no pair of phrases is left"):
            build(*arguments, **options)
        return
    found = defaultdict(list)
    for phrase, pivot, n, total, probability in words_in(build(*arguments, **options)):
        assert wanted[phrase, pivot] == n
        assert n_tgt[phrase] == total
        found[phrase].append((n, pivot, probability))
    assert found.keys() == kept.keys()
    for phrase, rows in found.items():
        counts = [n for n, *_ in rows]
        assert counts == sorted((n for n, _ in kept[phrase]), reverse=True)[:most]
        assert len({pivot for _, pivot, _ in rows}) == len(rows)
        whole = sum(counts) if renormalise else n_tgt[phrase]
        assert [p for *_, p in rows] == pytest.approx([n / whole for n in counts], rel=1e-12)


def test_tags_are_projected_through_links():
    pairs = [(["A", "b"], ["X", "y", "q"]), (["A"], ["x"]), (["b", "C"], ["x", "z"])]
    lists = [[(0, 0), (1, 1)], [(0, 0)], [(0, 0), (1, 1), (0, 1)]]
    table = build(pairs, lists, max_length=2, max_pivot_length=2)
    types = {
        one["word"]: (one["tag"], one["lemma"], one["content"])
        for row in table.to_pylist()
        for one in row["pivot_phrase"]
    }
    # x is linked to nouns twice and to a function word once; z to one of each; q to nothing.
    assert types["x"] == ("N", "x", True)
    assert types["y"] == ("F", "y", False)
    assert types["z"] == ("F", "z", True)
    assert types["q"] == ("X", "q", False)
    assert about_pivot_table(table)["options"]["tags"] == "project(capitals:yes,lemmas:none)"


def test_words_keep_their_case_if_requested():
    table = build(
        [(["A", "a"], ["X", "x"])],
        [[(0, 0), (1, 1)]],
        case="keep",
        max_length=1,
        max_pivot_length=1,
    )
    assert [row[:2] for row in words_in(table)] == [(("A",), ("X",)), (("a",), ("x",))]
    assert not PivotTable.of(table).lower


@pytest.mark.parametrize(
    ("pivot", "lemmas"),
    [(["Das|ART", "Haus|NN"], ("das", "haus")), (["Das|ART|der", "Haus|NN|haus"], ("der", "haus"))],
)
def test_tags_of_pivot_words_may_be_given(pivot, lemmas):
    options = {"analysis": None, "pivot_tagger": "given", "pivot_language": "de"}
    table = build(
        [(["the", "house"], pivot)], [[(0, 0), (1, 1)]], max_length=1, max_pivot_length=1, **options
    )
    found = [row["pivot_phrase"][0] for row in table.to_pylist()]
    assert found == [
        token(lemmas[0], "ART", False, word="das"),
        token(lemmas[1], "NN", True, word="haus"),
    ]
    assert about_pivot_table(table)["options"]["tags"].startswith("given(lang:de,")


def test_tables_survive_a_round_trip_and_sql_reads_them(tmp_path):
    pairs = [(["the", "HOUSE"], ["la", "maison"])] * 2 + [(["HOUSE"], ["logis"])]
    lists = [[(0, 0), (1, 1)]] * 2 + [[(0, 0)]]
    table = build(pairs, lists, name="fr", max_length=2, max_pivot_length=2)
    path = tmp_path / "fr.parquet"
    write_pivot_table(table, path)
    read = read_pivot_table(path)
    assert (read.name, read.phrases, read.pairs) == ("fr", 3, 4)
    assert read.signature == about_pivot_table(table)["signature"]
    parts = dict(part.split(":", 1) for part in read.signature.split("|"))
    assert parts.pop("table")
    assert parts == {
        "pivot": "fr",
        "sentences": "3",
        "phrases": "moses.2.2",
        "case": "lower",
        "count": "1",
        "prob": "0",
        "top": "10",
        "norm": "yes",
        "pivottags": "project(capitals:yes,lemmas:none)",
    }
    query = f"""
        select list_transform(pivot_phrase, lambda t: t.word), probability from '{path}'
        where tgt_phrase = ['house'] order by probability desc
    """
    assert duckdb.execute(query).fetchall() == [(["maison"], 2 / 3), (["logis"], 1 / 3)]
    other = build(
        [*pairs[:2], (["HOUSE"], ["toit"])], lists, name="fr", max_length=2, max_pivot_length=2
    )
    assert about_pivot_table(other)["signature"] != read.signature


def test_rows_of_a_phrase_need_not_be_adjacent():
    phrases = {("a",): [(0.5, TOKENS[:1]), (0.5, TOKENS[1:2])], ("b",): [(1.0, TOKENS[2:])]}
    table = arrow_table(phrases, {("a",): 2, ("b",): 1})
    apart = PivotTable.of(table.take([0, 2, 1]))
    assert apart.counts.tolist() == [2, 1]
    assert apart.offsets.tolist() == [0, 2, 3]
    words = apart.pivot.vocabulary.words.known.take(pa.array(apart.pivot.words)).to_pylist()
    assert words == ["le", "chat", "noir", "et"]


def altered(column, change):
    table = arrow_table({("a",): [(0.5, TOKENS[:1]), (0.5, TOKENS[1:2])]}, {("a",): 2})
    values = pa.array(change(table[column].to_pylist()), table.schema.field(column).type)
    fields = table.schema.field(column)
    return table.set_column(table.schema.names.index(column), fields, values)


@pytest.mark.parametrize(
    ("column", "change", "said"),
    [
        ("probability", lambda values: [0.0, *values[1:]], "not above 0"),
        ("probability", lambda values: [float("nan"), *values[1:]], "not above 0"),
        ("probability", lambda values: [0.9, *values[1:]], "sum to 1.4000"),
        ("n_tgt", lambda values: [0, *values[1:]], "n_tgt below 1"),
        ("n_tgt", lambda values: [9, *values[1:]], "two counts n_tgt"),
        ("tgt_phrase", lambda values: [[], *values[1:]], "without words in tgt_phrase"),
        ("pivot_phrase", lambda values: [[], *values[1:]], "without words in pivot_phrase"),
        ("tgt_phrase", lambda values: [[None], *values[1:]], "missing value in tgt_phrase"),
    ],
)
def test_rows_that_no_pivot_table_has(column, change, said):
    with pytest.raises(InputError, match=said):
        PivotTable.of(altered(column, change))


def test_files_that_are_not_pivot_tables(tmp_path):
    path = tmp_path / "p.parquet"
    with pytest.raises(InputError, match="no such file"):
        read_pivot_table(path)
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match="is not a Parquet file"):
        read_pivot_table(path)
    pq.write_table(pa.table({"sid": [1]}), path)
    with pytest.raises(InputError, match=r"no pivot table.*sid"):
        read_pivot_table(path)
    table = arrow_table({("a",): [(1.0, TOKENS[:1])]}, {("a",): 2})
    about = json.loads(table.schema.metadata[METADATA])
    for change, said in [
        (json.dumps({**about, "format": 7}), "a pivot table of the version 7; expected"),
        (json.dumps({"format": 1}), "metadata of a pivot table is damaged"),
        ("{", "metadata of a pivot table is damaged"),
    ]:
        pq.write_table(table.replace_schema_metadata({METADATA: change}), path)
        with pytest.raises(InputError, match=f"p.parquet: .*{said}"):
            read_pivot_table(path)
    pq.write_table(table.drop_columns("n_tgt"), path)
    with pytest.raises(InputError, match="the column n_tgt is missing"):
        read_pivot_table(path)
    pq.write_table(table.slice(0, 0), path)
    with pytest.raises(InputError, match="without phrases"):
        read_pivot_table(path)


def test_sentences_without_links_are_counted():
    with pytest.warns(DataWarning, match="1 of 2 sentence pairs"):
        build_pivot_table(
            bitext([(["A"], ["x"]), (["B"], ["y"])]),
            links_of([[(0, 0)]]),
            analysis=ByTable(),
            min_count=1,
        )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"name": "f r"}, "the name 'f r'"),
        ({"case": "upper"}, "the case 'upper'; expected lower or keep"),
        ({"max_length": 0}, "`max_length` is 0; expected a whole number from 1"),
        ({"min_count": 0}, "`min_count` is 0"),
        ({"top_k": 0}, "`top_k` is 0"),
        ({"min_probability": 1.5}, "`min_probability` is 1.5"),
        ({"analysis": None, "pivot_tagger": "given"}, "needs the pivot language"),
        ({"analysis": None, "pivot_tagger": "best", "pivot_language": "de"}, "best"),
    ],
)
def test_bad_options(options, said):
    with pytest.raises(InputError, match=said):
        build([(["A"], ["x"])], [[(0, 0)]], **options)


def test_links_that_do_not_match():
    pairs = [(["A"], ["x"])]
    with pytest.raises(InputError, match="no link in any sentence"):
        build(pairs, [[]])
    with pytest.raises(InputError, match="the link 0-3"):
        build(pairs, [[(0, 3)]])
    two = [links_of([[(0, 0)]], "x"), links_of([[(0, 0)]], "y")]
    with pytest.raises(InputError, match="several systems: x, y"):
        build_pivot_table(bitext(pairs), two, analysis=ByTable())


def test_an_analysis_that_splits_words():
    class Parting(ByTable):
        def analyse(self, sentences, vocabulary):
            return super().analyse(pa.array([["A", "b"]] * len(sentences)), vocabulary)

    with pytest.raises(InputError, match="other words than the links do"):
        build([(["A-b"], ["x"])], [[(0, 0)]], analysis=Parting())


def test_the_command(bundled, tmp_path):
    words = ["tesla", "pivot-table", "--src", bundled / "text.en", "--pivot", bundled / "text.fr"]
    words += [
        "--links",
        bundled / "gold.talp",
        "-o",
        tmp_path / "fr.parquet",
        "--set",
        "min-count=1",
    ]
    told = json_of(run(*words, "--json")[0])
    table = read_pivot_table(tmp_path / "fr.parquet")
    assert told == {
        "output": str(tmp_path / "fr.parquet"),
        "name": "fr",
        "sentences": 72,
        "phrases": table.phrases,
        "pairs": table.pairs,
        "signature": table.signature,
    }
    assert 500 < table.phrases < table.pairs
    assert "project(lang:en,tokens:spaces,tagger:textblob" in table.signature
    raw = ["tesla", "pivot-table", "--src", tmp_path / "raw.en", "--pivot", tmp_path / "raw.fr"]
    raw += ["--tokens", "penn", *words[8:]]
    for code in ("en", "fr"):
        lines = (bundled / f"text.{code}").read_text().replace(" .", ".").splitlines(True)
        (tmp_path / f"raw.{code}").write_text("".join(lines[:12]))
    found = json_of(run(*raw, "--json")[0])  # tokenised and aligned here
    assert (found["sentences"], found["phrases"] > 20) == (12, True)
    assert "tokens:spaces" in found["signature"]  # of words that are already separated
    _, said = run(*words, "--name", "b c", code=2)
    assert "the name 'b c'" in said
    _, said = run(*words[:-3], tmp_path / "fr.csv", code=2)
    assert "suffix '.csv'" in said
    _, said = run(
        *words[:2], "--src", bundled / "text.fr", *words[4:], "--set", "order=tgt-src", code=2
    )
    assert "outside" in said
