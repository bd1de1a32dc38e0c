"""Macros with ``Port of`` give the same figures as the Python function.

Python asks some macros; others are ports of a Python function, part of one, or only for SQL.
"""

import ast
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from helpers.sql import connected

from alignframe import formats, lexicon, links, mt, phrases
from alignframe.cli.beads_align import count_types
from alignframe.core import figures as measures
from alignframe.engines.scripts import declarations, sql_folder
from alignframe.tesla import f_measure
from alignframe.tesla.score import scores_of
from alignframe.tesla.scored import Segments

HERE = Path(__file__)
TESTS = HERE.parents[1]
_PORT = re.compile(
    r"-- Port of ([\w.]+)\.\n(?:--.*\n)*create or replace temp macro (\w+)\(", re.MULTILINE
)
PORTS = {
    macro: name
    for file in sorted(sql_folder().glob("*.sql"))
    for name, macro in _PORT.findall(file.read_text("utf-8"))
}

ELSEWHERE = {
    "test_counts.py": ["link_counts"],
    "test_sql.py": ["link_scores", "scores"],
    "test_correlation.py": ["measure_values", "correlations"],
    "test_left_out.py": ["correlations_left_out"],
    "test_lexicon_induce.py": ["cooccurrence", "n_best"],
    "test_aligners_page.py": ["confident_links", "link_calibration"],
    "test_beads_score.py": ["checked_beads", "bead_scores", "bead_type_scores"],
    "test_beads_formats.py": ["bead_bitext"],
    "test_tesla_meta.py": ["consistency", "wmt_tau"],
    "test_tesla_score.py": ["tesla_scores_by"],
    "test_mt.py": ["bleu", "chrf"],
    "test_sql_questions.py": ["length_band"],
    "test_sql_intervals.py": [
        "resampled_counts",
        "figure_intervals",
        "ratio_intervals",
        "paired_differences",
        "ratio_differences",
        "scores_with_intervals",
        "score_differences",
    ],
}
"""Return the files that compare a port with Python."""

WITHIN = {
    "bead_hits": "bead_scores",
    "bead_measures": "bead_scores",
}
"""Ports that other ports use."""

SQL_ONLY = {
    "links": {"long_links"},
    "aligners": {"sentence_confidence", "best_translations"},
    "beads": {"bead_pairs"},
    "mt": {"bleu_sums", "chrf_sums"},
    "tesla": {"tesla_features", "tesla_feature_means", "tesla_differences", "tesla_wins"},
    "link_questions": {
        "worst_sentences",
        "system_agreement",
        "link_differences",
        "missing_links",
    },
}
"""By topic, the macros whose figures Python does not compute."""


@pytest.mark.parametrize("macro", PORTS)
def test_a_port_names_an_existing_function(macro):
    module, _, name = PORTS[macro].rpartition(".")
    try:
        found = import_module(module)
    except ModuleNotFoundError:  # a method
        module, _, owner = module.rpartition(".")
        found = getattr(import_module(module), owner)
    assert callable(getattr(found, name))


def test_every_port_is_compared():
    for file, macros in ELSEWHERE.items():
        (path,) = TESTS.rglob(file)
        text = path.read_text("utf-8")
        assert [macro for macro in macros if f"{macro}(" not in text] == []
    here = set(re.findall(r"\b(\w+)\(", HERE.read_text("utf-8")))
    compared = here | WITHIN.keys() | {macro for macros in ELSEWHERE.values() for macro in macros}
    assert set(PORTS) - compared == set()
    assert set(WITHIN) | set(WITHIN.values()) <= set(PORTS)


def _called(text):
    """Return the macros that a text calls."""
    return {one.name for one in declarations()} & set(re.findall(r"\b(\w+)\(", text))


def _with_parts(macros):
    """Return macros with all those that they call."""
    found, waiting = set(macros), [*macros]
    bodies = {one.name: one.body for one in declarations()}
    while waiting:
        parts = _called(bodies[waiting.pop()]) - found
        found |= parts
        waiting += parts
    return found


def _queries():
    """Yield the strings of the package except docstrings."""
    package = HERE.parents[2] / "alignframe"
    for file in package.rglob("*.py"):
        source = file.read_text("utf-8")
        if not _called(source) or file.name == "query_errors.py":  # which gives advice
            continue
        tree = ast.parse(source)
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if text and id(node) not in docs:
                yield node.value


def test_every_macro_is_queried_by_python_or_is_a_port_or_is_only_for_sql():
    """A new macro must be one of these: what Python computes as well is a port."""
    asked = _with_parts(_called("\n".join(_queries())))
    alone = set().union(*SQL_ONLY.values())
    assert alone & (asked | PORTS.keys()) == set()
    known = asked | _with_parts(PORTS) | _with_parts(alone)
    assert {one.name for one in declarations()} - known == set()
    about = {one.name: one.about for one in declarations()}
    assert {name: about[name] for name in alone} == {
        name: topic for topic, names in SQL_ONLY.items() for name in names
    }


@pytest.fixture(scope="module")
def systems(bundled):
    return {name: bundled / f"{name}.talp" for name in ("cautious", "eager")}


@pytest.fixture(scope="module")
def text(bundled):
    return formats.read_bitext(bundled / "text.en", bundled / "text.fr")


def test_measures(systems, bundled):
    counts = links.score(systems, bundled / "gold.talp").counts
    columns = [counts[name].to_numpy() for name in measures.MEASURED]
    n_hyp, n_sure, n_hyp_sure, n_hyp_possible = columns
    wanted = [
        measures.precision(n_hyp, n_hyp_possible),
        measures.recall(n_sure, n_hyp_sure),
        measures.aer(*columns),
        measures.f_alpha(0.3, *columns),
    ]
    every = ", ".join(measures.MEASURED)
    with connected(counts=counts) as con:
        found = con.execute(f"""
            select
              alignment_precision(n_hyp, n_hyp_possible), alignment_recall(n_sure, n_hyp_sure),
              aer({every}), f_alpha(0.3, {every}), unnest(link_figures(0.3, {every}))
            from counts order by system, sid
        """).fetchnumpy()
    for mine, theirs in zip(found.values(), wanted * 2, strict=True):
        np.testing.assert_array_equal(np.ma.filled(mine, np.nan), theirs)
    names = [figure.name for figure in measures.link_figures({"f": 0.3})]
    assert [*found][4:] == names


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ("align_dic1('mine', 'words')", "align-dic1"),
        ("text_dictionary('mine', 'words')", "text-dic1"),
        ("text_dictionary('mine', 'words', kind := 'exhaustive')", "text-dic2"),
        ("text_dic1('mine', 'words')", "text-dic1"),
        ("text_dic2('mine', 'words')", "text-dic2"),
    ],
)
def test_dictionaries(systems, text, asked, kind):
    mine = links.read(systems["cautious"])
    wanted = phrases.dictionary({"cautious": mine}, text, kind)
    with connected(mine=mine, words=text) as con:
        found = con.sql(f"select * replace ('cautious' as system) from {asked}").pl()
    columns = found.columns
    assert found.sort(columns).rows() == wanted.select(columns).sort(columns).rows()


def test_classes_of_entries(systems, text):
    gold = systems["eager"].with_name("forward.talp")
    both = [formats.read(path, system=name) for name, path in systems.items()]
    tables = {"hyp": pa.concat_tables(both), "gold": formats.read(gold)}
    with connected(**tables, words=text) as con:
        for table in tables:
            con.execute(f"create table {table}_of as from phrase_entries('{table}', 'words')")
        found = con.execute("from entry_classes('hyp_of', 'gold_of', 'words')").fetchall()
    wanted = phrases.study(systems, gold, text).classes.filter(dictionary="text-dic1")
    assert found == wanted.drop("dictionary").rows()
    assert all(sizes[1] == sizes[2] + sizes[3] > 0 for sizes in found)


@pytest.mark.parametrize(("macro", "average"), [("bible(", "types"), ("bible_by_token(", "tokens")])
def test_lexicons(text, macro, average):
    train, test = text.slice(0, 60), text.slice(60)
    induced = lexicon.induce(train, n_best=3)
    wanted = lexicon.score(induced, test, k=3, average=average).scores
    with connected(induced=induced, test=test) as con:
        found = con.sql(f"from {macro}'induced', 'test', 3)").pl()
    for name in found.columns:
        np.testing.assert_allclose(found[name], wanted[name], rtol=0, atol=1e-12)


def test_f_of_bags():
    given = [(0.0, 2.0, 3.0), (1.5, 2.0, 3.0), (2.0, 2.0, 2.0), (0.5, 4.0, 1.0)]
    table = pa.table(dict(zip(("m", "h", "r"), zip(*given, strict=True), strict=True)))
    with connected(bags=table) as con:
        for weight in (0.0, 0.3, 1.0):
            found = con.execute(f"select tesla_f(m, h, r, {weight}) from bags").fetchall()
            wanted = [float(f_measure(*row, weight)) for row in given]
            assert [one for (one,) in found] == pytest.approx(wanted, abs=1e-12)


def test_mean_scores():
    rng = np.random.default_rng(4)
    frame = pl.DataFrame(
        {
            "system": np.repeat(["a", "b", "c"], 5),
            "sid": np.tile(np.arange(5), 3),
            "score": rng.random(15),
        }
    ).with_columns(score=pl.when(pl.col("sid") != 3).then("score"))
    made = Segments(["a", "b", "c"], lambda: frame, "alignframe:|metric:tesla-m")
    wanted = scores_of(made, bootstrap=0).scores
    with connected(segments=frame) as con:
        found = con.execute("from tesla_scores('segments')").fetchall()
    for one, other in zip(found, wanted.select("system", "score", "segments").rows(), strict=True):
        assert one == pytest.approx(other, abs=1e-12)


def test_probabilities_of_phrases():
    table = pl.DataFrame(
        {
            "src": [["a"], ["a"], ["b", "c"]],
            "tgt": [["x"], ["y"], ["x"]],
            "n_both": [3, 1, 2],
            "n_src": [4, 4, 2],
            "n_tgt": [5, 1, 5],
            "lex_src": [0.5, 0.25, 0.125],
            "lex_tgt": [0.1, 0.2, 0.3],
        }
    )
    wanted = mt.probabilities(table)
    with connected(phrases=table.to_arrow()) as con:
        found = con.sql("from phrase_probabilities('phrases')").pl()
    assert sorted(found.select(wanted.columns).rows()) == sorted(wanted.rows())


def test_types_of_beads(bundled):
    beads = formats.read_beads(bundled.parent / "mill" / "mill.beads")
    with connected(beads=beads) as con:
        found = con.execute("select type, beads from bead_types('beads')").fetchall()
    assert dict(found) == count_types(beads)
