"""``alignframe beads align`` and ``model``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.beads_convert import (
    language_pair,
    listed,
    suffix_languages,
    unknown_languages,
)
from alignframe.cli.places import check_file, check_folder, check_one_output
from alignframe.cli.show import print_note, print_summary
from alignframe.errors import InputError, number_of

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from alignframe.beads import Options
    from alignframe.beads.document import Document


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
        """Return the options with a threshold."""
        from dataclasses import asdict

        from alignframe.beads import Options

        return Options(threshold=threshold, **asdict(self))


@dataclass(frozen=True)
class AlignSettings(Settings):
    """The same with the options of lex."""

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
    src_vectors: str | None,
    tgt_vectors: str | None,
    src_overlaps: str | None,
    tgt_overlaps: str | None,
    encoding: str,
    as_json: bool,
) -> None:
    """Align the sentences of two texts, or of several documents."""
    options = settings.options(threshold)
    if options.method == "mre+" and model is None:
        raise InputError(
            "no model for mre+", todo="give --model FOLDER, made by alignframe beads model"
        )
    check_one_output(output, as_json)
    _check_bitext(bitext, output)
    from alignframe.beads.align import aligned_together, documents_of, with_vectors
    from alignframe.formats.beads import format_of, known_format, write_beads

    texts, several = documents_of(src, tgt, doc, options.words, encoding)
    vectors, overlaps = (src_vectors, tgt_vectors), (src_overlaps, tgt_overlaps)
    texts = with_vectors(texts, options, vectors, overlaps)
    folder = several and output != "-" and _is_folder(output)
    goal = known_format(to or ("vecalign" if folder else format_of(output)))
    if len(texts) > 1 and not folder and goal != "parquet":
        raise InputError(
            f"{number_of(len(texts), 'document')} for one file of the format {goal}",
            expected="a Parquet file or a folder: -o FILE.parquet or -o FOLDER/",
        )
    if output != "-" and not folder:
        check_file(Path(output))
    names: dict[str, Any] = {"src_name": Path(src).name, "tgt_name": Path(tgt).name}
    pair = language_pair(languages, goal)
    if goal == "tmx":
        named = pair or suffix_languages(src, tgt, known=False)
        names["languages"] = named or unknown_languages()
    beads = aligned_together(texts, options, model)
    by_name = {text.name: text for text in texts}
    if folder:
        sides_of = _file_names(src, tgt, list(by_name))
        written = _write_each(beads, by_name, Path(output), goal, names, sides_of)
    else:
        sides = {} if len(texts) > 1 else {"src": texts[0].src.texts, "tgt": texts[0].tgt.texts}
        written = write_beads(beads, output, goal, **sides, **names)
    found = _summary(beads, texts, output, options)
    found["written"] = written
    if src_vectors is not None:
        found["signature"] += "|vectors:" + (
            "overlaps" if src_overlaps or tgt_overlaps else "given"
        )
    if bitext:
        found["bitext"] = str(bitext)
        pairs = _write_bitext(beads, by_name, bitext)
    if as_json:
        print_summary(found)
        return
    note = f"\n{number_of(pairs, 'pair')} of texts written to {bitext}" if bitext else ""
    if output != "-":
        documents = f"{number_of(len(texts), 'document')}, " if several else ""
        note = (
            f"{documents}{found['src_sentences']:,} and "
            f"{number_of(found['tgt_sentences'], 'sentence')}, "
            f"{listed(beads, written, goal)} written to {output} ({listed_types(found['by_type'])})"
            f"{note}\n{found['signature']}"
        )
    if note:
        print_note(note.lstrip())


def _is_folder(output: str) -> bool:
    """Whether the beads of several documents go to a folder: the path has no file suffix."""
    return output.endswith("/") or Path(output).is_dir() or not Path(output).suffix


def _file_names(src: str, tgt: str, documents: list[str]) -> dict[str, dict[str, str]]:
    """Return the names of each document's two files; those in tables are named after it."""
    from alignframe.formats.files import files_by_name, is_several

    found: dict[str, dict[str, str]] = {name: {} for name in documents}
    for side, path in (("src_name", src), ("tgt_name", tgt)):
        files = files_by_name(path) if is_several(path) else {}
        by_order = dict(zip(documents, files.values(), strict=False))
        for name in documents:
            file = files.get(name, by_order.get(name, Path(name)))
            found[name][side] = file.name
    return found


def _write_each(
    beads: pa.Table,
    texts: dict[str, Document],
    folder: Path,
    goal: str,
    names: dict[str, Any],
    sides_of: dict[str, dict[str, str]],
) -> int:
    """Write one file per document, and return the number of beads."""
    from alignframe.formats.beads import suffix_of, write_beads

    for name in texts:
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
        path = folder / f"{name}{suffix_of(goal)}"
        sides = {"src": text.src.texts, "tgt": text.tgt.texts, **sides_of[name]}
        written += write_beads(_of_document(beads, name), path, goal, **names | sides)
    return written


def _of_document(beads: pa.Table, name: str) -> pa.Table:
    import pyarrow.compute as pc

    return beads.filter(pc.equal(beads["doc"].cast("string"), name))


def _check_bitext(path: Path | None, beads: str) -> None:
    """Refuse a path of the bitext that is not Parquet or is also that of the beads."""
    if path is None:
        return
    if Path(beads).resolve() == path.resolve():
        raise InputError("the same file for the beads and for --bitext", path=path, expected="two")


def _write_bitext(beads: pa.Table, texts: dict[str, Document], path: Path) -> int:
    """Write the texts of beads with both sides, and return their number."""
    import pyarrow as pa

    from alignframe.formats.parallel import bead_bitext
    from alignframe.output import write_table

    found = pa.concat_tables(
        bead_bitext(_of_document(beads, name), text.src.texts, text.tgt.texts)
        for name, text in texts.items()
    )
    write_table(found, path, "parquet")
    return len(found)


def _summary(
    beads: pa.Table, texts: list[Document], output: str, options: Options
) -> dict[str, Any]:
    return {
        "output": output,
        "documents": len(texts),
        "src_sentences": sum(len(text.src) for text in texts),
        "tgt_sentences": sum(len(text.tgt) for text in texts),
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
    """Train the Model 1 of mre+ on line-parallel text."""
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
        print_note(f"Model 1 of {number_of(bitext.height, 'sentence pair')} written to {output}")


def count_types(beads: pa.Table | pl.DataFrame) -> dict[str, int]:
    """Return the number of beads of each type, most frequent first."""
    import numpy as np

    from alignframe.tables import SPANS

    ends = [beads[name].to_numpy() for name in SPANS]
    sizes = np.stack([ends[1] - ends[0], ends[3] - ends[2]], axis=1)
    kinds, counts = np.unique(sizes, axis=0, return_counts=True)
    by_type = {f"{m}-{n}": int(count) for (m, n), count in zip(kinds, counts, strict=True)}
    return dict(sorted(by_type.items(), key=lambda item: -item[1]))


def listed_types(by_type: dict[str, int]) -> str:
    """Return the counts of ``count_types`` as text."""
    return ", ".join(f"{count:,} {kind}" for kind, count in by_type.items()) or "none"
