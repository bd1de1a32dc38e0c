"""``alignframe beads noise``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alignframe.cli.beads_align import count_types, listed_types
from alignframe.cli.show import print_note, print_summary
from alignframe.errors import InputError

_FILES = {"src": "src.txt", "tgt": "tgt.txt", "gold": "gold.beads"}


def noise(
    *,
    src: str,
    tgt: str,
    output: Path,
    scenario: str,
    rate: float | None,
    src_rate: float | None,
    tgt_rate: float | None,
    seed: int,
    other: str | None,
    unit: str,
    words: str,
    encoding: str,
    as_json: bool,
) -> None:
    """Make a noisy document with gold beads from a parallel one."""
    from alignframe.beads.noise import RATED
    from alignframe.beads.noise import noise as make

    if scenario in RATED and rate is src_rate is tgt_rate is None:
        raise InputError(
            f"no rate for {scenario}", todo="give --rate, or --src-rate and --tgt-rate"
        )
    if rate is not None and (src_rate is not None or tgt_rate is not None):
        raise InputError(
            "--rate with --src-rate or --tgt-rate", expected="either --rate, or the other two"
        )
    from alignframe.formats.sentences import read_sentences

    noisy = make(
        scenario,
        read_sentences(src, encoding),
        read_sentences(tgt, encoding),
        src_rate=(rate if src_rate is None else src_rate) or 0.0,
        tgt_rate=(rate if tgt_rate is None else tgt_rate) or 0.0,
        seed=seed,
        other=None if other is None else read_sentences(other, encoding),
        unit=unit,
        words=words,
    )
    files, types = _write(noisy, output), count_types(noisy.gold)
    found = {
        "scenario": noisy.scenario,
        "src_rate": noisy.src_rate,
        "tgt_rate": noisy.tgt_rate,
        "seed": seed,
        "src_sentences": len(noisy.src),
        "tgt_sentences": len(noisy.tgt),
        "gold_beads": types,
        "files": files,
    }
    if as_json:
        print_summary(found)
        return
    print_note(
        f"{scenario}: {len(noisy.src):,} source and {len(noisy.tgt):,} target sentences, "
        f"gold beads {listed_types(types)}; written to {output}"
    )


def _write(noisy: Any, folder: Path) -> dict[str, str]:
    """Write both sides and gold; return the file names."""
    from alignframe.formats.beads import write_beads
    from alignframe.formats.sentences import write_sentences
    from alignframe.output import make_folder, together

    make_folder(folder)
    files = {side: str(folder / name) for side, name in _FILES.items()}
    with together():
        write_sentences(noisy.src, files["src"])
        write_sentences(noisy.tgt, files["tgt"])
        write_beads(noisy.gold, files["gold"], "vecalign")
    return files
