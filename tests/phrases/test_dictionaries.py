"""Phrase dictionaries and their scores, computed manually and on random text."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest
from helpers.formats import quietly
from helpers.sql import connected
from hypothesis import assume, example, given, settings
from reference import phrases as slow
from reference.paired import interval, p_value

from alignframe import formats, phrases
from alignframe.errors import DataWarning, InputError
from alignframe.stats.bootstrap import resample_sums

FIGURES = ["entries", "gold_entries", "precision", "recall", "f"]
MACROS = {"align-dic1": "align_dic1", "text-dic1": "text_dic1", "text-dic2": "text_dic2"}

# "the old cat" twice, once in another word order
TEXT = {
    0: (["the", "old", "cat"], ["le", "chat", "vieux"]),
    1: (["the", "old", "cat"], ["le", "vieux", "chat"]),
    2: (["the", "the"], ["le", "la"]),
}
GOLD = {0: {(0, 0), (1, 2), (2, 1)}, 1: {(0, 0), (1, 1), (2, 2)}, 2: {(0, 0), (1, 0)}}
HYP = {0: {(0, 0), (1, 2), (2, 1)}, 1: {(0, 0)}, 2: {(0, 0), (1, 1)}}
BY_HAND = {
    "align-dic1": [
        (0, "cat", "chat", 1),
        (0, "old", "vieux", 1),
        (0, "the", "le", 1),
        (1, "cat", "chat", 1),
        (1, "old", "vieux", 1),
        (1, "the", "le", 1),
        (2, "the the", "le", 1),
    ],
    "text-dic1": [
        ("cat", "chat", 2),
        ("old", "vieux", 2),
        ("the", "le", 2),
        ("the the", "le", 1),
    ],
    "text-dic2": [
        ("cat", "chat", 2),
        ("old", "vieux", 2),
        ("the", "le", 2),
        ("old cat", "chat vieux", 1),
        ("old cat", "vieux chat", 1),
        ("the old", "le vieux", 1),
        ("the old cat", "le chat vieux", 1),
        ("the old cat", "le vieux chat", 1),
        ("the the", "le", 1),
    ],
}


def compared(hyp, gold, text, **options):
    """Return figures by system and dictionary."""
    frame = phrases.score(hyp, gold, text, **options).scores
    return {(row["system"], row["dictionary"]): row for row in frame.to_dicts()}


@settings(max_examples=4)
@given(slow.corpora())
def test_sentences_are_scored_by_their_own_dictionaries(made):
    text, rows = made
    gold = rows.pop("gold")
    hyp = {name: slow.nested(mine) for name, mine in rows.items()}
    names = list(phrases.DICTIONARIES)
    inputs = slow.nested(gold), slow.bitext(text)
    found = phrases.score(hyp, *inputs, by=["sid"], dictionaries=names).scores
    wanted = {}
    for system, mine in rows.items():
        for sid in gold:
            for name in names:
                one, two = (
                    slow.dictionary({sid: links[sid]}, text, name) for links in (mine, gold)
                )
                wanted[system, sid, name] = slow.score(one, two, name)
    shown = {row[:3]: row[3:-1] for row in found.rows()}
    assert list(shown) == sorted(shown, key=lambda key: (*key[:2], names.index(key[2])))
    assert shown.keys() == wanted.keys()
    for key, figures in shown.items():
        assert figures == pytest.approx(wanted[key]), key
    usual = phrases.score(hyp, *inputs, by=["sid"]).scores
    assert usual["dictionary"].unique().sort().to_list() == ["align-dic1", "text-dic2"]
    assert "by:sid" in usual["signature"][0]
    # The means over sentences equal the figures of align-dic1.
    means = found.filter(dictionary="align-dic1").group_by("system", maintain_order=True)
    whole = phrases.score(hyp, *inputs, dictionaries=["align-dic1"]).scores
    for name in ("precision", "recall", "f"):
        assert means.agg(pl.col(name).mean())[name].to_list() == pytest.approx(
            whole[name].to_list()
        )


@settings(max_examples=3)
@given(slow.corpora())
@example((TEXT, {"gold": GOLD, "s0": HYP, "s1": {0: set(), 1: set(), 2: set()}}))
def test_entries_are_drawn_with_the_sentence_that_has_them_first(made):
    text, rows = made
    gold = rows["gold"]
    hyp = {name: slow.nested(mine) for name, mine in rows.items() if name != "gold"}
    given = hyp, slow.nested(gold), slow.bitext(text)
    assume(len(text) > 1)
    how = {"bootstrap": 40, "seed": 5, "confidence": 0.6}
    names = ["align-dic1", "text-dic2"]
    drawn = resample_sums(np.eye(len(text)), 40, 5).astype(int)
    wanted = {}
    for name in names:
        of = {
            who: {sid: set(slow.dictionary({sid: mine[sid]}, text, name)) for sid in text}
            for who, mine in rows.items()
        }
        first = {}
        for sid in text:
            for entry in set().union(*(own[sid] for own in of.values())):
                first.setdefault(entry, sid)
        for who in hyp:
            mine, golden = ({e for own in of[one].values() for e in own} for one in (who, "gold"))
            parts = [
                [sum(first[e] == sid for e in some) for some in (mine & golden, mine, golden)]
                for sid in text
            ]
            figures = [weighted(parts, times, name == "align-dic1") for times in drawn]
            wanted[who, name] = np.array(figures, float)
    found = phrases.score(*given, dictionaries=names, **how).scores
    for row in found.to_dicts():
        for at, figure in enumerate(("precision", "recall", "f")):
            ends = row[f"{figure}_low"], row[f"{figure}_high"]
            values = wanted[row["system"], row["dictionary"]][:, at]
            if len(text) < 2 or np.isnan(values).all():
                assert ends == (None, None)
                continue
            own = np.nan if row[figure] is None else row[figure]
            wanted_ends = interval(values, 0.6, own, len(text))
            assert ends == pytest.approx(wanted_ends), (row, figure)
    if len(text) < 2:
        return
    tests = phrases.score(*given, dictionaries=names, **how).compare("s0")
    assert tests.height == len(names) * 3
    for row in tests.to_dicts():
        at = ("precision", "recall", "f").index(row["measure"])
        one, two = (wanted[who, row["dictionary"]][:, at] for who in ("s1", "s0"))
        if row["difference"] is not None:
            low, high = interval(one - two, 0.6, row["difference"], len(text))
            if p_value(one - two, row["difference"], len(text)) >= 0.4:
                low, high = min(low, 0), max(high, 0)
            assert (row["difference_low"], row["difference_high"]) == pytest.approx((low, high))


def weighted(parts, times, means):
    """Return the figures of resampled sentences, of all entries or as means over sentences."""
    if not means:
        both, mine, golden = np.array(times) @ np.array(parts)
        f = 2 * both / (mine + golden) if golden else None
        return slow.ratio(both, mine), slow.ratio(both, golden), f
    rows = [row for row, n in zip(parts, times, strict=True) for _ in range(n)]
    return (
        slow.mean([slow.ratio(both, mine) for both, mine, _ in rows]),
        slow.mean([slow.ratio(both, golden) for both, _, golden in rows]),
        slow.mean([2 * both / (mine + golden) if golden else None for both, mine, golden in rows]),
    )


def test_phrases_can_only_be_grouped_by_sentence():
    with pytest.raises(InputError, match="length"):
        phrases.score(slow.nested(HYP), slow.nested(GOLD), slow.bitext(TEXT), by=["length"]).scores
    with pytest.raises(InputError, match="single sentences"):
        phrases.score(
            slow.nested(HYP), slow.nested(GOLD), slow.bitext(TEXT), by="sid", bootstrap=9
        ).scores


def figures(row):
    return tuple(row[name] for name in FIGURES)


def counted(frame, name):
    """Return a dictionary as occurrences of entries."""
    entry = ["sid", "src", "tgt"] if name == "align-dic1" else ["src", "tgt"]
    return {row[:-1]: row[-1] for row in frame.select(*entry, "n").rows()}


# --- worked examples


@pytest.mark.parametrize("name", phrases.DICTIONARIES)
def test_dictionaries_by_hand(name):
    found = phrases.dictionary(slow.nested(GOLD), slow.bitext(TEXT), name)
    assert found.drop("system").rows() == BY_HAND[name]
    assert found["system"].unique().to_list() == ["hypothesis"]


def test_scores_by_hand():
    found = compared({"mine": slow.nested(HYP)}, slow.nested(GOLD), slow.bitext(TEXT))
    # In the sentences, 3 of 3, 1 of 1 and 0 of 2 entries are right; gold has 3, 3 and 1.
    assert figures(found["mine", "align-dic1"]) == pytest.approx(
        (6, 7, (1 + 1 + 0) / 3, (1 + 1 / 3 + 0) / 3, (1 + 0.5 + 0) / 3)
    )
    # cat, old, the|le, the|la against cat, old, the|le, the the|le
    assert figures(found["mine", "text-dic1"]) == (4, 4, 0.75, 0.75, 0.75)
    # In addition, old cat and the old cat in one order, and the the|le la
    assert figures(found["mine", "text-dic2"]) == pytest.approx((7, 9, 5 / 7, 5 / 9, 10 / 16))
    signature = found["mine", "text-dic1"]["signature"]
    assert signature.startswith("alignframe:")
    assert "gold:possible-and-sure|max-length:none|align-dic1:mean-of-sentences" in signature


def test_means_over_sentences_leave_out_undefined_scores():
    text = {sid: (["a"], ["x"]) for sid in range(4)}
    link, none = {(0, 0)}, set()
    gold = {0: link, 1: link, 2: none, 3: none}
    hyp = {0: link, 1: none, 2: link, 3: none}
    found = compared(slow.nested(hyp), slow.nested(gold), slow.bitext(text))
    assert figures(found["hypothesis", "align-dic1"]) == (2, 2, 0.5, 0.5, 0.5)
    wanted = slow.score(
        *(slow.dictionary(r, text, "align-dic1") for r in (hyp, gold)), "align-dic1"
    )
    assert figures(found["hypothesis", "align-dic1"]) == wanted


def test_a_system_without_links():
    none = {sid: set() for sid in TEXT}
    found = compared({"none": slow.nested(none)}, slow.nested(GOLD), slow.bitext(TEXT))
    sizes = {"align-dic1": 7, "text-dic1": 4, "text-dic2": 9}
    for name, size in sizes.items():
        assert figures(found["none", name]) == (0, size, None, 0.0, 0.0)
    found = compared(slow.nested(HYP), slow.nested(none), slow.bitext(TEXT))
    assert figures(found["hypothesis", "text-dic1"]) == (4, 0, 0.0, None, None)
    found = compared(slow.nested(none), slow.nested(none), slow.bitext(TEXT))
    assert figures(found["hypothesis", "align-dic1"]) == (0, 0, None, None, None)


def test_longest_phrase_and_sure_links():
    text, gold = slow.bitext(TEXT), slow.nested(GOLD)
    short = phrases.dictionary(gold, text, "text-dic2", max_length=1)
    assert short["src"].to_list() == ["cat", "old", "the"]
    found = compared(gold, gold, text, max_length=2)
    assert found["hypothesis", "text-dic2"]["entries"] == 7
    assert "max-length:2|" in found["hypothesis", "text-dic2"]["signature"]
    labelled = gold.with_columns(
        pl.col("links").list.eval(
            pl.struct(
                pl.element().struct.field("i"),
                pl.element().struct.field("j"),
                sure=pl.element().struct.field("i") > 0,
            )
        )
    )
    sure = {sid: {link for link in links if link[0] > 0} for sid, links in GOLD.items()}
    for name in phrases.DICTIONARIES:
        mine, wanted = (slow.dictionary(rows, TEXT, name) for rows in (HYP, sure))
        one = compared(slow.nested(HYP), labelled, text, sure_only=True, dictionaries=[name])
        assert figures(one["hypothesis", name]) == pytest.approx(slow.score(mine, wanted, name))
        assert "|gold:sure|" in one["hypothesis", name]["signature"]
        every = compared(slow.nested(HYP), labelled, text, dictionaries=[name])
        plain = compared(slow.nested(HYP), gold, text, dictionaries=[name])
        assert every == plain
    # Labels of systems are ignored.
    assert figures(compared(labelled, gold, text)["hypothesis", "text-dic1"])[:2] == (4, 4)


# --- against the definitions


@settings(max_examples=3)
@given(slow.corpora())
@example((TEXT, {"gold": GOLD, "s0": HYP, "s1": {0: set(), 1: set(), 2: set()}}))
def test_random_text(given_corpus):
    words, rows = given_corpus
    text, gold = slow.bitext(words), slow.nested(rows["gold"])
    hyp = pl.concat([slow.nested(rows[name], name) for name in ("s1", "s0")])
    found = compared(hyp, gold, text)
    assert list(found) == [(s, d) for s in ("s0", "s1") for d in phrases.DICTIONARIES]
    with connected() as con:
        con.register("hyp", hyp)
        con.register("words", text)
        for name in phrases.DICTIONARIES:
            wanted = {system: slow.dictionary(mine, words, name) for system, mine in rows.items()}
            made = phrases.dictionary(hyp, text, name)
            asked = pl.DataFrame(con.sql(f"select * from {MACROS[name]}('hyp', 'words')").arrow())
            assert asked.rows() == made.rows()
            for system in ("s0", "s1"):
                assert counted(made.filter(system=system), name) == wanted[system]
                score = slow.score(wanted[system], wanted["gold"], name)
                if name == "align-dic1" and not wanted[system]:
                    score = (*score[:2], None, *(score[3:]))
                assert figures(found[system, name]) == pytest.approx(score)
            order = "sid" if name == "align-dic1" else -pl.col("n")
            assert made.rows() == made.sort("system", order, "src", "tgt").rows()


def test_sentences_may_have_any_numbers():
    numbers = {0: 2**63 - 1, 1: -5, 2: -(2**62)}
    for name in phrases.DICTIONARIES:
        text, gold = ({numbers[sid]: row for sid, row in rows.items()} for rows in (TEXT, GOLD))
        found = phrases.dictionary(slow.nested(gold), slow.bitext(text), name)
        assert counted(found, name) == slow.dictionary(gold, text, name)


# --- missing sentences


def test_missing_sentences_count_as_empty():
    text, gold = slow.bitext(TEXT), slow.nested(GOLD)
    part = slow.nested({sid: HYP[sid] for sid in (0, 2)})
    with pytest.warns(DataWarning, match="part .*1 of 3"):
        found = compared({"part": part}, gold, text)
    assert found == compared({"part": slow.nested(HYP | {1: set()})}, gold, text)
    with pytest.raises(InputError, match=r"1 of 3 .*same sentences"):
        phrases.score({"part": part}, gold, text, strict=True).scores


def test_sentences_that_gold_lacks_are_ignored():
    text, gold = slow.bitext(TEXT), slow.nested({sid: GOLD[sid] for sid in (0, 1)})
    wanted = compared(slow.nested({sid: HYP[sid] for sid in (0, 1)}, "more"), gold, text)
    with pytest.warns(DataWarning, match="more .*1 sentence"):
        found = compared(slow.nested(HYP, "more"), gold, text)
    assert found == wanted
    with pytest.raises(InputError, match=r"more .*1 sentence"):
        phrases.score(slow.nested(HYP, "more"), gold, text, strict=True).scores


def test_a_system_without_any_of_golds_sentences():
    text, gold = slow.bitext(TEXT), slow.nested({0: GOLD[0]})
    found = quietly(compared, {"a": slow.nested({1: HYP[1]}), "b": slow.nested(HYP)}, gold, text)
    assert figures(found["a", "text-dic2"]) == (0, 5, None, 0.0, 0.0)
    assert figures(found["b", "text-dic2"]) == (5, 5, 1.0, 1.0, 1.0)


# --- layouts, files and resources


@pytest.fixture(scope="module")
def given_data(bundled):
    frames = [pl.DataFrame(formats.read(bundled / f"{n}.talp")) for n in ("eager", "cautious")]
    text = pl.DataFrame(formats.read_bitext(bundled / "text.en", bundled / "text.fr"))
    return pl.concat(frames), pl.DataFrame(formats.read(bundled / "gold.talp")), text


def long_form(frame):
    return frame.explode("links").unnest("links")


def test_layout_order_and_resources_do_not_matter(given_data):
    hyp, gold, text = given_data
    dictionaries = ["text-dic2", "align-dic1"]
    wanted = phrases.score(hyp, gold, text, dictionaries=dictionaries).scores
    other = {
        "shuffled": (hyp.sample(fraction=1, shuffle=True, seed=3), gold.reverse(), text.reverse()),
        "long": (long_form(hyp), long_form(gold), text),
        "long, shuffled": (
            long_form(hyp).sample(fraction=1, shuffle=True, seed=5),
            long_form(gold).sample(fraction=1, shuffle=True, seed=7),
            text,
        ),
        "lazy": (hyp.lazy(), gold.lazy(), text.lazy()),
        "arrow": (hyp.to_arrow(), gold.to_arrow(), text.to_arrow()),
        "streams": tuple(frame.to_arrow().to_reader() for frame in given_data),
        "categories": (hyp.with_columns(pl.col("system").cast(pl.Categorical)), gold, text),
    }
    for case, frames in other.items():
        found = phrases.score(*frames, dictionaries=dictionaries[1:]).scores
        assert found.equals(wanted.filter(dictionary="align-dic1")), case
    for options in ({"threads": 1}, {"memory_limit": "300MB", "threads": 3}):
        found = phrases.score(hyp, gold, text, dictionaries=dictionaries, **options).scores
        assert found.equals(wanted), options
    every = phrases.score(hyp, gold, text).scores
    assert every.filter(pl.col("dictionary") != "text-dic1").equals(wanted)
    one = phrases.score(hyp.filter(system="eager"), gold, text).scores
    assert one.equals(every.filter(system="eager"))


def test_systems_without_rows_are_left_out(given_data):
    hyp, gold, text = given_data
    kept = hyp.with_columns(pl.col("system").cast(pl.Enum(["none", "eager", "cautious"])))
    found = phrases.score(kept.filter(pl.col("system") == "eager"), gold, text).scores
    assert found["system"].unique().to_list() == ["eager"]
    one = gold.with_columns(system=pl.lit("gold", pl.Enum(["other", "gold"])))
    assert phrases.score(hyp, one, text).scores.equals(phrases.score(hyp, gold, text).scores)


def test_parquet_and_globs(given_data, tmp_path):
    hyp, gold, text = given_data
    wanted = phrases.score(hyp, gold, text).scores
    for k, frame in enumerate((hyp.filter(system="eager"), hyp.filter(system="cautious"))):
        frame.write_parquet(tmp_path / f"hyp{k}.parquet", row_group_size=9)
    gold.write_parquet(tmp_path / "gold.parquet")
    for k in (0, 1):
        text.filter(pl.col("sid") % 2 == k).write_parquet(tmp_path / f"text{k}.parquet")
    paths = [str(tmp_path / name) for name in ("hyp*.parquet", "gold.parquet", "text*.parquet")]
    with ThreadPoolExecutor(2) as executor:
        assert phrases.score(*paths, threads=executor).scores.equals(wanted)
    long_form(hyp).write_parquet(tmp_path / "long.parquet")
    assert phrases.score(tmp_path / "long.parquet", *paths[1:]).scores.equals(wanted)
    for name in phrases.DICTIONARIES:
        rows = phrases.dictionary(hyp, text, name).rows()
        assert phrases.dictionary(paths[0], paths[2], name).rows() == rows
        with connected() as con:
            query = f"select * from {MACROS[name]}('{paths[0]}', '{paths[2]}')"
            assert con.execute(query).fetchall() == rows


@pytest.mark.parametrize("name", phrases.DICTIONARIES)
def test_written_dictionary(given_data, tmp_path, name):
    hyp, _, text = given_data
    wanted = phrases.dictionary(hyp, text, name, max_length=4)
    path = tmp_path / "d.parquet"
    path.write_text("as it was")
    rows = phrases.write_dictionary(hyp, text, path, name, max_length=4, threads=2)
    made = pl.read_parquet(path)
    assert rows == made.height == wanted.height
    assert made.schema == wanted.schema
    assert sorted(made.rows()) == sorted(wanted.rows())
    assert list(tmp_path.iterdir()) == [path]
