"""The macros as plain SQL, in a DuckDB without this package: Python's, and its own shell."""

import os
import re
from pathlib import Path

import duckdb
import pytest
from helpers.cli import run
from helpers.plain import in_node, in_shell, shell
from helpers.sql import FILES, parts_of

from alignframe.core.lazy import __version__
from alignframe.engines.export import exported, missing, needing_python, version
from alignframe.engines.scripts import declarations, macros
from alignframe.engines.session import connect
from alignframe.errors import DataWarning
from alignframe.functions import FUNCTIONS

QUESTIONS = [
    (file, place, query, rows)
    for file in FILES
    for place, (_, query, rows) in enumerate(parts_of(file)[1])
]


def needed(file, query):
    """Return the names in a query, and in the tables of its file, that need Python."""
    texts = [query, *parts_of(file)[0].values()]
    return [name for name in re.findall(r"(\w+)\(", " ".join(texts)) if name in needing_python()]


PLAIN = [question for question in QUESTIONS if not needed(question[0], question[2])]
OTHERS = [question for question in QUESTIONS if needed(question[0], question[2])]
UNTESTED = set(
    "bleu bleu_share bleu_sums chrf chrf_f chrf_sums dictionary_scores entry_classes entry_counts "
    "entry_rows entry_scores entry_shares entry_words link_sizes tesla_f".split()
)
"""Macros that only queries call which need Python for something else."""
asked_of = pytest.mark.parametrize(
    ("file", "place", "query", "wanted"),
    [pytest.param(*question, id=f"{question[0].stem} {question[1]}") for question in PLAIN],
)


def _shown(rows):
    return [
        [f"{cell:z.4f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows
    ]


@pytest.fixture(scope="module")
def plain():
    """A connection with the exported macros, and nothing of Python's."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(exported())
        yield connection


@pytest.fixture(scope="module")
def in_duckdb(tmp_path_factory):
    """The rows of all queries in DuckDB's shell, and what it said."""
    if shell() is None:
        pytest.skip("DuckDB's shell is not here: pip install duckdb-cli")
    return in_shell(tmp_path_factory.mktemp("shell"))


@pytest.fixture(scope="module")
def in_wasm(tmp_path_factory, duckdb_wasm):
    """The rows of all queries in DuckDB for browsers, its errors, and its release."""
    return in_node(tmp_path_factory.mktemp("node"))


def answered(connection, file, query):
    """Return the rows of a query over the tables of its file, which are dropped afterwards."""
    connection.execute("begin")
    try:
        for table, text in parts_of(file)[0].items():
            connection.execute(f"create table {table} as {text}")
        return _shown(connection.execute(query).fetchall())
    finally:
        connection.execute("rollback")


@asked_of
def test_query(plain, file, place, query, wanted):
    assert answered(plain, file, query) == wanted


@asked_of
def test_query_in_the_shell(in_duckdb, file, place, query, wanted):
    rows, said = in_duckdb
    assert _shown(rows.get(f"{file.stem} {place}", [])) == wanted, said


def test_queries_in_a_browser(in_wasm):
    """Of a DuckDB before 1.5, none returns other rows; some are refused."""
    rows, errors, release = in_wasm
    wanted = {f"{file.stem} {place}": rows for file, place, _, rows in PLAIN}
    found = {name: _shown(rows[name]) for name in wanted if name in rows}
    assert found == {name: wanted[name] for name in found}
    assert len(found) >= (len(wanted) if release >= (1, 5) else 45), errors


@pytest.mark.parametrize(
    ("file", "query"),
    [pytest.param(file, query, id=f"{file.stem} {place}") for file, place, query, _ in OTHERS],
)
def test_a_query_that_needs_python_says_so(plain, file, query):
    with pytest.raises(duckdb.Error, match=r"\(\) needs Python: pip install alignframe, then"):
        answered(plain, file, query)


@pytest.mark.parametrize("twin", declarations(twins=True), ids=lambda twin: twin.name)
def test_a_twin_is_called_like_its_function(twin):
    if twin.name.startswith("_alignframe_"):
        return
    for macro in declarations():
        if macro.name == twin.name:
            assert twin.parameters == macro.parameters
            assert twin.comment.startswith(f"Twin of {twin.name} (sql/")
            return
    function = next(one for one in FUNCTIONS if one.name == twin.name)
    assert twin.parameters == {name: function.sql_default(name) for name in function.arguments}
    assert twin.comment.startswith(f"Twin of {twin.name} (alignframe.")


def test_macros_are_written_by_the_shell(tmp_path):
    _, said = run("sql", "--export", "alignframe.sql", folder=tmp_path)
    text = (tmp_path / "alignframe.sql").read_text()
    assert text == exported()
    assert said == "the macros written to alignframe.sql\n"
    printed, _ = run("sql", "--export", "-", folder=tmp_path)
    assert printed == text
    assert version().startswith(f"{__version__}+")


@pytest.mark.parametrize(
    "words", [["select 1"], ["--macros"], ["-o", "a.csv"], ["--table", "a=b.parquet"]]
)
def test_an_export_is_asked_for_alone(tmp_path, words):
    _, said = run("sql", "--export", "alignframe.sql", *words, folder=tmp_path, code=2)
    assert "expected one of them" in said
    assert not any(tmp_path.iterdir())


def test_a_file_that_keeps_other_macros_is_told(tmp_path):
    place = str(tmp_path / "old.duckdb")
    with duckdb.connect(place) as con:
        con.execute(exported().replace(version(), "0.0.9+1234abcd"))
    said = r"old.duckdb: the file keeps the macros of alignframe 0.0.9\+1234abcd; this .* replace"
    with pytest.warns(DataWarning, match=said), connect(place) as con:
        assert con.execute("select aer(2, 2, 1, 1)").fetchall() == [(0.5,)]
    _, warned = run("sql", "select 1", "--database", place, folder=tmp_path)
    assert "warning: " in warned
    assert "0.0.9" in warned
    connect(place, store=True).close()
    connect(place).close()


def test_missing_functions_name_the_way(plain):
    with pytest.raises(duckdb.Error, match=r"align_words\(\) needs Python: pip install alignframe"):
        plain.execute("select align_words(['a'], ['b'], 'm')")
    assert "align_words" in {function.name for function in missing()}


PAGE = Path(__file__).parents[2] / "docs" / "sql.md"
HEAD = "| macros of | run in any DuckDB | need Python |\n|---|---|---|\n"


def test_the_table_of_macros_says_where_they_run():
    """ALIGNFRAME_TRANSCRIPTS=write rewrites it."""
    topics = {}
    for macro in macros():
        place = 1 if macro.name in needing_python() else 0
        topics.setdefault(macro.about, ([], []))[place].append(f"`{macro.name}`")
    rows = (
        f"| {about} | {' | '.join(', '.join(names) or 'none' for names in both)} |\n"
        for about, both in topics.items()
    )
    table = HEAD + "".join(rows)
    plain = sum(macro.name not in needing_python() for macro in macros())
    count = f"{plain} of {len(macros())} macros"
    text = PAGE.read_text("utf-8")
    shown = re.search(re.escape(HEAD) + r"(?:\|.*\n)*", text)
    wanted = re.sub(r"\d+ of \d+ macros", count, text.replace(shown[0], table))
    if os.environ.get("ALIGNFRAME_TRANSCRIPTS") == "write":
        PAGE.write_text(wanted, "utf-8")
    assert PAGE.read_text("utf-8") == wanted
    assert plain >= 100


def test_macros_that_run_in_any_duckdb_are_tested():
    """By a query that runs, or through a macro that one calls."""
    texts = [text for file, _, query, _ in PLAIN for text in (query, *parts_of(file)[0].values())]
    bodies = {macro.name: macro.body for macro in (*declarations(), *declarations(twins=True))}
    waiting, called = set(re.findall(r"(\w+)\(", " ".join(texts))) & bodies.keys(), set()
    while waiting:
        name = waiting.pop()
        called.add(name)
        waiting |= {one for one in re.findall(r"(\w+)\(", bodies[name]) if one in bodies} - called
    own = {macro.name for macro in declarations(twins=True)}
    assert bodies.keys() - needing_python().keys() - called - own <= UNTESTED
