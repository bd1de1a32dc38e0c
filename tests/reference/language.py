"""Slow, simple reference versions of text analysis."""

import re

from alignframe.language.tokenize import PARTS

BLANKS = re.compile("[ \t\n\r\f\v]+")


def parted(text, how):
    """Split a text at ASCII whitespace, and each piece by itself."""
    return [token for piece in BLANKS.split(text) if piece for token in PARTS[how](piece)]


def synonym_pairs(groups):
    """Return all pairs of different members of the same group."""
    return {(a, b) for group in groups for a in group for b in group if a < b}


def in_table(synonyms, left, right):
    """Return whether the hash table has two numbers as a pair, looked up as documented."""
    low, high = sorted((left, right))
    key = (low << 32 | high) + 1
    size = len(synonyms.table)
    slot = (key * 0x9E3779B97F4A7C15 % 2**64) >> (64 - (size.bit_length() - 1))
    while synonyms.table[slot]:
        if synonyms.table[slot] == key:
            return True
        slot = (slot + 1) % size
    return False


def wordnet_groups(folder):
    """Return the lemmas of each synset, read line by line from the data files."""
    for name in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{name}").read_text().splitlines():
            if line.startswith("  "):
                continue
            cells = line.split(" ")
            words = cells[4 : 4 + 2 * int(cells[3], 16) : 2]
            yield (
                name,
                int(cells[0]),
                [re.sub(r"\((a|p|ip)\)$", "", word).lower() for word in words],
            )


def analysed(words, tagger, morphy, prefixes):
    """Return the tokens of one sentence, analysed one by one."""
    tokens = []
    for number, word in enumerate(words):
        tag = tagger.tag_word(word, number == 0)
        content = any(tag.startswith(prefix) for prefix in prefixes)
        lemma = morphy.lemma(word, tag)
        tokens.append({"word": word, "tag": tag, "lemma": lemma, "content": content})
    return tokens
