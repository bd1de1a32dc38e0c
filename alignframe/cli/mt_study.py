"""``alignframe mt study``: evaluating alignments by translation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from alignframe.cli.analysis_options import AnalysisOptions
from alignframe.cli.correlate import print_correlations, studies
from alignframe.cli.progress import ProgressExecutor, spinner
from alignframe.cli.show import print_json, print_table
from alignframe.cli.sources import add_named, read_links, split_name
from alignframe.errors import InputError, number_of
from alignframe.options.option import split

_MOST = 9
"""Number of measures printed per score: 1 - AER, those chosen without a system, and the best."""


def study(
    *,
    alignments: list[str],
    links_format: str | None,
    base: int | None,
    order: str,
    src: str | None,
    tgt: str | None,
    lm: str,
    gold: str | None,
    gold_format: str | None,
    gold_base: int | None,
    sids: str | None,
    where: str | None,
    dev: str | None,
    test: str,
    weights: str | None,
    tuned: str,
    tune_on: str | None,
    tesla_m: bool,
    analysis: AnalysisOptions,
    reordering: bool,
    pop: int,
    distortion: int,
    options: int,
    rounds: int,
    restarts: int,
    seed: int,
    bootstrap: int,
    confidence: float,
    threads: int | None,
    encoding: str,
    output: Path,
    as_json: bool,
) -> None:
    """Evaluate word alignments by translation: build a system from each, and score a test set."""
    from alignframe import links, mt
    from alignframe.cli.sources import text_of
    from alignframe.links.studied import ALIGNER

    text = text_of(src, tgt, encoding)
    paths = [Path(split_name(spec, "alignment")[1]) for spec in alignments]
    varied = [path for path in paths if (path / ALIGNER).is_file()]
    known: Any = None
    if varied:
        for option, value in (
            ("--gold", gold),
            ("--links-format", links_format),
            ("--base", base),
            (f"--alignments {next((p for p in paths if p not in varied), '')}", varied != paths),
        ):
            if value not in (None, False):
                raise InputError(
                    f"{option} with the folder {varied[0]} of links vary",
                    expected="only folders of links vary, which hold the counts for their gold",
                )
        known = links.read_study(studies(alignments), sids=sids, where=where)
        given: dict[str, Any] = dict(known.alignments)
    else:
        given = {
            name: read_links(path, links_format, None, encoding, base=base, system=name)
            for name, path in _files(alignments).items()
        }
        if gold is not None:
            known = read_links(gold, gold_format, None, encoding, base=gold_base)
            if sids is not None or where is not None:
                known = links.subset(known, sids=sids, where=where)
        elif sids is not None or where is not None:
            raise InputError(
                f"{'--sids' if sids is not None else '--where'} without --gold",
                expected="gold links to select from",
            )
    scorer = None
    if tesla_m:
        from alignframe.tesla import Scorer

        scorer = Scorer(analysis.analysis())

    def progress(name: str, number: int, bleu: float) -> None:
        spinner().say(f"Study: {name}, {number + 1} of {len(given)}, BLEU {bleu:.2f}")

    with ProgressExecutor(threads or os.cpu_count() or 1, "Translating") as executor:
        found = mt.study(
            given,
            text,
            lm,
            test=_pair(test, "--test", encoding),
            dev=None if dev is None else _pair(dev, "--dev", encoding),
            gold=known,
            order=order,
            weights=weights,
            tuned=tuned,
            tune_on=tune_on,
            tesla=scorer,
            reordering=reordering,
            pop=pop,
            distortion=distortion,
            options=options,
            rounds=rounds,
            restarts=restarts,
            bootstrap=bootstrap,
            confidence=confidence,
            seed=seed,
            folder=output,
            executor=executor,
            progress=progress,
        )
    if as_json:
        print_json({"scores": found.scores, "correlations": found.correlations}, found.signature)
        return
    shown = ["system", *found.metrics, "pairs", "unknown_words", "length_ratio"]
    print_table(
        found.scores.select(shown)
        .rename({"unknown_words": "unknown", "length_ratio": "length"})
        .to_dicts(),
        title=f"Word alignments judged by translation, {number_of(found.scores.height, 'system')}",
        caption=f"{found.signature}\nwritten to {output}",
    )
    for metric, name in found.metrics.items() if found.correlations.height else ():
        own = found.correlations.filter(found.correlations["score"] == metric).drop("score")
        if own.height:
            print_correlations(own, name, bootstrap, confidence, score=name, most=_MOST)


def _files(specs: list[str]) -> dict[str, str]:
    """Return files of links by system name, those of folders and globs in order."""
    from alignframe.read.source import systems_by_file

    found: dict[str, str] = {}
    for name, place in (split_name(spec, "alignment") for spec in specs):
        for own, file in systems_by_file(place, name):
            add_named(found, own, file, "alignment")
    return found


def _pair(given: str, option: str, encoding: str) -> tuple[Any, Any]:
    from alignframe.formats.bitext import token_column

    sides = split(given)
    if len(sides) < 2:
        raise InputError(
            f"{option} {given}", expected="a source and one or more references, SRC,REF"
        )
    return token_column(sides[0], encoding), [Path(side) for side in sides[1:]]
