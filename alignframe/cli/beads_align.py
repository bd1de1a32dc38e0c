"""``alignframe beads align`` and ``model``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from alignframe.cli.beads_convert import (
    DocOption,
    LanguagesOption,
    language_pair,
    languages_of,
    told,
)
from alignframe.cli.beads_given import (
    ModelOption,
    SrcArgument,
    TgtArgument,
    TranslationsArgument,
    WordsOption,
    count_types,
    listed_types,
)
from alignframe.cli.given import EncodingOption, JsonOption, with_options
from alignframe.cli.show import check_file, check_folder, print_json, print_note
from alignframe.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from alignframe.beads import Options


@dataclass(frozen=True)
class Settings:
    """The options of every command that aligns sentences."""

    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="len: by lengths; mre: by lengths and words learnt from the text itself; mre+: "
            "with a model learnt elsewhere; gale-church: by lengths in characters.",
        ),
    ] = "mre"
    skip: Annotated[
        float | None,
        typer.Option(
            "--skip",
            help="Prior of a sentence without translation, on either side; else 0.01 (gale-church: "
            "0.00495).",
        ),
    ] = None
    merge: Annotated[
        float | None,
        typer.Option(
            "--merge",
            help="Prior of a 2-1 bead, and of a 1-2 bead; else 0.02 (gale-church: 0.0445).",
        ),
    ] = None
    two_two: Annotated[
        float | None,
        typer.Option(
            "--two-two", help="Prior of a 2-2 bead; else 0, for none (gale-church: 0.011)."
        ),
    ] = None
    band: Annotated[
        float,
        typer.Option("--band", help="Sentences off the diagonal to seek at first."),
    ] = 20.0
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit",
            help="What lengths count: words or characters; else words (gale-church: characters).",
        ),
    ] = None
    words: WordsOption = "words"
    smoothing: Annotated[
        float | None,
        typer.Option(
            "--smoothing",
            help="Share of a word's probability by its frequency alone. By default 0.5; where "
            "noise is sought (study, tune, filter) 0.1, and 0.2 for mre+.",
        ),
    ] = None

    def options(self, threshold: float | None) -> Options:
        """Return them with a threshold."""
        from dataclasses import asdict

        from alignframe.beads import Options

        return Options(threshold=threshold, **asdict(self))


@with_options(Settings, "settings")
def align(
    src: SrcArgument,
    tgt: TgtArgument,
    settings: Settings,
    output: Annotated[
        str,
        typer.Option("-o", "--output", metavar="FILE", help="Beads; '-' is standard output."),
    ] = "-",
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="vecalign, ladder, ces, intertext, tmx or parquet; else by the file's suffix: "
            ".ladder, .xml (ces), .tmx, .parquet, or vecalign.",
        ),
    ] = None,
    bitext: Annotated[
        Path | None,
        typer.Option(
            "--bitext",
            metavar="FILE",
            help="Also the text of the beads with both sides, in Parquet: doc, src, tgt, score, "
            "src_start, ..., type.",
        ),
    ] = None,
    doc: DocOption = None,
    languages: LanguagesOption = None,
    model: ModelOption = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            help="Give only beads with both sides that are more probable than this; without it, "
            "the best path, which covers every sentence.",
        ),
    ] = None,
    encoding: EncodingOption = "utf-8",
    as_json: JsonOption = False,
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
        print_json(found)
        return
    note = f"\n{pairs:,} pairs of texts written to {bitext}" if bitext else ""
    if output != "-":
        note = (
            f"{found['src_sentences']:,} and {found['tgt_sentences']:,} sentences, "
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
    src: SrcArgument,
    tgt: TranslationsArgument,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FOLDER", help="For the model.")
    ],
    words: WordsOption = "words",
    iterations: Annotated[int, typer.Option("--iterations", min=1, help="Of Model 1.")] = 5,
    encoding: EncodingOption = "utf-8",
    as_json: JsonOption = False,
) -> None:
    """Learn from line-parallel text what mre+ can be told of words: Model 1."""
    check_folder(output)
    import pyarrow as pa

    from alignframe import aligners
    from alignframe.beads.document import split
    from alignframe.formats.parallel import read_parallel

    _, *sides = read_parallel(src, tgt, encoding=encoding)
    bitext = pa.table(
        {name: split(side, words) for name, side in zip(("src", "tgt"), sides, strict=True)}
    )
    learnt = aligners.fit(bitext, "ibm1", iterations=iterations)
    learnt.save(output)
    if as_json:
        print_json({"output": str(output), "sentences": bitext.num_rows, "words": words})
    else:
        print_note(f"Model 1 of {bitext.num_rows:,} sentence pairs written to {output}")
