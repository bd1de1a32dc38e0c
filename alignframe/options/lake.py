"""Options of jobs over lakes."""

from __future__ import annotations

from pathlib import Path

from alignframe.choices import CHECKS, LAKE_ENGINES, LAKE_FORMATS, ONE_SIDED, TRANSLATION_METRICS
from alignframe.options.option import REQUIRED, analysis, argument, inputs, outputs

PLACE = "a folder, a glob, a Delta table, iceberg:CATALOG.namespace.table or a folder of s3://"

all_tests = outputs(
    "--all",
    bool,
    "Also print scores that are unchanged or do not differ significantly.",
    False,
    name="every",
)
baseline = analysis(
    "--baseline",
    str,
    "What to compare systems with: their own previous run, their own run of that name, or a "
    "system.",
    "previous",
    metavar="previous|RUN|SYSTEM",
)
by = analysis(
    "--by",
    str,
    "Columns to group by, comma-separated: keys of partitions, or columns of the counts.",
    "",
    listed=str,
)
check = inputs(
    "--check",
    str,
    "How changes in files are detected: by size and time (ETag, or name in Delta and Iceberg), "
    "or by content, which is slower.",
    "stat",
    choices=CHECKS,
)
commit_every = outputs(
    "--commit-every",
    float,
    "Seconds after which finished units are committed to Delta and Iceberg.",
    60.0,
    low=0,
)
dry_run = outputs("--dry-run", bool, "Show what would be done and why, without doing it.", False)
engine = outputs(
    "--engine",
    str,
    "Where units are processed: in this process, or by Spark workers (of the server named by "
    "SPARK_REMOTE, otherwise of Sail or Spark on this machine).",
    "local",
    choices=LAKE_ENGINES,
)
gold = inputs(
    "--gold",
    str,
    "Gold: a file, or a place that has keys of HYP as partitions or columns.",
    REQUIRED,
    metavar="PLACE",
)
function = argument(
    "MODULE:FUNCTION",
    str,
    "A Python function that takes a partition of each PLACE as a polars frame.",
    REQUIRED,
    name="function",
)
hyp = argument("HYP", str, f"A lake of systems: {PLACE}.", REQUIRED, name="hyp")
forward = argument(
    "FORWARD",
    str,
    "A lake of links in which each target word picks a source word.",
    REQUIRED,
    name="forward",
)
lake_format = outputs(
    "--to",
    str,
    "Format of OUT; by default that of an existing OUT, otherwise Parquet.",
    None,
    choices=LAKE_FORMATS,
)
on = inputs(
    "--on",
    str,
    "Keys that the inputs share, comma-separated, such as domain,sid; by default all common keys.",
    None,
    listed=str,
)
lake_text = inputs("--text", str, "The text of LINKS: sid, src, tgt.", None, metavar="PLACE")
links = argument("LINKS", str, f"A lake of links: {PLACE}.", REQUIRED, name="links")
measure = analysis(
    "--measure", str, "The alignframe.stats.Measure of the counts.", None, metavar="MODULE:NAME"
)
figures = analysis(
    "--measure",
    list[str],
    "Show only this measure of the scores, such as aer. Repeatable.",
    None,
    name="measure",
)
metric = analysis(
    "--metric", str, "Metric to compute counts for.", "tesla-m", choices=TRANSLATION_METRICS
)
model = inputs(
    "--model-from",
    str,
    "Folder of a model written by align --save-model.",
    REQUIRED,
    metavar="FOLDER",
)
out = outputs(
    "-o --output",
    str,
    "Where to write: a folder, iceberg:CATALOG.namespace.table, or a folder of s3://.",
    REQUIRED,
    name="out",
    metavar="OUT",
)
place = argument("OUT", str, "The output of a lake job.", REQUIRED, name="place")
places = argument(
    "NAME=PLACE",
    list[str],
    f"For each parameter of the function, {PLACE}; the partitions of the first are the units.",
    REQUIRED,
    name="places",
)
ref = inputs(
    "--ref", str, "References: a place with sid and text.", REQUIRED, metavar="PLACE", name="ref"
)
reverse = argument(
    "REVERSE",
    str,
    "A lake of links in which each source word picks a target word.",
    REQUIRED,
    name="reverse",
)
top = outputs("--top", int, "Number of sentences listed for each corpus and system.", 20, low=0)
systems = analysis("--system", list[str], "Show only this system. Repeatable.", None, name="system")
tesla_model = inputs("--model", Path, "Trained model, for tesla-f.", None, metavar="FILE")
text = argument("TEXT", str, f"A lake of text (sid, src, tgt): {PLACE}.", REQUIRED, name="text")
prune = outputs("--prune", bool, "Remove units of OUT that the inputs no longer have.", False)
unit = analysis("--unit", str, "Column by which intervals are resampled.", "sid")
one_sided = analysis(
    "--one-sided",
    str,
    "Where one-sided beads count: precision (as in published scores), count (in precision and "
    "recall), ignore (in neither).",
    "precision",
    choices=ONE_SIDED,
)
