"""``alignframe beads align`` and ``model``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.beads_convert import (
    language_pair,
    languages_of,
    told,
)
from alignframe.cli.beads_given import (
    count_types,
    listed_types,
)
from alignframe.cli.show import check_file, check_folder, print_note, print_summary
from alignframe.errors import InputError, number_of

if TYPE_CHECKING:
    import pyarrow as pa

    from alignframe.beads import Options


@dataclass(frozen=True)
class Settings:
    """The options of every command that aligns sentences."""

    method: str
    skip: float | None
    merge: float | None
    two_two: float | None
    band: float
    unit: str | None
    words: str
    smoothing: float | None

    def options(self, threshold: float | None) -> Options:
        """Return them with a threshold."""
        from dataclasses import asdict

        from alignframe.beads import Options

        return Options(threshold=threshold, **asdict(self))


@dataclass(frozen=True)
class AlignSettings(Settings):
    """The same, with the options of lex."""

    largest: int | None


def align(
    *,
    src: str,
    tgt: str,
    settings: AlignSettings,
    output: str,
    to: str | None,
    bitext: Path | None,
    doc: str | None,
    languages: str | None,
    model: str | None,
    threshold: float | None,
    encoding: str,
    as_json: bool,
) -> None:
    """Align the sentences of two texts."""
    options = settings.options(threshold)
    if options.method == "mre+" and model is None:
        raise InputError(
            "no model for mre+", todo="give --model FOLDER, made by alignframe beads model"
        )
    if as_json and output == "-":
        raise InputError("--json and beads on standard output", todo="write the beads with -o FILE")
    _check_bitext(bitext, output)
    from alignframe.beads.align import aligned
    from alignframe.beads.document import document
    from alignframe.formats.bead_table import DOCUMENT
    from alignframe.formats.beads import format_of, known_format, write_beads
    from alignframe.formats.sentences import read_sentences

    goal = known_format(to or format_of(output))
    if output != "-":
        check_file(Path(output))
    names: dict[str, Any] = {"src_name": Path(src).name, "tgt_name": Path(tgt).name}
    pair = language_pair(languages, goal)
    if goal == "tmx":
        names["languages"] = pair or languages_of(src, tgt)
    sides = [read_sentences(path, encoding) for path in (src, tgt)]
    beads = aligned(document(*sides, words=options.words, name=doc or DOCUMENT), options, model)
    written = write_beads(beads, output, goal, src=sides[0], tgt=sides[1], **names)
    found = _summary(beads, sides, output, options)
    found["written"] = written
    if bitext:
        found["bitext"] = str(bitext)
        pairs = _write_bitext(beads, sides, bitext)
    if as_json:
        print_summary(found)
        return
    note = f"\n{number_of(pairs, 'pair')} of texts written to {bitext}" if bitext else ""
    if output != "-":
        note = (
            f"{found['src_sentences']:,} and {number_of(found['tgt_sentences'], 'sentence')}, "
            f"{told(beads, written, goal)} written to {output} ({listed_types(found['by_type'])})"
            f"{note}\n{options.signature}"
        )
    if note:
        print_note(note.lstrip())


def _check_bitext(path: Path | None, beads: str) -> None:
    """Refuse a path of the bitext that is no Parquet, or that of the beads."""
    if path is None:
        return
    if path.suffix.lower() not in (".parquet", ".pq"):
        raise InputError(f"the suffix {path.suffix!r}", path=path, expected=".parquet")
    check_file(path)
    if Path(beads).resolve() == path.resolve():
        raise InputError("the same file for the beads and for --bitext", path=path, expected="two")


def _write_bitext(beads: pa.Table, sides: list[Any], path: Path) -> int:
    """Write the text of the beads with both sides, and return how many there are."""
    import pyarrow.parquet as pq

    from alignframe.formats.parallel import bead_bitext
    from alignframe.formats.writing import replacing

    found = bead_bitext(beads, *sides)
    with replacing(path) as out:
        pq.write_table(found, out, compression="zstd")
    return len(found)


def _summary(beads: pa.Table, sides: list[Any], output: str, options: Options) -> dict[str, Any]:
    return {
        "output": output,
        "src_sentences": len(sides[0]),
        "tgt_sentences": len(sides[1]),
        "beads": beads.num_rows,
        "by_type": count_types(beads),
        "signature": options.signature,
    }


def model(
    *,
    src: str,
    tgt: str,
    output: Path,
    words: str,
    iterations: int,
    encoding: str,
    as_json: bool,
) -> None:
    """Learn from line-parallel text what mre+ can be told of words: Model 1."""
    check_folder(output)
    import polars as pl

    from alignframe import aligners
    from alignframe.beads.document import split
    from alignframe.formats.parallel import read_parallel

    _, *sides = read_parallel(src, tgt, encoding=encoding)
    bitext = pl.DataFrame(
        {name: split(side, words) for name, side in zip(("src", "tgt"), sides, strict=True)}
    )
    learnt = aligners.fit(bitext, model="ibm1", iterations=iterations)
    learnt.save(output)
    if as_json:
        print_summary({"output": str(output), "sentences": bitext.height, "words": words})
    else:
        print_note(f"Model 1 of {bitext.height:,} sentence pairs written to {output}")
