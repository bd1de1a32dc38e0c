"""``alignframe warmup``: compiling all kernels in advance."""

from __future__ import annotations

import gc
import io
import os
import shlex
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

from alignframe.cli.leaving import leave_on_signals
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import print_note, print_summary
from alignframe.errors import InputError
from alignframe.options import checked
from alignframe.typing import FromOne


@checked
def warmup(*, processes: FromOne | None = None, as_json: bool = False) -> None:
    """Compile all kernels in advance, for container images and clusters.

    Parameters
    ----------
    processes
        Number of processes; all cores by default.
    """
    start = time.monotonic()
    compiled, total = compile_kernels(processes)
    seconds = round(time.monotonic() - start, 1)
    if as_json:
        print_summary({"kernels": total, "compiled": compiled, "seconds": seconds})
    elif compiled:
        print_note(f"{compiled} of {total} kernels compiled in {seconds} s")
    else:
        print_note(f"all {total} kernels were already compiled")


def compile_kernels(processes: int | None = None) -> tuple[int, int]:
    """Compile all kernels that are not cached yet; return the numbers of these and of all kernels.

    Any number of processes may call this at the same time: one compiles while the others wait.
    Parallel tests can use one fixture::

        @pytest.fixture(scope="session", autouse=True)
        def kernels():
            compile_kernels()
    """
    from alignframe.kernels.cache import locked, missing

    workers = os.cpu_count() or 1 if processes is None else processes
    folder, total, wanted = missing()
    if folder is None:
        raise InputError(
            "compiled kernels cannot be saved: no folder is writable",
            todo="set the environment variable NUMBA_CACHE_DIR to one",
        )
    if not wanted:
        return 0, total
    with locked(folder / "warmup.lock"):
        wanted = missing()[2]
        if wanted:
            _compile(workers)
        return len(wanted), total


def _compile(processes: int) -> None:
    """Run all jobs, the longest first."""
    with ExitStack() as stack:
        # Not forked, as this process may have threads.
        pool = ProcessPoolExecutor(
            processes, mp_context=get_context("spawn"), initializer=leave_on_signals
        )
        stack.enter_context(pool)
        shown = stack.enter_context(ProgressExecutor(processes, "Compiling kernels"))
        for _ in shown.map(lambda job: pool.submit(run, job).result(), JOBS):
            pass


_EN = """\
the old house stands near the river
a small boat crosses the river at night
the miller sells bread , flour and music
she reads the old letter near the window
nobody crosses the garden at night
the animals sleep in the small house
the letter stands on the old table
music comes from the house near the mill"""
_FR = """\
la vieille maison est près de la rivière
une petite barque traverse la rivière la nuit
le meunier vend du pain , de la farine et de la musique
elle lit la vieille lettre près de la fenêtre
personne ne traverse le jardin la nuit
les animaux dorment dans la petite maison
la lettre est sur la vieille table
la musique vient de la maison près du moulin"""

JOBS = {
    "translations": """
        tesla pivot-table --src en --pivot fr --links gold.talp --set min-count=1 -o pivot.parquet
        lm en -o lm.arpa --lowercase
        tesla score --metric b --set features=wide --pivot fr=pivot.parquet --lm lm.arpa
            --tokens spaces --tagger given --set lemmas=words --set synonyms=none
            --set content=universal --ref tagged.en
            --hyp a=tagged.en --hyp b=other.en -o segments.parquet
        mt score --ref en --hyp a=fr --tokenize none
    """,
    "mt": """
        mt train --links there.talp --src en --tgt fr --for en -o table.parquet
        lm fr -o lm.arpa --lowercase
        mt translate --table table.parquet --lm lm.arpa en -o translated
        mt tune --table table.parquet --lm lm.arpa --src en --ref fr --set rounds=2 -o weights.toml
    """,
    "ibm4": "align en fr --model ibm4 -o ibm4.talp",
    "links": """
        links symmetrize there.talp back.talp --method union -o joined.naacl
        links symmetrize there.talp back.talp --method refined -o joined.talp
        links symmetrize there.talp back.talp --method union-closure -o joined.talp
        links symmetrize there.talp back.talp --method grow-diag-final -o joined.talp
            --set reverse-is=tgt-src
        links retokenize there.talp --src en --tgt fr --new-splitting characters -o joined.talp
        convert joined.naacl joined.parquet
        links score --counts --gold gold.talp --hyp there.talp --src en --tgt fr
        links score --gold gold.talp --hyp there.talp --by length
        phrases extract --links there.talp --src en --tgt fr --with-words
        phrases extract --links there.talp --src en --tgt fr --kind exhaustive
        phrases extract --links there.talp --src en --tgt fr --kind moses
        phrases score --gold gold.talp --hyp there.talp --src en --tgt fr
        phrases study --gold gold.talp --hyp there.talp --src en --tgt fr
    """,
    "lexicon": """
        lexicon induce en fr --filter cognate --filter prefix --filter alignment
            -o lexicon.parquet
        lexicon induce en fr --set count=tokens -o tokens.csv
        lexicon score --lexicon lexicon.parquet --src en --tgt fr
        lexicon score --lexicon tokens.csv --src en --tgt fr
        lexicon induce tagged.en tagged.en --tagged --filter pos -o pos.parquet
        lexicon upper-bound en fr
        sql "select lcsr('a', 'b')"
    """,
    "sentences": """
        beads align en fr -o lex.beads --src-vectors vectors.npy --tgt-vectors vectors.npy
        beads align en fr -o vectors.beads --method vectors
            --src-vectors vectors.npy --tgt-vectors vectors.npy
        beads align en fr --method mre -o mre.beads
        beads align en fr --method len --set two-two=0.01 -o len.beads
        beads align en fr --method gale-church --threshold 0.2 -o gale-church.beads
        beads align en fr --save-model words
        beads align en fr --method mre+ --model words --threshold 0.2 -o words.beads
        beads filter en fr -o kept
        beads filter en fr -o kept --method mre+
        beads score --gold len.beads --hyp mre.beads
    """,
    "hmm": """
        align en fr --model ibm1 --symmetrize agree --posterior --save-model saved -o a.parquet
        align en fr --model-from saved --posterior --threshold 0.2 -o a.parquet
        align en fr --model hmm --symmetrize agree -o hmm.parquet
    """,
    "bayes": """
        align en fr --model bayes --save-model bayes -o bayes.talp
        align en fr --model-from bayes -o again.talp
    """,
}
"""Commands, one per line (indented lines continue a command); the longest jobs come first.

Adjacent jobs share few kernels, because two processes would compile these twice.
"""


def run(job: str) -> None:
    """Run the commands of a job silently in a temporary folder."""
    from alignframe.cli.app import app
    from alignframe.kernels import small

    gc.disable()  # a tenth of the compile time
    with (
        patch.object(small, "ENOUGH", -1),  # the texts are small
        tempfile.TemporaryDirectory(prefix="alignframe-") as folder,
        chdir(folder),
        warnings.catch_warnings(action="ignore"),
        redirect_stdout(io.StringIO()),
        redirect_stderr(io.StringIO()),
    ):
        _write_texts()
        for words in commands(job):
            app(words, standalone_mode=False)
        if job == "lexicon":
            _use_directly()


def _use_directly() -> None:
    """Call the kernels that commands do not use on so little text."""
    import numpy as np
    import polars as pl

    from alignframe.cli.app import app
    from alignframe.engines.polars import llr
    from alignframe.kernels.text import spellings
    from alignframe.kernels.text import trie as pivots_trie
    from alignframe.lexicon import Predicate, induce
    from alignframe.lexicon.memory_budget import Room
    from alignframe.links import score
    from alignframe.tesla.bags import solve_matching

    with patch.object(Room, "holds", return_value=False):
        given = "en fr --set memory-limit=16GB -o spilled.parquet"
        app(["lexicon", "induce", *given.split()], standalone_mode=False)
    text = {"src": [["x"]], "tgt": [["y"]]}
    induce(pl.DataFrame(text), filters=[Predicate(lambda src, _: src.is_valid())])
    slots = np.zeros(2, np.int32)
    spellings.enter(slots, np.zeros(1, np.uint64), 1)
    pivots_trie._fill(slots, np.zeros(1, np.uint64), 1)  # noqa: SLF001
    solve_matching([1], [1], [[1]])
    pl.DataFrame({"n": [4]}).select(llr("n", "n", "n", "n"))
    score(pl.DataFrame({"system": ["x"], "sid": [0], "i": [0], "j": [0]}), "gold.talp").tables()


def commands(job: str) -> list[list[str]]:
    """Return the commands of a job, in words."""
    one_a_line = JOBS[job].replace("\n            ", " ")
    return [shlex.split(line) for line in one_a_line.splitlines() if line.strip()]


def _write_texts() -> None:
    """Write two texts, tagged words, links and vectors, in the current folder."""
    import numpy as np

    np.save("vectors.npy", np.eye(len(_EN.splitlines())))
    texts = {"en": _EN, "fr": _FR}
    texts["tagged.en"] = "\n".join(_tagged(line.split()) for line in _EN.splitlines())
    texts["other.en"] = "\n".join(_tagged(line.split()[::-1]) for line in _EN.splitlines())
    lengths = [
        min(len(src.split()), len(tgt.split()))
        for src, tgt in zip(_EN.splitlines(), _FR.splitlines(), strict=True)
    ]
    for name, step in (("gold.talp", 1), ("there.talp", 2), ("back.talp", 3)):
        texts[name] = "\n".join(
            " ".join(f"{i}-{min(i + i % step, n - 1)}" for i in range(n)) for n in lengths
        )
    for name, text in texts.items():
        Path(name).write_text(text + "\n", encoding="utf-8")


def _tagged(words: list[str]) -> str:
    return " ".join(f"{word}|NOUN" for word in words)
