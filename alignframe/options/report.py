"""Options of reports only."""

from __future__ import annotations

from pathlib import Path

from alignframe.options.option import REQUIRED, analysis, argument, inputs, outputs

folder = argument("FOLDER", Path, "Folder with reports.", REQUIRED, name="folder")
index_page = outputs(
    "-o --output",
    Path,
    "Page to write; index.html in the folder by default.",
    None,
    metavar="FILE",
    writes="page",
)
max_mb = outputs(
    "--max-mb",
    float,
    "Size in megabytes above which the page's data are written to files beside it.",
    20.0,
    low=0,
)
metric_title = outputs("--title", str, "Title of the page; by default it names the measure.", None)
recent = outputs(
    "--recent",
    int,
    "Number of most recent runs whose links or translations are shown (with their baselines') "
    "if they are still stored.",
    10,
    low=1,
)
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
text = inputs("--text", str, "The text: a place with sid, src, tgt.", None, metavar="PLACE")
top = outputs(
    "--top",
    int,
    "Number of sentences per corpus, those that changed most, to show with words and links.",
    50,
    low=0,
)
tuning = inputs("--tuning", Path, "Parquet file written by beads tune -o.", None, metavar="FILE")
watch = outputs(
    "--watch", bool, "Keep running, and rewrite the page whenever a run begins or ends.", False
)
upper_bound = analysis(
    "--upper-bound", float, "Precision at which two human translators agree.", None
)
