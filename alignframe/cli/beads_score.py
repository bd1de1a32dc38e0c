"""``alignframe beads score``, ``counts`` and ``compare``."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from alignframe.cli.cells import with_intervals
from alignframe.cli.drawn import Drawn
from alignframe.cli.scores import deliver_comparisons
from alignframe.cli.show import deliver, print_json, print_table, save_table
from alignframe.cli.sources import by_name, split_name
from alignframe.errors import DataWarning, InputError
from alignframe.options.option import split

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from alignframe.read.source import Source

_SHORT = {"precision": "P", "recall": "R", "f": "F"}


@dataclass(frozen=True)
class Given:
    """Gold and hypotheses, with options for reading and counting them."""

    gold: str
    hyp: list[str]
    one_sided: str
    gold_as_written: bool
    src: str | None
    tgt: str | None
    gold_format: str | None
    gold_base: int | None
    hyp_format: str | None
    hyp_base: list[str] | None
    encoding: str

    def read(self) -> dict[str, Any]:
        """Return the arguments hyp, gold, one_sided and lengths of ``alignframe.beads``."""
        from alignframe.beads.sources import beads_source
        from alignframe.formats import system_name

        if (self.src is None) != (self.tgt is None):
            raise InputError("one side of the text", expected="--src and --tgt, or neither")
        specs = [split_name(spec) for spec in self.hyp]
        names = [name or system_name(path) for name, path in specs]
        bases = by_name(self.hyp_base, "--hyp-base", names)
        found: list[Any] = []
        for own, (name, path) in zip(names, specs, strict=True):
            source = beads_source(
                path,
                format=self.hyp_format,
                encoding=self.encoding,
                base=None if bases[own] is None else split(bases[own], int, "--hyp-base")[0],
            )
            found.append(source if name is None else {name: source})
        gold = beads_source(
            self.gold,
            "gold",
            self.gold_as_written,
            format=self.gold_format,
            encoding=self.encoding,
            base=self.gold_base,
        )
        return {
            "hyp": found,
            "gold": gold,
            "one_sided": self.one_sided,
            "gold_as_written": self.gold_as_written,
            "lengths": self._lengths(),
        }

    def _lengths(self) -> tuple[Any, Any] | None:
        """Return the sentences of the only document, if its text is given."""
        from alignframe.formats.sentences import read_sentences

        if self.src is None or self.tgt is None:
            return None
        return read_sentences(self.src, self.encoding), read_sentences(self.tgt, self.encoding)


def score(
    *,
    files: Given,
    by_doc: bool,
    by_type: bool,
    average: str,
    drawn: Drawn,
    output: Path | None,
    as_json: bool,
) -> None:
    """Score sentence alignments against gold: beads, sentence pairs and alignment rate."""
    from alignframe.beads import scores

    given = files.read()
    keys = ["doc"] if by_doc else []
    frame = scores(**given, by=keys, average=average, **drawn.words)
    if output:
        save_table(frame, output)
    types: dict[str, pl.DataFrame] = {}
    if as_json or by_type:
        with warnings.catch_warnings():  # they were given
            warnings.simplefilter("ignore", DataWarning)
            types = {
                "types": scores(**given, by=[*keys, "type"], average=average).drop("signature")
            }
    mark = frame["signature"][0] if frame.height else ""
    frame = frame.drop("signature")
    if as_json:
        print_json({"scores": frame, **types}, mark or None)
        return
    shown = [_flat(row, ["system", *keys]) for row in with_intervals(frame)]
    print_table(shown, title=_title(given["gold"]), caption="" if by_type else mark)
    if by_type:
        rows = [_of_type(row, ["system", *keys]) for row in types["types"].to_dicts()]
        print_table(rows, title="By type", caption=mark)


def counts(*, files: Given, output: Path | None, as_json: bool) -> None:
    """Count the beads of each document: the additive table behind all scores."""
    from alignframe import beads
    from alignframe.beads.measure import beads_measure

    given = files.read()
    frame = beads.counts(**given)
    mark = beads_measure(
        files.one_sided,
        lengths=given["lengths"] is not None,
        gold_as_written=files.gold_as_written,
    ).signature()
    deliver(frame, output, as_json, name="counts", title="Bead counts", signature=mark)


def compare(
    *,
    files: Given,
    baseline: str,
    average: str,
    drawn: Drawn,
    output: Path | None,
    as_json: bool,
) -> None:
    """Test whether systems differ from a baseline, by the paired bootstrap over documents."""
    from alignframe import beads

    frame = beads.compare(**files.read(), baseline=baseline, average=average, **drawn.words)
    deliver_comparisons(frame, output, as_json, baseline)


def _title(gold: Source) -> str:
    from alignframe.beads.sources import beads_of

    beads = beads_of(gold)
    empty = (beads["src_start"] == beads["src_end"]) | (beads["tgt_start"] == beads["tgt_end"])
    both = f"{beads.height - empty.sum():,} with both sides"
    return f"Beads against the {beads.height:,} of gold, {both}"


def _flat(row: dict[str, Any], keys: list[str]) -> dict[str, Any]:
    """Return a row for the terminal."""
    pairs = {f"pair {short}": row[f"pair_{name}"] for name, short in _SHORT.items() if name != "f"}
    return {
        **{key: row[key] for key in keys},
        "beads": row["n_hyp"],
        **_figures(row),
        **pairs,
        "aligned": row["alignment_rate"],
    }


def _of_type(row: dict[str, Any], keys: list[str]) -> dict[str, Any]:
    sizes = {"beads": row["n_hyp"], "gold beads": row["n_gold"]}
    return {**{key: row[key] for key in (*keys, "type")}, **sizes, **_figures(row)}


def _figures(row: dict[str, Any]) -> dict[str, Any]:
    return {
        f"{kind} {short}": row[f"{kind}_{name}"]
        for kind in ("strict", "lax")
        for name, short in _SHORT.items()
    } | {
        f"docs {short}": row[f"strict_{name}_docs"]
        for name, short in _SHORT.items()
        if f"strict_{name}_docs" in row
    }
