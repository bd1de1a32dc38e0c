"""Intervals and paired tests in SQL equal Python's, from stored counts."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from helpers.sql import connected
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe import beads, links, mt
from alignframe.core.schemas import COUNTS, SPANS
from alignframe.errors import InputError
from alignframe.functions import FUNCTIONS
from alignframe.stats.bootstrap import interval, resample_sums, unit_of
from alignframe.stats.paired import Paired

CALLS = {function.name: function.call for function in FUNCTIONS}
FIGURES = ("precision", "recall", "aer", "f")
ENDS = ("", "_low", "_high")


@pytest.fixture(scope="module")
def systems(bundled):
    return {name: bundled / f"{name}.talp" for name in ("cautious", "eager", "forward")}


def ask(counts, question):
    with connected(counts=counts) as con:
        return con.sql(question).pl()


def agree(found, wanted, names):
    assert found.height == wanted.height
    for mine, theirs in names.items():
        one, other = found[mine].to_numpy(), wanted[theirs].to_numpy()
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12, err_msg=mine)


@pytest.mark.parametrize("by", [[], ["length"]])
def test_scores_equal_links_scores(systems, bundled, by):
    gold = bundled / "gold.talp"
    counts = links.score(systems, gold, by=by).counts
    wanted = links.score(
        systems, gold, by=by, alpha=0.3, bootstrap=300, seed=7, confidence=0.9
    ).scores
    options = "alpha := 0.3, bootstrap := 300, seed := 7, confidence := 0.9"
    found = ask(counts, f"from scores_with_intervals('counts', by := {by}, {options})")
    keys = ["system", *by]
    found, wanted = found.sort(keys), wanted.sort(keys)
    assert found.select(keys).rows() == wanted.select(keys).rows()
    names = {
        figure + end: ("f_0.3" if figure == "f" else figure) + end
        for figure in FIGURES
        for end in ENDS
    }
    agree(found, wanted, names | {"sentences": "sentences", "links": "links"})


def test_differences_equal_links_compare(systems, bundled):
    gold = bundled / "gold.talp"
    wanted = links.score(systems, gold, bootstrap=400, seed=3).compare("eager")
    found = ask(
        links.score(systems, gold).counts,
        "from score_differences('counts', 'eager', bootstrap := 400, seed := 3)",
    )
    assert found["measure"].to_list() == [*FIGURES, *FIGURES]
    assert found.select("system", "baseline").rows() == wanted.select("system", "baseline").rows()
    kept = ["value", "baseline_value", "difference", "p_value", "p_corrected"]
    ends = {f"difference_{end}": f"difference_{end}" for end in ("low", "high")}
    agree(found, wanted, {name: name for name in kept} | ends)


def many(sentences, seed=5):
    """Return counts of two systems, in random order."""
    rng = np.random.default_rng(seed)
    sid = rng.permutation(sentences * 3)[:sentences]
    frames = []
    for name in ("a", "b"):
        hits = rng.integers(0, 6, (sentences, 5))
        columns = dict(zip(COUNTS, (hits + np.array([9, 6, 9, 0, 1])).T, strict=True))
        frames.append(pl.DataFrame({"system": name, "sid": sid, **columns}))
    return pl.concat(frames).sample(fraction=1, shuffle=True, seed=seed)


@pytest.mark.parametrize("sentences", [2_048, 2_049])
def test_large_corpora_resample_groups_of_sentences(sentences):
    counts = many(sentences)
    sids = np.unique(counts["sid"])
    unit = unit_of(sids) if sids.size > 2_048 else np.arange(sids.size)
    mine = counts.filter(pl.col("system") == "b").sort("sid").select("n_hyp", "n_hyp_possible")
    sums = np.zeros((unit.max() + 1, 2))
    np.add.at(sums, unit, mine.to_numpy())
    drawn = resample_sums(sums[np.unique(unit)], 50, 2)
    whole = sums.sum(axis=0)
    wanted = interval(
        drawn[:, 1] / drawn[:, 0],
        0.8,
        observed=whole[1] / whole[0],
        units=np.unique(unit).size,
    )
    found = ask(
        counts,
        "select value_low, value_high from ratio_intervals('counts', n_hyp_possible / n_hyp, "
        "bootstrap := 50, seed := 2, confidence := 0.8) where system = 'b'",
    )
    np.testing.assert_allclose(found.row(0), wanted, rtol=0, atol=1e-12)


rows = st.lists(
    st.tuples(
        st.sampled_from("ab"),
        st.integers(0, 5),
        st.sampled_from(["x", "y", None]),
        st.integers(0, 3),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=14,
    unique_by=lambda row: row[:3],
)


@settings(max_examples=5)
@given(rows, st.integers(0, 3))
def test_any_ratio_against_loops(given_rows, seed):
    """Includes groups with undefined figures, and units that one system lacks, which count as 0."""
    schema = {
        "system": pl.String,
        "unit": pl.Int64,
        "genre": pl.String,
        "n_a": pl.Int64,
        "n_b": pl.Int64,
    }
    frame = pl.DataFrame(given_rows, schema=schema, orient="row")
    wanted = {}
    even = True
    for genre in {row[2] for row in given_rows}:
        mine = [row for row in given_rows if row[2] == genre]
        units = sorted({row[1] for row in mine})
        systems = sorted({row[0] for row in mine})
        cells = {(row[0], row[1]): row[3:] for row in mine}
        matrix = np.array([[cells.get((s, u), (0, 0)) for s in systems] for u in units], np.float64)
        drawn = resample_sums(matrix.reshape(len(units), -1), 20, seed)
        drawn = drawn.reshape(20, len(systems), 2)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios = drawn[:, :, 0] / np.where(drawn[:, :, 1] > 0, drawn[:, :, 1], np.nan)
            value = matrix.sum(axis=0)
            values = value[:, 0] / np.where(value[:, 1] > 0, value[:, 1], np.nan)
        for at, system in enumerate(systems):
            ends = interval(ratios[:, at], 0.9, observed=values[at], units=len(units))
            if len(units) == 1:
                ends = np.nan, np.nan
            wanted[system, genre] = (values[at], *ends)
        even &= len(cells) == len(units) * len(systems)
        if systems == ["a", "b"]:
            difference = values[1] - values[0]
            draws = ratios[:, 1] - ratios[:, 0]
            test = Paired(difference, draws, len(units))
            wanted["difference", genre] = (difference, *test.interval(0.9), test.p_value)
    options = f"by := ['Genre'], bootstrap := 20, seed := {seed}, confidence := 0.9, unit := 'unit'"
    found = ask(frame, f"from ratio_intervals('counts', n_a / nullif(n_b, 0), {options})")
    got = {row[:2]: row[2:] for row in found.rows()}
    question = f"from ratio_differences('counts', 'a', n_a / nullif(n_b, 0), {options})"
    if not even:
        wanted = {key: row for key, row in wanted.items() if key[0] != "difference"}
        with pytest.raises(Exception, match=r"the same units for every system|only the system"):
            ask(frame, question)
    elif {row[0] for row in given_rows} == {"a", "b"}:
        tested = ask(frame, question)
        figures = tested.select("genre", "^difference.*$", "p_value").rows()
        got |= {("difference", genre): row for genre, *row in figures}
        # A group with one system has nothing to compare it with.
        got = {key: row for key, row in got.items() if key in wanted}
    assert got.keys() == wanted.keys()
    for key, row in wanted.items():
        mine = [np.nan if cell is None else cell for cell in got[key]]
        np.testing.assert_allclose(mine, row, rtol=0, atol=1e-12)


def test_documents_are_resampled():
    counts = pl.DataFrame(
        {"system": "s", "doc": ["a", "c", "b"], "n_hyp": [4, 5, 9], "n_hyp_strict": [3, 1, 9]}
    )
    drawn = resample_sums([[4, 3], [9, 9], [5, 1]], 30, 1)
    ends = interval(drawn[:, 1] / drawn[:, 0], observed=13 / 18, units=3)
    found = ask(
        counts,
        "from ratio_intervals('counts', n_hyp_strict / n_hyp, unit := 'doc', bootstrap := 30)",
    )
    np.testing.assert_allclose(found.row(0)[1:], (13 / 18, *ends), rtol=0, atol=1e-12)


def test_many_documents_are_grouped():
    docs = [f"document {n}" for n in range(5_000)]
    counts = pl.DataFrame({"system": "s", "doc": docs, "n_hyp": 2, "n_hyp_strict": [0, 1] * 2_500})
    found = ask(
        counts,
        "from ratio_intervals('counts', n_hyp_strict / n_hyp, unit := 'doc', bootstrap := 100)",
    )
    _, value, low, high = found.row(0)
    assert value == 0.25
    assert 0.24 < low < 0.25 < high < 0.26


def test_a_single_column_to_group_by_needs_no_brackets():
    with connected() as con:
        con.execute(
            "create table counts as select 'a' as system, range as sid, range // 2 as half, "
            f"{', '.join(f'range + 1 as {name}' for name in COUNTS)} from range(4)"
        )
        for macro in (
            "scores('counts', {})",
            "scores_with_intervals('counts', {}, bootstrap := 9)",
        ):
            listed, single = (
                con.execute("from " + macro.format(by)).fetchall()
                for by in ("by := ['half']", "by := 'half'")
            )
            assert len(listed) == 2
            assert single == listed


ROWS = "values ('a', 0, 3, 2, 2, 1, 2), ('b', 0, 3, 2, 2, 1, 2)"
COLUMNS = f"system, sid, {', '.join(COUNTS)}"


@pytest.mark.parametrize(
    ("rows", "asked", "said"),
    [
        (
            ROWS,
            "scores_with_intervals('c', by := ['genre'])",
            "no column genre to group by; expected one of sid",
        ),
        (
            ROWS,
            "scores_with_intervals('c', by := ['sid', 'n_hyp'])",
            "sid, n_hyp, among them a result",
        ),
        (ROWS, "resampled_counts('c', by := ['n_sure'])", "another name"),
        (ROWS, "scores_with_intervals('c', confidence := 1)", "confidence is 1; expected 0 to 1"),
        (ROWS, "scores_with_intervals('c', alpha := -1)", "`alpha` is -1.0; expected a number"),
        (ROWS, "scores_with_intervals('c', bootstrap := -1)", "-1 resamples; expected at least 1"),
        (ROWS, "scores_with_intervals('c', seed := -1)", "`seed` is -1"),
        (ROWS, "score_differences('c', 'x')", "the baseline x; expected one of a, b"),
        (ROWS, "score_differences('c', null)", "the baseline null; expected one of a, b"),
        (ROWS + " limit 1", "score_differences('c', 'a')", "only the system a; expected two"),
        (ROWS, "resampled_counts('c', unit := 'doc')", "expected system, doc; "),
        (
            ROWS.replace("'b', 0", "'a', 0"),
            "scores_with_intervals('c')",
            "sid 0 more than once; .*concat_ws",
        ),
        (ROWS.replace("'b', 0", "'b', null"), "scores_with_intervals('c')", "a row without sid"),
        (ROWS.replace("'b', 0", "null, 0"), "scores_with_intervals('c')", "a row without system"),
        (
            ROWS.replace("3, 2, 2", "3, null, 2"),
            "scores_with_intervals('c')",
            "a row without a count",
        ),
    ],
)
def test_bad_input_is_refused(rows, asked, said):
    with connected() as con:
        con.execute(f"create table c as select * from ({rows}) as t({COLUMNS})")
        with pytest.raises(Exception, match=said):
            con.execute(f"select * from {asked}").fetchall()


def test_other_tables_are_refused():
    frame = pl.DataFrame({"system": ["a"], "sid": [0], "links": [[]]})
    for asked in ("scores_with_intervals('counts')", "score_differences('counts', 'a')"):
        with pytest.raises(Exception, match=r"links.*system, sid, n_hyp, n_sure, n_hyp_sure"):
            ask(frame, f"from {asked}")


def test_a_table_without_counts_is_refused():
    frame = pl.DataFrame({"system": ["a"], "sid": [0], "figure": [1.0]})
    with pytest.raises(Exception, match="expected columns of counts"):
        ask(frame, "from resampled_counts('counts')")


def test_resampled_sums_of_rows():
    lists = pa.array([[1.0, 2.0], None, [], [5.0, 7.0], [1.0]], pa.list_(pa.float64()))
    found = CALLS["resampled_sums"](lists, 6, pa.array([3, 3, 3, 3, 4])).to_pylist()
    paired = resample_sums([[1, 5], [2, 7]], 6, 3)
    assert found == [*map(list, paired[:, :1].T), None, [0.0] * 6, list(paired[:, 1]), [1.0] * 6]
    assert CALLS["resampled_sums"](lists.slice(3, 1), 6, 3).to_pylist() == [list(paired[:, 1])]
    assert CALLS["resampled_sums"](lists.slice(0, 0), 6, 3).to_pylist() == []
    with pytest.raises(InputError, match="missing count"):
        CALLS["resampled_sums"](pa.array([[1.0, None]]), 6, 3)


def test_units_of_rows():
    sids = pa.array([0, 1, None, 2**40, -3])
    wanted = unit_of(np.array([0, 1, 0, 2**40, -3])).tolist()
    assert CALLS["resampling_unit"](sids).to_pylist() == [*wanted[:2], None, *wanted[3:]]


def translations_agree(bundled, metric, figure, bootstrap, **options):
    """Compare a figure's intervals and tests in SQL with Python's; return counts and figures."""
    folder = bundled.parent / "island"
    systems = {name: folder / f"{name}.en" for name in ("careful", "fluent", "literal")}
    options |= {"ref": folder / "ref.en", "metrics": [metric]}
    drawn = {"bootstrap": bootstrap, "seed": 2}
    wanted = mt.score(systems, **options, **drawn).scores
    tested = mt.score(systems, **options, **drawn).compare("fluent")
    figures = (
        f"with figures as (select system, resample, units, {figure} as figure from "
        f"resampled_counts('counts', names := '^{metric}_', bootstrap := {bootstrap}, seed := 2, "
        "baseline := 'fluent') as c group by all) "
    )
    counts = mt.score(systems, **options).counts
    found = ask(counts, figures + "from figure_intervals('figures')")
    agree(found, wanted.sort("system"), {f"value{end}": f"{metric}{end}" for end in ENDS})
    found = ask(counts, figures + "from paired_differences('figures', 'fluent')")
    names = ["value", "baseline_value", "difference", "difference_low", "difference_high"]
    names += ["p_value", "p_corrected"]
    agree(found, tested.sort("system"), {name: name for name in names})
    return counts, figures


def test_a_figure_of_translations(bundled):
    """BLEU is no ratio of two sums, but any macro of sums has intervals and a test."""
    counts, figures = translations_agree(bundled, "bleu", "bleu(bleu_sums(c))", 200)
    for question in ("paired_differences('figures', 'fluent')", "figure_intervals('figures')"):
        with pytest.raises(Exception, match="figures without units; expected the column units"):
            ask(counts, figures.replace("units,", "") + f"from {question}")
    plain = figures.replace(", baseline := 'fluent'", "")
    with pytest.raises(Exception, match="the same baseline"):
        ask(counts, plain + "from paired_differences('figures', 'fluent')")


@pytest.mark.parametrize("word_order", [0, 2])
def test_chrf_has_intervals_and_a_test(bundled, word_order):
    """Without words, which by default are not counted, their counts are null."""
    translations_agree(bundled, "chrf", "chrf(chrf_sums(c))", 100, word_order=word_order)


def test_counts_of_some_systems_only_are_refused():
    counts = pl.DataFrame({"system": ["a", "b"], "sid": 0, "n_a": [1, None], "n_b": [1, 2]})
    with pytest.raises(Exception, match="a row without a count"):
        ask(counts, "from resampled_counts('counts', bootstrap := 3)")
    counts = pl.DataFrame({"system": "a", "sid": [0, 1], "n_a": [1, None], "n_b": [1, 2]})
    with pytest.raises(Exception, match="a row without a count"):
        ask(counts, "from resampled_counts('counts', bootstrap := 3)")


def test_any_figure_of_beads():
    """Macros of an area compute figures of resampled counts as they do of counts."""
    rng = np.random.default_rng(1)
    spans = [(k, k + 1, k, k + 1) for k in range(12)]
    golden, found = [], {"one": [], "two": []}
    for doc in ("a", "b", "c", "d"):
        golden += [(doc, *span) for span in spans]
        for rows in found.values():
            rows += [(doc, *spans[k]) for k in np.flatnonzero(rng.random(12) < 0.7)]
    columns = ["doc", *SPANS]
    hyps = {name: pl.DataFrame(rows, columns, orient="row") for name, rows in found.items()}
    gold = pl.DataFrame(golden, columns, orient="row")
    wanted = beads.score(hyps, gold, bootstrap=100, seed=5).scores
    for figure in ("strict_f", "alignment_rate"):
        got = ask(
            beads.score(hyps, gold).counts,
            f"""
            with drawn as (
              from resampled_counts('counts', unit := 'doc', bootstrap := 100, seed := 5)
            ),
            figures as (
              select system, resample, units, {figure} as figure from bead_measures('drawn')
            )
            from figure_intervals('figures')
            """,
        )
        agree(got, wanted.sort("system"), {f"value{end}": f"{figure}{end}" for end in ENDS})
