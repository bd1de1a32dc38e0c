"""``alignframe tesla words`` and ``explain``: sentences as tokens, and how they are matched."""

from __future__ import annotations

from dataclasses import replace
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from alignframe.cli import heed_interrupts
from alignframe.cli.show import Data, Pieces, Rows
from alignframe.cli.tesla import show_tagging
from alignframe.cli.words import write_lines
from alignframe.core.suffixes import TOKENS
from alignframe.errors import InputError, number_of
from alignframe.typing import ForInput, FromOne, FromZero, Rare, Row, Share

if TYPE_CHECKING:
    import pyarrow as pa

    from alignframe.language.analysis import AnalysisOptions
    from alignframe.sources.source import Source
    from alignframe.tesla.explain import Matching

_SHOWN = ("tagged", "words", "lemmas")


def analyse(
    source: str,
    *,
    show: str = "tagged",
    encoding: ForInput[str] = "utf-8",
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
    to_table = output is not None and TOKENS.chosen(output) == "parquet"
    if to_table and show != "tagged":
        raise InputError(
            f"--show {show} with {output}",
            expected="lines of text; Parquet holds words, tags and lemmas",
        )
    # Words alone need no tagger, which takes most of the time.
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
            sentences = [
                {"sid": sid, "words": [token["word"] for token in row]} for sid, row in rows
            ]
        else:
            sentences = [{"sid": sid, "tokens": row} for sid, row in rows]
        yield Data(signature, sentences=sentences)
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
    from alignframe.language.files import analysed, check_language, whole_document

    if options.get("language", "en") != "en":
        options.setdefault("synonyms", "none")  # only matching needs them
    show_tagging()
    analysis = Analysis.of(**options)
    heed_interrupts()
    given = whole_document(source, analysis, encoding)
    sentences = analysed(given, analysis)
    check_language(given, sentences, analysis)
    return to_arrow(sentences), analysis.signature


def _words(source: str, way: str, encoding: str) -> tuple[pa.Array, str]:
    """Return the words of sentences, without tags and lemmas, and how they were found."""
    import pyarrow as pa

    from alignframe.language.files import whole_document
    from alignframe.language.tokenize import token_lists
    from alignframe.sources.texts import sentences_of

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

    from alignframe.language.sources import shown_tokens, unspaced

    tokens = column.flatten()
    parts = {"words": "word", "lemmas": "lemma"}
    texts = unspaced(tokens.field(parts[show])) if show in parts else shown_tokens(tokens)
    write_lines(pa.ListArray.from_arrays(column.offsets, texts), path)


def _write_parquet(column: pa.Array, path: Path, signature: str) -> None:
    """Write the columns sid and tokens, with the analysis options."""
    import pyarrow as pa

    from alignframe.core.output import write_table

    sid = pa.array(range(len(column)), pa.int64())
    write_table(pa.table({"sid": sid, "tokens": column}), path, signature=signature)


_CHECKED = 200
"""The number of reference lines used to check the language of learnt tags."""


def explain(
    ref: list[Path],
    hyp: Any,
    segment: FromZero,
    *,
    which: FromOne = 1,
    n: FromOne = 1,
    similarity: Rare[str] = "ms",
    recall_weight: Rare[Share] = 0.8,
    function_weight: Rare[Share] = 0.1,
    encoding: ForInput[str] = "utf-8",
    **options: Unpack[AnalysisOptions],
) -> Pieces:
    """Show which n-grams of a segment are matched with which of its reference, with weights.

    Parameters
    ----------
    segment
        Number of the segment, counted from 0.
    which
        Number of the ``--ref`` to use, from 1.
    n, similarity
        See ``tesla.explain.explain``.
    recall_weight, function_weight
        See ``tesla.BagFeatures``.
    """
    if not 1 <= which <= len(ref):
        raise InputError(f"--which-ref {which} of {len(ref)}", expected=f"1 to {len(ref)}")
    if len(hyp) > 1:
        raise InputError(f"{len(hyp)} --hyp", expected="one, as a single translation is explained")
    (one,) = hyp.values() if isinstance(hyp, dict) else hyp
    files = {"hyp": one, "ref": fspath(ref[which - 1])}
    from alignframe.language.analysed import to_arrow
    from alignframe.language.files import analysed, check_language, reading_of, shown
    from alignframe.sources.source import only
    from alignframe.sources.texts import TEXTS, sentences_of
    from alignframe.tesla.explain import explain as explained
    from alignframe.tesla.explain import signature_of
    from alignframe.tesla.scorer import analysis_for

    analysis = analysis_for("m", **options)
    reading = reading_of(analysis, encoding)
    sources = {side: only(path, TEXTS, **reading) for side, path in files.items()}
    rows = {side: _segment(source, segment) for side, source in sources.items()}
    found = {side: analysed(row, analysis) for side, row in rows.items()}
    tokens = {side: to_arrow(sentence)[0].as_py() for side, sentence in found.items()}
    if not analysis.is_learnt:
        check_language(rows["ref"], found["ref"], analysis)
    else:
        checked = sentences_of(sources["ref"]).slice(0, _CHECKED)
        analysis.check_language(analysis.analyse(checked), files["ref"])
    texts = {side: shown(sentences_of(row))[0] for side, row in rows.items()}
    synonyms = analysis.synonyms if similarity == "ms" else None
    mark = signature_of(analysis, n, similarity, function_weight, recall_weight)
    matching = explained(
        tokens["hyp"],
        tokens["ref"],
        n,
        similarity,
        synonyms,
        function_weight=function_weight,
        recall_weight=recall_weight,
    )
    summary = {**texts, "ref_file": files["ref"], **_told(matching)}
    yield Data(mark, summary=[summary], matches=matching.table())
    if len(ref) > 1:
        yield f"reference {which} of {len(ref)}: {files['ref']}"
    yield f"translation: {texts['hyp']}\nreference:   {texts['ref']}"
    yield _rows(matching, f"{similarity}_{n}", mark)


def _segment(source: Source, number: int) -> Source:
    """Return one sentence of a file."""
    sids = source.frame["sid"].to_pylist()
    if number not in sids:
        raise InputError(
            f"there is no segment {number}", path=source.name, expected=f"{sids[0]} to {sids[-1]}"
        )
    return replace(source, frame=source.frame.slice(sids.index(number), 1))


def _told(matching: Matching) -> Row:
    """Return a matching as JSON."""
    return {
        "similarity": matching.similarity,
        "hyp_weight": matching.weight("hyp"),
        "ref_weight": matching.weight("ref"),
        "precision": matching.precision,
        "recall": matching.recall,
        "f": matching.f,
    }


def _rows(matching: Matching, feature: str, signature: str) -> Rows:
    """Return the table of matches, followed by the sums and the signature."""
    import polars as pl

    rows = matching.table().select(
        pl.col("hyp").fill_null("").alias("translation"),
        pl.col("hyp_weight").alias("weight"),
        pl.col("ref").fill_null("").alias("reference"),
        pl.col("ref_weight").alias("of weight"),
        "similarity",
        pl.col("flow").alias("matched"),
        "gain",
    )
    sums = (
        f"S = {matching.similarity:.4f}, "
        f"P = S / {matching.weight('hyp'):.4f} = {matching.precision:.4f}, "
        f"R = S / {matching.weight('ref'):.4f} = {matching.recall:.4f}, F = {matching.f:.4f}"
    )
    return Rows(rows, f"N-grams and their matches ({feature})", f"{sums}\n\n{signature}")
