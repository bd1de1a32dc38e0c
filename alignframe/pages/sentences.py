"""The sentences of a page, each of which opens its evidence: links, translations, or texts."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from alignframe.core.arrays import F32
from alignframe.core.output import make_folder, replacing
from alignframe.errors import sentence_name
from alignframe.typing import Row

LINKS, TEXTS, BEADS = "links", "texts", "beads"
MOST = 200_000
"""A page holds the evidence of at most this many pairs of a sentence and a system."""

SUM, SPREAD = "sum", "spread"
"""What orders sentences: the sum or the standard deviation of a figure over systems."""

LIST = "sentences"
"""The block of a page that lists its sentences."""

PIECE = 64
"""The number of sentences whose evidence a browser unpacks at a time."""

CHOSEN, DIFFERENT = "the chosen ones", "those on which systems differ most"
"""Which sentences are listed."""


class Evidence:
    """The evidence of a sentence: the distinct links or texts of systems and of gold.

    ``at`` has the places of both by state: the number of a system, or of one of its versions.
    """

    def __init__(self) -> None:
        self.hyp: list[Any] = []
        self.other: list[Any] = []
        self.at: dict[int, tuple[int, int]] = {}
        self.match: dict[str, Any] = {}

    def add(self, state: int, hyp: object, other: object) -> tuple[int, int]:
        """Add the links or text of a state; None if it has none."""
        self.at[state] = _place(self.hyp, hyp), _place(self.other, other)
        return self.at[state]

    def as_json(self, words: Sequence[object] | None = None, **more: Any) -> Row:
        """Return the evidence with the words of both sides."""
        row: Row = {"hyp": self.hyp, "other": self.other, "at": self.at, **more}
        if self.match:
            row["match"] = self.match
        if words is not None:
            row |= dict(zip(("src", "tgt"), words, strict=True))
        return row


@dataclass(frozen=True)
class Value:
    """A figure of sentences; the first of several orders them."""

    label: str
    lower: bool = False
    digits: int = 4


@dataclass(frozen=True)
class Sentences:
    """A table of sentences, sorted and filtered in the browser, each opening its evidence.

    A row has ``unit``, its name; ``detail``, its evidence; and optionally ``line``, its words with
    their number ``length``; ``cells``, text under ``heads``; and ``values``, a list for each figure
    of the values of all systems. ``counted`` is what the rows are, in plural, and ``of``, without
    systems, of what. ``first`` says in which order they come first: by the first figure, worst
    first, if they are ``ranked``, or as given; ``weighed`` has what then orders them, a head, and
    SUM or SPREAD of the first figure over systems. ``bands`` has the first and the last length of
    bands by name, see ``bands_of``; ``edit`` says what is edited on the page, if anything.
    """

    kind: str
    rows: Sequence[Row]
    systems: Sequence[str] = ("",)
    figures: Sequence[Value] = ()
    heads: Sequence[str] = ()
    title: str = "Sentences"
    unit: str = "sentence"
    counted: str = "sentences"
    of: str = "the alignment"
    first: str = "worst first"
    ranked: bool = True
    bands: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)
    weighed: tuple[str, str] | None = None
    edit: Row | None = None

    @cached_property
    def blocks(self) -> dict[str, str]:
        """The data, compressed: the list, and the evidence of ``PIECE`` rows each."""
        rows = [{name: one for name, one in row.items() if name != "detail"} for row in self.rows]
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        own |= {"rows": rows, "figures": [asdict(one) for one in self.figures], "piece": PIECE}
        details = [row["detail"] for row in self.rows]
        pieces = (details[at : at + PIECE] for at in range(0, len(details), PIECE))
        blocks = {f"d-{at}": packed_json(piece) for at, piece in enumerate(pieces)}
        return {LIST: packed_json(own), **blocks}


def by_system(
    frame: pl.DataFrame, figures: Sequence[str], systems: Sequence[str]
) -> Callable[[int], list[list[Any]]]:
    """Return a function of a sentence: for each figure, the values of all systems."""
    rows = frame.select("sid", "system", *figures).fill_nan(None).iter_rows()
    known = {(sid, system): values for sid, system, *values in rows}
    none = [None] * len(figures)

    def values(sid: int) -> list[list[Any]]:
        return [
            list(value)
            for value in zip(*(known.get((sid, name), none) for name in systems), strict=True)
        ]

    return values


def text_rows(
    sids: Sequence[int],
    places: Mapping[int, int],
    systems: Sequence[Sequence[str]],
    references: Sequence[Sequence[str | None]],
    values: Callable[[int], list[list[object]]],
) -> list[Row]:
    """Return sentences with their translations, the texts at ``places``, and the references."""
    rows = []
    for sid in sids:
        at, evidence = places[sid], Evidence()
        reads = [text for side in references if (text := side[at]) is not None]
        for number, side in enumerate(systems):
            evidence.add(number, side[at], reads if len(reads) > 1 else "".join(reads))
        line = line_of("".join(reads[:1]).split())
        rows.append(
            {
                "unit": sentence_name(sid),
                "values": values(sid),
                "detail": evidence.as_json(),
                **line,
            }
        )
    return rows


def most_different(frame: pl.DataFrame, figure: str, *, lower: bool = False) -> list[int]:
    """Return the sentences by the standard deviation of a figure over systems, largest first.

    With a single system, the worst come first.
    """
    column = pl.col(figure)
    by_sentence = frame.group_by("sid").agg(
        spread=column.std().fill_null(0.0), worst=column.max() if lower else column.min()
    )
    ranked = by_sentence.sort("spread", "worst", "sid", descending=[True, lower, False])
    sids: list[int] = ranked["sid"].to_list()
    return sids


def bands_of(ends: Sequence[int], names: Sequence[str]) -> dict[str, tuple[int, int | None]]:
    """Return the first and the last length of bands by name, from the last of all but one."""
    starts = (1, *(end + 1 for end in ends))
    return dict(zip(names, zip(starts, (*ends, None), strict=True), strict=True))


def line_of(words: Sequence[str]) -> Row:
    """Return the line and the length of a sentence in words."""
    return {"line": " ".join(words), "length": len(words)}


def _place(known: list[object], value: object) -> int:
    if value not in known:
        known.append(value)
    return known.index(value)


def held(systems: int, of: Mapping[object, object] | Sequence[object]) -> int:
    """Return how many sentences a page can hold with the evidence of all systems."""
    return min(len(of), max(MOST // max(systems, 1), 20))


def left_out(listed: Sentences | None, of: int, which: str) -> str:
    """Say which sentences are listed, if not all."""
    if listed is None or len(listed.rows) >= of:
        return ""
    return f" Listed are {len(listed.rows):,} of {of:,} {listed.counted}, {which}."


# Data inside a page, in compressed blocks that the browser decompresses on demand.

NOTHING = 0xFFFF
"""The code of an undefined figure."""
_LEVEL = 4


def packed(value: bytes) -> str:
    """Return bytes compressed by gzip as text, deterministically."""
    return base64.b64encode(gzip.compress(value, _LEVEL, mtime=0)).decode("ascii")


def packed_json(value: object) -> str:
    """Return data as compressed JSON, with NaN as null."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return packed(text.encode("utf-8", "surrogatepass"))


def rounded(values: npt.ArrayLike, digits: int = 6) -> list[float | None]:
    """Return rounded numbers for JSON; None where undefined."""
    return [
        None if value is None or math.isnan(value) else round(value, digits)
        for value in np.asarray(values, np.float64).tolist()
    ]


def steps(values: F32) -> Row:
    """Return figures as integer steps above the minimum, with rows delta-encoded.

    ``values`` has the shape (rows, columns). A figure is ``low`` + steps / 10**``digits``.
    ``data``, compressed, has the low bytes of all differences modulo 65,536, then the high bytes:
    runs with few changes compress well. ``NOTHING`` encodes NaN, an undefined figure.
    """
    is_known = np.isfinite(values)
    known = values[is_known]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    low = math.floor(min(low, 0.0))
    digits = max(0, min(4, math.floor(math.log10((NOTHING - 1) / max(high - low, 1e-9)))))
    del known
    # In place: dashboards have tens of millions of figures.
    whole = values.astype(np.float64, order="C")
    whole -= low
    whole *= 10**digits
    np.rint(whole, out=whole)
    whole[~is_known] = NOTHING
    numbers = whole.astype("<u2")
    numbers[1:] -= numbers[:-1].copy()
    halves = numbers.view(np.uint8).reshape(-1, 2)
    return {"low": low, "digits": digits, "data": packed(halves.T.tobytes())}


def inside(blocks: Mapping[str, str]) -> str:
    """Return blocks as elements of a page, free of markup."""
    return "\n".join(
        f'<script type="text/plain" id="block-{name}">{text}</script>'
        for name, text in blocks.items()
    )


def beside(folder: Path, blocks: Mapping[str, str]) -> None:
    """Write blocks to a folder, as scripts that pass them to the page."""
    make_folder(folder)
    for name, text in blocks.items():
        with replacing(folder / f"{name}.js") as out:
            out.write(f'block("{name}","{text}");\n'.encode("ascii"))
