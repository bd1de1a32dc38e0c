"""``alignframe links``: score, counts, compare and symmetrize."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alignframe.cli.drawn import Drawn
from alignframe.cli.places import check_one_output
from alignframe.cli.progress import ticking
from alignframe.cli.scores import deliver_comparisons, deliver_scores
from alignframe.cli.show import deliver, print_note, print_summary
from alignframe.cli.sources import Given, bands_of, read_links
from alignframe.errors import InputError, number_of

if TYPE_CHECKING:
    from pathlib import Path


def score(
    *,
    files: Given,
    nulls: bool,
    alpha: list[float],
    by: list[str],
    bands: list[int] | None,
    worst: int | None,
    drawn: Drawn,
    output: Path | None,
    as_json: bool,
) -> None:
    """Score systems against gold: precision, recall, AER and F at every alpha."""
    from alignframe import links
    from alignframe.measures import check_alpha

    for value in alpha:
        check_alpha(value)
    if worst is not None:
        unused = {"nulls": nulls, "alpha": alpha != [0.5], "by": by, "bands": bands}
        for name, given in {**unused, "bootstrap": drawn.bootstrap}.items():
            if given:
                raise InputError(
                    f"--worst with --{name}",
                    expected="one of them: the sentences are those with the most wrong and "
                    "missing links",
                )
        _worst_sentences(files, worst, output, as_json)
        return
    with files.read(nulls) as given:
        frame = links.scores(
            **given,
            **bands_of(bands),
            alpha=alpha,
            by=by,
            **drawn.words,
        )
    deliver_scores(frame, output, as_json, "Alignment scores")


def _worst_sentences(files: Given, worst: int, output: Path | None, as_json: bool) -> None:
    from alignframe import links
    from alignframe.links.scores import counts_signature

    with files.read() as given:
        frame = links.worst_sentences(n=worst, **given)
        said = {name: given[name] for name in ("hyp", "gold", "possible_as_sure", "bitext")}
        mark = counts_signature(**said)
    title = "Sentences with the most errors"
    deliver(frame, output, as_json, name="worst", title=title, signature=mark)


def counts(
    *,
    files: Given,
    nulls: bool,
    by: list[str],
    bands: list[int] | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Count each sentence's links: the additive table behind all scores."""
    from alignframe import links
    from alignframe.links.scores import counts_signature

    with files.read(nulls) as given:
        frame = links.counts(**given, **bands_of(bands), by=by)
        said = {name: given[name] for name in ("hyp", "gold", "possible_as_sure", "bitext")}
        mark = counts_signature(**said, by=by)
    deliver(frame, output, as_json, name="counts", title="Link counts", signature=mark)


def compare(
    *,
    files: Given,
    nulls: bool,
    baseline: str,
    alpha: list[float],
    drawn: Drawn,
    output: Path | None,
    as_json: bool,
) -> None:
    """Test whether systems differ from a baseline, by the paired bootstrap over sentences."""
    from alignframe import links

    with files.read(nulls) as given:
        frame = links.compare(
            **given,
            baseline=baseline,
            alpha=alpha,
            **drawn.words,
        )
    deliver_comparisons(frame, output, as_json, baseline)


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
