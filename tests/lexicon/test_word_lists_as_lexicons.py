"""Dictionaries of other tools wherever a lexicon is taken."""

import pytest
from helpers.formats import refusal_of, saved

from alignframe import aligners, beads, lexicon
from alignframe.formats import read_word_list
from alignframe.lexicon.sources import read_lexicon
from alignframe.sources.words import lexicon_table

LISTS = {
    "muse.txt": "boat bateau\nboat navire\ndog chien\n",
    "hun.dic": "bateau @ boat\nnavire @ boat\nchien @ dog\n",
    "lex.f2e": "navire boat 0.2\nNULL boat 0.1\nbateau boat 0.7\nchien dog 1\n",
    "lex.e2f": "boat bateau 0.1\nboat navire 0.9\ndog chien 1\nNULL chien 0.1\n",
    "eflomal.priors": "HMMF\t1\t5\nLEX\tboat\tnavire\t2\nLEX\tboat\tbateau\t6\nLEX\tdog\tchien\t3\n"
    "FERF\tboat\t1\t4\n",
    "table.txt": "src\ttgt\trank\nboat\tbateau\t1\nboat\tnavire\t2\ndog\tchien\t1\n",
}


@pytest.mark.parametrize("name", LISTS)
def test_a_word_list_is_a_lexicon(tmp_path, name):
    path = saved(tmp_path / name, LISTS[name])
    rows = read_lexicon(path).table.select(["src", "tgt", "rank"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        ("boat", "bateau", 1),
        ("boat", "navire", 2),
        ("dog", "chien", 1),
    ]


def test_counts_become_probabilities_and_those_of_the_other_direction_are_left_out(tmp_path):
    tables = {name: lexicon_table(saved(tmp_path / name, LISTS[name]), "it") for name in LISTS}
    assert tables["eflomal.priors"]["p"].to_pylist() == [0.75, 0.25, 1.0]
    assert tables["lex.f2e"]["p"].to_pylist() == [0.7, 0.2, 1.0]
    assert [name for name, table in tables.items() if "p" in table.schema.names] == [
        "lex.f2e",
        "eflomal.priors",
    ]


@pytest.mark.parametrize("name", ["muse.txt", "hun.dic", "lex.f2e", "eflomal.priors"])
def test_every_use_takes_it(tmp_path, name):
    path = saved(tmp_path / name, LISTS[name])
    src, tgt = ["the boat", "a dog"], ["le bateau", "un chien"]
    assert aligners.align(src, tgt, model="ibm1", prior=path).height
    assert beads.align(src, tgt, method="mre+", model=path).height
    assert lexicon.lookup({"it": path}, ["dog"])["tgt"].to_list() == ["chien"]
    assert read_word_list(path).num_rows == 3


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("x.tsv", "boat\tbateau\n", "the column src"),
        ("x.txt", "maison house 0.8\n", "lex.f2e"),
        ("lex.f2e", "maison house\n", "lex.f2e:1: "),
        ("x.priors", "LEX\ta\tb\t1\nLEX\ta\tb\n", "x.priors:2: "),
        ("x.txt", "a b c d\n", "the columns src and tgt"),
        ("missing.dic", None, "no such file"),
    ],
)
def test_what_is_no_lexicon_is_refused(tmp_path, name, text, found):
    path = tmp_path / name if text is None else saved(tmp_path / name, text)
    assert found in refusal_of(lexicon_table, path, "the lexicon")
