"""Given tokens with tags: bars, round trips, CoNLL-U."""

import pyarrow as pa
import pytest
from helpers.cli import json_of, run
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe.errors import InputError
from alignframe.formats.tagged import read_tagged
from alignframe.language import Analysis, analysed_file
from alignframe.language.analysed import to_arrow
from alignframe.language.analysis import Sentences
from alignframe.language.content import content_of
from alignframe.language.sources import given_token, shown_tokens, unspaced
from alignframe.language.taggers import TextBlobTagger
from alignframe.sources.source import only
from alignframe.sources.texts import TEXTS

pieces = st.sampled_from([*"ab|&; \t\u00a0", "&#124;", "amp;", "#124;"])
parts = st.lists(pieces, min_size=1, max_size=8).map("".join)


def struct(*tokens):
    names = ("word", "tag", "lemma")
    return pa.array([dict(zip(names, one, strict=True)) for one in tokens])


def spaced(text):
    return text.replace(" ", "\u00a0").replace("\t", "\u00a0")


@settings(max_examples=75)
@given(parts, parts, parts)
def test_tokens_survive_a_round_trip(word, tag, lemma):
    (shown,) = shown_tokens(struct((word, tag, lemma))).to_pylist()
    assert not set(shown) & set(" \t\n")
    assert given_token(shown, True) == (spaced(word), spaced(tag), spaced(lemma))
    assert unspaced(struct((word, tag, lemma)).field("word")).to_pylist() == [spaced(word)]


def test_bars_in_words_tags_and_lemmas():
    tokens = struct(("|", "SYM", "|"), ("a|b", "N|x", "a|b"), ("&#124;", "SYM", "&#124;"))
    assert shown_tokens(tokens).to_pylist() == [
        "||SYM|&#124;",
        "a|b|N&#124;x|a&#124;b",
        "&#124;|SYM|&amp;#124;",
    ]
    assert given_token("||SYM", False) == ("|", "SYM", "")


@pytest.mark.parametrize("text", ["Le|D|le chat|N|chat", "Le|D|le chat|N", "\n\nLe|D|le"])
def test_three_fields_where_two_are_expected(text, tmp_path):
    lines = text.split("\n")
    analysis = Analysis.of("fr", tagger="given", lemmas="words", synonyms="none", content="D,N")
    said = (
        r"tokens of word\|TAG\|lemma, such as 'Le\|D\|le'; expected word\|TAG; use `lemmas='given'`"
    )
    with pytest.raises(InputError, match=said):
        analysis.analyse(lines)
    (tmp_path / "text").write_text(text + "\n")
    with pytest.raises(InputError, match=f"text:{len(lines)}: {said}"):
        analysed_file(tmp_path / "text", analysis)


def test_words_with_bars_are_words():
    analysis = Analysis.of("fr", tagger="given", lemmas="words", synonyms="none", content="D,N,S")
    found = to_arrow(analysis.analyse(["le|D a|b|N ||S", ""])).to_pylist()
    assert [token["word"] for token in found[0]] == ["le", "a|b", "|"]


def test_two_fields_where_three_are_expected():
    analysis = Analysis.of("fr", tagger="given", lemmas="given", synonyms="none", content="D,N")
    with pytest.raises(InputError, match=r"'le\|D' .*expected word\|TAG\|lemma; use other lemmas"):
        analysis.analyse(["le|D chat|N"])


def test_the_first_of_several_tags_is_used():
    tagger = TextBlobTagger()
    several = [word for word, tag in tagger._known.items() if "|" in tag]
    assert several
    for word in several:
        assert tagger.tag_word(word, False) == tagger._known[word].split("|")[0]


def test_written_lines_are_read(tmp_path):
    (tmp_path / "text").write_text("a | b &#124; Foster 's|t\n")
    options = ("--tokens", "spaces", "--set", "lemmas=words", "--set", "synonyms=none")
    words = ("tesla", "words", "text", *options)
    run(*words, "-o", "tagged", folder=tmp_path)
    once = json_of(run(*words, "--json", folder=tmp_path)[0])
    options = ("--tagger", "given", "--set", "lemmas=given", "--set", "synonyms=none", "--json")
    again = json_of(run("tesla", "words", "tagged", *options, folder=tmp_path)[0])
    assert [row["tokens"] for row in again] == [row["tokens"] for row in once]
    assert len(once[0]["tokens"]) == 6


ROWS = [
    ("Mice", "mouse", "NOUN", "NNS"),
    ("ate", "eat", "VERB", "VBD"),
    ("10 000", "10 000", "NUM", "CD"),
]


@pytest.fixture
def conllu(tmp_path):
    lines = [
        f"{number}\t{word}\t{lemma}\t{upos}\t{xpos}\t_\t0\tdep\t_\t_\n"
        for number, (word, lemma, upos, xpos) in enumerate(ROWS, 1)
    ]
    (tmp_path / "text.conllu").write_text("".join(lines) + "\n" + lines[1] + "\n")
    return tmp_path / "text.conllu"


def tokens(path, **options):
    analysis = Analysis.of(tagger="given", synonyms="none", **options)
    found = to_arrow(analysed_file(path, analysis)).to_pylist()
    assert [len(one) for one in found] == [3, 1]
    return [(t["tag"], t["lemma"], t["content"]) for t in found[0]]


def test_conllu(conllu):
    upos = [("NOUN", "mouse", True), ("VERB", "eat", True), ("NUM", "10\u00a0000", False)]
    xpos = [("NNS", "mouse", True), ("VBD", "eat", True), ("CD", "10\u00a0000", False)]
    assert tokens(conllu, lemmas="given", content="universal") == upos
    assert tokens(conllu, lemmas="given", content="NOUN,VERB") == upos
    assert tokens(conllu, lemmas="given") == xpos
    assert [one[1] for one in tokens(conllu, lemmas="words")] == ["mice", "ate", "10\u00a0000"]
    assert [content_of(one).conllu for one in ("NN,VB", "N,V", "cs")] == ["xpos", "upos", "xpos"]


def test_commands_take_conllu(conllu):
    folder = conllu.parent
    options = ("--tagger", "given", "--set", "lemmas=given", "--set", "synonyms=none")
    out, _ = run("tesla", "words", conllu, *options, folder=folder)
    assert out == "Mice|NNS|mouse ate|VBD|eat 10\u00a0000|CD|10\u00a0000\nate|VBD|eat\n"
    words = ("--ref", "text.conllu", "--hyp", "a=text.conllu")
    out, _ = run("tesla", "score", *options, *words, "--json", folder=folder)
    (row,) = json_of(out)
    assert row["segments"] == 2
    assert row["score"] == pytest.approx((1 + 2 / 6) / 2)
    out, _ = run("tesla", "explain", *options, *words, "--segment", 1, "--json", folder=folder)
    assert json_of(out)["f"] == 1
    given = ("--set", "lemmas=words", "--set", "synonyms=none")
    _, said = run("tesla", "score", *given, *words, code=2, folder=folder)
    assert "text.conllu: CoNLL-U, but the tagger is not given; use --tagger given" in said


def test_missing_conllu_fields(conllu):
    conllu.write_text(conllu.read_text().replace("VBD", "_").replace("mouse", "_"))
    with pytest.raises(
        InputError, match=r"conllu:2: .*XPOS is '_'.*; to read UPOS, use `content='universal'`$"
    ):
        tokens(conllu, lemmas="words")
    with pytest.raises(InputError, match=r"conllu:1: a word whose LEMMA is '_'"):
        tokens(conllu, lemmas="given", content="universal")
    conllu.write_text(conllu.read_text().replace("VERB", "_"))
    with pytest.raises(InputError, match=r"conllu:2: .*UPOS is '_'.*; name your tag set"):
        tokens(conllu, lemmas="words", content="universal")
    # As text, it needs no tags.
    assert only(conllu, TEXTS).frame["text"].to_pylist() == ["Mice ate 10\u00a0000", "ate"]
    with pytest.raises(InputError, match="lemmas of another format"):
        read_tagged(conllu, "pipe", lemmas=True)


class Counted:
    """A tagger that records its calls."""

    name, tag_set, has_lemmas = "counted", "penn", True

    def __init__(self):
        self.asked = []

    def tag(self, sentences):
        self.asked += sentences
        return [
            [("NN" if k else "DT", word.upper()) for k, word in enumerate(s)] for s in sentences
        ]


def test_a_sentence_is_tagged_once():
    tagger, told = Counted(), []
    analysis = Analysis.of(tagger=tagger, synonyms="none")
    analysis.progress = lambda *counts: told.append(counts)
    rows = [f"a cat{n}" for n in range(300)] + ["", "a cat1", "cat1 a"]
    first = to_arrow(analysis.analyse(rows))
    assert len(tagger.asked) == len(set(rows))
    assert told == [(200, 302), (302, 302)]
    assert to_arrow(analysis.analyse(rows[::-1])).to_pylist() == first.to_pylist()[::-1]
    assert len(tagger.asked) == len(set(rows))
    assert [(t["tag"], t["lemma"]) for t in first[301].as_py()] == [("DT", "a"), ("NN", "cat1")]
    assert [t["tag"] for t in first[302].as_py()] == ["DT", "NN"]


def test_cached_sentences_are_dropped(monkeypatch):
    monkeypatch.setattr("alignframe.language.analysis._MOST", 1)
    asked = []

    def tag(sentences):
        asked.append(list(sentences))
        return [len(one) for one in sentences]

    known = Sentences()
    assert known.types_of([b"a", b"bc", b"a"], tag) == [1, 2, 1]
    assert known.types_of([b"a"], tag) == [1]
    assert known.types_of([b"a"], tag) == [1]
    assert asked == [[b"a", b"bc"], [b"a"]]


def test_a_function_gets_all_sentences_at_once():
    asked = []

    def tag(sentences):
        asked.append(len(sentences))
        return [["NN"] * len(one) for one in sentences]

    analysis = Analysis.of(tagger=tag, lemmas="words", synonyms="none", content="NN")
    for _ in range(2):
        analysis.analyse(["a", "a", ""])
    assert asked == [3, 3]
