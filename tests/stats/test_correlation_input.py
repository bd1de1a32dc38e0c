"""External scores and tables that cannot be correlated, and files of scores."""

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.sql import connected
from reference.correlation import GOOD, made_counts, saved

from alignframe import formats
from alignframe.errors import DataWarning, InputError
from alignframe.stats import correlate

# --- bad input


@pytest.mark.parametrize(
    ("outside", "said"),
    [
        ({"a": 1, "b": 2}, r"2 systems .*\(a, b; without a score: c; .* at least 3"),
        ({"a": 1, "b": 2, "d": 3, "e": 4}, "without a score: c; without links: d, e"),
        ({"a": 1, "b": 2, "c": None}, "score of the system 'c' is missing"),
        ({"a": 1, "b": 2, "c": float("nan")}, "score of the system 'c' is missing"),
        ({"a": 1, "b": 2, "c": float("inf")}, "external score inf of 'c'; expected a finite"),
        ({"a": 1, "b": 2, "c": "29,1"}, "external score '29,1' of 'c'"),
        ({"a": 1, "b": 2, "c": True}, "external score .* of 'c'"),
        ({"a": 2, "b": 2, "c": 2}, "all external scores are 2"),
        (pl.DataFrame({"system": ["a", "b", "c"]}), "the column score"),
        (pl.DataFrame({"system": ["a", "b", "b"], "score": [1, 2, 3]}), "'b' has more than one"),
        (pl.DataFrame({"system": ["a", "b", None], "score": [1, 2, 3]}), "without a system"),
        (pl.DataFrame({"system": ["a", "b", "c"], "score": ["1", "2", "3"]}), "score '1' of 'a'"),
        (17, "an object of type int given as"),
    ],
)
def test_bad_external_scores(outside, said):
    with pytest.raises(InputError, match=said):
        correlate(GOOD, outside)


def test_systems_without_a_score_are_named():
    frame = pl.DataFrame({"system": list("abcde"), "f_0.5": [0.1, 0.2, 0.4, 0.5, 0.6]})
    with pytest.raises(InputError, match=r"no external score for d, e"):
        correlate(frame, {"a": 1, "b": 2, "c": 3})


def test_scores_without_a_system_cause_a_warning():
    outside = {"a": 1, "b": 2, "c": 3}
    with pytest.warns(DataWarning, match="2 external scores .*: x, y"):
        out = correlate(GOOD, {**outside, "y": 4, "x": 5})
    assert out.equals(correlate(GOOD, outside))


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (GOOD.drop("system"), "the column system"),
        (GOOD.drop("f_0.5"), "expected counts"),
        (GOOD.with_columns(**{"f_0.5": pl.lit("x")}), "expected counts"),
        (pl.concat([GOOD, GOOD]), "'a' has more than one row of scores"),
        (GOOD.with_columns(n_hyp=pl.lit(1)), "the column n_sure"),
        (GOOD.with_columns(system=pl.lit(None, pl.String)), "a row without a system"),
    ],
)
def test_bad_tables_of_scores(frame, said):
    with pytest.raises(InputError, match=said):
        correlate(frame, {"a": 1, "b": 2, "c": 3})


def test_bad_tables_of_counts():
    counts, outside = made_counts(3, 4, 0), {"s0": 1, "s1": 2, "s2": 3}
    lacking = counts.filter(~((pl.col("system") == "s1") & (pl.col("sid") == 2)))
    with pytest.raises(InputError, match=r"'s1' .*3 of 4 .*links\.score\(.*counts"):
        correlate(lacking, outside)
    with pytest.raises(InputError, match=r"'s0' .*0 more than once"):
        correlate(pl.concat([counts, counts.head(1)]), outside)
    with pytest.raises(InputError, match=r"n_hyp .* expected counts from 0"):
        correlate(counts.with_columns(n_hyp=-pl.col("n_hyp") - 1), outside)
    with pytest.raises(InputError, match=r"n_sure .* 12 missing"):
        correlate(counts.with_columns(n_sure=pl.lit(None, pl.Int64)), outside)
    with pytest.raises(InputError, match="sid of type String"):
        correlate(counts.with_columns(pl.col("sid").cast(pl.String)), outside)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"alpha": [1.5]}, r"`alpha` is 1\.5"),
        ({"bootstrap": -1}, "`bootstrap` is -1"),
        ({"confidence": 1}, "`confidence` is 1"),
    ],
)
def test_bad_options(options, said):
    with pytest.raises(InputError, match=said):
        correlate(GOOD, {"a": 1, "b": 2, "c": 3}, **options)


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ("('a', 1), ('b', 2)", "2 systems with measures and an external score"),
        ("('x', 1), ('y', 2)", "0 systems with measures and an external score"),
        ("('a', 1), ('b', 2), ('c', null)", "score of the system c is missing"),
        ("('a', 1), ('b', 2), ('c', 'nan'::double)", "score of the system c is missing"),
        ("('a', 1), ('b', 2), ('b', 2), ('c', 3)", "b has more than one external score"),
        ("('a', 2), ('b', 2), ('c', 2)", "all external scores are the same"),
    ],
)
def test_bad_scores_in_sql(scores, said):
    with connected() as con:
        con.execute("create table counts as select * from made_counts_of_three")
        con.execute("create table measured as select * from measure_values('counts')")
        con.execute(f"create table outside as select * from (values {scores}) as s(system, score)")
        with pytest.raises(Exception, match=said):
            con.execute("select * from correlations('measured', 'outside')").fetchall()


made_counts_of_three = made_counts(3, 4, 0).with_columns(
    pl.col("system").replace({"s0": "a", "s1": "b", "s2": "c"})
)


# --- files of external scores


def test_files_of_scores(tmp_path):
    rows = {"system": ["a", "b"], "score": [1.5, 2.0], "group": ["union", "none"]}
    csv = "\ufeffsystem,score,group\r\na,1.5,union\r\n\r\nb, 2 ,\r\n"
    lines = '{"system": "a", "score": 1.5, "group": "union"}\n\n{"system": "b", "score": 2}\n'
    pq.write_table(pa.table(rows), tmp_path / "s.parquet")
    for path in (
        saved(tmp_path / "s.csv", csv),
        saved(tmp_path / "s.tsv", csv.replace(",", "\t")),
        saved(tmp_path / "s.jsonl", lines),
        tmp_path / "s.parquet",
    ):
        assert formats.read_external(path).to_pydict() == rows
    plain = formats.read_external(saved(tmp_path / "t.csv", "score,system\n1,a\n"))
    assert plain.to_pydict() == {"system": ["a"], "score": [1.0]}


def test_unknown_columns_are_named(tmp_path):
    path = saved(tmp_path / "s.csv", "system,score,ter\na,1,2\n")
    with pytest.warns(DataWarning, match="1 other columns .*ter"):
        formats.read_external(path)


@pytest.mark.parametrize(
    ("name", "text", "line", "said"),
    [
        ("s.csv", "system,score\na,1\nb,x\n", 3, "the score 'x' of the system 'b'; expected a"),
        ("s.csv", 'system,score\na,"28,5"\n', 2, "the score '28,5'"),
        ("s.csv", "system,score\na,nan\n", 2, "expected a finite number"),
        ("s.csv", "system,score\na,\n", 2, "no score for the system 'a'; expected a number"),
        ("s.csv", "system,score\n,3\n", 2, "a row without a system; expected"),
        ("s.csv", "system,score\na,1\n\na,2\n", 4, "the system 'a' again, after line 2; expected"),
        ("s.csv", "system,score\na\n", 2, "1 cell; expected 2"),
        (
            "s.csv",
            "system,bleu\na,1\n",
            None,
            "columns 'system', 'bleu'; expected one column 'score'",
        ),
        ("s.csv", 'system,score\n"a,1\n', 2, "a quote that is not closed"),
        ("s.csv", "", None, "the file is empty; expected"),
        ("s.csv", "system,score\n", None, "scores without rows; expected"),
        ("s.jsonl", '{"system": "a", "score": 1}\n{"system"\n', 2, "invalid JSON"),
        ("s.jsonl", "[1]\n", 1, r"\[1\]; expected an object"),
        ("s.jsonl", 'null\n{"system": "a"}\n', 1, "null; expected an object"),  # crashes Arrow
        ("s.jsonl", '{"s": 1}\n{"s": "\\udc00"}\n', 2, r"\\udc00, half of a pair"),
        ("s.jsonl", '{"system": "a", "score": true}\n', 1, "the score True"),
        ("s.jsonl", '{"system": "a"}\n', None, "expected one column 'score'"),
        (
            "s.txt",
            "a 1\n",
            None,
            r"the suffix '.txt' of a table of scores; expected .parquet, .csv, .tsv or .jsonl",
        ),
        ("s.parquet", "no parquet", None, "not a Parquet file"),
    ],
)
def test_bad_files_of_scores(tmp_path, name, text, line, said):
    path = saved(tmp_path / name, text)
    place = str(path) if line is None else f"{path}:{line}"
    with pytest.raises(InputError, match=said) as caught:
        formats.read_external(path)
    assert str(caught.value).startswith(f"{place}: ")


def test_a_binary_file(tmp_path):
    path = tmp_path / "s.csv"
    path.write_bytes("system,score\né,1\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"s\.csv:2: the byte 0xe9"):
        formats.read_external(path)
    with pytest.raises(InputError, match="no such file"):
        formats.read_external(tmp_path / "none.csv")


@pytest.mark.parametrize("seed", [-1, 1.5])
def test_seeds_are_integers_from_0(seed):
    values = pl.DataFrame({"system": list("abc"), "m": [0.1, 0.5, 0.3]})
    with pytest.raises(InputError, match=f"^`seed` is {seed}; expected a whole number from 0$"):
        correlate(values, {"a": 1, "b": 2, "c": 3.5}, seed=seed)


@pytest.mark.parametrize("score", ["1_0", "٣", "0x10"])
def test_numbers_in_other_notations_are_refused(tmp_path, score):
    path = saved(tmp_path / "s.csv", f"system,score\na,{score}\n")
    with pytest.raises(InputError, match=r"s\.csv:2: the score"):
        formats.read_external(path)
