"""Macros for error analysis of links, against Python sets."""

from itertools import combinations, product

import polars as pl
import pytest
from helpers.sql import connected
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe import formats, links
from alignframe.links.gold import BANDS, band_names

WORDS = 4
POSITIONS = st.integers(0, WORDS - 1)
SENTENCES = st.sampled_from([("law", 0), ("law", 1), ("news", 0), ("news", 1)])
ALIGNED = st.dictionaries(
    SENTENCES,
    st.dictionaries(st.tuples(POSITIONS, POSITIONS), st.booleans(), max_size=5),
    max_size=4,
)
SYSTEMS = st.dictionaries(st.sampled_from("abc"), ALIGNED, min_size=1)
MET = {("law", -1): {(0, 0): True}, ("news", 9): {(0, 0): True}}
"""The first and the last sentence of systems and gold, which must have some in common."""
KEY = "key := ['domain', 'sid']"
SCHEMA = {
    "system": pl.String,
    "domain": pl.String,
    "sid": pl.Int64,
    "links": pl.List(pl.Struct({"i": pl.UInt16, "j": pl.UInt16, "sure": pl.Boolean})),
    "run": pl.String,
}


def nested(systems):
    """Return a table of links, in random order, with some duplicates."""
    rows = [
        (
            system,
            domain,
            sid,
            [{"i": i, "j": j, "sure": sure} for (i, j), sure in [*reversed(one.items())] * 2],
            f"run of {system}",
        )
        for system, sentences in systems.items()
        for (domain, sid), one in sentences.items()
    ]
    return pl.DataFrame(rows, SCHEMA, orient="row")


def long(table):
    flat = table.explode("links", empty_as_null=False).unnest("links")
    return flat.select("system", "domain", "sid", "i", "j", "sure", "run")


def ask(sql, **tables):
    with connected() as con:
        for name, table in tables.items():
            con.register(name, table.to_arrow())
        return con.execute(sql).fetchall()


def count(hyp, gold):
    sure = {link for link, label in gold.items() if label}
    return (len(hyp), len(sure), len(gold), len({*hyp} & sure), len({*hyp} & {*gold}))


@given(systems=SYSTEMS, gold=ALIGNED.filter(bool))
@settings(max_examples=6)
def test_counts_by_any_key(systems, gold):
    systems, gold = {system: one | MET for system, one in systems.items()}, gold | MET
    hyp, truth = nested(systems), nested({"gold": gold})
    found = ask(f"select * from link_counts('hyp', 'gold', {KEY})", hyp=hyp, gold=truth)
    there = {system: one for system, one in systems.items() if one}
    wanted = [
        (
            *(system, *name),
            *count(there[system].get(name, {}), one),
            "run of gold",
            f"run of {system}" if name in there[system] else None,
        )
        for system in there
        for name, one in gold.items()
    ]
    assert sorted(found, key=str) == sorted(wanted, key=str)
    # A long table has no empty sentences.
    if all(gold.values()) and all(any(one.values()) for one in there.values()):
        of_long = ask(
            f"select * from link_counts('hyp', 'gold', {KEY})", hyp=long(hyp), gold=long(truth)
        )
        assert sorted(row[:8] for row in of_long) == sorted(row[:8] for row in wanted)


@given(systems=SYSTEMS)
@settings(max_examples=6)
def test_long_links_keep_all_columns(systems):
    hyp = nested(systems)
    wanted = sorted(
        (system, *name, i, j, sure, f"run of {system}")
        for system, sentences in systems.items()
        for name, one in sentences.items()
        for (i, j), sure in one.items()
    )
    for table in (hyp, long(hyp)):
        assert sorted(ask(f"from long_links('hyp', {KEY})", hyp=table)) == wanted


@given(systems=SYSTEMS, gold=ALIGNED.filter(bool))
@settings(max_examples=6)
def test_worst_sentences(systems, gold):
    systems, gold = {system: one | MET for system, one in systems.items()}, gold | MET
    found = ask(
        f"select system, domain, sid, errors, aer from worst_sentences('hyp', 'gold', 2, {KEY})",
        hyp=nested(systems),
        gold=nested({"gold": gold}),
    )
    wanted = []
    for system in sorted(system for system, one in systems.items() if one):
        rows = []
        for name, one in gold.items():
            hyp, sure, _, right, possible = count(systems[system].get(name, {}), one)
            errors, size = hyp - possible + sure - right, hyp + sure
            rows.append((-errors, -(errors / size) if size else 9, name))
        for errors, aer, name in sorted(rows)[:2]:
            wanted.append((system, *name, -errors, None if aer == 9 else pytest.approx(-aer)))
    assert found == wanted


@given(systems=SYSTEMS)
@settings(max_examples=6)
def test_system_agreement(systems):
    there = {system: one for system, one in systems.items() if one}
    wanted = []
    for one, two in combinations(sorted(there), 2):
        sizes = [sum(map(len, there[system].values())) for system in (one, two)]
        both = [name for name in there[one] if name in there[two]]
        shared = sum(len({*there[one][name]} & {*there[two][name]}) for name in both)
        share = 2 * shared / sum(sizes) if sum(sizes) else None
        wanted.append((one, two, len(both), *sizes, shared, share))
    assert ask(f"from system_agreement('hyp', {KEY})", hyp=nested(systems)) == wanted


@given(one=ALIGNED, two=ALIGNED)
@settings(max_examples=6)
def test_link_differences(one, two):
    def flat(side):
        return {(*name, *link): sure for name, at in side.items() for link, sure in at.items()}

    mine, theirs = flat(one), flat(two)
    wanted = [(*at, sure, "a") for at, sure in mine.items() if at not in theirs]
    wanted += [(*at, sure, "b") for at, sure in theirs.items() if at not in mine]
    a, b = nested({"one": one}), nested({"two": two})
    assert ask(f"from link_differences('a', 'b', {KEY})", a=a, b=b) == sorted(wanted)


@given(systems=SYSTEMS, gold=ALIGNED.filter(bool))
@settings(max_examples=6)
def test_missing_links(systems, gold):
    text = pl.DataFrame(
        {
            "domain": ["law", "law", "news", "news"],
            "sid": [0, 1, 0, 1],
            "src": [[f"s{k}" for k in range(WORDS)]] * 4,
            "tgt": [[f"t{k}" for k in range(WORDS)]] * 4,
        }
    )
    wanted = sorted(
        (system, *name, i, j, sure, f"s{i}", f"t{j}")
        for system, sentences in systems.items()
        if sentences
        for name, one in gold.items()
        for (i, j), sure in one.items()
        if (i, j) not in sentences.get(name, {})
    )
    found = ask(
        f"from missing_links('hyp', 'gold', 'bitext', {KEY})",
        hyp=nested(systems),
        gold=nested({"gold": gold}),
        bitext=text,
    )
    assert found == wanted


@given(src=st.integers(0, 60), tgt=st.integers(0, 60))
def test_bands_of_length_equal_python(src, tgt):
    ((found,),) = ask(f"select length_band(range({src}), range({tgt}))")
    length = (src + tgt + 1) // 2
    assert found == band_names()[sum(last < length for last in BANDS)]


def test_bands_of_length_agree_with_scores(bundled):
    text = {
        side: (bundled / f"text.{side}").read_text("utf-8").splitlines() for side in ("en", "fr")
    }
    bitext = pl.DataFrame(
        {"src": [one.split() for one in text["en"]], "tgt": [one.split() for one in text["fr"]]}
    ).with_row_index("sid")
    wanted = links.score(
        bundled / "eager.talp", bundled / "gold.talp", by=["length"], bitext=bitext, bands=[9, 20]
    ).scores
    hyp, gold = (
        pl.DataFrame(pl.from_arrow(formats.read(bundled / f"{name}.talp")))
        for name in ("eager", "gold")
    )
    found = ask(
        "with banded as ("
        "  select counts.*, length_band(src, tgt, bands := [9, 20]) as length"
        "  from link_counts('hyp', 'gold') as counts join bitext using (sid)"
        ") select length, sentences, aer from scores('banded', by := ['length']) order by length",
        hyp=hyp,
        gold=gold,
        bitext=bitext,
    )
    wanted_rows = wanted.select("length", "sentences", "aer").sort("length").rows()
    assert [row[:2] for row in found] == [row[:2] for row in wanted_rows]
    assert [row[2] for row in found] == pytest.approx([row[2] for row in wanted_rows])


ONE = {"a": {("law", 0): {(0, 0): True}}}


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("from link_differences('two', 'one')", "two has the systems a, b; .*system = 'a'"),
        ("from link_differences('one', 'two')", "two has the systems a, b; .*system = 'a'"),
        ("from system_agreement('twice')", "gives sentence 0 more than once; .*key :="),
        ("from link_counts('one', 'twice')", "gold gives sentence 0 more than once; .*key :="),
        ("from link_counts('twice', 'one')", "a gives sentence 0 more than once"),
        (f"from link_counts('crossed', 'crossing', {KEY})", "sentence law, 0 more than once"),
        ("from link_counts('unnamed', 'one')", "a gives a sentence without sid"),
        ("from link_counts('one', 'unnamed')", "gold gives a sentence without sid"),
        ("from link_counts('one', 'one', key := ['doc', 'sid'])", "expected doc, sid, links"),
        *(
            (f"from link_scores('one', 'one', key := {key})", "the key .*identify")
            for key in ("null", "[]")
        ),
        ("from link_rows('one', key := ['System', 'sid'])", "system; omit it"),
        ("with e as (from one where false) from link_scores('one', 'e')", "gold has no rows"),
        ("from missing_links('far', 'far', 'bitext')", None),
        ("from missing_links('one', 'far', 'bitext')", "the link 3-3 of sentence 0 lies outside"),
        ("from missing_links('one', 'other', 'bitext')", "the text has no sentence 5"),
        ("from worst_sentences('one', 'one', n := -1)", "n is -1"),
        ("from link_scores('one', 'one', by := ['dmain'])", "dmain.*of sid, domain, run, domain_1"),
        (
            "with counts as (from link_counts('one', 'one')) from scores('counts', by := ['x'])",
            "no column x",
        ),
        ("select length_band([1], [1], bands := [3, 3])", "bands"),
    ],
)
def test_bad_input_is_refused(sql, said):
    twice = {"a": {("law", 0): {(0, 0): True}, ("news", 0): {(1, 1): True}}}
    tables = {
        "one": nested(ONE),
        "two": nested({**ONE, "b": ONE["a"]}),
        "twice": nested(twice),
        # As many sentences as gold, and each domain and each number as often, but not the same
        # pairs.
        "crossed": pl.concat([nested({"a": {("law", 0): {}, ("news", 1): {}}})] * 2),
        "crossing": nested({"gold": {key: {} for key in product(("law", "news"), (0, 1))}}),
        "unnamed": nested(ONE).with_columns(sid=pl.lit(None, pl.Int64)),
        "far": nested({"a": {("law", 0): {(3, 3): True}}}),
        "other": nested({"a": {("law", 5): {(0, 0): True}}}),
        "bitext": pl.DataFrame({"sid": [0], "src": [["x", "y"]], "tgt": [["x", "y"]]}),
    }
    if said is None:
        assert ask(sql, **tables) == []
        return
    with pytest.raises(Exception, match=said):
        ask(sql, **tables)


def test_sentences_that_restart_by_domain_are_refused_in_long_tables():
    table = long(nested({"a": {("law", 0): {(0, 0): True}, ("news", 0): {(1, 1): True}}}))
    with pytest.raises(Exception, match="gives sentence 0 more than once"):
        ask("from link_scores('hyp', 'gold')", hyp=table, gold=table)


def test_gold_is_checked_before_the_hypothesis_is_read():
    gold = nested({"a": {("law", 0): {(0, 0): True}, ("news", 0): {(1, 1): True}}})
    # Of many rows, so that gold is the side that is held in memory.
    sql = (
        "with hyp as (select 'a' as system, 0 as sid, if(n >= 0, error('it was read'), "
        "[{'i': 0, 'j': 0}]) as links from range(1000000) as t(n)) "
        "from link_counts('hyp', 'gold')"
    )
    with pytest.raises(Exception, match="gold gives sentence 0 more than once"):
        ask(sql, gold=gold)
    with pytest.raises(Exception, match="it was read"):
        ask(sql, gold=gold[:1])


def test_probabilities_of_links_do_not_split_a_sentence():
    table = long(nested({"a": {("law", 0): {(0, 0): True, (1, 1): True}}}))
    table = table.with_columns(probability=pl.Series([0.5, 0.7, 0.5, 0.7]))
    assert ask("select links from link_scores('hyp', 'hyp')", hyp=table) == [(2,)]


def test_a_stream_is_read_once():
    hyp = nested({"a": {("law", 0): {(0, 0): True}}, "b": {("law", 1): {(1, 1): True}}})
    gold = nested({"gold": {("law", 0): {(0, 0): True}, ("law", 1): {(1, 1): True}}})
    with connected() as con:
        con.register("hyp", hyp.to_arrow().to_reader())
        con.register("gold", gold.to_arrow().to_reader())
        found = con.sql(f"select system, sentences, links from link_scores('hyp', 'gold', {KEY})")
        assert found.fetchall() == [("a", 2, 1), ("b", 2, 1)]
