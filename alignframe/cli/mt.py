"""``alignframe mt``: score, counts and compare, with BLEU and chrF."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from alignframe.cli.drawn import Drawn
from alignframe.cli.scores import deliver_comparisons, deliver_scores
from alignframe.cli.show import deliver, print_note, save_table
from alignframe.cli.tesla_metric import systems_of
from alignframe.errors import DataWarning, number_of


@dataclass(frozen=True)
class TextOptions:
    """Options that change BLEU and chrF."""

    tokenize: str
    lowercase: bool
    normalization: str
    smooth: str
    smooth_value: float | None
    effective_order: bool | None
    char_order: int
    word_order: int
    beta: float
    whitespace: bool


@dataclass(frozen=True)
class Given(TextOptions):
    """Translations and references, with scoring options."""

    ref: list[str]
    hyp: list[str]
    metrics: list[str]
    sids: str | None
    where: str | None
    encoding: str

    def read(self) -> dict[str, Any]:
        """Return the arguments of the functions of ``alignframe.mt``."""
        rest = {field.name: getattr(self, field.name) for field in fields(self)}
        return rest | {
            "hyp": systems_of(self.hyp, self.encoding),
            "ref": [Path(path) for path in self.ref],
            "metrics": self.metrics,
        }


def score(
    *,
    files: Given,
    by: list[str],
    drawn: Drawn,
    segments: Path | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Score systems by BLEU and chrF, as in sacrebleu."""
    from alignframe import mt

    given = files.read()
    frame = mt.scores(**given, by=by, **drawn.words)
    if segments:
        with warnings.catch_warnings():  # which are of the same texts
            warnings.simplefilter("ignore", DataWarning)
            found = mt.segments(**given)
        save_table(found, segments)
        print_note(f"{number_of(found.height, 'segment')} written to {segments}")
    deliver_scores(frame, output, as_json, "Translation scores")


def counts(*, files: Given, by: list[str], output: Path | None, as_json: bool) -> None:
    """Compute each sentence's counts for BLEU and chrF: the additive table behind all scores."""
    from alignframe.mt.scoring import counts_signed

    frame, mark = counts_signed(**files.read(), by=by)
    deliver(frame, output, as_json, name="counts", title="Counts of translations", signature=mark)


def compare(
    *,
    files: Given,
    baseline: str,
    drawn: Drawn,
    output: Path | None,
    as_json: bool,
) -> None:
    """Test whether systems differ from a baseline, by the paired bootstrap over sentences."""
    from alignframe import mt

    frame = mt.compare(**files.read(), baseline=baseline, **drawn.words)
    deliver_comparisons(frame, output, as_json, baseline)
