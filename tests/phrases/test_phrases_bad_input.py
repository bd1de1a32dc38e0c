"""Bad input for phrases: error messages of functions and SQL."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from helpers.sql import connected
from reference import phrases as slow

from alignframe import phrases
from alignframe.errors import InputError
from alignframe.functions import count_null_links, extract_phrases
from alignframe.kernels.phrases import extraction as kernels

TEXT = slow.bitext({0: (["a", "b", "c"], ["x", "y"]), 1: (["d"], ["z"])})
LINKS = slow.nested({0: {(0, 0), (2, 1)}, 1: {(0, 0)}})
TWO = pl.concat([LINKS.with_columns(system=pl.lit(name)) for name in ("s1", "s2")])
TWICE = pl.concat([LINKS, LINKS.head(1)])
SWAPPED = slow.nested({0: {(0, 0), (1, 2)}, 1: {(0, 0)}})
OUTSIDE = slow.nested({0: {(0, 0)}, 1: {(0, 7)}})
NO_WORDS = TEXT.with_columns(src=pl.Series([["a", "b", "c"], None]))
NO_ROWS = LINKS.clear()


def compare(hyp=LINKS, gold=LINKS, text=TEXT, **options):
    return phrases.score(hyp, gold, text, **options).scores


def study(hyp=LINKS, gold=LINKS, text=TEXT, **options):
    return phrases.study(hyp, gold, text, **options)


def dictionary(hyp=LINKS, text=TEXT, **options):
    return phrases.dictionary(hyp, text, **options)


def extract(hyp=LINKS, **options):
    return phrases.extract(hyp, **options)


TWO_SAME = [{"a": LINKS}, {"a": LINKS}]
MISTAKES = [
    ([compare, study, dictionary], {"text": None}, "no text; expected the words of both sides"),
    (
        [compare, study, dictionary],
        {"text": TEXT.head(1)},
        "the text has no sentence 1, which .* expected the text of every sentence",
    ),
    (
        [compare, dictionary],
        {"text": pl.concat([TEXT, TEXT.tail(1)])},
        "the text has a sentence twice; expected src and tgt of every sentence, once",
    ),
    ([compare, dictionary], {"text": NO_WORDS}, r"of the text: sentence \d .* is missing"),
    (
        [compare, dictionary],
        {"text": TEXT.drop("tgt")},
        "the text has the columns sid, src; .* tgt",
    ),
    ([compare, study, dictionary], {"text": 7}, "an object of type int given as"),
    (
        [compare, study, dictionary],
        {"hyp": SWAPPED},
        r"sentence 0 of hypothesis: the link 1-2 .*3 source and 2 target.* which side they name",
    ),
    ([compare, dictionary], {"hyp": OUTSIDE}, "sentence 1 of hypothesis: the link 0-7 .* outside"),
    ([compare], {"gold": SWAPPED}, "sentence 0 of .*: the link 1-2 .* outside"),
    (
        [compare, study, dictionary, extract],
        {"hyp": TWICE},
        "hypothesis gives sentence 0 more than once; expected one row per sentence and system",
    ),
    ([compare], {"gold": TWICE}, "gives sentence 0 more than once"),
    (
        [compare, study, dictionary, extract],
        {"hyp": TWO_SAME},
        "the system 'a' is in both a table and a table; give each source a",
    ),
    ([compare], {"gold": TWO}, "gold holds the systems s1, s2; expected one alignment"),
    ([compare], {"gold": NO_ROWS}, "gold has no rows; expected one alignment"),
    ([compare, study], {"hyp": NO_ROWS}, "the hypothesis has no rows"),
    ([compare, study, extract], {"hyp": []}, "no hypothesis given; expected at least one"),
    (
        [compare, study, dictionary, extract],
        {"max_length": 0},
        "`max_length` is 0; expected a whole number from 1",
    ),
    (
        [compare, dictionary, extract],
        {"max_length": -3},
        "`max_length` is -3; expected a whole number from 1",
    ),
    (
        [compare, study, dictionary],
        {"memory_limit": "lots"},
        "`memory_limit` is 'lots' .*; expected a size such as 2GB",
    ),
    ([compare, dictionary], {"memory_limit": "1MB"}, "the memory limit .*Out of Memory"),
    ([compare, study, dictionary], {"threads": 0}, "`threads` is 0"),
    (
        [compare],
        {"dictionaries": ["text-dic1", "text-dic3"]},
        "unknown `dictionaries` 'text-dic3'; expected one of align-dic1, text-dic1, text-dic2",
    ),
    ([compare], {"dictionaries": []}, "no dictionary; expected one of align-dic1"),
    (
        [dictionary],
        {"name": "minimal"},
        "unknown `dictionaries` 'minimal'; expected one of align-dic1",
    ),
    (
        [extract],
        {"kind": "tight"},
        "unknown `kind` 'tight'; expected one of minimal, exhaustive, moses",
    ),
    ([extract], {"bitext": TEXT.head(1)}, "the text has no sentence 1, which hypothesis has"),
    ([extract], {"hyp": SWAPPED, "bitext": TEXT}, "sentence 0 of hypothesis: the link 1-2"),
]
CASES = [
    pytest.param(call, options, message, id=f"{call.__name__}: {message[:40]}")
    for calls, options, message in MISTAKES
    for call in calls
]


@pytest.mark.parametrize(("call", "options", "message"), CASES)
def test_errors_are_input_errors(call, options, message):
    with pytest.raises(InputError, match=message):
        call(**options)


def test_errors_in_rows():
    rows = pa.array([[{"i": 0, "j": 0}], [{"i": 2, "j": 1}]])
    with pytest.raises(InputError, match=r"the link 2-1 .*pair of 2 source and 2 target words"):
        extract_phrases(rows, src_length=2, tgt_length=2)
    with pytest.raises(InputError, match=r"the link 2-1 .* which side they name first"):
        count_null_links(rows, pa.array([9, 9]), pa.array([9, 1]))
    with pytest.raises(InputError, match="`max_length` is 0"):
        extract_phrases(rows, max_length=pa.array([7, 0]))
    with pytest.raises(InputError, match="unknown `kind` 'loose'"):
        extract_phrases(rows, pa.array(["moses", "loose"]))
    with pytest.raises(InputError, match="rows"):
        extract_phrases(rows, "moses", pa.array([1, 2, 3]))


@pytest.mark.parametrize(("kind", "kernel"), [("minimal", "_minimal"), ("exhaustive", "_closed")])
def test_more_phrases_than_memory_should_hold(monkeypatch, kind, kernel):
    rows = pa.array([[{"i": k, "j": k} for k in range(4)]])
    whole = extract_phrases(rows, kind)
    monkeypatch.setattr(kernels, kernel, getattr(kernels, kernel).py_func)
    monkeypatch.setattr(kernels, "MOST", len(whole.flatten()))
    assert extract_phrases(rows, kind) == whole
    monkeypatch.setattr(kernels, "MOST", len(whole.flatten()) - 1)
    with pytest.raises(InputError, match=r"134 million phrases.* limit"):
        extract_phrases(rows, kind)


def test_errors_in_sql():
    pairs = "select * from phrase_pairs('hyp', 'bitext', kind := '{}')"
    cases = [
        (LINKS, TEXT.head(1), "minimal", "the text has no sentence 1"),
        (LINKS, pl.concat([TEXT, TEXT.tail(1)]), "minimal", "the text has sentence 1 twice"),
        (LINKS, TEXT.with_columns(sid=pl.lit(None, pl.Int64)), "minimal", "a sentence without sid"),
        (LINKS, TEXT, "loose", "unknown `kind` 'loose'"),
        (SWAPPED, TEXT, "minimal", "the link 1-2 .* lies outside"),
    ]
    for hyp, text, kind, message in cases:
        with connected() as con:
            con.register("hyp", hyp)
            con.register("bitext", text)
            with pytest.raises(Exception, match=message):
                con.execute(pairs.format(kind)).fetchall()


def test_a_dictionary_is_written_completely_or_not_at_all(tmp_path):
    path = tmp_path / "d.parquet"
    with pytest.raises(InputError, match="its folder does not exist"):
        phrases.write_dictionary(LINKS, TEXT, tmp_path / "missing" / "d.parquet")
    with pytest.raises(InputError, match="is a folder"):
        phrases.write_dictionary(LINKS, TEXT, tmp_path)
    path.write_text("as it was")
    for options in ({"max_length": 0}, {"memory_limit": "1MB"}, {"name": "all"}):
        with pytest.raises(InputError):
            phrases.write_dictionary(LINKS, TEXT, path, **options)
    assert path.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [path]


def test_errors_about_gold_say_gold():
    with pytest.raises(InputError, match="no sentence 1"):
        compare(hyp=LINKS.head(1), gold=LINKS, text=TEXT.head(1))
    with pytest.raises(InputError, match="sentence 0 of gold: the link"):
        compare(hyp=LINKS, gold=SWAPPED)


def test_missing_words_are_refused():
    links = pa.table({"sid": [0, 1, 1], "i": [0, 0, 1], "j": [0, 0, 0]})
    src = pa.array([["a"], ["a", None]], pa.list_(pa.string()))
    text = pa.table({"sid": [0, 1], "src": src, "tgt": [["b"], ["b"]]})
    with pytest.raises(InputError, match=r"sentence 1 .*missing word in src"):
        phrases.dictionary(links, text)
    with connected() as con:
        con.register("links", links)
        con.register("text", text)
        with pytest.raises(Exception, match=r"sentence 1 .*missing word"):
            con.execute("select * from text_dic1('links', 'text')").fetchall()
    flat = pa.table({"sid": [0], "src": [7], "tgt": ["x"]})
    with pytest.raises(InputError, match=r"src .*int64.*list"):
        phrases.dictionary(links, flat)


def test_lengths_of_any_integer_type():
    links = pa.table({"sid": [0, 0], "i": [0, 1], "j": [0, 1]})
    text = pa.table({"sid": [0], "src": [["a", "b"]], "tgt": [["x", "y"]]})
    for length in (np.int64(2), 10**30):
        assert phrases.extract(links, "exhaustive", max_length=length).height == 3
        found = phrases.score(links, links, text, dictionaries=["text-dic2"], max_length=length)
        assert found.scores["entries"][0] == 3
    for call in (
        lambda: phrases.extract(links, max_length=1.5),
        lambda: phrases.score(links, links, text, max_length=1.5).scores,
    ):
        with pytest.raises(InputError, match=r"1\.5"):
            call()
