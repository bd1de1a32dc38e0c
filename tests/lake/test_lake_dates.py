"""Lakes that grow by dates, which gold lacks: each date is a step in time, and no corpus."""

import polars as pl
import pyarrow.parquet as pq
import pytest
from helpers import lake as lakes
from helpers.cli import run

import alignframe as af
from alignframe.errors import InputError
from alignframe.lake import fields, results
from alignframe.lake.dates import in_order, times_of

DATES = ("2026-11-09", "2026-11-27", "2026-11-28")
BOOTSTRAP = 200


def links(name):
    return pl.DataFrame(pl.from_arrow(af.formats.read(lakes.BUNDLED / f"{name}.talp"))).drop(
        "system"
    )


@pytest.fixture(scope="module")
def gold():
    return links("gold")


@pytest.fixture(scope="module")
def nights():
    """The links of each system by date; one of them changes on the second."""
    return {
        (date, system): links(name)
        for date, one in zip(DATES, ("forward", "cautious", "cautious"), strict=True)
        for system, name in (("eager", "eager"), ("nightly", one))
    }


def plain(home, nights, *, dates=DATES, **keys):
    for (date, system), frame in nights.items():
        if date in dates:
            lakes.write(frame.to_arrow(), home / "hyp", system=system, dt=date, **keys)
    return home / "hyp"


def place_of(kind, home, nights):
    """Return a lake of all dates as a table of a kind."""
    if kind == "parquet":
        return plain(home, nights)
    table = lakes.long_frame(
        {keys: frame.to_arrow() for keys, frame in nights.items()}, ["dt", "system"]
    )
    if kind == "delta":
        return lakes.delta_table(home / "hyp", table, ["dt", "system"])
    return lakes.iceberg_table(home, "hyp", table, ["dt", "system"])


@pytest.mark.parametrize("kind", ["parquet", "delta", "iceberg"])
def test_each_date_is_compared_with_the_one_before(kind, gold, nights, tmp_path):
    gold.write_parquet(tmp_path / "gold.parquet")
    hyp = place_of(kind, tmp_path, nights)
    out = f"iceberg:{tmp_path}/out.db.mt.counts" if kind == "iceberg" else tmp_path / "out"
    how = {} if kind == "iceberg" else {"format": kind}
    # All dates at once are as good as night by night.
    af.lake.score(hyp, tmp_path / "gold.parquet", out, on=[], **how)
    found = af.lake.history(out, bootstrap=BOOTSTRAP)
    assert found.dates == ("dt",)
    assert found.runs["run"].to_list() == [*DATES]
    aer = found.scores.filter(measure="aer", system="nightly")
    assert aer["corpus"].to_list() == [None] * 3
    assert len({*aer["segment"]}) == 1
    by_date = af.lake.scores(out, by="dt").filter(system="nightly")
    assert aer["value"].to_list() == by_date["aer"].to_list()


def test_dates_are_ordered_by_their_numbers():
    dates = [
        (("year", year), ("dt", date)) for year, date in (("10", "1"), ("9", "11"), ("9", "2"))
    ]
    assert in_order(dates) == dates[::-1]
    assert times_of(dates) == [""] * 3
    assert times_of([(("dt", "2026-11-28T06"),)]) == ["2026-11-28T06:00:00"]


def test_a_night_changes_no_night_before(gold, nights, tmp_path):
    gold.write_parquet(tmp_path / "gold.parquet")
    places = tmp_path / "hyp", tmp_path / "gold.parquet", tmp_path / "out"
    for number, date in enumerate(DATES[1:]):
        plain(tmp_path, nights, dates=[date])
        done = af.lake.score(*places, on=[])
        statuses = done.units["status"].sort().to_list()
        assert statuses == ["done"] * 2 + ["skipped"] * 2 * number
    found = af.lake.history(tmp_path / "out", bootstrap=BOOTSTRAP)
    assert found.runs.rows()[0][:2] == ("2026-11-27", "2026-11-27T00:00:00")
    assert {*found.tests["verdict"]} == {"unchanged"}
    assert {*found.tests["baseline_run"]} == {"2026-11-27"}
    # A new version of the last night is not compared with the old one, but with the night before.
    lakes.write(nights[DATES[0], "nightly"].to_arrow(), places[0], system="nightly", dt=DATES[2])
    af.lake.score(*places, on=[])
    found = af.lake.history(tmp_path / "out", bootstrap=BOOTSTRAP)
    (aer,) = found.tests.filter(measure="aer", system="nightly").rows(named=True)
    assert (aer["run"], aer["baseline_run"]) == ("2026-11-28", "2026-11-27")
    assert aer["difference"] < 0
    assert aer["verdict"] == "better"
    assert found.tests.filter(system="eager")["verdict"].unique().to_list() == ["unchanged"]


def test_differences_equal_those_of_two_systems(gold, nights, tmp_path):
    gold.write_parquet(tmp_path / "gold.parquet")
    plain(tmp_path, nights, dates=["2026-11-27", "2026-11-09"])
    af.lake.score(tmp_path / "hyp", tmp_path / "gold.parquet", tmp_path / "out", on=[])
    found = af.lake.history(tmp_path / "out", bootstrap=BOOTSTRAP)
    hyp = {"before": nights["2026-11-09", "nightly"], "now": nights["2026-11-27", "nightly"]}
    expected = af.links.score(hyp, gold, bootstrap=BOOTSTRAP).compare("before")
    for row in expected.iter_rows(named=True):
        (own,) = found.tests.filter(measure=row["measure"], system="nightly").rows(named=True)
        for name in ("value", "baseline_value", "difference", "difference_low", "p_value"):
            assert own[name] == pytest.approx(row[name], abs=1e-12)


def test_dates_beside_corpora_and_dates_in_parts(gold, nights, tmp_path):
    parts = {"law": gold[:36], "news": gold[36:].with_columns(pl.col("sid") - 36)}
    for domain, part in parts.items():
        lakes.write(part.to_arrow(), tmp_path / "gold", domain=domain)
    for (date, system), frame in nights.items():
        _, month, day = date.split("-")
        for domain, rows in (("law", frame[:36]), ("news", frame[36:])):
            part = rows.with_columns(sid=pl.Series(range(rows.height)))
            keys = {"month": month, "day": day, "domain": domain, "system": system}
            lakes.write(part.to_arrow(), tmp_path / "hyp", **keys)
    af.lake.score(tmp_path / "hyp", tmp_path / "gold", tmp_path / "out", on=["domain"])
    found = af.lake.history(tmp_path / "out", bootstrap=BOOTSTRAP)
    assert found.dates == ("month", "day")
    assert found.runs["run"].to_list() == ["11/09", "11/27", "11/28"]
    assert found.runs["started"].to_list() == [None] * 3
    corpora = found.scores["corpus"].unique(maintain_order=True).to_list()
    assert corpora == ["law", "news", None]
    whole = found.scores.filter(pl.col("corpus").is_null(), measure="aer", system="nightly")
    assert whole["sentences"].to_list() == [72] * 3
    scored = af.lake.scores(tmp_path / "out", by=["month", "day"], bootstrap=BOOTSTRAP)
    scored = scored.filter(system="nightly").sort(pl.col("day").cast(pl.Int64))
    for end in ("", "_low", "_high"):
        assert whole[f"value{end}"].to_list() == pytest.approx(scored[f"aer{end}"].to_list())


def test_a_sentence_of_many_dates_is_resampled_as_one(gold, nights, tmp_path):
    gold.write_parquet(tmp_path / "gold.parquet")
    same = {(date, system): nights[DATES[0], system] for date, system in nights}
    plain(tmp_path, same)
    places = tmp_path / "hyp", tmp_path / "gold.parquet"
    af.lake.score(*places, tmp_path / "out", on=[])
    hyp = {system: same[DATES[0], system] for system in ("eager", "nightly")}
    once = af.links.score(hyp, gold, bootstrap=BOOTSTRAP)
    found = af.lake.scores(tmp_path / "out", bootstrap=BOOTSTRAP)
    for name in ("aer", "aer_low", "aer_high"):
        assert found[name].to_list() == pytest.approx(once.scores[name].to_list())
    differences = af.lake.compare(tmp_path / "out", baseline="eager", bootstrap=BOOTSTRAP)
    assert differences["p_value"].to_list() == once.compare("eager")["p_value"].to_list()


def test_many_dates_are_not_many_sentences(gold, nights, tmp_path, monkeypatch):
    for module in (results, fields):
        monkeypatch.setattr(module, "MAX_UNITS", 100)  # fewer than those of two dates
    gold.write_parquet(tmp_path / "gold.parquet")
    af.lake.score(plain(tmp_path, nights), tmp_path / "gold.parquet", tmp_path / "out", on=[])
    found = af.lake.history(tmp_path / "out", bootstrap=BOOTSTRAP)
    scored = af.lake.scores(tmp_path / "out", by="dt", bootstrap=BOOTSTRAP)
    for (date,), own in scored.group_by("dt"):
        row = found.scores.filter(run=date, measure="aer")
        assert row["value_low"].to_list() == own["aer_low"].to_list()
        once = af.links.score(
            {system: nights[date, system] for system in own["system"]}, gold, bootstrap=BOOTSTRAP
        )
        assert own["aer_high"].to_list() == pytest.approx(once.scores["aer_high"].to_list())


def test_systems_without_a_date_are_not_compared_over_all(gold, nights, tmp_path):
    gold.write_parquet(tmp_path / "gold.parquet")
    hyp = plain(
        tmp_path, {keys: one for keys, one in nights.items() if keys != (DATES[2], "eager")}
    )
    af.lake.score(hyp, tmp_path / "gold.parquet", tmp_path / "out", on=[])
    with pytest.raises(InputError, match="'eager' was counted on 144 rows, others on 216"):
        af.lake.compare(tmp_path / "out", baseline="eager", bootstrap=BOOTSTRAP)
    found = af.lake.history(tmp_path / "out", bootstrap=BOOTSTRAP)
    last = found.scores.filter(run=DATES[2])
    assert last["system"].unique().to_list() == ["nightly"]


def test_names_and_parts_of_a_text_are_corpora(gold, nights, tmp_path):
    gold.write_parquet(tmp_path / "gold.parquet")
    frame = nights[DATES[0], "nightly"]
    for name in ("intersection", "union"):
        lakes.write(frame.to_arrow(), tmp_path / "names", system="a", method=name)
    af.lake.score(tmp_path / "names", tmp_path / "gold.parquet", tmp_path / "out", on=[])
    found = af.lake.history(tmp_path / "out", bootstrap=BOOTSTRAP)
    assert found.dates == ()
    assert found.scores["corpus"].unique(maintain_order=True).to_list()[:2] == [
        "intersection",
        "union",
    ]
    # Of translations, the references may have all parts.
    texts = pl.DataFrame({"sid": range(4), "text": ["a b", "a c", "d", "e f g"]})
    texts.write_parquet(tmp_path / "ref.parquet")
    for part in (0, 1):
        rows = texts[2 * part : 2 * part + 2].to_arrow()
        lakes.write(rows, tmp_path / "parts", system="a", part=part)
        lakes.write(texts.to_arrow(), tmp_path / "dates", system="a", dt=f"2026110{part}")
    for name, dates in (("parts", ()), ("dates", ("dt",))):
        af.lake.tesla(
            tmp_path / name, tmp_path / "ref.parquet", tmp_path / f"{name}-out", metric="chrf"
        )
        assert af.lake.history(tmp_path / f"{name}-out", bootstrap=0).dates == dates


def test_the_shell_and_the_page_speak_of_dates(gold, nights, tmp_path):
    pq.write_table(gold.to_arrow(), tmp_path / "gold.parquet")
    hyp = plain(tmp_path, nights, dates=DATES[1:])
    out = tmp_path / "out"
    af.lake.score(hyp, tmp_path / "gold.parquet", out, on=[])
    shown = run("lake", "history", out, "--bootstrap", 50, "--all", "--measure", "aer")
    lines = [line.split() for line in shown.stdout.splitlines()]
    assert ["Dates"] in lines
    assert ["dt", "corpus", "system", "measure", "value"] in [line[:5] for line in lines]
    unknown = run("lake", "history", out, "--baseline", "2026-11-1", code=2)
    assert "2026-11-27" in unknown.stderr
    page = af.report.lake_report(out, bootstrap=50)
    assert "2 systems on 1 corpus at 2 dates." in page.set_up
    assert "with itself at the date before" in page.set_up
    assert page.lead.startswith("At dt=2026-11-28, AER of 2 systems is the same as that at the ")
    assert "<label>Date <select" in page.html()
