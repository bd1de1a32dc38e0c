"""Details of single sentences for a dashboard: words, links, translations and matchings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import polars as pl

from alignframe.errors import AlignframeError, InputError
from alignframe.lake.kept import kept_input
from alignframe.lake.past import Past
from alignframe.lake.units import SYSTEM, Source, shared_keys
from alignframe.links.inputs import links_source
from alignframe.links.worst import chosen_links, inside
from alignframe.pages.sentences import LINKS, TEXTS, Evidence
from alignframe.read.parquet import ParquetFiles
from alignframe.sources.pairs import sentence_pairs
from alignframe.typing import Row

MATCHED = 50
"""The number of sentences of a corpus whose translations are matched, which takes time."""

UNREADABLE = (AlignframeError, OSError, KeyError, ValueError)


class Details:
    """The words, links and translations of sentences, from the inputs of a job's runs.

    An input is read in the version recorded by a run, if its store still has it, or from the copy
    that the run kept, and only if it matches the version recorded with the counts. ``kind`` is
    ``links``, ``texts``, or empty if the job has neither; ``error`` says why the last unreadable
    input could not be read, and ``found`` whether any input was found.
    """

    def __init__(self, past: Past, text: str | None) -> None:
        self.past = past
        self.kind = {"score": LINKS, "tesla": TEXTS}.get(past.job.name, "")
        if text is not None and self.kind != LINKS:
            raise InputError("a text for a lake without links", expected="no `text`")
        self.text = None if text is None else Source(text, "text")
        self.error: Exception | None = None
        self.found = False
        self._source = cache(self._opened)
        self._bitext = lru_cache(maxsize=1)(self._read_bitext)  # corpora are read one by one

    def of(
        self, corpus: str, units: Sequence[Any], states: Sequence[int], matched: Sequence[int]
    ) -> dict[str, Row]:
        """Return the details of sentences in a corpus, by number.

        Links or translations of ``states`` are returned; translations of those in ``matched`` are
        matched with the reference in the first sentences, where TESLA is measured. ``hyp`` and
        ``other`` are links, or texts, of systems and of gold or the reference, each once; ``at``
        has the place in both for each state whose inputs are still there.
        """
        if not self.kind or not units:
            return {}
        hyps: dict[int, dict[int, Any]] = {}
        others: dict[str, dict[int, Any]] = {}
        made: dict[str, Evidence] = {str(unit): Evidence() for unit in units}
        pairs: dict[tuple[str, tuple[int, int]], None] = {}  # to be matched
        timely = set(units[:MATCHED])
        _, second = self.past.job.inputs
        words = self._words(corpus, units)
        for number in states:
            state = self.past.states[corpus][number]
            try:
                for hyp, other in self._inputs(corpus, number):
                    mark = state.marks[second]
                    if mark not in others:
                        others[mark] = self._read(other, None, units, words)
                    hyps[number] = self._read(hyp, state.system, units, words)
            except UNREADABLE as error:
                self.error = error
                continue
            if number not in hyps:
                continue
            self.found = True
            for unit in units:
                texts = hyps[number].get(unit), others[mark].get(unit)
                place = made[str(unit)].add(number, *texts)
                if number in matched and unit in timely and None not in texts:
                    pairs[str(unit), place] = None
        if self.kind == TEXTS and str(self.past.record["settings"]["metric"]).startswith("tesla-"):
            self._match([(made[unit], *place) for unit, place in pairs])
        return {unit: evidence.as_json(words.get(int(unit))) for unit, evidence in made.items()}

    def lines(self, corpus: str, units: Sequence[object]) -> list[tuple[str, ...]]:
        """Return the words of sentences as lines, of source and target or of the reference."""
        empty: tuple[str, ...] = ()
        if self.text is not None and (frame := self._bitext(corpus)) is not None:
            joined = frame.select("sid", pl.col("src", "tgt").list.join(" ", ignore_nulls=True))
            words = {sid: (src, tgt) for sid, src, tgt in joined.rows()}
            return [words.get(unit, empty) for unit in units]
        if self.kind != TEXTS or not self.past.moments[-1].inputs:
            return [empty for _ in units]
        ref = self._source("ref", *self.past.moments[-1].inputs["ref"].values())
        texts = self._texts(ref.of(self.past.keys[corpus]), None)
        return [(texts[unit],) if unit in texts else empty for unit in units]

    def _inputs(self, corpus: str, number: int) -> Iterator[tuple[Any, Any]]:
        """Yield the inputs of a state, once, if its stores still have them, or there is a copy."""
        state = self.past.states[corpus][number]
        for moment in reversed(self.past.moments):
            # Counts without the record of a run do not tell their inputs.
            if moment.states.get((state.system, corpus)) != number or not moment.inputs:
                continue
            sources = [
                self._source(what, given["place"], given["version"])
                for what, given in moment.inputs.items()
            ]
            on, whole = self.past.record["settings"].get("on"), self.past.job.whole
            names = shared_keys(sources, on, whole=whole)
            matched = tuple(one for one in state.keys if one[0] in names)
            hyp, other, *_ = sources  # links may have a text as well
            mark, keys = state.marks[hyp.what], self.past.keys[corpus]
            still = hyp.mark(state.keys, state.content) == mark
            if not all(
                one.mark(matched, state.content) == state.marks[one.what]
                or one.contents(matched) == state.contents.get(one.what)
                for one in sources[1:]
            ):
                continue
            found = hyp if still else kept_input(self.past.output, state.keys, mark)
            if found is not None:
                yield found.of((*keys, (SYSTEM, state.system), *moment.date)), other.of(keys)
                return

    def _opened(self, what: str, place: str, version: str) -> Source:
        content = self.past.record["settings"].get("check") == "content"
        return Source(place, what, content, version)

    def _read(
        self, part: Any, system: str | None, units: Sequence[Any], words: Mapping[int, Any]
    ) -> dict[int, Any]:
        """Return links or texts of sentences; gold links with labels, and all as were counted."""
        if part is None:
            return {}
        if self.kind == TEXTS:
            return self._texts(part, units)
        settings, gold = self.past.record["settings"], system is None
        chosen = chosen_links(
            [links_source(part, system)],
            units,
            labels=gold,
            all_sure=gold and bool(settings.get("possible_as_sure")),
        )
        dropped = settings.get("drop_outside")
        made = {
            sid: inside(links, words[sid]) if dropped and sid in words else links
            for (_, sid), links in chosen.items()
        }
        return {
            sid: [
                *(links[side].tolist() for side in ("i", "j")),
                *([links["sure"].astype(int).tolist()] if gold else []),
            ]
            for sid, links in made.items()
        }

    def _texts(self, part: object, units: Sequence[object] | None) -> dict[int, str]:
        if not isinstance(part, ParquetFiles):
            return {}
        frame = pl.DataFrame(pl.from_arrow(part.reader(None, ["sid", "text"]).read_all()))
        return dict(_chosen(frame, units).select("sid", "text").rows())

    def _words(self, corpus: str, units: Sequence[int] | None) -> Mapping[int, tuple[Any, Any]]:
        frame = self._bitext(corpus)
        rows = [] if frame is None else _chosen(frame, units).select("sid", "src", "tgt").rows()
        return {sid: (src, tgt) for sid, src, tgt in rows}

    def _read_bitext(self, corpus: str) -> pl.DataFrame | None:
        part = None if self.text is None else self.text.of(self.past.keys[corpus])
        if part is None:
            return None
        return pl.DataFrame(pl.from_arrow(sentence_pairs(part).table()))

    def _match(self, wanted: Sequence[tuple[Evidence, int, int]]) -> None:
        """Match words of translations with those of references, as in TESLA."""
        from alignframe.lake.jobs.tesla import analysis_of
        from alignframe.language.analysed import to_arrow
        from alignframe.tesla.explain import explain

        settings = self.past.record["settings"]
        analysis = analysis_of(settings["analysis"])
        names = ("recall_weight", "function_weight")
        weights = {name: settings["options"][name] for name in names if name in settings["options"]}
        pairs = [(one.hyp[hyp], one.other[other]) for one, hyp, other in wanted]
        tokens = to_arrow(analysis.analyse([text for pair in pairs for text in pair]))
        for at, (one, hyp, other) in enumerate(wanted):
            both = tokens[2 * at].as_py(), tokens[2 * at + 1].as_py()
            matching = explain(*both, 1, "ms", analysis.synonyms, **weights)
            one.match[f"{hyp}-{other}-1"] = matching.as_rows()


def _chosen(frame: pl.DataFrame, units: Sequence[object] | None) -> pl.DataFrame:
    """Return the rows of sentences, by default all."""
    return frame if units is None else frame.filter(pl.col("sid").is_in(list(units)))
