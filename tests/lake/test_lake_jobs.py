"""Every job gives the same result as its function on the same data."""

import json

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import lake as lakes
from helpers.cli import run
from test_lake import output, statuses

import alignframe as af
from alignframe.aligners import bidirectional
from alignframe.cli.commands import every
from alignframe.core.choices import LAKE_JOBS
from alignframe.errors import DataWarning, InputError
from alignframe.lake.jobs import job_of

KINDS = ("parquet", "delta", "iceberg")


def read(place):
    return pl.DataFrame(pl.from_arrow(af.lake.open(place).reader().read_all()))


def pairs(frame):
    """Return links as lists of pairs, whether their integers are signed or not."""
    rows = frame.sort("domain", "sid").select("domain", "sid", "links").rows()
    return [(*row[:2], [(one["i"], one["j"]) for one in row[2]]) for row in rows]


def by_domain(folder, tables, **options):
    for domain, table in tables.items():
        place = folder / f"domain={domain}"
        place.mkdir(parents=True)
        pq.write_table(table, place / "a.parquet", **options)
    return folder


@pytest.fixture(scope="module")
def text():
    """A text in three domains."""
    lines = (lakes.BUNDLED / "text.en").read_text("utf-8").splitlines()[:30]
    others = (lakes.BUNDLED / "text.fr").read_text("utf-8").splitlines()[:30]
    rows = [(line.split(), other.split()) for line, other in zip(lines, others, strict=True)]
    return {
        domain: pa.table(
            {
                "sid": pa.array(range(10 * k, 10 * k + 10), pa.int64()),
                "src": [src for src, _ in rows[10 * k : 10 * k + 10]],
                "tgt": [tgt for _, tgt in rows[10 * k : 10 * k + 10]],
            }
        )
        for k, domain in enumerate(lakes.DOMAINS)
    }


def test_every_job_is_a_command_and_a_function():
    commands = {op.name for op in every()}
    for job in map(job_of, LAKE_JOBS):
        assert f"lake {job.name}" in commands
        assert callable(getattr(af.lake, job.name))


@pytest.mark.parametrize("kind", KINDS)
def test_symmetrize(kind, tmp_path):
    forward, reverse = (
        {d: lakes.sentences(seed + k) for k, d in enumerate(lakes.DOMAINS)} for seed in (1, 10)
    )
    one = by_domain(tmp_path / "f", forward, row_group_size=5)
    two = by_domain(tmp_path / "r", reverse, row_group_size=4)
    out, how = output(tmp_path, kind)
    assert statuses(af.lake.symmetrize(one, two, out, method="grow-diag", **how)) == {"done": 3}
    wanted = pl.concat(
        af.links.symmetrize(forward[d], reverse[d], "grow-diag").with_columns(domain=pl.lit(d))
        for d in lakes.DOMAINS
    )
    assert pairs(read(out)) == pairs(wanted)
    assert read(out)["system"].unique().to_list() == ["grow-diag"]
    again = af.lake.symmetrize(one, two, out, method="union", **how)
    assert set(again.units["why"]) == {"settings changed"}
    assert read(out).height == wanted.height


@pytest.mark.parametrize("kind", [*KINDS, "own"])
def test_a_job_does_not_write_over_its_input(kind, tmp_path):
    """Not even over files called as those of its output, which no job has written."""
    one, two = (by_domain(tmp_path / f"{k}", {"law": lakes.sentences(k)}) for k in (1, 10))
    out, how = output(tmp_path, kind) if kind != "own" else (str(one), {})
    if kind == "own":
        (one / "domain=law" / "a.parquet").rename(one / "domain=law" / "links.parquet")
    else:
        af.lake.symmetrize(one, two, out, **how)
    before = read(out)
    with pytest.raises(InputError, match=r"links.*parquet: is an input of the job, forward; exp"):
        af.lake.symmetrize(out, two, out, method="intersection", **how)
    assert read(out).equals(before)


def test_symmetrize_refuses_other_sentences(tmp_path):
    one = by_domain(tmp_path / "f", {"law": lakes.sentences(1)})
    two = by_domain(tmp_path / "r", {"law": lakes.sentences(2, rows=13)})
    done = af.lake.symmetrize(one, two, tmp_path / "out")
    assert "13" in done.units["error"][0]
    assert done.failed == 1


@pytest.mark.parametrize("kind", KINDS[:2])
def test_align(kind, text, tmp_path):
    lake = by_domain(tmp_path / "text", text)
    whole = pa.concat_tables(text.values())
    for number, reverse in enumerate((False, True)):
        name = ("forward", "reverse")[number]
        af.aligners.fit(whole, model="ibm1", reverse=reverse, iterations=2).save(
            tmp_path / "model" / name
        )
    models = af.aligners.load_directions(tmp_path / "model")
    out, how = output(tmp_path, kind)
    done = af.lake.align(lake, tmp_path / "model", out, symmetrize="union", **how)
    assert statuses(done) == {"done": 3}
    wanted = pl.concat(
        af.aligners.align_with(models, text[d], symmetrize="union").with_columns(domain=pl.lit(d))
        for d in lakes.DOMAINS
    )
    assert pairs(read(out)) == pairs(wanted)
    (tmp_path / "model" / "forward" / "model.json").touch()
    again = af.lake.align(lake, tmp_path / "model", out, symmetrize="union", **how)
    assert set(again.units["why"]) == {"settings changed"}


@pytest.mark.parametrize("kind", KINDS[:2])
def test_align_trains_one_model_for_all_that_comes(kind, text, tmp_path, monkeypatch):
    trained = []
    fit = bidirectional.fit_directions
    monkeypatch.setattr(
        bidirectional,
        "fit_directions",
        lambda some, *given: trained.append(some) or fit(some, *given),
    )
    first, second, third = lakes.DOMAINS
    lake = by_domain(tmp_path / "text", {first: text[first], second: text[second]})
    out, how = output(tmp_path, kind)
    with pytest.raises(
        InputError, match="`dry_run` before a model of 15 sentence pairs is trained"
    ):
        af.lake.align(lake, out=out, train_on=15, dry_run=True, **how)
    assert not (tmp_path / "out").exists()
    assert statuses(af.lake.align(lake, out=out, train_on=15, **how)) == {"done": 2}
    assert [some.num_rows for some in trained] == [15]  # of both, which number their rows alike
    by_domain(tmp_path / "text", {third: text[first]})
    again = af.lake.align(lake, out=out, train_on=15, dry_run=True, **how)
    assert statuses(again) == {"skipped": 2, "to do": 1}
    assert statuses(af.lake.align(lake, out=out, train_on=15, **how)) == {"skipped": 2, "done": 1}
    models = af.aligners.load_directions(tmp_path / "out" / "_alignframe" / "model.parts" / "model")
    wanted = pl.concat(
        af.aligners.align_with(models, text[of]).with_columns(domain=pl.lit(d))
        for d, of in ((first, first), (second, second), (third, first))
    )
    assert pairs(read(out)) == pairs(wanted)
    with pytest.raises(InputError, match="before a model of 12 "):
        af.lake.align(lake, out=out, train_on=12, dry_run=True, **how)
    assert len(trained) == 1
    with pytest.warns(DataWarning, match="is of other texts or options, and begun anew"):
        other = af.lake.align(lake, out=out, train_on=12, **how)
    assert set(other.units["why"]) == {"settings changed"}
    assert len(trained) == 2


def test_align_refuses_what_it_cannot_train_on(text, tmp_path):
    lake = by_domain(tmp_path / "text", text)
    (tmp_path / "text.txt").write_text("a ||| b\n")
    for given, said in (
        ((lake, None, tmp_path / "out"), "neither of `model_from` and `train_on`"),
        ((lake, lake, tmp_path / "out", 3), "both of `model_from` and `train_on`"),
        ((lake,), "no `out`"),
        (
            (lake, None, "s3://bucket/out", 3),
            "an output in an object store, where no model is kept",
        ),
        ((tmp_path / "text.txt", None, tmp_path / "out", 3), "the input text is not Parquet"),
        ((lake, None, tmp_path / "out", 0), "`train_on` is 0"),
    ):
        more = {"train_on": given[3]} if given[3:] else {}
        with pytest.raises(InputError, match=said):
            af.lake.align(*given[:3], **more)
        assert not (tmp_path / "out").exists()


def test_partitions_without_rows(text, tmp_path):
    law = lakes.sentences(1)
    links = by_domain(tmp_path / "links", {"law": law, "news": law.slice(0, 0)})
    other = by_domain(tmp_path / "other", {"law": lakes.sentences(2), "news": law.slice(0, 0)})
    joined = af.lake.symmetrize(links, other, tmp_path / "joined")
    assert joined.units["rows"].to_list() == [law.num_rows, 0]
    assert read(tmp_path / "joined")["domain"].unique().to_list() == ["law"]
    some = text[lakes.DOMAINS[0]]
    for reverse, name in enumerate(("forward", "reverse")):
        model = af.aligners.fit(some, model="ibm1", reverse=bool(reverse), iterations=1)
        model.save(tmp_path / "model" / name)
    words = by_domain(tmp_path / "text", {"law": some, "news": some.slice(0, 0)})
    aligned = af.lake.align(words, tmp_path / "model", tmp_path / "aligned")
    assert aligned.units["rows"].to_list() == [some.num_rows, 0]
    assert read(tmp_path / "aligned")["domain"].unique().to_list() == ["law"]


def test_sentence_ids_that_are_not_numbers(text, tmp_path):
    some = pl.DataFrame(text[lakes.DOMAINS[0]]).with_columns(sid=pl.lit("x"))
    af.aligners.fit(some.drop("sid"), model="ibm1", iterations=1).save(tmp_path / "model")
    lake = by_domain(tmp_path / "text", {"law": some.to_arrow()})
    done = af.lake.align(lake, tmp_path / "model", tmp_path / "out", symmetrize="none")
    assert "expected a whole number for every sentence" in done.units["error"][0]


def renumbered(table, sids):
    """Return a table with different sentence numbers."""
    at = table.schema.get_field_index("sid")
    return table.set_column(at, "sid", pa.array(sids, pa.int64()))


@pytest.mark.parametrize("rows", [1, 100])
def test_duplicate_sentences_in_a_text(rows, text, tmp_path):
    law = text["law"]
    af.aligners.fit(law, model="ibm1", iterations=1).save(tmp_path / "model")
    lake = by_domain(
        tmp_path / "text", {"law": renumbered(law, [*range(9), 0])}, row_group_size=rows
    )
    done = af.lake.align(lake, tmp_path / "model", tmp_path / "out", symmetrize="none")
    assert "the text has sentence 0 more than once" in done.units["error"][0]


@pytest.mark.parametrize("rows", [1, 100])
def test_duplicate_sentences_in_links(rows, tmp_path):
    twice = renumbered(lakes.sentences(1), [*range(11), 0])
    one, two = (
        by_domain(tmp_path / name, {"law": twice}, row_group_size=rows) for name in ("f", "r")
    )
    done = af.lake.symmetrize(one, two, tmp_path / "out")
    assert "more than once" in done.units["error"][0]


@pytest.mark.parametrize("rows", [1, 100])
def test_duplicate_sentences_in_translations(rows, translations, tmp_path):
    hyp, ref, lines = translations
    sids = [*range(9), 0]
    table = pa.table({"sid": sids, "text": [lines["fluent"][sid] for sid in sids]})
    path = lakes.write(table, hyp, system="fluent", domain="law")
    pq.write_table(table, path, row_group_size=rows)
    done = af.lake.tesla(hyp, ref, tmp_path / "out", metric="bleu", options={"tokenize": "none"})
    assert "sentence 0 more than once" in done.units.filter(status="failed")["error"][0]


def test_align_refuses_options_before_any_unit(text, tmp_path):
    lake = by_domain(tmp_path / "text", text)
    whole = pa.concat_tables(text.values())
    model = af.aligners.fit(whole, model="ibm1", iterations=1)
    model.save(tmp_path / "model" / "forward")
    for how, said in (
        ({}, "holds no reverse model"),
        ({"symmetrize": "both"}, "unknown `symmetrize` 'both'"),
        ({"symmetrize": "none", "threshold": 1.5}, "`threshold` is 1.5"),
    ):
        with pytest.raises(InputError, match=said):
            af.lake.align(lake, tmp_path / "model", tmp_path / "out", **how)
        assert not (tmp_path / "out").exists()
    done = af.lake.align(lake, tmp_path / "model", tmp_path / "out", symmetrize="none")
    assert statuses(done) == {"done": 3}
    wanted = pl.concat(
        model.align(part).with_columns(domain=pl.lit(domain)) for domain, part in text.items()
    )
    assert pairs(read(tmp_path / "out")) == pairs(wanted)


@pytest.mark.parametrize(
    ("job", "places", "how", "said"),
    [
        ("phrases", 1, {"kind": "mose"}, "`kind` 'mose'.*did you mean 'moses'"),
        ("phrases", 1, {"max_length": 0}, "`max_length` is 0; expected a whole number from 1"),
        ("symmetrize", 2, {"reverse_is": "tgt"}, "order 'tgt'; expected one of src-tgt, tgt-src"),
        (
            "beads",
            2,
            {"one_sided": "all"},
            "unknown `one_sided` 'all'; expected one of precision, count",
        ),
        ("tesla", 2, {"metric": "ter"}, "metric 'ter'"),
        ("tesla", 2, {"options": {"lowercase": True}}, "`lowercase` with `metric='tesla-m'`"),
        ("tesla", 2, {"metric": "bleu", "options": {"model": "m"}}, "`model` with `metric='bleu'`"),
        ("tesla", 2, {"metric": "bleu", "options": {"smooth": "ex"}}, "'ex'.*did you mean 'exp'"),
        ("tesla", 2, {"options": {"empty_order": "skp"}}, "empty_order 'skp'"),
        ("tesla", 2, {"metric": "bleu", "analysis": {"tokens": "penn"}}, "analysis with bleu"),
    ],
)
def test_options_are_refused_before_any_unit(job, places, how, said, tmp_path):
    places = ["links.parquet"] * places
    with pytest.raises(InputError, match=said):
        getattr(af.lake, job)(*places, tmp_path / "out", **how)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_phrases(kind, tmp_path):
    hyp, _ = lakes.plain_lake(tmp_path)
    out, how = output(tmp_path, kind)
    done = af.lake.phrases(hyp, out, kind="moses", max_length=3, **how)
    assert statuses(done) == {"done": 6}
    table, _ = lakes.all_links()
    wanted = af.phrases.extract(table, "moses", max_length=3)
    columns = wanted.columns
    assert read(out).select(columns).sort(columns).rows() == wanted.sort(columns).rows()


def test_phrases_with_words(text, tmp_path):
    by_domain(tmp_path / "text", text)
    links = {
        d: pa.table({"sid": one["sid"], "links": [[{"i": 0, "j": 0}]] * 10})
        for d, one in text.items()
    }
    by_domain(tmp_path / "links", links)
    af.lake.phrases(tmp_path / "links", tmp_path / "out", text=tmp_path / "text", with_words=True)
    first = read(tmp_path / "out").filter(sid=0)
    assert first["src"][0] == text["law"]["src"][0].as_py()[0]


@pytest.fixture
def translations(tmp_path):
    """A lake of translations, their references, and both in memory."""
    lines = {
        name: (lakes.ISLAND / f"{name}.en").read_text("utf-8").splitlines()
        for name in ("careful", "fluent", "ref")
    }

    def rows(name, k):
        numbers = range(10 * k, 10 * k + 10)
        return pa.table(
            {"sid": pa.array(numbers, pa.int64()), "text": [lines[name][n] for n in numbers]}
        )

    for k, domain in enumerate(lakes.DOMAINS):
        for name in ("careful", "fluent"):
            lakes.write(rows(name, k), tmp_path / "hyp", system=name, domain=domain)
        lakes.write(rows("ref", k), tmp_path / "ref", domain=domain)
    return tmp_path / "hyp", tmp_path / "ref", lines


@pytest.mark.parametrize("metric", ["bleu", "chrf"])
def test_bleu_and_chrf(metric, translations, tmp_path):
    hyp, ref, lines = translations
    options = {"tokenize": "none"}
    done = af.lake.tesla(hyp, ref, tmp_path / "out", metric=metric, options=options)
    assert statuses(done) == {"done": 6}
    systems = {name: lines[name] for name in ("careful", "fluent")}
    for drawn in ({}, {"bootstrap": 20}):
        wanted = af.mt.score(systems, lines["ref"], metrics=[metric], **options, **drawn).scores
        assert af.lake.scores(tmp_path / "out", **drawn).equals(wanted)


def test_tesla(tmp_path):
    analysis = {"tagger": "given", "lemmas": "given", "synonyms": "none"}
    lines = {
        name: [
            " ".join(f"{word}|NN|{word.lower()}" for word in line.replace("|", "").split())
            for line in (lakes.ISLAND / f"{name}.en").read_text("utf-8").splitlines()[:12]
        ]
        for name in ("careful", "fluent", "ref")
    }
    for name, texts in lines.items():
        table = pa.table({"sid": pa.array(range(12), pa.int64()), "text": texts})
        for part in range(2):
            keys = {"part": part} if name == "ref" else {"system": name, "part": part}
            place = tmp_path / ("ref" if name == "ref" else "hyp")
            lakes.write(table[6 * part : 6 * part + 6], place, **keys)
    done = af.lake.tesla(tmp_path / "hyp", tmp_path / "ref", tmp_path / "out", analysis=analysis)
    assert statuses(done) == {"done": 4}, done.units["error"].to_list()
    systems = {name: lines[name] for name in ("careful", "fluent")}
    wanted = af.tesla.score(systems, lines["ref"], "m", bootstrap=0, **analysis)
    got = af.lake.scores(tmp_path / "out")
    assert dict(got.select("system", "score").rows()) == pytest.approx(
        dict(wanted.scores.select("system", "score").rows()), abs=1e-12
    )
    assert got["signature"][0] == wanted.signature


def test_translations_of_other_sentences(translations, tmp_path):
    hyp, ref, _ = translations
    short = pa.table({"sid": [0, 1], "text": ["a", "b"]})
    lakes.write(short, hyp, system="fluent", domain="law")
    done = af.lake.tesla(hyp, ref, tmp_path / "out", metric="bleu", options={"tokenize": "none"})
    assert statuses(done) == {"done": 5, "failed": 1}
    assert "2 sentences" in done.units.filter(status="failed")["error"][0]
    with (
        pytest.warns(DataWarning, match="different numbers"),
        pytest.warns(DataWarning, match="failed on 1 of 6"),
    ):
        af.lake.scores(tmp_path / "out")


def test_beads(tmp_path):
    def table(shift):
        return pa.table(
            {
                "doc": [f"d{k}" for k in range(4) for _ in range(3)],
                "src_start": [0, 1, 2] * 4,
                "src_end": [1, 2, 3] * 4,
                "tgt_start": [0, 1 + shift, 3] * 4,
                "tgt_end": [1 + shift, 3, 4] * 4,
            }
        )

    for system, shift in (("a", 0), ("b", 1)):
        for part in range(2):
            lakes.write(
                table(shift)[6 * part : 6 * part + 6], tmp_path / "h", system=system, p=part
            )
    for part in range(2):
        lakes.write(table(0)[6 * part : 6 * part + 6], tmp_path / "g", p=part)
    assert statuses(af.lake.beads(tmp_path / "h", tmp_path / "g", tmp_path / "out")) == {"done": 4}
    systems = {"a": table(0), "b": table(1)}
    wanted = af.beads.score(systems, table(0), bootstrap=10).scores
    got = af.lake.scores(tmp_path / "out", bootstrap=10)
    assert got["documents"].to_list() == [4, 4]
    figures = [name for name in got.columns if name in wanted.columns]
    for name in figures:
        assert got[name].to_list() == wanted[name].to_list(), name
    assert {"strict_precision", "pair_recall_low", "signature"} <= set(figures)


def test_shell(translations, tmp_path):
    hyp, ref, _ = translations
    words = ("lake", "tesla", hyp, "--ref", ref, "-o", tmp_path / "mt", "--metric", "bleu")
    found = json.loads(run(*words, "--tokenize", "none", "--json")[0])
    assert found["tables"]["run"][0]["done"] == 6
    assert "|metric:bleu|" in found["signature"]
    links, _ = lakes.plain_lake(tmp_path / "links")
    _, said = run("lake", "phrases", links, "-o", tmp_path / "phrases", "--max-length", "2")
    assert "6 done" in said
    both = ("lake", "symmetrize", links, links, "-o", tmp_path / "sym", "--method", "union")
    _, said = run(*both)
    assert "6 done" in said


def test_partitions_of_dates_are_counted_each_against_all_of_gold(bundled, tmp_path):
    gold = pl.DataFrame(pl.from_arrow(af.formats.read(bundled / "gold.talp")))
    gold.write_parquet(tmp_path / "gold.parquet")
    for name, dates in (("eager", ("28", "29")), ("cautious", ("28",))):
        links = pl.DataFrame(pl.from_arrow(af.formats.read(bundled / f"{name}.talp")))
        for date in dates:
            lakes.write(links.drop("system").to_arrow(), tmp_path / "hyp", system=name, dt=date)
    for _ in range(2):
        done = af.lake.score(tmp_path / "hyp", tmp_path / "gold.parquet", tmp_path / "out", on=[])
    assert statuses(done) == {"skipped": 3}
    found = af.lake.scores(tmp_path / "out", by="dt")
    wanted = af.links.score(
        {name: bundled / f"{name}.talp" for name in ("cautious", "eager")}, gold
    )
    aer = dict(wanted.scores.select("system", "aer").rows())
    assert found.select("system", "dt", "aer").rows() == [
        ("cautious", "28", aer["cautious"]),
        ("eager", "28", aer["eager"]),
        ("eager", "29", aer["eager"]),
    ]
    # Parts of a text are merged, as before.
    for part in range(2):
        half = pl.DataFrame(pl.from_arrow(af.formats.read(bundled / "eager.talp"))).drop("system")
        half = half.slice(36 * part, 36).to_arrow()
        lakes.write(half, tmp_path / "parts", system="eager", part=str(part))
    done = af.lake.score(tmp_path / "parts", tmp_path / "gold.parquet", tmp_path / "merged")
    assert done.units["unit"].to_list() == ["system=eager"]
    assert af.lake.scores(tmp_path / "merged")["aer"].to_list() == [aer["eager"]]


def test_a_lake_that_begins_with_one_date_keeps_its_units(bundled, tmp_path):
    gold = pl.DataFrame(pl.from_arrow(af.formats.read(bundled / "gold.talp")))
    gold.write_parquet(tmp_path / "gold.parquet")
    links = pl.DataFrame(pl.from_arrow(af.formats.read(bundled / "eager.talp"))).drop("system")
    names = []
    for date in ("28", "29"):
        lakes.write(links.to_arrow(), tmp_path / "hyp", system="eager", dt=date)
        place = tmp_path / "hyp", tmp_path / "gold.parquet", tmp_path / "out"
        done = af.lake.score(*place, on=[])
        names.append(f"system=eager/dt={date}")
        assert done.units["unit"].to_list() == names
    assert done.units["status"].to_list() == ["skipped", "done"]
    # Of parts, any two may have a sentence in common.
    for date, rows in (("1", (0, 30)), ("2", (30, 42)), ("3", (10, 30))):
        part = links.slice(*rows).to_arrow()
        lakes.write(part, tmp_path / "mixed", system="eager", dt=date)
    with pytest.warns(DataWarning, match="scored as empty"):
        done = af.lake.score(tmp_path / "mixed", tmp_path / "gold.parquet", tmp_path / "new", on=[])
    assert statuses(done) == {"done": 3}
