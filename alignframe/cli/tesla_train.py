"""``alignframe tesla train``: TESLA-F's weights from human rankings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.analysis_options import AnalysisOptions
from alignframe.cli.progress import counting
from alignframe.cli.show import print_json, print_table
from alignframe.cli.tesla_meta import read_of_pair
from alignframe.cli.tesla_metric import named_models, named_pivots
from alignframe.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def train(
    *,
    options: AnalysisOptions,
    rankings: str,
    output: Path,
    systems: Path | None,
    ref: list[str] | None,
    pivot: list[str] | None,
    lm: list[str] | None,
    features: str,
    segments: Path | None,
    pair: str | None,
    cost: float,
    folds: int,
    as_json: bool,
) -> None:
    """Train TESLA-F's weights by a ranking SVM on human rankings."""
    from alignframe.tesla.training import feature_names
    from alignframe.tesla.training import train as train_model

    if (systems is None) == (segments is None):
        both = "--systems and --segments"
        neither = "neither --systems nor --segments"
        raise InputError(neither if segments is None else both, expected="one of them")
    if segments is not None:
        if ref or pivot or lm:
            raise InputError(
                "--segments with --ref, --pivot or --lm", expected="features are in --segments"
            )
        from alignframe.tesla.segments import read_features
        from alignframe.tesla.signatures import made_with

        frame, stored = read_features(segments)
        feature_names(frame, segments)  # errors name the file
        table = read_of_pair(rankings, pair, set(frame["system"].cast(str)))
        signature = "|".join(made_with(stored))
    else:
        from alignframe.tesla.system_files import names_in

        if not ref:
            raise InputError("--systems without --ref", expected="a reference")
        table = read_of_pair(rankings, pair, names_in(str(systems)))
        frame, signature = _features(
            options, table, str(systems), ref, features, pivot or [], lm or []
        )
    model = train_model(frame, table, c=cost, folds=folds, signature=signature)
    model.save(output)
    rows = [
        {"feature": name, "weight": weight}
        for name, weight in zip(model.names, model.weights, strict=True)
    ]
    if as_json:
        print_json({"features": rows, "summary": [model.training]}, model.signature)
        return
    print_table(rows, title="TESLA-F")
    kept = ("pairs", "ties", "rankings", "sentences", "consistency", "cross_validated")
    about = {name: model.training[name] for name in kept if name in model.training}
    print_table([{"trained on": "all", **about}], caption=model.signature)


def _features(
    options: AnalysisOptions,
    rankings: Any,
    folder: str,
    refs: list[str],
    features: str,
    pivots: list[str],
    models: list[str],
) -> tuple[pl.DataFrame, str]:
    """Return the features of all ranked systems, and their signature."""
    import pyarrow.compute as pc

    from alignframe.tesla.score import score
    from alignframe.tesla.signatures import made_with
    from alignframe.tesla.system_files import system_files

    names = pc.unique(rankings["system"].cast("string")).to_pylist()
    files = system_files(folder, names)
    found = score(
        files,
        [Path(path) for path in refs],
        analysis=options.analysis(),
        features=features,
        pivots=named_pivots(pivots),
        language_models=named_models(models),
        bootstrap=0,
        progress=counting("Scoring", "systems"),
    )
    return found.segments, "|".join(made_with(found.signature))
