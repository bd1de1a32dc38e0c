"""``alignframe beads``: each command in a module of its own."""

from __future__ import annotations

import typer

from alignframe.cli import (
    beads_align,
    beads_convert,
    beads_filter,
    beads_noise,
    beads_score,
    beads_study,
)

app = typer.Typer(help="Align sentences, and judge it under noise.", no_args_is_help=True)

app.command("align")(beads_align.align)
app.command("model")(beads_align.model)
app.command("score")(beads_score.score)
app.command("noise")(beads_noise.noise)
app.command("convert")(beads_convert.convert)
app.command("study")(beads_study.study)
app.command("tune")(beads_study.tune)
app.command("filter")(beads_filter.filter)
