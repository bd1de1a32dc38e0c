"""Words of raw text: rules, evidence that text is raw, and the unit of each word."""

import pyarrow as pa
import pytest
from helpers.cli import run
from hypothesis import given
from hypothesis import strategies as st

from alignframe.core.schemas import TOKENS
from alignframe.errors import InputError
from alignframe.language.words import Splitting, splitting_of, words_in


@pytest.mark.parametrize(
    ("unit", "words"),
    [
        ("(l'homme,", ["(", "l'", "homme", ","]),
        ("qu’il", ["qu’", "il"]),
        ("dell'arte.", ["dell'", "arte", "."]),
        ("aujourd'hui", ["aujourd'hui"]),
        ("п'ять", ["п'ять"]),
        ("don't", ["do", "n't"]),
        ("Smith's", ["Smith", "'s"]),
        ("Mr.", ["Mr."]),
        ("(hon.", ["(", "hon."]),
        ("m.", ["m", "."]),
        ("1,234.5;", ["1,234.5", ";"]),
        ("科学家。", ["科", "学", "家", "。"]),
        ("للسلطة", ["لل", "سلطة"]),
        ("للمتنزه", ["لل", "متنزه"]),  # no pronoun after an article
        ("وبالبيت", ["و", "ب", "البيت"]),
        ("وسيكون", ["و", "س", "يكون"]),
        ("وبلادها", ["و", "ب", "لاد", "ها"]),
        ("وكان", ["و", "كان"]),
        ("ولد", ["ولد"]),
        ("سلام", ["سلام"]),
        ("بيان", ["بيان"]),
        ("السلام،", ["السلام", "،"]),
        ("نشرتها", ["نشرت", "ها"]),
        ("x\u00a0y", ["x", "y"]),
        ("\u00a0", []),
        ("\u200bl'\u2060homme,\ufeff", ["l'", "homme", ","]),
        ("x\u200by ju\u00adly", ["x", "y", "july"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),  # a joiner is a letter
    ],
)
def test_words_of_raw_text(unit, words):
    assert words_in(unit) == words


def test_dictionaries_find_words_of_thai():
    pytest.importorskip("icu4py")
    assert words_in("สวัสดีครับ,abc") == ["สวัสดี", "ครับ", ",", "abc"]


RAW = ["Yes, we say so, he said.", "No, never; why?", "Well, one more time."] * 3
SPLIT = [
    "Yes , we say so , he said .",
    "No , never ; why ?",
    "A cat .",
    "Mr. Smith 's cat Inc.",
] * 3


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (RAW, Splitting("unicode")),
        (SPLIT, Splitting("spaces")),
        (["A cat sat.", "The dog ran.", "It rains."] * 2, Splitting("unicode")),
        (["a cat sat", "the dog ran"] * 9, Splitting("spaces")),
        (
            ["这些症状已持续多长时间？", "各种胸痛均应采取,", "但是他在过去"] * 2,
            Splitting("unicode", spaced=False),
        ),
        (["n'est-ce pas ?", "l'homme est là !", "Qu’il vienne : c'est dit"], Splitting("unicode")),
        (["n' est -ce pas ?", "l' homme est là !", "qu' il vienne"] * 9, Splitting("spaces")),
        (["l 'homme est là !", "d 'où vient -il ?"] * 9, Splitting("spaces")),
        (["l'homme est là , dit-il .", "n'est-ce pas ?"] * 9, Splitting("spaces")),
        (["va c'hoar a zo o c'hoari", "o'zbek o'quvchi"] * 9, Splitting("spaces")),
        (["这些 症状 已 持续 多长 时间"] * 5, Splitting("spaces")),
        (["这些症状已持续多长时间？"], Splitting("unicode", spaced=False)),
        (["โปรดติดตั้งแฟ้มข้อมูลนี้ก่อน"], Splitting("unicode", spaced=False)),
        (["โปรด ติดตั้ง แฟ้ม ข้อมูล นี้ ก่อน สำหรับ ประเทศไทย"] * 5, Splitting("spaces")),
        (["コンピューター を 使う"] * 5, Splitting("spaces")),
        (["th@@ e mon@@ day, it rai@@ ns."] * 9, Splitting("spaces")),
        (["▁the ▁mon day, ▁it ▁rains."] * 9, Splitting("spaces")),
        (["the mon ##day, it rain ##s."] * 9, Splitting("spaces")),
        ([], Splitting("spaces")),
    ],
)
def test_evidence_that_text_is_raw(lines, wanted):
    units = pa.array([line.split() for line in lines], TOKENS)
    assert splitting_of(units) == wanted
    assert splitting_of(units, "characters").how == "characters"


def test_an_unknown_way_to_split_is_refused():
    with pytest.raises(InputError, match="one of spaces, unicode, characters"):
        Splitting("penn")


UNITS = st.text(st.sampled_from("aB'’.,;-1م وبلاسيه科é\u0301\u00a0"), min_size=1).map(
    lambda unit: unit.replace(" ", "") or "x"
)


@given(
    st.lists(st.lists(UNITS, max_size=5), max_size=6), st.sampled_from(["unicode", "characters"])
)
def test_words_never_cross_units_and_nothing_is_lost(rows, how):
    column = pa.array(rows, TOKENS)
    words, units = Splitting(how).split(column, fold=False)
    assert units is not None
    at = 0
    for row, found in zip(rows, words.to_pylist(), strict=True):
        places = units[at : at + len(found)].tolist()
        at += len(found)
        assert places == sorted(places)
        for place, unit in enumerate(row):
            own = "".join(word for word, k in zip(found, places, strict=True) if k == place)
            assert own == unit.replace("\u00a0", "")
    assert at == units.size
    folded = Splitting(how).split(column).words.to_pylist()
    assert folded == [[word.lower() for word in row] for row in words.to_pylist()]


def test_the_command_writes_text_that_is_split_as_it_is(tmp_path):
    (tmp_path / "text").write_text("a b\n\nc d.\n")
    for how in ("auto", "spaces"):
        done = run("words", "text", "--words", how, folder=tmp_path)
        assert done.stdout == "a b\n\nc d.\n"
        assert done.stderr == ("text: words left as they are\n" if how == "auto" else "")
    done = run("words", "text", "--words", "unicode", folder=tmp_path)
    assert done.stdout == "a b\n\nc d .\n"
