"""``alignframe tesla words``: sentences as tokens with tags, lemmas and content words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from alignframe.cli import heed_interrupts
from alignframe.cli.show import Data, Pieces
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
) -> Pieces:
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
    from alignframe.read.parquet import is_parquet

    to_table = output is not None and is_parquet(output)
    if bare := show == "words" and options.get("tagger") is None and not to_table:
        column, signature = _words(source, options.get("tokens", "penn"), encoding)
    else:
        column, signature = _analysed(source, encoding, options)
    if output is not None and to_table:
        _write_parquet(column, output, signature)
    elif output is not None or not as_json:
        _write_lines(column, show, output or "-")
    if output is None:
        rows = enumerate(column.to_pylist() if as_json else ())
        if bare:
            found = [{"sid": sid, "words": [one["word"] for one in row]} for sid, row in rows]
        else:
            found = [{"sid": sid, "tokens": row} for sid, row in rows]
        yield Data(signature, sentences=found)
        return
    tokens = column.flatten()
    summary = {"output": str(output), "sentences": len(column), "tokens": len(tokens)}
    content = {} if bare else {"content": tokens.field("content").true_count}
    yield Data(signature, summary=[summary | content])
    yield f"{number_of(len(column), 'sentence')} written to {output}; {signature}"


def _analysed(source: str, encoding: str, options: AnalysisOptions) -> tuple[pa.Array, str]:
    """Return the tokens of sentences with tags and lemmas, and the signature of the analysis."""
    from alignframe.language.analysed import to_arrow
    from alignframe.language.analysis import Analysis
    from alignframe.language.files import analysed_file

    if options.get("language", "en") != "en":
        options.setdefault("synonyms", "none")  # only matching needs them
    show_tagging()
    analysis = Analysis.of(**options)
    heed_interrupts()
    analysed = analysed_file(source, analysis, encoding=encoding)
    analysis.check_language(analysed, source)
    return to_arrow(analysed), analysis.signature


def _words(source: str, way: str, encoding: str) -> tuple[pa.Array, str]:
    """Return the words of sentences, without tags and lemmas, and how they were found."""
    import pyarrow as pa

    from alignframe.language.files import whole_document
    from alignframe.language.tokenize import token_lists
    from alignframe.read.texts import sentences_of

    heed_interrupts()
    given = sentences_of(whole_document(source, None, encoding))
    if pa.types.is_string(given.type):
        parted, signature = token_lists(given, way), f"tokens:{way}"
    else:
        words = given.flatten().field("word")
        parted, signature = pa.ListArray.from_arrays(given.offsets, words), "tokens:given"
    tokens = pa.StructArray.from_arrays([parted.flatten()], ["word"])
    return type(parted).from_arrays(parted.offsets, tokens), signature


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
