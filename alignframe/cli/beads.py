"""``alignframe beads score`` and ``noise``."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.beads_align import count_types, listed_types
from alignframe.cli.cells import with_intervals
from alignframe.cli.command import Input, Shell, Words, flag
from alignframe.cli.option import outputs, split
from alignframe.cli.show import Data, Pieces, Rows, signature_of
from alignframe.cli.showing import json
from alignframe.cli.sources import ENCODING, by_name, split_name
from alignframe.core.choices import BASES
from alignframe.core.suffixes import BEAD_FORMATS
from alignframe.errors import InputError
from alignframe.typing import Arguments, Rare, Row

if TYPE_CHECKING:
    import polars as pl

    from alignframe.beads import Noisy

_SHORT = {"precision": "P", "recall": "R", "f": "F"}


class Given(Input):
    """Gold and hypotheses, with options for reading and counting them."""

    provides = ("hyp", "gold", "gold_as_written", "lengths")

    gold: str = flag(
        "Gold beads, in any format; for several documents: Parquet, a folder or a quoted glob "
        "with one file each, or @FILE with a list of files.",
        metavar="FILE",
    )
    hyp: list[str] = flag(
        "Beads of a system, as --gold; files of the same document must have the same name. "
        "Repeatable.",
        metavar="[NAME=]FILE",
    )
    src: str | None = flag("Source sentences, for the alignment rate.", None, metavar="FILE")
    tgt: str | None = flag("Target sentences, as --src.", None, metavar="FILE")
    gold_format: str | None = flag(
        "Format of the gold beads; detected by default.", None, choices=BEAD_FORMATS
    )
    gold_base: int | None = flag(
        "Number of the first sentence in gold (vecalign, ces, intertext); by default 0, or 1 in "
        "ids if none is 0.",
        None,
        choices=BASES,
    )
    gold_as_written: Rare[bool] = flag(
        "Accept gold with a sentence in two beads, as some published gold has by mistake: beads "
        "count as they stand, and a warning names the lines. Beads that skip a sentence are not "
        "extended over it, also in --hyp.",
        False,
    )
    hyp_format: str | None = flag(
        "Format of every --hyp; detected by default.", None, choices=BEAD_FORMATS
    )
    hyp_base: list[str] | None = flag(
        "Number of the first sentence in --hyp, for all systems or for one. Repeatable.",
        None,
        metavar="[NAME=]0|1",
    )
    encoding: str = flag(ENCODING, "utf-8")

    def arguments(self, shell: Shell) -> Arguments:
        """Return the beads, and the sentences of the only document if its text is given."""
        from alignframe.beads.sources import beads_source
        from alignframe.formats import system_name
        from alignframe.formats.sentences import read_sentences

        if (self.src is None) != (self.tgt is None):
            raise InputError("one side of the text", expected="--src and --tgt, or neither")
        specs = [split_name(spec) for spec in self.hyp]
        names = [name or system_name(path) for name, path in specs]
        bases = by_name(self.hyp_base, "--hyp-base", names)
        texts: list[Any] = []
        if shell.on:  # tables with columns of their own, which no other format has
            for option in ("gold_format", "gold_base", "hyp_format", "hyp_base", "src"):
                if getattr(self, option):
                    raise InputError(f"`{option}` with `on`", expected="one of them")
            texts = [path if name is None else {name: path} for name, path in specs]
            own_way: Arguments = {"gold_as_written": self.gold_as_written, "lengths": None}
            return {"hyp": texts, "gold": self.gold} | own_way
        for own, (name, path) in zip(names, specs, strict=True):
            source = beads_source(
                path,
                gaps=self.gold_as_written,
                format=self.hyp_format,
                encoding=self.encoding,
                base=None if bases[own] is None else split(bases[own], int, "--hyp-base")[0],
            )
            texts.append(source if name is None else {name: source})
        gold = beads_source(
            self.gold,
            "gold",
            self.gold_as_written,
            gaps=self.gold_as_written,
            format=self.gold_format,
            encoding=self.encoding,
            base=self.gold_base,
        )
        sides = [read_sentences(path, self.encoding) for path in (self.src, self.tgt) if path]
        return {
            "hyp": texts,
            "gold": gold,
            "gold_as_written": self.gold_as_written,
            "lengths": tuple(sides) or None,
        }


def score_rows(frame: pl.DataFrame, title: str) -> Rows:
    """Return the rows of scores, in all, by document or by type."""
    rows = with_intervals(frame.drop("signature"))
    # Every system has all of gold, in its rows by document or type.
    gold = sum(row["n_gold"] for row in rows if row["system"] == rows[0]["system"])
    shown = [_shown(row) for row in rows]
    title = title.replace("gold", f"the {gold:,} of gold")
    return Rows(shown, title, signature_of(frame))


def _shown(row: Row) -> Row:
    """Return a row for the terminal."""
    keys = dict(takewhile(lambda cell: not cell[0].startswith(("n_", "strict_")), row.items()))
    sizes = {"beads": row["n_hyp"]} | ({"gold beads": row["n_gold"]} if "type" in row else {})
    figures = {
        f"{kind} {short}": row[f"{kind}_{name}"]
        for kind in ("strict", "lax", "pair")
        for name, short in _SHORT.items()
        if f"{kind}_{name}" in row
    }
    documents = {
        f"docs {short}": row[f"strict_{name}_docs"]
        for name, short in _SHORT.items()
        if f"strict_{name}_docs" in row
    }
    aligned = {"aligned": row["alignment_rate"]} if "alignment_rate" in row else {}
    return keys | sizes | figures | documents | aligned


_FILES = {"src": "src.txt", "tgt": "tgt.txt", "gold": "gold.beads"}

NOISE_OUT = (
    outputs(
        "-o --output",
        Path,
        "Folder for src.txt, tgt.txt and gold.beads.",
        metavar="FOLDER",
        writes="folder",
    ),
    json,
)


def write_noise(noisy: Noisy, words: Words) -> Pieces:
    """Write both sides and gold to a folder."""
    from alignframe.core.output import make_folder, together
    from alignframe.formats.beads import write_beads
    from alignframe.formats.sentences import write_sentences

    folder, types = words["output"], count_types(noisy.gold)
    make_folder(folder)
    files = {side: str(folder / name) for side, name in _FILES.items()}
    with together():
        write_sentences(noisy.src, files["src"])
        write_sentences(noisy.tgt, files["tgt"])
        write_beads(noisy.gold, files["gold"], "vecalign")
    summary = {
        "scenario": noisy.scenario,
        "src_rate": noisy.src_rate,
        "tgt_rate": noisy.tgt_rate,
        "seed": words["seed"],
        "src_sentences": len(noisy.src),
        "tgt_sentences": len(noisy.tgt),
        "gold_beads": types,
        "files": files,
    }
    yield Data(summary=[summary])
    yield (
        f"{noisy.scenario}: {len(noisy.src):,} source and {len(noisy.tgt):,} target sentences, "
        f"gold beads {listed_types(types)}; written to {folder}"
    )
