"""``python -m benchmarks``: all benchmarks except those that take hours.

``--small`` leaves out the largest corpora; ``--large`` adds aligners on larger texts and threads.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pyarrow as pa

from benchmarks import (
    aligner_texts,
    aligners,
    beads,
    beads_filter,
    lexicon,
    links,
    mt,
    phrases,
    tesla,
    translation,
)
from datasets import synthetic


def main() -> None:
    """Run all benchmarks on synthetic corpora in a temporary folder."""
    pa.set_cpu_count(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        synthetic.write(folder, 1_000_000)
        links.kernel(folder)
        links.parquet(folder)
        links.bootstrap()
        links.nltk_scores()
        links.nltk_symmetrize()
        phrases.extraction(folder)
        lexicon.peers(folder, slow="--small" not in sys.argv)
        lexicon.judging()
        aligners.main(small="--small" in sys.argv, large="--large" in sys.argv)
        if "--large" in sys.argv:
            aligner_texts.main()
        beads.main(small="--small" in sys.argv, large="--large" in sys.argv)
        beads_filter.main(small="--small" in sys.argv)
        mt.main(small="--small" in sys.argv, large="--large" in sys.argv)
        translation.toys()
        tesla.main(small="--small" in sys.argv, large="--large" in sys.argv)
        if "--small" not in sys.argv:
            synthetic.write_text(folder, 1_000_000)
            phrases.dictionaries(folder)
            lexicon.memory(folder)
            links.memory(folder)


if __name__ == "__main__":
    main()
