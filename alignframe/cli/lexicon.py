"""``alignframe lexicon``: what its commands read, and how results are shown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from alignframe.cli.cells import with_interval
from alignframe.cli.command import Input, Shell, Words, flag
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import Data, Pieces, Rows, print_note, print_warning, scores_rows
from alignframe.cli.sources import ENCODING, TGT, THREADS, columns, named_paths
from alignframe.core.choices import JSON_LINES, PARQUET
from alignframe.core.output import write_table
from alignframe.errors import InputError, number_of
from alignframe.typing import Arguments, FromOne, Rare, Row

if TYPE_CHECKING:
    import polars as pl

    from alignframe.lexicon import Study
    from alignframe.result import TableResult


_SRC = "Source sentences, one per line; or both sides: lines 'source ||| target', or a table."


class Text(Input):
    """A text, perhaps tagged."""

    provides: ClassVar[tuple[str, ...]] = ("bitext",)

    src: str | None = flag(_SRC, metavar="FILE")
    tgt: str | None = flag(TGT, None, metavar="FILE")
    tagged: bool = flag("The text is tagged: word|TAG, or CoNLL-U.", False)
    tag_column: Rare[str] = flag(
        "Column of CoNLL-U that holds the tags.", "upos", choices=("upos", "xpos")
    )
    columns: Rare[str | None] = columns()
    encoding: str = flag(ENCODING, "utf-8")

    def arguments(self, _: Shell) -> Arguments:
        """Return the text."""
        return {"bitext": self.read(self.src, self.tgt)}

    def read(self, src: str | None, tgt: str | None) -> Any:
        """Return a text: a Parquet path, a table with tags, or a stream; None if there is none."""
        from alignframe import formats
        from alignframe.read.parquet import is_parquet
        from alignframe.sources.pairs import sentence_pairs

        if src is None and tgt is None:
            return None
        if src is None:
            raise InputError("--tgt needs the other side: --src")
        if not self.tagged or is_parquet(src):
            return sentence_pairs(src, tgt, encoding=self.encoding, columns=self.columns)
        if tgt is None:
            raise InputError("--tagged needs a tagged file for each side")
        return formats.read_tagged_bitext(src, tgt, tags=self.tag_column, encoding=self.encoding)


class AnyText(Text):
    """The same, or none."""

    src: str | None = flag(
        "Source sentences of a text in which to count both translations.", None, metavar="FILE"
    )


class Training(Text):
    """A training text, and whether association has a sign."""

    provides: ClassVar[tuple[str, ...]] = ("src", "tgt", "signed", "threads")

    src: str = flag(_SRC, panel=None)
    tgt: str | None = flag(TGT, None, panel=None)

    unsigned: Rare[bool] = flag(
        "Ignore the sign of association: rank words that avoid each other like words that attract "
        "each other.",
        False,
        panel="Analysis",
    )
    threads: FromOne | None = flag(THREADS, None, panel="Output")

    def arguments(self, shell: Shell) -> Arguments:
        """Return the text, as the source."""
        return {"src": self.read(self.src, self.tgt)} | self.counting(shell, "Counting words")

    def counting(self, shell: Shell, text: str) -> Arguments:
        """Return arguments of counting; the text says what its progress bar shows."""
        executor = ProgressExecutor(self.threads or os.cpu_count() or 1, text)
        shell.stack.enter_context(executor)
        return {"signed": not self.unsigned, "threads": executor}


class Cascades(Training):
    """A training and a test text, and cascades of filters."""

    provides = (*Training.provides, "train", "test", "cascades")

    test_src: str = flag("Source sentences of the test text.", metavar="FILE")
    test_tgt: str | None = flag("Target sentences of the test text.", None, metavar="FILE")
    cascade: list[str] = flag(
        "Comma-separated filters, or none. Repeatable.",
        [],
        panel="Analysis",
        metavar="[NAME=]FILTERS",
    )
    tags: str | None = flag(
        "Tag sets, each compared as a cascade: same-tag, universal, content, open, or files of "
        "classes.",
        None,
        panel="Analysis",
        metavar="A,B,C",
        listed=str,
    )
    mrbd: str | None = flag(
        "A dictionary (word list), for the standard cascades.", None, metavar="FILE"
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return both texts and the cascades."""
        cascades = self._cascades()
        train, test = self.read(self.src, self.tgt), self.read(self.test_src, self.test_tgt)
        texts = {"train": train, "test": test, "cascades": cascades}
        return texts | self.counting(shell, "Inducing")

    def _cascades(self) -> Arguments:
        """Return the filters of each cascade, by default the usual cascades."""
        from alignframe.lexicon import Alignment, Cognate, PartOfSpeech, WordList, parse_cascade

        cascades: Arguments = {}
        if self.tags is not None:
            if not self.tags:
                raise InputError("--tags needs a tag set, such as universal,content")
            cascades = {"none": [], **{name: [PartOfSpeech(name)] for name in self.tags}}
        for text in self.cascade:
            name, mark, rest = text.partition("=")
            # The filters themselves may hold an equals sign, as in a path.
            named_so = mark and not set(name) & {",", ":"}
            label, filters = (name.strip(), rest) if named_so else (text.strip(), text)
            if label in cascades:
                raise InputError(
                    f"two cascades are called {label!r}", todo="name them: NAME=FILTERS"
                )
            cascades[label] = parse_cascade(filters)
        if cascades and not self.mrbd:
            return cascades
        usual: Arguments = {"none": [], "cognate": [Cognate()]}
        if self.mrbd:
            words = WordList(self.mrbd)
            usual["mrbd"] = [words]
            usual["mrbd+cognate"] = [words, Cognate()]
            usual["mrbd+cognate+alignment"] = [words, Cognate(), Alignment()]
        return usual | cascades


class Lexicons(Input):
    """Lexicons by name."""

    provides = ("lexicon", "lexicons")

    lexicons: list[str] = flag(
        "A lexicon: Parquet, CSV, or a word list. Repeatable.",
        flags="--lexicon",
        metavar="[NAME=]FILE",
    )

    def arguments(self, _: Shell) -> Arguments:
        """Return the lexicons by name, or the only one."""
        sides = self.by_name()
        return {
            "lexicons": sides,
            "lexicon": sides if len(sides) > 1 else next(iter(sides.values())),
        }

    def by_name(self) -> Arguments:
        """Return the lexicons by name, by default the file's name."""
        return dict(named_paths(self.lexicons, "lexicon", lambda path: Path(path).stem))


class Compared(Lexicons):
    """Lexicons by name, and a dictionary."""

    mrbd: str | None = flag("A dictionary (word list), beside the lexicons.", None, metavar="FILE")

    def by_name(self) -> Arguments:
        """Return the lexicons and the dictionary by name."""
        from alignframe.lexicon import as_lexicon

        if self.mrbd is None:
            return super().by_name()
        return super().by_name() | {"dictionary": as_lexicon(self.mrbd)}


def tests(frame: pl.DataFrame) -> Rows:
    """Return tests in a terminal; those of lexicons stand beside the precision of both."""
    return scores_rows(frame, "Wilcoxon's signed-rank test over source words")


def show_lexicon(lexicon: TableResult, words: Words) -> Pieces:
    """Write a lexicon, and print it if it is not written, or as JSON."""
    from alignframe.formats import write

    frame, output = lexicon.frame, words["output"]
    if frame.is_empty():
        print_warning("the lexicon is empty: filters and --min-both leave no candidate")
    if output:
        write(lexicon, output)
        sizes = (
            number_of(frame["src"].n_unique(), "source word"),
            number_of(frame.height, "translation"),
        )
        print_note(f"{sizes[0]}, {sizes[1]} written to {output}{_origins(frame)}")
    yield lexicon
    if not output:
        yield Rows(frame, "Lexicon", limit=40, whole=False)
    print_note(lexicon.signature)


def _origins(frame: pl.DataFrame) -> str:
    """Return the numbers of entries in a merged lexicon by origin."""
    if "origin" not in frame.columns:
        return ""
    numbers = dict(frame["origin"].value_counts().iter_rows())
    each = ", ".join(f"{numbers.get(name, 0):,} {name}" for name in ("both", "induced"))
    return f": of {each}, {numbers.get('dictionary', 0):,} from the dictionary alone"


def _names(words: Words) -> list[str]:
    """Return the names of the lexicons."""
    return [*Compared(lexicons=words["lexicons"], mrbd=words["mrbd"]).by_name()]


def show_entries(frame: pl.DataFrame, words: Words) -> Pieces:
    """Show the entries of words in both directions; several lexicons side by side."""
    yield Data(entries=frame)
    names = _names(words)
    for side, title in (("src", "Translations of"), ("tgt", "Translated as")):
        mine = frame.filter(side=side).drop("side")
        for (word,), rows in mine.group_by("word", maintain_order=True):
            entries = rows.drop("word").to_dicts()
            shown = _side_by_side(entries, side, names) if len(names) > 1 else entries
            yield Rows(shown, f"{title} {word}", limit=words["limit"])


def _side_by_side(entries: list[Row], side: str, names: list[str]) -> list[Row]:
    """Return one row per rank, with the words of every lexicon and their scores."""
    rows: dict[int, Row] = {}
    places = dict.fromkeys(names, 0)
    for entry in entries:
        name = entry["lexicon"]
        # A rank is one among the translations of a source word: for a target word, entries are
        # counted.
        places[name] = entry["rank"] if side == "src" else places[name] + 1
        row = rows.setdefault(places[name], {"#": places[name], **dict.fromkeys(names)})
        score = entry.get("llr")
        word = entry["tgt" if side == "src" else "src"]
        row[name] = word if score is None else f"{word} ({score:.2f})"
    return [rows[place] for place in sorted(rows)]


def show_changes(frame: pl.DataFrame, words: Words) -> Pieces:
    """Show a table per lexicon: how its words changed, and the first of them."""
    import polars as pl

    from alignframe.lexicon.changes import changes_signature

    output = words["output"]
    lists = [name for name in frame.columns if name.endswith("_list")]
    flat = frame.with_columns(pl.col(lists).list.join(" "))
    if output:
        kept = output.suffix.lower() in (*PARQUET, *JSON_LINES)
        write_table(frame if kept else flat, output)
        print_note(f"{number_of(frame.height, 'row')} written to {output}")
    yield Data(changes_signature(_names(words)), changes=frame)
    if output:
        return
    for (name, baseline), rows in flat.group_by("lexicon", "baseline", maintain_order=True):
        title = (
            f"{name}: {number_of(rows.height, 'word')} with another best translation than "
            f"in {baseline}"
        )
        verdict = _verdict(rows) if "pairs" in rows.columns else ""
        yield Rows(rows.drop("lexicon", "baseline"), title, verdict, words["limit"])
    if frame.is_empty():
        yield "no word has another best translation"


def _verdict(rows: pl.DataFrame) -> str:
    """Report how many words found their translation more or less often."""
    import polars as pl

    gain = rows.select(pl.col("after_hits") - pl.col("before_hits")).to_series()
    seen = int((rows["pairs"] > 0).sum())
    return (
        f"of the {seen:,} in the test text, {(gain > 0).sum():,} have their translation in more "
        f"sentences there, {(gain < 0).sum():,} in fewer"
    )


def show_study(study: Study, words: Words) -> Pieces:
    """Show a study of cascades by training size, with back-off (Melamed 1995)."""
    from alignframe.lexicon.findings import MEASURES

    yield study
    depths = dict.fromkeys((1, int(study.summary["k"].max() or 1)))  # type: ignore[arg-type]
    tried = dict.fromkeys(("precision", "percent_correct"), depths) | {"recall": (1,)}
    for name, k in ((measure, k) for measure in MEASURES for k in tried[measure]):
        title = name.replace("_", " ").capitalize() + f", k = {k}" * (name != "recall")
        last = name == MEASURES[-1] and k == [*tried[name]][-1]
        caption = _sets(study, words["sets"]) + study.signature if last else ""
        yield Rows(_by_size(study, name, k), title, caption)
    if study.changed.height:
        of_first = f"first training set of {number_of(study.changed['size'][0], 'pair')}"
        title = f"Words whose best translation changes, {of_first}"
        yield Rows(study.changed.drop("size"), title)


def _by_size(study: Study, measure: str, k: int) -> list[Row]:
    """Return means with intervals, one row per cascade and one column per size."""
    rows: dict[str, Row] = {}
    for row in study.summary.filter(k=k).iter_rows(named=True):
        cells = rows.setdefault(row["cascade"], {"cascade": row["cascade"]})
        span = (row[f"{measure}_low"], row[f"{measure}_high"])
        cells[number_of(row["size"], "pair")] = with_interval(row[measure], span)
    return list(rows.values())


def _sets(study: Study, asked: int) -> str:
    """Return the number of training sets per size, if fewer than requested."""
    drawn = dict(study.summary.select("size", "sets").unique().sort("size").iter_rows())
    if all(sets == asked for sets in drawn.values()):
        return ""
    each = ", ".join(f"{number_of(size, 'pair')}: {sets}" for size, sets in drawn.items())
    return f"training sets: {each} (no interval for a single one)\n"
