"""Alignments of varying quality: plans, runs of a real aligner, and scores."""

import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from helpers import cli as helpers_cli
from helpers.cli import json_of
from hypothesis import given
from hypothesis import strategies as st
from reference import links as reference

from alignframe import formats, links
from alignframe.errors import DataWarning, InputError
from alignframe.links.aligning import Aligner
from datasets.tiny_aligner import align

ROOT = Path(__file__).resolve().parents[2]
TINY = ROOT / "datasets" / "tiny_aligner.py"
COMMAND = f"'{sys.executable}' '{TINY}' {{src}} {{tgt}} {{out}}"
GOLD = 20


@pytest.fixture(scope="module")
def text(bundled):
    return formats.read_bitext(bundled / "text.en", bundled / "text.fr")


@pytest.fixture(scope="module")
def gold(bundled):
    return formats.read(bundled / "gold.talp").slice(0, GOLD)


@pytest.fixture(scope="module")
def make(text, gold):
    """Return a study of 11 sentence pairs, with 20 of gold text and 41 of extra text."""

    def made(aligner=align, **options):
        options = {"fractions": [4, 2], "symmetrize": ["refined"], "alpha": [0.1, 0.5], **options}
        return links.QualityStudy(
            options.pop("bitext", text.slice(GOLD, 11)),
            options.pop("gold_text", text.slice(0, GOLD)),
            options.pop("gold", gold),
            aligner,
            **options,
        )

    return made


class Recorder:
    """An aligner that links the first words, marks each source sentence, and can fail."""

    def __init__(self, fails_at=0):
        self.calls = []
        self.fails_at = fails_at

    def __call__(self, src, tgt, out):
        self.calls.append(f"{Path(out).parent.parent.name}/{Path(out).parent.name}")
        if len(self.calls) == self.fails_at:
            raise OSError("no room")
        rows = []
        for line in Path(src).read_text("utf-8").splitlines():
            words = line.split()
            rows.append(f"{sum(map(len, words)) % len(words)}-0\n")
        Path(out).write_text("".join(rows), "utf-8")


@st.composite
def plans(draw):
    sentences = draw(st.integers(1, 3000))
    fractions = draw(st.lists(st.integers(2, 40), max_size=4))
    fractions = [one for one in fractions if one <= sentences]
    return sentences, fractions, draw(st.lists(st.integers(2, 9), max_size=3))


@given(plans())
def test_pieces_cover_the_bitext_once(plan):
    sentences, fractions, multiples = plan
    runs = links.plan_runs(sentences, extra=8 * sentences, fractions=fractions, multiples=multiples)
    names = [f"1-{one}" for one in sorted(set(fractions), reverse=True)] + ["1"]
    assert [run.name for run in runs] == names + [f"x{one}" for one in sorted(set(multiples))]
    for run in runs:
        covered = [row for start, end in run.bounds for row in range(start, end)]
        assert covered == list(range(sentences))
        sizes = [end - start for start, end in run.bounds]
        assert max(sizes) - min(sizes) <= 1
        assert min(sizes) >= 1
        pieces = int(run.name[2:]) if run.name.startswith("1-") else 1
        times = int(run.name[1:]) if run.name.startswith("x") else 1
        assert len(sizes) == len(set(run.pieces)) == pieces
        assert run.pieces == sorted(run.pieces)
        assert run.extra == (times - 1) * sentences


def test_default_runs():
    assert [run.name for run in links.plan_runs(16)] == ["1-16", "1-8", "1-4", "1-2", "1"]
    assert [run.name for run in links.plan_runs(16, extra=112)][5:] == ["x2", "x4", "x8"]


@pytest.mark.parametrize(
    ("sentences", "options", "said"),
    [
        (0, {}, "without sentence pairs"),
        (15, {}, "16 pieces of a bitext of 15 sentence pairs"),
        (15, {"fractions": [1]}, "`fractions` has 1"),
        (15, {"fractions": [-2]}, "`fractions` has -2"),
        (15, {"fractions": [2.5]}, "`fractions` has 2.5"),
        (20, {"extra": 100, "multiples": [1]}, "`multiples` has 1"),
        (20, {"multiples": [2]}, "no extra text for 2 times"),
        (20, {"extra": 139}, "139 pairs of extra text; expected 140 for 8 times the bitext's 20"),
    ],
)
def test_bad_plans(sentences, options, said):
    with pytest.raises(InputError, match=said):
        links.plan_runs(sentences, **options)


def test_the_cost_of_a_plan(make, text):
    study = make(extra=text.slice(31), multiples=[2, 4], fractions=[4])
    table = study.plan().select("run", "pieces", "piece_pairs", "extra_pairs", "alignments")
    assert table.rows() == [
        ("1-4", 4, 3, 0, 8),
        ("1", 1, 11, 0, 2),
        ("x2", 1, 11, 11, 2),
        ("x4", 1, 11, 33, 2),
    ]
    totals = study.plan()["total_pairs"].to_list()
    assert totals == [2 * (4 * 20 + 11), 2 * 31, 2 * (20 + 22), 2 * (20 + 44)]
    apart = make(fractions=[4], symmetrize=["none"], gold_apart=True).plan()
    assert apart.select("alignments", "total_pairs").rows() == [(8, 80 + 22), (2, 20 + 22)]


def sentences_of(folder, run, piece):
    """Return the words of a piece, source and target."""
    where = folder / "pieces" / run / piece
    return [(where / f"text.{side}").read_text("utf-8").split("\n")[:-1] for side in ("src", "tgt")]


def words_of(table, side):
    return [" ".join(words) for words in table[side].to_pylist()]


def test_every_piece_is_aligned_after_the_gold_text(make, text, tmp_path):
    make(extra=text.slice(31), multiples=[2], symmetrize=["none"]).run(tmp_path)
    for at, side in enumerate(("src", "tgt")):
        first = words_of(text.slice(0, GOLD), side)
        bounds = [(0, 2), (2, 5), (5, 8), (8, 11)]
        for piece, (start, end) in enumerate(bounds, 1):
            body = words_of(text.slice(GOLD + start, end - start), side)
            assert sentences_of(tmp_path, "1-4", str(piece))[at] == first + body
        assert sentences_of(tmp_path, "1", "1")[at] == words_of(text.slice(0, 31), side)
        assert sentences_of(tmp_path, "x2", "1")[at] == words_of(text.slice(0, 42), side)


def expected_links(folder, pieces, bounds, method, *, start=GOLD):
    """Combine the pieces' two directions link by link, and cut out rows; return Pharaoh lines."""
    found = []
    for piece, size in zip(pieces, bounds, strict=True):
        where = folder / "pieces" / piece
        one = [set(line.split()) for line in (where / "forward.talp").read_text().splitlines()]
        two = [set(line.split()) for line in (where / "reverse.talp").read_text().splitlines()]
        for here, there in list(zip(one, two, strict=True))[start : start + size]:
            turned = {"-".join(link.split("-")[::-1]) for link in there}
            kept = here & turned if method == "intersection" else here | turned
            pairs = sorted(tuple(map(int, link.split("-"))) for link in kept)
            found.append(" ".join(f"{i}-{j}" for i, j in pairs))
    return found


@pytest.mark.parametrize("method", ["intersection", "union"])
def test_every_row_once_and_in_order(make, text, tmp_path, method):
    study = make(symmetrize=[method], extra=text.slice(31), multiples=[2])
    study.run(tmp_path)
    layout = {
        "1-4": (["1-4/1", "1-4/2", "1-4/3", "1-4/4"], [2, 3, 3, 3]),
        "1-2": (["1-2/1", "1-2/2"], [5, 6]),
        "1": (["1/1"], [11]),
        "x2": (["x2/1"], [11]),
    }
    seen = set()
    for run, (pieces, sizes) in layout.items():
        made = (tmp_path / "alignments" / f"{run}.{method}.talp").read_text().splitlines()
        assert made == expected_links(tmp_path, pieces, sizes, method)
        assert len(made) == 11
        seen.add("\n".join(made))
    assert len(seen) == 4  # more text, other links
    assert sorted(path.stem for path in (tmp_path / "alignments").iterdir()) == sorted(
        f"{run}.{method}" for run in layout
    )


def test_rows_are_identified_by_a_mark(text, gold, tmp_path):
    """Source sentences of 1, 2, 3, ... words, each linked at its last word, so that the order
    shows.
    """
    marked = pa.table(
        {"src": [["w"] * (k + 1) for k in range(23)], "tgt": [["t"] for _ in range(23)]}
    )

    def last_word(src, tgt, out):
        """Link the last source word with the first target word."""
        sides = [Path(side).read_text("utf-8").splitlines() for side in (src, tgt)]
        ends = zip(*[[len(line.split()) - 1 for line in side] for side in sides], strict=True)
        Path(out).write_text("".join(f"{i}-{j}\n" for i, j in ends), "utf-8")

    study = links.QualityStudy(
        marked, text.slice(0, GOLD), gold, last_word, fractions=[7, 5], symmetrize=["refined"]
    )
    study.run(tmp_path)
    for run in ("1-7", "1-5", "1"):
        made = (tmp_path / "alignments" / f"{run}.refined.talp").read_text().splitlines()
        assert made == [f"{k}-0" for k in range(23)]


def test_figures_are_means_over_pieces(make, gold, tmp_path):
    methods = ["intersection", "refined", "none"]
    frame = make(symmetrize=methods).run(tmp_path)
    figures = ["precision", "recall", "aer", "f_0.1", "f_0.5"]
    assert frame.columns == ["system", "run", "group", "pieces", *figures, "signature"]
    runs = {"1-4": 4, "1-2": 2, "1": 1}
    assert frame["system"].to_list() == [f"{run}.{method}" for run in runs for method in methods]
    pieces = pl.read_csv(tmp_path / "piece_scores.csv")
    assert pieces.height == 7 * 3
    for row in frame.iter_rows(named=True):
        size = runs[row["run"]]
        assert (row["pieces"], row["group"]) == (size, row["system"].split(".")[1])
        own = []
        for piece in range(1, size + 1):
            where = tmp_path / "pieces" / row["run"] / str(piece)
            whole = formats.read(where / "forward.talp", system="one")
            if row["group"] != "none":
                other = where / "reverse.talp"
                whole = links.symmetrize(
                    where / "forward.talp", other, row["group"], reverse_is="tgt-src"
                ).to_arrow()
            one = links.score(whole.slice(0, GOLD), gold, alpha=[0.1, 0.5]).scores.row(
                0, named=True
            )
            kept = pieces.filter(system=row["system"], piece=piece).row(0, named=True)
            assert kept["links"] == one["links"]
            for name in figures:
                assert kept[name] == pytest.approx(one[name])
            own.append(one)
        for name in figures:
            assert row[name] == pytest.approx(np.mean([one[name] for one in own])), name
        assert "average:pieces" in row["signature"]
        assert row["signature"].endswith("gold-text:dropped")
    spread = pieces.filter(system="1-4.refined")["aer"]
    assert spread.n_unique() > 1  # otherwise a mean could be the figure of any piece


def test_tables_and_gold_links_are_stored(make, gold, tmp_path):
    frame = make().run(tmp_path)
    assert pl.read_parquet(tmp_path / "scores.parquet").equals(frame)
    assert pl.read_csv(tmp_path / "scores.csv")["aer"].to_list() == pytest.approx(
        frame["aer"].to_list()
    )
    again = links.score(tmp_path / "gold" / "1-4.refined.parquet", gold, alpha=[0.1, 0.5]).scores
    assert again["system"].to_list() == [f"1-4.refined.{piece}" for piece in (1, 2, 3, 4)]
    assert again["aer"].mean() == pytest.approx(frame["aer"][0])


def test_more_text_is_better(text, bundled, tmp_path):
    study = links.QualityStudy(
        text.slice(24),
        text.slice(0, 24),
        formats.read(bundled / "gold.talp").slice(0, 24),
        align,
        fractions=[8, 2],
        symmetrize=["intersection"],
    )
    poor, middling, good = study.run(tmp_path)["aer"].to_list()
    assert poor > middling > good


def test_undefined_figures_are_null(make, tmp_path):
    """A piece without links has no precision, and so no mean."""

    def shy(src, tgt, out):
        lines = Path(src).read_text("utf-8").count("\n")
        Path(out).write_text(("\n" if lines == GOLD + 2 else "0-0\n") * lines)

    frame = make(shy, symmetrize=["none"]).run(tmp_path)
    assert frame["precision"].is_null().to_list() == [True, False, False]
    assert frame["aer"].null_count() == 0


def test_gold_apart(make, text, tmp_path):
    """The paper's way: links for translation come from passes that never saw the gold text."""
    study = make(symmetrize=["intersection"], gold_apart=True)
    frame = study.run(tmp_path)
    assert frame["signature"][0].endswith("gold-text:apart")
    assert sentences_of(tmp_path, "1-2", "1-apart")[0] == words_of(text.slice(GOLD, 5), "src")
    made = (tmp_path / "alignments" / "1-2.intersection.talp").read_text().splitlines()
    apart = ["1-2/1-apart", "1-2/2-apart"]
    assert made == expected_links(tmp_path, apart, [5, 6], "intersection", start=0)
    with_gold = expected_links(tmp_path, ["1-2/1", "1-2/2"], [5, 6], "intersection")
    assert made != with_gold
    dropped = make(symmetrize=["intersection"]).run(tmp_path / "dropped")
    measures = ["precision", "recall", "aer"]
    assert frame.select(measures).equals(dropped.select(measures))


def test_a_command_and_a_function_are_the_same(make, tmp_path, processes):
    study = make(COMMAND, fractions=[2])
    plain = study.run(tmp_path / "command with blanks")
    assert make(align, fractions=[2]).run(tmp_path / "function").equals(plain)
    with ThreadPoolExecutor(4) as executor:
        assert study.run(tmp_path / "threads", threads=executor).equals(plain)
    assert study.run(tmp_path / "processes", threads=processes).equals(plain)


def test_nothing_is_aligned_twice(make, text, tmp_path):
    first = Recorder()
    frame = make(first).run(tmp_path)
    assert len(first.calls) == 2 * 7
    again = Recorder()
    assert make(again).run(tmp_path).equals(frame)
    assert again.calls == []
    more = Recorder()
    make(more, fractions=[4, 3]).run(tmp_path)
    assert more.calls == ["1-3/1", "1-3/1", "1-3/2", "1-3/2", "1-3/3", "1-3/3"]
    # Truncated links are aligned again, and so are those of a changed text.
    cut = tmp_path / "pieces" / "1-4" / "2" / "reverse.talp"
    cut.write_text("".join(cut.read_text().splitlines(keepends=True)[:-1]))
    repaired = Recorder()
    assert make(repaired).run(tmp_path).equals(frame)
    assert repaired.calls == ["1-4/2"]
    other = text.slice(GOLD, 10)
    changed = pa.concat_tables([other, text.slice(60, 1)])
    redone = Recorder()
    make(redone, bitext=changed).run(tmp_path)
    assert redone.calls == ["1-4/4", "1-4/4", "1-2/2", "1-2/2", "1/1", "1/1"]


def test_a_failed_function_is_named_and_resumed(make, tmp_path):
    broken = Recorder(fails_at=5)
    with pytest.raises(OSError, match="no room") as caught:
        make(broken).run(tmp_path)
    of_aligner, of_study = caught.value.__notes__
    assert of_aligner == "The aligner was on piece 3 of 4 of run 1-4, forward."
    assert of_study.startswith("not finished: 10 of 14 (piece 3 of 4 of run 1-4, forward; ")
    assert len(broken.calls) == 5
    repaired = Recorder()
    frame = make(repaired).run(tmp_path)
    assert len(repaired.calls) == 14 - 4
    assert frame.equals(make(Recorder()).run(tmp_path / "fresh"))


def test_a_failed_command_is_named_and_resumed(make, tmp_path):
    """The aligner fails on the third piece until a file exists."""
    script, key = tmp_path / "my aligner.py", tmp_path / "key"
    script.write_text(
        "import runpy, sys, pathlib\n"
        f"if '/1-4/3/' in sys.argv[1] and not pathlib.Path({str(key)!r}).exists():\n"
        "    pathlib.Path(sys.argv[3]).write_text('0-0\\n')\n"
        "    print('first', 'words', sep='\\n' * 20, file=sys.stderr)\n"
        "    sys.exit('the key is missing')\n"
        f"runpy.run_path({str(TINY)!r}, run_name='__main__')\n"
    )
    command = f"'{sys.executable}' '{script}' {{src}} {{tgt}} {{out}}"
    folder = tmp_path / "study"
    with pytest.raises(InputError) as caught:
        make(command).run(folder)
    said = str(caught.value)
    piece = folder / "pieces" / "1-4" / "3"
    assert said.startswith("piece 3 of 4 of run 1-4, forward: the aligner ended with status 1")
    assert (
        f"{script}' {piece / 'text.src'} {piece / 'text.tgt'} {piece / 'forward.attempt'}" in said
    )
    assert f"Its log {piece / 'forward.log'} ends:" in said
    assert said.endswith("  the key is missing")
    assert "first" not in said  # only the last lines
    assert not (piece / "forward.talp").exists()
    done = folder / "pieces" / "1-4" / "1" / "forward.talp"
    stamp = done.stat().st_mtime_ns
    key.touch()
    frame = make(command).run(folder)
    assert done.stat().st_mtime_ns == stamp
    assert frame.equals(make().run(tmp_path / "fresh"))
    assert not (piece / "forward.attempt").exists()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("pass", "the aligner wrote no links"),
        ("open(out, 'w').write('0-0\\n' * 21)", "21 lines of links for 22 sentence pairs"),
        ("open(out, 'w').write('')", "0 lines of links for 22 sentence pairs"),
        ("open(out, 'w').write('0-0\\n' * 21 + '0-99\\n')", "line 22 of .*: the link 0-99"),
        (
            "open(out, 'w').write('0-0\\n' * 21 + '0 0 1\\n')",
            "forward.attempt:22: '0' is not a link",
        ),
        ("import os; os.kill(os.getpid(), 9)", "ended by signal 9"),
    ],
)
def test_invalid_links(make, tmp_path, body, said):
    script = tmp_path / "aligner.py"
    script.write_text(f"import sys\nsrc, tgt, out = sys.argv[1:]\n{body}\n")
    command = f"{sys.executable} {script} {{src}} {{tgt}} {{out}}"
    with pytest.raises(InputError, match=said) as caught:
        make(command).run(tmp_path / "study")
    assert "piece 1 of 4 of run 1-4, forward" in str(caught.value)
    assert "forward.log is empty" in str(caught.value)
    assert not list(tmp_path.glob("study/pieces/*/*/*.talp"))


def test_invalid_links_of_a_function(make, tmp_path):
    with pytest.raises(InputError, match=r"piece 1 of 4 .*1-4.* no links"):
        make(lambda src, tgt, out: None).run(tmp_path)


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("cat {src} {tgt}", r"no place \{out\}"),
        ("cat {src} {out}", r"no place \{tgt\}"),
        ("cat {src} {tgt} {out} {model}", r"a place \{model\}"),
        ("cat {} {src} {tgt} {out}", r"a place \{\}"),
        ("awk '{ print' {src} {tgt} {out}", "command as typed"),
        ("cat '{src} {tgt} {out}", "No closing quotation"),
        ("", "no place"),
        ("no-such-aligner {src} {tgt} {out}", "'no-such-aligner' is not a program on this machine"),
    ],
)
def test_bad_commands(template, said):
    with pytest.raises(InputError, match=said):
        Aligner(template)


def test_placeholders_of_a_command():
    aligner = Aligner("sh -c '{{ cat; }}' --in={src} {tgt} {out}")
    made = aligner.command(Path("/a b/s"), Path("/t {x}"), Path("/o"))
    assert made == ["sh", "-c", "{ cat; }", "--in=/a b/s", "/t {x}", "/o"]


def test_a_folder_belongs_to_one_aligner(make, tmp_path):
    make().run(tmp_path)
    with pytest.raises(InputError, match=r"aligner .* aligner\.txt"):
        make(Recorder()).run(tmp_path)
    (tmp_path / "aligner.txt").unlink()
    kept = Recorder()
    make(kept).run(tmp_path)
    assert kept.calls == []
    # Where nothing was aligned, there is nothing to mix.
    shutil.rmtree(tmp_path / "pieces")
    make().run(tmp_path)
    with pytest.raises(InputError, match="cannot be made"):
        make().run(tmp_path / "scores.csv" / "study")


def test_bad_texts_and_gold(make, text, gold):
    bare = text.slice(0, GOLD).drop_columns(["tgt"])
    for options, said in [
        ({"bitext": text.slice(0, 0)}, "the bitext has no sentence pairs"),
        ({"gold_text": text.slice(0, 0)}, "the gold text has no sentence pairs"),
        ({"extra": text.slice(0, 0)}, "the extra text has no sentence pairs"),
        ({"bitext": bare}, "expected the column tgt"),
        ({"bitext": {"src": [7], "tgt": ["c"]}}, "a list of words"),
        ({"bitext": {"src": [["a b"]], "tgt": [["c"]]}}, "the word 'a b'"),
        ({"bitext": {"src": [[""]], "tgt": [["c"]]}}, "the word ''"),
        ({"bitext": {"src": [["a"], None], "tgt": [["c"], ["d"]]}}, "sentence 1 .* is missing"),
        ({"bitext": {"src": [["a", None]], "tgt": [["c"]]}}, "missing word"),
        ({"gold_text": text.slice(0, GOLD - 1)}, f"no sentence {GOLD - 1}, which gold has"),
        ({"bitext": text.slice(0, 3)}, "4 pieces of a bitext of 3"),
        ({"multiples": [2]}, "no extra text"),
        ({"extra": text.slice(40)}, "32 pairs of extra text; expected 33 for 4 times"),
        ({"symmetrize": ["best"]}, "unknown `symmetrize` 'best'"),
        ({"symmetrize": []}, "`symmetrize` is empty"),
        ({"alpha": [2]}, "alpha"),
    ]:
        for name in ("bitext", "gold_text"):
            if isinstance(options.get(name), dict):
                options[name] = pl.DataFrame(options[name], strict=False)
        with pytest.raises(InputError, match=said):
            make(**options)
    far = pa.table({"sid": [0], "links": reference.nested_gold([({(0, 99)}, {(0, 99)})])})
    with pytest.raises(InputError, match="sentence 0 of gold: the link 0-99"):
        make(gold=far)


def test_gold_text_without_gold_is_not_scored(make, gold, tmp_path):
    with pytest.warns(DataWarning, match="no row for 5 of 20 sentences"):
        study = make(gold=gold.slice(5))
    frame = study.run(tmp_path)
    hyp = pl.read_parquet(tmp_path / "gold" / "1.refined.parquet")
    assert hyp["sid"].to_list() == list(range(5, GOLD))
    whole = links.score(hyp, gold.slice(5), alpha=[0.1, 0.5]).scores
    assert frame["aer"][2] == pytest.approx(whole["aer"][0])


@pytest.fixture(scope="module")
def files(bundled, tmp_path_factory):
    """Return the options: 20 sentences of gold text, 11 of bitext, 41 of extra text."""
    folder = tmp_path_factory.mktemp("given files")
    for name in ("text.en", "text.fr", "gold.talp"):
        lines = (bundled / name).read_text("utf-8").splitlines(keepends=True)
        parts = {"gold": lines[:GOLD], "text": lines[GOLD:31], "extra": lines[31:]}
        for part, kept in parts.items():
            (folder / f"{part}{Path(name).suffix}").write_text("".join(kept), "utf-8")
    options = {"gold": "gold.talp", "gold-src": "gold.en", "gold-tgt": "gold.fr"}
    flags = [word for name, file in options.items() for word in (f"--{name}", folder / file)]
    return folder, [folder / "text.en", folder / "text.fr", *flags]


def run(*words, code=0):
    return helpers_cli.run("links", "vary", *words, code=code)


def test_command(files, make, text, tmp_path):
    folder, options = files
    extra = [
        "--set",
        f"extra-src={folder / 'extra.en'}",
        "--set",
        f"extra-tgt={folder / 'extra.fr'}",
    ]
    wanted = ["--fractions", "4,2", "--multiples", "2", "--symmetrize", "refined,none"]
    words = [*options, *extra, *wanted, "--alpha", "0.1,0.5", "--aligner", COMMAND]
    out, _ = run(*words, "-o", tmp_path / "study", "--dry-run", "--json")
    plan = json_of(out)
    assert [row["run"] for row in plan] == ["1-4", "1-2", "1", "x2"]
    assert sum(row["alignments"] for row in plan) == 16
    assert not (tmp_path / "study").exists()
    out, _ = run(*words, "-o", tmp_path / "study", "--dry-run")
    assert f"{sum(row['total_pairs'] for row in plan):,} sentence pairs in 16 passes" in out
    out, _ = run(*words, "-o", tmp_path / "study", "--json", "--jobs", "4")
    study = make(extra=text.slice(31), multiples=[2], symmetrize=["refined", "none"])
    assert json_of(out) == study.run(tmp_path / "same").to_dicts()
    out, said = run(*words, "-o", tmp_path / "study")
    assert "Means over the pieces" in out
    assert "F(0.5)" in out
    assert "x2.refined" in out
    assert "8 alignments of the bitext written to" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["extra.en", "text.fr"], "the same number of lines on both sides"),
        (["--gold-tgt", "text.fr"], "the same number of lines on both sides"),
        (["nothing", "none"], "the file is empty"),
        (["--gold", "extra.talp"], "beyond the text's 20 sentence pairs"),
        (["--gold", "shifted.talp"], "lies outside its sentence"),
        (["--fractions", "1"], "--fractions is 1"),
        (["--fractions", "-2"], "--fractions is -2"),
        (["--fractions", "half"], "'half' in --fractions is not a number"),
        (["--fractions", "12"], "12 pieces of a bitext of 11"),
        (["--multiples", "2"], "no extra text for 2 times"),
        (["--set", "extra-src=extra.en"], "--extra-src needs the other side: --extra-tgt"),
        (["--aligner", "nowhere {src} {tgt} {out}"], "not a program on this machine"),
        (["--aligner", "cat {src} {tgt}"], "no place {out}"),
        (["--symmetrize", "best"], "unknown --symmetrize 'best'"),
        (["--alpha", "3"], "--alpha is 3"),
    ],
)
def test_bad_input(files, tmp_path, words, said):
    folder, options = files
    for name in ("nothing", "none"):
        (folder / name).touch()
    (folder / "shifted.talp").write_text("99-0\n" * GOLD)
    given = [folder / word if (folder / word).is_file() else word for word in words]
    if not words[0].startswith("-"):
        options, given = [*given, *options[2:]], []
    base = [*options, "--aligner", COMMAND, "--fractions", "2", "-o", tmp_path / "study"]
    out, error = run(*helpers_cli.replaced(base, *given), code=2)
    assert out == ""
    assert error.startswith("error: ")
    assert said in " ".join(error.split())
    assert not (tmp_path / "study").exists()


def test_none_leaves_out_runs(files, tmp_path):
    _, options = files
    words = ["--fractions", "none", "--multiples", "none", "--symmetrize", "none"]
    out, _ = run(*options, *words, "--aligner", COMMAND, "-o", tmp_path, "--json")
    (row,) = json_of(out)
    assert (row["system"], row["run"], row["group"], row["pieces"]) == ("1.none", "1", "none", 1)
    assert not (tmp_path / "pieces" / "1" / "1" / "reverse.talp").exists()
    assert len([name for name in row if name.startswith("f_")]) == 9


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal")
def test_an_interruption_ends_the_aligners_at_once(files, tmp_path):
    _, options = files
    sleeper = tmp_path / "sleeper.py"
    sleeper.write_text(
        "import pathlib, sys, time\npathlib.Path(sys.argv[1]).touch()\ntime.sleep(3600)\n"
    )
    mark = tmp_path / "running"
    command = f"'{sys.executable}' '{sleeper}' '{mark}' {{src}} {{tgt}} {{out}}"
    words = [*options, "--aligner", command, "--fractions", "4", "-o", tmp_path / "study"]
    program = subprocess.Popen(
        [sys.executable, "-m", "alignframe", "links", "vary", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # As from a terminal, since the signal is ignored if tests run in the background.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not mark.exists():
        assert program.poll() is None
        time.sleep(0.1)
    program.send_signal(signal.SIGINT)
    _, said = program.communicate()
    assert program.returncode not in (0, 1)
    assert "run the same again to resume" in said


@pytest.mark.parametrize("place", ["{src:d}", "{src!r}"])
def test_a_folder_in_another_format_is_refused(make, place):
    with pytest.raises(InputError, match="no places except"):
        make(f"cp {place} {{tgt}} {{out}}")
