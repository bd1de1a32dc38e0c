"""``alignframe links symmetrize``."""

from __future__ import annotations

from alignframe.cli.places import check_one_output
from alignframe.cli.progress import ticking
from alignframe.cli.show import print_note, print_summary
from alignframe.cli.sources import read_links
from alignframe.errors import number_of


def symmetrize(
    *,
    forward: str,
    reverse: str,
    output: str,
    method: str,
    reverse_is: str,
    format: str | None,
    to: str | None,
    base: int | None,
    system: str | None,
    as_json: bool,
) -> None:
    """Symmetrize the alignments of two directions."""
    from alignframe import formats, links
    from alignframe.arrow import to_reader
    from alignframe.formats.writing import check_format

    check_one_output(output, as_json)
    goal = check_format(output, to, words=False)
    sides = [read_links(path, format, None, "utf-8", base=base) for path in (forward, reverse)]
    frame = links.symmetrize(sides[0], sides[1], method, reverse_is=reverse_is, system=system)
    formats.write(
        ticking(to_reader(frame), "Writing", lambda batch: batch.num_rows),
        output,
        goal,
        base=base or 0,
    )
    total = int(frame["links"].list.len().sum())
    if as_json:
        print_summary(
            {"method": method, "sentences": frame.height, "links": total, "output": output}
        )
    elif output != "-":
        print_note(
            f"{method}: {number_of(frame.height, 'sentence')}, {number_of(total, 'link')} "
            f"written to {output}"
        )
