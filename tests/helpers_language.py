"""A WordNet of a few words, written as database files."""

HEAD = "  1 This software and database is made up for tests.  \n  2 WordNet {} of tests  \n"

SENSES = {
    "noun": {
        "car": (1, 2),
        "auto": (1,),
        "automobile": (1,),
        "railway_car": (2,),
        "carriage": (2,),
        "mouse": (3,),
        "glass": (4,),
        "glasses": (5,),
        "spectacles": (5,),
        "box": (6,),
        "boxful": (7,),
        "find": (8,),
        "run": (9,),
        "bos": (10,),
        "a": (11,),
    },
    "verb": {"find": (1,), "found": (2,), "establish": (2,), "run": (3,), "make": (4,), "go": (3,)},
    "adj": {"good": (1,), "fine": (1,), "better": (2,), "big": (3,), "large": (3,), "off": (4,)},
    "adv": {"well": (1,), "good": (1,), "fast": (2,)},
}
"""Lemmas and the offsets of their synsets, by file."""

EXCEPTIONS = {
    "noun": [("mice", "mouse"), ("men", "man")],
    "verb": [("found", "find"), ("ran", "run"), ("went", "go")],
    "adj": [("better", "good", "well"), ("guest", "guest")],
    "adv": [("better", "well"), ("best", "well")],
}
LETTERS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}


def index_line(lemma, letter, offsets):
    """Return a line of an index file, with two pointers."""
    numbers = " ".join(f"{offset:08d}" for offset in offsets)
    return f"{lemma} {letter} {len(offsets)} 2 @ ~ {len(offsets)} 0 {numbers}  \n"


def write_wordnet(folder, senses=SENSES, exceptions=EXCEPTIONS, version="3.9"):
    """Write index files and lists of exceptions; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, letter in LETTERS.items():
        lines = [index_line(lemma, letter, found) for lemma, found in sorted(senses[name].items())]
        (folder / f"index.{name}").write_text(HEAD.format(version) + "".join(lines))
        rows = [" ".join(row) + "\n" for row in exceptions[name]]
        (folder / f"{name}.exc").write_text("".join(rows))
    return folder
