"""Bad input for lexicons: error messages."""

import re
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from reference import lexicon as slow

from alignframe import lexicon
from alignframe.errors import DataWarning, InputError, plain

TEXT = slow.bitext(slow.pairs_of([("a b", "x y z"), ("c", "z")]))
UNTAGGED = TEXT.select(["src", "tgt"])


def put(name, column):
    place = TEXT.column_names.index(name)
    return TEXT.set_column(place, name, pa.array(column) if isinstance(column, list) else column)


def predicate(function):
    return {"filters": [lexicon.Predicate(function, "mine")]}


def classes(table):
    return {"filters": [lexicon.PartOfSpeech(table)]}


def induce(text=TEXT, n=5, **options):
    return lexicon.induce(text, n_best=n, **options)


def spilling(text=TEXT, n=5, **options):
    """Return a limit that is not reached, or one so low that it is reached at once."""
    return lexicon.induce(text, n_best=n, memory_limit="100GB", **options)


def candidates(text=TEXT, **options):
    return lexicon.candidates(text, **options)


BOTH = [induce, spilling, candidates]
FORMS = "expected cognate:0.58, prefix:4, mrbd:FILE, alignment, pos or pos:TAGS"
NO_WORDS = pa.nulls(2)
MISTAKES = [
    *(
        ([induce, spilling], {"n": n}, f"`n_best` is {plain(n)!r}; expected a whole number")
        for n in (0, -1, 2.5, True, False, "3", None, np.float64(2), 10**30 * 1.0)
    ),
    *(
        (BOTH, {"min_both": n}, f"`min_both` is {n!r}; expected a whole number from 1")
        for n in (0, -1, 1.5, True, "1", None)
    ),
    *(
        (BOTH, {"count": count}, f"`count` is {count!r}; expected types or tokens")
        for count in ("type", "TOKENS", "", None, 1)
    ),
    # filters
    (BOTH, {"filters": "cognate"}, "'cognate' as filters; expected a list, ['cognate']"),
    (BOTH, {"filters": None}, "None as filters; expected a list"),
    (BOTH, {"filters": lexicon.Cognate()}, "Cognate(cutoff=0.58, fold_accents=False) as filters"),
    (BOTH, {"filters": [3]}, "3 in the list of filters; expected a filter, such as Cognate(0.58)"),
    (BOTH, {"filters": [lexicon.Prefix]}, "Prefix'> in the list of filters; expected a filter"),
    (BOTH, {"filters": [slow.approves]}, "in the list of filters; expected a filter"),
    *(
        (BOTH, {"filters": ["prefix", text]}, f"the filter {text!r}; {FORMS}")
        for text in ("cognat", "", "mrbd", "mrbd:", "alignment:1", "Cognate", "cognate 0.5")
    ),
    (BOTH, {"filters": ["cognate:2"]}, "the filter 'cognate:2': `cutoff` is 2.0; expected above 0"),
    (BOTH, {"filters": ["cognate:0"]}, "`cutoff` is 0.0; expected above 0, at most 1"),
    (BOTH, {"filters": ["cognate:nan"]}, "`cutoff` is nan; expected above 0, at most 1"),
    (BOTH, {"filters": ["cognate:-0.5"]}, "`cutoff` is -0.5"),
    (BOTH, {"filters": ["cognate:x"]}, "the filter 'cognate:x': 'x'; expected a number"),
    (BOTH, {"filters": ["cognate:0.5:0.6"]}, "expected cognate:NUMBER[:fold-accents]"),
    (BOTH, {"filters": ["prefix:0"]}, "`letters` is 0; expected a whole number from 1"),
    (BOTH, {"filters": ["prefix:-4"]}, "`letters` is -4; expected a whole number from 1"),
    (BOTH, {"filters": ["prefix:2.5"]}, "the filter 'prefix:2.5': '2.5'; expected a number"),
    (BOTH, {"filters": ["prefix:4:fold"]}, "expected prefix:NUMBER[:fold-accents]"),
    (BOTH, {"filters": ["mrbd:missing.tsv"]}, "missing.tsv: no such file"),
    (BOTH, {"filters": ["pos:missing.tsv"]}, "missing.tsv: no such file"),
    (
        BOTH,
        {"filters": ["alignment"]},
        "the filter alignment without an oracle; expected a cognate, prefix or mrbd filter",
    ),
    (BOTH, {"filters": ["pos", lexicon.Alignment()]}, "the filter alignment without an oracle"),
    *(
        (BOTH, {"text": text, "filters": ["pos"]}, "text without tags for the filter pos; expected")
        for text in (UNTAGGED, TEXT.drop(["src_tags"]), TEXT.drop(["tgt_tags"]))
    ),
    (
        BOTH,
        {"text": put("tgt_tags", [["X", "NN", "X"], ["X"]]), "filters": ["pos"]},
        "the tgt tag 'NN' has no class; expected a class for every tag of the text; add it to",
    ),
    (
        BOTH,
        classes(pl.DataFrame({"side": ["src"], "tag": ["X"], "class": ["a"]})),
        "the tgt tag 'X' has no class",
    ),
    (BOTH, classes(pl.DataFrame({"tag": ["X"]})), "the table of classes has the columns tag; exp"),
    (BOTH, classes(7), "an object of type int given as"),
    (
        BOTH,
        classes(pl.DataFrame({"side": ["both"], "tag": ["X"], "class": ["a"]})),
        "the side 'both' of a tag; expected src or tgt",
    ),
    (
        BOTH,
        classes(pl.DataFrame({"tag": ["X", "X"], "class": ["a", "b"]})),
        "the tag 'X' is of the class 'b' and of 'a'; expected one class per tag",
    ),
    (
        BOTH,
        classes(pl.DataFrame({"tag": ["X", "Y"], "class": ["a", None]})),
        "the tag 'Y' of the class None; expected a tag and its class in every row",
    ),
    (
        BOTH,
        classes(pl.DataFrame({"tag": ["X", None], "class": ["a", "a"]})),
        "the tag None of the class 'a'; expected a tag and its class",
    ),
    # user functions
    (
        BOTH,
        predicate(lambda s, t: [True] * len(s)),
        "the filter mine returned list; expected an array of booleans",
    ),
    (BOTH, predicate(lambda s, t: None), "the filter mine returned NoneType; expected an array"),
    (
        BOTH,
        predicate(lambda s, t: pa.array([1] * len(s))),
        "the filter mine returned int64; expected",
    ),
    (BOTH, predicate(lambda s, t: pa.scalar(True)), "the filter mine returned BooleanScalar"),
    (BOTH, predicate(lambda s, t: np.ones(len(s), bool)), "the filter mine returned ndarray"),
    (
        BOTH,
        predicate(lambda s, t: pa.array([True])),
        "the filter mine returned 1 values for 7 candidates; expected one for each",
    ),
    (
        BOTH,
        predicate(lambda s, t: pa.chunked_array([[True] * len(s), [True]])),
        "the filter mine returned 8 values for 7 candidates",
    ),
    # text
    (BOTH, {"text": TEXT.drop(["src"])}, "the text has the columns tgt, src_tags, tgt_tags; exp"),
    (BOTH, {"text": TEXT.drop(["tgt"])}, "expected the column tgt"),
    (BOTH, {"text": None}, "no text; expected the words of both sides"),
    (BOTH, {"text": [7]}, "an object of type list of int given as"),
    (BOTH, {"text": "missing.parquet"}, "missing.parquet: no such file"),
    (BOTH, {"text": put("src", [1, 2])}, "a column src of type int64; expected a list of words"),
    (
        BOTH,
        {"text": put("tgt", [[["a"]], [["b"]]])},
        "a column tgt of type list<item: list<item: string>>; expected a list of words",
    ),
    (BOTH, {"text": put("tgt", [[{"word": "a"}], []])}, "a column tgt of type list<item: str"),
    (BOTH, {"text": put("src", NO_WORDS)}, "a column src of type null; expected a list"),
    (BOTH, {"text": put("src", [["a", None], ["c"]])}, "a missing word in src"),
    (BOTH, {"text": put("tgt", [["a"], [None]])}, "a missing word in tgt"),
    (
        BOTH,
        {"text": put("src", pa.array([["a"], [None]], pa.list_(pa.dictionary("i4", "string"))))},
        "a missing word in src",
    ),
    (BOTH, {"text": put("src_tags", [["X", None], ["X"]])}, "a missing word in src_tags"),
    (
        BOTH,
        {"text": put("src_tags", [["X", "X"], ["X", "Y"]])},
        "1 words and 2 tags in a sentence of src_tags; expected a tag for every word",
    ),
    (
        BOTH,
        {"text": put("tgt_tags", [None, ["X"]])},
        "tgt_tags of the text: sentence 0 (counted from 0) is missing",
    ),
    *(
        (
            BOTH,
            {"text": text},
            "no sentence pair with words on both sides; expected words in src and in tgt",
        )
        for text in (
            TEXT.slice(0, 0),
            UNTAGGED.slice(0, 0),
            TEXT.schema.empty_table().to_reader(),
            put("src", [[], []]).select(["src", "tgt"]),
            pa.table({"src": [["a"], []], "tgt": [[], ["x"]]}),
            pa.table({"src": pa.array([[], []]), "tgt": [["a"], ["b"]]}),
        )
    ),
]
CASES = [
    pytest.param(call, options, message, id=f"{k} {call.__name__}: {message[:40]}")
    for k, (calls, options, message) in enumerate(MISTAKES)
    for call in calls
    if call is calls[0] or not isinstance(options.get("text"), pa.RecordBatchReader)
]


@pytest.mark.parametrize(("call", "options", "message"), CASES)
def test_errors_are_input_errors(call, options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        call(**options)


@pytest.mark.parametrize("limit", ["lots", "", "5", "10MB"])
def test_limits(limit):
    with pytest.raises(InputError, match=f"{limit}.*expected"):
        induce(memory_limit=limit)


def test_errors_in_later_parts(monkeypatch):
    """Errors in a later part of the text are found while parts are counted."""
    module = sys.modules["alignframe.lexicon.induce"]
    monkeypatch.setattr(module.Room, "holds", lambda *given, **options: False)
    monkeypatch.setattr(module.Room, "tokens_at_once", 5)
    good, bad = TEXT.to_batches()[0], put("src", [["a"], [None]]).to_batches()[0]
    for batches, options, message in (
        ([good, good, good, bad], {}, "a missing word in src"),
        (
            [good, good],
            predicate(lambda s, t: pa.array([True])),
            r"returned 1 values for \d candidates",
        ),
        ([good, good], {"filters": ["alignment"]}, "the filter alignment without an oracle"),
        ([good, good], {"count": "words"}, "`count` is 'words'; expected types or tokens"),
    ):
        text = pa.RecordBatchReader.from_batches(TEXT.schema, batches)
        with pytest.raises(InputError, match=message):
            induce(text, memory_limit="9GB", **options)


@pytest.mark.parametrize(
    ("make", "value", "message"),
    [
        *(
            (make, value, f"{value!r}.*; expected (above 0|a whole number)")
            for make in (lexicon.Cognate, lexicon.Prefix)
            for value in (0, -1, True, "0.5", None, float("nan"))
        ),
        (lexicon.Cognate, 1.01, r"1\.01.*at most 1"),
        (lexicon.Prefix, 2.5, r"`letters` is 2\.5.*whole"),
    ],
)
def test_parameters_of_oracles(make, value, message):
    with pytest.raises(InputError, match=message):
        make(value)


def test_parameters_at_the_ends_of_their_range():
    assert lexicon.Cognate(1).cutoff == 1
    assert lexicon.Prefix(np.int64(1)).letters == 1


@pytest.mark.parametrize(
    ("given_list", "message"),
    [
        (pl.DataFrame({"src": ["a"]}), "the list of words has the columns src; expected the col"),
        (pl.DataFrame({"src": [["a"]], "tgt": ["b"]}), "a column src of type large_list"),
        ({"src": ["a"]}, "the list of words has the columns src; expected the col"),
        (7, "an object of type int given as"),
        ("missing.tsv", "missing.tsv: no such file"),
    ],
)
def test_word_lists(given_list, message):
    with pytest.raises(InputError, match=re.escape(message)):
        lexicon.WordList(given_list)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("mrbd", b"a\tx\nb\n", ":2: 'b'"),
        ("pos", b"X\n", ":1: 'X'; expected tag<TAB>class, or src or tgt before them"),
        ("pos", b"X\ta\nY b\n", ":2: 'Y b'; expected tag<TAB>class"),
        ("pos", b"# tags\n\nX\ta\nboth\tX\ta\n", r":4: 'both\\tX\\ta'; expected"),
        ("pos", b"X\ta\nX\t\n", ":2: 'X'; expected"),
        ("pos", b"src\tX\ta\tb\n", ":1: .*expected tag<TAB>class"),
        (
            "pos",
            b"X\ta\n\nsrc\tX\tb",
            ":3: the tag 'X' is of the class 'b' and of 'a'; expected one class",
        ),
        ("pos", b"", ".*(expected lines tag<TAB>class|empty)"),
        ("pos", b"# nothing\n\n", ".*the file has no classes; expected lines tag<TAB>class"),
        ("pos", b"X\t\xff\n", ".*(is not UTF-8; convert it|not utf-8)"),
    ],
)
def test_files_of_words_and_classes(tmp_path, kind, text, message):
    path = tmp_path / "list.tsv"
    path.write_bytes(text)
    with pytest.raises(InputError, match=f"{path}{message}"):
        induce(filters=[f"{kind}:{path}"])


@pytest.mark.parametrize("call", [induce, candidates])
def test_pairs_with_an_empty_side_cause_one_warning(call):
    empty = [([], ["x"]), (["a"], []), ([], [])]
    rows = [*empty, (["a"], ["x"]), *empty * 601]
    text = pa.table({name: [row[k] for row in rows] for k, name in enumerate(("src", "tgt"))})
    for given_text in (text, text.to_reader(max_chunksize=5)):
        with pytest.warns(DataWarning) as told:
            found = call(given_text)
        assert [str(one.message) for one in told] == [
            "1,806 pairs with an empty side were left out"
        ]
        assert told[0].filename == __file__
        assert found.height == 1


def test_tags_of_empty_pairs_are_ignored():
    text = pa.table(
        {
            "src": [["a"], [], ["b"]],
            "tgt": [["x"], ["y"], []],
            "src_tags": [["X"], ["NOWHERE"], ["X", "X"]],
            "tgt_tags": [["X"], [], []],
        }
    )
    with pytest.warns(DataWarning, match="^2 pairs with an empty side"):
        assert induce(text, filters=["pos"]).height == 1
