"""``alignframe beads filter``."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.choices import CLASSIFIER, COMPRESSED
from alignframe.cli.beads_align import Settings
from alignframe.cli.beads_study import read_sides, workers
from alignframe.cli.places import check_apart, check_file
from alignframe.cli.show import print_json, print_note, print_table
from alignframe.errors import InputError, number_of

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from alignframe.beads.filter_by_classifier import Sink

_OTHERS = (
    "not kept: moved, beads that pair sentences of two different lines; merged, beads of more "
    "than two sentences (both above the threshold)"
)


@dataclass(frozen=True)
class FilterSettings(Settings):
    """The options of the aligner or the classifier."""

    band: float | None  # type: ignore[assignment]


def filter(  # noqa: A001  the command is called so
    *,
    src: str,
    tgt: str,
    settings: FilterSettings,
    output: Path,
    threshold: float | None,
    clean_src: str | None,
    clean_tgt: str | None,
    seed: int,
    model: str | None,
    groups: str | None,
    only: list[str] | None,
    max_lines: int,
    lines: Path | None,
    encoding: str,
    threads: int | None,
    as_json: bool,
) -> None:
    """Filter line-parallel text: keep the lines whose sides translate each other."""
    if (clean_src is None) != (clean_tgt is None):
        raise InputError("one side of the clean text", expected="--clean-src and --clean-tgt")
    paths = _paths(src, tgt, output, [groups, model, clean_src, clean_tgt])
    from dataclasses import asdict

    from alignframe import beads
    from alignframe.beads.filter_by_classifier import classified
    from alignframe.beads.line_text import LineText
    from alignframe.formats.sentences import read_sentences

    clean = None
    if clean_src is not None and clean_tgt is not None:
        clean_sides = read_sides(clean_src, clean_tgt, encoding)
        clean = (clean_sides[0], clean_sides[1])
    given: dict[str, Any] = {
        "threshold": threshold,
        "clean": clean,
        "seed": seed,
        "groups": None if groups is None else read_sentences(groups, encoding),
        "only": only,
    }
    chosen = {name: value for name, value in asdict(settings).items() if value is not None}
    with ExitStack() as stack:
        if settings.method == CLASSIFIER and not (model or set(chosen) - {"method", "words"}):
            found = classified(
                LineText(src, tgt, encoding=encoding),
                **given,
                words=chosen["words"],
                writing=lambda signature: _writer(stack, paths, lines, signature),
            )
        else:
            first, second = read_sides(src, tgt, encoding)
            given |= {"model": model, "max_lines": max_lines, **chosen}
            with workers(threads) as executor:
                found = beads.filter(first, second, executor=executor, **given)
            _writer(stack, paths, lines, found.signature)(found.lines, first, second)
    *parts, whole = found.shares.to_dicts()
    if as_json:
        whole.pop("group")
        whole |= {"src": str(paths[0]), "tgt": str(paths[1])}
        taught = {
            name: table.to_dicts()
            for name in ("thresholds", "noise", "weights")
            if (table := getattr(found, name)) is not None
        }
        print_json({"summary": [whole], "groups": parts, **taught}, found.signature)
        return
    rows = [{**row, "group": row["group"] or "(all)"} for row in [*parts, whole]]
    others = f"{_OTHERS}\n" if found.thresholds is None else ""
    print_table(rows, title="Lines and words kept", caption=f"{others}{found.signature}")
    if found.thresholds is not None and found.noise is not None:
        costs = (
            "lost, the share of right lines dropped; noise_kept, the share of synthetic noise "
            "kept; noise_errors, the share of all lines that are wrong but kept, or right but "
            "dropped. lost and noise_errors hold only if wrong lines are like the noise: on "
            "labelled texts, 0.3 (clean) to 3.4 times as many errors were found, most where wrong "
            "lines are nearly right"
        )
        title = "Thresholds, if wrong lines are like the synthetic noise"
        print_table(found.thresholds.to_dicts(), title=title, caption=costs)
        print_table(found.noise.to_dicts(), title="Noise detected, by kind")
    if settings.method == "mre+" and model is None:
        print_note("no --model: Model 1 was learnt from the text, for each quarter from the others")
    print_note(f"{number_of(whole['kept'], 'line')} written to {paths[0]} and {paths[1]}")


def _paths(src: str, tgt: str, output: Path, inputs: list[str | None]) -> list[Path]:
    """Return the files to write; raise an InputError if they are inputs or cannot be written."""
    suffixes = [_suffix(path) for path in (src, tgt)]
    if not all(suffixes) or suffixes[0] == suffixes[1]:
        suffixes = [
            f".{side}{suffix}" for side, suffix in zip(("src", "tgt"), suffixes, strict=True)
        ]
    paths = [output.with_name(output.name + suffix) for suffix in suffixes]
    for path in paths:
        check_file(path)
        check_apart(path, [src, tgt, *(one for one in inputs if one)], expected="another prefix")
    return paths


def _suffix(path: str) -> str:
    """Return what follows a text's name, language and format, such as ``.en.txt``."""
    from alignframe.formats.names import text_name

    name = Path(path).name
    if Path(name).suffix.lower() in COMPRESSED:
        name = Path(name).stem
    rest = name.removeprefix(text_name(path))
    return rest if rest.startswith(".") else Path(name).suffix


def _writer(stack: ExitStack, paths: list[Path], lines: Path | None, signature: str) -> Sink:
    """Return a function that writes kept lines to their files, and all lines to a table if given.

    The files get their final names when the stack closes without an error.
    """
    import polars as pl

    from alignframe.formats.sentences import lines_of
    from alignframe.output import replacing, table_writer
    from alignframe.tables import SIGNATURE
    from alignframe.tokens import SIDES

    files = [stack.enter_context(replacing(path)) for path in paths]
    table = None
    if lines is not None:
        table = stack.enter_context(table_writer(lines, notes={SIGNATURE: signature}))

    def write(frame: pl.DataFrame, *sides: pa.Array) -> None:
        kept = frame["kept"].to_arrow()
        for file, side in zip(files, sides, strict=True):
            file.write(lines_of(side.filter(kept)))
        if table is not None:
            texts = [
                pl.Series(name, pl.from_arrow(side), dtype=pl.String)
                for name, side in zip(SIDES, sides, strict=True)
            ]
            table(frame.with_columns(texts))

    return write
