"""Common rules of all areas: names, checks, inputs and results."""

from __future__ import annotations

import gzip
import inspect
import pickle
import re

import polars as pl
import pytest
from helpers.cli import json_of, run
from rich.console import Console

import alignframe as af
from alignframe import beads, formats, links, mt, phrases, tesla
from alignframe.cli import show
from alignframe.cli.commands import GROUPS
from alignframe.errors import DataWarning, InputError, in_file, unknown_name
from alignframe.lake.plan import How, JobOptions
from alignframe.language.analysis import Analysis, AnalysisOptions
from alignframe.mt.measures import MetricOptions

ONE = ["0-0 1-1"]
SAID = ["the cat sat"]


@pytest.mark.parametrize(
    ("call", "near"),
    [
        (lambda: links.score(ONE, ONE, by=["lenght"]).scores, "length"),
        (lambda: links.score({"forward": ONE, "b": ONE}, ONE).compare("forwards"), "forward"),
        (lambda: mt.score(SAID, SAID, metrics=["blue"]).scores, "bleu"),
        (lambda: mt.score(SAID, SAID, by=["sids"]).scores, "sid"),
        (lambda: mt.score(SAID, SAID, metrics=["BLEU"]).scores, "bleu"),
        (lambda: tesla.score(SAID, SAID, "M").scores, "m"),
        (lambda: tesla.score(SAID, SAID, by=["lengths"]).scores, "length"),
        (lambda: formats.read("x.talp", "pharoah"), "pharaoh"),
        (lambda: phrases.score(ONE, ONE, None, dictionaries=["align-dic"]), "align-dic1"),
        (lambda: beads.align(SAID, SAID, method="mre++"), "mre+"),
        (lambda: links.symmetrize(ONE, ONE, "grow-dia"), "grow-diag"),
        (lambda: links.symmetrize(ONE, ONE, "gdfa"), "grow-diag-final-and"),
        (lambda: formats.read("x.talp", "wpt"), "naacl"),
        (lambda: formats.write_beads([(0, 1, 0, 1)], "x", "hunalign"), "ladder"),
    ],
)
def test_an_unknown_name_suggests_the_closest_one(call, near):
    with pytest.raises(InputError, match=re.escape(f"did you mean '{near}'")):
        call()


def test_nothing_is_suggested_without_a_close_name():
    assert str(unknown_name("metric", "zzz", ["bleu"])) == "unknown metric 'zzz'; expected bleu"


def lazily(path):
    with in_file(path):
        yield from (1, 2)
        raise InputError("the end")


def by_line(lines, path=None):
    with in_file(path) as place:
        for place.line, call in enumerate(lines, 1):
            call()


def raised(call):
    with pytest.raises(InputError) as caught, in_file("outer"):
        call()
    return pickle.loads(pickle.dumps(caught.value))


def fail(*place, **where):
    for path in place:
        with in_file(path):
            fail(**where)
    raise InputError("bad", expected="good", **where)


@pytest.mark.parametrize(
    ("call", "text", "line"),
    [
        (lambda: fail(), "outer: bad; expected good", None),
        (lambda: fail(line=3), "outer:3: bad; expected good", 3),
        (lambda: fail("inner", line=3), "inner:3: bad; expected good", 3),
        (lambda: fail("inner", line=3, path="own"), "own:3: bad; expected good", 3),
        (lambda: fail(""), "bad; expected good", None),
        (lambda: by_line([str, fail]), "outer:2: bad; expected good", 2),
        (lambda: by_line([str, fail], "inner"), "inner:2: bad; expected good", 2),
        (lambda: by_line([lambda: fail(line=9)]), "outer:9: bad; expected good", 9),
        (lambda: by_line([lambda: fail("inner")]), "inner: bad; expected good", None),
        (lambda: fail(pl.DataFrame(), line=3), "outer:3: bad; expected good", 3),
        (lambda: fail("s3://a:b@c/d?key=e"), "s3://***@c/d?key=***: bad; expected good", None),
        (lambda: list(lazily("inner")), "inner: the end", None),
        (lambda: [fail(line=one) for one in lazily("inner")], "outer:1: bad; expected good", 1),
    ],
)
def test_an_error_names_the_innermost_file_also_from_another_process(call, text, line):
    error = raised(call)
    assert (str(error), error.line) == (text, line)


def test_columns_of_links_are_not_suggested_for_grouping():
    with pytest.raises(InputError) as error:
        links.score(ONE, ONE, by=["colour"]).scores
    assert "expected one of length, sid" in str(error.value)
    assert "links" not in str(error.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda **given: links.score(ONE, ONE, **given).scores,
        lambda **given: mt.score(SAID, SAID, tokenize="none", **given).scores,
        lambda **given: tesla.score(SAID, SAID, **given).scores,
        lambda **given: beads.score([(0, 1, 0, 1)], [(0, 1, 0, 1)], **given).scores,
        lambda **given: af.stats.correlate(ONE, {"a": 1.0}, **given),
    ],
)
@pytest.mark.parametrize("given", [{"confidence": 95}, {"seed": -1}, {"bootstrap": -1}])
def test_interval_options_are_checked_even_without_intervals(call, given):
    with pytest.raises(InputError, match=r"confidence|seed|bootstrap"):
        call(**({"bootstrap": 0} | given))


REF = ["the cat sat down", "a dog ran"]
GOOD, POOR = ["the cat sat", "a dog ran"], ["x", "y"]
TABLES = {
    "a dict of columns": {"text": GOOD},
    "sentences in another order": {"sid": [1, 0], "text": GOOD[::-1]},
    "a list of dicts": [{"text": text} for text in GOOD],
    "a frame": pl.DataFrame({"sid": [1, 0], "text": GOOD[::-1], "genre": ["x", "y"]}),
}
SEVERAL = {
    "a dict of columns": {"system": ["a", "b"] * 2, "sid": [0, 0, 1, 1], "text": ["", "", *POOR]},
    "a frame": pl.DataFrame({"system": ["a", "b"] * 2, "sid": [0, 0, 1, 1], "text": [*POOR] * 2}),
    "by name": {"a": {"text": POOR}, "b": pl.DataFrame({"text": POOR})},
}


WORDS = Analysis.of(tagger="none")


def figures(hyp, ref=REF):
    """Return the systems and scores from BLEU and chrF, and from TESLA."""
    translated = mt.score(hyp, ref, metrics="chrf", tokenize="none").scores
    matched = tesla.score(hyp, ref, analysis=WORDS, bootstrap=0).scores
    return [
        translated.sort("system").select("system", "chrf"),
        matched.sort("system").select("system", "score"),
    ]


@pytest.mark.parametrize("given", TABLES)
def test_all_metrics_read_a_table_of_translations_alike(given, tmp_path):
    expected = figures(GOOD)
    path = tmp_path / "hypothesis.en.jsonl"
    pl.DataFrame(TABLES[given]).write_ndjson(path)
    for source in (TABLES[given], path):
        for one, two in zip(figures(source), expected, strict=True):
            assert one.equals(two)


def test_references_are_numbered_too():
    ref = {"sid": [7, 3], "text": REF, "genre": ["x", "y"]}
    hyp = {"sid": [3, 7], "text": GOOD[::-1]}
    for one, two in zip(figures(hyp, ref), figures(GOOD), strict=True):
        assert one.equals(two)
    found = tesla.score(hyp, ref, by=["sid", "genre"], bootstrap=0).scores
    assert found.select("sid", "genre").rows() == [(3, "y"), (7, "x")]
    for area in (mt, tesla):
        with pytest.raises(InputError, match="lacks sentence 3"):
            area.score(GOOD, ref)


@pytest.mark.parametrize("given", SEVERAL)
def test_a_column_system_names_the_systems_everywhere(given):
    for frame in figures(SEVERAL[given]):
        assert frame["system"].to_list() == ["a", "b"]
    if given != "by name":
        for frame in figures({"mine": SEVERAL[given]}):
            assert frame["system"].to_list() == ["mine/a", "mine/b"]
    links_of = {"system": ["a", "b"], "sid": [0, 0], "links": ["0-0", "0-0"]}
    assert links.score({"mine": links_of}, ["0-0"]).scores["system"].to_list() == [
        "mine/a",
        "mine/b",
    ]


@pytest.mark.parametrize("ref", ["ref.en", "ref.txt", "ref.fr.gz"])
def test_a_system_is_named_after_its_file_whatever_the_reference(ref, tmp_path):
    hyp = tmp_path / "sys.v2.en.gz"
    with gzip.open(hyp, "wt") as file:
        file.write("\n".join(GOOD) + "\n")
    with (gzip.open if ref.endswith(".gz") else open)(tmp_path / ref, "wt") as file:
        file.write("\n".join(REF) + "\n")
    for frame in (*figures(hyp, tmp_path / ref), *figures([hyp], [tmp_path / ref])):
        assert frame["system"].to_list() == ["sys.v2"]
    for command in (["mt", "score", "--tokenize", "none"], ["tesla", "score"]):
        rows = json_of(run(*command, "--hyp", hyp, "--ref", tmp_path / ref, "--json")[0])
        assert [row["system"] for row in rows] == ["sys.v2"]


def table_file(folder):
    """Write a reference as a table with genres, and a translation; return their paths."""
    ref, hyp = folder / "ref.csv", folder / "hyp.txt"
    pl.DataFrame({"sid": [0, 1], "text": REF, "genre": ["x", "y"]}).write_csv(ref)
    hyp.write_text("\n".join(GOOD) + "\n", "utf-8")
    return "--ref", ref, "--hyp", hyp


def test_tesla_groups_by_any_column_in_the_shell_too(tmp_path):
    given = table_file(tmp_path)
    rows = json_of(run("tesla", "score", *given, "--by", "genre", "--json")[0])
    found = tesla.score(given[3], given[1], by="genre").scores
    assert [row["score"] for row in rows] == found["score"].to_list()
    assert [row["genre"] for row in rows] == ["x", "y"]
    assert rows[0]["signature"] == found["signature"][0]
    assert "genre" in run("tesla", "score", *given, "--by", "genre")[0]
    words = ("--by", "genre", "--baseline", "hyp")
    assert (
        "--baseline with --by; expected one of them"
        in run("tesla", "score", *given, *words, code=2)[1]
    )


def test_counts_have_a_signature(tmp_path):
    given = table_file(tmp_path)
    for name in ("hyp.talp", "gold.talp"):
        (tmp_path / name).write_text("0-0 1-1\n0-0\n", "utf-8")
    (tmp_path / "x.beads").write_text("[0]:[0]\n[1]:[1]\n", "utf-8")
    commands = {
        "bleu,chrf": ("mt", "score", "--counts", *given, "--tokenize", "none", "--by", "genre"),
        "links": "links score --counts --gold gold.talp --hyp hyp.talp --by length".split(),
        "beads": ("beads", "score", "--counts", "--gold", "x.beads", "--hyp", "x.beads"),
    }
    for metric, command in commands.items():
        rows = json_of(run(*command, "--json", folder=tmp_path)[0])
        assert f"|metric:{metric}|" in rows[0]["signature"]
        score = [word if word != "counts" else "score" for word in command]
        scored = json_of(run(*score, "--json", folder=tmp_path)[0])
        assert scored[0]["signature"] == rows[0]["signature"]


def test_the_terminal_shows_the_count_columns_that_fit(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(Console, "is_terminal", True)
    frame = mt.score(GOOD, REF, tokenize="none").counts
    words = {"output": None, "as_json": False}
    show.show_pieces(show.table_pieces(frame, words, "counts", "Counts"), words)
    printed, said = capsys.readouterr()
    lines = re.sub(r"\x1b\[[0-9;]*m", "", printed).splitlines()
    table, caption = lines[:-1], lines[-1]
    assert max(map(len, table)) <= 80
    assert caption == frame["signature"][0]
    assert printed.count("system") == 1
    assert "columns more (-o FILE and --json have them all)" in said


def test_singular_and_plural(tmp_path):
    rows = run("sql", "select 1 as x", "-o", tmp_path / "x.csv")[1]
    assert "1 row written" in rows
    assert "No such option" in run("sql", "select 1", "--set", "signature=long", code=2)[1]
    given = table_file(tmp_path)
    words = ("--tokenize", "none", "--by", "genre")
    assert "Translation scores, 1 sentence per group" in run("mt", "score", *given, *words)[0]


WRONG_LINKS = [
    {"sid": [0], "src": [0], "tgt": [0]},
    pl.DataFrame({"sid": [0], "i": [0]}),
    {"i": [0], "j": [0]},
    [{"sid": 0, "src": 1}],
    pl.DataFrame({"links": ["0-0"]}),
]


@pytest.mark.parametrize("given", WRONG_LINKS)
def test_links_with_other_columns_cause_an_error_with_those_expected(given):
    for hyp, gold in ((given, ONE), (ONE, given)):
        with pytest.raises(InputError, match="expected sid, i and j"):
            links.score(hyp, gold).scores


def test_summaries_of_commands_are_sentences_within_80_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for group in ((), *((name,) for name in GROUPS)):
        shown = run(*group, "--help")[0].partition("Commands:")[2]
        assert shown
        assert not [line for line in shown.splitlines() if line.endswith("...")]


def found_in_every_area(folder):
    """Return a result of each area, and the suffixes that it can be written with."""
    src, tgt = ["the house is small", "the house"] * 3, ["la maison est petite", "la maison"] * 3
    (folder / "given.talp").write_text("0-0 1-1\n0-0\n", "utf-8")
    (folder / "given.beads").write_text("[0]:[0]\n[1]:[1]\n", "utf-8")
    return [
        (formats.read(folder / "given.talp"), ".talp"),
        (formats.scan(folder / "given.talp"), ".naacl"),
        (formats.read_beads(folder / "given.beads"), ".ladder"),
        (links.symmetrize(ONE, ONE), ".parquet"),
        (links.score(ONE, ONE).counts, ".parquet"),
        (links.score(ONE, ONE).scores, ".csv"),
        (pl.LazyFrame({"sid": [0], "i": [0], "j": [0]}), ".talp"),
        (af.aligners.align(src, tgt, model="ibm1"), ".talp"),
        (phrases.extract(ONE), ".parquet"),
        (af.lexicon.induce(src, tgt), ".csv"),
        (beads.align(src, tgt), ".beads"),
        (beads.filter(src, tgt, method="len").lines, ".jsonl"),
        (mt.score(GOOD, REF, tokenize="none").counts, ".tsv"),
        (tesla.analyse(GOOD), ".parquet"),
        (tesla.score(GOOD, REF, bootstrap=0).scores, ".jsonl"),
    ]


def test_every_result_can_be_written(tmp_path):
    for number, (found, suffix) in enumerate(found_in_every_area(tmp_path)):
        path = tmp_path / f"{number}{suffix}"
        formats.write(found, path)
        assert path.stat().st_size > 0, (number, suffix)
    one, two = (formats.read(tmp_path / name)["links"] for name in ("0.talp", "given.talp"))
    assert one.equals(two)
    assert formats.read_beads(tmp_path / "2.ladder").num_rows == 2
    assert pl.read_csv(tmp_path / "5.csv")["precision"].to_list() == [1.0]
    assert "metric:links" in pl.read_csv(tmp_path / "5.csv")["signature"][0]
    formats.write(tesla.score(GOOD, REF, bootstrap=0), tmp_path / "result")
    assert (tmp_path / "result" / "scores.parquet").exists()


@pytest.mark.parametrize(
    ("given", "path", "said"),
    [
        (pl.DataFrame({"a": [1]}), "x.talp", ".parquet, .csv, .tsv or .jsonl"),
        (pl.DataFrame({"a": [[1]]}), "x.csv", "the column a, which holds lists"),
        (["0-0"], "x.talp", "a list of str"),
        (3, "x.talp", "type int"),
    ],
)
def test_other_objects_are_not_written(given, path, said, tmp_path):
    with pytest.raises(InputError, match=re.escape(said)):
        formats.write(given, tmp_path / path)
    assert not (tmp_path / path).exists()


def public():
    """Return every public function, class and method, by path."""
    for area in (af, *(one for one in map(af.__dict__.get, dir(af)) if inspect.ismodule(one))):
        for name in dir(area):
            one = getattr(area, name)
            if inspect.isclass(one):
                own = {f"{name}.{n}": f for n, f in vars(one).items() if n[0] != "_"}
                yield from ((path, f) for path, f in own.items() if inspect.isfunction(f))
            elif inspect.isfunction(one):
                yield f"{area.__name__}.{name}", one


def test_public_parameters_have_types():
    forwarded = set()
    for path, function in public():
        for one in inspect.signature(function).parameters.values():
            if one.kind is one.VAR_KEYWORD:
                if "Unpack" not in one.annotation:
                    forwarded.add(path)
            elif one.name not in ("self", "cls"):
                assert one.annotation not in (one.empty, "Any"), (path, one.name)
    # Options that are passed on to another function and documented there; no more than these.
    assert 0 < len(forwarded) <= 16, sorted(forwarded)


@pytest.mark.parametrize(
    ("typed", "taken", "besides"),
    [
        (AnalysisOptions, Analysis.of, set()),
        (JobOptions, How, set()),
        (MetricOptions, mt.Options, set()),
    ],
)
def test_typed_keywords_are_the_parameters(typed, taken, besides):
    assert {*typed.__annotations__} == {*inspect.signature(taken).parameters} - besides


LACKING = ["the house", None, "a dog"]
WHOLE = ["la maison", "le chat", "un chien"]


@pytest.mark.parametrize(
    "given",
    [LACKING, pl.Series(LACKING), pl.Series([["a"], None, ["b"]])],
    ids=["list", "texts", "words"],
)
@pytest.mark.parametrize(
    "call",
    [
        lambda one: af.aligners.align(one, WHOLE),
        lambda one: af.aligners.align(pl.DataFrame({"src": one, "tgt": WHOLE}, strict=False)),
        lambda one: af.lexicon.induce(one, WHOLE),
        lambda one: af.lexicon.upper_bound(WHOLE, one),
        lambda one: af.mt.score(one, WHOLE, tokenize="none").scores,
        lambda one: tesla.score(one, WHOLE).scores,
        lambda one: af.language.analyse(one),
    ],
)
def test_a_missing_sentence_is_not_an_empty_one(call, given):
    said = r"missing|is None|no text of sentence 1|not lists of words"
    with pytest.raises(InputError, match=said):
        call(given)


@pytest.mark.parametrize(
    "call",
    [
        lambda one: beads.align(one, WHOLE),
        lambda one: beads.align({"text": one}, WHOLE),
        lambda one: beads.filter(one, WHOLE),
        lambda one: beads.noise("delete", one, WHOLE, src_rate=0.1),
        lambda one: af.language.tokens(one),
        lambda one: links.score(["0-0", None, "1-1"], ["0-0"] * 3).scores,
        lambda one: links.score(pl.Series(["0-0", None, "1-1"]), ["0-0"] * 3).scores,
    ],
)
def test_a_missing_text_is_not_an_empty_one(call):
    with pytest.raises(InputError, match=r"sentence 1 \(counted from 0\)"):
        call(LACKING)


@pytest.mark.parametrize("mark", [",", "\t"])
def test_an_empty_cell_of_a_text_file_is_an_empty_sentence(mark, tmp_path):
    path = tmp_path / ("text.csv" if mark == "," else "text.tsv")
    path.write_text(f"src{mark}tgt\nthe house{mark}la maison\na dog{mark}\n", "utf-8")
    with pytest.warns(DataWarning, match="1 pair with an empty side"):
        assert af.lexicon.induce(path).height == 4
    path.write_text(f"sid{mark}text\n0{mark}the house\n1{mark}\n", "utf-8")
    found = beads.align(path, ["la maison"])
    assert found["src_end"].max() == 2
    lines = tmp_path / "text.jsonl"
    lines.write_text('{"text": "the house"}\n{"text": null}\n', "utf-8")
    with pytest.raises(InputError, match=r"sentence 1 .* is missing"):
        beads.align(lines, ["la maison"])


def test_a_string_is_not_a_list_of_sentences(tmp_path):
    for call in (
        lambda: af.language.tokens("the cat"),
        lambda: af.language.analyse("the cat"),
        lambda: formats.write_sentences("the cat", tmp_path / "cat.txt"),
    ):
        with pytest.raises(InputError, match="one text; expected a list of sentences"):
            call()


def test_beads_without_a_score_are_counted():
    spans = {"src_start": [0, 1], "src_end": [1, 2], "tgt_start": [0, 1], "tgt_end": [1, 2]}
    for missing in (None, float("nan")):
        hyp = pl.DataFrame(spans | {"score": [0.9, missing]})
        with pytest.warns(DataWarning, match="1 bead of 2 without a score left out"):
            assert beads.calibration(hyp, hyp)["beads"].sum() == 1


def test_a_dict_of_columns_is_a_lexicon():
    text = ["the house"], ["la maison"]
    columns = {"src": ["house", "the"], "tgt": ["maison", "la"], "rank": [1, 1]}
    found = af.lexicon.score(columns, text, k=1).scores
    assert found.equals(af.lexicon.score(pl.DataFrame(columns), text, k=1).scores)
    assert af.lexicon.score({"mine": columns}, text, k=1).scores["lexicon"].to_list() == ["mine"]
    with pytest.raises(InputError, match="the columns src, tgt; expected the column rank"):
        af.lexicon.score({"src": ["house"], "tgt": ["maison"]}, text)
