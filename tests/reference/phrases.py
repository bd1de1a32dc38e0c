"""Slow, simple reference phrase pairs and dictionaries (Carl & Fissaha 2003), over Python sets.

A pair of spans is ``(src_start, src_end, tgt_start, tgt_end)``, 0-based and half-open.
"""

from collections import Counter
from itertools import product
from statistics import fmean

import polars as pl
import pyarrow as pa
from hypothesis import strategies as st
from reference import links as reference

SPANS = ("src_start", "src_end", "tgt_start", "tgt_end")
KIND_OF = {"align-dic1": "minimal", "text-dic1": "minimal", "text-dic2": "exhaustive"}


def closed(links, a, b, c, d):
    """Return whether the pair contains a link and no link leads out of it on either side."""
    crossing = [(i, j) for i, j in links if (a <= i < b) != (c <= j < d)]
    return not crossing and bool(inside(links, a, b, c, d))


def inside(links, a, b, c, d):
    return {(i, j) for i, j in links if a <= i < b and c <= j < d}


def minimal(links, longest=None):
    """Return the closure of every link: both spans grow until no link leads out on either side."""
    found = set()
    for i, j in links:
        a, b, c, d = i, i + 1, j, j + 1
        while True:
            touched = [(x, y) for x, y in links if a <= x < b or c <= y < d]
            sources, targets = zip(*touched, strict=True)
            grown = (
                min(a, *sources),
                max(b, *(x + 1 for x in sources)),
                min(c, *targets),
                max(d, *(y + 1 for y in targets)),
            )
            if grown == (a, b, c, d):
                break
            a, b, c, d = grown
        found.add((a, b, c, d))
    return sorted(p for p in found if fits(p, longest))


def fits(pair, longest):
    a, b, c, d = pair
    return longest is None or (b - a <= longest and d - c <= longest)


def exhaustive(links, longest=None):
    """Return all closed pairs of spans that begin and end with linked words."""
    sources, targets = sorted({i for i, _ in links}), sorted({j for _, j in links})
    pairs = []
    for a, z, c, y in product(sources, sources, targets, targets):
        pair = (a, z + 1, c, y + 1)
        if a > z or c > y or not closed(links, *pair) or not fits(pair, longest):
            continue
        words = inside(links, *pair)
        if {i for i, _ in words} >= {a, z} and {j for _, j in words} >= {c, y}:
            pairs.append(pair)
    return sorted(pairs)


def exhaustive_of_many(links, longest=None):
    """Return the same for long sentences: a source span only goes with the span of its links."""
    pairs = []
    sources = sorted({i for i, _ in links})
    for a, z in product(sources, sources):
        targets = [j for i, j in links if a <= i <= z]
        if targets:
            pair = (a, z + 1, min(targets), max(targets) + 1)
            if fits(pair, longest) and closed(links, *pair):
                pairs.append(pair)
    return sorted(pairs)


def moses(links, longest=None, n_src=None, n_tgt=None):
    """Return all closed pairs of spans of a sentence, by default up to 7 words."""
    longest = 7 if longest is None else longest
    n_src = max([n_src or 0, *(i + 1 for i, _ in links)])
    n_tgt = max([n_tgt or 0, *(j + 1 for _, j in links)])
    pairs = []
    for a, c in product(range(n_src), range(n_tgt)):
        for b, d in product(range(a + 1, n_src + 1), range(c + 1, n_tgt + 1)):
            if fits((a, b, c, d), longest) and closed(links, a, b, c, d):
                pairs.append((a, b, c, d))
    return sorted(pairs)


def null_links(links, n_src=None, n_tgt=None):
    """Return how many words of both sides have no link."""
    return len(with_null_links(links, n_src, n_tgt) - links)


def with_null_links(links, n_src=None, n_tgt=None):
    """Return links, and links of words without one to one past the other side's last word."""
    sources, targets = {i for i, _ in links}, {j for _, j in links}
    n_src = max([n_src or 0, *(i + 1 for i in sources)])
    n_tgt = max([n_tgt or 0, *(j + 1 for j in targets)])
    return (
        links
        | {(i, n_tgt) for i in set(range(n_src)) - sources}
        | {(n_src, j) for j in set(range(n_tgt)) - targets}
    )


def phrases(links, kind, longest=None, n_src=None, n_tgt=None):
    if kind == "moses":
        return moses(links, longest, n_src, n_tgt)
    if kind == "minimal":
        return minimal(links, longest)
    return (exhaustive if len(links) < 8 else exhaustive_of_many)(links, longest)


def dictionary(rows, text, name, longest=None):
    """Count every entry: ``(sid, src, tgt)``, or ``(src, tgt)`` for the whole text.

    ``rows`` maps sentences to links, ``text`` to pairs of lists of words.
    """
    counted = Counter()
    for sid, links in rows.items():
        src, tgt = text[sid]
        for a, b, c, d in phrases(links, KIND_OF[name], longest):
            entry = (" ".join(src[a:b]), " ".join(tgt[c:d]))
            counted[(sid, *entry) if name == "align-dic1" else entry] += 1
    return counted


def mean(values):
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def ratio(top, bottom):
    return top / bottom if bottom else None


def score(hyp, gold, name):
    """Return entries, gold_entries, precision, recall and f of two dictionaries."""
    mine, wanted = set(hyp), set(gold)
    groups = {entry[0] for entry in mine | wanted} if name == "align-dic1" else {None}
    parts = []
    for group in groups:
        one = {e for e in mine if group is None or e[0] == group}
        two = {e for e in wanted if group is None or e[0] == group}
        both = len(one & two)
        f = 2 * both / (len(one) + len(two)) if two else None
        parts.append((ratio(both, len(one)), ratio(both, len(two)), f))
    figures = [mean(column) for column in zip(*parts, strict=True)] or [None] * 3
    return (len(mine), len(wanted), *figures)


def column(rows):
    return reference.nested([sorted(row) for row in rows])


def spans(found):
    """Return rows of phrases as lists of tuples."""
    rows = found.to_pylist() if hasattr(found, "to_pylist") else found
    return [[tuple(pair[name] for name in SPANS) for pair in row] for row in rows]


# --- random text and systems


@st.composite
def sentences(draw):
    """Draw links, and the lengths of both sides: unknown, just enough, or more."""
    links = draw(reference.links_near)
    ends = (max([0, *(link[side] + 1 for link in links)]) for side in (0, 1))
    return (links, *(draw(st.none() | st.integers(end, end + 3)) for end in ends))


def numbers(values):
    return pa.array(values, pa.int64())


WORDS = st.sampled_from(["a", "b", "c", "of"])


@st.composite
def corpora(draw, systems=2):
    """Draw a text with repeated words, and the links of gold and of systems."""
    sides = st.lists(WORDS, min_size=1, max_size=6)
    text = dict(enumerate(draw(st.lists(st.tuples(sides, sides), min_size=1, max_size=8))))

    def links(sid):
        src, tgt = text[sid]
        near = st.tuples(st.integers(0, len(src) - 1), st.integers(0, len(tgt) - 1))
        return draw(st.sets(near, max_size=6))

    names = ["gold", *(f"s{k}" for k in range(systems))]
    return text, {name: {sid: links(sid) for sid in text} for name in names}


def bitext(text):
    """Return a text as a frame."""
    columns = {
        "sid": list(text),
        "src": [src for src, _ in text.values()],
        "tgt": [tgt for _, tgt in text.values()],
    }
    words = pl.List(pl.String)
    return pl.DataFrame(columns, schema={"sid": pl.Int64, "src": words, "tgt": words})


def nested(rows, system=None):
    """Return sentences of links as a nested frame, optionally of a named system."""
    column = pl.Series("links", pl.from_arrow(reference.nested([sorted(s) for s in rows.values()])))
    frame = pl.DataFrame({"sid": pl.Series(list(rows), dtype=pl.Int64), "links": column})
    return frame if system is None else frame.select(pl.lit(system).alias("system"), pl.all())


def sets_of(path):
    """Return the sentences of a Pharaoh file as links, without labels."""
    lines = path.read_text("utf-8").splitlines()
    rows = [line.replace("p", "-").split() for line in lines]
    return {sid: {tuple(map(int, link.split("-"))) for link in row} for sid, row in enumerate(rows)}


def text_of(src, tgt):
    """Return two files of words as sentences."""
    sides = [path.read_text("utf-8").splitlines() for path in (src, tgt)]
    return {
        k: (one.split(), other.split()) for k, (one, other) in enumerate(zip(*sides, strict=True))
    }
