"""Commands of click from their declarations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from difflib import get_close_matches
from io import StringIO
from itertools import takewhile
from os import PathLike
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from alignframe.cli.commands import every
from alignframe.cli.declared import option_of, parameters
from alignframe.cli.option import ELSEWHERE, HABITS, RENAMED_FLAGS, REQUIRED, Option
from alignframe.cli.places import check_apart, check_one_output, check_place, check_suffix
from alignframe.cli.showing import table_format
from alignframe.core.suffixes import MARKUP
from alignframe.errors import InputError, number_of
from alignframe.typing import Arguments

_WIDEST = 60
"""The widest list of choices shown beside a flag."""
_KINDS = {str: "TEXT", int: "INT", float: "FLOAT", list[str]: "TEXT"}
_PANELS = ("Arguments", "Input", "Analysis", "Intervals", "Output")
_SWITCHED = {
    word: word in ("yes", "true", "1") for word in ("yes", "true", "1", "no", "false", "0")
}
_RARE = "Rare options"
_LAST = (_RARE, "Settings", "Options")


class Argument(click.Argument):
    """An argument with a description."""

    def __init__(self, *names: Any, about: str, **words: Any) -> None:
        super().__init__(*names, **words)
        self.about = about

    def make_metavar(self, _: click.Context) -> str:
        """Return the name as in usage: optional ones in brackets, several with an ellipsis."""
        name = self.metavar if self.required else f"[{self.metavar}]"
        return f"{name}..." if self.nargs < 0 else f"{name}"

    def get_help_record(self, _: click.Context) -> tuple[str, str]:
        """Return the argument's bare name and its description."""
        return f"{self.metavar}", f"{self.about}  [required]" if self.required else self.about


class Command(click.Command):
    """A command whose help lists options in panels."""

    def __init__(self, op: Any) -> None:
        options = list(op.options.values())
        super().__init__(
            op.name.rpartition(" ")[2],
            params=[_parameter(option) for option in options],
            callback=_callback(op, options),
            help=op.help,
        )
        self.panels = {
            option.parameter: _RARE if option.rare else option.panel or "Arguments"
            for option in options
        }
        self.elsewhere = ELSEWHERE.get(op.name, {})
        own = [option.flag for option in options if not option.is_argument]
        self.flags = {flag.lstrip("-"): flag for flag in own}
        self.rare = {option.parameter for option in options if option.rare}
        self.inner = {
            f"Settings of the model {name}": setting
            for option in options
            for name, setting in _set_by(option).items()
        }
        self.switches = {param.opts[0]: param for param in self.params if param.secondary_opts}
        self.params += self._more()

    def _show_rare(self) -> None:
        for option in self.params:
            if isinstance(option, click.Option) and option.name in self.rare:
                option.hidden = False

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete rare flags too, once a letter of their name is typed."""
        if incomplete.lstrip("-"):
            self._show_rare()
        return super().shell_complete(ctx, incomplete)

    def _more(self) -> list[click.Parameter]:
        """Return ``--set``, another way to give any option, and ``--help-all``."""

        def print_all(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
            if wanted:
                self._show_rare()
                click.echo(ctx.get_help())
                ctx.exit()

        def completed(_: click.Context, __: click.Parameter, text: str) -> list[str]:
            names = sorted(name.replace("_", "-") + "=" for name in self.rare)
            return [name for name in names if name.startswith(text)]

        words: Arguments = {"expose_value": False, "hidden": True}
        listing = click.Option(
            ["--help-all"], is_flag=True, is_eager=True, callback=print_all, **words
        )
        if any("--set" in param.opts for param in self.params):
            return [listing]
        return [click.Option(["--set"], multiple=True, shell_complete=completed, **words), listing]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse arguments; refuse an option of a single value that is given twice."""
        args = self._with_settings(ctx, args)
        given = [arg.partition("=")[0] for arg in takewhile("--".__ne__, args)]
        for option in self.params:
            flags = [flag for flag in (*option.opts, *option.secondary_opts) if flag[0] == "-"]
            times = sum(given.count(flag) for flag in flags)
            # click would take the last one, and drop the others without a word.
            several = option.multiple or (getattr(option, "is_flag", True) and len(flags) == 1)
            if times > 1 and not several:
                ctx.fail(f"{option.opts[-1]} is given {times} times; it takes one value.")
        try:
            return super().parse_args(ctx, [*args])
        except click.MissingParameter as error:
            several = isinstance(error.param, Argument) and error.param.nargs < 0
            last = [param for param in self.params if several and isinstance(param, Argument)][-1:]
            values = self.make_parser(ctx).parse_args([*args])[0]
            for argument in last:
                if isinstance(values.get(f"{argument.name}"), str):
                    error.param = argument  # the only one given was taken for it
            raise
        except click.NoSuchOption as error:
            former = error.option_name
            # Names of flags may have changed, or have become arguments: say which.
            known = {flag for param in self.params for flag in (*param.opts, *param.secondary_opts)}
            now = RENAMED_FLAGS.get(former, "")
            if any(
                former == f"--{param.name}" and isinstance(param, Argument) for param in self.params
            ):
                ctx.fail(f"{former} is now an argument: {former[2:].upper()}, without the flag")
            if now in known:
                ctx.fail(f"{former} is now {now}")
            if meant := self.elsewhere.get(former):
                ctx.fail(f"No such option {former!r}. Did you mean {meant}?")
            ctx.fail(f"No such option {former!r}.{self._meant(former)}")
        except click.UsageError as error:
            if "unexpected extra argument" in error.message and any(
                isinstance(param, click.Option) and param.multiple for param in self.params
            ):
                way = "repeat an option for each value, and put globs in quotes."
                raise click.UsageError(f"{error.message.rstrip('.')}; {way}", ctx) from None
            raise

    def _with_settings(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return arguments with flags in place of ``--set NAME=VALUE``."""
        out: list[str] = []
        rest = iter(args)
        for word in rest:
            if word == "--":
                return [*out, word, *rest]
            if word != "--set" and not word.startswith("--set="):
                out.append(self._switched(ctx, word))
                continue
            pair = word[6:] if "=" in word else next(rest, "")
            name, mark, value = pair.partition("=")
            if not (name and mark) and not ctx.resilient_parsing:
                ctx.fail(f"--set takes NAME=VALUE, not {pair!r}; --help-all lists the names.")
            name = name.replace("_", "-")
            flag = self.flags.get(name, f"--set {name}")
            # Options of the model are read by the command itself, from the option --set.
            if name not in self.flags and "option" in self.panels:
                out += ["--set", pair]
            elif flag.startswith("--"):
                out.append(self._switched(ctx, f"{flag}={value}"))
            else:
                out += [flag, value]
        return out

    def _switched(self, ctx: click.Context, word: str) -> str:
        """Return a switch with a value, such as ``--strict=no``, as a flag; others unchanged."""
        flag, mark, value = word.partition("=")
        if not mark or flag not in self.switches:
            return word
        switch = self.switches[flag]
        if value.lower() not in _SWITCHED:
            ctx.fail(f"{flag} is {value!r}; expected yes or no")
        return (switch.opts if _SWITCHED[value.lower()] else switch.secondary_opts)[0]

    def _meant(self, flag: str) -> str:
        """Return what to say of an unknown option: a similar one, or the commands that have it."""
        flags = [word for option in self.params for word in option.opts if word.startswith("--")]
        arguments = {f"--{one.name}" for one in self.params if isinstance(one, Argument)}
        for meant in HABITS.get(flag, ()):
            if meant in arguments:
                return f" Did you mean {meant[2:].upper()}, without a flag?"
            if not meant.startswith("-") or meant.split()[0] in flags:
                return f" Did you mean {meant!r}?"
        own = {word.removeprefix("--set ").lstrip("-"): word for word in flags}
        if near := get_close_matches(flag.removeprefix("--set ").lstrip("-"), own, 1, 0.8):
            return f" Did you mean {own[near[0]]!r}?"
        # The flag may belong to another command: name some that have it.
        others = [
            command.name
            for command in every()
            if flag.startswith("--")
            and any(
                flag in option.flags.replace("/", " ").split()
                for option in command.options.values()
            )
        ]
        more = f" and {number_of(len(others) - 3, 'other')}" if len(others) > 3 else ""
        return f" It is an option of {', '.join(others[:3])}{more}." if others else ""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, one section per panel."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            if record := parameter.get_help_record(ctx):
                panel = self.panels.get(parameter.name or "", "Options")
                panels.setdefault(panel, []).append(record)
        for name, own in self.inner.items() if _RARE in panels else ():
            panels[name] = [
                (
                    f"{setting.flags[2:]}={setting.metavar or _KINDS.get(setting.kind, 'yes|no')}",
                    setting.help,
                )
                for setting in own.values()
            ]
        for name in sorted(panels, key=_order):
            with formatter.section(name):
                formatter.write_dl(panels[name])
        if self.rare and _RARE not in panels:
            formatter.write_paragraph()
            more = number_of(len(self.rare.union(*self.inner.values())), "more option")
            formatter.write_text(f"{more}: see --help-all.")


def _set_by(option: Option) -> dict[str, dict[str, Option]]:
    """Return what an option sets by ``NAME=VALUE``, by the name of the dataclass."""
    options: dict[str, dict[str, Option]] = {}
    for place in option.sets:
        module, _, kind = place.partition(":")
        declared = parameters(module, kind).values()
        options[kind.lower()] = {
            parameter.name: option_of(parameter, parameter.help) for parameter in declared
        }
    return options


def _order(panel: str) -> int:
    # Rare options and click's own come after all panels.
    if panel.startswith(_LAST):
        return len(_PANELS) + 1 + (panel == _LAST[-1])
    return _PANELS.index(panel) if panel in _PANELS else len(_PANELS)


def _callback(op: Any, options: Sequence[Option]) -> Callable[..., None]:
    """Return a function that checks the values of options, and runs the command."""

    def run(**words: Any) -> None:
        from alignframe.cli.show import RUNS, tables_as

        # Messages name the flags of the command that ran.
        RUNS[:] = [(op, words)]
        source = click.get_current_context().get_parameter_source
        given = {name for name in words if source(name) is ParameterSource.COMMANDLINE}
        for option in options:
            value = words[option.parameter]
            # click gives an empty tuple for none; the function has a default of its own.
            if option.kind == list[str]:
                value = list(value) if value else option.default
            words[option.parameter] = option.parsed(value)
        # Checked before anything runs: an output would destroy an input, perhaps after hours.
        written = [one for one in op.written(given) if words[one.parameter] is not None]
        for option in written:
            check_place(option.writes, Path(words[option.parameter]))
        _check_apart(options, words)
        as_json = words.get("as_json") or words.get("printed_as") == "json"
        for option in options:
            if option.is_output and option.parameter in given:
                check_one_output(str(words[option.parameter]), as_json)
        markup = next((one for one in written if _is_markup(one, words)), None)
        if markup is not None:
            written.remove(markup)
        for option in written:
            named = words.get(option.format_by)
            check_suffix(option.writes, Path(words[option.parameter]), named)
        # Commands that print no table take neither --format nor --signature.
        if table_format not in options:
            op.call(words, given)
            return
        printed_as, signature = words.pop("printed_as"), words.pop("signature", None)
        if words["as_json"] and printed_as not in ("text", "json"):
            raise InputError(f"--json with --format {printed_as}", expected="one of them")
        words["as_json"] |= printed_as == "json"
        if markup is None:
            with tables_as(printed_as, signature):
                op.call(words, given)
            return
        place, words[markup.parameter] = words[markup.parameter], None
        _write_markup(place, words["as_json"], lambda: op.call(words, given), signature)

    return run


def _is_markup(option: Option, words: Mapping[str, Any]) -> bool:
    """Whether a table is to be written as it is printed."""
    suffix = Path(words[option.parameter]).suffix.lower()
    return option.writes in ("table", "tables") and suffix in MARKUP


def _write_markup(
    place: Path, as_json: bool, call: Callable[[], None], signature: str | None
) -> None:
    """Write what a command prints, as LaTeX or Markdown, to a file."""
    from alignframe.cli.show import print_note, tables_as
    from alignframe.core.output import replacing

    if as_json:
        raise InputError(f"--json with -o {place}", expected="one of them")
    with StringIO() as text:
        with redirect_stdout(text), tables_as(MARKUP[place.suffix.lower()], signature):
            call()
        with replacing(place) as out:
            out.write(text.getvalue().rstrip("\n").encode() + b"\n")
    print_note(f"written to {place}")


def _check_apart(options: Sequence[Option], words: Mapping[str, Any]) -> None:
    """Refuse to write over an input."""
    given = [(option.is_output, words[option.parameter]) for option in options]
    inputs = [text for is_output, value in given if not is_output for text in _texts(value)]
    for output in (value for is_output, value in given if is_output and value is not None):
        check_apart(output, inputs)


def _texts(value: object) -> list[str]:
    """Return what may be paths in the value of an option, also after the = of ``NAME=PATH``."""
    every = value if isinstance(value, (list, tuple)) else [value]
    texts = [str(item) for item in every if isinstance(item, (str, PathLike))]
    # A value is a path, or NAME=PATH: both readings are checked, as a name may hold an =.
    return [*texts, *(text.partition("=")[2] for text in texts)]


def _parameter(option: Option) -> click.Parameter:
    """Return an option as a parameter of click."""
    several, needed = option.kind == list[str], option.default is REQUIRED
    choices = [str(choice) for choice in option.choices]
    listing = "" if option.listed or len("|".join(choices)) > _WIDEST else "|".join(choices)
    metavar = option.metavar or listing or _KINDS.get(option.kind)
    about = option.help
    # Choices that the metavar and the help leave out are listed after the help.
    if not listing and not all(choice in about for choice in choices):
        about = f"{about} One of {', '.join(choices)}."
    words: Arguments = {"required": needed, "metavar": metavar}
    if not needed:
        words["default"] = None if several else option.default

    def completed(_: click.Context, __: click.Parameter, text: str) -> list[Any]:
        known = [choice for choice in choices if choice.startswith(text)]
        return known if choices else [CompletionItem(text, type="file")]

    if option.is_argument:
        return Argument(
            [option.parameter],
            about=about,
            type=_type(option),
            nargs=-1 if several else 1,
            shell_complete=completed,
            **words,
        )
    is_switch = option.kind is bool
    # Some rare switches are on by default.
    flags = (
        [f"{option.flag}/{option.negative}"] if is_switch and option.rare else option.flags.split()
    )
    return click.Option(
        [*flags, option.parameter],
        type=None if is_switch else _type(option),
        is_flag=is_switch or None,
        multiple=several,
        show_default=option.default != "" and (option.kind is not bool or "/" in option.flags),
        hidden=option.rare,
        help=about,
        shell_complete=completed,
        **words,
    )


def _type(option: Option) -> Any:
    """Return the type of click that reads the values of an option."""
    if option.kind is Path:
        return click.Path(path_type=Path)
    return str if option.choices or option.kind == list[str] else option.kind
