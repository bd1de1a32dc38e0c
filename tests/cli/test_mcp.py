"""``alignframe mcp``, asked by the client of the protocol's own package over standard streams."""

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import polars as pl
import pytest
from helpers.cli import run

import alignframe as af
from alignframe.engines.locked import MOST_ROWS

mcp = pytest.importorskip("mcp", reason="needs the package mcp: pip install 'alignframe[mcp]'")

LINKED, ISLAND = Path("datasets/en-fr").resolve(), Path("datasets/island").resolve()
GOLD = LINKED / "gold.talp"
SYSTEMS = ("cautious", "eager")


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Tables of each kind: files of links and text, a lake, sentences by domain, and beads."""
    folder = tmp_path_factory.mktemp("tables")
    for name in SYSTEMS:
        (folder / f"lake/system={name}").mkdir(parents=True)
        links = af.formats.read(LINKED / f"{name}.talp").drop_columns("system")
        af.formats.write(links, folder / f"lake/system={name}/a.parquet")
    for name in ("eager", "gold"):  # both domains number their sentences from 0
        numbered = pl.from_arrow(af.formats.read(LINKED / f"{name}.talp").drop_columns("system"))
        half = numbered["sid"].len() // 2
        numbered.with_columns(
            pl.col("sid") % half,
            domain=pl.when(pl.col("sid") < half).then(pl.lit("a")).otherwise(pl.lit("b")),
        ).write_parquet(folder / f"{name}_by_domain.parquet")
    beads = af.beads.align(["one .", "two ."], ["un .", "deux ."])
    beads.write_parquet(folder / "beads.parquet")
    return {
        "eager": LINKED / "eager.talp",
        "gold": GOLD,
        "lake": folder / "lake",
        "eager_by_domain": folder / "eager_by_domain.parquet",
        "gold_by_domain": folder / "gold_by_domain.parquet",
        "careful": ISLAND / "careful.en",
        "garbled": ISLAND / "garbled.en",
        "reference": ISLAND / "ref.en",
        "beads": folder / "beads.parquet",
        "odd name": folder / "beads.parquet",
    }


@asynccontextmanager
async def session(tables, *words):
    """Start a server of tables, and yield the session of a client."""
    named = [word for name, place in tables.items() for word in ("--table", f"{name}={place}")]
    server = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "alignframe", "mcp", *named, *words],
        env=dict(os.environ),
    )
    with open(os.devnull, "w") as nowhere:
        async with (
            mcp.stdio_client(server, errlog=nowhere) as (read, write),
            mcp.ClientSession(read, write) as client,
        ):
            await client.initialize()
            yield client


def ask(tables, *calls, words=()):
    """Return the answers to calls of tools, in one session: text, and whether it is an error."""

    async def every():
        async with session(tables, *words) as client:
            answers = [await client.call_tool(tool, given) for tool, given in calls]
        return [(answer.content[0].text, answer.is_error) for answer in answers]

    return asyncio.run(every())


CALLS = {
    "describe": ("describe_tables", {}),
    "links": ("score", {"hyp": ["eager"], "gold": "gold", "bootstrap": 100}),
    "lake": ("score", {"hyp": ["lake"], "gold": "gold"}),
    "groups": ("score", {"hyp": ["eager"], "gold": "gold", "by": ["length"]}),
    "on": (
        "score",
        {"hyp": ["eager_by_domain"], "gold": "gold_by_domain", "on": ["domain", "sid"]},
    ),
    "twice": ("score", {"hyp": ["eager_by_domain"], "gold": "gold_by_domain"}),
    "texts": ("score", {"hyp": ["careful", "garbled"], "gold": "reference"}),
    "beads": ("score", {"hyp": ["beads"], "gold": "odd name"}),
    "compare": ("compare", {"hyp": ["lake"], "gold": "gold", "baseline": "lake/eager"}),
    "worst": ("worst_sentences", {"hyp": ["eager"], "gold": "gold", "n": 3}),
    "sql": ("sql", {"statement": "select aer from link_scores('eager', 'gold')"}),
    "signed": ("sql", {"statement": "select 'mine' as signature, 1 as n"}),
    "many": ("sql", {"statement": "select range as n from range(5000)"}),
    "kinds": (
        "sql",
        {"statement": "select date '2026-01-31' as day, 'NaN'::double as nan, null as nothing"},
    ),
    "no table": ("score", {"hyp": ["eagre"], "gold": "gold"}),
    "no hypothesis": ("score", {"hyp": [], "gold": "gold"}),
    "other kinds": ("score", {"hyp": ["careful"], "gold": "gold"}),
    "no system": ("compare", {"hyp": ["lake"], "gold": "gold", "baseline": "eager"}),
    "no column": ("score", {"hyp": ["eager"], "gold": "gold", "by": ["domain"]}),
    "no resamples": ("score", {"hyp": ["eager"], "gold": "gold", "bootstrap": -1}),
    "none": ("worst_sentences", {"hyp": ["eager"], "gold": "gold", "n": 0}),
    "unknown": ("sql", {"statement": "from link_scores('eager', 'gould')"}),
    "drop": ("sql", {"statement": "drop view eager"}),
    "file": ("sql", {"statement": f"from read_text('{GOLD}')"}),
    "two": ("sql", {"statement": "select 1; select 2"}),
    "long": ("sql", {"statement": "select count(*) from range(100000000000) where hash(range)=1"}),
    "after": ("sql", {"statement": "select 1 as one"}),
    "no argument": ("sql", {}),
    "no tool": ("write", {}),
}


@pytest.fixture(scope="module")
def answers(tables):
    """What a server says to all calls, in one session."""
    said = ask(tables, *CALLS.values(), words=("--time-limit", "1"))
    return dict(zip(CALLS, said, strict=True))


def rows_of(answer):
    text, is_error = answer
    assert not is_error, text
    found = json.loads(text)
    assert found["row_count"] == len(found["tables"]["rows"])
    return found["tables"]["rows"]


def signature_of(answer):
    return json.loads(answer[0])["signature"]


def listed(frame):
    """A table of the package as it is in JSON."""
    return json.loads(json.dumps(frame.drop("signature").to_dicts()))


def test_tools_only_read_and_say_what_they_need():
    async def tools():
        async with session({"gold": GOLD}) as client:
            return (await client.list_tools()).tools

    known = {tool.name: tool for tool in asyncio.run(tools())}
    assert [*known] == ["describe_tables", "score", "compare", "worst_sentences", "sql"]
    assert all(tool.annotations.read_only_hint and tool.description for tool in known.values())
    assert known["compare"].input_schema["required"] == ["hyp", "gold", "baseline"]


def test_tables_are_described(answers):
    rows = {row["table"]: row for row in rows_of(answers["describe"])}
    assert {name: row["holds"] for name, row in rows.items()} == {
        "eager": "links",
        "gold": "links",
        "lake": "links",
        "eager_by_domain": "links",
        "gold_by_domain": "links",
        "careful": "translations",
        "garbled": "translations",
        "reference": "translations",
        "beads": "beads",
        "odd name": "beads",
    }
    assert [*rows["lake"]["columns"]] == ["sid", "links", "system"]
    assert rows["careful"]["columns"]["text"] == "string"


def test_scores_are_those_of_the_package(answers, tables):
    gold = tables["gold"]
    wanted = {
        "links": af.links.score({"eager": tables["eager"]}, gold, bootstrap=100),
        "lake": af.links.score({"lake": tables["lake"]}, gold),
        "on": af.links.score(
            {"eager_by_domain": tables["eager_by_domain"]},
            tables["gold_by_domain"],
            on=["domain", "sid"],
        ),
        "groups": af.links.score({"eager": tables["eager"]}, gold, by="length"),
        "texts": af.mt.score({n: tables[n] for n in ("careful", "garbled")}, tables["reference"]),
        "beads": af.beads.score({"beads": tables["beads"]}, tables["beads"]),
    }
    for name, result in wanted.items():
        assert rows_of(answers[name]) == listed(result.scores)
        assert signature_of(answers[name]) == result.signature


def test_comparisons_and_worst_sentences_are_those_of_the_package(answers, tables):
    lake = af.links.score({"lake": tables["lake"]}, tables["gold"])
    assert rows_of(answers["compare"]) == listed(lake.compare("lake/eager"))
    assert "paired-bootstrap:10000" in signature_of(answers["compare"])
    eager = af.links.score({"eager": tables["eager"]}, tables["gold"])
    assert rows_of(answers["worst"]) == listed(eager.worst(3))


def test_sql_has_a_signature_of_its_statement(answers):
    assert [round(row["aer"], 4) for row in rows_of(answers["sql"])] == [0.1158]
    first, second = (signature_of(answers[name]) for name in ("sql", "after"))
    assert first.startswith(f"alignframe:{af.__version__}|sql:duckdb-")
    assert "|statement:" in first
    assert first != second
    assert signature_of(answers["signed"]) == "mine"
    assert rows_of(answers["signed"]) == [{"n": 1}]


def test_an_answer_says_how_many_rows_there_are(answers):
    found = json.loads(answers["many"][0])
    assert found["row_count"] == 5000
    assert [row["n"] for row in found["tables"]["rows"]] == list(range(MOST_ROWS))


def test_values_of_any_kind_are_json(answers):
    assert rows_of(answers["kinds"]) == [{"day": "2026-01-31", "nan": None, "nothing": None}]


@pytest.mark.parametrize(
    ("name", "said"),
    {
        "no table": "unknown table 'eagre'; expected one of eager, gold, lake, eager_by_domain, "
        "gold_by_domain, careful, garbled, "
        "reference, beads, odd name; did you mean 'eager'?",
        "twice": "gold gives sentence 0 more than once",
        "no hypothesis": "no hypothesis given; expected at least one",
        "other kinds": "tables of links and translations; expected one kind in all, of links, "
        "beads, translations",
        "no system": "unknown baseline 'eager'; expected one of lake/cautious, lake/eager",
        "no column": "unknown column in by 'domain'",
        "no resamples": "bootstrap is -1; expected a whole number from 0",
        "none": "n is 0; expected a whole number from 1",
        "unknown": "unknown table 'gould'",
        "drop": "1 statement: drop; expected one query that only reads",
        "file": f"{GOLD}: the connection reads no files but its tables",
        "two": "2 statements: select, select; expected one query",
        "long": "the statement took longer than 1 s, and was stopped; ask for less, such as some "
        "sentences only, or a longer --time-limit",
        "no argument": "statement",
        "no tool": "write",
    }.items(),
)
def test_errors_are_errors_of_tools_in_the_words_of_the_package(answers, name, said):
    text, is_error = answers[name]
    assert is_error
    assert said in text
    assert "Traceback" not in text


def test_the_server_goes_on_after_errors(answers):
    assert rows_of(answers["after"]) == [{"one": 1}]


def test_warnings_are_part_of_the_answer(tmp_path):
    few = tmp_path / "few.talp"
    few.write_text("".join(GOLD.read_text().splitlines(keepends=True)[:70]))
    ((text, is_error),) = ask(
        {"few": few, "gold": GOLD}, ("score", {"hyp": ["few"], "gold": "gold"})
    )
    assert not is_error
    assert any("2 of 72" in said for said in json.loads(text)["warnings"]), text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no table given; expected one or more --table"),
        (("--table", "gold"), "the table 'gold'; expected NAME=PLACE"),
        (("--table", "g=missing.talp"), "missing.talp: no such file"),
        (("--table", f"g={GOLD}", "--table", f"G={GOLD}"), "two tables are named G"),
        (("--table", f"g={GOLD}", "--time-limit", "0"), "--time-limit"),
        (("--table", f"g={GOLD}", "--memory-limit", "much"), "memory_limit 'much'"),
    ],
)
def test_a_server_that_cannot_start_says_why(words, said):
    assert said in run("mcp", *words, code=2).stderr


def test_an_error_names_the_extra_if_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    said = run("mcp", "--table", f"g={GOLD}", code=2).stderr
    assert "pip install 'alignframe[mcp]'" in said
