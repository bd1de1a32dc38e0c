"""``alignframe lexicon``: induce, lookup, evaluate, back-off and upper-bound."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from alignframe.cli.cells import with_intervals
from alignframe.cli.drawn import Drawn
from alignframe.cli.lexicon_study import named, read_bitext
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import (
    deliver,
    print_json,
    print_note,
    print_table,
    print_warning,
    save_table,
)
from alignframe.errors import number_of

if TYPE_CHECKING:
    from pathlib import Path


def induce(
    *,
    src: str,
    tgt: str | None,
    n_best: int,
    filters: list[str] | None,
    count: str,
    unsigned: bool,
    min_both: int,
    tagged: bool,
    tag_column: str,
    encoding: str,
    memory_limit: str | None,
    threads: int | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Induce the N best translations of every source word in a text."""
    from alignframe import lexicon
    from alignframe.formats import write

    text = read_bitext(src, tgt, encoding, tagged=tagged, tags=tag_column)
    with ProgressExecutor(threads or os.cpu_count() or 1, "Counting words") as executor:
        found = lexicon.induce(
            text,
            n_best=n_best,
            filters=filters or (),
            count=count,
            signed=not unsigned,
            min_both=min_both,
            memory_limit=memory_limit,
            executor=executor,
        )
    frame = found.frame
    if frame.is_empty():
        print_warning("the lexicon is empty: filters and --min-both leave no candidate")
    if output:
        write(found, output)
        words = frame["src"].n_unique()
        print_note(
            f"{number_of(words, 'source word')}, {number_of(frame.height, 'translation')} "
            f"written to {output}"
        )
    show_lexicon(found, output, as_json)
    print_note(found.signature)


def show_lexicon(found: Any, output: Path | None, as_json: bool) -> None:
    """Print a lexicon that is not written, or as JSON."""
    if as_json:
        print_json({"lexicon": found.frame}, found.signature)
    elif not output:
        deliver(found.frame, None, False, name="lexicon", title="Lexicon", limit=40)


def lookup(
    *,
    words: list[str],
    lexicons: list[str],
    limit: int,
    as_json: bool,
) -> None:
    """Show the translations of words, in both directions; several lexicons side by side."""
    import polars as pl

    from alignframe.lexicon.lookup import lookup as look

    given = named(lexicons)
    frame = look(given if len(given) > 1 else next(iter(given.values())), words)
    if as_json:
        print_json({"entries": frame})
        return
    for side, title in (("src", "Translations of"), ("tgt", "Translated as")):
        mine = frame.filter(pl.col("side") == side).drop("side")
        for (word,), rows in mine.group_by("word", maintain_order=True):
            entries = rows.drop("word").to_dicts()
            shown = _side_by_side(entries, side, list(given)) if len(given) > 1 else entries
            print_table(shown, title=f"{title} {word}", limit=limit)


def _side_by_side(
    entries: list[dict[str, Any]], side: str, names: list[str]
) -> list[dict[str, Any]]:
    """Return one row per rank, with the words of every lexicon and their scores."""
    found: dict[int, dict[str, Any]] = {}
    places = dict.fromkeys(names, 0)
    for entry in entries:
        name = entry["lexicon"]
        places[name] = entry["rank"] if side == "src" else places[name] + 1
        row = found.setdefault(places[name], {"#": places[name], **dict.fromkeys(names)})
        score = entry.get("llr")
        word = entry["tgt" if side == "src" else "src"]
        row[name] = word if score is None else f"{word} ({score:.2f})"
    return [found[place] for place in sorted(found)]


def evaluate(
    *,
    lexicons: list[str],
    src: str,
    tgt: str | None,
    k: int,
    average: str,
    by: str | None,
    drawn: Drawn,
    compare: bool,
    tagged: bool,
    tag_column: str,
    encoding: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Evaluate lexicons on a test text: precision and percent correct at every depth (BIBLE)."""
    import warnings

    from alignframe import lexicon
    from alignframe.read.pairs import sentence_pairs

    text = read_bitext(src, tgt, encoding, tagged=tagged, tags=tag_column)
    if compare:
        text = sentence_pairs(text).in_memory()  # read twice
    given = named(lexicons)
    chosen: Any = given if len(given) > 1 else next(iter(given.values()))
    frame = lexicon.evaluate(
        chosen,
        text,
        k,
        average=average,
        by=by,
        **drawn.words,
    )
    signature = frame["signature"][0]
    tested = None
    if compare:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # errors in the text were reported above
            tested = lexicon.compare(given, text, k).drop("signature")
    if output:
        save_table(frame, output)
        print_note(f"{number_of(frame.height, 'row')} written to {output}")
    if output and tested is not None:
        beside = output.with_stem(f"{output.stem}-tests")
        save_table(tested, beside)
        print_note(f"{number_of(tested.height, 'row')} written to {beside}")
    if as_json:
        tests = {} if tested is None else {"tests": tested}
        print_json({"scores": frame.drop("signature"), **tests}, signature)
        return
    print_table(with_intervals(frame.drop("signature")), title="BIBLE", caption=signature)
    if tested is not None:
        print_table(tested.to_dicts(), title="Wilcoxon's signed-rank test over source words")


def back_off(
    *,
    lexicons: list[str],
    output: Path | None,
    as_json: bool,
) -> None:
    """Combine lexicons: each word gets its translations from the first lexicon that has it."""
    from alignframe import lexicon
    from alignframe.formats import write

    found = lexicon.back_off(named(lexicons))
    frame = found.frame
    if output:
        write(found, output)
        print_note(f"{number_of(frame.height, 'translation')} written to {output}")
    show_lexicon(found, output, as_json)


def upper_bound(
    *,
    first: str,
    second: str,
    confidence: float,
    encoding: str,
    as_json: bool,
) -> None:
    """Measure how well two translations of one text agree, an upper bound for lexicons."""
    from alignframe import lexicon

    frame = lexicon.upper_bound(first, second, confidence=confidence, encoding=encoding)
    if as_json:
        print_json({"scores": frame})
        return
    print_table(
        frame.drop("signature").to_dicts(),
        title="Words that two translations have in common",
        caption=frame["signature"][0],
    )
