"""Links, beads, texts, word pairs, lexicons and rankings in other clothes have the same scores."""

from functools import cache
from itertools import product
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from helpers.cli import json_of, run
from helpers.clothes import AWKWARD, BYTES, SHIFTED, Case, check, dressed, heard, joined
from helpers.sql import connected

from alignframe import links
from alignframe.engines.tables import make_views

DATA = Path(__file__).parents[2] / "datasets"
FROM_ONE = "count from 1"
TURNED = "target word first"


# Links.


@cache
def sentences(name):
    """Return 24 sentences of links, as dicts of (i, j) with Sure; the first ones not empty."""
    rows = []
    for line in (DATA / "en-fr" / f"{name}.talp").read_text().splitlines()[:24]:
        links_of_line = {}
        for word in line.split():
            mark = "p" if "p" in word else "-"
            i, j = map(int, word.split(mark))
            links_of_line[i, j] = mark == "-"
        rows.append(links_of_line)
    return rows


@cache
def words(side):
    return [one.split() for one in (DATA / "en-fr" / f"text.{side}").read_text().splitlines()[:24]]


def pharaoh(rows, base=0, swapped=False):
    def shown(link, sure):
        i, j = (k + base for k in (link[::-1] if swapped else link))
        return f"{i}{'-' if sure else 'p'}{j}"

    return [" ".join(shown(link, sure) for link, sure in row.items()) for row in rows]


def with_ids(rows, first=1, order=1):
    return [f"{k}\t{line}" for k, line in enumerate(pharaoh(rows), first)][::order]


def naacl(rows, first=1, order=1):
    lines = [
        [f"{k} {i + 1} {j + 1} {'S' if sure else 'P'}" for (i, j), sure in row.items()]
        for k, row in enumerate(rows, first)
    ]
    return [line for part in lines[::order] for line in part]


def moses(rows):
    return [
        f"{' '.join(src)} ||| {' '.join(tgt)} ||| {line}"
        for src, tgt, line in zip(words("en"), words("fr"), pharaoh(rows), strict=True)
    ]


def tsv(rows):
    return [
        "\t".join(
            [" ".join(src), " ".join(tgt)]
            + [" ".join(f"{i}-{j}" for (i, j), s in row.items() if s == sure) for sure in (1, 0)]
        )
        for src, tgt, row in zip(words("en"), words("fr"), rows, strict=True)
    ]


def long_frame(rows, first=0, base=0):
    found = [
        (k, i + base, j + base, sure)
        for k, row in enumerate(rows, first)
        for (i, j), sure in row.items()
    ]
    return pl.DataFrame(found, schema=["sid", "i", "j", "sure"], orient="row")


def nested_frame(rows, first=0, base=0):
    return pl.DataFrame(
        {
            "sid": range(first, first + len(rows)),
            "links": [
                [{"i": i + base, "j": j + base, "sure": sure} for (i, j), sure in row.items()]
                for row in rows
            ],
        }
    )


LINK_TEXTS = {
    "pharaoh": (pharaoh, ".talp"),
    "numbered": (with_ids, ".txt"),
    "numbered from 0": (lambda rows: with_ids(rows, 0), ".txt"),
    "numbered, backwards": (lambda rows: with_ids(rows, order=-1), ".txt"),
    "naacl": (naacl, ".naacl"),
    "naacl from 0": (lambda rows: naacl(rows, 0), ".wa"),
    "naacl, backwards": (lambda rows: naacl(rows, order=-1), ".wa"),
    "moses": (moses, ".moses"),
    "tsv": (tsv, ".tsv"),
}
LINK_FRAMES = {
    "long": long_frame,
    "nested": nested_frame,
    "arrow": lambda rows: long_frame(rows).to_arrow(),
    "columns": lambda rows: long_frame(rows).to_dict(as_series=False),
    "rows": lambda rows: long_frame(rows).to_dicts(),
    "texts": pharaoh,
    "pairs": lambda rows: [[(i, j, sure) for (i, j), sure in row.items()] for row in rows],
    "decimals": lambda rows: long_frame(rows).with_columns(pl.col("sid").cast(pl.Decimal(20, 0))),
    "unsigned": lambda rows: long_frame(rows).with_columns(pl.col("sid").cast(pl.UInt64)),
}
EXPECTED = ["precision", "recall", "aer", "links", "sentences"]


def figures_of(hyps, gold):
    """Return the figures of the only system."""
    found = links.score(hyps, gold).scores
    return [found[name][0] for name in EXPECTED]


def scored(hyp, gold):
    return figures_of({"x": hyp}, gold)


def scored_in_shell(hyp, gold):
    printed, said = run("links", "score", "--hyp", f"x={hyp}", "--gold", gold, "--json")
    heard(said)
    (row,) = json_of(printed)
    return [row[name] for name in EXPECTED]


def scored_in_sql(hyp, gold):
    with connected() as con:
        make_views(con, {"h": hyp, "g": gold})
        row = con.sql("from link_scores('h', 'g')").pl()
    return [row[name][0] for name in EXPECTED]


@cache
def links_expected():
    return scored(pharaoh(sentences("eager")), pharaoh(sentences("gold")))


ROADS = {"python": scored, "shell": scored_in_shell, "sql": scored_in_sql}


def both_ways(road, other, given):
    """Return functions that score a given input as the system and as gold."""
    return {
        "hyp": lambda: road(given("eager"), other("gold")),
        "gold": lambda: road(other("eager"), given("gold")),
    }


@pytest.mark.parametrize("format", LINK_TEXTS)
def test_files_of_links(tmp_path, format):
    write, suffix = LINK_TEXTS[format]
    plain = {
        name: dressed(tmp_path, name, joined(pharaoh(sentences(name))), "plain")
        for name in ("eager", "gold")
    }

    def given(clothes, road):
        def path(name):
            return dressed(tmp_path, name, joined(write(sentences(name))), clothes, suffix)

        return path

    cases = []
    for clothes, (road, score) in product(BYTES, ROADS.items()):
        if road != "python" and (clothes not in ("plain", "cr") or "backwards" in format):
            continue
        for side, figures in both_ways(score, plain.__getitem__, given(clothes, road)).items():
            says = "columns" if (format, road) == ("tsv", "sql") else BYTES[clothes][2]
            cases.append(Case(f"{format} {clothes} {road} {side}", figures, says))
    check(cases, links_expected())


@pytest.mark.parametrize("kind", LINK_FRAMES)
def test_tables_of_links(tmp_path, kind):
    make = LINK_FRAMES[kind]
    cases = []
    for (road, score), stored in product(ROADS.items(), (False, True)):
        if road == "shell" and not stored:
            continue

        def given(name, stored=stored):
            made = make(sentences(name))
            if not stored:
                return made
            path = tmp_path / f"{name}.parquet"
            frame = (
                made if isinstance(made, (pl.DataFrame, pa.Table)) else long_frame(sentences(name))
            )
            pl.DataFrame(frame).write_parquet(path)
            return path

        for side, figures in both_ways(score, given, given).items():
            if road == "sql" and not stored and kind in ("texts", "pairs", "columns", "rows"):
                continue
            cases.append(Case(f"{kind} {road} {side} stored={stored}", figures))
    check(cases, links_expected())


@pytest.mark.parametrize("name", AWKWARD)
def test_names_of_files_of_links(tmp_path, name):
    paths = [
        dressed(
            tmp_path, name, "".join(f"{one}\n" for one in pharaoh(sentences(side))), "plain", suffix
        )
        for side, suffix in (("eager", ".talp"), ("gold", ""))
    ]
    hyp, gold = paths
    cases = [
        Case(f"{name} {road}", lambda score=score: score(hyp, gold))
        for road, score in ROADS.items()
    ]
    cases += [
        Case(f"{name} in a list", lambda: figures_of([hyp], gold)),
        Case(f"{name} in a dict", lambda: figures_of({name: hyp}, gold)),
        Case(
            f"{name} in a dict of frames",
            lambda: figures_of({name: long_frame(sentences("eager"))}, gold),
        ),
        Case(
            f"{name} in a dict of texts",
            lambda: figures_of({name: pharaoh(sentences("eager"))}, gold),
        ),
    ]
    check(cases, links_expected())


@pytest.mark.parametrize("at", [(0,), (23,), (7,), (0, 1, 2), (0, 23)], ids=str)
def test_sentences_without_links(tmp_path, at):
    """Whichever format has them, in the system's or in gold's links."""

    def emptied(name):
        return [{} if k in at else row for k, row in enumerate(sentences(name))]

    for side in ("eager", "gold"):
        other = "gold" if side == "eager" else "eager"
        chosen = {side: emptied(side), other: sentences(other)}
        expected = scored(*(pharaoh(chosen[name]) for name in ("eager", "gold")))[:4]
        cases = []
        for kind, (write, suffix) in LINK_TEXTS.items():
            for name in ("eager", "gold"):
                given = {one: pharaoh(rows) for one, rows in chosen.items()}
                given[name] = dressed(tmp_path, name, joined(write(chosen[name])), "plain", suffix)
                cases.append(
                    Case(
                        f"{kind} {side} empty, {name} as a file",
                        lambda given=given: scored(given["eager"], given["gold"])[:4],
                        # NAACL has no sentences without links.
                        f"{SHIFTED}|sentences? that gold does not have",
                    )
                )
        check(cases, expected)


@pytest.mark.parametrize("road", ROADS)
def test_numbers_of_links(tmp_path, road):
    """Words from 1, sentences from 1 or 7, sides swapped: right, or told."""
    score = ROADS[road]

    def stored(frame, name):
        path = tmp_path / f"{name}.parquet"
        frame.write_parquet(path)
        return path

    def written(lines, name):
        return dressed(tmp_path, name, joined(lines), "plain")

    cases = []
    for side in ("eager", "gold"):
        rows, other = sentences(side), {"eager": "gold", "gold": "eager"}[side]
        beside = stored(nested_frame(sentences(other)), f"beside-{side}")
        turned = [{(j, i): sure for (i, j), sure in row.items()} for row in rows]
        clothes = {
            "words from 1, long": (stored(long_frame(rows, base=1), f"l1-{side}"), FROM_ONE),
            "words from 1, nested": (stored(nested_frame(rows, base=1), f"n1-{side}"), FROM_ONE),
            "words from 1, text": (written(pharaoh(rows, 1), f"t1-{side}"), FROM_ONE),
            "sids from 1, long": (stored(long_frame(rows, first=1), f"s1-{side}"), SHIFTED),
            "sids from 7, nested": (stored(nested_frame(rows, first=7), f"s7-{side}"), SHIFTED),
            "naacl from 7": (written(naacl(rows, 7), f"w7-{side}"), SHIFTED),
            "numbered from 7": (written(with_ids(rows, 7), f"d7-{side}"), SHIFTED),
            "swapped, long": (stored(long_frame(turned), f"r-{side}"), TURNED),
            "swapped, text": (written(pharaoh(rows, swapped=True), f"rt-{side}"), TURNED),
        }
        for name, (path, says) in clothes.items():
            given = (path, beside) if side == "eager" else (beside, path)
            cases.append(Case(f"{name} {side} {road}", lambda given=given: score(*given), says))
    check(cases, links_expected())
