"""Explaining scores: which n-grams are matched with which, and by how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl

from alignframe.core.arrays import F64, Bools
from alignframe.core.choices import SIMILARITIES
from alignframe.core.signatures import exact, whole_signature
from alignframe.errors import InputError, check_known
from alignframe.functions.bags import check_function_weight
from alignframe.language.synonyms import synonyms_of
from alignframe.options import checked
from alignframe.tesla.bags import f_measure, solve_matching
from alignframe.typing import FromOne, IntoTokens, Row, Share

if TYPE_CHECKING:
    from alignframe.language.analysis import Analysis
    from alignframe.language.synonyms import Synonyms

# The cost of distance: of equal optima, the one with the fewest crossings is shown.
# Optima differ from other solutions by at least 1 / (2n 10^n), which is 1 / 6,000 for trigrams.
_NEARNESS = 1e-7

# Costs are multiplied by this, so that distances are above the solver's tolerance.
_SCALE = 1e4

Token = Row
"""An analysed token: word, tag, lemma and content."""

_FIELDS = frozenset(("word", "tag", "lemma", "content"))


@dataclass(frozen=True)
class Matching:
    """The optimal matching of two bags of n-grams (Liu, Dahlmeier & Ng 2010, section 3).

    Parameters
    ----------
    nodes
        One row per n-gram: side (``hyp`` or ``ref``), node (its number on that side, in text
        order), text, count, function (the number of its function words), weight, and matched (the
        matched part of the weight).
    edges
        One row per pair of n-grams with a similarity above 0: hyp and ref (numbers of nodes),
        similarity, and flow (its weight in the optimum).
    recall_weight
        The weight of recall in F, from 0 to 1.
    """

    nodes: pl.DataFrame
    edges: pl.DataFrame
    recall_weight: float = 0.8

    def as_rows(self) -> list[list[Any]]:
        """Return the n-grams of both sides and the edges of the optimum, for a page."""
        used = self.edges.filter(pl.col("flow") > 0)
        return [
            *(self.nodes.filter(side=side)["text"].to_list() for side in ("hyp", "ref")),
            [[h, r, round(s, 3), round(f, 3)] for h, r, s, f in used.rows()],
        ]

    @property
    def similarity(self) -> float:
        """S, the sum of similarity times flow."""
        return math.fsum(self.edges["similarity"] * self.edges["flow"])

    @property
    def precision(self) -> float:
        """S divided by the weight of the translation; 0 if it has no n-gram."""
        return self._ratio("hyp")

    @property
    def recall(self) -> float:
        """S divided by the weight of the reference; 0 if it has no n-gram."""
        return self._ratio("ref")

    @property
    def f(self) -> float:
        """The F-measure; 0 if nothing is matched."""
        measure = f_measure(
            self.similarity, self.weight("hyp"), self.weight("ref"), self.recall_weight
        )
        return float(measure)

    def weight(self, side: str) -> float:
        """Return the sum of weights of ``hyp`` or ``ref``."""
        return math.fsum(self.nodes.filter(side=side)["weight"])

    def table(self) -> pl.DataFrame:
        """Return the matches, one row each with its gain, followed by unmatched n-grams."""
        nodes = self.nodes.select("side", "node", "text", "weight")
        hyp, ref = (
            nodes.filter(side=side).select(
                pl.col("node").alias(f"{side}_node"),
                pl.col("text").alias(side),
                pl.col("weight").alias(f"{side}_weight"),
            )
            for side in ("hyp", "ref")
        )
        used = self.edges.filter(pl.col("flow") > 0).rename({"hyp": "hyp_node", "ref": "ref_node"})
        left = hyp.join(used, on="hyp_node", how="left", maintain_order="left").join(
            ref, on="ref_node", how="left", maintain_order="left"
        )
        alone = ref.join(used, on="ref_node", how="anti", maintain_order="left")
        return (
            pl.concat([left, alone], how="diagonal")
            .with_columns(gain=pl.col("similarity") * pl.col("flow"))
            .select("hyp", "hyp_weight", "ref", "ref_weight", "similarity", "flow", "gain")
        )

    def _ratio(self, side: str) -> float:
        weight = self.weight(side)
        return self.similarity / weight if weight > 0 else 0.0


@checked
def explain(
    hyp: IntoTokens,
    ref: IntoTokens,
    n: FromOne = 1,
    similarity: str = "ms",
    synonyms: Synonyms | str | None = "wordnet",
    *,
    function_weight: float = 0.1,
    recall_weight: Share = 0.8,
) -> Matching:
    """Match the n-grams of a translation with those of its reference.

    Parameters
    ----------
    hyp, ref
        Analysed tokens, as from ``analyse`` for a sentence (``analyse(texts)[0]``): word, tag,
        lemma and content.
    n
        The n-gram length.
    similarity
        ``ms``: 1 for equal lemmas, or else one half each for a shared synset and for equal tags;
        ``lem``: 1 for equal lemmas; ``pos``: 1 for equal tags.
    synonyms
        The synonyms for ``ms``: by default WordNet's, as in ``tesla.score`` for English; anything
        else that ``language.synonyms_of`` accepts; or None.
    function_weight
        The factor of an n-gram's weight for every function word in it, in tenths.
    recall_weight
        The weight of recall in F, from 0 to 1.

    Returns
    -------
    Matching
        The n-grams, the edges between them, S, precision, recall and F. Equal n-grams are one.

    Raises
    ------
    InputError
        If a sentence is not a list of tokens, ``n`` is below 1, the similarity or a weight is
        invalid, or WordNet is missing.

    Notes
    -----
    Dahlmeier, Liu & Ng 2011, sections 2.1 and 2.2. Solved by scipy's HiGHS; S is that of
    ``tesla.score``. Of several optimal matchings, one with the fewest crossings is returned.

    Examples
    --------
    >>> from alignframe import tesla
    >>> boat, ship = (
    ...     {"word": word, "tag": "NN", "lemma": word, "content": True} for word in ("boat", "ship")
    ... )
    >>> found = tesla.explain([boat], [boat, ship], synonyms=None)
    >>> found.precision, found.recall
    (1.0, 0.5)
    """
    check_similarity(similarity)
    check_function_weight(function_weight)
    hyp, ref = _tokens(hyp, "translation"), _tokens(ref, "reference")
    if isinstance(synonyms, str):
        synonyms = synonyms_of(synonyms) if similarity == "ms" else None
    bags = [_bag(tokens, n, function_weight) for tokens in (hyp, ref)]
    words = _similarities(hyp, ref, similarity, synonyms)
    starts, others = (bag["start"].to_numpy() for bag in bags)
    parts = [words[np.ix_(starts + k, others + k)] for k in range(n)]
    mean = np.mean(parts, axis=0)
    # N-grams are similar only if all their words are.
    similar = np.where(np.min(parts, axis=0) > 0, mean, 0.0)
    at, to = np.nonzero(similar)
    weights = [bag["weight"].to_numpy() for bag in bags]
    far = np.abs(np.subtract.outer(starts / max(len(hyp), 1), others / max(len(ref), 1)))
    gains = np.where(similar > 0, _SCALE * (similar - _NEARNESS * far), 0.0)
    # Weights are products of counts and powers of ten; smaller values are numerical noise.
    solved = solve_matching(weights[0], weights[1], gains)[1]
    flow = np.round(solved[at, to].astype(np.float64), 10)
    edges = pl.DataFrame({"hyp": at, "ref": to, "similarity": similar[at, to], "flow": flow})
    nodes = [
        bag.with_columns(
            side=pl.lit(side),
            matched=np.bincount(ends, flow, minlength=bag.height).astype(np.float64),
        ).select("side", "node", "text", "count", "function", "weight", "matched")
        for side, bag, ends in zip(("hyp", "ref"), bags, (at, to), strict=True)
    ]
    return Matching(pl.concat(nodes), edges, recall_weight)


def signature_of(
    analysis: Analysis, n: int, similarity: str, function_weight: float, recall_weight: float
) -> str:
    """Return every choice that changes a matching."""
    return whole_signature(
        analysis.signature,
        f"similarity:{similarity}",
        f"order:{n}",
        f"alpha:{exact(recall_weight)}",
        f"function:{exact(function_weight)}",
    )


def _tokens(given: Any, what: str) -> Sequence[Token]:
    """Return a sentence's tokens."""
    tokens = given.as_py() if hasattr(given, "as_py") else given  # a cell of an Arrow column
    tokens = given.to_list() if isinstance(given, pl.Series) else tokens  # or of polars
    listed = isinstance(tokens, Sequence) and not isinstance(tokens, str)
    if listed and all(isinstance(token, Mapping) and set(token) >= _FIELDS for token in tokens):
        return cast("Sequence[Token]", tokens)
    raise InputError(
        f"a {what} that is not a list of analysed tokens: {str(tokens)[:60]!r}",
        expected="tokens with word, tag, lemma and content",
        todo="analyse the text first: analyse([text])[0]",
    )


def check_similarity(name: str) -> None:
    """Refuse an unknown similarity."""
    check_known("`similarity`", name, SIMILARITIES)


def _bag(tokens: Sequence[Token], n: int, function_weight: float) -> pl.DataFrame:
    """Return the distinct n-grams of a sentence in order: text, count, weight, first position."""
    ngrams: dict[object, Row] = {}
    for start in range(len(tokens) - n + 1):
        gram = tokens[start : start + n]
        # N-grams with other tags or lemmas are distinct.
        key = tuple((token["lemma"], token["tag"], token["content"]) for token in gram)
        function = sum(not token["content"] for token in gram)
        text = " ".join(token["word"] for token in gram)
        known = ngrams.setdefault(
            key,
            {"node": len(ngrams), "text": text, "count": 0, "function": function, "start": start},
        )
        known["count"] += 1
    schema = dict.fromkeys(("node", "text", "count", "function", "start"), pl.Int64)
    frame = pl.DataFrame(list(ngrams.values()), {**schema, "text": pl.String})
    weights = [row["count"] * function_weight ** row["function"] for row in ngrams.values()]
    return frame.with_columns(weight=pl.Series(weights, dtype=pl.Float64))


def _similarities(
    hyp: Sequence[Token], ref: Sequence[Token], similarity: str, synonyms: Synonyms | None
) -> F64:
    """Return the similarity between each word of one side and each of the other."""
    shape = (len(hyp), len(ref))
    same = {
        name: np.array([[h[name] == r[name] for r in ref] for h in hyp], np.float64).reshape(shape)
        for name in ("lemma", "tag")
    }
    if similarity != "ms":
        return same["lemma" if similarity == "lem" else "tag"]
    shared = _shared([h["lemma"] for h in hyp], [r["lemma"] for r in ref], synonyms)
    similarities: F64 = np.where(same["lemma"] > 0, 1.0, (shared + same["tag"]) / 2)
    return similarities


def _shared(hyp: list[str], ref: list[str], synonyms: Synonyms | None) -> F64:
    """Return 1 where two lemmas share a synset, else 0."""
    if synonyms is None or not (hyp and ref):
        return np.zeros((len(hyp), len(ref)))
    a, b = (synonyms.numbers(lemmas).astype(np.int64) for lemmas in (hyp, ref))
    low, high = np.minimum.outer(a, b), np.maximum.outer(a, b)
    # An unknown lemma's number yields a key that no pair has.
    keys = (np.where(low >= 0, low << 32 | high, 0) + 1).astype(np.uint64)
    known = synonyms._keys  # noqa: SLF001
    are_shared: Bools = np.searchsorted(known, keys) < np.searchsorted(known, keys, "right")
    return are_shared.astype(np.float64)
