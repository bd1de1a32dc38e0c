"""Files appear whole or not at all: a full disk leaves what was there."""

import errno
import resource
import shlex
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from helpers.cli import run

from alignframe import aligners, formats, links, mt, phrases, tesla
from alignframe.core.output import file_name, replacing, table_writer, write_table
from alignframe.errors import InputError
from alignframe.pages.page import Figure, Page
from alignframe.pages.sentences import beside
from alignframe.result import Result, TableResult
from alignframe.sources.words import table_of
from alignframe.stores.folder import Folder

DATA = Path(__file__).resolve().parents[2] / "datasets" / "en-fr"
FULL = 1000
"""Bytes that fit a file on the full disk."""


@contextmanager
def full_disk():
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FULL, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class Two(Result):
    """A result with two tables."""

    signature = "two|tables"

    def tables(self):
        return {"one": pl.DataFrame({"full": [is_full()]}), "two": FIGURES}


FIGURES = pl.DataFrame({"sid": range(2000)}).with_columns(
    figure=pl.Series(np.random.default_rng(1).random(2000)), signature=pl.lit("a|b")
)
GOLD = DATA / "gold.talp"
TEXT = (DATA / "text.en", DATA / "text.fr")
BEADS = pl.DataFrame({name: range(300) for name in ("src_start", "tgt_start")}).with_columns(
    src_end=pl.col("src_start") + 1, tgt_end=pl.col("tgt_start") + 1
)
LINES = [f"sentence {n}" for n in range(300)]
ROW = {"sid": 1, "text": "a" * 2 * FULL, "rank": 1, "score": 0.5}


def in_shell(*words):
    """Run a command in the folder of its output, where it must end with an error."""

    def write(path):
        _, said = run(*words, path.name, folder=path.parent, code=2 * is_full())
        if "error: " in said:
            raise InputError(said.partition("error: ")[2].strip())

    return write


def is_full():
    return resource.getrlimit(resource.RLIMIT_FSIZE)[0] == FULL


def in_pieces(path):
    with table_writer(path) as write:
        for part in FIGURES.iter_slices(500):
            write(part)


def figures(path, *more):
    import altair as alt

    chart = alt.Chart(pl.DataFrame({"x": [1, 2]}).to_pandas()).mark_point().encode(x="x:Q")
    page = Page("A page", "", None, [Figure(name, chart, "") for name in (path.stem, *more)])
    return page.write_figures(path.parent, path.suffix[1:])


def page(path):
    Page("A page", "", None, []).write(path)


def model(path):
    table = pl.DataFrame({"src": [[f"a{n}", "b"] for n in range(300)], "tgt": [["c"]] * 300})
    aligners.fit(table, model="ibm1", iterations=1).save(path.parent)


def phrase_table(path):
    rows = {"src": [[f"{n**9}"] for n in range(300)], "tgt": [["v"]] * 300}
    ones = dict.fromkeys(("n_both", "n_src", "n_tgt", "lex_src", "lex_tgt"), [1] * 300)
    mt.write_phrase_table(pl.DataFrame(rows | ones), path)


def in_lake(path):
    Folder(str(path.parent)).write_text(path.name, "a" * 2 * FULL)


WRITERS = {
    **{f"t.{kind}": lambda path: write_table(FIGURES, path) for kind in ("csv", "tsv", "jsonl")},
    "t.parquet": lambda path: formats.write(FIGURES, path),
    "pieces.csv": in_pieces,
    "pieces.pq": in_pieces,
    **{
        f"links.{kind}": lambda path: formats.write(formats.read(GOLD), path)
        for kind in ("talp", "naacl", "parquet")
    },
    **{
        f"beads.{kind}": lambda path: formats.write_beads(BEADS, path, src=LINES, tgt=LINES)
        for kind in ("txt", "ladder", "xml", "tmx", "parquet")
    },
    "lines.txt": lambda path: formats.write_sentences(LINES, path),
    "two.parquet": lambda path: Two().write(path.parent),
    "single.parquet": lambda path: TableResult("single", FIGURES.to_arrow(), "").write(path.parent),
    "page.html": page,
    **{f"figure.{kind}": figures for kind in ("png", "svg", "pdf")},
    "block.js": lambda path: beside(path.parent, {"first": "a", "block": "a" * 2 * FULL}),
    "translations.parquet": model,
    "table.parquet": phrase_table,
    "table.txt.gz": phrase_table,
    "best.txt": lambda path: mt.write_n_best(pl.DataFrame([ROW]), path),
    "best.parquet": lambda path: mt.write_n_best(pl.DataFrame([ROW]), path, "parquet"),
    "weights.toml": lambda path: mt.write_weights({}, path, "a" * 2 * FULL),
    "metric.json": lambda path: tesla.Model(("ms_1", "lm_" + "a" * 2 * FULL), (1.0, 3.0)).save(
        path
    ),
    "entries.pq": lambda path: phrases.write_dictionary(GOLD, TEXT, path),
    "lake.json": in_lake,
    "counts.csv": in_shell("links", "score", "--counts", "--gold", GOLD, "--hyp", GOLD, "-o"),
    "text.parquet": in_shell("convert", *TEXT),
    "spans.parquet": in_shell("phrases", "extract", "--links", GOLD, "-o"),
    "sql.tsv": in_shell("sql", "select unnest(range(500)) as n", "-o"),
    "lm.arpa": in_shell("lm", DATA / "text.en", "-o"),
    "tokens.txt": in_shell("tesla", "words", DATA / "text.en", "--show", "words", "-o"),
}


def files_in(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*")}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_old_files(name, tmp_path):
    path = tmp_path / name
    WRITERS[name](path)
    old = files_in(tmp_path)
    assert len(old[Path(name)]) > FULL
    with full_disk(), pytest.raises(InputError, match="cannot be written") as refused:
        WRITERS[name](path)
    assert name in str(refused.value)
    assert files_in(tmp_path) == old


def opened_in_lake(path):
    return Folder(str(path.parent)).replacing(path.name)


OPENED = pytest.mark.parametrize("opened", [replacing, opened_in_lake])


@OPENED
def test_a_killed_write_leaves_the_old_file_and_the_next_removes_the_rest(opened, tmp_path):
    path = tmp_path / "t.bin"
    path.write_text("old")
    at = "Folder('.').replacing('t.bin')" if opened is opened_in_lake else "replacing('t.bin')"
    program = (
        "import os, signal\nfrom alignframe.core.output import file_name, replacing\n"
        "from alignframe.stores.folder import Folder\n"
        f"with {at} as out:\n    out.write(b'new')\n    os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=False)
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2
    with opened(path) as out:
        out.write(b"new")
    assert [one.read_text() for one in tmp_path.iterdir()] == ["new"]


@OPENED
def test_a_file_keeps_its_mode_and_its_links(opened, tmp_path):
    path, link = tmp_path / "t.bin", tmp_path / "link.bin"
    path.touch(0o604)
    link.symlink_to(path.name)
    with opened(link) as out:
        out.write(b"new")
    assert link.is_symlink()
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o604)


@OPENED
def test_threads_that_write_the_same_file_do_not_disturb_each_other(opened, tmp_path):
    together = threading.Barrier(3)

    def write(text):
        with opened(tmp_path / "t.bin") as out:
            together.wait()
            out.write(text * 3)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(write, [b"a", b"b", b"c"]))
    assert files_in(tmp_path)[Path("t.bin")] in (b"aaa", b"bbb", b"ccc")


def test_no_entries_are_a_table_without_rows(tmp_path):
    text = pl.DataFrame({"sid": [0], "src": [["not"]], "tgt": [["pas"]]})
    assert phrases.write_dictionary([""], text, tmp_path / "t.parquet") == 0
    assert pl.read_parquet(tmp_path / "t.parquet").shape == (0, 4)


@pytest.mark.parametrize("suffix", ["parquet", "pq", "csv", "tsv", "jsonl", "ndjson"])
def test_every_command_writes_the_tables_that_python_writes(suffix, tmp_path):
    words = ("links", "score", "--counts", "--gold", GOLD, "--hyp", GOLD, "-o")
    run(*words, f"shell.{suffix}", folder=tmp_path)
    formats.write(links.score(GOLD, GOLD).counts, tmp_path / f"python.{suffix}")
    one, other = (table_of(tmp_path / f"{name}.{suffix}", "it") for name in ("shell", "python"))
    assert one.num_rows == 72
    assert one.drop_columns("system").equals(other.drop_columns("system"))


REFUSED = {
    "links score --gold g.talp --hyp g.talp": ("s.txt", "the suffix '.txt'; expected "),
    "links symmetrize g.talp g.talp": (
        "s.tsv",
        "the format tsv needs words, and there are none; write .talp",
    ),
    "align text.en text.fr": ("a.json.gz", "unknown suffix '.json' for links"),
    "links score --counts --gold g.talp --hyp g.talp": ("c.parquet.gz", "the suffix '.parquet.gz'"),
    "sql 'select [1] as x'": ("x.csv", "the column x, which holds lists or structs, for the"),
}


@pytest.mark.parametrize("words", REFUSED)
def test_an_output_that_cannot_hold_the_result_is_refused_at_once(words, tmp_path):
    for name in ("gold.talp", "text.en", "text.fr"):
        (tmp_path / name.replace("gold", "g")).write_bytes((DATA / name).read_bytes())
    before = files_in(tmp_path)
    name, expected = REFUSED[words]
    _, said = run(*shlex.split(words), "-o", name, folder=tmp_path, code=2)
    assert said.startswith(f"error: {name}: {expected}")
    assert files_in(tmp_path) == before


def test_an_old_file_is_kept_where_it_cannot_be_linked(tmp_path):
    other = Path("/dev/shm")
    if not other.is_dir() or other.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("needs a second file system")
    with tempfile.TemporaryDirectory(dir=other) as elsewhere:
        (tmp_path / "past").symlink_to(elsewhere)
        _check_kept(tmp_path)


@pytest.mark.parametrize("number", ["EPERM", "EACCES", "EXDEV", "EOPNOTSUPP", "ENOSYS", "EMLINK"])
def test_an_old_file_is_copied_for_every_reason_why_it_is_not_linked(number, tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(getattr(errno, number), number)

    monkeypatch.setattr("os.link", refuse)
    _check_kept(tmp_path)


def _check_kept(root):
    folder = Folder(str(root))
    folder.write_text("t.bin", "old")
    folder.keep("t.bin", "past/t.bin")
    folder.write_text("t.bin", "new")
    folder.keep("t.bin", "past/t.bin")  # it is there already
    assert [(root / name).read_text() for name in ("t.bin", "past/t.bin")] == ["new", "old"]
    assert len(list((root / "past").iterdir())) == 1
    folder.keep("none", "past/none")  # another job has removed it
    assert len(list((root / "past").iterdir())) == 1


def test_names_of_files_after_data_are_whole_or_cut_and_told_apart(tmp_path):
    for name in ("a", "a b.c", "a" * 251, "é" * 125 + "a"):
        assert file_name(name, ".txt") == f"{name}.txt"
    long = ["a" * 252, "a" * 300, "a" * 299 + "b", "é" * 130, "a" + "é" * 130, "%C3%A9" * 60]
    made = [file_name(name, ".txt") for name in long]
    for name in made:
        assert len(name.encode()) <= 255
        assert name.endswith(".txt")
        (tmp_path / name).touch()
    assert len(set(made)) == len(long)
    assert made[1] == "a" * 234 + "-8b397aa4c75429a2.txt"
    assert file_name(made[1]) == made[1]
    assert file_name("\udcff" * 300).encode()  # a name that is not UTF-8


def test_charts_and_documents_with_long_names_are_written(tmp_path):
    names = ["x" * 300, "x" * 301]
    written = figures(tmp_path / "figures" / f"{names[0]}.svg", names[1])
    assert [path.stem[:200] for path in written] == ["x" * 200] * 2
    assert len(files_in(tmp_path / "figures")) == 2
    documents = pl.DataFrame({"text": ["a b .", "c ."], "doc": names})
    for side in ("src", "tgt"):
        documents.write_parquet(tmp_path / f"{side}.parquet")
    run("beads", "align", "src.parquet", "tgt.parquet", "-o", "beads/", folder=tmp_path)
    assert len(files_in(tmp_path / "beads")) == 2


def test_a_name_too_long_for_any_file_is_told(tmp_path):
    name = "x" * 300
    words = ("links", "score", "--gold", GOLD, "--hyp")
    for more in ((GOLD, "-o", f"{name}.csv"), (f"{name}.talp",), (GOLD, "--page", f"{name}.html")):
        said = run(*words, *more, code=2, folder=tmp_path).stderr
        assert said == (
            f"error: {more[-1]}: the name is too long; expected at most 255 bytes between slashes\n"
        )
