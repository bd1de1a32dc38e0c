"""``alignframe convert``: links from one format to another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from alignframe.cli import given as g
from alignframe.cli.progress import ticking
from alignframe.cli.show import print_json, print_note
from alignframe.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file; '-' is standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="A file; '-' is standard output.")],
    from_format: Annotated[
        str | None,
        typer.Option("--from", help=f"{g.LINK_FORMATS}; else recognised."),
    ] = None,
    to_format: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="The same formats; else by the suffix of OUT: .parquet, .naacl, .a3, .moses, "
            ".tsv, or pharaoh.",
        ),
    ] = None,
    base: Annotated[
        int | None, typer.Option("--base", help="Number of the first word in IN: 0 or 1.")
    ] = None,
    to_base: Annotated[
        int, typer.Option("--to-base", min=0, max=1, help="Number of the first word in OUT.")
    ] = 0,
    order: Annotated[
        str, typer.Option("--order", help="Which side IN names first: src-tgt, tgt-src.")
    ] = "src-tgt",
    first_sentence: Annotated[
        int | None,
        typer.Option("--first-sentence", help="Number of the first sentence (naacl, numbered)."),
    ] = None,
    min_probability: Annotated[
        float | None, typer.Option("--min-probability", help="Leave out less probable links.")
    ] = None,
    src: g.SrcOption = None,
    tgt: g.TgtOption = None,
    encoding: g.EncodingOption = "utf-8",
    system: Annotated[
        str | None, typer.Option("--system", help="Name to store, or to choose from Parquet.")
    ] = None,
    as_json: g.JsonOption = False,
) -> None:
    """Convert links between formats; with --src and --tgt their positions are checked as well."""
    from alignframe import formats
    from alignframe.cli.given import read_text

    kind = from_format or formats.detect(source, "--from")
    goal = to_format or formats.format_of(target)
    if to_base and goal in ("naacl", "giza", "parquet"):
        raise InputError(f"--to-base for {goal}, which always counts from the same number")
    bitext = read_text(src, tgt, encoding)
    reading = formats.Reading(base, order, first_sentence, min_probability, encoding)
    batches = formats.scan(source, kind, reading, bitext=bitext)
    if kind == "parquet":
        batches = _one_system(batches, system, source, goal)
    total = {"sentences": 0, "links": 0}
    counted = _counting(batches, total)
    shown = ticking(counted, f"Converting {source}", lambda batch: batch.num_rows)
    if bitext is not None and goal in formats.WITH_WORDS:
        shown = formats.add_words(shown, bitext)
    name = system or formats.system_name(source)
    formats.write(shown, target, goal, base=to_base, system=name)
    if as_json:
        print_json({"from": kind, "to": goal, **total, "output": target})
    elif target != "-":
        print_note(
            f"{total['sentences']:,} sentences, {total['links']:,} links written to {target}"
        )


def _counting(batches: Iterator[pa.RecordBatch], total: dict[str, int]) -> Iterator[pa.RecordBatch]:
    import pyarrow.compute as pc

    for batch in batches:
        total["sentences"] += batch.num_rows
        total["links"] += pc.sum(pc.list_value_length(batch.column("links"))).as_py() or 0
        yield batch


def _one_system(
    batches: Iterator[pa.RecordBatch], wanted: str | None, path: str, goal: str
) -> Iterator[pa.RecordBatch]:
    """Choose a system by name, or give the only one that name.

    Text formats have no place for a system's name, and so hold one system.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from alignframe.links.inputs import Input

    systems = Input(path).systems()
    if wanted is None and len(systems) > 1 and goal != "parquet":
        raise InputError(
            f"the file holds the systems {', '.join(sorted(systems))}",
            path=path,
            todo="choose one with --system",
        )
    if wanted is not None and wanted not in systems and len(systems) > 1:
        raise InputError(
            f"no system {wanted!r}", path=path, expected=f"one of {', '.join(sorted(systems))}"
        )
    for batch in batches:
        if wanted in systems and len(systems) > 1:
            batch = batch.filter(pc.equal(batch.column("system").cast(pa.string()), wanted))
        elif wanted is not None:
            names = pa.array([wanted] * batch.num_rows, pa.string())
            batch = batch.set_column(0, "system", names.dictionary_encode())
        yield batch
