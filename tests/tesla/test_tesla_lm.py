"""Language models: reading ARPA, scoring, and estimating them."""

import gzip
import itertools
import math
import random
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from helpers.formats import quietly
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.tesla_lm import KneserNey, arpa_text, chen_goodman, perplexity, sentence_log10

from alignframe.core.schemas import ANALYSED
from alignframe.errors import DataWarning, InputError, MissingExtraError
from alignframe.language.analysed import Vocabulary, from_arrow
from alignframe.tesla.estimate import FALLBACK, estimate_language_model, text_columns, write_arpa
from alignframe.tesla.language_model import LanguageModelFeatures, read_language_model

WORDS = ["a", "b", "c", "d"]
MARKED = ["<s>", "</s>", "<unk>", *WORDS]
SMALL = """\\data\\
ngram 1=5
ngram 2=2

\\1-grams:
-1.5\t<unk>
-99\t<s>\t-0.5
-0.8\t</s>
-0.4\tthe\t-0.25
-0.9\tcat

\\2-grams:
-0.2\t<s> the
-0.3\tthe cat

\\end\\
"""


def analysed(sentences, vocabulary=None):
    rows = [
        [{"word": w, "tag": "NN", "lemma": w, "content": True} for w in s.split()]
        for s in sentences
    ]
    return from_arrow(pa.array(rows, ANALYSED), vocabulary or Vocabulary())


def log10_of(model, sentences):
    numbers = [model.numbers(pa.array(words, pa.string())) for words in sentences]
    ends = np.cumsum([len(words) for words in sentences])
    starts = ends - [len(words) for words in sentences]
    return model.log10(starts, ends, np.concatenate([np.zeros(0, np.int32), *numbers]))


def saved(folder, text, name="model.arpa"):
    (folder / name).write_text(text, "utf-8")
    return folder / name


@st.composite
def models(draw):
    """Draw a model of any n-grams, some of which lack their prefixes or suffixes."""
    order = draw(st.integers(1, 4))
    figure = st.integers(-3_000_000, 0).map(lambda x: x / 1e6)
    weight = st.integers(-2_000_000, 500_000).map(lambda x: x / 1e6)
    model = {(word,): (draw(figure), draw(weight)) for word in MARKED}
    for n in range(2, order + 1):
        middle = st.lists(st.sampled_from(WORDS), min_size=n - 2, max_size=n - 2)
        grams = st.tuples(st.sampled_from(["<s>", *WORDS]), middle, st.sampled_from(MARKED[1:]))
        for first, inside, last in draw(st.lists(grams, min_size=1, max_size=12)):
            if last != "<s>":
                model[first, *inside, last] = (draw(figure), draw(weight) if n < order else 0.0)
    return order, model


@settings(max_examples=10)
@given(models(), st.lists(st.lists(st.sampled_from([*WORDS, "x"]), max_size=7), min_size=1))
def test_scores_equal_those_of_backing_off(tmp_path_factory, drawn, sentences):
    order, model = drawn
    order = max(len(gram) for gram in model)
    path = saved(tmp_path_factory.mktemp("lm"), arpa_text(model, order))
    read = quietly(read_language_model, path)  # n-grams that are prefixes of others
    wanted = [sentence_log10(model, order, words) for words in sentences]
    assert log10_of(read, sentences) == pytest.approx(wanted, abs=2e-5)
    assert read.order == order


def test_a_small_model_by_hand(tmp_path):
    model = read_language_model(saved(tmp_path, SMALL))
    found = log10_of(model, [["the", "cat"], ["dog"], [], ["cat", "the"]])
    # -0.2 - 0.3 - 0.8; -0.5 - 1.5 - 0.8; -0.5 - 0.8; -0.5 - 0.9 - 0.4 - 0.25 - 0.8
    assert found == pytest.approx([-1.3, -2.8, -1.3, -2.85], abs=1e-6)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ngram 2=2", "ngram 2=3", r":16: 2 2-grams; expected the 3 that"),
        ("ngram 1=5", "ngram 1=4", r":12: 5 1-grams; expected the 4"),
        ("-0.9\tcat", "-0.9", r":10: the line '-0\.9' is too short"),
        ("-0.9\tcat", "zero\tcat", r":10: 'zero' is not a number; expected log10"),
        ("-0.9\tcat", "-0.9e\tcat", r":10: '-0\.9e' is not a number"),
        ("-0.9\tcat", "nan\tcat", r":10: 'nan' is not a number"),
        ("-0.9\tcat", "0.9\tcat", r":10: the log probability 0\.9; expected 0 or less"),
        ("-0.3\tthe cat", "-0.3\tthe dog", r":14: the word 'dog' is not a 1-gram"),
        ("-0.3\tthe cat", "-0.3\tthe cat -1 5", r":14: '5' is one word too many"),
        ("-0.3\tthe cat", "-0.3\t<s> the", r":14: the 2-gram '<s> the' again"),
        ("-0.9\tcat", "-0.9\tthe", r":10: the 1-gram 'the' again"),
        ("-0.8\t</s>", "-0.8\tend", r"no </s> among the 1-grams"),
        ("\\2-grams:", "\\3-grams:", r":12: the line .*3-grams:'; expected \\2-grams:"),
        ("\\end\\\n", "", r":15: the file ends before \\end"),
        ("\\data\\", "data", r"no line \\data\\"),
        ("ngram 2=2", "ngram 3=2", r":3: the number of 3-grams; expected that of 2-grams"),
        ("ngram 2=2", "ngram two=2", r":3: the line 'ngram two=2'; expected \\1-grams:"),
    ],
)
def test_damage_is_named_with_its_line(tmp_path, old, new, message):
    assert old in SMALL
    where = r"model\.arpa" if message[0] == ":" else ""
    with pytest.raises(InputError, match=where + message):
        read_language_model(saved(tmp_path, SMALL.replace(old, new)))


def test_words_must_be_utf8(tmp_path):
    (tmp_path / "m.arpa").write_bytes(SMALL.replace("cat", "ch\xe4t").encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        read_language_model(tmp_path / "m.arpa")


def test_compressed_files_and_windows_line_ends(tmp_path):
    packed = tmp_path / "model.arpa.gz"
    packed.write_bytes(gzip.compress(SMALL.replace("\n", "\r\n").encode()))
    model = read_language_model(packed)
    assert log10_of(model, [["the", "cat"]]) == pytest.approx([-1.3], abs=1e-6)


def test_a_model_without_unk_causes_a_warning(tmp_path):
    text = SMALL.replace("-1.5\t<unk>\n", "").replace("ngram 1=5", "ngram 1=4")
    text = text.replace("cat\n", "cat\t-0.1\n", 1)
    text = text.replace("ngram 2=2", "ngram 2=3").replace("-0.3\t", "-0.05\tcat </s>\n-0.3\t")
    with pytest.warns(DataWarning, match=r"<unk>.* -0\.9"):
        model = read_language_model(saved(tmp_path, text))
    # As "cat" where it backs off, but never after "the", and no n-gram continues it.
    found = log10_of(model, [["dog"], ["the", "dog"], ["cat", "dog", "cat"]])
    wanted = [-0.5 - 0.9 - 0.8, -0.2 - 0.25 - 0.9 - 0.8, -0.5 - 0.9 - 0.1 - 0.9 - 0.9 - 0.05]
    assert found == pytest.approx(wanted)
    assert model.numbers(pa.array(["dog", "<s>"])).tolist() == [-1, -1]


def test_missing_contexts_are_counted(tmp_path):
    text = SMALL.replace("ngram 2=2", "ngram 2=2\nngram 3=1")
    text = text.replace("\n\\end\\", "\n\\3-grams:\n-0.1\tcat the cat\n\n\\end\\")
    with pytest.warns(DataWarning, match="1 n-gram prefix missing"):
        model = read_language_model(saved(tmp_path, text))
    # For "cat the", -0.4 as for "the" alone, after the weight of "cat", which is 0.
    assert log10_of(model, [["cat", "the", "cat"]]) == pytest.approx([-0.5 - 0.9 - 0.4 - 0.1 - 0.8])


def test_words_that_look_like_markers_are_unknown(tmp_path):
    model = read_language_model(saved(tmp_path, SMALL))
    found = log10_of(model, [["</s>"], ["<s>"], ["dog"]])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(
    ("vocabulary", "case", "wanted"),
    [
        ("cat", "auto", ("lower", True)),
        ("Cat", "auto", ("keep", False)),
        ("cat", "keep", ("keep", False)),
        ("cat", "lower", ("lower", True)),
    ],
)
def test_case(tmp_path, vocabulary, case, wanted):
    path = saved(tmp_path, SMALL.replace("cat", vocabulary))
    model = read_language_model(path, case=case)
    numbers = model.numbers(pa.array(["THE", "the"]))
    name, same = wanted
    assert f"case:{name}" in model.signature
    assert (numbers[0] == numbers[1]) == same


def test_case_is_checked(tmp_path):
    with pytest.raises(InputError, match=r"'upper'.*auto, lower, keep"):
        read_language_model(saved(tmp_path, SMALL), case="upper")


def test_features_are_natural_logarithms_per_word(tmp_path):
    features = LanguageModelFeatures(read_language_model(saved(tmp_path, SMALL)), "news")
    vocabulary = Vocabulary()
    hyp = analysed(["the cat", "", "dog"], vocabulary)
    found = features.of(hyp, hyp)
    wanted = np.array([-1.3 / 2, -1.3, -2.8]) * math.log(10)
    assert found.shape == (3, 1)
    assert found[:, 0] == pytest.approx(wanted, abs=1e-6)
    # The vocabulary grows, rows are selected, the vocabulary is replaced.
    more = analysed(["cat cat", "the The"], vocabulary).take(np.array([1]))
    again = features.of(more, more)[0, 0]
    fresh = analysed(["the The"])
    assert again == features.of(fresh, fresh)[0, 0]
    assert features.of(hyp, more)[:, 0] == pytest.approx(found[:, 0])
    assert features.names == ("lm_news",)
    assert features.signature == (
        "lm_news:order=2,ngrams=5,2,case=lower,digest=98408ffe,log=e,per=word,end=counted"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [("-0.9\tcat", "-0.91\tcat"), ("-0.25", "-0.26"), ("the cat", "the the"), ("cat", "dog")],
)
def test_signatures_distinguish_models(tmp_path, old, new):
    one, same = (read_language_model(saved(tmp_path, SMALL, name)) for name in ("a", "b"))
    other = read_language_model(saved(tmp_path, SMALL.replace(old, new)))
    assert one.signature == same.signature != other.signature


def test_signatures_of_binary_models_have_a_digest(tmp_path, monkeypatch):
    """KenLM itself is replaced by a stub, as it need not be installed."""
    fake = SimpleNamespace(Model=lambda _: SimpleNamespace(order=3))
    monkeypatch.setitem(sys.modules, "kenlm", fake)
    paths = [tmp_path / name for name in ("a", "b", "c")]
    for path, byte in zip(paths, (b"1", b"1", b"2"), strict=True):
        path.write_bytes(b"mmap lm http://kheafield.com/code" + byte)
    one, same, other = (read_language_model(path).signature for path in paths)
    assert one.startswith("order:3|ngrams:kenlm|case:keep|digest:")
    assert one == same != other


@pytest.mark.parametrize("name", ["", "a|b", "a b", "a=b", "fr_lem_1", "lem_1", "pos_2"])
def test_names_of_features_are_checked(tmp_path, name):
    model = read_language_model(saved(tmp_path, SMALL))
    with pytest.raises(InputError, match="name of a language model"):
        LanguageModelFeatures(model, name)


def test_a_model_may_be_a_path(tmp_path):
    path = saved(tmp_path, SMALL)
    sentences = analysed(["the cat"])
    read = LanguageModelFeatures(read_language_model(path), "x")
    for given_as in (path, str(path)):
        one = LanguageModelFeatures(given_as, "x")
        assert one.signature == read.signature
        assert np.array_equal(one.of(sentences, sentences), read.of(sentences, sentences))
    with pytest.raises(InputError, match=r"language model .*int.*read_"):
        LanguageModelFeatures(3, "x")


def test_binary_models_need_kenlm(tmp_path, monkeypatch):
    (tmp_path / "m.bin").write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0")
    monkeypatch.setitem(sys.modules, "kenlm", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'alignframe\[kenlm\]'"):
        read_language_model(tmp_path / "m.bin")


def test_scores_equal_kenlm(tmp_path):
    kenlm = pytest.importorskip("kenlm")
    from alignframe.tesla.language_model import KenlmModel

    sentences = text(300, 5)
    write_arpa(quietly(estimate_language_model, [pa.array(sentences)], 4), tmp_path / "m.arpa")
    ours = read_language_model(tmp_path / "m.arpa")
    tests = [["w1", "w2", "new", "w3"], [], *text(40, 6)]
    theirs = kenlm.Model(str(tmp_path / "m.arpa"))
    wanted = [theirs.score(" ".join(words)) for words in tests]
    assert log10_of(ours, tests) == pytest.approx(wanted, abs=1e-4, rel=1e-6)
    wrapped = KenlmModel(tmp_path / "m.arpa", lower=False)
    numbers = [wrapped.numbers(pa.array(words, pa.string())) for words in tests]
    ends = np.cumsum([len(words) for words in tests])
    starts = ends - [len(words) for words in tests]
    assert wrapped.log10(starts, ends, np.concatenate(numbers)) == pytest.approx(wanted)
    assert wrapped.order == 4


def text(sentences, seed):
    """Draw sentences whose words depend on each other, and have any frequency."""
    draw = random.Random(seed)
    found = []
    for _ in range(sentences):
        words = [f"w{int(draw.paretovariate(0.7))}"]
        while draw.random() < 0.85:
            follows = draw.random() < 0.5
            words.append(words[-1] + "x" if follows else f"w{int(draw.paretovariate(0.7))}")
            words[-1] = words[-1][:4]
        found.append(words)
    return found


def figures(model, order):
    """Return the n-grams of an estimate in the form of the reference."""
    found = {}
    for n, own in enumerate(model.orders, 1):
        for row in own.ngrams.iter_rows(named=True):
            gram = tuple(model.words[row[f"w{k}"]] for k in range(1, n + 1))
            found[gram] = (row["prob"], row.get("back_off", 0.0))
    return found


@pytest.mark.parametrize("order", [2, 3, 4])
def test_the_estimate_is_kneser_ney(order):
    sentences = text(60, order)
    parts = [pa.array(sentences[:20]), pa.array(sentences[20:])]
    model = quietly(estimate_language_model, parts, order)
    slow = KneserNey(sentences, order, [own.discounts for own in model.orders])
    for n, own in enumerate(model.orders, 1):
        wanted = chen_goodman(slow.counts_of(n)) or FALLBACK
        assert own.discounts == pytest.approx(wanted)
    known = figures(model, order)
    assert {gram for gram in known if gram not in (("<s>",), ("<unk>",))} == set(slow.counts)
    for gram in random.Random(1).sample(sorted(slow.counts), 60):
        assert 10 ** known[gram][0] == pytest.approx(slow.prob(gram[:-1], gram[-1]))


def test_probabilities_sum_to_one(tmp_path):
    sentences = text(150, 9)
    model = quietly(estimate_language_model, [pa.array(sentences)], 3)
    known = figures(model, 3)
    words = [word for word in model.words if word != "<s>"]
    contexts = [(), ("<s>",), ("<s>", "w1"), ("w1",), ("w1", "w1"), ("new", "w1"), ("w2", "w1x")]
    for context in contexts:
        total = sum(10 ** _prob(known, context, word) for word in words)
        assert total == pytest.approx(1), context
    write_arpa(model, tmp_path / "m.arpa")
    read = read_language_model(tmp_path / "m.arpa")
    tests = [["w1", "w1", "never"], ["w2", "w2x"], []]
    wanted = [sentence_log10(known, 3, words) for words in tests]
    assert log10_of(read, tests) == pytest.approx(wanted, abs=1e-5)


def _prob(model, context, word):
    from reference.tesla_lm import word_log10

    return word_log10(model, context, word)


def test_longer_contexts_predict_better():
    sentences = text(1500, 2)
    unseen = text(200, 3)
    found = []
    for order in (2, 3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            known = figures(estimate_language_model([pa.array(sentences)], order), order)
        logs = [sentence_log10(known, order, words) for words in unseen]
        sizes = sum(len(words) + 1 for words in unseen)
        found.append(perplexity([10 ** (sum(logs) / sizes)]))
    uniform = len({word for words in sentences for word in words})
    assert found[0] < uniform / 4
    assert found[1] < found[0] * 1.1


def told(call):
    """Return the result of a call, and its warnings."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = call()
    assert {one.category for one in found} <= {DataWarning}
    return result, [str(one.message) for one in found]


def test_a_small_text_warns_about_its_discounts(tmp_path):
    model, said = told(lambda: estimate_language_model([pa.array([["a", "b"], [], ["a"]])], 2))
    assert [text.split(" (")[0] for text in said] == [
        f"the text is too small to estimate the discounts of {n}-grams" for n in (1, 2)
    ]
    assert all(text.endswith("used 0.5, 1.0, 1.5") for text in said)
    assert model.orders[0].discounts == FALLBACK
    write_arpa(model, tmp_path / "m.arpa.gz")
    lines = gzip.decompress((tmp_path / "m.arpa.gz").read_bytes()).decode().split("\n")
    assert lines[:3] == ["\\data\\", "ngram 1=5", "ngram 2=4"]
    assert [line.split("\t")[0] for line in lines if "\t<s>\t" in line] == ["-99"]
    assert lines[-2:] == ["\\end\\", ""]


def test_markers_in_text_become_unknown():
    model, said = told(lambda: estimate_language_model([pa.array([["a", "</s>", "<unk>"]] * 3)], 2))
    assert said[0] == "6 words of the text that look like special symbols became <unk>"
    grams = figures(model, 2)
    assert ("a", "<unk>") in grams
    assert ("a", "</s>") not in grams


@pytest.mark.parametrize(
    ("sentences", "order", "message"),
    [
        ([["a"]], 1, "`n` is 1; expected a whole number from 2 to 10"),
        ([[]], 2, "no words to estimate"),
    ],
)
def test_estimating_from_nothing(sentences, order, message):
    with pytest.raises(InputError, match=message):
        estimate_language_model([pa.array(sentences, pa.list_(pa.string()))], order)


def test_text_is_split_and_lower_cased(tmp_path):
    (tmp_path / "t.en").write_text("The cat's here.\n\nOne U.S. word\n", "utf-8")
    parts = [part.to_pylist() for part in text_columns([tmp_path / "t.en"])]
    assert list(itertools.chain(*parts)) == [
        ["the", "cat", "'s", "here", "."],
        [],
        ["one", "u.s.", "word"],
    ]
    plain = text_columns([tmp_path / "t.en"], tokens="spaces", lower=False)
    assert next(plain).to_pylist()[0] == ["The", "cat's", "here."]
