"""``alignframe lexicon``: induce, lookup, evaluate, back-off; others have their own modules."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from alignframe.cli.given import (
    ConfidenceOption,
    EncodingOption,
    JsonOption,
    OutOption,
    SeedOption,
    prints_tables,
)
from alignframe.cli.lexicon_given import (
    LexiconsOption,
    MemoryOption,
    named,
    save_lexicon,
    spanned,
)
from alignframe.cli.lexicon_merge import changes, merge
from alignframe.cli.lexicon_study import (
    CountOption,
    NBestOption,
    SourceOption,
    TagColumnOption,
    TaggedOption,
    TargetOption,
    ThreadsOption,
    UnsignedOption,
    WeighOption,
    read_bitext,
    study,
)
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import (
    check_table_path,
    deliver,
    print_json,
    print_note,
    print_table,
    print_warning,
    save_table,
)

if TYPE_CHECKING:
    import pyarrow as pa


app = typer.Typer(help="Induce translation lexicons and judge them.", no_args_is_help=True)


@app.command()
@prints_tables
def induce(
    src: SourceOption,
    tgt: TargetOption = None,
    n_best: NBestOption = 5,
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            metavar="FILTER",
            help="cognate[:CUTOFF], prefix[:LETTERS], mrbd:FILE, alignment or pos[:FILE]. "
            "Repeatable; they work in the order given.",
        ),
    ] = None,
    count: CountOption = "types",
    unsigned: UnsignedOption = False,
    min_both: Annotated[
        int, typer.Option("--min-both", help="Least count of words that stand together.")
    ] = 1,
    tagged: TaggedOption = False,
    tag_column: TagColumnOption = "upos",
    encoding: EncodingOption = "utf-8",
    memory_limit: MemoryOption = None,
    threads: ThreadsOption = None,
    output: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Induce the N best translations of every source word of a text."""
    check_table_path(output)
    import polars as pl

    from alignframe import lexicon

    text = read_bitext(src, tgt, encoding, tagged=tagged, tags=tag_column)
    with ProgressExecutor(threads or os.cpu_count() or 1, "Counting words") as executor:
        found = lexicon.induce(
            text,
            n_best,
            filters=filters or (),
            count=count,
            signed=not unsigned,
            min_both=min_both,
            memory_limit=memory_limit,
            executor=executor,
        )
    frame = pl.DataFrame(pl.from_arrow(found))
    if frame.is_empty():
        print_warning("the lexicon is empty: filters and --min-both leave no candidate")
    if output:
        save_lexicon(found, output)
        words = frame["src"].n_unique()
        print_note(f"{words:,} source words, {frame.height:,} translations written to {output}")
    if as_json:
        print_json(frame.to_dicts())
    elif not output:
        deliver(frame, None, False, title="Lexicon", limit=40)
    print_note(_signature(found))


@app.command()
@prints_tables
def lookup(
    words: Annotated[list[str], typer.Argument(metavar="WORD...", help="Of either language.")],
    lexicon: Annotated[
        str, typer.Option("--lexicon", metavar="FILE", help="A lexicon: Parquet or CSV.")
    ],
    limit: Annotated[int, typer.Option("--limit", min=1, help="Most rows shown of a word.")] = 10,
    as_json: JsonOption = False,
) -> None:
    """Show the translations of words, and the words that they are translations of."""
    import polars as pl

    from alignframe.lexicon.lookup import lookup as look

    frame = look(lexicon, words)
    if as_json:
        print_json(frame.to_dicts())
        return
    for side, title in (("src", "Translations of"), ("tgt", "Translated as")):
        mine = frame.filter(pl.col("side") == side).drop("side")
        for (word,), rows in mine.group_by("word", maintain_order=True):
            print_table(rows.drop("word").to_dicts(), title=f"{title} {word}", limit=limit)


@app.command()
@prints_tables
def evaluate(
    lexicons: LexiconsOption,
    src: SourceOption,
    tgt: TargetOption = None,
    k: Annotated[int, typer.Option("--k", help="Translations of a word, best first.")] = 5,
    weigh: WeighOption = "types",
    by: Annotated[
        str | None,
        typer.Option("--by", help="frequency, or a file with the columns src and group."),
    ] = None,
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", min=0, help="Resamples for intervals; 0 for none.")
    ] = 0,
    confidence: ConfidenceOption = 0.95,
    seed: SeedOption = 1,
    compare: Annotated[
        bool, typer.Option("--compare", help="Test every two lexicons against one another.")
    ] = False,
    tagged: TaggedOption = False,
    tag_column: TagColumnOption = "upos",
    encoding: EncodingOption = "utf-8",
    output: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Judge lexicons by a test text: precision and percent correct at every depth (BIBLE)."""
    check_table_path(output)
    import warnings

    from alignframe import lexicon
    from alignframe.arrow import to_table

    text = read_bitext(src, tgt, encoding, tagged=tagged, tags=tag_column)
    if compare and not isinstance(text, str):
        text = to_table(text)  # read twice
    given = named(lexicons)
    chosen: Any = given if len(given) > 1 else next(iter(given.values()))
    frame = lexicon.evaluate(
        chosen,
        text,
        k,
        average=weigh,
        by=by,
        bootstrap=bootstrap,
        confidence=confidence,
        seed=seed,
    )
    signature = frame["signature"][0]
    tested = None
    if compare:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the text was complained of above
            tested = lexicon.compare(given, text, k).drop("signature")
    if output:
        save_table(frame, output)
        print_note(f"{frame.height:,} rows written to {output}")
    if output and tested is not None:
        beside = output.with_stem(f"{output.stem}-tests")
        save_table(tested, beside)
        print_note(f"{tested.height:,} rows written to {beside}")
    if as_json:
        print_note(signature)
        rows = frame.drop("signature").to_dicts()
        print_json(rows if tested is None else {"scores": rows, "tests": tested.to_dicts()})
        return
    print_table(spanned(frame.drop("signature")), title="BIBLE", caption=signature)
    if tested is not None:
        print_table(tested.to_dicts(), title="Wilcoxon's signed-rank test over source words")


@app.command("back-off")
@prints_tables
def back_off(
    lexicons: LexiconsOption, output: OutOption = None, as_json: JsonOption = False
) -> None:
    """Join lexicons: the first that knows a word gives its translations."""
    check_table_path(output)
    import polars as pl

    from alignframe import lexicon

    found = lexicon.back_off(named(lexicons))
    frame = pl.DataFrame(pl.from_arrow(found))
    if output:
        save_lexicon(found, output)
        print_note(f"{frame.height:,} translations written to {output}")
    if as_json:
        print_json(frame.to_dicts())
    elif not output:
        deliver(frame, None, False, title="Lexicon", limit=40)


@app.command("upper-bound")
@prints_tables
def upper_bound(
    first: Annotated[str, typer.Argument(help="A translation of a text, line by line.")],
    second: Annotated[str, typer.Argument(help="Another translation of the same text.")],
    confidence: ConfidenceOption = 0.95,
    encoding: EncodingOption = "utf-8",
    as_json: JsonOption = False,
) -> None:
    """Measure how well two translations of one text agree: more no lexicon could reach."""
    from alignframe import lexicon

    frame = lexicon.upper_bound(first, second, confidence=confidence, encoding=encoding)
    if as_json:
        print_json(frame.to_dicts())
        return
    print_table(
        frame.drop("signature").to_dicts(),
        title="Words that two translations have in common",
        caption=frame["signature"][0],
    )


def _signature(table: pa.Table) -> str:
    metadata: Mapping[bytes, bytes] = table.schema.metadata or {}
    return metadata.get(b"alignframe", b"").decode()


app.command()(study)
app.command()(merge)
app.command()(changes)
