"""``alignframe tesla``: each command in a module of its own."""

from __future__ import annotations

import typer

from alignframe.cli import (
    tesla_analyse,
    tesla_explain,
    tesla_lm,
    tesla_meta,
    tesla_pivot,
    tesla_rankings,
    tesla_score,
    tesla_stream,
    tesla_train,
)

app = typer.Typer(help="Evaluate translations by linear programming (TESLA).", no_args_is_help=True)

app.command("score")(tesla_score.score)
app.command("stream")(tesla_stream.stream)
app.command("explain")(tesla_explain.explain)
app.command("analyse")(tesla_analyse.analyse)
app.command("pivot-table")(tesla_pivot.pivot_table)
app.command("train")(tesla_train.train)
app.command("lm")(tesla_lm.lm)
app.command("rankings")(tesla_rankings.rankings)
app.command("meta")(tesla_meta.meta)
