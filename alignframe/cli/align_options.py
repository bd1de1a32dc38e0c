"""How words are aligned: options, and a progress bar over iterations."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from alignframe.cli import progress
from alignframe.cli.command import Input, flag, flags_of
from alignframe.cli.sources import (
    ENCODING,
    TGT,
    THREADS,
    columns,
    gold_base,
    gold_format,
    read_links,
)
from alignframe.core.choices import POSITIONS, WORD_ALIGNERS, WORD_SPLITTINGS
from alignframe.core.parallel import ThreadPool
from alignframe.core.symmetrization import DEFAULT, METHODS, check_method
from alignframe.errors import InputError, in_file
from alignframe.options.aligners import OPTIONS, options_of
from alignframe.options.training import training_of
from alignframe.typing import Arguments, BelowOne, FromOne, Positive, Rare, Seed

if TYPE_CHECKING:
    import pyarrow as pa

    from alignframe.aligners import Model
    from alignframe.aligners.bidirectional import Direction
    from alignframe.core.arrays import I64
    from alignframe.sources.source import Source

_DIRECTIONS = {"forward": ("forward",), "reverse": ("reverse",), "both": ("forward", "reverse")}
_JSON = {"yes": "true", "no": "false", "none": "null", "None": "null"}
_TRAINING = ("prior", "strength", "max_length", "seed", "words", "train_on", "option")


class Alignment(Input):
    """A text and how it is aligned."""

    src: str = flag(
        "Source sentences, one per line; or both sides: lines 'source ||| target', or a table.",
        panel=None,
    )
    tgt: str | None = flag(TGT, None, panel=None)
    columns: str | None = columns()
    encoding: str = flag(ENCODING, "utf-8")
    model_from: Path | None = flag("Use a saved model; nothing is trained.", None, metavar="FOLDER")
    prior: str | None = flag(
        "Known translations: a lexicon (Parquet or CSV), a word list, priors of eflomal, or the "
        "folder of a saved model.",
        None,
        metavar="LEXICON",
    )
    model: str | None = flag(
        "Alignment model; bayes by default.", None, panel="Analysis", choices=WORD_ALIGNERS
    )
    direction: str = flag(
        "forward: each target word picks its source word; reverse: vice versa; or both.",
        "both",
        panel="Analysis",
        choices=tuple(_DIRECTIONS),
    )
    symmetrize: str | None = flag(
        f"How to combine both directions: agree, {', '.join(METHODS)}; grow-diag-final-and by "
        "default.",
        None,
        panel="Analysis",
        metavar="METHOD",
    )
    threshold: BelowOne | None = flag(
        "Keep all links of a direction that are more probable than this; with agree, averaged over "
        "both directions.",
        None,
        panel="Analysis",
    )
    strength: Rare[Positive | None] = flag(
        "Weight of the prior, in pseudo-counts per word; 1 by default.", None, panel="Analysis"
    )
    max_length: FromOne | None = flag(
        "Sentence pairs with more words on a side are not aligned; 200 by default.",
        None,
        panel="Analysis",
    )
    words: str | None = flag(
        "How raw text is split into words; auto by default: text that is split already stays as it "
        "is.",
        None,
        panel="Analysis",
        choices=WORD_SPLITTINGS,
    )
    positions: str = flag(
        "What links count: what stands between spaces, or the words of split raw text; auto: "
        "spaces, but words of a side written without spaces, as in Chinese.",
        "auto",
        panel="Output",
        choices=POSITIONS,
    )
    train_on: FromOne | None = flag(
        "Train on this many sentence pairs, spread evenly, and align all in pieces: for texts of "
        "any size. A run that was killed goes on where it was.",
        None,
        panel="Analysis",
        metavar="N",
    )
    option: list[str] | None = flag(
        "Set an option of the model; --help-all lists them. Repeatable.",
        None,
        panel="Analysis",
        metavar="NAME=VALUE",
        flags="--set",
        sets=tuple(f"options.aligners:{kind.__name__}" for kind in OPTIONS.values()),
    )
    seed: Seed | None = flag("Random seed of the training.", None, panel="Analysis")
    threads: FromOne | None = flag(THREADS, None, panel="Output")
    gold: str | None = flag("Gold links, for --page.", None, metavar="FILE")
    gold_format: str | None = gold_format()
    gold_base: int | None = gold_base()

    def read_gold(self, text: pa.Table) -> Source | None:
        """Return the gold links, if any."""
        if self.gold is None:
            return None
        form = self.gold_format
        return read_links(self.gold, form, text, self.encoding, base=self.gold_base)

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions to align."""
        return _DIRECTIONS[self.direction]

    @property
    def method(self) -> str:
        """The symmetrization method; ``none`` for a single direction."""
        from alignframe.aligners.directions import ALONE

        return (self.symmetrize or DEFAULT) if len(self.directions) > 1 else ALONE

    def check(self) -> None:
        """Refuse incompatible options, before any work is done."""
        from alignframe.aligners.directions import AGREE, ALONE
        from alignframe.aligners.model import check_threshold

        if self.symmetrize is not None and len(self.directions) == 1:
            raise InputError(
                f"--symmetrize with the direction {self.direction}",
                expected="--symmetrize only with both directions",
            )
        if self.symmetrize == ALONE:
            raise InputError(
                f"--symmetrize {ALONE}",
                expected=f"one of {', '.join((AGREE, *METHODS))}",
                todo="for a single direction, use --direction forward or reverse",
            )
        if self.symmetrize is not None:
            check_method(self.symmetrize, (AGREE, *METHODS), "symmetrize")
        check_threshold(self.threshold)
        flags = flags_of(type(self)).values()
        # Of an untrained model, all options are checked before the text is read.
        if self.model_from is None:
            own = [option.flag[2:] for option in flags if option.rare]
            options_of(self._kind, self._options(), own)
            self._check_strength()
            return
        for option in flags:
            if option.parameter in _TRAINING and getattr(self, option.parameter) is not None:
                raise InputError(
                    f"{option.flag} with --model-from, which trains no model",
                    expected="one of them",
                )

    @property
    def source(self) -> Source:
        """The text: the columns sid, src and tgt."""
        from alignframe.sources.pairs import sentence_pairs

        return sentence_pairs(self.src, self.tgt, encoding=self.encoding, columns=self.columns)

    @property
    def made_of(self) -> list[Any]:
        """What links depend on, of a text that is read in pieces, besides how they are combined."""
        from alignframe.lake.marks import marks_of
        from alignframe.read.opening import is_stream

        given = {name: getattr(self, name) for name in (*_TRAINING, "model", "direction")}
        files = [self.src, self.tgt, str(self.model_from), self.prior]
        place = self.source.files  # of Parquet, such as a pattern of names
        once = [time.time_ns() for path in (self.src, self.tgt) if path and is_stream(path)]
        version = place and place.version
        return [given, self.columns, self.encoding, files, marks_of(files), version, once]

    @contextmanager
    def aligners(
        self, text: pa.Table | Source, check: Callable[[I64], None] = lambda _: None
    ) -> Iterator[Iterator[Direction]]:
        """Yield the model of each direction with the text read for it, after training if needed.

        Before training, ``check`` is called with the numbers of the sentences.
        """
        from alignframe.aligners.bidirectional import fit_directions, read_directions
        from alignframe.aligners.directions import load_directions
        from alignframe.aligners.fit import readable

        with executor_of(self.threads) as executor:
            if self.model_from is not None:
                models = load_directions(self.model_from, self.directions)
                self.check_kind(models[0])
                yield read_directions(models, text, executor)
                return
            given = {
                name: getattr(self, name) for name in ("seed", "max_length", "strength", "words")
            }
            # What was not given keeps the default of the model.
            given = {name: value for name, value in given.items() if value is not None}
            training = training_of(
                self._kind,
                {**given, "prior": self._prior(), "threads": executor, **self._options()},
            )
            read = readable(text, training, " and ".join(filter(None, (self.src, self.tgt))))
            del text  # it can need more memory than training
            check(read.sid)
            total = training.options.steps(read.sentences) * len(self.directions)
            with IterationBar(total, (read.tgt.words.size, read.src.words.size)) as bar:
                fitted = fit_directions(read, replace(training, progress=bar.show), self.directions)
                del read
                yield fitted

    @property
    def _kind(self) -> str:
        return self.model or "bayes"

    def check_kind(self, model: Model) -> None:
        """Refuse a saved model of another kind than the one asked for."""
        if self.model not in (None, model.kind):
            raise InputError(
                f"--model {self.model} with a saved model of the kind {model.kind}",
                path=self.model_from,
                todo="omit --model",
            )

    def _options(self) -> Arguments:
        """Return the options of the model: yes, no, none, values as in JSON, or strings."""
        options: Arguments = {}
        for spec in self.option or ():
            typed, mark, value = (piece.strip() for piece in spec.partition("="))
            name = typed.replace("-", "_")
            if not (name and mark and value):
                raise InputError(f"the option {spec!r}", expected="NAME=VALUE")
            if name in options:
                raise InputError(f"the option {typed!r} twice", expected="each option once")
            try:
                options[name] = json.loads(_JSON.get(value, value))
            # A plain word needs no quotes.
            except ValueError:
                options[name] = value
        return options

    def _check_strength(self) -> None:
        if self.strength is not None and (self.prior is None or self._is_model(self.prior)):
            what = ", not a model" if self.prior else ""
            raise InputError(f"--strength needs a lexicon as --prior{what}")

    @staticmethod
    def _is_model(prior: str) -> bool:
        """Whether this is the folder of a saved model, or of one per direction."""
        from alignframe.aligners.directions import DIRECTIONS

        # Any other folder may be a lexicon in Parquet.
        return any((Path(prior) / name).exists() for name in ("model.json", *DIRECTIONS))

    def _prior(self) -> Any:
        """Return the lexicon of --prior as a table, or its models."""
        if self.prior is None:
            return None
        from alignframe.aligners.directions import load_directions
        from alignframe.aligners.prior import check_kind

        if self._is_model(self.prior):
            models = load_directions(self.prior, self.directions)
            with in_file(self.prior):
                check_kind(self._kind, models[0])
            return models if len(models) > 1 else models[0]
        from alignframe.aligners.eflomal import is_priors, read_priors
        from alignframe.sources.words import lexicon_table

        if self._kind == "bayes" and self.strength is None and is_priors(self.prior):
            return read_priors(self.prior)
        return lexicon_table(self.prior, "the lexicon")


@contextmanager
def executor_of(threads: int | None) -> Iterator[Executor | None]:
    """Yield a thread pool, or None for a single thread."""
    number = threads or os.cpu_count() or 1
    if number == 1:
        yield None
        return
    with ThreadPool(number) as executor:
        yield executor


class Stopped(Exception):  # noqa: N818  (no error: whoever trains was told to stop)
    """Raised in threads that still train after the command was interrupted."""


class IterationBar:
    """A bar over iterations with the time left, shown after two seconds.

    ``words`` has the number of words by which log-likelihoods are divided, by whether the direction
    is the reverse.
    """

    def __init__(self, total: int, words: tuple[int, int]) -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self._words = words
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(compact=True),
            console=progress.error_console(),
            transient=True,
            disable=not progress.error_console().is_terminal,
        )
        self._task = self._bar.add_task("", total=total)
        self._start = time.monotonic()
        self._done, self._total, self._shown = 0, total, False
        self._over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        if self._shown:
            self._bar.stop()

    def show(self, stage: str, iteration: int, log_likelihood: float) -> None:
        """Show a finished iteration, and the log-likelihood before it.

        Once the bar has ended, this raises ``Stopped``, to stop samplers that still run in threads
        after an interruption.
        """
        if self._over:
            raise Stopped
        self._done += 1
        # More steps than planned must not exceed the total.
        self._total = max(self._total, self._done)
        mean = log_likelihood / max(self._words[stage.endswith("-reverse")], 1)
        said = f"{stage} {iteration}, log p of a word {mean:.3f}"
        self._bar.update(self._task, description=said, completed=self._done, total=self._total)
        if not self._shown and time.monotonic() - self._start > progress.PATIENCE:
            progress.spinner().stop()
            self._bar.start()
            self._shown = True
