"""Lexicons merged with a dictionary, and words whose best translation changes."""

import html
import warnings

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.cli import json_of, run
from helpers.lexicon import as_lexicon, merge
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import lexicon_evaluation as slow

from alignframe import lexicon
from alignframe.errors import DataWarning, InputError
from alignframe.lexicon import WordList, changes
from alignframe.lexicon.merge import FIRST
from alignframe.lexicon.sources import read_lexicon

TEXT = "The dog sleeps\nA dog barks\nThe cat sleeps\nA cat sees the dog\n"
TARGET = "Le chien dort\nUn chien aboie\nLe chat dort\nUn chat voit le chien\n"


def merged(induced, listed, first):
    """Return rows of src, tgt, rank, origin, by sets."""
    ranks = {(src, tgt): rank for src, tgt, rank in induced}
    places = {(src, tgt): rank for src, tgt, rank in listed}
    tiers = {
        "induced": [{"both", "induced"}, {"dictionary"}],
        "dictionary": [{"both", "dictionary"}, {"induced"}],
        "agreed": [{"both"}, {"induced"}, {"dictionary"}],
    }[first]
    rows = []
    for word in sorted({src for src, _ in {**ranks, **places}}, key=str.encode):
        scored = []
        for pair in {one for one in {**ranks, **places} if one[0] == word}:
            known = pair in ranks, pair in places
            origin = {(True, True): "both", (True, False): "induced"}.get(known, "dictionary")
            tier = next(k for k, kinds in enumerate(tiers) if origin in kinds)
            scored.append((tier, ranks.get(pair, 99), places.get(pair, 99), pair[1], origin))
        rows += [(word, one[3], k, one[4]) for k, one in enumerate(sorted(scored), 1)]
    return rows


@settings(max_examples=3)
@given(slow.lexicons(), slow.lexicons(), st.sampled_from(FIRST), st.integers(1, 4))
def test_merging_equals_sets(induced, listed, first, most):
    words = pl.DataFrame([row[:2] for row in listed], ["src", "tgt"], orient="row")
    order = as_lexicon(words).select(["src", "tgt", "rank"]).to_pylist()
    ranked = [(one["src"], one["tgt"], one["rank"]) for one in order]
    wanted = [row for row in merged(induced, ranked, first) if row[2] <= most]
    found = pl.DataFrame(merge(slow.frame(induced), words, first=first, n_best=most))
    assert found.select("src", "tgt", "rank", "origin").rows() == wanted


def test_a_word_list_as_a_lexicon(tmp_path):
    (tmp_path / "words.tsv").write_text("b\tx\na\ty\na\tx\na\ty\n")
    wanted = [("a", "y", 1), ("a", "x", 2), ("b", "x", 1)]
    path = tmp_path / "words.tsv"
    for source in (path, WordList(path), pl.DataFrame({"src": list("baa"), "tgt": list("xyx")})):
        assert pl.DataFrame(as_lexicon(source)).rows() == wanted


def test_a_dictionary_with_the_target_word_first_is_told():
    rows = [(f"s{k}", f"t{k}") for k in range(8)]
    words = pl.DataFrame(rows, ["src", "tgt"], orient="row")
    induced = words.with_columns(rank=pl.lit(1))
    with pytest.warns(DataWarning, match="0 of its pairs are in the lexicon, and 8 if its sides"):
        merge(induced, words.select(src="tgt", tgt="src"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        merge(induced, words)


def test_metadata_of_a_merged_lexicon():
    induced = pa.table({"src": ["a"], "tgt": ["x"], "rank": [1], "llr": [2.5], "origin": ["old"]})
    words = pl.DataFrame({"src": ["a", "b"], "tgt": ["y", "y"]})
    found = merge(induced, words, first="induced")
    assert pl.DataFrame(found).rows() == [
        ("a", "x", 1, "induced", 2.5),
        ("a", "y", 2, "dictionary", None),
        ("b", "y", 1, "dictionary", None),
    ]
    assert read_lexicon(found).n_best == 2
    assert b"lexicon:merged|first:induced|n-best:all" in found.schema.metadata[b"alignframe"]
    again = merge(found, pl.DataFrame({"src": ["b"], "tgt": ["z"]}), n_best=1)
    assert pl.DataFrame(again)["origin"].to_list() == ["induced", "dictionary"]
    assert read_lexicon(again).n_best == 1


@settings(max_examples=3)
@given(slow.lexicons(), slow.lexicons(), slow.texts)
def test_changes_equal_lists(one, other, text):
    def lists(rows):
        words = sorted({src for src, _, _ in rows}, key=str.encode)
        order = sorted(rows, key=lambda row: row[2])
        return {word: [tgt for src, tgt, _ in order if src == word] for word in words}

    before, after = lists(one), lists(other)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = changes({"plain": slow.frame(one), "new": slow.frame(other)}, slow.bitext(text))
    wanted = {}
    for word in before.keys() & after.keys():
        was, now = before[word][0], after[word][0]
        if was == now:
            continue
        pairs = [tgt for src, tgt in slow.full(text) if word in src]
        hits = [sum(best in tgt for tgt in pairs) for best in (was, now)]
        places = [
            ranked.index(best) + 1 if best in ranked else None
            for best, ranked in ((was, after[word]), (now, before[word]))
        ]
        lists_of = before[word], after[word]
        wanted[word] = ("new", "plain", word, was, now, *places, *lists_of, len(pairs), *hits)
    assert {row[2]: row for row in found.rows()} == wanted
    assert found.height == len(wanted)
    order = [(-abs(r[-1] - r[-2]), -r[-3], r[2].encode()) for r in found.rows()]
    assert order == sorted(order)


def test_each_lexicon_is_compared_with_the_first():
    rows = [("a", "x", 1)], [("a", "y", 1)], [("a", "x", 1)], [("a", "z", 1), ("a", "x", 2)]
    found = changes({name: slow.frame(one) for name, one in zip("pqrs", rows, strict=True)})
    assert found.select("lexicon", "baseline", "after", "before_place").rows() == [
        ("q", "p", "y", None),
        ("s", "p", "z", 2),
    ]
    assert "pairs" not in found.columns


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda lex, words: merge(lex, words, first="last"), "dictionary, induced, agreed"),
        (lambda lex, words: merge(lex, words, n_best=0), "`n_best`"),
        (lambda lex, words: merge(lex, words.drop("tgt")), "tgt"),
        (lambda lex, words: merge(lex, words.head(0)), "no rows"),
        (lambda lex, words: merge(lex, words.with_columns(tgt=None)), "no tgt"),
        (lambda lex, words: merge(words, words), "rank"),
        (lambda lex, words: changes({"one": lex}), "1 lexicon;"),
        (lambda lex, words: changes([lex, lex]), "mapping"),
        (lambda lex, words: changes({"a": lex, "b": words}), "rank"),
    ],
)
def test_bad_input(call, match):
    words = pl.DataFrame({"src": ["a"], "tgt": ["x"]})
    with pytest.raises(InputError, match=match):
        call(slow.frame([("a", "x", 1)]), words)


def test_merging_on_captions(corpora, tmp_path):
    """The paper's recipe: a lexicon induced with the dictionary as a filter, merged with it."""

    def text(name, pairs):
        sides = []
        for end in ("en", "fr"):
            path = corpora / "multi30k" / f"{name}.lc.norm.tok.{end}"
            lines = html.unescape(path.read_text("utf-8")).split("\n")[:pairs]
            sides.append([line.split() for line in lines])
        return pl.DataFrame({"src": sides[0], "tgt": sides[1]})

    # The most frequent words, since all of them take long to read.
    lines = (corpora / "muse-dict" / "en-fr.dict").read_text("utf-8").splitlines(True)
    (tmp_path / "en-fr.dict").write_text("".join(lines[:60_000]), "utf-8")
    words = WordList(tmp_path / "en-fr.dict")
    induced = lexicon.induce(text("train", 2000), n_best=5, filters=[words])
    both = merge(induced, words)
    found = lexicon.score(
        {"induced": induced, "dictionary": as_lexicon(words), "merged": both},
        text("test_2016_flickr", 300),
        5,
    ).scores
    figures = {(row["lexicon"], row["k"]): row for row in found.iter_rows(named=True)}
    for k in (1, 5):
        mine = figures["merged", k]
        for other in ("induced", "dictionary"):
            assert mine["percent_correct"] > figures[other, k]["percent_correct"]
            assert mine["covered_types"] > figures[other, k]["covered_types"]
        assert mine["precision"] > figures["dictionary", k]["precision"]
    # Induced words keep their order, so their hits are the same.
    known = {row["src"] for row in induced.rows(named=True)}
    other = pl.DataFrame(merge(induced, words, first="induced"))
    part = other.filter(pl.col("src").is_in(known), pl.col("origin") != "dictionary")
    assert part.select("src", "tgt", "rank").rows() == (
        pl.DataFrame(induced).select("src", "tgt", "rank").rows()
    )


@pytest.fixture
def files(tmp_path):
    for name, text in {"en": TEXT, "fr": TARGET, "words.tsv": "dog\tdort\ncow\tvache\n"}.items():
        (tmp_path / name).write_text(text.lower())
    cat = [("cat", "chat", 1)]
    pq.write_table(
        slow.frame([("dog", "le", 1), ("dog", "chien", 2), *cat]), tmp_path / "plain.parquet"
    )
    pq.write_table(slow.frame([("dog", "chien", 1), *cat]), tmp_path / "known.parquet")
    return tmp_path


JUDGED = ["--src", "en", "--tgt", "fr"]


def test_merge_command(files):
    words = ["lexicon", "merge", "--lexicon", "known.parquet", "--mrbd", "words.tsv"]
    run(*words, "-o", "all.parquet", folder=files)
    assert pq.read_table(files / "all.parquet").equals(
        merge(files / "known.parquet", files / "words.tsv")
    )
    assert "cow" in run(*words, "--n-best", 1, folder=files)[0]
    judged = ["lexicon", "score", *words[2:], "--lexicon", "all.parquet", *JUDGED]
    rows = json_of(run(*judged, "--json", folder=files)[0])
    assert [row["lexicon"] for row in rows if row["k"] == 1] == ["known", "all", "dictionary"]
    _, said = run(*judged, "--k", 2, code=2, folder=files)
    assert "--k is 2, the lexicon 'dictionary' has at most 1" in said
    _, said = run(*words, "--lexicon", "all.parquet", code=2, folder=files)
    assert "2 lexicons to merge with a dictionary; expected one" in said


def test_changes_command(files):
    pair = ["--lexicon", "plain.parquet", "--lexicon", "known.parquet"]
    words = ["lexicon", "changes", *pair]
    rows = json_of(run(*words, *JUDGED, "--json", folder=files)[0])
    given = {name: files / f"{name}.parquet" for name in ("plain", "known")}
    sides = [[line.split() for line in one.lower().splitlines()] for one in (TEXT, TARGET)]
    text = pl.DataFrame({"src": sides[0], "tgt": sides[1]})
    assert {row.pop("signature").partition("|")[2] for row in rows} == {
        "lexicon:changes|order:plain,known"
    }
    assert rows == changes(given, text).to_dicts()
    shown, _ = run(*words, *JUDGED, folder=files)
    assert rows[0]["src"] in shown
    assert "known" in shown
    for suffix in ("csv", "parquet"):
        run(*words, "-o", f"found.{suffix}", folder=files)
    assert pl.read_csv(files / "found.csv").height == len(rows)
    assert pl.read_parquet(files / "found.parquet")["after_list"].dtype == pl.List(pl.String)
    same = ["--lexicon", "a=plain.parquet", "--lexicon", "b=plain.parquet"]
    assert "no word" in run("lexicon", "changes", *same, folder=files)[1]
    _, said = run(*words, "--tgt", "fr", code=2, folder=files)
    assert "--tgt needs the other side: --src" in said
    _, said = run("lexicon", "changes", *pair[:2], code=2, folder=files)
    assert "1 lexicon;" in said
