"""Splitting text into tokens."""

import sys

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference.language import parted

from alignframe.errors import InputError
from alignframe.language import TOKENS, tokenize, tokens
from alignframe.language.spellings import Spellings
from alignframe.language.tokenize import _by_pattern, buffers

CASES = {
    "They don't, can't; we've it's I'm he'd they'll you're.": "They do n't , ca n't ; we 've it 's "
    "I 'm he 'd they 'll you 're .",
    "WON'T don’t O’Neill’s cannot wouldn't've": "WO N'T do n’t O’Neill ’s can not would n't 've",
    '"Hello," he said -- (twice)...': '" Hello , " he said -- ( twice ) ...',
    "“Oui” «non» ‘si’ dogs' …and": "“ Oui ” « non » ‘ si ’ dogs ' … and",
    "U.S.-led Mr. Smith's e.g. a.m. J. R.R. Ph.D. etc.)": "U.S.-led Mr. Smith 's e.g. a.m. J. R.R. "
    "Ph.D. etc. )",
    "So am I. In 2008. Inc.'s": "So am I . In 2008 . Inc. 's",
    "1,234.5 1.000,50 10:30 $5.60 5% -0.5 1990-95 1,a": "1,234.5 1.000,50 10:30 $ 5.60 5 % -0.5 "
    "1990-95 1 , a",
    "5-year-old AT&T km/h l’homme a–b C++": "5-year-old AT&T km/h l’homme a – b C + +",
    "http://example.com/a?b=1, foo.bar@example.com.": "http://example.com/a?b=1 , "
    "foo.bar@example.com .",
    "10\u00a0000 Bonjour\u202f!\r": "10 000 Bonjour !",
    "e\u0301te\u0301, n\u00adn": "e\u0301te\u0301 , n\u00adn",
    "他们说OK。3,5 カナ한국": "他 们 说 OK 。 3,5 カ ナ 한국",
    "end.Start !!! ''so`` ,,": "end.Start ! ! ! '' so `` , ,",
}


def one(text, how="penn"):
    return tokens([text], how)[0].to_list()


@pytest.mark.parametrize("text", CASES)
def test_penn(text):
    assert one(text) == CASES[text].split(" ")


def test_spaces_keep_words_unchanged():
    assert one(" don't  stop.\tU.S.\u00a0x\n", "spaces") == ["don't", "stop.", "U.S.\u00a0x"]


ALPHABET = st.sampled_from([*"aBé1.,'’-\"“(…$%@/: \t\u00a0\u0301§I", "n't", "U.S.", "Mr."])
TEXTS = st.lists(ALPHABET | st.characters(codec="utf-8"), max_size=30).map("".join)


@settings(max_examples=75)
@example(["", " ", "a" * 70_000, "a b " * 20_000, "x"])
@given(st.lists(TEXTS, max_size=6))
def test_texts_are_split_like_their_pieces(texts):
    for how in TOKENS:
        assert tokens(texts, how).to_list() == [parted(text, how) for text in texts]


@settings(max_examples=75)
@given(st.sampled_from("word Mr etc a I cannot Ph".split()), st.text(".,;:!?)\"'“—", max_size=2))
def test_common_words_are_split_like_all_others(word, end):
    assert one(word + end) == _by_pattern(word + end)


@settings(max_examples=30)
@given(TEXTS)
def test_only_whitespace_is_lost(text):
    found = one(text)
    assert "".join(found) == "".join(text.split())
    assert all(found)


def test_text_in_any_column_is_split_alike():
    texts = ["a b.", "", "c’s d"]
    wanted = tokens(texts).to_list()
    whole = pa.array(["x", *texts])
    for column in (
        whole[1:],
        whole.cast(pa.large_string())[1:],
        pa.chunked_array([texts[:1], texts[1:]]),
        pa.array(texts).dictionary_encode(),
        pl.Series(texts),
        tuple(texts),
    ):
        assert tokens(column).to_list() == wanted
    assert tokens([]).to_list() == []
    assert tokens(pa.array([], pa.string())).to_list() == []


def test_each_word_is_analysed_once():
    met = []
    words = Spellings(lambda word: [met.append(word) or len(met) - 1], whole=False)
    texts = [" ".join(f"w{k * k % 5003}" for k in range(at, at + 40)) for at in range(0, 9000, 7)]
    for text in texts:
        found = words.parts_of(*buffers([text]))
        assert [met[number] for number in found.parts] == text.split(" ")
        assert found.opens.tolist() == [1] + [0] * 39
    assert len(met) == len(set(met)) > 2000


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["a", None], "sentence 1 .counted from 0. is None"),
        (["a\ud800"], "sentence 0 .* half of a surrogate pair"),
        (pa.array(["a", None]), "sentence 1 .counted from 0. is missing"),
        (pa.array([1]), "sentences of type int64"),
    ],
)
def test_no_texts(given, said):
    with pytest.raises(InputError, match=said):
        tokens(given)


class Counted:
    """A pattern that counts the characters it may look at."""

    def __init__(self, pattern):
        self.pattern, self.seen = pattern, 0

    def search(self, text, start=0, end=sys.maxsize):
        self.seen += min(end, len(text)) - start
        return self.pattern.search(text, start, end)


@pytest.mark.parametrize("clitic", ["'s", "n't", "’ve"])
def test_many_clitics_take_linear_time(clitic, monkeypatch):
    counted = Counted(tokenize._CLITIC)
    monkeypatch.setattr(tokenize, "_CLITIC", counted)
    word = f"x{clitic * 1_000}"
    assert tokenize._without_clitics(word) == ["x", *[clitic] * 1_000]
    assert counted.seen < 4 * 1_001


def test_long_words_of_punctuation():
    """They took minutes when a pattern looked at all that follows each letter."""
    assert tokens(["a.." * 100_000])[0].to_list() == ["a", ".."] * 100_000
    assert tokens([f"{'a.' * 100_000}b"])[0].to_list() == [f"{'a.' * 100_000}b"]
    name = "x" * 64
    assert tokens([f"{name}@y.org x{name}@y.org"])[0].to_list()[:2] == [f"{name}@y.org", f"x{name}"]


def test_an_unknown_tokenisation():
    with pytest.raises(InputError, match=r"'moses'.*penn, spaces"):
        tokens(["a"], "moses")
