"""Priors of eflomal: counts of a text that train on others, read and written.

Lines have a kind, words or a jump, and a count, with tabs: ``LEX src tgt count``, of which NULL is
``<NULL>``; ``HMMF jump count`` and ``FERF src fertility count`` of the forward direction, ``HMMR``
and ``FERR tgt fertility count`` of the reverse one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

import numpy as np
import pyarrow as pa

from alignframe.aligners.bidirectional import in_order
from alignframe.aligners.model import Model
from alignframe.aligners.sampled import Parameters
from alignframe.aligners.translations import Translations, Vocabularies
from alignframe.core.output import replacing
from alignframe.errors import InputError, in_file
from alignframe.formats.word_list import PRIOR, PRIOR_BEGINS
from alignframe.kernels.aligners.gibbs import MAX_FERTILITY, MAX_JUMP
from alignframe.options.aligners import Bayes
from alignframe.read.lines import TextFile

NULL = "<NULL>"

_LEAST = 0.01
"""Smaller counts are not written: links that hardly any sample had."""

Counts = dict[tuple[str, str], float]


def is_priors(path: str | PathLike[str]) -> bool:
    """Whether a file has lines of eflomal's priors."""
    if not Path(path).is_file():
        return False
    first = next((line for _, line in TextFile(path).lines() if line.strip()), "")
    return PRIOR_BEGINS.match(first) is not None


def read_priors(path: str | PathLike[str]) -> tuple[Model, Model]:
    r"""Read priors of eflomal as a forward and a reverse model of the kind ``bayes``.

    They are for ``prior`` of training, which takes counts of translations and fertilities from
    them; jumps are learnt anew.

    Raises
    ------
    InputError
        If a line is none of priors, with its number.

    Examples
    --------
    >>> from pathlib import Path
    >>> from alignframe import aligners
    >>> _ = Path("priors").write_text("LEX\tboat\tbateau\t5\nFERF\tboat\t1\t5\n")
    >>> aligners.read_priors("priors")
    (Model('bayes', forward, 1 x 1 words), Model('bayes', reverse, 1 x 1 words))
    """
    counts: dict[str, Counts] = defaultdict(lambda: defaultdict(float))
    with in_file(path):
        for number, line in TextFile(path).lines():
            if line.strip():
                kind, key, count = _parsed(line, number)
                counts[kind][key] += count
    lex = counts["LEX"]
    words = [
        {pair[side] for pair in lex} | {word for word, _ in counts[kind]}
        for side, kind in enumerate(("FERF", "FERR"))
    ]
    src, tgt = (pa.array(sorted(side - {NULL}), pa.string()) for side in words)
    turned = {(tgt_word, src_word): count for (src_word, tgt_word), count in lex.items()}
    return (
        Model("bayes", (src, tgt), False, _parameters(lex, counts, "F", (src, tgt))),
        Model("bayes", (src, tgt), True, _parameters(turned, counts, "R", (tgt, src))),
    )


def _parsed(line: str, number: int) -> tuple[str, tuple[str, str], float]:
    found = PRIOR.fullmatch(line.rstrip("\r\n"))
    if found is not None:
        kind, first, second, count = found.groups()
        whole = second is None if kind.startswith("HMM") else second is not None
        place = first if kind.startswith("HMM") else second
        if whole and (kind == "LEX" or _is_whole(place, negative=kind.startswith("HMM"))):
            return kind, (first, second or ""), float(count)
    raise InputError(
        f"line {number:,} is {line.strip()[:60]!r}",
        expected="LEX, src, tgt, count; FERF or FERR, word, fertility, count; or HMMF or HMMR, "
        "jump, count, with tabs",
    )


def _is_whole(text: str, *, negative: bool) -> bool:
    return (text.removeprefix("-") if negative else text).isdecimal()


def _parameters(
    lex: Counts, counts: dict[str, Counts], way: str, words: Vocabularies
) -> Parameters:
    """Return the counts of a direction, whose conditioning words come first in ``lex``."""
    # NULL is 0 among conditioning words; pairs with NULL as the target are of the other direction.
    rows = {NULL: 0} | {word: k for k, word in enumerate(words[0].to_pylist(), 1)}
    columns = {word: k for k, word in enumerate(words[1].to_pylist())}
    kept = [(rows[a], columns[b], count) for (a, b), count in lex.items() if b != NULL]
    row, column = np.array([(a, b) for a, b, _ in kept], np.int32).reshape(-1, 2).T
    values = np.array([count for *_, count in kept], np.float32)
    fertilities = np.zeros((len(rows), MAX_FERTILITY + 1), np.float32)
    for (word, fertility), count in counts[f"FER{way}"].items():
        fertilities[rows[word] - 1, min(int(fertility), MAX_FERTILITY)] += count
    jumps = np.zeros(2 * MAX_JUMP + 1)
    for (jump, _), count in counts[f"HMM{way}"].items():
        jumps[max(min(int(jump), MAX_JUMP), -MAX_JUMP) + MAX_JUMP] += count
    usual = Bayes()
    return Parameters(
        Translations.from_cells(row, column, values, len(rows) - 1),
        np.bincount(row, values, len(rows) + 1).astype(np.float64),
        fertilities,
        jumps,
        words,
        usual.null,
        usual.concentration,
        usual.spelling,
        usual.stems,
    )


def write_priors(models: Sequence[Model], path: str | PathLike[str]) -> int:
    """Write a forward and a reverse model as priors of eflomal; return the number of lines.

    A count of a translation is the mean of both directions. Pseudo-counts by spelling and stems,
    and options, are no counts, and left out.

    Raises
    ------
    InputError
        If the models are not a forward and a reverse one of the kind ``bayes``, or split text into
        words, which eflomal does not.

    Examples
    --------
    >>> from alignframe import aligners
    >>> models = [aligners.fit(["house"], ["Haus"], reverse=reverse) for reverse in (False, True)]
    >>> aligners.write_priors(models, "priors") > 0
    True
    """
    ordered = in_order(models)
    for model in ordered:
        if model.kind != "bayes":
            raise InputError(
                f"a model of the kind {model.kind}", expected="bayes, which has counts"
            )
    if any(model.splits for model in ordered):
        raise InputError(
            "models that split raw text into words",
            expected="models of words between spaces, as eflomal reads text",
            todo="train on what alignframe words writes",
        )
    lines = 0
    with replacing(path) as out:
        for line in _lines(ordered[0], ordered[1]):
            out.write(line.encode())
            lines += 1
    return lines


def _lines(forward: Model, reverse: Model) -> Iterator[str]:
    lex: Counts = defaultdict(float)
    for model in (forward, reverse):
        own: Parameters = model.parameters
        src, tgt = ([NULL, *model.turned[0].to_pylist()], model.turned[1].to_pylist())
        rows = np.repeat(np.arange(own.totals.size), np.diff(own.pairs.starts))
        kept = (own.pairs.values > 0) & (rows < len(src)) & (own.pairs.targets < len(tgt))
        found = (rows[kept].tolist(), own.pairs.targets[kept].tolist(), own.pairs.values[kept])
        for row, column, count in zip(*found, strict=True):
            pair = (src[row], tgt[column])
            # Links to NULL are of one direction only.
            lex[pair[::-1] if model.reverse else pair] += float(count) / (2 if row else 1)
    for (a, b), count in sorted(lex.items()):
        if count >= _LEAST:
            yield f"LEX\t{a}\t{b}\t{count:g}\n"
    for model, way in ((forward, "F"), (reverse, "R")):
        words = model.turned[0].to_pylist()
        table = model.parameters.fertilities[: len(words)]
        for row, fertility in np.argwhere(table >= _LEAST).tolist():
            yield f"FER{way}\t{words[row]}\t{fertility}\t{table[row, fertility]:g}\n"
    for model, way in ((forward, "F"), (reverse, "R")):
        for at in np.flatnonzero(model.parameters.jumps >= _LEAST).tolist():
            yield f"HMM{way}\t{at - MAX_JUMP}\t{model.parameters.jumps[at]:g}\n"
