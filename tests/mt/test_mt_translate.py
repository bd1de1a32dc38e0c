"""The decoder: against exhaustive search, its features against definitions, and bad input."""

import gzip
import math

import numpy as np
import polars as pl
import pytest
from helpers.cli import json_of, replaced, run
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe import mt, tesla
from alignframe.errors import DataWarning, InputError
from alignframe.mt.weights import weights_of, write_weights
from alignframe.tesla.estimate import write_arpa

TEXT = ["x y x", "y z", "z x y y", "x", "z z y x"]
LM = "lm.arpa"


@pytest.fixture(scope="module")
def lm(tmp_path_factory):
    """Return a language model of order three."""
    path = tmp_path_factory.mktemp("lm") / LM
    with pytest.warns(DataWarning, match="too small"):
        model = tesla.estimate_language_model(TEXT, 3)
    write_arpa(model, path)
    return tesla.read_language_model(path)


ORIENTATIONS = [(way, side) for side in ("previous", "next") for way in ("monotone", "swap")]


def table_of(pairs):
    """Return a phrase table of (source, target, count), with its own lexical weights."""
    n_src, n_tgt = {}, {}
    for src, tgt, n in pairs:
        n_src[src] = n_src.get(src, 0) + n
        n_tgt[tgt] = n_tgt.get(tgt, 0) + n
    return pl.DataFrame(
        {
            "src": [src.split() for src, _, _ in pairs],
            "tgt": [tgt.split() for _, tgt, _ in pairs],
            "n_both": [n for *_, n in pairs],
            "n_src": [n_src[src] for src, _, _ in pairs],
            "n_tgt": [n_tgt[tgt] for _, tgt, _ in pairs],
            "lex_src": [1 / (1 + n) for *_, n in pairs],
            "lex_tgt": [1 / (2 + len(tgt)) for _, tgt, _ in pairs],
            **{
                f"n_{way}_{side}": [(n * k) // 5 for *_, n in pairs]
                for k, (way, side) in enumerate(ORIENTATIONS)
            },
        }
    )


sources = st.lists(st.sampled_from("abc"), min_size=1, max_size=2).map(" ".join)
targets = st.lists(st.sampled_from("xyz"), min_size=1, max_size=4).map(" ".join)
tables = st.lists(
    st.tuples(sources, targets, st.integers(1, 5)),
    min_size=1,
    max_size=8,
    unique_by=lambda pair: pair[:2],
)
TUNED = [name for name in mt.FEATURES if name != "unknown"]
weightings = st.sampled_from([TUNED, [*TUNED, *mt.REORDERING]]).flatmap(
    lambda names: st.fixed_dictionaries(dict.fromkeys(names, st.floats(0.1, 1.0)))
)


def everything(words, table, weights, limit, lm):
    """Return the score of every derivation, and the best by target text."""
    rows = list(table.iter_rows(named=True))
    w = weights_of(weights)
    singles = {row["src"][0] for row in rows if len(row["src"]) == 1}
    found = []

    def lies(row, side, way):
        if row is None:
            return 0.0
        known = {name: row[f"n_{name}_{side}"] for name in ("monotone", "swap")}
        known["other"] = row["n_both"] - sum(known.values())
        return math.log((known[way] + 0.5) / (row["n_both"] + 1.5))

    def go(covered, begin, last, via, text, values):
        if len(covered) == len(words):
            way = "monotone" if last == len(words) else "other"
            values = {**values, f"{way}_next": values[f"{way}_next"] + lies(via, "next", way)}
            lm_score = logp(lm, text) * math.log(10)
            total = {**values, "lm": lm_score}
            found.append((sum(w[name] * total[name] for name in w), " ".join(text)))
            return
        gap = min(set(range(len(words))) - covered)
        for start in range(gap, len(words)):
            if start in covered or abs(start - last) > limit:
                continue
            for end in range(start + 1, len(words) + 1):
                span = set(range(start, end))
                if span & covered or (start != gap and end - gap > limit):
                    break
                for row in options(words[start:end]):
                    added = {name: values[name] + row[1].get(name, 0) for name in values}
                    added["distortion"] -= abs(start - last)
                    way = "monotone" if start == last else "swap" if end == begin else "other"
                    added[f"{way}_previous"] += lies(row[2], "previous", way)
                    added[f"{way}_next"] += lies(via, "next", way)
                    go(covered | span, start, end, row[2], text + row[0], added)

    def options(src):
        for row in rows:
            if row["src"] == src:
                yield (
                    row["tgt"],
                    {
                        "word_penalty": -len(row["tgt"]),
                        "phrase_penalty": 1,
                        "p_src": math.log(row["n_both"] / row["n_tgt"]),
                        "p_tgt": math.log(row["n_both"] / row["n_src"]),
                        "lex_src": math.log(row["lex_src"]),
                        "lex_tgt": math.log(row["lex_tgt"]),
                    },
                    row,
                )
        if len(src) == 1 and src[0] not in singles:
            yield src, {"word_penalty": -1, "phrase_penalty": 1, "unknown": -100}, None

    names = [*mt.FEATURES, *mt.REORDERING]
    go(frozenset(), None, 0, None, [], dict.fromkeys(names, 0.0))
    return sorted(found, reverse=True)


def logp(lm, words):
    import pyarrow as pa

    numbers = lm.numbers(pa.array(words, pa.string()))
    return lm.log10(np.array([0]), np.array([len(words)]), numbers)[0]


@given(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=4), tables, weightings, st.integers(0, 4)
)
def test_all_translations_come_in_order(lm, words, pairs, weights, limit):
    table = table_of(pairs)
    wanted = everything(words, table, weights, limit, lm)
    found = mt.translate(
        [words], table, lm, weights, pop=20_000, distortion=limit, options=50, n_best=10**5
    )
    assert found.height == len(wanted)
    assert found["score"].to_list() == pytest.approx([score for score, _ in wanted], abs=1e-9)
    assert sorted(found["text"]) == sorted(text for _, text in wanted)
    chosen = weights_of(weights)
    sums = sum(found[name] * chosen[name] for name in chosen)
    assert sums.to_list() == pytest.approx(found["score"].to_list(), abs=1e-9)


@settings(max_examples=4)
@given(st.lists(st.sampled_from("abcd"), min_size=5, max_size=7), tables, weightings)
def test_the_best_translation_needs_little_search(lm, words, pairs, weights):
    table = table_of(pairs)
    best = mt.translate([words], table, lm, weights, pop=1000, distortion=3)
    whole = mt.translate([words], table, lm, weights, pop=8_000, distortion=3)
    assert best["score"][0] == pytest.approx(whole["score"][0], abs=1e-9)


def test_derivations_of_equal_score_do_not_multiply(lm):
    table = table_of([(src, tgt, 1) for src in "abc" for tgt in "xyz"])
    weights = {**dict.fromkeys(TUNED, 0.0), "word_penalty": 0.57}
    found = mt.translate(["a b c " * 10], table, lm, weights, distortion=6, n_best=50)
    assert found["score"].to_list() == pytest.approx([-0.57 * 30] * 50)


def test_sentences_of_any_length_in_any_number_of_threads(lm):
    table = table_of([("a", "x", 2), ("a", "y", 1), ("a b", "z", 1), ("b", "y", 2)])
    texts = ["", "a b", "a b " * 500, "c", *(["b a a"] * 40)]
    found = mt.translate(texts, table, lm, pop=10)
    assert found["sid"].to_list() == list(range(44))
    assert found["text"][0] == ""
    assert found["unknown_words"].to_list()[:4] == [0, 0, 0, 1]
    assert found["text"][3] == "c"
    assert mt.translate(texts, table, lm, pop=10, threads=3).equals(found)
    assert mt.translate([], table, lm).height == 0


def test_a_higher_distortion_weight_keeps_the_order(lm):
    table = table_of([("a", "z", 1), ("b", "x", 1)])
    flat = dict.fromkeys(mt.FEATURES, 0.0)
    crossed = mt.translate(["a b"], table, lm, {**flat, "lm": 1.0})["text"][0]
    assert crossed == "z x" or crossed == "x z"
    assert mt.translate(["a b"], table, lm, {**flat, "distortion": 9.0})["text"][0] == "z x"
    assert mt.translate(["a b"], table, lm, {**flat, "lm": 1.0}, distortion=0)["text"][0] == "z x"


def test_a_model_without_unknown_words(lm, tmp_path):
    """Words missing from it have the probability of its rarest word, and are no context."""
    lines = ["\\data\\", "ngram 1=4", "ngram 2=1", "", "\\1-grams:"]
    lines += [
        "-9 <s> -0.5",
        "-1 </s>",
        "-1 x -0.3",
        "-2 y",
        "",
        "\\2-grams:",
        "-0.1 x y",
        "",
        "\\end\\",
    ]
    (tmp_path / LM).write_text("\n".join(lines) + "\n")
    with pytest.warns(DataWarning, match="no <unk>"):
        model = tesla.read_language_model(tmp_path / LM)
    table = table_of([("a", "x", 1), ("b", "y", 1), ("c", "q", 1)])
    weights = dict.fromkeys(mt.FEATURES, 0.0) | {"lm": 1.0}
    found = mt.translate(["a b c"], table, model, weights, distortion=0)
    total = -0.5 - 1 - 0.1 - 2 - 1
    assert found["lm"][0] == pytest.approx(total * math.log(10))
    assert found["score"][0] == pytest.approx(total * math.log(10))


@pytest.fixture
def folder(tmp_path, lm):
    """The files of a small system."""
    mt.write_phrase_table(
        table_of([("a", "x", 2), ("a", "y", 1), ("b", "z", 1)]), tmp_path / "t.gz"
    )
    with pytest.warns(DataWarning):
        model = tesla.estimate_language_model(TEXT, 2)
    write_arpa(model, tmp_path / LM)
    (tmp_path / "in").write_text("a b\n\nb c a\n")
    return tmp_path


def test_the_command_writes_texts_and_lists(folder):
    given = "mt", "translate", "--table", "t.gz", "--lm", LM, "in", "-o"
    told = json_of(run(*given, "out", "--json", folder=folder)[0])
    assert (told["sentences"], told["unknown_words"]) == (3, 1)
    lines = (folder / "out").read_text().splitlines()
    assert len(lines) == 3
    assert lines[1] == ""
    assert "c" in lines[2].split()
    assert run(*given, "-", folder=folder)[0].splitlines() == lines
    run(*given, "out.gz", folder=folder)
    assert gzip.decompress((folder / "out.gz").read_bytes()).decode().splitlines() == lines
    _, said = run(*replaced([*given, "x"], "--lm", "no.arpa"), code=2, folder=folder)
    assert "no.arpa: no such file; make it: alignframe lm TEXT -o no.arpa" in " ".join(said.split())
    for kind, cells in (("moses", 4), ("zmert", 3)):
        run(*given, "list.gz", "--n-best", "3", "--n-best-format", kind, folder=folder)
        listed = gzip.decompress((folder / "list.gz").read_bytes()).decode()
        rows = [line.split(" ||| ") for line in listed.splitlines()]
        assert [row[0] for row in rows] == ["0", "0", "0", "1", "2", "2", "2"]
        assert {len(row) for row in rows} == {cells}
    best = *given, "list", "--n-best", "3"
    for name, more in (("list", ["--n-best-format", "parquet"]), ("l.parq", []), ("l.parquet", [])):
        for words in (more, ["--n-best-format", "parquet"]):
            (folder / name).unlink(missing_ok=True)
            run(*replaced(best, "-o", name), *words, folder=folder)
            assert pl.read_parquet(folder / name).height == 7


def test_the_command_refuses_suffixes_of_what_it_does_not_write(folder):
    given = "mt", "translate", "--table", "t.gz", "--lm", LM, "in", "-o"
    best = "--n-best", "3"
    for name, more, said in (
        ("x.parquet", (), "the suffix '.parquet'; expected a suffix of text, such as .txt"),
        ("x.parq", (), "the suffix '.parq'; expected a suffix of text, such as .txt"),
        ("x.csv", best, "the suffix '.csv'; expected .parquet or a suffix of text, such as .txt"),
        (
            "x.parquet",
            (*best, "--n-best-format", "moses"),
            "the suffix '.parquet' for the format moses; expected a suffix of text, such as .txt",
        ),
        (
            "x.txt",
            (*best, "--n-best-format", "parquet"),
            "the suffix '.txt' for the format parquet; expected .parquet, .pq or .parq",
        ),
    ):
        error = run(*given, name, *more, code=2, folder=folder).stderr
        assert error == f"error: {name}: {said}\n"
        assert not (folder / name).exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"lm": 1.0}, "no weight of distortion"),
        (dict.fromkeys(mt.FEATURES, 1.0) | {"lmx": 1.0}, "did you mean 'lm'"),
        (dict.fromkeys(mt.FEATURES, math.nan), "nan"),
        ({**mt.FEATURES, "swap_next": 1.0}, "no weight of monotone_previous"),
    ],
)
def test_weights_of_other_features_are_refused(lm, given, said):
    with pytest.raises(InputError, match=said):
        mt.translate(["a"], table_of([("a", "x", 1)]), lm, given)


def test_weights_survive_a_round_trip(folder, lm):
    weights = {name: number / 7 for number, name in enumerate(mt.FEATURES, 1)}
    write_weights(weights, folder / "w.toml", "made\nby hand")
    assert weights_of(folder / "w.toml") == weights
    (folder / "w.toml").write_text("lm = 1\n")
    with pytest.raises(InputError, match=r"w.toml: no table \[weights\]"):
        weights_of(folder / "w.toml")
    (folder / "w.toml").write_text("lm = = 1\n")
    with pytest.raises(InputError, match="TOML"):
        weights_of(folder / "w.toml")


def test_a_language_model_of_another_language_causes_a_warning(lm):
    with pytest.raises(InputError, match="none of the table's target words"):
        mt.translate(["a"], table_of([("a", "q", 1)]), lm)
    with pytest.warns(DataWarning, match="33%"):
        mt.translate(["a"], table_of([("a", "q", 1), ("a", "r", 1), ("a", "x", 1)]), lm)


def test_reordering_needs_counts_of_orientations(lm):
    table = table_of([("a", "x", 1)])
    weights = {**mt.FEATURES, **mt.REORDERING}
    with pytest.raises(InputError, match="orientations"):
        mt.translate(["a"], table.drop("n_swap_next"), lm, weights)
    with pytest.raises(InputError, match="orientations"):
        mt.translate(["a"], table.with_columns(n_swap_next=pl.lit(2)), lm)


@pytest.mark.parametrize("wrong", [{"pop": 0}, {"distortion": 61}, {"options": 0}, {"n_best": 0}])
def test_bad_options(lm, wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        mt.translate(["a"], table_of([("a", "x", 1)]), lm, **wrong)


def test_impossible_figures_of_a_table_are_refused(lm):
    table = table_of([("a", "x", 1)])
    for name, value in (("lex_src", math.nan), ("n_src", 0), ("lex_tgt", None)):
        with pytest.raises(InputError, match=name):
            mt.translate(["a"], table.with_columns(pl.lit(value).alias(name)), lm)
    with pytest.raises(InputError, match="n_tgt"):
        mt.translate(["a"], table.drop("n_tgt"), lm)
