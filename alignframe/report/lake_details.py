"""What a dashboard shows of single sentences: their words, links and translations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pyarrow as pa

from alignframe.errors import AlignframeError, InputError
from alignframe.lake.past import Past
from alignframe.lake.units import SYSTEM, Source
from alignframe.parquet import ParquetFiles
from alignframe.report.grids import links_of
from alignframe.sources import Bitext
from alignframe.stores import Keys

Detail = dict[str, Any]


class Details:
    """The words, links and translations of sentences, from the inputs of a job's last run.

    Parameters
    ----------
    past
        The runs of the job.
    text
        A place of text (sid, src, tgt), for links.
    """

    def __init__(self, past: Past, text: str | None) -> None:
        self.past = past
        given = {name: one["place"] for name, one in past.record["inputs"].items()}
        if text is not None:
            given["text"] = text
        self.sources = {name: Source(place, name) for name, place in given.items()}
        self.kind = {"score": "links", "tesla": "texts"}.get(past.job.name, "")
        if text is not None and self.kind != "links":
            raise InputError("a text for a lake without links", expected="no --text")

    def of(self, corpus: str, units: Sequence[Any]) -> dict[str, Detail]:
        """Return what is known of sentences of a corpus, by their numbers.

        Raises
        ------
        AlignframeError, OSError
            If an input cannot be read any more.
        """
        if not self.kind or not units:
            return {}
        keys = self.past.keys[corpus]
        return self._links(keys, units) if self.kind == "links" else self._texts(keys, units)

    def _links(self, keys: Keys, units: Sequence[int]) -> dict[str, Detail]:
        systems = {
            name: part
            for name in self.past.systems
            if (part := self.sources["hyp"].of((*keys, (SYSTEM, name)))) is not None
        }
        gold = self.sources["gold"].of(keys)
        settings = self.past.record["settings"]
        found = links_of(systems, gold, units, bool(settings.get("possible_as_sure")))
        words = self._words(keys, units)
        out: dict[str, Detail] = {}
        for sid in units:
            mine = {system: one for (system, number), one in found.items() if number == sid}
            marked = mine.pop("")
            out[str(sid)] = {
                "gold": [marked[side].astype(int).tolist() for side in ("i", "j", "sure")],
                "hyp": {
                    name: [one[side].tolist() for side in ("i", "j")] for name, one in mine.items()
                },
                **words.get(sid, {}),
            }
        return out

    def _words(self, keys: Keys, units: Sequence[int]) -> Mapping[int, Detail]:
        if "text" not in self.sources:
            return {}
        part = self.sources["text"].of(keys)
        if part is None:
            return {}
        table = pa.Table.from_batches(Bitext(part).batches())
        frame = pl.DataFrame(pl.from_arrow(table))
        if "sid" not in frame.columns:
            frame = frame.with_row_index("sid")
        frame = frame.filter(pl.col("sid").is_in(list(units)))
        rows = frame.select("sid", "src", "tgt").rows(named=True)
        return {row["sid"]: {"src": row["src"], "tgt": row["tgt"]} for row in rows}

    def _texts(self, keys: Keys, units: Sequence[int]) -> dict[str, Detail]:
        ref = _texts_of(self.sources["ref"].of(keys), units)
        out: dict[str, Detail] = {str(sid): {"ref": ref.get(sid, ""), "hyp": {}} for sid in units}
        for name in self.past.systems:
            part = self.sources["hyp"].of((*keys, (SYSTEM, name)))
            for sid, text in _texts_of(part, units).items():
                out[str(sid)]["hyp"][name] = text
        return out


def _texts_of(part: Any, units: Sequence[int]) -> dict[int, str]:
    if not isinstance(part, ParquetFiles):
        return {}
    frame = pl.DataFrame(pl.from_arrow(part.reader(None, ["sid", "text"]).read_all()))
    rows = frame.filter(pl.col("sid").is_in(list(units))).select("sid", "text").rows()
    return dict(rows)


UNREADABLE = (AlignframeError, OSError, KeyError)
