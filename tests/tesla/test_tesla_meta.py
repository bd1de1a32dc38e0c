"""Meta-evaluation against slow loops and the paper's averages, and bad input."""

import json
import re

import numpy as np
import polars as pl
import pytest
from helpers.cli import json_of, replaced, run
from helpers.formats import quietly
from helpers.sql import connected
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import tesla_meta as slow
from scipy.stats import pearsonr, spearmanr
from scipy.stats import t as student

from alignframe.core.arrow import to_table
from alignframe.core.choices import HUMAN, TIES
from alignframe.errors import DataWarning, InputError
from alignframe.tesla.agreement import FIGURES, TAUS
from alignframe.tesla.averages import meta_average
from alignframe.tesla.meta import meta
from alignframe.tesla.ranking_signatures import signature_of_rankings
from alignframe.tesla.rankings import read_rankings
from alignframe.tesla.score_files import read_score_files
from alignframe.tesla.segments import read_segments

SYSTEMS = ["a", "b", "c", "d"]


def rankings_of(rankings):
    rows = [
        {"ranking": at, "sid": sid, "judge": None, "system": system, "rank": rank}
        for at, (sid, ranks) in enumerate(rankings)
        for system, rank in ranks.items()
    ]
    return pl.DataFrame(rows, schema_overrides={"judge": pl.String, "rank": pl.Int32})


def segments_of(scores, **more):
    rows = [
        {
            "system": system,
            "sid": sid,
            "score": score,
            **{k: v[system, sid] for k, v in more.items()},
        }
        for (system, sid), score in scores.items()
    ]
    return pl.DataFrame(rows, schema_overrides={"score": pl.Float64})


ranked = st.dictionaries(st.sampled_from(SYSTEMS), st.integers(1, 3), min_size=2)
drawn_rankings = st.lists(st.tuples(st.integers(0, 3), ranked), min_size=1, max_size=8)
drawn_scores = st.dictionaries(
    st.tuples(st.sampled_from(SYSTEMS), st.integers(0, 3)),
    st.sampled_from([None, 0.0, 0.25, 0.5, 1.0]),
    min_size=1,
)


@pytest.fixture(scope="module")
def con():
    with connected() as connection:
        yield connection


@settings(max_examples=4)
@given(drawn_rankings, drawn_scores)
@pytest.mark.filterwarnings("ignore::alignframe.errors.DataWarning")
def test_figures_equal_those_of_loops(rankings, scores):
    known = {key: score for key, score in scores.items() if score is not None}
    judged = {system for _, ranks in rankings for system in ranks}
    if not judged & {system for system, _ in scores}:
        return
    found = meta(rankings_of(rankings), segments_of(scores), bootstrap=0)
    row = found.scores.row(0, named=True)
    counts = slow.counts(rankings, known)
    assert {name: row[name] for name in counts} == counts
    assert row["pairs"] == sum(counts[k] for k in ("concordant", "discordant", "metric_ties"))
    assert row["consistency"] == pytest.approx(slow.consistency(counts, "wrong"))
    for variant in TAUS:
        assert row[f"tau_{variant}"] == pytest.approx(slow.tau(counts, variant))
    people, means = slow.human(rankings, "wmt12"), slow.means(known)
    both = sorted(s for s in means if people.get(s) is not None)
    assert row["systems"] == len([s for s in means if s in people])
    x, y = [means[s] for s in both], [people[s] for s in both]
    if len(both) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        assert row["spearman"] is None
        assert row["pearson"] is None
    else:
        assert row["spearman"] == pytest.approx(spearmanr(x, y).statistic)
        assert row["pearson"] == pytest.approx(pearsonr(x, y).statistic)
    humans = dict(found.systems.select("system", "human").rows())
    assert humans == pytest.approx({s: people[s] for s in judged})


@settings(max_examples=4)
@given(drawn_rankings, drawn_scores)
def test_macros_equal_those_of_loops(con, rankings, scores):
    known = {key: score for key, score in scores.items() if score is not None}
    con.register("given_rankings", rankings_of(rankings).to_arrow())
    con.register("given_segments", segments_of(scores).to_arrow())
    counts = slow.counts(rankings, known)
    ties = [f"consistency(sum(concordant), sum(discordant), sum(metric_ties), '{t}')" for t in TIES]
    taus = [f"wmt_tau(sum(concordant), sum(discordant), sum(metric_ties), '{t}')" for t in TAUS]
    found = con.execute(
        f"select {', '.join(ties + taus)} from agreement_counts('given_rankings', 'given_segments')"
    ).fetchall()[0]
    wanted = [slow.consistency(counts, t) for t in TIES] + [slow.tau(counts, t) for t in TAUS]
    assert list(found) == pytest.approx(wanted)
    for rule in HUMAN:
        rows = con.execute(f"select system, {rule} from human_scores('given_rankings')").fetchall()
        assert dict(rows) == pytest.approx(slow.human(rankings, rule))


RANKINGS = [
    (0, {"a": 1, "b": 2, "c": 3}),
    (0, {"a": 2, "b": 1, "d": 4}),
    (1, {"b": 1, "c": 1, "d": 2, "a": 3}),
    (2, {"d": 1, "a": 1, "b": 3}),
    (3, {"a": 1, "c": 2, "d": 3}),
]


def scores_of(seed, systems=SYSTEMS, sentences=4):
    draw = np.random.default_rng(seed)
    return {(s, n): float(draw.integers(0, 6)) for s in systems for n in range(sentences)}


def test_options_for_ties_and_human_scores():
    segments = segments_of(scores_of(1))
    counts = slow.counts(RANKINGS, scores_of(1))
    assert counts["metric_ties"] > 0
    for ties, human in zip(TIES, (*HUMAN, "wmt12"), strict=True):
        found = meta(rankings_of(RANKINGS), segments, ties=ties, human=human, bootstrap=0)
        row = found.scores.row(0, named=True)
        assert row["consistency"] == pytest.approx(slow.consistency(counts, ties))
        people = slow.human(RANKINGS, human)
        x = [slow.means(scores_of(1))[s] for s in SYSTEMS]
        wanted = pearsonr(x, [people[s] for s in SYSTEMS]).statistic
        assert row["pearson"] == pytest.approx(wanted)
        assert f"consistency-ties:{ties}|human:{human}" in row["signature"]


def test_several_metrics_are_compared():
    good = {(s, n): -float(dict(RANKINGS[2][1]).get(s, 0)) + n / 10 for s, n in scores_of(0)}
    frame = segments_of(scores_of(2), good=good, same=scores_of(2))
    names = ["score", "good", "same"]
    found = meta(rankings_of(RANKINGS), frame, metrics=names, bootstrap=200)
    assert found.scores["metric"].to_list() == names
    for name in FIGURES:
        low, value, high = (found.scores[f"{name}{end}"].to_list() for end in ("_low", "", "_high"))
        for ends in zip(low, value, high, strict=True):
            assert list(ends) == sorted(ends), name
        assert value[0] == value[2]
    alone = meta(rankings_of(RANKINGS), frame, metrics=["good"], bootstrap=200)
    # The same sentences are drawn whatever the metrics.
    assert alone.scores.row(0) == found.scores.row(1)
    rows = {(r["figure"], r["metric"], r["other"]): r for r in found.comparisons.to_dicts()}
    assert len(rows) == 3 * len(FIGURES)
    same = rows["tau_wmt12", "score", "same"]
    assert (*(same[f"difference{end}"] for end in ("", "_low", "_high")), same["p_value"]) == (
        0,
        0,
        0,
        1,
    )
    other = rows["consistency", "score", "good"]
    values = dict(found.scores.select("metric", "consistency").rows())
    assert other["difference"] == pytest.approx(values["score"] - values["good"])
    assert other["difference_low"] <= other["difference"] <= other["difference_high"]


@pytest.mark.parametrize("systems", [1, 2, 3, 7, 8, 9])
def test_few_systems_cause_a_warning(systems):
    names = [f"s{k}" for k in range(systems)]
    rankings = [(n, {name: k + 1 for k, name in enumerate(names)} | {"x": 99}) for n in range(3)]
    scores = {(name, n): 1.0 / (k + 1) for k, name in enumerate(names) for n in range(3)}
    # x has no scores.
    caution = quietly(meta, rankings_of(rankings), segments_of(scores), bootstrap=0).caution
    assert bool(caution) == (systems < 8)
    if systems in (3, 7):  # the figure named is where chance ends
        t = student.ppf(0.975, systems - 2)
        assert f"{t / (systems - 2 + t * t) ** 0.5:.3f}" in caution


def test_resamples_draw_sentences_with_all_their_rankings():
    rankings = [(n, {"a": 1, "b": 2}) for n in range(3)] + [(9, {"a": 2, "b": 1})] * 3
    scores = {(s, n): float(s == "a") for s in "ab" for n in (0, 1, 2, 9)}
    row = meta(rankings_of(rankings), segments_of(scores), bootstrap=4000).scores.row(0, named=True)
    assert row["consistency"] == 0.5
    # Of 4 sentences, the one with three wrong pairs is drawn k times with probability C(4,k)/4^4
    # ...
    wanted = sorted((4 - k) / (4 - k + 3 * k) for k in range(5))
    assert row["consistency_low"] in wanted
    assert row["consistency_low"] == 0.0  # k = 4: .4% are there, and less is left out
    assert row["consistency_high"] == 1.0


def test_many_sentences_are_grouped():
    draw = np.random.default_rng(0)
    rankings = [(n, {"a": 1, "b": 2, "c": 2}) for n in range(3000)]
    scores = {(s, n): float(draw.random()) for s in "abc" for n in range(3000)}
    counts = slow.counts(rankings, scores)
    row = meta(rankings_of(rankings), segments_of(scores), bootstrap=100).scores.row(0, named=True)
    assert row["sentences"] == 3000
    assert row["consistency"] == pytest.approx(slow.consistency(counts, "wrong"))
    spread = row["consistency_high"] - row["consistency_low"]
    assert 0.5 < spread / (4 * (0.5 * 0.5 / 6000) ** 0.5) < 2


def test_lower_is_better():
    scores = scores_of(3)
    turned = {key: -score for key, score in scores.items()}
    frame = segments_of(scores, ter=turned)
    found = meta(rankings_of(RANKINGS), frame, metrics=["score", "ter"], lower=["ter"], bootstrap=0)
    drop = ("metric", "signature")
    assert found.scores.drop(drop).row(0) == found.scores.drop(drop).row(1)
    assert "|lower:ter" in found.scores["signature"][0]
    with pytest.raises(InputError, match=r"'bleu'.*score, ter"):
        meta(rankings_of(RANKINGS), frame, metrics=["score", "ter"], lower=["bleu"])


def mean_ranks(metrics):
    """Return minus the mean rank of each translation that all metrics score, by definition."""
    keys = set.intersection(*(set(scores) for scores in metrics))
    found = {}
    for system, sid in keys:
        ranks = []
        for scores in metrics:
            others = [scores[key] for key in keys if key[1] == sid]
            own = scores[system, sid]
            ranks.append(sum(x > own for x in others) + (others.count(own) + 1) / 2)
        found[system, sid] = -sum(ranks) / len(ranks)
    return found


@pytest.mark.filterwarnings("ignore::alignframe.errors.DataWarning")
def test_consensus_is_the_mean_rank():
    one, other = scores_of(2), scores_of(5)
    del other[SYSTEMS[0], 1]
    tables = {"one": segments_of(one), "other": segments_of(other)}
    wanted = {"consensus": segments_of(mean_ranks([one, other]))}
    found, alone = (
        meta(rankings_of(RANKINGS), given, consensus=len(given) > 1, bootstrap=0).scores
        for given in (tables, wanted)
    )
    assert found["metric"].to_list() == ["one", "other", "consensus"]
    assert "|consensus:mean-rank" in found["signature"][0]
    assert found.drop("signature").row(2) == alone.drop("signature").row(0)
    with pytest.raises(InputError, match="at least two"):
        meta(rankings_of(RANKINGS), segments_of(one), consensus=True)
    with pytest.raises(InputError, match="'consensus'"):
        meta(
            rankings_of(RANKINGS), {"consensus": tables["one"], "x": tables["one"]}, consensus=True
        )


def test_scores_of_the_metrics_task(tmp_path):
    scores = scores_of(2)
    path = tmp_path / "meteor.seg.scr"
    lines = [f"METEOR\tfr-en\tnews\t{s}\t{n + 1}\t{score}" for (s, n), score in scores.items()]
    path.write_text("\n".join(lines), "utf-8")
    found = meta(rankings_of(RANKINGS), {"m": path}, bootstrap=0).scores
    assert found.equals(meta(rankings_of(RANKINGS), {"m": segments_of(scores)}, bootstrap=0).scores)
    for line, said in (("METEOR\tde-en\tnews\tx\t1\t.5", "de-en"), ("METEOR .5", "METEOR")):
        path.write_text(f"{lines[0]}\n{line}", "utf-8")
        with pytest.raises(InputError, match=rf":2: .*{said}"):
            read_segments(path)
    path.write_text("\n", "utf-8")
    with pytest.raises(InputError, match="no line"):
        read_segments(path)


def test_scores_that_meteor_writes(tmp_path):
    """SGML: test set, system, document, segment and score. Text: one printout per system."""
    scores = scores_of(2)
    wanted = meta(rankings_of(RANKINGS), {"m": segments_of(scores)}, bootstrap=0).scores
    path = tmp_path / "meteor-seg.scr"
    lines = [f"news\t{s}\tdoc\t{n + 1}\t{score}" for (s, n), score in scores.items()]
    path.write_text("\n".join(lines), "utf-8")
    assert meta(rankings_of(RANKINGS), {"m": path}, bootstrap=0).scores.equals(wanted)
    path.write_text("\n".join([*lines, "news\ta\tother\t1\t.5"]), "utf-8")
    with pytest.raises(InputError, match=r"other.*document"):
        read_segments(path)
    folder = tmp_path / "out"
    folder.mkdir()
    n = max(sid for _, sid in scores) + 1
    for system in SYSTEMS:
        own = [scores[system, sid] for sid in range(n)]
        text = "".join(f"Segment {at} score:\t{score}\n" for at, score in enumerate(own, 1))
        if system == SYSTEMS[0]:
            text = "".join(f"{score}\n" for score in own)
        else:
            text = f"Meteor version: 1.5\n\n{text}\nFinal score:            0.37\n"
        (folder / f"news.fr-en.{system}.txt").write_text(text, "utf-8")
    found = read_score_files(folder, SYSTEMS)
    assert meta(rankings_of(RANKINGS), {"m": found}, bootstrap=0).scores.equals(wanted)
    rankings_of(RANKINGS).write_parquet(tmp_path / "r.parquet")
    words = ["tesla", "metrics", "--rankings", tmp_path / "r.parquet", "--segments", f"m={folder}"]
    rows = json_of(run(*words, "--bootstrap", 0, "--json")[0])["scores"]
    assert rows[0]["consistency"] == wanted["consistency"][0]
    last = folder / f"news.fr-en.{SYSTEMS[-1]}.txt"
    for text, said in (
        ("Segment 2 score: .5\n", ":1: segment 2"),
        ("a\n", ":1: 'a'"),
        (".5\n", "1 scores"),
    ):
        last.write_text(text, "utf-8")
        with pytest.raises(InputError, match=said):
            read_score_files(folder, SYSTEMS)


def test_left_out_rows_cause_warnings():
    scores = {**scores_of(4, SYSTEMS[:3]), ("z", 0): 1.0, ("a", 0): None}
    with pytest.warns(DataWarning) as told:
        found = meta(rankings_of(RANKINGS), segments_of(scores), bootstrap=0)
    assert [str(one.message) for one in told] == [
        "missing scores: 1 of 13; they count as unscored",
        "1 ranked system without scores, whose pairs are left out: d",
        "1 system with scores but never ranked: z",
        f"score: left out {found.scores['unscored'][0]:,} pairs of ranked translations, in "
        "which at least one has no score",
    ]
    assert found.systems.filter(pl.col("system") == "d")["score"].to_list() == [None]
    assert found.scores["systems"].to_list() == [3]


@pytest.mark.parametrize("first", [1, 7])
def test_rankings_that_count_from_another_number_are_named(first):
    rankings = rankings_of(RANKINGS).with_columns(pl.col("sid") + first)
    last = int(rankings["sid"].max())
    scores = segments_of(scores_of(last - first + 1, SYSTEMS))
    wanted = (
        f"rankings have sids from {first} to {last}, scores from 0 to {last - first}; sids count"
    )
    with pytest.warns(DataWarning) as told:
        meta(rankings, scores, bootstrap=0)
    assert any("left out" in str(one.message) and wanted in str(one.message) for one in told)


@pytest.mark.parametrize("longer", ["rankings", "scores"])
def test_names_of_shared_tasks_match_those_of_systems(longer):
    rankings, scores = rankings_of(RANKINGS), segments_of(scores_of(0))
    wanted = meta(rankings, scores, bootstrap=0)
    long = pl.concat_str(pl.lit("newstest.fr-en."), pl.col("system").cast(pl.String))
    given_ = {"rankings": rankings, "scores": scores}
    given_[longer] = given_[longer].with_columns(system=long)
    with pytest.warns(DataWarning, match="4 systems matched by the ends of names, such as"):
        found = meta(*given_.values(), bootstrap=0)
    assert found.scores.drop("signature").equals(wanted.scores.drop("signature"))


def test_two_names_that_end_alike_are_not_guessed():
    rankings = rankings_of([(0, {"s.a": 1, "s.b": 2})])
    scores = segments_of({(name, 0): 1.0 for name in ("a", "q.s.a", "b")})
    with pytest.raises(InputError, match="no ranked system has scores"):
        meta(rankings, scores, bootstrap=0)


def test_scores_of_people_are_no_rankings_but_become_some(tmp_path):
    (tmp_path / "da.csv").write_text("LP DATA SID BETTER WORSE\nfr-en nt18 1 a b\n")
    (tmp_path / "x.seg.score").write_text("a\t-5.6\na\tNone\nb\t-7.1\nb\t-1\n")
    segments_of({(s, k): float(k) for s in "ab" for k in (0, 1)}).write_csv(tmp_path / "s.csv")
    for name, winner in (("da.csv", "a"), ("x.seg.score", "a")):
        words = ["tesla", "metrics", "--rankings", name, "--segments", "s.csv"]
        said = run(*words, folder=tmp_path, code=2).stderr
        query = re.search(r'alignframe sql "(.*)" -o (rankings\.csv)', said)
        made = query[1].replace("FILE", name).replace("\\t", "\t")
        run("sql", made, "-o", query[2], folder=tmp_path)
        table = pl.DataFrame(read_rankings(tmp_path / query[2])).cast({"system": pl.String})
        first = table.filter((pl.col("rank") == 1) & (pl.col("sid") == 0))
        assert first["system"].to_list() == [winner]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ties": "none"}, "unknown `ties` 'none'; expected one of wrong, half, skip"),
        ({"human": "wmt13"}, "unknown `human` 'wmt13'; expected one of wmt12, wmt09"),
        ({"bootstrap": -1}, "`bootstrap` is -1"),
        (
            {"metrics": ["bleu"]},
            "no column 'bleu' .`metrics`.; expected columns among system, sid, score",
        ),
        ({"metrics": []}, "no metrics"),
        ({"segments": pl.DataFrame({"system": ["a"]})}, "the columns system; expected system, sid"),
        (
            {"segments": segments_of({("y", 0): 1.0})},
            r"no ranked system has scores \(ranked: a, b, c, d; scored: y\)",
        ),
        (
            {"segments": pl.concat([segments_of({("a", 0): 1.0})] * 2)},
            "two scores by 'score' of sentence 0 of the system 'a'",
        ),
        (
            {"segments": pl.DataFrame({"system": ["a"], "sid": [0], "score": ["x"]})},
            "line 1: 'x' as score; expected a finite number",
        ),
        (
            {"segments": pl.DataFrame({"system": ["a"], "sid": [0], "word": ["x"]})},
            "a table without scores",
        ),
    ],
)
def test_bad_input_is_refused(change, message):
    given_ = {"segments": segments_of(scores_of(0)), **change}
    with pytest.raises(InputError, match=message):
        meta(rankings_of(RANKINGS), given_.pop("segments"), **given_)


def test_sentences_counted_from_1(tmp_path):
    frame = segments_of(scores_of(5)).with_columns(pl.col("sid") + 1)
    frame.write_csv(tmp_path / "s.csv")
    said = r"the sids are 1 to 4, without 0; sid counts from 0"
    with pytest.warns(DataWarning, match=r"s\.csv: " + said):
        found = read_segments(tmp_path / "s.csv")
    assert found.rows["sid"].max() == 4  # they are not changed
    with pytest.warns(DataWarning, match="the scores of 'm': " + said):
        read_segments({"m": frame})
    # Neither of these looks like it.
    read_segments(frame.filter(pl.col("sid") != 2))
    read_segments(frame.with_columns(pl.col("sid") + 1))


def test_duplicate_sentences_are_named_with_their_file(tmp_path):
    (tmp_path / "s.csv").write_text("system,sid,score\na,1,1\na,0,1\n\na,1,2\n")
    said = r"s\.csv:5: two scores by 'm' of sentence 1 of the system 'a', also on line 2; expected"
    with pytest.raises(InputError, match=said):
        read_segments({"m": tmp_path / "s.csv"})
    pl.DataFrame({"system": ["a"], "sid": [0], "word": ["x"]}).write_csv(tmp_path / "w.csv")
    with pytest.raises(InputError, match=r"w\.csv: a table without scores"):
        read_segments(tmp_path / "w.csv")


def test_the_signature_identifies_the_rankings(tmp_path):
    files(tmp_path)
    table = to_table(read_rankings(tmp_path / "rankings.csv", "fr-en"))
    found = meta(table, segments_of(scores_of(8)), bootstrap=0)
    assert found.pair == "fr-en"
    mark = found.scores["signature"][0]
    about = signature_of_rankings(table)
    assert re.fullmatch(r"pair:fr-en\|rankings:5,table:[0-9a-f]{8}", about)
    assert f"|metric:meta|{about}|human-ties" in mark
    # A frame of the same rows, in any order, differs only in the name of the pair.
    frame = pl.DataFrame(pl.from_arrow(table)).reverse()
    assert f"pair:fr-en|{signature_of_rankings(frame.to_arrow())}" == about
    assert meta(frame, segments_of(scores_of(8)), bootstrap=0).pair is None
    other = frame.with_columns(rank=pl.when(pl.col("rank") == 1).then(2).otherwise("rank"))
    assert signature_of_rankings(other.to_arrow()).startswith("rankings:5,table:")
    assert signature_of_rankings(other.to_arrow()) != signature_of_rankings(frame.to_arrow())


def test_the_command_counts_rankings_and_writes_them(tmp_path):
    files(tmp_path)
    out, _ = run(
        "tesla", "metrics", "--counts", "--rankings", "rankings.csv", "--json", folder=tmp_path
    )
    counts = {"rankings": 5, "sentences": 4, "judges": 0, "systems": 4, "blanks": 0}
    assert json_of(out) == [{"pair": "de-en", **counts}, {"pair": "fr-en", **counts}]
    out, _ = run("tesla", "metrics", "--counts", "--rankings", "rankings.csv", folder=tmp_path)
    assert re.search(r"fr-en +5 +4 +0 +4 +0", out)
    assert (
        "rankings"
        not in json.loads(
            run(*"tesla metrics --counts --rankings rankings.csv --json".split(), folder=tmp_path)[
                0
            ]
        )["tables"]
    )
    words = ["tesla", "metrics", "--counts", "--rankings", "rankings.csv", "-o", "long.parquet"]
    _, said = run(*words, folder=tmp_path, code=2)
    assert "rankings of 2 language pairs: de-en, fr-en; name one, for example with --pair" in said
    out, said = run(*words, "--pair", "fr-en", "--json", folder=tmp_path)
    found = json_of(out)
    assert found["rankings"] == pl.read_parquet(tmp_path / "long.parquet").to_dicts()
    assert found["signature"].startswith("pair:fr-en|rankings:5,table:")
    assert "16 rows written to long.parquet" in said
    wanted = read_rankings(tmp_path / "rankings.csv", "fr-en")
    assert read_rankings(tmp_path / "long.parquet").frame.equals(wanted.frame)
    # The file still has its pair.
    segments = segments_of(scores_of(8))
    assert meta(tmp_path / "long.parquet", segments, bootstrap=0).pair == "fr-en"
    assert read_rankings(tmp_path / "long.parquet", "French-English").frame.equals(wanted.frame)
    with pytest.raises(InputError, match="no columns srclang"):
        read_rankings(tmp_path / "long.parquet", "de-en")
    with connected() as con:
        found = con.sql(f"select count(*) from human_scores('{tmp_path}/long.parquet')")
        assert found.fetchall() == [(4,)]


def test_segments_from_files(tmp_path):
    frame = segments_of(scores_of(5), other=scores_of(6))
    frame.write_csv(tmp_path / "s.csv")
    frame.write_parquet(tmp_path / "s.parquet")
    frame.drop("score").write_ndjson(tmp_path / "s.jsonl")
    wanted = frame.select("system", "sid", "score").rows()
    for name in ("s.csv", "s.parquet"):
        found = read_segments({"m": tmp_path / name})
        assert found.metrics == ["m"]
        assert found.rows.drop("metric").rows() == wanted
    found = read_segments(tmp_path / "s.jsonl")
    assert found.metrics == ["other"]
    found = read_segments({"m": tmp_path / "s.jsonl", "n": frame.drop("score").with_columns(b=1)})
    assert found.metrics == ["m", "n.other", "n.b"]
    found = read_segments(tmp_path / "s.csv", ["other", "score"])
    assert found.metrics == ["other", "score"]
    (tmp_path / "bad.csv").write_text("system,sid,score\na,0,1\na,x,1\n")
    with pytest.raises(InputError, match=r"bad\.csv:3: 'x' as sid"):
        read_segments(tmp_path / "bad.csv")
    with pytest.raises(InputError, match="two metrics are called 'score'"):
        read_segments({None: frame, "score": frame})


TABLE_2 = {
    "TESLA-M": ([1.00, 0.86, 0.85, 0.99, 0.66], 0.87),
    "TESLA-B": ([1.00, 0.92, 0.67, 0.95, 0.83], 0.87),
    "TESLA-F": ([1.00, 0.92, 0.68, 0.94, 0.94], 0.90),
    "ulc": ([1.00, 0.92, 0.78, 0.86, 0.60], 0.83),
    "maxsim": ([0.70, 0.91, 0.76, 0.98, 0.66], 0.80),
    "meteor-0.6": ([0.70, 0.93, 0.56, 0.87, 0.54], 0.72),
}
TABLE_4 = {
    "TESLA-M": ([0.93, 0.86, 0.79], 0.86),
    "TESLA-B": ([0.91, 0.05, 0.63], 0.53),
    "TESLA-F": ([0.85, 0.78, 0.67], 0.77),
    "wpF": ([0.90, -0.06, 0.58], 0.47),
    "wpleu": ([0.92, 0.07, 0.63], 0.54),
}


@pytest.mark.parametrize("table", [TABLE_2, TABLE_4], ids=["table 2", "table 4"])
def test_averages_equal_the_papers(table):
    """Dahlmeier, Liu & Ng 2011, tables 2 and 4: Spearman's correlation by language pair."""
    size = len(next(iter(table.values()))[0])
    pairs = {
        f"pair {k}": pl.DataFrame(
            {"metric": list(table), "spearman": [values[k] for values, _ in table.values()]}
        )
        for k in range(size)
    }
    found = meta_average(pairs)
    assert found.height == len(table) * (size + 1)
    means = dict(found.filter(pl.col("pair") == "average").select("metric", "spearman").rows())
    assert {name: round(mean, 2) for name, mean in means.items()} == {
        name: mean for name, (_, mean) in table.items()
    }


def test_an_average_lacks_figures_that_a_pair_lacks():
    found = meta(rankings_of(RANKINGS), segments_of(scores_of(7)), bootstrap=0).scores
    less = found.with_columns(spearman=pl.lit(None, pl.Float64))
    row = meta_average({"fr-en": found, "de-en": less}).row(-1, named=True)
    assert row["spearman"] is None
    assert row["tau_wmt12"] == pytest.approx(found["tau_wmt12"][0])
    with pytest.raises(InputError, match="no language pairs"):
        meta_average({})


def files(folder):
    """Rankings of two pairs, one of which matches the scores."""
    frame = rankings_of(RANKINGS).with_columns(srclang=pl.lit("French"), trglang=pl.lit("English"))
    other = frame.with_columns(srclang=pl.lit("German"), system="x" + pl.col("system"))
    other = other.with_columns(ranking=pl.col("ranking") + 100)
    pl.concat([frame, other]).write_csv(folder / "rankings.csv")
    segments_of(scores_of(8)).write_parquet(folder / "one.parquet")
    segments_of(scores_of(9)).write_csv(folder / "two.csv")


def test_the_command(tmp_path):
    files(tmp_path)
    words = ["tesla", "metrics", "--rankings", "rankings.csv", "--segments", "m=one.parquet"]
    words += ["--segments", "two.csv", "--bootstrap", "100"]
    out, said = run(*words, "--json", "-o", "found.csv", folder=tmp_path)
    found = json_of(out)
    assert [row["metric"] for row in found["scores"]] == ["m", "two"]
    wanted = slow.tau(slow.counts(RANKINGS, scores_of(8)), "wmt14")
    assert found["scores"][0]["tau_wmt14"] == pytest.approx(wanted)
    assert len(found["comparisons"]) == len(FIGURES)
    assert {row["system"] for row in found["systems"]} == set(SYSTEMS)
    assert "rankings.csv: pair fr-en, whose systems match the scores" in said
    assert pl.read_csv(tmp_path / "found.csv")["metric"].to_list() == ["m", "two"]
    out, _ = run(*words, "--pair", "French-English", folder=tmp_path)
    assert "Agreement with human rankings" in out
    assert "P-values" in out
    assert "consistency-ties:wrong" in out
    _, said = run(*words, "--pair", "de-en", folder=tmp_path, code=2)
    assert "no ranked system has scores" in said
    out, said = run(*words[:6], "--bootstrap", "0", "--set", "ties=half", folder=tmp_path)
    assert "over only 4 systems" in said
    assert "P-values" not in out
    assert "consistency-ties:half" in out
    run(*words, "--comparisons", "differ.csv", folder=tmp_path)
    differ = pl.read_csv(tmp_path / "differ.csv")
    assert differ["figure"].to_list() == list(FIGURES)
    assert set(differ["metric"]) == {"m"}
    for wrong in (["--comparisons", "x.csv", "--bootstrap", "0"], ["--comparisons", "x.txt"]):
        _, said = run(*replaced(words, *wrong), folder=tmp_path, code=2)
        assert "--comparisons needs --bootstrap above 0" in said or "the suffix '.txt'" in said
    one = [*words[:4], "--segments", "two.csv"]
    _, said = run(*one, "--comparisons", "x.csv", folder=tmp_path, code=2)
    assert "--comparisons of one metric; expected at least two" in said
    out, _ = run(*one, "--bootstrap", "50", folder=tmp_path)
    assert re.search(r"\n two +-?\d\.\d{4}", out)  # named after its file
    assert re.search(r"-?\.\d{3} to -?\.\d{3}|-1\.000 to -?1?\.\d{3}", out)
    assert "--" not in out
    out, _ = run(*one, "--bootstrap", 0, "--lower", "two", "--json", folder=tmp_path)
    assert json_of(out)["scores"][0]["metric"] == "two"
    _, said = run(*words[:6], "--segments", "m=two.csv", folder=tmp_path, code=2)
    assert "the metric 'm' is given twice" in said


def test_rankings_and_segments_may_be_paths(tmp_path):
    files(tmp_path)
    rankings, segments = tmp_path / "rankings.csv", tmp_path / "one.parquet"
    by_path = meta(str(rankings), segments, bootstrap=0)
    by_table = meta(
        read_rankings(rankings, systems=SYSTEMS), pl.read_parquet(segments), bootstrap=0
    )
    assert by_path.scores.equals(by_table.scores)
    with pytest.raises(InputError, match=r"columns a;.*ranking, sid"):
        meta(pl.DataFrame({"a": [1]}), segments)
    with pytest.raises(InputError, match=r"given as a table; expected .* path"):
        meta(3, segments)


def test_missing_ranks_cause_a_warning(tmp_path):
    files(tmp_path)
    table = pl.read_csv(tmp_path / "rankings.csv").with_row_index()
    rank = pl.when(pl.col("index") > 0).then("rank")
    table.with_columns(rank.alias("rank")).drop("index").write_csv(tmp_path / "rankings.csv")
    words = ["tesla", "metrics", "--rankings", "rankings.csv", "--segments", "one.parquet"]
    _, said = run(*words, "--bootstrap", 0, folder=tmp_path)
    assert "warning: rankings.csv: 1 translation without a rank was left out\n" in said


def test_scores_that_differ_by_rounding_are_tied():
    rankings = rankings_of([(0, {"a": 1, "b": 2, "c": 3})])
    scores = {("a", 0): 0.1 + 0.2, ("b", 0): 0.3, ("c", 0): 0.3 * (1 + 1e-10)}
    found = meta(rankings, segments_of(scores), bootstrap=0).scores.row(0, named=True)
    assert (found["metric_ties"], found["concordant"], found["discordant"]) == (1, 0, 2)
    other = {key: -score for key, score in scores.items()}
    both = read_segments({"m": segments_of(scores), "n": segments_of(other)}).with_consensus()
    means = both.rows.filter(pl.col("metric") == "consensus").sort("system")["score"].to_list()
    assert means == [-2.0, -2.0, -2.0]
    zeros = {("a", 0): 0.0, ("b", 0): -0.0, ("c", 0): 1e-300}
    found = meta(rankings, segments_of(zeros), bootstrap=0).scores.row(0, named=True)
    assert (found["metric_ties"], found["concordant"], found["discordant"]) == (1, 0, 2)
