"""The command as users type it, on the bundled data, and its tables in a terminal."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys

import pytest
from helpers.cli import json_of, run

from alignframe.__main__ import _USES_PANDAS
from alignframe.cli import progress
from alignframe.cli.app import app
from alignframe.cli.show import print_table
from alignframe.cli.warmup import compile_kernels


@pytest.fixture(scope="module")
def given(bundled):
    return [
        "--gold",
        bundled / "gold.talp",
        "--hyp",
        f"eager={bundled / 'eager.talp'}",
        "--hyp",
        f"cautious={bundled / 'cautious.talp'}",
    ]


def test_score_table_fits_a_terminal(given):
    out, _ = run("links", "score", *given, "--alpha", "0.1,0.5", "--bootstrap", "50")
    lines = out.splitlines()
    assert "Alignment scores, 72 sentences" in lines[0]
    assert max(len(line) for line in lines if not line.startswith("alignframe:")) <= 80
    assert any(line.startswith("alignframe:") and "bootstrap:50" in line for line in lines)


def test_a_word_that_is_not_utf_8_is_refused():
    told = run("links", "score", "--gold", "caf\udce9.talp", "--hyp", "h", code=2).stderr
    assert r"'caf\udce9.talp' is not UTF-8; rename the file" in told


def test_closed_standard_input_is_told(given, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    told = run("links", "score", *given[:2], "--hyp", "-", code=2).stderr
    assert told.startswith("error: -: standard input is closed; expected a file")


@pytest.mark.parametrize("name", ["n" * 300, "a/b", "/" + "n/" * 3000])
def test_the_name_of_a_system_may_be_any_text(given, name):
    path = given[given.index("--hyp") + 1].partition("=")[2]
    out, _ = run("links", "score", *given[:2], "--hyp", f"{name}={path}", "--format", "json")
    assert {row["system"] for row in json_of(out)} == {name}


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_table_that_cannot_be_printed_is_told(given, form):
    words = [sys.executable, "-m", "alignframe", "links", "score", *given, *form]
    buffered = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with open("/dev/full", "w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, env=buffered)
    said = "error: standard output: cannot be written (No space left on device)\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_the_list_of_commands_has_the_summary_of_each():
    for name, said in app.said.items():
        assert app.get_command(None, name).help == said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--page x.html --set figure-format=svg", "--figure-format needs --figures"),
        ("--bands 3", "--bands needs --by length"),
        ("--set seed=3", "--seed needs --bootstrap"),
        ("--baseline eager --bootstrap 0 --set seed=3", "--seed needs --bootstrap above 0"),
        ("--worst 2 --alpha 0.3", "--worst with --alpha; expected one of them"),
        ("--set title=it", "--title needs --page"),
        ("--where foo<3", "--where is 'foo<3': .*foo.*expected SQL over the columns system, sid"),
        ("more.talp", "repeat an option for each value, and put globs in quotes"),
    ],
)
def test_options_without_effect_and_other_slips_are_refused(given, words, said):
    _, told = run("links", "score", *given, *words.split(), code=2)
    assert re.search(said.replace("(", r"\(").replace(")", r"\)"), told)


@pytest.mark.parametrize(
    "words", ["sql 'select 1' --limit", "lexicon lookup x --lexicon y --limit"]
)
def test_a_limit_is_at_least_1(words):
    _, told = run(*shlex.split(words), "0", code=2)
    assert "--limit is 0; expected a whole number from 1" in told


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("sc", "plain,score"),
        ("score --ba", "plain,--bands\nplain,--baseline"),
        ("symmetrize --base ", "plain,0\nplain,1"),
        ("score --gold go", "file,go"),
    ],
)
def test_shells_complete_commands_options_choices_and_files(monkeypatch, words, completed):
    every = ["alignframe", "links", *words.split(" ")]
    monkeypatch.setenv("COMP_WORDS", " ".join(every))
    monkeypatch.setenv("COMP_CWORD", str(len(every) - 1))
    monkeypatch.setenv("_ALIGNFRAME_COMPLETE", "bash_complete")
    monkeypatch.setattr(sys, "argv", ["alignframe"])
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(out), pytest.raises(SystemExit):
        app(prog_name="alignframe")
    assert out.buffer.getvalue().decode().strip() == completed


def test_a_command_imports_only_what_it_needs(bundled):
    """If pandas is installed, PyArrow would import it, which takes a third of a second."""
    files = ["--gold", bundled / "gold.talp", "--hyp", bundled / "eager.talp"]
    loaded = modules_of("links", "score", *map(str, files))
    assert "polars" in loaded
    assert not loaded & {"pandas", "pydantic", "rich.progress", "duckdb", "urllib.request"}
    assert not loaded & {"deltalake", "pyiceberg", "sqlalchemy", "boto3"}  # for lakes and stores


@pytest.mark.parametrize(
    ("word", "uses"),
    [
        ("spark", True),
        ("engine=spark", True),
        ("--set=engine=spark", True),
        ("closeness:count", True),
        ("--measure=my.closeness:measure", True),
        ("iceberg:catalog.mt.links", False),
        ("eager=spark.talp", False),
    ],
)
def test_pandas_is_there_for_spark_and_code_of_users(word, uses):
    assert bool(_USES_PANDAS.fullmatch(word)) == uses


def modules_of(*words):
    """Return the modules that a command has imported when it ends."""
    script = (
        "import atexit, sys\nfrom alignframe.__main__ import run\n"
        f"sys.argv = ['alignframe', *{words}]\n"
        "atexit.register(lambda: print(*sys.modules))\n"
        "run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def test_warmup_leaves_nothing_to_compile():
    compile_kernels()
    printed, said = run("warmup", "--json")
    report = json_of(printed)
    assert report["compiled"] == 0
    assert report["kernels"] > 200
    assert "compiling" not in said


def test_compiling_kernels_is_reported_once(capsys, monkeypatch, tmp_path):
    import numba

    from alignframe.kernels import notice
    from alignframe.kernels.jit import jit

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(notice, "LISTENERS", [progress.say_compiling])
    progress.spinner.cache_clear()
    assert jit(lambda x: x + 1)(1) == 2
    assert jit(lambda x: x + 2)(1) == 3
    progress.spinner.cache_clear()
    assert capsys.readouterr().err.count("compiling") == 1


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("convert a.talp a.talp", "a.talp"),
        ("links score --gold a.talp --hyp x=b.csv -o b.csv", "b.csv"),
        ("links symmetrize a.talp a.talp -o ./a.talp", "a.talp"),
        ("lake scores --measure bleu b.csv -o b.csv", "b.csv"),
        ("mt score --ref a.talp --hyp x=b.csv --segments b.csv", "b.csv"),
        ("lm a.talp -o a.talp", "a.talp"),
        ("convert b.csv a.talp a.talp", "a.talp"),
    ],
)
def test_no_input_is_overwritten(words, name, tmp_path):
    for file in ("a.talp", "b.csv"):
        (tmp_path / file).write_text("1-1\n", "utf-8")
    _, said = run(*words.split(), folder=tmp_path, code=2)
    assert said.startswith(f"error: {name}: is both an input and the output")
    assert (tmp_path / name).read_text("utf-8") == "1-1\n"


def test_the_tour_runs(tmp_path):
    """The commands of the tour, in a copy of the project's folders, write what they say."""
    import re
    import shlex
    import shutil
    from pathlib import Path

    root = Path(__file__).resolve().parents[2]
    for name in ("en-fr", "island", "mill"):
        shutil.copytree(root / "datasets" / name, tmp_path / "datasets" / name)
    sys.path.insert(0, str(root / "reports"))
    try:
        from demo import CLOSING, commands, make_folders
    finally:
        sys.path.pop(0)
    make_folders(tmp_path)
    compile_kernels()
    told = CLOSING
    for command in commands(figures=False):
        printed, said = run(*shlex.split(command)[1:], folder=tmp_path)
        assert "compiling" not in said  # everything is compiled after ``alignframe warmup``
        told += printed + said
    written = {path.rstrip(".:;,") for path in re.findall(r"reports/demo/\S+", told)}
    assert len(written) > 20
    for path in written:
        assert (tmp_path / path).exists(), path
    assert (tmp_path / "reports" / "demo" / "report.html").stat().st_size > 100_000


@pytest.mark.parametrize("query", ["", " ;\n"])
def test_sql_without_a_query_is_an_error(query):
    _, said = run("sql", query, code=2)
    assert "no query" in said


def test_sql_names_a_file_that_is_missing_or_not_text(tmp_path):
    query = tmp_path / "query.sql"
    for content, expected in ((None, "no such file"), (b"select '\xe9'", "is not utf-8 text")):
        if content:
            query.write_bytes(content)
        _, said = run("sql", "-f", str(query), code=2)
        assert f"error: {query}" in said
        assert expected in said
    _, said = run("sql", "-f", str(tmp_path), code=2)
    assert "is a folder" in said


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--set", "memory-limit=much", "the setting memory_limit 'much' .*must have a number"),
        ("--database", "README.md", "README.md: cannot be opened"),
        ("--database", "nowhere/x.db", "nowhere/x.db: cannot be opened .*No such file"),
    ],
)
def test_a_database_that_cannot_be_opened_is_named(option, value, said):
    assert re.search(said, run("sql", "select 1", option, value, code=2)[1])


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1e-9, "<0.0001"),
        (0.00004, "<0.0001"),
        (0.00006, "0.0001"),
        (0.0, "0.0000"),
        (1.0, "1.0000"),
    ],
)
def test_a_small_figure_is_not_shown_as_zero(capsys, value, shown):
    print_table([{"system": "x", "p_value": value}])
    assert shown in capsys.readouterr().out.split()
