"""``alignframe tesla train``: TESLA-F's weights from human rankings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from alignframe.cli.command import Arguments, Shell, Words, flag
from alignframe.cli.show import Data, Pieces, Rows
from alignframe.cli.tesla_metric import Resources
from alignframe.errors import InputError

if TYPE_CHECKING:
    from alignframe.language.analysis import AnalysisOptions
    from alignframe.tesla import Model


@dataclass(frozen=True, kw_only=True)
class Ranked(Resources):
    """References of ranked translations, and resources of features."""

    provides = (*Resources.provides, "ref")  # type: ignore[assignment]

    ref: list[str] | None = flag(
        "Reference of --systems, one sentence per line, or .parquet of tesla words. Repeatable.",
        None,
        metavar="FILE",
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return the references too."""
        return super().arguments(shell) | {"ref": [Path(path) for path in self.ref or ()]}


def train(
    rankings: str,
    ref: list[Path],
    *,
    systems: str | None = None,
    segments: str | None = None,
    features: str = "wide",
    pair: str | None = None,
    c: float = 1000.0,
    folds: int = 0,
    pivots: Mapping[str, str],
    language_models: Mapping[str, str],
    threads: int,
    progress: Any,
    **options: Unpack[AnalysisOptions],
) -> Model:
    """Train TESLA-F's weights on the features of translations, or on stored ones.

    Parameters
    ----------
    rankings
        See ``tesla.meta.meta``.
    systems
        Folder of translations, one file per system: SYSTEM, SYSTEM.txt or newstest.fr-en.SYSTEM.
    segments
        Features written earlier, for ``--systems``.
    features
        ``paper``, ``wide`` or ``other``, as in ``tesla score``.
    pair, c, folds
        See ``tesla.training.train``.
    """
    from alignframe.tesla.training import train as train_model

    if (systems is None) == (segments is None):
        both = "--systems and --segments"
        neither = "neither --systems nor --segments"
        raise InputError(neither if segments is None else both, expected="one of them")
    trained: Any = {"c": c, "folds": folds}
    if segments is not None:
        if ref or pivots or language_models:
            raise InputError(
                "--segments with --ref, --pivot or --lm", expected="features are in --segments"
            )
        return train_model(segments, rankings, pair=pair, **trained)
    import pyarrow.compute as pc

    from alignframe.tesla.rankings import rankings_of
    from alignframe.tesla.score import score
    from alignframe.tesla.signatures import made_with
    from alignframe.tesla.system_files import names_in, system_files

    if not ref:
        raise InputError("--systems without --ref", expected="a reference")
    table = rankings_of(rankings, names_in(str(systems)), pair)
    found = score(
        system_files(str(systems), pc.unique(table["system"].cast("string")).to_pylist()),
        ref,
        features=features,
        pivots=pivots,
        language_models=language_models,
        bootstrap=0,
        threads=threads,
        progress=progress,
        **options,
    )
    trained["signature"] = "|".join(made_with(found.signature))
    return train_model(found.segments, table, **trained)


def show(model: Model, words: Words) -> Pieces:
    """Write a model, and show its weights and what it was trained on."""
    model.save(words["output"])
    rows = [
        {"feature": name, "weight": weight}
        for name, weight in zip(model.names, model.weights, strict=True)
    ]
    yield Data(model.signature, features=rows, summary=[model.training])
    yield Rows(rows, "TESLA-F")
    kept = ("pairs", "ties", "rankings", "sentences", "consistency", "cross_validated")
    about = {name: model.training[name] for name in kept if name in model.training}
    yield Rows([{"trained on": "all", **about}], caption=model.signature)
