"""One sentence pair at a time: what whole texts get, from many threads, from few look-ups."""

from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

from alignframe import aligners
from alignframe.errors import InputError

TEXT = (
    ["the house", "the book", "a book", "the green house", "the café", "a green book is a book"],
    ["das Haus", "das Buch", "ein Buch", "das grüne Haus", "das Café", "ein Buch ist ein Buch"],
)
RAW = (
    ["The house, he said.", "The book, he said.", "A house, yes."] * 3,
    ["La maison, dit-il.", "L'ouvrage, dit-il.", "Une maison, oui."] * 3,
)
# Known and new words, some of which are spelt alike; not composed, or with a mark of the task.
NEW = [
    ("the house", "das Haus"),
    ("a greener Bookshop", "ein Buchladen Bookshop"),
    ("the cafe\u0301 \t is", "das Café  "),
    ("<s snum=1> a book </s>", "ein Buch"),
    (["a", "book"], ["ein", "Buch"]),
    ("", "das Haus"),
]


def trained(kind, text=TEXT):
    return [aligners.fit(*text, model=kind, reverse=reverse) for reverse in (False, True)]


@pytest.fixture(scope="module")
def bayes():
    return trained("bayes")


def words(sentence):
    return pl.Series([sentence]).to_list() if isinstance(sentence, str) else [sentence]


def reference(models, src, tgt, **options):
    """Return the links of a text of one pair, with their probabilities."""
    found = aligners.align_with(models, (words(src), words(tgt)), posterior=True, **options)
    links = [(link["i"], link["j"]) for link in found["links"][0]]
    return dict(zip(links, found["probabilities"][0].to_list(), strict=True))


@pytest.mark.filterwarnings("ignore:1 sentence pair")
@pytest.mark.parametrize("threshold", [None, 0.3])
@pytest.mark.parametrize("symmetrize", ["grow-diag-final-and", "union", "agree", "none"])
def test_links_are_those_of_texts(bayes, symmetrize, threshold):
    options = {"symmetrize": symmetrize, "threshold": threshold}
    aligner = aligners.Aligner(bayes, **options)
    for src, tgt in NEW:
        found = reference(bayes, src, tgt, **options)
        assert aligner.links(src, tgt) == list(found)
        assert aligner.probabilities(src, tgt) == found
    assert aligner.links("the book", "das Buch") == [(0, 0), (1, 1)]
    assert aligner.links("", "das Haus") == []


@pytest.mark.filterwarnings("ignore:1 sentence pair")
@pytest.mark.parametrize("kind", ["ibm1", "hmm", "ibm4"])
def test_links_of_other_kinds(kind):
    models = trained(kind)
    aligner = aligners.Aligner(models)
    for src, tgt in NEW:
        assert aligner.probabilities(src, tgt) == reference(models, src, tgt)


@pytest.mark.parametrize("positions", ["auto", "words"])
def test_raw_text_is_split_as_in_training(positions):
    models = trained("bayes", RAW)
    assert models[0].splits
    aligner = aligners.Aligner(models, positions=positions)
    for src, tgt in zip(*RAW, strict=True):
        found = reference(models, src, tgt, positions=positions)
        assert found
        assert aligner.probabilities(src, tgt) == found


def test_models_with_other_words(bayes):
    other = aligners.fit(*(side[:4] for side in TEXT), reverse=True)
    models = [bayes[0], other]
    assert not other.reads_as(bayes[0])
    aligner = aligners.Aligner(models, symmetrize="union")
    for src, tgt in zip(*TEXT, strict=True):
        assert aligner.probabilities(src, tgt) == reference(models, src, tgt, symmetrize="union")


def test_threads_share_an_aligner(bayes, tmp_path):
    for model, name in zip(bayes, ("forward", "reverse"), strict=True):
        model.save(tmp_path / name)
    alone = aligners.Aligner(tmp_path)
    pairs = [*zip(*TEXT, strict=True), *NEW] * 20
    expected = [alone.links(*pair) for pair in pairs]
    together = aligners.Aligner(tmp_path)  # whose tables the threads make at the same time
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda pair: together.links(*pair), pairs)) == expected


@pytest.mark.parametrize("given", [3, None, ["a", 3], ["a", None], "two\nlines", "\ud800"])
def test_what_is_no_sentence(bayes, given):
    aligner = aligners.Aligner(bayes)
    with pytest.raises(InputError, match="the target sentence"):
        aligner.links("the house", given)


def test_what_are_no_models(bayes, tmp_path):
    with pytest.raises(InputError, match="a forward and a reverse model"):
        aligners.Aligner(bayes[:1])
    with pytest.raises(InputError, match="no such folder"):
        aligners.Aligner(tmp_path / "none")
    with pytest.raises(InputError, match="symmetrize"):
        aligners.Aligner(bayes, symmetrize="best")
