"""English lemmas by WordNet's own method, morphy (morphy(7WN)).

A form in the exception list of its class gets the first lemma listed there that is in WordNet.
Otherwise, endings are replaced in a fixed order until the result is a lemma in WordNet. For words
that are lemmas themselves ("found", "glasses") the tag decides the order of steps:

- tags of inflected forms (NNS, VBD, JJR, ...): exceptions, endings, then the word itself;
- tags of base forms (NN, VB, VBP, JJ, RB): the word itself, exceptions, endings;
- other tags, such as universal ones: exceptions, the word itself, endings.

Among several candidates of a step, the first in WordNet wins: exceptions in list order, endings in
the order of ``ENDINGS``.
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
"""Endings and their replacements, by class, in morphy's order."""

_INFLECTED = frozenset(
    "NNS NNPS VBD VBG VBN VBZ JJR JJS RBR RBS NN2 AJC AJS VVD VVG VVN VVZ".split()
)
_BASE = frozenset("NN NNP VB VBP JJ RB NN1 NP0 VVB VVI AJ0 AV0".split())


# A step that returns the lemma of a form of a class, if any.
_Step: TypeAlias = Callable[[str, str], "str | None"]


class Morphy:
    """Lemmas by WordNet's morphy."""

    def __init__(self, wordnet: WordNet) -> None:
        self.name = f"morphy-wordnet-{wordnet.version}"
        self._known = lemmas_by_pos(wordnet)
        self._of_tag: dict[str, tuple[str, tuple[_Step, ...]]] = {}
        self._exceptions: dict[str, dict[str, list[str]]] = {pos: {} for pos in ENDINGS}
        for pos, form, lemma in wordnet.exceptions.select("pos", "form", "lemma").iter_rows():
            self._exceptions[pos].setdefault(form, []).append(lemma)

    def lemma(self, word: str, tag: str) -> str:
        """Return the lemma of a tagged word in lower case; the word itself if none is known."""
        form = word.lower()
        pos, steps = self._of_tag.get(tag) or self._steps(tag)
        for step in steps:
            lemma = step(form, pos)
            if lemma is not None:
                return lemma
        return form

    def _steps(self, tag: str) -> tuple[str, tuple[_Step, ...]]:
        """Return the class of a tag and the steps to try, cached."""
        pos = wordnet_class(tag)
        steps: tuple[_Step, ...] = self._exception, self._itself, self._ending
        if tag in _INFLECTED:
            steps = self._exception, self._ending, self._itself
        elif tag in _BASE:
            steps = self._itself, self._exception, self._ending
        class_and_steps = self._of_tag[tag] = (pos, steps) if pos is not None else ("", ())
        return class_and_steps

    def _itself(self, form: str, pos: str) -> str | None:
        return form if form in self._known[pos] else None

    def _exception(self, form: str, pos: str) -> str | None:
        lemmas = self._exceptions[pos].get(form)
        if lemmas is None:
            return None
        return next((lemma for lemma in lemmas if lemma in self._known[pos]), None)

    def _ending(self, form: str, pos: str) -> str | None:
        if form in self._exceptions[pos]:  # as in "guest", which has no superlative ending
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
