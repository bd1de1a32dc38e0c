"""Analysing text: tokens, POS tags, lemmas, content words and synonyms."""

from alignframe.language.analysed import Analysed, Vocabulary
from alignframe.language.analysis import Analysis
from alignframe.language.choices import LEMMAS
from alignframe.language.content import SETS
from alignframe.language.files import analysed_file
from alignframe.language.kept_analyses import analyse
from alignframe.language.synonyms import Synonyms, read_synonyms, synonyms_of
from alignframe.language.taggers import TAGGERS
from alignframe.language.tokenize import TOKENS, tokens
from alignframe.language.wordnet import WordNet, find_wordnet, read_wordnet
from alignframe.language.words import split

__all__ = [
    "LEMMAS",
    "SETS",
    "TAGGERS",
    "TOKENS",
    "Analysed",
    "Analysis",
    "Synonyms",
    "Vocabulary",
    "WordNet",
    "analyse",
    "analysed_file",
    "find_wordnet",
    "read_synonyms",
    "read_wordnet",
    "split",
    "synonyms_of",
    "tokens",
]


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
