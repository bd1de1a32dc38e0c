"""Signatures, which record every choice that changes a score, in long and short form.

A signature is a list of ``key:value`` parts separated by bars. Its short form abbreviates the keys
and omits parts with their usual value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from alignframe.core.lazy import __version__

DROPPED = "outside:dropped"
"""The part for links outside their sentence pair that are left out."""

KEYS = {
    "alignframe": "v",
    "metric": "m",
    # analysis and features of TESLA
    "lang": "l",
    "tokens": "tok",
    "tagger": "tag",
    "lemmas": "lem",
    "synonyms": "syn",
    "content": "con",
    "similarities": "sims",
    "similarity": "sim",
    "orders": "ords",
    "alpha": "a",
    "function": "f",
    "empty": "e",
    "features": "feat",
    "model": "mod",
    "refs": "#",
    # BLEU and chrF
    "case": "cs",
    "normalization": "nf",
    "effective-order": "eff",
    "char-order": "nc",
    "word-order": "nw",
    "beta": "b",
    "whitespace": "ws",
    "sacrebleu": "sb",
    # pivot tables
    "pivot": "p",
    "sentences": "n",
    "phrases": "ph",
    "count": "c",
    "prob": "pr",
    "pivottags": "pt",
    "table": "t",
    # resampling
    "bootstrap": "bs",
    "paired-bootstrap": "pbs",
    "correction": "cor",
    "seed": "s",
    "confidence": "ci",
    # human rankings
    "rankings": "rk",
    "human-ties": "ht",
    "consistency-ties": "ct",
    "human": "h",
    "lower": "low",
    # links, phrases, beads, lexicons
    "possible": "pos",
    "average": "avg",
    "missing": "mis",
    "labels": "lab",
    "min-probability": "mp",
    "length": "len",
    "max-length": "max",
    "moses-length": "mmax",
    "align-dic1": "ad1",
    "lengths": "lens",
    "threshold": "thr",
    "priors": "pri",
    "smoothing": "sm",
    "better": "bet",
    "kendall": "ken",
    "segments": "seg",
    "interval": "int",
    "lexicon": "lex",
    "n-best": "nb",
    "min-both": "mb",
    "filters": "fil",
    "baseline": "bl",
    "cascades": "cas",
}
"""The short form of every key that has one; others stay as they are."""

_TESLA = (
    "lang:en|tokens:penn|tagger|lemmas|synonyms|content:NN,VB,JJ,RB|similarities:ms,pos|orders:3|"
    "alpha:0.8|function:0.1|empty:zero"
)
_BLEU = "refs|case:mixed|effective-order:no|tokens:13a|smoothing:exp|sacrebleu"
_CHRF = "refs|case:mixed|char-order:6|word-order:0|beta:2|whitespace:no"
USUAL = {
    "metric:links": "possible:includes-sure|average:corpus|missing:empty|labels:gold-only",
    "metric:phrases": "gold:possible-and-sure|max-length:none|align-dic1:mean-of-sentences|"
    "missing:empty",
    "metric:beads": "empty:precision|average:corpus|missing:empty",
    "metric:correlation": "from|possible:includes-sure|average:corpus|better:higher|best:pearson|"
    "kendall:tau-b",
    "metric:tesla-m": _TESLA,
    "metric:tesla-b": _TESLA,
    "metric:tesla-f": _TESLA,
    "metric:bleu": _BLEU,
    "metric:chrf": _CHRF,
    "metric:bleu,chrf": _BLEU + "|" + _CHRF.removeprefix("refs|case:mixed|"),
    "metric:meta": "pair|rankings|human-ties:left-out|consistency-ties:wrong|human:wmt12",
    "pivot": "sentences|phrases:moses.4.5|case:lower|count:2|prob:0.01|top:10|norm:yes",
}
"""The parts that usually follow a part or key, in order; a key alone matches any value."""

LONG = 200
"""Longer signatures, in characters, are printed in short form by default.
"""

_SHORT = {short: key for key, short in KEYS.items()}
# A key starts a part, a part of a nested signature or, after a space, another signature.
_KEY = re.compile(r"(?<![^|,( ])([a-z0-9#-]+)(?=:)")


def exact(number: float) -> str:
    """Return a number in the fewest digits that read back as the same number."""
    shortest = f"{number:g}"
    return shortest if float(shortest) == number else repr(float(number))


def within(signature: str) -> str:
    """Return a signature nested as the value of a part of another."""
    return signature.replace("|", ",").replace(":", "=")


def short(signature: str) -> str:
    """Return the short form of a signature, or the signature itself if that cannot be read back.

    Examples
    --------
    >>> usual = "average:corpus|missing:empty|labels:gold-only"
    >>> short(f"alignframe:0.1.0|metric:links|possible:as-sure|{usual}")
    'v:0.1.0|m:links|pos:as-sure'
    """
    if not signature.startswith("alignframe:"):
        return signature
    parts = signature.split("|")
    for kept in (list(_special(parts)), parts):
        shortened = _with_keys("|".join(kept), KEYS)
        if long(shortened) == signature:
            return shortened
    return signature


def long(signature: str) -> str:
    """Return the long form of a signature in either form.

    Examples
    --------
    >>> long("v:0.1.0|m:links|bs:1000,s:1,ci:0.95")[:50]
    'alignframe:0.1.0|metric:links|possible:includes-su'
    """
    if not signature.startswith(f"{KEYS['alignframe']}:"):
        return signature
    return "|".join(_filled(_with_keys(signature, _SHORT).split("|")))


def whole_signature(*parts: str) -> str:
    """Return a signature: the version, and the parts that are not empty."""
    return "|".join((f"alignframe:{__version__}", *filter(None, parts)))


def printed(text: str, form: str | None = None) -> str:
    """Return a text with its lines that are signatures in a form, ``short`` or ``long``."""

    def line(text_line: str) -> str:
        shown = form or ("short" if len(text_line) > LONG else "long")
        return short(text_line) if shown == "short" else long(text_line)

    return "\n".join(map(line, text.split("\n")))


def _with_keys(text: str, names: dict[str, str]) -> str:
    return _KEY.sub(lambda key: names.get(key[1], key[1]), text)


def _special(parts: list[str]) -> Iterator[str]:
    """Yield the parts that differ from the usual ones."""
    usual: list[str] = []
    for part in parts:
        if part not in usual:
            yield part
        usual = _following(part) or usual


def _filled(parts: list[str]) -> Iterator[str]:
    """Yield the parts, with omitted usual ones restored in their places."""
    usual: list[str] = []
    for part in parts:
        keys = [usual_part.partition(":")[0] for usual_part in usual]
        key = part.partition(":")[0]
        at = keys.index(key) if key in keys else len(keys)
        yield from (usual_part for usual_part in usual[:at] if ":" in usual_part)
        usual = usual[at + 1 :]
        yield part
        usual = _following(part) or usual
    yield from (usual_part for usual_part in usual if ":" in usual_part)


def _following(part: str) -> list[str]:
    """Return the usual parts that follow a part, if any."""
    parts = USUAL.get(part) or USUAL.get(part.partition(":")[0])
    return parts.split("|") if parts else []
