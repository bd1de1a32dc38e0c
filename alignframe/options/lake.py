"""Options of jobs over lakes."""

from __future__ import annotations

from pathlib import Path

from alignframe.choices import CHECKS, LAKE_ENGINES, LAKE_FORMATS, TRANSLATION_METRICS
from alignframe.options.option import REQUIRED, analysis, argument, inputs, outputs

PLACE = "a folder, a glob, a Delta table, iceberg:CATALOG.namespace.table or a folder of s3://"

all_tests = outputs(
    "--all",
    bool,
    "Also print scores that are unchanged or do not differ significantly.",
    False,
    name="every",
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
function = argument(
    "MODULE:FUNCTION",
    str,
    "A Python function that takes a partition of each PLACE as a polars frame.",
    REQUIRED,
    name="function",
)
hyp = argument("HYP", str, f"A lake of systems: {PLACE}.", REQUIRED, name="hyp")
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
measure = analysis(
    "--measure", str, "The alignframe.stats.Measure of the counts.", None, metavar="MODULE:NAME"
)
metric = analysis(
    "--metric", str, "Metric to compute counts for.", "tesla-m", choices=TRANSLATION_METRICS
)
out = outputs(
    "-o --output",
    str,
    "Where to write: a folder, iceberg:CATALOG.namespace.table, or a folder of s3://.",
    REQUIRED,
    name="out",
    metavar="OUT",
)
ref = inputs(
    "--ref", str, "References: a place with sid and text.", REQUIRED, metavar="PLACE", name="ref"
)
tesla_model = inputs("--model", Path, "Trained model, for tesla-f.", None, metavar="FILE")
prune = outputs("--prune", bool, "Remove units of OUT that the inputs no longer have.", False)
