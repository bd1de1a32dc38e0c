"""Counting links: the kernel, engines and sources against sets."""

import importlib
import inspect
from concurrent.futures import ThreadPoolExecutor

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from helpers.sql import connected
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.io.plugins import register_io_source
from reference import links as reference

from alignframe import beads, links
from alignframe.core.schemas import COUNTS
from alignframe.engines import polars as expressions
from alignframe.errors import DataWarning, InputError
from alignframe.functions import FUNCTIONS, bleu_counts, chrf_counts, count_links
from alignframe.links.counting import count_stream
from alignframe.links.inputs import gold_source, hypotheses
from alignframe.links.scoring import add_up

rows = st.lists(st.tuples(reference.link_sets, reference.gold_sets()), min_size=1, max_size=12)


def as_tuples(struct):
    return [row and tuple(row[name] for name in COUNTS) for row in struct.to_pylist()]


@given(rows, st.booleans())
def test_row_wise_counts_equal_sets(given_rows, large):
    hyp = reference.nested([sorted(h) for h, _ in given_rows], large)
    gold = reference.nested_gold([g for _, g in given_rows])
    wanted = [reference.count(h, *g) for h, g in given_rows]
    assert as_tuples(count_links(hyp, gold)) == wanted


@given(rows, st.randoms(use_true_random=False))
def test_unsorted_rows_have_the_same_counts(given_rows, random):
    """Unsorted or duplicate links do not change counts; Sure wins over Possible."""
    shuffled = []
    for h, _ in given_rows:
        some = [*h, *random.sample(sorted(h), len(h) // 2)]
        random.shuffle(some)
        shuffled.append(some)
    kind = pa.struct([("i", pa.uint16()), ("j", pa.uint16()), ("sure", pa.bool_())])
    twice = [
        [{"i": i, "j": j, "sure": False} for i, j in possible]
        + [{"i": i, "j": j, "sure": True} for i, j in sure]
        for _, (sure, possible) in given_rows
    ]
    found = count_links(reference.nested(shuffled), pa.array(twice, pa.list_(kind)))
    assert as_tuples(found) == [reference.count(h, *g) for h, g in given_rows]


@given(rows, st.integers(0, 5), st.integers(0, 5))
def test_slices_and_missing_rows(given_rows, start, stop):
    hyp = reference.nested([sorted(h) for h, _ in given_rows] + [None, [(1, 1)]])
    gold = reference.nested_gold([g for _, g in given_rows] + [(set(), {(1, 1)}), None])
    found = as_tuples(count_links(hyp[start:][: stop + 1], gold[start:][: stop + 1]))
    wanted = [reference.count(h, *g) for h, g in given_rows]
    wanted += [None, None]
    assert found == wanted[start:][: stop + 1]


def test_null_links_have_no_counts():
    hyp = reference.nested([[(0, 0)], None, []])
    found = count_links(hyp, reference.nested_gold([None, (set(), set()), (set(), set())]))
    assert found.to_pylist() == [None, None, dict.fromkeys(COUNTS, 0)]


@settings(max_examples=3)
@given(rows)
def test_sql_polars_and_python_agree(given_rows):
    hyp = pa.table(
        {
            "system": ["one"] * len(given_rows),
            "sid": range(len(given_rows)),
            "links": reference.nested([sorted(h) for h, _ in given_rows]),
        }
    )
    gold = pa.table(
        {"sid": range(len(given_rows)), "links": reference.nested_gold([g for _, g in given_rows])}
    )
    wanted = [(sid, *reference.count(h, *g)) for sid, (h, g) in enumerate(given_rows)]
    names = ", ".join(COUNTS)
    with connected() as con:
        con.register("hyp", hyp)
        con.register("gold", gold)
        query = f"select sid, {names} from link_counts('hyp', 'gold') order by sid"
        in_sql = con.execute(query).fetchall()
        # A long table cannot represent a sentence without links. Those of a system and gold must
        # overlap, and equally many others might be numbered from another start.
        linked = {sid for sid, (h, _) in enumerate(given_rows) if h}
        wanted_sids = {sid for sid, (_, g) in enumerate(given_rows) if g[1]}
        differ = linked != wanted_sids and len(linked) == len(wanted_sids)
        if linked & wanted_sids and not differ:
            con.sql("create table long_hyp as select system, sid, i, j from long_links('hyp')")
            con.sql("create table long_gold as select sid, i, j, sure from long_links('gold')")
            asked = query.replace("'hyp', 'gold'", "'long_hyp', 'long_gold'")
            assert con.execute(asked).fetchall() == [wanted[sid] for sid in sorted(wanted_sids)]
    pairs = pl.DataFrame(hyp).join(pl.DataFrame(gold).rename({"links": "gold"}), on="sid")
    counted = pairs.select("sid", c=expressions.count_links("links", "gold")).unnest("c")
    in_python = links.score(hyp, gold).counts.select("sid", *COUNTS).rows()
    assert in_sql == wanted
    assert counted.sort("sid").rows() == wanted
    assert in_python == wanted


GIVEN = {
    ("a", 0): {(0, 0), (1, 1)},
    ("a", 1): {(0, 1)},
    ("b", 1): {(0, 0), (0, 1)},
    ("b", 7): {(2, 2)},
}
TRUTH = {0: ({(0, 0)}, {(0, 0), (1, 1)}), 1: ({(0, 1)}, {(0, 1)}), 2: ({(3, 3)}, {(3, 3)})}
WANTED = {
    ("a", 0): (2, 1, 2, 1, 2),
    ("a", 1): (1, 1, 1, 1, 1),
    ("a", 2): (0, 1, 1, 0, 0),
    ("b", 0): (0, 1, 2, 0, 0),
    ("b", 1): (2, 1, 1, 1, 1),
    ("b", 2): (0, 1, 1, 0, 0),
}


def hypothesis_table():
    return pa.table(
        {
            "system": [system for system, _ in GIVEN],
            "sid": [sid for _, sid in GIVEN],
            "links": reference.nested([sorted(row) for row in GIVEN.values()]),
        }
    )


def gold_table():
    return pa.table({"sid": list(TRUTH), "links": reference.nested_gold(list(TRUTH.values()))})


def long_table(shuffled=False):
    flat = [(system, sid, i, j) for (system, sid), row in GIVEN.items() for i, j in sorted(row)]
    if shuffled:
        flat = flat[::2] + flat[1::2]
    return pa.table(dict(zip(("system", "sid", "i", "j"), zip(*flat, strict=True), strict=True)))


def check(hyp, gold, **options):
    with pytest.warns(DataWarning) as warned:
        frame = links.score(hyp, gold, **options).counts
    texts = sorted(str(one.message) for one in warned)
    assert texts == [
        "a has no row for 1 of 3 gold sentences, scored as empty",
        "b has 1 sentence that gold does not have, ignored",
        "b has no row for 2 of 3 gold sentences, scored as empty",
    ]
    found = {(row[0], row[1]): row[2:] for row in frame.select("system", "sid", *COUNTS).rows()}
    assert found == WANTED


def frames():
    table = hypothesis_table()
    return {
        "pyarrow": table,
        "polars": pl.DataFrame(table),
        "lazy": pl.DataFrame(table).lazy(),
        "pandas": pd.DataFrame(table.to_pylist()),
        "reader": table.to_reader(),
        "batch": table.combine_chunks().to_batches()[0],
        "dataset": ds.dataset(table),
        "relation": duckdb.from_arrow(table),
        "long": long_table(),
        "long, unsorted": long_table(shuffled=True),
        "large lists": pl.DataFrame(table).to_arrow(),
    }


@pytest.mark.parametrize("kind", sorted(frames()))
def test_every_kind_of_frame(kind):
    check(frames()[kind], gold_table())


@pytest.mark.parametrize("table", [hypothesis_table(), long_table(), long_table(shuffled=True)])
@pytest.mark.parametrize("group", [1, 2, 100])
@pytest.mark.parametrize("threads", [0, 3])
def test_parquet_in_pieces(tmp_path, table, group, threads):
    pq.write_table(table, tmp_path / "hyp.parquet", row_group_size=group)
    pq.write_table(gold_table(), tmp_path / "gold.parquet", row_group_size=group)
    if not threads:
        check(tmp_path / "hyp.parquet", tmp_path / "gold.parquet")
        return
    with ThreadPoolExecutor(threads) as executor:
        check(tmp_path / "hyp.parquet", str(tmp_path / "gold.parquet"), threads=executor)


def test_pieces_in_processes(tmp_path, processes):
    pq.write_table(hypothesis_table(), tmp_path / "hyp.parquet", row_group_size=2)
    check(str(tmp_path / "hyp.parquet"), gold_table(), threads=processes)


def test_hive_folders_and_globs(tmp_path):
    table = hypothesis_table()
    for system in ("a", "b"):
        folder = tmp_path / "lake" / f"system={system}" / "domain=news"
        folder.mkdir(parents=True)
        mine = table.filter(pa.array([name == system for name in table["system"].to_pylist()]))
        pq.write_table(mine.drop_columns(["system"]), folder / "part.parquet")
    check(tmp_path / "lake", gold_table())
    check(str(tmp_path / "lake" / "*" / "*" / "*.parquet"), gold_table())
    (tmp_path / "long").mkdir()
    first, rest = long_table().slice(0, 1), long_table().slice(1)  # a sentence goes on in a file
    for name, part in (("1", first), ("2", rest)):
        pq.write_table(part, tmp_path / "long" / f"{name}.parquet")
    check(tmp_path / "long", gold_table())
    with pytest.warns(DataWarning):
        frame = links.score(tmp_path / "lake", gold_table(), by=["domain"]).counts
    present = frame.filter(pl.col("n_hyp") > 0)
    assert present["domain"].unique().to_list() == ["news"]


@pytest.mark.parametrize("block", [1, 2, 100])
def test_gold_in_blocks(block):
    """Gold too large for one block is read in several; nothing is lost between them."""
    with pytest.warns(DataWarning):
        tables = list(
            count_stream(
                hypotheses(hypothesis_table()), gold_source(gold_table()), block_links=block
            )
        )
    total = add_up(pa.concat_tables(tables), keys=["system"]).to_pylist()
    wanted = {
        system: [sum(c[k] for (name, _), c in WANTED.items() if name == system) for k in range(5)]
        for system in ("a", "b")
    }
    assert {row["system"]: [row[name] for name in COUNTS] for row in total} == wanted


def test_a_mapping_names_and_renames_systems():
    one = hypothesis_table().slice(0, 2)
    with pytest.warns(DataWarning):
        assert links.score({"x": one}, gold_table()).counts["system"].unique().to_list() == ["x"]
    with pytest.warns(DataWarning):
        both = links.score({"x": hypothesis_table()}, gold_table()).counts
    assert sorted(both["system"].unique()) == ["x/a", "x/b"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pa.table({"sid": [0]}), "expected sid, i and j"),
        (pa.table({"sid": [0], "i": [0]}), "expected sid, i and j"),
        (pa.table({"sid": [0], "links": [7]}), "a column links of type int64"),
        (pa.table({"sid": [0], "i": [70000], "j": [0]}), "the link position 70000"),
        (pa.table({"sid": [0], "i": [-1], "j": [0]}), "the link position -1"),
        (
            pa.table({"sid": [0], "i": pa.array([None], pa.uint16()), "j": [0]}),
            "null i in 1 of 1 row",
        ),
        (pa.table({"sid": ["x"], "i": [0], "j": [0]}), "a column sid of type"),
        (hypothesis_table().slice(0, 0), "no rows"),
    ],
)
def test_unusable_tables(table, message):
    with pytest.raises(InputError, match=message):
        links.score(table, gold_table()).counts
    with pytest.raises(InputError):
        links.score(hypothesis_table(), table).counts


HYP, GOLD = hypothesis_table(), gold_table()


@pytest.mark.parametrize(
    ("hyp", "gold", "options", "message"),
    [
        (HYP, GOLD, {"strict": True}, r"a .*1 of 3"),
        ([HYP, HYP], GOLD, {}, "'a' is in both"),
        (pa.concat_tables([HYP, HYP.slice(0, 1)]), GOLD, {}, r"a .*0 more than once"),
        (HYP, pa.concat_tables([GOLD, GOLD.slice(1, 1)]), {}, r"gold .*1 more than once"),
        (3, GOLD, {}, "an object of type int given as"),
        (HYP, GOLD, {"by": ["domain"]}, "'domain'"),
    ],
)
def test_other_input_is_refused(hyp, gold, options, message):
    with pytest.raises(InputError, match=message):
        links.score(hyp, gold, **options).counts


def test_long_tables_cut_inside_sentences(tmp_path):
    """A sentence that crosses row groups is one sentence."""
    rng = np.random.default_rng(0)
    sid = np.repeat(np.arange(50), 9)
    i, j = np.tile(np.arange(9), 50), rng.integers(0, 9, 450)
    table = pa.table({"sid": sid, "i": i, "j": j})
    pq.write_table(table, tmp_path / "long.parquet", row_group_size=7)
    frame = links.score({"s": tmp_path / "long.parquet"}, table).counts
    assert frame["n_hyp"].to_list() == [9] * 50
    assert frame["n_hyp_sure"].to_list() == [9] * 50


def test_links_outside_the_text_are_refused(tmp_path):
    text = pa.table({"sid": [2, 1, 0], "src": [["x"] * 9] * 3, "tgt": [["y"] * 9] * 3})
    with pytest.warns(DataWarning):
        frame = links.score(hypothesis_table(), gold_table(), by=["length"], bitext=text).counts
    assert frame["length"].unique().to_list() == ["6-10"]
    short = pa.table(
        {"sid": [0, 1, 2], "src": [["x"] * 9] * 3, "tgt": [["y"], ["y"] * 9, ["y"] * 9]}
    )
    with pytest.raises(InputError, match=r"sentence 0 of gold: the link 1-1 .* lies outside"):
        links.score(hypothesis_table(), gold_table(), bitext=short).counts
    pq.write_table(hypothesis_table(), tmp_path / "hyp.parquet")
    gold = pa.table({"sid": [1], "links": reference.nested_gold([({(0, 0)}, {(0, 0)})])})
    tiny = pa.table({"sid": [1], "src": [["x"]], "tgt": [["y"]]})
    with pytest.raises(
        InputError, match=r"sentence 1 of a hypothesis: the link 0-1 .* lies outside"
    ):
        links.score(tmp_path / "hyp.parquet", gold, bitext=tiny).counts
    with pytest.raises(InputError, match="the text has no sentence 0"):
        links.score(hypothesis_table(), gold_table(), bitext=tiny).counts


def test_labels_of_other_types():
    """Labels may be 0 and 1, but not strings or fractions."""
    rows = [[{"i": 0, "j": 0, "sure": 0}, {"i": 1, "j": 1, "sure": 1}]]
    frame = links.score(
        {"x": hypothesis_table().slice(0, 1)}, pa.table({"sid": [0], "links": rows})
    ).counts
    assert frame["n_sure"].to_list() == [1]
    assert frame["n_possible"].to_list() == [2]
    long = pa.table({"sid": [0, 0], "i": [0, 1], "j": [0, 1], "sure": [0, 1]})
    assert links.score({"x": long}, long).counts["n_sure"].to_list() == [1]
    for labels in (["S", "P"], [0.9, 1.0], [2, 1]):
        bad = long.set_column(3, "sure", pa.array(labels))
        with pytest.raises(InputError, match=r"labels? sure"):
            links.score({"x": long}, bad).counts


def test_missing_links_in_a_list_are_refused():
    hyp = reference.nested([[(5, 5)]]).to_pylist()
    kind = pa.list_(pa.struct([("i", pa.uint16()), ("j", pa.uint16())]))
    with pytest.raises(InputError, match="a missing link"):
        count_links(pa.array([[*hyp[0], None]], kind), reference.nested_gold([(set(), set())]))
    with pytest.raises(InputError, match=r"columns of \[1, 2\] rows"):
        count_links(reference.nested([[]]), reference.nested([[], []]))


def test_columns_with_internal_names():
    gold = gold_table().append_column("unit", pa.array([7, 7, 8]))
    with pytest.warns(DataWarning):
        frame = links.score(hypothesis_table(), gold, by=["unit"], bootstrap=5).scores
    assert frame.filter(system="a")["sentences"].to_list() == [2, 1]
    with pytest.raises(InputError, match="the name of a result"):
        links.score(hypothesis_table(), gold, by=["n_hyp"]).counts


@pytest.mark.parametrize("kind", [pl.String, pl.Categorical, pl.Enum(["news", "talk"])])
def test_grouping_by_polars_strings(kind):
    domains = pl.Series("domain", ["news", "talk", None], dtype=kind)
    gold = pl.DataFrame(gold_table()).with_columns(domains)
    systems = pl.col("system").cast(pl.Categorical)
    for hyp in (
        pl.DataFrame(hypothesis_table()).with_columns(systems),
        pl.DataFrame(hypothesis_table()).with_columns(systems).lazy(),
        pl.DataFrame(long_table()).with_columns(systems),
    ):
        with pytest.warns(DataWarning):
            frame = links.score(hyp, gold, by="domain").counts
        assert frame.filter(system="a")["domain"].to_list() == ["news", "talk", None]
        with pytest.warns(DataWarning):
            named = links.score({"x": hyp}, gold).counts
        assert sorted(named["system"].unique()) == ["x/a", "x/b"]


def test_systems_with_unusual_dictionaries():
    for words, last in ((["a", "a", "b"], 0), (["a", None, "b"], 0), (["a", "a", "b"], None)):
        names = pa.DictionaryArray.from_arrays(
            pa.array([0, 1, 2, last], pa.int32()), pa.array(words)
        )
        table = pa.table({"system": names, "sid": [0, 1, 0, 2], "links": [[]] * 4})
        table = table.set_column(2, "links", reference.nested([[(0, 0)]] * 4))
        if None in (*words, last):
            with pytest.raises(InputError, match=r"null system in 1 of 4 rows, .* sentence [12];"):
                links.score(table, gold_table()).counts
            continue
        with pytest.warns(DataWarning):
            frame = links.score(table, gold_table()).counts
        assert set(frame["system"].unique()) == {"a", "b"}
        assert frame.height == 3 * 2


@pytest.mark.parametrize("block", [1, 100])
def test_unsorted_links_without_a_system(block):
    table = long_table(shuffled=True).drop_columns(["system"])
    gold = pa.table({"sid": [0, 1, 7], "links": reference.nested_gold([(set(), set())] * 3)})
    tables = list(count_stream(hypotheses(table), gold_source(gold), block_links=block))
    total = add_up(pa.concat_tables(tables), keys=["system"]).to_pylist()
    assert [row["system"] for row in total] == ["hypothesis"]
    assert total[0]["sentences"] == 3


def test_gold_sentences_across_files_and_out_of_order(tmp_path):
    flat = long_links_of_truth()
    pq.write_table(flat.slice(0, 1), tmp_path / "0.parquet")
    pq.write_table(flat.slice(1), tmp_path / "1.parquet")
    check(hypothesis_table(), tmp_path)
    check(hypothesis_table(), flat.take([3, 1, 2, 0]))


def long_links_of_truth():
    flat = [
        (sid, i, j, (i, j) in sure)
        for sid, (sure, possible) in TRUTH.items()
        for i, j in sorted(possible)
    ]
    return pa.table(dict(zip(("sid", "i", "j", "sure"), zip(*flat, strict=True), strict=True)))


def test_files_of_different_layouts_are_refused(tmp_path):
    pq.write_table(hypothesis_table(), tmp_path / "0.parquet")
    pq.write_table(long_table(), tmp_path / "1.parquet")
    with pytest.raises(InputError, match="files with the same layout"):
        links.score(tmp_path, gold_table()).counts


def test_names_of_hive_folders(tmp_path):
    one = hypothesis_table().slice(0, 2).drop_columns(["system"])
    for name in ("system=a%20b", "system=__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / name).mkdir()
        pq.write_table(one, tmp_path / name / "part.parquet")
    with pytest.warns(DataWarning):
        frame = links.score(tmp_path / "system=a%20b", gold_table()).counts
    assert frame["system"].unique().to_list() == ["a b"]
    with pytest.raises(InputError, match="null system in 2 of 2 rows"):
        links.score(tmp_path, gold_table()).counts


def test_gold_has_null_keys_of_folders(tmp_path):
    for sid, name in enumerate(("domain=news", "domain=__HIVE_DEFAULT_PARTITION__", ".")):
        (tmp_path / name).mkdir(exist_ok=True)
        pq.write_table(gold_table().slice(sid, 1), tmp_path / name / "part.parquet")
    with pytest.warns(DataWarning):
        frame = links.score(hypothesis_table(), tmp_path, by=["domain"]).counts.sort("sid")
    assert frame.filter(system="a")["domain"].to_list() == ["news", None, None]


def test_a_lazy_frame_is_asked_only_for_the_sentences_and_columns_needed():
    table = pl.DataFrame(hypothesis_table()).with_columns(note=pl.lit("long"))
    asked = []

    def rows(columns, predicate, _rows, _batch):
        asked.append((predicate is not None, "note" in (columns or table.columns)))
        kept = table if predicate is None else table.filter(predicate)
        yield kept if columns is None else kept.select(columns)

    lazy = register_io_source(rows, schema=table.schema)
    gold = pa.concat_tables([gold_table().slice(sid, 1) for sid in range(3)])  # three blocks
    found = []
    for hyp in (lazy, table):
        with pytest.warns(DataWarning):
            tables = list(count_stream(hypotheses(hyp), gold_source(gold), block_links=1))
        found.append(pl.from_arrow(pa.concat_tables(tables)).sort("system", "sid"))
    assert found[0].equals(found[1])
    assert asked.count((True, False)) == 3
    assert not any(note for _, note in asked)


def test_two_relations_of_one_connection():
    with duckdb.connect() as con:
        hyp, gold = con.from_arrow(hypothesis_table()), con.from_arrow(gold_table())
        with pytest.warns(DataWarning):
            tables = list(count_stream(hypotheses(hyp), gold_source(gold), block_links=1))
    assert sum(table.num_rows for table in tables) == 6


@pytest.mark.parametrize(
    ("mine", "theirs"), [((1, 0), (0, 256)), ((0, 256), (1, 0)), ((256, 3), (0, 3))]
)
def test_positions_in_the_same_cell_of_the_grid(mine, theirs):
    """Links in the same cell of the grid are still told apart."""
    gold = reference.nested_gold([({theirs}, {theirs}), ({mine}, {mine, theirs})])
    found = as_tuples(count_links(reference.nested([[mine], [mine]]), gold))
    assert found == [(1, 1, 1, 0, 0), (1, 1, 2, 1, 1)]


# --- the registry


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.name)
def test_every_engine_follows_the_registry(function):
    made = getattr(expressions, function.name)
    assert function.name in expressions.__all__
    assert function.summary in made.__doc__
    place = importlib.import_module(function.call.__module__)
    own = inspect.signature(getattr(place, function.call.__name__)).parameters
    assert [*inspect.signature(made).parameters] == [*function.arguments]
    for name, value in function.defaults.items():
        assert inspect.signature(made).parameters[name].default == value
        if name in own:
            assert own[name].default in (value, None)  # None stands for the default
        else:
            assert getattr(beads.Options(), name) == value or value is None


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: expressions.count_links("a", "b", c=1), "unknown option 'c'.*hyp, gold"),
        (lambda: expressions.count_links("a", ["b"]), r"count_links: `gold` is \['b'\].*column"),
        (lambda: expressions.symmetrize("a", "b", 3), "symmetrize: `method` is 3; expected str"),
        (lambda: expressions.chrf_counts("a", "b", 1.5), "`word_order` is 1.5; expected int"),
        (lambda: expressions.chrf_counts("a", "b", beta=True), "`beta` is True; expected float"),
        (
            lambda: expressions.chrf_counts("a", "b", whitespace=1),
            "`whitespace` is 1; expected bool",
        ),
        (lambda: bleu_counts(pa.array(["a"]), pa.array([[["a"]]])), "words .* are string.*list"),
        (lambda: chrf_counts(pa.array(["a"]), pa.array(["a"])), "references .* are string.*list"),
    ],
)
def test_arguments_of_row_wise_functions_are_checked(call, said):
    with pytest.raises(InputError, match=said):
        call()


def test_arguments_of_expressions():
    with pytest.raises(TypeError, match="gold"):
        expressions.count_links("links")
    frame = pl.DataFrame({"a": ["abcde", "abcd"], "b": ["abcdx", "abce"], "n": [4, 4]})
    for letters in (4, np.int64(4), 4.0, "n", pl.col("n")):
        made = expressions.same_prefix("a", b="b", letters=letters)
        assert frame.select(made)["a"].to_list() == [True, False]
