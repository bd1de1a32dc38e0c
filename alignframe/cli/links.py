"""``alignframe links symmetrize``, ``correlate`` and ``vary``."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.command import Input, Shell, Words, flag, flags_of
from alignframe.cli.option import outputs
from alignframe.cli.progress import ProgressExecutor, ticking
from alignframe.cli.show import Data, Pieces, Rows
from alignframe.cli.showing import PRINTED
from alignframe.cli.sources import (
    BASE,
    ENCODING,
    Given,
    gold_base,
    gold_format,
    links_output,
    links_to,
    named_paths,
    read_links,
    read_text,
    split_name,
)
from alignframe.core.choices import BASES
from alignframe.core.suffixes import LINK_FORMATS
from alignframe.errors import FROM_1, InputError, number_of, unknown_name
from alignframe.typing import Arguments, Rare, Row

if TYPE_CHECKING:
    import polars as pl

    from alignframe.aligners.function import FileAligner
    from alignframe.links import QualityStudy
    from alignframe.links.correlation import Correlated
    from alignframe.result import TableResult


class Directions(Input):
    """Links of two directions, and the file to write."""

    provides = ("forward", "reverse")

    forward: str = flag("Links in which each target word picks a source word.", panel=None)
    reverse: str = flag("Links in which each source word picks a target word.", panel=None)
    format: str | None = flag(
        "Format of both files; detected by default.", None, flags="--from", choices=LINK_FORMATS
    )
    base: int | None = flag(f"Number of the first word: {BASE}.", None, choices=BASES)
    output: str = links_output()
    to: str | None = links_to()
    as_json: bool = flag("Print JSON.", False, panel="Output", flags="--json")

    def arguments(self, _: Shell) -> Arguments:
        """Return the links of both directions, if the output can be written."""
        from alignframe.formats.writing import check_format

        todo = "write .talp, and give it to convert with --src and --tgt"
        check_format(self.output, self.to, words=False, todo=todo)
        return {
            side: read_links(path, self.format, None, "utf-8", base=self.base)
            for side, path in (("forward", self.forward), ("reverse", self.reverse))
        }


def write_links(frame: pl.DataFrame, words: Words) -> Pieces:
    """Write the links of one system in the format of --to, and say how many there are."""
    from alignframe import formats
    from alignframe.core.arrow import to_reader
    from alignframe.formats.writing import check_format

    output, method = words["output"], words["method"]
    batches = ticking(to_reader(frame), "Writing", lambda batch: batch.num_rows)
    goal = check_format(output, words["to"], words=False)
    formats.write(batches, output, goal, base=words["base"] or 0)
    total = int(frame["links"].list.len().sum())
    summary = {"method": method, "sentences": frame.height, "links": total, "output": output}
    yield Data(summary=[summary])
    if output != "-":
        said = f"{number_of(frame.height, 'sentence')}, {number_of(total, 'link')}"
        yield f"{method}: {said} written to {output}"


class Systems(Input):
    """Links of systems without gold, or with gold of some sentences."""

    provides = ("hyp", "pilot")

    hyp: list[str] = flag(
        "Links of a system, in any format. Repeatable, for two or more.", metavar="[NAME=]FILE"
    )
    pilot: str | None = flag(
        "Gold of some of the sentences, if there is any.", None, metavar="FILE"
    )

    def arguments(self, _: Shell) -> Arguments:
        """Return the links of systems, and gold."""
        named = [split_name(spec) for spec in self.hyp]
        systems = [read_links(path, None, None, "utf-8", system=name) for name, path in named]
        pilot = self.pilot and read_links(self.pilot, None, None, "utf-8")
        return {"hyp": systems, "pilot": pilot}


def show_chosen(found: TableResult, words: Words) -> Pieces:
    """Show the chosen sentences, and how wide an interval to expect."""
    from alignframe.core.rounding import percent_of

    yield Data(found.signature, chosen=found.frame)
    if not words["output"]:
        yield Rows(found.frame, "Sentences to annotate", found.signature, whole=False)
    level = percent_of(float(found.metadata["confidence"]))
    yield (
        f"{number_of(found.height, 'sentence')}; the {level} interval of AER is expected to be "
        f"about +/- {float(found.metadata['expected']):.3f}"
    )


_SHOWN = 32
"""The number of rows for the default values of α."""


class Measured(Given):
    """Links and gold as in ``Given``, or the folders of studies with their counts."""

    provides = ("scores", "external", "by_group")

    gold: str = flag("Gold links, in any format.", "", metavar="FILE")
    hyp: list[str] = flag("Links of a system, as in links score.", [], metavar="[NAME=]FILE")
    vary: list[str] = flag(
        "Folder written by links vary, instead of --gold and --hyp. Repeatable, with names.",
        [],
        metavar="[NAME=]FOLDER",
    )
    possible_as_sure: Rare[bool] = flag("Treat every gold link as Sure.", False)
    strict: Rare[bool] = flag("Fail if a sentence is missing on either side.", False)
    external: str | None = flag(
        "External scores, one per system: .csv, .tsv, .jsonl or .parquet with system, score and "
        "optionally group.",
        None,
        metavar="FILE",
    )
    by_group: bool = flag(
        "Also correlate within each group of the scores; always on with --vary.",
        False,
        panel="Analysis",
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return the counts and their external scores, or the study that has them."""
        from alignframe import formats, links

        printed = "external" in shell.needed
        if self.external is None and (printed or not self.vary):
            raise InputError("no --external", expected="a file with a score of each system")
        grouped = False if printed and not self.vary else None
        given: Arguments = {
            "external": self.external and formats.read_external(self.external),
            "by_group": self.by_group or grouped,
        }
        if not self.vary:
            for value, missing in ((self.gold, "--gold"), (self.hyp, "--hyp")):
                if not value:
                    raise InputError(
                        f"no {missing}", expected="either --gold and --hyp, or --vary FOLDER"
                    )
            with self.read() as read:
                counts = links.score(
                    **read, possible_as_sure=self.possible_as_sure, strict=self.strict
                ).counts
            return {"scores": counts, **given}
        for name, option in flags_of(type(self)).items():
            if name not in _OF_STUDIES and getattr(self, name) != option.default:
                raise InputError(
                    f"{option.flag} with --vary",
                    expected="either --gold and --hyp with their options, or --vary FOLDER",
                    todo="the folder holds the counts of its own gold and systems",
                )
        study = links.read_study(studies(self.vary), sids=self.sids, where=self.where)
        return {"scores": study, **given}


_OF_STUDIES = ("vary", "external", "by_group", "sids", "where")


def studies(folders: Sequence[str]) -> str | dict[str, str]:
    """Return the folder, or the folders by name, from ``[NAME=]FOLDER`` arguments."""
    if len(folders) == 1 and split_name(folders[0])[0] is None:
        return folders[0]
    return named_paths(folders, "study", lambda path: Path(path).resolve().name)


def correlated(scores: Any, external: Any = None, **options: Any) -> Any:
    """Return the correlations with an external score; without one, the study as it is.

    Parameters
    ----------
    scores, external
        See ``links.correlation.correlate``.
    **options
        See ``links.correlation.correlate``.
    """
    from alignframe import links

    return scores if external is None else links.correlate(scores, external, **options)


def show_correlations(result: Correlated, words: Words) -> Pieces:
    """Show correlations with an external score, and those within groups."""
    frame = result.correlations
    yield Data(correlations=frame)
    said = {"score": "the score"}.get(result.score_name, result.score_name)
    yield correlations_table(frame, Path(words["external"]).name, words, score=said)
    if frame["group"].count():
        rows = [row for row in frame.iter_rows(named=True) if row["group"] is None]
        yield Rows(
            _within(frame, [(row["measure"], row["annotation"]) for row in _choice(rows, _SHOWN)]),
            "r2 over all systems and within each group, below 0 where the score falls",
        )


def correlations_table(
    frame: Any, name: str, words: Words, *, score: str = "the score", most: int = _SHOWN
) -> Rows:
    """Return the rows of a table of ``stats.correlate`` with at ``most`` this many measures.

    ``name`` is the score's name in the title, ``score`` that in sentences.
    """
    from alignframe import stats
    from alignframe.core.rounding import percent_of

    rows = [row for row in frame.iter_rows(named=True) if row["group"] is None]
    notes = textwrap.wrap(stats.conclusion(frame, score), 80)
    # A single α was not selected.
    several = frame["alpha"].drop_nulls().n_unique() > 1
    star = "* the best alpha of its annotation; " if several else ""
    notes += [f"{star}left out: r2 when predicted from the others"]
    if words["bootstrap"]:
        level = percent_of(words["confidence"])
        notes += [f"sentences, systems: {level} intervals of r2 over resamples"]
    if len(rows) > most:
        notes.append(f"{most} of {len(rows):,} measures; -o writes them all")
    return Rows(
        [_shown(row, words["bootstrap"] > 0, bool(star)) for row in _choice(rows, most)],
        f"Correlation with {name}, {number_of(rows[0]['systems'], 'system')}",
        "\n".join([*notes, rows[0]["signature"]]),
    )


def _within(frame: Any, shown: Sequence[tuple[str, str]]) -> list[Row]:
    """Return r² with the sign of r, in one column for all systems and one per group."""
    out: dict[tuple[str, str], Row] = {}
    for row in frame.iter_rows(named=True):
        key = row["measure"], row["annotation"]
        if key in shown and row["measure"] != "f_chosen":
            r = row["pearson"]
            cells = out.setdefault(key, {"measure": key[0], "annotation": key[1]})
            cells[row["group"] or "all"] = None if r is None else r * abs(r)
    return list(out.values())


def _choice(rows: Sequence[Mapping[str, Any]], most: int) -> list[Mapping[str, Any]]:
    """Return at ``most`` this many rows in order: 1 - AER, the best, and the strongest."""
    if len(rows) <= most:
        return list(rows)
    # 1 - AER has no alpha.
    ranked = sorted(rows, key=lambda r: (r["alpha"] is not None, not r["best"], -(r["r2"] or 0)))
    kept = {id(row) for row in ranked[:most]}
    return [row for row in rows if id(row) in kept]


def _shown(row: Mapping[str, Any], resampled: bool, starred: bool) -> Row:
    """Return a row for the terminal, of at most 80 characters."""
    out: Row = {
        "measure": f"{row['measure']} *" if starred and row["best"] else row["measure"],
        "annotation": row["annotation"],
        "pearson": row["pearson"],
        "r2": row["r2"],
        "left out": row["r2_left_out"],
    }
    for kind in ("sentences", "systems") if resampled else ():
        ends = row[f"r2_low_{kind}"], row[f"r2_high_{kind}"]
        out[kind] = "" if None in ends else "-".join(map(_short, ends))
    return {**out, "rho": row["spearman"]}


def _short(end: float) -> str:
    """Return an end of an interval in short form: ``.85``, ``1``."""
    return {"0.00": "0", "1.00": "1"}.get(f"{end:.2f}", f"{end:.2f}".removeprefix("0"))


class Texts(Input):
    """A bitext, a gold text with its links, extra text, and what aligns them."""

    provides = ("bitext", "gold_text", "gold", "extra", "aligner")

    src: str = flag("Source sentences, one per line.", panel=None)
    tgt: str = flag("Their translations, one per line.", panel=None)
    gold_src: str = flag("Source side of the gold text.", metavar="FILE")
    gold_tgt: str = flag("Target side of the gold text.", metavar="FILE")
    gold: str = flag("Gold links, in any format.", metavar="FILE")
    gold_format: str | None = gold_format()
    gold_base: int | None = gold_base()
    extra_src: Rare[str | None] = flag(
        "Source side of extra text, for --multiples.", None, metavar="FILE"
    )
    extra_tgt: Rare[str | None] = flag("Target side of the extra text.", None, metavar="FILE")
    encoding: str = flag(ENCODING, "utf-8")
    aligner: str = flag(
        "ibm1, hmm, ibm4 or bayes; or a command with {src} {tgt} {out} that reads two texts and "
        "writes links as 0-0 1-2, one line per sentence.",
        panel="Analysis",
        metavar="NAME|COMMAND",
    )

    def arguments(self, _: Shell) -> Arguments:
        """Return the texts, the gold links and the aligner."""
        aligner = _aligner(self.aligner)
        gold_text = read_text(self.gold_src, self.gold_tgt, self.encoding)
        base: Arguments = {"base": self.gold_base}
        return {
            "bitext": read_text(self.src, self.tgt, self.encoding),
            "gold_text": gold_text,
            "gold": read_links(self.gold, self.gold_format, gold_text, self.encoding, **base),
            "extra": read_text(self.extra_src, self.extra_tgt, self.encoding, "extra-"),
            "aligner": aligner,
        }


RUN = (
    outputs(
        "-o --output",
        Path,
        "Folder for all results; run again with the same folder to resume.",
        metavar="FOLDER",
        writes="folder",
    ),
    outputs("--jobs", int, "Number of aligners that run in parallel.", 1, bounds=FROM_1),
    outputs("--dry-run", bool, "Check everything and print the plan, but align nothing.", False),
    *PRINTED,
)


def show_study(study: QualityStudy, words: Words) -> Pieces:
    """Run a study, and show its scores; or show its plan."""
    if words["dry_run"]:
        plan = study.plan()
        yield Data(plan=plan)
        passes, pairs = (sum(plan[name].to_list()) for name in ("alignments", "total_pairs"))
        said = f"{number_of(pairs, 'sentence pair')} in {number_of(passes, 'pass', 'passes')}"
        yield Rows(plan, "Plan", f"in all {said} of the aligner")
        return
    try:
        with ProgressExecutor(words["jobs"], "Aligning pieces") as executor:
            frame = study.run(words["output"], threads=executor)
    except KeyboardInterrupt:
        if stop := getattr(study.aligner.function, "stop", None):
            stop()
        raise
    yield Data(alignments=frame.to_dicts())
    # The system's name has the run and the group.
    yield Rows(frame.drop("run", "group"), "Means over the pieces of each run")
    written = words["output"] / "alignments"
    yield f"{number_of(frame.height, 'alignment')} of the bitext written to {written}"


def _aligner(given: str) -> str | FileAligner:
    """Return one of the package's own aligners, or a command unchanged."""
    from alignframe.aligners import KINDS, aligner

    if given in KINDS:
        return aligner(given)
    if not ({" ", "{"} & set(given)):
        raise unknown_name(
            "--aligner", given, KINDS, also=", or a command with {src}, {tgt} and {out}"
        )
    return given
