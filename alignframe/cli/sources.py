"""Arguments shared by several commands."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from alignframe.cli.command import Input, Shell, flag
from alignframe.cli.option import split
from alignframe.cli.progress import ProgressExecutor
from alignframe.core.choices import BASES, ORDERS
from alignframe.core.suffixes import LINK_FORMATS, LINKS
from alignframe.errors import InputError, unknown_name
from alignframe.typing import Arguments, FromOne, Rare, Share

if TYPE_CHECKING:
    import pyarrow as pa

    from alignframe.links.text import Text
    from alignframe.sources.source import Source

SRC = "Source sentences, one per line, or lines 'source ||| target'."
TGT = "Target sentences, one per line."
THREADS = "Number of threads; all cores by default."
KEPT = {"panel": "Output", "metavar": "FOLDER", "writes": "folder"}
"""The folder of a study, from which it resumes."""

ENCODING = "Character encoding of text files."
columns = partial(
    flag,
    "Of a text in one table: its two columns, such as 3,4 (from 1, without a header) or en,fr (of "
    "its header); by default src and tgt, or the only two without a header.",
    None,
    metavar="SRC,TGT",
    panel="Input",
)
"""The option of commands that take both sides of a text."""
BASE = "0 by default; you are warned if it looks like 1"
"""The default of the number of the first word."""

PLACES = ("s3://", "iceberg:", "ducklake:")
"""Prefixes of places that are not local paths."""


gold_format = partial(
    flag, "Format of --gold; detected by default.", None, choices=LINK_FORMATS, needs="gold"
)
gold_base = partial(
    flag,
    f"Number of the first word in Pharaoh gold: {BASE}.",
    None,
    choices=BASES,
    needs="gold",
)
sids = partial(
    flag,
    "Score only these sentences: one sid per line, or a table with a column sid.",
    None,
    metavar="FILE",
)
where = partial(
    flag,
    "Score only sentences that meet this SQL condition on their columns, such as 'sid < 110'.",
    None,
    metavar="SQL",
)
links_format = partial(
    flag, "Format of the links; detected by default.", None, choices=LINK_FORMATS, needs="links"
)
links_base = partial(
    flag,
    f"Number of the first word in Pharaoh links: {BASE}.",
    None,
    choices=BASES,
    needs="links",
)
links_order = partial(
    flag, "Which side the links name first.", "src-tgt", choices=ORDERS, needs="links"
)
links_output = partial(
    flag,
    "File to write the links to; '-' is standard output.",
    panel="Output",
    flags="-o --output",
    metavar="FILE",
    writes="links",
    format_by="to",
)
links_to = partial(
    flag,
    f"Format of the output; by default from its suffix: {LINKS.by_suffix}.",
    None,
    panel="Output",
    choices=LINK_FORMATS,
)
drop_outside = partial(
    flag,
    "Leave out links outside their sentence pair, such as those of the end of sentence; needs the "
    "text.",
    default=False,
)
"""Flags of several types of input."""


class Given(Input):
    """Gold, hypotheses and text, with options for reading them."""

    provides: ClassVar[tuple[str, ...]] = ("hyp", "gold", "bitext", "threads")

    gold: str = flag("Gold links, in any format.", metavar="FILE")
    hyp: list[str] = flag(
        "Links of a system in any format; a Parquet file, glob or folder may hold several. "
        "Repeatable.",
        metavar="[NAME=]FILE",
    )
    src: str | None = flag(SRC, None, metavar="FILE")
    tgt: str | None = flag(TGT, None, metavar="FILE")
    encoding: str = flag(ENCODING, "utf-8")
    gold_format: str | None = gold_format()
    gold_base: int | None = gold_base()
    hyp_format: list[str] | None = flag(
        "Format of --hyp, for all systems or for one; detected by default. Repeatable. One of "
        f"{', '.join(LINK_FORMATS)}.",
        None,
        metavar="[NAME=]FORMAT",
    )
    hyp_base: list[str] | None = flag(
        "Number of the first word in Pharaoh --hyp, for all systems or for one. Repeatable.",
        None,
        metavar="[NAME=]0|1",
    )
    hyp_order: Rare[list[str] | None] = flag(
        "Which side --hyp names first, src-tgt or tgt-src, for all systems or for one. Repeatable.",
        None,
        metavar="[NAME=]ORDER",
    )
    min_probability: Share | None = flag(
        "Ignore links of --hyp below this probability; needs links such as 0-0:0.9, NAACL with a "
        "fifth column, or a table with a column of probabilities.",
        None,
    )
    drop_outside: Rare[bool] = drop_outside()
    sids: Rare[str | None] = sids()
    where: str | None = where()
    threads: FromOne | None = flag(THREADS, None, panel="Output")

    nulls = False

    def arguments(self, shell: Shell) -> Arguments:
        """Return hyp, gold, bitext and threads, which live as long as the command."""
        # The executor stays open until the command has shown its result.
        return shell.stack.enter_context(self.read("bitext" in shell.needed, shell.on))

    @contextmanager
    def read(self, text_needed: bool = False, on: Sequence[str] = ()) -> Iterator[Arguments]:
        """Yield the arguments hyp, gold, bitext and threads of ``alignframe.links``."""
        from alignframe.links.text import Text

        bitext = text_of(self.src, self.tgt, self.encoding, needed=text_needed)
        if self.nulls and bitext is None:
            raise InputError("--nulls needs the text", todo="give --src and --tgt")
        # Null links need the number of words, also of sentences without links.
        lengths = Text(bitext) if self.nulls else None
        with ProgressExecutor(self.threads or os.cpu_count() or 1, "Counting links") as executor:
            yield {
                "hyp": self._hypotheses(bitext, lengths, on),
                "gold": self._gold(bitext, lengths, on),
                "bitext": bitext,
                "threads": executor,
            }

    def _gold(self, bitext: pa.Table | None, lengths: Text | None, on: Sequence[str]) -> Any:
        """Return gold, or the requested subset."""
        from alignframe.links.null_links import with_null_links

        gold = read_links(
            self.gold,
            self.gold_format,
            bitext,
            self.encoding,
            base=self.gold_base,
            drop_outside=self.drop_outside,
            on=on,
        )
        gold = with_null_links(gold, lengths)
        if self.sids is None and self.where is None:
            return gold
        from alignframe.links import subset

        return subset(gold, sids=self.sids, where=self.where)

    def _hypotheses(
        self, bitext: pa.Table | None, lengths: Text | None, on: Sequence[str]
    ) -> list[Any]:
        """Return the sources of hypotheses, by name if named."""
        from alignframe.links.null_links import with_null_links
        from alignframe.sources.source import systems_by_file

        files = [
            (name, own, path)
            for name, spec in map(split_name, self.hyp)
            # A folder or glob of text files has a system per file.
            for own, path in systems_by_file(spec, name)
        ]
        names = [own for _, own, _ in files]
        kinds = by_name(self.hyp_format, "--hyp-format", names)
        bases = by_name(self.hyp_base, "--hyp-base", names)
        orders = by_name(self.hyp_order, "--hyp-order", names)
        hypotheses: list[Any] = []
        for name, own, path in files:
            source = read_links(
                path,
                kinds[own],
                bitext,
                self.encoding,
                system=own if name else None,
                base=None if bases[own] is None else split(bases[own], int, "--hyp-base")[0],
                order=orders[own] or "src-tgt",
                min_probability=self.min_probability,
                drop_outside=self.drop_outside,
                on=on,
            )
            source = with_null_links(source, lengths)
            hypotheses.append({own: source} if name else source)
        return hypotheses


class Nullable(Given):
    """The same, with null links if wanted."""

    nulls: bool = flag(
        "Link every word without a link to nothing, in gold and in systems; needs the text.",
        False,
        panel="Analysis",
    )


def by_name(given: list[str] | None, option: str, names: list[str]) -> Arguments:
    """Return the values of an option by name; ``VALUE`` is for all, ``NAME=VALUE`` for one."""
    values: dict[str | None, str] = {}
    for text in given or ():
        name, mark, value = text.rpartition("=")
        if mark and name not in names:
            raise unknown_name(f"system in {option}", name, names)
        if (name if mark else None) in values:
            raise InputError(
                f"{option} {text}, which was given before", expected="each system once"
            )
        values[name if mark else None] = value
    return {name: values.get(name, values.get(None)) for name in names}


def read_links(
    path: str,
    format: str | None,
    bitext: pa.Table | None,
    encoding: str,
    *,
    system: str | None = None,
    **options: Any,
) -> Source:
    """Return the links of a file as a source; ``options`` are others of ``formats.read``."""
    from alignframe.links.inputs import links_source
    from alignframe.read.parquet import is_parquet

    # Parquet refuses options for text formats, so those not asked for are not passed.
    asked = {
        name: value
        for name, value in options.items()
        if value not in (None, "src-tgt", ()) and value is not False
    }
    if is_parquet(path) and format in (None, "parquet"):
        if "drop_outside" in asked:
            asked["bitext"] = bitext
        return links_source(path, **asked)  # may hold several systems, which the caller names
    asked |= {"encoding": encoding, "bitext": bitext, "format": format}
    return links_source(path, system, **asked)


def read_linked_text(
    src: str,
    tgt: str,
    tokens: str,
    encoding: str,
    links: str | None,
    format: str | None,
    **options: Any,
) -> tuple[list[pa.StringArray], pa.Table, Any]:
    """Return the sentences of two line-parallel files, a table of words, and any links.

    ``format`` is that of the links, ``options`` are others of ``read_links``.
    """
    import pyarrow as pa

    from alignframe.formats.parallel import read_parallel
    from alignframe.language.tokenize import token_lists

    _, *texts = read_parallel(src, tgt, encoding=encoding)
    words = dict(zip(("src", "tgt"), (token_lists(text, tokens) for text in texts), strict=True))
    text = pa.table({"sid": range(len(texts[0])), **words})
    if links is None:
        return texts, text, None
    links_read = read_links(links, format, text, encoding, **options)
    return texts, text, links_read


def split_name(spec: str, what: str = "hypothesis") -> tuple[str | None, str]:
    """Split ``NAME=FILE``; a file whose name contains an equals sign needs no name.

    Nor does an address such as ``s3://bucket/system=giza``.
    """
    name, mark, path = spec.partition("=")
    # Addresses and partitions contain equals signs: system=giza.
    is_place = spec.startswith(PLACES) or "://" in name
    if not mark or is_place or _exists(spec) or glob.glob(spec):
        return None, spec
    if not name or not path:
        raise InputError(f"the {what} {spec!r}", expected="NAME=FILE")
    return name, path


def _exists(spec: str) -> bool:
    try:
        return Path(spec).exists()
    except OSError:  # too long for a path, as NAME=FILE may be
        return False


def named_paths(specs: Sequence[str], what: str, own: Callable[[str], str]) -> dict[str, str]:
    """Return the paths of ``[NAME=]FILE`` by name; ``own`` names unnamed ones."""
    paths: dict[str, str] = {}
    for name, path in (split_name(spec, what) for spec in specs):
        add_named(paths, name or own(path), path, what)
    return paths


def add_named(paths: dict[str, str], name: str, path: str, what: str) -> None:
    """Add a file; raise an InputError if its name is taken."""
    if name in paths:
        raise InputError(
            f"the {what} {name!r} is given twice: {paths[name]} and {path}",
            todo="name them: NAME=FILE",
        )
    paths[name] = path


def named_place(spec: str, what: str) -> tuple[str, str]:
    """Split ``NAME=PLACE``."""
    name, mark, place = (part.strip() for part in spec.partition("="))
    if not (name and mark and place):
        raise InputError(f"the {what} {spec!r}", expected="NAME=PLACE, such as hyp=lake/hyp")
    return name, place


def read_text(src: str | None, tgt: str | None, encoding: str, which: str = "") -> Any:
    """Return the bitext of --src and --tgt (``which`` follows the dashes), or None without both."""
    if src is None and tgt is None:
        return None
    # The target side may be missing: one file can have both sides.
    if src is None or (which and tgt is None):
        given, other = ("tgt", "src") if src is None else ("src", "tgt")
        dashes = f"--{which}"
        raise InputError(f"{dashes}{given} needs the other side: {dashes}{other}")
    from alignframe.sources.pairs import sentence_pairs

    return sentence_pairs(src, tgt, encoding=encoding).table()


def text_of(src: str | None, tgt: str | None, encoding: str, *, needed: bool = True) -> Any:
    """Return the text of --src and --tgt, which may be required."""
    bitext = read_text(src, tgt, encoding)
    if bitext is None and needed:
        raise InputError(
            "no text given", expected="--src and --tgt, because dictionaries consist of words"
        )
    return bitext
