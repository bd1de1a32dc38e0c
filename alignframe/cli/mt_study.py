"""``alignframe mt study``: alignments judged by translation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from alignframe.cli.progress import ProgressExecutor, spinner
from alignframe.cli.show import check_folder, print_json, print_table
from alignframe.cli.sources import names_of, read_links, split_name
from alignframe.errors import InputError


def study(
    *,
    alignments: list[str],
    src: str | None,
    tgt: str | None,
    lm: str,
    gold: str | None,
    gold_format: str | None,
    gold_base: int | None,
    dev: str | None,
    test: str,
    weights: str | None,
    tune: str,
    reordering: bool,
    pop: int,
    distortion: int,
    options: int,
    rounds: int,
    restarts: int,
    seed: int,
    threads: int | None,
    encoding: str,
    output: Path,
    as_json: bool,
) -> None:
    """Judge word alignments by translation: make a system of each, and score a test set."""
    check_folder(output)
    from alignframe import mt
    from alignframe.cli.phrases import text_of

    text = text_of(src, tgt, encoding)
    links = {
        name: read_links(path, None, text, encoding, option="--alignments")
        for name, path in _files(alignments).items()
    }
    known = None
    if gold is not None:
        known = read_links(
            gold, gold_format, text, encoding, option="--gold-format", base=gold_base
        )

    def progress(name: str, number: int, bleu: float) -> None:
        spinner().say(f"Study: {name}, {number + 1} of {len(links)}, BLEU {bleu:.2f}")

    with ProgressExecutor(threads or os.cpu_count() or 1, "Translating") as executor:
        found = mt.study(
            links,
            text,
            lm,
            test=_pair(test, "--test"),
            dev=None if dev is None else _pair(dev, "--dev"),
            gold=known,
            weights=weights,
            tuned=tune,
            reordering=reordering,
            pop=pop,
            distortion=distortion,
            options=options,
            rounds=rounds,
            restarts=restarts,
            seed=seed,
            folder=output,
            executor=executor,
            progress=progress,
        )
    found.write(output)
    if as_json:
        print_json(found.tables(), found.signature)
        return
    print_table(
        found.systems.to_dicts(),
        title="Word alignments judged by translation",
        caption=f"{found.signature}\nwritten to {output}",
    )
    if found.correlations.height:
        shown = ("measure", "annotation", "alpha", "systems", "pearson", "r2", "p_value")
        rows = found.correlations.filter(found.correlations["group"].is_null())
        print_table(
            rows.select(name for name in shown if name in rows.columns).to_dicts(),
            title="How well measures of alignments predict BLEU",
        )


def _files(specs: list[str]) -> dict[str, str]:
    """Return files of links by the names of their systems, those of folders in order."""
    from alignframe.formats import system_name

    found: dict[str, str] = {}
    for name, path in (split_name(spec, "alignment") for spec in specs):
        folder = Path(path)
        files = sorted(map(str, folder.iterdir())) if folder.is_dir() else [path]
        for file in files:
            own = name if name and len(files) == 1 else system_name(file)
            if own in found:
                raise InputError(
                    f"two alignments are called {own!r}: {found[own]} and {file}",
                    todo="name them: --alignments NAME=FILE",
                )
            found[own] = file
    return found


def _pair(given: str, option: str) -> tuple[Any, Any]:
    sides = names_of(given)
    if len(sides) != 2:
        raise InputError(f"{option} {given}", expected="a source and a reference, SRC,REF")
    return sides[0], Path(sides[1])
