"""Applying the edits of annotators to beads: borders that were moved, joined or split.

Beads in order are a path through the sentences of both sides, of which a border (i, j) is a corner:
i source and j target sentences are before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any

import polars as pl
import pyarrow as pa

from alignframe.beads.document import Document
from alignframe.beads.sources import beads_of, beads_source
from alignframe.core.schemas import BEADS, SPANS
from alignframe.errors import InputError, check_known
from alignframe.formats.edits import AGAIN, digest
from alignframe.links.edits import (
    CONFLICTS,
    SURE,
    EditedGold,
    agreement_of,
    cells_by_annotator,
    edits_of,
    frame_of,
    sizes_of,
    text_of,
)
from alignframe.options import checked
from alignframe.pages.sentences import Sentences
from alignframe.typing import FilePath, IntoBeads, Several

Border = tuple[int, int]


@checked
def apply_edits(
    beads: IntoBeads,
    edits: Several[FilePath],
    *,
    conflicts: str = "refuse",
    skip_changed: bool = False,
) -> EditedGold:
    """Apply edits that a page saved (``report BEADS --edit``) to the beads it shows.

    Parameters
    ----------
    beads
        The beads that the pages were made of, in the order of the text.
    edits
        One or several files of edits, of one or several annotators.
    conflicts
        What becomes of a run of beads that annotators changed in different ways; see
        ``alignframe.links.apply_edits``. Who did not change it has no say.
    skip_changed
        Leave out edits of documents whose beads have changed since, or that are gone.

    Returns
    -------
    EditedGold
        Its ``gold`` are the beads with the edits, without scores. Its tables are about documents,
        and borders between beads; cells are all places where a border may be.

    Raises
    ------
    InputError
        As ``alignframe.links.apply_edits``; or if beads cross each other.

    Examples
    --------
    >>> import json
    >>> from alignframe import beads
    >>> from alignframe.formats.edits import AGAIN, digest
    >>> document = {"unit": "document", "gold": digest("1-1"), "sizes": [4, 3], "edited": "2-1"}
    >>> head = {"alignframe_edits": 1, "of": "beads", "gold": "gold.beads", "annotator": "Ann"}
    >>> with open("Ann.json", "w") as file:
    ...     json.dump({**head, "sentences": [document]}, file)
    >>> found = beads.apply_edits([(0, 1, 0, 1), (1, 3, 1, 2)], "Ann.json")
    >>> [tuple(row.values())[1:5] for row in found.gold.to_pylist()]
    [(0, 2, 0, 1), (2, 3, 1, 2)]
    """
    check_known("`conflicts`", conflicts, CONFLICTS)
    given = edits_of(edits, "beads")
    source = beads_source(beads)
    frame, places = beads_of(source), sizes_of(given)
    sizes = {doc: (places[doc][0] - 1, places[doc][1] - 1) for doc in places}
    before = {
        str(doc): borders(own, sizes.get(doc))
        for (doc,), own in frame.group_by("doc", maintain_order=True)
    }
    now = {doc: text_of(dict.fromkeys(own, SURE)) for doc, own in before.items()}
    by_annotator = cells_by_annotator(given, now, source.name, skip=skip_changed)
    for name, doc, cells in (
        (a, doc, one) for a in by_annotator for doc, one in by_annotator[a].items()
    ):
        _check_path([*cells], sizes[doc], f"the borders of {name} in {doc}")
    changes, disputes, after = [], [], dict(before)
    for doc in dict.fromkeys(chain(*by_annotator.values())):
        own = {name: [*one[doc]] for name, one in by_annotator.items() if doc in one}
        after[doc], rows = _merged(before[doc], own, sizes[doc], conflicts)
        old, new = set(before[doc]), set(after[doc])
        changes.append((doc, ", ".join(own), len(new - old), len(old - new), len(rows)))
        disputes += [(doc, *row) for row in rows]
    marks = f"beads:edited|annotators:{len(by_annotator)}|conflicts:{conflicts}"
    return EditedGold(
        frame_of(changes, {"doc": str, "annotators": str}, "added", "removed", "conflicts"),
        agreement_of(by_annotator, places).filter(label="all"),
        frame_of(disputes, {"doc": str, "i": int, "j": int}, "gold", "said", "edited", kind=str),
        _with_edits(frame, after, sizes),
        conflicts != "refuse",
        marks,
    )


def borders(beads: pl.DataFrame, sizes: tuple[int, int] | None = None) -> list[Border]:
    """Return the borders between the beads of a document; those that nothing covers are its own."""
    found, at = [], (0, 0)
    ends = (0, 0) if sizes is None else sizes
    last = (max(ends[0], beads["src_end"].max() or 0), max(ends[1], beads["tgt_end"].max() or 0))
    spans = beads.select(SPANS).sort("src_start", "tgt_start", "src_end", "tgt_end").rows()
    for a, b, c, d in [*spans, (last[0], last[0], last[1], last[1])]:
        if a < at[0] or c < at[1]:
            raise InputError(
                f"the bead of source sentence {a} and target sentence {c} crosses one before it",
                expected="beads in the order of the text, which have borders",
            )
        # Sentences that are in no bead are beads with one side.
        found += [(a, at[1]), (a, c), (b, d)]
        at = b, d
    return [one for one in dict.fromkeys(found) if one not in ((0, 0), last)]


def _check_path(path: Sequence[Border], sizes: tuple[int, int], what: str) -> None:
    ends = [(0, 0), *sorted(path), sizes]
    if any(one[1] > other[1] or one == other for one, other in pairwise(ends)):
        raise InputError(f"{what} cross each other", todo=AGAIN)


def _merged(
    old: list[Border], own: Mapping[str, list[Border]], sizes: tuple[int, int], conflicts: str
) -> tuple[list[Border], list[tuple[Any, ...]]]:
    """Return borders with the edits, and the runs that were changed in different ways."""
    kept = [one for one in old if all(one in path for path in own.values())]
    made, rows = list(kept), []
    for start, end in pairwise([(0, 0), *sorted(kept), sizes]):
        runs = {
            name: tuple(sorted(one for one in path if start < one < end))
            for name, path in (("", old), *own.items())
        }
        before = runs.pop("")
        votes = {name: run for name, run in runs.items() if run != before}
        ranked = Counter(votes.values()).most_common()
        chosen = ranked[0][0] if ranked else before
        if len(ranked) > 1:
            most = conflicts == "majority" and ranked[0][1] > len(votes) / 2
            chosen = chosen if most or conflicts == "first" else before
            said = ", ".join(f"{name}: {_text(run)}" for name, run in votes.items())
            settled = None if conflicts == "refuse" else _text(chosen)
            rows.append((*start, _text(before), said, settled))
        made += chosen
    return sorted(made), rows


def editable(
    listed: Sentences,
    beads: pl.DataFrame,
    texts: Mapping[str, Document],
    units: Mapping[str, str],
    path: str,
) -> Sentences:
    """Return a list of beads that can be edited, with the sentences of all documents.

    ``units`` has the names of the documents in the beads, by which edits know them.
    """
    documents = []
    for doc, unit in units.items():
        src, tgt = (getattr(texts[doc], side).texts.to_pylist() for side in ("src", "tgt"))
        found = borders(beads.filter(doc=doc), (len(src), len(tgt)))
        text = text_of(dict.fromkeys(found, SURE))
        documents.append(
            {"unit": unit, "digest": digest(text), "gold": text, "src": src, "tgt": tgt}
        )
    for row in listed.rows:
        row["detail"]["unit"] = units[row["detail"]["unit"]]
    key = digest("".join(f"{one['unit']} {one['digest']} " for one in documents))
    edit = {"of": "beads", "gold": path, "key": key, "documents": documents}
    return replace(listed, edit=edit)


def _text(run: Sequence[Border]) -> str:
    return text_of(dict.fromkeys(run, SURE)) or "none"


def _with_edits(
    frame: pl.DataFrame, after: Mapping[str, list[Border]], sizes: Mapping[str, tuple[int, int]]
) -> pa.Table:
    """Return beads, those of edited documents between their borders."""
    edited = [doc for doc in after if doc in sizes]
    rows = [
        (doc, a, b, c, d, None)
        for doc in edited
        for (a, c), (b, d) in pairwise([(0, 0), *sorted(after[doc]), sizes[doc]])
    ]
    new = pl.DataFrame(
        rows,
        [("doc", pl.String), *((name, pl.Int32) for name in SPANS), ("score", pl.Float64)],
        orient="row",
    )
    kept = frame.select(pl.col("doc").cast(pl.String), *SPANS, "score").filter(
        ~pl.col("doc").is_in(edited)
    )
    return pl.concat([kept, new], how="vertical_relaxed").to_arrow().cast(BEADS)
