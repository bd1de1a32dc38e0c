"""Bead measures against a slow reference, and the command."""

import re
from contextlib import contextmanager, nullcontext
from functools import partial

import polars as pl
import pytest
from helpers import cli as helpers_cli
from helpers.cli import json_of
from helpers.formats import quietly
from helpers.sql import connected
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import beads as slow

from alignframe.beads.score import crossings, score
from alignframe.core.choices import ONE_SIDED
from alignframe.core.schemas import SPANS
from alignframe.engines import session
from alignframe.errors import DataWarning, InputError
from alignframe.formats.beads import read_beads

COLUMNS = ("system", "doc", *SPANS)


@st.composite
def documents(draw, least=0):
    """Draw beads without a sentence in common, with gaps, and in any order of the target."""
    sizes = st.tuples(st.integers(0, 2), st.integers(0, 2), st.booleans())
    drawn = draw(st.lists(sizes.filter(lambda size: size[0] + size[1]), min_size=least, max_size=6))
    order = draw(st.permutations(range(len(drawn))) if draw(st.booleans()) else st.just(None))
    spans = [[0, 0, 0, 0] for _ in drawn]
    for first, side in ((0, 0), (2, 1)):
        at = 0
        for number in order if order and side else range(len(drawn)):
            size = drawn[number][side]
            spans[number][first : first + 2] = [at, at + size]
            at += size
            if not size:  # an empty side may be anywhere
                spans[number][first : first + 2] = [draw(st.integers(0, 3))] * 2
    return [tuple(span) for span, (*_, kept) in zip(spans, drawn, strict=True) if kept]


# Many documents at a time, since a call takes longer than its counting.
TEXTS = st.fixed_dictionaries(
    {name: documents(least=4) for name in "abcd"}, optional={name: documents() for name in "efgh"}
)


def table(**systems):
    rows = [
        (system, doc, *bead)
        for system, texts in systems.items()
        for doc, beads in texts.items()
        for bead in beads
    ]
    kinds = dict.fromkeys(COLUMNS[:2], pl.String) | dict.fromkeys(SPANS, pl.Int32)
    return pl.DataFrame(rows, schema=kinds, orient="row")


@pytest.fixture(scope="module")
def connection():
    with connected() as con:
        yield con


@contextmanager
def asking(connection):
    """Share a connection between calls, since opening one takes longer than a query."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "limited", lambda macros: nullcontext(connection))
        yield


@given(one=TEXTS, two=TEXTS, gold=TEXTS, empty=st.sampled_from(ONE_SIDED))
@settings(max_examples=4)
def test_counts_and_scores_equal_those_of_sets(connection, one, two, gold, empty):
    hyp = {"one": table(x=one), "two": table(y=two)}
    golden = table(gold=gold).drop("system")
    wanted, by_type, totals = [], [], []
    for system, texts in (("one", one), ("two", two)):
        total = dict.fromkeys(slow.TOTALS, 0)
        for doc in sorted(texts.keys() | gold.keys()):
            mine, yours = texts.get(doc, []), gold.get(doc, [])
            if mine or yours:
                found = slow.counts(mine, yours, empty)
                total = {name: total[name] + found[name] for name in total}
                wanted.append({"system": system, "doc": doc, **found})
            kinds = slow.type_counts(mine, yours)
            by_type += [(system, doc, kind, *kinds[kind]) for kind in sorted(kinds)]
        totals.append({"system": system, **total, **slow.scores(total)})
    with asking(connection):
        documents = quietly(lambda: score(hyp, golden, one_sided=empty).counts)
        types = quietly(lambda: score(hyp, golden, by="type").counts)
        found = quietly(lambda: score(hyp, golden, one_sided=empty).scores)
    assert documents.drop("signature").rows(named=True) == wanted
    assert types.select("system", "doc", "type", *slow.TOTALS[:6]).rows() == by_type
    assert found["signature"].str.contains(f"|empty:{empty}|", literal=True).all()
    assert found.drop("signature").rows(named=True) == [pytest.approx(row) for row in totals]


SPAN = st.tuples(st.integers(0, 9), st.integers(0, 3)).map(lambda one: (one[0], sum(one)))
MORE = st.lists(st.tuples(SPAN, SPAN).map(lambda one: one[0] + one[1]), max_size=6).map(
    lambda beads: [bead for bead in beads if bead[0] < bead[1] or bead[2] < bead[3]]
)


@given(
    hyp=TEXTS,
    gold=TEXTS,
    more=st.fixed_dictionaries(dict.fromkeys("abcd", MORE)),
    empty=st.sampled_from(ONE_SIDED),
)
@settings(max_examples=4)
def test_gold_as_written_is_scored_as_it_stands(connection, hyp, gold, more, empty):
    gold = gold | {doc: [*gold[doc], *beads, *gold[doc][:1]] for doc, beads in more.items()}
    total, by_type = dict.fromkeys(slow.TOTALS, 0), []
    for doc in sorted(hyp.keys() | gold.keys()):
        mine, yours = hyp.get(doc, []), gold.get(doc, [])
        found = slow.counts(mine, yours, empty)
        total = {name: total[name] + found[name] for name in total}
        kinds = slow.type_counts(mine, yours)
        by_type += [(doc, kind, *kinds[kind]) for kind in sorted(kinds)]
    mine, golden = table(hyp=hyp), table(gold=gold).drop("system")
    with asking(connection):
        options = {"one_sided": empty, "gold_as_written": True}
        found = quietly(lambda: score({"hyp": mine}, golden, **options).scores)
        as_written = {"gold_as_written": True}
        types = quietly(lambda: score(mine, golden, by="type", **as_written).counts)
    connection.register("mine", mine.to_arrow())
    connection.register("golden", golden.to_arrow())
    sql = "from bead_scores('mine', 'golden', one_sided := $one_sided, gold_as_written := true)"
    whole = connection.sql(sql, params={"one_sided": empty}).pl().rows(named=True)
    assert found["signature"][0].endswith("|gold:as-written")
    wanted = pytest.approx({"system": "hyp", **total, **slow.scores(total)})
    assert found.drop("signature").rows(named=True) == [wanted] == whole
    assert types.select("doc", "type", *slow.TOTALS[:6]).rows() == by_type
    assert types["n_gold_pairs"].sum() == total["n_gold_pairs"]


def test_gold_as_written_says_where_beads_overlap(tmp_path):
    lines = ["[0]:[0]", "[1]:[1]", "[2, 3]:[1, 2]", "[3]:[3]", "[5]:[4, 5]", "[6]:[4, 5]"]
    (tmp_path / "gold.beads").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "hyp.beads").write_text("[0]:[0]\n[2, 3]:[1, 2]\n")
    words = ["score", "--gold", "gold.beads", "--hyp", "hyp.beads"]
    _, said = helpers_cli.run("beads", *words, folder=tmp_path, code=2)
    said = " ".join(said.split())
    assert "gold.beads:4: the source sentence 3 occurs in the bead of line 3 as well" in said
    assert "score beads as they stand with --gold-as-written" in said
    words += ["--set", "gold-as-written=yes", "--json"]
    printed, said = helpers_cli.run("beads", *words, folder=tmp_path)
    assert said.splitlines() == [
        "warning: gold.beads: 1 source sentence in two beads, the first (3) in the lines 3 and 4",
        "warning: gold.beads: 3 target sentences in two beads, the first (1) in the lines 2 and 3",
    ]
    assert json_of(printed)[0]["strict_recall"] == pytest.approx(2 / 6)
    read_beads(tmp_path / "hyp.beads", as_written=False)
    with pytest.warns(DataWarning, match="gold: 3 target .*, the first .1. in the rows 2 and 3"):
        score([(1, 2, 1, 2)], [(0, 1, 0, 1), *OVERLAPPING], gold_as_written=True).scores
    with pytest.raises(InputError, match=r"rows 2 and 3; .* `gold_as_written=True`"):
        score([(0, 1, 0, 1)], [(0, 1, 0, 1), *OVERLAPPING]).scores
    with pytest.raises(InputError, match=r"rows 2 and 3; expected every sentence in one bead$"):
        score([(0, 1, 0, 1), *OVERLAPPING], [(0, 1, 0, 1)], gold_as_written=True).scores


OVERLAPPING = [(1, 2, 1, 2), (2, 4, 1, 3), (4, 5, 3, 4), (5, 6, 4, 6), (6, 7, 4, 6)]


@given(hyp=TEXTS, gold=TEXTS, empty=st.sampled_from(ONE_SIDED))
@settings(max_examples=3)
def test_macros_give_the_same_figures(connection, hyp, gold, empty):
    mine, golden = table(hyp=hyp), table(gold=gold)
    with asking(connection):
        total = (
            quietly(lambda: score(mine, golden, one_sided=empty).scores)
            .drop("signature")
            .rows(named=True)
        )
        types = (
            quietly(lambda: score(mine, golden, by="type").scores)
            .drop("signature")
            .rows(named=True)
        )
    connection.register("mine", mine.to_arrow())
    connection.register("golden", golden.to_arrow())
    sql = "select * from bead_scores('mine', 'golden', one_sided := $one_sided)"
    whole = connection.sql(sql, params={"one_sided": empty}).pl().rows(named=True)
    sql = "select * from bead_type_scores('mine', 'golden')"
    parts = connection.sql(sql).pl().rows(named=True)
    pairs = connection.execute("select doc, i, j from bead_pairs('golden')").fetchall()
    name = "hyp" if mine.height else "hypothesis"
    if mine.height or golden.height:  # SQL has no row if there is nothing at all
        assert whole == [row | {"system": name} for row in total]
    assert parts == [row | {"system": name} for row in types]
    assert set(pairs) == {(doc, i, j) for doc in gold for i, j in slow.pairs(gold[doc])}
    assert len(pairs) == len(set(pairs))


GOLD = table(gold={"d": [(0, 1, 0, 1), (1, 3, 1, 2), (3, 4, 2, 2), (4, 5, 2, 3)]})


def test_a_system_without_beads_has_no_precision():
    with pytest.warns(DataWarning, match=r"mute .*1 document \('d'\)"):
        row = score({"mute": table()}, GOLD).scores.row(0, named=True)
    assert (row["system"], row["strict_precision"], row["pair_precision"]) == ("mute", None, None)
    assert (row["strict_recall"], row["strict_f"], row["lax_recall"]) == (0, None, 0)
    assert row["alignment_rate"] == 0
    row = score({"mute": table()}, table()).scores.row(0, named=True)
    assert [row[name] for name in slow.scores(dict.fromkeys(slow.TOTALS, 0))] == [None] * 9


def test_a_document_on_one_side_is_named_and_counted():
    hyp = table(one={"d": [(0, 1, 0, 1)], "x": [(0, 1, 0, 1)]})
    with pytest.warns(DataWarning) as said:
        row = score(hyp, pl.concat([GOLD, table(gold={"e": [(0, 2, 0, 1)]})])).scores.row(
            0, named=True
        )
    assert [str(one.message) for one in said] == [
        "one has no beads of 1 document ('e'); gold's count as missed",
        "gold has no beads of 1 document ('x'); those of one count as wrong",
        "one and gold end with different sentences: 1 and 1, and 5 and 3 in gold (from 1); do both "
        "count the same lines of the same text, such as blank ones?",
    ]
    assert (row["strict_precision"], row["strict_recall"]) == (1 / 2, 1 / 4)


def test_lengths_are_used_for_the_alignment_rate():
    hyp = table(one={"d": [(0, 1, 0, 1)]})
    assert quietly(lambda: score(hyp, GOLD).scores)["alignment_rate"][0] == pytest.approx(
        (1 / 5 + 1 / 3) / 2
    )
    lengths = pl.DataFrame({"doc": ["d"], "n_src": [10], "n_tgt": [4]})
    row = quietly(lambda: score(hyp, GOLD, lengths=lengths).scores).row(0, named=True)
    assert row["alignment_rate"] == pytest.approx((1 / 10 + 1 / 4) / 2)
    assert row["signature"].endswith("|empty:precision|average:corpus|missing:empty|lengths:given")


def test_scores_by_document_and_type():
    hyp = table(one={"d": [(0, 1, 0, 1), (1, 2, 1, 2)], "e": [(0, 1, 0, 1)]})
    gold = pl.concat([GOLD, table(gold={"e": [(0, 2, 0, 1)]})])
    found = quietly(lambda: score(hyp, gold, by=["doc", "type"]).scores)
    assert found.select("doc", "type", "strict_precision", "lax_recall").rows() == [
        ("d", "1-0", None, 0),
        ("d", "1-1", 1 / 2, 1 / 2),
        ("d", "2-1", None, 1),
        ("e", "1-1", 0, None),
        ("e", "2-1", None, 1),
    ]
    assert "|empty:count|" in found["signature"][0]
    assert quietly(lambda: score(hyp, gold, by="doc").scores).select("doc", "lax_f").rows() == [
        ("d", pytest.approx(2 * 1 * (2 / 3) / (5 / 3))),
        ("e", 1),
    ]


def test_crossing_beads_are_counted():
    assert crossings(GOLD) == 0
    assert crossings(table(a={"d": [(0, 1, 1, 2), (1, 2, 0, 1), (2, 3, 0, 0), (3, 4, 2, 3)]})) == 1


MISTAKES = {
    "two beads": (
        {"hyp": {"one": table(one={"d": [(0, 2, 0, 1), (1, 2, 1, 2)]})}},
        "one: the source sentence 1 is in the rows 1 and 2; expected every sentence in one bead",
    ),
    "two beads of gold": (
        {"gold": table(g={"d": [(0, 1, 0, 9), (1, 2, 4, 5)]})},
        "gold: the target sentence 4 is in the rows 1 and 2; expected every sentence in one bead; "
        "score beads as they stand with `gold_as_written=True`",
    ),
    "no column": (
        {"hyp": GOLD.drop("tgt_end")},
        "the table of beads has the columns system, doc, src_start, src_end, tgt_start; expected "
        "the column tgt_end",
    ),
    "no numbers": (
        {"hyp": GOLD.with_columns(pl.col("src_end").cast(pl.Float64))},
        "a table: a column src_end of type double; expected a whole number in every row",
    ),
    "systems of gold": (
        {"gold": table(a={"d": [(0, 1, 0, 1)]}, b={"d": [(0, 1, 0, 1)]})},
        "gold holds the systems a, b; expected one",
    ),
    "same name": (
        {"hyp": [GOLD, GOLD]},
        "the system 'gold' is in both a table and a table; give each source a different name "
        "(NAME=FILE)",
    ),
    "no hypothesis": ({"hyp": []}, "no hypothesis given; expected at least one"),
    "empty": (
        {"one_sided": "no"},
        "unknown `one_sided` 'no'; expected one of " + ", ".join(ONE_SIDED),
    ),
    "by": ({"by": "sid"}, "unknown column in `by` 'sid'; expected one of doc, type"),
    "lengths without a document": (
        {"lengths": pl.DataFrame({"doc": ["x"], "n_src": [1], "n_tgt": [1]})},
        "no length of document 'd'; expected n_src and n_tgt of every document",
    ),
    "lengths twice": (
        {"lengths": pl.DataFrame({"doc": ["d", "d"], "n_src": [5, 5], "n_tgt": [5, 5]})},
        "the lengths have a document twice; expected each once",
    ),
    "short": (
        {"lengths": pl.DataFrame({"doc": ["d"], "n_src": [4], "n_tgt": [3]})},
        "gold has a bead with the source sentence 4 of the document 'd', which has 4 sentences, "
        "numbered from 0; check that the text belongs to the beads",
    ),
}


@pytest.mark.parametrize(("changed", "said"), MISTAKES.values(), ids=MISTAKES)
def test_errors_are_explained(changed, said):
    with pytest.raises(InputError) as error:
        score(**({"hyp": GOLD, "gold": GOLD} | changed)).scores
    assert str(error.value) == said


FAULTS = {
    "source sentence 1 (counted from 0) is in two beads": [(0, 2, 0, 1), (1, 2, 1, 2)],
    "target sentence 4 (counted from 0) is in two beads": [(0, 1, 0, 9), (1, 2, 4, 5)],
    "a bead without sentences on either side": [(1, 1, 2, 2)],
    "a bead of the target sentences from 3 up to, without, 2": [(0, 1, 3, 2)],
    "a bead of the source sentences from -1 up to, without, 1": [(-1, 1, 3, 4)],
    "a bead without numbers on both sides": [(0, None, 3, 4)],
}


def test_sql_finds_faults():
    bad = table(one=FAULTS, two={"d": [(0, 1, 0, 1)]})
    with connected() as con:
        con.register("bad", bad.to_arrow())
        found = con.execute("select system, doc, fault from bead_faults('bad')").fetchall()
        assert sorted(found) == sorted(("one", fault, fault) for fault in FAULTS)
        for doc in ("d", next(iter(FAULTS))):
            con.execute(f"create or replace view part as from bad where doc = '{doc}'")
            ask = con.sql("select count(*) from checked_beads('part')")
            if doc == "d":
                assert ask.fetchall() == [(1,)]
            else:
                with pytest.raises(Exception, match=re.escape(f"one, document '{doc}': {doc}")):
                    ask.fetchall()


def test_errors_in_sql():
    with connected() as con:
        con.register("gold", GOLD.to_arrow())
        con.execute("create table text as select 'd' as doc, sid, 's' as text from range(4) t(sid)")
        docs = "from (values ('b'), ('a')) t(doc)"
        con.execute(f"create table other as select doc, 0 as sid, 's' as text {docs}")
        con.execute(
            "create table whole as select 'd' as doc, sid, 's' as text from range(5) t(sid)"
        )
        con.execute("create table none as from text where false")
        asked = {
            "bead_counts('gold', 'gold', one_sided := 'none')": "one_sided is none; expected ",
            "bead_bitext('gold', 'text', 'text')": "document 'd' has no source sentence 4 ",
            "bead_bitext('gold', 'whole', 'other')": "target text has no document 'd'; it has a, b",
            "bead_bitext('gold', 'none', 'whole')": "source text has no document 'd'; it has none",
        }
        for query, said in asked.items():
            with pytest.raises(Exception, match=said):
                con.execute(f"select * from {query}").fetchall()


# --- the command


@pytest.fixture
def run(tmp_path):
    """Run the command in this process, in a separate folder."""

    return partial(helpers_cli.run, "beads", "score", folder=tmp_path)


TEXT = {
    "gold.beads": "[0]:[0]\n[1, 2]:[1]\n[3]:[]\n[4]:[2]\n",
    "hyp.beads": "[0]:[0]\n[1]:[1]\n[2]:[]\n[3]:[]\n[4]:[2]\n",
    "none.beads": "",
    "crossed.beads": "[0]:[1]\n[1]:[0]\n",
    "src": "a\nb\nc\nd\ne\n",
    "tgt": "A\nB\nC\nD\n",
    "short": "A\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in TEXT.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_json_has_scores_in_all_or_by_type(run, folder):
    for by in ("type", "doc,type", ""):
        words = ("--by", by) if by else ()
        done = run("--gold", "gold.beads", "--hyp", "hyp.beads", *words, "--json")
        assert done.stderr == ""
        keys = by.split(",") if by else []
        wanted = score(folder / "hyp.beads", folder / "gold.beads", by=keys).scores
        assert json_of(done.stdout) == wanted.to_dicts()
    (row,) = json_of(done.stdout)
    assert row["signature"].split("|", 1)[1] == (
        "metric:beads|empty:precision|average:corpus|missing:empty|lengths:last-bead"
    )
    assert [row[name] for name in slow.TOTALS] == [5, 3, 3, 2, 4, 3, 3, 4, 3, 3, 3, 5, 3]
    assert (row["strict_precision"], row["lax_precision"]) == (3 / 5, 4 / 5)


def test_files_of_one_document_are_matched(folder):
    gold = folder / "gold.beads"
    named = read_beads(folder / "hyp.beads", doc="a tale")
    found = score({"a": folder / "hyp.beads", "b": named}, gold).scores
    assert found["strict_f"].to_list() == [pytest.approx(12 / 19)] * 2
    assert score(folder / "hyp.beads", read_beads(gold)).scores["system"].to_list() == ["hyp"]
    with pytest.warns(DataWarning) as said:  # names in tables are kept
        score(named, read_beads(gold)).scores
    assert len(said) == 2


def test_tables_of_files_match_without_a_name(folder, connection):
    tables = [read_beads(folder / name) for name in ("hyp.beads", "gold.beads")]
    assert score(*tables).scores["strict_f"].to_list() == [pytest.approx(12 / 19)]
    for name, one in zip(("mine", "golden"), tables, strict=True):
        connection.register(name, one)
    found = connection.execute("select strict_f from bead_scores('mine', 'golden')").fetchall()
    assert found == [(pytest.approx(12 / 19),)]


def test_a_translation_memory_is_refused(run, folder):
    (folder / "x.tmx").write_text("<tmx><body/></tmx>")
    for words in (("x.tmx", "hyp.beads"), ("gold.beads", "x.tmx")):
        done = run("--gold", words[0], "--hyp", words[1], code=2)
        assert done.stdout == ""
        assert done.stderr == (
            "error: x.tmx: a translation memory numbers the sentences of its own units, not "
            "those of a text; convert it to beads and text first (alignframe convert "
            "FILE.tmx FILE.beads --src SRC --tgt TGT), and align that text\n"
        )


def test_systems_of_a_table_get_a_prefix(folder):
    both = pl.concat([table(a={"d": [(0, 1, 0, 1)]}), table(b={"d": [(0, 1, 1, 2)]})])
    assert quietly(lambda: score({"x": both}, GOLD).scores)["system"].to_list() == ["x/a", "x/b"]
    assert quietly(lambda: score(both, GOLD).scores)["system"].to_list() == ["a", "b"]
    lists = {name: [(0, 1, 0, 1)] for name in SPANS}  # systems called like columns
    assert quietly(lambda: score(lists, GOLD).scores)["system"].to_list() == sorted(SPANS)


def test_counts_and_differences_as_commands(folder):
    ends = {"src_start": [0, 1, 0], "src_end": [1, 2, 1], "tgt_start": [0, 1, 0]}
    for name, last in (("gold", [1, 2, 1]), ("one", [1, 2, 2]), ("two", [1, 2, 3])):
        table = pl.DataFrame({"doc": ["a", "a", "b"], **ends, "tgt_end": last})
        table.write_parquet(folder / f"{name}.parquet")
    words = ["--gold", "gold.parquet", "--hyp", "one=one.parquet", "--hyp", "two=two.parquet"]
    tables = [
        {name: folder / f"{name}.parquet" for name in ("one", "two")},
        folder / "gold.parquet",
    ]
    out, _ = helpers_cli.run("beads", "score", "--counts", *words, "--json", folder=folder)
    rows = json_of(out)
    assert rows == quietly(lambda: score(*tables).counts).to_dicts()
    drawn = {"bootstrap": 40, "seed": 2, "confidence": 0.9}
    more = ["--bootstrap", 40, "--set", "seed=2", "--set", "confidence=0.9"]
    out, _ = helpers_cli.run(
        "beads", "score", *words, "--baseline", "one", *more, "--json", folder=folder
    )
    assert json_of(out) == quietly(lambda: score(*tables, **drawn).compare("one")).to_dicts()
    out, _ = helpers_cli.run("beads", "score", *words, *more, "--json", folder=folder)
    assert json_of(out) == quietly(lambda: score(*tables, **drawn).scores).to_dicts()


def test_several_systems_of_text_and_a_table(run, folder):
    words = ("--gold", "gold.beads", "--hyp", "hyp.beads", "--hyp", "mute=none.beads")
    more = ("--one-sided", "ignore", "-o", "t.csv", "--json")
    done = run(*words, "--src", "src", "--tgt", "tgt", *more)
    assert done.stderr.splitlines() == [
        "warning: none.beads: the file is empty: no beads",
        "warning: mute has no beads of 1 document ('document'); gold's count as missed",
        "2 rows written to t.csv",
    ]
    one, two = json_of(done.stdout)
    assert (one["system"], one["strict_precision"]) == ("hyp", 2 / 3)
    assert one["alignment_rate"] == pytest.approx((3 / 5 + 3 / 4) / 2)
    assert (two["system"], two["pair_precision"], two["pair_recall"]) == ("mute", None, 0.0)
    assert pl.read_csv(folder / "t.csv")["system"].to_list() == ["hyp", "mute"]
    done = run("--gold", "gold.beads", "--hyp", "none.beads", "--json")
    assert [row["system"] for row in json_of(done.stdout)] == ["none"]
    done = run(*words, "--by", "doc", "--json")
    assert [(row["system"], row["doc"]) for row in json_of(done.stdout)] == [
        ("hyp", "document"),
        ("mute", "document"),
    ]


def test_tables_in_the_terminal(run, folder):
    done = run("--gold", "crossed.beads", "--hyp", "gold.beads")
    assert "warning: gold: 1 of 2 beads cross" in done.stderr
    assert "Beads against the 2 of gold\n" in done.stdout.replace("  ", "")
    assert "|metric:beads|empty:precision|" in done.stdout
    done = run("--gold", "gold.beads", "--hyp", "hyp-of-twelve=none.beads", "--by", "type")
    assert "Beads against the 4 of gold" in done.stdout
    (row,) = [line for line in done.stdout.splitlines() if line.startswith(" hyp-of-twelve  2-1")]
    assert row.split() == ["hyp-of-twelve", "2-1", "0", "1", "-", "0.0000", "-", "-", "0.0000", "-"]
    assert done.stdout.count("|metric:beads|") == 1


def test_tables_of_scores_fit_100_columns(run, folder):
    done = run("--gold", "gold.beads", "--hyp", "twelve-signs=hyp.beads", "--by", "type")
    assert max(map(len, done.stdout.splitlines()[1:])) <= 100
    assert " twelve-signs " in done.stdout


SHELL = {
    "--src src": "one side of the text; expected --src and --tgt, or neither",
    "--src src --tgt short": (
        "gold has a bead with the target sentence 2 of the document 'document', which has 1 sent"
    ),
    "--one-sided all": "unknown --one-sided 'all'",
    "--hyp hyp=gold.beads": "the system 'hyp' is in both hyp.beads and gold.beads; give",
    "--hyp no.beads": "no.beads: no such file",
    "-o t.doc": "t.doc: unknown suffix '.doc' for a table; expected .parquet",
}


@pytest.mark.parametrize(("words", "said"), SHELL.items(), ids=SHELL)
def test_an_error_ends_the_command_with_one_line(run, folder, words, said):
    done = run("--gold", "gold.beads", "--hyp", "hyp.beads", *words.split(), code=2)
    assert done.stdout == ""
    (message,) = done.stderr.splitlines()
    assert message.startswith(f"error: {said}")
    assert {path.name: path.read_text() for path in folder.iterdir()} == TEXT


def test_swapped_sides_are_named_in_a_warning(recwarn):
    gold = [(0, 2, 0, 1), *((k, k + 1, k - 1, k) for k in range(2, 40))]
    frame = pl.DataFrame(gold, ["src_start", "src_end", "tgt_start", "tgt_end"], orient="row")
    names = {"src": "tgt", "tgt": "src"}
    turned = frame.rename({one: names[one[:3]] + one[3:] for one in frame.columns})
    score({"a": frame}, frame).scores
    assert not recwarn.list
    with pytest.warns(DataWarning, match="b and gold share 0 of gold's first beads, and 39 if"):
        score({"a": frame, "b": turned}, frame).scores


def test_gold_as_written_keeps_beads_that_skip_a_sentence(tmp_path):
    gold, hyp, table = (tmp_path / name for name in ("gold.txt", "hyp.txt", "hyp.parquet"))
    gold.write_text("[0]:[0, 2]\n[]:[1]\n[1]:[3]\n[2, 4]:[4, 6]\n[3]:[5]\n")
    hyp.write_text("[0]:[0, 1, 2]\n[1]:[3]\n[2, 3, 4]:[5]\n")
    pl.from_arrow(read_beads(hyp)).write_parquet(table)
    with pytest.warns(DataWarning) as said:
        score({"hyp": hyp}, gold).scores["strict_precision"].to_list()
    extended = [str(one.message) for one in said if "extended" in str(one.message)]
    assert ["with `gold_as_written=True`" in text for text in extended] == [True]
    for one in (hyp, table):
        found = score({"hyp": one, "own": gold}, gold, gold_as_written=True)
        names = ("n_hyp", "n_gold", "n_hyp_strict", "n_gold_strict", "n_hyp_lax", "n_gold_lax")
        pairs = ("n_hyp_pairs", "n_gold_pairs", "n_both_pairs", "n_src_aligned", "n_tgt_aligned")
        rows = found.scores.select(*names, *pairs).rows()
        assert rows == [(3, 4, 1, 1, 3, 3, 7, 8, 4, 5, 5), (5, 4, 5, 4, 5, 4, 8, 8, 8, 5, 6)]
