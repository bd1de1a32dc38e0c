"""Alignments of varying quality from any aligner (Fraser & Marcu 2007, section 2.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe import formats, functions
from alignframe.core.arrow import as_array, from_links, to_links
from alignframe.core.figures import checked_alphas
from alignframe.core.output import make_folder, replacing, write_table
from alignframe.core.parallel import parallel_map, pool_of
from alignframe.core.schemas import SYSTEM, TOKENS
from alignframe.core.symmetrization import METHODS, check_method
from alignframe.errors import InputError, number_of, warn
from alignframe.links.aligning import Aligner, Function, Task, align, stop
from alignframe.links.inputs import gold_source
from alignframe.links.runs import FRACTIONS, Run, plan_runs, plan_table
from alignframe.links.scoring import LINKS, score
from alignframe.links.studied import ALIGNER, COUNTED
from alignframe.sources.pairs import sentence_pairs
from alignframe.stats.link_measure import links_measure
from alignframe.stats.values import ALPHAS
from alignframe.studies.runner import says_unfinished, whole_means
from alignframe.typing import FromTwo, IntoBitext, IntoGold, Rare, Share, Threads

HEURISTICS = ("intersection", "refined", "union-closure")
"""The paper's ways to combine two directions; it takes the transitive closure of the union."""

FORWARD_ONLY = "none"


class QualityStudy:
    """A study of an aligner trained on less and on more text.

    Parameters
    ----------
    bitext, gold_text, extra
        Frames with src and tgt, lists of words; the sid of ``gold_text`` is that of gold. Every
        piece of the bitext is aligned together with the whole gold text, which comes first.
    gold
        Links of the gold text: a frame or a path.
    aligner
        A command with ``{src}``, ``{tgt}`` and ``{out}``, or a function of these three paths. It
        reads line-parallel text and writes one line of links ``0-0 1-2`` per sentence pair, the
        side of ``src`` first.
    fractions, multiples
        See ``alignframe.links.plan_runs``.
    symmetrize
        Methods of combining the two directions (see ``symmetrize``), each a separate system.
        ``none`` uses the forward direction alone.
    alpha
        Weights of precision in F.
    gold_apart
        Take the links of the bitext from passes without the gold text, as in the paper (footnote
        5), which doubles the work. By default, the gold text's links are dropped.

    Raises
    ------
    InputError
        If a text has no rows, gold has links outside its text, or the plan or the aligner cannot
        be run.

    Examples
    --------
    >>> from alignframe import formats, links
    >>> home = "datasets/en-fr"
    >>> text = formats.read_bitext(f"{home}/text.en", f"{home}/text.fr")
    >>> aligner = "python datasets/tiny_aligner.py {src} {tgt} {out}"
    >>> study = links.QualityStudy(text, text, f"{home}/gold.talp", aligner, fractions=[2])
    >>> study.plan().select("run", "pieces").rows()
    [('1-2', 2), ('1', 1)]
    """

    def __init__(
        self,
        bitext: IntoBitext,
        gold_text: IntoBitext,
        gold: IntoGold,
        aligner: str | Function,
        *,
        extra: IntoBitext | None = None,
        fractions: Sequence[FromTwo] = FRACTIONS,
        multiples: Sequence[FromTwo] | None = None,
        symmetrize: Sequence[str] = HEURISTICS,
        alpha: Sequence[Share] = ALPHAS,
        gold_apart: Rare[bool] = False,
    ) -> None:
        self.methods = _methods(symmetrize)
        self.alphas = checked_alphas(alpha)
        self.aligner = Aligner(aligner)
        self.gold_apart = gold_apart
        self.bitext = checked_text(bitext, "the bitext")
        self.gold_text = checked_text(gold_text, "the gold text")
        self.extra = None if extra is None else checked_text(extra, "the extra text")
        self.runs = plan_runs(
            self.bitext.num_rows,
            extra=None if self.extra is None else self.extra.num_rows,
            fractions=fractions,
            multiples=multiples,
        )
        self.gold = gold_source(gold).in_memory()
        # Counting gold against itself checks it as in scoring, and against its text.
        known = LINKS.counts(self.gold, self.gold, bitext=self.gold_text)["sid"]
        self._in_gold = np.isin(self.gold_text["sid"].to_numpy(), known.to_numpy())
        if not self._in_gold.all():
            warn(
                f"gold has no row for {np.count_nonzero(~self._in_gold):,} of "
                f"{number_of(self._in_gold.size, 'sentence')} of the gold text; these are "
                "aligned, but not scored"
            )

    @property
    def ways(self) -> list[str]:
        """The passes of the aligner over each piece."""
        return ["forward"] if self.methods == [FORWARD_ONLY] else ["forward", "reverse"]

    def plan(self) -> pl.DataFrame:
        """Return the cost of the runs; see ``alignframe.links.runs.plan_table``."""
        gold, passes = self.gold_text.num_rows, len(self.ways)
        return plan_table(self.runs, gold, passes, gold_apart=self.gold_apart)

    def run(
        self,
        folder: str | PathLike[str],
        *,
        threads: Threads = None,
    ) -> pl.DataFrame:
        """Align every piece, assemble the runs and score them.

        Parameters
        ----------
        folder
            Folder for all results. Pieces already aligned there are not aligned again.
        threads
            Number of threads, or an executor (of processes, or of a cluster), to run the aligner in
            parallel; one by default.

        Returns
        -------
        polars.DataFrame
            One row per run and method: system (``1-16.refined``), run, group (the method), pieces,
            precision, recall, aer, F at every α, and signature. Scores are means over the pieces; a
            score that is undefined for a piece is null.

        Raises
        ------
        InputError
            If the aligner fails on a piece, or the folder has links by another aligner.

        Notes
        -----
        The folder gets ``pieces/`` (texts, links, logs), ``alignments/RUN.METHOD.talp`` (links of
        the bitext), ``gold/RUN.METHOD.parquet`` (links of the gold text, one system per piece), and
        ``scores`` and ``piece_scores`` as .csv and .parquet. ``counts.parquet``, the counts of each
        gold sentence by system and piece, comes last: with it the study is finished (see
        ``alignframe.links.read_study``).
        """
        executor = pool_of(threads)
        home = Path(folder).resolve()
        self._claim(home)
        pieces = {run.name: self._write_pieces(run, home / "pieces") for run in self.runs}
        tasks = [
            task
            for several in pieces.values()
            for piece in several
            for task in piece.tasks(self.aligner, self.ways)
        ]
        try:
            with says_unfinished(home, {task.label: task.out for task in tasks}):
                for _ in parallel_map(align, tasks, executor):
                    pass  # errors are raised when their turn comes
        except KeyboardInterrupt:
            if executor:
                executor.shutdown(wait=False, cancel_futures=True)
            stop()
            raise
        made = [self._assemble(run, pieces[run.name], home) for run in self.runs]
        figures, counted = (pl.concat(frames) for frames in zip(*made, strict=True))
        means = self._means(figures)
        for name, frame in (("piece_scores", figures), ("scores", means)):
            for suffix in ("csv", "parquet"):
                write_table(frame, home / f"{name}.{suffix}")
        write_table(counted, home / COUNTED)
        return means

    def _claim(self, home: Path) -> None:
        """Make the folder, and refuse one with links by another aligner."""
        for folder in (home, *(home / name for name in ("pieces", "alignments", "gold"))):
            make_folder(folder)
        mark = home / ALIGNER
        known = mark.read_text("utf-8").strip() if mark.exists() else self.aligner.name
        if known != self.aligner.name and any(home.glob("pieces/*/*/*.talp")):
            raise InputError(
                f"the folder holds links by the aligner {known!r}",
                path=home,
                expected=repr(self.aligner.name),
                todo=f"use another folder, or delete {mark.name} in it to keep those links",
            )
        (home / COUNTED).unlink(missing_ok=True)  # unfinished until rewritten
        with replacing(mark) as out:
            out.write(f"{self.aligner.name}\n".encode())

    def _write_pieces(self, run: Run, home: Path) -> list[Piece]:
        """Write the texts of a run; return the pieces for its links, in order."""
        extra = [] if self.extra is None else [self.extra.slice(0, run.extra)]
        gold = self.gold_text.num_rows
        pieces = []
        for name, (start, end) in zip(run.pieces, run.bounds, strict=True):
            size = end - start
            texts = [self.bitext.slice(start, size), *extra]
            label = f"piece {name} of {len(run.bounds)} of run {run.name}"
            kept = 0 if self.gold_apart else size
            piece = Piece(home / run.name / name, label, gold, kept)
            piece.write([self.gold_text, *texts])
            pieces.append(piece)
            if self.gold_apart:
                alone = Piece(home / run.name / f"{name}-apart", f"{label} without gold", 0, size)
                alone.write(texts)
                pieces.append(alone)
        return pieces

    def _assemble(
        self, run: Run, pieces: list[Piece], home: Path
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Write the links of a run by every method; return the figures and counts of its pieces."""
        read = {way: [piece.read(way) for piece in pieces] for way in self.ways}
        gold = {
            way: pa.concat_arrays([of_gold for of_gold, _ in sides]) for way, sides in read.items()
        }
        body = {
            way: pa.concat_arrays([of_text for _, of_text in sides]) for way, sides in read.items()
        }
        size = len(run.bounds)
        # Gold text is aligned with each piece, so its links are scored once per piece.
        rows = pa.array(np.flatnonzero(np.tile(self._in_gold, size)))
        codes = pa.array(np.repeat(np.arange(size, dtype=np.int32), self._in_gold.size))
        sid = pa.array(np.tile(self.gold_text["sid"].to_numpy(), size))
        figures, counted = [], []
        for method in self.methods:
            system = f"{run.name}.{method}"
            links = _joined(body, method)
            whole = pa.record_batch([np.arange(len(links)), links], names=["sid", "links"])
            formats.write([whole], home / "alignments" / f"{system}.talp", "pharaoh")
            names = pa.array([f"{system}.{piece}" for piece in run.pieces])
            owners = pa.DictionaryArray.from_arrays(codes, names).cast(SYSTEM)
            columns = {"system": owners, "sid": sid, "links": _joined(gold, method)}
            measured = pa.table(columns).take(rows).combine_chunks()
            target = home / "gold" / f"{system}.parquet"
            formats.write(measured.to_batches(), target, "parquet")
            keys = {"system": system, "run": run.name, "group": method}
            named = [pl.lit(value).alias(name) for name, value in keys.items()]
            piece = pl.col("system").cast(pl.String).str.split(".").list.last().alias("piece")
            counted.append(
                LINKS.counts(measured, self.gold).select(
                    *named, piece, pl.exclude("system", "signature")
                )
            )
            figures.append(
                score(measured, self.gold, alpha=self.alphas).scores.select(
                    *named,
                    pl.Series("piece", run.pieces),  # scores and pieces are both sorted by name
                    pl.Series("pairs", [end - start for start, end in run.bounds]),
                    pl.exclude("system", "sentences"),
                )
            )
        return pl.concat(figures), pl.concat(counted)

    def _means(self, figures: pl.DataFrame) -> pl.DataFrame:
        """Return the means over pieces for each run and method."""
        passes = "apart" if self.gold_apart else "dropped"
        mark = pl.col("signature").first().str.replace("average:corpus", "average:pieces")
        return figures.group_by("system", "run", "group", maintain_order=True).agg(
            pl.len().cast(pl.Int64).alias("pieces"),
            *whole_means(links_measure(self.alphas).names),
            mark + f"|gold-text:{passes}",
        )


def _methods(names: Sequence[str]) -> list[str]:
    known = [FORWARD_ONLY, *METHODS]
    for name in names:
        check_method(name, known, "symmetrize")
    if not names:
        raise InputError("`symmetrize` is empty", expected=f"one or more of {', '.join(known)}")
    return list(dict.fromkeys(names))


def _joined(links: Mapping[str, pa.Array], method: str) -> pa.Array:
    """Return the symmetrized links, or those of the forward direction."""
    if method == FORWARD_ONLY:
        return links["forward"]
    return functions.symmetrize(links["forward"], links["reverse"], method)


# The files of a piece of a bitext: its text, and its links by an aligner.

ORDERS = {"forward": "src-tgt", "reverse": "tgt-src"}
"""The passes over a piece, and the order of sides in their links."""


@dataclass(frozen=True)
class Piece:
    """A folder with ``text.src`` and ``text.tgt``, ``forward.talp`` and ``reverse.talp``."""

    folder: Path
    label: str  # its name in messages
    gold: int  # rows of gold text at the start
    size: int  # rows after them whose links are wanted; later ones are dropped

    def write(self, texts: Sequence[pa.Table]) -> None:
        """Write concatenated texts, and remove links of any other text."""
        text = pa.concat_tables([text_given.select(["src", "tgt"]) for text_given in texts])
        self.folder.mkdir(parents=True, exist_ok=True)
        for side in ("src", "tgt"):
            path = self.folder / f"text.{side}"
            words = as_array(text[side]).cast(pa.list_(pa.string()))  # else Arrow cannot join
            lines = pc.binary_join(words, " ").to_pylist()
            data = "".join(f"{line}\n" for line in lines).encode()
            if path.exists() and path.stat().st_size == len(data) and path.read_bytes() == data:
                continue
            # Links are removed first, so that an interruption leaves none of another text.
            for way in ORDERS:
                self._links(way).unlink(missing_ok=True)
            with replacing(path) as out:
                out.write(data)

    def tasks(self, aligner: Aligner, ways: Sequence[str]) -> list[Task]:
        """Return the tasks of the aligner; ``reverse`` has the sides swapped."""
        src, tgt = self.folder / "text.src", self.folder / "text.tgt"
        sides = {"forward": (src, tgt), "reverse": (tgt, src)}
        return [
            Task(aligner, *sides[way], self._links(way), f"{self.label}, {way}") for way in ways
        ]

    def read(self, way: str) -> tuple[pa.Array, pa.Array]:
        """Return the links of the gold rows and of the bitext rows, source first."""
        table = formats.read(self._links(way), "pharaoh", base=0, order=ORDERS[way])
        links = to_links(table["links"])  # ignores labels from the aligner
        end = self.gold + self.size
        return (
            from_links(links.take(np.arange(self.gold))),
            from_links(links.take(np.arange(self.gold, end))),
        )

    def _links(self, way: str) -> Path:
        return self.folder / f"{way}.talp"


def checked_text(frame: Any, what: str) -> pa.Table:
    """Return a text's columns sid (by default row numbers), src and tgt."""
    table = sentence_pairs(frame, what=what).table()
    if not table.num_rows:
        raise InputError(f"{what} has no sentence pairs", expected="at least one")
    columns = {"sid": table["sid"]}
    for side in ("src", "tgt"):
        columns[side] = table[side].cast(TOKENS)
        words = as_array(columns[side]).flatten()
        blank = pc.match_substring_regex(words, r"^$|[ \t\r\n\v\f]")
        if pc.any(blank).as_py():
            raise InputError(
                f"{side} of {what} has the word {words.filter(blank)[0].as_py()!r}",
                expected="words without spaces, which aligners would miscount",
            )
    return pa.table(columns)
