"""``alignframe convert``: links from one format to another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from alignframe.choices import BASES, LINK_FORMATS, ORDERS
from alignframe.cli.command import Input, flag
from alignframe.cli.places import check_one_output
from alignframe.cli.progress import ticking
from alignframe.cli.show import print_note, print_summary
from alignframe.cli.sources import BASE, ENCODING, SRC, TGT, read_text
from alignframe.errors import InputError, number_of, unknown

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, kw_only=True)
class Conversion(Input):
    """Links to convert, and how they are read and written."""

    source: str = flag("File to read; '-' is standard input.", panel=None, flags="IN")
    target: str = flag("A file; '-' is standard output.", panel=None, flags="OUT")
    from_format: str | None = flag(
        "Format of IN; detected by default.", None, flags="--from", choices=LINK_FORMATS
    )
    base: int | None = flag(f"Number of the first word in IN: {BASE}.", None, choices=BASES)
    order: str = flag("Which side IN names first.", "src-tgt", choices=ORDERS)
    first_sentence: int | None = flag("Number of the first sentence (naacl, numbered).", None)
    min_probability: float | None = flag("Drop links below this probability.", None)
    src: str | None = flag(SRC, None, metavar="FILE")
    tgt: str | None = flag(TGT, None, metavar="FILE")
    encoding: str = flag(ENCODING, "utf-8")
    system: str | None = flag(
        "Name of the system to write, or to choose from Parquet.", None, panel="Analysis"
    )
    to_format: str | None = flag(
        "Format of OUT; by default from its suffix (.talp, .naacl, .parquet, ...).",
        None,
        panel="Output",
        flags="--to",
        choices=LINK_FORMATS,
    )
    to_base: int = flag("Number of the first word in OUT.", 0, panel="Output", choices=BASES)


def convert(given: Conversion, *, as_json: bool = False) -> None:
    """Convert links between formats; --src and --tgt also check their positions."""
    from alignframe import formats
    from alignframe.formats.links import link_format
    from alignframe.formats.writing import check_format

    check_one_output(given.target, as_json)
    kind = given.from_format or formats.detect(given.source, given.encoding)
    goal = check_format(given.target, given.to_format)
    if given.to_base and not link_format(goal).has_base:
        raise InputError(f"--to-base with {goal}, which always counts from the same number")
    bitext = read_text(given.src, given.tgt, given.encoding)
    reading = formats.Reading(
        given.base, given.order, given.first_sentence, given.min_probability, given.encoding
    )
    batches = formats.scan(given.source, given.from_format, reading, bitext=bitext)
    if kind == "parquet":
        batches = _one_system(batches, given.system, given.source, goal)
    total = {"sentences": 0, "links": 0}
    counted = _counting(batches, total)
    shown = ticking(counted, f"Converting {given.source}", lambda batch: batch.num_rows)
    if bitext is not None and link_format(goal).has_words:
        shown = formats.add_words(shown, bitext)
    name = given.system or formats.system_name(given.source)
    formats.write(shown, given.target, goal, base=given.to_base, system=name)
    if as_json:
        print_summary({"from": kind, "to": goal, **total, "output": given.target})
    elif given.target != "-":
        print_note(
            f"{number_of(total['sentences'], 'sentence')}, "
            f"{number_of(total['links'], 'link')} written to {given.target} as {goal}"
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
    """Select a system by name, or rename the only one.

    Text formats do not store names of systems, so they hold one system.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from alignframe.links.inputs import links_source

    systems = links_source(path).systems()
    if wanted is None and len(systems) > 1 and goal != "parquet":
        raise InputError(
            f"the file holds the systems {', '.join(sorted(systems))}",
            path=path,
            todo="choose one with --system",
        )
    if wanted is not None and wanted not in systems and len(systems) > 1:
        raise unknown("--system", wanted, sorted(systems), path=path)
    for batch in batches:
        if wanted in systems and len(systems) > 1:
            batch = batch.filter(pc.equal(batch.column("system").cast(pa.string()), wanted))
        elif wanted is not None:
            names = pa.array([wanted] * batch.num_rows, pa.string())
            batch = batch.set_column(0, "system", names.dictionary_encode())
        yield batch
