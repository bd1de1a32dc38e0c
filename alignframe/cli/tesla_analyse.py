"""``alignframe tesla words``: sentences as tokens with tags, lemmas and content words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from alignframe.cli import heed_interrupts
from alignframe.cli.show import print_json, print_note, print_summary
from alignframe.cli.tesla_metric import show_tagging
from alignframe.errors import InputError, number_of

if TYPE_CHECKING:
    import pyarrow as pa

    from alignframe.language.analysis import AnalysisOptions

_SHOWN = ("tagged", "words", "lemmas")


def analyse(
    source: str,
    *,
    show: str = "tagged",
    encoding: str = "utf-8",
    output: Path | None = None,
    as_json: bool = False,
    **options: Unpack[AnalysisOptions],
) -> None:
    """Split sentences into tokens, with tags and lemmas.

    Prints or writes one line per sentence; Parquet has the columns sid and tokens.

    Parameters
    ----------
    source
        Sentences, one per line; '-' is standard input. With the tagger given: tokens such as
        house|NN, or CoNLL-U.
    encoding
        Character encoding of text files.
    """
    if show not in _SHOWN:
        raise InputError(f"--show {show}", expected=" or ".join(_SHOWN))
    if output == Path("-"):
        output = None
    from alignframe.language.analysed import to_arrow
    from alignframe.language.analysis import Analysis
    from alignframe.language.files import analysed_file
    from alignframe.read.parquet import is_parquet

    to_table = output is not None and is_parquet(output)
    if show == "words" and options.get("tagger") is None and not to_table:
        _show_words(source, options.get("tokens", "penn"), encoding, output, as_json)
        return
    if options.get("language", "en") != "en":
        options.setdefault("synonyms", "none")  # only matching needs them
    show_tagging()
    analysis = Analysis.of(**options)
    heed_interrupts()
    analysed = analysed_file(source, analysis, encoding=encoding)
    analysis.check_language(analysed, source)
    column = to_arrow(analysed)
    if output is not None and to_table:
        _write_parquet(column, output, analysis.signature)
    elif output is not None or not as_json:
        _write_lines(column, show, output or "-")
    if as_json:
        _print(_told(column, output), analysis.signature)
    elif output is not None:
        print_note(
            f"{number_of(len(column), 'sentence')} written to {output}; {analysis.signature}"
        )


def _show_words(source: str, way: str, encoding: str, output: Path | None, as_json: bool) -> None:
    """Split sentences into words, without tags and lemmas."""
    import pyarrow as pa

    from alignframe.language.files import whole_document
    from alignframe.language.tokenize import token_lists
    from alignframe.read.texts import sentences_of

    heed_interrupts()
    given = sentences_of(whole_document(source, None, encoding))
    if pa.types.is_string(given.type):
        parted = token_lists(given, way)
        signature = f"tokens:{way}"
    else:
        parted = pa.ListArray.from_arrays(given.offsets, given.flatten().field("word"))
        signature = "tokens:given"
    words = pa.StructArray.from_arrays([parted.flatten()], ["word"])
    column = type(parted).from_arrays(parted.offsets, words)
    if output is not None or not as_json:
        _write_lines(column, "words", output or "-")
    if as_json:
        summary: dict[str, Any] = {"output": str(output), "sentences": len(column)}
        summary["tokens"] = len(words)
        if output is None:
            rows = enumerate(parted.to_pylist())
            summary = {"sentences": [{"sid": sid, "words": one} for sid, one in rows]}
        _print(summary, signature)
    elif output is not None:
        print_note(f"{number_of(len(column), 'sentence')} written to {output}; {signature}")


def _print(summary: dict[str, Any], signature: str) -> None:
    """Print the sentences as JSON, or the number written."""
    sentences = summary.get("sentences")
    if isinstance(sentences, list):
        print_json({"sentences": sentences}, signature)
    else:
        print_summary(summary, signature)


def _write_lines(column: pa.Array, show: str, path: Path | str) -> None:
    """Write one line per sentence: its words, its lemmas, or its words with tags and lemmas."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from alignframe.language.sources import shown_tokens, unspaced
    from alignframe.output import replacing

    tokens = column.flatten()
    parts = {"words": "word", "lemmas": "lemma"}
    texts = unspaced(tokens.field(parts[show])) if show in parts else shown_tokens(tokens)
    lines = pc.binary_join(pa.ListArray.from_arrays(column.offsets, texts), " ")
    with replacing(path) as out:
        out.write("".join(f"{line}\n" for line in lines.to_pylist()).encode())


def _write_parquet(column: pa.Array, path: Path, signature: str) -> None:
    """Write the columns sid and tokens, with the analysis options."""
    import pyarrow as pa

    from alignframe.output import write_table
    from alignframe.tables import SIGNATURE

    sid = pa.array(range(len(column)), pa.int64())
    table = pa.table({"sid": sid, "tokens": column}, metadata={SIGNATURE: signature})
    write_table(table, path)


def _told(column: pa.Array, output: Path | None) -> dict[str, Any]:
    """Return the JSON output: the sentences, or the number written."""
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
