"""Options of reports only."""

from __future__ import annotations

from pathlib import Path

from alignframe.options.option import REQUIRED, argument, inputs, outputs

metric_title = outputs("--title", str, "Title of the page; by default it names the measure.", None)
filtered = argument(
    "SCORES", Path, "Parquet file written by beads filter --lines.", REQUIRED, name="filtered"
)
lines_shown = outputs(
    "--top", int, "Number of lines in each table of lines.", 20, name="top", low=1
)
beads_shown = outputs(
    "--top",
    int,
    "Number of beads to show side by side, the least probable first.",
    300,
    name="top",
    low=1,
)
study = argument(
    "STUDY",
    str,
    "Parquet file written by beads study; or beads in any format, with --src and --tgt.",
    REQUIRED,
    name="study",
)
sentences_tgt = inputs("--tgt", str, "Target sentences, as --src.", None, metavar="FILE")
study_gold = inputs("--gold", str, "Gold beads to compare an alignment with.", None, metavar="FILE")
study_src = inputs(
    "--src", str, "Source sentences of an alignment, as in beads align.", None, metavar="FILE"
)
tuning = inputs("--tuning", Path, "Parquet file written by beads tune -o.", None, metavar="FILE")
