"""DuckDB without Python: the exported macros in its own shell, run once over all of tests/sql."""

import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
from helpers.sql import FILES, parts_of

from alignframe.engines.export import exported


def shell():
    """Return DuckDB's shell, which the wheel duckdb-cli has, or None."""
    own = str(Path(sys.executable).parent)
    return shutil.which("duckdb", path=own) or shutil.which("duckdb")


def script(results):
    """Return SQL that runs all queries of tests/sql into tables of a database: ``bleu 0``."""
    lines = [f"attach '{results}' as results;"]
    for number, file in enumerate(FILES):
        given, questions = parts_of(file)
        lines.append(f"create schema s{number}; set search_path = 's{number},main';")
        lines += [f"create table {name} as {text};" for name, text in given.items()]
        lines += [
            f'create table results.main."{file.stem} {place}" as {text};'
            for place, (_, text, _) in enumerate(questions)
        ]
    return "\n".join(lines)


def in_shell(folder):
    """Run all queries in DuckDB's shell; return the database of results and what it said."""
    results, macros = folder / "results.duckdb", folder / "alignframe.sql"
    macros.write_text(exported())
    done = subprocess.run(
        [shell(), "-no-init"],
        # Read as if typed, as a script would end at the first query that needs Python.
        input=f".read {macros}\n{script(results)}\n",
        capture_output=True,
        text=True,
    )
    return duckdb.connect(str(results), read_only=True), done.stderr
