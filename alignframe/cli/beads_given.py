"""Arguments that several commands of beads share, and what they tell of beads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import pyarrow as pa

SrcArgument = Annotated[str, typer.Argument(metavar="SRC", help="Source sentences, one a line.")]
TgtArgument = Annotated[str, typer.Argument(metavar="TGT", help="Target sentences, one a line.")]
TranslationsArgument = Annotated[
    str, typer.Argument(metavar="TGT", help="Their translations, line by line.")
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="PATH",
        help="For mre+: the folder of a saved model, or a lexicon in Parquet (src, tgt[, p]).",
    ),
]
WordsOption = Annotated[
    str,
    typer.Option(
        "--words",
        help="What a word is: words (letters and digits in lower case, each other mark, each "
        "Chinese or Japanese character), spaces (what stands between blanks), characters.",
    ),
]


def count_types(beads: pa.Table) -> dict[str, int]:
    """Return how many beads of each type there are, most frequent first."""
    import numpy as np

    from alignframe.tables import SPANS

    ends = [beads[name].to_numpy() for name in SPANS]
    sizes = np.stack([ends[1] - ends[0], ends[3] - ends[2]], axis=1)
    kinds, counts = np.unique(sizes, axis=0, return_counts=True)
    by_type = {f"{m}-{n}": int(count) for (m, n), count in zip(kinds, counts, strict=True)}
    return dict(sorted(by_type.items(), key=lambda item: -item[1]))


def listed_types(by_type: dict[str, int]) -> str:
    """Return the numbers of ``count_types`` as a text."""
    return ", ".join(f"{count:,} {kind}" for kind, count in by_type.items()) or "none"
