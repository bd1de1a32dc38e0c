"""Part-of-speech taggers: adapters for other libraries and for user-defined functions.

The default for English is TextBlob's pattern tagger, which needs no download. On the English Web
Treebank it distinguishes content from function words with 97.4% accuracy and predicts Penn tags
with 83%; a perceptron trained on newswire gets 95.8% and 85%.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Sequence
from importlib import metadata
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Protocol, runtime_checkable

from alignframe.errors import InputError, MissingExtraError, number_of, unknown_name, warn
from alignframe.language.analysed import Analysed
from alignframe.language.coverage import share_in_script
from alignframe.language.remedies import learn_tags

Sentence = Sequence[str]


@runtime_checkable
class WordTagger(Protocol):
    """A tagger that looks only at the word, and at whether it starts the sentence."""

    @property
    def name(self) -> str:
        """The tagger and its version, for the signature."""

    @property
    def tag_set(self) -> str:
        """The tag set, a name of ``content.SETS``."""

    def tag_word(self, word: str, opens: bool) -> str:
        """Return the tag of a word."""


@runtime_checkable
class SentenceTagger(Protocol):
    """A tagger that looks at whole sentences."""

    @property
    def name(self) -> str:
        """The tagger and its version, for the signature."""

    @property
    def tag_set(self) -> str:
        """The tag set, a name of ``content.SETS``; empty if unknown."""

    @property
    def has_lemmas(self) -> bool:
        """Whether it gives lemmas too."""

    def tag(self, sentences: Sequence[Sentence]) -> list[list[tuple[str, str]]]:
        """Return the tag and the lemma of each word; the lemma is empty if it has none."""


Tagger = WordTagger | SentenceTagger

_FOLDED = {"’": "'", "‘": "'", "‛": "'", "ʼ": "'"}
_SIGNS = {"…": "...", "—": "--", "―": "--", "«": '"', "»": '"', "„": '"', "‟": '"', "−": "-"}


class OfLatin:
    """A tagger that only knows words in Latin letters."""

    name: str

    def check(self, sentences: Analysed, what: str) -> None:
        """Warn if most words of sentences have letters of another script."""
        share, asked = share_in_script(sentences, "Latin")
        if share < 0.5:
            warn(
                f"{what}: {1 - share:.0%} of its {number_of(asked, 'word')} are not in Latin "
                f"letters, the only ones that the tagger {self.name} knows; name the language of "
                "the text (`language`) and its tagger (`tagger`): spacy:MODEL, a file of "
                "alignframe tesla tags, or given; the metric f needs none"
            )


class TextBlobTagger(OfLatin):
    """TextBlob's pattern tagger, without context rules: English, Penn tags."""

    tag_set = "penn"

    def __init__(self) -> None:
        text, folder = _pattern()
        self._rules = text.find_tags
        lines = (folder / "en" / "en-lexicon.txt").read_text("utf-8").split("\n")
        self._known: dict[str, str] = dict(
            line.split(" ", 2)[:2] for line in lines if line and not line.startswith(";;;")
        )
        self.name = f"textblob-{metadata.version('textblob')}"

    def tag_word(self, word: str, opens: bool) -> str:
        """Return the tag of a word, at the start of a sentence or within one."""
        form = word
        if not word.isascii():
            # The lexicon lacks typographic apostrophes and dashes.
            form = _SIGNS.get(word, word)
            for sign, plain in _FOLDED.items():
                form = form.replace(sign, plain)
        tag = self._known.get(form) or (opens and self._known.get(form.lower()))
        if tag:
            # Of several tags (NNP|VBN), the first.
            return tag.partition("|")[0]
        tag_by_rules = self._rules([form], language="en")[0][1]
        # Where TextBlob says NN of anything unknown.
        return (
            "SYM" if tag_by_rules == "NN" and not any(map(str.isalnum, form)) else str(tag_by_rules)
        )


class NoTagger:
    """No tagger: WORD for tokens with a letter or digit, else SIGN."""

    name = tag_set = "none"

    def tag_word(self, word: str, opens: bool) -> str:  # noqa: ARG002 - as of a WordTagger
        """Return which of the two a word is."""
        return "WORD" if any(map(str.isalnum, word)) else "SIGN"


_HANTA = {"de": "morphmodel_ger.pgz", "nl": "morphmodel_dutch.pgz", "en": "morphmodel_en.pgz"}
_HANTA_SETS = {"de": "de", "nl": "nl", "en": "c5"}


class HanTaTagger(OfLatin):
    """HanTa: German, Dutch and English, with lemmas."""

    has_lemmas = True

    def __init__(self, language: str) -> None:
        if language not in _HANTA:
            raise InputError(
                f"the tagger hanta for the language {language!r}",
                expected=", ".join(_HANTA),
                todo=learn_tags(language),
            )
        instead = learn_tags(language) if language != "en" else ""
        module = _module("HanTa.HanoverTagger", "HanTa", "hanta", "the tagger hanta", instead)
        self._tagger = module.HanoverTagger(_HANTA[language])
        self.tag_set = _HANTA_SETS[language]
        self.name = f"hanta-{metadata.version('HanTa')}"

    def tag(self, sentences: Sequence[Sentence]) -> list[list[tuple[str, str]]]:
        """Return the tag and the lemma of each word."""
        return [
            [(str(tag), str(lemma)) for _, lemma, tag in self._tagger.tag_sent(list(words))]
            if words
            else []
            for words in sentences
        ]


class SpacyTagger:
    """A spaCy model: the tags and lemmas of its pipeline, for given tokens."""

    has_lemmas = True

    def __init__(self, model: str, language: str) -> None:
        spacy = _module("spacy", "spacy", "spacy", "the tagger spacy")
        try:
            self._model = spacy.load(model, exclude=["parser", "ner"])
        except OSError:
            raise InputError(
                f"the spaCy model {model!r} is not installed",
                todo=f"install it with: python -m spacy download {model}",
            ) from None
        self._doc = spacy.tokens.Doc
        self._fine = language == "en"
        self.tag_set = "penn" if self._fine else "universal"
        self.name = f"spacy-{spacy.__version__}-{model}-{self._model.meta.get('version', '')}"

    def tag(self, sentences: Sequence[Sentence]) -> list[list[tuple[str, str]]]:
        """Return the tag and the lemma of each word."""
        docs = (self._doc(self._model.vocab, words=list(words)) for words in sentences)
        return [
            [(token.tag_ if self._fine else token.pos_, token.lemma_) for token in doc]
            for doc in self._model.pipe(docs)
        ]


class FunctionTagger:
    """A user-defined function from lists of words to lists of tags of equal length."""

    has_lemmas = False
    tag_set = ""

    def __init__(self, function: Callable[[list[list[str]]], Sequence[Sequence[str]]]) -> None:
        self._function = function
        self.name = str(getattr(function, "__name__", type(function).__name__))

    def tag(self, sentences: Sequence[Sentence]) -> list[list[tuple[str, str]]]:
        """Return the tag of each word."""
        words = [list(sentence_given) for sentence_given in sentences]
        given = self._function(words)
        try:
            tags = [list(tags_given) for tags_given in given]
        except TypeError:
            raise InputError(
                f"{str(given)[:60]} from the tagger {self.name}",
                expected="one list of tags per sentence",
            ) from None
        if len(tags) != len(words):
            raise InputError(
                f"{len(tags):,} lists of tags from the tagger {self.name}",
                expected=f"{len(words):,}, one per sentence",
            )
        for number, (sentence, tags_of_sentence) in enumerate(zip(words, tags, strict=True)):
            sound = all(isinstance(tag, str) and tag for tag in tags_of_sentence)
            if len(sentence) != len(tags_of_sentence) or not sound:
                raise InputError(
                    f"the tags {tags_of_sentence!r} from the tagger {self.name} for {sentence!r} "
                    f"(sentence {number}, counted from 0)",
                    expected="a tag (a string) for each word",
                )
        return [[(tag, "") for tag in tags_given] for tags_given in tags]


TAGGERS = ("textblob", "hanta", "spacy:MODEL", "given", "none", "FILE.parquet")
"""Names of taggers: ``given`` for tagged tokens, ``none`` for no tags; a file is one written by
``tesla tags``."""


def tagger_of(spec: object, language: str) -> Tagger | None:
    """Return a tagger by name, or from a function of words to tags; None if tags are given."""
    if not isinstance(spec, str):
        if isinstance(spec, (WordTagger, SentenceTagger)):
            return spec
        if callable(spec):
            return FunctionTagger(spec)
        raise InputError(
            f"a tagger of type {type(spec).__name__}",
            expected=f"one of {', '.join(TAGGERS)}, or a function from words to tags",
        )
    if spec == "given":
        return None
    if spec == "none":
        return NoTagger()
    if spec.endswith(".parquet"):
        from alignframe.language.learnt import read_learnt

        return read_learnt(spec)
    name, colon, model = spec.partition(":")
    if spec == "textblob":
        if language != "en":
            raise InputError(
                f"the tagger textblob for the language {language!r}",
                expected="en",
                todo=learn_tags(language),
            )
        return _textblob()
    if spec == "hanta":
        return _hanta(language)
    if name == "spacy" and colon and model:
        return SpacyTagger(model, language)
    raise unknown_name("`tagger`", spec, TAGGERS)


def _pattern() -> tuple[ModuleType, Path]:
    """Return TextBlob's tagging module and its folder."""
    # Importing the package takes a second for NLTK, which the tagger does not use.
    package = importlib.util.find_spec("textblob")
    if package is None or package.origin is None:
        raise MissingExtraError("textblob", "tesla", "the tagger textblob")
    folder = Path(package.origin).parent
    text = ModuleType("textblob._text")
    SourceFileLoader(text.__name__, str(folder / "_text.py")).exec_module(text)
    return text, folder


@functools.cache
def _textblob() -> TextBlobTagger:
    return TextBlobTagger()


@functools.cache
def _hanta(language: str) -> HanTaTagger:
    return HanTaTagger(language)


def _module(name: str, package: str, extra: str, purpose: str, instead: str = "") -> ModuleType:
    """Import an optional library."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError(package, extra, purpose, instead) from None
