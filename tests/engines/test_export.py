"""The macros as plain SQL, in a DuckDB without this package: Python's, and its own shell."""

import re

import duckdb
import pytest
from helpers.cli import run
from helpers.plain import in_shell, shell
from helpers.sql import FILES, parts_of

from alignframe.core.lazy import __version__
from alignframe.engines.export import exported, missing, needing_python, version
from alignframe.engines.scripts import declarations
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
def results(tmp_path_factory):
    """The results of all queries in DuckDB's shell, and what it said."""
    if shell() is None:
        pytest.skip("DuckDB's shell is not here: pip install duckdb-cli")
    database, said = in_shell(tmp_path_factory.mktemp("shell"))
    with database:
        yield database, said


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
def test_query_in_the_shell(results, file, place, query, wanted):
    database, said = results
    assert _shown(database.execute(f'from "{file.stem} {place}"').fetchall()) == wanted, said


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
    assert said.endswith(" macros written to alignframe.sql\n")
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


def test_missing_functions_name_the_way(plain):
    with pytest.raises(duckdb.Error, match=r"align_words\(\) needs Python: pip install alignframe"):
        plain.execute("select align_words(['a'], ['b'], 'm')")
    assert "align_words" in {function.name for function in missing()}
