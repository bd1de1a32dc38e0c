"""Slow, simple reference versions of the kernels, over Python sets."""

from collections import defaultdict
from itertools import product

import pyarrow as pa
from hypothesis import strategies as st

Links = set[tuple[int, int]]

position = st.one_of(st.integers(0, 9), st.integers(0, 300), st.integers(0, 65535))
near = st.integers(0, 7)
links_anywhere = st.sets(st.tuples(position, position), max_size=25)
links_near = st.sets(st.tuples(near, near), max_size=25)
link_sets = st.one_of(links_near, links_anywhere)


@st.composite
def gold_sets(draw):
    """Draw (sure, possible) with sure inside possible."""
    possible = draw(link_sets)
    sure = {link for link in possible if draw(st.booleans())}
    return sure, possible


def count(hyp: Links, sure: Links, possible: Links) -> tuple[int, int, int, int, int]:
    """Return n_hyp, n_sure, n_possible, n_hyp_sure and n_hyp_possible."""
    return len(hyp), len(sure), len(possible), len(hyp & sure), len(hyp & possible)


def nested(rows, large=False):
    """Return rows of links as an Arrow list column."""
    kind = pa.struct([("i", pa.uint16()), ("j", pa.uint16())])
    made = [None if row is None else [{"i": i, "j": j} for i, j in row] for row in rows]
    return pa.array(made, pa.large_list(kind) if large else pa.list_(kind))


def nested_gold(rows):
    """Return rows of (sure, possible) as an Arrow list column of gold links."""
    kind = pa.struct([("i", pa.uint16()), ("j", pa.uint16()), ("sure", pa.bool_())])
    made = [
        None
        if row is None
        else [{"i": i, "j": j, "sure": (i, j) in row[0]} for i, j in sorted(row[1])]
        for row in rows
    ]
    return pa.array(made, pa.list_(kind))


def as_sets(column) -> list[Links]:
    """Return an Arrow or polars list column as sets."""
    rows = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    return [{(link["i"], link["j"]) for link in row or []} for row in rows]


STRAIGHT = [(0, -1), (-1, 0), (0, 1), (1, 0)]
DIAGONAL = [(-1, -1), (1, -1), (-1, 1), (1, 1)]
EAST_FIRST = [(0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, 0), (1, -1), (1, 1)]


def symmetrize(forward: Links, reverse: Links, method: str) -> Links:
    """Symmetrize by any method, straight from its definition."""
    if method == "intersection":
        return forward & reverse
    if method == "union":
        return forward | reverse
    if method == "refined":
        return refined(forward, reverse)
    if method.endswith("-closure"):
        return closure(symmetrize(forward, reverse, method.removesuffix("-closure")))
    family = method.partition("-")[0]
    ask = all if family == "lilt" else any
    order = _target_first if family == "grow" else None
    if family == "atools":
        made = pull(forward, reverse)
    elif family == "lilt":
        made = push(forward, reverse, EAST_FIRST, ask, order)
    else:
        made = push(forward, reverse, STRAIGHT + DIAGONAL * ("diag" in method), ask, order)
    if "final" in method:
        ask = all if family == "lilt" or method.endswith("-and") else any
        for side in (forward, reverse):
            for link in sorted(side, key=order):
                if link not in made and ask(_free(made, link)):
                    made.add(link)
    return made


def _target_first(link: tuple[int, int]) -> tuple[int, int]:
    return link[1], link[0]


def _free(made: Links, link: tuple[int, int]) -> list[bool]:
    return [link[0] not in {i for i, _ in made}, link[1] not in {j for _, j in made}]


def push(forward, reverse, steps, ask, order) -> Links:
    """Add neighbours of the links, starting from the intersection, until nothing changes."""
    made, union = forward & reverse, forward | reverse
    while True:
        before = len(made)
        for i, j in sorted(union, key=order):
            if (i, j) not in made:
                continue
            for di, dj in steps:
                link = (i + di, j + dj)
                if link in union and link not in made and ask(_free(made, link)):
                    made.add(link)
        if len(made) == before:
            return made


def pull(forward, reverse) -> Links:
    """Add links of the union that have a neighbour, until nothing changes."""
    made, union = forward & reverse, forward | reverse
    while True:
        before = len(made)
        for i, j in sorted(union - made):
            near = any((i + di, j + dj) in made for di, dj in STRAIGHT + DIAGONAL)
            if near and any(_free(made, (i, j))):
                made.add((i, j))
        if len(made) == before:
            return made


def closure(links: Links) -> Links:
    """Make every connected component of the bipartite graph complete."""
    made = set(links)
    while True:
        more = {(i, y) for (i, j), (x, y) in product(made, made) if (x, j) in made} - made
        if not more:
            return made
        made |= more


def refined(forward: Links, reverse: Links) -> Links:
    """Add links as Och & Ney (2003): none may have both horizontal and vertical neighbours."""
    made, union = forward & reverse, forward | reverse

    def beside(links, i, j):
        return (i, j - 1) in links or (i, j + 1) in links

    def above(links, i, j):
        return (i - 1, j) in links or (i + 1, j) in links

    while True:
        before = len(made)
        for link in sorted(union - made):
            wanted = all(_free(made, link))
            if not wanted and (beside(made, *link) or above(made, *link)):
                grown = made | {link}
                wanted = not any(beside(grown, *one) and above(grown, *one) for one in grown)
            if wanted:
                made.add(link)
        if len(made) == before:
            return made


def components(links: Links) -> list[tuple[set[int], set[int]]]:
    """Return the connected components as (source words, target words)."""
    groups: dict[tuple[int, int], set] = defaultdict(set)
    for one in links:
        merged = {one}
        for other in list(groups):
            if any(one[0] == i or one[1] == j for i, j in groups[other]):
                merged |= groups.pop(other)
        groups[one] = merged
    return [({i for i, _ in g}, {j for _, j in g}) for g in groups.values()]
