"""Options of several areas."""

from __future__ import annotations

from pathlib import Path

from alignframe.choices import LINK_FORMATS, ORDERS, TABLES_SAID
from alignframe.options.option import REQUIRED, argument, inputs, outputs
from alignframe.options.option import base as base_of

base = base_of("--base", " in Pharaoh links")
database = inputs("--database", str, "A DuckDB database file.", ":memory:", metavar="FILE")
encoding = inputs("--encoding", str, "Character encoding of text files.", "utf-8")
figure_format = outputs(
    "--figure-format", str, "Format of the charts.", "png", choices=("png", "svg", "pdf")
)
figures = outputs(
    "--figures",
    Path,
    "Also write every chart as an image file.",
    None,
    metavar="FOLDER",
    writes="folder",
)
file = inputs("-f --file", Path, "Read the SQL from a file.", None, metavar="FILE")
json = outputs("--json", bool, "Print JSON.", False, name="as_json")
list_macros = outputs(
    "--macros",
    bool,
    "List the macros, with their parameters and what they answer.",
    False,
    name="list_macros",
)
limit = outputs("--limit", int, "Maximum number of rows shown in the terminal.", 200)
links_format = inputs(
    "--links-format", str, "Format of the links; detected by default.", None, choices=LINK_FORMATS
)
memory_limit = outputs(
    "--memory-limit", str, "Memory limit, such as 2GB; DuckDB spills the rest to disk.", None
)
order = inputs("--order", str, "Which side the links name first.", "src-tgt", choices=ORDERS)
output = outputs(
    "-o --output",
    Path,
    f"Write the table as {TABLES_SAID}.",
    None,
    metavar="FILE",
    writes="table",
)
page = outputs(
    "-o --output", Path, "HTML page to write.", Path("report.html"), metavar="FILE", writes="page"
)
parquet = outputs(
    "-o --output", Path, "Parquet file to write.", REQUIRED, metavar="FILE", writes="parquet"
)
processes = outputs("--processes", int, "Number of processes; all cores by default.", None, low=1)
query = argument(
    "QUERY",
    str,
    "SQL; if there are several statements, the rows of the last one are shown.",
    None,
    name="query",
)
sids = inputs(
    "--sids",
    str,
    "Score only these sentences: one sid per line, or a table with a column sid.",
    None,
    metavar="FILE",
)
signature = outputs(
    "--signature",
    str,
    "Form in which the signature is printed; by default short if it is longer than 200 "
    "characters. JSON and files have the long form.",
    None,
    choices=("short", "long"),
)
table_format = outputs(
    "--format",
    str,
    "How tables are printed; json is the same as --json.",
    "text",
    choices=("text", "latex", "markdown", "json"),
)
tables = outputs(
    "-o --output",
    Path,
    f"Folder to write every table to, as Parquet; or a {TABLES_SAID} file for the main one.",
    None,
    metavar="PATH",
    writes="tables",
)
target = argument("OUT", str, "A file; '-' is standard output.", REQUIRED, name="target")
tgt = inputs("--tgt", str, "Target sentences, one per line.", None, metavar="FILE")
threads = outputs("--threads", int, "Number of threads; all cores by default.", None, low=1)
where = inputs(
    "--where",
    str,
    "Score only sentences that meet this SQL condition on their columns, such as 'sid < 110'.",
    None,
    metavar="SQL",
)
sql_tables = inputs(
    "--table",
    list[str],
    "Table behind a name in the query: a file, glob, folder, Delta or Iceberg table, or s3://. "
    "Repeatable.",
    None,
    name="tables",
    metavar="NAME=PLACE",
)
