"""Lemmas of English words by WordNet's own method, morphy (morphy(7WN)).

A form in the exception list of its class has the first lemma given there that WordNet has, and
endings are left alone; else they are exchanged in a fixed order until a lemma of WordNet comes
out. A word may be a lemma itself as well ("found", "glasses"); here the tag decides:

- tags of inflected forms (NNS, VBD, JJR, ...): exceptions, endings, then the word itself;
- tags of base forms (NN, VB, VBP, JJ, RB): the word itself, exceptions, endings;
- tags that do not tell (universal ones, and others): exceptions, the word itself, endings.

Among several candidates of a step, the first one that WordNet has counts: exceptions in the order
of the list, endings in the order of ``ENDINGS``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from alignframe.language.content import wordnet_class
from alignframe.language.wordnet import WordNet, lemmas_by_pos

ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "n": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "v": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}
"""Endings and what takes their place, by class, in morphy's order."""

_INFLECTED = frozenset(
    "NNS NNPS VBD VBG VBN VBZ JJR JJS RBR RBS NN2 AJC AJS VVD VVG VVN VVZ".split()
)
_BASE = frozenset("NN NNP VB VBP JJ RB NN1 NP0 VVB VVI AJ0 AV0".split())


_Step: TypeAlias = Callable[[str, str], "str | None"]
"""What gives the lemma of a form of a class, if it has one."""


class Morphy:
    """Lemmas by WordNet's morphy.

    Parameters
    ----------
    wordnet
        The lemmas and exceptions to use.
    """

    def __init__(self, wordnet: WordNet) -> None:
        self.name = f"morphy-wordnet-{wordnet.version}"
        self._known = lemmas_by_pos(wordnet)
        self._of_tag: dict[str, tuple[str, tuple[_Step, ...]]] = {}
        self._exceptions: dict[str, dict[str, list[str]]] = {pos: {} for pos in ENDINGS}
        for pos, form, lemma in wordnet.exceptions.select("pos", "form", "lemma").iter_rows():
            self._exceptions[pos].setdefault(form, []).append(lemma)

    def lemma(self, word: str, tag: str) -> str:
        """Return the lemma of a word with a tag, in lower case; the word itself if none is known.

        Words that are no nouns, verbs, adjectives or adverbs are their own lemmas.
        """
        form = word.lower()
        pos, steps = self._of_tag.get(tag) or self._steps(tag)
        for step in steps:
            found = step(form, pos)
            if found is not None:
                return found
        return form

    def _steps(self, tag: str) -> tuple[str, tuple[_Step, ...]]:
        """Return the class of a tag and what is tried in turn, which is kept."""
        pos = wordnet_class(tag)
        steps: tuple[_Step, ...] = self._exception, self._itself, self._ending
        if tag in _INFLECTED:
            steps = self._exception, self._ending, self._itself
        elif tag in _BASE:
            steps = self._itself, self._exception, self._ending
        found = self._of_tag[tag] = (pos, steps) if pos is not None else ("", ())
        return found

    def _itself(self, form: str, pos: str) -> str | None:
        return form if form in self._known[pos] else None

    def _exception(self, form: str, pos: str) -> str | None:
        lemmas = self._exceptions[pos].get(form)
        if lemmas is None:
            return None
        return next((lemma for lemma in lemmas if lemma in self._known[pos]), None)

    def _ending(self, form: str, pos: str) -> str | None:
        if form in self._exceptions[pos]:  # "guest guest": what looks like an ending is none
            return None
        known = self._known[pos]
        rest = ""
        if pos == "n":
            if form.endswith("ful"):  # boxesful: boxful
                form, rest = form[:-3], "ful"
            elif form.endswith("ss") or len(form) <= 2:
                return None
        for ending, other in ENDINGS[pos]:
            if form.endswith(ending):
                lemma = form[: len(form) - len(ending)] + other
                if lemma in known:
                    return lemma + rest
        return None
