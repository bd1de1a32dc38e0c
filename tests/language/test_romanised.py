"""Words of other scripts in Latin letters."""

import pyarrow as pa
import pytest

from alignframe.functions.romanised import romanised, script_of


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("Обама", "obama"),
        ("ель", "el"),
        ("Ирландия", "irlandiya"),
        ("Ελλάδα", "ellada"),
        ("ירושלים", "yrfshlym"),
        ("محمد", "mhmd"),
        ("فيسبوك", "fysbwk"),
        ("اللندن", "lndn"),  # the article
        ("الى", "ala"),  # too short to have one
        ("مُحَمَّد", "mhmd"),
        ("दिल्ली", "dilli"),
        ("მოსკოვი", "moskofi"),
        ("서울", "seoul"),
        ("\u1109\u1165", "seo"),  # as letters
        ("カナダ", "kanada"),
        ("ｶﾅﾀﾞ", "kanada"),
        ("ガーナ", "gana"),
        ("Québec", "kuebek"),
        ("北京", "北京"),
        ("これ", "これ"),
        ("covid-19", "kofid-19"),
        ("", ""),
        ("\ue000", "\ue000"),  # without a name
    ],
)
def test_words_in_latin_letters(word, wanted):
    assert romanised(word) == wanted


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["the", "é", "Обама"], "LATIN"),
        (["1", "!", "дом"], "CYRILLIC"),
        (["天", "地", "の"], "CJK"),
        (["", "1"], ""),
        ([], ""),
        (["a"] * 900 + ["д"] * 3000, "CYRILLIC"),
    ],
)
def test_the_script_of_most_words(words, wanted):
    assert script_of(pa.array(words, pa.string())) == wanted
