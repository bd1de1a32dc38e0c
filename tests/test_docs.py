"""The examples in the documentation work as shown."""

import contextlib
import doctest
import importlib
import inspect
import os
import re
import runpy
import shlex
import subprocess
from pathlib import Path

import duckdb
import pytest
from helpers.cli import run

import alignframe
from alignframe import functions, stores
from alignframe.cli.commands import GROUPS, every
from alignframe.engines.export import exported, needing_python
from alignframe.engines.tables import make_views

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    ("page", "examples"),
    [
        ("links", 10),
        ("phrases", 20),
        ("correlation", 8),
        ("vary", 8),
        ("lexicon", 20),
        ("aligners", 20),
        ("beads", 12),
        ("signatures", 3),
        ("mt", 26),
        ("extending", 12),
        ("inputs", 6),
        ("sql", 1),
        ("lake", 10),
        ("dashboard", 10),
    ],
)
def test_examples_of_a_page(monkeypatch, page, examples):
    check_examples(monkeypatch, page, examples)


def test_examples_of_translations(monkeypatch, wordnet):
    check_examples(monkeypatch, "tesla", 50)


def test_examples_of_the_agents_door(monkeypatch):
    pytest.importorskip("mcp", reason="needs the package mcp: pip install 'alignframe[mcp]'")
    check_examples(monkeypatch, "mcp", 7)


def check_examples(monkeypatch, page, examples, folder=ROOT):
    """Run the examples of a page in a folder, and compare what they show with the page."""
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(ROOT)
    failed, tried = doctest.testfile(
        str(ROOT / "docs" / f"{page}.md"),
        module_relative=False,
        optionflags=doctest.NORMALIZE_WHITESPACE,
        encoding="utf-8",
    )
    assert tried > examples
    assert failed == 0


@pytest.mark.filterwarnings("ignore::alignframe.errors.DataWarning")
def test_examples_of_docstrings(monkeypatch, tmp_path):
    """Each runs in a folder of its own with the project's data, so that it can write files."""
    monkeypatch.syspath_prepend(ROOT)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for path in sorted((ROOT / "alignframe").rglob("*.py")):
        if ">>> " in path.read_text("utf-8"):
            words = path.relative_to(ROOT).with_suffix("").parts
            module = importlib.import_module(".".join(words).removesuffix(".__init__"))
            for one in doctest.DocTestFinder().find(module):
                folder = tmp_path / one.name
                folder.mkdir()
                (folder / "datasets").symlink_to(ROOT / "datasets")
                monkeypatch.chdir(folder)
                runner.run(one)
    failed, tried = runner.summarize()
    assert tried > 500
    assert failed == 0


def test_public_functions_and_classes_have_examples():
    """Except the charts and the polars expressions, whose modules have one, and engines."""
    areas = [getattr(alignframe, name) for name in alignframe.__all__]
    modules = [alignframe, *filter(inspect.ismodule, areas), functions, stores]
    public = {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in modules
        for name in module.__all__
    }
    things = {
        name: thing
        for name, thing in public.items()
        if inspect.isfunction(thing) or inspect.isclass(thing)
    }
    assert len(things) > 180
    assert [name for name, thing in things.items() if ">>> " not in (thing.__doc__ or "")] == []


def commands_of(page):
    """Yield the commands of a page, each with the lines shown below it."""
    text = (ROOT / page).read_text("utf-8")
    for block in re.findall(r"```\n(\$ .*?)```", text, re.DOTALL):
        joined = block.replace("\\\n", "")
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", joined, re.MULTILINE):
            yield command, [line.rstrip() for line in shown.splitlines() if line.rstrip()]


def run_all(commands, folder):
    """Run commands in a folder with the project's data, and compare their output with the page."""
    (folder / "datasets").symlink_to(ROOT / "datasets")
    for command, shown in commands:
        program, *words = shlex.split(command)
        if program == "python":
            with contextlib.chdir(folder):
                runpy.run_path(words[0], run_name="__main__")
            continue
        if program != "alignframe":
            subprocess.run(["sh", "-ec", command], cwd=folder, check=True)
            continue
        printed, said = run(*words, folder=folder)
        # Some pages show messages first, as a terminal does.
        both = [
            [line.rstrip() for line in text.splitlines() if line.rstrip()]
            for text in (printed + said, said + printed)
        ]
        assert shown in both, command


@pytest.mark.parametrize(
    ("page", "number"), [("vary", 7), ("lake", 19), ("dashboard", 9), ("mt", 18), ("lexicon", 6)]
)
def test_commands_of_a_page(tmp_path, page, number):
    if page == "mt":
        pytest.importorskip("sacrebleu")
    commands = list(commands_of(f"docs/{page}.md"))
    assert len(commands) == number
    run_all(commands, tmp_path)


def test_questions_in_sql(tmp_path):
    commands = list(commands_of("docs/sql.md"))
    assert len(commands) == 20
    made = next(n for n, (command, _) in enumerate(commands) if "from link_scores" in command)
    run_all([*commands[:made], *commands], tmp_path)  # tables made again, as for docs/engines.md
    check_without_python(commands[made:], tmp_path)


def check_without_python(commands, folder):
    """Ask the questions of commands in a DuckDB that has only the exported macros."""
    answered = 0
    with contextlib.chdir(folder), alignframe.connect() as python, duckdb.connect() as plain:
        plain.execute(exported())
        for words in (shlex.split(command) for command, _ in commands):
            tables = dict(
                words[at + 1].split("=") for at, one in enumerate(words) if one == "--table"
            )
            (query,) = [one for one in words if one.startswith(("from ", "with ", "select "))]
            if needing_python().keys() & set(re.findall(r"(\w+)\(", query)):
                continue
            for connection in (python, plain):
                make_views(connection, tables)
            ours, theirs = (
                sorted(
                    # Tails of Student's t differ in their last bits.
                    [f"{cell:.12g}" if isinstance(cell, float) else str(cell) for cell in row]
                    for row in connection.execute(query).fetchall()
                )
                for connection in (plain, python)
            )
            assert ours == theirs, query
            answered += 1
    assert answered >= 12


def test_engines_line_by_line(tmp_path, monkeypatch, spark):
    commands = list(commands_of("docs/engines.md"))
    assert len(commands) == 4
    run_all(commands, tmp_path)
    check_examples(monkeypatch, "engines", 20, tmp_path)


def test_commands_on_a_measure_of_ones_own(tmp_path):
    text = (ROOT / "docs/extending.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(# closeness.py\n.*?)```", text, re.DOTALL)
    (tmp_path / "closeness.py").write_text(code)
    assert len(code.splitlines()) < 30
    commands = list(commands_of("docs/extending.md"))
    assert len(commands) == 3
    run_all(commands, tmp_path)


FILE = re.compile(
    r"(?<=[ =])[\w/*-][\w./*-]*\.(?:arpa|beads|csv|en|fr|json|naacl|parquet|talp|tsv|txt)\b"
)
OWN = "those without it name files of your own."
"""What a page says of commands with files that are not the project's."""


@pytest.mark.parametrize("page", [ROOT / "README.md", *(ROOT / "docs").glob("*.md")], ids=str)
def test_commands_name_files_that_a_reader_has(page):
    """Files are the project's, or named above; or the page says that they are the reader's."""
    text = page.read_text("utf-8")
    for block in re.finditer(r"^```(?:sh)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for command in re.finditer(r"^(\$ )?alignframe (?:.*\\\n)*.*", block[1], re.MULTILINE):
            above = text[: block.start(1) + command.start()]
            above += above.replace("$side", "en") + above.replace("$side", "fr")
            made = re.findall(r"(?:-o|--page|--segments|--lines|convert .*) (\S+\.\S+)", command[0])
            missing = [
                file
                for file in FILE.findall(command[0])
                if file not in above
                and not any(ROOT.glob(file))
                and not any(one.endswith(file) for one in made)
            ]
            assert not missing or (OWN in text and not command[1]), command[0]


def test_tour_of_the_readme(tmp_path, monkeypatch, capsys):
    """Every command prints what the README shows, and every Python block runs."""
    commands = [(c, shown) for c, shown in commands_of("README.md") if " tesla " not in c]
    assert len(commands) >= 6
    run_all(commands, tmp_path)
    text = (ROOT / "README.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, "README.md", "exec"), {})
        assert "cautious" in capsys.readouterr().out


@pytest.mark.parametrize(("page", "number"), [("README.md", 2), ("docs/tesla.md", 11)])
def test_commands_on_translations(tmp_path, wordnet, page, number):
    commands = [(c, shown) for c, shown in commands_of(page) if " tesla " in c]
    assert len(commands) == number
    run_all(commands, tmp_path)


SPOKEN = re.compile(rf"(?:\$ )?(?:alignframe (?=[a-z])|(?=(?:{'|'.join(GROUPS)}) [a-z]))(.+)")
"""A command in code: with the program's name, or from its group on."""


def code_of(path):
    """Return the lines and words of a page that are code, or the strings of a program."""
    text = path.read_text("utf-8").replace("\\\n", "")
    if path.suffix == ".py":
        return re.findall(r"[`\"'](alignframe [^`\n]*)", re.sub(r'"\n\s*f?"', "", text))
    block = re.compile(r"^```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)
    words = re.findall(r"`([^`]+)`", block.sub("", text))
    return [*"".join(block.findall(text)).splitlines(), *(" ".join(one.split()) for one in words)]


def test_pages_and_programs_name_commands_and_options_that_exist():
    known = {group: {"--help"} for group in GROUPS}
    for one in every():
        flags = " ".join(option.flags.replace("/", " ") for option in one.options.values())
        known[one.name] = {*flags.split(), "--set", "--help", "--help-all"}
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    programs = [*sorted((ROOT / "reports").glob("*.py")), ROOT / "tests" / "extras.py"]
    seen, unknown = 0, []
    for path in (*pages, *programs):
        for words in filter(None, map(SPOKEN.fullmatch, code_of(path))):
            first, second = re.match(r"([\w-]+) ?([\w-]*)", words[1]).groups()
            name = f"{first} {second}".strip() if first in GROUPS else first
            named = re.findall(r"(?<!\S)--?[a-z][\w-]*", words[1])
            if name not in known or not known[name].issuperset(named):
                unknown.append(f"{path.name}: {words[0]}")
            seen += 1
    assert unknown == []
    assert seen > 300


COMMANDS = ROOT / "docs" / "commands.md"
ABOVE = """# Commands

What `alignframe COMMAND --help-all` prints, for every command, with one line per option. Options
are parameters of the Python functions behind a command, under the same names. `--help` leaves out
those that few runs need. `--set NAME=VALUE` is another way to give any of them.

## Exit status

| status | meaning |
|---|---|
| 0 | done; warnings on standard error do not change it |
| 1 | units of a job over a lake have failed, or the reader of standard output has ended early |
| 2 | an option or an input was refused, or an output could not be written: a message says why |
| 130, 143, 129 | stopped by Ctrl-C, SIGTERM or SIGHUP |

Files appear whole or not at all: after an error or a signal, those that were there before are
unchanged. A command that is stopped says which files it has written; jobs over lakes and studies
keep the units that are done, and the same command goes on from there. SIGKILL leaves at most a
hidden draft, which the next command that writes to the folder removes.
"""


def test_the_reference_of_commands_is_what_help_prints():
    """ALIGNFRAME_TRANSCRIPTS=write rewrites the page."""
    said = [ABOVE]
    groups, commands = dict.fromkeys(("", *GROUPS), "--help"), [one.name for one in every()]
    for name, asked in (groups | dict.fromkeys(commands, "--help-all")).items():
        text, _ = run(*name.split(), asked)
        text = re.sub(r"(\w-)?\n {6,}", lambda broken: broken[1] or " ", text)
        text = re.sub(r"(?<=\S) {2,}", "  ", text)
        said.append(f"\n## {name or 'alignframe'}\n\n```\n{text.strip()}\n```\n")
    if os.environ.get("ALIGNFRAME_TRANSCRIPTS") == "write":
        COMMANDS.write_text("".join(said), "utf-8")
    assert COMMANDS.read_text("utf-8") == "".join(said)
