"""Links as Python has them: lists of pairs, arrays, dicts by method, columns of text."""

from decimal import Decimal

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import alignframe as af
from alignframe.errors import InputError

TEXTS = ["0-0 1-1", "0-0"]
PAIRS = [[(0, 0), (1, 1)], [(0, 0)]]
LONG = {"sid": [0, 0, 1], "i": [0, 1, 0], "j": [0, 1, 0]}


def counted(hyp):
    return af.links.score(hyp, TEXTS).scores.select("system", "links", "recall").rows()


@pytest.mark.parametrize(
    "given",
    [
        [np.array(links) for links in PAIRS],
        tuple(np.array(links) for links in PAIRS),
        [[np.array(link) for link in links] for links in PAIRS],
        [[(0, 0, np.bool_(True)), (1, 1, 1)], [(0, 0, True)]],
        pl.LazyFrame({"sid": [0, 1], "links": TEXTS}),
        pl.LazyFrame({"sid": [0, 1], "links": [[[0, 0], [1, 1]], [[0, 0]]]}),
        pa.table(LONG | {"i": pa.array([0, 1, 0]).cast(pa.decimal128(38, 0))}),
    ],
    ids=["arrays", "tuple", "rows", "labels", "lazy text", "lazy pairs", "decimals"],
)
def test_links_are_read(given):
    assert counted(given) == [("hypothesis", 3, 1.0)]


def test_relations_of_duckdb_are_read():
    rows = "(values (0, '0-0 1-1'), (1, '0-0')) t(sid, links)"
    assert counted(duckdb.sql(f"select * from {rows}")) == [("hypothesis", 3, 1.0)]
    rows = "(values (0, 0), (0, 1), (1, 0)) t(sid, i)"
    huge = duckdb.sql(f"select sid, i::hugeint i, i::hugeint j from {rows}")
    assert counted(huge) == [("hypothesis", 3, 1.0)]


def test_an_array_without_links_is_a_sentence():
    assert counted([np.array(PAIRS[0]), np.array([])]) == [("hypothesis", 2, 2 / 3)]


@pytest.mark.filterwarnings("ignore")
def test_sentences_without_links_are_sentences():
    assert counted([[], []]) == [("hypothesis", 0, 0.0)]


def test_methods_are_systems():
    expected = [("inter", 3, 1.0), ("mwmf", 2, 2 / 3)]
    assert counted({"inter": PAIRS, "mwmf": [[(0, 0)], [(0, 0)]]}) == expected
    of_sentences = [{"inter": links, "mwmf": links[:1]} for links in PAIRS]
    assert counted(of_sentences) == expected


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ([[(0, 0, 0.9)], [(0, 0, 1.0)]], r"the link \(0, 0, 0.9\).*\(i, j, sure\).*NAACL"),
        ([[(0, 0, 1.0)], [(0, 0, 0.0)]], r"the link \(0, 0, 1.0\).*\(i, j, sure\).*NAACL"),
        ([[(0, 0, np.float32(0.5))], []], r"the link \(0, 0, 0.5\).*NAACL"),
        (pl.Series([[[0.0, 0.0, 0.9]], [[0.0, 0.0, 1.0]]]), r"the link \(0.0, 0.0, 0.9\).*NAACL"),
        ([[(0, 0, 7)], []], r"the link \(0, 0, 7\).*with True or False"),
        ([[(0, 0, None)], []], r"the link \(0, 0, None\)"),
        ([[(0, 0)], [(1, 1, "S")]], r"sentence 1 .* has the link \(1, 1, 'S'\)"),
        ([[(0, 0)], None], r"sentence 1 \(counted from 0\) is missing"),
        ([None, [(0, 0)]], r"sentence 0 \(counted from 0\) is missing"),
        ([["0-0", "1-1"], ["0-0"]], "lists of texts, such as .* join the links"),
        ([["0-0", "1-1"], []], "lists of texts"),
        ([(0, 0), (1, 1)], "the links of one sentence"),
        (np.array([[0, 0], [1, 1]]), "the links of one sentence"),
        ([np.array([[0.5, 0.0]]), np.array([[0, 0]])], r"the link \(0.5, 0.0\).*whole numbers"),
        (pa.table(LONG | {"i": [Decimal("0.0"), Decimal("1.5"), Decimal(0)]}), "position 1.5"),
    ],
)
def test_what_is_no_link_is_named(given, found):
    for call in (lambda: af.links.score(given, TEXTS), lambda: af.links.score(TEXTS, given)):
        with pytest.raises(InputError, match=found):
            _ = call().scores


def test_gold_has_no_methods():
    with pytest.raises(InputError, match="links by inter, mwmf given as those of one system"):
        _ = af.links.score(TEXTS, {"inter": PAIRS, "mwmf": PAIRS}).scores
