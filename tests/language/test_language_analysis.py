"""Tags, lemmas and content words of sentences."""

import importlib
import sys
import warnings

import polars as pl
import pyarrow as pa
import pytest
from helpers.language import VERSION, write_wordnet
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.language import analysed, parted

from alignframe.core.schemas import ANALYSED
from alignframe.errors import DataWarning, InputError, MissingExtraError
from alignframe.formats.tagged import read_tagged
from alignframe.language import SETS, Analysis, Synonyms, Vocabulary, analyse, read_wordnet
from alignframe.language.analysed import from_arrow, to_arrow
from alignframe.language.content import content_of
from alignframe.language.kept_analyses import analysed_tokens, kept_analysis
from alignframe.language.morphy import Morphy
from alignframe.language.taggers import HanTaTagger, TextBlobTagger

PENN = ("NN", "VB", "JJ", "RB")
TEXT = [
    "The mice didn't find better cars (yet).",
    "Cars found the best glasses, he said quickly; 3.5 of them!",
    "",
    "“Well,” Mr. Smith’s 10th unfrobbled frobbing – he'd run…",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_wordnet(tmp_path_factory.mktemp("wordnet"))


@pytest.fixture(scope="module")
def english(folder):
    return Analysis.of(wordnet=folder)


def plain(sentences):
    return to_arrow(sentences).to_pylist()


WORDS = st.sampled_from("The mice cars found find Better glasses . , can't U.S. run-down €".split())
SENTENCES = st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=8)


@pytest.fixture(scope="module")
def textblob():
    return TextBlobTagger()


@settings(max_examples=30)
@given(SENTENCES, SENTENCES)
def test_many_sentences_give_the_same_result_as_each_alone(
    folder, english, textblob, first, second
):
    vocabulary = Vocabulary()
    morphy = Morphy(read_wordnet(folder))
    wanted = [analysed(parted(text, "penn"), textblob, morphy, PENN) for text in first + second]
    halves = [english.analyse(half, vocabulary) for half in (first, second)]
    assert [row for half in halves for row in plain(half)] == wanted
    whole = english.analyse([*first, *second], vocabulary)
    single = [english.analyse([text], vocabulary) for text in first + second]
    for name in ("words", "tags", "lemmas", "content"):
        parts = [getattr(one, name).tolist() for one in single]
        assert getattr(whole, name).tolist() == [value for part in parts for value in part]
    assert whole.lengths().tolist() == [len(tokens) for tokens in wanted]


@pytest.fixture(scope="module")
def parser():
    """TextBlob's own tagger, which leaves the file of its lexicon open."""
    parser = importlib.import_module("textblob.en").parser
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        parser.lexicon.keys()
    return parser


def test_tags_equal_textblobs(corpora, parser):
    path = corpora / "wmt12" / "references" / "newstest2012-ref.en"
    lines = [line for line in path.read_text("utf-8").splitlines()[:300] if line.isascii()]
    ours = Analysis.of(tokens="spaces", synonyms="none", lemmas="words").analyse(lines)
    tags = [[token["tag"] for token in sentence] for sentence in plain(ours)]
    theirs = [parser.find_tags(line.split(" ")) for line in lines]
    assert tags == [[tag for _, tag in sentence] for sentence in theirs]


def test_signs_unknown_to_textblob():
    tagger = TextBlobTagger()
    signs = [tagger.tag_word(word, False) for word in ("«", "—", "…", "n’t", "→", "☺☺", "’s")]
    assert signs == ['"', ":", ":", "RB", "SYM", "SYM", "POS"]
    assert [tagger.tag_word("Abandons", opens) for opens in (True, False)] == ["VBZ", "NNP"]


def test_tags_of_every_tagger_are_known(parser):
    """None of the tags that our taggers give is refused."""
    for tag in {*parser.lexicon.values(), "SYM", "NNP", "CD", "VBG", "NNS", "VBN", "VBP"}:
        assert SETS["penn"].is_content(tag, "x") == tag.startswith(PENN)
    for language in ("de", "nl", "en"):
        tagger = HanTaTagger(language)
        found = tagger._tagger.int2tag.values()
        tags = [tag.removeprefix("END_") for tag in found if tag.startswith("END_")]
        content = [SETS[tagger.tag_set].is_content(tag, "x") for tag in tags]
        assert 10 < sum(content) < len(tags)


def test_columns_of_words_are_unchanged(english):
    words = [["can't", "the U.S.", ""], [], [], ["Mice", "mice"]]
    for kind in (pa.list_(pa.string()), pa.large_list(pa.large_string())):
        found = plain(english.analyse(pa.array([["x"], *words], kind)[1:]))
        assert [[token["word"] for token in row] for row in found] == words
    assert found[3][0]["lemma"] == "mouse"
    parts = [["Abandons", "Abandons"], [], ["Abandons"]]
    assert plain(english.analyse(parts)) == plain(english.analyse(map(" ".join, parts)))
    series = english.analyse(pl.Series(words))
    assert plain(series) == found
    assert plain(english.analyse(words)) == found


def test_texts_in_any_column_are_analysed_alike(english):
    wanted = plain(english.analyse(TEXT))
    for column in (pa.array(TEXT), pl.Series(TEXT), pa.chunked_array([TEXT[:1], TEXT[1:]])):
        assert plain(english.analyse(column)) == wanted
    assert plain(english.analyse([])) == []


def test_analyse_gives_a_series_that_can_be_analysed_again(folder, english):
    column = analyse(TEXT, wordnet=folder)
    wanted = plain(english.analyse(TEXT))
    assert isinstance(column, pl.Series)
    assert column.to_list() == wanted
    assert plain(from_arrow(column.to_arrow(), Vocabulary())) == wanted
    assert plain(english.analyse(column)) == wanted
    assert analysed_tokens(TEXT, wordnet=folder).type == ANALYSED


def test_signature(folder, english):
    found = english.signature
    assert found.startswith("lang:en|tokens:penn|tagger:textblob-")
    name = f"wordnet-{VERSION}"  # as no known release has the same lemmas
    assert found.endswith(f"|lemmas:morphy-{name}|synonyms:{name}|content:NN,VB,JJ,RB")
    other = Analysis.of(
        language="pl", tagger="given", lemmas="words", synonyms="none", content=("subst", "adj")
    )
    wanted = "lang:pl|tokens:given|tagger:given|lemmas:words|synonyms:none|content:subst,adj"
    assert other.signature == wanted


def test_given_tags(tmp_path, folder):
    own = Analysis.of(tagger="given", wordnet=folder)
    texts = ["mice|NNS |||SYM found|VBD", ""]
    wanted = plain(own.analyse(texts))
    assert [tuple(token.values()) for token in wanted[0]] == [
        ("mice", "NNS", "mouse", True),
        ("||", "SYM", "||", False),
        ("found", "VBD", "find", True),
    ]
    structs = pa.array(
        [[{key: token[key] for key in ("word", "tag")} for token in row] for row in wanted],
        pa.list_(pa.struct([("word", pa.string()), ("tag", pa.string())])),
    )
    assert plain(own.analyse(structs)) == wanted
    path = tmp_path / "x.pipe"
    path.write_text("\n".join(texts) + "\n")
    assert plain(own.analyse(read_tagged(path, "pipe"))) == wanted
    table = pl.from_arrow(read_tagged(path, "pipe"))
    assert plain(own.analyse(table)) == wanted
    assert plain(own.analyse(table.lazy())) == wanted
    lemmas = Analysis.of(tagger="given", lemmas="given", synonyms="none")
    assert plain(lemmas.analyse(["Mice|NNS|Mouse"]))[0][0]["lemma"] == "mouse"


def test_german():
    synonyms = Synonyms.from_pairs(["Haus"], ["Gebäude"], "mine")
    german = Analysis.of(language="de", synonyms=synonyms)
    row = plain(german.analyse(["Die Häuser sind schön.", ""]))[0]
    assert [(token["lemma"], token["content"]) for token in row] == [
        ("der", False),
        ("haus", True),
        ("sein", True),
        ("schön", True),
        (".", False),
    ]
    assert "tagger:hanta-" in german.signature
    assert german.signature.endswith(
        "lemmas:tagger|synonyms:mine-1-740bb457|content:AD,NN,NE,PT,VV,VA,VM"
    )


def test_a_function_as_tagger():
    def upper(sentences):
        return [["NOUN" if word[:1].isupper() else "X" for word in words] for words in sentences]

    own = Analysis.of(
        language="pl", tagger=upper, lemmas="words", synonyms="none", content="universal"
    )
    row = plain(own.analyse(["Ala ma kota", ""]))
    assert [[token["content"] for token in tokens] for tokens in row] == [[True, False, False], []]
    assert "tagger:upper" in own.signature


@pytest.mark.parametrize("text", ["abc def", "", b"abc"])
def test_a_string_is_not_a_list_of_sentences(text):
    own = {"tagger": "given", "lemmas": "words", "synonyms": "none"}
    for function in (Analysis.of(**own).analyse, lambda given: analyse(given, **own)):
        with pytest.raises(InputError, match=r"one text.*list of sentences"):
            function(text)


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        ([], "0 lists of tags from the tagger <lambda>; expected 1"),
        (None, "None from the tagger <lambda>; expected one list of tags per sentence"),
        ([None], r"\[None\] from the tagger <lambda>; expected one list of tags per sentence"),
        ([["NN"]], r"the tags \['NN'\] .* for \['a', 'b'\] .sentence 0"),
        ([["NN", None]], "expected a tag"),
    ],
)
def test_bad_functions(tags, said):
    own = Analysis.of(tagger=lambda _: tags, lemmas="words", synonyms="none")
    with pytest.raises(InputError, match=said):
        own.analyse(["a b"])


GIVEN = {"tagger": "given", "lemmas": "words", "synonyms": "none"}


@pytest.mark.parametrize(
    ("options", "sentences", "said"),
    [
        (GIVEN, ["a|NOUN"], "the tag 'NOUN' of the word 'a'; expected .*'penn'.*universal"),
        ({**GIVEN, "content": "universal"}, ["a|NN"], "the tag 'NN' of the word 'a'"),
        ({**GIVEN, "language": "de"}, ["a|PROPN"], "the tag 'PROPN' of the word 'a'"),
        (GIVEN, ["a|NN b"], r"'b' is not a word with a tag; expected word\|TAG$"),
        (GIVEN, ["|NN"], r"'\|NN' is not a word with a tag"),
        (GIVEN, ["a|"], r"'a\|' is not a word with a tag"),
        ({**GIVEN, "lemmas": "given"}, ["a|NN"], r"with a tag and a lemma; expected word\|TAG\|"),
        (GIVEN, ["a|NN", None], "sentence 1 .counted from 0. is missing"),
        (GIVEN, [["a", "b"]], "words without tags; .* give texts such as"),
        (
            {**GIVEN, "tagger": "textblob", "tokens": "given"},
            ["a"],
            "texts, where tokens are given",
        ),
        (GIVEN, [["a", 1]], "sentences with"),
        ({**GIVEN, "tagger": "textblob"}, pa.array([["a", None]]), "word 1 .* is missing"),
        (GIVEN, pa.array([1, 2]), "sentences of type int64"),
        (GIVEN, pa.table({"words": [["a"]], "tags": [["NN", "NN"]]}), "has 1 words and 2 tags"),
        (GIVEN, pa.table({"words": [["a"]], "tags": [[None]]}), "a missing value in tag"),
        (GIVEN, pa.table({"words": [["a"]]}), "words without tags"),
        (GIVEN, pa.table({"words": ["a"], "tags": ["NN"]}), "a column words of type string"),
        (GIVEN, pa.array([[{"a": 1}]]), "expected texts, lists of words, or lists of structs"),
        (
            {**GIVEN, "tagger": "textblob"},
            pa.table({"words": [["a"]], "tags": [["NN"]]}),
            "tagged words, with the tagger textblob",
        ),
        (
            {**GIVEN, "lemmas": "given"},
            pa.table({"words": [["a"]], "tags": [["NN"]]}),
            "words without lemmas",
        ),
    ],
)
def test_bad_sentences(options, sentences, said):
    own = Analysis.of(**options)
    for _ in range(2):  # failed sentences are not cached
        with pytest.raises(InputError, match=said):
            own.analyse(sentences)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"language": "fr"}, "no tagger for the language 'fr'"),
        ({**GIVEN, "language": "pl"}, "no tag set for the language 'pl'; name one as `content`"),
        ({"tokens": "moses"}, "unknown `tokens` 'moses'"),
        ({"tagger": "brill"}, "unknown `tagger` 'brill'; expected one of textblob, hanta"),
        ({"tagger": "spacy:"}, "unknown `tagger` 'spacy:'"),
        ({"tagger": 7}, "a tagger of type int"),
        ({"tagger": "textblob", "language": "de", "synonyms": "none"}, "the tagger textblob for"),
        ({"tagger": "hanta", "language": "fr", "synonyms": "none"}, "the tagger hanta for the"),
        ({"lemmas": "porter"}, "unknown `lemmas` 'porter'"),
        ({"lemmas": "morphy", "language": "de", "synonyms": "none"}, "the lemmas morphy for"),
        ({"lemmas": "tagger"}, "a tagger that gives no lemmas"),
        ({"lemmas": "given"}, "given lemmas with a tagger that is not given"),
        ({**GIVEN, "content": "pen"}, "unknown `content` 'pen'; expected one of penn, univ"),
        ({**GIVEN, "content": "NN,,VB"}, "unknown `content` 'NN,,VB'"),
        ({"wordnet": "nowhere"}, "nowhere: is not a folder"),
    ],
)
def test_bad_options(options, said):
    with pytest.raises(InputError, match=said):
        Analysis.of(**options)


def test_missing_resources_of_a_language_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    with pytest.warns(DataWarning) as told:
        signature = Analysis.of("fr", tagger="given").signature
    assert [str(one.message).split(" for ")[0] for one in told] == ["no lemmas", "no synonyms"]
    assert all("tesla tags --src TEXT.en --tgt TEXT.fr" in str(one.message) for one in told)
    assert "alignframe[stems]" in str(told[0].message)
    assert "lemmas:words|synonyms:none" in signature
    with pytest.raises(MissingExtraError, match=r"^stemming .* needs .* 'alignframe\[stems\]'"):
        Analysis.of("fr", tagger="none", lemmas="stems")


def test_stems_are_the_default_lemmas_of_other_languages():
    pytest.importorskip("snowballstemmer")
    with pytest.warns(DataWarning, match="synonyms"):
        analysis = Analysis.of("fr", tagger="given")
    assert "|lemmas:snowball-" in analysis.signature
    words = "Les|DET chevaux|NOM cheval|NOM Chevaux|VER"
    tokens = to_arrow(analysis.analyse([words])).to_pylist()[0]
    assert [token["lemma"] for token in tokens] == ["le", "cheval", "cheval", "cheval"]
    with pytest.raises(InputError, match=r"'xx'.*fr"):
        Analysis.of("xx", tagger="none", lemmas="stems")


def test_missing_libraries(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    monkeypatch.setitem(sys.modules, "HanTa.HanoverTagger", None)
    for tagger, extra in (("spacy:en_core_web_sm", "spacy"), ("hanta", "hanta")):
        with pytest.raises(MissingExtraError, match=rf"alignframe\[{extra}\]"):
            Analysis.of(language="nl", tagger=tagger, synonyms="none")
    with pytest.raises(MissingExtraError, match="tesla tags --src TEXT"):
        HanTaTagger("de")
    monkeypatch.setitem(sys.modules, "textblob", None)
    with pytest.raises(MissingExtraError, match=r"alignframe\[tesla\]"):
        TextBlobTagger()


def test_content_words_of_languages():
    wanted = {"de": "ADJA", "fr": "VER:pres", "es": "NCMS", "cs": "NNMS1", "zh": "VV", "nl": "BW()"}
    for name, tag in wanted.items():
        assert content_of("", name).is_content(tag, "x")
    function = {"de": "ART", "fr": "DET:ART", "es": "SP", "cs": "RR--4", "zh": "DEG", "nl": "LET()"}
    for name, tag in function.items():
        assert not content_of(name).is_content(tag, "x")
    assert content_of(["Q"]).is_content("QX", "x")
    assert not content_of("Q").is_content("NN", "x")


def test_an_analysis_is_cached_until_its_files_change(tmp_path):
    file = tmp_path / "synonyms.tsv"
    file.write_text("car\tautomobile\n", "utf-8")
    options = {"tagger": "none", "lemmas": "words", "synonyms": str(file)}
    first = kept_analysis(**options)
    assert kept_analysis(**options) is first
    assert kept_analysis(**options | {"tokens": "spaces"}) is not first
    file.write_text("car\tautomobile\nmouse\trodent\n", "utf-8")
    assert len(kept_analysis(**options).synonyms.lemmas) == 2 + len(first.synonyms.lemmas)
    assert kept_analysis(**options | {"content": ["WORD"]}) is not first
