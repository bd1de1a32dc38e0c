"""Texts of any size: a sample, parts that outlive a kill, and the same links however it is cut."""

from itertools import pairwise

import polars as pl
import pyarrow as pa
import pytest
from helpers.cli import finished, json_of, run
from hypothesis import given
from hypothesis import strategies as st

from alignframe import aligners, formats
from alignframe.aligners import streamed
from alignframe.aligners import text as texts
from alignframe.aligners.bidirectional import Linking
from alignframe.aligners.sampling import sample
from alignframe.aligners.streamed import Parts, align_stream, lines_of
from alignframe.core.tokens import SIDES
from alignframe.errors import DataWarning, InputError
from alignframe.sources.pairs import sentence_pairs

BOTH = ("forward", "reverse")


def pieces(rows, cuts):
    """Return a text of numbered pairs in batches that are cut at some rows."""
    table = pa.table({"src": [[f"a{k}"] for k in range(rows)], "tgt": [["b"]] * rows})
    ends = sorted({min(cut, rows) for cut in cuts} | {0, rows})
    batches = [table.slice(low, high - low) for low, high in pairwise(ends)]
    return sentence_pairs(pa.concat_tables(batches) if batches else table)


@given(
    st.integers(1, 60),
    st.integers(1, 20),
    st.lists(st.integers(0, 60)),
    st.lists(st.integers(0, 60)),
)
def test_a_sample_does_not_depend_on_batches(rows, size, cuts, others):
    found, total = sample(pieces(rows, cuts), size)
    assert total == rows
    assert found.num_rows == min(size, rows)
    sids = found["sid"].to_pylist()
    assert sids == sorted(set(sids))
    assert found["src"].to_pylist() == [[f"a{sid}"] for sid in sids]
    again, _ = sample(pieces(rows, others), size)
    assert again["sid"].to_pylist() == sids


def test_a_sample_is_spread_evenly():
    found, _ = sample(pieces(20_000, []), 2_000)
    tenths = [0] * 10
    for sid in found["sid"].to_pylist():
        tenths[sid // 2_000] += 1
    assert max(tenths) < 260
    assert min(tenths) > 140


@pytest.fixture(scope="module")
def models(en_fr):
    return [
        aligners.fit(en_fr, model="hmm", reverse=name == "reverse", iterations=2, together=False)
        for name in BOTH
    ]


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(streamed, "BLOCK", 5)
    monkeypatch.setattr(streamed, "PART", 20)


def links_of(parts):
    return pl.DataFrame(pl.from_arrow(pa.Table.from_batches(parts.batches())))


@pytest.mark.parametrize("threads", [1, 3])
def test_links_are_those_of_the_whole_text(models, en_fr, small_parts, tmp_path, threads):
    linking = Linking("agree", posterior=True)
    with streamed_pool(threads) as executor:
        parts, _ = align_stream(
            sentence_pairs(en_fr), str(tmp_path / "o"), models, BOTH, linking, executor=executor
        )
    assert [path.name for path in parts.done()] == [f"{k:06}.parquet" for k in range(4)]
    whole = aligners.align_with(models, en_fr, symmetrize="agree", posterior=True)
    found = links_of(parts)
    assert found["links"].to_list() == whole["links"].to_list()
    assert found["sid"].to_list() == whole["sid"].to_list()
    assert found["probabilities"].to_list() == whole["probabilities"].to_list()


def streamed_pool(threads):
    from alignframe.cli.align_options import executor_of

    return executor_of(threads)


class KilledError(Exception):
    pass


def test_a_run_that_was_killed_goes_on(models, en_fr, small_parts, tmp_path):
    told = []
    trained, stops = [], [-1]

    def train(some):
        trained.append(some.num_rows)
        yield from models

    def tell(text, done, total):
        told.append((text, done, total))
        if done == stops[0]:
            raise KilledError

    def begin(train_on=10):
        told.clear()
        return align_stream(
            sentence_pairs(en_fr),
            str(tmp_path / "o"),
            train,
            BOTH,
            Linking("union"),
            train_on=train_on,
            tell=tell,
        )

    for stops[0] in (45, 65, 70):
        with pytest.raises(KilledError):
            begin()
    stops[0] = -1
    parts, used = begin()
    assert told[0] == ("Aligning", 60, None)  # three parts were done
    assert trained == [10]  # once
    assert links_of(parts)["links"].to_list() == (
        aligners.align_with(models, en_fr, symmetrize="union")["links"].to_list()
    )
    assert [model.reverse for model in used] == [False, True]
    with pytest.warns(DataWarning, match=r"o\.parts is of other texts or options, and begun anew"):
        begin(train_on=11)
    assert trained == [10, 11]
    parts.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "o.parts").mkdir()
    (tmp_path / "o.parts" / "mine").touch()
    with pytest.raises(InputError, match="a folder of something else"):
        Parts.beside(str(tmp_path / "o"))
    assert (tmp_path / "o.parts" / "mine").exists()


def test_sentences_out_of_order_are_refused(models, en_fr, tmp_path):
    turned = pl.DataFrame(en_fr).reverse()
    with pytest.raises(InputError, match=r"not in the order of their sid.*sort it by sid"):
        align_stream(sentence_pairs(turned), str(tmp_path / "o"), models, BOTH, Linking("union"))


def test_files_of_unequal_length_are_refused_before_the_work(tmp_path):
    for name, lines in {"a": "x\ny\n", "b": "x\ny", "c": "x\n", "e": "1\tx\n2\ty\n"}.items():
        (tmp_path / name).write_text(lines)
    a, b, c, e = (str(tmp_path / name) for name in "abce")
    assert lines_of(a, b) == 2
    assert lines_of(a, None) is None
    assert lines_of(e, e) is None  # lines with ids may be in any order
    with pytest.raises(InputError, match=r"a has 2 lines, .*c has 1; expected the same number"):
        lines_of(a, c)


@pytest.mark.parametrize("to", formats.FORMATS)
def test_pieces_give_what_the_whole_text_gives(tmp_path, monkeypatch, small_parts, to):
    monkeypatch.chdir(tmp_path)
    texts = {
        "src": ["A boat, or two.", "No.", "", "Far away!"] * 8,
        "tgt": ["Un bateau.", "."] * 16,
    }
    for side, lines in texts.items():
        (tmp_path / side).write_text("\n".join(lines) + "\n", "utf-8")
    given = ["align", "src", "tgt", "--model", "ibm1", "--max-length", "3", "--to", to]
    given += [] if to == "giza" else ["--posterior"]
    given += ["--positions", "words"] if to in ("moses", "giza") else []
    whole = run(*given, "-o", "whole", "--scores", "whole.parquet")
    parts = run(*given, "-o", "parts", "--scores", "parts.parquet", "--train-on", "32")
    if to == "parquet":
        assert pl.read_parquet("parts").equals(pl.read_parquet("whole"))
    else:
        assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()
    scores = pl.read_parquet("parts.parquet")
    assert scores.schema == pl.read_parquet_schema("whole.parquet")
    assert scores.equals(pl.read_parquet("whole.parquet"))
    assert scores.height == 32
    assert "given no links" in whole.stderr
    for line in whole.stderr.replace("whole", "parts").splitlines():
        assert line in parts.stderr
    assert not (tmp_path / "parts.parts").exists()


def test_scores_alone_are_written_in_pieces(en_fr, models, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(en_fr).write_parquet("text.parquet")
    for name, model in zip(BOTH, models, strict=True):
        model.save(f"model/{name}")
    run("align", "text.parquet", "--model-from", "model", "--scores", "scores.parquet")
    found = aligners.align_with(models, en_fr, posterior=True)
    wanted = aligners.sentence_scores(found, en_fr)
    assert pl.read_parquet("scores.parquet").equals(wanted)
    for way in (("--model-from", "model"), ("--model", "ibm1")):
        shown = run("align", "text.parquet", *way, "--scores", "scores.csv", "--json").stdout
        assert json_of(shown)["sentences"] == 72


def test_a_run_that_goes_on_warns_of_all_that_have_no_links(models, small_parts, tmp_path):
    text = sentence_pairs([([], ["b"])] * 3 + [(["a"], ["b"])] * 20 + [(["a"] * 201, ["b"])])

    def stopped(_, done, total):
        if done == 20:
            raise KilledError

    output = str(tmp_path / "o")
    with pytest.raises(KilledError):
        align_stream(text, output, models, BOTH, Linking("union"), tell=stopped)
    with pytest.warns(
        DataWarning, match=r"3 sentence pairs with an empty side and 1 with more than"
    ):
        align_stream(text, output, models, BOTH, Linking("union"))


def test_the_text_is_read_once_for_each_block(models, en_fr, small_parts, tmp_path, monkeypatch):
    read, looked_at = [], []
    looks_raw = texts.looks_raw
    monkeypatch.setattr(texts, "looks_raw", lambda side: looked_at.append(side) or looks_raw(side))
    own = type(models[0]).read
    monkeypatch.setattr(
        type(models[0]), "read", lambda model, text: read.append(len(text)) or own(model, text)
    )
    align_stream(sentence_pairs(en_fr), str(tmp_path / "o"), models, BOTH, Linking("union"))
    assert sum(read) == 72
    # Whether text is raw is asked of each side, and only at the beginning.
    first = pl.DataFrame(en_fr.slice(0, 5))
    assert [side.to_pylist() for side in looked_at] == [first[name].to_list() for name in SIDES]


def pairs_of(frame):
    return [[(link["i"], link["j"]) for link in links] for links in frame["links"]]


def test_the_command_aligns_in_pieces(en_fr, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for side in ("src", "tgt"):
        lines = [" ".join(words) for words in pl.DataFrame(en_fr)[side]]
        (tmp_path / side).write_text("\n".join(lines) + "\n", "utf-8")
    text = "align src tgt --model ibm1 --symmetrize union"
    said = run(*f"{text} --train-on 40 -o new.talp.gz --save-model model".split()).stderr
    assert "ibm1.union: 72 sentences" in said
    run(*"align src tgt --model-from model --symmetrize union -o old.talp".split())
    wanted = aligners.align_with(
        aligners.load_directions("model"), (tmp_path / "src", tmp_path / "tgt"), symmetrize="union"
    )
    for name in ("new.talp.gz", "old.talp"):
        assert pairs_of(pl.DataFrame(formats.read(name))) == pairs_of(wanted)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "model",
        "new.talp.gz",
        "old.talp",
        "src",
        "tgt",
    ]
    for wrong, match in {
        f"{text} --train-on 40 --page p.html": "--train-on with --page",
        "align - tgt --train-on 40 -o a": "--train-on with a stream",
        "align src tgt --train-on 40 --model-from model -o a": "--train-on with --model-from",
    }.items():
        assert match in finished(*wrong.split()).stderr


def test_lines_of_other_encodings_are_counted(tmp_path):
    (tmp_path / "a").write_text("x\nĊ\n", "utf-8")
    (tmp_path / "wide").write_text("x\nĊ\n", "utf-16")  # a letter with the byte of a line feed
    (tmp_path / "returns").write_bytes(b"x\ry")
    (tmp_path / "more").write_bytes(b"x\ry\rz")
    a, wide, returns, more = (str(tmp_path / name) for name in ("a", "wide", "returns", "more"))
    assert lines_of(a, wide) == 2
    assert lines_of(a, returns) == 2
    with pytest.raises(InputError, match=r"a has 2 lines, .*more has 3"):
        lines_of(a, more)


def test_an_error_says_what_is_kept(models, small_parts, tmp_path):
    lines = ["a ||| b"] * 50
    lines[45] = "a b"
    (tmp_path / "text").write_text("\n".join(lines), "utf-8")
    batches = sentence_pairs(str(tmp_path / "text"))
    output = str(tmp_path / "o")
    with pytest.raises(InputError, match=r"text:46: a line without [^;]*; [^;]*; [^;]*$"):
        align_stream(batches, output, models, BOTH, Linking("union"))
    assert not (tmp_path / "o.parts").exists()  # nothing was aligned
    table = pl.DataFrame({"src": [["a"]] * 50, "tgt": [["b"]] * 50}).with_row_index("sid")
    turned = pa.concat_tables([table[:45].to_arrow(), table[:5].to_arrow()])
    for lasting in (True, False):
        with pytest.raises(InputError, match="order of their sid") as refused:
            align_stream(
                sentence_pairs(turned), output, models, BOTH, Linking("union"), lasting=lasting
            )
        kept = f"links of the first 40 sentence pairs, and of no others, are kept in {output}.parts"
        assert (kept in str(refused.value)) == lasting
        assert links_of(Parts(tmp_path / "o.parts")).height == 40


def test_parts_of_other_files_of_a_pattern_are_not_used(models, en_fr, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, model in zip(BOTH, models, strict=True):
        model.save(f"model/{name}")
    text = pl.DataFrame(en_fr)
    align = "align t*.parquet --model-from model -o o.moses".split()
    text.with_columns(tgt=pl.lit(["|||"])).write_parquet("t1.parquet")
    assert "are kept in o.moses.parts" in finished(*align).stderr
    text.write_parquet("t1.parquet")
    assert "o.moses.parts is of other texts or options, and begun anew" in run(*align).stderr
    found = pl.DataFrame(formats.read("o.moses"))
    assert found["tgt"].to_list() == text["tgt"].to_list()
    run(*align[:-1], "-")
    assert not list(tmp_path.glob("*.parts"))


def test_a_text_that_is_read_twice_has_its_warnings_once(en_fr, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [
        " ||| ".join([" ".join(row["src"]), " ".join(row["tgt"])]) for row in en_fr.to_pylist()
    ]
    lines[6] = " ||| b"
    (tmp_path / "text").write_text("\n".join(lines) + "\n", "utf-8")
    said = run(*"align text --model ibm1 --train-on 72 -o o.talp".split()).stderr
    assert said.count("given no links") == 1
    (tmp_path / "text").write_text("a ||| b ||| 0-0\n" * 9, "utf-8")
    assert "warning" not in run(*"align text --model ibm1 --train-on 9 -o o.talp".split()).stderr
