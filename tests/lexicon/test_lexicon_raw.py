"""Lexicons of raw text, which is split into words."""

import polars as pl
import pyarrow as pa
import pytest

from alignframe import lexicon
from alignframe.errors import InputError

RAW = ["The house, the book.", "the book, he said.", "Yes, a house."] * 3
BRUT = ["La maison, le livre.", "le livre, dit-il.", "Oui, une maison."] * 3
SPLIT = ["The house , the book .", "the book , he said .", "Yes , a house ."] * 3
COUPE = ["La maison , le livre .", "le livre , dit-il .", "Oui , une maison ."] * 3


def test_raw_text_gives_the_lexicon_of_its_words():
    found = lexicon.induce(RAW, BRUT)
    wanted = lexicon.induce(SPLIT, COUPE)
    assert found.frame.equals(wanted.frame)
    assert found.signature == f"{wanted.signature}|words-src:unicode|words-tgt:unicode"
    counted = lexicon.candidates(RAW, BRUT)
    assert counted.equals(lexicon.candidates(SPLIT, COUPE))
    one_side = lexicon.induce(RAW, COUPE)
    assert one_side.frame.equals(wanted.frame)
    assert one_side.signature.endswith("|words-src:unicode")


def test_raw_text_can_stay_as_it_is():
    found = lexicon.induce(RAW, BRUT, words="spaces")
    assert "house," in found.frame["src"].to_list()
    characters = lexicon.induce(RAW, BRUT, words="characters").frame["src"]
    assert characters.str.len_chars().max() == 1
    with pytest.raises(InputError, match="one of auto, spaces, unicode, characters"):
        lexicon.induce(RAW, BRUT, words="penn")


def test_scores_split_the_text_alike():
    made = lexicon.induce(SPLIT, COUPE, n_best=2)
    given = lexicon.score(made, bitext=(RAW, BRUT)).scores
    assert given.equals(lexicon.score(made, bitext=(SPLIT, COUPE)).scores)


def test_tagged_text_is_left_alone():
    table = pl.DataFrame(
        {
            "src": [["house,", "book,"]] * 3,
            "tgt": [["maison,", "livre,"]] * 3,
            "src_tags": [["N", "N"]] * 3,
            "tgt_tags": [["N", "N"]] * 3,
        }
    ).to_arrow()
    assert isinstance(table, pa.Table)
    assert set(lexicon.induce(table).frame["src"]) == {"house,", "book,"}
