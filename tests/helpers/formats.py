"""Helpers for tests of file formats: random alignments, and slow reference readers."""

import re
import warnings

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from alignframe.core.schemas import GOLD_LINKS, MAX_POSITION, TOKENS
from alignframe.errors import DataWarning, InputError
from alignframe.formats import Reading, scan, write

POSITIONS = st.integers(0, 6) | st.integers(0, MAX_POSITION)
LINKS = st.dictionaries(st.tuples(POSITIONS, POSITIONS), st.booleans(), max_size=8)
"""The links of a sentence: ``{(i, j): sure}``."""

ALIGNMENTS = st.lists(LINKS, min_size=1, max_size=8)
"""Sentences 0, 1, 2, ..., some of them without links."""

ODD_WORDS = ("({", "})", "NULL", "|", "||", "1-1", "a\u00a0b", "\u2028", "</s>", "#", "(1)")
# A file that starts with U+FEFF has a byte order mark, and NUL is no text: no word contains them.
LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\r\v\f\ufeff\0")
WORDS = st.sampled_from(ODD_WORDS) | st.text(LETTERS, min_size=1, max_size=4)


@st.composite
def worded(draw):
    """Draw a sentence pair with links: source words, target words, links."""
    src = draw(st.lists(WORDS.filter(lambda word: word != "|||"), max_size=5))
    tgt = draw(st.lists(WORDS.filter(lambda word: word != "|||"), max_size=5))
    if not src or not tgt:
        return src, tgt, {}
    inside = st.tuples(st.integers(0, len(src) - 1), st.integers(0, len(tgt) - 1))
    return src, tgt, draw(st.dictionaries(inside, st.booleans(), max_size=8))


def saved(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refusal_of(function, *arguments, **options):
    """Return the message of the error from a call."""
    with pytest.raises(InputError) as caught:
        function(*arguments, **options)
    return str(caught.value)


def check(message, path, line, *found):
    """Check that a message starts with the place, and says what was found there."""
    place = str(path) if line is None else f"{path}:{line}"
    assert message.startswith(f"{place}: "), message
    for text in found:
        assert text in message.removeprefix(place), message


def quietly(function, *given, **options):
    """Return the result of a call without its warnings about data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return function(*given, **options)


def expected_rows(alignment, sids=None):
    """Return the rows ``(sid, [(i, j, sure), ...])`` expected from reading an alignment."""
    numbers = range(len(alignment)) if sids is None else sids
    return [
        (sid, sorted((i, j, sure) for (i, j), sure in links.items()))
        for sid, links in zip(numbers, alignment, strict=True)
    ]


def rows_of(frame):
    """Return a table or batch as rows ``(sid, [(i, j, sure), ...])``."""
    return [
        (row["sid"], [(link["i"], link["j"], link["sure"]) for link in row["links"]])
        for row in frame.select(["sid", "links"]).to_pylist()
    ]


def words_of(frame):
    """Return the pairs of source and target words of a table or batch."""
    return [(row["src"], row["tgt"]) for row in frame.select(["src", "tgt"]).to_pylist()]


def batch_of(alignment, sids=None, sides=None):
    """Return sentences ``{(i, j): sure}`` as a batch; ``sides`` are pairs of lists of words."""
    numbers = list(range(len(alignment)) if sids is None else sids)
    links = [
        [{"i": i, "j": j, "sure": sure} for (i, j), sure in sorted(sentence.items())]
        for sentence in alignment
    ]
    columns = {"sid": pa.array(numbers, pa.int64()), "links": pa.array(links, GOLD_LINKS)}
    if sides is not None:
        columns["src"] = pa.array([src for src, _ in sides], TOKENS)
        columns["tgt"] = pa.array([tgt for _, tgt in sides], TOKENS)
    return pa.record_batch(columns)


def written(path, batches, format, **options):
    """Write batches to a file and return its text."""
    write(batches, path, format, **options)
    return path.read_text("utf-8")


def read_rows(path, format, **options):
    """Read a file in pieces without its warnings; return its rows and the Reading."""
    reading = Reading(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        rows = [row for batch in scan(path, format, reading) for row in rows_of(batch)]
    return rows, reading


def merged(listed):
    """Return links ``(i, j, sure)`` sorted and without duplicates; Sure wins over Possible.

    Also returns the number of links with both labels, and the number of other duplicates.
    """
    labels = {}
    for i, j, sure in listed:
        labels.setdefault((i, j), set()).add(sure)
    links = sorted((i, j, True in seen) for (i, j), seen in labels.items())
    conflicts = sum(len(seen) == 2 for seen in labels.values())
    return links, conflicts, len(listed) - len(links) - conflicts


def pharaoh_reference(text, base):
    """Read Pharaoh text with a regular expression; return rows, conflicts and duplicates."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    rows, conflicts, duplicates = [], 0, 0
    for sid, line in enumerate(lines):
        found = re.findall(r"(\d+)([-p?])(\d+)", line)
        links, both, again = merged(
            [(int(i) - base, int(j) - base, mark == "-") for i, mark, j in found]
        )
        rows.append((sid, links))
        conflicts += both
        duplicates += again
    return rows, conflicts, duplicates


def naacl_reference(lines, least=None):
    """Return what reading lines ``(sentence, i, j, label, probability)`` should give.

    Sentences count from 0 if there is a sentence 0. Links less probable than ``least`` are left
    out, but not their sentences.
    """
    first = 0 if any(line[0] == 0 for line in lines) else 1
    sentences = {}
    for sentence, i, j, label, probability in lines:
        links = sentences.setdefault(sentence - first, [])
        if least is None or not probability or float(probability) >= least:
            links.append((i - 1, j - 1, label.upper() != "P"))
    rows, conflicts, duplicates = [], 0, 0
    for sid in sorted(sentences):
        links, both, again = merged(sentences[sid])
        rows.append((sid, links))
        conflicts += both
        duplicates += again
    return rows, conflicts, duplicates
