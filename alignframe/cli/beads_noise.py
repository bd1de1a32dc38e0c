"""``alignframe beads noise``: writing noisy documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alignframe.cli.beads_align import count_types, listed_types
from alignframe.cli.command import Words
from alignframe.cli.option import outputs
from alignframe.cli.show import Data, Pieces
from alignframe.cli.showing import json

if TYPE_CHECKING:
    from alignframe.beads import Noisy

_FILES = {"src": "src.txt", "tgt": "tgt.txt", "gold": "gold.beads"}

NOISE_OUT = (
    outputs(
        "-o --output",
        Path,
        "Folder for src.txt, tgt.txt and gold.beads.",
        metavar="FOLDER",
        writes="folder",
    ),
    json,
)


def write_noise(noisy: Noisy, words: Words) -> Pieces:
    """Write both sides and gold to a folder."""
    from alignframe.formats.beads import write_beads
    from alignframe.formats.sentences import write_sentences
    from alignframe.output import make_folder, together

    folder, types = words["output"], count_types(noisy.gold)
    make_folder(folder)
    files = {side: str(folder / name) for side, name in _FILES.items()}
    with together():
        write_sentences(noisy.src, files["src"])
        write_sentences(noisy.tgt, files["tgt"])
        write_beads(noisy.gold, files["gold"], "vecalign")
    found = {
        "scenario": noisy.scenario,
        "src_rate": noisy.src_rate,
        "tgt_rate": noisy.tgt_rate,
        "seed": words["seed"],
        "src_sentences": len(noisy.src),
        "tgt_sentences": len(noisy.tgt),
        "gold_beads": types,
        "files": files,
    }
    yield Data(summary=[found])
    yield (
        f"{noisy.scenario}: {len(noisy.src):,} source and {len(noisy.tgt):,} target sentences, "
        f"gold beads {listed_types(types)}; written to {folder}"
    )
