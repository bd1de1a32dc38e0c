"""Tags of content words (nouns, verbs, adjectives and adverbs); all others are function words.

Dahlmeier, Liu & Ng 2011 (section 2.1) discount function words. The prefixes of German, French,
Spanish, Czech and Chinese tags are from TESLA's own configuration.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from alignframe.errors import InputError, unknown_name

_OWN = "prefixes"


@dataclass(frozen=True)
class Content:
    """The content word tags of a tag set."""

    name: str  # of the tag set; ``prefixes`` if only those are known
    prefixes: tuple[str, ...]  # of content word tags
    function: str | None = None  # a regular expression for all other tags; None accepts any

    @property
    def signature(self) -> str:
        """The prefixes, separated by commas."""
        return ",".join(self.prefixes)

    @property
    def conllu(self) -> str:
        """The CoNLL-U column with these tags: ``upos`` if they are universal, else ``xpos``."""
        tags = (*SETS["universal"].prefixes, *_UNIVERSAL.split("|"))
        known = all(any(tag.startswith(prefix) for tag in tags) for prefix in self.prefixes)
        return "upos" if self.name == "universal" or (self.name == _OWN and known) else "xpos"

    def is_content(self, tag: str, word: str) -> bool:
        """Whether a tag marks a content word; ``word`` is for the error."""
        if tag.startswith(self.prefixes):
            return True
        if self.function is not None and not re.fullmatch(self.function, tag):
            others = ", ".join(name for name in SETS if name != self.name)
            raise InputError(
                f"the tag {tag!r} of the word {word[:60]!r}",
                expected=f"tags of the set {self.name!r} (those of content words begin with "
                f"{', '.join(self.prefixes)})",
                todo=f"name your tag set as `content`: {others}; or give the prefixes of content "
                "words' tags, such as NN,VB,JJ,RB",
            )
        return False


# TextBlob's lexicon has a few tags beyond the Penn Treebank's, such as £ and ND. Some taggers
# join tags by bars.
_PENN = (
    r"(CC|CD|DT|EX|FW|IN|LS|MD|ND|PDT|POS|PP|PRP\$?|PRT|RP|SYM|TO|UH|WDT|WP\$?|WRB|ADD|AFX|GW|HYPH"
    r"|NFP|XX|_SP|-?[LR][RCS]B-?|NIL|[0-9)]+)([|-].*)?|[^\w\s]+"
)
_STTS = (
    r"(APPRART|APPR|APPO|APZR|ART|CARD|FM|ITJ|KOKOM|KOUI|KOUS|KON|PDAT|PDS|PIAT|PIDAT|PIS|PPER"
    r"|PPOSAT|PPOSS|PRELAT|PRELS|PRF|PROAV|PAV|PWAT|PWAV|PWS|TRUNC|XY|UNKNOWN|URL|SYMB|ACR_\w+"
    r"|ORD_ABR|_SP)(\(.*\))?|\$.*|[^\w\s]+"
)
_UNIVERSAL = r"ADP|AUX|CCONJ|CONJ|DET|INTJ|NUM|PART|PRON|PUNCT|SCONJ|SYM|X|SPACE|EOL|PRT|\."
_C5 = (
    r"!!!|AT0?|AJ0|CJ[CST]|CRD|DPS|DT[0Q]?|EX0?|IN|ITJ|ORD|PN[IPQX]|POS|PRF|PRP|PU[LNQR]|TO0?|UNC"
    r"|VM0?|XX0?|ZZ0?|UNKNOWN|"
)
_DUTCH = r"(LET|LID|SPEC|TSW|TW|VG|VNW|VZ|LI|PTK|UNKNOWN|SYMB\w*)(\(.*\))?"
_FRENCH = r"(DET|INT|KON|NUM|PRO|PRP|PUN|SENT|SYM)(:.*)?"

SETS: dict[str, Content] = {
    tag_set.name: tag_set
    for tag_set in (
        Content("penn", ("NN", "VB", "JJ", "RB"), _PENN),
        Content("universal", ("NOUN", "PROPN", "VERB", "ADJ", "ADV"), _UNIVERSAL),
        Content("c5", ("NN", "NP", "VB", "VD", "VH", "VV", "AJ", "AV"), _C5),
        Content("de", ("AD", "NN", "NE", "PT", "VV", "VA", "VM"), _STTS),
        Content("fr", ("AB", "AD", "NA", "NO", "VE"), _FRENCH),
        Content("es", ("AO", "AQ", "RG", "RN", "NC", "NP", "VM", "VA", "VS"), r"[ACDFIPRSWYZ]\w*"),
        Content("cs", ("N", "V", "X", "A", "D"), r"[CIJPRTZBFQS]\S*"),
        Content(
            "zh",
            ("VA", "VC", "VE", "VV", "NR", "NT", "NN", "AD"),
            r"AS|BA|CC|CD|CS|DE[CGRV]|DT|ETC|EM|FW|I[CJ]|IJ|JJ|LB|LC|M|MSP|NOI|O[DN]|P|PN|PU|S[BP]"
            r"|URL|X",
        ),
        Content("nl", ("N(", "WW(", "ADJ", "BW"), _DUTCH),
        Content("none", ("WORD",), "SIGN"),
    )
}
"""Sets of tags: ``penn`` (English), ``universal`` (Universal Dependencies), ``c5`` (the British
National Corpus), those of the taggers of TESLA and HanTa by language, and ``none`` without a
tagger, where words are content and signs are not."""


def content_of(spec: str | Sequence[str], default: str = "penn") -> Content:
    """Return a tag set by its name in ``SETS``, or from prefixes of content word tags."""
    if not spec:
        return SETS[default]
    if isinstance(spec, str) and spec in SETS:
        return SETS[spec]
    parts = spec.split(",") if isinstance(spec, str) else list(spec)
    prefixes = tuple(part.strip() for part in parts)
    # A single word in lower case is a misspelt name rather than a prefix.
    if not all(prefixes) or (len(prefixes) == 1 and prefixes[0].islower()):
        raise unknown_name(
            "`content`", spec, SETS, also=", or prefixes of tags such as NN,VB,JJ,RB"
        )
    return Content(_OWN, prefixes)


_CLASSES = {
    **dict.fromkeys(("NN", "NOUN", "PROPN", "NP0", "NP"), "n"),
    **dict.fromkeys(("VB", "VERB", "AUX", "VV", "VD", "VH"), "v"),
    **dict.fromkeys(("JJ", "ADJ", "AJ"), "a"),
    **dict.fromkeys(("RB", "ADV", "AV"), "r"),
}


def wordnet_class(tag: str) -> str | None:
    """Return WordNet's class for an English tag (Penn, universal or C5): n, v, a, r or None."""
    for size in (2, 3, 4, 5):
        word_class = _CLASSES.get(tag[:size])
        if word_class:
            return word_class
    return None
