"""``alignframe convert``: links from one format to another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from alignframe.cli.places import check_one_output
from alignframe.cli.progress import ticking
from alignframe.cli.show import print_note, print_summary
from alignframe.errors import InputError, number_of, unknown

if TYPE_CHECKING:
    import pyarrow as pa


def convert(
    *,
    source: str,
    target: str,
    from_format: str | None,
    to_format: str | None,
    base: int | None,
    to_base: int,
    order: str,
    first_sentence: int | None,
    min_probability: float | None,
    src: str | None,
    tgt: str | None,
    encoding: str,
    system: str | None,
    as_json: bool,
) -> None:
    """Convert links between formats; --src and --tgt also check their positions."""
    from alignframe import formats
    from alignframe.cli.sources import read_text
    from alignframe.formats.links import link_format
    from alignframe.formats.writing import check_format

    check_one_output(target, as_json)
    kind = from_format or formats.detect(source, encoding)
    goal = check_format(target, to_format)
    bitext = read_text(src, tgt, encoding)
    reading = formats.Reading(base, order, first_sentence, min_probability, encoding)
    batches = formats.scan(source, from_format, reading, bitext=bitext)
    if kind == "parquet":
        batches = _one_system(batches, system, source, goal)
    total = {"sentences": 0, "links": 0}
    counted = _counting(batches, total)
    shown = ticking(counted, f"Converting {source}", lambda batch: batch.num_rows)
    if bitext is not None and link_format(goal).has_words:
        shown = formats.add_words(shown, bitext)
    name = system or formats.system_name(source)
    formats.write(shown, target, goal, base=to_base, system=name)
    if as_json:
        print_summary({"from": kind, "to": goal, **total, "output": target})
    elif target != "-":
        print_note(
            f"{number_of(total['sentences'], 'sentence')}, "
            f"{number_of(total['links'], 'link')} written to {target} as {goal}"
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
        raise unknown("system", wanted, sorted(systems), path=path)
    for batch in batches:
        if wanted in systems and len(systems) > 1:
            batch = batch.filter(pc.equal(batch.column("system").cast(pa.string()), wanted))
        elif wanted is not None:
            names = pa.array([wanted] * batch.num_rows, pa.string())
            batch = batch.set_column(0, "system", names.dictionary_encode())
        yield batch
