"""Slow, simple splittings of words into tokens, and links carried between them, over sets."""

from itertools import pairwise, product

from hypothesis import strategies as st

LETTERS = "abcdEFGéÉàñçüß0.,'-你好ής\u0301"
words = st.text(LETTERS, min_size=1, max_size=6).filter(lambda word: word[0] != "\u0301")


def characters(tokens):
    """Return the numbers of the characters of each token, which are parts of a text."""
    ends = [0]
    for token in tokens:
        ends.append(ends[-1] + len(token))
    return [set(range(start, end)) for start, end in pairwise(ends)]


def carried(links, old, new):
    """Return links ``{(i, j): sure}`` of two old sides (lists of parts of text) for new ones."""
    shared = [
        [
            [u for u, other in enumerate(characters(after)) if own & other]
            for own in characters(before)
        ]
        for before, after in zip(old, new, strict=True)
    ]
    found = {}
    for (i, j), sure in links.items():
        for link in product(shared[0][i], shared[1][j]):
            found[link] = found.get(link, False) or sure
    return found


def parts(word, cuts):
    """Return a word cut at some of its places."""
    places = [0, *sorted({cut for cut in cuts if 0 < cut < len(word)}), len(word)]
    return [word[a:b] for a, b in pairwise(places)]


def marked(pieces_of_words, style):
    """Return the tokens of words cut in pieces, with the marks of a style."""
    tokens = []
    for pieces in pieces_of_words:
        last = len(pieces) - 1
        for k, piece in enumerate(pieces):
            if style == "sentencepiece":
                tokens.append(piece if k else "▁" + piece)
            elif style == "subword-nmt":
                tokens.append(piece + "@@" * (k < last))
            else:
                tokens.append("##" * (k > 0 and style == "wordpieces") + piece)
    return tokens
