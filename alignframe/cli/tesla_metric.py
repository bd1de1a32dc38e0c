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
    typer.Option("--ref", metavar="FILE", help="Reference, a sentence a line. Repeatable."),
]


@dataclass(frozen=True)
class MetricOptions:
    """The fields are options, made known by ``with_options``."""

    metric: Annotated[
        str,
        typer.Option(
            "--metric",
            help="m: lemmas, synonyms and tags; b: and pivot languages; f: a trained model.",
        ),
    ] = "m"
    pivot: Annotated[
        list[str] | None,
        typer.Option("--pivot", metavar="[NAME=]FILE", help="A pivot table. Repeatable."),
    ] = None
    lm: Annotated[
        list[str] | None,
        typer.Option(
            "--lm", metavar="[NAME=]FILE", help="A language model (ARPA, KenLM). Repeatable."
        ),
    ] = None
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
    function_weight: Annotated[
        float,
        typer.Option("--function-weight", help="Of a function word, in tenths; 1: no discount."),
    ] = 0.1
    threads: Annotated[int, typer.Option("--threads", min=1, help="To match segments in.")] = 1

    def given(self) -> dict[str, Any]:
        """Return the arguments of ``tesla.score`` and of ``Scorer``."""
        return {
            "metric": self.metric,
            "pivots": named_files(self.pivot or [], "pivot table"),
            "language_models": named_files(self.lm or [], "language model"),
            "model": self.model,
            "references_combined": self.references,
            "alpha": self.alpha,
            "empty_order": self.empty_order,
            "function_weight": self.function_weight,
            "threads": self.threads,
        }


def named_files(specs: list[str], what: str) -> dict[str, str]:
    """Return files by name; without one, a file has the first part of its own name."""
    found: dict[str, str] = {}
    for spec in specs:
        name, path = split_name(spec, what)
        add_named(found, name or Path(path).name.split(".")[0], path, what)
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
