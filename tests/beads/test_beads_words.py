"""Words in sentence alignment: splitting, training, and lookup."""

from functools import partial
from pathlib import Path
from unicodedata import normalize

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import beads_align as slow

from alignframe import aligners
from alignframe.beads import align
from alignframe.beads.document import document, split
from alignframe.beads.translations import Pairs, known
from alignframe.core.arrays import frozen
from alignframe.errors import InputError
from alignframe.kernels.beads.paths import Steps, band_around
from alignframe.kernels.text.characters import BASIS, mixed, slot_of

KINDS = [(1, 1), (2, 1), (1, 2), (2, 2)]
SENTENCES = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6), max_size=4)
SMOOTHING = st.sampled_from([0.0, 0.1, 0.5])
TEXT = pl.DataFrame(
    {
        "sid": [0, 1, 2],
        "src": [["the", "house"], ["the", "book"], ["a", "book"]],
        "tgt": [["das", "haus"], ["das", "buch"], ["ein", "buch"]],
    }
)
SRC, TGT = ([" ".join(words) for words in TEXT[side]] for side in ("src", "tgt"))


def texts(sentences):
    return [" ".join(words) for words in sentences]


def told(table, text, smoothing, rows=None):
    """Return what words add to the score of each bead."""
    m, n = len(text.src), len(text.tgt)
    band = band_around(m, n, float(max(m, n, 1)))
    cells = np.zeros((len(KINDS), m + 1, n + 1), np.float32)
    for k, (a, b) in enumerate(KINDS):
        cells[k, :a] = cells[k, :, :b] = -np.inf  # it would begin before the text
    scores = cells.reshape(len(KINDS), -1)
    steps = Steps(frozen(np.array(KINDS, np.int64)), scores, np.zeros(m), np.zeros(n))
    table.add(text, band, steps, smoothing, range(m) if rows is None else rows)
    return {
        (i - a, i, j - b, j): float(cells[k, i, j])
        for k, (a, b) in enumerate(KINDS)
        for i in range(a, m + 1)
        for j in range(b, n + 1)
    }


def check(found, src, tgt, p, frequency, smoothing):
    for bead, value in found.items():
        words = [
            [word for number in part for word in side[number]]
            for part, side in zip(slow.sides(bead), (src, tgt), strict=True)
        ]
        wanted = slow.word_factor(*words, p, frequency, smoothing)
        assert value == pytest.approx(wanted, rel=1e-4, abs=1e-4)


# --- Model 1


@settings(max_examples=30)
@given(SENTENCES, SENTENCES, st.data())
def test_model_1_follows_its_definition(src, tgt, data):
    every = [(i, j) for i in range(len(src)) for j in range(len(tgt))]
    pairs = sorted(data.draw(st.lists(st.sampled_from(every)) if every else st.just([])))
    low, high = sorted(data.draw(st.tuples(*[st.integers(0, len(src))] * 2)))
    most, smoothing = data.draw(st.sampled_from([5000, 3])), data.draw(SMOOTHING)
    text = document(texts(src), texts(tgt))
    numbers = np.array(pairs, np.int64).reshape(-1, 2).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("alignframe.beads.translations.MAX_TYPES", most)
        table = Pairs.of(text, *map(frozen, numbers)).learn(range(low, high))
    src, tgt = (slow.told_apart(side, most, 2) for side in (src, tgt))
    others = [(src[i], tgt[j]) for i, j in pairs if not low <= i < high]
    vocabulary = {word for words in tgt for word in words}
    p = slow.model_1(others, [(src[i], tgt[j]) for i, j in pairs], vocabulary, 4)
    check(told(table, text, smoothing), src, tgt, p, slow.shares(tgt), smoothing)


def test_only_beads_of_the_requested_rows_are_scored():
    text = document(SRC, TGT)
    table = known(pa.table({"src": ["the", "book"], "tgt": ["das", "buch"]})).translations_of(text)
    whole = told(table, text, 0.1)
    assert any(whole.values())
    for rows in (range(1), range(1, 3), range(2, 2)):
        wanted = {bead: value * (bead[1] - 1 in rows) for bead, value in whole.items()}
        assert told(table, text, 0.1, rows) == wanted


def test_counts_below_an_even_share_go_to_the_empty_word():
    """The only word that co-occurs with x always has its share; none of the others has an even
    share.
    """
    src = [["x"], ["x", "p", "q", "r"]] * 3
    tgt = [["y"], ["y", "z"]] * 3
    pairs = list(zip(src, tgt, strict=True))
    p = slow.model_1(pairs, pairs, {"y", "z"}, 4)
    assert p["x"]["y"] == 1.0
    assert p[None]["z"] > 0
    text = document(texts(src), texts(tgt))
    rows = frozen(np.arange(6))
    check(told(Pairs.of(text, rows, rows).learn(), text, 0.1), src, tgt, p, slow.shares(tgt), 0.1)


# --- models trained elsewhere

LEXICA = st.dictionaries(
    st.tuples(st.sampled_from([None, *"abcxy"]), st.sampled_from("abcdz")),
    st.sampled_from([0.0, 0.01, 0.25, 0.5, 1.0]),
    max_size=12,
)


def lexicon(cells):
    src, tgt = ([cell[side] for cell in cells] for side in (0, 1))
    columns = {"src": pa.array(src, pa.string()), "tgt": pa.array(tgt, pa.string())}
    return pa.table(columns | {"p": pa.array(cells.values(), pa.float64())})


def rows_of(cells):
    """Return the table of a lexicon whose empty word has no other translations."""
    p = {None: {}}
    for (src, tgt), value in cells.items():
        p.setdefault(src, {})[tgt] = value
    return p


def only(frequency, cells):
    """Return the frequencies of the words in a lexicon."""
    return {word: share for word, share in frequency.items() if word in {tgt for _, tgt in cells}}


@settings(max_examples=30)
@given(SENTENCES, SENTENCES, LEXICA, SMOOTHING)
def test_a_lexicon_follows_its_definition(src, tgt, cells, smoothing):
    text = document(texts(src), texts(tgt))
    frequency = only(slow.shares(tgt), cells)
    found = told(known(lexicon(cells)).translations_of(text), text, smoothing)
    check(found, src, tgt, rows_of(cells), frequency, smoothing)

    plain = known(lexicon(cells).drop(["p"])).translations_of(text)
    counts = {src: sum(other == src for other, _ in cells) for src, _ in cells}
    even = rows_of({cell: 1 / counts[cell[0]] for cell in cells})
    check(told(plain, text, smoothing), src, tgt, even, frequency, smoothing)


@pytest.mark.filterwarnings("ignore:.*the model knows 0%")
def test_words_missing_from_a_model_are_ignored():
    text = document(SRC, TGT)
    foreign = known(pa.table({"src": ["dog"], "tgt": ["hund"]})).translations_of(text)
    assert set(told(foreign, text, 0.2).values()) == {0.0}
    by_lengths = align(SRC, TGT, "len")
    for one in (pa.table({"src": ["dog"], "tgt": ["hund"]}), lexicon({})):
        table = align(SRC, TGT, "mre+", model=one)
        assert table.drop(["score"]).equals(by_lengths.drop(["score"]))
        np.testing.assert_allclose(table["score"], by_lengths["score"], atol=1e-6)


def test_translations_raise_and_other_words_lower_a_probability():
    text = document(SRC, TGT)
    found = told(
        known(lexicon({("house", "haus"): 1.0, ("a", "ein"): 1.0})).translations_of(text), text, 0.2
    )
    assert found[0, 1, 0, 1] > 0 > found[0, 1, 2, 3]
    assert found[2, 3, 2, 3] > 0 > found[2, 3, 0, 1]
    assert found[1, 2, 1, 2] == 0


@pytest.mark.parametrize("kind", ["ibm1", "hmm"])
def test_models_and_their_folders(kind, tmp_path):
    model = aligners.fit(TEXT, model=kind)
    model.save(tmp_path / "one")
    for direction, reverse in (("forward", False), ("reverse", True)):
        aligners.fit(TEXT, model=kind, reverse=reverse).save(tmp_path / "both" / direction)
    pq.write_table(pq.read_table(tmp_path / "one" / "translations.parquet"), tmp_path / "p.parquet")
    wanted = align(SRC, TGT, "mre+", model=model)
    folders = ("one", "both", "both/forward", "p.parquet")
    for given_as in (*(tmp_path / name for name in folders), str(tmp_path / "one"), known(model)):
        assert align(SRC, TGT, "mre+", model=given_as).equals(wanted)
    assert not wanted.equals(align(SRC, TGT, "len"))
    reverse = aligners.load(tmp_path / "both" / "reverse")
    for wrong in (reverse, tmp_path / "both" / "reverse"):
        with pytest.raises(InputError, match="target to source"):
            align(SRC, TGT, "mre+", model=wrong)


@pytest.mark.filterwarnings("ignore:.*the model knows")
@pytest.mark.parametrize("probable", [False, True])
def test_lexicons_in_any_form(probable, tmp_path):
    table = lexicon({("the", "das"): 0.5, ("house", "haus"): 0.9, ("book", "buch"): 0.3})
    if not probable:
        table = table.drop(["p"])
    wanted = align(SRC, TGT, "mre+", model=table)
    assert not wanted.equals(align(SRC, TGT, "len"))
    pq.write_table(table, tmp_path / "lexicon.parquet")
    encoded = table.set_column(0, "src", table["src"].dictionary_encode())
    kinds = (pl.from_arrow(table), table.to_pandas(), encoded, tmp_path / "lexicon.parquet")
    for one in (*kinds, table.slice(0, 0), table.set_column(0, "src", pa.array(["x"] * 3))):
        found = align(SRC, TGT, "mre+", model=one)
        assert found.equals(wanted) == any(one is kind for kind in kinds)


# --- words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" \t\u00a0\u3000 ", []),
        ("Don't SAY it!!", ["don", "'", "t", "say", "it", "!", "!"]),
        ("$3.50 x_1 №5", ["$", "3", ".", "50", "x_1", "№", "5"]),
        ("我是、中文ABC１２", ["我", "是", "、", "中", "文", "abc１２"]),
        ("カタ かな 한국어", ["カ", "タ", "か", "な", "한국어"]),
        ("السَّلامُ عَلَيْكُم، ١٢", ["السَّلامُ", "عَلَيْكُم", "،", "١٢"]),
        ("cafe\u0301 na\u00efve x\u0301", ["caf\u00e9", "na\u00efve", "x\u0301"]),
        ("हिन्दी में।", ["हिन्दी", "में", "।"]),
        ("ΟΔΟΣ ÉTÉ", ["οδος", "été"]),
        ("a\u200bb 👍🏽", ["a", "\u200b", "b", "👍", "🏽"]),
    ],
)
def test_words_of_a_sentence(text, words):
    assert split([text, "", text]).to_list() == [words, [], words]


def test_other_ways_to_split_a_sentence():
    texts_given = ["Don't  SAY\u00a0it!", "我是。", ""]
    assert split(texts_given, "spaces").to_list() == [["Don't", "SAY", "it!"], ["我是。"], []]
    found = split(texts_given, "characters").to_list()
    assert found == [list("Don'tSAYit!"), list("我是。"), []]
    found = split(["Don't  SAY\u00a0it!", "l'homme والبيت", ""], "unicode").to_list()
    assert found == [
        ["do", "n't", "say", "it", "!"],
        ["l'", "homme", "و", "البيت"],
        [],
    ]
    with pytest.raises(InputError, match=r"'words'.*letters, spaces"):
        split(["a"], "words")


def test_lengths_count_words_or_characters():
    side = document(["Don't\u3000say it", "我是。", " ", "e\u0301x\u0301\u2003"], []).src
    np.testing.assert_array_equal(side.lengths("words"), [5, 3, np.nan, 1])
    np.testing.assert_array_equal(side.lengths("characters"), [10, 3, np.nan, 3])
    by_spaces = document(["Don't say  it"], [], words="spaces").src
    np.testing.assert_array_equal(by_spaces.lengths("words"), [3])
    with pytest.raises(InputError, match=r"'bytes'.*words, characters"):
        side.lengths("bytes")


@settings(max_examples=25)
@given(st.lists(st.text(max_size=12)))
def test_words_contain_every_character_but_whitespace(sentences):
    whole = partial(map, "".join)
    kept = ["".join(normalize("NFC", text).split()) for text in sentences]
    # Other control characters that Python treats as whitespace are punctuation here.
    separators = dict.fromkeys(map(ord, "\x1c\x1d\x1e\x1f"))
    for way in ("spaces", "characters"):
        found = [text.translate(separators) for text in whole(split(sentences, way).to_list())]
        assert found == kept


def test_hashes_of_word_numbers_are_spread_over_a_table():
    size = 8_192
    found = set()
    for n in range(4_096):
        h = BASIS
        for letter in f"s{n}":
            h = mixed(h, ord(letter))
        found.add(slot_of(h, size))
    assert max(found) < size
    assert len(found) > 3_000  # 3,223 for random hashes


@pytest.mark.parametrize("method", ["len", "gale-church", "mre", "mre+", "lex"])
def test_decomposed_letters_are_the_same_letters(method):
    src, tgt = (Path(f"datasets/mill/mill.{side}").read_text("utf-8") for side in ("en", "fr"))
    src, tgt = src.splitlines(), tgt.splitlines()
    apart = [normalize("NFD", text) for text in tgt]
    assert apart != tgt
    model = {}
    if method == "mre+":
        words = pl.DataFrame({"src": split(src[:30]), "tgt": split(tgt[:30])})
        model = {"model": aligners.fit(words, model="ibm1")}
    found = align(src, tgt, method=method, **model)
    assert align(src, apart, method=method, **model).equals(found)
    assert split(apart).equals(split(tgt))
