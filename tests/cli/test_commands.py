"""The commands, against the functions that they run."""

import inspect
import re
import subprocess
import sys
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from helpers.cli import run

import alignframe as af
from alignframe.cli.app import Group, app
from alignframe.cli.commands import GROUPS, RENAMED, SYNONYMS, command, every, similar
from alignframe.cli.gold import applied
from alignframe.cli.links import correlated
from alignframe.cli.option import REQUIRED
from alignframe.cli.places import FOLDERS, check_place, check_suffix
from alignframe.core.choices import TABLES
from alignframe.core.suffixes import LINK_FORMATS, OUTPUTS
from alignframe.errors import InputError
from alignframe.functions import FUNCTIONS
from alignframe.options import beads, mt

KEYWORDS = {
    "Any": af.tesla.Scorer,
    "object": af.tesla.Scorer,
    "Unpack[AnalysisOptions]": af.language.Analysis.of,
    "Unpack[JobOptions]": af.lake.How,
    "Unpack[MetricOptions]": af.mt.Options,
    "Unpack[ScorerOptions]": af.tesla.Scorer,
    "Unpack[SearchOptions]": mt.Search,
}
HEADS = {
    ("alignframe.links.correlation", "Unpack[CorrelationOptions]"): af.stats.correlate,
}


def taken_by(function):
    """Return the parameters of a function, with those that its keywords stand for."""
    taken = dict(inspect.signature(function).parameters)
    for one in [one for one in taken.values() if one.kind is one.VAR_KEYWORD]:
        del taken[one.name]
        head = HEADS.get((function.__module__, one.annotation))
        if head:  # the keywords are some of its parameters
            keys = getattr(import_module(head.__module__), one.annotation[7:-1]).__annotations__
            taken |= {name: taken_by(head)[name] for name in keys if name not in taken}
            continue
        beads = "Fields of ``Options``" in function.__doc__
        made = [af.beads.Options if beads else KEYWORDS[one.annotation]]
        if function is correlated:
            made = [af.links.correlate]
        if function is applied:
            made = [af.links.apply_edits]
        if made == [af.tesla.Scorer]:
            made.append(af.language.Analysis.of)
        if function in (af.mt.mert, af.mt.tune):
            made.append(af.mt.Options)
        if function is af.mt.tune:
            made += [mt.Tuning, mt.Search]
        if function is af.mt.study:
            made = [af.language.Analysis.of, mt.Search, mt.Judging]
        for other in made:
            taken = taken_by(other) | taken
    return taken


@pytest.mark.parametrize("command", every(), ids=lambda one: one.name)
def test_a_command_reads_signatures_and_docstrings_as_python_does(command):
    for way in command.ways:
        taken = taken_by(way.load())
        assert taken.keys() == way.parameters.keys()
        for name, one in way.parameters.items():
            usual = taken[name].default
            assert one.default == (REQUIRED if usual is inspect.Parameter.empty else usual)
    for option in command.options.values():
        assert option.help.partition("  [default")[0].endswith("."), option.flags


@pytest.mark.parametrize("command", every(), ids=lambda one: one.name)
def test_help_does_not_say_what_only_python_takes(command):
    for option in command.options.values():
        assert not re.search(r"[Ii]n Python|\ba frame\b|\bNaN\b|``", option.help), option.flags


def test_a_flag_takes_the_same_type_everywhere():
    kinds: dict[str, set[str]] = {}
    for one in every():
        for option in one.options.values():
            kind = {int: "number", float: "number", bool: "switch"}.get(option.kind, "text")
            kinds.setdefault(option.flags, set()).add(kind)
    # Counts are shown, or read by mt mert. One segment is explained; several are shown in a report.
    assert [flag for flag, found in kinds.items() if len(found) > 1] == ["--counts", "--segment"]


def test_an_option_is_in_the_same_panel_everywhere():
    panels: dict[str, set[str | None]] = {}
    for one in every():
        for option in one.options.values():
            fixed = option.is_argument or option.rare
            if not fixed and not (option.panel or "").startswith("With "):
                panels.setdefault(option.flags, set()).add(option.panel)
    # A flag that is read in one command and written in another; links that are read, or a table's
    # rows.
    several = {flag for flag, found in panels.items() if len(found) > 1}
    assert several == {
        *("--model", "--n-best", "--segments", "--counts", "--min-probability"),
    }


def test_an_unknown_choice_suggests_a_similar_one():
    option = next(
        one for one in command("convert").options.values() if one.parameter == "to_format"
    )
    with pytest.raises(InputError, match=r"'moss'.*'moses'"):
        option.parsed("moss")


def test_a_rare_option_is_a_flag_that_help_leaves_out_and_set_gives_it_too():
    for each in every():
        for option in each.options.values():
            assert not (option.rare and option.default is REQUIRED), (each.name, option.flag)
    words = "mt", "score", "--ref", "ref", "--hyp", "hyp"
    for more, told in (
        (("--set", "smoth=exp"), "No such option '--set smoth'. Did you mean '--smooth'?"),
        (("--set", "seed=x"), "Invalid value for '--seed': 'x' is not a valid integer"),
        (("--set", "seed=1", "--set=seed=2"), "--seed is given 2 times; it takes one value"),
        (("--set", "seed"), "--set takes NAME=VALUE, not 'seed'"),
        (("--set",), "--set takes NAME=VALUE, not ''"),
        (("--seed", "1", "--set", "seed=1"), "--seed is given 2 times; it takes one value"),
        (("--seed=x",), "Invalid value for '--seed': 'x' is not a valid integer"),
        (("--whitespace", "--no-whitespace"), "--whitespace is given 2 times; it takes one"),
        (("--whitespace", "--set", "whitespace=no"), "--whitespace is given 2 times; it"),
        (("--whitespace=maybe",), "--whitespace is 'maybe'; expected yes or no"),
        (("--full-order",), "--full-order is now --no-effective-order"),
        (("--metrics", "bleu"), "--metrics is now --metric"),
        (("--set", "char_order=0"), "--char-order is 0; expected"),
    ):
        assert told in run(*words, *more, code=2)[1]
    said = run("mt", "score", "--help")[0]
    assert said.endswith("\n17 more options: see --help-all.\n")
    assert "--seed INT" not in said
    assert "  --seed INT  " in run("mt", "score", "--help-all")[0]


def test_help_of_every_command_imports_little():
    script = (
        "import sys\n"
        "from contextlib import redirect_stdout\n"
        "from io import StringIO\n"
        "from alignframe.__main__ import main\n"
        "from alignframe.cli import progress\n"
        "from alignframe.cli.progress import spinner\n"
        "from alignframe.cli.commands import every\n"
        "progress.PATIENCE = 600.0\n"  # a spinner imports Rich on a slow machine
        "for name in ['', *(one.name for one in every())]:\n"
        "    with redirect_stdout(StringIO()) as said:\n"
        "        spinner.cache_clear()\n"
        "        sys.argv = ['alignframe', *name.split(), '--help']\n"
        "        try: main()\n"
        "        except SystemExit: pass\n"
        "    assert 'Output:' in said.getvalue() or name in ('', 'tesla stream'), name\n"
        "heavy = {'numba', 'polars', 'pyarrow', 'duckdb', 'numpy', 'altair', 'scipy', 'rich',\n"
        "    'pydantic', 'pandas'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_a_field_of_the_options_of_sentence_aligners_is_an_option_everywhere():
    names = {one.name for one in fields(af.beads.Options)}
    assert names <= {option.parameter for option in command("beads align").options.values()}
    arguments = {one.name: {*one.arguments} for one in FUNCTIONS}
    assert names <= arguments["align_sentences"]
    by_lengths = {*beads.taken_by(*beads.BY_LENGTHS)} - {"unit", "words"}
    assert by_lengths <= arguments["align_lengths"]


def test_a_parameter_has_one_flag_everywhere_in_the_singular_if_it_is_repeated():
    flags: dict[str, set[str]] = {}
    plural = set()
    for option in (one for each in every() for one in each.options.values() if not one.is_argument):
        flags.setdefault(option.parameter, set()).add(option.flag)
        if option.kind == list[str] and option.flag.endswith("s"):
            plural.add(option.flag)
    assert plural == {"--links", "--segments"}  # one file has many of them
    assert {name: found for name, found in flags.items() if len(found) > 1} == {
        "folder": {"--folder", "--output"},  # beside a table, or all that is written
        "metrics": {"--metric", "--column"},  # a figure, or the columns that have it
        "name": {"--dictionary", "--name"},
        "only": {"--only", "--for"},
        "page": {"--page", "--output"},
        "segments": {"--segments", "--segment"},  # read, or shown
        "tgt": {"--tgt", "--pivot"},
    }


def test_groups_hold_commands():
    for name in app.said:
        assert (name in GROUPS) == isinstance(app.get_command(None, name), Group)


SCORES = [f"{group} score" for group in ("links", "phrases", "lake", "lexicon", "beads", "mt")]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("score", [*SCORES, "tesla score"]),
        ("scor", [*SCORES, "tesla score"]),
        ("bleu", ["mt score"]),
        ("tesla bleu", ["mt score"]),
        ("aer", ["links score"]),
        ("tokenise", ["tesla words --show words", "mt score --tokenize"]),
        ("symmetrize", ["links symmetrize", "lake symmetrize"]),
        ("links align", ["align", "lake align", "beads align"]),
        ("links scores", ["links score"]),
        ("linkss", ["links"]),
        ("mt links", ["links"]),
        ("xyzzy", []),
    ],
)
def test_an_unknown_command_is_answered_with_the_way(words, meant):
    _, said = run(*words.split(), code=2)
    first, *lines = said.split("No such command ")[1].splitlines()
    assert first == f"'{words.split()[-1]}'." + " Did you mean:" * bool(meant)
    assert [line.split("  ")[1] for line in lines] == [f"alignframe {name}" for name in meant]


@pytest.mark.parametrize("words", ["", "links", "links score", "convert"])
def test_help_is_asked_for_with_a_word_too(words):
    assert run("help", *words.split())[0] == run(*words.split(), "--help")[0]


def test_every_command_is_found_by_its_last_word_and_synonyms_exist():
    for one in every():
        assert one.name in similar(one.name.split()[-1], "elsewhere")
    for lines in SYNONYMS.values():
        for name, _, option in (line.partition(" --") for line in lines):
            flags = " ".join(one.flags for one in command(name).options.values())
            assert not option or f"--{option.split()[0]}" in flags.split()


def test_the_former_name_of_a_command_is_answered_with_the_present_one():
    for former, now in RENAMED.items():
        _, said = run(*former.split(), "x", code=2)
        assert said.endswith(f"'{former}' is now: alignframe {now}\n")
        present = next(one for one in every() if f"{now} ".startswith(f"{one.name} "))
        flags = {word for one in present.options.values() for word in one.flags.split()}
        assert {word for word in now.split() if word.startswith("--")} <= flags


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("text", "x.parquet", "a suffix of text, such as .txt"),
        ("phrase table", "x.csv", ".parquet or a suffix of text, such as .txt"),
        ("tokens", "x.csv", ".parquet or a suffix of text, such as .txt"),
        ("n-best list", "x.jsonl", ".parquet or a suffix of text, such as .txt"),
        ("parquet", "x.csv", ".parquet"),
        ("page", "x.txt", ".html"),
        ("page", "x.html.gz", ".html"),
        ("table", "x.doc", ".parquet, .csv, .tsv or .jsonl; .csv, .tsv and .jsonl also with .gz"),
        ("tables", "x.parquet.gz", ".parquet, .csv"),
        ("tables", "x.html", ".parquet, .csv"),
        ("tables", "new/x.xls", ".parquet, .csv"),
        ("links", "x.doc", ".a3, .a3.final, .giza, .jsonl, .ndjson, .moses"),
        ("beads", "x.doc", ".beads, .vecalign, .alignment, .txt, .ladder"),
    ],
)
def test_outputs_refuse_the_suffix_of_what_they_do_not_write(kind, name, expected, tmp_path):
    assert any(option.writes == kind for one, given in ways() for option in one.written(given))
    with pytest.raises(InputError, match=re.escape(f"expected {expected}")):
        check_output(kind, tmp_path / name)


def test_a_folder_of_tables_may_have_a_version_or_any_name_once_it_exists(tmp_path):
    (tmp_path / "run.old").mkdir()
    for name in ("new/v1.2", "new", "run.old"):
        check_output("tables", tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["run.old"]


def check_output(writes, path, named=None):
    check_place(writes, path)
    check_suffix(writes, path, named)


def ways():
    """Yield commands, each with a flag that chooses one of its ways."""
    for one in every():
        for way in one.ways:
            yield one, {way.flag}


def pairs_of(option):
    """Yield the formats and suffixes that an output may have, and those that it may not."""
    known = OUTPUTS[option.writes]
    every_end = {
        end for each in OUTPUTS.values() for ends in each.suffixes.values() for end in ends
    }
    for kind, ends in known.suffixes.items():
        for end in ends or (".txt", ".en"):
            first = next((other for other, own in known.suffixes.items() if end in own), "")
            yield None, end, first if ends else known.default
            if option.format_by:
                yield kind, end, kind
        if option.format_by:
            others = every_end | {".txt"} if kind == "parquet" else {*TABLES, ".html"}
            yield from ((kind, end, None) for end in others.difference(ends))
    mine = [end for ends in known.suffixes.values() for end in ends]
    yield from ((None, end, None) for end in {*TABLES, ".html", ".parquet.gz"}.difference(mine))


WRITTEN = {
    f"{one.name} {'-'.join(given)} {option.flag}": option
    for one, given in ways()
    for option in one.written(given)
    if option.writes not in FOLDERS
}


@pytest.mark.parametrize("name", WRITTEN)
def test_every_output_takes_the_suffixes_of_its_formats_and_no_others(name, tmp_path):
    option = WRITTEN[name]
    known = OUTPUTS[option.writes]
    for named, end, kind in pairs_of(option):
        path = tmp_path / f"x{end}"
        if kind is None:
            with pytest.raises(InputError) as refused:
                check_output(option.writes, path, named)
            assert f"; expected {known.expected(named)}" in str(refused.value)
        else:
            check_output(option.writes, path, named)
            assert known.chosen(path, named, strict=True) == kind


def test_every_output_and_every_format_of_one_is_declared():
    by_content = {("convert", "target"), ("beads filter", "output"), ("gold apply", "output")}
    undeclared = {
        (one.name, option.parameter)
        for one in every()
        for option in one.options.values()
        if option.is_output and not option.writes
    }
    assert undeclared == by_content
    for one in every():
        formats = {"to", "n_best_format"} & one.options.keys()
        if not one.name.startswith("lake "):  # whose formats are those of folders
            named = {
                option.format_by for own, way in ways() if own is one for option in one.written(way)
            }
            assert formats <= named
    modules = Path(af.formats.__file__).parent / "links"
    assert list(LINK_FORMATS) == sorted(one.name for one in iter_modules([str(modules)]))
