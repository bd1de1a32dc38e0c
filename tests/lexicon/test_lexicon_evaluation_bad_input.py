"""Bad input for lexicon evaluation: error messages of functions and SQL."""

import polars as pl
import pyarrow as pa
import pytest
from helpers.sql import connected
from reference import lexicon_evaluation as slow

from alignframe.errors import InputError
from alignframe.lexicon import hit_rates, score
from alignframe.lexicon.merge import back_off
from alignframe.lexicon.upper_bound import upper_bound


def evaluate(*given, **options):
    return score(*given, **options).scores


def compare(*given, **options):
    return score(*given, **options).compare()


LEXICON = pl.DataFrame({"src": ["a", "a", "b"], "tgt": ["x", "y", "z"], "rank": [1, 2, 1]})
TEXT = slow.bitext([(["a", "b"], ["x"]), (["c"], ["y", "z"])])
MISSING_WORD = TEXT.with_columns(src=pl.Series([["a", None], ["c"]]))
MISSING_SIDE = TEXT.with_columns(tgt=pl.Series([["a"], None], dtype=pl.List(pl.String)))
EMPTY = TEXT.with_columns(tgt=pl.Series([[], []], dtype=pl.List(pl.String)))
NO_WORDS = TEXT.with_columns(tgt=pl.Series([1, 2]))
NUMBERS = TEXT.with_columns(src=pl.Series([[1], [2]]))


def one(lexicon=LEXICON, text=TEXT, k=1, **options):
    return evaluate(lexicon, text, k, **options)


def rates(lexicon=LEXICON, text=TEXT, k=1):
    return hit_rates(lexicon, text, k)


def two(lexicon=LEXICON, text=TEXT, k=1, **options):
    return compare({"first": LEXICON, "second": lexicon}, text, k, **options)


def joined(lexicon=LEXICON):
    return back_off([LEXICON, lexicon])


def with_rank(*ranks):
    return LEXICON.with_columns(rank=pl.Series(ranks))


def with_metadata(n_best):
    return LEXICON.to_arrow().replace_schema_metadata({"n_best": n_best})


EVERY = [one, rates, two, joined]
SCORING = [one, rates, two]
MISTAKES = [
    (SCORING, {"k": 0}, "`k` is 0; expected a whole number from 1"),
    (SCORING, {"k": -2}, "`k` is -2; expected a whole number from 1"),
    (SCORING, {"k": 1.5}, "`k` is 1.5; expected a whole number from 1"),
    (SCORING, {"k": True}, "`k` is True; expected a whole number from 1"),
    (SCORING, {"k": "2"}, "`k` is '2'; expected a whole number from 1"),
    (
        [one, rates],
        {"k": 10},
        "`k` is 10, the lexicon has at most 2 translations per word; expected 1 to 2",
    ),
    ([two], {"k": 10}, "`k` is 10, the lexicon 'first' has at most 2 translations per word"),
    ([two], {"k": 2, "lexicon": LEXICON.tail(1)}, "`k` is 2, the lexicon 'second' has at most 1"),
    (EVERY, {"lexicon": LEXICON.drop("src")}, "the lexicon.* has the columns tgt, rank; .* src"),
    (EVERY, {"lexicon": LEXICON.drop("tgt")}, "expected the column tgt"),
    (EVERY, {"lexicon": LEXICON.drop("rank")}, "expected the column rank"),
    (EVERY, {"lexicon": with_rank(1, None, 1)}, "row 2 of the lexicon.* has no rank"),
    (EVERY, {"lexicon": with_rank(1, 0, 1)}, "gives 'y' as a translation of 'a' the rank 0"),
    (EVERY, {"lexicon": with_rank(1.0, 2.0, 1.0)}, "ranks of the lexicon.* of type double"),
    (EVERY, {"lexicon": with_rank(1, 2**40, 1)}, "the column rank of the lexicon"),
    (EVERY, {"lexicon": with_rank(1, 1, 1)}, "has the translation of rank 1 of 'a' twice"),
    (
        EVERY,
        {"lexicon": LEXICON.with_columns(tgt=pl.lit("x"))},
        "has the translation 'x' of 'a' twice; expected each rank and each translation",
    ),
    (EVERY, {"lexicon": LEXICON.clear()}, "the lexicon.* has no rows"),
    (
        EVERY,
        {"lexicon": LEXICON.with_columns(src=pl.Series(["a", "a", None]))},
        "row 3 of the lexicon.* has no src; expected one in every row",
    ),
    (
        EVERY,
        {"lexicon": LEXICON.with_columns(tgt=pl.Series([None, "y", "x"]))},
        "row 1 of the lexicon.* has no tgt",
    ),
    (EVERY, {"lexicon": LEXICON.with_columns(src=pl.Series([1, 2, 3]))}, "column src .* int64"),
    (EVERY, {"lexicon": LEXICON.with_columns(n_src=pl.lit("many"))}, "the column n_src of the lex"),
    (EVERY, {"lexicon": with_metadata("many")}, "metadata n_best 'many' of the lexicon"),
    (
        EVERY,
        {"lexicon": with_metadata("1")},
        "metadata n_best '1' of the lexicon.*, whose largest rank is 2",
    ),
    (EVERY, {"lexicon": 7}, "an object of type int given as"),
    (EVERY, {"lexicon": "none.parquet"}, "none.parquet: no such file"),
    (EVERY, {"lexicon": "none.csv"}, "none.csv: no such file"),
    (EVERY, {"lexicon": "none.txt"}, "none.txt: no such file"),
    (SCORING, {"text": TEXT.drop("src")}, "the text has the columns sid, tgt; .* src"),
    (SCORING, {"text": TEXT.drop("tgt")}, "the text has the columns sid, src; .* tgt"),
    (SCORING, {"text": TEXT.clear()}, "none of the 0 sentence pairs .*; expected at least one"),
    (SCORING, {"text": EMPTY}, "none of the 2 sentence pairs of the text has words on both sides"),
    (SCORING, {"text": MISSING_SIDE}, "tgt of the text: sentence 1 .* is missing; expected every"),
    (SCORING, {"text": MISSING_WORD}, "has a missing word in src of the text"),
    (SCORING, {"text": NO_WORDS}, "a column tgt of type .*; expected a list of words"),
    (SCORING, {"text": NUMBERS}, "a column src of type .*int64.*; expected a list of words"),
    (SCORING, {"text": "none.parquet"}, "none.parquet: no such file"),
    (SCORING, {"text": None}, "no text; expected the words of both sides"),
    ([one], {"average": "words"}, "unknown `average` 'words'; expected one of types, tokens"),
    ([one], {"confidence": 0}, "`confidence` is 0; expected a number above 0 and below 1"),
    ([one], {"confidence": 1.0}, "`confidence` is 1.0"),
    ([one], {"confidence": "high"}, "`confidence` is 'high'"),
    ([one], {"bootstrap": -1}, "`bootstrap` is -1; expected a whole number from 0"),
    ([one], {"bootstrap": 1.5}, "`bootstrap` is 1.5"),
    ([one], {"bootstrap": 5, "seed": -1}, "`seed` is -1"),
    ([one], {"by": "frequency"}, "frequency of words: the lexicon has the columns .* n_src"),
    ([one], {"by": "pos"}, "figures by 'pos'; expected 'frequency', or a table or path with src"),
    ([one], {"by": "none.csv"}, "none.csv: no such file"),
    ([one], {"by": LEXICON}, "the table of groups has the columns .* group"),
    (
        [one],
        {"by": pl.DataFrame({"src": ["a", "a"], "group": ["1", "2"]})},
        "the table of groups has the word 'a' more than once; expected one group per word",
    ),
    ([one], {"lexicon": {}}, "no lexicon given; expected at least one"),
    ([one], {"lexicon": {"mine": LEXICON.clear()}}, "the lexicon 'mine' has no rows"),
    ([one, two], {"threads": 0}, "`threads` is 0"),
    (
        [one, two],
        {"memory_limit": "lots"},
        "`memory_limit` is 'lots' .*; expected a size such as 2GB",
    ),
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


WORDS = [["a", "b"], ["c"]]


TYPES = [LEXICON.with_columns(note=1), LEXICON.with_columns(note=pl.lit("x"))]
OTHERS = [
    *(
        (one, [LEXICON.with_columns(n_src=pl.Series(times))], {"by": "frequency"}, said)
        for times in ([1, 2, 3], [1, 1, None], [0, 0, 1])
        for said in [r"has an n_src of '[ab]' that is missing"]
    ),
    (compare, [{}, TEXT, 1], {}, "no lexicon given; expected at least one"),
    (compare, [{"only": LEXICON}, TEXT, 1], {}, "1 lexicon;.*two"),
    (compare, [[LEXICON, LEXICON], TEXT, 1], {}, "an object of type list given as the lexicon"),
    (back_off, [[]], {}, "no lexicon given"),
    (back_off, [{}], {}, "no lexicon given"),
    (back_off, [LEXICON], {}, "of type DataFrame; expected a list of lexicons, or a mapping"),
    (back_off, [TYPES], {}, "the lexicons have columns of different types"),
    *(
        (upper_bound, [first, WORDS], options, message)
        for first, options, message in (
            (WORDS[:1], {}, "the first translation has 1 segment, the second 2"),
            ([[1], [2]], {}, r"the first translation with \[1\]; expected"),
            (7, {}, "of type int given as the first translation; expected a path, a column"),
            ([], {}, "the first translation has no segments"),
            ([["a", None], ["b"]], {}, "has a missing word in the first translation"),
            ([[], []], {}, "none of the 2 segments of the text has words on both sides"),
            ("none.txt", {}, "none.txt: no such file"),
            (WORDS, {"confidence": 2}, "`confidence` is 2"),
        )
    ),
]


@pytest.mark.parametrize(("call", "given", "options", "message"), OTHERS)
def test_errors_of_other_input(call, given, options, message):
    with pytest.raises(InputError, match=message):
        call(*given, **options)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("lexicon.csv", "src,tgt,rank\na,x\n", r"lexicon\.csv:2: 2 cells; expected 3"),
        ("lexicon.csv", "src,tgt,rank\na,,1\n", "row 1 of the lexicon has no tgt"),
        ("lexicon.csv", "", r"lexicon\.csv: the file is empty"),
        ("lexicon.parquet", "", "not a Parquet file"),
    ],
)
def test_a_file_that_is_not_a_table(tmp_path, name, text, said):
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(InputError, match=said):
        one(tmp_path / name)


def test_too_little_memory():
    text = slow.bitext([([f"w{k}" for k in range(5_000)], [f"v{k}" for k in range(5_000)])] * 20)
    with pytest.raises(InputError, match="the memory limit is too low"):
        one(text=text, memory_limit="2MB", threads=1)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("cooccurrence('words', count := 'pairs')", "counted by pairs; expected types or tokens"),
        ("cooccurrence('words', count := null)", "counted by null; expected types or tokens"),
        ("cooccurrence('faulty')", "the text has a missing word"),
        ("n_best('candidates', 0)", "n is 0; expected 1 or more"),
        ("n_best('candidates', null)", "n is null; expected 1 or more"),
        ("hit_rates('lexicon', 'words', 0)", "k is 0; expected 1 or more"),
        ("bible('lexicon', 'words', k := -1)", "k is -1; expected 1 or more"),
        ("bible_by_token('lexicon', 'words', null)", "k is null; expected 1 or more"),
        ("hit_rates('lexicon', 'faulty', 1)", "the text has a missing word"),
    ],
)
@pytest.mark.parametrize("wanted", ["*", "count(*)"])
def test_in_sql(query, message, wanted):
    with connected() as con:
        for name, frame in {"words": TEXT, "faulty": MISSING_WORD, "lexicon": LEXICON}.items():
            con.register(name, frame.to_arrow())
        con.execute("create table candidates as select * from cooccurrence('words')")
        with pytest.raises(Exception, match=message):
            con.execute(f"select {wanted} from {query}").fetchall()


def test_ranks_are_not_truncated_in_large_tables():
    table = pa.table({"src": ["a"], "tgt": ["x"], "rank": pa.array([1], pa.uint64())})
    assert one(table)["k"].to_list() == [1]
