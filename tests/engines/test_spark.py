"""Row-wise functions inside Spark, on Sail: the same results as in DuckDB."""

import math
import os
import threading

import pyarrow as pa
import pytest
from helpers.sql import connected

from alignframe.engines import spark as engine
from alignframe.engines.spark import returned, type_name
from alignframe.functions import FUNCTIONS
from alignframe.functions.mt import bleu_names

pytestmark = pytest.mark.filterwarnings("ignore:improbable beads")  # texts are made up

ROWS = """
select
  parse_links(hyp) as hyp,
  parse_links(gold) as gold,
  hyp as text,
  string_split(src, ' ') as src,
  string_split(tgt, ' ') as tgt,
  src as sentence,
  tgt as reference,
  n::bigint as n,
  [{'observed': n::double, 'drawn': [1, n::double], 'units': 9, 'exchanged': [0.5::double, -0.5]}]
    as family
from (values
  ('0-0 1-1', '0-0 1?1', 'the old cat', 'the cat', 1),
  ('0-1 1-0 2-2', '2-2', 'a house', 'one house', 2),
  ('', '0-0', 'government', 'gouvernement', 3),
  (null, null, 'x', 'y', 4)
) as given_rows(hyp, gold, src, tgt, n)
"""
CALLS = [
    "count_links(hyp, gold)",
    "symmetrize(hyp, gold, 'union')",
    "retokenize(gold, src, tgt, src, split(upper(reference), ' '))",
    "sorted_links(gold)",
    "invert_links(hyp)",
    "sorted_links(hyp)",
    "parse_links(text)",
    "format_links(gold)",
    "extract_phrases(hyp)",
    "extract_phrases(hyp, 'moses', n, 3, 3)",
    "add_null_links(hyp, n + 2, 3)",
    "add_null_links(gold, n + 2, 3)",
    "count_null_links(hyp, n + 2, 3)",
    "count_null_links(hyp)",
    "llr(n, n + 1, n + 2, 10)",
    "llr(n, n + 1, n + 2, 10, true)",
    "lcsr(sentence, reference)",
    "same_prefix(sentence, reference, 2)",
    "removed_candidates(src, tgt, 'cognate:0.2,alignment')",
    "align_sentences(src, tgt, 'len')",
    "align_lengths(array[n, 12], array[n + 1, 11])",
    "align_words(src, tgt, null) is null",
    "resampled_sums(array[n * 1.0, 2.0], 5)",
    "resampling_unit(n)",
    "table_notes('null', 'null', array['h', 'g'], array['sid'])",
    "interval_ends(array[n * 1.0, 2.0], 1.5, 10)",
    "exchanged_sums(array[n * 1.0, 2.0], array[3.0, 4.0], 5)",
    "paired_tests(family)",
    "analyse_text(sentence)",
    "ngram_match(analyse_text(sentence), analyse_text(reference), 1, 'ms', 'none')",
    "tesla_counts(analyse_text(sentence), analyse_text(reference), 'none')",
    "tesla_m(analyse_text(sentence), analyse_text(reference), 'none')",
    "bleu_counts(src, array[tgt])",
    "chrf_counts(sentence, array[reference], 2)",
    "alignment_precision(n - 1, 0)",
    "alignment_recall(n, n / 2)",
    "aer(n - 1, n - 1, 0, 0)",
    "aer(n, nullif(n, 2), 1, 1)",
    "f_alpha(n / 10, n, n - 1, n - 1, n)",
    "f_alpha(0.3, 2, 4, 1, 2)",
    "link_figures(n / 10, n, n - 1, n - 1, nullif(n, 2))",
]


def plain(value):
    """Return a value of DuckDB or Spark as plain Python."""
    if hasattr(value, "asDict"):
        value = value.asDict()
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, float):
        return "nan" if math.isnan(value) else float(f"{value:.12g}")
    return value


@pytest.fixture(scope="module")
def both(spark):
    """Return the results of every call, from DuckDB and from Spark."""
    with connected() as con:
        con.execute(f"create table given_rows as {ROWS}")
        table = con.sql("from given_rows").to_arrow_table()
        one = con.execute(f"select {', '.join(CALLS)} from given_rows order by n").fetchall()
    table = table.cast(pa.schema([field.with_type(returned(field.type)) for field in table.schema]))
    spark.createDataFrame(table).createOrReplaceTempView("given_rows")
    calls = ", ".join(CALLS).replace("array[", "array(").replace("]", ")")
    other = spark.sql(f"select {calls} from given_rows order by n").collect()
    spark.catalog.dropTempView("given_rows")
    return [[plain(row[k]) for row in rows] for rows in (one, other) for k in range(len(CALLS))]


def test_every_function_is_tested():
    named = {one.name for one in (*FUNCTIONS, engine.BLEU)}
    assert {call.partition("(")[0] for call in CALLS} == named - {"bleu"}


def test_bleu_of_sums_equals_duckdb(spark):
    """DuckDB's macro takes a struct of the sums."""
    words = "a b c d e f", "a b c x e f", "a b c d e"
    pair = f"(values ('{words[0]}', '{words[1]}'), ('{words[2]}', '{words[0]}')) as t(h, r)"
    count = "select bleu_counts({0}(h, ' '), array{1}{0}(r, ' '){2}) as c from " + pair
    with connected() as con:
        counted = count.format("string_split", "[", "]")
        wanted = con.execute(f"select bleu(bleu_sums(c)) from ({counted})").fetchall()
    sums = ", ".join(f"sum(c.{name})" for name in bleu_names())
    found = spark.sql(f"select bleu({sums}) from ({count.format('split', '(', ')')})").collect()
    assert [tuple(row) for row in found] == [(pytest.approx(wanted[0][0], rel=1e-12),)]


@pytest.mark.parametrize("k", range(len(CALLS)), ids=CALLS)
def test_results_equal_duckdb(both, k):
    assert both[k + len(CALLS)] == both[k]
    assert any(value is not None for value in both[k])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("count_links(parse_links('0-0'))", "count_links with 1 arguments; expected hyp, gold"),
        ("parse_links('x')", "'x' has something that is not a link"),
        ("symmetrize(parse_links('0-0'), parse_links('0-0'), 'both')", "unknown .*'both'"),
        ("f_alpha(2, 1, 1, 1, 1)", "`alpha` is 2.0; expected a number from 0 to 1"),
        ("f_alpha(null, 1, 1, 1, 1)", "`alpha` is nan"),
    ],
)
def test_errors_reach_the_user(spark, call, said):
    with pytest.raises(Exception, match=said):
        spark.sql(f"select {call}").collect()


def test_fields_of_null_are_null(spark):
    query = "select c.n_hyp, c is null from (select count_links(parse_links('0-0'), null) as c)"
    assert [tuple(row) for row in spark.sql(query).collect()] == [(None, True)]


def test_spark_has_no_unsigned_numbers():
    kind = pa.list_(pa.struct([("i", pa.uint16()), ("sure", pa.bool_())]))
    assert type_name(returned(kind)) == "array<struct<i: int, sure: boolean>>"


def test_a_session_ended_by_the_server_is_replaced(spark, monkeypatch):
    from pyspark.sql.connect.session import SparkSession

    monkeypatch.setattr(SparkSession, "_default_session", None)
    monkeypatch.setattr(SparkSession, "_active_session", threading.local())
    idle = engine.session()
    assert engine.session() is idle
    idle.client.release_session()
    assert engine.session().sql("select 1 as n").collect() == [(1,)]


@pytest.mark.parametrize(("given", "kept"), [(None, 7 * 86400), ("5", 5)])
def test_sail_keeps_idle_sessions_for_a_week_by_default(spark, monkeypatch, given, kept):
    import pysail.spark

    class Server:
        listening_address = ("", 0)

        def __init__(self):
            self.kept = int(os.environ["SAIL_SPARK__SESSION_TIMEOUT_SECS"])

        def start(self, background):
            pass

    monkeypatch.setattr(pysail.spark, "SparkConnectServer", Server)
    monkeypatch.delenv("SAIL_SPARK__SESSION_TIMEOUT_SECS", raising=False)
    if given:
        monkeypatch.setenv("SAIL_SPARK__SESSION_TIMEOUT_SECS", given)
    monkeypatch.setattr(engine, "_SERVERS", [])
    assert engine._sail() == "sc://localhost:0"
    assert engine._SERVERS[0].kept == kept


def test_macros_on_spark_are_gone():
    with pytest.raises(AttributeError, match=r"gone.*session's own sql\(\) after"):
        engine.sql
    with pytest.raises(AttributeError, match="no attribute 'sqls'"):
        engine.sqls
