"""Links outside their sentence pair in a lake: refused if the text is given, or left out."""

import base64
import gzip
import json

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import lake as lakes
from helpers.cli import run
from test_lake import output

import alignframe as af
from alignframe.errors import DataWarning, InputError

SYSTEMS = ("a", "b")


def words(size):
    return ["w"] * size


def frame(links, **labels):
    """Return links of sentences as a frame, each a text such as ``0-0 1-1``."""
    pairs = [
        [{"i": int(i), "j": int(j)} | labels for i, j in (one.split("-") for one in text.split())]
        for text in links
    ]
    return pl.DataFrame({"sid": range(len(links)), "links": pairs})


TEXT = pl.DataFrame(
    {"sid": [0, 1, 2], "src": list(map(words, (2, 1, 3))), "tgt": list(map(words, (2, 2, 1)))}
)
LINKS = {
    "a": ["0-0 1-1 2-2", "0-1 0-0", "0-0 3-1"],  # two ends of sentence
    "b": ["0-0 1-1", "0-1", "0-0 2-0"],
}
GOLD = ["0-0 1-1 2-2", "0-1 1-2", "0-0"]
KEPT = {"a": ["0-0 1-1", "0-1 0-0", "0-0"], "b": LINKS["b"]}
KEPT_GOLD = ["0-0 1-1", "0-1", "0-0"]


@pytest.fixture
def lake(tmp_path):
    """Two domains whose sentence numbers start over, with gold and text."""
    for domain in ("law", "news"):
        for system in SYSTEMS:
            table = frame(LINKS[system]).to_arrow()
            lakes.write(table, tmp_path / "hyp", system=system, domain=domain)
        lakes.write(frame(GOLD, sure=True).to_arrow(), tmp_path / "gold", domain=domain)
        lakes.write(TEXT.to_arrow(), tmp_path / "text", domain=domain)
    return tmp_path


@pytest.mark.parametrize("kind", ["parquet", "delta", "iceberg"])
def test_they_are_left_out_of_counts(kind, lake):
    out, how = output(lake, kind)
    places = lake / "hyp", lake / "gold", out
    failed = af.lake.score(*places, text=lake / "text", **how)
    errors = failed.units["error"].to_list()
    assert failed.failed == 4
    assert all("lies outside its sentence pair" in one for one in errors)
    assert all("leave such links out with `drop_outside`" in one for one in errors)
    with pytest.warns(DataWarning, match="a: left out 2 links outside their sentence pair"):
        done = af.lake.score(*places, text=lake / "text", drop_outside=True, **how)
    assert done.failed == 0
    with pytest.warns(DataWarning, match="gold: left out 2 links"):
        found = af.lake.scores(out, by="domain")
    kept = {name: frame(links) for name, links in KEPT.items()}
    expected = af.links.score(kept, frame(KEPT_GOLD, sure=True)).scores
    for domain in ("law", "news"):
        own = found.filter(domain=domain).drop("domain", "signature")
        assert own.equals(expected.select(own.columns))
    # They are a choice, and changing it counts again.
    assert "|outside:dropped|" in found["signature"][0]
    again = af.lake.score(lake / "hyp", lake / "gold", out, **how)
    assert {*again.units["why"]} == {"settings and text changed"} or again.failed == 0
    assert "outside" not in af.lake.scores(out)["signature"][0]


def test_links_score_says_the_same(lake):
    gold = frame(GOLD, sure=True)
    with pytest.warns(DataWarning) as said:
        found = af.links.score(
            {name: frame(links) for name, links in LINKS.items()},
            gold,
            bitext=TEXT,
            drop_outside=True,
        ).scores
    texts = sorted(str(one.message).partition(" outside")[0] for one in said)
    assert texts == ["a: left out 2 links", "gold: left out 2 links"]
    assert found["signature"][0].endswith("|outside:dropped")
    kept = {name: frame(links) for name, links in KEPT.items()}
    expected = af.links.score(kept, frame(KEPT_GOLD, sure=True)).scores
    assert found.drop("signature").equals(expected.drop("signature"))
    # Sentences that gold lacks have no part in scores, and so none in what is left out.
    with pytest.warns(DataWarning) as said:
        af.links.score(frame(LINKS["a"]), gold[:1], bitext=TEXT, drop_outside=True).counts.height
    assert sum("left out 1 link outside" in str(one.message) for one in said) == 2
    with pytest.raises(InputError, match="`drop_outside` needs the text"):
        af.links.score(frame(LINKS["a"]), gold, drop_outside=True).scores.height


def test_they_are_left_out_of_phrases(lake):
    places = lake / "hyp", lake / "out"
    failed = af.lake.phrases(*places, text=lake / "text", on=["domain"])
    assert failed.units["status"].sort().to_list() == ["done"] * 2 + ["failed"] * 2
    with pytest.warns(DataWarning, match="left out 2 links outside"):
        done = af.lake.phrases(*places, text=lake / "text", drop_outside=True, on=["domain"])
    assert done.failed == 0
    assert "|outside:dropped" in done.signature
    found = pl.DataFrame(pl.from_arrow(af.lake.open(lake / "out").reader().read_all()))
    spans = ["sid", "src_start", "src_end", "tgt_start", "tgt_end"]
    for system, links in KEPT.items():
        expected = af.phrases.extract(frame(links), bitext=TEXT).select(spans)
        own = found.filter(system=system, domain="law").select(spans)
        assert own.sort(spans).equals(expected.sort(spans), null_equal=True)


def test_the_shell_needs_the_text_and_says_what_was_left_out(lake):
    words = ["lake", "score", "hyp", "--gold", "gold", "-o", "out", "--drop-outside"]
    said = run(*words, folder=lake, code=2).stderr
    assert "--drop-outside needs --text" in said
    assert not (lake / "out").exists()
    said = run(*words, "--text", "text", folder=lake).stderr
    assert "a: left out 2 links outside" in said
    assert (
        "--drop-outside needs --text"
        in run("lake", "phrases", "hyp", "-o", "p", "--drop-outside", folder=lake, code=2).stderr
    )
    refused = run(*words[:-2], "new", "--text", "text", folder=lake, code=1).stderr
    assert "or leave such links out with --drop-outside" in refused


@pytest.mark.filterwarnings("ignore::alignframe.errors.DataWarning")
def test_a_page_opens_the_sentences_of_counts_with_a_text(lake):
    places = lake / "hyp", lake / "gold", lake / "out"
    af.lake.score(*places, text=lake / "text", drop_outside=True)
    (lake / "text" / "domain=law" / "part-0.parquet").touch()
    lakes.write(frame(KEPT["a"]).to_arrow(), lake / "hyp", system="b", domain="law")
    again = af.lake.score(*places, text=lake / "text", drop_outside=True)
    assert set(again.units.filter(unit="system=b/domain=law")["why"]) == {"hyp and text changed"}
    found = af.lake.history(lake / "out", bootstrap=0)
    # The text has another time, and is the same.
    assert {*found.tests.filter(corpus="law")["verdict"]} == {"unchanged"}
    text = lake / "text" / "domain=law" / "part-0.parquet"
    pq.write_table(pq.read_table(text).append_column("note", pa.nulls(TEXT.height)), text)
    af.lake.score(*places, text=lake / "text", drop_outside=True)
    found = af.lake.history(lake / "out", bootstrap=0)
    last = found.tests.filter(corpus="law", run=found.runs["run"][-1])
    assert {*last["verdict"]} == {"not comparable: text changed"}
    page = af.report.lake_report(lake / "out", text=lake / "text", bootstrap=0)
    assert page.blocks["d-0"] != page.blocks["d-1"]


@pytest.mark.filterwarnings("ignore::alignframe.errors.DataWarning")
def test_a_page_shows_links_as_they_were_counted(lake):
    af.lake.score(lake / "hyp", lake / "gold", lake / "out", text=lake / "text", drop_outside=True)
    page = af.report.lake_report(lake / "out", text=lake / "text", bootstrap=0)
    details = json.loads(gzip.decompress(base64.b64decode(page.blocks["d-0"])))
    for sid, src, tgt in TEXT.rows():
        shown = details[str(sid)]
        assert shown["hyp"]
        for i, j, *_ in (*shown["hyp"], *shown["other"]):
            assert max(i) < len(src)
            assert max(j) < len(tgt)
