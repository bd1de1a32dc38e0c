"""Which TESLA, and what it is made of: the options of the commands that score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from alignframe.cli.given import split_name
from alignframe.errors import InputError

RefOption = Annotated[
    list[str],
    typer.Option(
        "--ref",
        metavar="FILE",
        help="Reference, a sentence a line, or .parquet of tesla analyse. Repeatable.",
    ),
]
HypOption = Annotated[
    list[str],
    typer.Option(
        "--hyp",
        metavar="[NAME=]FILE",
        help="A system's translations, a sentence a line, or .parquet of tesla analyse. "
        "Repeatable.",
    ),
]
FunctionWeightOption = Annotated[
    float,
    typer.Option(
        "--function-weight", help="Of a function word: 0, 0.1, 0.2 and so on; 1: no discount."
    ),
]
PivotOption = Annotated[
    list[str] | None,
    typer.Option(
        "--pivot",
        metavar="[NAME=]FILE",
        help="A pivot table, of the features NAME_lem_1 and so on, which count for b, and f if its "
        "model weighs them; NAME is the table's own unless given. Repeatable.",
    ),
]
LmOption = Annotated[
    list[str] | None,
    typer.Option(
        "--lm",
        metavar="[NAME=]FILE",
        help="A language model (ARPA, KenLM), of the feature lm_NAME, which counts for f if its "
        "model weighs it; unless given, NAME is the file's, less suffixes and lm_. Repeatable.",
    ),
]


@dataclass(frozen=True)
class MetricOptions:
    """The fields are options, made known by ``with_options``."""

    metric: Annotated[
        str,
        typer.Option(
            "--metric",
            help="m: lemmas, synonyms and tags; b: and pivot languages; f: a trained model. What a "
            "metric does not take is a column of -o all the same.",
        ),
    ] = "m"
    pivot: PivotOption = None
    lm: LmOption = None
    model: Annotated[
        Path | None, typer.Option("--model", metavar="FILE", help="The model of --metric f.")
    ] = None
    references: Annotated[
        str, typer.Option("--references", help="Of several: mean, or max, of the scores.")
    ] = "mean"
    alpha: Annotated[
        float, typer.Option("--alpha", help="How much recall counts in F: of 1, F is recall.")
    ] = 0.8
    empty_order: Annotated[
        str,
        typer.Option(
            "--empty-order",
            help="F of n-grams longer than a sentence: zero, or skip (leave them out).",
        ),
    ] = "zero"
    function_weight: FunctionWeightOption = 0.1
    threads: Annotated[int, typer.Option("--threads", min=1, help="To match segments in.")] = 1

    def given(self) -> dict[str, Any]:
        """Return the arguments of ``tesla.score`` and of ``Scorer``."""
        return {
            "metric": self.metric,
            "pivots": named_pivots(self.pivot or []),
            "language_models": named_models(self.lm or []),
            "model": self.model,
            "references_combined": self.references,
            "recall_weight": self.alpha,
            "empty_order": self.empty_order,
            "function_weight": self.function_weight,
            "threads": self.threads,
        }


def named_pivots(specs: Sequence[str]) -> dict[str, str]:
    """Return pivot tables by name; without one, by the name that stands in the file."""
    from alignframe.tesla.pivot_table import name_of

    found: dict[str, str] = {}
    for spec in specs:
        name, path = split_name(spec, "pivot table")
        add_named(found, name or name_of(path), path, "pivot table")
    return found


def named_models(specs: Sequence[str]) -> dict[str, str]:
    """Return language models by name; without one, by the first part of the file's own name."""
    found: dict[str, str] = {}
    for spec in specs:
        name, path = split_name(spec, "language model")
        own = Path(path).name.split(".")[0]
        add_named(found, name or own.removeprefix("lm_") or own, path, "language model")
    return found


def add_named(found: dict[str, str], name: str, path: str, what: str) -> None:
    """Add a file; an InputError if another one has its name."""
    if name in found:
        raise InputError(
            f"two files for the {what} {name!r}: {found[name]} and {path}",
            todo="name them: NAME=FILE",
        )
    found[name] = path


def systems_of(specs: Sequence[str], ref: str) -> dict[str, str]:
    """Return translations by the system's name: that of the file, less the suffix of ``ref``."""
    from alignframe.formats.names import document_name

    suffix = Path(document_name(ref)).suffix
    found: dict[str, str] = {}
    for spec in specs:
        name, path = split_name(spec)
        own = document_name(path)
        add_named(found, name or own.removesuffix(suffix) or own, path, "system")
    return found
