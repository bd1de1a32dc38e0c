"""``alignframe tesla analyse``: sentences as tokens with tags, lemmas and content words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from alignframe.cli import given as g
from alignframe.cli.show import check_file, print_json, print_note
from alignframe.cli.tesla_given import AnalysisOptions
from alignframe.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN = ("tagged", "words")


def _analyse(
    options: AnalysisOptions,
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Sentences, one a line; '-' is standard input. With --tagger given: tokens "
            "such as house|NN, or CoNLL-U.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write .parquet, or lines of text."),
    ] = None,
    show: Annotated[
        str,
        typer.Option(
            "--show", help="Lines of: tagged (word|TAG|lemma), or words (for a word aligner)."
        ),
    ] = "tagged",
    encoding: g.EncodingOption = "utf-8",
    as_json: g.JsonOption = False,
) -> None:
    """Part sentences into tokens, with their tags and lemmas.

    Prints a line a sentence, or writes it; of Parquet, the columns sid and tokens.
    """
    if show not in _SHOWN:
        raise InputError(f"--show {show}", expected=" or ".join(_SHOWN))
    if output == Path("-"):
        output = None
    if output is not None:
        check_file(output)
    from alignframe.language import to_arrow
    from alignframe.parquet import is_parquet

    analysis = options.analysis()
    column = to_arrow(analysis.analyse(_sentences(source, options.tagger == "given", encoding)))
    if output is not None and is_parquet(output):
        _write_parquet(column, output)
    elif output is not None or not as_json:
        _write_lines(column, show, output or "-")
    if as_json:
        print_json({"signature": analysis.signature, **_told(column, output)})
    elif output is not None:
        print_note(f"{len(column):,} sentences written to {output}; {analysis.signature}")


analyse = g.with_options(AnalysisOptions, "options")(_analyse)
"""The command."""


def _sentences(source: str, tagged: bool, encoding: str) -> Any:
    """Read lines, or CoNLL-U if tags are given."""
    from alignframe.formats.sentences import read_sentences
    from alignframe.formats.tagged import read_tagged

    if tagged and source.lower().rsplit(".", 1)[-1] in ("conllu", "conll"):
        return read_tagged(source, "conllu", encoding=encoding)
    return read_sentences(source, encoding)


def _write_lines(column: pa.Array, show: str, path: Path | str) -> None:
    """Write a line a sentence: its words, or its words with tags and lemmas."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from alignframe.formats.writing import check_suffix, replacing

    check_suffix(path)
    tokens = column.flatten()
    texts = tokens.field("word")
    if show == "tagged":
        parts = (tokens.field(name) for name in ("word", "tag", "lemma"))
        texts = pc.binary_join_element_wise(*parts, "|")
    lines = pc.binary_join(pa.ListArray.from_arrays(column.offsets, texts), " ")
    with replacing(path) as out:
        out.write("".join(f"{line}\n" for line in lines.to_pylist()).encode())


def _write_parquet(column: pa.Array, path: Path) -> None:
    """Write the columns sid and tokens."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from alignframe.formats.writing import replacing

    sid = pa.array(range(len(column)), pa.int64())
    with replacing(path) as out:
        pq.write_table(pa.table({"sid": sid, "tokens": column}), out, compression="zstd")


def _told(column: pa.Array, output: Path | None) -> dict[str, Any]:
    """Return what JSON tells: the sentences, or how many were written."""
    if output is None:
        rows = enumerate(column.to_pylist())
        return {"sentences": [{"sid": sid, "tokens": tokens} for sid, tokens in rows]}
    tokens = column.flatten()
    content = tokens.field("content").true_count
    return {
        "output": str(output),
        "sentences": len(column),
        "tokens": len(tokens),
        "content": content,
    }
