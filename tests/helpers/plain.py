"""DuckDB without Python: the exported macros in its shell, or in Node, over all of tests/sql."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
from helpers.sql import FILES, parts_of

from alignframe.engines.export import exported


def shell():
    """Return DuckDB's shell, which the wheel duckdb-cli has, or None."""
    own = str(Path(sys.executable).parent)
    return shutil.which("duckdb", path=own) or shutil.which("duckdb")


def steps():
    """Yield what runs all queries of tests/sql: SQL, or a name such as ``bleu 0`` and a query."""
    for number, file in enumerate(FILES):
        given, questions = parts_of(file)
        yield f"create schema s{number}"
        yield f"set search_path = 's{number},main'"
        yield from (f"create table {name} as {text}" for name, text in given.items())
        for place, (_, text, _) in enumerate(questions):
            yield f"{file.stem} {place}", text


def in_shell(folder):
    """Run all queries in DuckDB's shell; return the rows of each by name, and what it said."""
    results, macros = folder / "results.duckdb", folder / "alignframe.sql"
    macros.write_text(exported())
    lines = [f".read {macros}", f"attach '{results}' as results;"]
    for step in steps():
        made = "" if isinstance(step, str) else f'create table results.main."{step[0]}" as '
        lines += [f"{made}{step if isinstance(step, str) else step[1]};"]
    done = subprocess.run(
        [shell(), "-no-init"],
        # Read as if typed, as a script would end at the first query that needs Python.
        input="\n".join([*lines, ""]),
        capture_output=True,
        text=True,
    )
    with duckdb.connect(str(results), read_only=True) as database:
        names = [
            name
            for (name,) in database.execute("select table_name from duckdb_tables()").fetchall()
        ]
        rows = {name: database.execute(f'from "{name}"').fetchall() for name in names}
    return rows, done.stderr


def in_node(folder):
    """Run all queries in DuckDB for browsers; return rows by name, errors as lists, its release."""
    with duckdb.connect() as connection:
        macros = [one.query for one in connection.extract_statements(exported())]
    # It would fetch extensions, such as that of Parquet, and wait for them without a network.
    alone = ("set autoinstall_known_extensions = false", "set autoload_known_extensions = false")
    (folder / "steps.json").write_text(json.dumps([*alone, *macros, *steps()]))
    done = subprocess.run(
        ["node", Path(__file__).with_name("wasm.cjs"), folder / "steps.json", folder],
        capture_output=True,
        text=True,
        timeout=600,
    )
    rows = {}
    for file in folder.glob("*.arrow"):
        table = pa.ipc.open_file(file.read_bytes()).read_all()
        rows[file.stem] = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    said = json.loads(done.stdout)
    release = tuple(map(int, said["version"].lstrip("v").split(".")[:2]))
    return rows, said["errors"], release
