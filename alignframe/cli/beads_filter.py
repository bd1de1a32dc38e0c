"""``alignframe beads filter``: its input, and what it writes and shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from alignframe.cli.beads_study import THREADS, Parallel, workers
from alignframe.cli.command import Shell, Words, flag
from alignframe.cli.places import check_apart, check_file
from alignframe.cli.show import Data, Pieces, Rows
from alignframe.core.choices import COMPRESSED
from alignframe.core.suffixes import PAIRS, TABLES_SAID, bare_suffix
from alignframe.errors import InputError, number_of
from alignframe.typing import Arguments, FromOne

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from alignframe.beads import Filtered
    from alignframe.beads.filter_by_classifier import Sink

_TAUGHT = ("thresholds", "noise", "weights")
_OTHERS = (
    "not kept: moved, beads that pair sentences of two different lines; merged, beads of more "
    "than two sentences (both above the threshold)"
)


class Lines(Parallel):
    """A line-parallel text, and where the kept lines are written."""

    provides: ClassVar[tuple[str, ...]] = (
        "src",
        "tgt",
        "encoding",
        "clean",
        "groups",
        "writing",
        "threads",
    )

    clean_src: str | None = flag(
        "Clean source sentences from which the classifier learns words and spellings; by default "
        "the text itself.",
        None,
        metavar="FILE",
    )
    clean_tgt: str | None = flag("Their translations.", None, metavar="FILE")
    languages: str | None = flag(
        "Of a TMX in several languages: the two to filter, such as en,fr.",
        None,
        metavar="SRC,TGT",
    )
    groups: str | None = flag(
        "One name per line: lines with the same name form a document and are reported together. "
        "Words are still learnt from all lines.",
        None,
        metavar="FILE",
    )
    output: Path = flag(
        "Prefix of the output: with 'kept', text.en and text.fr become kept.en and kept.fr, or "
        "kept.src.txt and kept.tgt.txt if their suffixes are equal or missing. Of a TMX, or a "
        f"table with the columns src and tgt, also a file: {PAIRS.said}.",
        flags="-o --output",
        metavar="PREFIX",
        panel="Output",
    )
    lines: Path | None = flag(
        "Write a table of all lines, with line (from 1), kept, score, group, text and the "
        f"classifier's features, as {TABLES_SAID}.",
        None,
        metavar="FILE",
        writes="table",
        panel="Output",
    )
    threads: FromOne | None = flag(THREADS, None, panel="Output")

    def arguments(self, shell: Shell) -> Arguments:
        """Return the text and what writes it; files get their names when the command ends."""
        from alignframe.cli.convert_beads import language_pair
        from alignframe.core.tokens import SIDES
        from alignframe.formats.pairs_table import is_pairs, read_pairs
        from alignframe.formats.parallel import read_parallel
        from alignframe.formats.sentences import read_sentences

        if (self.clean_src is None) != (self.clean_tgt is None):
            raise InputError("one side of the clean text", expected="--clean-src and --clean-tgt")
        others = (self.groups, self.clean_src, self.clean_tgt)
        paths = self._paths(others)
        files = shell.stack.enter_context(ExitStack())
        clean = None
        if self.clean_src is not None and self.clean_tgt is not None:
            _, *sides = read_parallel(self.clean_src, self.clean_tgt, encoding=self.encoding)
            clean = tuple(sides)
        src, tgt = self.src, self.tgt
        pairs = None
        if tgt is None and not self.columns and is_pairs(src):
            pairs = read_pairs(src, language_pair(self.languages, "tmx"), encoding=self.encoding)
            src, tgt = (pairs[side].combine_chunks() for side in SIDES)
        elif self.languages:
            raise InputError("--languages with lines", expected="--languages with a TMX")
        elif tgt is None or self.columns:
            _, src, tgt = read_parallel(src, tgt, encoding=self.encoding, columns=self.columns)
        return {
            "src": src,
            "tgt": tgt,
            "encoding": self.encoding,
            "clean": clean,
            "groups": self.groups and read_sentences(self.groups, self.encoding),
            "writing": partial(_writer, files, paths, self.lines, pairs),
            "files": files,
            "threads": shell.stack.enter_context(workers(self.threads)),
            "paths": paths,
        }

    def _paths(self, others: Sequence[str | None]) -> list[Path]:
        """Return the file to write the pairs to, as a table or TMX, or those of both sides."""
        from alignframe.formats.pairs_table import is_pairs

        inputs = [path for path in others if path]
        ends = {end for ends in PAIRS.suffixes.values() for end in ends}
        if bare_suffix(self.output) not in ends:
            return _paths(self.src, self.tgt, self.output, inputs)
        if self.tgt is not None or self.columns or not is_pairs(self.src):
            raise InputError(
                f"-o {self.output} for texts without a table of their own",
                expected="a prefix; or as SRC a TMX, or a table with the columns src and tgt",
            )
        check_file(self.output)
        check_apart(self.output, [self.src, *inputs], expected="another file")
        return [self.output]


def show_filtered(filtered: Filtered, words: Words) -> Pieces:
    """Show how many lines were kept, and what thresholds would cost."""
    # The lines are there even if nobody reads on.
    words["files"].close()
    paths = words["paths"]
    *parts, whole = filtered.shares.to_dicts()
    names = ("src", "tgt") if len(paths) > 1 else ("output",)
    summary = whole | dict(zip(names, map(str, paths), strict=True))
    del summary["group"]
    taught = {name: table for name, table in filtered.tables().items() if name in _TAUGHT}
    yield Data(filtered.signature, summary=[summary], groups=parts, **taught)
    rows = [{**row, "group": row["group"] or "(all)"} for row in [*parts, whole]]
    others = f"{_OTHERS}\n" if filtered.thresholds is None else ""
    yield Rows(rows, "Lines and words kept", f"{others}{filtered.signature}")
    if filtered.thresholds is not None and filtered.noise is not None:
        costs = (
            "lost, the share of right lines dropped; noise_kept, the share of synthetic noise "
            "kept; noise_errors, the share of all lines that are wrong but kept, or right but "
            "dropped. lost and noise_errors hold only if wrong lines are like the noise: on "
            "labelled texts, 0.3 (clean) to 3.4 times as many errors were found, most where wrong "
            "lines are nearly right"
        )
        title = "Thresholds, if wrong lines are like the synthetic noise"
        yield Rows(filtered.thresholds, title, costs)
        yield Rows(filtered.noise, "Noise detected, by kind")
    if words["method"] == "mre+" and words["model"] is None:
        yield ("no --model: Model 1 was learnt from the text, for each quarter from the others")
    chosen = words["threshold"] is None and filtered.thresholds is not None
    yield (
        f"{whole['kept']:,} of {number_of(whole['lines'], 'line')} written to "
        f"{' and '.join(map(str, paths))}: those that score above {filtered.threshold:g}"
        + ", the threshold with the fewest noise_errors" * chosen
        + ", and all of other groups" * bool(words["only"])
    )


def _paths(src: str, tgt: str | None, output: Path, inputs: Iterable[str]) -> list[Path]:
    """Return the files to write; raise an InputError if they are inputs or cannot be written."""
    # A table of both sides has no suffix of their languages.
    suffixes = [".txt", ".txt"] if tgt is None else [_suffix(path) for path in (src, tgt)]
    if not all(suffixes) or suffixes[0] == suffixes[1]:
        suffixes = [
            f".{side}{suffix}" for side, suffix in zip(("src", "tgt"), suffixes, strict=True)
        ]
    paths = [output.with_name(output.name + suffix) for suffix in suffixes]
    for path in paths:
        check_file(path)
        check_apart(path, [src, *filter(None, [tgt]), *inputs], expected="another prefix")
    return paths


def _suffix(path: str) -> str:
    """Return what follows a text's name, language and format, such as ``.en.txt``."""
    from alignframe.formats.files import text_name

    name = Path(path).name
    if Path(name).suffix.lower() in COMPRESSED:
        name = Path(name).stem
    rest = name.removeprefix(text_name(path))
    suffix = rest if rest.startswith(".") else Path(name).suffix
    # The kept lines are plain text, whatever they were read from.
    return re.sub(r"\.(conllu?|xml)$", ".txt", suffix, flags=re.IGNORECASE)


@contextmanager
def _of_pairs(pairs: pa.Table, path: Path) -> Iterator[list[pl.Series]]:
    """Yield a list for the lines to keep, from 1, and write these pairs in the end."""
    import polars as pl

    from alignframe.formats.pairs_table import write_pairs

    kept: list[pl.Series] = []
    yield kept
    write_pairs(pairs.take((pl.concat(kept) - 1).to_arrow()), path)


def _writer(
    stack: ExitStack,
    paths: list[Path],
    lines: Path | None,
    pairs: pa.Table | None,
    signature: str,
) -> Sink:
    """Return a function that writes kept lines to their files, and all lines to a table if given.

    The files get their final names when the stack closes without an error.
    """
    import polars as pl

    from alignframe.core.output import replacing, table_writer
    from alignframe.core.tokens import SIDES
    from alignframe.formats.sentences import lines_of

    whole = None
    if pairs is not None and len(paths) == 1:
        whole = stack.enter_context(_of_pairs(pairs, paths[0]))
    files = [] if whole is not None else [stack.enter_context(replacing(one)) for one in paths]
    table = None
    if lines is not None:
        table = stack.enter_context(table_writer(lines, signature=signature))

    def write(frame: pl.DataFrame, *sides: pa.Array) -> None:
        kept = frame["kept"].to_arrow()
        if whole is not None:
            whole.append(frame.filter("kept")["line"])
        for file, side in zip(files, sides, strict=False):
            file.write(lines_of(side.filter(kept)))
        if table is not None:
            texts = [
                pl.Series(name, pl.from_arrow(side), dtype=pl.String)
                for name, side in zip(SIDES, sides, strict=True)
            ]
            table(frame.with_columns(texts))

    return write
