"""Links of two directions, symmetrized."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

import pyarrow as pa

from alignframe.core.choices import ORDERS
from alignframe.core.keys import check_distinct, sentence_column
from alignframe.core.symmetrization import DEFAULT, check_method
from alignframe.errors import InputError, check_known, in_file, number_of
from alignframe.lake.companions import NO_LINKS, LinksBeside
from alignframe.lake.job import Job, Settings
from alignframe.lake.plan import How, JobOptions
from alignframe.lake.units import Unit
from alignframe.lake.work import Run, run
from alignframe.links.inputs import links_source
from alignframe.links.symmetrizing import symmetrize as combined
from alignframe.typing import FilePath, ForInput


def symmetrize(
    forward: FilePath,
    reverse: FilePath,
    out: FilePath,
    *,
    method: str = DEFAULT,
    reverse_is: ForInput[str] = "src-tgt",
    system: str | None = None,
    **how: Unpack[JobOptions],
) -> Run:
    """Symmetrize the links of two directions in a lake.

    Parameters
    ----------
    forward
        A place with links in which each target word picks a source word. Partitions are paired with
        those of ``reverse`` by the keys that both have, even ``system``, unless ``on`` names
        others.
    reverse
        A place with links in which each source word picks a target word.
    out, how
        See ``alignframe.lake.score``.
    method, reverse_is, system
        See ``alignframe.links.symmetrize``.

    Returns
    -------
    Run
        See ``alignframe.lake.score``; its output is a place with links.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> for side in ("forward", "reverse"):
    ...     formats.write(formats.read(f"datasets/en-fr/{side}.talp"), f"{side}.parquet")
    >>> places = "forward.parquet", "reverse.parquet", "links"
    >>> run = lake.symmetrize(*places, reverse_is="tgt-src")
    >>> run.units["rows"].to_list()
    [72]
    """
    check_method(method)
    check_known("order", reverse_is, ORDERS)
    settings = {"method": method, "reverse_is": reverse_is, "system": system}
    return run(
        JOB, {"forward": forward, "reverse": reverse}, out, settings, How.of(symmetrize, how)
    )


def _rows(unit: Unit, settings: Settings) -> Iterator[pa.Table]:
    """Yield the symmetrized links."""
    forward = links_source(unit.inputs["forward"], unit.system)
    reverse = LinksBeside(unit.inputs["reverse"], None)
    done = 0
    sids = []
    for batch in forward.batches():
        sids.append(sentence_column(batch))
        mine = pa.Table.from_batches([batch])
        joined = combined(
            mine,
            reverse.of(sids[-1]),
            settings["method"],
            reverse_is=settings["reverse_is"],
            system=settings["system"] or unit.system,
        )
        done += joined.height
        yield joined.to_arrow()
    with in_file(forward.name):
        check_distinct(sids, "forward")
    # Sentences of forward were all found in reverse, so more in reverse have no partner.
    if done != reverse.size():
        raise InputError(
            f"forward has {number_of(done, 'sentence')}, reverse {reverse.size():,}",
            path=reverse.source.name,
            expected="the same sentences in both directions",
        )
    if not done:
        yield NO_LINKS


JOB = Job("symmetrize", "links", ("forward", "reverse"), _rows)
