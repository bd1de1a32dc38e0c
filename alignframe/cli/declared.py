"""What functions take, read from their source: importing them would take help half a second."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from alignframe.cli.option import REQUIRED, Option
from alignframe.errors import Bounds
from alignframe.options import BOUNDS, limits_of

PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function: its annotation as text, its default, and what it means.

    ``bounds`` are those of its type, or of a field of options that has its own.
    """

    name: str
    annotation: str
    default: Any
    about: str
    bounds: Bounds | None = None

    @property
    def help(self) -> str:
        """What it means, without marks, references and what is only said of Python."""
        only = r" \((?:[Ss]ee ``|in Python\b)[^)]*\)| In Python, .*?\.(?= |$)|``"
        return re.sub(only, "", self.about)

    @property
    def choices(self) -> list[str]:
        """All choices, if they are explained: ``one``: its meaning; ``two``, ``three``: theirs."""
        told = re.findall(r"(?:^|[.;:] )((?:``[\w+-]+``, )*``[\w+-]+``):", self.about)
        return re.findall(r"[\w+-]+", " ".join(told))


@cache
def parameters(module: str, name: str) -> dict[str, Parameter]:
    """Return the parameters of a function of the package, with what its docstring says of each.

    ``name`` may be that of a method, ``Class.method``, or of a dataclass. ``See ``other``.`` is
    replaced by what the other function's docstring says, and ``**`` by the keys of its TypedDict,
    whose docstring names the function or dataclass that describes them, or else by the fields or
    parameters of what its docstring names.
    """
    module, node = _found(module, name)
    text = ast.get_docstring(node) or ""
    said = _described(module, name.rpartition(".")[0], text)
    own = {
        name: Parameter(name, annotation, default, said.get(name, ""), bounds)
        for name, annotation, default, bounds in _taken(module, node)
    }
    match node:
        case ast.FunctionDef(
            args=ast.arguments(kwarg=ast.arg(annotation=ast.Subscript(slice=options)))
        ):
            where, keywords = _found(module, ast.unparse(options))
            made = re.findall(r"``([\w.]+)``", ast.get_docstring(keywords) or "")[0]
            known = parameters(*_place(where, "", made))
            keys = known.keys() & _keys(where, keywords) - own.keys()
            return own | {key: known[key] for key in known if key in keys}
    passed = re.search(r"\n\*\*\w+\n +(?:See|Fields of)((?:(?:,| and)?\s+``[\w.]+``)+)", text)
    for function in re.findall(r"``([\w.]+)``", passed[1] if passed else ""):
        own = parameters(*_place(module, "", function)) | own
    return own


def outline(module: str, name: str) -> tuple[str, str]:
    """Return the first sentence of a function's docstring, and its first parameter."""
    _, node = _found(module, name)
    first, *_ = (one for one, *_ in _taken(module, node))
    return (ast.get_docstring(node) or "").partition("\n\n")[0], first


@cache
def _tree(module: str) -> ast.Module:
    place = PACKAGE.joinpath(*module.split("."))
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return ast.parse(file.read_bytes())


def _found(module: str, path: str) -> tuple[str, ast.FunctionDef | ast.ClassDef]:
    """Return the definition of a function, and its module; wrappers lead to what they wrap."""
    inside, _, name = path.rpartition(".")
    for node in _found(module, inside)[1].body if inside else _tree(module).body:
        match node:
            case ast.ClassDef(name=defined) if defined == name:
                return module, node
            case ast.FunctionDef(name=defined) if defined == name:
                for decorator in node.decorator_list:
                    match decorator:
                        case ast.Call(func=ast.Name("wraps"), args=[ast.Name(wrapped)]):
                            return _found(module, wrapped)
                return module, node
            case ast.Assign([ast.Name(defined)], ast.Call(args=[ast.Name(wrapped)])):
                if defined == name:
                    return _found(module, wrapped)
    for source, imported in _imports(module, name):
        return _found(source, imported)
    raise AttributeError(f"no function {name} in alignframe.{module}")


def _imports(module: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the module from which a name is imported, and its name there."""
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("alignframe"):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    yield (node.module or "").removeprefix("alignframe").lstrip("."), alias.name


def _taken(
    module: str, node: ast.FunctionDef | ast.ClassDef
) -> Iterator[tuple[str, str, Any, Bounds | None]]:
    """Yield the name, annotation, default and bounds of each parameter, or field."""
    for name, annotation, default in (
        _fields(node) if isinstance(node, ast.ClassDef) else _own(node)
    ):
        said, own = ast.unparse(annotation) if annotation else "", {}
        if isinstance(default, ast.Call):
            given = {keyword.arg: keyword.value for keyword in default.keywords}
            own = {name: _value(module, given[name]) for name in BOUNDS if name in given}
            default = default.args[0]
        plain, bounds, *_ = limits_of(said)
        if own:
            bounds = Bounds(**own, whole=plain.startswith("int"))
        yield name, said, REQUIRED if default is None else _value(module, default), bounds


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr | None, ast.expr | None]]:
    for statement in node.body:
        match statement:
            case ast.AnnAssign(value=ast.Call(args=[])):
                pass  # made, not given
            case ast.AnnAssign(ast.Name(name), annotation, value):
                yield name, annotation, value
            case ast.FunctionDef(name="__init__"):
                yield from list(_own(statement))[1:]


def _keys(module: str, node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    """Return the keys of a TypedDict, after those of its bases."""
    above = [
        _keys(*_found(module, base.id))
        for base in getattr(node, "bases", ())
        if isinstance(base, ast.Name) and base.id != "TypedDict"
    ]
    return [*itertools.chain(*above), *(name for name, *_ in _fields(node))]  # type: ignore[arg-type]


def _own(node: ast.FunctionDef) -> Iterator[tuple[str, ast.expr | None, ast.expr | None]]:
    given = node.args
    by_place = [*given.posonlyargs, *given.args]
    missing: list[ast.expr | None] = [None] * (len(by_place) - len(given.defaults))
    defaults = [*missing, *given.defaults, *given.kw_defaults]
    for argument, default in zip([*by_place, *given.kwonlyargs], defaults, strict=True):
        if argument.arg != "cls":
            yield argument.arg, argument.annotation, default


def _value(module: str, node: ast.expr) -> Any:
    """Return a literal, or the literal that a name stands for."""
    if not isinstance(node, ast.Name):
        return ast.literal_eval(node)
    for statement in _tree(module).body:
        match statement:
            case ast.Assign([ast.Name(name)], value) if name == node.id:
                return _value(module, value)
    source, name = next(_imports(module, node.id))
    return _value(source, ast.Name(name))


def _described(module: str, inside: str, text: str) -> dict[str, str]:
    """Return what a numpy docstring says of each parameter."""
    section = re.search(r"(?s)\nParameters\n-+\n(.*?)(?=\n\w[\w ]*\n---|\Z)", text)
    described: dict[str, str] = {}
    for names, about in re.findall(
        r"(?m)^(\S[^\n]*)\n((?:(?: +[^\n]*|)\n?)+)", section[1] if section else ""
    ):
        said = " ".join(about.split())
        other = re.match(r"See ``([\w.]+)``\.?(?: |$)", said)
        known = parameters(*_place(module, inside, other[1])) if other else {}
        for name in names.split(", "):
            described[name] = known[name].about if name in known else said
    return described


def _place(module: str, inside: str, path: str) -> tuple[str, str]:
    """Return the module and name of a function, given from the package, or near a module.

    ``inside`` is the class of a method, where others are sought.
    """
    where, name = re.findall(r"^(?:alignframe\.)?(?:([a-z_.]+)\.)?(.+)", path)[0]
    if where:
        return where, name
    name = f"{inside}.{name}" if inside else name
    try:
        return _found(module, name)[0], name
    except AttributeError:
        return module.rpartition(".")[0], name


_DEFAULT = re.compile("default").search
_LISTS = {"float": float, "int": int, "str": str}


def option_of(parameter: Parameter, about: str) -> Option:
    """Return the option of a parameter: its type, and its default, which the function fills in."""
    name, usual = parameter.name, parameter.default
    said = limits_of(parameter.annotation)
    listed = re.match(r"Sequence\[(\w+)\]", said.kind)
    plain = {"int": int, "float": float, "bool": bool}
    bare: Any = plain.get(said.kind.partition(" |")[0], str)
    if listed:
        about = f"{about} Comma-separated."
    on_or_off = bare is bool and not usual
    if usual not in (None, REQUIRED, (), "") and not on_or_off and not _DEFAULT(about):
        shown = (
            "yes"
            if usual is True
            else ",".join(map(str, usual))
            if isinstance(usual, tuple)
            else usual
        )
        about = f"{about}  [default: {shown}]"
    # Of a rare switch, the function's default may be on.
    is_switch = bare is bool and not said.rare
    return Option(
        "--" + name.replace("_", "-"),
        bare,
        about,
        REQUIRED if usual is REQUIRED else False if is_switch else None,
        said.panel,
        name=name,
        rare=said.rare,
        choices=tuple(parameter.choices),
        bounds=parameter.bounds,
        listed=_LISTS.get(listed[1], str) if listed else None,
    )
