"""Arguments that several commands share, and what they mean."""

from __future__ import annotations

import functools
import glob
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, Field, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import tables_as
from alignframe.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

LINK_FORMATS = "pharaoh, numbered, naacl, giza, moses, tsv or parquet"
"""The formats of links, as the help of options names them."""

AlphaOption = Annotated[
    str, typer.Option("--alpha", help="Weights of precision in F, parted by commas.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
TableFormatOption = Annotated[
    Literal["text", "latex", "markdown", "json"],
    typer.Option("--format", help="How tables are printed; json is the same as --json."),
]
SrcOption = Annotated[
    str | None,
    typer.Option("--src", metavar="FILE", help="Source sentences, or lines 'source ||| target'."),
]
TgtOption = Annotated[
    str | None, typer.Option("--tgt", metavar="FILE", help="Target sentences, line by line.")
]
EncodingOption = Annotated[str, typer.Option("--encoding", help="Encoding of words.")]
BandsOption = Annotated[
    str | None, typer.Option("--bands", help="Last length of each band; else 5,10,15,20,30,40.")
]
OutOption = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write .parquet, .csv or .jsonl."),
]
SignatureOption = Annotated[
    Literal["short", "long"] | None,
    typer.Option(
        "--signature",
        help="Form of the signature that is printed; by default short if it is longer than 200 "
        "letters. JSON and files have the long one.",
    ),
]
TablesOption = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="PATH",
        help="Write every table into a folder, as Parquet; or the table of scores as .parquet, "
        ".csv or .jsonl.",
    ),
]
ConfidenceOption = Annotated[float, typer.Option("--confidence", help="Of the intervals.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Of the resampling.")]
SidsOption = Annotated[
    str | None,
    typer.Option(
        "--sids",
        metavar="FILE",
        help="Score these sentences alone: a sid a line, or a table with a column sid.",
    ),
]
WhereOption = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="SQL",
        help="Score the sentences that fulfil a condition over their columns, such as 'sid < 110'.",
    ),
]
GoldOption = Annotated[
    str, typer.Option("--gold", metavar="FILE", help="Gold links: any format, or Parquet.")
]
HypOption = Annotated[
    list[str],
    typer.Option(
        "--hyp",
        metavar="[NAME=]FILE",
        help="A system's links: any format, or a Parquet file, glob or folder. Repeatable.",
    ),
]


@dataclass(frozen=True)
class Given:
    """Gold, hypotheses and text, with the options that say how to read and count them.

    The fields are the options of every command that ``takes_links``.
    """

    gold: GoldOption
    hyp: HypOption
    src: SrcOption = None
    tgt: TgtOption = None
    encoding: EncodingOption = "utf-8"
    gold_format: Annotated[str | None, typer.Option("--gold-format", help=f"{LINK_FORMATS}.")] = (
        None
    )
    gold_base: Annotated[
        int | None, typer.Option("--gold-base", help="Number of the first word in Pharaoh gold.")
    ] = None
    hyp_format: Annotated[
        list[str] | None,
        typer.Option(
            "--hyp-format", metavar="[NAME=]FORMAT", help="Of all --hyp, or of one. Repeatable."
        ),
    ] = None
    hyp_base: Annotated[
        list[str] | None,
        typer.Option(
            "--hyp-base",
            metavar="[NAME=]0|1",
            help="Number of the first word in Pharaoh --hyp: of all, or of one. Repeatable.",
        ),
    ] = None
    hyp_order: Annotated[
        list[str] | None,
        typer.Option(
            "--hyp-order",
            metavar="[NAME=]ORDER",
            help="Which side links of --hyp name first, src-tgt or tgt-src: in all of them, or in "
            "one. Repeatable.",
        ),
    ] = None
    min_probability: Annotated[
        float | None,
        typer.Option(
            "--min-probability",
            help="Leave out links of --hyp less probable than this, of NAACL or Parquet with a "
            "column probabilities.",
        ),
    ] = None
    possible_as_sure: Annotated[
        bool, typer.Option("--possible-as-sure", help="Take every gold link as Sure.")
    ] = False
    sids: SidsOption = None
    where: WhereOption = None
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse sentences that only one side has.")
    ] = False
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, help="All cores by default.")
    ] = None

    @contextmanager
    def read(self) -> Iterator[dict[str, Any]]:
        """Give what the functions of ``alignframe.links`` call hyp, gold, bitext, executor, ..."""
        bitext = read_text(self.src, self.tgt, self.encoding)
        with ProgressExecutor(self.threads or os.cpu_count() or 1, "Counting links") as executor:
            yield {
                "hyp": self._hypotheses(bitext),
                "gold": self._gold(bitext),
                "bitext": bitext,
                "possible_as_sure": self.possible_as_sure,
                "strict": self.strict,
                "executor": executor,
            }

    def _gold(self, bitext: pa.Table | None) -> Any:
        """Return gold, or the subset of it that is asked for."""
        gold = self._links(
            self.gold, self.gold_format, bitext, option="--gold-format", base=self.gold_base
        )
        if self.sids is None and self.where is None:
            return gold
        from alignframe.links import subset

        return subset(gold, sids=self.sids, where=self.where)

    def _hypotheses(self, bitext: pa.Table | None) -> list[Any]:
        """Return hypotheses, named ones as mappings: tables, or paths of Parquet."""
        from alignframe.formats import system_name
        from alignframe.parquet import is_parquet

        specs = [split_name(spec) for spec in self.hyp]
        names = [name or system_name(path) for name, path in specs]
        kinds = by_name(self.hyp_format, "--hyp-format", names)
        bases = by_name(self.hyp_base, "--hyp-base", names)
        orders = by_name(self.hyp_order, "--hyp-order", names)
        found: list[Any] = []
        paths: dict[str, str] = {}
        for (name, path), own in zip(specs, names, strict=True):
            known = name or (None if is_parquet(path) else own)
            if known in paths:
                raise InputError(
                    f"two hypotheses are called {known!r}: {paths[known]} and {path}",
                    todo="name them: --hyp NAME=FILE",
                )
            if known:
                paths[known] = path
            source = self._links(
                path,
                kinds[own],
                bitext,
                option="--hyp-format",
                system=name,
                base=None if bases[own] is None else numbers(bases[own], "--hyp-base", int)[0][1],
                order=orders[own] or "src-tgt",
                min_probability=self.min_probability,
            )
            found.append({name: source} if name else source)
        return found

    def _links(self, path: str, format: str | None, bitext: pa.Table | None, **options: Any) -> Any:
        return read_links(path, format, bitext, self.encoding, **options)


def by_name(given: list[str] | None, option: str, names: list[str]) -> dict[str, Any]:
    """Return the value of an option, ``VALUE`` for all or ``NAME=VALUE`` for one, by name."""
    found: dict[str | None, str] = {}
    for text in given or ():
        name, mark, value = text.rpartition("=")
        if mark and name not in names:
            raise InputError(f"{option} {text}", expected=f"one of {', '.join(names)}")
        if (name if mark else None) in found:
            raise InputError(f"{option} {text}, which is given already", expected="it once")
        found[name if mark else None] = value
    return {name: found.get(name, found.get(None)) for name in names}


def read_links(
    path: str,
    format: str | None,
    bitext: pa.Table | None,
    encoding: str,
    *,
    option: str = "--from",
    **options: Any,
) -> Any:
    """Return the links of a file as a table; of Parquet, the path itself.

    ``option`` is the command's own for the format.
    """
    from alignframe.formats import detect, read

    kind = format or detect(path, option)
    if kind == "parquet":
        usual = (None, "src-tgt")
        if all(options.get(one) in usual for one in ("base", "order", "min_probability")):
            return path
        options["system"] = None  # the file may hold several; who asked names them
    return read(path, kind, bitext=bitext, encoding=encoding, **options)


def split_name(spec: str, what: str = "hypothesis") -> tuple[str | None, str]:
    """Split ``NAME=FILE``; a file whose own name has an equals sign needs no name."""
    name, mark, path = spec.partition("=")
    if not mark or Path(spec).exists() or glob.glob(spec):
        return None, spec
    if not name or not path:
        raise InputError(f"the {what} {spec!r}", expected="NAME=FILE")
    return name, path


def read_text(src: str | None, tgt: str | None, encoding: str) -> pa.Table | None:
    """Return the bitext of --src and --tgt, or None if neither is given."""
    if src is None and tgt is None:
        return None
    if src is None:
        raise InputError("--tgt without --src", expected="both sides")
    from alignframe.formats import read_bitext

    return read_bitext(src, tgt, encoding)


def bands_of(text: str | None) -> dict[str, Any]:
    """Return the argument that --bands gives to the functions of ``alignframe.links``."""
    if text is None:
        return {}
    return {"bands": [last for _, last in numbers(text, "--bands", int)]}


def names_of(text: str) -> list[str]:
    """Return names parted by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def numbers(text: str, what: str, kind: type = float) -> list[tuple[str, Any]]:
    """Return numbers parted by commas, each with its spelling."""
    found = []
    for piece in text.split(","):
        word = piece.strip()
        try:
            found.append((word, kind(word)))
        except ValueError:
            raise InputError(
                f"{word!r} in {what} is not a number", expected="numbers parted by commas"
            ) from None
    return found


def prints_tables(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that prints tables, and takes ``as_json``, --format and --signature."""
    own = inspect.signature(command, eval_str=True).parameters.values()
    keyword = inspect.Parameter.KEYWORD_ONLY
    options = [
        inspect.Parameter("format", keyword, default="text", annotation=TableFormatOption),
        inspect.Parameter("signature", keyword, default=None, annotation=SignatureOption),
    ]

    @functools.wraps(command)
    def run(*, format: str, signature: str | None, as_json: bool, **words: Any) -> None:
        if as_json and format not in ("text", "json"):
            raise InputError(f"--json with --format {format}", expected="one of them")
        with tables_as(format, signature):
            command(**words, as_json=as_json or format == "json")

    return _signed(run, [*own, *options])


def takes_links(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of ``Given``, and hand them over as its argument ``files``."""
    return with_options(Given, "files")(command)


def with_options(
    kind: type[Any], name: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return what gives a command the fields of a dataclass as options, in the argument ``name``.

    The fields are annotated as options of a command are.
    """

    def wrap(command: Callable[..., None]) -> Callable[..., None]:
        return _with_options(kind, name, command)

    return wrap


def _with_options(kind: type[Any], name: str, command: Callable[..., None]) -> Callable[..., None]:
    hints = get_type_hints(kind, include_extras=True)
    own = inspect.signature(command, eval_str=True).parameters
    keyword = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter(
            field.name,
            keyword,
            default=_default(field),
            annotation=hints[field.name],
        )
        for field in fields(kind)
    ]
    rest = [option for key, option in own.items() if key != name]

    @functools.wraps(command)
    def run(**words: Any) -> None:
        given = kind(**{option.name: words.pop(option.name) for option in shared})
        command(**{name: given}, **words)

    return _signed(run, [*shared, *rest])


def _default(field: Field[Any]) -> Any:
    """Return what an option is if it is not given, or the mark of one that must be given."""
    if field.default_factory is not MISSING:
        return field.default_factory()
    return inspect.Parameter.empty if field.default is MISSING else field.default


def _signed(run: Callable[..., None], options: list[inspect.Parameter]) -> Callable[..., None]:
    """Return a wrapper of a command with the options that it takes from now on."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    taken = [option.replace(kind=keyword) for option in options]
    run.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in taken}
    del run.__wrapped__  # type: ignore[attr-defined]
    return run
