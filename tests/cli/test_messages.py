"""What commands say of wrong options: the flag as typed, what was found, and what was expected."""

import math
import re
from functools import cache

import click
import pytest

from alignframe.cli.commands import every
from alignframe.cli.option import ELSEWHERE, HABITS, RENAMED_FLAGS, REQUIRED
from alignframe.cli.parse import Command
from alignframe.cli.show import RUNS
from alignframe.errors import AlignframeError
from alignframe.options.aligners import OPTIONS, names_of

WORDS = {
    "align": "text.en text.fr --output out.talp",
    "convert": "in.talp out.naacl",
    "lm": "text.fr --output out.arpa",
    "dashboard": "counts --output out.html",
    "report": "study.parquet --output out.html",
    "sql": "SELECT",
    "links score": "--gold gold.talp --hyp hyp.talp --src text.en --tgt text.fr",
    "links symmetrize": "forward.talp reverse.talp --output out.talp",
    "links retokenize": "in.talp --src a.en --tgt a.fr --new-src b.en --output out.talp",
    "links vary": "a.en a.fr --gold-src b.en --gold-tgt b.fr --gold gold.talp "
    "--aligner ibm1 --output out",
    "links correlate": "--gold gold.talp --hyp hyp.talp --external scores.csv",
    "phrases extract": "--links hyp.talp",
    "phrases dictionary": "--links hyp.talp --src text.en --tgt text.fr",
    "phrases score": "--gold gold.talp --hyp hyp.talp --src text.en --tgt text.fr",
    "phrases study": "--gold gold.talp --hyp hyp.talp --src text.en --tgt text.fr",
    "lake score": "hyp --gold gold --output out",
    "lake beads": "hyp --gold gold --output out",
    "lake tesla": "hyp --ref ref --output out",
    "lake symmetrize": "forward reverse --output out",
    "lake align": "text --model-from model --output out",
    "lake phrases": "links --output out",
    "lake apply": "mine:hits hyp=place --output out",
    "lake scores": "counts",
    "lake history": "counts",
    "lake status": "out",
    "lexicon induce": "text.en text.fr",
    "lexicon lookup": "--lexicon lexicon.csv word",
    "lexicon score": "--lexicon lexicon.csv --src text.en --tgt text.fr",
    "lexicon merge": "--lexicon lexicon.csv --mrbd words.csv",
    "lexicon upper-bound": "first.txt second.txt",
    "lexicon study": "text.en text.fr --test-src b.en --test-tgt b.fr",
    "lexicon changes": "--lexicon old.csv --lexicon new.csv",
    "beads align": "text.en text.fr",
    "beads score": "--gold gold.beads --hyp hyp.beads",
    "beads noise": "text.en text.fr --output out",
    "beads study": "text.en text.fr",
    "beads tune": "text.en text.fr",
    "beads filter": "text.en text.fr --output out",
    "mt score": "--ref ref.fr --hyp hyp.fr",
    "mt train": "--src text.en --tgt text.fr --links hyp.talp --output out.parquet",
    "mt translate": "text.en --table table.txt --lm fr.arpa --output out.fr",
    "mt mert": "--candidates n.best --ref ref.fr --output out.toml",
    "mt tune": "--src text.en --ref ref.fr --table table.txt --lm fr.arpa --output out.toml",
    "mt study": "--src text.en --tgt text.fr --links hyp.talp --test b.en,b.fr --lm fr.arpa "
    "--output out",
    "warmup": "",
    "tesla score": "--ref ref.en --hyp hyp.en",
    "tesla stream": "--ref ref.en",
    "tesla explain": "--ref ref.en --hyp hyp.en --segment 0",
    "tesla words": "text.en",
    "tesla tags": "--src text.en --tgt text.fr --links hyp.talp --output out.parquet",
    "tesla pivot-table": "--src text.en --pivot text.fr --links hyp.talp --output out.parquet",
    "tesla train": "--rankings rankings.csv --segments scores.csv --output out.json",
    "tesla metrics": "--rankings rankings.csv --segments scores.csv",
}
"""Words of commands that need more than what they require; no such file is there."""
COMMANDS = {one.name: one for one in every()}
EVERY = {
    option.flag
    for one in COMMANDS.values()
    for option in one.options.values()
    if not option.is_argument and option.flag not in RENAMED_FLAGS
}


@cache
def built(name):
    return Command(COMMANDS[name])


def typed(option, value=None):
    """Return the words that give an option."""
    if value is not None and is_switch(option):
        return [f"{option.flag}={value}"]
    return [option.flag] if value is None else [option.flag, value]


def words_of(command):
    """Return the words of a command: those above, or else what it needs."""
    if command.name in WORDS:
        return WORDS[command.name].split()
    needed = [option for option in command.options.values() if option.default is REQUIRED]
    each = ([option.parameter] if option.is_argument else [option.flag, "x"] for option in needed)
    return [word for words in each for word in words]


def said(command, *words):
    """Return what a command says of its usual words and others; it refuses them."""
    usual = words_of(command)
    for flag in [*words[::2], *["--output"] * ("--page" in words)]:  # given again, or instead
        if flag in usual:
            at = usual.index(flag)
            del usual[at : at + 2]
    with pytest.raises((click.UsageError, AlignframeError)) as error:
        built(command.name).main([*usual, *words], command.name, standalone_mode=False)
    if isinstance(error.value, click.UsageError):
        assert error.value.exit_code == 2
        return error.value.format_message()
    return command.in_shell(str(error.value))


OUTPUTS = [
    (command, option)
    for command in COMMANDS.values()
    for option in command.options.values()
    if option.is_output and not option.is_argument and "as_json" in command.options
]


@pytest.mark.parametrize(
    ("command", "option"), OUTPUTS, ids=[f"{one.name} {option.flag}" for one, option in OUTPUTS]
)
def test_data_and_json_are_not_both_printed(command, option):
    words = [*selecting(command, option), *typed(option, "-"), "--json"]
    assert said(command, *words).startswith("--json with the output '-'; expected one of them")


def way_of(command, option):
    """Return the way of a command that has an option, by default the first."""
    for way in command.ways:
        if option.parameter in {*way.parameters, *(one.parameter for one in way.shows.options)}:
            return way
    return command.ways[0]


def selecting(command, option):
    """Return the words that select the way of a command that has an option."""
    chosen = way_of(command, option).chosen_by
    if chosen is None or chosen.parameter == option.parameter:
        return []
    value = "1" if chosen.kind is int else "out.html"
    return typed(chosen, None if chosen.kind is bool else value)


def wrong_values(command):
    """Yield wrong values of options, each with what is expected as a pattern."""
    for option in command.options.values():
        if option.is_argument:
            continue
        if option.choices:
            yield option, "nonsense", ".*".join(re.escape(str(one)) for one in option.choices)
        elif is_number(option):
            yield option, "nonsense", "not a (valid )?(integer|float|number)"
        elif is_switch(option):
            yield option, "nonsense", "expected yes or no"


def is_switch(option):
    """Whether it may be turned off."""
    return option.kind is bool and option.rare


def is_number(option):
    return option.kind in (int, float) or option.listed in (int, float)


@pytest.fixture(autouse=True)
def empty(tmp_path, monkeypatch):
    """Run in an empty folder, which stays empty."""
    monkeypatch.chdir(tmp_path)
    yield
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_value_of_another_kind_is_refused_before_reading(command):
    wrong = []
    for option, value, expected in wrong_values(command):
        told = said(command, *typed(option, value), *selecting(command, option))
        if not (option.flag in told and value in told and re.search(expected, told)):
            wrong.append(told)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_an_option_without_a_value_or_with_two_is_refused(command):
    wrong = []
    for option in command.options.values():
        if option.is_argument or (option.kind is bool and not option.rare):
            continue
        if option.kind is not bool:
            told = said(command, *typed(option))
            missing = f"Option '{option.flag}' requires an argument."
            if (
                missing if option.flag != "--set" else "--set takes NAME=VALUE, not ''"
            ) not in told:
                wrong.append(told)
        if option.kind != list[str]:
            one, other = ("yes", "no") if option.kind is bool else ("1", "2")
            told = said(command, *typed(option, one), *typed(option, other))
            if f"{option.flag} is given 2 times; it takes one value." not in told:
                wrong.append(told)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_an_option_of_other_commands_is_refused(command):
    flag = min(EVERY - {option.flag for option in command.options.values()})
    assert f"No such option '{flag}'. It is an option of " in said(command, flag, "1")
    told = said(command, "--set", "nonsense=1")
    assert re.search("No such option '--set nonsense'|unknown .*option 'nonsense'", told)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_an_option_without_its_partner_is_refused(command):
    for option in command.options.values():
        needed = command.options.get(option.needs)
        own = way_of(command, option).parameters.get(option.needs)
        missing = needed and not (own and own.default) and needed.flag not in words_of(command)
        if missing and needed.default is not REQUIRED:
            value = option.choices[0] if option.choices else ".5" if option.kind is float else 1
            words = typed(option, None if option.kind is bool else str(value))
            told = said(command, *words, *selecting(command, option))
            assert f"{option.flag} needs {needed.flag}" in told


@pytest.mark.parametrize(
    ("hyp", "source", "told"),
    [
        (["a.talp"], "g.talp", "--gold-base 1"),
        (["a.talp"], "gold", "--gold-base 1"),
        (["a.talp"], "a.talp", "--hyp-base 1"),
        (["a.talp", "b.talp"], "b.talp", "--hyp-base b=1"),
        (["a.talp", "x=b.talp"], "b.talp", "--hyp-base x=1"),
        (["a.talp", "x=b.talp"], "x", "--hyp-base x=1"),
        (["*.talp"], "b", "--hyp-base b=1"),
        (["x=*.talp"], "x/b", "--hyp-base x/b=1"),
        (["a.talp"], None, "--gold-base 1 or --hyp-base 1"),
    ],
)
def test_a_hint_names_the_flag_of_the_input_that_it_is_about(hyp, source, told):
    given = {"gold": "g.talp", "hyp": hyp}
    assert COMMANDS["links score"].in_shell("give `base=1`", given, source) == f"give {told}"


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_number_out_of_bounds_is_answered_with_the_bounds_before_reading(command):
    wrong = []
    for option in command.options.values():
        if not is_number(option) or option.choices:
            continue
        bounds = option.bounds
        ends = [bounds.low - 1, bounds.high + 1, bounds.above, bounds.below]
        for end in filter(math.isfinite, ends):
            value = f"{end:.15g}"
            told = said(command, *typed(option, value), *selecting(command, option))
            if not re.match(rf"{option.flag} is {value}(\.0)?; expected a {bounds}$", told):
                wrong.append(told)
    assert not wrong, "\n".join(wrong)


def test_an_option_of_another_metric_is_refused_with_its_flag():
    told = said(COMMANDS["lake tesla"], "--set", "beta=2")
    assert told.startswith("--beta with --metric tesla-m; expected one of ")


def test_an_option_of_a_model_out_of_bounds_is_refused_with_its_flag():
    told = said(COMMANDS["align"], "--set", "iterations=-1", "--model", "hmm")
    assert told == "--set iterations is -1; expected a whole number from 0"


@pytest.mark.parametrize(
    ("name", "words", "expected"),
    [
        ("align", "a.en a.fr -o a.xyz", "unknown suffix '.xyz' for links; expected .*(--to)"),
        ("links symmetrize", "a.en a.fr -o a.xyz", "unknown suffix '.xyz' for links.*(--to)"),
        ("convert", "a.en a.fr a.xyz", "unknown suffix '.xyz' for beads; expected .*(--to)"),
        ("convert", "own.talp", "Missing argument 'OUT'."),
        ("convert", "", "Missing argument 'IN...'."),
        ("convert", "--to naacl", "Missing argument 'IN...'."),
        ("links score", "--hyp a.en", "Missing option '--gold'."),
        ("links symmetrize", "a.en", "Missing argument 'REVERSE'."),
        ("beads noise", "a b -o out --scenario clean --src-rate .3", "--src-rate with the scen"),
    ],
)
def test_a_wrong_command_is_answered_with_what_was_typed(name, words, expected, tmp_path):
    for file in {"a.en", "a.fr", "a", "b"}.intersection(words.split()):
        (tmp_path / file).write_text("0-0\n")
    command = COMMANDS[name]
    with pytest.raises((click.UsageError, AlignframeError)) as error:
        built(name).main(words.split(), name, standalone_mode=False)
    told = str(getattr(error.value, "format_message", lambda: error.value)())
    told = command.in_shell(told, RUNS[-1][1] if RUNS else {}, getattr(error.value, "path", None))
    assert re.search(expected.replace("(", r"\(").replace(")", r"\)"), told), told
    for file in tmp_path.iterdir():
        file.unlink()


def test_a_flag_of_another_tool_is_answered_with_the_own_one():
    for name, flags in ELSEWHERE.items():
        own = {option.flag for option in COMMANDS[name].options.values()}
        own |= {option.metavar for option in COMMANDS[name].options.values()}
        for flag, meant in flags.items():
            assert re.split("[ ,]", meant)[0] in own, meant
            told = said(COMMANDS[name], flag, "1")
            assert told == f"No such option {flag!r}. Did you mean {meant}?"
    assert said(COMMANDS["align"], "-c", "1") == "No such option '-c'."


@pytest.mark.parametrize("flag", HABITS)
def test_a_flag_of_habit_is_answered_where_the_command_has_what_is_meant(flag):
    answered = set()
    for name, command in COMMANDS.items():
        own = {option.flag for option in command.options.values()}
        arguments = {f"--{one.parameter}" for one in command.options.values() if one.is_argument}
        if flag in own | arguments or flag in ELSEWHERE.get(name, ()):
            continue
        known = [
            meant
            for meant in HABITS[flag]
            if meant.split()[0] in own | arguments or not meant.startswith("-")
        ]
        for meant in known[:1]:
            shown = f"{meant[2:].upper()}, without a flag" if meant in arguments else repr(meant)
            assert said(command, flag) == f"No such option {flag!r}. Did you mean {shown}?"
        answered.update(known[:1])
    assert answered == {*HABITS[flag]} - {flag}


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("iterations=3", "'iterations' is an option of ibm1, hmm, ibm4"),
        ("iteration=3", "'iterations' is an option of ibm1, hmm, ibm4"),
        ("max_jum=3", "'max-jump' is an option of hmm"),
        ("sed=3", "did you mean 'seed'?"),
        ("memory-limt=1GB", "did you mean 'memory-limit'?"),
        ("xyzzy=3", "the other options strength, seed"),
    ],
)
def test_an_unknown_option_of_a_model_lists_those_known_as_typed(setting, told):
    found = said(COMMANDS["align"], "--set", setting)
    assert "agreement, memory-limit; or of the other options strength, seed" in found
    assert found.endswith(told)


def test_help_lists_the_options_of_each_model(capsys):
    Command(COMMANDS["align"]).main(["--help-all"], "align", standalone_mode=False)
    _, *panels = capsys.readouterr().out.split("Settings of the model ")
    for panel, (model, options) in zip(panels, OPTIONS.items(), strict=True):
        assert panel.startswith(f"{model}:")
        listed = re.findall(r"(?m)^  ([\w-]+)=\S+ +\S", panel)
        assert listed == [name.replace("_", "-") for name in names_of(options)]


def test_an_option_of_a_model_may_have_hyphens_or_underscores():
    for name in ("memory_limit", "memory-limit"):
        told = said(COMMANDS["align"], "--set", f"{name}=1GB", "--model", "hmm")
        assert told.endswith("'memory-limit' is an option of bayes")
        told = said(COMMANDS["align"], "--set", f"{name}=1GB", "--set", "memory-limit=2GB")
        assert told == "the option 'memory-limit' twice; expected each option once"


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_set_gives_an_option_as_its_flag_does(command):
    usual = words_of(command)

    def parsed(*words):
        return built(command.name).make_context(command.name, [*usual, *words]).params

    for option in command.options.values():
        if option.is_argument or option.flag in ("--set", *usual):
            continue
        name = option.flag.lstrip("-")
        if option.kind is bool:
            given = parsed(option.flag)
            assert given[option.parameter] is True
            if option.rare:
                assert given == parsed(f"{option.flag}=yes") == parsed("--set", f"{name}=yes")
                off = parsed(f"--no-{name}")
                assert off == parsed("--set", f"{name}=no") == parsed(f"{option.flag}=no")
                assert off[option.parameter] is False
            continue
        value = str(option.choices[0]) if option.choices else "1"
        given = parsed(option.flag, value)
        assert given == parsed("--set", f"{name}={value}") == parsed(f"--set={name}={value}")
        assert given == parsed("--set", f"{name.replace('-', '_')}={value}")


def test_rare_flags_are_completed_once_their_name_is_begun():
    def completed(text):
        command = Command(COMMANDS["links score"])
        context = command.make_context("score", [], resilient_parsing=True)
        return [item.value for item in command.shell_complete(context, text)]

    assert completed("--str") == ["--strict"]
    assert completed("--no-s") == ["--no-strict"]
    assert completed("--gold-") == ["--gold-format", "--gold-base"]
    assert "--gold" in completed("--")
    assert "--strict" not in completed("--")
