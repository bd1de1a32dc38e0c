"""Twins of row functions in plain SQL return what the functions return, and refuse the same."""

import duckdb
import pytest
from helpers.sql import connected
from hypothesis import given
from hypothesis import strategies as st

from alignframe.engines.export import exported

POSITIONS = st.one_of(st.integers(0, 6), st.sampled_from([31, 32, 63, 64, 127, 128, 255, 65535]))
LINKS = st.lists(
    st.fixed_dictionaries({"i": POSITIONS, "j": POSITIONS, "sure": st.sampled_from([True, False])}),
    max_size=12,
)
LENGTHS = st.one_of(st.none(), st.integers(-1, 70))
COUNTS = st.one_of(st.none(), st.integers(0, 9))


@pytest.fixture(scope="module")
def plain():
    """A connection with the exported macros, and nothing of Python's."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(exported())
        yield connection


def literal(thing):
    """Return a value as SQL, whose types are those that a table would have."""
    if isinstance(thing, list):
        links = (f"{{'i': {one['i']}, 'j': {one['j']}, 'sure': {one['sure']}}}" for one in thing)
        return f"[{', '.join(links)}]::struct(i integer, j integer, sure boolean)[]"
    if isinstance(thing, str):
        return f"'{thing}'"
    return "null" if thing is None else repr(thing)


def check(plain, call, *arguments):
    """Compare a call in the two connections: its value, or the message of its error."""
    sql = f"select {call}({', '.join(map(literal, arguments))})"
    with connected() as python:
        assert answer(plain, sql) == answer(python, sql), sql


def answer(connection, sql):
    try:
        return connection.execute(sql).fetchall()
    except duckdb.Error as error:
        return str(error).partition("\n")[0].rpartition("Error: ")[2]


@given(LINKS, LINKS)
def test_count_links(plain, hyp, gold):
    check(plain, "count_links", hyp, gold)


@pytest.mark.parametrize("name", ["sorted_links", "invert_links", "format_links"])
def test_links(plain, name):
    @given(LINKS)
    def same(links):
        check(plain, name, links)

    same()
    check(plain, name, None)


@pytest.mark.parametrize("name", ["count_null_links", "add_null_links"])
def test_null_links(plain, name):
    @given(LINKS, LENGTHS, LENGTHS)
    def same(links, src, tgt):
        # Many words beyond the last link would take long to list.
        check(plain, name, [one for one in links if max(one["i"], one["j"]) < 300], src, tgt)

    same()
    check(plain, name, None, 3, 4)
    check(plain, name, [], 65536, 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        None,
        " 1-2\n0p3\t4-5S 6-7-P 8?9 0-3",
        "01-2",
        "3-1 0-12 0-12",
        "1-2 ",
        "1-2 65535-0",
        "1-70000",
        "1-2 x",
        "3p4S",
        "1-2-",
        "-1-2",
    ],
)
def test_parse_links(plain, text):
    check(plain, "parse_links", text)


@given(COUNTS, COUNTS, COUNTS, st.integers(0, 30), st.sampled_from([True, False, None]))
def test_llr(plain, both, src, tgt, total, signed):
    check(plain, "llr", both, src, tgt, total, signed)


@given(*[st.integers(0, 4)] * 4, st.sampled_from([0, 0.3, 1, 1.5]))
def test_figures(plain, hyp, sure, hyp_sure, hyp_possible, alpha):
    check(plain, "alignment_precision", hyp, hyp_possible)
    check(plain, "alignment_recall", sure, hyp_sure)
    check(plain, "aer", hyp, sure, hyp_sure, hyp_possible)
    check(plain, "f_alpha", float(alpha), hyp, sure, hyp_sure, hyp_possible)
    check(plain, "link_figures", float(alpha), hyp, sure, hyp_sure, hyp_possible)
