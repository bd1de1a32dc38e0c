"""``alignframe tesla explain``: why a segment scores what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from alignframe.cli import given as g
from alignframe.cli.show import check_table_path, print_json, print_note, print_table, save_table
from alignframe.cli.tesla_given import AnalysisOptions
from alignframe.errors import InputError

if TYPE_CHECKING:
    from alignframe.tesla.explain import Matching


def _explain(
    options: AnalysisOptions,
    ref: Annotated[
        str, typer.Option("--ref", metavar="FILE", help="The reference, a segment a line.")
    ],
    hyp: Annotated[
        str,
        typer.Option("--hyp", metavar="[NAME=]FILE", help="A translation, a segment a line."),
    ],
    segment: Annotated[int, typer.Option("--segment", min=0, help="The segment, counted from 0.")],
    order: Annotated[int, typer.Option("--order", min=1, help="Words of an n-gram.")] = 1,
    similarity: Annotated[
        str,
        typer.Option("--similarity", help="ms (lemmas and synonyms), lem (lemmas) or pos (tags)."),
    ] = "ms",
    recall_weight: Annotated[
        float, typer.Option("--alpha", min=0, max=1, help="How much recall counts in F.")
    ] = 0.8,
    function_weight: Annotated[
        float, typer.Option("--function-weight", min=0, max=1, help="Of a function word.")
    ] = 0.1,
    encoding: g.EncodingOption = "utf-8",
    output: g.OutOption = None,
    as_json: g.JsonOption = False,
) -> None:
    """Tell which n-gram of a segment is matched with which of its reference, and how much of it."""
    check_table_path(output)
    path = g.split_name(hyp)[1]
    texts = {"hyp": _segment(path, segment, encoding), "ref": _segment(ref, segment, encoding)}
    from alignframe.language import to_arrow
    from alignframe.tesla.explain import explain as explained

    analysis = options.analysis()
    tokens = to_arrow(analysis.analyse([texts["hyp"], texts["ref"]])).to_pylist()
    synonyms = analysis.synonyms if similarity == "ms" else None
    found = explained(
        tokens[0],
        tokens[1],
        order,
        similarity,
        synonyms,
        function_weight=function_weight,
        alpha=recall_weight,
    )
    if output:
        save_table(found.table(), output)
        print_note(f"{found.table().height:,} rows written to {output}")
    if as_json:
        print_json({**texts, **_told(found), "signature": analysis.signature})
    elif not output:
        _show(found, texts, f"{similarity}_{order}")


explain = g.with_options(AnalysisOptions, "options")(_explain)
"""The command."""


def _segment(path: str, number: int, encoding: str) -> str:
    """Return a line of a file."""
    from alignframe.formats.sentences import read_sentences

    lines = read_sentences(path, encoding)
    if number >= len(lines):
        raise InputError(
            f"there is no segment {number}", path=path, expected=f"0 to {len(lines) - 1}"
        )
    return str(lines[number].as_py())


def _told(found: Matching) -> dict[str, Any]:
    """Return what JSON tells of a matching."""
    return {
        "similarity": found.similarity,
        "hyp_weight": found.weight("hyp"),
        "ref_weight": found.weight("ref"),
        "precision": found.precision,
        "recall": found.recall,
        "f": found.f,
        "matches": found.table().to_dicts(),
    }


def _show(found: Matching, texts: dict[str, str], feature: str) -> None:
    """Print the table of matches, and the sums below it."""
    print_note(f"translation: {texts['hyp']}\nreference:   {texts['ref']}")
    rows = [
        {
            "translation": row["hyp"] or "",
            "weight": row["hyp_weight"],
            "reference": row["ref"] or "",
            "of weight": row["ref_weight"],
            "similarity": row["similarity"],
            "matched": row["flow"],
            "gain": row["gain"],
        }
        for row in found.table().to_dicts()
    ]
    print_table(
        rows,
        title=f"N-grams and their matches ({feature})",
        caption=f"S = {found.similarity:.4f}, "
        f"P = S / {found.weight('hyp'):.4f} = {found.precision:.4f}, "
        f"R = S / {found.weight('ref'):.4f} = {found.recall:.4f}, F = {found.f:.4f}",
    )
