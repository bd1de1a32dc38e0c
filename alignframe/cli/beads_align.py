"""``alignframe beads align``: their input, and writing beads and models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.command import Input, Shell, Words, flag
from alignframe.cli.convert_beads import (
    language_pair,
    listed,
    suffix_languages,
    unknown_languages,
)
from alignframe.cli.places import check_file, check_folder, check_one_output, is_folder_of_beads
from alignframe.cli.show import Data, Pieces, done
from alignframe.cli.sources import ENCODING
from alignframe.core.output import file_name
from alignframe.core.suffixes import BEAD_FORMATS, BEADS, TABLES_SAID
from alignframe.errors import InputError, number_of
from alignframe.typing import Arguments

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from alignframe.aligners import Model


class Texts(Input):
    """Documents to align, and where their beads are written."""

    provides = ("src", "tgt", "encoding")

    src: str = flag(
        "Source sentences, one per line; or several documents: a folder or a quoted glob of such "
        f"files, @FILE with a list of them, or a table (text, doc[, sid]) as {TABLES_SAID}.",
        panel=None,
    )
    tgt: str = flag(
        "Target sentences, as SRC. The two files of a document must have the same name apart from "
        "the language.",
        panel=None,
    )
    encoding: str = flag(ENCODING, "utf-8")
    output: str = flag(
        "File to write the beads to; '-' is standard output. For several documents: a .parquet "
        "file, or a folder for one file each.",
        "-",
        flags="-o --output",
        metavar="FILE",
        panel="Output",
        writes="beads",
        format_by="to",
    )
    to: str | None = flag(
        f"Format of the output; by default from its suffix: {BEADS.by_suffix}.",
        None,
        choices=BEAD_FORMATS,
        panel="Output",
    )
    bitext: Path | None = flag(
        "Also write the text of beads with both sides, as Parquet: doc, src, tgt, score, "
        "src_start, ..., type.",
        None,
        metavar="FILE",
        writes="parquet",
        panel="Output",
    )
    languages: str | None = flag(
        "Languages to name in TMX, such as en,fr; by default the suffixes of the two texts if they "
        "look like languages.",
        None,
        metavar="SRC,TGT",
    )
    save_model: Path | None = flag(
        "Align nothing, but train Model 1 on both texts, whose lines translate each other, and "
        "save it for mre+ (--model).",
        None,
        metavar="FOLDER",
        writes="folder",
        panel="Output",
    )
    as_json: bool = flag("Print JSON.", False, flags="--json", panel="Output")

    def arguments(self, _: Shell) -> Arguments:
        """Return the sentences of both sides, if their beads can be written."""
        from alignframe.beads.documents import Documents, read_sides
        from alignframe.formats.bead_table import DOCUMENT
        from alignframe.formats.beads import output_format
        from alignframe.formats.parallel import read_parallel

        output = self.output
        if self.save_model:
            if output != "-" or self.to or self.bitext or self.languages:
                raise InputError(
                    "--save-model with -o, --to, --bitext or --languages",
                    expected="none of them, as nothing is aligned",
                )
            _, src, tgt = read_parallel(self.src, self.tgt, encoding=self.encoding)
            return {"src": src, "tgt": tgt, "sentences": len(src)}
        check_one_output(output, self.as_json)
        if self.bitext and Path(output).resolve() == self.bitext.resolve():
            raise InputError(
                "the same file for the beads and for --bitext", path=self.bitext, expected="two"
            )
        *sides, several = read_sides(self.src, self.tgt, DOCUMENT, self.encoding)
        folder = several and output != "-" and is_folder_of_beads(output)
        goal = (self.to or BEADS.default) if folder else output_format(output, self.to)
        if len(sides[0]) > 1 and not folder and goal != "parquet":
            raise InputError(
                f"{number_of(len(sides[0]), 'document')} for one file of the format {goal}",
                expected="a Parquet file or a folder: -o FILE.parquet or -o FOLDER/",
            )
        if output != "-" and not folder:
            check_file(Path(output))
        language_pair(self.languages, goal)
        names = list(sides[0]) if several else [None]
        src, tgt = (Documents(zip(names, side.values(), strict=True)) for side in sides)
        return {"src": src, "tgt": tgt, "sides": (src, tgt), "goal": goal, "folder": folder}


def write_aligned(beads: pl.DataFrame, words: Words) -> Pieces:
    """Write the beads of documents, and optionally their text; say how many there are."""
    from dataclasses import fields

    from alignframe.beads import Options
    from alignframe.formats.bead_table import DOCUMENT
    from alignframe.formats.beads import write_beads

    output, goal, bitext = words["output"], words["goal"], words["bitext"]
    name = words["doc"] or DOCUMENT
    texts = {one or name: (src, words["sides"][1][one]) for one, src in words["sides"][0].items()}
    several = None not in words["sides"][0]
    src, tgt = words["src"], words["tgt"]
    names: Arguments = {"src_name": Path(src).name, "tgt_name": Path(tgt).name}
    if goal == "tmx":
        named = language_pair(words["languages"], goal) or suffix_languages(src, tgt, known=False)
        names["languages"] = named or unknown_languages()
    if words["folder"]:
        sides_of = _file_names(src, tgt, list(texts))
        written = _write_each(beads, texts, Path(output), goal, names, sides_of)
    else:
        sides = {} if len(texts) > 1 else dict(zip(("src", "tgt"), *texts.values(), strict=True))
        written = write_beads(beads, output, goal, **sides, **names)
    signature = Options(**{option.name: words[option.name] for option in fields(Options)}).signature
    if words["src_vectors"] is not None:
        overlaps = words["src_overlaps"] or words["tgt_overlaps"]
        signature += f"|vectors:{'overlaps' if overlaps else 'given'}"
    summary = {
        "output": output,
        "documents": len(texts),
        "src_sentences": sum(len(side) for side, _ in texts.values()),
        "tgt_sentences": sum(len(other) for _, other in texts.values()),
        "beads": beads.height,
        "by_type": count_types(beads),
        "signature": signature,
        "written": written,
    }
    if bitext:
        summary["bitext"] = str(bitext)
        pairs = _write_bitext(beads, texts, bitext)
    yield Data(summary=[summary])
    note = f"\n{number_of(pairs, 'pair')} of texts written to {bitext}" if bitext else ""
    if output != "-":
        documents = f"{number_of(len(texts), 'document')}, " if several else ""
        note = (
            f"{documents}{summary['src_sentences']:,} and "
            f"{number_of(summary['tgt_sentences'], 'sentence')}, "
            f"{listed(beads, written, goal)} written to {output} "
            f"({listed_types(summary['by_type'])})"
            f"{note}\n{signature}"
        )
    if note:
        yield note.lstrip()


def _file_names(src: str, tgt: str, documents: list[str]) -> dict[str, dict[str, str]]:
    """Return the names of each document's two files; those in tables are named after it."""
    from alignframe.formats.files import files_by_name, is_several

    names: dict[str, dict[str, str]] = {name: {} for name in documents}
    for side, path in (("src_name", src), ("tgt_name", tgt)):
        files = files_by_name(path) if is_several(path) else {}
        by_order = dict(zip(documents, files.values(), strict=False))
        for name in documents:
            file = files.get(name, by_order.get(name, Path(name)))
            names[name][side] = file.name
    return names


def _write_each(
    beads: pl.DataFrame,
    texts: dict[str, tuple[pa.Array, pa.Array]],
    folder: Path,
    goal: str,
    names: Arguments,
    sides_of: dict[str, dict[str, str]],
) -> int:
    """Write one file per document, and return the number of beads."""
    from alignframe.formats.beads import write_beads

    for name in texts:
        # Names from a table may be any text, also a path that leads out of the folder.
        if name != Path(name).name:
            raise InputError(
                f"the name {name!r}, which is not a valid file name",
                path=folder,
                todo="write one Parquet file: -o FILE.parquet",
            )
    check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    for name, text in texts.items():
        path = folder / file_name(name, BEADS.suffix_of(goal))
        sides = {"src": text[0], "tgt": text[1], **sides_of[name]}
        written += write_beads(_of_document(beads, name), path, goal, **names | sides)
    return written


def _of_document(beads: pl.DataFrame, name: str) -> pl.DataFrame:
    return beads.filter(beads["doc"] == name)


def _write_bitext(
    beads: pl.DataFrame, texts: dict[str, tuple[pa.Array, pa.Array]], path: Path
) -> int:
    """Write the texts of beads with both sides, and return their number."""
    import pyarrow as pa

    from alignframe.core.output import write_table
    from alignframe.formats.parallel import bead_bitext

    bitext = pa.concat_tables(
        bead_bitext(_of_document(beads, name), *sides) for name, sides in texts.items()
    )
    write_table(bitext, path, "parquet")
    return len(bitext)


def save_model(model: Model, words: Words) -> Pieces:
    """Save the Model 1 of mre+."""
    output, size = words["save_model"], words["sentences"]
    model.save(output)
    note = f"Model 1 of {number_of(size, 'sentence pair')} written to {output}"
    return done({"sentences": size, "words": words["words"]}, note, output)


def count_types(beads: Any) -> dict[str, int]:
    """Return the number of beads of each type, most frequent first."""
    import numpy as np

    from alignframe.core.schemas import SPANS

    ends = [beads[name].to_numpy() for name in SPANS]
    sizes = np.stack([ends[1] - ends[0], ends[3] - ends[2]], axis=1)
    kinds, counts = np.unique(sizes, axis=0, return_counts=True)
    by_type = {f"{m}-{n}": int(count) for (m, n), count in zip(kinds, counts, strict=True)}
    return dict(sorted(by_type.items(), key=lambda item: -item[1]))


def listed_types(by_type: dict[str, int]) -> str:
    """Return the counts of ``count_types`` as text."""
    return ", ".join(f"{count:,} {kind}" for kind, count in by_type.items()) or "none"
