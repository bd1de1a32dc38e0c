"""Symmetrization: every method against its definition over sets."""

from itertools import pairwise

import polars as pl
import pyarrow as pa
import pytest
from helpers.sql import check_engines, connected
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference import links as reference

from alignframe import links
from alignframe.engines import polars as expressions
from alignframe.errors import DataWarning, InputError
from alignframe.functions import format_links, invert_links, parse_links, symmetrize
from alignframe.sources.misread import FEW

pairs = st.lists(st.tuples(reference.link_sets, reference.link_sets), min_size=1, max_size=8)
edge = st.sets(st.tuples(*[st.integers(58, 63)] * 2), max_size=12)  # for short sentences
edge_pairs = st.lists(st.tuples(edge, edge), min_size=1, max_size=8)
near_pairs = st.lists(st.tuples(reference.links_near, reference.links_near), min_size=1, max_size=8)


def column(rows):
    return reference.nested([sorted(row) for row in rows])


@pytest.mark.parametrize("method", links.METHODS)
@settings(max_examples=6)
@given(st.one_of(near_pairs, edge_pairs, pairs))
@example([({(i, i + 1) for i in range(57, 61)}, {(60, 61), (61, 61), (61, 60), (0, 0)})])
@example([({(65535, 0), (0, 65535)}, {(65535, 65535), (65535, 0)})])
@example([({(i, j) for i in range(7) for j in range(7)}, {(i, i) for i in range(7)})])
@example([({(i, j) for i in range(3) for j in range(3)}, {(1, 1)})])  # which corners?
@example([({(1, 0), (0, 2), (0, 3), (2, 1)}, {(1, 0), (0, 3), (2, 2)})])  # which comes first?
@example([(set(), set())])
@example([({(0, 1), (1, 0), (0, 2), (0, 0)}, {(0, 1), (1, 0), (0, 0)})])  # bent from the start
def test_method_follows_its_definition(method, given_pairs):
    forward, reverse = zip(*given_pairs, strict=True)
    found = symmetrize(column(forward), column(reverse), method)
    wanted = [reference.symmetrize(f, r, method) for f, r in given_pairs]
    assert reference.as_sets(found) == wanted
    assert found.to_pylist() == column(wanted).to_pylist()  # sorted, without duplicates


CHAINS = [
    ("grow", "grow-final"),
    ("grow-diag", "grow-diag-final"),
    ("grow-diag", "grow-diag-final-and"),
    ("atools-grow-diag", "atools-grow-diag-final"),
    ("atools-grow-diag", "atools-grow-diag-final-and"),
    ("lilt-grow-diag", "lilt-grow-diag-final"),
    ("refined",),
]


def words(links):
    return {("src", i) for i, _ in links} | {("tgt", j) for _, j in links}


@settings(max_examples=10)
@given(near_pairs)
def test_methods_are_ordered_from_intersection_to_union(given_pairs):
    forward, reverse = (column(side) for side in zip(*given_pairs, strict=True))
    made = {name: reference.as_sets(symmetrize(forward, reverse, name)) for name in links.METHODS}
    for chain in CHAINS:
        for smaller, larger in pairwise(("intersection", *chain, "union")):
            assert all(a <= b for a, b in zip(made[smaller], made[larger], strict=True))
    for row, whole in enumerate(made["union"]):
        assert whole <= made["union-closure"][row]
        assert made["refined"][row] <= made["refined-closure"][row] <= made["union-closure"][row]
        for name in ("grow-final", "grow-diag-final", "atools-grow-diag-final"):
            assert words(made[name][row]) == words(whole)  # no linked word loses all its links
        for name in links.METHODS:
            if name.endswith(("-and", "lilt-grow-diag-final")):
                done = words(made[name][row])
                assert all(words({link}) & done for link in whole)


@pytest.mark.parametrize("method", ["union", "refined"])
@settings(max_examples=20)
@given(given_pairs=near_pairs)
def test_closure_is_complete_and_idempotent(method, given_pairs):
    forward, reverse = (column(side) for side in zip(*given_pairs, strict=True))
    closed = symmetrize(forward, reverse, f"{method}-closure")
    assert symmetrize(closed, closed, "union-closure") == closed
    for row in reference.as_sets(closed):
        for sources, targets in reference.components(row):
            assert {(i, j) for i in sources for j in targets} <= row


@pytest.mark.parametrize("method", ["intersection", "union", "union-closure"])
@settings(max_examples=10)
@given(given_pairs=near_pairs)
def test_set_methods_do_not_depend_on_direction(method, given_pairs):
    forward, reverse = (column(side) for side in zip(*given_pairs, strict=True))
    joined = symmetrize(forward, reverse, method)
    assert symmetrize(reverse, forward, method) == joined
    swapped = symmetrize(invert_links(forward), invert_links(reverse), method)
    assert reference.as_sets(invert_links(swapped)) == reference.as_sets(joined)


@given(pairs)
def test_inverting_twice_changes_nothing(given_pairs):
    once = column([f for f, _ in given_pairs])
    inverted = invert_links(once)
    assert reference.as_sets(inverted) == [{(j, i) for i, j in f} for f, _ in given_pairs]
    assert reference.as_sets(invert_links(inverted)) == reference.as_sets(once)


def test_inverting_keeps_possible_links(bundled):
    """In Python, SQL and polars, as in the shell's --set order."""
    assert format_links(invert_links(parse_links(pa.array(["0-1 2p3"])))).to_pylist() == ["1-0 3p2"]
    with connected() as con:
        query = "select format_links(invert_links(parse_links('0-1 2p3')))"
        assert con.execute(query).fetchall() == [("1-0 3p2",)]
    frame = links.read(bundled / "gold.talp").frame
    found = frame.select(expressions.invert_links("links").alias("links"))
    assert found["links"].explode().struct.field("sure").not_().sum() > 0
    possible = frame["links"].explode().struct.field("sure").not_().sum()
    assert found["links"].explode().struct.field("sure").not_().sum() == possible


@given(pairs)
def test_links_as_text_survive_a_round_trip(given_pairs):
    once = column([f for f, _ in given_pairs])
    text = format_links(once)
    assert text.to_pylist() == [" ".join(f"{i}-{j}" for i, j in sorted(f)) for f, _ in given_pairs]
    assert reference.as_sets(parse_links(text)) == reference.as_sets(once)


def test_parse_links_shows_the_text_in_errors():
    with pytest.raises(InputError, match="'0-0 zero'"):
        parse_links(pa.array(["1-1", "0-0 zero"]))


@settings(max_examples=8)
@given(near_pairs, st.sampled_from(links.METHODS))
def test_engines_agree(given_pairs, method):
    forward, reverse = (column(side) for side in zip(*given_pairs, strict=True))
    calls = {f"symmetrize(f, r, '{method}')": symmetrize(forward, reverse, method)}
    table = pa.table({"f": forward, "r": reverse})
    check_engines(table, calls, [expressions.symmetrize("f", "r", method)])


def test_sql_lists_the_same_methods():
    said = r"one of intersection, .*did you mean 'grow-diag'"
    with connected() as con, pytest.raises(Exception, match=said):
        con.execute("select symmetrize([], [], 'moses-grow-diag')").fetchall()


def test_method_may_differ_by_row():
    forward, reverse = column([{(0, 0), (1, 1)}] * 3), column([{(0, 0), (2, 2)}] * 3)
    methods = pa.array(["union", "intersection", "union"])
    sizes = [len(row) for row in symmetrize(forward, reverse, methods).to_pylist()]
    assert sizes == [3, 1, 3]


def test_table_function_checks_its_sides():
    one = pa.table({"sid": [0, 1], "links": column([{(0, 0)}, {(1, 2)}])})
    two = pa.table({"sid": [0, 1], "links": column([{(0, 0)}, {(2, 1)}])})
    joined = links.symmetrize(one, two, "intersection", reverse_is="tgt-src", system="both")
    assert joined["system"].to_list() == ["both", "both"]
    assert reference.as_sets(joined["links"]) == [{(0, 0)}, {(1, 2)}]
    with pytest.raises(InputError, match="only one of them has sentence 1"):
        links.symmetrize(one, two.slice(0, 1))
    with pytest.raises(InputError, match="`reverse_is` is 'backwards'; expected src-tgt"):
        links.symmetrize(one, two, reverse_is="backwards")
    several = one.append_column("system", pa.array(["a", "b"]))
    with pytest.raises(InputError, match="holds the systems a, b"):
        links.symmetrize(several, two)


def test_an_unknown_method_lists_all_names():
    one = column([{(0, 0)}])
    with pytest.raises(InputError) as caught:
        symmetrize(one, one, "grow-diagonal")
    assert all(name in str(caught.value) for name in links.METHODS)
    for former, name in (
        ("moses-grow-diag", "grow-diag"),
        ("moses-grow-diag-final-and", "grow-diag-final-and"),
        ("lilt-grow-diag-final-and", "lilt-grow-diag-final"),
    ):
        with pytest.raises(InputError, match=f"did you mean '{name}'"):
            symmetrize(one, one, pa.array([former]))


def test_differences_between_the_programs():
    forward, reverse = {(1, 0), (0, 2), (0, 3), (2, 1)}, {(1, 0), (0, 3), (2, 2)}
    added = {
        name: reference.as_sets(symmetrize(column([forward]), column([reverse]), name))[0]
        - (forward & reverse)
        for name in links.METHODS
    }
    assert added["grow"] == {(0, 2)}
    for end in ("", "-final", "-final-and"):
        assert added[f"grow-diag{end}"] == {(2, 1), (2, 2)}
        assert added[f"atools-grow-diag{end}"] == {(0, 2), (2, 1)}
    assert added["lilt-grow-diag"] == added["lilt-grow-diag-final"] == {(2, 1)}


def test_long_tables_in_any_order():
    forward = pa.table({"sid": [0, 1, 0, 1], "i": [0, 0, 1, 1], "j": [0, 0, 1, 1]})
    reverse = forward.take([3, 1, 2, 0])
    joined = links.symmetrize(forward, reverse, "intersection")
    assert joined["sid"].to_list() == [0, 1]
    assert reference.as_sets(joined["links"]) == [{(0, 0), (1, 1)}] * 2
    twice = pa.table({"sid": [0, 0], "links": column([{(0, 0)}, {(1, 1)}])})
    with pytest.raises(InputError, match="gives a sentence more than once"):
        links.symmetrize(twice, twice)


def test_a_single_row_is_used_for_all():
    frame = pl.DataFrame({"f": column([{(0, 0)}, {(1, 1)}, {(2, 2)}]), "r": column([{(9, 9)}] * 3)})
    made = frame.select(expressions.symmetrize("f", pl.col("r").first(), "union")).to_series()
    assert reference.as_sets(made) == [{(k, k), (9, 9)} for k in range(3)]
    none = frame.clear().select(expressions.symmetrize("f", "r", "union")).to_series()
    assert none.len() == 0
    with pytest.raises(InputError, match=r"columns of \[3, 1\] rows"):
        symmetrize(column([{(0, 0)}] * 3), column([{(0, 0)}]), "union")


def test_a_reverse_file_in_the_other_order_causes_a_warning(bundled):
    files = bundled / "forward.talp", bundled / "reverse.talp"
    with pytest.warns(DataWarning, match="target word first"):
        links.symmetrize(*files, "union")
    links.symmetrize(*files, "union", reverse_is="tgt-src")  # a warning would be an error here


def test_the_same_file_twice_causes_a_warning(bundled):
    path = bundled / "forward.talp"
    for order in ("src-tgt", "tgt-src"):
        with pytest.warns(DataWarning) as caught:
            links.symmetrize(path, path, reverse_is=order)
        assert any("same links" in str(one.message) for one in caught)
    few = ["0-0"] * FEW
    links.symmetrize(few, few)  # a warning would be an error here
    with pytest.warns(DataWarning, match="same links"):
        links.symmetrize([*few, "0-0"], [*few, "0-0"])
