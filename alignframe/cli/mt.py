"""Commands of translation: what they read, and what they show."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from alignframe.cli.command import Input, Shell, Words, flag
from alignframe.cli.phrases import Systems
from alignframe.cli.progress import ProgressExecutor, spinner, ticking
from alignframe.cli.show import Data, Pieces, Rows, done, signature_of
from alignframe.cli.sources import ENCODING, THREADS, named_paths, split_name
from alignframe.cli.tesla import named_models, named_pivots, show_tagging
from alignframe.core.output import file_name
from alignframe.errors import InputError, number_of
from alignframe.typing import Arguments, FromOne, Row

if TYPE_CHECKING:
    import polars as pl

    from alignframe.mt.minimum_error import Mert
    from alignframe.mt.tuning import Tuned
    from alignframe.tesla.estimate import Estimate


class References(Input):
    """One reference or several."""

    provides = ("ref", "encoding")

    ref: list[str] = flag(
        "Reference: one sentence per line, or a table with text and sid. Repeatable.",
        metavar="FILE",
    )
    encoding: str = flag(ENCODING, "utf-8")

    def arguments(self, _: Shell) -> Arguments:
        """Return ref and encoding."""
        return {"ref": [Path(path) for path in self.ref], "encoding": self.encoding}


class Translations(References):
    """Translations and references."""

    provides = ("hyp", "ref", "encoding")  # type: ignore[assignment]

    hyp: list[str] = flag(
        "A system's translations: one sentence per line, or a table with text and sid. Repeatable.",
        metavar="[NAME=]FILE",
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return hyp, ref and encoding."""
        return super().arguments(shell) | {"hyp": systems(self.hyp)}


class Translation(Translations):
    """One translation and its references."""

    hyp: list[str] = flag(
        "A system's translations: one sentence per line, or a table with text and sid.",
        metavar="[NAME=]FILE",
    )


def systems(specs: Sequence[str]) -> dict[str, str] | list[Any]:
    """Return translations, ``[NAME=]FILE``, for functions that score them.

    They name those without a name, and the systems of a table.
    """
    from alignframe.formats.files import translator_name

    given = [split_name(spec, "system") for spec in specs]
    # A Path would lose a slash of an address.
    given = [(name or (translator_name(p) if "://" in p else None), p) for name, p in given]
    if all(name for name, _ in given):
        return named_paths(specs, "system", translator_name)
    return [{name: path} if name else Path(path) for name, path in given]


class Training(Systems):
    """A word-aligned text, and perhaps texts to translate."""

    provides = (*Systems.provides, "only")  # type: ignore[assignment]

    only: list[str] = flag(
        "Text to be translated; phrases that occur in none of these are left out. Repeatable.",
        [],
        flags="--for",
        metavar="FILE",
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return links, bitext and only."""
        from alignframe.formats.bitext import token_column
        from alignframe.read.lines import TextFile

        only = [token_column(TextFile(path, self.encoding)) for path in self.only]
        return super().arguments(shell) | {"only": only or None}


def save_phrases(table: pl.DataFrame, output: Path) -> tuple[dict[str, int], str]:
    """Write a phrase table; return its size, and a note of it."""
    from alignframe import mt

    phrases = table["src"].n_unique()
    mt.write_phrase_table(table, output)
    size = f"{number_of(table.height, 'pair')} of {number_of(phrases, 'source phrase')}"
    return {"pairs": table.height, "src_phrases": phrases}, f"{size} written to {output}"


def show_table(table: pl.DataFrame, words: Words) -> Pieces:
    """Write a phrase table, and say how many pairs it has."""
    return done(*save_phrases(table, words["output"]), words["output"])


class Translating(Input):
    """Threads, with progress."""

    provides: ClassVar[tuple[str, ...]] = ("threads",)

    threads: FromOne | None = flag(THREADS, None, panel="Output")

    def arguments(self, shell: Shell) -> Arguments:
        """Return the threads, which live as long as the command."""
        made = ProgressExecutor(self.threads or os.cpu_count() or 1, "Translating")
        return {"threads": shell.stack.enter_context(made)}


def write_texts(texts: pl.DataFrame, words: Words) -> Pieces:
    """Write translations as text."""
    from alignframe.formats.sentences import write_sentences

    write_sentences(texts["text"].to_list(), words["output"])
    return _told(texts, words)


def write_candidates(candidates: pl.DataFrame, words: Words) -> Pieces:
    """Write the best translations of each sentence, with features."""
    from alignframe import mt

    mt.write_n_best(candidates, words["output"], words["n_best_format"])
    return _told(candidates.filter(candidates["rank"] == 1), words)


def _told(best: pl.DataFrame, words: Words) -> Pieces:
    summary: Row = {
        "output": words["output"],
        "sentences": best.height,
        "words": int(-best["word_penalty"].sum()),
        "unknown_words": int(best["unknown_words"].sum()),
    }
    yield Data(signature_of(best), summary=[summary])
    yield (
        f"{number_of(summary['sentences'], 'sentence')} translated into "
        f"{number_of(summary['words'], 'word')} ({summary['unknown_words']:,} unknown, "
        f"left as they were); written to {words['output']}"
    )


class Goal(Input):
    """References, and resources of TESLA."""

    provides = ("ref", "pivots", "language_models")
    stands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "pivots": ("pivot",),
        "language_models": ("metric_lm",),
    }

    ref: list[str] = flag("Reference, one sentence per line. Repeatable.", [], metavar="FILE")
    pivot: list[str] | None = flag(
        "A pivot table for tesla-b or tesla-f, as in tesla score. Repeatable.",
        None,
        metavar="[NAME=]FILE",
    )
    metric_lm: list[str] | None = flag(
        "A language model for the feature lm_NAME of tesla-f, as tesla score --lm. Repeatable.",
        None,
        metavar="[NAME=]FILE",
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return ref, and pivots and language_models if there are any."""
        if "ref" in shell.needed and not self.ref:
            raise InputError("no reference", expected="at least one --ref, of the development set")
        show_tagging()
        arguments: Arguments = {"ref": [Path(path) for path in self.ref] or None}
        if self.pivot:
            arguments["pivots"] = named_pivots(self.pivot)
        if self.metric_lm:
            arguments["language_models"] = named_models(self.metric_lm)
        return arguments


class Tuning(Translating):
    """Threads, the folder of rounds, and the weights to write."""

    provides = ("threads", "work", "progress")

    work: Path | None = flag(
        "Folder that keeps the rounds, from which interrupted tuning resumes; by default that of "
        "-o with .rounds appended, removed at the end.",
        None,
        panel="Output",
        metavar="FOLDER",
        writes="folder",
    )
    output: Path = flag(
        "Weights to write, as TOML.",
        panel="Output",
        flags="-o --output",
        metavar="FILE",
        writes="text",
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return threads, work and progress."""
        work = self.work or self.output.with_name(file_name(self.output.name, ".rounds"))
        return super().arguments(shell) | {"work": work, "progress": _say}


def _say(_: str, number: int, score: float) -> None:
    spinner().say(f"Tuning: round {number}, score {score:.2f}")


def show_mert(mert: Mert, words: Words) -> Pieces:
    """Write weights, and show them."""
    from alignframe import mt

    note = f"{mert.signature}\nscore: {mert.score:.4f}, at the start {mert.start_score:.4f}"
    mt.write_weights(mert.to_weights(), words["output"], note)
    yield mert
    title = f"Weights: score {mert.score:.4f}, at the start {mert.start_score:.4f}"
    yield Rows(mert.weights, title, f"{mert.signature}\nwritten to {words['output']}")


def show_tuned(tuned: Tuned, words: Words) -> Pieces:
    """Write weights, and show the rounds that found them."""
    from alignframe import mt

    output = words["output"]
    mt.write_weights(tuned.to_weights(), output, f"{tuned.signature}\nscore: {tuned.score:.4f}")
    # Kept only until tuning has ended, unless the user named it.
    if words["work"] is None:
        shutil.rmtree(output.with_name(file_name(output.name, ".rounds")))
    yield tuned
    shown = "round", "candidates", "pool_score", "score", "best_score", "length_ratio"
    caption = f"{tuned.signature}\nthe weights of the best score were written to {output}"
    yield Rows(tuned.rounds.select(shown), f"Tuning for {words['metric']}", caption)


class PlainText(Input):
    """The words of text files."""

    provides = ("sentences",)

    text: list[str] = flag("Sentences of the target language.", panel=None)
    tokens: str = flag(
        "Tokenisation: spaces (already tokenised) or penn (raw text).",
        "spaces",
        panel="Analysis",
        choices=("spaces", "penn"),
    )
    lowercase: bool = flag("Lower-case the text.", False, panel="Analysis")
    encoding: str = flag(ENCODING, "utf-8")

    def arguments(self, _: Shell) -> Arguments:
        """Return the words of sentences, read in batches."""
        from alignframe.tesla.estimate import text_columns

        columns = text_columns(
            self.text, tokens=self.tokens, lower=self.lowercase, encoding=self.encoding
        )
        return {"sentences": ticking(columns, "Reading text", len)}


def write_model(model: Estimate, words: Words) -> Pieces:
    """Write a language model as ARPA, and show its orders."""
    from alignframe.tesla.estimate import write_arpa

    write_arpa(model, words["output"])
    rows = [
        {
            "order": order,
            "ngrams": own.ngrams.height,
            **{f"discount_{k}": d for k, d in zip("123", own.discounts, strict=True)},
        }
        for order, own in enumerate(model.orders, 1)
    ]
    yield Data(orders=rows)
    caption = f"written to {words['output']}; counts of 1, 2, and 3 or more are discounted"
    yield Rows(rows, "Language model", caption)
