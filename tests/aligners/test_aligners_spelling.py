"""Words spelt alike are found in new text as in training text."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from alignframe import aligners
from alignframe.aligners.ibm1 import opposite_alike, spelt_alike
from alignframe.aligners.text import read_text
from alignframe.aligners.training_pairs import pair
from alignframe.kernels.aligners import similar_words as similar

WORDS = [
    "name",
    "names",
    "Namen",
    "nommer",
    "aa",
    "àa",
    "a-b",
    "A-B",
    "1990",
    "1991",
    "x",
    "\u0301",
]
words = st.lists(st.sampled_from([*WORDS, "internationalisation" * 5]), min_size=1, max_size=6)


def found(text):
    """Return the similarity of words by number."""
    starts, targets, degrees = opposite_alike(text)
    rows = range(len(starts) - 1)
    pairs = [(w, targets[c], degrees[c]) for w in rows for c in range(starts[w], starts[w + 1])]
    both = {(int(w), int(t)): float(degree) for w, t, degree in pairs}
    assert len(both) == len(pairs)
    return both


def wanted(text):
    cells = pair(text, parts=1)
    degrees = spelt_alike(cells)
    rows = range(text.src.n_words)
    places = [(w, c) for w in rows for c in range(cells.starts[w + 1], cells.starts[w + 2])]
    return {(w, int(cells.targets[c])): float(degrees[c]) for w, c in places if degrees[c] > 0}


def check(rows):
    frame = pl.DataFrame({"src": [r[0] for r in rows], "tgt": [r[1] for r in rows]})
    text = read_text(frame)
    assert found(text) == wanted(text)
    turned = text.turned()
    assert turned.known is text.known
    assert found(turned) == wanted(turned)


@given(st.lists(st.tuples(words, words), min_size=1, max_size=4))
def test_similar_words_equal_those_of_training_text(rows):
    check(rows)


def test_more_sentences_than_fit_into_a_block():
    few = [(["name", "1990"], ["names", "x"]), (["aa", "name"], ["àa", "names"])]
    filling = [(["x"], ["1991"])] * similar.AT_A_TIME
    check([*few, *filling, *few])


RUSSIAN = ["Лондон", "Обама", "мир", "1990", "Nato"]
ENGLISH = ["London", "Obama", "mir", "1990", "Nato", "Osama"]


def test_words_of_another_script_are_compared_in_latin_letters():
    rows = [(RUSSIAN, ENGLISH)]
    check(rows)
    text = read_text(pl.DataFrame({"src": [RUSSIAN], "tgt": [ENGLISH]}))
    both = found(text)
    words = [side.vocabulary.to_pylist() for side in (text.src, text.tgt)]
    named = {(words[0][s], words[1][t]): degree for (s, t), degree in both.items()}
    equal = {pair for pair, degree in named.items() if degree == 1}
    assert equal == {
        ("Лондон", "London"),
        ("Обама", "Obama"),
        ("мир", "mir"),
        ("1990", "1990"),
        ("Nato", "Nato"),
    }
    assert 0 < named["Обама", "Osama"] < 1


def test_words_of_one_script_are_compared_as_they_are():
    words = ["Обама", "щука", "щит", "шит"]
    text = read_text(pl.DataFrame({"src": [words], "tgt": [["щуки", "киото", "Обаме"]]}))
    alike = {
        (text.src.vocabulary[s].as_py(), text.tgt.vocabulary[t].as_py()) for s, t in found(text)
    }
    assert alike == {("щука", "щуки"), ("Обама", "Обаме")}


def test_a_saved_model_knows_the_script_of_a_sentence_without_one(tmp_path):
    homes = ["дом", "сад", "лес", "мост"]
    rows = [
        ([a, b], [f"x{a}"[:1] + str(homes.index(a)), f"y{homes.index(b)}"])
        for a in homes
        for b in homes
    ]
    text = pl.DataFrame({"src": [a for a, _ in rows], "tgt": [b for _, b in rows]})
    models = [aligners.fit(text, reverse=reverse) for reverse in (False, True)]
    for reverse, model in zip(("forward", "reverse"), models, strict=True):
        model.save(tmp_path / reverse)
    service = aligners.Aligner(tmp_path)
    new = pl.DataFrame(
        {
            "src": [["Обама", "Лондон"], ["Nato", "Афины"]],
            "tgt": [["london", "obama"], ["afini", "nato"]],
        }
    )
    wanted = [[(0, 1), (1, 0)]] * 2
    for n in range(2):  # each alone
        src, tgt = new["src"][n].to_list(), new["tgt"][n].to_list()
        assert service.links(src, tgt) == wanted[n]
    links = aligners.align_with(models, new)["links"]
    assert [[(link["i"], link["j"]) for link in own] for own in links] == wanted
