"""``alignframe lexicon study``, and helpers of other lexicon commands."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.cells import with_interval
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import print_json, print_table, save_tables
from alignframe.cli.sources import named_paths
from alignframe.errors import InputError, number_of

if TYPE_CHECKING:
    from alignframe.lexicon import Study


@dataclass(frozen=True)
class StudyGiven:
    """The options of a study."""

    src: str
    test_src: str
    tgt: str | None
    test_tgt: str | None
    cascade: list[str] | None
    tags: list[str] | None
    mrbd: str | None
    sizes: list[int] | None
    sets: int
    n_best: int
    count: str
    unsigned: bool
    average: str
    confidence: float
    seed: int
    tagged: bool
    tag_column: str
    encoding: str
    threads: int | None

    def make(self) -> Study:
        """Run the study."""
        from alignframe import lexicon

        cascades = self._cascades()
        tagged: dict[str, Any] = {"tagged": self.tagged, "tags": self.tag_column}
        train = read_bitext(self.src, self.tgt, self.encoding, **tagged)
        test = read_bitext(self.test_src, self.test_tgt, self.encoding, **tagged)
        with ProgressExecutor(self.threads or os.cpu_count() or 1, "Inducing") as executor:
            return lexicon.study(
                train,
                test,
                cascades,
                sizes=self.sizes,
                sets=self.sets,
                n_best=self.n_best,
                count=self.count,
                signed=not self.unsigned,
                average=self.average,
                confidence=self.confidence,
                seed=self.seed,
                executor=executor,
            )

    def _cascades(self) -> dict[str, Any]:
        """Return the filters of each cascade, by default the usual cascades."""
        from alignframe.lexicon import Alignment, Cognate, PartOfSpeech, WordList, parse_cascade

        found: dict[str, Any] = {}
        if self.tags is not None:
            if not self.tags:
                raise InputError("--tags without a tag set", expected="such as universal,content")
            found = {"none": [], **{name: [PartOfSpeech(name)] for name in self.tags}}
        for text in self.cascade or []:
            name, mark, rest = text.partition("=")
            named_so = mark and not set(name) & {",", ":"}
            label, filters = (name.strip(), rest) if named_so else (text.strip(), text)
            if label in found:
                raise InputError(
                    f"two cascades are called {label!r}", todo="name them: NAME=FILTERS"
                )
            found[label] = parse_cascade(filters)
        if found and not self.mrbd:
            return found
        usual: dict[str, Any] = {"none": [], "cognate": [Cognate()]}
        if self.mrbd:
            words = WordList(self.mrbd)
            usual["mrbd"] = [words]
            usual["mrbd+cognate"] = [words, Cognate()]
            usual["mrbd+cognate+alignment"] = [words, Cognate(), Alignment()]
        return usual | found


def study(
    *,
    given: StudyGiven,
    output: Path | None,
    as_json: bool,
) -> None:
    """Study filter cascades by training size, with back-off (Melamed 1995)."""
    from alignframe.lexicon.findings import MEASURES

    found = given.make()
    tables = found.tables()
    if output:
        save_tables(found, output, "summary")
    if as_json:
        print_json(tables, found.signature)
        return
    depths = dict.fromkeys((1, int(found.summary["k"].max() or 1)))  # type: ignore[arg-type]
    tried = dict.fromkeys(("precision", "percent_correct"), depths) | {"recall": (1,)}
    asked = [(name, k) for name in MEASURES for k in tried[name]]
    for name, k in asked:
        title = name.replace("_", " ").capitalize() + f", k = {k}" * (name != "recall")
        print_table(
            _by_size(found, name, k),
            title=title,
            caption=_sets(found, given.sets) + found.signature if (name, k) == asked[-1] else "",
        )
    if found.changed.height:
        print_table(
            found.changed.drop("size").to_dicts(),
            title="Words whose best translation changes, first training set of "
            f"{number_of(found.changed['size'][0], 'pair')}",
        )


def _by_size(found: Study, measure: str, k: int) -> list[dict[str, Any]]:
    """Return means with intervals, one row per cascade and one column per size."""
    rows: dict[str, dict[str, Any]] = {}
    for row in found.summary.filter(k=k).iter_rows(named=True):
        cells = rows.setdefault(row["cascade"], {"cascade": row["cascade"]})
        span = (row[f"{measure}_low"], row[f"{measure}_high"])
        cells[number_of(row["size"], "pair")] = with_interval(row[measure], span)
    return list(rows.values())


def _sets(found: Study, asked: int) -> str:
    """Return the number of training sets per size, if fewer than requested."""
    drawn = dict(found.summary.select("size", "sets").unique().sort("size").iter_rows())
    if all(sets == asked for sets in drawn.values()):
        return ""
    each = ", ".join(f"{number_of(size, 'pair')}: {sets}" for size, sets in drawn.items())
    return f"training sets: {each} (no interval for a single one)\n"


def named(specs: list[str]) -> dict[str, str]:
    """Return the paths of lexicons by name, by default the file's name."""
    return named_paths(specs, "lexicon", lambda path: Path(path).stem)


def read_bitext(
    src: str, tgt: str | None, encoding: str, *, tagged: bool = False, tags: str = "upos"
) -> Any:
    """Return the text: a Parquet path, a table with tags, or a stream."""
    from alignframe import formats
    from alignframe.read.pairs import sentence_pairs
    from alignframe.read.parquet import is_parquet

    if tags not in ("upos", "xpos"):
        raise InputError(f"the tags {tags!r}", expected="upos or xpos")
    if not tagged or is_parquet(src):
        return sentence_pairs(src, tgt, encoding=encoding)
    if tgt is None:
        raise InputError("--tagged without --tgt", expected="a tagged file for each side")
    return formats.read_tagged_bitext(src, tgt, tags=tags, encoding=encoding)
